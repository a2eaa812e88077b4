"""White (2015): the evaluation corpus and the sentence models of chapter 20.

The sample profile builds the corpus from a teaching set, with a tagger and an excerpt of the lexicon that stand in the
project, and trains small models on the Wikipedia articles inside gensim. The full profile builds it from MSRPC with the
parser's tags, WordNet and SCOWL, and trains on the parsed Wikipedia; what takes long is kept in the cache.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from cdsm_lib import cache, datasets
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition import autoencoder, sentence
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder
from cdsm_lib.composition.paragraph import ParagraphVectors
from cdsm_lib.composition.sentence import SIF
from cdsm_lib.construction import localisation as construction
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import pack_labels, read_npz, unpack_labels, write_npz
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import Localisation, Texts
from cdsm_lib.text import gensim_text
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import Corpus, Sentence
from cdsm_lib.text.lexicon import Excerpt, Lexicon, WordNetLexicon
from cdsm_lib.vectors import embeddings
from cdsm_lib.vectors.space import Space

BOW, ADDITION, WEIGHTED = "bag of words", "addition", "SIF"
PV_DM, PV_DBOW = "PV-DM", "PV-DBOW"
WORDS = "words"
PARSED, GREEDY = "URAE, parsed", "URAE, greedy"
AUTOENCODERS = {"parsed": PARSED, "greedy": GREEDY}
MEAN = ", mean of nodes"
"""Of an autoencoder: read from all nodes of the tree, words and phrases, instead of its root."""
SYSTEMS = (BOW, ADDITION, WEIGHTED, PV_DM, PV_DBOW, PARSED, GREEDY)
UNKNOWN = "<unk>"
EXCERPT = "facts.json"
STORED, STORED_MODEL = "white-distances.npz", "white-autoencoder.npz"
REMEDY = "Make it again with make distil."

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
    return pairs, {id: construction.retagged(one, tag([token.form for token in one])) for id, one in parsed.items()}


def task_of(profile: Profile, *, sense: str | None = None, seed: int | None = None) -> Localisation:
    """The evaluation corpus of a profile, with another sense or seed if asked."""
    name = profile["localisation.dataset"]
    return construction.build(
        name, *tagged(name), lexicon_of(name), sense=sense or profile["localisation.sense"],
        seed=profile["seed"] if seed is None else seed, most=profile["localisation.most"],
        progress=partial(tqdm, desc=f"altering {name}", disable=None),
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------- text


@dataclass(frozen=True, eq=False)
class Text:
    """Sentences of running text: tokens in lower case, as numbers.

    Attributes
    ----------
    words : Labels
    word : int32 array [tokens]
        Of each token the place in `words`.
    offsets : int64 array [sentences + 1]
    heads : int32 array [tokens], or None
        Place of the head in its sentence, -1 for a root; None without parses.
    name : str
        What the text is.
    """

    words: Labels
    word: np.ndarray
    offsets: np.ndarray
    heads: np.ndarray | None
    name: str

    @property
    def fingerprint(self) -> str:
        """What stands for the text in the keys of the cache: its name."""
        return self.name

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.word)

    @cached_property
    def word_counts(self) -> np.ndarray:
        """Occurrences of each word, int64 [words]."""
        return np.bincount(self.word, minlength=len(self.words))

    chunks = Corpus.chunks

    def __iter__(self) -> Iterator[list[str]]:
        words = self.words
        for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield [words[i] for i in self.word[start:stop].tolist()]

    def some(self, n: int, seed: int, *, shortest: int = 1, longest: int = 10**6) -> "Text":
        """So many sentences drawn without replacement, in order; all of a fitting length if there are fewer."""
        lengths = np.diff(self.offsets)
        fitting = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
        if n < len(fitting):
            fitting = np.sort(np.random.default_rng(seed).choice(fitting, n, replace=False))
        places = np.concatenate([np.arange(*self.offsets[i : i + 2]) for i in fitting]) if len(fitting) else fitting
        offsets = np.concatenate(([0], np.cumsum(lengths[fitting])))
        heads = None if self.heads is None else self.heads[places]
        name = f"{self.name}, {n} of {shortest}-{longest} by {seed}"
        return Text(self.words, self.word[places], offsets, heads, name)


def of_corpus(corpus: Corpus) -> Text:
    """The parsed corpus as running text."""
    words = Labels(dict.fromkeys(form.lower() for form in corpus.forms))
    lower = np.array([words.index(form.lower()) for form in corpus.forms], dtype=np.int32)
    head = np.asarray(corpus.head, dtype=np.int32)
    starts = np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
    places = (np.arange(corpus.n_tokens) - starts).astype(np.int32)
    heads = np.where(head == 0, -1, places + head)
    return Text(words, lower[corpus.form], np.asarray(corpus.offsets), heads, corpus.fingerprint)


def of_gensim() -> Text:
    """The articles that gensim ships."""
    sentences = [[token.lower() for token in tokens] for tokens in gensim_text.sentences()]
    words = Labels(dict.fromkeys(token for tokens in sentences for token in tokens))
    numbers = np.array([words.index(token) for tokens in sentences for token in tokens], dtype=np.int32)
    offsets = np.concatenate(([0], np.cumsum([len(tokens) for tokens in sentences]))).astype(np.int64)
    return Text(words, numbers, offsets, None, "gensim")


def text_of(profile: Profile) -> Text:
    """The running text of a profile."""
    return of_corpus(materials.wikipedia()) if profile.name == "full" else of_gensim()


# ------------------------------------------------------------------------------------------------------------ training


def train_words(text: Text, settings: Mapping, seed: int) -> Space:
    """word2vec of the forms as they stand, with a row for unknown words: the mean of the rarest known ones.

    Returns
    -------
    Space
        float32, the most frequent word first; `meta` holds nothing. The last row is ``<unk>``.
    """
    options = {name: value for name, value in settings.items() if name != "min_count"}
    counts = text.word_counts
    frequent = np.flatnonzero(counts >= settings["min_count"])
    frequent = frequent[np.argsort(-counts[frequent], kind="stable")]
    words = [text.words[i] for i in frequent]
    vectors = embeddings.train_words(text, words, seed=seed, **options).target_vectors
    rare = counts[frequent] <= 2 * counts[frequent].min()
    return Space([*words, UNKNOWN], np.vstack([vectors, vectors[rare].mean(axis=0)]))


def numbered(sentences: Iterable[Sequence[str]], space: Space) -> list[np.ndarray]:
    """Tokens as rows of a space; unknown ones get the row of ``<unk>``."""
    unknown = space.rows.index(UNKNOWN)
    row = {word: i for i, word in enumerate(space.rows)}
    return [np.array([row.get(token.lower(), unknown) for token in tokens], dtype=np.int32) for tokens in sentences]


def train_paragraph_vectors(text: Text, method: str, settings: Mapping, seed: int) -> ParagraphVectors:
    """PV-DM or PV-DBOW."""
    names = ("dimensions", "window", "min_count", "negatives", "hs", "sample", "epochs", "rate")
    options = {name: settings[name] for name in names}
    return ParagraphVectors.fit(text.some(settings["sentences"], seed), method=method, seed=seed, **options)


def train_autoencoder(text: Text, words: Space, trees: str, settings: Mapping, seed: int) -> UnfoldingAutoencoder:
    """The unfolding recursive autoencoder, with ``"parsed"`` or ``"greedy"`` trees."""
    n = settings["sentences"] + settings["held_out"]
    text = text.some(n, seed, shortest=2, longest=settings["longest"])
    sentences, shapes = numbered(text, words), None
    if trees == "parsed":
        borders = zip(text.offsets[:-1].tolist(), text.offsets[1:].tolist(), strict=True)
        shapes = [autoencoder.binarise(text.heads[a:b]) for a, b in borders]
    held_out = np.random.default_rng(seed).permutation(len(sentences)) < settings["held_out"]

    def part(which: np.ndarray) -> tuple[list[np.ndarray], list[autoencoder.Tree] | str]:
        places = np.flatnonzero(which).tolist()
        return [sentences[i] for i in places], [shapes[i] for i in places] if shapes else "greedy"

    options = {name: settings[name] for name in ("epochs", "batch", "rate", "penalty")}
    model, leaves = UnfoldingAutoencoder(words.d, seed=seed), autoencoder.scaled(words)
    return model.fit(*part(~held_out), leaves.vectors, held_out=part(held_out), seed=seed, **options)


def training_of(profile: Profile) -> "TrainingCache":
    """What is trained for a profile; kept in the cache in the full one."""
    return TrainingCache(text_of(profile), profile["localisation"], profile["seed"], kept=profile.name == "full")


@dataclass
class TrainingCache:
    """Trains one model after the other; takes from the cache what has been trained before.

    Attributes
    ----------
    text : Text
    settings : mapping
        ``[*.localisation]`` of ``data/profiles.toml``.
    seed : int
    kept : bool
        Without it nothing is kept.
    seconds : dict of str to float
        How long each took when it was trained.
    """

    text: Text
    settings: Mapping
    seed: int
    kept: bool = False
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def words(self) -> Space:
        """The word vectors of addition, SIF, and the autoencoder's leaves."""
        return self._trained(WORDS, train_words, self.text, self.settings["words"], self.seed)

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
        if self.kept:
            model, self.seconds[name] = cache.timed(train, *arguments, name=f"localisation/{name}")
            return model
        start = time.monotonic()
        model = train(*arguments)
        self.seconds[name] = time.monotonic() - start
        return model


