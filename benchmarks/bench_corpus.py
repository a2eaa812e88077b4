"""Compiling a corpus and extracting phrases from it: seconds, speed and peak memory.

Beside compiling stands what no compiler of such files can do without, decompressing them, and what the library's
reader for people takes, which gives one object a token. Compiled in a loop over lines in Python (before November
2026), a file of 2.7 million tokens took 6.4 s where it takes 2.2 s now, .7 s of them for decompressing.

One file of the mirror's parsed Wikipedia if ``CDSM_DATA_MIRROR`` is set, else (and with ``--smoke``) a seeded
synthetic text of sentences drawn from a few templates. Peak memory is that of a fresh process for each row.
"""

import argparse
import lzma
import multiprocessing
import os
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from measure import record

from cdsm_lib.text import corpus
from cdsm_lib.text import extraction as extract

RELATIONS = {
    "adjective-noun": extract.adjective_noun,
    "noun-noun": extract.noun_noun,
    "subject-verb": extract.subject_verb,
    "verb-object": extract.verb_object,
    "verb-object, transitive": lambda text: extract.verb_object(text, transitive=True),
    "subject-verb-object": extract.subject_verb_object,
    "subject-verb-object, participles": lambda text: extract.subject_verb_object(text, participles=True),
    "subject relatives": lambda text: extract.relative_clauses(text, "subject"),
    "object relatives": lambda text: extract.relative_clauses(text, "object"),
}
TEMPLATES = (
    "the/DET/2/det N/NOUN/3/nsubj V/VERB/0/root the/DET/6/det A/ADJ/6/amod N/NOUN/3/obj ./PUNCT/3/punct",
    "a/DET/2/det N/NOUN/4/nsubj:pass is/AUX/4/aux:pass V/VERB/0/root by/ADP/6/case N/NOUN/4/obl:agent ./PUNCT/4/punct",
    "N/NOUN/5/nsubj that/PRON/3/nsubj V/VERB/1/acl:relcl N/NOUN/3/obj V/VERB/0/root ./PUNCT/5/punct",
    "N/NOUN/0/root that/PRON/4/obj N/NOUN/4/nsubj V/VERB/1/acl:relcl ./PUNCT/1/punct",
    "N/NOUN/0/root N/NOUN/3/nsubj V/VERB/1/acl:relcl ./PUNCT/1/punct",
    "N/NOUN/4/nsubj and/CCONJ/3/cc N/NOUN/1/conj V/VERB/0/root N/NOUN/6/compound N/NOUN/4/obj ./PUNCT/4/punct",
)


def synthetic(path: Path, sentences: int) -> Path:
    """Sentences from the templates, their words by Zipf's law."""
    rng = np.random.default_rng(0)
    with lzma.open(path, "wt", encoding="utf-8", preset=1) as out:
        for template in rng.integers(len(TEMPLATES), size=sentences):
            tokens = [token.split("/") for token in TEMPLATES[template].split()]
            ranks = rng.zipf(1.3, len(tokens)) % 50_000
            for i, ((form, pos, head, deprel), rank) in enumerate(zip(tokens, ranks, strict=True), 1):
                word = f"{form.lower()}{rank}" if form.isupper() else form
                out.write(f"{i}\t{word}\t{word}\t{pos}\t_\t_\t{head}\t{deprel}\t_\t_\n")
            out.write("\n")
    return path


def measured(function, *arguments):
    """(result, seconds, peak MB) of a call in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_measure, function, arguments).result()


def _measure(function, arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def decompress(path):
    with lzma.open(path) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b""))


def read_it(path):
    return sum(len(sentence) for sentence in corpus.read_conllu(path))


def compile_it(path, folder):
    return corpus.compile_corpus([path], folder, threads=1, progress=False).n_tokens


def open_it(folder):
    return corpus.open_corpus(folder).n_tokens


def extract_it(name, folder):
    text = corpus.open_corpus(folder)
    text.words, text.forms  # noqa: B018  (read the labels before the clock starts)
    start = time.perf_counter()
    rows = RELATIONS[name](text)
    middle = time.perf_counter()
    tuples = extract.count_tuples(text, rows)
    return len(rows), len(tuples), middle - start, time.perf_counter() - middle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="a small synthetic text")
    smoke = parser.parse_args().smoke
    mirror = os.environ.get("CDSM_DATA_MIRROR")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        if mirror and not smoke:
            path = Path(mirror) / "wikipedia_parsed" / "wikipedia-00.conllu.xz"
        else:
            path = synthetic(Path(scratch) / "synthetic.conllu.xz", 2_000 if smoke else 300_000)
        heads = "".join(f"{head:>10}" for head in ("seconds", "Mtokens/s", "peak MB", "rows", "types", "counting"))
        print(f"{path.name}\n{'':34}{heads}")
        measured(compile_it, path, folder)  # numba compiles once on a machine
        ways = {"decompress alone": (decompress, path), "read_conllu": (read_it, path),
                "compile, one thread": (compile_it, path, folder)}  # fmt: skip
        rows = {}
        for way, task in ways.items():
            n, *rows[way] = measured(*task)
            print(f"{way:34}{rows[way][0]:10.2f}{n / rows[way][0] / 1e6:10.2f}{rows[way][1]:10.0f}")
        ordered = [(way, *rows[way]) for way in reversed(ways)]
        title = f"Compiling a file of {n:,} tokens"
        record(script="bench_corpus", key=f"compile, {n}", title=title, note="", rows=ordered)
        _, seconds, peak = measured(open_it, folder)
        print(f"{'open':34}{seconds:10.3f}{'':10}{peak:10.0f}")
        for name in RELATIONS:
            (rows, types, seconds, counting), _, peak = measured(extract_it, name, folder)
            print(f"{name:34}{seconds:10.2f}{n / seconds / 1e6:10.2f}{peak:10.0f}{rows:10}{types:10}{counting:10.2f}")


if __name__ == "__main__":
    main()
