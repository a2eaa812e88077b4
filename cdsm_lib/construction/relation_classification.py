"""How the sets of relation classification are made: labels of two passes, their agreement, and the paper's own files.

Cheung and Penn (2012), section 3.1, take sentences that Bunescu and Mooney (2007) found for four entity pairs. Those
are not to be had. Banko and Etzioni (2008) published 500 sentences from the same corpus, for other pairs and without
labels: :func:`read_labels` reads those that were made for this book, in two passes and adjudicated, :func:`agreement`
says how far the passes agree, :func:`from_banko` joins them with the parsed sentences. Only pairs with `FEWEST`
sentences of each class are scored. A further set has one half of the paper's condition: one place, but many persons
(:func:`births_and_deaths`).
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

FEWEST = 4
"""Sentences of each class that a pair of `relation_banko2008` must have: the paper's smallest set has six."""


# ---------------------------------------------------------------------------------------------------------------------
# Labels


@dataclass(frozen=True)
class Label:
    """The labels of one sentence: of two independent passes, and the adjudicated one.

    ``line`` is that of ``hlt-naacl08-data.txt``, from 1, or the ``sent_id`` in ``google_re.conllu``; ``pair`` the pair
    of entities, or the place. A label says whether the sentence expresses the relation, or is one of `LIVES`.
    """

    line: int | str
    relation: str
    pair: str
    first: bool | str
    second: bool | str
    label: bool | str


def _labels(path, name: str, kinds: dict) -> list[Label]:
    path = path or datasets.data_root() / "annotations" / name
    return [Label(*row.values()) for _, row in read_table(path, tuple(kinds), kinds, key=next(iter(kinds)))]


def read_labels(path=None) -> list[Label]:
    """Read ``relations.tsv``: two passes and the adjudicated label of each sentence, by line number.

    UTF-8, tab-separated, with the header ``line relation pair first second label``; labels are 0 and 1; by default that
    of ``data/annotations``. A `TaskError` with file and line where that is not so, or a line number comes twice.

    >>> read_labels()[0].pair
    'Google/YouTube'
    """
    kinds = {"line": positive, "relation": RELATIONS, "pair": str, "first": YES_NO, "second": YES_NO, "label": YES_NO}
    return _labels(path, "relations.tsv", kinds)


LIVES = ("birth", "death", "both", "neither")
"""What a sentence may say of its person and its place."""


def read_lives(path=None) -> list[Label]:
    """Read ``google_re.tsv``: what each sentence says of its person and place, in two passes and adjudicated.

    UTF-8, tab-separated, with the header ``sent_id relation place first second label``; by default that of
    ``data/annotations``. Errors as in :func:`read_labels`.

    >>> first = read_lives()[0]
    >>> first.pair, first.label
    ('Philadelphia', 'birth')
    """
    kinds = {"sent_id": str, "relation": LIVES[:2], "place": str, "first": LIVES, "second": LIVES, "label": LIVES}
    return _labels(path, "google_re.tsv", kinds)


@dataclass(frozen=True)
class Agreement:
    """How far two passes of labels agree: the share of sentences with the same label in both, and Cohen's kappa.

    Kappa is None where it is undefined, since both passes gave one label throughout. On ``adjudicated`` sentences the
    passes differ, so that a third look decided; ``expressing`` have the final label that was asked for.
    """

    sentences: int
    agreed: float
    kappa: float | None
    adjudicated: int
    expressing: int


def agreement(labels: Sequence[Label], expressing: bool | str = True) -> dict[str, Agreement]:
    """Agreement of the two passes: "overall", then by relation, then by pair, in order of appearance.

    `expressing` is the final label that is counted. Without labels a `TaskError`.

    >>> passes = (True, True, True), (True, False, False)
    >>> agreement([Label("a", "buys", "A/B", *labels) for labels in passes])["overall"]
    Agreement(sentences=2, agreed=0.5, kappa=0.0, adjudicated=1, expressing=1)
    """
    groups = {"overall": list(labels)}
    for field in ("relation", "pair"):
        for label in labels:
            groups.setdefault(getattr(label, field), []).append(label)
    agreed = {}
    for name, group in groups.items():
        first, second, final = np.array([(label.first, label.second, label.label) for label in group]).T
        same, final = first == second, final == expressing
        kappa = None if same.all() and len(set(first)) == 1 else metrics.cohen_kappa(first, second)
        agreed[name] = Agreement(len(group), float(same.mean()), kappa, int((~same).sum()), int(final.sum()))
    return agreed


