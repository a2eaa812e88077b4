"""Co-occurrence counts: which words stand near which in a window, or around a phrase.

The unit of a window is the *content word*: a noun, verb, adjective, adverb or proper noun that is no function word.
Function words and all other tokens are taken out of the sentence first, as in Rimell et al. (2016, section 5.1), so a
window of 3 is three content words on each side. No window crosses a sentence border.

How the counting works. The sentences become one *stream* of integers, an element for each content word (its column,
or -1 if it is no column), with a separator between sentences. Each row has the list of its occurrences in the
stream, and the row is counted by walking left and right from each of them into one array of accumulators that fits
into the cache. Rows are independent of each other, so threads take blocks of rows; every count is an integer sum of
its own row, and the result is the same whatever the number of threads, parts, or Dask workers.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from numbers import Integral
from pathlib import Path

import numpy as np
from numba import njit
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.parts import piece, reduced

CONTENT_TAGS = frozenset(("NOUN", "VERB", "ADJ", "ADV", "PROPN"))

# Lemmas of function words, written for this project.
STOP_WORDS = frozenset(
    """
    a an the this that these those some any every each either neither no none all both half such another other others
    same own
    i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy he him his himself
    she her hers herself it its itself they them their theirs themselves one oneself who whom whose which what
    whoever whomever whatever whichever somebody someone something anybody anyone anything everybody everyone
    everything nobody nothing
    and or but nor yet so for if unless whether because since although though while whereas as than lest until till
    about above across after against along amid among amongst around at before behind below beneath beside besides
    between beyond by concerning despite down during except from in inside into like near of off on onto out outside
    over per regarding round through throughout to toward towards under underneath unlike unto up upon versus via
    with within without
    be am is are was were been being have has had having do does did done doing
    can could may might must shall should will would ought need dare cannot
    not never n't 's 're 've 'll 'd 'm 't
    here there where when why how then thus hence therefore however moreover furthermore nevertheless nonetheless
    meanwhile otherwise also too very quite rather more most much many less least few little several enough just only
    even still already again ever almost else instead perhaps maybe once twice thereby therein thereof whereby wherein
    wherever whenever nowhere somewhere anywhere everywhere somehow anyway etc yes oh
    """.split()
)

# With these tags they are content words: *the need for round*, *to own a mine*, *the near side*, *in May*. With all
# others they are function words, *most* and *also* as well as what the tagger mistook: *up* as a noun, *can* as a verb.
CONTENT_READINGS = {
    "NOUN": frozenset("being can half inside like might mine must need outside round will".split()),
    "VERB": frozenset("dare down like mine near need own round till".split()),
    "ADJ": frozenset("inside near outside round".split()),
    "PROPN": frozenset("down half little may mine near round us will".split()),
}

LARGEST = np.iinfo(np.int32).max
SEPARATOR = -2  # in the stream: a sentence border
SCRATCH = 1 << 22  # non-zeros that one block of rows may have
PART = 16_000_000  # tokens that are counted at a time on one machine: some 40 bytes each


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each row met each column.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array [n_rows, n_columns]
        Counts, int32, or int64 if one of them needs it.
    rows, columns : Labels
    """

    matrix: sparse.csr_array
    rows: Labels
    columns: Labels

    def __post_init__(self):
        matrix, rows, columns = sparse.csr_array(self.matrix), Labels(self.rows), Labels(self.columns)
        matrix = matrix.astype(np.int32 if matrix.data.max(initial=0) <= LARGEST else np.int64, copy=False)
        for name, value in (("matrix", matrix), ("rows", rows), ("columns", columns)):
            object.__setattr__(self, name, value)

    @property
    def row_sums(self) -> np.ndarray:
        """Sum over each row, int64 [n_rows]."""
        return np.asarray(self.matrix.sum(axis=1, dtype=np.int64)).ravel()

    @property
    def column_sums(self) -> np.ndarray:
        """Sum over each column, int64 [n_columns]."""
        return np.asarray(self.matrix.sum(axis=0, dtype=np.int64)).ravel()

    @property
    def total(self) -> int:
        """Sum of all counts."""
        return int(self.matrix.sum(dtype=np.int64))

    def save(self, path: str | os.PathLike) -> Path:
        """Write to `path` (`.npz`, no pickle), atomically and in the narrowest integers that hold the counts."""
        return storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Counts":
        """Read what `save` wrote; a `StorageError` names a file that cannot be used, and why."""
        return storage.load(path, cls, remedy="Count again and save with Counts.save.")


