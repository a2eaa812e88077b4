"""The playground's words, read back from the scripts that a page gets."""

import base64
import json
from collections.abc import Sequence

import numpy as np

from cdsm_lib import storage
from cdsm_lib.chapters import playground


def decode(scripts: Sequence[str]) -> playground.Playground:
    """What the page reads from the scripts, as the library's spaces and matrices."""
    head, *parts = (json.loads(script[script.index(",") + 1 : script.rindex(")")]) for script in scripts)
    whole = b"".join(map(base64.b64decode, parts))
    labels = {"words": head["words"], "contexts": head["contexts"]}
    labels |= {f"{role}.words": text for role, text in head["matrices"].items()}
    arrays = {name: storage.pack_labels(text.split(" ")) for name, text in labels.items()}
    for name, told in head["arrays"].items():
        kind, n = np.dtype(told["type"]).newbyteorder("<"), int(np.prod(told["shape"]))
        arrays[name] = np.frombuffer(whole, kind, n, told["at"]).reshape(told["shape"])
    return playground.unpack(arrays)
