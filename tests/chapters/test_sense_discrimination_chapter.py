"""Chapter 41: systems that discriminate senses, their scores and figures, and the claims."""

from dataclasses import replace

import numpy as np
import pytest
from usages import senses_of

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, sense_vectors, training_counts
from cdsm_lib.chapters import sense_discrimination as chapter
from cdsm_lib.chapters.sense_discrimination import CONTEXTS, DEPENDENCY, DRAWN, GOLD, MAIN, OVERLAP, RANDOM, TAGGED
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory, Lexeme
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks.sense_discrimination import Item, SenseDiscrimination, Usage
from cdsm_lib.text.corpus import corpus_from_sentences, sentence
from cdsm_lib.vectors.disambiguation import Score, SenseTagger
from cdsm_lib.vectors.space import Space


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(chapter, "RESAMPLES", 20)


def usage(text: str, sense: str = "s", lexeme: str = "bank|NOUN") -> Usage:
    """Each word hangs from the next."""
    words = text.split()
    heads = (f"{i}/dep" if i <= len(words) else "0/root" for i in range(2, len(words) + 2))
    tree = sentence(" ".join(map("/".join, zip(words, heads, strict=True))))
    return Usage(tree, words.index(lexeme.removesuffix("|NOUN")), sense, "test")


def item(target: Usage, *options: Usage, lexeme: str = "bank|NOUN", answer: int = 0) -> Item:
    return Item(lexeme, len(options), target, options, answer)


def items_of(*items: Item, dataset: str = "senses", split: str = "all") -> SenseDiscrimination:
    return SenseDiscrimination(dataset, split, items)


SHORE, MUD, FIRM = usage("river bank", "shore"), usage("mud bank", "shore"), usage("bank money", "firm")
ITEM = item(SHORE, MUD, FIRM)
STRANGE = item(usage("x bank"), usage("y bank"), usage("bank z"))
WIDE = item(usage("mud river bank"), usage("bank river mud"), usage("bank money"))
VECTORS = np.array([[1, 0], [0, 1], [0, 2], [2, 0]], dtype=np.float32)
SPACE = Space(["bank|NOUN", "river|NOUN", "mud|NOUN", "money|NOUN"], VECTORS)


TWO = senses_of(["bank|NOUN"], [0, 2], ["shore", "firm"], [[1.0, 0.0], [-1.0, 1.0]])
SINGLE, SEVERAL = Lexicon(WORD2VEC, SPACE), Lexicon(SENSES, SPACE, TWO)
RIVER = Lexicon("few", Space(["river|NOUN"], np.ones((1, 2), dtype=np.float32)))


# ------------------------------------------------------------------------------------------------------------ systems


@pytest.mark.parametrize(("lexicon", "window", "options", "asked", "expected"), [
    # bank river is (1, 1), bank mud (1, 2), bank money (3, 0)
    (SINGLE, 1, {}, ITEM, [3 / np.sqrt(10), 1 / np.sqrt(2)]),
    # target (1, 1) or (-1, 2); mud (1, 2) or (-1, 3); money (3, 0) or (1, 1): the closest are 7 / sqrt 50, and 1
    (SEVERAL, 1, {}, ITEM, [7 / np.sqrt(50), 1]),
    (SINGLE, 1, {"alone": True}, ITEM, [1, 0]),
    # labels: target shore (1, 1), mud firm (-1, 3); money without a label is (3, 0) or (1, 1)
    (SEVERAL, 1, {"label": {SHORE: "shore", MUD: "firm"}.get}, ITEM, [2 / np.sqrt(20), 1]),
    # a sense without a vector counts as no label
    (SEVERAL, 1, {"label": lambda usage: "no such sense"}, ITEM, [7 / np.sqrt(50), 1]),
    (RIVER, 1, {}, STRANGE, [0, 0]), (SINGLE, 1, {"alone": True}, STRANGE, [0, 0]),  # no word is known
    (SINGLE, 1, {}, STRANGE, [1, 1]), (RIVER, 1, {}, ITEM, [0, 0]),  # the lexeme alone; the target's context alone
    (SINGLE, 1, {"alone": True}, WIDE, [1, 0]), (SINGLE, DEPENDENCY, {"alone": True}, WIDE, [1, 0]),
    (SINGLE.of_length_one(), 1, {}, ITEM, [1, 1 / np.sqrt(2)]),  # bank mud is (1, 1), bank money (2, 0)
    (SINGLE, 2, {}, WIDE, [1, 1 / np.sqrt(10)]),  # the target is (1, 3), as the first option
])  # fmt: skip
def test_addition_by_hand(lexicon, window, options, asked, expected):
    system = chapter.addition("some", lexicon, window, **options)
    assert system.similarities(chapter.task_of(items_of(asked)))["some"].tolist() == pytest.approx(expected, abs=1e-9)