# ---------------------------------------------------------------------------------------------------------- embedding


@dataclass(frozen=True, eq=False)
class Embedded:
    """The texts of an evaluation corpus as one system sees them.

    Attributes
    ----------
    system : str
        One of `SYSTEMS`.
    space : str
        From what it was made.
    vectors : float array or sparse matrix [texts, d]
    unknown : float
        Share of the tokens without a vector of their own.
    """

    system: str
    space: str
    vectors: np.ndarray
    unknown: float

    def distance(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Cosine distances between texts, row by row, rounded so that equal ones tie; NaN where one has no word that
        the system knows."""
        return sentence.cosine_distances(self.vectors[first], self.vectors[second], undefined=np.nan)


def share_unknown(unknown: np.ndarray, texts: Texts) -> float:
    """Unknown tokens among all."""
    return float(unknown.sum() / sum(len(tokens) for tokens in texts.tokens))


def bags(texts: Texts) -> Embedded:
    """Bags of words: nothing is unknown."""
    return Embedded(BOW, "counts", sentence.bag_of_words(texts.tokens), 0.0)


def added(texts: Texts, space: Space, name: str) -> Embedded:
    """Sums of word vectors."""
    vectors, unknown = sentence.additive(texts.tokens, space)
    return Embedded(ADDITION, name, vectors, share_unknown(unknown, texts))


def weighted(texts: Texts, space: Space, text: Text, settings: Mapping, seed: int) -> Embedded:
    """SIF; what is common to all sentences is taken from running text."""
    reference = list(text.some(settings["sentences"], seed, shortest=5, longest=60))
    counts = dict(zip(text.words, text.word_counts.tolist(), strict=True))
    model = SIF.fit(reference, space, counts, a=settings["a"], components=settings["components"])
    vectors, unknown = model.embed(texts.tokens)
    return Embedded(WEIGHTED, "word2vec", vectors, share_unknown(unknown, texts))


def inferred(texts: Texts, model: ParagraphVectors, settings: Mapping, seed: int) -> Embedded:
    """Paragraph vectors, each the mean of several inferences."""
    options = {"draws": settings["draws"], "epochs": settings["passes"], "rate": settings["rate"]}
    vectors = model.embed(texts.tokens, **options, seed=seed, workers=2)
    return Embedded(model.method, "text", vectors, share_unknown(model.unknown(texts.tokens), texts))


def trees_of(task: Localisation, texts: Texts) -> list[autoencoder.Tree]:
    """The tree of every text is that of the sentence from which it was made."""
    trees = [autoencoder.binarise([token.head - 1 for token in one]) for one in task.sentences]
    return [trees[i] for i in texts.source.tolist()]


def encoded(
    task: Localisation, texts: Texts, model: UnfoldingAutoencoder, leaves: Space, trees: str
) -> Iterator[Embedded]:
    """The unfolding recursive autoencoder over ``"parsed"`` or ``"greedy"`` trees: roots, and means of all nodes."""
    rows = numbered(texts.tokens, leaves)
    shapes = trees_of(task, texts) if trees == "parsed" else autoencoder.greedy_trees(rows, leaves.vectors, model)
    unknown = np.array([(row == leaves.rows.index(UNKNOWN)).sum() for row in rows])
    for system, mean in ((AUTOENCODERS[trees], False), (f"{AUTOENCODERS[trees]}{MEAN}", True)):
        vectors = model.embed(rows, shapes, leaves.vectors, mean=mean)
        yield Embedded(system, "word2vec", vectors, share_unknown(unknown, texts))


def altered(task: Localisation, texts: Texts) -> Iterator[Sentence]:
    """The parse of every text: that of its source, with the lemmas that were put in."""
    for tokens, source, changes in zip(texts.tokens, texts.source.tolist(), texts.changes, strict=True):
        base, lemmas = task.sentences[source], dict(changes)
        altered_tokens = (
            replace(token, form=form, lemma=lemmas[i].lower() if i in lemmas else token.lemma)
            for i, (token, form) in enumerate(zip(base, tokens, strict=True))
        )
        yield Sentence(tuple(altered_tokens), base.comments)


def store_autoencoder(training: TrainingCache, texts: Texts, place: Path) -> None:
    """Write the autoencoder over greedy trees with the leaves for the words of some texts, at half precision."""
    model, leaves = training.autoencoder("greedy"), training.leaves
    words = sorted({token.lower() for tokens in texts.tokens for token in tokens} & set(leaves.rows))
    space = leaves.subset([*words, UNKNOWN])
    arrays = {name: getattr(model, name) for name in autoencoder.PARAMETERS}
    arrays |= {"rows": pack_labels(space.rows), "vectors": space.vectors.astype(np.float16)}
    write_npz(place, "kept autoencoder", 1, arrays, {"dimensions": model.dimensions})


def stored_autoencoder(place: Path | None = None) -> tuple[UnfoldingAutoencoder, Space]:
    """What `store_autoencoder` wrote: a model, and its leaves."""
    place = place or datasets.data_root() / "distilled" / STORED_MODEL
    arrays, meta = read_npz(place, "kept autoencoder", 1, [*autoencoder.PARAMETERS, "rows", "vectors"], remedy=REMEDY)
    model = UnfoldingAutoencoder(meta["dimensions"])
    for name in autoencoder.PARAMETERS:
        setattr(model, name, arrays[name])
    return model, Space(unpack_labels(arrays["rows"]), arrays["vectors"].astype(np.float32))
