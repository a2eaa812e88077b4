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

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.corpus import ConlluError, Sentence, read_conllu

FORMS = ("active", "passive", "nominal", "swapped")
KINDS = ("derived", "zero")  # rejection from reject; attack from attack
COLUMNS = ("id", "verb", "noun", "kind")
TOLERANCE = 1e-6  # adding five float32 vectors in another order changed a cosine by up to 2.4e-7 (300 dimensions)


class InvarianceError(TaskError):
    """A file, a quadruple or a similarity that does not fit the probe; see `TaskError`."""


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
        return {name: float(np.mean(getattr(self, name))) for name in ("passive", "nominal", "swapped", "unrelated")}


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _rows(path: Path) -> dict[str, tuple[int, dict[str, str]]]:
    """Line number and fields of each quadruple, by id."""
    try:
        header, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    except OSError as error:
        raise InvarianceError(path.name, None, f"cannot be read ({error.strerror}); fetch the set again") from None
    except UnicodeDecodeError as error:
        raise InvarianceError(path.name, None, f"not UTF-8 ({error.reason}); convert the file to UTF-8") from None
    if tuple(header.split("\t")) != COLUMNS:
        raise InvarianceError(path.name, 1, f"the header must be {' '.join(COLUMNS)}, between tabs; found {header!r}")
    rows = {}
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != len(COLUMNS) or not all(fields):
            raise InvarianceError(path.name, number, f"expected {len(COLUMNS)} fields between tabs, found {line!r}")
        row = dict(zip(COLUMNS, fields, strict=True))
        if row["id"] in rows:
            raise InvarianceError(path.name, number, f"{row['id']} stands already in line {rows[row['id']][0]}")
        if row["kind"] not in KINDS:
            raise InvarianceError(path.name, number, f"the kind must be {' or '.join(KINDS)}, found {row['kind']!r}")
        rows[row["id"]] = (number, row)
    if not rows:
        raise InvarianceError(path.name, None, "no quadruples in the file; fetch the set again")
    return rows


def _starts(lines: Sequence[str]) -> list[int]:
    """Numbers of the lines on which the sentences of a sound CoNLL-U file begin, comments included."""
    starts, start = [], None
    for number, line in enumerate(lines, start=1):
        if start is None and line.strip():
            start = number
        if start is not None and line.partition("\t")[0] == "1":
            starts.append(start)
        if not line.strip() and starts and start == starts[-1]:
            start = None
    return starts


def _sentences(path: Path, ids) -> tuple[dict[tuple[str, str], Sentence], dict[tuple[str, str], int]]:
    """The parsed sentences by id and form, and the lines on which they begin."""
    sentences, line_of = {}, {}
    try:
        parsed = list(read_conllu(path))
    except OSError as error:
        raise InvarianceError(path.name, None, f"cannot be read ({error.strerror}); fetch the set again") from None
    except ConlluError as error:
        raise InvarianceError(path.name, error.line, error.problem) from None
    starts = _starts(path.read_text(encoding="utf-8").split("\n"))
    for start, sentence in zip(starts, parsed, strict=True):
        name = sentence.comments.get("sent_id", "")
        own, _, form = name.rpartition(".")
        if own not in ids or form not in FORMS:
            problem = f"sent_id {name!r} must be an id of quadruples.tsv, a dot, and one of {', '.join(FORMS)}"
            raise InvarianceError(path.name, start, problem)
        if (own, form) in sentences:
            raise InvarianceError(path.name, start, f"{name} stands already in line {line_of[own, form]}")
        sentences[own, form], line_of[own, form] = sentence, start
    return sentences, line_of


def _check(quadruple: Quadruple, path: Path, line_of) -> None:
    """`InvarianceError` unless verb and noun stand where they should and *swapped* has the lemmas of *active*."""
    for form in FORMS:
        lemma, tag = (quadruple.noun, "NOUN") if form == "nominal" else (quadruple.verb, "VERB")
        if not any((token.lemma, token.upos) == (lemma, tag) for token in getattr(quadruple, form)):
            problem = f"{quadruple.id}.{form} lacks {lemma}|{tag}; correct quadruples.tsv or the sentence"
            raise InvarianceError(path.name, line_of[quadruple.id, form], problem)
    lemmas = {form: [token.lemma for token in getattr(quadruple, form)] for form in ("active", "swapped")}
    line, name = line_of[quadruple.id, "swapped"], f"{quadruple.id}.swapped"
    if Counter(lemmas["active"]) != Counter(lemmas["swapped"]):
        raise InvarianceError(path.name, line, f"{name} must have the lemmas of the active sentence, each as often")
    if lemmas["active"] == lemmas["swapped"]:
        raise InvarianceError(path.name, line, f"{name} is the active sentence; exchange agent and patient")


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
    InvarianceError
        With file and line: for a file that is missing, empty or not UTF-8, another header, a missing field, an id or
        a sentence that occurs twice, an unknown kind, an unsound parse, a ``sent_id`` that does not fit, a missing
        sentence, a sentence without its verb or noun, or a swapped sentence with other lemmas than the active one.
    cdsm_lib.datasets.DataError
        If there is no such sample.
    """
    folder = Path(name) if isinstance(name, Path) or os.sep in str(name) else datasets.sample_path(name)
    rows = _rows(folder / "quadruples.tsv")
    path = folder / "invariance.conllu"
    sentences, line_of = _sentences(path, rows)
    quadruples = []
    for own, (number, row) in rows.items():
        missing = [form for form in FORMS if (own, form) not in sentences]
        if missing:
            problem = f"{path.name} has no {own}.{missing[0]}; add the sentence or remove the quadruple"
            raise InvarianceError("quadruples.tsv", number, problem)
        quadruple = Quadruple(**row, **{form: sentences[own, form] for form in FORMS})
        _check(quadruple, path, line_of)
        quadruples.append(quadruple)
    return tuple(quadruples)


# ---------------------------------------------------------------------------------------------------------------------
# The probe


def probe(
    similarity_of: Callable[[Sentence, Sentence], float],
    quadruples: Sequence[Quadruple],
    tolerance: float = TOLERANCE,
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
    InvarianceError
        For fewer than two quadruples, a negative tolerance, or a similarity that is not finite.
    """
    quadruples = tuple(quadruples)
    if len(quadruples) < 2:
        raise InvarianceError(None, None, f"two quadruples or more are needed, found {len(quadruples)}")
    if not tolerance >= 0:
        raise InvarianceError(None, None, f"the tolerance must be 0 or more, found {tolerance}")
    found = {name: np.empty(len(quadruples)) for name in ("passive", "nominal", "swapped", "unrelated")}
    for i, (quadruple, following) in enumerate(zip(quadruples, quadruples[1:] + quadruples[:1], strict=True)):
        others = (quadruple.passive, quadruple.nominal, quadruple.swapped, following.active)
        for name, other in zip(found, others, strict=True):
            found[name][i] = value = similarity_of(quadruple.active, other)
            if not np.isfinite(value):
                problem = f"the similarity of {quadruple.id}.active ({name}) is {value}; a model must give a number"
                raise InvarianceError(None, None, problem)
    return Probe(**found, tolerance=tolerance)
