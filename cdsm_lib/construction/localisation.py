"""How White (2015) makes sentences that mean the same, or not: section 3, step by step.

Lyndon White, "A Method for the Evaluation of the Semantic vs Syntactic Localization of Sentence Embeddings" (24 July
2015). The pairs of paraphrases (3.1) and the tokens (3.2) are those of `cdsm_lib.tasks.localisation`.

==============  =======  ===============================================================================
step            section
==============  =======  ===============================================================================
retagged        3.3      a sentence with the tags of another tagger
altered_kind    3.3      which words may be altered: not proper nouns, modals, `AUXILIARIES`
blocked         3.5      words inside a phrase of WordNet
sense_taken     3.6      the most frequent sense
substitutes     3.7      synonyms of a noun, antonyms of a verb
inflected       3.8      the form that the tag asks for
fitted          3.8      the form that SCOWL lists, capitalised as the word was
replace         3.9      the new words in place, and *a* or *an* before them
==============  =======  ===============================================================================

`alterations` does 3.3 to 3.8 for the words of a sentence, `versions` replaces 1, 2, 3 ... of them, `build` is the
whole.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as _replaced
from functools import cache
from operator import attrgetter

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, RANDOM_NOUN, RANDOM_VERB, SYNONYM, Case, Localisation, Pair, Version
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.lexicon import Excerpt, Lexicon, Sense

NOUN, VERB = "noun", "verb"
TAGS = {NOUN: ("NN", "NNS"), VERB: ("VB", "VBD", "VBG", "VBN", "VBZ", "VBP")}
"""The Penn tags of the words that may be altered."""
AS_THE_LEMMA = ("NN", "VB", "VBP")
"""Tags whose form is the dictionary form (Figure 1)."""
AUXILIARIES = frozenset(
    "be am are is was were being can could do did does doing have had has having may might must shall should will "
    "would".split()
)
"""The paper's list (section 3.3), word for word: *been* and *done* are not on it."""
ALTERED = {SYNONYM: NOUN, ANTONYM: VERB, RANDOM_NOUN: NOUN, RANDOM_VERB: VERB}
CONTROL = {SYNONYM: RANDOM_NOUN, ANTONYM: RANDOM_VERB}
FIRST, POOLED = "first", "pooled"
"""Which sense of a word is taken, see `sense_taken`."""


# --------------------------------------------------------------------------------------------- section 3, step by step


def retagged(sentence: Sentence, tags: Sequence[str]) -> Sentence:
    """The sentence with other Penn tags, one a token.

    >>> [token.xpos for token in retagged(untreed(["dogs", "bark"], ["NN", "NN"]), ["NNS", "VBP"])]
    ['NNS', 'VBP']
    """
    tokens = tuple(_replaced(token, xpos=tag) for token, tag in zip(sentence, tags, strict=True))
    return Sentence(tokens, sentence.comments)


def untreed(tokens: Sequence[str], tags: Sequence[str]) -> Sentence:
    """A tagged sentence without a parse: the construction looks at tokens and tags alone.

    >>> [(token.id, token.form, token.xpos) for token in untreed(["Dogs", "bark"], ["NNS", "VBP"])]
    [(1, 'Dogs', 'NNS'), (2, 'bark', 'VBP')]
    """
    numbered = enumerate(zip(tokens, tags, strict=True), 1)
    rows = (Token(i, form, form.lower(), "X", tag, "_", 0, "root", "_", "_") for i, (form, tag) in numbered)
    return Sentence(tuple(rows))


def altered_kind(token: Token) -> str | None:
    """``"noun"`` or ``"verb"`` for a word that may be altered, None for any other (section 3.3).

    Proper nouns (NNP, NNPS), modals (MD) and the `AUXILIARIES` may not.

    >>> sentence = untreed(["dogs", "London", "is", "barks"], ["NNS", "NNP", "VBZ", "VBZ"])
    >>> [altered_kind(token) for token in sentence]
    ['noun', None, None, 'verb']
    """
    if token.xpos in TAGS[NOUN]:
        return NOUN
    return VERB if token.xpos in TAGS[VERB] and token.form.lower() not in AUXILIARIES else None


def blocked(tokens: Sequence[str], lexicon: Lexicon) -> tuple[tuple[int, int], ...]:
    """Phrases of WordNet in a sentence, as (start, stop) (section 3.5).

    A window of three words, then one of two, moves over the sentence. Phrases do not overlap: the longer comes first,
    then the one further left.

    >>> class Known:
    ...     phrase = staticmethod(lambda words: "_".join(words) in ("police_officer", "chief_police_officer"))
    >>> blocked("The chief police officer met a police officer".split(), Known)
    ((1, 4), (6, 8))
    """
    phrases: list[tuple[int, int]] = []
    for width in (3, 2):
        for start in range(len(tokens) - width + 1):
            stop = start + width
            free = all(stop <= a or b <= start for a, b in phrases)
            if free and lexicon.phrase(tokens[start:stop]):
                phrases.append((start, stop))
    return tuple(sorted(phrases))