# ------------------------------------------------------------------------------------------------- content words


def is_function_word(lemma: str, tag: str) -> bool:
    """Whether a lemma with this universal part of speech is a function word: in `STOP_WORDS`, not `CONTENT_READINGS`.

    >>> [is_function_word("need", tag) for tag in ("AUX", "NOUN", "VERB")]
    [True, False, False]
    """
    return lemma in STOP_WORDS and lemma not in CONTENT_READINGS.get(tag, ())


@lru_cache(maxsize=4)
def content_mask(words: Labels) -> np.ndarray:
    """Which of these `lemma|UPOS` labels are content words: bool [len(words)].

    A content word is tagged NOUN, VERB, ADJ, ADV or PROPN, is no function word, and has at least one letter.

    >>> content_mask(Labels(["dog|NOUN", "the|DET", "be|VERB", "round|NOUN", "round|ADP"]))
    array([ True, False, False,  True, False])
    """
    mask = np.zeros(len(words), dtype=bool)
    for i, word in enumerate(words):
        lemma, _, tag = word.rpartition("|")
        mask[i] = tag in CONTENT_TAGS and not is_function_word(lemma, tag) and any(map(str.isalpha, lemma))
    mask.flags.writeable = False
    return mask


def content_words(corpus: Corpus, n: int | None = None) -> Labels:
    """The `n` most frequent content words of the corpus (all by default), equals in alphabetical order.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> list(content_words(corpus))
    ['cat|NOUN', 'chase|VERB', 'dog|NOUN', 'young|ADJ']
    """
    if n is not None and not (isinstance(n, Integral) and n >= 0):
        raise ValueError(f"n={n!r}: a whole number of words is needed, or None for all")
    counts = corpus.word_counts
    words = [corpus.words[i] for i in np.flatnonzero(content_mask(corpus.words) & (counts > 0))]
    frequency = dict(zip(corpus.words, counts.tolist(), strict=True))
    return Labels(sorted(words, key=lambda word: (-frequency[word], word))[:n])


# ------------------------------------------------------------------------------------------------------- windows


def count_windows(
    corpus: Corpus,
    rows: Labels | Sequence[str],
    columns: Labels | Sequence[str],
    *,
    window: int | None,
    content_only: bool = True,
    threads: int | None = None,
    client=None,
) -> Counts:
    """Count how often each column word stands in the window around each row word.

    Raises `ValueError` if the window is not positive, or a column could never be counted since it is no content word.

    Parameters
    ----------
    corpus : Corpus
    rows, columns : Labels or sequence of str
        Words as `lemma|UPOS`. A word that the corpus lacks gets zeros. Each occurrence of
        a row counts, however rare; a word that is no row still takes its place in the window of others.
    window : int or None
        So many content words on each side, within the sentence; None for the whole sentence.
    content_only : bool
        True: all tokens that are no content words are taken out before the window is laid. A *row* may
        still be such a word (*have* as a verb, say): it is counted from where it stands and takes no place itself.
        False: every token takes a place.
    threads : int, optional
        Threads on this machine; as many as there are cores by default. The counts do not depend on it.
    client : dask.distributed.Client, optional
        Count on its cluster instead (extra `scale`), see `cdsm_lib.text.parts`. The counts are the same.

    Examples
    --------
    *the dog chase the small cat* with a window of 1: *dog* meets *chase*, *chase* meets *dog* and *small*. In code, for
    *young dogs chase cats*:

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> count_windows(corpus, ["dog|NOUN"], ["young|ADJ", "cat|NOUN"], window=1).matrix.toarray()
    array([[1, 0]], dtype=int32)
    """
    rows, columns = Labels(rows), Labels(columns)
    plan = _plan(corpus, rows, columns, window, content_only)
    shared = (numbering(corpus.words, rows), plan, len(rows), 1 if client else threads)
    add = partial(summed, shape=(len(rows), len(columns)))
    matrix = reduced(add, _count_windows, corpus, *shared, tokens=PART, client=client)
    return Counts(matrix, rows, columns)


