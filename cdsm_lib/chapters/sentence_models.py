"""White (2015): the evaluation corpus and the sentence models of chapter 20.

The sample profile builds the corpus from a teaching set, with a tagger and an excerpt of the lexicon that stand in the
project, and trains small models on the Wikipedia articles inside gensim. The full profile builds it from MSRPC with the
parser's tags, WordNet and SCOWL, and trains on the parsed Wikipedia; what takes long is kept in the cache.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from cdsm_lib import cache, datasets, storage
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition import autoencoder, sentence
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder
from cdsm_lib.composition.paragraph import ParagraphVectors
from cdsm_lib.composition.sentence import SIF
from cdsm_lib.construction import localisation as construction
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import Localisation
from cdsm_lib.tasks.task import column
from cdsm_lib.text import gensim_text
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import COLUMNS, Corpus
from cdsm_lib.text.lexicon import Excerpt, Lexicon, WordNetLexicon
from cdsm_lib.vectors import embeddings
from cdsm_lib.vectors.space import Space

BOW, ADDITION, WEIGHTED = "bag of words", "addition", "SIF"
PV_DM, PV_DBOW = "PV-DM", "PV-DBOW"
PARSED, GREEDY = "URAE, parsed", "URAE, greedy"
AUTOENCODERS = {"parsed": PARSED, "greedy": GREEDY}
MEAN = ", mean of nodes"
"""Of an autoencoder: read from all nodes of the tree, words and phrases, instead of its root."""
UNKNOWN = "<unk>"
EXCERPT = "facts.json"
STORED, STORED_MODEL = "white-distances.npz", "white-autoencoder.npz"

# --------------------------------------------------------------------------------------------------- evaluation corpus


def lexicon_of(name: str) -> Lexicon:
    """What is known of the words of a set: the databases for MSRPC, the committed excerpt for a teaching set."""
    return WordNetLexicon() if name == "msrpc" else Excerpt.load(datasets.sample_path(name) / EXCERPT)


def tagged(name: str) -> tuple[list[localisation.Pair], dict]:
    """The pairs of a set, and their sentences with tags: the parser's for MSRPC, our tagger's for a teaching set."""
    pairs, parsed = localisation.load(name)
    if name == "msrpc":
        return pairs, parsed
    tag = pos.load().tag
    return pairs, {id: construction.retagged(tree, tag(localisation.forms(tree))) for id, tree in parsed.items()}


def task_of(profile: Profile, *, sense: str | None = None) -> Localisation:
    """The evaluation corpus of a profile, with another sense if asked."""
    name = profile["localisation.dataset"]
    return construction.build(
        name, *tagged(name), lexicon_of(name), sense=sense or profile["localisation.sense"],
        seed=profile["seed"], most=profile["localisation.most"],
        progress=partial(tqdm, desc=f"altering {name}", disable=None),
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------- text


def sentences_of(text: Corpus) -> list[list[str]]:
    """The sentences of a text, as lists of words."""
    return list(map(list, np.split(text.words.decode(text.word), text.offsets[1:-1])))


def some(text: Corpus, n: int, seed: int, *, shortest: int = 1, longest: int = 10**6) -> Corpus:
    """So many sentences drawn without replacement, in order; all of a fitting length if there are fewer."""
    lengths = np.diff(text.offsets)
    fitting = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
    if n < len(fitting):
        fitting = np.sort(np.random.default_rng(seed).choice(fitting, n, replace=False))
    taken = np.repeat(np.isin(np.arange(len(lengths)), fitting), lengths)
    columns = {name: getattr(text, name)[taken] for name in COLUMNS}
    columns |= {"offsets": np.concatenate(([0], np.cumsum(lengths[fitting])))}
    return replace(text, **columns, fingerprint=f"{text.fingerprint}, {n} of {shortest}-{longest} by {seed}")


def of_corpus(corpus: Corpus) -> Corpus:
    """The parsed corpus as running text: its words are the forms in lower case."""
    words = Labels(dict.fromkeys(form.lower() for form in corpus.forms))
    lower = words.encode(form.lower() for form in corpus.forms).astype(np.int32)
    return replace(corpus, word=lower[corpus.form], tables={"words": words})


def of_gensim() -> Corpus:
    """The articles that gensim ships, in lower case, without trees."""
    sentences = gensim_text.sentences()
    tokens = [token.lower() for sentence in sentences for token in sentence]
    words = Labels(dict.fromkeys(tokens))
    numbers = words.encode(tokens).astype(np.int32)
    offsets, none = np.cumsum([0, *map(len, sentences)]), np.zeros(len(numbers), dtype=np.int16)
    return Corpus(numbers, numbers, none, none, offsets, Labels([]), (), "gensim", tables={"words": words})


def text_of(profile: Profile) -> Corpus:
    """The running text of a profile."""
    return of_corpus(materials.wikipedia()) if profile.name == "full" else of_gensim()


# ------------------------------------------------------------------------------------------------------------ training


def train_words(text: Corpus, settings: Mapping, seed: int) -> Space:
    """word2vec of the forms as they stand, float32, the most frequent first; the last row, ``<unk>``, is the mean of
    the rarest known words."""
    options = {name: value for name, value in settings.items() if name != "min_count"}
    counts = text.word_counts
    frequent = np.flatnonzero(counts >= settings["min_count"])
    frequent = frequent[np.argsort(-counts[frequent], kind="stable")]
    words = [text.words[i] for i in frequent]
    vectors = embeddings.train_words(text, words, seed=seed, **options).target_vectors
    rare = counts[frequent] <= 2 * counts[frequent].min()
    return Space([*words, UNKNOWN], np.vstack([vectors, vectors[rare].mean(axis=0)]))


def numbered(sentences: Sequence[Sequence[str]], space: Space) -> list[np.ndarray]:
    """Tokens as rows of a space; unknown ones get the row of ``<unk>``."""
    rows = space.rows.encode(token.lower() for tokens in sentences for token in tokens).astype(np.int32)
    rows[rows < 0] = space.rows.index(UNKNOWN)
    return np.split(rows, np.cumsum(list(map(len, sentences)))[:-1])


def train_paragraph_vectors(text: Corpus, method: str, settings: Mapping, seed: int) -> ParagraphVectors:
    """PV-DM or PV-DBOW."""
    options = {name: value for name, value in settings.items() if name != "sentences"}
    documents = sentences_of(some(text, settings["sentences"], seed))
    return ParagraphVectors.fit(documents, method=method, seed=seed, **options)


def train_autoencoder(text: Corpus, words: Space, trees: str, settings: Mapping, seed: int) -> UnfoldingAutoencoder:
    """The unfolding recursive autoencoder, with ``"parsed"`` or ``"greedy"`` trees; ``held_out`` are left aside."""
    n = settings["sentences"] + settings["held_out"]
    text = some(text, n, seed, shortest=2, longest=settings["longest"])
    sentences, shapes = numbered(sentences_of(text), words), None
    if trees == "parsed":
        heads = np.split(text.head, text.offsets[1:-1])
        shapes = [autoencoder.binarise(np.where(head, np.arange(len(head)) + head, -1)) for head in heads]
    used = np.flatnonzero(np.random.default_rng(seed).permutation(len(sentences)) >= settings["held_out"]).tolist()
    trees = [shapes[i] for i in used] if shapes else "greedy"
    options = {name: settings[name] for name in ("epochs", "batch", "rate", "penalty")}
    model, leaves = UnfoldingAutoencoder(words.d, seed=seed), autoencoder.scaled(words)
    return model.fit([sentences[i] for i in used], trees, leaves.vectors, seed=seed, **options)


def training_of(profile: Profile) -> "TrainingCache":
    """What is trained for a profile; kept in the cache in the full one."""
    return TrainingCache(text_of(profile), profile["localisation"], profile["seed"], cached=profile.name == "full")


@dataclass
class TrainingCache:
    """Trains one model after the other; takes from the cache what has been trained before, if it is `cached`.

    `settings` is ``[*.localisation]`` of ``data/profiles.toml``; `seconds` says how long each in the cache took.
    """

    text: Corpus
    settings: Mapping
    seed: int
    cached: bool = False
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def words(self) -> Space:
        """The word vectors of addition, SIF, and the autoencoder's leaves."""
        return self._trained("words", train_words, self.text, self.settings["words"], self.seed)

    @cached_property
    def leaves(self) -> Space:
        """The word vectors, brought into the reach of tanh."""
        return autoencoder.scaled(self.words)

    def paragraph_vectors(self, method: str) -> ParagraphVectors:
        """PV-DM or PV-DBOW: large, and not held in memory."""
        settings = self.settings["paragraph_vectors"]
        settings = {name: value for name, value in settings.items() if name not in ("draws", "passes")}
        return self._trained(method, train_paragraph_vectors, self.text, method, settings, self.seed)

    def autoencoder(self, trees: str) -> UnfoldingAutoencoder:
        """The unfolding recursive autoencoder; see `train_autoencoder`."""
        settings = {name: value for name, value in self.settings["autoencoder"].items() if name != "trees"}
        return self._trained(f"urae-{trees}", train_autoencoder, self.text, self.words, trees, settings, self.seed)

    def _trained(self, name: str, train: Callable, *arguments):
        if not self.cached:
            return train(*arguments)
        model, self.seconds[name] = cache.timed(train, *arguments, name=f"localisation/{name}")
        return model


