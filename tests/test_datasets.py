"""The registry, fetching from cache, mirror and network, and every way in which that can go wrong."""

import gzip
import hashlib
import http.server
import json
import lzma
import os
import re
import socket
import threading
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.__main__ import main
from cdsm_lib.datasets import DataError, UnreachableError, fetch, load_registry, status

PLAIN = b"SBJ telescope_N: device_N that observe_V sky_N\n"
CHANGED = PLAIN.replace(b"sky", b"sea")
PACKED = b"1\tDogs\tdog\tNOUN\n" * 500


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


ENTRY = """
[{name}]
title = "{name}"
licence = "CC BY 4.0"
redistributable = true
bib = "nobody2000"
citation = "Nobody (2000)."
pages = ["https://example.org/"]
obtain = "Ask Nobody."
"""


def entry_toml(name, *files):
    lines = [ENTRY.format(name=name)]
    for file in files:
        lines.append(f"[[{name}.files]]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in file.items()]  # JSON's strings and lists are TOML's
    return "\n".join(lines) + "\n"


def file_entry(name, content, **others):
    return {"name": name, "sha256": sha(content), "size": len(content), "format": "text", **others}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CDSM_DATA_MIRROR", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def toy_mirror(tmp_path, cache, monkeypatch):
    """A mirror of two files, one of them compressed."""
    folder = tmp_path / "mirror"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "plain.txt").write_bytes(PLAIN)
    (folder / "toy" / "packed.conllu.xz").write_bytes(lzma.compress(PACKED))
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(folder))
    return folder


@pytest.fixture
def toy_file(tmp_path):
    packed = lzma.compress(PACKED)
    stored = {"stored": "toy/packed.conllu.xz", "stored_sha256": sha(packed), "stored_size": len(packed)}
    files = file_entry("plain.txt", PLAIN, stored="toy/plain.txt"), file_entry("packed.conllu", PACKED, **stored)
    path = tmp_path / "registry.toml"
    path.write_text(entry_toml("toy", *files))
    return path


@pytest.fixture
def toy(toy_file):
    return load_registry(toy_file)


