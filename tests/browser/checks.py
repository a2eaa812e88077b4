"""What is asked of a page, each question a function of an open page that gives a list of what is wrong with it.

`test_pages` asks them of every page of the book. They leave the page
as it was, but for its size and its medium, which the next question sets anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
MODERN = {"width": 390, "height": 844}
"""The usual phone of today."""

GROUNDS = {"light": ["#ffffff"], "dark": ["#121212", "#222832"]}
"""What figures stand on in each theme, the page and boxes that fold."""

FILTERS = {"light": "none", "dark": "invert(1) hue-rotate(180deg)"}
"""What the book's styles do to figures in each theme."""

IMPACTS = ("moderate", "serious", "critical")
"""What axe may find least bad and still be wrong; beneath is "minor"."""

NAVIGATION = (
    ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header, .bd-header-article, .prev-next-area, .skip-link, "
    "#pst-back-to-top, .copybtn, .headerlink, .toggle-button, .bd-search, .search-button__button, "
    "details.hide > summary"
)
"""What only serves a reader with a screen."""


# ---------------------------------------------------------------------------------------------------- the whole page


def math_problems(page) -> list[str]:
    """Formulas of the source that did not become MathJax output, errors in them, and TeX that shows as text."""
    found = []
    formulas = page.locator(".bd-article .math:not(.math .math)").count()
    rendered = page.locator(".bd-article .math mjx-container, .bd-article .MathJax").count()
    if rendered < formulas:
        found.append(f"{formulas - rendered} of {formulas} formulas are not set")
    if silent := page.locator(".bd-article .math mjx-container:not(:has(mjx-assistive-mml math))").count():
        found.append(f"{silent} formulas have no MathML for those who listen")
    found += page.eval_on_selector_all("mjx-merror, [data-mjx-error]", "all => all.map(e => e.outerHTML.slice(0, 120))")
    shown = page.locator(".bd-article").inner_text()
    return found + [f"{tex} is shown as text" for tex in ("\\mathbf", "$$") if tex in shown]


# -------------------------------------------------------------------------------------------------------------- axe


@cache
def _axe() -> str:
    from axe_playwright_python.base import AXE_FILE_PATH

    return Path(AXE_FILE_PATH).read_text("utf8")


LOOKS = """() => {
    const looks = new Map(), clear = "rgba(0, 0, 0, 0)", seen = new Map();
    const grounds = e => {
        if (!e || seen.has(e)) return seen.get(e) ?? "";
        const g = getComputedStyle(e), own = [];
        if (g.backgroundColor !== clear) own.push(g.backgroundColor);
        if (g.backgroundImage !== "none" || g.opacity !== "1") own.push(g.backgroundImage, g.opacity);
        seen.set(e, [...own, grounds(e.parentElement)].join());
        return seen.get(e);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
        const e = node.parentElement;
        if (!node.data.trim() || !e.checkVisibility() || e.closest("mjx-container")) continue;
        const s = getComputedStyle(e), link = e.closest("a"), look = [s.color, s.fontSize, s.fontWeight, s.textShadow];
        if (link) {
            let block = link.parentElement;
            while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
            const own = getComputedStyle(link), around = getComputedStyle(block);
            const alone = block.textContent.trim() === link.textContent.trim();
            look.push(own.color, own.textDecorationLine, own.fontWeight, own.borderBottomWidth, own.display);
            look.push(block.localName, around.color, around.fontWeight, e === link, alone);
        }
        look.push(grounds(e));
        if (!looks.has(look.join())) looks.set(look.join(), link ?? e);
    }
    return [...looks.values()];
}"""
"""One element for each look of text: axe spends most of its time on the colours of words and links that all look the
same. The look of a link is that of the text around it, too, if there is any."""


