"""Where the data come from: a registry of real datasets, each file checked before it is used.

`data/registry.toml` names every dataset with its licence, its citation and the SHA-256 of each file *that is used*
(not of a compressed form it came in). A file is looked for in four places, in this order:

1. the user's cache: ``$CDSM_DATA_CACHE``, or the platform's cache folder for ``cdsm``; files lie in
   ``<cache>/<dataset>/<file>``, and whoever got a file from its owner puts it there;
2. the mirror ``$CDSM_DATA_MIRROR``, if that is set: a read-only folder, used in place, unpacked into the cache where
   the mirror holds a compressed form;
3. the deposit, a mirror of what may be passed on (`cdsm_lib.deposit`), at ``$CDSM_DATA_URL`` or the registry's address;
4. the official address, where the owner serves the file itself.

A download that breaks off goes on where it stopped. Whatever is made (a download, an unpacked file) is written into a
scratch folder inside the cache, checked, and only then moved into place. Hashing the parsed Wikipedia takes a second,
so a file once checked is remembered by its size, times and inode; a file that changed in any of these is hashed again.
"""

import contextlib
import difflib
import errno
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urlsplit

import platformdirs
from tqdm import tqdm

from cdsm_lib import storage
from cdsm_lib.tables import DAMAGED, DECOMPRESS, shown

try:
    import fcntl
except ImportError:  # Windows: two processes may then fetch the same file twice; moving into place keeps that safe
    fcntl = None

CHUNK = 1 << 20
TIMEOUT = 30  # seconds without an answer after which a server counts as out of reach
PAUSES = (1, 3, 9)  # seconds before a download that broke off is taken up again
AT_ONCE = 4  # downloads side by side
_PACKED_REMEDY = "Fetch it again; if that does not help, get the file from its owner"
REMEDIES = {
    "cache": "Run `make data` to repair it, or delete it and put the owner's file there, unchanged.",
    "mirror": "Copy the mirror afresh, or unset CDSM_DATA_MIRROR to do without it.",
    "system": "Install it afresh.",
}
WORDNET_SYNSETS = {"noun": 82115, "verb": 13767, "adj": 18156, "adv": 3621}  # WordNet 3.0, wnstats(7WN)


class DataError(ValueError):
    """A dataset, one of its files, or a profile is not what it should be; the message names it and the remedy."""


class UnreachableError(DataError):
    """A server did not answer."""


# ---------------------------------------------------------------------------------------------------- the registry


@dataclass(frozen=True)
class DataFile:
    """One file of a dataset, as the registry describes it.

    Attributes
    ----------
    name : str
        Name as used, relative to the dataset's folder in the cache.
    sha256, size : str, int
        Of the file as used; size in bytes.
    format : str
        What stands in the file.
    stored : str or None
        Path below the mirror. With `stored_sha256` it is a compressed form, unpacked before use.
    stored_sha256, stored_size : str, int or None
        Of the compressed form in the mirror.
    unpacked_sha256 : str or None
        Of the content of a file that is used compressed.
    urls : tuple of str
        Official addresses of this file, tried in turn; compressed where their suffix says so.
    system : tuple of str
        Places where an operating system's package puts the file.
    text : str or None
        The content itself, for a small file that is written rather than fetched.
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
    text: str | None = None


@dataclass(frozen=True)
class Dataset:
    """A dataset of the registry: what it is, whose it is, and its files by name.

    `pages` are where people read about it and get it; `obtain` says what to do where no program may fetch it;
    `bib` is its key in the book's bibliography. `motivation`, `composition`, `making` and `limits` are the text of its
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


DEPOSIT = "deposit"
"""The registry's one line that is no dataset: the address of the deposit."""

SHEET = ("motivation", "composition", "making", "limits")
"""The fields of a dataset that its data sheet is made of."""

Registry = Mapping[str, Dataset]


def data_root() -> Path:
    """The folder ``data/`` of the checkout.

    Raises
    ------
    DataError
        If the library was installed without its checkout.
    """
    folder = Path(__file__).resolve().parent.parent / "data"
    if not (folder / "registry.toml").is_file():
        raise DataError(
            f"{folder}: registry.toml is not there, so cdsm_lib runs without its checkout. "
            "Clone the project and install it from there with `pip install -e .`"
        )
    return folder


