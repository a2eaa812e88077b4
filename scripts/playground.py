"""``make playground``: the words and matrices of the book's playground, ``data/models/playground.npz``.

It takes a few minutes once word2vec is in the cache, else half an hour; the file is small enough for a page.
Three spaces have the same words as rows:

- *reduced*: PPMI and SVD as in the chapter on lexical substitution, in `SIZE` dimensions, each vector of length 1; with
  the matrices of modifiers and verbs, learned from counted bigrams.
- *counted*: PPMI over `FEATURES` context words, of each word its `CONTEXTS` strongest.
- *skip-gram*: word2vec as in the chapter on sense vectors, turned to its principal axes, of which `AXES` are kept.

Numbers are rounded to a byte, with a scale for each row. A matrix is kept as the sum of its `RANK` largest singular
components. What that costs is measured on `EXAMPLES` and kept in the file.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.chapters import sense_vectors, substitution_models
from cdsm_lib.chapters.playground import KIND, Playground, unpack
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.linear import LexicalFunction
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import made_with
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import content_words
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.space import Space
from scripts import run

WORDS, FEATURES, CONTEXTS = 10_700, 1000, 40
SIZE, RANK, AXES = 80, 18, 70
ADJECTIVES, NOUNS, VERBS = 400, 40, 270
"""At most so many of the most frequent words of a kind have matrices."""

BIGRAM_COUNT, BIGRAM_LIMIT, MIN_PAIRS = 3, 150, 5
"""Matrices are learned from the bigrams that occur so often, the most frequent of each word, if there are so many."""

EXAMPLES = {
    "adjective-noun": ("hot dog", "black hole", "cold war", "cold logic", "green plant", "nuclear power"),
    "noun-noun": ("field trip", "power plant", "car park", "fire engine"),
    "verb-object": ("enter war", "draw bow", "eat bread", "drink tea", "play jazz", "run company"),
    "subject-clause": ("artist play jazz", "person appoint king", "device detect planet", "animal eat grass"),
    "object-clause": ("weapon archer draw", "substance plant absorb", "person king appoint"),
}
"""Phrases of lemmas, by kind: their words are in the file, with their matrices, and its loss is measured on them."""

TAGS = {"adjective-noun": ("ADJ", "NOUN"), "noun-noun": ("NOUN", "NOUN"), "verb-object": ("VERB", "NOUN"),
        "subject-clause": ("NOUN", "VERB", "NOUN"), "object-clause": ("NOUN", "NOUN", "VERB")}  # fmt: skip

TERMS = {"adjective-noun": (("modifier", 0, 1),), "noun-noun": (("modifier", 0, 1),),
         "verb-object": (("object", 0, 1),), "subject-clause": (("subject", 1, 0), ("object", 1, 2)),
         "object-clause": (("object", 2, 0), ("subject", 2, 1))}  # fmt: skip
"""Whose matrix of which role acts on which word; the phrase is the sum."""

LEMMAS = {
    "ashe|NOUN": "ash|NOUN", "auspex|NOUN": "auspices|NOUN", "clothe|NOUN": "clothes|NOUN", "corp|NOUN": "corps|NOUN",
    "comic_strip|NOUN": "comics|NOUN", "crosse|NOUN": "cross|NOUN", "datum|NOUN": "data|NOUN", "eld|ADJ": "elder|ADJ",
    "farth|ADJ": "far|ADJ", "headquarter|NOUN": "headquarters|NOUN", "infrare|VERB": "infrared|ADJ",
    "instal|VERB": "install|VERB", "leave|NOUN": "leaf|NOUN", "lense|NOUN": "lens|NOUN", "masse|NOUN": "mass|NOUN",
    "mp|NOUN": "mps|NOUN", "nee|VERB": "need|VERB", "odd|NOUN": "odds|NOUN", "outskirt|NOUN": "outskirts|NOUN",
    "remain|NOUN": "remains|NOUN", "specie|NOUN": "species|NOUN", "speciman|NOUN": "specimen|NOUN",
    "stre|VERB": "string|VERB", "subspecie|NOUN": "subspecies|NOUN", "taxis|NOUN": "tax|NOUN",
    "thank|NOUN": "thanks|NOUN",
} | {f"{stem}|NOUN": f"{stem}s|NOUN" for stem in (
    "aesthetic", "athletic", "dynamic", "economic", "electronic", "ethic", "genetic", "linguistic", "logistic",
    "mathematic", "mechanic", "metaphysic", "optic", "physic", "politic", "semantic", "thermodynamic", "tropic",
)}  # fmt: skip
"""Wrong lemmas of the corpus, and the right ones; *leave* only where the text has *leaves*."""

UNWANTED = {"flander|NOUN", "pende|VERB", "varie|NOUN"}
SPELLED = re.compile(r"[a-z][a-z.'-]*[a-z.]\|[A-Z]+")


def main(corpus: Corpus | None = None, trained: Space | None = None, place: Path | None = None) -> None:
    """Make the file of the whole corpus, or of another one with its word2vec."""
    profile, corpus = load_profile("full"), corpus or wikipedia()
    trained = trained or sense_vectors.vectors(profile).lexicons[sense_vectors.WORD2VEC].space
    whole = gather(corpus, trained, profile["lexical_substitution"], profile["seed"])
    arrays = pack(whole)
    exact = replace(whole, spaces=whole.spaces | {"skip-gram": whole_vectors(whole.words, trained)})
    about = made_with(datasets.used(["wikipedia_parsed"]), corpus.fingerprint, profile["seed"])
    meta = {"made with": about, "loss": losses(exact, unpack(arrays))}
    ledger.enter_digest(storage.write_npz(place or ledger.path(KIND), KIND, 1, arrays, meta))


# ----------------------------------------------------------------------------------------------------------- making


def examples() -> list[tuple[str, list[str]]]:
    """`EXAMPLES` as kind and labels."""
    pairs = [(kind, phrase.split()) for kind, phrases in EXAMPLES.items() for phrase in phrases]
    return [(kind, list(map("|".join, zip(lemmas, TAGS[kind], strict=True)))) for kind, lemmas in pairs]


def relabelled(corpus: Corpus) -> Corpus:
    """The corpus with the right lemmas of `LEMMAS`, its forms as they were."""
    labels = list(corpus.words)
    place, word = np.arange(len(labels)), np.array(corpus.word)
    for wrong, right in LEMMAS.items():
        if wrong not in corpus.words:
            continue
        at = corpus.words.index(wrong)
        if wrong == "leave|NOUN":
            word[(word == at) & corpus.forms.mask(["leaves", "Leaves"])[corpus.form]] = corpus.words.index(right)
        elif right in corpus.words:
            place[at] = corpus.words.index(right)
        else:
            labels[at] = right
    return replace(corpus, word=place[word].astype(corpus.word.dtype), folder=None,
                   tables={"forms": corpus.forms, "words": Labels(labels)})  # fmt: skip


def gather(corpus: Corpus, trained: Space, settings: Mapping, seed: int) -> Playground:
    """Count words and bigrams, and learn the matrices.

    Parameters
    ----------
    corpus : Corpus
    trained : Space
        word2vec of the corpus; a word without a vector there is left out.
    settings : mapping
        The profile's ``lexical_substitution``: ``window`` and ``power``.
    seed : int
    """
    corpus = relabelled(corpus)
    needed = dict.fromkeys(label for _, labels in examples() for label in labels)
    settings = {**settings, "words": WORDS, "dimensions": SIZE, "min_pairs": MIN_PAIRS,
                "bigram_count": BIGRAM_COUNT, "bigram_limit": BIGRAM_LIMIT}  # fmt: skip
    words = substitution_models.gather_words(corpus, needed, settings)
    rows = [word for word in words.labels if SPELLED.fullmatch(word) and word not in UNWANTED and _own(word, trained)]
    bigrams = substitution_models.gather_bigrams(corpus, words, predicates(rows, words.modifies), settings)
    space = substitution_models.train_space(words, settings, seed)
    model = substitution_models.practical(space, bigrams, settings)
    vectors = weighting.normalise_rows(space.space.take(rows))
    counts = sparse.vstack([words.core.matrix, words.more.matrix])
    features = content_words(corpus, FEATURES)
    columns = words.core.columns.encode(features)
    counted = weighting.ppmi(counts.tocsr()[words.labels.encode(rows)][:, columns])
    strongest = weighting.select_contexts(counted, CONTEXTS)
    whole = whole_vectors(rows, trained).vectors
    return Playground(
        {"reduced": Space(rows, vectors), "counted": Space(rows, strongest, features),
         "skip-gram": Space(rows, SVD(AXES).fit_transform(whole))},
        {"modifier": model.modifiers, "subject": _alone(model.verb_subject, model.verb_object),
         "object": _alone(model.verb_object, model.verb_subject)}, {},
    )  # fmt: skip


def _alone(function: LexicalFunction, other: LexicalFunction) -> LexicalFunction:
    """The functors that another function has too."""
    common = LexicalFunction()
    common.functors = Labels(word for word in function.functors if word in other.functors)
    common.matrices = function.matrices[function.functors.encode(common.functors)]
    return common


def predicates(rows: Sequence[str], modifies: Mapping[str, int]) -> list[str]:
    """The words that get matrices if they have bigrams enough: the most frequent, nouns by how often they modify."""
    chosen = {word for kind, labels in examples() for _, at, _ in TERMS[kind] for word in [labels[at]]}
    for tag, most in (("ADJ", ADJECTIVES), ("VERB", VERBS)):
        chosen.update([word for word in rows if word.endswith(f"|{tag}")][:most])
    nouns = [word for word in rows if word.endswith("|NOUN")]
    chosen.update(sorted(nouns, key=lambda word: -modifies.get(word, 0))[:NOUNS])
    return [word for word in rows if word in chosen]


def _own(word: str, trained: Space) -> str | None:
    """The label of a word in word2vec's space, where lemmas are as the corpus has them."""
    wrong = next((wrong for wrong, right in LEMMAS.items() if right == word and wrong != "leave|NOUN"), None)
    return next((label for label in (word, wrong) if label in trained), None)


