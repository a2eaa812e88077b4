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
from collections.abc import Iterable, Iterator
from pathlib import Path

from tqdm import tqdm

from cdsm_lib import cache, datasets
from cdsm_lib.datasets import DataError, DataFile, Dataset
from cdsm_lib.storage import whole_file, whole_folder

MARK = "datapackage.json"
"""By this file, of this name, a folder is known as a deposit."""
NAME = "cdsm-compendium-data"
TERMS = {"name": "CC-BY-SA-3.0", "title": "CC BY-SA 3.0, as the corpus; see models/README.md", "path": "LICENSE"}
MOST = 1 << 23
"""Bytes that a deposit's description may have."""
CACHED = "trained"
"""The folder of a deposit that holds files of the cache."""

_CORPUS, _SENSES = ("wikipedia_parsed",), ("wikipedia_parsed", "semcor", "wordnet")
TRAINED = {
    "cheung/counts": ("contextual_models", _CORPUS),
    "cheung/senses": ("contextual_models", _CORPUS),
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


def make(folder: Path, *, partial: bool = False) -> list[str]:
    """Write a deposit into a new folder, or an empty one, whole or not at all.

    With `partial`, what cannot be had on this machine is left out; its places in the deposit are returned. Without, a
    missing file is a `DataError`, as is one that is not what the registry says, or another folder.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not an empty folder. Name a new one, or remove it; nothing was changed")
    contents = list(_contents())
    missing = [place for place, path, _ in contents if path is None]
    if missing and not partial:
        lists = f"{len(missing)} files cannot be had here: {', '.join(missing)}"
        raise DataError(f"{lists}. Run `make data`, and `make verify` for what is trained, or take --partial")
    resources = []
    with whole_folder(folder) as fresh:
        for place, path, about in tqdm(contents, "deposit", unit="file", disable=None):
            if path:
                (fresh / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, fresh / place)
                name = re.sub("[/_]", "-", place.lower())
                digest = f"sha256:{datasets.sha256_of(path)}"
                resources.append({"name": name, "path": place, "bytes": path.stat().st_size, "hash": digest, **about})
        package = {"profile": "data-package", "name": NAME, "resources": resources}
        sums = [f"{resource['hash'].partition(':')[2]}  {resource['path']}\n" for resource in resources]
        texts = {"README.md": README, "LICENCES.md": _licences(resources), "SHA256SUMS": "".join(sums)}
        texts[MARK] = json.dumps(package, indent=1, ensure_ascii=False) + "\n"
        shutil.copyfile(datasets.data_root().parent / "LICENSE", fresh / "LICENSE")
        for name, text in texts.items():
            (fresh / name).write_text(text, "utf8")
    return missing


def _contents() -> Iterator[tuple[str, Path | None, dict]]:
    """What belongs in a deposit: its place there, where it is on this machine (None: nowhere), and its description."""
    registry = datasets.load_registry()
    for entry in registry.values():
        for file in entry.files.values():
            if entry.redistributable and file.stored:
                about = {"title": entry.title, "description": file.format}
                yield file.stored, _stored(entry, file), about | _terms([entry])
    trained = {"title": "Trained by this project", "description": "see models/README.md"}
    for path in sorted((datasets.data_root() / "models").iterdir()):
        yield f"models/{path.name}", path, trained | _terms([], TERMS)
    for name, (_, sets) in TRAINED.items():
        entries = [registry[each] for each in sets if each in registry]
        if len(entries) == len(sets) and all(entry.redistributable for entry in entries):
            for path in sorted(datasets.cache_folder().glob(f"{name}-{_code(name)}-*.npz")) or [None]:
                place = path.relative_to(datasets.cache_folder()).as_posix() if path else name
                yield f"{CACHED}/{place}", path, trained | _terms(entries, TERMS)


def _stored(entry: Dataset, file: DataFile) -> Path | None:
    """A file as a mirror and a deposit hold it, compressed if they compress it; checked."""
    for source in datasets.sources(entry, file):
        if source.where in ("cache", "mirror") and source.sha256 == (file.stored_sha256 or file.sha256):
            return datasets.verified(source)


def _code(name: str) -> str:
    """The hash of the source that makes a file of `TRAINED` today."""
    return cache.code_of(f"cdsm_lib.chapters.{TRAINED[name][0]}")


def _terms(entries: Iterable[Dataset], *terms: dict) -> dict[str, list]:
    """Licences and sources of a resource; the standard asks for a name or a path of each licence."""
    licences = [{"title": entry.licence, "path": entry.pages[0]} for entry in entries]
    cited = [{"title": entry.citation, "path": entry.pages[0]} for entry in entries]
    return {"licenses": [*terms, *licences], "sources": cited}


def _licences(resources: Iterable[dict]) -> str:
    """The resources' licences and whom to cite, each once, as Markdown."""
    parts = {}
    for resource in resources:
        terms = [f"- Licence: {licence['title']} <{licence['path']}>\n" for licence in resource["licenses"]]
        terms += [f"- Cite: {source['title']} <{source['path']}>\n" for source in resource["sources"]]
        parts[f"## {resource['path'].rpartition('/')[0]}\n\n{resource['title']}\n\n{''.join(terms)}"] = None
    return "\n".join(["# Licences\n", *parts])


# ------------------------------------------------------------------------------------------------------------ taking


def take() -> int:
    """Put into the cache what a deposit has for it: one in ``$CDSM_DATA_MIRROR``, or else the one that is served.

    Each file is checked by the SHA-256 that the deposit states for it before it can be read. One that the present code
    would not look for is not fetched. Says what was done; returns how many files could not be had.

    Raises
    ------
    DataError
        If what is served is no deposit, or a server does not answer.
    """
    pattern = f"{CACHED}/({'|'.join(map(re.escape, TRAINED))})-([0-9a-f]{{8}})-[0-9a-f]{{16}}\\.npz"
    offered = [(each, match) for each in _package() if (match := re.fullmatch(pattern, each["path"]))]
    taken, problems = 0, 0
    for resource, match in offered:
        if match[2] != _code(match[1]):
            print(f"- {match[0]} is not used: other code made it. What it holds is made anew when it is needed")
            continue
        try:
            _into_cache(resource)
            taken += 1
        except DataError as error:
            problems += 1
            print(f"error: {error}", file=sys.stderr)
    if offered:
        print(f"{CACHED}: {taken} of the deposit's {len(offered)} files are in the cache")
    return problems


def _package() -> list[dict]:
    """What the deposit that can be reached says that it has; nothing if there is none."""
    mirror, address = datasets.mirror_folder(), datasets.deposit_address()
    if mirror and (mirror / MARK).is_file():
        where, text = mirror, (mirror / MARK).read_bytes()
    elif address:
        where, text = datasets.public(address), datasets.received(f"{address}/{MARK}", MOST)
    else:
        return []
    fields = {"path": str, "hash": str, "bytes": int}
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        package = json.loads(text)
        if package["name"] == NAME and all(isinstance(r[f], fields[f]) for r in package["resources"] for f in fields):
            return package["resources"]
    raise DataError(f"{where}: its {MARK} is not that of a deposit, or not whole. Try again, or elsewhere")


def _into_cache(resource: dict) -> None:
    """Have a file, checked, where `cdsm_lib.cache` looks; what is there already stays."""
    _, room, name = resource["path"].split("/")
    target = datasets.cache_folder() / room / name
    if not target.exists():
        file = DataFile(name, resource["hash"].partition(":")[2], resource["bytes"], "", stored=resource["path"])
        path = datasets.fetch_file(Dataset(room, "", "", True, "", "", (), "", {}), file)
        if path != target:  # a mirror's, which is used in place
            with whole_file(target, "wb") as sink, open(path, "rb") as source:
                shutil.copyfileobj(source, sink)
