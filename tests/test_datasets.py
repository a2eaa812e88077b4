"""The registry, fetching from cache, mirror and network, and every way in which that can go wrong."""

import gzip
import lzma
import os
import re
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from projects import LONG, TEXT, file, registered, sha

from cdsm_lib import datasets
from cdsm_lib.__main__ import main
from cdsm_lib.datasets import DataError, UnreachableError, fetch, load_registry, status

CHANGED = TEXT.replace(b"plain", b"blain", 1)


def age(path: Path):
    """Make a file older than the two seconds during which a check is not remembered."""
    os.utime(path, (1e9, 1e9))


def in_cache(project, content: bytes) -> Path:
    place = project.cache / "open" / "a.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    return place


# ---------------------------------------------------------------------------------------------- the project's registry


PACKAGED = ("scowl", "wordnet")  # come as packages of the operating system, not with the mirror


def test_used_is_one_hash_over_the_sorted_hashes(project):
    assert datasets.used(["open"]) == {"open": sha("\n".join(sorted([sha(TEXT), sha(LONG)])).encode())}


@pytest.mark.parametrize(
    "wanted, message",
    [
        (["relprom"], "(?s)unknown dataset 'relprom'.*Did you mean 'relpron'.*coinco, anvan_ls, msrpc"),
        (["relpron", "relpron.dv"], "unknown file of relpron 'relpron.dv'.*'relpron.dev'"),
    ],
)
def test_unknown_name_brings_the_nearest_and_all(wanted, message):
    with pytest.raises(DataError, match=message):
        fetch(*wanted)


@pytest.mark.parametrize(
    "text, problem",
    [
        ("[toy]\ntitle = 'x'\n", "toy: 'licence' is a required property"),
        ("[toy\n", "is not TOML"),
        ("toy = 1\n", "toy: 1 is not of type 'object'"),
        (registered(toy=[file("b", b"b"), file("a", b"a", sha265="0")]), r"line \d+: toy\.files\.1: .*sha265"),
    ],
)
def test_bad_registry_is_named(project, text, problem):
    (project.root / "data" / "registry.toml").write_text(text)
    with pytest.raises(DataError, match=f"registry.toml.*{problem}"):
        load_registry()


# ------------------------------------------------------------------------------------------------- cache and mirror


@pytest.mark.parametrize("change, word", [(lambda b: b[:-9], "truncated"), (lambda b: b"X" + b[1:], "altered")])
@pytest.mark.parametrize("stored, name", [("a.txt", "a.txt"), ("b.txt.gz", "b.txt")])
def test_damaged_file_in_the_mirror_is_refused(project, change, word, stored, name):
    place = project.mirror / "open" / stored
    place.write_bytes(change(place.read_bytes()))
    with pytest.raises(DataError, match=f"{re.escape(str(place))} is {word}.*CDSM_DATA_MIRROR"):
        fetch("open", name)
    assert project.in_cache() == set()


def test_the_mirror_is_used_in_place_and_unpacked_into_the_cache(project):
    paths = fetch("open")
    assert paths == {"a.txt": project.mirror / "open" / "a.txt", "b.txt": project.cache / "open" / "b.txt"}
    assert paths["b.txt"].read_bytes() == LONG and project.in_cache() == {"open/b.txt"}
    shutil.rmtree(project.mirror / "open")
    assert fetch("open", "b.txt") == paths["b.txt"]


@pytest.mark.parametrize("content, word", [(TEXT[:-9], "truncated"), (CHANGED, "altered")])
def test_damaged_file_in_the_cache_is_replaced_or_else_kept_and_refused(project, content, word):
    place = in_cache(project, content)
    assert status(datasets.dataset("open")).state == "damaged"
    (aside := project.mirror.with_name("aside")).mkdir()
    project.patch.setenv("CDSM_DATA_MIRROR", str(aside))
    with pytest.raises(DataError, match=f"(?s)a.txt cannot be had: .*{re.escape(str(place))} is {word}.*make data"):
        fetch("open", "a.txt")
    assert place.read_bytes() == content and project.in_cache() == {"open/a.txt"}
    project.use()
    assert [fetch("open", "a.txt"), fetch("open", "a.txt")] == [place, place] and place.read_bytes() == TEXT


