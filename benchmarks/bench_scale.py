"""Counting on a Dask cluster: seconds, bytes moved and peak memory against tokens and workers.

    python benchmarks/bench_scale.py [--smoke]

Four sizes of one corpus, from an eighth of its files to all: the compiled Wikipedia in the
cache, else (and with ``--smoke``) a teaching set, many times. Workers are processes of one thread on this
machine. They start, load the library and compile its kernels before the clock does, and the client reads the corpus's
labels; of two runs the faster one stands here. Beside the seconds stand those for which processors were at work, the
client's and the busiest worker's: what a machine without other work would take. Moved are the bytes that workers send
to one another; the client receives the result besides. Peak memory is that of a process from its start, each of which
is new for each row; what is read of a mapped file counts as its memory.
"""

import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
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


def moved(client) -> int:
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def timed(task, text, words, client) -> dict:
    """What a task finds; its seconds, those at work, and the megabytes moved."""
    before, worked, client_before = moved(client), client.run(time.process_time), time.process_time()
    start = time.perf_counter()
    total = task(text, words, client)
    seconds = time.perf_counter() - start
    work = [after - worked[name] for name, after in client.run(time.process_time).items()]
    costs = {"seconds": seconds, "work": time.process_time() - client_before + max(work)}
    return {"found": total, **costs, "moved": (moved(client) - before) / 1e6}


def on_a_cluster(task: str, folder: str, files: int, workers: int) -> dict:
    """One row: tokens, workers, seconds, bytes moved, peaks, and what was found."""
    from distributed import Client, LocalCluster

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options, memory_limit=0) as cluster, Client(cluster) as client:
        whole = open_corpus(folder)
        text, words = whole.part(files), list(content_words(whole.part(1), 5000))
        TASKS[task](whole.part(1), words, client)  # every worker compiles
        fastest = min((timed(TASKS[task], text, words, client) for _ in range(2)), key=lambda run: run["seconds"])
        row = {"task": task, "tokens": text.n_tokens, "workers": workers, **fastest}
        return row | {"worker": max(client.run(peak).values()), "client": peak()}


def main() -> None:
    compiled = datasets.cache_folder() / "compiled" / "wikipedia_parsed"
    with tempfile.TemporaryDirectory() as scratch:
        folder = str(small(Path(scratch)) if SMOKE or not compiled.is_dir() else compiled)
        for task in TASKS:
            rows = []
            print(f"\n{task}\n{'tokens':>12}{'workers':>9}", *(f"{name:>10}" for name in HEADS))
            for files in (FILES,) if SMOKE else (FILES // 8, FILES // 4, FILES // 2, FILES):
                for workers in (1, 2):
                    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
                        row = pool.submit(on_a_cluster, task, folder, files, workers).result()
                    rows.append(row | {"load": round(os.getloadavg()[0], 1)})
                    print(f"{row['tokens']:12,}{workers:9}" + "".join(f"{row[name]:11.2f}" for name in HEADS))
                assert rows[-1]["found"] == rows[-2]["found"]
            lines = [(f"{row['tokens']:,} tokens, workers: {row['workers']}", row["seconds"], row["worker"])
                     for row in rows]  # fmt: skip
            record(script="bench_scale", title=f"On a cluster: {task}", note="the peak is that of a worker",
                   rows=lines, about=machine(), scale=rows)  # fmt: skip


if __name__ == "__main__":
    main()
