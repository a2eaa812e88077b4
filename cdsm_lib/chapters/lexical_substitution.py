"""All figures of the ANVAN-LS chapter, as ``make reproduce`` and ``make verify`` recompute them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, distil
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters.substitution_models import C2V, CDSMS, SPACE, Bigrams, Trained, Words
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction.lexical_substitution import Construction
from cdsm_lib.evaluation.metrics import spearman
from cdsm_lib.evaluation.results import (
    Claim,
    Ledger,
    Result,
    made_with,
    verdict_all,
    verdict_equivalent,
    verdict_greater,
)
from cdsm_lib.evaluation.significance import paired_bootstrap_difference, paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import PARTS_OF_SPEECH, POSITIONS, Scores, Substitution
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows

LISTED_IN = "context2vec"
"""The space of context2vec's figures when it generates a list of substitutes, as in the paper."""
ALL_SCORED = "context2vec, all candidates scored"

TOLERANCE = {"all": 0.01, "part": 0.03, "trained": 0.03}
"""How far a recomputed figure may lie from the committed one.

An SVD agrees between machines to about six digits, but near ties change places: .01 for a mean over all targets, three
times as much for one position. A context2vec that is trained anew (for the learning curve) drifts to other weights of
the same quality: .03.
"""


@dataclass(frozen=True)
class Run:
    """What one system makes of one set.

    Attributes
    ----------
    system, space : str
        As in the ledger.
    task : Substitution
    given : ndarray, shape (items, 4)
        The candidates' scores.
    """

    system: str
    space: str
    task: Substitution
    given: np.ndarray

    @cached_property
    def scores(self) -> Scores:
        """Average precision of each target, and MAP."""
        return lexical_substitution.score(self.given, self.task)

    @property
    def ap(self) -> np.ndarray:
        """Average precision of each item, float64 [items]."""
        return self.scores.ap

    def at(self, part: str) -> np.ndarray:
        """Average precision of the targets in a position, or of a part of speech."""
        wanted = PARTS_OF_SPEECH[part] if part in PARTS_OF_SPEECH else (POSITIONS.index(part),)
        return self.ap[np.isin(self.task.positions, wanted)]


# ---------------------------------------------------------------------------------------------------------- the runs


def compositional_runs(
    trained: Trained,
    model: PracticalLexicalFunction,
    task: Substitution,
    systems: Sequence[str] = CDSMS,
    similarities: Sequence[str] = buljan2018.SIMILARITIES,
) -> list[Run]:
    """Every compositional system with every similarity; the space of those by cosine says so."""
    return [
        Run(system, trained.name + (", cosine" if similarity == "cosine" else ""), task,
            buljan2018.rank(system, task, trained.space, model, similarity))
        for similarity in similarities for system in systems
    ]  # fmt: skip


def context2vec_runs(model: Context2Vec, task: Substitution, listed: int) -> list[Run]:
    """context2vec on the phrase and on the sentence, as in the paper and with all candidates scored."""
    return [
        Run(system, name, task, buljan2018.substitutes(model, task, sentence=system == C2V[1], listed=n))
        for name, n in ((LISTED_IN, listed), (ALL_SCORED, 0)) for system in C2V
    ]  # fmt: skip


def frequency_run(task: Substitution, frequency: Mapping[str, int]) -> Run:
    """Candidates by their frequency alone: what a measure gains that favours frequent words."""
    counts = [[frequency[candidate] for candidate in item.candidates] for item in task.items]
    return Run("Frequency", "corpus counts", task, np.array(counts, dtype=np.float64))


UNIT = f"{SPACE}, unit words"


def rest_runs(space: Space, task: Substitution) -> list[Run]:
    """What Add's dot product is made of, with words as they are and with words of length one.

    Let r be the sum of the four words that stay, t the target, t' a candidate. Then (r + t) . (r + t') ranks like
    r . t' + t . t': how well the candidate goes with the *rest* of the phrase, and how similar it is to the target.
    """
    unit = Space(space.rows, normalise_rows(space.vectors, return_zero=True)[0])
    found = []
    for name, of in ((SPACE, space), (UNIT, unit)):
        vectors = of.take(buljan2018.variants(task).ravel().tolist()).astype(np.float64).reshape(len(task), 5, 5, -1)
        changed = vectors[np.arange(len(task)), :, task.positions]  # target, then its candidates: [items, 5, d]
        rest = vectors[:, 0].sum(axis=1) - changed[:, 0]
        found.append(Run("Rest", name, task, np.einsum("id,ikd->ik", rest, changed[:, 1:])))
        if name == UNIT:
            found += [Run(system, name, task, buljan2018.rank(system, task, of)) for system in ("LemmaSim", "Add")]
    return found


