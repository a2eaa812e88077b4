"""Claims: how each is tested, why some do not hold, and how many items would settle them.

A claim is an entry of ``data/published/claims.toml``: the sentence, where the paper says it, the figures that it
prints, and the tests. The scores on which it is tested come from the chapter, and one function brings both together::

    scores = [Scores("Addition", "Skip-Gram", "relpron", "dev", "MAP", ap_of_addition), ...]
    claims = evaluate("relpron", scores, seed=profile["seed"])

How to write an entry
---------------------
::

    [relpron.vhn-far-below]                            # chapter and id
    text = "Vhn is far below VArg (by more than .1)."
    where = "section 6, Table 6"                       # of the paper; left out for what no paper claims
    published = "dev .219 and .448, test .204 and .397 (Table 6)"    # as readers see it; left out where it is lost
    tests = [{ test = "greater", first = { system = "VArg" }, second = { system = "Vhn" }, margin = 0.1,
               both = { split = ["dev", "test"] }, names = ["{system} ({space}, {split})", "{system}"] }]

Of a claim that does not hold on the full data, ``cause`` says why, as far as its chapter knows.

test
    "greater" (first better than second), "equal" (they match) or "within" (first lies in a range), see
    `cdsm_lib.evaluation.verdicts`; or "computed": the chapter hands in the finished tests by the claim's id.
first, second, both
    Which scores: fields and columns of `cdsm_lib.evaluation.results.Scores` with the wanted values, `both` for first
    and second alike. One `Scores` must answer. **A list stands for one test a value**: lists of `both` come first, then
    those of `first` and `second`, in their order; if first and second both have lists, they go in step.
take
    In first or second: "mean" or "best" of all that answer, in the order of the lists, as one; such as
    ``first = { system = ["PLF", "SPLF"], take = "mean" }``. No list in it is then one test a value.
margin, range, paired, ties, unit
    Of the tests. `paired = false` compares different items; where these have groups, they are those of both sides.
    `unit` is what the groups, or the resamples, are called, as a template of first's fields.
by
    Where a claim is tested in several ways, of which a verdict needs all: the way of this test, a list of templates of
    first's fields, such as ``["the text", "{role}"]`` (by the paper's text, over what the scores' role says). A test is
    part of every way that has all that it names.
least
    Of "greater" without a margin: the smallest difference that counts as "better". By default half of the difference
    that the paper prints, if it prints both figures.
names
    How the evidence calls first and second: a template of their fields for both, or one each. "{system}" by default.

What every test of a chapter has in common stands once, in its table ``every``::

    [relpron.every]
    both = { metric = "MAP", space = "Skip-Gram" }

A test for which the chapter has no scores is passed over, and so is a claim that is left without a test: a teaching
set may lack a system. A claim of several tests holds if all hold, and fails if one fails.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import product

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.display import Table, say, table
from cdsm_lib.evaluation import listing, verdicts
from cdsm_lib.evaluation.comparison import beside_committed
from cdsm_lib.evaluation.results import DECIMALS, VERDICTS, Claim, Results, Scores, committed
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import KEPT, place_for

PAPERS = {
    "cheung2012": "Cheung & Penn 2012",
    "white2015": "White 2015",
    "rimell2016": "Rimell et al. 2016",
    "kober2017": "Kober et al. 2017",
    "buljan2018": "Buljan et al. 2018",
}
"""The papers in the order of the book."""

CHAPTERS = {
    "relation_classification": ("cheung2012", "10-relation-classification"),
    "question_answering": ("cheung2012", "11-question-answering"),
    "localisation": ("white2015", "20-sentence-localisation"),
    "relpron": ("rimell2016", "30-relpron"),
    "phrase_similarity": ("kober2017", "40-phrase-similarity"),
    "sense_discrimination": ("kober2017", "41-sense-discrimination"),
    "lexical_substitution": ("buljan2018", "50-lexical-substitution"),
    "leaderboard": ("compendium", "90-leaderboard"),
    "reversible": ("compendium", "93-reversible"),
}
PAPER = {name: paper for name, (paper, _) in CHAPTERS.items()}
"""Of each chapter."""
NOTEBOOKS = {name: notebook for name, (_, notebook) in CHAPTERS.items()}
"""Where a chapter's claims are computed."""

