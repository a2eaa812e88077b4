"""``make derive``: from the owners' files to the parses of the registry, byte for byte.

The owners' files are those of the registry (`cdsm_lib.datasets`), and of SemCor the tag files. They are read and marked
here; what is read is parsed (`scripts/parse.py`) by the parser with which the registered files were made,
an old spaCy in an environment of its own below the cache. A parse takes its place in the cache if its SHA-256 is the
registered one.
"""

import argparse
import json
import lzma
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cdsm_lib import datasets, storage
from cdsm_lib.datasets import DataError
from cdsm_lib.text.corpus import Sentence, Token
from scripts import run

PARSER = ("spacy==2.3.9", "numpy<2")
MODEL = "en_core_web_sm-2.2.5"
MODEL_PAGE = "https://github.com/explosion/spacy-models/releases/tag/en_core_web_sm-2.2.5"

Marks = Mapping[int, str]
"""What stands in a token's last column, by its place in the sentence from 0."""


class Item(NamedTuple):
    """A sentence to be parsed: its text, or its tokens; and what gives comments and marks when it is parsed.

    A parsed token is its form, lemma, universal tag, Penn tag, head, label, begin and end.
    """

    text: str | list[str]
    finish: Callable[[Sequence[Sequence]], tuple[dict[str, object], Marks]]


class Derived(NamedTuple):
    """A file that is derived: its name in the registry, the owner's files or folders, and what reads them."""

    file: str
    sources: tuple[str, ...]
    read: Callable[..., Iterable[Item]]


# ------------------------------------------------------------------------------------------------------------ readers


def cleaned(word: str) -> str:
    """A token as a column of CoNLL-U takes it.

    Examples
    --------
    >>> cleaned("two words "), cleaned(" ")
    ('two\\xa0words', '_')
    """
    return word.strip().replace("\t", " ").replace(" ", "\u00a0") or "_"


def _tokenised(words: list[str], marks: Marks, **comments: object) -> Item:
    return Item(words, lambda _: (comments, marks))


def coinco(path: Path) -> Iterator[Item]:
    """The sentences of CoInCo, with the ids of their targets."""
    for sentence in ET.parse(path).getroot().iter("sent"):
        tokens = list(sentence.find("tokens").iter("token"))
        if tokens:
            marks = {k: f"TokenID={token.get('id')}" for k, token in enumerate(tokens) if token.get("id") != "XXX"}
            words = [cleaned(token.get("wordform")) for token in tokens]
            yield _tokenised(words, marks, sent_id=f"{sentence.get('MASCfile')}#{sentence.get('MASCsentID')}")


def msrpc(*paths: Path) -> Iterator[Item]:
    """Each sentence of the paraphrase corpus once, in tokens of the Penn Treebank."""
    from nltk.tokenize import TreebankWordTokenizer

    tokenizer, seen = TreebankWordTokenizer(), set()
    for path in paths:
        for line in path.read_text("utf-8-sig").replace("\r", "").split("\n")[1:]:
            _, *ids, first, second = line.split("\t")[:5] if line.count("\t") > 3 else [""] * 3
            for number, text in zip(ids, (first, second), strict=False):
                if number not in seen:
                    seen.add(number)
                    yield _tokenised([cleaned(word) for word in tokenizer.tokenize(text)], {}, sent_id=number)


def semcor(*folders: Path) -> Iterator[Item]:
    """SemCor's sentences: tokens of several words are split, and the first of them has the sense."""
    for path in sorted((path for folder in folders for path in folder.glob("tagfiles/br-*")), key=str):
        for number, sentence in re.findall(r"<s snum=(\d+)>(.*?)</s>", path.read_text("latin-1"), re.S):
            words, marks = [], {}
            for kind, attributes, text in re.findall(r"<(wf|punc)([^>]*)>([^<]*)</", sentence):
                values = dict(re.findall(r"(\w+)=([^\s>]+)", attributes))
                parts = [text] if kind == "punc" else [part for part in text.strip().split("_") if part]
                if kind == "wf" and parts and "lexsn" in values and "lemma" in values:
                    span = f"|Span={len(parts)}" if len(parts) > 1 else ""
                    marks[len(words)] = f"Sense={values['lemma']}%{values['lexsn'].split(';')[0]}{span}"
                words += map(cleaned, parts)
            if words:
                yield _tokenised(words, marks, sent_id=f"{path.parts[-3]}/{path.name}#{number}")


