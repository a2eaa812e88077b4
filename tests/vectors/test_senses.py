"""Sense vectors: lookups and the weighted mean by hand, occurrences, two planted senses, clusters by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Sentence, Token, corpus_from_sentences
from cdsm_lib.vectors import senses as module
from cdsm_lib.vectors.embeddings import Groups, SkipGram, skip_gram, window_groups
from cdsm_lib.vectors.senses import (
    SenseVectors,
    inverse_document_frequency,
    prototypes,
    sense_occurrences,
    train_senses,
)
from cdsm_lib.vectors.space import Space


def corpus_of(*texts):
    """Sentences of nouns, given as bare lemmas."""
    return corpus_from_sentences(
        Sentence(
            tuple(Token(i, w, w, "NOUN", "_", "_", int(i > 1), "dep", "_", "_") for i, w in enumerate(t.split(), 1))
        )
        for t in texts
    )


def example(**changed):
    """bank: (4, 0) seen once, (0, 4) seen three times; dog: (1, 1)."""
    given = {
        "words": ["bank|NOUN", "dog|NOUN"],
        "starts": [0, 2, 3],
        "names": ["bank.n.01", "bank.n.02", "dog.n.01"],
        "counts": [1, 3, 5],
        "vectors": np.array([[4, 0], [0, 4], [1, 1]]),
        "meta": {"made_by": "hand"},
    }
    return SenseVectors(**{**given, **changed})


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def as_tuple(senses):
    return senses.words, senses.starts.tolist(), senses.names, senses.counts.tolist(), senses.vectors.tolist()


# ----------------------------------------------------------------------------------------------------- SenseVectors


def test_lookups_by_hand():
    senses = example()
    assert len(senses) == 2 and senses.d == 2
    assert "bank|NOUN" in senses and "bank.n.01" not in senses
    assert senses.of("bank|NOUN").tolist() == [[4, 0], [0, 4]] and senses.of("bank|NOUN").dtype == np.float32
    assert senses.names_of("dog|NOUN") == ("dog.n.01",)
    assert senses.counts_of("bank|NOUN").tolist() == [1, 3]
    assert senses.vector("bank|NOUN", "bank.n.02").tolist() == [0, 4]
    assert senses.inventory == {"bank|NOUN": ("bank.n.01", "bank.n.02"), "dog|NOUN": ("dog.n.01",)}
    assert senses.coverage(["cat|NOUN", "dog|NOUN", "cat|NOUN"]) == ["cat|NOUN"]


def test_mean_weights_by_occurrences():
    """(1 (4, 0) + 3 (0, 4)) / 4 = (1, 3); senses that never occur count alike: (2, 2)."""
    assert example().mean("bank|NOUN").tolist() == [1, 3]
    assert example(counts=[0, 0, 5]).mean("bank|NOUN").tolist() == [2, 2]


def test_unknown_words_and_senses_are_errors():
    for ask in (example().of, example().names_of, example().mean, example().counts_of):
        with pytest.raises(KeyError, match=r"'cat\|NOUN' has no sense vectors among these 2 words"):
            ask("cat|NOUN")
    with pytest.raises(KeyError, match="'dog|NOUN' has no vector for 'bank.n.01'; it has dog.n.01"):
        example().vector("dog|NOUN", "bank.n.01")
    with pytest.raises(KeyError, match="2 of these words have no sense vectors: cat, cow"):
        example().subset(["cat", "dog|NOUN", "cow"])


def test_subset_reorders():
    senses = example().subset(["dog|NOUN", "bank|NOUN"])
    assert senses.starts.tolist() == [0, 1, 3] and senses.names == ("dog.n.01", "bank.n.01", "bank.n.02")
    assert senses.vectors.tolist() == [[1, 1], [4, 0], [0, 4]] and senses.counts.tolist() == [5, 1, 3]
    assert senses.meta == {"made_by": "hand"}
    assert len(senses.subset([])) == 0 and senses.subset([]).vectors.shape == (0, 2)


def test_two_words_may_share_a_sense_but_no_word_has_one_twice():
    shared = example(names=["bank.n.01", "bank.n.02", "bank.n.01"])
    assert shared.vector("dog|NOUN", "bank.n.01").tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"'bank\|NOUN' has the same sense twice"):
        example(names=["bank.n.01", "bank.n.01", "dog.n.01"])


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"starts": [0, 2]}, "starts must run from 0 to the 3 senses in 3 steps"),
        ({"starts": [0, 2, 4]}, "starts must run from 0 to the 3 senses"),
        ({"starts": [1, 2, 3]}, "starts must run from 0"),
        ({"starts": [0, 0, 3]}, r"'bank\|NOUN' has no sense"),
        ({"starts": [0.0, 2.0, 3.0]}, "starts must be a list of whole numbers"),
        ({"counts": [1, 3]}, "counts must be 0 or more, one for each of the 3 senses"),
        ({"counts": [1, -3, 5]}, "counts must be 0 or more"),
        ({"counts": [1, 0.5, 5]}, "counts must be a list of whole numbers"),
        ({"vectors": np.ones((2, 2))}, r"3 senses, but vectors of shape \(2, 2\)"),
        ({"vectors": np.array([[1, 1], [np.nan, 1], [1, 1]])}, "NaN or infinite values, first in sense 'bank.n.02'"),
        ({"words": ["dog", "dog"]}, "occurs twice"),
    ],
)
def test_what_disagrees_is_refused(changed, problem):
    with pytest.raises(ValueError, match=problem):
        example(**changed)


# ------------------------------------------------------------------------------------------------- occurrences


def test_occurrences_by_hand():
    """Senses 0, 1, 2 occur 3, 1, 0 times."""
    tags = np.array([0, -1, 1, 0, -1, 0], dtype=np.int32)
    every, frequent = (sense_occurrences(tags, 3, min_count=n) for n in (1, 2))
    assert [of.tolist() for of in every] == [[0, 2, 3, 5], [0, 1, 0, 0], [3, 1, 0]]
    assert [of.tolist() for of in frequent] == [[0, 3, 5], [0, 0, 0], [3, 1, 0]]


@pytest.mark.parametrize(
    ("tags", "options", "problem"),
    [
        ([2, -1], {}, "tags run from -1 to 2; -1 to 1 was expected"),
        ([-2, 0], {}, "tags run from -2 to 0"),
        ([0.0], {}, "tags must be whole numbers"),
        ([0], {"min_count": 0}, "min_count=0"),
        ([0], {"cap": 0}, "cap=0"),
    ],
)
def test_wrong_tags_are_refused(tags, options, problem):
    with pytest.raises(ValueError, match=problem):
        sense_occurrences(np.array(tags), 2, **options)


def test_a_cap_samples_each_frequent_sense():
    tags = np.random.default_rng(0).permutation(np.repeat([-1, 0, 1, 2], [50, 200, 30, 31])).astype(np.int32)
    positions, sense, counts = sense_occurrences(tags, 3, cap=30, seed=1)
    assert np.bincount(sense).tolist() == [30, 30, 30] and counts.tolist() == [200, 30, 31]
    assert (np.diff(positions) > 0).all() and (tags[positions] == sense).all()
    again, other = (sense_occurrences(tags, 3, cap=30, seed=seed)[0] for seed in (1, 2))
    assert np.array_equal(again, positions) and not np.array_equal(other, positions)
    drawn = np.concatenate([sense_occurrences(tags, 3, cap=30, seed=seed)[0] for seed in range(40)])
    times = np.bincount(drawn, minlength=len(tags))[tags == 0]
    assert abs(times[:100].mean() - 6) < 1 and times.max() < 20  # 40 * 30 / 200 = 6 draws of each, early or late


# -------------------------------------------------------------------------------------------- training of senses

MONEY, RIVER = ["money", "loan", "cash", "credit"], ["river", "water", "shore", "fish"]


def planted(n=400, seed=0):
    """Half of the sentences are about money, half about rivers; *bank* stands in all: (corpus, topic of each token)."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 2, size=n)
    lines = []
    for topic in topics:
        line = list(rng.choice(RIVER if topic else MONEY, size=6))
        lines.append([*line[:3], "bank", *line[3:]])
    return corpus_of(*(" ".join(line) for line in lines)), np.repeat(topics, 7)


