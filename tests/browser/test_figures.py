"""Figures with sliders in a browser: moved by keyboard, their numbers against the library's, heard, small, printed."""

import re

import pytest
from moving import FIGURES

from . import checks
from .conftest import opened

pytestmark = pytest.mark.browser

NAMED = [pytest.param(of, id=of.name, marks=pytest.mark.xdist_group(of.name)) for of in FIGURES]


UNCOVERED = """slider => {
    const {x, y, width, height} = slider.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) === slider;
}"""
"""Whether the slider is in sight, and not below the header of the page."""


def go_to(seen, moved):
    """The figure on its page, unfolded and in sight."""
    seen.page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    figure = seen.page.locator(f"#{moved.name}")
    figure.scroll_into_view_if_needed()
    return figure


def page_of(moved) -> str:
    return f"notebooks/{moved.chapter}.html"


@pytest.fixture(scope="module", params=NAMED)
def desk(request, chromium, server):
    """A visit of each figure's page at desk width, in the light theme; the figure; what it should show."""
    with opened(chromium, server + page_of(request.param)) as seen:
        yield seen, go_to(seen, request.param), request.param


@pytest.fixture(scope="module", params=NAMED)
def phone(request, chromium, server):
    """A visit on a phone, in the dark theme."""
    with opened(chromium, server + page_of(request.param), theme="dark", viewport=checks.MODERN) as seen:
        yield seen, go_to(seen, request.param)


def shown(figure) -> dict[str, str]:
    """The numbers below the picture, by their names."""
    rows = figure.locator(".moving tr").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


def heard_sliders(page) -> list[list[str]]:
    """Name of each slider of a page, as the browser tells a screen reader, and its place as the page gives it.

    Of the place some versions of Chromium's protocol tell the slider's bare number and not the page's attribute.
    """
    session = page.context.new_cdp_session(page)
    session.send("Accessibility.enable")
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    names = [node["name"]["value"] for node in nodes if node.get("role", {}).get("value") == "slider"]
    places = page.eval_on_selector_all("input[type=range]", "all => all.map(slider => slider.ariaValueText)")
    return [list(told) for told in zip(names, places, strict=True)]


def agrees(figure, moved, places: list[int]) -> None:
    """Fail unless the figure shows the library's numbers for these places of the sliders."""
    expected = moved.values(*(at[i] for at, i in zip(moved.places, places, strict=True)))
    found = shown(figure)
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert float(found[name]) == pytest.approx(value, abs=0.501 * 10**-moved.decimals), (name, places)


def test_the_keyboard_moves_it_and_its_numbers_are_the_library_s(desk):
    """Each slider in turn, by Tab, arrows, Home and End."""
    seen, figure, moved = desk
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


def test_who_listens_hears_names_places_and_numbers(desk):
    """In the browser's tree for screen readers; the numbers are said once, when the slider has come to rest."""
    seen, figure, moved = desk
    page, sliders = seen.page, figure.locator("input[type=range]").all()
    texts = [slider.locator("xpath=..").inner_text().split("\n") for slider in sliders]
    assert heard_sliders(page) == texts and len(texts) == len(moved.places)
    status = figure.get_by_role("status")
    page.wait_for_function("e => e.textContent", arg=status.element_handle())
    page.wait_for_timeout(700)
    before = status.inner_text()
    page.evaluate("""e => {
        window.said = [];
        new MutationObserver(() => said.push(e.textContent)).observe(e, {childList: true});
    }""", status.element_handle())  # fmt: skip
    page.evaluate("""slider => {
        for (const at of [0, slider.max, slider.max - 1]) {
            slider.value = at;
            slider.dispatchEvent(new Event("input"));
        }
    }""", sliders[0].element_handle())  # fmt: skip
    page.wait_for_function("said.length")
    page.wait_for_timeout(700)
    told = "; ".join(f"{name}: {value}" for name, value in shown(figure).items())
    assert page.evaluate("said") == [told] and told != before
    for picture in figure.locator(".moving svg").all():
        heard = picture.get_attribute("aria-label")
        assert picture.get_attribute("role") == "img"
        assert all(f"{text.text_content()} (" in heard for text in picture.locator("text:not([dy])").all())
    tree = figure.aria_snapshot()
    for line in figure.locator("ol li").all():
        right = "right: " * (line.get_attribute("class") == "right")
        assert line.text_content().startswith(right) and line.text_content() in tree