# ---------------------------------------------------------------------------------------------------------------------
# The sets


def from_banko(parses_path, labels: Sequence[Label]) -> Relations:
    """The sentences of Banko and Etzioni (2008) that have a label, by entity pair.

    Pairs are in the order of `RELATIONS` and then of appearance in the labels, sentences by line, which is the
    ``sent_id`` in ``relation.conllu``. A `TaskError` if there are no labels, a label's line is not among the parses, a
    pair has two relations, or an entity is not marked.
    """
    sentences = read_marked(Path(parses_path))
    _refuse_others(labels, sentences, parses_path)
    pairs = list(dict.fromkeys(label.pair for label in labels))
    order = sorted(labels, key=lambda label: (RELATIONS.index(label.relation), pairs.index(label.pair), label.line))
    rows = [(str(label.line), label.relation, label.pair, label.label) for label in order]
    return grouped("relation_banko2008", sentences, rows, FEWEST)


def _refuse_others(labels: Sequence[Label], sentences: Container[str], path) -> None:
    if missing := [label.line for label in labels if str(label.line) not in sentences]:
        problem = f"{len(missing)} labelled sentences, the first {missing[0]}, are not there"
        raise TaskError(Path(path).name, None, f"{problem}: labels and parses do not belong together")


def load(name: str = "relation_banko2008") -> Relations:
    """The set "relation_banko2008" (`from_banko`), "google_re" (`births_and_deaths`), or the teaching set "relations".

    A `TaskError` for a spoilt file, a `cdsm_lib.datasets.DataError` for another name, or if the files cannot be had.

    >>> [pair.name for pair in load("relations")][:2]
    ['Tarnwick Foods/Ossel Farms', 'Corvane Media/Pellan Studios']
    """
    if name == "relation_banko2008":
        return from_banko(datasets.fetch("relation_banko2008", "relation.conllu"), read_labels())
    if name == "google_re":
        return births_and_deaths(datasets.fetch("google_re", "google_re.conllu.xz"), read_lives())
    return relation_classification.load(name)


FEWEST_FURTHER = 10
"""Sentences of each class that a place must have: decided before any figure."""


def births_and_deaths(parses_path, labels: Sequence[Label]) -> Relations:
    """Sentences on births against sentences on deaths in one place, from Google's corpus (Orr 2013).

    As in the paper, all sentences of a set name the same place, so that it cannot help; unlike there, each is about
    another person, whose marked name is blanked out. A "pair" for each place, in alphabetical order; births express the
    relation, deaths do not; other sentences are left out. A `TaskError` if a label's sentence is not among the parses.
    """
    trees = read_trees(Path(parses_path))
    _refuse_others(labels, trees, parses_path)
    used = sorted((label for label in labels if label.label in LIVES[:2]), key=lambda label: label.pair)
    masked = {label.line: without_entities(trees[label.line], which=(1,)) for label in used}
    rows = [(label.line, "was born in", label.pair, label.label == LIVES[0]) for label in used]
    return grouped("google_re", masked, rows, FEWEST_FURTHER)


def without_entities(sentence: Sentence, which: Container[int] = (1, 2)) -> Sentence:
    """The sentence with its entities blanked out: the tokens stay in the tree, but no model has a word for them.

    >>> from cdsm_lib.text.corpus import sentence
    >>> tree = sentence("Google/2/nsubj/Entity=1 bought|VERB/0/root YouTube/2/dobj/Entity=2")
    >>> [token.form for token in without_entities(tree)]
    ['_', 'bought', '_']
    """
    blank = {"form": "_", "lemma": "_", "upos": "X"}
    named = zip(sentence, entity_tokens(sentence, which), strict=True)
    return replace(sentence, tokens=tuple(replace(token, **blank) if entity else token for token, entity in named))
