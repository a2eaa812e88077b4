"""Rimell et al. 2016, what is learned: the spaces of words and phrases, and in them verbs' matrices and the pronoun's.

`cdsm_lib.chapters.relpron_models` composes and ranks with what is learned here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy import sparse

from cdsm_lib.chapters.training_counts import SETTINGS, TrainingCounts
from cdsm_lib.composition import relative_clause
from cdsm_lib.composition.linear import PairGroups, log_count_weights
from cdsm_lib.composition.relative_clause import RelationalVerbs, RelativeClauseModel, VerbMatrices
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.space import Space


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
    vectors = (sparse.vstack if space.is_sparse else np.vstack)([space.vectors, space.vectors[places]])
    return Space(Labels([*space.rows, *extra]), vectors, space.dimensions, space.meta)


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
    model = RelativeClauseModel(relational=relational_verbs(trained, counts, settings), missing=settings["missing"])
    if not trained.phrases:
        return model
    verbs, clauses = verbs_and_clauses(trained, counts, settings)
    learned = {"fplf": pronouns(clauses, settings), "tensors": tensors(clauses, settings, seed)}
    return replace(model, verbs=verbs, **learned)


def verbs_and_clauses(trained: Trained, counts: TrainingCounts, settings: dict) -> tuple[VerbMatrices, list[tuple]]:
    """Verb matrices, and what the pronoun of subject and of object clauses is learned from."""
    verbs = verb_matrices(trained, counts, settings)
    return verbs, [clause_training(trained, counts, verbs, kind, settings) for kind in ("SBJ", "OBJ")]


def pronouns(clauses: Sequence[tuple], settings: dict) -> tuple:
    """FPLF's matrices of the relative pronoun, for subject and for object clauses (section 5.5)."""
    learn = partial(relative_clause.learn_fplf, penalty=settings["fplf_penalty"], joint=settings["joint"])
    return tuple(learn(*training) for training in clauses)


def tensors(clauses: Sequence[tuple], settings: dict, seed: int) -> tuple[np.ndarray, ...]:
    """RPTensor's tensors of the relative pronoun, likewise."""
    learn = partial(relative_clause.learn_rptensor, penalty=settings["tensor_penalty"])
    return tuple(learn(*heaviest_clauses(training, settings["tensor_clauses"], seed)) for training in clauses)


def from_identity(clauses: Sequence[tuple], model: RelativeClauseModel, settings: dict) -> RelativeClauseModel:
    """The model with FPLF's matrices drawn to the identity, where FPLF is SPLF: ridge regression of the clause less
    h + c, and the identity added to what it finds.
    """
    rest = pronouns([(hn, v_arg, rc - hn - v_arg, weights) for hn, v_arg, rc, weights in clauses], settings)
    identity = np.eye(len(rest[0][0]))
    return replace(model, fplf=tuple((head + identity, clause + identity) for head, clause in rest))
