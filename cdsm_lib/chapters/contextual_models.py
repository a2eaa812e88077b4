"""Cheung & Penn 2012, from the corpus to similarities: four models of words in context, and two operations.

Every model is trained on one corpus over the same words (section 4.2): on window counts M&L and D&L, on dependency
triples TFP, on both E&P. A sentence is the sum or the product of its words *in context*, and two sentences are
compared by cosine; the baseline counts the lemmas that they share.

For a specialised domain (section 4.4) words that the general corpus lacks come from a corpus of that domain: with
vectors and triples of their own for M&L, E&P and TFP, with the mean senses of their nearest known words for D&L.

The sample profile's windows are the counts of the RELPRON chapter's Count space; what the teaching sets need beyond
them lies in ``data/distilled/cheung-*.npz``.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.cache import cached
from cdsm_lib.chapters.training_counts import REMEDY, compiled, wikipedia
from cdsm_lib.composition.contextual import ErkPado, LatentSenses, OfLengthOne, Simple, Thater
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import invariance, question_answering, relation_classification
from cdsm_lib.tasks.system import by_cosine, by_dot, lemma_overlap, of_model
from cdsm_lib.tasks.task import Task, Text, Vocabulary
from cdsm_lib.text.corpus import Corpus, Sentence
from cdsm_lib.text.counts import Counts, content_words, count_windows
from cdsm_lib.text.dependencies import Triples, backed_off, count_triples
from cdsm_lib.vectors import reduction, weighting
from cdsm_lib.vectors.space import Space

MODELS = ("M&L", "E&P", "TFP", "D&L")
OPERATIONS = ("add", "mult")
OVERLAP = "Overlap"
PURE = tuple(f"{model} {operation}" for model in MODELS for operation in OPERATIONS)
"""The semantic models alone."""

MIXED = {f"{system} + overlap": system for system in PURE}
"""Semantic score plus lemma overlap, as the paper has it: the plain sum; each with the pure system in it."""

COLUMNS: dict[str, dict] = {OVERLAP: {}, **{model: {"model": model} for model in MODELS}}
COLUMNS |= {f"{model} {how}": {"model": model, "operation": how} for model in MODELS for how in OPERATIONS}
COLUMNS |= {mixed: {**COLUMNS[pure], "mixed": True} for mixed, pure in MIXED.items()}
"""What a system's name says, as columns of its rows."""

MAIN = "main"
"""The space of the main results: every model with the profile's settings."""

RATIO, VOICE = "ratio instead of PPMI", "passives as actives"
"""Spaces of M&L with the weights of Mitchell and Lapata, and of E&P and TFP on triples in one voice."""

DOT, UNIT = "dot product", "words of length one"
"""Similarities of sums beside the cosine: by `by_dot`, and of `OfLengthOne`."""

ZEROS = {"zeros left out": lambda cells: np.where(cells, cells, 1), "one added": lambda cells: cells + 1}
"""What a zero of M&L's vectors may count in a product instead of 0, by what becomes of the cells."""

TOLERANCE = {"exact": 0.01, "senses": 0.06}
"""How far a recomputed AUC may lie from the committed one.

Counts, overlap and cosines agree between machines to many digits, but a near tie may fall either way: .01. A Gibbs
sampler that rounds otherwise once goes other ways from there: .06, some three times the standard deviation of an
average AUC between seeds of a hundred senses, some six times that of the paper's 1,200 (see the rows of seeds).
"""

COUNTED = ("words", "known", "window", "content_only", "triple_count", "domain_triple_count", "resolve_voice")
"""The settings on which the distilled counts depend."""

GATHERED = ("words", "contexts", "window", "content_only", "triple_count", "resolve_voice")
"""The settings on which counts of the whole corpus depend."""

PREFIX = "cheung-"
"""Of these chapters' files in ``data/distilled``."""

KIND = "materials"
"""What these files say that they hold."""

DOMAIN = "genia"
"""Of those among them that come from the domain's corpus."""


@dataclass(frozen=True)
class TrainingCounts:
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
) -> TrainingCounts:
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
        options = {name: settings[name] for name in ("window", "content_only")}
        windows = count_windows(corpus, words, contexts, **options)
    voice, least = settings["resolve_voice"], settings["triple_count"]
    triples = count_triples(corpus, windows.rows, min_count=least, resolve_voice=voice)
    return TrainingCounts(corpus.fingerprint, windows, triples, voice)


def training_counts(profile: Profile) -> TrainingCounts:
    """Of the general corpus: counted in it, once for all chapters, or from ``data/distilled`` in the sample profile."""
    if profile.name == "full":
        settings = {name: profile["contextual"][name] for name in GATHERED}
        return cached(gather, wikipedia(profile.get("corpus.files")), settings, name="cheung/counts")
    return load(datasets.distilled_folder())


