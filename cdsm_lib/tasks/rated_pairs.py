"""Similarity of pairs of your own, words, phrases or whole sentences: as similar to a model as to people?

    pairs = read_pairs("judgements.csv", ("adjective1", "noun1"), ("adjective2", "noun2"), "rating", rater="judge")
    print(score_pairs(pairs, read_vectors("vectors.txt"), mult))

A table has a row for each judgement; rows of the same two texts are one pair with several ratings. A model composes
both texts of a pair, their similarity is the cosine, and Spearman's rho compares it with the ratings. The interval
draws whole pairs, with all their ratings. For word similarity each text is one word, and nothing is composed.

Words are found in a space as they stand, or in lower case, in British or American spelling, in composed or decomposed
letters, or without their part of speech; a space whose rows are ``lemma|POS`` needs parts of speech, in the table (also
as MEN has them, ``dog-n``) or from the argument `tags`. What a space lacks is counted and named.
"""

import csv
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from cdsm_lib.evaluation.metrics import spearman
from cdsm_lib.evaluation.significance import Interval, interval
from cdsm_lib.labels import UPOS
from cdsm_lib.tables import TaskError, number, path_of, read_lines, several, shown
from cdsm_lib.tasks.phrase_similarity import Pair, PhraseSimilarity
from cdsm_lib.text.spelling import american, spelling_variants
from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

Columns = str | int | Sequence[str | int]


def read_pairs(
    table: str | os.PathLike | Sequence | Mapping,
    first: Columns = "word1",
    second: Columns = "word2",
    score: str | int = "score",
    *,
    rater: str | int | None = None,
    kind: str | int | None = None,
    tags: Sequence[str] | Mapping[str, Sequence[str]] = (),
) -> PhraseSimilarity:
    """Read rated pairs of words, phrases or sentences from a table with any columns.

    Parameters
    ----------
    table : path, DataFrame or sequence
        A file: UTF-8, a judgement a row, with a header; fields between tabs, commas, semicolons or spaces, whichever
        the header has. Lines that begin with ``#`` above it are left out, or the last of them is the header. Or a
        DataFrame, a sequence of mappings, or one of tuples (first, second, score).
    first, second : str, int, or a sequence of them
        The column or columns of the first text and of the second, in the order of the words. A field may hold several
        words between spaces. Numbers, from 0, are for a table without a header.
    score : str or int
        The column of the judgements: numbers, higher is more similar.
    rater, kind : str or int, optional
        The columns that say who judged, and that tell kinds of pairs apart (`PhraseSimilarity.of`).
    tags : sequence of str, or mapping of kind to such sequences, optional
        The parts of speech of a text's words, in order: ``("ADJ", "NOUN")`` makes ``old|ADJ dog|NOUN`` of *old dog*.
        Or those of each kind: ``{"AN": ("ADJ", "NOUN"), ...}``.

    Returns
    -------
    PhraseSimilarity
        Its pairs in the order in which they first come up.

    Raises
    ------
    TaskError
        With file and line: a table that cannot be read, a text of other words than its tags, a judgement that is no
        finite number, a rater who judges a pair twice.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     _ = path.write_text("word1,word2,score\\ntiger,cat,7.35\\ncar,hat,0.5\\n")
    ...     print(len(read_pairs(path)), read_pairs(path).pairs[0].first)
    2 ('tiger',)
    """
    name = "the table" if several(table) else path_of(table).name
    texts = [tuple(names) if several(names) else (names,) for names in (first, second)]
    tags = (tags,) if isinstance(tags, str) else tags
    needed = [*texts[0], *texts[1], score, *(name for name in (rater, kind) if name is not None)]
    rated: dict[tuple, dict[str | int, float]] = {}
    for line, row in _rows(table, name, needed):
        of_kind = "pair" if kind is None else row[kind]
        labels = tags.get(of_kind, ()) if isinstance(tags, Mapping) else tags
        words = [tuple(word for name in names for word in row[name].split()) for names in texts]
        for text in words:
            if not text or labels and len(text) != len(labels):
                wanted = f"one a tag, {', '.join(labels)}" if labels else "one at least"
                raise TaskError(name, line, f"a text has the words {text}; {wanted}")
        if labels:
            words = [tuple(f"{word}|{tag}" for word, tag in zip(text, labels, strict=True)) for text in words]
        ratings = rated.setdefault((of_kind, *words), {})
        judge = len(ratings) if rater is None else row[rater]
        if judge in ratings:
            raise TaskError(name, line, f"rater {judge!r} judges this pair a second time; keep one row")
        try:
            ratings[judge] = number(row[score])
        except ValueError as wanted:
            raise TaskError(name, line, f"{score} must be {wanted}, found {row[score]!r}") from None
    return PhraseSimilarity.of_ratings(name.partition(".")[0], rated, named=rater is not None)


