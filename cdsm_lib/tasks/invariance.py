"""Invariance: does a model see through a change of syntax, or is it merely blind to the order of words?

Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant Inference", ask that
a model of sentence meaning give the same proposition the same representation, however it is put. Their two tasks
cannot tell this invariance from indifference: a bag of words rates an active and a passive sentence as alike,
but also a sentence in which agent and patient have changed places. This probe separates the two. It is an
addition to the paper, made of minimal sets with four sentences each:

========== =================================================== ====================================
form       example                                             against the active sentence
========== =================================================== ====================================
active     *The nurse thanked the cook after the meal.*
passive    *The cook was thanked by the nurse after the meal.* the same proposition, other voice
nominal    *The nurse's thanks to the cook came after the      the same proposition, the verb a noun
           meal.*
swapped    *The cook thanked the nurse after the meal.*        the same words, another proposition
========== =================================================== ====================================

Conventions
-----------
Sentences are dependency trees (`cdsm_lib.text.corpus.Sentence`). A model is a function of two sentences; higher means
more similar, on whatever scale. Only the two shares are comparable across models, since means depend on the scale.

Reading the figures
-------------------
A model blind to order gives *swapped* as much as the active sentence gets with itself (1 for a cosine), and *passive*
nearly as much: exactly as much where *be* and *by* are stop words, which is a tie and an invariance of one half, and a
little less where they count, which is an invariance of 0. A model that only follows the order of content words is no
better off: in *passive* and *swapped* it is the same. An invariant model that knows who did what gives *passive* more
than *swapped*: an invariance near 1. For *nominal* order can help by chance, since a possessive agent (*the
nurse's thanks*) comes first, as in the active sentence.

Functions
---------
load    the quadruples of the teaching set, or of a folder of the same format
probe   similarities of the four kinds of pair, and what they show
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.text.corpus import Sentence, read_trees

FORMS = ("active", "passive", "nominal", "swapped")
KINDS = ("derived", "zero")  # rejection from reject; attack from attack
COMPARED = ("passive", "nominal", "swapped", "unrelated")
"""With which sentences the active one is compared."""

COLUMNS = ("id", "verb", "noun", "kind")
TOLERANCE = 1e-6  # adding five float32 vectors in another order changed a cosine by up to 2.4e-7 (300 dimensions)


@dataclass(frozen=True)
class Quadruple:
    """One proposition in three forms, and its words with the roles exchanged.

    Parameters
    ----------
    id : str
        Such as "q01".
    verb, noun : str
        Lemmas of the verb and of its nominalisation.
    kind : {"derived", "zero"}
        Whether the noun has a form of its own (*rejection*, *threat*) or that of the verb (*attack*).
    active, passive, nominal, swapped : Sentence
        The same proposition three times; `swapped` has the lemmas of `active`, agent and patient exchanged.
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
    """Similarities of each quadruple's active sentence with four others.

    Parameters
    ----------
    passive, nominal, swapped : float64 array [quadruples]
        Similarity of the active sentence with the quadruple's other three.
    unrelated : float64 array [quadruples]
        Similarity with the active sentence of the next quadruple (the first, for the last): the bottom of the scale.
    tolerance : float
        Similarities that differ by no more are tied.
    """

    passive: np.ndarray
    nominal: np.ndarray
    swapped: np.ndarray
    unrelated: np.ndarray
    tolerance: float = TOLERANCE

    def wins(self, form: str) -> np.ndarray:
        """For each quadruple whether a form (*passive*, *nominal*) is above *swapped*: 1, 0, or .5 for a tie."""
        similarities = getattr(self, form)
        tied = np.abs(similarities - self.swapped) <= self.tolerance
        return np.where(tied, 0.5, similarities > self.swapped)

    @property
    def invariance(self) -> float:
        """Share of quadruples in which *passive* is more similar than *swapped*, from 0 to 1; ties count one half.

        One half for a model that is blind to order and ignores *be* and *by*, 0 if it counts them; near 1 for a model
        that is invariant under voice and sees the roles.
        """
        return float(self.wins("passive").mean())

    @property
    def nominal_invariance(self) -> float:
        """The same for *nominal* against *swapped*. Harder: the verb's lemma is gone, and a light verb has come."""
        return float(self.wins("nominal").mean())

    @property
    def means(self) -> dict[str, float]:
        """Mean similarity of each kind of pair, on the model's own scale."""
        return {name: float(np.mean(getattr(self, name))) for name in COMPARED}


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _validate(quadruple: Quadruple, path: Path) -> Quadruple:
    """`TaskError` unless verb and noun stand where they should and *swapped* has the lemmas of *active*."""
    for form in FORMS:
        lemma, tag = (quadruple.noun, "NOUN") if form == "nominal" else (quadruple.verb, "VERB")
        if not any((token.lemma, token.upos) == (lemma, tag) for token in getattr(quadruple, form)):
            problem = f"{quadruple.id}.{form} lacks {lemma}|{tag}; correct quadruples.tsv or the sentence"
            raise TaskError(path.name, None, problem)
    active, swapped = ([token.lemma for token in getattr(quadruple, form)] for form in ("active", "swapped"))
    if sorted(active) != sorted(swapped) or active == swapped:
        problem = f"{quadruple.id}.swapped must have the lemmas of the active sentence, each as often, in another order"
        raise TaskError(path.name, None, f"{problem}; exchange agent and patient")
    return quadruple


