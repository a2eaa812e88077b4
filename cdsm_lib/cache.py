"""One cache: what takes long is made once, and made again when its source or its arguments change.

    def gather(corpus: Corpus, needed: Sequence[str], settings: Mapping) -> TrainingCounts: ...

    counts = cached(gather, corpus, needed, settings, name="relpron/training-counts")

calls ``gather(corpus, needed, settings)`` the first time, and reads the value from
``<cache>/relpron/training-counts-<code>-<arguments>.npz`` from then on.

- *code* is a hash of source files: that of the function's module, and those of `ROOMS` that it imports, however deep
  (`code_of`). Any change of them counts, a docstring's too. What fetches, keeps, evaluates and draws does not count,
  nor does a version of Python or of a package: empty the cache to train with another one.
- *arguments* is a hash of settings, labels, arrays, dataclasses of them (`key_of`). A corpus counts with its
  fingerprint, a path with what its file holds. Where they hold more than the value depends on, such as a whole profile,
  say what it depends on by ``depends=[...]``, and that takes the place of the arguments.

Processes that want the same wait for the one that came first; a file that cannot be read is made again.
"""

import ast
import functools
import hashlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.labels import Labels

ROOMS = tuple(f"cdsm_lib.{room}." for room in ("text", "vectors", "composition", "tasks", "construction", "chapters"))
"""The packages of the library whose source counts, where it is imported."""


class Timed(NamedTuple):
    """A value, and the seconds that it took to make it."""

    value: Any
    seconds: float


def cached(make: Callable, *arguments, name: str, depends: Any = None, **options) -> Any:
    """What ``make(*arguments, **options)`` gives, from the cache if it was made before.

    Parameters
    ----------
    make : function
        A function of a module, annotated with the type that it returns (`cdsm_lib.storage.save` keeps it). It may
        depend on nothing but its arguments, its code, and data that are named in `depends`.
    *arguments, **options
        For `make`.
    name : str
        Of the files, possibly below a folder: ``relpron/training-counts``.
    depends : anything that has a hash, optional
        What the value depends on, in the place of all arguments; a `TypeError` if something has none, see `key_of`.
    """
    return timed(make, *arguments, name=name, depends=depends, **options).value


def timed(make: Callable, *arguments, name: str, depends: Any = None, **options) -> Timed:
    """As `cached`, with the seconds that the value took."""
    type_ = get_type_hints(make)["return"]
    key = key_of([arguments, options] if depends is None else depends)[:16]
    path = datasets.cache_folder() / f"{name}-{code_of(make.__module__)}-{key}.npz"
    with suppress(FileNotFoundError):
        return _read(path, type_)
    with storage.alone(path.with_name(f".{path.stem}.lock")):
        with suppress(FileNotFoundError):  # another process has made it while this one waited
            return _read(path, type_)
        start = time.monotonic()
        value = make(*arguments, **options)
        result = Timed(value, time.monotonic() - start)
        storage.save(result, path, kind="cached", compress=False)
        if _made_anew is not None:
            _made_anew.add(path)
        return result


_made_anew: set[Path] | None = None  # within `anew`


@contextmanager
def anew() -> Iterator[None]:
    """Within it, what was made before is made again, once."""
    global _made_anew
    _made_anew = set()
    try:
        yield
    finally:
        _made_anew = None


def _read(path: Path, type_: Any) -> Timed:
    """What was kept; `FileNotFoundError` if nothing was, nothing that can be read, or nothing within `anew`."""
    if _made_anew is not None and path not in _made_anew:
        raise FileNotFoundError(path)
    try:
        return Timed(*storage.load(path, tuple[type_, float], kind="cached"))
    except storage.StorageError as error:
        if path.is_dir():
            raise
        warnings.warn(f"{error} It is made again now.", stacklevel=4)
        raise FileNotFoundError(path) from error


@functools.cache
def code_of(module: str) -> str:
    """A hash of the source of a module and of the modules of `ROOMS` that it imports, however deep: 8 digits."""
    sources, pending = {}, {module: Path(find_spec(module).origin)}
    while pending:
        name, path = pending.popitem()
        sources[name] = path.read_bytes()
        for inner in _imported(sources[name]):
            path = Path(__file__).parents[1] / f"{inner.replace('.', '/')}.py"
            if inner.startswith(ROOMS) and inner not in sources and path.is_file():
                pending[inner] = path
    return hashlib.sha256(b"".join(sources[name] for name in sorted(sources))).hexdigest()[:8]


def _imported(source: bytes) -> Iterator[str]:
    """The modules that a source file imports, inside functions too, and what may be one: ``package.name``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{part.name}" for part in node.names))
        elif isinstance(node, ast.Import):
            yield from (part.name for part in node.names)


def key_of(value: Any) -> str:
    """A hash that two values share if they are the same, in whatever process; a `TypeError` if a value has none.

    Tuples and lists count alike, and so do mappings in another order.
    """
    digest = hashlib.sha256()
    for part in _parts(value):
        part = part if isinstance(part, bytes) else part.encode()
        digest.update(f"{len(part)}:".encode() + part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[str | bytes]:
    """What a value's hash is made of."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, type(None) | bool | int | float | str):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, np.ndarray) and value.dtype.kind != "O":
        yield from ("array", str(value.dtype), str(value.shape), np.ascontiguousarray(value).tobytes())
    elif sparse.issparse(value):
        matrix = sparse.csr_array(value)
        yield from ("sparse", str(matrix.shape), *map(key_of, (matrix.data, matrix.indices, matrix.indptr)))
    elif isinstance(value, Labels):
        yield from ("labels", "\n".join(value))
    elif isinstance(value, Path):
        yield from ("file", datasets.checked_hash(value))
    elif isinstance(getattr(value, "fingerprint", None), str):
        yield from ("fingerprint", value.fingerprint)
    elif is_dataclass(value):
        yield type(value).__qualname__
        yield from (f"{field.name} {key_of(getattr(value, field.name))}" for field in fields(value))
    elif isinstance(value, Mapping):
        yield from ("mapping", *sorted(key_of(name) + key_of(part) for name, part in value.items()))
    elif isinstance(value, Set):
        yield from ("set", *sorted(map(key_of, value)))
    elif isinstance(value, list | tuple):
        yield from ("sequence", *map(key_of, value))
    else:
        raise TypeError(f"a {type(value).__name__} has no hash; say by depends= what the value depends on")
