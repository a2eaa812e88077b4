"""context2vec's pipeline: when it can train, what it writes, the learning curve, and the committed weights."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from small_context2vec import context2vec_of

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, distil
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.composition import context2vec as model_of
from cdsm_lib.composition.context2vec import SPECIAL, WEIGHTS, Context2Vec
from cdsm_lib.evaluation.results import Results, Unavailable, committed_path, learning_curve
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
    if not installed:
        with pytest.raises(Unavailable, match="PyTorch, which is not installed: pip install torch=="):
            context2vec.figures(FULL)


def test_only_the_full_profile_trains(with_pytorch):
    with pytest.raises(Unavailable, match="only the full profile trains context2vec, not sample"):
        context2vec.figures(load_profile("sample"), subset=True)


# --------------------------------------------------------------------------------------------------------- training


def test_it_trains_with_the_profiles_settings_and_gives_what_the_file_will_hold(monkeypatch):
    asked = []

    def train(*values, **options):
        asked.append((values, options))
        return model()

    monkeypatch.setattr(model_of, "train", train)
    monkeypatch.setattr(context2vec, "wikipedia", lambda: CORPUS)
    trained = context2vec.train(FULL, epochs=7)
    options = {"checkpoints": context2vec.CHECKPOINTS, "at_checkpoint": None}
    assert asked == [((CORPUS,), FULL["context2vec"] | {"epochs": 7} | options)]
    assert list(context2vec.CHECKPOINTS) == sorted(set(context2vec.CHECKPOINTS)) and context2vec.CHECKPOINTS[-1] == 1
    for name in WEIGHTS:
        np.testing.assert_array_equal(getattr(trained, name), getattr(model(), name).astype(np.float16))
        assert getattr(trained, name).dtype == np.float32
    assert trained.meta == model().meta and trained.words == model().words


# --------------------------------------------------------------------------------------------------- learning curve


@pytest.fixture
def training(with_pytorch, monkeypatch):
    """Training gives a model at once; what was asked for."""
    asked = []

    def train(profile, corpus=None, at_checkpoint=None, **settings):
        asked.append((profile.name, corpus, settings))
        if at_checkpoint:
            for n, loss in ((48, 3.0), (96, 2.0)):
                at_checkpoint(model([(1, 9.0), (n, loss)], seed=n), n)
        return model([(16, 4.0)])

    monkeypatch.setattr(context2vec, "train", train)
    monkeypatch.setattr(context2vec, "wikipedia", lambda files=None: SimpleNamespace(files=files, fingerprint="f" * 64))
    monkeypatch.setattr(models, "from_coinco", lambda *_: (None, None, SimpleNamespace(task=TASK)))
    return asked


def test_the_learning_curve(training):
    ledger = context2vec.figures(FULL)
    assert [(name, corpus.files, settings) for name, corpus, settings in training] == [
        ("full", 1, {"epochs": 1}), ("full", None, {}),
    ]  # fmt: skip
    for space, points in {"one sixteenth": {16: 4.0}, "whole corpus": {48: 3.0, 96: 2.0}}.items():
        losses = learning_curve(ledger, "context2vec", space, metric="loss")
        assert {tokens: result.value for tokens, result in losses} == points
        for system in models.C2V:
            curve = learning_curve(ledger, system, space, metric="MAP")
            assert [tokens for tokens, _ in curve] == list(points)
            assert all(result.n == 1 and result.dataset == "tiny" for _, result in curve)
    assert len(ledger.results) == 9 and ledger.claims == ()
    assert ledger.made_with["datasets"] == datasets.used(["coinco", "wikipedia_parsed"])
    assert (ledger.chapter, ledger.profile) == ("context2vec", "full")
    assert ledger.made_with["seed"] == FULL["context2vec.seed"]


def test_points_are_those_of_the_weights_as_they_are_stored(training):
    scores = models.substitutes(context2vec.halved(model(seed=96)), TASK, sentence=False, listed=1000)
    order = np.argsort(-scores[0])
    expected = np.mean([(i + 1) / (hit + 1) for i, hit in enumerate(np.flatnonzero(order < 2))])
    found = context2vec.figures(FULL).one(system="context2vec (phrase)", space="whole corpus @ 96 tokens")
    assert found.value == pytest.approx(expected)


def test_the_subset_trains_on_the_sixteenth_alone(training):
    subset = context2vec.figures(FULL, subset=True)
    assert [corpus.files for _, corpus, _ in training] == [1]
    assert {result.space for result in subset.results} == {"one sixteenth @ 16 tokens"}
    assert {result.key for result in subset.results} < {result.key for result in context2vec.figures(FULL).results}


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


def test_the_learning_curve_is_on_the_items_of_the_chapter():
    def items(chapter: str, system: str) -> set[int]:
        rows = Results.read(committed_path(chapter, "full")).results
        return {row.n for row in rows if row.system == system and row.metric == "MAP"}

    for system in models.C2V:
        curve = items("context2vec", system)
        assert len(curve) == 1 and curve == items("lexical_substitution", system), "make reproduce"


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
