"""The ledger: written and read exactly, refused when wrong; comparison, verdicts and tables."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib.evaluation import results as ledger
from cdsm_lib.evaluation.comparison import beside_committed, beside_seeds, compare, differences, remarks
from cdsm_lib.evaluation.results import Claim, Result, Results, ResultsError, Scores
from cdsm_lib.evaluation.verdicts import Test


def result(system="Addition", value=0.5, **more):
    names = {"space": "Skip-Gram", "dataset": "relpron", "split": "test", "metric": "MAP", "tolerance": 0.01}
    return Result.of(system=system, value=value, **{**names, **more})


def book(*results, claims=(), datasets=None):
    made = ledger.made_with(datasets or {"relpron.dev": "a" * 64}, "fingerprint", 1)
    return Results("relpron", "rimell2016", "full", made, results, claims)


def claim(verdict="holds", text="the evidence", id="add"):
    return Claim.of(id, "Addition is hard to beat", ".472", [Test("stated", verdict, text=text)])


CLAIM = claim()


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda d: d.pop("claims"), "lacks claims"),
        (lambda d: d.update(extra=1), "unexpected keyword argument 'extra'"),
        (lambda d: d["made_with"].pop("seed"), "made_with: .*lacks seed"),
        (lambda d: d["results"][0].pop("n"), r"results\[0\]: .*lacks n"),
        (lambda d: d["results"][0].update(value="high"), r"results\[0\]: value must be a finite number"),
        (lambda d: d["results"][0].update(low=0.6, high=0.7), r"results\[0\]: the interval"),
        (lambda d: d["results"][0].update(low=0.4), r"results\[0\]: low and high"),
        (lambda d: d["results"][0].update(tolerance=-1), r"results\[0\]: tolerance"),
        (lambda d: d["results"][0].update(level=[1]), r"results\[0\]: level must be a finite number"),
        (lambda d: d["results"][0].update(colour="red"), r"results\[0\]: a result has no column colour"),
        (lambda d: d["claims"][0].update(verdict="true"), r"claims\[0\]: verdict must be one of holds"),
        (lambda d: d["claims"][0].update(evidence="text"), r"claims\[0\]: evidence must be a list of tests"),
        (lambda d: d["claims"][0].update(evidence=[]), r"claims\[0\]: evidence must be a list of tests"),
        (lambda d: d["claims"][0]["evidence"][0].pop("kind"), r"claims\[0\]: .*missing.*kind"),
        (lambda d: d["claims"][0]["evidence"][0].update(kind="guess"), r"claims\[0\]: a test of kind 'guess'"),
        (lambda d: d["results"].append(d["results"][0]), "stands twice"),
        (lambda d: d["claims"].append(d["claims"][0]), "stands twice"),
        (lambda d: d.update(results={}), "results: must be a list"),
    ],
)
def test_bad_ledgers_are_refused(tmp_path, change, problem):
    path = tmp_path / "relpron.json"
    data = json.loads(book(result(), claims=[CLAIM]).to_json())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ResultsError, match=problem) as caught:
        Results.read(path)
    assert str(caught.value).startswith("relpron.json")


@pytest.mark.parametrize("text", ["", "{", '{"value": NaN}'])
def test_files_that_are_no_json(tmp_path, text):
    path = tmp_path / "relpron.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match="no results"):
        Results.read(path)


def test_compare_uses_each_results_tolerance_and_what_agrees_by_it_alone_is_known():
    exact = {"tolerance": 0.0}
    committed = book(result(value=0.5), result("SPLF", 0.4, **exact), result("PLF", 0.3))
    assert compare(committed, committed) == []
    near = book(result(value=0.51), result("SPLF", 0.40004, **exact), result("PLF", 0.3))
    assert compare(committed, near) == []
    far = book(result(value=0.5101), result("SPLF", 0.4001, **exact), result("FPLF", 0.2))
    assert [str(d) for d in compare(committed, far)] == [
        "Addition | Skip-Gram | relpron | test | MAP: 0.5101, committed as 0.5, beyond the tolerance of 0.01",
        "SPLF | Skip-Gram | relpron | test | MAP: 0.4001, committed as 0.4, beyond the tolerance of 0",
        "PLF | Skip-Gram | relpron | test | MAP: committed as 0.3, not recomputed",
        "FPLF | Skip-Gram | relpron | test | MAP: 0.2 is not committed",
    ]
    assert compare(committed, book(result(value=0.5)), subset=True) == []
    timed, near = (book(result("PLF", 0.3), result(value=v, minutes=m)) for v, m in ((0.5, 9), (0.5001, 3)))
    near = replace(near, results=near.results[::-1])
    place = "Skip-Gram | relpron | test | MAP"
    assert compare(timed, near) == [] and [str(difference) for difference in differences(timed, near)] == [
        f"Addition | {place}: 0.5001, committed as 0.5, within the tolerance of 0.01",
        f"in this place: Addition | {place}, committed as PLF | {place}",
    ]


@pytest.mark.parametrize("metric", ["p", "p against word overlap"])
def test_a_p_may_differ_by_so_many_deviates(metric):
    """Of a two-sided p of .001 and .05 the normal deviates are 3.291 and 1.960; of .005, 2.807, and of .14, 1.476."""
    p = dict.fromkeys(("low", "high", "n", "published")) | {"metric": metric, "tolerance": 0.5}
    for committed, near, far in ((0.001, 0.005, 0.0055), (0.05, 0.14, 0.145), (0.05, 0.014, 0.0138), (0, 1e-3, 0.006)):
        was, alike, other = (book(result(value=value, **p)) for value in (committed, near, far))
        assert compare(was, alike) == [] and len(compare(was, other)) == 1


EVIDENCE = Test("greater", "holds", ("Addition", "PLF"), (0.5, 0.3), 0.2, 0.1, 0.3, (0.05,), 0.01, (73,), "terms",
                (0.472, 0.4), tolerance=0.002)  # fmt: skip
WHOLE = book(
    result(low=0.4, high=0.6, n=73, published=0.472, level=2, kind="synonym", mixed=True),
    result("PLF", 0.3),
    claims=[Claim.of("add", "Addition is better", ".472", [EVIDENCE, Test("near", "holds", ("A", "B"), (0.4, 0.5))])],
)


def leaves(part, *path):
    """The places of all values in a ledger's JSON, except the versions, which may differ."""
    if isinstance(part, dict | list):
        entries = part.items() if isinstance(part, dict) else enumerate(part)
        return [leaf for name, value in entries if name != "versions" for leaf in leaves(value, *path, name)]
    return [path]


