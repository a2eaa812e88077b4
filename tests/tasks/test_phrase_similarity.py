"""Phrase similarity: the files, both rhos, the two upper limits, the bootstrap, and the task."""

import re

import numpy as np
import pytest

from cdsm_lib.datasets import DataError
from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import phrase_similarity as ps
from cdsm_lib.tasks.phrase_similarity import KINDS, Pair, PhraseSimilarity
from cdsm_lib.tasks.task import Vocabulary

FIRST, SECOND = ("old|ADJ", "owl|NOUN"), ("young|ADJ", "hawk|NOUN")


def pair(*ratings: float, number: int = 1, kind: str = "AN", raters=None) -> Pair:
    names = tuple(f"p{i}" for i in range(len(ratings))) if raters is None else tuple(raters)
    first, second = ((f"{a}|{tag}" for a, tag in zip(words, ps.TAGS[kind], strict=True)) for words in ("xy", "uv"))
    return Pair(number, kind, tuple(first), tuple(second), tuple(map(float, ratings)), names)


def written(tmp_path, *lines: str, columns=ps.COLUMNS):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(line.replace(" ", "\t") for line in (" ".join(columns), *lines)) + "\n", "utf-8")
    return path


# ------------------------------------------------------------------------------------------------------------- files


def test_read(tmp_path):
    items = ps.read(written(
        tmp_path, "ann verbobjects eat plum bake tart 2", "ann adjectivenouns old owl young hawk 5",
        "bob verbobjects eat plum bake tart 7", "bob compoundnouns plum jam tin lid 1",
    ), "own")  # fmt: skip
    assert items.dataset == "own" and [p.number for p in items] == [1, 2, 3]
    eat = Pair(1, "VO", ("eat|VERB", "plum|NOUN"), ("bake|VERB", "tart|NOUN"), (2.0, 7.0), ("ann", "bob"))
    assert items.pairs[0] == eat and eat.mean == 4.5 and items.words[:4] == eat.words
    assert items.of("AN") == (Pair(2, "AN", FIRST, SECOND, (5.0,), ("ann",)),)
    assert len(items.words) == 11  # plum|NOUN stands in two pairs


@pytest.mark.parametrize(("line", "message"), [
    ("ann compoundnouns plum jam tin lid 8", "line 3: rating must be one of 1, 2, 3, 4, 5, 6, 7, found '8'"),
    ("ann adjectivenouns old owl young hawk 4", "line 3: participant 'ann'.* stands already in line 2"),
])  # fmt: skip
def test_spoilt_lines(tmp_path, line, message):
    path = written(tmp_path, "ann adjectivenouns old owl young hawk 5", line)
    with pytest.raises(TaskError, match=f"pairs.tsv.*{message}"):
        ps.read(path)


def test_the_teaching_set(tmp_path):
    lines = "1 AN old owl young hawk 2", "2 VO eat plum bake tart 1"
    items = ps.read_graded(written(tmp_path, *lines, columns=ps.GRADED_COLUMNS))
    assert items.pairs[0] == Pair(1, "AN", FIRST, SECOND, (2.0,), (ps.EDITORS,))
    teaching = ps.load("phrase_pairs")
    assert re.fullmatch(r"phrase_pairs: (\d+) pairs \(.*\d+ VO.*\), \1 ratings, \d+ words", repr(teaching))
    with pytest.raises(DataError, match="ml2008"):
        ps.load("ml2008")
    with pytest.raises(TaskError, match="AN, NN, VO"):
        teaching.of("SVO")


def test_ml2010_has_the_published_size(mirror):
    items = ps.load("ml2010")
    assert [len(items.of(kind)) for kind in KINDS] == [108, 108, 108]
    assert [p.number for p in items] == list(range(1, 325)) and {len(p.ratings) for p in items} == {18}
    for kind in KINDS:
        ceiling = ps.human_ceiling(items.of(kind))
        assert len(ceiling) == 54 and 0.70 < ceiling.mean() < 0.73
        assert 0.68 < ps.best_possible(items.of(kind)) < 0.71


# ------------------------------------------------------------------------------------------------------------ metrics


def test_rhos_by_hand():
    pairs = [pair(1, 3), pair(3, 5)]
    # similarities .2 .2 .9 .9, ranks 1.5 1.5 3.5 3.5; ratings 1 3 3 5, ranks 1 2.5 2.5 4
    # centred: (-1, -1, 1, 1) and (-1.5, 0, 0, 1.5): 3 / √(4 · 4.5) = 1/√2
    assert ps.rho_individual([0.2, 0.9], pairs) == pytest.approx(2**-0.5)
    assert ps.rho_individual([0.9, 0.2], pairs) == pytest.approx(-(2**-0.5))
    assert ps.rho_mean([0.2, 0.9], pairs) == 1  # means 2 and 4
    assert ps.best_possible(pairs) == pytest.approx(2**-0.5)
    assert ps.mean_ratings_normalised([pair(7, 7), pair(1, 6), pair(1)]).tolist() == [1, 0.5, 1 / 7]


