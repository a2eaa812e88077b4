"""The guides of ``book/guides``, followed to the letter: what they say to write is written, what to run is run.

A block with a caption is a file. ``PATH`` writes it, ``PATH, at the end`` appends, and ``PATH, below: LINE`` inserts
after that line. A block of Python without a caption, or one of shell, is run, and the block of text behind it is what
it prints.
"""

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from bz2 import compress
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from types import SimpleNamespace

import numpy as np
import pytest

from book._ext import data_sheets, reference
from cdsm_lib.chapters import contextual_models, leaderboard_systems
from cdsm_lib.tasks import lexical_substitution, relpron

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?ms)^(`{3,})(\{code-block\} )?(\w+)\n(.*?)^\1$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its caption if it has one, its text, and what it is said to print."""

    language: str
    caption: str | None
    text: str
    prints: str | None = None


def blocks(guide: str) -> list[Block]:
    """The blocks of a guide in order, outputs joined to what prints them."""
    return blocks_of((ROOT / "book" / "guides" / f"{guide}.md").read_text("utf8"))


def blocks_of(page: str) -> list[Block]:
    """The same of a page's text."""
    found: list[Block] = []
    for _, directive, language, text in BLOCK.findall(page):
        caption = re.match(r":caption: (.*)\n\n?", text) if directive else None
        if language == "text" and not caption:
            found[-1] = Block(found[-1].language, found[-1].caption, found[-1].text, text)
        else:
            text = text[caption.end() :] if caption else text
            found.append(Block(language, caption[1] if caption else None, text))
    return found


def put(block: Block, folder: Path) -> None:
    """Do to the files in a folder what the block's caption says."""
    name, _, below = block.caption.partition(", below: ")
    name, _, at_the_end = name.partition(", at the end")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if below:
        text = path.read_text("utf8")
        lines = [line for line in text.splitlines() if line.strip() == below.strip("`").strip()]
        assert len(lines) == 1, f"{below} stands {len(lines)} times in {name}"
        path.write_text(text.replace(f"{lines[0]}\n", f"{lines[0]}\n{block.text}", 1), "utf8")
    elif block.caption.endswith(", at the end"):
        path.write_text(path.read_text("utf8").rstrip("\n") + "\n\n" + block.text, "utf8")
    else:
        assert not path.exists(), f"{name} is there already"
        path.write_text(block.text, "utf8")


def run(command: list[str], folder: Path, library: Path | str | None = None, **variables: str) -> str:
    """What a command prints; it must not fail. It sees the library of its folder or another, and no mirror of data."""
    environment = {k: v for k, v in os.environ.items() if k != "CDSM_DATA_MIRROR"} | variables
    environment |= {
        "PYTHONPATH": str(library or folder),
        "CDSM_DATA_CACHE": str(folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)[:200]}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def commands(block: Block) -> list[list[str]]:
    """The commands of a block of shell, with this Python for ``python``."""
    lines = filter(str.strip, block.text.replace("\\\n", " ").splitlines())
    return [[sys.executable if word == "python" else word for word in shlex.split(line)] for line in lines]


MODEL, PAPER, SCORED = map(blocks, ("add-a-model", "add-a-paper", "score-a-model"))


def test_the_quick_start_prints_what_it_says_and_fits_a_screen(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    page = reference.pages(ROOT, "sample", [])["generated/api/quick-start.md"]
    (program,) = blocks_of(page)
    assert program.text.count("\n") <= 24 and page.count("\n") < 45
    exec(compile(program.text, "README.md", "exec"), {})
    assert capsys.readouterr().out == program.prints


@pytest.mark.slow
def test_the_model_prints_what_its_guide_says(tmp_path):
    programs = [block for block in MODEL if block.language == "python"]
    assert len(programs) == len(MODEL) >= 4 and all(program.prints for program in programs)
    mark = "-- end of block --"
    script = tmp_path / "guide.py"
    script.write_text("".join(f"{program.text}print({mark!r})\n" for program in programs), "utf8")
    printed = run([sys.executable, str(script)], tmp_path, library=ROOT).split(f"{mark}\n")
    assert printed == [*(program.prints for program in programs), ""]


class Encoder:
    """Stands in for a model of sentence-transformers: an array with a row a text, here of its letters."""

    def __init__(self, name: str):
        assert name

    def encode(self, texts: list[str]) -> np.ndarray:
        return np.array([[text.count(letter) for letter in ascii_lowercase] for text in texts], dtype=np.float32)


@pytest.mark.slow
def test_each_kind_of_model_is_scored_on_all_seven_tasks_as_the_guide_says(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Encoder))
    models, tasks = SCORED[:3], SCORED[3:]
    scored = [re.search('score_model\\("(.+?)"', block.text)[1] for block in tasks]
    assert sorted(scored) == sorted(leaderboard_systems.NAMES) and all(block.prints for block in tasks)
    for model in models:
        names = {}
        for block in (model, *tasks):
            exec(compile(block.text, "score-a-model.md", "exec"), names)
        printed = capsys.readouterr().out
        assert len(re.findall(r"(?m)^-?\d\.\d{3} \(-?\d\.\d{3} to -?\d\.\d{3}\)$", printed)) == 7
        if model is models[0]:
            assert printed == "".join(block.prints for block in tasks)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of what a chapter is made of and rests on."""
    place = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__", "_build")
    for name in ("cdsm_lib", "data", "notebooks", "book/_ext"):
        shutil.copytree(ROOT / name, place / name, ignore=ignored)
    for name in ("book/references.bib", "_toc.yml", "_config.yml", "pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / name, place / name)
    return place


@pytest.mark.slow
def test_the_paper_can_be_added_as_its_guide_says(copy):
    before = {path.relative_to(copy) for path in copy.rglob("*") if path.is_file()}
    for block in PAPER:
        if block.caption:
            put(block, copy)
        else:
            printed = "".join(run(command, copy) for command in commands(block))
            if block.prints:
                assert printed == block.prints
    after = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    added = after - {path.as_posix() for path in before}
    made = {name for name in added if not name.startswith(("_build/", "cache/", ".pytest_cache/", ".ruff_cache/"))}
    written = {block.caption for block in PAPER if block.caption and ", " not in block.caption}
    assert made == written | {"data/results/sample/odd_one_out.json", "notebooks/60-odd-one-out.ipynb"}
    assert "## Motivation" in data_sheets.own_sheet(copy, data_sheets.own_sets(copy)["odd_words"])
    ruff = [sys.executable, "-m", "ruff"]
    run([*ruff, "check", *sorted(name for name in written if name.endswith(".py"))], copy)
    run([*ruff, "format", "--check", *sorted(name for name in written if name.endswith(".py"))], copy)


STAND_IN = '''
"""In spaCy's place: its interface as far as the guide needs it, and a parser that knows four forms of sentences."""
import json, pathlib, re
from types import SimpleNamespace as Named

__version__ = "3.8"
TAGS = json.loads((pathlib.Path(__file__).parent / "tags.json").read_text())
TREES = {  # by the tags' first two letters: the root, then (place, head, label) of the others that do not hang on it
    "DENOVEDENOPU": (2, [(1, 2, "nsubj"), (4, 2, "dobj")]),
    "DEADNOVEDEADNOADDENOPU": (3, [(2, 3, "nsubj"), (6, 3, "dobj")]),
    "DENOPRVEDENOVEDENOPU": (6, [(1, 6, "nsubj"), (3, 1, "relcl"), (2, 3, "nsubj"), (5, 3, "dobj"), (8, 6, "dobj")]),
    "DENOPRDENOVEVEDENOPU": (6, [(1, 6, "nsubj"), (5, 1, "relcl"), (2, 5, "dobj"), (4, 5, "nsubj"), (8, 6, "dobj")]),
}


def sentence(text):
    forms = re.findall(r"[\\w-]+|[.]", text)
    tags = [TAGS.get(form.lower(), "PUNCT") for form in forms]
    root, arcs = TREES["".join(tag[:2] for tag in tags)]
    tokens = [
        Named(i=i, text=form, lemma_=form.lower().removesuffix("s" if tag == "VERB" else ""), pos_=tag, tag_="",
              morph="", dep_="dep", is_space=False)
        for i, (form, tag) in enumerate(zip(forms, tags))
    ]
    for token in tokens:
        token.head = tokens[root]
    for place, head, label in arcs:
        tokens[place].head, tokens[place].dep_ = tokens[head], label
    return tokens


def load(model, exclude):
    def pipe(texts, batch_size, n_process):
        for text in texts:
            yield Named(sents=[sentence(part) for part in re.split("(?<=[.]) ", text)])

    class Model:
        meta, pipe = {"lang": "en", "name": model, "version": "0"}, None

        def __call__(self, text):
            return sentence(text)

    Model.pipe = staticmethod(pipe)
    return Model()
'''


def small_wiki(tags: dict[str, str], pages: int) -> str:
    """A dump whose pages have ten sentences of random words: first verbs and "star" often, twenty objects a verb."""
    draw = random.Random(1)
    adjectives, nouns, verbs = ([word for word in tags if tags[word] == tag] for tag in ("ADJ", "NOUN", "VERB"))
    any_noun = nouns + 100 * ["star"]

    def words() -> tuple[str, str, str, str, str]:
        verb = int(len(verbs) * draw.random() ** 2)
        thing = nouns[(20 * verb + draw.randrange(20)) % len(nouns)]
        return draw.choice(adjectives), draw.choice(any_noun), verbs[verb], thing, draw.choice(any_noun)

    forms = (
        "The {0} {1} {2} the {0} {3} in a {4}.",
        "The {1} that {2} the {3} sees a {4}.",
        "The {3} that the {1} {2} sees a {4}.",
    )
    texts = [" ".join(draw.choice(forms).format(*words()) for _ in range(10)) for _ in range(pages)]
    body = "".join(
        f"<page><title>{k}</title><ns>0</ns><id>{k}</id><revision><text>{text}</text></revision></page>"
        for k, text in enumerate(texts)
    )
    return f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">{body}</mediawiki>'


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_corpus_of_ones_own_becomes_a_book_as_its_guide_says(tmp_path):
    copy, home = tmp_path / "checkout", tmp_path / "home"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "_build", ".build", "__pycache__"))
    home.mkdir()
    words = [w.rpartition("|") for w in relpron.vocabulary(*(relpron.load("relpron_mini", s) for s in ("dev", "test")))]
    taught = (token for sentence in contextual_models.teaching_sentences() for token in sentence)
    needed = lexical_substitution.vocabulary(lexical_substitution.load("anvan_mini"))
    tags = {token.lemma: "NOUN" for token in taught if token.upos == "NOUN" and token.lemma.isalpha()}
    tags |= {lemma: "NOUN" for lemma, _, tag in words if tag == "NOUN"} | dict.fromkeys(["star", "dog", "cat"], "NOUN")
    tags |= {lemma: "ADJ" for lemma, _, tag in (word.rpartition("|") for word in needed) if tag == "ADJ"}
    tags |= {"plays": "VERB", **{f"{lemma}s": "VERB" for lemma, _, tag in words if tag == "VERB"}, "sees": "VERB"}
    tags |= dict.fromkeys(["the", "a"], "DET") | {"in": "ADP", "that": "PRON"}
    (home / "wiki.xml.bz2").write_bytes(compress(small_wiki(tags, 400).encode()))
    (home / "spacy.py").write_text(STAND_IN)
    (home / "tags.json").write_text(json.dumps(tags))

    def make(*goal: str) -> str:
        """What a task prints, with this Python in place of that of .venv."""
        dry = run(["make", "--no-print-directory", "-n", "-o", ".venv/.installed", *goal], copy, HOME=str(home))
        (line,) = [line for line in dry.splitlines() if line.startswith(".venv/bin/python ")]
        path = os.pathsep.join([str(copy), *([str(home)] if "corpus" in goal else [])])
        return run([sys.executable, *shlex.split(line)[1:]], copy, path, HOME=str(home))

    def said(chapter: str) -> str:
        cells = json.loads((copy / f"_build/mine/{chapter}.ipynb").read_text("utf8"))["cells"]
        return json.dumps([cell.get("outputs") for cell in cells])

    printed = []
    for block in blocks("own-corpus"):
        if block.caption:
            put(block, copy)
        else:
            printed += [make(*goal) for _, *goal in commands(block)]
    assert "The corpus: 4,000 sentences" in printed[0] and "Executed: _build/run/01-word" in printed[1]
    assert len(list((home / "mine").glob("part-*.conllu.gz"))) == 16
    made = copy / "cache/distilled/mine/provenance.json"
    about, pages = json.loads(made.read_text("utf8"))["settings"], copy / "_build/html"
    assert about["words"] == 500 and about["spaces"]["skipgram"]["min_count"] == 5
    assert made.stat().st_mtime_ns < (copy / "_build/run/01-word-spaces.ipynb").stat().st_mtime_ns, "made once"
    chapters = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert all((pages / f"notebooks/{chapter}.html").is_file() for chapter in chapters)
    assert "A corpus of 0 million tokens gave" in said("01-word-spaces")
    assert "A corpus of 0 million tokens gave" in (pages / "notebooks/01-word-spaces.html").read_text("utf8")
    learned = [int(n) for n in re.search(r"from (\d+) phrases of (\d+) verbs", said("02-composition")).groups()]
    assert 100 < learned[0] < 800 and learned[1] == 40  # of twenty objects a verb; our corpus has thousands
    kept = {path.stem for path in (copy / "_build/mine/results").glob("*.json")}
    follower = "31-beyond-relpron"  # it has the figures of 30
    assert kept == {chapter for chapter in chapters if "10" <= chapter[:2] < "90" and chapter != follower}
