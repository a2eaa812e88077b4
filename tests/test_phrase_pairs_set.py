"""The teaching set data/sample/phrase_pairs: what its datasheet promises holds of its files."""

from collections import Counter

import pytest
from teaching import rows_of, table, wikipedia_counts

from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks import phrase_similarity as ps

SET = "phrase_pairs"
GRADES = (1, 2, 3)


@pytest.fixture(scope="module")
def teaching() -> ps.PhraseSimilarity:
    return ps.load("phrase_pairs")


def shares(pair: ps.Pair) -> bool:
    return bool(set(pair.first) & set(pair.second))


def phrases(pairs) -> list[tuple[str, ...]]:
    """The words of each phrase without tags."""
    return [tuple(word.split("|")[0] for word in words) for pair in pairs for words in (pair.first, pair.second)]


def test_phrases_traps_and_paraphrases(teaching):
    counts = Counter((pair.kind, pair.ratings) for pair in teaching)
    assert counts == {(kind, (float(grade),)): 12 for kind in ps.KINDS for grade in GRADES}
    assert all(word.replace("-", "").isalpha() and word[0].islower() for words in phrases(teaching) for word in words)
    assert max(Counter(phrases(teaching)).values()) == 1
    for kind in ps.KINDS:
        assert abs(metrics.spearman(range(36), [pair.ratings[0] for pair in teaching.of(kind)])) < 0.3  # in no order
        shared = Counter(int(pair.ratings[0]) for pair in teaching.of(kind) if shares(pair))
        assert shared[1] >= 4 and shared[1] > shared[3] >= 1 and 12 - shared[3] >= 9
    assert ps.rho_individual([shares(pair) for pair in teaching], teaching.pairs) < 0  # worse than nothing


def test_passes(folder, teaching, sheet):
    rows = [map(int, row.values()) for row in rows_of(folder / "passes.tsv", "number first second")]
    numbers, first, second = zip(*rows, strict=True)
    assert list(numbers) == [pair.number for pair in teaching] and {*first, *second} == set(GRADES)
    kappa, agreed = metrics.cohen_kappa(first, second), sum(a == b for a, b in zip(first, second, strict=True))
    text = " ".join(sheet.split())
    assert f"agree on {agreed} of {len(rows)} pairs; Cohen's kappa is {kappa:.3f}" in text
    for pair, *grades in zip(teaching, first, second, strict=True):
        assert pair.ratings[0] in grades
        assert grades[0] == grades[1] or all(" ".join(words) in text for words in phrases([pair]))


def test_datasheet_states_the_counts(teaching, sheet):
    for name, pairs in (*((kind, teaching.of(kind)) for kind in ps.KINDS), ("all", teaching.pairs)):
        cells = [len(pairs)]
        for grade in (3, 2, 1):
            alike = [pair for pair in pairs if pair.ratings == (grade,)]
            cells += [len(alike), sum(map(shares, alike))]
        assert table(name, *cells) in sheet
    assert f"{len(teaching)} pairs of phrases" in sheet
    assert "not ratings by participants, and the editors are language\nmodels" in sheet


def test_words_are_frequent_and_nothing_is_of_the_real_set(mirror, teaching):
    count = wikipedia_counts()
    assert [word for word in teaching.words if count(word) < 300] == []
    theirs = set(map(frozenset, phrases(ps.load("ml2010"))))
    assert len(theirs) > 200 and theirs.isdisjoint(map(frozenset, phrases(teaching)))
