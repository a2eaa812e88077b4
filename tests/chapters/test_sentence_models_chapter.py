"""White (2015): running text, what is trained on it and kept, texts with trees, the excerpt of facts, the sample."""

import numpy as np
import pytest
from tagged_sentences import SENTENCE_MODELS as SETTINGS
from tagged_sentences import lexicon_of

from cdsm_lib import datasets
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters.sentence_models import PV_DBOW, UNKNOWN, TrainingCache
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder, binarise
from cdsm_lib.construction import localisation as construction
from cdsm_lib.labels import Labels
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, SYNONYM, Localisation, Pair
from cdsm_lib.text.corpus import Corpus, Sentence, Token, corpus_from_sentences, corpus_from_text
from cdsm_lib.text.lexicon import Excerpt, WordNetLexicon
from cdsm_lib.vectors.space import Space


def text_of(sentences) -> Corpus:
    return models.of_corpus(corpus_from_text(*map(" ".join, sentences)))


def drawn_text() -> Corpus:
    """Sixty sentences of one to seven words."""
    rng = np.random.default_rng(3)
    names = np.array("the a cat dog man car sees hits buys big old red".split())
    return text_of([names[rng.integers(0, 12, n)].tolist() for n in rng.integers(1, 8, 60)])


# ---------------------------------------------------------------------------------------------------------------- text


def test_some_sentences_are_drawn_in_order_with_their_heads():
    text, some = models.of_corpus(corpus_from_text("a/2/x b/0/root", "c", "d e f", "g h")), models.some
    assert models.sentences_of(some(text, 9, 0)) == models.sentences_of(text) == [["a", "b"], ["c"], [*"def"], [*"gh"]]
    two = some(text, 9, 0, shortest=2, longest=2)
    assert models.sentences_of(two) == [["a", "b"], ["g", "h"]] and two.word_counts.sum() == 4
    assert two.head.tolist() == [1, 0, 0, -1] and two.offsets.tolist() == [0, 2, 4]
    assert two.fingerprint != text.fingerprint != some(text, 3, 0).fingerprint != some(text, 3, 1).fingerprint
    for seed in range(9):
        drawn = [sentence[0] for sentence in models.sentences_of(some(text, 3, seed))]
        assert drawn == sorted(drawn) and len(drawn) == 3


def sentence_of(*rows: str, **comments: str) -> Sentence:
    """A sentence from ``form lemma upos xpos head`` for each token."""
    tokens = []
    for i, row in enumerate(rows, 1):
        form, lemma, upos, xpos, head = row.split()
        tokens.append(Token(i, form, lemma, upos, xpos, "_", int(head), "dep", "_", "_"))
    return Sentence(tuple(tokens), comments)


def test_a_corpus_as_text_has_lower_case():
    corpus = corpus_from_sentences([
        sentence_of("The the DET DT 2", "Cat cat NOUN NN 3", "sat sit VERB VBD 0", "there there ADV RB 3"),
        sentence_of("the the DET DT 2", "cat cat NOUN NN 0"),
        sentence_of("So so ADV RB 0", "! ! PUNCT . 0"),
    ])  # fmt: skip
    text = models.of_corpus(corpus)
    assert models.sentences_of(text) == [["the", "cat", "sat", "there"], ["the", "cat"], ["so", "!"]]
    assert sorted(text.words) == ["!", "cat", "sat", "so", "the", "there"]  # The and the are one word
    assert text.fingerprint == corpus.fingerprint and text.word.dtype == np.int32


def test_gensims_articles_as_text(monkeypatch):
    monkeypatch.setattr(models.gensim_text, "sentences", lambda: [("The", "Cat"), ("the", "dog", ".")])
    text = models.of_gensim()
    assert models.sentences_of(text) == [["the", "cat"], ["the", "dog", "."]]
    assert dict(zip(text.words, text.word_counts, strict=True)) == {"the": 2, "cat": 1, "dog": 1, ".": 1}


# ------------------------------------------------------------------------------------------------------------ training


def test_the_unknown_word_is_the_mean_of_the_rarest():
    """*rare* and *odd* occur twice, *few* four times: no more than twice as often as the rarest; *much* nine times."""
    text = text_of([["much", "few", "much", "few"], ["rare", "much", "odd"]] * 2 + [["much"] * 3, ["once"]])
    space = models.train_words(text, SETTINGS["words"], 1)
    assert list(space.rows)[-1] == UNKNOWN and "once" not in space
    np.testing.assert_allclose(space[UNKNOWN], space.take(["rare", "odd", "few"]).mean(axis=0), rtol=1e-6)


def space_of(words: str, seed: int = 0, d: int = 4) -> Space:
    rows = [*words.split(), UNKNOWN]
    return Space(Labels(rows), np.random.default_rng(seed).normal(size=(len(rows), d)).astype(np.float32))


def test_tokens_become_rows_and_unknown_ones_the_row_of_unk():
    found = models.numbered([("The", "cat", "Xyz"), ("dog",)], space_of("dog the cat"))
    assert [one.tolist() for one in found] == [[1, 2, 3], [0]]


# ------------------------------------------------------------------------------------------------- a corpus by hand


