"""Nothing of a dataset may stand in the project: git's files are searched for items of RELPRON, and for sentences of
CoInCo, of Banko and Etzioni's set, of GENIA, and of MSRPC, these with words altered, too."""

import html
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from teaching import REAL

from cdsm_lib import datasets
from cdsm_lib.construction import localisation as construction
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks import localisation, relpron
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.counts import CONTENT_TAGS, STOP_WORDS
from cdsm_lib.text.lexicon import WordNetLexicon

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
    found = set()
    for i, word in enumerate(words[1:], 1):
        if word in ("that", "who", "which") and (head := words[i - 1]) in by_head:
            after = words[i + 1 : i + 1 + SPAN]
            for item in by_head[head]:
                stems = [part[: max(3, len(part) - 1)] for part in (item.verb, item.argument)]
                if all(any(w.startswith(stem) for w in after) for stem in stems):
                    found.add(str(item))
    return found


@pytest.mark.mirror
def test_no_item_of_relpron_stands_in_a_tracked_file(mirror, root):
    items = [item for split in ("dev", "test") for item in relpron.load("relpron", split).items]
    hits = {str(path): found for path, text in tracked_texts(root) if (found := quoted_items(text, items))}
    assert not hits, hits


def test_a_quoted_item_is_found():
    item = relpron.Property("cannon", "weapon", "SBJ", "replace", "trebuchet")
    assert quoted_items("a weapon that replaces the trebuchets", [item])
    assert quoted_items("SBJ cannon_N: weapon_N that replace_V trebuchet_N", [item])
    assert not quoted_items("a weapon that replaces the catapult", [item])


# -------------------------------------------------------------------------------------------------- running sentences


def plain_text(path, text: str) -> str:
    """What a reader sees: a notebook's cells and outputs, a parsed text's forms; without markup and labels' tags."""
    if path.suffix == ".ipynb":
        text = "\n".join(strings_in(json.loads(text)))
    elif path.suffix == ".conllu":
        forms = (line.split("\t")[1] if line[:1].isdigit() else line for line in text.splitlines())
        text = text + "\n" + " ".join(forms)
    return re.sub(r"\|[A-Z]+\b", " ", html.unescape(re.sub(r"<[^<>]*>", " ", text)))


def strings_in(value) -> Iterable[str]:
    """Every text in a JSON value; a list of lines, as notebooks have them, is one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and all(isinstance(line, str) for line in value):
        yield "".join(value)
    else:
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from strings_in(part)


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def runs_of(sentences: Iterable[Sentence]) -> set[tuple[str, ...]]:
    """Runs of words of which enough are content words; of forms, and of lemmas."""
    found = set()
    for sentence in sentences:
        for part in ("form", "lemma"):
            words = []
            for token in sentence:
                counts = token.upos in CONTENT_TAGS and token.lemma.lower() not in STOP_WORDS
                words += [(word, counts) for word in words_of(getattr(token, part))]
            for i in range(len(words) - RUN + 1):
                run, content = zip(*words[i : i + RUN], strict=True)
                if sum(content) >= CONTENT:
                    found.add(run)
    return found


def quoted_runs(text: str, runs: set[tuple[str, ...]]) -> set[str]:
    words = words_of(text)
    return {" ".join(run) for run in zip(*(words[i:] for i in range(RUN)), strict=False) if run in runs}


def share_found(sentences: Iterable[Sentence], runs: set[tuple[str, ...]]) -> float:
    found = [bool(quoted_runs(" ".join(token.form for token in sentence), runs)) for sentence in sentences]
    return sum(found) / len(found)


SENTENCES = [name for name in REAL if name != "semcor"]
SOUGHT = 300  # long sentences of a set that are looked for in its own runs
JOURNAL = "proceedings of the national academy of sciences"  # the name of one; MSRPC's news speak of it


@pytest.mark.mirror
@pytest.mark.parametrize("name", SENTENCES)
def test_no_sentence_of_a_dataset_stands_in_a_tracked_file(mirror, root, name):
    sentences = REAL[name]()
    runs = runs_of(sentences)
    long = [s for s in sentences if len(s) > 30][:SOUGHT]
    assert share_found(long, runs) > 0.95 and len(long) > 94
    hits = hits_in_tracked_files(root, runs)
    assert not hits, f"runs of {RUN} words of {name}: {hits}"


def hits_in_tracked_files(root, runs: set[tuple[str, ...]]) -> dict[str, int]:
    return {
        str(path): len(found)
        for path, text in tracked_texts(root)
        if (found := {run for run in quoted_runs(plain_text(path, text), runs) if run not in JOURNAL})
    }


# --------------------------------------------------------------------------------------------------- altered sentences
# White (2015) replaces single words of MSRPC's sentences. Most altered sentences keep a run of words that is MSRPC's
# own, whatever rules and seed altered them; of sentences with many words replaced only two thirds do. So the altered
# sentences that the full profile makes, by either choice of senses, are searched for, too.


def altered(task: localisation.Localisation) -> Iterator[Sentence]:
    """All versions of a set's sentences, an altered word's lemma being its form."""
    for sentence, versions in zip(task.sentences, task.versions, strict=True):
        for version in versions:
            pairs = zip(sentence, version.tokens, strict=True)
            yield Sentence(tuple(t if t.form == form else replace(t, form=form, lemma=form) for t, form in pairs))


@pytest.mark.mirror
@pytest.mark.slow
def test_no_altered_sentence_of_msrpc_stands_in_a_tracked_file(mirror, root):
    seed = load_profile("full")["seed"]
    pairs, parsed = localisation.load("msrpc")
    own = runs_of(parsed.values())
    try:
        facts = WordNetLexicon()
        facts.valid("fell")
        datasets.wordnet()
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet and SCOWL: {error}")
    for sense in (construction.FIRST, construction.POOLED):
        task = construction.build("msrpc", pairs, parsed, facts, sense=sense, seed=seed)
        versions = list(altered(task))
        assert len(versions) > 30_000
        runs = runs_of(versions)
        assert share_found(versions[::50], own) > 0.85  # by the words around what was altered
        assert share_found(versions[::50], runs) > 0.97
        hits = hits_in_tracked_files(root, runs)
        assert not hits, f"runs of {RUN} words of altered sentences of msrpc: {hits}"
