"""The unfolding recursive autoencoder: trees, codes and errors by hand, gradients by differences, training, storage."""

from math import tanh

import numpy as np
import pytest

from cdsm_lib.composition import autoencoder
from cdsm_lib.composition.autoencoder import (
    PARAMETERS,
    Tree,
    UnfoldingAutoencoder,
    binarise,
    greedy_trees,
    right_branching,
)
from cdsm_lib.vectors.space import Space

SHAPES = {"(0 1)": [[0, 1]], "((0 1) (2 3))": [[0, 1], [2, 3], [4, 5]], "(0 (1 (2 3)))": [[2, 3], [1, 4], [0, 5]],
          "((0 (1 2)) 3)": [[1, 2], [0, 4], [5, 3]], "0": []}  # fmt: skip
TREES = [Tree(children) for children in SHAPES.values()]


def by_hand() -> UnfoldingAutoencoder:
    """d = 1, p = tanh((c1 + c2) / 2), c1' = c2' = tanh(p)."""
    return UnfoldingAutoencoder(1, noise=0, dtype=np.float64)


def random_model(d=3, seed=1, dtype=np.float64, noise=0.4) -> UnfoldingAutoencoder:
    model = UnfoldingAutoencoder(d, seed=seed, noise=noise, dtype=dtype)
    rng = np.random.default_rng(seed + 1)
    model.b_e, model.b_d = (rng.normal(0, 0.2, size).astype(dtype) for size in (d, 2 * d))
    return model


def text(n_sentences=60, n_words=12, d=4, seed=3):
    """Sentences of 1 to 9 words with random trees, and word vectors that lie on a line with some noise."""
    rng = np.random.default_rng(seed)
    vectors = 0.6 * rng.choice([-1, 1], size=(n_words, 1)) * np.ones(d) + rng.normal(0, 0.1, (n_words, d))
    sentences = [rng.integers(0, n_words, size=rng.integers(1, 10)) for _ in range(n_sentences)]
    trees = [binarise([-1, *(int(rng.integers(0, i)) for i in range(1, len(s)))]) for s in sentences]
    return sentences, trees, vectors


# --------------------------------------------------------------------------------------------------------------- trees


def test_the_spans_of_nodes():
    assert TREES[3].spans().tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [1, 3], [0, 3], [0, 4]]


@pytest.mark.parametrize(
    "heads, shape",
    [
        ([1, 2, -1], "((0 1) 2)"),  # the cat sat
        ([-1], "0"),
        ([1, -1, 1], "(0 (1 2))"),  # cats chase dogs: the object first
        ([2, 2, -1], "(0 (1 2))"),  # old grey cats: the nearest first
        ([-1, 0, 0], "((0 1) 2)"),
        ([1, -1, 3, 1], "(0 (1 (2 3)))"),  # cats chase the dog: a verb phrase
        ([2, 2, -1, 2], "(0 (1 (2 3)))"),
        ([-1, 0, -1, -1], "(((0 1) 2) 3)"),  # several roots, left to right
        ([-1, -1, 1, -1], "((0 (1 2)) 3)"),
        # not projective, "a hearing is scheduled today about it": 0 a <- 1 hearing <- 2 is; 3 scheduled <- 2;
        # 4 today <- 3; 5 about <- 1, across the verb; 6 it <- 5. hearing: (about it) at the right, then a.
        # is: scheduled (right) before hearing (left).
        ([1, 2, -1, 2, 3, 1, 5], "((0 (1 (5 6))) (2 (3 4)))"),
    ],
)
def test_binarise(heads, shape):
    assert repr(binarise(heads)) == f"Tree({shape})"


@pytest.mark.parametrize("heads", [[1, 0], [0], [-1, 1, 0], [-1, 2, 3, 1], [-1, 2], [-2], []])
def test_heads_that_are_no_tree(heads):
    """Circles, places outside the sentence, no token."""
    with pytest.raises(ValueError, match="these heads are no tree"):
        binarise(heads)


def test_right_branching():
    assert repr(right_branching(1)) == "Tree(0)" and right_branching(4) == TREES[2]


# -------------------------------------------------------------------------------------------------- codes and errors


def test_two_words_by_hand():
    model, tree = by_hand(), right_branching(2)
    # p = tanh(.3) = .291313; decoded: tanh(p) = .283342
    # plain and unfolding error are the same here: (.2 - .283342)^2 + (.4 - .283342)^2 = .006946 + .013609 = .020555
    words = [[0.2], [0.4]]
    assert model.encode(words, tree)[:, 0] == pytest.approx([0.2, 0.4, 0.291313], abs=1e-6)
    assert model.unfolding_errors(words, tree) == pytest.approx([0.020555], abs=1e-6)
    parents, errors = model.pair_errors([[0.2]], [[0.4]])
    assert (parents[0, 0], *errors) == pytest.approx((tanh(0.3), 0.020555), abs=1e-6)


