"""The playground's script: what is in it, what rounding did, and that it reads back as the library's own spaces."""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, unquote

import numpy as np
import pytest
from scipy import sparse

from book._ext import playground
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition.linear import LexicalFunction, log_count_weights, ridge
from cdsm_lib.settings import load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

ROOT = Path(__file__).resolve().parents[1]
DISTILLED = ROOT / "data" / "distilled"
TAGS = {"word": [""], "adjective-noun": ["ADJ", "NOUN"], "noun-noun": ["NOUN", "NOUN"], "verb-object": ["VERB", "NOUN"],
        "subject-verb": ["NOUN", "VERB"], "subject-clause": ["NOUN", "VERB", "NOUN"],
        "object-clause": ["NOUN", "NOUN", "VERB"]}  # fmt: skip
MATRICES = {"adjective-noun": (0, ["modifier"]), "noun-noun": (0, ["modifier"]), "verb-object": (0, ["object"]),
            "subject-verb": (1, ["subject"]), "subject-clause": (1, ["subject", "object"]),
            "object-clause": (2, ["subject", "object"])}  # fmt: skip


@pytest.fixture(scope="module")
def words() -> materials.TrainingCounts:
    return materials.load(DISTILLED)


@pytest.fixture(scope="module")
def made() -> playground.Playground:
    return playground.gather(DISTILLED)


@pytest.fixture(scope="module")
def script(made) -> str:
    return playground.encode(made)


@pytest.fixture(scope="module")
def read(script) -> playground.Playground:
    return playground.decode(script)


# ---------------------------------------------------------------------------------------------------------- rounding


def test_rounded_by_hand():
    whole, scale = playground.rounded([[2.54, -1.28, 0.02], [0, 0, 0]])
    assert whole.tolist() == [[127, -64, 1], [0, 0, 0]] and whole.dtype == np.int8
    np.testing.assert_allclose(scale, [0.02, 0])
    np.testing.assert_allclose(playground.restored(whole, scale), [[2.54, -1.28, 0.02], [0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("shape", [(50, 7), (4, 9, 5), (3, 0)])
def test_rounding_keeps_within_half_a_step(dtype, shape):
    rng = np.random.default_rng(1)
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, (shape[0], *[1] * (len(shape) - 1)))
    values = np.abs(values) if dtype == np.uint8 else values
    whole, scale = playground.rounded(values, dtype)
    assert whole.dtype == dtype and whole.shape == shape and scale.shape == shape[:-1]
    assert (np.abs(playground.restored(whole, scale) - values) <= scale[..., None] * (0.5 + 1e-4)).all()


def test_rounding_refuses_a_sign_that_it_cannot_keep():
    with pytest.raises(ValueError, match="take int8"):
        playground.rounded([[1.0, -1.0]], np.uint8)


def test_turned_is_a_rotation_to_the_principal_axes():
    vectors = np.random.default_rng(3).normal(size=(200, 6)) @ np.diag([1, 5, 2, 0.1, 3, 4])
    rotation = playground.turned(vectors)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(6), atol=1e-12)
    along = ((vectors @ rotation) ** 2).sum(axis=0)
    assert (np.diff(along) < 0).all()
    np.testing.assert_allclose(along, np.linalg.svd(vectors, compute_uv=False) ** 2)


# ------------------------------------------------------------------------------------------------------- the content


def test_vocabulary_spaces_and_matrices(read):
    assert len(read.words) >= 4000
    assert set(read.spaces) == {"skip-gram", "counted", "reduced"}
    assert all(space.rows == read.words for space in read.spaces.values())
    assert read.spaces["counted"].is_sparse and len(read.spaces["counted"].dimensions) == 1000
    assert (np.diff(read.spaces["counted"].vectors.indptr) <= playground.CONTEXTS).all()
    verbs, modifiers = read.matrices["skip-gram"], read.matrices["reduced"]["modifier"]
    assert 40 <= len(verbs["subject"].functors) <= playground.VERBS
    assert verbs["subject"].functors == verbs["object"].functors
    assert sum(label.endswith("|ADJ") for label in modifiers.functors) >= 40
    assert {label.rpartition("|")[2] for label in modifiers.functors} == {"ADJ", "NOUN"}
    assert all(label in read.words for label in (*verbs["subject"].functors, *modifiers.functors))


def test_skip_gram_is_turned_and_nothing_else(words, made):
    vectors = words.vectors
    some = [vectors.rows[i] for i in range(0, len(vectors), 97)]
    before, after = vectors.take(some).astype(float), made.spaces["skip-gram"].take(some).astype(float)
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=1e-4)


