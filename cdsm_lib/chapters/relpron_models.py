"""Rimell et al. 2016, from corpus to rankings: counts, and every property composed and ranked with what was learned.

What skip-gram on the whole corpus made of the properties is stored in ``data/models/relpron.npz``, and what it made
with further seeds beside it, for ``make verify``: training takes ten minutes and more, reading none. These files hold
vectors in half precision, in which the chapter ranks them anyway, and no word of the data set: their names are computed
again from the data set and the counts.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import relpron_training as training
from cdsm_lib.chapters.relpron_training import Trained
from cdsm_lib.chapters.training_counts import SPACES, TrainingCounts, cached, gather, load, wikipedia
from cdsm_lib.composition.relative_clause import RelativeClauseModel
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import RelPron
from cdsm_lib.vectors.space import Space

METHODS = {
    "arg": "arg", "verb": "v", "Mult": "hn*v*arg", "Addition": "hn+v+arg", "v+arg": "v+arg", "hn+arg": "hn+arg",
    "hn+v": "hn+v", "Frobenius": "Frobenius", "VArg": "VArg", "Vhn": "Vhn", "PLF": "PLF", "SPLF": "SPLF",
    "FPLF": "FPLF", "RPTensor": "RPTensor",
}  # fmt: skip
"""Our names of the systems, as in the tables, and the composition that each is."""

WORDS_ONLY = tuple(METHODS)[:8]
"""The systems that need no holistic phrase vectors (Table 5)."""

LEXICAL = WORDS_ONLY[:-1]
"""The systems that learn nothing but word vectors."""

TEXT = {"FPLF (text)": "FPLF", "RPTensor (text)": "RPTensor"}
"""The pronoun learned as the paper's text has it: `TEXT_READING`. The others follow its authors' code (section 5.5)."""

TEXT_READING = {"joint": False, "holistic": True}
"""R1 and R2 apart, and verbs with arguments by their own, holistic vectors."""

FURTHER = {"FPLF, from the identity": "FPLF"}
"""Ours: R1 and R2 that the penalty draws to the identity, not to zero."""

TENSORS = {f"RPTensor, penalty {penalty:g}": penalty for penalty in (250.0, 1000.0)}
"""RPTensor with other penalties than the paper's, for dev to choose from; of the profile's own seed alone."""

LEARNED = tuple(name for name in (*METHODS, *TEXT, *FURTHER) if name not in LEXICAL)
"""The systems that learn; of them, and of `TENSORS`, the vectors of the properties are stored."""


TOLERANCE = {"Count": 0.001, "Count-SVD": 0.01, "PPMI-SVD": 0.01, "Skip-Gram": 0.03, "Ensemble": 0.03}
"""How far a recomputed MAP may lie from the committed one.

Counts are exact, so only rounding moves a ranking: .001. An SVD agrees between machines to about six digits, but near
ties change places: .01. Skip-gram's updates follow one another some hundred million times, and a processor that adds in
another order drifts to other vectors of the same quality, as another seed does: .03 is some three standard deviations
over seeds at the smallest size of the learning curve. An ensemble adds its cosines to an SVD's, and moves as it does.
"""


def tasks_of(profile: Profile) -> list[RelPron]:
    """Both splits of the profile's data set."""
    return [relpron.load(profile["relpron.dataset"], split) for split in ("dev", "test")]


def counts_of(profile: Profile, tasks: Sequence[RelPron], quick: bool | None = None) -> TrainingCounts:
    """The sample's counts are distilled; the full profile's are gathered from the corpus, and kept in the cache.

    With `quick` given they are gathered anew whatever the cache holds, and if it is true without skip-gram.
    """
    if profile.name == "sample":
        return load(datasets.distilled_folder())
    terms = [f"{term}|NOUN" for task in tasks for term in task.terms]
    corpus, spaces = wikipedia(profile.get("corpus.files")), SPACES[:2] if quick else SPACES
    make = cached if quick is None else gather
    return make(corpus, relpron.vocabulary(*tasks), profile, terms=terms, spaces=spaces)


# ---------------------------------------------------------------------------------------------------------- rankings


