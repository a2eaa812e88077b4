"""Rimell et al. 2016: relative clauses on RELPRON. Three spaces, every method, both splits, every view of the paper.

The notebook, ``make reproduce``, ``make verify`` and the sweep make their figures with :func:`figures`. Of the corpus
only the compiled form is taken from the cache when figures are recomputed, everything else is made anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context

import numpy as np
import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.chapters.relpron_beyond import Tuned, beyond_scores, ppmi_svd_space, tune
from cdsm_lib.chapters.relpron_models import (
    METHODS,
    TOLERANCE,
    WORDS_ONLY,
    Ranking,
    Trained,
    counts_of,
    rankings,
    tasks_of,
    train,
    train_spaces,
)
from cdsm_lib.chapters.training_counts import TrainingCounts, gather, wikipedia
from cdsm_lib.composition.relative_clause import RelativeClauseModel
from cdsm_lib.display import figure
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import (
    Claim,
    Result,
    Results,
    Scores,
    learning_curve,
    made_with,
    published_rimell2016,
    sized,
)
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import relpron

# ----------------------------------------------------------------------------------------------------------- figures

TABLE_6 = ("SPLF", "Addition", "PLF", "FPLF", "RPTensor", "VArg", "Vhn")
ANALYSED = ("SPLF", "Addition", "FPLF", "VArg")
"""The systems of the paper's error analysis (section 7)."""

CURVE = ("Addition", "PLF", "SPLF", "FPLF", "RPTensor")


def scores_of(ranking: Ranking, metric: str, values: np.ndarray, scale: float = 1.0, **columns) -> Scores:
    """A view of a ranking, one value an item, with the paper's figure; the teaching set is another task and has none.

    A view of one head noun or one function is a mean of few terms and moves more than the mean of all: `scale` 3.
    """
    task, place = ranking.task, (ranking.system, ranking.space)
    published = published_rimell2016(*place, task.split, metric) if task.name == "relpron" else None
    tolerance = scale * TOLERANCE[ranking.space]
    return Scores(
        *place, task.name, task.split, metric, values, published=published, tolerance=tolerance, columns=columns
    )


def average_precision(ranking: Ranking) -> Scores:
    """MAP (Tables 5 and 6)."""
    return scores_of(ranking, "MAP", ranking.scores.ap)


def views(ranking: Ranking) -> list[Scores]:
    """Every other view of the paper on one ranking (Tables 7 to 11)."""
    similarity, task, omit = ranking.similarity, ranking.task, {"missing_terms": "omit"}
    found = [
        scores_of(ranking, f"MAP {function}", scores.ap, 3, view=function)
        for function, scores in relpron.by_function(similarity, task, **omit).items()
        if len(scores.ap)
    ]
    for restricted, view in ((False, "of head noun"), (True, "within head noun")):
        of_heads = relpron.by_head_noun(similarity, task, restricted=restricted, **omit)
        found += [
            scores_of(ranking, f"MAP {view} {head}", scores.ap, 3, view=view, head=head)
            for head, scores in of_heads.items()
            if len(scores.ap)
        ]
        every = np.concatenate([scores.ap for scores in of_heads.values()])
        found.append(scores_of(ranking, f"MAP {view}: mean", every, view=view))
    share, view = relpron.top_ten_share(similarity, task, **omit), "top-ten share"
    heads = np.array([head for term, head in zip(task.terms, task.head_of, strict=True) if term in share.terms])
    found += [
        scores_of(ranking, f"{view} {head}", share.share[heads == head], 3, view=view, head=head)
        for head in share.by_head_noun
    ]
    found.append(scores_of(ranking, view, share.share, view=view))
    queries = relpron.property_queries(similarity, task, **omit)
    found.append(scores_of(ranking, "MRR of properties", queries.reciprocal_rank))
    found.append(scores_of(ranking, "mean rank of the term", queries.rank, 20))  # ranks run to 65 or 73, not to 1
    return found


def on_both_functions(ranking: Ranking) -> list[Scores]:
    """MAP on subject and on object properties, of the terms that have both: what can be compared in pairs."""
    by_function = relpron.by_function(ranking.similarity, ranking.task, missing_terms="omit")
    pair = relpron.paired(by_function["SBJ"], by_function["OBJ"])
    return [scores_of(ranking, f"MAP {function}", ap) for function, ap in zip(relpron.FUNCTIONS, pair, strict=True)]


