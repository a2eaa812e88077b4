"""Figures with sliders in a browser: moved by keyboard, with the numbers that the notebook stores, heard, printed."""

import json
from functools import cached_property

import numpy as np
import pytest

from book._ext import notebooks
from cdsm_lib.sliders import MIME

from .conftest import opened

pytestmark = pytest.mark.browser


class Moved:
    """A figure of a chapter, and the stored numbers of its places, which nbval holds against the library."""

    def __init__(self, chapter: str, name: str):
        self.chapter, self.name = chapter, name

    @cached_property
    def told(self) -> dict:
        cells = notebooks.code_cells(notebooks.read(notebooks.find(self.chapter)))
        (cell,) = (c for c in cells if c.metadata.get("mystnb", {}).get("figure", {}).get("name") == self.name)
        return json.loads(cell.outputs[0].data[MIME])

    def values(self, places: list[int]) -> dict[str, str]:
        """By name, where the sliders stand."""
        at = np.ravel_multi_index(places, [len(slider["places"]) for slider in self.told["sliders"]])
        return dict(zip(self.told["values"], self.told["frames"][at]["values"], strict=True))


FIGURES = (
    Moved("01-word-spaces", "fig-01-space-bank-turned"),
    Moved("02-composition", "fig-02-adjective-as-matrix"),
    Moved("30-relpron", "fig-30-words-weighed"),
)
NAMED = [pytest.param(of, id=of.name, marks=pytest.mark.xdist_group(of.name)) for of in FIGURES]


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


def test_the_keyboard_moves_it_and_its_numbers_are_those_stored(desk):
    """Each slider in turn, by Tab, arrows, Home and End."""
    seen, figure, moved = desk
    sliders = figure.locator("input[type=range]").all()
    places = [int(slider.input_value()) for slider in sliders]
    assert shown(figure) == moved.values(places)
    for i, slider in enumerate(sliders):
        slider.focus() if i == 0 else seen.page.keyboard.press("Tab")
        assert slider.evaluate("slider => slider === document.activeElement")
        last = len(moved.told["sliders"][i]["places"]) - 1
        for key, to in (("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", last)):
            seen.page.keyboard.press(key)
            places[i] = to
            assert slider.get_attribute("aria-valuetext") == moved.told["sliders"][i]["places"][to]
            assert shown(figure) == moved.values(places)


def test_who_listens_hears_names_places_and_numbers(desk):
    """In the browser's tree for screen readers; the numbers are said once, when the slider has come to rest."""
    seen, figure, moved = desk
    page, sliders = seen.page, figure.locator("input[type=range]").all()
    texts = [slider.locator("xpath=..").inner_text().split("\n") for slider in sliders]
    assert heard_sliders(page) == texts and len(texts) == len(moved.told["sliders"])
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


@pytest.mark.parametrize("moved", NAMED)
def test_without_a_script_the_still_picture_stays(chromium, server, moved):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + page_of(moved))
    still = page.locator(f"#{moved.name}")
    assert still.locator("img").evaluate("i => getComputedStyle(i).display") != "none"
    assert still.locator("input").count() == 0 and len(still.locator("img").get_attribute("alt")) > 100
    context.close()
