"""Cheung & Penn 2012, from the corpus to similarities: four models of words in context, and two operations.

Every model is trained on one corpus over the same words (section 4.2): on window counts M&L and D&L, on dependency
triples TFP, on both E&P. A sentence is the sum or the product of its words *in context*, and two sentences are
compared by cosine; the baseline counts the lemmas that they share.

For a specialised domain (section 4.4) words that the general corpus lacks come from a corpus of that domain: with
vectors and triples of their own for M&L, E&P and TFP, with the mean senses of their nearest known words for D&L.

The sample profile's windows are the counts of the RELPRON chapter's Count space; what the teaching sets need beyond
them lies in ``data/distilled/cheung-*.npz``.
"""

import hashlib
import inspect
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.chapters.training_counts import REMEDY, compiled
from cdsm_lib.composition.contextual import ErkPado, LatentSenses, Simple, Thater, compose, cosines
from cdsm_lib.composition.overlap import is_content, overlap_between
from cdsm_lib.labels import Labels
from cdsm_lib.storage import read_npz, write_npz
from cdsm_lib.tasks import invariance, question_answering, relation_classification
from cdsm_lib.text.corpus import Corpus, Sentence
from cdsm_lib.text.counts import Counts, content_words, count_windows
from cdsm_lib.text.dependencies import Arc, Triples, arcs, backed_off, count_triples
from cdsm_lib.vectors import reduction, weighting
from cdsm_lib.vectors.space import Space

MODELS = ("M&L", "E&P", "TFP", "D&L")
OPERATIONS = ("add", "mult")
OVERLAP = "Overlap"
PURE = tuple(f"{model} {operation}" for model in MODELS for operation in OPERATIONS)
"""The semantic models alone."""

MIXED = tuple(f"{system} + overlap" for system in PURE)
"""Semantic score plus lemma overlap, as the paper has it: the plain sum."""

COUNTED = ("words", "known", "window", "content_only", "triple_count", "domain_triple_count", "resolve_voice")
"""The settings on which the distilled counts depend."""

DIGITS = 9
"""Significant digits of a cosine: what a machine's way of adding up does to the others makes no difference."""

PREFIX = "cheung-"
"""Of these chapters' files in ``data/distilled``."""

DOMAIN = "genia"
"""Of those among them that come from the domain's corpus."""


@dataclass(frozen=True)
class Materials:
    """What the models are trained from.

    Attributes
    ----------
    corpus : str
        Fingerprint of the corpus.
    windows : Counts
        Words by context words, most frequent words first.
    triples : Triples
        Dependency triples of the same words.
    resolve_voice : bool
        Whether passives were counted as their actives.
    """

    corpus: str
    windows: Counts
    triples: Triples
    resolve_voice: bool = False

    @property
    def words(self) -> Labels:
        """The words, most frequent first."""
        return self.windows.rows


# --------------------------------------------------------------------------------------------------------- gathering


def gather(
    corpus: Corpus,
    settings: Mapping,
    *,
    words: Sequence[str] | None = None,
    contexts: Sequence[str] | None = None,
    windows: Counts | None = None,
) -> Materials:
    """Count the windows and the dependency triples of the most frequent words.

    Parameters
    ----------
    corpus : Corpus
    settings : mapping
        The profile's ``contextual``: ``words`` and ``contexts`` (how many), ``window``, ``content_only`` (whether
        the window counts content words or all tokens), ``triple_count`` (fewest occurrences of a triple that is kept),
        ``resolve_voice``.
    words, contexts : sequence of str, optional
        These instead of the most frequent ones.
    windows : Counts, optional
        Windows that were counted before.
    """
    if windows is None:
        words = content_words(corpus, settings["words"]) if words is None else Labels(words)
        contexts = content_words(corpus, settings["contexts"]) if contexts is None else Labels(contexts)
        windows = count_windows(
            corpus, words, contexts, window=settings["window"], content_only=settings["content_only"]
        )
    voice, least = settings["resolve_voice"], settings["triple_count"]
    triples = count_triples(corpus, windows.rows, min_count=least, resolve_voice=voice)
    return Materials(corpus.fingerprint, windows, triples, voice)


def genia() -> Corpus:
    """All raw abstracts of GENIA, parsed: what domain vectors are trained on."""
    return compiled("genia", "genia_raw.conllu.xz")


def gather_domain(corpus: Corpus, general: Materials, settings: Mapping, among: Iterable[str] | None = None):
    """The same counts from a corpus of the domain, for all its content words, in the general contexts.

    Parameters
    ----------
    corpus : Corpus
    general : Materials
    settings : mapping
        As for `gather`; triples are kept from ``domain_triple_count`` occurrences on.
    among : iterable of str, optional
        Only these words, as the distilled counts have them.
    """
    words = content_words(corpus)
    if among is not None:
        wanted = set(among)
        words = Labels(word for word in words if word in wanted)
    chosen = dict(settings) | {"triple_count": settings["domain_triple_count"]}
    return gather(corpus, chosen, words=words, contexts=general.windows.columns)


