"""Figures with sliders in a browser: moved by keyboard, their numbers against the library's, heard, small, printed."""

import re

import pytest
from moving import FIGURES

from . import checks

pytestmark = pytest.mark.browser

figures = pytest.mark.parametrize("moved", FIGURES, ids=lambda moved: moved.name)


def page_of(moved) -> str:
    return f"notebooks/{moved.chapter}.html"


@pytest.fixture
def figure_of(open_page, server):
    """Open a chapter, unfold it, and go to its figure: the visit and the figure."""

    def visit(moved, **wanted):
        seen = open_page(server + page_of(moved), **wanted)
        seen.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        figure = seen.page.locator(f"#{moved.name}")
        figure.scroll_into_view_if_needed()
        return seen, figure

    return visit


def shown(figure) -> dict[str, str]:
    """The numbers below the picture, by their names."""
    rows = figure.locator(".moving tr").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


def heard_sliders(page) -> list[list[str]]:
    """Name and place of each slider of a page, as the browser tells a screen reader.

    In ASCII: Chromium's protocol garbles the other letters of a place (the page's own attribute is in order).
    """
    session = page.context.new_cdp_session(page)
    session.send("Accessibility.enable")
    told = []
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        if node.get("role", {}).get("value") == "slider":
            places = [of["value"]["value"] for of in node["properties"] if of["name"] == "valuetext"]
            told.append([node["name"]["value"], *(re.sub(r"[^ -~]", "", place) for place in places)])
    return told


def agrees(figure, moved, places: list[int]) -> None:
    """Fail unless the figure shows the library's numbers for these places of the sliders."""
    expected = moved.values(*(at[i] for at, i in zip(moved.places, places, strict=True)))
    found = shown(figure)
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert float(found[name]) == pytest.approx(value, abs=0.501 * 10**-moved.decimals), (name, places)


@figures
def test_the_keyboard_moves_it_and_its_numbers_are_the_library_s(figure_of, moved):
    """Each slider in turn by arrows, Home and End; no request leaves, and nothing goes wrong."""
    seen, figure = figure_of(moved)
    sliders = figure.locator("input[type=range]").all()
    places = [int(slider.input_value()) for slider in sliders]
    agrees(figure, moved, places)
    for i, slider in enumerate(sliders):
        slider.focus() if i == 0 else seen.page.keyboard.press("Tab")
        assert slider.evaluate("slider => slider === document.activeElement")
        last = len(moved.places[i]) - 1
        for key, to in (("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", last)):
            seen.page.keyboard.press(key)
            places[i] = to
            text = slider.get_attribute("aria-valuetext")
            assert float(re.match(r"[\d.]+", text)[0]) == moved.places[i][to]
            agrees(figure, moved, places)
    assert seen.requests == [] and seen.errors == []


