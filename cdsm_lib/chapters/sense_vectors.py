"""Kober et al. (2017): the vectors of chapters 40 and 41, trained on one corpus.

One vector a word: skip-gram (word2vec), skip-gram with dependency contexts (dep2vec), and the GoogleNews vectors that
the paper took. Several: skip-gram over tokens that were tagged with WordNet's senses (for SENSEMBED). The full profile
trains them on the whole parsed Wikipedia and keeps them in the cache; the sample profile reads what `make distil` made
of them for the words of the teaching sets, and can train dep2vec anew from counted pairs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.cache import cached, timed
from cdsm_lib.chapters import training_counts
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import phrase_similarity, sense_discrimination
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, numbering
from cdsm_lib.text.dependencies import count_dependencies
from cdsm_lib.vectors import disambiguation, embeddings
from cdsm_lib.vectors.disambiguation import Score, SenseTagger
from cdsm_lib.vectors.embeddings import SkipGram
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.senses import PARSED_AS, Lexicon, SenseVectors, train_senses
from cdsm_lib.vectors.space import Space

PREFIX = "kober-"
KIND = "sense-vectors"
COUNTED = ("words", "word2vec", "dep2vec", "tagger", "senses")
"""Settings of ``[*.vectors]`` on which the distilled files depend."""

# ------------------------------------------------------------------------------------------------------- the vectors


@dataclass(frozen=True)
class Cost:
    """What a training took on the machine that ran it, a record and no promise."""

    system: str
    minutes: float


@dataclass(frozen=True)
class Trained:
    """The vectors, and what made the senses.

    Attributes
    ----------
    corpus : str
        Fingerprint.
    frequency : dict of str to int
        Occurrences in the corpus of the words that the tasks need.
    lexicons : dict of str to Lexicon
        Under their names, in the order of `NAMES`.
    tagger : SenseTagger
        The word vectors that it takes are those of word2vec.
    quality : dict of str to dict of str to Score
        How well the tagger and its baselines do on SemCor, by part of speech. Empty in the sample.
    costs : list of Cost
    """

    corpus: str
    frequency: Mapping[str, int]
    lexicons: Mapping[str, Lexicon]
    tagger: SenseTagger
    quality: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    costs: Sequence[Cost] = field(default_factory=list)


GOOGLE, WORD2VEC, DEP2VEC, SENSES = "GoogleNews", "word2vec", "dep2vec", "senses"
NAMES = (GOOGLE, WORD2VEC, DEP2VEC, SENSES)
SEEDED = NAMES[1:]
"""Those that are trained here, and differ from seed to seed."""
UNIT = "words of length one"
"""Where figures are of vectors that were brought to length one before they are added, this stands with their place."""
SENSE_TAGS = ("NOUN", "VERB", "ADJ", "ADV")
PHRASES = (
    ("river|NOUN bank|NOUN", "bank|NOUN account|NOUN"), ("dry|ADJ weather|NOUN", "dry|ADJ clothes|NOUN"),
    ("capital|NOUN city|NOUN", "capital|NOUN asset|NOUN"), ("power|NOUN plant|NOUN", "garden|NOUN plant|NOUN"),
    ("window|NOUN bar|NOUN", "sandwich|NOUN bar|NOUN"), ("gasoline|NOUN tank|NOUN", "armored|ADJ tank|NOUN"),
    ("desert|NOUN rock|NOUN", "rock|NOUN band|NOUN"),
)  # fmt: skip
"""The phrases of Table 8, in pairs that share an ambiguous word."""


def sample_space() -> Space:
    """The skip-gram vectors of the words of the book's teaching sets, ``lemma|POS``: a space to begin with."""
    return vectors(load_profile("sample")).lexicons[WORD2VEC].space


def google_news() -> Lexicon:
    """The vectors that the paper took, as far as the published subset goes."""
    path = datasets.fetch("googlenews_subset", "googlenews_subset_300d.bin")
    return Lexicon(GOOGLE, read_vectors(path), plain=True)


def teaching_words() -> list[str]:
    """The words of the two teaching sets, lexemes and contexts, in order."""
    pairs = phrase_similarity.load("phrase_pairs").words
    inventory = construction.load_inventory("senses")
    usages = [usage for lexeme in inventory for of_sense in lexeme.senses.values() for usage in of_sense]
    around = [word for usage in usages for word in sense_discrimination.context(usage, WHOLE_SENTENCE)]
    return list(dict.fromkeys([*pairs, *teaching_lexemes(), *around]))


WHOLE_SENTENCE = 1000
"""A window that no sentence exceeds."""


