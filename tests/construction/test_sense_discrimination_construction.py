"""How the items of sense discrimination are made: usages out of SemCor-like and plain text, the sampler, published
items, by hand; the real sets where there is a mirror. All sentences are written for these tests."""

import base64
from collections import Counter
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
from cdsm_lib.tasks.sense_discrimination import SENSES, SPLITS, TAGS, SenseDiscrimination
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import corpus_from_sentences, read_conllu


def lexeme(label: str, counts: dict[str, int]) -> Lexeme:
    lemma, _, tag = label.rpartition("|")
    senses = {s: tuple(plain_usage(s, i, lemma, tag[0]) for i in range(n)) for s, n in counts.items()}
    return Lexeme(label, senses)


def test_inventories_check_themselves():
    inventory = Inventory("mine", (lexeme("bank|NOUN", {"a": 2, "b": 1}), lexeme("run|VERB", {"c": 1})))
    assert len(inventory) == 2 and "bank|NOUN" in inventory and inventory.n_usages == 4
    with pytest.raises(TaskError, match=r"no lexeme 'banks\|NOUN' among its 2"):
        inventory.lexeme("banks|NOUN")
    with pytest.raises(TaskError, match=r"bank\|NOUN occurs twice"):
        Inventory("mine", (lexeme("bank|NOUN", {}), lexeme("bank|NOUN", {})))


# -------------------------------------------------------------------------------------------------------------- SemCor

KEYS = {"bank%1:17:00::": "bank.n.01", "bank%1:14:00::": "bank.n.02", "sad%3:00:00::": "sad.a.01",
        "dim%5:00:00:dark:00": "dim.s.01"}  # fmt: skip


def test_semcor_takes_tokens_that_fit_their_sense():
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
    assert inventory.left_out == {
        "sense key not in WordNet": 1,  # lend
        "sense of several tokens": 1,  # floor lamp
        "token and sense differ in part of speech": 1,  # Banking
        "token not tagged NOUN, VERB or ADJ": 1,  # had
        "token and sense differ in lemma": 1,  # the last bank
    }


def test_a_sentence_counts_once_and_not_at_all_with_two_senses():
    first, second = "bank/bank/N/Sense=bank%1:17:00::", "bank/bank/N/Sense=bank%1:14:00::"
    texts = [f"A/a/D {first} and/and/D {second}", f"The/the/D {first} is/be/X a/a/D {first}", f"The/the/D {second}"]
    inventory = sd.read_semcor([*map(sentence, texts), sentence(texts[2])], KEYS.__getitem__)
    senses = inventory.lexeme("bank|NOUN").senses
    assert {sense: [u.position for u in usages] for sense, usages in senses.items()} == {
        "bank.n.01": [1], "bank.n.02": [1]
    }  # fmt: skip
    assert inventory.left_out == {"again in the same sentence": 2, "sentence with two senses of the lexeme": 2}


def test_semcor_from_a_file(tmp_path):
    path = tmp_path / "my.conllu"
    rows = ["1\tBanks\tbank\tNOUN\t_\t_\t2\tnsubj\t_\tSpaceAfter=No|Sense=bank%1:14:00::|Span=1",
            "2\tfail\tfail\tVERB\t_\t_\t0\troot\t_\t_", ""]  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    assert sd.read_semcor(read_conllu(path), KEYS.__getitem__).lexeme("bank|NOUN").senses["bank.n.02"][0].position == 0
    with pytest.raises(TaskError, match="semcor: no token has Sense="):
        sd.read_semcor([sentence("Banks/bank/N")], KEYS.__getitem__)


def test_merged():
    one = Inventory("a", (lexeme("bank|NOUN", {"s1": 2}),), {"because": 1})
    both = sd.merged("both", one, Inventory("b", (lexeme("bank|NOUN", {"s1": 3, "s2": 1}),), {"because": 2}))
    assert {sense: len(usages) for sense, usages in both.lexeme("bank|NOUN").senses.items()} == {"s1": 3, "s2": 1}
    assert both.left_out == {"because": 3, "again in the same sentence": 2}


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
    tag = sd.tag_by_frequency(corpus_from_sentences(map(sentence, texts)))
    assert tag("saw") == tag("Saw") == "see|VERB"  # 3 of 5
    assert tag("saws") == "saw|NOUN"  # a tie: saw|NOUN, 3 times in all, is more frequent than saw|VERB
    assert set(tag.readings) == {"saw", "saws"}
    assert [tag(form) for form in ("Glorp", "glorp", "--")] == ["glorp|PROPN", "glorp|NOUN", "--|PUNCT"]


