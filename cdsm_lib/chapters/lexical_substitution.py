"""Buljan et al. 2018: lexical substitution in ANVAN phrases, every system in every way, and why they rank as they do.

The notebook, ``make reproduce`` and ``make verify`` make their figures with ``results_of``. What a system gives to
the candidates of each target is a *ranking*, float64 [items, 4], known by system and space.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.substitution_models import C2V, CDSMS, SPACE, Bigrams, Trained, Words
from cdsm_lib.chapters.training_counts import corpus_size, wikipedia
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction.lexical_substitution import MODIFIER_TYPES, Construction
from cdsm_lib.display import ABSENT, Table, figure, result_of, table
from cdsm_lib.evaluation import departures, ledger
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with
from cdsm_lib.evaluation.significance import (
    paired_bootstrap_difference,
    paired_permutation_test,
    permutation_test_within,
)
from cdsm_lib.evaluation.verdicts import Test, across
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import POSITIONS, Substitution
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows

LISTED_IN = "context2vec"
"""The space of context2vec's figures when it generates a list of substitutes, as in the paper."""
ALL_SCORED = "context2vec, all candidates scored"

PARTS = {**{name: (i,) for i, name in enumerate(POSITIONS)}, "modifiers": (0, 3), "nouns": (1, 4)}
"""The parts of a data set that have figures of their own, and their positions."""

TOLERANCE = {"all": 0.01, "part": 0.03, "p": 1.0}
"""How far a recomputed figure may lie from the committed one.

An SVD agrees between machines to about six digits, but near ties change places: .01 for a mean over all targets, three
times as much, .03, for one position. The standard error of a difference over all targets is about .01: a p may move by
1 deviate.
"""

Rankings = dict[tuple[str, str], np.ndarray]


# ------------------------------------------------------------------------------------------------------ the rankings


def compositional(trained: Trained, model: PracticalLexicalFunction, task: Substitution, similarity="dot") -> Rankings:
    """Every compositional system with one similarity; the space of those by cosine says so."""
    space = trained.name if similarity == "dot" else f"{trained.name}, {similarity}"
    return {(system, space): models.rank(system, task, trained.space, model, similarity) for system in CDSMS}


def by_context2vec(model: Context2Vec, task: Substitution, listed: int) -> Rankings:
    """context2vec on the phrase and on the sentence, as in the paper and with all candidates scored."""
    return {
        (system, space): models.substitutes(model, task, sentence=system == C2V[1], listed=n)
        for space, n in ((LISTED_IN, listed), (ALL_SCORED, 0))
        for system in C2V
    }


def by_frequency(task: Substitution, frequency: Mapping[str, int]) -> Rankings:
    """Candidates by their frequency alone: what a measure gains that favours frequent words."""
    counts = [[frequency[candidate] for candidate in item.candidates] for item in task.items]
    return {("Frequency", "corpus counts"): np.array(counts, dtype=np.float64)}


UNIT = f"{SPACE}, unit words"


def by_rest(space: Space, task: Substitution) -> Rankings:
    """What Add's dot product is made of, with words as they are and with words of length one.

    Let r be the sum of the four words that stay, t the target, t' a candidate. Then (r + t) . (r + t') ranks like
    r . t' + t . t': how well the candidate goes with the *rest* of the phrase, and how similar it is to the target.
    """
    unit = Space(space.rows, normalise_rows(space.vectors, return_zero=True)[0])
    rankings = {}
    for name, words in ((SPACE, space), (UNIT, unit)):
        vectors = words.take(models.variants(task).ravel().tolist()).astype(np.float64).reshape(len(task), 5, 5, -1)
        changed = vectors[np.arange(len(task)), :, task.positions]  # target, then its candidates: [items, 5, d]
        rest = vectors[:, 0].sum(axis=1) - changed[:, 0]
        rankings["Rest", name] = np.einsum("id,ikd->ik", rest, changed[:, 1:])
    return rankings | {(system, UNIT): models.rank(system, task, unit) for system in ("LemmaSim", "Add")}