def teaching_lexemes() -> list[str]:
    """The lexemes of the teaching set of senses."""
    return [lexeme.label for lexeme in construction.load_inventory("senses")]


@cache
def semcor() -> construction.Inventory:
    """SemCor's sentences."""
    return construction.load_inventory("semcor")


@cache
def semcor_and_wordnet() -> construction.Inventory:
    """SemCor's sentences and WordNet's examples for the words that SemCor has."""
    tagger = construction.FormTagger(disambiguation.readings(training_counts.wikipedia(), n_tokens=None))
    examples = construction.wordnet_examples([lexeme.label for lexeme in semcor()], tagger)
    return construction.merged("semcor+wordnet", semcor(), examples)


def task_words() -> list[str]:
    """Words that get vectors however rare: those of the phrases, and lexemes that SemCor alone makes usable."""
    lexemes = [lexeme.label for lexeme in construction.polysemous(semcor(), 1)]
    return list(dict.fromkeys([*phrase_similarity.load("ml2010").words, *lexemes]))


def task_lexemes() -> list[str]:
    """Words that are counted: those of the phrases, and all lexemes with two usable senses."""
    lexemes = [lexeme.label for lexeme in construction.polysemous(semcor_and_wordnet(), 1)]
    return list(dict.fromkeys([*task_words(), *lexemes]))


def vectors(profile: Profile, seed: int | None = None) -> Trained:
    """The vectors of a profile, with its own seed if none is given: trained on the whole corpus, or distilled."""
    settings, seed = profile["vectors"], seed or profile["seed"]
    if profile.name != "full":
        return load(datasets.distilled_folder(), settings["dep2vec"], seed)
    corpus = training_counts.wikipedia(profile.get("corpus.files"))
    depends = [training_counts.wikipedia().fingerprint, datasets.used(["ml2010", "semcor", "wordnet"])]
    needed = cached(task_words, name="vectors/words", depends=depends)
    lexemes = cached(task_lexemes, name="vectors/lexemes", depends=depends)
    trained = train(corpus, needed, lexemes, settings, seed)
    lexicons, costs, space = trained.lexicons, [*trained.costs], trained.lexicons[WORD2VEC].space
    trees = Lexicon(DEP2VEC, costly(costs, DEP2VEC, train_trees, corpus, space.rows, settings["dep2vec"], seed))
    about = (trained.tagger, space)
    depends = [about, datasets.used(["wordnet", "semcor"])]
    quality = cached(tagger_quality, *about, name="vectors/quality", depends=depends)
    lexicons = {GOOGLE: google_news(), WORD2VEC: lexicons[WORD2VEC], DEP2VEC: trees, SENSES: lexicons[SENSES]}
    return replace(trained, lexicons=lexicons, quality=quality, costs=costs)


def over_seeds(profile: Profile, name: str, make: Callable[[Trained], np.ndarray], quick: bool | None) -> dict:
    """What `make` gives for the vectors of each further seed of the profile: {seed: float32 array}.

    As of `cdsm_lib.evaluation.ledger.trained`; there is nothing of other seeds if `quick` is None.
    """
    seeds = ledger.seeds_of(profile, "vectors.seeds")[1:]
    if quick is None or not seeds:
        return {}
    about = {"corpus": training_counts.wikipedia().fingerprint, "vectors": profile["vectors"], "seed": profile["seed"]}
    return ledger.trained(name, seeds, lambda seed: make(vectors(profile, seed)), about, quick)


# ---------------------------------------------------------------------------------------------------------- training


def train_vocabulary(corpus: Corpus, needed: Iterable[str], settings: Mapping, seed: int) -> SkipGram:
    """word2vec of the frequent words, and of those that are needed."""
    vocabulary = training_counts.skip_gram_vocabulary(corpus, settings["min_count"], needed)
    settings = {name: value for name, value in settings.items() if name != "min_count"}
    return embeddings.train_words(corpus, vocabulary, **settings, seed=seed)


def dependency_counts(corpus: Corpus, words: Labels, settings: Mapping) -> Counts:
    """The pairs of word and dependency context from which the sample profile trains dep2vec."""
    table = count_dependencies(corpus, words, min_count=settings["context_count"])
    matrix = table.matrix.multiply(table.matrix >= settings["pair_count"])
    used = np.flatnonzero(matrix.sum(axis=0) > 0)
    return Counts(matrix[:, used], table.rows, Labels(table.columns[i] for i in used))


def dependencies_from_counts(table: Counts, settings: Mapping, seed: int) -> Space:
    """dep2vec from counted pairs: skip-gram sees nothing but pairs."""
    options = trained_with(settings, seed)
    return space_of(embeddings.train_dependencies(table, subsample=settings["subsample"], **options))


