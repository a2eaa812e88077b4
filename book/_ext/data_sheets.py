"""Data sheets: for every set of data the same headings, from the registry and from the README beside a set of our own.

The headings are those of Gebru et al. (2021), "Datasheets for Datasets", in short: motivation, composition, making,
licence, uses and limits, maintenance. A README of ours says them in the words of its readers (*What for*), and here
they get the common names.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from book._ext.site import repository
from book._ext.templates import fill, table
from cdsm_lib import datasets

HEADINGS = {
    "What for": "Motivation",
    "What is in it": "Composition",
    "How it was made": "Making",
    "How they were made": "Making",
    "Licence": "Licence",
    "Limits": "Uses and limits",
    "Maintenance": "Maintenance",
}
"""What our own READMEs call the sections, and what a data sheet calls them."""


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/sheets/``: one page a set of our own, one for all registered sets, and the tables of the index.

    ``generated/datasets.md`` is the table of the registered sets.
    """
    registry, ours = datasets.load_registry(), own_sets(root)
    sheets = {f"{name}.md": own_sheet(root, path) for name, path in ours.items()}
    sheets["registered.md"] = "\n".join(fill("registered-sheet.md", entry=entry) for entry in registry.values())
    sizes, titles = {}, {}
    for name, path in ours.items():
        sizes[name] = sum(file.stat().st_size for file in path.parent.rglob("*") if file.is_file())
        titles[name] = path.read_text("utf8").partition("\n")[0].removeprefix("# ").split(": ", 1)[-1]
    sheets["index.md"] = fill("data-sheets.md", titles=titles, sizes=sizes, registry=registry)
    sheets["distilled-files.md"] = distilled_files(root)
    generated = {f"generated/sheets/{name}": text for name, text in sheets.items()}
    return generated | {"generated/datasets.md": dataset_table(registry)}


# ------------------------------------------------------------------------------------------------------- our own sets


def own_sets(root: Path) -> dict[str, Path]:
    """The README of each set of our own, by the name of its sheet: teaching sets, annotations, models."""
    samples = sorted((root / "data" / "sample").glob("*/README.md"))
    others = (root / "data" / name / "README.md" for name in ("annotations", "models"))
    return {path.parent.name: path for path in [*samples, *others] if path.is_file()}


def own_sheet(root: Path, readme: Path) -> str:
    """The README of a set as the text of a page of the book, below the page's title."""
    place = readme.parent.relative_to(root).as_posix()
    text = linked(sections(readme.read_text("utf8")), place, repository())
    title, body = text.split("\n", 1)  # the page has a title of its own, the set's name
    _, colon, subtitle = title.partition(": ")
    subtitle = f"*{subtitle[0].upper()}{subtitle[1:]}.*\n\n" if colon else ""
    files = f"[`{place}`]({repository()}/tree/main/{place})" if repository() else f"`{place}`"
    return f"{subtitle}{body.strip()}\n\nThe files stand in {files}.\n"


def sections(text: str) -> str:
    """A README with the headings of a data sheet; what else has a heading belongs to the section before it.

    >>> print(sections("# A set\\n\\n## What for\\n\\nTo learn.\\n\\n## The columns\\n\\n**Limits.** Small.\\n"))
    # A set
    <BLANKLINE>
    ## Motivation
    <BLANKLINE>
    To learn.
    <BLANKLINE>
    ### The columns
    <BLANKLINE>
    ### Uses and limits
    <BLANKLINE>
    Small.
    <BLANKLINE>
    """
    named = "|".join(HEADINGS)
    one_set = re.search(r"(?m)^## What for$", text)
    text = re.sub(rf"(?m)^\*\*({named})\.\*\* *\n?", lambda m: f"### {HEADINGS[m[1]]}\n\n", text)
    if one_set:  # a README of several sets has a section for each
        text = re.sub(rf"(?m)^## (?!(?:{named})$)", "### ", text)
    return re.sub(rf"(?m)^(##+) ({named})$", lambda m: f"{m[1]} {HEADINGS[m[2]]}", text)


def linked(text: str, folder: str, address: str | None) -> str:
    """Links to files beside the README as links into the repository; without its address, as names of files.

    >>> linked("[the notice](NOTICE) and [a page](https://example.org)", "data", "https://host/us")
    '[the notice](https://host/us/blob/main/data/NOTICE) and [a page](https://example.org)'
    >>> linked("[the notice](NOTICE)", "data", None)
    'the notice (`data/NOTICE`)'
    """
    target = rf"[\1]({address}/blob/main/{folder}/\2)" if address else rf"\1 (`{folder}/\2`)"
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)", target, text)


# --------------------------------------------------------------------------------------- the registered sets, the index


def dataset_table(registry: datasets.Registry) -> str:
    """What each registered set is, its paper, licence and size; the data sheets say the rest."""
    rows = []
    for name, entry in registry.items():
        what = f"{entry.title} {{cite}}`{entry.bib}`"
        rows.append((f"{{ref}}`{name} <sheet-{name}>`", what, entry.licence, f"{entry.size / 1e6:,.1f}"))
    return table(("set", "what", "licence", "MB"), rows, 1) + "\n"


def distilled_files(root: Path) -> str:
    """The files of ``data/distilled`` with their sizes and SHA-256, as its provenance states them."""
    folder = root / "data" / "distilled"
    stated = json.loads((folder / "provenance.json").read_text("utf8"))["files"]
    sizes = {name: (folder / name).stat().st_size for name in stated}
    return fill("distilled-files.md", stated=stated, sizes=sizes)
