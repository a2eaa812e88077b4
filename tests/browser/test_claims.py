"""Links from the pages across the papers land where they should, in a reader's browser."""

import re
from functools import cache

import pytest

from .conftest import HTML

pytestmark = pytest.mark.browser
ACROSS = ("notebooks/91-claims.html", "book/differences.html")


@cache
def ids(page: str) -> frozenset[str]:
    """All ids of a built page."""
    return frozenset(re.findall(r'\bid="([^"]+)"', (HTML / page).read_text("utf8")))


@pytest.mark.parametrize("name", ACROSS)
def test_links_to_a_place_in_a_page_land_on_an_existing_one(open_page, server, name):
    links = open_page(server + name).page.eval_on_selector_all(
        ".bd-article a[href*='#']", "all => all.map(a => a.href)"
    )
    inside = {link.removeprefix(server) for link in links if link.startswith(server)}
    lost = [link for link in sorted(inside) if (p := link.partition("#"))[0] and p[2] not in ids(p[0])]
    assert lost == []
    assert len({link for link in inside if not link.startswith(name)}) > 20


def test_a_claim_leads_to_its_row(open_page, address):
    page = open_page(address + ACROSS[0]).page
    link = page.locator("tr[id^='all-claim-relpron'] th a").first
    text = link.inner_text()
    link.click()
    page.wait_for_url("**/30-relpron.html#claim-relpron-*")
    row = page.locator("tr:target")
    assert row.locator("th").inner_text() == text
    page.wait_for_function("document.querySelector('tr:target').getBoundingClientRect().top < innerHeight")
    assert row.bounding_box()["y"] >= 0


def test_evidence_of_several_parts_unfolds(open_page, server):
    page = open_page(server + ACROSS[0]).page
    details = page.locator("tr[id^='all-'] details").first
    assert not details.locator("li").first.is_visible()
    details.locator("summary").click()
    assert details.locator("li").first.is_visible()
