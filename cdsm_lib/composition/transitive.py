r"""Transitive sentences, *dogs chase cats*: a verb that is a matrix meets its subject and its object.

Grefenstette and Sadrzadeh (EMNLP 2011; GEMS 2011, Kronecker); Kartsaklis, Sadrzadeh and Pulman, "A unified sentence
space for categorical distributional-compositional semantics" (COLING 2012); Frobenius add and mult: Kartsaklis and
Sadrzadeh, "A study of entanglement in a compositional distributional model of semantics" (QPL 2014).

================ ========================================= ========
`relational`     :math:`V \odot (s \otimes o)`             a matrix
`kronecker`      :math:`(v \otimes v) \odot (s \otimes o)` a matrix
`copy_subject`   :math:`s \odot (V o)`                     a vector
`copy_object`    :math:`o \odot (V^\top s)`                a vector
`frobenius_add`  copy-subject + copy-object                a vector
`frobenius_mult` copy-subject :math:`\odot` copy-object    a vector
================ ========================================= ========

The verb is the sum of the outer products of the subjects and objects that it was seen with (`relational_matrix`); the
names copy-subject and copy-object are the authors' own. Conventions: s, v, o are tables [n, d], a sentence a row; ``V``
is one matrix [d, d], an array [n, d, d], or `RowMatrices`. A sentence that is a matrix comes as a row of d² numbers.
Results are float64; shapes that do not fit are a `ValueError`, a verb without its matrix is a `KeyError`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from cdsm_lib.composition.elementwise import mult
from cdsm_lib.composition.linear import RowMatrices, by_place
from cdsm_lib.composition.relative_clause import Matrices, frobenius, relational_matrix
from cdsm_lib.labels import Labels


def relational_matrices(verbs: Sequence[str], subjects: ArrayLike, objects: ArrayLike) -> tuple[Labels, np.ndarray]:
    """The matrix of each verb over the subjects and objects that it was seen with (Grefenstette and Sadrzadeh 2011).

    Raises `ValueError` if there are not as many verbs, subjects and objects.

    Parameters
    ----------
    verbs : sequence of str [m]
        The verb of each pair.
    subjects, objects : array [m, d]
        The pairs, row by row. The paper takes each pair once, however frequent.

    Returns
    -------
    verbs : Labels
        Each verb once, in the order of first appearance.
    matrices : array [verbs, d, d], float64
        See `relational_matrix`.

    Examples
    --------
    >>> verbs, matrices = relational_matrices(["see", "eat", "see"], [[1, 0], [1, 2], [1, 1]], [[2, 1], [0, 1], [0, 3]])
    >>> list(verbs), matrices[0]
    (['see', 'eat'], array([[2., 4.],
           [0., 3.]]))

    The matrices of sentences, by their verbs::

        V = RowMatrices(matrices, verbs.encode(["eat", "see", "see"]))
    """
    subjects, objects = np.asarray(subjects, dtype=np.float64), np.asarray(objects, dtype=np.float64)
    if not len(verbs) == len(subjects) == len(objects):
        raise ValueError(f"{len(verbs)} verbs, {len(subjects)} subjects, {len(objects)} objects; give one row a pair")
    known = Labels(dict.fromkeys(verbs))
    pairs = dict(by_place(known.encode(verbs)))
    return known, np.stack([relational_matrix(subjects[pairs[i]], objects[pairs[i]]) for i in range(len(known))])


def _outer(a: ArrayLike, b: ArrayLike) -> np.ndarray:
    """The outer product of each row of a with the same row of b, as rows [n, d²]."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 2 or a.shape != b.shape:
        raise ValueError(f"tables [n, d], a sentence a row, are needed, but the shapes are {a.shape} and {b.shape}")
    return np.einsum("ni,nj->nij", a, b).reshape(len(a), -1)


def relational(s: ArrayLike, V: Matrices, o: ArrayLike) -> np.ndarray:
    """Relational: the verb's matrix times the outer product of subject and object, cell by cell: float64 [n, d²].

    >>> relational([[1, 2]], [[2, 4], [0, 3]], [[3, -1]])  # the matrix (6, -4), (0, -6)
    array([[ 6., -4.,  0., -6.]])
    """
    outer = _outer(s, o)
    if isinstance(V, RowMatrices):
        if (V.places < 0).any():
            raise KeyError(
                f"{(V.places < 0).sum()} of {len(V.places)} sentences have a verb without a matrix; leave them out"
            )
        V = V.stack[V.places]
    return outer * np.broadcast_to(V, (len(outer), *np.shape(V)[-2:])).reshape(outer.shape)


def kronecker(s: ArrayLike, v: ArrayLike, o: ArrayLike) -> np.ndarray:
    """Kronecker: as `relational`, the verb's matrix being its vector times itself; nothing is learned.

    >>> kronecker([[1, 2]], [[2, 1]], [[3, -1]])  # (4, 2), (2, 1) times (3, -1), (6, -2)
    array([[12., -2., 12., -2.]])
    """
    return _outer(mult(s, v), mult(v, o))


def copy_subject(s: ArrayLike, V: Matrices, o: ArrayLike) -> np.ndarray:
    """Copy-subject: the subject times what the verb makes of the object; the `frobenius` of a subject relative clause.

    With `RowMatrices.otherwise`, also for verbs without a matrix.

    >>> copy_subject([[1, 2]], [[2, 4], [0, 3]], [[3, -1]])  # V o = (2, -3)
    array([[ 2., -6.]])
    """
    return frobenius(s, o, V, np.zeros(len(s), dtype=bool))


def copy_object(s: ArrayLike, V: Matrices, o: ArrayLike) -> np.ndarray:
    """Copy-object: the object times what the verb makes of the subject; the `frobenius` of an object relative clause.

    >>> copy_object([[1, 2]], [[2, 4], [0, 3]], [[3, -1]])  # V' s = (2, 10)
    array([[  6., -10.]])
    """
    return frobenius(o, s, V, np.ones(len(s), dtype=bool))


def frobenius_add(s: ArrayLike, V: Matrices, o: ArrayLike) -> np.ndarray:
    """Frobenius add: `copy_subject` + `copy_object`.

    >>> frobenius_add([[1, 2]], [[2, 4], [0, 3]], [[3, -1]])
    array([[  8., -16.]])
    """
    return copy_subject(s, V, o) + copy_object(s, V, o)


def frobenius_mult(s: ArrayLike, V: Matrices, o: ArrayLike) -> np.ndarray:
    """Frobenius mult: `copy_subject` times `copy_object`, element by element.

    >>> frobenius_mult([[1, 2]], [[2, 4], [0, 3]], [[3, -1]])
    array([[12., 60.]])
    """
    return copy_subject(s, V, o) * copy_object(s, V, o)


METHODS = {
    "relational": relational,
    "copy-subject": copy_subject,
    "copy-object": copy_object,
    "Frobenius add": frobenius_add,
    "Frobenius mult": frobenius_mult,
    "Kronecker": kronecker,
}
"""By name. Each takes subjects, verbs and objects: vectors of verbs for Kronecker, matrices for the others."""
