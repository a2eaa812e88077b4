"""Reversible RELPRON: two properties of the same three words, in which subject and object have changed places.

*A thing that creates a current* is a generator, *a thing that a current creates* a field. Addition gives both the same
vector: which of the two describes the term is decided by who does what to whom alone. The construction follows RELPRON's
(Rimell et al. 2016, section 3): triples of the corpus by their count, candidates looked at by annotators.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.relpron import FUNCTIONS, Property

SUPPORT = frozenset("be become do get give have include make mark say see show take use".split())
"""Verbs that say little by themselves."""

VERDICTS = (*FUNCTIONS, "both", "neither")
"""What an annotator may say of a term: which of the two properties is generally true of it."""


@dataclass(frozen=True)
class Thresholds:
    """The fewest occurrences of a triple and of a noun, and the most terms of a verb and argument in one function."""

    triples: int = 2
    nouns: int = 50
    terms: int = 5


def candidates(
    triples: Mapping[tuple[str, str, str], int], frequency: Mapping[str, int], head: str, least: Thresholds = Thresholds()
) -> list[Property]:
    """Properties whose verb and argument are attested with terms in both functions, by verb, argument and function.

    `triples` are counted (subject, verb, object) lemmas of nouns and verbs, `frequency` that of nouns. A term that is
    attested in both functions is none. In one function the most frequent terms come first, of equals by the alphabet.

    >>> triples = {("coil", "create", "current"): 3, ("current", "create", "field"): 2, ("dog", "create", "mess"): 9}
    >>> frequency = dict.fromkeys(["coil", "current", "field", "dog", "mess"], 50)
    >>> print(*candidates(triples, frequency, "thing"), sep="; ")
    coil: thing that create current; field: thing that current create
    """
    by_phrase = defaultdict(lambda: {function: [] for function in FUNCTIONS})
    for (subject, verb, object_), n in triples.items():
        usable = n >= least.triples and verb not in SUPPORT and len({subject, verb, object_}) == 3
        usable &= all(word.isascii() and word.isalpha() and word.islower() and len(word) > 2 for word in (subject, verb, object_))
        if usable and min(frequency.get(noun, 0) for noun in (subject, object_)) >= least.nouns and (object_, verb, subject) not in triples:
            by_phrase[verb, object_]["SBJ"].append((-n, subject))
            by_phrase[verb, subject]["OBJ"].append((-n, object_))
    properties = []
    for (verb, argument), sides in sorted(by_phrase.items()):
        terms = {function: [term for _, term in sorted(side)] for function, side in sides.items()}
        both = set.intersection(*map(set, terms.values()))
        terms = {function: [term for term in side if term not in both][: least.terms] for function, side in terms.items()}
        if all(terms.values()):
            properties += [Property(term, head, function, verb, argument) for function, side in terms.items() for term in side]
    return properties
