"""A corpus of one's own: reading, the filter, dealing, resuming, with a stand-in for the parser."""

import bz2
import json
from dataclasses import replace
from itertools import islice
from unittest.mock import Mock

import pytest

from cdsm_lib import __main__ as command_line
from cdsm_lib.tables import TaskError
from cdsm_lib.text import gensim_text, own_corpus
from cdsm_lib.text.corpus import Sentence, read_conllu, sentence
from cdsm_lib.text.own_corpus import build, clean, read, rejected, sources


@pytest.mark.parametrize("odd", ["\u2028", "\u0085", "\x0b", "\x0c", "\x1c", "\u2028\x1c"], ids=ascii)
def test_a_form_may_hold_what_else_ends_a_line(odd, tmp_path):
    """Only a line feed ends a line of CoNLL-U: sentences that differ after such a character are not one."""
    words = [("The", "DET", 2), ("snail", "NOUN", 3), ("sees", "VERB", 0), (f"a{odd}b", "NOUN", 3), ("{}", "NOUN", 3),
             (".", "PUNCT", 3)]  # fmt: skip
    rows = "".join(f"{i}\t{w}\t{w}\t{tag}\t_\t_\t{head}\tdep\t_\t_\n" for i, (w, tag, head) in enumerate(words, 1))
    (tmp_path / "mine.conllu").write_text("\n".join(rows.format(n, n) for n in range(40)), "utf-8", newline="")
    corpus = build(tmp_path / "mine.conllu", tmp_path / "mine", None, parser="none")
    about = json.loads((tmp_path / "mine" / "about.json").read_text("utf8"))
    assert (corpus.n_sentences, about["repeated"]) == (40, 0) and f"a{odd}b" in corpus.forms


def tree(text: str, tags: str, xpos: str = "", feats: str = "_", heads=(0, 1)) -> Sentence:
    words, tags = text.split(), tags.split()
    columns = zip(words, tags, xpos.split() or ["_"] * len(words), [*heads, *heads[1:] * len(words)], strict=False)
    tokens = sentence(" ".join(f"{word}|{tag}|{penn}/{head}/x" for word, tag, penn, head in columns))
    return Sentence(tuple(replace(token, feats=feats if token.upos == "VERB" else "_") for token in tokens))


TEXT, TAGS = "Snails eat the leaves slowly .", "NOUN VERB DET NOUN ADV PUNCT"


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        (tree(TEXT, TAGS, xpos="NNS VBP DT NNS RB ."), ""),
        (tree(TEXT, TAGS, xpos="NNS VBG DT NNS RB ."), "no finite verb or auxiliary"),
        (tree(TEXT, TAGS, feats="VerbForm=Part", xpos="NNS VBD DT NNS RB ."), "no finite verb or auxiliary"),
        (tree(TEXT, TAGS, feats="Mood=Ind|VerbForm=Fin"), ""),
        (tree(TEXT, "NOUN AUX DET NOUN ADV PUNCT", xpos="NNS VB DT NNS RB ."), ""),
        (tree(TEXT, "PROPN VERB DET PROPN ADV PUNCT"), "no noun"),
        (tree(TEXT, "PROPN VERB DET NOUN ADV PUNCT"), ""),
        (tree(TEXT, "PROPN VERB NUM NOUN ADV PUNCT"), "mostly names and numbers"),
        (tree(TEXT, TAGS, heads=(0, 1, 0, 3, 3, 3)), "more than one root"),
        (tree(TEXT[:-1] + ";", TAGS), "no closing punctuation"),
        (tree(TEXT[7:], TAGS[5:]), "not of 6 to 50 tokens"),
        (tree("a " * 45 + TEXT, "DET " * 45 + TAGS), "not of 6 to 50 tokens"),
        (tree("a " * 44 + TEXT, "DET " * 44 + TAGS), ""),
    ],
)
def test_the_filter(tokens, reason):
    assert rejected(tokens) == reason


@pytest.mark.mirror
def test_our_own_corpus_passes_the_filter(mirror):
    path = mirror / "wikipedia_parsed" / "wikipedia-07.conllu.xz"
    assert {rejected(sentence) for sentence in islice(read_conllu(path), 5_000)} == {""}


def test_wrapped_lines_are_joined_and_what_cannot_be_seen_goes(tmp_path):
    path = tmp_path / "a.txt"
    text = "\ufeffThe snail\nate a le\u00adaf.\u200b \u201cIt did.\u201d\nA\x00 new\u00a0one\n\n\nCafe\u0301\n"
    path.write_text(text, "utf8")
    assert list(read(path)) == ["The snail ate a leaf. “It did.”", "A new one", "Café"]
    assert clean("a\t b\x85c") == "a b c"


EXTRACTED = '<doc id="1" url="x" title="Snail">\nSnail\n\nIt eats leaves.\n\n</doc>\n'


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("wiki_00", EXTRACTED.encode(), ["Snail", "It eats leaves."]),
        ("wiki_01.bz2", bz2.compress(EXTRACTED.encode()), ["Snail", "It eats leaves."]),
        ("A.TXT", b"A snail.", ["A snail."]),
        ("long.txt", b"It eats leaves. " * 9_000, [("It eats leaves. " * n)[:-1] for n in (6_250, 2_750)]),
        ("no-stops.txt", b"a snail " * 20_000, [("a snail " * n)[:-1] for n in (12_500, 7_500)]),
        ("no-spaces.txt", b"x" * 250_000, ["x" * 100_000, "x" * 100_000, "x" * 50_000]),
    ],
)
def test_texts_as_they_are_in_the_world(tmp_path, name, content, texts):
    (tmp_path / name).write_bytes(content)
    assert list(read(*sources(tmp_path))) == texts


