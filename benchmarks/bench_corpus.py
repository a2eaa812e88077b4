"""Compiling a corpus, beside decompressing it, which no compiler can do without, and beside the reader for people.

One file of the mirror's parsed Wikipedia if ``CDSM_DATA_MIRROR`` is set, else a teaching set's sentences many times.
"""

import lzma
import os
import tempfile
from pathlib import Path

from measure import SMOKE, contest

from cdsm_lib import datasets
from cdsm_lib.text import corpus

SAMPLE = datasets.sample_path("anvan_mini") / "anvan_mini.conllu"


def decompress(path: Path) -> int:
    with lzma.open(path) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b""))


with tempfile.TemporaryDirectory() as scratch:
    folder, mirror = Path(scratch) / "corpus", os.environ.get("CDSM_DATA_MIRROR")
    if mirror and not SMOKE:
        path = Path(mirror) / "wikipedia_parsed" / "wikipedia-00.conllu.xz"
    else:
        path = Path(scratch) / "sample.conllu.xz"
        path.write_bytes(lzma.compress(SAMPLE.read_bytes() * (3 if SMOKE else 300), preset=1))
    n = corpus.compile_corpus([path], folder, threads=1).n_tokens
    contest(
        f"Compiling a file of {n:,} tokens",
        {
            "compile, one thread": lambda: corpus.compile_corpus([path], folder, threads=1),
            "read_conllu": lambda: sum(len(sentence) for sentence in corpus.read_conllu(path)),
            "decompress alone": lambda: decompress(path),
        },
    )
