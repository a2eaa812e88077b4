"""Relation classification: labels and their agreement, the sets, the paper's files, H and L, AUC with ties, and the
bootstrap against lists that are really resampled."""

from itertools import permutations

import numpy as np
import pytest

from cdsm_lib.composition.overlap import content_lemmas
from cdsm_lib.evaluation import metrics
from cdsm_lib.tasks import relation_classification as rc
from cdsm_lib.tasks.relation_classification import EntityPair, Label, RelationError, Relations
from cdsm_lib.text.corpus import Sentence, Token

# ---------------------------------------------------------------------------------------------------------------------
# Sentences by hand: "form" or "form/1", "form/2" for a token of an entity


def sentence(text: str) -> Sentence:
    tokens = []
    for i, word in enumerate(text.split(), 1):
        form, _, entity = word.partition("/")
        misc = f"Entity={entity}" if entity else "_"
        tokens.append(Token(i, form, form.lower(), "X", "_", "_", min(i - 1, 1), "dep", "_", misc))
    return Sentence(tuple(tokens))


def conllu(sentences: dict[str, str]) -> str:
    blocks = []
    for sent_id, text in sentences.items():
        rows = [
            "\t".join((str(t.id), t.form, t.lemma, "X", "_", "_", str(t.head), "dep", "_", t.misc))
            for t in sentence(text)
        ]
        blocks.append("\n".join([f"# sent_id = {sent_id}", *rows]))
    return "\n\n".join(blocks) + "\n\n"


def pair_of(expresses, name="Acorn/Walnut", relation="acquires") -> EntityPair:
    n = len(expresses)
    return EntityPair(
        relation, name, (sentence("Acorn/1 buys Walnut/2"),) * n, tuple(f"s{i}" for i in range(n)), np.array(expresses)
    )


def symmetric(rng, n: int, values: int | None = None) -> np.ndarray:
    """A random similarity; whole numbers below `values` have ties."""
    upper = rng.integers(0, values, (n, n)).astype(float) if values else rng.random((n, n))
    return np.triu(upper) + np.triu(upper, 1).T


# ------------------------------------------------------------------------------------------------- pairs and entities


def test_entity_tokens():
    marked = rc.entity_tokens(sentence("The Acorn/1 Inc./1 of Leeds swallowed Walnut/2 whole"))
    assert marked.tolist() == [False, True, True, False, False, False, True, False]
    assert marked.dtype == bool
    several = Token(1, "Acorn", "acorn", "X", "_", "_", 0, "root", "_", "SpaceAfter=No|Entity=1")
    assert rc.entity_tokens(Sentence((several,))).tolist() == [True]
    with pytest.raises(RelationError, match="Entity=3 on 'Acorn'"):
        rc.entity_tokens(sentence("Acorn/3 buys Walnut/2"))


@pytest.mark.parametrize("labels, scored", [([1, 1, 0], True), ([1, 0, 0], False), ([0, 0], False), ([1, 1, 1], False)])
def test_a_pair_is_usable_if_both_h_and_l_have_something(labels, scored):
    pair = pair_of(labels)
    assert pair.n_positive == sum(labels)
    assert (pair in Relations("mine", (pair,)).usable) == scored


def test_pairs_of_a_set():
    pairs = (pair_of([1, 1, 0], "A/B"), pair_of([1, 0, 0], "C/D"), pair_of([1, 1], "E/F"))
    relations = Relations("mine", pairs)
    assert len(relations) == 3 and list(relations) == list(pairs)
    assert relations.pair("C/D") is pairs[1]
    assert relations.usable == pairs[:1]
    assert set(relations.unusable) == {"C/D", "E/F"}
    assert relations.unusable["C/D"].startswith("1 sentences that express")
    assert relations.unusable["E/F"] == "0 sentences that do not, 1 needed"
    larger = Relations("mine", (pair_of([1] * 4 + [0] * 3, "A/B"), pair_of([1] * 4 + [0] * 4, "C/D")), fewest=4)
    assert [pair.name for pair in larger.usable] == ["C/D"]
    assert larger.unusable == {"A/B": "3 sentences that do not, 4 needed"}
    with pytest.raises(RelationError, match=r"mine has no pair 'A/b'. Did you mean 'A/B'\? It has: A/B, C/D, E/F"):
        relations.pair("A/b")
    with pytest.raises(RelationError, match="A/B occurs twice"):
        Relations("mine", pairs[:1] * 2)


