"""Files that someone brings: the one way to open them, tab-separated tables, and the one error of the tasks.

`opened` and `numbered_lines` stand below every reader: they unpack, take a byte order mark away, and know ``~``. Only a
line feed ends a line. What is no path at all, `path_of` refuses.

    for line, row in read_table(path, ("number", "pos", "text", "kept"), {"number": whole, "pos": ("NOUN", "VERB")}):
        if row["text"] in seen:
            raise TaskError(path.name, line, "this text stands above already; keep one row")

A table is UTF-8, a row a line, fields between tabs, no quoting, with a header in its first line. Everything that is
otherwise is a `TaskError` that names file and line and says what to do.
"""

import bz2
import codecs
import gzip
import lzma
import math
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import IOBase
from pathlib import Path
from typing import Any, BinaryIO

DECOMPRESS = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
"""How a compressed file is opened, by the end of its name."""
DAMAGED = (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile)
"""What the reading of a damaged one raises. (For ``.bz2`` it may also be an `OSError` without number.)"""
_OTHER = {
    b"\x1f\x8b\x08": "an archive; unpack it, or name it .gz",
    b"BZh91AY": "an archive; unpack it, or name it .bz2",
    b"\xfd7zXZ": "an archive; unpack it, or name it .xz",
    b"PK\x03": "an archive; unzip it, save a spreadsheet as CSV, or name a saved space .npz",
    codecs.BOM_UTF16_LE: "UTF-16; save it as UTF-8",
    codecs.BOM_UTF16_BE: "UTF-16; save it as UTF-8",
}
"""How other files begin, and what to do."""
LONGEST_LINE = 1 << 28
"""Bytes."""


def cut(text: str, most: int = 500) -> str:
    """A text for a message, the middle of a long one left out."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def shown(value: object) -> str:
    """A value for a message: as `repr` has it, cut."""
    return cut(repr(value), 100)


class TaskError(ValueError):
    """A file, an item or a score that does not fit its task: in which file and line (from 1), if any; what to do."""

    def __init__(self, path: str | os.PathLike | None, line: int | None, problem: str):
        self.path, self.line, self.problem = path, line, problem
        where = ", ".join(filter(None, [str(path or ""), line and f"line {line}"]))
        super().__init__(f"{where}: {cut(problem)}" if where else cut(problem))


def several(given: object) -> bool:
    """Whether things are given where it may also be one: not a path, a text, or an open file."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes | os.PathLike | IOBase)


def path_of(given: str | os.PathLike) -> Path:
    """The one path that is given, ``~`` known; a `TypeError` for a list, an open file, bytes, None and the like, a
    `TaskError` for an empty one.

    >>> path_of(["a.txt", "b.txt"])
    Traceback (most recent call last):
    TypeError: ['a.txt', 'b.txt'] is a list, where one path is meant: a str or a pathlib.Path
    """
    if not isinstance(given, str | os.PathLike):
        raise TypeError(f"{shown(given)} is a {type(given).__name__}, where one path is meant: a str or a pathlib.Path")
    if given == "":
        raise TaskError(None, None, "a path is empty: give a file or a folder")
    return Path(os.path.expanduser(given))


def whole(text: str) -> int:
    """A whole number from 0, in at most 18 digits; the kind of a column that holds counts or places."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError("a whole number of at most 18 digits")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1; the kind of a column that holds votes or lines."""
    if not re.fullmatch("[1-9][0-9]{0,17}", text):
        raise ValueError("a number from 1")
    return int(text)


def number(text: str) -> float:
    """A finite number, negative or with a point; the kind of a column that holds scores."""
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) or math.isinf(float(text)):
        raise ValueError("a finite number, such as 7.35")
    return float(text)


YES_NO = {"0": False, "1": True}
"""The kind of a column that holds 0 or 1."""

Kind = Callable[[str], Any] | Mapping[str, Any] | Iterable[str]


