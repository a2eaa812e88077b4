"""Rimell et al. 2016: relative clauses on RELPRON. Three spaces, every method, both splits, every view of the paper.

The notebook, ``make reproduce``, ``make verify`` and the sweep make their figures with ``figures``. Of the corpus
only the compiled form is taken from the cache when figures are recomputed, everything else is made anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.chapters import relpron_beyond as beyond
from cdsm_lib.chapters import relpron_kept
from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.relpron_models import Ranking
from cdsm_lib.chapters.training_counts import TrainingCounts
from cdsm_lib.display import figure
from cdsm_lib.evaluation import ledger, results
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import relpron

# ----------------------------------------------------------------------------------------------------------- figures

TABLE_6 = ("SPLF", "Addition", "PLF", "FPLF", "RPTensor", "VArg", "Vhn")
ANALYSED = ("SPLF", "Addition", "FPLF", "VArg")
"""The systems of the paper's error analysis (section 7)."""

CURVE = ("Addition", "PLF", "SPLF", "FPLF", "RPTensor")

Rankings = Mapping[tuple[str, str, str], Ranking]
"""By (system, space, split)."""


def scores_of(
    ranking: Ranking,
    metric: str,
    values: np.ndarray,
    scale: float = 1.0,
    *,
    groups: np.ndarray | None = None,
    **columns,
) -> Scores:
    """A view of a ranking, one value an item, with the paper's figure; the teaching set is another task and has none.

    A view of one head noun or one function is a mean of few terms and moves more than the mean of all: `scale` 3. Items
    of the same group are drawn together.
    """
    task, place = ranking.task, (ranking.system, ranking.space)
    of_paper = models.TEXT.get(ranking.system, ranking.system), ranking.space, task.split, metric
    published = results.published_rimell2016(*of_paper) if task.name == "relpron" else None
    tolerance = scale * models.TOLERANCE[ranking.space]
    return Scores(
        *place, task.name, task.split, metric, values, groups, published=published, tolerance=tolerance, columns=columns
    )


def average_precision(ranking: Ranking) -> Scores:
    """MAP (Tables 5 and 6)."""
    return scores_of(ranking, "MAP", ranking.scores.ap)


def of_heads(ranking: Ranking, name: str, view: str, by_head: Mapping[str, np.ndarray]) -> list[Scores]:
    """A view of a ranking for each head noun that has terms with vectors."""
    parts = {head: values for head, values in by_head.items() if len(values)}
    return [scores_of(ranking, f"{name} {head}", values, 3, view=view, head=head) for head, values in parts.items()]


def views(ranking: Ranking) -> list[Scores]:
    """The other views of the paper on one ranking (Tables 7 to 11) that are shown or that a claim takes."""
    asked, options = (ranking.similarity, ranking.task), {"missing_terms": "omit"}
    scores = of_heads(ranking, "MAP of head noun", "of head noun", relpron.by_head_noun(*asked, **options))
    within, view = relpron.by_head_noun(*asked, restricted=True, **options), "within head noun"
    scores += of_heads(ranking, f"MAP {view}", view, within)
    scores.append(scores_of(ranking, f"MAP {view}: mean", np.concatenate(list(within.values())), view=view))
    share, view = relpron.top_ten_share(*asked, **options), "top-ten share"
    known, heads = ~np.isnan(share), np.array(ranking.task.head_of)
    by_head = {head: share[known & (heads == head)] for head in ranking.task.head_nouns}
    scores += of_heads(ranking, view, view, by_head)
    scores.append(scores_of(ranking, view, share[known], view=view))
    reciprocal, rank = relpron.property_queries(*asked, **options)
    ranked = ~np.isnan(rank)
    terms = ranking.task.term_of[ranked]
    scores.append(scores_of(ranking, "MRR of properties", reciprocal[ranked], groups=terms))
    # ranks run to 65 or 73, not to 1
    scores.append(scores_of(ranking, "mean rank of the term", rank[ranked], 20, groups=terms))
    return scores


def functions(ranking: Ranking) -> list[Scores]:
    """MAP on subject and on object properties (Table 7)."""
    by_function = relpron.by_function(ranking.similarity, ranking.task, missing_terms="omit")
    return [scores_of(ranking, f"MAP {f}", of.ap, 3, view=f) for f, of in by_function.items() if len(of.ap)]


