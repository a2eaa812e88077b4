"""Slides: a page of HTML for each week of the course, which opens without a network and prints a slide a page.

``book/course/slides/week-N.markdown`` has the words, a heading ``##`` for each slide. A line such as
``![fig-30-splf-two-dimensions](30-relpron)`` shows an output of that chapter: the picture of this name, or the first
table or sentence that contains the words in brackets. ``#2`` behind them asks for the second of several.
"""

import re
import struct
from base64 import b64decode
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
SHOWN = re.compile(r"(?m)^!\[(.+?)(?: #(\d))?\]\((.+?)\)$")
MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax" / "tex-svg.js"


def decks(root: Path) -> dict[str, bytes]:
    """``week-N.html`` for each week, with the stored outputs of the chapters, and the script for the formulas."""
    chapters = {path.stem: notebooks.read(path) for path in notebooks.notebooks(root)}
    files = {"mathjax.js": MATHJAX.read_bytes()}
    for path in sorted((root / "book" / "course" / "slides").glob("*.markdown")):
        slides = [_slide(text, chapters) for text in re.split(r"(?m)^##? ", path.read_text("utf8"))[1:]]
        files[f"{path.stem}.html"] = fill("slides.html", slides=slides).encode()
    return files


def _slide(text: str, chapters: dict[str, NotebookNode]) -> dict:
    """The title of a slide, its text as HTML, and what it shows of the chapters."""
    title, _, body = text.partition("\n")
    shown = [_output(chapters[name], words, int(place or 1)) for words, place, name in SHOWN.findall(body)]
    return {"title": MARKDOWN.renderInline(title), "text": MARKDOWN.render(SHOWN.sub("", body)), "shown": shown}


def _output(chapter: NotebookNode, words: str, place: int) -> dict:
    """A picture with caption, alternative text and shape, a table, or a sentence; none of them out of a solution."""
    found = []
    for cell in notebooks.code_cells(chapter):
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        for data in (output.data for output in cell.outputs if "data" in output and "solution" not in notebooks.tags(cell)):
            if "image/png" in data and figure.get("name") == words:
                width, height = struct.unpack(">II", b64decode(data["image/png"])[16:24])
                picture = {"picture": data["image/png"], "alt": data["text/plain"].partition("\n")[0]}
                found.append(picture | {"caption": MARKDOWN.renderInline(figure["caption"]), "wide": width > 2 * height})
            elif words in data.get("text/html", ""):
                found.append({"html": data["text/html"], "rows": data["text/html"].count("<tr")})
            elif words in data.get("text/markdown", ""):
                found.append({"html": MARKDOWN.render(data["text/markdown"]), "rows": 0})
    if len(found) < place:
        raise BuildError(f"slides: no output {words!r} of number {place} in {chapter.cells[0].source.splitlines()[0]}")
    return found[place - 1]
