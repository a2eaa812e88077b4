"""The ledger: written and read exactly, refused when wrong; comparison, verdicts and tables."""

import json
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib.evaluation import results as ledger
from cdsm_lib.evaluation.results import Claim, Ledger, LedgerError, Result

PUBLISHED = Path(__file__).parents[2] / "data" / "published"


def result(system="Addition", value=0.5, **more):
    names = {"space": "Skip-Gram", "dataset": "relpron", "split": "test", "metric": "MAP", "tolerance": 0.01}
    return Result(system=system, value=value, **{**names, **more})


def book(*results, claims=(), datasets=None):
    made = ledger.made_with(datasets or {"relpron.dev": "a" * 64}, "fingerprint", 1)
    return Ledger("relpron", "rimell2016", "full", made, results, claims)


CLAIM = Claim("add", "Addition is hard to beat", ".472", "holds", "the evidence")


def test_written_and_read_again(tmp_path):
    path = tmp_path / "results" / "full" / "relpron.json"
    book(result(low=0.4, high=0.61234567, n=73, published=0.472), result("SPLF", 1 / 3), claims=[CLAIM]).write(path)
    again = Ledger.read(path)
    assert again.one(system="SPLF").value == 0.3333
    assert again.one(system="Addition").high == 0.6123
    assert again.claim("add") == CLAIM
    assert again.made_with["versions"].keys() >= {"python", "numpy", "scipy"}
    before = path.read_bytes()
    again.write(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["relpron.json"]


def test_the_schema_is_the_agreed_one(tmp_path):
    path = tmp_path / "relpron.json"
    book(result(), claims=[CLAIM]).write(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert list(data) == ["chapter", "paper", "profile", "made_with", "results", "claims"]
    assert list(data["made_with"]) == ["datasets", "corpus", "versions", "seed"]
    assert list(data["results"][0]) == [
        "system", "space", "dataset", "split", "metric", "value", "low", "high", "n", "published", "tolerance",
    ]  # fmt: skip
    assert list(data["claims"][0]) == ["id", "text", "published", "verdict", "evidence"]
    assert data["results"][0]["published"] is None


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda d: d.pop("claims"), "lacks claims"),
        (lambda d: d.update(extra=1), "unknown extra"),
        (lambda d: d["made_with"].pop("seed"), "made_with: lacks seed"),
        (lambda d: d["results"][0].pop("metric"), r"results\[0\]: lacks metric"),
        (lambda d: d["results"][0].update(value="high"), r"results\[0\]: value must be a finite number"),
        (lambda d: d["results"][0].update(low=0.6, high=0.7), r"results\[0\]: the interval"),
        (lambda d: d["results"][0].update(low=0.4), r"results\[0\]: low and high"),
        (lambda d: d["results"][0].update(tolerance=-1), r"results\[0\]: tolerance"),
        (lambda d: d["claims"][0].update(verdict="true"), r"claims\[0\]: verdict must be one of holds"),
        (lambda d: d["results"].append(d["results"][0]), "stands twice"),
        (lambda d: d["claims"].append(d["claims"][0]), "stands twice"),
        (lambda d: d.update(results={}), "results: must be a list"),
        (lambda d: d.update(profile=3), "profile: must be text"),
    ],
)
def test_bad_ledgers_are_refused(tmp_path, change, problem):
    path = tmp_path / "relpron.json"
    data = json.loads(book(result(), claims=[CLAIM]).to_json())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(LedgerError, match=problem) as caught:
        Ledger.read(path)
    assert str(caught.value).startswith("relpron.json")


@pytest.mark.parametrize("text", ["", "{", '{"value": NaN}'])
def test_files_that_are_no_json(tmp_path, text):
    path = tmp_path / "relpron.json"
    path.write_text(text)
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger.read(path)