def on_both_functions(ranking: Ranking) -> list[Scores]:
    """MAP on subject and on object properties, of the terms that have both: what can be compared in pairs."""
    by_function = relpron.by_function(ranking.similarity, ranking.task, missing_terms="omit")
    pair = relpron.paired(by_function["SBJ"], by_function["OBJ"])
    return [scores_of(ranking, f"MAP {function}", ap) for function, ap in zip(relpron.FUNCTIONS, pair, strict=True)]


BOTH = "dev and test"


def together(dev: Scores, test: Scores) -> Scores:
    """The items of both splits, which are about different terms; `published` is that of dev, always printed."""
    groups = None if dev.groups is None else np.concatenate([dev.groups, test.groups + dev.groups.max() + 1])
    return replace(dev, split=BOTH, values=np.concatenate([dev.values, test.values]), groups=groups)


def claims(rankings: Rankings, seed: int) -> list[Claim]:
    """What the paper concludes, each sentence tested on the terms of both splits (``data/published/claims.toml``).

    What it says of a head noun is tested on dev, as in the paper: the other split has other head nouns.
    """
    scores = {of: [average_precision(ranking)] for of, ranking in rankings.items()}
    for (system, space, split), own in scores.items():
        ranking = rankings[system, space, split]
        if space == "Skip-Gram" and system in ("SPLF", "Addition", "FPLF"):
            own += [view for view in views(ranking) if view.metric in ("top-ten share", "MRR of properties")]
            own += on_both_functions(ranking)
    tested = [of for own in scores.values() for of in own if of.split == "test"]
    for (system, space, split), ranking in rankings.items():
        if (space, split) == ("Skip-Gram", "dev") and system in ANALYSED:
            tested += [view for view in views(ranking) if view["view"] == "of head noun" and view["head"]]
    for (system, space, split), own in scores.items():
        if split == "dev":
            tested += map(together, own, scores[system, space, "test"])
    return evaluate("relpron", tested, seed=seed)


# ------------------------------------------------------------------------------------------------------------ together


def run(
    profile: Profile,
    tasks: Sequence[relpron.RelPron],
    counts: TrainingCounts,
    systems: Sequence[str] | None = None,
    kept: relpron_kept.Kept | None = None,
) -> tuple[Rankings, list[beyond.Tuned]]:
    """Train every space that the counts have; rank with every system (or these), and tune the steps beyond.

    Parameters
    ----------
    kept : Kept
        What Skip-Gram made of the properties, if the counts have no vectors.
    """
    settings, seed = profile["relpron"], profile["seed"]
    spaces = models.train_spaces(counts, profile)
    if "Count-SVD" in counts.counts:
        spaces["PPMI-SVD"] = beyond.ppmi_svd_space(counts, profile)
    learned = {name: models.train(of, counts, settings, seed) for name, of in spaces.items()}
    rankings = models.rankings(spaces, learned, tasks, systems or tuple(models.METHODS))
    if kept:
        spaces["Skip-Gram"] = kept.trained
        rankings |= kept.rankings(tasks)
    elif "Skip-Gram" in spaces and not systems:
        rankings |= models.readings(spaces["Skip-Gram"], counts, learned["Skip-Gram"], tasks, settings, seed)
    both = [spaces[name] for name in ("Skip-Gram", "PPMI-SVD") if name in spaces]
    tuned = beyond.tune(both, rankings, counts, profile, tasks) if len(both) == 2 else []
    return rankings, tuned


