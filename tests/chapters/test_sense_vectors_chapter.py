"""The vectors of chapters 40 and 41: lexicons, training step by step, the cache, and the sample profile's files."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from usages import senses_of

from cdsm_lib import cache, datasets
from cdsm_lib.chapters import sense_vectors as chapter
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.text.corpus import Sentence, corpus_from_sentences, sentence
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors import disambiguation
from cdsm_lib.vectors.disambiguation import Gold, SenseTagger
from cdsm_lib.vectors.embeddings import SkipGram, train_dependencies
from cdsm_lib.vectors.space import Space

TRAINING = {"dimensions": 6, "negatives": 4, "draws": 5, "epochs": 2, "rate": 0.05}
SETTINGS = {
    "words": 8,
    "word2vec": TRAINING | {"window": 2, "min_count": 2, "subsample": 0.0},
    "dep2vec": TRAINING | {"context_count": 2, "pair_count": 2, "most": 10, "subsample": 0.0},
    "tagger": {"prior": 0.1},
    "senses": {"window": 3, "negatives": 4, "draws": 5, "min_count": 3, "cap": 1000, "subsample": 0.0, "epochs": 2,
               "rate": 0.05},
}  # fmt: skip
GLOSSES = {
    "bank|NOUN": {"bank.shore": "mud by the river", "bank.firm": "money and a loan"},
    "rare|ADJ": {"rare.a": "mud", "rare.b": "money"},
    "river|NOUN": {"river.only": "mud"},
}
SHORE, FIRM = ("river", "mud", "boat"), ("money", "loan", "clerk")


def sentence_of(number: int, words) -> Sentence:
    """A verb with a subject and objects: nouns, but for *flow* and *lend*."""
    verb = next(i for i, word in enumerate(words, 1) if word in ("flow", "lend"))
    labels = {-1: "{}/{}/nsubj", 0: "{}|VERB/0/root", 1: "{}/{}/obj"}
    tokens = (labels[np.sign(i - verb)].format(word, verb) for i, word in enumerate(words, 1))
    return sentence(" ".join(tokens), sent_id=f"doc{number % 4}#{number}")


def sentences(n: int = 160) -> list[Sentence]:
    """*bank* among words of the shore, or among words of money; a plain sentence of each kind beside it."""
    rng, found = np.random.default_rng(7), []
    for number in range(n):
        topic, verb = (SHORE, "flow") if number % 2 else (FIRM, "lend")
        first, second = rng.permutation(topic)[:2].tolist()
        words = ["bank", first, verb, second] if number % 4 < 2 else [first, verb, second, topic[0]]
        found.append(sentence_of(number, words))
    return found


@pytest.fixture(scope="module")
def corpus():
    return corpus_from_sentences(sentences())


def gold_of(corpus) -> Gold:
    """Every *bank* with the sense that its sentence shows."""
    bank = corpus.words.index("bank|NOUN")
    tokens = np.flatnonzero(np.asarray(corpus.word) == bank)
    which = np.searchsorted(corpus.offsets, tokens, side="right") - 1
    named = tuple("bank.shore" if number % 2 else "bank.firm" for number in which.tolist())
    return Gold(corpus, tokens, named, np.full(len(tokens), "NOUN"), which // 4 % 4)


@pytest.fixture
def plain(monkeypatch, corpus):
    """Glosses of our own in the place of WordNet's, and the corpus in the place of SemCor."""

    def glosses(words, readings):
        words = set(words)
        return disambiguation.plain_glosses({w: s for w, s in GLOSSES.items() if w in words}, readings)

    monkeypatch.setattr(disambiguation, "wordnet_glosses", glosses)
    monkeypatch.setattr(disambiguation, "semcor", lambda: gold_of(corpus))
    monkeypatch.setattr(datasets, "used", lambda names: dict.fromkeys(names, "a hash"))


NEEDED = ["bank|NOUN", "river|NOUN", "unicorn|NOUN"]
LEXEMES = [*NEEDED, "boat|NOUN"]


