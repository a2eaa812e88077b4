"""Values on disk: one `.npz` file, no pickle, written whole or not at all, and checked when it is read.

    save(counts, "count.npz")                  # any dataclass of arrays, labels, plain values, and such dataclasses
    counts = load("count.npz", Counts)

`save` puts each array under the path of fields that leads to it (``phrases.subject.ids``): an array as it is, `Labels`
as lines of text, a sparse matrix as ``data``, ``indices`` and ``row_lengths`` (beside its dataclass's other fields if
the field is called ``matrix``). Everything plain, and what type each array has in memory, is one JSON object. `load`
follows the annotations of the dataclass, so a file knows nothing of classes and modules. A class that is no dataclass
is stored as one: as what its method ``state`` is annotated to return, from which ``of_state`` makes it again.

Every file of ours carries three entries beside its arrays: `kind` (what it holds), `version` (of that kind's
format) and `meta` (the JSON object). Strings are stored as UTF-8 bytes, so that nothing has to be unpickled.
"""

import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import IO, Any, Union, get_args, get_origin, get_type_hints
from uuid import uuid4

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.tables import path_of

try:
    import fcntl
except ImportError:  # Windows: nobody waits there
    fcntl = None


class StorageError(ValueError):
    """What cannot be used: which file, if it is in one, what is wrong with it, and what to do about it."""

    def __init__(self, path: str | os.PathLike | None, problem: str, remedy: str):
        self.path, self.problem, self.remedy = path and Path(path), problem, remedy
        super().__init__(f"{path}: {problem}. {remedy}" if path else f"{problem}. {remedy}")


def pack_text(text: str) -> np.ndarray:
    """A string as its UTF-8 bytes (uint8)."""
    return np.frombuffer(text.encode("utf-8"), dtype=np.uint8)


def unpack_text(array: np.ndarray) -> str:
    """The string that `pack_text` packed."""
    return array.tobytes().decode("utf-8")


def pack_labels(labels: Iterable[str]) -> np.ndarray:
    """Labels as UTF-8 bytes, a line feed after each; a label that holds a line feed is a `ValueError`."""
    labels = list(labels)
    broken = next((label for label in labels if "\n" in label), None)
    if broken is not None:
        raise ValueError(f"label {broken!r} holds a line break; labels are stored one a line")
    return pack_text("".join(label + "\n" for label in labels))


def last_written(paths: Iterable[Path]) -> int:
    """When the newest of these files was written, as the system counts; 0 where there are none."""
    return max((path.stat().st_mtime_ns for path in paths), default=0)


def unpack_labels(array: np.ndarray) -> Labels:
    """The labels that `pack_labels` packed; `ValueError` where one stands twice."""
    return Labels(unpack_text(array).split("\n")[:-1])