def domain_counts(profile: Profile, general: TrainingCounts) -> TrainingCounts:
    """Of the domain: counted in GENIA's raw abstracts, or from ``data/distilled``."""
    if profile.name == "full":
        return gather_domain(genia(), general, profile["contextual"])
    return load(datasets.distilled_folder(), DOMAIN)


def genia() -> Corpus:
    """All raw abstracts of GENIA, parsed: what domain vectors are trained on."""
    return compiled("genia", "genia_raw.conllu.xz")


def gather_domain(corpus: Corpus, general: TrainingCounts, settings: Mapping, among: Iterable[str] | None = None):
    """The same counts from a corpus of the domain, for all its content words, in the general contexts.

    Parameters
    ----------
    corpus : Corpus
    general : TrainingCounts
    settings : mapping
        As for `gather`; triples are kept from ``domain_triple_count`` occurrences on.
    among : iterable of str, optional
        Only these words, as the distilled counts have them.
    """
    words = content_words(corpus)
    if among is not None:
        words = words.take(np.flatnonzero(words.mask(among)))
    settings = {**settings, "triple_count": settings["domain_triple_count"]}
    return gather(corpus, settings, words=words, contexts=general.windows.columns)


# ------------------------------------------------------------------------------------------------- saving and loading


def save(counts: TrainingCounts, folder: Path, *, core: Counts | None = None, name: str = "counts") -> None:
    """Write counts into a folder; rows of windows that `core` has already are left out."""
    windows = counts.windows
    if core is not None:
        extra = [i for i, word in enumerate(windows.rows) if word not in core.rows]
        windows = Counts(windows.matrix[extra], windows.rows.take(extra), windows.columns)
    storage.save(replace(counts, windows=windows), folder / f"{PREFIX}{name}.npz", kind=KIND)


def load(folder: Path, name: str = "counts") -> TrainingCounts:
    """Read what `save` wrote, and beside it the Count space's windows for the core, which the domain has not."""
    counts = storage.load(folder / f"{PREFIX}{name}.npz", TrainingCounts, kind=KIND, remedy=REMEDY)
    if name == DOMAIN:
        return counts
    return replace(counts, windows=stacked(Counts.load(folder / "count.npz"), counts.windows))


def stacked(first: Counts, second: Counts) -> Counts:
    """The rows of both, over the same columns."""
    matrix = sparse.vstack([first.matrix, second.matrix], format="csr")
    return Counts(matrix, [*first.rows, *second.rows], first.columns)


def teaching_sentences() -> list[Sentence]:
    """Every sentence of the three teaching sets: relations, questions with their documents, invariance."""
    questions = question_answering.load("questions")
    return [
        *(sentence for pair in relation_classification.load("relations") for sentence in pair.sentences),
        *(sentence for document in questions.documents for sentence in document.sentences),
        *(question.sentence for question in questions.questions),
        *(getattr(quadruple, form) for quadruple in invariance.load("invariance") for form in invariance.FORMS),
    ]


# ---------------------------------------------------------------------------------------------------------- training


def association(counts: Counts, weight: str = "ppmi") -> Space:
    """Window counts by ``ppmi`` (the paper: "pmi-scaled values"), or ``ratio``, P(c|t) / P(c), without log."""
    weigh = {"ppmi": weighting.ppmi, "ratio": weighting.ratio}[weight]
    return Space(counts.rows, weigh(counts.matrix), counts.columns)


def rows_for(space: Space, words: Labels) -> sparse.csr_array:
    """The vectors of these words in a sparse space, zeros for those that it lacks."""
    places = space.rows.encode(words)
    known = np.flatnonzero(places >= 0)
    cells = (np.ones(len(known), dtype=np.float32), (known, places[known]))
    return sparse.csr_array(cells, shape=(len(words), len(space))) @ space.vectors


def fit_senses(windows: Counts, settings: Mapping, seed: int) -> dict[str, np.ndarray]:
    """D&L's global latent senses from window counts, by Gibbs sampling (section 4.1).

    Whole numbers of tokens: ``of_words`` by sense [words, K], and ``phi``, of senses by context word [K, contexts].
    Settings are ``dimensions`` (senses), ``iterations``, and ``tokens`` (context tokens sampled for each word); see
    `reduction.LDA`.
    """
    sizes = {name: settings[name] for name in ("dimensions", "iterations", "tokens")}
    of_words, phi = reduction.LDA(**sizes, seed=seed).fit(windows.matrix).counts
    return {"of_words": of_words, "phi": phi}


