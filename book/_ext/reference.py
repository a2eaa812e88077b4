"""The pages of the reference: a page for each module that stands in the library when the book is built.

``book/api/<room>.md`` has a title and a sentence, and includes ``generated/api/<room>.md``, the table of its modules,
whose pages are ``api/<room>/<module>.md``. Of the chapters' modules one page says what each is for.
"""

import ast
import pkgutil
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import cdsm_lib
from book._ext.templates import table

ROOMS = "ground machinery plots evaluation text vectors composition tasks construction chapters".split()
"""The rooms from the bottom up: a module imports from its own room and those below; the first four know each other."""

BEHIND = "machinery", "plots", "chapters"
"""The rooms that make this book; the others are for work of one's own."""

AT_ROOT = {"display": "plots", "sliders": "plots"} | dict.fromkeys(("cache", "deposit", "settings"), "machinery")
"""The rooms of modules that stand in no package, where it is not *ground*."""


def modules() -> list[str]:
    """The public modules of the library, without ``cdsm_lib.``, by name."""
    names = [module.name.split(".") for module in pkgutil.walk_packages(cdsm_lib.__path__, "cdsm_lib.")]
    return [".".join(parts[1:]) for parts in names if parts[-1][0] != "_"]


def room(module: str) -> str:
    """The room of a module: its package; of a module at the root `AT_ROOT`, or *ground*.

    >>> room("vectors.space"), room("vectors"), room("labels"), room("display")
    ('vectors', 'vectors', 'ground', 'plots')
    """
    first = module.partition(".")[0]
    return first if first in ROOMS else AT_ROOT.get(first, "ground")


def purpose(module: str, name: str = "") -> str:
    """The first line of a module's docstring, or of the object `name` in it; nothing is imported.

    >>> purpose("labels")
    'Labels: an immutable list of strings that knows where each of them stands.'
    >>> purpose("evaluation.metrics", "spearman")
    "Spearman's rank correlation: Pearson's correlation of the ranks, tied values at their average rank."
    """
    body = ast.parse(Path(find_spec(f"cdsm_lib.{module}").origin).read_text("utf8"))
    if name:
        (body,) = (node for node in body.body if getattr(node, "name", "") == name)
    return ast.get_docstring(body).partition("\n")[0]


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """A page a module, a table a room; for the first page the rooms, the short names and the README's quick start."""
    written, rooms = {}, {}
    for name in ROOMS:
        inside = {module: module.rpartition(".")[2] for module in modules() if room(module) == name}
        package = inside.pop(name, "")
        shown = f"```{{py:module}} cdsm_lib.{package}\n```\n\n" if package else ""
        if name == "chapters":
            links = [f"`{short}`" for short in inside.values()]
            shown += "\n".join(f"## `{module}`\n\n{described(module, '   :no-members:')}" for module in inside)
        else:
            written |= {f"api/{name}/{inside[module]}.md": f"# `{module}`\n\n{described(module)}" for module in inside}
            links = [f"{{doc}}`{short} <{name}/{short}>`" for short in inside.values()]
            shown += table(("module", "what it is for"), zip(links, map(purpose, inside), strict=True)) + "\n"
        written[f"generated/api/{name}.md"] = shown
        rooms[name] = f"{{doc}}`{name}`", ", ".join(links)
    homes = sorted(cdsm_lib._HOME.items())
    names = ((f"{{py:obj}}`{name} <cdsm_lib.{home}.{name}>`", purpose(home, name)) for name, home in homes)
    quick_start = (root / "README.md").read_text("utf8").partition("## Quick start\n")[2].partition("\n## ")[0]
    return written | {
        "generated/api/rooms.md": table(("page", "modules"), (rooms[n] for n in ROOMS if n not in BEHIND)) + "\n",
        "generated/api/behind.md": table(("page", "modules"), (rooms[name] for name in BEHIND)) + "\n",
        "generated/api/names.md": table(("name", "what it is"), names) + "\n",
        "generated/api/quick-start.md": quick_start.strip() + "\n",
    }


def rewrite(app, what: str, name: str, obj, options, lines: list[str]) -> None:
    """A docstring for napoleon, before it reads it: lists in two columns become lists of definitions.

    Of a constant's sentence napoleon would take what stands before a colon for its type: an empty comment in its place
    leaves the sentence whole. Of several attributes in one line Sphinx would take the first for the type of the others.

    >>> lines = ["Metrics:", "", "auc         area under the curve", "roc, curve  the curve,", " " * 12 + "a line"]
    >>> rewrite(None, "module", "", None, None, lines)
    >>> lines
    ['Metrics:', '', '`auc`', '    area under the curve', '`roc`, `curve`', '    the curve,', '    a line']
    """
    parts = re.split(r"(?m)(^ *=[= ]+\n(?:.*\n)*? *=[= ]+\n(?:.*\n)*? *=[= ]+$)", "\n".join(lines))  # tables
    parts[::2] = [COLUMNS.sub(_definition, part) for part in parts[::2]]
    parts[1::2] = [table.replace("=  =", "== =") for table in parts[1::2]]  # a cell may be one letter wider
    before, heading, after = "".join(parts).partition("Attributes\n----------\n")
    after = re.sub(r"(?m)^\w+(?:, \w+)+ :", lambda names: names[0].replace(", ", ","), after)
    comment = "..\n\n" if what in ("attribute", "data", "property") else ""
    lines[:] = (comment + before + heading + after).split("\n")


COLUMNS = re.compile(r"(?m)^(\w+(?:\.\w+)*(?:, \w+(?:\.\w+)*)*) {2,}(\S.*(?:\n {8,}\S.*)*)")
"""An entry such as ``auc       area under the curve``, with the lines that it runs on."""


def _definition(entry: re.Match) -> str:
    names = ", ".join(f"`{name}`" for name in entry[1].split(", "))
    return "\n    ".join([names, *(line.strip() for line in entry[2].split("\n"))])


def described(module: str, *options: str) -> str:
    """What Sphinx makes a module's docstrings into, with options of ``automodule``."""
    return "\n".join(["```{eval-rst}", f".. automodule:: cdsm_lib.{module}", *options, "```", ""])
