"""The deposit: what is in it, and that it alone is enough to fetch what may be passed on, and to verify a chapter."""

import gzip
import hashlib
import http.server
import json
import lzma
import re
import shutil
import threading
from pathlib import Path

import pytest
from tagged_sentences import parsed, write_conllu

from cdsm_lib import __main__ as command
from cdsm_lib import cache, datasets, deposit
from cdsm_lib.chapters import contextual_models, reproduce, sense_vectors, training_counts
from cdsm_lib.datasets import DataError, UnreachableError
from cdsm_lib.evaluation.results import Result, Results, commit, made_with
from cdsm_lib.settings import Profile

TEXT, PACKED, SECRET = b"plain text\n" * 50_000, b"packed text\n" * 5000, b"not to be passed on\n"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def entry(name: str, redistributable: bool, *files: str) -> str:
    about = "".join(f'{key} = "{key} of {name}"\n' for key in ("title", "licence", "bib", "citation", "obtain"))
    head = (
        f'[{name}]\n{about}pages = ["https://example.org/{name}"]\nredistributable = {str(redistributable).lower()}\n'
    )
    return head + "".join(f"[[{name}.files]]\n{file}" for file in files)


def file(name: str, content: bytes, stored: str, packed: bytes = b"") -> str:
    text = f'name = "{name}"\nsha256 = "{sha(content)}"\nsize = {len(content)}\nformat = "text"\nstored = "{stored}"\n'
    return text + (f'stored_sha256 = "{sha(packed)}"\nstored_size = {len(packed)}\n' if packed else "")


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Two sets that may be passed on and one that may not, all three in a mirror."""
    packed = gzip.compress(PACKED, mtime=0)
    for place, content in {"open/a.txt": TEXT, "open/b.txt.gz": packed, "closed/c.txt": SECRET}.items():
        (path := tmp_path / "mirror" / place).parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (path := tmp_path / "registry.toml").write_text(
        'deposit = ""\n'
        + entry("open", True, file("a.txt", TEXT, "open/a.txt"), file("b.txt", PACKED, "open/b.txt.gz", packed))
        + entry("closed", False, file("c.txt", SECRET, "closed/c.txt"))
    )
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CDSM_DATA_URL", raising=False)
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    return datasets.load_registry(path)


@pytest.fixture
def made(tmp_path, registry) -> Path:
    assert deposit.make(tmp_path / "deposit", registry=registry) == []
    return tmp_path / "deposit"


# ------------------------------------------------------------------------------------------------------ what is in it


def test_it_holds_what_may_be_passed_on_with_sums_and_licences(made):
    files = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    models = {f"models/{path.name}" for path in (datasets.data_root() / "models").iterdir()}
    assert (
        files
        == {"open/a.txt", "open/b.txt.gz", "SHA256SUMS", "README.md", "LICENSE", "LICENCES.md", deposit.MARK} | models
    )
    sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == files - {"SHA256SUMS"}
    assert all(sha((made / place).read_bytes()) == digest for place, digest in sums.items())
    text = (made / "LICENCES.md").read_text()
    assert "licence of open" in text and "citation of open" in text and "closed" not in text


def test_its_description_is_a_data_package(made):
    package = json.loads((made / deposit.MARK).read_text("utf8"))
    assert package["profile"] == "data-package" and re.fullmatch(r"[-a-z0-9._/]+", package["name"])
    names = [resource["name"] for resource in package["resources"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[-a-z0-9._/]+", name) for name in names)
    for resource in package["resources"]:
        content = (made / resource["path"]).read_bytes()
        assert (resource["bytes"], resource["hash"]) == (len(content), f"sha256:{sha(content)}")
    for resource in package["resources"]:  # the standard asks for a name or a path of each
        (licence,) = resource["licenses"]
        assert licence["title"] and licence["path"]
    assert package["resources"][0]["licenses"][0]["title"] == "licence of open"


def test_no_dataset_that_forbids_it_is_in_a_deposit():
    """By licence: who passes such a set on would need another permission than the registry names."""
    every = datasets.load_registry()
    free = ("CC", "MIT", "Apache", "public domain", "Public Domain", "WordNet", "SCOWL", "GNU", "GPL")
    assert {name for name, entry in every.items() if not entry.redistributable} >= {"relpron", "ml2010", "msrpc"}
    for name, one in every.items():
        if one.redistributable:
            assert any(word in one.licence for word in free), (name, one.licence)


def test_a_missing_file_is_named_or_left_out(tmp_path, registry):
    (tmp_path / "mirror" / "open" / "a.txt").unlink()
    with pytest.raises(DataError, match="1 files cannot be had here: open/a.txt. Run `make data`, and .* --partial"):
        deposit.make(tmp_path / "deposit", registry=registry)
    assert not (tmp_path / "deposit").exists()
    assert deposit.make(tmp_path / "deposit", partial=True, registry=registry) == ["open/a.txt"]
    assert not (tmp_path / "deposit" / "open" / "a.txt").exists() and (tmp_path / "deposit" / deposit.MARK).is_file()


def test_what_is_in_the_cache_is_enough_unless_the_deposit_has_it_compressed(tmp_path, registry, monkeypatch):
    datasets.fetch("open", registry=registry)
    (tmp_path / "cache" / "open" / "a.txt").write_bytes(TEXT)
    monkeypatch.delenv("CDSM_DATA_MIRROR")
    assert deposit.make(tmp_path / "deposit", partial=True, registry=registry) == ["open/b.txt"]


def test_an_altered_file_is_refused(tmp_path, registry):
    (tmp_path / "mirror" / "open" / "a.txt").write_bytes(TEXT[:-1] + b"!")
    with pytest.raises(DataError, match="a.txt is altered"):
        deposit.make(tmp_path / "deposit", registry=registry)


def test_a_folder_with_something_else_is_not_touched(tmp_path, registry, made):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    with pytest.raises(DataError, match="thesis is not empty, and holds more than a deposit"):
        deposit.make(tmp_path / "thesis", registry=registry)
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter.txt"]
    before = (made / "SHA256SUMS").read_text()
    deposit.make(made, registry=registry)  # its own folder is made anew
    assert (made / "SHA256SUMS").read_text() == before
    (made / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="holds more than a deposit"):
        deposit.make(made, registry=registry)
    assert (made / "notes.txt").read_text() == "mine"


def test_the_command(tmp_path, registry, monkeypatch, capsys):
    monkeypatch.setattr(datasets, "load_registry", lambda path=None: registry)
    (tmp_path / "mirror" / "open" / "a.txt").unlink()
    assert command.main(["deposit", "--to", str(tmp_path / "out")]) == 1
    assert "open/a.txt" in capsys.readouterr().err
    assert command.main(["deposit", "--to", str(tmp_path / "out"), "--partial"]) == 0
    assert "left out, for it is not here: open/a.txt" in capsys.readouterr().out


# ---------------------------------------------------------------------------------------------------------- fetching


@pytest.fixture
def serve(made, monkeypatch):
    """serve(manner) makes a server of the deposit the only source; the list holds what was asked for."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("CDSM_DATA_MIRROR")
    servers, asked = [], []

    def start(manner: str = "well", folder: Path = made) -> list[str]:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                place = folder / self.path.lstrip("/")
                if not place.is_file():
                    return self.send_error(404)
                body = place.read_bytes()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body[:-1] + b"!" if manner == "other bytes" else body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        monkeypatch.setenv("CDSM_DATA_URL", f"http://127.0.0.1:{server.server_address[1]}/")
        return asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_everything_comes_from_the_deposit_alone(registry, serve, monkeypatch, capsys):
    asked = serve()
    monkeypatch.setattr(datasets, "load_registry", lambda path=None: registry)
    assert command.main(["data"]) == 0
    assert re.search(r"(?m)^open +present \(cache\)", capsys.readouterr().out)
    paths = datasets.fetch("open", registry=registry)
    assert paths["a.txt"].read_bytes() == TEXT and paths["b.txt"].read_bytes() == PACKED
    with pytest.raises(DataError, match="closed/c.txt cannot be had"):
        datasets.fetch("closed", registry=registry)
    assert asked == ["/open/a.txt", "/open/b.txt.gz", f"/{deposit.MARK}"]  # nothing that may not be passed on


