"""A headless Chromium, the built book opened from disk and over a local server, and a record of what each page did.

A page is opened twice: over the server in the light theme, and from disk in the dark one. The pages of a series, which
are all of one making, are opened in turn in one theme or the other, and of the reference every third. With
``CDSM_ONE_THEME``, as in CI, all pages are opened in one, which is another on the next day. All checks of a page are
made on these visits (the fixture `visit`), and a visit stays with one worker (``--dist loadgroup``).

The book is the one in ``_build/html``, or in the folder that ``CDSM_BOOK`` names. Chromium is the system's, or the one
that ``CDSM_CHROMIUM`` names. The tests run only when asked for (``-m browser``), and then a missing book or browser is
a failure, not a reason to skip.
"""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .checks import DESK

ROOT = Path(__file__).resolve().parents[2]
HTML = Path(os.environ.get("CDSM_BOOK", ROOT / "_build" / "html")).resolve()
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no request gets to another host
]
THEMES = {"light": "server", "dark": "disk"}
"""Where a page is opened in each theme."""


@functools.cache
def book_pages() -> list[str]:
    """The pages with content of their own, relative to the folder: not those of the theme, nor the redirect."""
    found = (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts)
    return sorted(set(found) - set(THEIRS))


SERIES = ("book/api/", "book/course/", "book/data-sheets/")
"""Folders whose pages are of one making: long, many, and alike in their styles."""


SHARE = {"book/api/": 3}
"""Of a long series every so manieth page is opened. That no page is too wide is asked of all."""


def themes_of(name: str) -> list[str]:
    """The themes in which a page is opened: both; for the pages of a series one in turn, or none (`SHARE`)."""
    series = next((folder for folder in SERIES if name.startswith(folder)), "")
    if not series and not os.environ.get("CDSM_ONE_THEME"):
        return list(THEMES)
    alike = [page for page in book_pages() if page.startswith(series)]
    turn, left_out = divmod(alike.index(name), SHARE.get(series, 1))
    return [] if left_out else [list(THEMES)[(turn + date.today().toordinal()) % 2]]


THEIRS = ("index.html", "genindex.html", "py-modindex.html", "search.html")


def pytest_generate_tests(metafunc):
    if "shared_visit" in metafunc.fixturenames:
        visits = [(name, theme) for name in book_pages() for theme in themes_of(name)]
        metafunc.parametrize("shared_visit", [grouped(*names) for names in visits], indirect=True, scope="module")
    if "address" in metafunc.fixturenames:
        metafunc.parametrize("address", [grouped("disk"), grouped("server")], indirect=True, scope="module")


def grouped(*names: str):
    """A parameter whose tests go to one worker."""
    return pytest.param(names, id="-".join(names), marks=pytest.mark.xdist_group("-".join(names)))


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder of the built book."""
    if not (HTML / "index.html").is_file():
        pytest.fail(f"there is no built book in {HTML}: run `make book` first")
    return HTML


@pytest.fixture(scope="session")
def server(html) -> Iterator[str]:
    """The book over a local server; its address."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Silent, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{service.server_address[1]}/"
        service.shutdown()


@pytest.fixture(scope="module")
def address(request, html, server) -> str:
    """Where pages are opened: from disk, or from the local server."""
    return html.as_uri() + "/" if request.param == ("disk",) else server


@pytest.fixture(scope="session")
def chromium():
    """The browser, without any profile of its owner."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = os.environ.get("CDSM_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that was opened, and what it did meanwhile."""

    page: object
    name: str = ""
    theme: str = "light"
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextmanager
def opened(chromium, url: str, name: str = "", theme: str = "light", viewport: dict = DESK) -> Iterator[Visit]:
    """A page in a context of its own, its formulas set. Requests to other hosts are recorded; `FLAGS` cut them off."""
    context = chromium.new_context(viewport=viewport, color_scheme=theme, device_scale_factor=1)
    seen = Visit(context.new_page(), name, theme)

    def note(request):
        parts = urlsplit(request.url)
        if parts.scheme not in ("file", "data", "blob", "about") and parts.hostname != "127.0.0.1":
            seen.requests.append(request.url)

    seen.page.on("request", note)
    seen.page.on("websocket", lambda socket: seen.requests.append(socket.url))
    seen.page.on("console", lambda note: seen.errors.append(note.text) if note.type == "error" else None)
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
    seen.page.on("requestfailed", lambda asked: seen.errors.append(f"{asked.url}: {asked.failure}"))
    seen.page.on("response", lambda r: seen.errors.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    seen.page.goto(url, wait_until="load")
    seen.page.wait_for_load_state("networkidle")
    seen.page.wait_for_function("!window.MathJax || !MathJax.startup || MathJax.startup.promise")
    seen.page.evaluate("async () => { if (window.MathJax?.startup?.promise) await MathJax.startup.promise; }")
    yield seen
    context.close()


@pytest.fixture(scope="module")
def shared_visit(request, chromium, html, server) -> Iterator[Visit]:
    """One visit for all checks of a page in a theme."""
    name, theme = request.param
    where = server if THEMES[theme] == "server" else html.as_uri() + "/"
    with opened(chromium, where + name, name, theme) as seen:
        yield seen


@pytest.fixture
def visit(shared_visit) -> Visit:
    """The visit, its page at desk width, on screen and at its top."""
    shared_visit.page.set_viewport_size(DESK)
    shared_visit.page.emulate_media(media="screen")
    shared_visit.page.evaluate("window.scrollTo(0, 0)")
    return shared_visit


@pytest.fixture
def open_page(chromium):
    """Open a page of one's own: ``open_page(url, viewport=..., theme=...)``, a `Visit`; closed after the test."""
    with ExitStack() as visits:
        yield lambda url, **wanted: visits.enter_context(opened(chromium, url, **wanted))