def _rows(table, name: str, needed: Sequence[str | int]) -> list[tuple[int, dict[str | int, str]]]:
    """Line and fields of each row; fields are named by the header, or by their numbers if these are asked for."""
    named = not all(isinstance(column, int) for column in needed)
    remedy = "give one file, a DataFrame, or a list of rows such as (first, second, score)"
    if not several(table):
        rows = _of_file(table, name, needed)
        remedy = "put quotes around a field that holds what separates fields, or give a DataFrame"
    else:
        import pandas as pd  # takes half a second to load

        try:
            frame = pd.DataFrame(table)
        except ValueError as reason:
            raise TaskError(name, None, f"it is no table ({reason}); {remedy}") from None
        header = needed if isinstance(frame.columns, pd.RangeIndex) else frame.columns
        frame = frame.astype(object).where(frame.notna(), "").map(str)
        rows = [(1, [*header])] * named + [*enumerate(frame.values.tolist(), 1)]
    if not rows:
        raise TaskError(name, None, "it is empty; a header and a row a judgement are needed")
    line, columns = rows.pop(0) if named else (1, [*range(len(rows[0][1]))])
    for column in needed:
        if column not in columns:
            there = f"the columns are {', '.join(map(str, columns))}"
            raise TaskError(name, line, f"no column {column}; {there}; without a header give numbers, 0 for the first")
        if columns.count(column) > 1:
            raise TaskError(name, line, f"two columns are called {column}; give each a name of its own")
    if not rows:
        raise TaskError(name, None, "no rows below the header")
    for line, fields in rows:
        while len(fields) > len(columns) and not fields[-1]:
            fields.pop()
        if len(fields) != len(columns):
            problem = f"{len(fields)} fields, but there are {len(columns)} columns: {shown(fields)}; {remedy}"
            raise TaskError(name, line, problem)
    return [(line, dict(zip(columns, fields, strict=True))) for line, fields in rows]


def _of_file(path: str | os.PathLike, name: str, needed: Sequence[str | int]) -> list[tuple[int, list[str]]]:
    """Line and fields of the rows of a file, without comments above them unless the last has the columns."""
    lines = read_lines(path)
    above = next((i for i, line in enumerate(lines) if not re.match("#( |#|$)|sep=.$", line)), len(lines))
    separator = next((mark for mark in "\t,;" if mark in "".join(lines[above : above + 1])), " ")
    if above and {*needed} <= {field.strip() for field in lines[above - 1].lstrip("# ").split(separator)}:
        above -= 1
        lines[above] = lines[above].lstrip("# ")
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    table = csv.reader(lines[above:], delimiter=separator, quoting=quoting, skipinitialspace=True)
    try:
        return [(above + table.line_num, [field.strip() for field in fields]) for fields in table if any(fields)]
    except csv.Error as reason:
        raise TaskError(name, above + table.line_num, f"{reason}; is a quotation mark open?") from None


