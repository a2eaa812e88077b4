"""What the numbers of this build rest on: times, versions, seeds, hashes, and what `make verify` recomputes."""

import hashlib
import importlib.metadata
import inspect
import json
import platform
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from book._ext import notebooks
from book._ext.data_sheets import table
from cdsm_lib import datasets


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/verified.md``, what the two commands recompute; ``generated/this-build.md``, all else."""
    figures = full_figures(root)
    parts = [
        summary(root, profile, executed, figures),
        folded("Time of each notebook", times(executed)),
        folded("Versions", versions(root, figures)),
        folded("Seeds", seeds(root)),
        folded("Hashes of the datasets", dataset_hashes(root, figures)),
        folded("Hashes of the models", model_hashes(root)),
        folded("Fingerprints of the notebooks", fingerprints(executed)),
    ]
    return {"generated/verified.md": verified(figures), "generated/this-build.md": "\n".join(filter(None, parts))}


def full_figures(root: Path) -> dict[str, dict]:
    """The committed ledgers of the full profile, by chapter."""
    return {
        path.stem: json.loads(path.read_text("utf8")) for path in sorted((root / "data/results/full").glob("*.json"))
    }


def folded(title: str, lines: Iterable[str]) -> str:
    """A table that opens on a click; nothing if there are no lines."""
    lines = list(lines)
    return "\n".join([f"```{{dropdown}} {title}", "", *lines, "```", ""]) if lines else ""


def summary(root: Path, profile: str, executed: Sequence, figures: Mapping[str, dict]) -> str:
    """What was run, where, and how long it took, in a few lines."""
    system = f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})"
    lines = [f"These pages were computed with the profile **{profile}**, by {system}."]
    if executed:
        seconds = sum(item.seconds for item in executed)
        lines.append(f"The {len(executed)} notebooks took {seconds / 60:.1f} minutes in all, each on its own.")
    pinned = locked(root)
    if pinned:
        other = [name for name, version in pinned.items() if installed(name) not in (version, None)]
        said = (
            f"other versions are installed here of {', '.join(other)}" if other else "these versions are installed here"
        )
        lines.append(f"`requirements.lock` pins {len(pinned)} packages; {said}.")
    if figures:
        results = sum(len(ledger["results"]) for ledger in figures.values())
        claims = sum(len(ledger["claims"]) for ledger in figures.values())
        lines.append(
            f"The column *full* reads {results:,} committed figures and {claims} verdicts of {len(figures)} ledgers."
        )
    return " ".join(lines) + "\n"


# --------------------------------------------------------------------------------------------------------------- times


def times(executed: Sequence) -> Iterator[str]:
    """How long each notebook took, when it last ran."""
    if executed:
        yield from table(("notebook", "seconds"), ((f"`{i.source.stem}`", f"{i.seconds:.0f}") for i in executed), "-:")


# ------------------------------------------------------------------------------------------------------------ versions


def locked(root: Path) -> dict[str, str]:
    """Packages and versions of ``requirements.lock``."""
    path = root / "requirements.lock"
    lines = path.read_text("utf8").splitlines() if path.is_file() else []
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def installed(name: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions(root: Path, figures: Mapping[str, dict]) -> Iterator[str]:
    """The packages that the library rests on: as locked, as installed, and as the full figures were made with."""
    path = root / "pyproject.toml"
    if not path.is_file():
        return
    needed = tomllib.loads(path.read_text("utf8"))["project"]["dependencies"]
    pinned = {name.lower(): version for name, version in locked(root).items()}
    recorded = defaultdict(set)
    for ledger in figures.values():
        for name, version in ledger["made_with"]["versions"].items():
            recorded[name].add(version)
    rows = [("Python", "", platform.python_version(), ", ".join(sorted(recorded["python"])))]
    for name in sorted(re.match(r"[\w.-]+", line)[0] for line in needed):
        made = ", ".join(sorted(recorded[name]))
        rows.append((name, pinned.get(name.lower(), ""), installed(name) or "not installed", made))
    yield from table(("package", "locked", "in this build", "full figures"), rows)


# --------------------------------------------------------------------------------------------------------------- seeds


def seeds(root: Path) -> Iterator[str]:
    """Every seed that is written down: of the profiles, and of notebooks that have their own."""
    rows = []
    path = root / "data" / "profiles.toml"
    if path.is_file():
        rows += [
            (f"`{place}` of `data/profiles.toml`", str(seed))
            for place, seed in _seeds(tomllib.loads(path.read_text("utf8")))
        ]
    for name, seed in notebook_seeds(root).items():
        rows.append((f"`notebooks/{name}.ipynb`", "the profile's" if seed is None else str(seed)))
    if rows:
        yield from table(("where", "seed"), rows)


def _seeds(settings: Mapping, place: str = "") -> Iterator[tuple[str, int]]:
    for key, value in settings.items():
        if key == "seed" and not isinstance(value, Mapping):
            yield f"{place}{key}", value
        elif isinstance(value, Mapping):
            yield from _seeds(value, f"{place}{key}.")


def notebook_seeds(root: Path) -> dict[str, object]:
    """The parameter ``seed`` of each notebook that declares one; None where the profile's is taken."""
    found = {
        path.stem: notebooks.parameters(notebooks.read(path)) for path in sorted((root / "notebooks").glob("*.ipynb"))
    }
    return {name: given["seed"] for name, given in found.items() if "seed" in given}