def test_compare_uses_each_results_tolerance():
    committed = book(result(value=0.5, tolerance=0.01), result("SPLF", 0.4, tolerance=0.0), result("PLF", 0.3))
    assert ledger.compare(committed, committed) == []
    near = book(result(value=0.51), result("SPLF", 0.40004), result("PLF", 0.3))
    assert ledger.compare(committed, near) == []
    far = book(result(value=0.5101), result("SPLF", 0.4001), result("FPLF", 0.2))
    assert [str(d) for d in ledger.compare(committed, far)] == [
        "Addition | Skip-Gram | relpron | test | MAP: 0.5101, committed as 0.5, beyond the tolerance of 0.01",
        "SPLF | Skip-Gram | relpron | test | MAP: 0.4001, committed as 0.4, beyond the tolerance of 0.0",
        "PLF | Skip-Gram | relpron | test | MAP: committed as 0.3, not recomputed",
        "FPLF | Skip-Gram | relpron | test | MAP: 0.2 is not committed",
    ]
    assert ledger.compare(committed, book(result(value=0.5)), subset=True) == []


def test_compare_claims_and_data():
    committed = book(claims=[CLAIM])
    other = Claim("add", "Addition is hard to beat", ".472", "fails", "other")
    assert [str(d) for d in ledger.compare(committed, book(claims=[other]))] == ["claim add: fails, committed as holds"]
    changed = book(claims=[CLAIM], datasets={"relpron.dev": "b" * 64})
    assert [d.what for d in ledger.compare(committed, changed)] == ["dataset relpron.dev"]
    assert ledger.compare(committed, book(), subset=True) == []
    assert len(ledger.compare(committed, book())) == 1


def test_result_of_items():
    found = Result.of_items(
        np.array([0.0, 1.0] * 50), system="a", space="b", dataset="c", split="dev", metric="MAP", tolerance=0.1
    )
    assert found.value == 0.5 and found.n == 100
    assert 0.39 < found.low < 0.42 and 0.58 < found.high < 0.61


def test_published_figures():
    def lookup(*names):
        return ledger.published_rimell2016(*names, folder=PUBLISHED)

    assert lookup("Addition", "Skip-Gram", "test") == 0.472
    assert lookup("Addition", "Count-SVD", "dev") == 0.442
    assert lookup("Mult", "Count", "dev") == 0.364
    assert lookup("SPLF", "Skip-Gram", "dev") == 0.496
    assert lookup("FPLF", "Skip-Gram", "dev", "MAP OBJ") == 0.428
    assert lookup("RPTensor", "Skip-Gram", "dev", "MAP SBJ") == 0.52
    assert lookup("SPLF", "Count", "dev") is None
    assert lookup("arg", "Skip-Gram", "test") is None
    assert lookup("PLF", "Skip-Gram", "dev", "MAP SBJ") is None
    assert lookup("SPLF", "Skip-Gram", "dev", "MRR") is None
    with pytest.raises(LedgerError, match="no such published table"):
        ledger.read_published("rimell2016_table99", PUBLISHED)


NAMES = {"id": "x", "text": "a claim", "names": ("A", "B")}


def test_verdicts_come_from_tests_on_the_items():
    rng = np.random.default_rng(0)
    b = rng.random(60)
    better, noise = b + 0.1 + 0.02 * rng.standard_normal(60), b + 0.3 * rng.standard_normal(60)
    assert ledger.verdict_greater(better, b, **NAMES).verdict == "holds"
    assert ledger.verdict_greater(b, better, **NAMES).verdict == "fails"
    assert ledger.verdict_greater(noise, b, **NAMES).verdict == "undecided"
    assert ledger.verdict_greater(better, b, margin=0.2, **NAMES).verdict == "fails"
    assert ledger.verdict_greater(better, b, margin=0.05, **NAMES).verdict == "holds"
    assert ledger.verdict_equivalent(b + 0.02 + 0.001 * rng.random(60), b, **NAMES).verdict == "holds"
    assert ledger.verdict_equivalent(better, b, **NAMES).verdict == "fails"
    assert ledger.verdict_equivalent(noise, b, margin=0.02, **NAMES).verdict == "undecided"


def test_groups_of_different_items_are_compared_unpaired():
    rng = np.random.default_rng(1)
    a, b = rng.random(40) + 0.5, rng.random(60)
    claim = ledger.verdict_greater(a, b, paired=False, **NAMES)
    assert claim.verdict == "holds" and claim.evidence.endswith("40 and 60 items")
    assert ledger.verdict_greater(b, a, paired=False, **NAMES).verdict == "fails"
    assert ledger.verdict_greater(a, b, margin=0.5, paired=False, **NAMES).verdict == "undecided"