def results_of(
    rankings: Rankings,
    tuned: Sequence[beyond.Tuned],
    corpus: str,
    profile: Profile,
    *,
    further: Sequence[Result] = (),
    analysed: str = "Skip-Gram",
    others: Mapping[int, Rankings] | None = None,
) -> Results:
    """Every figure of a run, and the paper's claims tested on it.

    Parameters
    ----------
    rankings, tuned
        From `run`: MAP of all rankings, the paper's views of some on dev in the space `analysed`, the steps beyond.
    corpus : str
        Its fingerprint.
    profile : Profile
    further : sequence of Result
        Further rows.
    analysed : str
        The space of which these views are figures, the paper's by default.
    others : mapping of seed to rankings, optional
        What replaces some of them after a training with another seed: the claims are tested with every seed.
    """
    scores = [average_precision(ranking) for ranking in rankings.values()]
    for (system, space, split), ranking in rankings.items():
        if (space, split) == (analysed, "dev"):
            scores += functions(ranking) if system in (*ANALYSED, "RPTensor") else []
            scores += views(ranking) if system in ANALYSED else []
    rows = [score.row() for score in [*scores, *beyond.beyond_scores(tuned)]]
    by_seed = {profile["seed"]: rankings} | {seed: {**rankings, **again} for seed, again in (others or {}).items()}
    rows += ledger.seed_rows({
        seed: [average_precision(ranking) for (_, space, _), ranking in of_seed.items() if space == "Skip-Gram"]
        for seed, of_seed in by_seed.items()
    })  # fmt: skip
    tested = ()
    if ("SPLF", "Skip-Gram", "test") in rankings:
        tested = over_seeds({seed: claims(of_seed, profile["seed"]) for seed, of_seed in by_seed.items()})
    used = datasets.used(["relpron", "wikipedia_parsed"] if profile.name == "full" else [])
    made = results.made_with(used, corpus, profile["seed"])
    return Results("relpron", "rimell2016", profile.name, made, (*rows, *further), tuple(tested))


def of_other_seeds(
    profile: Profile, tasks: Sequence[relpron.RelPron], counts: TrainingCounts, *, subset: bool
) -> dict[int, Rankings]:
    """The rankings on Skip-Gram after trainings with further seeds: {seed: rankings}.

    They are kept (`relpron_kept`), and read by a subset.
    """
    found = {}
    for seed in ledger.seeds_of(profile, "seeds.relpron")[1:]:
        other, name = profile.replace({"seed": seed}), f"{relpron_kept.NAME}-{seed}"
        if subset:
            found[seed] = relpron_kept.read(counts, other, tasks, name).rankings(tasks)
        else:
            trained = models.gather(models.wikipedia(), relpron.vocabulary(*tasks), other, spaces=("Skip-Gram",))
            found[seed], _ = run(other, tasks, trained)
            relpron_kept.keep(found[seed], trained, other, tasks, name)
    return found


SIZES = (1, 2, 4, 8)
"""Sixteenths of the corpus on the learning curve; the whole corpus is the main result."""

VERIFIED = (1,)
"""The sizes that `make verify` recomputes."""


def curve_rows(files: int, profile: Profile, tasks: Sequence[relpron.RelPron]) -> list[Result]:
    """One size of the learning curve: everything trained anew on the first `files` sixteenths of the corpus."""
    corpus = models.wikipedia(files)
    counts = models.gather(corpus, relpron.vocabulary(*tasks), profile, spaces=("Skip-Gram",))
    return at_size(run(profile, tasks, counts, CURVE)[0], corpus.n_tokens)