def in_sentences(windows: Counts, window: int, of_words: np.ndarray, phi: np.ndarray) -> LatentSenses:
    """Fitted senses as a model; its context words are looked for so many tokens to each side."""
    lda = reduction.LDA(len(phi)).from_counts(of_words, phi)
    return LatentSenses(windows.rows, lda.rows, windows.columns, lda.components, window=window)


def latent_senses(windows: Counts, profile: Profile, seed: int | None = None, *, stored: bool = False) -> LatentSenses:
    """D&L of a profile, with its own seed if none is given; the full one's are `stored`, or kept in the cache."""
    return in_sentences(windows, profile["contextual.window"], **_fitted(windows, profile, seed, stored=stored))


def _fitted(windows: Counts, profile: Profile, seed: int | None = None, *, stored: bool = False) -> dict:
    about = windows, dict(profile["contextual.senses"]), profile["seed"] if seed is None else seed
    if profile.name != "full":
        return fit_senses(*about)
    if stored:
        return ledger.read(STORED, stored_with(windows, profile), ["of_words", "phi"])[0]
    return cached(fit_senses, *about, name="cheung/senses")


STORED = "latent-senses"
"""The full profile's senses, which take six minutes to train; see `cdsm_lib.evaluation.ledger`."""


def stored_with(windows: Counts, profile: Profile) -> dict:
    """What stored senses depend on."""
    sizes = {"words": len(windows.rows), "contexts": len(windows.columns), "tokens": int(windows.matrix.sum())}
    return {"senses": dict(profile["contextual.senses"]), "seed": profile["seed"], "counts": sizes}


def store_senses(windows: Counts, profile: Profile) -> None:
    """Store the senses with the profile's own seed."""
    ledger.write(STORED, _fitted(windows, profile), stored_with(windows, profile))


def over_seeds(name: str, make: Callable, windows: Counts, profile: Profile, quick: bool | None) -> dict:
    """What `make` gives for D&L of each further seed of the full profile: {seed: float32 array}.

    As of `cdsm_lib.evaluation.ledger.trained`; there is nothing of other seeds if `quick` is None.
    """
    if profile.name != "full" or quick is None:
        return {}
    others, depends = ledger.seeds_of(profile, "contextual.seeds")[1:], stored_with(windows, profile)
    return ledger.trained(name, others, lambda seed: make(latent_senses(windows, profile, seed)), depends, quick)


@dataclass(frozen=True)
class Trained:
    """The models, and the words that they know.

    Attributes
    ----------
    words : Labels
        All of them, the general corpus's first, each part most frequent first.
    models : dict of name to model
        Those of `MODELS`, or some of them.
    resolve_voice : bool
        Whether passives were counted as their actives: sentences are then to be read in the same way.
    """

    words: Labels
    models: dict[str, object]
    resolve_voice: bool = False

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Which row stands for a token."""
        return Vocabulary(self.words)

    def read(self, sentence: Sentence) -> Text:
        """A sentence as these models see it."""
        return Text.of(sentence, self.vocabulary, resolve_voice=self.resolve_voice)


def structured(triples: Triples, settings: Mapping, space: Space) -> dict[str, object]:
    """E&P and TFP, on the triples."""
    return {
        "E&P": ErkPado(space, triples, threshold=settings["threshold"], neighbours=settings["neighbours"]),
        "TFP": Thater.of_triples(triples, min_count=settings["min_count"], min_pmi=settings["min_pmi"]),
    }


def voice_resolved(trained: Trained, triples: Triples, settings: Mapping) -> Trained:
    """E&P and TFP trained on triples in which a passive counts as its active; sentences are read in the same way."""
    return Trained(trained.words, structured(triples.voice_resolved(), settings, trained.models["M&L"].space), True)


def train(counts: TrainingCounts, settings: Mapping, latent: LatentSenses) -> Trained:
    """M&L, E&P, TFP and D&L on the same words (section 4.2), with the profile's ``contextual`` as settings."""
    space = association(counts.windows, settings["weight"])
    models = {"M&L": Simple(space), **structured(counts.triples, settings, space), "D&L": latent}
    return Trained(counts.words, models, counts.resolve_voice)


def adapt(trained: Trained, general: TrainingCounts, domain: TrainingCounts, settings: Mapping) -> Trained:
    """The models with the words of a domain that the general corpus lacks (section 4.4).

    M&L, E&P and TFP back off to vectors and triples from the domain's corpus. Latent senses have no meaning across
    trainings, so a word new to D&L takes the mean senses of its five nearest known words, by cosine over the domain's
    co-occurrence vectors, weighted as those of M&L.
    """
    known, special = trained.models["M&L"].space, association(domain.windows, settings["weight"])
    space = with_new(known, special)
    new = special.subset(space.rows[len(known) :])
    models = {"M&L": Simple(space), **structured(backed_off(general.triples, domain.triples), settings, space)}
    models["D&L"] = trained.models["D&L"].with_nearest(new.rows, new.vectors, rows_for(special, known.rows))
    return Trained(space.rows, models, trained.resolve_voice)