def test_where_a_file_is_not_is_named_and_its_owner(project):
    (project.mirror / "open" / "a.txt").unlink()
    for mirror, message in {
        str(project.mirror): "no sound copy in the cache .*a.txt. or the mirror .*/mirror.*obtain of open",
        "": "CDSM_DATA_MIRROR is not set.*obtain of open",
        "/nowhere/at/all": "CDSM_DATA_MIRROR names /nowhere/at/all",
    }.items():
        project.patch.setenv("CDSM_DATA_MIRROR", mirror)
        with pytest.raises(DataError, match=message):
            fetch("open", "a.txt")


def test_a_checked_file_is_not_hashed_again_until_it_changes(project, monkeypatch):
    place = project.mirror / "open" / "a.txt"
    age(place)
    hashed, really = [], datasets.sha256_of
    monkeypatch.setattr(datasets, "sha256_of", lambda path: hashed.append(path) or really(path))
    for _ in range(3):
        fetch("open", "a.txt")
    assert hashed == [place]
    (stamp,) = (project.cache / ".checked").iterdir()
    for spoilt in ("no hash", "\xe9" * 64):
        stamp.write_text(spoilt, "latin-1")
        assert fetch("open", "a.txt").read_bytes() == TEXT
    assert hashed == [place] * 3
    place.write_bytes(CHANGED)
    age(place)  # same size and time as when it was checked; the inode's change time tells
    with pytest.raises(DataError, match="altered"):
        fetch("open", "a.txt")


@pytest.mark.parametrize("name", ["a.txt", "b.txt"])
def test_a_folder_in_the_place_of_a_fetched_file_is_named_and_stays(project, name):
    place = project.cache / "open" / name
    place.mkdir(parents=True)
    (place / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError, match=r"txt is a folder, where a file belongs\. Move it away"):
        fetch("open")
    assert (place / "thesis.tex").read_text() == "years of work"


# ------------------------------------------------------------------------------------------------------- the network


NOISE = np.random.default_rng(0).bytes(5000)  # the same in every process, for the ids of tests


def online(project, server, name: str, content: bytes | None, **others) -> str:
    """Register a file at an address, which serves other content; what a message may show of the address."""
    (project.root / "online").mkdir()
    if content is not None:
        (project.root / "online" / name).write_bytes(content)
    project.register(toy=[file("a.txt", TEXT, urls=[f"{server.address}/{name}"]) | others])
    return datasets.public(f"{server.address}/{name}")


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.txt", CHANGED, f"(?s)altered or truncated: .*expected sha256:{sha(TEXT)} but got .*obtain of toy"),
        ("a.txt", TEXT[:-9], "altered or truncated"),
        ("a.txt", TEXT + b"x", "a.txt holds more than the registered 55,000 bytes"),
        ("a.txt.gz", gzip.compress(CHANGED, mtime=0), "altered or truncated"),
        ("a.txt.xz", lzma.compress(NOISE)[:-1000], "altered or truncated: "),
        ("a.txt.gz", gzip.compress(NOISE, mtime=0)[:-9], "altered or truncated: "),
        ("a.txt.gz", b"no archive", "altered or truncated: "),
        ("a.txt.bz2", b"no archive", "altered or truncated: "),
        ("a.txt.xz", lzma.compress(bytes(10_000_000)), "more than the registered 55,000 bytes"),
        ("a.txt", None, "a.txt failed .404 "),
    ],
)
def test_download_that_is_not_as_registered_is_refused(project, serve, name, content, message):
    """And no message holds the password of the address."""
    address = online(project, serve(project.root / "online"), name, content)
    with pytest.raises(DataError, match=message) as raised:
        fetch("toy")
    assert address in str(raised.value) and "secret" not in str(raised.value) and project.in_cache() == set()


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_server_that_never_stops_or_breaks_off_is_named(project, serve, monkeypatch, name):
    """It is stopped at the registered size, also where a compressed form has none, and in time; as the list is."""
    endless = serve(project.root / "online", "endless")
    online(project, endless, name, gzip.compress(TEXT, mtime=0) if name.endswith("gz") else TEXT)
    with pytest.raises(DataError, match=f"{name} holds more than the registered [0-9,]+ bytes"):
        fetch("toy")
    with pytest.raises(DataError, match=f"{name} holds more than the registered 1,000,000 bytes"):
        datasets.received(f"{endless.address}/{name}", 1_000_000)
    assert endless.sent < 50_000_000  # what the system's buffers hold
    broken = serve(project.root / "online", "truncated")
    with pytest.raises(DataError, match="failed .*broken") as raised:
        datasets.received(f"{broken.address}/{name}", 1_000_000)
    assert not isinstance(raised.value, UnreachableError) and project.in_cache() == set()
    monkeypatch.setattr(datasets, "PATIENCE", -1e6)
    with pytest.raises(DataError, match=f"{name} came too slowly: [0-9,]+ bytes"):
        datasets.received(f"{endless.address}/{name}", 1_000_000)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the question, and never answers
        with pytest.raises(DataError, match="a.txt came too slowly: 0 bytes"):
            datasets.received(f"http://127.0.0.1:{silent.getsockname()[1]}/a.txt", 1_000_000)


