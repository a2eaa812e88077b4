"""Values on disk: one `.npz` file, no pickle, written whole or not at all, and checked when it is read.

    save(counts, "count.npz")                  # any dataclass of arrays, labels, plain values, and such dataclasses
    counts = load("count.npz", Counts)

`save` puts each array under the path of fields that leads to it (``phrases.subject.ids``): an array as it is, `Labels`
as lines of text, a sparse matrix as ``data``, ``indices`` and ``row_lengths`` (beside its dataclass's other fields if
the field is called ``matrix``). Everything plain, and what type each array has in memory, is one JSON object. `load`
follows the annotations of the dataclass, so a file knows nothing of classes and modules.

Every file of ours carries three entries beside its arrays: `kind` (what it holds), `version` (of that kind's
format) and `meta` (the JSON object). Strings are stored as UTF-8 bytes, so that nothing has to be unpickled.
"""

import json
import os
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels


class StorageError(ValueError):
    """A file that cannot be used: which one, what is wrong with it, and what to do about it."""

    def __init__(self, path: str | os.PathLike, problem: str, remedy: str):
        self.path, self.problem, self.remedy = Path(path), problem, remedy
        super().__init__(f"{path}: {problem}. {remedy}")


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


def unpack_labels(array: np.ndarray) -> Labels:
    """The labels that `pack_labels` packed; `ValueError` where one stands twice."""
    return Labels(unpack_text(array).split("\n")[:-1])


def write_npz(
    path: str | os.PathLike,
    kind: str,
    version: int,
    arrays: Mapping[str, np.ndarray],
    meta: Mapping | None = None,
    compress: bool = True,
) -> Path:
    """Write arrays to `path`, atomically: a temporary file beside it, moved into place when it is complete.

    The same arrays give the same bytes. If anything fails, `path` is as it was before.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = {
        "kind": pack_text(kind),
        "version": np.array(version, dtype=np.int64),
        "meta": pack_text(json.dumps(dict(meta or {}), ensure_ascii=False)),
        **arrays,
    }
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            (np.savez_compressed if compress else np.savez)(file, allow_pickle=False, **entries)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def read_npz(
    path: str | os.PathLike,
    kind: str,
    version: int,
    required: Iterable[str],
    error: type[StorageError] = StorageError,
    remedy: str = "Make it again.",
) -> tuple[dict[str, np.ndarray], dict]:
    """Read what `write_npz` wrote: (arrays, meta).

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StorageError
        (or the given subclass) If the file is truncated or altered, pickled, of another kind or version, or lacks
        one of the `required` arrays.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. {remedy}")
    with open(path, "rb") as file:
        start = file.read(2)
    if start[:1] == b"\x80":
        raise error(path, "it is a pickle, which is never loaded", remedy)
    if start != b"PK":
        raise error(path, "it is not an .npz file", remedy)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, KeyError, NotImplementedError) as reason:
        raise error(path, f"it is truncated or altered ({reason})", remedy) from reason
    except ValueError as reason:
        if "Object arrays" in str(reason):
            raise error(path, "it holds pickled objects, which are never loaded", remedy) from reason
        raise error(path, f"it is truncated or altered ({reason})", remedy) from reason
    missing = [name for name in ("kind", "version", "meta") if name not in arrays]
    if missing:
        raise error(path, f"it is not a file of ours: no entry {', '.join(missing)}", remedy)
    try:
        found_kind, found_version = unpack_text(arrays.pop("kind")), int(arrays.pop("version"))
        meta = json.loads(unpack_text(arrays.pop("meta")))
    except (TypeError, ValueError) as reason:
        raise error(path, f"its header cannot be read ({reason})", remedy) from reason
    if found_kind != kind:
        raise error(path, f"it holds {found_kind!r}, not {kind!r}", remedy)
    if found_version != version:
        raise error(path, f"its format is version {found_version}; this library reads version {version}", remedy)
    missing = [name for name in required if name not in arrays]
    if missing:
        raise error(path, f"it lacks {', '.join(missing)}", remedy)
    return arrays, meta


