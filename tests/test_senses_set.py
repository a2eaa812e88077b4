"""The teaching set data/sample/senses: what its datasheet promises holds of its files."""

import re
from collections import Counter

import pytest
from teaching import content, length, quotations, rows_of, table, wikipedia_counts, words_of

from cdsm_lib import datasets
from cdsm_lib.construction import sense_discrimination as sd
from cdsm_lib.construction.sense_discrimination import Inventory, Lexeme
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks.sense_discrimination import Usage
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import Sentence, read_conllu

SET = "senses"
PARTS = {"ADJ": "adj", "NOUN": "noun", "VERB": "verb"}  # in the order of the files
LETTERS = {"ADJ": "a", "NOUN": "n", "VERB": "v"}


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return sd.load_inventory("senses")


@pytest.fixture(scope="module")
def sentences(folder) -> list[Sentence]:
    return list(read_conllu(folder / "senses.conllu"))


@pytest.fixture(scope="module")
def rows(folder) -> list[list[str]]:
    return [list(row.values()) for row in rows_of(folder / "inventory.tsv", "lexeme pos sense gloss synset")]


@pytest.fixture(scope="module")
def labels(folder) -> dict[str, tuple[str, str]]:
    """Label and sureness of each sentence in the independent pass."""
    cells = rows_of(folder / "pass.tsv", "sent_id label sure")
    assert len({row["sent_id"] for row in cells}) == len(cells)
    return {row["sent_id"]: (row["label"], row["sure"]) for row in cells}


def usages(lexemes) -> list[Usage]:
    return [usage for lexeme in lexemes for found in lexeme.senses.values() for usage in found]


def own_id(usage: Usage) -> str:
    return usage.sentence.comments["sent_id"]


def level(usage: Usage) -> str:
    return usage.sentence.comments["level"]


def of(inventory: Inventory, pos: str) -> list[Lexeme]:
    return [lexeme for lexeme in inventory if lexeme.label.endswith(f"|{pos}")]


def gloss_overlap(usage: Usage, lexeme: Lexeme, glosses) -> list[int]:
    """Content lemmas that a sentence shares with the gloss of each sense, without the lexeme."""
    own = lexeme.label.split("|")[0]
    lemmas = {token.lemma for token in content(usage.sentence)} - {own}
    return [len(lemmas & set(words_of(glosses[sense]))) for sense in lexeme.senses]


# ------------------------------------------------------------------------------------------------------------ the files


def test_order_and_ids(rows, sentences):
    assert rows == sorted(rows, key=lambda row: (list(PARTS).index(row[1]), row[0]))
    counted, number = Counter(), Counter()
    for lemma, pos, sense, *_ in rows:
        counted[lemma, pos] += 1
        assert sense == f"{lemma}.{LETTERS[pos]}.{counted[lemma, pos]}"
    for prefix, _, last in (sentence.comments["sent_id"].rpartition(".") for sentence in sentences):
        number[prefix] += 1
        assert last == str(number[prefix])
    assert list(number) == [f"{PARTS[pos]}.{lemma}.{sense.split('.')[-1]}" for lemma, pos, sense, *_ in rows]


def test_the_marked_sense_is_that_of_the_id_and_the_lexeme_occurs_once(inventory):
    for lexeme in inventory:
        lemma, pos = lexeme.label.split("|")
        for usage in usages([lexeme]):
            part, name, number, _ = own_id(usage).split(".")
            assert (part, name, usage.sense) == (PARTS[pos], lemma, f"{lemma}.{LETTERS[pos]}.{number}")
            assert (usage.token.lemma, usage.token.upos) == (lemma, pos)
            same = [t for t in usage.sentence if lemma in (t.lemma, t.form.lower()) or t.form == usage.token.form]
            assert same == [usage.token], own_id(usage)


def test_size_and_levels(inventory):
    assert len(inventory) >= 80 and {lexeme.label.split("|")[1] for lexeme in inventory} == set(PARTS)
    for lexeme in inventory:
        assert 2 <= len(lexeme.senses) <= 5
        assert all(len(found) >= 3 and "clear" in map(level, found) for found in lexeme.senses.values()), lexeme.label
    for pos in PARTS:
        counts = Counter(map(level, usages(of(inventory, pos))))
        assert set(counts) == set(sd.LEVELS)
        assert counts["clear"] > counts["medium"] > counts["hard"] > 0.15 * counts.total()


def test_glosses(inventory, sheet):
    lengths = [len(gloss.split()) for gloss in inventory.glosses.values()]
    assert f"`gloss` of {min(lengths)} to {max(lengths)} words" in sheet
    assert 5 <= min(lengths) <= max(lengths) <= 15
    for lexeme in inventory:
        glosses = [inventory.glosses[sense] for sense in lexeme.senses]
        assert len(set(glosses)) == len(glosses)
        assert not any(lexeme.label.split("|")[0] in words_of(gloss) for gloss in glosses), lexeme.label


