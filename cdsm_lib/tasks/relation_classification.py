r"""Relation classification: do sentences that express the same relation come out as similar?

Task 1 of Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant Inference"
(EACL 2012), sections 3.1 and 4.3. For a relation, such as *X acquires Y*, and one *entity pair*, such as
*Google/YouTube*, there are sentences that name both entities. Some of them express the relation, others do not. A
system gives every two sentences a similarity. Two that both express the relation should come out as more similar than
two of which only one does.

Conventions
-----------
A *pair* is an entity pair throughout, unless sentence pairs are named. ``relation`` is one of ``RELATIONS``. A
similarity is a symmetric float64 array [sentences, sentences] in the order of ``EntityPair.sentences``; higher is more
similar; its diagonal is not looked at. NaN is refused: a system decides for itself what a sentence without a vector
gets, and says so. The tokens of both entities carry ``Entity=1`` or ``Entity=2`` in MISC (:func:`entity_tokens`), so
that a system can leave out what all sentences of a pair share.

Construction (section 3.1)
--------------------------
With :math:`E` the sentences that express the relation and :math:`NE` the others (:func:`high_and_low`),

.. math:: H = E \times E \setminus \{(e, e)\}, \quad L = E \times NE

read_labels           labels by line number, made for this book in two passes and adjudicated
agreement             how far the two passes agree
from_banko            the sentences of Banko and Etzioni (2008) with these labels
load                  a set by name: that one, or the teaching set
read_bunescu_mooney   the files that the paper used, if you have them
to_text, with_parses  their way to the parser and back

Metrics
-------
score, score_all      AUC of H against L for each pair, and its average over pairs (Table 1)
resample_weights      bootstrap over *sentences*: sentence pairs share sentences and are not independent
bootstrap_auc         AUC of each resample
bootstrap             the same for every pair of a set
"""

import difflib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.corpus import Sentence, Token, read_conllu

RELATIONS = ("acquires", "was born in")
PAPER_COUNTS = {  # relation, pair: sentences that express it, all sentences (Table 2)
    ("acquires", "Pfizer/Rinat Neuroscience"): (41, 50),
    ("acquires", "Yahoo/Inktomi"): (115, 433),
    ("was born in", "Luc Besson/Paris"): (6, 126),
    ("was born in", "Marie Antoinette/Vienna"): (39, 105),
}
FEWEST = 4
"""Sentences of each class that a pair of `relation_banko2008` must have: the paper's smallest set has six."""
LABEL_COLUMNS = ("line", "relation", "pair", "first", "second", "label")
TEACHING_COLUMNS = ("id", "relation", "pair", "expresses", "variation")
_SYMMETRIC = 1e-9  # how far a similarity may differ from its transpose
_BATCH = 1_000_000  # weights of sentence pairs that are held at a time, 8 bytes each, in some five arrays


class RelationError(TaskError):
    """A file, a pair or a similarity that does not fit relation classification; see `TaskError`."""


@dataclass(frozen=True, eq=False)
class EntityPair:
    """The sentences of one relation and entity pair.

    Parameters
    ----------
    relation : str
        "acquires" or "was born in".
    name : str
        Such as "Google/YouTube".
    sentences : tuple of Sentence
    ids : tuple of str
        One a sentence, all different.
    expresses : bool array [sentences]
        Whether the sentence expresses the relation of these entities.
    variation : tuple of str
        How the sentence puts it, in the teaching set; else empty.

    Raises
    ------
    RelationError
        For unequal lengths or an id that occurs twice.
    """

    relation: str
    name: str
    sentences: tuple[Sentence, ...]
    ids: tuple[str, ...]
    expresses: np.ndarray
    variation: tuple[str, ...] = ()

    def __post_init__(self):
        expresses = np.array(self.expresses, dtype=bool)
        expresses.flags.writeable = False
        object.__setattr__(self, "expresses", expresses)
        n = len(self.sentences)
        if expresses.shape != (n,) or len(self.ids) != n or len(self.variation) not in (0, n):
            raise RelationError(
                None, None, f"{self.name}: {n} sentences, {len(self.ids)} ids, labels {expresses.shape}: one a sentence"
            )
        if len(set(self.ids)) != n:
            raise RelationError(None, None, f"{self.name}: {n - len(set(self.ids))} ids occur twice; give each its own")

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def n_positive(self) -> int:
        """Sentences that express the relation."""
        return int(self.expresses.sum())


