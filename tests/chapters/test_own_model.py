"""A model of one's own, scored: what it must give, and what a perfect one comes to."""

import numpy as np
import pytest

from cdsm_lib import load_task, score_model
from cdsm_lib.datasets import DataError
from cdsm_lib.tasks import relpron


def test_a_model_that_knows_the_term_of_each_property_has_map_one():
    items = relpron.load("relpron_mini", "test")
    term_of = {frozenset((item.head, item.verb, item.argument)): item.term for item in items.items}

    def embed(texts):
        meant = [term_of.get(frozenset(text.lemmas), text.lemmas[0]) for text in texts]
        return [[float(term == other) for other in items.terms] for term in meant]

    scores = score_model("RELPRON", embed, model="oracle")
    assert scores.value == 1 and len(scores.values) == len(items.terms) and scores.system == "oracle"
    assert score_model("RELPRON", lambda texts: np.ones((len(texts), 2))).value < 0.2


def test_what_is_no_vector_a_text_another_task_or_another_profile_is_refused():
    shapes = ((1, 3), "mine: an array of shape .* a row a text is needed"), ((0,), "a row a text is needed")
    for (more, *d), says in shapes:
        with pytest.raises(ValueError, match=says):
            score_model("phrase similarity", lambda texts, more=more, d=d: np.ones((len(texts) + more, *d)))
    with pytest.raises(ValueError, match="hold NaN or infinity"):
        score_model("phrase similarity", lambda texts: np.full((len(texts), 2), np.nan))
    with pytest.raises(ValueError, match="Did you mean 'RELPRON'.*lexical substitution"):
        load_task("RELPRONS")
    with pytest.raises(DataError, match="medium"):
        load_task("RELPRON", "medium")
