"""RELPRON: rank descriptive properties, each a relative clause, for the term that they describe.

The task of Rimell, Maillard, Polajnar and Clark (2016), "RELPRON: A Relative Clause Evaluation Data Set for
Compositional Distributional Semantics". The term *cannon* is described by properties such as *weapon that
replaces trebuchet*. A system composes a vector for every property and ranks all of them for every term by cosine; the
properties annotated for the term are the relevant ones (`score`, `task`).

A *subject property* (``SBJ``) is a subject relative clause, `head that verb argument`: the argument is the verb's
object. An *object property* (``OBJ``) is `head that argument verb`: the argument is its subject. Lemmas are lower
case and carry no tag; the row of a word in a Space is ``lemma|NOUN`` or ``lemma|VERB`` (`label`). Similarities
are arrays [terms, properties] in the order of ``RelPron.terms`` and ``RelPron.items``; higher is better. ``NaN``
means *no vector*: a whole row for a term, a whole column for a property. It is never read as zero: a term without a
vector is an error unless the caller leaves it out by name (``missing_terms="omit"``), and a property without a vector
is ranked last, tied with its like.
"""

import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError, path_of, read_lines
from cdsm_lib.tasks.task import Measure, Task, Vocabulary, column, phrase
from cdsm_lib.vectors.similarity import cosines as exact_cosines

FUNCTIONS = ("SBJ", "OBJ")
VECTOR_OF = {"slipping": "slip"}  # the paper's one item whose lemma the corpus spells otherwise
PHRASE = {"SBJ": "{0.head} that {0.verb} {0.argument}", "OBJ": "{0.head} that {0.argument} {0.verb}"}
LINE = {
    "SBJ": "SBJ term_N: head_N that verb_V argument_N",
    "OBJ": "OBJ term_N: head_N that argument_N verb_V",
}
"""A line of a file, for each function."""
TREE = {
    "SBJ": (("head", "that", "verb", "argument"), (2, 2, -1, 2), ("nsubj", "mark", "root", "obj")),
    "OBJ": (("head", "that", "argument", "verb"), (3, 3, 3, -1), ("obj", "mark", "nsubj", "root")),
}
"""The clause that a relative clause holds: its words, their heads, and the labels."""

WITHIN = "MAP within head noun: mean"
PAPER_COUNTS = {"dev": (518, 65, 7), "test": (569, 73, 8)}  # properties, terms, head nouns (section 3.6)
PAPER_FUNCTIONS = {"SBJ": 565, "OBJ": 522}  # both splits together


