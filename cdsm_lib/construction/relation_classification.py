"""How the sets of relation classification are made: labels of two passes, their agreement, and the paper's own files.

Cheung and Penn (2012), section 3.1, take sentences that Bunescu and Mooney (2007) found for four entity pairs. Those
are not to be had. Banko and Etzioni (2008) published 500 sentences from the same corpus, without labels:

1. :func:`read_labels` reads the labels that were made for this book, by line number, in two passes and adjudicated
2. :func:`agreement` says how far the passes agree
3. :func:`from_banko` joins them with the parsed sentences
4. :func:`load` gives a set by name, of which only pairs with `FEWEST` sentences of each class are scored

A further set has one half of the paper's condition: one place, but many persons (:func:`births_and_deaths`).
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import YES_NO, TaskError, positive, read_table
from cdsm_lib.tasks import relation_classification
from cdsm_lib.tasks.relation_classification import RELATIONS, Relations, entity_tokens, grouped, read_marked
from cdsm_lib.text.corpus import Sentence, read_trees

PAPER_COUNTS = {  # relation, pair: sentences that express it, all sentences (Table 2)
    ("acquires", "Pfizer/Rinat Neuroscience"): (41, 50),
    ("acquires", "Yahoo/Inktomi"): (115, 433),
    ("was born in", "Luc Besson/Paris"): (6, 126),
    ("was born in", "Marie Antoinette/Vienna"): (39, 105),
}
FEWEST = 4
"""Sentences of each class that a pair of `relation_banko2008` must have: the paper's smallest set has six."""


# ---------------------------------------------------------------------------------------------------------------------
# Labels


@dataclass(frozen=True)
class Label:
    """The labels of one sentence.

    Parameters
    ----------
    line : int or str
        Line of ``hlt-naacl08-data.txt``, from 1; or the ``sent_id`` in ``google_re.conllu``.
    relation, pair : str
        The pair of entities; or the relation of the snippet, and the place.
    first, second : bool or str
        Of the two independent passes: does the sentence express the relation? Or one of `LIVES`.
    label : bool or str
        The adjudicated one.
    """

    line: int | str
    relation: str
    pair: str
    first: bool | str
    second: bool | str
    label: bool | str


def read_labels(path) -> list[Label]:
    """Read ``relations.tsv``: two passes and the adjudicated label of each sentence, by line number.

    Parameters
    ----------
    path : path
        UTF-8, tab-separated, with the header ``line relation pair first second label``.

    Returns
    -------
    list of Label
        In file order.

    Raises
    ------
    TaskError
        With file and line: for another header, an empty field, a line number that is none or occurs twice, an unknown
        relation, a label other than 0 and 1, a file without rows. Also for a file that is missing or not UTF-8.

    Examples
    --------
    >>> read_labels(annotations("relations.tsv"))[0].pair
    'Google/YouTube'
    """
    kinds = {"line": positive, "relation": RELATIONS, "first": YES_NO, "second": YES_NO, "label": YES_NO}
    columns = ("line", "relation", "pair", "first", "second", "label")
    return [Label(**row) for _, row in read_table(path, columns, kinds, key="line")]


def committed_labels() -> list[Label]:
    """The labels of ``data/annotations/relations.tsv``.

    >>> committed_labels()[0].label
    True
    """
    return read_labels(annotations("relations.tsv"))


def annotations(name: str) -> Path:
    """A file of ``data/annotations``.

    >>> annotations("relations.tsv").name
    'relations.tsv'
    """
    return datasets.data_root() / "annotations" / name


LIVES = ("birth", "death", "both", "neither")
"""What a sentence may say of its person and its place."""


def read_lives(path=None) -> list[Label]:
    """Read ``google_re.tsv``: what each sentence says of its person and place, in two passes and adjudicated.

    Parameters
    ----------
    path : path, optional
        UTF-8, tab-separated, with the header ``sent_id relation place first second label``; by default that of
        ``data/annotations``.

    Returns
    -------
    list of Label
        In file order.

    Raises
    ------
    TaskError
        As in :func:`read_labels`.

    Examples
    --------
    >>> first = read_lives()[0]
    >>> first.pair, first.label
    ('Philadelphia', 'birth')
    """
    kinds = {"relation": LIVES[:2], "first": LIVES, "second": LIVES, "label": LIVES}
    columns = ("sent_id", "relation", "place", "first", "second", "label")
    rows = read_table(path or annotations("google_re.tsv"), columns, kinds, key="sent_id")
    return [Label(*(row[name] for name in columns)) for _, row in rows]


