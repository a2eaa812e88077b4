"""The landing page's picture."""

import numpy as np
from pytest import approx

from book._ext import front
from cdsm_lib.vectors.space import Space


def test_the_words_end_at_the_phrase_and_a_noun_stands_at_its_cosine():
    labels = [*front.WORDS, *(f"{noun}|NOUN" for noun in front.NOUNS)]
    space = Space(labels, np.random.default_rng(0).random((len(labels), 5)))
    words, nouns = front.in_plane(space)
    assert words.sum(axis=0) == approx([1, 0], abs=1e-6)
    phrase = sum(space[word] / np.linalg.norm(space[word]) for word in front.WORDS)
    cosines = dict(space.neighbours(phrase, k=len(labels)))
    assert nouns[:, 0] == approx([cosines[label] for label in labels[3:]], abs=1e-6)
