"""Rimell et al. 2016, from materials to figures: three spaces, every method, both splits, every view of the paper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from cdsm_lib.chapters import distil
from cdsm_lib.chapters.training_counts import SETTINGS, Materials, cached, gather, load, wikipedia
from cdsm_lib.composition.linear import PairGroups, log_count_weights
from cdsm_lib.composition.relative_clause import (
    RelationalVerbs,
    RelativeClauseModel,
    VerbMatrices,
    learn_fplf,
    learn_rptensor,
    learn_verb_matrices,
)
from cdsm_lib.evaluation.results import (
    Claim,
    Result,
    published_rimell2016,
    verdict_all,
    verdict_equivalent,
    verdict_greater,
    verdict_within,
)
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
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


@dataclass(frozen=True)
class Trained:
    """A space of words, and in it the holistic vectors of the phrases.

    Attributes
    ----------
    name : str
        "Count", "Count-SVD" or "Skip-Gram".
    space : Space
        Its rows begin with the words of the materials' phrase tables, in their order.
    phrases : dict of kind to ndarray, shape (phrases, d)
        Rows as in ``Materials.phrases[kind]``; empty where the paper trains no matrices (Count).
    """

    name: str
    space: Space
    phrases: dict[str, np.ndarray]


# ------------------------------------------------------------------------------------------------------- the spaces


def count_space(materials: Materials) -> Trained:
    """Count: P(c|t) / P(c) for each word and context word, nothing else (section 5.1.1)."""
    counts = materials.counts["Count"]
    return Trained("Count", Space(counts.rows, weighting.ratio(counts.matrix), counts.columns), {})


def count_svd_space(materials: Materials, profile: Profile) -> Trained:
    """Count-SVD: t-test, the heaviest contexts, unit rows, SVD (section 5.1.2); phrases are peripheral rows."""
    settings = profile[SETTINGS["Count-SVD"]]
    counts = materials.counts["Count-SVD"]
    marginals = weighting.column_marginals(counts.matrix)

    def weigh(matrix):
        heaviest = weighting.select_contexts(weighting.ttest(matrix, marginals=marginals), settings["contexts"])
        return weighting.normalise_rows(heaviest, return_zero=True)[0]

    core = weigh(counts.matrix)
    svd = SVD(min(settings["dimensions"], min(core.shape) - 1), power=settings["power"], seed=profile["seed"]).fit(core)
    phrases = {kind: svd.transform(weigh(c.matrix)) for kind, c in materials.phrase_counts["Count-SVD"].items()}
    words, phrases = stretched(svd.transform(core), phrases, profile["relpron.length"])
    return Trained("Count-SVD", Space(counts.rows, words), phrases)


def stretched(words: np.ndarray, phrases: dict[str, np.ndarray], length: float) -> tuple[np.ndarray, dict]:
    """A space stretched as a whole until its words are `length` long on average.

    No cosine changes by it. But ridge regression weighs its penalty against squared lengths, and those of an SVD are
    arbitrary: stretched alike, the same penalty means the same in every space.
    """
    factor = length / np.linalg.norm(words, axis=1).mean()
    return words * factor, {kind: vectors * factor for kind, vectors in phrases.items()}


def skip_gram_space(materials: Materials) -> Trained:
    """Skip-Gram: word vectors, and phrase vectors trained with the same context vectors (section 5.1.3)."""
    return Trained("Skip-Gram", materials.vectors, materials.phrase_vectors)


def train_spaces(materials: Materials, profile: Profile) -> dict[str, Trained]:
    """The paper's three spaces, as far as the materials have them; words spelt otherwise get rows of their own."""
    made = []
    if "Count" in materials.counts:
        made.append(count_space(materials))
    if "Count-SVD" in materials.counts:
        made.append(count_svd_space(materials, profile))
    if materials.vectors is not None:
        made.append(skip_gram_space(materials))
    return {trained.name: replace(trained, space=with_alike(trained.space, materials.alike)) for trained in made}


