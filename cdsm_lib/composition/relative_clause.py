"""Composition of relative clauses, *building that workers restore* (Rimell et al. 2016, sections 5.2 to 5.5).

A property is a head noun hn, a verb v and an argument arg. In a *subject* relative clause the head noun is the
verb's subject and arg its object (*machine that counts coins*); in an *object* relative clause the head noun is the
object and arg the subject (*building that workers restore*). A verb has two matrices, Vs for its subject and Vo
for its object, learned by ridge regression from holistic vectors of subject-verb and verb-object pairs.

========== ============================================ ==============================
method     subject relative clause                      object relative clause
========== ============================================ ==============================
Addition   hn + v + arg                                 the same
Mult       hn * v * arg                                 the same
Frobenius  hn * (V arg), V = sum of subject x object    hn * (V' arg)
VArg       Vo arg                                       Vs arg
Vhn        Vs hn                                        Vo hn
PLF        Vs hn + Vo arg                               Vo hn + Vs arg
SPLF       hn + Vo arg                                  hn + Vs arg
FPLF       R1s hn + R2s (Vo arg)                        R1o hn + R2o (Vs arg)
RPTensor   p_i = sum_jk Rs_ijk hn_j (Vo arg)_k          the same with Ro and Vs arg
========== ============================================ ==============================

Conventions: hn, v, arg are tables [n, d], a property a row; ``orc`` is a boolean array [n], true for object relative
clauses, and anything else in its place is a `ValueError`; ``Vs`` and ``Vo`` are one matrix [d, d] for all rows, an
array [n, d, d], or `RowMatrices` (one matrix a row out of a shared stack). Results are float64 [n, d].

Where a verb lacks the matrix that a formula asks for, the formula's ``V x`` becomes ``v + x`` (as Buljan et al. 2018
fall back to addition), so that no known word is lost; `MISSING` names the other choices.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from cdsm_lib.composition import linear
from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.linear import LexicalFunction, Otherwise, RowMatrices
from cdsm_lib.labels import Labels

Matrices = np.ndarray | RowMatrices
Pronoun = tuple[np.ndarray, np.ndarray]
"""R1 for the head noun and R2 for the clause."""

LEXICAL_METHODS = ("arg", "v", "hn*v*arg", "hn+v+arg", "v+arg", "hn+arg", "hn+v")
"""The lexical and arithmetic rows of Table 5."""

CATEGORIAL_METHODS = ("Frobenius", "VArg", "Vhn", "PLF", "SPLF", "FPLF", "RPTensor")
"""The rows of Tables 5 and 6 that need a verb's matrices."""

METHODS = LEXICAL_METHODS + CATEGORIAL_METHODS

MISSING = ("addition", "mean", "leave out", "raise")
"""What stands for V x where V is missing: v + x; the mean matrix of all verbs times x; nothing; a `KeyError`."""


# ------------------------------------------------------------------------------------------------------ the formulas


def _row_matrices(M: Matrices, n: int) -> RowMatrices:
    """One matrix a row, whichever way they were given."""
    if isinstance(M, RowMatrices):
        return M
    M = np.asarray(M)
    return RowMatrices(M, np.arange(n)) if M.ndim == 3 else RowMatrices(M[None], np.zeros(n, dtype=np.int64))


def _by_clause(orc: ArrayLike, in_object_clause: Matrices, in_subject_clause: Matrices, x: ArrayLike) -> np.ndarray:
    """M x, row by row, M depending on the kind of clause."""
    orc, x = _clauses(orc), np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or len(x) != len(orc):
        raise ValueError(f"{len(orc)} properties need a table of {len(orc)} vectors, but its shape is {x.shape}")
    kinds = ((orc, in_object_clause), (~orc, in_subject_clause))
    return _merged([(rows, _row_matrices(M, len(x))[rows] @ x[rows]) for rows, M in kinds])


