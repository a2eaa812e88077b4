"""Sentence localisation: files, texts, and the shares on distances that can be compared by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tagged_sentences import tagged, write_conllu

from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import localisation as lo
from cdsm_lib.tasks.localisation import ANTONYM, FAR, NEAR, RANDOM_NOUN, SYNONYM, Case, Localisation, Pair, Version
from cdsm_lib.tasks.task import Text, Vocabulary


def version(kind: str, level: int, text: str = "") -> Version:
    return Version(kind, level, tuple(text.split()), tuple((i, "w") for i in range(level)))


def measured(task: Localisation, distance: Callable[[int, int], float]) -> np.ndarray:
    return np.array([distance(a, b) for a, b in task.pairs.tolist()])


def toy() -> Localisation:
    """Two pairs of the sentences 0 and 1, and 0 and 2; sentence 1 has no version, sentence 2 two of each kind."""
    sentences = tagged("A/DT car/NN"), tagged("It/PRP stopped/VBD"), tagged("Men/NNS walked/VBD")
    cases = Case(0, 1), Case(1, 0), Case(0, 2), Case(2, 0)
    versions = (
        (version(SYNONYM, 1, "An auto"), version(RANDOM_NOUN, 1, "A man")),
        (),
        tuple(version(kind, level, f"{kind[-4:]} {level}") for kind in (SYNONYM, ANTONYM) for level in (1, 2)),
    )
    return Localisation("toy", sentences, cases, versions)


def test_tokens_are_the_penn_treebanks():
    assert lo.tokenise('He said: "I don\'t, Mr. Low."') == (
        "He", "said", ":", "``", "I", "do", "n't", ",", "Mr.", "Low", ".", "''",
    )  # fmt: skip
    assert lo.tokenise("") == ()


# --------------------------------------------------------------------------------------------------------------- scores


def test_texts_pairs_and_distances():
    """With the distance 100 a + b of texts a and b every pair can be told; NaN where a case has no such version."""
    task = toy()
    tokens, at = task.texts.tokens, task.texts.at
    assert tokens[:2] == (("A", "car"), ("It", "stopped")) and tokens[at[0, SYNONYM, 1]] == ("An", "auto")
    assert task.texts.source.tolist() == [0, 1, 2, 0, 0, 2, 2, 2, 2] and len(task.texts) == 9
    expected = {(0, 1), (1, 0), (0, 2), (2, 0)} | {(s, text) for (s, _, _), text in at.items()}
    assert task.pairs.tolist() == sorted(map(list, expected))
    values = measured(task, lambda a, b: 100.0 * a + b)
    assert task.distances(values, lo.PARAPHRASE, 0).tolist() == [1, 100, 2, 200]
    first, third = at[0, SYNONYM, 1], at[2, SYNONYM, 1]
    np.testing.assert_equal(task.distances(values, SYNONYM, 1), [first, np.nan, first, 200 + third])
    np.testing.assert_equal(task.distances(values, ANTONYM, 2), [np.nan, np.nan, np.nan, 200 + at[2, ANTONYM, 2]])
    assert np.isnan(task.distances(values, lo.RANDOM_VERB, 1)).all()
    assert task.counts(2) == {1: (3, 1, 1), 2: (1, 1, 1)}


@pytest.fixture
def four() -> tuple[Localisation, np.ndarray]:
    """Two pairs: cases 0 and 1 of pair 0, 2 and 3 of pair 1; two antonyms of case 3 are .75 away.

    =====  ==========  =======  =======  ===========
    case   paraphrase  synonym  antonym  random noun
    =====  ==========  =======  =======  ===========
    0      0.5         0.5      0.5      0.9
    1      0.5         0.25     0.75     --
    2      0.25        0.5      --       0.5
    3      0.5         --       0.25     --
    =====  ==========  =======  =======  ===========
    """
    cases = (Case(0, 1), Case(1, 0), Case(2, 3), Case(3, 2))
    by_case = [
        {(SYNONYM, 1): 0.5, (ANTONYM, 1): 0.5, (RANDOM_NOUN, 1): 0.9}, {(SYNONYM, 1): 0.25, (ANTONYM, 1): 0.75},
        {(SYNONYM, 1): 0.5, (RANDOM_NOUN, 1): 0.5}, {(ANTONYM, 1): 0.25, (ANTONYM, 2): 0.75},
    ]  # fmt: skip
    versions = tuple(tuple(version(*step) for step in steps) for steps in by_case)
    task = Localisation("four", (tagged(""),) * 4, cases, versions)
    step_of = {text: (kind, level) for (_, kind, level), text in task.texts.at.items()}
    paraphrases = [0.5, 0.5, 0.25, 0.5]
    return task, measured(task, lambda a, b: by_case[a][step_of[b]] if b in step_of else paraphrases[a])


NAN = np.nan


@pytest.mark.parametrize(("metric", "level", "credit", "ties"), [
    (NEAR, 1, [1, 1, 0, NAN], [1, 0, 0, NAN]),  # equal counts
    (FAR, 1, [0, 1, NAN, 0], [1, 0, NAN, 0]),  # equal does not
    (lo.APART, 1, [0, 1, NAN, NAN], [1, 0, NAN, NAN]),  # cases 0 and 1 have both
    (FAR, 2, [NAN, NAN, NAN, 1], [NAN, NAN, NAN, 0]),
    (lo.APART, 7, [NAN] * 4, [NAN] * 4),
    ("random noun > synonym", 1, [1, NAN, 0, NAN], [0, NAN, 1, NAN]),
])  # fmt: skip
def test_shares_by_hand(four, metric, level, credit, ties):
    np.testing.assert_equal(lo.share(*four, metric, level), credit)
    np.testing.assert_equal(lo.share(*four, metric, level, ties=True), ties)


def test_cases_that_share_a_sentence_are_of_one_family():
    """Sentences 3 - 1 - 4 - 0 hang together, 2 - 5 stand alone; there may be no cases."""
    cases = [case for one, other in ((3, 1), (2, 5), (4, 0), (1, 4)) for case in (Case(one, other), Case(other, one))]
    assert Localisation("linked", (), tuple(cases), ()).families.tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    assert toy().families.tolist() == [0] * 4 and Localisation("none", (), (), ()).families.tolist() == []


def test_as_a_task():
    """Of the toy one case has both versions; a tie of synonym and antonym is worth nothing, as in `share`."""
    task = lo.task(toy(), lambda sentence: Text.of(sentence, Vocabulary(Labels([]))))
    assert [text.forms for text in task.texts] == [("men", "walked"), ("onym", "1"), ("onym", "1")]
    assert task.pairs.tolist() == [[0, 1], [0, 2]] and (task.items, task.chance) == (1, 0.5)
    for similarity, value in (((0.9, 0.8), 1.0), ((0.8, 0.9), 0.0), ((0.8, 0.8), 0.0)):
        assert task.value(np.array(similarity)) == value


# -------------------------------------------------------------------------------------------------------------- reading

def written(tmp_path, columns, *rows: str, end: str = "\n", bom: str = ""):
    path = tmp_path / "pairs.tsv"
    path.write_bytes((bom + "".join(row + end for row in ("\t".join(columns), *rows))).encode("utf-8"))
    return path


@pytest.mark.parametrize(("end", "bom"), [("\r\n", "\ufeff"), ("\n", "")])
def test_pairs_are_read(tmp_path, end, bom):
    """Quotation marks are text; of MSRPC's pairs only the positive ones are taken."""
    rows = "1\t11\t12\tA car.\tA bus.", "0\t13\t14\tNo.\tYes.", '1\t15\t16\tHe said "yes.\t"No"'
    assert lo.read_msrpc(written(tmp_path, lo.MSRPC_COLUMNS, *rows, end=end, bom=bom)) == [
        Pair("11-12", ("11", "12"), ("A car.", "A bus.")), Pair("15-16", ("15", "16"), ('He said "yes.', '"No"')),
    ]  # fmt: skip
    assert lo.read_paraphrases(written(tmp_path, lo.PAIR_COLUMNS, 'p1\tHe said "no.\tShe left.\ttalk')) == [
        Pair("p1", ("p1.1", "p1.2"), ('He said "no.', "She left."))
    ]