def load_registry(path: str | Path | None = None) -> Registry:
    """The registry: datasets by name, in the file's order.

    Parameters
    ----------
    path : path, optional
        A TOML file; by default ``data/registry.toml`` of the checkout.

    Raises
    ------
    DataError
        If the file cannot be read, or an entry lacks a field or has one of no known name.
    """
    return _read_registry(Path(path) if path else data_root() / "registry.toml")


@cache
def _read_registry(path: Path) -> Registry:
    datasets, entries = {}, read_toml(path)
    entries.pop(DEPOSIT, None)
    for name, entry in entries.items():
        try:
            files = {file["name"]: DataFile(**file) for file in entry["files"]}
            datasets[name] = Dataset(name=name, **entry | {"files": files})
            for field in SHEET:
                if not isinstance(entry.get(field, ""), str):
                    raise TypeError(f"{field} is {entry[field]!r}, where a text in quotes belongs")
        except (KeyError, TypeError, AttributeError) as error:
            known = ", ".join(f.name for f in (*fields(Dataset), *fields(DataFile)))
            raise DataError(f"{path}: entry [{name}] is not complete or not known: {error}. Fields: {known}") from None
    return datasets


def dataset(name: str, registry: Registry | None = None) -> Dataset:
    """The registry's entry of this name; `DataError` listing the known names if there is none."""
    registry = load_registry() if registry is None else registry
    if name not in registry:
        raise DataError(unknown("dataset", name, registry, "data/registry.toml"))
    return registry[name]


def used(names: Iterable[str], *, registry: Registry | None = None) -> dict[str, str]:
    """One SHA-256 for each dataset, as a ledger's ``made_with.datasets`` keeps it.

    The hash is over the sorted hashes of the dataset's files (`Dataset.sha256`). For WordNet, of which two editions
    are accepted (see `wordnet`), it is over the files that are really read.

    Examples
    --------
    >>> list(used(["relpron"]))
    ['relpron']
    """
    hashes = {name: dataset(name, registry).sha256 for name in names}
    if registry is None and "wordnet" in hashes:
        folder = wordnet()
        hashes["wordnet"] = _hash_of_hashes(checked_hash(folder / f) for f in dataset("wordnet").files)
    return hashes


def sample_path(name: str | Path) -> Path:
    """The project's own teaching set `name`, a file or folder of ``data/sample``; a path stays what it is."""
    if isinstance(name, Path) or os.sep in name:
        return Path(name)
    return _of_checkout("sample", name, "teaching set")


def distilled_folder() -> Path:
    """What the sample profile has of the corpus: ``data/distilled``, or in the cache that of one's own corpus."""
    own = own_profile()
    return cache_folder() / "distilled" / own["name"] if own.get("extends") == "sample" else data_root() / "distilled"


BASES = ("sample", "full")
"""The profiles of the book, of which one's own extends one."""


def own_profile(named: str = "") -> dict:
    """The profile of one's own of this name, or that ``$CDSM_PROFILE`` names; empty if there is none.

    Parameters
    ----------
    named : str
        A file that ends in ``.toml``, or the name of one in ``data/profiles``.

    Returns
    -------
    dict
        ``name``; ``file``; ``extends``, one of `BASES`; ``corpus``, the folder of a compiled corpus; and ``settings``,
        which replace those of the profile that it extends.

    Raises
    ------
    DataError
        If the file cannot be read, extends nothing, or names no corpus.
    """
    named = named or os.environ.get("CDSM_PROFILE", "")
    if not named:
        return {}
    path = Path(named).expanduser() if named.endswith(".toml") else data_root() / "profiles" / f"{named}.toml"
    if not re.fullmatch(r"[\w-]{1,100}|[^\0]{1,1000}\.toml", named) or not path.is_file():
        place = "data/profiles.toml; one's own is a file in data/profiles, or another that ends in .toml"
        raise DataError(unknown("profile", named, BASES, place))
    settings = read_toml(path)
    extends, corpus = settings.pop("extends", None), settings.pop("corpus", None)
    if extends not in BASES:
        raise DataError(f'{path}: extends = {shown(extends)}; write extends = "sample" or extends = "full"')
    if not isinstance(corpus, str):
        raise DataError(f'{path}: corpus = {shown(corpus)}; write corpus = "..." with a folder that make corpus made')
    folder = path.absolute().parent / Path(corpus).expanduser()
    compiled = next((place for place in (folder / "compiled", folder) if (place / "corpus.json").is_file()), None)
    if compiled is None:
        raise DataError(f"{path}: no corpus in {folder}; make one: make corpus TEXT=... TO=...")
    return {"name": path.stem, "file": path.absolute(), "extends": extends, "corpus": compiled, "settings": settings}