# ----------------------------------------------------------------------------------------------------------- distances


@dataclass(frozen=True, eq=False)
class Measured:
    """How far a system puts the texts of an evaluation corpus from each other.

    Attributes
    ----------
    system, space : str
        What embeds, and from what.
    unknown : float
        Share of the tokens without a vector of their own.
    distances : float array [m]
        Cosine distances of the corpus's `pairs`, rounded so that equal ones tie; NaN where a text has no word that the
        system knows.
    """

    system: str
    space: str
    unknown: float
    distances: np.ndarray


def measured(task: Localisation, system: str, space: str, vectors, unknown: np.ndarray) -> Measured:
    """The distances of vectors [texts, d], of whose tokens so many are unknown [texts]."""
    first, second = task.pairs.T
    distances = sentence.cosine_distances(vectors[first], vectors[second], undefined=np.nan)
    return Measured(system, space, float(unknown.sum() / sum(map(len, task.texts.tokens))), distances)


def bags(task: Localisation) -> Measured:
    """Bags of words: nothing is unknown."""
    return measured(task, BOW, "counts", sentence.bag_of_words(task.texts.tokens), np.zeros(1))


def added(task: Localisation, space: Space, name: str) -> Measured:
    """Sums of the vectors of a space of that name."""
    return measured(task, ADDITION, name, *sentence.additive(task.texts.tokens, space))