# ---------------------------------------------------------------------------------------------------------- scoring


class Known(NamedTuple):
    """The vectors of n texts of one length: arrays [n, d] of their first words, their second words, and so on, zeros
    where a word is unknown; whether all words of a text are known, [n]; in how many places each unknown word stands,
    however it is spelt.
    """

    words: tuple[np.ndarray, ...]
    whole: np.ndarray
    unknown: Counter


def row_of(space: Space, word: str) -> str | None:
    """The row of a word: as it stands, spelt otherwise, in lower case, or without its part of speech; None if none.

    A part of speech is a universal tag after ``|``, or MEN's letter after ``-``.

    Examples
    --------
    >>> space = Space(["labor", "dog"], np.eye(2))
    >>> row_of(space, "labour|NOUN"), row_of(space, "Dog"), row_of(space, "dog-n"), row_of(space, "dog|cat")
    ('labor', 'dog', 'dog', None)
    """
    return next((name for name in _names(word) if name in space), None)


def _names(word: str) -> Iterator[str]:
    """The names under which a space may have a word, the likeliest first."""
    lemma, _, tag = word.rpartition("|")
    if men := re.fullmatch("(.+)-([nvj])", word):
        lemma, tag = men[1], {"n": "NOUN", "v": "VERB", "j": "ADJ"}[men[2]]
        yield word
    elif tag not in UPOS:
        lemma, tag = word, ""
    names = [name + end for end in ((f"|{tag}", "") if tag else ("",)) for name in (lemma, lemma.lower())]
    for spelt in chain.from_iterable(map(spelling_variants, names)):
        yield from (spelt, unicodedata.normalize("NFC", spelt), unicodedata.normalize("NFD", spelt))


def look_up(texts: Iterable[Sequence[str]], space: Space) -> Known:
    """The vectors of texts word by word; `ValueError` if they differ in their number of words.

    ``subject, verb, object = look_up(sentences, space).words`` are tables for a model.

    Examples
    --------
    >>> known = look_up([("old", "dog"), ("old", "cat")], Space(["old", "dog"], np.eye(2)))
    >>> known.words[1], known.whole, known.unknown
    (array([[0., 1.],
           [0., 0.]], dtype=float32), array([ True, False]), Counter({'cat': 1}))
    """
    texts = list(texts)
    rows = {word: row_of(space, word) for text in texts for word in text}
    zero = np.zeros(space.d, dtype=np.float32)
    vectors = {word: zero if row is None else space[row] for word, row in rows.items()}
    words = tuple(np.stack([vectors[word] for word in column]) for column in zip(*texts, strict=True))
    spelt = {word: american(unicodedata.normalize("NFC", word).lower()) for word, row in rows.items() if row is None}
    first = dict(zip(reversed(spelt.values()), reversed(spelt), strict=True))  # of several spellings of one word
    unknown = Counter(first[spelt[word]] for text in texts for word in text if word in spelt)
    return Known(words, np.array([not spelt.keys() & set(text) for text in texts]), unknown)


@dataclass(frozen=True, repr=False)
class Score:
    """How a model does on rated pairs; printed, it is a sentence.

    Spearman's rho of the pairs that were scored, with its interval over pairs; similarities [pairs], NaN for a pair
    that was left out; words that the space lacks, and in how many places each stands.
    """

    rho: Interval
    similarities: np.ndarray
    unknown: Counter

    def __repr__(self) -> str:
        scored, names = int(np.isfinite(self.similarities).sum()), list(self.unknown)
        shown = f"unknown words: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"
        return f"rho {self.rho} on {scored} of {len(self.similarities)} pairs; {shown if names else 'all words known'}"


