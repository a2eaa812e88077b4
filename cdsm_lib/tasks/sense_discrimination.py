r"""Word sense discrimination: which of these sentences uses a word in the same sense as the target sentence?

Kober, Weeds, Wilkie, Reffin and Weir (2017), "One Representation per Word - Does it make Sense for Composition?"
(SENSE 2017), section 4. An *item* is a target sentence with an ambiguous *lexeme*, and 2 to 5 options: sentences with
the same lexeme, each in another sense, exactly one of them in the target's. A system scores the options; the highest
score is its choice.

Conventions
-----------
A lexeme is a label ``lemma|POS``, POS one of `TAGS`. A sense is a string that is unique within its lexeme: for SemCor a
WordNet synset as the installed NLTK names it (`current_name`), ``bank.n.1`` in the teaching set, the definition in the
published files. A *usage* is a sentence, the place of the lexeme's token in it from 0, and its sense. Options are
numbered from 0 and shuffled: in the published files the right one always stands first, so a system that breaks ties by
taking the first would gain from each tie. Scores are higher for better. What had to be left out, of a corpus or of a
list of items, is counted by reason in ``left_out``.

Usages
------
read_semcor           sentences tagged with WordNet senses
wordnet_examples      the example sentences of WordNet's synsets, tagged by `FormTagger`, without trees
read_teaching_set     the book's own sentences
load_inventory        SemCor or the teaching set by name
merged                several inventories as one

Items
-----
sample                the construction of section 4.2: one item a lexeme
divide                development and test split by lexeme
published_semcor      the published items that come from SemCor, with sentences sampled anew
read_published        the published files with their sentences, for holders of the dictionaries' licences

Contexts and systems
--------------------
context               content words around the lexeme, or its neighbours in the dependency tree
word_overlap          the baseline: words that two contexts share
chance                accuracy that random choices are expected to reach

Metrics
-------
scores                accuracy, a tie for the best score giving :math:`1/|ties|` (`metrics.tie_credit`)
by                    the same by part of speech and number of senses, or any other property of an item
frequency_band        band of a lexeme's frequency, as in Table 7
"""

import base64
import binascii
import difflib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from nltk.tokenize import TreebankWordTokenizer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.corpus import ConlluError, Corpus, Sentence, Token, read_conllu
from cdsm_lib.text.counts import CONTENT_TAGS, arcs

TAGS = ("NOUN", "VERB", "ADJ")
SENSES = (2, 3, 4, 5)
SPLITS = ("dev", "test")
WINDOWS = (1, 2, 4)
BANDS = (10_000, 50_000)
"""Table 7: occurrences in the paper's Wikipedia of October 2013, whose number of tokens the paper does not give."""
WITHOUT_TREE = 2
"""The window that stands in for the dependency context where there is no tree: they "performed almost identical"."""
INVENTORY_COLUMNS = ("lexeme", "pos", "sense", "gloss", "synset")
LEVELS = ("clear", "medium", "hard")
_WORDNET_TAG = {"NOUN": "n", "VERB": "v", "ADJ": "a"}
_KEY_TAG = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}  # WordNet's ss_type in a sense key
_PUBLISHED_TAG = {"noun": "NOUN", "verb": "VERB", "adjective": "ADJ"}
_SYNSET = re.compile(r"Synset\(['\"](.+)['\"]\)")
_SATELLITE = re.compile(r"(.+)\.s\.([0-9]+)")


class SenseError(TaskError):
    """A file, an item or a score that does not fit sense discrimination; see `TaskError`."""


# ---------------------------------------------------------------------------------------------------------------------
# What there is


@dataclass(frozen=True)
class Usage:
    """One sentence in which a lexeme has one sense.

    Parameters
    ----------
    sentence : Sentence
    position : int
        Place of the lexeme's token, from 0.
    sense : str
    source : str
        Where the sentence is from: "semcor", "wordnet", "senses", or the published file's "Data Source".

    Raises
    ------
    SenseError
        If the sentence has no such token.
    """

    sentence: Sentence
    position: int
    sense: str
    source: str

    def __post_init__(self):
        if not 0 <= self.position < len(self.sentence):
            raise SenseError(None, None, f"position {self.position} in a sentence of {len(self.sentence)} tokens")

    @property
    def token(self) -> Token:
        """The lexeme's token."""
        return self.sentence.tokens[self.position]

    @property
    def has_tree(self) -> bool:
        """Whether the sentence is parsed: some token has a head, or there is only one token."""
        return len(self.sentence) == 1 or any(token.head for token in self.sentence)


@dataclass(frozen=True)
class Lexeme:
    """An ambiguous word: its label, such as ``bank|NOUN``, and the usages of each of its senses."""

    label: str
    senses: Mapping[str, tuple[Usage, ...]]


