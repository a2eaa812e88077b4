"""Chapter 40: systems, their scores and figures, the claims, and the closest senses of Table 2."""

from itertools import product

import numpy as np
import pytest
from usages import senses_of

from cdsm_lib.chapters import phrase_similarity as chapter
from cdsm_lib.chapters.phrase_similarity import ADDITION, MULTIPLICATION, PARTS, Prepared
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.evaluation.results import Scores, read_published
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import AVERAGE, KINDS, TAGS, Pair, PhraseSimilarity
from cdsm_lib.vectors.space import Space


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 60)


def pair(number: int, kind: str, words: str, *ratings: float) -> Pair:
    labels = [f"{word}|{tag}" for word, tag in zip(words.split(), TAGS[kind] * 2, strict=True)]
    return Pair(number, kind, tuple(labels[:2]), tuple(labels[2:]), ratings, ("r1", "r2", "r3")[: len(ratings)])


def invented(n: int = 9) -> PhraseSimilarity:
    """n pairs of each kind of words w0, w1, ..., whose ratings lie around a value of each pair."""
    rng, pairs = np.random.default_rng(4), []
    for number, (kind, place) in enumerate(product(KINDS, range(n)), 1):
        words = " ".join(f"w{i}" for i in rng.choice(20, 4, replace=False))
        ratings = np.clip(rng.normal(1 + 6 * place / n, 0.7, 3).round(), 1, 7)
        pairs.append(pair(number, kind, words, *ratings.tolist()))
    return PhraseSimilarity("ml2010", tuple(pairs))


SPACE = Space(["a|ADJ", "b|NOUN", "c|ADJ", "d|NOUN"], np.array([[1, 0], [2, 1], [0, 2], [1, 1]], dtype=np.float32))
AN = PhraseSimilarity("tiny", (pair(1, "AN", "a b c d", 1), pair(2, "AN", "a unknown c d", 2)))


TWO = senses_of(["a|ADJ"], [0, 2], ["a.1", "a.2"], [[1.0, 0.0], [-2.0, 2.0]])


def prepared_of(items: PhraseSimilarity, *lexicons: Lexicon) -> Prepared:
    return Prepared(items, Trained("a corpus", {}, {lexicon.name: lexicon for lexicon in lexicons}, None))


# ------------------------------------------------------------------------------------------------------------ systems


def test_systems_by_hand():
    """By one vector a b is (3, 1), a alone (1, 0), c d (1, 3): cosines 6/10 and 1 / sqrt 10; products (2, 0), (0, 2).

    By two senses of a, a b is (3, 1) or (0, 3): cosines 6/10 and 9 / (3 sqrt 10) with c d.
    """
    lexicons = {WORD2VEC: Lexicon(WORD2VEC, SPACE), SENSES: Lexicon(SENSES, SPACE, TWO)}
    task = prepared_of(AN, *lexicons.values()).tasks["AN"]
    similar = {}
    for system in chapter.systems(lexicons):
        similar |= {(name, system.space): values for name, values in system.similarities(task).items()}
    names = (WORD2VEC, "senses, max", "senses, min", "senses, mean")
    assert list(similar) == [*product(names, (ADDITION, MULTIPLICATION))]  # the order of the stored similarities
    assert similar[WORD2VEC, ADDITION].tolist() == pytest.approx([0.6, 1 / np.sqrt(10)], abs=1e-9)
    assert similar[WORD2VEC, MULTIPLICATION].tolist() == [0, 0]
    far, near = 0.6, 3 / np.sqrt(10)
    first = [similar[f"senses, {strategy}", ADDITION][0] for strategy in ("max", "min", "mean")]
    assert first == pytest.approx([near, far, (near + far) / 2], abs=1e-9)


# ------------------------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize(("system", "space", "part", "number"), [
    (GOOGLE, ADDITION, "AN", 0.47), (GOOGLE, ADDITION, AVERAGE, 0.46), (DEP2VEC, ADDITION, "AN", 0.48),
    ("senses, max", ADDITION, "VO", 0.32), ("senses, min", ADDITION, "NN", 0.12),
    ("senses, mean", ADDITION, AVERAGE, 0.39), (GOOGLE, MULTIPLICATION, "AN", None), (WORD2VEC, ADDITION, "AN", None),
])  # fmt: skip
def test_published_numbers_stand_beside_the_systems_that_they_are_of(system, space, part, number):
    assert chapter.published(system, space, part, "ml2010") == number
    assert chapter.published(system, space, part, "phrase_pairs") is None


def test_scores_are_those_that_the_page_shows():
    prepared = prepared_of(invented(), Lexicon(WORD2VEC, SPACE))
    composers = [chapter.composer(WORD2VEC, Lexicon(WORD2VEC, SPACE), how) for how in (ADDITION, MULTIPLICATION)]
    similarity = np.random.default_rng(1).random(27)
    scores = list(chapter.scores_of(prepared, composers, [similarity] * 2, seed=3))
    assert [s.split for s in scores if s.space == MULTIPLICATION] == [AVERAGE]
    rows = {(r.split, r.metric): r for r in map(chapter.row, scores) if r.space == ADDITION}
    assert set(rows) == {*product(PARTS, ("rho", "rho with mean ratings")), *product(chapter.THIRDS, ["mean cosine"])}
    assert rows["NN", "rho"].n == 9 and rows[AVERAGE, "rho"].n == 27
    assert rows[AVERAGE, "rho"].value == pytest.approx(np.mean([rows[kind, "rho"].value for kind in KINDS]))
    low = chapter.dissimilar(prepared.items)
    third = rows["dissimilar third", "mean cosine"]
    assert (third.value, third.n, third.low) == (pytest.approx(similarity[low].mean()), 9, None)


