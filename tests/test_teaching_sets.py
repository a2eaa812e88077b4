"""The teaching sets in data/sample: what holds of all, and what the datasheets of the two smallest promise."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from teaching import REAL, quotations, rows_of, runs, table, texts_of

from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction import relpron as construct
from cdsm_lib.tasks import lexical_substitution as ls
from cdsm_lib.tasks import relpron
from cdsm_lib.text.corpus import read_conllu
from cdsm_lib.text.counts import STOP_WORDS

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*/*.*")), ids=lambda path: path.name)
def test_files_are_plain_and_their_sentences_whole_and_different(path):
    text = path.read_text("utf8")
    assert "\r" not in text and text.endswith("\n")
    if path.suffix == ".conllu":
        parsed = list(read_conllu(path))
        assert len(texts_of(parsed)) == len(parsed) == len({sentence.comments["sent_id"] for sentence in parsed})
        roots = [sum(token.head == 0 for token in sentence) for sentence in parsed]
        assert len(roots) - roots.count(1) == (path.stem == "paraphrases")  # the one that its datasheet names


def four_words(text: str) -> set[tuple[str, ...]]:
    return {run for run in runs(text, 4) if not STOP_WORDS.issuperset(run)}


QUOTED = {
    "relations": ("relation_banko2008", four_words), "questions": ("genia", four_words),
    "paraphrases": ("msrpc", quotations), "senses": ("semcor", quotations),
}  # fmt: skip
"""What no sentence of a set may have in common with those of the real data set in its place."""


@pytest.mark.parametrize("name", QUOTED)
def test_nothing_is_quoted_from_the_real_data(mirror, name):
    """Neither in the sentences as they stand, nor without what is marked in them, such as the pair's names."""
    real, quoted = QUOTED[name]

    def texts(sentences):
        for sentence in sentences:
            yield " ".join(token.form for token in sentence)
            yield " ".join(token.form for token in sentence if token.misc == "_")

    theirs = {run for text in texts(REAL[real]()) for run in quoted(text)}
    ours = (text for path in (SAMPLE / name).glob("*.conllu") for text in texts(read_conllu(path)))
    assert len(theirs) > 1000 and [text for text in ours if quoted(text) & theirs] == []


# relpron_mini

SET = "relpron_mini"
MINI = {split: relpron.load(SET, split) for split in ("dev", "test")}
ITEMS = [item for task in MINI.values() for item in task.items]
ANNOTATIONS = construct.read_annotations(SAMPLE / SET / "annotations.tsv")
HYPERNYMS = (
    "head_noun head_synset pattern_rank pattern_count split term term_synset relation frequency triples decision reason"
)


def confounding(task: relpron.RelPron) -> list[relpron.Property]:
    return [task.items[i] for i in np.flatnonzero(relpron.confounders(task).any(axis=0))]


def test_sizes_and_no_term_or_property_twice():
    properties = Counter(item.term for item in ITEMS)
    assert 4 <= min(properties.values()) <= max(properties.values()) <= 8
    pairs = {(item.head, item.term) for item in ITEMS}
    assert min(Counter(head for head, _ in pairs).values()) >= 4 and len(pairs) == len(properties)
    assert len({item.phrase for item in ITEMS}) == len(ITEMS) and all(item.term != item.argument for item in ITEMS)
    assert not set(MINI["dev"].head_of) & set(MINI["test"].head_of)
    assert 0.4 <= len(MINI["dev"].items) / len(ITEMS) <= 0.6


def test_the_annotations_give_the_files():
    kept = [a.item for a in ANNOTATIONS if a.accepted]
    assert set(kept) == set(ITEMS) and construct.select_terms(kept) == kept
    parts = construct.split_by_head_noun(kept, MINI["dev"].head_of)
    assert [part.items for part in parts] == [task.items for task in MINI.values()]
    assert len(ANNOTATIONS) > 4 * len(ITEMS) and min(a.count for a in ANNOTATIONS) >= 1
    assert all(a.reason.startswith("identifying") == a.accepted for a in ANNOTATIONS)
    noted = {a.item for a in ANNOTATIONS if a.accepted and "lexical confounder" in a.reason}
    assert noted == {item for task in MINI.values() for item in confounding(task)} and len(noted) >= 15