def read_table(
    path: str | os.PathLike,
    columns: Sequence[str],
    kinds: Mapping[str, Kind] | None = None,
    *,
    key: str | Sequence[str] = (),
    may_be_empty: Sequence[str] = (),
    header: Sequence[str] | None = None,
) -> list[tuple[int, dict[str, Any]]]:
    """Read a tab-separated file, strictly: the number of each line, from 1, and its values by column.

    Parameters
    ----------
    path : path
    columns : sequence of str
        Its columns, in order: names of the fields, and the header, unless `header` says otherwise.
    kinds : mapping of column to kind, optional
        What a column may hold; text where nothing is said. The texts allowed; or a mapping of them to the values that
        they stand for, such as `YES_NO`; or a function such as `whole` or `number`, from a field's text to its value,
        which raises a `ValueError` that says what is needed.
    key : str or sequence of str
        Column, or columns, that no two rows may have alike.
    may_be_empty : sequence of str
        Columns in which a field may be empty.

    Raises
    ------
    TaskError
        With file and line: a file that cannot be read or is not UTF-8, another header, no rows, another number of
        fields, an empty field, a value that its column may not hold, a key that stands above already.
    """
    path, header, lines = path_of(path), list(header or columns), read_lines(path)
    if not lines or lines[0].split("\t") != header:
        what = "the file begins otherwise" if lines else "the file is empty"
        raise TaskError(path.name, 1, f"the header must be {'<tab>'.join(header)}; {what}")
    if len(lines) == 1:
        raise TaskError(path.name, None, "no rows below the header")
    key = (key,) if isinstance(key, str) else tuple(key)
    rows, line_of = [], {}
    for line, text in enumerate(lines[1:], 2):
        fields = text.split("\t")
        row: dict[str, Any] = dict(zip(columns, fields, strict=False))
        if len(fields) != len(columns) or not all(row[name].strip() or name in may_be_empty for name in columns):
            needed = f"{len(columns)} fields between tabs, {'<tab>'.join(columns)}"
            empty = f"only {', '.join(sorted(may_be_empty))} may be empty" if may_be_empty else "none empty"
            raise TaskError(path.name, line, f"expected {needed}, {empty}; found {text!r}")
        for column, kind in (kinds or {}).items():
            row[column] = _value(path, line, column, kind, row[column])
        rows.append((line, row))
        place = tuple(row[name] for name in key)
        if key and line_of.setdefault(place, line) != line:
            alike = ", ".join(f"{name} {row[name]!r}" for name in key)
            raise TaskError(path.name, line, f"{alike} stands already in line {line_of[place]}; keep one row")
    return rows


@contextmanager
def opened(path: str | os.PathLike, error: Callable = TaskError, line=lambda: None) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where `DECOMPRESS` knows its suffix, without a byte order mark.

    What cannot be read is an ``error(path, line, problem)``; `line` says which line is read when an archive breaks off.
    """
    place = path_of(path)
    try:
        if not place.is_file():
            raise error(path, None, f"cannot be read: {no_file(place)}")
        with DECOMPRESS.get(place.suffix.lower(), open)(place, "rb") as file:
            start = file.peek(512)
            other = [what for mark, what in _OTHER.items() if start.startswith(mark)]
            if other or start[257:262] == b"ustar":
                raise error(path, None, f"it is {[*other, 'an archive of files (.tar); unpack it'][0]}")
            if start.startswith(codecs.BOM_UTF8):
                file.read(len(codecs.BOM_UTF8))
            yield file
    except (*DAMAGED, OSError) as reason:
        if getattr(reason, "errno", None):
            raise error(path, None, f"cannot be read ({reason.strerror}); see that you may read it") from None
        raise error(path, line(), f"the archive is damaged or cut short ({reason}); fetch it again") from None


def no_file(place: Path) -> str:
    """What stands in the place of a file, and what to do."""
    if place.is_dir():
        return "it is a folder; name a file in it"
    if re.match("https?:/", str(place)):
        return "it is an address; download it, and name the file"
    no_end = "it is a device or a pipe, which may have no end; name a file"
    return no_end if place.exists() else "there is no such file; see that the path, or the link, is right"


def numbered_lines(path: str | os.PathLike, error: Callable = TaskError, encoding="utf-8") -> Iterator[tuple[int, Any]]:
    """Number, from 1, and text of each line without what ends it, or its bytes if there is no `encoding`.

    Errors as of `opened`; one for a line that is not UTF-8 names it.
    """
    number = 0
    with opened(path, error, lambda: number + 1) as file:
        for raw in iter(partial(file.readline, LONGEST_LINE), b""):
            number += 1
            if len(raw) == LONGEST_LINE and raw[-1:] != b"\n":
                raise error(path, number, f"a line of more than {LONGEST_LINE:,} bytes; is it a text?")
            text = raw.rstrip(b"\r\n")
            if number == 1 and b"\r" in text:
                raise error(path, 1, "it ends with a carriage return alone; save the file with line feeds")
            try:
                text = text.decode(encoding) if encoding else text
            except UnicodeDecodeError as reason:
                raise error(path, number, f"not UTF-8 ({reason.reason}); save the file as UTF-8") from None
            yield number, text


def read_lines(path: str | os.PathLike) -> list[str]:
    """The lines of a UTF-8 file; `TaskError` if it cannot be read."""
    return [text for _, text in numbered_lines(path, _named)]


def read_bytes(path: str | os.PathLike) -> bytes:
    """What a file holds, unpacked; `TaskError` if it cannot be read."""
    with opened(path, _named) as file:
        return file.read()


def _named(path: str | os.PathLike, line: int | None, problem: str) -> TaskError:
    """The error of a table, which is known by its name."""
    return TaskError(Path(path).name or path, line, problem)


def _value(path: Path, line: int, column: str, kind: Kind, text: str) -> Any:
    """What a field stands for."""
    if callable(kind):
        try:
            return kind(text)
        except ValueError as needed:
            raise TaskError(path.name, line, f"{column} must be {needed}, found {text!r}") from None
    known = kind if isinstance(kind, Mapping) else {value: value for value in kind}
    if text not in known:
        raise TaskError(path.name, line, f"{column} must be one of {', '.join(known)}, found {text!r}")
    return known[text]
