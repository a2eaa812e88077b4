"""Running text that is installed with gensim: 107 articles of the English Wikipedia, as sentences of tokens.

gensim's test data hold the beginning of a Wikipedia dump (``enwiki-latest-pages-articles1``, shortened). The sample
profile trains sentence models on it, so that nothing has to be downloaded or copied. The text is under CC BY-SA.

gensim's own `filter_wiki` takes out the markup of templates, links, tables and references; `prose` takes out what it
leaves. Sentences are split by NLTK's Punkt (Kiss & Strunk 2006), which is told the usual abbreviations, and tokenised
as in the Penn Treebank.
"""

import bz2
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Article:
    """A page: its title and its paragraphs of prose."""

    title: str
    paragraphs: tuple[str, ...]


def prose(wikitext: str) -> tuple[str, ...]:
    """The paragraphs of running text in a page, without markup.

    Headings, lists, tables, captions and lines that do not end like a sentence are left out.

    Parameters
    ----------
    wikitext : str
        The source of a page.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> prose("== Sound ==\\nThe '''[[dog|hound]]''' barks.<ref>A book.</ref>\\n* a list")
    ('The hound barks.',)
    """
    from gensim.corpora.wikicorpus import filter_wiki

    for pattern, replacement in ((_GALLERY, ""), (_FILES, ""), (_BREAK, " ")):
        wikitext = pattern.sub(replacement, wikitext)
    lines = _QUOTES.sub("", filter_wiki(wikitext)).split("\n")
    lines = (_SPACE.sub(" ", line.translate(_PLAIN)).rstrip() for line in lines if not line.startswith(_LIST))
    return tuple(line for line in lines if _END.search(line))


def articles() -> Iterator[Article]:
    """The articles of the file, in its order; redirects and pages that are no articles are left out.

    Raises `FileNotFoundError` if gensim was installed without its test data.

    Examples
    --------
    >>> next(articles()).title
    'Anarchism'
    """
    from gensim.corpora.wikicorpus import extract_pages
    from gensim.test.utils import datapath

    path = Path(datapath(FILE))
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Install gensim from its wheel, which brings its test data.")
    with bz2.open(path) as stream:
        for title, wikitext, _ in extract_pages(stream, filter_namespaces=("0",)):
            if not wikitext.lower().startswith("#redirect"):
                yield Article(title, prose(wikitext))


def sentences() -> list[tuple[str, ...]]:
    """The sentences of the articles, as Penn Treebank tokens in their original case.

    Kept are those of 5 to 60 tokens that begin and end like a sentence, consist mostly of words, and show no trace of
    markup or of a formula that was taken out. The same sentences in the same order every time; errors as `articles`.

    Examples
    --------
    >>> print(*sentences()[0])
    Anarchism is a political philosophy that advocates self-governed societies based on voluntary institutions .
    """
    from nltk.tokenize import TreebankWordTokenizer

    tokenised = map(tuple, map(TreebankWordTokenizer().tokenize, _split()))
    return [tokens for tokens in tokenised if SHORTEST <= len(tokens) <= LONGEST and _mostly_words(tokens)]


def _split() -> Iterator[str]:
    """All sentences of the articles that are prose."""
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types.update(ABBREVIATIONS)
    split = PunktSentenceTokenizer(parameters).tokenize
    return (s for article in articles() for p in article.paragraphs for s in split(p) if _is_prose(s))


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


def _mostly_words(tokens: tuple[str, ...]) -> bool:
    return sum(token[0].isalpha() for token in tokens) >= ALPHABETIC * len(tokens)