def count_phrases(
    corpus: Corpus,
    occurrences: np.ndarray,
    phrase_of: np.ndarray,
    labels: Labels | Sequence[str],
    columns: Labels | Sequence[str],
    *,
    window: int | None,
    content_only: bool = True,
    threads: int | None = None,
    client=None,
) -> Counts:
    """Count the contexts of phrases: the peripheral rows of a count space.

    The span of an occurrence runs from its first to its last token. Its contexts are the content words inside the
    span and up to `window` of them on each side of it, within the sentence; the phrase's own tokens are left out
    (other tokens of the same words are not). In *the dog (chase) the small (cat) today*, the verb-object phrase
    *chase cat* with a window of 1 meets *dog*, *small* and *today*.

    Parameters
    ----------
    corpus : Corpus
    occurrences : int array [n, k]
        Token positions of each occurrence, in any order, all in one sentence.
    phrase_of : int array [n]
        Which label each occurrence belongs to; -1 leaves it out.
    labels : Labels or sequence of str
        The phrases, the rows of the result.
    columns, window, content_only, threads, client
        As in `count_windows`.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> table = count_phrases(corpus, [[2, 3]], [0], ["chase cat"], ["young|ADJ", "dog|NOUN", "cat|NOUN"], window=1)
    >>> table.matrix.toarray()  # the phrase's own words are no contexts of it
    array([[0, 1, 0]], dtype=int32)
    """
    labels, columns = Labels(labels), Labels(columns)
    occurrences, phrase_of = np.asarray(occurrences, dtype=np.int64), np.asarray(phrase_of, dtype=np.int64)
    plan = _plan(corpus, labels, columns, window, content_only)
    order = np.argsort(occurrences[:, 0], kind="stable")
    order = order[phrase_of[order] >= 0]
    occurrences, phrase_of = occurrences[order], phrase_of[order]

    add, shared = partial(summed, shape=(len(labels), len(columns))), (plan, len(labels), 1 if client else threads)
    matrix = reduced(add, _count_spans, corpus, occurrences, phrase_of, *shared, tokens=PART, client=client)
    return Counts(matrix, labels, columns)


@dataclass(frozen=True)
class _Plan:
    """What every part needs: the column of each word (-1: none), whether it takes a place, and the window."""

    column_of: np.ndarray
    takes_place: np.ndarray
    n_columns: int
    window: int


def numbering(words: Labels, chosen: Labels) -> np.ndarray:
    """For each word its number among `chosen`, or -1: int32 [len(words)].

    >>> numbering(Labels(["a", "b", "c"]), Labels(["c", "a"]))
    array([ 1, -1,  0], dtype=int32)
    """
    places = words.encode(chosen)
    number = np.full(len(words), -1, dtype=np.int32)
    number[places[places >= 0]] = np.flatnonzero(places >= 0)
    return number


