"""Chapter 40: similarities of phrases, their figures, the claims, and the closest senses of Table 2."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.chapters import phrase_similarity as chapter
from cdsm_lib.chapters import sense_vectors
from cdsm_lib.chapters.phrase_similarity import ADDITION, AVERAGE, COUNTS, MULTIPLICATION, Prepared, Run
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Cost, Lexicon, Trained
from cdsm_lib.evaluation import ledger as ledger_run
from cdsm_lib.evaluation.results import Results, read_published
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import KINDS, TAGS, Pair, PhraseSimilarity
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors.senses import SenseVectors
from cdsm_lib.vectors.space import Space

RATERS = ("r1", "r2", "r3")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 60)


def pair(number: int, kind: str, words: str, *ratings: float) -> Pair:
    labels = [f"{word}|{tag}" for word, tag in zip(words.split(), TAGS[kind] * 2, strict=True)]
    return Pair(number, kind, tuple(labels[:2]), tuple(labels[2:]), ratings, RATERS[: len(ratings)])


def invented(dataset: str = "ml2010", n: int = 9, seed: int = 4) -> PhraseSimilarity:
    """n pairs of each kind of words w0, w1, ..., whose ratings lie around a value of each pair."""
    rng, pairs = np.random.default_rng(seed), []
    for kind in KINDS:
        for place in range(n):
            words = " ".join(f"w{i}" for i in rng.choice(20, 4, replace=False))
            ratings = np.clip(rng.normal(1 + 6 * place / n, 0.7, 3).round(), 1, 7)
            pairs.append(pair(len(pairs) + 1, kind, words, *ratings.tolist()))
    return PhraseSimilarity(dataset, tuple(pairs))


ONE_KIND = PhraseSimilarity(
    "tiny", (pair(1, "NN", "a b c d", 1, 2), pair(2, "AN", "a b c d", 4, 4), pair(3, "NN", "a c b d", 6, 7),
             pair(4, "NN", "a d b c", 3, 5)),
)  # fmt: skip


# --------------------------------------------------------------------------------------------------------- one system


def random_run(system: str = "some", task: PhraseSimilarity | None = None) -> Run:
    task = task or invented()
    return Run(system, ADDITION, task, np.random.default_rng(1).random(len(task)))


def test_rho_by_hand():
    """Ranks of the similarities 1.5, 1.5, 5.5, 5.5, 3.5, 3.5, of the ratings 1, 2, 5, 6, 3, 4: 16 / sqrt(16 * 17.5)."""
    run = Run("some", ADDITION, ONE_KIND, np.array([0.1, -1.0, 0.9, 0.5]))
    values, pairs = run.of("NN")
    assert values.tolist() == [0.1, 0.9, 0.5] and [p.number for p in pairs] == [1, 3, 4]
    assert run.rho("NN") == pytest.approx(16 / np.sqrt(16 * 17.5))
    assert run.rho("NN", "mean") == pytest.approx(1)


def test_the_kinds_of_an_average_are_drawn_each_for_itself():
    """Three kinds of the same ratings and similarities: were the draws the same, so would be the three rhos."""
    ratings = [p.ratings for p in invented() if p.kind == "NN"]
    pairs = tuple(pair(i, kind, "a b c d", *own) for i, (kind, own) in enumerate(product(KINDS, ratings), 1))
    run = Run("some", ADDITION, PhraseSimilarity("tiny", pairs), np.tile(np.random.default_rng(1).random(9), 3))
    average, single = run.resampled(AVERAGE, "individual", 5), run.resampled("NN", "individual", 5)
    assert average.shape == (60,) and run.rho(AVERAGE) == pytest.approx(run.rho("NN"))
    assert average.std() < 0.85 * single.std()  # 1 / sqrt(3) is expected
    np.testing.assert_array_equal(average, run.resampled(AVERAGE, "individual", 5))
    assert (average != run.resampled(AVERAGE, "individual", 6)).any()


SPACE = Space(["a|ADJ", "b|NOUN", "c|ADJ", "d|NOUN"], np.array([[1, 0], [2, 1], [0, 2], [1, 1]], dtype=np.float32))
AN = PhraseSimilarity("tiny", (pair(1, "AN", "a b c d", 1), pair(2, "AN", "a unknown c d", 2)))


def senses_of(words, starts, names, vectors) -> SenseVectors:
    counts = np.ones(len(names), dtype=int)
    return SenseVectors(Labels(words), np.array(starts), tuple(names), counts, np.array(vectors, dtype=np.float32))


SENSE_VECTORS = senses_of(["a|ADJ"], [0, 2], ["a.1", "a.2"], [[1.0, 0.0], [-2.0, 2.0]])


def test_a_draw_of_equal_similarities_ranks_nothing():
    """Nine pairs of each kind, of which one alone has words with vectors: many draws lack it."""
    run = Run("some", ADDITION, invented(), np.tile([1.0, *[0.0] * 8], 3))
    drawn = run.resampled(KINDS[0], "mean", seed=1)
    assert np.isfinite(drawn).all() and (drawn == 0).mean() > 0.2
    none = Run("none", ADDITION, invented(), np.zeros(27))
    assert none.rho(KINDS[0]) == none.rho(AVERAGE) == 0


def test_similarities_by_hand():
    """(3, 1) and (1, 3): 6/10; without b (1, 0) and (1, 3). Products (2, 0) and (0, 2), and zero."""
    some = Lexicon("some", SPACE)
    added = chapter.similarities(some, AN, ADDITION)
    assert added.tolist() == pytest.approx([0.6, 1 / np.sqrt(10)], abs=1e-9) and added.dtype == np.float64
    assert chapter.similarities(some, AN, MULTIPLICATION).tolist() == [0, 0]


@pytest.mark.parametrize(("strategy", "expected"), [
    ("max", 3 / np.sqrt(10)), ("min", 0.6), ("mean", (0.6 + 3 / np.sqrt(10)) / 2),
])  # fmt: skip
def test_similarities_of_senses_by_hand(strategy, expected):
    """a b is (3, 1) or (0, 3), c d is (1, 3): cosines 6/10 and 9 / (3 sqrt 10)."""
    similar = chapter.similarities(Lexicon("some", SPACE, SENSE_VECTORS), AN, ADDITION, strategy)
    assert similar[0] == pytest.approx(expected, abs=1e-9)


def test_runs_are_of_both_operations_and_with_senses_of_all_strategies():
    lexicons = {WORD2VEC: Lexicon(WORD2VEC, SPACE), SENSES: Lexicon(SENSES, SPACE, SENSE_VECTORS)}
    runs = list(chapter.runs_of(lexicons, AN))
    assert [(run.system, run.space) for run in runs] == [
        (system, operation)
        for system in (WORD2VEC, "senses, max", "senses, min", "senses, mean")
        for operation in (ADDITION, MULTIPLICATION)
    ]
    assert runs[4].similarity[0] == pytest.approx(0.6)  # min, added


# ------------------------------------------------------------------------------------------------------------ counts


def test_counts_of_the_sample_profile_are_those_distilled(monkeypatch):
    counts = Counts(sparse.csr_array(np.array([[4, 0], [2, 2]])), Labels(["a|NOUN", "b|NOUN"]), Labels(["x", "y"]))
    monkeypatch.setattr(chapter.training_counts, "load", lambda folder: SimpleNamespace(counts={"Count": counts}))
    found = chapter.counted(Profile("sample", {}), ["a|NOUN"])
    np.testing.assert_allclose(found.space.vectors, [[4 / 3, 0], [2 / 3, 2]], rtol=1e-6)


# ----------------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(("system", "space", "kind", "number"), [
    (GOOGLE, ADDITION, "AN", 0.47), (GOOGLE, ADDITION, AVERAGE, 0.46), (DEP2VEC, ADDITION, "AN", 0.48),
    ("senses, max", ADDITION, "VO", 0.32), ("senses, min", ADDITION, "NN", 0.12),
    ("senses, mean", ADDITION, AVERAGE, 0.39), (COUNTS, MULTIPLICATION, "NN", 0.49), (COUNTS, MULTIPLICATION, AVERAGE,
     None), (GOOGLE, MULTIPLICATION, "AN", None), (COUNTS, ADDITION, "AN", None), (WORD2VEC, ADDITION, "AN", None),
])  # fmt: skip
def test_published_numbers_stand_beside_the_systems_that_they_are_of(system, space, kind, number):
    assert chapter.published(system, space, kind, "ml2010") == number
    assert chapter.published(system, space, kind, "phrase_pairs") is None


def test_run_results_have_what_the_page_shows():
    run = random_run(GOOGLE)
    results = {(r.split, r.metric): r for r in chapter.run_results(run, 3)}
    assert set(results) == {(k, rho) for k in (*KINDS, AVERAGE) for rho in chapter.METRICS.values()}
    assert results["NN", "rho"].value == run.rho("NN") and results["NN", "rho"].n == 9
    assert results[AVERAGE, "rho"].value == pytest.approx(np.mean([run.rho(kind) for kind in KINDS]))
    assert results[AVERAGE, "rho"].n == 27 and results[AVERAGE, "rho"].published == 0.46
    assert results[AVERAGE, "rho with mean ratings"].published is None
    assert all(r.low <= r.value <= r.high and r.low < r.high for r in results.values())
    expected = np.quantile(run.resampled("VO", "individual", 3), [0.025, 0.975]).tolist()
    assert [results["VO", "rho"].low, results["VO", "rho"].high] == pytest.approx(expected)
    multiplied = replace(run, space=MULTIPLICATION)
    assert [r.split for r in chapter.run_results(multiplied, 3)] == [AVERAGE]
    assert [r.split for r in chapter.run_results(replace(multiplied, system=COUNTS), 3)] == [*KINDS, AVERAGE]


def test_data_results_count_pairs_and_ratings_and_tell_how_well_people_do():
    task = invented()
    found = {(r.system, r.split, r.metric): r for r in chapter.data_results(task)}
    assert found["data", "AN", "ratings"].value == 27
    ceiling = phrase_similarity.human_ceiling(task.of("AN"))
    human = found["human", "AN", "rho with the others"]
    assert human.value == pytest.approx(ceiling.mean()) and human.n == 3
    assert found["mean rating", "AN", "rho"].value == phrase_similarity.best_possible(task.of("AN"))
    graded = PhraseSimilarity("g", tuple(pair(p.number, p.kind, "a b c d", p.ratings[0]) for p in task))
    assert {r.system for r in chapter.data_results(graded)} == {"data"}


def test_coverage_counts_unknown_words_and_vectors():
    """Of a, b, c, d and unknown one is unknown; a has two vectors, the others one."""
    lexicons = {"plain": Lexicon("plain", SPACE), SENSES: Lexicon(SENSES, SPACE, SENSE_VECTORS)}
    values = {(r.system, r.metric): (r.value, r.n) for r in chapter.coverage_results(AN, lexicons)}
    assert values == {
        ("plain", "unknown words"): (1, 5), (SENSES, "unknown words"): (1, 5), (SENSES, "vectors a word"): (6 / 5, 5)
    }  # fmt: skip


def test_spellings_are_those_of_the_task(monkeypatch):
    """*colour* is known as *color* alone, so the British spelling has no vector."""
    monkeypatch.setattr(chapter, "RESAMPLES", 3)
    space = Space(["color", "b", "c"], np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32))
    google, bare = (Lexicon(GOOGLE, space.subset(rows), plain=True) for rows in (["color", "b", "c"], ["b", "c"]))
    words = {"b colour c b": 1, "c c b b": 3, "b c c colour": 2, "c c c b": 3, "b b c c": 2, "c b b c": 1}
    pairs = [pair(i, kind, *row) for i, (kind, row) in enumerate(product(KINDS, words.items()), 1)]
    task = PhraseSimilarity("ml2010", tuple(pairs))
    row = chapter.spelling_result(google, task, 3)
    assert (row.space, row.split, row.published) == ("addition, British spellings", AVERAGE, None)
    british = chapter.similarities(bare, task, ADDITION)
    assert row.value == Run("x", ADDITION, task, british).rho(AVERAGE)
    assert (chapter.similarities(google, task, ADDITION) != british).any()


def test_the_dissimilar_third_is_that_of_each_kind():
    ratings = {"AN": (7, 1, 5, 2, 6, 4), "NN": (2, 2, 2), "VO": (3, 1, 2, 4)}
    pairs = [(kind, rating) for kind in KINDS for rating in ratings[kind]]
    task = PhraseSimilarity("x", tuple(pair(i, k, "a b c d", r) for i, (k, r) in enumerate(pairs, 1)))
    assert np.flatnonzero(chapter.dissimilar(task)).tolist() == [1, 3, 6, 10]
    run = Run(f"{SENSES}, max", ADDITION, task, np.arange(13) / 13, SENSES)
    others = [replace(run, vectors=GOOGLE), replace(run, space=MULTIPLICATION, vectors=WORD2VEC)]
    low, high = chapter.lift_results([run, *others])
    assert (low.split, low.n, low.value) == ("dissimilar third", 4, pytest.approx(20 / 13 / 4))
    assert (high.split, high.n, high.value) == ("the others", 9, pytest.approx(58 / 13 / 9))


# ------------------------------------------------------------------------------------------------------------ claims


def made_up(task: PhraseSimilarity, noise: dict[tuple[str, str], float]) -> list[Run]:
    """Systems that know the mean ratings but for some noise; a negative amount turns them round."""
    means, rng = np.array([p.mean for p in task]), np.random.default_rng(8)
    return [
        Run(*name, task, np.sign(amount) * (means + abs(amount) * rng.normal(size=len(task))))
        for name, amount in noise.items()
    ]


AS_PUBLISHED = {
    **{(name, ADDITION): 0.1 for name in (GOOGLE, WORD2VEC, DEP2VEC)},
    **{(name, MULTIPLICATION): 100.0 for name in (GOOGLE, WORD2VEC, DEP2VEC)},
    (f"{SENSES}, mean", ADDITION): 2.5, (f"{SENSES}, max", ADDITION): 8.0, (f"{SENSES}, min", ADDITION): -1.0,
}  # fmt: skip
LIFT = "closest-lifts-dissimilar-pairs"
IDS = ("single-vectors-beat-senses", "mean-beats-closest", "closest-beats-farthest", LIFT, "multiplication-fails")


def verdicts(runs: list[Run]) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in chapter.claims({3: runs}, 3)}


@pytest.mark.parametrize(("changed", "failing"), [
    ({(DEP2VEC, ADDITION): 20.0}, "single-vectors-beat-senses"),
    ({(f"{SENSES}, mean", ADDITION): 60.0, (f"{SENSES}, max", ADDITION): 1.0}, "mean-beats-closest"),
    ({(f"{SENSES}, max", ADDITION): -0.5, (f"{SENSES}, min", ADDITION): 0.5}, "closest-beats-farthest"),
    ({(WORD2VEC, MULTIPLICATION): 0.01, (WORD2VEC, ADDITION): 2.0}, "multiplication-fails"),
])  # fmt: skip
def test_a_claim_fails_where_the_order_is_another(changed, failing):
    assert verdicts(made_up(invented(n=40), AS_PUBLISHED | changed))[failing] == "fails"


@pytest.mark.parametrize(
    ("low", "others", "noise", "verdict"),
    [(0.3, 0.1, 0.05, "holds"), (0.1, 0.3, 0.05, "fails"), (0.2, 0.2, 0.05, "fails"), (0.3, 0.2, 2, "undecided")],
)
def test_the_closest_senses_lift_dissimilar_pairs_more_or_less_than_the_others(low, others, noise, verdict):
    """By half of the lift in the paper's Table 2 at least: else it fails."""
    runs = {(run.system, run.space): run for run in made_up(invented(n=40), AS_PUBLISHED)}
    average = runs[f"{SENSES}, mean", ADDITION]
    dissimilar = chapter.dissimilar(average.task)
    noise = np.random.default_rng(1).normal(scale=noise, size=len(dissimilar))
    lifted = average.similarity + np.where(dissimilar, low, others) + noise
    runs[f"{SENSES}, max", ADDITION] = replace(runs[f"{SENSES}, max", ADDITION], similarity=lifted)
    assert verdicts(list(runs.values()))[LIFT] == verdict


