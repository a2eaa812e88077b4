"""Counter-fitting by hand on two-dimensional vectors, its gradient by finite differences, the linear map, the split."""

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.composition.specialisation import LinearSpecialisation, Objective, counter_fit, distance, split_pairs
from cdsm_lib.vectors.space import Space

NONE = np.empty((0, 2), dtype=np.int64)
PAIR = np.array([[0, 1]])
EQUAL = np.array([[1.0, 0.0], [1.0, 0.0]])
APART = np.array([[1.0, 0.0], [0.6, 0.8]])  # cos .6, d .4


def objective(antonyms=NONE, synonyms=NONE, neighbours=NONE, distances=(), **settings):
    settings = {"weights": (1, 1, 1)} | settings
    return Objective(antonyms, synonyms, neighbours, np.array(distances), **settings)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def cosine_distance(space, u, w):
    u, w = space[u].astype(np.float64), space[w].astype(np.float64)
    return 1 - u @ w / np.linalg.norm(u) / np.linalg.norm(w)


def random_space(n=40, d=5, seed=0, spread=0.5):
    """Words in pairs a0 b0, a1 b1, ... of random lengths; those of a pair are near each other."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(n // 2, d)), 2, axis=0)
    vectors = (centres + spread * rng.normal(size=(n, d))) * rng.uniform(1, 9, size=(n, 1))
    return Space([f"{side}{i}" for i in range(n // 2) for side in "ab"], vectors)


# ------------------------------------------------------------------------------------------------ cost and gradient


@pytest.mark.parametrize(
    "terms, vectors, cost",
    [
        (objective(PAIR), EQUAL, 1),  # equal antonyms cost delta
        (objective(PAIR, weights=(0.1, 1, 1), delta=0.5), EQUAL, 0.05),
        (objective(PAIR), APART, 1 - 0.4),
        (objective(synonyms=PAIR), APART, 0.4),
        (objective(synonyms=PAIR, gamma=0.3), APART, 0.1),
        (objective(neighbours=PAIR, distances=[0.15]), APART, 0.25),
        (objective(neighbours=PAIR, distances=[0.5]), APART, 0),
        (objective(PAIR, PAIR, PAIR, [0.15], weights=(2, 3, 4)), APART, 2 * 0.6 + 3 * 0.4 + 4 * 0.25),
    ],
)
def test_costs_by_hand(terms, vectors, cost):
    assert terms.cost(vectors) == pytest.approx(cost)


def test_gradient_by_hand():
    # dd/du = .6 (1, 0) - (.6, .8) = (0, -.8); dd/dw = .6 (.6, .8) - (1, 0) = (-.64, .48)
    slope = np.array([[0, -0.8], [-0.64, 0.48]])
    np.testing.assert_array_equal(objective(PAIR).gradient(EQUAL), 0)  # nowhere to go
    np.testing.assert_allclose(objective(PAIR).gradient(APART), -slope, atol=1e-15)
    np.testing.assert_allclose(objective(synonyms=PAIR).gradient(APART), slope, atol=1e-15)
    np.testing.assert_allclose(objective(neighbours=PAIR, distances=[0.15]).gradient(APART), slope, atol=1e-15)


@pytest.mark.parametrize(
    "terms, vectors",
    [
        (objective(PAIR), np.eye(2)),
        (objective(synonyms=PAIR, gamma=0.4), APART),
        (objective(neighbours=PAIR, distances=distance(APART, PAIR)), APART),
        (objective(PAIR, weights=(0, 1, 1)), APART),
    ],
)
def test_satisfied_terms_pull_at_nothing(terms, vectors):
    assert len(terms.active(vectors)[0]) == 0


def test_gradient_agrees_with_finite_differences(rng):
    vectors = unit(rng.normal(size=(8, 5)))
    pairs = np.array([(i, j) for i in range(8) for j in range(i + 1, 8)])
    antonyms, synonyms, neighbours = pairs[:10], pairs[5:18], pairs[12:]
    originals = distance(unit(rng.normal(size=(8, 5))), neighbours)
    cost = objective(antonyms, synonyms, neighbours, originals, weights=(0.3, 0.7, 0.5), gamma=0.4, delta=1.2)
    assert 0 < len(cost.active(vectors)[0]) < len(antonyms) + len(synonyms) + len(neighbours)
    step = 1e-6
    numeric = np.empty_like(vectors)
    for place in np.ndindex(vectors.shape):
        moved = np.zeros_like(vectors)
        moved[place] = step
        numeric[place] = (cost.cost(unit(vectors + moved)) - cost.cost(unit(vectors - moved))) / (2 * step)
    np.testing.assert_allclose(cost.gradient(vectors), numeric, atol=1e-8)
    np.testing.assert_allclose((cost.gradient(vectors) * vectors).sum(axis=1), 0, atol=1e-12)  # tangent


# -------------------------------------------------------------------------------------------------- counter-fitting


def test_one_step_by_hand():
    # unit vectors as APART, lengths 2 and 5; weight .5 on the antonyms:
    # u - .5 (0, .8) = (1, -.4), w - .5 (.64, -.48) = (.28, 1.04), both of squared length 1.16; then d > 1
    space = Space(["rise", "fall", "stay"], np.array([[2.0, 0.0], [3.0, 4.0], [-1.0, 0.0]]))
    fitted = counter_fit(space, [("rise", "fall")], weights=(0.5, 0, 0), epochs=1)
    np.testing.assert_allclose(fitted.space["rise"], np.array([2, -0.8]) / np.sqrt(1.16), rtol=1e-6)
    np.testing.assert_allclose(fitted.space["fall"], np.array([1.4, 5.2]) / np.sqrt(1.16), rtol=1e-6)
    np.testing.assert_array_equal(fitted.space["stay"], space["stay"])
    np.testing.assert_allclose(fitted.history, [0.3, 0], atol=1e-7)
    assert list(fitted.words) == ["rise", "fall"] and fitted.space.meta["counter_fitted"] == 2


def test_a_word_moves_by_the_mean_of_its_terms():
    # fall and drop lie on either side of rise, so that what they do to rise cancels out;
    # each of them feels one term alone, as above: (.6, .8) - .5 (.64, -.48)
    space = Space(["rise", "fall", "drop"], np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]]))
    fitted = counter_fit(space, [("rise", "fall"), ("rise", "drop")], weights=(0.5, 0, 0), epochs=1)
    np.testing.assert_allclose(fitted.space["rise"], [1, 0], atol=1e-7)
    np.testing.assert_allclose(fitted.space["fall"], np.array([0.28, 1.04]) / np.sqrt(1.16), rtol=1e-6)
    # with the same vector twice, the mean of two equal terms is one of them
    space = Space(["rise", "fall", "drop"], np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8]]))
    fitted = counter_fit(space, [("rise", "fall"), ("rise", "drop")], weights=(0.5, 0, 0), epochs=1)
    np.testing.assert_allclose(fitted.space["rise"], np.array([1, -0.4]) / np.sqrt(1.16), rtol=1e-6)


def test_descent_on_a_toy():
    space = random_space()
    antonyms = [(f"a{i}", f"b{i}") for i in range(6)]
    fitted = counter_fit(space, antonyms, [("a6", "a7")], radius=0.4, rate=0.05, epochs=30)
    assert fitted.used["neighbours"] > 0 and len(fitted.history) == 31
    assert (np.diff(fitted.history) < 0).all()
    for u, w in antonyms:
        assert cosine_distance(fitted.space, u, w) > cosine_distance(space, u, w)
    assert cosine_distance(fitted.space, "a6", "a7") < cosine_distance(space, "a6", "a7")
    np.testing.assert_allclose(fitted.space.norms, space.norms, rtol=1e-6)


def test_words_outside_the_constraints_are_identical():
    space = random_space()
    before = space.vectors.copy()
    fitted = counter_fit(space, [("a0", "b0"), ("a1", "b1")], radius=1.0)
    assert list(fitted.words) == ["a0", "b0", "a1", "b1"]
    others = [word for word in space.rows if word not in fitted.words]
    np.testing.assert_array_equal(fitted.space.take(others), space.take(others))
    np.testing.assert_array_equal(space.vectors, before)
    assert fitted.space.rows == space.rows


def test_neighbours_hold_a_word_back():
    space = random_space()
    free, held = (counter_fit(space, [("a0", "b1")], weights=(0.1, 0.1, k), radius=0.9, delta=2.0) for k in (0, 0.1))
    assert free.used["neighbours"] == 0 and held.used["neighbours"] > 5
    assert cosine_distance(held.space, "a0", "b0") < cosine_distance(free.space, "a0", "b0")
    assert cosine_distance(held.space, "a0", "b1") < cosine_distance(free.space, "a0", "b1")


def fan(*degrees):
    """Words w0, w1, ... at these angles, and a zero vector."""
    angles = np.radians(degrees)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Space([f"w{i}" for i in range(len(degrees))] + ["nil"], np.vstack([vectors, [[0, 0]]]))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        # cosine distances: 10 degrees .0152, 20 degrees .0603, 30 degrees .134; w0 and w5 are antonyms
        ({"radius": 0.07}, 2 + 1),  # w0: w1 w2; w5: w4
        ({"radius": 0.02}, 1),  # w0: w1
        ({"radius": 0.07, "most_neighbours": 1}, 1 + 1),
        ({"radius": 0.2, "most_neighbours": None}, 3 + 1),  # w0: w1 w2 w3
        ({"radius": 2.0}, 4 + 4),  # all but the antonym and the zero vector
        ({"radius": 0.07, "weights": (0.1, 0.1, 0)}, 0),
    ],
)
def test_neighbours_by_hand(settings, expected):
    fitted = counter_fit(fan(0, 10, 20, 30, 70, 90), [("w0", "w5")], **settings)
    assert fitted.used == {"antonyms": 1, "synonyms": 0, "neighbours": expected}


def test_a_pair_of_neighbours_that_both_move_counts_once():
    fitted = counter_fit(fan(0, 10, 90), [("w0", "w2"), ("w1", "w2")], radius=0.1)
    assert fitted.used["neighbours"] == 1


def test_pairs_that_cannot_be_used_are_counted():
    space = fan(0, 10, 40, 50, 90)
    antonyms = [("w0", "w4"), ("w4", "w0"), ("w0", "w9"), ("w9", "w8"), ("nil", "w1")]
    synonyms = [("w0", "w1"), ("w4", "w0"), ("w7", "w2")]
    fitted = counter_fit(space, antonyms, synonyms)
    assert fitted.used["antonyms"] == 1 and fitted.used["synonyms"] == 1 and fitted.contradictory == 1
    assert fitted.unknown == {"antonyms": 3, "synonyms": 1}
    assert fitted.unknown_words == ("w9", "w8", "nil", "w7")
    assert list(fitted.words) == ["w0", "w1", "w4"]


def test_order_of_the_pairs_does_not_matter():
    space = random_space()
    pairs = [(f"a{i}", f"b{i}") for i in range(6)]
    one = counter_fit(space, pairs, [("a7", "a8")], radius=0.5)
    other = counter_fit(space, [pair[::-1] for pair in pairs[::-1]], iter([("a8", "a7")]), radius=0.5)
    np.testing.assert_allclose(one.space.vectors, other.space.vectors, rtol=1e-5)


@pytest.mark.parametrize(
    ("antonyms", "synonyms", "settings", "message"),
    [
        ([], [], {}, "no constraint to fit: 0 antonym and 0 synonym pairs"),
        ([("up", "down")], [("on", "a0")], {}, "no constraint to fit: 1 antonym and 1 synonym pairs"),
        ([("a0", "a0")], [], {}, "'a0' is paired with itself among the antonym pairs"),
        ([("a0", "b0")], [("a1", "a1")], {}, "'a1' is paired with itself among the synonym pairs"),
        (["ab"], [], {}, "antonym pairs must be two words, not 'ab'"),
        ([("a0", "b0", "a1")], [], {}, "must be two words"),
        ([("a0", "b0")], [], {"weights": (0.1, 0.1)}, "three weights"),
        ([("a0", "b0")], [], {"weights": (0.1, -0.1, 0.1)}, "three weights"),
        ([("a0", "b0")], [], {"delta": 2.5}, "delta is a cosine distance"),
        ([("a0", "b0")], [], {"gamma": -0.1}, "gamma is a cosine distance"),
        ([("a0", "b0")], [], {"radius": float("nan")}, "radius is a cosine distance"),
        ([("a0", "b0")], [], {"rate": 0}, "a rate above 0"),
        ([("a0", "b0")], [], {"epochs": 0}, "1 epoch or more"),
        ([("a0", "b0")], [], {"most_neighbours": 0}, "most_neighbours must be 1 or more"),
    ],
)
def test_bad_input(antonyms, synonyms, settings, message):
    with pytest.raises(ValueError, match=message):
        counter_fit(random_space(), antonyms, synonyms, **settings)


def test_a_sparse_space_is_refused():
    space = random_space()
    with pytest.raises(ValueError, match="needs dense vectors"):
        counter_fit(Space(space.rows, sparse.csr_array(space.vectors)), [("a0", "b0")])


# --------------------------------------------------------------------------------------------------- the linear map


def test_linear_by_hand():
    # one word: x = (1, 0), change y - x = (-1, 1), R = (y - x) x' / (1 + penalty) = [[-.5, 0], [.5, 0]] with penalty 1
    before = Space(["rise", "soar"], np.array([[3.0, 0.0], [4.0, 0.0]]))
    after = Space(["rise"], np.array([[0.0, 5.0]]))
    linear = LinearSpecialisation().fit(before, after, ["rise"], penalty=1)
    np.testing.assert_allclose(linear.matrix, [[0.5, 0], [0.5, 1]])
    assert linear.chosen_penalty == 1
    mapped = linear.apply(before, ["soar"])  # W (4, 0) = (2, 2), at length 4
    np.testing.assert_allclose(mapped["soar"], [np.sqrt(8), np.sqrt(8)], rtol=1e-6)
    np.testing.assert_array_equal(mapped["rise"], before["rise"])
    assert mapped.meta["linearly_specialised"] == 1


def test_linear_recovers_a_rotation(rng):
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    vectors = rng.normal(size=(30, 4))
    words = [f"w{i}" for i in range(30)]
    before, after = Space(words, vectors), Space(words, vectors @ rotation.T)
    linear = LinearSpecialisation().fit(before, after, words[:20], penalty=0)
    np.testing.assert_allclose(linear.matrix, rotation, atol=1e-5)
    np.testing.assert_allclose(linear.apply(before, words[20:]).take(words[20:]), after.take(words[20:]), atol=1e-5)


def test_linear_carries_antonymy_to_words_without_constraints():
    # antonyms differ in the last dimension only, so stretching it is what there is to learn
    rng = np.random.default_rng(1)
    topics = np.repeat(rng.normal(size=(60, 6)), 2, axis=0)
    vectors = np.hstack([topics, np.tile([[0.5], [-0.5]], (60, 1))])
    space = Space([f"{side}{i}" for i in range(60) for side in "ab"], vectors)
    pairs = [(f"a{i}", f"b{i}") for i in range(60)]
    fitted = counter_fit(space, pairs[:40])
    linear = LinearSpecialisation().fit(space, fitted.space, fitted.words)
    others = [word for word in space.rows if word not in fitted.words]
    mapped = linear.apply(fitted.space, others)
    assert np.isfinite(linear.chosen_penalty)
    for u, w in pairs[40:]:
        assert cosine_distance(mapped, u, w) > cosine_distance(space, u, w) + 0.05
    np.testing.assert_array_equal(mapped.take(fitted.words), fitted.space.take(fitted.words))
    np.testing.assert_allclose(mapped.norms, space.norms, rtol=1e-6)


SAME = random_space()


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda linear: LinearSpecialisation().apply(SAME, ["a0"]), ValueError, "call fit first"),
        (lambda linear: linear.fit(SAME, SAME, []), ValueError, "no word to learn from"),
        (lambda linear: linear.fit(SAME, SAME, ["a0", "up"]), KeyError, "no vector: up"),
        (lambda linear: linear.fit(SAME, random_space(d=3), ["a0"]), ValueError, "5 dimensions, the fitted one 3"),
        (lambda linear: linear.apply(SAME, ["up"]), KeyError, "no vector: up"),
        (lambda linear: linear.apply(random_space(d=3), ["a0"]), ValueError, "a dense space of 5 dimensions"),
    ],
)
def test_linear_bad_input(ask, error, message):
    with pytest.raises(error, match=message):
        ask(LinearSpecialisation().fit(SAME, SAME, ["a0", "b0"], penalty=1))


# --------------------------------------------------------------------------------------------------------- the split


def words_of(pairs):
    return {word for pair in pairs for word in pair}


def chains(seed=0, n=100):
    rng = np.random.default_rng(seed)
    return [(f"u{i}", f"w{i}") for i in range(n)] + [(f"w{i}", f"u{i + 1}") for i in rng.choice(n - 1, n // 4, False)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_no_word_on_both_sides(share, seed):
    pairs = chains()
    split = split_pairs(pairs, share, seed)
    assert not words_of(split.training) & words_of(split.held_out)
    assert sorted(split.training + split.held_out) == sorted(pairs)
    assert len(split.training) == pytest.approx(share * len(pairs), abs=1)
    assert split.training == [pair for pair in pairs if pair in split.training]  # in order
    assert split == split_pairs(pairs, share, seed) != split_pairs(pairs, share, seed + 1)


def test_linked_pairs_stay_together():
    # rise-fall-climb are linked through fall, whichever way round the pairs are given
    split = split_pairs([("rise", "fall"), ("open", "close"), ("climb", "fall")], 0.7, seed=3)
    assert sorted(map(sorted, map(words_of, split))) == [["climb", "fall", "rise"], ["close", "open"]]
    assert split.training == [("rise", "fall"), ("climb", "fall")] or split.training == [("open", "close")]
    assert len(split_pairs([("rise", "fall"), ("open", "close")], 0.5).training) == 1  # a share that is met exactly


@pytest.mark.parametrize(
    ("pairs", "share", "message"),
    [
        ([("a", "b"), ("c", "d")], 0, "between 0 and 1, not 0"),
        ([("a", "b"), ("c", "d")], 1, "between 0 and 1, not 1"),
        ([("a", "b"), ("c", "d")], float("nan"), "between 0 and 1, not nan"),
        ([], 0.5, "no pair to divide"),
        ([("a", "b"), ("c", "c")], 0.5, "'c' is paired with itself"),
        ([("a", "b"), ("b", "c"), ("c", "d")], 0.5, "3 pairs in 1 groups"),
        ([("a", "b"), ("c", "d")], 0.4, "2 pairs in 2 groups"),
    ],
)
def test_pairs_that_cannot_be_divided(pairs, share, message):
    with pytest.raises(ValueError, match=message):
        split_pairs(pairs, share)
