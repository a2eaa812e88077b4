"""How the sets of relation classification are made: labels of two passes, their agreement, and the paper's own files.

Cheung and Penn (2012), section 3.1, take sentences that Bunescu and Mooney (2007) found for four entity pairs. Those
are not to be had. Banko and Etzioni (2008) published 500 sentences from the same corpus, without labels:

1. :func:`read_labels` reads the labels that were made for this book, by line number, in two passes and adjudicated
2. :func:`agreement` says how far the passes agree
3. :func:`from_banko` joins them with the parsed sentences
4. :func:`load` gives a set by name, of which only pairs with `FEWEST` sentences of each class are scored

Two further sets have one half of the paper's condition each: one place but many persons (:func:`births_and_deaths`),
and one relation but many words (:func:`of_nominals`).

Whoever has the paper's files takes :func:`read_bunescu_mooney`, parses what :func:`to_text` gives, and joins both with
:func:`with_parses`.
"""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import YES_NO, TaskError, positive, read_bytes, read_table
from cdsm_lib.tasks import relation_classification
from cdsm_lib.tasks.relation_classification import RELATIONS, EntityPair, Relations, entity_tokens, grouped, read_marked
from cdsm_lib.text.corpus import Sentence, read_conllu, read_trees

PAPER_COUNTS = {  # relation, pair: sentences that express it, all sentences (Table 2)
    ("acquires", "Pfizer/Rinat Neuroscience"): (41, 50),
    ("acquires", "Yahoo/Inktomi"): (115, 433),
    ("was born in", "Luc Besson/Paris"): (6, 126),
    ("was born in", "Marie Antoinette/Vienna"): (39, 105),
}
FEWEST = 4
"""Sentences of each class that a pair of `relation_banko2008` must have: the paper's smallest set has six."""


# ---------------------------------------------------------------------------------------------------------------------
# Labels


@dataclass(frozen=True)
class Label:
    """The labels of one sentence.

    Parameters
    ----------
    line : int or str
        Line of ``hlt-naacl08-data.txt``, from 1; or the ``sent_id`` in ``google_re.conllu``.
    relation, pair : str
        The pair of entities; or the relation of the snippet, and the place.
    first, second : bool or str
        Of the two independent passes: does the sentence express the relation? Or one of `LIVES`.
    label : bool or str
        The adjudicated one.
    """

    line: int | str
    relation: str
    pair: str
    first: bool | str
    second: bool | str
    label: bool | str


def read_labels(path) -> list[Label]:
    """Read ``relations.tsv``: two passes and the adjudicated label of each sentence, by line number.

    Parameters
    ----------
    path : path
        UTF-8, tab-separated, with the header ``line relation pair first second label``.

    Returns
    -------
    list of Label
        In file order.

    Raises
    ------
    TaskError
        With file and line: for another header, an empty field, a line number that is none or occurs twice, an unknown
        relation, a label other than 0 and 1, a file without rows. Also for a file that is missing or not UTF-8.

    Examples
    --------
    >>> read_labels(annotations("relations.tsv"))[0].pair
    'Google/YouTube'
    """
    kinds = {"line": positive, "relation": RELATIONS, "first": YES_NO, "second": YES_NO, "label": YES_NO}
    columns = ("line", "relation", "pair", "first", "second", "label")
    return [Label(**row) for _, row in read_table(path, columns, kinds, key="line")]


def committed_labels() -> list[Label]:
    """The labels of ``data/annotations/relations.tsv``.

    >>> committed_labels()[0].label
    True
    """
    return read_labels(annotations("relations.tsv"))


def annotations(name: str) -> Path:
    """A file of ``data/annotations``.

    >>> annotations("relations.tsv").name
    'relations.tsv'
    """
    return datasets.data_root() / "annotations" / name


LIVES = ("birth", "death", "both", "neither")
"""What a sentence may say of its person and its place."""


def read_lives(path=None) -> list[Label]:
    """Read ``google_re.tsv``: what each sentence says of its person and place, in two passes and adjudicated.

    Parameters
    ----------
    path : path, optional
        UTF-8, tab-separated, with the header ``sent_id relation place first second label``; by default that of
        ``data/annotations``.

    Returns
    -------
    list of Label
        In file order.

    Raises
    ------
    TaskError
        As in :func:`read_labels`.

    Examples
    --------
    >>> first = read_lives()[0]
    >>> first.pair, first.label
    ('Philadelphia', 'birth')
    """
    kinds = {"relation": LIVES[:2], "first": LIVES, "second": LIVES, "label": LIVES}
    columns = ("sent_id", "relation", "place", "first", "second", "label")
    rows = read_table(path or annotations("google_re.tsv"), columns, kinds, key="sent_id")
    return [Label(*(row[name] for name in columns)) for _, row in rows]


