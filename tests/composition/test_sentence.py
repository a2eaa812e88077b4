"""Sentence embeddings from tokens: worked out by hand, and the same in any process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.composition import sentence
from cdsm_lib.composition.sentence import SIF, ParagraphVectors, additive, bag_of_words, cosine_distances
from cdsm_lib.vectors.space import Space

SPACE = Space(["dogs", "cats", "bark"], np.array([[1, 0], [0, 2], [3, 4]]))

# ------------------------------------------------------------------------------------------------------- comparison


def test_distances_by_hand():
    # cos((1, 0), (1, 1)) = 1 / sqrt 2; opposite vectors; (3, 4) and (4, 3): 24 / 25
    first = np.array([[1, 0], [1, 2], [3, 4]])
    second = np.array([[1, 1], [-1, -2], [4, 3]])
    expected = [round(1 - 2**-0.5, 9), 2.0, 0.04]
    for a in (first, sparse.csr_array(first)):
        for b in (second, sparse.csr_array(second)):
            assert cosine_distances(a, b).tolist() == expected
    assert cosine_distances(first[:0], second[:0]).shape == (0,)


def test_equal_vectors_are_at_distance_zero_whatever_their_length(rng):
    vectors = rng.standard_normal((200, 50)).astype(np.float32)
    distances = cosine_distances(vectors, 3 * vectors)
    assert distances.dtype == np.float64 and distances.tolist() == [0.0] * 200
    assert not np.signbit(distances).any()


@pytest.mark.parametrize(
    "first, second, problem",
    [
        (np.ones((2, 3)), np.ones((3, 2)), "shapes are"),
        (np.ones((3, 2)), [[1, 1], [0, 0], [0, 0]], r"row 1 of .* is zero \(2 such rows of 3\).*leave"),
    ],
)
def test_vectors_that_cannot_be_compared(first, second, problem):
    with pytest.raises(ValueError, match=problem):
        cosine_distances(first, second)


# ----------------------------------------------------------------------------------------------------- bags of words


def test_counts_of_lower_cased_tokens():
    bags = bag_of_words([["The", "dog", "saw", "the", "cat"], [], ["cat"]])
    assert bags.dtype == np.int64
    assert bags.toarray().tolist() == [[1, 1, 1, 2], [0, 0, 0, 0], [1, 0, 0, 0]]  # cat dog saw the


def test_swaps_of_single_words_tie_and_those_of_repeated_words_do_not():
    # a b c d: one word of four changes, wherever it stands: cos = 3 / (2 * 2)
    once = bag_of_words([text.split() for text in ("a b c d", "x b c d", "a b c y")])
    assert cosine_distances(once[[0, 0]], once[[1, 2]]).tolist() == [0.25, 0.25]
    # a a b c: (2, 1, 1), length sqrt 6. One a becomes x: (1, 1, 1, 1): 4 / (sqrt 6 * 2). b becomes x: 5 / 6
    twice = bag_of_words([text.split() for text in ("a a b c", "x a b c", "a a x c")])
    assert cosine_distances(twice[[0, 0]], twice[[1, 2]]).tolist() == [round(1 - 2 / 6**0.5, 9), round(1 / 6, 9)]


def test_ties_in_long_sentences():
    words = [f"w{i}" for i in range(23)]
    swapped = [[*words[:i], "x", *words[i + 1 :]] for i in range(23)]
    bags = bag_of_words([words, *swapped])
    assert len(set(cosine_distances(bags[[0] * 23], bags[1:]).tolist())) == 1


def test_a_string_is_no_sentence():
    for embed in (bag_of_words, lambda sentences: additive(sentences, SPACE)):
        with pytest.raises(TypeError, match="tokenise it first"):
            embed(["the dog barks"])


# ------------------------------------------------------------------------------------------------------ word vectors


def test_sums_by_hand():
    vectors, unknown = additive([["Dogs", "BARK", "bark"], ["xyzzy", "cats"], ["xyzzy"], []], SPACE)
    assert vectors.dtype == np.float64
    assert vectors.tolist() == [[7, 8], [0, 2], [0, 0], [0, 0]]
    assert unknown.tolist() == [0, 1, 1, 0]


def test_sums_of_sparse_vectors_are_the_same():
    scattered = Space(SPACE.rows, sparse.csr_array(SPACE.vectors))
    sentences = [["dogs", "bark"], ["cats"]]
    np.testing.assert_array_equal(additive(sentences, scattered)[0], additive(sentences, SPACE)[0])


def test_a_sentence_has_the_same_sum_in_any_company(rng):
    words = [f"w{i}" for i in range(40)]
    space = Space(words, rng.standard_normal((40, 30)))
    sentences = [list(rng.choice(words, 12)) for _ in range(30)]
    together = additive(sentences, space)[0]
    for i, alone in enumerate(sentences):
        assert (additive([alone], space)[0][0] == together[i]).all()
        assert (additive([alone[::-1]], space)[0][0] == together[i]).all()


def test_smooth_inverse_frequency_by_hand():
    # p: dogs 1/2, cats 1/2, bark 0; a = 1/2: weights 1/2, 1/2, 1
    sif = SIF.fit([["dogs"], ["dogs", "nothing"]], SPACE, {"dogs": 3, "cats": 3}, a=0.5)
    np.testing.assert_allclose(sif.weights, [0.5, 0.5, 1])
    # both reference sentences point along (1, 0), so the first coordinate goes
    np.testing.assert_allclose(np.abs(sif.directions), [[1, 0]], atol=1e-15)
    # (dogs + bark) / 2 = ((0.5, 0) + (3, 4)) / 2 = (1.75, 2); (cats + cats) / 2 = (0, 1)
    vectors, unknown = sif.embed([["dogs", "bark"], ["Cats", "x", "cats"], ["x"]])
    np.testing.assert_allclose(vectors, [[0, 2], [0, 1], [0, 0]], atol=1e-15)
    assert unknown.tolist() == [0, 1, 1]


def test_without_a_component_the_weighted_mean_is_left():
    sif = SIF.fit([], SPACE, {"dogs": 1, "cats": 1}, a=0.5, components=0)
    assert sif.embed([["dogs", "bark"]])[0].tolist() == [[1.75, 2.0]]


def test_the_common_direction_does_not_depend_on_the_sentences_embedded(rng):
    words = [f"w{i}" for i in range(60)]
    space = Space(words, rng.standard_normal((60, 20)) + 1)
    sentences = [list(rng.choice(words, 8)) for _ in range(50)]
    sif = SIF.fit(sentences[:40], space, dict.fromkeys(words, 1), components=2)
    together = sif.embed(sentences)[0]
    np.testing.assert_allclose(together @ sif.directions.T, 0, atol=1e-12)
    np.testing.assert_allclose(sif.embed(sentences[45:])[0], together[45:], atol=1e-13)


@pytest.mark.parametrize(
    "sentences, frequency, settings, problem",
    [
        ([["x"]], {"dogs": 1}, {}, "0 sentences with known tokens"),
        ([["dogs"]], {"dogs": 1}, {"components": 2}, "1 sentences with known tokens"),
        ([["dogs"]], {}, {}, "counts no word"),
    ],
)
def test_common_directions_that_cannot_be_found(sentences, frequency, settings, problem):
    with pytest.raises(ValueError, match=problem):
        SIF.fit(sentences, SPACE, frequency, **settings)


# -------------------------------------------------------------------------------------------------- paragraph vectors

SMALL = {"dimensions": 8, "window": 2, "min_count": 2, "epochs": 4, "seed": 5}
HELD_OUT = [["The", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "dog", "barks"], ["xyzzy", "the", "dog", "barks"]]


def documents():
    """200 sentences of two topics."""
    rng = np.random.default_rng(0)
    topics = ["the dog barks at a man".split(), "a cat sleeps on the mat".split()]
    return [rng.choice(topics[i % 2], 7).tolist() + [f"rare{i}"] for i in range(200)]


@pytest.fixture(scope="module", params=sentence.METHODS)
def trained(request):
    return ParagraphVectors.fit(documents(), method=request.param, **SMALL)


def test_the_vocabulary_is_what_is_frequent_enough(trained):
    assert sorted(trained.vocabulary) == sorted({*"the dog barks at a man cat sleeps on mat".split()})
    assert trained.unknown(HELD_OUT).tolist() == [0, 0, 0, 1]
    assert trained.meta["documents"] == 200 and trained.meta["tokens"] == 1600


def test_inference_is_seeded_by_the_sentence(trained):
    vectors = trained.infer(HELD_OUT, draws=3, epochs=5, seed=1)
    assert vectors.shape == (3, 4, 8) and vectors.dtype == np.float32
    # the same known words, whatever their case and their unknown neighbours
    np.testing.assert_array_equal(vectors[:, 0], vectors[:, 2])
    np.testing.assert_array_equal(vectors[:, 0], vectors[:, 3])
    assert (vectors[:, 0] != vectors[:, 1]).any()
    # draws differ, and so do seeds
    assert len({draw.tobytes() for draw in vectors}) == 3
    assert (trained.infer(HELD_OUT, draws=3, epochs=5, seed=2) != vectors).any()
    # neither the order, nor the number of draws, nor the number of threads matters
    np.testing.assert_array_equal(trained.infer(HELD_OUT[::-1], draws=2, epochs=5, seed=1), vectors[:2, ::-1])
    np.testing.assert_array_equal(trained.infer(HELD_OUT[1:2], draws=3, epochs=5, seed=1), vectors[:, 1:2])
    many = [list(words) for words in {tuple(document[:5]) for document in documents()}]
    settings = {"draws": 2, "epochs": 2, "seed": 1}
    np.testing.assert_array_equal(trained.infer(many, **settings), trained.infer(many, workers=3, **settings))
    np.testing.assert_array_equal(trained.embed(HELD_OUT, draws=3, epochs=5, seed=1), vectors.mean(0, np.float64))


def test_inference_leaves_the_model_as_it_was(trained):
    before = trained.model.syn1.copy(), trained.model.syn1neg.copy(), trained.model.wv.vectors.copy()
    trained.infer(HELD_OUT, seed=3)
    for old, new in zip(before, (trained.model.syn1, trained.model.syn1neg, trained.model.wv.vectors), strict=True):
        np.testing.assert_array_equal(old, new)


def test_inference_is_what_gensim_does_from_the_same_start(trained, monkeypatch):
    words = ["the", "dog", "barks"]
    ours = trained.infer([words], draws=1, epochs=6, rate=0.05, seed=1)[0, 0]
    from gensim.models import doc2vec

    # the start vector and the generator, made once more as _infer makes them
    digest = int.from_bytes(sentence.hashlib.sha256(b"the dog barks").digest())
    rng = np.random.default_rng([1, 0, digest])
    start = ((rng.random(8) - 0.5) / 8).astype(np.float32)
    monkeypatch.setattr(doc2vec, "pseudorandom_weak_vector", lambda size, seed_string: start.copy())
    monkeypatch.setattr(trained.model, "random", np.random.RandomState(rng.bit_generator))
    theirs = trained.model.infer_vector(words, alpha=0.05, epochs=6)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_topics_are_told_apart():
    model = ParagraphVectors.fit(documents(), method="PV-DBOW", **{**SMALL, "epochs": 60})
    sentences = [text.split() for text in ("dog barks man", "man barks at", "cat sleeps mat", "mat on cat")]
    vectors = model.embed(sentences, seed=0, epochs=60)
    same, other = cosine_distances(vectors[[0, 2]], vectors[[1, 3]]), cosine_distances(vectors[:2], vectors[2:])
    assert same.max() < other.min()


def test_a_saved_model_infers_the_same_vectors(trained, tmp_path):
    settings = {"draws": 2, "epochs": 3, "seed": 9}
    path = storage.save(trained, tmp_path / "model.npz")
    loaded = storage.load(path, ParagraphVectors)
    np.testing.assert_array_equal(loaded.infer(HELD_OUT, **settings), trained.infer(HELD_OUT, **settings))
    assert (loaded.method, loaded.meta, loaded.vocabulary) == (trained.method, trained.meta, trained.vocabulary)
    assert storage.save(loaded, tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_other_losses_and_subsampling_are_saved_too(tmp_path):
    for method, losses in zip(sentence.METHODS, ({"hs": False, "sample": 0.05}, {"negatives": 0}), strict=True):
        model = ParagraphVectors.fit(documents(), method=method, **SMALL, **losses)
        vectors = model.infer(HELD_OUT, seed=9)
        loaded = storage.load(storage.save(model, tmp_path / "model.npz"), ParagraphVectors)
        np.testing.assert_array_equal(loaded.infer(HELD_OUT, seed=9), vectors)
        assert vectors.any(axis=2).all()


IN_A_PROCESS = """
import hashlib
from test_sentence import HELD_OUT, SMALL, documents
from cdsm_lib.composition.sentence import METHODS, ParagraphVectors
for method in METHODS:
    model = ParagraphVectors.fit(documents(), method=method, **SMALL)
    print(hashlib.sha256(model.infer(HELD_OUT, seed=1).tobytes()).hexdigest())
