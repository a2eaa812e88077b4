"""White (2015): shares, distances and claims on distances that are compared by hand; what is kept; the hand check."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from tagged_sentences import SENTENCE_MODELS, tagged

from cdsm_lib import datasets
from cdsm_lib.chapters import localisation as chapter
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters.localisation import DRAFT_READING, MAIN, PAPER_READING, SEEDED
from cdsm_lib.chapters.sentence_models import ADDITION, BOW, GREEDY, PARSED, PV_DBOW, PV_DM, WEIGHTED, Measured
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import POOLED
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.comparison import compare
from cdsm_lib.evaluation.results import NOT_REPEATED, Result, Results, read_published
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import StorageError, read_npz
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, APART, FAR, NEAR, PARAPHRASE, SYNONYM, Case, Localisation, Version
from cdsm_lib.text.corpus import corpus_from_sentences

RANDOM_NOUN, RANDOM_VERB = localisation.RANDOM_NOUN, localisation.RANDOM_VERB


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 200)
    monkeypatch.setattr(chapter, "FEWEST", 1)


def version(kind: str, level: int, text: str, *changes: tuple[int, str]) -> Version:
    return Version(kind, level, tuple(text.split()), changes)


SENTENCES = (
    tagged("Cars/NNS rise/VBP", sent_id="p001.1"), tagged("Autos/NNS climb/VBP", sent_id="p001.2"),
    tagged("Prices/NNS open/VBP", sent_id="p002.1"), tagged("Costs/NNS start/VBP", sent_id="p002.2"),
)  # fmt: skip
VERSIONS = (
    (
        version(SYNONYM, 1, "Coaches rise", (0, "coach")), version(RANDOM_NOUN, 1, "Costs rise", (0, "cost")),
        version(ANTONYM, 1, "Cars fall", (1, "fall")), version(RANDOM_VERB, 1, "Cars start", (1, "start")),
    ),
    (version(SYNONYM, 1, "Cars climb", (0, "car")),),
    (version(ANTONYM, 1, "Prices close", (1, "close")), version(RANDOM_VERB, 1, "Prices climb", (1, "climb"))),
    (),
)  # fmt: skip


def hand_task(dataset: str = "hand") -> Localisation:
    return Localisation(dataset, SENTENCES, (Case(0, 1), Case(1, 0), Case(2, 3), Case(3, 2)), VERSIONS)


STEPS = [(kind, level) for kind in (SYNONYM, ANTONYM) for level in (1, 2, 3)] + [
    (RANDOM_NOUN, 1),
    (RANDOM_VERB, 1),
]


def pairs(n: int, dataset: str = "hand", sense: str = POOLED) -> Localisation:
    """So many pairs, each with two cases; every sentence has a version of each of `STEPS`."""
    cases = [case for p in range(n) for case in (Case(2 * p, 2 * p + 1), Case(2 * p + 1, 2 * p))]
    versions = tuple(version(*step, "v") for step in STEPS)
    return Localisation(dataset, (tagged("s/NN"),) * (2 * n), tuple(cases), (versions,) * (2 * n), Counter(), sense)


def measured(task: Localisation, system: str, space: str, **distances) -> Measured:
    """Distances of every case, by ``paraphrase``, ``synonym_1`` and so on; NaN for what is not said."""
    step_of = {text: f"{kind.replace(' ', '_')}_{level}" for (_, kind, level), text in task.texts.at.items()}
    missing = [np.nan] * len(task)
    values = [distances.get(step_of.get(b, PARAPHRASE), missing)[a] for a, b in task.pairs.tolist()]
    return Measured(system, space, 0.0, np.array(values, dtype=float))


def rows_of(task, of) -> list[Result]:
    return [score.row(1, 200) for score in chapter.shares(task, of)]


# -------------------------------------------------------------------------------------------------------------- shares


def test_shares_and_ties_by_hand():
    """Of four cases three have a synonym no farther than the paraphrase, one of them just as far."""
    task = pairs(2)
    given = {"paraphrase": [0.5] * 4, "synonym_1": [0.4, 0.5, 0.6, 0.1], "antonym_1": [0.5, 0.5, 0.7, 0.2]}
    rows = rows_of(task, measured(task, BOW, "counts", **given))
    assert {row.metric: row.value for row in rows} == {NEAR: 0.75, FAR: 0.25, APART: 0.75, f"ties: {APART}": 0.25}
    assert {(row.n, row.split, row.level, row.trained) for row in rows} == {(4, "level 1", 1, None)}
    # the two pairs have NEAR 1 and .5: drawn whole, the mean lies from .5 to 1
    assert [(row.low, row.high) for row in rows if row.metric == NEAR] == [(0.5, 1)]
    others = rows_of(task, measured(task, ADDITION, "word2vec", **given))
    assert not any("ties" in row.metric for row in others)
    assert {row.tolerance for row in others} == {chapter.TOLERANCE["few"]}


def test_shares_of_few_cases_are_not_told_and_other_spaces_have_the_first_level(monkeypatch):
    monkeypatch.setattr(chapter, "FEWEST", 3)
    task = pairs(2)
    given = {"paraphrase": [0.5] * 4, "synonym_1": [0.4] * 4, "synonym_2": [0.4, 0.4, 0.4, np.nan],
             "synonym_3": [0.4, np.nan, np.nan, 0.4], "random_noun_1": [0.6] * 4}  # fmt: skip
    main, other = (rows_of(task, measured(task, ADDITION, space, **given)) for space in ("word2vec", "other"))
    main, other = ([row.key[3:] for row in rows] for rows in (main, other))
    assert main == [("level 1", NEAR), ("level 2", NEAR), ("level 1", "random noun > synonym")]
    assert other == [("level 1", NEAR)]


def test_quantiles_of_distances():
    task = pairs(2)
    given = measured(task, BOW, "counts", paraphrase=[0.0, 1.0, 2.0, np.nan], synonym_1=[1] * 4, synonym_3=[9] * 4)
    rows = {(row.split, row.metric): row for row in chapter.distance_rows(task, given)}
    half, most = (rows["paraphrase", f"distance, {q}%"] for q in (50, 95))
    assert (half.value, half.n, half.level) == (1, 3, None) and most.value == pytest.approx(1.9)
    assert rows["synonym 1", "distance, 5%"].level == 1
    assert {split for split, _ in rows} == {"paraphrase", "synonym 1"} and len(rows) == 2 * len(chapter.QUANTILES)


# ------------------------------------------------------------------------------------------------ the corpus in figures


def test_counts_of_the_corpus():
    """Two cases have a noun synonym, two a verb antonym, one both."""
    rows = {(row.metric, row.level): row for row in chapter.count_rows(hand_task("msrpc"), DRAFT_READING)}
    printed = read_published("white2015_later_draft_table2")
    assert printed["columns"] == ["noun synonym", "verb antonym", "overlap"] and len(rows) == 27
    for i, (kind, value) in enumerate({"synonym": 2, "antonym": 2, "both": 1}.items()):
        for level in range(1, 10):
            row = rows[f"cases with {kind}", level]
            assert (row.value, row.published) == (value if level == 1 else 0, printed["rows"][str(level)][i])
            assert row.key[:4] == ("data", DRAFT_READING, "msrpc", f"level {level}")
    assert not any(row.published for row in chapter.count_rows(hand_task("msrpc"), PAPER_READING))


# -------------------------------------------------------------------------------------------------------------- claims

N = 60
SIXTY = pairs(N)


def distances(near, apart) -> dict:
    """Paraphrases at .5; the first `near` of the cases have synonyms nearer, one share a level, and the first `apart`
    have antonyms farther than synonyms; random verbs are farther than both. Both cases of a pair come out alike.
    """
    place = np.repeat(np.arange(N), 2) / N
    synonyms = [np.where(place < share, 0.4, 0.6) for share in near]
    antonym = np.where(place < apart, np.where(synonyms[0] == 0.4, 0.45, 0.7), 0.3)
    levels = {f"synonym_{i}": values for i, values in enumerate(synonyms, 1)}
    return {"paraphrase": np.full(2 * N, 0.5), **levels, "antonym_1": antonym, "random_verb_1": np.full(2 * N, 0.9)}


def systems(tree: dict, others: dict, tree_name: str = PARSED) -> list[Measured]:
    names = (PV_DM, PV_DBOW, BOW, ADDITION, WEIGHTED)
    of_trees = measured(SIXTY, tree_name, "word2vec", **tree)
    return [of_trees, *(measured(SIXTY, name, MAIN[name], **others) for name in names)]


def claims_of(measured) -> dict:
    scores = [score for of in measured for score in chapter.shares(SIXTY, of)]
    return {claim.id: claim for claim in chapter.claims(scores, seed=1)}


ALL_CLAIMS = [
    "one-synonym-stays-near", "more-synonyms-drift-away", "antonyms-hardly-ever-farther", "autoencoder-separates-best",
    "bag-of-words-cannot-separate", "autoencoder-beats-sums", "random-verb-farther-than-antonym",
]  # fmt: skip


HOLDING = [distances((1, 0.6, 0.2), apart) for apart in (1, 0)]
"""Distances of the autoencoder and of the others."""


def test_claims_are_tested_on_the_cases_that_every_system_knows():
    """SIF knows no word of ten cases' antonyms: the claims are as without these cases, and its own share too."""
    best, others = HOLDING
    known = systems(best, others)
    some = {**others, ANTONYM + "_1": np.where(np.arange(2 * N) < 10, np.nan, others["antonym_1"])}
    lost = [*known[:-1], measured(SIXTY, WEIGHTED, "word2vec", **some)]
    scores = [score for of in lost for score in chapter.shares(SIXTY, of)]
    assert chapter.known_cases(scores).tolist() == list(range(10, 2 * N))
    assert {score.metric: len(score.values) for score in chapter.shares(SIXTY, lost[-1]) if score["level"] == 1} == {
        NEAR: 2 * N, FAR: 2 * N - 10, APART: 2 * N - 10, chapter.CONTROLLED: 2 * N - 10
    }  # fmt: skip
    for of, n in ((known, 2 * N), (lost, 2 * N - 10)):
        claims = claims_of(of)
        assert {id: claim.verdict for id, claim in claims.items()} == dict.fromkeys(ALL_CLAIMS, "holds")
        assert {test.n for test in claims["one-synonym-stays-near"].evidence} == {(n,)}


