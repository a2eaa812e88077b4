r"""The unfolding recursive autoencoder: a vector for every phrase of a binary tree, which its words are decoded from.

Socher, Huang, Pennington, Ng and Manning (NIPS 2011). Two children become their parent, a parent two children again:

.. math::

    \mathbf{p} = \tanh(W_e [\mathbf{c}_1; \mathbf{c}_2] + \mathbf{b}_e), \qquad
    [\mathbf{c}_1'; \mathbf{c}_2'] = \tanh(W_d \mathbf{p} + \mathbf{b}_d), \qquad
    E(p) = \sum_{i\,\text{below}\,p} \lVert \mathbf{x}_i - \mathbf{x}_i' \rVert^2, \\
    J = \frac{1}{N} \sum_{s=1}^{N} \sum_{p \in s} E(p)
        + \frac{\lambda}{2} ( \lVert W_e \rVert^2 + \lVert W_d \rVert^2 ).

The unfolding error E decodes a node all the way down its subtree and compares the leaves :math:`\mathbf{x}_i` with the
unfolded ones; the plain error compares the two children only. J is the objective over N sentences; the biases are not
penalised. Word vectors are given and stay as they are; tanh ends at 1, so they should be `scaled` first.

What does not follow the paper: there are no further layers between children and parent (its deep variant), and Adam
takes the place of L-BFGS.
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

PARAMETERS = ("W_e", "b_e", "W_d", "b_d")
WEIGHTS = ("W_e", "W_d")  # the penalised ones
_CHUNK = 256  # sentences that are encoded at a time
_one_core = threadpool_limits.wrap(limits=1, user_api="blas")
"""More threads round otherwise; alone on a machine they are a quarter faster, beside other work ten times slower."""


# --------------------------------------------------------------------------------------------------------------- trees


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree over the n tokens of a sentence.

    Leaves are the nodes 0 .. n-1, in the order of the tokens; internal node j is the node n + j, its left and right
    child stand in ``children`` (int32 [n - 1, 2]). Children come before their parents: the last node is the root, of a
    sentence of one token its leaf.

    >>> Tree([[0, 1], [3, 2]])
    Tree(((0 1) 2))
    """

    children: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "children", np.array(self.children, dtype=np.int32).reshape(-1, 2))

    @property
    def n_leaves(self) -> int:
        """Number of tokens n."""
        return len(self.children) + 1

    def spans(self) -> np.ndarray:
        """First token of each node and the one after its last: int64 [2 n - 1, 2]; those between may be another's."""
        leaves = np.arange(self.n_leaves)
        spans = np.vstack([np.column_stack([leaves, leaves + 1]), np.zeros((len(self.children), 2), dtype=np.int64)])
        for j, (left, right) in enumerate(self.children.tolist(), self.n_leaves):
            spans[j] = min(spans[left, 0], spans[right, 0]), max(spans[left, 1], spans[right, 1])
        return spans

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and np.array_equal(self.children, other.children)

    def __repr__(self) -> str:
        shown = [str(i) for i in range(self.n_leaves)]
        for left, right in self.children.tolist():
            shown.append(f"({shown[left]} {shown[right]})")
        return f"Tree({shown[-1]})"


