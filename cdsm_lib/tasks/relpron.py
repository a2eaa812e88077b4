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
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.storage import whole_file
from cdsm_lib.tables import TaskError, read_lines

FUNCTIONS = ("SBJ", "OBJ")
VECTOR_OF = {"slipping": "slip"}  # the paper's one item whose lemma the corpus spells otherwise
PAPER_COUNTS = {  # split: properties, terms, head nouns (section 3.6)
    "dev": (518, 65, 7),
    "test": (569, 73, 8),
}
PAPER_FUNCTIONS = {"SBJ": 565, "OBJ": 522}  # both splits together


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


LINE = {
    "SBJ": re.compile(r"SBJ (?P<term>\S+)_N: (?P<head>\S+)_N that (?P<verb>\S+)_V (?P<argument>\S+)_N"),
    "OBJ": re.compile(r"OBJ (?P<term>\S+)_N: (?P<head>\S+)_N that (?P<argument>\S+)_N (?P<verb>\S+)_V"),
}
"""A line of a file, for each function."""


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
    TaskError
        For a missing field, an unknown function, a wrong tag, capitals, or verb and argument in the wrong order.
    """
    for function, pattern in LINE.items():
        parts = pattern.fullmatch(" ".join(text.split()))
        if parts and all(lemma == lemma.lower() for lemma in parts.groups()):
            return Property(function=function, **parts.groupdict())
    formats = "'SBJ term_N: head_N that verb_V argument_N' or 'OBJ term_N: head_N that argument_N verb_V'"
    raise TaskError(path, line, f"expected {formats}, lemmas in lower case, found {text!r}")


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
    TaskError
        With file and line: for a line that does not parse, a property given twice, a term under two head nouns, an
        empty file, or bytes that are not UTF-8.
    """
    path = Path(path)
    items: dict[Property, int] = {}
    head_of: dict[str, str] = {}
    for number, text in enumerate(read_lines(path), start=1):
        item = parse_line(text, path.name, number)
        if item in items:
            raise TaskError(path.name, number, f"'{item}' stands already in line {items[item]}; remove one of them")
        if head_of.setdefault(item.term, item.head) != item.head:
            problem = f"term {item.term!r} has head noun {item.head!r} here, {head_of[item.term]!r} above"
            raise TaskError(path.name, number, problem)
        items[item] = number
    if not items:
        raise TaskError(path.name, None, "no properties in the file; fetch it again")
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
    TaskError
        As in :func:`read` and :func:`validate`; for an unknown split.
    cdsm_lib.datasets.DataError
        For an unknown name, or if the data cannot be had.
    """
    if isinstance(name, Path) or os.sep in str(name):
        return read(name, split)
    if split not in PAPER_COUNTS:
        raise TaskError(None, None, f"unknown split {split!r}; there are 'dev' and 'test'")
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
    with whole_file(path) as file:
        file.writelines(f"{item.line}\n" for item in task.items)


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
    TaskError
        If a count differs or a head noun occurs in both splits.
    """
    for task in tasks:
        found = tuple(counts(task)[what] for what in ("properties", "terms", "head nouns"))
        expected = PAPER_COUNTS.get(task.split)
        if found != expected:
            problem = f"(properties, terms, head nouns) are {found}, the paper has {expected}; fetch the data again"
            raise TaskError(f"{task.name}.{task.split}", None, problem)
    if len(tasks) < 2:
        return
    for function, expected in PAPER_FUNCTIONS.items():
        found = sum(counts(task)[function] for task in tasks)
        if found != expected:
            raise TaskError(None, None, f"{found} {function} properties, the paper has {expected}")
    shared = set(tasks[0].head_nouns) & set(tasks[1].head_nouns)
    if shared:
        raise TaskError(None, None, f"head nouns {sorted(shared)} occur in both splits, which must not share any")


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
    TaskError
        If they share no term.
    """
    shared = [term for term in a.terms if term in set(b.terms)]
    if not shared:
        raise TaskError(None, None, "the two scores share no term; there is nothing to compare")
    return np.array([a.of(term) for term in shared]), np.array([b.of(term) for term in shared])


def _prepare(similarity, task: RelPron, missing_terms: str, known: Coverage | None):
    """Similarity as float64, properties without a vector at minus infinity; the terms kept; the coverage."""
    similarity = np.array(similarity, dtype=np.float64)
    expected = (len(task.terms), len(task.items))
    if similarity.shape != expected:
        raise TaskError(None, None, f"similarity must be [terms, properties] = {expected}, got {similarity.shape}")
    if missing_terms not in ("error", "omit"):
        raise TaskError(None, None, f"missing_terms is 'error' or 'omit', got {missing_terms!r}")
    nan = np.isnan(similarity)
    no_term = nan.all(axis=1)
    if no_term.all():
        raise TaskError(None, None, "no term has a vector, or no property has; there is nothing to rank")
    no_property = nan[~no_term].all(axis=0)
    for row, column in np.argwhere(nan & ~no_term[:, None] & ~no_property):
        pair = f"{task.terms[row]!r} and '{task.items[column]}'"
        raise TaskError(None, None, f"similarity of {pair} is NaN, though both have vectors")
    lost = tuple(task.terms[i] for i in np.flatnonzero(no_term))
    if lost and missing_terms == "error":
        remedy = "add them to the vocabulary, or say missing_terms='omit'"
        raise TaskError(None, None, f"no vector for the terms {', '.join(lost)}: {remedy}")
    known = known or Coverage(len(task.terms), len(task.items), lost)
    similarity[nan] = -np.inf
    return similarity, ~no_term, replace(known, unranked_properties=int(no_property.sum()))


def _score(similarity, kept, columns, task, known) -> Scores:
    """Scores of the terms `kept` that have a relevant property among `columns`, bool [1 or terms, properties]."""
    relevant = task.relevant & columns
    ranked_for = kept & relevant.any(axis=1)
    terms, omitted = (tuple(np.array(task.terms)[which].tolist()) for which in (ranked_for, ~ranked_for))
    if not terms:
        return Scores(float("nan"), np.empty(0), (), omitted, known)
    if len(columns) == 1:
        here = np.ix_(ranked_for, columns[0])
        _, ap = metrics.mean_average_precision(similarity[here], relevant[here])
    else:
        pairs = ((similarity[i, columns[i]], relevant[i, columns[i]]) for i in np.flatnonzero(ranked_for))
        ap = np.array([metrics.average_precision_from_scores(*pair) for pair in pairs])
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
    TaskError
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
    TaskError
        If the task has no lexical confounder among its terms with vectors.
    """
    similarity, kept, known = _prepare(similarity, task, missing_terms, None)
    confound = confounders(task) & kept[:, None]
    if not confound.any():
        raise TaskError(None, None, "no property contains the lemma of another term: there is nothing to measure")
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