# ---------------------------------------------------------------------------------------------------------- Table 2

HEADER = "number\tsense1\tsense2\tsense3\tsense4\n"


def annotated(tmp_path, monkeypatch, text: str) -> None:
    (tmp_path / "annotations").mkdir(exist_ok=True)
    (tmp_path / "annotations" / "ml2010_senses.tsv").write_text(text, encoding="utf-8")
    monkeypatch.setattr(chapter.datasets, "data_root", lambda: tmp_path)


def test_chosen_senses_are_read_by_the_pairs_number(tmp_path, monkeypatch):
    annotated(tmp_path, monkeypatch, f"{HEADER}7\ta.n.01\tb.n.01\tc.n.02\td.n.01\n12\te.v.01\tf.n.01\tg.v.01\th.n.01\n")
    assert chapter.chosen_senses() == {
        7: ("a.n.01", "b.n.01", "c.n.02", "d.n.01"), 12: ("e.v.01", "f.n.01", "g.v.01", "h.n.01"),
    }  # fmt: skip


def test_the_committed_senses_are_of_six_pairs():
    of_pairs = chapter.chosen_senses().values()
    assert len(of_pairs) == len(read_published("kober2017_table2")["rows"])
    letters = {"".join(sense.split(".")[-2].replace("s", "a") for sense in senses) for senses in of_pairs}
    assert letters <= {"anan", "vnvn"}


