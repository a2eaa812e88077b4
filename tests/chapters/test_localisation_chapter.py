"""White (2015): shares, distances and claims on distances that are compared by hand; what is kept; the hand check."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tagged_sentences import tagged

from cdsm_lib import datasets
from cdsm_lib.chapters import localisation as chapter
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters.localisation import DRAFT_READING, GOOGLE, MAIN, PUBLISHED_COLUMNS, READINGS, Run, figures
from cdsm_lib.chapters.sentence_models import ADDITION, BOW, GREEDY, PARSED, PV_DBOW, PV_DM
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import FIRST, POOLED
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Result, Results, committed, compare, read_published
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, APART, FAR, NEAR, SYNONYM, Case, Distances, Localisation, Version
from cdsm_lib.vectors.space import Space


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 200)
    monkeypatch.setattr(chapter, "FEWEST", 1)


def version(kind: str, level: int, text: str, *changes: tuple[int, str]) -> Version:
    return Version(kind, level, tuple(text.split()), changes)


SENTENCES = tuple(
    tagged(text, sent_id=id)
    for id, text in {
        "p001.1": "Cars/NNS rise/VBP", "p001.2": "Autos/NNS climb/VBP", "p002.1": "Prices/NNS open/VBP",
        "p002.2": "Costs/NNS start/VBP",
    }.items()
)  # fmt: skip
RANDOM_NOUN, RANDOM_VERB = localisation.RANDOM_NOUN, localisation.RANDOM_VERB
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
    cases = (Case(0, 1), Case(1, 0), Case(2, 3), Case(3, 2))
    return Localisation(dataset, SENTENCES, cases, VERSIONS)


def cases_of_pairs(n: int, dataset: str = "hand", sense: str = POOLED) -> Localisation:
    """So many pairs, each with two cases; no versions, since distances are given."""
    sentences = tuple(tagged(f"s{i}/NN") for i in range(2 * n))
    cases = [case for p in range(n) for case in (Case(2 * p, 2 * p + 1), Case(2 * p + 1, 2 * p))]
    return Localisation(dataset, sentences, tuple(cases), ((),) * (2 * n), Counter(), sense)


def distances_of(paraphrase, **versions) -> Distances:
    """Distances of every case, by ``synonym_1`` and so on."""
    by_kind = {}
    for name, values in versions.items():
        kind, _, level = name.rpartition("_")
        by_kind[kind.replace("_", " "), int(level)] = np.array(values, dtype=float)
    return Distances(np.array(paraphrase, dtype=float), by_kind)


def by_key(results) -> dict:
    rows = {result.key: result for result in results}
    assert len(rows) == len(results)
    return rows


def share_rows(task, run) -> list:
    return chapter.rows_of(chapter.shares(task, run), 1)


# -------------------------------------------------------------------------------------------------------------- shares


def test_shares_and_ties_by_hand():
    """Of four cases three have a synonym no farther than the paraphrase, one of them just as far."""
    task = cases_of_pairs(2)
    found = distances_of([0.5, 0.5, 0.5, 0.5], synonym_1=[0.4, 0.5, 0.6, 0.1], antonym_1=[0.5, 0.5, 0.7, 0.2])
    results = by_key(share_rows(task, Run(BOW, "counts", found)))
    values = {metric: result.value for (*_, metric), result in results.items()}
    assert values == {NEAR: 0.75, FAR: 0.25, APART: 0.75, f"ties: {APART}": 0.25}
    assert {(result.n, result.split, result.level) for result in results.values()} == {(4, "level 1", 1)}
    # the two pairs have NEAR 1 and .5: drawn whole, the mean lies from .5 to 1
    near = results[BOW, "counts", "hand", "level 1", NEAR]
    assert (near.low, near.high) == (0.5, 1)
    others = share_rows(task, Run(ADDITION, "word2vec", found))
    assert not any("ties" in result.metric for result in others)
    assert {result.tolerance for result in others} == {chapter.TOLERANCE["few"]}


def test_shares_of_few_cases_are_not_told_and_other_spaces_have_the_first_level(monkeypatch):
    monkeypatch.setattr(chapter, "FEWEST", 3)
    task = cases_of_pairs(2)
    found = distances_of([0.5] * 4, synonym_1=[0.4] * 4, synonym_2=[0.4, 0.4, 0.4, np.nan],
                         synonym_3=[0.4, np.nan, np.nan, 0.4], random_noun_1=[0.6] * 4)  # fmt: skip
    main, other = ([row.key[3:] for row in share_rows(task, Run(ADDITION, of, found))] for of in ("word2vec", GOOGLE))
    assert main == [("level 1", NEAR), ("level 2", NEAR), ("level 1", "random noun > synonym")]
    assert other == [("level 1", NEAR)]


def one_level(n: int = 4) -> Distances:
    near, far = np.linspace(0, 1, n), np.linspace(1, 0, n)
    return distances_of(near, **{f"{kind}_{level}": far for kind in ("synonym", "antonym") for level in range(1, 10)})


def test_published_shares():
    assert [chapter.published(BOW, metric, 1) for metric in (NEAR, FAR, APART)] == [1.0, 0.0, 0.01]
    assert set(PUBLISHED_COLUMNS) == {PARSED, PV_DM, PV_DBOW, BOW}
    rows = share_rows(cases_of_pairs(2, "msrpc"), Run(BOW, "counts", one_level()))
    assert [row.published for row in rows if row.metric == NEAR][:3] == [1.0, 0.99, 0.95]
    assert not any(row.published for row in rows if row.metric.startswith("ties"))


@pytest.mark.parametrize(
    "task, space",
    [
        (cases_of_pairs(2, "paraphrases"), "counts"),
        (cases_of_pairs(2, "msrpc", FIRST), "counts"),
        (cases_of_pairs(2, "msrpc"), "other counts"),
    ],
)
def test_nothing_is_published_of_other_data_rules_or_spaces(task, space):
    results = share_rows(task, Run(BOW, space, one_level()))
    assert results and not any(result.published is not None for result in results)


@pytest.mark.parametrize("system, space, n, name", [
    (BOW, "counts", 3, "exact"), (ADDITION, GOOGLE, 3, "given vectors"), (ADDITION, "word2vec", 99, "few"),
    (ADDITION, "word2vec", 100, "trained"),
])  # fmt: skip
def test_tolerances(system, space, n, name):
    assert chapter.tolerance_of(Run(system, space, one_level()), n) == chapter.TOLERANCE[name]


def test_quantiles_of_distances():
    task = cases_of_pairs(2)
    found = distances_of([0.0, 1.0, 2.0, 3.0], synonym_1=[1, 1, 1, 1], synonym_3=[9, 9, 9, 9])
    results = by_key(chapter.distance_rows(task, Run(BOW, "counts", found)))
    values = {(split, metric): result.value for (_, _, _, split, metric), result in results.items()}
    assert values["paraphrase", "distance, 50%"] == 1.5 and values["paraphrase", "distance, 25%"] == 0.75
    assert {split for split, _ in values} == {"paraphrase", "synonym 1"}
    assert len(values) == 2 * len(chapter.QUANTILES)


# ------------------------------------------------------------------------------------------------ the corpus in figures


def test_counts_of_the_corpus():
    """Two cases have a noun synonym, two a verb antonym, one both."""
    main, other = READINGS
    results = by_key(chapter.count_rows(hand_task("msrpc"), main))
    table = read_published(chapter.CORPUS_TABLE)
    assert table["columns"] == ["noun synonym", "verb antonym", "overlap"]
    for i, (kind, value) in enumerate({"synonym": 2, "antonym": 2, "both": 1}.items()):
        for level in range(1, 10):
            row = results["data", main, "msrpc", f"level {level}", f"cases with {kind}"]
            assert (row.value, row.published) == (value if level == 1 else 0, table["rows"][str(level)][i])
            assert row.level == level
    assert not any(row.published for row in chapter.count_rows(hand_task("msrpc"), other))


# -------------------------------------------------------------------------------------------- distances that were kept


def test_the_pairs_of_texts_whose_distance_counts():
    task = hand_task()
    texts = localisation.texts(task)
    expected = {(0, 1), (1, 0), (2, 3), (3, 2)} | {(s, place) for (s, _, _), place in texts.at.items()}
    assert chapter.compared_texts(task, texts).tolist() == sorted(map(list, expected))


# -------------------------------------------------------------------------------------------------------------- claims

N = 60


def system_distances(near, apart, far, random=1.0) -> Distances:
    """Paraphrases at .5; the first `near` of the cases have synonyms nearer, and so on; `near` is one share a level.

    Pairs are whole: both cases of a pair come out alike.
    """
    place = np.repeat(np.arange(N), 2) / N
    synonyms = [np.where(place < share, 0.4, 0.6) for share in near]
    is_apart, is_far = place < apart, place >= 1 - far
    below = np.where(is_apart, np.where(synonyms[0] == 0.4, 0.45, 0.7), 0.3)
    above = np.where(is_apart, 0.7, 0.55)
    antonym = np.where(is_far, above, below)
    verb = np.where(place < random, 0.9, 0.1)
    levels = {f"synonym_{i}": values for i, values in enumerate(synonyms, 1)}
    return distances_of(np.full(2 * N, 0.5), **levels, antonym_1=antonym, random_verb_1=verb)


def runs_of(tree: Distances, others: Distances, tree_name: str = PARSED) -> list[Run]:
    names = (PV_DM, PV_DBOW, BOW, ADDITION, models.WEIGHTED)
    return [Run(tree_name, "word2vec", tree), *(Run(name, MAIN[name], others) for name in names)]


def claims_of(runs) -> dict:
    return {
        claim.id: claim for claim in evaluate("localisation", chapter.claim_scores(cases_of_pairs(N), runs), seed=1)
    }


def verdicts(runs) -> dict[str, str]:
    return {id: claim.verdict for id, claim in claims_of(runs).items()}


ALL_CLAIMS = [
    "one-synonym-stays-near", "more-synonyms-drift-away", "antonyms-hardly-ever-farther", "autoencoder-separates-best",
    "bag-of-words-cannot-separate", "autoencoder-beats-sums", "random-verb-farther-than-antonym",
]  # fmt: skip


def levels(best, others, **settings) -> list[Distances]:
    """Distances of the autoencoder and of the others, by how often antonyms lie apart."""
    return [system_distances(settings["near"], apart, settings["far"], settings["random"]) for apart in (best, others)]


@pytest.mark.parametrize("tree, distances, verdict", [
    (PARSED, levels(1, 0, near=(1, 0.6, 0.2), far=0, random=1), "holds"),
    (GREEDY, levels(1, 0, near=(1, 0.6, 0.2), far=0, random=1), "holds"),
    (PARSED, levels(0, 1, near=(0, 0.4, 0.8), far=1, random=0), "fails"),
    # as often as not near; the same at all levels; antonyms farther in just a quarter; all systems alike
    (PARSED, levels(0.05, 0.05, near=(0.5, 0.5, 0.5), far=0.25, random=0.5), "undecided"),
])  # fmt: skip
def test_claims(tree, distances, verdict):
    assert verdicts(runs_of(*distances, tree)) == dict.fromkeys(ALL_CLAIMS, verdict)


def test_claims_are_tested_on_the_cases_that_every_system_knows():
    """SIF knows no word of ten cases' antonyms: the claims are as without these cases, and its own share too."""
    best, others = levels(1, 0, near=(1, 0.6, 0.2), far=0, random=1)
    runs = runs_of(best, others)
    lost = {of: values.copy() for of, values in runs[-1].distances.versions.items()}
    lost[ANTONYM, 1][:10] = np.nan
    runs[-1] = replace(runs[-1], distances=replace(others, versions=lost))
    task, n = cases_of_pairs(N), len(cases_of_pairs(N))
    assert chapter.known_cases(runs).tolist() == [False] * 10 + [True] * (n - 10)
    assert chapter.known_cases(runs[:-1]).all()
    scores = chapter.claim_scores(task, runs)
    assert {len(of.values) for of in scores if of.metric in (NEAR, FAR, APART)} == {n - 10}
    assert verdicts(runs) == dict.fromkeys(ALL_CLAIMS, "holds")
    own = [of for of in chapter.shares(task, runs[-1]) if of.split == "level 1"]
    assert {of.metric: len(of.values) for of in own if of.metric in (NEAR, FAR)} == {NEAR: n, FAR: n - 10}