@figures
def test_who_listens_hears_names_places_and_numbers(figure_of, moved):
    """In the browser's tree of accessible things; the numbers are said once, when the slider has come to rest."""
    seen, figure = figure_of(moved)
    page, sliders = seen.page, figure.locator("input[type=range]").all()
    texts = [slider.locator("xpath=..").inner_text().replace("°", "").split("\n") for slider in sliders]
    assert heard_sliders(page) == texts and len(texts) == len(moved.places)
    status = figure.get_by_role("status")
    page.wait_for_function("e => e.textContent", arg=status.element_handle())
    before = status.inner_text()
    sliders[0].focus()
    page.evaluate("""e => {
        window.said = [];
        new MutationObserver(() => said.push(e.textContent)).observe(e, {childList: true});
    }""", status.element_handle())  # fmt: skip
    for key in ("Home", "End", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_function("said.length")
    page.wait_for_timeout(700)
    told = "; ".join(f"{name}: {value}" for name, value in shown(figure).items())
    assert page.evaluate("said") == [told] and told != before
    for picture in figure.locator(".moving svg").all():
        heard = picture.get_attribute("aria-label")
        assert picture.get_attribute("role") == "img"
        assert all(text.inner_html() in heard for text in picture.locator("text[text-anchor]:not([dy])").all())
    ranked = figure.locator("ol li").all_inner_texts()
    assert all(text in figure.aria_snapshot() for text in (line.split("\n")[-1] for line in ranked))


def test_arrows_stand_where_the_library_has_them(figure_of):
    """The sum stays; the product, turned by a right angle, is the mirror image of itself: (-6, 3) as long as (5, 4)."""
    _, figure = figure_of(FIGURES[0])
    labels = []
    for key in ("Home", "End"):
        figure.locator("input").press(key)
        labels.append(figure.locator("svg").get_attribute("aria-label"))
    long = (41 / 45) ** 0.5
    for label, side in zip(labels, (1, -1), strict=True):
        assert "sum (5.00, 4.00)" in label
        assert f"product ({side * 6 * long:.2f}, {3 * long:.2f})" in label


@figures
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(figure_of, moved, theme):
    """At 390 pixels: nothing sticks out, letters are no smaller than elsewhere, the slider stays in sight."""
    seen, figure = figure_of(moved, viewport=checks.MODERN, theme=theme)
    assert checks.overflow_problems(seen.page, checks.MODERN) == []
    scales = figure.locator(".moving svg").evaluate_all(
        "all => all.map(svg => svg.getScreenCTM().a * parseFloat(getComputedStyle(svg.querySelector('text')).fontSize))"
    )
    assert all(size >= checks.LEAST_TYPE for size in scales)
    for picture in figure.locator(".moving svg").all():
        assert picture.evaluate("svg => getComputedStyle(svg).filter") == checks.FILTERS[theme]
        whole, *names = (part.bounding_box() for part in (picture, *picture.locator("text").all()))
        for name in (name for name in names if name["width"]):
            assert whole["x"] - 1 <= name["x"] and name["x"] + name["width"] <= whole["x"] + whole["width"] + 1
    figure.locator("table").evaluate("table => table.scrollIntoView({block: 'end'})")
    box = figure.locator("input").first.bounding_box()
    assert box["y"] >= 0 and box["height"] >= 24
    assert not figure.locator("a > img").is_visible()


@pytest.mark.parametrize("calm", [False, True])
def test_a_ranking_glides_unless_the_reader_wants_no_motion(figure_of, calm):
    seen, figure = figure_of(FIGURES[2])
    seen.page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    figure.locator("input").first.focus()
    before = figure.locator("li").all_inner_texts()
    seen.page.keyboard.press("Home")
    moving = figure.evaluate("figure => figure.getAnimations({subtree: true}).length")
    assert (moving == 0) == calm and figure.locator("li").all_inner_texts() != before


@figures
def test_no_move_holds_the_page_up(figure_of, moved):
    """Each place of a slider takes the page less than a tenth of a second of processor time, style and layout too."""
    seen, figure = figure_of(moved)
    measure = seen.page.context.new_cdp_session(seen.page)
    measure.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = measure.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    figure.locator("input").first.focus()
    seen.page.wait_for_timeout(1000)  # what the page does at first has come to rest
    times = []
    for key in ["Home", *["ArrowRight"] * 8, "Home", "End"]:
        before = spent()
        seen.page.keyboard.press(key)
        seen.page.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go)))")
        times.append(spent() - before)
    assert max(times) < 0.1


@figures
def test_without_a_script_and_on_paper_the_still_picture_stays(chromium, server, figure_of, moved):
    seen, figure = figure_of(moved)
    seen.page.emulate_media(media="print")
    assert figure.locator("a > img").is_visible() and not figure.locator(".moving").is_visible()
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + page_of(moved))
    still = page.locator(f"#{moved.name}")
    assert still.locator("img").count() == 1 and still.locator("input").count() == 0
    assert len(still.locator("img").get_attribute("alt")) > 100
    context.close()
