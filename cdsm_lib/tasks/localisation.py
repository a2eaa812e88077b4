r"""Semantic against syntactic localisation: is a sentence put near what means the same, or near what looks alike?

Lyndon White, "A Method for the Evaluation of the Semantic vs Syntactic Localization of Sentence Embeddings" (24 July
2015). Pairs of paraphrases come from the Microsoft Research Paraphrase Corpus. From each sentence, versions are made
with 1, 2, 3 ... nouns replaced by synonyms, which shall mean the same, and with 1, 2, 3 ... verbs replaced by antonyms,
which shall not. A good model puts the synonym versions no farther from the sentence than its paraphrase (<=), and the
antonym versions farther (>).

Construction, in the order of section 3
---------------------------------------
tokenise                    3.2  NLTK's Penn Treebank tokeniser
retagged                    3.3  a sentence with the tags of another tagger
altered_kind, AUXILIARIES   3.3  which words may be altered
blocked                     3.5  words inside a phrase of WordNet
chosen_senses               3.6  the most frequent sense, or all of them
substitutes                 3.7  synonyms of a noun, antonyms of a verb
inflected, fitted           3.8  the form that the tag asks for; in SCOWL; capitalised as the word was
replace                     3.9  the new words in place, and *a* or *an* before them
alterations, versions       the alterable words of a sentence, and its versions by level
build                       the whole: cases, each a sentence, its paraphrase, and its versions

Data
----
load, read_msrpc, read_pairs, read_sentences

Scores
------
distances                   of paraphrases and versions from their base sentences
share                       one of the shares of section 5 at one level, item by item
by_pair                     items that come from one pair drawn together, for intervals and tests
"""

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as _replaced
from functools import cache
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.corpus import Sentence, Token, read_conllu
from cdsm_lib.text.lexicon import Facts, Sense

NOUN_TAGS = ("NN", "NNS")
VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBZ", "VBP")
NOUN, VERB = "noun", "verb"
AUXILIARIES = frozenset(
    "be am are is was were being can could do did does doing have had has having may might must shall should will "
    "would".split()
)
"""The paper's list (section 3.3), word for word: *been* and *done* are not on it."""
AS_THE_LEMMA = ("NN", "VB", "VBP")
"""Tags whose form is the dictionary form (Figure 1)."""

SYNONYM, ANTONYM = "synonym", "antonym"
RANDOM_NOUN, RANDOM_VERB = "random noun", "random verb"
KINDS = (SYNONYM, ANTONYM, RANDOM_NOUN, RANDOM_VERB)
ALTERED = {SYNONYM: NOUN, ANTONYM: VERB, RANDOM_NOUN: NOUN, RANDOM_VERB: VERB}
CONTROL = {SYNONYM: RANDOM_NOUN, ANTONYM: RANDOM_VERB}
FIRST, POOLED, UNION = "first", "pooled", "union"
SYNSET, LEMMA = "synset", "lemma"
POSITIVE = "1"
MSRPC_FILES = ("msr_paraphrase_train.txt", "msr_paraphrase_test.txt")
MSRPC_COLUMNS = 5
PAIR_COLUMNS = ("id", "first", "second", "topic")


# ----------------------------------------------------------------------------------------------------------- the text


@dataclass(frozen=True)
class Pair:
    """Two sentences that say the same.

    Parameters
    ----------
    id : str
    ids : (str, str)
        Of the two sentences, as their parses have them.
    texts : (str, str)
    """

    id: str
    ids: tuple[str, str]
    texts: tuple[str, str]


def tokenise(text: str) -> tuple[str, ...]:
    """Penn Treebank tokens (section 3.2): *don't* becomes *do n't*, and full stops stand alone.

    >>> tokenise("They don't agree.")
    ('They', 'do', "n't", 'agree', '.')
    """
    return tuple(_tokeniser().tokenize(text))


@cache
def _tokeniser():
    from nltk.tokenize import TreebankWordTokenizer

    return TreebankWordTokenizer()


