"""Co-occurrence counts: which words stand near which, in a window, over a dependency, or around a phrase.

The unit of a window is the *content word*: a noun, verb, adjective, adverb or proper noun that is not a stop word.
Stop words and all other tokens are taken out of the sentence first, as in Rimell et al. (2016, section 5.1), so a
window of 3 is three content words on each side. No window crosses a sentence border.

How the counting works. The sentences become one *stream* of integers, an element for each content word (its column,
or -1 if it is no column), with a separator between sentences. Each row has the list of its occurrences in the
stream, and the row is counted by walking left and right from each of them into one array of accumulators that fits
into the cache. Rows are independent of each other, so threads take blocks of rows; every count is an integer sum of
its own row, and the result is the same whatever the number of threads, parts, or Dask workers.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus, Sentence, corpus_from_sentences

CONTENT_TAGS = frozenset(("NOUN", "VERB", "ADJ", "ADV", "PROPN"))

# Function words as lemmas, written for this project: no window counts them, whatever tag the tagger gave them.
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

SEPARATOR = -2  # in the stream: a sentence border
NO_COLUMN = -1  # in the stream: a content word that is no column, but takes its place in the window
_SCRATCH = 1 << 22  # non-zeros that one block of rows may have
_PART = 64_000_000  # tokens that are counted at a time on one machine: some 10 bytes each


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
        for name in ("rows", "columns"):
            if not isinstance(getattr(self, name), Labels):
                object.__setattr__(self, name, Labels(getattr(self, name)))
        matrix = sparse.csr_array(self.matrix)
        if matrix.shape != (len(self.rows), len(self.columns)):
            raise ValueError(f"{len(self.rows)} rows and {len(self.columns)} columns, but a matrix of {matrix.shape}")
        if matrix.dtype.kind not in "iu" or matrix.nnz and matrix.data.min() < 0:
            raise ValueError(f"counts are whole numbers of 0 or more; this matrix holds {matrix.dtype}")
        object.__setattr__(self, "matrix", matrix.astype(_fitting(matrix), copy=False))

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

    @property
    def empty_rows(self) -> list[str]:
        """The rows without a single count: words that the corpus lacks, or that never met a column."""
        return [self.rows[i] for i in np.flatnonzero(np.diff(self.matrix.indptr) == 0)]

    def save(self, path: str | os.PathLike) -> Path:
        """Write to `path` (`.npz`, no pickle), atomically and in the narrowest integers that hold the counts."""
        return storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Counts":
        """Read what `save` wrote; a `StorageError` names a file that cannot be used, and why."""
        return storage.load(path, cls, remedy="Count again and save with Counts.save.")


def _fitting(matrix) -> type:
    return np.int32 if matrix.data.max(initial=0) <= np.iinfo(np.int32).max else np.int64


# ------------------------------------------------------------------------------------------------- content words


@lru_cache(maxsize=4)
def content_mask(words: Labels) -> np.ndarray:
    """Which of these `lemma|UPOS` labels are content words: bool [len(words)].

    A content word is tagged NOUN, VERB, ADJ, ADV or PROPN, is no stop word, and has at least one letter.
    """
    mask = np.zeros(len(words), dtype=bool)
    for i, word in enumerate(words):
        lemma, _, tag = word.rpartition("|")
        mask[i] = tag in CONTENT_TAGS and lemma not in STOP_WORDS and any(map(str.isalpha, lemma))
    mask.flags.writeable = False
    return mask


def content_words(corpus: Corpus, n: int | None = None) -> Labels:
    """The `n` most frequent content words of the corpus (all by default), equals in alphabetical order."""
    counts = corpus.word_counts
    known = np.flatnonzero(content_mask(corpus.words) & (counts > 0))
    if n is not None and n < len(known):
        threshold = np.partition(counts[known], len(known) - n)[len(known) - n] if n else np.inf
        known = known[counts[known] >= threshold]
    return Labels([corpus.words[i] for i in sorted(known, key=lambda i: (-counts[i], corpus.words[i]))][:n])


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
    part_tokens: int | None = None,
) -> Counts:
    """Count how often each column word stands in the window around each row word.

    Parameters
    ----------
    corpus : Corpus
    rows, columns : Labels or sequence of str
        Words as `lemma|UPOS`. A word that the corpus lacks gets zeros (see `Counts.empty_rows`). Each occurrence of
        a row counts, however rare; a word that is no row still takes its place in the window of others.
    window : int or None
        So many content words on each side, within the sentence; None for the whole sentence.
    content_only : bool
        True: stop words and tokens that are no content words are taken out before the window is laid. A *row* may
        still be such a word (*have* as a verb, say): it is counted from where it stands and takes no place itself.
        False: every token takes a place.
    threads : int, optional
        Threads on this machine; as many as there are cores by default. The counts do not depend on it.
    client : dask.distributed.Client, optional
        Count on its cluster instead (extra `scale`): the corpus is sent part by part, 4 bytes a token, so the
        workers need no copy of it. The counts are the same.
    part_tokens : int, optional
        Tokens that are counted at a time, which bounds the memory. The counts do not depend on it.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If the window is not positive, or a column could never be counted since it is no content word.

    Examples
    --------
    *the dog chase the small cat* with a window of 1: *dog* meets *chase*, *chase* meets *dog* and *small*.
    """
    rows, columns = _labels(rows), _labels(columns)
    plan = _plan(corpus, rows, columns, window, content_only)
    row_of = _numbering(corpus.words, rows)
    if client is not None:
        matrix = _sum(_dask_parts(client, corpus, row_of, plan, len(rows), part_tokens), (len(rows), len(columns)))
    else:
        pieces = _pieces(corpus, part_tokens or _PART)
        parts = (_count_words(word, offsets, row_of, plan, len(rows), threads) for word, offsets in pieces)
        matrix = _sum(parts, (len(rows), len(columns)))
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
    part_tokens: int | None = None,
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
    columns, window, content_only, threads, part_tokens
        As in `count_windows`.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If an occurrence lies outside the corpus or crosses a sentence border, or its phrase has no label.
    """
    labels, columns = _labels(labels), _labels(columns)
    occurrences, phrase_of = np.asarray(occurrences, dtype=np.int64), np.asarray(phrase_of, dtype=np.int64)
    if occurrences.ndim != 2 or phrase_of.shape != occurrences.shape[:1] or occurrences.shape[1] == 0:
        raise ValueError(f"occurrences {occurrences.shape} and phrase_of {phrase_of.shape} must be [n, k] and [n]")
    if len(phrase_of) and not -1 <= phrase_of.min() <= phrase_of.max() < len(labels):
        raise ValueError(f"phrase_of runs to {phrase_of.max()}, but there are {len(labels)} labels")
    plan = _plan(corpus, labels, columns, window, content_only)
    kept = phrase_of >= 0
    occurrences, phrase_of = occurrences[kept], phrase_of[kept]
    if len(occurrences):
        _check_occurrences(corpus, occurrences)
    first = occurrences.min(axis=1) if len(occurrences) else np.zeros(0, dtype=np.int64)
    parts = []
    start = 0
    for word, offsets in _pieces(corpus, part_tokens or _PART):
        here = (first >= start) & (first < start + len(word))
        if here.any():
            parts.append(
                _count_spans(word, offsets, occurrences[here] - start, phrase_of[here], plan, len(labels), threads)
            )
        start += len(word)
    return Counts(_sum(parts, (len(labels), len(columns))), labels, columns)


