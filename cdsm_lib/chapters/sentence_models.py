"""White (2015): the evaluation corpus and the sentence models of chapter 20.

The sample profile builds the corpus from a teaching set, with a tagger and an excerpt of facts that stand in the
project, and trains small models on the Wikipedia articles inside gensim. The full profile builds it from MSRPC with the
parser's tags, WordNet and SCOWL, and trains on the parsed Wikipedia; what takes long is kept in the cache.
"""

import hashlib
import inspect
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from tqdm import tqdm

import cdsm_lib
from cdsm_lib import datasets
from cdsm_lib.chapters import localisation_plf as white2015_plf
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition import autoencoder, practical_tree, sentence
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder
from cdsm_lib.composition.sentence import SIF, ParagraphVectors
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import Rules
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import pack_labels, read_npz, unpack_labels, write_npz
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import Localisation, Texts
from cdsm_lib.text import gensim_text
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import Corpus, Sentence
from cdsm_lib.text.counts import CONTENT_TAGS
from cdsm_lib.text.lexicon import Excerpt, Lexicon, WordNetLexicon
from cdsm_lib.vectors.space import Space

BOW, ADDITION, WEIGHTED, PLF = "bag of words", "addition", "SIF", "PLF"
PV_DM, PV_DBOW = "PV-DM", "PV-DBOW"
PARSED, GREEDY = "URAE, parsed", "URAE, greedy"
SYSTEMS = (BOW, ADDITION, WEIGHTED, PV_DM, PV_DBOW, PARSED, GREEDY, PLF)
UNKNOWN = "<unk>"
EXCERPT = "facts.json"
STORED, KEPT_MODEL = "white-distances.npz", "white-autoencoder.npz"
REMEDY = "Make it again with make distil."

# --------------------------------------------------------------------------------------------------- evaluation corpus


def rules_of(settings: Mapping) -> Rules:
    """The choices of a profile."""
    return Rules(settings["sense"], settings["antonyms"])


def lexicon_of(name: str) -> Lexicon:
    """The lexicon for the words of a set: the databases for MSRPC, the committed excerpt for a teaching set."""
    return WordNetLexicon() if name == "msrpc" else Excerpt.load(datasets.sample_path(name) / EXCERPT)


def tagged(name: str) -> tuple[list[localisation.Pair], dict]:
    """The pairs of a set, and their sentences with tags: the parser's for MSRPC, our tagger's for a teaching set."""
    pairs, parsed = localisation.load(name)
    return pairs, parsed if name == "msrpc" else retagged(parsed)


def retagged(parsed: Mapping) -> dict:
    """The sentences with the tags of our own tagger."""
    tagger = pos.load()
    return {
        id: construction.retagged(one, tagger.tag([token.form for token in one])) for id, one in parsed.items()
    }  # fmt: skip


def task_of(profile: Profile, *, rules: Rules | None = None, seed: int | None = None) -> Localisation:
    """The evaluation corpus of a profile, with other rules or another seed if asked."""
    settings = profile["localisation"]
    name = settings["dataset"]
    pairs, parsed = tagged(name)
    return construction.build(
        name, pairs, parsed, lexicon_of(name),
        rules=rules or rules_of(settings), seed=profile["seed"] if seed is None else seed,
        most=settings["most"], progress=bar(f"altering {name}"),
    )  # fmt: skip


def bar(what: str) -> Callable[[Iterable], Iterable]:
    """A progress bar on a terminal, and nothing anywhere else."""
    return lambda items: tqdm(items, desc=what, disable=not sys.stderr.isatty())


# ---------------------------------------------------------------------------------------------------------------- text


