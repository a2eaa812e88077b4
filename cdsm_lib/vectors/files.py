"""Vectors of others: files that word2vec, gensim, GloVe, fastText or DISSECT wrote, read as a `Space`.

A line of text is a word and its numbers between spaces (or tabs); a first line ``words dimensions`` may stand above.
In word2vec's binary format each word and a space are followed by its float32 numbers. In DISSECT's sparse format,
``.sm``, a line is a row, a column and a number.
"""

import csv
import os
import re
import warnings
from collections import Counter
from itertools import takewhile
from numbers import Integral
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib.tables import DECOMPRESS, no_file, numbered_lines, opened, path_of
from cdsm_lib.vectors.space import Space, SpaceError

_ANOTHER_COPY = "Get another copy of the file."
_MEND = "Mend the line."
_CORRECT = "Write the right number into the first line."
_FORMATS = (
    "Vectors are a .npz of Space.save, word2vec's binary or text format, GloVe's text, or DISSECT's .dm and .sm, also "
    "as .gz, .bz2 and .xz; what gensim saved otherwise is written so by KeyedVectors.save_word2vec_format, and "
    "Space.from_frame takes tables of pandas."
)
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE)
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1f]")


def read_vectors(path: str | os.PathLike, *, limit: int | None = None, unicode_errors: str = "strict") -> Space:
    """Read vectors, whichever program wrote them; the format is found out from the content.

    Parameters
    ----------
    path : path
        A file of `Space.save` (``.npz``), or a format as above, which may be compressed (``.gz``, ``.bz2``, ``.xz``).
    limit : int, optional
        Only so many words from the top, mostly the most frequent ones.
    unicode_errors : {"strict", "replace", "ignore"}
        What becomes of a word that is not UTF-8, as in gensim: an error, U+FFFD for what cannot be read, or the word
        without it.

    Returns
    -------
    Space
        Rows are the words as they stand there, in the file's order. Of a word that stands there twice the first counts,
        and a warning says how many do.

    Raises
    ------
    TypeError
        If it is no path, as at every reader (`cdsm_lib.tables.path_of`).
    FileNotFoundError
        If there is no such file.
    SpaceError
        If it is in another format, cut short, longer than its first line says, not UTF-8, has a line of another length
        or with a NUL (which is named), or a value that is not finite.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "vectors.txt")
    ...     _ = path.write_text("2 3\\ndog 1 0 0\\ncat 0.5 0.5 0\\n")
    ...     print(read_vectors(path))
    Space: 2 words x 3 dimensions, read_vectors
    """
    path = path_of(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: {no_file(path)}")
    if limit is not None and not (isinstance(limit, Integral) and limit > 0):
        raise ValueError(f"limit={limit!r}: the words to read, a whole number from 1, or None for all")
    if unicode_errors not in ("strict", "replace", "ignore"):
        raise ValueError(f"unicode_errors={unicode_errors!r}; choose strict, replace or ignore")
    if path.suffix == ".npz":
        space = Space.load(path)
        return space if limit is None else space.subset(space.rows[:limit])
    with opened(path, _refused) as file:
        first, more = file.readline(1 << 20), file.read(1 << 14)
    header = [int(n) for n in first.split()] if re.fullmatch(rb"\d+[ \t]+\d+\s*", first) else None
    rows = [row.split() for row in (more if header else first + more).split(b"\n")]
    if any(rows) and all(b"." in row[0] and _NUMBER.fullmatch(row[0]) for row in rows if row):
        remedy = "Give numbers and words to Space(words, np.loadtxt(file))."
        raise SpaceError(path, "its rows are numbers without a word", remedy)
    counted = Counter(_numbers(row) for row in (rows[:-1] or rows) if row) or {0: 0}
    d, names = header[1] if header else max(counted, key=counted.get), None
    if not first:
        raise SpaceError(path, "it is empty", _ANOTHER_COPY)
    if ".sm" in path.suffixes[-2:]:
        words, vectors, names = _read_sparse(path, limit, unicode_errors)
    elif not _CONTROL.search((first + more).decode("latin-1")) or d and _numbers(rows[0]):
        words, vectors = _read_text(path, header, d, limit, unicode_errors)
    elif header:
        words, vectors = _read_binary(path, *header, limit, unicode_errors)
    else:
        raise SpaceError(path, "it holds no vectors in a format that is known", _FORMATS)
    place = {word: i for i, word in reversed([*enumerate(words)])}
    if again := len(words) - len(place):
        warnings.warn(f"{path}: {again:,} rows are of words that stand above already; the first counts", stacklevel=2)
        words, vectors = dict.fromkeys(words), vectors[sorted(place.values())]
    try:
        return Space(words, vectors, names, meta={"made_by": "read_vectors", "file": path.name})
    except SpaceError as reason:
        raise SpaceError(path, reason.problem, reason.remedy) from None


def _refused(path: Path, line: int | None, problem: str) -> SpaceError:
    """What `opened` has to say, as a `SpaceError`."""
    problem, _, remedy = problem.rpartition("; ")
    return SpaceError(path, f"line {line}: {problem}" if line else problem, f"{remedy[0].upper()}{remedy[1:]}.")


def _numbers(fields: list[bytes]) -> int:
    """How many fields at the end of a row are numbers, its first left aside."""
    return sum(1 for _ in takewhile(_NUMBER.fullmatch, reversed(fields[1:])))


def _decoded(path: Path, place: str, word: bytes, unicode_errors: str) -> str:
    try:
        return word.decode("utf-8", unicode_errors)
    except UnicodeDecodeError:
        remedy = "Give unicode_errors='replace' or 'ignore'; or save the text as UTF-8, or get another copy."
        raise SpaceError(path, f"{place} begins with {word[:60]!r}, which is not UTF-8", remedy) from None


def _read_text(path: Path, header: list[int] | None, d: int, limit, unicode_errors) -> tuple[list[str], np.ndarray]:
    """Words and numbers, a line each; a word may hold spaces, as a few of GloVe's do."""
    words, rows = [], []
    for line, row in numbered_lines(path, _refused, encoding=None):
        if line == 1 and header:
            continue
        try:
            word, *numbers = row.rsplit(None, d)
            if not d or len(numbers) != d or b" " in word and _numbers(word.split()):
                raise ValueError
            rows.append(np.array(numbers, dtype=np.float32))
        except ValueError:
            if not row.strip():
                continue
            found = row[:60].decode("utf-8", "replace")
            wanted = f"{d or 'its'} numbers{', as its first line says' if header else ''}"
            problem = f"line {line} must be a word and {wanted}, found {found!r}"
            raise SpaceError(path, problem, _MEND if d else _FORMATS) from None
        if b"\0" in word:
            raise SpaceError(path, f"line {line} holds a NUL: {word[:60]!r}", _MEND)
        words.append(_decoded(path, f"line {line}", word, unicode_errors))
        if len(words) == limit:
            return words, np.array(rows)
    if not words:
        raise SpaceError(path, "it is empty, or has no row of numbers", _ANOTHER_COPY)
    if header and len(words) != header[0]:
        problem = f"its first line says {header[0]} words, but {len(words)} follow"
        raise SpaceError(path, problem, _ANOTHER_COPY if len(words) < header[0] else _CORRECT)
    return words, np.array(rows)


def _read_binary(path: Path, count: int, d: int, limit, unicode_errors) -> tuple[list[str], np.ndarray]:
    """word2vec's binary format; a line feed may stand before a word."""
    if path.suffix not in DECOMPRESS and (not count or not d or path.stat().st_size < count * (2 + 4 * d)):
        raise SpaceError(path, f"its bytes cannot hold {count} words of {d} dimensions", _ANOTHER_COPY)
    words, vectors = [], np.empty((min(count, limit or count), d), dtype="<f4")
    with opened(path, _refused) as file:
        file.readline()
        for row in vectors:
            word = b"".join(iter(lambda: file.read(1).rstrip(b" "), b""))
            if file.readinto(row) < row.nbytes:
                raise SpaceError(path, f"it is cut short after {len(words)} of {count} words", _ANOTHER_COPY)
            words.append(_decoded(path, f"word {len(words) + 1}", word.lstrip(b"\n"), unicode_errors))
        if len(words) == count and file.read(2).strip(b"\n"):
            problem = f"its first line says {count} words, but more follow, or a word holds a space"
            raise SpaceError(path, problem, _CORRECT)
    return words, vectors


def _read_sparse(path: Path, limit: int | None, unicode_errors: str) -> tuple[list[str], sparse.csr_array, list[str]]:
    """DISSECT's sparse format; rows and columns in the order in which they first come up."""
    import pandas as pd  # takes half a second to load

    options = {"names": ("row", "column", "value"), "skip_blank_lines": False, "encoding_errors": unicode_errors}
    try:
        with opened(path, _refused) as file:
            cells = pd.read_csv(file, sep=r"\s+", quoting=csv.QUOTE_NONE, keep_default_na=False, **options)
    except ValueError as reason:  # of pandas, which names the line
        raise SpaceError(path, f"a line must be a row, a column and a number ({reason})", _MEND) from None
    cells = cells[cells["row"] != ""].assign(value=lambda cells: pd.to_numeric(cells["value"], errors="coerce"))
    if (wrong := cells["value"].isna()).any():
        raise SpaceError(path, f"line {wrong.idxmax() + 1} must be a row, a column and a number", _MEND)
    (row, rows), (column, columns) = (pd.factorize(cells[name]) for name in ("row", "column"))
    table = sparse.coo_array((cells["value"], (row, column)), shape=(len(rows), len(columns))).tocsr()
    return list(rows[:limit]), table[:limit], list(columns)
