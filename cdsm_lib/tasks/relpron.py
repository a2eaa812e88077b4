"""RELPRON: rank descriptive properties, each a relative clause, for the term that they describe.

The task of Rimell, Maillard, Polajnar and Clark (2016), "RELPRON: A Relative Clause Evaluation Data Set for
Compositional Distributional Semantics". The term *cannon* is described by properties such as *weapon that
replaces trebuchet*. A system composes a vector for every property and ranks all of them for every term by cosine; the
properties annotated for the term are the relevant ones.

Conventions
-----------
A *subject property* (``SBJ``) is a subject relative clause, `head that verb argument`: the argument is the verb's
object. An *object property* (``OBJ``) is `head that argument verb`: the argument is its subject. Lemmas are lower
case and carry no tag; the row of a word in a Space is ``lemma|NOUN`` or ``lemma|VERB`` (:func:`label`). Similarities
are arrays [terms, properties] in the order of ``RelPron.terms`` and ``RelPron.items``; higher is better. ``NaN``
means *no vector*: a whole row for a term, a whole column for a property. It is never read as zero: a term without a
vector is an error unless the caller leaves it out by name, and a property without a vector is ranked last, tied with
its like, and counted in the coverage that stands beside every figure.

Construction (section 3 of the paper)
-------------------------------------
noun_counts, candidate_head_nouns, wordnet_hyponyms, select_head_nouns, frequent_terms, unambiguous_terms, term_triples,
frequent_verbs, common_noun_arguments, annotate, select_terms, split_by_head_noun: one small function a step.
:func:`build` runs them in order and keeps a funnel of what each step leaves.

Metrics and views
-----------------
score                 MAP over terms (Tables 5 and 6)
by_function           MAP when only subject, or only object, properties are ranked (Table 7)
by_head_noun          MAP of the terms of each head noun, full ranking (Table 8) or its own properties only (Table 10)
top_ten_share         share of the ten best properties that have the right head noun (Table 9)
property_queries      mean reciprocal rank and mean rank of the term, with properties as queries (Table 11)
lexical_confounders   ranks of properties that contain the term's lemma but belong to another term (section 7.4)
plausible_positives   wrong properties ranked above every right one: perhaps only unannotated (section 7.4)
random_map            expected MAP of a random ranking
"""

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.wordnet import reader

FUNCTIONS = ("SBJ", "OBJ")
VECTOR_OF = {"slipping": "slip"}  # the paper's one item whose lemma the corpus spells otherwise
PAPER_COUNTS = {  # split: properties, terms, head nouns (section 3.6)
    "dev": (518, 65, 7),
    "test": (569, 73, 8),
}
PAPER_FUNCTIONS = {"SBJ": 565, "OBJ": 522}  # both splits together


class RelpronError(TaskError):
    """A file, an item or a similarity that does not fit RELPRON; see `TaskError`."""


@dataclass(frozen=True)
class Property:
    """One property of a term, in plain lemmas.

    Parameters
    ----------
    term, head : str
        The term described and the head noun of the relative clause (its hypernym).
    function : {"SBJ", "OBJ"}
        Which argument of the verb was extracted.
    verb, argument : str
        The verb and the argument that stays in the clause.

    Examples
    --------
    >>> print(Property("kitten", "animal", "SBJ", "chase", "yarn"))
    kitten: animal that chase yarn
    >>> print(Property("kitten", "animal", "OBJ", "adopt", "family"))
    kitten: animal that family adopt
    """

    term: str
    head: str
    function: str
    verb: str
    argument: str

    @property
    def phrase(self) -> str:
        """The relative clause alone: ``head that verb argument`` or ``head that argument verb``."""
        clause = (self.verb, self.argument) if self.function == "SBJ" else (self.argument, self.verb)
        return f"{self.head} that {' '.join(clause)}"

    @property
    def line(self) -> str:
        """The property in the file's format, without a line end."""
        verb, argument = f"{self.verb}_V", f"{self.argument}_N"
        clause = (verb, argument) if self.function == "SBJ" else (argument, verb)
        return f"{self.function} {self.term}_N: {self.head}_N that {' '.join(clause)}"

    def __str__(self) -> str:
        return f"{self.term}: {self.phrase}"


@dataclass(frozen=True)
class RelPron:
    """A set of properties, ranked together.

    Parameters
    ----------
    items : tuple of Property
        In file order.
    split : str
        "dev" or "test".
    name : str
        Name of the data set.

    Attributes
    ----------
    terms : tuple of str
        Every term once, in order of appearance.
    head_nouns : tuple of str
        Likewise.
    term_of : int64 array [properties]
        Index of each property's term.
    head_of : tuple of str
        Head noun of each term.
    relevant : bool array [terms, properties]
        Whether the property belongs to the term.
    same_head : bool array [terms, properties]
        Whether the property has the term's head noun.
    functions : str array [properties]
        "SBJ" or "OBJ".
    """

    items: tuple[Property, ...]
    split: str = "dev"
    name: str = "relpron"

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms, each once, in the order of first appearance."""
        return tuple(dict.fromkeys(item.term for item in self.items))

    @cached_property
    def head_nouns(self) -> tuple[str, ...]:
        """The head nouns, each once, in the order of first appearance."""
        return tuple(dict.fromkeys(item.head for item in self.items))

    @cached_property
    def term_of(self) -> np.ndarray:
        """The place of each property's term in `terms`, int64 [properties]."""
        place = {term: i for i, term in enumerate(self.terms)}
        return np.array([place[item.term] for item in self.items], dtype=np.int64)

    @cached_property
    def head_of(self) -> tuple[str, ...]:
        """The head noun of each term, in the order of `terms`."""
        head = {item.term: item.head for item in self.items}
        return tuple(head[term] for term in self.terms)

    @cached_property
    def relevant(self) -> np.ndarray:
        """Whether a property was annotated for a term, bool [terms, properties]."""
        return np.arange(len(self.terms))[:, None] == self.term_of

    @cached_property
    def same_head(self) -> np.ndarray:
        """Whether a property has the head noun of a term, bool [terms, properties]."""
        return np.array(self.head_of)[:, None] == np.array([item.head for item in self.items])

    @cached_property
    def functions(self) -> np.ndarray:
        """``SBJ`` or ``OBJ`` for each property, text [properties]."""
        return np.array([item.function for item in self.items])


