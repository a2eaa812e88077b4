"""Buljan et al. 2018: lexical substitution in ANVAN phrases, every system in every way, and why they rank as they do.

What a system gives to the candidates of all targets is a *ranking*, float64 [pairs of the task], known by system and
space.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.substitution_models import C2V, CDSMS, SPACE, SYSTEMS, Bigrams, Trained, Words
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.evaluation import ledger, significance
from cdsm_lib.evaluation.claims import evaluate, mean_of
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores
from cdsm_lib.evaluation.verdicts import Test, across
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import POSITIONS, Substitution
from cdsm_lib.tasks.task import Task, Vocabulary
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows

LISTED_IN = "context2vec"
"""The space of context2vec's figures when it generates a list of substitutes, as in the paper."""
ALL_SCORED = "context2vec, all candidates scored"
UNIT = f"{SPACE}, unit words"

PARTS = {**{name: (i,) for i, name in enumerate(POSITIONS)}, "adjectives": (0, 3), "nouns": (1, 4)}
"""The parts of a data set that have figures of their own, and their positions; a modifying noun is in neither."""

TOLERANCE = {"all": 0.01, "part": 0.03}
"""How far a recomputed figure may lie from the committed one.

An SVD agrees between machines to about six digits, but near ties change places: .01 for a mean over all targets, three
times as much, .03, for one position.
"""

Rankings = dict[tuple[str, str], np.ndarray]


# ----------------------------------------------------------------------------------------------------- the materials


@dataclass(frozen=True)
class Prepared:
    """What is constructed and counted before anything is ranked.

    Attributes
    ----------
    profile : Profile
    construction : Construction
        ANVAN-LS, or the teaching set's sentences put through the same steps in this run's space.
    items : Substitution
        The data set: what was constructed; or the teaching set as it is committed.
    words, trained, bigrams
        What was counted, and the space.
    """

    profile: Profile
    construction: anvan.Construction
    items: Substitution
    words: Words
    trained: Trained
    bigrams: dict[str, Bigrams]

    @cached_property
    def task(self) -> Task:
        """The data set as a task over the words of the space."""
        return lexical_substitution.task(self.items, Vocabulary(self.trained.space.rows))

    @cached_property
    def model(self) -> PracticalLexicalFunction:
        """PLF's matrices."""
        return models.practical(self.trained, self.bigrams, self.profile["lexical_substitution"])

    @cached_property
    def substitutes(self) -> Rankings:
        """context2vec's rankings, with and without its list."""
        return by_context2vec(context2vec.load(), self.items, self.profile["lexical_substitution.listed"])


def prepare(profile: Profile, original: Profile | None = None) -> Prepared:
    """Count and train the space, construct the data set in it, and count the bigrams of its predicates.

    Parameters
    ----------
    profile : Profile
    original : Profile, optional
        In the full profile the data set is constructed with these settings, and stays as it is while `profile` has
        another corpus, window or number of dimensions; the space is then trained anew. (In the sample profile the data
        set is committed.)

    Raises
    ------
    DataError
        If a word of the data set has no vector. With a corpus of one's own its items are left out, if any remain.
    """
    settings, seed, original = profile["lexical_substitution"], profile["seed"], original or profile
    if settings["dataset"] == "anvan_ls":
        corpus = wikipedia()
        words, trained, construction = models.from_coinco(corpus, original["lexical_substitution"], original["seed"])
        items = construction.task
        if profile.settings != original.settings:
            corpus = wikipedia(profile.get("corpus.files"))
            words = models.gather_words(corpus, lexical_substitution.vocabulary(items), settings)
            trained = models.train_space(words, settings, seed)
        bigrams = models.gather_bigrams(corpus, words, models.predicates_in(items), settings)
    else:
        words, bigrams = models.load(datasets.distilled_folder())
        trained = models.train_space(words, settings, seed)
        construction = models.construct_mini(words, trained.space)
        items = lexical_substitution.load(settings["dataset"])
    without = models.without_vector(items, trained.space)
    if without and datasets.own_profile():
        whole = (item for item in items.items if not {*item.phrase.words, *item.candidates} & {*without})
        items = Substitution(items.name, tuple(whole))
    if without and not (datasets.own_profile() and len(items)):
        remedy = "see where its counts come from, or read more of the corpus"
        raise datasets.DataError(f"words of {items.name} without a vector: {', '.join(without)}; {remedy}")
    return Prepared(profile, construction, items, words, trained, bigrams)