def read_msrpc(path: Path) -> Iterator[Pair]:
    """The pairs of a file of MSRPC that its raters held to be paraphrases.

    Five fields between tabs: quality, two ids, two sentences. There is no quoting: a quotation mark is text.

    Raises
    ------
    TaskError
        For a line with other than five fields, or a quality other than 0 and 1.
    """
    with open(path, encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("\t")
            if len(fields) != MSRPC_COLUMNS:
                raise TaskError(
                    path, number, f"{len(fields)} fields, MSRPC has five between tabs; fetch the file again"
                )
            quality, first, second, *texts = fields
            if number > 1 and quality not in ("0", POSITIVE):
                raise TaskError(path, number, f"quality {quality!r}, MSRPC has 0 and 1; fetch the file again")
            if quality == POSITIVE:
                yield Pair(f"{first}-{second}", (first, second), tuple(texts))


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs of a teaching set: id, first, second, topic between tabs, with a header.

    Raises
    ------
    TaskError
        For another header, an empty or missing field, or an id that comes twice; for an empty file.
    """
    seen, number = set(), 0
    with open(path, encoding="utf-8-sig", newline="") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\r\n").split("\t")
            if number == 1:
                if tuple(fields) != PAIR_COLUMNS:
                    raise TaskError(path, 1, f"header {fields}; it must be {' '.join(PAIR_COLUMNS)}, between tabs")
                continue
            if len(fields) != len(PAIR_COLUMNS) or not all(fields):
                raise TaskError(path, number, f"{len(fields)} fields; give {' '.join(PAIR_COLUMNS)}, none empty")
            if fields[0] in seen:
                raise TaskError(path, number, f"pair {fields[0]} comes twice; give every pair an id of its own")
            seen.add(fields[0])
            yield Pair(fields[0], (f"{fields[0]}.1", f"{fields[0]}.2"), (fields[1], fields[2]))
    if not number:
        raise TaskError(path, 1, f"an empty file; its header must be {' '.join(PAIR_COLUMNS)}, between tabs")


def read_sentences(path: Path, pairs: Iterable[Pair]) -> dict[str, Sentence]:
    """The parses of the pairs' sentences under their ids.

    Raises
    ------
    TaskError
        If one is missing or comes twice, or its tokens are not those that `tokenise` makes of the text.
    """
    found: dict[str | None, Sentence] = {}
    for sentence in read_conllu(path):
        id = sentence.comments.get("sent_id")
        if id is not None and id in found:
            raise TaskError(path, None, f"sentence {id} has two parses; give every sentence an id of its own")
        found[id] = sentence
    kept = {}
    for pair in pairs:
        for id, text in zip(pair.ids, pair.texts, strict=True):
            if id not in found:
                raise TaskError(path, None, f"no parse of sentence {id}; parse the sentences again")
            kept[id] = found[id]
            if tuple(token.form for token in found[id]) != tokenise(text):
                raise TaskError(path, None, f"the parse of sentence {id} has other tokens; parse the sentences again")
    return kept


def load(name: str) -> tuple[list[Pair], dict[str, Sentence]]:
    """The positive pairs of ``msrpc``, training and test parts, or the pairs of a teaching set; and their parses.

    Raises
    ------
    TaskError
        For another name, or a file that is not as it should be.
    cdsm_lib.datasets.DataError
        If the data cannot be had.
    """
    if name == "msrpc":
        files = datasets.fetch("msrpc")
        pairs = [pair for file in MSRPC_FILES for pair in read_msrpc(files[file])]
        return pairs, read_sentences(files["msrpc.conllu.xz"], pairs)
    if name != "paraphrases":
        raise TaskError(None, None, f"no set {name!r}; there are msrpc and paraphrases")
    folder = datasets.sample_path(name)
    pairs = list(read_pairs(folder / "pairs.tsv"))
    return pairs, read_sentences(folder / "paraphrases.conllu", pairs)


def retagged(sentence: Sentence, tags: Sequence[str]) -> Sentence:
    """The sentence with other Penn tags.

    Raises
    ------
    TaskError
        If there is not one tag a token.
    """
    if len(tags) != len(sentence):
        raise TaskError(None, None, f"{len(tags)} tags for {len(sentence)} tokens; give one a token")
    tokens = (_replaced(token, xpos=tag) for token, tag in zip(sentence, tags, strict=True))
    return Sentence(tuple(tokens), sentence.comments)


# --------------------------------------------------------------------------------------------- section 3, step by step


def altered_kind(token: Token) -> str | None:
    """``"noun"`` or ``"verb"`` for a word that may be altered, None for any other (section 3.3).

    Proper nouns (NNP, NNPS), modals (MD) and the `AUXILIARIES` may not.
    """
    if token.xpos in NOUN_TAGS:
        return NOUN
    return VERB if token.xpos in VERB_TAGS and token.form.lower() not in AUXILIARIES else None


def blocked(tokens: Sequence[str], facts: Facts) -> tuple[tuple[int, int], ...]:
    """Phrases of WordNet in a sentence, as (start, stop) (section 3.5).

    A window of three words, then one of two, moves over the sentence. Phrases do not overlap: the longer comes first,
    then the one further left.

    >>> class Known:
    ...     phrase = staticmethod(lambda words: "_".join(words) in ("police_officer", "chief_police_officer"))
    >>> blocked("The chief police officer met a police officer".split(), Known)
    ((1, 4), (6, 8))
    """
    found: list[tuple[int, int]] = []
    for width in (3, 2):
        start = 0
        while start + width <= len(tokens):
            stop = start + width
            free = all(stop <= a or b <= start for a, b in found)
            if free and facts.phrase(tokens[start:stop]):
                found.append((start, stop))
                start = stop
            else:
                start += 1
    return tuple(sorted(found))


def chosen_senses(senses: Sequence[Sense], sense: str = FIRST) -> tuple[Sense, ...]:
    """The senses whose words are taken (section 3.6).

    Parameters
    ----------
    senses : sequence of Sense
        In WordNet's order.
    sense : {"first", "pooled", "union"}
        The most frequent sense, arg max of the word's count in SemCor, the first of several; the sense whose words
        together are the most frequent, as a version of the author's code has it (oxinabox/phd at 10f5799d,
        SemanticCorruption.py); or all of them, as section 3.7.1 has it.

    Raises
    ------
    TaskError
        For another choice.
    """
    if sense not in (FIRST, POOLED, UNION):
        raise TaskError(None, None, f"sense {sense!r}; choose {FIRST!r}, {POOLED!r} or {UNION!r} (all senses)")
    if sense == UNION or not senses:
        return tuple(senses)
    return (max(senses, key=lambda one: one.count if sense == FIRST else one.total),)


def substitutes(
    lemma: str, kind: str, senses: Iterable[Sense], *, antonyms: str = SYNSET
) -> tuple[str, ...]:  # fmt: skip
    """What may replace a word (section 3.7): a noun's synonyms, a verb's antonyms; never a phrase.

    Parameters
    ----------
    lemma : str
    kind : {"noun", "verb"}
    senses : iterable of Sense
        Those chosen.
    antonyms : {"synset", "lemma"}
        WordNet's antonymy holds between words. The example of section 4 takes the antonyms of all words of a synset
        (*remained*, synonym of *stayed*, becomes *changed*); the other choice takes those of the verb itself.

    Returns
    -------
    tuple of str
        Lemmas, each once, in WordNet's order.

    Raises
    ------
    TaskError
        For another choice of antonyms.
    """
    if antonyms not in (SYNSET, LEMMA):
        raise TaskError(None, None, f"antonyms {antonyms!r}; choose {SYNSET!r} or {LEMMA!r}")
    if kind == NOUN:
        found = [other for sense in senses for other in sense.lemmas]
    else:
        found = [
            other for sense in senses for word, other in sense.antonyms
            if antonyms == SYNSET or word.lower() == lemma
        ]  # fmt: skip
    return tuple(dict.fromkeys(other for other in found if "_" not in other and other.lower() != lemma))


def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms that a Penn tag asks for, the usual one first (section 3.8 and Figure 1).

    NN, VB and VBP take the lemma itself: the paper's rule, since forms of *be* are excluded. The others come from
    LemmInflect, for the paper's Pattern.en.

    >>> inflected("fall", "VBD"), inflected("automobile", "NNS"), inflected("fall", "VBP")
    (('fell',), ('automobiles',), ('fall',))

    Raises
    ------
    TaskError
        For a tag that is neither a common noun's nor a verb's.
    """
    if tag in AS_THE_LEMMA:
        return (lemma,)
    if tag not in (*NOUN_TAGS, *VERB_TAGS):
        raise TaskError(None, None, f"no form of {lemma!r} for the tag {tag!r}; nouns {NOUN_TAGS}, verbs {VERB_TAGS}")
    return _inflections(lemma, tag)


