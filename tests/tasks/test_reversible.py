"""Reversible RELPRON by hand: what choices earn, that addition and a preference are at one half."""

import numpy as np

from cdsm_lib.composition.relative_clause import lexical
from cdsm_lib.tasks import relpron, reversible
from cdsm_lib.tasks.relpron import Property, RelPron
from cdsm_lib.vectors.space import Space

ITEMS = RelPron(tuple(
    Property(term, "thing", function, "contain", argument)
    for argument, sides in {"blood": [("artery", "SBJ"), ("vein", "SBJ"), ("plasma", "OBJ"), ("cell", "OBJ")],
                            "acid": [("oil", "SBJ"), ("bond", "OBJ")]}.items()
    for term, function in sides
), name="reversible")  # fmt: skip
TASK = reversible.task(ITEMS)


def test_a_pair_has_the_term_with_its_property_and_then_with_the_roles_exchanged():
    texts = [" ".join(token.partition("|")[0] for token in text.tokens) for text in TASK.texts]
    said = [(texts[i], texts[j]) for i, j in TASK.pairs]
    assert said[2] == ("plasma", "thing that blood contain") and said[6 + 2] == ("plasma", "thing that contain blood")
    assert said[0] == ("artery", "thing that contain blood") and len(said) == 12
    assert TASK.units.tolist() == [1, 1, 1, 1, 0, 0] and TASK.chance == 0.5


def test_accuracy_and_couples_by_hand():
    """Artery is with plasma, vein with cell. Right: 1, 0, a tie, 0, 1, 0; in couples .2 + 0, -.3 + -.1, .3 + -.1."""
    right = np.array([0.4, 0.1, 0.5, 0.2, 0.9, 0.2])
    similarity = np.concatenate([right, [0.2, 0.4, 0.5, 0.3, 0.6, 0.3]])
    assert TASK.measures["accuracy"].values(similarity).tolist() == [1, 0, 0.5, 0, 1, 0]
    assert TASK.measures["couples"].values(similarity).tolist() == [1, 0, 1, 0, 1, 1]
    assert (TASK.value(similarity), TASK.value(similarity, "couples")) == (2.5 / 6, 4 / 6)
    (drawn,) = {tuple(score.groups) for score in (TASK.scores("mine", "", similarity, m) for m in TASK.measures)}
    assert drawn == tuple(TASK.units)


def test_what_adds_or_multiplies_is_at_one_half_and_so_is_a_preference():
    every = reversible.with_exchanged(ITEMS)
    rng, words = np.random.default_rng(0), relpron.vocabulary(ITEMS)
    vectors = relpron.look_up(every, Space(words, rng.normal(size=(len(words), 5))))
    for method in ("hn+v+arg", "hn*v*arg"):
        cosines = relpron.cosines(vectors.term, lexical(method, vectors.head, vectors.verb, vectors.argument))
        similarity = cosines[tuple(reversible.places(ITEMS).T)]
        assert [TASK.value(similarity, metric) for metric in TASK.measures] == [0.5, 0.5]
    subject = np.array([item.function == "SBJ" for item in every.items]) + rng.normal(scale=0.01, size=12)
    assert TASK.value(subject) == 0.5