@pytest.mark.parametrize(("read", "columns", "first", "rows"), [
    (lo.read_msrpc, lo.MSRPC_COLUMNS, "1\t11\t12\tA\tB", ("1\t11\t12\tA car.", "2\t13\t14\tA\tB", "1\t11\t12\tA\tB")),
    (lo.read_paraphrases, lo.PAIR_COLUMNS, "p1\tA\tB\ttalk", ("p1\tA\tB\ttalk", "p2\tA\tB", "p2\tA\t\ttalk")),
])  # fmt: skip
def test_a_bad_line_is_refused_by_file_and_line(tmp_path, read, columns, first, rows):
    for row in rows:
        with pytest.raises(TaskError, match=r"pairs\.tsv, line 3: "):
            read(written(tmp_path, columns, first, row))


CAR, BUS = "A/DT car/NN ./.", "Two/CD buses/NNS"
TWO = [Pair("1", ("11", "12"), ("A car.", "Two buses")), Pair("2", ("12", "11"), ("Two buses", "A car."))]


def test_parses_are_found_by_id(tmp_path):
    sentences = [("12", tagged(BUS)), ("99", tagged("Spare/NN")), ("11", tagged(CAR))]
    parsed = lo.read_sentences(write_conllu(tmp_path / "parses.conllu", sentences), TWO)
    assert parsed == {id: replace(sentence, comments={"sent_id": id}) for id, sentence in sentences if id != "99"}


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        ([("11", CAR)], "no parse of sentence 12; parse the sentences again"),
        ([("11", CAR), ("12", "Two/CD bus/NN es/NNS")], "the parse of sentence 12 has other tokens; parse the sen"),
        ([("11", "a/DT car/NN ./."), ("12", BUS)], "the parse of sentence 11 has other tokens"),
        ([("11", CAR), ("12", BUS), ("11", CAR)], "sentence 3 has the sent_id '11' of an earlier one; give each"),
    ],
)
def test_parses_that_do_not_fit(tmp_path, sentences, problem):
    path = write_conllu(tmp_path / "parses.conllu", [(id, tagged(text)) for id, text in sentences])
    with pytest.raises(TaskError, match="parses.conllu: " + problem):
        lo.read_sentences(path, TWO)
