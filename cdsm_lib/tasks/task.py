"""A task in one shape: texts, pairs of them, and what the similarities of these pairs are worth.

Two sentences on an entity pair, a question and a sentence of its document, a term and a property, two phrases, a phrase
and the same with a substitute: every task of the book asks how similar two texts are. Each module of this room loads
its items and makes a `Task` of them. A system gives one similarity a pair; `Task.scores` says what they are worth.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib.composition.overlap import is_content
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.dependencies import Arc, arcs

# -------------------------------------------------------------------------------------------------------------- texts


@dataclass(frozen=True)
class Vocabulary:
    """Which row stands for a token: its own, else the most frequent one with the same lemma.

    Headlines and the names of proteins are often tagged wrongly; the paper's lemmas carry no tag at all.

    Parameters
    ----------
    words : Labels
        Rows, ``lemma|UPOS``, most frequent first.
    """

    words: Labels

    @cached_property
    def by_lemma(self) -> dict[str, str]:
        """The most frequent row of each lemma."""
        return {word.rpartition("|")[0]: word for word in reversed(self.words)}

    def find(self, lemma: str, upos: str) -> str | None:
        """The row's label, None for an unknown lemma."""
        label = f"{lemma}|{upos}"
        return label if label in self.words else self.by_lemma.get(lemma)


@dataclass(frozen=True, eq=False)
class Text:
    """A text as all systems see it: each takes what it can use.

    Attributes
    ----------
    lemmas : tuple of str
        Of the content tokens.
    words : tuple of str or None [tokens]
        The row of each content token; None for stop words, punctuation and unknown words.
    arcs : tuple of Arc
        Dependencies, named as in counted triples.
    unknown : tuple of str
        Content tokens without a row, as ``lemma|UPOS``.
    forms : tuple of str [tokens]
        As they are written, in lower case.
    tokens : tuple of str
        All tokens as ``lemma|UPOS``.
    heads : tuple of int [tokens]
        Place of each token's head, -1 for a root.
    target : int, optional
        Place of the word that the task is about.
    """

    lemmas: tuple[str, ...]
    words: tuple[str | None, ...]
    arcs: tuple[Arc, ...] = ()
    unknown: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    target: int | None = None

    @classmethod
    def of(
        cls, sentence: Sentence, vocabulary: Vocabulary, target: int | None = None, *, resolve_voice: bool = False
    ) -> "Text":
        """A parsed sentence; its content tokens are what is left without stop words and punctuation."""
        content = [token for token in sentence if is_content(token)]
        row_of = {token.id: vocabulary.find(token.lemma, token.upos) for token in content}
        return cls(
            lemmas=tuple(token.lemma for token in content),
            words=tuple(row_of.get(token.id) for token in sentence),
            arcs=tuple(arcs(sentence, resolve_voice=resolve_voice)),
            unknown=tuple(f"{token.lemma}|{token.upos}" for token in content if row_of[token.id] is None),
            forms=tuple(token.form.lower() for token in sentence),
            tokens=tuple(f"{token.lemma.lower()}|{token.upos}" for token in sentence),
            heads=tuple(token.head - 1 for token in sentence),
            target=target,
        )


def phrase(
    words: Sequence[str], heads: Sequence[int], deprels: Sequence[str], vocabulary: Vocabulary, target=None
) -> Text:
    """A phrase as a small tree: words as ``lemma|UPOS``, heads from 0 and -1 for the root, UD labels.

    All its words count, stop words too (*other* in *other part*); but a pronoun, such as the *that* of a relative
    clause, stands there for the models that read running text.
    """
    parts = [word.rpartition("|")[::2] for word in words]
    tokens = [
        Token(i, lemma, lemma, tag, "_", "_", head + 1, deprel, "_", "_")
        for i, ((lemma, tag), head, deprel) in enumerate(zip(parts, heads, deprels, strict=True), 1)
    ]
    text = Text.of(Sentence(tuple(tokens)), vocabulary, target)
    lemmas = tuple(lemma for lemma, tag in parts if tag != "PRON")
    rows = tuple(None if tag == "PRON" else vocabulary.find(lemma, tag) for lemma, tag in parts)
    return replace(text, lemmas=lemmas, words=rows)


class Texts(dict):
    """Texts by their keys, each made once."""

    def place(self, key, make: Callable[..., Text], *arguments) -> int:
        """The place of the text with this key."""
        if key not in self:
            self[key] = len(self), make(*arguments)
        return self[key][0]

    def in_order(self) -> tuple[Text, ...]:
        """In the order of their places."""
        return tuple(text for _, text in self.values())


# --------------------------------------------------------------------------------------------------------------- tasks


