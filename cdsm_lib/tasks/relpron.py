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
property_queries      reciprocal rank and rank of the term, with properties as queries (Table 11)
lexical_confounders   ranks of properties that contain the term's lemma but belong to another term (section 7.4)
plausible_positives   wrong properties ranked above every right one: perhaps only unannotated (section 7.4)
random_map            expected MAP of a random ranking
"""

import os
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.storage import whole_file
from cdsm_lib.tables import TaskError, read_lines
from cdsm_lib.vectors.similarity import cosines as exact_cosines

FUNCTIONS = ("SBJ", "OBJ")
VECTOR_OF = {"slipping": "slip"}  # the paper's one item whose lemma the corpus spells otherwise
PHRASE = {"SBJ": "{0.head} that {0.verb} {0.argument}", "OBJ": "{0.head} that {0.argument} {0.verb}"}
LINE = {
    "SBJ": "SBJ {0.term}_N: {0.head}_N that {0.verb}_V {0.argument}_N",
    "OBJ": "OBJ {0.term}_N: {0.head}_N that {0.argument}_N {0.verb}_V",
}
"""A line of a file, for each function."""

PAPER_COUNTS = {"dev": (518, 65, 7), "test": (569, 73, 8)}  # properties, terms, head nouns (section 3.6)
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
        return PHRASE[self.function].format(self)

    @property
    def line(self) -> str:
        """The property in the file's format, without a line end."""
        return LINE[self.function].format(self)

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

    Examples
    --------
    >>> parse_line("OBJ kitten_N: animal_N that family_N adopt_V")
    Property(term='kitten', head='animal', function='OBJ', verb='adopt', argument='family')
    """
    for function, format in LINE.items():
        pattern = re.sub(r"\{0\.(\w+)\}", r"(?P<\1>\\S+)", format)
        parts = re.fullmatch(pattern, " ".join(text.split()))
        if parts and all(lemma == lemma.lower() for lemma in parts.groups()):
            return Property(function=function, **parts.groupdict())
    formats = " or ".join(repr(re.sub(r"\{0\.(\w+)\}", r"\1", format)) for format in LINE.values())
    what = "this file begins otherwise" if line == 1 else f"found {text!r}"  # a file of another kind is nobody's
    raise TaskError(path, line, f"expected {formats}, lemmas in lower case; {what}")


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

    Examples
    --------
    >>> task = load("relpron_mini")
    >>> len(task), task.split
    (193, 'dev')
    """
    if split not in PAPER_COUNTS:
        raise TaskError(None, None, f"unknown split {split!r}; there are 'dev' and 'test'")
    if isinstance(name, Path) or os.sep in str(name):
        return read(name, split)
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.dev")
    ...     write(load("relpron_mini"), path)
    ...     print(read(path).name, len(read(path)))
    mine 193
    """
    with whole_file(path) as file:
        file.writelines(f"{item.line}\n" for item in task.items)


def counts(task: RelPron) -> dict[str, int]:
    """Numbers of properties, terms, head nouns, subject and object properties.

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> counts(task)
    {'properties': 3, 'terms': 2, 'head nouns': 1, 'SBJ': 2, 'OBJ': 1}
    """
    sizes = {"properties": len(task.items), "terms": len(task.terms), "head nouns": len(task.head_nouns)}
    return sizes | {function: int(np.sum(task.functions == function)) for function in FUNCTIONS}


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
        sizes, expected = tuple(counts(task).values())[:3], PAPER_COUNTS.get(task.split)
        if sizes != expected:
            problem = f"(properties, terms, head nouns) are {sizes}, the paper has {expected}; fetch the data again"
            raise TaskError(f"{task.name}.{task.split}", None, problem)
    if len(tasks) < 2:
        return
    functions = {function: sum(counts(task)[function] for task in tasks) for function in FUNCTIONS}
    if functions != PAPER_FUNCTIONS:
        raise TaskError(None, None, f"properties by function are {functions}, the paper has {PAPER_FUNCTIONS}")
    if shared := set(tasks[0].head_nouns) & set(tasks[1].head_nouns):
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
    """Row labels by role: "term" [terms]; "head", "verb" and "argument" [properties].

    Examples
    --------
    >>> task = RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),))
    >>> labels(task)
    {'term': ['kitten|NOUN'], 'head': ['animal|NOUN'], 'verb': ['chase|VERB'], 'argument': ['yarn|NOUN']}
    """
    roles = {"head": "NOUN", "verb": "VERB", "argument": "NOUN"}
    of_items = {role: [label(getattr(item, role), pos) for item in task.items] for role, pos in roles.items()}
    return {"term": [label(term, "NOUN") for term in task.terms], **of_items}


def vocabulary(*tasks: RelPron) -> list[str]:
    """Every row label that the tasks need, once, sorted.

    These words get vectors however rare they are: no frequency threshold applies to them.

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> vocabulary(task)
    ['animal|NOUN', 'broom|NOUN', 'chase|VERB', 'device|NOUN', 'floor|NOUN', 'kitten|NOUN', 'sweep|VERB', 'yarn|NOUN']
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

    def __str__(self) -> str:
        whole = self.properties - self.partial_properties - self.empty_properties
        text = f"{self.terms - len(self.missing_terms)}/{self.terms} terms, {whole}/{self.properties} properties whole"
        if self.empty_properties:
            text += f", {self.empty_properties} without any word"
        if self.unranked_properties:
            text += f", {self.unranked_properties} ranked last for want of a composed vector"
        missing = list(dict.fromkeys(self.missing_terms + self.missing_words))
        return text + (f"; no vector: {', '.join(missing)}" if missing else "")

    __repr__ = __str__


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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> print(coverage(task, ["kitten|NOUN", "animal|NOUN", "chase|VERB", "broom|NOUN"]))
    2/2 terms, 0/2 properties whole, 1 without any word; no vector: device|NOUN, floor|NOUN, sweep|VERB, yarn|NOUN
    """
    terms, *of_properties = labels(task).values()
    known = np.array([[word in rows for word in words] for words in of_properties])
    return Coverage(
        terms=len(task.terms),
        properties=len(task.items),
        missing_terms=tuple(word for word in terms if word not in rows),
        missing_words=tuple(sorted({word for words in of_properties for word in words if word not in rows})),
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

    Examples
    --------
    >>> from cdsm_lib.vectors.space import Space
    >>> task = RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),))
    >>> space = Space(["kitten|NOUN", "chase|VERB"], [[1.0, 0.0], [0.0, 1.0]])
    >>> found = look_up(task, space)
    >>> found.term, found.known["verb"], found.known["head"]
    (array([[1., 0.]], dtype=float32), array([ True]), array([False]))
    """
    tables, known = {}, {}
    for role, words in labels(task).items():
        place = space.rows.encode(words)
        known[role] = place >= 0
        rows = space.vectors[np.maximum(place, 0)]
        tables[role] = rows.toarray() if hasattr(rows, "toarray") else np.array(rows)
        tables[role][~known[role]] = 0
    return Vectors(**tables, known=known, coverage=coverage(task, space.rows))


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
    return np.round(exact_cosines(terms, properties, undefined=np.nan), 9)


