"""The deposit: what is in it, and that it alone is enough to fetch what may be passed on, trained files among it."""

import json
import re
import shutil
from pathlib import Path

import pytest
from projects import LONG, TEXT, Project, file, sha

from cdsm_lib import cache, datasets, deposit
from cdsm_lib.__main__ import main
from cdsm_lib.cache import cached
from cdsm_lib.chapters import sense_vectors
from cdsm_lib.datasets import DataError, UnreachableError

OWN = {deposit.MARK, "README.md", "LICENSE", "LICENCES.md", "SHA256SUMS"}
MODULE = "cdsm_lib.chapters.contextual_models"


def counts(n: int) -> list[int]:
    return list(range(n))


def senses(n: int) -> list[int]:
    return [n]


counts.__module__ = senses.__module__ = MODULE  # as what a chapter trains


def trained(project) -> set[str]:
    """The trained files in the cache or a deposit, by their names without the keys."""
    return {place.partition("-")[0] for place in project.in_cache() if place.startswith("cheung")}


@pytest.fixture
def project(tmp_path, monkeypatch) -> Project:
    """The tiny project, with a corpus that may be passed on, and two files trained on it in the cache."""
    project = Project(tmp_path, monkeypatch)
    packed = file("b.txt", LONG, stored="open/b.txt.gz", packed=project.packed)
    stored = [file("a.txt", TEXT, stored="open/a.txt"), packed]
    closed = [file("c.txt", b"not to be passed on\n", stored="closed/c.txt")]
    project.register(open=stored, closed=closed, wikipedia_parsed=[file("w.txt", TEXT, stored="open/a.txt")])
    listed = {name: deposit.TRAINED[name] for name in ("cheung/counts", "cheung/senses")}
    monkeypatch.setattr(deposit, "TRAINED", listed)
    cached(counts, 3, name="cheung/counts")
    cached(senses, 3, name="cheung/senses")
    return project


@pytest.fixture
def made(project) -> Path:
    """The deposit; mirror and cache are gone."""
    assert deposit.make(project.root / "deposit") == []
    project.patch.delenv("CDSM_DATA_MIRROR")
    for folder in (project.mirror, project.cache):
        shutil.rmtree(folder)
    return project.root / "deposit"


# ------------------------------------------------------------------------------------------------------ what is in it