def with_new(known: Space, special: Space) -> Space:
    """A sparse space, and after its rows those of the words that another has and it lacks."""
    new = special.subset([word for word in special.rows if word not in known])
    rows = sparse.vstack([known.vectors, new.vectors], format="csr")
    return Space([*known.rows, *new.rows], rows, known.dimensions)


def nearest_general(
    word: str, general: TrainingCounts, domain: TrainingCounts, settings: Mapping, n: int = 5
) -> list[tuple[str, float]]:
    """The general words nearest to a word of the domain, by cosine over co-occurrence there: (word, cosine)."""
    special = association(domain.windows, settings["weight"])
    return special.neighbours(word, n, among=[w for w in special.rows if w in general.words])


# --------------------------------------------------------------------------------------------------------- sentences


def coverage(trained: Trained, sentences: Sequence[Text], **place: str) -> Iterator[Result]:
    """The share of content tokens for which each model has no vector; `place` is space and dataset of the rows."""
    place |= {"metric": "share without a vector", "split": "all"}
    n = sum(len(sentence.lemmas) for sentence in sentences)
    for name, model in trained.models.items():
        known = sum(model.in_context(sentence.words, sentence.arcs).shape[0] for sentence in sentences)
        yield Result(name, value=1 - known / n, n=n, columns=COLUMNS[name], **place)


def tolerance_of(columns: Mapping) -> float:
    """Of an AUC, by whether the model among a system's columns samples."""
    return TOLERANCE["senses" if columns.get("model") == "D&L" else "exact"]


def senses_named(settings: Mapping) -> dict:
    """The names of D&L with these senses, as fields of a row: its space, and the same as columns."""
    method, senses, iterations = settings["method"], settings["dimensions"], settings["iterations"]
    space = f"{method}, {senses} senses, {iterations} iterations"
    return {"space": space, "method": method, "senses": senses, "iterations": iterations}


def similarities(
    models: Mapping[str, object], task: Task, among: Container[str] | None = None, by: Callable = by_cosine
) -> dict[str, np.ndarray]:
    """What every system, or those `among` them, gives the pairs of a task: {system: float64 [m]}.

    Lemma overlap (eq. 15), every model with every operation (`by` cosine), and each of these plus the overlap.
    """
    shared = lemma_overlap(OVERLAP).similarities(task)
    by_system = dict(shared)
    for name, model in models.items():
        by_system |= of_model(model, name, MAIN, 0, by=by).similarities(task)
    by_system |= {mixed: by_system[pure] + shared[OVERLAP] for mixed, pure in MIXED.items() if pure in by_system}
    return {system: values for system, values in by_system.items() if among is None or system in among}


def options(trained: Trained, counts: Sequence[TrainingCounts], settings: Mapping, texts: Iterable[Text]) -> Iterator:
    """What the paper leaves open (``data/multiverse.toml``): space, what is otherwise, models, and their comparison.

    Parameters
    ----------
    trained : Trained
    counts : sequence of TrainingCounts
        Of the general corpus, and of the domain's if the models know its words.
    settings : mapping
        The profile's ``contextual``.
    texts : iterable of Text
        Vectors without zeros are made for their words alone.
    """
    ratio = reduce(with_new, (association(part.windows, "ratio") for part in counts))
    voiced = voice_resolved(trained, reduce(backed_off, (part.triples for part in counts)), settings)
    of_ratio = replace(trained, models={"M&L": Simple(ratio)})
    for space, again in {MAIN: trained, RATIO: of_ratio, VOICE: voiced}.items():
        yield space, "", again, by_cosine
        yield space, DOT, again, by_dot
        units = {name: OfLengthOne(model) for name, model in again.models.items()}
        yield space, UNIT, replace(again, models=units), by_cosine
    for (space, again), what in product({MAIN: trained, RATIO: of_ratio}.items(), ZEROS):
        yield space, what, replace(trained, models={"M&L": full(again.models["M&L"].space, texts, what)}), by_cosine


def full(space: Space, texts: Iterable[Text], zeros: str) -> Simple:
    """M&L with vectors without a zero, which are made for the words of these texts alone; `zeros` is one of `ZEROS`."""
    words = sorted({word for text in texts for word in text.words} - {None})
    return Simple(Space(words, ZEROS[zeros](space.take(words)), space.dimensions))
