"""Word sense discrimination: how the items of Kober et al. (2017), section 4, are made.

A sense is a string that is unique within its lexeme: for SemCor a WordNet synset as the installed NLTK names it
(`current_name`), ``bank.n.1`` in the teaching set, the definition in the published files.

Usages come from SemCor (`read_semcor`), from the example sentences of WordNet's synsets (`wordnet_examples`, without
trees), from the teaching set (`read_teaching_set`). Of lexemes with enough senses that have two sentences
(`polysemous`) `sample` makes one item each, and `divide` the test split, by lexeme. `published_semcor` has the
published items that come from SemCor, with sentences sampled anew.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import results
from cdsm_lib.tables import TaskError, path_of, read_table
from cdsm_lib.tasks.sense_discrimination import SENSES, TAGS, Item, SenseDiscrimination, Usage
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import Sentence, Token, read_conllu
from cdsm_lib.vectors import disambiguation

INVENTORY_COLUMNS = ("lexeme", "pos", "sense", "gloss", "synset")
LEVELS = ("clear", "medium", "hard")
_PUBLISHED_TAGS = {"Noun": "NOUN", "Verb": "VERB", "Adjective": "ADJ"}


@dataclass(frozen=True)
class Lexeme:
    """An ambiguous word: its label, such as ``bank|NOUN``, and the usages of each of its senses."""

    label: str
    senses: Mapping[str, tuple[Usage, ...]]


@dataclass(frozen=True)
class Inventory:
    """Lexemes with their senses and usages, in alphabetical order of their labels, which are all different.

    ``glosses`` and ``synsets`` have the definition and the WordNet 3.0 synset of each sense that has one (teaching
    set).
    """

    name: str
    lexemes: tuple[Lexeme, ...]
    glosses: Mapping[str, str] = field(default_factory=dict)
    synsets: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Lexeme]:
        return iter(self.lexemes)

    def __len__(self) -> int:
        return len(self.lexemes)

    def __contains__(self, label: object) -> bool:
        return label in self._by_label

    @cached_property
    def _by_label(self) -> dict[str, Lexeme]:
        return {lexeme.label: lexeme for lexeme in self.lexemes}

    def lexeme(self, label: str) -> Lexeme:
        """The lexeme of that label; `KeyError` if there is none."""
        return self._by_label[label]


# ---------------------------------------------------------------------------------------------------------------------
# Usages into lexemes


def _lexemes(usages: Iterable[tuple[str, Usage]]) -> tuple[Lexeme, ...]:
    """Label and usage pairs as lexemes in alphabetical order; senses and usages keep their order.

    Each sentence counts once for a lexeme, and not at all if it shows two senses of it.
    """
    by_label: dict[str, dict[str, list[Usage]]] = defaultdict(lambda: defaultdict(list))
    for label, usage in usages:
        by_label[label][" ".join(token.form for token in usage.sentence)].append(usage)
    lexemes = []
    for label in sorted(by_label):
        senses: dict[str, list[Usage]] = defaultdict(list)
        for alike in by_label[label].values():
            if len({usage.sense for usage in alike}) == 1:
                senses[alike[0].sense].append(alike[0])
        lexemes.append(Lexeme(label, {sense: tuple(usages) for sense, usages in senses.items()}))
    return tuple(lexemes)


def merged(name: str, *inventories: Inventory) -> Inventory:
    """One inventory of the usages of several: senses of the same lexeme and name are joined, first come first.

    A sentence that two of them have counts once; one to which they give different senses is left out.

    >>> mini = load_inventory()
    >>> merged("both", mini, mini).lexemes == mini.lexemes  # each sentence counts once
    True
    """
    pairs = [(lexeme.label, usage) for inventory in inventories for lexeme in inventory
             for usages in lexeme.senses.values() for usage in usages]  # fmt: skip
    return Inventory(name, _lexemes(pairs))


def read_semcor(sentences: Iterable[Sentence], sense_of: Callable[[str], str] = wordnet.synset_of_key) -> Inventory:
    """The usages of nouns, verbs and adjectives in SemCor (Miller et al. 1993).

    A token with ``Sense=lemma%sense_key`` in MISC is a usage if its sense is its own and not that of several tokens
    (``Span=1``, or none), and if the parser's lemma and tag are those of the sense: the lexeme is looked up by them.
    `sense_of` gives the synset's name of a sense key, or raises `ValueError` or `KeyError`.

    >>> from cdsm_lib.text.corpus import sentence
    >>> tree = sentence("banks:bank|NOUN/0/root/Sense=bank%1:17:01::")
    >>> [lexeme.label for lexeme in read_semcor([tree], sense_of=lambda key: "bank.n.01")]
    ['bank|NOUN']
    """
    pairs = []
    for sentence in sentences:
        for position, token, misc in disambiguation.marked(sentence):
            lemma, _, place = misc["Sense"].partition("%")
            tag = wordnet.TAG_OF_TYPE.get(place[:1])
            if misc.get("Span", "1") == "1" and tag in TAGS and (token.upos, token.lemma) == (tag, lemma):
                with suppress(KeyError, ValueError):
                    usage = Usage(sentence, position, sense_of(misc["Sense"]), "semcor")
                    pairs.append((f"{token.lemma}|{token.upos}", usage))
    return Inventory("semcor", _lexemes(pairs))


# ---------------------------------------------------------------------------------------------------------------------
# Sentences without a parse


@dataclass(frozen=True)
class FormTagger:
    """Tags a form, whatever its context, with the ``lemma|POS`` that it mostly has in a corpus, in lower case.

    `cdsm_lib.vectors.disambiguation.readings` gives these readings by form.

    >>> tag = FormTagger({"banks": "bank|NOUN"})
    >>> tag("Banks"), tag("Zurich"), tag("glorps")
    ('bank|NOUN', 'zurich|PROPN', 'glorps|NOUN')
    """

    readings: Mapping[str, str]

    def __call__(self, form: str) -> str:
        """Reading of a form; an unknown one is a name if it has a capital, a noun if not, its lemma the form itself.

        What has no letter is ``|PUNCT``.
        """
        known = self.readings.get(form.lower())
        if known is not None:
            return known
        if not any(map(str.isalpha, form)):
            return f"{form}|PUNCT"
        return f"{form.lower()}|{'PROPN' if form[0].isupper() else 'NOUN'}"


def tagged(text: str, tagger: Callable[[str], str]) -> Sentence:
    """A sentence without a tree: Treebank tokens with the tagger's lemmas and tags, all heads 0.

    >>> [f"{token.lemma}|{token.upos}" for token in tagged("Banks lend.", FormTagger({"banks": "bank|NOUN"}))]
    ['bank|NOUN', 'lend|NOUN', '.|PUNCT']
    """
    from nltk.tokenize import TreebankWordTokenizer  # takes a second to load

    tokens = []
    for number, form in enumerate(TreebankWordTokenizer().tokenize(text), 1):
        lemma, _, tag = tagger(form).rpartition("|")
        tokens.append(Token(number, form, lemma, tag, "_", "_", 0, "_", "_", "_"))
    return Sentence(tuple(tokens))


def locate(sentence: Sentence, label: str) -> int | None:
    """Place of a lexeme in a sentence that was tagged without context.

    The first token that has the label; if there is none, the first whose form *as that part of speech* has the lemma in
    WordNet, though it is mostly another ("the *saw*"). None if there is none.
    """
    lemma, _, pos = label.rpartition("|")
    exact = (i for i, token in enumerate(sentence) if (token.lemma, token.upos) == (lemma, pos))
    forms = [token.form.lower() for token in sentence]
    morphy, letter = wordnet.reader().morphy, wordnet.POS[pos]
    possible = (i for i, form in enumerate(forms) if form == lemma or morphy(form, letter) == lemma)
    return next(exact, next(possible, None))


def _usage_of(text: str, label: str, sense: str, source: str, tagger) -> Usage | None:
    """A usage out of plain text, its token with the lexeme's lemma and tag; None if the lexeme is not found in it."""
    sentence = tagged(text, tagger)
    position = locate(sentence, label)
    if position is None:
        return None
    tokens, (lemma, _, pos) = list(sentence), label.rpartition("|")
    tokens[position] = replace(tokens[position], lemma=lemma, upos=pos)
    return Usage(Sentence(tuple(tokens)), position, sense, source)