def trained_with(settings: Mapping, seed: int) -> dict:
    """What dep2vec depends on beside its pairs."""
    named = {name: settings[name] for name in ("dimensions", "negatives", "draws", "epochs", "rate")}
    return {"most": settings.get("most"), "seed": seed, **named}


def space_of(model: SkipGram) -> Space:
    """The vectors of the targets that were trained at all."""
    return model.space().subset([word for word, pairs in zip(model.targets, model.pairs, strict=True) if pairs])


def unit(space: Space) -> np.ndarray:
    """The rows of a space at length 1, float32: a rare word's vector shall not outweigh the others in a gloss."""
    norms = space.norms[:, None]
    return np.divide(space.vectors, norms, out=np.zeros_like(space.vectors), where=norms > 0).astype(np.float32)


def tagger_words(corpus: Corpus, min_count: int) -> list[str]:
    """Words that may have senses: those with `min_count` occurrences, and all that SemCor has."""
    frequent = (corpus.words[i] for i in np.flatnonzero(corpus.word_counts >= min_count))
    words = dict.fromkeys([*frequent, *disambiguation.semcor().corpus.words])
    return [word for word in words if word.rpartition("|")[2] in SENSE_TAGS]


def train_tagger(corpus: Corpus, space: Space, min_count: int) -> SenseTagger:
    """Extended Lesk with the vectors of `space` for the senses of `tagger_words`, prior from all of SemCor.

    WordNet's examples are no part of the glosses here: they are sentences of the task on sense discrimination.
    """
    known = [word for word in space.rows if word in corpus.words]
    words = tagger_words(corpus, min_count)
    glosses = disambiguation.wordnet_glosses(words, disambiguation.readings(corpus, known))
    tagger = SenseTagger.build(glosses, space.rows, unit(space))
    gold = disambiguation.semcor()
    return tagger.with_prior(gold.frequencies(np.ones(len(gold.tokens), dtype=bool), tagger))


def tagger_quality(tagger: SenseTagger, space: Space) -> dict[str, dict[str, Score]]:
    """Scores on SemCor of the tagger and its baselines, by part of speech."""
    gold = disambiguation.semcor()
    rows = numbering(gold.corpus.words, space.rows)
    return disambiguation.evaluate(tagger, gold, unit(space), rows)


def polysemous(tagger: SenseTagger) -> tuple[dict[str, list[str]], np.ndarray]:
    """The senses of words that have more than one, as an inventory; and the number there of each of the tagger's.

    A word with a single sense has its own vector for it: number -1.
    """
    several = np.diff(tagger.starts) > 1
    ambiguous = several[tagger.word_of]
    number = np.where(ambiguous, np.cumsum(ambiguous) - 1, -1).astype(np.int32)
    return {word: list(tagger.of(word)) for word, more in zip(tagger.words, several, strict=True) if more}, number


def tagged_senses(corpus, model: SkipGram, words: Space, tagger: SenseTagger, settings: Mapping, seed) -> SenseVectors:
    """Tag the corpus with senses, then skip-gram over sense tokens."""
    rows, tagging = numbering(corpus.words, words.rows), settings["tagger"]
    tags = tagger.tag(corpus, unit(words), rows, prior_weight=tagging["prior"])
    inventory, number = polysemous(tagger)
    numbers = np.where(tags >= 0, number[tags], -1).astype(np.int32)
    options = {name: value for name, value in settings["senses"].items() if name != "subsample"}
    return train_senses(corpus, model, numbers, inventory, seed=seed, sample=settings["senses"]["subsample"], **options)


# ------------------------------------------------------------------------------------------------------- step by step


def train_trees(corpus: Corpus, words: Labels, settings: Mapping, seed: int) -> Space:
    """dep2vec's vectors of the words that were trained."""
    table = count_dependencies(corpus, words, min_count=settings["context_count"])
    return dependencies_from_counts(table, settings, seed)


