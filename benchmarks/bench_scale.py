"""Counting on a Dask cluster: seconds, bytes moved and peak memory against tokens and workers.

python benchmarks/bench_scale.py [--smoke] [--corpus FOLDER]

Four sizes of one corpus, from an eighth of its files to all: that of ``--corpus``, else the compiled Wikipedia in the
cache, else synthetic text. Workers are processes of one thread on this machine. They start, load the library and
compile its kernels before the clock does, and the client reads the corpus's labels; of two runs the faster one stands
here. Beside the seconds stand those for which processors were at work, the client's and the busiest worker's: what a
machine without other work would take. Moved are the bytes that workers send to one another; the client receives the
result besides. Peak memory is that of a process from its start, for a worker and for the client, each of which is new
for each row; what is read of a mapped file counts as its memory. In the last lines
skip-gram reads the corpus on one machine, over windows and over dependencies, and SVD a matrix whose arrays are mapped
files: there the peak is what NumPy allocates.
"""

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path

import numpy as np
import synthetic
from measure import processor, record
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.text import corpus as corpora
from cdsm_lib.text.corpus import open_corpus
from cdsm_lib.text.counts import content_mask, content_words, count_windows
from cdsm_lib.text.dependencies import count_triples
from cdsm_lib.text.extraction import verb_object
from cdsm_lib.vectors.embeddings import train_dependencies, train_words
from cdsm_lib.vectors.reduction import SVD

WORKERS = (1, 2)
FILES = 16
HEADS = ("seconds", "at work", "MB moved", "worker MB", "client MB")
TASKS = {
    "windows": lambda text, words, client: count_windows(text, words, words[:2000], window=5, client=client).total,
    "triples": lambda text, words, client: len(count_triples(text, words, min_count=2, client=client).count),
    "verbs with objects": lambda text, words, client: len(verb_object(text, client=client)),
}


