"""A copy of the checkout in which tests start the commands of the Makefile, with the Python that runs the tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", ".build", "__pycache__", "data", "tests")


def copy(place: Path) -> Path:
    """The checkout at this place; its data are a link, and so no command that writes them may run here."""
    shutil.copytree(ROOT, place, ignore=LEFT_OUT)
    (place / "data").symlink_to(ROOT / "data")
    return place


def command(*goal: str) -> list[str]:
    """``make GOAL`` as a person would call it, but for the virtual environment."""
    return ["make", "--no-print-directory", f"VENV={sys.prefix}", "-o", f"{sys.prefix}/.installed", *goal]


def make(place: Path, *goal: str, **environment: str) -> str:
    """What a task prints in this folder; an error with all that it said, if it fails."""
    done = subprocess.run(command(*goal), cwd=place, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, f"make {' '.join(goal)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
