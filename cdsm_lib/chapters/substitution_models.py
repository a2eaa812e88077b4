"""Buljan et al. 2018, from the corpus to figures: one space, its peripheral bigrams, every system, ANVAN-LS.

The space (section 3): co-occurrence within three content words, PPMI, SVD. Its *core* are the most frequent content
words; the data set's other words and all bigrams are *peripheral* rows, weighted with the core's column marginals and
projected by the core's SVD, as DISSECT does it. From words to bigrams the matrices of adjectives and verbs are learned.

The sample profile's core are the counts of the RELPRON chapter's Count space, the same window over fewer words; what
this chapter needs beyond them lies in ``data/distilled/anvan-*.npz``.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.chapters.training_counts import NOUNS, REMEDY, Phrases, among, count_as_verbs
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.linear import EdgePenaltyWarning
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction.lexical_substitution import Construction, Text
from cdsm_lib.labels import Labels
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Substitution
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, count_phrases, count_windows
from cdsm_lib.text.extraction import adjective_noun, count_tuples, noun_noun, subject_verb, verb_object
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.space import Space

KINDS = {"adjective_noun": 0, "noun_noun": 0, "subject_verb": 1, "verb_object": 0}
"""The kinds of bigrams, and in which column their predicate stands."""

EXTRACTORS = {extract.__name__: extract for extract in (adjective_noun, noun_noun, subject_verb, verb_object)}

PREDICATES = {"modifier": "modifiers", "subject_verb": "verbs, subject", "verb_object": "verbs, object"}
"""What readers call the predicates that have matrices, by the kinds of `Fallbacks`."""

COUNTED = ("window", "bigram_count", "bigram_limit")
"""The settings on which the distilled counts depend."""

SPACE = "PPMI-SVD"

PREFIX = "anvan-"
"""Of this chapter's files in ``data/distilled``."""


@dataclass(frozen=True)
class Words:
    """Counted words.

    Attributes
    ----------
    corpus : str
        Fingerprint of the corpus.
    core : Counts
        The core's words by context words.
    more : Counts
        The data set's words that are not in the core, by the same context words.
    frequency : dict of str to int
        Occurrences of all these words.
    modifies : dict of str to int
        In how many noun-noun bigrams a noun is the modifier; see `anvan.modifier_types`.
    """

    corpus: str
    core: Counts
    more: Counts
    frequency: dict[str, int]
    modifies: dict[str, int]

    @cached_property
    def labels(self) -> Labels:
        """The words of the space: the core's, then the others."""
        return Labels([*self.core.rows, *self.more.rows])


@dataclass(frozen=True)
class Bigrams:
    """Counted bigrams of one kind.

    Attributes
    ----------
    phrases : Phrases
        Over the labels of `Words`, columns in the order of the words.
    counts : Counts
        Their contexts, rows as in `phrases`.
    """

    phrases: Phrases
    counts: Counts


@dataclass(frozen=True)
class Stored:
    """What the sample profile reads: words, without their core; bigrams by kind."""

    words: Words
    bigrams: dict[str, Bigrams]


# --------------------------------------------------------------------------------------------------------- gathering


def predicates_of(words: Iterable[str]) -> dict[str, list[str]]:
    """The words that can be predicates of each kind: modifiers (adjectives, nouns) and verbs."""
    tags = {"adjective_noun": ("ADJ",), "noun_noun": NOUNS, "subject_verb": ("VERB",), "verb_object": ("VERB",)}
    return {kind: [word for word in words if word.rpartition("|")[2] in of_kind] for kind, of_kind in tags.items()}


def count_bigrams(corpus: Corpus, kind: str, predicates: Sequence[str], nouns: Labels, settings: dict) -> Phrases:
    """The bigrams of these predicates with nouns of the space, most frequent first.

    Parameters
    ----------
    settings : dict
        ``bigram_count`` (fewest occurrences) and ``bigram_limit`` (most bigrams of one predicate, 0 for all).
    """
    positions, at, fewest = EXTRACTORS[kind](corpus), KINDS[kind], settings["bigram_count"]
    if kind in ("subject_verb", "verb_object"):
        every = count_as_verbs(corpus, positions, at, nouns=NOUNS, min_count=fewest)
    else:
        tuples = count_tuples(corpus, positions, min_count=fewest)
        every = Phrases(corpus.words, tuples.ids, tuples.counts, positions, tuples.occurrence)
    wanted = among(corpus, predicates)[every.ids[:, at]] & among(corpus, nouns)[every.ids[:, 1 - at]]
    if settings["bigram_limit"]:
        of_predicate = pd.Series(every.ids[wanted, at])
        wanted[wanted] = of_predicate.groupby(of_predicate, sort=False).cumcount() < settings["bigram_limit"]
    return every.only(wanted)


def no_rows(columns: Labels) -> Counts:
    """Counts without a row: of a kind without bigrams, of words beside a core that holds them all."""
    return Counts(sparse.csr_array((0, len(columns)), dtype=np.int32), Labels([]), columns)


