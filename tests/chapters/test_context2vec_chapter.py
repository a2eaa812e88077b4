"""context2vec's pipeline: when it can train, what it writes, and the committed weights."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from small_context2vec import context2vec_of

from cdsm_lib.chapters import context2vec, distil
from cdsm_lib.composition import context2vec as model_of
from cdsm_lib.composition.context2vec import SPECIAL, WEIGHTS, Context2Vec
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks.lexical_substitution import Item, Phrase, Substitution

FULL = Profile("full", load_profile("full").settings)
CORPUS = SimpleNamespace(fingerprint="f" * 64)
WORDS = ("young|ADJ", "cook|NOUN", "buy|VERB", "get|VERB", "win|VERB", "eat|VERB", "sell|VERB")
PHRASE = Phrase("s1", ("young|ADJ", "cook|NOUN", "buy|VERB", "young|ADJ", "cook|NOUN"), WORDS, (0, 1, 2, 3, 4))
TASK = Substitution("tiny", (Item("s1.2", PHRASE, 2, ("get|VERB", "win|VERB"), ("eat|VERB", "sell|VERB")),))


def model(history=((100, 2.5), (200, 1.25)), seed=1) -> Context2Vec:
    return context2vec_of(WORDS, seed, m=8, history=[list(point) for point in history])


@pytest.fixture
def with_pytorch(monkeypatch):
    monkeypatch.setattr(context2vec, "missing", lambda: "")


# ------------------------------------------------------------------------------------------------- what is missing


@pytest.mark.parametrize("installed", [None, "found"])
def test_without_pytorch_it_says_what_to_install(monkeypatch, installed):
    monkeypatch.setattr(context2vec.importlib.util, "find_spec", lambda name: installed)
    assert ("pip install torch==" in context2vec.missing()) == (installed is None)


# --------------------------------------------------------------------------------------------------------- training


def test_it_trains_with_the_profiles_settings_and_gives_what_the_file_will_hold(monkeypatch):
    asked = []

    def train(*values, **options):
        asked.append((values, options))
        return model()

    monkeypatch.setattr(model_of, "train", train)
    monkeypatch.setattr(context2vec, "wikipedia", lambda: CORPUS)
    trained = context2vec.train(FULL, epochs=7)
    options = {"checkpoints": context2vec.CHECKPOINTS}
    assert asked == [((CORPUS,), FULL["context2vec"] | {"epochs": 7} | options)]
    assert list(context2vec.CHECKPOINTS) == sorted(set(context2vec.CHECKPOINTS)) and context2vec.CHECKPOINTS[-1] == 1
    for name in WEIGHTS:
        np.testing.assert_array_equal(getattr(trained, name), getattr(model(), name).astype(np.float16))
        assert getattr(trained, name).dtype == np.float32
    assert trained.meta == model().meta and trained.words == model().words


# ---------------------------------------------------------------------------------------------------------- weights


@pytest.fixture
def target(with_pytorch, tmp_path, monkeypatch):
    """Old weights elsewhere, and a training that gives the small model."""
    target = tmp_path / "context2vec.npz"
    target.write_bytes(b"old")
    monkeypatch.setattr(context2vec, "path", lambda: target)
    monkeypatch.setattr(context2vec, "train", lambda profile: model())
    return target


def untouched(target) -> bool:
    return target.read_bytes() == b"old" and list(target.parent.iterdir()) == [target]


def test_new_weights_take_the_place_of_the_old(target, capsys):
    assert context2vec.main() == 0
    assert list(target.parent.iterdir()) == [target]
    found = context2vec.load()
    np.testing.assert_array_equal(found.targets, context2vec.halved(model()).targets)
    shown = capsys.readouterr().out
    assert "200 tokens  loss 1.2500" in shown and "MB  context2vec.npz" in shown


def test_weights_that_would_be_too_large_are_refused(target, monkeypatch, capsys):
    monkeypatch.setattr(context2vec, "LIMIT", 1000)
    assert context2vec.main() == 1
    assert untouched(target)
    assert "raise full.context2vec.min_count" in capsys.readouterr().out


@pytest.mark.parametrize(("where", "step"), [(context2vec, "train"), (Context2Vec, "save")])
def test_an_interruption_leaves_the_old_weights(target, monkeypatch, where, step):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        context2vec.main()
    assert untouched(target)


def test_without_pytorch_the_old_weights_stay(target, monkeypatch, capsys):
    monkeypatch.setattr(context2vec, "missing", lambda: "PyTorch is missing")
    assert context2vec.main() == 1
    assert untouched(target) and "PyTorch is missing" in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------- what is committed


@pytest.fixture(scope="module")
def committed() -> Context2Vec:
    return context2vec.load()


def test_the_committed_weights_and_their_vocabulary(committed):
    assert context2vec.path().stat().st_size <= context2vec.LIMIT == 15_000_000
    words = tuple(committed.words)
    assert words[-len(SPECIAL) :] == SPECIAL and not set(words[: -len(SPECIAL)]) & set(SPECIAL)
    assert len(words) == len(committed.targets) > 10_000


def test_the_committed_weights_come_from_todays_settings(committed):
    settings = committed.meta["settings"] | {"seed": committed.meta["seed"]}
    assert settings == FULL["context2vec"], "the settings changed: run make context2vec"
    losses = [loss for _, loss in committed.meta["history"]]
    assert len(losses) == len(context2vec.CHECKPOINTS) and losses[-1] < losses[0]
    provenance = json.loads((distil.folder() / "provenance.json").read_text(encoding="utf-8"))
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