# ------------------------------------------------------------------------------------------------- saving and loading


def save(materials: Materials, folder: Path, *, core: Counts | None = None, name: str = "counts") -> None:
    """Write materials into a folder; rows of windows that `core` has already are left out."""
    windows = materials.windows
    if core is not None:
        extra = [i for i, word in enumerate(windows.rows) if word not in core.rows]
        windows = Counts(windows.matrix[extra], windows.rows.take(extra), windows.columns)
    storage.save(replace(materials, windows=windows), folder / f"{PREFIX}{name}.npz")


def load(folder: Path, *, core: Counts | None = None, name: str = "counts", remedy: str = REMEDY) -> Materials:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    materials = storage.load(folder / f"{PREFIX}{name}.npz", Materials, remedy=remedy)
    return materials if core is None else replace(materials, windows=stacked(core, materials.windows))


def load_distilled(folder: Path, *, domain: bool = False) -> Materials:
    """The sample profile's materials: the Count space's windows and what lies beside them; or those of the domain."""
    if domain:
        return load(folder, name=DOMAIN)
    return load(folder, core=Counts.load(folder / "count.npz"))


def stacked(first: Counts, second: Counts) -> Counts:
    """The rows of both, over the same columns."""
    return Counts(
        sparse.vstack([first.matrix, second.matrix], format="csr"), [*first.rows, *second.rows], first.columns
    )


def teaching_sentences() -> list[Sentence]:
    """Every sentence of the three teaching sets: relations, questions with their documents, invariance."""
    relations = relation_classification.load("relations")
    questions = question_answering.load("questions")
    found = [sentence for pair in relations for sentence in pair.sentences]
    found += [sentence for document in questions.documents for sentence in document.sentences]
    found += [question.sentence for question in questions.questions]
    return found + [
        getattr(quadruple, form) for quadruple in invariance.load("invariance") for form in invariance.FORMS
    ]


# ---------------------------------------------------------------------------------------------------------- training


def association(counts: Counts, weight: str = "ppmi") -> Space:
    """Window counts weighted: ``ppmi`` (the paper: "pmi-scaled values"), or ``ratio``, P(c|t) / P(c), without log."""
    known = {"ppmi": weighting.ppmi, "ratio": weighting.ratio}
    if weight not in known:
        raise ValueError(f"weight={weight!r}; there are {' and '.join(known)}")
    weigh = known[weight]
    return Space(counts.rows, weigh(counts.matrix), counts.columns)


def with_rows(general: Space, special: Space) -> Space:
    """The general space, and the special one's rows for words that the general one lacks."""
    extra = [word for word in special.rows if word not in general.rows]
    if not extra:
        return general
    rows = sparse.vstack([general.vectors, special.subset(extra).vectors], format="csr")
    return Space([*general.rows, *extra], rows, general.dimensions)


def rows_for(space: Space, words: Labels) -> sparse.csr_array:
    """The vectors of these words in a sparse space, zeros for those that it lacks."""
    places = space.rows.encode(words)
    known = np.flatnonzero(places >= 0)
    cells = (np.ones(len(known), dtype=np.float32), (known, places[known]))
    return sparse.csr_array(cells, shape=(len(words), len(space))) @ space.vectors


def latent_senses(
    windows: Counts,
    settings: Mapping,
    seed: int,
    *,
    window: int,
    callback: Callable[[int, reduction.LDA], None] | None = None,
    checkpoints: Collection[int] = (),
    cache: Path | None = None,
) -> LatentSenses:
    """D&L's global latent senses from window counts (section 4.1).

    Parameters
    ----------
    windows : Counts
    settings : mapping
        ``method`` (gibbs, variational, nmf), ``dimensions`` (senses), ``iterations``, ``tokens`` (context tokens
        sampled for each word); see `reduction.LDA`.
    seed : int
    window : int
        Tokens to each side of a word in a sentence in which its contexts are looked for.
    callback, checkpoints
        As in `reduction.LDA.fit`: a look at the senses on the way.
    cache : Path, optional
        A folder in which fitted senses are kept, and from which they are read the next time; not looked into if there
        is a `callback`. Their name changes with the counts, the settings, the seed, the code that fits them and the
        versions of tomotopy, gensim and scikit-learn.
    """
    place = cache / f"{_key(windows, settings, seed)}.npz" if cache else None
    if place and place.exists() and not callback:
        arrays, _ = read_npz(place, "senses", 1, ["senses", "phi"], remedy=f"Delete {place}.")
        return LatentSenses(windows.rows, arrays["senses"], windows.columns, arrays["phi"], window=window)
    if settings["method"] == "nmf":
        senses, phi = _nmf(windows, settings, seed)
    else:
        lda = reduction.LDA(**settings, seed=seed).fit(windows.matrix, callback, checkpoints)
        senses, phi = lda.rows, lda.components
    if place:
        write_npz(place, "senses", 1, {"senses": senses.astype(np.float32), "phi": phi.astype(np.float32)})
    return LatentSenses(windows.rows, senses, windows.columns, phi, window=window)