def at_size(rankings: Rankings, n_tokens: int) -> list[Result]:
    """MAP on skip-gram of the systems on the learning curve, as rows of a space that names its size."""
    place = {**results.sized("Skip-Gram", n_tokens), "published": None}
    return [
        average_precision(ranking).row().changed(**place)
        for (system, space, _), ranking in rankings.items()
        if space == "Skip-Gram" and system in CURVE
    ]


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All but skip-gram's training on more than the smallest size of the learning curve: what it made of the whole
        corpus is read from ``data/models/relpron.npz``.
    """
    tasks = models.tasks_of(profile)
    if profile.name != "full":
        counts = models.counts_of(profile, tasks)
        return results_of(*run(profile, tasks, counts), counts.corpus, profile)
    corpus = models.wikipedia()
    if subset:
        counts = models.gather(corpus, relpron.vocabulary(*tasks), profile, spaces=("Count", "Count-SVD"))
        rankings, tuned = run(profile, tasks, counts, kept=relpron_kept.read(counts, profile, tasks))
    else:
        counts = models.counts_of(profile, tasks, afresh=True)
        rankings, tuned = run(profile, tasks, counts)
        relpron_kept.keep(rankings, counts, profile, tasks)
    curve = at_size(rankings, corpus.n_tokens)
    for n in VERIFIED if subset else SIZES:
        curve += curve_rows(n, profile, tasks)
    others = of_other_seeds(profile, tasks, counts, subset=subset)
    return results_of(rankings, tuned, counts.corpus, profile, further=curve, others=others)


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
    seen, shares = set(map(tuple, counts.triples.ids.tolist())), {}
    for task in tasks:
        names = relpron.labels(task)
        names["term"] = np.array(names["term"])[task.term_of].tolist()
        term, verb, argument = (
            counts.triples.words.encode(counts.alike.get(word, word) for word in names[role])
            for role in ("term", "verb", "argument")
        )
        subject = task.functions == "SBJ"
        triples = np.stack([np.where(subject, term, argument), verb, np.where(subject, argument, term)], axis=1)
        occurs = np.array([tuple(triple) in seen for triple in triples.tolist()])
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
        system: [(n, r.value, r.low, r.high) for n, r in results.learning_curve(full, system, "Skip-Gram", split=split)]
        for system in CURVE
    }


def last_doublings(curves: Mapping[str, Mapping[str, list[tuple]]]) -> Table:
    """What each doubling of the corpus brought a system, and whether the published figure lies in our interval."""
    rows = []
    for split, of in curves.items():
        for system, points in of.items():
            if len(points) < 2:
                continue
            _, maps, lows, highs = zip(*points, strict=True)
            target = results.published_rimell2016(system, "Skip-Gram", split)
            where = "below" if target < lows[-1] else "above" if target > highs[-1] else "within"
            rows.append((system, split, *np.diff(maps), maps[-1], target, where))
    sizes = [f"to 1/{16 // n}" for n in SIZES[1:]]
    return ("system", "split", *sizes, "to all", "full", "published", "published, against our interval"), rows


def outside(full: Results | None) -> Table:
    """The published MAP figures that lie outside the intervals of our full results."""
    rows = [row for row in full.find(metric="MAP") if None not in (row.published, row.low)] if full else ()
    far = sorted((row for row in rows if not row.low <= row.published <= row.high), key=lambda row: row.value)
    columns = ("system", "space", "split", "published", "full")
    return columns, [(row.system, row.space, row.split, row.published, figure(row)) for row in far]


def elsewhere() -> Table:
    """What other works report on RELPRON, a row for each system; those on a part of the test set in a column of their
    own."""
    rows, part = [], ""
    for of in results.read_published("later_results")["RELPRON (MAP dev/test)"]:
        if "test_subset" not in of:
            rows.append((of["system"], of["dev"], of["test"], None, of["source"]))
            continue
        names, _, about = of["system"].partition(" masked prediction")
        work, part = about.strip(" ()").partition(",")[0], of["source"].partition("SUBSET: ")[2].partition(" only")[0]
        printed = of["source"].partition("prints ")[2].partition(")")[0].split("/")
        for name, value, other in zip(names.split(" / "), of["test_subset"].split(" / "), printed, strict=True):
            source = f"{work}; recomputed from its models' output, its page prints {other}"
            rows.append((f"{name}, masked prediction", None, None, float(value), source))
    return ("system", "dev", "test", f"test, {part}", "where it stands"), rows


def resolution_remark(full: Results) -> str:
    """Which differences the claims' tests told from chance and which they did not, as a sentence."""
    tests = [test for claim in full.claims for test in claim.evidence if test.kind == "greater" and test.bounds == (0,)]
    told = [test.value for test in tests if test.verdict == "holds"]
    unclear = [abs(test.value) for test in tests if test.verdict == "undecided"]
    return (
        f"On the full data the tests have up to {max(max(test.n) for test in tests)} terms, those of both splits. The "
        f"smallest difference that they tell from chance is {min(told):.3f}"
        + (f", the largest that they do not {max(unclear):.3f}." if unclear else ".")
    )


def by_head_noun(figures: Results, view: str, space: str) -> pd.DataFrame:
    """One view on dev, systems down, head nouns across."""
    rows = [vars(row) for row in figures.find(space=space, split="dev", view=view) if row.head]
    frame = pd.DataFrame(rows, columns=["system", "head", "value"])
    table = frame.pivot(index="system", columns="head", values="value")
    return table.reindex(index=[s for s in ANALYSED if s in table.index], columns=frame["head"].unique())