# ------------------------------------------------------------------------------------------------------ the rankings


def compositional(prepared: Prepared, similarity: str = "dot") -> Rankings:
    """Every compositional system with one similarity; the space of those by cosine says so."""
    space = SPACE if similarity == "dot" else f"{SPACE}, {similarity}"
    about = (prepared.task, prepared.trained.space, prepared.model, similarity)
    return {(system, space): models.rank(system, *about) for system in CDSMS}


ARTICLES = f"{C2V[0]}, with articles"
"""context2vec on the phrase with *the* before both its noun phrases."""


def by_context2vec(model: Context2Vec, items: Substitution, listed: int, systems: Sequence[str] = C2V) -> Rankings:
    """context2vec on the phrase and on the sentence, or these, as in the paper and with all candidates scored."""
    reads = {C2V[0]: {}, C2V[1]: {"sentence": True}, ARTICLES: {"articles": True}}
    return {
        (system, space): models.substitutes(model, items, listed=n, **reads[system])
        for space, n in ((LISTED_IN, listed), (ALL_SCORED, 0))
        for system in systems
    }


def without_target(prepared: Prepared) -> Rankings:
    """Candidates by their frequency alone, and what Add's dot product is made of, also with words of length one.

    Let r be the sum of the four words that stay, t the target, t' a candidate. Then (r + t) . (r + t') ranks like
    r . t' + t . t': how well the candidate goes with the *rest* of the phrase, and how similar it is to the target.
    """
    task, space = prepared.task, prepared.trained.space
    unit = Space(space.rows, normalise_rows(space.vectors))
    counts = [prepared.words.frequency[candidate] for item in prepared.items.items for candidate in item.candidates]
    rankings = {("Frequency", "corpus counts"): np.array(counts, dtype=np.float64)}
    before, after = task.pairs.T
    for name, words in ((SPACE, space), (UNIT, unit)):
        vectors = models.by_word(task, words)
        changed = vectors[np.arange(len(vectors)), [text.target for text in task.texts]]
        rankings["Rest", name] = np.einsum("md,md->m", (vectors.sum(axis=1) - changed)[before], changed[after])
    of_unit_length = ("LemmaSim", "Add", *models.VARIANTS)
    return rankings | {(s, UNIT): models.rank(s, task, unit, prepared.model) for s in of_unit_length}


VERB_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""How much of v PLF adds: 0 is Gupta's, 1 Paperno's."""


def by_verb_weight(prepared: Prepared) -> Rankings:
    """PLF with more or less of the verb's vector: what adding it does to each position."""
    task = prepared.task
    parts = prepared.model.parts([text.words for text in task.texts], rows=prepared.trained.space)
    return {
        (f"PLF + {weight:g} v", SPACE): models.similar(parts.gupta + weight * parts.verb, task.pairs)
        for weight in VERB_WEIGHTS
    }


# -------------------------------------------------------------------------------------------------------- the scores


def scores_of(rankings: Rankings, task: Task, **about) -> list[Scores]:
    """Average precision of each target, for each of the rankings; `about` as of `cdsm_lib.tasks.task.Task.scores`."""
    return [task.scores(*name, ranking, tolerance=TOLERANCE["all"], **about) for name, ranking in rankings.items()]


def at(scores: Scores, part: str) -> Scores:
    """The scores of the targets in one of the `PARTS`."""
    wanted = np.isin(scores.labels["position"], [POSITIONS[i] for i in PARTS[part]])
    wanted &= (part != "adjectives") | (scores.labels["tag"] == "ADJ")
    columns = {**scores.columns, "position": part}
    return scores.subset(wanted, metric=f"MAP: {part}", tolerance=TOLERANCE["part"], columns=columns)


def with_parts(scores: Iterable[Scores], parts: Collection[str]) -> list[Scores]:
    """All scores, and after each those of its parts that have targets."""
    return [s for whole in scores for s in (whole, *map(partial(at, whole), parts)) if len(s.values)]