@dataclass(frozen=True)
class Agreement:
    """How far two passes of labels agree.

    Parameters
    ----------
    sentences : int
    agreed : float
        Share of sentences with the same label in both.
    kappa : float or None
        Cohen's kappa; None where it is undefined, since both passes gave one label throughout.
    adjudicated : int
        Sentences on which the passes differ, so that a third look decided.
    overruled : int
        Sentences on which the passes agree and the final label is the other one.
    expressing : int
        Sentences with the final label that was asked for.
    """

    sentences: int
    agreed: float
    kappa: float | None
    adjudicated: int
    overruled: int
    expressing: int


def agreement(labels: Sequence[Label], expressing: bool | str = True) -> dict[str, Agreement]:
    """Agreement of the two passes: overall, by relation, and by pair.

    Parameters
    ----------
    labels : sequence of Label
    expressing : bool or str
        The final label that is counted.

    Returns
    -------
    dict of str to Agreement
        "overall", then each relation, then each pair, in order of appearance.

    Raises
    ------
    TaskError
        Without labels.

    Examples
    --------
    >>> labels = [Label("a", "buys", "A/B", *found) for found in ((True, True, True), (True, False, False))]
    >>> agreement(labels)["overall"]
    Agreement(sentences=2, agreed=0.5, kappa=0.0, adjudicated=1, overruled=0, expressing=1)
    """
    if not labels:
        raise TaskError(None, None, "no labels, hence no agreement")
    groups = {"overall": list(labels)}
    for field in ("relation", "pair"):
        for label in labels:
            groups.setdefault(getattr(label, field), []).append(label)
    agreed = {}
    for name, group in groups.items():
        first, second, final = np.array([(label.first, label.second, label.label) for label in group]).T
        same = first == second
        kappa = None if same.all() and len(set(first)) == 1 else metrics.cohen_kappa(first, second)
        counts = [int(n.sum()) for n in (~same, same & (final != first), final == expressing)]
        agreed[name] = Agreement(len(group), float(same.mean()), kappa, *counts)
    return agreed


# ---------------------------------------------------------------------------------------------------------------------
# The sets


