"""A model of one's own, scored: what it must give, and what a perfect one comes to."""

import numpy as np
import pytest

from cdsm_lib import load_task, score_model
from cdsm_lib.datasets import DataError
from cdsm_lib.tasks import relpron


def test_a_model_that_knows_the_term_of_each_property_has_map_one():
    items = relpron.load("relpron_mini", "test")
    term_of = {(item.head, item.verb, item.argument): item.term for item in items.items}

    def embed(texts):
        meant = [
            text.lemmas[0] if len(text.lemmas) == 1 else next(t for p, t in term_of.items() if {*p} == {*text.lemmas})
            for text in texts
        ]
        return [[float(term == other) for other in items.terms] for term in meant]

    scores = score_model("RELPRON", embed, model="oracle")
    assert scores.value == 1 and len(scores.values) == len(items.terms) and scores.system == "oracle"
    alike = score_model("RELPRON", lambda texts: np.ones((len(texts), 2))).value
    assert alike < 0.2  # ties are broken against the system or averaged, never for it


@pytest.mark.parametrize(
    ("embed", "says"),
    [
        (lambda texts: np.ones((len(texts) + 1, 3)), "mine: an array of shape .* texts; a row a text is needed"),
        (lambda texts: np.ones(len(texts)), "a row a text is needed"),
        (lambda texts: np.full((len(texts), 2), np.nan), "hold NaN or infinity"),
    ],
)
def test_what_is_no_vector_a_text_is_refused(embed, says):
    with pytest.raises(ValueError, match=says):
        score_model("phrase similarity", embed)


def test_another_task_or_profile_is_refused_by_its_name():
    with pytest.raises(ValueError, match="Did you mean 'RELPRON'.*lexical substitution"):
        load_task("RELPRONS")
    with pytest.raises(DataError, match="medium"):
        load_task("RELPRON", "medium")
