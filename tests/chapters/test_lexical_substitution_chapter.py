"""Figures of the chapter on lexical substitution: on random clauses, on rankings by hand, on the embedded data."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from small_context2vec import context2vec_of, sentence

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import lexical_substitution as chapter
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.lexical_substitution import ALL_SCORED, LISTED_IN, PARTS, UNIT
from cdsm_lib.chapters.substitution_models import C2V, CDSMS, SPACE
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.construction.lexical_substitution import Construction, Step
from cdsm_lib.evaluation import ledger as ledger_run
from cdsm_lib.evaluation.claims import registry
from cdsm_lib.evaluation.results import Results, Scores, committed
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Item, Phrase, Substitution
from cdsm_lib.text.corpus import corpus_from_sentences
from scripts import context2vec as script

# ------------------------------------------------------------------------------------- a corpus of random clauses

ADJECTIVES, NOUNS, VERBS = ([f"{kind}{i}|{tag}" for i in range(6)] for kind, tag in
                            (("adjective", "ADJ"), ("noun", "NOUN"), ("verb", "VERB")))  # fmt: skip
RARE = "rare|VERB"
LEXICAL = {
    "dataset": "tiny", "words": 12, "window": 2, "dimensions": 8, "power": 1.0, "bigram_count": 1, "bigram_limit": 0,
    "min_pairs": 4, "listed": 9, "seeds": 3,
}  # fmt: skip
PROFILE = Profile("tiny", {"seed": 3, "lexical_substitution": LEXICAL, "context2vec": {"seed": 1}})
FULL = replace(PROFILE, name="full")


def random_corpus():
    """Six hundred clauses such as *adjective3 noun1 verb0 noun2 noun5*; one verb stands in but two of them."""
    rng, sentences = np.random.default_rng(8), []
    for i in range(600):
        first, second = (
            (rng.choice(ADJECTIVES), "amod") if rng.random() < 0.8 else (rng.choice(NOUNS), "compound")
            for _ in range(2)
        )
        verb = RARE if i < 2 else rng.choice(VERBS)
        words = (first[0], rng.choice(NOUNS), verb, second[0], rng.choice(NOUNS))
        deprels = (f"2/{first[1]}", "3/nsubj", "0/root", f"5/{second[1]}", "3/obj")
        sentences.append(" ".join(map("/".join, zip(words, deprels, strict=True))))
    return corpus_from_sentences(map(sentence, sentences))


def random_task(n: int = 40) -> Substitution:
    """Targets in every position of random phrases; the rare verb is the target of two."""
    rng, items = np.random.default_rng(9), []
    for i in range(n):
        words = [str(rng.choice(kind)) for kind in (ADJECTIVES, NOUNS, VERBS, ADJECTIVES, NOUNS)]
        if i in (2, 7):
            words[2] = RARE
        phrase = Phrase(f"s{i}", tuple(words), tuple(words), (0, 1, 2, 3, 4))
        others = [w for w in (ADJECTIVES, NOUNS, VERBS, ADJECTIVES, NOUNS)[i % 5] if w != words[i % 5]]
        a, b, c, d = rng.permutation(others)[:4].tolist()
        items.append(Item(f"s{i}.{i % 5}", phrase, i % 5, (a, b), (c, d)))
    return Substitution("tiny", tuple(items))


def construction_of(task: Substitution) -> Construction:
    funnel = (Step("clauses with an ANVAN", 70, 90), Step("each token once", len(task.phrases), len(task)))
    return Construction(task, funnel, provisional=4)


def random_model(profile: Profile = PROFILE, seed: int = 1) -> Context2Vec:
    return context2vec_of([*ADJECTIVES, *NOUNS, *VERBS], seed)


@pytest.fixture(scope="module")
def world():
    """The corpus, and a run on it with every ranking."""
    corpus, task = random_corpus(), random_task()
    words = models.gather_words(corpus, lexical_substitution.vocabulary(task), LEXICAL)
    trained = models.train_space(words, LEXICAL, 3)
    bigrams = models.gather_bigrams(corpus, words, models.predicates_in(task), LEXICAL)
    run = chapter.Run(PROFILE, construction_of(task), task, words, trained, bigrams)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context2vec, "load", random_model)
        rankings = chapter.compositional(trained, run.model, task)
        rankings |= chapter.compositional(trained, run.model, task, "cosine") | run.substitutes
    return SimpleNamespace(corpus=corpus, task=task, run=run, trained=trained, model=run.model, rankings=rankings)


@pytest.fixture
def in_place(world, monkeypatch, tmp_path):
    """The random corpus, its task and model in the place of the real ones."""

    def from_coinco(corpus, settings, seed):
        assert corpus is world.corpus
        words = models.gather_words(corpus, lexical_substitution.vocabulary(world.task), settings)
        return words, models.train_space(words, settings, seed), construction_of(world.task)

    monkeypatch.setattr(chapter, "wikipedia", lambda files=None: world.corpus)
    monkeypatch.setattr(models, "from_coinco", from_coinco)
    monkeypatch.setattr(context2vec, "load", random_model)
    monkeypatch.setattr(script, "train", lambda corpus, **settings: random_model(None, settings["seed"]))
    monkeypatch.setattr(ledger_run, "latest", lambda name: tmp_path / name)
    monkeypatch.setattr(ledger_run, "path", ledger_run.latest)
    return FULL.replace({"lexical_substitution.dataset": "anvan_ls"})


# ---------------------------------------------------------------------------------------------------------- rankings


# ---------------------------------------------------------------------------------------------------------- results


def task_of(*positions: int) -> Substitution:
    """Targets in these positions; where a position is no later than the one before, another phrase begins."""
    phrase, words = random_task(1).items[0].phrase, tuple(f"w{i}|NOUN" for i in range(4))
    starts = np.cumsum(np.diff(positions, prepend=9) <= 0)
    return Substitution("tiny", tuple(
        Item(f"{i}", replace(phrase, id=f"s{start}"), position, words[:2], words[2:])
        for i, (position, start) in enumerate(zip(positions, starts, strict=True))
    ))  # fmt: skip


def ranked(task: Substitution, system: str, patterns) -> Scores:
    """The scores of a system that ranks the candidates of every target as its position says."""
    rows = []
    for position in task.positions.tolist():
        pattern = patterns[position]
        places = [4.0 - i for right in "10" for i, here in enumerate(pattern) if here == right]
        rows.append(places or [np.nan] * 4)
    (scores,) = chapter.scores_of({(system, LISTED_IN if system in C2V else SPACE): np.array(rows)}, task)
    return scores


def test_rows_of_a_system_by_hand():
    task = task_of(0, 0, 2, 3, 4, 4)  # no subjects
    scores = ranked(task, "Add", {0: "1100", 2: "0011", 3: "1001", 4: "0110"})
    rows = {of.metric: of.row() for of in chapter.with_parts([scores], PARTS)}
    assert {metric: (row.value, row.n) for metric, row in rows.items()} == {
        "MAP": (pytest.approx((1 + 1 + 5 / 12 + 3 / 4 + 7 / 12 + 7 / 12) / 6), 6),
        "MAP: subject modifier": (1, 2),
        "MAP: verb": (pytest.approx(5 / 12), 1),
        "MAP: object modifier": (3 / 4, 1),
        "MAP: object": (pytest.approx(7 / 12), 2),
        "MAP: modifiers": (pytest.approx(11 / 12), 3),
        "MAP: nouns": (pytest.approx(7 / 12), 2),
    }
    for metric, row in rows.items():
        assert (row.system, row.space, row.dataset, row.published) == ("Add", SPACE, "tiny", None)
        assert row.low <= row.value <= row.high and row.tolerance == (0.03 if row.position else 0.01)
        assert metric == ("MAP" if row.position is None else f"MAP: {row.position}")
    assert [of.metric for of in chapter.with_parts([scores], ("verb",))] == ["MAP", "MAP: verb"]


def test_the_targets_of_a_phrase_are_drawn_together():
    """Two phrases, of four targets that are right and of one that is wrong: drawn are both, or one of them twice."""
    task = task_of(0, 1, 2, 3, 2)
    assert chapter.phrase_of(task).tolist() == [0, 0, 0, 0, 1]
    scores = ranked(task_of(0, 1, 3, 4, 2), "Add", {0: "1100", 1: "1100", 2: "0011", 3: "1100", 4: "1100"})
    assert scores.groups.tolist() == [0, 0, 0, 0, 1]
    row = scores.row()
    assert (row.value, row.low, row.high, row.n) == (pytest.approx((4 + 5 / 12) / 5), pytest.approx(5 / 12), 1, 5)
    assert chapter.at(scores, "nouns").groups.tolist() == [0, 0]


def test_random_is_exact_and_the_papers_figure_stands_beside_anvan_ls():
    row = chapter.random_row(replace(task_of(0), name="anvan_ls"))
    assert (row.value, row.published) == (pytest.approx(49 / 72), 0.68) and row.low is None
    assert chapter.random_row(task_of(0)).published is None


@pytest.mark.parametrize(("name", "published"), [("anvan_ls", (165, 732)), ("tiny", (None, None))])
def test_every_step_of_the_construction(name, published):
    rows = chapter.construction_rows(construction_of(replace(task_of(0, 1, 2), name=name)))
    assert [(r.space, r.metric, r.value, r.published) for r in rows] == [
        ("clauses with an ANVAN", "phrases", 70, None), ("clauses with an ANVAN", "targets", 90, None),
        ("each token once", "phrases", 1, published[0]), ("each token once", "targets", 3, published[1]),
    ]  # fmt: skip
    assert all(r.system == "construction" and r.dataset == name and r.tolerance == 0 for r in rows)


# ----------------------------------------------------------------------------------------------------------- claims

IDS = [
    "adjectives-easiest-verbs-hardest", "lemmasim-worst", "simple-below-random", "simple-better-on-adjectives",
    "add-struggles-with-verbs", "paperno-at-random", "paperno-good-on-adjectives-and-nouns", "paperno-worst-on-verbs",
    "gupta-repairs-verbs", "gupta-beats-simple", "gupta-on-par-with-context2vec", "families-differ-by-position",
    "sentence-helps-context2vec",
]  # fmt: skip


def claims_of(patterns: dict[str, str]):
    """The claims in a world where each system ranks modifiers, nouns and verbs like this."""
    task = task_of(*[0, 1, 2, 3, 4] * 12)
    places = {name: dict(zip(range(5), (m, n, v, m, n), strict=True)) for name, text in patterns.items()
              for m, n, v in [text.split()]}  # fmt: skip
    return chapter.claims([ranked(task, name, of) for name, of in places.items()], task, 1)


RIGHT = {
    "LemmaSim": "0011 0011 0101", "Add": "1010 0101 0101", "Mult": "1001 0101 0101",
    "PLF (Paperno)": "1001 1001 0011",  # .683 overall
    "PLF (Gupta)": "1010 1001 0110", "context2vec (phrase)": "1001 1001 1010",  # .75 and .767 overall
    "context2vec (sentence)": "1100 1010 1001",
}  # fmt: skip
WRONG = {
    "LemmaSim": "1100 1100 1100", "Add": "1010 1100 1100", "Mult": "1010 1100 1100",
    "PLF (Paperno)": "0011 0011 1100",  # .533 overall
    "PLF (Gupta)": "0011 0101 0101", "context2vec (phrase)": "1010 1100 1100",
    "context2vec (sentence)": "0110 1001 1001",
}  # fmt: skip
AT_RANDOM = dict.fromkeys((*CDSMS, *C2V), "---- ---- ----")
EQUAL = dict.fromkeys(("paperno-at-random", "gupta-on-par-with-context2vec"), "holds")


@pytest.mark.parametrize(
    ("patterns", "verdict", "others"), [(RIGHT, "holds", {}), (WRONG, "fails", {}), (AT_RANDOM, "fails", EQUAL)]
)
def test_worlds_in_which_the_paper_is_right_and_wrong_and_all_systems_rank_at_random(patterns, verdict, others):
    claims = claims_of(patterns)
    assert {claim.id: claim.verdict for claim in claims} == dict.fromkeys(IDS, verdict) | others
    assert [claim.id for claim in claims] == IDS
    assert all(claim.published and claim.text.endswith(".") and claim.evidence for claim in claims)


def test_the_claims_know_which_systems_they_are_about():
    evidence = {claim.id: str(claim.evidence) for claim in claims_of(dict.fromkeys((*CDSMS, *C2V), "1100 1100 0011"))}
    assert "modifiers, mean of the models 1.000, nouns 1.000" in evidence["adjectives-easiest-verbs-hardest"]
    assert "nouns, mean of the models 1.000, verbs 0.417" in evidence["adjectives-easiest-verbs-hardest"]
    assert "Random 0.681, Add 0.883" in evidence["simple-below-random"]
    assert evidence["gupta-repairs-verbs"].startswith("PLF (Gupta), verbs 0.417, PLF (Paperno) 0.417")
    assert all(of.endswith("12 phrases") for of in evidence.values())
    assert "LemmaSim" not in evidence["paperno-worst-on-verbs"]
    assert evidence["paperno-worst-on-verbs"].count("PLF (Paperno)") == 5
    assert evidence["lemmasim-worst"].count("LemmaSim") == 6


def leads(by_position: dict[int, list[float]], least: float = 0.0) -> Test:
    """The test of a lead that is given for each target of a position, a phrase each."""
    phrases = len(next(iter(by_position.values())))
    task = task_of(*sorted(by_position) * phrases)
    values = [by_position[position][i] for i in range(phrases) for position in sorted(by_position)]
    second = ranked(task, "context2vec (phrase)", dict.fromkeys(range(5), "1100"))
    first = replace(second, system="PLF (Gupta)", values=second.values + values)
    return chapter.differing_by_position(first, second, least=least, seed=1)


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


def test_frequency_is_above_both_that_are_on_a_par():
    """As the note on the claim says."""
    full = committed("lexical_substitution")
    frequency = full.one(system="Frequency", metric="MAP").value
    gupta, by_context = (full.find(system=name, metric="MAP")[0] for name in ("PLF (Gupta)", C2V[0]))
    assert (gupta.space, by_context.space) == (SPACE, LISTED_IN) and frequency > max(gupta.value, by_context.value)
    assert "frequency alone" in registry()["lexical_substitution"]["gupta-on-par-with-context2vec"]["note"]


# ---------------------------------------------------------------------------------------------------- all together


def check_complete(results: Results, name: str) -> None:
    """Every system in every way, the paper's in all positions; construction, tests, claims."""
    published = {(system, SPACE) for system in CDSMS} | {(system, LISTED_IN) for system in C2V}
    spaces = published | {(system, f"{SPACE}, cosine") for system in CDSMS} | {(system, ALL_SCORED) for system in C2V}
    weights = {(f"PLF + {weight:g} v", SPACE) for weight in chapter.VERB_WEIGHTS}
    spaces |= {("Rest", SPACE), ("Rest", UNIT), ("LemmaSim", UNIT), ("Add", UNIT), ("Frequency", "corpus counts")}
    for place in spaces | weights:
        parts = PARTS if place in published else ("verb", "modifiers", "nouns") if place in weights else ()
        rows = {r.metric: r for r in results.find(system=place[0], space=place[1]) if not r.metric.endswith("seeds")}
        assert set(rows) - {"candidates not listed"} == {"MAP", *(f"MAP: {part}" for part in parts)}, place
        assert all(row.low <= row.value <= row.high and row.n for row in rows.values())
    assert results.one(system="Random", metric="MAP").value == pytest.approx(49 / 72, abs=1e-4)
    last = results.find(system="construction", metric="targets")[-1]
    whole = results.one(system="Add", space=SPACE, metric="MAP")
    assert len(results.find(space="paired")) == 20
    assert [claim.id for claim in results.claims] == IDS
    assert {result.dataset for result in results.results} == {name}
    assert (results.chapter, results.paper) == ("lexical_substitution", "buljan2018")
    if name == "anvan_ls":
        assert last.value == whole.n


