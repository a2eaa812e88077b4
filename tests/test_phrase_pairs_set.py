"""The teaching set data/sample/phrase_pairs: what its datasheet promises holds of its files."""

from collections import Counter

import pytest
from teaching import rows_of, table, wikipedia_counts

from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks import phrase_similarity as ps

SET = "phrase_pairs"
FEWEST = 300
GRADES = (1, 2, 3)


@pytest.fixture(scope="module")
def teaching() -> ps.PhraseSimilarity:
    return ps.load("phrase_pairs")


@pytest.fixture(scope="module")
def passes(folder) -> list[tuple[int, int, int]]:
    return [tuple(map(int, row.values())) for row in rows_of(folder / "passes.tsv", "number first second")]


def shares(pair: ps.Pair) -> bool:
    return bool(set(pair.first) & set(pair.second))


def bare(phrase: tuple[str, str]) -> frozenset[str]:
    """The words of a phrase in any order, without tags."""
    return frozenset(word.split("|")[0] for word in phrase)


def test_twelve_pairs_of_each_kind_and_grade(teaching):
    counts = Counter((pair.kind, pair.ratings) for pair in teaching)
    assert counts == {(kind, (float(grade),)): 12 for kind in ps.KINDS for grade in GRADES}


def test_phrases_traps_and_paraphrases(teaching):
    assert all(word.partition("|")[0].replace("-", "").isalpha() and word[0].islower() for word in teaching.words)
    phrases = Counter(phrase for pair in teaching for phrase in (pair.first, pair.second))
    assert max(phrases.values()) == 1
    for kind in ps.KINDS:
        assert abs(metrics.spearman(range(36), [pair.ratings[0] for pair in teaching.of(kind)])) < 0.3  # in no order
        shared = Counter(int(pair.ratings[0]) for pair in teaching.of(kind) if shares(pair))
        assert shared[1] >= 4 and shared[1] > shared[3] >= 1 and 12 - shared[3] >= 9


def test_counting_shared_words_is_worse_than_nothing(teaching):
    assert ps.rho_individual([shares(pair) for pair in teaching], teaching.pairs) < 0


def test_passes(teaching, passes, sheet):
    assert [number for number, *_ in passes] == [pair.number for pair in teaching]
    first, second = [one for _, one, _ in passes], [two for *_, two in passes]
    assert set(first) | set(second) == set(GRADES)
    kappa, agreed = metrics.cohen_kappa(first, second), sum(a == b for a, b in zip(first, second, strict=True))
    text = " ".join(sheet.split())
    assert f"agree on {agreed} of {len(passes)} pairs; Cohen's kappa is {kappa:.3f}" in text
    for pair, one, two in zip(teaching, first, second, strict=True):
        assert pair.ratings[0] in (one, two)
        if one != two:
            for phrase in (pair.first, pair.second):
                assert " ".join(word.split("|")[0] for word in phrase) in text


def test_datasheet_states_the_counts(teaching, sheet):
    for name, pairs in (*((kind, teaching.of(kind)) for kind in ps.KINDS), ("all", teaching.pairs)):
        cells = [len(pairs)]
        for grade in (3, 2, 1):
            own = [pair for pair in pairs if pair.ratings == (grade,)]
            cells += [len(own), sum(map(shares, own))]
        assert table(name, *cells) in sheet
    assert f"{len(teaching)} pairs of phrases" in sheet
    assert "not ratings by participants, and the editors are language\nmodels" in sheet


def test_words_are_frequent(mirror, teaching):
    count = wikipedia_counts()
    assert [word for word in teaching.words if count(word) < FEWEST] == []


def test_nothing_of_the_real_set(mirror, teaching):
    real = ps.load("ml2010")
    theirs = {bare(phrase) for pair in real for phrase in (pair.first, pair.second)}
    assert len(theirs) > 200
    quoted = [p for pair in teaching for p in (pair.first, pair.second) if bare(p) in theirs]
    assert quoted == []