def axe_problems(page) -> list[str]:
    """What axe finds wrong, folds opened, a line each.

    Every rule is asked of the whole page, but for the two on colours, which are asked of one element of each look.
    Nothing is exempt.
    """
    with unfolded(page):
        page.evaluate(_axe())
        found = page.evaluate(
            """async looks => {
                const asked = {resultTypes: ["violations"], iframes: false, selectors: false,
                               preload: false};
                const runOnly = ["color-contrast", "link-in-text-block"];
                const others = Object.fromEntries(runOnly.map(rule => [rule, {enabled: false}]));
                const whole = await axe.run(document, {...asked, rules: others});
                const include = eval(looks)();
                const colours = include.length
                    ? await axe.run({include}, {...asked, runOnly}) : {violations: []};
                return [...whole.violations, ...colours.violations].flatMap(v => v.nodes.map(n => ({
                    rule: v.id, impact: n.impact || v.impact, html: n.html.slice(0, 200),
                    why: [...n.any, ...n.all, ...n.none].map(c => c.message).join("; ").slice(0, 300),
                })));
            }""",
            LOOKS,
        )
    return [f"{v['rule']} ({v['impact']}): {v['html']}: {v['why']}" for v in found if v["impact"] in IMPACTS]


# --------------------------------------------------------------------------------------------------- width and looks

OUTSIDE = """(all, width) => all.filter(e => {
    const box = e.getBoundingClientRect();
    if (!box.width || box.right <= width + 1 || e.closest('mjx-assistive-mml')) return false;
    for (let p = e.parentElement; p; p = p.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX)
            && p.getBoundingClientRect().right <= width + 1) return false;
    return true;
}).map(e => e.outerHTML.slice(0, 120))"""


def overflow_problems(page, size: dict = PHONE) -> list[str]:
    """What sticks out of a narrow page; wide tables and formulas scroll in boxes of their own."""
    page.set_viewport_size(size)
    width = page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
    outside = page.eval_on_selector_all(".bd-article *", OUTSIDE, size["width"])
    return outside + ([f"the page is {width} pixels wide"] if width > size["width"] else [])


def scrolling_problems(page, size: dict = PHONE) -> list[str]:
    """Boxes that scroll sideways, but not with the keyboard, or that do not say what they hold."""
    page.set_viewport_size(size)
    page.wait_for_timeout(50)  # the book's script looks again after a change of size
    return page.eval_on_selector_all(
        ".bd-article *",
        """all => all.filter(e => {
             if (!['auto', 'scroll'].includes(getComputedStyle(e).overflowX) || e.scrollWidth <= e.clientWidth + 1
                 || !e.checkVisibility() || e.closest('mjx-container')) return false;
             return e.tabIndex < 0 || !(e.matches('pre') || e.getAttribute('aria-label'));
           }).map(e => e.outerHTML.slice(0, 120))""",
    )


FIGURES = ".bd-article :is(.cell_output img, img.dark-light)"


def look_problems(page, theme: str) -> list[str]:
    """A page that does not follow its reader's theme, figures that do not, and navigation that shows on paper."""
    found = []
    if (shown := page.evaluate("document.documentElement.dataset.theme")) != theme:
        found.append(f"the theme is {shown}")
    with unfolded(page):
        style = "all => all.map(i => [getComputedStyle(i).backgroundColor, getComputedStyle(i).filter])"
        drawn = page.eval_on_selector_all(FIGURES, style)
    found += [f"a figure is drawn with {style}" for style in drawn if style != ["rgba(0, 0, 0, 0)", FILTERS[theme]]]
    page.emulate_media(media="print")
    found += page.eval_on_selector_all(
        NAVIGATION, "all => all.filter(e => e.checkVisibility()).map(e => `on paper: ${e.outerHTML.slice(0, 90)}`)"
    )
    page.emulate_media(media="screen")
    return found


@contextmanager
def unfolded(page) -> Iterator[None]:
    """Everything that folds away is open meanwhile."""
    page.evaluate("""() => {
        window.cdsmFolds = [...document.querySelectorAll('details:not([open])'),
                            ...document.querySelectorAll('.toggle-hidden')];
        for (const e of window.cdsmFolds) e.open === false ? e.open = true : e.classList.remove('toggle-hidden');
    }""")
    yield
    page.evaluate("""() => {
        for (const e of window.cdsmFolds) e.tagName === 'DETAILS' ? e.open = false : e.classList.add('toggle-hidden');
    }""")


def luminance(colours: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2) of sRGB colours, 0 to 255 along the last axis; `tests/test_plots.py` asks it."""
    share = np.asarray(colours, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Contrast ratio (WCAG 2) of two luminances, 1 to 21."""
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)
