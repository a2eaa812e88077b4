"""Relative clause composition, every formula of Rimell et al. (2016) worked by hand in two dimensions."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from cdsm_lib.composition import relative_clause
from cdsm_lib.composition.linear import log_count_weights, ridge
from cdsm_lib.composition.relative_clause import (
    RelationalVerbs,
    RelativeClauseModel,
    VerbMatrices,
    contract,
    fplf,
    frobenius,
    frobenius_from_pairs,
    learn_fplf,
    learn_rptensor,
    lexical,
    plf,
    rptensor,
    splf,
    varg,
    vhn,
)
from cdsm_lib.labels import Labels

# Two properties of the same words, the first a subject relative clause, the second an object relative clause.
HN, ARG, V = np.array([[1.0, 2.0]] * 2), np.array([[3.0, -1.0]] * 2), np.array([[0.5, 0.5]] * 2)
ORC = np.array([False, True])
VS, VO = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 1.0]])
EYE = np.eye(2)


HAND = {
    # SRC: Vo arg = (0*3 + 1*-1, 1*3 + 1*-1) = (-1, 2).  ORC: Vs arg = (1*3 + 2*-1, -1) = (1, -1)
    varg: ((ARG,), [[-1, 2], [1, -1]]),
    # SRC: Vs hn = (1 + 2*2, 2) = (5, 2).  ORC: Vo hn = (2, 1 + 2) = (2, 3)
    vhn: ((HN,), [[5, 2], [2, 3]]),
    # SRC: (5, 2) + (-1, 2) = (4, 4).  ORC: (2, 3) + (1, -1) = (3, 2)
    plf: ((HN, ARG), [[4, 4], [3, 2]]),
    # SRC: (1, 2) + (-1, 2) = (0, 4).  ORC: (1, 2) + (1, -1) = (2, 1)
    splf: ((HN, ARG), [[0, 4], [2, 1]]),
}


@pytest.mark.parametrize("formula", HAND)
def test_verb_matrices_by_hand(formula):
    words, expected = HAND[formula]
    assert formula(*words, VS, VO, ORC).tolist() == expected


def test_fplf():
    R1s, R2s = np.array([[1, 1], [0, 1]]), np.array([[2, 0], [0, 1]])
    R1o, R2o = np.array([[0, 1], [1, 0]]), np.array([[1, 0], [1, 1]])
    # SRC: R1s (1, 2) = (3, 2), R2s (-1, 2) = (-2, 2), sum (1, 4).  ORC: (2, 1) + R2o (1, -1) = (2, 1) + (1, 0) = (3, 1)
    assert fplf(HN, ARG, VS, VO, ORC, (R1s, R2s), (R1o, R2o)).tolist() == [[1, 4], [3, 1]]


def test_rptensor():
    Rs = np.array([[[1, 2], [0, 1]], [[0, 1], [3, 0]]])  # Rs[i, j, k]
    Ro = np.array([[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
    # SRC, c = Vo arg = (-1, 2): p_0 = 1*1*-1 + 2*1*2 + 0*2*-1 + 1*2*2 = 7;  p_1 = 0 + 1*1*2 + 3*2*-1 + 0 = -4
    # ORC, c = Vs arg = (1, -1): p_0 = 1*1*-1 + 1*2*1 = 1;                    p_1 = 1*1*1 + 1*2*-1 = -1
    assert rptensor(HN, ARG, VS, VO, ORC, Rs, Ro).tolist() == [[7, -4], [1, -1]]


SUBJECTS, OBJECTS = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 1.0], [0.0, 3.0]])


def test_frobenius():
    # V = (1,0)'(2,1) + (1,1)'(0,3) = [[2,1],[0,0]] + [[0,3],[0,3]] = [[2,4],[0,3]]
    V = relative_clause.relational_matrix(SUBJECTS, OBJECTS)
    assert V.tolist() == [[2, 4], [0, 3]]
    # SRC: V arg = (2*3 - 4, -3) = (2, -3), times hn: (2, -6).  ORC: V' arg = (2*3, 4*3 - 3) = (6, 9), times hn: (6, 18)
    expected = [[2, -6], [6, 18]]
    assert frobenius(HN, ARG, V, ORC).tolist() == expected
    assert frobenius_from_pairs(SUBJECTS, OBJECTS, HN, ARG, ORC).tolist() == expected
    sparse = scipy.sparse.csr_array(SUBJECTS), scipy.sparse.csr_array(OBJECTS)
    assert frobenius_from_pairs(*sparse, HN, ARG, ORC).tolist() == expected


@pytest.mark.parametrize(
    "method, expected",  # hn = (1, 2), v = (.5, .5), arg = (3, -1)
    [("arg", [3, -1]), ("v", [0.5, 0.5]), ("hn*v*arg", [1.5, -1]), ("hn+v+arg", [4.5, 1.5]), ("v+arg", [3.5, -0.5]),
     ("hn+arg", [4, 1]), ("hn+v", [1.5, 2.5])],
)  # fmt: skip
def test_lexical_and_arithmetic(method, expected):
    assert lexical(method, HN, V, ARG).tolist() == [expected, expected]


# --- what holds for any vectors


def random_properties(seed, n=12, d=4):
    rng = np.random.default_rng(seed)
    hn, arg = rng.standard_normal((2, n, d))
    Vs, Vo = rng.standard_normal((2, n, d, d))
    return hn, arg, Vs, Vo, rng.random(n) < 0.5, rng


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([False, True, None]))
def test_invariants(seed, one_kind):
    """Whatever the clauses, of both kinds or of one."""
    hn, arg, Vs, Vo, orc, rng = random_properties(seed)
    orc, eye = orc if one_kind is None else np.full(12, one_kind), np.eye(4)
    simplified = splf(hn, arg, Vs, Vo, orc)
    np.testing.assert_allclose(fplf(hn, arg, Vs, Vo, orc, (eye, eye), (eye, eye)), simplified, atol=1e-12)
    # PLF with the identity as the head noun's matrix: Vs in subject clauses, Vo in object clauses
    Vs_, Vo_ = Vs.copy(), Vo.copy()
    Vs_[~orc], Vo_[orc] = eye, eye
    np.testing.assert_allclose(plf(hn, arg, Vs_, Vo_, orc), simplified, atol=1e-12)
    # swapping the roles of subject and object swaps the kinds of clause
    np.testing.assert_allclose(plf(hn, arg, Vo, Vs, ~orc), plf(hn, arg, Vs, Vo, orc), atol=1e-12)
    # an object clause is the transpose of a subject clause
    np.testing.assert_allclose(frobenius(hn, arg, Vs.swapaxes(1, 2), ~orc), frobenius(hn, arg, Vs, orc), atol=1e-12)
    # pair by pair, or by the verb's matrix
    pairs = rng.standard_normal((2, 5, 4))
    by_matrix = frobenius(hn, arg, relative_clause.relational_matrix(*pairs), orc)
    np.testing.assert_allclose(frobenius_from_pairs(*pairs, hn, arg, orc), by_matrix, atol=1e-10)
    # the tensor is row-major: R reshaped times the Kronecker product
    R = rng.standard_normal((3, 4, 4))
    rows = [R.reshape(3, -1) @ np.kron(h, c) for h, c in zip(hn, arg, strict=True)]
    np.testing.assert_allclose(contract(R, hn, arg), rows, atol=1e-12)
    # one tensor for both kinds contracts the head noun and what the verb makes of the argument
    one = contract(R, hn, varg(arg, Vs, Vo, orc))
    np.testing.assert_allclose(rptensor(hn, arg, Vs, Vo, orc, R, R), one, atol=1e-12)


# --- learning


def test_frobenius_of_many_verbs_never_builds_a_matrix():
    rng = np.random.default_rng(0)
    vectors, labels = rng.random((6, 3)), Labels(["view", "install", "nap"])
    verbs = RelationalVerbs(labels, [0, 1, 0, 1, 1], vectors, np.arange(5), np.array([5, 4, 3, 2, 1]))
    hn, arg = rng.random((2, 3, 3))
    orc = np.array([False, True, False])
    V = vectors[[0, 2]].T @ vectors[[5, 3]], vectors[[1, 3, 4]].T @ vectors[[4, 2, 1]]
    expected = [hn[0] * (V[0] @ arg[0]), hn[1] * (V[1].T @ arg[1]), hn[2] * (V[1] @ arg[2])]
    asked = ["view", "install", "install"]
    for stored in (verbs, replace(verbs, vectors=scipy.sparse.csr_array(vectors))):
        np.testing.assert_allclose(stored.compose(hn, arg, asked, orc), expected)
    assert verbs.missing(["view", "nap", "sing", "nap"]) == {"nap": 2, "sing": 1}
    with pytest.raises(KeyError, match="1 properties"):
        verbs.compose(hn, arg, ["view", "nap", "install"], orc)


def clauses(seed, n, d_h=4, d_c=3, d_out=5):
    rng = np.random.default_rng(seed)
    H, C, P = (rng.standard_normal((n, d)) for d in (d_h, d_c, d_out))
    return H, C, P, rng.uniform(0.2, 2, n) * (rng.random(n) < 0.8)


@pytest.mark.parametrize("n", [2, 9, 40])  # 12 products: of few clauses the dual, of many the primal
def test_tensor_regression_is_ridge_on_the_kronecker_products(n):
    H, C, P, weights = clauses(n, n)
    weights[0] = 1.0
    products = np.stack([np.kron(h, c) for h, c in zip(H, C, strict=True)])
    for w in (None, weights):
        expected = ridge(products, P, 0.7, w).reshape(5, 4, 3)
        np.testing.assert_allclose(learn_rptensor(H, C, P, w, 0.7), expected, atol=1e-6)


def test_blocks_make_no_difference(monkeypatch):
    def tensors():
        few, many = clauses(3, 9), clauses(3, 25)
        R = [learn_rptensor(*data, 1.0) for data in (few, many)]
        return [*R, contract(R[1], *many[:2])]

    whole = tensors()
    monkeypatch.setattr(relative_clause, "BLOCK_BYTES", 8 * 12 * 4)  # four rows at a time
    for in_blocks, at_once in zip(tensors(), whole, strict=True):
        np.testing.assert_allclose(in_blocks, at_once, atol=1e-10)


def test_fplf_learning():
    H, C, P, weights = clauses(9, 30, d_c=4)
    apart = learn_fplf(H, C, P, weights, 3.0)
    np.testing.assert_allclose(apart, (ridge(H, P, 3.0, weights), ridge(C, P, 3.0, weights)))
    planted = np.random.default_rng(0).standard_normal((2, 5, 4))
    together = learn_fplf(H, C, H @ planted[0].T + C @ planted[1].T, None, 1e-9, joint=True)
    np.testing.assert_allclose(together, planted, atol=1e-7)


def test_verb_matrices():
    rng = np.random.default_rng(0)
    pairs = [(*rng.standard_normal((2, 30, 2)), rng.integers(1, 9, 30)) for _ in range(4)]
    subject_pairs, object_pairs = {"view": pairs[0], "nap": pairs[1]}, {"view": pairs[2], "install": pairs[3]}
    learned = relative_clause.learn_verb_matrices(subject_pairs, object_pairs, penalty=75.0, dtype=np.float64)
    assert learned.subject_verbs == Labels(["view", "nap"]) and learned.object_verbs == Labels(["view", "install"])
    for matrices, (X, Y, counts) in ((learned.subject, pairs[1]), (learned.object, pairs[3])):
        np.testing.assert_allclose(matrices[1], ridge(X, Y, 75.0, log_count_weights(counts, "code")), atol=1e-14)


# --- the model and what it does without a matrix

MATRICES = VerbMatrices(Labels(["view"]), VS[None], Labels(["view", "install"]), np.stack([VO, VO]))


def test_model_composes_like_the_formulas():
    pronoun = (EYE, 2 * EYE), (3 * EYE, EYE)
    R = np.arange(8.0).reshape(2, 2, 2)
    vectors = np.vstack([SUBJECTS, OBJECTS])
    relational = RelationalVerbs(Labels(["view"]), [0, 0], vectors, np.arange(2), np.arange(2, 4))
    model = RelativeClauseModel(MATRICES, relational, pronoun, (R, -R))
    expected = {
        "Frobenius": frobenius_from_pairs(SUBJECTS, OBJECTS, HN, ARG, ORC),
        "VArg": varg(ARG, VS, VO, ORC),
        "Vhn": vhn(HN, VS, VO, ORC),
        "PLF": plf(HN, ARG, VS, VO, ORC),
        "SPLF": splf(HN, ARG, VS, VO, ORC),
        "FPLF": fplf(HN, ARG, VS, VO, ORC, *pronoun),
        "RPTensor": rptensor(HN, ARG, VS, VO, ORC, R, -R),
    } | {method: lexical(method, HN, V, ARG) for method in relative_clause.LEXICAL_METHODS}
    assert set(expected) == set(relative_clause.METHODS)
    for method, vectors in expected.items():
        composed = model.compose(method, HN, V, ARG, ["view", "view"], ORC)
        assert composed.missing == {}
        np.testing.assert_allclose(composed.vectors, vectors, atol=1e-12)


def test_missing_matrix_is_replaced_by_addition_and_reported():
    model = RelativeClauseModel(MATRICES)
    for method, verb, vectors, missing in (
        # install has Vo but no Vs. VArg, ORC: Vs arg -> v + arg = (3.5, -.5); SRC needs Vo only: (-1, 2)
        ("VArg", "install", [[-1, 2], [3.5, -0.5]], {("install", "subject"): 1}),
        # PLF, SRC: Vs hn -> v + hn = (1.5, 2.5), plus Vo arg (-1, 2); ORC: Vo hn (2, 3) + (3.5, -.5)
        ("PLF", "install", [[0.5, 4.5], [5.5, 2.5]], {("install", "subject"): 2}),
        # a verb without any matrix: SPLF becomes Addition
        ("SPLF", "nap", [[4.5, 1.5]] * 2, {("nap", "object"): 1, ("nap", "subject"): 1}),
    ):
        composed = model.compose(method, HN, V, ARG, [verb, verb], ORC)
        assert composed.vectors.tolist() == vectors and composed.missing == missing


def test_other_choices_for_a_missing_matrix():
    def compose(missing, method="VArg", verbs=("install", "install")):
        return RelativeClauseModel(MATRICES, missing=missing).compose(method, HN, V, ARG, verbs, ORC).vectors.tolist()

    assert compose("leave out") == [[-1, 2], [0, 0]]
    assert compose("leave out", "PLF") == [[-1, 2], [2, 3]]  # Vo arg alone; Vo hn alone
    assert compose("mean") == [[-1, 2], [1, -1]]  # the mean of all subject matrices is Vs of view
    with pytest.raises(KeyError, match="1 of 1 rows"):
        compose("raise")
    # a matrix that is not needed may be missing
    assert compose("raise", "Vhn", ("view", "install")) == [[5, 2], [2, 3]]
    with pytest.raises(ValueError, match="addition, mean"):
        compose("zero")


def test_frobenius_without_pairs():
    relational = RelationalVerbs(Labels(["view"]), [0], np.ones((1, 2)), np.array([0]), np.array([0]))
    composed = RelativeClauseModel(relational=relational).compose("Frobenius", HN, V, ARG, ["view", "nap"], ORC)
    # view: V = ones, V arg = (2, 2), times hn: (2, 4).  nap: hn * (v + arg) = (1, 2) * (3.5, -.5)
    assert composed.vectors.tolist() == [[2, 4], [3.5, -1]]
    assert composed.missing == {("nap", "relational"): 1}


def composed_by(method, model=RelativeClauseModel(MATRICES)):  # noqa: B008
    return model.compose(method, HN, V, ARG, ["view", "view"], ORC)


def tensor_of(**change):
    return learn_rptensor(**dict(zip(("hn", "v_arg", "rc"), clauses(8, 3), strict=False)) | change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: varg(ARG, VS, VO, [0, 1]), "boolean"),
        (lambda: varg(ARG[:1], VS, VO, ORC), "2 properties"),
        (lambda: lexical("hn-arg", HN, V, ARG), "unknown method"),
        (lambda: tensor_of(penalty=0.0), "above 0"),
        (lambda: tensor_of(weights=np.zeros(3)), "no relative clause"),
        (lambda: tensor_of(v_arg=np.ones((2, 3))), "shapes"),
        (lambda: composed_by("PLF", RelativeClauseModel()), "needs verbs"),
        *((lambda method=method: composed_by(method), f"needs {part}")
          for method, part in (("Frobenius", "relational"), ("FPLF", "fplf"), ("RPTensor", "tensors"))),
        (lambda: composed_by("Addition!"), "unknown method"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
