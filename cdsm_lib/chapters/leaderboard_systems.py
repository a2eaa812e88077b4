"""The systems of the leaderboard: each gives texts vectors and compares them by cosine; all come from one corpus.

Without vectors are lemma overlap, which counts, and context2vec where it scores a substitute in its place. Context is
read by context2vec and by the encoder, whose committed weights every profile has. `Composers`
makes the systems of a profile; what they were trained from is in `TrainedVectors`. In the full profile the vectors of
the chapters are taken from the cache and what is counted here is kept there, too; the sample profile reads
``data/distilled/board-*.npz``, which `make distil` made of the same for the words of the teaching sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.cache import timed
from cdsm_lib.chapters import (
    context2vec,
    contextual_models,
    encoder,
    sense_vectors,
    sentence_models,
    substitution_models,
    training_counts,
)
from cdsm_lib.chapters.contextual_models import TrainingCounts, Triples
from cdsm_lib.chapters.leaderboard_tasks import SENSES, SUBSTITUTION
from cdsm_lib.chapters.sense_vectors import DEP2VEC, WORD2VEC
from cdsm_lib.chapters.sense_vectors import SENSES as WORD_SENSES
from cdsm_lib.composition import autoencoder
from cdsm_lib.composition.context2vec import WEIGHTS as CONTEXT2VEC_WEIGHTS
from cdsm_lib.composition.contextual import LatentSenses
from cdsm_lib.composition.encoder import WEIGHTS
from cdsm_lib.composition.sentence import SIF
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks.system import ADD, DIGITS, Composer, by_cosine, lemma_overlap, of_model, of_space, size
from cdsm_lib.tasks.task import Task, Text, Vocabulary
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import CONTENT_TAGS, Counts, content_mask
from cdsm_lib.vectors.senses import SenseVectors
from cdsm_lib.vectors.similarity import cosines
from cdsm_lib.vectors.space import Space

PREFIX, KIND = "board-", "leaderboard-vectors"
"""Of the leaderboard's files in ``data/distilled``."""

SETTINGS = ("sentences", "weight")
"""Settings of ``[*.leaderboard]`` on which the distilled files depend: what SIF takes for common to all sentences."""

OVERLAP = "lemma overlap"
ONE_WORD = (SENSES, SUBSTITUTION)
"""The tasks that are about one word of a text."""

# ------------------------------------------------------------------------------------------------------ one after one


def weighted(space: Space, frequency: Mapping[str, int], total: int, directions, a: float, minutes) -> Composer:
    """SIF: word vectors weighted by a / (a + p(word)) and added, less the direction common to sentences.

    Parameters
    ----------
    frequency : mapping of str to int
        Occurrences of the words.
    total : int
        Of all content words.
    directions : array [components, d]
    """
    p = np.array([frequency.get(word, 0) for word in space.rows]) / total
    lower = Space(Labels(word.lower() for word in space.rows), space.vectors)  # as `SIF` looks words up
    model = SIF(lower, a / (a + p), np.asarray(directions, dtype=np.float64))

    def embed(texts):
        return {"SIF": model.embed([[word for word in text.words if word is not None] for text in texts])[0]}

    return Composer(("SIF",), "word2vec", by_cosine(embed), size(space.vectors), minutes)


@dataclass(frozen=True, eq=False)
class NearestSense:
    """A word's sense that is nearest to the sum of the other words' vectors; its one vector where it has no senses.

    Sense vectors and word vectors lie in one space (Kober et al. 2017); the paper takes all senses and lets the
    similarity of the two texts choose.
    """

    space: Space
    senses: SenseVectors

    def in_context(self, words: Sequence[str | None], arcs=()) -> np.ndarray:
        """One row for each known word, float64 [known, d]."""
        known = [word for word in words if word is not None and word in self.space]
        if not known:
            return np.zeros((0, self.space.d))
        own = self.space.take(known).astype(np.float64)
        total = own.sum(axis=0)
        rows = []
        for word, vector in zip(known, own, strict=True):
            if word in self.senses:
                senses = np.asarray(self.senses.of(word), dtype=np.float64)
                fit = np.round(cosines(senses, total - vector)[:, 0], DIGITS)
                vector = senses[int(fit.argmax())]
            rows.append(vector)
        return np.array(rows)


def paragraph_vectors(model, name: str, settings: Mapping, seed: int, minutes: float | None) -> Composer:
    """PV-DM or PV-DBOW: the mean of several inferences; a text without a known token has no vector."""

    def embed(texts):
        forms = [text.forms for text in texts]
        known = np.flatnonzero(np.array([len(f) for f in forms]) > model.unknown(forms))
        vectors = np.zeros((len(texts), model.d))
        if len(known):
            how = {"draws": settings["draws"], "epochs": settings["passes"], "rate": settings["rate"], "seed": seed}
            vectors[known] = model.embed([forms[i] for i in known], **how)
        return {name: vectors}

    return Composer((name,), "running text", by_cosine(embed), model.n_parameters, minutes)