def test_it_holds_what_may_be_passed_on_with_sums_licences_and_a_data_package(made):
    files = {path.relative_to(made).as_posix(): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    named = {name for name in files if not name.startswith("trained/")}
    assert named == {"open/a.txt", "open/b.txt.gz", "models/README.md"} | OWN
    assert [name.partition("-")[0] for name in sorted(files)[-2:]] == ["trained/cheung/counts", "trained/cheung/senses"]
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {name: sha(content) for name, content in files.items() if name not in OWN}
    text = files["LICENCES.md"].decode()
    assert "licence of open" in text and "citation of open" in text and "closed" not in text
    package = json.loads(files[deposit.MARK])
    assert package["profile"] == "data-package"
    for resource in package["resources"]:
        content = files[resource["path"]]
        assert (resource["bytes"], resource["hash"]) == (len(content), f"sha256:{sha(content)}")
        assert re.fullmatch(r"[-a-z0-9._/]+", resource["name"])
    by_path = {resource["path"].partition("-")[0]: resource["licenses"] for resource in package["resources"]}
    assert [licence["title"] for licence in by_path["trained/cheung/senses"]] == [
        deposit.TERMS["title"], "licence of wikipedia_parsed"]  # fmt: skip


def test_no_dataset_that_forbids_it_is_in_a_deposit():
    """By licence: who passes such a set on would need another permission than the registry names."""
    every = datasets.load_registry()
    free = ("CC", "MIT", "Apache", "public domain", "Public Domain", "WordNet", "SCOWL", "GNU", "GPL")
    assert {name for name, entry in every.items() if not entry.redistributable} >= {"relpron", "ml2010", "msrpc"}
    for name, entry in every.items():
        assert not entry.redistributable or any(word in entry.licence for word in free), (name, entry.licence)


def test_everything_listed_is_trained_on_data_that_may_be_passed_on():
    registry = datasets.load_registry()
    assert all(registry[name].redistributable for _, sets in deposit.TRAINED.values() for name in sets)
    code = "".join(path.read_text() for path in (Path(deposit.__file__).parent / "chapters").glob("*.py"))
    parts = re.findall(r"costly\(costs, \"?(\w+)", code)
    names = set(re.findall(r"name=\"(\w+/\w[\w-]*)\"", code))
    names |= {f"vectors/{getattr(sense_vectors, part, part)}" for part in parts}
    words = {"vectors/words", "vectors/lexemes"}  # of sets that may not be passed on
    assert names - {"relpron/training-counts", *words} == set(deposit.TRAINED)  # `make verify` does not ask for counts


def test_what_is_missing_or_altered_is_named_and_may_be_left_out(project, capsys):
    out = project.root / "out"
    (project.mirror / "open" / "a.txt").write_bytes(TEXT[:-1] + b"!")
    with pytest.raises(DataError, match="a.txt is altered"):
        deposit.make(out)
    datasets.fetch("open", "b.txt")  # the cache has it unpacked, and a deposit compressed
    (project.cache / "open" / "a.txt").write_bytes(TEXT)
    shutil.rmtree(project.mirror / "open")
    next(project.cache.glob("cheung/senses-*")).unlink()
    for command, status in ((["--to", str(out)], 1), (["--to", str(out), "--partial"], 0)):
        assert not out.exists() and main(["deposit", *command]) == status
    shown = capsys.readouterr()
    lacking = "open/b.txt.gz, open/a.txt, trained/cheung/senses"
    assert f"3 files cannot be had here: {lacking}. Run `make data`, and `make verify` for what is trained" in shown.err
    assert re.findall("left out, for it is not here: (.*)", shown.out) == lacking.split(", ")
    assert (out / "open" / "a.txt").read_bytes() == TEXT and (out / deposit.MARK).is_file()


def test_what_is_trained_on_data_that_may_not_be_passed_on_is_not_in_a_deposit(project):
    """Nor is a file of the cache that nobody has listed with what it was trained on."""
    cached(counts, 3, name="unlisted/counts")
    project.patch.setattr(deposit, "TRAINED", {"cheung/counts": ("contextual_models", ("wikipedia_parsed", "closed"))})
    assert deposit.make(project.root / "out") == [] and not (project.root / "out" / "trained").exists()


def test_a_folder_with_something_else_is_not_touched(project):
    (project.root / "thesis").mkdir()
    (project.root / "thesis" / "chapter.txt").write_text("mine")
    with pytest.raises(DataError, match="thesis is not an empty folder. Name a new one, or remove it"):
        deposit.make(project.root / "thesis")
    assert [path.name for path in (project.root / "thesis").iterdir()] == ["chapter.txt"]


# ---------------------------------------------------------------------------------------------------------- fetching


def test_everything_comes_from_the_deposit_alone(project, made, serve, capsys):
    server = serve(made)
    project.patch.setenv("CDSM_DATA_URL", f"{server.address}/")
    assert main(["data"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"(?m)^open +present \(cache\)", shown) and re.search(r"(?m)^closed +missing", shown)
    assert "trained: 2 of the deposit's 2 files are in the cache" in shown
    paths = datasets.fetch("open")
    assert paths["a.txt"].read_bytes() == TEXT and paths["b.txt"].read_bytes() == LONG
    assert f"/{deposit.MARK}" in server.asked and not any("closed" in path for path in server.asked)
    (project.root / "cache" / "cheung").chmod(0o500)  # nothing is made again
    assert (cached(counts, 3, name="cheung/counts"), cached(senses, 3, name="cheung/senses")) == ([0, 1, 2], [3])
    with pytest.raises(DataError, match="closed/c.txt cannot be had"):
        datasets.fetch("closed")


def test_a_copy_of_the_deposit_gives_the_same(project, made, capsys):
    project.patch.setenv("CDSM_DATA_MIRROR", str(made))
    assert [main(["data"]), main(["data"])] == [0, 0]
    assert trained(project) == {"cheung/counts", "cheung/senses"} and len(list(made.rglob("*.npz"))) == 2


def test_what_the_deposit_lacks_or_other_code_made_is_said(project, made, serve, capsys):
    next(made.glob("trained/cheung/senses-*")).unlink()
    project.patch.setenv("CDSM_DATA_URL", serve(made).address)
    assert main(["data"]) == 1
    shown = capsys.readouterr()
    assert "trained: 1 of the deposit's 2 files" in shown.out and "cheung/senses" in shown.err
    assert trained(project) == {"cheung/counts"}
    shutil.rmtree(project.cache)
    project.patch.setattr(cache, "code_of", lambda module: "0" * 8)
    assert main(["data"]) == 0
    shown = capsys.readouterr().out
    assert "0 of the deposit's 2 files are in the cache" in shown and trained(project) == set()
    assert re.search(r"- trained/cheung/senses-[\w-]+.npz is not used: other code made it", shown)


def test_other_bytes_never_come_into_the_cache(project, made, serve, capsys):
    path = next(made.glob("trained/cheung/senses-*"))
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    project.patch.setenv("CDSM_DATA_URL", serve(made).address)
    assert main(["data"]) == 1
    shown = capsys.readouterr()
    assert "trained: 1 of the deposit's 2 files" in shown.out and "is altered or truncated" in shown.err
    assert "secret" not in shown.err and trained(project) == {"cheung/counts"}
    shutil.rmtree(project.cache)
    project.patch.setenv("CDSM_DATA_URL", serve(made, "altered").address)  # its description as well
    with pytest.raises(DataError, match="is not that of a deposit, or not whole"):
        deposit.take()
    assert project.in_cache() == set()
    with pytest.raises(DataError, match="(?s)a.txt cannot be had.*is altered or truncated"):
        datasets.fetch("open")


@pytest.mark.parametrize("entry", ['"path": 3', '"hash": 3', '"bytes": "3"', '"bytes": null', '"name": ['])
def test_a_hostile_list_is_one_clear_error(project, made, serve, entry):
    name, value = entry.replace("[", "[" * 100_000).split(": ")
    text = (made / deposit.MARK).read_text()
    (made / deposit.MARK).write_text(re.sub(f"{name}: [^,]*", f"{name}: {value}", text, count=1))
    project.patch.setenv("CDSM_DATA_URL", serve(made).address)
    with pytest.raises(DataError, match="is not that of a deposit, or not whole"):
        deposit.take()


@pytest.mark.parametrize(
    "address", ["ftp://example.org/x", "/a/folder", "example.org", "http://[", "https://host:x/", "http://host/?a=b",
                "me:secret@host/x", "http://me:se/secret@host/x"]
)  # fmt: skip
def test_an_address_that_is_none_is_refused_before_anything_is_fetched(project, made, address):
    project.patch.setenv("CDSM_DATA_URL", address)
    with pytest.raises(DataError, match="CDSM_DATA_URL: .* is no address of a folder") as raised:
        datasets.fetch("open")
    assert "secret" not in str(raised.value)
    for gone in ("http://127.0.0.1:9", "http://me:secret@[::1]:9/x/"):
        project.patch.setenv("CDSM_DATA_URL", gone)
        assert datasets.deposit_address() == gone.rstrip("/")
    with pytest.raises(UnreachableError, match="::1.:9 does not answer"):
        datasets.fetch("open")
