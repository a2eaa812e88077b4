"""What a reader's browser meets on each page of the built book."""

import time

import pytest

from . import checks
from .conftest import HTML, book_pages, opened, themes_of

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


def test_no_page_of_the_reference_is_too_wide_for_a_phone(chromium, server):
    """The names of some modules are long; so this is asked also of the pages that are not opened for all questions."""
    first, *others = (name for name in book_pages() if name.startswith("book/api/") and not themes_of(name))
    with opened(chromium, server + first, viewport=checks.PHONE) as seen:
        wide = {first: checks.overflow_problems(seen.page)}
        for name in others:
            seen.page.goto(server + name, wait_until="load")
            seen.page.evaluate("async () => { if (window.MathJax?.startup?.promise) await MathJax.startup.promise; }")
            wide[name] = checks.overflow_problems(seen.page)
    assert {name: problems for name, problems in wide.items() if problems} == {}


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


@pytest.mark.parametrize("renderer", ["CHTML", "SVG"])
def test_the_menu_of_a_formula_finds_what_it_loads(chromium, server, renderer):
    """What MathJax fetches only when asked for, the explorer with its speech and pictures, was not pruned."""
    name = next(name for name in book_pages() if 'class="math' in (HTML / name).read_text("utf8"))
    with opened(chromium, server + name) as seen:
        page = seen.page
        formulas = page.locator("mjx-container").count()
        for setting, value in {"renderer": renderer, "explorer": True, "collapsible": True}.items():
            page.evaluate(
                "([name, to]) => MathJax.startup.document.menu.menu.pool.lookup(name).setValue(to)", [setting, value]
            )
        page.wait_for_function("MathJax._.a11y.explorer && MathJax._.a11y.complexity")
        page.wait_for_load_state("networkidle")
        page.wait_for_function(
            "([n, jax]) => document.querySelectorAll(`mjx-container[jax=${jax}]`).length === n",
            arg=[formulas, renderer],
        )
        assert seen.requests == [] and seen.errors == []
