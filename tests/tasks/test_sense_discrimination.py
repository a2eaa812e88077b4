"""Word sense discrimination: items, contexts and what choices earn, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from usages import item_of, usage

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import sense_discrimination as sd


def test_a_tree_is_a_head_or_a_single_token():
    flat = usage("Banks/bank/N fail/fail/V", 0)
    assert usage("Banks/bank/N/2/nsubj fail/fail/V/0/root", 0).has_tree and usage("Banks/bank/N", 0).has_tree
    assert not flat.has_tree


def test_items_of_a_kind():
    items = sd.SenseDiscrimination("mine", "dev", (item_of(2), item_of(3), item_of(2, label="run|VERB")))
    assert [len(items.of("NOUN")), len(items.of(senses=2)), len(items.of("VERB", 3)), len(items.of())] == [2, 2, 0, 3]
    two = item_of(2)
    assert [two.source, replace(two, target=replace(two.target, source="wordnet")).source] == ["mine", "both"]


# ------------------------------------------------------------------------------------------------------------ contexts

OTTER = (  # "Yesterday the very old otter slowly swam to the muddy bank , 3 miles from Leeds ."
    "Yesterday/yesterday/N/7/npadvmod the/the/D/5/det very/very/R/4/advmod old/old/A/5/amod otter/otter/N/7/nsubj "
    "slowly/slowly/R/7/advmod swam/swim/V/0/root to/to/I/7/prep the/the/D/11/det muddy/muddy/A/11/amod "
    "bank/bank/N/8/pobj ,/,/U/7/punct 3/3/M/14/nummod miles/mile/N/7/npadvmod from/from/I/14/prep "
    "Leeds/leeds/P/15/pobj ././U/7/punct"
)
FLAT = " ".join("/".join(word.split("/")[:3]) for word in OTTER.split())
FIRES = "Fires/fire/N made/make/V the/the/D fire/fire/N burn/burn/V him/he/O"


@pytest.mark.parametrize(("text", "place", "window", "words"), [
    (OTTER, 4, 1, "old|ADJ slowly|ADV"), (OTTER, 4, 2, "yesterday|NOUN old|ADJ slowly|ADV swim|VERB"),
    (OTTER, 10, 1, "muddy|ADJ mile|NOUN"),  # the comma and 3 take no place
    (OTTER, 10, 2, "swim|VERB muddy|ADJ mile|NOUN leeds|PROPN"),
    # very is a stop word; there are only two on the right
    (OTTER, 10, 4, "otter|NOUN slowly|ADV swim|VERB muddy|ADJ mile|NOUN leeds|PROPN"),
    (OTTER, 0, 1, "old|ADJ"),  # nothing on the left
    (FIRES, 0, 4, "make|VERB burn|VERB"),  # fire is the lexeme again
    ("Up/up/N fire/fire/N need/need/N systems/system/N", 1, 4, "need|NOUN system|NOUN"),  # up is none, whatever its tag
    ("It/it/O is/be/X", 1, 4, ""), ("Otters/otter/N bite/bite/V otters/otter/N", 0, 2, "bite|VERB"),
    (OTTER, 10, "dependency", "swim|VERB muddy|ADJ"),  # the head is beyond "to"
    (OTTER, 4, "dependency", "old|ADJ swim|VERB"),
    (OTTER, 6, "dependency", "yesterday|NOUN otter|NOUN slowly|ADV bank|NOUN mile|NOUN"),
    (FLAT, 10, "dependency", "swim|VERB muddy|ADJ mile|NOUN leeds|PROPN"),  # no tree: a window of 2
])  # fmt: skip
def test_contexts(text, place, window, words):
    assert sd.context(usage(text, place), window) == words.split()


# -------------------------------------------------------------------------------------------------------------- scores


def test_credit_by_hand():
    items = [item_of(2, 1), item_of(2, 0), item_of(3, 2), item_of(4, 3, "run|VERB"), item_of(5, 0, "run|VERB")]
    similarity = [0.1, 0.9, 0.1, 0.9, 0.5, 0.5, 0.5 + 1e-12, 0, 0, 0, 0, 3, 3, 2, 3, 1]
    expected = pytest.approx([1, 0, 1 / 3, 1 / 4, 1 / 3])
    assert sd.credit(items, similarity) == expected
    task = sd.task(sd.SenseDiscrimination("mine", "dev", tuple(items)), lambda lexeme, usage: (lexeme, usage.sense))
    scores = task.scores("some", "none", np.array(similarity))
    assert scores.values == expected and scores.groups.tolist() == [0, 0, 0, 1, 1]
    assert scores.labels["kind"].tolist() == ["mine"] * 5
    assert [part.value for part in scores.groupby("pos")] == pytest.approx([4 / 9, 7 / 24])
    assert [[task.texts[place] for place in pair] for pair in task.pairs[:2]] == [
        [("bank|NOUN", "s0"), ("bank|NOUN", "t0")], [("bank|NOUN", "s0"), ("bank|NOUN", "s0")],
    ]  # fmt: skip
    assert task.chance == pytest.approx((1 / 2 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5)


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], [1.0, np.inf], [[1.0, 2.0]]])
def test_bad_similarities_are_refused(values):
    with pytest.raises(TaskError, match="2 finite similarities are needed"):
        sd.credit([item_of(2)], values)
