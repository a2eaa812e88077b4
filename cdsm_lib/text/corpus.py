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
Multiword ranges (``3-4``) and empty nodes (``3.1``) carry no dependency of their own and are left out, as the
format allows (https://universaldependencies.org/format.html).
"""

import gzip
import hashlib
import itertools
import json
import lzma
import os
import re
import shutil
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from tqdm import tqdm

from cdsm_lib import datasets, storage
from cdsm_lib.cache import code_of
from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError

FORMAT = "cdsm-corpus-1"
COLUMNS = ("form", "word", "head", "deprel")
FIELDS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
LABEL_FILES = ("forms.txt", "words.txt")
NOT_A_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # the ID of a multiword range or an empty node
LONGEST = 32_767  # tokens of a sentence: a relative head must fit into int16


class ConlluError(ValueError):
    """A CoNLL-U file breaks its format; the message names file, line, problem and remedy."""

    def __init__(self, path, line: int | None, problem: str):
        where = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")
        self.path, self.line, self.problem = path, line, problem

    def __reduce__(self):
        return type(self), (self.path, self.line, self.problem)  # from a worker process to its parent


class CorpusError(ValueError):
    """A compiled corpus cannot be used; the message names its folder, the problem and the remedy."""


@dataclass(frozen=True)
class Token:
    """One line of CoNLL-U. Fields are strings as in the file, but `id` and `head` are numbers, `lemma` lower case."""

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


# ---------------------------------------------------------------------------------------------- reading, strictly


def _open(path: Path):
    return {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)(path, "rb")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and text of each line; damage to the archive or the encoding is a ConlluError."""
    number = 0
    try:
        with _open(path) as stream:
            for raw in stream:
                number += 1
                yield number, raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ConlluError(path, number, f"not UTF-8 ({error.reason}); convert the file to UTF-8") from None
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
        raise ConlluError(path, number + 1, f"the archive is damaged or cut short ({error}); fetch it again") from None


def _token(path: Path, number: int, text: str, expected: int) -> Token | None:
    """The token of a line; None for a multiword range or an empty node."""
    fields = text.split("\t")
    if len(fields) != len(FIELDS):
        raise ConlluError(path, number, f"{len(fields)} columns where CoNLL-U has 10, separated by single tabs")
    for name, value in zip(FIELDS, fields, strict=True):
        if not value:
            raise ConlluError(path, number, f"column {name} is empty; an unknown value is written '_'")
    if NOT_A_WORD.fullmatch(fields[0]):
        return None
    if fields[0] != str(expected):
        raise ConlluError(path, number, f"token ID {fields[0]!r} where {expected} was expected")
    if not fields[6].isdecimal():
        raise ConlluError(path, number, f"HEAD {fields[6]!r} is not a number; the corpus needs a parse of each token")
    return Token(expected, fields[1], fields[2].lower(), *fields[3:6], int(fields[6]), *fields[7:])


def _sentence(path: Path, lines: list[int], tokens: list[Token], comments: dict[str, str]) -> Sentence:
    """The sentence of these tokens; a `ConlluError` unless every token hangs, over its heads, from a root."""
    try:
        _relative_heads(np.array([token.head for token in tokens]), np.array([len(tokens)]))
    except _HeadError as error:
        raise ConlluError(path, lines[error.place], error.problem) from None
    return Sentence(tuple(tokens), comments)


def read_conllu(path: str | os.PathLike) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-U file one by one, checking everything.

    Parameters
    ----------
    path : path
        ``.conllu``, ``.conllu.gz`` or ``.conllu.xz``.

    Yields
    ------
    Sentence

    Raises
    ------
    ConlluError
        Missing or empty column, token ID out of order, HEAD not a number or out of range, cycle of heads, text that
        is not UTF-8, damaged archive: with file and line.
    """
    path = Path(path)
    tokens: list[Token] = []
    lines: list[int] = []
    comments: dict[str, str] = {}
    for number, text in _lines(path):
        if text.startswith("#") and not tokens:
            key, _, value = text[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif text:
            token = _token(path, number, text, len(tokens) + 1)
            if token:
                tokens.append(token)
                lines.append(number)
        elif tokens:
            yield _sentence(path, lines, tokens, comments)
            tokens, lines, comments = [], [], {}
    if tokens:
        yield _sentence(path, lines, tokens, comments)


def read_trees(path: str | os.PathLike) -> dict[str, Sentence]:
    """The sentences of a CoNLL-U file by their ``sent_id``, in file order.

    Raises
    ------
    TaskError
        If the file cannot be read, or a sentence has no ``sent_id`` of its own.
    ConlluError
        As in :func:`read_conllu`.
    """
    path, trees = Path(path), {}
    try:
        for number, sentence in enumerate(read_conllu(path), 1):
            own = sentence.comments.get("sent_id")
            if not own or own in trees:
                problem = f"has the sent_id {own!r} of an earlier one" if own else "has no '# sent_id ='"
                raise TaskError(path.name, None, f"sentence {number} {problem}; give each its own")
            trees[own] = sentence
    except OSError as error:
        raise TaskError(path.name, None, f"cannot be read ({error.strerror}); fetch the set again") from None
    return trees


# ---------------------------------------------------------------------------------------------------- the Corpus


@dataclass(frozen=True, eq=False)
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
    tables: dict[str, Labels] = field(default_factory=dict, repr=False)

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
        path = None if name in self.tables else self.folder / f"{name}.txt"
        return storage.unpack_labels(np.fromfile(path, dtype=np.uint8)) if path else self.tables[name]

    @cached_property
    def word_counts(self) -> np.ndarray:
        """How often each word occurs here: int64, shape (len(words),)."""
        return np.bincount(self.word, minlength=len(self.words)).astype(np.int64)

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

    @property
    def made_by(self) -> str:
        """The code that compiles text, for the keys of what is cached: the fingerprint is of the text alone."""
        return compiled_by()

    def part(self, files: int) -> "Corpus":
        """The corpus of the first `files` source files, as views; words keep their numbers, counts are its own."""
        if not 1 <= files <= len(self.files):
            raise CorpusError(f"{self.folder or 'corpus in memory'}: part({files}) of {len(self.files)} files")
        last = self.files[files][1] if files < len(self.files) else self.n_sentences
        stop = int(self.offsets[last])
        own = hashlib.sha256(f"{self.fingerprint} first {files}".encode()).hexdigest()
        columns = {name: getattr(self, name)[:stop] for name in COLUMNS}
        fingerprint = self.fingerprint if files == len(self.files) else own
        return replace(
            self, **columns, offsets=self.offsets[: last + 1], files=self.files[:files], fingerprint=fingerprint
        )

    def __reduce__(self):
        if self.folder is None:
            return Corpus, tuple(getattr(self, part.name) for part in fields(self))
        return _reopen, (self.folder, len(self.files))  # another process maps the same files


def _reopen(folder: Path, files: int) -> Corpus:
    return open_corpus(folder).part(files)


def open_corpus(folder: str | os.PathLike) -> Corpus:
    """Map a compiled corpus into memory.

    Raises
    ------
    CorpusError
        If the folder holds no compiled corpus, one of another version, or a column that was cut short.
    """
    folder = Path(folder)

    def unusable(problem) -> CorpusError:
        return CorpusError(f"{folder}: {problem}; compile it again: python -m cdsm_lib compile")

    try:
        about = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise unusable("no compiled corpus here") from None
    if about.get("format") != FORMAT:
        raise unusable(f"format {about.get('format')!r}, this library reads {FORMAT!r}")
    try:
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in (*COLUMNS, "offsets")}
        whole = about.get("label_bytes") == {name: (folder / name).stat().st_size for name in LABEL_FILES}
    except (OSError, ValueError, EOFError) as error:
        raise unusable(error) from None
    lengths = {len(arrays[name]) for name in COLUMNS} | {int(arrays["offsets"][-1])}
    if not whole or lengths != {about["tokens"]}:
        raise unusable(f"its columns differ in length, or {' or '.join(LABEL_FILES)} is not as it was written")
    files = tuple((name, first) for name, first in about["files"])
    return Corpus(**arrays, deprels=Labels(about["deprels"]), files=files,
                  fingerprint=about["fingerprint"], folder=folder)  # fmt: skip


# --------------------------------------------------------------------------------------------------- compilation


def _encode(path: Path):
    """Columns of one file with numbers of its own: (form, word, head, deprel, lengths) and the three key lists.

    This is `read_conllu` without its courtesies, some five times as fast. What it does not like it hands over to
    `read_conllu`, which then says what is wrong and where.
    """
    forms, words, deprels = (defaultdict(itertools.count().__next__) for _ in range(3))
    form, word, head, deprel, lengths = (array("i") for _ in range(5))
    identity = [str(i) for i in range(LONGEST + 2)]
    n = 0
    try:
        with _open(path) as stream:
            for raw in stream:
                fields = raw.decode("utf-8").split("\t")
                whole = len(fields) == 10 and all(fields)
                if whole and fields[0] == identity[n + 1] and fields[6].isdecimal():
                    n += 1
                    form.append(forms[fields[1]])
                    word.append(words[fields[2], fields[3]])
                    head.append(int(fields[6]))
                    deprel.append(deprels[fields[7]])
                elif raw in (b"\n", b"\r\n"):
                    if n:
                        lengths.append(n)
                    n = 0
                elif not (whole and NOT_A_WORD.fullmatch(fields[0]) or not n and raw[:1] == b"#"):
                    raise ValueError("a line that read_conllu explains")
        if n:
            lengths.append(n)
        columns = [np.frombuffer(column, dtype=np.int32) for column in (form, word, head, deprel, lengths)]
        columns[2] = _relative_heads(columns[2], columns[4])
    except (ValueError, EOFError, OSError, lzma.LZMAError, zlib.error, IndexError) as error:
        for _ in read_conllu(path):
            pass
        raise ConlluError(path, None, str(error)) from error
    return columns, [list(forms), list(words), list(deprels)]


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


def _compile_file(path: Path, folder: Path) -> dict:
    (form, word, head, deprel, lengths), (forms, words, deprels) = _encode(path)
    np.savez(folder / f"{path.name}.npz", form=form, word=word, head=head, deprel=deprel, lengths=lengths)
    labels = [f"{lemma.lower()}|{pos}" for lemma, pos in words]
    return {
        "forms": (forms, np.bincount(form, minlength=len(forms))),
        "words": (labels, np.bincount(word, minlength=len(words))),
        "deprels": (deprels, np.bincount(deprel, minlength=len(deprels))),
        "tokens": len(form),
        "sentences": len(lengths),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def _merge(tables: Iterable[tuple[Sequence[str], np.ndarray]]) -> Labels:
    """All labels of some (labels, counts) tables, most frequent first, equals in alphabetical order."""
    total: dict[str, int] = {}
    for labels, counts in tables:
        for label, count in zip(labels, counts.tolist(), strict=True):
            total[label] = total.get(label, 0) + count
    return Labels(sorted(total, key=lambda label: (-total[label], label)))


def compile_corpus(
    paths: Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    processes: int | None = None,
    progress: bool | None = None,
) -> Corpus:
    """Compile CoNLL-U files into a columnar corpus.

    The files are checked as strictly as by `read_conllu`. The result does not depend on the number of processes. It
    is made in a temporary folder beside `folder` and moved there when it is whole, so an interruption leaves the
    older corpus, or nothing, in place. What a killed process left goes with the next run; while another process makes
    the same corpus, this one waits.

    Parameters
    ----------
    paths : sequence of paths
        ``.conllu``, ``.conllu.gz`` or ``.conllu.xz`` files, in the order of the corpus.
    folder : path
        Where the corpus goes; an earlier one there is replaced.
    processes : int, optional
        Files compiled at a time; as many as there are cores by default.
    progress : bool, optional
        Show a progress bar; by default only on a terminal.

    Returns
    -------
    Corpus

    Raises
    ------
    ConlluError
        What is wrong with a file, with its line.
    CorpusError
        If no file is given, two have the same name, or there is not one token in them.
    """
    paths, folder = [Path(path) for path in paths], Path(folder)
    if not paths or len({path.name for path in paths}) != len(paths):
        raise CorpusError(f"{folder}: compile_corpus needs files, each with a name of its own; got {len(paths)}")
    workers = min(processes or os.cpu_count() or 1, len(paths))
    hidden = None if progress is None else not progress
    with datasets.workshop(folder.parent, f"{folder.name}.making") as scratch, ProcessPoolExecutor(workers) as pool:
        making = scratch / folder.name
        making.mkdir()
        jobs = (map if workers == 1 else pool.map)(_compile_file, paths, itertools.repeat(scratch))
        parts = list(tqdm(jobs, total=len(paths), desc="compile", unit="file", disable=hidden))
        if not sum(part["tokens"] for part in parts):
            raise CorpusError(f"{folder}: not one token in {', '.join(path.name for path in paths)}")
        _join(paths, parts, scratch, making)
        (making / CODE).write_text(compiled_by(), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(making, folder)
    return open_corpus(folder)


CODE = "code.txt"
"""In the folder of a compiled corpus: `compiled_by`."""


def compiled_by() -> str:
    """The hash of the code that compiles a corpus."""
    return code_of(_compile_file, _join)


def _join(paths: Sequence[Path], parts: list[dict], scratch: Path, making: Path) -> None:
    """Number the labels of all parts alike and write the columns, the parts one after the other."""
    labels = {name: _merge(part[name] for part in parts) for name in ("forms", "words", "deprels")}
    stored = [np.load(scratch / f"{path.name}.npz") for path in paths]
    for name, dtype in {"form": np.int32, "word": np.int32, "head": np.int16, "deprel": np.uint16}.items():
        pieces = [arrays[name] for arrays in stored]
        if name != "head":
            keys = [part[f"{name}s"][0] for part in parts]
            numbers = [labels[f"{name}s"].encode(of_file).astype(dtype) for of_file in keys]
            pieces = [number[piece] for number, piece in zip(numbers, pieces, strict=True)]
        np.save(making / f"{name}.npy", np.concatenate(pieces))
    lengths = np.concatenate([arrays["lengths"] for arrays in stored])
    np.save(making / "offsets.npy", np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))))
    for name in ("forms", "words"):
        storage.pack_labels(labels[name]).tofile(making / f"{name}.txt")
    first = np.cumsum([0] + [part["sentences"] for part in parts]).tolist()
    about = {
        "format": FORMAT,
        "tokens": sum(part["tokens"] for part in parts),
        "label_bytes": {name: (making / name).stat().st_size for name in LABEL_FILES},
        "files": [[path.name, at] for path, at in zip(paths, first[:-1], strict=True)],
        "deprels": list(labels["deprels"]),
        "fingerprint": hashlib.sha256(" ".join(part["sha256"] for part in parts).encode()).hexdigest(),
    }
    (making / "corpus.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


def corpus_from_sentences(sentences: Iterable[Sentence]) -> Corpus:
    """A corpus in memory, for tests and small data: one source file named ``memory``."""
    sentences = list(sentences)
    tokens = [token for sentence in sentences for token in sentence]
    ones = np.ones(len(tokens), dtype=np.int64)
    keys = {
        "forms": [token.form for token in tokens],
        "words": [f"{token.lemma.lower()}|{token.upos}" for token in tokens],
        "deprels": [token.deprel for token in tokens],
    }
    labels = {name: _merge([(values, ones)]) for name, values in keys.items()}
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    content = "\n".join(f"{t.form}\t{t.lemma}\t{t.upos}\t{t.head}\t{t.deprel}" for t in tokens)
    return Corpus(
        form=labels["forms"].encode(keys["forms"]).astype(np.int32),
        word=labels["words"].encode(keys["words"]).astype(np.int32),
        head=_relative_heads(np.array([token.head for token in tokens], dtype=np.int64), lengths),
        deprel=labels["deprels"].encode(keys["deprels"]).astype(np.uint16),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        deprels=labels["deprels"],
        files=(("memory", 0),),
        fingerprint=hashlib.sha256(content.encode()).hexdigest(),
        tables={"forms": labels["forms"], "words": labels["words"]},
    )
