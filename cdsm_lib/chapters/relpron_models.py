"""Rimell et al. 2016, from corpus to rankings: counts, spaces, what the methods learn in them, every property ranked.

What skip-gram on the whole corpus made of the properties is stored in ``data/models/relpron.npz``, and what it made
with further seeds beside it, for ``make verify``: training takes ten minutes and more, reading none. These files hold
vectors in half precision, in which the chapter ranks them anyway, and no word of the data set: their names are computed
again from the data set and the counts.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.chapters.training_counts import SETTINGS, SPACES, TrainingCounts, cached, gather, load, wikipedia
from cdsm_lib.composition import relative_clause
from cdsm_lib.composition.linear import PairGroups, log_count_weights
from cdsm_lib.composition.relative_clause import RelationalVerbs, RelativeClauseModel, VerbMatrices
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import RelPron
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.reduction import SVD
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

LEARNED = tuple(name for name in (*METHODS, *TEXT, *FURTHER) if name not in LEXICAL)
"""The systems that learn; of them the vectors of the properties are stored."""


@dataclass(frozen=True)
class Trained:
    """A space of words, and in it the holistic vectors of the phrases.

    Attributes
    ----------
    name : str
        "Count", "Count-SVD", "PPMI-SVD" or "Skip-Gram".
    space : Space
        Its rows begin with the words of the counts' phrase tables, in their order.
    phrases : dict of kind to ndarray, shape (phrases, d)
        Rows as in ``TrainingCounts.phrases[kind]``; empty where the paper trains no matrices (Count).
    composed : mapping of (system, split) to ndarray, shape (properties, d)
        Instead of phrases: what the systems that learn made of the properties, if it is stored.
    """

    name: str
    space: Space
    phrases: dict[str, np.ndarray]
    composed: Mapping[tuple[str, str], np.ndarray] = field(default_factory=dict)


TOLERANCE = {"Count": 0.001, "Count-SVD": 0.01, "PPMI-SVD": 0.01, "Skip-Gram": 0.03, "Ensemble": 0.03}
"""How far a recomputed MAP may lie from the committed one.

Counts are exact, so only rounding moves a ranking: .001. An SVD agrees between machines to about six digits, but near
ties change places: .01. Skip-gram's updates follow one another some hundred million times, and a processor that adds in
another order drifts to other vectors of the same quality, as another seed does: .03 is some three standard deviations
over seeds at the smallest size of the learning curve. An ensemble adds its cosines to an SVD's, and moves as it does.
"""


# ------------------------------------------------------------------------------------------------------- the spaces


def svd_space(
    name: str, counts: TrainingCounts, weigh: Callable[..., sparse.csr_array], settings: dict, profile: Profile
) -> Trained:
    """Weighted counts brought to few dimensions; phrases are peripheral rows, weighed by the words' own marginals."""
    table = counts.counts["Count-SVD"]
    weigh = partial(weigh, marginals=weighting.column_marginals(table.matrix))
    core = weigh(table.matrix)
    svd = SVD(min(settings["dimensions"], min(core.shape) - 1), power=settings["power"], seed=profile["seed"]).fit(core)
    phrases = {kind: svd.transform(weigh(c.matrix)) for kind, c in counts.phrase_counts["Count-SVD"].items()}
    words, phrases = stretched(svd.transform(core), phrases, profile["relpron.length"])
    return Trained(name, Space(table.rows, words), phrases)


def stretched(words: np.ndarray, phrases: dict[str, np.ndarray], length: float) -> tuple[np.ndarray, dict]:
    """A space stretched as a whole until its words are `length` long on average.

    No cosine changes by it. But ridge regression weighs its penalty against squared lengths, and those of an SVD are
    arbitrary: stretched alike, the same penalty means the same in every space.
    """
    factor = length / np.linalg.norm(words, axis=1).mean()
    return words * factor, {kind: vectors * factor for kind, vectors in phrases.items()}


def train_spaces(counts: TrainingCounts, profile: Profile) -> dict[str, Trained]:
    """The paper's three spaces and PPMI-SVD, as far as the counts have them; words spelt otherwise get rows too.

    - Count: P(c|t) / P(c) for each word and context word, nothing else (section 5.1.1)
    - Count-SVD: t-test, the heaviest contexts, unit rows, SVD (section 5.1.2)
    - Skip-Gram: word vectors, and phrase vectors trained with the same context vectors (section 5.1.3)
    - PPMI-SVD, not of the paper: PPMI with smoothed context distribution, then SVD (Levy, Goldberg & Dagan 2015)
    """
    settings, ppmi, spaces = profile[SETTINGS["Count-SVD"]], profile["spaces.ppmi_svd"], []

    def weigh(matrix, marginals):
        heaviest = weighting.select_contexts(weighting.ttest(matrix, marginals=marginals), settings["contexts"])
        return weighting.normalise_rows(heaviest)

    if table := counts.counts.get("Count"):
        spaces.append(Trained("Count", Space(table.rows, weighting.ratio(table.matrix), table.columns), {}))
    if "Count-SVD" in counts.counts:
        spaces.append(svd_space("Count-SVD", counts, weigh, settings, profile))
    if counts.vectors is not None:
        spaces.append(Trained("Skip-Gram", counts.vectors, counts.phrase_vectors))
    if "Count-SVD" in counts.counts:
        weigh_ppmi = partial(weighting.ppmi, smoothing=ppmi["smoothing"])
        spaces.append(svd_space("PPMI-SVD", counts, weigh_ppmi, ppmi, profile))
    return {trained.name: replace(trained, space=with_alike(trained.space, counts.alike)) for trained in spaces}