# ------------------------------------------------------------------------------------------------ what the sheet states


def test_datasheet_states_the_counts(inventory, sentences, sheet):
    for name, lexemes in (*((pos, of(inventory, pos)) for pos in PARTS), ("all", list(inventory))):
        senses = Counter(len(lexeme.senses) for lexeme in lexemes)
        levels = Counter(map(level, usages(lexemes)))
        cells = [len(lexemes), *(senses[n] for n in sd.SENSES), sum(len(lexeme.senses) for lexeme in lexemes)]
        cells += [levels.total(), *(levels[name] for name in sd.LEVELS)]
        assert table(name, *cells) in sheet
    text = " ".join(sheet.split())
    lengths = [length(sentence) for sentence in sentences]
    said = f"{len(inventory)} lexemes with {len(inventory.glosses)} senses, and {len(sentences)} sentences"
    assert f"{said} of {min(lengths)} to {max(lengths)} words" in text
    sizes = Counter(len(found) for lexeme in inventory for found in lexeme.senses.values())
    assert f"{sizes[3]} senses have three sentences, {sizes[4]} have four" in text
    assert set(sizes) == {3, 4}
    assert f"for {len(inventory.synsets)} of the {len(inventory.glosses)} senses" in text


def test_datasheet_states_what_gloss_overlap_does(inventory, sheet):
    credit: dict[str, list[tuple[float, float]]] = {name: [] for name in sd.LEVELS}
    for lexeme in inventory:
        for usage in usages([lexeme]):
            scores = gloss_overlap(usage, lexeme, inventory.glosses)
            right = list(lexeme.senses).index(usage.sense)
            credit[level(usage)].append((metrics.tie_credit(scores, right), 1 / len(scores)))
    accuracy = {}
    for name, pairs in credit.items():
        accuracy[name], chance = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        (line,) = re.findall(rf"^\| {name} \| [^|]+ \| (.*) \|$", sheet, re.M)
        assert line == f"{len(pairs)} | {accuracy[name]:.2f} | {chance:.2f}".replace("0.", ".")
    assert accuracy["clear"] > accuracy["medium"] > accuracy["hard"]


def test_independent_pass(inventory, sentences, labels, sheet):
    found = usages(inventory)
    assert list(labels) == [sentence.comments["sent_id"] for sentence in sentences]
    assert {label for label, _ in labels.values()} <= set(inventory.glosses)
    assert Counter(sure for _, sure in labels.values()) == {"0": 2, "1": len(labels) - 2}
    pairs = {own_id(usage): (usage.sense, labels[own_id(usage)][0]) for usage in found}
    text = " ".join(sheet.split())
    agreed, kappa = sum(a == b for a, b in pairs.values()), metrics.cohen_kappa(*zip(*pairs.values(), strict=True))
    assert f"on {agreed} of {len(pairs)} sentences; Cohen's kappa is {kappa:.3f}, as it is for each part" in text
    groups = [[own_id(u) for u in found if own_id(u).startswith(part)] for part in PARTS.values()]
    groups += [[own_id(u) for u in found if level(u) == name] for name in sd.LEVELS]
    for group in groups:
        assert f"{metrics.cohen_kappa(*zip(*(pairs[name] for name in group), strict=True)):.3f}" == f"{kappa:.3f}"
    unsure = [name for name, (_, sure) in labels.items() if sure == "0"]
    assert f"the two unsure sentences ({', '.join(f'`{name}`' for name in unsure)})" in text


# ------------------------------------------------------------------------------------------------- beside the real data


@pytest.fixture
def reader(mirror):
    try:
        return wordnet.reader()
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet: {error}")


def test_nothing_is_quoted_from_wordnet(reader, inventory, sentences):
    theirs = (text for synset in reader.all_synsets() for text in (synset.definition(), *synset.examples()))
    sources = {run for text in theirs for run in quotations(text)}
    texts = [*(sentence.comments["text"] for sentence in sentences), *inventory.glosses.values()]
    assert len(sources) > 100_000 and [text for text in texts if quotations(text) & sources] == []


def test_synsets_belong_to_their_lexemes(reader, inventory):
    for lexeme in inventory:
        synsets = [inventory.synsets[sense] for sense in lexeme.senses if sense in inventory.synsets]
        assert set(synsets) <= set(wordnet.senses_of(lexeme.label)), lexeme.label
        assert len(set(synsets)) == len(synsets), lexeme.label


def test_words_are_frequent(mirror, inventory, sentences):
    count = wikipedia_counts()
    assert min(count(lexeme.label) for lexeme in inventory) >= 300
    labels = [f"{token.lemma}|{token.upos}" for sentence in sentences for token in content(sentence)]
    assert sum(count(label) >= 100 for label in labels) > 0.95 * len(labels)