def whole_vectors(rows: Sequence[str], trained: Space) -> Space:
    """word2vec's vectors of these words, all their dimensions."""
    return Space(rows, trained.take([_own(word, trained) for word in rows]))


# ---------------------------------------------------------------------------------------------------------- rounding


def rounded(values: np.ndarray, dtype: type = np.int8) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as small integers and a scale for each row (of the last axis).

    Values [..., d] become integers of `dtype` (uint8 for values that are never negative), and float32 scales [...]: a
    row's largest absolute value divided by 127 (or 255), 0 for a row of zeros.
    """
    values, limits = np.asarray(values, dtype=np.float64), np.iinfo(dtype)
    scale = (np.abs(values).max(axis=-1, initial=0) / limits.max).astype(np.float32)
    steps = scale[..., None].astype(np.float64)
    whole = np.rint(np.divide(values, steps, out=np.zeros_like(values), where=steps > 0))
    return np.clip(whole, max(limits.min, -limits.max), limits.max).astype(dtype), scale


def components(matrices: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrices [m, d, d] as sums of outer products: left, right int8 [m, rank, d] and scale float32 [m, rank].

    ``sum_k scale_k * outer(left_k, right_k)`` is near the matrix in the sense of least squares; a matrix of lower rank
    has components of scale 0.
    """
    u, s, v = np.linalg.svd(np.asarray(matrices, dtype=np.float64))
    (left, a), (right, b) = rounded(np.swapaxes(u, 1, 2)[:, :rank]), rounded(v[:, :rank])
    return left, right, (a * b * s[:, :rank]).astype(np.float32)