def test_the_full_profile_gives_every_figure(world, in_place, tmp_path):
    script.store_other_seeds(in_place, world.corpus)
    whole = chapter.figures(in_place)
    check_complete(whole, "tiny")
    assert whole.profile == "full" and whole.made_with["seed"] == 3
    assert whole.made_with["datasets"] == datasets.used(["coinco", "wikipedia_parsed"])
    assert whole.made_with["corpus"] == world.corpus.fingerprint
    whole.write(tmp_path / "results.json")
    assert len(Results.read(tmp_path / "results.json").results) == len(whole.results)


def test_context2vec_of_other_seeds_has_figures_and_a_say_in_the_claims(world, in_place, monkeypatch):
    with pytest.raises(FileNotFoundError):
        chapter.figures(in_place, subset=True)
    script.store_other_seeds(in_place, world.corpus)
    maps = [
        lexical_substitution.score(models.substitutes(random_model(seed=seed), world.task, sentence=True, listed=9),
                                   world.task)
        for seed in (1, 2, 3)
    ]  # fmt: skip
    by_seed = chapter.scores_by_seed(world.run)
    assert [of.value for scores in by_seed.values() for of in scores if of.system == C2V[1]] == [of.map for of in maps]
    assert all(one is other for one, other in zip(by_seed[1], by_seed[3], strict=True) if one.system not in C2V)
    tried, claims = [], chapter.claims
    monkeypatch.setattr(chapter, "claims", lambda scores, *rest: tried.append(scores) or claims(scores, *rest))
    results = chapter.results_of(world.run, by_seed=by_seed)
    assert tried == list(by_seed.values())
    place = {"system": C2V[1], "space": LISTED_IN}
    spread = [results.one(**place, metric=f"MAP, {name} of seeds").value for name in ("mean", "sd")]
    assert spread == [pytest.approx(of([each.map for each in maps])) for of in (np.mean, partial(np.std, ddof=1))]
    verbs = [each.ap[world.task.positions == 2].mean() for each in maps]
    assert results.one(**place, metric="MAP: verb, mean of seeds").value == pytest.approx(np.mean(verbs))
    with pytest.raises(StorageError, match="other settings, or of another corpus .items."):
        chapter.scores_by_seed(replace(world.run, task=replace(world.task, items=world.task.items[1:])))


