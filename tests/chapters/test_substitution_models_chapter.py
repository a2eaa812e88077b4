"""Buljan et al. 2018: counts of a corpus that can be counted by hand, peripheral rows, files, systems in the plane."""

import numpy as np
import pytest
from scipy import sparse
from small_context2vec import context2vec_of

from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.substitution_models import KINDS, Bigrams, Words
from cdsm_lib.chapters.training_counts import Phrases
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.construction.lexical_substitution import Annotated, Text
from cdsm_lib.display import plain
from cdsm_lib.labels import Labels
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Item, Phrase, Substitution
from cdsm_lib.tasks.task import Vocabulary
from cdsm_lib.text.corpus import corpus_from_text, sentence
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.space import Space

# ------------------------------------------------------------------------------------------------ counting, by hand

BUY_CHEESE = "young|ADJ/2/amod cook/3/nsubj buy|VERB/0/root old|ADJ/5/amod cheese/3/obj"
BUY_WINE = "cheese/2/compound cook/3/nsubj buy|VERB/0/root wine/3/obj"
TASTE = "old|ADJ/2/amod cook/3/nsubj taste|VERB/0/root rare|ADJ/5/amod wine/3/obj"

SETTINGS = {
    "words": 3, "window": 1, "dimensions": 2, "power": 1.0, "bigram_count": 1, "bigram_limit": 0, "min_pairs": 2,
}  # fmt: skip
NEEDED = ["wine|NOUN", "unicorn|NOUN", "old|ADJ", "cook|NOUN", "rare|ADJ", "young|ADJ", "taste|VERB", "wine|NOUN"]
PREDICATES = ["young|ADJ", "old|ADJ", "rare|ADJ", "cheese|NOUN", "buy|VERB", "taste|VERB"]


@pytest.fixture(scope="module")
def corpus():
    return corpus_from_text(*[BUY_CHEESE] * 2, *[BUY_WINE] * 5, TASTE)


@pytest.fixture(scope="module")
def words(corpus):
    return models.gather_words(corpus, NEEDED, SETTINGS)


@pytest.fixture(scope="module")
def gathered(corpus, words):
    return models.gather_bigrams(corpus, words, PREDICATES, SETTINGS)


def cells(counts: Counts) -> dict[str, str]:
    """Each row's contexts with their counts, without tags."""
    columns, table = [plain(column) for column in counts.columns], {}
    for row, numbers in zip(counts.rows, counts.matrix.toarray().tolist(), strict=True):
        table[plain(row.split(), " ")] = " ".join(f"{c} {n}" for c, n in zip(columns, numbers, strict=True) if n)
    return table


def test_words_by_hand(words, corpus):
    """Beside each other stand: cook and buy in the first seven sentences, cheese and cook in the next five, ..."""
    assert cells(words.core) == {"cook": "buy 7 cheese 5", "buy": "cook 7", "cheese": "cook 5"}
    more = {"wine": "buy 5", "old": "cook 1 buy 2 cheese 2", "rare": "", "young": "cook 2", "taste": "cook 1"}
    assert cells(words.more) == more and words.more.columns == words.core.columns == words.core.rows
    assert list(map(plain, words.labels)) == "cook buy cheese wine old rare young taste".split()
    assert words.frequency == dict(zip(words.labels, (8, 7, 7, 6, 3, 1, 2, 1), strict=True))
    assert words.modifies == {"cheese|NOUN": 1}  # one bigram, seen five times
    assert words.corpus == corpus.fingerprint


def test_bigrams_by_hand(gathered, words):
    """Contexts are one content word on each side, and what stands between the two words."""
    expected = {
        "adjective_noun": {
            "old cheese": (2, "buy 2"),
            "young cook": (2, "buy 2"),
            "old cook": (1, ""),
            "rare wine": (1, ""),
        },
        "noun_noun": {"cheese cook": (5, "buy 5")},
        "subject_verb": {"cook buy": (7, "cheese 5"), "cook taste": (1, "")},
        "verb_object": {"buy wine": (5, "cook 5"), "buy cheese": (2, "cook 2"), "taste wine": (1, "cook 1")},
    }
    assert list(gathered) == list(expected)
    for kind, bigrams in gathered.items():
        numbers, contexts = bigrams.phrases.counts.tolist(), cells(bigrams.counts)
        assert dict(zip(contexts, zip(numbers, contexts.values(), strict=True), strict=True)) == expected[kind]
        assert bigrams.phrases.words == words.labels and bigrams.counts.columns == words.core.columns
        assert list(bigrams.counts.rows) == list(bigrams.phrases.labels)