def test_overlap_counts_lemmas():
    shared = item(usage("river mud bank flow flow"), usage("mud bank"), usage("mud river bank flow flow"))
    counts = [chapter.overlap(n).similarities(chapter.task_of(items_of(shared)))[OVERLAP].tolist() for n in (1, 4)]
    assert counts == [[1, 1], [1, 3]]  # within one word mud, or flow; flow counts once


TAGGER = SenseTagger(
    Labels(["bank|NOUN", "river|NOUN"]), np.array([0, 2, 3]), ("shore", "firm", "river"),
    np.array([[0, 1], [1, 0], [1, 0]], dtype=np.float32), np.array([0.5, 0.5, 1], dtype=np.float32),
)  # fmt: skip


def test_the_tagger_labels_usages_by_their_own_sentences():
    """*river* and *mud* point along the first gloss, *money* along the second; among unknown words the prior decides
    if it has weight."""
    alone, trained = usage("bank x"), Trained("a corpus", {}, {WORD2VEC: SINGLE}, TAGGER)
    usages = [SHORE, MUD, FIRM, alone, SHORE]
    labels = chapter.sense_labels(trained, usages, {"prior": 0.0})
    assert labels == {SHORE: "shore", MUD: "shore", FIRM: "firm"}
    with_prior = chapter.sense_labels(trained, usages, {"prior": 0.5})
    assert with_prior[alone] == "shore" and with_prior[FIRM] == "firm"


# ------------------------------------------------------------------------------------------------------------- scores


def drawn_item(lexeme: str, n: int) -> Item:
    target, *options = (usage(f"river {lexeme.partition('|')[0]} mud", f"s{i}", lexeme) for i in range(n + 1))
    return item(target, *options, lexeme=lexeme)


MIXED = items_of(*(drawn_item(f"{word}|NOUN", n) for word, n in (("a", 2), ("b", 2), ("c", 3), ("d", 2))))
MIXED = replace(MIXED, items=tuple(replace(i, lexeme="b|VERB") if i.lexeme == "b|NOUN" else i for i in MIXED))


def scores_of(credit, items: SenseDiscrimination, system: str = WORD2VEC, window=2) -> Scores:
    """Of a system with these credits."""
    (scores,) = chapter.scores_of(items, [chapter.addition(system, SINGLE, window)])
    return replace(scores, values=np.asarray(credit, dtype=np.float64))


def test_the_parts_of_a_figure():
    """Cells of part of speech and senses within windows alone, bands at window 2, sources at window 4 of the real set;
    of labels at test time nouns of five senses."""
    banded = replace(MIXED, dataset=MAIN)
    one, wide, tree = (scores_of([1, 0, 1, 1], banded, window=window) for window in (2, 4, DEPENDENCY))
    one = replace(one, labels={**one.labels, "band": np.array(["rare", "rare", "rare", "frequent"])})
    values = {row.split: (row.value, row.n) for row in (chapter.row(part, 3) for part in chapter.parts(one))}
    assert values == {
        "all, 2 senses": (pytest.approx(2 / 3), 3), "all, 3 senses": (1, 1), "all, NOUN, 2 senses": (1, 2),
        "all, NOUN, 3 senses": (1, 1), "all, VERB, 2 senses": (0, 1), "all, NOUN, 2 senses, rare": (1, 1),
        "all, NOUN, 2 senses, frequent": (1, 1),
    }  # fmt: skip
    assert chapter.row([*chapter.parts(wide)][-1], 3).split == "all, test"
    assert [chapter.row(part, 3).split for part in chapter.parts(tree)] == ["all, 2 senses", "all, 3 senses"]
    five = scores_of([1, 0], items_of(drawn_item("a|NOUN", 5), drawn_item("b|NOUN", 4)), TAGGED)
    assert [chapter.row(part, 3).split for part in chapter.parts(five)] == ["all, NOUN, 5 senses"]


def prepared_of(items: SenseDiscrimination, frequency: dict) -> chapter.Prepared:
    trained = Trained("a corpus", frequency, {WORD2VEC: SINGLE}, TAGGER)
    return chapter.Prepared(items, items, None, Inventory("x", ()), trained, {"prior": 0.0})


def test_frequency_is_brought_to_the_scale_of_the_papers_corpus():
    """Nouns and verbs are half as frequent as there; a lexeme that was not counted is not taken for rare."""
    frequency = {"a|NOUN": 4_999, "b|VERB": 5, "c|NOUN": 300, "d|NOUN": 85_696}
    assert sum(frequency.values()) / 4 == chapter.MEAN_FREQUENCY / 2
    prepared = prepared_of(MIXED, frequency)
    assert prepared.scale == 2 and prepared.frequency(MIXED).tolist() == [9_998, 10, 600, 171_392]
    assert chapter.banded(prepared.frequency(MIXED)).tolist() == ["rare", "rare", "rare", "frequent"]
    with pytest.raises(KeyError, match=r"b\|VERB"):
        prepared_of(MIXED, {"a|NOUN": 1, "c|NOUN": 2}).frequency(MIXED)