def unfolding(model, leaves: Space, minutes: float | None) -> Composer:
    """The unfolding recursive autoencoder over the parser's trees."""

    def embed(texts):
        rows = sentence_models.numbered([text.forms for text in texts], leaves)
        trees = [autoencoder.binarise(text.heads) for text in texts]
        return {"URAE": model.embed(rows, trees, leaves.vectors)}

    parameters = size(*(getattr(model, name) for name in autoencoder.PARAMETERS), leaves.vectors)
    return Composer(("URAE",), "running text", by_cosine(embed), parameters, minutes)


def empty_place() -> Composer:
    """context2vec, which models the place of one word: usages by their contexts, substitutes by their fit."""
    model = context2vec.load()

    def compare(texts, pairs):
        @cache
        def context(i: int) -> np.ndarray:
            return model.context(texts[i].tokens, texts[i].target).astype(np.float64)

        values = []
        for i, j in pairs.tolist():
            first, second = texts[i], texts[j]
            replaced = [k for k, (a, b) in enumerate(zip(first.tokens, second.tokens, strict=False)) if a != b]
            if len(first.forms) == len(second.forms) and replaced == [first.target] == [second.target]:
                fit = model.fit_of(context(i), [second.tokens[first.target]])[0]
                values.append(-1.0 if np.isnan(fit) else float(fit))  # a word that it does not know comes last
            else:
                values.append(float(cosines(context(i), context(j))[0, 0]))
        return {"context2vec": np.round(values, 6)}  # float32 weights

    parameters = size(*(getattr(model, name) for name in CONTEXT2VEC_WEIGHTS))
    return Composer(("context2vec",), "running text", compare, parameters, tasks=ONE_WORD)


def encoded() -> Iterator[Composer]:
    """The encoder: the mean of its states over the content words, and of its word vectors, which no context has
    touched; and where the task is about one word, the state of that word."""
    model = encoder.load()

    def content(text: Text) -> list[int]:
        return [i for i, word in enumerate(text.words) if word is not None] or list(range(len(text.words)))

    def mean(rows: np.ndarray, text: Text) -> np.ndarray:
        return rows[content(text)].mean(axis=0)

    def words(text: Text) -> np.ndarray:
        return mean(model.embeddings[model.encode(text.tokens)], text)

    whole = size(*(getattr(model, name) for name in WEIGHTS))
    for name, vector, parameters, tasks in (
        ("encoder", lambda text: mean(model.states(text.tokens), text), whole, None),
        ("encoder (words)", words, size(model.embeddings), None),
        ("encoder (target)", lambda text: model.states(text.tokens)[text.target], whole, ONE_WORD),
    ):

        def embed(texts, name=name, vector=vector):
            return {name: np.round([vector(text) for text in texts], 5).astype(np.float64)}  # float32 weights

        yield Composer((name,), "running text", by_cosine(embed), parameters, model.meta["minutes"], tasks)


# ---------------------------------------------------------------------------------------------------------- materials


@dataclass(frozen=True, eq=False)
class TrainedVectors:
    """What all composers need, for one profile.

    Attributes
    ----------
    corpus : str
        Fingerprint.
    vocabulary : Vocabulary
        The common words, most frequent first: all that word2vec has a vector for.
    frequency : dict of str to int
        Occurrences of these words.
    total : int
        Occurrences of all words of the full vocabulary.
    lexicons : dict of str to Lexicon
        word2vec, dep2vec and sense vectors of `cdsm_lib.chapters.sense_vectors`.
    directions : float array [1, d]
        What is common to sentences, for SIF.
    minutes : dict of str to float
        Of the trainings.
    """

    corpus: str
    vocabulary: Vocabulary
    frequency: Mapping[str, int]
    total: int
    lexicons: Mapping[str, sense_vectors.Lexicon]
    directions: np.ndarray
    minutes: Mapping[str, float] = field(default_factory=dict)


def common_words(corpus: Corpus, space: Space) -> Labels:
    """The rows of a space that may be content words (tag and a letter; stop words too), most frequent first."""
    rows = [
        word for word in space.rows
        if word.rpartition("|")[2] in CONTENT_TAGS and any(map(str.isalpha, word.rpartition("|")[0]))
    ]  # fmt: skip
    counts = corpus.word_counts[corpus.words.encode(rows)]
    return Labels(rows[i] for i in sorted(range(len(rows)), key=lambda i: (-counts[i], rows[i])))