def test_a_pair_needs_a_label_and_an_id_for_each_sentence():
    sentences = (sentence("Acorn/1 buys Walnut/2"),) * 2
    with pytest.raises(RelationError, match="one a sentence"):
        EntityPair("acquires", "A/B", sentences, ("a", "b"), np.array([True]))
    with pytest.raises(RelationError, match="one a sentence"):
        EntityPair("acquires", "A/B", sentences, ("a",), np.array([True, False]))
    with pytest.raises(RelationError, match="1 ids occur twice"):
        EntityPair("acquires", "A/B", sentences, ("a", "a"), np.array([True, False]))
    with pytest.raises(ValueError, match="read-only"):
        pair_of([1, 0]).expresses[0] = False


# ------------------------------------------------------------------------------------------------------------- labels


HEADER = "line\trelation\tpair\tfirst\tsecond\tlabel"


def written(path, *rows: str):
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return path


def label_file(tmp_path, *rows: str):
    return written(tmp_path / "relations.tsv", HEADER, *(row.replace(";", "\t") for row in rows))


def test_read_labels(tmp_path):
    path = label_file(tmp_path, "7;acquires;Acorn/Walnut;1;0;1", "3;was born in;Ada/Leeds;0;0;0")
    assert rc.read_labels(path) == [
        Label(7, "acquires", "Acorn/Walnut", True, False, True),
        Label(3, "was born in", "Ada/Leeds", False, False, False),
    ]


@pytest.mark.parametrize(
    "rows, message",
    [
        ((), "relations.tsv: no rows"),
        (("7;acquires;A/B;1;0",), "line 2: expected 6 filled fields"),
        (("7;acquires;;1;0;1",), "line 2: expected 6 filled fields"),
        (("7;acquires;A/B;1;0;1", "x;acquires;A/B;1;0;1"), "line 3: line must be a number from 1, found 'x'"),
        (("0;acquires;A/B;1;0;1",), "line must be a number from 1"),
        (("7;acquires;A/B;1;0;1", "7;acquires;A/B;1;1;1"), "line 3: line 7 is labelled already in line 2"),
        (("7;sells;A/B;1;0;1",), "acquires or was born in, found 'sells'"),
        (("7;acquires;A/B;1;0;1", "8;was born in;A/B;1;0;1"), "line 3: A/B has the relation 'was born in', above 'acq"),
        (("7;acquires;A/B;yes;0;1",), "first must be 0 or 1, found 'yes'"),
        (("7;acquires;A/B;1;2;1",), "second must be 0 or 1, found '2'"),
        (("7;acquires;A/B;1;0;-1",), "label must be 0 or 1, found '-1'"),
    ],
)
def test_bad_labels_name_file_and_line(tmp_path, rows, message):
    with pytest.raises(RelationError, match=message) as error:
        rc.read_labels(label_file(tmp_path, *rows))
    assert str(error.value).startswith("relations.tsv")


def test_a_wrong_header_or_encoding_is_refused(tmp_path):
    with pytest.raises(RelationError, match="line 1: the header must be line<tab>relation"):
        rc.read_labels(written(tmp_path / "a.tsv", "line\tpair", "1\tA/B"))
    with pytest.raises(RelationError, match="found 'nothing'"):
        rc.read_labels(written(tmp_path / "b.tsv"))
    (tmp_path / "c.tsv").write_bytes(b"line\xff")
    with pytest.raises(RelationError, match="c.tsv: not UTF-8 .* save it as UTF-8"):
        rc.read_labels(tmp_path / "c.tsv")
    with pytest.raises(RelationError, match="d.tsv: cannot be read .No such file or directory.; fetch the set again"):
        rc.read_labels(tmp_path / "d.tsv")