@pytest.fixture
def table_2(tmp_path, monkeypatch) -> tuple[Lexicon, PhraseSimilarity]:
    """A pair of the published table (verbs first), and one that is not; verbs have vectors, of the first one two."""
    table = read_published("kober2017_table2")
    first, second, *_ = table["rows"][0]
    task = PhraseSimilarity("ml2010", (
        pair(3, "VO", "a b c d", 7, 7), pair(5, "VO", f"{second} {first}", 1, 2), pair(8, "VO", "c b a d", 3, 4),
    ))  # fmt: skip
    verb, other = (f"{phrase.split()[0]}|VERB" for phrase in (first, second))
    senses = senses_of([verb], [0, 2], ["verb.v.01", "verb.v.02"], np.eye(2))
    space = Space([verb, other, "a|VERB", "c|VERB"], np.array([[1, 1], [1, 0], [3, 4], [1, 0]], dtype=np.float32))
    rows = "5\tother.v.01\tx.n.01\tverb.v.02\ty.n.01\n8\tc.v.01\tb.n.01\ta.v.01\td.n.01\n99\tp\tq\tr\ts\n"
    annotated(tmp_path, monkeypatch, HEADER + rows)
    monkeypatch.setattr(chapter, "read_published", {"kober2017_table2": table}.get)
    return Lexicon(SENSES, space, senses), task