"""


def test_pythonhashseed_does_not_matter(root):
    path, printed = os.pathsep.join([str(root), os.path.dirname(__file__)]), set()
    for seed in ("0", "4711"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", IN_A_PROCESS]
        printed.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1 and len(printed.pop().split()) == 2


def test_documents_may_be_streamed_but_not_exhausted():
    class Stream:
        def __iter__(self):
            return iter(documents())

    streamed, listed = (ParagraphVectors.fit(source, **SMALL) for source in (Stream(), documents()))
    np.testing.assert_array_equal(streamed.infer(HELD_OUT, seed=0), listed.infer(HELD_OUT, seed=0))
    with pytest.raises(ValueError, match="only once"):
        ParagraphVectors.fit((document for document in documents()), **SMALL)
    with pytest.raises(ValueError, match="no word occurs 999 times in these 200 documents"):
        ParagraphVectors.fit(documents(), **SMALL | {"min_count": 999})


def test_sentences_that_cannot_be_inferred(trained):
    assert trained.infer([], seed=0).shape == (5, 0, 8)
    with pytest.raises(ValueError, match=r"sentence 1 has no token .*\(2 such sentences of 3\)"):
        trained.infer([["dog"], ["xyzzy"], []], seed=0)
    with pytest.raises(TypeError, match="tokenise"):
        trained.infer(["dog"], seed=0)
