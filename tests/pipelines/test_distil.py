"""Distilling: the folder is made whole or not at all, within its limit, and says where it comes from."""

import hashlib
import json
import os
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.pipelines import distil, materials
from cdsm_lib.tasks import relpron

CORPUS = SimpleNamespace(fingerprint="f" * 64, n_tokens=12, n_sentences=3)


@pytest.fixture
def target(tiny, tmp_path, monkeypatch):
    """An older ``data/distilled`` elsewhere, and a corpus that gives the tiny materials at once."""
    target = tmp_path / "distilled"
    target.mkdir()
    (target / "old.txt").write_text("old\n")
    monkeypatch.setattr(distil, "folder", lambda: target)
    monkeypatch.setattr(materials, "wikipedia", lambda: CORPUS)
    monkeypatch.setattr(materials, "gather", lambda *_, **__: tiny.materials)
    return target


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def untouched(target) -> bool:
    return names(target.parent) == ["distilled"] and names(target) == ["old.txt"]


def test_the_old_folder_gives_way_to_the_new(tiny, target, capsys):
    assert distil.main() == 0
    assert names(target.parent) == ["distilled"]
    assert {"phrases.npz", "count.npz", "count-svd.npz", "skip-gram.npz", "provenance.json"} < set(names(target))
    assert "old.txt" not in names(target)
    assert capsys.readouterr().out.count("MiB") == len(names(target))
    found = materials.load(target)
    np.testing.assert_allclose(found.vectors.vectors, tiny.materials.vectors.vectors, rtol=2**-10)
    assert (found.counts["Count"].matrix != tiny.materials.counts["Count"].matrix).nnz == 0


def test_it_is_made_where_there_was_none(target):
    (target / "old.txt").unlink()
    target.rmdir()
    assert distil.main() == 0
    assert names(target.parent) == ["distilled"]


def test_the_same_corpus_gives_the_same_bytes(target):
    def digests():
        assert distil.main() == 0
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in target.iterdir()}

    assert digests() == digests()


def test_provenance_names_every_file_with_its_hash(target):
    distil.main()
    about = json.loads((target / "provenance.json").read_text(encoding="utf-8"))
    hashes = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in target.iterdir() if p.suffix == ".npz"}
    assert about["files"] == hashes and list(hashes)
    assert about["corpus"] == {"tokens": 12, "sentences": 3, "fingerprint": "f" * 64}
    assert about["made with"]["datasets"] == datasets.used(["wikipedia_parsed"])
    profile = datasets.load_profile("sample")
    assert about["made with"]["seed"] == profile["seed"]
    assert about["settings"] == json.loads(json.dumps({n: profile[n] for n in ("words", "phrases", "spaces")}))


def test_it_gathers_what_the_teaching_sets_need(target, monkeypatch, tiny):
    def gather(corpus, needed, profile, *, terms):
        assert corpus is CORPUS and profile.name == "sample"
        assert needed == relpron.vocabulary(*(relpron.load("relpron_mini", split) for split in ("dev", "test")))
        assert terms == sorted(set(terms)) and all(term.endswith("|NOUN") for term in terms)
        assert {f"{t}|NOUN" for t in relpron.load("relpron_mini", "dev").terms} <= set(terms)
        return tiny.materials

    monkeypatch.setattr(materials, "gather", gather)
    assert distil.main() == 0


def test_what_would_be_too_large_is_refused(target, monkeypatch, capsys):
    monkeypatch.setattr(distil, "LIMIT", 1000)
    assert distil.main() == 1
    assert untouched(target)
    assert "lower sample.words" in capsys.readouterr().out


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("moment", ["gather", "save", "provenance", "last file"])
def test_an_interruption_leaves_the_old_folder(target, monkeypatch, moment, error):
    def interrupted(*_, **__):
        raise error

    whole = materials.write_npz

    def all_but_the_last(path, *arguments, **options):
        return (interrupted if path.name == "skip-gram.npz" else whole)(path, *arguments, **options)

    if moment == "provenance":
        monkeypatch.setattr(distil, "_provenance", interrupted)
    elif moment == "last file":
        monkeypatch.setattr(materials, "write_npz", all_but_the_last)
    else:
        monkeypatch.setattr(materials, moment, interrupted)
    with pytest.raises(type(error) if isinstance(error, OSError) else error):
        distil.main()
    assert untouched(target)


def test_an_interruption_between_the_two_moves_puts_the_old_folder_back(target, monkeypatch):
    replace = os.replace

    def interrupted(source, destination):
        if destination == target and source.name.endswith(".making"):
            raise KeyboardInterrupt
        replace(source, destination)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        distil.main()
    assert untouched(target)


def test_what_a_killed_process_left_is_put_in_order(target, monkeypatch):
    """Killed between the two moves: the old folder goes back to its place, the half-made one goes."""
    os.replace(target, target.with_name(".distilled.old"))
    (target.with_name(".distilled.making")).mkdir()
    monkeypatch.setattr(materials, "wikipedia", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        distil.main()
    assert untouched(target)


# ---------------------------------------------------------------------------------------------- what is committed


@pytest.fixture(scope="module")
def committed():
    folder = datasets.data_root() / "distilled"
    if not (folder / "provenance.json").is_file():
        pytest.skip("data/distilled is not there; make it with make distil")
    return folder


def test_the_committed_files_are_those_of_the_provenance(committed):
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in committed.iterdir()}
    found.pop("provenance.json")
    assert found == about["files"]
    assert about["made with"]["datasets"] == datasets.used(["wikipedia_parsed"])
    profile = datasets.load_profile("sample")
    counted = [f"spaces.{space}.{name}" for space in ("count", "count_svd") for name in ("features", "window")]
    for path in ("words", "phrases", "spaces.skipgram", *counted):  # what is counted and trained by then
        settings = json.loads(json.dumps(profile[path]))
        assert datasets.Profile("distilled", about["settings"])[path] == settings, f"{path} changed: run make distil"


def test_the_committed_files_keep_within_the_limit(committed):
    assert distil.LIMIT == 25 * 2**20
    assert sum(path.stat().st_size for path in committed.iterdir()) <= distil.LIMIT


def test_the_committed_files_hold_every_word_of_the_teaching_set(committed):
    found = materials.load(committed)
    known = {*found.vectors.rows, *found.alike}
    assert [word for word in distil.vocabulary() if word not in known] == []
    for counts in found.counts.values():
        assert set(distil.vocabulary()) <= {*counts.rows, *found.alike}
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    assert found.corpus == about["corpus"]["fingerprint"]