def wordnet_examples(lexemes: Iterable[str], tagger: Callable[[str], str]) -> Inventory:
    """Example sentences of WordNet's synsets as usages of these lexemes, an inventory named "wordnet".

    They have no parse: their words get the reading that they have most often in a corpus, their heads are 0, and there
    is no dependency context. An example belongs to a synset; without the very lexeme it is no usage.
    """
    pairs = []
    for label in lexemes:
        lemma, _, pos = label.rpartition("|")
        synsets = {synset.name(): synset for synset in wordnet.reader().synsets(lemma, wordnet.POS[pos])}
        for synset in synsets.values():  # the reader names a synset twice where two of its lemmas have this base form
            usages = (_usage_of(text, label, synset.name(), "wordnet", tagger) for text in synset.examples())
            pairs += [(label, usage) for usage in usages if usage is not None]
    return Inventory("wordnet", _lexemes(pairs))


# ---------------------------------------------------------------------------------------------------------------------
# The teaching set


def read_teaching_set(folder) -> Inventory:
    """The book's own sentences, from ``senses.conllu`` and ``inventory.tsv``, an inventory named "senses".

    ``inventory.tsv``: tab-separated with the header ``lexeme pos sense gloss synset``, the last possibly empty.
    ``senses.conllu``: sentences with ``# sent_id =``, ``# level = clear``, ``medium`` or ``hard``, and ``Sense=<sense
    id>`` in the MISC of exactly one token, the lexeme.

    >>> list(read_teaching_set(datasets.sample_path("senses")).lexeme("bank|NOUN").senses)
    ['bank.n.1', 'bank.n.2']
    """
    folder = path_of(folder)
    rows = [row for _, row in read_table(folder / "inventory.tsv", INVENTORY_COLUMNS, may_be_empty=["synset"])]
    label_of = {row["sense"]: f"{row['lexeme']}|{row['pos']}" for row in rows}
    pairs = []
    for sentence in read_conllu(folder / "senses.conllu"):
        ((position, _, misc),) = disambiguation.marked(sentence)
        pairs.append((label_of[misc["Sense"]], Usage(sentence, position, misc["Sense"], "senses")))
    glosses = {row["sense"]: row["gloss"] for row in rows}
    synsets = {row["sense"]: row["synset"] for row in rows if row["synset"]}
    return Inventory("senses", _lexemes(pairs), glosses, synsets)