def as_published(prepared: Prepared) -> list[Scores]:
    """The paper's systems in the paper's way: by dot product, context2vec with its list."""
    listed = {name: ranking for name, ranking in prepared.substitutes.items() if name[1] == LISTED_IN}
    task = prepared.task
    return scores_of(compositional(prepared), task) + scores_of(listed, task, trained=True)


def analyses(prepared: Prepared) -> list[Scores]:
    """The same systems by cosine and without a list; what Add is made of; PLF with more or less of the verb."""
    task = prepared.task
    unlisted = {name: ranking for name, ranking in prepared.substitutes.items() if name[1] == ALL_SCORED}
    return [
        *scores_of(compositional(prepared, "cosine"), task, columns={"similarity": "cosine"}),
        *scores_of(unlisted, task, trained=True),
        *scores_of(without_target(prepared), task),
        *with_parts(scores_of(by_verb_weight(prepared), task), ("verb", "adjectives", "nouns")),
    ]


PENALTY = 1.0
"""Of every matrix, instead of that which cross-validation chooses for it."""


def options(prepared: Prepared) -> Iterator[Scores]:
    """What the paper leaves open: PLF with one `PENALTY`, which stands with the split, and phrases with `ARTICLES`."""
    task, space = prepared.task, prepared.trained.space
    settings = prepared.profile["lexical_substitution"]
    model = models.practical(prepared.trained, prepared.bigrams, settings, penalties=PENALTY)
    for name, words in ((SPACE, space), (UNIT, Space(space.rows, normalise_rows(space.vectors)))):
        ranked = {(system, name): models.rank(system, task, words, model) for system in models.VARIANTS}
        yield from (replace(score, split=f"all, penalty {PENALTY:g}") for score in scores_of(ranked, task))
    phrases = by_context2vec(context2vec.load(), prepared.items, settings["listed"], (ARTICLES,))
    yield from scores_of(phrases, task, trained=True)


# ------------------------------------------------------------------------------------------- other seeds of context2vec

STORED = "lexical-substitution"
"""The file of `cdsm_lib.evaluation.ledger` with what context2vec of other seeds is worth on each target."""
OTHERS = "python -m scripts.context2vec --others"
"""The command that makes it."""


def other_seeds(profile: Profile) -> range:
    """Further seeds with which context2vec is trained."""
    return ledger.seeds_of(profile, "lexical_substitution.seeds", "context2vec.seed")[1:]


def stored_with(profile: Profile, substitution: Substitution) -> dict:
    """What the stored scores hang on: the corpus, context2vec's settings, the length of its list, and the targets."""
    items = [(item.id, *item.phrase.words, item.position, *item.candidates) for item in substitution.items]
    return {
        "corpus": wikipedia().fingerprint,
        "context2vec": profile["context2vec"],
        "listed": profile["lexical_substitution.listed"],
        "items": hashlib.sha256(json.dumps(items).encode()).hexdigest(),
    }


def scores_by_seed(prepared: Prepared, published: Sequence[Scores]) -> dict[int, list[Scores]]:
    """What context2vec of other seeds is worth, in the whole and at each position: {seed: scores}."""
    depends, seeds = stored_with(prepared.profile, prepared.items), other_seeds(prepared.profile)
    arrays, _ = ledger.read(STORED, depends, map(str, seeds), f"Make it again with {OTHERS}.")
    place, by_seed = list(prepared.substitutes), {}
    for seed in seeds:
        again = dict(zip(place, arrays[str(seed)], strict=True))
        scores = [replace(s, values=again[s.system, s.space]) for s in published if s.system in C2V]
        by_seed[seed] = with_parts(scores, POSITIONS)
    return by_seed