@pytest.fixture(scope="module")
def world():
    """(corpus, a word model, the topic of each token, whether it is *bank*)."""
    corpus, topic = planted()
    row = np.arange(len(corpus.words), dtype=np.int32)
    groups = window_groups(corpus, row, np.ones(len(row)), window=3)
    model = skip_gram(groups, corpus.words, corpus.words, corpus.word_counts, dimensions=8, epochs=30, negatives=3)
    return corpus, model, topic, corpus.word == corpus.words.index("bank|NOUN")


def trained(world, tags, inventory, **options):
    corpus, model, *_ = world
    return train_senses(corpus, model, tags, inventory, **{"window": 3, "sample": 0, "epochs": 20, **options})


def tags_of(world):
    _, _, topic, is_bank = world
    return np.where(is_bank, topic, -1).astype(np.int32)


INVENTORY = {"bank|NOUN": ["bank.n.02", "bank.n.01"]}


def test_senses_lie_near_the_words_of_their_contexts(world):
    _, model, topic, is_bank = world
    senses = trained(world, tags_of(world), INVENTORY)
    assert senses.counts.tolist() == [(is_bank & (topic == 0)).sum(), (is_bank & (topic == 1)).sum()]
    space = model.space()
    for name, own, other in (("bank.n.02", MONEY, RIVER), ("bank.n.01", RIVER, MONEY)):
        vector = senses.vector("bank|NOUN", name)
        near = min(cosine(vector, space[f"{word}|NOUN"]) for word in own)
        far = max(cosine(vector, space[f"{word}|NOUN"]) for word in other)
        assert near > 0.7 and far < near - 0.5
    assert senses.meta["senses_rare"] == senses.meta["senses_alone"] == senses.meta["words_left_out"] == 0