def with_alike(space: Space, alike: dict[str, str]) -> Space:
    """The space with a further row for each word that stands for another; see `cdsm_lib.text.spelling.spelt_alike`."""
    extra = {word: spelt for word, spelt in alike.items() if spelt in space and word not in space}
    if not extra:
        return space
    places = space.rows.encode(extra.values())
    stack = sparse.vstack if space.is_sparse else np.vstack
    vectors = stack([space.vectors, space.vectors[places]])
    return Space(Labels([*space.rows, *extra]), vectors, space.dimensions, space.meta)


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


# ---------------------------------------------------------------------------------------------------------- training


def verb_matrices(trained: Trained, counts: TrainingCounts, settings: dict) -> VerbMatrices:
    """Vs from (subject, holistic subject-verb) pairs, Vo from (object, holistic verb-object) pairs (section 5.2.2).

    Pairs without a holistic vector (a zero row: they met no context) are left out.
    """

    def pairs(kind: str, noun: int) -> PairGroups:
        table, vectors = counts.phrases[kind], trained.phrases[kind]
        rows = np.flatnonzero(vectors.any(axis=1))
        ids, often = table.ids[rows], table.counts[rows]
        verbs, verb_of = np.unique(ids[:, 1 - noun], return_inverse=True)
        labels = Labels(table.words[i] for i in verbs)
        return PairGroups(labels, verb_of, trained.space.vectors, ids[:, noun], vectors, rows, often)

    options = {"penalty": settings["verb_penalty"]} | {name: settings[name] for name in ("weighting", "min_pairs")}
    return relative_clause.learn_verb_matrices(pairs("subject", 0), pairs("object", 1), **options)


def clause_training(trained: Trained, counts: TrainingCounts, verbs: VerbMatrices, kind: str, settings: dict):
    """Head nouns, verb-argument vectors and holistic vectors of relative clauses, with weights (section 5.5).

    The verb-argument vector is composed (Vo arg, Vs arg: the authors' code) or, with ``holistic = true``, the pair's
    own holistic vector (the text). Clauses whose verb has no matrix, or whose pair no vector, are left out, and so
    are those that have no vector themselves (a zero row: they met no context).

    Returns
    -------
    hn, v_arg, rc : ndarray, shape (n, d)
    weights : ndarray, shape (n,)
    """
    table, vectors, role = counts.phrases[kind], trained.space.vectors, "object" if kind == "SBJ" else "subject"
    hn, verb, argument = table.ids.T
    usable = trained.phrases[kind].any(axis=1)
    if settings["holistic"]:
        pairs, holistic = counts.phrases[role].ids, trained.phrases[role]
        place = {pair: i for i, pair in enumerate(map(tuple, pairs.tolist()))}
        asked = (verb, argument) if role == "object" else (argument, verb)
        pair = np.array([place.get(key, -1) for key in map(tuple, np.stack(asked, axis=1).tolist())], dtype=int)
        usable &= (pair >= 0) & holistic.any(axis=1)[pair]
        v_arg = holistic[pair[usable]]
    else:
        known = {"subject": verbs.subject_verbs, "object": verbs.object_verbs}[role]
        usable &= np.array([table.words[i] in known for i in verb], dtype=bool)
        Vs, Vo = verbs.of([table.words[i] for i in verb[usable]], missing="raise")
        v_arg = {"subject": Vs, "object": Vo}[role] @ vectors[argument[usable]]
    weights = log_count_weights(table.counts[usable] + settings["add_to_clause_count"], settings["weighting"])
    return vectors[hn[usable]], v_arg, trained.phrases[kind][usable], weights


def heaviest_clauses(training: tuple[np.ndarray, ...], limit: int, seed: int) -> tuple[np.ndarray, ...]:
    """What the tensor learns from: all clauses, or the `limit` of greatest weight, drawn by lot among equals.

    All of them if they are more than the d^2 products of the components, which then are the equations to solve (10,201
    in 101 dimensions take 0.8 GB). Else there are as many equations as clauses, and the limit bounds them.
    """
    hn, weights = training[0], training[-1]
    if len(weights) > hn.shape[1] ** 2:
        return training
    lot = np.random.default_rng(seed).permutation(len(weights))
    heaviest = np.sort(np.lexsort((lot, -weights))[:limit])
    return tuple(column[heaviest] for column in training)