def test_agreement_by_hand():
    def label(line, pair, first, second, final):
        return Label(line, "acquires" if pair == "A/B" else "was born in", pair, bool(first), bool(second), bool(final))

    labels = [label(1, "A/B", 1, 1, 1), label(2, "A/B", 1, 0, 1), label(3, "A/B", 0, 0, 0), label(4, "A/B", 0, 0, 1),
              label(5, "C/D", 1, 1, 1), label(6, "C/D", 1, 1, 1)]  # fmt: skip
    found = rc.agreement(labels)
    assert list(found) == ["overall", "acquires", "was born in", "A/B", "C/D"]
    # 3 of 4 agree; by chance 1/2 1/4 + 1/2 3/4 = 1/2
    assert found["A/B"] == found["acquires"] == rc.Agreement(4, 0.75, 0.5, adjudicated=1, overruled=1, expressing=3)
    assert found["C/D"] == rc.Agreement(2, 1.0, None, adjudicated=0, overruled=0, expressing=2)
    # 5 of 6; by chance 4/6 3/6 + 2/6 3/6 = 1/2
    assert found["overall"].kappa == pytest.approx(2 / 3)
    assert found["overall"].sentences == 6
    with pytest.raises(RelationError, match="no labels"):
        rc.agreement([])


# --------------------------------------------------------------------------------------------------------------- sets


BANKO = {
    "1": "Acorn/1 buys Walnut/2",
    "2": "Ada/1 left Leeds/2 early",
    "3": "nothing of Acorn/1 or Walnut/2",
    "5": "Walnut/2 goes to Acorn/1",
}


def banko_labels():
    rows = [(2, "was born in", "Ada/Leeds", 0), (5, "acquires", "Acorn/Walnut", 1), (1, "acquires", "Acorn/Walnut", 1)]
    return [Label(line, relation, pair, True, True, bool(final)) for line, relation, pair, final in rows]


def test_from_banko_joins_labels_and_parses(tmp_path):
    path = written(tmp_path / "relation.conllu", conllu(BANKO))
    relations = rc.from_banko(path, banko_labels())
    assert relations.name == "relation_banko2008"
    assert [(pair.relation, pair.name, pair.ids) for pair in relations] == [
        ("acquires", "Acorn/Walnut", ("1", "5")),
        ("was born in", "Ada/Leeds", ("2",)),
    ]
    assert [token.form for token in relations.pairs[0].sentences[1]] == ["Walnut", "goes", "to", "Acorn"]
    assert relations.pair("Ada/Leeds").expresses.tolist() == [False]


def test_a_label_without_sentence_is_an_error(tmp_path):
    path = written(tmp_path / "relation.conllu", conllu(BANKO))
    with pytest.raises(RelationError, match=r"relation.conllu: 1 labelled lines, the first 4, have no sentence"):
        rc.from_banko(path, [*banko_labels(), Label(4, "acquires", "Acorn/Walnut", True, True, True)])
    with pytest.raises(RelationError, match="no labels"):
        rc.from_banko(path, [])


@pytest.mark.parametrize(
    "text, message",
    [
        (conllu({"1": "Acorn/1 buys Walnut"}), "sentence 1: no token has Entity=2"),
        (conllu({"1": "Acorn buys Walnut"}), "no token has Entity=1 and Entity=2"),
        (conllu({"1": "Acorn/1 buys Walnut/2"}) * 2, "sentence 2 has sent_id '1' of an earlier one"),
        (conllu({"1": "Acorn/1 buys Walnut/2"}).partition("\n")[2], "sentence 1 has no '# sent_id ='"),
    ],
)
def test_bad_parses_are_refused(tmp_path, text, message):
    path = written(tmp_path / "relation.conllu", text)
    with pytest.raises(RelationError, match=message):
        rc.from_banko(path, banko_labels())


TEACHING = {"acq1.01": "Acorn/1 buys Walnut/2", "acq1.02": "Acorn/1 owns Walnut/2", "born1.01": "Ada/1 of Leeds/2"}
TEACHING_ROWS = (
    "id;relation;pair;expresses;variation",
    "acq1.01;acquires;Acorn/Walnut;1;plain",
    "acq1.02;acquires;Acorn/Walnut;0;verb",
    "born1.01;was born in;Ada/Leeds;1;noun",
)


def teaching_set(tmp_path, rows=TEACHING_ROWS, sentences=TEACHING):
    folder = tmp_path / "relations"
    folder.mkdir()
    written(folder / "sentences.tsv", *(row.replace(";", "\t") for row in rows))
    written(folder / "relations.conllu", conllu(sentences))
    return folder


