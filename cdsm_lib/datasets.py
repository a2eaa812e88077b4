"""Where the data come from: a registry of real datasets, each file checked before it is used.

`data/registry.toml` names every dataset with its licence, its citation and the SHA-256 of each file *that is used*
(not of a compressed form it came in). A file is looked for in four places, in this order:

1. the user's cache: ``$CDSM_DATA_CACHE``, or the platform's cache folder for ``cdsm``; files lie in
   ``<cache>/<dataset>/<file>``, and whoever got a file from its owner puts it there;
2. the mirror ``$CDSM_DATA_MIRROR``, if that is set: a read-only folder, used in place, unpacked into the cache where
   the mirror holds a compressed form;
3. the deposit, a mirror of what may be passed on (`cdsm_lib.deposit`), at ``$CDSM_DATA_URL`` or the registry's address;
4. the official address, where the owner serves the file itself.

pooch brings what is not in its place yet. Nothing half-written is used, no source may give more bytes than are
registered, and a damaged file in the cache is replaced if there is another.
"""

import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial, reduce
from operator import getitem
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import BinaryIO, NamedTuple
from urllib.parse import quote, urlsplit

import platformdirs

from cdsm_lib import storage
from cdsm_lib.tables import DAMAGED, DECOMPRESS, cut, path_of, shown

CHUNK = 1 << 20
RETRIES = 2  # of a download that broke off
PATIENCE, SLOWEST = 60, 10_000  # a download may take so many seconds, and one more for so many bytes
SLACK = 1 << 16  # bytes by which a compressed form of unknown size may be longer than the file
REMEDIES = {
    "cache": "Put the owner's file there, unchanged, or delete it and run `make data`.",
    "mirror": "Copy the mirror afresh, or unset CDSM_DATA_MIRROR to do without it.",
    "system": "Install it afresh.",
}
SERVER = re.compile(r"https?://([^/?#@]*@)?([\w.-]+|\[[\da-f:]+\])(:\d+)?(/[^?#]*)?")
BASES = ("sample", "full")
"""The profiles of the book, of which one's own extends one."""


class DataError(ValueError):
    """A dataset, one of its files, or a profile is not what it should be; the message names it and the remedy."""


class UnreachableError(DataError):
    """A server did not answer."""


# ---------------------------------------------------------------------------------------------------- the registry


@dataclass(frozen=True)
class DataFile:
    """One file of a dataset, as the registry describes it: its name, hash and size (bytes) as it is used.

    `stored` is its path below the mirror; with `stored_sha256` and `stored_size` a compressed form stands there.
    `unpacked_sha256` is that of the content of a file that is used compressed. `urls` are compressed where their suffix
    says so; `system` are places where an operating system's package puts the file, or below ``data``.
    """

    name: str
    sha256: str
    size: int
    format: str
    stored: str | None = None
    stored_sha256: str | None = None
    stored_size: int | None = None
    unpacked_sha256: str | None = None
    urls: tuple[str, ...] = ()
    system: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """A dataset of the registry: what it is, whose it is, and its files by name.

    `pages` are where people read about it and get it; `obtain` says what to do where no program may fetch it; `bib` is
    its key in the book's bibliography. A set that no code reads yet has no files. The last four are the text of its
    data sheet, in Markdown.
    """

    name: str
    title: str
    licence: str
    redistributable: bool
    bib: str
    citation: str
    pages: tuple[str, ...]
    obtain: str
    files: Mapping[str, DataFile]
    motivation: str = ""
    composition: str = ""
    making: str = ""
    limits: str = ""

    @property
    def sha256(self) -> str:
        """One hash for the dataset: SHA-256 over the sorted hexadecimal hashes of its files, one a line."""
        return _hash_of_hashes(file.sha256 for file in self.files.values())

    @property
    def size(self) -> int:
        """Bytes of all its files as used."""
        return sum(file.size for file in self.files.values())


Registry = Mapping[str, Dataset]


def data_root() -> Path:
    """The folder ``data/`` of the checkout; `DataError` if the library was installed without one."""
    folder = Path(__file__).resolve().parent.parent / "data"
    if not (folder / "registry.toml").is_file():
        problem = f"{folder}: registry.toml is not there, so cdsm_lib runs without its checkout"
        raise DataError(f"{problem}. Clone the project and install it from there with `pip install -e .`")
    return folder