def gathered(seed: int, settings: Mapping, trained: sense_vectors.Trained | None = None) -> TrainedVectors:
    """The full profile's, from the cache of the chapters, or others that were trained on the corpus."""
    corpus, trained = training_counts.wikipedia(), trained or sense_vectors.vectors(load_profile("full"))
    lexicons = {name: trained.lexicons[name] for name in (WORD2VEC, DEP2VEC, WORD_SENSES)}
    space = lexicons[WORD2VEC].space
    words = common_words(corpus, space)
    counts = corpus.word_counts[corpus.words.encode(words)]
    frequency = dict(zip(words, counts.tolist(), strict=True))
    total = sum(frequency.values())
    minutes = {cost.system: cost.seconds / 60 for cost in trained.costs}
    directions = common_direction(corpus, space, frequency, total, settings, seed)
    return TrainedVectors(corpus.fingerprint, Vocabulary(words), frequency, total, lexicons, directions, minutes)


def common_direction(corpus, space: Space, frequency, total: int, settings: Mapping, seed: int) -> np.ndarray:
    """The first direction of the weighted means of so many sentences of the corpus (Arora et al. 2017)."""
    drawn = np.random.default_rng(seed).choice(
        corpus.n_sentences, min(settings["sentences"], corpus.n_sentences), replace=False
    )
    row = np.full(len(corpus.words), -1)
    places = corpus.words.encode(frequency)
    row[places] = space.rows.encode(frequency)
    p = np.zeros(len(space))
    p[space.rows.encode(frequency)] = np.array(list(frequency.values())) / total
    weight = settings["weight"] / (settings["weight"] + p)
    means = np.zeros((len(drawn), space.d))
    for i, sentence in enumerate(np.sort(drawn).tolist()):
        here = row[np.asarray(corpus.word[corpus.offsets[sentence] : corpus.offsets[sentence + 1]])]
        here = here[here >= 0]
        if len(here):
            means[i] = (weight[here, None] * space.vectors[here]).sum(axis=0) / len(here)
    values, vectors = np.linalg.eigh(means.T @ means)
    return vectors[:, [int(values.argmax())]].T


def teaching_vocabulary(tasks: Mapping[str, Task]) -> list[str]:
    """The known words of some tasks' texts, once, sorted."""
    return sorted({word for task in tasks.values() for text in task.texts for word in text.words if word is not None})


def load(folder: Path) -> TrainedVectors:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    return storage.load(folder / f"{PREFIX}vectors.npz", TrainedVectors, kind=KIND, remedy=training_counts.REMEDY)


def prepare(profile: Profile) -> TrainedVectors:
    """What the composers of a profile need."""
    if profile.name == "full":
        return gathered(profile["seed"], profile["leaderboard"])
    return load(datasets.distilled_folder())


# ---------------------------------------------------------------------------------------------- counted and composed


def words_to_count(vocabulary: Vocabulary, tasks: Mapping[str, Task]) -> list[str]:
    """The common content words, and the stop words that stand in phrases."""
    common = vocabulary.words
    content = [word for word, is_content in zip(common, content_mask(common), strict=True) if is_content]
    return list(dict.fromkeys([*content, *teaching_vocabulary(tasks)]))


def train_reduced(corpus: Corpus, words: Sequence[str], settings: Mapping, seed: int) -> Space:
    """The space of the chapter on lexical substitution, PPMI and SVD, with these words beside its core."""
    counted = substitution_models.gather_words(corpus, words, settings)
    return substitution_models.train_space(counted, settings, seed).space


