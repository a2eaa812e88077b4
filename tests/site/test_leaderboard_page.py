"""The leaderboard's picture for the landing page."""

import re
from pathlib import Path

from book._ext import leaderboard
from cdsm_lib.evaluation.results import Results

ROOT = Path(__file__).resolve().parents[2]
LEDGER = ROOT / "data" / "results" / "full" / "leaderboard.json"


def test_the_picture_and_its_figure_come_from_the_committed_figures():
    made = leaderboard.pages(ROOT, "sample", [])
    text = made.pop("generated/leaderboard.md")
    assert set(made) == {"generated/leaderboard.png", "generated/leaderboard-phone.png"}
    for name, picture in made.items():
        assert picture.startswith(b"\x89PNG") and f"}} /book/{name}\n:alt: Systems compared" in text
    assert "on 7 tasks" in text and "{doc}`/notebooks/90-leaderboard`" in text


def test_every_system_of_the_chart_is_explained_with_a_chapter():
    text = leaderboard.pages(ROOT, "sample", [])["generated/leaderboard.md"]
    meanings = dict(re.findall(r"^(\S.*)\n: (.*)$", text, re.M))
    explained = {name for names in meanings for name in names.split(", ")}
    everywhere = {row.system for row in Results.read(LEDGER).find(metric="mean rank")}
    for system in everywhere | {"context2vec", "encoder (target)"}:  # which play two tasks
        parts = re.fullmatch(r"(.*?)(?: (add|mult)| \(\w+\))?", system).groups()
        assert {part for part in parts if part} <= explained, system
    for meaning in meanings.values():
        assert (ROOT / (re.search(r"{doc}`/(.*)`", meaning)[1] + ".ipynb")).is_file()


def test_numbers_of_the_caption_are_counted():
    panels = {"one": {"highest figure": {"SIF": 0.4}, "behind it": {"PLF": 0.3}}}
    panels["two"] = {"highest figure": {"PLF": 0.5}, "not significantly behind it": {"SIF": 0.4}}
    text = leaderboard.snippet(["SIF", "PLF"], panels, "What it shows.")
    assert "2 systems on 2 tasks, all" in text and "2 different systems have" in text
    assert ":alt: What it shows.\n" in text
    panels["two"] = {"highest figure": {"SIF": 0.4}}  # PLF does not play it
    assert "2 systems on 2 tasks (1 of them on all), all" in leaderboard.snippet(["SIF", "PLF"], panels, "What.")