TITLES = {name: page.split("-", 1)[1].replace("-", " ").capitalize() for name, page in NOTEBOOKS.items()}
TITLES |= {"relpron": "RELPRON"}
"""How the chapters are called above a chart."""

SAME, REBUILT, REPLACED = "the paper's", "rebuilt", "other data"
AGAINST = {SAME: "the paper's data", REBUILT: "data made like the paper's", REPLACED: "other data"}
"""What our models were tested on, where they say the opposite."""
DATA = {
    "relation_classification": (REPLACED, "Banko and Etzioni's sentences, labelled by us, for Bunescu and Mooney's"),
    "question_answering": (REPLACED, "questions generated from GENIA's trees for Poon and Domingos's"),
    "localisation": (SAME, "MSRPC, altered by the paper's rules"),
    "relpron": (SAME, "RELPRON"),
    "phrase_similarity": (SAME, "Mitchell and Lapata's ratings"),
    "sense_discrimination": (REPLACED, "SemCor and WordNet's examples for those of two dictionaries"),
    "lexical_substitution": (REBUILT, "ANVAN-LS, made again from CoInCo by the paper's rules"),
}
"""Is the full profile's data set the paper's? With what it is."""


# ---------------------------------------------------------------------------------------------------------------------
# Entries and their evaluation


class ClaimError(ValueError):
    """An entry of ``claims.toml`` that is not as it must be; says which, and what is wrong."""


@cache
def registry() -> dict[str, dict[str, dict]]:
    """The entries of ``data/published/claims.toml``: for each chapter its claims by id, in the order of the file.

    Raises `DataError` if the file does not fit its schema, ``cdsm_lib/schemas/claims.json``.
    """
    chapters = datasets.read_toml(datasets.data_root() / "published" / "claims.toml", "claims")
    for entries_ in chapters.values():
        every = entries_.pop("every", {})
        for entry in entries_.values():
            entry["tests"] = [_joined(every, test) for test in entry["tests"]]
    return chapters


DATE = r"\d{1,2} \w+ \d{4}"


def changes() -> list[tuple[str, str, str]]:
    """What changed in the rules after figures had been seen: date, "chapter.id" ("" for all), and what; by date.

    They are the dated comments of ``claims.toml``, each of the entry that it precedes, or of its chapter (id "every").
    """
    text = (datasets.data_root() / "published" / "claims.toml").read_text(encoding="utf-8")
    history = []
    for comment, apart, place in re.findall(r"(?m)((?:^#.*\n)+)(?:(\n?)\[(.+)\])?", text):
        place = f"{place.split('.')[0]}.every" if apart else place
        words = " ".join(line.lstrip("# ") for line in comment.splitlines())
        dated = re.findall(rf"({DATE}), (?:after the figures: )?(.*?)(?= {DATE},|$)", words)
        history += [(date, place, what[0].upper() + what[1:]) for date, what in dated]
    return sorted(history, key=lambda change: datetime.strptime(change[0], "%d %B %Y"))


def _joined(every: Mapping, test: Mapping) -> dict:
    """A test with what its chapter has in common; of selectors both parts, the test's own first."""
    joined = {**every, **test}
    if "both" in every and "both" in test:
        joined["both"] = {**test["both"], **{k: v for k, v in every["both"].items() if k not in test["both"]}}
    return joined


def evaluate(
    chapter: str,
    scores: Iterable[Scores],
    *,
    seed: int = 0,
    n: int = 10_000,
    computed: Mapping[str, Sequence[Test]] | None = None,
) -> list[Claim]:
    """The claims of a chapter, tested on its scores.

    Raises `ClaimError` if several scores answer a selector that asks for one.

    Parameters
    ----------
    chapter : str
        As in ``claims.toml``.
    scores : iterable of Scores
    seed, n : int
        Of permutations and resamples.
    computed : mapping of claim's id to tests
        For entries whose test is "computed".

    Returns
    -------
    list of Claim
        In the order of the file, without those for which there are no scores.
    """
    scores, tested = list(scores), []
    for id, entry in registry()[chapter].items():
        tests = []
        for test in entry["tests"]:
            if test["test"] == "computed":
                tests += (computed or {}).get(id, ())
            else:
                tests += [_run(test, sides, seed, n) for sides in _sides(f"{chapter}.{id}", test, scores)]
        if tests:
            tested.append(Claim.of(id, entry["text"], entry.get("published"), tests))
    return tested


