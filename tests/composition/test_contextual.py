"""Words in context: the worked examples of each model, long products, neighbours, and words that are not known."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.composition.contextual import ErkPado, LatentSenses, Simple, Thater, compose, represent
from cdsm_lib.labels import Labels
from cdsm_lib.text.dependencies import Arc, Triples
from cdsm_lib.vectors.similarity import cosines
from cdsm_lib.vectors.space import Space


def triples_of(words, table):
    """A table from {(governor, relation, dependent): count}."""
    words = Labels(words)
    relations = Labels(dict.fromkeys(relation for _, relation, _ in table))
    rows = sorted((words.index(g), relations.index(r), words.index(d), f) for (g, r, d), f in table.items())
    governor, relation, dependent, count = np.array(rows).T
    shape = (len(relations), len(words))
    sums = [sparse.coo_array((count, (relation, word)), shape=shape).tocsr() for word in (governor, dependent)]
    return Triples(words, relations, governor, relation, dependent, count, *sums)


# ------------------------------------------------------------------------------------- composition


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_compose_by_hand(kind):
    """The product is that of (1, 2, 0) and (3, 4, 5), (3, 8, 0), divided by 8."""

    def composed(table, operation):
        row = compose(kind(np.array(table, dtype=float).reshape(-1, 3)), operation)
        return row.toarray()[0].tolist() if sparse.issparse(row) else row.tolist()

    assert composed([[1, 2, 0], [3, 4, 5]], "add") == [4, 6, 5]
    assert composed([[1, 2, 0], [3, 4, 5]], "mult") == pytest.approx([0.375, 1, 0])
    assert composed([[1, 0, 0], [0, 1, 0]], "mult") == composed([], "add") == composed([], "mult") == [0, 0, 0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_long_products_do_not_underflow(kind):
    """200 factors of (1e-5, 1e-5) and one of (3, 4): 1e-1000 is no float64, but the direction is that of (3, 4)."""
    factors = np.full((201, 2), 1e-5)
    factors[100] = [3, 4]
    product = compose(kind(factors), "mult")
    assert cosines(product, [3.0, 4.0]).item() == pytest.approx(1)
    assert np.prod(factors, axis=0).tolist() == [0, 0]


# ---------------------------------------------------------------------------------------------- Mitchell & Lapata


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_simple_vectors_in_order_without_the_unknown(kind):
    space = Space(["a|NOUN", "b|VERB", "zero|NOUN"], kind(np.array([[1.0, 2.0], [3.0, 5.0], [0.0, 0.0]])))
    rows = Simple(space).in_context(["b|VERB", None, "c|NOUN", "zero|NOUN", "a|NOUN", "b|VERB"], [])
    rows = rows.toarray() if sparse.issparse(rows) else rows
    assert rows.tolist() == [[3, 5], [1, 2], [3, 5]]


def test_represent_adds_rows_as_they_are_or_of_length_1():
    model = Simple(Space(["a", "b"], np.array([[3.0, 4.0], [0.0, 10.0]])))
    assert represent(model, ["a", "b"], [], "add").tolist() == [3, 14]
    np.testing.assert_allclose(represent(model, ["a", "b"], [], "add", unit=True), [0.6, 1.8])
    sparse_model = Simple(Space(["a", "b"], sparse.csr_array(np.array([[3.0, 4.0], [0.0, 10.0]]))))
    np.testing.assert_allclose(represent(sparse_model, ["a", "b"], [], "add", unit=True).toarray(), [[0.6, 1.8]])
    assert represent(model, ["c", None], [], "mult").tolist() == [0, 0]


# ----------------------------------------------------------------------------------------------------- Erk & Padó

CATCH = {("throw", "obj", "ball"): 12, ("organise", "obj", "ball"): 11, ("eat", "obj", "ball"): 10,
         ("catch", "obj", "cold"): 20, ("catch", "nsubj", "dog"): 15}  # fmt: skip
VECTORS = {"throw": (1, 2, 0), "organise": (0, 1, 3), "eat": (9, 9, 9), "catch": (2, 1, 1), "ball": (1, 1, 1),
           "cold": (0, 2, 1), "dog": (4, 1, 0)}  # fmt: skip


def erk_pado(kind=np.asarray, **options):
    space = Space(list(VECTORS), kind(np.array(list(VECTORS.values()), dtype=float)))
    return ErkPado(space, triples_of(VECTORS, CATCH), **options)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_catch_a_ball(kind):
    """R_ball(obj^-1) = 12 (1, 2, 0) + 11 (0, 1, 3), eat with 10 falls out; catch' = (2, 1, 1) times that."""
    model = erk_pado(kind)
    assert model.preference("ball", "obj", inverse=True).tolist() == [12, 35, 33]
    rows = model.in_context(["catch", None, "ball"], [Arc(0, "obj", 2)])
    # ball' = (1, 1, 1) times the objects of catch, 20 (0, 2, 1)
    assert rows.tolist() == [[24, 35, 33], [0, 40, 20]]
    assert model.preference("ball", "obj", inverse=True) is model.preference("ball", "obj", inverse=True)