def from_banko(parses_path, labels: Sequence[Label]) -> Relations:
    """The sentences of Banko and Etzioni (2008) that have a label, by entity pair.

    They sampled 500 sentences from the corpus of Bunescu and Mooney (2007), which the paper used, for other entity
    pairs than the paper's, and published them without labels.

    Parameters
    ----------
    parses_path : path
        ``relation.conllu``: its ``sent_id`` is the line in ``hlt-naacl08-data.txt``.
    labels : sequence of Label
        As from :func:`read_labels`; sentences without a label are left out.

    Returns
    -------
    Relations
        Pairs in the order of `RELATIONS` and then of appearance in the labels, sentences by line.

    Raises
    ------
    TaskError
        If there are no labels, a label's line is not among the parses, a pair has two relations, a sentence has no id
        of its own, or one of its entities is not marked.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    path = Path(parses_path)
    sentences = read_marked(path)
    if not labels:
        raise TaskError(path.name, None, "no labels for these sentences")
    missing = [label.line for label in labels if str(label.line) not in sentences]
    if missing:
        problem = f"{len(missing)} labelled lines, the first {missing[0]}, have no sentence of that id"
        raise TaskError(path.name, None, f"{problem}: labels and parses do not belong together")
    pairs = list(dict.fromkeys(label.pair for label in labels))
    order = sorted(labels, key=lambda label: (RELATIONS.index(label.relation), pairs.index(label.pair), label.line))
    rows = ({"id": str(one.line), "relation": one.relation, "pair": one.pair, "expresses": one.label} for one in order)
    return grouped("relation_banko2008", sentences, rows, FEWEST)


def load(name: str = "relation_banko2008") -> Relations:
    """A set by name.

    Parameters
    ----------
    name : {"relation_banko2008", "google_re", "relations"}
        Sentences of Banko and Etzioni (2008) with the labels of ``data/annotations/relations.tsv``, of which pairs with
        fewer than `FEWEST` sentences of a class are not scored; :func:`births_and_deaths`; the book's own teaching set.

    Returns
    -------
    Relations

    Raises
    ------
    TaskError
        For another name or a spoilt file.
    cdsm_lib.datasets.DataError
        If the files cannot be had.

    Examples
    --------
    >>> [pair.name for pair in load("relations")][:2]
    ['Tarnwick Foods/Ossel Farms', 'Corvane Media/Pellan Studios']
    """
    if name == "relations":
        return relation_classification.load(name)
    if name == "relation_banko2008":
        return from_banko(datasets.fetch("relation_banko2008", "relation.conllu"), committed_labels())
    if name == "google_re":
        return births_and_deaths(datasets.fetch("google_re", "google_re.conllu.xz"), read_lives())
    raise TaskError(None, None, f"unknown relation set {name!r}; there are relation_banko2008, google_re and relations")


FEWEST_FURTHER = 10
"""Sentences of each class that a place must have: decided before any figure."""


def births_and_deaths(parses_path, labels: Sequence[Label]) -> Relations:
    """Sentences on births against sentences on deaths in one place, from Google's corpus (Orr 2013).

    As in the paper, all sentences of a set name the same place, so that it cannot help; unlike there, each is about
    another person, whose marked name is blanked out.

    Parameters
    ----------
    parses_path : path
        ``google_re.conllu``.
    labels : sequence of Label
        As from :func:`read_lives`. Births express the relation, deaths do not; other sentences are left out.

    Returns
    -------
    Relations
        A "pair" for each place, in alphabetical order, sentences in the order of the labels.

    Raises
    ------
    TaskError
        If a label's sentence is not among the parses.
    """
    path = Path(parses_path)
    trees = read_trees(path)
    if missing := [label.line for label in labels if label.line not in trees]:
        problem = f"{len(missing)} labelled sentences, the first {missing[0]}, are not there"
        raise TaskError(path.name, None, f"{problem}: labels and parses do not belong together")
    used = sorted((of for of in labels if of.label in LIVES[:2]), key=lambda of: of.pair)
    masked = {of.line: without_entities(trees[of.line], which=(1,)) for of in used}
    rows = [
        {"id": of.line, "relation": "was born in", "pair": of.pair, "expresses": of.label == LIVES[0]} for of in used
    ]
    return grouped("google_re", masked, rows, FEWEST_FURTHER)


def without_entities(sentence: Sentence, which: Container[int] = (1, 2)) -> Sentence:
    """The sentence with its entities blanked out: the tokens stay in the tree, but no model has a word for them.

    >>> from cdsm_lib.text.corpus import Token
    >>> forms = ("Google", "Entity=1"), ("bought", "_"), ("YouTube", "Entity=2")
    >>> sentence = Sentence(tuple(Token(1, form, form, "X", "X", "_", 0, "root", "_", misc) for form, misc in forms))
    >>> [token.form for token in without_entities(sentence)]
    ['_', 'bought', '_']
    """
    blank = {"form": "_", "lemma": "_", "upos": "X"}
    named = zip(sentence, entity_tokens(sentence, which), strict=True)
    return replace(sentence, tokens=tuple(replace(token, **blank) if entity else token for token, entity in named))


def without_variation(relations: Relations, variation: str) -> Relations:
    """The set less the sentences of one kind of variation, such as the teaching set's traps.

    >>> pair, *_ = load("relations")
    >>> kept, *_ = without_variation(load("relations"), "trap")
    >>> sorted(set(pair.variation) - set(kept.variation))
    ['trap']
    """
    pairs = []
    for pair in relations:
        left = [i for i in range(len(pair)) if not pair.variation or pair.variation[i] != variation]
        of_sentences = ("sentences", "ids", "expresses", "variation")
        columns = {
            name: tuple(getattr(pair, name)[i] for i in left) for name in of_sentences if len(getattr(pair, name))
        }
        pairs.append(replace(pair, **columns))
    return Relations(f"{relations.name}, without {variation}s", tuple(pairs), relations.fewest)
