"""What is asked of a page, each question a function of an open page that gives a list of what is wrong with it.

`test_pages` asks them of every page of the book, `test_teeth` of pages that are wrong on purpose. They leave the page
as it was, but for its size and its medium, which the next question sets anew.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from cdsm_lib import plots

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
MODERN = {"width": 390, "height": 844}
"""The usual phone of today."""

PAPER = {"width": 718, "height": 1047}
"""A4 within margins of a centimetre, in CSS pixels."""

GROUNDS = {"light": ["#ffffff"], "dark": ["#121212", "#222832"]}
"""What figures stand on in each theme, the page and boxes that fold."""

FILTERS = {"light": "none", "dark": "invert(1) hue-rotate(180deg)"}
"""What the book's styles do to figures in each theme."""

LEAST_TYPE = 9
"""Pixels of the smallest letters in a figure."""

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


def image_problems(page) -> list[str]:
    """Images that did not load or have no text alternative."""
    return page.eval_on_selector_all(
        "img",
        """all => all.filter(i => !i.alt.trim() || !i.naturalWidth)
             .map(i => `${i.src.slice(0, 60)}: alt ${JSON.stringify(i.alt)}, ${i.naturalWidth} pixels wide`)""",
    )


def outline_problems(page) -> list[str]:
    """A title, a language, one h1, headings that skip no level, one `main`, no id twice.

    The theme's list of contents for the printer, which is not on the screen, is left out.
    """
    return page.evaluate("""() => {
        const found = [], all = selector => [...document.querySelectorAll(selector)];
        if (!document.title.trim()) found.push("no title");
        if (document.documentElement.lang !== "en") found.push("its language is not given as English");
        if (all("main").length !== 1) found.push(`${all("main").length} main parts`);
        const heads = all("main :is(h1, h2, h3, h4, h5, h6)").filter(h => !h.closest("#jb-print-docs-body"));
        const levels = heads.map(h => [+h.tagName[1], h.textContent]);
        if (levels.filter(([n]) => n === 1).length !== 1) found.push("not one h1");
        levels.forEach(([n, text], i) => {
            if (n > (i ? levels[i - 1][0] : 0) + 1) found.push(`h${n} ${text} follows h${i ? levels[i - 1][0] : 0}`);
            if (!text.trim()) found.push(`h${n} without text`);
        });
        const ids = all("[id]").map(e => e.id), seen = new Set();
        for (const id of ids) seen.has(id) ? found.push(`the id ${id} twice`) : seen.add(id);
        return found;
    }""")


def opening_problems(page) -> list[str]:
    """A first idea, what follows the first heading below the title, that begins beneath the first screen (`DESK`)."""
    page.set_viewport_size(DESK)
    tops = page.eval_on_selector_all(
        ".bd-article h2 + *", "all => all.slice(0, 1).map(e => e.getBoundingClientRect().top + scrollY)"
    )
    if not tops:
        return ["there is no heading below the title"]
    return [f"the first idea begins at {top:.0f} pixels" for top in tops if top >= DESK["height"]]


def keyboard_problems(page, steps: int = 12) -> list[str]:
    """A first stop that is no link to the content, and stops of the Tab key that do not show the focus."""
    found = []
    page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    for step in range(steps):
        page.keyboard.press("Tab")
        if step == 0:
            page.wait_for_timeout(250)  # the skip link slides in
        stop = page.evaluate("""() => {
            const e = document.activeElement, s = getComputedStyle(e), box = e.getBoundingClientRect();
            const ring = n => parseFloat(n.outlineWidth) > 0 && n.outlineStyle !== "none" || n.boxShadow !== "none";
            return {text: e.outerHTML.slice(0, 100), link: e.getAttribute("href"), body: e === document.body,
                    ringed: ring(s), shown: box.width > 0 && box.bottom > 0 && box.right > 0};
        }""")
        if stop["body"]:
            break
        if step == 0 and stop["link"] != "#main-content":
            found.append(f"the first stop is no link to the content but {stop['text']}")
        if not stop["ringed"] or not stop["shown"]:
            found.append(f"the focus cannot be seen on {stop['text']}")
    if not page.locator("#main-content").count():
        found.append("there is nothing to skip to")
    page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    return found


# -------------------------------------------------------------------------------------------------------------- axe


@cache
def _axe() -> str:
    from axe_playwright_python.base import AXE_FILE_PATH

    return Path(AXE_FILE_PATH).read_text("utf8")


