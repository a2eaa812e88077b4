"""The composition playground's words, as scripts that a page loads from disk.

The page ``book/playground.md`` has no server, and a page opened from disk may not fetch a file. So the arrays of
``data/models/playground.npz`` (`cdsm_lib.chapters.playground`) become JavaScript: part 0 tells what there is and where
it lies, the others are the bytes in base 64.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from book._ext.templates import fill
from cdsm_lib import storage
from cdsm_lib.chapters import playground

SCRIPT = "assets/playground-data-{}.js"
CALL = "cdsmPlaygroundPart({}, {});\n"

PART = 600_000
"""Bytes of each part; a multiple of 3, so that their texts follow one another without padding."""

FIRST = "reduced.", "modifier."
"""The arrays that the page's first answer needs."""

TAGS = {"NOUN": "nouns", "VERB": "verbs", "ADJ": "adjectives", "PROPN": "names", "ADV": "adverbs"}
LABELS = ("words", "contexts", *(f"{role}.words" for role in playground.ROLES))


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """The scripts, whose words are the same in every profile, and ``generated/playground.md``."""
    arrays, meta = playground.stored()
    scripts, read = encode(arrays), playground.unpack(arrays, meta)
    by_tag = Counter(label.rpartition("|")[2] for label in read.words)
    kinds = [f"{by_tag[tag]:,} {name}" for tag, name in TAGS.items() if tag in by_tag]
    size, rank = sum(map(len, scripts)), arrays["modifier.left"].shape[1]
    told = fill("playground.md", kinds=kinds, read=read, size=size, rank=rank)
    return {SCRIPT.format(k): script for k, script in enumerate(scripts)} | {"generated/playground.md": told}


def encode(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The scripts: the head, then the bytes of all arrays but the labels, one after the other, in parts.

    The head has ``words``, ``contexts`` and ``matrices`` (the functors of each role) as texts, labels between spaces;
    of each array ``type``, ``shape``, its ``bytes`` and ``at``, where it begins, a multiple of 4; the number of
    ``parts``, the Adler-32 of each text, and how many of them hold the arrays of `FIRST`.
    """
    text = {name: " ".join(storage.unpack_labels(arrays[name])) for name in LABELS}
    told, whole = {}, bytearray()
    for name in sorted(set(arrays) - set(LABELS), key=lambda name: (not name.startswith(FIRST), name)):
        array = np.ascontiguousarray(arrays[name], dtype=arrays[name].dtype.newbyteorder("<"))
        told[name] = {"type": array.dtype.name, "shape": list(array.shape), "at": len(whole), "bytes": array.nbytes}
        whole += array.tobytes() + bytes(-array.nbytes % 4)
    texts = [base64.b64encode(whole[at : at + PART]).decode("ascii") for at in range(0, len(whole), PART)]
    head = {"words": text["words"], "contexts": text["contexts"], "bytes": len(whole), "parts": len(texts)}
    head["sums"] = [zlib.adler32(text.encode()) for text in texts]
    head["first"] = 1 + max(of["at"] + of["bytes"] for name, of in told.items() if name.startswith(FIRST)) // PART
    head |= {"arrays": told, "matrices": {role: text[f"{role}.words"] for role in playground.ROLES}}
    return [CALL.format(k, json.dumps(part, separators=(",", ":"))) for k, part in enumerate([head, *texts])]
