"""What the numbers of this build rest on: times, versions, seeds, hashes, and what `make verify` recomputes."""

import importlib.metadata
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pooch

from book._ext import site
from book._ext.templates import fill, table
from cdsm_lib import datasets
from cdsm_lib.evaluation import claims
from cdsm_lib.evaluation.results import NOT_REPEATED, Results


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/verified.md``, what the two commands recompute; ``generated/this-build.md``, all else."""
    ledgers = claims.all_results()
    pinned = site.locked(root)
    here = {re.sub("[._]", "-", d.metadata["Name"]).lower(): d.version for d in importlib.metadata.distributions()}
    this_build = fill(
        "this-build.md",
        profile=profile,
        system=f"Python {platform.python_version()} on {platform.system()} ({platform.machine()})",
        executed=[item for item in executed if item.fingerprint],  # the others were committed, not executed here
        pinned=pinned,
        others=[name for name, version in pinned.items() if here.get(name, version) != version],
        ledgers=ledgers,
        versions=versions(root, pinned, here, ledgers),
        datasets=[(entry, made_with(entry, ledgers)) for entry in datasets.load_registry().values() if entry.files],
        models={path.name: pooch.file_hash(path) for path in sorted((root / "data" / "models").glob("*.npz"))},
    )
    return {"generated/verified.md": verified(ledgers), "generated/this-build.md": this_build}


def versions(root: Path, pinned: dict, here: dict, ledgers: Mapping[str, Results]) -> Iterator[tuple[str, ...]]:
    """The packages that the library rests on: as locked, as installed, and as the full figures were made with."""
    here = {"python": platform.python_version(), **here}
    for name in ["Python", *sorted(site.dependencies(root))]:
        recorded = {ledger.made_with["versions"].get(name.lower(), "") for ledger in ledgers.values()} - {""}
        yield name, pinned.get(name.lower(), ""), here[name.lower()], ", ".join(sorted(recorded))


def made_with(entry: datasets.Dataset, ledgers: Mapping[str, Results]) -> str:
    """Which chapters' full figures were made with exactly these files, and which with another edition of them."""
    used = {chapter: ledger.made_with["datasets"].get(entry.name) for chapter, ledger in ledgers.items()}
    same = [chapter for chapter, digest in used.items() if digest == entry.sha256]
    other = [f"{chapter} (another edition)" for chapter, d in used.items() if d not in (None, entry.sha256)]
    return ", ".join([*same, *other]) or "none"


def verified(ledgers: Mapping[str, Results]) -> str:
    """For each chapter how many figures and claims are committed, and how many figures verify computes from what."""
    rows = []
    for chapter, ledger in ledgers.items():
        trained = [row.trained for row in ledger.results]
        numbers = (len(trained), len(ledger.claims), *map(trained.count, (None, True, NOT_REPEATED)))
        rows.append((chapter.replace("_", " "), *(f"{n:,}" for n in numbers)))
    titles = ("chapter", "figures", "claims", "computed anew", "from stored values of a training", "not recomputed")
    return table(titles, rows) + "\n"
