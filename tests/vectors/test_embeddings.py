"""Skip-gram: subsampling, negatives and groups by their laws; single steps by hand; doors."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import corpus_from_text
from cdsm_lib.text.dependencies import count_dependencies
from cdsm_lib.vectors import embeddings
from cdsm_lib.vectors.embeddings import (
    Groups,
    keep_probability,
    pair_groups,
    phrase_groups,
    skip_gram,
    train_dependencies,
    train_phrases,
    train_words,
    window_groups,
)


def all_rows(corpus):
    return np.arange(len(corpus.words), dtype=np.int32)


def all_kept(corpus):
    return np.ones(len(corpus.words))


def windows(corpus, width, keep=None):
    """Groups of a corpus of which every word is a row."""
    return window_groups(corpus, all_rows(corpus), all_kept(corpus) if keep is None else keep, window=width)


def named(groups, targets, contexts):
    """[(target, [contexts])] in words."""
    return [
        (targets[target], [contexts[c].partition("|")[0] for c in some.contexts[some.starts[g] : some.starts[g + 1]]])
        for some in groups
        for g, target in enumerate(some.targets)
    ]


def joined(groups):
    """Groups of several chunks as one."""
    groups = list(groups)
    lengths = np.concatenate([np.diff(some.starts) for some in groups])
    return (
        np.concatenate([some.targets for some in groups]),
        np.concatenate(([0], np.cumsum(lengths))),
        np.concatenate([some.contexts for some in groups]),
    )


# ----------------------------------------------------------------------------------------------------- subsampling


def test_keep_probability_by_hand():
    """f = .64, .32, .04; s = .04: s/f = 1/16, 1/8, 1, so sqrt(s/f) + s/f = .25 + .0625, .35355 + .125, 2 -> 1."""
    np.testing.assert_allclose(keep_probability(np.array([64, 32, 4]), 0.04), [0.3125, 0.47855339, 1.0])
    assert keep_probability(np.array([64, 0]), 0).tolist() == [1, 1]
    assert keep_probability(np.array([64, 0]), 0.1)[1] == 1  # a word that never occurs is rare, not a division by 0


def test_subsampling_drops_words_before_windows():
    """Of 9000 occurrences of *the*, some 2700 stay (probability .3); *dog* always stays."""
    corpus = corpus_from_text(*["the|DET the|DET the|DET dog"] * 3000)
    keep = np.where(corpus.pos_of == "DET", 0.3, 1.0)
    targets, starts, _ = joined(windows(corpus, 5, keep)(1))
    n = np.bincount(targets, minlength=2)[corpus.words.encode(["dog|NOUN", "the|DET"])]
    assert n[0] == 3000
    assert abs(n[1] - 2700) < 4 * np.sqrt(9000 * 0.3 * 0.7)  # four standard deviations of the binomial
    lengths = np.diff(starts)
    assert lengths.max() <= 3 and (lengths == 0).any()  # a dog whose neighbours were all dropped is alone


# ----------------------------------------------------------------------------------------------- drawing negatives


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=60).filter(any))
def test_alias_table_is_exact(weights):
    """Cell i is met 1/n of the time and splits into i and other[i]: the shares add up to the normalised weights."""
    weights = np.array(weights)
    accept, other = embeddings.alias_table(weights)
    n = len(weights)
    share = (accept + np.bincount(other, weights=1.0 - accept, minlength=n)) / n
    np.testing.assert_allclose(share, weights / weights.sum(), atol=2e-7)  # accept is float32
    assert (share[weights == 0] == 0).all()


def test_generator_is_uniform_and_neighbouring_seeds_have_nothing_in_common():
    def draws(seed, n=4000):
        state = embeddings.random_state(seed)
        return np.array([embeddings.uniform(state) for _ in range(n)])

    streams = np.array([draws(seed) for seed in range(5)])
    assert 0 <= streams.min() and streams.max() < 1
    assert np.abs(streams.mean(axis=1) - 0.5).max() < 4 / np.sqrt(12 * 4000)  # four standard errors
    between = np.corrcoef(streams)[np.triu_indices(5, 1)]
    within = [np.corrcoef(stream[:-1], stream[1:])[0, 1] for stream in streams]
    assert np.abs([*between, *within]).max() < 4 / np.sqrt(4000)


def test_negatives_follow_the_frequencies_to_the_power_of_three_quarters():
    """Contexts of frequency 1 and 16 are drawn 1 : 8. Rate so small that every draw moves them by the same step.

    A pair with context 2 (t.c = 0 throughout) and draws of 0 and 1: each draw adds -rate/2 t to its context.
    """

    def groups(_):
        yield Groups(np.zeros(20_000, np.int32), np.arange(20_001), np.full(20_000, 2, np.int32), 0.0)

    model = skip_gram(groups, Labels(["t"]), Labels([*"abc"]), np.array([1, 16, 0]), dimensions=3, negatives=1, draws=1,
                      epochs=1, rate=1e-7)  # fmt: skip
    low, high = np.linalg.norm(model.context_vectors[:2].astype(float), axis=1)
    drawn = low / (low + high)
    assert abs(drawn - 1 / 9) < 4 * np.sqrt(1 / 9 * 8 / 9 / 20_000)


def test_every_epoch_draws_anew():
    seen = []

    def groups(seed):
        seen.append(seed)
        yield Groups(np.zeros(1, np.int32), np.array([0, 1]), np.zeros(1, np.int32), 1.0)

    for seed in (0, 1, 2, 3):
        skip_gram(groups, Labels(["t"]), Labels(["c"]), np.ones(1), dimensions=2, epochs=5, seed=seed)
    assert len(set(seen)) == 20


# ------------------------------------------------------------------------------------------------ groups of windows

TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), min_size=1, max_size=12)


@given(TEXTS, st.sampled_from([1, 4, 1000]), st.sets(st.sampled_from("abcdef"), max_size=3))
def test_windows_of_one_equal_the_slow_reference(texts, chunk, left_out):
    """With a window of 1 there is nothing to draw: each word meets its neighbours, words without a row taken out."""
    corpus = corpus_from_text(*(" ".join(text) for text in texts))
    chosen = [word for word in corpus.words if word[0] not in left_out]
    row = np.array([chosen.index(word) if word in chosen else -1 for word in corpus.words], dtype=np.int32)
    expected = []
    for text in texts:
        line = [word for word in text if word not in left_out]
        expected += [(f"{w}|NOUN", line[max(0, i - 1) : i] + line[i + 1 : i + 2]) for i, w in enumerate(line)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embeddings, "CHUNK", chunk)
        groups = list(window_groups(corpus, row, np.ones(len(chosen)), window=1)(7))
    assert named(groups, chosen, chosen) == expected
    assert [some.done for some in groups] == sorted(some.done for some in groups) and groups[-1].done == 1


def test_drawn_widths_are_uniform_and_symmetric():
    """Within a long sentence a window of 4 reaches 1, 2, 3 or 4 words each way, a quarter of the time each."""
    corpus = corpus_from_text(" ".join(f"w{i % 50}" for i in range(8000)))
    targets, starts, contexts = joined(windows(corpus, 4)(3))
    lengths = np.diff(starts)[4:-4]
    assert set(lengths.tolist()) == {2, 4, 6, 8}
    counts = np.bincount(lengths // 2)[1:]
    assert np.abs(counts - 1998).max() < 4 * np.sqrt(7992 * 3 / 16)  # four standard deviations of the binomial
    word = corpus.word
    for g in range(100, 140):
        reach = (starts[g + 1] - starts[g]) // 2
        around = [*word[g - reach : g], *word[g + 1 : g + 1 + reach]]
        assert contexts[starts[g] : starts[g + 1]].tolist() == around and targets[g] == word[g]


# ------------------------------------------------------------------------------------------------ groups of phrases


def test_chunks_do_not_matter(monkeypatch, rng):
    corpus = corpus_from_text(*(" ".join(rng.choice(list("abcdefgh"), size=rng.integers(1, 12))) for _ in range(200)))
    keep = np.linspace(0.4, 1, len(corpus.words))
    positions = np.stack([corpus.offsets[:-1], corpus.offsets[1:] - 1], axis=1)
    phrases = phrase_groups(corpus, all_rows(corpus), keep, positions, np.arange(len(positions)) % 7 - 1, window=3)

    def in_chunks(size):
        monkeypatch.setattr(embeddings, "CHUNK", size)
        monkeypatch.setattr(embeddings, "OCCURRENCES", size)
        return [*joined(windows(corpus, 5, keep)(3)), *joined(phrases(3))]

    whole = in_chunks(10_000)
    assert len(whole[2]) > 1000 and len(whole[5]) > 300
    for size in (100, 7):
        for one, two in zip(whole, in_chunks(size), strict=True):
            np.testing.assert_array_equal(one, two)


def around(corpus, positions, phrases, window, left_out=()):
    row = np.array([-1 if w.partition("|")[0] in left_out else i for i, w in enumerate(corpus.words)], dtype=np.int32)
    groups = phrase_groups(corpus, row, all_kept(corpus), np.array(positions), np.arange(len(phrases)), window=window)
    return named(groups(0), phrases, corpus.words)


def test_phrases_by_hand():
    """the old dog (chase) the black (cat) today again: outwards from both ends, and what lies within."""
    corpus = corpus_from_text("the old dog chase the black cat today again", "mouse sleep")
    for window, left_out, expected in [
        (2, (), "dog old the black today again"),
        (1, (), "dog the black today"),
        (9, (), "dog old the the black today again"),
        (2, ("the", "old", "today"), "dog black again"),
    ]:
        assert around(corpus, [[3, 6]], ["chase cat"], window, left_out) == [("chase cat", expected.split())]


def test_phrases_at_the_edges():
    """Sentence borders hold; the order of the positions does not matter; own words are places, not words."""
    corpus = corpus_from_text("big dog bark loud", "dog bark", "dog see dog")
    positions = [[2, 1], [4, 5], [7, 6], [9 - 1, 7]]
    of = np.array([0, 1, -1, 2])
    groups = phrase_groups(corpus, all_rows(corpus), all_kept(corpus), np.array(positions), of, window=3)
    expected = [("first", ["big", "loud"]), ("alone", []), ("see dog", ["dog"])]
    assert named(groups(0), ["first", "alone", "see dog"], corpus.words) == expected
    empty = phrase_groups(corpus, all_rows(corpus), all_kept(corpus), np.array(positions), np.full(4, -1), window=3)
    assert list(empty(0)) == []


def test_subsampled_words_take_no_place_around_phrases():
    corpus = corpus_from_text("a the the the dog bark the the the b")
    keep = np.where(corpus.words.encode(["the|NOUN"]) == np.arange(len(corpus.words)), 0.0, 1.0)
    groups = phrase_groups(corpus, all_rows(corpus), keep, np.array([[4, 5]]), np.array([0]), window=1)
    assert named(groups(0), ["dog bark"], corpus.words) == [("dog bark", ["a", "b"])]


# -------------------------------------------------------------------------------------------------- groups of pairs


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.integers(0, 4)), max_size=30),
    st.integers(1, 4),
    st.sampled_from([1, 3, 1000]),
)
def test_pairs_come_as_often_as_they_are_counted(pairs, size, chunk):
    table = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embeddings, "OCCURRENCES", chunk)
        groups = list(pair_groups(*table.T, size=size)(5))
    found = Counter()
    for some in groups:
        assert np.diff(some.starts).max() <= size and np.diff(some.starts).min() >= 1
        found.update(zip(np.repeat(some.targets, np.diff(some.starts)).tolist(), some.contexts.tolist(), strict=True))
    expected = Counter()
    for target, context, n in pairs:
        expected[target, context] += n
    assert found == +expected
    if groups:
        assert groups[-1].done == 1


def test_pairs_are_shuffled_by_the_seed():
    targets, contexts = np.repeat(np.arange(20), 30), np.tile(np.arange(30), 20)
    groups = pair_groups(targets, contexts, size=10)
    one, again, other = (joined(groups(seed)) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not np.array_equal(one[0], other[0]) and not np.array_equal(one[2], other[2])
    assert (np.diff(one[0]) < 0).any() and len(one[0]) == 60


# ------------------------------------------------------------------------------------------ dependency contexts


def test_dependency_pairs_are_subsampled_by_word_and_context():
    """1000 *dog* with *bark*, 10 *cat* with *bark*: 2020 pairs, of which *dog* has 1000, *bark* as a context 1010.

    At s = .04 a pair of the two is kept with (sqrt(.0808) + .0808) (sqrt(.08) + .08) = .36505 * .36284 = .13246;
    *cat*, f = 10/2020, always as a target, so its pairs with .36284.
    """
    corpus = corpus_from_text(*["dog/2/nsubj bark|VERB/0/root"] * 1000, *["cat/2/nsubj bark|VERB/0/root"] * 10)
    words = ["bark|VERB", "dog|NOUN", "cat|NOUN"]
    model = train_dependencies(count_dependencies(corpus, words), subsample=0.04, dimensions=1, epochs=30)
    for trained, n, p in zip(model.pairs[1:], (30_000, 300), (0.13246, 0.36284), strict=True):
        assert abs(trained - n * p) < 4 * np.sqrt(n * p * (1 - p))
    with pytest.raises(ValueError, match="none of the 3 words has a dependency context that is frequent"):
        train_dependencies(count_dependencies(corpus, words, min_count=2000))


# --------------------------------------------------------------------------------------------- one step, by hand


def train(targets, starts, contexts, t, c, weights, *, negatives, draws, frozen=False, rates=(0.5, 0.5), seed=0):
    accept, other = embeddings.alias_table(np.array(weights, dtype=np.float64))
    embeddings._train(
        np.array(targets, dtype=np.int32), np.array(starts, dtype=np.int64), np.array(contexts, dtype=np.int32),
        t, c, accept, other, negatives, draws, frozen, np.array(rates), embeddings.random_state(seed),
    )  # fmt: skip


def test_one_step_by_hand():
    """One pair, one negative, which can only be context 1 (context 0 has no weight). Rate 1/2.

    t = (1, 0), c0 = (ln 3, 1), c1 = (-ln 3, 2).
    t.c0 = ln 3, sigma = 3/4, error = 1/2 (1 - 3/4) = 1/8:  c0 += (1, 0)/8,  step  = c0/8.
    t.c1 = -ln 3, sigma = 1/4, error = -1/2 1/4   = -1/8:   c1 -= (1, 0)/8,  step -= c1/8.
    t += (ln 3, 1)/8 - (-ln 3, 2)/8 = (ln 3 / 4, -1/8).
    """
    ln3 = np.log(3)
    t, c = np.array([[1, 0]], np.float32), np.array([[ln3, 1], [-ln3, 2]], np.float32)
    train([0], [0, 1], [0], t, c, [0, 1], negatives=1, draws=1)
    np.testing.assert_allclose(t, [[1 + ln3 / 4, -1 / 8]], rtol=1e-6)
    np.testing.assert_allclose(c, [[ln3 + 1 / 8, 1], [-ln3 - 1 / 8, 2]], rtol=1e-6)


def test_frozen_step_and_the_weight_of_negatives_by_hand():
    """Two pairs with context 0, 6 negatives each, 3 draws of context 1 in their stead: each counts 6 * 2 / 3 = 4.

    As above: 2 * c0/8 - 3 * 4 * c1/8 = (ln 3)/4 + 3/2 ln 3, 1/4 - 3 = (7/4 ln 3, -11/4).
    """
    ln3 = np.log(3)
    t, c = np.array([[9, 9], [1, 0]], np.float32), np.array([[ln3, 1], [-ln3, 2]], np.float32)
    before = c.tobytes()
    train([1, 0], [0, 2, 2], [0, 0], t, c, [0, 1], negatives=6, draws=3, frozen=True)
    np.testing.assert_allclose(t, [[9, 9], [1 + 7 / 4 * ln3, -11 / 4]], rtol=1e-6)
    assert c.tobytes() == before


def test_training_in_one_call_is_the_training_of_its_groups():
    two = ["dog|NOUN/2/nsubj bark|VERB/0/root", "cat|NOUN/2/nsubj bark|VERB/0/root cat|NOUN/2/obj"]
    corpus = corpus_from_text(*two * 4)
    words = Labels(["dog|NOUN", "bark|VERB", "cat|NOUN"])
    row, counts = np.array([words.get(word) for word in corpus.words], dtype=np.int32), np.array([4, 8, 8])
    training = {"dimensions": 3, "negatives": 2, "draws": 4, "epochs": 2, "rate": 0.1, "seed": 5}
    model = train_words(corpus, words, window=2, subsample=0.2, **training)
    groups = window_groups(corpus, row, keep_probability(counts, 0.2), window=2)
    by_hand = skip_gram(groups, words, words, counts, **training)
    assert np.array_equal(model.target_vectors, by_hand.target_vectors) and model.context_counts.tolist() == [4, 8, 8]
    table = count_dependencies(corpus, words, min_count=2)
    groups = pair_groups(*table.matrix.tocoo().coords, table.matrix.data)
    by_hand = skip_gram(groups, table.rows, table.columns, table.column_sums, **training)
    by_trees = train_dependencies(table, **training)
    assert np.array_equal(by_trees.target_vectors, by_hand.target_vectors)
    with pytest.raises(ValueError, match=r"1 of these words do not occur in the corpus: unicorn\|NOUN"):
        train_words(corpus, [*words, "unicorn|NOUN"])
    places = np.array([[0, 1], [2, 3]])
    phrases = train_phrases(corpus, model, ["dog bark", "cat bark"], places, np.arange(2), window=2, seed=1)
    assert not phrases[0].any() and phrases[1].any()  # the first never meets a context


def test_the_rate_falls_within_a_chunk():
    """Four groups, rates from 1 to 0: 1, 3/4, 1/2, 1/4. At score 0 each step is rate * (1/2 - 1/2 weight) c."""
    t, c = np.zeros((4, 1), np.float32), np.array([[1], [0]], np.float32)
    train([0, 1, 2, 3], [0, 1, 2, 3, 4], [0] * 4, t, c, [0, 1], negatives=1, draws=1, frozen=True, rates=(1, 0))
    np.testing.assert_allclose(t[:, 0], [1 / 2, 3 / 8, 1 / 4, 1 / 8])


@pytest.mark.parametrize("score", [1e2, 1e4, 1e8, 1e30])
def test_huge_scores_do_not_overflow(score):
    """A pair that is certain already, and a negative that is excluded already, teach nothing; the reverse, all."""
    t, c = np.array([[1.0], [1.0]], np.float32), np.array([[score], [-score]], np.float32)
    train([0], [0, 1], [0], t, c, [0, 1], negatives=1, draws=1, frozen=True)
    np.testing.assert_allclose(t[0], 1, atol=score * 1e-12)
    train([1], [0, 1], [1], t, c, [1, 0], negatives=1, draws=1, frozen=True)
    np.testing.assert_allclose(t[1], 1 - score, rtol=1e-6)


# --------------------------------------------------------------------------------------------------------- training


@pytest.fixture(scope="module")
def corpus():
    words = np.random.default_rng(0).integers(48, size=(600, 14))
    return corpus_from_text(*(" ".join(f"w{i}" for i in line) for line in words.tolist()))


def trained(corpus, **options):
    options = {"dimensions": 16, "negatives": 5, "draws": 10, "epochs": 2} | options
    groups = windows(corpus, 4)
    return skip_gram(groups, corpus.words, corpus.words, corpus.word_counts, **options)


def test_the_same_seed_gives_the_same_vectors(corpus):
    one, again, other = trained(corpus, seed=3), trained(corpus, seed=3), trained(corpus, seed=4)
    for name in ("target_vectors", "context_vectors", "pairs"):
        assert getattr(one, name).tobytes() == getattr(again, name).tobytes()
    assert not np.allclose(one.target_vectors, other.target_vectors)
    assert one.pairs.sum() > 2 * 4 * corpus.n_tokens and one.target_vectors.dtype == np.float32


def test_frozen_contexts_are_copied_and_stay(corpus):
    frozen = np.random.default_rng(1).normal(size=(len(corpus.words), 16)).astype(np.float32)
    before = frozen.copy()
    model = trained(corpus, frozen=frozen)
    assert model.context_vectors.tobytes() == frozen.tobytes() == before.tobytes()
    assert not np.shares_memory(model.context_vectors, frozen)
    with pytest.raises(ValueError, match=r"frozen contexts have shape \(2, 16\)"):
        trained(corpus, frozen=frozen[:2])


def test_bad_settings_are_refused(corpus):
    row, keep = all_rows(corpus), all_kept(corpus)
    for change, problem in [
        ({"window": 0}, "window=0"), ({"window": None}, "window=None: it must be a whole number"),
        ({"row": row[:1]}, "row has 1 entries"),
        ({"keep": keep[:3]}, "keep has 3 entries"),
    ]:
        with pytest.raises(ValueError, match=problem):
            window_groups(corpus, **({"row": row, "keep": keep, "window": 1} | change))
    zero = dict.fromkeys(("dimensions", "negatives", "draws", "epochs", "rate"), 0)
    for name, value in [*zero.items(), ("rate", "2"), ("epochs", 1.5)]:
        with pytest.raises(ValueError, match=f"{name}={value!r}: must be greater than 0, and whole"):
            trained(corpus, **{name: value})
    with pytest.raises(ValueError, match="subsample=-1: it must be 0"):
        keep_probability(corpus.word_counts, -1)
    groups = window_groups(corpus, row, keep, window=1)
    for counts in (corpus.word_counts[:2], corpus.word_counts * 0, -corpus.word_counts):
        with pytest.raises(ValueError, match="context_counts must be frequencies"):
            skip_gram(groups, corpus.words, corpus.words, counts)


def test_groups_that_point_outside_the_tables_are_refused():
    sound = Groups(np.array([0, 1], np.int32), np.array([0, 1, 2]), np.array([0, 0], np.int32), 1.0)
    for change, problem in [
        ({"targets": np.array([0, 2], np.int32)}, "names target 0 or 2, but there are 2"),
        ({"contexts": np.array([0, -1], np.int32)}, "names context -1 or 0, but there are 1"),
    ]:
        groups = [replace(sound, **change)]
        with pytest.raises(ValueError, match=problem):
            skip_gram(lambda _, groups=groups: groups, Labels(["a", "b"]), Labels(["c"]), np.ones(1), dimensions=2)
