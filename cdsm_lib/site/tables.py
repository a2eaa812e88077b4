"""A table about data: the registered datasets."""

import tomllib
from collections.abc import Sequence
from pathlib import Path


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/datasets.md``."""
    return {"generated/datasets.md": dataset_table(root)}


def dataset_table(root: Path) -> str:
    """The registry as a table: what each set is, its paper, licence and size; the data sheets say the rest."""
    registry = root / "data" / "registry.toml"
    entries = tomllib.loads(registry.read_text("utf8")) if registry.is_file() else {}
    if not entries:
        return "No dataset is registered.\n"
    lines = ["| set | what | licence | MB |", "|---|---|---|---:|"]
    for name, entry in entries.items():
        size = sum(file.get("size", 0) for file in entry.get("files", [])) / 1e6
        source = f" {{cite}}`{entry['bib']}`" if "bib" in entry else ""
        lines.append(
            f"| {{ref}}`{name} <sheet-{name}>` | {entry['title']}{source} | {entry['licence']} | {size:,.1f} |"
        )
    return "\n".join(lines) + "\n"
