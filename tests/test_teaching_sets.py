"""The teaching sets in data/sample: what holds of all, and what the datasheets of the two smallest promise."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from teaching import REAL, quotations, rows_of, runs, table, texts_of

from cdsm_lib.construction import relpron as construct
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import Property, RelPron
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
    "relations": ("relation_banko2008", four_words),
    "questions": ("genia", four_words),
    "paraphrases": ("msrpc", quotations),
    "senses": ("semcor", quotations),
}
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
SPLITS = ("dev", "test")
HYPERNYMS = (
    "head_noun head_synset pattern_rank pattern_count split term term_synset relation frequency triples decision reason"
)


@pytest.fixture(scope="module")
def mini(folder) -> dict[str, RelPron]:
    return {split: relpron.read(folder / f"relpron_mini.{split}", split, "relpron_mini") for split in SPLITS}


@pytest.fixture(scope="module")
def items(mini) -> list[Property]:
    return [item for split in SPLITS for item in mini[split].items]


@pytest.fixture(scope="module")
def annotations(folder):
    return construct.read_annotations(folder / "annotations.tsv")


@pytest.fixture(scope="module")
def hypernyms(folder) -> list[dict[str, str]]:
    return rows_of(folder / "hypernyms.tsv", HYPERNYMS)


def test_sizes_and_no_term_or_property_twice(mini, items):
    properties = Counter(item.term for item in items)
    assert 4 <= min(properties.values()) <= max(properties.values()) <= 8
    pairs = {(item.head, item.term) for item in items}
    assert min(Counter(head for head, _ in pairs).values()) >= 4 and len(pairs) == len(properties)
    assert len({item.phrase for item in items}) == len(items) and all(item.term != item.argument for item in items)
    assert not set(mini["dev"].head_of) & set(mini["test"].head_of)
    assert 0.4 <= len(mini["dev"].items) / len(items) <= 0.6


def test_lexical_confounders(mini, annotations):
    confounding = {split: relpron.confounders(task).any(axis=0).nonzero()[0] for split, task in mini.items()}
    assert sum(map(len, confounding.values())) >= 15 and min(map(len, confounding.values())) >= 7
    noted = {a.item for a in annotations if a.kept and "lexical confounder" in a.reason}
    assert noted == {mini[split].items[i] for split, places in confounding.items() for i in places}


def test_kept_properties_are_the_data_set(items, annotations):
    assert {a.item for a in annotations if a.kept} == set(items)
    assert len(annotations) > 4 * len(items)
    assert min(a.count for a in annotations) >= 1
    assert all(a.reason.startswith("identifying") == a.kept for a in annotations)


def test_selection_and_split_of_the_annotations_give_the_files(mini, annotations):
    kept = [a.item for a in annotations if a.kept]
    assert construct.select_terms(kept) == kept
    dev, test = construct.split_by_head_noun(kept, mini["dev"].head_of)
    assert dev.items == mini["dev"].items
    assert test.items == mini["test"].items


def test_datasheet_states_the_counts_and_the_confounders(folder, mini):
    sheet = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    total = Counter()
    for split, task in mini.items():
        found = relpron.counts(task)
        confounding = relpron.confounders(task).any(axis=0).nonzero()[0]
        n = [found["properties"], found["terms"], found["head nouns"], found["SBJ"], found["OBJ"], len(confounding)]
        assert table(split, *n) in sheet
        total.update(dict(enumerate(n)))
        assert [str(task.items[i]) for i in confounding if str(task.items[i]) not in sheet] == []
    assert table("both", *(total[i] for i in range(6))) in sheet


def test_none_of_relprons_own_items(mirror, items, hypernyms):
    theirs = [item for split in SPLITS for item in relpron.read(mirror / "relpron" / f"relpron.{split}", split).items]
    assert not {item.term for item in items} & {item.term for item in theirs}
    assert not {item.head for item in items} & {item.head for item in theirs}
    assert not {item.phrase for item in items} & {item.phrase for item in theirs}
    terms = {item.term for item in theirs}
    assert all((row["reason"] == "a term of RELPRON") <= (row["term"] in terms) for row in hypernyms)


# anvan_mini

ANVAN_FILES = {
    "substitutes": "item position lemma substitute votes",
    "decisions": "item candidate decision reason",
    "items": "item phrase position words substitute1 substitute2 confounder1 confounder2",
}
ANVAN_TAGS = (("ADJ", "NOUN"), ("NOUN",), ("VERB",), ("ADJ", "NOUN"), ("NOUN",))  # by position
REASONS = {"wrong in context": "kept", "appropriate": "rejected", "unrelated": "rejected", "variant": "rejected"}


@pytest.fixture(scope="module")
def anvan_folder(folder) -> Path:
    return folder.parent / "anvan_mini"


@pytest.fixture(scope="module")
def anvan(anvan_folder) -> dict[str, list[dict[str, str]]]:
    return {name: rows_of(anvan_folder / f"{name}.tsv", columns) for name, columns in ANVAN_FILES.items()}


@pytest.fixture(scope="module")
def anvan_parses(anvan_folder):
    sentences = read_conllu(anvan_folder / "anvan_mini.conllu")
    return {sentence.comments["sent_id"]: sentence for sentence in sentences}


def candidates(item: dict[str, str]) -> list[str]:
    return [item[f"{kind}{n}"] for kind in ("substitute", "confounder") for n in (1, 2)]


def target_of(item: dict[str, str]) -> tuple[str, str]:
    lemma, _, tag = item["words"].split(" ")[int(item["position"])].rpartition("|")
    return lemma, tag


def votes_of(anvan) -> dict[str, dict[str, int]]:
    """Votes by substitute, with the tag of its target."""
    votes, tag = defaultdict(dict), {item["item"]: target_of(item)[1] for item in anvan["items"]}
    for row in anvan["substitutes"]:
        word = f"{row['substitute']}|{tag[row['item']]}"
        assert word not in votes[row["item"]]
        votes[row["item"]][word] = int(row["votes"])
    return votes


def test_anvan_items_stand_in_their_sentences(anvan, anvan_parses):
    words_of = defaultdict(set)
    for item in anvan["items"]:
        words = item["words"].split(" ")
        words_of[item["phrase"]].add(item["words"])
        target = words[int(item["position"])]
        assert len({target, *candidates(item)}) == 5
        assert {word.split("|")[1] for word in candidates(item)} == {target.split("|")[1]}
        marked = {}
        for token in anvan_parses[item["phrase"]]:
            if token.misc != "_":
                assert token.misc == f"TokenID={item['phrase']}.t{token.id}"
                marked[token.misc.removeprefix("TokenID=")] = f"{token.lemma}|{token.upos}"
        assert set(marked.values()) <= set(words)
        assert marked[item["item"]] == target
        assert all(word.split("|")[1] in tags for word, tags in zip(words, ANVAN_TAGS, strict=True))
    assert all(len(words) == 1 for words in words_of.values())
    assert len({item["item"] for item in anvan["items"]}) == len(anvan["items"])


def test_anvan_substitutes_are_the_two_with_most_votes(anvan):
    votes = votes_of(anvan)
    assert set(votes) == {item["item"] for item in anvan["items"]}
    for item in anvan["items"]:
        given = votes[item["item"]]
        chosen = candidates(item)[:2]
        others = [n for word, n in given.items() if word not in chosen]
        assert 3 <= len(given) <= 6
        assert given[chosen[0]] >= given[chosen[1]] > max(others)
        assert not set(candidates(item)[2:]) & set(given)
    targets = {item["item"]: (target_of(item)[0], item["position"]) for item in anvan["items"]}
    assert all((row["lemma"], row["position"]) == targets[row["item"]] for row in anvan["substitutes"])


def test_anvan_confounders_are_the_kept_candidates(anvan):
    kept, seen, votes = defaultdict(list), set(), votes_of(anvan)
    for row in anvan["decisions"]:
        assert REASONS[row["reason"]] == row["decision"]
        assert (row["item"], row["candidate"]) not in seen
        seen.add((row["item"], row["candidate"]))
        assert row["candidate"] not in {word.split("|")[0] for word in votes[row["item"]]}
        if row["decision"] == "kept":
            kept[row["item"]].append(row["candidate"])
    assert {row["reason"] for row in anvan["decisions"]} == set(REASONS)
    confounders = {item["item"]: [word.split("|")[0] for word in candidates(item)[2:]] for item in anvan["items"]}
    assert kept == confounders


def test_anvan_datasheet_states_the_counts(anvan_folder, anvan):
    sheet = (anvan_folder / "README.md").read_text(encoding="utf-8")
    position = {item["item"]: item["position"] for item in anvan["items"]}
    total = Counter()
    for number, name in enumerate(("subject modifier", "subject", "verb", "object modifier", "object")):
        decided = [row["reason"] for row in anvan["decisions"] if position[row["item"]] == str(number)]
        counts = [
            sum(place == str(number) for place in position.values()),
            sum(row["position"] == str(number) for row in anvan["substitutes"]),
            len(decided),
            *(decided.count(reason) for reason in ("wrong in context", "unrelated", "appropriate", "variant")),
        ]
        assert table(f"{number} {name}", *counts) in sheet
        total.update(dict(enumerate(counts)))
    assert table("all", *(total[i] for i in range(7))) in sheet
    assert f"{len({item['phrase'] for item in anvan['items']})} sentences" in sheet