@pytest.mark.parametrize(
    ("kind", "predicates", "nouns", "settings", "expected"),
    [  # rare ones, many of one predicate, other predicates, unknown nouns are left out
        ("verb_object", "buy taste", "wine cheese", {"bigram_count": 2}, ["buy wine", "buy cheese"]),
        ("verb_object", "buy taste", "wine cheese", {"bigram_limit": 1}, ["buy wine", "taste wine"]),
        ("verb_object", "buy", "cheese", {}, ["buy cheese"]),
        ("subject_verb", "buy", "cheese", {}, []),
    ],
)
def test_which_bigrams_are_counted(corpus, kind, predicates, nouns, settings, expected):
    verbs, nouns = [f"{verb}|VERB" for verb in predicates.split()], Labels(f"{noun}|NOUN" for noun in nouns.split())
    bigrams = models.count_bigrams(corpus, KINDS[kind], verbs, nouns, SETTINGS | settings)
    assert list(bigrams.labels) == [f"{label.replace(' ', '|VERB ')}|NOUN" for label in expected]


# --------------------------------------------------------------------------------------------------------- the space

CORE = [[10, 0, 3], [0, 5, 1], [1, 1, 1]]
ABC = ["a|NOUN", "b|NOUN", "c|NOUN"]


def test_peripheral_rows_are_weighted_and_projected_as_the_core():
    """N = 22, columns 11, 6, 5. Row (4, 1, 1): ln(4 * 22 / (6 * 11)) = .2877; ln(22 / 36) and ln(22 / 30) are < 0."""
    more = Counts([[4, 1, 1], [0, 5, 1]], ["d|NOUN", "e|NOUN"], ABC)
    words = Words("a corpus", Counts(CORE, ABC, ABC), more, {}, {})
    trained = models.train_space(words, SETTINGS | {"dimensions": 300}, 1)  # more than it can have
    assert list(trained.space.rows) == [*ABC, "d|NOUN", "e|NOUN"] and trained.space.d == 2
    U, s, _ = np.linalg.svd(weighting.ppmi(np.array(CORE)).toarray())
    core, rows = trained.space.vectors[:3], U[:, :2] * s[:2]
    np.testing.assert_allclose(core @ core.T, rows @ rows.T, atol=1e-6)
    weighted = weighting.ppmi(np.array([[4, 1, 1]]), marginals=trained.marginals).toarray()[0]
    assert weighted == pytest.approx([0.2877, 0, 0], abs=5e-5)
    expected = np.log(4 / 3) * trained.svd.components[:, 0]
    np.testing.assert_allclose(trained.space["d|NOUN"], expected, atol=1e-6)
    np.testing.assert_allclose(trained.space["e|NOUN"], trained.space["b|NOUN"], atol=1e-6)  # the counts of b
    counts = Counts(sparse.csr_array(np.array([[10, 0, 3], [4, 1, 1]])), ["x", "y"], ABC)
    np.testing.assert_allclose(trained.project(counts), trained.space.take(["a|NOUN", "d|NOUN"]), atol=1e-6)


# -------------------------------------------------------------------------------------------------------- the matrices


def task_of(space: Space, *items: Item):
    return lexical_substitution.task(Substitution("tiny", items), Vocabulary(space.rows))