def test_the_threshold_is_strict():
    assert erk_pado(threshold=9).preference("ball", "obj", inverse=True).tolist() == [102, 125, 123]
    assert not erk_pado(threshold=12).preference("ball", "obj", inverse=True).any()


def test_an_empty_preference_leaves_the_vector_as_it_is():
    """No verb takes a dog as its object; dog itself meets the objects of catch, (0, 40, 20) times (4, 1, 0)."""
    arcs = [Arc(0, "obj", 1), Arc(0, "prep_with", 1), Arc(0, "nsubj", 2)]
    assert erk_pado().in_context(["catch", "dog", "unheard"], arcs).tolist() == [[2, 1, 1], [0, 40, 0]]


def test_several_neighbours_one_after_the_other_or_summed():
    """catch with ball, (12, 35, 33), and with itself as what dogs do, 15 (2, 1, 1)."""
    words, arcs = ["dog", "catch", "ball"], [Arc(1, "nsubj", 0), Arc(1, "obj", 2)]
    assert erk_pado().in_context(words, arcs)[1].tolist() == [2 * 30 * 12, 15 * 35, 15 * 33]
    assert erk_pado(neighbours="sum").in_context(words, arcs)[1].tolist() == [2 * 42, 50, 48]


def test_many_neighbours_do_not_overflow():
    words = ["catch", *["ball"] * 400]
    rows = erk_pado().in_context(words, [Arc(0, "obj", i) for i in range(1, 401)])
    assert np.isfinite(rows).all() and rows[0].argmax() == 1


def test_words_without_vectors_take_no_row_and_add_nothing_to_a_preference():
    assert erk_pado().in_context([None, "unheard"], [Arc(0, "obj", 1)]).shape == (0, 3)
    space = Space(["throw", "ball"], np.array([[1.0, 2.0, 0.0], [1.0, 1.0, 1.0]]))
    model = ErkPado(space, triples_of(VECTORS, CATCH))
    assert model.preference("ball", "obj", inverse=True).tolist() == [12, 24, 0]


# ------------------------------------------------------------------------------------- Thater, Fürstenau & Pinkal

FOOD = Labels(["eat", "bake", "apple", "cake", "dog", "red"])


def eat_and_bake():
    """w(eat, obj, apple) = 2, w(eat, obj, cake) = 1, w(bake, obj, apple) = 3, w(bake, obj, cake) = 1."""
    return Thater(FOOD, ["amod", "obj"], [0, 0, 1, 1], [1, 1, 1, 1], [2, 3, 2, 3], [2.0, 1, 3, 1])


