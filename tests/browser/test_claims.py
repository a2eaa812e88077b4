"""Links from the pages across the papers land where they should, in a reader's browser."""

import pytest

from cdsm_lib.evaluation import claims

pytestmark = pytest.mark.browser
ACROSS = ("notebooks/91-claims.html", "book/differences.html")


def test_a_claim_leads_to_its_line_which_opens(open_page, address):
    page = open_page(address + ACROSS[0]).page
    line = page.locator("details[id^='all-claim-relpron']").first
    page.locator("details.claims", has=line).locator(":scope > summary").click()
    text = line.locator(".claim-text").inner_text()
    line.locator("summary").click()
    line.locator("a").click()
    page.wait_for_url("**/30-relpron.html#claim-relpron-*")
    target = page.locator("details.claim:target")
    assert target.locator(".claim-text").inner_text() == text and target.locator("li").first.is_visible()
    page.wait_for_function("document.querySelector('details:target').getBoundingClientRect().top < innerHeight")
    assert target.bounding_box()["y"] >= 0


@pytest.mark.parametrize(
    ("verdict", "paper"), [("fails", ""), ("", "Rimell et al. 2016"), ("undecided", "Kober et al. 2017")]
)
def test_claims_are_filtered_by_verdict_and_paper(open_page, server, verdict, paper):
    every = [entry.line for entry in claims.entries(claims.all_results(), {})]
    wanted = [line.anchor for line in every if verdict in ("", line.claim.verdict) and paper in ("", line.paper)]
    assert 0 < len(wanted) < len(every)
    page = open_page(server + ACROSS[0]).page
    for label, value in (("Verdict", verdict), ("Paper", paper)):
        page.get_by_label(label, exact=True).select_option(value)
    seen = page.eval_on_selector_all("details.claim", "all => all.filter(a => a.checkVisibility()).map(a => a.id)")
    assert sorted(seen) == sorted(wanted)
    assert page.locator(".claims-filter output").inner_text() == f"{len(wanted)} of {len(every)} claims"
    again = open_page(page.url).page.locator(".claims-filter")
    assert again.locator("output").inner_text() == f"{len(wanted)} of {len(every)} claims"
    assert "none" not in again.get_by_label("Paper", exact=True).inner_text()