# ---------------------------------------------------------------------------------------------------------------------
# Scores


@dataclass(frozen=True)
class Scores:
    """Average precision of each term that was ranked for.

    Parameters
    ----------
    ap : float64 array [terms ranked for]
    terms : tuple of str
        The terms that `ap` belongs to.
    omitted : tuple of str
        Terms left out: without a vector, or without a relevant property in this view.
    coverage : Coverage
    """

    ap: np.ndarray
    terms: tuple[str, ...]
    omitted: tuple[str, ...]
    coverage: Coverage

    @property
    def map(self) -> float:
        """Mean of `ap`; NaN if no term is left."""
        return float(self.ap.mean()) if self.terms else float("nan")

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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> good, poor = score(np.eye(2), task), score(1 - np.eye(2), task)
    >>> paired(good, poor)
    (array([1., 1.]), array([0.5, 0.5]))
    """
    shared = [term for term in a.terms if term in set(b.terms)]
    if not shared:
        raise TaskError(None, None, "the two scores share no term; there is nothing to compare")
    return np.array([a.of(term) for term in shared]), np.array([b.of(term) for term in shared])


def _prepare(similarity, task: RelPron, missing_terms: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Similarity as float64, properties without a vector at minus infinity and their number; which terms have one."""
    similarity = np.array(similarity, dtype=np.float64)
    nan, expected = np.isnan(similarity), task.relevant.shape
    if similarity.shape != expected:
        raise TaskError(None, None, f"similarity must be [terms, properties] = {expected}, got {similarity.shape}")
    if missing_terms not in ("error", "omit"):
        raise TaskError(None, None, f"missing_terms is 'error' or 'omit', got {missing_terms!r}")
    no_term = nan.all(axis=1)
    if no_term.all():
        raise TaskError(None, None, "no term has a vector, or no property has; there is nothing to rank")
    no_property = nan[~no_term].all(axis=0)
    for row, column in np.argwhere(nan & ~no_term[:, None] & ~no_property):
        pair = f"{task.terms[row]!r} and '{task.items[column]}'"
        raise TaskError(None, None, f"similarity of {pair} is NaN, though both have vectors")
    if no_term.any() and missing_terms == "error":
        lost = ", ".join(np.array(task.terms)[no_term])
        remedy = "add them to the vocabulary, or say missing_terms='omit'"
        raise TaskError(None, None, f"no vector for the terms {lost}: {remedy}")
    similarity[nan] = -np.inf
    return similarity, ~no_term, int(no_property.sum())


