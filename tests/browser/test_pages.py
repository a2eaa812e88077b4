"""What a reader's browser meets on each page of the built book."""

import time

import pytest

from . import checks

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


@pytest.mark.parametrize("question", ["axe_problems", "overflow_problems", "math_problems"])
def test_page_has_no(visit, question):
    """`checks` says what each question means."""
    ask(question, visit.page)


def test_wide_boxes_scroll_with_the_keyboard_also_those_that_fold_away(visit):
    with checks.unfolded(visit.page):
        ask("scrolling_problems", visit.page)


def test_page_and_figures_follow_the_theme_and_paper_has_no_navigation(visit):
    assert checks.look_problems(visit.page, visit.theme) == []


def test_no_request_left_the_machine_and_the_console_is_empty(visit):
    """When the page was opened, and in all that was done with it since; and all it asked for was there."""
    assert visit.requests == [] and visit.errors == []


def test_the_landing_page_is_short_on_a_phone(open_page, server):
    page = open_page(f"{server}book/intro.html", viewport=checks.MODERN).page
    assert page.evaluate("document.documentElement.scrollHeight") <= 2500


def test_the_search_gives_prose_before_the_reference_and_a_paragraph_of_each(open_page, server):
    page = open_page(f"{server}search.html?q=tensor").page
    page.wait_for_function("document.querySelectorAll('#search-results .context').length > 9")
    links = page.eval_on_selector_all("#search-results li > a", "all => all.map(link => link.pathname)")
    assert sorted(links, key=lambda place: "/api/" in place) == links
    assert "array of numbers" in page.locator("#search-results .context").first.inner_text()
