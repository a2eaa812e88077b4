"""A deposit: a folder with the data that may be passed on, ready to be published in a research archive.

It is laid out as a mirror is, so that ``CDSM_DATA_MIRROR`` can name a copy of it and ``CDSM_DATA_URL`` the address at
which it is served. Datasets that the registry calls not redistributable are not in it. Beside the files stand
``SHA256SUMS``, ``LICENCES.md``, a README, and ``datapackage.json`` as the Frictionless Data Package standard has it.
"""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from cdsm_lib import datasets
from cdsm_lib.datasets import DataError, Dataset, sha256_of
from cdsm_lib.storage import whole_folder

MARK = "datapackage.json"
"""By this file, of this name, a folder is known as a deposit."""

OWN = {MARK, "README.md", "LICENSE", "LICENCES.md", "SHA256SUMS"}
NAME = "cdsm-compendium-data"
MODELS = "models"
TERMS = {"name": "CC-BY-SA-3.0", "title": "CC BY-SA 3.0, as the corpus; see models/README.md", "path": "LICENSE"}

README = """# Data of an executable compendium on compositional distributional semantics

The datasets and trained models that `make verify` reads and that may be passed on. `LICENCES.md` says under which terms
and by whom; `datapackage.json` says the same for programs; `SHA256SUMS` checks the files (`sha256sum -c SHA256SUMS`).

In a clone of the project, `CDSM_DATA_URL=<address of this folder> make data` fetches what it needs, or
`CDSM_DATA_MIRROR=<this folder>` reads a copy in place. The trained models are part of the project itself, too.
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
    if missing and not partial:
        lists = ", ".join(missing)
        raise DataError(f"{len(missing)} files cannot be had here: {lists}. Run `make data`, or take --partial")
    resources = []
    with whole_folder(folder) as fresh:
        for entry, file in tqdm(files, "deposit", unit="file", disable=None):
            if place := places[entry.name, file.name]:
                name = datasets.place_in_deposit(entry, file)
                resources.append(_described(_copied(place, fresh / name), fresh, entry, file.format))
        for place in sorted((datasets.data_root() / MODELS).iterdir()):
            resources.append(_described(_copied(place, fresh / MODELS / place.name), fresh))
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


def _described(path: Path, folder: Path, entry: Dataset | None = None, format: str = "") -> dict:
    """A resource of a data package."""
    place = path.relative_to(folder).as_posix()
    name = place.lower().replace("/", "-").replace("_", "-")
    resource = {"name": name, "path": place, "bytes": path.stat().st_size, "hash": f"sha256:{sha256_of(path)}"}
    if entry is None:
        return resource | {"description": "trained by this project, see models/README.md", "licenses": [TERMS]}
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
    return "\n".join(parts)