LOOKS = """() => {
    const looks = new Map(), clear = "rgba(0, 0, 0, 0)";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
        const e = node.parentElement;
        if (!node.data.trim() || !e.checkVisibility() || e.closest("mjx-container")) continue;
        const s = getComputedStyle(e), grounds = [];
        for (let p = e; p; p = p.parentElement) {
            const g = getComputedStyle(p);
            if (g.backgroundColor !== clear) grounds.push(g.backgroundColor);
            if (g.backgroundImage !== "none" || g.opacity !== "1") grounds.push(g.backgroundImage, g.opacity);
        }
        const look = [s.color, s.fontSize, s.fontWeight, s.textShadow, ...grounds].join();
        if (!looks.has(look)) looks.set(look, e);
    }
    return [...looks.values()];
}"""
"""One element for each look of text: axe spends most of its time on the contrast of words that all look the same."""


def axe_violations(page) -> list[dict]:
    """What axe finds wrong, folds opened: a dictionary of ``rule``, ``impact``, ``html``, ``why`` each.

    Every rule is asked of the whole page, but for the contrast of colours, which is asked of one element of each look.
    Nothing is exempt.
    """
    with unfolded(page):
        page.evaluate(_axe())
        found = page.evaluate(
            """async looks => {
                const asked = {resultTypes: ["violations"], iframes: false, selectors: false,
                               preload: false};
                const whole = await axe.run(document, {...asked, rules: {"color-contrast": {enabled: false}}});
                const include = eval(looks)();
                const colours = include.length
                    ? await axe.run({include}, {...asked, runOnly: ["color-contrast"]}) : {violations: []};
                return [...whole.violations, ...colours.violations].flatMap(v => v.nodes.map(n => ({
                    rule: v.id, impact: n.impact || v.impact, html: n.html.slice(0, 200),
                    why: [...n.any, ...n.all, ...n.none].map(c => c.message).join("; ").slice(0, 300),
                })));
            }""",
            LOOKS,
        )
    return [violation for violation in found if violation["impact"] in IMPACTS]


def axe_problems(page) -> list[str]:
    """What axe finds wrong, a line each."""
    return [f"{v['rule']} ({v['impact']}): {v['html']}: {v['why']}" for v in axe_violations(page)]


# ------------------------------------------------------------------------------------------------- width and paper

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


def print_problems(page) -> list[str]:
    """On paper: navigation that still shows, content that is cut off at the margin, text too light for white paper."""
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    found = page.eval_on_selector_all(
        NAVIGATION, "all => all.filter(e => e.checkVisibility()).map(e => `on paper: ${e.outerHTML.slice(0, 90)}`)"
    )
    found += page.eval_on_selector_all(
        ".bd-article *",
        """(all, width) => all.filter(e => {
             if (e.closest('mjx-assistive-mml, svg') || !e.checkVisibility()) return false;
             const box = e.getBoundingClientRect();
             const hides = getComputedStyle(e).overflowX !== 'visible' && !e.closest('mjx-container');
             return box.width && box.right > width + 1 || hides && e.scrollWidth > e.clientWidth + 1;
           }).map(e => `cut off: ${e.outerHTML.slice(0, 120)}`)""",
        PAPER["width"],
    )
    faint = {text: colour for ground in (None, "rgb(255, 255, 255)") for text, colour, _ in faint_text(page, ground)}
    return found + [f"hard to read on paper: {text} in {colour}" for text, colour in faint.items()]


# ----------------------------------------------------------------------------------------------------------- legible


TEXT = """(all, paper) => all.filter(e => e.offsetParent && e.textContent.trim()).map(e => {
     let ground = paper || 'rgb(255, 255, 255)';
     for (let p = e; p && !paper; p = p.parentElement) {
       const c = getComputedStyle(p).backgroundColor;
       if (c.startsWith('rgb(')) { ground = c; break; }
     }
     return [e.textContent.trim().slice(0, 40), getComputedStyle(e).color, ground];
   })"""
"""Each piece of text with its colour and the first opaque ground beneath it, or that of the paper."""


def faint_text(page, paper: str | None = None) -> list[tuple[str, str, str]]:
    """Prose, code and tables beneath WCAG's ratio of 4.5 against their ground: (text, colour, ground).

    The ground is the first opaque one beneath the text, or `paper` where none is printed.
    """
    faint = []
    for text, colour, ground in page.eval_on_selector_all(
        ".bd-article :is(p, li, td, th, h1, h2, h3, dt, dd, pre)",
        TEXT,
        paper,
    ):
        if contrast(luminance(colour_of(colour)), luminance(colour_of(ground))) < 4.5:
            faint.append((text, colour, ground))
    return faint


def theme_problems(page, theme: str) -> list[str]:
    """A page that does not follow the theme that its reader's system asks for."""
    found = []
    if (shown := page.evaluate("document.documentElement.dataset.theme")) != theme:
        found.append(f"the theme is {shown}")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    if (luminance(colour_of(ground)) < 0.1) != (theme == "dark"):
        found.append(f"the page's ground is {ground} in the {theme} theme")
    return found


FIGURES = ".bd-article :is(.cell_output img, img.dark-light)"


