"""The leaderboard's picture for the landing page."""

from pathlib import Path

from book._ext import leaderboard

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_and_its_figure_come_from_the_committed_figures():
    made = leaderboard.pages(ROOT, "sample", [])
    assert set(made) == {"generated/leaderboard.png", "generated/leaderboard.md"}
    assert made["generated/leaderboard.png"].startswith(b"\x89PNG")
    text = made["generated/leaderboard.md"]
    assert text.startswith("```{figure} /book/generated/leaderboard.png\n:alt: ") and text.rstrip().endswith("```")
    assert "on 7 tasks" in text and "{doc}`/notebooks/90-leaderboard`" in text


def test_numbers_of_the_caption_are_counted():
    panels = {
        "one": {"SIF": (0.4, 0.3, 0.5, "best"), "PLF": (0.3, 0.2, 0.4, "behind")},
        "two": {"SIF": (0.4, 0.3, 0.5, "level"), "PLF": (0.5, 0.2, 0.6, "best")},
    }
    text = leaderboard.snippet(["SIF", "PLF"], panels, "What it shows.")
    assert (
        "2 systems on 2 tasks, all" in text and "2 different systems have" in text and ":alt: What it shows.\n" in text
    )


def test_a_system_of_some_tasks_is_counted_apart():
    panels = {"one": {"SIF": (0.4, 0.3, 0.5, "best"), "PLF": (0.3, 0.2, 0.4, "behind")}}
    panels["two"] = {"SIF": (0.4, 0.3, 0.5, "best")}
    assert "2 systems on 2 tasks (1 of them on all), all" in leaderboard.snippet(["SIF", "PLF"], panels, "What.")


def test_without_figures_there_is_no_picture(tmp_path):
    assert leaderboard.pages(tmp_path, "sample", []) == {}
