"""Penn Treebank part-of-speech tags: an averaged perceptron, trained by NLTK, whose weights come with the book.

White (2015) tags sentences with the Stanford tagger. Here stands NLTK's `PerceptronTagger` (after Honnibal 2013), a
greedy tagger from left to right. A token's tag is the one with the highest sum of weights::

    t_i = arg max_t  sum_{f in features(i)}  w[f, t],

equal sums being decided by the alphabet. The features of a token are its form, its first letter and last three,
the two words on either side with their last letters, and the two tags before it. Words that bore one tag in at least
97% of 20 or more occurrences always receive that tag.

Weights are kept as whole multiples of a small step, so that sums are exact: the same tags on any machine.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.labels import Labels

REMEDY = "Restore it from the repository, or make it again with make tagger."

PENN_FORMS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "“": "``", "”": "''", "‘": "`", "’": "'", "’s": "'s", "n’t": "n't", "’re": "'re", "’ve": "'ve", "’ll": "'ll",
    "’d": "'d", "’m": "'m",
}  # fmt: skip
"""Other spellings of tokens, as the training text writes them."""


@dataclass(frozen=True, eq=False)
class State:
    """A tagger as `cdsm_lib.storage` keeps it: how many weights each feature has, their tags and what they are."""

    tags: Labels
    features: Labels
    length: np.ndarray
    tag: np.ndarray
    weight: np.ndarray
    known: Labels
    known_tag: np.ndarray
    meta: Mapping


@dataclass(frozen=True, eq=False)
class PosTagger:
    """A trained tagger: for each feature the weights of tags, in steps of ``meta["smallest"]``; the words that always
    receive one tag; all tags, in alphabetical order; and how it was trained."""

    weights: Mapping[str, Mapping[str, int]] = field(repr=False)
    known: Mapping[str, str] = field(repr=False)
    tags: tuple[str, ...]
    meta: Mapping = field(default_factory=dict)

    @cached_property
    def _perceptron(self):
        from nltk.tag.perceptron import PerceptronTagger  # takes a second to load

        return PerceptronTagger.decode_json_obj((self.weights, self.known, self.tags))

    def tag(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The Penn tag of each token of a sentence, in the Penn Treebank's tokenisation and original case.

        Brackets may also be written as ``-LRB-``, quotation marks and apostrophes as curly ones.
        """
        return tuple(tag for _, tag in self._perceptron.tag(penn(tokens)))

    def tag_within(self, tokens: Sequence[str], allowed: Sequence[Set[str]]) -> tuple[str, ...]:
        """Tags as by `tag`, but the tag of each token is the best of those allowed to it, one or more."""
        from nltk.tag.perceptron import AveragedPerceptron

        tokens, best = penn(tokens), []
        nltk, model = self._perceptron, AveragedPerceptron(self.weights)
        before, before2 = nltk.START
        context = [*nltk.START, *map(nltk.normalize, tokens), *nltk.END]
        for i, (token, tags) in enumerate(zip(tokens, allowed, strict=True)):
            tag = self.known.get(token)
            if tag not in tags:
                model.classes = tags
                tag, _ = model.predict(nltk._get_features(i, token, context, before, before2))
            best.append(tag)
            before, before2 = tag, before
        return tuple(best)

    def state(self) -> State:
        """What a file of it holds."""
        tags, features, words = Labels(self.tags), Labels(sorted(self.weights)), Labels(sorted(self.known))
        lengths = np.array([len(self.weights[name]) for name in features], dtype=np.int64)
        entries = [entry for name in features for entry in sorted(self.weights[name].items())]
        tag = tags.encode(tag for tag, _ in entries)
        weight = np.array([weight for _, weight in entries], dtype=np.int16)
        return State(tags, features, lengths, tag, weight, words, tags.encode(map(self.known.get, words)), self.meta)

    @classmethod
    def of_state(cls, state: State) -> "PosTagger":
        """The tagger of this state; a `ValueError` or `IndexError` if its parts do not fit each other."""
        if state.length.sum() != len(state.weight):
            raise ValueError(f"it has {len(state.weight)} weights where its features need {state.length.sum()}")
        tags, lengths = state.tags.decode(state.tag), state.length.tolist()
        entries = iter(zip(tags, state.weight.tolist(), strict=True))
        weights = {name: dict(islice(entries, n)) for name, n in zip(state.features, lengths, strict=True)}
        known = dict(zip(state.known, state.tags.decode(state.known_tag), strict=True))
        return cls(weights, known, state.tags.names, state.meta)


def weights_path() -> Path:
    """``data/models/pos-tagger.npz``."""
    return datasets.data_root() / "models" / "pos-tagger.npz"


def load(path: str | Path | None = None) -> PosTagger:
    """The committed tagger, or that of another file; errors as `storage.load`.

    >>> load().tag(["The", "bank", "raised", "its", "rates", "."])
    ('DT', 'NN', 'VBD', 'PRP$', 'NNS', '.')
    """
    return storage.load(path or weights_path(), PosTagger, kind="pos-tagger", remedy=REMEDY)


def penn(tokens: Sequence[str]) -> list[str]:
    """The tokens in the spelling of the training text; `ValueError` for a string, which is to be tokenised first."""
    if isinstance(tokens, str):
        raise ValueError(f"a sequence of tokens is needed, not the string {tokens[:30]!r}: tokenise it first")
    return [PENN_FORMS.get(token, token) for token in tokens]