def load_inventory(name: str = "senses") -> Inventory:
    """An inventory by name: "senses", the teaching set; "semcor", SemCor with WordNet's synsets.

    A `cdsm_lib.datasets.DataError` for another name, or if SemCor or WordNet is not there.

    >>> load_inventory("senses").glosses["bank.n.1"]
    'firm that keeps the money of customers, lends it and pays interest on deposits'
    """
    if name == "semcor":
        return read_semcor(read_conllu(datasets.fetch("semcor", "semcor.conllu.xz")))
    return read_teaching_set(datasets.sample_path(name))


# ---------------------------------------------------------------------------------------------------------------------
# Sampling items (section 4.2)


def _generator(seed: int, *names: str | int) -> np.random.Generator:
    """A generator of its own for each lexeme and number of senses: no draw depends on what else is drawn."""
    entropy = [seed, *(zlib.crc32(str(name).encode("utf-8")) for name in names)]
    return np.random.default_rng(np.random.SeedSequence(entropy))


def usable_senses(lexeme: Lexeme) -> dict[str, tuple[Usage, ...]]:
    """The senses of a lexeme that have two sentences or more.

    >>> usage = Usage(tagged("The bank lends.", FormTagger({})), 1, "bank.n.1", "mine")
    >>> list(usable_senses(Lexeme("bank|NOUN", {"bank.n.1": (usage, usage), "bank.n.2": (usage,)})))
    ['bank.n.1']
    """
    return {sense: usages for sense, usages in lexeme.senses.items() if len(usages) >= 2}


def polysemous(inventory: Inventory, more_than: int) -> list[Lexeme]:
    """The lexemes with more than `more_than` usable senses, reduced to these.

    >>> "bank|NOUN" in [lexeme.label for lexeme in polysemous(load_inventory(), more_than=1)]
    True
    """
    usable = (Lexeme(lexeme.label, usable_senses(lexeme)) for lexeme in inventory)
    return [lexeme for lexeme in usable if len(lexeme.senses) > more_than]


def draw_senses(lexeme: Lexeme, n: int, rng: np.random.Generator) -> list[str]:
    """`n` senses of a lexeme, each as likely as any other; the first is the target sense.

    >>> sorted(draw_senses(load_inventory().lexeme("bank|NOUN"), 2, np.random.default_rng(0)))
    ['bank.n.1', 'bank.n.2']
    """
    return [str(sense) for sense in rng.choice(sorted(lexeme.senses), size=n, replace=False)]