def test_teaching_set(tmp_path, monkeypatch):
    folder = teaching_set(tmp_path)
    monkeypatch.setattr(rc.datasets, "sample_path", lambda name: tmp_path / name)
    relations = rc.load("relations")
    assert relations.name == "relations"
    assert [(p.relation, p.name, p.ids, p.variation) for p in relations] == [
        ("acquires", "Acorn/Walnut", ("acq1.01", "acq1.02"), ("plain", "verb")),
        ("was born in", "Ada/Leeds", ("born1.01",), ("noun",)),
    ]
    assert relations.pairs[0].expresses.tolist() == [True, False]
    assert len(rc.read_teaching_set(folder)) == 2


@pytest.mark.parametrize(
    "rows, sentences, message",
    [
        ((*TEACHING_ROWS, "acq1.01;acquires;Acorn/Walnut;1;plain"), TEACHING, "line 5: id acq1.01 stands already in l"),
        (
            (*TEACHING_ROWS, "acq1.09;acquires;Acorn/Walnut;1;plain"),
            TEACHING,
            "line 5: relations.conllu has no sentence",
        ),
        (TEACHING_ROWS[:-1], TEACHING, "relations.conllu: 1 sentences, the first born1.01, are not in sentences.tsv"),
        ((TEACHING_ROWS[0], "acq1.01;acquires;A/B;maybe;plain"), TEACHING, "line 2: expresses must be 0 or 1"),
        ((TEACHING_ROWS[0], "acq1.01;owns;A/B;1;plain"), TEACHING, "line 2: the relation must be"),
        (TEACHING_ROWS, {**TEACHING, "acq1.02": "Acorn owns Walnut/2"}, "acq1.02: no token has Entity=1 in MISC"),
    ],
)
def test_bad_teaching_sets_are_refused(tmp_path, rows, sentences, message):
    with pytest.raises(RelationError, match=message):
        rc.read_teaching_set(teaching_set(tmp_path, rows, sentences))


def test_load_joins_the_fetched_parses_with_the_labels_of_the_checkout(tmp_path, monkeypatch):
    path = written(tmp_path / "relation.conllu", conllu(BANKO))
    (tmp_path / "annotations").mkdir()
    label_file(tmp_path / "annotations", "1;acquires;Acorn/Walnut;1;1;1", "3;acquires;Acorn/Walnut;0;0;0")
    fetched = []
    monkeypatch.setattr(rc.datasets, "data_root", lambda: tmp_path)
    monkeypatch.setattr(rc.datasets, "fetch", lambda *names: fetched.append(names) or path)
    assert rc.load().pair("Acorn/Walnut").ids == ("1", "3")
    assert fetched == [("relation_banko2008", "relation.conllu")]
    with pytest.raises(RelationError, match="unknown relation set 'banko'"):
        rc.load("banko")


def test_the_real_parses_mark_both_entities_of_every_sentence(mirror):
    path = mirror / "relation_banko2008" / "relation.conllu"
    labels = [Label(i, "acquires", f"pair {i}", True, True, True) for i in range(1, 501)]
    relations = rc.from_banko(path, labels)
    assert len(relations) == 500
    assert all(rc.entity_tokens(pair.sentences[0]).sum() >= 2 for pair in relations)


# ------------------------------------------------------------------------------------------------ the paper's own files


def test_read_bunescu_mooney_with_labels_in_front(tmp_path):
    path = written(
        tmp_path / "acorn.txt",
        "1\tLast year <p1> Acorn Foods </p1> bought <p2> Walnut </p2> .",
        "",
        "0 <p1>Acorn Foods</p1>, unlike <p2>Walnut</p2> , sells jam",
        "+1 <p2> Walnut </p2> was sold to <p1> Acorn </p1>",
        "TRUE\t<p1> Acorn </p1> <p2> Walnut </p2>\r",
    )
    found = rc.read_bunescu_mooney(path)
    assert [(s.line, s.first, s.second, s.expresses) for s in found] == [
        (1, (2, 4), (5, 6), True),
        (3, (0, 2), (4, 5), False),
        (4, (4, 5), (0, 1), True),
        (5, (0, 1), (1, 2), True),
    ]
    assert found[0].tokens == ("Last", "year", "Acorn", "Foods", "bought", "Walnut", ".")
    assert found[1].tokens == ("Acorn", "Foods", ",", "unlike", "Walnut", ",", "sells", "jam")
    assert rc.to_text(found[2:]) == "Walnut was sold to Acorn\nAcorn Walnut\n"


