"""Deriving the registered parses: what is read of the owners' files, the list of what is missing, and what is kept."""

import json
import lzma
from types import SimpleNamespace

import pytest
from projects import file, sha

from cdsm_lib import datasets
from scripts import derive


def flat(texts, python=None, model=None):
    """A parser of our own: every token hangs from the first."""
    for text in texts:
        words, end, tokens = text if isinstance(text, list) else text.split(" "), 0, []
        for k, word in enumerate(words):
            begin, end = end, end + len(word) + 1
            tokens.append([word, word.lower(), "X", "XX", min(k, 1), "nsubj" if k else "root", begin, end - 1])
        yield tokens


def read(reader, *paths) -> str:
    """Sentences as words, the marked ones with their marks, after their comments."""
    items, lines = list(reader(*paths)), []
    for item, tokens in zip(items, flat(item.text for item in items), strict=True):
        comments, marks = item.finish(tokens)
        lines += [f"{name} = {value}" for name, value in comments.items()]
        lines += [" ".join(t[0] + (f"[{marks[k]}]" if k in marks else "") for k, t in enumerate(tokens))]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------------------ readers


def test_coinco(tmp_path):
    (tmp_path / "x.xml").write_text(
        '<document><sent MASCfile="a.txt" MASCsentID="s-r1"><tokens><token id="4" wordform="The bank"/>'
        '<token id="XXX" wordform=" "/></tokens></sent><sent><tokens/></sent></document>'
    )
    assert read(derive.coinco, tmp_path / "x.xml") == "sent_id = a.txt#s-r1\nThe\u00a0bank[TokenID=4] _"


def test_msrpc(tmp_path):
    text = "\ufeffQuality\tid\tid\tone\tother\r\n1\t7\t8\tIt's so.\tHe said:\r\n0\t8\t9\tHe said:\tNo.\r\n"
    (tmp_path / "x.txt").write_text(text, "utf-8")
    assert read(derive.msrpc, tmp_path / "x.txt").splitlines() == [
        "sent_id = 7", "It 's so .", "sent_id = 8", "He said :", "sent_id = 9", "No .",
    ]  # fmt: skip


def test_semcor(tmp_path):
    (tmp_path / "brown1" / "tagfiles").mkdir(parents=True)
    (tmp_path / "brown1" / "tagfiles" / "br-a01").write_text(
        "<s snum=3>\n<wf cmd=done lemma=take_place lexsn=2:30:00::;x>took_place</wf>\n<wf cmd=ignore>in</wf>\n"
        "<wf lemma=bar lexsn=1:06:04::>bars</wf>\n<punc>.</punc>\n</s>\n"
    )
    first = "took[Sense=take_place%2:30:00::|Span=2] place in bars[Sense=bar%1:06:04::] ."
    assert read(derive.semcor, tmp_path / "brown1") == f"sent_id = brown1/br-a01#3\n{first}"


def test_banko(tmp_path):
    (tmp_path / "x.txt").write_text("<p1> Ann B. </p1> bought <p2> X </p2> .\n\n")
    assert read(derive.banko, tmp_path / "x.txt") == ("sent_id = 1\nAnn[Entity=1] B.[Entity=1] bought X[Entity=2] .")