def overestimates(lexicon: Lexicon, task: PhraseSimilarity) -> dict:
    """Value and published number of each figure of Table 2, by pair and how the senses were found."""
    trained = Trained("c", 1, {}, {SENSES: lexicon}, None)
    rows = chapter.overestimate_results(Prepared(task, trained, lexicon))
    return {(r.split, r.system, r.space, r.metric): (r.value, r.published) for r in rows}


def test_overestimates_by_hand(table_2):
    """The closest sense is as the other verb, the chosen one at right angles to it; phrases in either order. A word
    without senses gives way to its one vector."""
    assert overestimates(*table_2) == {
        ("pair 5", SENSES, "closest", "similarity"): (pytest.approx(1), 0.49),
        ("pair 5", SENSES, "chosen by hand", "similarity"): (pytest.approx(0), 0.28),
        ("pair 5", "human", "human", "similarity"): (pytest.approx(1.5 / 7), 0.26),
        ("pair 5", SENSES, "chosen by hand", "senses without a vector"): (3, None),
        ("pair 8", SENSES, "closest", "similarity"): (pytest.approx(0.6), None),
        ("pair 8", SENSES, "chosen by hand", "similarity"): (pytest.approx(0.6), None),
        ("pair 8", "human", "human", "similarity"): (pytest.approx(3.5 / 7), None),
        ("pair 8", SENSES, "chosen by hand", "senses without a vector"): (4, None),
    }


