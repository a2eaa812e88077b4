"""The PDF of the book: pages joined with their links, formulas whole, nothing of this machine in it."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from book._ext import pdf
from book._ext.notebooks import BuildError

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("pdf")]
NAMES = "book/intro", "notebooks/40-phrase-similarity", "book/references"


def test_pages_are_joined_with_their_links(html):
    with ThreadPoolExecutor(1) as apart:  # the thread of the other tests drives a browser already
        printed = apart.submit(pdf.pdf, html, NAMES).result().read_bytes()
    assert 15 < len(re.findall(rb"/Type /Page\b", printed)) < 40 and len(printed) < 3e6
    named = {name for name in re.findall(rb"/Dest /([^\s/>]+)", printed)}
    assert len(named) > 15 and any(name.startswith(b"book-references--") for name in named)
    assert b"file:" not in printed and pdf.HOST.encode() not in printed and b"/Outlines" in printed


def test_a_page_that_is_not_built_is_refused(html):
    with pytest.raises(BuildError, match="book/nowhere: this page is not built"):
        pdf.pdf(html, ["book/nowhere"])
