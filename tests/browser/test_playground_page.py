"""The composition playground in a browser: its numbers against the library's, its fields by keyboard alone.

The reference is what `cdsm_lib` computes over the arrays that the page itself was given, read back from its script.
"""

import re

import numpy as np
import pytest

from book._ext import playground
from cdsm_lib.composition.elementwise import add, mult
from cdsm_lib.composition.relative_clause import plf, splf, varg, vhn

from . import checks

pytestmark = pytest.mark.browser

PAGE = "book/playground.html"
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
    and (how != "matrix" or (kind in MATRIX and space == ("reduced" if MATRIX[kind][0] == "modifier" else "skip-gram")))
    and (how not in ("splf", "plf") or (kind in CLAUSES and space == "skip-gram"))
]


@pytest.fixture(scope="module")
def library(html) -> playground.Playground:
    return playground.decode((html / "_static" / "playground-data.js").read_text("utf8"))


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
        pool = library.matrices[space][need[1][0]].functors if need and need[0] == i else library.words
        pools.append([label for label in pool if label.rpartition("|")[2] in tags])
    return [[pool[rng.integers(len(pool))] for pool in pools] for _ in range(n)]


def composed(library, space: str, kind: str, how: str, labels: list[str]) -> dict[int | None, np.ndarray]:
    """The phrase (under None), and without each of its words, by the library's own functions."""
    rows = library.spaces[space]
    vectors = [rows[label].astype(float) for label in labels]
    matrices = library.matrices[space]
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


# ------------------------------------------------------------------------------------------ the functions, in numbers


