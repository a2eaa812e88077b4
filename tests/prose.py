"""The prose of this repository, without code, formulas, addresses and quotations; for the tests of its spelling."""

import re
from collections.abc import Iterator
from pathlib import Path

from book._ext import notebooks

ROOT = Path(__file__).resolve().parents[1]

CODE = ("code-block", "code-cell", "math", "bibliography", "include", "raw", "eval-rst")
"""Directives of MyST whose content is no prose."""

NOT_PROSE = (
    r"(?s)\$\$.*?\$\$|(?<![\\\w])\$[^$\n]+(?:\n[^$\n]+)?\$",
    r"(?s)<!--.*?-->|<[a-zA-Z/][^>]*>",
    r"(?s)``.*?``|`[^`]*`",
    r"(?<=\])\([^)\s]*\)|(?<=\])\[[^\]]*\]|https?://\S+|\b[\w.-]+@[\w.-]+",
    r"(?s)\"[^\"]{1,200}\"|\u201c[^\u201d]{1,400}\u201d",  # quotations
    r"(?<![*\w])\*[\w'-]+\*(?![*\w])",  # words that are talked about
    r"(?ms)^[ \t]*>>>.*?(?=^[ \t]*$|\Z)",  # doctests, with what they print
)


def plain(markdown: str) -> str:
    """The text without everything that is no prose."""
    text = re.sub(r"\{[\w:-]+\}`([^`<]*)<[^`]*`|\{term\}`([^`]*)`", r" \1\2 ", "\n".join(_without_blocks(markdown)))
    text = re.sub(r"\{[\w:-]+\}`[^`]*`", " ", text)  # a role without words of its own
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text)
    return text


def _without_blocks(markdown: str) -> Iterator[str]:
    """The lines that are neither front matter nor code, nor the frame of a directive."""
    fences: list[tuple[str, bool]] = []  # those that are open, and whether code is in them
    markdown = re.sub(r"(?s)\A---\n.*?\n---\n", "", markdown)
    for line in markdown.splitlines():
        opening = re.match(r"\s*(`{3,}|:{3,}|~{3,})(?:\{([\w:-]+)\})?[ \t]*(.*)$", line)
        if opening and fences and opening[1] == fences[-1][0] and not opening[2] and not opening[3]:
            fences.pop()
        elif fences and fences[-1][1]:
            continue
        elif opening:
            fences.append((opening[1], not opening[2] or opening[2] in CODE))
            yield opening[3] if opening[2] and opening[2] not in CODE else ""
        elif not re.match(r"\s*(\(\S+\)=$|:[\w-]+:)", line):  # a target, an option
            yield line


def pages() -> Iterator[tuple[str, str]]:
    """What people read: (place, prose) of the book's pages, the notebooks' Markdown, the README and the data sheets."""
    folders = (ROOT / "book", "*.md"), (ROOT / "book", "*.markdown"), (ROOT / "data", "*.md")
    paths = [ROOT / "README.md", *(path for folder, names in folders for path in sorted(folder.rglob(names)))]
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), plain(path.read_text("utf8"))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for number, cell in enumerate(notebooks.read(path).cells):
            if cell.cell_type == "markdown":
                yield f"{path.relative_to(ROOT).as_posix()}, cell {number}", plain(cell.source)


def code() -> Iterator[tuple[str, str]]:
    """What people read in the code: (place, prose) of the docstrings and comments of each Python file."""
    for folder in ("cdsm_lib", "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            source, kept = path.read_text("utf8"), []
            for hit in re.finditer(r'(?s)"""(.*?)"""|# ([^\n]*)', source):
                if hit[2] or not source[source.rfind("\n", 0, hit.start()) + 1 : hit.start()].strip(" r"):
                    kept.append(hit[1] or hit[2])
            yield path.relative_to(ROOT).as_posix(), plain("\n\n".join(kept))


def words(prose: str) -> list[str]:
    """Words of letters, apostrophes inside them kept: ``don't``, ``Penn's``; parts of a compound one by one."""
    return re.findall(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*", prose)