def with_alike(space: Space, alike: dict[str, str]) -> Space:
    """The space with a further row for each word that stands for another; see `materials.spelt_alike`."""
    extra = {word: own for word, own in alike.items() if own in space and word not in space}
    if not extra:
        return space
    places = space.rows.encode(extra.values())
    stack = sparse.vstack if space.is_sparse else np.vstack
    vectors = stack([space.vectors, space.vectors[places]])
    return Space(Labels([*space.rows, *extra]), vectors, space.dimensions, space.meta)


# ---------------------------------------------------------------------------------------------------------- training


def verb_matrices(trained: Trained, materials: Materials, settings: dict) -> VerbMatrices:
    """Vs from (subject, holistic subject-verb) pairs, Vo from (object, holistic verb-object) pairs (section 5.2.2).

    Pairs without a holistic vector (a zero row: they met no context) are left out.
    """

    def pairs(kind: str, noun: int) -> PairGroups:
        table, vectors = materials.phrases[kind], trained.phrases[kind]
        rows = np.flatnonzero(vectors.any(axis=1))
        ids, counts = table.ids[rows], table.counts[rows]
        verbs, verb_of = np.unique(ids[:, 1 - noun], return_inverse=True)
        labels = Labels(table.words[i] for i in verbs)
        return PairGroups(labels, verb_of, trained.space.vectors, ids[:, noun], vectors, rows, counts)

    return learn_verb_matrices(
        pairs("subject", 0),
        pairs("object", 1),
        penalty=settings["verb_penalty"],
        weighting=settings["weighting"],
        min_pairs=settings["min_pairs"],
    )


def clause_training(trained: Trained, materials: Materials, verbs: VerbMatrices, kind: str, settings: dict):
    """Head nouns, verb-argument vectors and holistic vectors of relative clauses, with weights (section 5.5).

    The verb-argument vector is composed (Vo arg, Vs arg: the authors' code) or, with ``holistic = true``, the pair's
    own holistic vector (the text). Clauses whose verb has no matrix, or whose pair no vector, are left out, and so
    are those that have no vector themselves (a zero row: they met no context).

    Returns
    -------
    hn, v_arg, rc : ndarray, shape (n, d)
    weights : ndarray, shape (n,)
    """
    table, vectors = materials.phrases[kind], trained.space.vectors
    hn, verb, argument = table.ids.T
    heard = trained.phrases[kind].any(axis=1)
    if settings["holistic"]:
        pairs = materials.phrases["object" if kind == "SBJ" else "subject"]
        order = [1, 0] if kind == "SBJ" else [0, 1]
        place = {(noun, of): i for i, (noun, of) in enumerate(pairs.ids[:, order].tolist())}
        pair = np.array([place.get(key, -1) for key in zip(argument.tolist(), verb.tolist(), strict=True)], dtype=int)
        holistic = trained.phrases["object" if kind == "SBJ" else "subject"]
        kept = heard & (pair >= 0) & holistic.any(axis=1)[pair]
        v_arg = holistic[pair[kept]]
    else:
        known = verbs.object_verbs if kind == "SBJ" else verbs.subject_verbs
        names = [table.words[i] for i in verb]
        kept = heard & np.array([name in known for name in names], dtype=bool)
        Vs, Vo = verbs.of([name for name, keep in zip(names, kept, strict=True) if keep], missing="raise")
        v_arg = (Vo if kind == "SBJ" else Vs) @ vectors[argument[kept]]
    weights = log_count_weights(table.counts[kept] + settings["add_to_clause_count"], settings["weighting"])
    return vectors[hn[kept]], v_arg, trained.phrases[kind][kept], weights