def test_tagged_text():
    tag = FormTagger({"banks": "bank|NOUN", "do": "do|AUX", "n't": "not|PART"})
    found = sd.tagged("Banks don't smile.", tag)
    assert [t.form for t in found] == ["Banks", "do", "n't", "smile", "."]
    assert [f"{t.lemma}|{t.upos}" for t in found] == ["bank|NOUN", "do|AUX", "not|PART", "smile|NOUN", ".|PUNCT"]
    assert {t.head for t in found} == {0}


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
    assert inventory.left_out == {"example without the lexeme": 1, "again in the same sentence": 1}


# -------------------------------------------------------------------------------------------------------- teaching set

HEADER = "lexeme\tpos\tsense\tgloss\tsynset"
ROWS = ["bank\tNOUN\tbank.n.1\tplace for money\tbank.n.02", "bank\tNOUN\tbank.n.2\tland by a river\t"]


def block(sent_id: str, sense: str, level: str = "clear", lemma: str = "bank", misc2: str = "_") -> str:
    return "\n".join(
        (f"# sent_id = {sent_id}", f"# level = {level}", f"1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t{misc2}",
         f"2\tbank\t{lemma}\tNOUN\t_\t_\t0\troot\t_\t{f'Sense={sense}' if sense else '_'}",
         f"3\t{sent_id}\tx\tNOUN\t_\t_\t2\tdep\t_\t_", "")
    )  # fmt: skip