def test_arrows_stand_where_the_library_has_them(desk):
    """The sum stays; the product, turned by a right angle, is the mirror image of itself: (-6, 3) as long as (5, 4)."""
    _, figure, moved = desk
    labels = []
    for key in ("Home", "End"):
        figure.locator("input").first.press(key)
        labels.append([picture.get_attribute("aria-label") for picture in figure.locator("svg").all()])
    if moved.chapter == "01-word-spaces":
        for (label,), side in zip(labels, (1, -1), strict=True):
            long = (41 / 45) ** 0.5
            assert "sum (5.00, 4.00)" in label and f"product ({side * 6 * long:.2f}, {3 * long:.2f})" in label
    elif moved.chapter == "02-composition":
        assert all("car (1.50, 0.20); hair (-0.30, 1.20)" in label for label in labels[0])
        matrix, addition = labels[1]
        assert re.search(r"car \(.*?\)", matrix)[0] == re.search(r"car \(.*?\)", addition)[0]
        assert re.search(r"hair \(.*?\)", matrix)[0] != re.search(r"hair \(.*?\)", addition)[0]
    else:
        assert labels == [[], []]


def test_nothing_moves_by_itself_and_a_ranking_glides_unless_the_reader_wants_no_motion(desk):
    seen, figure, _ = desk
    ranked = figure.locator("li").count()
    for motion, glides in (("reduce", False), ("no-preference", ranked > 0)):
        seen.page.emulate_media(reduced_motion=motion)
        figure.locator("input").first.press("End")
        seen.page.wait_for_timeout(500)
        before = shown(figure)
        moving = """slider => {
            slider.value = 0;
            slider.dispatchEvent(new Event("input"));
            return slider.closest("figure").getAnimations({subtree: true}).length;
        }"""
        assert (figure.locator("input").first.evaluate(moving) > 0) == glides
        assert shown(figure) != before


def test_no_move_holds_the_page_up(desk):
    """Each place of a slider takes the page less than a tenth of a second of processor time, style and layout too."""
    seen, figure, _ = desk
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


def test_on_paper_the_still_picture_stays_and_no_request_left(desk):
    seen, figure, _ = desk
    still, moving = figure.locator("a > img"), figure.locator(".moving")
    assert moving.is_visible() and not still.is_visible()
    for picture in figure.locator(".moving svg").all():
        assert picture.evaluate("svg => getComputedStyle(svg).filter") == checks.FILTERS["light"]
    seen.page.emulate_media(media="print")
    assert still.is_visible() and not moving.is_visible()
    seen.page.emulate_media(media="screen")
    assert seen.requests == [] and seen.errors == []


@pytest.mark.parametrize("moved", NAMED)
def test_without_a_script_the_still_picture_stays(chromium, server, moved):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + page_of(moved))
    still = page.locator(f"#{moved.name}")
    assert still.locator("img").evaluate("i => getComputedStyle(i).display") != "none"
    assert still.locator("input").count() == 0 and len(still.locator("img").get_attribute("alt")) > 100
    context.close()


def test_it_fits_a_phone_and_can_be_read_in_the_dark(phone):
    """At 390 pixels: nothing sticks out, letters are no smaller than elsewhere, the slider stays in sight."""
    seen, figure = phone
    assert checks.overflow_problems(seen.page, checks.MODERN) == []
    scales = figure.locator(".moving svg").evaluate_all(
        "all => all.map(svg => svg.getScreenCTM().a * parseFloat(getComputedStyle(svg.querySelector('text')).fontSize))"
    )
    assert all(size >= checks.LEAST_TYPE for size in scales)
    for picture in figure.locator(".moving svg").all():
        assert picture.evaluate("svg => getComputedStyle(svg).filter") == checks.FILTERS["dark"]
        for key in ("Home", "End"):
            figure.locator("input").first.press(key)
            whole, *names = (part.bounding_box() for part in (picture, *picture.locator("text").all()))
            for name in (name for name in names if name["width"]):
                assert whole["x"] - 1 <= name["x"] and name["x"] + name["width"] <= whole["x"] + whole["width"] + 1
    figure.locator("table").evaluate("table => table.scrollIntoView({block: 'end'})")
    slider = figure.locator("input").first
    box = slider.bounding_box()
    assert box["height"] >= 24 and box["width"] >= 200 and slider.evaluate(UNCOVERED)
    assert not figure.locator("a > img").is_visible()