def test_a_chosen_sense_without_a_vector_gives_way_to_the_closest(table_2, tmp_path, monkeypatch):
    annotated(tmp_path, monkeypatch, f"{HEADER}5\tother.v.01\tx.n.01\tverb.v.77\ty.n.01\n")
    values = overestimates(*table_2)
    assert values["pair 5", SENSES, "chosen by hand", "similarity"] == (pytest.approx(1), 0.28)
    assert values["pair 5", SENSES, "chosen by hand", "senses without a vector"] == (4, None)


# ------------------------------------------------------------------------------------------------------- all figures


def vectors_of(task: PhraseSimilarity, *, google: bool, seed: int = 6) -> Trained:
    """Random vectors for the words of a task; of every second word two senses, of the last word none."""
    rng, words = np.random.default_rng(seed), list(task.words)[:-1]

    def space(rows) -> Space:
        return Space(rows, rng.normal(size=(len(rows), 5)).astype(np.float32))

    several, shared = words[::2], space(words)
    names = [f"{word}#{i}" for word in several for i in (1, 2)]
    senses = senses_of(several, np.arange(0, len(names) + 1, 2), names, rng.normal(size=(len(names), 5)))
    lexicons = [Lexicon(WORD2VEC, shared), Lexicon(DEP2VEC, space(words)), Lexicon(SENSES, shared, senses)]
    if google:
        plain = sorted({word.partition("|")[0] for word in words})
        lexicons.insert(0, Lexicon(GOOGLE, space(plain), plain=True))
    costs = [Cost(name, 90.0, 10, 5, 0.1) for name in (WORD2VEC, SENSES)]
    return Trained("a corpus", 100, {}, {lexicon.name: lexicon for lexicon in lexicons}, None, {}, costs)


