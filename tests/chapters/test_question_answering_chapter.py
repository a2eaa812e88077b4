"""The chapter on question answering: runs over documents, mixtures with overlap, claims, all figures."""

import numpy as np
import pytest

from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters import question_answering as chapter
from cdsm_lib.chapters.contextual_models import MAIN, MIXED, OVERLAP, PURE
from cdsm_lib.chapters.question_answering import GENERAL
from cdsm_lib.construction import question_answering as construction_of
from cdsm_lib.construction.question_answering import Decision
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.comparison import compare
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks.question_answering import Document, Question, QuestionSet
from cdsm_lib.text.corpus import Sentence

CLAIMS = ["overlap-hard-to-beat", "mixed-beat-overlap", "tfp-add-mixed-best", "dl-add-not-here"]
WINNER = "no-single-winner"


@pytest.fixture(scope="module")
def profile(clauses):
    settings = {"seed": 3, "contextual": clauses.settings | {"seeds": 2}, "question_answering": {"dataset": "genia"}}
    return Profile("full", settings)


@pytest.fixture(scope="module")
def task(clauses) -> QuestionSet:
    """Two documents of random clauses; the questions on them take turns."""
    sentences = clauses.random(11, 9, [*clauses.nouns, "d0", "rare"], [*clauses.verbs, "dv"], clauses.adjectives)
    documents = (Document("one", tuple(sentences[:5])), Document("two", tuple(sentences[5:])))
    asked = clauses.random(12, 4, [*clauses.nouns, "d1"], clauses.verbs, clauses.adjectives)
    kinds = ("same", "voice", "same", "verb")
    questions = tuple(
        Question(f"q{i}", sentence, ("one", "two")[i % 2], i, kind)
        for i, (sentence, kind) in enumerate(zip(asked, kinds, strict=True))
    )
    return QuestionSet("genia", documents, questions)


def plain(lengths: list[int], answers: list[tuple[int, int]], kind: str = "same") -> QuestionSet:
    """Documents of so many sentences that nobody looks at, and for each question its document and its answer."""
    documents = tuple(Document(f"d{i}", (Sentence(()),) * n) for i, n in enumerate(lengths))
    places = enumerate(answers)
    questions = (Question(f"q{i}", Sentence(()), f"d{document}", answer, kind) for i, (document, answer) in places)
    return QuestionSet("plain", documents, tuple(questions))


def test_overlap_decides_unless_the_semantic_score_weighs_more():
    """Cosines below 1 cannot turn the order of whole numbers, twenty times a cosine can; nor can they if one is 1."""
    task = plain([3], [(0, 0), (0, 1), (0, 2)])
    shared = np.array([4.0, 3, 2, 1, 1, 1, 2, 2, 0])
    cosines = np.array([0, 0.5, 0.75, 0, 0.5, 1, 0.5, 0, 0])
    tied, turned = shared.copy(), shared.copy()
    tied[1], turned[1] = 4, 4 + 1e-6  # a cosine of 1 beside one of 0 makes a tie
    often = 20 * cosines + shared
    for mixed, first in ((cosines + shared, True), (often, False), (cosines, False), (tied, True), (turned, False)):
        assert chapter.overlap_alone_decides(mixed, shared, task).tolist() == [first, True, True]


# ----------------------------------------------------------------------------------------------------------- results


def test_scores_over_all_and_the_subset():
    """Of five sentences the answer is first, third, last, or tied with all: 1, 1/2, 0, 1/2."""
    task, trained = plain([5], [(0, 0)] * 4, "voice"), contextual_models.Trained(Labels([]), {})
    given = np.array([9, 1, 2, 3, 4, 3, 1, 2, 4, 5, 0, 1, 2, 3, 4, 1, 1, 1, 1, 1.0])
    scores = chapter.scores_of(task, trained, {OVERLAP: given, "D&L add": given})
    assert scores[0].values.tolist() == [1, 0.5, 0, 0.5]
    rows = [score.row() for score in (scores[1], list(chapter.on_subset(scores))[1])]
    assert [(r.split, r.value, r.n, r.published) for r in rows] == [
        ("All", 0.5, 4, 0.6358), ("Subset", pytest.approx(1 / 3), 3, 0.5402),
    ]  # fmt: skip
    assert all(r.low <= r.value <= r.high and r.tolerance == 0.03 for r in rows)
    (alternation,) = chapter.by_alternation(scores[1])
    assert (alternation.split, alternation.published, alternation.tolerance) == ("voice", None, 0.06)
    # the AFP section, not the entire Gigaword (.7467)
    assert [chapter.published(name, "All") for name in ("M&L add", "TFP add + overlap")] == [0.7588, 0.894]
    assert all(chapter.published(name, part) for name in (*PURE, *MIXED) for part in ("All", "Subset"))
    assert [s.published for s in chapter.scores_of(task, trained, {"TFP add": given}, GENERAL)] == [None]


