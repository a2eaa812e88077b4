"""What the numbers of this build rest on: times, versions, seeds, hashes, and what `make verify` recomputes."""

import hashlib
import importlib.metadata
import inspect
import json
import platform
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from book._ext import notebooks, site
from book._ext.data_sheets import table
from book._ext.templates import fill
from cdsm_lib import datasets
from cdsm_lib.chapters import reproduce


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/verified.md``, what the two commands recompute; ``generated/this-build.md``, all else."""
    ledgers = full_figures(root)
    pinned = site.locked(root)
    tables = {
        "Versions": versions(root, pinned, ledgers),
        "Seeds": table(("where", "seed"), seeds(root)),
        "Hashes of the datasets": dataset_hashes(ledgers),
        "Hashes of the models": model_hashes(root),
    }
    if executed:
        times = ((f"`{item.source.stem}`", f"{item.seconds:.0f}") for item in executed)
        tables = {"Time of each notebook": table(("notebook", "seconds"), times, "-:")} | tables
        tables["Fingerprints of the notebooks"] = fingerprints(executed)
    this_build = fill(
        "this-build.md",
        profile=profile,
        system=f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})",
        notebooks=len(executed),
        minutes=sum(item.seconds for item in executed) / 60,
        pinned=len(pinned),
        others=[name for name, version in pinned.items() if installed(name) not in (version, None)],
        figures=sum(len(ledger["results"]) for ledger in ledgers.values()),
        claims=sum(len(ledger["claims"]) for ledger in ledgers.values()),
        ledgers=len(ledgers),
        tables={title: "\n".join(lines) for title, lines in tables.items()},
    )
    return {"generated/verified.md": verified(ledgers), "generated/this-build.md": this_build}


def full_figures(root: Path) -> dict[str, dict]:
    """The committed ledgers of the full profile, by chapter."""
    paths = sorted((root / "data/results/full").glob("*.json"))
    return {path.stem: json.loads(path.read_text("utf8")) for path in paths}


def installed(name: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions(root: Path, pinned: Mapping[str, str], ledgers: Mapping[str, dict]) -> list[str]:
    """The packages that the library rests on: as locked, as installed, and as the full figures were made with."""
    pins = {name.lower(): version for name, version in pinned.items()}

    def recorded(name: str) -> str:
        return ", ".join(sorted({ledger["made_with"]["versions"].get(name, "") for ledger in ledgers.values()} - {""}))

    rows = [("Python", "", platform.python_version(), recorded("python"))]
    for name in sorted(site.dependencies(root)):
        rows.append((name, pins.get(name.lower(), ""), installed(name) or "not installed", recorded(name)))
    return table(("package", "locked", "in this build", "full figures"), rows)


def seeds(root: Path) -> Iterator[tuple[str, str]]:
    """Every seed that is written down: of the profiles, and of notebooks that have their own."""
    profiles = tomllib.loads((root / "data" / "profiles.toml").read_text("utf8"))
    profiles.pop("parameters", None)  # what notebooks may replace, no settings
    for place, seed in _seeds(profiles):
        yield f"`{place}` of `data/profiles.toml`", str(seed)
    for name, seed in notebook_seeds(root).items():
        yield f"`notebooks/{name}.ipynb`", "the profile's" if seed is None else str(seed)


def _seeds(settings: Mapping, place: str = "") -> Iterator[tuple[str, int]]:
    for key, value in settings.items():
        if key == "seed":
            yield f"{place}{key}", value
        elif isinstance(value, Mapping):
            yield from _seeds(value, f"{place}{key}.")


def notebook_seeds(root: Path) -> dict[str, object]:
    """The parameter ``seed`` of each notebook that declares one; None where the profile's is taken."""
    paths = sorted((root / "notebooks").glob("*.ipynb"))
    declared = {path.stem: notebooks.parameters(notebooks.read(path)) for path in paths}
    return {name: parameters["seed"] for name, parameters in declared.items() if "seed" in parameters}


def dataset_hashes(ledgers: Mapping[str, dict]) -> list[str]:
    """Each registered dataset's hash, and which chapters' full figures were made with exactly these files."""
    rows = []
    for name, entry in datasets.load_registry().items():
        used = {chapter: ledger["made_with"]["datasets"].get(name) for chapter, ledger in ledgers.items()}
        same = [chapter for chapter, digest in used.items() if digest == entry.sha256]
        other = [f"{chapter} (another edition)" for chapter, d in used.items() if d not in (None, entry.sha256)]
        rows.append((f"`{name}`", f"`{entry.sha256}`", ", ".join([*same, *other]) or "none"))
    said = "One hash a set: SHA-256 over the sorted SHA-256 of its files, a line each ({doc}`data-sheets/registered`)."
    return [said, "", *table(("set", "SHA-256", "full figures made with it"), rows)]


def model_hashes(root: Path) -> list[str]:
    """The SHA-256 of the committed weights."""
    weights = sorted((root / "data" / "models").glob("*.npz"))
    rows = ((f"`{path.name}`", f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`") for path in weights)
    said = "Those of the distilled files stand on their {doc}`data sheet <data-sheets/distilled>`."
    return [said, "", *table(("file", "SHA-256"), rows)]


def fingerprints(executed: Sequence) -> list[str]:
    """What each notebook was executed with: hashes of its own code and parameters, and of what all share."""
    said = "The first twelve digits. A notebook runs again as soon as one of its five hashes changes."
    own = ((f"`{item.source.stem}`", *(f"`{item.fingerprint[part][:12]}`" for part in ("code", "parameters")))
           for item in executed)  # fmt: skip
    shared = ((part, f"`{executed[0].fingerprint[part][:12]}`") for part in ("library", "data", "versions"))
    return [said, "", *table(("notebook", "code", "parameters"), own), "", *table(("shared by all", "hash"), shared)]


def verified(ledgers: Mapping[str, dict]) -> str:
    """For each chapter how many figures are committed, and what `make verify` recomputes, as its pipeline says."""
    rows = []
    for chapter, function in reproduce.CHAPTERS.items():
        ledger = ledgers.get(chapter)
        counts = (f"{len(ledger['results']):,}", str(len(ledger["claims"]))) if ledger else ("none", "none")
        rows.append((chapter.replace("_", " "), *counts, subset_of(function)))
    return "\n".join(table(("chapter", "figures", "claims", "`make verify` recomputes"), rows)) + "\n"


def subset_of(function) -> str:
    """What a function says of its parameter `subset`.

    Raises
    ------
    ValueError
        If it says nothing: then nobody knows what `make verify` leaves out.
    """
    said = re.search(r"(?m)^subset : bool\n((?:^ +\S.*\n?)+)", inspect.getdoc(function) or "")
    if not said:
        raise ValueError(f"{function.__module__}.{function.__qualname__}: its docstring does not explain `subset`")
    return " ".join(said[1].split())