def rho_of(similarities, pairs: Sequence[Pair], *, n: int = 2000, level: float = 0.95, seed: int = 0) -> Interval:
    """Spearman's rho of similarities with all single ratings, and its interval over pairs drawn with their ratings.

    `similarities` [pairs] have NaN for a pair to leave out; n, level and seed are those of `interval`. Raises
    `ValueError` for another number of similarities, or too few pairs.

    Examples
    --------
    >>> pairs = [Pair(i, "pair", ("a",), (word,), (i,)) for i, word in enumerate("bcdef", 1)]
    >>> print(rho_of([0.1, 0.3, 0.2, 0.5, 0.9], pairs))
    0.900 (0.111 to 1.000)
    """
    similarities, pairs = np.asarray(similarities, dtype=np.float64), list(pairs)
    if similarities.shape != (len(pairs),):
        raise ValueError(f"similarities of shape {similarities.shape} for {len(pairs)} pairs; one a pair is needed")
    scored = np.flatnonzero(~np.isnan(similarities))
    pair_of = np.repeat(scored, [len(pairs[i].ratings) for i in scored])
    ratings = [rating for i in scored for rating in pairs[i].ratings]
    return interval(spearman, similarities[pair_of], ratings, groups=pair_of, n=n, level=level, seed=seed)


def score_pairs(
    pairs: Iterable[Pair],
    space: Space,
    compose: Callable[..., np.ndarray] | None = None,
    *,
    unknown: str = "leave out",
    n: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Score:
    """Compose the texts of each pair, compare them by cosine, and correlate with the ratings.

    Parameters
    ----------
    pairs : PhraseSimilarity or sequence of Pair
    space : Space
    compose : callable, optional
        Takes a table [n, d] for each word of the texts and gives a table with a row a text, as `elementwise.mult` does.
        By default the sum.
    unknown : {"leave out", "zero"}
        What becomes of a pair with a word that the space lacks: it does not count, or the word is a vector of zeros
        (and the similarity with a text of which nothing is known is 0).
    n, level, seed
        Of the bootstrap, as for `interval`.

    Raises
    ------
    TypeError
        For anything but pairs and a Space.
    ValueError
        For another `unknown`, another number of vectors than of texts, fewer than three pairs left, or as `interval`.
    """
    if not several(pairs) or not isinstance(space, Space):
        raise TypeError(f"give pairs, as read_pairs has them, and a Space, not {shown(pairs)} and {shown(space)}")
    pairs = list(pairs)
    if unknown not in ("leave out", "zero"):
        raise ValueError(f"unknown={unknown!r}; 'leave out' the pair, or let the word be 'zero'")
    texts = [text for pair in pairs for text in (pair.first, pair.second)]
    lengths, lacking, vectors = np.array([len(text) for text in texts]), Counter(), {}
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        known = look_up([texts[i] for i in places], space)
        lacking += known.unknown
        wanted = known.whole | (unknown == "zero")
        composed = compose(*known.words) if compose else np.sum(known.words, axis=0, dtype=np.float64)
        if len(composed) != len(places):
            raise ValueError(f"compose gave {len(composed)} vectors for {len(places)} texts; one a text is needed")
        vectors |= dict(zip(places[wanted], composed[wanted], strict=True))
    similarities = np.full(len(pairs), np.nan)
    scored = [i for i in range(len(pairs)) if {2 * i, 2 * i + 1} <= vectors.keys()]
    if len(scored) < 3:
        like, unlike = (", ".join(map(repr, list(names)[:5])) for names in (space.rows, lacking))
        problem = f"{len(scored)} of {len(pairs)} pairs have all their words in the space, and three are needed"
        remedy = f"which lacks {unlike}; write words as its rows, {like}, or give read_pairs their tags"
        raise ValueError(f"{problem}, {remedy}" if lacking else f"{problem}; take more pairs")
    first, second = (np.stack([vectors[2 * i + side] for i in scored]) for side in (0, 1))
    similarities[scored] = np.round(paired_cosines(first, second), 9)
    return Score(rho_of(similarities, pairs, n=n, level=level, seed=seed), similarities, lacking)