def test_three_words_by_hand():
    model, tree = by_hand(), Tree([[0, 1], [3, 2]])
    # leaves .2 .4 -.1; q = tanh(.3) = .291313; p = tanh((.291313 - .1) / 2) = tanh(.095656) = .095366
    # from p: q' = x3' = tanh(p) = .095078; x1' = x2' = tanh(q') = .094793
    #   E(p) = (.2 - .094793)^2 + (.4 - .094793)^2 + (-.1 - .095078)^2 = .011069 + .093151 + .038055 = .142275
    # E(q) = .020555 as above; the sentence's loss is their sum, .162830
    words = [[0.2], [0.4], [-0.1]]
    assert model.encode(words, tree)[3:, 0] == pytest.approx([0.291313, 0.095366], abs=1e-6)
    assert model.unfolding_errors(words, tree) == pytest.approx([0.020555, 0.142275], abs=2e-6)
    assert model.loss_and_gradient([np.arange(3)], [tree], words)[0] == pytest.approx(0.162830, abs=2e-6)
    # the plain error of p: q is .291313, not its leaves: (.291313 - .095078)^2 + (-.1 - .095078)^2 = .076564
    assert model.pair_errors([[0.291313]], [[-0.1]])[1] == pytest.approx([0.076564], abs=2e-6)


def test_a_batch_gives_what_single_sentences_give():
    sentences, trees, vectors = text(n_sentences=260)  # several batches
    model = random_model(d=4)
    single = [model.encode(vectors[s], t) for s, t in zip(sentences, trees, strict=True)]
    roots = model.embed(sentences, trees, vectors)
    assert roots.dtype == np.float64
    assert roots == pytest.approx(np.array([nodes[-1] for nodes in single]))
    found, spans = model.phrases(sentences, trees, vectors)
    inner = np.vstack([nodes[t.n_leaves :] for nodes, t in zip(single, trees, strict=True)])
    assert found == pytest.approx(inner, abs=1e-6)
    assert spans[:, 0].tolist() == [i for i, s in enumerate(sentences) for _ in range(len(s) - 1)]
    errors = [model.unfolding_errors(vectors[s], t).sum() for s, t in zip(sentences, trees, strict=True)]
    assert model.loss_and_gradient(sentences, trees, vectors)[0] == pytest.approx(np.mean(errors))


def test_a_sentence_of_one_token_is_its_word():
    model, vectors = random_model(), np.array([[0.1, 0.2, 0.3]])
    assert model.embed([np.array([0])], [Tree([])], vectors).tolist() == vectors.tolist()
    assert model.encode(vectors, Tree([])).tolist() == vectors.tolist()
    loss, gradient = model.loss_and_gradient([np.array([0])], [Tree([])], vectors)
    assert loss == 0 and all((g == 0).all() for g in gradient.values())


# -------------------------------------------------------------------------------------------------------- gradients


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("which", [[1], [2], [0, 1, 2, 3, 4]])
def test_the_gradient_is_that_of_finite_differences(name, which):
    rng = np.random.default_rng(8)
    vectors = rng.uniform(-0.8, 0.8, (6, 3))
    trees = [TREES[i] for i in which]
    sentences = [rng.integers(0, 6, tree.n_leaves) for tree in trees]
    model, h = random_model(), 1e-5
    _, gradient = model.loss_and_gradient(sentences, trees, vectors, penalty=0.1)
    parameter = getattr(model, name)
    numeric = np.empty_like(parameter)

    def objective(i, change):
        changed = parameter.copy()
        changed[i] += change
        setattr(model, name, changed)
        squares = (model.W_e**2).sum() + (model.W_d**2).sum()
        return model.loss_and_gradient(sentences, trees, vectors)[0] + 0.1 / 2 * squares

    for i in np.ndindex(parameter.shape):
        numeric[i] = (objective(i, h) - objective(i, -h)) / (2 * h)
    assert np.linalg.norm(gradient[name] - numeric) < 1e-6 * np.linalg.norm(numeric)


# --------------------------------------------------------------------------------------------------------- training