@dataclass(frozen=True, eq=False)
class Measure:
    """What similarities are worth: one value an item; the figure is their mean.

    Attributes
    ----------
    values : callable
        Similarities [m] to float64 [items].
    resampled : callable, optional
        Similarities [m], a number n and a seed to float64 [items, n]: each value on n bootstrap resamples of what is
        behind it, with the same draws for every system. Without it items are drawn, those of a unit together.
    """

    values: Callable[[np.ndarray], np.ndarray]
    resampled: Callable[[np.ndarray, int, int], np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """Texts, pairs of texts, and what a system's similarities are worth.

    Attributes
    ----------
    name, dataset, split : str
    texts : tuple of Text
    pairs : int64 array [m, 2]
        Places of texts. A pair may come twice; the two places may hold the same text.
    measures : mapping of str to Measure
        The main one first.
    items : int
        How many items the measures are over: questions, terms, kinds of phrases, entity pairs.
    units : int64 array [items], optional
        Items of the same number are drawn together; by default each is a unit.
    labels : mapping of str to array [items]
        What a breakdown groups by.
    sizes : sequence of int
        What is behind each item, where it is itself a statistic: sentences, rated pairs.
    chance : float
        What similarities at random come to, exactly.
    """

    name: str
    dataset: str
    split: str
    texts: tuple[Text, ...]
    pairs: np.ndarray
    measures: Mapping[str, Measure]
    items: int
    units: np.ndarray | None = None
    labels: Mapping[str, np.ndarray] = field(default_factory=dict)
    sizes: Sequence[int] = ()
    chance: float = 0.0

    @property
    def metric(self) -> str:
        """Name of the main measure."""
        return next(iter(self.measures))

    @property
    def digest(self) -> str:
        """SHA-256 of its data set, texts and pairs: what stored similarities depend on."""
        return hashlib.sha256(repr((self.dataset, self.texts, self.pairs.tolist())).encode()).hexdigest()

    def value(self, similarity: np.ndarray, metric: str | None = None) -> float:
        """The figure of a measure, the main one by default: the mean over items."""
        return float(self.measures[metric or self.metric].values(similarity).mean())

    def resampled(self, similarity: np.ndarray, n: int, seed: int) -> np.ndarray:
        """The main figure on n bootstrap resamples, float64 [n]; the same draws for every system."""
        measure = self.measures[self.metric]
        if measure.resampled:
            return measure.resampled(similarity, n, seed).mean(axis=0)
        values = measure.values(similarity)
        places = np.arange(len(values)) if self.units is None else self.units
        sums, sizes = np.bincount(places, weights=values), np.bincount(places)
        drawn = np.random.default_rng(seed).integers(0, len(sums), (n, len(sums)))
        return sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)

    def scores(self, system: str, space: str, similarity: np.ndarray, metric: str | None = None, **about) -> Scores:
        """What similarities are worth by a measure; items of value NaN are left out; `about` as of `with_items`."""
        measure, metric = self.measures[metric or self.metric], metric or self.metric
        if measure.resampled:
            return self.with_items(system, space, similarity, metric, **about)[-1]
        place, values = (system, space, self.dataset, self.split, metric), measure.values(similarity)
        return Scores(*place, values, self.units, labels=self.labels, **about).subset(~np.isnan(values))

    def with_items(
        self, system: str, space: str, similarity: np.ndarray, metric: str | None = None, *, n: int = 1000,
        seed: int = 0, **about,
    ) -> list[Scores]:  # fmt: skip
        """By a measure with resamples: scores of each item, whose first label is the split; and at the end their mean.

        Parameters
        ----------
        system, space : str
        similarity : float array [m]
            One a pair; finite.
        metric : str, optional
            The main measure by default.
        n, seed : int
            Resamples.
        **about
            Further fields of all these scores: `published`, `tolerance`, `columns`.
        """
        metric = metric or self.metric
        measure, place = self.measures[metric], {"dataset": self.dataset, "metric": metric, **about}
        values, drawn = measure.values(similarity), measure.resampled(similarity, n, seed)
        splits = [*next(iter(self.labels.values())).tolist(), self.split]
        figures = [*values.tolist(), float(values.mean())]
        resamples, sizes = [*drawn, drawn.mean(axis=0)], [*self.sizes, self.items]
        return [
            Scores(system, space, split=split, statistic=figure, resamples=resampled, n=size, **place)
            for split, figure, resampled, size in zip(splits, figures, resamples, sizes, strict=True)
        ]


def expect_same(path: Path, trees: Mapping[str, Sentence], table: Path, line_of: Mapping[str, int]) -> None:
    """`TaskError` unless a CoNLL-U file has a sentence for each id that a table has in its lines, and no other."""
    for id, line in line_of.items():
        if id not in trees:
            raise TaskError(table.name, line, f"{id!r} has no sentence in {path.name}; add one")
    if further := trees.keys() - line_of.keys():
        raise TaskError(path.name, None, f"{min(further)!r} is not in {table.name}; add its line")


def column(items: Iterable, name: str) -> np.ndarray:
    """A field of every item: array [items]."""
    return np.array([getattr(item, name) for item in items])


def together(units: Iterable) -> np.ndarray:
    """Numbers of units [items]: equal ones for items that belong together."""
    return np.unique(list(units), return_inverse=True)[1]