# --------------------------------------------------------------------------------------------------------- the codec


def save(
    value: Any,
    path: str | os.PathLike,
    *,
    kind: str | None = None,
    version: int = 1,
    half: bool = False,
    compress: bool = True,
) -> Path:
    """Write a value, atomically; the same value gives the same bytes.

    Parameters
    ----------
    value : dataclass, mapping, sequence, array, sparse array, Labels, or a plain JSON value
        And whatever these hold, at any depth. Fields that ``__init__`` does not take are left out.
    path : path
    kind : str, optional
        What the file holds; the dataclass's name by default (``training-counts``).
    version : int
        Of the kind's format.
    half : bool
        Floating-point numbers as float16, from which `load` makes the type they had.
    compress : bool
        Compressed, and whole numbers in the narrowest type that holds them; `load` makes the type they had. Without,
        writing and reading are several times as fast.

    Raises
    ------
    TypeError
        Naming the field, if something in it is of another type.
    """
    arrays: dict[str, np.ndarray] = {}
    named = is_dataclass(value) or isinstance(value, Mapping)
    plain = _pack(value, "" if named else "value", arrays, half, compress)
    return write_npz(path, kind or _kind(type(value)), version, arrays, plain if named else {"value": plain}, compress)


def load(
    path: str | os.PathLike,
    type_: Any,
    *,
    kind: str | None = None,
    version: int = 1,
    error: type[StorageError] = StorageError,
    remedy: str = "Make it again.",
) -> Any:
    """Read a value that `save` wrote.

    Parameters
    ----------
    path : path
    type_ : type
        What it is: a dataclass, or an annotation such as ``dict[str, np.ndarray]``.
    kind, version
        As they were saved.
    error, remedy
        What to raise, and what the message says is to be done.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StorageError
        (or the given subclass) If the file is truncated, altered, pickled, of another kind or version, lacks a part or
        has one too many, or if its parts do not fit together.
    """
    arrays, meta = read_npz(path, kind or _kind(type_), version, [], error, remedy)
    named = is_dataclass(type_) or get_origin(type_) in (dict, Mapping)
    try:
        value = _unpack(type_, meta if named else meta.get("value", _MISSING), "" if named else "value", arrays)
    except _Lacking as name:
        raise error(path, f"it lacks {name}", remedy) from None
    except (TypeError, ValueError, IndexError) as reason:
        raise error(path, str(reason), remedy) from reason
    if arrays:
        raise error(path, f"it also holds {', '.join(arrays)}, for which there is no place", remedy)
    return value


class _Lacking(ValueError):
    """A part of a value that its file does not have."""


_MISSING = object()
_MATRIX = ("data", "indices", "row_lengths")


def _kind(type_: type) -> str:
    """TrainingCounts as ``training-counts``."""
    return re.sub("(?<!^)(?=[A-Z])", "-", type_.__name__).lower()


def _pack(value: Any, path: str, arrays: dict[str, np.ndarray], half: bool, narrow: bool) -> Any:
    """What of a value is plain, with the type of an array in its place; the arrays go into `arrays`."""
    if isinstance(value, Labels):
        arrays[path] = pack_labels(value)
        return "labels"
    if isinstance(value, np.ndarray):
        arrays[path] = _smaller(value, half, narrow)
        return str(value.dtype)
    if sparse.issparse(value):
        matrix = sparse.csr_array(value)
        parts = (matrix.data, matrix.indices, np.diff(matrix.indptr))
        for name, part in zip(_MATRIX, parts, strict=True):
            arrays[_beside(path, name)] = _smaller(part, half, narrow)
        return {"shape": list(matrix.shape), "type": str(matrix.dtype)}
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
    if isinstance(value, Mapping):
        return {str(name): _pack(part, _below(path, name), arrays, half, narrow) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_pack(part, _below(path, place), arrays, half, narrow) for place, part in enumerate(value)]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{path} is a {type(value).__name__}, which cannot be stored")


