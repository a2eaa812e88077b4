"""Chapter 40: systems, their scores and figures, the claims, and the closest senses of Table 2."""

from itertools import product

import numpy as np
import pytest
from usages import senses_of

from cdsm_lib.chapters import phrase_similarity as chapter
from cdsm_lib.chapters.phrase_similarity import ADDITION, MULTIPLICATION, Prepared
from cdsm_lib.chapters.sense_vectors import SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.evaluation.results import Scores, read_published
from cdsm_lib.tasks.phrase_similarity import KINDS, TAGS, Pair, PhraseSimilarity
from cdsm_lib.vectors.space import Space


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 60)


def pair(number: int, kind: str, words: str, *ratings: float) -> Pair:
    labels = [f"{word}|{tag}" for word, tag in zip(words.split(), TAGS[kind] * 2, strict=True)]
    return Pair(number, kind, tuple(labels[:2]), tuple(labels[2:]), ratings, ("r1", "r2", "r3")[: len(ratings)])


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


def test_the_dissimilar_third_is_that_of_each_kind():
    ratings = {"AN": (7, 1, 5, 2, 6, 4), "NN": (2, 2, 2), "VO": (3, 1, 2, 4)}
    pairs = [(kind, rating) for kind in KINDS for rating in ratings[kind]]
    items = PhraseSimilarity("x", tuple(pair(i, k, "a b c d", r) for i, (k, r) in enumerate(pairs, 1)))
    assert np.flatnonzero(chapter.dissimilar(items)).tolist() == [1, 3, 6, 10]


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
