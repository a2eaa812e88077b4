"""The teaching set data/sample/paraphrases: what its datasheet promises holds of its files."""

from collections import Counter

import numpy as np
from teaching import rows_of

from cdsm_lib.construction import localisation as construction
from cdsm_lib.tasks import localisation
from cdsm_lib.text.lexicon import Excerpt

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


def test_the_first_sentence_is_an_example_and_the_datasheet_names_versions_that_go_wrong(folder, sheet):
    facts = Excerpt.load(folder / "facts.json")
    found = Counter(one.kind for one in construction.alterations(PARSED[PAIRS[0].ids[0]], facts))
    assert found == {"noun": 4, "verb": 4}
    becomes = set()
    for sentence in PARSED.values():
        for word in construction.alterations(sentence, facts):
            becomes |= {(sentence.tokens[word.position].form, form) for _, form in word.options}
    named = {("club", "nine"), ("roads", "roadsteads"), ("found", "abolished"), ("let", "prevented"), ("open", "close")}
    assert named <= becomes and all(f"*{form}" in sheet for _, form in named if form != "close")
