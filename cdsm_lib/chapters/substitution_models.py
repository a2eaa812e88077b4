"""Buljan et al. 2018, from the corpus to similarities: one space, its peripheral bigrams, every system, ANVAN-LS.

The space (section 3): co-occurrence within three content words, PPMI, SVD. Its *core* are the most frequent content
words; the data set's other words and all bigrams are *peripheral* rows, weighted with the core's column marginals and
projected by the core's SVD, as DISSECT does it. From words to bigrams the matrices of adjectives and verbs are learned.

The sample profile's core are the counts of the RELPRON chapter's Count space, the same window over fewer words; what
this chapter needs beyond them lies in ``data/distilled/anvan-bigrams.npz``.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.chapters.training_counts import NOUNS, REMEDY, count_as_verbs
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.linear import EdgePenaltyWarning
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.labels import Labels
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Substitution, pos_of
from cdsm_lib.tasks.task import Task
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, count_phrases, count_windows
from cdsm_lib.text.extraction import Phrases, adjective_noun, count_tuples, noun_noun, subject_verb, verb_object
from cdsm_lib.text.spelling import occurrences
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.space import Space


@dataclass(frozen=True)
class Kind:
    """Of bigrams: who finds them, which tags their predicate may have, and in which column it stands."""

    extract: Callable[[Corpus], np.ndarray]
    tags: tuple[str, ...]
    predicate: int = 0


KINDS = {
    "adjective_noun": Kind(adjective_noun, ("ADJ",)),
    "noun_noun": Kind(noun_noun, NOUNS),
    "subject_verb": Kind(subject_verb, ("VERB",), predicate=1),
    "verb_object": Kind(verb_object, ("VERB",)),
}

COUNTED = ("window", "bigram_count", "bigram_limit")
"""The settings on which the distilled counts depend."""

FILE = "anvan-bigrams.npz"
"""Of this chapter in ``data/distilled``."""


@dataclass(frozen=True)
class Words:
    """Counted words.

    Attributes
    ----------
    corpus : str
        Fingerprint of the corpus.
    core, more : Counts
        The core's words by context words; and the data set's words that are not in the core, by the same.
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
    """Counted bigrams of one kind, over the labels of `Words`, in the order of the words; and their contexts."""

    phrases: Phrases
    counts: Counts


@dataclass(frozen=True)
class Stored:
    """What the sample profile reads: words, without their core; bigrams by kind."""

    words: Words
    bigrams: dict[str, Bigrams]


# --------------------------------------------------------------------------------------------------------- gathering


def count_bigrams(corpus: Corpus, kind: Kind, predicates: Iterable[str], nouns: Labels, settings: Mapping) -> Phrases:
    """The bigrams of these predicates with nouns of the space, most frequent first.

    Parameters
    ----------
    settings : mapping
        ``bigram_count`` (fewest occurrences) and ``bigram_limit`` (most bigrams of one predicate, 0 for all).
    """
    positions, fewest = kind.extract(corpus), settings["bigram_count"]
    if kind.tags == ("VERB",):
        phrases = count_as_verbs(corpus, positions, kind.predicate, nouns=NOUNS, min_count=fewest)
    else:
        phrases = count_tuples(corpus, positions, min_count=fewest)
    predicate, noun = phrases.ids[:, kind.predicate], phrases.ids[:, 1 - kind.predicate]
    wanted = corpus.words.mask(predicates)[predicate] & corpus.words.mask(nouns)[noun]
    if settings["bigram_limit"]:
        place = pd.Series(predicate[wanted]).groupby(predicate[wanted]).cumcount()
        wanted[wanted] = place < settings["bigram_limit"]
    return phrases.only(wanted)


def no_rows(columns: Labels) -> Counts:
    """Counts without a row: of a kind without bigrams, of words beside a core that holds them all."""
    return Counts(sparse.csr_array((0, len(columns)), dtype=np.int32), Labels([]), columns)


def gather_words(corpus: Corpus, needed: Iterable[str], settings: Mapping, *, core: Counts | None = None) -> Words:
    """Count the core's words, and of `needed` (``lemma|UPOS``) those that occur, however rare they are.

    Parameters
    ----------
    settings : mapping
        The profile's ``lexical_substitution``: ``words`` (of the core), ``window``.
    core : Counts, optional
        A core that was counted before, with the same window.
    """
    window = settings["window"] or None
    if core is None:
        frequent = content_words(corpus, settings["words"])
        core = count_windows(corpus, frequent, frequent, window=window)
    others = [word for word in occurrences(corpus, needed) if word not in core.rows]
    more = count_windows(corpus, others, core.columns, window=window) if others else no_rows(core.columns)
    frequency = occurrences(corpus, (*core.rows, *others))
    types = {word: n for word, n in anvan.modifier_types(corpus).items() if word in frequency}
    return Words(corpus.fingerprint, core, more, frequency, types)