def read_queries(path=None) -> dict[str, str]:
    """Read ``semeval_queries.tsv``: for each relation of SemEval-2010 Task 8 the word with which it is asked for.

    Parameters
    ----------
    path : path, optional
        UTF-8, tab-separated, with the header ``relation first query second word``; by default that of
        ``data/annotations``.

    Returns
    -------
    dict of str to str
        The one content word of each query, ``lemma|UPOS``.

    Raises
    ------
    TaskError
        With file and line: for another header, an empty field, a relation that stands twice.

    Examples
    --------
    >>> read_queries()["Cause-Effect"]
    'cause|VERB'
    """
    columns = ("relation", "first", "query", "second", "word")
    rows = read_table(path or annotations("semeval_queries.tsv"), columns, key="relation")
    return {row["relation"]: row["word"] for _, row in rows}


@dataclass(frozen=True)
class Agreement:
    """How far two passes of labels agree.

    Parameters
    ----------
    sentences : int
    agreed : float
        Share of sentences with the same label in both.
    kappa : float or None
        Cohen's kappa; None where it is undefined, since both passes gave one label throughout.
    adjudicated : int
        Sentences on which the passes differ, so that a third look decided.
    overruled : int
        Sentences on which the passes agree and the final label is the other one.
    expressing : int
        Sentences with the final label that was asked for.
    """

    sentences: int
    agreed: float
    kappa: float | None
    adjudicated: int
    overruled: int
    expressing: int


def agreement(labels: Sequence[Label], expressing: bool | str = True) -> dict[str, Agreement]:
    """Agreement of the two passes: overall, by relation, and by pair.

    Parameters
    ----------
    labels : sequence of Label
    expressing : bool or str
        The final label that is counted.

    Returns
    -------
    dict of str to Agreement
        "overall", then each relation, then each pair, in order of appearance.

    Raises
    ------
    TaskError
        Without labels.

    Examples
    --------
    >>> labels = [Label("a", "buys", "A/B", *found) for found in ((True, True, True), (True, False, False))]
    >>> agreement(labels)["overall"]
    Agreement(sentences=2, agreed=0.5, kappa=0.0, adjudicated=1, overruled=0, expressing=1)
    """
    if not labels:
        raise TaskError(None, None, "no labels, hence no agreement")
    groups = {"overall": list(labels)}
    for field in ("relation", "pair"):
        for label in labels:
            groups.setdefault(getattr(label, field), []).append(label)
    agreed = {}
    for name, group in groups.items():
        first, second, final = np.array([(label.first, label.second, label.label) for label in group]).T
        same = first == second
        kappa = None if same.all() and len(set(first)) == 1 else metrics.cohen_kappa(first, second)
        counts = [int(n.sum()) for n in (~same, same & (final != first), final == expressing)]
        agreed[name] = Agreement(len(group), float(same.mean()), kappa, *counts)
    return agreed


# ---------------------------------------------------------------------------------------------------------------------
# The sets