@dataclass(frozen=True, eq=False)
class Text:
    """Sentences of running text: tokens in lower case, as numbers.

    Attributes
    ----------
    words : tuple of str
    tokens : int32 array [tokens]
    offsets : int64 array [sentences + 1]
    heads : int32 array [tokens], or None
        Place of the head in its sentence, -1 for a root; None without parses.
    name : str
        What the text is, for keys.
    """

    words: tuple[str, ...]
    tokens: np.ndarray
    offsets: np.ndarray
    heads: np.ndarray | None
    name: str

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[list[str]]:
        words = self.words
        for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield [words[i] for i in self.tokens[start:stop].tolist()]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Occurrences of each word."""
        found = np.bincount(self.tokens, minlength=len(self.words))
        return {word: int(n) for word, n in zip(self.words, found, strict=True) if n}

    def some(self, n: int, seed: int, *, shortest: int = 1, longest: int = 10**6) -> "Text":
        """So many sentences drawn without replacement, in order; all of a fitting length if there are fewer."""
        lengths = np.diff(self.offsets)
        fitting = np.flatnonzero((lengths >= shortest) & (lengths <= longest))
        if n < len(fitting):
            fitting = np.sort(np.random.default_rng(seed).choice(fitting, n, replace=False))
        kept = np.concatenate([np.arange(*self.offsets[i : i + 2]) for i in fitting]) if len(fitting) else fitting
        offsets = np.concatenate(([0], np.cumsum(lengths[fitting])))
        heads = None if self.heads is None else self.heads[kept]
        return Text(
            self.words, self.tokens[kept], offsets, heads, f"{self.name}, {n} of {shortest}-{longest} by {seed}"
        )


def of_corpus(corpus: Corpus) -> Text:
    """The parsed corpus as running text."""
    words = Labels(dict.fromkeys(form.lower() for form in corpus.forms))
    lower = np.array([words.index(form.lower()) for form in corpus.forms], dtype=np.int32)
    head = np.asarray(corpus.head, dtype=np.int32)
    starts = np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
    places = (np.arange(corpus.n_tokens) - starts).astype(np.int32)
    heads = np.where(head == 0, -1, places + head)
    return Text(tuple(words), lower[corpus.form], np.asarray(corpus.offsets), heads, corpus.fingerprint)


def of_gensim() -> Text:
    """The articles that gensim ships."""
    found = [[token.lower() for token in tokens] for tokens in gensim_text.sentences()]
    words = Labels(dict.fromkeys(token for tokens in found for token in tokens))
    numbers = np.array([words.index(token) for tokens in found for token in tokens], dtype=np.int32)
    offsets = np.concatenate(([0], np.cumsum([len(tokens) for tokens in found]))).astype(np.int64)
    return Text(tuple(words), numbers, offsets, None, "gensim")


def text_of(profile: Profile) -> Text:
    """The running text of a profile."""
    return of_corpus(materials.wikipedia()) if profile.name == "full" else of_gensim()


# ------------------------------------------------------------------------------------------------------- word vectors


def steps_of(profile: Profile, text: Text | None = None) -> "Steps":
    """What is trained for a profile; kept in the cache in the full one."""
    folder = datasets.cache_folder() / "vectors" if profile.name == "full" else None
    return Steps(text_of(profile) if text is None else text, profile["localisation"], profile["seed"], folder)


def train_words(text: Text, settings: Mapping, seed: int) -> Space:
    """word2vec of the forms as they stand, with a row for unknown words: the mean of the rarest known ones.

    gensim's skip-gram with one worker: the same seed gives the same vectors.

    Returns
    -------
    Space
        float32; `meta` holds nothing. The last row is ``<unk>``.
    """
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=settings["dimensions"], window=settings["window"], sg=1, hs=0, negative=settings["negatives"],
        min_count=settings["min_count"], sample=settings["subsample"], alpha=settings["rate"], workers=1, seed=seed,
        epochs=settings["epochs"],
    )  # fmt: skip
    model.build_vocab(text)
    model.train(text, total_examples=len(text), total_words=text.n_tokens, epochs=model.epochs)
    words = model.wv.index_to_key
    counts = np.array([model.wv.get_vecattr(word, "count") for word in words])
    rare = counts <= 2 * counts.min()
    vectors = np.vstack([model.wv.vectors, model.wv.vectors[rare].mean(axis=0)])
    return Space(Labels([*words, UNKNOWN]), vectors.astype(np.float32))


def numbered(sentences: Iterable[Sequence[str]], space: Space) -> list[np.ndarray]:
    """Tokens as rows of a space; unknown ones get the row of ``<unk>``."""
    unknown = space.rows.index(UNKNOWN)
    row = {word: i for i, word in enumerate(space.rows)}
    return [np.array([row.get(token.lower(), unknown) for token in tokens], dtype=np.int32) for tokens in sentences]


# -------------------------------------------------------------------------------------------------------------- steps


@dataclass
class Steps:
    """Trains one model after the other; keeps each in a folder, and takes from there what has been made before.

    A file's name changes with the text, the settings, the seed and the code on which its content depends.

    Attributes
    ----------
    text : Text
    settings : mapping
        ``[*.localisation]`` of ``data/profiles.toml``.
    seed : int
    folder : Path, optional
        Without one nothing is kept.
    """

    text: Text
    settings: Mapping
    seed: int
    folder: Path | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def words(self) -> Space:
        """The word vectors of addition, SIF, and the autoencoder's leaves."""

        def make(place):
            space = train_words(self.text, self.settings["words"], self.seed)
            write_npz(place, "words", 1, {"rows": pack_labels(space.rows), "vectors": space.vectors}, compress=False)

        def read(place):
            arrays, _ = read_npz(place, "words", 1, ["rows", "vectors"], remedy=REMEDY)
            return Space(unpack_labels(arrays["rows"]), arrays["vectors"])

        return self._step("words", ("words",), (), make, read)

    def paragraph_vectors(self, method: str) -> ParagraphVectors:
        """PV-DM or PV-DBOW: large, and not held in memory."""

        def make(place):
            settings = self.settings["paragraph_vectors"]
            text = self.text.some(settings["sentences"], self.seed)
            names = ("dimensions", "window", "min_count", "negatives", "hs", "sample", "epochs", "rate")
            chosen = {name: settings[name] for name in names}
            ParagraphVectors.fit(text, method=method, seed=self.seed, **chosen).save(place)

        return self._step(method, ("paragraph_vectors",), ("composition/sentence",), make, ParagraphVectors.load)

    def autoencoder(self, trees: str) -> UnfoldingAutoencoder:
        """The unfolding recursive autoencoder, with ``"parsed"`` or ``"greedy"`` trees.

        Raises
        ------
        ValueError
            If the text has no parses and they are asked for.
        """

        def make(place):
            self.fit_autoencoder(trees).save(place)

        depends = ("words", "autoencoder")
        return self._step(f"urae-{trees}", depends, ("composition/autoencoder",), make, UnfoldingAutoencoder.load)

    def fit_autoencoder(self, trees: str) -> UnfoldingAutoencoder:
        """Train it now."""
        settings = self.settings["autoencoder"]
        if trees == "parsed" and self.text.heads is None:
            raise ValueError("this text has no parses; take greedy trees, or the full profile")
        text = self.text.some(
            settings["sentences"] + settings["held_out"], self.seed, shortest=2, longest=settings["longest"]
        )
        leaves = numbered(text, self.words)
        shapes = trees
        if trees == "parsed":
            borders = zip(text.offsets[:-1].tolist(), text.offsets[1:].tolist(), strict=True)
            shapes = [autoencoder.binarise(text.heads[a:b]) for a, b in borders]
        held = np.random.default_rng(self.seed).permutation(len(leaves)) < settings["held_out"]

        def part(which):
            kept = np.flatnonzero(which).tolist()
            return [leaves[i] for i in kept], shapes if shapes == "greedy" else [shapes[i] for i in kept]

        chosen = {name: settings[name] for name in ("epochs", "batch", "rate", "penalty")}
        model = UnfoldingAutoencoder(self.words.d, seed=self.seed)
        return model.fit(*part(~held), self.leaves.vectors, held_out=part(held), seed=self.seed, **chosen)

    @cached_property
    def leaves(self) -> Space:
        """The word vectors, brought into the reach of tanh."""
        return autoencoder.scaled(self.words)

    def _step(self, name: str, depends: Sequence[str], modules: Sequence[str], make: Callable, read: Callable):
        folder = self.folder
        if folder is None:
            with tempfile.TemporaryDirectory() as scratch:
                return self._made(name, Path(scratch) / f"{name}.npz", make, read)
        return self._made(name, folder / f"white-{name}-{self._key(depends, modules)}.npz", make, read)

    def _made(self, name: str, place: Path, make: Callable, read: Callable):
        record = place.with_suffix(".json")
        if not place.exists():
            start = time.monotonic()
            make(place)
            record.write_text(json.dumps({"seconds": time.monotonic() - start}), encoding="utf-8")
        if record.exists():
            self.seconds[name] = json.loads(record.read_text(encoding="utf-8"))["seconds"]
        return read(place)

    def _key(self, depends: Sequence[str], modules: Sequence[str]) -> str:
        settings = {name: self.settings[name] for name in depends}
        parts = [self.text.name, settings, self.seed]
        digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
        library = Path(cdsm_lib.__file__).parent
        for module in sorted({*modules, "labels", "vectors/space", "storage"}):
            digest.update((library / f"{module}.py").read_bytes())
        digest.update(TRAINING.encode())
        return digest.hexdigest()[:16]


