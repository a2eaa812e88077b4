"""Reversible RELPRON: the annotations give the files, a pair is balanced, no verb is in both splits."""

from collections import Counter
from pathlib import Path

import pytest

from cdsm_lib.construction import reversible as construct
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import Property
from cdsm_lib.text.corpus import corpus_from_text

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sample" / "reversible"
SPLITS = [relpron.load("reversible", split) for split in ("dev", "test")]
ITEMS = [item for split in SPLITS for item in split.items]


def test_the_annotations_give_the_files_and_the_sheet_says_so():
    annotations, sheet = construct.read_annotations(FOLDER / "annotations.tsv"), (FOLDER / "README.md").read_text()
    assert list(construct.build(annotations).splits) == SPLITS and f"{len(annotations):,} candidates" in sheet
    kappas = [f"{100 * kappa:.0f}" for kappa in construct.kappas(annotations)]
    assert "kappa is .{} over the four labels, and .{} over".format(*kappas) in sheet
    for name, items in {"dev": SPLITS[0].items, "test": SPLITS[1].items, "both": ITEMS}.items():
        functions = Counter(item.function for item in items)
        parts = ({item.term for item in items}, {(i.verb, i.argument) for i in items}, {item.verb for item in items})
        sizes = (len(items), *map(len, parts), *functions.values())
        assert f"| {name} | {' | '.join(map(str, sizes))} |" in sheet


def test_a_pair_has_both_functions_alike_and_a_verb_one_split_and_not_too_many_pairs():
    sides = Counter((item.verb, item.argument, item.function) for item in ITEMS)
    assert all(sides[verb, argument, "SBJ"] == sides[verb, argument, "OBJ"] for verb, argument, _ in sides)
    pairs = Counter(verb for verb, _ in {place[:2] for place in sides})
    assert max(pairs.values()) == construct.Thresholds.pairs and sum(pairs.values()) >= 100 and len(ITEMS) >= 300
    dev, test = ({item.verb for item in split.items} for split in SPLITS)
    assert not dev & test


CORPUS = corpus_from_text(
    *["Coils:coil|NOUN/2/nsubj create|VERB/0/root currents:current|NOUN/2/dobj"] * 2,
    *["currents:current|NOUN/2/nsubj create|VERB/0/root fields:field|NOUN/2/dobj"] * 2,
    "fields:field|NOUN/2/nsubj create|VERB/0/root noise|NOUN/2/dobj",
)
LOW = construct.Thresholds(nouns=1)


def test_candidates_are_seen_twice_never_exchanged_and_in_both_functions():
    triples, frequency = construct.counted_triples(CORPUS)
    assert triples["coil", "create", "current"] == 2 and frequency["current"] == 4 and "create" not in frequency
    found = construct.candidates(triples, frequency, LOW)
    assert list(map(str, found)) == ["coil: thing that create current", "field: thing that current create"]
    assert construct.candidates(triples | {("current", "create", "coil"): 1}, frequency, LOW) == []
    assert construct.candidates(triples, frequency) == []  # nouns seen 50 times
    annotation = construct.Annotation(found[0], "SBJ", "SBJ")
    with pytest.raises(TaskError, match="1 candidates were not annotated, or are none"):
        construct.check([annotation], CORPUS)


def test_held_out_are_sentences_with_all_three_words():
    left = construct.held_out(CORPUS, [Property("coil", "thing", "SBJ", "create", "current")])
    assert (left.n_sentences, left.n_tokens) == (3, 9) and left.fingerprint != CORPUS.fingerprint
    triples, _ = construct.counted_triples(left)
    assert triples == {("current", "create", "field"): 2, ("field", "create", "noise"): 1}