def test_other_bytes_are_refused_and_nothing_is_left(tmp_path, registry, serve):
    serve("other bytes")
    with pytest.raises(DataError, match="(?s)a.txt cannot be had.*is altered or truncated"):
        datasets.fetch("open", registry=registry)
    assert [path.name for path in (tmp_path / "cache" / "open").iterdir() if path.suffix != ".lock"] == []


def test_a_server_that_is_gone_is_named(registry, serve, monkeypatch):
    serve()
    monkeypatch.setenv("CDSM_DATA_URL", "http://127.0.0.1:9")
    with pytest.raises(UnreachableError, match="127.0.0.1:9 does not answer"):
        datasets.fetch("open", registry=registry)


@pytest.mark.parametrize(
    "address", ["ftp://example.org/x", "/a/folder", "example.org", "http://[", "https://host:x/", "http://host/?a=b"]
)
def test_an_address_that_is_none_is_refused_before_anything_is_fetched(registry, monkeypatch, address):
    monkeypatch.setenv("CDSM_DATA_URL", address)
    with pytest.raises(DataError, match="CDSM_DATA_URL: .* is no address of a folder"):
        datasets.deposit_address()
    monkeypatch.delenv("CDSM_DATA_MIRROR")
    with pytest.raises(DataError, match="no address of a folder"):
        datasets.fetch("open", registry=registry)


