"""How the items of sense discrimination are made: usages out of SemCor-like and plain text, the sampler, published
items, by hand; the real sets where there is a mirror. All sentences are written for these tests."""

from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from usages import plain_usage, sentence

from cdsm_lib import datasets
from cdsm_lib.construction import sense_discrimination as sd
from cdsm_lib.construction.sense_discrimination import FormTagger, Inventory, Lexeme
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks.sense_discrimination import SENSES, TAGS, SenseDiscrimination
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.vectors.disambiguation import readings


def lexeme(label: str, counts: dict[str, int]) -> Lexeme:
    lemma, _, tag = label.rpartition("|")
    senses = {s: tuple(plain_usage(s, i, lemma, tag[0]) for i in range(n)) for s, n in counts.items()}
    return Lexeme(label, senses)


# -------------------------------------------------------------------------------------------------------------- SemCor

KEYS = {"bank%1:17:00::": "bank.n.01", "bank%1:14:00::": "bank.n.02", "sad%3:00:00::": "sad.a.01",
        "dim%5:00:00:dark:00": "dim.s.01"}  # fmt: skip


def test_semcor_takes_tokens_that_fit_their_sense():
    """*lend* has a key that WordNet lacks, *floor lamp* is two tokens, *Banking* has another part of speech, *had* the
    tag of no lexeme, the last *bank* another lemma."""
    sentences = [sentence(text) for text in (
        "Two/two/M banks/bank/N/Sense=bank%1:17:00:: lend/lend/V/Sense=lend%2:40:00:: money/money/N",
        "The/the/D dim/dim/A/Sense=dim%5:00:00:dark:00 lamp/lamp/N/Sense=floor_lamp%1:06:00::|Span=2 //U",
        "Banking/bank/V/Sense=bank%1:17:00:: had/have/X/Sense=have%2:40:00:: bank/bank/N/Sense=shore%1:17:00::",
    )]  # fmt: skip
    inventory = sd.read_semcor(sentences, KEYS.__getitem__)
    assert [x.label for x in inventory] == ["bank|NOUN", "dim|ADJ"]
    (only,) = inventory.lexeme("bank|NOUN").senses["bank.n.01"]
    assert (only.sentence, only.position, only.source) == (sentences[0], 1, "semcor")
    assert set(inventory.lexeme("dim|ADJ").senses) == {"dim.s.01"}


def test_a_sentence_counts_once_and_not_at_all_with_two_senses():
    first, second = "bank/bank/N/Sense=bank%1:17:00::", "bank/bank/N/Sense=bank%1:14:00::"
    texts = [f"A/a/D {first} and/and/D {second}", f"The/the/D {first} is/be/X a/a/D {first}", f"The/the/D {second}"]
    inventory = sd.read_semcor([*map(sentence, texts), sentence(texts[2])], KEYS.__getitem__)
    senses = inventory.lexeme("bank|NOUN").senses
    assert {sense: [u.position for u in usages] for sense, usages in senses.items()} == {
        "bank.n.01": [1], "bank.n.02": [1]
    }  # fmt: skip


def test_merged():
    first, second = (Inventory("a", (lexeme("bank|NOUN", counts),)) for counts in ({"s1": 2}, {"s1": 3, "s2": 1}))
    senses = sd.merged("both", first, second).lexeme("bank|NOUN").senses
    assert {sense: len(usages) for sense, usages in senses.items()} == {"s1": 3, "s2": 1}


# ------------------------------------------------------------------------------------------- sentences without a parse


EXAMPLES = {"saw.n.02": ["he took his saw", "a toothed tool"], "saw.n.01": ["an old saw", "an old saw"]}


@pytest.fixture
def small_wordnet(monkeypatch):
    """WordNet with three forms, and two synsets of *saw*."""
    lemmas = {("banks", "n"): "bank", ("saw", "n"): "saw", ("saw", "v"): "see"}
    synsets = [SimpleNamespace(name=lambda n=n: n, examples=lambda t=t: t) for n, t in EXAMPLES.items()]
    reader = SimpleNamespace(morphy=lambda *form: lemmas.get(form), synsets=lambda *word: {("saw", "n"): synsets}[word])
    monkeypatch.setattr(wordnet, "reader", lambda: reader)