def sense_taken(senses: Sequence[Sense], sense: str = FIRST) -> Sense | None:
    """The sense whose words are taken (section 3.6; 3.7.1 speaks of all senses); None of a word that has none.

    "first": the most frequent sense, arg max of the word's count in SemCor, the first of several in WordNet's order;
    "pooled": the sense whose words together are the most frequent, as a version of the author's code has it
    (oxinabox/phd at 10f5799d, SemanticCorruption.py).

    >>> senses = Sense("bank.n.01", 9, ("bank",), total=9), Sense("deposit.n.02", 5, ("bank", "deposit"), total=20)
    >>> [sense_taken(senses, sense).name for sense in (FIRST, POOLED)]
    ['bank.n.01', 'deposit.n.02']
    """
    return max(senses, key=attrgetter("count" if sense == FIRST else "total"), default=None)


def substitutes(lemma: str, kind: str, senses: Iterable[Sense]) -> tuple[str, ...]:
    """What may replace a word (section 3.7), each lemma once: a noun's synonyms, a verb's antonyms; never a phrase.

    WordNet's antonymy holds between words. As in the example of section 4, the antonyms of all words of a synset are
    taken: *remained*, synonym of *stayed*, becomes *changed*.

    >>> substitutes("car", NOUN, [Sense("car.n.01", 9, ("car", "auto", "motor_car"))])
    ('auto',)
    >>> substitutes("stay", VERB, [Sense("stay.v.01", 9, ("stay", "remain"), (("remain", "change"), ("stay", "move")))])
    ('change', 'move')
    """
    if kind == NOUN:
        others = [other for sense in senses for other in sense.lemmas]
    else:
        others = [other for sense in senses for _, other in sense.antonyms]
    return tuple(dict.fromkeys(other for other in others if "_" not in other and other.lower() != lemma))


