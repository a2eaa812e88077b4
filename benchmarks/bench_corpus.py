"""Compiling a corpus, beside decompressing it, which no compiler can do without, and beside the reader for people.

One file of the mirror's parsed Wikipedia if ``CDSM_DATA_MIRROR`` is set, else a synthetic text.
"""

import lzma
import os
import tempfile
from pathlib import Path

import synthetic
from measure import SMOKE, contest

from cdsm_lib.text import corpus


def text_of(path: Path, tokens: int) -> Path:
    """Synthetic text as a compressed file of CoNLL-U."""
    text = synthetic.corpus(tokens)
    with lzma.open(path, "wt", encoding="utf-8", preset=1) as out:
        for start, end in zip(text.offsets, text.offsets[1:], strict=False):
            for i, word in enumerate(text.word[start:end], 1):
                form, _, pos = text.words[word].partition("|")
                out.write(f"{i}\t{form}\t{form}\t{pos}\t_\t_\t{min(i - 1, 1)}\t{'dep' if i > 1 else 'root'}\t_\t_\n")
            out.write("\n")
    return path


def decompress(path: Path) -> int:
    with lzma.open(path) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b""))


with tempfile.TemporaryDirectory() as scratch:
    folder, mirror = Path(scratch) / "corpus", os.environ.get("CDSM_DATA_MIRROR")
    if mirror and not SMOKE:
        path = Path(mirror) / "wikipedia_parsed" / "wikipedia-00.conllu.xz"
    else:
        path = text_of(Path(scratch) / "synthetic.conllu.xz", 20_000 if SMOKE else 2_000_000)
    n = corpus.compile_corpus([path], folder, threads=1, progress=False).n_tokens  # numba compiles once on a machine
    contest(
        f"Compiling a file of {n:,} tokens",
        {
            "compile, one thread": lambda: corpus.compile_corpus([path], folder, threads=1, progress=False),
            "read_conllu": lambda: sum(len(sentence) for sentence in corpus.read_conllu(path)),
            "decompress alone": lambda: decompress(path),
        },
        key=f"compile, {n}",
    )
