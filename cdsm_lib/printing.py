"""Values that print as words: a dataclass of arrays tells their sizes, not their numbers.

>>> from dataclasses import dataclass
>>> @in_words
... @dataclass
... class Verbs:
...     names: Labels
...     matrices: np.ndarray
...     penalty: float = 75.0
>>> Verbs(Labels(["eat", "see"]), np.zeros((2, 300, 300)))
Verbs(names: 2 labels, matrices: 2 x 300 x 300 float64, penalty: 75.0)
"""

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels

_FEW = 4  # what a list may have and be printed whole


def in_words(cls: type) -> type:
    """Class decorator, above `dataclass` or a `NamedTuple`: prints public fields with a value, what is long by size."""
    names = getattr(cls, "_fields", None) or [of.name for of in fields(cls)]
    public = [name for name in names if not name.startswith("_")]

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in public}
        parts = [f"{name}: {sized(value)}" for name, value in values.items() if value is not None]
        return f"{type(self).__name__}({', '.join(parts)})"

    cls.__repr__ = __repr__
    return cls


def sized(value: Any) -> str:
    """A value as it prints, or its size."""
    if isinstance(value, Labels):
        return f"{len(value):,} labels"
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        kind = "sparse " * sparse.issparse(value) + str(value.dtype)
        return f"{' x '.join(f'{n:,}' for n in value.shape)} {kind}"
    if isinstance(value, type):
        return value.__name__
    if hasattr(value, "_fields"):  # a named tuple
        return repr(value)
    if isinstance(value, Mapping | Set | list | tuple) and not is_dataclass(value):
        plain = all(isinstance(part, str | int | float) for part in value)
        if len(value) > _FEW or isinstance(value, Mapping | Set) and value or not plain:
            return f"{len(value):,} entries"
    return repr(value)