@pytest.fixture
def whole(corpus, plain, tmp_path, monkeypatch) -> Profile:
    """The full profile on this corpus, with an empty cache in `tmp_path`."""
    google = Lexicon(GOOGLE, Space(["river"], np.ones((1, 2), dtype=np.float32)), plain=True)
    monkeypatch.setattr(chapter, "google_news", lambda: google)
    monkeypatch.setattr(chapter.training_counts, "wikipedia", lambda files=None: corpus)
    monkeypatch.setattr(chapter, "task_words", needed_words)
    monkeypatch.setattr(chapter, "task_lexemes", needed_lexemes)
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    return Profile("full", {"vectors": SETTINGS, "seed": 3})


def needed_words() -> list[str]:
    return NEEDED


def needed_lexemes() -> list[str]:
    return LEXEMES


# ----------------------------------------------------------------------------------------------------------- lexicon


def lexicon(**options) -> Lexicon:
    space = Space(["bank|NOUN", "river|NOUN"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    return Lexicon("some", space, **options)


TWO = senses_of(["bank|NOUN"], [0, 2], ["bank.shore", "bank.firm"], [[1.0, 0.0], [0.0, 1.0]])


def test_a_word_has_one_vector_and_an_unknown_one_is_zero_and_reported():
    some = lexicon()
    for word, vector in (("river|NOUN", [3, 4]), ("cat|NOUN", [0, 0])):
        assert some.one(word).tolist() == vector and some.of(word).tolist() == [vector]
        assert some.one(word).dtype == some.of(word).dtype == np.float64
    assert [some.row("river|NOUN"), some.row("river|VERB")] == ["river|NOUN", None]
    assert some.lacking(["cat|NOUN", "bank|NOUN", "bank|VERB", "cat|NOUN"]) == ["cat|NOUN", "bank|VERB"]


def test_a_word_with_senses_has_several_vectors_and_its_one_in_a_context():
    some = lexicon(senses=TWO)
    assert some.of("bank|NOUN").tolist() == [[1, 0], [0, 1]] and some.of("bank|NOUN").dtype == np.float64
    assert some.of("bank|NOUN", "bank.firm").tolist() == [[0, 1]] and some.has("bank|NOUN", "bank.firm")
    assert some.of("bank|NOUN", "bank.pond").tolist() == [[1, 0], [0, 1]] and not some.has("bank|NOUN", "bank.pond")
    assert some.of("river|NOUN", "bank.firm").tolist() == [[3, 4]] and not lexicon().has("bank|NOUN", "bank.firm")
    assert some.one("bank|NOUN").tolist() == [1, 2]
    assert some.context(["bank|NOUN", "river|NOUN", "cat|NOUN", "river|NOUN"]).tolist() == [7, 10]
    assert some.context([]).tolist() == [0, 0]


def test_a_word_that_only_the_senses_have_is_known():
    some = lexicon(senses=senses_of(["cat|NOUN"], [0, 1], ["cat.n.01"], [[1.0, 1.0]]))
    assert "cat|NOUN" in some and some.lacking(["cat|NOUN"]) == [] and some.of("cat|NOUN").tolist() == [[1, 1]]


def test_plain_rows_are_spellings_with_an_american_one_to_fall_back_to():
    space = Space(["labor", "grey", "gray", "river"], np.eye(4, dtype=np.float32))
    some = Lexicon("plain", space, plain=True)
    rows = {"labour|NOUN": "labor", "grey|ADJ": "grey", "river|VERB": "river", "centre|NOUN": None}
    assert {word: some.row(word) for word in rows} == rows and some.lacking(rows) == ["centre|NOUN"]
    assert some.one("labour|NOUN").tolist() == [1, 0, 0, 0]


def test_google_news_is_the_published_subset(monkeypatch):
    space = Space(["river"], np.ones((1, 2), dtype=np.float32))
    monkeypatch.setattr(datasets, "fetch", lambda *names: names)
    monkeypatch.setattr(chapter, "read_vectors", lambda path: space if path[0] == "googlenews_subset" else None)
    found = chapter.google_news()
    assert found.name == GOOGLE and found.plain and found.space is space and "river|NOUN" in found


# ---------------------------------------------------------------------------------------------------------- training


def model_of(words, pairs) -> SkipGram:
    words, vectors = Labels(words), np.arange(2 * len(words), dtype=np.float32).reshape(-1, 2)
    return SkipGram(words, words, vectors, vectors, np.ones(len(words)), np.array(pairs))


def test_a_target_that_met_no_context_has_no_vector():
    found = chapter.space_of(model_of(["a|NOUN", "b|NOUN", "c|NOUN"], [3, 0, 1]))
    assert list(found.rows) == ["a|NOUN", "c|NOUN"] and found.vectors.tolist() == [[0, 1], [4, 5]]


def test_word2vec_gives_needed_words_vectors_however_rare(corpus):
    settings = SETTINGS["word2vec"] | {"min_count": 79}
    few = chapter.train_vocabulary(corpus, [], settings, 3).targets
    more = chapter.train_vocabulary(corpus, ["boat|NOUN", "unicorn|NOUN"], settings, 3).targets
    assert "boat|NOUN" not in few and set(more) == {*few, "boat|NOUN"}


def test_dependency_counts_leaves_rare_pairs_and_their_contexts_out():
    """*bank* is the subject of *flow* twice and of *lend* once; *river* of *flow* three times."""
    texts = [["bank", "flow"]] * 2 + [["bank", "lend"], ["river", "flow"], ["river", "flow"], ["river", "flow"]]
    corpus = corpus_from_sentences([sentence_of(i, words) for i, words in enumerate(texts)])
    words = Labels(["bank|NOUN", "river|NOUN"])
    settings = {"context_count": 1, "pair_count": 2}
    found = chapter.dependency_counts(corpus, words, settings)
    assert list(found.rows) == list(words) and len(found.columns) == 1 and "flow|VERB" in found.columns[0]
    assert found.matrix.toarray().tolist() == [[2], [3]]
    every = chapter.dependency_counts(corpus, words, settings | {"pair_count": 1})
    assert sorted(every.matrix.sum(axis=0).tolist()) == [1, 5]


def test_dep2vec_from_counted_pairs_sees_each_pair_at_most_so_often():
    """Pairs of each epoch: 10 of 30, and 4; the word without any has no vector."""
    rows, columns = ["a|NOUN", "b|NOUN", "c|NOUN"], ["subj:x|VERB", "obj:y|VERB"]
    table = Counts(sparse.csr_array(np.array([[30, 0], [0, 4], [0, 0]])), Labels(rows), Labels(columns))
    model = train_dependencies(table, most=10, seed=3, **TRAINING)
    assert model.pairs.tolist() == [10 * 2, 4 * 2, 0]
    assert list(chapter.dependencies_from_counts(table, SETTINGS["dep2vec"], 3).rows) == rows[:2]


# --------------------------------------------------------------------------------------------------------- the tagger

TAGGER = SenseTagger(
    Labels(["one|NOUN", "two|NOUN", "lone|NOUN", "three|VERB"]), np.array([0, 1, 3, 4, 7]),
    ("one.n.01", "two.n.01", "two.n.02", "lone.n.01", "three.v.01", "three.v.02", "three.v.03"),
    np.arange(14, dtype=np.float32).reshape(7, 2), np.array([1, 0.75, 0.25, 1, 0.5, 0.3, 0.2], dtype=np.float32),
)  # fmt: skip


def test_senses_of_ambiguous_words_are_numbered_through():
    inventory, number = chapter.polysemous(TAGGER)
    assert inventory == {
        "two|NOUN": ["two.n.01", "two.n.02"], "three|VERB": ["three.v.01", "three.v.02", "three.v.03"],
    }  # fmt: skip
    assert number.tolist() == [-1, 0, 1, -1, 2, 3, 4] and number.dtype == np.int32


def test_a_reduced_tagger_keeps_all_of_its_words():
    found = chapter.reduced(TAGGER, ["three|VERB", "zebra|NOUN", "one|NOUN", "three|VERB"])
    assert list(found.words) == ["three|VERB", "one|NOUN"] and found.starts.tolist() == [0, 3, 4]
    assert found.senses == ("three.v.01", "three.v.02", "three.v.03", "one.n.01")
    assert found.vectors.tolist() == [[8, 9], [10, 11], [12, 13], [0, 1]]
    np.testing.assert_array_equal(found.prior, TAGGER.prior[[4, 5, 6, 0]])
    none = chapter.reduced(TAGGER, ["zebra|NOUN"])
    assert len(none.words) == 0 and none.senses == () and none.vectors.shape == (0, 2)


def test_words_with_senses_are_frequent_or_in_semcor(monkeypatch):
    corpus = corpus_from_sentences(sentences(40) + [sentence_of(0, ["clerk", "flow", "newcomer"])])
    semcor = corpus_from_sentences([sentence_of(0, ["newcomer", "lend", "stranger"])])
    for gold, count, new in ((semcor, 2, True), (corpus_from_sentences([]), 2, False), (semcor, 1, True)):
        monkeypatch.setattr(disambiguation, "semcor", lambda gold=gold: SimpleNamespace(corpus=gold))
        words = chapter.tagger_words(corpus, count)
        assert len(words) == len(set(words)) and {"bank|NOUN", "lend|VERB"} <= set(words)
        assert ("newcomer|NOUN" in words) is new and ("stranger|NOUN" in words) is (gold is semcor)


def test_the_taggers_prior_is_from_all_of_semcor(corpus, plain, monkeypatch):
    """70 times the one sense, 10 times the other, one added to each."""
    gold = gold_of(corpus)
    named = ("bank.shore",) * 70 + ("bank.firm",) * 10
    monkeypatch.setattr(disambiguation, "semcor", lambda: replace(gold, senses=named))
    space = Space(corpus.words, np.eye(len(corpus.words), dtype=np.float32))
    tagger = chapter.train_tagger(corpus, space, 3)
    assert tagger.of("bank|NOUN") == ("bank.shore", "bank.firm") and "unicorn|NOUN" not in tagger.words
    start = int(tagger.starts[tagger.words.index("bank|NOUN")])
    np.testing.assert_allclose(tagger.prior[start : start + 2], [71 / 82, 11 / 82], rtol=1e-6)


def test_the_full_profile_trains_everything_from_one_corpus(whole, corpus):
    trained = chapter.vectors(whole)
    assert tuple(trained.lexicons) == (GOOGLE, WORD2VEC, DEP2VEC, SENSES)
    assert all(name == lexicon.name for name, lexicon in trained.lexicons.items())
    words, senses = trained.lexicons[WORD2VEC], trained.lexicons[SENSES].senses
    assert trained.lexicons[SENSES].space is words.space
    assert words.space.d == 6 and len(words.space) == 9 and words.lacking(NEEDED) == ["unicorn|NOUN"]
    assert trained.corpus == corpus.fingerprint
    river, boat = (int(corpus.word_counts[corpus.words.index(word)]) for word in ("river|NOUN", "boat|NOUN"))
    assert trained.frequency == {"bank|NOUN": 80, "river|NOUN": river, "unicorn|NOUN": 0, "boat|NOUN": boat}
    assert "Lesk" in trained.quality
    assert list(senses.words) == ["bank|NOUN"]  # river has one sense, rare never occurs
    assert senses.names == ("bank.shore", "bank.firm") and senses.counts.sum() == 80 and (senses.counts > 10).all()
    assert trained.lexicons[SENSES].of("river|NOUN").shape == (1, 6)
    assert [cost.system for cost in trained.costs] == [WORD2VEC, "tagger", SENSES, DEP2VEC]
    assert equal(chapter.vectors(whole), trained)


def equal(one: Trained, other: Trained) -> bool:
    """Whether all but the costs is the same, to the last bit."""
    first, second = (cache.key_of(replace(trained, costs=[])) for trained in (one, other))
    return first == second


def test_every_part_is_trained_with_every_seed_of_the_profile(whole):
    several = whole.replace({"vectors": {**SETTINGS, "seeds": 2}})
    assert not equal(chapter.vectors(several, 4), chapter.vectors(several))
    assert equal(chapter.vectors(several), chapter.vectors(whole))


# ------------------------------------------------------------------------------------------------ the sample profile


@pytest.fixture
def distilled(corpus, plain, monkeypatch):
    monkeypatch.setattr(chapter, "teaching_words", lambda: NEEDED)
    monkeypatch.setattr(chapter, "teaching_lexemes", lambda: ["bank|NOUN"])
    pairs = SimpleNamespace(words=("river|NOUN", "boat|NOUN"))
    monkeypatch.setattr(chapter.phrase_similarity, "load", lambda name: {"phrase_pairs": pairs}[name])
    return chapter.distilled(corpus, SETTINGS, 3)


def test_the_sample_profile_has_the_teaching_sets_words_and_frequent_ones(distilled):
    trained, pairs = distilled
    space = trained.lexicons[WORD2VEC].space
    assert list(space.rows)[:2] == ["bank|NOUN", "river|NOUN"] and len(space) == 8  # the 8 most frequent have both
    assert set(trained.lexicons[SENSES].senses.words) == {"bank|NOUN"}
    assert list(trained.tagger.words) == ["bank|NOUN"] and len(trained.tagger.senses) == 2
    assert trained.quality == {} and trained.costs == []
    assert pairs.rows == space.rows and pairs.matrix.data.min() >= 2


def test_what_is_saved_for_the_sample_profile_is_loaded(distilled, tmp_path):
    trained, pairs = distilled
    chapter.save(trained, tmp_path, dependencies=pairs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kober-trees.npz", "kober-vectors.npz"]
    loaded = chapter.load(tmp_path, SETTINGS["dep2vec"], 3)
    assert tuple(loaded.lexicons) == (WORD2VEC, DEP2VEC, SENSES)
    assert (loaded.corpus, loaded.frequency) == (trained.corpus, trained.frequency)
    for name, before in trained.lexicons.items():
        after = loaded.lexicons[name].space
        assert after.rows == before.space.rows
        np.testing.assert_array_equal(after.vectors, before.space.vectors.astype(np.float16))


def test_dep2vec_is_trained_anew_where_its_settings_or_the_seed_are_changed(distilled, tmp_path, monkeypatch):
    trained, pairs = distilled
    chapter.save(trained, tmp_path, dependencies=pairs)
    settings = SETTINGS["dep2vec"]
    expected = chapter.dependencies_from_counts(pairs, settings, 3).vectors
    np.testing.assert_array_equal(trained.lexicons[DEP2VEC].space.vectors, expected)
    np.testing.assert_array_equal(chapter.live(tmp_path, settings, 3).vectors, expected)
    for other in ((settings, 4), (settings | {"epochs": settings["epochs"] + 1}, 3)):
        vectors = chapter.load(tmp_path, *other).lexicons[DEP2VEC].space.vectors
        np.testing.assert_array_equal(vectors, chapter.live(tmp_path, *other).vectors)
        assert (vectors != expected).any()
    monkeypatch.delattr(chapter, "live")
    chapter.load(tmp_path, settings, 3)  # it is there already


def test_the_teaching_words_are_phrases_lexemes_and_all_their_contexts():
    words = chapter.teaching_words()
    assert len(words) == len(set(words)) and set(chapter.teaching_lexemes()) <= set(words)
    assert set(chapter.phrase_similarity.load("phrase_pairs").words) <= set(words)
    assert len(words) > 1000 and all("|" in word for word in words)