# ---------------------------------------------------------------------------------------------------------------------
# Reading and writing


def _word(path, line: int, text: str, tag: str, what: str) -> str:
    """Lemma of ``lemma_TAG``; `RelpronError` if the tag or the lemma is not as it must be."""
    lemma, _, found = text.rpartition("_")
    if not lemma or found != tag or lemma != lemma.lower():
        raise RelpronError(path, line, f"{what} must be a lower-case 'lemma_{tag}', found {text!r}")
    return lemma


def parse_line(text: str, path=None, line: int | None = None) -> Property:
    """One line of a RELPRON file.

    Parameters
    ----------
    text : str
        Such as ``SBJ kitten_N: animal_N that chase_V yarn_N`` or ``OBJ kitten_N: animal_N that family_N adopt_V``.
    path, line : optional
        For the message of the error.

    Returns
    -------
    Property

    Raises
    ------
    RelpronError
        For a missing field, an unknown function, a wrong tag, or verb and argument in the wrong order.
    """
    fields = text.split()
    if len(fields) != 6:
        raise RelpronError(
            path, line, f"expected 6 fields, 'SBJ|OBJ term_N: head_N that word word', found {len(fields)} in {text!r}"
        )
    function, term, head, that, first, second = fields
    if function not in FUNCTIONS:
        raise RelpronError(path, line, f"the function must be SBJ or OBJ, found {function!r}")
    if that != "that" or not term.endswith(":"):
        raise RelpronError(path, line, f"expected 'term_N: head_N that ...', found {text!r}")
    order = "SBJ has verb_V argument_N" if function == "SBJ" else "OBJ has argument_N verb_V"
    verb, argument = (first, second) if function == "SBJ" else (second, first)
    return Property(
        term=_word(path, line, term[:-1], "N", "the term"),
        head=_word(path, line, head, "N", "the head noun"),
        function=function,
        verb=_word(path, line, verb, "V", f"the verb ({order})"),
        argument=_word(path, line, argument, "N", f"the argument ({order})"),
    )