def first_order(model, word):
    """[w] as a mapping from (relation, word) to its weight."""
    row = model.first[[model.words.index(word)]]
    cells = zip(model.pairs[row.indices].tolist(), row.data.tolist(), strict=True)
    n = len(model.words)
    return {(model.relations[pair // n], model.words[pair % n]): value for pair, value in cells}


def test_first_and_second_order_by_hand():
    model = eat_and_bake()
    assert first_order(model, "eat") == {("obj", "apple"): 2, ("obj", "cake"): 1}
    assert first_order(model, "apple") == {("obj-1", "eat"): 2, ("obj-1", "bake"): 3}
    # over apple 2 * 2 and 2 * 3, over cake 1 * 1 and 1 * 1
    assert model.second_order("eat") == {("obj", "obj-1", "eat"): 5, ("obj", "obj-1", "bake"): 7}
    assert list(model.relations) == ["obj", "obj-1"]
    with pytest.raises(KeyError, match="plum"):
        model.second_order("plum")


def test_eat_in_the_context_of_apple():
    model = eat_and_bake()
    rows = model.in_context(["eat", None, "apple"], [Arc(0, "obj", 2)])
    assert rows.shape == (2, model.width)
    assert model.named(rows[[0]]) == {("obj", "obj-1", "eat"): 10, ("obj", "obj-1", "bake"): 21}
    # [[apple]](obj-1, obj, .): over eat 2 * (2, 1), over bake 3 * (3, 1), times [eat] = (2, 1)
    assert model.named(rows[[1]]) == {("obj-1", "obj", "apple"): 26, ("obj-1", "obj", "cake"): 5}
    both = model.in_context(["eat", "apple", "cake"], [Arc(0, "obj", 1), Arc(0, "obj", 2)])[[0]]
    assert model.named(both) == {("obj", "obj-1", "eat"): 10 + 5, ("obj", "obj-1", "bake"): 21 + 7}


def test_without_a_known_neighbour_a_word_keeps_its_second_order_vector():
    model = eat_and_bake()
    plain = {("obj", "obj-1", "eat"): 5, ("obj", "obj-1", "bake"): 7}
    contexts = [
        (["eat"], []),
        (["eat", "plum"], [Arc(0, "obj", 1)]),
        (["eat", "dog"], [Arc(0, "obj", 1)]),  # dog is a word of the table, but has no weight
        (["eat", "apple"], [Arc(0, "nsubj", 1)]),
        (["eat", "eat"], [Arc(0, "obj", 1)]),  # [eat] has none of the dimensions of [[eat]]: nothing would be left
    ]
    for words, arcs in contexts:
        assert model.named(model.in_context(words, arcs)[[0]]) == plain
    assert model.in_context(["dog", None], []).shape == (0, model.width)


def test_both_directions_equal_the_definition():
    """Random weights: [[w]] and its context against loops over the definition."""
    rng = np.random.default_rng(4)
    words, relations = [f"w{i}" for i in range(12)], ["r0", "r1", "r2"]
    cells = [(g, r, d) for g in range(12) for r in range(3) for d in range(12) if rng.random() < 0.15]
    weight = rng.random(len(cells)) + 0.5
    model = Thater(words, relations, *np.array(cells).T, weight)
    first, second, expected = defaultdict(dict), defaultdict(Counter), Counter()
    for (g, r, d), value in zip(cells, weight, strict=True):
        first[words[g]][relations[r], words[d]] = value
        first[words[d]][f"{relations[r]}-1", words[g]] = value
    for word, own in first.items():
        for (r, other), value in own.items():
            for (s, third), more in first[other].items():
                second[word][r, s, third] += value * more
    for word in words:
        assert first_order(model, word) == pytest.approx(first[word])
        assert model.second_order(word) == pytest.approx(second[word])
    for relation, other in [("r1", "w3"), ("r2-1", "w7")]:
        for (r, s, third), value in second["w5"].items():
            if r == relation and (s, third) in first[other]:
                expected[r, s, third] += value * first[other][s, third]
    found = model.in_context(["w3", "w5", "w7"], [Arc(1, "r1", 0), Arc(2, "r2", 1)])
    assert expected and model.named(found[[1]]) == pytest.approx(expected)


def test_weights_are_pmi_above_both_thresholds():
    table = {("eat", "obj", "apple"): 20, ("bake", "obj", "cake"): 10, ("see", "obj", "apple"): 9,
             ("see", "obj", "cake"): 1, ("see", "obj", "dog"): 60}  # fmt: skip
    triples = triples_of(["eat", "bake", "see", "apple", "cake", "dog"], table)
    model = Thater.of_triples(triples, min_count=10, min_pmi=1.0)
    pmi = np.log(20 * 100 / (20 * 29))
    assert first_order(model, "eat") == pytest.approx({("obj", "apple"): pmi})
    assert first_order(model, "bake") == pytest.approx({("obj", "cake"): np.log(10 * 100 / (10 * 11))})
    assert first_order(model, "see") == {}  # too rare, or log(60 * 100 / (70 * 60)) = 0.36
    assert first_order(model, "apple") == pytest.approx({("obj-1", "eat"): pmi})
    rare = first_order(Thater.of_triples(triples, min_count=9, min_pmi=-5), "see")
    assert rare == pytest.approx({("obj", "apple"): np.log(900 / (70 * 29)), ("obj", "dog"): np.log(6000 / 4200)})


# -------------------------------------------------------------------------------------------------- Dinu & Lapata


def senses(**options):
    theta = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]])
    phi = np.array([[0.2, 0.3, 0.0], [0.6, 0.3, 1.0]])
    return LatentSenses(["t", "u", "empty"], theta, ["c", "even", "second"], phi, **options)


