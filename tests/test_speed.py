"""The pages on speed and on clusters show every contest that was recorded, with all its rows."""

import json

import prose

from book._ext import speed
from book._ext.templates import fill

RECORD = [*map(json.loads, (prose.ROOT / "benchmarks" / "record.jsonl").read_text("utf8").splitlines())]


def test_every_contest_is_shown_with_all_its_rows():
    page = speed.pages(prose.ROOT, "sample", ())["generated/speed.md"]
    for contest in (contest for contest in RECORD[1:] if "scale" not in contest):
        part = page.partition(f"**{contest['title']}**")[2].partition("\n**")[0]
        names = [line.split(" | ")[0].removeprefix("| ") for line in part.splitlines() if line.startswith("| ")][1:]
        assert names[: len(contest["rows"])] == [name for name, *_ in contest["rows"]]
    page, counted = speed.pages(prose.ROOT, "sample", ())["generated/scale.md"], [of for of in RECORD if "scale" in of]
    assert len(counted) == 2
    for contest in counted:
        rows = contest["scale"]
        part = page.partition(f"**{rows[0]['task'].capitalize()}**")[2].partition("**")[0]
        assert len({row["tokens"] for row in rows}) == 4 and rows[-1]["found"] == rows[-2]["found"]
        for row in rows:
            assert f"| {row['tokens']:,} | {row['workers']} | {row['seconds']:.1f} | {row['work']:.1f} |" in part


def test_a_ratio_by_hand():
    contest = {"title": "A race of two", "note": "a tie", "rows": [["hare", 2.0, 50.0], ["tortoise", 5.0, 9.6]]}
    text = fill("speed.md", machine=RECORD[0], contests=[contest]).rstrip()
    assert "| hare | 2 | 1.00 | 50 |" in text and "| tortoise | 5 | 2.50 | 10 |" in text and text.endswith("A tie.")