# ------------------------------------------------------------------------------------- what is trained, and verifying

BUY = "the|DET/3/det young|ADJ/3/amod cook|NOUN/4/nsubj buy|VERB/0/root old|ADJ/6/amod cheese|NOUN/4/obj"
SELL = "cheese|NOUN/2/compound cook|NOUN/3/nsubj sell|VERB/0/root wine|NOUN/3/obj"
SMALL = Profile("full", {
    "seed": 1,
    "contextual": {
        "words": 6, "contexts": 6, "window": 2, "content_only": False, "triple_count": 1, "resolve_voice": False,
        "senses": {"method": "gibbs", "dimensions": 2, "iterations": 3, "tokens": 9},
    },
})  # fmt: skip


def figures(profile: Profile, *, subset: bool) -> Results:
    """A chapter with two figures, each of something that is counted or trained on the corpus and kept."""
    counts = contextual_models.training_counts(profile)
    senses = contextual_models.latent_senses(counts.windows, profile["contextual.senses"], profile["seed"], window=2)
    corpus = training_counts.wikipedia()
    values = {"counts": counts.windows.matrix.sum(), "senses": senses.senses.std()}
    rows = [Result(name, "Count", "relpron", "dev", "MAP", float(value)) for name, value in values.items()]
    return Results("relpron", "rimell2016", "full", made_with({}, corpus.fingerprint, 1), rows, ())


