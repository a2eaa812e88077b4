"""The book as one PDF: headless Chromium joins the built pages and prints them, with contents, outline and links.

The reference of the library is left out: it is as long as all the rest, and is looked up on the screen.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from book._ext import notebooks
from book._ext.notebooks import BuildError

HOST = "http://book/"  # answered from disk
PAPER = {"format": "A4", "scale": 0.9, "margin": dict.fromkeys(("top", "right", "bottom", "left"), "15mm")}
WIDTH = 756  # of a line in pixels: 180 mm, 96 an inch, and the scale
FOOT = '<div style="font-size: 8px; text-align: center; width: 100%"><span class="pageNumber"></span></div>'
PAPER |= {"display_header_footer": True, "header_template": "<span></span>", "footer_template": FOOT}


def pdf(html: Path, names: Sequence[str] = ()) -> Path:
    """Print pages of a built book, by default all but the reference, into ``book.pdf`` beside its folder.

    Raises
    ------
    BuildError
        If a page is not built, or a formula is cut at the margin.
    """
    names = names or [name for name in notebooks.pages() if not name.startswith("book/api/")]
    if lacking := [name for name in names if not (html / f"{name}.html").is_file()]:
        raise BuildError(f"{lacking[0]}: this page is not built; run make book")
    program = os.environ.get("CDSM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme="light")
        page.route(f"{HOST}**", lambda asked: asked.fulfill(path=html / urlsplit(asked.request.url).path[1:]))
        page.emulate_media(media="print")
        page.goto(HOST + next(name for name in names if name.startswith("notebooks/")) + ".html")
        if cut := page.evaluate(Path(__file__).with_name("print.js").read_text("utf8"), [*names]):
            raise BuildError(f"{cut} formulas are wider than the paper")
        page.pdf(path=html.parent / "book.pdf", outline=True, tagged=True, **PAPER)
    return html.parent / "book.pdf"