VERB_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""How much of v PLF adds: 0 is Gupta's, 1 Paperno's."""


def by_verb_weight(trained: Trained, model: PracticalLexicalFunction, task: Substitution) -> Rankings:
    """PLF with more or less of the verb's vector: what adding it does to each position."""
    parts = model.parts(models.variants(task).reshape(-1, 5), rows=trained.space)
    rankings = {}
    for weight in VERB_WEIGHTS:
        vectors = (parts.gupta + weight * parts.verb).reshape(len(task), 5, -1)
        rankings[f"PLF + {weight:g} v", trained.name] = models.similar(vectors, "dot")
    return rankings


# -------------------------------------------------------------------------------------------------------- the scores


def phrase_of(task: Substitution) -> np.ndarray:
    """The phrase that each target stands in, by number, int64 [items]."""
    number = {phrase.id: i for i, phrase in enumerate(task.phrases)}
    return np.array([number[item.phrase.id] for item in task.items])


def scores_of(rankings: Rankings, task: Substitution, **columns) -> list[Scores]:
    """Average precision of each target, for each of the rankings; `columns` as in `Scores`.

    A model composes the targets of one phrase from nearly the same words, so they are drawn together.
    """
    about = {"columns": columns, "labels": {"position": np.array(POSITIONS)[task.positions]}}
    about["groups"] = phrase_of(task)
    return [
        Scores(
            *name, task.name, "all", "MAP", lexical_substitution.score(ranking, task).ap,
            tolerance=TOLERANCE["all"], **about,
        )
        for name, ranking in rankings.items()
    ]  # fmt: skip


def at(scores: Scores, part: str) -> Scores:
    """The scores of the targets in one of the `PARTS`."""
    wanted = np.isin(scores.labels["position"], [POSITIONS[i] for i in PARTS[part]])
    columns = {**scores.columns, "position": part}
    return scores.subset(wanted, metric=f"MAP: {part}", tolerance=TOLERANCE["part"], columns=columns)


def with_parts(scores: Iterable[Scores], parts: Iterable[str]) -> list[Scores]:
    """All scores, and after each those of its parts that have targets."""
    everything = []
    for whole in scores:
        everything += [whole, *(of_part for part in parts if len((of_part := at(whole, part)).values))]
    return everything


# ---------------------------------------------------------------------------------------------------------- the run


@dataclass(frozen=True)
class Run:
    """What one run has constructed and counted; it learns and ranks when it is asked.

    Attributes
    ----------
    profile : Profile
    construction : Construction
        ANVAN-LS, or the teaching set's sentences put through the same steps in this run's space.
    task : Substitution
        The data set: what was constructed; or the teaching set as it is committed.
    words : Words
    trained : Trained
    bigrams : dict of kind to Bigrams
    """

    profile: Profile
    construction: Construction
    task: Substitution
    words: Words
    trained: Trained
    bigrams: dict[str, Bigrams]

    @cached_property
    def model(self) -> PracticalLexicalFunction:
        """PLF's matrices."""
        return models.practical(self.trained, self.bigrams, self.profile["lexical_substitution"])

    @cached_property
    def substitutes(self) -> Rankings:
        """context2vec's rankings, with and without its list."""
        return by_context2vec(context2vec.load(), self.task, self.profile["lexical_substitution.listed"])

    @cached_property
    def scores(self) -> list[Scores]:
        """Every system: the compositional ones by both similarities, context2vec with and without its list."""
        by_dot, by_cosine = (compositional(self.trained, self.model, self.task, of) for of in models.SIMILARITIES)
        scores = scores_of(by_dot, self.task) + scores_of(by_cosine, self.task, similarity="cosine")
        return scores + scores_of(self.substitutes, self.task)

    @property
    def as_published(self) -> list[Scores]:
        """The scores as the paper has them: by dot product, context2vec with its list."""
        return [scores for scores in self.scores if scores.space in (SPACE, LISTED_IN)]


OF_THE_COUNTS = ("corpus.files", "lexical_substitution.words", "lexical_substitution.window")
OF_THE_SPACE = ("seed", "lexical_substitution.dimensions", "lexical_substitution.power")
"""The settings on which the counts, and the space made of them, depend."""