def train(corpus: Corpus, needed: Iterable[str], lexemes: Iterable[str], settings: Mapping, seed: int) -> Trained:
    """word2vec, and skip-gram over the senses with which its tagger tags the corpus; from the cache if they are there.

    Parameters
    ----------
    corpus : Corpus
    needed, lexemes : iterable of str
        Words that get vectors however rare they are, and those whose occurrences are counted.
    settings : mapping
        ``[*.vectors]`` of ``data/profiles.toml``.
    seed : int
    """
    costs, data = [], datasets.used(["wordnet", "semcor"])
    model = costly(costs, WORD2VEC, train_vocabulary, corpus, sorted(set(needed)), settings["word2vec"], seed)
    space = space_of(model)
    about = (corpus, space, settings["senses"]["min_count"])
    tagger = costly(costs, "tagger", train_tagger, *about, depends=[about, data])
    of_senses = {name: settings[name] for name in ("tagger", "senses")}
    senses = costly(costs, SENSES, tagged_senses, corpus, model, space, tagger, of_senses, seed)
    lexicons = {WORD2VEC: Lexicon(WORD2VEC, space), SENSES: Lexicon(SENSES, space, senses)}
    counted = sorted(set(lexemes))
    counts = np.append(corpus.word_counts, 0)[numbering(Labels(counted), corpus.words)].tolist()
    return Trained(corpus.fingerprint, dict(zip(counted, counts, strict=True)), lexicons, tagger, costs=costs)


def costly(costs: list[Cost], name: str, make: Callable, *arguments, depends=None) -> SkipGram | Space | SenseVectors:
    """A training out of the cache, as `cdsm_lib.cache.cached`; what it took is added to the costs."""
    value, seconds = timed(make, *arguments, name=f"vectors/{name}", depends=depends)
    costs.append(Cost(name, seconds / 60))
    return value


# ------------------------------------------------------------------------------------------------- saving and loading


def reduced(tagger: SenseTagger, words: Iterable[str]) -> SenseTagger:
    """The tagger with these of its words alone."""
    words = [word for word in dict.fromkeys(words) if word in tagger.words]
    spans = [range(*tagger.starts[tagger.words.index(word) :][:2]) for word in words]
    rows = [row for span in spans for row in span]
    starts = np.cumsum([0, *map(len, spans)])
    names = tuple(tagger.senses[row] for row in rows)
    return SenseTagger(Labels(words), starts, names, tagger.vectors[rows], tagger.prior[rows])


def save(trained: Trained, folder: Path, *, dependencies: Counts) -> None:
    """What the sample profile needs: vectors at half precision, and the pairs from which dep2vec was trained."""
    storage.save(trained, folder / f"{PREFIX}vectors.npz", kind=KIND, small={"vectors": np.float16})
    dependencies.save(folder / f"{PREFIX}trees.npz")


def load(folder: Path, settings: Mapping, seed: int) -> Trained:
    """Read what `save` wrote.

    dep2vec is read if it was trained with these settings and this seed, and trained from its pairs otherwise. (Trained
    anew with the same, it would differ in the last digits on another processor, and the book's tables with it.)
    """
    trained = storage.load(folder / f"{PREFIX}vectors.npz", Trained, kind=KIND, remedy=training_counts.REMEDY)
    lexicons = {name: trained.lexicons[name] for name in NAMES if name in trained.lexicons}
    if lexicons[DEP2VEC].space.meta != trained_with(settings, seed):
        lexicons[DEP2VEC] = Lexicon(DEP2VEC, live(folder, settings, seed))
    return replace(trained, lexicons=lexicons)


def live(folder: Path, settings: Mapping, seed: int) -> Space:
    """dep2vec trained from the distilled pairs."""
    return dependencies_from_counts(Counts.load(folder / f"{PREFIX}trees.npz"), settings, seed)


def distilled(corpus: Corpus, settings: Mapping, seed: int) -> tuple[Trained, Counts]:
    """What `save` takes: vectors from the whole corpus for the words of the teaching sets, and of frequent words."""
    shown = [word for pair in PHRASES for phrase in pair for word in phrase.split()]
    wanted = [*teaching_words(), *(PARSED_AS.get(word, word) for word in shown)]
    lexemes = [*phrase_similarity.load("phrase_pairs").words, *teaching_lexemes()]
    trained = train(corpus, wanted, lexemes, settings, seed)
    space = trained.lexicons[WORD2VEC].space
    words = space.subset([w for w in dict.fromkeys([*wanted, *content_words(corpus, settings["words"])]) if w in space])
    pairs = dependency_counts(corpus, words.rows, settings["dep2vec"])
    trees = dependencies_from_counts(pairs, settings["dep2vec"], seed)
    trees = replace(trees, meta=trained_with(settings["dep2vec"], seed))

    senses = trained.lexicons[SENSES].senses
    senses = senses.subset([word for word in dict.fromkeys(lexemes) if word in senses])
    lexicons = [Lexicon(WORD2VEC, words), Lexicon(DEP2VEC, trees), Lexicon(SENSES, words, senses)]
    tagger = reduced(trained.tagger, teaching_lexemes())
    by_name = {lexicon.name: lexicon for lexicon in lexicons}
    return replace(trained, lexicons=by_name, tagger=tagger, costs=[]), pairs