def weighted(task: Localisation, space: Space, text: Corpus, settings: Mapping, seed: int) -> Measured:
    """SIF; what is common to all sentences is taken from running text."""
    reference = sentences_of(some(text, settings["sentences"], seed, shortest=5, longest=60))
    counts = dict(zip(text.words, text.word_counts.tolist(), strict=True))
    model = SIF.fit(reference, space, counts, a=settings["a"], components=settings["components"])
    return measured(task, WEIGHTED, "word2vec", *model.embed(task.texts.tokens))


def inferred(task: Localisation, model: ParagraphVectors, settings: Mapping, seed: int) -> Measured:
    """Paragraph vectors, each the mean of several inferences."""
    options = {"draws": settings["draws"], "epochs": settings["passes"], "rate": settings["rate"]}
    vectors = model.embed(task.texts.tokens, **options, seed=seed, workers=2)
    return measured(task, model.method, "text", vectors, model.unknown(task.texts.tokens))


def encoded(task: Localisation, model: UnfoldingAutoencoder, leaves: Space, trees: str) -> Iterator[Measured]:
    """The unfolding recursive autoencoder over ``"parsed"`` or ``"greedy"`` trees: roots, and means of all nodes.

    The parse of every text is that of the sentence from which it was made.
    """
    rows = numbered(task.texts.tokens, leaves)
    if trees == "parsed":
        of_sentence = [autoencoder.binarise(column(sentence, "head") - 1) for sentence in task.sentences]
        shapes = [of_sentence[i] for i in task.texts.source.tolist()]
    else:
        shapes = autoencoder.greedy_trees(rows, leaves.vectors, model)
    unknown = np.array([(row == leaves.rows.index(UNKNOWN)).sum() for row in rows])
    for system, mean in ((AUTOENCODERS[trees], False), (f"{AUTOENCODERS[trees]}{MEAN}", True)):
        yield measured(task, system, "word2vec", model.embed(rows, shapes, leaves.vectors, mean=mean), unknown)


# --------------------------------------------------------------------------------------------- the sample's autoencoder


def store_autoencoder(training: TrainingCache, task: Localisation, place: Path) -> None:
    """Write the autoencoder over greedy trees with the leaves for the words of a corpus, at half precision."""
    model, leaves = training.autoencoder("greedy"), training.leaves
    words = sorted({token.lower() for tokens in task.texts.tokens for token in tokens} & set(leaves.rows))
    leaves = leaves.subset([*words, UNKNOWN])
    storage.save((model, leaves), place, kind="autoencoder", small={"vectors": np.float16})


def stored_autoencoder() -> tuple[UnfoldingAutoencoder, Space]:
    """What `store_autoencoder` wrote: a model, and its leaves."""
    place = datasets.data_root() / "distilled" / STORED_MODEL
    return storage.load(place, tuple[UnfoldingAutoencoder, Space], kind="autoencoder", remedy=materials.REMEDY)