@pytest.fixture(scope="module")
def opened(chromium, html):
    """The page, opened once from disk, and its errors: for the many tests of its numbers."""
    context = chromium.new_context()
    page, errors = context.new_page(), []
    page.on("console", lambda note: errors.append(note.text) if note.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{html.as_uri()}/{PAGE}", wait_until="load")
    yield page, errors
    context.close()


@pytest.fixture
def functions(opened):
    """The page, for the tests that only call its functions."""
    return opened[0]


def test_the_vectors_are_the_library_s(functions, library):
    """Every word of every space, by a weighted sum of its components; and the matrices likewise."""
    for name, space in library.spaces.items():
        weights = np.cos(np.arange(space.d))
        found = functions.evaluate(
            """([name, weights]) => { const {book, vector} = cdsmPlayground, space = book.spaces[name];
               return book.words.map(w => vector(book, space, w).reduce((s, x, i) => s + x * weights[i], 0)); }""",
            [name, weights.tolist()],
        )
        np.testing.assert_allclose(found, space.vectors @ weights, atol=TOLERANCE)
        for role, function in library.matrices[name].items():
            found = functions.evaluate(
                """([name, role, x]) => {
                     const {book, applyMatrix} = cdsmPlayground, space = book.spaces[name];
                     return [...space.matrices[role].place.keys()].map(w => [w, [...applyMatrix(space, role, w, x)]]);
                   }""",
                [name, role, weights.tolist()],
            )
            assert [word for word, _ in found] == list(function.functors)
            np.testing.assert_allclose([y for _, y in found], function.matrices @ weights, atol=TOLERANCE)


@pytest.mark.parametrize("space, kind, how", CASES)
def test_functions_agree_with_the_library(functions, library, space, kind, how):
    """Phrases drawn by lot: neighbours, each word left out, and the contributions to the similarity of two phrases."""
    drawn = phrases(library, space, kind, how, 8, seed=CASES.index((space, kind, how)))
    found = functions.evaluate(
        """([space, kind, how, drawn]) => {
             const {book, compose, plan, without, neighbours, cosine, contributions, sharedContexts} = cdsmPlayground;
             const here = book.spaces[space];
             const made = drawn.map(labels => compose(book, here, {kind, how, labels}));
             return drawn.map((labels, i) => {
               const phrase = {kind, how, labels}, whole = made[i], other = made[(i + 1) % made.length];
               const rest = labels.length > 1 ? labels.map((_, j) =>
                 [...compose(book, here, phrase, without(plan(kind, how), j)).vector]) : [];
               return {vector: [...whole.vector], rest, cosine: cosine(whole.vector, other.vector),
                 near: neighbours(book, here, whole.vector, 10, l => !labels.includes(l)),
                 parts: contributions(whole, other), shared: sharedContexts(book, whole, other)};
             });
           }""",
        [space, kind, how, drawn],
    )
    expected = [composed(library, space, kind, how, labels) for labels in drawn]
    for i, (labels, page, ours) in enumerate(zip(drawn, found, expected, strict=True)):
        whole, other = ours[None], expected[(i + 1) % len(drawn)][None]
        scale = max(1.0, float(np.abs(whole).max()))
        np.testing.assert_allclose(page["vector"], whole, atol=TOLERANCE * scale)
        for j, rest in enumerate(page["rest"]):
            np.testing.assert_allclose(rest, ours[j], atol=TOLERANCE * max(1.0, float(np.abs(ours[j]).max())))
        assert page["cosine"] == pytest.approx(cosine(whole, other), abs=TOLERANCE)
        assert np.sum(page["parts"]) == pytest.approx(cosine(whole, other), abs=TOLERANCE)
        same_neighbours(page["near"], nearest(library, space, whole, 10, labels))
        if space == "counted" and page["shared"]:
            lengths = np.linalg.norm(whole) * np.linalg.norm(other)
            contexts = library.spaces["counted"].dimensions
            shares = np.sort(whole * other / lengths)[::-1][: len(page["shared"])]
            np.testing.assert_allclose([part for _, part in page["shared"]], shares, atol=TOLERANCE)
            for context, part in page["shared"]:
                at = contexts.index(context)
                assert part == pytest.approx(whole[at] * other[at] / lengths, abs=TOLERANCE)


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


# -------------------------------------------------------------------------------------------------- the reader's way


def test_works_from_disk_and_from_a_server(open_page, address):
    seen = open_page(address + PAGE)
    assert seen.page.locator("[data-table='neighbours-A'] tbody tr").count() == 10
    assert "#" not in seen.page.url, "an address changes only when the reader changes something"
    assert seen.errors == [] and seen.requests == []


def test_by_keyboard_alone(open_page, server):
    """From the address bar to another word, another operation and another space, without a mouse."""
    page = open_page(server + PAGE).page

    def focused() -> str:
        return page.evaluate("document.activeElement.id")

    for _ in range(200):
        page.keyboard.press("Tab")
        if focused().startswith("playground-space-"):
            break
    assert focused() == "playground-space-reduced"
    page.keyboard.press("ArrowUp")
    assert focused() == "playground-space-counted"
    assert "now composed by addition" in page.get_by_role("status").inner_text()
    page.keyboard.press("Tab")
    for typed, place in (("noun noun", "kind"), ("mult", "how")):
        page.keyboard.press("Tab")
        assert focused() == f"playground-a-{place}"
        page.keyboard.type(typed)
    page.keyboard.press("Tab")
    assert focused() == "playground-a-0"
    field = page.locator("#playground-a-0")
    page.keyboard.press("Control+a")
    page.keyboard.type("powe")
    assert field.get_attribute("aria-expanded") == "true"
    options = page.locator("#playground-a-0-list [role=option]")
    assert 1 < options.count() <= 10
    page.keyboard.press("ArrowDown")
    active = field.get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowUp")
    assert options.last.get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowDown")
    assert options.first.get_attribute("aria-selected") == "true" and options.first.inner_text().startswith("power")
    page.keyboard.press("Enter")
    assert field.input_value() == "power" and field.get_attribute("aria-expanded") == "false"
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.tagName") == "BUTTON":  # another sense of the word is offered
        page.keyboard.press("Tab")
    assert focused() == "playground-a-1"
    page.keyboard.press("Control+a")
    page.keyboard.type("plant")
    page.keyboard.press("Escape")
    assert page.locator("#playground-a-1").get_attribute("aria-expanded") == "false"
    page.keyboard.press("Enter")
    assert page.locator("h3").first.inner_text().startswith("A: power plant (multiplication)")
    assert "a=noun-noun,mult,power,plant" in page.url
    again = open_page(page.url).page
    assert again.locator(".results").inner_text() == page.locator(".results").inner_text()


def test_unknown_words_are_named_and_near_spellings_offered(open_page, server):
    page = open_page(server + PAGE + "#space=skip-gram&a=word,add,telesope&b=word,add,device").page
    field, note = page.locator("#playground-a-0"), page.locator("#playground-a-0-note")
    assert field.get_attribute("aria-invalid") == "true"
    assert "\u201ctelesope\u201d is not among the" in note.inner_text()
    assert note.get_attribute("aria-live") == "polite" and field.get_attribute(
        "aria-describedby"
    ) == note.get_attribute("id")
    assert page.locator("#playground-cosine").count() == 0
    assert page.locator("[data-table='neighbours-B'] tbody tr").count() == 10
    note.get_by_role("button", name="telescope (noun)").click()
    assert field.input_value() == "telescope" and field.get_attribute("aria-invalid") == "false"
    assert page.evaluate("document.activeElement.id") == "playground-a-0"
    assert page.locator("#playground-cosine").count() == 1


def test_words_without_a_matrix_are_named(open_page, server, library):
    page = open_page(server + PAGE + "#space=skip-gram&a=verb-object,matrix,draw,bow&b=word,add,arrow").page
    note = page.locator("#playground-a-0-note")
    assert note.inner_text().startswith("draw (verb) has no object matrix here.")
    offered = [label_of(text) for text in note.get_by_role("button").all_inner_texts()]
    assert len(offered) == 3 and all(verb in library.matrices["skip-gram"]["object"].functors for verb in offered)
    note.get_by_role("button").first.click()
    assert page.locator("[data-table='neighbours-A'] tbody tr").count() == 10


def test_other_senses_are_offered(open_page, server):
    page = open_page(server + PAGE + "#space=counted&a=word,add,plant&b=word,add,flower").page
    before = page.locator("#playground-cosine").inner_text()
    page.locator("#playground-a-0-note").get_by_role("button", name="plant (verb)").click()
    assert page.locator("#playground-a-0").input_value() == "plant (verb)"
    assert page.locator("#playground-cosine").inner_text() != before


def test_the_matrix_s_field_lists_only_words_that_have_one(open_page, server, library):
    page = open_page(server + PAGE + "#space=reduced&a=adjective-noun,matrix,cold,war&b=word,add,tension").page
    page.locator("#playground-a-0").fill("")
    listed = page.locator("#playground-a-0-list [role=option]").all_inner_texts()
    adjectives = {label.partition("|")[0] for label in library.matrices["reduced"]["modifier"].functors}
    assert len(listed) == 10 and all(text.split(" ")[0] in adjectives for text in listed)


def test_a_product_of_nothing_shared_says_so(open_page, server, library):
    counted = library.spaces["counted"]
    nouns = [label for label in library.words if label.endswith("|NOUN")]
    a, b = next((a, b) for a in nouns for b in nouns[::-1] if not mult(counted[a], counted[b]).any())
    state = state_of("counted", ("noun-noun", "mult", [a, b]), ("word", "add", [a]))
    page = open_page(server + PAGE + state).page
    assert "Nothing is left" in page.locator(".results").inner_text()
    assert page.locator("[data-table='neighbours-A']").count() == 0
    assert page.locator("#playground-cosine").inner_text() == "0.000"


def test_what_the_reader_types_is_never_markup(open_page, server):
    text = "<img src=x onerror=document.title='hurt'>"
    page = open_page(server + PAGE).page
    page.locator("#playground-b-0").fill(text)
    page.keyboard.press("Enter")
    assert text.lower() in page.locator("#playground-b-0-note").inner_text().lower()
    assert page.locator(".playground img").count() == 0 and "hurt" not in page.title()


@pytest.mark.parametrize(
    "state",
    ["#space=", "#space=nowhere&a=constructor,add,x&b=", "#space=counted&a=word,splf,bank&b=verb-object,matrix,eat",
     "#space=skip-gram&among=XYZ&a=word,add,%0A&b=word,add,%F0%9F%90%95"],
)  # fmt: skip
def test_a_strange_address_does_no_harm(open_page, server, state):
    seen = open_page(server + PAGE + state)
    assert seen.page.locator("fieldset").count() == 3
    assert seen.errors == []


def test_links_of_the_page_set_the_fields(open_page, server):
    """Each example composes without a complaint, and the focus goes to the playground."""
    seen = open_page(server + PAGE)
    links = seen.page.locator(".bd-article a[href^='#space=']")
    assert links.count() >= 10
    for i in range(links.count()):
        links.nth(i).click()
        seen.page.wait_for_function("document.activeElement.id === 'composition-playground'")
        assert seen.page.locator("#playground-cosine").count() == 1, links.nth(i).inner_text()
        assert seen.page.locator(".playground [aria-invalid='true']").count() == 0
        seen.page.evaluate("document.activeElement.blur()")
    assert seen.errors == []


def test_dense_products_carry_a_warning(open_page, server):
    state = "&a=noun-noun,mult,power,plant&b=word,add,reactor"
    warned = open_page(f"{server}{PAGE}#space=skip-gram{state}").page.locator(".results .warning")
    assert "axes of this space have no meaning" in warned.inner_text()
    target = warned.get_by_role("link").get_attribute("href")
    chapter = open_page(server + "book/" + target).page
    assert chapter.locator(f"[id='{target.partition('#')[2]}']").count() == 1
    assert open_page(f"{server}{PAGE}#space=counted{state}").page.locator(".results .warning").count() == 0


STATES = ["", "#space=counted&a=noun-noun,mult,power,plant&b=adjective-noun,mult,green,plant",
          "#space=skip-gram&a=object-clause,plf,person,king,appoint&b=subject-clause,plf,person,appoint,king",
          "#space=skip-gram&a=word,add,zorkk&b=verb-object,matrix,draw,bow"]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_and_a_phone_shows_all(open_page, server, state, theme):
    page = open_page(server + PAGE + state, viewport=checks.PHONE, theme=theme).page
    if state == "":
        page.locator("#playground-a-0").fill("co")  # the list is open
    assert checks.axe_problems(page) == []
    assert checks.overflow_problems(page) == [] and checks.scrolling_problems(page) == []
