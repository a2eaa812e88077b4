"""Counting and extraction on a Dask cluster: the results of one machine, whatever happens to the workers."""

import multiprocessing
import os
import re
import resource
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import __main__ as command_line
from cdsm_lib import datasets
from cdsm_lib.text import extraction, own_corpus, parts
from cdsm_lib.text.cluster import ClusterError
from cdsm_lib.text.columns import Column
from cdsm_lib.text.corpus import (
    DTYPES,
    FORMAT,
    ConlluError,
    Corpus,
    CorpusError,
    _array,
    _compiled_there,
    _write,
    compile_corpus,
    corpus_from_sentences,
    open_corpus,
    read_conllu,
)
from cdsm_lib.text.counts import content_words, count_phrases, count_windows
from cdsm_lib.text.dependencies import count_dependencies, count_triples
from cdsm_lib.text.parts import over_parts, reduced
from tests.text.test_own_corpus import SENTENCES, stand_in

dask, distributed, fsspec = map(pytest.importorskip, ("dask", "distributed", "fsspec"))
LIMIT = 500_000_000
"""Bytes of memory that a worker may take. Python and the library are 240 million here, and more on other machines."""
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
    options = {"n_workers": 4, "threads_per_worker": 1, "memory_limit": LIMIT, "dashboard_address": ":0"}
    # a worker that comes near its limit would be paused, for ever if Python alone is that large: it is killed instead
    memory = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")}
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver", **memory}):
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


@pytest.fixture(scope="module")
def in_memory_files(corpus) -> str:
    """A copy of the compiled corpus in fsspec's file system in memory."""
    files = fsspec.filesystem("memory")
    for path in corpus.folder.iterdir():
        files.pipe_file(f"/parts/{path.name}", path.read_bytes())
    yield "memory://parts"
    files.rm("/parts", recursive=True)


def test_a_corpus_behind_an_address_is_read_there(corpus, client, in_memory_files):
    words = content_words(corpus, 300)
    here = count_windows(corpus, words, words, window=3)
    behind = open_corpus(in_memory_files)
    assert same(content_words(behind, 300), words) and list(behind.forms) == list(corpus.forms)
    assert behind.n_sentences == corpus.n_sentences and np.array_equal(behind.part(1).head, corpus.part(1).head)
    assert same(here, count_windows(behind, words, words, window=3, part_tokens=900))
    assert same(extraction.verb_object(corpus), extraction.verb_object(behind))
    local = open_corpus(f"file://{corpus.folder}")
    assert same(here, count_windows(local, words, words, window=3, client=client, part_tokens=900))
    first = count_windows(corpus.part(1), words, words, window=3)
    assert same(first, count_windows(local.part(1), words, words, window=3, client=client, part_tokens=900))


def test_a_column_that_is_cut_short_is_named(corpus, in_memory_files):
    word = Column.of(f"{in_memory_files}/word.npy")
    assert len(word) == corpus.n_tokens and np.array_equal(word[5:9], corpus.word[5:9]) and not len(word[7:7])
    files = fsspec.filesystem("memory")
    files.pipe_file("/short/word.npy", files.cat_file("/parts/word.npy")[:-4])
    with pytest.raises(OSError, match="memory://short/word.npy: cut short"):
        Column.of("memory://short/word.npy")[len(word) - 3 :]
    with pytest.raises(CorpusError, match="memory://short: no compiled corpus here"):
        open_corpus("memory://short")


def repeated(corpus: Corpus, times: int, folder: Path) -> Corpus:
    """A compiled corpus of the same text so many times."""
    n = times * corpus.n_tokens
    files = {name: _array(dtype, n, [getattr(corpus, name)] * times) for name, dtype in DTYPES.items()}
    offsets = (corpus.offsets[i > 0 :] + i * corpus.n_tokens for i in range(times))
    files["offsets.npy"] = _array(np.int64, times * corpus.n_sentences + 1, offsets)
    files = {name if "." in name else f"{name}.npy": file for name, file in files.items()}
    for name in ("forms.txt", "words.txt"):
        text = (corpus.folder / name).read_bytes()
        files[name] = len(text), [text]
    about = {"format": FORMAT, "tokens": n, "files": [["text.conllu", 0]], "deprels": list(corpus.deprels)}
    _write(folder, about | {"fingerprint": f"{times} times {corpus.fingerprint}"}, files)
    return open_corpus(folder)