def test_no_network_is_one_clear_error_and_a_server_is_asked_once(project, serve, capsys):
    with socket.socket() as probe:  # an address at which nothing listens
        probe.bind(("127.0.0.1", 0))
        silent = f"http://127.0.0.1:{probe.getsockname()[1]}"
    online = [file(name, TEXT, urls=[f"{silent}/{name}"]) for name in ("a.txt", "b.txt")]
    project.register(toy=online)
    with pytest.raises(UnreachableError, match="(?s)toy/a.txt cannot be had.*not answer.*Connect to a network"):
        fetch("toy")
    assert main(["data"]) == 1
    assert capsys.readouterr().err.count("error: ") == 1 and project.in_cache() == set()


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_download(project, serve, name):
    online(project, serve(project.root / "online"), name, gzip.compress(TEXT) if name.endswith("gz") else TEXT)
    assert fetch("toy", "a.txt").read_bytes() == TEXT and project.in_cache() == {"toy/a.txt"}


# ------------------------------------------------------------------------------------------------- status and command


def test_status_and_its_table(project, capsys):
    def row():
        entry, *row = status(datasets.dataset("open"))
        assert entry.size == len(TEXT) + len(LONG)
        return tuple(row)

    assert row() == ("present", "mirror", 0, ())
    (project.mirror / "open" / "a.txt").unlink()
    assert row() == ("partly", "mirror", 1, ())
    packed = project.mirror / "open" / "b.txt.gz"
    packed.write_bytes(packed.read_bytes()[:-1] + b"!")
    assert row()[0] == "damaged" and "b.txt.gz is altered" in row()[3][0]
    packed.unlink()
    assert row() == ("missing", "", 2, ()) and project.in_cache() == set()  # but the memory of what was checked
    assert main(["data", "open"]) == 1
    table = capsys.readouterr().out
    assert re.search("open +missing +0.1 MB  licence of open", table) and str(project.cache) in table
    assert "- open: 2 of 2 files missing. obtain of open" in table


def test_the_command_fetches_repairs_checks_and_names_what_is_unknown(project, capsys):
    place = in_cache(project, CHANGED)
    assert main(["data", "--check"]) == 1
    assert f"{place} is altered" in capsys.readouterr().err and project.in_cache() == {"open/a.txt"}
    assert main(["data"]) == 0
    assert re.search(r"open +present \(cache\)", capsys.readouterr().out) and place.read_bytes() == TEXT
    assert project.in_cache() == {"open/a.txt", "open/b.txt"}
    (project.mirror / "closed" / "c.txt").unlink()
    assert [main(["data"]), main(["data", "open"]), main(["data", "closed"])] == [0, 0, 1]
    assert "closed: 1 of 1 files missing" in capsys.readouterr().out
    assert main(["data", "opn"]) == 1
    assert "Did you mean 'open'" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------- WordNet


