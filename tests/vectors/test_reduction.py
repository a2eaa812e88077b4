"""SVD against LAPACK and by hand, projection of peripheral rows, repeatability; latent senses."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, special
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from cdsm_lib.vectors import reduction
from cdsm_lib.vectors.reduction import LDA, SVD, subsample


@pytest.fixture
def large(monkeypatch):
    """Sparse, with singular values that fall as a power of their rank; taken for too large for the LAPACK path."""
    monkeypatch.setattr(reduction, "DENSE", 0)
    rng = np.random.default_rng(3)
    left = sparse.random_array((900, 60), density=0.08, rng=rng)
    right = sparse.random_array((60, 600), density=0.2, rng=rng)
    scale = sparse.diags_array(1 / np.arange(1, 61) ** 0.5)
    return sparse.csr_array(left @ scale @ right + 0.01 * sparse.random_array((900, 600), density=0.01, rng=rng))


def test_svd_by_hand():
    """[[3, 0], [4, 5]]: A^T A = [[25, 20], [20, 25]], so s = sqrt(45), sqrt(5) and V = (1, 1)/r2, (1, -1)/r2."""
    svd = SVD(2).fit(np.array([[3.0, 0], [4, 5]]))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(svd.singular_values, [np.sqrt(45), np.sqrt(5)])
    np.testing.assert_allclose(np.abs(svd.components), [[half, half], [half, half]])
    np.testing.assert_allclose(svd.components[0], [half, half])
    np.testing.assert_allclose(svd.transform(np.array([[1.0, 1.0]])), [[np.sqrt(2), 0]], atol=1e-6)


def test_svd_is_a_transformer_of_scikit_learn():
    matrix = np.random.default_rng(0).random((6, 4))
    pipeline = make_pipeline(Normalizer(), clone(SVD(2, power=0.5)))
    np.testing.assert_allclose(pipeline.fit_transform(matrix), pipeline.transform(matrix), atol=1e-6)
    assert pipeline[-1].get_params() == {"dimensions": 2, "power": 0.5, "seed": 0, "tolerance": 5e-4}


@pytest.mark.parametrize("power", [1.0, 0.5, 0.0])
def test_power_and_reconstruction(power):
    matrix = np.random.default_rng(0).standard_normal((12, 7))
    svd = SVD(7, power=power)
    rows = svd.fit_transform(matrix)
    assert rows.dtype == np.float32
    np.testing.assert_allclose((rows * svd.singular_values ** (1 - power)) @ svd.components, matrix, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=0), svd.singular_values**power, rtol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_no_rows_of_its_rank_come_nearer(seed, k):
    """The error is what was cut off."""
    matrix = np.random.default_rng(seed).standard_normal((12, 7)) * np.linspace(1, 3, 7)
    svd = SVD(k)
    rows = svd.fit_transform(matrix)
    rest = np.linalg.svd(matrix, compute_uv=False)[k:]
    np.testing.assert_allclose(((matrix - rows @ svd.components) ** 2).sum(), (rest**2).sum(), rtol=1e-5, atol=1e-5)


def test_block_lanczos_equals_lapack(large):
    svd = SVD(40).fit(large)
    _, values, components = np.linalg.svd(large.toarray(), full_matrices=False)
    np.testing.assert_allclose(svd.singular_values, values[:40], rtol=1e-6)
    cosines = np.abs(np.sum(svd.components * components[:40], axis=1))
    assert cosines.min() > 1 - 1e-6
    np.testing.assert_allclose(svd.components @ svd.components.T, np.eye(40), atol=1e-9)
    largest = np.abs(svd.components).argmax(axis=1)
    assert (svd.components[np.arange(40), largest] > 0).all()


@pytest.mark.parametrize("k", [10, 100, 600])
def test_rank_below_the_dimensions(k):
    """Rank 3, more asked: the others are 0, and projecting with any power stays finite."""
    rng = np.random.default_rng(1)
    left, right = rng.random((3000, 3)).round(1), rng.random((3, 1500)).round(1)
    matrix = sparse.csr_array(left @ right)
    svd = SVD(k, power=0.0).fit(matrix)
    exact = np.linalg.svd(np.linalg.qr(left).R @ np.linalg.qr(right.T).R.T, compute_uv=False)
    np.testing.assert_allclose(svd.singular_values[:3], exact, rtol=1e-9)
    assert (svd.singular_values[3:] == 0).all()
    rows = svd.transform(matrix)
    assert np.isfinite(rows).all() and not rows[:, 3:].any()
    np.testing.assert_allclose(svd.components @ svd.components.T, np.eye(k), atol=1e-9)


def test_repeatable(large):
    one, again, other = SVD(30).fit(large), SVD(30).fit(large), SVD(30, seed=8).fit(large)
    assert one.components.tobytes() == again.components.tobytes()
    np.testing.assert_allclose(other.singular_values, one.singular_values, rtol=1e-6)
    np.testing.assert_allclose(other.components, one.components, atol=1e-4)


def test_peripheral_rows_are_projected_like_core_rows(large):
    svd = SVD(30, power=0.5)
    rows = svd.fit_transform(large)
    np.testing.assert_allclose(svd.transform(large[[5, 77]]), rows[[5, 77]], rtol=1e-6)
    np.testing.assert_allclose(svd.transform(large[[5]].toarray()[0]), rows[[5]], rtol=1e-6)


def test_bad_input_is_refused():
    for k, matrix, problem in [
        (3, np.ones((2, 5)), "from 1 to 2 exist"), ("1", np.ones((2, 5)), "'1' dimensions"),
        (1, np.array([[1, np.nan], [1, 1], [1, 1]]), "NaN"),
        (1, np.zeros((3, 3)), "zero everywhere"),
    ]:
        with pytest.raises(ValueError, match=problem):
            SVD(k).fit_transform(matrix)
    with pytest.raises(ValueError, match="fit first"):
        SVD(1).transform(np.ones((2, 2)))
    with pytest.raises(ValueError, match="rows of 3 columns; the model was fitted on 2"):
        SVD(1).fit(np.ones((2, 2))).transform(np.ones((2, 3)))


# ------------------------------------------------------------------------------------------------- latent senses


@pytest.fixture(scope="module")
def planted():
    """Counts of 240 rows from 4 senses, each with 15 of 60 columns to itself; row 7 and column 60 are empty."""
    rng = np.random.default_rng(0)
    phi = np.zeros((4, 61))
    for k in range(4):
        phi[k, 15 * k : 15 * k + 15] = rng.dirichlet(np.full(15, 2.0))
    theta = rng.dirichlet(np.full(4, 0.3), 240)
    counts = np.array([rng.multinomial(60, row @ phi) for row in theta])
    counts[7] = 0
    return counts, theta, phi


def test_planted_senses_are_found(planted):
    counts, theta, phi = planted
    lda = LDA(4, iterations=150, alpha=0.1).fit(sparse.csr_array(counts))
    assert lda.rows.dtype == lda.components.dtype == np.float32
    same = np.array([[np.corrcoef(found, true)[0, 1] for true in phi] for found in lda.components])
    order = same.argmax(axis=0)
    assert sorted(order) == [0, 1, 2, 3] and same.max(axis=0).min() > 0.97
    full = np.arange(240) != 7
    assert np.abs(lda.rows[full][:, order] - theta[full]).mean() < 0.05
    np.testing.assert_allclose(lda.rows[full].sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(lda.components.sum(axis=1), 1, rtol=1e-5)
    assert not lda.rows[7].any()
    assert 0 < lda.components[:, 60].max() < lda.components[:, :60].max(axis=0).min()  # never seen: the prior alone


def test_priors_by_default_and_by_hand():
    """One row, one sense: P(c | z) = (n_c + eta) / (n + m eta), here with counts 3, 1, 0."""
    lda = LDA(1, iterations=1, eta=0.5).fit(np.array([[3, 1, 0]]))
    np.testing.assert_allclose(lda.components, [[3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5]], rtol=1e-6)
    default = LDA(1, iterations=1).fit(np.array([[3, 1, 0]]))
    np.testing.assert_allclose(default.components, [[3.01 / 4.03, 1.01 / 4.03, 0.01 / 4.03]], rtol=1e-5)
    row = LDA(2, iterations=5).fit(np.array([[1]])).rows[0]  # one token, alpha = 25: 26 / 51 and 25 / 51
    np.testing.assert_allclose(np.sort(row), [25 / 51, 26 / 51], rtol=1e-5)


def sampler(counts, k, **priors) -> reduction.Gibbs:
    return reduction.Gibbs(sparse.csr_array(np.array(counts)), k, **{"alpha": 0.5, "eta": 0.25, "seed": 1} | priors)


def log_likelihood(model: reduction.Gibbs) -> float:
    """Of tokens and senses together (Griffiths & Steyvers 2004, equations 2 and 3)."""

    def of(counts: np.ndarray, prior: float) -> float:
        total = special.gammaln(counts + prior).sum() - counts.size * special.gammaln(prior)
        whole = counts.shape[1] * prior
        return total + (special.gammaln(whole) - special.gammaln(counts.sum(axis=1) + whole)).sum()

    by_row, by_column = model.counts()
    return of(by_column, model.eta) + of(by_row, model.alpha)


def test_the_sampler_draws_from_the_posterior():
    """Over all 3^5 ways to give five tokens senses: their probabilities, by the likelihood, against 40,000 sweeps.

    With n independent draws half the sum of |share - p| is sqrt(243 / (2 pi n)), .031; sweeps depend on one another.
    """
    model, seen = sampler([[2, 0, 1], [0, 1, 1]], 3), Counter()
    for _ in range(40_000):
        model.advance()
        seen[tuple(model.sense.tolist())] += 1
    likelihood = {}
    for senses in product(range(3), repeat=5):
        model.sense = np.array(senses)
        likelihood[senses] = np.exp(log_likelihood(model))
    total = sum(likelihood.values())
    assert sum(abs(seen[senses] / 40_000 - p / total) for senses, p in likelihood.items()) / 2 < 0.05


def test_the_sampler_with_many_senses_by_hand():
    """Two tokens of one word in one row: the second takes the first's sense with (1 + alpha) / (1 + K alpha)."""
    model, same, seen = sampler([[2]], 70), 0, Counter()
    for _ in range(20_000):
        model.advance()
        same += model.sense[0] == model.sense[1]
        seen[int(model.sense[1])] += 1
    assert same / 20_000 == pytest.approx(1.5 / 36, abs=0.006)  # four standard errors
    assert len(seen) == 70 and max(seen.values()) < 2 * 20_000 / 70 < 4 * min(seen.values())


def test_subsampling():
    counts = np.array([[500, 300, 0, 200], [3, 0, 2, 0], [0, 0, 0, 0], [10, 0, 0, 0]])
    sample = subsample(counts, 10, seed=3)
    dense = sample.toarray()
    assert dense.sum(axis=1).tolist() == [10, 5, 0, 10] and (dense <= counts).all()
    assert dense[1].tolist() == [3, 0, 2, 0] and sample.data.min() > 0
    assert dense.tobytes() == subsample(sparse.csr_array(counts), 10, seed=3).toarray().tobytes()
    assert (subsample(counts, None).toarray() == counts).all()
    mean = np.mean([subsample(counts, 10, seed=seed).toarray()[0] for seed in range(500)], axis=0)
    np.testing.assert_allclose(mean, [5, 3, 0, 2], atol=0.25)  # standard error 0.07


def test_unsound_counts_are_refused():
    ones = np.ones((2, 2), dtype=int)
    for counts in (ones / 2, -ones):
        with pytest.raises(ValueError, match="whole numbers"):
            LDA(2).fit(counts)