def test_a_system_that_knows_no_text_has_no_figures_and_the_claims_no_case():
    best, others = levels(1, 0, near=(1, 0.6, 0.2), far=0, random=1)
    nothing = Distances(np.full_like(others.paraphrase, np.nan), {of: np.nan * v for of, v in others.versions.items()})
    runs = runs_of(best, others)
    runs[-1] = replace(runs[-1], distances=nothing)
    task = cases_of_pairs(N)
    assert not chapter.known_cases(runs).any() and chapter.claim_scores(task, runs) == []
    assert claims_of(runs) == {}
    assert chapter.distance_rows(task, runs[-1]) == []
    assert chapter.rows_of(chapter.shares(task, runs[-1]), 1) == []


def test_one_sentence_that_differs_decides_nothing():
    best, others = (system_distances((1, 1 - share, 1 - 2 * share), apart, far=0) for share, apart in
                    ((1 / N, 1 / N), (1 / N, 0)))  # fmt: skip
    found = verdicts(runs_of(best, others))
    assert found["autoencoder-separates-best"] == found["autoencoder-beats-sums"] == "undecided"
    assert found["more-synonyms-drift-away"] == "undecided"


def test_parses_come_first_and_other_spaces_are_no_part_of_the_claims():
    best, others = levels(1, 0, near=(1, 0.6, 0.2), far=0, random=1)
    runs = runs_of(best, others)
    runs += [Run(GREEDY, "word2vec", others), Run(ADDITION, GOOGLE, best), Run(PARSED, "other", others)]
    assert verdicts(runs) == dict.fromkeys(ALL_CLAIMS, "holds")
    names = {name for claim in claims_of(runs).values() for test in claim.evidence for name in test.names}
    assert not any(name.startswith(GREEDY) for name in names)