@cache
def _inflections(lemma: str, tag: str) -> tuple[str, ...]:
    from lemminflect import getInflection  # its tables take a second to load

    return tuple(getInflection(lemma, tag))


def fitted(lemma: str, token: Token, facts: Facts) -> str | None:
    """A substitute in the form of the word that it replaces (section 3.8).

    The first of its forms that SCOWL lists, with an initial capital if the word has one; None if SCOWL lists none, or
    if it is the very word again. (The paper matches lower case, too, which makes *tV* of *TV*.)
    """
    form = next((form for form in inflected(lemma, token.xpos) if facts.valid(form)), None)
    if form is None or form.lower() == token.form.lower():
        return None
    return form[0].upper() + form[1:] if token.form[0].isupper() else form


def article_before(word: str) -> str:
    """*a* or *an*, by the sound of the word (section 3.9): *an honest man*, *a unit of measure*.

    >>> [article_before(word) for word in ("honest", "unit", "automobile", "car")]
    ['an', 'a', 'an', 'a']
    """
    return _speaker().a(word).split(" ", 1)[0]


@cache
def _speaker():
    import inflect

    return inflect.engine()


def replace(tokens: Sequence[str], changes: Mapping[int, str]) -> tuple[str, ...]:
    """The sentence with new words, and the indefinite article in front of each of them mended (section 3.9).

    Other articles are left alone, even wrong ones; so is a new word in front of a new word, whatever it replaces.
    Case is kept: *A car* becomes *An automobile*.

    >>> replace("A car hit a old tree .".split(), {1: "automobile"})
    ('An', 'automobile', 'hit', 'a', 'old', 'tree', '.')

    Raises
    ------
    TaskError
        For a position outside the sentence.
    """
    outside = [position for position in changes if not 0 <= position < len(tokens)]
    if outside:
        raise TaskError(None, None, f"position {outside[0]} is outside a sentence of {len(tokens)} tokens")
    new = list(tokens)
    for position, word in changes.items():
        new[position] = word
        before = tokens[position - 1] if position and position - 1 not in changes else ""
        if before.lower() in ("a", "an"):
            article = article_before(word)
            new[position - 1] = article.capitalize() if before[0].isupper() else article
    return tuple(new)


