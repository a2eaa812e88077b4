r"""Word sense discrimination: which of these sentences uses a word in the same sense as the target sentence?

Kober, Weeds, Wilkie, Reffin and Weir (2017), "One Representation per Word - Does it make Sense for Composition?"
(SENSE 2017), section 4. An *item* is a target sentence with an ambiguous *lexeme*, and 2 to 5 options: sentences with
the same lexeme, each in another sense, exactly one of them in the target's. The option of the highest similarity is a
system's choice. How items are made is `cdsm_lib.construction.sense_discrimination`.

Conventions: a lexeme is a label ``lemma|POS``, POS one of `TAGS`. A *usage* is a sentence, the place of the lexeme's
token in it from 0, and its sense. Options are numbered from 0 and shuffled: in the published files the right one always
stands first, so a system that breaks ties by taking the first would gain from each tie.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cdsm_lib.composition.overlap import is_content
from cdsm_lib.evaluation import metrics
from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks.task import Measure, Task, Text, Texts, Vocabulary, column, together
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.counts import CONTENT_TAGS
from cdsm_lib.text.dependencies import arcs

TAGS = ("NOUN", "VERB", "ADJ")
SENSES = (2, 3, 4, 5)
WINDOWS = (1, 2, 4)
BANDS = (10_000, 50_000)
"""Table 7: occurrences in the paper's Wikipedia of October 2013, whose number of tokens the paper does not give."""
WITHOUT_TREE = 2
"""The window that stands in for the dependency context where there is no tree: they "performed almost identical"."""


@dataclass(frozen=True)
class Usage:
    """A sentence in which a lexeme, at a place from 0, has one sense; of the source "semcor", "wordnet" or "senses"."""

    sentence: Sentence
    position: int
    sense: str
    source: str

    def __hash__(self):  # the sentence's comments have none; of its tokens the lexeme's is enough
        return hash((self.token, len(self.sentence), self.position, self.sense))

    @property
    def token(self) -> Token:
        """The lexeme's token."""
        return self.sentence.tokens[self.position]

    @property
    def has_tree(self) -> bool:
        """Whether the sentence is parsed: some token has a head, or there is only one token."""
        return len(self.sentence) == 1 or any(token.head for token in self.sentence)


