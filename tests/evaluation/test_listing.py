"""Claims as lines: which effect stands for one, what unfolds, and where links lead."""

from dataclasses import replace

from cdsm_lib.evaluation import listing
from cdsm_lib.evaluation.listing import Line, Listing, telling
from cdsm_lib.evaluation.results import Claim, Results
from cdsm_lib.evaluation.verdicts import Test


def compared(value: float, half: float, verdict: str) -> Test:
    return Test(
        "greater", verdict, ("A", "B"), (0.5 + value, 0.5), value, value - half, value + half, (0.0,), 0.01, (9,)
    )


NARROW, WIDE = compared(0.1, 0.02, "holds"), compared(0.1, 0.09, "holds")
OPEN, LOST = compared(0.01, 0.05, "undecided"), compared(-0.2, 0.02, "fails")
STATED = Test("stated", "undecided", text="nothing to measure")


def test_the_telling_test_is_the_nearest_to_another_verdict_or_the_clearest_failure():
    assert telling(Claim.of("a", "A", None, [NARROW, WIDE])) is WIDE
    assert telling(Claim.of("a", "A", None, [NARROW, OPEN, replace(OPEN, value=0.04)])) is OPEN
    assert telling(Claim.of("a", "A", None, [compared(-0.1, 0.09, "fails"), NARROW, LOST])) == LOST
    assert telling(Claim.of("a", "A", None, [STATED])).effect == ""
    by_seeds = replace(Claim.of("a", "A", None, [NARROW]), verdict="undecided")  # of another seed
    assert telling(by_seeds) is NARROW and NARROW.effect == "+0.100 [+0.080, +0.120]"


def test_a_line_unfolds_links_and_escapes():
    one = Claim.of("a&b", "A & B differ", None, [NARROW])
    several = Claim.of("all", "All", "<.5", [NARROW, OPEN])
    lines = (
        Line("all-claim-a-b", {"full": one, "sample": several}, (), "30-relpron.html#claim-a-b", "Rimell et al. 2016"),
        Line("all-claim-all", {"full": several, "sample": None}, ("Too few items & more.",)),
    )
    folded = Listing(lines, "Two claims", folded=True)._repr_html_()
    assert folded.startswith('<details class="claims"><summary>Two claims: 1 holds, 1 undecided</summary>')
    shown = Listing(lines, "Two claims")
    assert shown._repr_html_().startswith('<div class="claims"><p>Two claims</p>')
    first, second = shown._repr_html_().split("<details")[1:]
    assert 'id="all-claim-a-b" data-verdict="holds" data-paper="Rimell et al. 2016"' in first
    assert '<a href="30-relpron.html#claim-a-b">' in first and "A &amp; B differ</span>" in first
    assert ">holds</strong>" in first and "+0.100 [+0.080, +0.120]</span>" in first
    assert "sample: undecided</span>" in first and "Published" not in first and "<a href" not in second
    assert "<p>Published: &lt;.5</p>" in second and "(2 parts: 1 holds, 1 undecided)" in second
    assert "sample: –</span>" in second and "<p>Too few items &amp; more.</p>" in second
    assert repr(shown).splitlines()[0] == "Two claims"
    assert "sample: –." in repr(shown) and "Computed in 30-relpron.html#claim-a-b" in repr(shown)


def test_a_chapter_shows_both_runs_in_the_order_of_the_claims():
    one, other = Claim.of("mult", "Mult fails", None, [STATED]), Claim.of("E&P-fails", "E&P fails", None, [LOST])
    full = Results("relpron", "rimell2016", "full", {}, (), (one,))
    mine = replace(full, profile="sample", claims=(one, other))
    lines = listing.of_chapter(full, mine).lines
    assert [line.anchor for line in lines] == ["claim-relpron-mult", "claim-relpron-e-p-fails"]
    assert [list(line.runs.items()) for line in lines] == [
        [("full", one), ("this run", one)], [("full", None), ("this run", other)],
    ]  # fmt: skip
    assert lines[1].claim is other and "full: –" not in lines[1].html().split("</summary>")[1]
    assert [line.runs for line in listing.of_chapter(None, mine).lines] == [{"this run": one}, {"this run": other}]
