"""Slides: a page of HTML for each week of the course, which opens without a network and prints a slide a page.

``book/course/slides/week-N.markdown`` has the words, a heading ``##`` for each slide. A line such as
``![fig-30-splf-two-dimensions](30-relpron)`` shows a stored output of that chapter: the picture of this name, or the
first picture, table or sentence whose text contains the words in brackets.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat import NotebookNode

from book._ext import notebooks
from book._ext.notebooks import BuildError
from book._ext.templates import fill

MARKDOWN = MarkdownIt("commonmark", {"typographer": True}).enable(["table", "smartquotes"])
MARKDOWN.use(dollarmath_plugin, renderer=lambda tex, how: rf"\[{tex}\]" if how["display_mode"] else rf"\({tex}\)")
SHOWN = re.compile(r"(?m)^!\[(.+)\]\((.+)\)$")
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"
TEXTS = "text/plain", "text/html", "text/markdown"


@cache
def decks(root: Path) -> dict[str, bytes]:
    """``week-N.html`` for each week, and the script that sets the formulas."""
    chapters = {path.stem: notebooks.read(path) for path in notebooks.notebooks(root)}
    files = {"mathjax.js": MATHJAX.read_bytes()}
    for path in sorted((root / "book" / "course" / "slides").glob("*.markdown")):
        slides = [text.partition("\n") for text in re.split(r"(?m)^##? ", path.read_text("utf8"))[1:]]
        shown = [[output(chapters[name], words) for words, name in SHOWN.findall(body)] for *_, body in slides]
        read = [(title, SHOWN.sub("", body), outputs) for (title, _, body), outputs in zip(slides, shown, strict=True)]
        files[f"{path.stem}.html"] = fill("slides.html", slides=read, markdown=MARKDOWN).encode()
    return files


def output(chapter: NotebookNode, words: str) -> dict[str, str]:
    """The first output that the words ask for, by its kinds, a picture with its ``caption``; none out of a solution."""
    for cell in notebooks.code_cells(chapter):
        for data in (output.get("data", {}) for output in cell.outputs if "solution" not in notebooks.tags(cell)):
            figure = cell.metadata.get("mystnb", {}).get("figure", {}) if "image/png" in data else {}
            if any(words in text for text in (figure.get("name", ""), *(data.get(kind, "") for kind in TEXTS))):
                return data | {"caption": figure.get("caption", "")}
    raise BuildError(f"slides: {chapter.cells[0].source.splitlines()[0][2:]!r} has no output with {words!r}")