@contextmanager
def whole_file(path: str | os.PathLike, mode: str = "w") -> Iterator[IO]:
    """A file to write that appears whole or not at all: a temporary one beside it that moves into place at the end.

    Its folder is made if it is not there; text is UTF-8 with line feeds. If anything fails, `path` is as it was before.
    """
    path = path_of(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with _room_at(path), open(temporary, mode.replace("w", "x"), **options) as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _room_at(path: Path) -> Iterator[None]:
    """Where there is no room, the error names the place that was to be written, not a part of it or a source."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "requested and" in str(error):  # NumPy's words
            raise OSError(error.errno or errno.ENOSPC, error.strerror or "no room", os.fspath(path)) from None
        raise


@contextmanager
def alone(place: str | os.PathLike, waiting: str = "") -> Iterator[None]:
    """One process at a time, or one thread; where the system knows no such locks, any number.

    `place` is a folder, or a file that is made: who holds the same place waits, until its holder ends in whatever way.
    `waiting` is said on standard error where another is at work.
    """
    place = Path(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    held = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if fcntl:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting:
                    print(waiting, file=sys.stderr, flush=True)
                fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


@contextmanager
def whole_folder(path: str | os.PathLike) -> Iterator[Path]:
    """A new folder to fill that takes the place of `path` at the end, whole or not at all.

    It is made in a scratch folder beside `path`. What a process that was killed left there is put in order first: what
    it had moved away returns to its place.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.cdsm-making")
    new, old = scratch / "new", scratch / "old"
    with alone(path.parent):
        _put_in_order(scratch, path)
        new.mkdir(parents=True)
        try:
            with _room_at(path):
                yield new
            if path.exists():
                os.replace(path, old)
            os.replace(new, path)
        finally:
            _put_in_order(scratch, path)


def _put_in_order(scratch: Path, path: Path) -> None:
    """Remove a scratch folder; what was moved into it returns to its place if nothing has taken that."""
    if (scratch / "old").exists() and not path.exists():
        os.replace(scratch / "old", path)
    shutil.rmtree(scratch, ignore_errors=True)


def write_npz(
    path: str | os.PathLike,
    kind: str,
    version: int,
    arrays: Mapping[str, np.ndarray],
    meta: Mapping | None = None,
    compress: bool = True,
) -> Path:
    """Write arrays to `path`, whole or not at all; the same arrays give the same bytes."""
    header = {"kind": pack_text(kind), "version": np.array(version, dtype=np.int64)}
    header["meta"] = pack_text(json.dumps(dict(meta or {}), ensure_ascii=False))
    with whole_file(path, "wb") as file:
        (np.savez_compressed if compress else np.savez)(file, allow_pickle=False, **header, **arrays)
    return path_of(path)


def read_npz(
    path: str | os.PathLike,
    kind: str,
    version: int,
    required: Iterable[str],
    error: type[StorageError] = StorageError,
    remedy: str = "Make it again.",
) -> tuple[dict[str, np.ndarray], dict]:
    """Read what `write_npz` wrote: (arrays, meta).

    `FileNotFoundError` if there is no such file. `StorageError`, or the subclass `error`, if it is truncated or
    altered, pickled, of another kind or version, or lacks one of the `required` arrays.
    """
    path = path_of(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file. {remedy}")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
        kind_there, meta = (unpack_text(arrays.pop(name)) for name in ("kind", "meta"))
        version_there, meta = int(arrays.pop("version")), json.loads(meta)
    except Exception as reason:  # NumPy, zipfile and zlib have errors of many kinds
        raise error(path, f"it is truncated or altered, or no .npz file of ours ({reason})", remedy) from reason
    if kind_there != kind:
        raise error(path, f"it holds {kind_there!r}, not {kind!r}", remedy)
    if version_there != version:
        raise error(path, f"its format is version {version_there}; this library reads version {version}", remedy)
    if missing := [name for name in required if name not in arrays]:
        raise error(path, f"it lacks {', '.join(missing)}", remedy)
    return arrays, meta


# --------------------------------------------------------------------------------------------------------- the codec


def save(
    value: Any,
    path: str | os.PathLike,
    *,
    kind: str | None = None,
    version: int = 1,
    small: Mapping[str, type] | None = None,
    compress: bool = True,
) -> Path:
    """Write a value, whole or not at all; the same value gives the same bytes.

    Parameters
    ----------
    value : dataclass, mapping, sequence, array, sparse array, Labels, or a plain JSON value
        And whatever these hold, at any depth; a `TypeError` names the field of something else. Fields that ``__init__``
        does not take are left out.
    kind, version : str, int
        What the file holds, by default the dataclass's name (``training-counts``), and of which format.
    small : dict of str to type, optional
        Fields whose floating-point numbers, at any depth, are rounded: to float16, or to int8, with which each row is
        stored in 127 steps up to its largest absolute value. `load` makes the type they had.
    compress : bool
        Compressed, and whole numbers in the narrowest type that holds them; `load` makes the type they had. Without,
        writing and reading are several times as fast.
    """
    packer = _Packer(small or {}, compress)
    named = is_dataclass(value) or isinstance(value, Mapping)
    plain = packer.pack(value, "" if named else "value")
    meta = plain if named else {"value": plain}
    return write_npz(path, kind or _kind(type(value)), version, packer.arrays, meta, compress)


def load(
    path: str | os.PathLike,
    type_: Any,
    *,
    kind: str | None = None,
    version: int = 1,
    error: type[StorageError] = StorageError,
    remedy: str = "Make it again.",
) -> Any:
    """Read a value that `save` wrote with this `kind` and `version`.

    `type_` is a dataclass, or an annotation such as ``dict[str, np.ndarray]``. Raises as `read_npz`; `error` also if
    the file lacks a part or has one too many, or if its parts do not fit together. `remedy` is what its message says to
    do.
    """
    arrays, meta = read_npz(path, kind or _kind(type_), version, [], error, remedy)
    named = is_dataclass(type_) or get_origin(type_) in (dict, Mapping)
    try:
        plain, place = (meta, "") if named else (meta.get("value", _MISSING), "value")
        value = _Unpacker(arrays).unpack(type_, plain, place)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as reason:
        raise error(path, getattr(reason, "problem", str(reason)), remedy) from reason
    if arrays:
        raise error(path, f"it also holds {', '.join(arrays)}, for which there is no place", remedy)
    return value


_MISSING = object()
_MATRIX = ("data", "indices", "row_lengths")


def _kind(type_: type) -> str:
    """TrainingCounts as ``training-counts``."""
    return re.sub("(?<!^)(?=[A-Z])", "-", type_.__name__).lower()


class _Packer:
    """Takes a value apart: its arrays go into `arrays`, what is plain is returned."""

    def __init__(self, small: Mapping[str, type], narrow: bool):
        self.small, self.narrow = small, narrow
        self.arrays: dict[str, np.ndarray] = {}
        self.places: dict[Labels | int, str] = {}  # where labels, and an array by its id, stand already

    def pack(self, value: Any, path: str) -> Any:
        """What of a value is plain; where an array was, its type, or the place where the same one stands."""
        if isinstance(value, Labels | np.ndarray):
            key = value if isinstance(value, Labels) else id(value)
            if key in self.places:
                return {"as": self.places[key]}
            self.places[key] = path
            self.array(pack_labels(value) if isinstance(value, Labels) else value, path)
            return "labels" if isinstance(value, Labels) else str(value.dtype)
        if sparse.issparse(value):
            matrix = sparse.csr_array(value)
            parts = (matrix.data, matrix.indices, np.diff(matrix.indptr))
            for name, part in zip(_MATRIX, parts, strict=True):
                self.array(part, _beside(path, name))
            return {"shape": list(matrix.shape), "type": str(matrix.dtype)}
        if hasattr(value, "of_state"):
            value = value.state()
        if is_dataclass(value):
            value = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        if isinstance(value, Mapping):
            return {str(name): self.pack(part, _below(path, name)) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.pack(part, _below(path, place)) for place, part in enumerate(value)]
        if isinstance(value, np.generic):
            return value.item()
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise TypeError(f"{path} is a {type(value).__name__}, which cannot be stored")

    def array(self, array: np.ndarray, path: str) -> None:
        """Store an array in a type that takes less space, if so asked."""
        small = next((self.small[name] for name in path.split(".") if name in self.small), None)
        if small and array.dtype.kind == "f":
            if small is np.int8:
                step = np.abs(array).max(axis=1, keepdims=True, initial=0).astype(np.float32) / 127
                step[step == 0] = 1
                self.arrays[_below(path, "step")], array = step, np.rint(array / step)
            array = array.astype(small)
        elif self.narrow and array.dtype.kind in "iu" and array.min(initial=0) >= 0:
            array = array.astype(np.min_scalar_type(int(array.max(initial=0))), copy=False)
        self.arrays[path] = array


class _Unpacker:
    """Puts values together again, by the annotations of their types; the arrays that it takes leave `arrays`."""

    def __init__(self, arrays: dict[str, np.ndarray]):
        self.arrays = arrays
        self.values: dict[str, Labels | np.ndarray] = {}  # by place, for those that stand elsewhere too

    def unpack(self, type_: Any, plain: Any, path: str) -> Any:
        """A value of this type from what `_Packer.pack` gave for it."""
        origin, parts = get_origin(type_), get_args(type_)
        if origin in (Union, UnionType):
            return None if plain is None else self.unpack(_member(parts, plain), plain, path)
        if type_ in (Labels, np.ndarray):
            return self.array(type_, plain, path)
        if type_ is sparse.csr_array:
            return self.matrix(plain, path)
        if hasattr(type_, "of_state"):
            return type_.of_state(self.unpack(get_type_hints(type_.state)["return"], plain, path))
        if is_dataclass(type_):
            types, plain = get_type_hints(type_), {} if plain is _MISSING else plain
            parts = {field.name: plain.get(field.name, _MISSING) for field in fields(type_) if field.init}
            if parts.get("meta") is _MISSING:  # of an older file: all that has no other place
                parts["meta"] = {name: part for name, part in plain.items() if name not in parts}
            return type_(**{name: self.unpack(types[name], parts[name], _below(path, name)) for name in parts})
        if plain is _MISSING:
            raise ValueError(f"it lacks {path}")
        if origin in (dict, Mapping):
            name_type, part_type = parts
            return {name_type(name): self.unpack(part_type, part, _below(path, name)) for name, part in plain.items()}
        if origin in (list, tuple, Sequence):
            types = parts[:1] * len(plain) if origin is not tuple or parts[-1] is ... else parts
            both = enumerate(zip(types, plain, strict=True))
            values = [self.unpack(part_type, part, _below(path, place)) for place, (part_type, part) in both]
            return values if origin is list else tuple(values)
        if type_ in (bool, int, float, str) and not isinstance(plain, type_):
            raise TypeError(f"{path} is {plain!r}, not of type {type_.__name__}")
        return plain

    def take(self, path: str) -> np.ndarray:
        """An array of the file."""
        if path not in self.arrays:
            raise ValueError(f"it lacks {path}")
        return self.arrays.pop(path)

    def array(self, type_: type, plain: Any, path: str) -> Labels | np.ndarray:
        """Labels, or an array in the type that it had."""
        if isinstance(plain, dict):
            return self.values[plain["as"]]
        value = self.take(path)
        if type_ is Labels:
            value = unpack_labels(value)
        else:
            step = self.arrays.pop(_below(path, "step"), None)
            value = value if step is None else value.astype(step.dtype) * step
            if plain is _MISSING:  # of an older file, which does not name types
                plain = np.float32 if value.dtype == np.float16 else value.dtype
            value = value.astype(plain, copy=False)
        self.values[path] = value
        return value

    def matrix(self, plain: Any, path: str) -> sparse.csr_array:
        """A sparse matrix."""
        data, indices, lengths = (self.take(_beside(path, name)) for name in _MATRIX)
        places = np.int32 if max(len(data), *plain["shape"]) <= np.iinfo(np.int32).max else np.int64
        indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(places)
        data = data.astype(plain["type"], copy=False)
        matrix = sparse.csr_array((data, indices.astype(places), indptr), shape=tuple(plain["shape"]))
        matrix.check_format(full_check=True)
        return matrix


def _member(parts: Sequence[Any], plain: Any) -> Any:
    """Which of several types a value has."""
    types = [part for part in parts if part is not NoneType]
    if isinstance(plain, dict) and "as" not in plain:
        return next(part for part in types if part is not np.ndarray)
    return Any if set(types) <= {bool, int, float, str} and len(types) > 1 else types[0]


def _below(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _beside(path: str, name: str) -> str:
    """Where a part of a sparse matrix is: beside the other fields, if the matrix is the field ``matrix``."""
    above, _, last = path.rpartition(".")
    return _below(above if last == "matrix" else path, name)
