"""Vectors that others wrote: every format that is read, and files that are spoilt."""

import bz2
import gzip
import lzma
import pickle
from contextlib import nullcontext

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.space import SpaceError

PACKED = {gzip.compress: ".gz", bz2.compress: ".bz2", lzma.compress: ".xz"}
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
        assert [len(read_vectors(file, limit=limit)) for limit in (None, np.int64(1))] == [2, 1]


def test_spoilt_files_are_named(tmp_path):
    path = binary_file(tmp_path / "v.bin")
    whole = path.read_bytes()

    def another(vectors=VECTORS, write=binary_file, **options):
        return write(tmp_path / "other.bin", vectors, **options).read_bytes()

    for content, problem in [
        *((whole[:-cut], ".*Get another copy") for cut in (1, 5, 12, 14)),
        (whole + b"more", "says 2 words, but more follow, or a word holds a space. Write the right number"),
        (another(header="1 3\n"), "says 1 words, but more follow"),
        (another(header="900000000 3\n"), "cannot hold 900000000 words"),
        (whole.replace("ã".encode(), b"\xff\xff"), "word 2 begins with .*, which is not UTF-8. Give unicode_errors"),
        (another([("dog", [1, np.nan, 3])]), "NaN or infinite values.* first in row 'dog'"),
        (another([("dog", [1, 2, "nan"])], text_file), "NaN or infinite values.* first in row 'dog'"),
        ("the 1 2\nof 1 2\ncaf\xe9 1 2\n".encode("latin-1"), "line 3 begins with .*, which is not UTF-8"),
        (b"the 1 2\nof 1 2 3\n", "line 2 must be a word and 2 numbers, found 'of 1 2 3'"),
        *((b"the 1 2\n" * n + b"o\0f 1 2\n", f"line {n + 1} holds a NUL") for n in (1, 9000)),
        (another([VECTORS[0], ("cat", [1, 2])], text_file), "line 2 must be a word and 3 numbers, found 'cat 1 2'"),
        (another([VECTORS[0], ("cat", [1, 2, "x"])], text_file), "line 2 must be a word and 3 numbers.*Mend the line"),
        (another(write=text_file, header="5 3\n"), "first line says 5 words, but 2 follow.*Get another copy"),
        (another(write=text_file, header="1 3\n"), "first line says 1 words, but 2 follow. Write the right number"),
        (b"{'dog': [1, 2]}\n", "line 1 must be a word and its numbers, .*Vectors are a .npz"),
        (b"", "it is empty"),
        (pickle.dumps({"dog": [1, 2]}), "no vectors in a format that is known.*save_word2vec_format"),
        (b"PK\x03\x04 something else\n", "it is an archive. Unzip it, save .* as CSV, or name a saved space .npz"),
        ("dog 1 2\n".encode("utf-16"), "it is UTF-16. Save it as UTF-8"),
        (bytes(257) + b"ustar  \0", "it is an archive of files \\(.tar\\). Unpack it"),
        (b"dog 1 2\rcat 3 4\r", "line 1: it ends with a carriage return alone. Save"),
        (b"0.1\t0.2\t0.3\n0.4\t0.5\t1e-3\n", "its rows are numbers without a word. Give numbers and words to Space"),
        (b"1 300\ndog 1 2\n", "line 2 must be a word and 300 numbers, as its first line says"),
        (b"dog,0.1,0.2\n", "line 1 must be a word and its numbers, .*Space.from_frame takes tables"),
    ]:
        path.write_bytes(content)
        with pytest.raises(SpaceError, match=rf"(?s)v\.bin: .*{problem}"):
            read_vectors(path)
    (tmp_path / "odd.sm").write_text("dog eat 1\n\ndog run x\n")
    with pytest.raises(SpaceError, match="odd.sm: line 3 must be a row, a column and a number"):
        read_vectors(tmp_path / "odd.sm")
    with pytest.raises(FileNotFoundError, match="it is an address; download it"):
        read_vectors("https://example.org/glove.txt")
    for pack, suffix in PACKED.items():
        promising_less, cut = tmp_path / f"less.bin{suffix}", tmp_path / f"v.txt{suffix}"
        promising_less.write_bytes(pack(another(header="1 3\n")))
        with pytest.raises(SpaceError, match="says 1 words, but more follow"):
            read_vectors(promising_less)
        cut.write_bytes(pack(b"dog 1 2 3\n" * 9)[:-9])
        with pytest.raises(SpaceError, match=rf"v\.txt{suffix}: .*damaged or cut short.*Fetch it again"):
            read_vectors(cut)
    with pytest.raises(FileNotFoundError, match="none.bin"):
        read_vectors(tmp_path / "none.bin")
    with pytest.raises(SpaceError, match="it is a folder. Name a file in it"):
        read_vectors(tmp_path)
    for wrong in ({"limit": "10"}, {"unicode_errors": "skip"}):
        with pytest.raises(ValueError, match=f"{[*wrong][0]}='"):
            read_vectors(path, **wrong)