def test_training_meets_exactly_the_surroundings():
    """Sense 1 (the only one frequent enough) meets {a, b}, {b}; the same groups by hand give the same bits."""
    corpus = corpus_of("a x b c", "x b", "x", "a a")
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(corpus.words), 3)).astype(np.float32)
    model = SkipGram(corpus.words, corpus.words, vectors, vectors, corpus.word_counts, corpus.word_counts)
    tags = np.array([-1, 1, -1, -1, 1, -1, 0, -1, -1], dtype=np.int32)
    options = {"epochs": 2, "negatives": 2, "draws": 3, "rate": 0.1, "seed": 5}
    senses = train_senses(corpus, model, tags, {"x|NOUN": ["x1", "x2"]}, window=1, sample=0, min_count=2, **options)
    a, b = corpus.words.encode(["a|NOUN", "b|NOUN"])

    def groups(_):
        yield Groups(np.zeros(2, np.int32), np.array([0, 2, 3]), np.array([a, b, b], dtype=np.int32), 1.0)

    by_hand = skip_gram(groups, Labels("s"), corpus.words, corpus.word_counts, frozen=vectors, dimensions=3, **options)
    assert senses.names == ("x2",) and senses.counts.tolist() == [2]
    assert senses.vectors.tobytes() == by_hand.target_vectors.tobytes()
    assert (senses.meta["senses_rare"], senses.meta["occurrences"]) == (1, 2)


def test_rare_senses_and_their_words_are_left_out_and_counted(world):
    """Sense 0 (a word before) and sense 3 never occur; sense 2, of the river, is seen 9 times. The seed counts."""
    _, _, topic, is_bank = world
    tags = np.where(is_bank & (topic == 0), 1, -1).astype(np.int32)
    tags[np.flatnonzero(is_bank & (topic == 1))[:9]] = 2
    inventory = {"cat|NOUN": ["cat.n.01"], "bank|NOUN": ["a", "b", "c"]}
    one, again, other = (trained(world, tags, inventory, min_count=10, epochs=1, seed=seed) for seed in (3, 3, 4))
    assert one.inventory == {"bank|NOUN": ("a",)} and one.counts.tolist() == [(tags == 1).sum()]
    assert one.meta["senses_rare"] == 3 and one.meta["words_left_out"] == 1
    assert one.vectors.tobytes() == again.vectors.tobytes() != other.vectors.tobytes()
    capped = trained(world, tags, inventory, min_count=10, epochs=1, cap=50)
    assert capped.meta["occurrences"] == 50 and capped.counts.tolist() == one.counts.tolist()