@dataclass(frozen=True)
class _Plan:
    """What every part needs: the column of each word (-1: none), whether it takes a place, and the window."""

    column_of: np.ndarray
    takes_place: np.ndarray
    n_columns: int
    window: int


def _labels(names) -> Labels:
    return names if isinstance(names, Labels) else Labels(names)


def _numbering(words: Labels, chosen: Labels) -> np.ndarray:
    """For each word its number among `chosen`, or -1: int32 [len(words)]."""
    places = words.encode(chosen)
    number = np.full(len(words), -1, dtype=np.int32)
    number[places[places >= 0]] = np.flatnonzero(places >= 0)
    return number


def _plan(corpus: Corpus, rows: Labels, columns: Labels, window: int | None, content_only: bool) -> _Plan:
    if window is not None and window < 1:
        raise ValueError(f"window={window}: it must be at least 1, or None for the sentence")
    if not len(rows) or not len(columns):
        raise ValueError(f"{len(rows)} rows and {len(columns)} columns: there is nothing to count")
    if content_only:
        useless = [label for label, content in zip(columns, content_mask(columns), strict=True) if not content]
        if useless:
            shown = ", ".join(useless[:5]) + (", ..." if len(useless) > 5 else "")
            raise ValueError(
                f"{len(useless)} columns are no content words ({shown}) and would never be counted; "
                "leave them out, or pass content_only=False"
            )
        takes_place = content_mask(corpus.words).copy()
    else:
        takes_place = np.ones(len(corpus.words), dtype=bool)
    return _Plan(_numbering(corpus.words, columns), takes_place, len(columns), window or np.iinfo(np.int32).max)


def _check_occurrences(corpus: Corpus, occurrences: np.ndarray) -> None:
    if occurrences.min() < 0 or occurrences.max() >= corpus.n_tokens:
        raise ValueError(f"an occurrence lies outside the corpus of {corpus.n_tokens} tokens")
    first, last = np.searchsorted(corpus.offsets, (occurrences.min(axis=1), occurrences.max(axis=1)), side="right")
    if (first != last).any():
        i = int(np.flatnonzero(first != last)[0])
        raise ValueError(f"occurrence {i} at tokens {occurrences[i].tolist()} crosses a sentence border")


