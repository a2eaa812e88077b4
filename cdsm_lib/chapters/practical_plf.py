"""The practical lexical function model for whole sentences: its space and its matrices.

The model is of Paperno, Pham and Baroni (ACL 2014); the chapter on White (2015) and the leaderboard compose sentences
with it. Space and matrices are those of `cdsm_lib.chapters.substitution_models`, with its
settings (``lexical_substitution`` in ``data/profiles.toml``), but for other words.

In the full profile words and bigrams are counted in the parsed Wikipedia for the predicates of the given trees; what
is kept in the cache are the vectors of words and bigrams, from which the matrices are learned at each use: these are
five times as large as the bigrams, and learned in seconds. The sample profile has the words and predicates of
``data/distilled/anvan-*.npz``, whatever the trees hold.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdsm_lib import cache, datasets
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.composition.practical_tree import Tree, frames
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import content_mask
from cdsm_lib.vectors.space import Space


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


def needed(trees: Iterable[Tree]) -> Needed:
    """The words of these trees, and their predicates: modifiers of nouns, verbs with an argument."""
    words, predicates = set(), set()
    for frame in frames(list(trees)):
        words.update(frame.words)
        predicates |= frame.predicates
    every = Labels(sorted(words))
    content = {word for word, is_content in zip(every, content_mask(every), strict=True) if is_content}
    return Needed(sorted(content | predicates), sorted(predicates))


class PracticalModel(NamedTuple):
    """A trained model, to be given to `cdsm_lib.composition.practical_tree.PLFSentences`.

    Attributes
    ----------
    plf : PracticalLexicalFunction
    space : Space
        Word vectors.
    """

    plf: PracticalLexicalFunction
    space: Space


@dataclass(frozen=True, eq=False)
class Bigrams:
    """The bigrams of one kind with their vectors: what matrices are learned from.

    Attributes
    ----------
    functors, nouns : int32 array [bigrams]
        Rows of the space.
    vectors : float32 array [bigrams, d]
    """

    functors: np.ndarray
    nouns: np.ndarray
    vectors: np.ndarray


@dataclass(frozen=True, eq=False)
class PracticalVectors:
    """The vectors of words and of bigrams, in single precision.

    Attributes
    ----------
    space : Space
        Word vectors.
    bigrams : dict of str to Bigrams
        By the kinds of `cdsm_lib.chapters.substitution_models`.
    """

    space: Space
    bigrams: dict[str, Bigrams]

    def learned(self, settings: Mapping) -> PracticalModel:
        """The model: matrices of predicates with ``min_pairs`` bigrams or more."""
        rows = self.space.rows
        training = {
            kind: ([rows[i] for i in pairs.functors], [rows[i] for i in pairs.nouns], pairs.vectors)
            for kind, pairs in self.bigrams.items()
        }
        return PracticalModel(buljan2018.learn(self.space, training, settings), self.space)


def train_vectors(corpus: Corpus, wanted: Needed, settings: Mapping, seed: int) -> PracticalVectors:
    """Count words and bigrams, and make their vectors."""
    words = buljan2018.gather_words(corpus, wanted.words, settings)
    predicates = [word for word in wanted.predicates if word in words.labels]
    bigrams = buljan2018.gather_bigrams(corpus, words, predicates, settings)
    trained = buljan2018.train_space(words, settings, seed)
    rows = trained.space.rows
    of_kinds = {
        kind: Bigrams(rows.encode(functors).astype("int32"), rows.encode(nouns).astype("int32"), vectors.astype("f4"))
        for kind, (functors, nouns, vectors) in buljan2018.bigram_vectors(trained, bigrams).items()
    }
    return PracticalVectors(Space(rows, trained.space.vectors), of_kinds)


def vectors_of(corpus: Corpus, wanted: Needed, settings: Mapping, seed: int) -> cache.Timed:
    """The vectors from which the model of a corpus is learned, kept in the cache; and the seconds that they took."""
    counted = ("words", "window", "dimensions", "power", "bigram_count", "bigram_limit")  # not min_pairs
    of_vectors = {name: settings[name] for name in counted}
    return cache.timed(train_vectors, corpus, wanted, of_vectors, seed, name="practical/vectors")


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
        return vectors_of(materials.wikipedia(), wanted, settings, seed).value.learned(settings)
    words, bigrams = buljan2018.load(datasets.distilled_folder())
    trained = buljan2018.train_space(words, settings, seed)
    return PracticalModel(buljan2018.practical(trained, bigrams, settings), trained.space)
