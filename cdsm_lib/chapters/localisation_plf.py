"""The practical lexical function model for whole sentences: its space and its matrices.

The chapter on Lyndon White, "A Method for the Evaluation of the Semantic vs Syntactic Localization of Sentence
Embeddings" (24 July 2015), compares sentence embeddings. This model, of Paperno, Pham and Baroni (ACL 2014), is not in
the paper; the chapter adds it. Space and matrices are those of `cdsm_lib.chapters.substitution_models`, with its
settings (``lexical_substitution`` in ``data/profiles.toml``), but for other words.

In the full profile words and bigrams are counted in the parsed Wikipedia for the predicates of the given trees; what
is kept in the cache are the vectors of words and bigrams, from which the matrices are learned at each use: these are
five times as large as the bigrams, and learned in seconds. The sample profile has the words and predicates of
``data/distilled/anvan-*.npz``, whatever the trees hold.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cdsm_lib
from cdsm_lib import datasets
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.composition.practical_tree import Tree, frames
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import pack_labels, read_npz, unpack_labels, write_npz
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import content_mask
from cdsm_lib.vectors.space import Space

CORPUS_SETTINGS = ("words", "window", "dimensions", "power", "bigram_count", "bigram_limit")
"""The settings on which the vectors of words and bigrams depend; the matrices depend on ``min_pairs`` too."""

MADE_BY = ("vectors/reduction", "vectors/weighting", "chapters/substitution_models", "chapters/localisation_plf")
"""The modules on which these vectors depend, beside those of `cdsm_lib.chapters.training_counts`."""


@dataclass(frozen=True)
class Needed:
    """What sentences ask of a model.

    Attributes
    ----------
    words : list of str
        Words to have vectors: content words and predicates, ``lemma|UPOS``, sorted.
    predicates : list of str
        Words to have matrices: verbs, adjectives and nouns, sorted.
    """

    words: list[str]
    predicates: list[str]


def needed(trees: Iterable[Tree], substitutes: Iterable[str] = ()) -> Needed:
    """The words of these trees, and their predicates: modifiers of nouns, verbs with an argument.

    Parameters
    ----------
    trees : iterable of Tree
    substitutes : iterable of str
        Words that will stand in the place of others, ``lemma|UPOS``. Verbs, adjectives and nouns among them count as
        predicates, wherever they will stand; altered trees say it better.
    """
    trees, substitutes = list(trees), list(substitutes)
    tree_words, predicates = set(substitutes), set()
    for frame in frames(trees):
        tree_words.update(frame.words)
        predicates |= frame.predicates
    of_substitutes = buljan2018.predicates_of(substitutes)
    predicates.update(word for words in of_substitutes.values() for word in words)
    every = Labels(sorted(tree_words))
    content = {word for word, is_content in zip(every, content_mask(every), strict=True) if is_content}
    return Needed(sorted(content | predicates), sorted(predicates))


@dataclass(frozen=True)
class PracticalModel:
    """A trained model, to be given to `cdsm_lib.composition.practical_tree.PLFSentences`.

    Attributes
    ----------
    plf : PracticalLexicalFunction
    space : Space
        Word vectors.
    corpus : str
        Fingerprint of the corpus.
    """

    plf: PracticalLexicalFunction
    space: Space
    corpus: str

    @property
    def matrices(self) -> dict[str, int]:
        """How many matrices there are."""
        stacks = {
            "modifier": self.plf.modifiers, "subject_verb": self.plf.verb_subject, "verb_object": self.plf.verb_object,
        }  # fmt: skip
        return {kind: len(of_kind.functors) for kind, of_kind in stacks.items()}


def practical_model(profile: Profile, wanted: Needed) -> PracticalModel:
    """The model of a profile.

    Parameters
    ----------
    profile : Profile
    wanted : Needed
        See `needed`. The sample profile has words and predicates of its own, and does not look at them: what it lacks
        is counted when sentences are composed.

    Raises
    ------
    StorageError
        If a file of ``data/distilled``, or of the cache, cannot be used.
    """
    settings, seed = profile["lexical_substitution"], profile["seed"]
    if profile.name == "full":
        return cached(materials.wikipedia(), wanted, settings, seed)
    words, bigrams = buljan2018.load(datasets.data_root() / "distilled")
    trained = buljan2018.train_space(words, settings, seed)
    return PracticalModel(buljan2018.practical(trained, bigrams, settings), trained.space, words.corpus)


def cached(corpus: Corpus, wanted: Needed, settings: Mapping, seed: int) -> PracticalModel:
    """The model of a corpus; the vectors it is learned from are kept in the cache, under a name that changes with the
    corpus, the words, the settings and the library's code. Processes that want the same wait for the one that came
    first.
    """
    library = Path(cdsm_lib.__file__).parent
    code = [hashlib.sha256((library / f"{name}.py").read_bytes()).hexdigest() for name in MADE_BY]
    chosen = {name: settings[name] for name in CORPUS_SETTINGS}
    name = materials.fingerprint(corpus.fingerprint, wanted.words, wanted.predicates, chosen, seed, code)
    path = datasets.cache_folder() / "practical" / f"{name}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path.with_suffix(".lock"), "a") as lock:
            datasets._locked(lock)
            if not path.exists():
                gather(corpus, wanted, settings, seed, path)
    return load(path, settings)


def gather(corpus: Corpus, wanted: Needed, settings: Mapping, seed: int, path: Path) -> None:
    """Count words and bigrams, make their vectors, and write them, in single precision."""
    words = buljan2018.gather_words(corpus, wanted.words, settings)
    predicates = [word for word in wanted.predicates if word in words.labels]
    bigrams = buljan2018.gather_bigrams(corpus, words, predicates, settings)
    trained = buljan2018.train_space(words, settings, seed)
    arrays = {"rows": pack_labels(trained.space.rows), "vectors": trained.space.vectors}
    for kind, (functors, nouns, vectors) in buljan2018.bigram_vectors(trained, bigrams).items():
        arrays[f"{kind}.functors"] = trained.space.rows.encode(functors).astype("int32")
        arrays[f"{kind}.nouns"] = trained.space.rows.encode(nouns).astype("int32")
        arrays[f"{kind}.vectors"] = vectors.astype("float32")
    write_npz(path, "practical", 1, arrays, {"corpus": corpus.fingerprint}, compress=False)


def load(path: Path, settings: Mapping) -> PracticalModel:
    """Read what `gather` wrote, and learn the matrices (predicates with ``min_pairs`` bigrams or more)."""
    required = ["rows", "vectors"]
    required += [f"{kind}.{part}" for kind in buljan2018.KINDS for part in ("functors", "nouns", "vectors")]
    remedy = f"Delete {path}: the next run makes it again."
    arrays, meta = read_npz(path, "practical", 1, required, remedy=remedy)
    space = Space(unpack_labels(arrays["rows"]), arrays["vectors"])
    training = {}
    for kind in buljan2018.KINDS:
        functors, nouns = ([space.rows[i] for i in arrays[f"{kind}.{part}"]] for part in ("functors", "nouns"))
        training[kind] = functors, nouns, arrays[f"{kind}.vectors"]
    return PracticalModel(buljan2018.learn(space, training, settings), space, meta["corpus"])
