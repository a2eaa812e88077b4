"""What a corpus gives for composition: counted phrases, counts of contexts, skip-gram vectors of words and phrases.

The full profile gathers its `TrainingCounts` from the whole corpus, the sample profile reads them from
``data/distilled``, where ``make distil`` put them. Whatever comes after (weighting, SVD, matrices, tensors, scores) is
the same for both.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from cdsm_lib import cache, datasets, storage
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.text.corpus import Corpus, compile_corpus, open_corpus
from cdsm_lib.text.counts import Counts, content_words, count_phrases, count_windows
from cdsm_lib.text.extraction import Phrases, count_tuples, relative_clauses, relative_head_pattern, subject_verb_object
from cdsm_lib.text.extraction import subject_verb as subject_verb_pairs
from cdsm_lib.text.extraction import verb_object as verb_object_pairs
from cdsm_lib.text.spelling import NOUNS, occurrences, spelt_alike
from cdsm_lib.vectors.embeddings import train_phrases, train_words
from cdsm_lib.vectors.space import Space

KINDS = {"subject": 1, "object": 0, "SBJ": 1, "OBJ": 1}
"""Phrases with holistic vectors, and in which column their verb stands: subject-verb and verb-object pairs, subject
and object relative clauses."""

SETTINGS = {"Count": "spaces.count", "Count-SVD": "spaces.count_svd", "Skip-Gram": "spaces.skipgram"}
"""The spaces, and where a profile has their settings."""

SPACES = tuple(SETTINGS)
REMEDY = "Make it again with make distil."
PATTERN = 2000
"""How many of the nouns most frequent in "a(n) NOUN that|who|which" are kept."""


@dataclass(frozen=True)
class TrainingCounts:
    """All that the spaces and matrices of the chapters are trained from.

    Attributes
    ----------
    corpus : str
        Fingerprint of the corpus.
    alike : dict of str to str
        Words that the corpus lacks, with what its lemmatiser makes of their spelling; see `spelt_alike`.
    frequency : dict of str to int
        Occurrences of the words.
    pattern : dict of str to int
        Nouns in "a(n) NOUN that|who|which".
    svo, triples : Phrases
        Subject-verb-object triples: of the words that have rows; and of the terms of a construction, whatever their
        other words.
    phrases : dict of kind to Phrases
    counts : dict of space name to Counts
        Words by context words.
    phrase_counts : dict of space name to dict of kind to Counts
        The same for phrases.
    vectors : Space
        Skip-gram word vectors.
    phrase_vectors : dict of kind to ndarray of float32, shape (phrases, d)
        Skip-gram phrase vectors, trained with the words' own, frozen context vectors.
    """

    corpus: str
    alike: dict[str, str]
    frequency: dict[str, int]
    pattern: dict[str, int]
    svo: Phrases
    triples: Phrases
    phrases: dict[str, Phrases]
    counts: dict[str, Counts]
    phrase_counts: dict[str, dict[str, Counts]]
    vectors: Space | None
    phrase_vectors: dict[str, np.ndarray]


# ------------------------------------------------------------------------------------------------------- the corpus


def compiled(name: str, pattern: str) -> Corpus:
    """The files of a dataset that match a pattern, compiled at first use into the cache.

    Compiled again when the files or the code that compiles them have changed. Processes that want the same wait for
    the one that came first.
    """
    folder = datasets.cache_folder() / "compiled" / name
    paths, files = datasets.fetch_matching(name, pattern), datasets.dataset(name).files
    fingerprint = hashlib.sha256(" ".join(files[path.name].sha256 for path in paths).encode()).hexdigest()
    with storage.alone(folder.with_name(f".{name}.lock")):
        with suppress(ValueError):  # none there, a damaged one, or one of another version
            corpus = open_corpus(folder)
            if corpus.fingerprint == fingerprint:
                return corpus
        return compile_corpus(paths, folder)


def wikipedia(files: int | None = None) -> Corpus:
    """The parsed Wikipedia, or the corpus of a profile of one's own; only its first `files` files if asked."""
    profile = datasets.own_profile()
    corpus = open_corpus(profile["corpus"]) if profile else compiled("wikipedia_parsed", "*.conllu.xz")
    return corpus.part(files) if files else corpus


def corpus_size() -> dict[str, int]:
    """``tokens`` and ``sentences`` of what `wikipedia` gives, without opening it if it is ours."""
    if datasets.own_profile():
        return {"tokens": wikipedia().n_tokens, "sentences": wikipedia().n_sentences}
    about = json.loads((datasets.data_root() / "distilled" / "provenance.json").read_text("utf8"))["corpus"]
    return {name: about[name] for name in ("tokens", "sentences")}


# --------------------------------------------------------------------------------------------------------- gathering