def _plan(corpus: Corpus, rows: Labels, columns: Labels, window: int | None, content_only: bool) -> _Plan:
    if window is not None and not (isinstance(window, Integral) and window >= 1):
        raise ValueError(f"window={window!r}: it must be a whole number from 1, or None for the sentence")
    if not len(rows) or not len(columns):
        raise ValueError(f"{len(rows)} rows and {len(columns)} columns: there is nothing to count")
    takes_place = content_mask(corpus.words).copy() if content_only else np.ones(len(corpus.words), dtype=bool)
    useless = [columns[i] for i in np.flatnonzero(~content_mask(columns))] if content_only else []
    if useless:
        shown = ", ".join(useless[:5]) + (", ..." if len(useless) > 5 else "")
        problem = f"{len(useless)} columns are no content words ({shown}) and would never be counted"
        raise ValueError(f"{problem}; leave them out, or pass content_only=False")
    return _Plan(numbering(corpus.words, columns), takes_place, len(columns), window or LARGEST)


def summed(parts: Iterable[sparse.csr_array], shape: tuple[int, int]) -> sparse.csr_array:
    """The sum of integer matrices, in int64 where int32 could overflow.

    >>> one = sparse.csr_array([[1, 0]], dtype=np.int32)
    >>> summed([one, one], (1, 2)).toarray()
    array([[2, 0]], dtype=int32)
    """
    total = sparse.csr_array(shape, dtype=np.int32)
    for part in parts:
        if not total.nnz:
            total = part
            continue
        if int(total.data.max(initial=0)) + int(part.data.max(initial=0)) > LARGEST:
            total = total.astype(np.int64)
        total = total + part
    return total


def _count_windows(corpus: Corpus, chunk, row_of, plan: _Plan, n_rows: int, threads: int | None) -> sparse.csr_array:
    """The window counts of one part of the corpus."""
    word, offsets = piece(corpus, chunk)
    stream, slot = _stream(word, offsets, plan)
    starts, first = _by_row(row_of[word], slot, n_rows)
    taken = np.zeros(n_rows, dtype=bool)
    taken[row_of[row_of >= 0]] = plan.takes_place[row_of >= 0]
    length, word_slots = np.repeat(taken, np.diff(starts)), np.empty((0, 0), dtype=np.int32)
    del slot
    return _count_blocks(stream, starts, first, length, word_slots, offsets, plan, threads)


def _count_spans(corpus: Corpus, chunk, occurrences, row, plan: _Plan, n_rows: int, threads) -> sparse.csr_array:
    """The counts of one part of the corpus, of those occurrences [n, k] of phrases that lie in it."""
    here = slice(*np.searchsorted(occurrences[:, 0], chunk))  # in order, and none crosses a sentence border
    if here.start == here.stop:
        return sparse.csr_array((n_rows, plan.n_columns), dtype=np.int32)
    (word, offsets), occurrences, row = piece(corpus, chunk), occurrences[here] - chunk[0], row[here]
    starts, order = _by_row(row, np.arange(len(row), dtype=np.int32), n_rows)
    stream, slot = _stream(word, offsets, plan)
    occurrences = np.sort(occurrences[order], axis=1)
    counted = plan.takes_place[word[occurrences]]
    counted[:, 1:] &= occurrences[:, 1:] != occurrences[:, :-1]  # a token named twice is left out once
    word_slots = np.where(counted, slot[occurrences], -1).astype(np.int32)
    first, last = slot[occurrences[:, 0]], occurrences[:, -1]
    length = slot[last] + plan.takes_place[word[last]] - first
    return _count_blocks(stream, starts, first, length, word_slots, offsets, plan, threads)