def test_read_bunescu_mooney_one_class_a_file(tmp_path):
    path = written(tmp_path / "negative.txt", "1 jam of <p1> Acorn </p1> for <p2> Walnut </p2>")
    (found,) = rc.read_bunescu_mooney(path, positive=False)
    assert not found.expresses and found.tokens[0] == "1"
    path.write_bytes("<p1> Café </p1> buys <p2> Walnut </p2>".encode("latin-1"))
    with pytest.raises(RelationError, match="negative.txt, line 1: not utf-8; name the file's encoding"):
        rc.read_bunescu_mooney(path, positive=True)
    assert rc.read_bunescu_mooney(path, positive=True, encoding="latin-1")[0].tokens[0] == "Café"


@pytest.mark.parametrize(
    "lines, message",
    [
        (("<p1> A </p1> buys <p2> B </p2>",), "line 1: the line must begin with a label"),
        (("1 <p1> A </p1> <p2> B </p2>", "2 <p1> A </p1> <p2> B </p2>"), "line 2: the line must begin with a label"),
        (("-1 <p1> A </p1> <p2> B </p2>", "0 <p1> A </p1> <p2> B </p2>"), "line 2: the label 0 in a file that has -1"),
        (("1 A buys B",), "found no marks"),
        (("1 <p1> A </p1> buys B",), "found <p1> </p1>$"),
        (("1 <p1> A </p1> buys <p2> B",), "once each"),
        (("1 <p1> A <p2> B </p1> C </p2>",), "one after the other, found <p1> <p2> </p1> </p2>"),
        (("1 <p1> A </p1> or <p1> A </p1> buys <p2> B </p2>",), "once each"),
        (("1 <p1> A </p1> buys <p2> B </p2> from <p3> C </p3>",), "found <p1> </p1> <p2> </p2> <p3> </p3>"),
        (("1 <p1> A </p1> buys <p2></p2>",), "nothing stands between <p2> and </p2>"),
        (("", " "), "no sentences in the file"),
    ],
)
def test_other_forms_are_refused(tmp_path, lines, message):
    with pytest.raises(RelationError, match=message) as error:
        rc.read_bunescu_mooney(written(tmp_path / "acorn.txt", *lines))
    assert str(error.value).startswith("acorn.txt")


def raw_sentences(tmp_path):
    return rc.read_bunescu_mooney(
        written(
            tmp_path / "acorn.txt",
            "1 <p1> Acorn Foods </p1> buys <p2> Walnut </p2>",
            "",
            "0 <p2> Walnut </p2> meets <p1> Acorn </p1>",
        )  # fmt: skip
    )


def test_with_parses_marks_the_entities(tmp_path):
    raw = raw_sentences(tmp_path)
    parses = written(tmp_path / "parses.conllu", conllu(dict(enumerate(rc.to_text(raw).splitlines(), 1))))
    pair = rc.with_parses(raw, parses, relation="acquires", name="Acorn Foods/Walnut")
    assert (pair.relation, pair.name, pair.ids) == ("acquires", "Acorn Foods/Walnut", ("1", "3"))
    assert pair.expresses.tolist() == [True, False]
    assert [[token.misc for token in found] for found in pair.sentences] == [
        ["Entity=1", "Entity=1", "_", "Entity=2"],
        ["Entity=2", "_", "Entity=1"],
    ]
    assert rc.entity_tokens(pair.sentences[0]).tolist() == [True, True, False, True]


def test_what_else_stands_in_misc_is_kept(tmp_path):
    raw = raw_sentences(tmp_path)[:1]
    text = conllu({"1": "Acorn/2 Foods buys Walnut"}).replace("Entity=2", "Lang=en|Entity=2")
    pair = rc.with_parses(raw, written(tmp_path / "p.conllu", text), relation="acquires", name="A/B")
    assert pair.sentences[0].tokens[0].misc == "Lang=en|Entity=1"


