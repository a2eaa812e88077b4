"""Counting on a Dask cluster: seconds, bytes moved and peak memory against tokens and workers.

    python benchmarks/bench_scale.py [--smoke]

Four sizes of one corpus, from an eighth of its files to all: the compiled Wikipedia in the cache, else (and with
``--smoke``) a teaching set, many times. Workers are processes of one thread on this machine; none is this machine
without a cluster, a thread for each core. They start, load the library and compile its kernels before the clock does,
and the client reads the corpus's labels; of three runs the fastest stands here. Beside the seconds stand those for
which processors were at work, the client's and the busiest worker's: what a machine without other work would take.
Moved are the bytes that workers send to one another; the client receives the result besides. Peak memory is that of a
process from its start, each of which is new for each row; what is read of a mapped file counts as its memory.
"""

import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from measure import SMOKE, machine, record

from cdsm_lib import datasets
from cdsm_lib.text.corpus import compile_corpus, open_corpus
from cdsm_lib.text.counts import content_words, count_windows
from cdsm_lib.text.dependencies import count_triples

FILES, SAMPLE = 16, datasets.sample_path("anvan_mini") / "anvan_mini.conllu"
TASKS = {
    "windows": lambda text, words, client: count_windows(text, words, words[:2000], window=5, client=client).total,
    "triples": lambda text, words, client: len(count_triples(text, words, min_count=2, client=client).count),
}
HEADS = ("seconds", "work", "moved", "worker", "client")


def small(folder: Path) -> Path:
    """A corpus of so many files, all with the same sentences."""
    paths = [shutil.copy(SAMPLE, folder / f"{i:02}.conllu") for i in range(FILES)]
    compile_corpus(paths, folder / "compiled")
    return folder / "compiled"


def peak() -> float:
    """MB of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def everywhere(function, client) -> list:
    """What the workers answer, if there are any."""
    return list(client.run(function).values()) if client else []


def timed(task, text, words, client) -> dict:
    """What a task finds; its seconds, those at work, and the megabytes moved."""

    def sent(dask_worker) -> int:
        return dask_worker.transfer_outgoing_bytes_total

    moved, worked, before = sum(everywhere(sent, client)), everywhere(time.process_time, client), time.process_time()
    start = time.perf_counter()
    total = task(text, words, client)
    seconds = time.perf_counter() - start
    work = [after - first for first, after in zip(worked, everywhere(time.process_time, client), strict=True)]
    costs = {"seconds": seconds, "work": time.process_time() - before + max(work, default=0)}
    return {"found": total, **costs, "moved": (sum(everywhere(sent, client)) - moved) / 1e6}


def one_row(task: str, folder: str, files: int, workers: int) -> dict:
    """Tokens, workers, seconds, bytes moved, peaks, and what was found."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "memory_limit": 0}
    cluster = LocalCluster(n_workers=workers, **options) if workers else nullcontext()
    with cluster, Client(cluster) if workers else nullcontext() as client:
        whole = open_corpus(folder)
        text, words = whole.part(files), list(content_words(whole.part(1), 5000))
        TASKS[task](whole.part(1), words, client)  # every worker compiles
        fastest = min((timed(TASKS[task], text, words, client) for _ in range(3)), key=lambda run: run["seconds"])
        row = {"task": task, "tokens": text.n_tokens, "workers": workers, **fastest}
        return row | {"worker": max(everywhere(peak, client), default=0), "client": peak()}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        compiled = datasets.cache_folder() / "compiled" / "wikipedia_parsed"
        folder = str(small(Path(scratch)) if SMOKE or not compiled.is_dir() else compiled)
        for task in TASKS:
            rows = []
            print(f"\n{task}\n{'tokens':>12}{'workers':>9}", *(f"{name:>10}" for name in HEADS))
            for files in (FILES,) if SMOKE else (FILES // 8, FILES // 4, FILES // 2, FILES):
                for workers in (0, 1, 2):
                    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                        row = pool.submit(one_row, task, folder, files, workers).result()
                    rows.append(row | {"load": round(os.getloadavg()[0], 1)})
                    print(f"{row['tokens']:12,}{workers:9}" + "".join(f"{row[name]:11.2f}" for name in HEADS))
                assert rows[-1]["found"] == rows[-2]["found"] == rows[-3]["found"]
            lines = [(f"{row['tokens']:,} tokens, workers: {row['workers']}", row["seconds"], row["worker"])
                     for row in rows]  # fmt: skip
            record(script="bench_scale", title=f"On a cluster: {task}", note="the peak is that of a worker",
                   rows=lines, about=machine(), scale=rows)  # fmt: skip


if __name__ == "__main__":
    main()
