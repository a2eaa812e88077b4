"""A deposit: a folder with the data that may be passed on, ready to be published in a research archive.

It is laid out as a mirror is, so that ``CDSM_DATA_MIRROR`` can name a copy of it and ``CDSM_DATA_URL`` the address at
which it is served. Datasets that the registry calls not redistributable are not in it. Beside the files stand
``SHA256SUMS``, ``LICENCES.md``, a README, and ``datapackage.json`` as the Frictionless Data Package standard has it.

In ``trained`` lie files of the cache (`cdsm_lib.cache`), so that verifying needs no training: those of `TRAINED` that
the present code would look for, by the hash of its source in their names. `take` puts them into another cache.
"""

import contextlib
import json
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from cdsm_lib import cache, datasets
from cdsm_lib.datasets import DataError, DataFile, Dataset, sha256_of
from cdsm_lib.storage import whole_file, whole_folder

MARK = "datapackage.json"
"""By this file, of this name, a folder is known as a deposit."""

OWN = {MARK, "README.md", "LICENSE", "LICENCES.md", "SHA256SUMS"}
NAME = "cdsm-compendium-data"
MODELS = "models"
TERMS = {"name": "CC-BY-SA-3.0", "title": "CC BY-SA 3.0, as the corpus; see models/README.md", "path": "LICENSE"}

MOST = 1 << 23
"""Bytes that a deposit's description may have."""

CACHED = "trained"
"""The folder of a deposit that holds files of the cache."""

_CORPUS, _SENSES = ("wikipedia_parsed",), ("wikipedia_parsed", "semcor", "wordnet")
TRAINED = {
    "cheung/counts": ("contextual_models", _CORPUS),
    "cheung/senses": ("contextual_models", _CORPUS),
    "leaderboard/counts": ("contextual_models", _CORPUS),
    "leaderboard/reduced": ("leaderboard_systems", _CORPUS),
    "vectors/word2vec": ("sense_vectors", _CORPUS),
    "vectors/dep2vec": ("sense_vectors", _CORPUS),
    "vectors/tagger": ("sense_vectors", _SENSES),
    "vectors/senses": ("sense_vectors", _SENSES),
    "vectors/quality": ("sense_vectors", _SENSES),
}
"""What `make verify` reads from the cache and a deposit has: the chapter's module that makes it, and the datasets.

Of other datasets no more is in it than which words are counted. What is not here is made in seconds
(``vectors/words``, ``vectors/lexemes``), or `make reproduce` alone asks for it (``localisation/...``).
"""

README = """# Data of an executable compendium on compositional distributional semantics

The datasets and trained models that `make verify` reads and that may be passed on. `LICENCES.md` says under which terms
and by whom; `datapackage.json` says the same for programs; `SHA256SUMS` checks the files (`sha256sum -c SHA256SUMS`).

In a clone of the project, `CDSM_DATA_URL=<address of this folder> make data` fetches what it needs, or
`CDSM_DATA_MIRROR=<this folder> make data` takes it from a copy. What lies in `models` is part of the project itself;
what lies in `trained` goes into the cache, if the project's code would still make the same.
"""


