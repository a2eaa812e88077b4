"""Sense vectors: lookups and the weighted mean by hand, occurrences, two planted senses."""

import numpy as np
import pytest

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Sentence, Token, corpus_from_sentences
from cdsm_lib.vectors.embeddings import Groups, SkipGram, skip_gram, window_groups
from cdsm_lib.vectors.senses import SenseVectors, sense_occurrences, train_senses


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
        "words": Labels(["bank|NOUN", "dog|NOUN"]),
        "starts": np.array([0, 2, 3]),
        "names": ("bank.n.01", "bank.n.02", "dog.n.01"),
        "counts": np.array([1, 3, 5]),
        "vectors": np.array([[4, 0], [0, 4], [1, 1]], dtype=np.float32),
        "meta": {"made_by": "hand"},
    }
    return SenseVectors(**{**given, **changed})


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


# ----------------------------------------------------------------------------------------------------- SenseVectors


def test_lookups_by_hand():
    senses = example()
    assert len(senses) == 2 and senses.d == 2
    assert "bank|NOUN" in senses and "bank.n.01" not in senses
    assert senses.of("bank|NOUN").tolist() == [[4, 0], [0, 4]] and senses.of("bank|NOUN").dtype == np.float32
    assert senses.names_of("dog|NOUN") == ("dog.n.01",)
    assert senses.counts_of("bank|NOUN").tolist() == [1, 3]
    assert senses.vector("bank|NOUN", "bank.n.02").tolist() == [0, 4]


def test_mean_weights_by_occurrences():
    """(1 (4, 0) + 3 (0, 4)) / 4 = (1, 3); senses that never occur count alike: (2, 2)."""
    assert example().mean("bank|NOUN").tolist() == [1, 3]
    assert example(counts=np.array([0, 0, 5])).mean("bank|NOUN").tolist() == [2, 2]


def test_unknown_words_and_senses_are_errors():
    for ask in (example().of, example().names_of, example().mean, lambda word: example().subset([word])):
        with pytest.raises(KeyError, match=r"'cat\|NOUN'"):
            ask("cat|NOUN")
    with pytest.raises(KeyError, match="'dog|NOUN' has no vector for 'bank.n.01'; it has dog.n.01"):
        example().vector("dog|NOUN", "bank.n.01")


def test_subset_reorders():
    senses = example().subset(["dog|NOUN", "bank|NOUN"])
    assert senses.starts.tolist() == [0, 1, 3] and senses.names == ("dog.n.01", "bank.n.01", "bank.n.02")
    assert senses.vectors.tolist() == [[1, 1], [4, 0], [0, 4]] and senses.counts.tolist() == [5, 1, 3]
    assert senses.meta == {"made_by": "hand"}
    assert len(senses.subset([])) == 0 and senses.subset([]).vectors.shape == (0, 2)


def test_two_words_may_share_a_sense():
    assert example(names=("bank.n.01", "bank.n.02", "bank.n.01")).vector("dog|NOUN", "bank.n.01").tolist() == [1, 1]


# ------------------------------------------------------------------------------------------------- occurrences


def test_occurrences_by_hand():
    """Senses 0, 1, 2 occur 3, 1, 0 times."""
    tags = np.array([0, -1, 1, 0, -1, 0], dtype=np.int32)
    every, frequent = (sense_occurrences(tags, 3, min_count=n) for n in (1, 2))
    assert [of.tolist() for of in every] == [[0, 2, 3, 5], [0, 1, 0, 0], [3, 1, 0]]
    assert [of.tolist() for of in frequent] == [[0, 3, 5], [0, 0, 0], [3, 1, 0]]


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
    assert (list(one.words), one.names) == (["bank|NOUN"], ("a",)) and one.counts.tolist() == [(tags == 1).sum()]
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


def test_senses_that_are_all_rare_are_refused(world):
    with pytest.raises(ValueError, match="none of the 2 senses occurs 1000 times"):
        trained(world, tags_of(world), INVENTORY, min_count=1000)
