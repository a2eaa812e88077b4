"""CoNLL-U read strictly, compiled whole or not at all, opened only in the right version."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib.text.corpus import (
    COLUMNS,
    ConlluError,
    CorpusError,
    compile_corpus,
    corpus_from_sentences,
    corpus_from_text,
    corpus_from_tokens,
    open_corpus,
    read_conllu,
    sentence,
)

DOGS = sentence("Dogs:dog/2/nsubj chase|VERB/0/root cats:cat/2/obj").conllu().replace("\tdog\t", "\tDog\t")
BARK = sentence("Dogs:dog/2/nsubj bark|VERB/0/root").conllu()
CATS = sentence("Cats:cat/2/nsubj sleep|VERB/0/root").conllu()
TEXT = "# sent_id = s1\n# a remark\n" + DOGS + BARK + CATS


def written(folder: Path, text: str | bytes, name: str = "text.conllu") -> Path:
    path = folder / name
    data = text.encode("utf-8") if isinstance(text, str) else text
    path.write_bytes({".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix, bytes)(data))
    return path


def shown(folder: Path) -> list[str]:
    """What is in a folder, but for the file by which processes wait for one another."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def forms(corpus) -> list[str]:
    return [corpus.forms[i] for i in corpus.form]


def same(a, b) -> bool:
    """Whether two corpora hold the same text."""
    columns = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in (*COLUMNS, "offsets"))
    return columns and (a.forms, a.words, a.deprels) == (b.forms, b.words, b.deprels)


# ------------------------------------------------------------------------------------------------- reading


def test_sentences_tokens_and_comments(tmp_path):
    first, second, third = read_conllu(written(tmp_path, TEXT))
    assert first.comments == {"sent_id": "s1", "a remark": ""}
    assert second.comments == {}
    assert [token.form for token in first] == ["Dogs", "chase", "cats"]
    assert (first.tokens[0].lemma, first.tokens[0].head, first.tokens[0].deprel) == ("dog", 2, "nsubj")
    assert (len(first), len(second), len(third)) == (3, 2, 2)


GOOD = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_"
BARKS = "2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_"
BAD = {  # the lines of a second sentence, the line of the file with the error (the first sentence has 4), the message
    "missing column": (["1\tDogs\tdog\tNOUN\t_\t2\tnsubj\t_\t_", BARKS], 5, "9 columns"),
    "spaces for tabs": ([GOOD.replace("\t", " "), BARKS], 5, "1 columns"),
    "empty column": ([GOOD.replace("dog", ""), BARKS], 5, "LEMMA is empty"),
    "ids out of order": ([BARKS, GOOD], 5, "'2' where 1"),
    "id twice": ([GOOD, BARKS, BARKS], 7, "'2' where 3"),
    "id not a number": ([GOOD.replace("1", "one"), BARKS], 5, "'one' where 1"),
    "range with a missing column": (["1-2\tdogs", GOOD, BARKS], 5, "2 columns"),
    "comment within a sentence": ([GOOD, "# here", BARKS], 6, "1 columns"),
    "blank line with a space": ([GOOD, BARKS, " "], 7, "1 columns"),
    "head out of range": ([GOOD.replace("2\tnsubj", "3\tnsubj"), BARKS], 5, "HEAD 3 is out of range"),
    "head of 5,000 digits": ([GOOD.replace("2\tnsubj", "2" * 5000 + "\tnsubj"), BARKS], 5, "HEAD '2222"),
    "head in other digits": ([GOOD.replace("2\tnsubj", "٢\tnsubj"), BARKS], 5, "HEAD '٢'"),
    "last column empty": ([GOOD[:-1], BARKS], 5, "MISC is empty"),
    "head with a space": ([GOOD.replace("2\tnsubj", " 2\tnsubj"), BARKS], 5, "HEAD ' 2'"),
    "cycle": ([GOOD, BARKS.replace("0\troot", "1\troot")], 5, "cycle"),
    "no tag but an XPOS": ([GOOD.replace("NOUN\t_", "_\tNNS"), BARKS], 5, "UPOS is '_' where XPOS is 'NNS'"),
    "byte-order mark within": (["\ufeff" + GOOD, BARKS], 5, "where 1"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("threads", [0, 1, 2])
def test_errors_name_file_and_line(tmp_path, case, threads):
    lines, number, message = BAD[case]
    path = written(tmp_path, DOGS + "\n".join(lines) + "\n\n" + CATS, "bad.conllu")
    fine = written(tmp_path, TEXT, "fine.conllu")
    with pytest.raises(ConlluError) as caught:
        if threads:
            compile_corpus([fine, path], tmp_path / "corpus", threads=threads)
        else:
            list(read_conllu(path))
    assert str(caught.value).startswith(f"{path}:{number}: ") and message in str(caught.value)
    assert shown(tmp_path) == ["bad.conllu", "fine.conllu"]  # nothing half-made


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_mark_at_the_start_a_path_from_home_and_lemmas_that_are_not_there(tmp_path, monkeypatch, suffix):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "\ufeff" + TEXT.replace("\tDog\t", "\t_\t") + CATS.replace("Cats\tcat", "_\t_"), f"a{suffix}")
    with pytest.warns(UserWarning, match="a.*: 1 lemmas are '_', the first in line 3; forms in lower case stand in"):
        first, *_ = read_conllu(f"~/a{suffix}")
    assert first.comments["sent_id"] == "s1" and [token.lemma for token in first] == ["dogs", "chase", "cat"]
    with pytest.warns(UserWarning, match="a.*: 1 lemmas are '_'"):
        corpus = compile_corpus(f"~/a{suffix}", tmp_path / "corpus")
    assert {"dogs|NOUN", "_|NOUN"} < set(corpus.words) and corpus.n_sentences == 4


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize(("good", "bad", "line"), [(b"bark\tbark", b"b\xe4rk\tbark", 8), (b"# a", b"# \xe4", 2)])
def test_bad_utf8_is_found_in_its_line(tmp_path, suffix, good, bad, line):
    path = written(tmp_path, TEXT.encode().replace(good, bad), f"latin.conllu{suffix}")
    for read in (lambda: list(read_conllu(path)), lambda: compile_corpus([path], tmp_path / "corpus")):
        with pytest.raises(ConlluError, match=rf"latin\.conllu.*:{line}: not UTF-8"):
            read()


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "checksum", "plain text"])
def test_damaged_archives(tmp_path, suffix, damage):
    path = written(tmp_path, TEXT * 500, f"text.conllu{suffix}")
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes({
        "truncated": data[:middle],
        "flipped": data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :],
        "checksum": data[:-6] + bytes([data[-6] ^ 255]) + data[-5:],
        "plain text": TEXT.encode(),
    }[damage])  # fmt: skip
    for read in (lambda: list(read_conllu(path)), lambda: compile_corpus([path], tmp_path / "corpus")):
        with pytest.raises(ConlluError, match=rf"text\.conllu{suffix}:\d+: ") as caught:
            read()
        if damage != "flipped":  # which may decode into a broken line before any checksum is reached
            assert "fetch it again" in str(caught.value)
    assert shown(tmp_path) == [path.name]