TRAINING = "".join(inspect.getsource(code) for code in (Text, Steps, train_words, numbered))
"""The code of this module that trains."""


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
    draws : float32 array [draws, texts, d], or None
        Of paragraph vectors: every inference of each text.
    """

    system: str
    space: str
    vectors: np.ndarray
    unknown: float
    draws: np.ndarray | None = None

    def distance(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Cosine distances between texts, row by row, rounded so that equal ones tie."""
        return sentence.cosine_distances(self.vectors[first], self.vectors[second])


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
    model = SIF.fit(reference, space, text.counts, a=settings["a"], components=settings["components"])
    vectors, unknown = model.embed(texts.tokens)
    return Embedded(WEIGHTED, "word2vec", vectors, share_unknown(unknown, texts))


def inferred(texts: Texts, model: ParagraphVectors, settings: Mapping, seed: int, workers: int = 1) -> Embedded:
    """Paragraph vectors, each the mean of several inferences."""
    draws = model.infer(
        texts.tokens, draws=settings["draws"], epochs=settings["passes"], rate=settings["rate"], seed=seed,
        workers=workers,
    )  # fmt: skip
    unknown = share_unknown(model.unknown(texts.tokens), texts)
    return Embedded(model.method, "text", draws.mean(axis=0, dtype=np.float64), unknown, draws)