def heaviest_clauses(training: tuple[np.ndarray, ...], limit: int, seed: int) -> tuple[np.ndarray, ...]:
    """The `limit` clauses of greatest weight, drawn by lot among equals: what bounds the tensor's system of equations.

    The dual system has as many equations as there are clauses, so 8,000 take half a gigabyte and ten seconds.
    """
    weights = training[-1]
    lot = np.random.default_rng(seed).permutation(len(weights))
    chosen = np.sort(np.lexsort((lot, -weights))[:limit])
    return tuple(column[chosen] for column in training)


def relational_verbs(trained: Trained, materials: Materials, settings: dict) -> RelationalVerbs:
    """Subject-object pairs of each verb, unweighted: seen twice, of nouns that are not too rare (section 5.2.1)."""
    svo, words = materials.svo, materials.svo.words
    frequency = np.array([materials.frequency[word] for word in words])
    nouns = np.array([word.endswith("|NOUN") for word in words]) & (frequency >= settings["relational_noun_count"])
    kept = nouns[svo.ids[:, [0, 2]]].all(axis=1) & (svo.counts >= settings["relational_pair_count"])
    subject, verb, object_ = svo.ids[kept].T
    verbs, verb_of = np.unique(verb, return_inverse=True)
    return RelationalVerbs(Labels(words[i] for i in verbs), verb_of, trained.space.vectors, subject, object_)


def train(trained: Trained, materials: Materials, settings: dict, seed: int = 0) -> RelativeClauseModel:
    """Everything that the methods of the paper learn in one space."""
    relational = relational_verbs(trained, materials, settings)
    if not trained.phrases:
        return RelativeClauseModel(relational=relational, missing=settings["missing"])
    verbs = verb_matrices(trained, materials, settings)
    pronouns, tensors = [], []
    for kind in ("SBJ", "OBJ"):
        training = clause_training(trained, materials, verbs, kind, settings)
        pronouns.append(learn_fplf(*training, penalty=settings["fplf_penalty"], joint=settings["joint"]))
        heaviest = heaviest_clauses(training, settings["tensor_clauses"], seed)
        tensors.append(learn_rptensor(*heaviest, penalty=settings["tensor_penalty"]))
    return RelativeClauseModel(verbs, relational, tuple(pronouns), tuple(tensors), settings["missing"])


# -------------------------------------------------------------------------------------------------------- evaluation


@dataclass(frozen=True)
class Ranking:
    """What one system makes of one split.

    Attributes
    ----------
    system, space : str
    task : RelPron
    similarity : ndarray, shape (terms, properties)
    lacking : dict
        {(verb, role): properties} whose formula lacked this matrix.
    coverage : Coverage
    """

    system: str
    space: str
    task: relpron.RelPron
    similarity: np.ndarray
    lacking: dict[tuple[str, str], int]
    coverage: relpron.Coverage

    @cached_property
    def scores(self) -> relpron.Scores:
        """Average precision of each term, and MAP."""
        return relpron.score(self.similarity, self.task, missing_terms="omit", coverage=self.coverage)


def rank(trained: Trained, model: RelativeClauseModel, task: relpron.RelPron, system: str) -> Ranking:
    """Compose every property of a split and compare it with every term."""
    words = relpron.look_up(task, trained.space)
    parts = {"hn": words.head, "v": words.verb, "arg": words.argument}
    if system == "Mult":  # an unknown word must not wipe out the known ones
        known = {"hn": words.known["head"], "v": words.known["verb"], "arg": words.known["argument"]}
        some = np.any(list(known.values()), axis=0)  # where all words are unknown, nothing is left: no vector
        parts = {name: np.where((known[name] | ~some)[:, None], vectors, 1) for name, vectors in parts.items()}
    verbs, orc = relpron.labels(task)["verb"], task.functions == "OBJ"
    composed = model.compose(METHODS[system], verbs=verbs, orc=orc, **parts)
    similarity = relpron.cosines(words.term, composed.vectors)
    return Ranking(system, trained.name, task, similarity, composed.missing, words.coverage)