def test_a_form_gets_its_most_frequent_reading():
    texts = ["Saw/see/V saws/saw/N", "saw/see/V saw/saw/N", "SAW/saw/N saw/see/V Saws/saw/V"]
    tag = FormTagger(readings(corpus_from_sentences(map(sentence, texts)), n_tokens=None))
    assert tag("saw") == tag("Saw") == "see|VERB"  # 3 of 5
    assert tag("saws") == "saw|NOUN"  # a tie: saw|NOUN, 3 times in all, is more frequent than saw|VERB
    assert set(tag.readings) == {"saw", "saws"}
    assert [tag(form) for form in ("Glorp", "glorp", "--")] == ["glorp|PROPN", "glorp|NOUN", "--|PUNCT"]


def test_tagged_text():
    tag = FormTagger({"banks": "bank|NOUN", "do": "do|AUX", "n't": "not|PART"})
    words = [(t.form, f"{t.lemma}|{t.upos}", t.head) for t in sd.tagged("Banks don't smile.", tag)]
    assert words == [("Banks", "bank|NOUN", 0), ("do", "do|AUX", 0), ("n't", "not|PART", 0), ("smile", "smile|NOUN", 0),
                     (".", ".|PUNCT", 0)]  # fmt: skip


def test_a_lexeme_is_located_by_its_reading_and_then_by_what_its_form_can_be(small_wordnet):
    tag = FormTagger({"saw": "see|VERB", "banks": "bank|NOUN", "seen": "see|VERB"})
    found = sd.tagged("I saw the saw", tag)
    assert sd.locate(found, "see|VERB") == 1
    assert sd.locate(found, "saw|NOUN") == 1  # without a parse the first form that can be the noun
    assert sd.locate(sd.tagged("saw it seen", FormTagger({"seen": "see|VERB"})), "see|VERB") == 2
    assert sd.locate(sd.tagged("Two Banks", FormTagger({})), "bank|NOUN") == 1
    assert sd.locate(found, "bank|NOUN") is None


def test_examples_become_usages_with_the_lexemes_own_tag(small_wordnet):
    tag = FormTagger({"saw": "see|VERB", "his": "his|PRON"})
    inventory = sd.wordnet_examples(["saw|NOUN"], tag)
    senses = inventory.lexeme("saw|NOUN").senses
    assert {sense: len(usages) for sense, usages in senses.items()} == {"saw.n.02": 1, "saw.n.01": 1}
    (tool,) = senses["saw.n.02"]
    assert (tool.token.form, tool.token.lemma, tool.token.upos, tool.source) == ("saw", "saw", "NOUN", "wordnet")
    assert not tool.has_tree


# -------------------------------------------------------------------------------------------------------- teaching set

HEADER = "lexeme\tpos\tsense\tgloss\tsynset"
ROWS = ["bank\tNOUN\tbank.n.1\tplace for money\tbank.n.02", "bank\tNOUN\tbank.n.2\tland by a river\t"]


def test_teaching_set(tmp_path):
    (tmp_path / "inventory.tsv").write_text("\n".join([HEADER, *ROWS]) + "\n", encoding="utf-8")
    trees = (sentence(f"{form}//D bank/bank/N/0/root/Sense=bank.n.{i}", level="hard").conllu()
             for i, form in ((1, "The"), (2, "A")))  # fmt: skip
    (tmp_path / "senses.conllu").write_text("".join(trees), encoding="utf-8")
    inventory = sd.read_teaching_set(tmp_path)
    senses = inventory.lexeme("bank|NOUN").senses
    assert {sense: len(usages) for sense, usages in senses.items()} == {"bank.n.1": 1, "bank.n.2": 1}
    assert (senses["bank.n.2"][0].position, senses["bank.n.2"][0].sentence.comments["level"]) == (1, "hard")
    assert inventory.glosses == {"bank.n.1": "place for money", "bank.n.2": "land by a river"}
    assert inventory.synsets == {"bank.n.1": "bank.n.02"}


# ------------------------------------------------------------------------------------------------------------- sampler


def test_the_steps_of_the_sampler():
    word = lexeme("bank|NOUN", {"a": 3, "b": 2, "c": 1, "d": 2})
    assert list(sd.usable_senses(word)) == ["a", "b", "d"]
    inventory = Inventory("mine", (word, lexeme("cell|NOUN", {"x": 2, "y": 2})))
    assert [x.label for x in sd.polysemous(inventory, 2)] == ["bank|NOUN"]
    assert [x.label for x in sd.polysemous(inventory, 1)] == ["bank|NOUN", "cell|NOUN"]
    drawn = [sd.sample(inventory, n, more_than=more) for n, more in ((2, None), (2, 1), (3, None))]
    assert list(map(len, drawn)) == [1, 2, 0]
    assert {sd.draw_item(word, ["a", "b"], np.random.default_rng(s)).answer for s in range(20)} == {0, 1}


