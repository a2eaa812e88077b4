"""CoNLL-U in, a compact columnar Corpus out.

A parsed corpus is read many times and written once. `compile_corpus` checks every line of its CoNLL-U files and
stores four integer columns that are memory-mapped afterwards, so that opening 40 million tokens takes no time and
no memory:

=========  =======  ==================================================================================
column     dtype    what it holds for each token
=========  =======  ==================================================================================
``form``   int32    index into `Corpus.forms`
``word``   int32    index into `Corpus.words`, whose labels are ``lemma|UPOS``, most frequent first
``head``   int16    position of the head minus the token's own position; 0 for a root
``deprel`` uint16   index into `Corpus.deprels`
=========  =======  ==================================================================================

``offsets`` (int64, one more than there are sentences) says where each sentence begins. Lemmas are lower case.
``corpus.json`` has the SHA-256 of every file beside it, and one of itself: `open_corpus` refuses what was altered.
Multiword ranges (``3-4``) and empty nodes (``3.1``) carry no dependency of their own and are left out, as the
format allows (https://universaldependencies.org/format.html).
"""

import codecs
import csv
import hashlib
import io
import json
import os
import re
import reprlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from cdsm_lib import datasets, storage
from cdsm_lib.labels import UPOS, Labels
from cdsm_lib.tables import LONGEST_LINE, TaskError, numbered_lines, opened, path_of, several

FORMAT = "cdsm-corpus-2"
DTYPES = {"form": np.int32, "word": np.int32, "head": np.int16, "deprel": np.uint16}
COLUMNS = tuple(DTYPES)
FIELDS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ABOUT = "corpus.json"
"""In the folder of a compiled corpus: what describes the other files, by which it is known as ours."""
FILES = (*(f"{name}.npy" for name in (*COLUMNS, "offsets")), "forms.txt", "words.txt", "code.txt")
NOT_A_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # the ID of a multiword range or an empty node
HEAD = re.compile(r"[0-9]{1,9}")
LONGEST = 32_767  # tokens of a sentence: a relative head must fit into int16
RELATIONS = 65_536  # which uint16 can number
NOTATION = re.compile(r"(.+?)(?::([^:|/]+))?(?:\|([^|/]+)(?:\|([^|/]+))?)?(?:/(\d+)/([^/]+))?(?:/(\w+=.*))?")
_BLANK, _COMMENT, _NO_WORD = 0, -1, -2
BLOCK = 1 << 24  # bytes of text that are read at a time


class ConlluError(TaskError):
    """A CoNLL-U file cannot be read or breaks its format; the message names file, line, problem and remedy."""

    def __init__(self, path, line: int | None, problem: str):
        super().__init__(path, line, problem)
        self.args = (f"{path}:{line}: {problem}" if line else f"{path}: {problem}",)


class CorpusError(ValueError):
    """A compiled corpus cannot be used; the message names its folder, the problem and the remedy."""


@dataclass(frozen=True)
class Token:
    """One line of CoNLL-U: strings as in the file, but `id` and `head` numbers, `lemma` lower, `upos` upper case."""

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    deps: str
    misc: str


@dataclass(frozen=True)
class Sentence:
    """A dependency tree: its tokens in order, and the ``# key = value`` comments above them."""

    tokens: tuple[Token, ...]
    comments: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def conllu(self) -> str:
        """The sentence as `read_conllu` reads it, with its comments and the empty line at its end."""
        comments = [f"# {key} = {value}" for key, value in self.comments.items()]
        return "\n".join([*comments, *("\t".join(map(str, vars(token).values())) for token in self)]) + "\n\n"


