"""The encoder: its systems on the leaderboard, and the committed weights."""

import json

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, encoder, leaderboard_systems
from cdsm_lib.composition import encoder as model_of
from cdsm_lib.composition.encoder import SPECIAL, Encoder
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks.task import Vocabulary, phrase

FULL = Profile("full", load_profile("full").settings)
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


# ------------------------------------------------------------------------------------------------- what is committed


@pytest.fixture(scope="module")
def committed() -> Encoder:
    return encoder.load()


def test_the_committed_weights_come_from_todays_settings(committed):
    settings = committed.meta["settings"] | {"seed": committed.meta["seed"]}
    assert settings == FULL["encoder"], "the settings changed: run make encoder"
    losses = [loss for _, loss in committed.meta["history"]]
    assert len(losses) == 7 and losses == sorted(losses, reverse=True)
    provenance = json.loads((datasets.distilled_folder() / "provenance.json").read_text(encoding="utf-8"))
    assert committed.meta["corpus"] == provenance["corpus"]["fingerprint"]
    assert tuple(committed.words)[: -len(SPECIAL)] == tuple(context2vec.load().words)[: -len(model_of.TAGS) - 2]