def test_verb_matrices_are_ridge_regressions_on_the_first_axes(words, made):
    """One object matrix from scratch, by the formula of the chapter."""
    settings = load_profile("sample")["relpron"]
    phrases, holistic = words.phrases["object"], words.phrase_vectors["object"]
    rotation = playground.turned(words.vectors.vectors)[:, : playground.SIZE]
    rows = np.flatnonzero((phrases.ids[:, 0] == phrases.words.index("detect|VERB")) & holistic.any(axis=1))
    nouns = words.vectors.vectors[phrases.ids[rows, 1]] @ rotation
    weights = log_count_weights(phrases.counts[rows], settings["weighting"])
    expected = ridge(nouns, holistic[rows] @ rotation, settings["verb_penalty"], weights)
    function = made.matrices["skip-gram"]["object"]
    matrix = function.matrices[function.functors.index("detect|VERB")]
    np.testing.assert_allclose(matrix[: playground.SIZE, : playground.SIZE], expected, atol=1e-4)
    assert not matrix[playground.SIZE :].any() and not matrix[:, playground.SIZE :].any()


def test_counted_words_keep_their_strongest_contexts(words, made):
    counts = words.counts["Count"]
    whole = weighting.ppmi(counts.matrix)
    for label in ("bank|NOUN", "cold|ADJ", "detect|VERB"):
        place = counts.rows.index(label)
        strongest = np.sort(whole[[place]].toarray()[0])[::-1][: playground.CONTEXTS]
        kept = np.sort(made.spaces["counted"][label])[::-1][: playground.CONTEXTS]
        np.testing.assert_allclose(kept, strongest, rtol=1e-6)


def test_modifiers_map_nouns_to_the_phrases_that_were_counted(made):
    """A matrix comes nearer to its own adjective's phrases than another adjective's matrix does."""
    settings = load_profile("sample")
    chapter = settings["lexical_substitution"] | {"dimensions": playground.SIZE}
    words, found = buljan2018.load(DISTILLED)
    trained = buljan2018.train_space(words, chapter, settings["seed"])
    predicates, nouns, observed = buljan2018.bigram_vectors(trained, found)["adjective_noun"]
    function, space = made.matrices["reduced"]["modifier"], made.spaces["reduced"]
    wins, total = 0, 0
    for right, wrong in (("cold|ADJ", "military|ADJ"), ("military|ADJ", "dark|ADJ"), ("dark|ADJ", "cold|ADJ")):
        rows = [i for i, word in enumerate(predicates) if word == right and nouns[i] in space]
        vectors = space.take([nouns[i] for i in rows])
        near = [(observed[rows] * function.compose(word, vectors)).sum(1)
                / np.linalg.norm(function.compose(word, vectors), axis=1) for word in (right, wrong)]  # fmt: skip
        wins, total = wins + int((near[0] > near[1]).sum()), total + len(rows)
    assert total > 60 and wins / total > 0.9


# -------------------------------------------------------------------------------------------------------- the script


def test_script_is_small_and_asks_for_nothing(script):
    assert len(script) <= playground.MEGABYTES * 10**6
    assert script.isascii() and script.startswith(playground.HEAD) and script.endswith(";\n")
    assert "http" not in re.sub(r'"data":"[^"]*"', "", script)