def test_parses_come_first_and_other_spaces_are_no_part_of_the_claims():
    best, others = HOLDING
    more = [(GREEDY, "word2vec", others), (ADDITION, "other", best), (PARSED, "other", others)]
    every = systems(best, others) + [measured(SIXTY, system, space, **given) for system, space, given in more]
    claims = claims_of(every).values()
    assert {claim.id: claim.verdict for claim in claims} == dict.fromkeys(ALL_CLAIMS, "holds")
    names = {name for claim in claims for test in claim.evidence for name in test.names}
    assert not any(name.startswith(GREEDY) for name in names)


# ---------------------------------------------------------------------------------------------------------- hand check


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """Four judgements of the hand-made corpus, two of each kind."""
    monkeypatch.setattr(construction, "CHECKED", 2)
    task, lines = hand_task(), ["\t".join(construction.CHECK_COLUMNS)]
    answers = ["1 1 1 1 1 1", "1 0 1 1 1 0", "0 0 1 0 0 0", "1 1 1 1 1 1"]
    for item, (sentence, altered) in enumerate(construction.for_hand_check(task, 2, 7), 1):
        lines.append("\t".join([*construction.check_fields(item, task, sentence, altered), *answers[item - 1].split()]))
    place = tmp_path / "checked.tsv"
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return SimpleNamespace(task=task, place=place, lines=lines)