@pytest.mark.parametrize(("pairs", "expected"), [
    # a 1 2 3 against (2, 1.5, 3): 1 - 6 (1 + 1) / 24 = .5; b 2 1 3 against (1.5, 2, 3): .5
    # c 2 2 3 against (1.5, 1.5, 3): ranks alike, 1
    ([pair(*ratings, raters="abc") for ratings in ((1, 2, 2), (2, 1, 2), (3, 3, 3))], (0.5, 0.5, 1)),
    # c is constant, nobody else rated what d rated
    ([*(pair(i, i, 4, raters="abc") for i in (1, 2, 3)), pair(7, raters="a"), pair(5, raters="d")], (1, 1)),
    # a participant counts once for each kind
    ([pair(1, 1), pair(2, 2), pair(1, 2, kind="VO"), pair(2, 1, kind="VO")], (1, 1, -1, -1)),
])  # fmt: skip
def test_human_ceiling_by_hand(pairs, expected):
    assert ps.human_ceiling(pairs) == pytest.approx(expected)


@pytest.mark.parametrize("pairs", [[pair(1), pair(2)], [pair(1, 2, raters=()), pair(2, 3, raters=())], []])
def test_ceiling_needs_several_raters(pairs):
    with pytest.raises(ValueError, match="several participants"):
        ps.human_ceiling(pairs)


@pytest.mark.parametrize("rho", [ps.rho_individual, ps.rho_mean, ps.resampled_rho])
def test_bad_similarities(rho):
    for similarities, message in (([0.1], "for 2 pairs"), ([0.1, np.nan], "NaN"), ([], "for 2 pairs")):
        with pytest.raises(ValueError, match=message):
            rho(similarities, [pair(1, 3), pair(3, 5)])
    if rho is not ps.resampled_rho:
        with pytest.raises(ValueError, match="undefined"):
            rho([0.1, 0.1], [pair(1, 3), pair(3, 5)])


# ---------------------------------------------------------------------------------------------------------- bootstrap


@pytest.fixture
def many(rng) -> list[Pair]:
    """Pairs with one to four ratings each, and ties."""
    return [pair(*rng.integers(1, 8, rng.integers(1, 5))) for _ in range(30)]


def test_resamples_against_pairs_that_are_resampled(rng, many):
    """Those of the second batch, too."""
    similarities = rng.integers(0, 9, len(many)).astype(float)
    drawn = ps.resampled_rho(similarities, many, n=1010, seed=3)
    again = np.random.default_rng(3)
    rows = np.concatenate([again.integers(0, len(many), (size, len(many))) for size in (1000, 10)])
    for i in (*range(20), *range(990, 1010)):
        reference = ps.rho_individual(similarities[rows[i]], [many[j] for j in rows[i]])
        assert drawn[i] == pytest.approx(reference, abs=1e-12)


# -------------------------------------------------------------------------------------------------------------- a task


def test_the_task_is_rho_of_each_kind_and_their_mean():
    """1, nothing ordered, and -1; equal phrases are one text."""
    pairs = [pair(rating, number=i, kind=kind) for kind in KINDS for i, rating in enumerate((1, 2, 3, 4), 1)]
    items = PhraseSimilarity("toy", tuple(pairs))
    every, single = (ps.task(items, Vocabulary(Labels(items.words)), kinds) for kinds in (KINDS, ("AN",)))
    assert len(every.texts) == 6 and every.texts[0].words == items.pairs[0].first
    sizes = [(task.split, task.items, len(task.pairs)) for task in (every, single)]
    assert sizes == [("average", 12, 12), ("AN", 4, 12)]
    flat = np.concatenate([[0.1, 0.2, 0.3, 0.4], np.zeros(4), [0.4, 0.3, 0.2, 0.1]])
    assert (every.value(flat), single.value(flat)) == (pytest.approx(0), pytest.approx(1))
    assert not every.resampled(np.zeros(12), 5, 1).any()


def test_the_kinds_of_an_average_are_drawn_each_for_itself(many):
    """Three kinds of the same ratings and similarities: were the draws the same, so would be the three rhos."""
    pairs = tuple(pair(*rated.ratings, kind=kind) for kind in KINDS for rated in many)
    items, similarity = PhraseSimilarity("toy", pairs), np.tile(np.random.default_rng(1).random(30), 3)
    every, single = (ps.task(items, Vocabulary(Labels(items.words)), kinds) for kinds in (KINDS, ("NN",)))
    for metric in (ps.RHO, ps.RHO_OF_MEANS):
        assert every.value(similarity, metric) == pytest.approx(single.value(similarity, metric))
    assert single.value(similarity, ps.RHO_OF_MEANS) == pytest.approx(ps.rho_mean(similarity[:30], many))
    average, alone = every.resampled(similarity, 60, 5), single.resampled(similarity, 60, 5)
    assert average.std() < 0.85 * alone.std()  # 1 / sqrt(3) is expected
    assert (alone == ps.resampled_rho(similarity[:30], many, 60, 5)).all()
    assert (average == every.resampled(similarity, 60, 5)).all()