def gather_bigrams(corpus: Corpus, words: Words, predicates: Iterable[str], settings: Mapping) -> dict[str, Bigrams]:
    """Count the bigrams of these predicates with the nouns among the words, by kind."""
    nouns = Labels(word for word in words.labels if pos_of(word) in NOUNS)
    columns, bigrams = words.core.columns, {}
    for name, kind in KINDS.items():
        fitting = [word for word in predicates if pos_of(word) in kind.tags]
        seen, counts = count_bigrams(corpus, kind, fitting, nouns, settings), no_rows(columns)
        if len(seen):
            window = settings["window"] or None
            counts = count_phrases(corpus, seen.positions, seen.phrase_of, seen.labels, columns, window=window)
        bigrams[name] = Bigrams(seen.over(words.labels), counts)
    return bigrams


def save(words: Words, bigrams: dict[str, Bigrams], folder: Path) -> None:
    """Write words and bigrams into a folder in which the core lies already, as ``count.npz``."""
    storage.save(Stored(replace(words, core=no_rows(words.core.columns)), bigrams), folder / FILE)


def load(folder: Path) -> tuple[Words, dict[str, Bigrams]]:
    """Read what `save` wrote; a `StorageError` names a file that cannot be used, and the remedy."""
    core, stored = Counts.load(folder / "count.npz"), storage.load(folder / FILE, Stored, remedy=REMEDY)
    if list(stored.words.frequency) != [*core.rows, *stored.words.more.rows]:
        raise storage.StorageError(folder / FILE, "its words are not those of the counts beside it", REMEDY)
    return replace(stored.words, core=core), stored.bigrams


# ------------------------------------------------------------------------------------------- the space, the matrices


@dataclass(frozen=True)
class Trained:
    """The space of words, float64, rows as ``Words.labels``; and how other counts are projected into it."""

    space: Space
    marginals: weighting.Marginals
    svd: SVD

    def project(self, counts: Counts) -> np.ndarray:
        """Vectors of peripheral rows: the core's marginals, the core's SVD. float64 [rows, d]."""
        return self.svd.transform(weighting.ppmi(counts.matrix, marginals=self.marginals))


def train_space(words: Words, settings: Mapping, seed: int) -> Trained:
    """PPMI and SVD of the core; the other words are projected (section 3)."""
    marginals = weighting.column_marginals(words.core.matrix)
    core, more = (weighting.ppmi(counts.matrix, marginals=marginals) for counts in (words.core, words.more))
    svd = SVD(min(settings["dimensions"], min(core.shape) - 1), power=settings["power"], seed=seed).fit(core)
    return Trained(Space(words.labels, np.vstack([svd.transform(core), svd.transform(more)])), marginals, svd)


def practical(trained: Trained, bigrams: Mapping[str, Bigrams], settings: Mapping, **ridge) -> PracticalLexicalFunction:
    """The matrices of all predicates, from words to the bigrams' observed vectors (section 3); `ridge` may set
    ``penalties``, from which cross-validation chooses otherwise."""
    training = {}
    for name, counted in bigrams.items():
        words, at = counted.phrases.words, KINDS[name].predicate
        predicates, nouns = words.decode(counted.phrases.ids[:, [at, 1 - at]].T).tolist()
        training[name] = (predicates, nouns, trained.project(counted.counts))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgePenaltyWarning)  # with few bigrams the best is often to shrink to nothing
        return PracticalLexicalFunction(min_pairs=settings["min_pairs"], **ridge).fit(trained.space, training)


# ------------------------------------------------------------------------------------------------------- the systems

SPACE = "PPMI-SVD"
CDSMS = ("LemmaSim", "Add", "Mult", "PLF (Paperno)", "PLF (Gupta)")
C2V = ("context2vec (phrase)", "context2vec (sentence)")
SYSTEMS = ("Random", *CDSMS, *C2V)
VARIANTS = {"PLF (Paperno)": "paperno", "PLF (Gupta)": "gupta"}


def similar(vectors: np.ndarray, pairs: np.ndarray, similarity: str = "dot") -> np.ndarray:
    """Dot product or cosine of the vectors [n, d] at each pair of places [m, 2]: float64 [m].

    A vector of zeros has the cosine 0, as in `cdsm_lib.vectors.similarity`. The cosines are not taken from there: they
    would differ from those of the committed figures in the last digits.
    """
    if similarity == "cosine":
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), np.finfo(float).tiny)
    return np.einsum("md,md->m", *vectors[pairs.T])