def test_logistic_regression_by_hand():
    """Two values of x are fitted exactly: log odds 0 at 0, and log 3 at 2; weights of 2 and 1 make of 1/2 and 1 5/6,
    here spread over two cases of x = 0."""
    x, y = np.array([0.0, 0.0, 2.0]), np.array([0.5, 0.5, 0.75])
    assert chapter.logistic(x, y, np.ones((2, 3))) == pytest.approx(np.array([[0, np.log(3) / 2]] * 2))
    fitted = chapter.logistic(x, np.array([1.0, 0.5, 0.75]), np.array([[2.0, 1.0, 1.0]]))
    assert fitted == pytest.approx(np.array([[np.log(5), (np.log(3) - np.log(5)) / 2]]))


@pytest.mark.parametrize(("rare", "counts", "verdict"), [
    (0.6, (100, 90_000), "holds"), (-0.6, (100, 90_000), "fails"), (0.6, (100, 100), None),  # no lexeme is frequent
])  # fmt: skip
def test_the_claim_on_frequency_is_by_regression_over_lexemes(rare, counts, verdict):
    """Every second lexeme is rare; of an even one half of the items is right, of a rare one more or fewer."""
    items = items_of(*(drawn_item(f"w{i}|NOUN", 2) for i in range(60)), dataset=MAIN, split="test")
    frequency = {f"w{i}|NOUN": counts[i % 2 == 0] for i in range(60)}
    score = scores_of([0.5 + (i % 2) * rare * 0.8 for i in range(60)], items)
    claims = chapter.claims([replace(score, metric=DRAWN)], prepared_of(items, frequency), 3)
    tested = {claim.id: claim for claim in claims}.get("rare-lexemes-easier")
    assert tested is None if verdict is None else tested.verdict == verdict
    if tested:  # two frequencies: the fitted accuracies are the shares themselves
        assert tested.evidence[0].values == pytest.approx([0.5 + rare * 0.8, 0.5], abs=1e-3)


def test_random_choice_is_not_competitive():
    """Word overlap must be nearer to word2vec than to random choice, in each window."""
    windows, prepared = [f"window {n}" for n in (1, 2, 4)], prepared_of(MIXED, {})
    for overlap, verdict in ((0.4, "fails"), (0.49, "fails"), (0.51, "holds")):
        figures = {(RANDOM, "none"): 0.4} | {(WORD2VEC, space): 0.6 for space in windows}
        figures |= {(OVERLAP, space): overlap for space in windows}
        scores = [Scores(*name, MAIN, "test", "accuracy", np.full(30, value)) for name, value in figures.items()]
        (claim,) = (x for x in chapter.claims(scores, prepared, 3) if x.id == "overlap-competitive")
        assert claim.verdict == verdict


def test_shared_words_are_those_of_google_news():
    """It knows *river* and *bank*: *mud* counts as unknown then, and the senses of *bank* stay."""
    google = Lexicon(GOOGLE, Space(["river", "bank"], np.ones((2, 2), dtype=np.float32)), plain=True)
    words, senses = chapter.shared({GOOGLE: google, WORD2VEC: SINGLE, SENSES: SEVERAL})
    assert (words.name, senses.name) == ("word2vec, shared words", "senses, shared words")
    assert list(words.space.rows) == list(senses.space.rows) == ["bank|NOUN", "river|NOUN"] and words.senses is None
    assert senses.of("bank|NOUN").tolist() == TWO.vectors.tolist() and senses.context(["mud|NOUN"]).tolist() == [0, 0]
    assert not list(chapter.shared({WORD2VEC: SINGLE, SENSES: SEVERAL}))


# ------------------------------------------------------------------------------------------------------------ the run

LEXEMES = [f"noun{i}|NOUN" for i in range(20)]
AROUND = [f"c{i}" for i in range(12)]


def inventory_of(name: str, n: int = 6) -> Inventory:
    """Lexemes of so many senses with two usages each, among words drawn at random."""
    rng, lexemes = np.random.default_rng(3), []
    for label in sorted(LEXEMES):
        senses = {}
        for i in range(n):
            drawn = (rng.choice(AROUND, 4).tolist() for _ in range(2))
            senses[f"{label}.{i}"] = tuple(
                usage(" ".join([*words[:2], label.removesuffix("|NOUN"), *words[2:]]), f"{label}.{i}", label)
                for words in drawn
            )
        lexemes.append(Lexeme(label, senses))
    return Inventory(name, tuple(lexemes), synsets={f"{x}.0": f"synset of {x}" for x in LEXEMES})


