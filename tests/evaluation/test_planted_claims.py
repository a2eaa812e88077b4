"""Every claim of ``claims.toml`` on planted scores: it holds where it is clearly so, fails where it is clearly not, and
is undecided on the bound. Only what a chapter computes itself is left to that chapter's tests."""

from itertools import product

import numpy as np
import pytest

from cdsm_lib.evaluation.claims import evaluate, registry
from cdsm_lib.evaluation.results import COLUMNS, Scores

COMPUTED = [
    ("relpron", "splf-is-varg"), ("lexical_substitution", "families-differ-by-position"),
    ("leaderboard", "best-travels"), ("leaderboard", "addition-near-best"), ("leaderboard", "tasks-agree"),
]  # fmt: skip
"""Claims with a test that its chapter computes, and where it is tested with it."""
PLANTED = [
    (chapter, id)
    for chapter, entries in registry().items()
    for id, entry in entries.items()
    if all(test["test"] != "computed" for test in entry["tests"])
]
ITEMS = 40


def combined(selector: dict) -> list[dict]:
    """The fields of the scores that a selector asks for, by the values of its lists."""
    lists = [value if isinstance(value, tuple) else (value,) for name, value in selector.items() if name != "take"]
    names = [name for name in selector if name != "take"]
    return [dict(zip(names, values, strict=True)) for values in product(*lists)]


def comparisons(test: dict) -> list[tuple[list[dict], ...]]:
    """For each test that an entry stands for, of each side the fields of its scores, or of all that it takes from."""
    found = []
    for both in combined(test.get("both", {})):
        sides = []
        for side in (test[name] for name in ("first", "second") if name in test):
            fields = combined({**both, **side})
            sides.append([fields] if "take" in side else [[each] for each in fields])
        n = max(map(len, sides))  # lists go in step, and one value stands beside each of a list
        found += zip(*(side * (n // len(side)) for side in sides), strict=True)
    return found


def key(fields: dict) -> tuple:
    return tuple(sorted(fields.items()))


def levels(tests, gap: float) -> dict[tuple, float]:
    """A figure for each of the scores: first lies so far above the bound of every test, or below it if negative."""
    level = {}
    for _ in range(9):  # until the chains of comparisons, such as three levels of a synonym, have settled
        for test in tests:
            for first, *second in comparisons(test):
                first, second = map(key, first), [key(fields) for side in second for fields in side]
                for place in first:
                    if test["test"] == "within":
                        low, high = test["range"]
                        level[place] = (low + high) / 2 if gap >= 0 else high - gap
                        continue
                    for other in second:
                        a, b = level.setdefault(place, 0.0), level.setdefault(other, 0.0)
                        if test["test"] == "equal":
                            level[place] = b if gap >= 0 else b + test["margin"] - gap
                        elif gap >= 0:
                            level[place] = max(a, b + test.get("margin", 0) + gap)
                        else:
                            level[other] = max(b, a - test.get("margin", 0) - gap)
    return level


def planted(tests, gap: float, noise: float) -> list[Scores]:
    """The scores, each with noise about its level that is zero on average: so means differ by just what was planted."""
    rng, scores = np.random.default_rng(0), []
    of_phrases = any("unit" in test for test in tests)
    for fields, value in levels(tests, gap).items():
        names = {"space": "", "dataset": "d", "split": "", "metric": "", **dict(fields)}
        names.setdefault("system", names.get("role", "a system"))
        columns = {name: names.pop(name) for name in COLUMNS if name in names}
        values = rng.normal(size=ITEMS) * noise
        values += value - values.mean()
        if names["metric"] in ("rho", "AUC"):  # of which there are resamples only
            scores.append(Scores(**names, columns=columns, statistic=value, resamples=values))
        else:
            groups = np.arange(ITEMS) // 2 if of_phrases else None
            scores.append(Scores(**names, columns=columns, values=values, groups=groups))
    return scores


@pytest.mark.parametrize(
    ("gap", "noise", "verdict"), [(0.3, 0.02, "holds"), (-0.3, 0.02, "fails"), (0, 2, "undecided")]
)
@pytest.mark.parametrize(("chapter", "id"), PLANTED)
def test_a_claim_is_as_its_scores_say(chapter, id, gap, noise, verdict):
    tests = registry()[chapter][id]["tests"]
    (claim,) = [claim for claim in evaluate(chapter, planted(tests, gap, noise), n=200) if claim.id == id]
    assert [test.verdict for test in claim.evidence] == [verdict] * sum(len(comparisons(test)) for test in tests)


def test_every_claim_is_planted_or_computed_by_its_chapter():
    every = [(chapter, id) for chapter, entries in registry().items() for id in entries]
    assert sorted(PLANTED + COMPUTED) == sorted(every) and not set(PLANTED) & set(COMPUTED)