@dataclass(frozen=True)
class Ranking:
    """What one system makes of one split.

    Attributes
    ----------
    system, space : str
    task : RelPron
    similarity : ndarray, shape (terms, properties)
    vectors : ndarray, shape (properties, d)
        What was composed; see `halved`.
    lacking : dict
        {(verb, role): properties} whose formula lacked this matrix.
    """

    system: str
    space: str
    task: RelPron
    similarity: np.ndarray
    vectors: np.ndarray
    lacking: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @cached_property
    def scores(self) -> Scores:
        """Average precision of each term; their mean is MAP."""
        return relpron.score(self.similarity, self.task, missing_terms="omit")


Rankings = dict[tuple[str, str, str], Ranking]
"""By (system, space, split)."""


def rank(trained: Trained, model: RelativeClauseModel, task: RelPron, system: str) -> Ranking:
    """Compose every property, or take what is stored, and compare it with every term."""
    if (system, task.split) in trained.composed:
        return ranking(trained, task, system, trained.composed[system, task.split])
    words = relpron.look_up(task, trained.space)
    parts = {"hn": words.head, "v": words.verb, "arg": words.argument}
    if system == "Mult":  # an unknown word must not wipe out the known ones
        known = np.array([words.known[role] for role in ("head", "verb", "argument")])
        none = ~known.any(axis=0)  # where all words are unknown, nothing is left: no vector
        parts = {name: np.where((row | none)[:, None], parts[name], 1) for name, row in zip(parts, known, strict=True)}
    verbs, orc = relpron.labels(task)["verb"], task.functions == "OBJ"
    formula = "RPTensor" if system in TENSORS else (METHODS | TEXT | FURTHER)[system]
    composed = model.compose(formula, verbs=verbs, orc=orc, **parts)
    vectors = halved(composed.vectors) if trained.phrases and system not in LEXICAL else composed.vectors
    return ranking(trained, task, system, vectors, composed.missing)


def ranking(trained: Trained, task: RelPron, system: str, vectors: np.ndarray, lacking=None) -> Ranking:
    """Compare the vectors that a system composed with every term."""
    similarity = relpron.cosines(relpron.look_up(task, trained.space).term, vectors)
    return Ranking(system, trained.name, task, similarity, vectors, lacking or {})


def halved(vectors: np.ndarray) -> np.ndarray:
    """Rounded to half precision, so that vectors which are kept in a small file give the same figures."""
    return vectors.astype(np.float16).astype(np.float64)


def rankings(
    spaces: Mapping[str, Trained],
    models: Mapping[str, RelativeClauseModel],
    tasks: Sequence[RelPron],
    systems: Sequence[str] = tuple(METHODS),
) -> Rankings:
    """Every system on every space and split that it can be had on."""
    return {
        (system, name, task.split): rank(trained, models[name], task, system)
        for task in tasks
        for name, trained in spaces.items()
        for system in systems
        if trained.phrases or trained.composed or system in WORDS_ONLY
    }


def readings(
    trained: Trained, counts: TrainingCounts, model: RelativeClauseModel, tasks: Sequence[RelPron], profile: Profile,
    tensors_too: bool,
) -> Rankings:  # fmt: skip
    """The systems of `TEXT` and `FURTHER`, and perhaps of `TENSORS`."""
    settings, seed = profile["relpron"], profile["seed"]
    learned = dict.fromkeys((*TEXT, *FURTHER, *(TENSORS if tensors_too else ())), model)
    if not trained.composed:
        _, clauses = training.verbs_and_clauses(trained, counts, settings)
        learned |= dict.fromkeys(TEXT, training.train(trained, counts, settings | TEXT_READING, seed))
        learned |= dict.fromkeys(FURTHER, training.from_identity(clauses, model, settings))
        for system in TENSORS.keys() & learned.keys():
            other = training.tensors(clauses, settings | {"tensor_penalty": TENSORS[system]}, seed)
            learned[system] = replace(model, tensors=other)
    return {(s, trained.name, task.split): rank(trained, learned[s], task, s) for s, task in product(learned, tasks)}


# ------------------------------------------------------------------------------------------------------------ storing

NAME = "relpron"


def frequent_nouns(words: Container[str], counts: TrainingCounts, n: int) -> list[str]:
    """The n nouns most frequent in the corpus that have a vector, of equals in alphabetical order."""
    by_frequency = sorted(counts.frequency, key=lambda word: (-counts.frequency[word], word))
    return [word for word in by_frequency if word.endswith("|NOUN") and word in words][:n]