@pytest.fixture
def serve(monkeypatch):
    """Serve bytes on this machine: serve(path=bytes, ...) -> base address, which holds a password.

    The server counts requests in .asked; it cuts its answers in half, never ends them, or is busy at first, if told so.
    """
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    servers = []

    def start(manner="well", **contents):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                start.asked.append(self.path)
                body = contents.get(self.path.strip("/").replace(".", "_"))
                if manner == "busy" and len(start.asked) < 3:
                    return self.send_error(429)
                if body is None:
                    return self.send_error(404)
                self.send_response(200)
                if manner != "endless":
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    while manner == "endless":
                        start.sent += self.wfile.write(bytes(100_000))
                    self.wfile.write(body[: len(body) // 2] if manner == "truncated" else body)
                except OSError:
                    pass  # the other side has had enough

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://reader:secret@127.0.0.1:{server.server_address[1]}"

    start.asked, start.sent = [], 0
    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def online(folder, *files):
    folder.mkdir(exist_ok=True)
    path = folder / "online.toml"
    path.write_text(entry_toml("toy", *files))
    return load_registry(path)


def files_in(folder: Path) -> set[str]:
    """Names of all files below a folder, but for the memory of checked files."""
    paths = (path for path in folder.rglob("*") if path.is_file() and ".checked" not in path.parts)
    return {str(path.relative_to(folder)) for path in paths}


def in_cache(cache: Path, content: bytes) -> Path:
    """A file of the toy set in the cache."""
    place = cache / "toy" / "plain.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    return place


def age(path: Path):
    """Make a file older than the two seconds during which a check is not remembered."""
    os.utime(path, (1e9, 1e9))


# ---------------------------------------------------------------------------------------------- the project's registry


NAMES = (
    "relpron ml2010 coinco msrpc genia semcor sense2017_semcor relation_banko2008 google_re "
    "googlenews_subset verb_noun_counts ud_ewt wikipedia_parsed scowl wordnet"
).split()
PACKAGED = ("scowl", "wordnet")  # come as packages of the operating system, not with the mirror


def test_every_real_dataset_has_an_entry():
    assert list(load_registry()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name):
    entry = datasets.dataset(name)
    assert all(text.strip() for text in (entry.title, entry.licence, entry.bib, entry.citation, entry.obtain))
    assert entry.pages and all(page.startswith("http") for page in entry.pages) and entry.files
    for file in entry.files.values():
        assert re.fullmatch("[0-9a-f]{64}", file.sha256) and file.size > 0 and file.format
        assert (file.stored_sha256 is None) == (file.stored_size is None)
        assert file.stored or file.system or file.text
        if file.name.endswith(".xz"):
            assert re.fullmatch("[0-9a-f]{64}", file.unpacked_sha256)
        elif file.stored and file.stored.endswith(".xz"):
            assert file.stored == f"{name}/{file.name}.xz" and re.fullmatch("[0-9a-f]{64}", file.stored_sha256)


def test_lexnames_are_the_45_lexicographer_files():
    lines = datasets.dataset("wordnet").files["corpora/wordnet/lexnames"].text.splitlines()
    rows = [line.split("\t") for line in lines]
    assert [int(number) for number, _, _ in rows] == list(range(45))
    assert rows[3] == ["03", "noun.Tops", "1"] and rows[44] == ["44", "adj.ppl", "3"]


def test_used_is_one_hash_over_the_sorted_hashes(toy):
    expected = sha("\n".join(sorted([sha(PLAIN), sha(PACKED)])).encode())
    assert datasets.used(["toy"], registry=toy) == {"toy": expected}


@pytest.mark.parametrize(
    "wanted, message",
    [
        (["relprom"], "(?s)unknown dataset 'relprom'.*Did you mean 'relpron'.*coinco, msrpc"),
        (["relpron", "relpron.dv"], "unknown file of relpron 'relpron.dv'.*'relpron.dev'"),
    ],
)
def test_unknown_name_brings_the_nearest_and_all(cache, wanted, message):
    with pytest.raises(DataError, match=message):
        fetch(*wanted)


@pytest.mark.parametrize(
    "text, problem",
    [
        ("[toy]\ntitle = 'x'\n", "line 1: toy: 'licence' is a required property"),
        ("[toy\n", "is not TOML"),
        ("toy = 1\n", "line 1: toy: 1 is not of type 'object'"),
        (entry_toml("toy", file_entry("b", b"b"), file_entry("a", b"a", sha265="0")), "line 16: toy.files.1: .*sha265"),
    ],
)
def test_bad_registry_is_named(tmp_path, text, problem):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=problem) as raised:
        load_registry(path)
    assert str(path) in str(raised.value)


# ------------------------------------------------------------------------------------------------- cache and mirror


@pytest.mark.parametrize("change, word", [(lambda b: b[:-9], "truncated"), (lambda b: b"X" + b[1:], "altered")])
@pytest.mark.parametrize("stored, used", [("plain.txt", "plain.txt"), ("packed.conllu.xz", "packed.conllu")])
def test_damaged_file_in_the_mirror_is_refused(toy, toy_mirror, cache, change, word, stored, used):
    place = toy_mirror / "toy" / stored
    place.write_bytes(change(place.read_bytes()))
    with pytest.raises(DataError, match=word) as raised:
        fetch("toy", used, registry=toy)
    assert str(place) in str(raised.value) and "CDSM_DATA_MIRROR" in str(raised.value)
    assert files_in(cache) == set()


@pytest.mark.parametrize("content, word", [(PLAIN[:-9], "truncated"), (CHANGED, "altered")])
def test_damaged_file_in_the_cache_is_refused_then_repaired(toy, toy_mirror, cache, content, word):
    place = in_cache(cache, content)
    with pytest.raises(DataError, match=f"{word}.*make data") as raised:
        fetch("toy", "plain.txt", registry=toy)
    assert str(place) in str(raised.value)
    assert place.read_bytes() == content
    assert fetch("toy", "plain.txt", registry=toy, repair=True).read_bytes() == PLAIN
    assert fetch("toy", "plain.txt", registry=toy).read_bytes() == PLAIN


def test_a_damaged_file_that_cannot_be_replaced_is_kept(toy, cache):
    place = in_cache(cache, PLAIN[:-9])
    with pytest.raises(DataError, match="(?s)truncated.*No other could be had"):
        fetch("toy", "plain.txt", registry=toy, repair=True)
    assert place.read_bytes() == PLAIN[:-9]
    assert files_in(cache) == {"toy/plain.txt"}


def test_where_a_file_is_not_is_named_and_its_owner(toy, toy_mirror, cache, monkeypatch):
    (toy_mirror / "toy" / "plain.txt").unlink()
    places = {str(toy_mirror): "not in the mirror .*/mirror.*Ask Nobody", "": "CDSM_DATA_MIRROR is not set.*Ask Nobody"}
    places["/nowhere/at/all"] = "CDSM_DATA_MIRROR names /nowhere/at/all"
    for mirror, message in places.items():
        monkeypatch.setenv("CDSM_DATA_MIRROR", mirror)
        with pytest.raises(DataError, match=message):
            fetch("toy", "plain.txt", registry=toy)


def test_a_checked_file_is_not_hashed_again_until_it_changes(toy, toy_mirror, cache, monkeypatch):
    place = toy_mirror / "toy" / "plain.txt"
    age(place)
    hashed = []
    really = datasets.sha256_of
    monkeypatch.setattr(datasets, "sha256_of", lambda path: hashed.append(path) or really(path))
    for _ in range(3):
        fetch("toy", "plain.txt", registry=toy)
    assert hashed == [place]
    fetch("toy", "plain.txt", registry=toy, recheck=True)
    assert hashed == [place] * 2
    place.write_bytes(CHANGED)
    age(place)  # same size and time as when it was checked; the inode's change time tells
    with pytest.raises(DataError, match="altered"):
        fetch("toy", "plain.txt", registry=toy)


def test_a_spoilt_memory_of_checks_is_harmless(toy, toy_mirror, cache):
    age(toy_mirror / "toy" / "plain.txt")
    for spoilt in ("[]", "{}", "no JSON"):
        fetch("toy", "plain.txt", registry=toy, recheck=True)
        (stamp,) = (cache / ".checked").iterdir()
        stamp.write_text(spoilt)
        assert fetch("toy", "plain.txt", registry=toy).read_bytes() == PLAIN


# ------------------------------------------------------------------------------------------------------- the network


NOISE = np.random.default_rng(0).bytes(5000)  # the same in every process, for the ids of tests


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.txt", CHANGED, f"(?s)altered or truncated: .*expected sha256:{sha(PLAIN)} but got .*Ask Nobody"),
        ("a.txt", PLAIN[:-9], "altered or truncated"),
        ("a.txt", PLAIN + b"x", "a.txt holds more than the registered 47 bytes"),
        ("a.txt.gz", gzip.compress(CHANGED, mtime=0), "altered or truncated"),
        ("a.txt.xz", lzma.compress(NOISE)[:-1000], "truncated or altered archive"),
        ("a.txt.gz", gzip.compress(NOISE, mtime=0)[:-9], "truncated or altered archive"),
        ("a.txt.gz", b"no archive", "truncated or altered archive"),
        ("a.txt.bz2", b"no archive", "truncated or altered archive"),
        ("a.txt.xz", lzma.compress(bytes(10_000_000)), "more than the registered 47 bytes"),
        ("a.txt", None, "a.txt answered 404"),
    ],
)
def test_download_that_is_not_as_registered_is_refused(tmp_path, cache, serve, name, content, message):
    """And no message holds the password of the address."""
    url = f"{serve(**{name.replace('.', '_'): content})}/{name}"
    size = len(NOISE) if "truncated or altered archive" in message else len(PLAIN)
    registry = online(tmp_path, file_entry("a.txt", PLAIN, urls=[url]) | {"size": size})
    with pytest.raises(DataError, match=message) as raised:
        fetch("toy", registry=registry)
    assert datasets.public(url) in str(raised.value) and "secret" not in str(raised.value) and files_in(cache) == set()


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_server_that_never_stops_is_stopped_at_the_registered_size(tmp_path, cache, serve, name):
    """Also one that sends a compressed form, of which the registry knows no size; and the list of a deposit."""
    base = serve("endless", **{name.replace(".", "_"): PLAIN, "list_json": b""})
    registry = online(tmp_path, file_entry("a.txt", PLAIN, urls=[f"{base}/{name}"]))
    with pytest.raises(DataError, match=f"{name} holds more than the registered [0-9,]+ bytes"):
        fetch("toy", registry=registry)
    with pytest.raises(DataError, match="list.json holds more than the registered 1,000,000 bytes"):
        datasets.received(f"{base}/list.json", 1_000_000)
    assert files_in(cache) == set() and serve.sent < 50_000_000  # what the system's buffers hold


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_download_that_breaks_off_is_named(tmp_path, cache, serve, name):
    base = serve("truncated", a_txt=PLAIN, a_txt_gz=gzip.compress(PLAIN, mtime=0))
    registry = online(tmp_path, file_entry("a.txt", PLAIN, urls=[f"{base}/{name}"]))
    with pytest.raises(DataError, match="truncated") as raised:
        fetch("toy", registry=registry)
    assert not isinstance(raised.value, UnreachableError) and files_in(cache) == set()


