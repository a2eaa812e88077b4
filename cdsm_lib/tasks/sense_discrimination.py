r"""Word sense discrimination: which of these sentences uses a word in the same sense as the target sentence?

Kober, Weeds, Wilkie, Reffin and Weir (2017), "One Representation per Word - Does it make Sense for Composition?"
(SENSE 2017), section 4. An *item* is a target sentence with an ambiguous *lexeme*, and 2 to 5 options: sentences with
the same lexeme, each in another sense, exactly one of them in the target's. A system scores the options; the highest
score is its choice. How items are made is `cdsm_lib.construction.sense_discrimination`.

Conventions
-----------
A lexeme is a label ``lemma|POS``, POS one of `TAGS`. A *usage* is a sentence, the place of the lexeme's token in it
from 0, and its sense. Options are numbered from 0 and shuffled: in the published files the right one always stands
first, so a system that breaks ties by taking the first would gain from each tie. Scores are higher for better.

Contexts and systems
--------------------
context               content words around the lexeme, or its neighbours in the dependency tree
word_overlap          the baseline: words that two contexts share
chance                accuracy that random choices are expected to reach

Metrics
-------
scores                accuracy, a tie for the best score giving :math:`1/|ties|` (`metrics.tie_credit`)
frequency_band        band of a lexeme's frequency, as in Table 7
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError
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
    """One sentence in which a lexeme has one sense.

    Parameters
    ----------
    sentence : Sentence
    position : int
        Place of the lexeme's token, from 0.
    sense : str
    source : str
        Where the sentence is from: "semcor", "wordnet" or "senses".
    """

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
    """A target usage and the options to choose from.

    Parameters
    ----------
    lexeme : str
        Its label.
    senses : int
        How many options, each of another sense.
    target : Usage
    options : tuple of Usage
    answer : int
        Place of the option in the target's sense, from 0.
    """

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
    def usages(self) -> tuple[Usage, ...]:
        """The target, and then the options."""
        return (self.target, *self.options)


@dataclass(frozen=True)
class SenseDiscrimination:
    """Items to be scored together.

    Parameters
    ----------
    dataset, split : str
        Where they are from; "all" or "test".
    items : tuple of Item
    """

    dataset: str
    split: str
    items: tuple[Item, ...]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def without_tree(self) -> int:
        """Usages without a dependency tree: for them `context` of "dependency" is a window of `WITHOUT_TREE`."""
        return sum(not usage.has_tree for item in self for usage in item.usages)

    def of(self, pos: str | None = None, senses: int | None = None) -> "SenseDiscrimination":
        """The items of one part of speech, of one number of senses, or both."""
        items = tuple(i for i in self if pos in (None, i.pos) and senses in (None, i.senses))
        return SenseDiscrimination(self.dataset, self.split, items)


# ---------------------------------------------------------------------------------------------------------------------
# Contexts


def _is_content(token: Token, stop_words: Collection[str]) -> bool:
    """Whether a token may stand in a context: a noun, verb, adjective, adverb or name with a letter, no stop word."""
    stop = token.lemma in stop_words or token.form.lower() in stop_words
    return not stop and token.upos in CONTENT_TAGS and any(map(str.isalpha, token.lemma))


def context(usage: Usage, window: int | str, stop_words: Collection[str] | None = None) -> list[str]:
    """Content words around the lexeme.

    Stop words, by form or lemma, and what is no noun, verb, adjective, adverb or name with at least one letter are
    taken out *before* the window is, "in order to maximise the number of content words" (section 4.3). So is the lexeme
    itself, wherever it occurs.

    Parameters
    ----------
    usage : Usage
    window : int or str
        Content words on each side; or "dependency": the head and the dependents of the lexeme, where what hangs from a
        preposition counts as hanging from the preposition's head (`counts.arcs`). A sentence without a tree has no such
        context; it gets a window of `WITHOUT_TREE` instead, and ``SenseDiscrimination.without_tree`` counts these.
    stop_words : collection of str
        The paper does not name its list. By default scikit-learn's, which holds some content words, such as *bill*,
        *fire* and *system*. The lexeme may be one of them.

    Returns
    -------
    list of str
        Labels, in the order of the sentence; repetitions are kept.

    Examples
    --------
    >>> def word(i, lemma, upos, head):
    ...     return Token(i, lemma, lemma, upos, "_", "_", head, "dep", "_", "_")
    ...
    >>> words = word(1, "river", "NOUN", 2), word(2, "bank", "NOUN", 3), word(3, "flood", "VERB", 0)
    >>> usage = Usage(Sentence(words), 1, "1", "mine")
    >>> context(usage, 1, stop_words=()), context(usage, "dependency", stop_words=())
    (['river|NOUN', 'flood|VERB'], ['river|NOUN', 'flood|VERB'])
    """
    if stop_words is None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS as stop_words  # takes half a second to load
    own = (usage.token.lemma, usage.token.upos)
    allowed = [
        i for i, token in enumerate(usage.sentence)
        if i != usage.position and (token.lemma, token.upos) != own and _is_content(token, stop_words)
    ]  # fmt: skip
    if window == "dependency" and usage.has_tree:
        near = _neighbours(usage)
        places = [i for i in allowed if i in near]
    else:
        k = WITHOUT_TREE if window == "dependency" else window
        before = [i for i in allowed if i < usage.position]
        places = before[-k:] + [i for i in allowed if i > usage.position][:k]
    return [f"{usage.sentence.tokens[i].lemma}|{usage.sentence.tokens[i].upos}" for i in places]


def _neighbours(usage: Usage) -> set[int]:
    """Places of the head and of the dependents of the lexeme, prepositions collapsed."""
    ends = [(arc.governor, arc.dependent) for arc in arcs(usage.sentence)]
    heads = {governor for governor, dependent in ends if dependent == usage.position}
    return heads | {dependent for governor, dependent in ends if governor == usage.position}


# ---------------------------------------------------------------------------------------------------------------------
# Systems without vectors


def words_in_common(first: Iterable[str], second: Iterable[str]) -> int:
    """Number of different lemmas that two contexts share.

    The paper counts "the number of words in common", of lemmatised text without tags; here as sets. (As multisets it
    would differ only where a word occurs twice in both contexts.)

    Examples
    --------
    >>> words_in_common(["river|NOUN", "walk|VERB", "walk|VERB"], ["walk|NOUN", "river|NOUN", "money|NOUN"])
    2
    """
    lemmas = ({label.rpartition("|")[0] for label in labels} for labels in (first, second))
    return len(set.intersection(*lemmas))


def word_overlap(
    window: int | str, context_of: Callable[[Usage, int | str], list[str]] = context
) -> Callable[[Item], np.ndarray]:
    """The word overlap baseline (section 4.3): lemmas that the contexts of target and option share.

    Parameters
    ----------
    window : int or "dependency"
    context_of : callable
        The context words of a usage in a window.

    Returns
    -------
    callable
        Similarity for :func:`scores`. Two options with nothing in common with the target tie.

    Examples
    --------
    >>> def word(i, lemma, upos, head):
    ...     return Token(i, lemma, lemma, upos, "_", "_", head, "dep", "_", "_")
    ...
    >>> words = word(1, "river", "NOUN", 2), word(2, "bank", "NOUN", 3), word(3, "flood", "VERB", 0)
    >>> usage = Usage(Sentence(words), 1, "1", "mine")
    >>> other = Usage(Sentence((word(1, "bank", "NOUN", 0),)), 0, "2", "mine")
    >>> item = Item("bank|NOUN", 2, target=usage, options=(other, usage), answer=1)
    >>> word_overlap(1)(item)
    array([0., 2.])
    """

    def similarity(item: Item) -> np.ndarray:
        target, *options = (context_of(usage, window) for usage in item.usages)
        return np.array([words_in_common(target, option) for option in options], dtype=np.float64)

    return similarity


def chance(items: Iterable[Item]) -> float:
    r"""Expected accuracy of random choices, exactly: the mean of :math:`1/n`.

    Examples
    --------
    >>> chance([Item("bank|NOUN", n, None, (None,) * n, answer=0) for n in (2, 4)])
    0.375
    """
    return float(np.mean([1 / item.senses for item in items]))


# ---------------------------------------------------------------------------------------------------------------------
# Scores


@dataclass(frozen=True, eq=False)
class Scored:
    """What a system made of the items.

    Parameters
    ----------
    items : tuple of Item
    credit : float array [items]
        1 if the right option alone is best, :math:`1/|ties|` if it is among the best, else 0. What a paired permutation
        test of two systems takes.
    tied : bool array [items]
        Items in which several options tie for the best score.
    """

    items: tuple[Item, ...]
    credit: np.ndarray
    tied: np.ndarray

    @property
    def accuracy(self) -> float:
        """Mean credit."""
        return float(self.credit.mean())


def scores(items: Iterable[Item], similarity: Callable[[Item], Sequence[float] | None]) -> Scored:
    """Score a system: it chooses the option with the highest similarity to the target.

    Ties are those of `metrics.tie_credit`: they give the right option its share, and so the expectation of the paper's
    random pick.

    Parameters
    ----------
    items : iterable of Item
        Such as a `SenseDiscrimination`.
    similarity : callable
        A number for each option of an item, higher for closer to the target; None if the system knows no word of the
        item, which is a tie of all options.

    Returns
    -------
    Scored

    Raises
    ------
    TaskError
        Without items; for another number of scores than options, NaN or infinity.

    Examples
    --------
    >>> item = Item("bank|NOUN", 2, None, (None, None), answer=0)
    >>> system = scores([item, item], similarity=lambda item: (0.5, 0.5))
    >>> system.accuracy, system.tied
    (0.5, array([ True,  True]))
    """
    items = tuple(items)
    if not items:
        raise TaskError(None, None, "no items to score")
    credit, tied = [], []
    for item in items:
        values = similarity(item)
        array = np.zeros(item.senses) if values is None else np.asarray(values, np.float64)
        if array.shape != (item.senses,) or not np.isfinite(array).all():
            problem = f"{item.senses} finite scores are needed, got {array.tolist()}; None if all unknown"
            raise TaskError(None, None, f"{item.lexeme}: {problem}")
        credit.append(metrics.tie_credit(array, item.answer))
        tied.append((credit[-1] or metrics.tie_credit(array, int(array.argmax()))) < 1)
    return Scored(items, np.array(credit), np.array(tied))


def frequency_band(count: float, edges: Sequence[float] = BANDS) -> int:
    """Band of a frequency: 0 below the first edge, 1 from it to below the second, and so on.

    Examples
    --------
    >>> [frequency_band(count) for count in (57, 9_999, 10_000, 49_999, 50_000)]
    [0, 0, 1, 1, 2]
    """
    return int(np.searchsorted(np.asarray(edges, dtype=np.float64), count, side="right"))
