"""The pages of the reference: each shows whatever modules stand in its room of the library when the book is built.

``book/api/<room>.md`` has a title and a sentence, and includes ``generated/api/<room>.md``.
"""

import pkgutil
from collections.abc import Sequence
from pathlib import Path

import cdsm_lib
from book._ext.templates import fill, table

ROOMS = {
    "ground": 0,
    "plots": 1,
    "evaluation": 1,
    "text": 2,
    "vectors": 3,
    "composition": 4,
    "tasks": 4,
    "construction": 5,
    "chapters": 6,
}
"""The pages, each with its height in the house: a module imports from its own room and those that lie lower."""


def modules() -> list[str]:
    """The public modules of the library, without ``cdsm_lib.``, by name."""
    names = [module.name.split(".") for module in pkgutil.walk_packages(cdsm_lib.__path__, "cdsm_lib.")]
    return [".".join(parts[1:]) for parts in names if parts[-1][0] != "_"]


def room(module: str) -> str:
    """The page of a module: its package's; of a module at the root *plots* or *ground*.

    >>> room("vectors.space"), room("vectors"), room("labels"), room("display")
    ('vectors', 'vectors', 'ground', 'plots')
    """
    first = module.partition(".")[0]
    return "plots" if first == "display" else first if first in ROOMS else "ground"


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/api/<room>.md`` for each room, ``rooms.md`` with all of them, ``quick-start.md`` of the README."""
    shown = {name: [module for module in modules() if room(module) == name] for name in ROOMS}
    written = {f"generated/api/{name}.md": fill("api-room.md", modules=inside) for name, inside in shown.items()}
    rows = ((f"{{doc}}`{name}`", ", ".join(f"`{module}`" for module in inside)) for name, inside in shown.items())
    quick_start = (root / "README.md").read_text("utf8").partition("## Quick start\n")[2].partition("\n## ")[0]
    written["generated/api/quick-start.md"] = quick_start.strip() + "\n"
    return written | {"generated/api/rooms.md": table(("page", "modules"), rows) + "\n"}