@cache
def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms that a Penn tag asks for, the usual one first (section 3.8 and Figure 1).

    NN, VB and VBP take the lemma itself: the paper's rule, since forms of *be* are excluded. The others come from
    LemmInflect, for the paper's Pattern.en.

    >>> inflected("fall", "VBD"), inflected("automobile", "NNS"), inflected("fall", "VBP")
    (('fell',), ('automobiles',), ('fall',))
    """
    if tag in AS_THE_LEMMA:
        return (lemma,)
    from lemminflect import getInflection  # its tables take a second to load

    return tuple(getInflection(lemma, tag))


def fitted(lemma: str, token: Token, lexicon: Lexicon) -> str | None:
    """A substitute in the form of the word that it replaces (section 3.8).

    The first of its forms that SCOWL lists, with an initial capital if the word has one; None if SCOWL lists none, or
    if it is the very word again. (The paper matches lower case, too, which makes *tV* of *TV*.)

    >>> class Scowl:
    ...     valid = staticmethod(lambda form: form in ("automobiles", "cars"))
    >>> cars = untreed(["Cars"], ["NNS"]).tokens[0]
    >>> fitted("automobile", cars, Scowl), fitted("car", cars, Scowl)
    ('Automobiles', None)
    """
    form = next((form for form in inflected(lemma, token.xpos) if lexicon.valid(form)), None)
    if form is None or form.lower() == token.form.lower():
        return None
    return _capitalised_as(token, form)


def _capitalised_as(token: Token, form: str) -> str:
    return form[0].upper() + form[1:] if token.form[0].isupper() else form


def article_before(word: str) -> str:
    """*a* or *an*, by the sound of the word (section 3.9): *an honest man*, *a unit of measure*.

    >>> [article_before(word) for word in ("honest", "unit", "automobile", "car")]
    ['an', 'a', 'an', 'a']
    """
    return _speaker().a(word).split(" ", 1)[0]


@cache
def _speaker():
    from unittest.mock import patch

    with patch("typeguard.typechecked", lambda function: function):  # or inflect compiles its checks, 1.5 seconds
        import inflect
    return inflect.engine()


def replace(tokens: Sequence[str], changes: Mapping[int, str]) -> tuple[str, ...]:
    """The sentence with new words, and the indefinite article in front of each of them mended (section 3.9).

    Other articles are left alone, even wrong ones; so is a new word in front of a new word, whatever it replaces.
    Case is kept: *A car* becomes *An automobile*.

    >>> replace("A car hit a old tree .".split(), {1: "automobile"})
    ('An', 'automobile', 'hit', 'a', 'old', 'tree', '.')
    """
    new = list(tokens)
    for position, word in changes.items():
        new[position] = word
        before = tokens[position - 1] if position and position - 1 not in changes else ""
        if before.lower() in ("a", "an"):
            article = article_before(word)
            new[position - 1] = article.capitalize() if before[0].isupper() else article
    return tuple(new)


# ------------------------------------------------------------------------------------------ what can be altered, and is


STEPS = (
    "tokens", "common nouns and verbs", "no auxiliary", "outside phrases", "known to WordNet", "with a substitute",
    "substitute has a valid form",
)  # fmt: skip
"""The steps of the funnel, each a condition on a token that passed the one before."""


@dataclass(frozen=True)
class Alteration:
    """A word that can be altered: its place, "noun" or "verb", and the (lemma, form) that may stand there instead."""

    position: int
    kind: str
    options: tuple[tuple[str, str], ...]


def alterations(
    sentence: Sentence, lexicon: Lexicon, sense: str = FIRST, funnel: Counter | None = None
) -> tuple[Alteration, ...]:
    """The alterable nouns and verbs of a sentence with Penn tags, with all that may replace them.

    Tokens are counted in `funnel`, if there is one, under (step, kind); the steps are `STEPS`.

    >>> from cdsm_lib import datasets
    >>> lexicon = Excerpt.load(datasets.sample_path("paraphrases") / "facts.json")
    >>> sentence = untreed("The court permitted the election".split(), ["DT", "NN", "VBD", "DT", "NN"])
    >>> for word in alterations(sentence, lexicon):  # *election* has no synonym
    ...     print([form for _, form in word.options])
    ['tribunal', 'judicature']
    ['forbade', 'disallowed']
    """
    phrases = blocked(localisation.forms(sentence), lexicon)
    inside = {i for start, stop in phrases for i in range(start, stop)}
    alterable = []
    for i, token in enumerate(sentence):
        reached, kind, options = _fate(token, i in inside, lexicon, sense)
        if funnel is not None:
            funnel.update((step, kind) for step in STEPS[: reached + 1])
        if options:
            alterable.append(Alteration(i, kind, options))
    return tuple(alterable)


def _fate(token: Token, inside: bool, lexicon: Lexicon, sense: str) -> tuple[int, str | None, tuple]:
    """The last of `STEPS` that a token passes, its kind, and what may replace it."""
    kind = next((kind for kind, tags in TAGS.items() if token.xpos in tags), None)
    if kind is None:
        return 0, None, ()
    if altered_kind(token) is None:
        return 1, kind, ()
    if inside:
        return 2, kind, ()
    lemma = lexicon.lemma(token.form, kind)
    if lemma is None:
        return 3, kind, ()
    taken = sense_taken(lexicon.senses(lemma, kind), sense)
    others = substitutes(lemma, kind, [taken] if taken else [])
    if not others:
        return 4, kind, ()
    options = tuple((other, form) for other in others if (form := fitted(other, token, lexicon)) is not None)
    return (6 if options else 5), kind, options


def versions(
    sentence: Sentence, kind: str, options: Mapping[int, Sequence[tuple[str, str]]], rng: np.random.Generator
) -> tuple[Version, ...]:
    """The versions of a sentence with 1, 2, 3 ... words replaced, each keeping the changes of the one before.

    `options` has the (lemma, form) that may stand in each place; `rng` shuffles the places and draws one option of
    each.

    >>> sentence = untreed("A cat saw a dog".split(), ["DT", "NN", "VBD", "DT", "NN"])
    >>> options = {1: [("animal", "animal")], 4: [("hound", "hound")]}
    >>> [" ".join(version.tokens) for version in versions(sentence, SYNONYM, options, np.random.default_rng(0))]
    ['An animal saw a dog', 'An animal saw a hound']
    """
    order = rng.permutation(sorted(options)).tolist() if options else []
    drawn = {position: options[position][rng.integers(len(options[position]))] for position in order}
    return _by_level(sentence, kind, drawn)


def _by_level(sentence: Sentence, kind: str, drawn: Mapping[int, tuple[str, str]]) -> tuple[Version, ...]:
    """The versions with the first, the first two ... of these words replaced, by (lemma, form)."""
    tokens, by_level = localisation.forms(sentence), []
    for level in range(1, len(drawn) + 1):
        words = list(drawn.items())[:level]
        altered = replace(tokens, {position: form for position, (_, form) in words})
        by_level.append(Version(kind, level, altered, tuple((position, lemma) for position, (lemma, _) in words)))
    return tuple(by_level)


def words_by_tag(sentences: Iterable[Sentence]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The alterable words of the sentences by their tag, as (lemma, form), for the random controls.

    Each as often as it occurs, in order: a word drawn from them is as frequent as words of that tag are.

    >>> words_by_tag([untreed(["Dogs", "bark"], ["NNS", "VBP"])])
    {'NNS': (('dogs', 'dogs'),), 'VBP': (('bark', 'bark'),)}
    """
    words: dict[str, list[tuple[str, str]]] = {}
    for sentence in sentences:
        for token in sentence:
            if altered_kind(token):
                words.setdefault(token.xpos, []).append((token.lemma, token.form.lower()))
    return {tag: tuple(of_tag) for tag, of_tag in words.items()}