def from_banko(parses_path, labels: Sequence[Label]) -> Relations:
    """The sentences of Banko and Etzioni (2008) that have a label, by entity pair.

    They sampled 500 sentences from the corpus of Bunescu and Mooney (2007), which the paper used, for other entity
    pairs than the paper's, and published them without labels.

    Parameters
    ----------
    parses_path : path
        ``relation.conllu``: its ``sent_id`` is the line in ``hlt-naacl08-data.txt``.
    labels : sequence of Label
        As from :func:`read_labels`; sentences without a label are left out.

    Returns
    -------
    Relations
        Pairs in the order of `RELATIONS` and then of appearance in the labels, sentences by line.

    Raises
    ------
    TaskError
        If there are no labels, a label's line is not among the parses, a pair has two relations, a sentence has no id
        of its own, or one of its entities is not marked.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    path = Path(parses_path)
    sentences = read_marked(path)
    if not labels:
        raise TaskError(path.name, None, "no labels for these sentences")
    missing = [label.line for label in labels if str(label.line) not in sentences]
    if missing:
        problem = f"{len(missing)} labelled lines, the first {missing[0]}, have no sentence of that id"
        raise TaskError(path.name, None, f"{problem}: labels and parses do not belong together")
    pairs = list(dict.fromkeys(label.pair for label in labels))
    order = sorted(labels, key=lambda label: (RELATIONS.index(label.relation), pairs.index(label.pair), label.line))
    rows = ({"id": str(one.line), "relation": one.relation, "pair": one.pair, "expresses": one.label} for one in order)
    return grouped("relation_banko2008", sentences, rows, FEWEST)


def load(name: str = "relation_banko2008") -> Relations:
    """A set by name.

    Parameters
    ----------
    name : {"relation_banko2008", "relations"}
        Sentences of Banko and Etzioni (2008) with the labels of ``data/annotations/relations.tsv``, of which pairs with
        fewer than `FEWEST` sentences of a class are not scored; or the book's own teaching set.

    Returns
    -------
    Relations

    Raises
    ------
    TaskError
        For another name or a spoilt file.
    cdsm_lib.datasets.DataError
        If the files cannot be had.

    Examples
    --------
    >>> [pair.name for pair in load("relations")][:2]
    ['Tarnwick Foods/Ossel Farms', 'Corvane Media/Pellan Studios']
    """
    if name == "relations":
        return relation_classification.load(name)
    if name == "relation_banko2008":
        return from_banko(datasets.fetch("relation_banko2008", "relation.conllu"), committed_labels())
    raise TaskError(None, None, f"unknown relation set {name!r}; there are relation_banko2008 and relations")


FEWEST_FURTHER = 10
"""Sentences of each class that a place, or a relation in one direction, must have: decided before any figure."""


def births_and_deaths(parses_path, labels: Sequence[Label]) -> Relations:
    """Sentences on births against sentences on deaths in one place, from Google's corpus (Orr 2013).

    As in the paper, all sentences of a set name the same place, so that it cannot help; unlike there, each is about
    another person, whose marked name is blanked out.

    Parameters
    ----------
    parses_path : path
        ``google_re.conllu``.
    labels : sequence of Label
        As from :func:`read_lives`. Births express the relation, deaths do not; other sentences are left out.

    Returns
    -------
    Relations
        A "pair" for each place, in alphabetical order, sentences in the order of the labels.

    Raises
    ------
    TaskError
        If a label's sentence is not among the parses.
    """
    path = Path(parses_path)
    trees = read_trees(path)
    if missing := [label.line for label in labels if label.line not in trees]:
        problem = f"{len(missing)} labelled sentences, the first {missing[0]}, are not there"
        raise TaskError(path.name, None, f"{problem}: labels and parses do not belong together")
    used = sorted((of for of in labels if of.label in LIVES[:2]), key=lambda of: of.pair)
    masked = {of.line: without_entities(trees[of.line], which=(1,)) for of in used}
    rows = [
        {"id": of.line, "relation": "was born in", "pair": of.pair, "expresses": of.label == LIVES[0]} for of in used
    ]
    return grouped("google_re", masked, rows, FEWEST_FURTHER)


def of_nominals(parses_path, *, rest: bool) -> Relations:
    """Sentences of SemEval-2010 Task 8 (Hendrickx et al. 2010) by relation and direction, both nominals blanked out.

    Unlike in the paper, each sentence is about other words, which are no names.

    Parameters
    ----------
    parses_path : path
        ``semeval2010_task8.conllu``.
    rest : bool
        What does not express a relation: every other sentence, the same relation in the other direction too; or,
        without, the sentences labelled *Other* alone.

    Returns
    -------
    Relations
        A "pair" for each relation with its direction, such as "Cause-Effect(e1,e2)", in alphabetical order.

    Raises
    ------
    TaskError
        For a sentence without id or relation.
    """
    path = Path(parses_path)
    trees = read_trees(path)
    named = {own: tree.comments.get("relation") for own, tree in trees.items()}
    if lacking := [own for own, relation in named.items() if not relation]:
        raise TaskError(path.name, None, f"sentence {lacking[0]} has no '# relation ='; get the file again")
    masked, pairs = {own: without_entities(tree) for own, tree in trees.items()}, []
    for name in sorted({*named.values()} - {"Other"}):
        ids = tuple(own for own, relation in named.items() if rest or relation in (name, "Other"))
        expresses = [named[own] == name for own in ids]
        pairs.append(EntityPair(name.partition("(")[0], name, tuple(map(masked.get, ids)), ids, expresses))
    return Relations("semeval2010_task8", tuple(pairs), FEWEST_FURTHER)


def without_entities(sentence: Sentence, which: Container[int] = (1, 2)) -> Sentence:
    """The sentence with its entities blanked out: the tokens stay in the tree, but no model has a word for them.

    >>> from cdsm_lib.text.corpus import Token
    >>> forms = ("Google", "Entity=1"), ("bought", "_"), ("YouTube", "Entity=2")
    >>> sentence = Sentence(tuple(Token(1, form, form, "X", "X", "_", 0, "root", "_", misc) for form, misc in forms))
    >>> [token.form for token in without_entities(sentence)]
    ['_', 'bought', '_']
    """
    blank = {"form": "_", "lemma": "_", "upos": "X"}
    named = zip(sentence, entity_tokens(sentence, which), strict=True)
    return replace(sentence, tokens=tuple(replace(token, **blank) if entity else token for token, entity in named))


def without_variation(relations: Relations, variation: str) -> Relations:
    """The set less the sentences of one kind of variation, such as the teaching set's traps.

    >>> pair, *_ = load("relations")
    >>> kept, *_ = without_variation(load("relations"), "trap")
    >>> sorted(set(pair.variation) - set(kept.variation))
    ['trap']
    """
    pairs = []
    for pair in relations:
        left = [i for i in range(len(pair)) if not pair.variation or pair.variation[i] != variation]
        of_sentences = ("sentences", "ids", "expresses", "variation")
        columns = {
            name: tuple(getattr(pair, name)[i] for i in left) for name in of_sentences if len(getattr(pair, name))
        }
        pairs.append(replace(pair, **columns))
    return Relations(f"{relations.name}, without {variation}s", tuple(pairs), relations.fewest)


# ---------------------------------------------------------------------------------------------------------------------
# The paper's own files


@dataclass(frozen=True)
class RawSentence:
    """A tokenised sentence with two marked entities and a label, not yet parsed.

    Parameters
    ----------
    line : int
        Line of the file, from 1.
    tokens : tuple of str
        Without the marks.
    first, second : tuple of 2 int
        Tokens of ``<p1>`` and of ``<p2>``: from this one, from 0, up to but not including that one.
    expresses : bool
    """

    line: int
    tokens: tuple[str, ...]
    first: tuple[int, int]
    second: tuple[int, int]
    expresses: bool


_LABEL = re.compile(r"([+-]?[0-9]+|true|false)[ \t]+(.*)", re.IGNORECASE)
_LABEL_MEANS = {"1": True, "+1": True, "true": True, "0": False, "-1": False, "false": False}
_MARK = re.compile(r"(</?p[0-9]*>)")


def read_bunescu_mooney(path, *, positive: bool | None = None, encoding: str = "utf-8") -> list[RawSentence]:
    """Read sentences of the corpus of Bunescu and Mooney (2007), one a line, in a form that had to be guessed in part.

    "Learning to Extract Relations from the Web using Minimal Supervision" (ACL 2007). The corpus was not to be had
    for this book, and no description of its files was found. What is certain: the sentences that Banko and Etzioni
    (2008) sampled from it stand one a line, tokens between spaces, the entities marked by ``<p1> </p1>`` and
    ``<p2> </p2>``, without labels. What is **not** verified is how the original files give the label, whether a file
    holds one entity pair or several, and the encoding. Hence two forms are read:

    - the label in front of each line, before a space or tab: ``1``, ``+1`` or ``true``; ``0``, ``-1`` or ``false``;
    - no label in the lines, the whole file being of one class, which `positive` names.

    Any other form is refused. Blank lines are skipped. Spaces around the marks may be missing.

    Parameters
    ----------
    path : path
    positive : bool, optional
        The label of every sentence of the file; by default each line has its own in front.
    encoding : str

    Returns
    -------
    list of RawSentence

    Raises
    ------
    TaskError
        With file and line: for a missing, unknown or ambiguous label (0 and -1 in one file), a mark that is missing,
        doubled, crossed or empty, text in another encoding, a file without sentences.
    """
    path = Path(path)
    sentences, negative = [], None
    for number, raw in enumerate(read_bytes(path).split(b"\n"), 1):
        try:
            text = raw.decode(encoding).strip()
        except UnicodeDecodeError:
            problem = f"not {encoding}; name the file's encoding, as in encoding='latin-1'"
            raise TaskError(path.name, number, problem) from None
        if not text:
            continue
        expresses = positive
        if expresses is None:
            match = _LABEL.fullmatch(text)
            label = match[1].lower() if match else None
            if label not in _LABEL_MEANS:
                problem = "the line must begin with a label, 0, 1, +1, -1, true or false, and a space or tab"
                raise TaskError(path.name, number, f"{problem}; or name the class of the whole file by positive=")
            text, expresses = match[2], _LABEL_MEANS[label]
            if not expresses and negative not in (None, label):
                raise TaskError(path.name, number, f"the label {label} in a file that has {negative}: which is it?")
            negative = negative if expresses else label
        sentences.append(_raw_sentence(path, number, text, expresses))
    if not sentences:
        raise TaskError(path.name, None, "no sentences in the file")
    return sentences


def _raw_sentence(path: Path, number: int, text: str, expresses: bool) -> RawSentence:
    """Take the marks out of a line."""
    tokens, place = [], []
    for part in _MARK.split(text):
        if _MARK.fullmatch(part):
            place.append((part, len(tokens)))
        else:
            tokens += part.split()
    order = [mark for mark, _ in place]
    one, two = ["<p1>", "</p1>"], ["<p2>", "</p2>"]
    if order not in (one + two, two + one):
        problem = "expected <p1> ... </p1> and <p2> ... </p2>, once each and one after the other"
        raise TaskError(path.name, number, f"{problem}, found {' '.join(order) or 'no marks'}")
    spans = [tuple(dict(place)[mark] for mark in marks) for marks in (one, two)]
    for i, (begin, end) in enumerate(spans, 1):
        if begin == end:
            raise TaskError(path.name, number, f"nothing stands between <p{i}> and </p{i}>")
    return RawSentence(number, tuple(tokens), *spans, expresses)


def to_text(sentences: Iterable[RawSentence]) -> str:
    """One sentence a line, a space between tokens, as a parser takes them that is not to tokenise anew.

    Parameters
    ----------
    sentences : iterable of RawSentence

    Returns
    -------
    str

    Examples
    --------
    >>> to_text([RawSentence(1, ("Google", "bought", "YouTube"), (0, 1), (2, 3), True)])
    'Google bought YouTube\\n'
    """
    return "".join(" ".join(sentence.tokens) + "\n" for sentence in sentences)


def with_parses(raw: Sequence[RawSentence], conllu_path, *, relation: str, name: str) -> EntityPair:
    """Join sentences with their parses: labels from here, trees from there, the entities marked in MISC.

    Parameters
    ----------
    raw : sequence of RawSentence
        All of one entity pair.
    conllu_path : path
        The parses of :func:`to_text`, in the same order.
    relation : str
        One of `RELATIONS`.
    name : str
        Of the entity pair.

    Returns
    -------
    EntityPair
        Its ids are the line numbers.

    Raises
    ------
    TaskError
        For an unknown relation, a different number of sentences, or a sentence whose tokens differ.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    path = Path(conllu_path)
    if relation not in RELATIONS:
        raise TaskError(None, None, f"the relation must be {' or '.join(RELATIONS)}, found {relation!r}")
    parses = list(read_conllu(path))
    if len(parses) != len(raw):
        raise TaskError(path.name, None, f"{len(parses)} parses of {len(raw)} sentences; parse to_text(...) again")
    joined = []
    for number, (sentence, parse) in enumerate(zip(raw, parses, strict=True), 1):
        forms, tokens = tuple(token.form for token in parse), list(parse.tokens)
        if forms != sentence.tokens:
            alike = takewhile(lambda both: both[0] == both[1], zip(forms, sentence.tokens, strict=False))
            raise TaskError(
                path.name, None, f"sentence {number} has {len(forms)} tokens, the text (its line {sentence.line}) "
                f"{len(sentence.tokens)}; they part at token {len(list(alike)) + 1}: parse it without tokenising anew"
            )  # fmt: skip
        for i, (begin, end) in enumerate((sentence.first, sentence.second), 1):
            for place in range(begin, end):
                others = [e for e in tokens[place].misc.split("|") if e != "_" and not e.startswith("Entity=")]
                tokens[place] = replace(tokens[place], misc="|".join([*others, f"Entity={i}"]))
        joined.append(replace(parse, tokens=tuple(tokens)))
    ids, expresses = [str(sentence.line) for sentence in raw], [sentence.expresses for sentence in raw]
    return EntityPair(relation, name, tuple(joined), tuple(ids), np.array(expresses, dtype=bool))