def run(profile: Profile, own: Profile | None = None) -> Run:
    """Count and train the space, construct the data set in it, and count the bigrams of its predicates.

    Parameters
    ----------
    profile : Profile
    own : Profile, optional
        In the full profile the data set is constructed with these settings, and stays as it is while `profile` has
        another corpus, window or number of dimensions; the space is then trained anew. (In the sample profile the data
        set is committed.)

    Raises
    ------
    DataError
        If a word of the data set has no vector. With a corpus of one's own its items are left out, if any remain.
    """
    settings, seed = profile["lexical_substitution"], profile["seed"]
    if settings["dataset"] == "anvan_ls":
        corpus, own = wikipedia(), own or profile
        words, trained, construction = models.from_coinco(corpus, own["lexical_substitution"], own["seed"])
        task = construction.task
        if any(profile.get(path) != own.get(path) for path in OF_THE_COUNTS):
            corpus = wikipedia(profile.get("corpus.files"))
            words = models.gather_words(corpus, lexical_substitution.vocabulary(task), settings)
        if any(profile.get(path) != own.get(path) for path in (*OF_THE_COUNTS, *OF_THE_SPACE)):
            trained = models.train_space(words, settings, seed)
        bigrams = models.gather_bigrams(corpus, words, models.predicates_in(task), settings)
    else:
        words, bigrams = models.load(datasets.distilled_folder())
        trained = models.train_space(words, settings, seed)
        construction = models.construct_mini(words, trained.space)
        task = lexical_substitution.load(settings["dataset"])
    without = models.without_vector(task, trained.space)
    if without and datasets.own_profile():
        whole = (item for item in task.items if not {*item.phrase.words, *item.candidates} & {*without})
        task = Substitution(task.name, tuple(whole))
    if without and not (datasets.own_profile() and len(task)):
        remedy = "see where its counts come from, or read more of the corpus"
        raise datasets.DataError(f"words of {task.name} without a vector: {', '.join(without)}; {remedy}")
    return Run(profile, construction, task, words, trained, bigrams)


# ------------------------------------------------------------------------------------------- other seeds of context2vec

STORED = "lexical-substitution"
"""The file of `cdsm_lib.evaluation.ledger` with what context2vec of other seeds is worth on each target."""
OTHERS = "python -m scripts.context2vec --others"
"""The command that makes it."""


def seeds_of(profile: Profile) -> range:
    """The seeds with which context2vec is trained, its own first."""
    return ledger.seeds_of(profile, "lexical_substitution.seeds", "context2vec.seed")


def stored_with(profile: Profile, task: Substitution) -> dict:
    """What the stored scores hang on: the corpus, context2vec's settings, the length of its list, and the targets."""
    items = [(item.id, *item.phrase.words, item.position, *item.candidates) for item in task.items]
    return {
        "corpus": wikipedia().fingerprint,
        "context2vec": profile["context2vec"],
        "listed": profile["lexical_substitution.listed"],
        "items": hashlib.sha256(json.dumps(items).encode()).hexdigest(),
    }


def scores_by_seed(of: Run) -> dict[int, list[Scores]]:
    """The scores of a run as published, and as they are with context2vec of other seeds: {seed: scores}."""
    own, *others = seeds_of(of.profile)
    by_seed = {own: of.as_published}
    arrays, _ = ledger.read(STORED, stored_with(of.profile, of.task), map(str, others), f"Make it again with {OTHERS}.")
    for seed in others:
        again = dict(zip(of.substitutes, arrays[str(seed)], strict=True))
        values = ((scores, again.get((scores.system, scores.space))) for scores in of.as_published)
        by_seed[seed] = [scores if own is None else replace(scores, values=own) for scores, own in values]
    return by_seed


# ----------------------------------------------------------------------------------------------------------- figures


def random_row(task: Substitution) -> Result:
    """The expectation of a random ranking, exact."""
    published = 0.68 if task.name == "anvan_ls" else None  # section 3, to three digits
    expected = float(lexical_substitution.random_map())
    return Result("Random", "none", task.name, "all", "MAP", expected, published=published)


def construction_rows(construction: Construction) -> list[Result]:
    """What each step of the construction left, phrases and targets; the paper has the last numbers."""
    name, last, rows = construction.task.name, construction.funnel[-1], []
    for step in construction.funnel:
        printed = lexical_substitution.PAPER_COUNTS if step is last and name == "anvan_ls" else (None, None)
        for metric, value, paper in zip(("phrases", "targets"), (step.phrases, step.targets), printed, strict=True):
            rows.append(Result("construction", step.name, name, "all", metric, value, published=paper))
    return rows


