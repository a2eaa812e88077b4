"""Claims: entries and their evaluation, what committed evidence says, and why some claims do not hold."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.datasets import DataError
from cdsm_lib.evaluation import claims
from cdsm_lib.evaluation.claims import disagreeing, evaluate, over_seeds
from cdsm_lib.evaluation.listing import corrected
from cdsm_lib.evaluation.results import Claim, Results, Scores
from cdsm_lib.evaluation.verdicts import Test

CHANGES = claims.changes()


def compared(value: float, low: float, high: float, verdict: str = "undecided", **more) -> Test:
    kind = "equal" if len(more.get("bounds", ())) == 2 else "greater"
    more = {"bounds": (0.0,), "n": (65,), **more}
    return Test(kind, verdict, ("A", "B"), (0.5 + value, 0.5), value, low, high, **more)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        # visible: 2.8 standard errors of .051, that is .143
        (compared(0.02, -0.08, 0.12, published=(0.6, 0.5)), "too few items even for the paper's difference"),
        (compared(0.02, -0.08, 0.12, published=(0.8, 0.5)), "the paper's difference would have shown"),
        (compared(0.02, -0.08, 0.12, published=(0.2, 0.5)),
         "the paper's difference would have shown; ours points the other way"),
        (compared(0.02, -0.08, 0.12), "no published figures to measure by"),
        (compared(0, -0.08, 0.08, bounds=(-0.05, 0.05)), "the interval is wider than the range"),
        (compared(0.04, 0.02, 0.06, bounds=(-0.05, 0.05)), "near an end of the range"),
        (compared(-0.1, -0.18, -0.02, "fails"), "against it, by our models on the paper's data"),
        (replace(compared(-0.01, -0.03, 0.01, "fails"), least=0.02), "no difference that would count"),
        (compared(0.1, 0.02, 0.18, "holds"), ""),
    ],
)  # fmt: skip
def test_why_a_test_does_not_hold(test, said):
    assert claims.reason(test, "relpron") == said


def test_what_would_settle_a_claim():
    """A distance of .05 against a standard error of .0255: 2.8 standard errors are .0714, so (.0714 / .05)^2 = 2.04."""
    near, far = compared(0.05, 0, 0.1), compared(0.01, -0.04, 0.06)
    drawn, seeds = replace(near, unit="draws"), replace(near, names=("A (seed 7)", "B"))
    said = [claims.settled_by(Claim.of("x", "y", None, [test])) for test in (near, far, drawn, seeds)]
    assert said[0].startswith("2.0 times as many items (items: 65 to 133), if") and "more than 20 times" in said[1]
    assert said[2].startswith("2.0 times as many items, if") and said[3].startswith("a training that gives every seed")


def test_a_chapter_answers_by_its_verdict():
    near = Claim.of("x", "y", None, [replace(compared(0.05, 0, 0.1), names=("A (seed 7)", "B"))])
    full = Results("c", "p", "full", claims=[near, Claim.of("z", "y", None, [compared(0.1, 0.1, 0.1, "holds")])])
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("IPython.display.display", lambda text: shown.append(text.data))
        claims.answer(full, "x", holds="Yes.", undecided="Open.", fails="No.")
    assert shown == [
        "**Answer.** Open.",
        "**Evidence.** On the full data the figure is 0.550 for A and 0.500 for B, a difference of +0.050 "
        "[+0.000, +0.100] (65 items). Of the 2 claims of this chapter 1 holds and 1 is undecided.",
    ]


def test_every_date_on_which_a_rule_changed_is_listed(entries, tmp_path):
    """The real file's comments first: each full date of theirs begins a change."""
    file = Path("published") / "claims.toml"
    comments = re.findall("(?m)^#.*", (Path(__file__).parents[2] / "data" / file).read_text(encoding="utf-8"))
    assert set(re.findall(claims.DATE, "\n".join(comments))) <= {date for date, *_ in CHANGES}
    text = '# Head.\n#\n# 3 May 2026, all\n# else.\n\n# 2 May 2026, after the figures: new. 1 May 2026, old.\n[c.it]\n'
    (tmp_path / file).write_text(text + "# 4 May 2026, items.\n\n[d.it]\n")
    assert claims.changes() == [
        ("1 May 2026", "c.it", "Old."), ("2 May 2026", "c.it", "New."), ("3 May 2026", "", "All else."),
        ("4 May 2026", "d.every", "Items."),
    ]  # fmt: skip