def test_evidence_names_the_numbers():
    claim = ledger.verdict_greater(np.full(10, 0.6), np.full(10, 0.5), published=".6 and .5", **NAMES)
    assert claim.evidence.startswith("A 0.600, B 0.500; difference +0.100 [+0.100, +0.100], p ")
    assert claim.evidence.endswith("10 items") and claim.published == ".6 and .5"


def test_verdict_within_and_all():
    about_eight = {"id": "x", "text": "about eight of ten", "name": "share"}
    values = np.array([0.7, 0.8, 0.9] * 30)
    holds = ledger.verdict_within(values, 0.75, 0.85, **about_eight)
    fails = ledger.verdict_within(values, 0.2, 0.3, **about_eight)
    undecided = ledger.verdict_within(values, 0.8, 0.85, **about_eight)
    assert [c.verdict for c in (holds, fails, undecided)] == ["holds", "fails", "undecided"]
    assert ledger.verdict_all([holds, holds], id="y", text="both").verdict == "holds"
    assert ledger.verdict_all([holds, undecided], id="y", text="both").verdict == "undecided"
    assert ledger.verdict_all([undecided, fails], id="y", text="both").verdict == "fails"
    assert ledger.verdict_all([holds, fails], id="y", text="both").evidence.startswith("(holds) share 0.800")
    with pytest.raises(ValueError, match="no parts"):
        ledger.verdict_all([], id="y", text="both")


def test_three_columns():
    full = book(
        result(value=0.45, low=0.4, high=0.5, published=0.472),
        result("SPLF", 0.44, published=0.497),
        result("SPLF", 0.3, space=ledger.at_size("Skip-Gram", 1000)),
    )
    run = Ledger("relpron", "rimell2016", "sample", full.made_with, [result(value=0.7, dataset="relpron_mini")])
    table = ledger.three_column_table(None, full, run, systems=["SPLF", "Addition"], caption="Table 6")
    assert table.rows == (
        ("SPLF", "Skip-Gram", "test", "0.497", "0.440", "–"),
        ("Addition", "Skip-Gram", "test", "0.472", "0.450 [0.400, 0.500]", "0.700"),
    )
    assert table.columns[-3:] == ("published", "full", "this run")
    assert "| SPLF | Skip-Gram | test | 0.497 | 0.440 | – |" in table.to_markdown()
    assert '<th scope="row">SPLF</th>' in table._repr_html_() and "<caption>Table 6</caption>" in table._repr_html_()
    assert str(table).splitlines()[0].split() == ["system", "space", "split", "published", "full", "this", "run"]
    chosen = ledger.three_column_table({("SPLF", "Skip-Gram", "test"): 0.9}, full, None, splits=["test"])
    assert chosen.rows[1][3] == "0.900" and chosen.rows[0][3] == "–"


def test_learning_curve_is_sorted_by_size():
    points = [result("SPLF", 0.1 * i, space=ledger.at_size("Skip-Gram", size)) for i, size in ((3, 9000), (1, 800))]
    curve = ledger.learning_curve(book(*points, result("SPLF")), "SPLF", "Skip-Gram", split="test")
    assert [(size, round(r.value, 1)) for size, r in curve] == [(800, 0.1), (9000, 0.3)]


def test_claims_side_by_side():
    other = Claim("mult", "Mult fails", None, "undecided", "nothing yet")
    table = ledger.claims_table(book(claims=[CLAIM]), book(claims=[CLAIM, other]))
    assert table.rows[0] == (CLAIM.text, ".472", "holds: the evidence", "holds: the evidence")
    assert table.rows[1] == ("Mult fails", "–", "–", "undecided: nothing yet")


