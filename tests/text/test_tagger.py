"""The part-of-speech tagger: training on a few sentences, tags, storage, accuracy, and the committed weights."""

import numpy as np
import pytest

from cdsm_lib import datasets, storage
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import read_conllu, sentence
from scripts import tagger as pipeline


def tagged(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A sentence from ``token/TAG`` with spaces between."""
    tokens, tags = zip(*(item.rsplit("/", 1) for item in text.split()), strict=True)
    return tokens, tags


TINY = [
    tagged("The/DT cook/NN stirs/VBZ the/DT soup/NN ./."),
    tagged("The/DT dogs/NNS bark/VBP at/IN the/DT cook/NN ./."),
    tagged("They/PRP cook/VBP the/DT soup/NN ./."),
    tagged("Dogs/NNS like/VBP soup/NN ./."),
    tagged("They/PRP like/VBP the/DT dogs/NNS ./."),
]


@pytest.fixture(scope="module")
def tiny():
    return pipeline.perceptron(TINY, iterations=8, seed=3)


class TestTraining:
    def test_learns_its_sentences_and_reads_a_word_by_its_context(self, tiny):
        assert [tiny.tag(tokens) for tokens, _ in TINY] == [tags for _, tags in TINY]
        assert tiny.tag("The cook".split())[1] == "NN"
        assert tiny.tag("They cook".split())[1] == "VBP"

    def test_keeps_tags_settings_and_size(self, tiny):
        assert tiny.tags == (".", "DT", "IN", "NN", "NNS", "PRP", "VBP", "VBZ")
        assert tiny.meta == {"sentences": 5, "tokens": 27, "iterations": 8, "seed": 3, "smallest": 0.1}

    def test_weights_are_whole_steps_and_those_that_come_to_zero_are_dropped(self):
        # 0.26 / 0.1 = 2.6 -> 3;  -0.04 / 0.1 -> 0;  a feature left without weights goes too
        weights = {"bias": {"NN": 0.26, "DT": -0.04}, "i word x": {"NN": 0.01}}
        assert pipeline._rounded(weights, 0.1) == {"bias": {"NN": 3}}

    def test_a_word_with_one_tag_in_twenty_occurrences_is_known(self):
        found = pipeline.perceptron([tagged("the/DT soup/NN")] * 19 + [tagged("the/DT")], iterations=1, seed=0)
        assert found.known == {"the": "DT"}  # soup: 19 occurrences
        assert found.tag(["the", "the"]) == ("DT", "DT")


class TestTags:
    def test_only_allowed_tags_are_given(self, tiny):
        tokens = "They cook the soup .".split()
        free = [set(tiny.tags)] * 5
        assert tiny.tag_within(tokens, free) == tiny.tag(tokens) and tiny.tag([]) == ()
        assert tiny.tag_within(tokens, [*free[:1], {"NN", "NNS"}, *free[2:]])[1] in {"NN", "NNS"}

    def test_a_string_is_no_sequence_of_tokens(self, tiny):
        with pytest.raises(ValueError, match="tokenise it first"):
            tiny.tag("the soup")


class TestStorage:
    def test_what_is_saved_is_loaded_and_the_same_weights_give_the_same_bytes(self, tiny, tmp_path):
        loaded = pos.load(storage.save(tiny, tmp_path / "a.npz", kind="pos-tagger"))
        assert (loaded.weights, loaded.known, loaded.tags) == (tiny.weights, tiny.known, tiny.tags)
        assert loaded.meta == tiny.meta
        storage.save(loaded, tmp_path / "b.npz", kind="pos-tagger")
        assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


# ---------------------------------------------------------------------------------------------- the committed weights


@pytest.fixture(scope="module")
def committed():
    return pos.load()


def test_other_spellings_of_brackets_and_quotation_marks_are_tagged_alike(committed):
    penn = committed.tag("`` They ( the cooks ) left , '' he said .".split())
    assert committed.tag("“ They -LRB- the cooks -RRB- left , ” he said .".split()) == penn
    assert (penn[0], penn[2], penn[5], penn[8]) == ("``", "-LRB-", "-RRB-", "''")


def test_the_committed_weights_keep_their_limit_and_say_how_they_were_made(committed):
    assert set(committed.meta["datasets"]) == set(pipeline.SOURCES)
    assert committed.meta["seed"] == pipeline.SEED
    assert set().union(*pipeline.PENN.values()) <= set(committed.tags)


# ----------------------------------------------------------------------------------------------------------- pipeline


def test_a_straight_quotation_mark_is_written_as_its_tag():
    found = list(pipeline._tagged([sentence("\"|PUNCT|`` Soup|NOUN|NN !|PUNCT|. \"|PUNCT|''")]))
    assert found == [(("``", "Soup", "!", "''"), ("``", "NN", ".", "''"))]


def test_the_script_trains_twice_and_writes_the_weights(monkeypatch, tmp_path):
    """On a small corpus: SemCor's sentences are those of `TINY`, of which the first is held out."""
    texts = {"semcor": TINY * 5, "coinco": [tagged("Soup/NN is/VBZ hot/JJ ./.")] * 3}
    parses = {name: [sentence(" ".join(f"{w}|X|{t}" for w, t in zip(*one, strict=True))) for one in sentences]
              for name, sentences in texts.items()}  # fmt: skip
    parses["wikipedia"] = [sentence("Dogs like|VERB soup .|PUNCT")] * 4
    monkeypatch.setattr(pipeline.datasets, "fetch", lambda name, file: name)
    monkeypatch.setattr(pipeline.datasets, "fetch_matching", lambda *_: ["wikipedia"])
    monkeypatch.setattr(pipeline, "read_conllu", lambda name: iter(parses[name]))
    monkeypatch.setattr(pos, "weights_path", lambda: tmp_path / "pos-tagger.npz")
    pipeline.main(per_file=2)
    trained = pos.load()
    assert trained.meta["sentences"] == 24 + 3 + 2 and trained.meta["wikipedia"] == {"files": 8, "per_file": 2}
    assert trained.tag("The cook stirs the soup .".split()) == TINY[0][1]


# ------------------------------------------------------------------------------------------------------- real datasets


def test_accuracy_on_the_english_web_treebank(mirror, committed):
    """Gold tags of blogs, mail and reviews; the parser whose tags the training text bears is right in 93%."""
    trees = pipeline._tagged(read_conllu(datasets.fetch("ud_ewt", "en_ewt-ud-test.conllu")))
    pairs = np.array([pair for tokens, tags in trees for pair in zip(tags, committed.tag(tokens), strict=True)])
    expected, answered = np.isin(pairs, [*pipeline.VERB]).T
    both = (expected & answered).sum()
    assert len(pairs) == 25_094 and (pairs[:, 0] == pairs[:, 1]).mean() > 0.89
    assert min(both / answered.sum(), both / expected.sum()) > 0.94
