"""The playground's words: how they are made and rounded, what the committed file holds, what the page makes of it."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playground_words import decode

from book._ext import playground as scripts_of
from cdsm_lib.chapters import playground
from cdsm_lib.composition.linear import LexicalFunction
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import corpus_from_text
from cdsm_lib.vectors.space import Space
from scripts import playground as making

ROOT = Path(__file__).resolve().parents[1]
LOSS = {"reduced": 0.002, "counted": 0.002, "skip-gram": 0.1, "matrices": 0.015}
"""The most that the small form may move a cosine on average."""


@pytest.fixture(scope="module")
def arrays() -> dict:
    return playground.stored()[0]


@pytest.fixture(scope="module")
def scripts(arrays) -> list[str]:
    return scripts_of.encode(arrays)


@pytest.fixture(scope="module")
def read() -> playground.Playground:
    return playground.unpack(*playground.stored())


# ---------------------------------------------------------------------------------------------------------- rounding


def test_rounded_by_hand():
    whole, scale = making.rounded([[2.54, -1.28, 0.02], [0, 0, 0]])
    assert whole.tolist() == [[127, -64, 1], [0, 0, 0]] and whole.dtype == np.int8
    np.testing.assert_allclose(scale, [0.02, 0])
    np.testing.assert_allclose(whole * scale[:, None], [[2.54, -1.28, 0.02], [0, 0, 0]], atol=1e-6)


def test_components_are_the_best_of_their_rank():
    rng = np.random.default_rng(4)
    low = rng.normal(size=(3, 7, 2)) @ rng.normal(size=(3, 2, 7))
    for matrices, rank in ((low, 2), (low, 4), (np.zeros((1, 7, 7)), 3)):
        left, right, scale = making.components(matrices, rank)
        assert left.dtype == right.dtype == np.int8 and left.shape == right.shape == (*scale.shape, 7)
        again = np.swapaxes(left * scale[..., None], 1, 2) @ right
        np.testing.assert_allclose(again, matrices, atol=0.02 * np.abs(matrices).max() + 1e-9)


# -------------------------------------------------------------------------------------------------------- the making


def test_wrong_lemmas_are_put_right_and_nothing_else():
    corpus = corpus_from_text(
        "species:specie|NOUN/2/nsubj leave:leave|VERB/0/root", "leaf:leaf|NOUN/0/root", "tax:tax|NOUN/0/root",
        "Leaves:leave|NOUN/2/nsubj cost:cost|VERB/0/root taxes:taxis|NOUN/2/dobj", "leave:leave|NOUN/0/root",
    )  # fmt: skip
    right = making.relabelled(corpus)
    assert [right.words[i] for i in right.word] == [
        "species|NOUN", "leave|VERB", "leaf|NOUN", "tax|NOUN", "leaf|NOUN", "cost|VERB", "tax|NOUN", "leave|NOUN",
    ]  # fmt: skip
    assert [right.forms[i] for i in right.form] == [corpus.forms[i] for i in corpus.form]


def test_gather_counts_and_learns(monkeypatch, tmp_path):
    """On a made-up language: every number has its place, and a matrix brings its nouns near their phrases."""
    rng = np.random.default_rng(1)
    nouns, adjectives, verbs = ([f"{kind}{letter}" for letter in "abcdefgh"] for kind in ("noun", "adj", "verb"))

    def sentence() -> str:
        a, b = rng.choice(nouns, 2)
        adjective = adjectives[(nouns.index(a) + rng.integers(3)) % 8]
        verb = verbs[(nouns.index(b) + rng.integers(3)) % 8]
        return f"{adjective}|ADJ/2/amod {a}/3/nsubj {verb}|VERB/0/root {b}/3/dobj"

    corpus = corpus_from_text(*(sentence() for _ in range(1500)))
    examples = {"adjective-noun": ("adja nouna",), "subject-clause": ("nouna verba nounb",)}
    sizes = {"WORDS": 24, "FEATURES": 12, "CONTEXTS": 5, "SIZE": 6, "AXES": 3, "MIN_PAIRS": 3, "BIGRAM_COUNT": 2}
    for name, value in (sizes | {"EXAMPLES": examples}).items():
        monkeypatch.setattr(making, name, value)
    trained = Space(list(corpus.words), rng.normal(size=(24, 8)))
    made = making.gather(corpus, trained, {"window": 3, "power": 1.0}, 1)
    assert len(made.words) == 24 and {name: space.d for name, space in made.spaces.items()} == {
        "reduced": 6, "counted": 12, "skip-gram": 3,
    }  # fmt: skip
    np.testing.assert_allclose(np.linalg.norm(made.spaces["reduced"].vectors, axis=1), 1, atol=1e-6)
    assert (np.diff(made.spaces["counted"].vectors.indptr) <= 5).all()
    assert made.matrices["subject"].functors == made.matrices["object"].functors
    assert "adja|ADJ" in made.matrices["modifier"].functors and made.matrices["modifier"].matrices.shape[1:] == (6, 6)
    assert making.losses(made, made) == dict.fromkeys((*made.spaces, "matrices"), 0.0)
    monkeypatch.setattr(ledger, "path", lambda name: tmp_path / f"{name}.npz")
    making.main(corpus, trained, ledger.path("playground"))  # with the profile's settings
    kept = playground.unpack(*playground.stored())
    assert list(kept.words) == list(made.words) and kept.matrices["object"].functors == made.matrices["object"].functors
    assert all(loss < 0.02 for name, loss in kept.meta["loss"].items() if name != "skip-gram")


def test_losses_by_hand(monkeypatch):
    """One phrase of two words, a vector of which is turned by a right angle."""
    monkeypatch.setattr(making, "EXAMPLES", {"adjective-noun": ("hot dog",)})
    words, function = ["hot|ADJ", "dog|NOUN"], LexicalFunction()
    function.functors, function.matrices = Labels(["hot|ADJ"]), np.eye(2, dtype=np.float32)[None]

    def made(dog) -> playground.Playground:
        return playground.Playground({"reduced": Space(words, np.array([[1.0, 0], dog]))}, {"modifier": function}, {})

    # The sum's cosines 1, 1 become .7071, .7071; those of the matrix, which changes nothing, 1, 1 become 0, 1.
    assert making.losses(made([1.0, 0]), made([0, 1.0])) == {"reduced": 0.2929, "matrices": 0.5}


# ---------------------------------------------------------------------------------------------- the committed file


def test_every_example_has_its_words_and_matrices(read):
    for kind, labels in making.examples():
        assert read.spaces["reduced"].coverage(labels) == []
        assert all(labels[at] in read.matrices[role].functors for role, at, _ in making.TERMS[kind])


def test_the_loss_that_the_file_states_is_small(arrays, read):
    """Against float; and a second rounding of the same numbers costs next to nothing."""
    assert read.meta["loss"].keys() == LOSS.keys()
    assert all(0 < read.meta["loss"][name] <= most for name, most in LOSS.items())
    again = making.losses(read, playground.unpack(making.pack(read)))
    assert max(again.values()) < 0.001


# ------------------------------------------------------------------------------------------------------- the scripts


def test_scripts_are_small_and_ask_for_nothing(scripts):
    assert sum(map(len, scripts)) <= 8_000_000
    assert all(script.isascii() and "http" not in script.partition(",")[0] for script in scripts)
    assert max(map(len, scripts)) < 1_000_000  # one after the other, so that none holds up the page


def test_scripts_read_back(arrays, scripts, read):
    decoded = decode(scripts)
    again = making.pack(decoded)
    assert {name: array.shape for name, array in again.items()} == {name: array.shape for name, array in arrays.items()}
    for name, space in read.spaces.items():
        assert decoded.spaces[name].rows == space.rows and decoded.spaces[name].dimensions == space.dimensions
        assert abs(decoded.spaces[name].vectors - space.vectors).max() == 0
    for role, function in read.matrices.items():
        assert decoded.matrices[role].functors == function.functors
        np.testing.assert_array_equal(decoded.matrices[role].matrices, function.matrices)


# ------------------------------------------------------------------------------------------------------- the reading

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
ASSETS = ROOT / "book" / "assets"


def node(code: str, *arguments: str) -> str:
    """What a script prints that has the page's functions."""
    start = "require(process.argv[1]); const page = cdsmPlayground, more = process.argv.slice(2);"
    command = ["node", "-e", start + code, str(ASSETS / "playground.js"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


READ = {
    "hot dog": "adjective-noun hot|ADJ dog|NOUN",
    "cold war": "adjective-noun cold|ADJ war|NOUN",
    "operating system": "noun-noun operating|NOUN system|NOUN",
    "leaves office": "verb-object leave|VERB office|NOUN",
    "king dies": "subject-verb king|NOUN die|VERB",
    "artist that plays jazz": "subject-clause artist|NOUN play|VERB jazz|NOUN",
    "device that records sound": "subject-clause device|NOUN record|VERB sound|NOUN",
    "weapon that archers draw": "object-clause weapon|NOUN archer|NOUN draw|VERB",
    "substance that plants absorb": "object-clause substance|NOUN plant|NOUN absorb|VERB",
    "leaves": "word leaf|NOUN",
    "species": "word species|NOUN",
    "series": "word series|NOUN",
    "u.s.": "word u.s.|PROPN",
    "hot dgo": "unknown dgo: dog",
    "frobnitz": "unknown frobnitz:",
    "war cold": "none",
    "": "none",
}
UNDERSTAND = """
const parts = [];
global.cdsmPlaygroundPart = (k, part) => { parts[k] = part; };
require(more[0]);
const book = page.decode(parts[0], parts.slice(1));
for (const line of JSON.parse(more[1])) {
  const { unknown, readings: [best] } = page.understand(book, line);
  if (best) console.log(best.kind, ...best.labels);
  else if (!unknown.length) console.log("none");
  else {
    const near = page.spelledLike(book, unknown[0], ["NOUN"], 1);
    console.log(`unknown ${unknown[0]}:`, ...near.map(page.lemmaOf));
  }
}
"""


@needs_node
def test_lines_are_understood(scripts, tmp_path):
    """The kind of phrase and its lemmas; or which word is unknown, and the first that is spelled like it."""
    (tmp_path / "data.js").write_text("".join(scripts), "utf8")
    said = node(UNDERSTAND, str(tmp_path / "data.js"), json.dumps(list(READ))).split("\n")
    assert dict(zip(READ, map(str.strip, said), strict=False)) == READ


FIRST = """
const parts = [];
global.cdsmPlaygroundPart = (k, part) => { parts[k] = part; };
require(more[0]);
const book = page.decode(parts[0], parts.slice(1)), hash = "#line=hot+dog";
const first = page.decode(parts[0], parts.slice(1, 1 + parts[0].first));
const [told, same] = [book, first].map((some) => JSON.stringify(page.answer(some, { hash })));
console.log(told === same, parts[0].first);
const whole = (line) => page.answer(book, { hash: `#line=${line}` }).sides.every(({ text }) => !text);
for (const line of JSON.parse(more[1])) {
  const { heard, sides } = page.answer(book, { hash: `#line=${line}` });
  const offered = [...heard.then.map(([, text]) => text), ...sides.flatMap(({ lines }) => lines ?? [])];
  console.log(offered.length, offered.every(whole));
}
"""


@needs_node
def test_the_first_answer_needs_few_parts_and_every_line_that_is_offered_can_be_composed(scripts, tmp_path):
    (tmp_path / "data.js").write_text("".join(scripts), "utf8")
    lines = ["hot dgo", "strange hous", "president obama", "purple dog"]
    told = node(FIRST, str(tmp_path / "data.js"), json.dumps(lines))
    (same, first), *offered = map(str.split, told.splitlines())
    assert same == "true" and sum(map(len, scripts[: 1 + int(first)])) < 5_000_000
    assert all(fits == "true" for _, fits in offered) and sum(int(n) for n, _ in offered) >= 5


@needs_node
@pytest.mark.parametrize("n, d", [(3, 2), (8, 50), (15, 200), (17, 300)])
def test_principal_components_are_numpy_s(n, d):
    vectors = np.random.default_rng(n).normal(size=(n, d)) + 1
    code = "console.log(JSON.stringify(page.principal(JSON.parse(more[0]).map((u) => Float64Array.from(u)))))"
    found = json.loads(node(code, json.dumps(vectors.tolist())))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(units - units.mean(axis=0), full_matrices=False)
    points = (u * s)[:, :2]
    points *= np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    np.testing.assert_allclose(found["points"], points, atol=1e-6)
    assert found["share"] == pytest.approx((s[:2] ** 2).sum() / (s**2).sum())