@pytest.mark.parametrize(
    "parses, relation, message",
    [
        (["Acorn Foods buys Walnut"], "acquires", "p.conllu: 1 parses of 2 sentences"),
        (["Acorn Foods buys Walnut", "Walnut met Acorn"], "acquires", r"sentence 2 has 3 .*line 3\) 3.* token 2"),
        (["Acorn Foods buys Walnut .", "Walnut meets Acorn"], "acquires", "sentence 1 has 5 .*4.* token 5"),
        (["Acorn Foods buys Walnut", "Walnut meets Acorn"], "owns", "acquires or was born in, found 'owns'"),
    ],
)
def test_parses_of_another_text_are_refused(tmp_path, parses, relation, message):
    path = written(tmp_path / "p.conllu", conllu(dict(enumerate(parses, 1))))
    with pytest.raises(RelationError, match=message):
        rc.with_parses(raw_sentences(tmp_path), path, relation=relation, name="A/B")


def test_the_real_sentences_come_out_of_their_marks_as_they_were_parsed(mirror):
    folder = mirror / "relation_banko2008"
    raw = rc.read_bunescu_mooney(folder / "hlt-naacl08-data.txt", positive=True)
    assert len(raw) == 500
    rc.with_parses(raw, folder / "relation.conllu", relation="acquires", name="all of them")


# --------------------------------------------------------------------------------------------------------- H and L, AUC


def test_high_and_low_by_hand():
    high, low = rc.high_and_low([True, False, True, True, False])
    assert high.tolist() == [[0, 2], [0, 3], [2, 3]]
    assert low.tolist() == [[0, 1], [0, 4], [2, 1], [2, 4], [3, 1], [3, 4]]
    for labels in ([1, 0, 0], [1, 1, 1], [0, 0]):
        with pytest.raises(RelationError, match="AUC is undefined"):
            rc.high_and_low(labels)
    with pytest.raises(RelationError, match="shape"):
        rc.high_and_low([[True, False]])


def test_unordered_pairs_give_the_auc_of_ordered_ones(rng):
    expresses = np.arange(12) % 3 < 2
    for values in (4, None):
        similarity = symmetric(rng, 12, values)
        ordered = [similarity[i, j] for i, j in permutations(np.flatnonzero(expresses), 2)]
        low = similarity[np.ix_(expresses, ~expresses)].ravel()
        expected = metrics.auc([*ordered, *low], np.arange(len(ordered) + len(low)) < len(ordered))
        assert rc.score(similarity, pair_of(expresses)).auc == pytest.approx(expected, abs=1e-12)


