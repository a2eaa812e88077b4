"""One cache: what takes long is made once, and made again when anything changes that has a part in it.

    def gather(corpus: Corpus, needed: Sequence[str], settings: Mapping) -> TrainingCounts: ...

    counts = cached(gather, corpus, needed, settings, name="relpron/training-counts")

calls ``gather(corpus, needed, settings)`` the first time, and reads the value from
``<cache>/relpron/training-counts-<key>.npz`` from then on. The key is a hash of

- the *code* of `gather` and of every function, class and constant below it, however deep: see `code_of`. A comment, a
  docstring or a line break makes no difference;
- the *arguments*: settings, labels, arrays, dataclasses of them. A corpus counts with its fingerprint and the code
  that compiled it, a path with what its file holds. Where they hold more than the value depends on, such as a whole
  profile, say what it depends on by ``depends=[...]``, and that takes the place of the arguments;
- the *versions* of Python and of the packages that the code uses.

The value's type is what `gather` is annotated to return. It is stored by `cdsm_lib.storage.save`, or by the type's own
``save`` and ``load`` if it has them, whole or not at all. Processes that want the same wait for the one that came
first; what an interruption left goes with the next run; a file that cannot be read is made again, with a warning.

`timed` gives the value and the seconds that it took when it was made. `folder` puts the files elsewhere.

Beside each file stands a record of where it comes from (`Origin`). By it a file that came from a deposit
(`cdsm_lib.deposit`) is found on another version of Python or of a package, as long as the source is the same.
"""

import ast
import dis
import hashlib
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from importlib import import_module, metadata
from inspect import getsource, getsourcefile
from pathlib import Path
from textwrap import dedent
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from scipy import sparse

from cdsm_lib import datasets, storage
from cdsm_lib.labels import Labels

PASSED_OVER = ("cdsm_lib.cache", "cdsm_lib.datasets", "cdsm_lib.settings")
"""Modules whose code does not count: they fetch, check and keep, and the hashes of the data count."""


class Timed(NamedTuple):
    """A value, and the seconds that it took to make it."""

    value: Any
    seconds: float


class Origin(NamedTuple):
    """Where a value comes from, as every version of Python has it.

    Attributes
    ----------
    make : str
        The function that made it, as ``module:name``.
    source : str
        A hash of its source and of all of this project's below it (`source_of`).
    alike : str
        A hash that two values share if also the arguments are the same, or what stands in their place.
    """

    make: str
    source: str
    alike: str


def cached(make: Callable, *arguments, name: str, depends: Any = None, folder: Path | None = None, **options) -> Any:
    """What ``make(*arguments, **options)`` gives, from the cache if it was made before.

    Parameters
    ----------
    make : function
        A function of a module, annotated with the type that it returns. It may depend on nothing but its arguments,
        its code, and data that are named in `depends`.
    *arguments, **options
        For `make`.
    name : str
        Of the files, possibly below a folder: ``relpron/training-counts``.
    depends : anything that has a hash, optional
        What the value depends on, in the place of all arguments; see `key_of`.
    folder : path, optional
        Where the files are; `datasets.cache_folder` by default.

    Raises
    ------
    TypeError
        If `make` is a lambda or a function inside another, which may hide what it depends on; if it is not annotated;
        if something in the arguments has no hash.
    DataError
        If the folder cannot be written to.
    """
    return timed(make, *arguments, name=name, depends=depends, folder=folder, **options).value


def timed(make: Callable, *arguments, name: str, depends: Any = None, folder: Path | None = None, **options) -> Timed:
    """As `cached`, with the seconds that the value took."""
    type_ = get_type_hints(make).get("return")
    if type_ is None or "<" in make.__qualname__:
        raise TypeError(f"{make.__qualname__}: a function of a module is needed, with the type that it returns")
    asked = [arguments, options] if depends is None else depends
    key = hashlib.sha256()
    for part in (code_of(make), asked):
        key.update(key_of(part).encode())
    path = (folder or datasets.cache_folder()) / f"{name}-{key.hexdigest()[:16]}.npz"
    if path.is_dir():
        raise datasets.DataError(f"{path} is a folder, where a file of the cache belongs. Move it away")
    with suppress(FileNotFoundError):
        return _told(path, _read(path, type_), make, asked)
    with datasets.workshop(path.parent, path.stem) as scratch:
        with suppress(FileNotFoundError):  # another process has made it while this one waited
            return _read(path, type_)
        origin = origin_of(make, asked)
        with suppress(FileNotFoundError):
            return _read(_of_deposit(path, name, origin), type_)
        start = time.monotonic()
        value = make(*arguments, **options)
        result = Timed(value, time.monotonic() - start)
        _write(result, scratch, path, type_, origin)
        return result


