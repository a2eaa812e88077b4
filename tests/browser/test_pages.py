"""What a reader's browser meets on each page of the built book."""

import pytest

from . import checks
from .conftest import HTML, book_pages, opened

pytestmark = pytest.mark.browser


def none(problems: list) -> None:
    """Fail with the first of them, a line each, and their number."""
    __tracebackhide__ = True
    if problems:
        pytest.fail("\n".join(map(str, [*problems[:20], f"{len(problems)} in all"])))


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


def test_math_is_rendered(chapter):
    """Each formula of the source became MathJax output without an error in it, with MathML beside it."""
    none(checks.math_problems(chapter.page))


def test_images_are_there_and_described(chapter):
    """Each image has loaded and has a text alternative."""
    none(checks.image_problems(chapter.page))


def test_the_outline_is_whole(visit):
    """A title, a language, one h1, headings in order, one main part, no id twice."""
    none(checks.outline_problems(visit.page))


def test_keyboard_reaches_the_content(visit):
    """The first stop of the keyboard skips to the content, and one sees where one is."""
    none(checks.keyboard_problems(visit.page))


def test_axe_finds_nothing(visit):
    """No violation of axe's rules but a minor one, what folds away included."""
    none(checks.axe_problems(visit.page))


def test_phone_width_does_not_overflow(visit):
    """At 360 pixels nothing sticks out of the page: wide tables and formulas scroll in boxes of their own."""
    none(checks.overflow_problems(visit.page))


def test_boxes_that_scroll_can_be_reached_and_say_what_they_hold(chapter):
    with checks.unfolded(chapter.page):
        none(checks.scrolling_problems(chapter.page))


def test_the_page_prints(chapter):
    """On A4 there is no navigation, nothing is cut off, and the text is dark in either theme."""
    none(checks.print_problems(chapter.page))


def test_figures_are_legible(chapter):
    """A figure stands on the page's own ground, and enough of it contrasts with that ground to be seen."""
    none(checks.figure_problems(chapter.page))


def test_text_contrasts_with_its_ground(chapter):
    """Prose, code and tables reach WCAG's ratio of 4.5 against the ground that they stand on."""
    with checks.unfolded(chapter.page):
        none(checks.faint_text(chapter.page))


def test_the_theme_is_the_one_asked_for(visit):
    none(checks.theme_problems(visit.page, visit.theme))


def test_solutions_are_folded_and_open(chapter):
    """A solution is hidden until it is asked for."""
    none(checks.solution_problems(chapter.page))


def test_launch_buttons_are_only_links(chapter):
    """Binder is offered by name on every notebook's page, and is asked for nothing until someone clicks."""
    if chapter.name.startswith("notebooks/"):
        name = chapter.name.removeprefix("notebooks/").removesuffix(".html")
        links = [link.get_attribute("href") for link in chapter.page.locator("a[href^='https://mybinder.org/']").all()]
        assert links and all(link.endswith(f"?urlpath=lab/tree/notebooks/{name}.ipynb") for link in links)
    assert chapter.requests == []


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
