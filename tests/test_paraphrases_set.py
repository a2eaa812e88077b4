"""The teaching set data/sample/paraphrases: what its datasheet promises holds of its files."""

from collections import Counter

import pytest

from cdsm_lib.construction import localisation as construction
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import Pair
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.lexicon import Excerpt

SET = "paraphrases"
FEWEST = 160


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return localisation.load("paraphrases")[0]


@pytest.fixture(scope="module")
def parsed() -> dict[str, Sentence]:
    return localisation.load("paraphrases")[1]


@pytest.fixture(scope="module")
def topics(folder) -> list[str]:
    _, *lines = (folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[3] for line in lines]


@pytest.fixture
def facts(folder) -> Excerpt:
    return Excerpt.load(folder / "facts.json")


@pytest.fixture(scope="module")
def sheet(folder) -> str:
    return " ".join((folder / "README.md").read_text(encoding="utf-8").split())


def forms(sentence: Sentence) -> list[str]:
    return [token.form.lower() for token in sentence if token.upos != "PUNCT"]


def overlap(pair: Pair, parsed) -> float:
    """Of all the different words of a pair, the share that both sentences have."""
    first, second = (set(forms(parsed[id])) for id in pair.ids)
    return len(first & second) / len(first | second)


def dotted(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


# ------------------------------------------------------------------------------------------------------------ the files


def test_ids_and_order(pairs, parsed, topics):
    assert len(pairs) >= FEWEST
    assert [pair.id for pair in pairs] == [f"p{i:03}" for i in range(1, len(pairs) + 1)]
    ids = [f"{pair.id}.{number}" for pair in pairs for number in (1, 2)]
    assert list(parsed) == ids
    changes = [topic for before, topic in zip(topics[1:], topics[2:], strict=False) if before != topic]
    assert len(changes) == len(set(topics)) - 1  # but for the first pair, each topic stands together


def test_the_first_sentence_is_an_example(pairs, parsed, facts):
    found = Counter(one.kind for one in construction.alterations(parsed[pairs[0].ids[0]], facts))
    assert found == {"noun": 4, "verb": 4}


# ------------------------------------------------------------------------------------------------ what the sheet states


def test_datasheet_states_the_counts(pairs, parsed, topics, sheet):
    assert f"{len(pairs)} pairs of sentences" in sheet and f"which makes {2 * len(pairs)} cases" in sheet
    for topic, number in Counter(topics).items():
        assert f"| {topic} | {number} |" in sheet
    lengths = [len(forms(sentence)) for sentence in parsed.values()]
    mean = sum(lengths) / len(lengths)
    assert f"have {min(lengths)} to {max(lengths)} words, {mean:.1f} on average" in sheet
    shares = [overlap(pair, parsed) for pair in pairs]
    low, high, mean = map(dotted, (min(shares), max(shares), sum(shares) / len(shares)))
    assert f"both sentences have {low} to {high}, on average {mean}" in sheet


def test_datasheet_names_versions_that_go_wrong(pairs, parsed, facts, sheet):
    task = construction.build("paraphrases", pairs, parsed, facts, seed=0)
    becomes = {
        (sentence.tokens[one.position].form, form)
        for sentence in task.sentences for one in construction.alterations(sentence, facts) for _, form in one.options
    }  # fmt: skip
    named = {("club", "nine"), ("roads", "roadsteads"), ("found", "abolished"), ("let", "prevented"), ("open", "close")}
    assert named <= becomes and all(f"*{form}" in sheet for _, form in named if form != "close")
