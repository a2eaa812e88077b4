"""What evidence consists of, read back from its text: by hand, and for every committed claim."""

import math

import numpy as np
import pytest

from cdsm_lib.evaluation import claims
from cdsm_lib.evaluation import results as ledger
from cdsm_lib.evaluation.results import Claim, Ledger, Result

NAMES = {"id": "x", "text": "a claim"}
FULL, SAMPLE = claims.ledgers(), claims.ledgers("sample")
ALL = [(book, claim) for book in FULL.values() if book.paper in claims.PAPERS for claim in book.claims]


def made(evidence: str, verdict: str = "undecided") -> claims.Part:
    (part,) = claims.parts(Claim("x", "a claim", None, verdict, evidence))
    return part


def test_a_comparison_by_permutation():
    part = made("A, window 1 0.600, B (dev) 0.500; difference +0.100 [+0.000, +0.196], p = .049, 65 items", "holds")
    assert (part.kind, part.verdict, part.names, part.values) == (
        "greater",
        "holds",
        ("A, window 1", "B (dev)"),
        (0.6, 0.5),
    )
    assert (part.value, part.low, part.high, part.bounds, part.p, part.n) == (0.1, 0.0, 0.196, (0.0,), 0.049, (65,))
    assert part.standard_error == pytest.approx(0.05, abs=1e-6)
    # 80% power at the 5% level needs 2.8 standard errors: .14 here, and (1.4)^2 times as many items for .1
    assert part.visible == pytest.approx(0.1401, abs=1e-4) and part.times == pytest.approx(1.962, abs=1e-2)


def test_the_other_forms_of_evidence():
    margin = made(
        "A 0.500, B 0.700; difference -0.200 [-0.300, -0.100] against a margin of -0.02, p < .001, 9 and 7 items"
    )
    assert (margin.kind, margin.bounds, margin.p, margin.n) == ("greater", (-0.02,), 0.001, (9, 7))
    assert margin.distance == pytest.approx(0.18)
    equal = made("A 0.500, B 0.490; difference +0.010 [-0.030, +0.060], equal up to 0.05, 73 items")
    assert (equal.kind, equal.bounds, equal.p) == ("equivalent", (-0.05, 0.05), None)
    assert equal.distance == pytest.approx(0.04)
    drawn = made("A 0.500, B 0.500; difference -0.000 [-0.050, +0.050], 2000 draws")
    assert (drawn.kind, drawn.bounds, drawn.n, drawn.times) == ("resampled", (0.0,), (2000,), math.inf)
    within = made("A (dev): share 0.777 [0.700, 0.848], claimed range 0.7 to 0.9, 65 items")
    assert (within.kind, within.names, within.bounds) == ("within", ("A (dev): share",), (0.7, 0.9))
    assert within.distance == pytest.approx(0.077)


def test_evidence_of_several_parts_and_none():
    low, high = np.zeros(30), np.ones(30)
    one = ledger.verdict_greater(high, low, names=("A", "B"), **NAMES)
    two = ledger.verdict_equivalent(high, low, names=("A", "B"), **NAMES)
    three = ledger.verdict_within(low, 0, 0.5, name="A", **NAMES)
    four = ledger.verdict_resampled(1, 0, high, low, names=("A", "B"), **NAMES)
    found = claims.parts(ledger.verdict_all([one, two, three, four], **NAMES))
    assert [(part.kind, part.verdict) for part in found] == [
        ("greater", "holds"), ("equivalent", "fails"), ("within", "holds"), ("resampled", "holds"),
    ]  # fmt: skip
    assert [part.text for part in found] == [one.evidence, two.evidence, three.evidence, four.evidence]
    with pytest.raises(ValueError, match="claim 'x': its evidence 'nothing to test'"):
        made("nothing to test")


@pytest.mark.parametrize(("book", "claim"), ALL, ids=[f"{book.chapter}-{claim.id}" for book, claim in ALL])
def test_every_committed_verdict_follows_from_its_evidence(book, claim):
    for part in claims.parts(claim):
        slack = 0.0011  # the evidence has three decimals
        if part.kind == "greater":
            expected = {"undecided"} if part.p >= 0.05 else {"holds" if part.value > part.bounds[0] else "fails"}
            assert part.verdict in expected
        else:
            least, most = part.bounds if len(part.bounds) == 2 else (part.bounds[0], math.inf)
            if part.verdict == "holds":
                assert least - slack <= part.low and part.high <= most + slack
            elif part.verdict == "fails":
                assert part.high <= least + slack or part.low >= most - slack
            else:
                assert part.low <= least + slack or part.high >= most - slack
    verdicts = {part.verdict for part in claims.parts(claim)}
    assert claim.verdict == ("fails" if "fails" in verdicts else "undecided" if "undecided" in verdicts else "holds")


