"""What the build writes for the site beside prose and notebooks: tables, sheets, pictures, the playground's words.

Each module here has a function ``pages(root, profile, executed)`` that gives a dictionary of file contents, text or
bytes, by their place below ``book/``. Nothing of it is committed, so nothing of it can go stale.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]

WRITERS = {
    "tables": "data.md",
    "differences": "differences.md",
    "data_sheets": "data-sheets.md",
    "course": "course/index.md",
    "playground": "playground.md",
    "leaderboard": "intro.md",
    "reproducibility": "reproducing.md",
    "reference": "api/index.md",
}
"""The modules of this package that write, each with the page that it writes for: without the page it is not called."""


def write(folder: Path, root: Path, profile: str, executed: Sequence) -> list[Path]:
    """Write what every writer makes into the staged ``book`` folder; the files.

    Parameters
    ----------
    folder : Path
        The staged ``book`` folder.
    root : Path
        The checkout.
    profile : str
    executed : sequence of cdsm_lib.build.Executed
        The notebooks as they were run for this build.

    Raises
    ------
    ValueError
        If two writers make the same file, or one would replace a file of the checkout.
    """
    written = []
    for name, page in WRITERS.items():
        if not (folder / page).is_file():
            continue
        for place, content in import_module(f"cdsm_lib.site.{name}").pages(root, profile, executed).items():
            path = folder / place
            if path.exists():
                raise ValueError(f"site.{name} writes book/{place}, which is there already")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            written.append(path)
    return written


@cache
def repository() -> str:
    """The address of the project's repository, as ``_config.yml`` has it."""
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf8"))["repository"]["url"]
