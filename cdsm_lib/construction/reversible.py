"""Reversible RELPRON: two properties of the same three words, in which subject and object have changed places.

*A thing that creates a current* is a generator, *a thing that a current creates* a field. The construction follows
RELPRON's (Rimell et al. 2016, section 3): triples of the corpus by their count, then annotators. The head noun is
*thing* throughout: a term that acts and one that is acted upon have few hypernyms in common that say more.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.evaluation.metrics import cohen_kappa
from cdsm_lib.labels import Labels
from cdsm_lib.tables import read_table
from cdsm_lib.tasks.relpron import FUNCTIONS, Property, RelPron
from cdsm_lib.text.corpus import COLUMNS, Corpus
from cdsm_lib.text.extraction import count_tuples, subject_verb_object

NAME, HEAD = "reversible", "thing"
SUPPORT = frozenset("be become do get give have include make mark say see show take use".split())
"""Verbs that say little by themselves."""
TRIPLES, NOUNS, TERMS, PAIRS = 2, 50, 5, 20
"""The fewest occurrences of a triple and of a noun; the most terms in one function; the most pairs of a verb."""


@dataclass(frozen=True)
class Annotation:
    """A candidate, and what two annotators, who did not know its function, said of the term: in which function the
    property is generally true of it, or "both" or "neither"."""

    item: Property
    first: str
    second: str

    @property
    def accepted(self) -> bool:
        """Whether both say that the property is true, and not with the roles exchanged."""
        return self.first == self.second == self.item.function


def candidates(corpus: Corpus, least: int = NOUNS) -> list[Property]:
    """Properties whose verb and argument a parsed corpus has with terms in both functions, by verb, argument, function.

    A noun that occurs less than `least` times is left out, and so is a term that is attested in both functions. In one
    function the most frequent terms come first, of equals by the alphabet.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> triples = ("coil", "current"), ("current", "field"), ("dog", "mess")
    >>> clauses = [f"{noun}/2/nsubj create|VERB/0/root {other}/2/dobj" for noun, other in triples]
    >>> print(*candidates(corpus_from_text(*clauses * 2), least=1), sep="; ")
    coil: thing that create current; field: thing that current create
    """
    tuples = count_tuples(corpus, subject_verb_object(corpus), pos=("NOUN", "VERB", "NOUN"))
    triples = {tuple(corpus.lemma_of[ids]): n for ids, n in zip(tuples.ids, tuples.counts.tolist(), strict=True)}
    nouns = {corpus.words[i].rpartition("|")[0] for i in np.flatnonzero(corpus.word_counts >= least)
             if corpus.pos_of[i] == "NOUN"}  # fmt: skip
    by_phrase = defaultdict(lambda: {function: [] for function in FUNCTIONS})
    for (subject, verb, object_), n in triples.items():
        words = {subject, verb, object_}
        usable = n >= TRIPLES and verb not in SUPPORT and len(words) == 3 and {subject, object_} <= nouns
        usable &= all(word.isascii() and word.isalpha() and word.islower() and len(word) > 2 for word in words)
        if usable and (object_, verb, subject) not in triples:
            by_phrase[verb, object_]["SBJ"].append((-n, subject))
            by_phrase[verb, subject]["OBJ"].append((-n, object_))
    properties = []
    for (verb, argument), sides in sorted(by_phrase.items()):
        for function, side in sides.items() if all(sides.values()) else ():
            properties += [Property(term, HEAD, function, verb, argument) for _, term in sorted(side)[:TERMS]]
    return properties


def read_annotations(path: Path | None = None) -> list[Annotation]:
    """The candidates with both annotators' labels, in file order; a `TaskError` names file and line.

    >>> first = read_annotations()[0]
    >>> str(first.item), first.first, first.accepted
    ('hole: thing that absorb gas', 'neither', False)
    """
    columns, labels = ("verb", "argument", "function", "term", "first", "second"), (*FUNCTIONS, "both", "neither")
    kinds = {"function": FUNCTIONS, "first": labels, "second": labels}
    annotations = []
    for _, row in read_table(path or datasets.sample_path(NAME) / "annotations.tsv", columns, kinds, key=columns[:4]):
        item = Property(row["term"], HEAD, row["function"], row["verb"], row["argument"])
        annotations.append(Annotation(item, row["first"], row["second"]))
    return annotations


def kappas(annotations: Sequence[Annotation]) -> tuple[float, float]:
    """Cohen's kappa of the two annotators: over the four labels, and over what each would keep.

    >>> coil = Property("coil", "thing", "SBJ", "create", "current")
    >>> both = kappas([Annotation(coil, *labels) for labels in (("SBJ", "SBJ"), ("SBJ", "both"), ("OBJ", "OBJ"))])
    >>> [round(kappa, 2) for kappa in both]
    [0.5, 0.4]
    """
    labels = [(a.first, a.second) for a in annotations]
    keeps = [(a.first == a.item.function, a.second == a.item.function) for a in annotations]
    return tuple(cohen_kappa(*zip(*both, strict=True)) for both in (labels, keeps))


def balanced(items: Iterable[Property], most: int = PAIRS, seed: int = 0) -> list[Property]:
    """As many terms in one function as in the other for each pair of verb and argument, the first ones of each; of a
    verb with too many pairs only `most`, drawn by lot.

    So a system that prefers one function, whatever the term is, is right in half of the items of each pair.

    >>> sides = [("cell", "SBJ"), ("vessel", "SBJ"), ("iron", "OBJ")]
    >>> items = [Property(term, "thing", function, "contain", "blood") for term, function in sides]
    >>> [item.term for item in balanced([*items, Property("egg", "thing", "SBJ", "contain", "yolk")])]
    ['cell', 'iron']
    """
    pairs, by_verb = defaultdict(lambda: {function: [] for function in FUNCTIONS}), defaultdict(list)
    for item in items:
        pairs[item.verb, item.argument][item.function].append(item)
    for (verb, _), sides in pairs.items():
        n = min(map(len, sides.values()))
        if n:
            by_verb[verb].append([item for side in sides.values() for item in side[:n]])
    rng, chosen = np.random.default_rng(seed), []
    for of_verb in by_verb.values():
        for i in np.sort(rng.permutation(len(of_verb))[:most]):
            chosen += of_verb[i]
    return chosen


def build(annotations: Sequence[Annotation]) -> tuple[tuple[RelPron, RelPron], dict[str, list[Property]]]:
    """Annotated candidates to both splits, and the properties that each step has left, by its name.

    Every third verb of the alphabet is for development, the others are for the test: no property's verb is in both.

    >>> both = [("coil", "SBJ"), ("field", "OBJ")]
    >>> items = [Property(term, "thing", f, verb, "current") for verb in ("carry", "create") for term, f in both]
    >>> splits, steps = build([Annotation(item, item.function, item.function) for item in items])
    >>> [split.items[0].verb for split in splits], [len(left) for left in steps.values()]
    (['carry', 'create'], [4, 4, 4, 4])
    """
    agreed = [a.item for a in annotations if a.accepted]
    steps = {"candidates": [a.item for a in annotations], "both annotators agree with the corpus": agreed}
    steps |= {"as many terms in either function": balanced(agreed, len(agreed))}
    final = steps[f"of a verb at most {PAIRS} pairs"] = balanced(agreed)
    dev = sorted({item.verb for item in final})[::3]
    parts = ("dev", [i for i in final if i.verb in dev]), ("test", [i for i in final if i.verb not in dev])
    return tuple(RelPron(tuple(part), split, NAME) for split, part in parts), steps


def held_out(corpus: Corpus, items: Iterable[Property]) -> Corpus:
    """The corpus without the sentences in which term, verb and argument of an item stand together, in whatever roles.

    The items come from this corpus: who has read that a generator created a current need not know what *create* means.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("coils:coil create|VERB/0/root current", "coil current", "coil create|VERB field")
    >>> held_out(corpus, [Property("coil", "thing", "SBJ", "create", "current")]).n_sentences
    2
    """
    words, lengths = [(item.term, item.verb, item.argument) for item in items], np.diff(corpus.offsets)
    lemmas = Labels(dict.fromkeys(lemma for three in words for lemma in three))
    place, left = lemmas.encode(corpus.lemma_of)[corpus.word], np.ones(len(lengths), dtype=bool)
    where = place[place >= 0], np.repeat(np.arange(len(lengths)), lengths)[place >= 0]
    there = sparse.csr_array((np.ones(len(where[0]), dtype=bool), where), shape=(len(lemmas), len(lengths)))
    for three in words:
        first, second, third = (there[[i]] for i in lemmas.encode(three))
        left[first.multiply(second).multiply(third).indices] = False
    columns = {name: getattr(corpus, name)[np.repeat(left, lengths)] for name in COLUMNS}
    columns |= {"offsets": np.concatenate(([0], np.cumsum(lengths[left]))), "files": (("held out", 0),)}
    mark = hashlib.sha256(f"{corpus.fingerprint} without {words}".encode()).hexdigest()
    return replace(corpus, **columns, fingerprint=mark)
