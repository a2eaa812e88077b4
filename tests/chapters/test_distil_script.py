"""Distilling: the folder is made whole or not at all, within its limit, and says where it comes from."""

import json
from types import SimpleNamespace

import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import training_counts
from cdsm_lib.settings import load_profile
from cdsm_lib.text.counts import count_windows
from scripts import distil


@pytest.fixture
def few_words(clauses, monkeypatch):
    """What is counted for four sentences, beside a core of three rows, by number of the corpus's words that are known.

    The domain lacks *n5*, and the corpus *d0*, *dv* and *zebra*.
    """
    texts = [clauses.active("n0", "v1", "n2"), clauses.passive("n5", "v3", "n0"),
             clauses.active("d0", "dv", "zebra", "a0"), clauses.active("n0", "n1", "v0")]  # fmt: skip
    monkeypatch.setattr(cheung2012, "teaching_sentences", lambda: texts)
    monkeypatch.setattr(cheung2012, "genia", lambda: clauses.domain)
    columns = [f"{word}|NOUN" for word in clauses.nouns]
    core = count_windows(clauses.corpus, ["n6|NOUN", "n0|NOUN", "v0|VERB"], columns, window=2)

    def counted(known: int):
        return distil.cheung(clauses.corpus, core, clauses.settings | {"known": known})

    return SimpleNamespace(core=core, counted=counted, columns=columns)


def test_it_counts_what_the_sentences_in_context_need(few_words, clauses):
    general, domain = few_words.counted(14)  # all of them
    core = few_words.core
    assert list(general.words)[:3] == list(core.rows)
    assert sorted(list(general.words)[3:]) == ["a0|ADJ", "n1|NOUN", "n2|NOUN", "n5|NOUN", "v1|VERB", "v3|VERB"]
    assert list(general.windows.columns) == few_words.columns
    assert (general.windows.matrix[:3] != core.matrix).nnz == 0
    expected = count_windows(clauses.corpus, list(general.words), few_words.columns, window=2)
    assert (general.windows.matrix != expected.matrix).nnz == 0
    assert general.triples.words == general.words and len(general.triples) > 10
    assert (general.corpus, domain.corpus) == (clauses.corpus.fingerprint, clauses.domain.fingerprint)
    # of the domain the words that the corpus lacks, and the general ones among which their nearest are sought
    there = {"n0|NOUN", "n1|NOUN", "n2|NOUN", "v0|VERB", "v1|VERB", "a0|ADJ"}
    assert set(domain.words) == {"d0|NOUN", "dv|VERB"} | there
    assert domain.windows.columns == general.windows.columns and domain.triples.count.min() == 2


def test_one_window_for_what_shares_one_matrix():
    """The core of the others are the rows of the Count space: all are counted in the same window."""
    profile = load_profile("sample")
    assert profile["lexical_substitution.window"] == profile["spaces.count.window"]
    assert profile["contextual.window"] == profile["spaces.count.window"] and profile["contextual.content_only"]


# ---------------------------------------------------------------------------------------------- what is committed

COMMITTED = datasets.data_root() / "distilled"


def test_the_committed_files_keep_within_a_limit():
    assert sum(path.stat().st_size for path in COMMITTED.iterdir()) <= 32 * 2**20


def test_the_committed_files_hold_every_word_of_the_teaching_set():
    found = training_counts.load(COMMITTED)
    known = {*found.vectors.rows, *found.alike}
    assert [word for word in distil.vocabulary() if word not in known] == []
    for of_space in found.counts.values():
        assert set(distil.vocabulary()) <= {*of_space.rows, *found.alike}
    about = json.loads((COMMITTED / "provenance.json").read_text(encoding="utf-8"))
    assert found.corpus == about["corpus"]["fingerprint"]
    assert about["made with"]["datasets"] == datasets.used(distil.SOURCES)


def test_without_the_encoder_its_file_stays_and_a_line_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(distil.leaderboard_systems, "gathered", lambda *_: {})
    monkeypatch.setattr("cdsm_lib.composition.pretrained.installed", lambda: False)
    none = SimpleNamespace(words=distil.Labels([]))
    distil.board(tmp_path, load_profile("sample"), none, none, none.words, none)
    assert (tmp_path / "minilm-texts.npz").read_bytes() == (COMMITTED / "minilm-texts.npz").read_bytes()
    assert "minilm-texts.npz stays as it was: the pretrained encoder needs" in capsys.readouterr().err
