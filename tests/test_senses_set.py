"""The teaching set data/sample/senses: what its datasheet promises holds of its files."""

import re
from collections import Counter

import numpy as np
import pytest
from teaching import content, length, quotations, rows_of, table, wikipedia_counts, words_of

from cdsm_lib import datasets
from cdsm_lib.construction import sense_discrimination as sd
from cdsm_lib.construction.sense_discrimination import Lexeme
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks.sense_discrimination import Usage
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import read_trees

SET = "senses"
FOLDER, INVENTORY = datasets.sample_path(SET), sd.load_inventory(SET)
SENTENCES = read_trees(FOLDER / "senses.conllu")
PARTS = {"ADJ": "adj", "NOUN": "noun", "VERB": "verb"}  # in the order of the files
LETTERS = {"ADJ": "a", "NOUN": "n", "VERB": "v"}
USAGES = [(lexeme, usage) for lexeme in INVENTORY for usages in lexeme.senses.values() for usage in usages]


def level(usage: Usage) -> str:
    return usage.sentence.comments["level"]


def of(pos: str) -> list[Lexeme]:
    return [lexeme for lexeme in INVENTORY if lexeme.label.endswith(f"|{pos}")]


# ------------------------------------------------------------------------------------------------------------ the files


def test_the_marked_sense_is_that_of_the_id_and_the_lexeme_occurs_once():
    for lexeme, usage in USAGES:
        lemma, pos = lexeme.label.split("|")
        part, name, number, _ = usage.sentence.comments["sent_id"].split(".")
        assert (part, name, usage.sense) == (PARTS[pos], lemma, f"{lemma}.{LETTERS[pos]}.{number}")
        assert (usage.token.lemma, usage.token.upos) == (lemma, pos)
        same = [t for t in usage.sentence if lemma in (t.lemma, t.form.lower()) or t.form == usage.token.form]
        assert same == [usage.token], usage.sentence.comments


def test_size_levels_and_glosses(sheet):
    assert len(INVENTORY) >= 80
    for lexeme in INVENTORY:
        assert 2 <= len(lexeme.senses) <= 5
        assert all(len(u) >= 3 and "clear" in map(level, u) for u in lexeme.senses.values()), lexeme.label
        glosses = [INVENTORY.glosses[sense] for sense in lexeme.senses]
        assert len(set(glosses)) == len(glosses)
        assert not any(lexeme.label.split("|")[0] in words_of(gloss) for gloss in glosses), lexeme.label
    for pos in PARTS:
        counts = Counter(level(usage) for lexeme, usage in USAGES if lexeme.label.endswith(pos))
        assert counts["clear"] > counts["medium"] > counts["hard"] > 0.15 * counts.total()
    lengths = [len(gloss.split()) for gloss in INVENTORY.glosses.values()]
    assert f"`gloss` of {min(lengths)} to {max(lengths)} words" in sheet and 5 <= min(lengths) <= max(lengths) <= 15


# ------------------------------------------------------------------------------------------------ what the sheet states


def test_datasheet_states_the_counts(sheet):
    for name, lexemes in (*((pos, of(pos)) for pos in PARTS), ("all", list(INVENTORY))):
        senses = Counter(len(lexeme.senses) for lexeme in lexemes)
        levels = Counter(level(usage) for lexeme, usage in USAGES if lexeme in lexemes)
        cells = [len(lexemes), *(senses[n] for n in sd.SENSES), sum(len(lexeme.senses) for lexeme in lexemes)]
        assert table(name, *cells, levels.total(), *(levels[name] for name in sd.LEVELS)) in sheet
    text, lengths = " ".join(sheet.split()), [*map(length, SENTENCES.values())]
    said = f"{len(INVENTORY)} lexemes with {len(INVENTORY.glosses)} senses, and {len(SENTENCES)} sentences"
    assert f"{said} of {min(lengths)} to {max(lengths)} words" in text
    sizes = Counter(len(usages) for lexeme in INVENTORY for usages in lexeme.senses.values())
    assert f"{sizes[3]} senses have three sentences, {sizes[4]} have four" in text and set(sizes) == {3, 4}
    assert f"for {len(INVENTORY.synsets)} of the {len(INVENTORY.glosses)} senses" in text


def test_datasheet_states_what_gloss_overlap_does(sheet):
    credit = {name: [] for name in sd.LEVELS}
    for lexeme, usage in USAGES:
        lemmas = {token.lemma for token in content(usage.sentence)} - {lexeme.label.split("|")[0]}
        scores = [len(lemmas & set(words_of(INVENTORY.glosses[sense]))) for sense in lexeme.senses]
        right = list(lexeme.senses).index(usage.sense)
        credit[level(usage)].append((metrics.tie_credit(scores, right), 1 / len(scores)))
    for name, pairs in credit.items():
        accuracy, chance = np.mean(pairs, axis=0)
        (line,) = re.findall(rf"^\| {name} \| [^|]+ \| (.*) \|$", sheet, re.M)
        assert line == f"{len(pairs)} | {accuracy:.2f} | {chance:.2f}".replace("0.", ".")


def test_independent_pass(sheet):
    rows = rows_of(FOLDER / "pass.tsv", "sent_id label sure")
    assert [row["sent_id"] for row in rows] == list(SENTENCES)
    second, text = {row["sent_id"]: row["label"] for row in rows}, " ".join(sheet.split())
    assert set(second.values()) <= set(INVENTORY.glosses)
    both = {usage.sentence.comments["sent_id"]: (usage.sense, level(usage)) for _, usage in USAGES}
    groups = [SENTENCES, *([id for id in both if id.startswith(part)] for part in PARTS.values())]
    groups += [[id for id, (_, its_level) in both.items() if its_level == name] for name in sd.LEVELS]
    kappas = {f"{metrics.cohen_kappa([both[i][0] for i in ids], [second[i] for i in ids]):.3f}" for ids in groups}
    agreed, (kappa,) = sum(sense == second[id] for id, (sense, _) in both.items()), kappas
    assert f"on {agreed} of {len(both)} sentences; Cohen's kappa is {kappa}, as it is for each part" in text
    unsure = ", ".join(f"`{row['sent_id']}`" for row in rows if row["sure"] == "0")
    assert f"the two unsure sentences ({unsure})" in text


# ------------------------------------------------------------------------------------------------- beside the real data


def test_synsets_belong_to_their_lexemes_and_nothing_is_quoted_from_wordnet(mirror):
    try:
        reader = wordnet.reader()
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet: {error}")
    for lexeme in INVENTORY:
        synsets = [INVENTORY.synsets[sense] for sense in lexeme.senses if sense in INVENTORY.synsets]
        assert set(synsets) <= set(wordnet.senses_of(lexeme.label)) and len(set(synsets)) == len(synsets), lexeme.label
    theirs = (text for synset in reader.all_synsets() for text in (synset.definition(), *synset.examples()))
    sources = {run for text in theirs for run in quotations(text)}
    texts = [*(sentence.comments["text"] for sentence in SENTENCES.values()), *INVENTORY.glosses.values()]
    assert len(sources) > 100_000 and [text for text in texts if quotations(text) & sources] == []


def test_words_are_frequent(mirror):
    count = wikipedia_counts()
    assert min(count(lexeme.label) for lexeme in INVENTORY) >= 300
    labels = [f"{token.lemma}|{token.upos}" for sentence in SENTENCES.values() for token in content(sentence)]
    assert sum(count(label) >= 100 for label in labels) > 0.95 * len(labels)