def published(name: str) -> Path:
    """The published table `name` (without ``.json``), a file of ``data/published``."""
    return _of_checkout("published", f"{name.removesuffix('.json')}.json", "published table")


def _of_checkout(folder: str, name: str, kind: str) -> Path:
    place = data_root() / folder
    known = sorted(p.name for p in place.iterdir()) if place.is_dir() else []
    if name not in known:
        raise DataError(unknown(kind, name, known, f"data/{folder}"))
    return place / name


# -------------------------------------------------------------------------------------------------------- fetching


def cache_folder() -> Path:
    """``$CDSM_DATA_CACHE``, or the platform's cache folder for ``cdsm``."""
    return Path(os.environ.get("CDSM_DATA_CACHE") or platformdirs.user_cache_dir("cdsm")).expanduser().absolute()


def mirror_folder() -> Path | None:
    """``$CDSM_DATA_MIRROR`` if it is set; `DataError` if it names no folder."""
    value = os.environ.get("CDSM_DATA_MIRROR")
    if not value:
        return None
    if not Path(value).is_dir():
        raise DataError(f"CDSM_DATA_MIRROR names {value}, which is not a folder. Correct the variable, or unset it")
    return Path(value).absolute()


def deposit_address() -> str:
    """Where the deposit is served, ``$CDSM_DATA_URL`` or the registry's line; empty without one.

    Raises
    ------
    DataError
        If that is no address.
    """
    variable = os.environ.get("CDSM_DATA_URL", "")
    address = variable or read_toml(data_root() / "registry.toml").get(DEPOSIT, "")
    if address and not _is_server(address):
        where = "CDSM_DATA_URL" if variable else f"data/registry.toml, {DEPOSIT}"
        raise DataError(f"{where}: {address!r} is no address of a folder. Give one as http(s)://server/folder")
    return address.rstrip("/")


def _is_server(address: str) -> bool:
    """Whether file names can be appended to an address: a server, a port that is a number, nothing after the path."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  a ValueError if it is no number
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment


def place_in_deposit(entry: Dataset, file: DataFile) -> str:
    """Where a file stands in a deposit, as in a mirror."""
    return file.stored or f"{entry.name}/{file.name}"


def in_deposit(entry: Dataset, file: DataFile) -> bool:
    """Whether a deposit has the file: it may be passed on, and neither a system's package nor the registry has it."""
    return entry.redistributable and file.text is None and not file.system


def stored_form(entry: Dataset, file: DataFile) -> Path | None:
    """A file as a mirror and a deposit hold it, compressed if they compress it; checked. None if it is not here."""
    for cached in (True, False):
        source, path, sha256, size = _source(entry, file, cached=cached)
        if path and sha256 == (file.stored_sha256 or file.sha256):
            return _verified(path, sha256, size, REMEDIES[source], False)
    return None


def _addresses(entry: Dataset, file: DataFile) -> list[tuple[str, bool, int | None]]:
    """Where a file can be downloaded, whether it is compressed there, and how long it is there, if that is known."""
    official = [(url, PurePosixPath(urlsplit(url).path).suffix in DECOMPRESS, None) for url in file.urls]
    base = deposit_address() if in_deposit(entry, file) else ""
    if not base:
        return official
    packed, size = file.stored_sha256 is not None, file.stored_size or file.size
    return [(f"{base}/{quote(place_in_deposit(entry, file))}", packed, size), *official]