def gather_words(corpus: Corpus, needed: Iterable[str], settings: dict, *, core: Counts | None = None) -> Words:
    """Count the core's words, and of `needed` (``lemma|UPOS``) those that occur, however rare they are.

    Parameters
    ----------
    settings : dict
        The profile's ``lexical_substitution``: ``words`` (of the core), ``window``.
    core : Counts, optional
        A core that was counted before, with the same window.
    """
    window = settings["window"] or None
    if core is None:
        frequent = content_words(corpus, settings["words"])
        core = count_windows(corpus, frequent, frequent, window=window)
    places = corpus.words.encode(dict.fromkeys(needed))
    occurring = (corpus.words[i] for i in places[places >= 0] if corpus.word_counts[i])
    others = [word for word in occurring if word not in core.rows]
    more = count_windows(corpus, others, core.columns, window=window) if others else no_rows(core.columns)
    labels = [*core.rows, *more.rows]
    frequency = dict(zip(labels, corpus.word_counts[corpus.words.encode(labels)].tolist(), strict=True))
    types = anvan.modifier_types(corpus)
    return Words(corpus.fingerprint, core, more, frequency, {w: n for w, n in types.items() if w in frequency})


def gather_bigrams(corpus: Corpus, words: Words, predicates: Iterable[str], settings: dict) -> dict[str, Bigrams]:
    """Count the bigrams of these predicates with the nouns among the words, by kind."""
    nouns = Labels(word for word in words.labels if word.rpartition("|")[2] in NOUNS)
    columns, window = words.core.columns, settings["window"] or None
    bigrams = {}
    for kind, of_kind in predicates_of(predicates).items():
        seen = count_bigrams(corpus, kind, of_kind, nouns, settings)
        counts = no_rows(columns)
        if len(seen):
            counts = count_phrases(corpus, seen.positions, seen.phrase_of, seen.labels, columns, window=window)
        ids = words.labels.encode(corpus.words[i] for i in seen.ids.ravel()).reshape(seen.ids.shape)
        bigrams[kind] = Bigrams(Phrases(words.labels, ids.astype(np.int32), seen.counts), counts)
    return bigrams


# ------------------------------------------------------------------------------------------------- saving and loading


def save(words: Words, counted: dict[str, Bigrams], folder: Path) -> None:
    """Write words and bigrams into a folder in which the core lies already, as ``count.npz``."""
    without_core = replace(words, core=no_rows(words.core.columns))
    storage.save(Stored(without_core, counted), folder / f"{PREFIX}bigrams.npz")


def load(folder: Path, *, remedy: str = REMEDY) -> tuple[Words, dict[str, Bigrams]]:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    path = folder / f"{PREFIX}bigrams.npz"
    core, stored = Counts.load(folder / "count.npz"), storage.load(path, Stored, remedy=remedy)
    if list(stored.words.frequency) != [*core.rows, *stored.words.more.rows]:
        raise StorageError(path, "its words are not those of the counts beside it", remedy)
    return replace(stored.words, core=core), stored.bigrams


# --------------------------------------------------------------------------------------------------------- the space


@dataclass(frozen=True)
class Trained:
    """The space of words, and how other counts are projected into it.

    Attributes
    ----------
    name : str
    space : Space
        Rows as ``Words.labels``, float64.
    marginals : Marginals
        Of the core's columns.
    svd : SVD
        Fitted to the core.
    """

    name: str
    space: Space
    marginals: weighting.Marginals
    svd: SVD

    def project(self, counts: Counts) -> np.ndarray:
        """Vectors of peripheral rows: the core's marginals, the core's SVD. float64 [rows, d]."""
        return self.svd.transform(weighting.ppmi(counts.matrix, marginals=self.marginals))


def train_space(words: Words, settings: dict, seed: int, *, name: str = SPACE) -> Trained:
    """PPMI and SVD of the core; the other words are projected (section 3)."""
    marginals = weighting.column_marginals(words.core.matrix)
    core = weighting.ppmi(words.core.matrix, marginals=marginals)
    d = min(settings["dimensions"], min(core.shape) - 1)
    svd = SVD(d, power=settings["power"], seed=seed).fit(core)
    more = svd.transform(weighting.ppmi(words.more.matrix, marginals=marginals))
    return Trained(name, Space(words.labels, np.vstack([svd.transform(core), more])), marginals, svd)


def bigram_vectors(trained: Trained, bigrams: dict[str, Bigrams]) -> dict[str, tuple[list[str], list[str], np.ndarray]]:
    """What the matrices are learned from, by kind: predicates [n], nouns [n], observed vectors [n, d]."""
    training = {}
    for kind, of_kind in bigrams.items():
        labels, table = of_kind.phrases.words, of_kind.phrases.ids
        predicates, nouns = ([labels[i] for i in table[:, column]] for column in (KINDS[kind], 1 - KINDS[kind]))
        training[kind] = (predicates, nouns, trained.project(of_kind.counts))
    return training