@pytest.fixture(scope="module")
def world():
    """A space of random counts, and bigrams of an adjective, a noun modifier and two verbs with seven nouns."""
    rng = np.random.default_rng(4)
    labels = [*(f"n{i}|NOUN" for i in range(8)), "old|ADJ", "wise|ADJ", "buy|VERB", "sell|VERB"]
    context = [f"c{i}|NOUN" for i in range(9)]

    def counted(rows):
        return Counts(sparse.csr_array(rng.poisson(3, (len(rows), 9))), rows, context)

    words = Words("a corpus", counted(labels[:8]), counted(labels[8:]), dict.fromkeys(labels, 10), {})
    bigrams = {}
    predicates_of = {"adjective_noun": [8], "noun_noun": [0], "subject_verb": [10, 11], "verb_object": [10]}
    for kind, predicates in predicates_of.items():
        pairs = np.array([(predicate, noun) for predicate in predicates for noun in range(1, 8)], dtype=np.int32)
        phrases = Phrases(words.labels, pairs[:, ::-1] if kind == "subject_verb" else pairs, np.full(len(pairs), 5))
        bigrams[kind] = Bigrams(phrases, counted(phrases.labels))
    trained = models.train_space(words, SETTINGS | {"dimensions": 4}, 1)
    return trained, bigrams, models.practical(trained, bigrams, SETTINGS | {"min_pairs": 7})


def test_matrices_are_learned_from_words_to_projected_bigrams(world):
    trained, bigrams, model = world
    predicates = {"adjective_noun": ["old|ADJ"], "noun_noun": ["n0|NOUN"], "subject_verb": ["buy|VERB", "sell|VERB"],
                  "verb_object": ["buy|VERB"]}  # fmt: skip
    nouns, training = [f"n{i}|NOUN" for i in range(1, 8)], {}
    for kind, names in predicates.items():
        every = [name for name in names for _ in nouns]
        training[kind] = (every, nouns * len(names), trained.project(bigrams[kind].counts))
    by_hand = PracticalLexicalFunction(min_pairs=7).fit(trained.space, training)
    functors = {"modifiers": {"old|ADJ", "n0|NOUN"}, "verb_subject": {"buy|VERB", "sell|VERB"},
                "verb_object": {"buy|VERB"}}  # fmt: skip
    for name, words in functors.items():
        learned = getattr(model, name)
        assert set(learned.functors) == words
        np.testing.assert_allclose(learned.matrices, getattr(by_hand, name).matrices, atol=1e-6)
    assert not len(models.practical(trained, bigrams, SETTINGS | {"min_pairs": 8}).verb_object.functors)


@pytest.mark.parametrize(("system", "how"), [("PLF (Paperno)", "paperno"), ("PLF (Gupta)", "gupta")])
def test_plf_ranks_by_the_phrases_that_it_composes(world, system, how):
    trained, _, model = world
    phrase = Phrase("s", ("old|ADJ", "n1|NOUN", "buy|VERB", "n0|NOUN", "n2|NOUN"), (), (0, 1, 2, 3, 4))
    candidates = ("n3|NOUN", "n4|NOUN"), ("n5|NOUN", "n6|NOUN")
    task = task_of(trained.space, Item("s.4", phrase, 4, *candidates))
    phrases = [phrase.words, *((*phrase.words[:4], word) for pair in candidates for word in pair)]
    before, *after = model.compose(phrases, how, rows=trained.space)
    dot = np.array(after) @ before
    assert models.rank(system, task, trained.space, model) == pytest.approx(dot, rel=1e-5)
    cosine = dot / np.linalg.norm(before) / np.linalg.norm(after, axis=1)
    assert models.rank(system, task, trained.space, model, "cosine") == pytest.approx(cosine, rel=1e-5)


# -------------------------------------------------------------------------------------------------------- the systems

PLANE = Space(
    ["young|ADJ", "cook|NOUN", "buy|VERB", "old|ADJ", "cheese|NOUN", "get|VERB", "win|VERB", "eat|VERB", "sell|VERB"],
    np.array([[1, 2], [2, 1], [1, 1], [2, 1], [1, 2], [1, 3], [2, 0], [0, 1], [1, -1]]),
)
PHRASE = Phrase(
    "s1", ("young|ADJ", "cook|NOUN", "buy|VERB", "old|ADJ", "cheese|NOUN"),
    ("the|DET", "old|ADJ", "cheese|NOUN", "buy|VERB", "by|ADP", "a|DET", "young|ADJ", "cook|NOUN"), (6, 7, 3, 1, 2),
)  # fmt: skip
BUY = Item("s1.2", PHRASE, 2, ("get|VERB", "win|VERB"), ("eat|VERB", "sell|VERB"))
COOK = Item("s1.1", PHRASE, 1, ("cheese|NOUN", "baker|NOUN"), ("waiter|NOUN", "host|NOUN"))