def draw_item(lexeme: Lexeme, senses: Sequence[str], rng: np.random.Generator) -> Item:
    """Target and answer from the first of these senses, one usage from each of the others, options shuffled.

    >>> item = draw_item(load_inventory().lexeme("bank|NOUN"), ["bank.n.1", "bank.n.2"], np.random.default_rng(0))
    >>> item.target.sense, item.options[item.answer].sense
    ('bank.n.1', 'bank.n.1')
    """
    usages = []
    for sense, n in zip(senses, [2] + [1] * (len(senses) - 1), strict=True):
        candidates = lexeme.senses[sense]
        usages += [candidates[i] for i in rng.choice(len(candidates), size=n, replace=False)]
    target, *options = usages
    order = rng.permutation(len(options))
    answer = int(np.flatnonzero(order == 0)[0])
    return Item(lexeme.label, len(options), target, tuple(options[i] for i in order), answer)


def sample(inventory: Inventory, n: int, seed: int = 0, *, more_than: int | None = None) -> SenseDiscrimination:
    """Items of `n` senses by the rules of section 4.2, one for each lexeme that has enough senses; split "all".

    A lexeme must have more usable senses than `more_than`: `n` by default, as the paper says; ``n - 1`` admits lexemes
    with exactly `n`. The draw for a lexeme depends on the seed, on the lexeme and on `n`, and not on the other lexemes.

    >>> item, *_ = sample(load_inventory(), 2, more_than=1)
    >>> item.lexeme, len(item.options)
    ('band|NOUN', 2)
    """
    lexemes = polysemous(inventory, n if more_than is None else more_than)
    items = tuple(_drawn(lexeme, n, _generator(seed, lexeme.label, n)) for lexeme in lexemes)
    return SenseDiscrimination(inventory.name, "all", items)


def _drawn(lexeme: Lexeme, n: int, rng: np.random.Generator) -> Item:
    """An item of n of a lexeme's senses."""
    return draw_item(lexeme, draw_senses(lexeme, n, rng), rng)


def drawn_again(task: SenseDiscrimination, inventory: Inventory, draws: int, seed: int = 0) -> SenseDiscrimination:
    """The items of a task, and beside them others of the same lexemes, whose senses and sentences are drawn anew.

    An item is right or wrong by the luck of a few sentences; over several draws (the first is the task's) that luck
    evens out, and what is left is how hard the lexeme is. The inventory has the lexemes of the task.

    >>> task = sample(load_inventory(), 2)
    >>> again = drawn_again(task, load_inventory(), 3)
    >>> len(again) == 3 * len(task), {item.lexeme for item in again} == {item.lexeme for item in task}
    (True, True)
    """
    items = list(task)
    lexemes = {lexeme.label: lexeme for lexeme in polysemous(inventory, 1)}
    for draw in range(1, draws):
        for label, n in ((item.lexeme, item.senses) for item in task):
            items.append(_drawn(lexemes[label], n, _generator(seed, label, n, draw)))
    return replace(task, items=tuple(items))


def split_sizes() -> dict[tuple[str, int], tuple[int, int]]:
    """Items of the development and of the test split for each part of speech and number of senses (Table 4).

    As counted in the published files: for verbs of 3 and 5 senses the paper's figures do not add up.

    >>> split_sizes()["NOUN", 2]
    (170, 618)
    """
    rows = results.read_published("kober2017_table4")["counted_in_released_data"]
    sizes = {}
    for name, tag in _PUBLISHED_TAGS.items():
        for n, cell in zip(SENSES, rows[name], strict=True):
            dev, test = cell.split("/")
            sizes[tag, n] = int(dev), int(test)
    return sizes


def divide(
    task: SenseDiscrimination, seed: int = 0, sizes: Mapping[tuple[str, int], tuple[int, int]] | None = None
) -> SenseDiscrimination:
    """The test split, divided *by lexeme*: one that is in it for 2 senses is there for 3, 4 and 5.

    Each lexeme draws a number from [0, 1), which depends on the seed and the lexeme alone; it belongs to the
    development split, of which nothing is made here, if that is below the split's share for its part of speech and 2
    senses. The items with the smallest numbers are kept, up to `sizes`, (development, test) by part of speech and
    senses; the paper's by default. (The paper does not say how it split. In the published files a lexeme may be in one
    split for 2 senses and in the other for 3.)

    >>> task = sample(load_inventory(), 2)
    >>> 0 < len(divide(task)) < len(task)
    True
    """
    sizes = sizes or split_sizes()
    cells: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    for place, item in enumerate(task):
        draw = float(_generator(seed, item.lexeme).random())
        dev, test = sizes[item.pos, SENSES[0]]
        if draw * (dev + test) >= dev:
            cells[item.pos, item.senses].append((draw, place))
    places = sorted(place for cell, drawn in cells.items() for _, place in sorted(drawn)[: sizes[cell][1]])
    return SenseDiscrimination(task.dataset, "test", tuple(task.items[place] for place in places))


