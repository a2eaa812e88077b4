"""Buljan et al. 2018, from the corpus to figures: one space, its peripheral bigrams, every system, ANVAN-LS.

The space (section 3): co-occurrence within three content words, PPMI, SVD. Its *core* are the most frequent content
words; the data set's other words and all bigrams are *peripheral* rows, weighted with the core's column marginals and
projected by the core's SVD, as DISSECT does it. From words to bigrams the matrices of adjectives and verbs are learned.

The sample profile's core are the counts of the RELPRON chapter's Count space, the same window over fewer words; what
this chapter needs beyond them lies in ``data/distilled/anvan-*.npz``.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, weighting
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.linear import EdgePenaltyWarning
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.corpus import Corpus
from cdsm_lib.counts import Counts, content_words, count_phrases, count_windows
from cdsm_lib.extract import adjective_noun, count_tuples, noun_noun, subject_verb, verb_object
from cdsm_lib.labels import Labels
from cdsm_lib.pipelines.materials import (
    NOUNS,
    REMEDY,
    Phrases,
    among,
    count_as_verbs,
    fingerprint,
    keep_phrases,
    kept_folder,
    wikipedia,
)
from cdsm_lib.reduction import SVD
from cdsm_lib.space import Space
from cdsm_lib.storage import StorageError, pack_labels, read_npz, unpack_labels, write_npz
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Substitution

KINDS = {"adjective_noun": 0, "noun_noun": 0, "subject_verb": 1, "verb_object": 0}
"""The kinds of bigrams, and in which column their predicate stands."""

COUNTED = ("words", "window", "bigram_count", "bigram_limit")
"""The settings on which the counts depend."""

SPACE = "PPMI-SVD"

PREFIX = "anvan-"
"""Of this chapter's files in ``data/distilled``."""


@dataclass(frozen=True)
class Materials:
    """What the corpus gives for this chapter.

    Attributes
    ----------
    corpus : str
        Fingerprint.
    core : Counts
        The core's words by context words.
    more : Counts
        The data set's words that are not in the core, by the same context words.
    frequency : dict of str to int
        Occurrences of all these words.
    bigrams : dict of kind to Phrases
        Bigrams of the data set's predicates: places in `words`, columns in the order of the words.
    bigram_counts : dict of kind to Counts
        Their contexts, rows as in `bigrams`.
    """

    corpus: str
    core: Counts
    more: Counts
    frequency: dict[str, int]
    bigrams: dict[str, Phrases]
    bigram_counts: dict[str, Counts]

    @cached_property
    def words(self) -> Labels:
        """The words of the space: the core's, then the others."""
        return Labels([*self.core.rows, *self.more.rows])


# --------------------------------------------------------------------------------------------------------- gathering


def predicates_of(words: Iterable[str]) -> dict[str, list[str]]:
    """The words that can be predicates of each kind: modifiers (adjectives, nouns) and verbs."""
    tags = {"adjective_noun": "ADJ", "noun_noun": NOUNS, "subject_verb": "VERB", "verb_object": "VERB"}
    return {kind: [w for w in words if w.rpartition("|")[2] in np.atleast_1d(tag)] for kind, tag in tags.items()}


def bigrams(corpus: Corpus, kind: str, predicates: Sequence[str], nouns: Labels, settings: dict) -> Phrases:
    """The bigrams of these predicates with nouns of the space, most frequent first.

    Parameters
    ----------
    settings : dict
        ``bigram_count`` (fewest occurrences) and ``bigram_limit`` (most bigrams of one predicate, 0 for all).
    """
    if kind in ("adjective_noun", "noun_noun"):
        positions = {"adjective_noun": adjective_noun, "noun_noun": noun_noun}[kind](corpus)
        found = count_tuples(corpus, positions, min_count=settings["bigram_count"])
        every = Phrases(corpus.words, found.ids, found.counts, positions, found.occurrence)
    else:
        positions = {"subject_verb": subject_verb, "verb_object": verb_object}[kind](corpus)
        every = count_as_verbs(corpus, positions, KINDS[kind], nouns=NOUNS, min_count=settings["bigram_count"])
    at = KINDS[kind]
    is_predicate, is_known = among(corpus, predicates), among(corpus, nouns)
    kept = is_predicate[every.ids[:, at]] & is_known[every.ids[:, 1 - at]]
    if settings["bigram_limit"]:
        kept[kept] = rank_within(every.ids[kept, at]) < settings["bigram_limit"]
    return keep_phrases(every, kept)


