"""Counting and extraction on a Dask cluster: the results of one machine, whatever happens to the workers."""

import os
import signal

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.text import extraction, parts
from cdsm_lib.text.corpus import Corpus, compile_corpus, corpus_from_sentences, read_conllu
from cdsm_lib.text.counts import content_words, count_phrases, count_windows
from cdsm_lib.text.dependencies import count_dependencies, count_triples
from cdsm_lib.text.parts import ClusterError, over_parts

distributed = pytest.importorskip("distributed")
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
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
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


EXTRACTORS = {
    "adjective_noun": extraction.adjective_noun,
    "noun_noun": extraction.noun_noun,
    "subject_verb": lambda corpus, client: extraction.subject_verb(corpus, transitive=True, client=client),
    "verb_object": lambda corpus, client: extraction.verb_object(corpus, participles=True, client=client),
    "subject_verb_object": extraction.subject_verb_object,
    "relative_clauses": lambda corpus, client: extraction.relative_clauses(corpus, "subject", client=client),
    "relative_head_pattern": extraction.relative_head_pattern,
}


@pytest.mark.parametrize("name", EXTRACTORS)
@pytest.mark.parametrize("tokens", [1, 700])
def test_extraction_is_the_same(corpus, few, client, monkeypatch, name, tokens):
    corpus = few if tokens == 1 else corpus
    here = EXTRACTORS[name](corpus, client=None)
    monkeypatch.setattr(extraction, "_BLOCK", tokens)
    assert len(here) and same(here, EXTRACTORS[name](corpus, client=client))


COUNTERS = {
    "windows": lambda corpus, words, **how: count_windows(corpus, words, words, window=3, **how),
    "phrases": lambda corpus, words, **how: count_phrases(
        corpus, *phrases(corpus), ["first", "second"], words, window=None, **how
    ),
}


def phrases(corpus: Corpus) -> tuple[np.ndarray, np.ndarray]:
    found = extraction.verb_object(corpus)
    return found, np.arange(len(found)) % 3 - 1  # every third is of none


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize("tokens", [None, 1, 900])
def test_counts_are_the_same(corpus, few, client, name, tokens):
    corpus = few if tokens == 1 else corpus
    words = content_words(corpus, 300)
    here = COUNTERS[name](corpus, words)
    assert here.matrix.nnz > 100 and same(here, COUNTERS[name](corpus, words, client=client, part_tokens=tokens))


@pytest.mark.parametrize("tokens", [None, 1, 900])
def test_dependencies_and_triples_are_the_same(corpus, few, client, tokens):
    corpus = few if tokens == 1 else corpus
    words = content_words(corpus, 300)
    for count in (count_dependencies, count_triples):
        here, there = count(corpus, words), count(corpus, words, client=client, chunk_tokens=tokens)
        assert same(here, there)
    assert len(here) > 100


def test_a_corpus_in_memory_is_sent(client):
    memory = corpus_from_sentences(list(read_conllu(TEXTS[0]))[:50])
    assert same(extraction.verb_object(memory), extraction.verb_object(memory, client=client))


def test_a_compiled_corpus_is_opened_where_the_workers_are(corpus, client):
    """What is sent does not grow with the corpus."""
    sent = distributed.protocol.serialize(corpus)
    assert sum(len(frame) for frame in sent[1]) < 1000 < corpus.word.nbytes


def dies_once(corpus: Corpus, chunk: tuple[int, int], mark: str) -> int:
    """The first worker that comes to the second half is killed."""
    if chunk[0] > corpus.n_tokens // 2 and not os.path.exists(mark):
        open(mark, "x").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return int(corpus.word[slice(*chunk)].astype(np.int64).sum())


def test_a_worker_that_is_killed_changes_nothing(corpus, client, tmp_path):
    mark = tmp_path / "killed"
    there = list(over_parts(dies_once, corpus, str(mark), tokens=900, client=client))
    assert mark.exists()
    assert there == list(over_parts(dies_once, corpus, str(mark), tokens=900))
    assert sum(there) == int(corpus.word.astype(np.int64).sum())


def test_an_error_of_the_function_is_told_as_it_is(corpus, client):
    def fails(corpus, chunk):
        raise FileNotFoundError(2, "No such file", "corpus.bin")

    with pytest.raises(FileNotFoundError, match="corpus.bin"):
        list(over_parts(fails, corpus, tokens=None, client=client))


def test_a_scheduler_that_goes_away_is_one_clear_error(corpus):
    with distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        client = distributed.Client(cluster, timeout=2)
        results = over_parts(lambda corpus, chunk: chunk, corpus, tokens=900, client=client)
        assert next(results)[0] == 0
    with pytest.raises(ClusterError, match="the Dask scheduler went away; start the cluster again"):
        list(results)
    client.close()


def test_few_parts_are_on_their_way(corpus, monkeypatch):
    """Two for each thread, so the client never holds more, however long the corpus is."""
    held, most = 0, 0

    class Future:
        def result(self):
            nonlocal held
            held -= 1
            return 1

    class Client:
        status = "running"

        def nthreads(self):
            return {"one": 2, "two": 1}

        def scatter(self, things, **_):
            return things

        def submit(self, *_, **__):
            nonlocal held, most
            held += 1
            most = max(most, held)
            return Future()

    assert sum(over_parts(len, corpus, tokens=50, client=Client())) == len(list(corpus.chunks(50))) > 50
    assert most == 6 and parts._LONGEST < 2**31
