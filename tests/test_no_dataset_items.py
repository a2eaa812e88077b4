"""Nothing of a dataset may stand in the project: git's files are searched for items of RELPRON, and for sentences of
CoInCo, of Banko and Etzioni's set, of GENIA, and of MSRPC, these with words altered, too."""

import html
import re
import subprocess
from collections.abc import Iterable
from functools import cache

import pytest
from teaching import REAL

from cdsm_lib.construction import localisation as construction
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks import localisation, relpron
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.counts import CONTENT_TAGS, STOP_WORDS

SPAN = 5  # words after *that* in which verb and argument may stand, in any order and inflected
RUN, CONTENT = 6, 3  # so many running words, so many content words among them, are quoted from somewhere


def tracked_texts(root):
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, names):
        path = root / name.decode()
        if path.is_file() and path.suffix not in (".npz", ".png", ".svg") and b"\0" not in (raw := path.read_bytes()):
            yield path.relative_to(root), raw.decode("utf-8")


def quoted_items(text: str, items) -> set[str]:
    """Items of which head noun, *that*, verb and argument stand together, whatever their order and inflection."""
    words = re.findall(r"[a-z]+", re.sub(r"_[nv]\b", "", text.lower()))
    by_head = {}
    for item in items:
        by_head.setdefault(item.head, []).append(item)
    quoted = set()
    for i, word in enumerate(words[1:], 1):
        if word in ("that", "who", "which"):
            after = words[i + 1 : i + 1 + SPAN]
            for item in by_head.get(words[i - 1], ()):
                stems = [part[: max(3, len(part) - 1)] for part in (item.verb, item.argument)]
                if all(any(w.startswith(stem) for w in after) for stem in stems):
                    quoted.add(str(item))
    return quoted


@pytest.mark.mirror
def test_no_item_of_relpron_stands_in_a_tracked_file(mirror, root):
    items = [item for split in ("dev", "test") for item in relpron.load("relpron", split).items]
    hits = {str(path): quoted for path, text in tracked_texts(root) if (quoted := quoted_items(text, items))}
    assert not hits, hits


# -------------------------------------------------------------------------------------------------- running sentences


def plain_text(path, text: str) -> str:
    """What a reader sees: a notebook's cells and outputs, a parsed text's forms; without markup and labels' tags."""
    if path.suffix == ".ipynb":
        text = text.replace("\\n", " ")
    elif path.suffix == ".conllu":
        forms = (line.split("\t")[1] if line[:1].isdigit() else line for line in text.splitlines())
        text = text + "\n" + " ".join(forms)
    return re.sub(r"\|[A-Z]+\b", " ", html.unescape(re.sub(r"<[^<>]*>", " ", text)))


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def runs_of(sentences: Iterable[Sentence]) -> set[tuple[str, ...]]:
    """Runs of words of which enough are content words; of forms, and of lemmas."""
    runs = set()
    for sentence in sentences:
        for part in ("form", "lemma"):
            words = []
            for token in sentence:
                counts = token.upos in CONTENT_TAGS and token.lemma.lower() not in STOP_WORDS
                words += [(word, counts) for word in words_of(getattr(token, part))]
            for i in range(len(words) - RUN + 1):
                run, content = zip(*words[i : i + RUN], strict=True)
                if sum(content) >= CONTENT:
                    runs.add(run)
    return runs


def quoted_runs(words: list[str], runs: set[tuple[str, ...]]) -> set[str]:
    return {" ".join(run) for run in zip(*(words[i:] for i in range(RUN)), strict=False) if run in runs}


def share_found(sentences: list[Sentence], runs: set[tuple[str, ...]]) -> float:
    quoted = [quoted_runs(words_of(" ".join(token.form for token in sentence)), runs) for sentence in sentences]
    return sum(map(bool, quoted)) / len(sentences)


SOUGHT = 300  # long sentences of a set that are looked for in its own runs
JOURNAL = "proceedings of the national academy of sciences"  # the name of one; MSRPC's news speak of it


@cache
def tracked_words(root) -> dict[str, list[str]]:
    return {str(path): words_of(plain_text(path, text)) for path, text in tracked_texts(root)}


def hits_in_tracked_files(root, runs: set[tuple[str, ...]]) -> dict[str, int]:
    words = tracked_words(root).items()
    hits = {path: sum(run not in JOURNAL for run in quoted_runs(words, runs)) for path, words in words}
    return {path: n for path, n in hits.items() if n}


@pytest.mark.mirror
@pytest.mark.parametrize("name", [name for name in REAL if name != "semcor"])
def test_no_sentence_of_a_dataset_stands_in_a_tracked_file(mirror, root, name):
    sentences = REAL[name]()
    runs = runs_of(sentences)
    long = [s for s in sentences if len(s) > 30][:SOUGHT]
    assert share_found(long, runs) > 0.95 and len(long) > 94
    assert hits_in_tracked_files(root, runs) == {}


@pytest.mark.mirror
@pytest.mark.slow
def test_no_altered_sentence_of_msrpc_stands_in_a_tracked_file(databases, root):
    """White (2015) replaces single words of MSRPC's sentences. Most altered sentences keep a run of words that is
    MSRPC's own, whatever altered them; of those with many words replaced only two thirds do. So those that the full
    profile makes, by either choice of senses, are searched for, too."""
    pairs, parsed = localisation.load("msrpc")
    theirs = runs_of(parsed.values())
    for sense in (construction.FIRST, construction.POOLED):
        task = construction.build("msrpc", pairs, parsed, databases, sense=sense, seed=load_profile("full")["seed"])
        versions = list(task.altered())[len(task.sentences) :]
        assert len(versions) > 30_000
        runs = runs_of(versions)
        assert share_found(versions[::50], theirs) > 0.85  # by the words around what was altered
        assert share_found(versions[::50], runs) > 0.97
        assert hits_in_tracked_files(root, runs) == {}