SENSES_TAKEN = (construction.POOLED, construction.FIRST)
LEMMAS = {
    "noun": {"car": "car cars", "road": "road roads", "man": "man", "man-eater": "man-eater"},
    "verb": {"rise": "rise rose rises", "man": "man manned", "open": "opens"},
}
SENSES = {
    "car|noun": [("car.n.01", 9, "car automobile", "", 9), ("car.n.02", 1, "car coach", "", 30)],
    "road|noun": [("road.n.01", 4, "road route", "", 4)],
    "man|noun": [("man.n.01", 4, "man adult_male", "", 4)],
    "rise|verb": [("rise.v.01", 5, "rise lift", "rise>fall", 6), ("wax.v.01", 1, "wax rise", "wax>wane", 1)],
    "open|verb": [("open.v.01", 5, "open", "open>close", 6)],
}
VALID = "automobile automobiles coach coaches route routes fall fell falls wane waned wanes close closes closed"


def known() -> Excerpt:
    return lexicon_of(LEMMAS, SENSES, "high_road", VALID)


FIRST = sentence_of(
    "A a DET DT 2", "car car NOUN NN 3", "rises rise VERB VBZ 0", "on on ADP IN 6", "the the DET DT 6",
    "roads road NOUN NNS 3", sent_id="p1.1",
)  # fmt: skip
SECOND = sentence_of(
    "The the DET DT 2", "man man NOUN NN 3", "opens open VERB VBZ 0", "cars car NOUN NNS 3", sent_id="p1.2"
)
PAIRS = [Pair("p1", ("p1.1", "p1.2"), ("A car rises on the roads", "The man opens cars"))]
PARSED_BY_ID = {"p1.1": FIRST, "p1.2": SECOND}


@pytest.fixture
def task() -> Localisation:
    return construction.build("hand", PAIRS, PARSED_BY_ID, known(), seed=1)


def test_an_altered_sentence_has_the_lemmas_that_were_put_in(task):
    texts, altered = task.texts, list(task.altered())
    assert altered[:2] == [FIRST, SECOND]
    for sentence, tokens, source in zip(altered, texts.tokens, texts.source, strict=True):
        assert tuple(token.form for token in sentence) == tokens  # articles too: an automobile
        same = [(token.head, token.upos, token.xpos, token.deprel) for token in task.sentences[source]]
        assert [(token.head, token.upos, token.xpos, token.deprel) for token in sentence] == same
    two = altered[texts.at[0, SYNONYM, 2]]
    assert [token.form for token in two] == ["An", "automobile", "rises", "on", "the", "routes"]
    assert [token.lemma for token in two] == ["a", "automobile", "rise", "on", "the", "route"]
    assert [token.lemma for token in altered[texts.at[0, ANTONYM, 1]]][2] == "fall"


def test_the_tree_of_a_text_is_that_of_its_sentence(task):
    """Roots and means of the trees of the sentences, worked out by the autoencoder itself."""
    space, model = space_of("the a car man on"), UnfoldingAutoencoder(4, seed=1)
    lowered = (map(str.lower, tokens) for tokens in task.texts.tokens)
    labels = [[word if word in space else UNKNOWN for word in words] for words in lowered]
    rows = [np.array([space.rows.index(word) for word in words]) for words in labels]
    trees = [binarise([1, 2, -1, 5, 5, 2]), binarise([1, 2, -1, 2])]
    shapes = [trees[i] for i in task.texts.source]
    for found, mean in zip(models.encoded(task, model, space, "parsed"), (False, True), strict=True):
        expected = models.measured(task, "", "", model.embed(rows, shapes, space.vectors, mean=mean), np.zeros(1))
        np.testing.assert_array_equal(found.distances, expected.distances)
        assert found.unknown == sum(words.count(UNKNOWN) for words in labels) / sum(map(len, labels))


def test_the_other_systems_measure_every_pair(task):
    text, space = drawn_text(), space_of("the a car man opens")
    bags, sums = models.bags(task), models.added(task, space, "some space")
    # A car rises on the roads, The man opens cars: no token in common but "the", once in each: 1 of sqrt 6 * sqrt 4
    assert bags.unknown == 0 and bags.distances[0] == round(1 - 1 / 24**0.5, 9)
    first, second = (space.take(words.split()).sum(axis=0) for words in ("a car the", "the man opens"))
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert sums.distances[0] == pytest.approx(1 - cosine, abs=1e-6) and sums.space == "some space"
    tokens = task.texts.tokens
    unknown = sum(token.lower() not in space for words in tokens for token in words) / sum(map(len, tokens))
    assert sums.unknown == unknown
    one, two = (models.weighted(task, space, text, SETTINGS["sif"], 1) for _ in range(2))
    assert (one.distances == two.distances).all() and one.unknown == unknown
    model = TrainingCache(text, SETTINGS, 1).paragraph_vectors(PV_DBOW)
    found = models.inferred(task, model, SETTINGS["paragraph_vectors"], 1)
    assert found.distances.shape == (len(task.pairs),) and found.system == PV_DBOW


# ---------------------------------------------------------------------------------------------------------- the sample


def test_the_committed_excerpt_is_what_the_databases_say(mirror, tmp_path):
    _, parsed = localisation.load("paraphrases")
    construction.excerpt(parsed.values(), WordNetLexicon()).save(tmp_path / "facts.json")
    committed = datasets.sample_path("paraphrases") / models.EXCERPT
    assert (tmp_path / "facts.json").read_bytes() == committed.read_bytes()


@pytest.mark.parametrize("tags", ["tagger", "parser"])
def test_the_committed_excerpt_answers_every_reading(tags):
    pairs, tagged = (models.tagged if tags == "tagger" else localisation.load)("paraphrases")
    facts = models.lexicon_of("paraphrases")
    for sense in SENSES_TAKEN:
        construction.build("paraphrases", pairs, tagged, facts, sense=sense, seed=1)
    assert facts.unknown == {}
