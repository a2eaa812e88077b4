"""Space: look-up, neighbours by hand, and files that must be refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.labels import Labels
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.space import Space, SpaceError

ROWS = ["dog|NOUN", "cat|NOUN", "car|NOUN", "nil|NOUN"]
VECTORS = np.array([[3.0, 4.0], [4.0, 3.0], [-4.0, 3.0], [0.0, 0.0]])


def space_of(kind="dense", **extra):
    vectors = VECTORS if kind == "dense" else sparse.csr_array(VECTORS)
    return Space(Labels(ROWS), vectors, **extra)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_look_up(kind):
    space = space_of(kind)
    assert len(space) == 4 and space.d == 2 and "cat|NOUN" in space and "cat" not in space
    assert space["dog|NOUN"].dtype == np.float32
    np.testing.assert_array_equal(space["dog|NOUN"], [3, 4])
    np.testing.assert_array_equal(space.take(["car|NOUN", "dog|NOUN", "car|NOUN"]), [[-4, 3], [3, 4], [-4, 3]])
    np.testing.assert_allclose(space.norms, [5, 5, 5, 0])
    assert space.coverage(["cat|NOUN", "cow|NOUN", "bee|NOUN", "cow|NOUN"]) == ["cow|NOUN", "bee|NOUN"]
    part = space.subset(["cat|NOUN"])
    assert part.is_sparse == space.is_sparse and list(part.rows) == ["cat|NOUN"]


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_unknown_labels_are_named(kind):
    space = space_of(kind)
    with pytest.raises(KeyError, match=r"cow\|NOUN.*no vector"):
        space["cow|NOUN"]
    for label in ("dog", "Dog|VERB", "dog|PROPN"):
        with pytest.raises(KeyError, match=r"has no vector among these 4, which have 'dog\|NOUN'; ask"):
            space[label]
    with pytest.raises(KeyError, match=r"2 of these labels have no vector: cow\|NOUN, bee\|NOUN"):
        space.take(["dog|NOUN", "cow|NOUN", "bee|NOUN"])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_neighbours_by_hand(kind):
    """cos((3,4),(4,3)) = 24/25, cos((3,4),(-4,3)) = 0, and 0 with the zero row; the tie stays in row order."""
    space = space_of(kind)
    found = space.neighbours("dog|NOUN")
    assert [label for label, _ in found] == ["cat|NOUN", "car|NOUN", "nil|NOUN"]
    np.testing.assert_allclose([cosine for _, cosine in found], [0.96, 0, 0], atol=1e-7)
    assert [label for label, _ in space.neighbours(np.array([3.0, 4.0]), k=1)] == ["dog|NOUN"]
    among = space.neighbours("dog|NOUN", among=["nil|NOUN", "car|NOUN", "dog|NOUN"])
    assert [label for label, _ in among] == ["car|NOUN", "nil|NOUN"]
    assert space.neighbours("dog|NOUN", among=[]) == [] and space.neighbours(np.eye(2), among=[]) == [[], []]
    assert repr(space) == "Space: 4 words x 2 dimensions" + ", sparse" * (kind == "sparse")


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_space_is_a_mapping_and_goes_to_others_and_back(kind, tmp_path):
    space = space_of(kind)
    assert list(space) == ROWS and dict(space)["cat|NOUN"][0] == 4 and space.get("cow|NOUN") is None
    assert space == space and space != space_of(kind) and len({space, space}) == 1
    np.testing.assert_array_equal(np.asarray(space), VECTORS)
    np.testing.assert_array_equal(np.asarray(space, dtype=int), VECTORS)
    space.to_gensim().save_word2vec_format(tmp_path / "v.bin", binary=True)
    named = Space(ROWS, space.vectors, ["eat", "run"])
    gensims, read, frames = space.to_gensim(), read_vectors(tmp_path / "v.bin"), [space.to_frame(), named.to_frame()]
    for again in (Space.from_gensim(gensims), read, *map(Space.from_frame, frames)):
        assert list(again) == ROWS and (np.asarray(again) == VECTORS).all()
    assert list(again.dimensions) == ["eat", "run"]
    nullable, tags = named.to_frame().convert_dtypes(), SimpleNamespace(index_to_key=range(len(ROWS)), vectors=VECTORS)
    assert (np.asarray(Space.from_frame(nullable)) == VECTORS).all() and list(Space.from_gensim(tags))[:2] == ["0", "1"]
    dates = pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}, index=["a"])
    for make, wrong, message in (
        (Space.from_frame, named.to_frame().reset_index(), "must be words, not 0. .*set_index"),
        (Space.from_frame, [[1, 2]], "not <class .list.>. Give a DataFrame"),
        (Space.from_frame, pd.DataFrame({"x": ["?"]}, index=["a"]), r"a column holds no numbers .*'\?'"),
        (Space.from_frame, dates, "a column holds no numbers .Cannot cast Datetime"),
        (lambda meta: Space(ROWS, VECTORS, meta=meta), {"x": VECTORS}, "meta has no plain value at 'x'"),
        (Space.from_gensim, dict(space), "a dict is no KeyedVectors of gensim.*takes a dict"),
    ):
        with pytest.raises(SpaceError, match=message):
            make(wrong)


def test_similar_rows_by_hand():
    """(3, 4) less (4, 3), at unit length, is (-1, 1) / 5: its cosine with (-4, 3) is 7 / (5 sqrt(2))."""
    space = space_of()
    assert space.similarity("dog|NOUN", "cat|NOUN") == pytest.approx(0.96)
    near = space.most_similar("dog|NOUN", ["cat|NOUN"], k=1)
    assert near == [("car|NOUN", pytest.approx(7 / 50**0.5))]
    assert [label for label, _ in space.most_similar(["dog|NOUN", "cat|NOUN"])] == ["nil|NOUN", "car|NOUN"]


@pytest.mark.parametrize("name, kind", [("count.npz", "counts"), ("skip-gram.npz", "vectors")])
def test_a_file_of_something_else_says_what_it_is(name, kind):
    with pytest.raises(SpaceError, match=f"it holds '{kind}', not 'space'"):
        Space.load(datasets.data_root() / "distilled" / name)


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(np.float32, (6, 3), elements=st.floats(-4, 4, width=16)),
    st.lists(st.sampled_from([1e-42, 1e-20, 1.0, 1e30]), min_size=6, max_size=6),
    st.integers(1, 7),
)
def test_neighbours_are_those_of_the_formula_in_any_company(vectors, scales, k):
    """Also where float32 products vanish or overflow; dense as sparse."""
    labels = list("abcdef")
    vectors = vectors * np.array(scales, dtype=np.float32)[:, None]
    exact = vectors.astype(float)
    lengths = np.linalg.norm(exact, axis=1)
    cosines = exact @ exact.T / np.maximum(np.outer(lengths, lengths), 1e-300)  # 0 with a row of zeros
    for kind in (np.asarray, sparse.csr_array):
        space = Space(labels, kind(vectors))
        found = space.neighbours(labels, k)
        assert found == [space.neighbours(label, k) for label in labels]
        for i, near in enumerate(found):
            expected = sorted(np.delete(cosines[i], i), reverse=True)[:k]
            np.testing.assert_allclose([cosine for _, cosine in near], expected, atol=1e-9)
            np.testing.assert_allclose([cosines[i, labels.index(label)] for label, _ in near], expected, atol=1e-9)
    as_vectors = Space(labels, vectors).neighbours(vectors, k)
    assert [near[0][1] for near in as_vectors] == pytest.approx([float(row.any()) for row in vectors])


def test_a_matrix_with_a_cell_twice_is_summed_and_not_touched():
    twice = sparse.csr_array((np.array([1.0, 2, 4], np.float32), [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    space = Space(["a", "b"], twice)
    np.testing.assert_allclose(space.norms, [3, 4])
    assert twice.nnz == 3