def test_what_means_alone_would_say():
    better = "A 0.600, B 0.500; difference +0.100 [-0.100, +0.300], p = .500, 65 items"
    worse = "A 0.400, B 0.500; difference -0.100 [-0.300, +0.100], p = .500, 65 items"
    near = "A 0.400, B 0.430; difference -0.030 [-0.300, +0.300], equal up to 0.05, 65 items"
    assert [claims.by_means(Claim("x", "y", None, "undecided", e)) for e in (better, worse, near)] == [
        "holds", "fails", "holds",
    ]  # fmt: skip
    both = Claim("x", "y", None, "undecided", f"(undecided) {better}; (undecided) {worse}")
    assert claims.by_means(both) == "fails"


def book(chapter: str, *published: tuple[str, float, float]) -> Ledger:
    results = [Result(name, "s", "d", "all", "MAP", value, published=there) for name, value, there in published]
    return Ledger(chapter, "p", "full", {}, results)


def test_why_a_part_does_not_hold():
    part = made("A (dev) 0.520, B 0.500; difference +0.020 [-0.080, +0.120], p = .700, 65 items")
    # visible: 2.8 standard errors of .051, that is .143
    for there, said in (
        (0.6, "too few items even for the paper's difference"),
        (0.8, "the paper's difference would have shown"),
        (0.2, "the paper's difference would have shown; ours points the other way"),
    ):
        published = book("relpron", ("A", 0.52, there), ("B", 0.5, 0.5))
        assert claims.published_difference(part, published) == pytest.approx(there - 0.5)
        assert claims.reason(part, published) == said
    assert claims.published_difference(part, book("relpron", ("A", 0.4, 0.6), ("B", 0.5, 0.5))) is None
    assert claims.reason(part, book("relpron")) == "no published figures to measure by"
    wide = made("A 0.5, B 0.5; difference +0.000 [-0.080, +0.080], equal up to 0.05, 65 items")
    near = made("A 0.5, B 0.5; difference +0.040 [+0.020, +0.060], equal up to 0.05, 65 items")
    assert claims.reason(wide, book("relpron")) == "the interval is wider than the range"
    assert claims.reason(near, book("relpron")) == "near an end of the range"
    lost = made("A 0.4, B 0.5; difference -0.100 [-0.180, -0.020], p = .010, 65 items", "fails")
    said = {name: claims.reason(lost, book(name)) for name in ("relpron", "lexical_substitution", "question_answering")}
    assert list(said.values()) == [
        "against it, on the paper's data",
        "against it, on data made like the paper's",
        "against it, on other data",
    ]
    won = made("A 0.6, B 0.5; difference +0.100 [+0.020, +0.180], p = .010, 65 items", "holds")
    assert claims.reason(won, book("relpron")) == ""


def test_all_claims_in_the_order_of_the_book():
    found = claims.entries(FULL, SAMPLE)
    assert sum(claims.count(found).values()) == len(found) == sum(len(ledger.claims) for ledger in FULL.values())
    chapters = [entry.ledger.chapter for entry in found]
    assert list(dict.fromkeys(chapters)) == [name for name in claims.NOTEBOOKS if name in chapters]
    assert {entry.ledger.paper for entry in found if not entry.beyond} == set(claims.PAPERS)
    assert any(entry.beyond for entry in found) and any(entry.sample for entry in found)
    assert set(claims.DATA) == {e.ledger.chapter for e in found if e.ledger.paper in claims.PAPERS}


def test_a_listing_links_folds_and_escapes():
    one = Claim("a&b", "A & B differ", None, "holds", "A 0.6, B 0.5; difference +0.1 [+0.0, +0.2], p = .01, 65 items")
    several = Claim("all", "All", "<.5", "undecided", f"(holds) {one.evidence}; (undecided) {one.evidence}")
    owner = Ledger("relpron", "rimell2016", "full", {}, (), (one, several))
    shown = claims.Listing((claims.Entry(owner, one, several), claims.Entry(owner, several, None)), "Two claims")
    page = shown._repr_html_()
    assert '<tr id="all-claim-relpron-a-b"><th scope="row"' in page
    assert '<a href="30-relpron.html#claim-relpron-a-b">A &amp; B differ</a>' in page
    assert "<summary>Ours, 2 parts: 1 holds, 1 undecided</summary>" in page and "<div>Published: &lt;.5</div>" in page
    assert page.count("<details>") == 1 and page.count("Published") == 1 and "<caption>Two claims</caption>" in page
    assert "<strong>holds</strong></td><td>undecided</td>" in page.replace("\n", "")
    assert "30-relpron.html#claim-relpron-all" in repr(shown) and "Sample: –." in repr(shown)