def closed_address():
    """An address of this machine at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_no_network_is_one_clear_error(tmp_path, cache, serve):
    registry = online(tmp_path, file_entry("a.txt", PLAIN, urls=[f"{closed_address()}/a.txt"]))
    unreachable = set()
    for _ in range(2):
        with pytest.raises(UnreachableError, match="(?s)toy/a.txt cannot be had.*not answer.*Connect to a network"):
            fetch("toy", registry=registry, unreachable=unreachable)
    assert len(unreachable) == 1
    assert files_in(cache) == set()


# ------------------------------------------------------------------------------------------------- status and command


def test_status(toy, toy_mirror, cache):
    (row,) = status(registry=toy)
    assert (row.state, row.where, row.missing, row.advice) == ("present", "mirror", 0, "")
    assert row.size == len(PLAIN) + len(PACKED)
    (toy_mirror / "toy" / "plain.txt").unlink()
    (row,) = status(registry=toy)
    assert (row.state, row.missing, row.advice) == ("partly", 1, "Ask Nobody.")
    packed = toy_mirror / "toy" / "packed.conllu.xz"
    packed.write_bytes(packed.read_bytes()[:-1] + b"!")
    assert status(registry=toy)[0].state == "damaged"
    packed.unlink()
    assert status(registry=toy)[0].state == "missing"
    assert files_in(cache) == set()  # but the memory of what was checked


def test_status_table_says_what_to_do(toy, cache):
    table = datasets.status_table(status(registry=toy))
    assert "toy  missing" in table and "CC BY 4.0" in table
    assert "toy: 2 of 2 files missing. Ask Nobody." in table and str(cache) in table


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command on a registry: command(registry, arguments...) -> exit status, output, errors."""

    def run(registry, *arguments):
        monkeypatch.setattr(datasets, "load_registry", lambda path=None: registry)
        code = main(["data", *arguments])
        return code, *capsys.readouterr()

    return run