def test_datasheet_states_the_counts_and_the_confounders(sheet):
    text, total = " ".join(sheet.split()), np.zeros(6, int)
    for split, task in MINI.items():
        n = [*relpron.counts(task).values(), len(confounding(task))]
        assert table(split, *n) in text and n[-1] >= 7
        total += n
        assert [str(item) for item in confounding(task) if str(item) not in text] == []
    assert table("both", *total) in text


def test_none_of_relprons_own_items(mirror, folder):
    theirs = [item for split in MINI for item in relpron.load("relpron", split).items]
    for name in ("term", "head", "phrase"):
        assert {getattr(item, name) for item in ITEMS}.isdisjoint(getattr(item, name) for item in theirs)
    terms = {item.term for item in theirs}
    rows = rows_of(folder / "hypernyms.tsv", HYPERNYMS)
    assert all(row["term"] in terms for row in rows if row["reason"] == "a term of RELPRON")


# anvan_mini

ANVAN, TEXT = ls.load("anvan_mini"), anvan.teaching_text()
DECISIONS = anvan.read_decisions(SAMPLE / "anvan_mini" / "decisions.tsv")
REASONS = {"wrong in context": True, "unrelated": False, "appropriate": False, "variant": False}  # whether it is kept


def test_anvan_items_stand_in_their_sentences():
    marked = {}
    for sentence in TEXT.sentences:
        for token in sentence:
            if token.misc != "_":
                assert token.misc == f"TokenID={sentence.comments['sent_id']}.t{token.id}"
                marked[ls.token_id(token)] = f"{token.lemma}|{token.upos}"
    for item in ANVAN.items:
        assert item.id.startswith(f"{item.phrase.id}.t") and marked[item.id] == item.target
        assert len({item.target, *item.candidates}) == 5
        assert {ls.pos_of(word) for word in item.candidates} == {ls.pos_of(item.target)}
        assert all(ls.pos_of(word) in tags for word, tags in zip(item.phrase.words, ls.FITS, strict=True))
    assert len(marked) == len(ANVAN) and len(ANVAN.phrases) == len(TEXT.sentences)


def test_anvan_substitutes_are_the_two_with_most_votes_and_confounders_the_kept_candidates():
    assert {(item, lemma) for (item, lemma), decision in DECISIONS.items() if decision.accepted} == {
        (item.id, ls.lemma_of(word)) for item in ANVAN.items for word in item.confounders
    }
    assert all(REASONS[decision.reason] == decision.accepted for decision in DECISIONS.values())
    assert {item.id for item in ANVAN.items} == set(TEXT.annotated)
    for item in ANVAN.items:
        votes = dict(TEXT.annotated[item.id].substitutes)
        assert 3 <= len(votes) <= 6 and votes.keys().isdisjoint(lemma for id, lemma in DECISIONS if id == item.id)
        first, second = (votes.pop(ls.lemma_of(word)) for word in item.substitutes)
        assert first >= second > max(votes.values())
        assert TEXT.annotated[item.id].lemma == ls.lemma_of(item.target)


def test_anvan_datasheet_states_the_counts():
    sheet, total = (SAMPLE / "anvan_mini" / "README.md").read_text(encoding="utf-8"), np.zeros(7, int)
    for number, name in enumerate(ls.POSITIONS):
        ids = {item.id for item in ANVAN.items if item.position == number}
        reasons = Counter(decision.reason for (id, _), decision in DECISIONS.items() if id in ids)
        votes = sum(len(TEXT.annotated[id].substitutes) for id in ids)
        counts = [len(ids), votes, reasons.total(), *(reasons[reason] for reason in REASONS)]
        assert table(f"{number} {name}", *counts) in sheet
        total += counts
    assert table("all", *total) in sheet and f"{len(ANVAN.phrases)} sentences" in sheet
