"""Labels, of words mostly (``lemma|UPOS``): an immutable list of strings that knows where each of them stands."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from cdsm_lib.tables import several, shown

UPOS = ("NOUN", "PROPN", "ADJ", "VERB", "AUX", "PRON", "DET", "ADP", "ADV", "SCONJ", "CCONJ", "PART", "NUM", "X",
        "INTJ", "PUNCT", "SYM")  # fmt: skip
"""The universal parts of speech."""


class Labels(Sequence):
    """Row or column names in a fixed order, each once, found by name in constant time.

    A `ValueError` for a name that stands twice, or for anything but several strings.

    Examples
    --------
    >>> words = Labels(["dog|NOUN", "bark|VERB"])
    >>> words.index("bark|VERB"), words.get("cat|NOUN"), "dog|NOUN" in words
    (1, -1, True)
    >>> words.encode(["bark|VERB", "cat|NOUN"])
    array([ 1, -1])
    """

    def __init__(self, names: Iterable[str]):
        self.names = tuple(names) if several(names) else (None,)
        if not all(isinstance(name, str) for name in self.names):
            raise ValueError(f"{shown(names)}: labels are strings, several in a list")
        self._place = {name: i for i, name in enumerate(self.names)}
        if len(self._place) != len(self.names):
            seen: set[str] = set()
            twice = next(name for name in self.names if name in seen or seen.add(name))
            raise ValueError(f"label {twice!r} occurs twice; every label must be unique")

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, i):
        return self.names[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:3]) + (", ..." if len(self) > 3 else "")
        return f"Labels({len(self)}: {shown})"

    def index(self, name: str, *_) -> int:
        """Place of `name`; `KeyError` if it is not a label."""
        try:
            return self._place[name]
        except KeyError:
            raise KeyError(f"{name!r} is not among these {len(self)} labels") from None

    def get(self, name: str, default: int = -1) -> int:
        """Place of `name`, or `default`."""
        return self._place.get(name, default)

    def encode(self, names: Iterable[str]) -> np.ndarray:
        """Places of many names as int64, -1 for those that are not labels."""
        return np.array([self._place.get(name, -1) for name in names], dtype=np.int64)

    def mask(self, names: Iterable[str]) -> np.ndarray:
        """Which of the labels are among these names: bool, shape (len(self),)."""
        return np.isin(np.arange(len(self)), self.encode(names))

    def decode(self, places: np.ndarray) -> np.ndarray:
        """The labels at an array of places, as an array of str objects of the same shape."""
        return np.array(self.names, dtype=object)[places]

    def take(self, places: Iterable[int]) -> "Labels":
        """The labels at these places, in that order."""
        return Labels(self.names[i] for i in places)
