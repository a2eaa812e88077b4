"""How RELPRON is made from a parsed corpus (Rimell et al. 2016, section 3): one small function a step.

:func:`build` is all of it, with a funnel of what each step leaves.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from cdsm_lib.tables import TaskError, read_table, whole
from cdsm_lib.tasks.relpron import FUNCTIONS, Property, RelPron


@dataclass(frozen=True)
class Triple:
    """A subject-verb-object triple of the corpus, seen from a term, a hyponym of ``head``: a candidate property.

    In function "SBJ" the term is the verb's subject, in "OBJ" its object; ``argument`` is the verb's other one.

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

    def __str__(self) -> str:
        subject, object_ = (self.term, self.argument) if self.function == "SBJ" else (self.argument, self.term)
        return f"{subject} {self.verb} {object_}"

    @property
    def item(self) -> Property:
        """The triple in relative clause form (3.4): `headnoun that V O` or `headnoun that S V`."""
        return Property(self.term, self.head, self.function, self.verb, self.argument)


@dataclass(frozen=True)
class Annotation:
    """What an annotator decided on a candidate, its triple's occurrences then, a reason that is never empty."""

    item: Property
    count: int
    accepted: bool
    reason: str


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of the construction; the defaults are the paper's, for its corpus of some 1.7 billion words.

    How many nouns, most frequent in the relative clause pattern, are looked at; and the fewest hyponyms of a candidate
    head noun (the paper asks for "a large number"), occurrences of a term, occurrences of a verb with a term in one
    function, kept properties of a term, and kept terms of a head noun.
    """

    head_nouns: int = 200
    hyponyms: int = 10
    term_count: int = 5000
    verb_count: int = 6
    properties: int = 4
    terms: int = 4


def candidate_head_nouns(pattern_counts: Mapping[str, int], n: int = 200) -> list[str]:
    """The n nouns most frequent in "a(n) NOUN that|who|which" (3.1), ties in alphabetical order.

    >>> candidate_head_nouns({"tool": 5, "animal": 9, "cloud": 4}, n=2)
    ['animal', 'tool']
    """
    return sorted(pattern_counts, key=lambda noun: (-pattern_counts[noun], noun))[:n]


def select_head_nouns(
    heads: Iterable[str], hyponyms: Mapping[str, Sequence[str]], min_hyponyms: int = 10
) -> dict[str, list[str]]:
    """The head nouns that have enough unigram hyponyms, with these (3.1).

    >>> select_head_nouns(["animal", "idea"], {"animal": ["cat", "dog"], "idea": []}, min_hyponyms=2)
    {'animal': ['cat', 'dog']}
    """
    return {head: list(hyponyms[head]) for head in heads if len(hyponyms.get(head, ())) >= min_hyponyms}


def frequent_terms(
    hyponyms: Mapping[str, Sequence[str]], frequency: Mapping[str, int], min_count: int = 5000
) -> dict[str, list[str]]:
    """The hyponyms that occur often enough to have good properties, most frequent first, then by the alphabet (3.2).

    >>> frequent_terms({"animal": ["cat", "dog", "okapi"]}, {"cat": 7000, "dog": 9000, "okapi": 10})
    {'animal': ['dog', 'cat']}
    """
    frequent = {}
    for head, terms in hyponyms.items():
        enough = (term for term in terms if frequency.get(term, 0) >= min_count)
        frequent[head] = sorted(enough, key=lambda term: (-frequency[term], term))
    return frequent


def unambiguous_terms(terms: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Terms without those that are hyponyms of more than one candidate head noun, such as *school* (3.2).

    >>> unambiguous_terms({"building": ["school", "barn"], "organization": ["school", "army"]})
    {'building': ['barn'], 'organization': ['army']}
    """
    heads = Counter(term for its_terms in terms.values() for term in set(its_terms))
    unambiguous = {}
    for head, its_terms in terms.items():
        unambiguous[head] = [term for term in its_terms if heads[term] == 1]
    return unambiguous


