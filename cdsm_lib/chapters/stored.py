"""``data/models/NAME.npz``: what `make verify` goes on from where training would take it too long.

The figures of the full profile leave such a file in the cache; `make reproduce` puts it beside the others together with
the figures (what context2vec of other seeds gives has a command of its own). It says what it was made with, and is
refused where anything of that differs.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage

REMEDY = "Make it again with python -m cdsm_lib reproduce --write."

def path(name: str) -> Path:
    """Where the committed file is."""
    return datasets.data_root() / "models" / f"{name}.npz"


def latest(name: str) -> Path:
    """Where the figures leave theirs, until they are committed."""
    return datasets.cache_folder() / "stored" / f"{name}.npz"


def write(name: str, arrays: Mapping[str, np.ndarray], about: Mapping, **meta) -> None:
    """Write the file of `latest`; `about` is what it must be read with, `meta` what else it holds."""
    storage.write_npz(latest(name), name, 1, arrays, {"about": about, **meta})


def commit(name: str) -> None:
    """Put the latest file, if there is one, into the place of the committed one."""
    if latest(name).is_file():
        with storage.whole_file(path(name), "wb") as file:
            file.write(latest(name).read_bytes())


def fits(name: str, about: Mapping) -> bool:
    """Whether there is a committed file, sound and made with just these."""
    try:
        read(name, about)
    except (FileNotFoundError, storage.StorageError):
        return False
    return True


def read(
    name: str, about: Mapping, required: Iterable[str] = (), remedy: str = REMEDY
) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and `meta` of the committed file; a `StorageError` if it is damaged or of other settings."""
    arrays, meta = storage.read_npz(path(name), name, 1, required, remedy=remedy)
    before, now = meta.pop("about"), json.loads(json.dumps(about))
    if before != now:
        other = ", ".join(key for key in {**before, **now} if before.get(key) != now.get(key))
        raise storage.StorageError(
            path(name), f"it was made with other settings, or of another corpus ({other})", remedy
        )
    return arrays, meta