# -------------------------------------------------------------------------------------------------------------- hashes


def dataset_hashes(root: Path, figures: Mapping[str, dict]) -> Iterator[str]:
    """Each registered dataset's hash, and which chapters' full figures were made with exactly these files."""
    path = root / "data" / "registry.toml"
    if not path.is_file():
        return
    rows = []
    for name, entry in datasets.load_registry(path).items():
        used = {chapter: ledger["made_with"]["datasets"].get(name) for chapter, ledger in figures.items()}
        same = [chapter for chapter, found in used.items() if found == entry.sha256]
        other = [f"{chapter} (another edition)" for chapter, found in used.items() if found not in (None, entry.sha256)]
        rows.append((f"`{name}`", f"`{entry.sha256}`", ", ".join([*same, *other]) or "none"))
    yield "One hash a set: SHA-256 over the sorted SHA-256 of its files, a line each ({doc}`data-sheets/registered`)."
    yield ""
    yield from table(("set", "SHA-256", "full figures made with it"), rows)


def model_hashes(root: Path) -> Iterator[str]:
    """The SHA-256 of the committed weights."""
    rows = [(f"`{p.name}`", f"`{_sha256(p)}`") for p in sorted((root / "data" / "models").glob("*.npz"))]
    if rows:
        yield "Those of the distilled files stand on their {doc}`data sheet <data-sheets/distilled>`."
        yield ""
        yield from table(("file", "SHA-256"), rows)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprints(executed: Sequence) -> Iterator[str]:
    """What each notebook was executed with: hashes of its own code and parameters, and of what all share."""
    if not executed:
        return
    prints = {item.source.stem: item.fingerprint for item in executed}
    shared = next(iter(prints.values()))
    yield "The first twelve digits. A notebook runs again as soon as one of its five hashes changes."
    yield ""
    yield from table(
        ("notebook", "code", "parameters"),
        ((f"`{name}`", f"`{stamp['code'][:12]}`", f"`{stamp['parameters'][:12]}`") for name, stamp in prints.items()),
    )
    yield ""
    yield from table(
        ("shared by all", "hash"), ((name, f"`{shared[name][:12]}`") for name in ("library", "data", "versions"))
    )


# ------------------------------------------------------------------------------------------ what the commands recompute


def verified(figures: Mapping[str, dict]) -> str:
    """For each chapter how many figures are committed, and what `make verify` recomputes, as its pipeline says."""
    from cdsm_lib.chapters import reproduce as verify

    rows = []
    for chapter, function in verify.CHAPTERS.items():
        ledger = figures.get(chapter)
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
    found = re.search(r"(?m)^subset : bool\n((?:^ +\S.*\n?)+)", inspect.getdoc(function) or "")
    if not found:
        raise ValueError(f"{function.__module__}.{function.__qualname__}: its docstring does not explain `subset`")
    return " ".join(found[1].split())