def paired_rows(scores: Iterable[Scores], seed: int) -> list[Result]:
    """Differences of MAP between PLF (Gupta), PLF (Paperno), Add and context2vec, with p by permutation of pairs."""
    by_system, rows = {of.system: of for of in scores}, []
    for a, b in combinations(("PLF (Gupta)", "PLF (Paperno)", "Add", *C2V), 2):
        values = by_system[a].by_group(), by_system[b].by_group()
        place = (f"{a} - {b}", "paired", by_system[a].dataset, "all")
        interval, n = paired_bootstrap_difference(*values, seed=seed), len(by_system[a].values)
        ends = (interval.value, interval.low, interval.high)
        rows.append(Result(*place, "MAP difference", *ends, n, tolerance=TOLERANCE["part"]))
        p = paired_permutation_test(*values, seed=seed, ties=False)
        rows.append(Result(*place, "p", p, n=n, tolerance=TOLERANCE["p"]))
    return rows


ON_A_PAR = 0.05
"""Up to this difference of MAP two systems are called equal (``data/published/claims.toml``)."""


def differing_by_position(first: Scores, second: Scores, *, least: float = 0.0, n: int = 10_000, seed: int = 0) -> Test:
    """Does one system's lead over another depend on the position of the target?

    Compared are the positions with the largest and the smallest lead. Were the lead the same everywhere, the leads on
    the targets of one phrase could change places: p is the share of such permutations whose largest and smallest lead
    differ as much. The interval, over phrases drawn anew, is that of the two positions as they were found.

    Parameters
    ----------
    first, second : Scores
        Of the same targets, with their positions as labels and their phrases as groups.
    least : float
        The smallest difference that counts.
    n, seed : int
        Permutations and resamples.

    Returns
    -------
    Test
        Holds if p < .05, fails if the interval ends below `least`, else undecided; as
        `cdsm_lib.evaluation.verdicts.greater`.
    """
    leads, phrases = first.values - second.values, np.asarray(first.groups)
    position = np.asarray(first.labels["position"])
    p = permutation_test_within(leads, position, phrases, n, seed)
    there = [name for name in POSITIONS if name in position]
    by_position = np.array([leads[position == name].mean() for name in there])
    ends = [there[at] for at in (by_position.argmax(), by_position.argmin())]
    names = f"lead of {first.system} over {second.system}, {ends[0]}", ends[1]
    test = across(*(leads[position == name] for name in ends), *(phrases[position == name] for name in ends), names,
                  least=least, unit="phrases", n=n, seed=seed)  # fmt: skip
    n_phrases, tolerance = len(np.unique(phrases)), 2 * TOLERANCE["part"]
    small = p >= 0.05 and test.high < least
    verdict = "holds" if p < 0.05 else "fails" if small else "undecided"
    about = {"p": 0.0 if p < 0.001 else round(p, 3), "least": least if small else 0.0, "n": (n_phrases,)}
    return replace(test, kind="greater", verdict=verdict, tolerance=tolerance, **about)


def claims(scores: Sequence[Scores], task: Substitution, seed: int) -> list[Claim]:
    """What the paper concludes, tested on the targets (``data/published/claims.toml``); `scores` as published."""
    chance = np.full(len(task), float(lexical_substitution.random_map()))
    random = replace(scores[0], system="Random", space="none", values=chance, tolerance=0.0)
    tested = with_parts([*scores, random], ("modifiers", "nouns", "verb"))
    families = [of for name in ("PLF (Gupta)", C2V[0]) for of in scores if of.system == name]
    computed = {"families-differ-by-position": [differing_by_position(*families, least=ON_A_PAR, seed=seed)]}
    return evaluate("lexical_substitution", tested, seed=seed, computed=computed)


