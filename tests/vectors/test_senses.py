"""Sense vectors: lookups and the weighted mean by hand, occurrences, two planted senses."""

import numpy as np
import pytest

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import corpus_from_text
from cdsm_lib.vectors.embeddings import skip_gram, window_groups
from cdsm_lib.vectors.senses import SenseVectors, sense_occurrences, train_senses


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


# ----------------------------------------------------------------------------------------------------- SenseVectors


def test_lookups_by_hand():
    senses = example()
    assert len(senses) == 2
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
    with pytest.raises(ValueError):
        example().vector("dog|NOUN", "bank.n.01")


def test_subset_reorders():
    senses = example().subset(["dog|NOUN", "bank|NOUN"])
    assert senses.starts.tolist() == [0, 1, 3] and senses.names == ("dog.n.01", "bank.n.01", "bank.n.02")
    assert senses.vectors.tolist() == [[1, 1], [4, 0], [0, 4]] and senses.counts.tolist() == [5, 1, 3]
    assert senses.meta == {"made_by": "hand"}
    assert len(senses.subset([])) == 0 and senses.subset([]).vectors.shape == (0, 2)


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


def test_senses_that_are_all_rare_are_refused():
    corpus = corpus_from_text("money bank loan", "river bank shore")
    groups = window_groups(corpus, np.arange(len(corpus.words), dtype=np.int32), np.ones(len(corpus.words)), window=3)
    model = skip_gram(groups, corpus.words, corpus.words, corpus.word_counts, dimensions=2, epochs=1)
    tags = np.array([-1, 0, -1, -1, 1, -1], dtype=np.int32)
    with pytest.raises(ValueError, match="none of the 2 senses occurs 1000 times"):
        train_senses(corpus, model, tags, {"bank|NOUN": ["bank.n.02", "bank.n.01"]}, min_count=1000)
