"""The search, which runs in the browser, from disk and over a server."""

import re

import pytest

from .conftest import HTML, chapters, opened

pytestmark = pytest.mark.browser

FINISHED = "Search.title.innerText === _('Search Results') && Search.status.innerText"
"""What the script of the search shows when all results of a search are on the page."""

AT_ONCE = """() => {
    const later = setTimeout;
    window.setTimeout = (f, ms, ...more) => ms === 5 ? queueMicrotask(f) : later(f, ms, ...more);
}"""
"""The script shows a result every five milliseconds, hundreds for some words; no more of that once it was seen."""


def longest_word(name: str) -> str:
    """Of a page's title; what the search is asked for."""
    (title,) = re.findall(r"(?s)<h1>((?:(?!</h1>).)*)<a class=.headerlink", (HTML / name).read_text("utf8"))
    return max(re.findall(r"[^\W\d_]+", re.sub(r"<[^>]*>", "", title)), key=len)


@pytest.fixture(scope="module")
def search(chromium, address):
    """The search page, asked once by its address, as the form does."""
    with opened(chromium, f"{address}search.html?q=composition") as seen:
        seen.page.wait_for_selector("#search-results li a")
        seen.page.wait_for_function(FINISHED)
        seen.page.evaluate(AT_ONCE)
        yield seen


def asked(page, word: str) -> list[str]:
    """The pages that the search finds for a word, by their names in the book."""
    page.evaluate(
        """word => {
            document.getElementById("search-results").innerHTML = "";
            DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
            Search.performSearch(word);
        }""",
        word,
    )
    page.wait_for_function(FINISHED)
    links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    return [re.sub(r"[?#].*", "", link) for link in links]


def test_search_finds_each_chapter_by_a_word_of_its_title(search, address):
    missed = {}
    for name in chapters():
        word = longest_word(name)
        if address + name not in asked(search.page, word):
            missed[name] = word
    assert missed == {}
    assert search.requests == [] and search.errors == []


def test_search_says_so_when_it_finds_nothing(search):
    assert asked(search.page, "xyzzyqwerty") == []
    assert "did not match any documents" in search.page.locator("#search-results").inner_text()