FIRST, WITHOUT_FIRST = f"{SPACE}, first dimension alone", f"{SPACE}, without the first dimension"


def dimension_runs(space: Space, task: Substitution) -> list[Run]:
    """Add and Mult in the first dimension alone, that of the greatest singular value, and in all the others."""
    parts = {FIRST: space.vectors[:, :1], WITHOUT_FIRST: space.vectors[:, 1:]}
    return [
        Run(system, name, task, buljan2018.rank(system, task, Space(space.rows, vectors)))
        for name, vectors in parts.items() for system in ("Add", "Mult")
    ]  # fmt: skip


def first_dimension_result(space: Space, frequency: Mapping[str, int], dataset: str) -> Result:
    """Spearman's correlation of the first dimension's magnitude with the words' frequency, over all words."""
    found = spearman(np.abs(space.vectors[:, 0]), [frequency[word] for word in space.rows])
    metric = "rank correlation with frequency"
    return Result("first dimension", SPACE, dataset, "all", metric, found, n=len(space), tolerance=0.01)


VERB_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""How much of v PLF adds: 0 is Gupta's, 1 Paperno's."""


def verb_weight_runs(trained: Trained, model: PracticalLexicalFunction, task: Substitution) -> dict[float, Run]:
    """PLF with more or less of the verb's vector: what adding it does to each position."""
    table = buljan2018.variants(task)
    parts = model.parts(table.reshape(-1, 5), rows=trained.space)
    runs = {}
    for weight in VERB_WEIGHTS:
        vectors = (parts.gupta + weight * parts.verb).reshape(len(task), 5, -1)
        runs[weight] = Run(f"PLF + {weight:g} v", trained.name, task, buljan2018.similar(vectors, "dot"))
    return runs


@dataclass(frozen=True)
class Overcount:
    """How much of each score the verb's vector makes, for targets that are verbs (see `overcounting`).

    Attributes
    ----------
    items : ndarray of int
        Places of the verb targets in the task.
    by_matrices, by_vector : ndarray, shape (verb targets, 4)
        The parts of the dot product with the original phrase that come from V_subject S + V_object O, and from v, of
        the candidate.
    """

    items: np.ndarray
    by_matrices: np.ndarray
    by_vector: np.ndarray

    @property
    def share_of_spread(self) -> np.ndarray:
        """For each target the share of the candidates' variance that the vector's part makes, from 0 to 1."""
        spread = self.by_vector.var(axis=1), self.by_matrices.var(axis=1)
        return spread[0] / np.maximum(spread[0] + spread[1], np.finfo(float).tiny)

    @property
    def lead(self) -> np.ndarray:
        """For each target and part, how far the substitutes lead the confounders, in standard deviations: [n, 2]."""
        found = []
        for part in (self.by_matrices, self.by_vector):
            centred = part[:, :2].mean(axis=1) - part[:, 2:].mean(axis=1)
            found.append(centred / np.maximum(part.std(axis=1), np.finfo(float).tiny))
        return np.stack(found, axis=1)


def overcounting(trained: Trained, model: PracticalLexicalFunction, task: Substitution) -> Overcount:
    """Where PLF (Paperno) gets its scores of verbs from.

    The score of a candidate verb v' is p . p' with p' = V'_subject S + V'_object O + v'. It falls into p . (V'_subject
    S + V'_object O), in which the verb acts on its arguments, and p . v', in which it stands for itself.
    """
    items = np.flatnonzero(task.positions == POSITIONS.index("verb"))
    table = buljan2018.variants(task)[items]
    parts = model.parts(table.reshape(-1, 5), rows=trained.space)
    phrase = parts.paperno.reshape(len(items), 5, -1)[:, 0]
    repeated = np.repeat(phrase, 5, axis=0)
    by_part = parts.contributions(repeated).reshape(len(items), 5, 3)[:, 1:]
    return Overcount(items, by_part[..., :2].sum(axis=-1), by_part[..., 2])


# ----------------------------------------------------------------------------------------------------------- results


def run_results(run: Run, *, parts: bool = True, tolerance: float = TOLERANCE["all"]) -> list[Result]:
    """MAP over all targets, in each position, and of each part of speech, with bootstrap intervals over targets."""

    def of(metric: str, values: np.ndarray, tolerance: float) -> Result:
        place = {"system": run.system, "space": run.space, "dataset": run.task.name, "split": "all"}
        return Result.of_items(values, metric=metric, tolerance=tolerance, **place)

    found = [of("MAP", run.ap, tolerance)]
    wanted = (*POSITIONS, "modifiers", "nouns") if parts else ("verb",)
    return found + [of(f"MAP: {part}", run.at(part), 3 * tolerance) for part in wanted if len(run.at(part))]