def type_problems(page, size: dict = MODERN) -> list[str]:
    """Figures that a phone shows so small that the smallest type of `cdsm_lib.plots` is under `LEAST_TYPE` pixels."""
    page.set_viewport_size(size)
    with unfolded(page):
        widths = page.eval_on_selector_all(
            FIGURES,
            """all => all.filter(i => i.checkVisibility() && i.naturalWidth)
                 .map(i => [i.getBoundingClientRect().width, i.naturalWidth, i.alt.slice(0, 60)])""",
        )
    smallest = plots.SMALLEST / 72 * plots.DOTS_PER_INCH * plots.SHARPNESS  # in pixels of the picture
    types = [(smallest * shown / stored, alt) for shown, stored, alt in widths]
    return [f"type of {pixels:.1f} pixels: {alt}" for pixels, alt in types if pixels < LEAST_TYPE]


def figure_problems(page) -> list[str]:
    """Figures that bring a ground of their own, or of which hardly anything contrasts with the ground.

    The ground is what most of the figure's outermost pixels show; contrast is WCAG's ratio, 3 being what it asks of
    graphics. What folds away is looked at as well. `tests/test_plots.py` has the contrast of each colour, after
    `FILTERS`, with each of `GROUNDS`.
    """
    found = []
    theme = page.evaluate("document.documentElement.dataset.theme")
    with unfolded(page):
        for number, figure in enumerate(page.locator(FIGURES).locator("visible=true").all(), start=1):
            style = figure.evaluate("i => [getComputedStyle(i).backgroundColor, getComputedStyle(i).filter]")
            if style != ["rgba(0, 0, 0, 0)", FILTERS[theme]]:
                found.append(f"figure {number} is drawn with {style}")
            figure.scroll_into_view_if_needed()
            page.wait_for_timeout(100)  # what folds or fades beside it has come to rest
            ground = colour_of(
                figure.evaluate("""i => {
                for (let p = i; p; p = p.parentElement) {
                    const c = getComputedStyle(p).backgroundColor;
                    if (!c.startsWith('rgba') || !c.endsWith(', 0)')) return c;
                }
                return 'rgb(255, 255, 255)';
            }""")
            )  # of the page, or of the box that the figure stands in
            if "#" + bytes(ground.astype(np.uint8)).hex() not in GROUNDS[theme]:
                found.append(f"figure {number} stands on {ground}")
            for rest in (0, 500, 2000):  # on a busy machine what fades beside it takes longer
                page.wait_for_timeout(rest)
                pixels = np.asarray(Image.open(io.BytesIO(figure.screenshot())).convert("RGB"))
                ratio = contrast(luminance(pixels.reshape(-1, 3)), luminance(ground)).reshape(pixels.shape[:2])
                edges = ratio[:3], ratio[-3:], ratio[:, :3], ratio[:, -3:]
                frame = np.median(np.concatenate([edge.ravel() for edge in edges]))
                if frame < 1.1:
                    break
            else:
                found.append(f"figure {number} brings a ground of its own")
            if not (ratio >= 3).mean() > 0.002:
                found.append(f"hardly anything in figure {number} can be seen")
    return found


def solution_problems(page) -> list[str]:
    """Solutions that are not hidden until they are asked for, or do not come when they are."""
    found = []
    for number, solution in enumerate(page.locator(".solution.dropdown").all(), start=1):
        content = solution.locator("section, p:not(.admonition-title)").last
        if content.is_visible():
            found.append(f"solution {number} is open from the start")
        solution.locator(".toggle-button").first.click()
        if not content.is_visible():
            found.append(f"solution {number} does not open")
        solution.locator(".toggle-button").first.click()
    return found


@contextmanager
def unfolded(page) -> Iterator[None]:
    """Everything that folds away is open meanwhile."""
    page.evaluate("""() => {
        window.cdsmFolds = [...document.querySelectorAll('details:not([open])'),
                            ...document.querySelectorAll('.toggle-hidden')];
        for (const e of window.cdsmFolds) e.open === false ? e.open = true : e.classList.remove('toggle-hidden');
        for (const e of document.querySelectorAll('.sd-tab-content')) e.style.display = 'block';
    }""")
    yield
    page.evaluate("""() => {
        for (const e of window.cdsmFolds) e.tagName === 'DETAILS' ? e.open = false : e.classList.add('toggle-hidden');
        for (const e of document.querySelectorAll('.sd-tab-content')) e.style.display = '';
    }""")


# ----------------------------------------------------------------------------------------------------------- colours


def colour_of(text: str) -> np.ndarray:
    """Red, green and blue of a computed colour such as ``rgb(1, 2, 3)``."""
    return np.array([float(part) for part in text[text.index("(") + 1 : -1].split(",")[:3]])


def luminance(colours: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2) of sRGB colours, 0 to 255 along the last axis."""
    share = np.asarray(colours, dtype=float) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Contrast ratio (WCAG 2) of two luminances, 1 to 21."""
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)
