"""Tables that the reader may sort: the leaderboard's."""

import pytest

pytestmark = pytest.mark.browser

PAGE = "notebooks/90-leaderboard.html"


@pytest.fixture
def table(open_page, server):
    """The first sortable table of the leaderboard."""
    page = open_page(server + PAGE).page
    found = page.locator("table.sortable").first
    found.wait_for()
    return found


def column(table, place: int) -> list[str]:
    """The texts of a column's cells, top to bottom."""
    rows = table.locator("tbody tr")
    return [rows.nth(i).locator("th, td").nth(place).inner_text().strip() for i in range(rows.count())]


def numbers(cells: list[str]) -> list[float | None]:
    """The first number of each cell, None of a dash."""
    return [None if cell == "–" else float(cell.split()[0]) for cell in cells]


def in_order(values: list[float | None], down: bool) -> bool:
    """Whether they are sorted, with what is missing at the end."""
    known = [value for value in values if value is not None]
    return values == sorted(known, reverse=down) + [None] * (len(values) - len(known))


def test_a_click_sorts_from_the_largest_and_a_second_from_the_smallest(table):
    before = sorted(column(table, 0))
    button, header = table.locator("thead th button").nth(3), table.locator("thead th").nth(3)
    button.click()
    assert header.get_attribute("aria-sort") == "descending" and in_order(numbers(column(table, 3)), down=True)
    button.click()
    assert header.get_attribute("aria-sort") == "ascending" and in_order(numbers(column(table, 3)), down=False)
    assert sorted(column(table, 0)) == before
