"""Figures of the chapter on lexical substitution: on random clauses, and on rankings by hand."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from small_context2vec import context2vec_of

from book._ext import execution, notebooks
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import lexical_substitution as chapter
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.lexical_substitution import LISTED_IN, PARTS
from cdsm_lib.chapters.substitution_models import C2V, SPACE
from cdsm_lib.construction.lexical_substitution import Construction, Step
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.comparison import compare
from cdsm_lib.evaluation.results import Results, Scores, committed
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Item, Phrase, Substitution
from cdsm_lib.tasks.task import Vocabulary
from cdsm_lib.text.corpus import corpus_from_text
from scripts import context2vec as script

# ------------------------------------------------------------------------------------- a corpus of random clauses

ADJECTIVES, NOUNS, VERBS = ([f"{tag.lower()}{i}|{tag}" for i in range(6)] for tag in ("ADJ", "NOUN", "VERB"))
CHOICES = (ADJECTIVES, NOUNS, VERBS, ADJECTIVES, NOUNS)
LEXICAL = {
    "dataset": "tiny", "words": 12, "window": 2, "dimensions": 8, "power": 1.0, "bigram_count": 1, "bigram_limit": 0,
    "min_pairs": 4, "listed": 9, "seeds": 3,
}  # fmt: skip
PROFILE = Profile("tiny", {"seed": 7, "lexical_substitution": LEXICAL, "context2vec": {"seed": 1}})


def random_corpus():
    """Six hundred clauses such as *adj3 noun1 verb0 noun2 noun5*."""
    rng, texts = np.random.default_rng(8), []
    for _ in range(600):
        words = [str(rng.choice(kind)) for kind in CHOICES]
        labels = ["amod", "nsubj", "root", "amod", "obj"]
        for place in (0, 3):
            if rng.random() < 0.2:
                words[place], labels[place] = str(rng.choice(NOUNS)), "compound"
        parts = zip(words, (2, 3, 0, 5, 3), labels, strict=True)
        texts.append(" ".join(f"{word}/{head}/{label}" for word, head, label in parts))
    return corpus_from_text(*texts)


def random_items(n: int = 40) -> Substitution:
    """Targets in every position of random phrases."""
    rng, items = np.random.default_rng(9), []
    for i in range(n):
        words = tuple(str(rng.choice(kind)) for kind in CHOICES)
        others = [word for word in CHOICES[i % 5] if word != words[i % 5]]
        a, b, c, d = rng.permutation(others)[:4].tolist()
        items.append(Item(f"s{i}.{i % 5}", Phrase(f"s{i}", words, words, (0, 1, 2, 3, 4)), i % 5, (a, b), (c, d)))
    return Substitution("tiny", tuple(items))


def construction_of(items: Substitution) -> Construction:
    funnel = (Step("clauses with an ANVAN", 70, 90), Step("each token once", len(items.phrases), len(items)))
    return Construction(items, funnel, provisional=4)


@pytest.fixture(scope="module")
def world():
    return SimpleNamespace(corpus=random_corpus(), items=random_items())


@pytest.fixture
def profile(world, monkeypatch, tmp_path):
    """A full profile, with the random corpus, its items and a model of random weights in the place of the real ones."""

    def from_coinco(corpus, settings, seed):
        words = models.gather_words(corpus, lexical_substitution.vocabulary(world.items), settings)
        return words, models.train_space(words, settings, seed), construction_of(world.items)

    def of_seed(corpus=None, seed=1, **settings):
        return context2vec_of([*ADJECTIVES, *NOUNS, *VERBS], seed, settings={"seed": seed})

    monkeypatch.setattr(chapter, "wikipedia", lambda files=None: world.corpus)
    monkeypatch.setattr(models, "from_coinco", from_coinco)
    monkeypatch.setattr(context2vec, "load", of_seed)
    monkeypatch.setattr(script, "train", of_seed)
    monkeypatch.setattr(ledger, "latest", lambda name: tmp_path / name)
    monkeypatch.setattr(ledger, "path", ledger.latest)
    return replace(PROFILE, name="full").replace({"lexical_substitution.dataset": "anvan_ls"})


# ---------------------------------------------------------------------------------------------------------- results


def items_of(*positions: int) -> Substitution:
    """Targets in these positions; where a position is no later than the one before, another phrase begins."""
    phrase, words = random_items(1).items[0].phrase, tuple(f"w{i}|NOUN" for i in range(4))
    starts = np.cumsum(np.diff(positions, prepend=9) <= 0)
    return Substitution("tiny", tuple(
        Item(f"{i}", replace(phrase, id=f"s{start}"), position, words[:2], words[2:])
        for i, (position, start) in enumerate(zip(positions, starts, strict=True))
    ))  # fmt: skip


def ranked(items: Substitution, system: str, patterns) -> Scores:
    """The scores of a system that ranks the candidates of every target as its position says."""
    rows = []
    for position in items.positions.tolist():
        pattern = patterns[position]
        rows += [4.0 - i for right in "10" for i, here in enumerate(pattern) if here == right] or [np.nan] * 4
    name = system, LISTED_IN if system in C2V else SPACE
    (scores,) = chapter.scores_of({name: np.array(rows)}, lexical_substitution.task(items, Vocabulary(())))
    return scores


def test_rows_of_a_system_by_hand():
    items = items_of(0, 0, 2, 3, 4, 4)  # no subjects
    words = list(items.items[3].phrase.words)
    night = replace(items.items[3].phrase, words=(*words[:3], "night|NOUN", words[4]))  # a modifier, but no adjective
    items = replace(items, items=(*items.items[:3], replace(items.items[3], phrase=night), *items.items[4:]))
    scores = ranked(items, "Add", {0: "1100", 2: "0011", 3: "1001", 4: "0110"})
    rows = {part.metric: part.row() for part in chapter.with_parts([scores], PARTS)}
    assert {metric: (row.value, row.n) for metric, row in rows.items()} == {
        "MAP": (pytest.approx((1 + 1 + 5 / 12 + 3 / 4 + 7 / 12 + 7 / 12) / 6), 6),
        "MAP: subject modifier": (1, 2),
        "MAP: verb": (pytest.approx(5 / 12), 1),
        "MAP: object modifier": (3 / 4, 1),
        "MAP: object": (pytest.approx(7 / 12), 2),
        "MAP: adjectives": (1, 2),
        "MAP: nouns": (pytest.approx(7 / 12), 2),
    }
    for row in rows.values():
        assert (row.system, row.space, row.dataset, row.published) == ("Add", SPACE, "tiny", None)
        assert row.low <= row.value <= row.high and row.tolerance == (0.03 if row.position else 0.01)
    assert [part.metric for part in chapter.with_parts([scores], ("verb",))] == ["MAP", "MAP: verb"]


def test_the_targets_of_a_phrase_are_drawn_together():
    """Two phrases, of four targets that are right and of one that is wrong: drawn are both, or one of them twice."""
    scores = ranked(items_of(0, 1, 3, 4, 2), "Add", ["1100", "1100", "0011", "1100", "1100"])
    row = scores.row()
    assert (row.value, row.low, row.high, row.n) == (pytest.approx((4 + 5 / 12) / 5), pytest.approx(5 / 12), 1, 5)
    assert chapter.at(scores, "nouns").groups.tolist() == [0, 0]


# ----------------------------------------------------------------------------------------------------------- claims


def leads(by_position: dict[int, list[float]], least: float = 0.0) -> Test:
    """The test of a lead that is given for each target of a position, a phrase each."""
    phrases = len(next(iter(by_position.values())))
    items = items_of(*sorted(by_position) * phrases)
    values = [by_position[position][i] for i in range(phrases) for position in sorted(by_position)]
    second = ranked(items, "context2vec (phrase)", dict.fromkeys(range(5), "1100"))
    first = replace(second, system="PLF (Gupta)", values=second.values + values)
    return chapter.differing_by_position(first, second, least=least, seed=1)


def test_add_and_mult_beside_the_mean_of_the_other_models():
    items = items_of(0, 2)
    patterns = {"Add": "1100", "Mult": "0011", "LemmaSim": "1001", "PLF (Gupta)": "0011", C2V[0]: "1100"}
    scores = [ranked(items, system, dict.fromkeys((0, 2), pattern)) for system, pattern in patterns.items()]
    leads = {s.system: s.values.tolist() for s in chapter.beside_the_others(scores)}
    mean = (1 + 5 / 12) / 2
    assert leads == {"Add beside the others": [pytest.approx(1 - mean)] * 2,
                     "Mult beside the others": [pytest.approx(5 / 12 - mean)] * 2}  # fmt: skip


def test_a_lead_that_depends_on_the_position():
    test = leads({0: [0.1] * 8, 2: [0.3, 0.1] * 4, 4: [-0.3, -0.1] * 4})
    assert test.names == ("lead of PLF (Gupta) over context2vec (phrase), verb", "object")
    assert (test.verdict, test.kind, test.values, test.value) == ("holds", "greater", (0.2, -0.2), 0.4)
    assert 0.2 <= test.low < 0.4 < test.high <= 0.6 and (test.n, test.unit, test.p) == ((8,), "phrases", 0.0)


def test_a_lead_that_differs_by_chance():
    """Of two phrases with two targets each the leads .3 and -.1 stand in this order both times: p = 1/2."""
    test = leads({0: [0.3, 0.3], 2: [-0.1, -0.1]})
    assert test.verdict == "undecided" and test.p == pytest.approx(0.5, abs=0.02)
    same = leads({0: [0.1, 0.1, 0.1], 2: [0.1, 0.1, 0.1], 4: [0.1, 0.1, 0.12]}, least=0.05)
    assert (same.verdict, same.least, same.p) == ("fails", 0.05, 1.0)


# ---------------------------------------------------------------------------------------------------- all together


def test_the_full_profile_gives_every_figure_and_every_seed_has_a_say(world, profile, tmp_path):
    with pytest.raises(FileNotFoundError, match="scripts.context2vec --others"):
        chapter.run(profile, quick=True)
    script.store_other_seeds(profile, world.corpus)
    prepared = chapter.prepare(profile)
    results = chapter.run(profile, quick=True, prepared=prepared)

    def names(results: Results) -> set:
        return {(row.system, row.space, row.metric) for row in results.results if row.system != "construction"}

    full = committed("lexical_substitution")
    assert names(results) == names(full)
    assert [claim.id for claim in results.claims] == [claim.id for claim in full.claims]
    assert {row.system for row in results.results if row.trained} == set(C2V)

    values = []
    for seed in (1, 2, 3):
        ranking = models.substitutes(script.train(seed=seed), world.items, sentence=True, listed=9)
        values.append(lexical_substitution.score(ranking.reshape(-1, 4), world.items))
    place = {"system": C2V[1], "space": LISTED_IN}
    spread = [results.one(**place, metric=f"MAP, {name} of seeds").value for name in ("mean", "sd")]
    maps = [of_seed.mean() for of_seed in values]
    assert spread == [pytest.approx(measure(maps)) for measure in (np.mean, partial(np.std, ddof=1))]
    verbs = [of_seed[world.items.positions == 2].mean() for of_seed in values]
    assert results.one(**place, metric="MAP: verb, mean of seeds").value == pytest.approx(np.mean(verbs))
    with pytest.raises(StorageError, match="other settings, or of another corpus .items."):
        chapter.run(profile, quick=True, prepared=replace(prepared, items=random_items(30)))

    notebook = chapter.run(profile, prepared=prepared)  # with its own seed alone
    assert names(notebook) == {name for name in names(full) if "seeds" not in name[2]}


def test_what_add_and_plf_are_made_of(profile):
    """(r + t) . (r + t') is r . t' + t . t', but for what all candidates share; Gupta's PLF is without v."""
    prepared = chapter.prepare(profile)
    task, space = prepared.task, prepared.trained.space
    parts = chapter.without_target(prepared)["Rest", SPACE] + models.rank("LemmaSim", task, space)
    shared = (models.rank("Add", task, space) - parts).reshape(-1, 4)
    np.testing.assert_allclose(shared, np.repeat(shared[:, :1], 4, axis=1), rtol=1e-9, atol=1e-9)
    weighted = chapter.by_verb_weight(prepared)
    for system, weight in (("PLF (Gupta)", 0), ("PLF (Paperno)", 1)):
        ranking = models.rank(system, task, space, prepared.model)
        np.testing.assert_allclose(weighted[f"PLF + {weight} v", SPACE], ranking, rtol=1e-9, atol=1e-9)


def test_the_notebook_with_the_full_profile_finds_what_is_committed(mirror, tmp_path):
    """From the corpus and CoInCo to every figure and verdict but the rows over seeds, in the notebook itself."""
    kept, executed = tmp_path / "ledger.json", tmp_path / "executed.ipynb"
    execution.run(notebooks.find("50-lexical-substitution"), {"profile": "full", "keep": str(kept)}, executed)
    before = committed("lexical_substitution")
    rows = [row for row in before.results if not row.metric.endswith("of seeds")]
    assert compare(replace(before, results=rows), Results.read(kept)) == []
