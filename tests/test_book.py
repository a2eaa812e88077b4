"""The book's sources, and its pages if they have been built: everything listed is there, nothing points outside."""

import os
import re
import tomllib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from book._ext import data_sheets, notebooks, site
from cdsm_lib import datasets

ROOT = Path(__file__).resolve().parents[1]
HTML = Path(os.environ.get("CDSM_BOOK", ROOT / "_build" / "html")).resolve()
PROSE = sorted((ROOT / "book").rglob("*.md"))
PAPERS = {"cheung2012", "white2015", "rimell2016", "kober2017", "buljan2018"}


def bibliography() -> dict[str, str]:
    """Each entry of references.bib by its key."""
    text = (ROOT / "book" / "references.bib").read_text("utf8")
    entries = re.findall(r"(?ms)^@\w+\{([^,]+),\n(.*?)^\}", text)
    assert len(entries) == len({key for key, _ in entries}) == text.count("\n@") + 1
    return dict(entries)


def named(path: Path) -> str:
    """A page as _toc.yml names it."""
    return path.relative_to(ROOT).with_suffix("").as_posix()


def config() -> dict:
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))


# ------------------------------------------------------------------------------------------------------------- sources


def test_every_page_is_in_the_table_of_contents_and_is_there():
    present = {named(path) for path in [*PROSE, *ROOT.glob("notebooks/*.ipynb")]}
    assert {named(path) for path in PROSE} <= set(notebooks.pages(ROOT)) <= present


def test_notebooks_are_not_executed_by_the_renderer():
    assert config()["execute"]["execute_notebooks"] == "off"


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


def test_no_page_names_a_repository_of_its_own():
    """The address comes from one setting: an invented one would lead nowhere."""
    for path in (ROOT / "README.md", ROOT / "CITATION.cff", ROOT / "_config.yml", *PROSE):
        assert "cdsm-compendium/" not in path.read_text("utf8"), path


def test_the_five_papers_and_those_of_the_datasets_are_in_the_bibliography():
    registry = tomllib.loads((ROOT / "data" / "registry.toml").read_text("utf8")).values()
    assert PAPERS | {entry["bib"] for entry in registry if "bib" in entry} <= set(bibliography())


def test_every_entry_of_the_bibliography_names_who_what_and_when():
    for key, fields in bibliography().items():
        names = set(re.findall(r"(?m)^  (\w+) = \{", fields))
        assert {"title", "year"} <= names and names & {"author", "editor"}, key
        assert re.search(r"year = \{\d{4}\}", fields), key


def test_whatever_is_cited_is_in_the_bibliography():
    known, cited = set(bibliography()), set()
    listings = r"(?ms)^(`{3,})\{code-block\}.*?^\1$"  # files that a reader is to write, not the book's own text
    sources = [re.sub(listings, "", path.read_text("utf8")) for path in PROSE]
    sources += [cell.source for path in (ROOT / "notebooks").glob("*.ipynb") for cell in notebooks.read(path).cells]
    for source in sources:
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", source):
            cited |= {key.strip() for key in keys.split(",")}
    assert cited <= known