def _own(type_: Any) -> bool:
    """Whether values of a type save themselves."""
    return isinstance(type_, type) and not is_dataclass(type_) and hasattr(type_, "save") and hasattr(type_, "load")


def _read(path: Path, type_: Any) -> Timed:
    """What was kept; `FileNotFoundError` if nothing was, or nothing that can be read."""
    try:
        value = type_.load(path) if _own(type_) else storage.load(path, type_, kind="cached")
        return Timed(value, record_of(path)["seconds"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        warnings.warn(f"{error} It is made again now.", stacklevel=4)
        raise FileNotFoundError(path) from error


def record_of(path: Path) -> dict:
    """What stands beside a file of the cache: ``seconds``, and since there are deposits the fields of `Origin`."""
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def origin_of(make: Callable, asked: Any) -> Origin:
    """The origin of what a function makes of its arguments, or of what stands in their place."""
    classes, name = _Kinds(), f"{make.__module__}:{make.__qualname__}"
    arguments, source = _key(asked, classes), _own_source(make)
    alike = " ".join((name, source, arguments, _own_source(*classes)))
    return Origin(name, source, hashlib.sha256(alike.encode()).hexdigest())


def source_of_today(make: str) -> str | None:
    """What `Origin.source` of a function of this library, ``module:name``, would be now; None if there is no such."""
    module, _, name = make.partition(":")
    with suppress(ImportError, AttributeError):
        return _own_source(getattr(import_module(module), name)) if module.startswith("cdsm_lib.") else None


def _own_source(*roots: Callable | type) -> str:
    """`source_of` with all modules of the library that count."""
    ours = {module for module in sys.modules if module.partition(".")[0] == "cdsm_lib"}
    return source_of(*roots, among=ours.difference(PASSED_OVER))


def _told(path: Path, found: Timed, make: Callable, asked: Any) -> Timed:
    """What was found; its record, if it is older than deposits are, gets its origin."""
    record = record_of(path)
    if "alike" not in record:
        with suppress(OSError), storage.whole_file(path.with_suffix(".json")) as file:
            json.dump(record | origin_of(make, asked)._asdict(), file)
    return found


def _of_deposit(path: Path, name: str, origin: Origin) -> Path:
    """A file of a deposit that has this origin; `FileNotFoundError` if there is none."""
    for other in sorted(path.parent.glob(f"{Path(name).name}-*.npz")):
        with suppress(OSError, ValueError):
            record = record_of(other)
            if record.get("deposit") and record.get("alike") == origin.alike:
                return other
    raise FileNotFoundError(path)


def _write(result: Timed, scratch: Path, path: Path, type_: Any, origin: Origin) -> None:
    """Keep a value: its record first, so that whoever finds the value finds it too."""
    record, file = scratch / "record.json", scratch / path.name
    record.write_text(json.dumps({"seconds": result.seconds, **origin._asdict()}), encoding="utf-8")
    if _own(type_):
        result.value.save(file)
    else:
        storage.save(result.value, file, kind="cached", compress=False)
    os.replace(record, path.with_suffix(".json"))
    os.replace(file, path)


# ------------------------------------------------------------------------------------------------------------ hashes


def key_of(value: Any) -> str:
    """A hash that two values share if they are the same; it does not change from one process to the next.

    Tuples and lists count alike, and so do mappings in another order. With an object counts the code of its class.

    Raises
    ------
    TypeError
        For a value of a kind that has none, such as an open file.
    """
    classes: set[type] = set()
    return _key(value, classes) + (code_of(*classes) if classes else "")


class _Kinds(set):
    """Classes of which the versions do not count."""


def _key(value: Any, classes: set[type]) -> str:
    digest = hashlib.sha256()
    for part in _parts(value, classes):
        digest.update(part if isinstance(part, bytes) else f"{len(part)}:{part}".encode())
    return digest.hexdigest()


_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range, np.dtype, re.Pattern)


def _parts(value: Any, classes: set[type]) -> Iterator[str | bytes]:
    """What a value's hash is made of; the classes of its objects go into `classes`."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, np.ndarray) and value.dtype.kind != "O":
        yield from ("array", str(value.dtype), str(value.shape), np.ascontiguousarray(value).tobytes())
    elif sparse.issparse(value):
        matrix = sparse.csr_array(value)
        yield from ("sparse", str(matrix.shape))
        yield from (_key(part, classes) for part in (matrix.data, matrix.indices, matrix.indptr))
    elif isinstance(value, Labels):
        yield from ("labels", "\n".join(value))
    elif isinstance(value, Path):
        yield from ("file", datasets.checked_hash(value))
    elif isinstance(value, type | FunctionType | MethodType | partial):
        yield from ("code", code_of(value))
    elif isinstance(getattr(value, "fingerprint", None), str):
        classes.add(type(value))
        made_by = "" if isinstance(classes, _Kinds) else getattr(value, "made_by", "")
        yield from ("fingerprint", value.fingerprint, made_by)
    elif is_dataclass(value):
        classes.add(type(value))
        yield type(value).__qualname__
        yield from (f"{field.name} {_key(getattr(value, field.name), classes)}" for field in fields(value))
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}"
        yield from sorted(_key(name, classes) + _key(part, classes) for name, part in value.items())
    elif isinstance(value, Set):
        yield f"set {len(value)}"
        yield from sorted(_key(part, classes) for part in value)
    elif isinstance(value, Sequence):
        yield f"sequence {len(value)}"
        yield from (_key(part, classes) for part in value)
    else:
        raise TypeError(f"a {type(value).__name__} has no hash; say by depends= what the value depends on")


# -------------------------------------------------------------------------------------------------------------- code


def code_of(*roots: Callable | type) -> str:
    """A hash of the code of functions and classes, and of everything of this project that they use.

    From a function the walk goes to the functions, classes and constants that it names, in its own module and in
    others, to its default values and to what it imports, and so on. A class counts with its methods and its bases, a
    package outside the project with its version. What a function only gets as an argument is not followed (see
    `key_of`), nor are lists and mappings whose names are in small letters: they hold what was computed.

    What counts is what Python compiles, not the text: comments, docstrings and layout do not.
    """
    walk = _Walk(roots)
    return _key([sorted(walk.lines), walk.versions], set())


def source_of(*roots: Callable | type, among: Collection[str]) -> str:
    """A hash of the source of functions, and of the functions and constants below them, in these modules.

    For values that are committed: every version of Python gives the same, and versions do not count. As in `code_of`
    comments, docstrings and layout do not either.
    """
    walk = _Walk(roots)
    sources = [_tree(value) for value in walk.visited.values() if getattr(value, "__module__", None) in among]
    named = _constants(among)
    constants = [line for line in walk.lines if line.partition(" ")[0].rpartition(".")[::2] in named]
    return _key([sorted(sources), sorted(constants)], set())


def _constants(modules: Collection[str]) -> set[tuple[str, str]]:
    """The constants of modules, as module and name."""
    return {(module, name) for module in modules for name in vars(sys.modules[module]) if name.isupper()}


def _tree(value: Any) -> str:
    """The syntax tree of a function without docstrings and what is empty; methods of a class count by themselves."""
    file = getsourcefile(sys.modules[value.__module__])
    if not isinstance(value, FunctionType) or value.__code__.co_filename != file:
        return ""  # a method that Python makes of a class's fields
    return _tree_at(file, value.__code__.co_firstlineno) or repr(_plain(ast.parse(dedent(getsource(value)))))


@cache
def _tree_at(file: str, line: int) -> str | None:
    known = _definitions(file).get(line)
    return known and repr(_plain(ast.Module([known], [])))


def _plain(node: Any) -> Any:
    if not isinstance(node, ast.AST):
        return [_plain(part) for part in node] if isinstance(node, list) else node
    documented = isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
    parts = ((name, part[1:] if documented and name == "body" else part) for name, part in ast.iter_fields(node))
    return [type(node).__name__, *(f"{name} {_plain(part)!r}" for name, part in parts if part not in (None, []))]


@cache
def _definitions(file: str) -> dict[int, ast.FunctionDef]:
    """The functions of a file by the line on which they, or their decorators, begin."""
    nodes = [node for node in ast.walk(ast.parse(Path(file).read_bytes())) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(of.lineno for of in node.decorator_list)]): node for node in nodes}


class _Walk:
    """The walk of `code_of`.

    Attributes
    ----------
    lines : list of str
        One for each function and each constant.
    versions : dict of str to str
        Of Python and the packages.
    """

    def __init__(self, roots: Sequence[Any]):
        self.lines: list[str] = []
        self.versions = {"python": ".".join(map(str, sys.version_info[:3]))}
        self.pending: list[tuple[str, Any]] = [("", root) for root in roots]
        self.visited: dict[int, Any] = {}
        while self.pending:
            self.visit(*self.pending.pop())

    def visit(self, name: str, value: Any) -> None:
        """Take in a value of this name, and note what it leads to."""
        for inner in ("__wrapped__", "__func__", "fget", "func"):  # functools.cache, numba, methods, properties
            if not isinstance(value, type | FunctionType | ModuleType) and hasattr(value, inner):
                self.pending += [(name, getattr(value, inner)), (name, type(value))]
                return
        if isinstance(value, type | FunctionType | ModuleType | BuiltinFunctionType | np.ufunc):
            module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "numpy"
            if id(value) not in self.visited and module not in PASSED_OVER and not self.outside(module):
                self.visited[id(value)] = value
                self.read(value, f"{module}.{getattr(value, '__qualname__', '')}")
        elif isinstance(value, list | tuple | dict):
            self.pending += [(f"{name}[{i}]", part) for i, part in enumerate(value)]
            self.pending += [(f"{name}[{i!r}]", value[i]) for i in value] if isinstance(value, dict) else []
        else:
            try:
                self.lines.append(f"{name} {_key(value, set())}")
            except TypeError:  # an object: its class says what it does
                self.pending.append((name, type(value)))

    def outside(self, module: str) -> bool:
        """Whether a module is not this project's; then its version counts."""
        package = module.partition(".")[0]
        if package != "cdsm_lib" and package in _distributions():
            self.versions[package] = version(_distributions()[package][0])
        return package != "cdsm_lib" and (package in _distributions() or package in sys.stdlib_module_names)

    def read(self, value: Any, name: str) -> None:
        """Take in a class or a function of this project."""
        if isinstance(value, type):
            self.pending += [(name, base) for base in value.__mro__[1:]]
            self.pending += [(f"{name}.{m}", v) for m, v in vars(value).items() if m not in _OF_EVERY_CLASS]
        elif isinstance(value, FunctionType):
            code = _compiled(value.__code__)
            self.lines.append(f"{name} {code.text}")
            self.pending += [(f"{name}()", [value.__defaults__, value.__kwdefaults__])]
            self.pending += [(f"{name} in", cell.cell_contents) for cell in value.__closure__ or ()]
            self.names(value.__module__, value.__globals__, code.names, code.attributes)
            for module in code.imports:
                if not self.outside(module):
                    self.names(module, vars(import_module(module)), code.attributes, code.attributes)

    def names(self, module: str, members: Mapping[str, Any], names: frozenset[str], attributes: frozenset[str]) -> None:
        """Follow names that are members of a module, and attributes that are members of a module among them."""
        for name in names & members.keys():
            value = members[name]
            if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "cdsm_lib":
                self.names(value.__name__, vars(value), attributes - {name}, attributes - {name})
            elif not name.startswith("__") and (name.isupper() or not isinstance(value, list | dict | set)):
                self.pending.append((f"{module}.{name}", value))


_OF_EVERY_CLASS = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__dataclass_fields__",
                   "__dataclass_params__", "__match_args__", "__abstractmethods__", "_abc_impl", "__parameters__",
                   "__orig_bases__", "__hash__", "__firstlineno__", "__static_attributes__")  # fmt: skip