def test_command_names_unknown_datasets(toy, cache, command):
    code, _, err = command(toy, "toi")
    assert code == 1 and "Did you mean 'toy'" in err


# ----------------------------------------------------------------------------------------------------------- WordNet


@pytest.fixture
def small_wordnet(tmp_path, cache, monkeypatch):
    """A registry whose WordNet has one synset a part of speech, and the files of Debian's and of NLTK's edition."""
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(datasets, "WORDNET_SYNSETS", {"noun": 1, "verb": 1})
    files = []
    for name in ("data.noun", "data.verb"):
        for edition in ("debian", "nltk/corpora/wordnet"):
            place = tmp_path / edition / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(f"  1 licence\n0001 {edition}\n".encode())
        debian = tmp_path / "debian" / name
        files.append(file_entry(f"corpora/wordnet/{name}", debian.read_bytes(), system=[str(debian)]))
    lexnames = "00\tadj.all\t3\n"
    (tmp_path / "nltk/corpora/wordnet/lexnames").write_text(lexnames)
    files.append(file_entry("corpora/wordnet/lexnames", lexnames.encode(), text=lexnames))
    path = tmp_path / "wordnet.toml"
    path.write_text(entry_toml("wordnet", *files))
    registry = load_registry(path)
    monkeypatch.setattr(datasets, "load_registry", lambda path=None: registry)
    return registry


