"""The page on speed shows every contest that was recorded."""

import json

import prose
import pytest

from book._ext import speed

RECORD = (prose.ROOT / "benchmarks" / "record.jsonl").read_text("utf8").splitlines()


@pytest.fixture(scope="module")
def page():
    return speed.pages(prose.ROOT, "sample", ())["generated/speed.md"]


@pytest.mark.parametrize("contest", [*map(json.loads, RECORD[1:])], ids=lambda contest: contest["title"])
def test_every_contest_is_shown_with_all_its_rows(page, contest):
    part = page.partition(f"**{contest['title']}**")[2].partition("\n**")[0]
    assert [line.split(" | ")[0].removeprefix("| ") for line in part.splitlines() if line.startswith("| ")][
        1 : len(contest["rows"]) + 1
    ] == [name for name, *_ in contest["rows"]]


def test_a_ratio_by_hand():
    contest = {"key": "race", "title": "A race of two", "note": "a tie"}
    contest["rows"] = [["hare", 2.0, 50.0], ["tortoise", 5.0, 9.6]]
    text = speed.shown(contest, {"date": "then", "race": {"hare": 4.0, "snail": 99}})
    assert "| hare | 2 | 1.00 | 50 | 4 |" in text and "| tortoise | 5 | 2.50 | 10 |  |" in text
    assert "| snail |  |  |  | 99 |" in text and text.endswith("A tie.")
    assert "before" not in speed.shown(contest, {"date": "then", "races": {"hare": 4.0}})


def test_what_was_measured_before_is_measured_still():
    before = json.loads((prose.ROOT / "benchmarks" / "before.json").read_text("utf8"))
    keys = [key for line in RECORD[1:] if (key := json.loads(line)["key"])]
    assert set(before) - {"date"} < set(keys) and len(set(keys)) == len(keys)