def random_result(task: Substitution) -> Result:
    """The expectation of a random ranking, exact."""
    expected = float(lexical_substitution.random_map())
    published = 0.68 if task.name == "anvan_ls" else None  # section 3, to three digits
    return Result("Random", "none", task.name, "all", "MAP", expected, published=published)


def construction_results(construction: Construction) -> list[Result]:
    """What each step of the construction left, phrases and targets; the paper has the last numbers."""
    name, found = construction.task.name, []
    last = construction.funnel[-1]
    for step in construction.funnel:
        for metric, value, at in (("phrases", step.phrases, 0), ("targets", step.targets, 1)):
            paper = lexical_substitution.PAPER_COUNTS[at] if step is last and name == "anvan_ls" else None
            found.append(Result("construction", step.name, name, "all", metric, value, published=paper))
    made = {"provisional confounders": construction.provisional, "targets widened": construction.widened}
    return found + [Result("construction", "confounders", name, "all", what, n) for what, n in made.items()]


def coverage_results(runs: Iterable[Run], trained: Trained, model: PracticalLexicalFunction) -> list[Result]:
    """How often PLF fell back to addition, and how many candidates context2vec did not generate."""
    runs, found = list(runs), []
    task = runs[0].task
    fallbacks = model.fallbacks(item.phrase.words for item in task.items)
    place = {"dataset": task.name, "split": "all"}
    kinds = {"modifier": "modifiers", "subject_verb": "verbs, subject", "verb_object": "verbs, object"}
    for kind, name in kinds.items():
        lacking = sum(of_kind == kind for of_kind, _ in fallbacks.predicates)
        found.append(Result("PLF", trained.name, metric=f"without a matrix: {name}", value=lacking, **place))
    found.append(Result("PLF", trained.name, metric="targets of phrases touched", value=fallbacks.touched, **place))
    for run in runs:
        if run.space == LISTED_IN:
            place |= {"system": run.system, "space": run.space, "tolerance": TOLERANCE["all"]}
            found.append(Result(metric="candidates not listed", value=float(np.isnan(run.given).mean()), **place))
    return found


def overcount_results(over: Overcount, task: Substitution, space: str) -> list[Result]:
    """What the verb's vector decides in PLF (Paperno), over targets that are verbs."""
    place = {"space": space, "dataset": task.name, "split": "all", "tolerance": TOLERANCE["part"]}
    lead = over.lead
    return [
        Result.of_items(over.share_of_spread, system="PLF (Paperno)", metric="share of v in the spread", **place),
        Result.of_items(lead[:, 0], system="PLF (Paperno)", metric="lead by V_subject S + V_object O", **place),
        Result.of_items(lead[:, 1], system="PLF (Paperno)", metric="lead by v", **place),
    ]


# ------------------------------------------------------------------------------------------------------------ claims