def test_google(tmp_path):
    def record(person, place, snippet, kind):
        votes = [{"judgment": "yes"}, {"judgment": "no"}, {"judgment": "yes"}]
        return {f"sub{kind}": person, f"obj{kind}": place, "evidences": [{"snippet": snippet}], "judgments": votes}

    births = record("Ann Bell", "Rome", "Here it ends well. Ann was born in Rome", "_label")
    deaths = [
        record("Carl Dee", "Paris, France", "Then he died in Paris", ""),
        record("Carl Dee", "Ur", "Then he died in Ur", ""),
    ]
    (tmp_path / "b.jsonl").write_text(json.dumps(births) + "\n")
    (tmp_path / "d.json").write_text(json.dumps(deaths))
    assert read(derive.google, tmp_path / "b.jsonl", tmp_path / "d.json").splitlines() == [
        "sent_id = birth-1-2", "relation = birth", "place = Rome", "person = name", "yes = 2", "no = 1",
        "sentence = 2 of 2", "text = Ann was born in Rome", "Ann[Entity=1] was born in Rome[Entity=2]",
        "sent_id = death-1-1", "relation = death", "place = Paris", "person = pronoun", "yes = 2", "no = 1",
        "sentence = 1 of 1", "text = Then he died in Paris", "Then he[Entity=1] died in Paris[Entity=2]",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- the task

SOURCE = b"<p1> Ann </p1> bought <p2> X </p2>\n"
PARSE = (
    b"# sent_id = 1\n1\tAnn\tann\tX\tXX\t_\t0\troot\t_\tEntity=1\n2\tbought\tbought\tX\tXX\t_\t1\tnsubj\t_\t_\n"
    b"3\tX\tx\tX\tXX\t_\t1\tnsubj\t_\tEntity=2\n\n"
)


@pytest.fixture
def world(project, tmp_path, monkeypatch):
    """A registry with one set to derive and its source in the cache, the parser's model, and a parser of our own."""
    packed, asked = lzma.compress(PARSE, preset=9 | lzma.PRESET_EXTREME), []
    derived = file("x.conllu.xz", packed, unpacked_sha256=sha(PARSE))
    project.register(**{"a_set": [file("x.txt", SOURCE), derived]})
    monkeypatch.setattr(derive, "SETS", {"a_set": derive.Derived("x.conllu.xz", ("x.txt",), derive.banko)})
    monkeypatch.setattr(derive, "parser", lambda: asked.append("a parser"))
    monkeypatch.setattr(derive, "parsed", flat)
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path))
    model = tmp_path / "parser" / derive.MODEL / "meta.json"
    for path, content in ((model, b"{}"), (tmp_path / "a_set" / "x.txt", SOURCE)):
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    return SimpleNamespace(folder=tmp_path / "a_set", model=model, asked=asked)


def kept(world) -> set[str]:
    return {path.name for path in world.folder.iterdir() if not path.name.endswith("lock")}


def test_a_parse_that_is_the_registered_one_takes_its_place_in_the_cache(world, capsys):
    assert derive.main() == 0
    assert "a_set: x.conllu.xz is derived, byte for byte as registered" in capsys.readouterr().out
    assert lzma.decompress(datasets.fetch("a_set", "x.conllu.xz").read_bytes()) == PARSE


def test_another_parse_is_refused_and_nothing_is_kept(world, monkeypatch, capsys):
    monkeypatch.setattr(
        derive, "parsed", lambda *asked: ([[*t[:3], "NN", *t[4:]] for t in one] for one in flat(*asked))
    )
    assert derive.main(["a_set"]) == 1
    assert "what was derived is not x.conllu.xz of the registry (SHA-256 " in capsys.readouterr().out
    assert kept(world) == {"x.txt"}
    monkeypatch.setattr(derive, "parsed", flat)
    monkeypatch.setattr(lzma, "compress", lambda content, preset: b"otherwise")
    assert derive.main(["a_set"]) == 1
    assert "it is compressed otherwise here; not kept" in capsys.readouterr().out and kept(world) == {"x.txt"}


def test_what_is_missing_stands_in_one_list_and_nothing_is_installed(world, capsys):
    (world.folder / "x.txt").unlink()
    world.model.unlink()
    assert derive.main() == 1
    model, source = capsys.readouterr().out.splitlines()[1:]
    assert derive.MODEL_PAGE in model and str(world.model) in model
    assert source == f"- a_set: x.txt, into {world.folder}. obtain of a_set https://example.org/a_set"
    assert world.asked == [] and kept(world) == set()


def test_an_altered_file_of_the_owners_is_not_read(world, capsys):
    (world.folder / "x.txt").write_bytes(SOURCE + b"!")
    assert derive.main() == 1
    shown = capsys.readouterr()
    assert "x.txt is altered" in shown.err and "- a_set: x.txt, into" in shown.out and world.asked == []


def test_an_unknown_set_is_refused(world, capsys):
    with pytest.raises(SystemExit):
        derive.main(["a sett"])
    assert "nothing derives a sett; there are a_set" in capsys.readouterr().err


def test_everything_that_is_derived_is_registered():
    for name, (parse, sources, _) in derive.SETS.items():
        files = datasets.dataset(name).files
        assert parse in files and (name == "semcor" or set(sources) <= files.keys())