def count_as_verbs(corpus: Corpus, positions: np.ndarray, verb: int, *, nouns: Sequence, min_count: int) -> Phrases:
    """Count tuples whose verb stands in column `verb`; *have* and *do* with an object count as verbs, not auxiliaries.

    Parameters
    ----------
    nouns : sequence of str
        The tags that the other columns may have.
    """
    pos = [("VERB", "AUX") if column == verb else nouns for column in range(positions.shape[1])]
    tuples, as_verb = count_tuples(corpus, positions, pos=pos), np.arange(len(corpus.words))
    auxiliaries = np.flatnonzero(corpus.pos_of == "AUX")
    full = corpus.words.encode(f"{corpus.lemma_of[i]}|VERB" for i in auxiliaries)
    as_verb[auxiliaries[full >= 0]] = full[full >= 0]
    ids = tuples.ids.copy()
    ids[:, verb] = as_verb[ids[:, verb]]

    ids, which = np.unique(ids, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel(), weights=tuples.counts, minlength=len(ids)).astype(np.int64)
    order = np.lexsort((*ids.T[::-1], -counts))
    place = np.append(np.argsort(order)[which.ravel()], -1)
    phrases = Phrases(corpus.words, ids[order], counts[order], positions, place[tuples.phrase_of])
    return phrases.only(phrases.counts >= min_count)


def training_phrases(corpus: Corpus, verbs: Sequence[str], words: Labels, settings: Mapping) -> dict[str, Phrases]:
    """Phrases of these verbs whose words all belong to `words`, by kind (Rimell et al. 2016, section 5.1.3).

    Parameters
    ----------
    settings : mapping
        ``transitive`` (only pairs within a transitive construction, as in the paper), ``participles`` (*pictures
        painted by artists* has a subject and an object too), ``pair_count`` and ``clause_count`` (fewest
        occurrences of a pair, of a relative clause), ``clause_limit`` (most relative clauses of a kind, 0 for all);
        ``names`` (relative clauses have proper nouns too) may be left out.
    """
    pairs = {name: settings[name] for name in ("transitive", "participles")}
    positions = {
        "subject": subject_verb_pairs(corpus, **pairs),
        "object": verb_object_pairs(corpus, **pairs),
        "SBJ": relative_clauses(corpus, "subject"),
        "OBJ": relative_clauses(corpus, "object"),
    }
    known, is_verb = corpus.words.mask(words), corpus.words.mask(verbs)
    clause_nouns, limit = NOUNS if settings.get("names") else ("NOUN",), settings["clause_limit"]
    by_kind = {}
    for kind, verb in KINDS.items():
        clause = kind in ("SBJ", "OBJ")
        nouns, fewest = (clause_nouns, "clause_count") if clause else (NOUNS, "pair_count")
        phrases = count_as_verbs(corpus, positions[kind], verb, nouns=nouns, min_count=settings[fewest])
        wanted = is_verb[phrases.ids[:, verb]] & known[np.delete(phrases.ids, verb, axis=1)].all(axis=1)
        if clause and limit:
            wanted &= np.cumsum(wanted) <= limit  # the most frequent, then those of frequent words
        by_kind[kind] = phrases.only(wanted)
    return by_kind


def skip_gram_vocabulary(corpus: Corpus, min_count: int, needed: Iterable[str]) -> Labels:
    """Words seen `min_count` times or more, no punctuation; and those of `needed` that occur at all."""
    frequent = (corpus.word_counts >= min_count) & ~np.isin(corpus.pos_of, ("PUNCT", "SPACE", "SYM"))
    return corpus.words.take(np.flatnonzero(frequent | (corpus.words.mask(needed) & (corpus.word_counts > 0))))


def skip_gram(
    corpus: Corpus, rows: Labels, phrases: Mapping[str, Phrases], settings: Mapping, seed: int
) -> tuple[Space, dict[str, np.ndarray]]:
    """Skip-gram vectors of words, and of phrases by kind (section 5.1.3): float16, as `save` keeps them, in float32."""
    shared = {name: settings[name] for name in ("subsample", "negatives", "draws")} | {"seed": seed}
    of_words = {name: settings[name] for name in ("window", "dimensions", "epochs", "rate")}
    of_phrases = {name: settings[f"phrase_{name}"] for name in ("window", "epochs", "rate")}
    model = train_words(corpus, skip_gram_vocabulary(corpus, settings["min_count"], rows), **shared, **of_words)
    train = partial(train_phrases, corpus, model, **shared, **of_phrases)
    vectors = {kind: train(p.labels, p.positions, p.phrase_of) for kind, p in phrases.items()}
    return Space(rows, model.space().take(rows).astype(np.float16).astype(np.float32)), vectors