def random_vectors(seed: int) -> Trained:
    rng, words = np.random.default_rng(seed), [*LEXEMES, *(f"{word}|NOUN" for word in AROUND)]

    def drawn(n: int) -> np.ndarray:
        return rng.normal(size=(n, 5)).astype(np.float32)

    names = [f"{label}.{i}" for label in LEXEMES for i in range(6)]
    starts = np.arange(0, len(names) + 1, 6)
    space, spellings = Space(words, drawn(len(words))), [word.removesuffix("|NOUN") for word in words]
    lexicons = {
        GOOGLE: Lexicon(GOOGLE, Space(spellings, drawn(len(words))), plain=True), WORD2VEC: Lexicon(WORD2VEC, space),
        DEP2VEC: Lexicon(DEP2VEC, Space(words, drawn(len(words)))),
        SENSES: Lexicon(SENSES, space, senses_of(LEXEMES, starts, names, drawn(len(names)))),
    }  # fmt: skip
    prior = np.full(len(names), 1 / 6, dtype=np.float32)
    tagger = SenseTagger(Labels(LEXEMES), starts, tuple(names), drawn(len(names)), prior)
    frequency = {word: 100 if i % 2 else 90_000 for i, word in enumerate(words)}
    return Trained("a corpus", frequency, lexicons, tagger, {"Lesk": {"ALL": Score(8, 8, 4.0)}})


class Fixed:
    """A vector for every place, by the word before it."""

    def context(self, words, position):
        return np.random.default_rng(len(words[position - 1]) + position).normal(size=3)


@pytest.fixture
def profile(monkeypatch, tmp_path) -> Profile:
    inventory, corpus = inventory_of(MAIN), corpus_from_sentences([sentence("red blue")])
    for module, name, value in (
        (sense_vectors, "vectors", lambda profile, seed=6: random_vectors(seed)),
        (sense_vectors, "semcor_and_wordnet", lambda: inventory),
        (construction, "published_semcor", lambda n, inventory, seed: replace(
            construction.sample(inventory, n, seed), dataset=chapter.PUBLISHED_SET, split="test"
        )),
        (context2vec, "load", Fixed), (training_counts, "wikipedia", lambda files=None: corpus),
        (datasets, "used", lambda names: dict.fromkeys(names, "a hash")),
        *((ledger, place, lambda name: tmp_path / name) for place in ("latest", "path")),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    settings = {"inventory": "semcor", "at_least": False, "draws": 2}
    vectors = {"tagger": {"prior": 0.1}, "seeds": 2}
    return Profile("full", {"seed": 6, "sense_discrimination": settings, "vectors": vectors})


def test_figures_and_claims_of_every_seed(profile, monkeypatch):
    results = chapter.run(profile, quick=False)
    whole = {"dataset": MAIN, "split": "test"}
    systems = {r.system for r in results.find(**whole, metric="accuracy")}
    shared = {f"{name}, {chapter.SHARED}" for name in (WORD2VEC, SENSES)}
    assert systems == {*chapter.SYSTEMS, *shared, chapter.CONTEXT_ONLY, TAGGED, GOLD, "context2vec"}
    assert len(results.find(dataset=chapter.PUBLISHED_SET)) == 5 * len(CONTEXTS)
    often = results.one(system=WORD2VEC, space="window 2", metric=DRAWN, **whole)
    (claim,) = (claim for claim in results.claims if claim.id == "word2vec-as-well-as-senses")
    assert claim.evidence[1].values[0] == pytest.approx(often.value, abs=1e-3)
    prepared = chapter.prepare(profile)
    assert {item.lexeme for item in prepared.items} < set(LEXEMES)  # those of the test split
    assert {item.senses for item in prepared.items} == {2, 3, 4, 5}
    n = len(prepared.items)
    assert len(prepared.further) == 2 * n and prepared.further.items[:n] == prepared.items.items
    trained = [chapter.additions(random_vectors(seed).lexicons.values()) for seed in (6, 7)]
    again = (chapter.scores_of(prepared.items, systems) for systems in trained)
    for first, second in zip(*again, strict=True):
        names = {"system": first.system, "space": first.space, "split": "test", "trained": True}
        rows = results.find(**names, metric="accuracy, mean of seeds")
        if first.system == GOOGLE:
            assert not rows
        else:
            assert rows[0].value == pytest.approx((first.value + second.value) / 2, abs=1e-4)
            assert results.one(**names, metric="accuracy, sd of seeds").n == 2
    assert not results.find(system=TAGGED, metric="accuracy, sd of seeds")
    monkeypatch.setattr(sense_vectors, "vectors", lambda profile: random_vectors(6))  # a quick run trains nothing else
    assert chapter.run(profile, quick=True) == results
