"""Arrays on disk: one `.npz` file, no pickle, written whole or not at all, and checked when it is read.

Every file of ours carries three entries beside its arrays: `kind` (what it holds), `version` (of that kind's
format) and `meta` (a JSON object). Strings are stored as UTF-8 bytes, so that nothing has to be unpickled.
"""

import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

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
        "meta": pack_text(json.dumps(dict(meta or {}), sort_keys=True, ensure_ascii=False)),
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