def relational_verbs(trained: Trained, counts: TrainingCounts, settings: dict) -> RelationalVerbs:
    """Subject-object pairs of each verb, unweighted: seen twice, of nouns that are not too rare (section 5.2.1)."""
    svo, words = counts.svo, counts.svo.words
    frequency = np.array([counts.frequency[word] for word in words])
    nouns = np.array([word.endswith("|NOUN") for word in words]) & (frequency >= settings["relational_noun_count"])
    usable = nouns[svo.ids[:, [0, 2]]].all(axis=1) & (svo.counts >= settings["relational_pair_count"])
    subject, verb, object_ = svo.ids[usable].T
    verbs, verb_of = np.unique(verb, return_inverse=True)
    return RelationalVerbs(Labels(words[i] for i in verbs), verb_of, trained.space.vectors, subject, object_)


def train(trained: Trained, counts: TrainingCounts, settings: dict, seed: int = 0) -> RelativeClauseModel:
    """Everything that the methods of the paper learn in one space."""
    relational = relational_verbs(trained, counts, settings)
    model = RelativeClauseModel(relational=relational, missing=settings["missing"])
    if not trained.phrases:
        return model
    verbs, clauses = verbs_and_clauses(trained, counts, settings)
    tensor = partial(relative_clause.learn_rptensor, penalty=settings["tensor_penalty"])
    tensors = (tensor(*heaviest_clauses(training, settings["tensor_clauses"], seed)) for training in clauses)
    return replace(model, verbs=verbs, fplf=pronouns(clauses, settings), tensors=tuple(tensors))


def verbs_and_clauses(trained: Trained, counts: TrainingCounts, settings: dict) -> tuple[VerbMatrices, list[tuple]]:
    """Verb matrices, and what the pronoun of subject and of object clauses is learned from."""
    verbs = verb_matrices(trained, counts, settings)
    return verbs, [clause_training(trained, counts, verbs, kind, settings) for kind in ("SBJ", "OBJ")]


def pronouns(clauses: Sequence[tuple], settings: dict) -> tuple:
    """FPLF's matrices of the relative pronoun, for subject and for object clauses (section 5.5)."""
    learn = partial(relative_clause.learn_fplf, penalty=settings["fplf_penalty"], joint=settings["joint"])
    return tuple(learn(*training) for training in clauses)


def from_identity(trained: Trained, counts: TrainingCounts, model: RelativeClauseModel, settings: dict):
    """The model with FPLF's matrices drawn to the identity, where FPLF is SPLF: ridge regression of the clause less
    h + c, and the identity added to what it finds.
    """
    _, clauses = verbs_and_clauses(trained, counts, settings)
    rest = pronouns([(hn, v_arg, rc - hn - v_arg, weights) for hn, v_arg, rc, weights in clauses], settings)
    return replace(model, fplf=tuple(tuple(R + np.eye(len(R)) for R in pair) for pair in rest))


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
    composed = model.compose((METHODS | TEXT | FURTHER)[system], verbs=verbs, orc=orc, **parts)
    vectors = halved(composed.vectors) if trained.phrases and system in LEARNED else composed.vectors
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
    trained: Trained, counts: TrainingCounts, model: RelativeClauseModel, tasks: Sequence[RelPron], profile: Profile
) -> Rankings:
    """The systems of `TEXT` and `FURTHER`."""
    name, settings, text, further = trained.name, profile["relpron"], model, model
    if not trained.composed:
        text = train(trained, counts, settings | TEXT_READING, profile["seed"])
        further = from_identity(trained, counts, model, settings)
    text_ranked = rankings({name: trained}, {name: text}, tasks, tuple(TEXT))
    return text_ranked | rankings({name: trained}, {name: further}, tasks, tuple(FURTHER))


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
    vectors = with_alike(counts.vectors, counts.alike)
    arrays = {"words": vectors.take(stored_words(counts, profile, tasks)).astype(np.float16)}
    for (system, space, split), ranked in rankings.items():
        if space == "Skip-Gram" and system in LEARNED:
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
    spaces = train_spaces(counts, profile)
    if counts.vectors is None:
        spaces["Skip-Gram"] = stored(name, counts, profile, tasks)
    settings, seed = profile["relpron"], profile["seed"]
    learned = {space: train(trained, counts, settings, seed) for space, trained in spaces.items()}
    ranked = rankings(spaces, learned, tasks, systems or tuple(METHODS))
    if not systems:
        ranked |= readings(spaces["Skip-Gram"], counts, learned["Skip-Gram"], tasks, profile)
    return Prepared(tasks, counts, spaces, ranked)


def skip_gram_counts(profile: Profile, tasks: Sequence[RelPron], files: int | None = None) -> TrainingCounts:
    """Of the whole corpus, or of its first files."""
    return gather(wikipedia(files), relpron.vocabulary(*tasks), profile, spaces=("Skip-Gram",))


def of_seed(seed: int, prepared: Prepared, profile: Profile, quick: bool) -> Prepared:
    """Skip-Gram alone, trained with another seed or read."""
    other, name = profile.replace({"seed": seed}), f"{NAME}-{seed}"
    counts = replace(prepared.counts, counts={}) if quick else skip_gram_counts(other, prepared.tasks)
    again = trained_on(counts, other, prepared.tasks, name)
    if not quick:
        store(name, again.rankings, counts, other, prepared.tasks)
    return again