def load_registry() -> Registry:
    """The datasets of ``data/registry.toml`` by name, in its order; `DataError` if it does not fit its schema."""
    return _registry(data_root() / "registry.toml")[0]


@cache
def _registry(path: Path) -> tuple[Registry, str]:
    """The datasets, and the address of the deposit."""
    entries = read_toml(path, "registry")
    address = entries.pop("deposit", "")
    for entry in entries.values():
        entry["files"] = {file["name"]: DataFile(**file) for file in entry["files"]}
    return {name: Dataset(name=name, **entry) for name, entry in entries.items()}, address


def dataset(name: str) -> Dataset:
    """The registry's entry of this name; `DataError` listing the known names if there is none."""
    registry = load_registry()
    if name not in registry:
        raise DataError(unknown("dataset", name, registry, "data/registry.toml"))
    return registry[name]


def used(names: Iterable[str]) -> dict[str, str]:
    """One SHA-256 for each dataset (`Dataset.sha256`), as a ledger's ``made_with.datasets`` keeps it.

    For WordNet, of which two editions are accepted (see `wordnet`), it is over the files that are really read.
    """
    hashes = {name: dataset(name).sha256 for name in names}
    if "wordnet" in hashes:
        folder = wordnet()
        hashes["wordnet"] = _hash_of_hashes(checked_hash(folder / name) for name in dataset("wordnet").files)
    return hashes


def sample_path(name: str | Path) -> Path:
    """The project's own teaching set `name`, a file or folder of ``data/sample``; a path stays what it is."""
    if not isinstance(name, str) or os.sep in name:
        return path_of(name)
    known = sorted(path.name for path in (data_root() / "sample").iterdir())
    if name not in known:
        raise DataError(unknown("teaching set", name, known, "data/sample"))
    return data_root() / "sample" / name


def distilled_folder() -> Path:
    """What the sample profile has of the corpus: ``data/distilled``, or in the cache that of one's own corpus."""
    profile = own_profile()
    if profile.get("extends") == "sample":
        return cache_folder() / "distilled" / profile["name"]
    return data_root() / "distilled"


def own_profile(name: str = "") -> dict:
    """The profile of one's own of this name, or that ``$CDSM_PROFILE`` names; empty if there is none.

    `name` is a file that ends in ``.toml``, or the name of one in ``data/profiles``. What it gives: ``name``; ``file``;
    ``extends``, one of `BASES`; ``corpus``, the folder of a compiled corpus; and ``settings``, which replace those of
    the profile that it extends. A `DataError` names a file that cannot be read, extends nothing, or has no corpus.
    """
    name = name or os.environ.get("CDSM_PROFILE", "")
    if not name:
        return {}
    path = Path(name).expanduser() if name.endswith(".toml") else data_root() / "profiles" / f"{name}.toml"
    if not re.fullmatch(r"[\w-]{1,100}|[^\0]{1,1000}\.toml", name) or not path.is_file():
        place = "data/profiles.toml; one's own is a file in data/profiles, or another that ends in .toml"
        raise DataError(unknown("profile", name, BASES, place))
    settings = read_toml(path, "own_profile")
    extends, corpus = settings.pop("extends"), settings.pop("corpus")
    folder = path.absolute().parent / Path(corpus).expanduser()
    compiled = next((place for place in (folder / "compiled", folder) if (place / "corpus.json").is_file()), None)
    if compiled is None:
        raise DataError(f"{path}: no corpus in {folder}; make one: make corpus TEXT=... TO=...")
    return {"name": path.stem, "file": path.absolute(), "extends": extends, "corpus": compiled, "settings": settings}