def score(
    similarity, task: RelPron, *, ranked=None, missing_terms: str = "error", coverage: Coverage | None = None
) -> Scores:
    """Mean average precision over terms, each term ranking all properties (Tables 5 and 6).

    Parameters
    ----------
    similarity : float array [terms, properties]
        Higher is better; NaN for a whole row or column means no vector.
    task : RelPron
    ranked : bool array [properties] or [terms, properties], optional
        The properties that are ranked, for all terms or for each; by default all.
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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> scores = score([[3, 1, 2], [2, 1, 3]], task)  # kitten: 1st and 3rd; puppy: 1st
    >>> scores.ap, scores.map
    (array([0.83333333, 1.        ]), 0.9166666666666666)
    """
    similarity, known, unranked = _prepare(similarity, task, missing_terms)
    ranked = np.ones(len(task), dtype=bool) if ranked is None else np.asarray(ranked)
    relevant, names = task.relevant & ranked, np.array(task.terms)
    scored = known & relevant.any(axis=1)
    if ranked.ndim == 1:
        columns = np.ix_(scored, ranked)
        ap = metrics.mean_average_precision(similarity[columns], relevant[columns])[1] if scored.any() else np.empty(0)
    else:
        pairs = ((similarity[i, ranked[i]], relevant[i, ranked[i]]) for i in np.flatnonzero(scored))
        ap = np.array([metrics.average_precision_from_scores(*pair) for pair in pairs])
    words = coverage or Coverage(len(task.terms), len(task.items), tuple(names[~known].tolist()))
    left_out = tuple(names[~scored].tolist())
    return Scores(ap, tuple(names[scored].tolist()), left_out, replace(words, unranked_properties=unranked))


def by_function(similarity, task: RelPron, *, missing_terms: str = "error") -> dict[str, Scores]:
    """MAP with only the subject, or only the object, properties ranked (Table 7).

    A term without a property of the function is left out of that function's mean, not scored zero.

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.

    Returns
    -------
    dict of str to Scores
        For "SBJ" and "OBJ".

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> by_name = by_function([[2, 1, 3], [2, 1, 3]], task)  # no puppy is an object here
    >>> {name: scores.ap for name, scores in by_name.items()}
    {'SBJ': array([0.5, 1. ]), 'OBJ': array([1.])}
    """
    return {
        function: score(similarity, task, ranked=task.functions == function, missing_terms=missing_terms)
        for function in FUNCTIONS
    }


def by_head_noun(
    similarity, task: RelPron, *, restricted: bool = False, missing_terms: str = "error"
) -> dict[str, np.ndarray]:
    """Average precisions of the terms of each head noun (Tables 8 and 10).

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.
    restricted : bool
        False: each AP is over the ranking of all properties (Table 8). True: only the properties of the right head
        noun are ranked (Table 10).

    Returns
    -------
    dict of str to float64 array [terms ranked for]
        For each head noun, in order of appearance.

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> similarity = [[1, 2], [2, 1]]  # both wrong
    >>> by_head_noun(similarity, task), by_head_noun(similarity, task, restricted=True)
    ({'animal': array([0.5]), 'device': array([0.5])}, {'animal': array([1.]), 'device': array([1.])})
    """
    scores = score(similarity, task, ranked=task.same_head if restricted else None, missing_terms=missing_terms)
    heads = dict(zip(task.terms, task.head_of, strict=True))
    head_of = np.array([heads[term] for term in scores.terms])
    return {head: scores.ap[head_of == head] for head in task.head_nouns}


def top_ten_share(similarity, task: RelPron, k: int = 10, *, missing_terms: str = "error") -> np.ndarray:
    """Share of each term's `k` best properties that have its head noun, whether or not they are its own (Table 9).

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.
    k : int

    Returns
    -------
    float64 array [terms]
        NaN for a term without a vector.

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> top_ten_share([[2, 1], [2, 1]], task, k=1)
    array([1., 0.])
    """
    similarity, known, _ = _prepare(similarity, task, missing_terms)
    share = np.full(len(task.terms), np.nan)
    share[known] = metrics.share_in_top(similarity[known], task.same_head[known], k)
    return share