def learn(space: Space, training: dict[str, tuple], settings: dict) -> PracticalLexicalFunction:
    """Matrices from words to bigrams; `training` as `bigram_vectors` gives it."""
    model = PracticalLexicalFunction(min_pairs=settings["min_pairs"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgePenaltyWarning)  # with few bigrams the best is often to shrink to nothing
        return model.fit(space, training)


def practical(trained: Trained, bigrams: dict[str, Bigrams], settings: dict) -> PracticalLexicalFunction:
    """The matrices of all predicates, from words to the bigrams' observed vectors (section 3)."""
    return learn(trained.space, bigram_vectors(trained, bigrams), settings)


# ------------------------------------------------------------------------------------------------------- the systems

CDSMS = ("LemmaSim", "Add", "Mult", "PLF (Paperno)", "PLF (Gupta)")
C2V = ("context2vec (phrase)", "context2vec (sentence)")
SYSTEMS = ("Random", *CDSMS, *C2V)
SIMILARITIES = ("dot", "cosine")
VARIANTS = {"PLF (Paperno)": "paperno", "PLF (Gupta)": "gupta"}


def variants(task: Substitution) -> np.ndarray:
    """The phrase of every item, and the four with the target replaced: labels, object array [items, 5, 5 words]."""
    table = np.empty((len(task), 5, 5), dtype=object)
    for i, item in enumerate(task.items):
        table[i] = item.phrase.words
        table[i, 1:, item.position] = item.candidates
    return table


def similar(vectors: np.ndarray, similarity: str) -> np.ndarray:
    """The first of five vectors against each of the others: [items, 5, d] gives [items, 4].

    A vector of zeros has the cosine 0, as in `cdsm_lib.vectors.similarity`. The cosines are not taken from there: they
    would differ from those of the committed figures in the last digits.
    """
    if similarity == "cosine":
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        vectors = vectors / np.maximum(lengths, np.finfo(float).tiny)
    return np.einsum("id,ikd->ik", vectors[:, 0], vectors[:, 1:])


def rank(
    system: str, task: Substitution, space: Space, model: PracticalLexicalFunction | None = None, similarity="dot"
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
    if system in VARIANTS:
        vectors = model.compose(table.reshape(-1, 5), VARIANTS[system], rows=space)
    elif system == "LemmaSim":
        vectors = space.take([word for item in task.items for word in (item.target, *item.candidates)])
    else:
        words = space.take(table.ravel().tolist()).astype(np.float64).reshape(-1, 5, space.d)
        vectors = {"Add": add, "Mult": mult}[system](*words.swapaxes(0, 1))
    return similar(vectors.astype(np.float64).reshape(len(task), 5, -1), similarity)


def without_vector(task: Substitution, space: Space) -> list[str]:
    """The data set's words without a vector, or with a zero one."""
    words = lexical_substitution.vocabulary(task)
    places = space.rows.encode(words)
    return [word for word, place in zip(words, places, strict=True) if place < 0 or not space.norms[place]]


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
        if listed:
            generated = dict(model.substitutes(words, place, listed))
            scores[i] = [generated.get(candidate, np.nan) for candidate in item.candidates]
        else:
            scores[i] = model.fit_of(model.context(words, place), item.candidates)
    return scores


# ------------------------------------------------------------------------------------------------------- the data set


def text_vocabulary(text: Text) -> list[str]:
    """Every label that the construction may ask for: tokens as parsed and as annotated, and their substitutes."""
    words = set()
    for token in (token for sentence in text.sentences for token in sentence):
        words.add(f"{token.lemma}|{token.upos}")
        annotated = text.of(token)
        if annotated is not None:
            lemmas = [token.lemma, annotated.lemma, *(lemma for lemma in annotated.substitutes if " " not in lemma)]
            tags = {token.upos, *annotated.tags} - {None}
            words.update(f"{lemma}|{tag}" for lemma in lemmas for tag in tags)
    return sorted(words)


def construct(text: Text, words: Words, space: Space, decisions: Path, name: str) -> Construction:
    """A data set from annotated text, with the hand check that this project recorded (section 2)."""
    checked = anvan.read_decisions(decisions)
    return anvan.build(text, words.frequency, words.modifies, space, decisions=checked, name=name)


def from_coinco(corpus: Corpus, settings: dict, seed: int) -> tuple[Words, Trained, Construction]:
    """ANVAN-LS, and the space in which it was constructed."""
    text = anvan.coinco()
    words = gather_words(corpus, text_vocabulary(text), settings)
    trained = train_space(words, settings, seed)
    decisions = datasets.data_root() / "annotations" / "anvan_ls.tsv"
    return words, trained, construct(text, words, trained.space, decisions, "anvan_ls")


def construct_mini(words: Words, space: Space) -> Construction:
    """The teaching set's sentences, put through the same steps in the space of this run."""
    decisions = datasets.sample_path("anvan_mini") / "decisions.tsv"
    return construct(anvan.teaching_text("anvan_mini"), words, space, decisions, "anvan_mini")


def predicates_in(task: Substitution) -> list[str]:
    """The words of the phrases and the candidates that stand in a modifier's or the verb's position."""
    places = (0, 2, 3)
    words = {item.phrase.words[i] for item in task.items for i in places}
    return sorted(words | {word for item in task.items if item.position in places for word in item.candidates})