def load(name="invariance") -> tuple[Quadruple, ...]:
    """The quadruples of a set.

    Parameters
    ----------
    name : str or path
        "invariance" (the teaching set), or a folder with ``quadruples.tsv`` (header ``id verb noun kind``, between
        tabs) and ``invariance.conllu`` (``# sent_id = q01.active`` and so on, in any order).

    Returns
    -------
    tuple of Quadruple
        In the order of ``quadruples.tsv``.

    Raises
    ------
    TaskError
        With the file, and the line or the id of the sentence: for a file that is missing, empty or not UTF-8, another
        header, a missing field, an id or a sentence that occurs twice, an unknown kind, a ``sent_id`` that does not
        fit, a missing sentence, a sentence without its verb or noun, or a swapped sentence with other lemmas than the
        active one.
    cdsm_lib.text.corpus.ConlluError
        For an unsound parse.
    cdsm_lib.datasets.DataError
        If there is no such sample.

    Examples
    --------
    >>> quadruples = load()
    >>> len(quadruples), quadruples[0].id
    (74, 'q01')
    """
    folder = datasets.sample_path(name)
    path = folder / "invariance.conllu"
    rows = read_table(folder / "quadruples.tsv", COLUMNS, {"kind": KINDS}, key="id")
    trees, quadruples = read_trees(path), []
    for line, row in rows:
        forms = {form: trees.pop(f"{row['id']}.{form}", None) for form in FORMS}
        missing = [form for form, sentence in forms.items() if sentence is None]
        if missing:
            problem = f"{path.name} has no {row['id']}.{missing[0]}; add the sentence or remove the quadruple"
            raise TaskError("quadruples.tsv", line, problem)
        quadruples.append(_validate(Quadruple(**row, **forms), path))
    if trees:
        problem = f"sent_id {next(iter(trees))!r} must be an id of quadruples.tsv, a dot, and one of {', '.join(FORMS)}"
        raise TaskError(path.name, None, problem)
    return tuple(quadruples)


# ---------------------------------------------------------------------------------------------------------------------
# The probe


def probe(
    similarity_of: Callable[[Sentence, Sentence], float], quadruples: Sequence[Quadruple], tolerance: float = TOLERANCE
) -> Probe:
    """Compare each active sentence with its passive, nominal and swapped forms and with an unrelated sentence.

    Parameters
    ----------
    similarity_of : callable
        The model: similarity of two sentences, finite, higher is more similar. The active sentence comes first.
    quadruples : sequence of Quadruple
        Two or more. The unrelated sentence is the active one of the next quadruple, and for the last of the first, so
        that every sentence serves once, and the choice needs no seed.
    tolerance : float
        Similarities that differ by no more count as tied. The default is for cosines: a bag of words should tie
        exactly, but sums taken in another order differ in their last digits.

    Returns
    -------
    Probe

    Raises
    ------
    TaskError
        For a similarity that is not finite.
    """
    quadruples = tuple(quadruples)
    following = (*quadruples[1:], quadruples[0])
    similarities = np.array([
        [similarity_of(one.active, other) for other in (one.passive, one.nominal, one.swapped, after.active)]
        for one, after in zip(quadruples, following, strict=True)
    ], dtype=np.float64)  # fmt: skip
    for i, j in np.argwhere(~np.isfinite(similarities))[:1]:
        what = f"the similarity of {quadruples[i].id}.active ({COMPARED[j]}) is {similarities[i, j]}"
        raise TaskError(None, None, f"{what}; a model must give a number")
    return Probe(*similarities.T, tolerance=tolerance)