def stored_words(counts: TrainingCounts, profile: Profile, tasks: Sequence[RelPron]) -> Labels:
    """The words of a file, in its order; they are of the counts, whether these have vectors or not."""
    rows = counts.svo.words
    known = Labels([*rows, *(word for word, spelt in counts.alike.items() if spelt in rows and word not in rows)])
    frequent = frequent_nouns(known, counts, profile["beyond.nouns"])
    return Labels(sorted({*frequent, *(word for word in relpron.vocabulary(*tasks) if word in known)}))


def depends(counts: TrainingCounts, profile: Profile) -> dict:
    """What the stored vectors depend on."""
    paths = ("seed", "words", "phrases", "clauses", "spaces.skipgram", "relpron", "beyond.nouns")
    return {"corpus": counts.corpus, "systems": list(LEARNED)} | {path: profile[path] for path in paths}


def store(name: str, rankings: Rankings, counts: TrainingCounts, profile: Profile, tasks: Sequence[RelPron]) -> None:
    """Write the file of `ledger.latest`."""
    vectors = training.with_alike(counts.vectors, counts.alike)
    arrays = {"words": vectors.take(stored_words(counts, profile, tasks)).astype(np.float16)}
    for (system, space, split), ranked in rankings.items():
        if space == "Skip-Gram" and system in (*LEARNED, *TENSORS):
            arrays[f"{system}/{split}"] = ranked.vectors.astype(np.float16)
    ledger.write(name, arrays, depends(counts, profile))


def stored(name: str, counts: TrainingCounts, profile: Profile, tasks: Sequence[RelPron]) -> Trained:
    """Skip-Gram from the committed file, for the words of the data set and the most frequent nouns, without phrases.

    Errors as of `ledger.read`.
    """
    arrays, _ = ledger.read(name, depends(counts, profile), ["words"])
    words, vectors = stored_words(counts, profile, tasks), arrays.pop("words").astype(np.float32)
    if len(vectors) != len(words):
        raise StorageError(ledger.path(name), f"it has {len(vectors)} words, not {len(words)}", ledger.REMEDY)
    composed = {tuple(key.split("/")): rows.astype(np.float64) for key, rows in arrays.items()}
    return Trained("Skip-Gram", Space(words, vectors), {}, composed)


# ----------------------------------------------------------------------------------------------------------- together


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored: both splits, counts, spaces, and every system's ranking."""

    tasks: Sequence[RelPron]
    counts: TrainingCounts
    spaces: Mapping[str, Trained]
    rankings: Rankings


def trained_on(
    counts: TrainingCounts,
    profile: Profile,
    tasks: Sequence[RelPron],
    name: str = NAME,
    systems: Sequence[str] | None = None,
) -> Prepared:
    """Train every space that the counts have, and rank with every system, or these.

    Without vectors in the counts, what skip-gram made is read from the file of this name.
    """
    spaces = training.train_spaces(counts, profile)
    if counts.vectors is None:
        spaces["Skip-Gram"] = stored(name, counts, profile, tasks)
    settings, seed = profile["relpron"], profile["seed"]
    learned = {space: training.train(trained, counts, settings, seed) for space, trained in spaces.items()}
    ranked = rankings(spaces, learned, tasks, systems or tuple(METHODS))
    if not systems:
        skip_gram, model = spaces["Skip-Gram"], learned["Skip-Gram"]
        ranked |= readings(skip_gram, counts, model, tasks, profile, tensors_too=name == NAME)
    return Prepared(tasks, counts, spaces, ranked)


def counts_of_part(
    profile: Profile, tasks: Sequence[RelPron], files: int | None, spaces: Sequence[str]
) -> TrainingCounts:
    """Of the first files of the corpus, or of all, what these spaces need."""
    return gather(wikipedia(files), relpron.vocabulary(*tasks), profile, spaces=spaces)


def of_seed(seed: int, prepared: Prepared, profile: Profile, quick: bool) -> Prepared:
    """Skip-Gram alone, trained with another seed or read."""
    other, name = profile.replace({"seed": seed}), f"{NAME}-{seed}"
    counts = replace(prepared.counts, counts={})
    if not quick:
        counts = counts_of_part(other, prepared.tasks, None, ("Skip-Gram",))
    again = trained_on(counts, other, prepared.tasks, name)
    if not quick:
        store(name, again.rankings, counts, other, prepared.tasks)
    return again