def test_figures_in_the_claims_are_those_of_the_tables():
    """What the claims quote of the later draft."""
    quoted = {id: claim.published for id, claim in
              claims_of(runs_of(*[system_distances((1, 0.6, 0.2), 0, far=0)] * 2)).items()}  # fmt: skip

    def shown(system, metric, level=1):
        value = chapter.published(system, metric, level)
        return f"{value:.2f}".removeprefix("0") if value else "0"

    for id, metric in (("one-synonym-stays-near", NEAR), ("antonyms-hardly-ever-farther", FAR),
                       ("autoencoder-separates-best", APART)):  # fmt: skip
        assert all(f"{column} {shown(name, metric)}" in quoted[id] for name, column in PUBLISHED_COLUMNS.items())
    for name in (PARSED, BOW):
        drift = ", ".join(shown(name, NEAR, level) for level in (1, 2, 3))
        assert f"{PUBLISHED_COLUMNS[name]} {drift}" in quoted["more-synonyms-drift-away"]


# ---------------------------------------------------------------------------------------------------------- hand check


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """Four judgements of the hand-made corpus, two of each kind."""
    monkeypatch.setattr(chapter, "CHECKED", 2)
    task, lines = hand_task(), ["\t".join(chapter.CHECK_COLUMNS)]
    answers = ["1 1 1 1 1 1", "1 0 1 1 1 0", "0 0 1 0 0 0", "1 1 1 1 1 1"]
    for item, (sentence, altered) in enumerate(construction.for_hand_check(task, 2, 7), 1):
        lines.append("\t".join([*chapter.check_fields(item, task, sentence, altered), *answers[item - 1].split()]))
    place = tmp_path / "checked.tsv"
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return SimpleNamespace(task=task, place=place, lines=lines)