words = st.dictionaries(
    st.sampled_from([f"{lemma}|{tag}" for lemma in ("bank", "cell", "dim", "run") for tag in TAGS]),
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 4), max_size=7),
    min_size=1,
)


def inventory_of(counts) -> Inventory:
    return Inventory("mine", tuple(lexeme(label, counts[label]) for label in sorted(counts)))


@given(words, st.integers(2, 5), st.integers(0, 3), st.integers(0, 1))
def test_every_item_is_sound(counts, n, seed, slack):
    inventory = inventory_of(counts)
    task = sd.sample(inventory, n, seed, more_than=n - slack)
    enough = [label for label, senses in counts.items() if sum(c >= 2 for c in senses.values()) > n - slack]
    assert sorted(i.lexeme for i in task) == sorted(enough)
    for item in task:
        assert item.senses == n == len({option.sense for option in item.options})
        assert item.options[item.answer].sense == item.target.sense
        assert item.options[item.answer] != item.target
        senses = inventory.lexeme(item.lexeme).senses
        assert all(u in senses[u.sense] and len(senses[u.sense]) >= 2 for u in (item.target, *item.options))


@given(words, st.integers(2, 3))
def test_a_draw_does_not_depend_on_other_lexemes(counts, n):
    both = {i.lexeme: i for i in sd.sample(inventory_of(counts), n)}
    for label in counts:
        alone = sd.sample(inventory_of({label: counts[label]}), n).items
        assert list(alone) == ([both[label]] if label in both else [])
    nouns = {label: senses for label, senses in counts.items() if label.endswith("NOUN")}
    if nouns:
        alone, among = (sd.divide(sd.sample(inventory_of(c), n)) for c in (nouns, counts))
        assert alone.items == among.of("NOUN").items


def test_seeds_senses_and_numbers_of_senses_vary_the_draw():
    inventory = inventory_of({"bank|NOUN": dict.fromkeys("abcdef", 3)})
    drawn = [sd.sample(inventory, 2, seed).items[0] for seed in range(60)]
    assert sd.sample(inventory, 2, 7).items[0] == drawn[7]
    assert {item.target.sense for item in drawn} == set("abcdef")
    assert 15 < sum(item.answer == 0 for item in drawn) < 45  # half of 60, give or take 4 standard deviations


def test_items_are_drawn_again_by_the_same_rules():
    """Of two senses with two sentences each there are 2 x 2 x 2 items; many draws meet them all."""
    lexemes = lexeme("bank|NOUN", {"a": 2, "b": 2, "rare": 1}), lexeme("run|VERB", {"c": 3, "d": 3})
    inventory = Inventory("mine", lexemes)
    task = sd.sample(inventory, 2, seed=1, more_than=1)
    again = sd.drawn_again(task, inventory, 60, seed=1)
    assert again.items[:2] == task.items and again == sd.drawn_again(task, inventory, 60, seed=1)
    assert [item.lexeme for item in again] == ["bank|NOUN", "run|VERB"] * 60
    banks = {(item.target, item.options[item.answer], item.options[1 - item.answer]) for item in again.items[::2]}
    assert len(banks) == 8 and {usage.sense for items in banks for usage in items} == {"a", "b"}
    assert sd.drawn_again(task, inventory, 3, seed=1).items == again.items[:6]


def test_the_papers_sizes():
    sizes = sd.split_sizes()
    assert (sizes["NOUN", 2], sizes["VERB", 3], sizes["ADJ", 5], len(sizes)) == ((170, 618), (91, 354), (28, 115), 12)