def rank(
    system: str, task: Task, space: Space, model: PracticalLexicalFunction | None = None, similarity="dot"
) -> np.ndarray:
    """What a compositional system gives each pair of a task (section 3): float64 [m].

    Parameters
    ----------
    system : str
        One of `CDSMS`. LemmaSim compares the words alone, the others the phrases before and after the replacement.
    similarity : {"dot", "cosine"}
        The paper takes the dot product, "to boost frequent candidates".
    """
    words = [text.words for text in task.texts]
    if system in VARIANTS:
        vectors = model.compose(words, VARIANTS[system], rows=space)
    elif system == "LemmaSim":
        vectors = space.take([text.words[text.target] for text in task.texts]).astype(np.float64)
    else:
        vectors = {"Add": add, "Mult": mult}[system](*by_word(task, space).swapaxes(0, 1))
    return similar(vectors, task.pairs, similarity)


def by_word(task: Task, space: Space) -> np.ndarray:
    """The vectors of the words of every text, float64 [texts, 5, d]."""
    words = [word for text in task.texts for word in text.words]
    return space.take(words).astype(np.float64).reshape(len(task.texts), 5, space.d)


def substitutes(
    model: Context2Vec, substitution: Substitution, *, sentence=False, articles=False, listed: int = 1000
) -> np.ndarray:
    """What context2vec gives each candidate: its cosine with the context, NaN where it is not among those listed.

    Parameters
    ----------
    model : Context2Vec
    substitution : Substitution
    sentence : bool
        The context is the whole sentence; otherwise the five words of the phrase.
    articles : bool
        Before both noun phrases of the phrase stands *the*.
    listed : int
        How many substitutes are generated; the paper has 1,000. 0 lists the whole vocabulary.

    Returns
    -------
    float64 [m]
        For each target its four candidates.
    """
    scores = []
    for item in substitution.items:
        phrase = item.phrase
        words, place = (phrase.sentence, phrase.places[item.position]) if sentence else (phrase.words, item.position)
        if articles:
            words, place = ("the|DET", *words[:3], "the|DET", *words[3:]), place + (1 if place < 3 else 2)
        if listed:
            generated = dict(model.substitutes(words, place, listed))
            scores += [generated.get(candidate, np.nan) for candidate in item.candidates]
        else:
            scores += model.fit_of(model.context(words, place), item.candidates).tolist()
    return np.array(scores, dtype=np.float64)


# ------------------------------------------------------------------------------------------------------- the data set


def text_vocabulary(text: anvan.Text) -> list[str]:
    """Every label that the construction may ask for: tokens as parsed and as annotated, and their substitutes."""
    words = set()
    for token in (token for sentence in text.sentences for token in sentence):
        words.add(f"{token.lemma}|{token.upos}")
        if annotated := text.of(token):
            lemmas = [token.lemma, annotated.lemma, *(lemma for lemma in annotated.substitutes if " " not in lemma)]
            words.update(f"{lemma}|{tag}" for lemma in lemmas for tag in {token.upos, *annotated.tags} - {None})
    return sorted(words)


def from_coinco(corpus: Corpus, settings: Mapping, seed: int) -> tuple[Words, Trained, anvan.Construction]:
    """ANVAN-LS, with the hand check that this project recorded (section 2), and the space in which it was built."""
    text = anvan.coinco()
    words = gather_words(corpus, text_vocabulary(text), settings)
    trained = train_space(words, settings, seed)
    decisions = anvan.read_decisions(datasets.data_root() / "annotations" / "anvan_ls.tsv")
    return words, trained, anvan.build(text, words.frequency, words.modifies, trained.space, decisions)


def construct_mini(words: Words, space: Space) -> anvan.Construction:
    """The teaching set's sentences, put through the same steps in the space of this run."""
    decisions = anvan.read_decisions(datasets.sample_path("anvan_mini") / "decisions.tsv")
    return anvan.build(anvan.teaching_text(), words.frequency, words.modifies, space, decisions)


def predicates_in(substitution: Substitution) -> list[str]:
    """The words of the phrases and the candidates that stand in a modifier's or the verb's position."""
    places, items = (0, 2, 3), substitution.items
    words = {item.phrase.words[i] for item in items for i in places}
    return sorted(words.union(*(item.candidates for item in items if item.position in places)))


def without_vector(substitution: Substitution, space: Space) -> list[str]:
    """The data set's words without a vector, or with a zero one."""
    words = lexical_substitution.vocabulary(substitution)
    places = space.rows.encode(words)
    return [word for word, place in zip(words, places, strict=True) if place < 0 or not space.norms[place]]