def banko(path: Path) -> Iterator[Item]:
    """Sentences with two entities between tags of their own, tokens between spaces."""
    for number, line in enumerate(path.read_text("utf-8", errors="replace").split("\n"), 1):
        words, marks, current = [], {}, None
        for word in line.split():
            if word in ("<p1>", "<p2>", "</p1>", "</p2>"):
                current = None if word[1] == "/" else word[2]
                continue
            if current:
                marks[len(words)] = f"Entity={current}"
            words.append(cleaned(word))
        if words:
            yield _tokenised(words, marks, sent_id=number)


def google(births: Path, deaths: Path) -> Iterator[Item]:
    """Every sentence of a snippet that names the place; the person is a name in it, or else *he* or *she*."""
    records = []
    for number, record in enumerate(map(json.loads, births.read_text("utf8").strip().split("\n")), 1):
        records.append(("birth", number, record["sub_label"], record["obj_label"], record))
    for number, record in enumerate(json.loads(deaths.read_text("utf8")), 1):
        records.append(("death", number, record["sub"] or "", (record["obj"] or "").split(",")[0], record))
    for relation, number, person, place, record in records:
        sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z(\"'])", " ".join(record["evidences"][0]["snippet"].split()))
        votes = [vote["judgment"] for vote in record["judgments"]]
        names = {word for word in re.findall(r"\w+", person) if len(word) > 1 and word[0].isupper()}
        for k, text in enumerate(sentences, 1):
            named = re.search(rf"\b{re.escape(place)}\b", text)
            if len(place) < 3 or not named or not 4 <= len(text.split()) <= 60:
                continue
            head = {"sent_id": f"{relation}-{number}-{k}", "relation": relation, "place": place}
            tail = {"yes": votes.count("yes"), "no": votes.count("no"), "sentence": f"{k} of {len(sentences)}"}

            def finish(tokens, head=head, tail=tail, names=names, named=named):
                first, last = named.span()
                marks = {i: "Entity=2" for i, (*_, begin, end) in enumerate(tokens) if begin < last and end > first}
                at, kind = [i for i, token in enumerate(tokens) if token[0] in names and i not in marks], "name"
                if not at:
                    at, kind = [i for i, token in enumerate(tokens) if token[0].lower() in ("he", "she")
                                and token[5] in ("nsubj", "nsubjpass")][:1], "pronoun"  # fmt: skip
                about = head | {"person": kind if at else "none"} | tail | {"text": named.string}
                return about, {i: "Entity=1" for i in at} | marks

            yield Item(text, finish)


SETS = {
    "coinco": Derived("coinco.conllu.xz", ("coinco.xml",), coinco),
    "msrpc": Derived("msrpc.conllu.xz", ("msr_paraphrase_train.txt", "msr_paraphrase_test.txt"), msrpc),
    "semcor": Derived("semcor.conllu.xz", ("brown1", "brown2", "brownv"), semcor),
    "relation_banko2008": Derived("relation.conllu", ("hlt-naacl08-data.txt",), banko),
    "google_re": Derived("google_re.conllu.xz", ("place_of_birth_test.jsonl", "pod_augment-200526.json"), google),
}  # fmt: skip
"""What can be derived, by the dataset's name in the registry."""


# ------------------------------------------------------------------------------------------------------------ parsing


def parser() -> Path:
    """The parser's Python, in an environment of its own below the cache, which is made at first use."""
    folder = datasets.cache_folder() / "parser"
    whole = folder / "environment" / "whole"
    with storage.alone(folder / ".lock"):
        if not whole.is_file() or whole.read_text("utf8") != " ".join(PARSER):
            shutil.rmtree(whole.parent, ignore_errors=True)
            python = whole.parent / "bin" / "python"
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PARSER]
            for command in ([sys.executable, "-m", "venv", str(whole.parent)], install):
                if subprocess.run(command, check=False).returncode:
                    raise DataError(f"the parser ({', '.join(PARSER)}) cannot be installed in {whole.parent}")
            whole.write_text(" ".join(PARSER), "utf8")
    return whole.with_name("bin") / "python"


def parsed(texts: Iterable[str | list[str]], python: Path, model: Path) -> Iterator[list[Sequence]]:
    """The tokens of each text, parsed by the script beside this one; `DataError` if the parser fails."""
    script, lines = Path(__file__).with_name("parse.py"), "".join(f"{json.dumps(text)}\n" for text in texts)
    command = [str(python), "-W", "ignore", str(script), str(model)]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, encoding="utf8", check=False)
    answers = done.stdout.split("\n")[:-1]
    if done.returncode or len(answers) != lines.count("\n"):
        raise DataError(f"the parser of {MODEL} failed; what it says stands above")
    yield from map(json.loads, answers)