def test_a_lexeme_is_in_the_split_whatever_the_number_of_senses():
    inventory = inventory_of({f"word{i}|NOUN": dict.fromkeys("abcd", 2) for i in range(120)})
    splits = {n: sd.divide(sd.sample(inventory, n), seed=3) for n in (2, 3)}
    lexemes = {n: {item.lexeme for item in split} for n, split in splits.items()}
    assert lexemes[2] == lexemes[3] and splits[2].split == "test"
    assert 10 <= 120 - len(lexemes[2]) <= 42  # 170/788 of 120 is 26, four standard deviations 18
    task = sd.sample(inventory, 2)
    assert sd.divide(task, seed=4).items != splits[2].items
    free, small = (sd.divide(task, sizes={("NOUN", 2): (n, n)}) for n in (120, 3))
    assert len(small) == 3 and {i.lexeme for i in small} < {i.lexeme for i in free}
    backwards = SenseDiscrimination("mine", "all", task.items[::-1])
    assert sd.divide(backwards, sizes={("NOUN", 2): (3, 3)}).items == small.items[::-1]  # whatever the order


# ----------------------------------------------------------------------------------------------------- published items

SENSES_OF = {"dim|ADJ": ("dim.a.01", "dim.s.01", "dusky.s.01"), "fit|ADJ": ("fit.a.01",)}


@pytest.fixture
def two_adjectives(monkeypatch):
    monkeypatch.setattr(wordnet, "senses_of", lambda label: SENSES_OF.get(label, ()))


@pytest.mark.parametrize(
    ("old", "new"),
    [("dim.s.02", "dim.s.01"), ("dim.s.03", "dusky.s.01"), ("dim.a.01", "dim.a.01"), ("bank.n.02", "bank.n.02"),
     ("fit.s.02", "fit.s.02"), ("new.s.01", "new.s.01")],  # the last two are unknown: unchanged
)  # fmt: skip
def test_satellites_are_numbered_among_all_adjective_senses(two_adjectives, old, new):
    assert sd.current_name(old) == new


def senses_file(folder, *rows: str):
    path = folder / "senses.tsv"
    path.write_text("\n".join(["Lexeme\tSense Definition 1\tSense Definition 2\tPoS", *rows]) + "\n", encoding="utf-8")
    return path


def row(lexeme: str, *synsets: str, pos: str = "Noun") -> str:
    return "\t".join([lexeme, *(f"Synset('{s}')" for s in synsets), pos])


def test_published_senses_are_served_or_counted(two_adjectives, tmp_path):
    rows = [row("Cell", "x", "x", "y"), row("cell", "y", "y", "x"), row("cell", "x", "x", "z"),
            row("gone", "x", "x", "y"), row("dim", "dim.s.02", "dim.s.02", "dim.a.01", pos="Adjective")]  # fmt: skip
    items = sd.read_published_senses(senses_file(tmp_path, *rows), 2)
    assert items[0] == ("cell|NOUN", ("x", "y"))
    inventory = inventory_of({"cell|NOUN": {"x": 2, "y": 1}, "dim|ADJ": {"dim.s.01": 2, "dim.a.01": 1}})
    task = sd.serve(items, inventory)
    assert [(i.lexeme, i.target.sense) for i in task] == [("cell|NOUN", "x"), ("dim|ADJ", "dim.s.01")]
    assert [sorted(o.sense for o in i.options) for i in task] == [["x", "y"], ["dim.a.01", "dim.s.01"]]
    assert all(i.options[i.answer].sense == i.target.sense and i.options[i.answer] != i.target for i in task)


@pytest.mark.parametrize(("line", "message"), [
    (row("cell", "x", "y", "x"), r"senses.tsv, line 2: option 1 must have the target's sense x, found y"),
    (row("cell", "x", "x", "y", pos="Adverb"), r"line 2: PoS must be one of Noun, Verb, Adjective, found 'Adverb'"),
    ("cell\tx\tx\ty\tNoun", r"line 2: target must be Synset\('...'\), found 'x'"),
])  # fmt: skip
def test_what_is_wrong_with_published_senses_is_said(tmp_path, line, message):
    with pytest.raises(TaskError, match=message):
        sd.read_published_senses(senses_file(tmp_path, line), 2)


# ------------------------------------------------------------------------------------------------------- the real sets


def test_published_satellites_are_synsets_of_their_lexemes(mirror):
    kinds = Counter()
    for n, split in product(SENSES, ("dev", "test")):
        path = datasets.fetch("sense2017_semcor", f"{n}_senses.{split}.tsv")
        for lexeme, senses in sd.read_published_senses(path, n):
            for old in (name for name in senses if ".s." in name):
                synset = wordnet.reader().synset(sd.current_name(old))
                kinds[synset.pos(), lexeme.rpartition("|")[0] in map(str.lower, synset.lemma_names())] += 1
    assert kinds == {("s", True): 136}  # read by NLTK 3.10 as they stand, 104 of them would be