# ------------------------------------------------------------------------------------------------ the embedded data


@pytest.fixture(scope="module")
def sample():
    """What the sample profile prepares from the committed counts."""
    return chapter.run(load_profile("sample"))


@pytest.mark.parametrize("profile", ["sample", "full"])
def test_the_committed_results_have_every_figure(profile):
    """What `figures` gives today, the results have; otherwise: python -m cdsm_lib reproduce --write --profile ..."""
    results, settings = committed("lexical_substitution", profile), load_profile(profile)
    check_complete(results, settings["lexical_substitution.dataset"])
    assert results.profile == profile and results.made_with["seed"] == settings["seed"]
    if profile == "sample":
        assert results.made_with["datasets"] == {} and not any(result.published for result in results.results)


def test_the_table_of_differences_states_what_was_run(sample):
    table = {row[0]: row[2] for row in chapter.differences(sample).rows}
    phrases, targets = len(sample.task.phrases), len(sample.task)
    assert table["data set"] == f"anvan_mini: {phrases} phrases, {targets} targets"
    assert table["window; dimensions"] == f"3; {sample.trained.space.d}"
    assert not table["corpus of the vectors"].endswith("16 of it")
    part = replace(sample, profile=sample.profile.replace({"corpus": {"files": 4}}))
    assert chapter.differences(part).rows[0][2].endswith(" million tokens, 4/16 of it")