def conllu(items: Sequence[Item], trees: Iterable[Sequence[Sequence]]) -> str:
    """Items with their trees as CoNLL-U.

    Examples
    --------
    >>> item = Item("Birds sing", lambda tokens: ({"sent_id": 1}, {0: "Entity=1"}))
    >>> tree = [("Birds", "bird", "NOUN", "NNS", 2, "nsubj", 0, 5), ("sing", "sing", "VERB", "VBP", 0, "root", 6, 10)]
    >>> print(conllu([item], [tree]).replace("\\t", " ").rstrip())
    # sent_id = 1
    1 Birds bird NOUN NNS _ 2 nsubj _ Entity=1
    2 sing sing VERB VBP _ 0 root _ _
    """
    blocks = []
    for item, tokens in zip(items, trees, strict=True):
        comments, marks = item.finish(tokens)
        rows = [Token(k, *token[:4], "_", *token[4:6], "_", marks.get(k - 1, "_")) for k, token in enumerate(tokens, 1)]
        blocks.append(Sentence(tuple(rows), comments).conllu())
    return "".join(blocks)


# ----------------------------------------------------------------------------------------------------------- the task


def main(arguments: Sequence[str] = ()) -> int:
    """Derive parses from their owners' files into the cache: an exit code.

    It is 1 if a file is missing, of which one list says what to download and where to put it, or if a parse is not the
    registered one. A `DataError` says that the parser cannot be installed.
    """
    options = argparse.ArgumentParser(prog="python -m scripts.derive", description=__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"datasets, of {', '.join(SETS)} (all)")
    names = options.parse_args(arguments).names or list(SETS)
    if unknown := set(names) - set(SETS):
        options.error(f"nothing derives {', '.join(unknown)}; there are {', '.join(SETS)}")
    model = datasets.cache_folder() / "parser" / MODEL
    has_model, sources, failed, lacking = (model / "meta.json").is_file(), {}, False, []
    if not has_model:
        lacking.append(f"{MODEL}, the parser's model: {MODEL_PAGE}, unpacked so that {model / 'meta.json'} is there")
    for name in names:
        paths = [_source(datasets.dataset(name), source) for source in SETS[name].sources]
        if absent := [file for file, path in zip(SETS[name].sources, paths, strict=True) if path is None]:
            entry, folder = datasets.dataset(name), datasets.cache_folder() / name
            lacking.append(f"{name}: {', '.join(absent)}, into {folder}. {entry.obtain} {' '.join(entry.pages)}")
        else:
            sources[name] = paths
    if lacking:
        print("Missing, to be downloaded by hand:", *(f"- {line}" for line in lacking), sep="\n")
    if has_model and sources:
        python = parser()
        for name, paths in sources.items():
            items = list(SETS[name].read(*paths))
            problem = _kept(name, conllu(items, parsed((item.text for item in items), python, model)))
            print(f"{name}: {problem or f'{SETS[name].file} is derived, byte for byte as registered'}", flush=True)
            failed |= bool(problem)
    return int(failed or bool(lacking))


def _source(entry: datasets.Dataset, name: str) -> Path | None:
    """A file of the owner's, checked if the registry has it; or a folder of the set's in the cache."""
    place = datasets.cache_folder() / entry.name / name
    if name not in entry.files:
        return place if place.exists() else None
    try:
        return datasets.fetch(entry.name, name)
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)


def _kept(name: str, text: str) -> str:
    """Put a parse into the cache if it is the registered one; otherwise what is wrong with it."""
    file = datasets.dataset(name).files[SETS[name].file]
    content = text.encode()
    if sha256(content).hexdigest() != (file.unpacked_sha256 or file.sha256):
        return f"what was derived is not {file.name} of the registry (SHA-256 {sha256(content).hexdigest()}); not kept"
    if file.unpacked_sha256:
        content = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
        if sha256(content).hexdigest() != file.sha256:
            return f"what {file.name} holds was derived, but it is compressed otherwise here; not kept"
    with storage.whole_file(datasets.cache_folder() / name / file.name, "wb") as sink:
        sink.write(content)
    return ""


if __name__ == "__main__":
    run(main, sys.argv[1:])