def test_what_holms_correction_leaves():
    """Of the parts that hold the largest p counts, .02; of two parts of which one fails, the smallest, .01, twice. Two
    claims: .02 times 2, and .02. With a third, undecided one: .02 times 3. What is stated does not count."""
    sure, close = (replace(compared(0.1, 0.01, 0.19, "holds"), p=p) for p in (0.001, 0.02))
    against = replace(compared(-0.1, -0.19, -0.01, "fails"), p=0.01)
    parts = {"a": [sure, close], "b": [sure, against], "c": [Test("stated", "fails", text="counted")]}
    tested = [Claim.of(id, "y", None, tests) for id, tests in parts.items()]
    assert corrected(tested) == {"a": "holds", "b": "fails", "c": "fails"}
    ways = [replace(test, by=(way,)) for test, way in ((against, "text"), (replace(against, p=0.03), "code"))]
    assert corrected([Claim.of("a", "y", None, ways)]) == {"a": "fails"}  # .03, and two claims double it
    assert set(corrected([Claim.of(id, "y", None, ways) for id in "ab"]).values()) == {"undecided"}
    unclear = Claim.of("d", "y", None, [compared(0.1, -0.01, 0.21, p=0.06)])
    assert corrected([*tested, unclear]) == {"a": "undecided", "b": "undecided", "c": "fails"}


# ------------------------------------------------------------------------------------------------ entries and scores

RNG = np.random.default_rng(0)
ITEMS = RNG.random(60)
LIFTS = {"low": 0.0, "middle": 0.2, "high": 0.4}


def scores_of(system: str, split: str, **more) -> Scores:
    return Scores(system, "s", "d", split, "MAP", ITEMS + LIFTS[system] + 0.01 * RNG.random(60), **more)


SCORES = [scores_of(system, split) for split in ("dev", "test") for system in LIFTS]


def toml(value) -> str:
    """A value as TOML has it within a line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {toml(part)}' for name, part in value.items())}}}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list | tuple) else json.dumps(value)


@pytest.fixture
def entries(monkeypatch, tmp_path):
    """Puts entries of a chapter "c" in the place of the file's."""
    (tmp_path / "published").mkdir()
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)

    def put(*tests: dict, every: dict | None = None, **entry):
        text = {"text": "It is so.", "published": "as printed", **entry}
        chapter = {"every": every or {}, "it": {**text, "tests": list(tests)}}
        (tmp_path / "published" / "claims.toml").write_text(f"c = {toml(chapter)}")
        claims.registry.cache_clear()

    yield put
    claims.registry.cache_clear()


def greater(first: dict, second: dict, **more) -> dict:
    return {"test": "greater", "first": first, "second": second, **more}


def test_every_kind_of_test(entries):
    dev = {"split": "dev"}
    drawn = [Scores(s, "s", "d", "dev", "rho", statistic=v, resamples=v + RNG.random(50) / 9, published=v)
             for s, v in (("a", 0.5), ("b", 0.3))]  # fmt: skip
    entries(
        {"test": "equal", "first": {"system": "high"}, "second": {"system": "middle"}, "margin": 0.3, "both": dev},
        {"test": "within", "first": {"system": "low"}, "range": [0, 1], "both": dev, "names": "the {system}"},
        greater({"system": "a"}, {"system": "b"}, unit="draws"),
        greater({"system": "low"}, {"system": "high"}, both=dev, margin=-0.8, paired=False),
        {"test": "computed"},
    )
    stated = Test("stated", "undecided", text="by the chapter")
    (claim,) = evaluate("c", [*SCORES, *drawn], n=500, computed={"it": [stated]})
    assert [(test.kind, test.verdict) for test in claim.evidence] == [
        ("equal", "holds"), ("within", "holds"), ("resampled", "holds"), ("greater", "holds"), ("stated", "undecided"),
    ]  # fmt: skip
    equal, within, resampled, unpaired, _ = claim.evidence
    assert equal.bounds == (-0.3, 0.3) and within.names == ("the low",) and unpaired.n == (60, 60)
    assert resampled.unit == "draws" and resampled.published == (0.5, 0.3) and equal.published == ()