def test_the_first_steps_of_adam_by_hand():
    # m = .1 g, v = .001 g^2, both divided by 1 - beta: the first step is rate * sign(g)
    # g = 2 then 0: m = .9 * .2 = .18, / (1 - .81) = .947368; v = .999 * .004 = .003996, / (1 - .998001) = 1.999
    # step = .1 * .947368 / sqrt(1.999) = .067006
    adam = autoencoder.Adam(0.1)
    assert adam.steps({"w": np.array([2.0])})["w"] == pytest.approx([0.1])
    assert adam.steps({"w": np.array([0.0])})["w"] == pytest.approx([0.067006], abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_training_lowers_the_loss(dtype):
    sentences, trees, vectors = text()
    model = UnfoldingAutoencoder(4, dtype=dtype)
    parts = [(sentences[part], trees[part], vectors) for part in (slice(40), slice(40, None))]
    before = [model.loss_and_gradient(*part)[0] for part in parts]
    model.fit(*parts[0], epochs=30, batch=10, rate=0.01)
    assert all(model.loss_and_gradient(*part)[0] < 0.9 * loss for part, loss in zip(parts, before, strict=True))
    assert model.W_e.dtype == dtype


def test_the_same_seed_gives_the_same_parameters():
    sentences, trees, vectors = text()
    first, again, other = (
        UnfoldingAutoencoder(4, seed=seed).fit(sentences, trees, vectors, epochs=2, batch=8, seed=seed).W_e
        for seed in (1, 1, 2)
    )
    assert first == pytest.approx(again, abs=1e-6) and not np.allclose(first, other, atol=1e-3)


def test_the_initial_parameters_average_and_copy():
    model, noisy = UnfoldingAutoencoder(2, noise=0), UnfoldingAutoencoder(2, noise=0.01)
    assert model.W_e.tolist() == [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]]
    assert model.W_d.T.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    assert 0 < abs(noisy.W_e - model.W_e).max() < 0.05


# ----------------------------------------------------------------------------------------------------- greedy trees


def test_a_greedy_tree_by_hand():
    def grown(words):
        return greedy_trees([np.arange(len(words))], np.array(words)[:, None], by_hand())[0]

    # p = tanh of the mean; the pair whose members are alike is copied best:
    # (.5 .1): p = tanh(.3), error .020555 + 2 * (.04 - .01) = .080555; (.1 .1): p = tanh(.1), error ~ 2 * .000002
    assert repr(grown([0.5, 0.1, 0.1])) == "Tree((0 (1 2)))"
    assert repr(grown([0.1, 0.1, 0.5])) == "Tree(((0 1) 2))"
    assert repr(grown([0.0] * 4)) == "Tree((((0 1) 2) 3))"  # a tie, from the left


def test_greedy_trees_are_those_of_the_definition():
    sentences, _, vectors = text(n_sentences=40, n_words=500)
    model = random_model(d=4)
    for sentence, tree in zip(sentences, greedy_trees(sentences, vectors, model), strict=True):
        nodes, names, children = list(vectors[sentence]), list(range(len(sentence))), []
        while len(nodes) > 1:
            parents, errors = model.pair_errors(np.array(nodes[:-1]), np.array(nodes[1:]))
            i = int(errors.round(9).argmin())
            children.append(names[i : i + 2])
            nodes[i : i + 2], names[i : i + 2] = [parents[i]], [len(sentence) + len(children) - 1]
        assert tree == Tree(children)


# ---------------------------------------------------------------------------------------- word vectors and phrases


def test_scaled_vectors():
    # root mean square of 3, -1, 1, 1, 2, 0: sqrt(16 / 6) = 1.632993; once that is the unit, 3 and 2 are cut off
    found = autoencoder.scaled(Space(["a", "b"], np.array([[3.0, -1, 1], [1, 2, 0]])), deviations=1)
    c = 1 / 1.632993
    assert found.vectors == pytest.approx(np.array([[1, -c, c], [c, 1, 0]]), abs=1e-6)
    assert list(found.rows) == ["a", "b"]


def test_the_nearest_phrases():
    words = [["the", "cat", "sat"], ["the", "cat"], ["a", "dog"], ["big", "cars"]]
    spans = [[0, 0, 2], [0, 0, 3], [1, 0, 2], [2, 0, 2], [3, 0, 2]]
    vectors = [[1, 0], [0, 1], [1, 0], [0.8, 0.6], [0.6, 0.8]]
    # cosines with node 0: node 1 0, node 2 1 (the same words), node 3 .8, node 4 .6
    found = autoencoder.nearest_phrases(vectors, spans, words, 0, 2)
    assert [name for name, _ in found] == ["a dog", "big cars"]
    assert [cosine for _, cosine in found] == pytest.approx([0.8, 0.6])


# ---------------------------------------------------------------------------------------------------- errors, storage


@pytest.mark.parametrize("sentences", [[[0, 1], [0, 1, 2]], [[0, 1, 2, 3]]])
def test_sentences_that_do_not_fit_their_trees(sentences):
    model, vectors = UnfoldingAutoencoder(2), np.zeros((4, 2))
    sentences, trees = [np.array(sentence) for sentence in sentences], [right_branching(2)] * 2
    for ask in (model.embed, model.loss_and_gradient, model.fit):
        with pytest.raises(ValueError, match="a tree with as many leaves"):
            ask(sentences, trees, vectors)
