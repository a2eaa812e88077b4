"""Phrase similarity: the files, both rhos, the two upper limits, and the bootstrap against pairs that are really
resampled."""

import re

import numpy as np
import pytest

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import phrase_similarity as ps
from cdsm_lib.tasks.phrase_similarity import Pair

HEADER = "\t".join(ps.COLUMNS)
GRADED = "\t".join(ps.GRADED_COLUMNS)
FIRST, SECOND = ("old|ADJ", "owl|NOUN"), ("young|ADJ", "hawk|NOUN")


def pair(*ratings: float, number: int = 1, kind: str = "AN", raters=None) -> Pair:
    names = tuple(f"p{i}" for i in range(len(ratings))) if raters is None else tuple(raters)
    first, second = ((f"{a}|{tag}" for a, tag in zip(words, ps.TAGS[kind], strict=True)) for words in ("xy", "uv"))
    return Pair(number, kind, tuple(first), tuple(second), tuple(map(float, ratings)), names)


def written(tmp_path, *lines: str, header: str = HEADER):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join([header, *(line.replace(" ", "\t") for line in lines)]) + "\n", encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------------------------- files


def test_read(tmp_path):
    lines = (
        "ann verbobjects eat plum bake tart 2", "ann adjectivenouns old owl young hawk 5",
        "bob verbobjects eat plum bake tart 7", "bob compoundnouns plum jam tin lid 1",
    )  # fmt: skip
    path = written(tmp_path, *lines)
    found = ps.read(path, "own")
    assert found.dataset == "own"
    assert [p.number for p in found] == [1, 2, 3]
    assert found.pairs[0] == Pair(
        1, "VO", ("eat|VERB", "plum|NOUN"), ("bake|VERB", "tart|NOUN"), (2.0, 7.0), ("ann", "bob")
    )
    assert found.of("AN") == (Pair(2, "AN", FIRST, SECOND, (5.0,), ("ann",)),)
    assert found.of("NN")[0].words == ("plum|NOUN", "jam|NOUN", "tin|NOUN", "lid|NOUN")
    assert found.pairs[0].mean == 4.5
    assert found.words[:4] == found.pairs[0].words
    assert len(found.words) == 11  # plum|NOUN stands in two pairs


@pytest.mark.parametrize(("line", "message"), [
    ("ann nouns plum jam tin lid 1", "line 3: type must be one of adjectivenouns"),
    ("ann compoundnouns plum jam tin lid 8", "line 3: rating must be one of 1, 2"),
    ("ann compoundnouns plum jam tin lid 2.5", "found '2.5'"),
    ("ann compoundnouns plum jam tin lid", "line 3: expected 7 fields"),
    ("ann adjectivenouns old owl young hawk 4", "line 3: participant 'ann'.* stands already in line 2"),
])  # fmt: skip
def test_spoilt_lines(tmp_path, line, message):
    path = written(tmp_path, "ann adjectivenouns old owl young hawk 5", line)
    with pytest.raises(TaskError, match=f"pairs.tsv.*{message}"):
        ps.read(path)


def test_read_graded(tmp_path):
    found = ps.read_graded(written(tmp_path, "1 AN old owl young hawk 2", "2 VO eat plum bake tart 1", header=GRADED))
    assert found.pairs[0] == Pair(1, "AN", FIRST, SECOND, (2.0,), (ps.EDITORS,))
    assert found.pairs[1].first == ("eat|VERB", "plum|NOUN")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, "AN", FIRST, (), (1.0,), ("a",)), "without words"),
        ((1, "AN", FIRST, SECOND, (), ()), "at least one"),
        ((1, "AN", FIRST, SECOND, (np.nan,), ("a",)), "all finite"),
        ((1, "AN", FIRST, SECOND, (1.0, 2.0), ("a",)), "one a rating"),
        ((1, "AN", FIRST, SECOND, (1.0, 2.0), ("a", "a")), "all different"),
    ],
)
def test_pairs_are_checked(arguments, message):
    with pytest.raises(TaskError, match=message):
        Pair(*arguments)


def test_load():
    teaching = ps.load("phrase_pairs")
    assert teaching.dataset == "phrase_pairs"
    assert re.fullmatch(r"phrase_pairs: (\d+) pairs \(.*\d+ VO.*\), \1 ratings, \d+ words", repr(teaching))
    assert {p.raters for p in teaching} == {(ps.EDITORS,)}
    with pytest.raises(TaskError, match="ml2010 and phrase_pairs"):
        ps.load("ml2008")
    with pytest.raises(TaskError, match="AN, NN, VO"):
        teaching.of("SVO")


def test_ml2010_has_the_published_size(mirror):
    found = ps.load("ml2010")
    assert found.dataset == "ml2010"
    assert [len(found.of(kind)) for kind in ps.KINDS] == [108, 108, 108]
    assert [p.number for p in found] == list(range(1, 325))
    assert {len(p.ratings) for p in found} == {18}
    for kind in ps.KINDS:
        ceiling = ps.human_ceiling(found.of(kind))
        assert len(ceiling) == 54
        assert 0.70 < ceiling.mean() < 0.73
        assert 0.68 < ps.best_possible(found.of(kind)) < 0.71