def trees_of(task: Localisation, texts: Texts) -> list[autoencoder.Tree]:
    """The tree of every text is that of the sentence from which it was made."""
    made = [
        autoencoder.binarise([token.head - 1 for token in one]) for one in task.sentences
    ]  # fmt: skip
    return [made[i] for i in texts.source.tolist()]


def encoded(
    task: Localisation, texts: Texts, model: UnfoldingAutoencoder, leaves: Space, trees: str
) -> Embedded:  # fmt: skip
    """Roots of the unfolding recursive autoencoder, over ``"parsed"`` or ``"greedy"`` trees."""
    rows = numbered(texts.tokens, leaves)
    shapes = trees_of(task, texts) if trees == "parsed" else autoencoder.greedy_trees(rows, leaves.vectors, model)
    unknown = np.array([(row == leaves.rows.index(UNKNOWN)).sum() for row in rows])
    vectors = model.embed(rows, shapes, leaves.vectors)
    return Embedded(PARSED if trees == "parsed" else GREEDY, "word2vec", vectors, share_unknown(unknown, texts))


def practical(profile: Profile, task: Localisation, texts: Texts) -> Embedded:
    """The practical lexical function model over the parser's trees, as Gupta et al. (2015) mended it.

    Its words are lemmas with universal tags; a substitute is looked up by its lemma.
    """
    trees = [practical_tree.Tree.of(one) for one in altered(task, texts)]
    model = white2015_plf.practical_model(profile, white2015_plf.needed(trees))
    vectors, made = practical_tree.PLFSentences(model.plf, model.space, how="gupta").embed(trees)
    content = sum(1 for tree in trees for word in tree.words if word.rpartition("|")[2] in CONTENT_TAGS)
    return Embedded(PLF, "counts", vectors, float(made.unknown.sum() / content))


def altered(task: Localisation, texts: Texts) -> Iterator[Sentence]:
    """The parse of every text: that of its source, with the lemmas that were put in."""
    for tokens, source, changes in zip(texts.tokens, texts.source.tolist(), texts.changes, strict=True):
        of = task.sentences[source]
        lemmas = dict(changes)
        made = [
            replace(token, form=form, lemma=lemmas[i].lower() if i in lemmas else token.lemma)
            for i, (token, form) in enumerate(zip(of, tokens, strict=True))
        ]  # fmt: skip
        yield Sentence(tuple(made), of.comments)


def keep_autoencoder(steps: Steps, texts: Texts, place: Path) -> None:
    """Write the autoencoder over greedy trees with the leaves for the words of some texts, at half precision."""
    model, leaves = steps.autoencoder("greedy"), steps.leaves
    words = sorted({token.lower() for tokens in texts.tokens for token in tokens} & set(leaves.rows))
    space = leaves.subset([*words, UNKNOWN])
    arrays = {name: getattr(model, name) for name in autoencoder.PARAMETERS}
    arrays |= {"rows": pack_labels(space.rows), "vectors": space.vectors.astype(np.float16)}
    write_npz(place, "kept autoencoder", 1, arrays, {"dimensions": model.dimensions})


def kept_autoencoder(place: Path | None = None) -> tuple[UnfoldingAutoencoder, Space]:
    """What `keep_autoencoder` wrote: a model, and its leaves."""
    place = place or datasets.data_root() / "distilled" / KEPT_MODEL
    arrays, meta = read_npz(place, "kept autoencoder", 1, [*autoencoder.PARAMETERS, "rows", "vectors"], remedy=REMEDY)
    model = UnfoldingAutoencoder(meta["dimensions"])
    for name in autoencoder.PARAMETERS:
        setattr(model, name, arrays[name])
    return model, Space(unpack_labels(arrays["rows"]), arrays["vectors"].astype(np.float32))


def write_excerpt(name: str = "paraphrases") -> None:
    """Write the excerpt of facts of a teaching set; needs WordNet and SCOWL."""
    _, parsed = localisation.load(name)
    construction.excerpt(parsed.values(), WordNetLexicon()).save(datasets.sample_path(name) / EXCERPT)