class Composers:
    """The composers of a profile, made when they are asked for and not kept: some are large.

    Parameters
    ----------
    profile : Profile
    trained : TrainedVectors
    tasks : mapping of str to Task
        Their words get counts, and are dimensions of TFP.
    """

    def __init__(self, profile: Profile, trained: TrainedVectors, tasks: Mapping[str, Task]):
        self.profile, self.vectors, self.tasks = profile, trained, tasks
        self.settings, self.seed, self.full = profile["contextual"], profile["seed"], profile.name == "full"

    @cached_property
    def counted(self) -> tuple[TrainingCounts, float | None]:
        """Windows and triples of `words_to_count`; and the minutes that counting took."""
        if self.full:
            words = words_to_count(self.vectors.vocabulary, self.tasks)
            corpus, settings = training_counts.wikipedia(), dict(self.settings)
            made = timed(contextual_models.gather, corpus, settings, words=words, name="leaderboard/counts")
            return made.value, made.seconds / 60
        folder = datasets.distilled_folder()
        extra = Counts.load(folder / f"{PREFIX}windows.npz")
        windows = contextual_models.stacked(Counts.load(folder / "count.npz"), extra)
        return TrainingCounts(self.vectors.corpus, windows, Triples.load(folder / f"{PREFIX}triples.npz")), None

    @cached_property
    def association(self) -> Space:
        """PPMI of the windows."""
        return contextual_models.association(self.counted[0].windows, self.settings["weight"])

    def latent(self) -> tuple[LatentSenses, float | None]:
        """Latent senses of the windows; and minutes."""
        windows = self.counted[0].windows
        settings = dict(self.profile.get("leaderboard.latent", self.settings["senses"]))
        about, seconds = (windows, settings, self.seed), None
        if self.full:
            senses, seconds = timed(contextual_models.fit_senses, *about, name="cheung/senses")
        else:
            senses = contextual_models.fit_senses(*about)
        return contextual_models.in_sentences(senses, windows, self.settings["window"]), seconds and seconds / 60

    def reduced(self) -> tuple[Space, float | None]:
        """The vectors of PPMI and SVD; and minutes."""
        settings = self.profile["lexical_substitution"]
        if self.full:
            asked = {name: settings[name] for name in ("words", "window", "dimensions", "power")}
            corpus, words = training_counts.wikipedia(), teaching_vocabulary(self.tasks)
            made = timed(train_reduced, corpus, words, asked, self.seed, name="leaderboard/reduced")
            return made.value, made.seconds / 60
        words, _ = substitution_models.load(datasets.distilled_folder())
        extra = Counts.load(datasets.distilled_folder() / f"{PREFIX}windows.npz")
        more = contextual_models.stacked(words.more, _without_rows(extra, words.more.rows))
        return substitution_models.train_space(replace(words, more=more), settings, self.seed).space, None

    def __iter__(self) -> Iterator[Composer]:
        return self.playing()

    def playing(self, *, quick: bool = False) -> Iterator[Composer]:
        """One composer after the other, cheap ones first; `quick`: without D&L and those of running text."""
        yield lemma_overlap(OVERLAP)
        yield of_space(self.association, "PPMI", "window counts", self.counted[1])
        yield from self.of_vectors()
        counted, minutes = self.counted
        triples = counted.triples
        models = contextual_models.structured(counted, self.settings, self.association)
        parameters = size(self.association.vectors) + 4 * len(triples)
        yield of_model(models["E&P"], "E&P", "window counts, triples", parameters, minutes)
        yield of_model(models["TFP"], "TFP", "triples", size(models["TFP"].first), minutes)
        del models
        if not quick:
            latent, minutes = self.latent()
            yield of_model(latent, "D&L", "window counts", size(latent.senses, latent.phi), minutes)
        space, minutes = self.reduced()
        yield of_space(space, "SVD", "PPMI-SVD", minutes, (ADD,))
        if self.full and not quick:
            yield from self.of_running_text()
        yield empty_place()
        yield from encoded()

    def of_vectors(self) -> Iterator[Composer]:
        """word2vec, dep2vec, SIF, and sense vectors."""
        trained, minutes = self.vectors, self.vectors.minutes
        words, trees, senses = (trained.lexicons[name] for name in (WORD2VEC, DEP2VEC, WORD_SENSES))
        yield of_space(words.space, "word2vec", "word2vec", minutes.get(WORD2VEC))
        a = self.profile["leaderboard.weight"]
        yield weighted(words.space, trained.frequency, trained.total, trained.directions, a, minutes.get(WORD2VEC))
        yield of_space(trees.space, "dep2vec", "dep2vec", minutes.get(DEP2VEC), (ADD,))
        spent = sum(minutes[name] for name in (WORD2VEC, WORD_SENSES) if name in minutes) or None
        parameters, model = size(words.space.vectors, senses.senses.vectors), NearestSense(words.space, senses.senses)
        yield of_model(model, "sense vectors", "word2vec, senses", parameters, spent, (ADD,))

    def of_running_text(self) -> Iterator[Composer]:
        """Paragraph vectors and the autoencoder of chapter 20."""
        training = sentence_models.training_of(self.profile)
        settings = self.profile["localisation.paragraph_vectors"]
        for name in (sentence_models.PV_DM, sentence_models.PV_DBOW):
            model = training.paragraph_vectors(name)
            yield paragraph_vectors(model, name, settings, self.seed, training.seconds[name] / 60)
            del model
        model, leaves = training.autoencoder("parsed"), training.leaves
        yield unfolding(model, leaves, (training.seconds["urae-parsed"] + training.seconds["words"]) / 60)


def _without_rows(counts: Counts, rows) -> Counts:
    kept = [i for i, word in enumerate(counts.rows) if word not in rows]
    return Counts(counts.matrix[kept], counts.rows.take(kept), counts.columns)