def _sides(where: str, test: Mapping, scores: Sequence[Scores]) -> Iterator[list[Scores]]:
    """The scores of each test that an entry stands for: first, and second if there is one."""
    selectors = [test[side] for side in ("first", "second") if side in test]
    for both in _spread(test.get("both", {})):
        sides = []
        for selector in selectors:  # what it says itself takes the place of what is said of both
            sides.append(_spread({name: value for name, value in both.items() if name not in selector} | selector))
        n = max(map(len, sides))
        if {len(side) for side in sides} - {1, n}:
            raise ClaimError(f"{where}: lists of {' and '.join(str(len(side)) for side in sides)} cannot go in step")
        for in_step in zip(*(side * (n // len(side)) for side in sides), strict=True):
            answers = [_answer(where, selector, scores) for selector in in_step]
            if None not in answers:
                yield answers


def _spread(selector: Mapping) -> list[dict]:
    """One selector for each combination of the values in its lists."""
    if "take" in selector:
        return [dict(selector)]
    values = [value if isinstance(value, tuple) else [value] for value in selector.values()]
    return [dict(zip(selector, chosen, strict=True)) for chosen in product(*values)]


def _answer(where: str, selector: dict, scores: Sequence[Scores]) -> Scores | None:
    """The scores with these fields, or what is to be taken of several; None if there are none."""
    take, matching = selector.get("take"), []
    for wanted in _spread({name: value for name, value in selector.items() if name != "take"}):
        matching += [score for score in scores if score.has(wanted)]
    if not take and len(matching) > 1:
        raise ClaimError(f"{where}: {len(matching)} scores with {selector}, expected one")
    if matching and take == "mean":
        return mean_of(matching)
    return max(matching, key=lambda score: score.value, default=None)


def mean_of(scores: Sequence[Scores]) -> Scores:
    """The mean of several systems' scores on the same items, or of their statistics on the same resamples."""
    means = {}
    for name in ("values", "statistic", "resamples", "published"):
        parts = [getattr(score, name) for score in scores]
        means[name] = None if any(part is None for part in parts) else np.mean(parts, axis=0)
    return replace(scores[0], **means)


def _run(test: Mapping, sides: Sequence[Scores], seed: int, n: int) -> Test:
    """One test on the scores of both sides; `least` is by default half of the difference that the paper prints."""
    templates = test.get("names", "{system}")
    templates = [templates] * len(sides) if isinstance(templates, str) else templates
    names = [name.format_map({**vars(score), **score.columns}) for name, score in zip(templates, sides, strict=True)]
    printed = () if any(score.published is None for score in sides) else [score.published for score in sides]
    least = test.get("least", max(0.0, (printed[0] - printed[1]) / 2) if len(printed) == 2 else 0.0)
    least = 0.0 if test.get("margin") else least
    first, options, unit = sides[0], {"n": n, "seed": seed}, "items"
    if first.groups is not None and "unit" in test:
        unit = test["unit"].format_map(vars(first))
    if test["test"] == "within":
        outcome = verdicts.within(first.values, *test["range"], names[0], groups=first.groups, **options)
        outcome = outcome if unit == "items" else replace(outcome, n=(len(np.unique(first.groups)),))
    elif first.values is None:
        values, drawn = [score.value for score in sides], [score.resamples for score in sides]
        outcome, unit = verdicts.resampled(*values, *drawn, names, least=least), test.get("unit", "resamples")
    else:
        values = [score.by_group() for score in sides]
        if test["test"] == "equal":
            outcome = verdicts.equal(*values, names, margin=test["margin"], **options)
        elif first.groups is not None and not test.get("paired", True):
            parts = [score.values for score in sides] + [score.groups for score in sides]
            outcome = verdicts.across(*parts, names, least=least, **options)
        else:
            choices = {name: test[name] for name in ("margin", "paired", "ties") if name in test}
            outcome = verdicts.greater(*values, names, least=least, **choices, **options)
    published = [round(float(number), DECIMALS) for number in printed]
    by = [part.format_map(vars(first)) for part in test.get("by", ())]
    return replace(outcome, unit=unit, by=by, published=published, tolerance=sum(score.tolerance for score in sides))


# ---------------------------------------------------------------------------------------------------------------------
# What the tests say together


def over_seeds(by_seed: Mapping[int, Sequence[Claim]]) -> Iterator[Claim]:
    """Claims that were tested once with each seed of a training: what only some seeds give is undecided.

    Parameters
    ----------
    by_seed : mapping of seed to claims
        The same claims in the same order.

    Returns
    -------
    list of Claim
        Those of the first seed where all give its verdict. Else a claim is undecided; its evidence is that of the first
        seed whose verdict is so, if there is one, and names the seed.
    """
    for tested in zip(*by_seed.values(), strict=True):
        outcomes = [claim.verdict for claim in tested]
        differ = len(set(outcomes)) > 1
        place = outcomes.index("undecided") if differ and "undecided" in outcomes else 0
        claim, seed = tested[place], list(by_seed)[place]
        if differ:
            claim = replace(claim, verdict="undecided", evidence=[_with_seed(test, seed) for test in claim.evidence])
        yield claim


def _with_seed(test: Test, seed: int) -> Test:
    return replace(test, names=tuple(f"{name} (seed {seed})" for name in test.names))


def reason(test: Test, chapter: str) -> str:
    """Why a test does not hold, as far as its numbers tell.

    Returns
    -------
    str
        Empty for a test that holds. For one that fails: whether on the paper's data, or that the difference is smaller
        than what counts. For an undecided one, what the number of items has to do with it: the interval is wider than
        the claimed range; or the paper's own difference is smaller than what so many items show; or it is larger, so
        that the difference is smaller here than there; or the paper prints no figures to measure by.
    """
    if test.verdict == "holds":
        return ""
    if test.verdict == "fails" and test.least:
        return "no difference that would count"
    if test.verdict == "fails":
        return f"against it, by our models on {AGAINST[DATA[chapter][0]]}"
    if len(test.bounds) == 2:
        wide = test.high - test.low > test.bounds[1] - test.bounds[0]
        return "the interval is wider than the range" if wide else "near an end of the range"
    if not test.published:
        return "no published figures to measure by"
    there = test.published[0] - test.published[1] - test.bounds[0]
    if abs(there) < test.visible:
        return "too few items even for the paper's difference"
    other_way = there * (test.value - test.bounds[0]) < 0
    return "the paper's difference would have shown" + ("; ours points the other way" if other_way else "")


def answer(full: Results, claim: str, evidence: str = "", **sentences: str) -> None:
    """Show, on a chapter's first screen, its answer and the evidence, as the committed figures have them.

    Parameters
    ----------
    full : Results
    claim : str
        The id of the claim that answers the chapter's question.
    evidence : str, optional
        A sentence in place of the test that stands for the claim. How many claims have each verdict follows it.
    **sentences : str
        The answer for each of its verdicts: ``holds``, ``undecided``, ``fails``.
    """
    asked, verdicts = full.claim(claim), [each.verdict for each in full.claims]
    test = re.sub(r" \(seed \d+\)", "", str(listing.telling(asked))).replace("mean of", "the mean of")
    evidence = evidence or f"On the full data the figure is {test}."
    say(f"**Answer.** {sentences[asked.verdict]}")
    say(f"**Evidence.** {evidence} Of the {len(verdicts)} claims of this chapter {listing.told(verdicts)}.")


def conclude(full: Results | None, this_run: Results, keep: str | None = None, caption: str = "") -> None:
    """Show what a chapter concludes: every claim, and whether this run's figures are the committed ones.

    Parameters
    ----------
    full, this_run : Results
    keep : path, optional
        Where this run's results are written.
    caption : str
        Of the table of claims.
    """
    if keep:
        this_run.write(place_for("keep", keep, KEPT))
    from IPython.display import display  # there in a notebook

    display(listing.of_chapter(full, this_run, caption))
    say(beside_committed(this_run))


# ---------------------------------------------------------------------------------------------------------------------
# All claims


@dataclass(frozen=True)
class Entry:
    """A claim with what the two profiles say.

    Parameters
    ----------
    results : Results
        That of the full profile.
    claim : Claim
        Of the full profile.
    sample : Claim or None
    after : str or None
        The verdict after Holm's correction over the claims of its chapter; None if it is undecided before.
    """

    results: Results
    claim: Claim
    sample: Claim | None
    after: str | None

    @property
    def registered(self) -> dict:
        """Its entry of ``claims.toml``."""
        return registry()[self.results.chapter][self.claim.id]

    @property
    def beyond(self) -> bool:
        """Whether no paper makes it."""
        return "where" not in self.registered

    @property
    def anchor(self) -> str:
        """The id of the claim's line in its chapter; on the page of all claims it begins with "all-"."""
        return listing.claim_anchor(self.results.chapter, self.claim.id)

    @property
    def link(self) -> str:
        """Markdown that leads to the claim's line on the page of all claims."""
        return f"[{self.claim.text}](91-claims.html#all-{self.anchor})"

    @property
    def line(self) -> listing.Line:
        """As it stands on the page of all claims: both profiles, what the numbers say, and what the chapter found."""
        tests, chapter = self.claim.evidence, self.results.chapter
        reasons = Counter(reason(test, chapter) for test in tests if test.verdict != "holds" and chapter in DATA)
        said = "; ".join(f"{text} ({n} parts)" if n > 1 else text for text, n in reasons.items())
        if ways := disagreeing(tests):
            said = f"it depends on how it is tested ({ways})" + (f"; {said}" if said else "")
        remarks = [f"What the numbers say: {said}."] if said else []
        remarks += [f"What the chapter found: {self.registered['cause']}"] if "cause" in self.registered else []
        remarks += [f"What would decide it: {settled_by(self.claim)}."] if self.claim.verdict == "undecided" else []
        paper, address = PAPERS.get(self.results.paper, "none"), f"{NOTEBOOKS[chapter]}.html#{self.anchor}"
        runs = {"full": self.claim, "sample": self.sample}
        return listing.Line(f"all-{self.anchor}", runs, tuple(remarks), address, paper, self.after)


def all_results(profile: str = "full") -> dict[str, Results]:
    """All committed results of a profile by chapter, in the order of the book."""
    of_chapters = {chapter: committed(chapter, profile) for chapter in NOTEBOOKS}
    return {chapter: results for chapter, results in of_chapters.items() if results}


def entries(full: Mapping[str, Results], sample: Mapping[str, Results]) -> list[Entry]:
    """Every claim of the full profile with its counterpart in the sample profile."""
    small = {(name, claim.id): claim for name, results in sample.items() for claim in results.claims}
    listed = []
    for name, results in full.items():
        after = listing.corrected(results.claims)
        listed += [Entry(results, claim, small.get((name, claim.id)), after.get(claim.id)) for claim in results.claims]
    return listed


def count(entries_: Iterable[Entry]) -> dict[str, int]:
    """How many hold, fail and are undecided."""
    times = Counter(entry.claim.verdict for entry in entries_)
    return {verdict: times[verdict] for verdict in VERDICTS}


def disagreeing(tests: Iterable[Test]) -> str:
    """The verdicts of a claim by each way in which it is tested; empty if they are the same."""
    ways = verdicts.by_way(tests)
    listed = "; ".join(f"{', '.join(way)}: {verdict}" for way, verdict in ways.items())
    return listed if len(set(ways.values())) > 1 else ""


MANY = 20
"""So many times the items of a test set are more than anybody will collect."""


def settled_by(claim: Claim) -> str:
    """What would decide an undecided claim, as far as its tests say: see `listing.telling` for the one that counts."""
    test, ways = listing.telling(claim), disagreeing(claim.evidence)
    if "holds" in ways and "fails" in ways:
        return f"no number of items, for it depends on how it is tested ({ways})"
    if any("(seed " in name for test in claim.evidence for name in test.names):
        return "a training that gives every seed the same verdict"
    if test.times > MANY:
        return f"other items, or another margin: of these it would take more than {MANY} times as many"
    if test.unit in ("resamples", "draws"):
        return f"{test.times:.1f} times as many items, if what we saw is the true difference"
    items = " and ".join(f"{n:,} to {n * test.times:,.0f}" for n in test.n)
    return f"{test.times:.1f} times as many items ({test.unit}: {items}), if what we saw is the true difference"


def items_table(undecided: Iterable[Entry]) -> Table:
    """What would settle each undecided claim, the nearest to a verdict first."""
    rows = []
    for entry in sorted(undecided, key=lambda entry: listing.telling(entry.claim).times):
        test = listing.telling(entry.claim)
        against = " and ".join(f"{bound:g}" for bound in test.bounds)
        rows.append((entry.claim.text, test.effect, against, f"{test.visible:.3f}", settled_by(entry.claim)))
    columns = "claim", "difference or figure", "held against", "smallest visible distance", "what would decide it"
    return table(columns, rows, "Undecided claims, the nearest to a verdict first")