# ------------------------------------------------------------------------------------------------------------ metrics


def test_rhos_by_hand():
    pairs = [pair(1, 3), pair(3, 5)]
    # similarities .2 .2 .9 .9, ranks 1.5 1.5 3.5 3.5; ratings 1 3 3 5, ranks 1 2.5 2.5 4
    # centred: (-1, -1, 1, 1) and (-1.5, 0, 0, 1.5): 3 / √(4 · 4.5) = 1/√2
    assert ps.rho_individual([0.2, 0.9], pairs) == pytest.approx(2**-0.5)
    assert ps.rho_individual([0.9, 0.2], pairs) == pytest.approx(-(2**-0.5))
    assert ps.rho_mean([0.2, 0.9], pairs) == 1  # means 2 and 4
    assert ps.best_possible(pairs) == pytest.approx(2**-0.5)


def test_human_ceiling_by_hand():
    pairs = [pair(1, 2, 2, raters="abc"), pair(2, 1, 2, raters="abc"), pair(3, 3, 3, raters="abc")]
    found = ps.human_ceiling(pairs)
    # a 1 2 3 against (2, 1.5, 3): 1 - 6 (1 + 1) / 24 = .5; b 2 1 3 against (1.5, 2, 3): .5
    # c 2 2 3 against (1.5, 1.5, 3): ranks alike, 1
    np.testing.assert_allclose(found, [0.5, 0.5, 1.0])


def test_ceiling_leaves_out_constant_raters_and_pairs_rated_once():
    pairs = [pair(*ratings, 4, raters="abc") for ratings in ((1, 1), (2, 2), (3, 3))]
    ceiling = ps.human_ceiling([*pairs, pair(7, raters="a"), pair(5, raters="d")])
    np.testing.assert_allclose(ceiling, [1, 1])  # c is constant, nobody else rated what d rated


def test_ceiling_counts_a_participant_once_for_each_kind():
    pairs = [pair(i, j, kind=kind) for kind, js in (("AN", (1, 2)), ("VO", (2, 1))) for i, j in zip((1, 2), js)]  # noqa: B905
    assert ps.human_ceiling(pairs) == pytest.approx((1, 1, -1, -1))


def test_ceiling_needs_several_raters():
    for pairs in ([pair(1), pair(2)], [pair(1, 2, raters=()), pair(2, 3, raters=())], []):
        with pytest.raises(ValueError, match="several participants"):
            ps.human_ceiling(pairs)


def test_mean_ratings_normalised():
    assert ps.mean_ratings_normalised([pair(7, 7), pair(1, 6), pair(1)]).tolist() == [1, 0.5, 1 / 7]


def test_bad_similarities():
    pairs = [pair(1, 3), pair(3, 5)]
    for rho in (ps.rho_individual, ps.rho_mean, ps.resampled_rho):
        with pytest.raises(ValueError, match="for 2 pairs"):
            rho([0.1], pairs)
        with pytest.raises(ValueError, match="NaN"):
            rho([0.1, np.nan], pairs)
        with pytest.raises(ValueError, match="undefined"):
            rho([0.1, 0.1], pairs)
    with pytest.raises(ValueError, match="for 0 pairs"):
        ps.rho_individual([], [])


# ---------------------------------------------------------------------------------------------------------- bootstrap


@pytest.fixture
def many(rng) -> list[Pair]:
    """Pairs with one to four ratings each, and ties."""
    return [pair(*rng.integers(1, 8, rng.integers(1, 5))) for _ in range(30)]


@pytest.mark.parametrize(("which", "rho"), [("individual", ps.rho_individual), ("mean", ps.rho_mean)])
def test_resamples_against_pairs_that_are_resampled(rng, many, which, rho):
    similarities = rng.integers(0, 9, len(many)).astype(float)
    found = ps.resampled_rho(similarities, many, which, seed=3, n=20)
    draws = np.random.default_rng(3).integers(0, len(many), (20, len(many)))
    reference = [rho(similarities[rows], [many[i] for i in rows]) for rows in draws]
    np.testing.assert_allclose(found, reference, atol=1e-12)


def test_resamples_of_several_batches(rng, many):
    similarities = rng.random(len(many))
    found = ps.resampled_rho(similarities, many, n=1500, seed=1)
    draws = np.random.default_rng(1)
    draws.integers(0, len(many), (1000, len(many)))
    rows = draws.integers(0, len(many), (500, len(many)))[-1]
    assert found.shape == (1500,)
    assert len(np.unique(found.round(12))) > 1400
    assert found[-1] == pytest.approx(ps.rho_individual(similarities[rows], [many[i] for i in rows]))


def test_equal_similarities_throughout_get_the_constant_in_every_resample(many):
    assert ps.resampled_rho(np.ones(len(many)), many, n=5, constant=0.0).tolist() == [0.0] * 5


def test_bad_bootstrap(many):
    similarities = np.arange(len(many))
    with pytest.raises(ValueError, match="which='median'"):
        ps.resampled_rho(similarities, many, "median")
    with pytest.raises(ValueError, match="n=0"):
        ps.resampled_rho(similarities, many, n=0)
    with pytest.raises(ValueError, match="2 pairs are too few"):
        ps.resampled_rho([1, 2], many[:2], n=100)