def property_queries(similarity, task: RelPron, *, missing_terms: str = "error") -> tuple[np.ndarray, np.ndarray]:
    """Rank all terms for each property: where does the right one stand (Table 11)?

    Parameters
    ----------
    similarity, task, missing_terms
        As in :func:`score`.

    Returns
    -------
    reciprocal_rank, rank : float64 array [properties]
        NaN for a property that has no vector, or whose term has none.

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> property_queries([[3, 1, 2], [2, 4, 3]], task)  # the second is more like puppy
    (array([1. , 0.5, 1. ]), array([1., 2., 1.]))
    """
    similarity, known, _ = _prepare(similarity, task, missing_terms)
    asked = known[task.term_of] & np.isfinite(similarity[known]).any(axis=0)
    scores, right = similarity[known][:, asked].T, task.relevant[known][:, asked].T
    ranks = np.full((2, len(task)), np.nan)
    ranks[:, asked] = metrics.reciprocal_rank(scores, right), metrics.mean_rank(scores, right)
    return ranks[0], ranks[1]


def confounders(task: RelPron) -> np.ndarray:
    """Lexical confounders: properties that contain a term's lemma, as verb or argument, and belong to another term.

    Returns
    -------
    bool array [terms, properties]

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> confounders(task)  # "animal that chase kitten" is no kitten
    array([[False, False,  True],
           [False, False, False]])
    """
    terms = np.array(task.terms)[:, None]
    argument = np.array([item.argument for item in task.items])
    verb = np.array([item.verb for item in task.items])
    return ((terms == argument) | (terms == verb)) & ~task.relevant


class Confounding(NamedTuple):
    """What lexical confounders do to a ranking."""

    pairs: tuple[tuple[str, Property], ...]
    """Each term with a property that confounds it."""
    rank: np.ndarray
    """Rank of the confounding property for the term, among all properties: float64 [pairs]."""
    mean_rank_others: float
    """Mean rank of the other wrong properties of the same terms, each term weighted by its confounders."""
    map_confounded: float
    """MAP of the terms that have a confounder."""
    map_without: float
    """The same with their confounders taken out of the ranking."""


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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> found = lexical_confounders([[2, 1, 4, 3], [2, 1, 4, 3], [1, 1, 1, 2]], task)
    >>> found.pairs[0][0], str(found.pairs[0][1]), found.rank, found.mean_rank_others
    ('kitten', 'puppy: animal that chase kitten', array([1.]), 2.0)
    >>> round(found.map_confounded, 3), round(found.map_without, 3)
    (0.417, 0.583)
    """
    prepared, known, _ = _prepare(similarity, task, missing_terms)
    confound = confounders(task) & known[:, None]
    if not confound.any():
        raise TaskError(None, None, "no property contains the lemma of another term: there is nothing to measure")
    ranks, (row, column) = metrics.ranks(prepared), np.nonzero(confound)
    others = ~confound & ~task.relevant
    others_mean = np.where(others, ranks, 0).sum(axis=1) / others.sum(axis=1)
    confounded = confound.any(axis=1, keepdims=True)
    maps = (
        score(similarity, task, ranked=confounded & ranked, missing_terms=missing_terms).map
        for ranked in (np.ones_like(confound), ~confound)
    )
    pairs = tuple((task.terms[i], task.items[j]) for i, j in zip(row, column, strict=True))
    return Confounding(pairs, ranks[confound], float(others_mean[row].mean()), *maps)


class Plausible(NamedTuple):
    """A wrong property ranked above every right one of a term: `item` is as annotated, for another term."""

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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> [(p.term, str(p.item), p.rank) for p in plausible_positives([[1, 2], [1, 2]], task, same_head=False)]
    [('kitten', 'broom: device that sweep floor', 1.0)]
    """
    similarity, known, _ = _prepare(similarity, task, missing_terms)
    best = np.where(task.relevant, similarity, -np.inf).max(axis=1, keepdims=True)
    wrong = ~task.relevant & ~confounders(task) & known[:, None] & (similarity > best)
    if same_head:
        wrong &= task.same_head
    ranks, (row, column) = metrics.ranks(similarity), np.nonzero(wrong)
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

    Examples
    --------
    >>> task = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("broom", "device", "SBJ", "sweep", "floor"),
    ... ))
    >>> random_map(task)  # one of two: first or second, 1 or 1/2
    0.75
    """
    return float(np.mean([metrics.random_average_precision(len(task.items), r) for r in task.relevant.sum(axis=1)]))