def test_a_sense_that_never_meets_a_context_is_left_out_and_counted():
    corpus = corpus_of("x", "x a")
    ones = np.ones((2, 2), dtype=np.float32)
    model = SkipGram(corpus.words, corpus.words, ones, ones, corpus.word_counts, corpus.word_counts)
    tags = np.array([0, 1, -1], dtype=np.int32)
    senses = train_senses(corpus, model, tags, {"x|NOUN": ["alone", "met"]}, sample=0, min_count=1)
    assert senses.names == ("met",) and senses.meta["senses_alone"] == 1
    with pytest.raises(ValueError, match="no sense has a context word"):
        train_senses(corpus, model, np.array([0, -1, -1]), {"x|NOUN": ["alone"]}, sample=0, min_count=1)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"tags": np.zeros(3, np.int32)}, r"tags have shape \(3,\); the corpus has 2800 tokens"),
        ({"inventory": {"bank|NOUN": ["a"]}}, "tags run from -1 to 1; -1 to 0 was expected"),
        ({"inventory": {"bank|NOUN": ["a", "a"]}}, r"'bank\|NOUN' must have names of senses"),
        ({"inventory": {"cat|NOUN": [], "bank|NOUN": ["a", "b"]}}, r"'cat\|NOUN' must have names of senses"),
        ({"inventory": {"bank|NOUN": "ab"}}, r"'bank\|NOUN' must have names of senses"),
        ({"min_count": 1000}, "none of the 2 senses occurs 1000 times"),
        ({"window": 0}, "window=0"),
        ({"epochs": 0}, "epochs=0"),
    ],
)
def test_bad_training_is_refused(world, change, problem):
    options = {"tags": tags_of(world), "inventory": INVENTORY, **change}
    with pytest.raises(ValueError, match=problem):
        trained(world, **options)
    with pytest.raises(ValueError, match="the corpus lacks 9 of the model's contexts"):
        train_senses(corpus_of("x y"), world[1], np.array([0, -1]), {"x|NOUN": ["x"]}, min_count=1)


# --------------------------------------------------------------------------------------------- multi-prototypes


def test_inverse_document_frequency_by_hand():
    """Four sentences: *a* in all, *b* in two of them (in one twice), *c* in one: ln 1, ln 2, ln 4."""
    corpus = corpus_of("a b b", "a b", "a", "a c")
    found = inverse_document_frequency(corpus)[corpus.words.encode(["a|NOUN", "b|NOUN", "c|NOUN"])]
    np.testing.assert_allclose(found, [0, np.log(2), np.log(4)])
    wider = replace(corpus, tables={**corpus.tables, "words": Labels([*corpus.words, "z|NOUN"])})
    assert inverse_document_frequency(wider)[-1] == 0  # a word of no sentence, as in a part of a corpus


PLANE = Space(["a|NOUN", "b|NOUN"], np.array([[2, 0], [0, 2]]))


def test_contexts_by_hand():
    """Around x: nearest words with vectors, one each side and then two; u has none and takes no place; borders hold."""
    corpus = corpus_of("a b u x u u a a", "x", "u x")
    places = np.flatnonzero(corpus.word == corpus.words.index("x|NOUN"))
    one = module._Surroundings(corpus, PLANE, 1, False).at(places)
    np.testing.assert_allclose(one, [[0.5**0.5, 0.5**0.5], [0, 0], [0, 0]], rtol=1e-6)
    two = module._Surroundings(corpus, PLANE, 2, False).at(places)
    np.testing.assert_allclose(two[0], np.array([3, 1]) / 10**0.5, rtol=1e-6)  # a + b + a + a = (6, 2)
    own = module._Surroundings(corpus_of("b a b a"), PLANE, 1, False).at(np.array([1]))
    assert own.tolist() == [[0, 1]]  # b + b: the word itself is no context


def test_idf_weights_the_context_words():
    """*a* in two of four sentences, *b* in one: ln 2 (2, 0) + ln 4 (0, 2) points to (1, 2)."""
    corpus = corpus_of("a x b", "a", "u", "u")
    place = np.flatnonzero(corpus.word == corpus.words.index("x|NOUN"))
    context = module._Surroundings(corpus, PLANE, 3, True).at(place)
    np.testing.assert_allclose(context, [[1 / 5**0.5, 2 / 5**0.5]], rtol=1e-6)