def teaching_set(folder, rows=ROWS, blocks=None, header=HEADER):
    blocks = [block("a", "bank.n.1"), block("b", "bank.n.2", "hard")] if blocks is None else blocks
    (folder / "inventory.tsv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (folder / "senses.conllu").write_text("\n".join(blocks) + "\n", encoding="utf-8")
    return folder


def test_teaching_set(tmp_path):
    inventory = sd.read_teaching_set(teaching_set(tmp_path))
    assert inventory.name == "senses" and inventory.left_out == {}
    senses = inventory.lexeme("bank|NOUN").senses
    assert {sense: len(usages) for sense, usages in senses.items()} == {"bank.n.1": 1, "bank.n.2": 1}
    assert senses["bank.n.2"][0].position == 1
    assert senses["bank.n.2"][0].sentence.comments["level"] == "hard"
    assert inventory.glosses == {"bank.n.1": "place for money", "bank.n.2": "land by a river"}
    assert inventory.synsets == {"bank.n.1": "bank.n.02"}


A, B = block("a", "bank.n.1"), block("b", "bank.n.2")


@pytest.mark.parametrize(("changes", "message"), [
    ({"header": "lexeme\tpos"}, r"inventory\.tsv, line 1: the header must be"),
    ({"rows": [ROWS[0], "bank\tNOUN\tbank.n.2\t\t"]}, r"inventory\.tsv, line 3: expected"),
    ({"rows": [ROWS[0], ROWS[1].replace("NOUN", "N")]}, r"line 3: pos must be one of NOUN, VERB, ADJ, found 'N'"),
    ({"rows": [ROWS[0], ROWS[0]]}, r"line 3: sense 'bank\.n\.1' stands already in line 2"),
    ({"blocks": [A, block("a", "bank.n.2")]}, r"senses\.conllu, line 9: sent_id 'a'"),
    ({"blocks": [A, block("b", "bank.n.2", "easy")]}, r"line 9: sentence b: level must be .* 'easy'"),
    ({"blocks": [A, block("b", "")]}, r"line 9: sentence b: 0 tokens have Sense="),
    ({"blocks": [A, block("b", "bank.n.2", misc2="Sense=bank.n.1")]}, r"line 9: sentence b: 2 tokens"),
    ({"blocks": [A, B, block("c", "bank.n.3")]}, r"line 16: sentence c: inventory\.tsv has no sense 'bank\.n\.3'"),
    ({"blocks": [A, block("b", "bank.n.2", lemma="banks")]}, r"line 10: .* on bank\|NOUN, not on banks\|NOUN"),
    ({"blocks": [A]}, r"senses\.conllu: no sentence for 1 senses of inventory\.tsv, the first bank\.n\.2"),
    ({"blocks": [A.replace("\t2\tdet", "\t9\tdet")]}, r"senses\.conllu, line 3: HEAD 9"),
])  # fmt: skip
def test_what_is_wrong_with_a_teaching_set_is_said(tmp_path, changes, message):
    with pytest.raises(TaskError, match=message):
        sd.read_teaching_set(teaching_set(tmp_path, **changes))


def test_missing_and_unknown_sets(tmp_path):
    with pytest.raises(TaskError, match=r"inventory\.tsv: cannot be read"):
        sd.read_teaching_set(tmp_path)
    with pytest.raises(TaskError, match="unknown inventory 'sense'; there are senses and semcor"):
        sd.load_inventory("sense")


# ------------------------------------------------------------------------------------------------------------- sampler


def test_the_steps_of_the_sampler():
    word = lexeme("bank|NOUN", {"a": 3, "b": 2, "c": 1, "d": 2})
    assert list(sd.usable_senses(word)) == ["a", "b", "d"]
    inventory = Inventory("mine", (word, lexeme("cell|NOUN", {"x": 2, "y": 2})))
    assert [x.label for x in sd.polysemous(inventory, 2)] == ["bank|NOUN"]
    assert [x.label for x in sd.polysemous(inventory, 1)] == ["bank|NOUN", "cell|NOUN"]
    drawn = [sd.sample(inventory, n, more_than=more) for n, more in ((2, None), (2, 1), (3, None))]
    assert list(map(len, drawn)) == [1, 2, 0]
    right, wrong = plain_usage("a", 1), plain_usage("b", 1)
    places = {sd.shuffled("bank|NOUN", right, [right, wrong], np.random.default_rng(s)).answer for s in range(20)}
    assert places == {0, 1}


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
        assert all(alone[split].items == among[split].of("NOUN").items for split in SPLITS)


def test_seeds_senses_and_numbers_of_senses_vary_the_draw():
    inventory = inventory_of({"bank|NOUN": dict.fromkeys("abcdef", 3)})
    drawn = [sd.sample(inventory, 2, seed).items[0] for seed in range(60)]
    assert sd.sample(inventory, 2, 7).items[0] == drawn[7]
    assert {item.target.sense for item in drawn} == set("abcdef")
    assert 15 < sum(item.answer == 0 for item in drawn) < 45  # half of 60, give or take 4 standard deviations


@pytest.mark.parametrize("settings", [{"n": 1}, {"n": 2, "fewest": 1}, {"n": 3, "more_than": 1}])
def test_impossible_draws_are_refused(settings):
    with pytest.raises(TaskError, match="need n >= 2"):
        sd.sample(inventory_of({"bank|NOUN": {"a": 2}}), **settings)


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
    with pytest.raises(TaskError, match="draws=0: each item is drawn once at least"):
        sd.drawn_again(task, inventory, 0)
    poor = Inventory("mine", (lexeme("bank|NOUN", {"a": 2, "b": 1}), lexemes[1]))
    with pytest.raises(TaskError, match=r"bank\|NOUN: 1 usable senses, too few for 2 options"):
        sd.drawn_again(task, poor, 2)


def test_the_papers_sizes():
    sizes = sd.split_sizes()
    assert sizes["NOUN", 2] == (170, 618) and sizes["VERB", 3] == (91, 354) and sizes["ADJ", 5] == (28, 115)
    assert len(sizes) == 12
    assert sum(dev for (_, n), (dev, _) in sizes.items() if n == 5) == 156


def test_a_lexeme_is_in_one_split_whatever_the_number_of_senses():
    inventory = inventory_of({f"word{i}|NOUN": dict.fromkeys("abcd", 2) for i in range(120)})
    splits = {n: sd.divide(sd.sample(inventory, n), seed=3) for n in (2, 3)}
    lexemes = {n: {split: {i.lexeme for i in task} for split, task in splits[n].items()} for n in splits}
    assert lexemes[2] == lexemes[3]
    assert not lexemes[2]["dev"] & lexemes[2]["test"] and len(lexemes[2]["dev"] | lexemes[2]["test"]) == 120
    assert 10 <= len(lexemes[2]["dev"]) <= 42  # 170/788 of 120 is 26, four standard deviations 18
    assert [splits[2][s].split for s in SPLITS] == ["dev", "test"]
    assert sd.divide(sd.sample(inventory, 2), seed=4)["dev"].items != splits[2]["dev"].items


def test_sizes_are_upper_limits():
    task = sd.sample(inventory_of({f"word{i}|NOUN": dict.fromkeys("abc", 2) for i in range(40)}), 2)
    free = sd.divide(task, sizes={("NOUN", 2): (40, 40)})
    small = sd.divide(task, sizes={("NOUN", 2): (3, 3)})
    assert [len(small[s]) for s in SPLITS] == [3, 3]
    for split in SPLITS:
        assert set(i.lexeme for i in small[split]) < set(i.lexeme for i in free[split])
        assert small[split].left_out == {"above the size of the split": len(free[split]) - 3}
        assert free[split].left_out == {}
    backwards = SenseDiscrimination("mine", "all", task.items[::-1])
    for split, kept in sd.divide(backwards, sizes={("NOUN", 2): (3, 3)}).items():
        assert kept.items == small[split].items[::-1]  # which are kept does not hang on the order
    with pytest.raises(TaskError, match=r"word0\|NOUN: no size for NOUN with 2 senses"):
        sd.divide(task, sizes={("VERB", 2): (1, 1)})


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
    task = sd.serve(items, inventory, "dev")
    assert [(i.lexeme, i.target.sense) for i in task] == [("cell|NOUN", "x"), ("dim|ADJ", "dim.s.01")]
    assert [sorted(o.sense for o in i.options) for i in task] == [["x", "y"], ["dim.a.01", "dim.s.01"]]
    assert all(i.options[i.answer].sense == i.target.sense and i.options[i.answer] != i.target for i in task)
    assert task.left_out == {
        "a sense without usages": 1, "lexeme without usages": 1, "target sense with one usage": 1
    }  # fmt: skip


@pytest.mark.parametrize(("line", "message"), [
    (row("cell", "x", "x"), r"senses\.tsv, line 2: expected 5 fields"),
    (row("cell", "x", "y", "x"), r"line 2: option 1 must have the target's sense x, found y"),
    (row("cell", "x", "x", "y", pos="Adverb"), r"line 2: PoS must be Adjective, Noun or Verb, found 'Adverb'"),
    ("cell\tx\tx\ty\tNoun", r"line 2: target must be Synset\('...'\), found 'x'"),
])  # fmt: skip
def test_what_is_wrong_with_published_senses_is_said(tmp_path, line, message):
    with pytest.raises(TaskError, match=message):
        sd.read_published_senses(senses_file(tmp_path, line), 2)


@pytest.mark.parametrize(("n", "split"), [(6, "dev"), (2, "train")])
def test_there_are_published_items_of_2_to_5_senses_in_two_splits(n, split):
    with pytest.raises(TaskError, match=f"{n} senses, split '{split}': 2 to 5, dev or test"):
        sd.published_semcor(n, split, inventory_of({"bank|NOUN": {}}))


COLUMNS = [
    "Lexeme", "Target Sense Definition", "Target Sense Sentence", "Example Definition Sense 1",
    "Example Sentence Sense 1", "Example Definition Sense 2", "Example Sentence Sense 2", "Data Source", "PoS",
]  # fmt: skip
LENDER = ["bank", "a lender", "Our bank lent us a horse.", "(a) lender", "Two banks refused me.", "a shore",
          "Otters sleep on the bank.", "Mine", "Noun"]  # fmt: skip


def published_file(folder, *rows, encode=True):
    lines = ["\t".join(row) for row in rows]
    if encode:
        lines = [base64.b64encode(line.encode()).decode() for line in lines]
    path = folder / "20.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    return path


@pytest.mark.parametrize("encode", [True, False])
def test_published_files_with_sentences(small_wordnet, tmp_path, encode):
    absent = [*LENDER[:4], "Nobody refused me.", *LENDER[5:]]
    path = published_file(tmp_path, COLUMNS, LENDER, absent, encode=encode)
    task = sd.read_published(path, FormTagger({"sleep": "sleep|VERB"}), split="dev")
    (item,) = task
    assert (item.lexeme, item.senses, task.dataset, task.split) == ("bank|NOUN", 2, "sense2017", "dev")
    assert item.target.token.form == "bank" and item.target.position == 1 and item.target.source == "Mine"
    right, wrong = item.options[item.answer], item.options[1 - item.answer]
    assert (right.token.form, right.token.lemma, right.sense) == ("banks", "bank", "a lender")
    assert (wrong.position, wrong.sense) == (4, "a shore")
    assert task.left_out == {"lexeme not found in a sentence": 1}


def test_published_options_are_shuffled(small_wordnet, tmp_path):
    rows = [[*LENDER[:2], f"A bank of {word} stones.", *LENDER[3:]] for word in "ten big old raw wet dry".split()]
    task = sd.read_published(published_file(tmp_path, COLUMNS, *rows), FormTagger({}))
    assert {item.answer for item in task} == {0, 1}


@pytest.mark.parametrize(("rows", "encode", "message"), [
    ([["Lexicon", *COLUMNS[1:]], LENDER], True, r"20\.txt, line 1: not the header"),
    ([COLUMNS[:5] + COLUMNS[7:], LENDER], True, r"line 1: not the header"),
    ([COLUMNS, LENDER[:-1]], True, r"line 2: 8 fields where 2 senses need 9"),
    ([COLUMNS, [*LENDER[:-1], "Adverb"]], False, r"line 2: PoS must be"),
    ([COLUMNS], True, r"20\.txt: no items below the header"),
    ([["Item", "x"]], False, r"line 1: neither tab-separated .* nor Base64"),
    ([["Lexeme", "caf\udce9"]], False, r"20\.txt: not UTF-8"), ([], False, r"20\.txt, line 1: not the header"),
])  # fmt: skip
def test_what_is_wrong_with_a_published_file_is_said(small_wordnet, tmp_path, rows, encode, message):
    with pytest.raises(TaskError, match=message):
        sd.read_published(published_file(tmp_path, *rows, encode=encode), FormTagger({}))


# ------------------------------------------------------------------------------------------------------- the real sets


@pytest.fixture(scope="module")
def semcor(mirror) -> Inventory:
    return sd.load_inventory("semcor")


def test_usages_in_semcor(semcor):
    assert (len(semcor), semcor.n_usages) == (14_537, 146_548)
    assert semcor.left_out == {
        "again in the same sentence": 4_141,
        "sense key not in WordNet": 3_380,
        "sense of several tokens": 16_793,
        "sentence with two senses of the lexeme": 576,
        "token and sense differ in lemma": 3_043,
        "token and sense differ in part of speech": 7_647,
        "token not tagged NOUN, VERB or ADJ": 52_008,
    }
    assert sum(semcor.left_out.values()) + semcor.n_usages == 234_136  # every token with a sense


def test_items_out_of_semcor(semcor):
    found = [Counter(item.pos for item in sd.sample(semcor, n)) for n in SENSES]
    assert [[count[pos] for count in found] for pos in TAGS] == [
        [539, 244, 118, 55], [526, 310, 172, 113], [139, 60, 21, 7]
    ]  # fmt: skip


def test_published_items_that_semcor_can_serve(semcor):
    served = {(n, split): sd.published_semcor(n, split, semcor) for n in SENSES for split in SPLITS}
    published = [126, 256, 64, 122, 40, 50, 16, 29]
    assert [len(task) for task in served.values()] == [121, 230, 59, 111, 38, 44, 16, 21]
    assert [len(task) + sum(task.left_out.values()) for task in served.values()] == published
    for item in served[3, "test"]:
        assert item.options[item.answer].sense == item.target.sense and item.options[item.answer] != item.target
        assert {f"{u.token.lemma}|{u.token.upos}" for u in (item.target, *item.options)} == {item.lexeme}


def test_published_satellites_are_synsets_of_their_lexemes(mirror):
    found = Counter()
    for n in SENSES:
        for split in SPLITS:
            path = datasets.fetch("sense2017_semcor", f"{n}_senses.{split}.tsv")
            for lexeme, senses in sd.read_published_senses(path, n):
                for old in (name for name in senses if ".s." in name):
                    synset = wordnet.reader().synset(sd.current_name(old))
                    found[synset.pos(), lexeme.rpartition("|")[0] in map(str.lower, synset.lemma_names())] += 1
    assert found == {("s", True): 136}  # read by NLTK 3.10 as they stand, 104 of them would be


def test_wordnets_examples(mirror):
    tag = FormTagger({"deposited": "deposit|VERB"})
    inventory = sd.wordnet_examples(["bank|NOUN", "dry|ADJ"], tag)
    assert len(inventory.lexeme("bank|NOUN").senses) >= 4
    usages = [u for x in inventory for found in x.senses.values() for u in found]
    assert all(f"{u.token.lemma}|{u.token.upos}" in ("bank|NOUN", "dry|ADJ") and not u.has_tree for u in usages)
    assert any(u.token.form == "banks" or u.token.form == "bank" for u in usages)
