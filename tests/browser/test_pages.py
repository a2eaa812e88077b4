"""What a reader's browser meets on each page of the built book."""

import time

import pytest

from . import checks
from .conftest import book_pages, opened

pytestmark = pytest.mark.browser


CORNER = {"x": 0, "y": 0, "width": 1, "height": 1}
PATIENCE = 10
"""Seconds that a page has to come to rest: on a busy machine its scripts lag behind a change of size."""


def ask(question: str, page) -> None:
    """Fail if `checks` still answers a question with problems when the page has come to rest."""
    __tracebackhide__ = True
    start = time.monotonic()
    while problems := getattr(checks, question)(page):
        if time.monotonic() - start > PATIENCE:
            pytest.fail("\n".join(map(str, [*problems[:20], f"{len(problems)} in all"])))
        page.screenshot(clip=CORNER)  # scripts hear of a new size when the page is drawn, which a busy browser puts off
        page.wait_for_timeout(500)


OF_PAGES = ("keyboard_problems", "axe_problems", "overflow_problems")
"""What every page is asked, those of the theme too; `checks` says what each question means."""

OF_CHAPTERS = ("math_problems", "image_problems", "solution_problems")


def test_there_are_pages(html):
    assert {"index.html", "search.html"} <= {path.name for path in html.glob("*.html")}
    assert "book/intro.html" in book_pages()


def test_the_first_address_leads_to_the_landing_page(chromium, address):
    with opened(chromium, address + "index.html") as seen:
        seen.page.wait_for_url("**/book/intro.html")
        seen.page.wait_for_load_state("networkidle")
        assert seen.requests == [] and seen.errors == []


def test_page_opens_without_other_hosts_or_errors(visit):
    """No request leaves the machine, the console stays empty, and everything the page asks for is there."""
    assert visit.requests == []
    assert visit.errors == []


@pytest.mark.parametrize("question", OF_PAGES)
def test_page_has_no(visit, question):
    ask(question, visit.page)


@pytest.mark.parametrize("question", OF_CHAPTERS)
def test_chapter_has_no(chapter, question):
    ask(question, chapter.page)


def test_wide_boxes_scroll_with_the_keyboard_also_those_that_fold_away(chapter):
    with checks.unfolded(chapter.page):
        ask("scrolling_problems", chapter.page)


def test_page_and_figures_follow_the_theme_and_paper_has_no_navigation(visit):
    assert checks.look_problems(visit.page, visit.theme) == []


def test_nothing_of_all_this_left_a_trace(visit):
    """Whatever was opened and resized meanwhile asked for nothing that is not there."""
    assert visit.requests == []
    assert visit.errors == []
