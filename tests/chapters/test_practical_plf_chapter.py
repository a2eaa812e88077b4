"""PLF for sentences: what trees ask for, a corpus that can be counted by hand, the cache, the sample profile."""

import numpy as np
import pytest
from small_context2vec import sentence

from cdsm_lib import datasets
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters.practical_plf import Needed, needed, practical_model, vectors_of
from cdsm_lib.composition.practical_tree import PLFSentences, Tree
from cdsm_lib.settings import load_profile
from cdsm_lib.text.corpus import corpus_from_sentences

BUY_CHEESE = "the|DET/3/det young|ADJ/3/amod cook|NOUN/4/nsubj buy|VERB/0/root old|ADJ/6/amod cheese|NOUN/4/obj"
BUY_WINE = "cheese|NOUN/2/compound cook|NOUN/3/nsubj buy|VERB/0/root wine|NOUN/3/obj"
HAVE = "wine|NOUN/3/nsubj not|ADV/3/advmod have|AUX/0/root age|NOUN/3/obj good|ADJ/3/advcl"
SETTINGS = {
    "words": 3, "window": 1, "dimensions": 2, "power": 1.0, "bigram_count": 1, "bigram_limit": 0, "min_pairs": 1,
}  # fmt: skip


def tree(text: str) -> Tree:
    return Tree.of(sentence(text))


@pytest.fixture(scope="module")
def corpus():
    return corpus_from_sentences(sentence(text) for text in [BUY_CHEESE] * 2 + [BUY_WINE] * 5)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path)
    return tmp_path / "practical"


def test_needed_words_and_predicates():
    """The article and *not* are no content words; *have* has an object, so it is a predicate all the same; *good* is
    none, since it modifies no noun."""
    wanted = needed(tree(text) for text in (BUY_CHEESE, HAVE))
    assert wanted.words == [
        "age|NOUN", "buy|VERB", "cheese|NOUN", "cook|NOUN", "good|ADJ", "have|VERB", "old|ADJ", "wine|NOUN",
        "young|ADJ",
    ]  # fmt: skip
    assert wanted.predicates == ["buy|VERB", "have|VERB", "old|ADJ", "young|ADJ"]
    assert needed([]) == Needed([], [])


WANTED = Needed(
    ["buy|VERB", "cheese|NOUN", "cook|NOUN", "unicorn|NOUN", "wine|NOUN", "young|ADJ"],
    ["buy|VERB", "cheese|NOUN", "sell|VERB", "young|ADJ"],
)


def model_of(corpus, wanted, settings, seed):
    return vectors_of(corpus, wanted, settings, seed).value.learned(settings)


def test_model_of_a_corpus_is_that_of_its_counts(corpus, cache):
    """One bigram of young and one of cheese; buy has one subject and two objects, cheese and wine."""
    plf, space = model_of(corpus, WANTED, SETTINGS, 1)
    assert set(space.rows) == {*WANTED.words} - {"unicorn|NOUN"}
    assert [of.pairs.tolist() for of in (plf.modifiers, plf.verb_subject, plf.verb_object)] == [[1, 1], [1], [2]]
    words = buljan2018.gather_words(corpus, WANTED.words, SETTINGS)
    trained = buljan2018.train_space(words, SETTINGS, 1)
    bigrams = buljan2018.gather_bigrams(corpus, words, ["buy|VERB", "cheese|NOUN", "young|ADJ"], SETTINGS)
    expected = buljan2018.practical(trained, bigrams, SETTINGS)
    np.testing.assert_array_equal(space.vectors, trained.space.vectors)
    for kind in ("modifiers", "verb_subject", "verb_object"):
        assert getattr(plf, kind).functors == getattr(expected, kind).functors
        np.testing.assert_allclose(getattr(plf, kind).matrices, getattr(expected, kind).matrices, atol=1e-6)


def test_the_vectors_are_kept_and_made_again_when_anything_changes_that_has_a_part_in_them(corpus, cache, monkeypatch):
    model_of(corpus, WANTED, SETTINGS, 1)
    assert len(model_of(corpus, WANTED, SETTINGS | {"min_pairs": 2}, 1).plf.verb_subject.functors) == 0
    assert len(list(cache.glob("*.npz"))) == 1
    model_of(corpus, WANTED, SETTINGS | {"window": 2}, 1)
    model_of(corpus, Needed(WANTED.words, WANTED.predicates[1:]), SETTINGS, 1)
    assert len(list(cache.glob("*.npz"))) == 3
    bigram_vectors = buljan2018.bigram_vectors

    def halved(trained, bigrams):
        return {kind: (*names, vectors / 2) for kind, (*names, vectors) in bigram_vectors(trained, bigrams).items()}

    monkeypatch.setattr(buljan2018, "bigram_vectors", halved)
    model_of(corpus, WANTED, SETTINGS, 1)
    assert len(list(cache.glob("*.npz"))) == 4


# ---------------------------------------------------------------------------------------------------- the sample


@pytest.fixture(scope="module")
def sample():
    return practical_model(load_profile("sample"), Needed([], []))


STUDENT = "the|DET/3/det bright|ADJ/3/amod student|NOUN/4/nsubj solve|VERB/0/root the|DET/7/det hard|ADJ/7/amod " \
    "problem|NOUN/4/dobj"  # fmt: skip


def test_sample_is_the_model_of_lexical_substitution(sample):
    words, _ = buljan2018.load(datasets.distilled_folder())
    assert sample.space.rows == words.labels
    plf = sample.plf
    assert min(len(of.functors) for of in (plf.modifiers, plf.verb_subject, plf.verb_object)) > 50


def test_sample_composes_sentences(sample):
    phrase = ["bright|ADJ", "student|NOUN", "solve|VERB", "hard|ADJ", "problem|NOUN"]
    for how in ("paperno", "gupta"):
        vectors, counts = PLFSentences(sample.plf, sample.space, how).embed([tree(STUDENT)])
        np.testing.assert_allclose(vectors, sample.plf.compose([phrase], how, rows=sample.space), rtol=1e-12)
    assert [n.tolist() for n in counts] == [[4], [0], [0], [0]]