def test_clusters_by_hand():
    """Contexts (1, 0), (1, 0), (2, 1)/sqrt 5 and twice (0, 1).

    The centroids are (2 + 2/sqrt 5, 1/sqrt 5) and (0, 1) at unit length. The last x has no context. The
    larger cluster is #1; y is too rare.
    """
    corpus = corpus_of("x b", "x a", "a x", "a x a b", "b x", "x u", "y a")
    found = prototypes(corpus, PLANE, ["x|NOUN", "y|NOUN"], 2, idf=False, min_count=3)
    centroids = found.centroids
    assert centroids.inventory == {"x|NOUN": ("x|NOUN#1", "x|NOUN#2")} and centroids.counts.tolist() == [3, 2]
    first = np.array([2 + 2 / 5**0.5, 1 / 5**0.5])
    np.testing.assert_allclose(centroids.vectors, [first / np.linalg.norm(first), [0, 1]], atol=1e-6)
    at = corpus.word == corpus.words.index("x|NOUN")
    assert found.tags[at].tolist() == [1, 0, 0, 0, 1, -1] and (found.tags[~at] == -1).all()
    assert found.tags.dtype == np.int32
    assert centroids.meta["words_left_out"] == 1 and centroids.meta["occurrences_without_context"] == 1


@pytest.mark.parametrize("occurrences", [1000, 40])
def test_prototypes_recover_the_planted_senses(world, occurrences):
    """All 400 contexts or a sample of 40 clustered: every *bank* goes to the cluster of its topic; then vectors."""
    corpus, model, topic, is_bank = world
    found = prototypes(corpus, model.space(), ["bank|NOUN"], 2, window=3, idf=False, occurrences=occurrences)
    tags = found.tags[is_bank]
    assert (tags == topic[is_bank]).all() or (tags == 1 - topic[is_bank]).all()
    assert found.centroids.counts.tolist() == sorted(np.bincount(topic[is_bank]), reverse=True)
    senses = trained(world, found.tags, found.centroids.inventory)
    is_money = tags[topic[is_bank] == 0][0]
    vector = senses.vector("bank|NOUN", f"bank|NOUN#{is_money + 1}")
    assert cosine(vector, model.space()["money|NOUN"]) > cosine(vector, model.space()["river|NOUN"]) + 0.5


def test_prototypes_do_not_depend_on_other_words_blocks_or_cores(world, monkeypatch):
    corpus, model, *_ = world
    options = {"window": 2, "occurrences": 60, "idf": False, "seed": 2}
    whole = prototypes(corpus, model.space(), ["money|NOUN", "bank|NOUN"], {"money|NOUN": 2, "bank|NOUN": 3}, **options)
    monkeypatch.setattr(module, "_BLOCK", 37)
    with threadpool_limits(limits=2):
        alone = prototypes(corpus, model.space(), ["bank|NOUN"], 3, **options)
    bank = whole.centroids.subset(["bank|NOUN"])
    assert as_tuple(bank) == as_tuple(alone.centroids)
    first = int(whole.centroids.starts[1])
    assert np.array_equal(
        np.where(alone.tags >= 0, alone.tags + first, -1), np.where(whole.tags >= first, whole.tags, -1)
    )
    other = prototypes(corpus, model.space(), ["bank|NOUN"], 3, **{**options, "seed": 3})
    assert not np.array_equal(other.centroids.vectors, alone.centroids.vectors)


def test_fewer_different_contexts_than_clusters():
    """x meets only (1, 0) and (0, 1): two clusters of three asked for, and no warning of k-means."""
    corpus = corpus_of("x a", "x b", "x a", "x a")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = prototypes(corpus, PLANE, ["x|NOUN"], 3, idf=False, min_count=1)
    assert found.centroids.counts.tolist() == [3, 1] and found.centroids.vectors.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"k": 0}, r"k=0 of x\|NOUN: must be at least 1"),
        ({"k": {"y|NOUN": 2}}, r"k=0 of x\|NOUN"),
        ({"window": 0}, "window=0"),
        ({"occurrences": 2, "min_count": 3}, "occurrences=2 contexts of a word are never min_count=3"),
        ({"words": ["x|NOUN", "x|NOUN"]}, "occurs twice"),
        ({"words": ["z|NOUN"]}, "none of the 1 words has 10 contexts"),
        ({"space": Space(["a"], np.ones((1, 2)))}, "the space has no word of the corpus"),
        ({"space": Space(["a|NOUN"], sparse.csr_array(np.ones((1, 2))))}, "the space is sparse"),
    ],
)
def test_bad_clustering_is_refused(change, problem):
    given = {"space": PLANE, "words": ["x|NOUN"], "k": 2, **change}
    with pytest.raises(ValueError, match=problem):
        prototypes(corpus_of("x a"), **given)