def ranked(system: str, *values: float) -> Scores:
    """Ranks of questions, each on an abstract of its own."""
    return Scores(system, MAIN, "genia", "All", chapter.METRIC, np.array(values), groups=np.arange(len(values)))


def test_the_best_is_chosen_on_other_abstracts():
    """Each of two systems is perfect on its own half: what is best on two abstracts is worth 1/2 or 0 on the others."""
    chosen = chapter.chosen_elsewhere([ranked("a", 1, 1, 0, 0), ranked("b", 0, 0, 1, 1)])
    assert chosen.value < 0.4 and ((chosen.values >= 0) & (chosen.values <= 1)).all()
    leads = ranked("a", 0.9, 1 / 3, 0.7, 0.6), ranked("b", 0.2, 0.1, 0.3, 0)
    assert chapter.chosen_elsewhere(leads).values.tolist() == leads[0].values.tolist()


@pytest.mark.parametrize(("best_on_task_1", "verdict"), [("D&L add", "holds"), ("TFP add + overlap", "fails")])
def test_one_system_leads_both_tasks_or_not(best_on_task_1, verdict):
    """TFP add + overlap leads on every abstract, so that it is chosen on all halves."""
    rng = np.random.default_rng(0)
    ranks = {system: rng.uniform(0, 0.5, 30) for system in (OVERLAP, *PURE, *MIXED)}
    ranks["TFP add + overlap"] = np.ones(30)
    scores = [ranked(system, *values) for system, values in ranks.items()]
    assert {claim.id: claim.verdict for claim in chapter.claims(scores, best_on_task_1)}[WINNER] == verdict


def test_ties_by_hand():
    """The answer ties with one of two others, or with none: first or second of three, and first."""
    task = plain([3], [(0, 0), (0, 2)])
    overlap = Scores(OVERLAP, MAIN, "plain", "All", chapter.METRIC, np.zeros(2))
    found = {score.metric: score.value for score in chapter.ties(overlap, np.array([1, 1, 0, 0, 1, 2.0]), task)}
    assert found == {
        "norm. rank, ties in favour": 1,
        "norm. rank, ties against": 0.75,
        "share of answers tied": 0.5,
    }


def test_fewer_words_are_unknown_after_adaptation(clauses, task):
    """By hand: every content token whose lemma neither corpus has, and those that only the domain has."""
    texts = [s for d in task.documents for s in d.sentences] + [q.sentence for q in task.questions]
    lemmas = [t.lemma for s in texts for t in s if t.lemma not in ("the", "be", "by")]
    rare, special = (sum(lemma in words for lemma in lemmas) for words in (("rare",), ("rare", "d0", "d1", "dv")))
    assert 0 < rare < special
    assert chapter.unknown_share(task, clauses.trained) == pytest.approx(special / len(lemmas))
    assert chapter.unknown_share(task, clauses.adapted) == pytest.approx(rare / len(lemmas))


# --------------------------------------------------------------------------------- all figures, on clauses and sample


@pytest.fixture
def in_place(clauses, task, monkeypatch, own_cache):
    """The random clauses in the place of Wikipedia and GENIA, and their questions in that of the real ones."""
    check = dict.fromkeys((question.id for question in task.questions), Decision("right", "right"))
    monkeypatch.setattr(contextual_models, "wikipedia", lambda files=None: clauses.corpus)
    monkeypatch.setattr(contextual_models, "genia", lambda: clauses.domain)
    monkeypatch.setattr(construction_of, "genia", lambda: task.documents)
    monkeypatch.setattr(construction_of, "load", {"genia": task}.__getitem__)
    monkeypatch.setattr(construction_of, "hand_check", lambda: check)
    monkeypatch.setattr(chapter, "best_of_relations", lambda profile: "D&L add")
    monkeypatch.setattr(ledger, "path", ledger.latest)


def test_the_full_profile_has_every_figure(profile, in_place, monkeypatch, tmp_path):
    whole = chapter.run(profile, quick=False)
    assert [claim.id for claim in whole.claims] == [*CLAIMS, WINNER]
    for system in (OVERLAP, *PURE, *MIXED):
        rows = whole.find(system=system, metric="norm. rank", split="All", dataset="genia")
        assert [r.space for r in rows] == ([MAIN, GENERAL] if system in PURE else [MAIN])
    assert whole.find(system="D&L add", metric="norm. rank, sd of seeds") and whole.find(space="negated")
    prepared = chapter.prepare(profile)
    contextual_models.store_senses(prepared.general.windows, profile)
    assert compare(whole, chapter.run(profile, quick=True)) == []  # senses, and ranks of other seeds, are stored
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "another"))  # so that senses are fitted again
    assert chapter.run(profile, quick=False).to_json() == whole.to_json()