def term_triples(
    terms: Mapping[str, Sequence[str]], words: Sequence[str], svo: np.ndarray, svo_counts: np.ndarray
) -> list[Triple]:
    """Every triple in which a term is the subject or the object of a verb (3.3).

    `svo` [n, 3] has subject, verb and object as places in `words`, labels ``lemma|POS``. A term is under one head noun
    only. By head noun and term in the order given, SBJ before OBJ, then the most frequent first.

    >>> words, svo = ["cat|NOUN", "chase|VERB", "yarn|NOUN"], np.array([[0, 1, 2]])
    >>> [str(triple.item) for triple in term_triples({"animal": ["cat"]}, words, svo, np.array([7]))]
    ['cat: animal that chase yarn']
    """
    head_of = {term: head for head, its_terms in terms.items() for term in its_terms}
    order = {term: i for i, term in enumerate(head_of)}
    is_term = np.array([word.endswith("|NOUN") and word[: -len("|NOUN")] in head_of for word in words], dtype=bool)
    is_verb = np.array([word.endswith("|VERB") for word in words], dtype=bool)
    triples = []
    for function, place, opposite in (("SBJ", 0, 2), ("OBJ", 2, 0)):
        for i in np.flatnonzero(is_term[svo[:, place]] & is_verb[svo[:, 1]]):
            term, verb = (words[svo[i, column]].rpartition("|")[0] for column in (place, 1))
            argument, _, pos = words[svo[i, opposite]].rpartition("|")
            triples.append(Triple(term, head_of[term], function, verb, argument, pos, int(svo_counts[i])))
    return sorted(triples, key=lambda t: (order[t.term], t.function != "SBJ", -t.count, t.verb, t.argument))


def frequent_verbs(triples: Sequence[Triple], min_count: int = 6) -> list[Triple]:
    """Triples whose verb occurs at least `min_count` times with the term in that function (3.3).

    >>> rows = [("yarn", 5), ("cat", 1)]
    >>> triples = [Triple("kitten", "animal", "SBJ", "chase", argument, "NOUN", n) for argument, n in rows]
    >>> len(frequent_verbs(triples)), len(frequent_verbs(triples[:1]))  # six times, and five times
    (2, 0)
    """
    seen: Counter = Counter()
    for triple in triples:
        seen[triple.term, triple.function, triple.verb] += triple.count
    return [triple for triple in triples if seen[triple.term, triple.function, triple.verb] >= min_count]


def common_noun_arguments(triples: Sequence[Triple]) -> list[Triple]:
    """Triples whose argument is a common noun: no proper noun (3.3) and no pronoun (3.5).

    >>> arguments = ("she", "PRON"), ("mouse", "NOUN")
    >>> triples = [Triple("cat", "animal", "SBJ", "see", *argument, 6) for argument in arguments]
    >>> [triple.argument for triple in common_noun_arguments(triples)]
    ['mouse']
    """
    return [triple for triple in triples if triple.argument_pos == "NOUN"]


ANNOTATION_COLUMNS = ("head_noun", "term", "function", "verb", "argument", "count", "decision", "reason")


def read_annotations(path) -> list[Annotation]:
    """Read the annotators' decisions, in file order; a candidate is decided once.

    Tab-separated UTF-8 with the header ``head_noun term function verb argument count decision reason``; the decision is
    ``kept`` or ``dropped``. A `TaskError` with file and line where that is not so.

    >>> from cdsm_lib import datasets
    >>> first = read_annotations(datasets.sample_path("relpron_mini") / "annotations.tsv")[0]
    >>> str(first.item), first.accepted
    ('composer: artist that write opera', True)
    """
    kinds = {"function": FUNCTIONS, "count": whole, "decision": {"kept": True, "dropped": False}}
    rows = read_table(path, ANNOTATION_COLUMNS, kinds, key=ANNOTATION_COLUMNS[:5])
    item = itemgetter("term", "head_noun", "function", "verb", "argument")
    return [Annotation(Property(*item(row)), row["count"], row["decision"], row["reason"]) for _, row in rows]


def annotate(triples: Sequence[Triple], annotations: Sequence[Annotation]) -> list[Property]:
    """The candidates that the annotators kept (3.5), in the order of the annotations.

    Candidates without a decision are left out: annotation of a term stops once it has enough good properties. A
    `TaskError` if a decision is about something that is no candidate: the construction and the annotations have parted.

    >>> triple = Triple("kitten", "animal", "SBJ", "chase", "yarn", "NOUN", 7)
    >>> annotate([triple], [Annotation(triple.item, 7, True, "identifying")]) == [triple.item]
    True
    """
    candidates = {triple.item for triple in triples}
    strangers = [str(a.item) for a in annotations if a.item not in candidates]
    if strangers:
        problem = f"{len(strangers)} annotated properties are not among the candidates, the first '{strangers[0]}'"
        remedy = "annotate the present candidates, or build with the thresholds and counts that were annotated"
        raise TaskError(None, None, f"{problem}: {remedy}")
    return [a.item for a in annotations if a.accepted]