def fetch(
    name: str,
    file: str | None = None,
    *,
    registry: Registry | None = None,
    recheck: bool = False,
    repair: bool = False,
    unreachable: set[str] | None = None,
) -> Path | dict[str, Path]:
    """A dataset's files, checked: from the cache, the mirror, the deposit, or else from the official address.

    Parameters
    ----------
    name : str
        The dataset.
    file : str, optional
        One file of it, by its name as used.
    registry : mapping, optional
        A registry other than the project's.
    recheck : bool
        Hash every file again, also those that were checked before and have not changed since.
    repair : bool
        Replace a damaged file in the cache instead of refusing it. (A mirror is never written to.)
    unreachable : set of str, optional
        Servers not to be tried; those that do not answer are added, so that one call after another need not wait.

    Returns
    -------
    Path or dict of str to Path
        The file, or all files by name in the registry's order. Treat them as read-only.

    Raises
    ------
    DataError
        Unknown name; altered or truncated file; file to be had nowhere; server out of reach (`UnreachableError`);
        damaged compressed file; disk full. Nothing half-written stays behind.
    """
    entry = dataset(name, registry)
    if file is not None and file not in entry.files:
        raise DataError(unknown(f"file of {name}", file, entry.files, "data/registry.toml"))
    wanted = entry.files.values() if file is None else [entry.files[file]]
    paths = {f.name: _at_hand(entry, f, recheck, repair)[0] for f in wanted}
    absent = [f for f in wanted if paths[f.name] is None]
    unreachable = set() if unreachable is None else unreachable
    for f in absent:
        with workshop(cache_folder() / entry.name, f.name.replace("/", "-"), f.size) as scratch:
            path, damage = _at_hand(entry, f, False, repair)  # another process may have made it while this one waited
            try:
                paths[f.name] = path or _make(entry, f, scratch, unreachable)
            except DataError as error:
                raise type(error)(f"{damage} No other could be had: {error}" if damage else str(error)) from None
    return paths if file is None else paths[file]


def fetch_matching(name: str, pattern: str, **options) -> list[Path]:
    """The files of a dataset whose name matches a shell pattern, in the registry's order; options as for `fetch`.

    Raises
    ------
    DataError
        As `fetch`; also if nothing matches.
    """
    entry = dataset(name, options.get("registry"))
    names = [file for file in entry.files if PurePosixPath(file).match(pattern)]
    if not names:
        raise DataError(f"no file of {name} matches {pattern!r}. Its files: {', '.join(entry.files)}")
    return [fetch(name, file, **options) for file in names]


def _at_hand(entry: Dataset, file: DataFile, recheck: bool, repair: bool) -> tuple[Path | None, str]:
    """The file in the cache or, in the form in which it is used, in the mirror; checked. None if in neither.

    And what is wrong with a file of the cache that is to be repaired.
    """
    source, path, sha256, size = _source(entry, file)
    if source != "cache" and (source != "mirror" or file.stored_sha256):
        return None, ""
    try:
        return _verified(path, sha256, size, REMEDIES[source], recheck), ""
    except DataError as error:
        if source == "cache" and repair and not path.is_dir():
            return None, str(error)
        raise


def _make(entry: Dataset, file: DataFile, scratch: Path, unreachable: set[str]) -> Path:
    """Put the file into the cache from the first source that has it, and return its place."""
    target, fresh, tried = cache_folder() / entry.name / file.name, scratch / "fresh", []
    try:
        source, path, sha256, size = _source(entry, file, cached=False)
        if path:
            _verified(path, sha256, size, REMEDIES[source], False)
            _copy(path, fresh, file.size, str(path), packed=source == "mirror" and file.stored_sha256 is not None)
            return _moved(fresh, target, file, f"what {path} holds", REMEDIES[source])
        if file.text is not None:
            fresh.write_bytes(file.text.encode())
            return _moved(fresh, target, file, "the registry's text", "Restore data/registry.toml")
        for url, packed, size in _addresses(entry, file):
            try:
                _download(url, file, fresh, unreachable, packed, size)
                change = f"if the owner has changed the file, put the registered one into {target.parent}"
                remedy = f"Try again later; {change}. {entry.obtain}"
                return _moved(fresh, target, file, f"the download from {url}", remedy)
            except DataError as failure:
                tried.append(failure)
    except OSError as error:
        raise write_error(error, target, file.size) from error
    places = [f"not in the cache ({target})"]
    if file.stored:
        mirror = mirror_folder()
        absent = f"not in the mirror ({mirror and mirror / file.stored} is missing)"
        places.append(absent if mirror else "no mirror (CDSM_DATA_MIRROR is not set)")
    places += [f"{place} is missing" for place in file.system]
    problem = f"{entry.name}/{file.name} cannot be had: {'; '.join([*places, *map(str, tried)])}."
    if tried and all(isinstance(failure, UnreachableError) for failure in tried):
        raise UnreachableError(f"{problem} Connect to a network and run `make data` again. {entry.obtain}")
    raise DataError(f"{problem} {entry.obtain}")