@pytest.mark.parametrize(
    ("word", "context", "expected"),
    [
        ("t", ["c"], [0.25, 0.75]),
        ("t", ["even"], [0.5, 0.5]),  # says nothing
        ("t", [], [0.5, 0.5]),
        ("t", ["unheard"], [0.5, 0.5]),
        ("t", ["c", "even"], [0.375, 0.625]),  # the mean of (.25, .75) and (.5, .5)
        ("u", ["second"], [1, 0]),  # goes with no sense of the word, and is passed over
    ],
)
def test_the_worked_example(word, context, expected):
    """theta = (.5, .5), P(c | z) = (.2, .6): (.25, .75)."""
    np.testing.assert_allclose(senses().sense(word, context), expected)


def test_the_window_in_a_sentence():
    words = ["c", None, "t", "empty", "second", "unheard", "u"]
    np.testing.assert_allclose(senses(window=1).in_context(words), [[0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(senses(window=2).in_context(words), [[0.125, 0.875], [1, 0]])
    np.testing.assert_allclose(senses().in_context(["t", "c"]), [[0.25, 0.75]])
    np.testing.assert_allclose(senses(window=1).in_context(["c", "t", "even"]), [[0.375, 0.625]])  # each of them once
    assert senses().in_context(["empty", None]).shape == (0, 2)


def test_unknown_words_take_the_mean_of_their_nearest():
    """n = 2: new lies by t and u, so (.5 + 1, .5 + 0) / 2; far lies by none; empty has no senses and gets them."""
    known = np.array([[1.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 0.0, 1.0]])
    unknown = np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    for kind in (np.asarray, sparse.csr_array):
        model = senses().with_nearest(["new", "far", "empty", "t"], kind(unknown), kind(known), n=2)
        assert list(model.words) == ["t", "u", "empty", "new", "far"]
        np.testing.assert_allclose(model.senses, [[0.5, 0.5], [1, 0], [1, 0], [0.75, 0.25], [0, 0]])
    one = senses().with_nearest(["new"], unknown[:1], known, n=1)
    np.testing.assert_allclose(one.senses[3], [0.5, 0.5])
    np.testing.assert_allclose(model.in_context(["new", "c"]), [[0.5, 0.5]])  # .75 * .2 : .25 * .6