def test_script_reads_back(made, script, read):
    """Every number within half a step of what was written, every name in its place."""
    whole = json.loads(script[len(playground.HEAD) :].rstrip(";\n"))["spaces"]

    def assert_near(before, after, parts):
        scale = np.frombuffer(base64.b64decode(parts["scale"]["data"]), dtype="<f4").reshape(parts["scale"]["shape"])
        assert (np.abs(before - after) <= scale[..., None] / 2 * (1 + 1e-3) + 1e-7).all()

    for name, before in made.spaces.items():
        after = read.spaces[name]
        assert after.rows == before.rows and after.dimensions == before.dimensions
        vectors = [space.vectors.toarray() if space.is_sparse else space.vectors for space in (before, after)]
        assert_near(*vectors, whole[name])
        assert paired_cosines(before.vectors, after.vectors, undefined=1).min() > 0.999
        for role, function in made.matrices.get(name, {}).items():
            again, size = read.matrices[name][role], playground.SIZE
            assert again.functors == function.functors and again.matrices.shape == function.matrices.shape
            matrices = [of.matrices[:, :size, :size] for of in (function, again)]
            assert_near(*matrices, whole[name]["matrices"][role])
    assert playground.encode(read) == playground.encode(playground.decode(playground.encode(read)))


def test_rows_of_unequal_length_are_filled_with_nothing():
    words, contexts = ["a|NOUN", "b|NOUN", "c|NOUN"], ["x|NOUN", "y|NOUN", "z|NOUN"]
    counted = Space(words, sparse.csr_array([[0, 2.55, 0], [1.0, 0.5, 0.25], [0, 0, 0]]), contexts)
    dense = Space(words, np.eye(3))
    function = playground._matrices(["a|NOUN"], playground.Labels(["a|NOUN"]), np.ones((1, 3, 3)), 3)
    small = playground.Playground({"skip-gram": dense, "counted": counted}, {"skip-gram": {"object": function}})
    again = playground.decode(playground.encode(small))
    np.testing.assert_allclose(
        again.spaces["counted"].vectors.toarray(), [[0, 2.55, 0], [1, 0.5, 0.25], [0, 0, 0]], atol=0.002
    )
    assert again.spaces["counted"].vectors.nnz == 4
    assert isinstance(again.matrices["skip-gram"]["object"], LexicalFunction)
    np.testing.assert_array_equal(again.matrices["skip-gram"]["object"].compose("a|NOUN", [1, 2, 3]), [6, 6, 6])


def test_another_script_is_refused():
    with pytest.raises(ValueError, match="build the book again"):
        playground.decode("window.other = {};")


# ------------------------------------------------------------------------------------------------- the writer's rules


@pytest.fixture
def folder(tmp_path) -> Path:
    """The distilled files as links, so that one can be taken away or replaced."""
    for name in (*playground.FILES, "provenance.json"):
        (tmp_path / name).symlink_to(DISTILLED / name)
    return tmp_path


@pytest.mark.parametrize("name", playground.FILES)
def test_a_file_that_is_missing_or_of_another_making_is_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name}.*make distil"):
        playground.gather(folder)
    (folder / name).write_bytes(b"another")
    with pytest.raises(StorageError, match=f"{re.escape(name)}: it was not made together.*make distil"):
        playground.gather(folder)


def test_a_book_without_the_page_gets_no_script(tmp_path):
    assert playground.pages(tmp_path, "sample", []) == {}


def test_pages_of_this_book_and_a_script_too_large(monkeypatch, made, script, read):
    monkeypatch.setattr(playground, "gather", lambda folder: made)
    written = playground.pages(ROOT, "sample", [])
    told = written.pop("generated/playground.md")
    assert written == {playground.SCRIPT: script}
    assert f"**{len(read.words):,} words**" in told and f"{len(script) / 1e6:.1f} MB" in told
    assert "detect" in told and "| reduced | 50 |" in told
    monkeypatch.setattr(playground, "MEGABYTES", 0.1)
    with pytest.raises(ValueError, match="lower CONTEXTS, VERBS or MODIFIERS"):
        playground.pages(ROOT, "sample", [])


def examples() -> list[str]:
    """The states that the page links to, but for lines."""
    page = (ROOT / playground.PAGE).read_text("utf8").replace("&amp;", "&")
    return re.findall(r'href="(#space=[^"]+)"', page)