# ------------------------------------------------------------------------------------------------ figures and claims


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter, from the corpus and CoInCo on.

    What context2vec of other seeds is worth is stored in any case (`OTHERS`). The notebook, where `quick` is None, has
    its own seed alone, and so has a corpus of the reader's own.
    """
    prepared = prepared or prepare(profile)
    published, by_seed, seed = as_published(prepared), {}, profile["seed"]
    if profile.name == "full" and quick is not None and not datasets.own_profile():
        by_seed = scores_by_seed(prepared, published)
    return ledger.run(
        "lexical_substitution", profile, [*with_parts(published, PARTS), *analyses(prepared)], by_seed,
        claims=lambda scores: claims(scores, seed), options=partial(options, prepared),
        rows=construction_rows(prepared), corpus=prepared.words.corpus, used=["coinco", "wikipedia_parsed"],
    )  # fmt: skip


def construction_rows(prepared: Prepared) -> list[Result]:
    """What each step of the construction left; how frequent the candidates are; the MAP of a random ranking, exact.

    The paper has the last numbers of phrases and targets (section 2), and the MAP to three digits (section 3).
    """
    name, funnel = prepared.task.dataset, prepared.construction.funnel
    printed = (*lexical_substitution.PAPER_COUNTS, 0.68) if name == "anvan_ls" else (None, None, None)
    rows = [Result("Random", "none", name, "all", "MAP", prepared.task.chance, published=printed[2])]
    for step in funnel:
        for metric, value, paper in zip(("phrases", "targets"), (step.phrases, step.targets), printed, strict=False):
            paper = paper if step is funnel[-1] else None
            rows.append(Result("construction", step.name, name, "all", metric, value, published=paper))
    figures = anvan.matching(prepared.items, prepared.words.frequency)
    return rows + [Result("construction", "candidates", name, "all", *figure) for figure in figures.items()]


def claims(scores: Iterable[Scores], seed: int) -> list[Claim]:
    """What the paper concludes, tested on the paper's systems in the paper's way (``data/published/claims.toml``)."""
    whole = [s for s in scores if s.metric == "MAP" and s.system in SYSTEMS and s.space in (SPACE, LISTED_IN)]
    chance = np.full(len(whole[0].values), lexical_substitution.random_map())
    random = replace(whole[0], system="Random", space="none", values=chance, tolerance=0.0)
    tested = with_parts([*whole, random], ("adjectives", "nouns", "verb"))
    tested += with_parts(beside_the_others(whole), ("adjectives", "nouns"))
    families = [s for name in ("PLF (Gupta)", C2V[0]) for s in whole if s.system == name]
    computed = {"families-differ-by-position": [differing_by_position(*families, seed=seed)]}
    return evaluate("lexical_substitution", tested, seed=seed, computed=computed)


def beside_the_others(scores: Sequence[Scores]) -> list[Scores]:
    """By how much Add and Mult are better than the mean of the models that are no baseline and neither of the two."""
    simple = [s for s in scores if s.system in ("Add", "Mult")]
    others = mean_of([s for s in scores if s.system.startswith(("PLF", "context2vec"))])
    return [replace(s, system=f"{s.system} beside the others", values=s.values - others.values) for s in simple]


def differing_by_position(first: Scores, second: Scores, *, least: float = 0.05, seed: int = 0) -> Test:
    """Does one system's lead over another depend on the position of the target?

    Compared are the positions with the largest and the smallest lead. Were the lead the same everywhere, the leads on
    the targets of one phrase could change places: p is the share of such permutations whose largest and smallest lead
    differ as much. The interval, over phrases drawn anew, is that of these two positions.

    Parameters
    ----------
    first, second : Scores
        Of the same targets, with their positions as labels and their phrases as groups.
    least : float
        The smallest difference that counts: up to it two systems are called equal (``data/published/claims.toml``).
    seed : int
        Of permutations and resamples.

    Returns
    -------
    Test
        Holds if p < .05, fails if the interval ends below `least`, else undecided.
    """
    leads, phrases = first.values - second.values, np.asarray(first.groups)
    position = np.asarray(first.labels["position"])
    p = significance.permutation_test_within(leads, position, phrases, 10_000, seed)
    by_position = {name: leads[position == name].mean() for name in POSITIONS if name in position}
    ends = max(by_position, key=by_position.get), min(by_position, key=by_position.get)
    names = f"lead of {first.system} over {second.system}, {ends[0]}", ends[1]
    test = across(*(leads[position == name] for name in ends), *(phrases[position == name] for name in ends), names,
                  least=least, unit="phrases", seed=seed)  # fmt: skip
    verdict = "holds" if p < 0.05 else "fails" if test.high < least else "undecided"
    about = {"p": 0.0 if p < 0.001 else round(p, 3), "least": least if verdict == "fails" else 0.0, "verdict": verdict}
    return replace(test, kind="greater", n=(len(np.unique(phrases)),), tolerance=2 * TOLERANCE["part"], **about)
