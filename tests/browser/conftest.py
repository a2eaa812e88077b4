"""A headless Chromium, the built book opened from disk and over a local server, and a record of what each page did.

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
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

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
]
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}


def book_pages() -> list[str]:
    """Every page of the built book, relative to its folder; redirects included."""
    return sorted(path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts)


def chapters() -> list[str]:
    """The pages with content of their own: neither the index of terms, nor the search page, nor the redirect."""
    return [page for page in book_pages() if page not in ("index.html", "genindex.html", "search.html")]


def pytest_generate_tests(metafunc):
    for name, values in {"page_name": book_pages, "chapter": chapters}.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, values())
    if "address" in metafunc.fixturenames:
        metafunc.parametrize("address", ["disk", "server"], indirect=True)


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


@pytest.fixture(scope="session")
def address(request, html, server) -> str:
    """Where pages are opened: from disk, or from the local server."""
    return html.as_uri() + "/" if request.param == "disk" else server


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
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture
def visit(chromium):
    """Open a page: ``visit(url, viewport=..., theme=...)``. Requests to other hosts are recorded and cut off."""
    opened = []

    def open_page(url: str, viewport: dict = DESK, theme: str = "light") -> Visit:
        context = chromium.new_context(viewport=viewport, color_scheme=theme, device_scale_factor=1)
        opened.append(context)
        seen = Visit(context.new_page())

        def keep_here(route):
            parts = urlsplit(route.request.url)
            if parts.scheme in ("file", "data", "blob", "about") or parts.hostname == "127.0.0.1":
                route.continue_()
            else:
                seen.requests.append(route.request.url)
                route.abort()

        context.route("**/*", keep_here)
        seen.page.on("websocket", lambda socket: seen.requests.append(socket.url))
        seen.page.on("console", lambda note: seen.errors.append(note.text) if note.type == "error" else None)
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on("requestfailed", lambda asked: seen.errors.append(f"{asked.url}: {asked.failure}"))
        seen.page.on("response", lambda r: seen.errors.append(f"{r.status} {r.url}") if r.status >= 400 else None)
        seen.page.goto(url, wait_until="load")
        seen.page.wait_for_function("!window.MathJax || !MathJax.startup || MathJax.startup.promise")
        seen.page.evaluate("async () => { if (window.MathJax?.startup?.promise) await MathJax.startup.promise; }")
        return seen

    yield open_page
    for context in opened:
        context.close()