def _controls(sentence: Sentence, kind: str, like: Sequence[Version], pool: Mapping, rng) -> tuple[Version, ...]:
    """The same words as in the versions `like` replaced by random ones of the same tag.

    One number is drawn for a word, whatever the pool, so that what is drawn next does not depend on other sentences.
    Where it draws the word itself, the next other word of the pool is taken; where there is none, the word stays.
    """
    drawn = {}
    for position, _ in like[-1].changes if like else ():
        token = sentence.tokens[position]
        others = pool[token.xpos]
        start = int(rng.random(dtype=np.float32) * len(others))
        around = (others[(start + step) % len(others)] for step in range(len(others)))
        lemma, form = next((word for word in around if word[1] != token.form.lower()), others[start])
        drawn[position] = (lemma, _capitalised_as(token, form))
    return _by_level(sentence, kind, drawn)


# ---------------------------------------------------------------------------------------------------------- the whole


def build(
    dataset: str,
    pairs: Sequence[Pair],
    parsed: Mapping[str, Sentence],
    lexicon: Lexicon,
    *,
    sense: str = FIRST,
    seed: int,
    most: int = 9,
    progress: Callable = iter,
) -> Localisation:
    """The construction of section 3 for all pairs, both directions, up to `most` words replaced.

    `parsed` has the sentence of each id, with the Penn tags to go by. A sentence's synonyms and antonyms depend on the
    seed and on the sentence's words, not on what stands around it; random controls are drawn from the words of all
    sentences. `progress` wraps the sentences, as ``tqdm`` does.

    >>> from cdsm_lib import datasets
    >>> from cdsm_lib.tasks.localisation import load
    >>> lexicon = Excerpt.load(datasets.sample_path("paraphrases") / "facts.json")
    >>> pairs, parsed = load("paraphrases")
    >>> len(build("paraphrases", pairs[:2], parsed, lexicon, seed=0))  # two pairs, both directions
    4
    """
    words = {id: localisation.forms(parsed[id]) for pair in pairs for id in pair.ids}
    sentences: dict[tuple[str, ...], Sentence] = {}  # each once
    for id in words:
        sentences.setdefault(words[id], parsed[id])
    number, cases = {words: s for s, words in enumerate(sentences)}, []
    for pair in pairs:
        first, second = (number[words[id]] for id in pair.ids)
        cases += [Case(first, second), Case(second, first)]
    pool, times = words_by_tag(sentences.values()), Counter(case.base for case in cases)
    versions_of, total = [], Counter()
    for s, (forms, sentence) in enumerate(progress(list(sentences.items()))):
        funnel: Counter = Counter()
        rng = np.random.default_rng([seed, zlib.crc32(" ".join(forms).encode())])
        alterable = alterations(sentence, lexicon, sense, funnel)
        total.update({step: n * times[s] for step, n in funnel.items()})
        altered: list[Version] = []
        for kind in (SYNONYM, ANTONYM):
            options = {word.position: word.options for word in alterable if word.kind == ALTERED[kind]}
            changed = versions(sentence, kind, options, rng)
            altered += [*changed, *_controls(sentence, CONTROL[kind], changed, pool, rng)]
        versions_of.append(tuple(version for version in altered if version.level <= most))
    return Localisation(dataset, tuple(sentences.values()), tuple(cases), tuple(versions_of), total, sense)