def _by_row(row: np.ndarray, values: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each row's values start, and the values row by row, in order; a row of -1 has none."""
    places = np.flatnonzero(row >= 0)
    table = sparse.csr_array((values[places], (row[places], places)), shape=(n_rows, len(row)))
    return table.indptr.astype(np.int64), table.data


def _stream(word: np.ndarray, offsets: np.ndarray, plan: _Plan) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the tokens that take a place, a `SEPARATOR` around each sentence; and each token's slot in it."""
    taken, lengths = plan.takes_place[word], np.diff(offsets)
    slot = np.cumsum(taken) - taken + np.repeat(np.arange(1, len(offsets)), lengths)
    stream = np.full(taken.sum() + len(offsets), SEPARATOR, dtype=np.int32)
    stream[slot[taken]] = plan.column_of[word[taken]]
    return stream, slot.astype(np.int32)


def _count_blocks(stream, starts, first, length, word_slots, offsets, plan: _Plan, threads) -> sparse.csr_array:
    """Count all rows, block after block, on several threads; the blocks come together in their order."""
    longest = int(np.diff(offsets).max(initial=0))
    visits = np.diff(starts) * min(2 * plan.window + longest * (word_slots.shape[1] > 1), longest)
    most = np.minimum(visits, plan.n_columns)

    def count(block):
        a, b = block
        accumulators = np.zeros((plan.n_columns + 63) // 64 * 64, dtype=np.int64)
        used = np.zeros(len(accumulators) // 64, dtype=np.uint8)
        indices, data = np.empty(most[a:b].sum(), np.int32), np.empty(most[a:b].sum(), np.int64)
        lengths = np.empty(b - a, dtype=np.int64)
        cells = (accumulators, used, indices, data, lengths)
        n = _count_rows(stream, starts[a : b + 1], first, length, word_slots, plan.window, *cells)
        dtype = np.int32 if data[:n].max(initial=0) <= LARGEST else np.int64
        return indices[:n].copy(), data[:n].astype(dtype), lengths

    bounds = _block_bounds(most, visits)
    with ThreadPoolExecutor(min(threads or os.cpu_count() or 1, len(bounds))) as pool:
        indices, data, lengths = (np.concatenate(parts) for parts in zip(*pool.map(count, bounds), strict=True))
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indptr = indptr.astype(np.int32 if indptr[-1] <= LARGEST else np.int64)
    return sparse.csr_array((data, indices, indptr), shape=(len(starts) - 1, plan.n_columns))


def _block_bounds(sizes: np.ndarray, work: np.ndarray) -> list[tuple[int, int]]:
    """Cut the rows into blocks of about `SCRATCH` non-zeros at most and about a 64th of the work."""
    share = max(1, work.sum() / 64)
    block = np.floor(np.cumsum(np.maximum(sizes / SCRATCH, work / share)))
    cuts = np.flatnonzero(np.diff(block)) + 1
    return list(pairwise([0, *cuts.tolist(), len(sizes)]))


@njit(nogil=True, cache=True)
def _walk(stream, start, step, places, accumulators, used):
    """Count from `start` in one direction, up to so many places or to the sentence border."""
    i = start
    while places > 0 and stream[i] != SEPARATOR:
        column = stream[i]
        if column >= 0:
            accumulators[column] += 1
            used[column >> 6] = 1
        i += step
        places -= 1


@njit(nogil=True, cache=True)
def _count_rows(stream, starts, first, length, word_slots, window, accumulators, used, indices, data, row_lengths):
    """Count some rows one after the other; returns how many non-zeros were written, in column order."""
    n = 0
    for row in range(len(starts) - 1):
        for o in range(starts[row], starts[row + 1]):
            end = first[o] + length[o]
            _walk(stream, first[o] - 1, -1, window, accumulators, used)
            _walk(stream, end, 1, window, accumulators, used)
            for k in range(word_slots.shape[1]):  # a phrase: all inside its span, less its own words
                if k == 0:
                    _walk(stream, first[o], 1, length[o], accumulators, used)
                if word_slots[o, k] >= 0 and stream[word_slots[o, k]] >= 0:
                    accumulators[stream[word_slots[o, k]]] -= 1
        before = n
        for block in range(len(used)):
            if used[block]:
                used[block] = 0
                for column in range(block * 64, block * 64 + 64):
                    if accumulators[column]:
                        indices[n] = column
                        data[n] = accumulators[column]
                        accumulators[column] = 0
                        n += 1
        row_lengths[row] = n - before
    return n