def peak() -> tuple[int, int]:
    return os.getpid(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.slow
def test_a_corpus_larger_than_the_memory_of_the_workers(corpus, client, tmp_path):
    times = LIMIT // (12 * corpus.n_tokens) + 1
    long = repeated(corpus, times, tmp_path / "long")
    assert sum(getattr(long, name).nbytes for name in DTYPES) > LIMIT
    before, words = client.run(peak), content_words(corpus, 100)
    counts = count_windows(long, words, words, window=2, client=client)
    assert same(counts.matrix, count_windows(corpus, words, words, window=2).matrix * np.int32(times))
    after = client.run(peak)
    assert {pid for pid, _ in before.values()} == {pid for pid, _ in after.values()}  # none was killed for its memory
    assert max(size for _, size in after.values()) < LIMIT


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
    mark.unlink()
    together = reduced(sum, dies_once, corpus, str(mark), tokens=900, client=client)
    assert mark.exists() and together == sum(there) == int(corpus.word.astype(np.int64).sum())


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


def tokens_of(corpus: Corpus, chunk: tuple[int, int]) -> int:
    return len(corpus.word[slice(*chunk)])


def test_a_cluster_without_workers_is_named():
    options = {"n_workers": 0, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        problem = f"{cluster.scheduler_address}: the cluster has no workers; start some: dask worker inproc"
        with pytest.raises(ClusterError, match=re.escape(problem)):
            reduced(sum, tokens_of, corpus_from_sentences([]), tokens=None, client=client)


def test_a_worker_that_reads_another_corpus_is_named(corpus, few, client, tmp_path):
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "copy"))
    ours = open_corpus(folder)
    for problem in ("no compiled corpus here", "another corpus stands here"):
        shutil.rmtree(folder)
        if problem.startswith("another"):
            shutil.copytree(few.folder, folder)
        with pytest.raises(ClusterError, match=rf"worker tcp://\S+ cannot read .*{folder}: {problem}.*the same name"):
            reduced(sum, tokens_of, ours, tokens=None, client=client)
        folder.mkdir(exist_ok=True)


def dies(corpus: Corpus, chunk: tuple[int, int]):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_part_of_which_workers_die_is_told(corpus, cluster, client, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(
        ClusterError, match=r"workers died of one part, 1 in all, the last tcp.*more memory, or take sm"
    ):
        reduced(sum, dies, corpus, tokens=corpus.n_tokens, client=client)


def bytes_of(corpus: Corpus) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in corpus.folder.iterdir()}


def test_a_corpus_is_compiled_to_the_same_bytes(corpus, client, tmp_path):
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    there = compile_corpus([*TEXTS, empty], tmp_path / "there", client=client)
    assert there.n_tokens == corpus.n_tokens and len(there.files) == 3
    assert bytes_of(there) == bytes_of(compile_corpus([*TEXTS, empty], tmp_path / "here"))
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    addresses = [f"file://{path}" for path in TEXTS]
    for how in ({"client": client}, {"threads": 1}):
        assert bytes_of(compile_corpus(addresses, tmp_path / "there", **how)) == bytes_of(corpus)


def test_what_is_wrong_with_a_file_is_told_from_a_worker(client, tmp_path):
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text("1\tdog\n")
    for source in (wrong, f"file://{wrong}"):
        with pytest.raises(ConlluError, match=f"{source}:1: 2 columns where CoNLL-U has 10") as told:
            compile_corpus([TEXTS[0], source], tmp_path / "there", client=client)
        assert told.value.line == 1 and not (tmp_path / "there").exists()
    with pytest.raises(ConlluError, match="file:///nothing.conllu: cannot be read .*; see to its address"):
        compile_corpus(["file:///nothing.conllu"], tmp_path / "there")


def test_a_worker_that_cannot_write_is_named(client, tmp_path):
    with pytest.raises(ClusterError, match=rf"worker tcp://\S+ sees no {tmp_path}/gone; choose a place that every"):
        next(_compiled_there(TEXTS, tmp_path / "gone", client))


@dataclass(frozen=True)
class Named:
    """The stand-in for a parser with a name."""

    name: str = "stand-in 1"

    def __call__(self, texts):
        return stand_in(texts)


