"""Reversible RELPRON: the annotations give the files, a pair is balanced, no verb is in both splits."""

from collections import Counter
from pathlib import Path

from cdsm_lib.construction import reversible as construct
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import Property
from cdsm_lib.text.corpus import corpus_from_text

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sample" / "reversible"
SPLITS = [relpron.load("reversible", split) for split in ("dev", "test")]
ITEMS = [item for split in SPLITS for item in split.items]


def test_the_annotations_give_the_files_and_the_sheet_says_so():
    annotations, sheet = construct.read_annotations(), (FOLDER / "README.md").read_text()
    assert list(construct.build(annotations)[0]) == SPLITS and f"{len(annotations):,} candidates" in sheet
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
    assert max(pairs.values()) == construct.PAIRS and sum(pairs.values()) >= 100 and len(ITEMS) >= 300
    dev, test = ({item.verb for item in split.items} for split in SPLITS)
    assert not dev & test


CLAUSES = (
    *["Coils:coil|NOUN/2/nsubj create|VERB/0/root currents:current|NOUN/2/dobj"] * 2,
    *["currents:current|NOUN/2/nsubj create|VERB/0/root fields:field|NOUN/2/dobj"] * 2,
    "fields:field|NOUN/2/nsubj create|VERB/0/root noise|NOUN/2/dobj",
)
EXCHANGED = "currents:current|NOUN/2/nsubj create|VERB/0/root coils:coil|NOUN/2/dobj"
CORPUS = corpus_from_text(*CLAUSES)


def test_candidates_are_seen_twice_never_exchanged_and_in_both_functions():
    found = construct.candidates(CORPUS, least=4)  # field occurs three times
    assert found == [] and construct.candidates(corpus_from_text(*CLAUSES, EXCHANGED), least=1) == []
    found = construct.candidates(CORPUS, least=1)
    assert list(map(str, found)) == ["coil: thing that create current", "field: thing that current create"]


def test_held_out_are_sentences_with_all_three_words():
    left = construct.held_out(CORPUS, [Property("coil", "thing", "SBJ", "create", "current")])
    assert (left.n_sentences, left.n_tokens) == (3, 9) and left.fingerprint != CORPUS.fingerprint
    assert left.word_counts[left.words.index("coil|NOUN")] == 0 and left.offsets.tolist() == [0, 3, 6, 9]
