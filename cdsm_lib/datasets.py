"""Where the data come from: a registry of real datasets, each file checked before it is used.

`data/registry.toml` names every dataset with its licence, its citation and the SHA-256 of each file *that is used*
(not of a compressed form it came in). A file is looked for in four places, in this order:

1. the user's cache: ``$CDSM_DATA_CACHE``, or the platform's cache folder for ``cdsm``; files lie in
   ``<cache>/<dataset>/<file>``, and whoever got a file from its owner puts it there;
2. the mirror ``$CDSM_DATA_MIRROR``, if that is set: a read-only folder, used in place, unpacked into the cache where
   the mirror holds a compressed form;
3. the deposit, a mirror of what may be passed on (`cdsm_lib.deposit`), at ``$CDSM_DATA_URL`` or the registry's address;
4. the official address, where the owner serves the file itself.

pooch brings what is not in its place yet: into a temporary file, which moves into place when its SHA-256 is right. No
source may give more bytes than are registered. Hashing the parsed Wikipedia takes a second, so a file once checked is
remembered by its size, times and inode; a file that changed in any of these is hashed again.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.parse import quote, urlsplit

import platformdirs

from cdsm_lib import storage
from cdsm_lib.tables import DAMAGED, DECOMPRESS, cut, shown

CHUNK = 1 << 20
RETRIES = 2  # of a download that broke off
SLACK = 1 << 16  # bytes by which a compressed form of unknown size may be longer than the file
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
        If the file cannot be read, or does not fit its schema.
    """
    return _read_registry(Path(path) if path else data_root() / "registry.toml")


@cache
def _read_registry(path: Path) -> Registry:
    entries = read_toml(path, "registry")
    return {
        name: Dataset(name=name, **entry | {"files": {file["name"]: DataFile(**file) for file in entry["files"]}})
        for name, entry in entries.items()
        if name != DEPOSIT
    }


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
        raise DataError(f"{where}: {public(address)!r} is no address of a folder. Give one as http(s)://server/folder")
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


@dataclass(frozen=True)
class Source:
    """Where a file is without a network: ``cache``, ``mirror``, ``system``, ``registry`` (its text) or ``missing``.

    With its path, the SHA-256 and size that it must have there, and the suffix of a compressed form.
    """

    where: str
    path: Path | None
    sha256: str
    size: int
    packed: str = ""


def source_of(entry: Dataset, file: DataFile, *, cached: bool = True) -> Source:
    """Where a file is on this machine; the cache counts only with `cached`. What is there is not checked."""
    place, mirror = cache_folder() / entry.name / file.name, mirror_folder()
    if cached and place.exists():
        return Source("cache", place, file.sha256, file.size)
    if mirror and file.stored and (mirror / file.stored).exists():
        packed = PurePosixPath(file.stored).suffix if file.stored_sha256 else ""
        size = file.stored_size or file.size
        return Source("mirror", mirror / file.stored, file.stored_sha256 or file.sha256, size, packed)
    for path in map(Path, file.system):
        if path.is_file():
            return Source("system", path, file.sha256, file.size)
    return Source("missing" if file.text is None else "registry", None, file.sha256, file.size)