def loads(monkeypatch, task: PhraseSimilarity, *, full: bool) -> Profile:
    trained = vectors_of(task, google=full)
    counts = Lexicon(COUNTS, trained.lexicons[WORD2VEC].space)
    corpus = SimpleNamespace(fingerprint="a corpus", n_tokens=100)
    for module, name, value in (
        (phrase_similarity, "load", lambda name: {task.dataset: task}[name]),
        (sense_vectors, "vectors", lambda profile: trained),
        (sense_vectors, "google_news", lambda: trained.lexicons[GOOGLE]),
        (chapter, "counted", lambda profile, words: counts),
        (chapter, "chosen_senses", lambda: {1: ("p", "q", "r", "s")}),
        (chapter.datasets, "used", lambda names: dict.fromkeys(names, "a hash")),
        (chapter.training_counts, "wikipedia", lambda files=None: corpus),
    ):
        monkeypatch.setattr(module, name, value)
    return Profile("full" if full else "sample", {"seed": 3, "phrase_similarity": {"dataset": task.dataset}})


def test_all_figures_of_the_full_profile(monkeypatch, tmp_path):
    profile = loads(monkeypatch, invented(), full=True)
    found = chapter.figures(profile)
    assert (found.chapter, found.paper, found.profile) == ("phrase_similarity", "kober2017", "full")
    assert found.made_with["corpus"] == "a corpus" and found.made_with["seed"] == 3
    assert "ml2010" in found.made_with["datasets"]
    assert len({result.key for result in found.results}) == len(found.results)
    systems = {r.system for r in found.find(metric="rho", split=AVERAGE)}
    assert systems == {GOOGLE, WORD2VEC, DEP2VEC, COUNTS, *(f"{SENSES}, {s}" for s in ("max", "min", "mean"))}
    assert tuple(claim.id for claim in found.claims) == IDS
    assert found.one(system=WORD2VEC, metric="minutes").value == 1.5
    assert found.one(system=SENSES, space="closest", split="pair 1")
    assert found.one(system=DEP2VEC, metric="unknown words").value == 1
    assert found.one(system=GOOGLE, space=ADDITION, split="VO", metric="rho").published == 0.45
    found.write(tmp_path / "figures.json")
    assert len(Results.read(tmp_path / "figures.json").results) == len(found.results)
    assert chapter.figures(profile) == chapter.figures(profile, subset=True) == found


def test_figures_and_claims_of_every_seed(monkeypatch, tmp_path):
    task = invented()
    profile = loads(monkeypatch, task, full=True).replace({"vectors": {"seeds": 2}})
    trained = {None: sense_vectors.vectors(profile), 4: vectors_of(task, google=True, seed=7)}
    monkeypatch.setattr(sense_vectors, "vectors", lambda profile, seed=None: trained[seed])
    for place in ("latest", "path"):
        monkeypatch.setattr(ledger_run, place, lambda name: tmp_path / name)
    found = chapter.figures(profile)
    cosines = [chapter.similarities(trained[seed].lexicons[DEP2VEC], task, ADDITION) for seed in (None, 4)]
    rho = [Run(DEP2VEC, ADDITION, task, of).rho("AN") for of in cosines]
    names = {"system": DEP2VEC, "space": ADDITION, "split": "AN"}
    assert found.one(**names, metric="rho, mean of seeds").value == pytest.approx(np.mean(rho), abs=1e-4)
    assert found.one(**names, metric="rho, sd of seeds").value == pytest.approx(np.std(rho, ddof=1), abs=1e-4)
    assert not found.find(system=GOOGLE, metric="rho, sd of seeds")
    del trained[4]  # as a subset it is read, not trained
    assert chapter.figures(profile, subset=True) == found
    with pytest.raises(StorageError, match="other settings.*(vectors)"):
        chapter.figures(profile.replace({"vectors": {"seeds": 2, "new": 1}}), subset=True)


def test_a_claim_that_holds_with_one_seed_alone_is_undecided():
    by_seed = {3: made_up(invented(n=40), AS_PUBLISHED), 4: made_up(invented(n=40), dict.fromkeys(AS_PUBLISHED, 0.3))}
    alone, both = ({claim.id: claim.verdict for claim in chapter.claims(of, 3)} for of in ({3: by_seed[3]}, by_seed))
    changed = [id for id in both if both[id] != alone[id]]
    assert changed and {both[id] for id in changed} == {"undecided"}