PAGE = "<page><title>a</title><ns>{}</ns><revision><text>{}</text></revision></page>"


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (PAGE.format(0, "#REDIRECT [[b]]"), "1 redirects, 0 no articles"), (PAGE.format(1, "Talk."), "1 no articles"),
        (PAGE.format(0, "{{box}}"), "1 without sentences"), ("", "0 redirects, 0 no"),
        ("<page><ns>0</ns>" + "<a>" * 50_000 + "</a>" * 50_000 + "</page>", "1 without sentences"),
    ],
)  # fmt: skip
def test_a_dump_without_text_says_why(tmp_path, page, why):
    (tmp_path / "dump.xml").write_text(f"<mediawiki>{page}</mediawiki>")
    with pytest.raises(TaskError, match=f"dump.xml: no running text.*{why}.*take a dump of articles"):
        list(read(tmp_path / "dump.xml"))


def test_a_page_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(gensim_text, "LONGEST_LINE", 1 << 20)
    for name, endless in (("text", "snail " * 300_000), ("depth", "<a>" * 500_000)):
        packed = bz2.compress(f"<mediawiki>{PAGE.format(0, 'A snail.')}<page><ns>0</ns><text>{endless}".encode())
        (tmp_path / f"{name}.xml.bz2").write_bytes(packed)
        with pytest.raises(TaskError, match=f"{name}.xml.bz2: 1,048,576 bytes without the end of a page; is it a dump"):
            list(read(tmp_path / f"{name}.xml.bz2"))


def test_what_is_not_there_or_empty_is_said(tmp_path):
    (tmp_path / "device.txt").symlink_to("/dev/zero")
    with pytest.raises(TaskError, match="a device or a pipe, which may have no end"):
        list(read(tmp_path / "device.txt"))
    json = '{"id": "1", "text": "A snail."}\n'
    for other in (json, "\ufeff<!DOCTYPE html>\n<html>", f"[{json}]", "%PDF-1.4\nx.", "{\\rtf1 A snail.}"):
        (tmp_path / "wiki_00").write_text(other)
        with pytest.raises(TaskError, match="wiki_00, line 1: it begins with .*, as JSON, HTML or PDF does; save it"):
            list(read(tmp_path / "wiki_00"))
    for hidden in (".git/a.txt", "._wiki_00", ".b.txt"):
        (tmp_path / hidden).parent.mkdir(exist_ok=True)
        (tmp_path / hidden).write_bytes(b"\0\xff")
    (tmp_path / "wiki_00").unlink()
    (tmp_path / "device.txt").unlink()
    with pytest.raises(TaskError, match="there is no such file"):
        sources(tmp_path / "none.txt")
    with pytest.raises(TaskError, match="nothing in this folder can be read; make corpus reads"):
        sources(tmp_path)


def test_without_spacy_the_command_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    (tmp_path / "a.txt").write_text("A snail.")
    assert command_line.main(["corpus", str(tmp_path / "a.txt"), "--to", str(tmp_path / "b")]) == 1
    assert command_line.main(["corpus", ""]) == 1  # and does not read the folder that one is in
    assert "error: text is parsed with spaCy: python -m pip install 'spacy>=3.8'" in capsys.readouterr().err


def stand_in(texts):
    """One sentence a text, of seven words; all else hangs on the third."""
    tags = "DET NOUN VERB NUM ADJ NOUN PUNCT".split()
    for text in texts:
        words = zip(text.split(), tags, strict=True)
        yield [sentence(" ".join(f"{word}|{tag}/{0 if tag == 'VERB' else 3}/dep" for word, tag in words))]


def test_a_run_that_was_interrupted_parses_no_piece_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(own_corpus, "PIECE", 5_000)
    sizes, text = [], tmp_path / "snails.txt"
    text.write_text("\n\n".join(f"The snail sees {n} green leaves ." for n in range(700)))

    def interrupted(texts):
        if len(sizes) == 2:
            raise KeyboardInterrupt
        sizes.append(len(texts))
        return stand_in(texts)

    with pytest.raises(KeyboardInterrupt):
        build(text, tmp_path / "mine", interrupted, parser="toy")
    parse = Mock(side_effect=stand_in)
    corpus, whole = (build(text, tmp_path / name, parse, parser="toy") for name in ("mine", "whole"))
    asked = [len(call.args[0]) for call in parse.call_args_list]
    n = (len(asked) + 2) // 2  # pieces: the first run parsed two of them
    assert n > 3 and sizes + asked[: n - 2] == asked[n - 2 :]
    assert corpus.fingerprint == whole.fingerprint and corpus.n_sentences == 700 and "the|DET" in corpus.words


def test_a_piece_that_is_cut_is_parsed_again_and_a_text_that_changes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(own_corpus, "PIECE", 5_000)
    text, pieces = tmp_path / "snails.txt", tmp_path / "mine.pieces"
    text.write_text("\n\n".join(f"The snail sees {n} green leaves ." for n in range(300)))

    def changing(texts):
        text.write_text(text.read_text() + "\n")
        return stand_in(texts)

    with pytest.raises(TaskError, match="changed while it was read; give the same command again"):
        build(text, tmp_path / "mine", changing, parser="toy")
    first, second, *_ = sorted(pieces.iterdir())
    first.write_bytes(first.read_bytes()[:20])
    second.write_bytes(b"")
    assert build(text, tmp_path / "mine", stand_in, parser="toy").n_sentences == 300
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["mine", "snails.txt"]