@pytest.mark.parametrize("path", PROSE, ids=named)
def test_prose_has_one_title_and_skips_no_heading(path):
    prose = re.sub(r"(?ms)^(`{3,}|:{3,}).*?^\1\s*$", "", path.read_text("utf8"))
    levels = [len(mark) for mark in re.findall(r"(?m)^(#+) ", prose)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_the_landing_page_says_little_and_leads_to_every_papers_chapter():
    intro = (ROOT / "book" / "intro.md").read_text("utf8")
    prose = re.sub(r"(?m)^[:`]+(\{[\w-]+\}.*|[\w-]+:.*|$)", "", intro)
    prose = re.sub(r" <[^>]*>|[|]", " ", prose)  # where links lead, and the lines of the table
    assert ":::" not in prose and ":link" not in prose and len(prose.split()) < 220
    chapters = [name for name in notebooks.pages(ROOT) if re.match(r"notebooks/[1-8]", name)]
    assert chapters and all(f"<../{name}>`" in intro for name in chapters)


@pytest.mark.parametrize("reader", ["students", "researchers", "teachers"])
def test_the_map_has_a_road_for_each_reader(reader):
    page = (ROOT / "book" / "how-to-read.md").read_text("utf8")
    (road,) = re.findall(rf"(?ms)^:::\{{grid-item-card\}} For {reader}$(.*?)^:::$", page)
    assert len(re.findall(r"(?m)^\d\. ", road)) >= 5


def test_the_dataset_page_shows_every_registered_set():
    table = data_sheets.dataset_table(datasets.load_registry())
    for name, entry in datasets.load_registry().items():
        assert f"{{ref}}`{name} <sheet-{name}>`" in table and entry.licence in table


# --------------------------------------------------------------------------------------------------------- built pages


class Page(HTMLParser):
    """What a page loads, links to, and offers as targets of links."""

    def __init__(self, text: str):
        super().__init__()
        self.loads, self.links, self.ids, self.images = [], [], set(), []
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
        if tag == "img":
            self.images.append((given.get("src", "")[:60], (given.get("alt") or "").strip()))


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


def test_pages_load_nothing_from_another_host(built):
    for path in built:
        outside = [url for url in page(path).loads if urlsplit(url).scheme in ("http", "https") or url.startswith("//")]
        assert outside == [], path.name
    for style in [*HTML.glob("_static/*.css"), *HTML.glob("_static/styles/*.css")]:
        outside = re.search(r"""@import\s+(url\()?["']?https?:|url\(["']?https?:""", style.read_text("utf8"))
        assert not outside, style.name


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


def test_every_image_has_a_text_alternative(built):
    assert [(path.name, source) for path in built for source, alt in page(path).images if not alt] == []


def test_math_is_set_by_the_books_own_copy_of_mathjax(built):
    assert (HTML / "_static" / "mathjax" / "tex-chtml.js").is_file()
    with_math = [path for path in built if 'class="math' in path.read_text("utf8")]
    assert with_math and all("mathjax/tex-chtml.js" in " ".join(page(path).loads) for path in with_math)


def test_the_built_book_is_under_60_megabytes_beside_its_downloads_and_holds_nothing_that_no_page_loads(built):
    pages = (path for path in HTML.rglob("*") if path.is_file() and "_downloads" not in path.parts)
    size = sum(path.stat().st_size for path in pages)
    assert size < 60e6, f"{size / 1e6:.1f} MB"
    assert [str(path) for pattern in site.UNUSED for path in HTML.glob(pattern)] == []


def test_every_page_has_a_title_of_its_own(built):
    titles = [
        re.search(r"<title>(.*?)</title>", path.read_text("utf8"))[1] for path in built if path != HTML / "index.html"
    ]
    assert len(set(titles)) == len(titles)


def test_every_citation_leads_to_an_entry_of_the_bibliography(built):
    text = (HTML / "book" / "references.html").read_text("utf8")
    entries = set(re.findall(r'<div class="citation" id="(\w+)"', text))
    assert len(entries) == len(bibliography())
    cited = 0
    for path in built:
        for citation in re.findall(r'(?s)<span class="bibtex-citation".*?</span>', path.read_text("utf8")):
            targets = re.findall(r'href="[^"]*?(?:references\.html)?#(\w+)"', citation)
            assert targets and set(targets) <= entries, f"{path.relative_to(HTML)}: {citation}"
            cited += 1
    assert cited > 50


def test_terms_of_the_glossary_are_linked_once_a_page_with_what_they_mean(built):
    terms = {}
    for path in built:
        links = re.findall(r'<a class="([^"]*)"[^>]*href="[^"]*#(term-[^"]+)" title="([^"]+)"', path.read_text("utf8"))
        terms[path.stem] = [place for kinds, place, _ in links if "glossary-term" in kinds.split()]
        assert all(len(meaning) > 15 and not set("\\\0") & set(meaning) for _, _, meaning in links), path.name
    assert all(len(set(places)) == len(places) for places in terms.values())
    assert "term-PPMI" in terms["01-word-spaces"] and "term-tensor" in terms["02-composition"]
    assert not terms["glossary"] and min(len(terms[name]) for name in terms if name[:2].isdigit()) >= 3
