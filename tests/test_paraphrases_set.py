"""The teaching set data/sample/paraphrases: what its datasheet promises holds of its files."""

from collections import Counter

import numpy as np
from teaching import rows_of

from cdsm_lib.tasks import localisation

SET = "paraphrases"
PAIRS, PARSED = localisation.load("paraphrases")
WORDS = {id: [token.form.lower() for token in tree if token.upos != "PUNCT"] for id, tree in PARSED.items()}


def test_every_pair_has_its_parses():
    assert len(PAIRS) >= 160 and list(PARSED) == [id for pair in PAIRS for id in pair.ids]


def test_datasheet_states_the_counts(folder, sheet):
    text, rows = " ".join(sheet.split()), rows_of(folder / "pairs.tsv", "id first second topic")
    assert f"{len(PAIRS)} pairs of sentences" in text and f"which makes {2 * len(PAIRS)} cases" in text
    assert all(f"| {topic} | {number} |" in text for topic, number in Counter(row["topic"] for row in rows).items())
    lengths = [*map(len, WORDS.values())]
    assert f"have {min(lengths)} to {max(lengths)} words, {np.mean(lengths):.1f} on average" in text
    both = [[set(WORDS[id]) for id in pair.ids] for pair in PAIRS]
    shares = [len(first & second) / len(first | second) for first, second in both]
    low, high, mean = (f"{share:.2f}".removeprefix("0") for share in (min(shares), max(shares), np.mean(shares)))
    assert f"both sentences have {low} to {high}, on average {mean}" in text