# ------------------------------------------------------------------------------------------------- compiling


def test_columns(tmp_path):
    corpus = compile_corpus([written(tmp_path, TEXT)], tmp_path / "corpus")
    assert forms(corpus) == ["Dogs", "chase", "cats", "Dogs", "bark", "Cats", "sleep"]
    assert list(corpus.words)[:2] == ["cat|NOUN", "dog|NOUN"]  # twice each, in alphabetical order
    assert corpus.word_counts.tolist() == [2, 2, 1, 1, 1]
    assert list(corpus.words)[2:] == ["bark|VERB", "chase|VERB", "sleep|VERB"]
    assert corpus.head.tolist() == [1, 0, -1, 1, 0, 1, 0]
    assert [corpus.deprels[i] for i in corpus.deprel] == ["nsubj", "root", "obj", "nsubj", "root", "nsubj", "root"]
    assert corpus.offsets.tolist() == [0, 3, 5, 7]
    assert (corpus.n_tokens, corpus.n_sentences) == (7, 3)
    assert [corpus.lemma_of[i] for i in corpus.word[:3]] == ["dog", "chase", "cat"]
    assert corpus.pos_of[corpus.word[:3]].tolist() == ["NOUN", "VERB", "NOUN"]
    dtypes = {name: getattr(corpus, name).dtype for name in (*COLUMNS, "offsets")}
    assert dtypes == {"form": "int32", "word": "int32", "head": "int16", "deprel": "uint16", "offsets": "int64"}


def three_files(folder: Path) -> list[Path]:
    return [written(folder, text, f"{i}.conllu") for i, text in enumerate((CATS + TEXT, BARK * 3, DOGS))]


def test_one_or_two_threads_make_the_same_files(tmp_path):
    paths = three_files(tmp_path)
    for threads in (1, 2):
        compile_corpus(paths, tmp_path / str(threads), threads=threads)
    names = sorted(p.name for p in (tmp_path / "1").iterdir())
    assert names == sorted(p.name for p in (tmp_path / "2").iterdir())
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_fingerprint_tells_the_text_and_its_order(tmp_path):
    a, b, c = three_files(tmp_path)
    marks = {compile_corpus(paths, tmp_path / "corpus").fingerprint for paths in ([a, b], [b, a], [a, c], [a])}
    assert len(marks) == 4
    assert compile_corpus([a, b], tmp_path / "again").fingerprint in marks


