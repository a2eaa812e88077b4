"""The book's sources, and its pages if they have been built: everything listed is there, nothing points outside."""

import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from book._ext import notebooks, site
from tests.test_glossary import glossary

ROOT = Path(__file__).resolve().parents[1]
HTML = Path(os.environ.get("CDSM_BOOK", ROOT / "_build" / "html")).resolve()
PROSE = sorted((ROOT / "book").rglob("*.md"))


def named(path: Path) -> str:
    """A page as _toc.yml names it."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def config() -> dict:
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))


# ------------------------------------------------------------------------------------------------------------- sources


def test_every_page_is_in_the_table_of_contents_and_is_there():
    present = {named(path) for path in [*PROSE, *ROOT.glob("notebooks/*.ipynb")]}
    assert {named(path) for path in PROSE} <= set(notebooks.pages(ROOT)) <= present


def text_of(path: Path) -> str:
    if path.suffix == ".md":
        return re.sub(r"(?ms)^(`{3,})\{code-block\}.*?^\1$", "", path.read_text("utf8"))
    return "\n".join(cell.source for cell in notebooks.read(path).cells if cell.cell_type == "markdown")


def test_every_page_work_and_term_that_the_text_refers_to_is_there():
    """What Sphinx would warn of, without a build."""
    works = set(re.findall(r"(?m)^@\w+\{([^,]+),", (ROOT / "book/references.bib").read_text("utf8")))
    terms = {name.lower() for names in glossary() for name in names}
    for path in [*PROSE, *ROOT.glob("notebooks/*.ipynb")]:
        said = re.findall(r"\{(doc|cite|cite:t|term)\}`(?:[^`<]*<)?([^`<>]+)>?`", text_of(path))
        for role, target in said:
            if role == "doc":
                page = (ROOT / target[1:] if target.startswith("/") else path.parent / target).resolve()
                name = page.relative_to(ROOT).as_posix()
                there = name in notebooks.pages(ROOT) or (ROOT / f"{name.replace('book/api', 'cdsm_lib')}.py").is_file()
            else:
                known = terms if role == "term" else works
                there = {" ".join(part.lower().split()) for part in target.split(",")} <= {k.lower() for k in known}
            assert there, f"{path.name}: {{{role}}}`{target}`"


def test_links_to_the_repository_stand_where_its_address_is_known():
    plain = config()
    assert site.published(plain, None) == plain and not {"repository", "launch_buttons"} & set(plain)
    on_github, elsewhere = (site.published(plain, f"https://{host}/us/it") for host in ("github.com", "gitlab.com"))
    assert on_github["repository"] == {"url": "https://github.com/us/it", "branch": "main"}
    assert on_github["html"]["use_issues_button"] and elsewhere["html"]["use_repository_button"]
    assert on_github["launch_buttons"]["binderhub_url"] == "https://mybinder.org"
    assert "launch_buttons" not in elsewhere


def test_an_address_that_is_none_is_refused(monkeypatch):
    site.repository.cache_clear()
    monkeypatch.setenv("CDSM_REPOSITORY", "example.org/it")
    with pytest.raises(notebooks.BuildError, match="CDSM_REPOSITORY=example.org/it: no repository's address on github"):
        site.repository()
    monkeypatch.setenv("CDSM_REPOSITORY", "https://github.com/us/it.git")
    assert site.repository() == "https://github.com/us/it"
    site.repository.cache_clear()


# --------------------------------------------------------------------------------------------------------- built pages


class Page(HTMLParser):
    """What a page loads, links to, and offers as targets of links."""

    def __init__(self, text: str):
        super().__init__()
        self.loads, self.links, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") not in ("canonical", "search", "index", "next", "prev", "author"):
            self.loads.append(given.get("href", ""))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])


@cache
def page(path: Path) -> Page:
    return Page(path.read_text("utf8"))


@pytest.fixture(scope="module")
def built() -> list[Path]:
    """The built pages; skipped where the book has not been built."""
    if not (HTML / "index.html").is_file():
        pytest.skip("the book has not been built here (make book)")
    return sorted(path for path in HTML.rglob("*.html") if "_static" not in path.parts)


def test_every_page_was_built(built):
    assert {f"{name}.html" for name in notebooks.pages(ROOT)} <= {path.relative_to(HTML).as_posix() for path in built}


def test_what_pages_load_and_link_to_is_there(built):
    for path in built:
        for url in page(path).loads + page(path).links:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.relative_to(HTML)} points to {url}"
            state = "=" in parts.fragment  # of the playground
            if parts.fragment and not state and target.suffix == ".html":
                assert unquote(parts.fragment) in page(target).ids, f"{path.relative_to(HTML)} points to {url}"


SOMETIMES = {"tex-chtml.js": 'class="math', "searchindex.js": 'id="search-results"', "fontawesome.js": "\0"}
"""What weighs most, and what a page has that needs it; no page needs the last."""


def test_a_page_loads_only_what_it_needs_and_weighs_little(built):
    """Its size is that of all that it names, pictures that load later too, and of the fonts of icons and formulas."""
    for path in built:
        text, loads = path.read_text("utf8"), [url.partition("?")[0] for url in page(path).loads]
        for script, needed in SOMETIMES.items():
            assert any(url.endswith(script) for url in loads) == (needed in text), f"{path.name}: {script}"
        fonts = 0.16e6 + 0.1e6 * ("tex-chtml.js" in text)
        size = len(text) + fonts + sum((path.parent / unquote(url)).stat().st_size for url in set(loads))
        assert size < (1e6 if path.name == "intro.html" else 3e6), f"{path.name}: {size / 1e6:.2f} MB"


def test_version_and_papers_stand_on_their_pages(built):
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf8"))["version"]
    assert set(re.findall(r"\d+\.\d+\.\d+", (ROOT / "book/cite.md").read_text("utf8"))) == {version}
    works = re.findall(r"(?m)^  doi = \{(.+)\},", (ROOT / "book/references.bib").read_text("utf8"))
    assert {f"https://doi.org/{doi}" for doi in works} <= set(page(HTML / "book/references.html").links)


def test_the_built_book_is_under_60_megabytes_beside_its_downloads_and_holds_nothing_that_no_page_loads(built):
    pages = (path for path in HTML.rglob("*") if path.is_file() and "_downloads" not in path.parts)
    size = sum(path.stat().st_size for path in pages)
    assert size < 60e6, f"{size / 1e6:.1f} MB"
    assert [str(path) for pattern in site.UNUSED for path in HTML.glob(pattern)] == []