def claims(runs: Sequence[Run], seed: int) -> list[Claim]:
    """What the paper concludes, each sentence tested on the targets; the figures of its Table 2 are lost.

    Parameters
    ----------
    runs : sequence of Run
        The paper's systems as the paper ran them: by dot product, context2vec with its list.
    """
    by_name = {run.system: run for run in runs}
    task = runs[0].task
    chance = np.full(len(task), float(lexical_substitution.random_map()))
    part = {"id": "part", "text": "one part of a claim"}
    everyone = np.mean([run.ap for run in runs], axis=0)
    positions = {name: np.isin(task.positions, at) for name, at in PARTS_OF_SPEECH.items()}

    def ap(name: str) -> np.ndarray:
        return chance if name == "Random" else by_name[name].ap

    def greater(a: str, b: str, of: str | None = None) -> Claim:
        chosen = positions[of] if of else slice(None)
        names = (f"{a}, {of}" if of else a, b)
        return verdict_greater(ap(a)[chosen], ap(b)[chosen], names=names, seed=seed, **part)

    def easier(a: str, b: str) -> Claim:
        groups = everyone[positions[a]], everyone[positions[b]]
        return verdict_greater(*groups, names=(f"{a}, mean of the models", b), seed=seed, paired=False, **part)

    phrase, sentence = C2V
    others = [run.system for run in runs]
    return [
        verdict_all(
            [easier("modifiers", "nouns"), easier("nouns", "verbs")],
            id="adjectives-easiest-verbs-hardest",
            text="Adjectives are easiest to substitute, then nouns; verbs are hardest.",
            published="the mean over models falls in this order (section 4; Table 2 is lost)",
        ),
        verdict_all(
            [greater(name, "LemmaSim") for name in others if name != "LemmaSim"],
            id="lemmasim-worst",
            text="The similarity of the words alone (LemmaSim) is by far the worst model.",
            published="worst by far (section 4; Table 2 is lost)",
        ),
        verdict_all(
            [greater("Random", "Add"), greater("Random", "Mult")],
            id="simple-below-random",
            text="Add and Mult are worse than a random ranking.",
            published="below .680 (section 4; Table 2 is lost)",
        ),
        replace(
            verdict_equivalent(ap("PLF (Paperno)"), chance, names=("PLF (Paperno)", "Random"), seed=seed, **part),
            id="paperno-at-random",
            text="PLF (Paperno) performs at the level of a random ranking overall.",
            published="baseline level (section 4; Table 2 is lost)",
        ),
        verdict_all(
            [greater("PLF (Paperno)", "Random", of) for of in ("modifiers", "nouns")],
            id="paperno-good-on-adjectives-and-nouns",
            text="PLF (Paperno) does very well on adjectives and nouns.",
            published="very well for all adjectives and nouns (section 4; Table 2 is lost)",
        ),
        verdict_all(
            [greater(name, "PLF (Paperno)", "verbs") for name in others if name != "PLF (Paperno)"],
            id="paperno-worst-on-verbs",
            text="On verbs PLF (Paperno) is the worst model of all.",
            published="the worst model overall on verbs (section 4; Table 2 is lost)",
        ),
        replace(
            greater("PLF (Gupta)", "PLF (Paperno)", "verbs"),
            id="gupta-repairs-verbs",
            text="Leaving out the verb's vector (Gupta) repairs the verbs.",
            published="due to the role of the verb's vector, as Gupta et al. claim (section 4; Table 2 is lost)",
        ),
        verdict_all(
            [greater("PLF (Gupta)", "Add"), greater("PLF (Gupta)", "Mult")],
            id="gupta-beats-simple",
            text="PLF (Gupta) outperforms the component-wise models Add and Mult.",
            published="outperforms simple component-wise CDSMs (abstract; Table 2 is lost)",
        ),
        replace(
            verdict_equivalent(ap("PLF (Gupta)"), ap(phrase), names=("PLF (Gupta)", phrase), seed=seed, **part),
            id="gupta-on-par-with-context2vec",
            text="PLF (Gupta) is on a par with context2vec given the same context, the phrase.",
            published="on par using the same context (abstract; Table 2 is lost)",
        ),
        replace(
            greater(sentence, phrase),
            id="sentence-helps-context2vec",
            text="context2vec gains from the whole sentence.",
            published="an improvement (section 5; Table 2 is lost)",
        ),
    ]  # fmt: skip


def paired_tests(runs: Sequence[Run], seed: int) -> list[Result]:
    """Differences of MAP between PLF (Gupta), PLF (Paperno), Add and context2vec, with p by permutation of pairs."""
    by_name = {run.system: run for run in runs}
    names, found = ("PLF (Gupta)", "PLF (Paperno)", "Add", *C2V), []
    for a, b in combinations(names, 2):
        difference = paired_bootstrap_difference(by_name[a].ap, by_name[b].ap, seed=seed)
        place = {"system": f"{a} - {b}", "space": "paired", "dataset": runs[0].task.name, "split": "all"}
        place["n"] = len(by_name[a].ap)
        ends = {"low": difference.low, "high": difference.high, "tolerance": TOLERANCE["part"]}
        found.append(Result(metric="MAP difference", value=difference.value, **ends, **place))
        p = paired_permutation_test(by_name[a].ap, by_name[b].ap, seed=seed, ties=False)
        found.append(Result(metric="p", value=p, tolerance=1.0, **place))
    return found