@dataclass(frozen=True)
class Inventory:
    """Lexemes with their senses and usages.

    Parameters
    ----------
    name : str
    lexemes : tuple of Lexeme
        In alphabetical order of their labels, which are all different.
    left_out : mapping of str to int
        Reasons, and how many tagged tokens or sentences were not used for each.
    glosses, synsets : mapping of str to str
        Definition and WordNet 3.0 synset of each sense that has one here (the teaching set).

    Raises
    ------
    SenseError
        If a label occurs twice.
    """

    name: str
    lexemes: tuple[Lexeme, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    glosses: Mapping[str, str] = field(default_factory=dict)
    synsets: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if len(self._by_label) != len(self.lexemes):
            twice = next(x for x, n in Counter(lexeme.label for lexeme in self.lexemes).items() if n > 1)
            raise SenseError(None, None, f"{self.name}: the lexeme {twice} occurs twice; use merged() to join them")

    def __iter__(self) -> Iterator[Lexeme]:
        return iter(self.lexemes)

    def __len__(self) -> int:
        return len(self.lexemes)

    def __contains__(self, label: object) -> bool:
        return label in self._by_label

    @cached_property
    def _by_label(self) -> dict[str, Lexeme]:
        return {lexeme.label: lexeme for lexeme in self.lexemes}

    @property
    def n_usages(self) -> int:
        """Usages of all senses of all lexemes."""
        return sum(len(usages) for lexeme in self for usages in lexeme.senses.values())

    def lexeme(self, label: str) -> Lexeme:
        """The lexeme of that label; `SenseError` if there is none."""
        if label not in self:
            near = difflib.get_close_matches(label, self._by_label, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            raise SenseError(None, None, f"{self.name} has no lexeme {label!r} among its {len(self)}{guess}")
        return self._by_label[label]


@dataclass(frozen=True)
class Item:
    """A target usage and the options to choose from.

    Parameters
    ----------
    lexeme : str
        Its label.
    senses : int
        How many options, each of another sense.
    target : Usage
    options : tuple of Usage
    answer : int
        Place of the option in the target's sense, from 0.

    Raises
    ------
    SenseError
        If there are not as many options as senses, or the answer is not one of them.
    """

    lexeme: str
    senses: int
    target: Usage
    options: tuple[Usage, ...]
    answer: int

    def __post_init__(self):
        if len(self.options) != self.senses or self.senses < 2 or not 0 <= self.answer < self.senses:
            found = f"{len(self.options)} options for {self.senses} senses, answer {self.answer}"
            raise SenseError(None, None, f"{self.lexeme}: {found}; at least 2, and the answer among them, from 0")

    @property
    def pos(self) -> str:
        """Part of speech of the lexeme."""
        return self.lexeme.rpartition("|")[2]


@dataclass(frozen=True)
class SenseDiscrimination:
    """Items to be scored together.

    Parameters
    ----------
    dataset, split : str
        Where they are from; "all", "dev" or "test".
    items : tuple of Item
    left_out : mapping of str to int
        Items that could not be made, by reason.
    """

    dataset: str
    split: str
    items: tuple[Item, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def without_tree(self) -> int:
        """Usages without a dependency tree: for them `context` of "dependency" is a window of `WITHOUT_TREE`."""
        return sum(not usage.has_tree for item in self for usage in (item.target, *item.options))

    def of(self, pos: str | None = None, senses: int | None = None) -> "SenseDiscrimination":
        """The items of one part of speech, of one number of senses, or both."""
        chosen = (i for i in self if pos in (None, i.pos) and senses in (None, i.senses))
        return SenseDiscrimination(self.dataset, self.split, tuple(chosen), self.left_out)


# ---------------------------------------------------------------------------------------------------------------------
# Usages into lexemes


def _text(sentence: Sentence) -> str:
    return " ".join(token.form for token in sentence)


def _distinct(usages: Sequence[Usage], left_out: Counter) -> Iterator[Usage]:
    """The usages of one lexeme, each sentence once; none of a sentence that shows two senses of it."""
    by_text: dict[str, list[Usage]] = {}
    for usage in usages:
        by_text.setdefault(_text(usage.sentence), []).append(usage)
    for group in by_text.values():
        if len({usage.sense for usage in group}) > 1:
            left_out["sentence with two senses of the lexeme"] += len(group)
        else:
            left_out["again in the same sentence"] += len(group) - 1
            yield group[0]


def _lexemes(usages: Iterable[tuple[str, Usage]], left_out: Counter) -> tuple[Lexeme, ...]:
    """Label and usage pairs as lexemes in alphabetical order; senses and usages keep their order."""
    by_label: dict[str, list[Usage]] = {}
    for label, usage in usages:
        by_label.setdefault(label, []).append(usage)
    lexemes = []
    for label in sorted(by_label):
        senses: dict[str, list[Usage]] = {}
        for usage in _distinct(by_label[label], left_out):
            senses.setdefault(usage.sense, []).append(usage)
        lexemes.append(Lexeme(label, {sense: tuple(found) for sense, found in senses.items()}))
    return tuple(lexemes)


def _counted(left_out: Counter) -> dict[str, int]:
    return {reason: n for reason, n in sorted(left_out.items()) if n}


def merged(name: str, *inventories: Inventory) -> Inventory:
    """One inventory of the usages of several: senses of the same lexeme and name are joined, first come first.

    Parameters
    ----------
    name : str
    *inventories : Inventory

    Returns
    -------
    Inventory
        A sentence that two of them have counts once; one to which they give different senses is left out.
    """
    left_out: Counter = Counter()
    for inventory in inventories:
        left_out.update(inventory.left_out)
    pairs = [(lexeme.label, usage) for inventory in inventories for lexeme in inventory
             for usages in lexeme.senses.values() for usage in usages]  # fmt: skip
    glosses = {sense: gloss for inventory in inventories for sense, gloss in inventory.glosses.items()}
    synsets = {sense: synset for inventory in inventories for sense, synset in inventory.synsets.items()}
    return Inventory(name, _lexemes(pairs, left_out), _counted(left_out), glosses, synsets)


def _misc(token: Token) -> dict[str, str]:
    """The ``key=value`` entries of MISC."""
    return {key: value for key, _, value in (entry.partition("=") for entry in token.misc.split("|"))}


def _semcor_usage(token: Token, key: str, span: str, sense_of) -> tuple[str, str]:
    """Synset and an empty reason, or an empty synset and the reason why a tagged token is not used."""
    lemma, _, place = key.partition("%")
    if span != "1":
        return "", "sense of several tokens"
    if token.upos not in TAGS:
        return "", "token not tagged NOUN, VERB or ADJ"
    if _KEY_TAG.get(place[:1]) != token.upos:
        return "", "token and sense differ in part of speech"
    if token.lemma != lemma:
        return "", "token and sense differ in lemma"
    try:
        sense = sense_of(key)
    except (KeyError, ValueError):
        sense = None
    return (sense, "") if sense else ("", "sense key not in WordNet")


def read_semcor(source, sense_of: Callable[[str], str | None], name: str = "semcor") -> Inventory:
    """The usages of nouns, verbs and adjectives in SemCor (Miller et al. 1993).

    A tagged token is a usage if its sense is its own and not that of several tokens (``Span=1``, or none), and if the
    parser's lemma and tag are those of the sense: the lexeme is looked up by them.

    Parameters
    ----------
    source : path or iterable of Sentence
        CoNLL-U with ``Sense=lemma%sense_key`` and ``Span=n`` in MISC.
    sense_of : callable
        Synset name of a sense key, such as ``cdsm_lib.text.wordnet.synset_of_key``; None, KeyError or ValueError if
        the key is unknown.
    name : str

    Returns
    -------
    Inventory
        ``left_out`` counts the tagged tokens that are no usages, by reason.

    Raises
    ------
    SenseError
        If no token has a sense.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    is_path = isinstance(source, str | Path)
    left_out: Counter = Counter()
    pairs = []
    for sentence in read_conllu(source) if is_path else source:
        for position, token in enumerate(sentence):
            misc = _misc(token)
            if "Sense" in misc:
                sense, reason = _semcor_usage(token, misc["Sense"], misc.get("Span", "1"), sense_of)
                left_out[reason] += 1
                if sense:
                    pairs.append((f"{token.lemma}|{token.upos}", Usage(sentence, position, sense, name)))
    if not left_out:
        raise SenseError(Path(source).name if is_path else None, None, "no token has Sense= in MISC; fetch it again")
    del left_out[""]
    return Inventory(name, _lexemes(pairs, left_out), _counted(left_out))


# ---------------------------------------------------------------------------------------------------------------------
# Sentences without a parse


@dataclass(frozen=True)
class FormTagger:
    """Tags a form, whatever its context, with the lemma and tag that it mostly has in a corpus.

    Parameters
    ----------
    readings : mapping of str to str
        ``lemma|POS`` of each form in lower case.

    Examples
    --------
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

    def knows(self, form: str) -> bool:
        """Whether the corpus had the form."""
        return form.lower() in self.readings


def tag_by_frequency(corpus: Corpus) -> FormTagger:
    """The tagger of a corpus: for each form in lower case its most frequent ``lemma|POS`` there.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    FormTagger
        Of readings that are equally frequent, the word that is more frequent in the corpus wins, and then the first in
        alphabetical order.
    """
    lower = [form.lower() for form in corpus.forms]
    names = sorted(set(lower))
    place = {name: i for i, name in enumerate(names)}
    lower_of = np.array([place[form] for form in lower], dtype=np.int64)
    n_words = len(corpus.words)
    keys, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, stop in corpus.chunks():
        pair = lower_of[corpus.form[start:stop]] * n_words + corpus.word[start:stop]
        found, times = np.unique(pair, return_counts=True)
        keys.append(found)
        counts.append(times)
    pairs, place_of = np.unique(np.concatenate(keys), return_inverse=True)
    count = np.bincount(place_of, weights=np.concatenate(counts), minlength=len(pairs))
    form, word = np.divmod(pairs, max(n_words, 1))
    order = np.lexsort((word, -count, form))  # words are numbered by falling frequency, equals by alphabet
    first = order[np.unique(form[order], return_index=True)[1]]
    return FormTagger({names[form[i]]: corpus.words[word[i]] for i in first})


def tokenise(text: str) -> list[str]:
    """Penn Treebank tokens of one sentence (NLTK's `TreebankWordTokenizer`)."""
    return TreebankWordTokenizer().tokenize(text)


def tagged(text: str, tagger: Callable[[str], str]) -> Sentence:
    """A sentence without a tree: Treebank tokens with the tagger's lemmas and tags, all heads 0."""
    tokens = []
    for number, form in enumerate(tokenise(text), 1):
        lemma, _, tag = tagger(form).rpartition("|")
        tokens.append(Token(number, form, lemma, tag, "_", "_", 0, "_", "_", "_"))
    return Sentence(tuple(tokens))


def locate(sentence: Sentence, label: str, morphy: Callable[[str, str], str | None]) -> int | None:
    """Place of a lexeme in a sentence that was tagged without context.

    Parameters
    ----------
    sentence : Sentence
    label : str
    morphy : callable
        Lemma of a form in lower case as a part of speech ("n", "v", "a"), None if it cannot be one: WordNet's.

    Returns
    -------
    int or None
        The first token that has the label; if there is none, the first whose form *as that part of speech* has the
        lemma, though it is mostly another ("the *saw*"). None if there is none.
    """
    lemma, _, pos = label.rpartition("|")
    tokens = list(enumerate(sentence))
    exact = (i for i, token in tokens if (token.lemma, token.upos) == (lemma, pos))
    forms = ((i, token.form.lower()) for i, token in tokens)
    possible = (i for i, form in forms if form == lemma or morphy(form, _WORDNET_TAG[pos]) == lemma)
    return next(exact, next(possible, None))


def _as_lexeme(sentence: Sentence, position: int, label: str) -> Sentence:
    """The sentence with the lexeme's own lemma and tag on its token."""
    lemma, _, pos = label.rpartition("|")
    old = sentence.tokens[position]
    new = Token(old.id, old.form, lemma, pos, *(getattr(old, name) for name in list(old.__dict__)[4:]))
    return Sentence((*sentence.tokens[:position], new, *sentence.tokens[position + 1 :]), sentence.comments)


def _usage_of(text: str, label: str, sense: str, source: str, tagger, morphy) -> Usage | None:
    """A usage out of plain text; None if the lexeme is not found in it."""
    sentence = tagged(text, tagger)
    position = locate(sentence, label, morphy)
    return None if position is None else Usage(_as_lexeme(sentence, position, label), position, sense, source)


def _wordnet():
    from cdsm_lib.text import wordnet

    return wordnet


def _examples(label: str) -> dict[str, list[str]]:
    """WordNet's example sentences of each synset of a lexeme."""
    lemma, _, pos = label.rpartition("|")
    return {synset.name(): synset.examples() for synset in _wordnet().reader().synsets(lemma, _WORDNET_TAG[pos])}


def wordnet_examples(
    lexemes: Iterable[str],
    tagger: Callable[[str], str],
    *,
    examples_of: Callable[[str], Mapping[str, Sequence[str]]] | None = None,
    morphy: Callable[[str, str], str | None] | None = None,
) -> Inventory:
    """Example sentences of WordNet's synsets as usages.

    They have no parse: their words get the reading that they have most often in a corpus, their heads are 0, and there
    is no dependency context. An example belongs to a synset and need not contain the very lexeme.

    Parameters
    ----------
    lexemes : iterable of str
        Labels; each once.
    tagger : callable
        As from :func:`tag_by_frequency`.
    examples_of : callable, optional
        Examples of a label by synset name; by default WordNet's.
    morphy : callable, optional
        As for :func:`locate`; by default WordNet's.

    Returns
    -------
    Inventory
        Named "wordnet"; ``left_out`` counts the examples without the lexeme.
    """
    examples_of = examples_of or _examples
    morphy = morphy or _wordnet().reader().morphy
    left_out: Counter = Counter()
    pairs = []
    for label in lexemes:
        for sense, texts in examples_of(label).items():
            for text in texts:
                usage = _usage_of(text, label, sense, "wordnet", tagger, morphy)
                if usage is None:
                    left_out["example without the lexeme"] += 1
                else:
                    pairs.append((label, usage))
    return Inventory("wordnet", _lexemes(pairs, left_out), _counted(left_out))


# ---------------------------------------------------------------------------------------------------------------------
# The teaching set


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SenseError(path.name, None, f"cannot be read ({error.strerror}); fetch the set again") from None
    except UnicodeDecodeError as error:
        raise SenseError(path.name, None, f"not UTF-8 ({error.reason}); save it as UTF-8") from None


def _senses(path: Path) -> dict[str, tuple[str, str, str]]:
    """Label, gloss and synset of each sense of ``inventory.tsv``."""
    lines = _lines(path)
    header = "<tab>".join(INVENTORY_COLUMNS)
    if not lines or tuple(lines[0].split("\t")) != INVENTORY_COLUMNS:
        raise SenseError(path.name, 1, f"the header must be {header}, found {lines[0] if lines else 'nothing'!r}")
    senses: dict[str, tuple[str, str, str]] = {}
    for number, text in enumerate(lines[1:], 2):
        fields = text.split("\t")
        if len(fields) != len(INVENTORY_COLUMNS) or not all(fields[:4]):
            raise SenseError(path.name, number, f"expected {header}, of which only synset may be empty, in {text!r}")
        lexeme, pos, sense, gloss, synset = fields
        if pos not in TAGS:
            raise SenseError(path.name, number, f"pos must be {', '.join(TAGS)}, found {pos!r}")
        if sense in senses:
            raise SenseError(path.name, number, f"the sense {sense} stands already above; give each its own id")
        senses[sense] = (f"{lexeme}|{pos}", gloss, synset)
    if not senses:
        raise SenseError(path.name, None, "no senses below the header")
    return senses


def _starts(lines: Sequence[str]) -> list[int]:
    """Numbers of the lines on which the first tokens of the sentences stand."""
    return [number for number, line in enumerate(lines, 1) if line.startswith("1\t")]


def _one_sense(sentence: Sentence, path: Path, line: int) -> tuple[int, str]:
    """Place and sense of the only token with ``Sense=``."""
    marked = [(i, misc["Sense"]) for i, token in enumerate(sentence) if "Sense" in (misc := _misc(token))]
    if len(marked) != 1:
        own = sentence.comments.get("sent_id", "without sent_id")
        raise SenseError(path.name, line, f"sentence {own}: {len(marked)} tokens have Sense= in MISC; mark exactly one")
    return marked[0]


def read_teaching_set(folder) -> Inventory:
    """The book's own sentences, from ``senses.conllu`` and ``inventory.tsv``.

    Parameters
    ----------
    folder : path
        ``inventory.tsv``: tab-separated with the header ``lexeme pos sense gloss synset``, the last possibly empty.
        ``senses.conllu``: sentences with ``# sent_id =``, ``# level = clear``, ``medium`` or ``hard``, and
        ``Sense=<sense id>`` in the MISC of exactly one token, the lexeme.

    Returns
    -------
    Inventory
        Named "senses", with glosses and synsets. The level is in ``usage.sentence.comments["level"]``.

    Raises
    ------
    SenseError
        With file and line: for another header, an empty field, an unknown part of speech, a sense that occurs twice, is
        unknown or has no sentence, a sentence without one marked token, whose token is not the sense's lexeme, of an
        unknown level, or with the id of an earlier one.
    """
    table, parses = Path(folder) / "inventory.tsv", Path(folder) / "senses.conllu"
    senses = _senses(table)
    lines = _lines(parses)
    try:
        sentences = list(read_conllu(parses))
    except ConlluError as error:
        raise SenseError(parses.name, error.line, error.problem) from None
    pairs, seen = [], set()
    for line, sentence in zip(_starts(lines), sentences, strict=True):
        own, level = sentence.comments.get("sent_id", ""), sentence.comments.get("level")
        if not own or own in seen:
            raise SenseError(parses.name, line, f"sent_id {own!r} is empty or that of an earlier sentence")
        seen.add(own)
        if level not in LEVELS:
            raise SenseError(parses.name, line, f"sentence {own}: level must be {', '.join(LEVELS)}, found {level!r}")
        position, sense = _one_sense(sentence, parses, line)
        if sense not in senses:
            raise SenseError(parses.name, line + position, f"sentence {own}: {table.name} has no sense {sense!r}")
        token = sentence.tokens[position]
        label = f"{token.lemma}|{token.upos}"
        if label != senses[sense][0]:
            problem = f"sentence {own}: Sense={sense} belongs on {senses[sense][0]}, not on {label}"
            raise SenseError(parses.name, line + position, problem)
        pairs.append((label, Usage(sentence, position, sense, "senses")))
    idle = sorted(set(senses) - {usage.sense for _, usage in pairs})
    if idle:
        raise SenseError(parses.name, None, f"no sentence for {len(idle)} senses of {table.name}, the first {idle[0]}")
    left_out: Counter = Counter()
    glosses = {sense: gloss for sense, (_, gloss, _) in senses.items()}
    synsets = {sense: synset for sense, (_, _, synset) in senses.items() if synset}
    return Inventory("senses", _lexemes(pairs, left_out), _counted(left_out), glosses, synsets)


def load_inventory(name: str = "senses") -> Inventory:
    """An inventory by name.

    Parameters
    ----------
    name : str
        "senses", the teaching set; "semcor", SemCor with WordNet's synsets.

    Returns
    -------
    Inventory

    Raises
    ------
    SenseError
        For another name.
    cdsm_lib.datasets.DataError
        If SemCor or WordNet is not there.
    """
    if name == "senses":
        return read_teaching_set(datasets.sample_path("senses"))
    if name == "semcor":
        return read_semcor(datasets.fetch("semcor", "semcor.conllu.xz"), _wordnet().synset_of_key)
    raise SenseError(None, None, f"unknown inventory {name!r}; there are senses and semcor")


# ---------------------------------------------------------------------------------------------------------------------
# Sampling items (section 4.2)


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8"))


def _generator(seed: int, *names: str | int) -> np.random.Generator:
    """A generator of its own for each lexeme and number of senses: no draw depends on what else is drawn."""
    entropy = [seed, *(_crc(str(name)) for name in names)]
    return np.random.default_rng(np.random.SeedSequence(entropy))


def usable_senses(lexeme: Lexeme, fewest: int = 2) -> dict[str, tuple[Usage, ...]]:
    """The senses of a lexeme that have at least `fewest` sentences."""
    return {sense: usages for sense, usages in lexeme.senses.items() if len(usages) >= fewest}


def polysemous(inventory: Inventory, more_than: int, fewest: int = 2) -> list[Lexeme]:
    """The lexemes with more than `more_than` usable senses, reduced to these."""
    kept = (Lexeme(lexeme.label, usable_senses(lexeme, fewest)) for lexeme in inventory)
    return [lexeme for lexeme in kept if len(lexeme.senses) > more_than]


def draw_senses(lexeme: Lexeme, n: int, rng: np.random.Generator) -> list[str]:
    """`n` senses of a lexeme, each as likely as any other; the first is the target sense."""
    return [str(sense) for sense in rng.choice(sorted(lexeme.senses), size=n, replace=False)]


def draw_usages(usages: Sequence[Usage], n: int, rng: np.random.Generator) -> list[Usage]:
    """`n` different usages."""
    return [usages[i] for i in rng.choice(len(usages), size=n, replace=False)]


def shuffled(label: str, target: Usage, options: Sequence[Usage], rng: np.random.Generator) -> Item:
    """An item whose options, the first of which is right, are put in random order."""
    order = rng.permutation(len(options))
    return Item(label, len(options), target, tuple(options[i] for i in order), int(np.flatnonzero(order == 0)[0]))


def draw_item(lexeme: Lexeme, senses: Sequence[str], rng: np.random.Generator) -> Item:
    """Target and answer from the first of these senses, one usage from each of the others, options shuffled."""
    target, answer = draw_usages(lexeme.senses[senses[0]], 2, rng)
    others = [draw_usages(lexeme.senses[sense], 1, rng)[0] for sense in senses[1:]]
    return shuffled(lexeme.label, target, [answer, *others], rng)


def sample(
    inventory: Inventory, n: int, seed: int = 0, *, more_than: int | None = None, fewest: int = 2
) -> SenseDiscrimination:
    """Items of `n` senses by the rules of section 4.2, one for each lexeme that has enough senses.

    Parameters
    ----------
    inventory : Inventory
    n : int
        Options, at least 2.
    seed : int
        The draw for a lexeme depends on it, on the lexeme and on `n`, and not on the other lexemes.
    more_than : int, optional
        A lexeme must have more usable senses than this. `n` by default, as the paper says; ``n - 1`` admits lexemes
        with exactly `n` senses.
    fewest : int
        Sentences that a sense must have to be usable.

    Returns
    -------
    SenseDiscrimination
        Of the split "all", in the order of the inventory.

    Raises
    ------
    SenseError
        For fewer than two senses or sentences, or a `more_than` that admits lexemes with fewer senses than options.
    """
    more_than = n if more_than is None else more_than
    if n < 2 or fewest < 2 or more_than < n - 1:
        problem = f"n={n}, fewest={fewest}, more_than={more_than}: need n >= 2, fewest >= 2, more_than >= n - 1"
        raise SenseError(None, None, problem)
    items = []
    for lexeme in polysemous(inventory, more_than, fewest):
        rng = _generator(seed, lexeme.label, n)
        items.append(draw_item(lexeme, draw_senses(lexeme, n, rng), rng))
    return SenseDiscrimination(inventory.name, "all", tuple(items))


def split_sizes() -> dict[tuple[str, int], tuple[int, int]]:
    """Items of the development and of the test split for each part of speech and number of senses (Table 4).

    As counted in the published files: for verbs of 3 and 5 senses the paper's figures do not add up.
    """
    path = datasets.published("kober2017_table4.json")
    rows = json.loads(path.read_text(encoding="utf-8"))["counted_in_released_data"]
    return {
        (_PUBLISHED_TAG[pos.lower()], n): tuple(int(number) for number in cell.split("/"))
        for pos, cells in rows.items() if pos != "Total" for n, cell in zip(SENSES, cells, strict=True)
    }  # fmt: skip


def divide(
    task: SenseDiscrimination, seed: int = 0, sizes: Mapping[tuple[str, int], tuple[int, int]] | None = None
) -> dict[str, SenseDiscrimination]:
    """Development and test split *by lexeme*: one that is in one split for 2 senses is there for 3, 4 and 5.

    Each lexeme draws a number from [0, 1), which depends on the seed and the lexeme alone; it belongs to the
    development split if that is below the split's share for its part of speech and 2 senses. From each split the items
    with the smallest numbers are kept, up to the size. (The paper does not say how it split. In the published files a
    lexeme may be in one split for 2 senses and in the other for 3.)

    Parameters
    ----------
    task : SenseDiscrimination
    seed : int
    sizes : mapping of (part of speech, senses) to (development, test), optional
        Upper limits; the paper's by default.

    Returns
    -------
    dict of str to SenseDiscrimination
        "dev" and "test"; items in the order of the task. ``left_out`` counts the items above the limits.

    Raises
    ------
    SenseError
        For an item whose part of speech and number of senses have no size.
    """
    sizes = split_sizes() if sizes is None else sizes
    cells: dict[tuple[str, tuple[str, int]], list[tuple[float, int]]] = {}
    for place, item in enumerate(task):
        cell = (item.pos, item.senses)
        if cell not in sizes or (item.pos, SENSES[0]) not in sizes:
            raise SenseError(None, None, f"{item.lexeme}: no size for {item.pos} with {item.senses} senses")
        draw = float(_generator(seed, item.lexeme).random())
        dev, test = sizes[item.pos, SENSES[0]]
        split = "dev" if draw * (dev + test) < dev else "test"
        cells.setdefault((split, cell), []).append((draw, place))
    kept: dict[str, list[int]] = {split: [] for split in SPLITS}
    over: Counter = Counter()
    for (split, cell), drawn in cells.items():
        limit = sizes[cell][SPLITS.index(split)]
        over[split] += max(0, len(drawn) - limit)
        kept[split] += [place for _, place in sorted(drawn)[:limit]]
    return {
        split: SenseDiscrimination(
            task.dataset, split, tuple(task.items[place] for place in sorted(kept[split])),
            {**task.left_out, **({"above the size of the split": over[split]} if over[split] else {})},
        )
        for split in SPLITS
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# The published items


@dataclass(frozen=True)
class PublishedSenses:
    """A published item without its sentences: the lexeme and the synsets of target and options, option 0 right."""

    line: int
    lexeme: str
    target: str
    options: tuple[str, ...]


def _published_tag(path: Path, line: int, text: str) -> str:
    if text.lower() not in _PUBLISHED_TAG:
        raise SenseError(path.name, line, f"PoS must be Adjective, Noun or Verb, found {text!r}")
    return _PUBLISHED_TAG[text.lower()]


def current_name(synset: str, senses_of: Callable[[str], Sequence[str]]) -> str:
    """Name of a synset in this NLTK, for a name that NLTK 3.2 gave.

    NLTK 3.2, which the authors used, numbered a satellite among all adjective senses of its first lemma; a recent one
    numbers it among the satellites only, so that the same name may stand for another synset. All other names are the
    same in both.

    Parameters
    ----------
    synset : str
        Such as ``fit.s.02``: the second adjective sense of *fit*.
    senses_of : callable
        Synset names of a label in WordNet's order, such as ``cdsm_lib.text.wordnet.senses_of``.

    Returns
    -------
    str
        Unchanged if WordNet has no such sense.
    """
    satellite = _SATELLITE.fullmatch(synset)
    if satellite is None:
        return synset
    senses, number = senses_of(f"{satellite[1]}|ADJ"), int(satellite[2])
    return senses[number - 1] if 1 <= number <= len(senses) else synset


def read_published_senses(path, n: int) -> list[PublishedSenses]:
    """Read a file of ``resources/definitions`` for SemCor: lexeme, target synset, option synsets, part of speech.

    Parameters
    ----------
    path : path
        Tab-separated with a header, which lacks a column for the target.
    n : int
        Number of options.

    Returns
    -------
    list of PublishedSenses
        In file order. Some of the lexemes are inflected forms (*broken* as a verb), which no lemma will match. Synsets
        are named as in the file: see :func:`current_name`.

    Raises
    ------
    SenseError
        With file and line: for another number of fields, what is no synset, an unknown part of speech, a first option
        that is not the target's sense.
    """
    path = Path(path)
    items = []
    for line, text in enumerate(_lines(path)[1:], 2):
        fields = text.split("\t")
        if len(fields) != n + 3:
            raise SenseError(path.name, line, f"{len(fields)} fields where {n} senses need {n + 3}: {text!r}")
        found = [_SYNSET.fullmatch(name) for name in fields[1:-1]]
        if not all(found):
            raise SenseError(path.name, line, f"expected Synset('...') {n + 1} times, found {text!r}")
        target, *options = (match[1] for match in found)
        if options[0] != target:
            raise SenseError(path.name, line, f"option 1 must have the target's sense {target}, found {options[0]}")
        label = f"{fields[0].lower()}|{_published_tag(path, line, fields[-1])}"
        items.append(PublishedSenses(line, label, target, tuple(options)))
    if not items:
        raise SenseError(path.name, None, "no items below the header")
    return items


def _why_not(lexeme: str, options: Sequence[str], inventory: Inventory) -> str:
    """Why an inventory cannot serve an item, whose first option has the target's sense; empty if it can."""
    if lexeme not in inventory:
        return "lexeme without usages"
    usages = [len(inventory.lexeme(lexeme).senses.get(sense, ())) for sense in options]
    if not all(usages):
        return "a sense without usages"
    return "" if usages[0] >= 2 else "target sense with one usage"


def serve(
    items: Iterable[PublishedSenses],
    inventory: Inventory,
    split: str,
    seed: int = 0,
    senses_of: Callable[[str], Sequence[str]] | None = None,
) -> SenseDiscrimination:
    """Published items with sentences sampled from an inventory whose senses are WordNet synsets.

    Parameters
    ----------
    items : iterable of PublishedSenses
    inventory : Inventory
    split : str
    seed : int
        The draw for an item depends on it and on the item's lexeme and senses.
    senses_of : callable, optional
        As for :func:`current_name`; by default WordNet's.

    Returns
    -------
    SenseDiscrimination
        Items that can be served, in their order; ``left_out`` counts the others by reason.
    """
    senses_of = senses_of or _wordnet().senses_of
    served, left_out = [], Counter()
    for item in items:
        options = [current_name(sense, senses_of) for sense in item.options]
        reason = _why_not(item.lexeme, options, inventory)
        if reason:
            left_out[reason] += 1
        else:
            rng = _generator(seed, item.lexeme, " ".join(item.options))
            served.append(draw_item(inventory.lexeme(item.lexeme), options, rng))
    return SenseDiscrimination("sense2017_semcor", split, tuple(served), _counted(left_out))


def published_semcor(n: int, split: str, inventory: Inventory, seed: int = 0) -> SenseDiscrimination:
    """The published items that come from SemCor, with sentences sampled anew for their senses.

    The files that are open hold the lexemes and the synsets, not the sentences.

    Parameters
    ----------
    n : int
        2 to 5 senses.
    split : str
        "dev" or "test".
    inventory : Inventory
        SemCor's, or one with more usages of WordNet's synsets.
    seed : int

    Returns
    -------
    SenseDiscrimination
        ``left_out`` counts the items that the inventory cannot serve.

    Raises
    ------
    SenseError
        For another number of senses or split, and as in :func:`read_published_senses`.
    cdsm_lib.datasets.DataError
        If the files are not there.
    """
    if n not in SENSES or split not in SPLITS:
        raise SenseError(None, None, f"no published items for {n} senses, split {split!r}: 2 to 5, dev or test")
    path = datasets.fetch("sense2017_semcor", f"{n}_senses.{split}.tsv")
    return serve(read_published_senses(path, n), inventory, split, seed)


def _decoded(path: Path, line: int, text: str, plain: bool) -> list[str]:
    """Fields of a line of the published files."""
    if plain:
        return text.split("\t")
    try:
        return base64.b64decode(text, validate=True).decode("utf-8").rstrip("\r\n").split("\t")
    except (binascii.Error, UnicodeDecodeError):
        problem = "neither tab-separated text that begins with 'Lexeme' nor Base64 of UTF-8; use the authors' file"
        raise SenseError(path.name, line, problem) from None


def read_published(
    path,
    tagger: Callable[[str], str],
    *,
    split: str = "test",
    seed: int = 0,
    morphy: Callable[[str, str], str | None] | None = None,
) -> SenseDiscrimination:
    """Read a published file with its sentences, for readers who hold the dictionaries' licences.

    The authors' repository (tttthomasssss/sense2017) has them as ``resources/test/<n><0 for dev, 1 for test>.txt``.
    Each line is, by itself, Base64 of UTF-8. Decoded it is tab-separated with :math:`2n + 5` fields, in the header
    ``Lexeme``, ``Target Sense Definition``, ``Target Sense Sentence``, then for each option i from 1
    ``Example Definition Sense i`` and ``Example Sentence Sense i``, then ``Data Source`` and ``PoS``. This layout was
    taken from the header of ``20.txt`` and from the authors' code that writes and decodes it; since most sentences are
    Oxford's and Collins', the lines below the header were not examined for this book. Files that are decoded already
    are read as well.

    Parameters
    ----------
    path : path
    tagger : callable
        As from :func:`tag_by_frequency`.
    split : str
        What to call it.
    seed : int
        Of the order of options: in the file the first is always right.
    morphy : callable, optional
        As for :func:`locate`; by default WordNet's.

    Returns
    -------
    SenseDiscrimination
        Named "sense2017"; a sense is its definition, and the right option gets the target's. ``left_out`` counts the
        items with a sentence in which the lexeme was not found.

    Raises
    ------
    SenseError
        With file and line: for a line that cannot be decoded, another header, another number of fields, an unknown part
        of speech, a file without items.
    """
    path = Path(path)
    lines = _lines(path)
    if not lines:
        raise SenseError(path.name, None, "the file is empty; fetch it again")
    plain = lines[0].startswith("Lexeme\t")
    n = _published_header(path, _decoded(path, 1, lines[0], plain))
    morphy = morphy or _wordnet().reader().morphy
    items, left_out = [], Counter()
    for line, text in enumerate(lines[1:], 2):
        fields = _decoded(path, line, text, plain)
        if len(fields) != 2 * n + 5:
            raise SenseError(path.name, line, f"{len(fields)} fields where {n} senses need {2 * n + 5}")
        label = f"{fields[0].lower()}|{_published_tag(path, line, fields[-1])}"
        found = [(sense, text) for sense, text in zip(fields[1:-2:2], fields[2:-2:2], strict=True)]
        found[1] = (found[0][0], found[1][1])
        target, *options = (_usage_of(text, label, sense, fields[-2], tagger, morphy) for sense, text in found)
        if target is None or None in options:
            left_out["lexeme not found in a sentence"] += 1
        else:
            items.append(shuffled(label, target, options, _generator(seed, label, n, line)))
    if len(lines) == 1:
        raise SenseError(path.name, None, "no items below the header")
    return SenseDiscrimination("sense2017", split, tuple(items), _counted(left_out))


def _published_header(path: Path, fields: Sequence[str]) -> int:
    """Number of senses of a published file by its header."""
    n = (len(fields) - 5) // 2
    pairs = [f"Example {kind} Sense {i}" for i in range(1, n + 1) for kind in ("Definition", "Sentence")]
    expected = ["Lexeme", "Target Sense Definition", "Target Sense Sentence", *pairs, "Data Source", "PoS"]
    if n < 2 or list(fields) != expected:
        raise SenseError(path.name, 1, f"not the header of a published file: {' | '.join(fields)[:80]!r}")
    return n


# ---------------------------------------------------------------------------------------------------------------------
# Contexts


def _is_content(token: Token, stop_words: Collection[str]) -> bool:
    """Whether a token may stand in a context: a noun, verb, adjective, adverb or name with a letter, no stop word."""
    stop = token.lemma in stop_words or token.form.lower() in stop_words
    return not stop and token.upos in CONTENT_TAGS and any(map(str.isalpha, token.lemma))


def context(usage: Usage, window: int | str, stop_words: Collection[str] = ENGLISH_STOP_WORDS) -> list[str]:
    """Content words around the lexeme.

    Stop words, by form or lemma, and what is no noun, verb, adjective, adverb or name with at least one letter are
    taken out *before* the window is, "in order to maximise the number of content words" (section 4.3). So is the lexeme
    itself, wherever it occurs.

    Parameters
    ----------
    usage : Usage
    window : int or str
        Content words on each side; or "dependency": the head and the dependents of the lexeme, where what hangs from a
        preposition counts as hanging from the preposition's head (`counts.arcs`). A sentence without a tree has no such
        context; it gets a window of `WITHOUT_TREE` instead, and ``SenseDiscrimination.without_tree`` counts these.
    stop_words : collection of str
        The paper does not name its list. By default scikit-learn's, which holds some content words, such as *bill*,
        *fire* and *system*. The lexeme may be one of them.

    Returns
    -------
    list of str
        Labels, in the order of the sentence; repetitions are kept.

    Raises
    ------
    SenseError
        For a window that is neither a number from 1 nor "dependency".
    """
    if window != "dependency" and (isinstance(window, bool | str) or window != int(window) or window < 1):
        raise SenseError(None, None, f"a window is a number from 1 or 'dependency', got {window!r}")
    own = (usage.token.lemma, usage.token.upos)
    allowed = [
        i for i, token in enumerate(usage.sentence)
        if i != usage.position and (token.lemma, token.upos) != own and _is_content(token, stop_words)
    ]  # fmt: skip
    if window == "dependency" and usage.has_tree:
        near = _neighbours(usage)
        chosen = [i for i in allowed if i in near]
    else:
        k = WITHOUT_TREE if window == "dependency" else window
        before = [i for i in allowed if i < usage.position]
        chosen = before[-k:] + [i for i in allowed if i > usage.position][:k]
    return [f"{usage.sentence.tokens[i].lemma}|{usage.sentence.tokens[i].upos}" for i in chosen]


def _neighbours(usage: Usage) -> set[int]:
    """Places of the head and of the dependents of the lexeme, prepositions collapsed."""
    found = arcs(usage.sentence, collapse_prepositions=True)
    heads = {arc.governor for arc in found if arc.dependent == usage.position}
    return heads | {arc.dependent for arc in found if arc.governor == usage.position}


# ---------------------------------------------------------------------------------------------------------------------
# Systems without vectors


def words_in_common(first: Iterable[str], second: Iterable[str]) -> int:
    """Number of different lemmas that two contexts share.

    The paper counts "the number of words in common", of lemmatised text without tags; here as sets. (As multisets it
    would differ only where a word occurs twice in both contexts.)

    Examples
    --------
    >>> words_in_common(["river|NOUN", "walk|VERB", "walk|VERB"], ["walk|NOUN", "river|NOUN", "money|NOUN"])
    2
    """
    lemmas = ({label.rpartition("|")[0] for label in labels} for labels in (first, second))
    return len(set.intersection(*lemmas))


def word_overlap(window: int | str, stop_words: Collection[str] = ENGLISH_STOP_WORDS) -> Callable[[Item], np.ndarray]:
    """The word overlap baseline (section 4.3): lemmas that the contexts of target and option share.

    Returns
    -------
    callable
        Similarity for :func:`scores`. Two options with nothing in common with the target tie.
    """

    def similarity(item: Item) -> np.ndarray:
        target = context(item.target, window, stop_words)
        common = [words_in_common(target, context(option, window, stop_words)) for option in item.options]
        return np.array(common, dtype=np.float64)

    return similarity


def chance(items: Iterable[Item]) -> float:
    r"""Expected accuracy of random choices, exactly: the mean of :math:`1/n`."""
    values = [1 / item.senses for item in items]
    if not values:
        raise SenseError(None, None, "no items, hence no chance level")
    return float(np.mean(values))


# ---------------------------------------------------------------------------------------------------------------------
# Scores


@dataclass(frozen=True, eq=False)
class Scored:
    """What a system made of the items.

    Parameters
    ----------
    items : tuple of Item
    credit : float array [items]
        1 if the right option alone is best, :math:`1/|ties|` if it is among the best, else 0. What a paired permutation
        test of two systems takes.
    unknown : bool array [items]
        Items without a known word: a tie of all options.
    tied : bool array [items]
        Items in which several options tie for the best score.
    """

    items: tuple[Item, ...]
    credit: np.ndarray
    unknown: np.ndarray
    tied: np.ndarray

    def __len__(self) -> int:
        return len(self.items)

    @property
    def accuracy(self) -> float:
        """Mean credit."""
        return float(self.credit.mean())

    @property
    def n_unknown(self) -> int:
        """Items without a known word."""
        return int(self.unknown.sum())


def _checked(item: Item, values) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (item.senses,) or not np.isfinite(array).all():
        problem = f"{item.lexeme}: {item.senses} finite scores are needed, got {array.tolist()}; None if all unknown"
        raise SenseError(None, None, problem)
    return array


def scores(items: Iterable[Item], similarity: Callable[[Item], Sequence[float] | None]) -> Scored:
    """Score a system: it chooses the option with the highest similarity to the target.

    Ties are those of `metrics.tie_credit`: they give the right option its share, and so the expectation of the paper's
    random pick.

    Parameters
    ----------
    items : iterable of Item
        Such as a `SenseDiscrimination`.
    similarity : callable
        A number for each option of an item, higher for closer to the target; None if the system knows no word of the
        item, which is a tie of all options.

    Returns
    -------
    Scored

    Raises
    ------
    SenseError
        Without items; for another number of scores than options, NaN or infinity.
    """
    items = tuple(items)
    if not items:
        raise SenseError(None, None, "no items to score")
    found = [similarity(item) for item in items]
    unknown = np.array([values is None for values in found])
    arrays = [np.zeros(i.senses) if v is None else _checked(i, v) for i, v in zip(items, found, strict=True)]
    credit = [metrics.tie_credit(values, item.answer) for item, values in zip(items, arrays, strict=True)]
    tied = [metrics.tie_credit(values, int(values.argmax())) < 1 for values in arrays]
    return Scored(items, np.array(credit), unknown, np.array(tied))


@dataclass(frozen=True)
class Group:
    """A part of the items: how many they are, their accuracy, its expectation by chance, and items all unknown."""

    items: int
    accuracy: float
    chance: float
    unknown: int


def pos_and_senses(item: Item) -> tuple[str, int]:
    """Part of speech and number of senses: the cells of Table 5."""
    return item.pos, item.senses


def by(scored: Scored, key: Callable[[Item], object] = pos_and_senses) -> dict[object, Group]:
    """Accuracy of each group of items.

    Parameters
    ----------
    scored : Scored
    key : callable
        Group of an item; by default part of speech and number of senses.

    Returns
    -------
    dict of Group
        In rising order of the key.
    """
    groups: dict = {}
    for place, item in enumerate(scored.items):
        groups.setdefault(key(item), []).append(place)
    return {
        name: Group(
            len(groups[name]),
            float(scored.credit[groups[name]].mean()),
            chance(scored.items[place] for place in groups[name]),
            int(scored.unknown[groups[name]].sum()),
        )
        for name in sorted(groups)
    }


def frequency_band(count: float, edges: Sequence[float] = BANDS) -> int:
    """Band of a frequency: 0 below the first edge, 1 from it to below the second, and so on.

    Examples
    --------
    >>> [frequency_band(count) for count in (57, 9_999, 10_000, 49_999, 50_000)]
    [0, 0, 1, 1, 2]
    """
    return int(np.searchsorted(np.asarray(edges, dtype=np.float64), count, side="right"))