@dataclass(frozen=True)
class Property:
    """One property of a term, in plain lemmas; `function` says which argument of the verb was extracted.

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

    def __str__(self) -> str:
        return f"{self.term}: {self.phrase}"


@dataclass(frozen=True)
class RelPron:
    """A set of properties, in file order, that are ranked together; `split` is "dev" or "test"."""

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
    def head_of(self) -> tuple[str, ...]:
        """The head noun of each term, in the order of `terms`."""
        return tuple({item.term: item.head for item in self.items}.values())

    @cached_property
    def relevant(self) -> np.ndarray:
        """Whether a property was annotated for a term, bool [terms, properties]."""
        return np.array(self.terms)[:, None] == column(self.items, "term")

    @cached_property
    def same_head(self) -> np.ndarray:
        """Whether a property has the head noun of a term, bool [terms, properties]."""
        return np.array(self.head_of)[:, None] == column(self.items, "head")

    @cached_property
    def functions(self) -> np.ndarray:
        """``SBJ`` or ``OBJ`` for each property, text [properties]."""
        return column(self.items, "function")


# ------------------------------------------------------------------------------------------------- reading and writing


def parse_line(text: str, path=None, line: int | None = None) -> Property:
    """One line of a RELPRON file; `path` and `line` are for the message of the `TaskError`.

    >>> parse_line("OBJ kitten_N: animal_N that family_N adopt_V")
    Property(term='kitten', head='animal', function='OBJ', verb='adopt', argument='family')
    """
    for function, line_format in LINE.items():
        parts = re.fullmatch(re.sub(r"(\w+)_([NV])", r"(?P<\1>\\S+)_\2", line_format), " ".join(text.split()))
        if parts and all(lemma == lemma.lower() for lemma in parts.groups()):
            return Property(function=function, **parts.groupdict())
    what = "this file begins otherwise" if line == 1 else f"found {text!r}"  # a file of another kind is nobody's
    raise TaskError(path, line, f"expected {' or '.join(map(repr, LINE.values()))}, lemmas in lower case; {what}")


def read(path, split: str | None = None, name: str | None = None) -> RelPron:
    """Read a UTF-8 file in RELPRON's format, one property a line; the file's suffix is the split, its stem the name.

    Raises `TaskError` with file and line: for a line that does not parse, a property given twice, a term under two head
    nouns, or an empty file.
    """
    path = path_of(path)
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
    """One split of a set: "relpron" (the authors', validated), "relpron_mini" (the teaching set), or a file at a path.

    Raises `TaskError` as `read` and `validate`, and for an unknown split; `cdsm_lib.datasets.DataError` for an unknown
    name, or if the data cannot be had.

    >>> len(load("relpron_mini"))
    193
    """
    if split not in PAPER_COUNTS:
        raise TaskError(None, None, f"unknown split {split!r}; there are 'dev' and 'test'")
    if isinstance(name, Path) or os.sep in str(name):
        return read(name, split)
    if name == "relpron":
        items = read(datasets.fetch("relpron", f"relpron.{split}"), split, name)
        validate(items)
        return items
    return read(datasets.sample_path(name) / f"{name}.{split}", split, name)


def counts(items: RelPron) -> dict[str, int]:
    """Numbers of properties, terms, head nouns, subject and object properties.

    >>> counts(RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),)))
    {'properties': 1, 'terms': 1, 'head nouns': 1, 'SBJ': 1, 'OBJ': 0}
    """
    sizes = {"properties": len(items), "terms": len(items.terms), "head nouns": len(set(items.head_of))}
    return sizes | {function: int(np.sum(items.functions == function)) for function in FUNCTIONS}


def validate(*splits: RelPron) -> None:
    """Hold the authors' data against the counts of the paper (section 3.6); `TaskError` if one differs.

    With both splits the numbers of subject and object properties are checked, too, and that no head noun is in both.
    """
    for items in splits:
        sizes, expected = tuple(counts(items).values())[:3], PAPER_COUNTS.get(items.split)
        if sizes != expected:
            problem = f"(properties, terms, head nouns) are {sizes}, the paper has {expected}; fetch the data again"
            raise TaskError(f"{items.name}.{items.split}", None, problem)
    if len(splits) < 2:
        return
    functions = dict(Counter(item.function for items in splits for item in items.items))
    if functions != PAPER_FUNCTIONS:
        raise TaskError(None, None, f"properties by function are {functions}, the paper has {PAPER_FUNCTIONS}")
    if shared := set(splits[0].head_of) & set(splits[1].head_of):
        raise TaskError(None, None, f"head nouns {sorted(shared)} occur in both splits, which must not share any")


# --------------------------------------------------------------------------------------------- words and their vectors


def label(lemma: str, pos: str) -> str:
    """Row label of a word of the task; *slipping* takes the vector of *slip*.

    >>> label("chase", "VERB"), label("slipping", "NOUN")
    ('chase|VERB', 'slip|NOUN')
    """
    return f"{VECTOR_OF.get(lemma, lemma)}|{pos}"


def labels(items: RelPron) -> dict[str, list[str]]:
    """Row labels by role: "term" [terms]; "head", "verb" and "argument" [properties].

    >>> labels(RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),)))
    {'term': ['kitten|NOUN'], 'head': ['animal|NOUN'], 'verb': ['chase|VERB'], 'argument': ['yarn|NOUN']}
    """
    by_role = {"term": [label(term, "NOUN") for term in items.terms]}
    for role, pos in (("head", "NOUN"), ("verb", "VERB"), ("argument", "NOUN")):
        by_role[role] = [label(getattr(item, role), pos) for item in items.items]
    return by_role


def vocabulary(*splits: RelPron) -> list[str]:
    """Every row label that these splits need, once, sorted; these words get vectors however rare they are."""
    return sorted({word for items in splits for role in labels(items).values() for word in role})


@dataclass(frozen=True)
class Vectors:
    """The vectors of a task by role, [terms, d] and [properties, d]; zero rows stand where there is no vector.

    `known` says of each role which rows are vectors. A composer must look there before it multiplies: under addition a
    zero row leaves the property its known words, under multiplication it would wipe them out. `coverage` tells what is
    missing.
    """

    term: np.ndarray
    head: np.ndarray
    verb: np.ndarray
    argument: np.ndarray
    known: dict[str, np.ndarray] = field(repr=False)
    coverage: str = field(repr=False)


def coverage(items: RelPron, rows) -> str:
    """Which terms and words of the task are among the rows of a space; a property may lack some of its words.

    >>> coverage(RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),)), ["kitten|NOUN", "chase|VERB"])
    '1/1 terms, 0/1 properties whole; no vector: animal|NOUN, yarn|NOUN'
    """
    terms, *by_role = labels(items).values()
    missing = [word for word in (*terms, *sorted(set().union(*by_role))) if word not in rows]
    properties = list(zip(*by_role, strict=True))
    text = f"{sum(term in rows for term in terms)}/{len(terms)} terms, "
    text += f"{sum(map(set(missing).isdisjoint, properties))}/{len(items)} properties whole"
    if empty := sum(map(set(missing).issuperset, properties)):
        text += f", {empty} without any word"
    return text + (f"; no vector: {', '.join(dict.fromkeys(missing))}" if missing else "")


def look_up(items: RelPron, space) -> Vectors:
    """The vectors of the task's words in a `cdsm_lib.vectors.space.Space`, dense, of its own dtype.

    >>> from cdsm_lib.vectors.space import Space
    >>> space = Space(["kitten|NOUN", "chase|VERB"], [[1.0, 0.0], [0.0, 1.0]])
    >>> words = look_up(RelPron((Property("kitten", "animal", "SBJ", "chase", "yarn"),)), space)
    >>> words.term, words.known["verb"], words.known["head"]
    (array([[1., 0.]], dtype=float32), array([ True]), array([False]))
    """
    tables, known = {}, {}
    for role, words in labels(items).items():
        place = space.rows.encode(words)
        known[role] = place >= 0
        rows = space.vectors[np.maximum(place, 0)]
        tables[role] = rows.toarray() if hasattr(rows, "toarray") else np.array(rows)
        tables[role][~known[role]] = 0
    return Vectors(**tables, known=known, coverage=coverage(items, space.rows))


def cosines(terms, properties) -> np.ndarray:
    """Cosine of every term with every property, float64; ``NaN`` where either is a zero vector.

    They are rounded to nine decimals. Two properties that share the words which a method looks at have one vector, but
    a matrix product need not give equal vectors equal cosines (they differed by 1e-11), and a tie would then fall to
    the processor's rounding. Raises `ValueError` if an input holds NaN or infinity.

    >>> cosines([[1.0, 0.0]], [[2.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    array([[1. , 0.6, nan]])
    """
    return np.round(exact_cosines(terms, properties, undefined=np.nan), 9)


# ------------------------------------------------------------------------------------------------------------ measures


def _prepare(similarity, items: RelPron, missing_terms: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Similarity as float64, properties without a vector below all others; which terms and properties have a vector."""
    similarity, expected = np.array(similarity, dtype=np.float64), items.relevant.shape
    nan = np.isnan(similarity)
    if similarity.shape != expected:
        raise TaskError(None, None, f"similarity must be [terms, properties] = {expected}, got {similarity.shape}")
    if missing_terms not in ("error", "omit"):
        raise TaskError(None, None, f"missing_terms is 'error' or 'omit', got {missing_terms!r}")
    terms = ~nan.all(axis=1)
    if not terms.any():
        raise TaskError(None, None, "no term has a vector, or no property has; there is nothing to rank")
    properties = ~nan[terms].all(axis=0)
    for i, j in np.argwhere(nan & terms[:, None] & properties):
        pair = f"{items.terms[i]!r} and '{items.items[j]}'"
        raise TaskError(None, None, f"similarity of {pair} is NaN, though both have vectors")
    if missing_terms == "error" and not terms.all():
        remedy = "add them to the vocabulary, or say missing_terms='omit'"
        raise TaskError(None, None, f"no vector for the terms {', '.join(np.array(items.terms)[~terms])}: {remedy}")
    similarity[nan] = np.nanmin(similarity) - 1
    return similarity, terms, properties


def _ap(similarity: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    return metrics.mean_average_precision(similarity, relevant)[1]


def _measured(metric, similarity, relevant, asked, ranked) -> np.ndarray:
    """A metric of each query that is asked and has a relevant item among those ranked, float64 [queries], else NaN."""
    relevant, values = relevant & ranked, np.full(len(relevant), np.nan)
    scored = asked & relevant.any(axis=1)
    if scored.any():
        values[scored] = metric(np.where(ranked, similarity, -np.inf)[scored], relevant[scored])
    return values


def score(similarity, items: RelPron, *, ranked=True, missing_terms: str = "error") -> Scores:
    """Average precision of every term, and as their mean MAP (Tables 5 and 6).

    Only the properties are ranked that `ranked` says, bool [properties] or [terms, properties]: those of one function
    (Table 7), those with the term's head noun (Table 10). A term without a relevant one among them is left out, not
    scored zero. Raises `TaskError` for a wrong shape, a stray NaN, or a term without a vector; with
    ``missing_terms="omit"`` such a term is left out.

    >>> items = RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"),
    ...     Property("kitten", "animal", "OBJ", "adopt", "family"),
    ...     Property("puppy", "animal", "SBJ", "chase", "kitten"),
    ... ))
    >>> score([[3, 1, 2], [2, 1, 3]], items).values  # kitten: 1st and 3rd; puppy: 1st
    array([0.83333333, 1.        ])
    >>> score([[3, 1, 2], [2, 1, 3]], items, ranked=items.functions == "OBJ").values  # no puppy is an object
    array([1.])
    """
    similarity, terms, _ = _prepare(similarity, items, missing_terms)
    values = _measured(_ap, similarity, items.relevant, terms, ranked)
    scores = Scores("", "", items.name, items.split, "MAP", values, labels={"term": np.array(items.terms)})
    return scores.subset(~np.isnan(values))


def paired(a: Scores, b: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Values of the terms that both have, in the same order: input of a paired test; `TaskError` if they share none."""
    terms, others = a.labels["term"], b.labels["term"]
    if not np.isin(terms, others).any():
        raise TaskError(None, None, "the two scores share no term; there is nothing to compare")
    return a.values[np.isin(terms, others)], b.values[np.isin(others, terms)]


def task(items: RelPron, words: Vocabulary | None = None) -> Task:
    """Every term with every property: MAP over terms, and its views (Tables 5 to 10).

    A property is the clause that its relative clause holds, in the order of the words: *device that watches stars*
    is a tree over device, that, watch, star with the verb as its root and *device* as the subject. Rows of words are
    those of a vocabulary, by default all words of the set.
    """
    words, by_role = words or Vocabulary(Labels(vocabulary(items))), labels(items)
    texts = [phrase([term], [-1], ["root"], words) for term in by_role["term"]]
    for i, item in enumerate(items.items):
        roles, heads, deprels = TREE[item.function]
        clause = ["that|PRON" if role == "that" else by_role[role][i] for role in roles]
        texts.append(phrase(clause, heads, deprels, words))
    pairs = np.argwhere(np.ones_like(items.relevant)) + [0, len(items.terms)]
    ranked = {"MAP": True, **{f"MAP {f}": items.functions == f for f in FUNCTIONS}, WITHIN: items.same_head}
    measures = {name: _measure(items, _ap, items.relevant, some) for name, some in ranked.items()}
    measures["top-ten share"] = _measure(items, metrics.share_in_top, items.same_head)
    return Task(
        "RELPRON", items.name, items.split, tuple(texts), pairs, measures, len(items.terms), chance=random_map(items),
        labels={"term": np.array(items.terms), "head": np.array(items.head_of)},
    )  # fmt: skip


def queries(by_term: Task, items: RelPron) -> Task:
    """The same pairs with properties as queries: the rank of the right term (Table 11); those of a term are a unit."""
    metric = {"MRR of properties": metrics.reciprocal_rank, "mean rank of the term": metrics.mean_rank}
    measures = {name: _measure(items, rank, items.relevant, by_property=True) for name, rank in metric.items()}
    labels = {name: column(items.items, name) for name in ("term", "head")}
    return replace(by_term, measures=measures, items=len(items), units=items.relevant.argmax(axis=0), labels=labels)


def _measure(items: RelPron, metric, relevant: np.ndarray, ranked=True, by_property: bool = False) -> Measure:
    """Of similarities [terms * properties]; queries without a vector have no value, and are left out."""

    def values(similarity: np.ndarray) -> np.ndarray:
        similarity, terms, properties = _prepare(similarity.reshape(relevant.shape), items, "omit")
        if by_property:
            return _measured(metric, similarity.T, relevant.T, properties, terms)
        return _measured(metric, similarity, relevant, terms, ranked)

    return Measure(values)


def random_map(items: RelPron) -> float:
    """Expected MAP of a random ranking.

    >>> random_map(RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"), Property("broom", "device", "SBJ", "sweep", "floor")
    ... )))  # one of two: first or second, 1 or 1/2
    0.75
    """
    return float(np.mean([metrics.random_average_precision(len(items), r) for r in items.relevant.sum(axis=1)]))


# -------------------------------------------------------------------------------------------------------------- errors


def confounders(items: RelPron) -> np.ndarray:
    """Lexical confounders: properties that contain a term's lemma, as verb or argument, and belong to another term.

    A bool array [terms, properties].

    >>> confounders(RelPron((
    ...     Property("kitten", "animal", "SBJ", "chase", "yarn"), Property("puppy", "animal", "SBJ", "chase", "kitten")
    ... )))  # "animal that chase kitten" is no kitten
    array([[False,  True],
           [False, False]])
    """
    terms = np.array(items.terms)[:, None]
    argument, verb = column(items.items, "argument"), column(items.items, "verb")
    return ((terms == argument) | (terms == verb)) & ~items.relevant


class Confounding(NamedTuple):
    """What lexical confounders do to a ranking.

    Terms with a property that confounds each, and its rank among all properties, float64 [pairs]; the mean rank of the
    other wrong properties of these terms, each weighted by its confounders; their MAP, with and without confounders.
    """

    pairs: tuple[tuple[str, Property], ...]
    rank: np.ndarray
    mean_rank_others: float
    map_confounded: float
    map_without: float


def lexical_confounders(similarity, items: RelPron, *, missing_terms: str = "error") -> Confounding:
    """Ranks of the lexical confounders, and the MAP that they cost (section 7.4); `TaskError` if there is none."""
    prepared, known, _ = _prepare(similarity, items, missing_terms)
    confound = confounders(items) & known[:, None]
    if not confound.any():
        raise TaskError(None, None, "no property contains the lemma of another term: there is nothing to measure")
    ranks, (row, column) = metrics.ranks(prepared), np.nonzero(confound)
    others = ~confound & ~items.relevant
    others_mean = np.where(others, ranks, 0).sum(axis=1) / others.sum(axis=1)
    confounded = confound.any(axis=1, keepdims=True)
    ranked = (confounded & np.ones_like(confound), confounded & ~confound)
    maps = (score(similarity, items, ranked=some, missing_terms=missing_terms).value for some in ranked)
    pairs = tuple((items.terms[i], items.items[j]) for i, j in zip(row, column, strict=True))
    return Confounding(pairs, ranks[confound], float(others_mean[row].mean()), *maps)


def plausible_positives(
    similarity, items: RelPron, n: int = 20, *, missing_terms: str = "error"
) -> list[tuple[str, Property, float]]:
    """The n most similar wrong properties with the term's head noun ranked above every right one: perhaps true.

    Terms, the properties as they are annotated for another term, and their ranks. Without lexical confounders, which
    are a different error (section 7.4).
    """
    similarity, known, _ = _prepare(similarity, items, missing_terms)
    best = np.where(items.relevant, similarity, -np.inf).max(axis=1, keepdims=True)
    wrong = items.same_head & ~items.relevant & ~confounders(items) & known[:, None] & (similarity > best)
    ranks, (row, column) = metrics.ranks(similarity), np.nonzero(wrong)
    first = np.argsort(-similarity[row, column], kind="stable")[:n]
    places = zip(row[first], column[first], strict=True)
    return [(items.terms[i], items.items[j], float(ranks[i, j])) for i, j in places]
