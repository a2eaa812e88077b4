"""What a reader's browser meets on each page of the built book."""

import io

import numpy as np
import pytest
from PIL import Image

from .conftest import DESK, PHONE

pytestmark = pytest.mark.browser


def test_there_are_pages(html):
    assert {"index.html", "search.html"} <= {path.name for path in html.glob("*.html")}


def test_page_opens_without_other_hosts_or_errors(visit, address, page_name):
    """No request leaves the machine, the console stays empty, and everything the page asks for is there."""
    seen = visit(address + page_name)
    seen.page.wait_for_load_state("networkidle")
    assert seen.requests == []
    assert seen.errors == []


def test_math_is_rendered(visit, address, chapter):
    """Each formula of the source became MathJax output without an error in it."""
    page = visit(address + chapter).page
    formulas = page.locator(".bd-article .math:not(.math .math)").count()
    rendered = page.locator(".bd-article .math mjx-container, .bd-article .MathJax").count()
    assert rendered >= formulas
    assert page.locator("mjx-merror, .bd-article [data-mjx-error]").count() == 0
    shown = page.locator(".bd-article").inner_text()
    assert "\\mathbf" not in shown and "$$" not in shown


def test_images_are_there_and_described(visit, server, chapter):
    """Each image has loaded and has a text alternative."""
    images = visit(server + chapter).page.eval_on_selector_all(
        "img", "all => all.map(i => ({alt: i.alt.trim(), width: i.naturalWidth, source: i.src.slice(0, 60)}))"
    )
    assert [image for image in images if not image["alt"] or not image["width"]] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_phone_width_does_not_overflow(visit, server, chapter, theme):
    """At 360 pixels nothing sticks out of the page: wide tables and formulas scroll in boxes of their own."""
    page = visit(server + chapter, viewport=PHONE, theme=theme).page
    width = page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
    outside = page.eval_on_selector_all(
        ".bd-article *",
        """(all, width) => all.filter(e => {
             const box = e.getBoundingClientRect();
             if (!box.width || box.right <= width + 1 || e.closest('mjx-assistive-mml')) return false;
             for (let p = e.parentElement; p; p = p.parentElement)
               if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX)
                   && p.getBoundingClientRect().right <= width + 1) return false;
             return true;
           }).map(e => e.outerHTML.slice(0, 120))""",
        PHONE["width"],
    )
    assert outside == []
    assert width <= PHONE["width"]


def test_search_finds_a_word_of_each_chapter(visit, server, chapter):
    """The search, which runs in the browser, finds each chapter by its title's longest word."""
    title = visit(server + chapter).page.locator("h1").first.inner_text()
    word = max((w.strip("#.,:;?!()\u201c\u201d") for w in title.split()), key=len)
    seen = visit(f"{server}search.html?q={word}")
    seen.page.wait_for_selector("#search-results li a")
    found = seen.page.eval_on_selector_all("#search-results li a", "all => all.map(a => new URL(a.href).pathname)")
    assert f"/{chapter}" in found
    assert seen.requests == []


def test_search_works_from_disk(visit, html, chapter):
    title = visit(f"{html.as_uri()}/{chapter}").page.locator("h1").first.inner_text()
    word = max((w.strip("#.,:;?!()\u201c\u201d") for w in title.split()), key=len)
    seen = visit(f"{html.as_uri()}/search.html?q={word}")
    seen.page.wait_for_selector("#search-results li a")
    assert seen.errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_are_legible(visit, server, chapter, theme):
    """A figure stands on the page's own ground, and enough of it contrasts with that ground to be seen.

    The ground is what most of the figure's outermost pixels show; contrast is WCAG's ratio, 3 being what it asks of
    graphics.
    """
    page = visit(server + chapter, theme=theme).page
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    ground = _colour(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (_luminance(ground) < 0.1) == (theme == "dark")
    page.evaluate("""() => {
        for (const e of document.querySelectorAll('details')) e.open = true;
        for (const e of document.querySelectorAll('.toggle-hidden')) e.classList.remove('toggle-hidden');
    }""")  # what folds away is legible too
    for figure in page.locator(".cell_output img").locator("visible=true").all():
        style = figure.evaluate("i => [getComputedStyle(i).backgroundColor, getComputedStyle(i).filter]")
        assert style == ["rgba(0, 0, 0, 0)", "none"]
        figure.scroll_into_view_if_needed()
        ground = _colour(
            figure.evaluate("""i => {
            for (let p = i; p; p = p.parentElement) {
                const c = getComputedStyle(p).backgroundColor;
                if (!c.startsWith('rgba') || !c.endsWith(', 0)')) return c;
            }
        }""")
        )  # of the page, or of the box that the figure stands in
        pixels = np.asarray(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"))
        ratio = _contrast(_luminance(pixels.reshape(-1, 3)), _luminance(ground)).reshape(pixels.shape[:2])
        frame = np.concatenate([ratio[:3].ravel(), ratio[-3:].ravel(), ratio[:, :3].ravel(), ratio[:, -3:].ravel()])
        assert np.median(frame) < 1.1, "the figure brings a ground of its own"
        assert (ratio >= 3).mean() > 0.002, "hardly anything in the figure can be seen"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_contrasts_with_its_ground(visit, server, chapter, theme):
    """Prose, code and tables reach WCAG's ratio of 4.5 against the ground that they stand on."""
    page = visit(server + chapter, theme=theme).page
    faint = []
    for text, colour, ground in page.eval_on_selector_all(
        ".bd-article :is(p, li, td, th, h1, h2, h3, dt, dd, pre)",
        """all => all.filter(e => e.offsetParent && e.textContent.trim()).map(e => {
             let ground = 'rgb(255, 255, 255)';
             for (let p = e; p; p = p.parentElement) {
               const c = getComputedStyle(p).backgroundColor;
               if (c.startsWith('rgb(')) { ground = c; break; }
             }
             return [e.textContent.trim().slice(0, 40), getComputedStyle(e).color, ground];
           })""",
    ):
        if _contrast(_luminance(_colour(colour)), _luminance(_colour(ground))) < 4.5:
            faint.append((text, colour, ground))
    assert faint == []


def test_solutions_are_folded_and_open(visit, server, chapter):
    """A solution is hidden until it is asked for."""
    page = visit(server + chapter, viewport=DESK).page
    for solution in page.locator(".solution.dropdown").all():
        content = solution.locator("#solution-content, p:not(.admonition-title)").last
        assert not content.is_visible()
        solution.locator(".toggle-button").first.click()
        content.wait_for(state="visible")


def test_launch_buttons_are_only_links(visit, server, chapter):
    """Binder is offered by name on every notebook's page, and is asked for nothing until someone clicks."""
    page = visit(server + chapter).page
    if chapter.startswith("notebooks/"):
        assert page.locator("a[href^='https://mybinder.org/']").count() >= 1


def _colour(text: str) -> np.ndarray:
    return np.array([float(part) for part in text[text.index("(") + 1 : -1].split(",")[:3]])


def _luminance(colours: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2) of sRGB colours, 0 to 255 along the last axis."""
    share = np.asarray(colours, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _contrast(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Contrast ratio (WCAG 2) of two luminances, 1 to 21."""
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)