def _download(url: str, file: DataFile, fresh: Path, unreachable: set[str], packed: bool, size: int | None):
    """Fetch `url` into `fresh`, unpacked if it is compressed there."""
    server, place = urlsplit(url).netloc, fresh.with_name(PurePosixPath(urlsplit(url).path).name)
    if server in unreachable:
        raise UnreachableError(f"{server} did not answer")
    try:
        receive(url, place, size)
    except UnreachableError:
        unreachable.add(server)
        raise
    if not packed and (found := sha256_of(place)) != file.sha256:
        problem = f"SHA-256 {file.sha256} expected, {found} found"
        raise DataError(f"the download from {url} is altered or truncated: {problem}")
    _copy(place, fresh, file.size, url, packed)
    place.unlink()


def receive(url: str, place: Path, size: int | None = None) -> None:
    """Download `url` to `place`, unchecked; where the connection breaks, go on from there, after each of `PAUSES`.

    Parameters
    ----------
    url : str
    place : Path
    size : int, optional
        Bytes that are expected.

    Raises
    ------
    UnreachableError
        If the server does not answer.
    DataError
        If it answers with an error or with more than `size` bytes, or breaks off again and again.
    """
    import requests

    try:
        _receive(url, place, size)
    except requests.HTTPError as error:
        raise DataError(f"{url} answered {error.response.status_code}") from None
    except requests.exceptions.ChunkedEncodingError:
        raise DataError(f"the download from {url} broke off and is truncated") from None
    except (requests.ConnectionError, requests.Timeout):
        raise UnreachableError(f"no network, or {urlsplit(url).netloc} does not answer ({url})") from None
    except requests.RequestException as error:
        raise DataError(f"the download from {url} failed: {type(error).__name__}") from None


def _receive(url: str, place: Path, size: int | None):
    """As `receive`, with the errors of requests."""
    import requests

    for pause in (*PAUSES, None):
        have = place.stat().st_size if place.exists() else 0
        asked = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        try:
            with requests.get(url, headers=asked, stream=True, timeout=TIMEOUT) as answer:
                answer.raise_for_status()
                going_on = answer.status_code == requests.codes.partial_content  # else it begins anew
                left = int(answer.headers.get("Content-Length", 0)) or None
                bar = tqdm(desc=place.name, total=left, unit="B", unit_scale=True, disable=None, leave=False)
                with open(place, "ab" if going_on else "wb") as sink, bar:
                    for block in answer.iter_content(CHUNK >> 4):  # a block that is not whole is lost
                        sink.write(block)
                        if size is not None and sink.tell() > size:
                            raise DataError(f"{url} holds more than the registered {size:,} bytes")
                        bar.update(len(block))
            if size is None or place.stat().st_size >= size:
                return
            raise requests.exceptions.ChunkedEncodingError  # a server that does not say how long it is broke off
        except requests.HTTPError as error:
            status = error.response.status_code
            if pause is None or status < requests.codes.server_error and status != requests.codes.too_many_requests:
                raise
        except (requests.exceptions.ChunkedEncodingError, requests.ConnectionError, requests.Timeout):
            if pause is None or not place.exists():
                raise
        time.sleep(pause)


def _copy(place: Path, target: Path, size: int, origin: str, packed: bool):
    """Copy a file, unpacked if `packed`, to `target`, at most `size` bytes; what cannot be finished is removed."""
    written = 0
    try:
        with (DECOMPRESS[place.suffix] if packed else open)(place, "rb") as source, open(target, "wb") as sink:
            while block := source.read(CHUNK):
                written += len(block)
                if written > size:
                    raise DataError(f"{origin} holds more than the registered {size:,} bytes. {_PACKED_REMEDY}")
                sink.write(block)
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, DAMAGED) or (
            isinstance(error, OSError) and error.errno is None
        ):  # bz2 has no error of its own
            raise DataError(f"{origin} is a truncated or altered archive ({error}). {_PACKED_REMEDY}") from None
        raise