@pytest.mark.parametrize("address", examples())
def test_examples_are_made_of_known_words(read, address):
    """Each word is in the vocabulary with the part of speech of its place, and has the matrix that it is asked for."""
    assert len(examples()) >= 8
    state = parse_qs(unquote(address[1:]))
    (space,) = state["space"]
    for which in ("a", "b"):
        kind, how, *words = state[which][0].split(",")
        assert len(words) == len(TAGS[kind])
        labels = [f"{word}|{tag or 'NOUN'}" for word, tag in zip(words, TAGS[kind], strict=True)]
        assert read.spaces[space].coverage(labels) == []
        if how in ("matrix", "splf", "plf"):
            place, roles = MATRICES[kind]
            assert all(labels[place] in read.matrices[space][role].functors for role in roles)


needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
ASSETS = ROOT / "book" / "assets"


def node(code: str, *arguments: str) -> str:
    """What a script prints that has the page's functions."""
    start = "global.window = {}; require(process.argv[1]);"
    start += "const page = window.cdsmPlayground, more = process.argv.slice(2);"
    command = ["node", "-e", start + code, str(ASSETS / "playground.js"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


LONG_WORDS = """
const words = Array.from({ length: 2000 }, (_, i) => `word${i}|NOUN`);
const book = { words, senses: new Map() };
for (const text of ["word7" + "x".repeat(1e6), "word" + " ".repeat(1e6) + "7"]) {
  console.log(page.spelledLike(book, text, ["NOUN"]).length, page.resolve(book, text, ["NOUN"]).label,
    page.suggestions(book, text, ["NOUN"], () => true).length, page.understand(book, text).readings.length);
}
"""


@needs_node
def test_a_word_of_a_million_letters_holds_nothing_up():
    """Unless such words are cut, either takes minutes."""
    assert node(LONG_WORDS).split("\n")[0] == "0 null 0 0"


READ = {
    "hot dog": "adjective-noun hot|ADJ dog|NOUN",
    "The bigger ships.": "adjective-noun big|ADJ ship|NOUN",
    "cold war": "adjective-noun cold|ADJ war|NOUN",
    "power plants": "noun-noun power|NOUN plant|NOUN",
    "operating system": "noun-noun operating|NOUN system|NOUN",
    "playing football": "verb-object play|VERB football|NOUN",
    "leaves office": "verb-object leave|VERB office|NOUN",
    "stopped a train": "verb-object stop|VERB train|NOUN",
    "king dies": "subject-verb king|NOUN die|VERB",
    "artist that plays jazz": "subject-clause artist|NOUN play|VERB jazz|NOUN",
    "men who fought wars": "subject-clause man|NOUN fight|VERB war|NOUN",
    "device that records sound": "subject-clause device|NOUN record|VERB sound|NOUN",
    "weapon that archers draw": "object-clause weapon|NOUN archer|NOUN draw|VERB",
    "person whom the king appoints": "object-clause person|NOUN king|NOUN appoint|VERB",
    "substance that plants absorb": "object-clause substance|NOUN plant|NOUN absorb|VERB",
    "leaves": "word leaf|NOUN",
    "lives": "word life|NOUN",
    "species": "word species|NOUN",
    "crises": "word crisis|NOUN",
    "series": "word series|NOUN",
    "written": "word write|VERB",
    "u.s.": "word u.s.|PROPN",
    "hot dgo": "unknown dgo: dog",
    "a telesocpe": "unknown telesocpe: telescope",
    "frobnitz": "unknown frobnitz:",
    "specie": "word species|NOUN",
    "war cold": "none",
    "artist that plays": "none",
    "big hot dog": "none",
    "": "none",
}
UNDERSTAND = """
global.atob = (text) => Buffer.from(text, "base64").toString("latin1");
require(more[0]);
const book = page.decode(window.cdsmPlaygroundData);
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
def test_lines_are_understood(script, tmp_path):
    """The kind of phrase and its lemmas; or which word is unknown, and the first that is spelled like it."""
    (tmp_path / "data.js").write_text(script, "utf8")
    said = node(UNDERSTAND, str(tmp_path / "data.js"), json.dumps(list(READ))).split("\n")
    assert dict(zip(READ, map(str.strip, said), strict=False)) == READ


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
