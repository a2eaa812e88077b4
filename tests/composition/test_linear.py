"""Ridge regression, generalised cross-validation, lexical functions and the full additive model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from cdsm_lib.composition.linear import (
    PENALTIES,
    EdgePenaltyWarning,
    FullAdditive,
    LexicalFunction,
    PairGroups,
    RowMatrices,
    batched_ridge,
    gcv_ridge,
    log_count_weights,
    ridge,
)
from cdsm_lib.labels import Labels

X1, Y1 = np.array([[1.0], [2.0]]), np.array([[2.0], [3.0]])
COUNTS = np.exp([1.0, 2.0])  # their logarithms are 1 and 2


def problem(seed, n, d, outputs=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((n, outputs)), rng.uniform(0.1, 3, n)


# The worked example of the specification, x = (1, 2), y = (2, 3), ln counts (1, 2), penalty 1:
#   rows scaled by ln count, squared-error weights 1 and 4: (1*1*2 + 4*2*3) / (1*1 + 4*4 + 1) = 26/18 = 1.4444
#   weighted once, 1 and 2:                                  (1*1*2 + 2*2*3) / (1*1 + 2*4 + 1) = 14/10 = 1.4
#   not weighted:                                            (1*2 + 2*3) / (1 + 4 + 1)         = 8/6   = 1.3333
@pytest.mark.parametrize("how, expected", [("code", 26 / 18), ("text", 1.4), ("none", 8 / 6)])
def test_worked_example(how, expected):
    weights = log_count_weights(COUNTS, how)
    assert ridge(X1, Y1, 1.0, weights).item() == pytest.approx(expected, abs=1e-12)


def test_code_weighting_is_scaling_the_rows():
    X, Y, _ = problem(1, 12, 4)
    counts = np.arange(2, 14)
    scale = np.log(counts)[:, None]
    np.testing.assert_allclose(
        ridge(X, Y, 2.0, log_count_weights(counts, "code")), ridge(scale * X, scale * Y, 2.0), rtol=1e-10
    )


@pytest.mark.parametrize("how", ["code", "text"])
def test_a_pair_seen_once_weighs_nothing(how):
    X, Y, _ = problem(2, 6, 3)
    counts = np.array([5, 1, 9, 2, 1, 3])
    weights = log_count_weights(counts, how)
    once = counts == 1
    assert np.all((weights == 0) == once)
    np.testing.assert_array_equal(ridge(X, Y, 1.0, weights), ridge(X[~once], Y[~once], 1.0, weights[~once]))


def test_weights_of_bad_counts():
    for counts in ([2, 0], [2, np.nan], [-1]):
        with pytest.raises(ValueError, match="1 or more"):
            log_count_weights(counts)
    with pytest.raises(ValueError, match="code, text, none"):
        log_count_weights([2], "log")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 20), st.integers(1, 12), st.floats(1e-3, 1e3))
def test_equals_scikit_learn(seed, n, d, penalty):
    X, Y, weights = problem(seed, n, d)
    expected = Ridge(alpha=penalty, fit_intercept=False).fit(X, Y, sample_weight=weights).coef_
    np.testing.assert_allclose(ridge(X, Y, penalty, weights), expected, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 15), st.integers(1, 15))
def test_least_squares_as_the_penalty_vanishes(seed, n, d):
    X, Y, _ = problem(seed, n, d)
    least_squares = np.linalg.lstsq(X, Y, rcond=None)[0].T  # of least norm, if there are many
    np.testing.assert_allclose(ridge(X, Y, 0.0), least_squares, atol=1e-8)
    scale = np.linalg.svd(X, compute_uv=False).min() ** 2
    np.testing.assert_allclose(ridge(X, Y, 1e-10 * scale), least_squares, rtol=1e-6, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.permutations(range(9)))
def test_order_of_the_rows_does_not_matter(seed, order):
    X, Y, weights = problem(seed, 9, 5)
    np.testing.assert_allclose(
        ridge(X, Y, 0.5, weights), ridge(X[order], Y[order], 0.5, weights[list(order)]), atol=1e-12
    )


def test_primal_and_dual_meet():
    X, Y, weights = problem(3, 8, 8)  # primal; the normal equations of the other side by hand:
    K = weights[:, None] ** 0.5 * X
    dual = (weights[:, None] ** 0.5 * Y).T @ np.linalg.inv(K @ K.T + 2 * np.eye(8)) @ K
    np.testing.assert_allclose(ridge(X, Y, 2.0, weights), dual, atol=1e-12)


def test_collinear_rows_without_penalty():
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    Y = np.array([[5.0], [10.0], [15.0]])  # least norm: w = (1, 2), since w is along (1, 2) and 1 + 4 = 5
    np.testing.assert_allclose(ridge(X, Y, 0.0), [[1.0, 2.0]], atol=1e-12)


def test_no_weight_at_all_gives_the_zero_matrix():
    assert ridge(X1, Y1, 1.0, [0.0, 0.0]).tolist() == [[0.0]]


def test_recovers_a_planted_matrix():
    rng = np.random.default_rng(4)
    W, X = rng.standard_normal((5, 6)), rng.standard_normal((200, 6))
    np.testing.assert_allclose(ridge(X, X @ W.T, 1e-8), W, atol=1e-8)


@pytest.mark.parametrize(
    "X, Y, penalty, weights, message",
    [
        ([[1.0]], [[1.0], [2.0]], 1, None, r"shapes are \(1, 1\) and \(2, 1\)"),
        ([1.0], [1.0], 1, None, "shapes"),
        ([[np.nan]], [[1.0]], 1, None, "NaN"),
        ([[1.0]], [[np.inf]], 1, None, "infinity"),
        ([[1.0]], [[1.0]], -1, None, "penalty"),
        ([[1.0]], [[1.0]], np.nan, None, "penalty"),
        ([[1.0]], [[1.0]], 1, [-1.0], "weights of 0 or more"),
        ([[1.0]], [[1.0]], 1, [1.0, 2.0], "one for each row"),
        ([[1.0]], [[1.0]], 1, [np.nan], "finite weights"),
    ],
)
def test_bad_input(X, Y, penalty, weights, message):
    with pytest.raises(ValueError, match=message):
        ridge(X, Y, penalty, weights)


# --- many at once


def test_batched_equals_one_by_one():
    groups = [problem(seed, n, 6) for seed, n in enumerate([3, 6, 20, 1, 9])] + [(*problem(9, 5, 6)[:2], None)]
    expected = [ridge(*group[:2], 2.0, group[2]) for group in groups]
    for threads in (1, 2):
        np.testing.assert_allclose(batched_ridge(groups, 2.0, threads=threads), expected, atol=1e-12)
    assert batched_ridge(groups, 2.0, dtype=np.float32).dtype == np.float32


def test_batched_bad_input():
    with pytest.raises(ValueError, match="no group"):
        batched_ridge([], 1.0)
    with pytest.raises(ValueError, match="agree in dimensions"):
        batched_ridge([problem(0, 4, 3), problem(0, 4, 2)], 1.0)
    with pytest.raises(ValueError, match="group 1: .*NaN"):
        batched_ridge([problem(0, 4, 2), ([[np.nan, 1]], [[1.0, 1, 1]], None)], 1.0)


# --- generalised cross-validation


def test_gcv_by_hand():
    # x = (1, 2), y = (2, 3), penalty 1: w = 8/6, residuals 2 - 4/3 = 2/3 and 3 - 8/3 = 1/3, their squares 5/9;
    # trace of A = 5/6, tr(I - A) = 7/6. V = (5/9 / 2) / (7/6 / 2)^2 = (5/18) (144/49) = 40/49.
    W, penalty, scores = gcv_ridge(X1, Y1, [1.0])
    assert (W.item(), penalty) == (pytest.approx(8 / 6), 1.0)
    assert scores.tolist() == [pytest.approx(40 / 49)]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 15), st.integers(1, 10))
@pytest.mark.filterwarnings("ignore::cdsm_lib.composition.linear.EdgePenaltyWarning")
def test_gcv_equals_the_definition(seed, n, d):
    X, Y, weights = problem(seed, n, d)
    W, best, scores = gcv_ridge(X, Y, PENALTIES, weights)
    X, Y = weights[:, None] ** 0.5 * X, weights[:, None] ** 0.5 * Y
    for penalty, score in zip(PENALTIES, scores, strict=True):
        left = np.eye(n) - X @ np.linalg.inv(X.T @ X + penalty * np.eye(d)) @ X.T
        if penalty >= 1e-2:  # below, the inverse of the definition loses digits
            assert score == pytest.approx((((left @ Y) ** 2).sum() / n) / (np.trace(left) / n) ** 2, rel=1e-6)
    assert best == PENALTIES[int(np.argmin(scores))]
    np.testing.assert_allclose(W, ridge(X, Y, best), atol=1e-8)


def test_gcv_reaches_beyond_five_and_is_near_the_truth():
    # Noise variance 4 a cell, matrix variance 1/25 a cell: the Bayes penalty is their ratio, 100.
    rng = np.random.default_rng(5)
    W = rng.standard_normal((20, 30)) / 5
    X = rng.standard_normal((60, 30))
    found = gcv_ridge(X, X @ W.T + 2 * rng.standard_normal((60, 20)), 10.0 ** np.arange(-2, 5, 0.5))
    assert 30 < found.penalty < 400


def test_gcv_warns_at_the_edge():
    rng = np.random.default_rng(6)
    X, noise = rng.standard_normal((20, 5)), rng.standard_normal((20, 4))
    with pytest.warns(EdgePenaltyWarning, match="1 at 5"):
        gcv_ridge(X, noise, [0.1, 1, 5])
    with pytest.warns(EdgePenaltyWarning, match="1 at 0.1"):
        gcv_ridge(X, X[:, :2], [0.1, 1, 5])


def test_gcv_bad_input():
    for penalties in ([], [0.0, 1.0], [-1.0], [np.inf]):
        with pytest.raises(ValueError, match="above 0"):
            gcv_ridge(X1, Y1, penalties)
    with pytest.raises(ValueError, match="no row"):
        gcv_ridge(X1, Y1, [1.0], [0.0, 0.0])


# --- models


def adjectives():
    rng = np.random.default_rng(7)
    true = {"red": rng.standard_normal((3, 4)), "old": rng.standard_normal((3, 4))}
    training = {}
    for name, W in true.items():
        nouns = rng.standard_normal((50, 4))
        training[name] = (nouns, nouns @ W.T, rng.integers(2, 9, 50))
    training["rare"] = (rng.standard_normal((2, 4)), rng.standard_normal((2, 3)), np.array([1, 5]))
    return true, training


def test_lexical_function():
    true, training = adjectives()
    model = LexicalFunction(penalty=1e-6, min_pairs=2, dtype=np.float64).fit(training)
    assert model.functors == Labels(["red", "old"])
    assert model.left_out == ("rare",)  # two pairs, one of them seen once
    assert model.pairs.tolist() == [50, 50]
    noun = np.array([1.0, -1.0, 2.0, 0.5])
    np.testing.assert_allclose(model.compose("old", noun), true["old"] @ noun, atol=1e-6)
    nouns = np.stack([noun, 2 * noun])
    np.testing.assert_allclose(
        model.compose(["old", "red"], nouns), [true["old"] @ noun, true["red"] @ (2 * noun)], atol=1e-6
    )
    np.testing.assert_allclose(model.compose("red", nouns), nouns @ true["red"].T, atol=1e-6)


def test_lexical_function_without_a_matrix():
    _, training = adjectives()
    model = LexicalFunction(min_pairs=2).fit(training)
    nouns = np.ones((3, 4))
    with pytest.raises(KeyError, match="rare"):
        model.compose(["red", "rare", "rare"], nouns)
    assert model.missing(["red", "rare", "rare", "blue"]) == {"rare": 2, "blue": 1}
    fallback = np.arange(9.0).reshape(3, 3)
    composed = model.compose(["red", "rare", "rare"], nouns, fallback=fallback)
    np.testing.assert_array_equal(composed[1:], fallback[1:])
    np.testing.assert_allclose(composed[0], model.compose("red", nouns[0]))
    np.testing.assert_array_equal(model.compose("rare", nouns[0], fallback=[7, 8, 9]), [7, 8, 9])


def test_lexical_function_chooses_penalties():
    _, training = adjectives()
    with pytest.warns(EdgePenaltyWarning):  # noiseless: the smaller the better
        model = LexicalFunction(penalty=(0.01, 1.0, 100.0), min_pairs=2).fit(training)
    assert model.penalties.tolist() == [0.01, 0.01]


def test_lexical_function_bad_input():
    _, training = adjectives()
    with pytest.raises(ValueError, match="none of 1 functors has 9 pairs"):
        LexicalFunction(min_pairs=9).fit({"rare": training["rare"]})
    with pytest.raises(ValueError, match="functor 'red': .*counts"):
        LexicalFunction().fit({"red": (*training["red"][:2], None)})
    with pytest.raises(ValueError, match="weighting"):
        LexicalFunction(weighting="log").fit(training)


def test_pair_groups_gather_like_a_dictionary():
    words, phrases = np.arange(10.0).reshape(5, 2), np.arange(12.0).reshape(6, 2)
    groups = PairGroups(
        Labels(["eat", "drink", "idle"]),
        functor_of=[1, 0, 1, 0],
        arguments=words,
        argument_of=[4, 0, 1, 2],
        phrases=phrases,
        phrase_of=[0, 1, 2, 3],
        counts=[2, 3, 4, 5],
    )
    assert list(groups) == ["eat", "drink"]  # idle has no pair
    X, Y, counts = groups["drink"]
    assert X.tolist() == words[[4, 1]].tolist()
    assert Y.tolist() == phrases[[0, 2]].tolist()
    assert counts.tolist() == [2, 4]
    as_dictionary = LexicalFunction().fit(dict(groups)).matrices
    np.testing.assert_array_equal(LexicalFunction().fit(groups).matrices, as_dictionary)


@pytest.mark.parametrize(
    "change, message", [({"argument_of": [4, -1]}, "argument_of"), ({"phrase_of": [0]}, "phrase_of")]
)
def test_pair_groups_bad_input(change, message):
    columns = {"functor_of": [0, 0], "argument_of": [0, 1], "phrase_of": [0, 1], "counts": [2, 2]} | change
    with pytest.raises(ValueError, match=message):
        PairGroups(Labels(["eat"]), arguments=np.ones((5, 2)), phrases=np.ones((3, 2)), **columns)


def test_row_matrices():
    stack = np.arange(8.0).reshape(2, 2, 2)
    x = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    rows = RowMatrices(stack, np.array([1, -1, 0]), lambda x, rows: x + rows[:, None])
    # (4 5; 6 7)(1, 2) = (14, 20); no matrix, row 1: (3, -1) + 1; (0 1; 2 3)(0, 1) = (1, 3)
    assert (rows @ x).tolist() == [[14.0, 20.0], [4.0, 0.0], [1.0, 3.0]]
    assert (rows[np.array([2, 1])] @ x[[2, 1]]).tolist() == [[1.0, 3.0], [4.0, 0.0]]
    assert (rows.T @ x)[0].tolist() == [16.0, 19.0]  # (4 6; 5 7)(1, 2)
    with pytest.raises(KeyError, match="1 of 3 rows"):
        RowMatrices(stack, np.array([1, -1, 0])) @ x


def test_full_additive_recovers_both_matrices():
    rng = np.random.default_rng(8)
    A, B = rng.standard_normal((2, 3, 4))
    U, V = rng.standard_normal((2, 100, 4))
    model = FullAdditive(penalty=1e-8).fit(U, V, U @ A.T + V @ B.T)
    np.testing.assert_allclose(model.A, A, atol=1e-8)
    np.testing.assert_allclose(model.B, B, atol=1e-8)
    np.testing.assert_allclose(model.compose(U[0], V[0]), A @ U[0] + B @ V[0], atol=1e-7)
    assert model.compose(U, V).shape == (100, 3)


def test_full_additive_by_hand():
    # One phrase, u = 1, v = 2, p = 6, penalty 1: W = 6 (1, 2) / (1 + 4 + 1) = (1, 2)
    model = FullAdditive(penalty=1.0).fit([[1.0]], [[2.0]], [[6.0]])
    np.testing.assert_allclose([model.A.item(), model.B.item()], [1.0, 2.0], atol=1e-12)
    with pytest.raises(ValueError, match="needs counts"):
        FullAdditive(weighting="code").fit([[1.0]], [[2.0]], [[6.0]])