def test_rows_of_claims_can_be_linked_to():
    other = Claim("E&P-fails", "E&P fails", None, "undecided", "nothing yet")
    table = ledger.claims_table(None, book(claims=[CLAIM, other]))
    assert table.anchors == ("claim-relpron-" + CLAIM.id, "claim-relpron-e-p-fails")
    shown = table._repr_html_()
    assert f'<tr id="claim-relpron-{CLAIM.id}"><th scope="row">' in shown and 'id="claim-relpron-e-p-fails"' in shown
    assert "claim-relpron" not in table.to_markdown() and "claim-relpron" not in str(table)
    assert 'id="' not in ledger.Table.of(("a",), [("b",)])._repr_html_()
    for anchors in (("x",), ("x", "x")):
        with pytest.raises(ValueError, match="one a row, each different"):
            ledger.Table(("a",), (("b",), ("c",)), anchors=anchors)


def test_looking_for_what_is_not_there():
    with pytest.raises(KeyError, match="0 results"):
        book(result()).one(system="SPLF")
    with pytest.raises(KeyError, match="no field"):
        book().find(colour="red")
    with pytest.raises(KeyError, match="no claim"):
        book().claim("add")


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.2, "holds"), (-0.2, "fails"), (0.0, "undecided")], ids=["above", "below", "around"]
)
def test_verdict_from_resamples_looks_at_the_interval_of_the_difference(shift, verdict):
    b = np.linspace(0.4, 0.6, 101)
    a = b[::-1] * 0.1 + b * 0.9 + shift  # differences of at most .02 around the shift
    claim = ledger.verdict_resampled(0.5 + shift, 0.5, a, b, id="x", text="a beats b", names=("a", "b"), what="draws")
    assert claim.verdict == verdict
    assert f"a {0.5 + shift:.3f}, b 0.500; difference {shift:+.3f} [" in claim.evidence
    assert claim.evidence.endswith("101 draws")
    # the percentiles by hand: a - b = shift + .1 (1 - 2b), evenly spaced from shift + .02 to shift - .02
    assert f"[{shift - 0.019:+.3f}, {shift + 0.019:+.3f}]" in claim.evidence


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0.5, 0.6], [0.5], r"shapes \(2,\) and \(1,\)"),
        ([], [], "take the same"),
        ([0.5, np.nan], [0.5, 0.4], "good or bad has resamples that are NaN"),
    ],
)
def test_unsound_resamples_give_no_verdict(a, b, message):
    with pytest.raises(ValueError, match=message):
        ledger.verdict_resampled(0.5, 0.4, a, b, id="x", text="a beats b", names=("good", "bad"))


def test_verdicts_on_zeros_and_ones_count_ties():
    """Of sixty items one differs: no evidence, though no permutation exceeds it. Fifteen in one direction are."""
    a, b = np.ones(60), np.ones(60)
    b[0] = 0
    assert ledger.verdict_greater(a, b, **NAMES).verdict == "holds"
    assert ledger.verdict_greater(a, b, ties=True, **NAMES).verdict == "undecided"
    b[:15] = 0
    assert ledger.verdict_greater(a, b, ties=True, **NAMES).verdict == "holds"
    assert ledger.verdict_greater(b, a, ties=True, **NAMES).verdict == "fails"


def test_verdict_within_draws_groups():
    """Forty items, 26 of them 1: .65. As items the interval excludes .5; as ten groups of four it does not, since 6.5
    groups of ten are 1."""
    about = {"id": "x", "text": "in most cases", "name": "share"}
    values = np.array([1.0] * 26 + [0.0] * 14)
    groups = np.repeat(np.arange(10), 4)
    alone = ledger.verdict_within(values, 0.5, 1, **about)
    grouped = ledger.verdict_within(values, 0.5, 1, groups=groups, **about)
    assert (alone.verdict, grouped.verdict) == ("holds", "undecided")
    assert grouped.evidence.startswith("share 0.650 [") and grouped.evidence.endswith("0.5 to 1, 40 items")
    assert ledger.verdict_within(np.ones(8), 0.5, 1, groups=np.repeat([0, 1], 4), **about).verdict == "holds"
    assert ledger.verdict_within(np.zeros(8), 0.5, 1, groups=np.repeat([0, 1], 4), **about).verdict == "fails"
    with pytest.raises(ValueError, match="one group a value"):
        ledger.verdict_within(values, 0.5, 1, groups=groups[1:], **about)