def test_wordnet_that_is_nowhere_is_explained(small_wordnet, cache, tmp_path):
    for place in (tmp_path / "debian").iterdir():
        place.unlink()
    with pytest.raises(DataError, match="data.noun is missing.*Ask Nobody"):
        datasets.wordnet()
    assert main(["data"]) == 0 and status()[0].state == "missing"
    assert files_in(cache) == set()


# ---------------------------------------------------------------------------------------------------- the checkout


def test_published_tables_are_found():
    assert datasets.published("rimell2016_table5").is_file()
    assert datasets.data_root() == Path(datasets.__file__).parents[1] / "data"
    with pytest.raises(DataError, match="Did you mean 'rimell2016_table5.json'"):
        datasets.published("rimel2016_table5")
    with pytest.raises(DataError, match="unknown teaching set"):
        datasets.sample_path("no such set")


# --------------------------------------------------------------------------------------------------- the real mirror


def test_mirror_holds_every_registered_file(mirror, cache, monkeypatch):
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(mirror))
    names = [name for name in NAMES if name not in PACKAGED]
    rows = status(names, recheck=True)
    assert [(row.name, row.state) for row in rows] == [(name, "present") for name in names]


UNUSED = {"semeval2010_task8"}  # one-word queries, which are not the paper's task


def test_registry_leaves_nothing_of_the_mirror_out_but_what_is_not_used(mirror):
    registered = {f.stored for entry in load_registry().values() for f in entry.files.values() if f.stored}
    there = {str(p.relative_to(mirror)) for p in mirror.rglob("*") if p.is_file() and p.parent != mirror}
    assert registered == {path for path in there if path.partition("/")[0] not in UNUSED}
    assert UNUSED == {path.partition("/")[0] for path in there - registered}


def test_registry_agrees_with_the_mirrors_own_sums(mirror):
    def sums(name):
        return {p.removeprefix("./"): h for h, p in map(str.split, (mirror / name).read_text().splitlines())}

    stored, unpacked = sums("SHA256SUMS"), sums("SHA256SUMS.unpacked")
    for entry in load_registry().values():
        for file in entry.files.values():
            if file.stored:
                assert (file.stored_sha256 or file.sha256) == stored[file.stored]
                if file.stored.endswith(".xz"):
                    assert (file.unpacked_sha256 or file.sha256) == unpacked[file.stored.removesuffix(".xz")]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*PACKAGED, "wikipedia_parsed")])
def test_mirror_is_fetched(mirror, cache, monkeypatch, name):
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(mirror))
    for path in fetch(name).values():
        assert path.is_file() and (path.is_relative_to(mirror) or path.is_relative_to(cache))


@pytest.mark.skipif(not Path("/usr/share/wordnet/data.noun").is_file(), reason="Debian's wordnet-base is not installed")
@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_debians_wordnet_is_read_by_nltk(cache, monkeypatch):
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [])
    folder = datasets.wordnet()
    reader = WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)
    assert reader.get_version() == "3.0" and reader.synset("dog.n.01").lexname() == "noun.animal"
    assert datasets._is_wordnet_3_0(folder / "corpora" / "wordnet")


