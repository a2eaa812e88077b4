"""Vectors that others wrote: every format that is read, and files that are spoilt."""

import gzip
import pickle

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.space import SpaceError

VECTORS = [("dog", [1, 2, 3]), ("São_Paulo", [0.5, -1, 0])]


def binary_file(path, vectors=VECTORS, header=None, separator=b""):
    lines = [word.encode() + b" " + np.array(v, "<f4").tobytes() + separator for word, v in vectors]
    path.write_bytes((header or f"{len(vectors)} {len(vectors[0][1])}\n").encode() + b"".join(lines))
    return path


def text_file(path, vectors=VECTORS, header="", separator=" "):
    lines = [header, *(separator.join([word, *map(str, numbers)]) + "\n" for word, numbers in vectors)]
    path.write_text("".join(lines), "utf-8")
    return path


def test_as_many_words_as_are_asked_for(tmp_path):
    files = [text_file(tmp_path / "v.txt"), binary_file(tmp_path / "v.bin"), tmp_path / "v.npz"]
    read_vectors(files[0]).save(files[2])
    for file in files:
        assert [len(read_vectors(file, limit=limit)) for limit in (None, 1)] == [2, 1]


def test_a_word_of_glove_may_hold_spaces(tmp_path):
    path = text_file(tmp_path / "v.txt", [("dog", [1, 2]), (". . .", [3, 4])])
    assert list(read_vectors(path).rows) == ["dog", ". . ."]


def test_spoilt_files_are_named(tmp_path):
    path = binary_file(tmp_path / "v.bin")
    whole = path.read_bytes()

    def another(vectors=VECTORS, write=binary_file, **options):
        return write(tmp_path / "other.bin", vectors, **options).read_bytes()

    for content, problem in [
        *((whole[:-cut], ".*Get another copy") for cut in (1, 5, 12, 14)),
        (whole + b"more", "2 words take 39 bytes, but 43 follow"),
        (another(header="1 3\n"), "1 words take"),
        (another(header="900000000 3\n"), "cannot hold 900000000 words"),
        (another([VECTORS[0], VECTORS[0]]), "says 2 words, but 1 different ones follow"),
        (whole.replace("ã".encode(), b"\xff\xff"), "cut short or altered"),
        (another([("dog", [1, np.nan, 3])]), "NaN or infinite values.* first in row 'dog'"),
        (another([("dog", [1, 2, "nan"])], text_file), "NaN or infinite values.* first in row 'dog'"),
        (another([VECTORS[0], VECTORS[0]], text_file), "'dog' occurs twice"),
        (another([VECTORS[0], ("cat", [1, 2])], text_file), "line 2 must be a word and 3 numbers, found 'cat 1 2'"),
        (another([VECTORS[0], ("cat", [1, 2, "x"])], text_file), "line 2 must be a word and 3 numbers.*Mend the line"),
        (another(write=text_file, header="5 3\n"), "first line says 5 words, but 2 follow"),
        (b"dog\n", "line 1 must be a word and its numbers"),
        (b"", "no vectors in a format that is known"),
        (pickle.dumps({"dog": [1, 2]}), "no vectors in a format that is known.*save_word2vec_format"),
        (b"PK\x03\x04 something else\n", "no vectors in a format that is known"),
    ]:
        path.write_bytes(content)
        with pytest.raises(SpaceError, match=rf"(?s)v\.bin: .*{problem}"):
            read_vectors(path)
    cut = tmp_path / "v.txt.gz"
    cut.write_bytes(gzip.compress(b"dog 1 2 3\n" * 9)[:-9])
    with pytest.raises(SpaceError, match=r"v\.txt\.gz: it is cut short or altered"):
        read_vectors(cut)
    with pytest.raises(FileNotFoundError, match="none.bin"):
        read_vectors(tmp_path / "none.bin")


@pytest.mark.mirror
def test_the_news_vectors_are_whole(mirror):
    space = read_vectors(datasets.fetch("googlenews_subset")["googlenews_subset_300d.bin"])
    assert (len(space), space.d) == (13_598, 300)
    assert "banks" in [word for word, _ in space.neighbours("bank", 3)]