def rank_within(groups: np.ndarray) -> np.ndarray:
    """The how-manieth of its group each entry is, from 0: ``[7, 3, 7, 7, 3]`` gives ``[0, 0, 1, 2, 1]``."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(groups[order]) != 0]) if len(groups) else np.zeros(0, dtype=np.int64)
    rank = np.empty(len(groups), dtype=np.int64)
    rank[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(np.r_[starts, len(groups)]))
    return rank


def gather(
    corpus: Corpus, needed: Sequence[str], settings: dict, *, predicates: Sequence[str] = (), core: Counts | None = None
) -> Materials:
    """Everything from the corpus that a data set needs.

    Parameters
    ----------
    corpus : Corpus
    needed : sequence of str
        Words that get vectors however rare they are, ``lemma|UPOS``.
    settings : dict
        The profile's ``lexical_substitution``.
    predicates : sequence of str
        Words whose bigrams are wanted; none: those of `needed`.
    core : Counts, optional
        A core that was counted before, with the same window.
    """
    window = settings["window"] or None
    if core is None:
        frequent = content_words(corpus, settings["words"])
        core = count_windows(corpus, frequent, frequent, window=window)
    occurring = [w for w in dict.fromkeys(needed) if w in corpus.words and corpus.word_counts[corpus.words.index(w)]]
    more = count_windows(corpus, [w for w in occurring if w not in core.rows], core.columns, window=window)
    words = Labels([*core.rows, *more.rows])
    nouns = Labels(word for word in words if word.rpartition("|")[2] in NOUNS)
    found, counts = {}, {}
    for kind, chosen in predicates_of(predicates or occurring).items():
        of_kind = bigrams(corpus, kind, chosen, nouns, settings)
        counts[kind] = count_phrases(
            corpus, of_kind.positions, of_kind.phrase_of, of_kind.labels, core.columns, window=window
        )
        ids = words.encode(corpus.words[i] for i in of_kind.ids.ravel()).reshape(of_kind.ids.shape).astype(np.int32)
        found[kind] = Phrases(words, ids, of_kind.counts)
    frequency = dict(zip(words, corpus.word_counts[corpus.words.encode(words)].tolist(), strict=True))
    return Materials(corpus.fingerprint, core, more, frequency, found, counts)


# ------------------------------------------------------------------------------------------------- saving and loading


def save(materials: Materials, folder: Path, *, core: bool = True) -> None:
    """Write materials into a folder; without the core, if that lies there already as ``count.npz``."""
    arrays = {"words": pack_labels(materials.frequency), "frequency": np.array(list(materials.frequency.values()))}
    for kind, table in materials.bigrams.items():
        arrays[f"{kind}.ids"] = table.ids.astype(np.min_scalar_type(len(table.words)))
        arrays[f"{kind}.counts"] = table.counts.astype(np.min_scalar_type(int(table.counts.max(initial=0))))
        materials.bigram_counts[kind].save(folder / f"{PREFIX}{kind}.npz")
    write_npz(folder / f"{PREFIX}bigrams.npz", "bigrams", 1, arrays, {"corpus": materials.corpus})
    materials.more.save(folder / f"{PREFIX}words.npz")
    if core:
        materials.core.save(folder / "count.npz")


def load(folder: Path, *, remedy: str = REMEDY) -> Materials:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    core, more = Counts.load(folder / "count.npz"), Counts.load(folder / f"{PREFIX}words.npz")
    needed = ["words", "frequency", *(f"{kind}.{part}" for kind in KINDS for part in ("ids", "counts"))]
    arrays, meta = read_npz(folder / f"{PREFIX}bigrams.npz", "bigrams", 1, needed, remedy=remedy)
    words = unpack_labels(arrays["words"])
    if list(words) != [*core.rows, *more.rows]:
        raise StorageError(folder / f"{PREFIX}bigrams.npz", "its words are not those of the counts beside it", remedy)
    found = {
        kind: Phrases(words, arrays[f"{kind}.ids"].astype(np.int32), arrays[f"{kind}.counts"].astype(np.int64))
        for kind in KINDS
    }
    counts = {kind: Counts.load(folder / f"{PREFIX}{kind}.npz") for kind in KINDS}
    frequency = dict(zip(words, arrays["frequency"].tolist(), strict=True))
    return Materials(meta["corpus"], core, more, frequency, found, counts)


def cached(corpus: Corpus, needed: Sequence[str], settings: dict, *, predicates: Sequence[str] = ()) -> Materials:
    """`gather`, kept in the cache; see `materials.cached`."""
    needed, predicates = sorted(set(needed)), sorted(set(predicates))
    asked = {name: settings[name] for name in COUNTED}
    folder = kept_folder(
        fingerprint("anvan", corpus.fingerprint, needed, predicates, asked),
        lambda making: save(gather(corpus, needed, settings, predicates=predicates), making),
    )
    return load(folder, remedy=f"Delete {folder}: the next run makes it again.")


# --------------------------------------------------------------------------------------------------------- the space


@dataclass(frozen=True)
class Trained:
    """The space of words, and in it the observed vectors of the bigrams (section 3).

    Attributes
    ----------
    name : str
    space : Space
        Rows as ``Materials.words``.
    bigrams : dict of kind to (predicates, nouns, vectors)
        Labels, labels, and a float array [n, d] of the bigrams that have a vector.
    """

    name: str
    space: Space
    bigrams: dict[str, tuple[list[str], list[str], np.ndarray]]


def train_space(materials: Materials, settings: dict, seed: int, *, name: str = SPACE) -> Trained:
    """PPMI and SVD of the core; all other rows are weighted with its marginals and projected by its SVD."""
    marginals = weighting.column_marginals(materials.core.matrix)

    def weigh(counts: Counts):
        return weighting.ppmi(counts.matrix, marginals=marginals)

    core = weigh(materials.core)
    d = min(settings["dimensions"], min(core.shape) - 1)
    svd = SVD(d, power=settings["power"], seed=seed).fit(core)
    vectors = np.vstack([svd.transform(core), svd.transform(weigh(materials.more))])
    found = {}
    for kind, table in materials.bigrams.items():
        rows = svd.transform(weigh(materials.bigram_counts[kind]))
        seen = rows.any(axis=1)
        predicate, noun = table.ids[seen, KINDS[kind]], table.ids[seen, 1 - KINDS[kind]]
        labels = [[materials.words[i] for i in column] for column in (predicate, noun)]
        found[kind] = (*labels, rows[seen])
    return Trained(name, Space(materials.words, vectors), found)


def practical(trained: Trained, settings: dict) -> PracticalLexicalFunction:
    """The matrices of all predicates: ridge regression with generalised cross-validation, unit rows, no intercept."""
    model = PracticalLexicalFunction(min_pairs=settings["min_pairs"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgePenaltyWarning)  # with few bigrams the best is often to shrink to nothing
        return model.fit(trained.space, trained.bigrams)


# ------------------------------------------------------------------------------------------------------- the systems

CDSMS = ("LemmaSim", "Add", "Mult", "PLF (Paperno)", "PLF (Gupta)")
C2V = ("context2vec (phrase)", "context2vec (sentence)")
SYSTEMS = ("Random", *CDSMS, *C2V)
SIMILARITIES = ("dot", "cosine")


def variants(task: Substitution) -> np.ndarray:
    """The phrase of every item, and the four with the target replaced: labels, object array [items, 5, 5 words]."""
    table = np.empty((len(task), 5, 5), dtype=object)
    for i, item in enumerate(task.items):
        table[i] = item.phrase.words
        table[i, 1:, item.position] = item.candidates
    return table


def composed(system: str, table: np.ndarray, space: Space, model: PracticalLexicalFunction | None) -> np.ndarray:
    """Vectors of phrases given as labels [n, 5]: float64 [n, d]."""
    if system in ("Add", "Mult"):
        words = space.take(table.ravel().tolist()).astype(np.float64).reshape(*table.shape, -1)
        return {"Add": add, "Mult": mult}[system](*words.swapaxes(0, 1))
    return model.compose(table, {"PLF (Paperno)": "paperno", "PLF (Gupta)": "gupta"}[system], rows=space)


def similar(vectors: np.ndarray, similarity: str) -> np.ndarray:
    """The first of five vectors against each of the others: [items, 5, d] gives [items, 4]."""
    if similarity == "cosine":
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        vectors = vectors / np.maximum(lengths, np.finfo(float).tiny)
    return np.einsum("id,ikd->ik", vectors[:, 0], vectors[:, 1:])


def rank(
    system: str,
    task: Substitution,
    space: Space,
    model: PracticalLexicalFunction | None = None,
    similarity: str = "dot",
) -> np.ndarray:
    """What a compositional system gives each candidate (section 3): float64 [items, 4].

    Parameters
    ----------
    system : str
        One of `CDSMS`. LemmaSim compares the words alone, the others the phrases before and after the replacement.
    similarity : {"dot", "cosine"}
        The paper takes the dot product, "to boost frequent candidates".
    """
    table = variants(task)
    if system == "LemmaSim":
        pairs = [(item.target, *item.candidates) for item in task.items]
        vectors = space.take([word for pair in pairs for word in pair]).astype(np.float64)
        return similar(vectors.reshape(len(task), 5, -1), similarity)
    return similar(composed(system, table.reshape(-1, 5), space, model).reshape(len(task), 5, -1), similarity)


def known(task: Substitution, space: Space) -> tuple[Substitution, dict[str, int]]:
    """The items all of whose words have a vector that is not zero; and words without, with the number of their items."""
    words = lexical_substitution.vocabulary(task)
    places = space.rows.encode(words)
    lacking = {word for word, place in zip(words, places, strict=True) if place < 0 or not space.norms[place]}
    kept, without = [], dict.fromkeys(sorted(lacking), 0)
    for item in task.items:
        missing = lacking & {*item.phrase.words, *item.candidates}
        kept += [] if missing else [item]
        for word in missing:
            without[word] += 1
    return Substitution(task.name, tuple(kept)), without


def substitutes(model: Context2Vec, task: Substitution, *, sentence: bool, listed: int = 1000) -> np.ndarray:
    """What context2vec gives each candidate: its cosine with the context, NaN where it is not among those listed.

    Parameters
    ----------
    model : Context2Vec
    task : Substitution
    sentence : bool
        The context is the whole sentence; otherwise the five words of the phrase.
    listed : int
        How many substitutes are generated; the paper has 1,000. 0 lists the whole vocabulary.

    Returns
    -------
    float64 [items, 4]
    """
    scores = np.full((len(task), 4), np.nan)
    for i, item in enumerate(task.items):
        phrase = item.phrase
        words, place = (phrase.sentence, phrase.places[item.position]) if sentence else (phrase.words, item.position)
        context = model.context(words, place)
        fit = model.fit_of(context, item.candidates)
        if listed:
            generated = {word for word, _ in model.substitutes(words, place, listed)}
            fit = np.where([candidate in generated for candidate in item.candidates], fit, np.nan)
        scores[i] = fit
    return scores