def altered(file: Path, path, change) -> Results | None:
    """The ledger with another value at a place of its JSON, or without it; None if it is refused when it is read."""
    data = part = json.loads(WHOLE.to_json())
    for name in path[:-1]:
        part = part[name]
    change(part, path[-1])
    file.write_text(json.dumps(data))
    with suppress(ResultsError):
        return Results.read(file)


def other(part, name):
    value = part[name]
    swapped = {"holds": "fails", "greater": "equal", True: False, None: 0.5}
    part[name] = swapped[value] if value in swapped else value + "x" if isinstance(value, str) else value + 0.05


@pytest.mark.parametrize("path", leaves(json.loads(WHOLE.to_json())), ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize("subset", [False, True])
def test_no_value_can_be_altered_unseen(tmp_path, path, subset):
    changed = altered(tmp_path / "it.json", path, other)
    assert changed is None or compare(changed, WHOLE, subset=subset)


@pytest.mark.parametrize("path", [
    ("made_with", "datasets", "relpron.dev"), ("results", 0), ("results", 0, "level"), ("claims", 0),
    ("claims", 0, "evidence", 1), ("claims", 0, "evidence", 0, "published"), ("claims", 0, "evidence", 0, "p"),
])  # fmt: skip
def test_nothing_can_be_dropped_or_added_unseen(tmp_path, path):
    changed = altered(tmp_path / "it.json", path, lambda part, name: part.pop(name))
    assert changed is None or (compare(changed, WHOLE) and compare(WHOLE, changed))


def test_committed_files_are_held_against_their_digests(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger.datasets, "data_root", lambda: tmp_path)
    ledger.commit(WHOLE)
    ledger.commit(replace(WHOLE, profile="sample"))
    ledger.commit(replace(WHOLE, results=()), tmp_path / "results/multiverse/relpron.json")
    model, table = tmp_path / "models/relpron.npz", tmp_path / "published/table6.json"
    for path in (model, table, tmp_path / "published/claims.toml", tmp_path / "mine.npz"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("0.496")
        ledger.enter_digest(path)
    assert (tmp_path / "published/SHA256SUMS").read_text().endswith("table6.json\n")
    ledger.check_digests()
    place = ledger.committed_path("relpron")
    place.write_text(place.read_text().replace("0.472", "0.473"))
    (tmp_path / "results/multiverse/relpron.json").unlink()
    (tmp_path / "results/full/other.json").write_text("{}")
    for path in (model, table):
        path.write_text("0.497")
    with pytest.raises(ResultsError) as wrong:
        ledger.check_digests()
    ledgers = "results/full/other.json, results/full/relpron.json, results/multiverse/relpron.json"
    assert f"{ledgers}, published/{table.name}, models/{model.name}: not" in str(wrong.value)


def test_a_run_is_set_beside_what_is_committed(tmp_path, monkeypatch):
    monkeypatch.setattr(ledger.datasets, "data_root", lambda: tmp_path)
    run = book(result(value=0.51), claims=[CLAIM])
    assert beside_committed(run) == "No figures are committed for the full profile."
    book(result(value=0.5), result("SPLF"), claims=[CLAIM]).write(ledger.committed_path("relpron"))
    assert beside_committed(run).startswith("All 2 figures and verdicts of this run agree with those committed")
    told = beside_committed(book(result(value=0.52), claims=[claim("fails", "other")]))
    assert "Of the 2 figures and verdicts of this run 2 are not those" in told and "0.52, committed as 0.5" in told


def test_a_published_figure_on_the_same_items_is_held_against_the_seeds():
    """By hand: .50, .52, .54 have deviation .02; t of two degrees of freedom is 4.3027, times .02 sqrt(4/3) .0994."""
    seeds = [result(metric=f"MAP, {name} of seeds", value=value, n=3) for name, value in (("mean", 0.52), ("sd", 0.02))]
    for published, outside in ((0.421, False), (0.419, True), (0.619, False), (0.621, True)):
        row = result(value=0.5, low=0.3, high=0.7, published=published)  # the interval over items decides nothing
        (pair,) = beside_seeds(book(row, *seeds), metric="MAP")
        assert pair.difference == pytest.approx(0.52 - published) and pair.outside is outside
        assert pair.reach == pytest.approx(4.302653 * 0.02 * (4 / 3) ** 0.5 + 0.0005)  # .4212 is printed as .421
    assert beside_seeds(book(result(published=0.4)), metric="MAP") == []  # one training: nothing to hold it against


def test_looking_for_what_is_not_there():
    with pytest.raises(KeyError, match="0 results"):
        book(result()).one(system="SPLF")
    with pytest.raises(KeyError, match="add"):
        book().claim("add")
    assert book(claims=(claim("holds", id="mult"), claim("fails"))).claim("add").verdict == "fails"


PLACE = ("a", "b", "c", "dev", "MAP")


def test_scores_of_items_give_a_row_with_the_interval_of_their_mean():
    items = Scores(*PLACE, np.array([0.0, 1.0] * 50), tolerance=0.1, columns={"level": 2})
    row = items.row(split="test")
    assert (row.value, row.n, row.tolerance, row.level, row.split) == (0.5, 100, 0.1, 2, "test")
    assert 0.39 < row.low < 0.42 and 0.58 < row.high < 0.61
    grouped = Scores(*PLACE, np.array([1.0, 1.0, 0.0]), groups=np.array([7, 7, 8])).row()
    assert (grouped.low, grouped.high) == (0.0, 1.0) and grouped.value == pytest.approx(2 / 3)


def test_scores_that_are_no_mean_take_the_interval_of_their_resamples():
    drawn = np.linspace(0.4, 0.6, 41)
    row = Scores(*PLACE, statistic=0.5, resamples=drawn, n=7, published=0.6).row()
    assert (row.value, row.n, row.published) == (0.5, 7, 0.6)
    assert (row.low, row.high) == (pytest.approx(0.405), pytest.approx(0.595))
    beyond = Scores(*PLACE, statistic=0.9, resamples=drawn).row()
    assert (beyond.high, beyond.n) == (0.9, None)
    assert Scores(*PLACE, statistic=0.9).row().low is None


def test_breakdowns_group_the_items_by_their_labels():
    labels = {"pos": np.array(["NOUN", "VERB", "NOUN", "VERB"]), "senses": np.array([2, 2, 3, 2])}
    scores = Scores(*PLACE, [1, 0, 1, 1], groups=np.array([1, 2, 3, 4]), labels=labels, columns={"window": 4})
    parts = {(part["pos"], part["senses"]): part for part in scores.groupby("pos", "senses")}
    assert {key: part.values.tolist() for key, part in parts.items()} == {
        ("NOUN", 2): [1], ("VERB", 2): [0, 1], ("NOUN", 3): [1],
    }  # fmt: skip
    verbs = parts["VERB", 2]
    assert verbs.groups.tolist() == [2, 4] and verbs.value == 0.5 and verbs["window"] == 4 and verbs["level"] is None
    assert [len(part.values) for part in scores.groupby("pos")] == [2, 2]
    assert len(scores.where(pos="ADV").values) == 0


def test_rows_are_a_frame_with_the_columns_that_some_row_has():
    rows = book(result("SPLF", 0.3, series="Skip-Gram", tokens=800), result(low=0.4, high=0.6)).rows
    assert list(rows.columns)[:2] == ["system", "space"] and list(rows.columns)[11:] == ["series", "tokens"]
    assert rows.set_index("system").value.to_dict() == {"SPLF": 0.3, "Addition": 0.5}


def counted(value: float, verdict: str, tolerance=0.3) -> Results:
    text = f"mean rho {value:.2f} over 21 pairs"
    test = Test("stated", verdict, (), (), value, value - 0.1, value + 0.1, (0.0,), text=text, tolerance=tolerance)
    return book(claims=[Claim.of("agree", "The tasks agree", "none", [test])])


def test_a_verdict_may_move_by_a_step_where_its_figures_lie_near_their_bound():
    held, undecided, failed = counted(0.15, "holds"), counted(0.05, "undecided"), counted(-0.12, "fails")
    assert compare(held, undecided) == [] and compare(undecided, failed) == []
    assert any(str(d).startswith("claim agree: undecided, committed as holds") for d in differences(held, undecided))
    older = replace(held, made_with=held.made_with | {"versions": held.made_with["versions"] | {"numpy": "1.0"}})
    assert remarks(older, held) == [f"numpy is {np.__version__}, committed with 1.0"]
    assert {d.name for d in compare(held, failed)} == {"", "test 1, verdict"}  # two steps
    exact = counted(0.05, "undecided", tolerance=0.02)  # the bound 0 lies .05 and .15 from the interval's ends
    assert {d.name for d in compare(counted(0.05, "holds"), exact)} == {"", "test 1, verdict"}