def _merged(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """One table out of (which rows, bool [n]; their vectors)."""
    out = np.empty((len(parts[0][0]), parts[0][1].shape[1]))
    for rows, vectors in parts:
        out[rows] = vectors
    return out


def _clauses(orc: ArrayLike) -> np.ndarray:
    orc = np.asarray(orc)
    if orc.dtype != bool or orc.ndim != 1:
        raise ValueError("orc must be a boolean array [n]: true for an object relative clause, false for a subject one")
    return orc


def varg(arg: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike) -> np.ndarray:
    """VArg: the verb with its argument, Vo arg (subject clause) or Vs arg (object clause); section 5.5.5.

    >>> Vo = np.array([[0, 1], [1, 1]])
    >>> varg([[3, -1]], np.eye(2), Vo, np.array([False]))
    array([[-1.,  2.]])
    """
    return _by_clause(orc, Vs, Vo, arg)


def vhn(hn: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike) -> np.ndarray:
    """Vhn: the verb with the head noun, Vs hn (subject clause) or Vo hn (object clause); section 5.5.5.

    >>> V, identity = np.array([[0.0, 1.0], [2.0, 0.0]]), np.eye(2)
    >>> vhn([[1.0, 3.0]], V, identity, [False])  # Vs hn of a subject clause
    array([[3., 2.]])
    """
    return _by_clause(orc, Vo, Vs, hn)


def plf(hn: ArrayLike, arg: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike) -> np.ndarray:
    """PLF, the practical lexical function, without a vector for the verb: `vhn` + `varg` (section 5.5.2).

    >>> V, identity = np.array([[0.0, 1.0], [2.0, 0.0]]), np.eye(2)
    >>> plf([[1.0, 3.0]], [[1.0, 0.0]], V, identity, [False])  # Vs hn + Vo arg
    array([[4., 2.]])
    """
    return vhn(hn, Vs, Vo, orc) + varg(arg, Vs, Vo, orc)


def splf(hn: ArrayLike, arg: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike) -> np.ndarray:
    """SPLF, simplified PLF: hn + `varg`; the head noun meets the clause by addition (section 5.5.3).

    >>> Vo = np.array([[0, 1], [1, 1]])
    >>> splf([[1, 2]], [[3, -1]], np.eye(2), Vo, np.array([False]))
    array([[0., 4.]])
    """
    return np.asarray(hn, dtype=np.float64) + varg(arg, Vs, Vo, orc)


def fplf(
    hn: ArrayLike, arg: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike, subject: Pronoun, object: Pronoun
) -> np.ndarray:
    """FPLF, full PLF: R1 hn + R2 `varg`, the relative pronoun being two matrices [d, d] (section 5.5.4).

    They are (R1, R2) of the pronoun of subject and of object clauses, see `learn_fplf`.

    >>> V, one, two = np.array([[0.0, 1.0], [2.0, 0.0]]), np.eye(2), 2 * np.eye(2)
    >>> fplf([[1.0, 3.0]], [[1.0, 0.0]], V, V, [False], (one, two), (one, two))  # hn + 2 (Vo arg)
    array([[1., 7.]])
    """
    clause = varg(arg, Vs, Vo, orc)
    (R1s, R2s), (R1o, R2o) = subject, object
    return _by_clause(orc, R1o, R1s, hn) + _by_clause(orc, R2o, R2s, clause)


def rptensor(
    hn: ArrayLike, arg: ArrayLike, Vs: Matrices, Vo: Matrices, orc: ArrayLike, Rs: ArrayLike, Ro: ArrayLike
) -> np.ndarray:
    """RPTensor: ``p_i = sum_jk R_ijk hn_j c_k``, c = `varg`, the pronoun being a tensor [d_out, d, d] (5.5.1).

    >>> V, R = np.array([[0.0, 1.0], [2.0, 0.0]]), np.ones((2, 2, 2))
    >>> rptensor([[1.0, 3.0]], [[1.0, 0.0]], V, V, [False], R, R)  # (1 + 3) times (0 + 2), twice
    array([[8., 8.]])
    """
    hn, orc = np.asarray(hn, dtype=np.float64), _clauses(orc)
    clause = varg(arg, Vs, Vo, orc)
    return _merged([(rows, contract(R, hn[rows], clause[rows])) for rows, R in ((~orc, Rs), (orc, Ro))])


def contract(R: ArrayLike, h: ArrayLike, c: ArrayLike) -> np.ndarray:
    """``p_i = sum_jk R_ijk h_j c_k`` for each row of h and c; R is [d_out, d_h, d_c].

    The same as ``R.reshape(d_out, -1) @ np.kron(h, c)``.

    >>> R = np.arange(8.0).reshape(2, 2, 2)
    >>> contract(R, [[1.0, 0.0]], [[0.0, 1.0]])  # R_i01
    array([[1., 5.]])
    """
    h, c, R = (np.asarray(table, dtype=np.float64) for table in (h, c, R))
    out = np.empty((len(h), len(R)))
    for rows in _blocks(len(h), h.shape[1] * c.shape[1]):
        out[rows] = _kronecker_rows(h[rows], c[rows]) @ R.reshape(len(R), -1).T
    return out


# -------------------------------------------------------------------------------------------------------- Frobenius


def relational_matrix(subjects: ArrayLike, objects: ArrayLike) -> np.ndarray:
    """A verb's relational matrix [d, d] over its pairs, ``V = sum_i s_i o_i'`` (Grefenstette and Sadrzadeh 2011).

    Subjects and objects are [m, d]. The paper takes each pair once, however frequent.

    >>> relational_matrix([[1, 0], [1, 1]], [[2, 1], [0, 3]])
    array([[2., 4.],
           [0., 3.]])
    """
    return np.asarray(subjects, dtype=np.float64).T @ np.asarray(objects, dtype=np.float64)


def frobenius(hn: ArrayLike, arg: ArrayLike, V: Matrices, orc: ArrayLike) -> np.ndarray:
    """Frobenius: hn * (V arg) in a subject clause, hn * (V' arg) in an object clause (section 5.4).

    V are relational matrices, subject by object. The same as copy-subject and copy-object of Kartsaklis et al. (2012).

    >>> V = np.array([[0.0, 1.0], [2.0, 0.0]])
    >>> frobenius([[1.0, 3.0]], [[1.0, 1.0]], V, [False])  # (1, 3) times (1, 2)
    array([[1., 6.]])
    """
    hn = np.asarray(hn, dtype=np.float64)
    V = _row_matrices(V, len(hn))
    return hn * _by_clause(orc, V.T, V, arg)


def frobenius_from_pairs(subjects, objects, hn: ArrayLike, arg: ArrayLike, orc: ArrayLike) -> np.ndarray:
    """`frobenius` for properties of one verb, straight from its pairs [m, d], dense or sparse: V is never built.

    ``hn * sum_i s_i (o_i . arg)``, and with s and o exchanged in object clauses: ``m d`` numbers, not ``d^2``, so that
    spaces of thousands of dimensions will do.

    >>> subjects, objects = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> frobenius_from_pairs(subjects, objects, [[1.0, 3.0]], [[1.0, 1.0]], [False])  # V is the sum of the pairs
    array([[1., 6.]])
    """
    hn, arg, orc = np.asarray(hn, dtype=np.float64), np.asarray(arg, dtype=np.float64), _clauses(orc)
    kinds = ((~orc, subjects, objects), (orc, objects, subjects))
    return hn * _merged([(rows, (left.T @ (right @ arg[rows].T)).T) for rows, left, right in kinds])


@dataclass(frozen=True)
class RelationalVerbs:
    """Subject-object pairs of many verbs, standing for their relational matrices.

    ``verb_of`` [m] has the verb of each pair, ``subject_of`` and ``object_of`` [m] the rows of its words in
    ``vectors``, dense or sparse. The paper takes pairs seen twice or more, each once.
    """

    verbs: Labels
    verb_of: np.ndarray
    vectors: np.ndarray
    subject_of: np.ndarray
    object_of: np.ndarray

    @cached_property
    def _pairs(self) -> dict[int, np.ndarray]:
        return dict(linear.by_place(np.asarray(self.verb_of)))

    def compose(
        self, hn: np.ndarray, arg: np.ndarray, verbs: Sequence[str], orc: np.ndarray, otherwise: Otherwise = None
    ) -> np.ndarray:
        """`frobenius` for properties of any verbs.

        ``otherwise(arg_rows, rows)`` stands for V arg where a verb has no pairs; without it that is a `KeyError`.
        """
        hn, arg = np.asarray(hn, dtype=np.float64), np.asarray(arg, dtype=np.float64)
        places = self.verbs.encode(verbs)
        places = np.where(np.isin(places, list(self._pairs)), places, -1)
        out = np.empty_like(hn)
        for place, rows in linear.by_place(places):
            pairs = self._pairs[place]
            subjects, objects = self.vectors[self.subject_of[pairs]], self.vectors[self.object_of[pairs]]
            out[rows] = frobenius_from_pairs(subjects, objects, hn[rows], arg[rows], orc[rows])
        without = np.flatnonzero(places < 0)
        if len(without):
            if otherwise is None:
                raise KeyError(f"{len(without)} properties have a verb without pairs; say what stands for its matrix")
            out[without] = hn[without] * otherwise(arg[without], without)
        return out

    def missing(self, verbs: Sequence[str]) -> dict[str, int]:
        """Verbs without pairs, and how many of the rows each stands in."""
        return linear.count_missing(verbs, Labels(self.verbs[place] for place in self._pairs))


# ---------------------------------------------------------------------------------------------------- verb matrices


@dataclass(frozen=True)
class VerbMatrices:
    """Subject and object matrices of transitive verbs (section 5.2.2; Paperno et al. 2014, Polajnar et al. 2014).

    Each stack is [m, d, d], in the order of the verbs that have such a matrix.
    """

    subject_verbs: Labels
    subject: np.ndarray
    object_verbs: Labels
    object: np.ndarray

    def of(self, verbs: Sequence[str], v: ArrayLike | None = None, missing: str = "addition") -> list[RowMatrices]:
        """Vs and Vo of each row's verb; `missing` is one of `MISSING`, "addition" needs the verbs' vectors `v` [n, d].

        Where "raise" was asked for, using a missing matrix is a `KeyError`.
        """
        both = ((self.subject_verbs, self.subject), (self.object_verbs, self.object))
        return [RowMatrices(stack, known.encode(verbs), _otherwise(missing, v, stack)) for known, stack in both]

    def missing(self, verbs: Sequence[str], orc: ArrayLike, *, hn: bool, arg: bool) -> dict[tuple[str, str], int]:
        """Matrices that these properties lack: {(verb, "subject" or "object"): number of properties}.

        `hn` and `arg` say whether the formula multiplies the head noun, and whether it multiplies the argument.
        """
        needed = {False: (hn, arg), True: (arg, hn)}  # of the subject matrix and of the object matrix
        lacking = Counter()
        for verb, object_clause in zip(verbs, np.asarray(orc).tolist(), strict=True):
            subject, object_ = needed[object_clause]
            lacking[verb, "subject"] += subject and verb not in self.subject_verbs
            lacking[verb, "object"] += object_ and verb not in self.object_verbs
        return dict(+lacking)


def _otherwise(missing: str, v: ArrayLike | None, stack: np.ndarray | None = None) -> Otherwise:
    """What stands for V x in the rows where V is missing."""
    match missing:
        case "addition":
            if v is None:
                raise ValueError("missing='addition' needs the verbs' vectors v; or choose another of " + str(MISSING))
            v = np.asarray(v, dtype=np.float64)
            return lambda x, rows: v[rows] + x
        case "mean" if stack is not None:
            mean = stack.mean(axis=0, dtype=np.float64)
            return lambda x, rows: x @ mean.T
        case "leave out":
            return lambda x, rows: np.zeros_like(x)
        case "raise":
            return None
    raise ValueError(f"missing={missing!r} will not do here; choose one of {', '.join(MISSING)}")


def learn_verb_matrices(
    subject_pairs: Mapping[str, linear.Group], object_pairs: Mapping[str, linear.Group], **options
) -> VerbMatrices:
    """Vs and Vo of every verb by weighted ridge regression (section 5.2.2); options and errors as of `LexicalFunction`.

    For each verb (subjects [n, d], holistic subject-verb vectors [n, d], counts [n]), and the same with objects. The
    paper's penalty is 75.

    >>> pairs = {"eat": (np.eye(2), 3 * np.eye(2), np.array([1, 1]))}
    >>> learned = learn_verb_matrices(pairs, pairs, penalty=0.5, weighting="none")
    >>> learned.subject.round(2)  # 3 / (1 + 0.5)
    array([[[2., 0.],
            [0., 2.]]], dtype=float32)
    """
    Vs, Vo = (LexicalFunction(**options).fit(pairs) for pairs in (subject_pairs, object_pairs))
    return VerbMatrices(Vs.functors, Vs.matrices, Vo.functors, Vo.matrices)


# ------------------------------------------------------------------------------------------------- relative pronouns


def learn_fplf(
    hn: ArrayLike,
    v_arg: ArrayLike,
    rc: ArrayLike,
    weights: ArrayLike | None = None,
    penalty: float = 75.0,
    joint: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """R1 and R2 [d_out, d] of a relative pronoun from head nouns, verbs with argument and clauses `rc` (section 5.5.4).

    Called once for subject and once for object relative clauses. The text learns the two apart, each explaining the
    whole clause, and `v_arg` are holistic vectors; the authors' code learns them together (`joint`), from the head noun
    and the *composed* verb-argument vector side by side. Weights are on the squared error, see `log_count_weights`.

    >>> h, c = np.eye(2), np.eye(2)[::-1]
    >>> R1, R2 = learn_fplf(h, c, 2 * h, penalty=0.0)
    >>> (R1 @ h[0]).round(2)
    array([2., 0.])
    """
    if not joint:
        return linear.ridge(hn, rc, penalty, weights), linear.ridge(v_arg, rc, penalty, weights)
    hn = np.asarray(hn)
    R = linear.ridge(np.hstack([hn, v_arg]), rc, penalty, weights)
    return R[:, : hn.shape[1]], R[:, hn.shape[1] :]


BLOCK_BYTES = 2**25
"""Rows h (x) c are written out in blocks of this size."""


def _blocks(n: int, width: int) -> list[slice]:
    step = max(1, BLOCK_BYTES // (8 * width))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _kronecker_rows(h: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Row by row the Kronecker product, row-major: [n, d_h d_c]."""
    return (h[:, :, None] * c[:, None, :]).reshape(len(h), -1)


def learn_rptensor(
    hn: ArrayLike,
    v_arg: ArrayLike,
    rc: ArrayLike,
    weights: ArrayLike | None = None,
    penalty: float = 80.0,
) -> np.ndarray:
    """The tensor R [d_out, d_h, d_c] of a relative pronoun by ridge regression (section 5.5.1; penalty 80 there).

    Minimises ``sum_n w_n |p_n - R h_n c_n|^2 + penalty |R|^2``, with h the head nouns, c the verbs with their arguments
    and p the clauses `rc`: ordinary ridge regression on the d_h d_c products h_j c_k, whose table is never built whole.
    Two ways to the same R, of which the smaller is taken. To each come two blocks of `BLOCK_BYTES` (32 MiB).

    - *dual*: the inner product of two rows h (x) c is (h . h')(c . c'), so the n x n kernel is ``(H H') * (C C')``
      and ``R_ijk = sum_n a_ni H_nj C_nk`` with ``(K + l I) a = P``. Memory: n^2 + d^3 floats.
    - *primal*: the normal equations in the d_h d_c products. Memory: d^4 + d^3 floats.

    A `ValueError` as of `ridge`, if no row has a weight, or if the penalty is not above 0.

    >>> R = learn_rptensor([[1.0]], [[2.0]], [[6.0]], penalty=4.0)
    >>> R.round(2)  # 6 * 2 / (2 * 2 + 4)
    array([[[1.5]]])
    """
    if not linear.check_penalty(penalty) > 0:
        raise ValueError("the penalty of a tensor must be above 0: there are more unknowns than clauses")
    H, P = linear.weighted_rows(hn, rc, weights)  # the root of a weight on h and p, so that it is on h (x) c and on p
    C = linear.weighted_rows(v_arg, rc, None)[0]
    C = C if weights is None else C[np.asarray(weights) > 0]
    if not len(H):
        raise ValueError("no relative clause has a positive weight: there is nothing to learn from")
    solve = _tensor_dual if len(H) <= H.shape[1] * C.shape[1] else _tensor_primal
    return solve(H, C, P, float(penalty)).reshape(P.shape[1], H.shape[1], C.shape[1])


def _tensor_dual(H: np.ndarray, C: np.ndarray, P: np.ndarray, penalty: float) -> np.ndarray:
    """sum_n a_n h_n (x) c_n, with a of (K + l I) a = P, K = (H H') * (C C')."""
    kernel = H @ H.T
    for rows in _blocks(len(H), len(H)):
        kernel[rows] *= C[rows] @ C.T
    kernel.flat[:: len(H) + 1] += penalty
    a = scipy.linalg.solve(kernel, P, assume_a="pos", overwrite_a=True, check_finite=False)
    return _weighted_sum(a, H, C)


def _weighted_sum(a: np.ndarray, H: np.ndarray, C: np.ndarray) -> np.ndarray:
    """sum_n a_ni h_n (x) c_n, block by block: [d_out, d_h d_c]."""
    total = np.zeros((a.shape[1], H.shape[1] * C.shape[1]))
    for rows in _blocks(len(H), total.shape[1]):
        total += a[rows].T @ _kronecker_rows(H[rows], C[rows])
    return total


def _tensor_primal(H: np.ndarray, C: np.ndarray, P: np.ndarray, penalty: float) -> np.ndarray:
    products = H.shape[1] * C.shape[1]
    gram, cross = np.zeros((products, products)), np.zeros((P.shape[1], products))
    for rows in _blocks(len(H), products):
        block = _kronecker_rows(H[rows], C[rows])
        gram += block.T @ block
        cross += P[rows].T @ block
    gram.flat[:: products + 1] += penalty
    return scipy.linalg.solve(gram, cross.T, assume_a="pos", overwrite_a=True, check_finite=False).T


# --------------------------------------------------------------------------------------------------------- the model


@dataclass(frozen=True)
class Composed:
    """Vectors of properties [n, d], and what was missing.

    ``missing`` is {(verb, "subject" | "object" | "relational"): number of properties whose formula lacked this matrix}.
    """

    vectors: np.ndarray
    missing: dict[tuple[str, str], int]


@dataclass(frozen=True)
class RelativeClauseModel:
    """Every method of the paper behind one call, given what it needs.

    ``verbs`` is for VArg, Vhn, PLF, SPLF, FPLF and RPTensor, ``relational`` for Frobenius, ``fplf`` ((R1s, R2s), (R1o,
    R2o)) and ``tensors`` (Rs, Ro) are the pronouns; ``missing`` is one of `MISSING`.
    """

    verbs: VerbMatrices | None = None
    relational: RelationalVerbs | None = None
    fplf: tuple[Pronoun, Pronoun] | None = None
    tensors: tuple[np.ndarray, np.ndarray] | None = None
    missing: str = "addition"

    def compose(
        self, method: str, hn: ArrayLike, v: ArrayLike, arg: ArrayLike, verbs: Sequence[str], orc: ArrayLike
    ) -> Composed:
        """Vectors of n properties by one of `METHODS`; `verbs` [n] are the labels of their verbs.

        A `ValueError` if the method is unknown, or what it needs was not given.
        """
        if method in LEXICAL_METHODS:
            return Composed(lexical(method, hn, v, arg), {})
        if method not in METHODS:
            raise ValueError(f"unknown method {method!r}; choose one of {', '.join(METHODS)}")
        if method == "Frobenius":
            relational = self._part("relational", method)
            vectors = relational.compose(hn, arg, verbs, np.asarray(orc), _otherwise(self.missing, v))
            return Composed(vectors, {(verb, "relational"): n for verb, n in relational.missing(verbs).items()})
        matrices = self._part("verbs", method)
        Vs, Vo = matrices.of(verbs, v, self.missing)
        match method:
            case "VArg":
                vectors = varg(arg, Vs, Vo, orc)
            case "Vhn":
                vectors = vhn(hn, Vs, Vo, orc)
            case "PLF":
                vectors = plf(hn, arg, Vs, Vo, orc)
            case "SPLF":
                vectors = splf(hn, arg, Vs, Vo, orc)
            case "FPLF":
                vectors = fplf(hn, arg, Vs, Vo, orc, *self._part("fplf", method))
            case "RPTensor":
                vectors = rptensor(hn, arg, Vs, Vo, orc, *self._part("tensors", method))
        lacking = matrices.missing(verbs, orc, hn=method in ("Vhn", "PLF"), arg=method != "Vhn")
        return Composed(vectors, lacking)

    def _part(self, name: str, method: str):
        if (part := getattr(self, name)) is None:
            raise ValueError(f"{method} needs {name}, but this model was made without; learn it first")
        return part


def lexical(method: str, hn: ArrayLike, v: ArrayLike, arg: ArrayLike) -> np.ndarray:
    """The lexical and arithmetic rows of Table 5, by their formula: one of `LEXICAL_METHODS`.

    >>> lexical("hn+arg", [[1, 2]], [[5, 5]], [[3, -1]])
    array([[4., 1.]])
    """
    if method not in LEXICAL_METHODS:
        raise ValueError(f"unknown method {method!r}; choose one of {', '.join(LEXICAL_METHODS)}")
    words = {"hn": hn, "v": v, "arg": arg}
    combine, sign = (mult, "*") if "*" in method else (add, "+")
    return combine(*(words[name] for name in method.split(sign)))
