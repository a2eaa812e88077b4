"""What the tests of the teaching sets share: their tables, the form of their sentences, and quotations."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.chapters import training_counts
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction.genia import genia
from cdsm_lib.text.corpus import Sentence, Token, read_conllu
from cdsm_lib.text.counts import CONTENT_TAGS, STOP_WORDS


def rows_of(path: Path, columns: str) -> list[dict[str, str]]:
    """The rows of a table with these columns."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == columns.split()
    return [dict(zip(columns.split(), line.split("\t"), strict=True)) for line in lines]


def content(sentence: Iterable[Token]) -> list[Token]:
    return [token for token in sentence if token.upos in CONTENT_TAGS and token.lemma not in STOP_WORDS]


def length(sentence: Sentence) -> int:
    """In words."""
    return sum(token.upos != "PUNCT" for token in sentence)


def texts_of(sentences: Iterable[Sentence]) -> list[str]:
    """The texts of sentences, each of which is that of its tokens, and comes once."""
    texts = []
    for sentence in sentences:
        texts.append(sentence.comments["text"])
        assert "".join(token.form for token in sentence) == texts[-1].replace(" ", "")
    assert len(set(texts)) == len(texts)
    return texts


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def runs(text: str, n: int) -> set[tuple[str, ...]]:
    """Every n running words."""
    words = words_of(text)
    return set(zip(*(words[i:] for i in range(n)), strict=False))


def quotations(text: str) -> set[tuple[str, ...]]:
    """Six running words, or five of which at least three are content words."""
    return runs(text, 6) | {run for run in runs(text, 5) if sum(word not in STOP_WORDS for word in run) >= 3}


def table(*cells) -> str:
    """A row of a data sheet's table."""
    return f"| {' | '.join(map(str, cells))} |"


def abstracts() -> list[Sentence]:
    """The treebank as it is drawn, and all raw abstracts as they were parsed: the two split words differently."""
    drawn = (sentence for document in genia() for sentence in document.sentences)
    return [*drawn, *read_conllu(datasets.fetch("genia", "genia_raw.conllu.xz"))]


REAL = {
    "coinco": lambda: anvan.coinco().sentences,
    "relation_banko2008": lambda: list(read_conllu(datasets.fetch("relation_banko2008", "relation.conllu"))),
    "google_re": lambda: list(read_conllu(datasets.fetch("google_re", "google_re.conllu.xz"))),
    "genia": abstracts,
    "msrpc": lambda: list(read_conllu(datasets.fetch("msrpc", "msrpc.conllu.xz"))),
    "semcor": lambda: list(read_conllu(datasets.fetch("semcor", "semcor.conllu.xz"))),
}
"""The parsed sentences of the real data sets."""


def wikipedia_counts() -> Callable[[str], int]:
    """How often a label occurs in the parsed Wikipedia."""
    counted = training_counts.wikipedia()
    place = {word: i for i, word in enumerate(counted.words)}
    return lambda label: int(counted.word_counts[place[label]]) if label in place else 0
