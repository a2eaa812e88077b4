"""Running text that is installed with gensim: 107 articles of the English Wikipedia, as sentences of tokens.

gensim's test data hold the beginning of a Wikipedia dump (``enwiki-latest-pages-articles1``, shortened). The sample
profile trains sentence models on it, so that nothing has to be downloaded or copied. The text is under CC BY-SA.

gensim's own `filter_wiki` takes out the markup of templates, links, tables and references; `prose` takes out what it
leaves. Sentences are split by NLTK's Punkt (Kiss & Strunk 2006), which is told the usual abbreviations, and tokenised
as in the Penn Treebank.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

from cdsm_lib.tables import LONGEST_LINE, TaskError, opened

FILE = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"

_FILES = re.compile(r"\[\[(?:file|image):(?:[^\[\]]|\[[^\[\]]*\]|\[\[[^\[\]]*\]\])*\]\]", re.IGNORECASE)
_GALLERY = re.compile(r"<gallery.*?</gallery>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_QUOTES = re.compile(r"''+")  # ''italic'', '''bold'''
_SPACE = re.compile(r"[ \t\u00a0\u2009\u200b]+")
_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "—": " -- "})  # as the Penn Treebank types them
_LIST = ("*", "#", ":", ";", "=", "|", "!", " ")  # list items, headings, cells; a space means preformatted
_MARKUP = re.compile(r"[\[\]{}|<>=*#\\^~_•→]|https?:|&\w+;|\b[a-z-]+:[A-Z]")
_HOLE = re.compile(r" [,;:.)]|\( |\(\)|[(,;] *[,;)]|\$ | -[a-z]|`")  # of templates, formulas: "the vowel , and"
_END = re.compile(r"[.!?][\"')]*$")
_BEGIN = re.compile(r"[\"'(]?[A-Z0-9]")

ABBREVIATIONS = frozenset(
    "a.d al b.a b.c b.c.e c ca capt cf co col corp d.c dr e.g ed eds etc fig gen gov hon i.e inc jr lt ltd m.a maj mr "
    "mrs ms mt no op p ph.d pp prof rep rev sen sgt sr st u.k u.n u.s u.s.a v viz vol vs".split()
)
"""What ends in a full stop and seldom ends a sentence, in lower case and without its last stop."""

SHORTEST, LONGEST = 5, 60
"""Tokens of a sentence."""

ALPHABETIC = 0.75
"""The least share of a sentence's tokens that are words."""


def prose(wikitext: str) -> tuple[str, ...]:
    """The paragraphs of running text in a page, without markup.

    Headings, lists, tables, captions and lines that do not end like a sentence are left out.

    >>> prose("== Sound ==\\nThe '''[[dog|hound]]''' barks.<ref>A book.</ref>\\n* a list")
    ('The hound barks.',)
    """
    from gensim.corpora.wikicorpus import filter_wiki

    for pattern, replacement in ((_GALLERY, ""), (_FILES, ""), (_BREAK, " ")):
        wikitext = pattern.sub(replacement, wikitext)
    lines = _QUOTES.sub("", filter_wiki(wikitext)).split("\n")
    lines = (_SPACE.sub(" ", line.translate(_PLAIN)).rstrip() for line in lines if not line.startswith(_LIST))
    return tuple(line for line in lines if _END.search(line))


def articles(path: Path) -> Iterator[tuple[str, ...]]:
    """The paragraphs of each article of a MediaWiki dump, in its order, without redirects and other kinds of pages.

    Pages are forgotten as they are read, which gensim does not do wholly. A `TaskError` if it is no dump, not whole, or
    without running text: then it says what its pages are.
    """
    kinds, root = Counter(), None
    try:
        with opened(path) as stream:
            for event, page in _events(path, stream):
                if root is None and _name(root := page) != "mediawiki":
                    raise ElementTree.ParseError(f"it begins with <{root.tag}>, not with <mediawiki>")
                if event == "end" and _name(page) == "page":
                    texts = {_name(element): element.text or "" for element in page.iter()}
                    namespace, text = texts.get("ns", "0"), texts.get("text", "")
                    is_redirect = text.lstrip().lower().startswith("#redirect")
                    paragraphs = () if namespace != "0" or is_redirect else prose(text)
                    kinds["other" if namespace != "0" else "redirects" if is_redirect else bool(paragraphs)] += 1
                    yield paragraphs
                    root.clear()
    except ElementTree.ParseError as error:
        problem = f"no MediaWiki dump, or not whole ({error}); fetch pages-articles.xml of a wiki again"
        raise TaskError(path, None, problem) from None
    if not kinds[True]:
        pages = f"{kinds['redirects']} redirects, {kinds['other']} no articles, {kinds[False]} without sentences"
        raise TaskError(path, None, f"no running text; its pages: {pages}; take a dump of articles, pages-articles.xml")


def _events(path: Path, stream: BinaryIO) -> Iterator[tuple[str, ElementTree.Element]]:
    """The elements of a dump, where they begin and end; a `TaskError` if too much comes without the end of a page."""
    parser, size = ElementTree.XMLPullParser(("start", "end")), 0
    for block in iter(partial(stream.read, 1 << 16), b""):
        parser.feed(block)
        size += len(block)
        for event, element in parser.read_events():
            size = 0 if _name(element) == "page" else size
            yield event, element
        if size > LONGEST_LINE:
            raise TaskError(path, None, f"{LONGEST_LINE:,} bytes without the end of a page; is it a dump of articles?")
    parser.close()


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def sentences() -> list[tuple[str, ...]]:
    """The sentences of the articles, as Penn Treebank tokens in their original case.

    Kept are those of 5 to 60 tokens that begin and end like a sentence, consist mostly of words, and show no trace of
    markup or of a formula that was taken out. The same sentences in the same order every time. A `FileNotFoundError` if
    gensim was installed without its test data.

    >>> print(*sentences()[0])
    Anarchism is a political philosophy that advocates self-governed societies based on voluntary institutions .
    """
    from gensim.test.utils import datapath
    from nltk.tokenize import TreebankWordTokenizer

    path = Path(datapath(FILE))
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Install gensim from its wheel, which brings its test data.")
    tokenised = map(tuple, map(TreebankWordTokenizer().tokenize, _split(articles(path))))
    return [tokens for tokens in tokenised if SHORTEST <= len(tokens) <= LONGEST and _is_alphabetic(tokens)]


def _split(articles: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """All sentences of the articles that are prose."""
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types.update(ABBREVIATIONS)
    split = PunktSentenceTokenizer(parameters).tokenize
    return (s for paragraphs in articles for p in paragraphs for s in split(p) if _is_prose(s))


def _is_alphabetic(tokens: Sequence[str]) -> bool:
    return sum(token[0].isalpha() for token in tokens) >= ALPHABETIC * len(tokens)


def _is_prose(sentence: str) -> bool:
    """Whether a sentence begins and ends like one, without markup, holes, or an odd bracket or quotation mark."""
    return bool(
        _BEGIN.match(sentence)
        and _END.search(sentence)
        and not _MARKUP.search(sentence)
        and not _HOLE.search(sentence)
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
    )
