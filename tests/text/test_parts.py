"""Counting and extraction on a Dask cluster: the results of one machine, whatever happens to the workers."""

import contextlib
import multiprocessing
import os
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.storage import last_written
from cdsm_lib.text import counts, dependencies, extraction
from cdsm_lib.text.corpus import Corpus, CorpusError, compile_corpus, corpus_from_sentences, open_corpus, read_conllu
from cdsm_lib.text.counts import content_words, count_phrases, count_windows
from cdsm_lib.text.dependencies import count_dependencies, count_triples
from cdsm_lib.text.parts import ClusterError, reduced

dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
SETS = datasets.data_root() / "sample"
TEXTS = [SETS / "questions" / "documents.conllu", SETS / "relations" / "relations.conllu"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    return compile_corpus(TEXTS, tmp_path_factory.mktemp("corpus") / "compiled")


@pytest.fixture(scope="module")
def few(tmp_path_factory) -> Corpus:
    """Every fourth sentence, for parts of one sentence each: a task costs the cluster some milliseconds."""
    folder = tmp_path_factory.mktemp("few")
    for text in TEXTS:
        sentences = text.read_text("utf8").strip().split("\n\n")
        (folder / text.name).write_text("\n\n".join(sentences[::4]) + "\n\n", "utf8")
    return compile_corpus([folder / text.name for text in TEXTS], folder / "compiled")


@pytest.fixture(scope="module")
def cluster():
    """Four processes, forked from one that has read the library."""
    names = ("distributed", *(f"cdsm_lib.text.{name}" for name in ("dependencies", "extraction")))
    multiprocessing.set_forkserver_preload(names)
    options = {"n_workers": 4, "threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        with distributed.LocalCluster(processes=True, **options) as cluster:
            yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def same(one, other) -> bool:
    """Whether two results are the same to the last bit, dtypes and the order of rows included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if hasattr(one, "indptr"):
        return all(same(getattr(one, name), getattr(other, name)) for name in ("indptr", "indices", "data"))
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, name), getattr(other, name)) for name in one.__dataclass_fields__)
    return list(one) == list(other)


def phrases(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    found = extraction.verb_object(corpus)
    return found, np.arange(len(found)) % 3 - 1  # every third is of none


WORDS = 300
CALLS = {
    "adjective_noun": extraction.adjective_noun,
    "noun_noun": extraction.noun_noun,
    "subject_verb": lambda corpus, client: extraction.subject_verb(corpus, transitive=True, client=client),
    "verb_object": lambda corpus, client: extraction.verb_object(corpus, participles=True, client=client),
    "subject_verb_object": extraction.subject_verb_object,
    "relative_clauses": lambda corpus, client: extraction.relative_clauses(corpus, "subject", client=client),
    "relative_head_pattern": extraction.relative_head_pattern,
    "windows": lambda corpus, client: count_windows(
        corpus, *[content_words(corpus, WORDS)] * 2, window=3, client=client
    ),
    "phrases": lambda corpus, client: count_phrases(
        corpus, *phrases(corpus), ["first", "second"], content_words(corpus, WORDS), window=None, client=client
    ),
    "dependencies": lambda corpus, client: count_dependencies(corpus, content_words(corpus, WORDS), client=client),
    "triples": lambda corpus, client: count_triples(corpus, content_words(corpus, WORDS), client=client),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("tokens", [None, 1, 700])
def test_the_results_are_those_of_one_machine_in_one_part(corpus, few, client, monkeypatch, name, tokens):
    corpus = few if tokens == 1 else corpus
    here = CALLS[name](corpus, client=None)
    for module, limit in ((extraction, "BLOCK"), (counts, "PART"), (dependencies, "PART")):
        monkeypatch.setattr(module, limit, tokens or getattr(module, limit))
    assert same(here, CALLS[name](corpus, client=client)) and same(here, CALLS[name](corpus, client=None))


def test_a_corpus_in_memory_is_sent(client):
    memory = corpus_from_sentences(list(read_conllu(TEXTS[0]))[:50])
    assert same(extraction.verb_object(memory), extraction.verb_object(memory, client=client))


def dies_once(corpus: Corpus, chunk: tuple[int, int], mark: str) -> int:
    """The first worker that comes to the second half is killed."""
    if chunk[0] > corpus.n_tokens // 2:
        with contextlib.suppress(FileExistsError):
            open(mark, "x").close()
            os.kill(os.getpid(), signal.SIGKILL)
    return int(corpus.word[slice(*chunk)].astype(np.int64).sum())


def test_a_worker_that_is_killed_changes_nothing(corpus, client, tmp_path):
    mark, total = tmp_path / "killed", int(corpus.word.astype(np.int64).sum())
    assert reduced(sum, dies_once, corpus, str(mark), tokens=900, client=client) == total and mark.exists()


def tokens_of(corpus: Corpus, chunk: tuple[int, int]) -> int:
    return len(corpus.word[slice(*chunk)])


def test_a_cluster_without_workers_is_named():
    options = {"n_workers": 0, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        problem = f"{cluster.scheduler_address}: the cluster has no workers; start some: dask worker inproc"
        with pytest.raises(ClusterError, match=re.escape(problem)):
            reduced(sum, tokens_of, corpus_from_sentences([]), tokens=900, client=client)


def test_a_worker_that_reads_another_corpus_is_named(corpus, few, client, tmp_path):
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "copy"))
    ours = open_corpus(folder)
    os.utime(folder / "head.npy", ns=(0, ours.written + 1))
    with pytest.raises(CorpusError, match=f"{folder}: a column was written since the corpus was opened; open it again"):
        reduced(sum, tokens_of, ours, tokens=900, client=client)
    for problem in ("no compiled corpus here", "another corpus stands here"):
        shutil.rmtree(folder)
        if problem.startswith("another"):
            shutil.copytree(few.folder, folder)
        unseen = replace(ours, written=last_written(folder.glob("*.npy")))  # by the client
        with pytest.raises(CorpusError, match=f"{folder}: {problem}"):
            reduced(sum, tokens_of, unseen, tokens=900, client=client)
        folder.mkdir(exist_ok=True)


def test_a_scheduler_that_goes_away_is_one_clear_error(corpus):
    away = {"status": "closed", "scheduler": SimpleNamespace(address="tcp://done"), "submit": None}
    client = SimpleNamespace(nthreads=lambda: {"one": 2}, **away)
    with pytest.raises(ClusterError, match="tcp://done: the Dask scheduler went away; start the cluster again"):
        reduced(sum, tokens_of, corpus, tokens=900, client=client)
