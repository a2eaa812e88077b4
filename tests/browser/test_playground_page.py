"""The composition playground in a browser: its numbers against the library's, its fields by keyboard alone.

The reference is what `cdsm_lib` computes over the arrays that the page itself was given, read back from its scripts.
The page computes in a worker, and says with ``aria-busy`` when it has done.
"""

import re

import numpy as np
import pytest
from playground_words import decode

from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.relative_clause import plf, splf, varg, vhn

from . import checks

pytestmark = pytest.mark.browser

PAGE = "book/playground.html"
NOTE = "#playground-line-note"
TOLERANCE = 1e-4
SPEECH = {"NOUN": "noun", "VERB": "verb", "ADJ": "adjective", "ADV": "adverb", "PROPN": "name"}
NOUN, VERB, ADJ = ("NOUN", "PROPN"), ("VERB",), ("ADJ",)
SLOTS = {"word": [("NOUN", "VERB", "ADJ", "PROPN", "ADV")], "adjective-noun": [ADJ, NOUN], "noun-noun": [NOUN, NOUN],
         "verb-object": [VERB, NOUN], "subject-verb": [NOUN, VERB], "subject-clause": [NOUN, VERB, NOUN],
         "object-clause": [NOUN, NOUN, VERB]}  # fmt: skip
MATRIX = {"adjective-noun": ("modifier", 0, 1), "noun-noun": ("modifier", 0, 1), "verb-object": ("object", 0, 1),
          "subject-verb": ("subject", 1, 0)}  # fmt: skip
CLAUSES = {"subject-clause": (0, 1, 2), "object-clause": (0, 2, 1)}  # head, verb, argument
CASES = [
    (space, kind, how)
    for space in ("skip-gram", "counted", "reduced")
    for kind in SLOTS
    for how in ("add", "mult", "matrix", "splf", "plf")
    if (kind != "word" or how == "add")
    and (how != "matrix" or (kind in MATRIX and space == "reduced"))
    and (how not in ("splf", "plf") or (kind in CLAUSES and space == "reduced"))
]


def settled(page):
    """The page, when it shows what was last asked for."""
    page.wait_for_selector(".playground[aria-busy='false']")
    return page


def scripts(html) -> list:
    """The files of the words, in their order."""
    return sorted((html / "_static").glob("playground-data-*.js"), key=lambda path: int(path.stem.rpartition("-")[2]))