def _unpack(type_: Any, plain: Any, path: str, arrays: dict[str, np.ndarray]) -> Any:
    """The value of an annotated type from what `_pack` made of it; the arrays that it takes leave `arrays`."""
    origin, parts = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        if plain is None and NoneType in parts:
            return None
        return _unpack(_member(parts, path, arrays), plain, path, arrays)
    if type_ is Labels:
        return unpack_labels(_take(arrays, path))
    if type_ is np.ndarray:
        array = _take(arrays, path)
        return array if plain is _MISSING else array.astype(plain, copy=False)
    if type_ is sparse.csr_array:
        return _matrix(plain, path, arrays)
    if is_dataclass(type_):
        types, plain = get_type_hints(type_), {} if plain is _MISSING else plain
        names = [field.name for field in fields(type_) if field.init]
        return type_(
            **{name: _unpack(types[name], plain.get(name, _MISSING), _below(path, name), arrays) for name in names}
        )
    if plain is _MISSING:
        raise _Lacking(path)
    if origin in (dict, Mapping):
        name_type, part_type = parts
        return {name_type(name): _unpack(part_type, part, _below(path, name), arrays) for name, part in plain.items()}
    if origin in (list, tuple, Sequence):
        every = parts[:1] * len(plain) if origin is not tuple or parts[-1] is ... else parts
        values = [
            _unpack(part_type, part, _below(path, place), arrays)
            for place, (part_type, part) in enumerate(zip(every, plain, strict=True))
        ]
        return values if origin is list else tuple(values)
    if type_ in (bool, int, float, str) and not isinstance(plain, type_):
        raise TypeError(f"{path} is {plain!r}, not of type {type_.__name__}")
    return plain


def _member(parts: Sequence[Any], path: str, arrays: Mapping[str, np.ndarray]) -> Any:
    """Which of several types a value has, by the arrays that are there."""
    parts = [part for part in parts if part is not NoneType]
    whole = [part for part in parts if part in (np.ndarray, Labels)]
    spread = [part for part in parts if part is sparse.csr_array or is_dataclass(part) or get_origin(part)]
    if path in arrays:
        return (whole or parts)[0]
    if any(name.startswith(f"{path}.") for name in arrays):
        return (spread or parts)[0]
    plain = [part for part in parts if part not in (np.ndarray, Labels, sparse.csr_array)]
    return plain[0] if len(plain) == 1 else Any if plain else parts[0]


def _matrix(plain: Any, path: str, arrays: dict[str, np.ndarray]) -> sparse.csr_array:
    """A sparse matrix; in the files that know no shape it has as many columns as there are labels of columns."""
    if plain is _MISSING:
        lines = arrays.get(_beside(path, "columns"), np.empty(0, dtype=np.uint8))
        plain = {"shape": [len(arrays.get(_beside(path, "row_lengths"), ())), int((lines == ord("\n")).sum())]}
    data, indices, lengths = (_take(arrays, _beside(path, name)) for name in _MATRIX)
    places = np.int32 if max(len(data), *plain["shape"]) <= np.iinfo(np.int32).max else np.int64
    indptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(places)
    data = data.astype(plain.get("type", data.dtype), copy=False)
    matrix = sparse.csr_array((data, indices.astype(places), indptr), shape=tuple(plain["shape"]))
    matrix.check_format(full_check=True)
    return matrix


def _take(arrays: dict[str, np.ndarray], path: str) -> np.ndarray:
    try:
        return arrays.pop(path)
    except KeyError:
        raise _Lacking(path) from None


def _below(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _beside(path: str, name: str) -> str:
    """Where a part of a sparse matrix is: beside the other fields, if the matrix is the field ``matrix``."""
    above, _, last = path.rpartition(".")
    return _below(above if last == "matrix" else path, name)


def _smaller(array: np.ndarray, half: bool, narrow: bool) -> np.ndarray:
    """Numbers in a type that takes less space."""
    if half and array.dtype.kind == "f":
        return array.astype(np.float16)
    if narrow and array.dtype.kind in "iu" and array.min(initial=0) >= 0:
        return array.astype(np.min_scalar_type(int(array.max(initial=0))), copy=False)
    return array


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