def stored_form(entry: Dataset, file: DataFile) -> Path | None:
    """A file as a mirror and a deposit hold it, compressed if they compress it; checked. None if it is not here."""
    for source in (source_of(entry, file), source_of(entry, file, cached=False)):
        if source.path and source.sha256 == (file.stored_sha256 or file.sha256):
            return _verified(source)
    return None


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
        damaged compressed file; more bytes than are registered. Nothing half-written is used.
    """
    entry = dataset(name, registry)
    if file is not None and file not in entry.files:
        raise DataError(unknown(f"file of {name}", file, entry.files, "data/registry.toml"))
    unreachable = set() if unreachable is None else unreachable
    wanted = entry.files.values() if file is None else [entry.files[file]]
    paths = {f.name: _fetch(entry, f, recheck, repair, unreachable) for f in wanted}
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


def _fetch(entry: Dataset, file: DataFile, recheck: bool, repair: bool, unreachable: set[str]) -> Path:
    """A file where it can be used: in the cache, in the mirror if that has it as used, or brought to the cache."""
    target, source, damage = cache_folder() / entry.name / file.name, source_of(entry, file), ""
    if source.where == "cache":
        try:
            return _verified(source, recheck)
        except DataError as error:
            if not repair or target.is_dir():
                raise
            source, damage = source_of(entry, file, cached=False), f"{error} No other could be had: "
    if source.where == "mirror" and not source.packed and not damage:
        return _verified(source, recheck)
    problems = []
    for address, downloader in _downloaders(entry, file, source):
        server = urlsplit(public(address)).netloc
        try:
            if server and server in unreachable:
                raise UnreachableError(f"{server} did not answer")
            return _brought(address, target, file.sha256, downloader)
        except DataError as problem:
            problems.append(problem)
            if isinstance(problem, UnreachableError):
                unreachable.add(server)
    places = [f"not in the cache ({target})", *map(str, problems)]
    if file.stored and not source.path:
        places.insert(1, f"not in the mirror ({mirror_folder() or 'CDSM_DATA_MIRROR is not set'})")
    places += [f"{place} is missing" for place in file.system if not source.path]
    text = f"{damage}{entry.name}/{file.name} cannot be had: {'; '.join(places)}."
    if problems and all(isinstance(problem, UnreachableError) for problem in problems):
        raise UnreachableError(f"{text} Connect to a network and run `make data` again. {entry.obtain}")
    raise DataError(f"{text} {entry.obtain}")


def _downloaders(entry: Dataset, file: DataFile, source: Source) -> Iterator[tuple[str, Callable]]:
    """Where a file can be brought from, and what pooch calls to do it: (address, temporary place, pooch)."""
    if source.path:
        yield str(_verified(source)), partial(_copy, size=file.size, packed=source.packed)
    elif file.text is not None:
        yield "the registry's text", partial(_write, text=file.text)
    else:
        for address, packed, most in _addresses(entry, file):
            yield address, partial(_download, size=file.size, packed=packed, most=most)


def _addresses(entry: Dataset, file: DataFile) -> list[tuple[str, str, int]]:
    """Where a file can be downloaded, the suffix of a compressed form, and the bytes that may come from there."""
    suffixes = [PurePosixPath(urlsplit(url).path).suffix for url in file.urls]
    official = [
        (url, suffix if suffix in DECOMPRESS else "", file.size + SLACK * (suffix in DECOMPRESS))
        for url, suffix in zip(file.urls, suffixes, strict=True)
    ]
    base = deposit_address() if in_deposit(entry, file) else ""
    if not base:
        return official
    place = place_in_deposit(entry, file)
    packed = PurePosixPath(place).suffix if file.stored_sha256 else ""
    return [(f"{base}/{quote(place)}", packed, file.stored_size or file.size), *official]


def _brought(address: str, target: Path, sha256: str, downloader: Callable) -> Path:
    """Have pooch put a file into its place: whole and of this SHA-256, or not at all."""
    import pooch

    pooch.get_logger().setLevel("WARNING")
    registry, urls = {target.name: f"sha256:{sha256}"}, {target.name: address}
    store = pooch.create(target.parent, "", registry=registry, urls=urls, retry_if_failed=RETRIES)
    with _plain_words(address):
        return Path(store.fetch(target.name, downloader=downloader))


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


def _fresh(place: str) -> BinaryIO:
    """The temporary file of pooch, which nobody else might read, made again as the umask says."""
    Path(place).unlink()
    return open(place, "xb")


def _write(_, place: str, __, text: str) -> None:
    """A downloader: write what stands in the registry."""
    with _fresh(place) as sink:
        sink.write(text.encode())


def _copy(path: str, place: str, _, size: int, packed: str) -> None:
    """A downloader: copy a file of this machine, unpacked."""
    with DECOMPRESS.get(packed, open)(path, "rb") as source, _fresh(place) as sink:
        shutil.copyfileobj(source, _Limited(sink, size), CHUNK)


def _download(address: str, place: str, _, size: int, packed: str, most: int) -> None:
    """A downloader: take a file from a server, unpacked."""
    with tempfile.TemporaryFile(dir=Path(place).parent) as received, _fresh(place) as sink:
        _receive(address, received if packed else sink, most)
        received.seek(0)
        if packed:
            with DECOMPRESS[packed](received, "rb") as source:
                shutil.copyfileobj(source, _Limited(sink, size), CHUNK)


def _receive(address: str, sink: BinaryIO, most: int) -> None:
    import pooch

    receive = pooch.HTTPDownloader(sys.stderr.isatty(), CHUNK >> 4, headers={"Accept-Encoding": "identity"})
    receive(address, _Limited(sink, most), None)


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
    except requests.HTTPError as error:
        raise DataError(f"{place} answered {error.response.status_code}") from None
    except requests.exceptions.ChunkedEncodingError:
        raise DataError(f"the download from {place} broke off and is truncated") from None
    except (requests.ConnectionError, requests.Timeout):
        raise UnreachableError(f"no network, or {urlsplit(place).netloc} does not answer ({place})") from None
    except requests.RequestException as error:
        raise DataError(f"the download from {place} failed: {type(error).__name__}") from None
    except (*DAMAGED, OSError) as error:
        if getattr(error, "errno", None) or isinstance(error, PermissionError):
            raise
        raise DataError(f"{place} is a truncated or altered archive ({error})") from None
    except ValueError as error:  # of pooch: another hash
        raise DataError(f"{place} is altered or truncated: {error}") from None


def public(address: str) -> str:
    """An address without the name and password that may stand in it, for a message."""
    return re.sub(r"//[^/]*@", "//", address)


# -------------------------------------------------------------------------------------------------------- checking


def _verified(source: Source, recheck: bool = False) -> Path:
    """The path of a source, if it holds what it should."""
    path, remedy = source.path, REMEDIES[source.where]
    if path.is_dir():
        raise DataError(f"{path} is a folder, where a file belongs. Move it away")
    if (size := path.stat().st_size) != source.size:
        problem = "truncated" if size < source.size else "altered"
        raise DataError(f"{path} is {problem}: {source.size:,} bytes expected, {size:,} found. {remedy}")
    if (sha256 := checked_hash(path, recheck)) != source.sha256:
        raise DataError(f"{path} is altered: SHA-256 {source.sha256} expected, {sha256} found. {remedy}")
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
        sources, problems = [source_of(entry, file) for file in entry.files.values()], []
        for source in sources:
            try:
                if source.path:
                    _verified(source, recheck)
            except (DataError, OSError) as error:
                problems.append(str(error))
        where = [source.where for source in sources]
        missing, places = where.count("missing"), "+".join(dict.fromkeys(name for name in where if name in REMEDIES))
        if entry.name == "wordnet" and missing and _wordnet_of_nltk():
            missing, places = 0, "nltk"
        state = "damaged" if problems else "present" if not missing else "partly" if places else "missing"
        advice = entry.obtain if missing else ""
        about = (entry.name, state, places, entry.licence, entry.size, len(entry.files), missing, advice)
        rows.append(Status(*about, tuple(problems)))
    return rows


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
    failures, unreachable = [], set()
    for entry in entries:
        sources = {file.name: source_of(entry, file).where for file in entry.files.values()}
        for file in entry.files.values():
            if sources[file.name] == "missing" and not _addresses(entry, file):
                continue  # only its owner gives it out: the table says what to do
            if sources[file.name] == "registry" and "missing" in sources.values():
                continue  # of no use without the others
            servers = len(unreachable)
            try:
                fetch(entry.name, file.name, recheck=recheck, repair=repair, unreachable=unreachable)
            except DataError as error:
                if not isinstance(error, UnreachableError) or len(unreachable) > servers:
                    failures.append(str(error))
    return failures


# ------------------------------------------------------------------------------------- what profiles need as well


SCHEMAS = Path(__file__).with_name("schemas")


def read_toml(path: Path, schema: str = "") -> dict:
    """A TOML file of the checkout; arrays as tuples.

    Parameters
    ----------
    path : path
    schema : str, optional
        The file of ``cdsm_lib/schemas`` that it must fit, without ``.json``.

    Raises
    ------
    DataError
        Naming a file that cannot be read; or with the line, the place and the problem of what does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
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

    rules = json.loads((SCHEMAS / f"{schema}.json").read_text("utf8"))
    error = best_match(Draft202012Validator(rules).iter_errors(tomllib.loads(text)))
    if error is None:
        return ""
    place = list(error.absolute_path)
    return f"line {line_of(text, place)}: {'.'.join(map(str, place)) or 'the file'}: {cut(error.message, 200)}"


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line of a TOML text, from 1, that begins the value at a place, or else the table around it.

    Examples
    --------
    >>> line_of("[[a.b]]\\nx = 1\\n[[a.b]]\\nx = 2", ["a", "b", 1, "x"])
    4
    """
    best, found, table, counts = 0, 1, [], {}
    for number, line in enumerate(text.splitlines(), 1):
        names = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([\w-]+)', line.partition("=")[0])]
        if header := re.match(r"\[\[?", line):
            table = []
            for name in names:
                table += [name, counts[*table, name]] if (*table, name) in counts else [name]
            if header[0] == "[[":
                table = table if isinstance(table[-1], str) else table[:-1]
                counts[*table,] = counts.get((*table,), -1) + 1
                table.append(counts[*table,])
            names = []
        here = [*table, *names[:1]]
        if len(here) > best and list(place[: len(here)]) == here:
            best, found = len(here), number
    return found


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