def test_a_text_is_parsed_to_the_same_bytes(client, tmp_path, monkeypatch):
    monkeypatch.setattr(own_corpus, "PIECE", 300)
    text, parse = tmp_path / "text.txt", Named()
    text.write_text("\n".join([*SENTENCES[:40], "A snail.", *SENTENCES[:3]]))
    here, there = (
        own_corpus.build(text, tmp_path / place, parse, parser=parse.name, client=which)
        for place, which in (("here", None), ("there", client))
    )
    assert bytes_of(here) == bytes_of(there) and here.n_sentences == 40
    for path in (tmp_path / "here").glob("*.*"):
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes()
    assert not list(tmp_path.glob("*.pieces"))


def test_a_worker_with_another_parser_is_named(client, tmp_path):
    (tmp_path / "text.txt").write_text(SENTENCES[0])
    problem = r"worker tcp://\S+ parses with stand-in 2, the client with stand-in 1; install the same versions"
    with pytest.raises(ClusterError, match=problem):
        own_corpus.build(
            tmp_path / "text.txt", tmp_path / "mine", Named("stand-in 2"), parser="stand-in 1", client=client
        )


def test_the_commands_find_their_cluster(client, tmp_path, capsys):
    to = ["--to", str(tmp_path / "compiled"), "--scheduler"]
    files = [str(TEXTS[0]), f"file://{TEXTS[1]}"]
    assert command_line.main(["compile", *files, *to, client.scheduler.address]) == 0
    assert "4,551 tokens" in capsys.readouterr().out
    assert command_line.main(["compile", *files, *to, "tcp://nowhere:x"]) == 1
    assert "error: tcp://nowhere:x: no scheduler answers" in capsys.readouterr().err


class Done:
    """A client that does at once what it is given, and counts what it holds."""

    status, scheduler = "running", SimpleNamespace(address="tcp://done")

    def __init__(self):
        self.held = self.most = self.asked = 0

    def nthreads(self):
        return {"one": 2, "two": 1}

    def submit(self, function, *arguments, **_):
        self.held += 1
        self.most = max(self.most, self.held)
        client = self

        class Future:
            value = function(*(of.value if hasattr(of, "value") else of for of in arguments))

            def result(self):
                client.held -= 1
                client.asked += 1
                return self.value

        return Future()


def test_few_parts_are_on_their_way(corpus, monkeypatch):
    """Two tasks for each thread, so the client never holds more, however long the corpus is; and the tables, once."""
    monkeypatch.setattr(parts, "_RUN", 2)
    client = Done()
    assert sum(over_parts(tokens_of, corpus, tokens=20, client=client)) == corpus.n_tokens
    assert client.asked > 20 and client.most == 6 + 1 and parts._LONGEST < 2**31


def together(results) -> tuple[int, ...]:
    """The words of all results in order, after the number of results."""
    results = [getattr(of, "value", of) for of in results]
    return (len(results), *(word for of in results for word in of[1:]))


def words_of(corpus: Corpus, chunk: tuple[int, int]) -> tuple[int, ...]:
    return (0, *corpus.word[slice(*chunk)].tolist())


def test_the_client_receives_one_sum(corpus, monkeypatch):
    """Of a tree with four branches at each fork, in the order of the corpus."""
    monkeypatch.setattr(parts, "_RUN", 4)
    client = Done()
    last, *words = reduced(together, words_of, corpus, tokens=20, client=client)
    nodes = [-(-len(list(corpus.chunks(20))) // 4)]
    while nodes[-1] > 1:
        nodes.append(-(-nodes[-1] // 4))
    assert client.asked == 1 and words == corpus.word.tolist() and len(nodes) == 4 and last == nodes[-2]
    assert client.held == 1 + sum(nodes) - 1  # the tables and all nodes, less the one that was asked for


def test_dask_knows_how_large_counts_are():
    parts._weigh_matrices()
    matrix = sparse.csr_array(np.eye(1000, dtype=np.int32))
    assert distributed.worker.sizeof(matrix) == 4000 + 4000 + 4004


def test_an_empty_corpus_has_no_parts():
    assert reduced(sum, tokens_of, corpus_from_sentences([]), tokens=None, client=Done()) == 0