def pack(whole: Playground) -> dict[str, np.ndarray]:
    """The arrays of the file: labels as bytes, vectors rounded, matrices as `components`.

    Of a dense space ``values`` [n, d] and ``scale`` [n]; of the counted one ``columns``, ``values`` [n, k] and
    ``scale`` [n], where a weight of 0 fills the row of a word with fewer contexts.
    """
    labels = {"words": whole.words, "contexts": whole.spaces["counted"].dimensions}
    arrays = {name: storage.pack_labels(names) for name, names in labels.items()}
    for name, space in whole.spaces.items():
        vectors, dtype = space.vectors, np.int8
        if space.is_sparse:
            arrays[f"{name}.columns"], vectors = _by_row(vectors)
            dtype = np.uint8
        arrays[f"{name}.values"], arrays[f"{name}.scale"] = rounded(vectors, dtype)
    for role, function in whole.matrices.items():
        arrays[f"{role}.words"] = storage.pack_labels(function.functors)
        of_role = components(function.matrices, min(RANK, function.matrices.shape[-1]))
        arrays |= dict(zip((f"{role}.left", f"{role}.right", f"{role}.scale"), of_role, strict=True))
    return arrays


def _by_row(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """A sparse matrix as columns (uint16) and weights [n, k], k being the longest row; 0 fills the others."""
    weights = matrix.toarray()
    columns = np.argsort(weights == 0, axis=1, kind="stable")[:, : np.diff(matrix.indptr).max()]
    weights = np.take_along_axis(weights, columns, axis=1)
    return np.where(weights, columns, 0).astype(np.uint16), weights


def losses(exact: Playground, small: Playground) -> dict[str, float]:
    """What the small form costs: mean absolute difference of the cosines of `EXAMPLES` with all words.

    Returns
    -------
    dict of str to float
        By space for phrases composed by addition, and ``matrices`` for those composed by matrices.
    """

    def cosines(playground: Playground, name: str, kind: str, labels: Sequence[str]) -> np.ndarray:
        space = playground.spaces["reduced" if name == "matrices" else name]
        if name == "matrices":
            phrase = sum(playground.matrices[role].compose(labels[f], space[labels[x]]) for role, f, x in TERMS[kind])
        else:
            phrase = sum(space[label].astype(np.float64) for label in labels)
        lengths = np.sqrt(np.asarray((space.vectors * space.vectors).sum(axis=1)).ravel()) * np.linalg.norm(phrase)
        return np.divide(space.vectors @ phrase, lengths, out=np.zeros(len(playground.words)), where=lengths > 0)

    loss = {}
    for name in (*exact.spaces, "matrices"):
        apart = [np.abs(cosines(exact, name, *phrase) - cosines(small, name, *phrase)).mean() for phrase in examples()]
        loss[name] = round(float(np.mean(apart)), 4)
    return loss


if __name__ == "__main__":
    run(main)