# ------------------------------------------------------------------------------------------------------------ together


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is composed.

    Attributes
    ----------
    construction : Construction
        ANVAN-LS, or the teaching set's sentences put through the same steps in this run's space.
    task : Substitution
        The data set: what was constructed; or the teaching set as it is committed.
    words : Words
    trained : Trained
    bigrams : dict of kind to Bigrams
    """

    construction: Construction
    task: Substitution
    words: Words
    trained: Trained
    bigrams: dict[str, Bigrams]


OF_THE_COUNTS = ("corpus.files", "lexical_substitution.words", "lexical_substitution.window")
OF_THE_SPACE = ("seed", "lexical_substitution.dimensions", "lexical_substitution.power")
"""The settings on which the counts, and the space made of them, depend."""


def prepare(profile: Profile, own: Profile | None = None) -> Prepared:
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
        If a word of the data set has no vector.
    """
    settings, seed = profile["lexical_substitution"], profile["seed"]
    if settings["dataset"] == "anvan_ls":
        corpus, own = wikipedia(), own or profile
        words, trained, construction = buljan2018.from_coinco(corpus, own["lexical_substitution"], own["seed"])
        task = construction.task
        if any(profile.get(path) != own.get(path) for path in OF_THE_COUNTS):
            corpus = wikipedia(profile.get("corpus.files"))
            words = buljan2018.gather_words(corpus, lexical_substitution.vocabulary(task), settings)
        if any(profile.get(path) != own.get(path) for path in (*OF_THE_COUNTS, *OF_THE_SPACE)):
            trained = buljan2018.train_space(words, settings, seed)
        bigrams = buljan2018.gather_bigrams(corpus, words, buljan2018.predicates_in(task), settings)
    else:
        words, bigrams = buljan2018.load(distil.folder())
        trained = buljan2018.train_space(words, settings, seed)
        construction = buljan2018.construct_mini(words, trained.space)
        task = lexical_substitution.load(settings["dataset"])
    without = buljan2018.without_vector(task, trained.space)
    if without:
        remedy = "see where its counts come from, or read more of the corpus"
        raise datasets.DataError(f"words of {task.name} without a vector: {', '.join(without)}; {remedy}")
    return Prepared(construction, task, words, trained, bigrams)


def all_runs(prepared: Prepared, model: PracticalLexicalFunction, listed: int) -> list[Run]:
    """Every system: the compositional ones by both similarities, context2vec with and without its list."""
    task = prepared.task
    return compositional_runs(prepared.trained, model, task) + context2vec_runs(context2vec.load(), task, listed)


def as_published(runs: Iterable[Run]) -> list[Run]:
    """The runs as the paper has them: by dot product, context2vec with its list."""
    return [run for run in runs if run.space in (SPACE, LISTED_IN)]


def sweep_results(profile: Profile, task: Substitution) -> list[Result]:
    """MAP by window and by number of dimensions, each with both similarities; the data set stays as it is."""
    settings, seed, found = profile["lexical_substitution"], profile["seed"], []
    corpus, needed, predicates = wikipedia(), lexical_substitution.vocabulary(task), buljan2018.predicates_in(task)
    for window in sorted({*settings["sweep_windows"], settings["window"]}):
        counted = settings | {"window": window}
        words = buljan2018.gather_words(corpus, needed, counted)
        bigrams = buljan2018.gather_bigrams(corpus, words, predicates, counted)
        if window == settings["window"]:
            spaces = {f"{SPACE}, {d} dimensions": counted | {"dimensions": d} for d in settings["sweep_dimensions"]}
        else:
            spaces = {f"{SPACE}, window {window}": counted}
        for name, now in spaces.items():
            trained = buljan2018.train_space(words, now, seed, name=name)
            for run in compositional_runs(trained, buljan2018.practical(trained, bigrams, now), task):
                found += run_results(run, parts=False)
    return found


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        Without the sweep over windows and dimensions. All else is recomputed from the corpus and CoInCo on: the
        construction, every system in the paper's space, the tests between them, the error analysis.
    """
    prepared, seed = prepare(profile), profile["seed"]
    task, trained = prepared.task, prepared.trained
    model = buljan2018.practical(trained, prepared.bigrams, profile["lexical_substitution"])
    runs = all_runs(prepared, model, profile["lexical_substitution.listed"])
    results = [random_result(task), *construction_results(prepared.construction)]
    for run in runs:
        results += run_results(run)
    space = trained.space
    for run in (frequency_run(task, prepared.words.frequency), *rest_runs(space, task), *dimension_runs(space, task)):
        results += run_results(run)
    results.append(first_dimension_result(space, prepared.words.frequency, task.name))
    results += coverage_results(runs, trained, model)
    for run in verb_weight_runs(trained, model, task).values():
        results += run_results(run)
    results += overcount_results(overcounting(trained, model, task), task, trained.name)
    results += paired_tests(as_published(runs), seed)
    if profile.name == "full" and not subset:
        results += sweep_results(profile, task)
    used = ["coinco", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.words.corpus, seed)
    tested = claims(as_published(runs), seed)
    return Ledger("lexical_substitution", "buljan2018", profile.name, made, tuple(results), tuple(tested))
