"""Tables about data and about this build: the registered datasets, and what this run took."""

import contextlib
import importlib.metadata
import platform
import tomllib
from collections.abc import Sequence
from pathlib import Path

SHOWN_VERSIONS = ("numpy", "scipy", "numba", "scikit-learn", "gensim", "pandas", "matplotlib")


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/datasets.md`` and ``generated/this-run.md``."""
    return {"generated/datasets.md": dataset_table(root), "generated/this-run.md": run_table(profile, executed)}


def dataset_table(root: Path) -> str:
    """The registry of datasets as Markdown: for each what it is, its paper, licence, official places and size."""
    registry = root / "data" / "registry.toml"
    entries = tomllib.loads(registry.read_text("utf8")) if registry.is_file() else {}
    lines = [] if entries else ["No dataset is registered."]
    for name, entry in entries.items():
        files = entry.get("files", [])
        size = sum(file.get("size", 0) for file in files) / 1e6
        places = ", ".join(f"<{page}>" for page in entry.get("pages", [])) or "none"
        source = f" {{cite}}`{entry['bib']}`" if "bib" in entry else ""
        lines += [f"### `{name}`", "", f"{entry['title']}{source}.", ""]
        lines += ["Licence", f": {entry['licence']}", "", "Official place", f": {places}", ""]
        lines += ["Files", f": {len(files)}, {size:,.1f} MB in all", ""] if files else []
        lines += ["How to get it", f": {entry['obtain']}", ""] if "obtain" in entry else []
    return "\n".join(lines) + "\n"


def run_table(profile: str, executed: Sequence) -> str:
    """This build as Markdown: the profile, how long each notebook took, and the versions it was run with."""
    lines = [f"These pages were computed with the profile **{profile}**.", "", "| notebook | seconds |", "|---|---:|"]
    lines += [f"| `{item.source.stem}` | {item.seconds:.0f} |" for item in executed]
    lines += ["", "| software | version |", "|---|---|", f"| Python | {platform.python_version()} |"]
    for name in SHOWN_VERSIONS:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            lines.append(f"| {name} | {importlib.metadata.version(name)} |")
    return "\n".join(lines) + "\n"