def _nmf(windows: Counts, settings: Mapping, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Senses by factorising the same sample of the counts that LDA sees."""
    counts = reduction.subsample(windows.matrix, settings["tokens"], seed)
    model = reduction.NMF(settings["dimensions"], seed=seed, iterations=settings["iterations"])
    rows = model.fit_transform(counts)
    return reduction.senses_from_nmf(rows, model.components)


FITTING = (
    reduction.LDA, reduction._Gibbs, reduction._Variational, reduction.NMF, reduction.subsample,
    reduction.senses_from_nmf, _nmf,
)  # fmt: skip
"""The code on which fitted senses depend."""


def _key(windows: Counts, settings: Mapping, seed: int) -> str:
    digest = hashlib.sha256(json.dumps([dict(settings), seed, list(windows.matrix.shape)], sort_keys=True).encode())
    for part in (windows.matrix.data, windows.matrix.indices, windows.matrix.indptr):
        digest.update(np.ascontiguousarray(part).tobytes())
    for part in FITTING:
        digest.update(inspect.getsource(part).encode())
    for package in ("gensim", "scikit-learn", "tomotopy"):
        digest.update(version(package).encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Trained:
    """The models, and the words that they know.

    Attributes
    ----------
    words : Labels
        All of them, the general corpus's first, each part most frequent first.
    models : dict of name to model
        Those of `MODELS`, and variants of them by other names.
    resolve_voice : bool
        Whether passives were counted as their actives: sentences are then to be read in the same way.
    """

    words: Labels
    models: dict[str, object]
    resolve_voice: bool = False

    @cached_property
    def vocabulary(self) -> "Vocabulary":
        """Which row stands for a token."""
        return Vocabulary(self.words)


def structured(materials: Materials, settings: Mapping, space: Space) -> dict[str, object]:
    """E&P and TFP, on the triples."""
    ep = ErkPado(space, materials.triples, threshold=settings["threshold"], neighbours=settings["neighbours"])
    return {"E&P": ep, "TFP": Thater(materials.triples, min_count=settings["min_count"], min_pmi=settings["min_pmi"])}


def train(
    materials: Materials,
    settings: Mapping,
    seed: int,
    *,
    senses: Mapping | None = None,
    cache: Path | None = None,
) -> Trained:
    """M&L, E&P, TFP and D&L on the same words (section 4.2).

    Parameters
    ----------
    materials : Materials
    settings : mapping
        The profile's ``contextual``.
    seed : int
    senses : mapping, optional
        Settings of the latent senses, ``contextual.senses`` by default.
    cache : Path, optional
        As in `latent_senses`.
    """
    space = association(materials.windows, settings["weight"])
    chosen, window = senses or settings["senses"], settings["window"]
    latent = latent_senses(materials.windows, chosen, seed, window=window, cache=cache)
    models = {"M&L": Simple(space), **structured(materials, settings, space), "D&L": latent}
    return Trained(materials.words, models, materials.resolve_voice)


def adapt(trained: Trained, general: Materials, domain: Materials, settings: Mapping) -> Trained:
    """The models with the words of a domain that the general corpus lacks (section 4.4).

    M&L, E&P and TFP back off to vectors and triples from the domain's corpus. Latent senses have no meaning across
    trainings, so a word new to D&L takes the mean senses of its five nearest known words, by cosine over the domain's
    co-occurrence vectors, weighted as those of M&L.
    """
    own = association(domain.windows, settings["weight"])
    space = with_rows(trained.models["M&L"].space, own)
    both = Materials(general.corpus, domain.windows, backed_off(general.triples, domain.triples))
    latent = trained.models["D&L"]
    unknown = [word for word in own.rows if word not in general.words]
    nearest = latent.with_nearest(unknown, own.subset(unknown).vectors, rows_for(own, general.words))
    models = {"M&L": Simple(space), **structured(both, settings, space), "D&L": nearest}
    return Trained(space.rows, models, trained.resolve_voice)


def nearest_general(
    word: str, general: Materials, domain: Materials, settings: Mapping, n: int = 5
) -> list[tuple[str, float]]:
    """The general words nearest to a word of the domain, by cosine over co-occurrence there: (word, cosine)."""
    own = association(domain.windows, settings["weight"])
    return own.neighbours(word, n, among=[w for w in own.rows if w in general.words])


# --------------------------------------------------------------------------------------------------------- sentences


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Which row stands for a token: its own, else the most frequent one with the same lemma.

    Headlines and the names of proteins are often tagged wrongly; the paper's lemmas carry no tag at all.

    Parameters
    ----------
    words : Labels
        Rows, ``lemma|UPOS``, most frequent first.
    """

    words: Labels

    @cached_property
    def by_lemma(self) -> dict[str, str]:
        """The most frequent row of each lemma."""
        return {word.rpartition("|")[0]: word for word in reversed(self.words)}

    def find(self, lemma: str, upos: str) -> str | None:
        """The row's label, None for an unknown lemma."""
        label = f"{lemma}|{upos}"
        return label if label in self.words else self.by_lemma.get(lemma)


@dataclass(frozen=True)
class Parsed:
    """A sentence as the models see it.

    Attributes
    ----------
    lemmas : tuple of str
        Of its content tokens, for lemma overlap.
    words : tuple of str or None
        For each token its row; None for stop words, punctuation and unknown words.
    arcs : tuple of Arc
        Its dependencies, named as in the triples.
    unknown : tuple of str
        Content tokens without a row, as ``lemma|UPOS``.
    """

    lemmas: tuple[str, ...]
    words: tuple[str | None, ...]
    arcs: tuple[Arc, ...]
    unknown: tuple[str, ...]


def parsed(sentence: Sentence, vocabulary: Vocabulary, *, resolve_voice: bool = False) -> Parsed:
    """A sentence as the models see it, over this vocabulary."""
    content = [token for token in sentence if is_content(token)]
    row_of = {token.id: vocabulary.find(token.lemma, token.upos) for token in content}
    return Parsed(
        tuple(token.lemma for token in content),
        tuple(row_of.get(token.id) for token in sentence),
        tuple(arcs(sentence, resolve_voice=resolve_voice)),
        tuple(f"{token.lemma}|{token.upos}" for token in content if row_of[token.id] is None),
    )


def coverage(sentences: Iterable[Parsed]) -> tuple[int, int]:
    """Content tokens with a row, and without."""
    sentences = list(sentences)
    unknown = sum(len(sentence.unknown) for sentence in sentences)
    return sum(len(sentence.lemmas) for sentence in sentences) - unknown, unknown


def without_vector(models: Mapping[str, object], sentences: Iterable[Parsed]) -> dict[str, float]:
    """For each model the share of content tokens for which it has no vector: unknown ones, and those without data."""
    sentences = list(sentences)
    tokens = sum(len(sentence.lemmas) for sentence in sentences)
    return {
        name: 1 - sum(model.in_context(sentence.words, sentence.arcs).shape[0] for sentence in sentences) / tokens
        for name, model in models.items()
    }


def vectors(model, sentences: Sequence[Parsed]) -> dict[str, np.ndarray | sparse.csr_array]:
    """Each sentence's vector by each operation: {operation: [sentences, d]}, dense or sparse as the model's."""
    found = {operation: [] for operation in OPERATIONS}
    for sentence in sentences:
        rows = model.in_context(sentence.words, sentence.arcs)
        for operation in OPERATIONS:
            found[operation].append(compose(rows, operation))
    return {operation: _stack(rows) for operation, rows in found.items()}


def _stack(rows: list) -> np.ndarray | sparse.csr_array:
    return sparse.vstack(rows, format="csr") if sparse.issparse(rows[0]) else np.vstack(rows)


def significant(values: np.ndarray, digits: int = DIGITS) -> np.ndarray:
    """Values rounded to so many significant digits: 0.0123456 to two is 0.012. Products give cosines of any size."""
    size = np.abs(values)
    exponent = np.floor(np.log10(np.where(size > 1e-280, size, 1.0)))
    scale = 10.0 ** (digits - 1 - exponent)
    return np.round(values * scale) / scale


def similarities(
    models: Mapping[str, object], left: Sequence[Parsed], right: Sequence[Parsed] | None = None
) -> dict[str, np.ndarray]:
    """What every system gives every two sentences: {system: float64 [left, right]}.

    Parameters
    ----------
    models : mapping of name to model
    left, right : sequence of Parsed
        Without `right` the sentences are compared with one another.

    Returns
    -------
    dict
        Lemma overlap (eq. 15), every model with every operation (cosine, to `DIGITS`), and each of these plus the
        overlap.
    """
    right = left if right is None else right
    shared = overlap_between([s.lemmas for s in left], [s.lemmas for s in right]).astype(np.float64)
    found = {OVERLAP: shared}
    for name, model in models.items():
        ours = vectors(model, left)
        theirs = ours if right is left else vectors(model, right)
        for operation in OPERATIONS:
            found[f"{name} {operation}"] = significant(cosines(ours[operation], theirs[operation]))
    return found | {f"{system} + overlap": found[system] + shared for system in found if system != OVERLAP}
