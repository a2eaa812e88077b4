"""Ridge regression, generalised cross-validation, lexical functions and the full additive model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from cdsm_lib.composition import linear
from cdsm_lib.composition.linear import PENALTIES, LexicalFunction, gcv_ridge, log_count_weights, ridge
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


@pytest.mark.parametrize("how", ["code", "text"])
def test_a_pair_seen_once_weighs_nothing(how):
    X, Y, _ = problem(2, 6, 3)
    counts = np.array([5, 1, 9, 2, 1, 3])
    weights, once = log_count_weights(counts, how), counts == 1
    assert np.all((weights == 0) == once)
    with pytest.raises(ValueError, match="1 or more"):
        log_count_weights([2, np.nan], how)
    np.testing.assert_array_equal(ridge(X, Y, 1.0, weights), ridge(X[~once], Y[~once], 1.0, weights[~once]))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 20), st.integers(1, 12), st.floats(1e-3, 1e3))
def test_equals_the_definition(seed, n, d, penalty):
    """W = Y' D X (X' D X + l I)^-1, D the weights on the diagonal."""
    X, Y, weights = problem(seed, n, d)
    expected = Y.T * weights @ X @ np.linalg.inv(X.T * weights @ X + penalty * np.eye(d))
    np.testing.assert_allclose(ridge(X, Y, penalty, weights), expected, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 15), st.integers(1, 15))
def test_least_squares_as_the_penalty_vanishes(seed, n, d):
    X, Y, _ = problem(seed, n, d)
    least_squares = np.linalg.lstsq(X, Y, rcond=None)[0].T  # of least norm, if there are many
    np.testing.assert_allclose(ridge(X, Y, 0.0), least_squares, atol=1e-8)
    scale = np.linalg.svd(X, compute_uv=False).min() ** 2
    np.testing.assert_allclose(ridge(X, Y, 1e-10 * scale), least_squares, rtol=1e-6, atol=1e-6)


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


def test_gcv_warns_at_the_edge():
    rng = np.random.default_rng(6)
    X, noise = rng.standard_normal((20, 5)), rng.standard_normal((20, 4))
    for Y, edge in ((noise, "1 at 5"), (X[:, :2], "1 at 0.1")):
        with pytest.warns(linear.EdgePenaltyWarning, match=edge):
            gcv_ridge(X, Y, [0.1, 1, 5])


# --- models


def adjectives():
    rng = np.random.default_rng(7)
    true = {name: rng.standard_normal((3, 4)) for name in ("red", "old")}
    nouns = rng.standard_normal((50, 4))
    training = {name: (nouns, nouns @ W.T, rng.integers(2, 9, 50)) for name, W in true.items()}
    training["rare"] = (rng.standard_normal((2, 4)), rng.standard_normal((2, 3)), np.array([1, 5]))
    return true, training


def test_lexical_function(monkeypatch):
    true, training = adjectives()
    model = LexicalFunction(penalty=1e-6, min_pairs=2, dtype=np.float64).fit(training)
    assert model.functors == Labels(["red", "old"])  # "rare": two pairs, one of them seen once
    assert model.pairs.tolist() == [50, 50]
    noun = np.array([1.0, -1.0, 2.0, 0.5])
    nouns, old, red = np.stack([noun, 2 * noun]), true["old"] @ noun, true["red"] @ noun
    for functor, argument, phrase in (
        ("old", noun, old),
        (["old", "red"], nouns, [old, 2 * red]),
        ("red", nouns, [red, 2 * red]),
    ):
        np.testing.assert_allclose(model.compose(functor, argument), phrase, atol=1e-6)
    rows = [np.concatenate([group[i] for group in training.values()]) for i in range(3)]
    functors = [name for name, group in training.items() for _ in group[0]]
    np.testing.assert_array_equal(clone(model).fit(functors, *rows).matrices, model.matrices)
    for threads in ("1", "2"):  # each is a ridge of its own
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        again = LexicalFunction(2.0, min_pairs=2).fit(training)
        X, Y, counts = training["red"]
        np.testing.assert_allclose(again.matrices[0], ridge(X, Y, 2.0, log_count_weights(counts)), rtol=1e-5)
        assert again.matrices.dtype == np.float32


def test_lexical_function_without_a_matrix():
    _, training = adjectives()
    model = LexicalFunction(min_pairs=2).fit(training)
    nouns = np.ones((3, 4))
    with pytest.raises(KeyError, match="rare"):
        model.compose(["red", "rare", "rare"], nouns)
    fallback = np.arange(9.0).reshape(3, 3)
    composed = model.compose(["red", "rare", "rare"], nouns, fallback=fallback)
    np.testing.assert_array_equal(composed[1:], fallback[1:])
    np.testing.assert_allclose(composed[0], model.compose("red", nouns[0]))
    np.testing.assert_array_equal(model.compose("rare", nouns[0], fallback=[7, 8, 9]), [7, 8, 9])


def test_lexical_function_chooses_penalties():
    _, training = adjectives()
    with pytest.warns(linear.EdgePenaltyWarning):  # noiseless: the smaller the better
        model = LexicalFunction(penalty=(0.01, 1.0, 100.0), min_pairs=2).fit(training)
    assert model.penalties.tolist() == [0.01, 0.01]


GOOD = (np.ones((2, 2)), np.ones((2, 2)), np.full(2, 5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ridge([[1.0]], [[1.0], [2.0]], 1), r"shapes are \(1, 1\) and \(2, 1\)"),
        (lambda: ridge([[np.nan]], [[1.0]], 1), "NaN"),
        (lambda: ridge([[1.0]], [[1.0]], -1), "penalty"),
        (lambda: ridge([[1.0]], [[1.0]], 1, [-1.0]), "weights of 0 or more"),
        (lambda: ridge([[1.0]], [[1.0]], 1, [1.0, 2.0]), "one for each row"),
        *((lambda penalties=penalties: gcv_ridge(X1, Y1, penalties), "above 0") for penalties in ([], [0.0], [np.inf])),
        (lambda: gcv_ridge(X1, Y1, [1.0], [0.0, 0.0]), "no row"),
        (lambda: LexicalFunction(min_pairs=9).fit({"rare": GOOD}), "none of 1 functors has 9 pairs"),
        (lambda: LexicalFunction().fit({"red": (*GOOD[:2], None)}), "functor 'red': .*counts"),
        (lambda: LexicalFunction(weighting="log").fit({"red": GOOD}), "weighting"),
        (lambda: LexicalFunction(penalty=-1.0).fit({"red": GOOD}), "penalty"),
        (lambda: LexicalFunction().fit(["red"], *GOOD), "1 functors for 2 rows"),
        (lambda: LexicalFunction().fit({"old": (GOOD[0], GOOD[1] * np.nan, GOOD[2])}), "functor 'old': .*NaN"),
        (lambda: LexicalFunction().fit({"red": GOOD, "old": (np.ones((2, 3)), *GOOD[1:])}), "same shape"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_pair_groups_gather_like_a_dictionary():
    words, phrases = np.arange(10.0).reshape(5, 2), np.arange(12.0).reshape(6, 2)
    functors = Labels(["eat", "drink", "idle"])
    functor_of, argument_of, counts = np.array([[1, 0, 1, 0], [4, 0, 1, 2], [2, 3, 4, 5]])
    groups = linear.PairGroups(functors, functor_of, words, argument_of, phrases, np.arange(4), counts)
    assert list(groups) == ["eat", "drink"]  # idle has no pair
    expected = words[[4, 1]], phrases[[0, 2]], [2, 4]
    assert all(np.array_equal(*pair) for pair in zip(groups["drink"], expected, strict=True))
    with pytest.raises(ValueError, match="no vector"):
        linear.PairGroups(functors, functor_of, words, argument_of - 1, phrases, np.arange(4), counts)


def test_row_matrices():
    stack = np.arange(8.0).reshape(2, 2, 2)
    x = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    rows = linear.RowMatrices(stack, np.array([1, -1, 0]), lambda x, rows: x + rows[:, None])
    # (4 5; 6 7)(1, 2) = (14, 20); no matrix, row 1: (3, -1) + 1; (0 1; 2 3)(0, 1) = (1, 3)
    assert (rows @ x).tolist() == [[14.0, 20.0], [4.0, 0.0], [1.0, 3.0]]
    assert (rows[np.array([2, 1])] @ x[[2, 1]]).tolist() == [[1.0, 3.0], [4.0, 0.0]]
    assert (rows.T @ x)[0].tolist() == [16.0, 19.0]  # (4 6; 5 7)(1, 2)
    with pytest.raises(KeyError, match="1 of 3 rows"):
        linear.RowMatrices(stack, np.array([1, -1, 0])) @ x


def test_full_additive_recovers_both_matrices():
    rng = np.random.default_rng(8)
    A, B = rng.standard_normal((2, 3, 4))
    U, V = rng.standard_normal((2, 100, 4))
    model = linear.FullAdditive(penalty=1e-8).fit(U, V, U @ A.T + V @ B.T)
    np.testing.assert_allclose([model.A, model.B], [A, B], atol=1e-8)
    np.testing.assert_allclose(model.compose(U[0], V[0]), A @ U[0] + B @ V[0], atol=1e-7)
    assert model.compose(U, V).shape == (100, 3)
