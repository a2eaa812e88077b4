"""Vectors of others: files that word2vec, gensim, GloVe, fastText or DISSECT wrote, read as a `Space`.

A line of text is a word and its numbers between spaces (or tabs); a first line ``words dimensions`` may stand above.
In word2vec's binary format each word and a space are followed by its float32 numbers.
"""

import codecs
import os
import re
from pathlib import Path

import numpy as np

from cdsm_lib.tables import DECOMPRESS
from cdsm_lib.vectors.space import Space, SpaceError

_ANOTHER_COPY = "Get another copy of the file."
_FORMATS = (
    "Vectors are a .npz of Space.save, or word2vec's binary or text format, or GloVe's text, plain or .gz; what gensim "
    "saved otherwise is written in such a format by KeyedVectors.save_word2vec_format."
)


def read_vectors(path: str | os.PathLike, *, limit: int | None = None) -> Space:
    """Read vectors, whichever program wrote them; the format is found out from the content.

    Parameters
    ----------
    path : path
        A file of `Space.save` (``.npz``), or a text or word2vec's binary format as above, which may be gzipped
        (``.gz``).
    limit : int, optional
        Only so many words from the top, mostly the most frequent ones.

    Returns
    -------
    Space
        Rows are the words as they stand there, in the file's order.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    SpaceError
        If it is in another format, cut short, longer than it should be, not UTF-8, has a word twice, a line of another
        length (which is named), or a value that is not finite.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "vectors.txt")
    ...     _ = path.write_text("2 3\\ndog 1 0 0\\ncat 0.5 0.5 0\\n")
    ...     print(read_vectors(path))
    Space: 2 words x 3 dimensions, read_vectors
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of vectors; see that the path is right")
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: the words to read, at least one, or None for all")
    if path.suffix == ".npz":
        space = Space.load(path)
        return space if limit is None else space.subset(space.rows[:limit])
    try:
        with DECOMPRESS.get(path.suffix, open)(path, "rb") as file:
            first = file.readline(1 << 20)
            sample = first + file.read(1 << 12)
        header = [int(n) for n in first.split()] if re.fullmatch(rb"\d+[ \t]\d+\s*", first) else None
        if _is_text(sample):
            words, vectors = _read_text(path, header, limit)
        elif header:
            words, vectors = _read_binary(path, len(first), *header, limit)
        else:
            raise SpaceError(path, "it holds no vectors in a format that is known", _FORMATS)
        return Space(words, vectors, meta={"made_by": "read_vectors", "file": path.name})
    except SpaceError as reason:
        raise SpaceError(path, reason.problem, reason.remedy) from None
    except (EOFError, OSError, ValueError) as reason:
        raise SpaceError(path, f"it is cut short or altered ({reason})", _ANOTHER_COPY) from reason


def _is_text(sample: bytes) -> bool:
    """Whether the first bytes of a file are UTF-8 without control characters; the last character may be cut off."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return bool(text) and not re.search(r"[\0-\x08\x0e-\x1f]", text)


def _read_text(path: Path, header: list[int] | None, limit: int | None) -> tuple[list[str], np.ndarray]:
    """Words and numbers, a line each; a word may hold spaces, as a few of GloVe's do."""
    words, rows, d = [], [], header and header[1]
    with DECOMPRESS.get(path.suffix, open)(path, "rb") as file:
        for line, row in enumerate(file, 1):
            if line == 1 and header:
                continue
            text = row.decode("utf-8").rstrip()
            separator = "\t" if "\t" in text else " "
            d = d or text.count(separator)
            word, *numbers = text.rsplit(separator, d)
            try:
                if not word or not numbers or len(numbers) != d:
                    raise ValueError
                rows.append(np.array(numbers, dtype=np.float32))
            except ValueError:
                problem = f"line {line} must be a word and {d or 'its'} numbers, found {text[:60]!r}"
                raise SpaceError(path, problem, "Mend the line, or get another copy of the file.") from None
            words.append(word)
            if len(words) == limit:
                break
    if header and len(words) != min(header[0], limit or header[0]):
        raise SpaceError(path, f"its first line says {header[0]} words, but {len(words)} follow", _ANOTHER_COPY)
    return words, np.array(rows)


def _read_binary(path: Path, begin: int, count: int, d: int, limit: int | None) -> tuple[list[str], np.ndarray]:
    """word2vec's binary format, through gensim; `begin` is the length of the first line."""
    from gensim.models import KeyedVectors

    body = path.stat().st_size - begin
    if path.suffix != ".gz" and (not count or not d or body < count * (2 + 4 * d)):
        raise SpaceError(path, f"{body} bytes cannot hold {count} words of {d} dimensions", _ANOTHER_COPY)
    vectors = KeyedVectors.load_word2vec_format(path, binary=True, limit=limit)
    words, expected = vectors.index_to_key, min(count, limit or count)
    if len(vectors.key_to_index) != expected:  # len(vectors) counts a word that stands twice as two
        problem = f"its first line says {count} words, but {len(vectors.key_to_index)} different ones follow"
        raise SpaceError(path, problem, _ANOTHER_COPY)
    size = sum(len(word.encode()) for word in words) + expected * (1 + 4 * d)
    if path.suffix != ".gz" and expected == count and body not in (size, size + count):
        raise SpaceError(path, f"its {count} words take {size} bytes, but {body} follow", _ANOTHER_COPY)
    return words, vectors.vectors