def test_the_hand_check_by_hand(checked):
    """Of two synonyms both are grammatical, one keeps the meaning; of two antonyms one and one. The passes agree on
    three of four in either question. Grammatical: 1101 and 1111, by chance 3/4; kappa 0. Meaning: 1001 and 1101, by
    chance 1/2 3/4 + 1/2 1/4 = 1/2; kappa .5."""
    judged = chapter.hand_check(checked.task, checked.place, seed=7)
    assert [row["kind"] for row in judged] == [SYNONYM, SYNONYM, ANTONYM, ANTONYM]
    answers = [[row[name] for name in chapter.CHECK_COLUMNS[5:]] for row in judged]
    assert answers[1:3] == [[True, False, True, True, True, False], [False, False, True, False, False, False]]
    results = by_key(chapter.check_rows(judged, 1))
    assert {key[3:]: r.value for key, r in results.items() if key[1] == "settled"} == {
        (SYNONYM, "grammatical"): 1, (SYNONYM, "meaning"): 0.5,
        (ANTONYM, "grammatical"): 0.5, (ANTONYM, "meaning"): 0.5,
    }  # fmt: skip
    assert {key[3:]: r.value for key, r in results.items() if key[1] == "two passes"} == {
        ("grammatical", "kappa"): 0, ("meaning", "kappa"): 0.5,
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
        chapter.hand_check(checked.task, checked.place, seed=7)


@pytest.mark.slow
def test_the_committed_judgements_are_of_the_sentences_made_now(mirror):
    profile = load_profile("full")
    judged = chapter.hand_check(models.task_of(profile, sense=FIRST), seed=profile["seed"])
    assert Counter(one["kind"] for one in judged) == {SYNONYM: 50, ANTONYM: 50}
    assert len(chapter.check_rows(judged, 1)) == 6


# ------------------------------------------------------------------------------------------------------------- figures


@pytest.fixture(scope="module")
def sample():
    profile = load_profile("sample")
    return SimpleNamespace(profile=profile, whole=figures(profile))


def test_the_sample_gives_the_committed_figures(sample):
    assert compare(committed("localisation", "sample"), sample.whole) == []
    assert {c.id for c in sample.whole.claims} == {*ALL_CLAIMS}


def test_the_kept_distances_are_of_todays_settings_and_texts(sample):
    task = models.task_of(sample.profile)
    runs = chapter.stored(sample.profile, task, localisation.texts(task))
    assert runs is not None, "the sample's settings or texts changed: run make distil"
    expected = {(system, MAIN[system]) for system in (ADDITION, models.WEIGHTED, PV_DM, PV_DBOW, GREEDY)}
    assert {(run.system, run.space) for run in runs} == expected | {(GREEDY + models.MEAN, "word2vec")}


SMALL = {
    "words": {"dimensions": 6, "window": 3, "negatives": 2, "min_count": 1, "subsample": 0.0, "epochs": 2,
              "rate": 0.025},
    "sif": {"a": 1e-3, "components": 1, "sentences": 40},
    "paragraph_vectors": {"sentences": 99, "dimensions": 3, "window": 2, "min_count": 1, "hs": True, "negatives": 2,
                          "sample": 0.0, "epochs": 1, "rate": 0.025, "draws": 2, "passes": 1},
    "autoencoder": {"trees": ["parsed", "greedy"], "sentences": 40, "held_out": 5, "longest": 40, "epochs": 1,
                    "batch": 20, "rate": 0.003, "penalty": 1e-4},
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What the tests of `small_full` have in common: the cache's folder, and the figures once they are there."""
    return SimpleNamespace(folder=tmp_path_factory.mktemp("cache"), found=None)


@pytest.fixture
def small_full(monkeypatch, kept):
    """The full profile with forty pairs of the sample in MSRPC's place; models trained on their sentences."""
    pairs, parsed = localisation.load("paraphrases")
    pairs, facts = pairs[:40], models.lexicon_of("paraphrases")
    parsed = {id: parsed[id] for pair in pairs for id in pair.ids}
    words = tuple(dict.fromkeys(token.form.lower() for one in parsed.values() for token in one))
    sentences = list(parsed.values())
    text = models.Text(
        Labels(words),
        np.array([words.index(token.form.lower()) for one in sentences for token in one], dtype=np.int32),
        np.cumsum([0, *map(len, sentences)]),
        np.array([token.head - 1 for one in sentences for token in one], dtype=np.int32),
        "sentences of the sample",
    )  # fmt: skip

    def task_of(profile, *, sense=None, seed=None):
        name = profile["localisation.dataset"]
        return construction.build(name, pairs, parsed, facts, sense=sense or POOLED, seed=1, most=3)

    def training_of(profile):
        return models.TrainingCache(text, profile["localisation"], profile["seed"])

    google = Space(words, np.random.default_rng(2).normal(size=(len(words), 5)).astype(np.float32))
    settings = SMALL | {"dataset": "msrpc", "sense": "pooled", "most": 3}
    profile = Profile("full", {"localisation": settings, "seed": 1, "seeds": {"localisation": 2}})
    monkeypatch.setattr(models, "task_of", task_of)
    monkeypatch.setattr(models, "lexicon_of", lambda name: facts)
    monkeypatch.setattr(models, "tagged", lambda name: (pairs, parsed))
    monkeypatch.setattr(models, "training_of", training_of)
    monkeypatch.setattr(ledger, "path", ledger.latest)
    monkeypatch.setenv("CDSM_DATA_CACHE", str(kept.folder))
    monkeypatch.setattr(chapter, "google_news", lambda: google)
    judged = [
        {"kind": kind, "grammatical_1": True, "grammatical_2": i % 2 == 0, "grammatical": True,
         "meaning_1": False, "meaning_2": i % 3 == 0, "meaning": True}
        for i in range(1, 7) for kind in (SYNONYM, ANTONYM)
    ]  # fmt: skip
    monkeypatch.setattr(chapter, "hand_check", lambda task, seed: judged)
    monkeypatch.setattr(datasets, "used", lambda names: {name: "0" * 64 for name in names})
    return profile


@pytest.fixture
def found(small_full, kept):
    """All figures of the small full profile, computed once."""
    kept.found = kept.found or figures(small_full)
    return kept.found


def test_the_full_profile_gives_every_figure_once(found, tmp_path):
    found.write(tmp_path / "localisation.json")
    assert compare(Results.read(tmp_path / "localisation.json"), found) == []
    at = {"dataset": "msrpc", "split": "level 1", "metric": NEAR}
    for system in models.SYSTEMS:
        assert found.one(system=system, space=MAIN[system], **at).published == chapter.published(system, NEAR, 1)
    assert {r.system for r in found.find(**at)} == {*models.SYSTEMS, PARSED + models.MEAN, GREEDY + models.MEAN}
    assert {r.space for r in found.find(system=ADDITION, **at)} == {"word2vec", GOOGLE}
    assert {r.space for r in found.find(system=PV_DM, **at)} == {"text", chapter.SHORT}
    assert found.one(system=PARSED, space="loss", split="epoch 1", metric="held out").value > 0
    assert len(found.find(metric="parameters")) == 5 and len(found.find(metric="minutes")) == 5
    assert len([r for r in found.results if r.quantile]) == len(models.SYSTEMS) * 9 * 5
    assert found.made_with["corpus"] == "sentences of the sample" and "msrpc" in found.made_with["datasets"]


def test_models_of_other_seeds(small_full, found, monkeypatch):
    """Both are trained; mean and deviation are of two shares."""
    task = models.task_of(small_full)
    asked = {"task": task, "texts": localisation.texts(task), "subset": False}
    trained = []
    training_of = models.training_of
    monkeypatch.setattr(models, "training_of", lambda profile: trained.append(profile["seed"]) or training_of(profile))
    by_seed = chapter.trained_runs(small_full, **asked)
    assert list(by_seed) == trained == [1, 2]
    shares = [
        chapter.credit(task, next(run for run in runs if run.system == PARSED), NEAR, 1).value
        for runs in by_seed.values()
    ]
    names = {"system": PARSED, "space": "word2vec", "dataset": "msrpc", "split": "level 1"}
    first, mean, sd = (
        found.one(metric=metric, **names).value for metric in (NEAR, f"{NEAR}, mean of seeds", f"{NEAR}, sd of seeds")
    )
    assert shares[0] == first and mean == pytest.approx(sum(shares) / 2)
    assert sd == pytest.approx(abs(shares[0] - shares[1]) / 2**0.5)
    assert {r.system for r in found.find(metric=f"{APART}, sd of seeds")} == set(chapter.SEEDED)
    with pytest.raises(StorageError, match="localisation.npz: it was made with other settings.*seeds"):
        chapter.trained_runs(small_full.replace({"seeds.localisation": 3}), **asked | {"subset": True})


@pytest.mark.filterwarnings("ignore")
def test_what_is_distilled_is_what_the_tables_take(small_full, tmp_path, monkeypatch):
    """The same training gives the same bytes; what is stored gives the shares of the vectors themselves, and nothing
    where settings or texts are others."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    settings = small_full["localisation"] | {"dataset": "paraphrases"}
    settings["autoencoder"] = settings["autoencoder"] | {"trees": ["greedy"]}
    profile = Profile("sample", {"localisation": settings, "seed": 1})
    monkeypatch.setattr(chapter, "load_profile", lambda name: profile)
    for folder in ("first", "second"):
        chapter.distil(tmp_path / folder)
    distances, autoencoder = (tmp_path / "first" / name for name in (models.STORED, models.STORED_MODEL))
    assert set((tmp_path / "first").iterdir()) == {distances, autoencoder}
    for path in (distances, autoencoder):
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()
    task = models.task_of(profile)
    texts = localisation.texts(task)
    runs = chapter.stored(profile, task, texts, distances)
    trained = chapter.trained_systems(profile, models.training_of(profile), task, texts)
    for run, embedded in zip(runs, trained, strict=True):
        assert (run.system, run.space, run.unknown) == (embedded.system, embedded.space, embedded.unknown)
        expected = chapter.run_of(task, texts, embedded).distances
        np.testing.assert_allclose(run.distances.paraphrase, expected.paraphrase, atol=1e-6)
        assert set(run.distances.versions) == set(expected.versions)
        for key, values in expected.versions.items():
            np.testing.assert_allclose(run.distances.versions[key], values, atol=1e-6)
    model, leaves = models.stored_autoencoder(autoencoder)
    again = chapter.run_of(task, texts, next(models.encoded(task, texts, model, leaves, "greedy")))
    first = next(run for run in runs if (run.system, run.space) == (GREEDY, "word2vec"))
    difference = np.abs(again.distances.paraphrase - first.distances.paraphrase)
    assert np.median(difference) < 0.01  # half precision may turn a greedy choice

    fewer = replace(task, versions=(task.versions[0][:1], *task.versions[1:]))
    assert chapter.stored(profile.replace({"seed": 2}), task, texts, distances) is None
    assert chapter.stored(profile, fewer, localisation.texts(fewer), distances) is None


# ------------------------------------------------------------------------------------------------ for tables and charts


def test_what_charts_show_is_taken_from_the_rows():
    def row(system, metric, split, value, n=40, published=None, **columns):
        interval = {"low": value - 0.1, "high": value + 0.1} if metric == NEAR else {}
        return Result(system, MAIN[system], "msrpc", split, metric, value, n=n, published=published, **interval,
                      columns=columns)  # fmt: skip

    rows = [row(ADDITION, NEAR, "level 1", 0.5, level=1), row(ADDITION, NEAR, "level 2", 0.4, level=2)]
    rows += [row(BOW, NEAR, f"level {level}", 0.1 * level, level=level, published=0.3) for level in (1, 2)]
    rows += [row(BOW, f"distance, {q}%", "synonym 1", q / 100, kind=SYNONYM, level=1, quantile=q) for q in (5, 50)]
    results = Results("localisation", "white2015", "full", results=tuple(rows))
    series, printed = chapter.level_series(results, NEAR)
    assert list(series) == [BOW, ADDITION] and list(series[ADDITION]) == [1, 2] and printed == {BOW: {1: 0.3, 2: 0.3}}
    assert series[BOW][2] == pytest.approx((0.2, 0.1, 0.3))
    assert chapter.quantile_panels(results) == {BOW: {SYNONYM: {"synonym 1": [0.5, 0.05]}}}
    columns, ((system, printed, ours, *_),) = chapter.main_lines([BOW], results)
    assert columns[1:3] == (f"published: {NEAR}", f"ours: {NEAR}")
    assert (system, printed, ours) == (BOW, "1.00", "0.100 [0.000, 0.200]")


def test_the_table_of_counts():
    rows = [
        Result("data", reading, "msrpc", f"level {level}", f"cases with {kind}", level + more, published=7,
               columns={"level": level})
        for more, reading in ((10, DRAFT_READING), (20, chapter.PAPER_READING)) for kind in chapter.COUNTED
        for level in range(1, 10)
    ]  # fmt: skip
    columns, lines = chapter.counted_lines(Results("localisation", "white2015", "full", results=tuple(rows)))
    assert columns[:4] == ("level", "synonym: published", "synonym: nearest", "synonym: section 3.6")
    assert len(lines) == 9 and lines[1] == (2, *(7, 12, 22) * 3)