def sentence(text: str, **comments: str) -> Sentence:
    """A sentence written in one line, for examples: ``form[:lemma][|UPOS[|XPOS]][/head/deprel][/Key=Value]`` a token.

    The lemma is the form in lower case, the tag ``NOUN``, and every token hangs from the first one, unless the text
    says otherwise.

    >>> tree = sentence("Dogs:dog|NOUN|NNS/2/nsubj chase|VERB/0/root cats:cat/2/obj/SpaceAfter=No", sent_id="s1")
    >>> print(tree.conllu().strip().expandtabs(8))
    # sent_id = s1
    1       Dogs    dog     NOUN    NNS     _       2       nsubj   _       _
    2       chase   chase   VERB    _       _       0       root    _       _
    3       cats    cat     NOUN    _       _       2       obj     _       SpaceAfter=No
    """
    tokens = []
    for i, item in enumerate(text.split(), 1):
        form, lemma, upos, xpos, head, deprel, misc = NOTATION.fullmatch(item).groups()
        if not head:
            head, deprel = (0, "root") if i == 1 else (1, "dep")
        lemma = (lemma or form).lower()
        tokens.append(Token(i, form, lemma, upos or "NOUN", xpos or "_", "_", int(head), deprel, "_", misc or "_"))
    return Sentence(tuple(tokens), comments)


# ---------------------------------------------------------------------------------------------- reading, strictly


def _token(path: Path, number: int, text: str, expected: int, without: list[int]) -> Token | None:
    """The token of a line, which joins those `without` a lemma if it has none; None for a range or an empty node."""
    fields = text.split("\t")
    if len(fields) != len(FIELDS):
        raise ConlluError(path, number, f"{len(fields)} columns where CoNLL-U has 10, separated by single tabs")
    for name, value in zip(FIELDS, fields, strict=True):
        if not value:
            raise ConlluError(path, number, f"column {name} is empty; an unknown value is written '_'")
    if NOT_A_WORD.fullmatch(fields[0]):
        return None
    if fields[0] != str(expected):
        raise ConlluError(path, number, f"token ID {reprlib.repr(fields[0])} where {expected} was expected")
    if not HEAD.fullmatch(fields[6]):
        problem = f"HEAD {reprlib.repr(fields[6])} is not a number of a token; the corpus needs a parse of each"
        raise ConlluError(path, number, problem)
    if fields[3] == "_" != fields[4]:
        problem = f"UPOS is '_' where XPOS is {reprlib.repr(fields[4])}; write universal tags (NOUN, VERB) as UPOS"
        raise ConlluError(path, number, problem)
    if fields[2] == "_" != fields[1]:
        fields[2] = fields[1]
        without.append(number)
    return Token(expected, fields[1], fields[2].lower(), fields[3].upper(), *fields[4:6], int(fields[6]), *fields[7:])


def _sentence(path: Path, lines: list[int], tokens: list[Token], comments: dict[str, str]) -> Sentence:
    """The sentence of these tokens; a `ConlluError` unless every token hangs, over its heads, from a root."""
    try:
        _relative_heads(np.array([token.head for token in tokens]), np.array([len(tokens)]))
    except _HeadError as error:
        raise ConlluError(path, lines[error.place], error.problem) from None
    return Sentence(tuple(tokens), comments)