def read(path, split: str | None = None, name: str | None = None) -> RelPron:
    """Read a file in RELPRON's format, strictly.

    Parameters
    ----------
    path : path
        UTF-8, one property a line.
    split : str, optional
        By default the suffix of the file: "dev" or "test".
    name : str, optional
        By default the stem of the file.

    Returns
    -------
    RelPron

    Raises
    ------
    RelpronError
        With file and line: for a line that does not parse, a property given twice, a term under two head nouns, an
        empty file, or bytes that are not UTF-8.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise RelpronError(
            path.name, None, f"not UTF-8 ({error.reason} at byte {error.start}); fetch it again"
        ) from None
    items: dict[Property, int] = {}
    head_of: dict[str, str] = {}
    for number, text in enumerate(lines, start=1):
        item = parse_line(text, path.name, number)
        if item in items:
            raise RelpronError(path.name, number, f"'{item}' stands already in line {items[item]}; remove one of them")
        if head_of.setdefault(item.term, item.head) != item.head:
            raise RelpronError(
                path.name, number, f"term {item.term!r} has head noun {item.head!r} here, {head_of[item.term]!r} above"
            )
        items[item] = number
    if not items:
        raise RelpronError(path.name, None, "no properties in the file; fetch it again")
    return RelPron(tuple(items), split or path.suffix.removeprefix("."), name or path.stem)


def load(name="relpron", split: str = "dev") -> RelPron:
    """The data set `name`, or the file at a path.

    Parameters
    ----------
    name : str or path
        "relpron" (the authors' data, from the registry), "relpron_mini" (the teaching set), or a path to a file.
    split : {"dev", "test"}

    Returns
    -------
    RelPron
        The authors' data validated against the counts of the paper.

    Raises
    ------
    RelpronError
        As in :func:`read` and :func:`validate`; for an unknown split.
    cdsm_lib.datasets.DataError
        For an unknown name, or if the data cannot be had.
    """
    if isinstance(name, Path) or os.sep in str(name):
        return read(name, split)
    if split not in PAPER_COUNTS:
        raise RelpronError(None, None, f"unknown split {split!r}; there are 'dev' and 'test'")
    if name == "relpron":
        task = read(datasets.fetch("relpron", f"relpron.{split}"), split, name)
        validate(task)
        return task
    return read(datasets.sample_path(name) / f"{name}.{split}", split, name)


def write(task: RelPron, path) -> None:
    """Write the properties in RELPRON's format; the file appears whole or not at all.

    Parameters
    ----------
    task : RelPron
    path : path
    """
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{item.line}\n" for item in task.items)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def counts(task: RelPron) -> dict[str, int]:
    """Numbers of properties, terms, head nouns, subject and object properties."""
    found = Counter(item.function for item in task.items)
    return {
        "properties": len(task.items),
        "terms": len(task.terms),
        "head nouns": len(task.head_nouns),
        "SBJ": found["SBJ"],
        "OBJ": found["OBJ"],
    }


def validate(*tasks: RelPron) -> None:
    """Check the authors' data against the counts of the paper (section 3.6).

    Parameters
    ----------
    *tasks : RelPron
        One split or both; with both, the totals (1,087 properties, 138 terms, 15 head nouns, 565 subject and 522
        object properties) and the separation of the splits by head noun are checked too.

    Raises
    ------
    RelpronError
        If a count differs or a head noun occurs in both splits.
    """
    for task in tasks:
        found = tuple(counts(task)[what] for what in ("properties", "terms", "head nouns"))
        expected = PAPER_COUNTS.get(task.split)
        if found != expected:
            raise RelpronError(
                f"{task.name}.{task.split}",
                None,
                f"(properties, terms, head nouns) are {found}, the paper has {expected}; fetch the data again",
            )
    if len(tasks) < 2:
        return
    for function, expected in PAPER_FUNCTIONS.items():
        found = sum(counts(task)[function] for task in tasks)
        if found != expected:
            raise RelpronError(None, None, f"{found} {function} properties, the paper has {expected}")
    shared = set(tasks[0].head_nouns) & set(tasks[1].head_nouns)
    if shared:
        raise RelpronError(None, None, f"head nouns {sorted(shared)} occur in both splits, which must not share any")


# ---------------------------------------------------------------------------------------------------------------------
# Words and their vectors


def label(lemma: str, pos: str) -> str:
    """Row label of a word of the task; *slipping* takes the vector of *slip*.

    Examples
    --------
    >>> label("chase", "VERB"), label("slipping", "NOUN")
    ('chase|VERB', 'slip|NOUN')
    """
    return f"{VECTOR_OF.get(lemma, lemma)}|{pos}"


def labels(task: RelPron) -> dict[str, list[str]]:
    """Row labels by role: "term" [terms]; "head", "verb" and "argument" [properties]."""
    return {
        "term": [label(term, "NOUN") for term in task.terms],
        "head": [label(item.head, "NOUN") for item in task.items],
        "verb": [label(item.verb, "VERB") for item in task.items],
        "argument": [label(item.argument, "NOUN") for item in task.items],
    }


def vocabulary(*tasks: RelPron) -> list[str]:
    """Every row label that the tasks need, once, sorted.

    These words get vectors however rare they are: no frequency threshold applies to them.
    """
    return sorted({word for task in tasks for role in labels(task).values() for word in role})


@dataclass(frozen=True)
class Coverage:
    """What of a task has vectors.

    Parameters
    ----------
    terms, properties : int
        How many there are.
    missing_terms : tuple of str
        Terms without a vector.
    missing_words : tuple of str
        Words of properties without a vector; the property keeps its other words.
    partial_properties, empty_properties : int
        Properties that lack some, or all, of their words.
    unranked_properties : int
        Properties whose composed vector is zero or missing: ranked last, tied.
    """

    terms: int
    properties: int
    missing_terms: tuple[str, ...] = ()
    missing_words: tuple[str, ...] = ()
    partial_properties: int = 0
    empty_properties: int = 0
    unranked_properties: int = 0

    @property
    def complete(self) -> bool:
        """Whether every term and every word of every property has a vector."""
        return not (self.missing_terms or self.missing_words or self.unranked_properties)

    def __str__(self) -> str:
        whole = self.properties - self.partial_properties - self.empty_properties
        text = f"{self.terms - len(self.missing_terms)}/{self.terms} terms, {whole}/{self.properties} properties whole"
        if self.empty_properties:
            text += f", {self.empty_properties} without any word"
        if self.unranked_properties:
            text += f", {self.unranked_properties} ranked last for want of a composed vector"
        missing = list(dict.fromkeys(self.missing_terms + self.missing_words))
        return text + (f"; no vector: {', '.join(missing)}" if missing else "")


@dataclass(frozen=True)
class Vectors:
    """The vectors of a task, by role.

    Parameters
    ----------
    term : float array [terms, d]
    head, verb, argument : float array [properties, d]
        Zero rows stand where there is no vector.
    known : dict of str to bool array
        For each role, which rows are vectors and which stand for a missing word. A composer must look here before
        it multiplies: under addition a zero row leaves the property its known words, under multiplication it would
        wipe them out.
    coverage : Coverage
    """

    term: np.ndarray
    head: np.ndarray
    verb: np.ndarray
    argument: np.ndarray
    known: dict[str, np.ndarray] = field(repr=False)
    coverage: Coverage = field(repr=False)


def coverage(task: RelPron, rows) -> Coverage:
    """Which terms and words of the task have a row.

    Parameters
    ----------
    task : RelPron
    rows : container of str
        The row labels of a space.

    Returns
    -------
    Coverage
    """
    roles = labels(task)
    known = np.array([[word in rows for word in roles[role]] for role in ("head", "verb", "argument")])
    words = {word for role in ("head", "verb", "argument") for word in roles[role]}
    return Coverage(
        terms=len(task.terms),
        properties=len(task.items),
        missing_terms=tuple(word for word in roles["term"] if word not in rows),
        missing_words=tuple(sorted(word for word in words if word not in rows)),
        partial_properties=int(np.sum(known.any(axis=0) & ~known.all(axis=0))),
        empty_properties=int(np.sum(~known.any(axis=0))),
    )


def look_up(task: RelPron, space) -> Vectors:
    """The vectors of the task's words in a space.

    Parameters
    ----------
    task : RelPron
    space : Space
        Anything with ``rows`` (labels with ``in`` and ``encode``) and dense or sparse ``vectors`` [n, d].

    Returns
    -------
    Vectors
        Of the space's own dtype, dense.
    """
    found, known = {}, {}
    for role, words in labels(task).items():
        place = space.rows.encode(words)
        known[role] = place >= 0
        taken = space.vectors[np.maximum(place, 0)]
        taken = taken.toarray() if hasattr(taken, "toarray") else np.array(taken)
        taken[~known[role]] = 0
        found[role] = taken
    return Vectors(**found, known=known, coverage=coverage(task, space.rows))


def cosines(terms, properties) -> np.ndarray:
    """Cosine of every term with every property; ``NaN`` where either is a zero vector.

    They are rounded to nine decimals. Two properties that share the words which a method looks at have one vector, but
    a matrix product need not give equal vectors equal cosines (they differed by 1e-11), and a tie would then fall to
    the processor's rounding.

    Parameters
    ----------
    terms : float array [terms, d]
    properties : float array [properties, d]

    Returns
    -------
    float64 array [terms, properties]

    Raises
    ------
    ValueError
        If an input holds NaN or infinity.

    Examples
    --------
    >>> cosines([[1.0, 0.0]], [[2.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    array([[1. , 0.6, nan]])
    """
    unit = []
    for name, vectors in (("terms", terms), ("properties", properties)):
        vectors = np.asarray(vectors, dtype=np.float64)
        if not np.isfinite(vectors).all():
            raise ValueError(f"the vectors of the {name} hold NaN or infinity")
        norm = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit.append(np.divide(vectors, norm, out=np.full_like(vectors, np.nan), where=norm > 0))
    return np.round(unit[0] @ unit[1].T, 9)


# ---------------------------------------------------------------------------------------------------------------------
# Scores


@dataclass(frozen=True)
class Scores:
    """Average precision of each term that was ranked for.

    Parameters
    ----------
    map : float
        Mean of `ap`.
    ap : float64 array [terms ranked for]
    terms : tuple of str
        The terms that `ap` belongs to.
    omitted : tuple of str
        Terms left out: without a vector, or without a relevant property in this view. If none is left, `map` is NaN.
    coverage : Coverage
    """

    map: float
    ap: np.ndarray
    terms: tuple[str, ...]
    omitted: tuple[str, ...]
    coverage: Coverage

    def of(self, term: str) -> float:
        """Average precision of one term."""
        return float(self.ap[self.terms.index(term)])


def paired(a: Scores, b: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Average precisions of the terms that both scores rank for, in the same order: input of a paired test.

    Parameters
    ----------
    a, b : Scores
        Of two systems, or of two views of one.

    Returns
    -------
    (float64 array, float64 array)

    Raises
    ------
    RelpronError
        If they share no term.
    """
    shared = [term for term in a.terms if term in set(b.terms)]
    if not shared:
        raise RelpronError(None, None, "the two scores share no term; there is nothing to compare")
    return np.array([a.of(term) for term in shared]), np.array([b.of(term) for term in shared])


def _prepare(similarity, task: RelPron, missing_terms: str, known: Coverage | None):
    """Similarity as float64, properties without a vector at minus infinity; the terms kept; the coverage."""
    similarity = np.array(similarity, dtype=np.float64)
    expected = (len(task.terms), len(task.items))
    if similarity.shape != expected:
        raise RelpronError(None, None, f"similarity must be [terms, properties] = {expected}, got {similarity.shape}")
    if missing_terms not in ("error", "omit"):
        raise RelpronError(None, None, f"missing_terms is 'error' or 'omit', got {missing_terms!r}")
    nan = np.isnan(similarity)
    no_term, no_property = nan.all(axis=1), nan.all(axis=0)
    if no_term.all():
        raise RelpronError(None, None, "no term has a vector, or no property has; there is nothing to rank")
    no_property |= nan[~no_term].all(axis=0)
    if (nan & ~no_term[:, None] & ~no_property).any():
        row, column = np.argwhere(nan & ~no_term[:, None] & ~no_property)[0]
        raise RelpronError(
            None, None, f"similarity of {task.terms[row]!r} and '{task.items[column]}' is NaN, though both have vectors"
        )
    lost = tuple(task.terms[i] for i in np.flatnonzero(no_term))
    if lost and missing_terms == "error":
        raise RelpronError(
            None,
            None,
            f"no vector for the terms {', '.join(lost)}: add them to the vocabulary, or say missing_terms='omit'",
        )
    known = known or Coverage(len(task.terms), len(task.items), lost)
    known = replace(known, unranked_properties=int(no_property.sum()))
    similarity[nan] = -np.inf
    return similarity, ~no_term, known


def _score(similarity, kept, columns, task, known) -> Scores:
    """Scores of the terms `kept` that have a relevant property among `columns`, bool [1 or terms, properties]."""
    relevant = task.relevant & columns
    chosen = kept & relevant.any(axis=1)
    omitted = tuple(term for term, keep in zip(task.terms, chosen, strict=True) if not keep)
    terms = tuple(term for term, keep in zip(task.terms, chosen, strict=True) if keep)
    if not terms:
        return Scores(float("nan"), np.empty(0), (), omitted, known)
    if len(columns) == 1:
        mean, ap = metrics.mean_average_precision(similarity[chosen][:, columns[0]], relevant[chosen][:, columns[0]])
        return Scores(mean, ap, terms, omitted, known)
    ap = np.array(
        [
            metrics.average_precision_from_scores(similarity[i, columns[i]], relevant[i, columns[i]])
            for i in np.flatnonzero(chosen)
        ]
    )
    return Scores(float(ap.mean()), ap, terms, omitted, known)


def score(similarity, task: RelPron, *, missing_terms: str = "error", coverage: Coverage | None = None) -> Scores:
    """Mean average precision over terms, each term ranking all properties (Tables 5 and 6).

    Parameters
    ----------
    similarity : float array [terms, properties]
        Higher is better; NaN for a whole row or column means no vector.
    task : RelPron
    missing_terms : {"error", "omit"}
        What to do about terms without a vector. Omitted terms are listed in the result.
    coverage : Coverage, optional
        Of the words, from :func:`coverage` or :func:`look_up`; by default what the NaN of `similarity` tell.

    Returns
    -------
    Scores

    Raises
    ------
    RelpronError
        For a wrong shape, a term without a vector, or a stray NaN.
    """
    similarity, kept, known = _prepare(similarity, task, missing_terms, coverage)
    return _score(similarity, kept, np.ones((1, len(task.items)), dtype=bool), task, known)


def by_function(
    similarity, task: RelPron, *, missing_terms: str = "error", coverage: Coverage | None = None
) -> dict[str, Scores]:
    """MAP with only the subject, or only the object, properties ranked (Table 7).

    A term without a property of the function is left out of that function's mean, not scored zero.

    Parameters
    ----------
    similarity, task, missing_terms, coverage
        As in :func:`score`.

    Returns
    -------
    dict of str to Scores
        For "SBJ" and "OBJ".
    """
    similarity, kept, known = _prepare(similarity, task, missing_terms, coverage)
    return {
        function: _score(similarity, kept, (task.functions == function)[None], task, known) for function in FUNCTIONS
    }


def by_head_noun(
    similarity,
    task: RelPron,
    *,
    restricted: bool = False,
    missing_terms: str = "error",
    coverage: Coverage | None = None,
) -> dict[str, Scores]:
    """MAP over the terms of each head noun (Tables 8 and 10).

    Parameters
    ----------
    similarity, task, missing_terms, coverage
        As in :func:`score`.
    restricted : bool
        False: each AP is over the ranking of all properties (Table 8). True: only the properties of the right head
        noun are ranked (Table 10).

    Returns
    -------
    dict of str to Scores
        For each head noun, in order of appearance.
    """
    similarity, kept, known = _prepare(similarity, task, missing_terms, coverage)
    heads = np.array(task.head_of)
    views = {}
    for head in task.head_nouns:
        columns = task.same_head[heads == head][:1] if restricted else np.ones((1, len(task.items)), dtype=bool)
        found = _score(similarity, kept & (heads == head), columns, task, known)
        own = {term for term, its_head in zip(task.terms, task.head_of, strict=True) if its_head == head}
        views[head] = Scores(found.map, found.ap, found.terms, tuple(t for t in found.omitted if t in own), known)
    return views


@dataclass(frozen=True)
class Shares:
    """Share of the first k properties that have the right head noun.

    Parameters
    ----------
    mean : float
        Over terms.
    share : float64 array [terms]
    terms : tuple of str
    by_head_noun : dict of str to float
        Mean over the terms of each head noun.
    """

    mean: float
    share: np.ndarray
    terms: tuple[str, ...]
    by_head_noun: dict[str, float]


def top_ten_share(similarity, task: RelPron, k: int = 10, *, missing_terms: str = "error") -> Shares:
    """Share of each term's `k` best properties that have its head noun, whether or not they are its own (Table 9).

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.
    k : int

    Returns
    -------
    Shares
    """
    similarity, kept, _ = _prepare(similarity, task, missing_terms, None)
    share = metrics.share_in_top(similarity[kept], task.same_head[kept], k)
    heads = np.array(task.head_of)[kept]
    means = {head: float(share[heads == head].mean()) for head in task.head_nouns if (heads == head).any()}
    return Shares(float(share.mean()), share, tuple(np.array(task.terms)[kept].tolist()), means)


@dataclass(frozen=True)
class Queries:
    """Properties as queries: where the right term stands among all terms.

    Parameters
    ----------
    mrr, mean_rank : float
        Over properties.
    reciprocal_rank, rank : float64 arrays [properties that have a vector and whose term has one]
    by_head_noun : dict of str to (mrr, mean rank)
    omitted : int
        Properties left out because they or their term have no vector.
    """

    mrr: float
    mean_rank: float
    reciprocal_rank: np.ndarray
    rank: np.ndarray
    by_head_noun: dict[str, tuple[float, float]]
    omitted: int


def property_queries(similarity, task: RelPron, *, missing_terms: str = "error") -> Queries:
    """Rank all terms for each property (Table 11).

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.

    Returns
    -------
    Queries
    """
    similarity, kept, _ = _prepare(similarity, task, missing_terms, None)
    usable = kept[task.term_of] & np.isfinite(similarity[kept]).any(axis=0)
    scores, right = similarity[kept][:, usable].T, task.relevant[kept][:, usable].T
    reciprocal, rank = metrics.reciprocal_rank(scores, right), metrics.mean_rank(scores, right)
    heads = np.array([item.head for item in task.items])[usable]
    views = {
        head: (float(reciprocal[heads == head].mean()), float(rank[heads == head].mean()))
        for head in task.head_nouns
        if (heads == head).any()
    }
    return Queries(
        float(reciprocal.mean()), float(rank.mean()), reciprocal, rank, views, int(len(task.items) - usable.sum())
    )


def confounders(task: RelPron) -> np.ndarray:
    """Lexical confounders: properties that contain a term's lemma, as verb or argument, and belong to another term.

    Returns
    -------
    bool array [terms, properties]
    """
    terms = np.array(task.terms)[:, None]
    argument = np.array([item.argument for item in task.items])
    verb = np.array([item.verb for item in task.items])
    return ((terms == argument) | (terms == verb)) & ~task.relevant


@dataclass(frozen=True)
class Confounding:
    """What lexical confounders do to a ranking.

    Parameters
    ----------
    pairs : tuple of (str, Property)
        Each term with a property that confounds it.
    rank : float64 array [pairs]
        Rank of the confounding property for the term, among all properties.
    mean_rank : float
    mean_rank_others : float
        Mean rank of the other wrong properties of the same terms, each term weighted by its confounders.
    map_confounded, map_without : float
        MAP of the terms that have a confounder: as it is, and with their confounders taken out of the ranking.
    """

    pairs: tuple[tuple[str, Property], ...]
    rank: np.ndarray
    mean_rank: float
    mean_rank_others: float
    map_confounded: float
    map_without: float


def lexical_confounders(similarity, task: RelPron, *, missing_terms: str = "error") -> Confounding:
    """Ranks of the lexical confounders, and the MAP that they cost (section 7.4).

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.

    Returns
    -------
    Confounding

    Raises
    ------
    RelpronError
        If the task has no lexical confounder among its terms with vectors.
    """
    similarity, kept, known = _prepare(similarity, task, missing_terms, None)
    confound = confounders(task) & kept[:, None]
    if not confound.any():
        raise RelpronError(None, None, "no property contains the lemma of another term: there is nothing to measure")
    ranks = metrics.ranks(similarity)
    row, column = np.nonzero(confound)
    others = ~confound & ~task.relevant
    others_mean = np.where(others, ranks, 0).sum(axis=1) / others.sum(axis=1)
    has = confound.any(axis=1)
    everything = np.ones((1, len(task.items)), dtype=bool)
    return Confounding(
        pairs=tuple((task.terms[i], task.items[j]) for i, j in zip(row, column, strict=True)),
        rank=ranks[confound],
        mean_rank=float(ranks[confound].mean()),
        mean_rank_others=float(others_mean[row].mean()),
        map_confounded=_score(similarity, has, everything, task, known).map,
        map_without=_score(similarity, has, ~confound, task, known).map,
    )


@dataclass(frozen=True)
class Plausible:
    """A wrong property ranked above every right one of a term.

    Parameters
    ----------
    term : str
    item : Property
        As annotated, for another term.
    rank : float
    similarity : float
    """

    term: str
    item: Property
    rank: float
    similarity: float


def plausible_positives(
    similarity, task: RelPron, n: int = 20, *, same_head: bool = True, missing_terms: str = "error"
) -> list[Plausible]:
    """The wrong properties ranked above every right one, most similar first: perhaps true, only not annotated.

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.
    n : int
        How many at most.
    same_head : bool
        Only properties with the term's head noun, which can be true of the term.

    Returns
    -------
    list of Plausible
        Without lexical confounders, which are a different error.
    """
    similarity, kept, _ = _prepare(similarity, task, missing_terms, None)
    best = np.where(task.relevant, similarity, -np.inf).max(axis=1, keepdims=True)
    wrong = ~task.relevant & ~confounders(task) & kept[:, None] & (similarity > best)
    if same_head:
        wrong &= task.same_head
    ranks = metrics.ranks(similarity)
    row, column = np.nonzero(wrong)
    first = np.argsort(-similarity[row, column], kind="stable")[:n]
    return [
        Plausible(task.terms[i], task.items[j], float(ranks[i, j]), float(similarity[i, j]))
        for i, j in zip(row[first], column[first], strict=True)
    ]


def random_map(task: RelPron) -> float:
    """Expected MAP of a random ranking: the mean over terms of
    :func:`~cdsm_lib.evaluation.metrics.random_average_precision`.

    Returns
    -------
    float
    """
    return float(np.mean([metrics.random_average_precision(len(task.items), r) for r in task.relevant.sum(axis=1)]))


# ---------------------------------------------------------------------------------------------------------------------
# Construction (section 3)


@dataclass(frozen=True)
class Triple:
    """A subject-verb-object triple of the corpus, seen from a term: a candidate property.

    Parameters
    ----------
    term, head : str
        The term, and the head noun of which it is a hyponym.
    function : {"SBJ", "OBJ"}
        "SBJ" where the term is the verb's subject, "OBJ" where it is its object.
    verb, argument : str
        The verb and its other argument.
    argument_pos : str
        Part of speech of the argument.
    count : int
        Occurrences of the triple.

    Examples
    --------
    >>> print(Triple("kitten", "animal", "OBJ", "adopt", "family", "NOUN", 7).item)
    kitten: animal that family adopt
    """

    term: str
    head: str
    function: str
    verb: str
    argument: str
    argument_pos: str
    count: int

    @property
    def item(self) -> Property:
        """The triple in relative clause form (3.4): `headnoun that V O` or `headnoun that S V`."""
        return Property(self.term, self.head, self.function, self.verb, self.argument)


@dataclass(frozen=True)
class Annotation:
    """An annotator's decision on a candidate property.

    Parameters
    ----------
    item : Property
    count : int
        Occurrences of its triple when it was annotated.
    kept : bool
    reason : str
        Why it was kept or dropped; never empty.
    """

    item: Property
    count: int
    kept: bool
    reason: str


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of the construction; the defaults are the paper's, for its corpus of some 1.7 billion words.

    Parameters
    ----------
    head_nouns : int
        Nouns most frequent in the relative clause pattern.
    hyponyms : int
        Fewest hyponyms of a candidate head noun. (The paper asks for "a large number".)
    term_count : int
        Fewest occurrences of a term.
    verb_count : int
        Fewest occurrences of a verb with a term in one function.
    properties : int
        Fewest kept properties of a term.
    terms : int
        Fewest kept terms of a head noun.
    """

    head_nouns: int = 200
    hyponyms: int = 10
    term_count: int = 5000
    verb_count: int = 6
    properties: int = 4
    terms: int = 4


def noun_counts(words: Sequence[str], ids: Iterable[int], counts: Iterable[int]) -> dict[str, int]:
    """Counts of common nouns by lemma, out of counts by word: of the corpus, or of the relative clause pattern.

    Parameters
    ----------
    words : sequence of str
        Labels ``lemma|POS``.
    ids : iterable of int
        Places in `words`.
    counts : iterable of int
        As many.

    Returns
    -------
    dict of str to int

    Examples
    --------
    >>> noun_counts(["tool|NOUN", "tool|VERB", "Ada|PROPN"], [0, 1, 2], [5, 3, 2])
    {'tool': 5}
    """
    found = ((words[i].rpartition("|"), int(count)) for i, count in zip(ids, counts, strict=True))
    return {lemma: count for (lemma, _, pos), count in found if pos == "NOUN"}


def candidate_head_nouns(pattern_counts: Mapping[str, int], n: int = 200, exclude: Iterable[str] = ()) -> list[str]:
    """The nouns most frequent in "a(n) NOUN that|who|which" (3.1).

    Parameters
    ----------
    pattern_counts : mapping of lemma to count
    n : int
        How many are looked at.
    exclude : iterable of str
        Nouns left out by hand, since a that-clause can be their argument (*statement*, *belief*).

    Returns
    -------
    list of str
        Most frequent first, ties in alphabetical order.

    Examples
    --------
    >>> candidate_head_nouns({"tool": 5, "animal": 9, "belief": 7}, n=2, exclude=["belief"])
    ['animal']
    """
    ranked = sorted(pattern_counts, key=lambda noun: (-pattern_counts[noun], noun))
    return [noun for noun in ranked[:n] if noun not in set(exclude)]


def wordnet_hyponyms(heads: Iterable[str], wordnet=None) -> dict[str, list[str]]:
    """Unigram hyponyms of the first noun sense of each head noun: children and grandchildren in WordNet (3.1).

    Parameters
    ----------
    heads : iterable of str
    wordnet : corpus reader, optional
        By default WordNet 3.0 through NLTK, from :func:`cdsm_lib.datasets.wordnet`.

    Returns
    -------
    dict of str to list of str
        Lower-case lemmas in alphabetical order, without the head noun itself; empty for a noun WordNet does not know.

    Raises
    ------
    cdsm_lib.datasets.DataError
        If there is no WordNet; the message says how to get it.
    """
    if wordnet is None:
        wordnet = reader()  # the one step that needs WordNet
    hyponyms = {}
    for head in heads:
        children = [child for sense in wordnet.synsets(head, pos="n")[:1] for child in sense.hyponyms()]
        family = children + [grandchild for child in children for grandchild in child.hyponyms()]
        lemmas = {lemma for synset in family for lemma in synset.lemma_names()}
        hyponyms[head] = sorted(lemma for lemma in lemmas if lemma.isalpha() and lemma.islower() and lemma != head)
    return hyponyms


def select_head_nouns(
    heads: Iterable[str], hyponyms: Mapping[str, Sequence[str]], min_hyponyms: int = 10
) -> dict[str, list[str]]:
    """The head nouns that have enough unigram hyponyms (3.1).

    Returns
    -------
    dict of str to list of str
        Their hyponyms, in the order of `heads`.
    """
    return {head: list(hyponyms[head]) for head in heads if len(hyponyms.get(head, ())) >= min_hyponyms}


def frequent_terms(
    hyponyms: Mapping[str, Sequence[str]], frequency: Mapping[str, int], min_count: int = 5000
) -> dict[str, list[str]]:
    """The hyponyms that occur often enough to have good properties (3.2).

    Parameters
    ----------
    hyponyms : mapping of head noun to hyponyms
    frequency : mapping of noun lemma to its occurrences in the corpus
    min_count : int

    Returns
    -------
    dict of str to list of str
        Most frequent first, ties in alphabetical order.
    """
    return {
        head: sorted(
            (term for term in terms if frequency.get(term, 0) >= min_count), key=lambda term: (-frequency[term], term)
        )
        for head, terms in hyponyms.items()
    }


def unambiguous_terms(terms: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Terms without those that are hyponyms of more than one candidate head noun, such as *school* (3.2).

    Examples
    --------
    >>> unambiguous_terms({"building": ["school", "barn"], "organization": ["school", "army"]})
    {'building': ['barn'], 'organization': ['army']}
    """
    heads = Counter(term for its_terms in terms.values() for term in set(its_terms))
    return {head: [term for term in its_terms if heads[term] == 1] for head, its_terms in terms.items()}


def term_triples(
    terms: Mapping[str, Sequence[str]], words: Sequence[str], svo: np.ndarray, svo_counts: np.ndarray
) -> list[Triple]:
    """Every triple in which a term is the subject or the object of a verb (3.3).

    Parameters
    ----------
    terms : mapping of head noun to terms
        A term under one head noun only.
    words : sequence of str
        Labels ``lemma|POS``.
    svo : int array [n, 3]
        Subject, verb and object, as places in `words`.
    svo_counts : int array [n]

    Returns
    -------
    list of Triple
        By head noun and term in the order given, SBJ before OBJ, then the most frequent first.
    """
    head_of = {term: head for head, its_terms in terms.items() for term in its_terms}
    order = {term: i for i, term in enumerate(head_of)}
    is_term = np.array([word.endswith("|NOUN") and word[: -len("|NOUN")] in head_of for word in words], dtype=bool)
    is_verb = np.array([word.endswith("|VERB") for word in words], dtype=bool)
    found = []
    for function, own, other in (("SBJ", 0, 2), ("OBJ", 2, 0)):
        for i in np.flatnonzero(is_term[svo[:, own]] & is_verb[svo[:, 1]]):
            term, verb = (words[svo[i, column]].rpartition("|")[0] for column in (own, 1))
            argument, _, pos = words[svo[i, other]].rpartition("|")
            found.append(Triple(term, head_of[term], function, verb, argument, pos, int(svo_counts[i])))
    return sorted(found, key=lambda t: (order[t.term], t.function != "SBJ", -t.count, t.verb, t.argument))


def frequent_verbs(triples: Sequence[Triple], min_count: int = 6) -> list[Triple]:
    """Triples whose verb occurs at least `min_count` times with the term in that function (3.3)."""
    seen: Counter = Counter()
    for triple in triples:
        seen[triple.term, triple.function, triple.verb] += triple.count
    return [triple for triple in triples if seen[triple.term, triple.function, triple.verb] >= min_count]


def common_noun_arguments(triples: Sequence[Triple]) -> list[Triple]:
    """Triples whose argument is a common noun: no proper noun (3.3) and no pronoun (3.5)."""
    return [triple for triple in triples if triple.argument_pos == "NOUN"]


ANNOTATION_COLUMNS = ("head_noun", "term", "function", "verb", "argument", "count", "decision", "reason")


def read_annotations(path) -> list[Annotation]:
    """Read the annotators' decisions, strictly.

    Parameters
    ----------
    path : path
        Tab-separated UTF-8 with the header ``head_noun term function verb argument count decision reason``; the
        decision is ``kept`` or ``dropped``, and every decision has its reason.

    Returns
    -------
    list of Annotation
        In file order.

    Raises
    ------
    RelpronError
        With file and line: for another header, a missing field, an unknown function or decision, a count that is no
        number, an empty reason, or a candidate decided twice.
    """
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or tuple(lines[0].split("\t")) != ANNOTATION_COLUMNS:
        raise RelpronError(path.name, 1, f"the header must be {' '.join(ANNOTATION_COLUMNS)}, tab-separated")
    decided: dict[Property, Annotation] = {}
    for number, text in enumerate(lines[1:], start=2):
        fields = text.split("\t")
        if len(fields) != len(ANNOTATION_COLUMNS) or not all(fields):
            raise RelpronError(path.name, number, f"expected {len(ANNOTATION_COLUMNS)} filled fields in {text!r}")
        head, term, function, verb, argument, count, decision, reason = fields
        if function not in FUNCTIONS:
            raise RelpronError(path.name, number, f"the function must be SBJ or OBJ, found {function!r}")
        if decision not in ("kept", "dropped"):
            raise RelpronError(path.name, number, f"the decision must be kept or dropped, found {decision!r}")
        if not count.isdecimal():
            raise RelpronError(path.name, number, f"the count must be a number, found {count!r}")
        item = Property(term, head, function, verb, argument)
        if item in decided:
            raise RelpronError(path.name, number, f"'{item}' is decided twice")
        decided[item] = Annotation(item, int(count), decision == "kept", reason)
    return list(decided.values())


def annotate(triples: Sequence[Triple], annotations: Sequence[Annotation]) -> list[Property]:
    """The candidates that the annotators kept (3.5), in the order of the annotations.

    Candidates without a decision are left out: annotation of a term stops once it has enough good properties.

    Raises
    ------
    RelpronError
        If a decision is about something that is no candidate: the construction and the annotations have parted.
    """
    candidates = {triple.item for triple in triples}
    strangers = [str(a.item) for a in annotations if a.item not in candidates]
    if strangers:
        raise RelpronError(
            None,
            None,
            f"{len(strangers)} annotated properties are not among the candidates, the first '{strangers[0]}': "
            "annotate the present candidates, or build with the thresholds and counts that were annotated",
        )
    return [a.item for a in annotations if a.kept]


def select_terms(items: Sequence[Property], min_properties: int = 4, min_terms: int = 4) -> list[Property]:
    """Properties of terms with enough of them, under head nouns with enough such terms (3.5)."""
    size = Counter(item.term for item in items)
    items = [item for item in items if size[item.term] >= min_properties]
    terms = Counter(head for head, _ in {(item.head, item.term) for item in items})
    return [item for item in items if terms[item.head] >= min_terms]


def split_by_head_noun(
    items: Sequence[Property], dev: Iterable[str], name: str = "relpron_mini"
) -> tuple[RelPron, RelPron]:
    """Development and test set: all terms of a head noun in the same one (3.6).

    Parameters
    ----------
    items : sequence of Property
    dev : iterable of str
        Head nouns of the development set.
    name : str

    Returns
    -------
    (RelPron, RelPron)
    """
    dev = set(dev)
    return (
        RelPron(tuple(item for item in items if item.head in dev), "dev", name),
        RelPron(tuple(item for item in items if item.head not in dev), "test", name),
    )


@dataclass(frozen=True)
class Step:
    """What is left after a step of the construction.

    Parameters
    ----------
    name : str
    head_nouns, terms, properties : int
        `properties` is 0 before there are any.
    """

    name: str
    head_nouns: int
    terms: int = 0
    properties: int = 0


@dataclass(frozen=True)
class Construction:
    """A construction with its traces.

    Parameters
    ----------
    funnel : tuple of Step
        What each step left.
    terms : dict of str to list of str
        Candidate terms of each head noun.
    candidates : tuple of Triple
        Candidate properties, as they go to annotation.
    items : tuple of Property
        The final set; empty without annotations.
    """

    funnel: tuple[Step, ...]
    terms: dict[str, list[str]]
    candidates: tuple[Triple, ...]
    items: tuple[Property, ...]


def build(
    pattern_counts: Mapping[str, int],
    hyponyms: Mapping[str, Sequence[str]],
    frequency: Mapping[str, int],
    words: Sequence[str],
    svo: np.ndarray,
    svo_counts: np.ndarray,
    *,
    annotations: Sequence[Annotation] = (),
    exclude_heads: Iterable[str] = (),
    thresholds: Thresholds = Thresholds(),  # noqa: B008 (frozen)
) -> Construction:
    """The paper's construction, step by step (section 3).

    Parameters
    ----------
    pattern_counts : mapping of lemma to count
        Nouns in "a(n) NOUN that|who|which".
    hyponyms : mapping of noun to hyponyms
        From :func:`wordnet_hyponyms`, or any mapping.
    frequency : mapping of noun lemma to its occurrences
    words, svo, svo_counts
        As in :func:`term_triples`.
    annotations : sequence of Annotation
        Decisions; without them the construction ends with its candidates.
    exclude_heads : iterable of str
        As in :func:`candidate_head_nouns`.
    thresholds : Thresholds

    Returns
    -------
    Construction

    Raises
    ------
    RelpronError
        As in :func:`annotate`.
    """

    def of_terms(name: str, terms: Mapping[str, Sequence[str]]) -> Step:
        return Step(name, sum(bool(found) for found in terms.values()), sum(map(len, terms.values())))

    def of_properties(name: str, found: Sequence[Triple | Property]) -> Step:
        return Step(name, len({p.head for p in found}), len({p.term for p in found}), len(found))

    heads = candidate_head_nouns(pattern_counts, thresholds.head_nouns, exclude_heads)
    funnel = [Step("frequent in the relative clause pattern", len(heads))]
    terms = select_head_nouns(heads, hyponyms, thresholds.hyponyms)
    funnel.append(of_terms("head nouns with enough hyponyms", terms))
    terms = frequent_terms(terms, frequency, thresholds.term_count)
    funnel.append(of_terms("frequent terms", terms))
    terms = unambiguous_terms(terms)
    funnel.append(of_terms("terms of one head noun only", terms))
    triples = term_triples(terms, words, svo, svo_counts)
    funnel.append(of_properties("triples with a term", triples))
    triples = frequent_verbs(triples, thresholds.verb_count)
    funnel.append(of_properties("verbs frequent with the term", triples))
    triples = common_noun_arguments(triples)
    funnel.append(of_properties("common-noun arguments", triples))
    items: list[Property] = []
    if annotations:
        items = annotate(triples, annotations)
        funnel.append(of_properties("looked at by the annotators", [a.item for a in annotations]))
        funnel.append(of_properties("kept by the annotators", items))
        items = select_terms(items, thresholds.properties, thresholds.terms)
        funnel.append(of_properties("terms and head nouns with enough left", items))
    return Construction(tuple(funnel), terms, tuple(triples), tuple(items))