def _lacks(expresses: np.ndarray, fewest: int = 1) -> str:
    """Why H or L is empty, or rests on too few sentences; the empty string if neither is so."""
    positive, negative = int(expresses.sum()), int((~expresses).sum())
    reasons = []
    if positive < max(2, fewest):
        reasons.append(f"{positive} sentences that express the relation, {max(2, fewest)} needed")
    if negative < fewest:
        reasons.append(f"{negative} sentences that do not, {fewest} needed")
    return "; ".join(reasons)


@dataclass(frozen=True, eq=False)
class Relations:
    """A set of entity pairs.

    Parameters
    ----------
    name : str
    pairs : tuple of EntityPair
        With different names.
    fewest : int
        Sentences of each class that a pair must have to be scored. AUC is defined from two that express the relation
        and one that does not, but then it hangs on that one sentence.

    Attributes
    ----------
    usable : tuple of EntityPair
        Those that are scored.
    unusable : dict of str to str
        Names of the others, and why they are not.

    Raises
    ------
    RelationError
        If a name occurs twice.
    """

    name: str
    pairs: tuple[EntityPair, ...]
    fewest: int = 1

    def __post_init__(self):
        names = [pair.name for pair in self.pairs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise RelationError(None, None, f"{self.name}: the pair {twice} occurs twice; a pair has one relation")

    def __iter__(self) -> Iterator[EntityPair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def pair(self, name: str) -> EntityPair:
        """The pair of that name; `RelationError` if there is none."""
        for pair in self.pairs:
            if pair.name == name:
                return pair
        known = [pair.name for pair in self.pairs]
        near = difflib.get_close_matches(name, known, n=1)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        raise RelationError(None, None, f"{self.name} has no pair {name!r}.{guess} It has: {', '.join(known)}")

    @cached_property
    def usable(self) -> tuple[EntityPair, ...]:
        """The pairs of entities with enough sentences of both classes to be scored."""
        return tuple(pair for pair in self.pairs if not _lacks(pair.expresses, self.fewest))

    @cached_property
    def unusable(self) -> dict[str, str]:
        """The other pairs, each with the reason why it is not scored."""
        reasons = {pair.name: _lacks(pair.expresses, self.fewest) for pair in self.pairs}
        return {name: reason for name, reason in reasons.items() if reason}


# ---------------------------------------------------------------------------------------------------------------------
# Entities


def _entity_of(token: Token) -> int:
    """1 or 2 for a token of that entity, 0 for any other."""
    for entry in token.misc.split("|"):
        key, _, value = entry.partition("=")
        if key == "Entity":
            if value not in ("1", "2"):
                raise RelationError(None, None, f"Entity={value} on {token.form!r}: the entities are numbered 1 and 2")
            return int(value)
    return 0


def entity_tokens(sentence: Sentence) -> np.ndarray:
    """Which tokens belong to one of the two entities, by ``Entity=1`` or ``Entity=2`` in MISC.

    Parameters
    ----------
    sentence : Sentence

    Returns
    -------
    bool array [tokens]

    Raises
    ------
    RelationError
        For another number of an entity.
    """
    return np.array([_entity_of(token) > 0 for token in sentence], dtype=bool)


def _sentences_by_id(path: Path) -> dict[str, Sentence]:
    """Sentences of a CoNLL-U file by their ``sent_id``; each must have one of its own, and both entities."""
    found: dict[str, Sentence] = {}
    for number, sentence in enumerate(read_conllu(path), 1):
        own = sentence.comments.get("sent_id")
        if not own or own in found:
            problem = f"has sent_id {own!r} of an earlier one" if own else "has no '# sent_id ='"
            raise RelationError(path.name, None, f"sentence {number} {problem}; give each its own")
        entities = {_entity_of(token) for token in sentence}
        if not {1, 2} <= entities:
            missing = " and ".join(f"Entity={i}" for i in (1, 2) if i not in entities)
            raise RelationError(path.name, None, f"sentence {own}: no token has {missing} in MISC; mark both entities")
        found[own] = sentence
    return found


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and fields of each row of a tab-separated file with exactly this header."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RelationError(path.name, None, f"cannot be read ({error.strerror}); fetch the set again") from None
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
        raise RelationError(path.name, None, problem) from None
    header = "<tab>".join(columns)
    if not lines or lines[0].split("\t") != list(columns):
        found = lines[0] if lines else "nothing"
        raise RelationError(path.name, 1, f"the header must be {header}, found {found!r}")
    if len(lines) == 1:
        raise RelationError(path.name, None, "no rows below the header")
    for number, text in enumerate(lines[1:], 2):
        fields = text.split("\t")
        if len(fields) != len(columns) or not all(field.strip() for field in fields):
            raise RelationError(path.name, number, f"expected {len(columns)} filled fields, {header}, in {text!r}")
        yield number, dict(zip(columns, fields, strict=True))


def _zero_or_one(path: Path, number: int, row: Mapping[str, str], column: str) -> bool:
    if row[column] not in ("0", "1"):
        raise RelationError(path.name, number, f"{column} must be 0 or 1, found {row[column]!r}")
    return row[column] == "1"


def _check_relation(path: Path, number: int, row: Mapping[str, str], relation_of: dict[str, str]) -> None:
    """Raise unless the relation is known and the pair has no other one so far."""
    relation, pair = row["relation"], row["pair"]
    if relation not in RELATIONS:
        raise RelationError(path.name, number, f"the relation must be {' or '.join(RELATIONS)}, found {relation!r}")
    if relation_of.setdefault(pair, relation) != relation:
        raise RelationError(path.name, number, f"{pair} has the relation {relation!r}, above {relation_of[pair]!r}")


# ---------------------------------------------------------------------------------------------------------------------
# Labels


@dataclass(frozen=True)
class Label:
    """The labels of one sentence.

    Parameters
    ----------
    line : int
        Line of ``hlt-naacl08-data.txt``, from 1.
    relation, pair : str
    first, second : bool
        Of the two independent passes: does the sentence express the relation?
    label : bool
        The adjudicated one.
    """

    line: int
    relation: str
    pair: str
    first: bool
    second: bool
    label: bool


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
    RelationError
        With file and line: for another header, an empty field, a line number that is none or occurs twice, an unknown
        relation, a pair with two relations, a label other than 0 and 1, a file without rows. Also for a file
        that is missing or not UTF-8.
    """
    path = Path(path)
    labels, seen, relation_of = [], {}, {}
    for number, row in _rows(path, LABEL_COLUMNS):
        line = row["line"]
        if not re.fullmatch(r"[1-9][0-9]*", line):
            raise RelationError(path.name, number, f"line must be a number from 1, found {line!r}")
        if line in seen:
            raise RelationError(path.name, number, f"line {line} is labelled already in line {seen[line]}; keep one")
        seen[line] = number
        _check_relation(path, number, row, relation_of)
        passes = (_zero_or_one(path, number, row, column) for column in ("first", "second", "label"))
        labels.append(Label(int(line), row["relation"], row["pair"], *passes))
    return labels


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
        Sentences whose final label is 1.
    """

    sentences: int
    agreed: float
    kappa: float | None
    adjudicated: int
    overruled: int
    expressing: int


def agreement(labels: Sequence[Label]) -> dict[str, Agreement]:
    """Agreement of the two passes: overall, by relation, and by pair.

    Parameters
    ----------
    labels : sequence of Label

    Returns
    -------
    dict of str to Agreement
        "overall", then each relation, then each pair, in order of appearance.

    Raises
    ------
    RelationError
        Without labels.
    """
    if not labels:
        raise RelationError(None, None, "no labels, hence no agreement")
    groups = {"overall": list(labels)}
    for field in ("relation", "pair"):
        for label in labels:
            groups.setdefault(getattr(label, field), []).append(label)
    return {name: _agreement(group) for name, group in groups.items()}


def _agreement(labels: Sequence[Label]) -> Agreement:
    first = np.array([label.first for label in labels])
    second = np.array([label.second for label in labels])
    final = np.array([label.label for label in labels])
    one_label = len(set(first) | set(second)) == 1
    return Agreement(
        sentences=len(labels),
        agreed=float(np.mean(first == second)),
        kappa=None if one_label else metrics.cohen_kappa(first, second),
        adjudicated=int(np.sum(first != second)),
        overruled=int(np.sum((first == second) & (final != first))),
        expressing=int(final.sum()),
    )


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
    RelationError
        If there are no labels, a label's line is not among the parses, a sentence has no id of its own, or one of its
        entities is not marked.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    path = Path(parses_path)
    sentences = _sentences_by_id(path)
    if not labels:
        raise RelationError(path.name, None, "no labels for these sentences")
    missing = [label.line for label in labels if str(label.line) not in sentences]
    if missing:
        raise RelationError(
            path.name, None, f"{len(missing)} labelled lines, the first {missing[0]}, have no sentence of that id: "
            "labels and parses do not belong together"
        )  # fmt: skip
    groups: dict[tuple[str, str], list[Label]] = {}
    for label in sorted(labels, key=lambda label: RELATIONS.index(label.relation)):
        groups.setdefault((label.relation, label.pair), []).append(label)
    pairs = []
    for (relation, name), group in groups.items():
        group.sort(key=lambda label: label.line)
        ids = tuple(str(label.line) for label in group)
        expresses = np.array([label.label for label in group])
        pairs.append(EntityPair(relation, name, tuple(sentences[i] for i in ids), ids, expresses))
    return Relations("relation_banko2008", tuple(pairs))


def read_teaching_set(folder) -> Relations:
    """The book's own sentences, from ``sentences.tsv`` and ``relations.conllu``.

    Parameters
    ----------
    folder : path
        ``sentences.tsv`` is tab-separated with the header ``id relation pair expresses variation``;
        ``relations.conllu`` has a sentence for each of its rows, ``# sent_id =`` its id.

    Returns
    -------
    Relations
        Pairs and sentences in file order; its name is "relations".

    Raises
    ------
    RelationError
        With file and line: for another header, an empty field, an id that occurs twice, an unknown relation, a pair
        with two relations, a label other than 0 and 1, ids that differ between the files, an unmarked entity.
    cdsm_lib.text.corpus.ConlluError
        If the parses are not good CoNLL-U.
    """
    table, parses = Path(folder) / "sentences.tsv", Path(folder) / "relations.conllu"
    sentences = _sentences_by_id(parses)
    seen: dict[str, int] = {}
    relation_of: dict[str, str] = {}
    groups: dict[tuple[str, str], list[tuple[str, bool, str]]] = {}
    for number, row in _rows(table, TEACHING_COLUMNS):
        own = row["id"]
        if own in seen:
            raise RelationError(table.name, number, f"id {own} stands already in line {seen[own]}")
        if own not in sentences:
            raise RelationError(table.name, number, f"{parses.name} has no sentence {own}; parse the sentences again")
        seen[own] = number
        _check_relation(table, number, row, relation_of)
        expresses = _zero_or_one(table, number, row, "expresses")
        groups.setdefault((row["relation"], row["pair"]), []).append((own, expresses, row["variation"]))
    strangers = [own for own in sentences if own not in seen]
    if strangers:
        raise RelationError(parses.name, None, f"{len(strangers)} sentences, the first {strangers[0]}, are not in "
                            f"{table.name}; parse the sentences again")  # fmt: skip
    pairs = []
    for (relation, name), group in groups.items():
        ids, expresses, variation = zip(*group, strict=True)
        pairs.append(
            EntityPair(relation, name, tuple(sentences[own] for own in ids), ids, np.array(expresses), variation)
        )
    return Relations("relations", tuple(pairs))


def committed_labels() -> list[Label]:
    """The labels of ``data/annotations/relations.tsv``."""
    return read_labels(datasets.data_root() / "annotations" / "relations.tsv")


def without_entities(sentence: Sentence) -> Sentence:
    """The sentence with its two entities blanked out: the tokens stay in the tree, but no model has a word for them."""
    named = entity_tokens(sentence)
    tokens = (
        replace(token, form="_", lemma="_", upos="X") if entity else token
        for token, entity in zip(sentence, named, strict=True)
    )
    return replace(sentence, tokens=tuple(tokens))


def without_variation(relations: Relations, variation: str) -> Relations:
    """The set less the sentences of one kind of variation, such as the teaching set's traps."""
    pairs = []
    for pair in relations:
        kept = [i for i, kind in enumerate(pair.variation or [""] * len(pair)) if kind != variation]
        sentences, ids = (tuple(of[i] for i in kept) for of in (pair.sentences, pair.ids))
        kinds = tuple(pair.variation[i] for i in kept) if pair.variation else ()
        pairs.append(replace(pair, sentences=sentences, ids=ids, expresses=pair.expresses[kept], variation=kinds))
    return Relations(f"{relations.name}, without {variation}s", tuple(pairs), relations.fewest)


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
    RelationError
        For another name or a spoilt file.
    cdsm_lib.datasets.DataError
        If the files cannot be had.
    """
    if name == "relations":
        return read_teaching_set(datasets.sample_path("relations"))
    if name == "relation_banko2008":
        found = from_banko(datasets.fetch("relation_banko2008", "relation.conllu"), committed_labels())
        return replace(found, fewest=FEWEST)
    raise RelationError(None, None, f"unknown relation set {name!r}; there are relation_banko2008 and relations")


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
    RelationError
        With file and line: for a missing, unknown or ambiguous label (0 and -1 in one file), a mark that is missing,
        doubled, crossed or empty, text in another encoding, a file without sentences.
    """
    path = Path(path)
    found, negative = [], None
    for number, raw in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            text = raw.decode(encoding).strip()
        except UnicodeDecodeError:
            problem = f"not {encoding}; name the file's encoding, as in encoding='latin-1'"
            raise RelationError(path.name, number, problem) from None
        if not text:
            continue
        expresses = positive
        if expresses is None:
            match = _LABEL.fullmatch(text)
            label = match[1].lower() if match else None
            if label not in _LABEL_MEANS:
                problem = "the line must begin with a label, 0, 1, +1, -1, true or false, and a space or tab"
                raise RelationError(path.name, number, f"{problem}; or name the class of the whole file by positive=")
            text, expresses = match[2], _LABEL_MEANS[label]
            if not expresses and negative not in (None, label):
                raise RelationError(path.name, number, f"the label {label} in a file that has {negative}: which is it?")
            negative = negative if expresses else label
        found.append(_raw_sentence(path, number, text, expresses))
    if not found:
        raise RelationError(path.name, None, "no sentences in the file")
    return found


def _raw_sentence(path: Path, number: int, text: str, expresses: bool) -> RawSentence:
    """Take the marks out of a line."""
    tokens: list[str] = []
    marks: list[tuple[str, int]] = []
    for part in _MARK.sub(r" \1 ", text).split():
        if _MARK.fullmatch(part):
            marks.append((part, len(tokens)))
        else:
            tokens.append(part)
    order = [mark for mark, _ in marks]
    one, two = ["<p1>", "</p1>"], ["<p2>", "</p2>"]
    if order not in (one + two, two + one):
        problem = "expected <p1> ... </p1> and <p2> ... </p2>, once each and one after the other"
        raise RelationError(path.name, number, f"{problem}, found {' '.join(order) or 'no marks'}")
    place = dict(marks)
    spans = [(place[f"<p{i}>"], place[f"</p{i}>"]) for i in (1, 2)]
    for i, (begin, end) in enumerate(spans, 1):
        if begin == end:
            raise RelationError(path.name, number, f"nothing stands between <p{i}> and </p{i}>")
    return RawSentence(number, tuple(tokens), *spans, expresses)


def to_text(sentences: Iterable[RawSentence]) -> str:
    """One sentence a line, a space between tokens, as a parser takes them that is not to tokenise anew.

    Parameters
    ----------
    sentences : iterable of RawSentence

    Returns
    -------
    str
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
    RelationError
        For an unknown relation, a different number of sentences, or a sentence whose tokens differ.
    cdsm_lib.text.corpus.ConlluError
        If the file is not good CoNLL-U.
    """
    path = Path(conllu_path)
    if relation not in RELATIONS:
        raise RelationError(None, None, f"the relation must be {' or '.join(RELATIONS)}, found {relation!r}")
    parses = list(read_conllu(path))
    if len(parses) != len(raw):
        raise RelationError(path.name, None, f"{len(parses)} parses of {len(raw)} sentences; parse to_text(...) again")
    joined = []
    for number, (sentence, parse) in enumerate(zip(raw, parses, strict=True), 1):
        forms = tuple(token.form for token in parse)
        if forms != sentence.tokens:
            where = next(
                (i for i, (a, b) in enumerate(zip(forms, sentence.tokens, strict=False), 1) if a != b),
                min(len(forms), len(sentence.tokens)) + 1,
            )
            raise RelationError(
                path.name, None, f"sentence {number} has {len(forms)} tokens, the text (its line {sentence.line}) "
                f"{len(sentence.tokens)}; they part at token {where}: parse it without tokenising anew"
            )  # fmt: skip
        joined.append(_with_entities(parse, sentence))
    ids = tuple(str(sentence.line) for sentence in raw)
    return EntityPair(
        relation, name, tuple(joined), ids, np.array([sentence.expresses for sentence in raw], dtype=bool)
    )


def _with_entities(parse: Sentence, sentence: RawSentence) -> Sentence:
    """The parse with the entities of the raw sentence in MISC."""
    tokens = list(parse.tokens)
    for i, (begin, end) in enumerate((sentence.first, sentence.second), 1):
        for place in range(begin, end):
            kept = [e for e in tokens[place].misc.split("|") if e != "_" and not e.startswith("Entity=")]
            tokens[place] = replace(tokens[place], misc="|".join([*kept, f"Entity={i}"]))
    return replace(parse, tokens=tuple(tokens))


# ---------------------------------------------------------------------------------------------------------------------
# Evaluation


def high_and_low(expresses) -> tuple[np.ndarray, np.ndarray]:
    """The sentence pairs that should score high and those that should score low (eq. 6 and 7).

    H is all *unordered* pairs of two different sentences that express the relation. The paper writes ordered ones: a
    similarity is symmetric, so that this counts all of H twice, and AUC is the same. L is every sentence that
    expresses the relation with every one that does not.

    Parameters
    ----------
    expresses : bool array [sentences]

    Returns
    -------
    high : int64 array [m, 2]
        Indices of sentences, the first the smaller.
    low : int64 array [k, 2]
        The first expresses the relation, the second does not.

    Raises
    ------
    RelationError
        If H or L would be empty.

    Examples
    --------
    >>> high, low = high_and_low([True, False, True, True])
    >>> high.tolist(), low.tolist()
    ([[0, 2], [0, 3], [2, 3]], [[0, 1], [2, 1], [3, 1]])
    """
    expresses = np.asarray(expresses, dtype=bool)
    if expresses.ndim != 1:
        raise RelationError(None, None, f"labels must be an array [sentences], got shape {expresses.shape}")
    if problem := _lacks(expresses):
        raise RelationError(None, None, f"AUC is undefined: {problem}")
    yes, no = np.flatnonzero(expresses), np.flatnonzero(~expresses)
    i, j = np.triu_indices(len(yes), 1)
    low = np.stack(np.meshgrid(yes, no, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.stack([yes[i], yes[j]], axis=1), low


def _similarity(similarity, pair: EntityPair) -> np.ndarray:
    """The similarity as float64, checked, and made exactly symmetric where rounding left a difference."""
    similarity, n = np.asarray(similarity, dtype=np.float64), len(pair)
    if similarity.shape != (n, n):
        raise RelationError(None, None, f"{pair.name}: similarity of shape {similarity.shape}, [{n}, {n}] expected")
    bad = int((~np.isfinite(similarity)).sum())
    if bad:
        raise RelationError(
            None, None, f"{pair.name}: {bad} similarities are NaN or infinite; decide what a sentence without a vector "
            "gets, such as 0, and say so"
        )  # fmt: skip
    apart = float(np.abs(similarity - similarity.T).max(initial=0))
    if apart > _SYMMETRIC:
        raise RelationError(None, None, f"{pair.name}: the similarity is not symmetric, it differs by {apart:.3g}")
    return (similarity + similarity.T) / 2


@dataclass(frozen=True, eq=False)
class PairScore:
    """How well a system parts H from L for one entity pair.

    Parameters
    ----------
    name : str
    auc : float
        A tie counts one half.
    false_positive_rate, true_positive_rate : float64 arrays [points]
        The ROC curve, see `metrics.roc_curve`.
    high, low : int
        Sentence pairs in H and in L.
    tied : float
        Share of all comparisons of one of H with one of L that are ties.
    auc_high_first, auc_low_first : float
        The wrong AUC, ties broken by order, when H, or L, is stored first: auc plus, or minus, half of `tied`.
    """

    name: str
    auc: float
    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    high: int
    low: int
    tied: float
    auc_high_first: float
    auc_low_first: float


def score(similarity, pair: EntityPair) -> PairScore:
    """AUC of a similarity: the chance that two sentences of H are more similar than two of L (section 3.1).

    Parameters
    ----------
    similarity : float array [sentences, sentences]
        Symmetric, finite; the diagonal is not looked at.
    pair : EntityPair
        A usable one.

    Returns
    -------
    PairScore

    Raises
    ------
    RelationError
        If the pair is not usable, the shape is wrong, a similarity is not finite, or it is asymmetric by more than
        1e-9.
    """
    high, low = high_and_low(pair.expresses)
    similarity = _similarity(similarity, pair)
    scores = np.concatenate([similarity[*high.T], similarity[*low.T]])
    positive = np.arange(len(scores)) < len(high)
    false_rate, true_rate = metrics.roc_curve(scores, positive)
    return PairScore(
        name=pair.name,
        auc=metrics.auc(scores, positive),
        false_positive_rate=false_rate,
        true_positive_rate=true_rate,
        high=len(high),
        low=len(low),
        tied=float(np.diff(false_rate) @ np.diff(true_rate)),
        auc_high_first=metrics.auc_ties_by_order(scores, positive),
        auc_low_first=metrics.auc_ties_by_order(scores[::-1], positive[::-1]),
    )


@dataclass(frozen=True, eq=False)
class Scores:
    """A system on a relation set.

    Parameters
    ----------
    per_pair : dict of str to PairScore
        Usable pairs, in their order.
    average : float
        Mean of their AUC, each pair counting the same (the last column of Table 1).
    """

    per_pair: dict[str, PairScore]
    average: float


def score_all(similarities: Mapping[str, np.ndarray], relations: Relations) -> Scores:
    """AUC for each usable pair, and its average.

    Parameters
    ----------
    similarities : mapping of pair name to float array [sentences, sentences]
        One for each usable pair; those of unusable pairs are not looked at.
    relations : Relations

    Returns
    -------
    Scores

    Raises
    ------
    RelationError
        If a usable pair has no similarity, a name is unknown, no pair is usable, and as in :func:`score`.
    """
    _check_names(similarities, relations)
    per_pair = {pair.name: score(similarities[pair.name], pair) for pair in relations.usable}
    return Scores(per_pair, float(np.mean([found.auc for found in per_pair.values()])))


def _check_names(similarities: Mapping[str, np.ndarray], relations: Relations) -> None:
    for name in similarities:
        relations.pair(name)
    missing = [pair.name for pair in relations.usable if pair.name not in similarities]
    if missing or not relations.usable:
        problem = f"no similarity of {', '.join(missing)}" if missing else "no pair is usable"
        raise RelationError(None, None, f"{relations.name}: {problem}")


# ---------------------------------------------------------------------------------------------------------------------
# Bootstrap over sentences


def resample_weights(pair: EntityPair, n: int = 1000, seed: int = 0) -> np.ndarray:
    """How often each sentence is drawn in each bootstrap resample.

    Sentences that express the relation and those that do not are resampled separately, as many as there are, with
    replacement. A resample with fewer than two different expressing sentences has no H and is drawn again. The draws
    depend on the seed and the pair's name, so that the pairs of a set are resampled independently of each other while
    two systems get the same resamples.

    Parameters
    ----------
    pair : EntityPair
        A usable one.
    n : int
        Resamples.
    seed : int

    Returns
    -------
    int64 array [n, sentences]

    Raises
    ------
    RelationError
        If the pair is not usable.
    ValueError
        For n < 1.
    """
    if n < 1:
        raise ValueError(f"n={n} resamples: at least one")
    if problem := _lacks(pair.expresses):
        raise RelationError(None, None, f"{pair.name} cannot be resampled: {problem}")
    rng = np.random.default_rng([seed, zlib.crc32(pair.name.encode())])

    def draw(size: int, rows: int) -> np.ndarray:
        return rng.multinomial(size, np.full(size, 1 / size), rows)

    yes = draw(pair.n_positive, n)
    while len(again := np.flatnonzero((yes > 0).sum(axis=1) < 2)):
        yes[again] = draw(pair.n_positive, len(again))
    weights = np.empty((n, len(pair)), dtype=np.int64)
    weights[:, pair.expresses] = yes
    weights[:, ~pair.expresses] = draw(len(pair) - pair.n_positive, n)
    return weights


def bootstrap_auc(similarity, pair: EntityPair, weights: np.ndarray) -> np.ndarray:
    r"""AUC of each resample: a sentence pair counts as often as both its sentences together were drawn.

    With :math:`w_i` the times that sentence :math:`i` was drawn, the sentence pair :math:`(i, j)` has the weight
    :math:`w_i w_j`, and

    .. math:: AUC = \frac{\sum_{(i,j) \in H} \sum_{(k,l) \in L} w_i w_j w_k w_l\, [M_{ij} > M_{kl}]}
                         {\sum_H w_i w_j\, \sum_L w_k w_l}

    a tie counting one half. Two copies of one sentence are never paired with each other.

    Parameters
    ----------
    similarity : float array [sentences, sentences]
    pair : EntityPair
    weights : int array [n, sentences]
        As from :func:`resample_weights`.

    Returns
    -------
    float64 array [n]

    Raises
    ------
    RelationError
        As in :func:`score`; for weights of another shape, negative or no whole numbers; for a resample without H or L.
    """
    high, low = high_and_low(pair.expresses)
    similarity, weights = _similarity(similarity, pair), np.asarray(weights)
    if weights.ndim != 2 or weights.shape[1] != len(pair) or weights.dtype.kind not in "iu" or (weights < 0).any():
        raise RelationError(
            None, None, f"{pair.name}: counts [resamples, {len(pair)}] expected, got {weights.dtype} {weights.shape}"
        )
    low_scores = similarity[*low.T]
    order = np.argsort(low_scores, kind="stable")
    low, low_scores = low[order], low_scores[order]
    high_scores = similarity[*high.T]
    below = np.searchsorted(low_scores, high_scores, side="left")  # of L, in rising order: so many lose,
    up_to = np.searchsorted(low_scores, high_scores, side="right")  # so many lose or tie
    rows = max(1, _BATCH // (len(high) + len(low)))
    result = np.empty(len(weights))
    for start in range(0, len(weights), rows):
        w = weights[start : start + rows].astype(np.float64)  # whole numbers: the sums are exact
        of_high = w[:, high[:, 0]] * w[:, high[:, 1]]
        of_low = np.zeros((len(w), len(low) + 1))
        np.cumsum(w[:, low[:, 0]] * w[:, low[:, 1]], axis=1, out=of_low[:, 1:])
        comparisons = of_high.sum(axis=1) * of_low[:, -1]
        if not comparisons.all():
            raise RelationError(None, None, f"{pair.name}: a resample has no sentence pair of H or of L; draw it again")
        wins = np.einsum("ij,ij->i", of_high, of_low[:, below]) + np.einsum("ij,ij->i", of_high, of_low[:, up_to])
        result[start : start + rows] = wins / (2 * comparisons)
    return result


def bootstrap(
    similarities: Mapping[str, np.ndarray], relations: Relations, n: int = 1000, seed: int = 0
) -> dict[str, np.ndarray]:
    """AUC of each resample for each usable pair; the same resamples for every system.

    Parameters
    ----------
    similarities, relations
        As in :func:`score_all`.
    n, seed
        As in :func:`resample_weights`.

    Returns
    -------
    dict of str to float64 array [n]

    Raises
    ------
    RelationError
        As in :func:`score_all`.
    """
    _check_names(similarities, relations)
    return {
        pair.name: bootstrap_auc(similarities[pair.name], pair, resample_weights(pair, n, seed))
        for pair in relations.usable
    }
