"""The encoder on the leaderboard, and the committed weights of the encoder and of context2vec."""

import json

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, encoder, leaderboard_systems
from cdsm_lib.composition.context2vec import SPECIAL as context2vec_special
from cdsm_lib.composition.encoder import SPECIAL, Encoder
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks.task import Vocabulary, phrase

WORDS = ("dog|NOUN", "bark|VERB", "big|ADJ")


def small(**meta) -> Encoder:
    """One layer of random weights, of two heads and four dimensions."""
    rng, n, d, m = np.random.default_rng(2), len(WORDS) + len(SPECIAL), 4, 6
    shapes = [(n, d), (n,), (3, d), (3, d), (1, 4, d, d), (1, 4, d), (1, m, d), (1, m), (1, d, m), (1, d)]
    arrays = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return Encoder(Labels([*WORDS, *SPECIAL]), *arrays, 2, {"history": [[100, 7.5], [200, 6.25]]} | meta)


# ------------------------------------------------------------------------------------------------- on the leaderboard


@pytest.fixture
def systems(monkeypatch):
    monkeypatch.setattr(encoder, "load", lambda: small(minutes=3.0))
    return {composer.names[0]: composer for composer in leaderboard_systems.encoded()}


def text(*words: str, target: int | None = None, vocabulary=WORDS):
    heads = [-1, *[0] * (len(words) - 1)]
    return phrase(words, heads, ["root", *["dep"] * (len(words) - 1)], Vocabulary(vocabulary), target)


def test_texts_are_means_over_content_words_and_targets_are_states(systems):
    one = text("big|ADJ", "that|PRON", "dog|NOUN", target=2)
    other = text("dog|NOUN", "bark|VERB", target=0)
    model, pairs = small(), np.array([[0, 1]])

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    states = [model.states(of.tokens) for of in (one, other)]
    found = {name: composer.compare([one, other], pairs)[name][0] for name, composer in systems.items()}
    assert found["encoder"] == pytest.approx(cosine(states[0][[0, 2]].mean(axis=0), states[1].mean(axis=0)), abs=1e-4)
    assert found["encoder (target)"] == pytest.approx(cosine(states[0][2], states[1][0]), abs=1e-4)
    alone = [model.embeddings[rows].mean(axis=0) for rows in ([2, 0], [0, 1])]
    assert found["encoder (words)"] == pytest.approx(cosine(*alone), abs=1e-4)


def test_a_word_that_is_read_alone_knows_no_other_and_reversed_states_keep_their_words():
    model, one = small(), text("big|ADJ", "dog|NOUN", "bark|VERB")
    alone, turned = (encoder.READINGS[name] for name in (encoder.ALONE, encoder.REVERSED))
    np.testing.assert_allclose(alone(model, one)[1], model.states(["dog|NOUN"])[0], atol=1e-5)
    backwards = model.states(["bark|VERB", "dog|NOUN", "big|ADJ"])
    np.testing.assert_allclose(turned(model, one)[0], backwards[2], atol=1e-5)  # that of "big" in both


def test_rows_of_the_readings_have_paired_differences(monkeypatch):
    """One layer of random weights: what is less than itself, on the same terms."""
    monkeypatch.setattr(encoder, "load", lambda: small())
    rows = {(row.space, row.split, row.metric): row for row in encoder.rows(load_profile("sample"))}
    less = encoder.LESS.format(encoder.TOGETHER, encoder.ALONE)
    for split in ("dev", "test"):
        both = [rows[name, split, "MAP"].value for name in (encoder.TOGETHER, encoder.ALONE)]
        for metric in ("MAP", encoder.OVER_HEADS):
            assert rows[less, split, metric].value == pytest.approx(both[0] - both[1])
    assert len(rows) == 2 * (4 + 3 * 2)


# ------------------------------------------------------------------------------------------------- what is committed


@pytest.mark.parametrize(("name", "load"), [("context2vec", context2vec.load), ("encoder", encoder.load)])
def test_the_committed_weights_come_from_todays_settings(name, load):
    meta = load().meta
    assert meta["settings"] | {"seed": meta["seed"]} == load_profile("full")[name], f"changed: run make {name}"
    losses = [loss for _, loss in meta["history"]]
    assert len(losses) == 7 and losses[-1] < losses[0]
    provenance = json.loads((datasets.distilled_folder() / "provenance.json").read_text(encoding="utf-8"))
    assert meta["corpus"] == provenance["corpus"]["fingerprint"]


def test_both_networks_have_the_same_words():
    words = tuple(context2vec.load().words)[: -len(context2vec_special)]
    assert len(words) > 10_000 and tuple(encoder.load().words)[: -len(SPECIAL)] == words
    assert not set(words) & {*context2vec_special}


@pytest.mark.parametrize(
    ("sentence", "place", "fits", "does_not"),
    [
        ("the|DET company|NOUN buy|VERB a|DET new|ADJ building|NOUN .|PUNCT", 2, "acquire|VERB", "die|VERB"),
        ("the|DET film|NOUN win|VERB many|ADJ award|NOUN .|PUNCT", 4, "prize|NOUN", "wall|NOUN"),
        ("the|DET film|NOUN win|VERB many|ADJ award|NOUN .|PUNCT", 2, "receive|VERB", "drink|VERB"),
    ],
)
def test_context2vec_knows_what_fits(sentence, place, fits, does_not):
    model = context2vec.load()
    good, bad = model.fit_of(model.context(sentence.split(), place), [fits, does_not])
    assert good > bad