def _moved(fresh: Path, target: Path, file: DataFile, origin: str, remedy: str) -> Path:
    """Check the fresh file, move it into place, and remember that it was checked."""
    sha256 = sha256_of(fresh)
    if sha256 != file.sha256:
        fresh.unlink()
        raise DataError(f"{origin} is altered: SHA-256 {file.sha256} expected, {sha256} found. {remedy}")
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(fresh, target)
    _remember(target, target.stat(), sha256)
    return target


@contextlib.contextmanager
def workshop(folder: Path, name: str = "", size: int = 0, waiting: str = "") -> Iterator[Path]:
    """A scratch folder inside `folder`, for one process at a time.

    The folder is gone afterwards, and so is what an interrupted run left.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    name : str
        Of what is made; processes that make something of another name need not wait.
    size : int
        Bytes needed, for the message when the disk is full.
    waiting : str
        What to say on standard error if another process is at work.

    Raises
    ------
    DataError
        If the folder cannot be written to, or the disk is full.
    """
    prefix = f".{name}." if name else "."
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if _locked(stack.enter_context(open(folder / f"{prefix}lock", "a")), waiting):
                ours = re.compile(rf"{re.escape(prefix)}partial-[a-z0-9_]{{8}}")  # as tempfile names what it makes
                for left in filter(lambda path: ours.fullmatch(path.name), list(folder.iterdir())):
                    shutil.rmtree(left, ignore_errors=True)
            scratch = tempfile.TemporaryDirectory(prefix=f"{prefix}partial-", dir=folder, ignore_cleanup_errors=True)
            stack.enter_context(scratch)
        except OSError as error:
            raise write_error(error, folder, size) from error
        yield Path(scratch.name)


def _locked(handle, waiting: str) -> bool:
    """Wait for the lock, which ends with the process however that ends; False where the system has no such locks."""
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting:
                print(waiting, file=sys.stderr, flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
    except (AttributeError, OSError):
        return False
    return True


def write_error(error: OSError, place: Path, size: int = 0) -> DataError:
    """What to raise where a file could not be written: the disk is full, or the folder is not the user's."""
    elsewhere = place.absolute().is_relative_to(cache_folder())  # only of the cache can she choose the place
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        problem = f"the disk is full; some {max(size / 1e6, 0.1):,.1f} MB are needed, and nothing was left half-written"
        remedy = "Free some space" + elsewhere * ", or set CDSM_DATA_CACHE to a folder on another disk"
    else:
        problem = error.strerror or error
        remedy = "Make it a folder that you can write to"
        if elsewhere:
            remedy = "Set CDSM_DATA_CACHE to a folder that you can write to"
    return DataError(f"{place}: {problem}. {remedy}")


# -------------------------------------------------------------------------------------------------------- checking


def _verified(path: Path, sha256: str, size: int, remedy: str, recheck: bool) -> Path:
    """`path`, if it holds what it should."""
    if path.is_dir():
        raise DataError(f"{path} is a folder, where a file belongs. Move it away")
    try:
        size_there, sha256_there = path.stat().st_size, checked_hash(path, recheck)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}. {remedy}") from error
    if size_there != size:
        problem = "truncated" if size_there < size else "altered"
        raise DataError(f"{path} is {problem}: {size:,} bytes expected, {size_there:,} found. {remedy}")
    if sha256_there != sha256:
        raise DataError(f"{path} is altered: SHA-256 {sha256} expected, {sha256_there} found. {remedy}")
    return path


def checked_hash(path: Path, recheck: bool = False) -> str:
    """SHA-256 of a file, remembered for as long as its size, times and inode stay as they are."""
    before = path.stat()
    if not recheck:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # no memory of it, or a spoilt one
            stamp = json.loads(_stamp_place(path).read_text())
            if stamp["state"] == _state(path, before):
                return stamp["sha256"]
    sha256 = sha256_of(path)
    _remember(path, before, sha256)
    return sha256


def _remember(path: Path, status: os.stat_result, sha256: str):
    if abs(time.time_ns() - status.st_mtime_ns) < 2_000_000_000:
        return  # so young that a change in the same tick of the file system's clock would go unseen
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, not correctness
        with storage.whole_file(_stamp_place(path)) as sink:
            json.dump({"state": _state(path, status), "sha256": sha256}, sink)


