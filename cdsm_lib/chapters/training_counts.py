"""What a corpus gives for composition: counted phrases, counts of contexts, skip-gram vectors of words and phrases.

The full profile gathers its `TrainingCounts` from the whole corpus, the sample profile reads them from
``data/distilled``, where ``make distil`` put them. Whatever comes after (weighting, SVD, matrices, tensors, scores) is
the same for both.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from cdsm_lib import cache, datasets, storage
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.text.corpus import Corpus, compile_corpus, open_corpus
from cdsm_lib.text.counts import Counts, content_words, count_phrases, count_windows, numbering
from cdsm_lib.text.extraction import count_tuples, relative_clauses, relative_head_pattern, subject_verb_object
from cdsm_lib.text.extraction import subject_verb as subject_verb_pairs
from cdsm_lib.text.extraction import verb_object as verb_object_pairs
from cdsm_lib.text.spelling import NOUNS, occurrences, spelt_alike
from cdsm_lib.vectors.embeddings import train_phrases, train_words
from cdsm_lib.vectors.space import Space

KINDS = ("subject", "object", "SBJ", "OBJ")
"""Phrases with holistic vectors: subject-verb and verb-object pairs, subject and object relative clauses."""

SPACES = ("Count", "Count-SVD", "Skip-Gram")
SETTINGS = {"Count": "spaces.count", "Count-SVD": "spaces.count_svd", "Skip-Gram": "spaces.skipgram"}
REMEDY = "Make it again with make distil."

"""Common and proper nouns stand in the same places."""

PATTERN = 2000
"""How many of the nouns most frequent in "a(n) NOUN that|who|which" are kept."""

_COLUMNS = {"subject": 1, "object": 0, "SBJ": 1, "OBJ": 1}  # where the verb stands
_VERBS = ("VERB", "AUX")


@dataclass(frozen=True)
class Phrases:
    """Counted word tuples of one kind.

    Attributes
    ----------
    words : Labels
        The words, ``lemma|UPOS``.
    ids : ndarray of int32, shape (m, k)
        Each phrase as places in `words`.
    counts : ndarray of int64, shape (m,)
    positions : ndarray of int64, shape (n, k), or None
        Where the phrases occur in the corpus, if it is at hand.
    phrase_of : ndarray of int64, shape (n,), or None
        Which phrase occurs there, -1 for none of these.
    """

    words: Labels
    ids: np.ndarray
    counts: np.ndarray
    positions: np.ndarray | None = field(default=None, repr=False)
    phrase_of: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def labels(self) -> Labels:
        """Each phrase as its words joined by spaces."""
        return Labels(" ".join(self.words[i] for i in row) for row in self.ids.tolist())


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
    svo : Phrases
        Subject-verb-object triples of the words that have rows.
    triples : Phrases
        Subject-verb-object triples of the terms of a construction, whatever their other words.
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
    paths = datasets.fetch_matching(name, pattern)
    files = datasets.dataset(name).files
    fingerprint = hashlib.sha256(" ".join(files[path.name].sha256 for path in paths).encode()).hexdigest()
    with suppress(ValueError):
        return _opened(folder, fingerprint)
    with storage.alone(folder.with_name(f".{name}.lock")):
        with suppress(ValueError):  # another process has compiled it while this one waited
            return _opened(folder, fingerprint)
        return compile_corpus(paths, folder)


def _opened(folder: Path, fingerprint: str) -> Corpus:
    """The corpus in a folder; `ValueError` if there is none, if it is damaged, or if its files are others."""
    corpus = open_corpus(folder)
    if corpus.fingerprint != fingerprint:
        raise ValueError(f"{folder} was compiled from other files")
    return corpus


def wikipedia(files: int | None = None) -> Corpus:
    """The parsed Wikipedia, or the corpus of a profile of one's own; only its first `files` files if asked."""
    own = datasets.own_profile()
    corpus = open_corpus(own["corpus"]) if own else compiled("wikipedia_parsed", "*.conllu.xz")
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
    pos = [list(nouns)] * positions.shape[1]
    pos[verb] = list(_VERBS)
    tuples = count_tuples(corpus, positions, pos=pos)
    ids, as_verb = tuples.ids.copy(), np.arange(len(corpus.words))
    auxiliaries = np.flatnonzero(corpus.pos_of == "AUX")
    full = corpus.words.encode(f"{corpus.lemma_of[i]}|VERB" for i in auxiliaries)
    as_verb[auxiliaries[full >= 0]] = full[full >= 0]
    ids[:, verb] = as_verb[ids[:, verb]]

    unique, inverse = np.unique(ids, axis=0, return_inverse=True)
    counts = np.bincount(inverse.ravel(), weights=tuples.counts, minlength=len(unique)).astype(np.int64)
    order = np.lexsort((*unique.T[::-1], -counts))
    order = order[counts[order] >= min_count]
    place = np.full(len(unique) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    merged = np.append(inverse.ravel(), len(unique))
    return Phrases(corpus.words, unique[order], counts[order], positions, place[merged[tuples.occurrence]])


def keep_phrases(phrases: Phrases, kept: np.ndarray) -> Phrases:
    """Only these phrases (bool array), with the places where they occur."""
    place = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
    return replace(phrases, ids=phrases.ids[kept], counts=phrases.counts[kept], phrase_of=place[phrases.phrase_of])


def training_phrases(corpus: Corpus, verbs: Sequence[str], words: Labels, settings: dict) -> dict[str, Phrases]:
    """Phrases of these verbs whose words all belong to `words`, by kind (Rimell et al. 2016, section 5.1.3).

    Parameters
    ----------
    settings : dict
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
    known, is_verb = among(corpus, words), among(corpus, verbs)
    of_kind = {}
    for kind, places in positions.items():
        pair, at = kind in ("subject", "object"), _COLUMNS[kind]
        fewest = settings["pair_count" if pair else "clause_count"]
        nouns = NOUNS if pair or settings.get("names") else ("NOUN",)
        phrases = count_as_verbs(corpus, places, at, nouns=nouns, min_count=fewest)
        others = np.delete(phrases.ids, at, axis=1)
        kept = is_verb[phrases.ids[:, at]] & known[others].all(axis=1)
        if not pair and settings["clause_limit"]:
            kept &= np.cumsum(kept) <= settings["clause_limit"]  # the most frequent, then those of frequent words
        of_kind[kind] = keep_phrases(phrases, kept)
    return of_kind


def rows_of(corpus: Corpus, rows: Labels) -> np.ndarray:
    """Place in `rows` of each word of the corpus, -1 for none: int32, shape (len(corpus.words),)."""
    return numbering(corpus.words, rows)


def skip_gram_vocabulary(corpus: Corpus, min_count: int, needed: Iterable[str]) -> Labels:
    """Words seen `min_count` times or more, no punctuation; and those of `needed` that occur at all."""
    always = among(corpus, needed)
    frequent = (corpus.word_counts >= min_count) & ~np.isin(corpus.pos_of, ("PUNCT", "SPACE", "SYM"))
    return Labels(corpus.words[i] for i in np.flatnonzero(frequent | (always & (corpus.word_counts > 0))))


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
    occurring = occurrences(corpus, needed)
    rows = Labels(dict.fromkeys([*content_words(corpus, profile["words"]), *occurring, *alike.values()]))
    wider = profile.get("clauses", {})
    asked = rows if wider.get("all_verbs") else (*needed, *alike.values())
    verbs = [word for word in asked if word.endswith("|VERB")]
    phrases = training_phrases(corpus, verbs, rows, {**profile["phrases"], **wider})
    every = count_as_verbs(corpus, subject_verb_object(corpus), 1, nouns=NOUNS, min_count=1)
    svo = keep_phrases(every, among(corpus, rows)[every.ids].all(axis=1))
    triples = keep_phrases(every, among(corpus, terms)[every.ids[:, [0, 2]]].any(axis=1))
    of_triples = Labels(corpus.words[i] for i in np.unique(triples.ids))
    counts, phrase_counts = {}, {}
    for name in [name for name in ("Count", "Count-SVD") if name in spaces]:
        settings = profile[SETTINGS[name]]
        features, window = content_words(corpus, settings["features"]), settings["window"] or None
        counts[name] = count_windows(corpus, rows, features, window=window)
        if name == "Count-SVD":
            phrase_counts[name] = {
                kind: count_phrases(corpus, p.positions, p.phrase_of, p.labels, features, window=window)
                for kind, p in phrases.items()
            }
    vectors, phrase_vectors = None, {}
    if "Skip-Gram" in spaces:
        settings, seed = profile[SETTINGS["Skip-Gram"]], profile["seed"]
        shared = {name: settings[name] for name in ("subsample", "negatives", "draws")}
        of_words = {name: settings[name] for name in ("window", "dimensions", "epochs", "rate")}
        of_phrases = {name: settings[f"phrase_{name}"] for name in ("window", "epochs", "rate")}
        vocabulary = skip_gram_vocabulary(corpus, settings["min_count"], rows)
        model = train_words(corpus, vocabulary, **shared, **of_words, seed=seed)
        phrase_vectors = {
            kind: train_phrases(corpus, model, p.labels, p.positions, p.phrase_of, **shared, **of_phrases, seed=seed)
            for kind, p in phrases.items()
        }
        vectors = Space(rows, model.space().take(rows).astype(np.float16).astype(np.float32))  # as `save` keeps them
    pattern = relative_head_pattern(corpus)
    return TrainingCounts(
        corpus=corpus.fingerprint,
        alike=alike,
        frequency={word: int(corpus.word_counts[corpus.words.index(word)]) for word in (*rows, *of_triples)},
        pattern=dict(zip(corpus.lemma_of[pattern.ids[:PATTERN, 0]], pattern.counts[:PATTERN].tolist(), strict=True)),
        svo=_standalone(svo, rows),
        triples=_standalone(triples, of_triples),
        phrases={kind: _standalone(p, rows) for kind, p in phrases.items()},
        counts=counts,
        phrase_counts=phrase_counts,
        vectors=vectors,
        phrase_vectors=phrase_vectors,
    )


def among(corpus: Corpus, words: Iterable[str]) -> np.ndarray:
    """Whether each word of the corpus is one of these: bool, shape (len(corpus.words),)."""
    mask = np.zeros(len(corpus.words), dtype=bool)
    places = corpus.words.encode(words)
    mask[places[places >= 0]] = True
    return mask


def _standalone(phrases: Phrases, words: Labels) -> Phrases:
    """Phrases over a table of words of their own, without their places in the corpus."""
    ids = words.encode(phrases.words[i] for i in phrases.ids.ravel()).reshape(phrases.ids.shape).astype(np.int32)
    return Phrases(words, ids, phrases.counts)


# ------------------------------------------------------------------------------------------------- saving and loading


def save(trained: TrainingCounts, folder: str | os.PathLike) -> None:
    """Write what the sample profile reads into a folder: tables, one file for each Counts, and vectors as float16."""
    folder = Path(folder)
    tables = replace(trained, counts={}, phrase_counts={}, vectors=None, phrase_vectors={})
    storage.save(tables, folder / "phrases.npz")
    for name, counts in trained.counts.items():
        counts.save(folder / f"{name.lower()}.npz")
        for kind, of_phrases in trained.phrase_counts.get(name, {}).items():
            of_phrases.save(folder / f"{name.lower()}-{kind}.npz")
    if trained.vectors is not None:
        vectors = {"words": trained.vectors.vectors, **trained.phrase_vectors}
        arrays = {name: array.astype(np.float16) for name, array in vectors.items()}
        storage.write_npz(folder / "skip-gram.npz", "vectors", 1, arrays)


def load(folder: str | os.PathLike) -> TrainingCounts:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    folder = Path(folder)
    trained = storage.load(folder / "phrases.npz", TrainingCounts, remedy=REMEDY)
    counts, phrase_counts, vectors, phrase_vectors = {}, {}, None, {}
    for name in ("Count", "Count-SVD"):
        if (path := folder / f"{name.lower()}.npz").exists():
            counts[name] = Counts.load(path)
            paths = {kind: folder / f"{name.lower()}-{kind}.npz" for kind in KINDS}
            phrase_counts[name] = {kind: Counts.load(path) for kind, path in paths.items() if path.exists()}
    if (path := folder / "skip-gram.npz").exists():
        arrays, _ = storage.read_npz(path, "vectors", 1, ["words", *KINDS], remedy=REMEDY)
        vectors = Space(trained.svo.words, arrays["words"])
        phrase_vectors = {kind: arrays[kind].astype(np.float32) for kind in KINDS}
    return replace(trained, counts=counts, phrase_counts=phrase_counts, vectors=vectors, phrase_vectors=phrase_vectors)


def cached(
    corpus: Corpus, needed: Sequence[str], profile: Profile, *, terms: Sequence[str] = (), spaces=SPACES
) -> TrainingCounts:
    """`gather`, kept in the cache; parameters as there."""
    needed, terms = sorted(set(needed)), sorted(set(terms))
    settings = {name: profile.get(name) for name in ("words", "phrases", "clauses", "spaces", "seed")}
    return cache.cached(
        gather, corpus, needed, profile, terms=terms, spaces=spaces, name="relpron/training-counts",
        depends=[corpus, needed, terms, spaces, settings],
    )  # fmt: skip
