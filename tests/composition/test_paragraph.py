"""Paragraph vectors: a text's vector depends on the text, the seed and the draws, and on nothing else."""

import hashlib

import numpy as np
import pytest

from cdsm_lib import storage
from cdsm_lib.composition.paragraph import METHODS, ParagraphVectors

SMALL = {"dimensions": 8, "window": 2, "min_count": 2, "hs": True, "negatives": 5, "sample": 0.0, "rate": 0.025,
         "epochs": 4, "seed": 5}  # fmt: skip
HOW = {"draws": 3, "epochs": 5, "rate": 0.025, "seed": 1}
HELD_OUT = [["The", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "dog", "barks"], ["xyzzy", "the", "dog", "barks"]]


def documents():
    """200 sentences of two topics."""
    rng = np.random.default_rng(0)
    topics = ["the dog barks at a man".split(), "a cat sleeps on the mat".split()]
    return [rng.choice(topics[i % 2], 7).tolist() + [f"rare{i}"] for i in range(200)]


@pytest.fixture(scope="module", params=METHODS)
def trained(request):
    return ParagraphVectors.fit(documents(), method=request.param, **SMALL)


def test_inference_is_seeded_by_the_sentence(trained):
    assert trained.unknown(HELD_OUT).tolist() == [0, 0, 0, 1]
    vectors = trained.embed(HELD_OUT, **HOW)
    assert vectors.shape == (4, 8) and vectors.dtype == np.float64
    # the same known words, whatever their case and their unknown neighbours
    assert (vectors[0] == vectors[[2, 3]]).all() and (vectors[0] != vectors[1]).any()
    for other in ({"seed": 2}, {"draws": 2}, {"epochs": 4}, {"rate": 0.05}):
        assert (trained.embed(HELD_OUT[:1], **HOW | other) != vectors[0]).any()
    # neither the company, nor the number of threads, nor what was inferred before matters
    np.testing.assert_array_equal(trained.embed(HELD_OUT[::-1], **HOW), vectors[::-1])
    np.testing.assert_array_equal(trained.embed(HELD_OUT[1:2], **HOW), vectors[1:2])
    many = [list(words) for words in {tuple(document[:5]) for document in documents()}]
    np.testing.assert_array_equal(trained.embed(many, **HOW), trained.embed(many, **HOW, workers=3))


def test_one_draw_is_what_gensim_infers_from_the_same_start(trained, monkeypatch):
    words = ["the", "dog", "barks"]
    ours = trained.embed([words], draws=1, epochs=6, rate=0.05, seed=1)[0]
    from gensim.models import doc2vec

    digest = int.from_bytes(hashlib.sha256(b"the dog barks").digest())
    rng = np.random.default_rng([1, 0, digest])
    start = ((rng.random(8) - 0.5) / 8).astype(np.float32)
    monkeypatch.setattr(doc2vec, "pseudorandom_weak_vector", lambda size, seed_string: start.copy())
    monkeypatch.setattr(trained.model, "random", np.random.RandomState(rng.bit_generator))
    np.testing.assert_allclose(ours, trained.model.infer_vector(words, alpha=0.05, epochs=6), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("losses", [{}, {"hs": False, "sample": 0.05}, {"negatives": 0}])
def test_a_saved_model_infers_the_same_vectors(method, losses, tmp_path):
    model = ParagraphVectors.fit(documents(), method=method, **SMALL | losses)
    path = storage.save(model, tmp_path / "model.npz")
    loaded = storage.load(path, ParagraphVectors)
    vectors = loaded.embed(HELD_OUT, **HOW)
    np.testing.assert_array_equal(vectors, model.embed(HELD_OUT, **HOW))
    assert vectors.any(axis=1).all()
    assert (loaded.method, loaded.settings, loaded.n_parameters) == (method, model.settings, model.n_parameters)
    assert storage.save(loaded, tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_refusals(trained):
    assert trained.embed([], **HOW).shape == (0, 8)
    with pytest.raises(ValueError, match="no word occurs 999 times in these 200 documents"):
        ParagraphVectors.fit(documents(), method="PV-DM", **SMALL | {"min_count": 999})
    with pytest.raises(ValueError, match=r"sentence 1 has no token .*\(2 such sentences of 3\)"):
        trained.embed([["dog"], ["xyzzy"], []], **HOW)
    with pytest.raises(TypeError, match="tokenise"):
        trained.embed(["dog"], **HOW)