def _state(path: Path, status: os.stat_result) -> list:
    return [str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _stamp_place(path: Path) -> Path:
    return cache_folder() / ".checked" / f"{hashlib.sha256(str(path).encode()).hexdigest()[:32]}.json"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _hash_of_hashes(hashes: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


# --------------------------------------------------------------------------------------------------------- WordNet


def wordnet() -> Path:
    """A folder with WordNet 3.0 as NLTK reads it, registered with NLTK: ``from nltk.corpus import wordnet`` works.

    Debian's edition is pinned in the registry, file by file: it is copied into the cache, with ``lexnames``, the names
    of the 45 lexicographer files, beside it. Where it is missing, a copy that NLTK's own downloader got is accepted if
    it has WordNet 3.0's numbers of synsets. (Debian corrects some entries, so hashes and offsets of the two may differ;
    `used` hashes the files that are really read.)

    Returns
    -------
    Path
        The folder that holds ``corpora/wordnet``.

    Raises
    ------
    DataError
        If there is neither; the message says how to get it.
    """
    import nltk

    try:
        folder = fetch("wordnet")["corpora/wordnet/lexnames"].parents[2]
    except DataError:
        folder = _wordnet_of_nltk()
        if folder is None:
            raise
    if str(folder) in nltk.data.path:
        nltk.data.path.remove(str(folder))
    nltk.data.path.insert(0, str(folder))
    return folder


def _wordnet_of_nltk() -> Path | None:
    """The first of NLTK's data folders that holds WordNet 3.0, unpacked."""
    import nltk

    return next((Path(p) for p in nltk.data.path if _is_wordnet_3_0(Path(p) / "corpora" / "wordnet")), None)


def _is_wordnet_3_0(folder: Path) -> bool:
    """Whether every file that NLTK reads is there, with the published number of synsets for each part of speech."""
    names = [PurePosixPath(f).name for f in dataset("wordnet").files]
    if not all((folder / name).is_file() for name in names):
        return False
    for pos, count in WORDNET_SYNSETS.items():
        with open(folder / f"data.{pos}", "rb") as lines:  # the licence's lines begin with two spaces
            if sum(not line.startswith(b"  ") for line in lines) != count:
                return False
    return True


# ---------------------------------------------------------------------------------------------------------- status


@dataclass(frozen=True)
class Status:
    """How things stand with a dataset.

    `state` is ``present``, ``partly``, ``missing`` or ``damaged``; `where` names the places its files are in;
    `missing` counts files; `advice` says what to do when it is not all there; `problems` are messages.
    """

    name: str
    state: str
    where: str
    licence: str
    size: int
    files: int
    missing: int
    advice: str
    problems: tuple[str, ...] = ()


def status(
    names: Iterable[str] | None = None, *, registry: Registry | None = None, recheck: bool = False
) -> list[Status]:
    """How things stand with each dataset, by the hashes of what is there; nothing is fetched.

    Parameters
    ----------
    names : iterable of str, optional
        Datasets; all by default.
    recheck : bool
        Hash again also what was checked before.
    """
    registry = load_registry() if registry is None else registry
    rows = []
    for entry in [dataset(name, registry) for name in (registry if names is None else names)]:
        where, problems = [], []
        for file in entry.files.values():
            source, path, sha256, size = _source(entry, file)
            where.append(source)
            try:
                if path:
                    _verified(path, sha256, size, REMEDIES[source], recheck)
            except DataError as error:
                problems.append(str(error))
        missing, places = where.count("missing"), "+".join(dict.fromkeys(w for w in where if w in REMEDIES))
        if entry.name == "wordnet" and missing and _wordnet_of_nltk():
            missing, places = 0, "nltk"
        state = "damaged" if problems else "present" if not missing else "partly" if places else "missing"
        advice = entry.obtain if missing else ""
        about = (entry.name, state, places, entry.licence, entry.size, len(entry.files), missing, advice)
        rows.append(Status(*about, tuple(problems)))
    return rows


def _source(entry: Dataset, file: DataFile, cached=True) -> tuple[str, Path | None, str, int]:
    """Where `fetch` would take the file from without a network: name of the place, path, hash and size there."""
    place = cache_folder() / entry.name / file.name
    if cached and place.exists():
        return "cache", place, file.sha256, file.size
    mirror = mirror_folder()
    if mirror and file.stored and (mirror / file.stored).exists():
        return "mirror", mirror / file.stored, file.stored_sha256 or file.sha256, file.stored_size or file.size
    for path in map(Path, file.system):
        if path.is_file():
            return "system", path, file.sha256, file.size
    return "missing" if file.text is None else "registry", None, file.sha256, file.size


def status_table(rows: Iterable[Status]) -> str:
    """Rows of `status` as a plain text table, with what to do below it."""
    rows = list(rows)
    cells = [("set", "state", "size", "licence")]
    for row in rows:
        state = f"{row.state} ({row.where})" if row.where else row.state
        cells.append((row.name, state, f"{row.size / 1e6:,.1f} MB", row.licence))
    widths = [max(len(line[i]) for line in cells) for i in range(3)]
    text = [f"{n:<{widths[0]}}  {s:<{widths[1]}}  {b:>{widths[2]}}  {licence}" for n, s, b, licence in cells]
    notes = [f"{row.name}: {row.missing} of {row.files} files missing. {row.advice}" for row in rows if row.missing]
    if notes:
        text += ["", "To do for what is missing:", *(f"- {note}" for note in notes)]
        text += ["", f"The cache is {cache_folder()} (CDSM_DATA_CACHE); each set has a folder of its name in it."]
    return "\n".join(text) + "\n"


def update(names: Iterable[str] = (), *, check: bool = False, recheck: bool = False, repair: bool = True) -> int:
    """Fetch what can be fetched, check it, and print how things stand: the task ``python -m cdsm_lib data``.

    Parameters
    ----------
    names : iterable of str
        Datasets; all if there are none.
    check : bool
        Fetch and change nothing.
    recheck, repair : bool
        As for `fetch`.

    Returns
    -------
    int
        0; 1 if a file is damaged, a fetch failed, or a set that was named is not complete.

    Raises
    ------
    DataError
        For a name that is not in the registry, before anything is fetched.
    """
    names = list(names)
    entries = [dataset(name) for name in names or load_registry()]
    failures = [] if check else _fetch_what_can_be(entries, recheck, repair)
    rows = status([entry.name for entry in entries], recheck=recheck and check)
    print(status_table(rows), end="")
    problems = [problem for row in rows for problem in row.problems] if check else failures
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return int(bool(problems) or bool(names) and any(row.missing for row in rows))


def _fetch_what_can_be(entries: Iterable[Dataset], recheck: bool, repair: bool) -> list[str]:
    """Fetch each file that has a source; return the messages of those that failed, one for each server out of reach."""
    wanted, unreachable = [], set()
    for entry in entries:
        sources = {file.name: _source(entry, file)[0] for file in entry.files.values()}
        for file in entry.files.values():
            if sources[file.name] == "missing" and not _addresses(entry, file):
                continue  # only its owner gives it out: the table says what to do
            if sources[file.name] == "registry" and "missing" in sources.values():
                continue  # of no use without the others
            wanted.append((entry.name, file.name))

    def failure(names: tuple[str, str]) -> DataError | None:
        try:
            fetch(*names, recheck=recheck, repair=repair, unreachable=unreachable)
        except DataError as error:
            return error

    with ThreadPoolExecutor(AT_ONCE) as threads:
        errors = [error for error in threads.map(failure, wanted) if error]
    silent = [str(error) for error in errors if isinstance(error, UnreachableError)]
    first = {next((problem for problem in silent if server in problem), None) for server in unreachable}
    return [str(error) for error in errors if str(error) not in silent or str(error) in first]


# ------------------------------------------------------------------------------------- what profiles need as well


def read_toml(path: Path) -> dict:
    """A TOML file of the checkout; arrays as tuples. A `DataError` names a file that cannot be read."""
    try:
        return _frozen(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}. Restore it from the repository") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, brackets in thousands
        raise DataError(f"{path} is not TOML: {error}. Correct it, or restore it from the repository") from None


def _frozen(value):
    """TOML arrays as tuples, at every depth."""
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    return tuple(_frozen(inner) for inner in value) if isinstance(value, list) else value


def unknown(kind: str, name: object, known: Iterable[str], place: str, key: str | None = None) -> str:
    """A message for a name that is not known: the nearest known one, and all of them."""
    known = list(known)
    near = difflib.get_close_matches(str(key or name), known, n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {kind} {shown(name)}.{guess} Known in {place}: {', '.join(known) or 'none'}"
