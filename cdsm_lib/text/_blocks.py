"""CoNLL-U read in numba: the columns of whole sentences, labels numbered by a hash table with open addressing."""

import numpy as np
from numba import njit

TAB, FEED, RETURN, HASH, DASH, DOT, ZERO = np.frombuffer(b"\t\n\r#-.0", dtype=np.uint8)
LARGE = 1_000_000_000  # no number of a token is as large
LABELS = ((1, 2), (2, 4), (7, 8))  # of form, word, relation: the columns from and to which they run


def read_block(text: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    """The tokens of whole sentences of CoNLL-U, given as uint8; a `ValueError` if a line is not as it should be.

    Returns
    -------
    lengths, head : ndarray of int32
        Tokens of each sentence; HEAD of each token, however large.
    labels : list of (number, begins, ends)
        Of FORM, of LEMMA with UPOS, of DEPREL: int32, the number of each token's, and where each number's first
        occurrence stands in the text.
    """
    most = int(np.count_nonzero(text == FEED)) + 1
    size = 1 << (2 * most).bit_length()
    head, lengths = np.empty((2, most), dtype=np.int32)
    places = np.empty((3, 3, most), dtype=np.int32)
    tokens, sentences, *used = _read(text, head, lengths, places, np.full((3, size), -1, dtype=np.int32))
    if tokens < 0:
        raise ValueError("a line of CoNLL-U is not as it should be")
    labels = [(row[0, :tokens], row[1, :n], row[2, :n]) for row, n in zip(places, used, strict=True)]
    return lengths[:sentences], head[:tokens], labels


@njit(nogil=True, cache=True)
def _read(text, head, lengths, places, tables):
    begins = np.zeros(11, dtype=np.int64)
    used = np.zeros(3, dtype=np.int64)
    tokens = sentences = length = i = 0
    while i < len(text):
        begins[0], column = i, 0
        while i < len(text) and text[i] != FEED:
            if text[i] == TAB:
                column += 1
                begins[min(column, 10)] = i + 1
            i += 1
        stop, start, i = i, begins[0], i + 1
        while stop > start and text[stop - 1] == RETURN:
            stop -= 1
        if stop == start:
            if length:
                lengths[sentences] = length
                sentences += 1
            length = 0
            continue
        if not length and text[start] == HASH:
            continue
        whole = column == 9
        begins[10] = stop + 1
        for column in range(10):
            whole &= begins[column + 1] - begins[column] > 1
        if not whole:
            return -1, 0, 0, 0, 0
        number, end = _whole(text, start)
        if end > start and (text[end] == DASH or text[end] == DOT):
            _, rest = _whole(text, end + 1)
            if rest > end + 1 and rest == begins[1] - 1:
                continue
        above, end_of_head = _whole(text, begins[6])
        if number != length + 1 or text[start] == ZERO or end != begins[1] - 1 or end_of_head != begins[7] - 1:
            return -1, 0, 0, 0, 0
        for k in range(3):
            first, last = begins[LABELS[k][0]], begins[LABELS[k][1]] - 1
            label = _label(text, first, last, tables[k], places[k], used[k])
            places[k, 0, tokens] = label
            if label == used[k]:
                places[k, 1, label], places[k, 2, label] = first, last
                used[k] += 1
        head[tokens] = above
        tokens += 1
        length += 1
    if length:
        lengths[sentences] = length
        sentences += 1
    return tokens, sentences, used[0], used[1], used[2]


@njit(nogil=True, cache=True)
def _whole(text, i):
    """The number whose digits begin here, at most `LARGE`, and where they end."""
    value = 0
    while i < len(text) and ZERO <= text[i] <= ZERO + 9:
        value = min(10 * value + text[i] - ZERO, LARGE)
        i += 1
    return value, i


@njit(nogil=True, cache=True)
def _label(text, first, last, table, places, unused):
    """The number of a piece of text: that of its first occurrence, or `unused`, which takes its place in the table."""
    key = np.uint64(14695981039346656037)  # FNV-1a
    for i in range(first, last):
        key = (key ^ np.uint64(text[i])) * np.uint64(1099511628211)
    mask = np.uint64(len(table) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while table[slot] >= 0:
        label = table[slot]
        begin = places[1, label]
        if places[2, label] - begin == last - first:
            i = first
            while i < last and text[i] == text[begin + i - first]:
                i += 1
            if i == last:
                return label
        slot = (slot + np.uint64(1)) & mask
    table[slot] = unused
    return unused