# ------------------------------------------------------------------------------------------ what can be altered, and is


@dataclass(frozen=True)
class Rules:
    """The choices that the paper leaves open, or contradicts itself on.

    Parameters
    ----------
    sense : {"first", "pooled", "union"}
        See `chosen_senses`.
    antonyms : {"synset", "lemma"}
        See `substitutes`.
    """

    sense: str = FIRST
    antonyms: str = SYNSET


STEPS = (
    "tokens", "common nouns and verbs", "no auxiliary", "outside phrases", "known to WordNet", "with a substitute",
    "substitute has a valid form",
)  # fmt: skip
"""The steps of the funnel, each a condition on a token that passed the one before."""


@dataclass(frozen=True)
class Alteration:
    """A word that can be altered.

    Parameters
    ----------
    position : int
    kind : {"noun", "verb"}
    options : tuple of (lemma, form)
        What may stand there instead.
    """

    position: int
    kind: str
    options: tuple[tuple[str, str], ...]


def alterations(
    sentence: Sentence, facts: Facts, rules: Rules = Rules(), funnel: Counter | None = None  # noqa: B008
) -> tuple[Alteration, ...]:  # fmt: skip
    """The alterable nouns and verbs of a tagged sentence, with all that may replace them.

    Parameters
    ----------
    sentence : Sentence
        With Penn tags.
    facts : Facts
    rules : Rules
    funnel : Counter, optional
        Counts tokens under (step, kind); `STEPS`.
    """
    tokens = [token.form for token in sentence]
    inside = {i for start, stop in blocked(tokens, facts) for i in range(start, stop)}
    funnel = Counter() if funnel is None else funnel
    found = []
    for i, token in enumerate(sentence):
        reached, kind, options = _fate(token, i in inside, facts, rules)
        funnel.update((step, kind) for step in STEPS[: reached + 1])
        if options:
            found.append(Alteration(i, kind, options))
    return tuple(found)


