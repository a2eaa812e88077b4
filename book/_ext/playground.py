"""The composition playground's words, as scripts that a page loads from disk.

The page ``book/playground.md`` has no server, and a page opened from disk may not fetch a file. So the arrays of
``data/models/playground.npz`` (`cdsm_lib.chapters.playground`) become JavaScript: part 0 tells what there is and where
it lies, the others are the bytes in base 64. `decode` reads the scripts back, for the tests.
"""

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from book._ext.templates import fill
from cdsm_lib import storage
from cdsm_lib.chapters import playground

PAGE = "book/playground.md"
SCRIPT = "assets/playground-data-{}.js"
CALL = "cdsmPlaygroundPart({}, {});\n"

PART = 600_000
"""Bytes of each part; a multiple of 3, so that their texts follow one another without padding."""

LIMIT = 8_000_000
"""What all the scripts may take."""

LABELS = ("words", "contexts", *(f"{role}.words" for role in playground.ROLES))


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """The scripts and ``generated/playground.md``; nothing in a book without that page.

    The words are the same in every profile.

    Raises
    ------
    StorageError
        If ``data/models/playground.npz`` is missing or damaged.
    ValueError
        If the scripts outgrow their limit.
    """
    if not (root / PAGE).is_file():
        return {}
    arrays, meta = playground.stored()
    scripts = encode(arrays)
    size = sum(map(len, scripts))
    if size > LIMIT:
        raise ValueError(f"book/{SCRIPT.format('*')} would take {size / 1e6:.1f} MB of {LIMIT / 1e6:.0f}; see "
                         "scripts/playground.py")  # fmt: skip
    told = summary(playground.unpack(arrays, meta), size, arrays["modifier.left"].shape[1])
    return {SCRIPT.format(k): script for k, script in enumerate(scripts)} | {"generated/playground.md": told}


def encode(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The scripts: the head, then the bytes of all arrays but the labels, one after the other, in parts.

    The head has ``words``, ``contexts`` and ``matrices`` (the functors of each role) as texts, labels between spaces;
    of each array ``type``, ``shape`` and ``at``, where it begins, a multiple of 4; and the number of ``parts``.
    """
    text = {name: " ".join(storage.unpack_labels(arrays[name])) for name in LABELS}
    told, whole = {}, bytearray()
    for name in sorted(set(arrays) - set(LABELS)):
        array = np.ascontiguousarray(arrays[name], dtype=arrays[name].dtype.newbyteorder("<"))
        told[name] = {"type": array.dtype.name, "shape": list(array.shape), "at": len(whole)}
        whole += array.tobytes() + bytes(-array.nbytes % 4)
    texts = [base64.b64encode(whole[at : at + PART]).decode("ascii") for at in range(0, len(whole), PART)]
    head = {"words": text["words"], "contexts": text["contexts"], "bytes": len(whole), "parts": len(texts)}
    head |= {"arrays": told, "matrices": {role: text[f"{role}.words"] for role in playground.ROLES}}
    return [CALL.format(k, json.dumps(part, separators=(",", ":"))) for k, part in enumerate([head, *texts])]


def decode(scripts: Sequence[str]) -> playground.Playground:
    """What the page reads from the scripts, as the library's spaces and matrices.

    Raises
    ------
    ValueError
        If they are not such scripts, in their order.
    """
    parts = []
    for k, script in enumerate(scripts):
        before, after = CALL.format(k, "\0").split("\0")
        if not (script.startswith(before) and script.endswith(after)):
            raise ValueError(f"script {k} is not part {k} of the playground's words; build the book again")
        parts.append(json.loads(script[len(before) : -len(after)]))
    head, whole = parts[0], b"".join(map(base64.b64decode, parts[1:]))
    labels = {"words": head["words"], "contexts": head["contexts"]} | {
        f"{role}.words": text for role, text in head["matrices"].items()
    }
    arrays = {name: storage.pack_labels(text.split(" ")) for name, text in labels.items()}
    for name, of in head["arrays"].items():
        n = int(np.prod(of["shape"]))
        arrays[name] = np.frombuffer(whole, np.dtype(of["type"]).newbyteorder("<"), n, of["at"]).reshape(of["shape"])
    return playground.unpack(arrays)


def summary(read: playground.Playground, size: int, rank: int) -> str:
    """The numbers of the page as Markdown: its vocabulary, spaces and matrices, and what rounding did to them.

    Parameters
    ----------
    read : Playground
    size : int
        Of the scripts, in bytes.
    rank : int
        Of the matrices.
    """
    tags = {"NOUN": "nouns", "VERB": "verbs", "ADJ": "adjectives", "PROPN": "names", "ADV": "adverbs"}
    by_tag = Counter(label.rpartition("|")[2] for label in read.words)
    kinds = [f"{by_tag[tag]:,} {name}" for tag, name in tags.items() if tag in by_tag]
    return fill("playground.md", kinds=kinds, read=read, size=size, rank=rank)