# ---------------------------------------------------------------------------------------------------------------------
# The published items


def _synset(text: str) -> str:
    """The kind of a column that holds a synset as NLTK prints it."""
    match = re.fullmatch(r"Synset\(['\"](.+)['\"]\)", text)
    if match is None:
        raise ValueError("Synset('...')")
    return match[1]


def current_name(synset: str) -> str:
    """Name of a synset in this NLTK, for a name that NLTK 3.2 gave; unchanged if WordNet has no such sense.

    NLTK 3.2, which the authors used, numbered a satellite among all adjective senses of its first lemma (``fit.s.02``:
    the second of *fit*); a recent one numbers it among the satellites only, so that the same name may stand for another
    synset.

    >>> current_name("bank.n.01")  # no satellite
    'bank.n.01'
    """
    satellite = re.fullmatch(r"(.+)\.s\.([0-9]+)", synset)
    if satellite is None:
        return synset
    senses, number = wordnet.senses_of(f"{satellite[1]}|ADJ"), int(satellite[2])
    return senses[number - 1] if 1 <= number <= len(senses) else synset


def read_published_senses(path, n: int) -> list[tuple[str, tuple[str, ...]]]:
    """Read a file of ``resources/definitions`` for SemCor with n options: labels, and the synsets of the options.

    Tab-separated, with a header that lacks a column for the target; the first option has the target's sense. Some of
    the lexemes are inflected forms (*broken* as a verb), which no lemma will match. Synsets are named as in the file:
    see :func:`current_name`. A `TaskError` with file and line for what is not so.
    """
    names = [f"Sense Definition {i}" for i in range(1, n + 1)]
    kinds = {"PoS": _PUBLISHED_TAGS, **dict.fromkeys(["target", *names], _synset)}
    header = ("Lexeme", *names, "PoS")
    items = []
    for line, row in read_table(path, ("Lexeme", "target", *names, "PoS"), kinds, header=header):
        options = tuple(row[name] for name in names)
        if options[0] != row["target"]:
            problem = f"option 1 must have the target's sense {row['target']}, found {options[0]}"
            raise TaskError(Path(path).name, line, problem)
        items.append((f"{row['Lexeme'].lower()}|{row['PoS']}", options))
    return items


def serve(items: Iterable[tuple[str, Sequence[str]]], inventory: Inventory, seed: int = 0) -> SenseDiscrimination:
    """Published items with sentences sampled from an inventory whose senses are WordNet synsets.

    Of the items from :func:`read_published_senses` those that can be served, in their order: those of whose senses
    there are usages, two of the target's. The draw depends on the seed and on the item's lexeme and senses.

    >>> items = [("bank|NOUN", ("bank.n.1", "bank.n.2")), ("glorp|NOUN", ("glorp.n.1", "glorp.n.2"))]
    >>> len(serve(items, load_inventory()))
    1
    """
    served = []
    for lexeme, senses in items:
        options = [current_name(sense) for sense in senses]
        usages = inventory.lexeme(lexeme).senses if lexeme in inventory else {}
        counts = [len(usages.get(sense, ())) for sense in options]
        if all(counts) and counts[0] >= 2:
            rng = _generator(seed, lexeme, " ".join(senses))
            served.append(draw_item(inventory.lexeme(lexeme), options, rng))
    return SenseDiscrimination("sense2017_semcor", "test", tuple(served))


def published_semcor(n: int, inventory: Inventory, seed: int = 0) -> SenseDiscrimination:
    """The published items of n senses of the test split that come from SemCor, with sentences sampled anew.

    The files that are open hold the lexemes and the synsets, not the sentences.
    """
    path = datasets.fetch("sense2017_semcor", f"{n}_senses.test.tsv")
    return serve(read_published_senses(path, n), inventory, seed)