def test_part_takes_the_first_files(tmp_path):
    paths = three_files(tmp_path)
    corpus = compile_corpus(paths, tmp_path / "corpus")
    assert corpus.files == (("0.conllu", 0), ("1.conllu", 4), ("2.conllu", 7))
    part = corpus.part(2)
    alone = compile_corpus(paths[:2], tmp_path / "alone")
    assert forms(part) == forms(alone)
    assert part.files == alone.files and part.offsets.tolist() == alone.offsets.tolist()
    assert part.words == corpus.words  # words keep their numbers ...
    counted = {word: n for word, n in zip(part.words, part.word_counts.tolist(), strict=True) if n}
    assert counted == dict(zip(alone.words, alone.word_counts.tolist(), strict=True))  # ... counts are its own
    assert part.form.base is not None  # a view
    assert part.fingerprint != corpus.fingerprint == corpus.part(3).fingerprint
    assert corpus.part(1).fingerprint != part.fingerprint
    assert corpus_from_text("a|NOUN").files == (("memory", 0),)
    for wrong in (0, 4, -1):
        with pytest.raises(CorpusError, match="of 3 files"):
            corpus.part(wrong)


def test_tokens_without_trees_make_a_corpus():
    corpus = corpus_from_tokens([["The", "dog"], [], ["a:b|c/d", "dog"]])
    assert list(corpus.words) == ["dog|X", "a:b|c/d|X", "the|X"] and corpus.head.tolist() == [0, -1, 0, -1]
    for wrong in ("The dog", [["The", None]], [None], [["a", " "]], [["a\nb"]]):
        with pytest.raises(ValueError, match="non-empty strings: tokenise it first"):
            corpus_from_tokens(wrong)


def test_tags_in_lower_case_are_read_and_others_than_universal_ones_refused(tmp_path):
    lower = compile_corpus(written(tmp_path, TEXT.replace("NOUN", "noun").replace("VERB", "Verb")), tmp_path / "corpus")
    assert same(lower, corpus_from_sentences(read_conllu(written(tmp_path, TEXT))))
    penn = written(tmp_path, TEXT.replace("cat\tNOUN", "cat\tSYM").replace("NOUN", "NNS").replace("VERB", "VBP"))
    with pytest.raises(CorpusError, match="column UPOS has NNS, VBP; universal tags .* are needed: convert them"):
        compile_corpus(penn, tmp_path / "corpus")


def test_no_token_at_all(tmp_path):
    for nothing in ("", "# nothing\n", "\n\n"):
        with pytest.raises(CorpusError, match="not one token in text.conllu"):
            compile_corpus([written(tmp_path, nothing)], tmp_path / "corpus")
    assert shown(tmp_path) == ["text.conllu"]
    corpus = corpus_from_sentences([])
    assert (corpus.n_tokens, corpus.n_sentences, len(corpus.words), list(corpus.chunks())) == (0, 0, 0, [])


def test_files_are_needed_and_need_names_of_their_own(tmp_path):
    (tmp_path / "other").mkdir()
    twice = [written(tmp_path, TEXT), written(tmp_path / "other", TEXT)]
    for paths in ([], twice):
        with pytest.raises(CorpusError, match="name of its own"):
            compile_corpus(paths, tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_sentences_in_memory_are_checked_too():
    assert corpus_from_text("Dogs/2/nsubj chase/0/root cats/2/obj").head.tolist() == [1, 0, -1]
    for head in (4, 1):
        with pytest.raises(ValueError, match="out of range|cycle"):
            corpus_from_text(f"Dogs/{head}/nsubj chase/0/root cats/2/obj")


# ------------------------------------------------------------------------------------------------- opening


def test_compiling_again_replaces_and_a_failure_keeps_the_older(tmp_path):
    folder = tmp_path / "corpus"
    compile_corpus([written(tmp_path, TEXT)], folder)
    assert compile_corpus([written(tmp_path, BARK, "other.conllu")], folder).n_tokens == 2
    with pytest.raises(ConlluError):
        compile_corpus([written(tmp_path, "1\tDogs\n", "bad.conllu")], folder)
    opened = open_corpus(folder)
    assert opened.n_tokens == 2 and isinstance(opened.form, np.memmap) and not opened.form.flags.writeable
    with pytest.raises(CorpusError, match="no compiled corpus here"):
        open_corpus(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["corpus.json", "form.npy", "head.npy", "offsets.npy", "words.txt"])
@pytest.mark.parametrize("damaged", [None, lambda data: b"", lambda data: data[: len(data) // 2]])
def test_damaged_folders_are_refused(tmp_path, name, damaged):
    folder = tmp_path / "corpus"
    compile_corpus([written(tmp_path, TEXT)], folder)
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    if damaged:
        (folder / name).write_bytes(damaged(data))
    with pytest.raises(CorpusError, match="compile it again"):
        open_corpus(folder)


# ------------------------------------------------------------------------------------------------- real trees


def test_teaching_parses_compile_as_they_read(root, tmp_path):
    paths = sorted((root / "data" / "sample").rglob("*.conllu"))
    corpus = compile_corpus(paths, tmp_path / "corpus", threads=1)
    assert same(corpus, corpus_from_sentences(sentence for path in paths for sentence in read_conllu(path)))
    assert len(paths) >= 7 and corpus.n_sentences > 2000