def make(folder: Path, *, partial: bool = False, registry: datasets.Registry | None = None) -> list[str]:
    """Write a deposit, whole or not at all.

    Parameters
    ----------
    folder : Path
        New, empty, or a deposit that was made before, which is replaced.
    partial : bool
        Leave out what cannot be had on this machine instead of refusing.
    registry : mapping, optional
        A registry other than the project's.

    Returns
    -------
    list of str
        What was left out, as ``dataset/file``.

    Raises
    ------
    DataError
        If the folder holds something else, a file is not what the registry says, or, without `partial`, one is missing.
    """
    if folder.exists() and not _is_deposit(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not empty, and holds more than a deposit. Name a new folder; nothing was changed")
    registry = datasets.load_registry() if registry is None else registry
    every = ((entry, file) for entry in registry.values() for file in entry.files.values())
    files = [pair for pair in every if datasets.in_deposit(*pair)]
    places = {(entry.name, file.name): datasets.stored_form(entry, file) for entry, file in files}
    missing = ["/".join(names) for names, place in places.items() if place is None]
    kept = _kept(registry)
    missing += [f"{CACHED}/{name}" for name, found in kept.items() if not found]
    if missing and not partial:
        lists = f"{len(missing)} files cannot be had here: {', '.join(missing)}"
        raise DataError(f"{lists}. Run `make data`, and `make verify` for what is trained, or take --partial")
    resources = []
    with whole_folder(folder) as fresh:
        for entry, file in tqdm(files, "deposit", unit="file", disable=None):
            if place := places[entry.name, file.name]:
                name = datasets.place_in_deposit(entry, file)
                resources.append(_described(_copied(place, fresh / name), fresh, entry, file.format))
        for place in sorted((datasets.data_root() / MODELS).iterdir()):
            resources.append(_described(_copied(place, fresh / MODELS / place.name), fresh))
        for name, found in kept.items():
            trained_on = [registry[one] for one in TRAINED[name][1]]
            for place in found:
                copy = _copied(place, fresh / CACHED / place.relative_to(datasets.cache_folder()))
                resources.append(_described(copy, fresh, trained_on=trained_on))
        included = {entry.name: entry for entry, file in files if places[entry.name, file.name]}
        package = {"profile": "data-package", "name": NAME, "resources": resources}
        _copied(datasets.data_root().parent / "LICENSE", fresh / "LICENSE")
        (fresh / "README.md").write_text(README, "utf8")
        (fresh / "LICENCES.md").write_text(licences(included.values()), "utf8")
        (fresh / MARK).write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n", "utf8")
        sums = {place.name: sha256_of(place) for place in sorted(fresh.iterdir()) if place.is_file()}
        sums |= {one["path"]: one["hash"].partition(":")[2] for one in resources}
        (fresh / "SHA256SUMS").write_text("".join(f"{sha256}  {name}\n" for name, sha256 in sums.items()), "utf8")
    return missing


def _is_deposit(folder: Path) -> bool:
    """Whether a folder holds what a deposit wrote, and nothing else."""
    try:
        package = json.loads((folder / MARK).read_text("utf8"))
        own = {resource["path"] for resource in package["resources"]} | OWN
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        return package["name"] == NAME and there <= own
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _copied(place: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(place, target))


def _kept(registry: datasets.Registry) -> dict[str, list[Path]]:
    """The files of the cache that the present code would look for and that may be passed on, by their name there."""
    may = {name: sets for name, (_, sets) in TRAINED.items() if all(one in registry for one in sets)}
    return {
        name: sorted(datasets.cache_folder().glob(f"{name}-{_code(name)}-*.npz"))
        for name, sets in may.items()
        if all(registry[one].redistributable for one in sets)
    }


def _code(name: str) -> str:
    """The hash of the source that makes a file of `TRAINED` today."""
    return cache.code_of(f"cdsm_lib.chapters.{TRAINED[name][0]}")


def _described(
    path: Path, folder: Path, entry: Dataset | None = None, format: str = "", trained_on: Iterable[Dataset] = ()
) -> dict:
    """A resource of a data package."""
    place = path.relative_to(folder).as_posix()
    name = place.lower().replace("/", "-").replace("_", "-")
    resource = {"name": name, "path": place, "bytes": path.stat().st_size, "hash": f"sha256:{sha256_of(path)}"}
    if entry is None:
        further = [{"title": one.licence, "path": one.pages[0]} for one in trained_on]
        about = {"description": "trained by this project, see models/README.md", "licenses": [TERMS, *further]}
        return resource | about | {"sources": [{"title": one.title, "path": one.pages[0]} for one in trained_on]}
    about = {
        "title": entry.title,
        "description": format,
        "licenses": [{"title": entry.licence, "path": entry.pages[0]}],
    }
    return resource | about | {"sources": [{"title": entry.citation, "path": entry.pages[0]}]}


def licences(entries: Iterable[Dataset]) -> str:
    """The datasets with licence, citation and pages, as Markdown."""
    parts = ["# Licences\n"]
    for entry in entries:
        pages = " ".join(f"<{page}>" for page in entry.pages)
        terms = f"- Licence: {entry.licence}\n- Cite: {entry.citation}\n- {pages}\n"
        parts.append(f"## {entry.name}\n\n{entry.title}\n\n{terms}")
    terms = "CC BY-SA 3.0, as its text; see `models/README.md` and `LICENSE`"
    parts.append(f"## models\n\nTrained by this project, on the parsed Wikipedia.\n\n- Licence: {terms}\n")
    terms = "CC BY-SA 3.0, as the corpus; of what SemCor and WordNet have a part in, theirs beside it"
    parts.append(f"## {CACHED}\n\nCounted or trained by this project, on: see `{MARK}`.\n\n- Licence: {terms}\n")
    return "\n".join(parts)


# ------------------------------------------------------------------------------------------------------------ taking


def take() -> int:
    """Put into the cache what a deposit has for it: one in ``$CDSM_DATA_MIRROR``, or else the one that is served.

    Each file is checked by the SHA-256 that the deposit states for it before it can be read. One that the present code
    would not look for is not fetched. Says what was done.

    Returns
    -------
    int
        How many files could not be had.

    Raises
    ------
    DataError
        If what is served is no deposit, or a server does not answer.
    """
    pattern = f"{CACHED}/(({'|'.join(map(re.escape, TRAINED))})-([0-9a-f]{{8}})-[0-9a-f]{{16}}\\.npz)"
    offered = {one["path"]: one for one in _package()}
    matches = [match for path in offered if (match := re.fullmatch(pattern, path))]
    fit = [match for match in matches if match[3] == _code(match[2])]
    problems = []
    for match in fit:
        one = offered[match[0]]
        try:
            _into_cache(DataFile(match[1], one["hash"].partition(":")[2], one["bytes"], "", match[0]))
        except DataError as error:
            problems.append(str(error))
    if matches:
        print(f"{CACHED}: {len(fit) - len(problems)} of the deposit's {len(matches)} files are in the cache")
    for match in matches:
        if match not in fit:
            print(f"- {match[1]} is not used: other code made it. What it holds is made anew when it is needed")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return len(problems)


def _package() -> list[dict]:
    """What the deposit that can be reached says that it has; nothing if there is none."""
    mirror, address = datasets.mirror_folder(), datasets.deposit_address()
    if mirror and (mirror / MARK).is_file():
        where, text = mirror, (mirror / MARK).read_bytes()
    elif address:
        where, text = datasets.public(address), datasets.received(f"{address}/{MARK}", MOST)
    else:
        return []
    with contextlib.suppress(ValueError, KeyError, TypeError):
        package = json.loads(text)
        if package["name"] == NAME:
            return [one for one in package["resources"] if {"path", "hash", "bytes"} <= one.keys()]
    raise DataError(f"{where}: its {MARK} is not that of a deposit, or not whole. Try again, or elsewhere")


def _into_cache(file: DataFile) -> None:
    """Fetch a file, checked, and put it where `cdsm_lib.cache` looks."""
    target = datasets.cache_folder() / file.name
    if not target.exists():
        entry = Dataset(CACHED, "", "", True, "", "", (), "", {file.name: file})
        fetched = datasets.fetch(CACHED, file.name, registry={CACHED: entry})
        with whole_file(target, "wb") as sink, open(fetched, "rb") as source:
            shutil.copyfileobj(source, sink)
        if fetched.is_relative_to(datasets.cache_folder()):
            fetched.unlink()