class _Compiled(NamedTuple):
    """A function as Python compiled it: its instructions, the names of globals and of attributes, and its imports."""

    text: str
    names: frozenset[str]
    attributes: frozenset[str]
    imports: frozenset[str]


_RESOLVED = {*dis.hasconst, *dis.hasname, *dis.haslocal, *dis.hasfree}
"""The instructions whose arguments stand for a constant or a name."""


@cache
def _compiled(code: CodeType) -> _Compiled:
    text, names, attributes, imports = [], set(), set(), set()
    for instruction in dis.get_instructions(code):
        value = instruction.argval if instruction.opcode in _RESOLVED else instruction.arg
        if instruction.opname == "KW_NAMES":  # which dis leaves as a number
            value = code.co_consts[instruction.arg]
        if isinstance(value, CodeType):
            within = _compiled(value)
            names |= within.names
            attributes |= within.attributes
            imports |= within.imports
            value = within.text
        elif instruction.opname == "IMPORT_NAME":
            imports.add(value)
        elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(value)
        elif instruction.opcode in dis.hasname:
            attributes.add(value)
        text.append(f"{instruction.opname} {_key(value, set())}")
    return _Compiled(_key(text, set()), frozenset(names), frozenset(attributes), frozenset(imports))


version = cache(metadata.version)
"""Of a package, read once: a walk asks for NumPy's hundreds of times, and each reading opens a file."""


@cache
def _distributions() -> Mapping[str, list[str]]:
    """The packages that are installed, by the name under which they are imported."""
    return metadata.packages_distributions()