def rankings(
    spaces: dict[str, Trained],
    models: dict[str, RelativeClauseModel],
    tasks: Iterable[relpron.RelPron],
    systems: Sequence[str] = tuple(METHODS),
) -> dict[tuple[str, str, str], Ranking]:
    """Every system on every space and split that it can be had on, by (system, space, split)."""
    found = {}
    for task in tasks:
        for name, trained in spaces.items():
            for system in systems:
                if trained.phrases or system in WORDS_ONLY:
                    found[system, name, task.split] = rank(trained, models[name], task, system)
    return found


# ----------------------------------------------------------------------------------------------------------- figures

TABLE_6 = ("SPLF", "Addition", "PLF", "FPLF", "RPTensor", "VArg", "Vhn")
ANALYSED = ("SPLF", "Addition", "FPLF", "VArg")
"""The systems of the paper's error analysis (section 7)."""

CURVE = ("Addition", "PLF", "SPLF", "FPLF", "RPTensor")

TOLERANCE = {"Count": 0.001, "Count-SVD": 0.01, "PPMI-SVD": 0.01, "Skip-Gram": 0.03, "Ensemble": 0.03}
"""How far a recomputed MAP may lie from the committed one.

Counts are exact, so only rounding moves a ranking: .001. An SVD agrees between machines to about six digits, but near
ties change places: .01. Skip-gram's updates follow one another some hundred million times, and a processor that adds in
another order drifts to other vectors of the same quality, as another seed does: .03 is some three standard deviations
over seeds at the smallest size of the learning curve.
"""


def _of_items(ranking: Ranking, metric: str, values: np.ndarray, scale: float = 1.0) -> Result:
    return Result.of_items(
        values, system=ranking.system, space=ranking.space, dataset=ranking.task.name, split=ranking.task.split,
        metric=metric, published=_published(ranking, metric), tolerance=scale * _tolerance(ranking.space),
    )  # fmt: skip


def _published(ranking: Ranking, metric: str) -> float | None:
    """The paper's figure: of RELPRON; the teaching set is another task, and what it shows has no published value."""
    if ranking.task.name != "relpron":
        return None
    return published_rimell2016(ranking.system, ranking.space, ranking.task.split, metric)


def _tolerance(space: str) -> float:
    return TOLERANCE[space]


def main_results(ranked: Iterable[Ranking]) -> list[Result]:
    """MAP of every ranking (Tables 5 and 6), with its bootstrap interval over terms."""
    return [_of_items(ranking, "MAP", ranking.scores.ap) for ranking in ranked]


def view_results(ranking: Ranking) -> list[Result]:
    """Every other view of the paper on one ranking (Tables 7 to 11)."""
    similarity, task, omit = ranking.similarity, ranking.task, {"missing_terms": "omit"}
    # a view of one head noun or one function is a mean of few terms and moves more than the mean of all: three times
    found = []
    for function, scores in relpron.by_function(similarity, task, **omit).items():
        if len(scores.ap):
            found.append(_of_items(ranking, f"MAP {function}", scores.ap, 3))
    for restricted, name in ((False, "MAP of head noun"), (True, "MAP within head noun")):
        views = relpron.by_head_noun(similarity, task, restricted=restricted, **omit)
        found += [_of_items(ranking, f"{name} {head}", s.ap, 3) for head, s in views.items() if len(s.ap)]
        found.append(_of_items(ranking, f"{name}: mean", np.concatenate([s.ap for s in views.values()])))
    share = relpron.top_ten_share(similarity, task, **omit)
    heads = np.array([head for term, head in zip(task.terms, task.head_of, strict=True) if term in share.terms])
    found += [_of_items(ranking, f"top-ten share {h}", share.share[heads == h], 3) for h in share.by_head_noun]
    found.append(_of_items(ranking, "top-ten share", share.share))
    queries = relpron.property_queries(similarity, task, **omit)
    found.append(_of_items(ranking, "MRR of properties", queries.reciprocal_rank))
    found.append(_of_items(ranking, "mean rank of the term", queries.rank, 20))  # ranks run to 65 or 73, not to 1
    return found