def test_score_by_hand():
    # H: (0,1) 3, (0,2) 2, (1,2) 1; L: (0,3) 2, (1,3) 1, (2,3) 0: 6 wins and 2 ties of 9
    similarity = [[9, 3, 2, 2], [3, 9, 1, 1], [2, 1, 9, 0], [2, 1, 0, 9]]
    found = rc.score(similarity, pair_of([1, 1, 1, 0]))
    assert found.auc == pytest.approx(7 / 9)
    assert (found.name, found.high, found.low) == ("Acorn/Walnut", 3, 3)
    assert found.tied == pytest.approx(2 / 9)
    assert found.auc_high_first == pytest.approx(8 / 9)
    assert found.auc_low_first == pytest.approx(6 / 9)
    np.testing.assert_allclose(found.false_positive_rate, [0, 0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(found.true_positive_rate, [0, 1 / 3, 2 / 3, 1, 1])


def test_ties_by_order_are_off_by_half_the_ties(rng):
    pair = pair_of(rng.random(25) < 0.4)
    found = rc.score(symmetric(rng, 25, 3), pair)
    assert found.tied > 0.2
    assert found.auc_high_first == pytest.approx(found.auc + found.tied / 2, abs=1e-12)
    assert found.auc_low_first == pytest.approx(found.auc - found.tied / 2, abs=1e-12)
    assert np.trapezoid(found.true_positive_rate, found.false_positive_rate) == pytest.approx(found.auc, abs=1e-12)


def test_perfect_constant_and_reversed_systems():
    pair = pair_of([1, 1, 1, 0, 0])
    perfect = np.outer(pair.expresses, pair.expresses).astype(float)
    assert rc.score(perfect, pair).auc == 1
    assert rc.score(-perfect, pair).auc == 0
    constant = rc.score(np.ones((5, 5)), pair)
    assert (constant.auc, constant.tied, constant.auc_high_first, constant.auc_low_first) == (0.5, 1, 1, 0)


def test_the_diagonal_and_the_pairs_of_non_expressing_sentences_do_not_count(rng):
    pair = pair_of([1, 1, 1, 0, 0])
    similarity = symmetric(rng, 5)
    expected = rc.score(similarity, pair).auc
    np.fill_diagonal(similarity, -100)
    similarity[3, 4] = similarity[4, 3] = 100
    assert rc.score(similarity, pair).auc == expected


def test_bad_similarities_are_refused():
    pair = pair_of([1, 1, 0])
    with pytest.raises(RelationError, match=r"Acorn/Walnut: similarity of shape \(2, 2\), \[3, 3\] expected"):
        rc.score(np.zeros((2, 2)), pair)
    spoilt = np.zeros((3, 3))
    spoilt[0, 1] = spoilt[1, 0] = np.nan
    with pytest.raises(RelationError, match="2 similarities are NaN or infinite"):
        rc.score(spoilt, pair)
    with pytest.raises(RelationError, match="not symmetric, it differs by 1"):
        rc.score(np.triu(np.ones((3, 3)), 1), pair)
    rounded = np.ones((3, 3))
    rounded[0, 1] += 1e-12
    assert rc.score(rounded, pair).high == 1
    with pytest.raises(RelationError, match="AUC is undefined: 1 sentences"):
        rc.score(np.zeros((2, 2)), pair_of([1, 0]))


def test_score_all_averages_over_usable_pairs(rng):
    relations = Relations("mine", (pair_of([1, 1, 0], "A/B"), pair_of([1, 0], "C/D"), pair_of([1, 1, 0, 0], "E/F")))
    similarities = {"A/B": np.ones((3, 3)), "E/F": np.outer([1, 1, 0, 0], [1.0, 1, 0, 0])}
    found = rc.score_all(similarities, relations)
    assert list(found.per_pair) == ["A/B", "E/F"]
    assert found.average == pytest.approx((0.5 + 1) / 2)
    assert rc.score_all({**similarities, "C/D": None}, relations).average == found.average
    with pytest.raises(RelationError, match="mine: no similarity of E/F"):
        rc.score_all({"A/B": similarities["A/B"]}, relations)
    with pytest.raises(RelationError, match="no pair 'X/Y'"):
        rc.score_all({**similarities, "X/Y": np.ones((3, 3))}, relations)
    with pytest.raises(RelationError, match="no pair is usable"):
        rc.score_all({}, Relations("none", (pair_of([1, 0]),)))


# ---------------------------------------------------------------------------------------------------------- bootstrap


def by_lists(similarity, expresses, weights) -> float:
    """AUC of sentences that are really repeated; copies of one sentence are not paired."""
    drawn = np.repeat(np.arange(len(weights)), weights)
    yes, no = drawn[expresses[drawn]], drawn[~expresses[drawn]]
    high = [similarity[i, j] for n, i in enumerate(yes) for j in yes[n + 1 :] if i != j]
    low = [similarity[i, j] for i in yes for j in no]
    return metrics.auc([*high, *low], np.arange(len(high) + len(low)) < len(high))


@pytest.mark.parametrize("values", [2, 5, None])
def test_bootstrap_auc_agrees_with_resampled_lists(rng, values):
    pair = pair_of(np.arange(14) % 7 < 3)
    similarity = symmetric(rng, 14, values)
    weights = rc.resample_weights(pair, 40, seed=1)
    expected = [by_lists(similarity, pair.expresses, w) for w in weights]
    np.testing.assert_allclose(rc.bootstrap_auc(similarity, pair, weights), expected, atol=1e-12)


def test_every_sentence_once_gives_the_auc_itself(rng):
    pair = pair_of(rng.random(30) < 0.5)
    similarity = symmetric(rng, 30, 4)
    once = rc.bootstrap_auc(similarity, pair, np.ones((1, 30), dtype=int))
    assert once[0] == pytest.approx(rc.score(similarity, pair).auc, abs=1e-12)


def test_batches_make_no_difference(rng, monkeypatch):
    pair = pair_of([1, 1, 1, 0, 0, 0])
    similarity, weights = symmetric(rng, 6, 3), rc.resample_weights(pair, 25)
    whole = rc.bootstrap_auc(similarity, pair, weights)
    monkeypatch.setattr(rc, "_BATCH", 50)  # 12 sentence pairs: 4 resamples at a time
    np.testing.assert_array_equal(rc.bootstrap_auc(similarity, pair, weights), whole)


def test_resamples_keep_the_size_of_both_classes():
    pair = pair_of([1, 0, 1, 0, 0, 0, 1])
    weights = rc.resample_weights(pair, 500, seed=3)
    assert weights.shape == (500, 7) and weights.dtype == np.int64
    assert (weights[:, pair.expresses].sum(axis=1) == 3).all()
    assert (weights[:, ~pair.expresses].sum(axis=1) == 4).all()
    assert ((weights[:, pair.expresses] > 0).sum(axis=1) >= 2).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.15)
    np.testing.assert_array_equal(rc.resample_weights(pair, 500, seed=3), weights)
    assert (rc.resample_weights(pair, 500, seed=4) != weights).any()
    assert (rc.resample_weights(pair_of(pair.expresses, "other"), 500, seed=3) != weights).any()


def test_two_expressing_sentences_are_always_both_drawn():
    weights = rc.resample_weights(pair_of([1, 1, 0]), 200)
    assert (weights == 1).all()


def test_bad_resamples_are_refused():
    pair = pair_of([1, 1, 0])
    with pytest.raises(RelationError, match="cannot be resampled"):
        rc.resample_weights(pair_of([1, 0]))
    with pytest.raises(ValueError, match="n=0"):
        rc.resample_weights(pair, 0)
    similarity = np.zeros((3, 3))
    for weights in ([[1, 1]], [1, 1, 1], [[1, 1, -1]], [[1.0, 1, 1]]):
        with pytest.raises(RelationError, match=r"counts \[resamples, 3\] expected"):
            rc.bootstrap_auc(similarity, pair, np.array(weights))
    for weights in ([[2, 0, 1]], [[1, 1, 0]]):
        with pytest.raises(RelationError, match="no sentence pair of H or of L"):
            rc.bootstrap_auc(similarity, pair, np.array(weights))


def test_bootstrap_of_a_set_uses_the_same_resamples_for_every_system(rng):
    relations = Relations("mine", (pair_of(np.arange(20) < 12, "A/B"), pair_of(np.arange(15) < 5, "C/D")))
    system = {pair.name: symmetric(rng, len(pair), 5) for pair in relations}
    drawn = rc.bootstrap(system, relations, 300, seed=2)
    assert {name: values.shape for name, values in drawn.items()} == {"A/B": (300,), "C/D": (300,)}
    weights = rc.resample_weights(relations.pair("C/D"), 300, 2)
    np.testing.assert_array_equal(drawn["C/D"], rc.bootstrap_auc(system["C/D"], relations.pair("C/D"), weights))
    low, high = np.quantile(np.mean(list(drawn.values()), axis=0), [0.025, 0.975])
    assert low < rc.score_all(system, relations).average < high
    monotone = {name: 2 * similarity + 1 for name, similarity in system.items()}  # the same order: no difference at all
    again = rc.bootstrap(monotone, relations, 300, seed=2)
    for name, values in drawn.items():
        np.testing.assert_array_equal(again[name], values)


def test_without_entities_blanks_both_names_and_keeps_the_tree():
    given = sentence("Acorn/1 buys Walnut/2")
    blank = rc.without_entities(given)
    assert [token.lemma for token in blank] == ["_", given.tokens[1].lemma, "_"]
    assert [token.head for token in blank] == [token.head for token in given]
    assert content_lemmas(blank) == content_lemmas(given)[1:2]


def test_committed_labels_are_complete_and_agree_far_beyond_chance():
    labels = rc.committed_labels()
    found = rc.agreement(labels)
    assert len(labels) == found["overall"].sentences == len({label.line for label in labels})
    assert found["overall"].kappa > 0.9
    assert all(label.label in (label.first, label.second) for label in labels)
    assert found["overall"].adjudicated == sum(label.first != label.second for label in labels)


def test_without_variation_leaves_out_one_kind_of_sentence():
    pair = EntityPair(
        "acquires", "A/B", tuple(sentence("Acorn/1 buys Walnut/2") for _ in range(3)), ("x", "y", "z"), [1, 0, 1],
        ("plain", "trap", "lexical"),
    )  # fmt: skip
    left = rc.without_variation(Relations("mine", (pair,), fewest=2), "trap")
    assert (left.name, left.fewest) == ("mine, without traps", 2)
    assert left.pairs[0].ids == ("x", "z") and left.pairs[0].variation == ("plain", "lexical")
    assert left.pairs[0].expresses.tolist() == [True, True]