def test_the_hand_check_by_hand(checked):
    """Of two synonyms both are grammatical, one keeps the meaning; of two antonyms one and one. The passes agree on
    three of four in either question. Grammatical: 1101 and 1111, by chance 3/4; kappa 0. Meaning: 1001 and 1101, by
    chance 1/2 3/4 + 1/2 1/4 = 1/2; kappa .5."""
    judged = construction.read_hand_check(checked.task, checked.place, seed=7)
    assert [row["kind"] for row in judged] == [SYNONYM, SYNONYM, ANTONYM, ANTONYM]
    answers = [[row[name] for name in construction.CHECK_COLUMNS[5:]] for row in judged]
    assert answers[1:3] == [[True, False, True, True, True, False], [False, False, True, False, False, False]]
    assert {row.key[1:2] + row.key[3:]: row.value for row in chapter.check_rows(judged, 1)} == {
        ("settled", SYNONYM, "grammatical"): 1, ("settled", SYNONYM, "meaning"): 0.5,
        ("settled", ANTONYM, "grammatical"): 0.5, ("settled", ANTONYM, "meaning"): 0.5,
        ("two passes", "grammatical", "kappa"): 0, ("two passes", "meaning", "kappa"): 0.5,
    }  # fmt: skip
    text = checked.place.read_text(encoding="utf-8")  # which holds none of MSRPC
    assert "p001.1" in text and not any(word in text for word in ("Cars", "Coaches", "fall", "rise"))


@pytest.mark.parametrize(
    "line, change, message",
    [
        (0, lambda row: row.replace("item", "number"), "checked.tsv, line 1: the header"),
        (4, lambda row: row.replace("antonym", "synonym"), "checked.tsv, line 5: the construction now makes another"),
        (1, lambda row: row.replace("p001", "p009"), "line 2: the construction now makes another .*; judge it again"),
        (4, lambda row: "", "3 judgements, 4 sentences"),
    ],
)  # fmt: skip
def test_bad_judgements_are_refused_by_file_and_line(checked, line, change, message):
    checked.lines[line] = change(checked.lines[line])
    checked.place.write_text("\n".join(filter(None, checked.lines)) + "\n", encoding="utf-8")
    with pytest.raises(TaskError, match=message):
        construction.read_hand_check(checked.task, checked.place, seed=7)


