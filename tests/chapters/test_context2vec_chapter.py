"""context2vec: the committed weights."""

import json

import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.composition.context2vec import SPECIAL, Context2Vec
from cdsm_lib.settings import load_profile

SETTINGS = load_profile("full")["context2vec"]


@pytest.fixture(scope="module")
def committed() -> Context2Vec:
    return context2vec.load()


def test_the_committed_weights_and_their_vocabulary(committed):
    words = tuple(committed.words)
    assert words[-len(SPECIAL) :] == SPECIAL and not set(words[: -len(SPECIAL)]) & set(SPECIAL)
    assert len(words) == len(committed.targets) > 10_000


def test_the_committed_weights_come_from_todays_settings(committed):
    settings = committed.meta["settings"] | {"seed": committed.meta["seed"]}
    assert settings == SETTINGS, "the settings changed: run make context2vec"
    losses = [loss for _, loss in committed.meta["history"]]
    assert len(losses) == 7 and losses[-1] < losses[0]
    provenance = json.loads((datasets.distilled_folder() / "provenance.json").read_text(encoding="utf-8"))
    assert committed.meta["corpus"] == provenance["corpus"]["fingerprint"]


@pytest.mark.parametrize(
    ("sentence", "place", "fits", "does_not"),
    [
        ("the|DET company|NOUN buy|VERB a|DET new|ADJ building|NOUN .|PUNCT", 2, "acquire|VERB", "die|VERB"),
        ("the|DET film|NOUN win|VERB many|ADJ award|NOUN .|PUNCT", 4, "prize|NOUN", "wall|NOUN"),
        ("the|DET film|NOUN win|VERB many|ADJ award|NOUN .|PUNCT", 2, "receive|VERB", "drink|VERB"),
    ],
)
def test_the_committed_weights_know_what_fits(committed, sentence, place, fits, does_not):
    context = committed.context(sentence.split(), place)
    good, bad = committed.fit_of(context, [fits, does_not])
    assert good > bad