def results_of(run: Run, by_seed: Mapping[int, Sequence[Scores]] | None = None) -> Results:
    """Every figure of a run, and the paper's claims tested on it.

    Parameters
    ----------
    run : Run
    by_seed : mapping of seed to scores, optional
        `scores_by_seed`; the claims are then tested with every seed of context2vec.
    """
    task, trained, seed = run.task, run.trained, run.profile["seed"]
    published = run.as_published
    others = [scores for scores in run.scores if scores.space not in (SPACE, LISTED_IN)]
    analysed = scores_of(by_frequency(task, run.words.frequency) | by_rest(trained.space, task), task)
    by_weight = scores_of(by_verb_weight(trained, run.model, task), task)
    shown = [*with_parts(published, PARTS), *others, *analysed, *with_parts(by_weight, ("verb", "modifiers", "nouns"))]
    rows = [random_row(task), *construction_rows(run.construction), *(scores.row() for scores in shown)]
    rows += paired_rows(published, seed)
    by_seed = by_seed or {seed: published}
    seeded = {own: [each for each in scores if each.system in C2V] for own, scores in by_seed.items()}
    rows += ledger.seed_rows({own: with_parts(scores, POSITIONS) for own, scores in seeded.items()})
    used = ["coinco", "wikipedia_parsed"] if run.profile.name == "full" else []
    made = made_with(datasets.used(used), run.words.corpus, seed)
    tested = over_seeds({own: claims(scores, task, seed) for own, scores in by_seed.items()})
    return Results("lexical_substitution", "buljan2018", run.profile.name, made, tuple(rows), tuple(tested))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All of them, from the corpus and CoInCo on. What context2vec of other seeds is worth is stored in any case
        (`OTHERS`), and left out where the corpus is the reader's own.
    """
    whole = run(profile)
    by_seed = scores_by_seed(whole) if profile.name == "full" and not datasets.own_profile() else None
    return results_of(whole, by_seed)


def parts_table(full: Results | None, this_run: Results) -> Table:
    """The mean of the models, and the best of them, on the targets of each part of speech."""

    def mean_and_best(results: Results | None, part: str) -> tuple[str | float, str]:
        rows = [row for row in (results.find(metric=f"MAP: {part}") if results else ())
                if row.space in (SPACE, LISTED_IN) and row.system in (*CDSMS[1:], *C2V)]  # fmt: skip
        if not rows:
            return ABSENT, ABSENT
        best = max(rows, key=lambda row: row.value)
        return float(np.mean([row.value for row in rows])), f"{best.system} ({best.value:.3f})"

    parts = {"modifiers": "modifiers", "nouns": "nouns", "verbs": "verb"}
    rows = [(name, *mean_and_best(full, part), *mean_and_best(this_run, part)) for name, part in parts.items()]
    columns = ("targets", "full: mean of the models", "full: best model", "this run: mean", "this run: best model")
    return table(columns, rows)


def pairs_table(full: Results | None, this_run: Results) -> Table:
    """Differences of MAP between systems, with their intervals and p."""

    def difference(results: Results | None, pair: str) -> tuple[str, str]:
        d, p = (result_of(results, system=pair, space="paired", metric=metric) for metric in ("MAP difference", "p"))
        if d is None:
            return ABSENT, ABSENT
        shown = "<\u00a0.001" if p.value < 0.001 else f"{p.value:.3f}"
        return figure(d, signed=True), shown

    pairs = dict.fromkeys(row.system for row in this_run.find(space="paired"))
    rows = [(pair, *difference(full, pair), *difference(this_run, pair)) for pair in pairs]
    return table(("difference", "full", "p", "this run", "p, this run"), rows)


def differences(of: Run) -> Table:
    """Where this run differs from the paper, and why."""
    settings, task, words = of.profile["lexical_substitution"], of.task, of.words
    files, read = of.profile.get("corpus.files"), context2vec.load().meta["settings"]
    part = f", {files}/16 of it" if files else ""
    return departures.table(
        "lexical_substitution",
        tokens=corpus_size()["tokens"] / 1e6,
        part=part,
        dataset=task.name,
        phrases=len(task.phrases),
        targets=len(task),
        modifier_types=MODIFIER_TYPES,
        words=len(of.trained.space),
        contexts=len(words.core.columns),
        window=settings["window"],
        dimensions=of.trained.space.d,
        bigram_count=settings["bigram_count"],
        context2vec=read,
    )
