"""Copies of the checkout in which tests start the commands of the Makefile, with the Python that runs the tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from book._ext import notebooks

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", ".build", "__pycache__", "data", "tests")


def copy(place: Path) -> Path:
    """The checkout at this place; each of its files and folders of data is a link."""
    shutil.copytree(ROOT, place, ignore=LEFT_OUT, dirs_exist_ok=True)
    (place / "data").mkdir()
    for path in (ROOT / "data").iterdir():
        (place / "data" / path.name).symlink_to(path)
    return place


def toy(place: Path) -> Path:
    """The checkout with the book of ``tests/data/tiny_book``: one small notebook, and a few of the pages."""
    copy(place)
    shutil.rmtree(place / "notebooks")
    shutil.copytree(ROOT / "tests" / "data" / "tiny_book", place, dirs_exist_ok=True)
    (place / "intro.md").replace(place / "book" / "intro.md")
    listed = {place / f"{page}.md" for page in notebooks.pages(place)} | {*(place / "book/data-sheets").iterdir()}
    for path in {*(place / "book").rglob("*.md")} - listed:
        path.unlink()
    return place


def command(*goal: str) -> list[str]:
    """``make GOAL`` as a person would call it, but for the virtual environment."""
    return ["make", "--no-print-directory", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.installed", *goal]


def make(place: Path, *goal: str, status: int = 0, **environment: str) -> str:
    """What a task prints in this folder; it must end with this status."""
    variables = os.environ | {"PYTHONPATH": str(place)} | environment
    done = subprocess.run(command(*goal), cwd=place, env=variables, capture_output=True, text=True)
    assert done.returncode == status, f"make {' '.join(goal)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
