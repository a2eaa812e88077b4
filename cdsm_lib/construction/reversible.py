"""Reversible RELPRON: two properties of the same three words, in which subject and object have changed places.

*A thing that creates a current* is a generator, *a thing that a current creates* a field. The construction follows
RELPRON's (Rimell et al. 2016, section 3): triples of the corpus by their count, then annotators. The head noun is
*thing* throughout: a term that acts and one that is acted upon have few hypernyms in common that say more.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cdsm_lib.evaluation.metrics import cohen_kappa
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.relpron import FUNCTIONS, Property, RelPron
from cdsm_lib.text.corpus import COLUMNS, Corpus
from cdsm_lib.text.extraction import count_tuples, subject_verb_object

HEAD = "thing"
SUPPORT = frozenset("be become do get give have include make mark say see show take use".split())
"""Verbs that say little by themselves."""


@dataclass(frozen=True)
class Thresholds:
    """The fewest occurrences of a triple and of a noun; the most terms in one function; the most pairs of a verb."""

    triples: int = 2
    nouns: int = 50
    terms: int = 5
    pairs: int = 20


@dataclass(frozen=True)
class Annotation:
    """A candidate, and what two annotators, who did not know its function, said of the term: in which function the
    property is generally true of it, or "both" or "neither"."""

    item: Property
    first: str
    second: str

    @property
    def kept(self) -> bool:
        """Whether both say that the property is true, and not with the roles exchanged."""
        return self.first == self.second == self.item.function


# ---------------------------------------------------------------------------------------------------------- candidates


def counted_triples(corpus: Corpus) -> tuple[dict[tuple[str, str, str], int], dict[str, int]]:
    """Subject, verb and object of a parsed corpus with their counts, all lemmas; and how often each noun occurs.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> counted_triples(corpus_from_text("coils:coil/2/nsubj create|VERB/0/root currents:current/2/dobj"))
    ({('coil', 'create', 'current'): 1}, {'coil': 1, 'current': 1})
    """
    tuples = count_tuples(corpus, subject_verb_object(corpus), pos=("NOUN", "VERB", "NOUN"))
    lemmas = corpus.lemma_of
    triples = {tuple(lemmas[ids]): n for ids, n in zip(tuples.ids, tuples.counts.tolist(), strict=True)}
    nouns = np.flatnonzero(corpus.pos_of == "NOUN")
    return triples, dict(zip(lemmas[nouns], corpus.word_counts[nouns].tolist(), strict=True))


def candidates(
    triples: Mapping[tuple[str, str, str], int], frequency: Mapping[str, int], least: Thresholds = Thresholds()
) -> list[Property]:
    """Properties whose verb and argument are attested with terms in both functions, by verb, argument and function.

    `triples` and `frequency` are those of `counted_triples`. A term that is attested in both functions is none. In one
    function the most frequent terms come first, of equals by the alphabet.

    >>> triples = {("coil", "create", "current"): 3, ("current", "create", "field"): 2, ("dog", "create", "mess"): 9}
    >>> frequency = dict.fromkeys(["coil", "current", "field", "dog", "mess"], 50)
    >>> print(*candidates(triples, frequency), sep="; ")
    coil: thing that create current; field: thing that current create
    """
    by_phrase = defaultdict(lambda: {function: [] for function in FUNCTIONS})
    for (subject, verb, object_), n in triples.items():
        words = {subject, verb, object_}
        usable = n >= least.triples and verb not in SUPPORT and len(words) == 3
        usable &= all(word.isascii() and word.isalpha() and word.islower() and len(word) > 2 for word in words)
        usable &= min(frequency.get(noun, 0) for noun in (subject, object_)) >= least.nouns
        if usable and (object_, verb, subject) not in triples:
            by_phrase[verb, object_]["SBJ"].append((-n, subject))
            by_phrase[verb, subject]["OBJ"].append((-n, object_))
    properties = []
    for (verb, argument), sides in sorted(by_phrase.items()):
        terms = {function: [term for _, term in sorted(side)] for function, side in sides.items()}
        both = set.intersection(*map(set, terms.values()))
        terms = {f: [term for term in side if term not in both][: least.terms] for f, side in terms.items()}
        if all(terms.values()):
            properties += [Property(term, HEAD, f, verb, argument) for f, side in terms.items() for term in side]
    return properties


# --------------------------------------------------------------------------------------------------------- annotations


def read_annotations(path) -> list[Annotation]:
    """Read the candidates with both annotators' labels, in file order; a `TaskError` names file and line.

    >>> from cdsm_lib import datasets
    >>> first = read_annotations(datasets.sample_path("reversible") / "annotations.tsv")[0]
    >>> str(first.item), first.first, first.kept
    ('hole: thing that absorb gas', 'neither', False)
    """
    columns, labels = ("verb", "argument", "function", "term", "first", "second"), (*FUNCTIONS, "both", "neither")
    kinds = {"function": FUNCTIONS, "first": labels, "second": labels}
    annotations = []
    for _, row in read_table(path, columns, kinds, key=columns[:4]):
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


def balanced(items: Iterable[Property], most: int = Thresholds.pairs, seed: int = 0) -> list[Property]:
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


def split_by_verb(items: Sequence[Property], every: int = 3) -> tuple[RelPron, RelPron]:
    """Every third verb of the alphabet for development, the others for the test: no property's verb is in both.

    >>> dev, test = split_by_verb([Property("coil", "thing", "SBJ", verb, "current") for verb in ("carry", "create")])
    >>> [item.verb for item in dev.items], [item.verb for item in test.items]
    (['carry'], ['create'])
    """
    dev = sorted({item.verb for item in items})[::every]
    parts = ("dev", [i for i in items if i.verb in dev]), ("test", [i for i in items if i.verb not in dev])
    return tuple(RelPron(tuple(part), split, "reversible") for split, part in parts)


@dataclass(frozen=True)
class Construction:
    """Both splits, and what each step left: {step: properties}."""

    splits: tuple[RelPron, RelPron]
    funnel: Mapping[str, Sequence[Property]]


def build(annotations: Sequence[Annotation], most: int = Thresholds.pairs) -> Construction:
    """From annotated candidates to the two splits.

    >>> items = [Property(*of) for of in (("coil", "thing", "SBJ", "create", "current"),
    ...                                   ("field", "thing", "OBJ", "create", "current"))]
    >>> made = build([Annotation(item, item.function, item.function) for item in items])
    >>> [len(split) for split in made.splits], [len(left) for left in made.funnel.values()]
    ([2, 0], [2, 2, 2, 2])
    """
    kept = [a.item for a in annotations if a.kept]
    final = balanced(kept, most)
    steps = {"candidates": [a.item for a in annotations], "both annotators agree with the corpus": kept}
    steps |= {"as many terms in either function": balanced(kept, len(kept))}
    return Construction(split_by_verb(final), steps | {f"of a verb at most {most} pairs": final})


def check(annotations: Sequence[Annotation], corpus: Corpus) -> None:
    """Compare the candidates that were annotated with those of a corpus; a `TaskError` if they have parted.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> check([], corpus_from_text("coil create|VERB field"))
    """
    now, before = candidates(*counted_triples(corpus)), [a.item for a in annotations]
    if now != before:
        n = len(set(now).symmetric_difference(before))
        raise TaskError(None, None, f"{n} candidates were not annotated, or are none: annotate the present ones")


# ------------------------------------------------------------------------------------------------------------ held out


def held_out(corpus: Corpus, items: Iterable[Property]) -> Corpus:
    """The corpus without the sentences in which term, verb and argument of an item stand together, in whatever roles.

    The items come from this corpus: who has read that a generator created a current need not know what *create* means.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("coils:coil create|VERB/0/root current", "coil current", "coil create|VERB field")
    >>> held_out(corpus, [Property("coil", "thing", "SBJ", "create", "current")]).n_sentences
    2
    """
    words = [(item.term, item.verb, item.argument) for item in items]
    place_of = {lemma: i for i, lemma in enumerate(dict.fromkeys(lemma for three in words for lemma in three))}
    place = np.array([place_of.get(lemma, -1) for lemma in corpus.lemma_of])[corpus.word]
    lengths = np.diff(corpus.offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)[place >= 0]
    order = np.argsort(place[place >= 0], kind="stable")
    ends = np.cumsum(np.bincount(place[place >= 0], minlength=len(place_of)))[:-1]
    with_word = [np.unique(some) for some in np.split(sentence[order], ends)]
    left = np.ones(len(lengths), dtype=bool)
    for three in words:
        first, *rest = sorted((with_word[place_of[lemma]] for lemma in three), key=len)
        left[first[np.all([np.isin(first, other, assume_unique=True) for other in rest], axis=0)]] = False
    tokens = np.repeat(left, lengths)
    columns = {name: getattr(corpus, name)[tokens] for name in COLUMNS}
    mark = hashlib.sha256(f"{corpus.fingerprint} without {words}".encode()).hexdigest()
    offsets = np.concatenate(([0], np.cumsum(lengths[left])))
    return replace(corpus, **columns, offsets=offsets, files=(("held out", 0),), fingerprint=mark)