def read_toml(path: Path, schema: str = "") -> dict:
    """A TOML file; arrays as tuples. `schema`, without ``.json``, is a file of ``cdsm_lib/schemas`` that it must fit.

    A `DataError` names a file that cannot be read, or the line, the place and the problem of what does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        content = tomllib.loads(text)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}. Restore it from the repository") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, brackets in thousands
        raise DataError(f"{path} is not TOML: {error}. Correct it, or restore it from the repository") from None
    if schema and (problem := _misfit(text, schema)):
        raise DataError(f"{path}, {problem}")
    return _frozen(content)


@cache
def _misfit(text: str, schema: str) -> str:
    """Line, place and problem of what does not fit a schema; empty if all does."""
    sys.modules.setdefault("rfc3987_syntax", None)  # else jsonschema builds its grammars, which takes 2 s
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    rules = json.loads((Path(__file__).with_name("schemas") / f"{schema}.json").read_text("utf8"))
    error = best_match(Draft202012Validator(rules).iter_errors(tomllib.loads(text)))
    if error is None:
        return ""
    place = list(error.absolute_path)
    return f"line {line_of(text, place)}: {'.'.join(map(str, place)) or 'the file'}: {cut(error.message, 200)}"


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line of a TOML text, from 1, that begins the value at a place.

    Examples
    --------
    >>> line_of("[[a.b]]\\nx = 1\\n[[a.b]]\\nx = 2", ["a", "b", 1, "x"])
    4
    """
    lines = text.split("\n")

    def there(n: int) -> bool:
        """Whether n lines hold it, with as many more as end a value."""
        while True:
            try:
                reduce(getitem, place, tomllib.loads("\n".join(lines[:n])))
                return True
            except LookupError:
                return False
            except tomllib.TOMLDecodeError:
                n += 1

    return 1 + bisect_left(range(1, len(lines)), True, key=there)