def test_the_stored_distances_are_of_every_seed_and_system():
    arrays, meta = read_npz(ledger.path(chapter.STORED), chapter.STORED, 1, [])
    assert [*arrays] == [*map(str, ledger.seeds_of(load_profile("full"), "seeds.localisation"))]
    for seed, distances in arrays.items():
        systems = [system for system, *_ in meta["systems"][seed]]
        assert {*systems} >= {*SEEDED} and len(systems) == len(distances)


# ------------------------------------------------------------------------------------------------------------- figures


@pytest.fixture
def small_full(monkeypatch, tmp_path):
    """The full profile with forty pairs of the sample in MSRPC's place; models trained on their sentences."""
    chosen, parsed = localisation.load("paraphrases")
    chosen, facts = chosen[:40], models.lexicon_of("paraphrases")
    sentences = [parsed[id] for pair in chosen for id in pair.ids]
    corpus = corpus_from_sentences(sentences)
    text = models.of_corpus(corpus)
    judged = [
        {"kind": kind, "grammatical_1": True, "grammatical_2": i % 2 == 0, "grammatical": True,
         "meaning_1": False, "meaning_2": i % 3 == 0, "meaning": True}
        for i in range(1, 7) for kind in (SYNONYM, ANTONYM)
    ]  # fmt: skip
    for module, attribute, value in (
        (models, "lexicon_of", lambda name: facts), (models, "tagged", lambda name: (chosen, parsed)),
        (models, "text_of", lambda profile: text), (construction, "read_hand_check", lambda task, seed: judged),
        (datasets, "used", lambda names: {name: "0" * 64 for name in names}), (ledger, "path", ledger.latest),
        (chapter.materials, "wikipedia", lambda: corpus),
    ):  # fmt: skip
        monkeypatch.setattr(module, attribute, value)
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    autoencoder = SENTENCE_MODELS["autoencoder"] | {"trees": ["parsed", "greedy"], "longest": 40}
    settings = SENTENCE_MODELS | {"dataset": "msrpc", "sense": "pooled", "most": 3, "autoencoder": autoencoder}
    return Profile("full", {"localisation": settings, "seed": 1, "seeds": {"localisation": 2}})


@pytest.mark.filterwarnings("ignore")
def test_the_full_profile_trains_every_seed_and_a_quick_run_reads_what_that_left(small_full, tmp_path):
    whole = chapter.run(small_full, quick=False)
    whole.write(tmp_path / "localisation.json")
    assert compare(Results.read(tmp_path / "localisation.json"), whole) == []
    at = {"dataset": "msrpc", "split": "level 1", "metric": NEAR}
    for system in MAIN:
        assert whole.one(system=system, space=MAIN[system], **at).published == chapter.published(system, NEAR, 1)
    assert {row.system for row in whole.find(**at)} == {*MAIN, PARSED + models.MEAN, GREEDY + models.MEAN}
    assert {row.space for row in whole.find(system=PV_DM, **at)} == {"text", chapter.SHORT}
    assert len(whole.find(metric="parameters")) == 5 and len(whole.find(metric="minutes")) == 5
    assert whole.made_with["corpus"] == models.text_of(small_full).fingerprint
    assert "msrpc" in whole.made_with["datasets"]
    # the second seed: mean and deviation are of two shares
    by_seed = chapter.trained_again(small_full, models.task_of(small_full), quick=True)
    task = models.task_of(small_full)
    parsed = [next(of for of in again if of.system == PARSED) for again in by_seed.values()]
    first, second = (chapter.credit(task, of, NEAR, 1).value for of in parsed)
    place = {"system": PARSED, "space": "word2vec", "split": "level 1"}
    mean, sd = (whole.one(metric=f"{NEAR}, {name} of seeds", **place).value for name in ("mean", "sd"))
    assert list(by_seed) == [1, 2] and whole.one(metric=NEAR, **place).value == pytest.approx(first)
    assert (mean, sd) == pytest.approx(((first + second) / 2, abs(first - second) / 2**0.5))
    assert {row.system for row in whole.find(metric=f"{APART}, sd of seeds")} == set(SEEDED)
    # what a quick run leaves out, and what it reads, rests on a training
    quick = chapter.run(small_full, quick=True)
    assert compare(whole, quick, subset=True) == []
    left = {row.key for row in whole.results} - {row.key for row in quick.results}
    assert {key[1] for key in left} == {chapter.SHORT, "training"}
    assert {row.key for row in whole.results if row.trained == NOT_REPEATED} == left
    assert all(row.trained for row in whole.results if row.system in SEEDED)
    assert not any(row.trained for row in whole.results if row.system in (BOW, "data", "hand check"))
    with pytest.raises(StorageError, match="localisation.npz: it was made with other settings.*seeds"):
        chapter.run(small_full.replace({"seeds.localisation": 3}), quick=True)