def claims(ranked: dict[tuple[str, str, str], Ranking], seed: int) -> list[Claim]:
    """What the paper concludes, each sentence tested on the terms."""

    part = {"id": "part", "text": "one part of a claim"}  # verdict_all gives the whole its own

    def ap(system: str, split: str = "dev", space: str = "Skip-Gram") -> np.ndarray:
        return ranked[system, space, split].scores.ap

    def greater(a: str, b: str, split: str = "dev", space: str = "Skip-Gram", margin: float = 0.0) -> Claim:
        names = (f"{a} ({space}, {split})", b)
        return verdict_greater(ap(a, split, space), ap(b, split, space), names=names, margin=margin, seed=seed, **part)

    def equal(a: str, b: str, split: str = "dev", space: str = "Skip-Gram") -> Claim:
        names = (f"{a} ({space}, {split})", b)
        return verdict_equivalent(ap(a, split, space), ap(b, split, space), names=names, seed=seed, **part)

    spaces = [name for name in ("Count", "Count-SVD", "Skip-Gram") if ("Addition", name, "dev") in ranked]
    dense = [name for name in spaces if name != "Count"]
    splits = ("dev", "test")
    others = [name for name in WORDS_ONLY if name != "Addition"]
    rivals = {s: max(others, key=lambda name: ranked[name, s, "dev"].scores.map) for s in spaces}
    splf, fplf = ranked["SPLF", "Skip-Gram", "dev"], ranked["FPLF", "Skip-Gram", "dev"]
    share = relpron.top_ten_share(splf.similarity, splf.task, missing_terms="omit")
    by_function = relpron.by_function(fplf.similarity, fplf.task, missing_terms="omit")
    both = [term for term in by_function["SBJ"].terms if term in by_function["OBJ"].terms]
    queries = [
        relpron.property_queries(ranked[s, "Skip-Gram", "dev"].similarity, ranked[s, "Skip-Gram", "dev"].task,
                                 missing_terms="omit")
        for s in ("SPLF", "Addition", "FPLF")
    ]  # fmt: skip
    return [
        verdict_all(
            [greater("Addition", rivals[s], space=s) for s in spaces],
            id="addition-best-baseline",
            text="On every kind of vectors Addition is the best of the lexical and arithmetic methods and Frobenius.",
            published="Addition .386, .442, .496; the next .364, .425, .450 (Table 5, dev)",
        ),
        verdict_all(
            [equal("SPLF", "Addition", split) for split in splits],
            id="splf-matches-addition",
            text="SPLF matches Addition.",
            published="dev .496 and .496, test .497 and .472, not significant (Table 6)",
        ),
        verdict_all(
            [greater("SPLF", "PLF", split) for split in splits],
            id="plf-below-splf",
            text="PLF, which treats the relative clause like a sentence, is below SPLF.",
            published="dev .444 and .496, test .433 and .497 (Table 6)",
        ),
        verdict_all(
            [greater(name, "FPLF", split) for split in splits for name in ("SPLF", "Addition", "PLF")],
            id="fplf-below-the-simple",
            text="FPLF, which learns the relative pronoun as two matrices, is below SPLF, Addition and PLF.",
            published="dev .405, test .387 (Table 6)",
        ),
        verdict_all(
            [greater("FPLF", "RPTensor", split) for split in splits],
            id="tensor-below-fplf",
            text="The full tensor of the relative pronoun is below FPLF: it has too little to learn from.",
            published="dev .380 and .405, test .354 and .387 (Table 6)",
        ),
        replace(
            greater("PLF", "VArg", "test"),
            id="head-noun-contributes",
            text="The head noun contributes to composition: on test PLF is above VArg.",
            published="test .433 and .397, significant (Table 6)",
        ),
        verdict_all(
            [greater("VArg", "Vhn", split, margin=0.1) for split in splits],
            id="vhn-far-below",
            text="Vhn is far below VArg (by more than .1).",
            published="dev .219 and .448, test .204 and .397 (Table 6)",
        ),
        replace(
            equal("Mult", "Addition", space="Count"),
            id="mult-works-on-counts",
            text="Multiplication does almost as well as Addition on plain counts.",
            published="dev .364 and .386 (Table 5)",
        ),
        verdict_all(
            [greater("Addition", "Mult", space=s, margin=0.1) for s in dense],
            id="mult-fails-when-dense",
            text="Multiplication fails on dense vectors (more than .1 below Addition).",
            published="dev .123 and .442 (Count-SVD), .181 and .496 (Skip-Gram) (Table 5)",
        ),
        verdict_all(
            [greater("Addition", "Frobenius", space=s, margin=0.1) for s in dense],
            id="frobenius-fails-when-dense",
            text="Frobenius fails on dense vectors (more than .1 below Addition).",
            published="dev .023 (Count-SVD), .030 (Skip-Gram) (Table 5)",
        ),
        verdict_all(
            [greater("arg", "verb", space=s) for s in spaces],
            id="argument-beats-verb",
            text="The argument alone tells more than the verb alone.",
            published="dev .272 and .138, .386 and .179, .347 and .176 (Table 5)",
        ),
        verdict_within(
            share.share, 0.7, 0.9, name="SPLF (Skip-Gram, dev): share", seed=seed,
            id="eight-of-ten",
            text="About eight of the ten best properties have the right head noun (.7 to .9).",
            published="nearly .8 overall for SPLF, Addition and FPLF (section 7.3; Table 9 is lost)",
        ),
        verdict_greater(
            [by_function["SBJ"].of(term) for term in both], [by_function["OBJ"].of(term) for term in both],
            names=("FPLF on subject properties (dev)", "on object properties"), seed=seed,
            id="fplf-worse-on-objects",
            text="FPLF is worse on object than on subject properties: there are fewer object clauses to learn from.",
            published="dev .570 and .428 (Table 7)",
        ),
        verdict_all(
            [
                verdict_within(q.reciprocal_rank, 0.4, 0.67, name=f"{name} (Skip-Gram, dev): MRR", seed=seed, **part)
                for name, q in zip(("SPLF", "Addition", "FPLF"), queries, strict=True)
            ],
            id="term-at-rank-two",
            text="With properties as queries the right term stands at about rank two for every method (MRR .4 to .67).",
            published="about rank two (section 7.4; Table 11 is lost)",
        ),
    ]  # fmt: skip