def for_hand_check(task: Localisation, n: int, seed: int) -> list[tuple[int, Version]]:
    """Altered sentences to look at: n with one noun synonym, n with one verb antonym, of n different base sentences.

    Gives the number of the base sentence and the version; synonyms first, by number.

    >>> base, word = untreed(["Dogs", "bark"], ["NNS", "VBP"]), Version(SYNONYM, 1, ("Hounds", "bark"), ((0, "hound"),))
    >>> verb = Version(ANTONYM, 1, ("Dogs", "hush"), ((1, "hush"),))
    >>> task = Localisation("mine", (base,), (Case(0, 0),), ((word, verb),))
    >>> [(base, " ".join(version.tokens)) for base, version in for_hand_check(task, 1, seed=0)]
    [(0, 'Hounds bark'), (0, 'Dogs hush')]
    """
    rng, sampled = np.random.default_rng(seed), []
    for kind in (SYNONYM, ANTONYM):
        having = [(s, v) for s, altered in enumerate(task.versions) for v in altered if (v.kind, v.level) == (kind, 1)]
        sampled += [having[i] for i in sorted(rng.choice(len(having), n, replace=False).tolist())]
    return sampled


CHECKED = 50
"""Sentences of each kind in the hand check."""
CHECK_COLUMNS = ("item", "sentence", "kind", "position", "text", "grammatical_1", "meaning_1", "grammatical_2",
                 "meaning_2", "grammatical", "meaning")  # fmt: skip


def read_hand_check(task: Localisation, path=None, seed: int = 2016) -> list[dict]:
    """The judgements of `CHECKED` sentences of each kind, by `CHECK_COLUMNS`, if they are about the sentences made now.

    The file names sentences by MSRPC's ids, and has a hash of the altered text, not the text. Two annotators judged
    each sentence; the last two columns hold what was settled on.

    Raises
    ------
    TaskError
        For a line that is not as it should be, or sentences that are no longer those that were judged.
    """
    path = path or datasets.data_root() / "annotations" / "msrpc_altered.tsv"
    rows = read_table(path, CHECK_COLUMNS, dict.fromkeys(CHECK_COLUMNS[5:], YES_NO))
    judged = for_hand_check(task, CHECKED, seed)
    if len(rows) != len(judged):
        raise TaskError(path.name, None, f"{len(rows)} judgements, {len(judged)} sentences; take the file again")
    for item, ((line, row), (sentence, version)) in enumerate(zip(rows, judged, strict=True), 1):
        if list(row.values())[:5] != check_fields(item, task, sentence, version):
            raise TaskError(path.name, line, "the construction now makes another sentence; judge it again")
    return [row for _, row in rows]


def check_fields(item: int, task: Localisation, sentence: int, version: Version) -> list[str]:
    """What says which sentence was judged.

    >>> word = Version(SYNONYM, 1, ("Hounds", "bark"), ((0, "hound"),))
    >>> check_fields(1, Localisation("mine", (untreed(["Dogs", "bark"], ["NNS", "VBP"]),), (), ()), 0, word)
    ['1', '', 'synonym', '0', 'daa4cab4587e']
    """
    text = hashlib.sha256(" ".join(version.tokens).encode()).hexdigest()[:12]
    id = task.sentences[sentence].comments.get("sent_id", "")
    return [str(item), id, version.kind, str(version.changes[0][0]), text]


# ------------------------------------------------------------------------------------------------------------- excerpt


FUNCTION_TAGS = ("DT", "IN", "CC", "PRP", "PRP$", "TO", "MD", "WDT", "WP", "WP$", "WRB", "EX", "PDT", "POS", "RP")


def excerpt(sentences: Iterable[Sentence], lexicon: Lexicon) -> Excerpt:
    """All that the construction may ask about the words of parsed sentences, whatever tagger and sense it takes.

    Every word that the parser does not take for a function word is asked for as a noun and as a verb, in all senses,
    and its substitutes in every form.

    >>> from cdsm_lib import datasets
    >>> lexicon = Excerpt.load(datasets.sample_path("paraphrases") / "facts.json")
    >>> sorted(excerpt([untreed(["The", "court"], ["DT", "NN"])], lexicon).lemmas)
    ['court|noun', 'court|verb']
    """
    answers, seen = Excerpt(source=lexicon), set()
    for sentence in sentences:
        blocked(localisation.forms(sentence), answers)
        for token in sentence:
            is_word = any(character.isalpha() for character in token.form)  # 7-year-old is one, 300 is not
            if token.xpos in FUNCTION_TAGS or token.form.lower() in seen or not is_word:
                continue
            seen.add(token.form.lower())
            for kind, tags in TAGS.items():
                lemma = answers.lemma(token.form, kind)
                senses = answers.senses(lemma, kind) if lemma else ()
                for other in substitutes(lemma or "", kind, senses):
                    for tag in tags:
                        fitted(other, _replaced(token, xpos=tag), answers)
    return answers