@dataclass(frozen=True)
class Item:
    """A target usage and so many options, each of another sense; the answer is the place of that in the target's."""

    lexeme: str
    senses: int
    target: Usage
    options: tuple[Usage, ...]
    answer: int

    @property
    def pos(self) -> str:
        """Part of speech of the lexeme."""
        return self.lexeme.rpartition("|")[2]

    @property
    def source(self) -> str:
        """That of all its usages; "both" if they come from two."""
        sources = {usage.source for usage in self.usages}
        return sources.pop() if len(sources) == 1 else "both"

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The target, and then the options."""
        return (self.target, *self.options)


@dataclass(frozen=True)
class SenseDiscrimination:
    """Items to be scored together, of the split "all" or "test" of a dataset."""

    dataset: str
    split: str
    items: tuple[Item, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def of(self, pos: str | None = None, senses: int | None = None) -> "SenseDiscrimination":
        """The items of one part of speech, of one number of senses, or both."""
        items = tuple(i for i in self if pos in (None, i.pos) and senses in (None, i.senses))
        return SenseDiscrimination(self.dataset, self.split, items)


# ---------------------------------------------------------------------------------------------------------------------
# Contexts


def context(usage: Usage, window: int | str) -> list[str]:
    """Content words around the lexeme: labels, in the order of the sentence, repetitions kept; see `places_around`.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import sentence
    >>> usage = Usage(sentence("river/2/nmod bank/3/nsubj flood|VERB/0/root"), 1, "1", "mine")
    >>> context(usage, 1), context(usage, "dependency")
    (['river|NOUN', 'flood|VERB'], ['river|NOUN', 'flood|VERB'])
    """
    return [_label(usage.sentence.tokens[i]) for i in places_around(usage, window)]


def _label(token: Token) -> str:
    return f"{token.lemma}|{token.upos}"


def places_around(usage: Usage, window: int | str) -> list[int]:
    """Where the content words around the lexeme stand.

    What is no noun, verb, adjective, adverb or name, and what is a function word with its tag (`is_content`; the paper
    does not name its list of stop words), is taken out *before* the window is, "in order to maximise the number of
    content words" (section 4.3). So is the lexeme itself, wherever it occurs.

    Parameters
    ----------
    usage : Usage
    window : int or str
        Content words on each side; or "dependency": the head and the dependents of the lexeme, where what hangs from a
        preposition counts as hanging from the preposition's head. A sentence without a tree has no such context; it
        gets a window of `WITHOUT_TREE` instead.
    """
    lexeme = (usage.token.lemma, usage.token.upos)
    allowed = [
        i for i, token in enumerate(usage.sentence)
        if i != usage.position and (token.lemma, token.upos) != lexeme
        and token.upos in CONTENT_TAGS and is_content(token)
    ]  # fmt: skip
    if window == "dependency" and usage.has_tree:
        near = _neighbours(usage)
        return [i for i in allowed if i in near]
    k = WITHOUT_TREE if window == "dependency" else window
    return [i for i in allowed if i < usage.position][-k:] + [i for i in allowed if i > usage.position][:k]


def read_usage(lexeme: str, usage: Usage, window: int = WINDOWS[-1]) -> Text:
    """A usage as a text: its words are the lexeme and those of the window, by default the widest; its lemmas are the
    different ones of the window alone; tokens, forms and tree are those of the whole sentence."""
    around = set(places_around(usage, window))
    labels = [_label(token) for token in usage.sentence]
    words = [label if i in around else None for i, label in enumerate(labels)]
    words[usage.position] = lexeme
    return replace(
        Text.of(usage.sentence, Vocabulary(Labels([])), usage.position), words=tuple(words), tokens=tuple(labels),
        lemmas=tuple(sorted({usage.sentence.tokens[i].lemma for i in around})), unknown=(),
    )  # fmt: skip


def _neighbours(usage: Usage) -> set[int]:
    """Places of the head and of the dependents of the lexeme, prepositions collapsed."""
    ends = [(arc.governor, arc.dependent) for arc in arcs(usage.sentence)]
    heads = {governor for governor, dependent in ends if dependent == usage.position}
    return heads | {dependent for governor, dependent in ends if governor == usage.position}


# ---------------------------------------------------------------------------------------------------------------------
# Scores


def chance(items: Iterable[Item]) -> float:
    r"""Expected accuracy of random choices, exactly: the mean of :math:`1/n`.

    Examples
    --------
    >>> chance([Item("bank|NOUN", n, None, (None,) * n, answer=0) for n in (2, 4)])
    0.375
    """
    return float(np.mean([1 / item.senses for item in items]))


def credit(items: Iterable[Item], similarity: np.ndarray) -> np.ndarray:
    """What choosing the most similar option earns on each item, float64 [items]; the mean is accuracy.

    The similarities are those of the target with each option, item by item, float [options of all items]. 1 if the
    right option alone is best, :math:`1/|ties|` if it is among the best, else 0: the expectation of the paper's random
    pick (`metrics.tie_credit`). Equal similarities, as of an item of which nothing is known, are a tie. `TaskError` for
    another number of similarities than options, NaN or infinity.

    >>> items = [Item("bank|NOUN", 2, None, (None, None), answer) for answer in (0, 1)]
    >>> credit(items, np.array([0.5, 0.5, 0.2, 0.4]))
    array([0.5, 1. ])
    """
    parts = zip(by_item(items, similarity), items, strict=True)
    return np.array([metrics.tie_credit(options, item.answer) for options, item in parts])


def by_item(items: Iterable[Item], similarity: np.ndarray) -> list[np.ndarray]:
    """The similarities of the pairs of `task`, an array [options] for each item; errors as of `credit`."""
    values, ends = np.asarray(similarity, dtype=np.float64), np.cumsum([item.senses for item in items])
    if values.shape != (ends[-1],) or not np.isfinite(values).all():
        raise TaskError(None, None, f"{ends[-1]} finite similarities are needed, one an option; got {values.shape}")
    return np.split(values, ends[:-1])


# ---------------------------------------------------------------------------------------------------------------------
# As a task


def task(items: SenseDiscrimination, read: Callable[[str, Usage], object]) -> Task:
    """The target of each item with each option; the most similar one should use the lexeme in the same sense.

    Items of one lexeme are drawn together. `read` makes of a lexeme and a usage of it the text that systems see.
    """
    seen, pairs = Texts(), []
    for item in items:
        target, *options = (
            seen.place((item.lexeme, usage.sense, id(usage.sentence), usage.position), read, item.lexeme, usage)
            for usage in item.usages
        )
        pairs += [(target, option) for option in options]
    labels = {"pos": column(items, "pos"), "senses": column(items, "senses"), "kind": column(items, "source")}
    return Task(
        "sense discrimination", items.dataset, items.split, seen.in_order(), np.array(pairs),
        {"accuracy": Measure(partial(credit, items))}, len(items), together(item.lexeme for item in items), labels,
        chance=chance(items),
    )  # fmt: skip