def tasks_of(profile: Profile) -> list[relpron.RelPron]:
    """Both splits of the profile's data set."""
    return [relpron.load(profile["relpron.dataset"], split) for split in ("dev", "test")]


def materials_of(profile: Profile, tasks: Sequence[relpron.RelPron], *, afresh: bool = False) -> Materials:
    """The sample's materials are distilled; the full profile's are gathered from the corpus, and kept in the cache.

    Parameters
    ----------
    afresh : bool
        Gather them anew, whatever the cache holds.
    """
    if profile.name == "sample":
        return load(distil.folder())
    terms = [f"{term}|NOUN" for task in tasks for term in task.terms]
    corpus = wikipedia(profile.get("corpus.files"))
    return (gather if afresh else cached)(corpus, relpron.vocabulary(*tasks), profile, terms=terms)


def run_spaces(
    materials: Materials,
    profile: Profile,
    tasks: Sequence[relpron.RelPron],
    systems: Sequence[str] = tuple(METHODS),
) -> dict[tuple[str, str, str], Ranking]:
    """Train every space that the materials have and rank with every system."""
    spaces = train_spaces(materials, profile)
    models = {name: train(trained, materials, profile["relpron"], profile["seed"]) for name, trained in spaces.items()}
    return rankings(spaces, models, tasks, systems)