@pytest.fixture
def small_wordnet(project, monkeypatch):
    """A registry whose WordNet has two files, of Debian's and of NLTK's edition, and the text of a third."""
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    files, lexnames = [], "00\tadj.all\t3\n"
    for name in ("data.noun", "data.verb"):
        for edition in ("debian", "nltk/corpora/wordnet"):
            place = project.root / edition / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"  1 WordNet 3.0 Copyright\n0001 {edition}\n")
        debian = project.root / "debian" / name
        files.append(file(f"corpora/wordnet/{name}", debian.read_bytes(), system=[str(debian)]))
    for place in ("nltk/corpora/wordnet/lexnames", "data/lexnames.tsv"):
        (project.root / place).write_text(lexnames)
    project.register(wordnet=[*files, file("corpora/wordnet/lexnames", lexnames.encode(), system=["lexnames.tsv"])])
    return nltk.data.path


def test_wordnet_is_the_systems_or_else_nltks_or_else_explained(small_wordnet, project, capsys):
    folder = datasets.wordnet()
    assert small_wordnet == [str(folder)] and folder == project.cache / "wordnet"
    assert (folder / "corpora/wordnet/lexnames").read_text() == "00\tadj.all\t3\n"
    assert datasets.used(["wordnet"]) == {"wordnet": datasets.dataset("wordnet").sha256}
    for place in (project.root / "debian", project.cache):
        shutil.rmtree(place)
    del small_wordnet[:]
    with pytest.raises(DataError, match="data.noun is missing.*obtain of wordnet"):
        datasets.wordnet()
    assert main(["data"]) == 0 and project.in_cache() == {"wordnet/corpora/wordnet/lexnames"}
    assert re.search("wordnet +partly .cache. .*\n.*\n.*\n- wordnet: 2 of 3 files missing", capsys.readouterr().out)
    small_wordnet.append(str(project.root / "nltk"))
    assert datasets.wordnet() == project.root / "nltk"
    assert main(["data"]) == 0 and re.search(r"wordnet +present .nltk.", capsys.readouterr().out)
    assert datasets.used(["wordnet"])["wordnet"] != datasets.dataset("wordnet").sha256
    (project.root / "nltk/corpora/wordnet/data.noun").write_text("  1 WordNet 3.1 Copyright\n")
    with pytest.raises(DataError, match="data.noun is missing"):
        datasets.wordnet()


# ---------------------------------------------------------------------------------------------------- the checkout


def test_the_data_of_the_checkout_are_found():
    assert datasets.data_root() == Path(datasets.__file__).parents[1] / "data"
    with pytest.raises(DataError, match="unknown teaching set 'sense'. Did you mean 'senses'"):
        datasets.sample_path("sense")


# --------------------------------------------------------------------------------------------------- the real mirror


def test_mirror_holds_every_registered_file(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    rows = [status(entry) for name, entry in load_registry().items() if name not in PACKAGED and entry.files]
    assert {row.state for row in rows} == {"present"}
    for entry in load_registry().values():
        if entry.name not in (*PACKAGED, "wikipedia_parsed"):
            assert all(path.is_file() for path in fetch(entry.name).values())


UNUSED = {"semeval2010_task8"}  # one-word queries, which are not the paper's task


def test_registry_leaves_nothing_of_the_mirror_out_but_what_is_not_used(mirror):
    registered = {f.stored for entry in load_registry().values() for f in entry.files.values() if f.stored}
    there = {str(p.relative_to(mirror)) for p in mirror.rglob("*") if p.is_file() and p.parent != mirror}
    assert registered == {path for path in there if path.partition("/")[0] not in UNUSED}
    assert UNUSED == {path.partition("/")[0] for path in there - registered}