def binarise(heads: Sequence[int]) -> Tree:
    """A binary tree from a dependency tree: `heads` [n] are places from 0, or -1 for a root.

    Each head is combined with its dependents one by one: first with those on its right, the nearest first, then with
    those on its left, so that a verb and its objects make a phrase before the subject joins it. A dependent brings all
    that hangs from it. Left and right child are in the order of their heads, so that the leaves of a projective tree
    are the sentence. Several roots are joined from left to right, ((r1 r2) r3).

    A `ValueError` without tokens, if a head is none, or if tokens hang from each other in a circle.

    >>> binarise([1, 2, -1])  # the cat sat
    Tree(((0 1) 2))
    >>> binarise([1, -1, 3, 1])  # cats chase the dog: the object first, then the subject
    Tree((0 (1 (2 3))))
    """
    heads = list(map(int, heads))
    dependents = {place: [] for place in (*range(len(heads)), -1)}
    for place, head in enumerate(heads):
        dependents.get(head, []).append(place)
    levels = [dependents[-1]]
    while levels[-1]:
        levels.append(sorted(chain.from_iterable(dependents[head] for head in levels[-1])))
    if not heads or sum(map(len, levels)) < len(heads):
        raise ValueError(f"these heads are no tree: {heads}; each is another token's place, or -1 for a root")
    node, children = list(range(len(heads))), []

    def join(head: int, other: int) -> None:
        children.append((node[min(head, other)], node[max(head, other)]))
        node[head] = len(heads) + len(children) - 1

    for head in chain.from_iterable(reversed(levels)):
        right = bisect(dependents[head], head)
        for dependent in (*dependents[head][right:], *reversed(dependents[head][:right])):
            join(head, dependent)
    for root in levels[0][1:]:
        join(levels[0][0], root)
    return Tree(children)


def right_branching(n: int) -> Tree:
    """The tree (0 (1 (2 ...))) over n tokens, for sentences without a parse.

    >>> right_branching(3)
    Tree((0 (1 2)))
    """
    inner = np.arange(n - 1)
    return Tree(np.column_stack([n - 2 - inner, n - 1 + inner]))


# ------------------------------------------------------------------------------------------- several trees side by side


class _Forest(NamedTuple):
    """The trees of several sentences with one numbering: all leaves in order, then internal nodes by height.

    Nodes of the same height, of whatever sentence, are encoded in one matrix product.
    """

    n_leaves: int
    children: np.ndarray  # int64 [m, 2]
    levels: list[tuple[int, int]]  # internal nodes of height 1, 2 ... as first and stop, from the first internal node
    place: np.ndarray  # int64 [m]: where each internal node stands, in the order sentence by sentence
    roots: np.ndarray  # int64 [number of sentences]

    def inner(self, nodes: np.ndarray) -> np.ndarray:
        """Of the vectors of all nodes those of the internal ones, sentence by sentence."""
        return nodes[self.n_leaves + self.place]


def _side_by_side(trees: Sequence[Tree]) -> tuple[int, np.ndarray, np.ndarray]:
    """Leaves, children and roots of several trees: all leaves are numbered first, then all internal nodes.

    >>> n, children, roots = _side_by_side([Tree([[0, 1], [3, 2]]), Tree([[0, 1]])])  # ((0 1) 2) and (0 1)
    >>> children.tolist(), roots.tolist()  # leaves 0 1 2 and 3 4, internal nodes 5 6 and 7
    ([[0, 1], [5, 2], [3, 4]], [6, 7])
    """
    n_leaves = sum(tree.n_leaves for tree in trees)
    leaf, internal = 0, n_leaves
    children, roots = [], []
    for tree in trees:
        n = tree.n_leaves
        number = np.concatenate((np.arange(leaf, leaf + n), np.arange(internal, internal + n - 1)))
        children.append(number[tree.children])
        roots.append(number[-1])
        leaf, internal = leaf + n, internal + n - 1
    return n_leaves, np.concatenate(children), np.array(roots)


def _forest(trees: Sequence[Tree]) -> _Forest:
    """Several trees side by side, the internal nodes sorted by height.

    >>> forest = _forest([Tree([[0, 1], [3, 2]]), Tree([[0, 1]])])  # as above; now 6 is (3 4), and 7 is (5 2)
    >>> forest.children.tolist(), forest.levels, forest.place.tolist(), forest.roots.tolist()
    ([[0, 1], [3, 4], [5, 2]], [(0, 2), (2, 3)], [0, 2, 1], [7, 6])
    """
    n_leaves, children, roots = _side_by_side(trees)
    heights = [0] * n_leaves
    for left, right in children.tolist():  # children stand before their parents
        heights.append(1 + max(heights[left], heights[right]))
    height = np.array(heights[n_leaves:], dtype=np.int32)
    order = np.argsort(height, kind="stable")
    number = np.arange(n_leaves + len(children))
    number[n_leaves + order] = n_leaves + np.arange(len(order))
    stops = np.cumsum(np.bincount(height, minlength=1)[1:]).tolist()
    levels = list(zip([0, *stops], stops, strict=False))
    return _Forest(n_leaves, number[children[order]], levels, number[n_leaves:] - n_leaves, number[roots])


