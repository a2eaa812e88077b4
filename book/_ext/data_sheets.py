"""Data sheets: for every set of data the same headings, from the registry and from the README beside a set of our own.

The headings are those of Gebru et al. (2021), "Datasheets for Datasets", in short: motivation, composition, making,
licence, uses and limits, maintenance. A README of ours says them in the words of its readers (*What for*), and here
they get the common names.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from book._ext.site import repository
from cdsm_lib import datasets
from cdsm_lib.datasets import DataError, Dataset

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
    made = {f"{name}.md": own_sheet(root, name) for name in own_sets(root)}
    registry = _registry(root)
    made["registered.md"] = "\n".join(registered_sheet(entry) for entry in registry.values()) or NOTHING
    made["index.md"] = "\n".join(index(root, registry)) + "\n"
    made["distilled-files.md"] = "\n".join(distilled_files(root)) + "\n"
    return {f"generated/sheets/{name}": text for name, text in made.items()} | {
        "generated/datasets.md": dataset_table(registry)
    }


NOTHING = "No dataset is registered.\n"


def _registry(root: Path) -> datasets.Registry:
    path = root / "data" / "registry.toml"
    return datasets.load_registry(path) if path.is_file() else {}


# ------------------------------------------------------------------------------------------------------- our own sets


def own_sets(root: Path) -> dict[str, Path]:
    """The README of each set of our own, by the name of its sheet: teaching sets, annotations, models."""
    places = [
        *sorted((root / "data" / "sample").glob("*/README.md")),
        *(root / "data" / n / "README.md" for n in OTHERS),
    ]
    return {path.parent.name: path for path in places if path.is_file()}


OTHERS = ("annotations", "models")


def own_sheet(root: Path, name: str) -> str:
    """The README of a set as the text of a page of the book, below the page's title.

    Raises
    ------
    DataError
        If it lacks one of the headings of a data sheet.
    """
    path = own_sets(root)[name]
    text = sections(path.read_text("utf8"))
    missing = [said for said in dict.fromkeys(HEADINGS.values()) if not re.search(rf"(?m)^##+ {said}$", text)]
    place = path.relative_to(root).as_posix()
    if missing:
        wanted = ", ".join(f"## {own}" for own, said in HEADINGS.items() if said in missing)
        raise DataError(f"{place}: no section for {', '.join(missing)}. Add it under {wanted}")
    text = absolute_links(text, f"{repository()}/blob/main/{path.parent.relative_to(root).as_posix()}")
    title, body = text.split("\n", 1)  # the page has a title of its own, the set's name
    _, colon, subtitle = title.partition(": ")
    subtitle = f"*{subtitle[0].upper()}{subtitle[1:]}.*\n\n" if colon else ""
    place = path.parent.relative_to(root).as_posix()
    return f"{subtitle}{body.strip()}\n\nThe files stand in [`{place}`]({repository()}/tree/main/{place}).\n"


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


def absolute_links(text: str, folder: str) -> str:
    """Links to files beside the README as links into the repository.

    >>> absolute_links("[the notice](NOTICE) and [a page](https://example.org)", "https://host/data")
    '[the notice](https://host/data/NOTICE) and [a page](https://example.org)'
    """
    return re.sub(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)", rf"]({folder}/\1)", text)


# ------------------------------------------------------------------------------------------------ the registered sets


def registered_sheet(entry: Dataset) -> str:
    """The sheet of a registered set.

    Raises
    ------
    DataError
        If the registry lacks one of the fields of `datasets.SHEET`.
    """
    lacking = [field for field in datasets.SHEET if not getattr(entry, field).strip()]
    if lacking:
        raise DataError(f"data/registry.toml: [{entry.name}] says nothing under {', '.join(lacking)}. Write it there")
    places = ", ".join(f"<{page}>" for page in entry.pages)
    passed_on = "The set may be passed on." if entry.redistributable else "The set is not ours to pass on."
    parts = {
        "Motivation": entry.motivation,
        "Composition": entry.composition,
        "Making": entry.making,
        "Licence": f"{entry.licence[0].upper()}{entry.licence[1:]}. {passed_on}",
        "Uses and limits": entry.limits,
        "Maintenance": f"By its owners: {places}. This book takes only files with the SHA-256 below. {entry.obtain}",
    }
    lines = [f"(sheet-{entry.name})=", f"## `{entry.name}`", "", f"{entry.title} {{cite}}`{entry.bib}`.", ""]
    for name, text in parts.items():
        lines += [name, f": {text}", ""]
    lines += [f"```{{dropdown}} Files: {_count(len(entry.files), 'file')}, {megabytes(entry.size)}", ""]
    lines += table(("file", "size", "what stands in it", "SHA-256"), (
        (f"`{file.name}`", megabytes(file.size), file.format, f"`{file.sha256}`") for file in entry.files.values()
    ))  # fmt: skip
    return "\n".join([*lines, "```", ""])


def megabytes(size: int) -> str:
    """A size in bytes for a reader, in MB or kB, with a space at which no line breaks.

    >>> megabytes(16_436_356), megabytes(1_658)
    ('16.4\\xa0MB', '1.7\\xa0kB')
    """
    return f"{size / 1e6:,.1f}\xa0MB" if size >= 1e6 else f"{size / 1e3:,.1f}\xa0kB"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], last: str = "-") -> list[str]:
    """A table in Markdown; `last` is the rule below the last head, ``-:`` for numbers."""
    rules = ["---"] * (len(head) - 1) + [f"--{last}"]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(rules) + "|"]
    return lines + ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]


# ------------------------------------------------------------------------------------------------------------- index


def index(root: Path, registry: datasets.Registry) -> Iterator[str]:
    """The tables of all data sheets: name, what it is, licence, size."""
    yield from ["## Made here", ""]
    yield from table(("set", "what", "size"), (
        (f"{{ref}}`{name} <sheet-{name}>`", _title(path), megabytes(_size(path.parent)))
        for name, path in own_sets(root).items()
    ))  # fmt: skip
    yield from [
        "",
        "Counts and vectors taken from the corpus have a sheet of their own: {doc}`data-sheets/distilled`.",
        "",
    ]
    yield from ["## Made by others", ""]
    yield from table(("set", "what", "licence", "size"), (
        (f"{{ref}}`{name} <sheet-{name}>`", entry.title, entry.licence, megabytes(entry.size))
        for name, entry in registry.items()
    )) if registry else [NOTHING]  # fmt: skip


def dataset_table(registry: datasets.Registry) -> str:
    """What each registered set is, its paper, licence and size; the data sheets say the rest."""
    if not registry:
        return NOTHING
    rows = (
        (
            f"{{ref}}`{name} <sheet-{name}>`",
            f"{entry.title} {{cite}}`{entry.bib}`",
            entry.licence,
            f"{entry.size / 1e6:,.1f}",
        )
        for name, entry in registry.items()
    )
    return "\n".join(table(("set", "what", "licence", "MB"), rows, "-:")) + "\n"


def _title(readme: Path) -> str:
    """The first heading without the set's name."""
    first = readme.read_text("utf8").splitlines()[0].removeprefix("# ")
    named = first.split(": ", 1)[-1]
    return TITLES.get(readme.parent.name, named)


TITLES = {
    "annotations": "judgements by hand about data of others, by item number",
    "models": "weights of context2vec, and of a part-of-speech tagger",
}
"""Of READMEs that describe several files."""


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def distilled_files(root: Path) -> Iterator[str]:
    """The files of ``data/distilled`` with their sizes and SHA-256, as its provenance states them."""
    folder = root / "data" / "distilled"
    if not (folder / "provenance.json").is_file():
        yield "There are no distilled files."
        return
    stated = json.loads((folder / "provenance.json").read_text("utf8"))["files"]
    sizes = {name: (folder / name).stat().st_size for name in stated}
    yield f"```{{dropdown}} {_count(len(stated), 'file')}, {megabytes(sum(sizes.values()))}"
    yield ""
    yield from table(
        ("file", "size", "SHA-256"), ((f"`{n}`", megabytes(sizes[n]), f"`{h}`") for n, h in stated.items())
    )
    yield "```"