MARK, DOG, CAFE = "\ufeff", "dog 1 2 3\n", "café 4 5 6\n"
AS_THEY_ARE = {  # name of the file and content; the words, and the first number of each
    "a mark above a header": ("v.txt", f"{MARK}2 3\n{DOG}{CAFE}", ("dog", "café")),
    "a mark above rows": ("v.txt", MARK + DOG + CAFE, ("dog", "café")),
    "spaces in the first word": ("v.txt", f". 5 of 0 1 2\n{DOG}{CAFE}", (". 5 of", "dog", "café")),
    "blank last lines": ("v.txt", f"2 3\n{DOG}{CAFE}\n\n", ("dog", "café")),
    "aligned columns": ("v.txt", "dog   1 2   3\r\ncafé\t4  5\t6\r\n", ("dog", "café")),
    "a word twice": ("v.txt", f"{DOG}{CAFE}dog 9 9 9\n", ("dog", "café")),
    "an odd space for a word": ("v.txt", f"{DOG}\u00a0 4 5 6\n", ("dog", "\u00a0")),
    "DISSECT's dense": ("v.dm", DOG.replace(" ", "\t") + CAFE, ("dog", "café")),
    "DISSECT's sparse": ("v.sm", "dog eat 1\ncafé run 5\ncafé eat 4\n", ("dog", "café")),
    "ignore": ("v.txt", DOG.encode() + CAFE.encode("latin-1"), ("dog", "caf")),
    "replace": ("v.txt", DOG.encode() + CAFE.encode("latin-1"), ("dog", "caf\ufffd")),
    "binary": ("v.bin", binary_file, ("dog", "São_Paulo")),
}


@pytest.mark.parametrize("case", AS_THEY_ARE)
@pytest.mark.parametrize("suffix", ["", *PACKED.values()])
def test_files_as_they_are_in_the_world(tmp_path, monkeypatch, case, suffix):
    name, content, words = AS_THEY_ARE[case]
    if case == "binary":  # the last line feed is missing, a word stands there twice
        content = content(tmp_path / name, [*VECTORS, VECTORS[0]], separator=b"\n").read_bytes()[:-1]
    content = content.encode() if isinstance(content, str) else content
    (tmp_path / f"{name}{suffix}").write_bytes({end: pack for pack, end in PACKED.items()}.get(suffix, bytes)(content))
    monkeypatch.setenv("HOME", str(tmp_path))
    again = pytest.warns(UserWarning, match="1 rows are of words that stand above already")
    with again if case in ("a word twice", "binary") else nullcontext():
        space = read_vectors(f"~/{name}{suffix}", unicode_errors=case if case in ("ignore", "replace") else "strict")
    assert tuple(space.rows) == words and space["dog"][0] == 1
    assert space.dimensions is None or list(space.dimensions) == ["eat", "run"]


@pytest.mark.mirror
def test_the_news_vectors_are_whole(mirror):
    space = read_vectors(datasets.fetch("googlenews_subset")["googlenews_subset_300d.bin"])
    assert (len(space), space.d) == (13_598, 300)
    assert "banks" in [word for word, _ in space.neighbours("bank", 3)]