def gather(
    corpus: Corpus, needed: Sequence[str], profile: Profile, *, terms: Sequence[str] = (), spaces=SPACES
) -> TrainingCounts:
    """Everything from the corpus that these words and their verbs need, as the profile says.

    Parameters
    ----------
    corpus : Corpus
    needed : sequence of str
        Words that get vectors however rare they are, ``lemma|UPOS``; phrases are gathered for the verbs among them.
    profile : Profile
    terms : sequence of str
        Nouns whose triples the construction of a data set looks at, ``lemma|NOUN``.
    spaces : sequence of str
        Which of `SPACES` are wanted.
    """
    alike = spelt_alike(corpus, needed)
    rows = [*content_words(corpus, profile["words"]), *occurrences(corpus, needed), *alike.values()]
    rows = Labels(dict.fromkeys(rows))
    wider = profile.get("clauses", {})
    asked = rows if wider.get("all_verbs") else (*needed, *alike.values())
    verbs = [word for word in asked if word.endswith("|VERB")]
    phrases = training_phrases(corpus, verbs, rows, {**profile["phrases"], **wider})
    every = count_as_verbs(corpus, subject_verb_object(corpus), 1, nouns=NOUNS, min_count=1)
    svo = every.only(corpus.words.mask(rows)[every.ids].all(axis=1))
    triples = every.only(corpus.words.mask(terms)[every.ids[:, [0, 2]]].any(axis=1))
    of_triples = corpus.words.take(np.unique(triples.ids))

    counts, phrase_counts = {}, {}
    for name in [name for name in ("Count", "Count-SVD") if name in spaces]:
        settings = profile[SETTINGS[name]]
        features, window = content_words(corpus, settings["features"]), settings["window"] or None
        counts[name] = count_windows(corpus, rows, features, window=window)
        if name == "Count-SVD":
            count = partial(count_phrases, corpus, columns=features, window=window)
            phrase_counts[name] = {kind: count(p.positions, p.phrase_of, p.labels) for kind, p in phrases.items()}
    vectors, phrase_vectors = None, {}
    if "Skip-Gram" in spaces:
        vectors, phrase_vectors = skip_gram(corpus, rows, phrases, profile[SETTINGS["Skip-Gram"]], profile["seed"])
    pattern = relative_head_pattern(corpus)
    return TrainingCounts(
        corpus=corpus.fingerprint,
        alike=alike,
        frequency={word: int(corpus.word_counts[corpus.words.index(word)]) for word in (*rows, *of_triples)},
        pattern=dict(zip(corpus.lemma_of[pattern.ids[:PATTERN, 0]], pattern.counts[:PATTERN].tolist(), strict=True)),
        svo=svo.over(rows),
        triples=triples.over(of_triples),
        phrases={kind: p.over(rows) for kind, p in phrases.items()},
        counts=counts,
        phrase_counts=phrase_counts,
        vectors=vectors,
        phrase_vectors=phrase_vectors,
    )


def cached(corpus: Corpus, needed: Iterable[str], profile: Profile, *, terms=(), spaces=SPACES) -> TrainingCounts:
    """`gather`, kept in the cache; parameters as there."""
    needed, terms = sorted(set(needed)), sorted(set(terms))
    settings = {name: profile.get(name) for name in ("words", "phrases", "clauses", "spaces", "seed")}
    depends, options = [corpus, needed, terms, spaces, settings], {"terms": terms, "spaces": spaces}
    return cache.cached(gather, corpus, needed, profile, name="relpron/training-counts", depends=depends, **options)


# ------------------------------------------------------------------------------------------------- saving and loading


def save(trained: TrainingCounts, folder: str | os.PathLike) -> None:
    """Write what the sample profile reads into a folder: tables, one file for each Counts, and vectors as float16."""
    folder = Path(folder)
    tables = replace(trained, counts={}, phrase_counts={}, vectors=None, phrase_vectors={})
    storage.save(tables, folder / "phrases.npz")
    for name, counts in trained.counts.items():
        counts.save(folder / f"{name.lower()}.npz")
    for kind, counts in trained.phrase_counts["Count-SVD"].items():
        counts.save(folder / f"count-svd-{kind}.npz")
    vectors = {"words": trained.vectors.vectors, **trained.phrase_vectors}
    arrays = {name: array.astype(np.float16) for name, array in vectors.items()}
    storage.write_npz(folder / "skip-gram.npz", "vectors", 1, arrays)


def load(folder: str | os.PathLike) -> TrainingCounts:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    folder = Path(folder)
    tables = storage.load(folder / "phrases.npz", TrainingCounts, remedy=REMEDY)
    counts = {name: Counts.load(folder / f"{name.lower()}.npz") for name in ("Count", "Count-SVD")}
    phrase_counts = {kind: Counts.load(folder / f"count-svd-{kind}.npz") for kind in KINDS}
    vectors, _ = storage.read_npz(folder / "skip-gram.npz", "vectors", 1, ["words", *KINDS], remedy=REMEDY)
    return replace(
        tables, counts=counts, phrase_counts={"Count-SVD": phrase_counts},
        vectors=Space(tables.svo.words, vectors["words"]),
        phrase_vectors={kind: vectors[kind].astype(np.float32) for kind in KINDS},
    )  # fmt: skip
