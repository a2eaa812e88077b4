"""What folds away: tables in tabs, and what the reference says of an object."""

import pytest

pytestmark = pytest.mark.browser


def test_arrow_keys_go_through_the_tables_of_a_fold(open_page, server):
    page = open_page(f"{server}notebooks/20-sentence-localisation.html").page
    page.locator("details:has(.sd-tab-set) > summary").first.click()
    tabs = page.locator(".sd-tab-set").first
    shown = [False] * tabs.locator("table caption").count()
    assert len(shown) > 1 and tabs.get_attribute("role") == "group"
    tabs.locator("input").first.focus()
    for place in range(len(shown)):
        visible = [caption.is_visible() for caption in tabs.locator("table caption").all()]
        assert visible == [*shown[:place], True, *shown[place + 1 :]]
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("name", ["RelPron", "RelPron.terms", "score"])
def test_a_link_to_a_name_opens_its_fold(open_page, server, name):
    page = open_page(f"{server}book/api/tasks/relpron.html#cdsm_lib.tasks.relpron.{name}").page
    entry = page.locator(f'[id="cdsm_lib.tasks.relpron.{name}"]')
    assert entry.is_visible() and 0 <= entry.bounding_box()["y"] < 200
    assert page.locator("details.described[open]").count() == 1 < page.locator("details.described").count()