KEPT = ("cheung/counts", "cheung/senses")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with a tiny corpus, a chapter and its committed figures; and the deposit of it. All else is gone."""
    folder = tmp_path_factory.mktemp("project")
    root, mirror = folder / "data", folder / "mirror" / "wikipedia_parsed"
    (root / "models").mkdir(parents=True)
    mirror.mkdir(parents=True)
    (root / "models" / "README.md").write_text("none")
    (folder / "LICENSE").write_text("CC BY-SA 3.0")
    files = []
    for number, texts in enumerate(([BUY] * 4 + [SELL], [SELL] * 5 + [BUY])):
        path = write_conllu(folder / "plain.conllu", [(str(i), parsed(text)) for i, text in enumerate(texts)])
        content = lzma.compress(path.read_bytes())
        (mirror / f"{number}.conllu.xz").write_bytes(content)
        files.append(file(f"{number}.conllu.xz", content, f"wikipedia_parsed/{number}.conllu.xz"))
    (root / "registry.toml").write_text('deposit = ""\n' + entry("wikipedia_parsed", True, *files))
    with pytest.MonkeyPatch.context() as patch:
        in_place(patch, root)
        patch.setenv("CDSM_DATA_CACHE", str(folder / "cache"))
        patch.setenv("CDSM_DATA_MIRROR", str(mirror.parent))
        commit(figures(SMALL, subset=False))
        assert deposit.make(folder / "deposit") == []
    for made in (mirror.parent, folder / "cache"):
        shutil.rmtree(made)
    return folder


def in_place(patch: pytest.MonkeyPatch, root: Path) -> None:
    """The small project in the place of ours."""
    patch.setattr(datasets, "data_root", lambda: root)
    patch.setattr(reproduce, "CHAPTERS", {"relpron": figures})
    patch.setattr(reproduce, "load_profile", lambda name: SMALL)
    patch.setattr(deposit, "TRAINED", {name: deposit.TRAINED[name] for name in KEPT})


@pytest.fixture
def small(project, tmp_path, monkeypatch) -> Path:
    """A copy of the deposit; an empty cache, no mirror, and nothing may be trained."""
    in_place(monkeypatch, project / "data")
    monkeypatch.delenv("CDSM_DATA_MIRROR", raising=False)
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "second cache"))

    def no_training(*_, **__):
        raise DataError("something is trained")

    monkeypatch.setattr(cache.storage, "save", no_training)
    return shutil.copytree(project / "deposit", tmp_path / "small deposit")


def trained_in(folder: Path) -> dict[str, Path]:
    """The trained files of a deposit, by their names without the key."""
    paths = (folder / deposit.CACHED).rglob("*.npz")
    return {f"{path.parent.name}/{path.name.split('-')[0]}": path for path in paths}


def test_from_an_empty_cache_to_a_chapter_that_is_verified(serve, small, capsys):
    serve("well", small)
    assert command.main(["data"]) == 0
    assert "trained: 2 of the deposit's 2 files are in the cache" in capsys.readouterr().out
    assert command.main(["verify"]) == 0
    assert "relpron: 2 of 2 figures and 0 of 0 claims recomputed, 0 differences" in capsys.readouterr().out


@pytest.mark.parametrize("lacking", ["wikipedia_parsed/1.conllu.xz", "cheung/senses"])
def test_what_a_deposit_lacks_is_not_verified(serve, small, capsys, lacking):
    trained_in(small).get(lacking, small / lacking).unlink()
    serve("well", small)
    assert command.main(["data"]) == 1
    assert lacking.partition("/")[2] in capsys.readouterr().err
    assert command.main(["verify"]) == 1
    assert "relpron: failed" in capsys.readouterr().out


def test_other_bytes_never_come_into_the_cache(tmp_path, serve, small, capsys):
    path = trained_in(small)["cheung/senses"]
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    serve("well", small)
    assert command.main(["data"]) == 1
    shown = capsys.readouterr()
    assert "trained: 1 of the deposit's 2 files" in shown.out and "is altered or truncated" in shown.err
    assert not list((tmp_path / "second cache").rglob(path.name))
    serve("other bytes", small)  # in its description as well
    assert command.main(["data"]) == 1
    assert "is not that of a deposit, or not whole" in capsys.readouterr().err


def test_a_copy_of_the_deposit_gives_the_same(small, monkeypatch, capsys):
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(small))
    assert [command.main(["data"]), command.main(["data"]), command.main(["verify"])] == [0, 0, 0]
    assert all(path.is_file() for path in trained_in(small).values())


def test_what_other_code_made_is_not_fetched_and_that_is_said(tmp_path, small, monkeypatch, capsys):
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(small))
    code = cache.code_of
    monkeypatch.setattr(cache, "code_of", lambda module: code(module)[::-1])
    assert command.main(["data"]) == 0
    shown = capsys.readouterr().out
    assert "0 of the deposit's 2 files are in the cache" in shown
    assert re.search(r"- cheung/senses-[\w-]+.npz is not used: other code made it", shown)
    assert not list((tmp_path / "second cache").rglob("senses-*"))


def test_what_is_trained_on_data_that_may_not_be_passed_on_is_not_in_a_deposit(small, monkeypatch, tmp_path):
    """Nor is a file of the cache that nobody has listed with what it was trained on."""
    registry = datasets.load_registry()
    monkeypatch.setenv("CDSM_DATA_MIRROR", str(small))
    command.main(["data"])
    closed = {name: entry.__class__(**vars(entry) | {"redistributable": False}) for name, entry in registry.items()}
    assert deposit.make(tmp_path / "closed", registry=closed) == [] and trained_in(tmp_path / "closed") == {}
    monkeypatch.setattr(deposit, "TRAINED", {"cheung/counts": deposit.TRAINED["cheung/counts"]})
    assert deposit.make(tmp_path / "listed") == [] and trained_in(tmp_path / "listed").keys() == {"cheung/counts"}
    package = json.loads((tmp_path / "listed" / deposit.MARK).read_text("utf8"))
    (one,) = (resource for resource in package["resources"] if resource["path"].startswith(deposit.CACHED))
    assert [licence["title"] for licence in one["licenses"]] == [deposit.TERMS["title"], "licence of wikipedia_parsed"]
    monkeypatch.setattr(deposit, "TRAINED", {"vectors/word2vec": ("sense_vectors", ("wikipedia_parsed",))})
    with pytest.raises(DataError, match="trained/vectors/word2vec. Run .* `make verify` for what is trained"):
        deposit.make(tmp_path / "lacking")


def test_everything_listed_is_trained_on_data_that_may_be_passed_on():
    registry = datasets.load_registry()
    assert all(registry[one].redistributable for _, sets in deposit.TRAINED.values() for one in sets)
    code = "".join(path.read_text() for path in (Path(deposit.__file__).parent / "chapters").glob("*.py"))
    parts = set(re.findall(r"_made\(\"?(\w+)", code)) - {"self"}
    names = set(re.findall(r"name=\"(\w+/\w[\w-]*)\"", code))
    names |= {f"vectors/{getattr(sense_vectors, part, part)}" for part in parts}
    assert names - {"relpron/training-counts"} == set(deposit.TRAINED)  # the one that `make verify` does not ask for