def stored(tokens: int, folder: Path) -> Path:
    """A compiled corpus of synthetic text in so many files."""
    text = synthetic.corpus(tokens, words=max(1000, tokens // 40))
    files = {
        f"{name}.npy": corpora._array(dtype, tokens, [getattr(text, name)]) for name, dtype in corpora.DTYPES.items()
    }
    files["offsets.npy"] = corpora._array(np.int64, len(text.offsets), [text.offsets])
    labels = corpora.storage.pack_labels(text.words)
    files |= {name: (len(labels), [labels]) for name in ("words.txt", "forms.txt")}
    firsts = [[f"{i}.conllu", i * text.n_sentences // FILES] for i in range(FILES)]
    about = {"format": corpora.FORMAT, "tokens": tokens, "files": firsts, "deprels": list(text.deprels)}
    corpora._write(folder, about | {"fingerprint": text.fingerprint}, files)
    return folder


def peak() -> float:
    """MB of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(function, *arguments):
    """What a function returns in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def on_a_cluster(task: str, folder: str, files: int, workers: int) -> dict:
    """One row: tokens, workers, seconds, bytes moved, peaks, different words, and what was found."""
    from distributed import Client, LocalCluster

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options, memory_limit=0) as cluster, Client(cluster) as client:
        whole = open_corpus(folder)
        text, words = whole.part(files), list(content_words(whole.part(1), 5000))
        TASKS[task](whole.part(1), words, client)  # every worker compiles
        content_mask(text.words)
        runs = [timed(TASKS[task], text, words, client) for _ in range(2)]
        found, times = runs[0][0], min((times for _, times in runs), key=lambda times: times["seconds"])
        row = {"task": task, "tokens": text.n_tokens, "workers": workers} | times
        row |= {"worker": max(client.run(peak).values()), "client": peak()}
        row["sentences"] = text.n_sentences
        return row | {"words": int(np.count_nonzero(text.word_counts)), "found": found}


def timed(task, text, words, client) -> tuple[int, dict]:
    """What a task finds; its seconds, those at work, and the megabytes moved."""
    before, worked, own = moved(client), client.run(time.process_time), time.process_time()
    start = time.perf_counter()
    found = task(text, words, client)
    seconds = time.perf_counter() - start
    work = [after - worked[name] for name, after in client.run(time.process_time).items()]
    times = {"seconds": seconds, "work": time.process_time() - own + max(work)}
    return found, times | {"moved": (moved(client) - before) / 1e6}


def moved(client) -> int:
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def skip_gram(folder: str, files: int) -> tuple[int, float, float]:
    """Tokens, seconds and peak MB of one epoch over windows."""
    text = open_corpus(folder).part(files)
    words, start = content_words(text, 5000), time.perf_counter()
    train_words(text, words, dimensions=20, window=2, negatives=1, epochs=1, seed=0)
    return text.n_tokens, time.perf_counter() - start, peak()


def skip_gram_over_trees(folder: str, files: int) -> tuple[int, float, float]:
    """Tokens, seconds and peak MB of one epoch over dependencies."""
    text = open_corpus(folder).part(files)
    words, start = content_words(text, 5000), time.perf_counter()
    train_dependencies(text, words, dimensions=20, negatives=1, epochs=1, seed=0)
    return text.n_tokens, time.perf_counter() - start, peak()


def svd(rows: int) -> tuple[int, float, float]:
    """Cells, seconds and MB allocated at the peak, mapped files apart, of 50 dimensions of a matrix on disk."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = []
        for name, array in alone(matrix, rows).items():
            np.save(f"{folder}/{name}.npy", array)
            arrays.append(np.load(f"{folder}/{name}.npy", mmap_mode="r"))
        table = sparse.csr_array(tuple(arrays), shape=(rows, 2000))
        tracemalloc.start()
        start = time.perf_counter()
        SVD(50).fit(table)
        return table.nnz, time.perf_counter() - start, tracemalloc.get_traced_memory()[1] / 1e6


def matrix(rows: int) -> dict[str, np.ndarray]:
    counts = synthetic.counts(rows, 2000, 100 * rows).astype(np.float64)
    return {name: getattr(counts, name) for name in ("data", "indices", "indptr")}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options.add_argument("--corpus", type=Path, help="folder of a compiled corpus of 16 files")
    options = options.parse_args()
    ours = datasets.cache_folder() / "compiled" / "wikipedia_parsed"
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.corpus or (ours if ours.is_dir() and not options.smoke else None)
        folder = str(folder or stored(64_000 if options.smoke else 16_000_000, Path(scratch) / "corpus"))
        about = {"date": str(date.today()), "processor": processor(), "cores": os.cpu_count()}
        rows = []
        for task in TASKS:
            print(f"\n{task}\n{'tokens':>12}{'workers':>9}", *(f"{name:>10}" for name in HEADS))
            for files in (FILES,) if options.smoke else (FILES // 8, FILES // 4, FILES // 2, FILES):
                for workers in WORKERS:
                    row = alone(on_a_cluster, task, folder, files, workers)
                    rows.append(row | {"load": round(os.getloadavg()[0], 1)})
                    figures = "".join(f"{row[name]:11.2f}" for name in ("seconds", "work", "moved", "worker", "client"))
                    print(f"{row['tokens']:12,}{workers:9}{figures}", flush=True)
                assert rows[-1]["found"] == rows[-2]["found"]
        for task in TASKS:
            some = [row for row in rows if row["task"] == task]
            lines = [
                (f"{row['tokens']:,} tokens, workers: {row['workers']}", row["seconds"], row["worker"]) for row in some
            ]
            record(script="bench_scale", key="", title=f"On a cluster: {task}", note="the peak is that of a worker",
                   rows=lines, about=about, scale=some)  # fmt: skip
        sizes = (600, 1200) if options.smoke else (10_000, 20_000, 40_000)
        of_training = {
            "Skip-gram, one epoch, tokens": [alone(skip_gram, folder, files) for files in (1, 2, 4)],
            "Over dependencies, pairs held, tokens": [alone(skip_gram_over_trees, folder, n) for n in (1, 2, 4)],
            "SVD of a matrix on disk, cells": [alone(svd, rows) for rows in sizes],
        }
        for title, some in of_training.items():
            lines = [(f"{n:,}", seconds, most) for n, seconds, most in some]
            print(
                f"\n{title}", *(f"{name:>12}{seconds:9.2f} s{most:8.0f} MB" for name, seconds, most in lines), sep="\n"
            )
            note = "The peak is what NumPy allocates; mapped files do not count." if title.startswith("SVD") else ""
            record(script="bench_scale", key="", title=title, note=note, rows=lines)


if __name__ == "__main__":
    main()