def read_conllu(path: str | os.PathLike) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-U file one by one, checking everything.

    A `ConlluError` names file and line: a file that cannot be read, a missing or empty column, token ID out of order,
    HEAD not a number or out of range, cycle of heads, UPOS ``_`` beside an XPOS, text that is not UTF-8, damaged
    archive. A lemma ``_`` is the form in lower case, and a warning says how many there are.

    Parameters
    ----------
    path : path
        ``.conllu``, ``.conllu.gz``, ``.conllu.bz2`` or ``.conllu.xz``.

    Yields
    ------
    Sentence
    """
    path, without = path_of(path), []
    tokens: list[Token] = []
    lines: list[int] = []
    comments: dict[str, str] = {}
    for number, text in chain(numbered_lines(path, ConlluError), [(0, "")]):
        if text.startswith("#") and not tokens:
            key, _, value = text[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif text:
            token = _token(path, number, text, len(tokens) + 1, without)
            if token:
                tokens.append(token)
                lines.append(number)
        elif tokens:
            yield _sentence(path, lines, tokens, comments)
            tokens, lines, comments = [], [], {}
    if without:
        first = f"{len(without):,} lemmas are '_', the first in line {without[0]}"
        warnings.warn(f"{path}: {first}; forms in lower case stand in for them", stacklevel=2)


def read_trees(path: str | os.PathLike) -> dict[str, Sentence]:
    """The sentences of a CoNLL-U file by their ``sent_id``, in file order.

    Raises
    ------
    TaskError
        If a sentence has no ``sent_id`` of its own.
    ConlluError
        As in :func:`read_conllu`.
    """
    path, trees = path_of(path), {}
    for number, sentence in enumerate(read_conllu(path), 1):
        own = sentence.comments.get("sent_id")
        if not own or own in trees:
            problem = f"has the sent_id {own!r} of an earlier one" if own else "has no '# sent_id ='"
            raise TaskError(path.name, None, f"sentence {number} {problem}; give each its own")
        trees[own] = sentence
    return trees


# ---------------------------------------------------------------------------------------------------- the Corpus


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """A parsed corpus as integer columns (see the module's table); `open_corpus` maps it, nothing is copied.

    Attributes
    ----------
    form, word, head, deprel : ndarray, shape (n_tokens,)
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Sentence ``i`` is tokens ``offsets[i]`` to ``offsets[i + 1]``.
    deprels : Labels
    files : tuple of (name, first sentence)
        The files it was compiled from, in order.
    fingerprint : str
        SHA-256 over the compiled files' own hashes; the same text gives the same fingerprint.
    folder : Path or None
        Where the columns lie; None for a corpus in memory.
    written : int
        When a column was last written, as the system counts; 0 for a corpus in memory.
    """

    form: np.ndarray
    word: np.ndarray
    head: np.ndarray
    deprel: np.ndarray
    offsets: np.ndarray
    deprels: Labels
    files: tuple[tuple[str, int], ...]
    fingerprint: str
    folder: Path | None = None
    written: int = 0
    tables: dict[str, Labels] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        """As words: ``Corpus: 2,000 sentences, 40,000 tokens``."""
        return f"Corpus: {self.n_sentences:,} sentences, {self.n_tokens:,} tokens"

    @property
    def n_tokens(self) -> int:
        return len(self.word)

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def forms(self) -> Labels:
        """Word forms as written, most frequent first."""
        return self._labels("forms")

    @cached_property
    def words(self) -> Labels:
        """Words as ``lemma|UPOS``, most frequent first, equals in alphabetical order."""
        return self._labels("words")

    def _labels(self, name: str) -> Labels:
        """The labels of a corpus in memory, or those beside its columns."""
        if name in self.tables:
            return self.tables[name]
        path = self.folder / f"{name}.txt"
        try:
            return storage.unpack_labels(np.fromfile(path, dtype=np.uint8))
        except ValueError as error:  # not UTF-8, or a label twice
            raise CorpusError(f"{path}: {error}; compile the corpus again") from error

    @cached_property
    def word_counts(self) -> np.ndarray:
        """How often each word occurs here: int64, shape (len(words),)."""
        return np.bincount(self.word, minlength=len(self.words)).astype(np.int64, copy=False)

    @cached_property
    def lemma_of(self) -> np.ndarray:
        """Lemma of each word: strings, shape (len(words),)."""
        return np.array([word.rpartition("|")[0] for word in self.words], dtype=object)

    @cached_property
    def pos_of(self) -> np.ndarray:
        """Universal tag of each word: strings, shape (len(words),)."""
        return np.array([word.rpartition("|")[2] for word in self.words])

    def chunks(self, n_tokens: int = 2_000_000) -> Iterator[tuple[int, int]]:
        """Consecutive token ranges of about `n_tokens`, cut at sentence borders."""
        cuts = np.searchsorted(self.offsets, np.arange(n_tokens, self.n_tokens, n_tokens))
        borders = np.unique(np.concatenate(([0], self.offsets[cuts], [self.n_tokens])))
        yield from zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)

    def part(self, files: int) -> "Corpus":
        """The corpus of the first `files` source files, as views; words keep their numbers, counts are its own."""
        if not 1 <= files <= len(self.files):
            raise CorpusError(f"{self.folder or 'corpus in memory'}: part({files}) of {len(self.files)} files")
        if files == len(self.files):
            return self
        last = self.files[files][1]
        columns = {name: getattr(self, name)[: self.offsets[last]] for name in COLUMNS}
        columns |= {"offsets": self.offsets[: last + 1], "files": self.files[:files]}
        mark = hashlib.sha256(f"{self.fingerprint} first {files}".encode()).hexdigest()
        return replace(self, **columns, fingerprint=mark)


@lru_cache(maxsize=2)
def reopen(folder: Path, files: int, fingerprint: str) -> Corpus:
    """The first so many files of a compiled corpus; a `CorpusError` unless their fingerprint is this one."""
    corpus = open_corpus(folder).part(files)
    if corpus.fingerprint != fingerprint:
        raise CorpusError(f"{folder}: another corpus stands here; all processes must see the same one under this name")
    return corpus


def open_corpus(folder: str | os.PathLike) -> Corpus:
    """Map a compiled corpus into memory.

    Raises `CorpusError` if the folder holds no compiled corpus, one of another version, or files of other lengths than
    were written.
    """
    folder = path_of(folder)
    try:
        about = json.loads((folder / ABOUT).read_bytes())
        if about["format"] != FORMAT:
            raise _unusable(folder, f"format {about['format']!r}, this library reads {FORMAT!r}")
        lengths = about.get("bytes", {})
        if cut := [name for name in lengths if (folder / name).stat().st_size != lengths[name]]:
            raise _unusable(folder, f"{', '.join(cut)}: not of the length that was written")
        columns = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in (*COLUMNS, "offsets")}
        files = tuple((name, first) for name, first in about["files"])
        about = {"deprels": Labels(about["deprels"]), "files": files, "fingerprint": about["fingerprint"]}
        return Corpus(**columns, **about, folder=folder, written=storage.last_written(folder.glob("*.npy")))
    except CorpusError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unusable(folder, f"no compiled corpus here, or not whole ({error})") from None


def _unusable(folder: Path, problem) -> CorpusError:
    return CorpusError(f"{folder}: {problem}; compile it again")


# --------------------------------------------------------------------------------------------------- compilation


def _blocks(path: Path) -> Iterator[bytes]:
    """The text of a file, cut where a sentence ends."""
    rest = b""
    with opened(path, ConlluError) as stream:
        while more := stream.read(BLOCK):
            rest += more
            if len(rest) > LONGEST_LINE:
                raise ValueError("a sentence without an end")
            cut = max(rest.rfind(b"\n\n"), rest.rfind(b"\n\r\n")) + 1
            yield rest[:cut]
            rest = rest[cut:]
    yield rest


class _Labelled(NamedTuple):
    """Different labels, and the number of each token's."""

    labels: Sequence[str]
    number: np.ndarray


@dataclass(frozen=True)
class _Columns:
    """Whole sentences: labels of their tokens, heads as distances, and how many tokens each sentence has."""

    form: _Labelled
    word: _Labelled
    deprel: _Labelled
    head: np.ndarray
    lengths: np.ndarray

    def arrays(self) -> dict[str, np.ndarray]:
        """The columns as a `Corpus` has them."""
        numbers = {name: getattr(self, name).number for name in ("form", "word", "deprel")} | {"head": self.head}
        columns = {name: numbers[name].astype(dtype, copy=False) for name, dtype in DTYPES.items()}
        return columns | {"offsets": np.concatenate(([0], np.cumsum(self.lengths, dtype=np.int64)))}


def _read_block(block: bytes) -> _Columns:
    """`_columns` of whole sentences, many times as fast; a `ValueError` where a line may not be as it should be.

    >>> _read_block(sentence("Dogs:dog/2/nsubj bark|VERB/0/root").conllu().encode()).word
    _Labelled(labels=Labels(2: bark|VERB, dog|NOUN), number=array([1, 0], dtype=int32))
    """
    import pandas as pd  # which who only reads trees need not wait for

    if any(odd in block for odd in (b"\t\t", b"\n\t", b"\0", codecs.BOM_UTF8)):
        raise ValueError("an empty column, or characters that pandas takes away")
    options = {"dtype": str, "na_filter": False, "skip_blank_lines": False, "quoting": csv.QUOTE_NONE}
    used = ("ID", "FORM", "LEMMA", "UPOS", "HEAD", "DEPREL", "MISC")
    lines = pd.read_csv(io.BytesIO(block), sep="\t", names=FIELDS, usecols=used, **options)
    number, ids = pd.factorize(lines["ID"])
    places = np.array([_place(id) for id in ids], dtype=np.int64)[number]
    is_token, is_row = places > 0, (places > 0) | (places == _NO_WORD)
    whole_rows = (lines["MISC"] != "")[is_row].all() and block.count(b"\t") == (len(FIELDS) - 1) * is_row.sum()
    comment_within = (places[1:] == _COMMENT) & is_row[:-1]
    _, lengths = np.unique(np.cumsum(places == _BLANK)[is_token], return_counts=True)
    expected = np.arange(1, is_token.sum() + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if not whole_rows or comment_within.any() or (places[is_token] != expected).any():
        raise ValueError("a line of CoNLL-U is not as it should be")
    lines = lines[is_token]
    heads, head_labels = pd.factorize(lines["HEAD"])
    if not all(map(HEAD.fullmatch, head_labels)):
        raise ValueError("a HEAD is no number")
    heads = np.array([int(head) for head in head_labels], dtype=np.int64)[heads]
    (lemma, lemmas), (tag, tags) = pd.factorize(lines["LEMMA"]), pd.factorize(lines["UPOS"])
    if "_" in tags or "_" in lemmas and (lines["FORM"][lines["LEMMA"] == "_"] != "_").any():
        raise ValueError("a lemma or a UPOS is missing")
    number, pairs = pd.factorize(lemma.astype(np.int64) << 32 | tag)
    lemmas, tags = [lemma.lower() for lemma in lemmas], [tag.upper() for tag in tags]
    words = [f"{lemmas[pair >> 32]}|{tags[pair & (1 << 32) - 1]}" for pair in pairs.tolist()]
    factorized = map(pd.factorize, (lines["FORM"], lines["DEPREL"]))
    form, deprel = (_Labelled(list(labels), number) for number, labels in factorized)
    return _Columns(form, _together([_Labelled(words, number)]), deprel, _relative_heads(heads, lengths), lengths)


def _place(text: str) -> int:
    """The place of a token in its sentence by the first column of its line, or what kind of line it is."""
    if not text or text.startswith("#"):
        return _COMMENT if text else _BLANK
    if text.isascii() and text.isdigit() and text[0] != "0":
        return int(text[:9])
    return _NO_WORD if NOT_A_WORD.fullmatch(text) else LONGEST + 1


def _columns(sentences: Iterable[Sentence]) -> _Columns:
    sentences = list(sentences)
    tokens = [token for sentence in sentences for token in sentence]
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    heads = _relative_heads(np.array([token.head for token in tokens], dtype=np.int64), lengths)
    every = np.arange(len(tokens))
    form, deprel = [token.form for token in tokens], [token.deprel for token in tokens]
    word = [f"{token.lemma.lower()}|{token.upos}" for token in tokens]
    labelled = (_together([_Labelled(labels, every)]) for labels in (form, word, deprel))
    return _Columns(*labelled, heads, lengths)


def _together(columns: Sequence[_Labelled]) -> _Labelled:
    """One numbering for all, each label once, the most frequent first, equals in alphabetical order."""
    total: Counter[str] = Counter()
    for labels, number in columns:
        for label, count in zip(labels, np.bincount(number, minlength=len(labels)).tolist(), strict=True):
            total[label] += count
    merged = Labels(sorted(total, key=lambda label: (-total[label], label)))
    return _Labelled(merged, np.concatenate([merged.encode(labels).astype(np.int32)[of] for labels, of in columns]))


def _joined(parts: Sequence[_Columns], place: str) -> _Columns:
    """The sentences of all parts; a `CorpusError` if there are more relations than a corpus has room for."""
    form, word, deprel = (_together([getattr(part, name) for part in parts]) for name in ("form", "word", "deprel"))
    if len(deprel.labels) > RELATIONS:
        problem = f"{len(deprel.labels):,} different relations in column DEPREL, a corpus has room for {RELATIONS:,}"
        raise CorpusError(f"{place}: {problem}; are the columns in order?")
    head, lengths = (np.concatenate([getattr(part, name) for part in parts]) for name in ("head", "lengths"))
    return _Columns(form, word, deprel, head, lengths)


class _HeadError(ValueError):
    """A tree that is none: the place of the token where this shows, and what is wrong."""

    def __init__(self, place, problem: str):
        super().__init__(problem)
        self.place, self.problem = int(place), problem


def _relative_heads(head: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Heads of sentences of these lengths as distances (int16); a `_HeadError` where one is no tree."""
    starts, n = np.cumsum(lengths) - lengths, np.repeat(lengths, lengths)
    place = np.arange(len(head)) - np.repeat(starts, lengths)
    if lengths.max(initial=0) > LONGEST:
        at = lengths.argmax()
        raise _HeadError(starts[at], f"a sentence of {lengths[at]} tokens; split it (at most {LONGEST})")
    outside = (head < 0) | (head > n)
    if outside.any():
        at = outside.argmax()
        raise _HeadError(at, f"HEAD {head[at]} is out of range: the sentence has {n[at]} tokens")
    relative = np.where(head == 0, 0, head - 1 - place)
    above = np.arange(len(head)) + relative
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        above = above[above]  # twice as far up at each round: any tree is at its root in log2(length) rounds
    rootless = (head[above] != 0).nonzero()[0]
    if len(rootless):
        at = rootless[0]
        raise _HeadError(at, f"token {place[at] + 1} hangs in a cycle of heads; a tree needs a root (HEAD 0)")
    return relative.astype(np.int16)


def _compile_file(path: Path) -> _Columns:
    try:
        blocks = [_read_block(block) for block in _blocks(path) if block.strip()] or [_columns([])]
    except ValueError:
        blocks = [_columns(read_conllu(path))]  # which says what is wrong and where, if anything is
    return _joined(blocks, str(path))


def compile_corpus(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    threads: int | None = None,
) -> Corpus:
    """Compile CoNLL-U files into a columnar corpus.

    The files are checked as strictly as by `read_conllu`. The result does not depend on the number of threads, nor on
    who compiles. It is made in a temporary folder beside `folder`, which takes its place when it is whole, so an
    interruption leaves the older corpus, or nothing, in place. What a killed process left goes with the next run.

    Parameters
    ----------
    paths : path or sequence of paths
        Files as `read_conllu` takes them, in the order of the corpus.
    folder : path
        Where the corpus goes: a new or empty folder, or an earlier corpus, which is replaced.
    threads : int, optional
        Files compiled at a time; as many as there are cores by default.

    Returns
    -------
    Corpus

    Raises
    ------
    ConlluError
        What is wrong with a file, with its line.
    CorpusError
        If no file is given, two have the same name, there is not one token in them or too many relations; if `folder`
        holds anything that is not ours.
    """
    paths = [path_of(path) for path in (paths if several(paths) else [paths])]
    folder = path_of(folder).resolve()
    if not paths or len({path.name for path in paths}) != len(paths):
        raise CorpusError(f"{folder}: compile_corpus needs files, each with a name of its own; got {len(paths)}")
    _check_place(folder, paths)
    with ThreadPoolExecutor(min(threads or os.cpu_count() or 1, len(paths))) as pool:
        jobs = pool.map(_compile_file, paths)
        parts = list(tqdm(jobs, total=len(paths), desc="compile", unit="file", disable=None))
    if not any(len(part.head) for part in parts):
        raise CorpusError(f"{folder}: not one token in {', '.join(path.name for path in paths)}")
    starts = np.cumsum([0, *(len(part.lengths) for part in parts)]).tolist()
    files = [[path.name, start] for path, start in zip(paths, starts, strict=False)]
    hashes = " ".join(datasets.checked_hash(path) for path in paths)
    columns = _joined(parts, str(folder))
    tags = {label.rpartition("|")[2] for label in columns.word.labels}
    if (strange := sorted(tags - {*UPOS, "_"})) and tags.isdisjoint(("NOUN", "PROPN", "VERB", "ADJ")):
        problem = f"column UPOS has {', '.join(strange[:5])}; universal tags (NOUN, VERB) are needed: convert them"
        raise CorpusError(f"{', '.join(path.name for path in paths)}: {problem}")
    _write(folder, columns, files, hashlib.sha256(hashes.encode()).hexdigest())
    return open_corpus(folder)


def _check_place(folder: Path, paths: Sequence[Path]) -> None:
    """A `CorpusError` unless a folder is new, empty or an earlier corpus, and holds neither input nor user."""
    problem = ""
    if folder.is_dir():
        names = {path.name for path in folder.iterdir()}
        ours = ABOUT in names and (folder / ABOUT).read_bytes()[:64].startswith(b'{\n "format": "cdsm-corpus-')
        strange = sorted(names - {*FILES, ABOUT} if ours else names)
        problem = f"it holds {', '.join(strange[:3])}, not only what compile made" if strange else ""
    elif folder.exists():
        problem = "it is a file"
    for path in (*paths, Path.cwd()):
        if folder in (path.resolve(), *path.resolve().parents):
            problem = f"{path} is in it"
    if problem:
        raise CorpusError(f"{folder}: nothing is compiled into this folder, since {problem}; choose a new or empty one")


def _write(folder: Path, columns: _Columns, files: list, fingerprint: str) -> None:
    """Write a corpus, whole or not at all; what describes it comes last."""
    with storage.whole_folder(folder) as making:
        for name, array in columns.arrays().items():
            np.save(making / f"{name}.npy", array)
        for name in ("form", "word"):
            (making / f"{name}s.txt").write_bytes(storage.pack_labels(getattr(columns, name).labels))
        about = {
            "format": FORMAT,
            "tokens": len(columns.head),
            "files": files,
            "deprels": list(columns.deprel.labels),
            "fingerprint": fingerprint,
            "bytes": {path.name: path.stat().st_size for path in sorted(making.iterdir())},
        }
        (making / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")


def corpus_from_sentences(sentences: Iterable[Sentence]) -> Corpus:
    """A corpus in memory, for tests and small data: one source file named ``memory``."""
    sentences = list(sentences)
    columns = _joined([_columns(sentences)], "memory")
    rows = [f"{t.form}\t{t.lemma}\t{t.upos}\t{t.head}\t{t.deprel}" for sentence in sentences for t in sentence]
    return Corpus(
        **columns.arrays(),
        deprels=columns.deprel.labels,
        files=(("memory", 0),),
        fingerprint=hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        tables={"forms": columns.form.labels, "words": columns.word.labels},
    )


def corpus_from_text(*sentences: str) -> Corpus:
    """A corpus in memory of sentences as :func:`sentence` takes them.

    >>> corpus_from_text("dogs:dog/2/nsubj bark|VERB/0/root", "cats:cat/2/nsubj sleep|VERB/0/root").words
    Labels(4: bark|VERB, cat|NOUN, dog|NOUN, ...)
    """
    return corpus_from_sentences(map(sentence, sentences))


def corpus_from_tokens(sentences: Iterable[Sequence[str]]) -> Corpus:
    """A corpus in memory of tokenised sentences without parses: words are ``form|X``, in lower case.

    For windows of all tokens and `train_words`; a `ValueError` for a string in the place of a sentence's tokens.

    >>> corpus_from_tokens([["The", "dog"], ["the", "cat"]]).words
    Labels(3: the|X, cat|X, dog|X)
    """
    sentences = [[*tokens] if several(tokens) else [tokens, None] for tokens in sentences]
    if not all(isinstance(form, str) and form.strip() and "\n" not in form for form in chain.from_iterable(sentences)):
        raise ValueError("a sentence is a sequence of tokens, non-empty strings: tokenise it first")

    def token(place: int, form: str) -> Token:
        return Token(place, form, form.lower(), "X", "_", "_", int(place > 1), "dep", "_", "_")

    return corpus_from_sentences(Sentence(tuple(map(token, range(1, 1 + len(each)), each))) for each in sentences)