def claims(rankings: dict[tuple[str, str, str], Ranking], seed: int) -> list[Claim]:
    """What the paper concludes, each sentence tested on the terms (``data/published/claims.toml``)."""
    scores = [average_precision(ranking) for ranking in rankings.values()]
    for system in ("SPLF", "Addition", "FPLF"):
        of_system = views(rankings[system, "Skip-Gram", "dev"])
        scores += [view for view in of_system if view.metric in ("top-ten share", "MRR of properties")]
    return evaluate("relpron", [*scores, *on_both_functions(rankings["FPLF", "Skip-Gram", "dev"])], seed=seed)


# ------------------------------------------------------------------------------------------------------------ together


@dataclass(frozen=True)
class Run:
    """What one run has trained and ranked.

    Attributes
    ----------
    tasks : sequence of RelPron
        Both splits.
    counts : TrainingCounts
    spaces : dict of str to Trained
    models : dict of str to RelativeClauseModel
        What was learned in each space.
    rankings : dict of (system, space, split) to Ranking
    tuned : sequence of Tuned
        The steps beyond the paper.
    analysed : str
        The space of which all views are figures, the paper's by default.
    """

    tasks: Sequence[relpron.RelPron]
    counts: TrainingCounts
    spaces: dict[str, Trained]
    models: dict[str, RelativeClauseModel]
    rankings: dict[tuple[str, str, str], Ranking]
    tuned: Sequence[Tuned] = ()
    analysed: str = "Skip-Gram"


def run(profile: Profile, tasks: Sequence[relpron.RelPron], counts: TrainingCounts, systems=tuple(METHODS)) -> Run:
    """Train every space that the counts have, and rank with every system."""
    spaces = train_spaces(counts, profile)
    if "Count-SVD" in counts.counts:
        spaces["PPMI-SVD"] = ppmi_svd_space(counts, profile)
    models = {name: train(space, counts, profile["relpron"], profile["seed"]) for name, space in spaces.items()}
    both = [spaces[name] for name in ("Skip-Gram", "PPMI-SVD") if name in spaces]
    tuned = tune(both, counts, profile, tasks) if len(both) == 2 else ()
    return Run(tasks, counts, spaces, models, rankings(spaces, models, tasks, systems), tuned)


def rows_of(of: Run) -> list[Result]:
    """Every figure of a run: MAP of all rankings, all views of Table 6's systems in one space, the steps beyond."""
    scores = [average_precision(ranking) for ranking in of.rankings.values()]
    for (system, space, _), ranking in of.rankings.items():
        if space == of.analysed and system in TABLE_6:
            scores += views(ranking)
    return [score.row() for score in [*scores, *beyond_scores(of.tuned, of.tasks[0].name)]]


def results_of(of: Run, profile: Profile, further: Sequence[Result] = ()) -> Results:
    """The results of a run, with further rows, and the paper's claims tested on it."""
    tested = claims(of.rankings, profile["seed"]) if ("SPLF", "Skip-Gram", "test") in of.rankings else ()
    used = ["relpron", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), of.counts.corpus, profile["seed"])
    return Results("relpron", "rimell2016", profile.name, made, (*rows_of(of), *further), tuple(tested))


SIZES = (1, 2, 4, 8)
"""Sixteenths of the corpus on the learning curve; the whole corpus is the main result."""

TRANSITIVE_ONLY = "Skip-Gram, transitive pairs only"
"""The learning curve's second kind of training pairs, and the size at which it is tried."""
TRANSITIVE_AT = 4

VERIFIED = (1,)
"""The sizes that `make verify` recomputes."""


def as_the_paper(profile: Profile) -> Profile:
    """The profile with the paper's condition on training pairs: within a transitive construction, no participles."""
    settings = {name: profile[name] for name in profile.settings}
    settings["phrases"] |= {"transitive": True, "participles": False}
    return Profile(profile.name, settings)