def _pieces(corpus: Corpus, part_tokens: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(word, offsets) of consecutive parts of about so many tokens; offsets begin at 0 in each."""
    for start, stop in corpus.chunks(min(part_tokens, 1_000_000_000)):
        low, high = np.searchsorted(corpus.offsets, (start, stop))
        yield np.asarray(corpus.word[start:stop]), np.asarray(corpus.offsets[low : high + 1]) - start


def _sum(parts: Iterable[sparse.csr_array], shape: tuple[int, int]) -> sparse.csr_array:
    """The sum of integer matrices, in int64 where int32 could overflow."""
    total = sparse.csr_array(shape, dtype=np.int32)
    for part in parts:
        if not total.nnz:
            total = part
            continue
        if int(total.data.max(initial=0)) + int(part.data.max(initial=0)) > np.iinfo(np.int32).max:
            total = total.astype(np.int64)
        total = total + part
    return total


def _dask_parts(client, corpus: Corpus, row_of: np.ndarray, plan: _Plan, n_rows: int, part_tokens: int | None):
    """Matrices of the parts, in the order of the corpus; a few parts for each worker are on their way at a time."""
    in_flight = 2 * max(1, sum(client.nthreads().values()))
    part_tokens = part_tokens or int(np.clip(corpus.n_tokens // (2 * in_flight), 1, 16_000_000))
    shared = client.scatter([row_of, plan], broadcast=True, hash=False)
    waiting = deque()
    for word, offsets in _pieces(corpus, part_tokens):
        piece = client.scatter([np.array(word), offsets], hash=False)
        waiting.append(client.submit(_count_words, *piece, *shared, n_rows, 1, pure=False))
        if len(waiting) >= in_flight:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _count_words(word, offsets, row_of, plan: _Plan, n_rows: int, threads: int | None) -> sparse.csr_array:
    """The window counts of one part of the corpus."""
    starts = np.concatenate(([0], np.cumsum(_count_occurrences(word, row_of, n_rows))))
    stream = np.empty(len(word) + len(offsets), dtype=np.int32)
    first = np.empty(starts[-1], dtype=np.int32)
    length = np.empty(starts[-1], dtype=np.uint8)
    n = _fill_stream(word, offsets, plan.column_of, plan.takes_place, row_of, starts[:-1].copy(), stream, first, length)
    own = np.empty((0, 0), dtype=np.int32)
    return _count_blocks(stream[:n], starts, first, length, own, _longest(offsets), plan, threads)


def _count_spans(word, offsets, occurrences, phrase_of, plan: _Plan, n_rows: int, threads) -> sparse.csr_array:
    """The phrase counts of one part of the corpus."""
    slot = np.empty(len(word), dtype=np.int32)
    stream = np.empty(len(word) + len(offsets), dtype=np.int32)
    n = _fill_slots(word, offsets, plan.column_of, plan.takes_place, stream, slot)
    order = np.argsort(phrase_of, kind="stable")
    occurrences = np.sort(occurrences[order], axis=1)
    starts = np.concatenate(([0], np.cumsum(np.bincount(phrase_of, minlength=n_rows))))
    counted = plan.takes_place[word[occurrences]]
    counted[:, 1:] &= occurrences[:, 1:] != occurrences[:, :-1]  # a token named twice is left out once
    own = np.where(counted, slot[occurrences], -1).astype(np.int32)
    first, last = slot[occurrences[:, 0]], occurrences[:, -1]
    length = slot[last] + plan.takes_place[word[last]] - first
    return _count_blocks(stream[:n], starts, first, length, own, _longest(offsets), plan, threads)


def _longest(offsets: np.ndarray) -> int:
    return int(np.diff(offsets).max(initial=0))


def _count_blocks(stream, starts, first, length, own, longest, plan: _Plan, threads) -> sparse.csr_array:
    """Count all rows, block after block, on several threads; the blocks come together in their order."""
    visits = np.diff(starts) * min(2 * plan.window + longest * (own.shape[1] > 0), longest)
    bounds = _block_bounds(np.minimum(visits, plan.n_columns), visits)
    scratch = max(int(np.minimum(visits[a:b], plan.n_columns).sum()) for a, b in bounds)
    free = deque()

    def count(block):
        a, b = block
        try:
            desk = free.pop()
        except IndexError:
            accumulators = np.zeros((plan.n_columns + 63) // 64 * 64, dtype=np.int64)
            used = np.zeros(len(accumulators) // 64, dtype=np.uint8)
            desk = (accumulators, used, np.empty(scratch, np.int32), np.empty(scratch, np.int64))
        row_lengths = np.empty(b - a, dtype=np.int64)
        n = _count_rows(stream, starts[a : b + 1], first, length, own, plan.window, *desk, row_lengths)
        indices, data = desk[2][:n].copy(), desk[3][:n]
        data = data.astype(np.int32 if data.max(initial=0) <= np.iinfo(np.int32).max else np.int64)
        free.append(desk)
        return indices, data, row_lengths

    threads = min(threads or os.cpu_count() or 1, len(bounds))
    if threads == 1:
        blocks = [count(block) for block in bounds]
    else:
        with ThreadPoolExecutor(threads) as pool:
            blocks = list(pool.map(count, bounds))
    free.clear()
    lengths = np.concatenate([block[2] for block in blocks])
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    width = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
    indices = np.empty(indptr[-1], dtype=width)
    data = np.empty(indptr[-1], dtype=np.result_type(*(block[1].dtype for block in blocks)))
    at = 0
    for i, (block_indices, block_data, _) in enumerate(blocks):
        indices[at : at + len(block_data)] = block_indices
        data[at : at + len(block_data)] = block_data
        at += len(block_data)
        blocks[i] = None  # so that the blocks and the whole are never both in memory
        del block_indices, block_data
    return sparse.csr_array((data, indices, indptr.astype(width)), shape=(len(starts) - 1, plan.n_columns))


def _block_bounds(sizes: np.ndarray, work: np.ndarray) -> list[tuple[int, int]]:
    """Cut the rows into blocks of at most `_SCRATCH` non-zeros and about a 64th of the work."""
    share = max(1, int(work.sum()) // 64)
    bounds, start, size, done = [], 0, 0, 0
    for row, (more, effort) in enumerate(zip(sizes.tolist(), work.tolist(), strict=True)):
        if row > start and (size + more > _SCRATCH or done + effort > share):
            bounds.append((start, row))
            start, size, done = row, 0, 0
        size += more
        done += effort
    return [*bounds, (start, len(sizes))]


@njit(nogil=True, cache=True)
def _count_occurrences(word, row_of, n_rows):
    counts = np.zeros(n_rows, dtype=np.int64)
    for t in range(len(word)):
        row = row_of[word[t]]
        if row >= 0:
            counts[row] += 1
    return counts


@njit(nogil=True, cache=True)
def _fill_stream(word, offsets, column_of, takes_place, row_of, cursor, stream, first, length):
    """Write the stream, and for each row's occurrences where they stand in it; returns the stream's length."""
    stream[0] = SEPARATOR
    n = 1
    for s in range(len(offsets) - 1):
        for t in range(offsets[s], offsets[s + 1]):
            w = word[t]
            row = row_of[w]
            if row >= 0:
                first[cursor[row]] = n
                length[cursor[row]] = takes_place[w]
                cursor[row] += 1
            if takes_place[w]:
                stream[n] = column_of[w]
                n += 1
        stream[n] = SEPARATOR
        n += 1
    return n


@njit(nogil=True, cache=True)
def _fill_slots(word, offsets, column_of, takes_place, stream, slot):
    """Write the stream, and for each token how many elements of the stream stand before it."""
    stream[0] = SEPARATOR
    n = 1
    for s in range(len(offsets) - 1):
        for t in range(offsets[s], offsets[s + 1]):
            slot[t] = n
            if takes_place[word[t]]:
                stream[n] = column_of[word[t]]
                n += 1
        stream[n] = SEPARATOR
        n += 1
    return n


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
def _count_rows(stream, starts, first, length, own, window, accumulators, used, indices, data, row_lengths):
    """Count some rows one after the other; returns how many non-zeros were written, in column order."""
    n = 0
    for row in range(len(starts) - 1):
        for o in range(starts[row], starts[row + 1]):
            end = first[o] + length[o]
            _walk(stream, first[o] - 1, -1, window, accumulators, used)
            _walk(stream, end, 1, window, accumulators, used)
            for k in range(own.shape[1]):  # a phrase: all inside its span, less its own words
                if k == 0:
                    _walk(stream, first[o], 1, length[o], accumulators, used)
                if own[o, k] >= 0 and stream[own[o, k]] >= 0:
                    accumulators[stream[own[o, k]]] -= 1
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


# -------------------------------------------------------------------------------------------------- dependencies

_PLAIN, _IGNORED, _PREPOSITION, _OBJECT, _CLAUSE, _OBLIQUE, _AGENT, _CASE = range(8)
_ROLES = {
    "root": _IGNORED,
    "punct": _IGNORED,
    "prep": _PREPOSITION,  # Stanford/CLEAR: verb -prep-> with -pobj-> telescope
    "agent": _PREPOSITION,
    "dative": _PREPOSITION,
    "pobj": _OBJECT,
    "pcomp": _CLAUSE,
    "nmod": _OBLIQUE,  # Universal Dependencies: verb -obl-> telescope -case-> with
    "obl": _OBLIQUE,
    "obl:agent": _AGENT,
    "case": _CASE,
}
_PASSIVE = frozenset(("nsubjpass", "csubjpass", "auxpass", "nsubj:pass", "csubj:pass", "aux:pass"))


def count_dependencies(
    corpus: Corpus,
    rows: Labels | Sequence[str],
    columns: Labels | Sequence[str] | None = None,
    *,
    min_count: int = 1,
    collapse_prepositions: bool = True,
    chunk_tokens: int = 2_000_000,
) -> Counts:
    """Count the dependency contexts of Levy and Goldberg (2014, section 3).

    An arc from head h to dependent m with label r gives h the context `r:m` and m the inverse context `r-1:h`, for
    instance `nsubj:dog|NOUN` for *bark* and `nsubj-1:bark|VERB` for *dog*. Root and punctuation arcs are left out.

    With collapsed prepositions, *discover with telescope* is one arc `prep_with` from the verb to the noun, in both
    label schemes: Stanford/CLEAR `prep` + `pobj` (`prepc_with` for a clause, `pcomp`; a preposition on a preposition,
    *out of the house*, is named by the last and hangs from the word above both), and Universal Dependencies `obl` or
    `nmod` with an adposition as its `case` (the first, if there are several; *obl:npmod* and *nmod:poss* stay).
    The agent of a passive is `agent` in both.

    Parameters
    ----------
    corpus : Corpus
    rows : Labels or sequence of str
        Words as `lemma|UPOS`.
    columns : Labels or sequence of str, optional
        Contexts to count; by default all that occur with the rows, most frequent first, equals in alphabetical order.
    min_count : int
        Without `columns`: contexts that occur less often with the rows are dropped.
    collapse_prepositions : bool
    chunk_tokens : int
        Tokens worked on at a time, which bounds the memory. The counts do not depend on it.

    Returns
    -------
    Counts
    """
    rows = _labels(rows)
    relations = _Relations(corpus, collapse_prepositions)
    row_of = _numbering(corpus.words, rows)
    keys, counts, table = _EMPTY_KEYS, np.empty(0, dtype=np.int64), _new_table(1 << 16)
    used = 0
    chunks = list(corpus.chunks(chunk_tokens))
    for chunk in chunks:
        _, found = relations.contexts(corpus, chunk, row_of)
        keys, counts, table, used = _tally(found, keys, counts, table, used)
    keys, counts = keys[:used], counts[:used]
    columns, column_of = relations.columns(keys, counts, columns, min_count)
    matrix = sparse.csr_array((len(rows), len(columns)), dtype=np.int32)
    for chunk in chunks:
        row, found = relations.contexts(corpus, chunk, row_of)
        column = column_of[_look_up(found, keys, table)]
        kept = column >= 0
        ones = np.ones(int(kept.sum()), dtype=np.int32)
        part = sparse.coo_array((ones, (row[kept], column[kept])), shape=matrix.shape).tocsr()
        matrix = _sum((matrix, part), matrix.shape)
    return Counts(matrix, rows, columns)


_EMPTY_KEYS = np.empty(0, dtype=np.int64)


class _Relations:
    """Numbers for relations and contexts: key = (relation * 2 + inverse) * n_words + word.

    Relations are the corpus's labels, then `prep_x` and `prepc_x` for each word x, then `agent`. With `find_agents`
    an oblique with *by* is the agent where its verb is seen to be passive: UD version 1 has no label for it.
    """

    def __init__(self, corpus: Corpus, collapse: bool, find_agents: bool = False):
        self.words, self.deprels = corpus.words, corpus.deprels
        self.n_words, self.n_deprels = len(self.words), len(self.deprels)
        self.n_relations = self.n_deprels + 2 * self.n_words + 1
        self.role = np.array([_role(label) if collapse or _role(label) == _IGNORED else _PLAIN
                              for label in self.deprels], dtype=np.int8)  # fmt: skip
        self.adposition = np.array([word.endswith("|ADP") for word in self.words])
        self.agent = self.deprels.get("agent", self.n_deprels + 2 * self.n_words)
        first_with: dict[str, int] = {}
        self.same_lemma = np.array(
            [first_with.setdefault(word.rpartition("|")[0], i) for i, word in enumerate(self.words)], dtype=np.int64
        )
        self.by = first_with.get("by", -1) if collapse and find_agents else -1
        self.voice = np.array([_voice(label) for label in self.deprels], dtype=np.int8)

    def arcs(self, corpus: Corpus, chunk: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(governor, relation, dependent) of every arc in the chunk, the words as token positions within it."""
        start, stop = chunk
        columns = [np.asarray(column[start:stop]) for column in (corpus.word, corpus.head, corpus.deprel)]
        tables = (self.role, self.voice, self.adposition, self.same_lemma)
        governor, dependent = np.empty((2, stop - start), dtype=np.int32)
        relation = np.empty(stop - start, dtype=np.int64)
        numbers = (self.n_deprels, self.n_words, self.agent, self.by)
        n = _collect_arcs(*columns, *tables, *numbers, governor, relation, dependent)
        return governor[:n], relation[:n], dependent[:n]

    def contexts(self, corpus: Corpus, chunk: tuple[int, int], row_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(row, context key) of every arc end in the chunk whose word is a row."""
        word = np.asarray(corpus.word[chunk[0] : chunk[1]])
        return _arc_ends(word, *self.arcs(corpus, chunk), row_of, self.n_words)

    def relation_name(self, relation: int) -> str:
        if relation < self.n_deprels:
            return self.deprels[relation]
        kind, word = divmod(relation - self.n_deprels, self.n_words)
        return ("prep_", "prepc_")[kind] + self.words[word].rpartition("|")[0] if kind < 2 else "agent"

    def name(self, key: int) -> str:
        """The context's label, `relation:word` or `relation-1:word`."""
        arc, word = divmod(int(key), self.n_words)
        relation, inverse = divmod(arc, 2)
        return f"{self.relation_name(relation)}{'-1' if inverse else ''}:{self.words[word]}"

    def columns(self, keys, counts, columns, min_count) -> tuple[Labels, np.ndarray]:
        """The columns, and for each key its column or -1."""
        kept = np.flatnonzero(counts >= min_count) if columns is None else np.arange(len(keys))
        names = [self.name(key) for key in keys[kept]]
        if columns is None:
            columns = Labels(names[i] for i in sorted(range(len(kept)), key=lambda i: (-counts[kept[i]], names[i])))
        columns = _labels(columns)
        column_of = np.full(len(keys) + 1, -1, dtype=np.int64)
        column_of[kept] = columns.encode(names)
        return columns, column_of


def _role(label: str) -> int:
    if label in _ROLES:
        return _ROLES[label]
    return _OBLIQUE if label.partition(":")[0] in ("nmod", "obl") and label != "nmod:poss" else _PLAIN


def _voice(label: str) -> int:
    if label in _PASSIVE:
        return 1
    return 2 if label == "acl" else 0


@njit(nogil=True, cache=True)
def _collect_arcs(
    word, head, deprel, role, voice, adposition, same_lemma, n_deprels, n_words, agent, by, upper, name, lower
):
    """Write governor, relation and dependent of each arc into the last three; returns how many there are."""
    size = len(word)
    case_of = np.full(size, -1, dtype=np.int64)  # of an oblique: its first adposition
    has_object = np.zeros(size, dtype=np.bool_)  # of a preposition: whether something hangs from it
    passive = np.zeros(size, dtype=np.bool_)  # of a verb: whether it has a passive subject or auxiliary, or is `acl`
    for t in range(size):
        kind = role[deprel[t]]
        above = t + head[t]
        if kind == _CASE and adposition[word[t]] and case_of[above] < 0:
            case_of[above] = t
        elif kind == _OBJECT or kind == _CLAUSE:
            has_object[above] = True
        if by >= 0 and voice[deprel[t]] == 1:
            passive[above] = True
        elif by >= 0 and voice[deprel[t]] == 2:
            passive[t] = True
    n = 0
    for t in range(size):
        kind = role[deprel[t]]
        if head[t] == 0 or kind == _IGNORED:
            continue
        governor = t + head[t]
        relation = np.int64(deprel[t])
        above_kind = role[deprel[governor]]
        if kind == _PREPOSITION and has_object[t]:
            continue
        if kind == _CASE and adposition[word[t]] and (above_kind == _OBLIQUE or above_kind == _AGENT):
            continue
        if (kind == _OBJECT or kind == _CLAUSE) and above_kind == _PREPOSITION and head[governor] != 0:
            preposition = governor
            while role[deprel[governor]] == _PREPOSITION and adposition[word[governor]] and head[governor] != 0:
                governor += head[governor]
            if governor == preposition:
                governor += head[governor]
            if deprel[preposition] == agent:
                relation = agent
            else:
                relation = n_deprels + n_words * (kind == _CLAUSE) + same_lemma[word[preposition]]
        elif kind == _OBLIQUE and case_of[t] >= 0:
            adposition_lemma = same_lemma[word[case_of[t]]]
            if passive[governor] and adposition_lemma == by:
                relation = agent
            else:
                relation = n_deprels + adposition_lemma
        elif kind == _AGENT and case_of[t] >= 0:
            relation = agent
        upper[n], name[n], lower[n] = governor, relation, t
        n += 1
    return n


@njit(nogil=True, cache=True)
def _arc_ends(word, governor, relation, dependent, row_of, n_words):
    rows, keys = np.empty(2 * len(governor), dtype=np.int32), np.empty(2 * len(governor), dtype=np.int64)
    n = 0
    for i in range(len(governor)):
        upper, lower = word[governor[i]], word[dependent[i]]
        if row_of[upper] >= 0:
            rows[n] = row_of[upper]
            keys[n] = relation[i] * 2 * n_words + lower
            n += 1
        if row_of[lower] >= 0:
            rows[n] = row_of[lower]
            keys[n] = (relation[i] * 2 + 1) * n_words + upper
            n += 1
    return rows[:n], keys[:n]


# A hash table from context keys to 0, 1, 2, ... in the order in which they were first seen: open addressing, size a
# power of two, at most half full; `table` holds the numbers, `keys` and `counts` what belongs to them.


@njit(nogil=True, cache=True)
def _new_table(size):
    return np.full(size, -1, dtype=np.int64)


@njit(nogil=True, cache=True)
def _slot_of(key, keys, table):
    mask = np.uint64(len(table) - 1)
    slot = ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(nogil=True, cache=True)
def _tally(found, keys, counts, table, used):
    """Count the keys of `found`; the table grows as it must."""
    for key in found:
        if 2 * (used + 1) > len(table):
            table = _new_table(2 * len(table))
            for i in range(used):
                table[_slot_of(keys[i], keys, table)] = i
        if used == len(keys):
            more = max(1024, len(keys))
            keys = np.concatenate((keys, np.zeros(more, dtype=np.int64)))
            counts = np.concatenate((counts, np.zeros(more, dtype=np.int64)))
        slot = _slot_of(key, keys, table)
        if table[slot] < 0:
            table[slot] = used
            keys[used] = key
            used += 1
        counts[table[slot]] += 1
    return keys, counts, table, used


@njit(nogil=True, cache=True)
def _look_up(found, keys, table):
    """The number of each key, -1 for an unknown one."""
    numbers = np.empty(len(found), dtype=np.int64)
    for i in range(len(found)):
        numbers[i] = table[_slot_of(found[i], keys, table)]
    return numbers


# ------------------------------------------------------------------------------------------------------- triples

# One name for what the label schemes call differently: Stanford/CLEAR, Universal Dependencies 1 and 2.
_CANONICAL = {
    "dobj": "obj",
    "dative": "iobj",
    "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass",
    "aux:pass": "auxpass",
    "nn": "compound",
    "nmod:poss": "poss",
    "acl:relcl": "relcl",
    "rcmod": "relcl",
    "nmod:npmod": "npadvmod",
    "obl:npmod": "npadvmod",
    "nmod:tmod": "npadvmod",
    "obl:tmod": "npadvmod",
    "obl:agent": "agent",
    "nmod:agent": "agent",
    "compound:prt": "prt",
    "cc:preconj": "preconj",
    "det:predet": "predet",
}
_ACTIVE = {"nsubjpass": "obj", "agent": "nsubj"}


class Arc(NamedTuple):
    """One dependency of a sentence: tokens counted from 0, and the canonical name of the relation."""

    governor: int
    relation: str
    dependent: int


@dataclass(frozen=True, eq=False)
class Triples:
    """How often one word governs another in a relation, and the sums that pointwise mutual information needs.

    The sums are over *all* arcs between two words of the table, those too that `pruned` has left out, so that
    `pmi` is the same before and after.

    Parameters
    ----------
    words, relations : Labels
        The relations have canonical names (see `count_triples`).
    governor, relation, dependent : int32 [m]
        Numbers of the words and relations; each triple once, in the order of (governor, relation, dependent).
    count : int64 [m]
        f(w, r, w').
    governor_sums, dependent_sums : scipy.sparse.csr_array [s * R, n], int64
        f(w, r, .) and f(., r, w'), with R relations in s sources (1, or 2 after `backed_off`).
    origin : uint8 [m], optional
        The source of each triple; all 0 by default. Relation r of source s has row s * R + r of the sums.

    Raises
    ------
    ValueError
        If lengths, numbers, order or the shapes of the sums do not fit together.
    """

    words: Labels
    relations: Labels
    governor: np.ndarray
    relation: np.ndarray
    dependent: np.ndarray
    count: np.ndarray
    governor_sums: sparse.csr_array
    dependent_sums: sparse.csr_array
    origin: np.ndarray | None = None

    def __post_init__(self):
        for name in ("words", "relations"):
            object.__setattr__(self, name, _labels(getattr(self, name)))
        for name in ("governor", "relation", "dependent"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int32))
        object.__setattr__(self, "count", np.asarray(self.count, dtype=np.int64))
        origin = np.zeros(len(self.count), dtype=np.uint8) if self.origin is None else np.asarray(self.origin, np.uint8)
        object.__setattr__(self, "origin", origin)
        columns = (self.governor, self.relation, self.dependent, self.count, origin)
        if len({column.shape for column in columns}) > 1 or self.count.ndim != 1:
            raise ValueError(f"columns of different lengths: {', '.join(str(column.shape) for column in columns)}")
        for name, numbered in (("governor", self.words), ("relation", self.relations), ("dependent", self.words)):
            column, limit = getattr(self, name), len(numbered)
            if len(column) and not 0 <= column.min() <= column.max() < limit:
                raise ValueError(f"{name} must be numbers from 0 to {limit - 1}")
        if len(self) and self.count.min() < 1:
            raise ValueError("a triple that never occurred has no place here: counts must be 1 or more")
        key = self._keys()
        if (np.diff(key) <= 0).any():
            raise ValueError("triples must be in the order of (governor, relation, dependent), each of them once")
        for name in ("governor_sums", "dependent_sums"):
            sums = sparse.csr_array(getattr(self, name), dtype=np.int64)
            sources = sums.shape[0] // max(1, len(self.relations))
            enough = sources > origin.max(initial=0) or not len(self.relations)
            if sums.shape != (sources * len(self.relations), len(self.words)) or not enough:
                raise ValueError(f"{name} of shape {sums.shape} for {len(self.relations)} relations of each source "
                                 f"and {len(self.words)} words")  # fmt: skip
            object.__setattr__(self, name, sums)
        if self.governor_sums.shape != self.dependent_sums.shape:
            raise ValueError("governor_sums and dependent_sums must have the same shape")

    def __len__(self) -> int:
        return len(self.count)

    def _keys(self) -> np.ndarray:
        n, r = len(self.words), len(self.relations)
        return (self.governor.astype(np.int64) * r + self.relation) * n + self.dependent

    @property
    def relation_sums(self) -> np.ndarray:
        """f(., r, .), int64 [s * R]."""
        return np.asarray(self.governor_sums.sum(axis=1, dtype=np.int64)).ravel()

    def pmi(self) -> np.ndarray:
        """log f(w, r, w') f(., r, .) / (f(w, r, .) f(., r, w')) of each triple, natural logarithm, float64 [m].

        The formula of Thater, Fürstenau & Pinkal (2010); they do not say to which base.
        """
        if not len(self):
            return np.empty(0)
        row = self.origin.astype(np.int64) * len(self.relations) + self.relation
        marginals = [_cells(self.governor_sums, row, self.governor), _cells(self.dependent_sums, row, self.dependent)]
        if min(part.min() for part in marginals) < 1:
            raise ValueError("a triple occurs, but one of its sums is 0; count again with count_triples")
        return np.log(self.count) + np.log(self.relation_sums[row]) - sum(np.log(part) for part in marginals)

    def pruned(self, min_count: int) -> "Triples":
        """Only the triples that occur at least `min_count` times; the sums stay, and so does `pmi`."""
        return self._chosen(self.count >= min_count)

    def voice_resolved(self) -> "Triples":
        """A passive counted as its active: `nsubjpass` becomes `obj` and `agent` becomes `nsubj`, counts are added.

        The same as `count_triples` with ``resolve_voice``, but for triples that had been left out as too rare in one
        of the two voices.
        """
        names = [_ACTIVE.get(name, name) for name in self.relations]
        relations = Labels(dict.fromkeys(names))
        becomes, n_sources = relations.encode(names), self.governor_sums.shape[0] // max(1, len(self.relations))
        words, r = len(self.words), len(relations)
        key = (self.governor.astype(np.int64) * r + becomes[self.relation]) * words + self.dependent
        unique, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        count = np.bincount(inverse, weights=self.count, minlength=len(unique)).astype(np.int64)
        row = np.concatenate([source * r + becomes for source in range(n_sources)])
        cells = (np.ones(len(row), dtype=np.int64), (row, np.arange(len(row))))
        merge = sparse.csr_array(cells, shape=(n_sources * r, len(row)))
        return Triples(
            self.words, relations, unique // words // r, unique // words % r, unique % words, count,
            merge @ self.governor_sums, merge @ self.dependent_sums, self.origin[first],
        )  # fmt: skip

    def _chosen(self, kept: np.ndarray) -> "Triples":
        columns = (self.governor, self.relation, self.dependent, self.count)
        return Triples(
            self.words, self.relations, *(column[kept] for column in columns),
            self.governor_sums, self.dependent_sums, self.origin[kept],
        )  # fmt: skip

    def save(self, path: str | os.PathLike) -> Path:
        """Write to `path` (`.npz`, no pickle), atomically and in the narrowest integers that hold the numbers."""
        return storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Triples":
        """Read what `save` wrote; a `StorageError` names a file that cannot be used, and why."""
        return storage.load(path, cls, remedy="Count again and save with Triples.save.")


def _cells(matrix: sparse.csr_array, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The values of many cells of a sparse matrix with sorted rows, 0 where nothing is stored."""
    matrix.sort_indices()
    keys = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) * matrix.shape[1] + matrix.indices
    wanted = row * matrix.shape[1] + column
    place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    if not len(keys):
        return np.zeros(len(wanted), dtype=matrix.dtype)
    return np.where(keys[place] == wanted, matrix.data[place], 0)


def count_triples(
    corpus: Corpus,
    words: Labels | Sequence[str],
    *,
    min_count: int = 1,
    collapse_prepositions: bool = True,
    resolve_voice: bool = False,
    chunk_tokens: int = 2_000_000,
) -> Triples:
    """Count dependency triples (governor, relation, dependent) between words.

    The arcs are those of `count_dependencies`: prepositions collapsed, root and punctuation left out. Relations have
    one name whatever the scheme of the parse (Stanford/CLEAR, Universal Dependencies 1 or 2): `obj` (*dobj*),
    `iobj` (*dative*), `nsubjpass` (*nsubj:pass*), `auxpass`, `compound` (*nn*), `poss` (*nmod:poss*), `relcl`
    (*acl:relcl*), `npadvmod` (*nmod:npmod*, *obl:tmod*), `prt`, `preconj`, `predet`, `prep_x`, `agent`; all others
    keep theirs. Universal Dependencies 1 does not mark the agent: there an oblique with *by* is the agent if its verb
    has a passive subject or auxiliary, or is a clause that modifies a noun (*acl*).

    Parameters
    ----------
    corpus : Corpus
    words : Labels or sequence of str
        Words as `lemma|UPOS`. An arc counts if both its words are among them.
    min_count : int
        Rarer triples are left out, though not of the sums (see `Triples`).
    collapse_prepositions : bool
    resolve_voice : bool
        Count a passive as its active: its subject (`nsubjpass`) as `obj`, its `agent` as `nsubj`.
    chunk_tokens : int
        Tokens worked on at a time, which bounds the memory. The counts do not depend on it.

    Returns
    -------
    Triples
        Relations by frequency, equals in alphabetical order.

    Raises
    ------
    ValueError
        If `min_count` is below 1.
    """
    if min_count < 1:
        raise ValueError(f"min_count={min_count}: it must be 1 or more")
    words = _labels(words)
    n = len(words)
    row_of = _numbering(corpus.words, words)
    found_relations = _Relations(corpus, collapse_prepositions, find_agents=True)
    code_of = np.full(found_relations.n_relations, -1, dtype=np.int64)
    names: dict[str, int] = {}
    keys, counts, table, used = _EMPTY_KEYS, np.empty(0, dtype=np.int64), _new_table(1 << 16), 0
    for chunk in corpus.chunks(chunk_tokens):
        upper, relation, lower = found_relations.arcs(corpus, chunk)
        row = row_of[corpus.word[chunk[0] : chunk[1]]]
        both = (row[upper] >= 0) & (row[lower] >= 0)
        upper, relation, lower = row[upper[both]], relation[both], row[lower[both]]
        for new in np.unique(relation[code_of[relation] < 0]):
            name = _canonical(found_relations.relation_name(int(new)), resolve_voice)
            code_of[new] = names.setdefault(name, len(names))
        keys, counts, table, used = _tally((code_of[relation] * n + upper) * n + lower, keys, counts, table, used)
    del table
    keys, counts = keys[:used], counts[:used]
    pair, dependent = np.divmod(keys, max(n, 1))
    relation, governor = np.divmod(pair, max(n, 1))
    del keys, pair
    totals = np.bincount(relation, counts, minlength=len(names)).astype(np.int64)
    labels = list(names)
    order = sorted(range(len(labels)), key=lambda code: (-totals[code], labels[code]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    relation = rank[relation]
    shape = (len(labels), n)
    sums = [sparse.coo_array((counts, (relation, word)), shape=shape).tocsr() for word in (governor, dependent)]
    kept = counts >= min_count
    columns = [column[kept] for column in (governor, relation, dependent, counts)]
    return _in_order(words, Labels(labels[code] for code in order), *columns, *sums, None)


def _in_order(words, relations, governor, relation, dependent, count, governor_sums, dependent_sums, origin) -> Triples:
    order = np.lexsort((dependent, relation, governor))
    columns = [column[order] for column in (governor, relation, dependent, count)]
    origin = None if origin is None else origin[order]
    return Triples(words, relations, *columns, governor_sums, dependent_sums, origin)


def _canonical(relation: str, resolve_voice: bool) -> str:
    relation = _CANONICAL.get(relation, relation)
    return _ACTIVE.get(relation, relation) if resolve_voice else relation


def backed_off(general: Triples, special: Triples) -> Triples:
    """The triples of `general`, and for the words that only `special` has those of `special` in which they take part.

    Cheung & Penn (2012, section 4.4) adapt their models so: a word that the general corpus lacks is looked up in the
    special one. A triple of `special` keeps its count, and `pmi` takes it with the sums of `special`.

    Returns
    -------
    Triples
        Words and relations of `general` first, then the others of `special`; `origin` 1 marks what came from there.

    Raises
    ------
    ValueError
        If one of them is itself the result of backing off.
    """
    for triples in (general, special):
        if triples.governor_sums.shape[0] != len(triples.relations):
            raise ValueError("backed_off joins two tables that were counted; one of these is joined already")
    new_words = [word for word in special.words if word not in general.words]
    words = Labels([*general.words, *new_words])
    relations = Labels([*general.relations, *(name for name in special.relations if name not in general.relations)])
    word_of, relation_of = words.encode(special.words), relations.encode(special.relations)
    governor, dependent = word_of[special.governor], word_of[special.dependent]
    kept = (governor >= len(general.words)) | (dependent >= len(general.words))
    columns = [
        np.concatenate((ours, theirs[kept]))
        for ours, theirs in (
            (general.governor, governor),
            (general.relation, relation_of[special.relation]),
            (general.dependent, dependent),
            (general.count, special.count),
        )
    ]
    shape = (2 * len(relations), len(words))
    sums = []
    for name in ("governor_sums", "dependent_sums"):
        ours, theirs = getattr(general, name).tocoo(), getattr(special, name).tocoo()
        row = np.concatenate((ours.coords[0], len(relations) + relation_of[theirs.coords[0]]))
        column = np.concatenate((ours.coords[1], word_of[theirs.coords[1]]))
        sums.append(sparse.coo_array((np.concatenate((ours.data, theirs.data)), (row, column)), shape=shape).tocsr())
    origin = np.repeat(np.array([0, 1], dtype=np.uint8), [len(general), int(kept.sum())])
    return _in_order(words, relations, *columns, *sums, origin)


def arcs(sentence: Sentence, *, collapse_prepositions: bool = True, resolve_voice: bool = False) -> list[Arc]:
    """The dependencies of one sentence by the rules and names of `count_triples`, in the order of the dependents.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import Token
    >>> rows = [("dogs", "dog", "NOUN", 2, "nsubj"), ("chase", "chase", "VERB", 0, "root"),
    ...         ("cats", "cat", "NOUN", 2, "dobj")]
    >>> tokens = [Token(i, form, lemma, tag, "_", "_", head, label, "_", "_")
    ...           for i, (form, lemma, tag, head, label) in enumerate(rows, 1)]
    >>> arcs(Sentence(tuple(tokens)))
    [Arc(governor=1, relation='nsubj', dependent=0), Arc(governor=1, relation='obj', dependent=2)]
    """
    if not len(sentence):
        return []
    corpus = corpus_from_sentences([sentence])
    relations = _Relations(corpus, collapse_prepositions, find_agents=True)
    found = relations.arcs(corpus, (0, corpus.n_tokens))
    return [
        Arc(governor, _canonical(relations.relation_name(relation), resolve_voice), dependent)
        for governor, relation, dependent in zip(*(column.tolist() for column in found), strict=True)
    ]