# ------------------------------------------------------------------------------------------------------ the autoencoder


@dataclass(eq=False)
class UnfoldingAutoencoder:
    """The model of the module's first lines.

    W_e [d, 2 d] starts as [I/2, I/2] + noise, near the mean of the children, and W_d [2 d, d] as [I; I] + noise, near
    two copies of the parent; the biases b_e [d] and b_d [2 d] start at 0: training begins as vector averaging. `noise`
    is a standard deviation. float32 trains twice as fast as float64, to the same losses in six digits; vectors are
    always computed in float64, so that equal sentences get equal ones to the ninth decimal.

    >>> words = np.array([[0.3, 0.1], [0.1, 0.2], [-0.2, 0.4]])
    >>> model = UnfoldingAutoencoder(2, noise=0)
    >>> model.encode(words, binarise([1, 2, -1])).round(3)  # three words, (0 1), ((0 1) 2)
    array([[ 0.3  ,  0.1  ],
           [ 0.1  ,  0.2  ],
           [-0.2  ,  0.4  ],
           [ 0.197,  0.149],
           [-0.001,  0.268]])
    """

    dimensions: int
    seed: int = 0
    noise: float = 0.01
    dtype: str = "float32"
    W_e: np.ndarray = None
    b_e: np.ndarray = None
    W_d: np.ndarray = None
    b_d: np.ndarray = None

    def __post_init__(self):
        if self.W_e is None:
            d, rng, eye = self.dimensions, np.random.default_rng(self.seed), np.eye(self.dimensions)
            self.W_e = (np.hstack([eye / 2, eye / 2]) + rng.normal(0, self.noise, (d, 2 * d))).astype(self.dtype)
            self.W_d = (np.vstack([eye, eye]) + rng.normal(0, self.noise, (2 * d, d))).astype(self.dtype)
            self.b_e, self.b_d = np.zeros(d, dtype=self.dtype), np.zeros(2 * d, dtype=self.dtype)

    @property
    def n_parameters(self) -> int:
        """How many numbers are learnt."""
        return sum(getattr(self, name).size for name in PARAMETERS)

    # ------------------------------------------------------------------------------------------------------- encoding

    def encode(self, vectors: ArrayLike, tree: Tree) -> np.ndarray:
        """The vectors of all nodes of a tree over words [n, d]: float64 [2 n - 1, d], in the order of its nodes."""
        forest, nodes = self._encoded_alone(vectors, tree)
        return np.vstack([nodes[: forest.n_leaves], forest.inner(nodes)])

    @_one_core
    def embed(
        self, sentences: Sequence[np.ndarray], trees: Sequence[Tree], vectors: ArrayLike, *, mean: bool = False
    ) -> np.ndarray:
        """The root vectors of many sentences, float64 [number of sentences, d]; of a single token its word vector.

        A sentence is an int array of rows of `vectors` [words, d]. With `mean`, instead of the root the mean of all
        nodes of the tree, words and phrases. A `ValueError` if a tree does not fit its sentence.
        """
        roots = np.zeros((len(sentences), self.dimensions))
        for i in range(0, len(sentences), _CHUNK):
            some = sentences[i : i + _CHUNK]
            forest, nodes = self._encoded(some, trees[i : i + _CHUNK], vectors)
            if mean:
                lengths = np.array([len(sentence) for sentence in some])
                number = np.arange(i, i + len(some))
                np.add.at(roots, np.repeat(number, lengths), nodes[: forest.n_leaves])
                np.add.at(roots, np.repeat(number, lengths - 1), forest.inner(nodes))
                roots[number] /= 2 * lengths[:, None] - 1
            else:
                roots[i : i + _CHUNK] = nodes[forest.roots]
        return roots

    @_one_core
    def phrases(
        self, sentences: Sequence[np.ndarray], trees: Sequence[Tree], vectors: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """Vectors of all internal nodes of many sentences, float32 [m, d], and their spans, int64 [m, 3].

        Asked like `embed`. A span is sentence, first token, and the token after the last one, see `Tree.spans`.
        """
        inner = []
        for i in range(0, len(sentences), _CHUNK):
            forest, nodes = self._encoded(sentences[i : i + _CHUNK], trees[i : i + _CHUNK], vectors)
            inner.append(forest.inner(nodes).astype(np.float32))
        spans = [(i, *span) for i, tree in enumerate(trees) for span in tree.spans()[tree.n_leaves :].tolist()]
        return np.vstack(inner), np.array(spans, dtype=np.int64).reshape(-1, 3)

    # -------------------------------------------------------------------------------------------------------- errors

    def pair_errors(self, left: ArrayLike, right: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Parents [k, d] of pairs of nodes [k, d], and the plain errors ``||[c1; c2] - [c1'; c2']||^2`` [k]."""
        parameters = self._parameters("float64")
        pairs = np.hstack([np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)])
        parents = _tanh(pairs, parameters["W_e"], parameters["b_e"])
        return parents, ((pairs - _tanh(parents, parameters["W_d"], parameters["b_d"])) ** 2).sum(axis=1)

    def unfolding_errors(self, vectors: ArrayLike, tree: Tree) -> np.ndarray:
        """The unfolding error E(p) of each internal node p of a sentence, float64 [n - 1]; asked like `encode`."""
        forest, nodes = self._encoded_alone(vectors, tree)
        errors = np.zeros(len(tree.children))
        for step in _unfold(nodes, forest, self._parameters("float64")):
            errors += np.bincount(step.origin, weights=(step.difference**2).sum(axis=1), minlength=len(errors))
        return errors[forest.place]

    def loss_and_gradient(
        self, sentences: Sequence[np.ndarray], trees: Sequence[Tree], vectors: ArrayLike, *, penalty: float = 0.0
    ) -> tuple[float, dict[str, np.ndarray]]:
        """Mean loss of sentences without penalty, and the gradient of J for each of `PARAMETERS`; see `embed`.

        The errors at the leaves go back up through the decoding to each node from which they were unfolded, and from
        there, together with what its parent passes down, through the encoding. `penalty` is lambda.
        """
        parameters, d = self._parameters(self.dtype), self.dimensions
        forest, leaves = _leaves(sentences, trees, np.asarray(vectors, dtype=self.dtype))
        nodes = _encode(leaves, forest, parameters)
        steps = list(_unfold(nodes, forest, parameters))
        loss = sum(_squares(step.difference) for step in steps) / len(sentences)
        gradient = {name: value * (penalty if name in WEIGHTS else 0) for name, value in parameters.items()}
        scale = np.dtype(self.dtype).type(2 / len(sentences))

        # back through the unfolding, the deepest step first; below: dJ/d(states that this step decoded)
        below = np.empty((0, d), dtype=scale.dtype)
        for step in reversed(steps):
            slope = np.empty_like(step.decoded)
            slope[step.at_leaf] = scale * step.difference
            slope[step.further] = below
            slope *= 1 - step.decoded**2
            slope = slope.reshape(-1, 2 * d)
            gradient["W_d"] += slope.T @ step.states
            gradient["b_d"] += slope.sum(axis=0)
            below = slope @ parameters["W_d"]

        # back through the encoding, the highest nodes first; above[p]: dJ/dp for every internal node p
        above = np.empty_like(nodes)
        above[forest.n_leaves :] = below
        for first, stop in reversed(forest.levels):
            here = slice(forest.n_leaves + first, forest.n_leaves + stop)
            children = forest.children[first:stop].ravel()
            above[here] *= 1 - nodes[here] ** 2
            inner = children >= forest.n_leaves
            above[children[inner]] += (above[here] @ parameters["W_e"]).reshape(-1, d)[inner]
        slope = above[forest.n_leaves :]
        gradient["W_e"] += slope.T @ nodes[forest.children].reshape(-1, 2 * d)
        gradient["b_e"] += slope.sum(axis=0)
        return loss, gradient

    # ------------------------------------------------------------------------------------------------------- training

    @_one_core
    def fit(
        self,
        sentences: Sequence[np.ndarray],
        trees: Sequence[Tree] | str,
        vectors: ArrayLike,
        *,
        epochs: int = 3,
        batch: int = 100,
        rate: float = 0.003,
        penalty: float = 1e-4,
        seed: int = 0,
    ) -> "UnfoldingAutoencoder":
        """Train by Adam (Kingma and Ba 2015) on mini-batches, from the present parameters on; returns itself.

        Parameters
        ----------
        sentences, trees, vectors
            As for `embed`. Sentences of one token are left out: there is nothing to encode. With "greedy" for trees,
            those of `greedy_trees`, made anew with the present parameters before each epoch.
        batch : int
            Sentences of a mini-batch.
        rate : float
            Adam's first step size; it falls linearly, to nothing after the last epoch. In 8 passes over 20,000
            sentences of Wikipedia 0.01 ended lower than 0.003, and batches of 50 lower than of 100.
        penalty : float
            Lambda. It stands beside a loss that is summed over all nodes and leaves of a sentence.
        seed : int
            Of the order of the sentences. The same seed gives the same parameters where matrix products are rounded
            alike; between processors they are if OPENBLAS_CORETYPE names one for all, as in the Makefile.
        """
        vectors = np.asarray(vectors, dtype=self.dtype)
        longer = [i for i, sentence in enumerate(sentences) if len(sentence) > 1]
        sentences = [sentences[i] for i in longer]
        trees = trees if isinstance(trees, str) else [trees[i] for i in longer]
        rng, adam = np.random.default_rng(seed), Adam(rate)
        steps = epochs * -(-len(sentences) // batch)
        for epoch in range(epochs):
            grown = greedy_trees(sentences, vectors, self) if isinstance(trees, str) else trees
            order = rng.permutation(len(sentences))
            for i in tqdm(range(0, len(order), batch), f"epoch {epoch + 1}", disable=None, leave=False):
                drawn = order[i : i + batch]
                some, shapes = [sentences[k] for k in drawn], [grown[k] for k in drawn]
                gradient = self.loss_and_gradient(some, shapes, vectors, penalty=penalty)[1]
                adam.rate = rate * (1 - adam.t / steps)
                for name, step in adam.steps(gradient).items():
                    setattr(self, name, getattr(self, name) - step)
        return self

    # -------------------------------------------------------------------------------------------------------- helpers

    def _parameters(self, dtype: str) -> dict[str, np.ndarray]:
        return {name: np.asarray(getattr(self, name), dtype=dtype) for name in PARAMETERS}

    def _encoded(self, sentences, trees, vectors) -> tuple[_Forest, np.ndarray]:
        forest, leaves = _leaves(sentences, trees, np.asarray(vectors, dtype=np.float64))
        return forest, _encode(leaves, forest, self._parameters("float64"))

    def _encoded_alone(self, vectors: ArrayLike, tree: Tree) -> tuple[_Forest, np.ndarray]:
        return self._encoded([np.arange(len(vectors))], [tree], vectors)


def _leaves(sentences, trees, vectors: np.ndarray) -> tuple[_Forest, np.ndarray]:
    """The trees of several sentences as one forest, and the word vectors at its leaves."""
    if [len(sentence) for sentence in sentences] != [tree.n_leaves for tree in trees]:
        raise ValueError("each sentence needs a tree with as many leaves as it has tokens")
    return _forest(trees), vectors[np.concatenate(sentences)]


def _tanh(x: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """tanh(W x + b) for each row x: p of [c1; c2], or [c1'; c2'] of p."""
    y = x @ weights.T
    y += bias
    return np.tanh(y, out=y)


def _encode(leaves: np.ndarray, forest: _Forest, parameters: dict[str, np.ndarray]) -> np.ndarray:
    """The vectors of all nodes of a forest [n_leaves + m, d], one product a height."""
    nodes = np.empty((forest.n_leaves + len(forest.children), leaves.shape[1]), dtype=leaves.dtype)
    nodes[: forest.n_leaves] = leaves
    for first, stop in forest.levels:
        pairs = nodes[forest.children[first:stop]].reshape(stop - first, -1)
        parents = _tanh(pairs, parameters["W_e"], parameters["b_e"])
        nodes[forest.n_leaves + first : forest.n_leaves + stop] = parents
    return nodes


class _Step(NamedTuple):
    """One step of the unfolding: k states, the 2 k children decoded from them, and their distance from the leaves."""

    states: np.ndarray  # [k, d]
    decoded: np.ndarray  # [2 k, d], left and right child of each in turn: leaves, or nodes that the next step decodes
    at_leaf: np.ndarray  # places in decoded
    difference: np.ndarray  # [len(at_leaf), d]: x' - x
    origin: np.ndarray  # [len(at_leaf)]: the internal node whose unfolding this is
    further: np.ndarray  # places in decoded


def _unfold(nodes: np.ndarray, forest: _Forest, parameters: dict[str, np.ndarray]) -> Iterator[_Step]:
    """All internal nodes decoded down to their leaves, one product for each step down."""
    states, here = nodes[forest.n_leaves :], np.arange(len(forest.children))
    origins = here
    while len(here):
        children, origins = forest.children[here].ravel(), np.repeat(origins, 2)
        is_leaf = children < forest.n_leaves
        at_leaf, further = np.flatnonzero(is_leaf), np.flatnonzero(~is_leaf)
        decoded = _tanh(states, parameters["W_d"], parameters["b_d"]).reshape(-1, nodes.shape[1])
        yield _Step(states, decoded, at_leaf, decoded[at_leaf] - nodes[children[at_leaf]], origins[at_leaf], further)
        states, here, origins = decoded[further], children[further] - forest.n_leaves, origins[further]


def _squares(x: np.ndarray) -> float:
    x = x.ravel()
    return float(x @ x)


class Adam:
    """Adam (Kingma and Ba 2015, Algorithm 1): steps scaled by running means of the gradient and of its square."""

    beta_1, beta_2, epsilon = 0.9, 0.999, 1e-8

    def __init__(self, rate: float):
        self.rate, self.t = rate, 0
        self.m: dict[str, np.ndarray] = {}
        self.v: dict[str, np.ndarray] = {}

    def steps(self, gradient: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What to subtract from each parameter, given its gradient."""
        self.t += 1
        steps = {}
        for name, g in gradient.items():
            self.m[name] = self.beta_1 * self.m.get(name, 0) + (1 - self.beta_1) * g
            self.v[name] = self.beta_2 * self.v.get(name, 0) + (1 - self.beta_2) * g**2
            m = self.m[name] / (1 - self.beta_1**self.t)
            v = self.v[name] / (1 - self.beta_2**self.t)
            steps[name] = self.rate * m / (np.sqrt(v) + self.epsilon)
        return steps


# ------------------------------------------------------------------------------------------------------- greedy trees


@_one_core
def greedy_trees(sentences: Sequence[np.ndarray], vectors: ArrayLike, model: UnfoldingAutoencoder) -> list[Tree]:
    """The trees that join, again and again, the two neighbours with the smallest plain reconstruction error.

    Socher, Pennington, Huang, Ng and Manning (EMNLP 2011), here without weights for the size of the children. Errors
    are rounded to 9 decimals, so that the same two words twice in a sentence tie; the first pair wins. Asked like
    `UnfoldingAutoencoder.embed`.

    >>> words = np.array([[0.1, 0.2], [0.3, 0.1], [-0.4, 0.2]])
    >>> greedy_trees([np.array([0, 1, 2])], words, UnfoldingAutoencoder(2, seed=1))
    [Tree(((0 1) 2))]
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    lengths = np.array([len(sentence) for sentence in sentences])
    trees: list[Tree | None] = [None] * len(sentences)
    order = np.argsort(lengths, kind="stable")
    for same in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        for together in np.split(same, range(_CHUNK, len(same), _CHUNK)):
            grown = _grow(vectors[np.stack([sentences[k] for k in together])], model)
            for k, children in zip(together, grown, strict=True):
                trees[k] = Tree(children)
    return trees


def _grow(nodes: np.ndarray, model: UnfoldingAutoencoder) -> np.ndarray:
    """Children [b, n - 1, 2] of the greedy trees over b sentences of n word vectors [b, n, d]."""
    b, n, d = nodes.shape
    rows = np.arange(b)
    name = np.tile(np.arange(n), (b, 1))  # the node in each slot; a parent takes the slot of its left child
    before, after = name - 1, name + 1  # the neighbours' slots; n: none
    parents, errors = np.empty((b, n, d)), np.full((b, n + 1), np.inf)  # of each slot and the slot after it

    def compare(sentence: np.ndarray, slot: np.ndarray) -> None:
        p, error = model.pair_errors(nodes[sentence, slot], nodes[sentence, after[sentence, slot]])
        parents[sentence, slot], errors[sentence, slot] = p, error.round(9)

    if n > 1:
        compare(np.repeat(rows, n - 1), np.tile(np.arange(n - 1), b))
    children = np.empty((b, n - 1, 2), dtype=np.int32)
    for j in range(n - 1):
        slot = errors.argmin(axis=1)
        gone = after[rows, slot]
        children[:, j, 0], children[:, j, 1] = name[rows, slot], name[rows, gone]
        nodes[rows, slot], name[rows, slot] = parents[rows, slot], n + j
        beyond = after[rows, gone]
        after[rows, slot] = beyond
        inside = beyond < n
        before[rows[inside], beyond[inside]] = slot[inside]
        errors[rows, gone] = errors[rows, slot] = np.inf
        preceding = before[rows, slot]
        has_left = preceding >= 0
        compare(np.concatenate([rows[has_left], rows[inside]]), np.concatenate([preceding[has_left], slot[inside]]))
    return children


# ------------------------------------------------------------------------------------------ word vectors and phrases


def scaled(space: Space, deviations: float = 3.0) -> Space:
    """Word vectors that tanh can reach: divided by so many standard deviations of all components, cut off at -1 and 1.

    The deviations are about 0; of normally distributed components 0.3 % are cut off.

    >>> space = scaled(Space(["a", "b"], [[3.0, -3.0], [1.0, 0.0]]), deviations=1.0)
    >>> np.abs(space.vectors).max()
    np.float32(1.0)
    """
    constant = deviations * float(np.sqrt(np.mean(space.vectors.astype(np.float64) ** 2)))
    return Space(space.rows, np.clip(space.vectors / np.float32(constant), -1, 1), space.dimensions)


def nearest_phrases(
    vectors: ArrayLike, spans: ArrayLike, words: Sequence[Sequence[str]], query: int, k: int = 5
) -> list[tuple[str, float]]:
    """The k phrases of highest cosine with that of number `query` (Socher et al. 2011, Table 1).

    Vectors [m, d] and spans [m, 3] are those of `UnfoldingAutoencoder.phrases`; `words` are the tokens of each
    sentence. Gives words and cosine (0 with a zero vector), nearest first, ties in the order of the nodes; without
    phrases whose words are those of the query or of a nearer phrase.

    >>> spans = [(0, 0, 2), (1, 0, 2), (2, 0, 2)]
    >>> words = [["red", "car"], ["blue", "car"], ["old", "man"]]
    >>> nearest_phrases([[1, 0], [1, 1], [0, 1]], spans, words, query=0, k=1)[0][0]
    'blue car'
    """
    vectors, spans = np.asarray(vectors), np.asarray(spans)

    def text(i: int) -> str:
        sentence, first, stop = spans[i].tolist()
        return " ".join(words[sentence][first:stop])

    cosines = paired_cosines(vectors, vectors[query])
    nearest = {text(query): 1.0}
    for i in np.argsort(-cosines.round(6), kind="stable").tolist():
        nearest.setdefault(text(i), float(cosines[i]))
    return list(nearest.items())[1 : k + 1]