def curve_rows(files: int, profile: Profile, tasks: Sequence[relpron.RelPron], name: str = "Skip-Gram") -> list[Result]:
    """One size of the learning curve: everything trained anew on the first `files` sixteenths of the corpus."""
    corpus = wikipedia(files)
    counts = gather(corpus, relpron.vocabulary(*tasks), profile, spaces=("Skip-Gram",))
    return at_size(run(profile, tasks, counts, CURVE), name, corpus.n_tokens)


def at_size(of: Run, name: str, n_tokens: int) -> list[Result]:
    """MAP on skip-gram of the systems on the learning curve, as rows of a space that names its size."""
    place = {**sized(name, n_tokens), "published": None}
    return [
        replace(average_precision(ranking).row(), **place)
        for (system, space, _), ranking in of.rankings.items()
        if space == "Skip-Gram" and system in CURVE
    ]


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        Only the Count space on the whole corpus (all methods of Table 5, both splits), which is exact, and the
        smallest size of the learning curve, which runs through extraction, skip-gram, matrices and tensors.
    """
    tasks = tasks_of(profile)
    if profile.name != "full":
        return results_of(run(profile, tasks, counts_of(profile, tasks)), profile)
    corpus = wikipedia()  # compiled before two processes ask for it
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:  # a model is one thread: two side by side
        sizes = [beside.submit(curve_rows, n, profile, tasks) for n in (VERIFIED if subset else SIZES)]
        if subset:
            counts = gather(corpus, relpron.vocabulary(*tasks), profile, spaces=("Count",))
            whole, curve = run(profile, tasks, counts, WORDS_ONLY), []
        else:
            sizes.append(beside.submit(curve_rows, TRANSITIVE_AT, as_the_paper(profile), tasks, TRANSITIVE_ONLY))
            whole = run(profile, tasks, counts_of(profile, tasks, afresh=True))
            curve = at_size(whole, "Skip-Gram", corpus.n_tokens)
        curve += [row for size in sizes for row in size.result()]
    return results_of(whole, profile, curve)


# ------------------------------------------------------------------------------------------------ tables of the chapter

Table = tuple[tuple[str, ...], list[tuple]]
"""Columns and rows."""


def head_of(term: str, candidates: pd.DataFrame) -> str:
    """The head noun of a term that was kept in the teaching set; `ParameterError` for another word."""
    kept = candidates[candidates["decision"] == "kept"].set_index("term")["head_noun"]
    if term not in kept:
        known = ", ".join(sorted(kept.index))
        raise ParameterError(f"example={term!r}: no term of the teaching set; choose one of {known}")
    return kept[term]


def attested(counts: TrainingCounts, tasks: Iterable[relpron.RelPron]) -> dict[tuple[str, str], float]:
    """The share of properties whose triple occurs in our corpus, by split and function."""
    seen = {tuple(counts.triples.words[i] for i in row) for row in counts.triples.ids.tolist()}
    shares = {}
    for task in tasks:
        of = relpron.labels(task)
        terms = [of["term"][i] for i in task.term_of]
        triples = zip(terms, of["verb"], of["argument"], task.functions, strict=True)
        occurs = np.array([
            tuple(counts.alike.get(word, word) for word in ((t, v, a) if f == "SBJ" else (a, v, t))) in seen
            for t, v, a, f in triples
        ])  # fmt: skip
        shares |= {(task.split, f): float(occurs[task.functions == f].mean()) for f in relpron.FUNCTIONS}
    return shares


def training_phrases(counts: TrainingCounts, paper: Mapping[str, int]) -> Table:
    """How many phrases of each kind have a holistic vector, in the paper and here."""
    kinds = {"subject": "subject-verb pairs", "object": "verb-object pairs"}
    kinds |= {"SBJ": "subject relative clauses", "OBJ": "object relative clauses"}
    rows = []
    for kind, name in kinds.items():
        phrases = counts.phrases[kind]
        verbs = len(np.unique(phrases.ids[:, 0 if kind == "object" else 1]))
        printed = (paper.get(f"{kind} types"), paper.get(f"{kind} occurrences"))
        rows.append((name, *printed, len(phrases), int(phrases.counts.sum()), verbs))
    both = (rows[0][column] + rows[1][column] for column in (3, 4))
    rows.append(("both kinds of pairs", paper["pair types"], paper["pair occurrences"], *both, None))
    what = [f"{n} ({where})" for where in ("paper", "this run") for n in ("types", "occurrences")]
    return ("training phrases", *what, "verbs (this run)"), rows


def matrices_needed(counts: TrainingCounts, tasks: Iterable[relpron.RelPron], fewest: int) -> Table:
    """The verbs of the properties, and from how many pairs their matrices are learned."""
    needed: dict[str, set[str]] = {"subject": set(), "object": set()}
    for task in tasks:
        for verb, function in zip(relpron.labels(task)["verb"], task.functions, strict=True):
            needed["subject" if function == "OBJ" else "object"].add(verb)
    rows = []
    for (role, verbs), column in zip(needed.items(), (1, 0), strict=True):
        phrases = counts.phrases[role]
        pairs_of = Counter(phrases.words[i] for i in phrases.ids[:, column])
        pairs = np.array([pairs_of[verb] for verb in sorted(verbs)])
        enough = pairs[pairs >= fewest]
        quartiles = np.quantile(enough, [0.25, 0.5, 0.75]) if len(enough) else [np.nan] * 3
        rows.append((f"{role} matrices", len(verbs), len(enough), *(f"{q:.0f}" for q in quartiles)))
    columns = ("", "verbs that need one", "verbs with enough pairs", "pairs of a verb: lower quartile", "median")
    return (*columns, "upper quartile"), rows


def curves(full: Results, split: str) -> dict[str, list[tuple]]:
    """Learning curves of a split: for each system (tokens, MAP, low, high) by size of the corpus."""
    return {
        system: [(n, r.value, r.low, r.high) for n, r in learning_curve(full, system, "Skip-Gram", split=split)]
        for system in CURVE
    }


def extrapolated(curves: Mapping[str, Mapping[str, list[tuple]]], doublings: float) -> Table:
    """Whether the slope of each curve, carried on over so many doublings, reaches the published figure."""
    rows = []
    for split, of in curves.items():
        for system, points in of.items():
            target = published_rimell2016(system, "Skip-Gram", split)
            if len(points) < 2 or target is None:
                continue
            tokens, maps, lows, highs = zip(*points, strict=True)
            slope, gap = np.polyfit(np.log2(tokens), maps, 1)[0], target - maps[-1]
            if lows[-1] <= target <= highs[-1]:
                reading = "the paper's figure lies in our interval: no gap to explain"
            elif gap < 0:
                reading = "we are above the paper"
            else:
                within = slope > 0 and gap / slope <= doublings
                reading = "data can explain it" if within else "data alone does not explain it"
            needed = f"{gap / slope:.1f}" if gap > 0 < slope else None
            rows.append((system, split, target, maps[-1], gap, slope, needed, reading))
    columns = ("system", "split", "published", "full", "gap", "MAP a doubling", "doublings to close it", "reading")
    return columns, rows


def variants(full: Results | None) -> Table:
    """The variants that were tried on a part of the corpus, beside the point of the curve of the same size."""
    rows = []
    for row in full.results if full else ():
        series, _, variant = (row.series or "").partition(", ")
        if variant:
            wanted = {"series": series, "tokens": row.tokens, "system": row.system, "split": row.split}
            usual = next(iter(full.find(**wanted)), None)
            change = row.value - usual.value if usual else None
            millions = f"{row.tokens / 1e6:.1f}"
            rows.append((row.system, row.split, variant, millions, figure(row), figure(usual), change))
    columns = ("system", "split", "variant", "million tokens", "MAP of the variant", "MAP as on the curve")
    return (*columns, "difference"), rows


def by_head_noun(results: Results, view: str, space: str) -> pd.DataFrame:
    """One view on dev, systems down, head nouns across."""
    rows = [r for r in results.find(space=space, split="dev", view=view) if r.head]
    frame = pd.DataFrame([(r.system, r.head, r.value) for r in rows], columns=["system", "head", "value"])
    table = frame.pivot(index="system", columns="head", values="value")
    return table.reindex(index=[s for s in ANALYSED if s in table.index], columns=frame["head"].unique())