@pytest.mark.parametrize(
    ("system", "dot", "cosine"),
    [
        # buy (1, 1) against (1, 3), (2, 0), (0, 1), (1, -1)
        ("LemmaSim", [4, 2, 1, 0], [0.894427, 0.707107, 0.707107, 0]),
        # the rest of the phrase adds (6, 6): (7, 7) against (7, 9), (8, 6), (6, 7), (7, 5)
        ("Add", [112, 98, 91, 84], [0.992278, 0.989949, 0.997054, 0.986394]),
        # the rest multiplies by (4, 4): (4, 4) against (4, 12), (8, 0), (0, 4), (4, -4)
        ("Mult", [64, 32, 16, 0], [0.894427, 0.707107, 0.707107, 0]),
    ],
)
def test_ranking_by_hand(system, dot, cosine):
    task = task_of(PLANE, BUY)
    assert models.rank(system, task, PLANE).tolist() == dot
    assert models.rank(system, task, PLANE, similarity="cosine") == pytest.approx(cosine, abs=1e-6)


def test_a_zero_vector_is_similar_to_nothing():
    vectors, pairs = np.array([[1.0, 0], [0, 0], [2, 0], [0, 3], [-1, 0]]), np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    assert models.similar(vectors, pairs, "cosine").tolist() == [0, 1, 0, -1]


def test_words_without_a_vector_are_named():
    assert models.without_vector(Substitution("tiny", (BUY,)), PLANE) == []
    zero = Space(PLANE.rows, PLANE.vectors * (np.arange(9) != 7)[:, None])
    task = Substitution("tiny", (BUY, COOK))
    assert models.without_vector(task, zero) == ["baker|NOUN", "eat|VERB", "host|NOUN", "waiter|NOUN"]


def test_context2vec_scores_candidates_by_cosine_and_those_unknown_or_not_listed_not_at_all():
    model = context2vec_of(PLANE.rows)
    both = Substitution("tiny", (COOK, BUY))
    scores = models.substitutes(model, both, sentence=True, listed=0)
    assert np.isnan(scores).tolist() == [False, True, True, True, False, False, False, False]
    context = model.context(PHRASE.sentence, 3)
    assert scores[4:] == pytest.approx(model.fit_of(context, BUY.candidates))
    read = [(PHRASE.words, 2), (("the|DET", *PHRASE.words[:3], "the|DET", *PHRASE.words[3:]), 3)]
    given = [models.substitutes(model, both, articles=articles, listed=0)[4] for articles in (False, True)]
    assert given == pytest.approx([model.fit_of(model.context(*words), ["get|VERB"])[0] for words in read])
    listed = dict(model.substitutes(PHRASE.sentence, 3, 5))
    expected = [listed.get(candidate, np.nan) for candidate in BUY.candidates]
    assert 0 < np.isnan(expected).sum() < 4
    np.testing.assert_array_equal(models.substitutes(model, both, sentence=True, listed=5)[4:], expected)


# ------------------------------------------------------------------------------------------------------- the data set


def test_the_vocabulary_of_a_text():
    """Labels as parsed; and with every tag that was given, lemmas as parsed, as annotated, and as substitutes."""
    tree = sentence("hard|ADV/2/amod/TokenID=7 cheeses:cheese/0/root")
    known = Annotated("7", "hardy", ("ADJ", None), substitutes={"firm": 2, "rock hard": 1})
    text = Text("tiny", (tree,), {"7": known})
    assert models.text_vocabulary(text) == sorted(
        ["cheese|NOUN", *(f"{lemma}|{tag}" for lemma in ("hard", "hardy", "firm") for tag in ("ADJ", "ADV"))]
    )


def test_predicates_in_a_task_are_modifiers_and_verbs_with_their_candidates():
    found = models.predicates_in(Substitution("tiny", (BUY, COOK)))
    assert found == ["buy|VERB", "eat|VERB", "get|VERB", "old|ADJ", "sell|VERB", "win|VERB", "young|ADJ"]