@pytest.fixture(scope="module")
def opened(chromium, html):
    """The page, opened once from disk, and its errors: for the many tests of its numbers."""
    context = chromium.new_context()
    page, errors = context.new_page(), []
    page.on("console", lambda note: errors.append(note.text) if note.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{html.as_uri()}/{PAGE}", wait_until="load")
    yield settled(page), errors
    context.close()


@pytest.fixture
def playground_at(open_page):
    """Open the playground as `open_page` does, and wait for its first results."""

    def visit(url: str, **wanted):
        seen = open_page(url, **wanted)
        settled(seen.page)
        return seen

    return visit


@pytest.fixture(scope="module")
def library(html):
    """The arrays of the page."""
    return decode([path.read_text("utf8") for path in scripts(html)])


def functor(kind: str, how: str) -> tuple[int, tuple[str, ...]] | None:
    """Which word needs matrices, and of which roles."""
    if how == "matrix":
        role, place, _ = MATRIX[kind]
        return place, (role,)
    return (CLAUSES[kind][1], ("subject", "object")) if how in ("splf", "plf") else None


def phrases(library, space: str, kind: str, how: str, n: int, seed: int) -> list[list[str]]:
    """Words drawn by lot for the places of a phrase; one that must have a matrix has it."""
    rng = np.random.default_rng(seed)
    need = functor(kind, how)
    pools = []
    for i, tags in enumerate(SLOTS[kind]):
        pool = library.matrices[need[1][0]].functors if need and need[0] == i else library.words
        pools.append([label for label in pool if label.rpartition("|")[2] in tags])
    return [[pool[rng.integers(len(pool))] for pool in pools] for _ in range(n)]


def composed(library, space: str, kind: str, how: str, labels: list[str]) -> dict[int | None, np.ndarray]:
    """The phrase (under None), and without each of its words, by the library's own functions."""
    rows = library.spaces[space]
    vectors = [rows[label].astype(float) for label in labels]
    matrices = library.matrices
    places = range(len(labels))
    if how in ("add", "mult"):
        of = {"add": add, "mult": mult}[how]
        without = {i: of(*(vectors[j] for j in places if j != i)) for i in places} if len(labels) > 1 else {}
        return {None: of(*vectors), **without}
    if how == "matrix":
        role, f, x = MATRIX[kind]
        return {None: matrices[role].compose(labels[f], vectors[x]), f: vectors[x], x: vectors[f]}
    head, verb, argument = CLAUSES[kind]
    orc = np.array([kind == "object-clause"])
    Vs, Vo = (matrices[role].matrices[matrices[role].functors.index(labels[verb])] for role in ("subject", "object"))
    hn, arg = vectors[head][None], vectors[argument][None]
    whole = {"splf": splf, "plf": plf}[how](hn, arg, Vs, Vo, orc)[0]
    left = hn[0] if how == "splf" else vhn(hn, Vs, Vo, orc)[0]
    return {None: whole, head: varg(arg, Vs, Vo, orc)[0], argument: left, verb: add(hn[0], arg[0])}


def cosine(u, v) -> float:
    lengths = np.linalg.norm(u) * np.linalg.norm(v)
    return float(u @ v / lengths) if lengths > 0 else 0.0


def same_neighbours(found: list, expected: list) -> None:
    """The same cosines; and the same words, those of equal cosine in any order."""
    np.testing.assert_allclose([c for _, c in found], [c for _, c in expected], atol=TOLERANCE)
    places = {label: c for label, c in expected}
    for (label, c), (other, _) in zip(found, expected, strict=True):
        assert label == other or abs(places.get(label, expected[-1][1]) - c) < TOLERANCE


def nearest(library, space: str, vector, k: int, own: list[str], tag: str = "") -> list[tuple[str, float]]:
    """`Space.neighbours`, the phrase's own words left out."""
    among = [w for w in library.words if w not in own and (not tag or w.endswith(f"|{tag}"))]
    return library.spaces[space].neighbours(vector.astype(np.float32), k, among=among)


# ---------------------------------------------------------------------------------------------- what is on the page


def state_of(space: str, a: tuple, b: tuple, tag: str = "") -> str:
    """The part of the address that holds two phrases."""

    def text(kind, how, labels):
        words = [f"{lemma} ({SPEECH[tag]})" for lemma, tag in (label.split("|") for label in labels)]
        return ",".join([kind, how, *words])

    return f"#space={space}&among={tag}&a={text(*a)}&b={text(*b)}"


def table(page, name: str) -> list[tuple[str, list[str], list[float]]]:
    """A table's rows: heading, texts, and the numbers behind those that are rounded for the eye."""
    return page.locator(f"[data-table='{name}'] tbody tr").evaluate_all(
        """rows => rows.map(r => [r.querySelector('th').textContent,
             [...r.querySelectorAll('td')].map(d => d.textContent),
             [...r.querySelectorAll('td[data-value]')].map(d => +d.dataset.value)])"""
    )


def label_of(text: str) -> str:
    """``bow (noun)`` as the library writes it."""
    lemma, speech = re.fullmatch(r"(.+) \((\w+)\)", text).groups()
    return f"{lemma}|{next(tag for tag, word in SPEECH.items() if word == speech)}"


@pytest.mark.parametrize("space, kind, how", CASES)
def test_page_shows_the_library_s_numbers(opened, library, space, kind, how):
    """Both phrases of a state: tables of neighbours and of effects, the similarity, the contributions."""
    seed = 100 + CASES.index((space, kind, how))
    tag = ("", "NOUN", "VERB")[seed % 3]
    sides = [(kind, how, labels) for labels in phrases(library, space, kind, how, 2, seed)]
    page, errors = opened
    page.evaluate(
        """state => new Promise(done => {
             addEventListener("hashchange", () => setTimeout(done), {once: true});
             location.hash = state;
           })""",
        state_of(space, *sides, tag),
    )
    settled(page)
    vectors = [composed(library, space, *side) for side in sides]
    similarity = cosine(vectors[0][None], vectors[1][None])
    shown = page.locator("#playground-cosine")
    assert float(shown.get_attribute("data-value")) == pytest.approx(similarity, abs=TOLERANCE)
    assert float(shown.inner_text().replace("\N{MINUS SIGN}", "-")) == pytest.approx(similarity, abs=6e-4)
    assert page.get_by_role("status").inner_text().rstrip(".").endswith(shown.inner_text())
    for letter, side, ours, others in zip("AB", sides, vectors, vectors[::-1], strict=True):
        if ours[None].any():
            rows = [(label_of(word), numbers[0]) for word, _, numbers in table(page, f"neighbours-{letter}")]
            same_neighbours(rows, nearest(library, space, ours[None], 10, side[2], tag))
        for i, (word, texts, numbers) in enumerate(table(page, f"effects-{letter}")):
            assert word == side[2][i].partition("|")[0]
            assert numbers == pytest.approx([cosine(ours[i], ours[None]), cosine(ours[i], others[None])], abs=TOLERANCE)
            near = nearest(library, space, ours[i], 4, side[2], tag)
            if not np.any(np.abs(np.diff([c for _, c in near])) < TOLERANCE) and ours[i].any():
                assert texts[0].split(", ") == [label.partition("|")[0] for label, _ in near]
    parts = [numbers for _, _, numbers in table(page, "contributions")]
    assert np.sum(parts) == pytest.approx(similarity, abs=TOLERANCE)
    assert (page.locator("[data-table='contexts']").count() > 0) == (space == "counted" and similarity > 0)
    assert errors == []


def type_line(page, text: str) -> None:
    page.locator("#playground-line").fill(text)
    page.keyboard.press("Enter")
    settled(page)


def test_an_unknown_word_leaves_no_result_and_what_was_typed(playground_at, server, library):
    page = playground_at(server + PAGE).page
    type_line(page, "weapon that Archrs draw")
    field, note = page.locator("#playground-line"), page.locator(NOTE)
    assert field.input_value() == "weapon that Archrs draw" and field.get_attribute("aria-invalid") == "true"
    assert note.inner_text().startswith("\u201carchrs\u201d is not among the") and note.get_attribute("aria-live")
    assert page.locator(".results > *").count() == 0 and page.get_by_role("status").inner_text() == ""
    note.get_by_role("button", name="weapon that archers draw").click()
    settled(page)
    assert field.input_value() == "weapon that archers draw" and field.get_attribute("aria-invalid") == "false"
    assert [page.locator(f"[data-table='neighbours-{letter}']").count() for letter in "AB"] == [1, 1]
    type_line(page, " ")
    assert "Type a phrase" in note.inner_text() and field.get_attribute("aria-invalid") == "true"
    type_line(page, "hot frobnitzim")
    assert note.get_by_role("button").count() == 0
    type_line(page, "war cold")
    assert "none of the phrases" in note.inner_text() and page.locator(".results > *").count() == 0
    assert playground_at(page.url).page.locator(NOTE).inner_text() == note.inner_text()


# -------------------------------------------------------------------------------------------------- the reader's way


def test_by_keyboard_alone(playground_at, server):
    """From the address bar to another phrase and another space, without a mouse."""
    page = playground_at(server + PAGE).page

    def focused() -> str:
        return settled(page).evaluate("document.activeElement.id")

    page.keyboard.press("Tab")  # to the link that skips what every page has
    page.keyboard.press("Enter")
    tabs = 0
    while focused() != "playground-line":
        page.keyboard.press("Tab")
        assert (tabs := tabs + 1) < 8
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.locator("#playground-line").input_value() == "black hole" and page.url.endswith("#line=black+hole")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("the artist who plays jazz")
    page.keyboard.press("Enter")
    settled(page)
    assert "subject relative clause, artist (noun), play (verb), jazz" in page.locator(NOTE).inner_text()
    assert focused() == "playground-line" and page.url.endswith("#line=the+artist+who+plays+jazz")
    for _ in range(3):  # past both buttons to the fold
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused() == "playground-space"
    page.keyboard.type("counted")
    settled(page)
    assert "now composed by addition" in page.get_by_role("status").inner_text()


def test_what_the_reader_types_is_never_markup(playground_at, server):
    text = "<img src=x onerror=document.title='hurt'>"
    page = playground_at(server + PAGE).page
    page.locator("details > summary", has_text="Set it by hand").click()
    settled(page)
    for field in ("playground-b-0", "playground-line"):
        page.locator(f"#{field}").fill(text)
        page.keyboard.press("Enter")
        settled(page)
        assert page.locator(f"#{field}-note").inner_text().lower().startswith("\u201c<img")
    assert page.locator(".playground img").count() == 0 and "hurt" not in page.title()


@pytest.mark.parametrize(
    "state",
    ["#space=", "#space=nowhere&a=constructor,add,x&b=", "#space=counted&a=word,splf,bank&b=verb-object,matrix,eat",
     "#space=skip-gram&among=XYZ&a=word,add,%0A&b=word,add,%F0%9F%90%95", "#line=", "#line=%0A",
     "#line=that+that+that&kind=constructor&among=x", "#line=hot+dog&kind=word", f"#line={'x+' * 9000}"],
)  # fmt: skip
def test_a_strange_address_does_no_harm(playground_at, server, state):
    seen = playground_at(server + PAGE + state)
    assert seen.page.locator("fieldset").count() == 3
    assert seen.errors == []


@pytest.mark.parametrize(
    ("script", "spoilt", "said"),
    [
        ("data-2", None, "playground-data-2.js did not arrive"),
        ("data-2", lambda text: text[:-100], "playground-data-2.js is not whole, or of another build"),
        ("data-2", lambda text: text.replace("AA", "AB", 1), "playground-data-2.js is not whole, or of another build"),
        ("data-0", lambda text: text[:-100], "playground-data-0.js is not whole"),
        ("data-0", lambda text: text.replace('"shape":[', '"shape":[9e9,', 1), "The playground cannot go on"),
        ("page", None, "If this line stays, a script of the page did not arrive"),
    ],
)  # fmt: skip
def test_a_script_that_is_missing_or_spoilt_is_told(chromium, server, html, script, spoilt, said):
    page, name = chromium.new_page(), f"playground-{script}.js"

    def answer(route):
        text = spoilt and spoilt((html / "_static" / name).read_text("utf8"))
        route.fulfill(body=text, content_type="text/javascript") if spoilt else route.abort()

    page.route(f"**/{name}*", answer)
    page.goto(f"{server}{PAGE}", wait_until="load")
    page.wait_for_selector(f".playground >> text={said}")
    page.close()


def test_half_a_character_does_no_harm(playground_at, server):
    page = playground_at(f"{server}{PAGE}#space=reduced&a=word,add,dog&b=word,add,cat").page
    page.evaluate("""() => {
        const field = document.getElementById("playground-a-0");
        field.value = "dog" + String.fromCharCode(0xd83d);
        field.dispatchEvent(new Event("change"));
    }""")
    page.wait_for_function("location.hash.includes('dog%EF%BF%BD')")
    assert settled(page).locator("#playground-a-0-note").inner_text()


def test_links_of_the_page_set_the_fields(playground_at, server):
    """Each example composes without a complaint, and the focus goes to the playground."""
    seen = playground_at(server + PAGE)
    links = seen.page.locator(".bd-article a:is([href^='#space='], [href^='#line='])")
    assert links.count() >= 10
    for i in range(links.count()):
        links.nth(i).click()
        seen.page.wait_for_function("document.activeElement.id === 'composition-playground'")
        assert settled(seen.page).locator("#playground-cosine").count() == 1, links.nth(i).inner_text()
        assert seen.page.locator(".playground [aria-invalid='true']").count() == 0
        seen.page.evaluate("document.activeElement.blur()")
    assert seen.errors == []


STATES = ["", "#space=counted&a=noun-noun,mult,power,plant&b=adjective-noun,mult,green,plant",
          "#space=reduced&a=object-clause,plf,person,king,appoint&b=subject-clause,plf,person,appoint,king",
          "#space=reduced&a=word,add,zorkk&b=verb-object,matrix,draw,bow", "#line=weapon+that+archers+draw",
          "#line=hot+dgo"]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_and_a_phone_shows_all(playground_at, server, state, theme):
    page = playground_at(server + PAGE + state, viewport=checks.PHONE, theme=theme).page
    assert checks.axe_problems(page) == []
    assert checks.overflow_problems(page) == [] and checks.scrolling_problems(page) == []
