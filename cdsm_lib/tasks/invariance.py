"""Invariance: does a model see through a change of syntax, or is it merely blind to the order of words?

Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant Inference", ask that
a model of sentence meaning give the same proposition the same representation, however it is put. Their two tasks
cannot tell this invariance from indifference: a bag of words rates an active and a passive sentence as alike,
but also a sentence in which agent and patient have changed places. This probe, an addition to the paper, separates the
two. A model is a function of two parsed sentences; higher means more similar, on whatever scale.

========== =================================================== ====================================
form       example                                             against the active sentence
========== =================================================== ====================================
active     *The nurse thanked the cook after the meal.*
passive    *The cook was thanked by the nurse after the meal.* the same proposition, other voice
nominal    *The nurse's thanks to the cook came after the      the same proposition, the verb a noun
           meal.*
swapped    *The cook thanked the nurse after the meal.*        the same words, another proposition
========== =================================================== ====================================
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.task import column, expect_same
from cdsm_lib.text.corpus import Sentence, read_trees

FORMS = ("active", "passive", "nominal", "swapped")
KINDS = ("derived", "zero")  # rejection from reject; attack from attack
COMPARED = ("passive", "nominal", "swapped", "unrelated")
"""With which sentences the active one is compared."""

TOLERANCE = 1e-6
"""Similarities that differ by no more are tied: five float32 vectors added up in another order changed a cosine by up
to 2.4e-7 (300 dimensions)."""


@dataclass(frozen=True)
class Quadruple:
    """One proposition in three forms, and its words with the roles exchanged.

    `verb` and `noun` are the lemmas of the verb and of its nominalisation; `kind` says whether the noun has a form of
    its own (``derived``: *rejection*) or that of the verb (``zero``: *attack*).
    """

    id: str
    verb: str
    noun: str
    kind: str
    active: Sentence
    passive: Sentence
    nominal: Sentence
    swapped: Sentence


@dataclass(frozen=True, eq=False)
class Probe:
    """Similarities of each quadruple's active sentence with four others: float64 arrays [quadruples].

    `unrelated` is the active sentence of the next quadruple (the first, for the last): the bottom of the scale.
    """

    passive: np.ndarray
    nominal: np.ndarray
    swapped: np.ndarray
    unrelated: np.ndarray

    def wins(self, form: str) -> np.ndarray:
        """For each quadruple whether a form (*passive*, *nominal*) is above *swapped*: 1, 0, or .5 for a tie."""
        similarities = getattr(self, form)
        return np.where(np.abs(similarities - self.swapped) <= TOLERANCE, 0.5, similarities > self.swapped)

    @property
    def invariance(self) -> float:
        """Share of quadruples in which *passive* is more similar than *swapped*, from 0 to 1; ties count one half.

        One half for a model that is blind to order and ignores *be* and *by*, 0 if it counts them; near 1 for a model
        that is invariant under voice and sees the roles.
        """
        return float(self.wins("passive").mean())

    @property
    def means(self) -> dict[str, float]:
        """Mean similarity of each kind of pair, on the model's own scale: not comparable across models."""
        return {name: float(np.mean(getattr(self, name))) for name in COMPARED}


def _validate(quadruple: Quadruple, path: Path) -> None:
    """`TaskError` unless verb and noun stand where they should and *swapped* has the lemmas of *active*."""
    for form in FORMS:
        lemma, tag = (quadruple.noun, "NOUN") if form == "nominal" else (quadruple.verb, "VERB")
        if not any((token.lemma, token.upos) == (lemma, tag) for token in getattr(quadruple, form)):
            problem = f"{quadruple.id}.{form} lacks {lemma}|{tag}; correct quadruples.tsv or the sentence"
            raise TaskError(path.name, None, problem)
    active, swapped = (column(tree, "lemma").tolist() for tree in (quadruple.active, quadruple.swapped))
    if sorted(active) != sorted(swapped) or active == swapped:
        problem = f"{quadruple.id}.swapped must have the lemmas of the active sentence, each as often, in another order"
        raise TaskError(path.name, None, f"{problem}; exchange agent and patient")


def load(name="invariance") -> tuple[Quadruple, ...]:
    """The teaching set "invariance", or a folder of its format, in the order of ``quadruples.tsv``.

    That is a table with the header ``id verb noun kind``; ``invariance.conllu`` has the sentences, ``# sent_id =
    q01.active`` and so on, in any order. A `TaskError` for a table that is not so, a missing or a further sentence, one
    without its verb or noun, or a swapped sentence with other lemmas than the active one.

    >>> quadruples = load()
    >>> len(quadruples), quadruples[0].id
    (74, 'q01')
    """
    folder = datasets.sample_path(name)
    path, table = folder / "invariance.conllu", folder / "quadruples.tsv"
    rows = read_table(table, ("id", "verb", "noun", "kind"), {"kind": KINDS}, key="id")
    trees, quadruples = read_trees(path), []
    expect_same(path, trees, table, {f"{row['id']}.{form}": line for line, row in rows for form in FORMS})
    for _, row in rows:
        quadruples.append(Quadruple(**row, **{form: trees[f"{row['id']}.{form}"] for form in FORMS}))
        _validate(quadruples[-1], path)
    return tuple(quadruples)


def probe(similarity: Callable[[Sentence, Sentence], float], quadruples: Sequence[Quadruple]) -> Probe:
    """Compare each active sentence, which comes first, with its other forms and with the next active sentence.

    A similarity that is not finite is a `TaskError`.
    """
    rows = []
    for this, following in zip(quadruples, (*quadruples[1:], quadruples[0]), strict=True):
        others = (this.passive, this.nominal, this.swapped, following.active)
        rows.append([similarity(this.active, other) for other in others])
        if not np.isfinite(rows[-1]).all():
            values = dict(zip(COMPARED, rows[-1], strict=True))
            raise TaskError(None, None, f"the similarities of {this.id}.active are {values}; a model must give numbers")
    return Probe(*np.array(rows, dtype=np.float64).T)