def select_terms(items: Sequence[Property], min_properties: int = 4, min_terms: int = 4) -> list[Property]:
    """Properties of terms with enough of them, under head nouns with enough such terms (3.5).

    >>> kitten = Property("kitten", "animal", "SBJ", "chase", "yarn")
    >>> items = [kitten, Property("broom", "device", "SBJ", "sweep", "floor")]
    >>> len(select_terms(items, min_properties=1, min_terms=1)), len(select_terms(items))
    (2, 0)
    """
    size = Counter(item.term for item in items)
    items = [item for item in items if size[item.term] >= min_properties]
    pairs = {(item.head, item.term) for item in items}
    terms = Counter(head for head, _ in pairs)
    return [item for item in items if terms[item.head] >= min_terms]


def split_by_head_noun(items: Sequence[Property], dev: Iterable[str]) -> tuple[RelPron, RelPron]:
    """Development and test set: all terms of a head noun in the same one; `dev` names those of the first (3.6).

    >>> properties = ("kitten", "animal", "SBJ", "chase", "yarn"), ("broom", "device", "SBJ", "sweep", "floor")
    >>> parts = split_by_head_noun([Property(*item) for item in properties], dev=["animal"])
    >>> [part.items[0].term for part in parts]
    ['kitten', 'broom']
    """
    parts, dev = {"dev": [], "test": []}, set(dev)
    for item in items:
        parts["dev" if item.head in dev else "test"].append(item)
    return tuple(RelPron(tuple(part), split, "relpron_mini") for split, part in parts.items())


@dataclass(frozen=True)
class Step:
    """What is left after a step of the construction; 0 properties before there are any."""

    name: str
    head_nouns: int
    terms: int = 0
    properties: int = 0


@dataclass(frozen=True)
class Construction:
    """What each step left, the candidate terms of each head noun, the candidate properties, and the final set.

    The set is empty without annotations.
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
    thresholds: Thresholds = Thresholds(),  # noqa: B008 (frozen)
) -> Construction:
    """The paper's construction, step by step (section 3).

    `pattern_counts` are of nouns in "a(n) NOUN that|who|which", `hyponyms` from WordNet or any
    mapping, `frequency` of noun lemmas; the rest as in :func:`term_triples` and :func:`annotate`. Without annotations
    the construction ends with its candidates.

    >>> words, svo = ["cat|NOUN", "chase|VERB", "yarn|NOUN"], np.array([[0, 1, 2]])
    >>> low = Thresholds(hyponyms=1, term_count=1)
    >>> result = build({"animal": 9}, {"animal": ["cat"]}, {"cat": 8}, words, svo, np.array([7]), thresholds=low)
    >>> [str(triple) for triple in result.candidates]
    ['cat chase yarn']
    """

    funnel = []

    def step(name: str, left):
        if isinstance(left, Mapping):
            sizes = sum(map(bool, left.values())), sum(map(len, left.values())), 0
        else:
            sizes = len({item.head for item in left}), len({item.term for item in left}), len(left)
        funnel.append(Step(name, *sizes))
        return left

    heads = candidate_head_nouns(pattern_counts, thresholds.head_nouns)
    funnel.append(Step("frequent in the relative clause pattern", len(heads)))
    terms = select_head_nouns(heads, hyponyms, thresholds.hyponyms)
    step("head nouns with enough hyponyms", terms)
    terms = step("frequent terms", frequent_terms(terms, frequency, thresholds.term_count))
    terms = step("terms of one head noun only", unambiguous_terms(terms))
    triples = step("triples with a term", term_triples(terms, words, svo, svo_counts))
    triples = step("verbs frequent with the term", frequent_verbs(triples, thresholds.verb_count))
    triples = step("common-noun arguments", common_noun_arguments(triples))
    items: list[Property] = []
    if annotations:
        items = annotate(triples, annotations)
        step("looked at by the annotators", [a.item for a in annotations])
        step("kept by the annotators", items)
        items = select_terms(items, thresholds.properties, thresholds.terms)
        step("terms and head nouns with enough left", items)
    return Construction(tuple(funnel), terms, tuple(triples), tuple(items))