def test_a_claim_that_turns_on_the_reading_of_the_paper_is_undecided(entries):
    """T and C are ways to test it, by the text and by the code; the last test names none, and is part of both."""
    grouped = [replace(score, role="lots", groups=np.arange(60) // 5) for score in SCORES if score.split == "dev"]

    def verdict(text: str, code: str, both: str):
        by_text, by_code = (greater({"system": first}, {"system": "middle"}) for first in (text, code))
        other = greater({"system": both}, {"system": "low"})
        entries(by_text | {"by": ["T"]}, by_code | {"by": ["{role}", "C"]}, other, every={"unit": "{role}"})
        (claim,) = evaluate("c", grouped, n=500)
        drawn = [(test.by, test.n, test.unit) for test in claim.evidence]
        assert drawn[1:] == [(("lots", "C"), (12,), "lots"), ((), (12,), "lots")]
        return claim.verdict, disagreeing(claim.evidence)

    assert verdict("high", "high", "high") == ("holds", "")
    assert verdict("high", "low", "high") == ("undecided", "T: holds; lots, C: fails")
    assert verdict("low", "low", "high")[0] == "fails" and verdict("high", "high", "low")[0] == "undecided"
    within = {"test": "within", "first": {"system": "low"}, "range": [0, 1]}
    entries(within, every={"unit": "{role}"})
    assert evaluate("c", grouped, n=500)[0].evidence[0].n == (12,)


def test_what_only_some_seeds_give_is_undecided():
    def claims(*verdicts):
        tests = [Test("within", verdict, ("a",), (i,), 0.5, 0.4, 0.6, (0, 0.9)) for i, verdict in enumerate(verdicts)]
        return [Claim.of(f"c{i}", "It is so.", None, [test]) for i, test in enumerate(tests)]

    by_seed = {7: claims("holds", "holds", "fails"), 8: claims("holds", "undecided", "holds")}
    same, mixed, turned = over_seeds(by_seed)
    assert same == by_seed[7][0] and [mixed.verdict, turned.verdict] == ["undecided"] * 2
    assert mixed.evidence[0].names == ("a (seed 8)",) and turned.evidence[0].names == ("a (seed 7)",)
    assert list(over_seeds({7: by_seed[7]})) == by_seed[7]


@pytest.mark.parametrize(
    ("test", "entry", "problem"),
    [
        ({"test": "greater", "first": {"system": "a"}}, {}, "c.it.tests.0: 'second' is a required property"),
        ({"test": "equal", "first": {"split": "a"}, "second": {"split": "b"}}, {}, "'margin' is a required property"),
        ({"test": "within", "first": {"system": "a"}}, {}, "'range' is a required property"),
        ({"test": "guess"}, {}, "c.it.tests.0.test: 'guess' is not one of"),
        (greater({"system": "a"}, {"system": "b"}, marign=1), {}, r"'marign' was unexpected"),
        (greater({"system": "a"}, {"system": "b"}), {"verdict": "holds"}, "c.it: .*'verdict' was unexpected"),
    ],
)
def test_entries_that_are_not_as_they_must_be(entries, test, entry, problem):
    entries(test, **entry)
    with pytest.raises(DataError, match=f"claims.toml, line .*{problem}"):
        evaluate("c", [])
