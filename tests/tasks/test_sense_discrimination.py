"""Word sense discrimination: items, contexts, the baselines and the scores, by hand."""

import numpy as np
import pytest
from usages import item_of, usage

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import sense_discrimination as sd
from cdsm_lib.tasks.sense_discrimination import Item

# ------------------------------------------------------------------------------------------------------------- classes


def test_a_tree_is_a_head_or_a_single_token():
    assert usage("Banks/bank/N/2/nsubj fail/fail/V/0/root", 0).has_tree
    assert not usage("Banks/bank/N fail/fail/V", 0).has_tree
    assert usage("Banks/bank/N", 0).has_tree
    flat = usage("Banks/bank/N fail/fail/V", 0)
    task = sd.SenseDiscrimination("mine", "all", (Item("bank|NOUN", 2, flat, (flat, usage("Banks/bank/N", 0)), 0),))
    assert task.without_tree == 2


def test_items_of_a_kind():
    task = sd.SenseDiscrimination("mine", "dev", (item_of(2), item_of(3), item_of(2, label="run|VERB")))
    assert [len(task.of("NOUN")), len(task.of(senses=2)), len(task.of("VERB", 3)), len(task.of())] == [2, 2, 0, 3]


# ------------------------------------------------------------------------------------------------------------ contexts

OTTER = (  # "Yesterday the very old otter slowly swam to the muddy bank , 3 miles from Leeds ."
    "Yesterday/yesterday/N/7/npadvmod the/the/D/5/det very/very/R/4/advmod old/old/A/5/amod otter/otter/N/7/nsubj "
    "slowly/slowly/R/7/advmod swam/swim/V/0/root to/to/I/7/prep the/the/D/11/det muddy/muddy/A/11/amod "
    "bank/bank/N/8/pobj ,/,/U/7/punct 3/3/M/14/nummod miles/mile/N/7/npadvmod from/from/I/14/prep "
    "Leeds/leeds/P/15/pobj ././U/7/punct"
)


def test_windows_of_content_words():
    otter, bank = usage(OTTER, 4), usage(OTTER, 10)
    assert sd.context(otter, 1) == ["old|ADJ", "slowly|ADV"]
    assert sd.context(otter, 2) == ["yesterday|NOUN", "old|ADJ", "slowly|ADV", "swim|VERB"]
    assert sd.context(bank, 1) == ["muddy|ADJ", "mile|NOUN"]  # the comma and 3 take no place
    assert sd.context(bank, 2) == ["swim|VERB", "muddy|ADJ", "mile|NOUN", "leeds|PROPN"]
    four = ["otter|NOUN", "slowly|ADV", "swim|VERB", "muddy|ADJ", "mile|NOUN", "leeds|PROPN"]
    assert sd.context(bank, 4) == four  # very is a stop word; there are only two on the right
    assert sd.context(usage(OTTER, 0), 1) == ["old|ADJ"]  # nothing on the left
    assert sd.context(bank, 1, stop_words={"muddy", "mile"}) == ["swim|VERB", "leeds|PROPN"]


def test_stop_words_go_by_form_and_lemma_and_the_lexeme_stays_out():
    text = "Fires/fire/N made/make/V the/the/D fire/fire/N burn/burn/V him/he/O"
    assert sd.context(usage(text, 0), 4) == ["burn|VERB"]  # made is a stop word by its form; fire is the lexeme again
    assert sd.context(usage(text, 4), 4, stop_words={"fire"}) == ["make|VERB"]  # Fires by its lemma
    assert sd.context(usage("It/it/O is/be/X", 1), 4) == []
    again = usage("Otters/otter/N bite/bite/V otters/otter/N", 0)
    assert sd.context(again, 2) == ["bite|VERB"]


def test_dependency_contexts_collapse_prepositions():
    assert sd.context(usage(OTTER, 10), "dependency") == ["swim|VERB", "muddy|ADJ"]  # the head is beyond "to"
    assert sd.context(usage(OTTER, 4), "dependency") == ["old|ADJ", "swim|VERB"]
    swim = ["yesterday|NOUN", "otter|NOUN", "slowly|ADV", "bank|NOUN", "mile|NOUN"]
    assert sd.context(usage(OTTER, 6), "dependency") == swim
    flat = " ".join("/".join(word.split("/")[:3]) for word in OTTER.split())
    assert sd.context(usage(flat, 10), "dependency") == sd.context(usage(OTTER, 10), 2)  # no tree


# ---------------------------------------------------------------------------------------------------------- baselines


def test_words_in_common():
    assert sd.words_in_common(["a|NOUN", "a|NOUN", "b|VERB"], ["a|NOUN", "a|NOUN", "b|ADJ", "c|NOUN"]) == 2
    assert sd.words_in_common(["a|NOUN"], []) == 0


def river_item() -> Item:
    target = usage("muddy/muddy/A river/river/N bank/bank/N flood/flood/N", 2, "shore")
    lender = usage("rich/rich/A bank/bank/N flood/flood/V market/market/N", 1, "lender")
    shore = usage("steep/steep/A muddy/muddy/A bank/bank/N floods/flood/N", 2, "shore")
    return Item("bank|NOUN", 2, target, (lender, shore), 1)


def test_word_overlap_by_hand():
    assert sd.word_overlap(1)(river_item()).tolist() == [1, 1]  # {river, flood}: flood is in both
    assert sd.word_overlap(2)(river_item()).tolist() == [1, 2]  # and muddy in the second
    scored = [sd.scores([river_item()], sd.word_overlap(window)) for window in (1, 2)]
    assert [s.accuracy for s in scored] == [0.5, 1.0]
    assert [s.tied.tolist() for s in scored] == [[True], [False]]


# -------------------------------------------------------------------------------------------------------------- scores


def test_scores_by_hand():
    items = [item_of(2, 1), item_of(2, 0), item_of(3, 2), item_of(4, 3, "run|VERB"), item_of(5, 0, "run|VERB")]
    values = iter([[0.1, 0.9], [0.1, 0.9], [0.5, 0.5, 0.5 + 1e-12], None, [3, 3, 2, 3, 1]])
    scored = sd.scores(items, lambda item: next(values))
    assert scored.credit == pytest.approx([1, 0, 1 / 3, 1 / 4, 1 / 3])
    assert scored.tied.tolist() == [False, False, True, True, True]
    assert scored.accuracy == pytest.approx((1 + 1 / 3 + 1 / 4 + 1 / 3) / 5)


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], [1.0, np.inf], [[1.0, 2.0]]])
def test_bad_scores_are_refused(values):
    with pytest.raises(TaskError, match=r"bank\|NOUN: 2 finite scores are needed"):
        sd.scores([item_of(2)], lambda item: values)
    with pytest.raises(TaskError, match="no items to score"):
        sd.scores([], lambda item: values)


def test_frequency_bands():
    assert [sd.frequency_band(n) for n in (0, 9_999, 10_000, 49_999, 50_000, 10**7)] == [0, 0, 1, 1, 2, 2]
    assert [sd.frequency_band(n, (1000, 5000)) for n in (999, 1000, 5000)] == [0, 1, 2]