def _frozen(value):
    """TOML arrays as tuples, at every depth."""
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def unknown(kind: str, name: object, known: Iterable[str], place: str, key: str | None = None) -> str:
    """A message for a name that is not known: the nearest known one, and all of them."""
    known = list(known)
    near = difflib.get_close_matches(str(key or name), known, n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {kind} {shown(name)}.{guess} Known in {place}: {', '.join(known) or 'none'}"


# -------------------------------------------------------------------------------------------------------- fetching


def cache_folder() -> Path:
    """``$CDSM_DATA_CACHE``, or the platform's cache folder for ``cdsm``."""
    return Path(os.environ.get("CDSM_DATA_CACHE") or platformdirs.user_cache_dir("cdsm")).expanduser().absolute()


def mirror_folder() -> Path | None:
    """``$CDSM_DATA_MIRROR`` if it is set; `DataError` if it names no folder."""
    value = os.environ.get("CDSM_DATA_MIRROR")
    if value and not Path(value).is_dir():
        raise DataError(f"CDSM_DATA_MIRROR names {value}, which is not a folder. Correct the variable, or unset it")
    return Path(value).absolute() if value else None


def deposit_address() -> str:
    """Where the deposit is served, ``$CDSM_DATA_URL`` or the registry's line, or empty; `DataError` if no address."""
    variable = os.environ.get("CDSM_DATA_URL", "")
    address = variable or _registry(data_root() / "registry.toml")[1]
    if address and not SERVER.fullmatch(address):
        where = "CDSM_DATA_URL" if variable else "data/registry.toml, deposit"
        without_password = address.rpartition("@")[2]  # a password may hold what ends one in an address
        raise DataError(f"{where}: {without_password!r} is no address of a folder. Give one as http(s)://server/folder")
    return address.rstrip("/")


class Source(NamedTuple):
    """A place where a file may be: ``cache``, ``mirror``, ``system``, ``deposit``, ``owner``.

    With its path or address, the SHA-256 that it must have there, the bytes (at most), and the suffix if compressed.
    """

    where: str
    address: str
    sha256: str
    size: int
    packed: str = ""


def sources(entry: Dataset, file: DataFile) -> Iterator[Source]:
    """Where a file may be, in the order in which it is looked for; on this machine only where something is."""
    suffix = PurePosixPath(file.stored or "").suffix if file.stored_sha256 else ""
    stored = (file.stored_sha256 or file.sha256, file.stored_size or file.size, suffix)
    here = [Source("cache", str(cache_folder() / entry.name / file.name), file.sha256, file.size)]
    if (mirror := mirror_folder()) and file.stored:
        here.append(Source("mirror", str(mirror / file.stored), *stored))
    here += [Source("system", str(data_root() / path), file.sha256, file.size) for path in file.system]
    yield from (source for source in here if os.path.exists(source.address))
    if entry.redistributable and file.stored and (server := deposit_address()):
        yield Source("deposit", f"{server}/{quote(file.stored)}", *stored)
    for url in file.urls:
        suffix = PurePosixPath(urlsplit(url).path).suffix
        packed = suffix if suffix in DECOMPRESS else ""
        yield Source("owner", url, "", file.size + SLACK * bool(packed), packed)


def fetch(name: str, file: str | None = None) -> Path | dict[str, Path]:
    """A dataset's files, checked: one by its name as used, or all by name in the registry's order. They are read-only.

    Raises
    ------
    DataError
        Unknown name; altered or truncated file; file to be had nowhere; server out of reach (`UnreachableError`);
        damaged compressed file; more bytes than are registered.
    """
    entry = dataset(name)
    if file is None:
        return {each.name: fetch_file(entry, each) for each in entry.files.values()}
    if file not in entry.files:
        raise DataError(unknown(f"file of {name}", file, entry.files, "data/registry.toml"))
    return fetch_file(entry, entry.files[file])


def fetch_matching(name: str, pattern: str) -> list[Path]:
    """The files of a dataset whose name matches a shell pattern, in the registry's order; raises as `fetch`."""
    return [fetch(name, file) for file in dataset(name).files if PurePosixPath(file).match(pattern)]


def fetch_file(entry: Dataset, file: DataFile, silent: set[str] | None = None) -> Path:
    """A file where it can be used: in the cache, in the mirror if that has it as used, or brought to the cache.

    Servers in `silent` did not answer, and are not asked again; others are added. Raises as `fetch`.
    """
    target, problems = cache_folder() / entry.name / file.name, []
    silent = set() if silent is None else silent
    for source in sources(entry, file):
        server = urlsplit(public(source.address)).netloc
        try:
            if source.where == "cache" or (source.where == "mirror" and not source.packed and not problems):
                return verified(source)
            if server and server in silent:
                raise UnreachableError(f"{server} did not answer")
            return _brought(source, target, file)
        except DataError as problem:
            if target.is_dir():
                raise
            problems.append(problem)
            if isinstance(problem, UnreachableError):
                silent.add(server)
    places = f"no sound copy in the cache ({target}) or the mirror ({mirror_folder() or 'CDSM_DATA_MIRROR is not set'})"
    lacking = [f"{place} is missing" for place in file.system if not os.path.exists(place)]
    text = f"{entry.name}/{file.name} cannot be had: {'; '.join([places, *lacking, *map(str, problems)])}."
    if problems and all(isinstance(problem, UnreachableError) for problem in problems):
        raise UnreachableError(f"{text} Connect to a network and run `make data` again. {entry.obtain}")
    raise DataError(f"{text} {entry.obtain}")


def _brought(source: Source, target: Path, file: DataFile) -> Path:
    """Have pooch put a file into its place: whole and of its SHA-256, or not at all."""
    import pooch

    if source.where in REMEDIES:
        verified(source)
    pooch.get_logger().setLevel("WARNING")
    registry, urls = {target.name: f"sha256:{file.sha256}"}, {target.name: source.address}
    store = pooch.create(target.parent, "", registry=registry, urls=urls, retry_if_failed=RETRIES)
    with _plain_words(source.address):
        return Path(store.fetch(target.name, downloader=partial(_bring, source=source, size=file.size)))


class _Limited:
    """A file that takes no more than so many bytes."""

    def __init__(self, file: BinaryIO, most: int):
        self.file, self.most, self.left = file, most, most

    def write(self, block: bytes) -> None:
        """Write, or raise an `OverflowError`."""
        self.left -= len(block)
        if self.left < 0:
            raise OverflowError(f"holds more than the registered {self.most:,} bytes")
        self.file.write(block)

    def flush(self) -> None:
        """As of a file."""
        self.file.flush()


def _bring(address: str, place: str, _, source: Source, size: int) -> None:
    """A downloader of pooch: take a file from this machine or a server, unpacked."""
    Path(place).unlink()  # pooch's temporary file, which nobody else might read; as the umask says instead
    unpacked = DECOMPRESS.get(source.packed, contextlib.nullcontext)
    with tempfile.TemporaryFile(dir=Path(place).parent) as received, open(place, "xb") as sink:
        if source.where not in REMEDIES:
            _receive(address, received, source.size)
            received.seek(0)
        with received if source.where not in REMEDIES else open(address, "rb") as packed, unpacked(packed) as content:
            shutil.copyfileobj(content, _Limited(sink, size), CHUNK)


def _receive(address: str, sink: BinaryIO, most: int) -> None:
    """Download no more than so many bytes, in a thread: of a server that sends byte by byte no read ever ends."""
    import pooch

    receive = pooch.HTTPDownloader(sys.stderr.isatty(), CHUNK >> 8, headers={"Accept-Encoding": "identity"})
    limited, done = _Limited(sink, most), Future()

    def work() -> None:
        try:
            done.set_result(receive(address, limited, None))
        except BaseException as error:
            done.set_exception(error)

    Thread(target=work, daemon=True).start()
    try:
        done.result(PATIENCE + most / SLOWEST)
    except TimeoutError:
        came, limited.left = most - limited.left, 0  # what still comes is refused
        raise OverflowError(f"came too slowly: {came:,} bytes by now") from None


def received(address: str, most: int) -> bytes:
    """What a server sends, unchecked; a `DataError` if it is more than `most` bytes, or as for `fetch`."""
    with _plain_words(address), io.BytesIO() as sink:
        _receive(address, sink, most)
        return sink.getvalue()


@contextlib.contextmanager
def _plain_words(address: str) -> Iterator[None]:
    """What goes wrong with a download as a `DataError` that names its address, without a password."""
    import requests

    place = public(address)
    try:
        yield
    except OverflowError as error:
        raise DataError(f"{place} {error}") from None
    except (requests.ConnectionError, requests.Timeout):
        raise UnreachableError(f"no network, or {urlsplit(place).netloc} does not answer ({place})") from None
    except requests.RequestException as error:
        raise DataError(f"the download from {place} failed ({public(str(error))})") from None
    except (*DAMAGED, OSError, ValueError) as error:  # of an archive, or of pooch: another hash
        if getattr(error, "errno", None):
            raise
        raise DataError(f"{place} is altered or truncated: {public(str(error))}") from None


def public(address: str) -> str:
    """An address without the name and password that may stand in it, for a message."""
    return re.sub(r"//[^/]*@", "//", address)


def verified(source: Source) -> Path:
    """The path of a source on this machine; `DataError` if it does not hold what it should."""
    path, remedy = Path(source.address), REMEDIES[source.where]
    if path.is_dir():
        raise DataError(f"{path} is a folder, where a file belongs. Move it away")
    if (size := path.stat().st_size) != source.size:
        problem = "truncated" if size < source.size else "altered"
        raise DataError(f"{path} is {problem}: {source.size:,} bytes expected, {size:,} found. {remedy}")
    if (sha256 := checked_hash(path)) != source.sha256:
        raise DataError(f"{path} is altered: SHA-256 {source.sha256} expected, {sha256} found. {remedy}")
    return path


def checked_hash(path: Path) -> str:
    """SHA-256 of a file, remembered for as long as its size, times and inode stay as they are.

    A file younger than two seconds is not remembered: a change in the same tick of the system's clock would go unseen.
    """
    status = path.stat()
    state = f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
    stamp = cache_folder() / ".checked" / hashlib.sha256(state.encode()).hexdigest()[:32]
    with contextlib.suppress(OSError, ValueError):  # no memory of it, or a spoilt one
        if re.fullmatch("[0-9a-f]{64}", known := stamp.read_text()):
            return known
    sha256 = sha256_of(path)
    if time.time_ns() - status.st_mtime_ns > 2_000_000_000:
        with contextlib.suppress(OSError), storage.whole_file(stamp) as sink:  # without memory it only takes longer
            sink.write(sha256)
    return sha256


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _hash_of_hashes(hashes: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


# --------------------------------------------------------------------------------------------------------- WordNet


def wordnet() -> Path:
    """A folder with WordNet 3.0 below ``corpora/wordnet``, as NLTK reads it, and registered with NLTK.

    Debian's edition is pinned in the registry, file by file: it is copied into the cache, with ``data/lexnames.tsv``,
    the names of the 45 lexicographer files, beside it. Where it is missing, a copy that NLTK's own downloader got is
    accepted if it says that it is WordNet 3.0; else a `DataError` says how to get it. (Debian corrects some entries, so
    hashes and offsets of the two may differ; `used` hashes the files that are really read.)
    """
    import nltk

    try:
        folder = fetch("wordnet")["corpora/wordnet/lexnames"].parents[2]
    except DataError:
        folder = _wordnet_of_nltk()
        if folder is None:
            raise
    nltk.data.path[:] = dict.fromkeys([str(folder), *nltk.data.path])
    return folder


def _wordnet_of_nltk() -> Path | None:
    """The first of NLTK's data folders that holds WordNet 3.0, unpacked."""
    import nltk

    for folder in map(Path, nltk.data.path):
        if all((folder / name).is_file() for name in dataset("wordnet").files):
            with open(folder / "corpora" / "wordnet" / "data.noun", "rb") as lines:
                if b"WordNet 3.0 " in lines.read(2000):  # its licence
                    return folder


# ---------------------------------------------------------------------------------------------------------- status


class Status(NamedTuple):
    """How things stand with a dataset.

    `state` is ``present``, ``partly``, ``missing`` or ``damaged``; `where` names the places its files are in;
    `missing` counts files; `problems` are messages.
    """

    entry: Dataset
    state: str
    where: str
    missing: int
    problems: tuple[str, ...] = ()


def status(entry: Dataset) -> Status:
    """How things stand with a dataset, by the hashes of what is there; nothing is fetched."""
    problems, first = [], [next(sources(entry, file), None) for file in entry.files.values()]
    here = [source for source in first if source and source.where in REMEDIES]
    for source in here:
        try:
            verified(source)
        except (DataError, OSError) as error:
            problems.append(str(error))
    missing, where = len(first) - len(here), "+".join(dict.fromkeys(source.where for source in here))
    if entry.name == "wordnet" and missing and _wordnet_of_nltk():
        missing, where = 0, "nltk"
    state = "damaged" if problems else "partly" if where and missing else "present" if where else "missing"
    return Status(entry, state, where, missing, tuple(problems))


def update(names: Iterable[str] = (), *, check: bool = False) -> int:
    """Fetch what can be fetched, check it, and print how things stand: the task ``python -m cdsm_lib data``.

    Of all datasets if no names are given; an unknown one is a `DataError` before anything is fetched. With `check`
    nothing is fetched. Returns 1 if a file is damaged, a fetch failed, or a set that was named is not complete; else 0.
    """
    names = list(names)
    entries = [dataset(name) for name in names or load_registry()]
    problems = [] if check else list(_fetch_what_can_be(entries))
    print(f"{'set':<20}{'state':<24}{'size':>12}  licence")
    notes = []
    for entry, state, where, missing, damages in map(status, entries):
        state = f"{state} ({where})" if where else state
        print(f"{entry.name:<20}{state:<24}{entry.size / 1e6:>9,.1f} MB  {entry.licence}")
        if missing or state == "missing":
            lacking = f"{missing} of {len(entry.files)} files missing. " if missing else ""
            notes.append(f"- {entry.name}: {lacking}{entry.obtain}")
        problems += damages if check else ()
    if notes:
        print("", "To do for what is missing:", *notes, "", sep="\n")
        print(f"The cache is {cache_folder()} (CDSM_DATA_CACHE); each set has a folder of its name in it.")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return int(bool(problems or names and notes))


def _fetch_what_can_be(entries: Iterable[Dataset]) -> Iterator[str]:
    """Fetch each file that has a source; give the messages of those that failed, one for each server out of reach."""
    silent = set()
    for entry in entries:
        for file in entry.files.values():
            servers = len(silent)
            try:
                if next(sources(entry, file), None):  # else only its owner gives it out: the table says what to do
                    fetch_file(entry, file, silent)
            except DataError as error:
                if not isinstance(error, UnreachableError) or len(silent) > servers:
                    yield str(error)
