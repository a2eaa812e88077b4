"""Pairs of a colleague's own: tables as people keep them, words that a space lacks, and the score by hand."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from gensim.test.utils import datapath

from cdsm_lib.composition.elementwise import mult
from cdsm_lib.evaluation.metrics import spearman
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.rated_pairs import look_up, read_pairs, row_of, score_pairs
from cdsm_lib.vectors.space import Space

SPACE = Space(["dog", "cat", "car", "old", "fast", "labor"], np.array([[4, 3], [3, 4], [0, 5], [1, 1], [2, 0], [1, 0]]))
WORDS = "word1,word2,score\ndog,cat,9\ncat,car,8\ndog,car,4\nlabour,Car,1\ndog,unicorn,7\n"


def written(tmp_path, text: str, name: str = "pairs.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_word_similarity_by_hand(tmp_path):
    """Cosines 24/25, 4/5, 3/5 and 0 in the order of the scores; of the unicorn nothing is known."""
    pairs = read_pairs(written(tmp_path, WORDS))
    assert repr(pairs) == "pairs: 5 pairs, 5 ratings, 6 words"
    score = score_pairs(pairs, SPACE, n=500)
    np.testing.assert_allclose(score.similarities, [0.96, 0.8, 0.6, 0, np.nan], atol=1e-6)
    assert score.rho.value == pytest.approx(1) and score.unknown == Counter(unicorn=1)
    assert str(score) == f"rho {score.rho} on 4 of 5 pairs; unknown words: unicorn"
    counted = score_pairs(pairs, SPACE, unknown="zero", n=500)
    assert counted.similarities[4] == 0 and counted.rho.value == spearman([0.96, 0.8, 0.6, 0, 0], [9, 8, 4, 1, 7])
    assert str(score_pairs(pairs.pairs[:4], SPACE, n=500)).endswith("on 4 of 4 pairs; all words known")


@pytest.mark.parametrize(("header", "separator"), [
    ("judge\ta1\tn1\ta2\tn2\trating\n", "\t"), ("judge;a1;n1;a2;n2;rating\n", ";"), ("judge a1 n1 a2 n2 rating\n", " "),
    ("a1, n1, note, a2, n2, rating, judge\n", ", "),  # another order, a further column
    ("", ","),
])  # fmt: skip
def test_phrases_with_several_judges_in_any_table(tmp_path, header, separator):
    columns = "judge a1 n1 a2 n2 rating".split()
    names = [name.strip() for name in header.split(separator.strip() or None)] if header else columns
    rows = ("x old dog fast cat 3", "y old dog fast cat 4", "x fast dog old car 1", "x old cat fast car 6",
            "x fast car fast dog 2")  # fmt: skip
    fields = [dict(zip(columns, row.split(), strict=True)) | {"note": '"so, so"'} for row in rows]
    path = written(tmp_path, header + "".join(separator.join(row[name] for name in names) + "\n" for row in fields))
    asked = [name if header else names.index(name) for name in ("a1", "n1", "a2", "n2", "rating", "judge")]
    pairs = read_pairs(path, asked[:2], asked[2:4], asked[4], rater=asked[5])
    assert pairs.pairs[0] == phrase_similarity.Pair(1, "pair", ("old", "dog"), ("fast", "cat"), (3.0, 4.0), ("x", "y"))
    assert [pair.ratings for pair in pairs] == [(3, 4), (1,), (6,), (2,)] and "4 pairs, 5 ratings" in repr(pairs)
    tagged = read_pairs(path, asked[:2], asked[2:4], asked[4], rater=asked[5], tags=("ADJ", "NOUN"))
    assert tagged.pairs[0].first == ("old|ADJ", "dog|NOUN")
    # the space has no parts of speech; sums (5, 4) twice, (6, 3) and (1, 6), (4, 5) and (2, 5), (2, 5) and (6, 3)
    similarities = [1, 24 / (45 * 37) ** 0.5, 33 / (41 * 29) ** 0.5, 27 / (29 * 45) ** 0.5]
    np.testing.assert_allclose(score_pairs(tagged, SPACE, n=50).similarities, similarities, atol=1e-6)
    multiplied = score_pairs(tagged.pairs[:1] * 2 + tagged.pairs, SPACE, mult, n=50).similarities
    np.testing.assert_allclose(multiplied[2:], [0.8, 0, 0, 0], atol=1e-6)  # (4, 3), (6, 0); (8, 0), (0, 5); ...


def test_vectors_word_by_word():
    known = look_up([("old", "dog"), ("new", "cat")], SPACE)
    np.testing.assert_array_equal(known.words, [[[1, 1], [0, 0]], [[4, 3], [3, 4]]])
    assert known.whole.tolist() == [True, False] and known.unknown == Counter(new=1)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        look_up([("old",), ("new", "cat")], SPACE)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "it is empty"), ("word1,word2,score\n", {}, "no rows below"),
        ("a,b,score\n1,2,3\n", {}, "line 1: no column word1; the columns are a, b, score; without a header"),
        ("word1,word2,score\ndog,cat\n", {}, "line 2: 2 fields, but there are 3 columns"),
        ("word1,word2,score\ndog,old, dog,3\n", {}, "line 2: 4 fields.*put quotes around a field that holds what"),
        ("word1,word1,word2,score\na,b,c,1\n", {}, "line 1: two columns are called word1"),
        ("# above\nword1,word2,score\na,b\n", {}, "line 3: 2 fields"),
        ("word1;word2;score\n\ndog;cat;7,35\n", {}, "line 3: score must be a finite number, such as 7.35, found '7,3"),
        (f'word1,word2,score\n"{"dog" * 50_000},cat,3\n', {}, "line 2: field larger than .*is a quotation mark open"),
        ("word1,word2,score\ndog,,3\n", {}, r"line 2: a text has the words \(\); one at least"),
        ("word1,word2,score\nold dog,cat,3\n", {"tags": ["NOUN"]}, "line 2: .*'old', 'dog'.*one a tag, NOUN"),
        ("word1,word2,score,who\na,b,1,x\na,b,2,x\n", {"rater": "who"}, "line 3: rater 'x' judges this pair a second"),
    ],
)  # fmt: skip
def test_spoilt_tables(tmp_path, text, options, message):
    with pytest.raises(TaskError, match=f"pairs.csv.*{message}"):
        read_pairs(written(tmp_path, text), **options)


ROWS = [("dog", "cat", 9.0), ("cat", "car", 8.0), ("old", "car", 4.0)]
TABLES = {
    "comments above": "# mine\n#\nword1,word2,score\ndog,cat,9\ncat,car,8\nold,car,4\n",
    "a comment is the header": "# mine\n# word1\tword2\tscore\ndog\tcat\t9\ncat\tcar\t8\nold\tcar\t4\n",
    "Excel's own line above": "sep=;\nword1;word2;score\ndog;cat;9\ncat;car;8\nold;car;4\n",
    "a mark, and tabs at the end": "\ufeffword1\tword2\tscore\ndog\tcat\t9\t\t\ncat\tcar\t8\nold\tcar\t4\n",
    "tuples": ROWS,
    "mappings": [dict(zip(("word1", "word2", "score"), row, strict=True)) for row in ROWS],
    "a frame": pd.DataFrame(ROWS, columns=["word1", "word2", "score"]),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_as_people_have_them(tmp_path, case):
    table = TABLES[case]
    pairs = read_pairs(written(tmp_path, table) if isinstance(table, str) else table)
    assert [(*pair.first, *pair.second, *pair.ratings) for pair in pairs] == ROWS
    if not isinstance(table, str):
        with pytest.raises(TaskError, match="the table, line 2: score must be a finite number, .*found ''"):
            read_pairs(pd.DataFrame(table).replace(8.0, np.nan))


@pytest.mark.parametrize(("table", "message"), [
    ([(None, "cat", 1)], r"line 1: a text has the words \(\)"),
    (["a.csv", "b.csv"], r"line 1: 1 fields, but there are 3 columns: \['a.csv'\]; give one file, a DataFrame"),
    ({"word1": ["a", "c"], "word2": ["b"]}, "it is no table .*same length.*; give one file, a DataFrame"),
])  # fmt: skip
def test_what_is_no_table(table, message):
    with pytest.raises(TaskError, match=f"the table.*{message}"):
        read_pairs(table)


def test_scoring_takes_pairs_a_space_and_a_vector_a_text():
    pairs, swapped = read_pairs(ROWS), "give pairs, .* and a Space, not"
    for given in (("pairs.csv", SPACE), (pairs, {"dog": [1]})):
        with pytest.raises(TypeError, match=swapped):
            score_pairs(*given)
    with pytest.raises(ValueError, match="compose gave 2 .* for 6 "):
        score_pairs(pairs, SPACE, np.transpose)


def test_the_sets_that_come_with_gensim():
    words, numbers = ("Word 1", "Word 2", "Human (mean)"), (0, 1, 2)
    for name, pairs in (("wordsim353.tsv", 352), ("simlex999.txt", 999)):  # one pair of WordSim was judged twice
        assert [len(read_pairs(datapath(name), *columns)) for columns in (words, numbers)] == [pairs, pairs]


@pytest.mark.parametrize(
    ("word", "row"),
    [("dog-n", "dog"), ("old-j", "old|ADJ"), ("Dog|NOUN", "dog"), ("dog|old", None), ("café", "cafe\u0301"),
     ("re\u0301sume\u0301", "résumé"), ("x-n", "x-n"), ("labour-n", "labor|NOUN")],
)  # fmt: skip
def test_a_word_is_found_however_it_is_written(word, row):
    space = Space(["dog", "old|ADJ", "cafe\u0301", "résumé", "x-n", "x", "labor|NOUN"], np.eye(7))
    assert row_of(space, word) == row


def test_spellings_of_one_unknown_word_are_counted_together():
    unknown = ("Labour", "unicorn", 2), ("dog", "labor", 3), ("Unicorn", "labour", 4)
    pairs = read_pairs([*ROWS, ("dog", "car", 1), *unknown])
    assert score_pairs(pairs, SPACE.subset(["dog", "cat", "car", "old"]), n=50).unknown == {"Labour": 3, "unicorn": 2}
    with pytest.raises(ValueError, match="2 of 2 pairs have all .*three are needed; take more pairs"):
        score_pairs(pairs.pairs[:2], SPACE)