def _fate(token: Token, inside: bool, facts: Facts, rules: Rules) -> tuple[int, str | None, tuple]:
    """The last of `STEPS` that a token passes, its kind, and what may replace it."""
    kind = NOUN if token.xpos in NOUN_TAGS else VERB if token.xpos in VERB_TAGS else None
    if kind is None:
        return 0, None, ()
    if altered_kind(token) is None:
        return 1, kind, ()
    if inside:
        return 2, kind, ()
    lemma = facts.lemma(token.form, kind)
    if lemma is None:
        return 3, kind, ()
    senses = chosen_senses(facts.senses(lemma, kind), rules.sense)
    others = substitutes(lemma, kind, senses, antonyms=rules.antonyms)
    if not others:
        return 4, kind, ()
    options = tuple((other, form) for other in others if (form := fitted(other, token, facts)) is not None)
    return (6, kind, options) if options else (5, kind, ())


@dataclass(frozen=True)
class Version:
    """A sentence with so many words replaced.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    level : int
        How many words.
    tokens : tuple of str
    changes : tuple of (position, lemma)
        In the order in which they were made.
    """

    kind: str
    level: int
    tokens: tuple[str, ...]
    changes: tuple[tuple[int, str], ...]


def versions(
    sentence: Sentence, kind: str, options: Mapping[int, Sequence[tuple[str, str]]], rng: np.random.Generator
) -> tuple[Version, ...]:
    """The versions of a sentence with 1, 2, 3 ... words replaced, each keeping the changes of the one before.

    Parameters
    ----------
    sentence : Sentence
    kind : str
        One of `KINDS`.
    options : mapping of position to sequence of (lemma, form)
    rng : Generator
        Shuffles the positions, and draws one of the options of each.
    """
    tokens = [token.form for token in sentence]
    order = rng.permutation(sorted(options)).tolist() if options else []
    drawn = {position: options[position][rng.integers(len(options[position]))] for position in order}
    made = []
    for level in range(1, len(order) + 1):
        chosen = order[:level]
        changes = {position: drawn[position][1] for position in chosen}
        lemmas = tuple((position, drawn[position][0]) for position in chosen)
        made.append(Version(kind, level, replace(tokens, changes), lemmas))
    return tuple(made)