def test_the_dissimilar_third_is_that_of_each_kind():
    ratings = {"AN": (7, 1, 5, 2, 6, 4), "NN": (2, 2, 2), "VO": (3, 1, 2, 4)}
    pairs = [(kind, rating) for kind in KINDS for rating in ratings[kind]]
    items = PhraseSimilarity("x", tuple(pair(i, k, "a b c d", r) for i, (k, r) in enumerate(pairs, 1)))
    assert np.flatnonzero(chapter.dissimilar(items)).tolist() == [1, 3, 6, 10]


def test_what_people_reach_and_how_much_there_is():
    """Of a, b, c, d and unknown one is unknown; a has two vectors, the others one."""
    items = invented()
    scores = {(score.system, score.split): score for score in chapter.people(items)}
    assert scores["human", "AN"].values.tolist() == phrase_similarity.human_ceiling(items.of("AN")).tolist()
    assert scores["mean rating", "AN"].value == phrase_similarity.best_possible(items.of("AN"))
    graded = PhraseSimilarity("g", tuple(pair(p.number, p.kind, "a b c d", p.ratings[0]) for p in items))
    assert not list(chapter.people(graded))
    prepared = prepared_of(AN, Lexicon(WORD2VEC, SPACE), Lexicon(SENSES, SPACE, TWO))
    rows = {(r.system, r.metric): (r.value, r.n) for r in chapter.sizes(prepared)}
    assert rows == {
        **{(name, "unknown words"): (1, 5) for name in (WORD2VEC, SENSES)},
        (SENSES, "vectors a word"): (6 / 5, 5),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("low", "others", "noise", "verdict"),
    [(0.3, 0.1, 0.05, "holds"), (0.1, 0.3, 0.05, "fails"), (0.2, 0.2, 0.05, "undecided")],
)
def test_the_closest_senses_lift_dissimilar_pairs_more_or_less_than_the_others(low, others, noise, verdict):
    rng, scores = np.random.default_rng(1), []
    for third, lift, n in zip(chapter.THIRDS, (low, others), (40, 80), strict=True):
        average = rng.random(n)
        for strategy, values in (("mean", average), ("max", average + lift + rng.normal(scale=noise, size=n))):
            scores.append(Scores(f"{SENSES}, {strategy}", ADDITION, "ml2010", third, chapter.COSINE, values=values))
    (claim,) = chapter.claims(scores, 3)
    assert (claim.id, claim.verdict) == ("closest-lifts-dissimilar-pairs", verdict)


# ---------------------------------------------------------------------------------------------------------- Table 2


def test_the_committed_senses_are_of_six_pairs():
    of_pairs = chapter.chosen_senses()
    assert len(of_pairs) == len(read_published("kober2017_table2")["rows"]) and all(type(n) is int for n in of_pairs)
    letters = {"".join(sense.split(".")[-2].replace("s", "a") for sense in senses) for senses in of_pairs.values()}
    assert letters <= {"anan", "vnvn"}


def test_overestimates_by_hand():
    """The closest sense is as the other verb, the chosen one at right angles to it; phrases in either order. A word
    without senses gives way to its one vector, and a chosen sense without a vector to the closest."""
    first, second, *_ = read_published("kober2017_table2")["rows"][0]
    verb, other = (f"{phrase.split()[0]}|VERB" for phrase in (first, second))
    senses = senses_of([verb], [0, 2], ["verb.v.01", "verb.v.02"], np.eye(2))
    space = Space([verb, other, "a|VERB", "c|VERB"], np.array([[1, 1], [1, 0], [3, 4], [1, 0]], dtype=np.float32))
    items = PhraseSimilarity("ml2010", (
        pair(3, "VO", "a b c d", 7, 7), pair(5, "VO", f"{second} {first}", 1, 2), pair(8, "VO", "c b a d", 3, 4),
    ))  # fmt: skip
    prepared = prepared_of(items, Lexicon(SENSES, space, senses))
    by_hand = {5: ("other.v.01", "x.n.01", "verb.v.02", "y.n.01"), 8: ("c.v.01", "b.n.01", "a.v.01", "d.n.01")}
    rows = {(r.split, r.space, r.metric): (r.value, r.published) for r in chapter.overestimates(prepared, by_hand)}
    assert rows == {
        ("pair 5", "closest", "similarity"): (pytest.approx(1), 0.49),
        ("pair 5", "chosen by hand", "similarity"): (pytest.approx(0), 0.28),
        ("pair 5", "human", "similarity"): (pytest.approx(1.5 / 7), 0.26),
        ("pair 5", "chosen by hand", "senses without a vector"): (3, None),
        ("pair 8", "closest", "similarity"): (pytest.approx(0.6), None),
        ("pair 8", "chosen by hand", "similarity"): (pytest.approx(0.6), None),
        ("pair 8", "human", "similarity"): (pytest.approx(3.5 / 7), None),
        ("pair 8", "chosen by hand", "senses without a vector"): (4, None),
    }
    _, right, _, lacking = chapter.overestimates(prepared, {5: ("other.v.01", "x.n.01", "verb.v.77", "y.n.01")})
    assert (right.value, lacking.value) == (pytest.approx(1), 4)
