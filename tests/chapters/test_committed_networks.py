"""The encoder on the leaderboard, and the committed weights of the encoder and of context2vec."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, encoder, leaderboard_systems, since_then
from cdsm_lib.composition.context2vec import SPECIAL as context2vec_special
from cdsm_lib.composition.encoder import SPECIAL, Encoder
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Measure, Task, Vocabulary, phrase
from cdsm_lib.vectors.weighting import normalise_rows
from scripts import encoder as script

WORDS = ("dog|NOUN", "bark|VERB", "big|ADJ")


def small(**meta) -> Encoder:
    """One layer of random weights, of two heads and four dimensions."""
    rng, n, d, m = np.random.default_rng(2), len(WORDS) + len(SPECIAL), 4, 6
    shapes = [(n, d), (n,), (3, d), (3, d), (1, 4, d, d), (1, 4, d), (1, m, d), (1, m), (1, d, m), (1, d)]
    embeddings, bias, *layers = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return Encoder(*layers, Labels([*WORDS, *SPECIAL]), embeddings, bias, 2, meta)


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


CLAUSES = [text("big|ADJ", "dog|NOUN", "bark|VERB"), text("dog|NOUN"), text("big|ADJ", "cat|NOUN", "bark|VERB")]
RATED = Task("phrases", "toys", "all", tuple(CLAUSES), np.array([[0, 1], [0, 2]]), {"mean": Measure(np.asarray)}, 2)


def test_every_reading_has_every_word_once_and_in_the_wrong_company_among_others_words():
    words = sorted((t, i) for t, clause in enumerate(CLAUSES) for i in range(len(clause.tokens)))
    for read in since_then.READINGS.values():
        assert sorted(word for sequence in read(CLAUSES) for word in sequence) == words
    alone, backwards = (since_then.READINGS[name](CLAUSES) for name in ("each word alone", "order reversed"))
    assert alone == [[word] for word in words] and backwards[0] == [(0, 2), (0, 1), (0, 0)]
    for sequence in since_then.wrong_company(CLAUSES[:1] * 5):
        assert len({t for t, _ in sequence}) == 3 and [i for _, i in sequence] == [0, 1, 2]
    in_a_row = [text(f"dog|{n:04}", "bark|VERB") for n in range(1000)]
    assert since_then.wrong_company(in_a_row)[0] == [(0, 0), (2, 1)]  # of a thousand every second
    task, seen = replace(RATED, texts=tuple(in_a_row), pairs=np.arange(1000).reshape(-1, 2)), []
    for composer in since_then.read_in_five_ways("x", small().states, "tokens"):
        replace(composer, compare=lambda texts, pairs: seen.append(len(texts)) or {"x": pairs[:, 0]}).similarities(task)
    assert seen == [1000] * 5  # company is drawn from all


def test_subject_and_object_change_places_where_a_verb_has_both():
    words, heads = ("dog|NOUN", "chase|VERB", "big|ADJ", "cat|NOUN"), [1, -1, 3, 1]
    both, one = (phrase(words, heads, ["nsubj", "root", "amod", last], Vocabulary(WORDS)) for last in ("obj", "obl"))
    exchanged = since_then.arguments_exchanged([both, one])
    assert exchanged == [[(0, 3), (0, 1), (0, 2), (0, 0)], [(1, i) for i in range(4)]]
    tasks = [replace(RATED, texts=texts) for texts in ((both,), (both, one), (both, both, one))]
    composer = Composer((), since_then.EXCHANGED, None)
    assert [since_then.fits(composer, task) for task in tasks] == [True, False, True]


def test_states_come_back_to_their_words_and_differences_are_paired():
    states = small().states
    backwards = states(["bark|VERB", "dog|NOUN", "big|ADJ"]).mean(axis=0)
    alone = np.mean([states([word])[0] for word in CLAUSES[0].tokens], axis=0)
    target = replace(CLAUSES[0], target=1)
    for reading, clause, expected in (("order reversed", CLAUSES[0], backwards), ("each word alone", CLAUSES[0], alone),
                                      ("together", target, states(target.tokens)[1])):  # fmt: skip
        assert since_then.embed(states, "tokens", reading, [clause])[0] == pytest.approx(expected, abs=1e-4)
    ways = since_then.read_in_five_ways("small", states, "tokens")
    rows = {row.space: row for row in since_then.figures(*since_then.computed({"x": RATED}, ways), {"x": RATED}, 0)}
    assert len(rows) == 4 + 3 and rows["together"].split == "x"  # nothing to exchange
    gap = rows[since_then.LESS.format("together", "each word alone")]
    assert RATED.digest != replace(RATED, texts=RATED.texts[::-1]).digest
    assert gap.value == pytest.approx(rows["together"].value - rows["each word alone"].value) and gap.trained


def test_context2vec_in_place_is_the_word_and_its_context():
    model, words = context2vec.load(), ["the|DET", "dog|NOUN", "xyzzy|NOUN"]
    known, unknown = (since_then.in_place(model, words)[i] - normalise_rows(model.contexts(words))[i] for i in (1, 2))
    assert known == pytest.approx(normalise_rows(model.targets[model.words.encode(words[1:2])])[0], abs=1e-6)
    assert unknown == pytest.approx(0 * unknown, abs=1e-6)


def test_lemmas_are_worded_for_a_reader():
    clause = text("device|NOUN", "that|PRON", "carry|VERB", "atom|NOUN")
    plain, inflected = (way(clause) for way in since_then.TEMPLATES.values())
    assert plain == ("a", "device", "that", "carry", "an", "atom")
    assert inflected == ("a", "device", "that", "carries", "an", "atom")


def test_planted_vectors_give_the_samples_row_and_without_them_make_distil_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets, "distilled_folder", lambda: tmp_path)
    own = replace(RATED, texts=(*CLAUSES, text("zebra|NOUN")))
    sample, tasks = load_profile("sample"), {"of one's own": own, "phrases": RATED}
    with pytest.raises(FileNotFoundError, match=r"minilm-texts.npz: no such file\. .*make distil"):
        since_then.rows(sample, tasks, False)
    planted = {"big dog bark": (0.8, 0.6), "dog": (1, 0), "big cat bark": (0, 1)}
    model = SimpleNamespace(n_parameters=7, vectors=lambda texts: np.array([planted[" ".join(text)] for text in texts]))
    monkeypatch.setattr(since_then.pretrained, "load", lambda: model)
    since_then.distil([RATED], tmp_path)
    (row,) = since_then.rows(sample, tasks, False)
    assert (row.system, row.space, row.split, row.parameters) == ("MiniLM", "other text", "phrases", 7)
    assert row.value == pytest.approx((0.8 + 0.6) / 2, abs=1e-3) and row.n == 2


def test_what_an_encoder_of_another_seed_gives_is_stored(monkeypatch, tmp_path):
    monkeypatch.setattr(script, "train", lambda corpus, **settings: small(seed=settings["seed"]))
    monkeypatch.setattr(since_then, "with_dev", lambda profile, tasks: (tasks, {"tasks": "x"}))
    monkeypatch.setattr(script.leaderboard, "prepare", lambda *_, quick: SimpleNamespace(tasks={"x": RATED}))
    for where in ("path", "latest"):
        monkeypatch.setattr(ledger, where, lambda name, where=where: tmp_path / where / f"{name}.npz")
    monkeypatch.setattr(ledger, "enter_digest", lambda path: path)
    script.store_other_seeds(load_profile("full"), None)
    arrays, _ = ledger.read(since_then.AGAIN, {"tasks": "x", "encoder": load_profile("full")["encoder"]})
    again = Encoder.load(ledger.latest("encoder-2019"))
    ways = since_then.read_in_five_ways("encoder, seed 2019", again.states, "tokens")
    expected, _ = since_then.computed({"x": RATED}, ways)
    assert {key: value.tolist() for key, value in arrays.items()} == {k: v.tolist() for k, v in expected.items()}


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