def words_by_tag(sentences: Iterable[Sentence]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The alterable words of the sentences by their tag, as (lemma, form), for the random controls.

    Each as often as it occurs, in order: a word drawn from them is as frequent as words of that tag are.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for sentence in sentences:
        for token in sentence:
            if altered_kind(token):
                found.setdefault(token.xpos, []).append((token.lemma, token.form.lower()))
    return {tag: tuple(words) for tag, words in found.items()}


def _controls(sentence: Sentence, kind: str, of: Sequence[Version], pool: Mapping, rng) -> tuple[Version, ...]:
    """The same words as in `of` replaced by random ones of the same tag.

    One number is drawn for a word, whatever the pool, so that what is drawn next does not depend on other sentences.
    Where it draws the word itself, the next other word of the pool is taken; where there is none, the word stays.
    """
    if not of:
        return ()
    tokens, drawn = [token.form for token in sentence], {}
    for position, _ in of[-1].changes:
        token = sentence.tokens[position]
        others = pool[token.xpos]
        start = int(rng.random(dtype=np.float32) * len(others))
        around = (others[(start + step) % len(others)] for step in range(len(others)))
        lemma, form = next((one for one in around if one[1] != token.form.lower()), others[start])
        drawn[position] = (lemma, form[0].upper() + form[1:] if token.form[0].isupper() else form)
    made = []
    for version in of:
        chosen = [position for position, _ in version.changes]
        changed = replace(tokens, {position: drawn[position][1] for position in chosen})
        made.append(Version(kind, version.level, changed, tuple((p, drawn[p][0]) for p in chosen)))
    return tuple(made)


# ---------------------------------------------------------------------------------------------------------- the whole


@dataclass(frozen=True)
class Case:
    """A sentence with a paraphrase.

    Parameters
    ----------
    pair : int
        Both directions of a pair are cases.
    base, paraphrase : int
        Numbers of sentences in `Localisation.sentences`.
    """

    pair: int
    base: int
    paraphrase: int


@dataclass(frozen=True)
class Localisation:
    """The evaluation corpus.

    Parameters
    ----------
    dataset : str
    sentences : tuple of Sentence
        Tagged and parsed, each once.
    cases : tuple of Case
        Two a pair.
    versions : tuple of tuple of Version
        Of each sentence, of all kinds.
    funnel : Counter
        Tokens of the cases' base sentences by (step, kind), see `STEPS`.
    rules : Rules
    """

    dataset: str
    sentences: tuple[Sentence, ...]
    cases: tuple[Case, ...]
    versions: tuple[tuple[Version, ...], ...]
    funnel: Counter = field(default_factory=Counter)
    rules: Rules = Rules()  # noqa: RUF009

    def __len__(self) -> int:
        return len(self.cases)

    def version(self, case: int, kind: str, level: int) -> Version | None:
        """The version of a case's base sentence; None where it has not so many words to alter."""
        of = self.versions[self.cases[case].base]
        return next((version for version in of if (version.kind, version.level) == (kind, level)), None)

    def count(self, kind: str, level: int) -> int:
        """Cases with so many substitutions."""
        having = {i for i, of in enumerate(self.versions) if any((v.kind, v.level) == (kind, level) for v in of)}
        return sum(case.base in having for case in self.cases)

    def counts(self, most: int = 9) -> dict[int, tuple[int, int, int]]:
        """Cases with noun synonyms, with verb antonyms, and with both, by level: the later draft's Table 2."""
        deepest = [Counter(version.kind for version in of) for of in self.versions]
        found = {}
        for level in range(1, most + 1):
            has = [[deepest[case.base][kind] >= level for kind in (SYNONYM, ANTONYM)] for case in self.cases]
            nouns, verbs = (sum(column) for column in zip(*has, strict=True)) if has else (0, 0)
            found[level] = (nouns, verbs, sum(noun and verb for noun, verb in has))
        return found


def build(
    dataset: str,
    pairs: Sequence[Pair],
    parsed: Mapping[str, Sentence],
    facts: Facts,
    *,
    rules: Rules = Rules(),  # noqa: B008
    seed: int,
    most: int = 9,
    progress: Callable = iter,
) -> Localisation:
    """The construction of section 3 for all pairs, both directions.

    Parameters
    ----------
    dataset : str
    pairs : sequence of Pair
    parsed : mapping of id to Sentence
        With the Penn tags to go by.
    facts : Facts
    rules : Rules
    seed : int
        A sentence's synonyms and antonyms depend on it and on the sentence's own words, not on what stands around it;
        random controls are drawn from the words of all sentences.
    most : int
        Levels above are left out.
    progress : callable
        Wraps the sentences, as ``tqdm`` does.

    Returns
    -------
    Localisation

    Raises
    ------
    TaskError
        If a sentence has no parse.
    """
    number: dict[tuple[str, ...], int] = {}
    sentences: list[Sentence] = []
    cases = []
    for p, pair in enumerate(pairs):
        places = []
        for id in pair.ids:
            if id not in parsed:
                raise TaskError(None, None, f"no parse of sentence {id} of pair {pair.id}; parse the sentences again")
            words = tuple(token.form for token in parsed[id])
            if words not in number:
                number[words] = len(sentences)
                sentences.append(parsed[id])
            places.append(number[words])
        cases += [Case(p, *places), Case(p, *reversed(places))]
    pool = words_by_tag(sentences)
    made, funnels = [], []
    for words, sentence in progress(list(zip(number, sentences, strict=True))):
        funnel: Counter = Counter()
        rng = np.random.default_rng([seed, zlib.crc32(" ".join(words).encode())])
        found = alterations(sentence, facts, rules, funnel)
        of: list[Version] = []
        for kind in (SYNONYM, ANTONYM):
            options = {one.position: one.options for one in found if one.kind == ALTERED[kind]}
            own = versions(sentence, kind, options, rng)
            both = (*own, *_controls(sentence, CONTROL[kind], own, pool, rng))
            of += [version for version in both if version.level <= most]
        made.append(tuple(of))
        funnels.append(funnel)
    total: Counter = Counter()
    for case in cases:
        total.update(funnels[case.base])
    return Localisation(dataset, tuple(sentences), tuple(cases), tuple(made), total, rules)


@dataclass(frozen=True)
class Texts:
    """Every token sequence of an evaluation corpus once, so that each is embedded once.

    Attributes
    ----------
    tokens : tuple of tuple of str
        The sentences first, in their order, then the versions.
    source : int array [texts]
        The sentence from which the text was made: its tree serves for the text.
    changes : tuple of tuple of (position, lemma)
    at : dict of (sentence, kind, level) to int
        The number of a version's text.
    """

    tokens: tuple[tuple[str, ...], ...]
    source: np.ndarray
    changes: tuple[tuple[tuple[int, str], ...], ...]
    at: Mapping[tuple[int, str, int], int]

    def __len__(self) -> int:
        return len(self.tokens)


def texts(task: Localisation) -> Texts:
    """What a model must embed. Texts of different sentences are kept apart even where they are the same."""
    tokens = [tuple(token.form for token in sentence) for sentence in task.sentences]
    source, changes, at = list(range(len(tokens))), [()] * len(tokens), {}
    for s, of in enumerate(task.versions):
        for version in of:
            at[s, version.kind, version.level] = len(tokens)
            tokens.append(version.tokens)
            source.append(s)
            changes.append(version.changes)
    return Texts(tuple(tokens), np.array(source, dtype=np.int64), tuple(changes), at)


# -------------------------------------------------------------------------------------------------------------- scores


@dataclass(frozen=True)
class Distances:
    """How far a model puts paraphrases and versions from the base sentences.

    Attributes
    ----------
    paraphrase : float64 array [cases]
    versions : dict of (kind, level) to (int array [items], float64 array [items])
        The cases that have the version, and its distances.
    """

    paraphrase: np.ndarray
    versions: Mapping[tuple[str, int], tuple[np.ndarray, np.ndarray]]

    def of(self, kind: str, level: int, cases: np.ndarray | None = None) -> np.ndarray:
        """The distances of a kind and level; of the given cases only."""
        found, distance = self.versions[kind, level]
        return distance if cases is None else distance[np.searchsorted(found, cases)]


def distances(task: Localisation, of: Texts, distance: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Distances:
    """The distances of an evaluation corpus.

    Parameters
    ----------
    task : Localisation
    of : Texts
        Its texts.
    distance : callable
        Takes two int arrays of texts and gives their distances, row by row.

    Raises
    ------
    TaskError
        If a distance is not finite.
    """
    base = np.array([case.base for case in task.cases], dtype=np.int64)
    other = np.array([case.paraphrase for case in task.cases], dtype=np.int64)
    found = {}
    for kind in KINDS:
        for level in range(1, 1 + max((version.level for made in task.versions for version in made), default=0)):
            cases = np.array([i for i, s in enumerate(base.tolist()) if (s, kind, level) in of.at], dtype=np.int64)
            if len(cases):
                place = np.array([of.at[s, kind, level] for s in base[cases].tolist()])
                found[kind, level] = (cases, _finite(distance(base[cases], place)))
    return Distances(_finite(distance(base, other)), found)


def _finite(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise TaskError(None, None, f"{int((~np.isfinite(values)).sum())} distances are not finite; see the model")
    return values


@dataclass(frozen=True)
class Share:
    """One of the three shares at one level.

    Attributes
    ----------
    credit : float64 array [items]
        1 where the sentences lie as they should.
    ties : float64 array [items]
        1 where the two distances are equal.
    pairs : int array [items]
        The pair from which each item comes.
    """

    credit: np.ndarray
    ties: np.ndarray
    pairs: np.ndarray

    @property
    def value(self) -> float:
        """The share; NaN where there is no item."""
        return float(self.credit.mean()) if len(self.credit) else math.nan


NEAR, FAR, APART = "synonym <= paraphrase", "antonym > paraphrase", "antonym > synonym"
SHARES = (NEAR, FAR, APART)
"""The metrics of section 5 and the tables of the later draft: larger is better."""
COMPARED = {
    NEAR: (SYNONYM, None), FAR: (ANTONYM, None), APART: (ANTONYM, SYNONYM),
    "random noun <= paraphrase": (RANDOM_NOUN, None), "random verb > paraphrase": (RANDOM_VERB, None),
    "random noun > synonym": (RANDOM_NOUN, SYNONYM), "random verb > antonym": (RANDOM_VERB, ANTONYM),
}  # fmt: skip
"""What each share compares: a kind of version with another, or with the paraphrase."""


def share(task: Localisation, found: Distances, metric: str, level: int) -> Share:
    """One share at one level: equal counts for ``<=`` and not for ``>``.

    Parameters
    ----------
    task : Localisation
    found : Distances
        Rounded, so that what is equal is equal: rounding noise must not break a tie.
    metric : str
        One of `COMPARED`.
    level : int
        Of both kinds, where two are compared.

    Raises
    ------
    TaskError
        For another metric.
    """
    if metric not in COMPARED:
        raise TaskError(None, None, f"no share {metric!r}; there are {', '.join(COMPARED)}")
    kind, against = COMPARED[metric]
    none = np.zeros(0, dtype=np.int64)
    cases = found.versions.get((kind, level), (none, none))[0]
    if against is not None:
        cases = np.intersect1d(cases, found.versions.get((against, level), (none, none))[0])
    if not len(cases):
        return Share(np.zeros(0), np.zeros(0), none)
    first = found.of(kind, level, cases)
    second = found.paraphrase[cases] if against is None else found.of(against, level, cases)
    credit = first <= second if "<=" in metric else first > second
    pairs = np.array([task.cases[case].pair for case in cases.tolist()], dtype=np.int64)
    return Share(credit.astype(np.float64), (first == second).astype(np.float64), pairs)


def by_pair(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Sums over the items of each pair, scaled so that their mean is the mean over items.

    The two directions of a pair share their sentences: a bootstrap or a permutation test must draw them together.

    >>> by_pair(np.array([1.0, 0.0, 1.0]), np.array([4, 4, 9])).tolist()
    [0.6666666666666666, 0.6666666666666666]

    Parameters
    ----------
    values : float array [items]
    pairs : int array [items]

    Returns
    -------
    float64 array [pairs that have items]
    """
    _, which = np.unique(pairs, return_inverse=True)
    sums = np.bincount(which, weights=values)
    return sums * (len(sums) / len(values)) if len(values) else sums


# ---------------------------------------------------------------------------------------------------------- hand check


def for_hand_check(task: Localisation, n: int, seed: int) -> list[tuple[int, Version]]:
    """Altered sentences to look at: n with one noun synonym, n with one verb antonym, of n different base sentences.

    Returns
    -------
    list of (int, Version)
        Number of the base sentence and the version; synonyms first, by number.

    Raises
    ------
    TaskError
        If there are not so many.
    """
    rng, chosen = np.random.default_rng(seed), []
    for kind in (SYNONYM, ANTONYM):
        having = [(s, v) for s, of in enumerate(task.versions) for v in of if (v.kind, v.level) == (kind, 1)]
        if len(having) < n:
            raise TaskError(None, None, f"{len(having)} sentences with one {kind}, {n} asked for; ask for fewer")
        chosen += [having[i] for i in sorted(rng.choice(len(having), n, replace=False).tolist())]
    return chosen
