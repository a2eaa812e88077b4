"""All figures of the ANVAN-LS chapter: on a corpus of random clauses, on runs made up, on the embedded data."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import lexical_substitution as buljan2018_figures
from cdsm_lib.chapters import reproduce as verify
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters.lexical_substitution import (
    ALL_SCORED,
    FIRST,
    LISTED_IN,
    UNIT,
    VERB_WEIGHTS,
    WITHOUT_FIRST,
    Overcount,
    Run,
    figures,
)
from cdsm_lib.chapters.substitution_models import C2V, CDSMS, SPACE
from cdsm_lib.composition.context2vec import SPECIAL, Context2Vec
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction.lexical_substitution import Construction, Step
from cdsm_lib.evaluation.results import Ledger, compare
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import POSITIONS, Item, Phrase, Substitution
from cdsm_lib.text.corpus import Sentence, Token, corpus_from_sentences
from cdsm_lib.vectors.space import Space

PARTS = (*POSITIONS, "modifiers", "nouns")

# ------------------------------------------------------------------------------------- a corpus of random clauses

ADJECTIVES, NOUNS, VERBS = ([f"{kind}{i}|{tag}" for i in range(6)] for kind, tag in
                            (("adjective", "ADJ"), ("noun", "NOUN"), ("verb", "VERB")))  # fmt: skip
RARE = "rare|VERB"
LEXICAL = {
    "dataset": "tiny", "words": 12, "window": 2, "dimensions": 8, "power": 1.0, "bigram_count": 1, "bigram_limit": 0,
    "min_pairs": 4, "listed": 9, "sweep_windows": [1], "sweep_dimensions": [3, 5],
}  # fmt: skip
PROFILE = Profile("tiny", {"seed": 3, "lexical_substitution": LEXICAL})
FULL = replace(PROFILE, name="full")


def clause(words, deprels) -> Sentence:
    """Words with their relation, each on its head: the next noun, or the verb, which is in the third place."""
    heads = (2, 3, 0, 5, 3)
    tokens = (
        Token(i, word.split("|")[0], *word.split("|"), "_", "_", head, deprel, "_", "_")
        for i, (word, head, deprel) in enumerate(zip(words, heads, deprels, strict=True), 1)
    )
    return Sentence(tuple(tokens))


def random_corpus():
    """Six hundred clauses such as *adjective3 noun1 verb0 noun2 noun5*; one verb stands in but two of them."""
    rng, sentences = np.random.default_rng(8), []
    for i in range(600):
        first, second = (
            (rng.choice(ADJECTIVES), "amod") if rng.random() < 0.8 else (rng.choice(NOUNS), "compound")
            for _ in range(2)
        )
        verb = RARE if i < 2 else rng.choice(VERBS)
        words = (first[0], rng.choice(NOUNS), verb, second[0], rng.choice(NOUNS))
        sentences.append(clause(words, (first[1], "nsubj", "root", second[1], "obj")))
    return corpus_from_sentences(sentences)


def random_task(n: int = 40) -> Substitution:
    """Targets in every position of random phrases; the rare verb is the target of two."""
    rng, items = np.random.default_rng(9), []
    for i in range(n):
        words = [str(rng.choice(kind)) for kind in (ADJECTIVES, NOUNS, VERBS, ADJECTIVES, NOUNS)]
        if i in (2, 7):
            words[2] = RARE
        phrase = Phrase(f"s{i}", tuple(words), tuple(words), (0, 1, 2, 3, 4))
        others = [w for w in (ADJECTIVES, NOUNS, VERBS, ADJECTIVES, NOUNS)[i % 5] if w != words[i % 5]]
        a, b, c, d = rng.permutation(others)[:4].tolist()
        items.append(Item(f"s{i}.{i % 5}", phrase, i % 5, (a, b), (c, d)))
    return Substitution("tiny", tuple(items))


def construction_of(task: Substitution) -> Construction:
    funnel = (Step("clauses with an ANVAN", 70, 90), Step("each token once", len(task.phrases), len(task)))
    return Construction(task, funnel, (), (), provisional=4, widened=2)


def random_model() -> Context2Vec:
    rng, words = np.random.default_rng(1), [*ADJECTIVES, *NOUNS, *VERBS]
    n, e, h, m, d = len(words) + len(SPECIAL), 3, 2, 16, 3
    shapes = [(n, e), (4 * h, e), (4 * h, h), (4 * h,)] * 2 + [(m, 2 * h), (m,), (d, m), (d,), (n, d)]
    return Context2Vec(Labels([*words, *SPECIAL]), *(rng.normal(size=s).astype(np.float32) for s in shapes), {})


@pytest.fixture(scope="module")
def world():
    """The corpus, what is prepared from it, the matrices, and every run."""
    corpus, task = random_corpus(), random_task()
    words = buljan2018.gather_words(corpus, lexical_substitution.vocabulary(task), LEXICAL)
    trained = buljan2018.train_space(words, LEXICAL, 3)
    bigrams = buljan2018.gather_bigrams(corpus, words, buljan2018.predicates_in(task), LEXICAL)
    prepared = buljan2018_figures.Prepared(construction_of(task), task, words, trained, bigrams)
    model = buljan2018.practical(trained, bigrams, LEXICAL)
    runs = buljan2018_figures.compositional_runs(trained, model, task)
    runs += buljan2018_figures.context2vec_runs(random_model(), task, 9)
    return SimpleNamespace(corpus=corpus, task=task, prepared=prepared, trained=trained, model=model, runs=runs)


@pytest.fixture
def in_place(world, monkeypatch):
    """The random corpus, its task and model in the place of the real ones."""

    def from_coinco(corpus, settings, seed):
        assert corpus is world.corpus
        words = buljan2018.gather_words(corpus, lexical_substitution.vocabulary(world.task), settings)
        return words, buljan2018.train_space(words, settings, seed), construction_of(world.task)

    monkeypatch.setattr(buljan2018_figures, "wikipedia", lambda files=None: world.corpus)
    monkeypatch.setattr(buljan2018, "from_coinco", from_coinco)
    monkeypatch.setattr(context2vec, "load", random_model)
    return replace(FULL, settings=FULL.settings | {"lexical_substitution": LEXICAL | {"dataset": "anvan_ls"}})


def given(runs, system: str, space: str) -> np.ndarray:
    (run,) = [run for run in runs if (run.system, run.space) == (system, space)]
    return run.given


# ------------------------------------------------------------------------------------------------------------- runs


def test_every_system_runs_in_every_way(world):
    cosine = f"{SPACE}, cosine"
    expected = [(system, space) for space in (SPACE, cosine) for system in CDSMS]
    expected += [(system, space) for space in (LISTED_IN, ALL_SCORED) for system in C2V]
    assert [(run.system, run.space) for run in world.runs] == expected
    published = buljan2018_figures.as_published(world.runs)
    assert [(run.system, run.space) for run in published] == [*expected[:5], *((s, LISTED_IN) for s in C2V)]
    for system in CDSMS:
        for similarity, space in (("dot", SPACE), ("cosine", cosine)):
            expected = buljan2018.rank(system, world.task, world.trained.space, world.model, similarity)
            np.testing.assert_array_equal(given(world.runs, system, space), expected)
    for system, sentence in zip(C2V, (False, True), strict=True):
        for listed, space in ((9, LISTED_IN), (0, ALL_SCORED)):
            expected = buljan2018.substitutes(random_model(), world.task, sentence=sentence, listed=listed)
            np.testing.assert_array_equal(given(world.runs, system, space), expected)


def test_average_precision_at_a_part():
    task = task_of(0, 1, 2, 3, 4)
    run = run_of(task, "system", {0: "1100", 1: "1010", 2: "1001", 3: "0110", 4: "0011"})
    assert run.ap == pytest.approx([1, 5 / 6, 3 / 4, 7 / 12, 5 / 12])
    assert run.at("modifiers") == pytest.approx([1, 7 / 12]) and run.at("nouns") == pytest.approx([5 / 6, 5 / 12])
    assert run.at("verb") == pytest.approx([3 / 4]) and run.at("object") == pytest.approx([5 / 12])


def test_frequency_alone(world):
    run = buljan2018_figures.frequency_run(world.task, world.prepared.words.frequency)
    words, counts = world.corpus.words, world.corpus.word_counts
    assert run.given.tolist() == [[counts[words.index(w)] for w in item.candidates] for item in world.task.items]
    assert (run.system, run.space) == ("Frequency", "corpus counts")


def test_what_add_is_made_of(world):
    """(r + t) . (r + t') = r . r + r . t + r . t' + t . t': rest and LemmaSim, up to a constant, are Add."""
    space, task = world.trained.space, world.task
    runs = {(run.system, run.space): run.given for run in buljan2018_figures.rest_runs(space, task)}
    assert set(runs) == {("Rest", SPACE), ("Rest", UNIT), ("LemmaSim", UNIT), ("Add", UNIT)}
    item = task.items[3]
    rest = sum(space[w].astype(float) for i, w in enumerate(item.phrase.words) if i != item.position)
    assert runs["Rest", SPACE][3] == pytest.approx([rest @ space[w] for w in item.candidates], rel=1e-5)
    unit = sum(
        space[w].astype(float) / np.linalg.norm(space[w]) for i, w in enumerate(item.phrase.words) if i != item.position
    )
    expected = [unit @ space[w] / np.linalg.norm(space[w]) for w in item.candidates]
    assert runs["Rest", UNIT][3] == pytest.approx(expected, rel=1e-5)
    for sums, parts in (
        (given(world.runs, "Add", SPACE), runs["Rest", SPACE] + given(world.runs, "LemmaSim", SPACE)),
        (runs["Add", UNIT], runs["Rest", UNIT] + runs["LemmaSim", UNIT]),
    ):
        np.testing.assert_allclose(sums - sums[:, :1], parts - parts[:, :1], atol=1e-4)


def test_the_first_dimension_and_the_others_add_up_to_add(world):
    space, task = world.trained.space, world.task
    runs = {(run.system, run.space): run.given for run in buljan2018_figures.dimension_runs(space, task)}
    assert set(runs) == {(system, name) for system in ("Add", "Mult") for name in (FIRST, WITHOUT_FIRST)}
    whole = {system: runs[system, FIRST] + runs[system, WITHOUT_FIRST] for system in ("Add", "Mult")}
    for system, sums in whole.items():  # a dot product is a sum over the dimensions
        np.testing.assert_allclose(sums, given(world.runs, system, SPACE), rtol=1e-4)
    item = task.items[4]
    x = {word: float(space[word][0]) for word in (*item.phrase.words, *item.candidates)}
    before = np.prod([x[word] for word in item.phrase.words])
    expected = [before * before / x[item.target] * x[candidate] for candidate in item.candidates]
    assert runs["Mult", FIRST][4] == pytest.approx(expected, rel=1e-4)


def test_the_first_dimension_by_frequency_by_hand():
    """Magnitudes 3, 1, 2 and frequencies 90, 5, 40 have the same order; with 40 and 90 exchanged, rho is .5."""
    space = Space(["a|NOUN", "b|NOUN", "c|NOUN"], np.array([[-3, 0], [1, 9], [2, 0]]))
    for frequency, rho in (((90, 5, 40), 1), ((40, 5, 90), 0.5)):
        found = buljan2018_figures.first_dimension_result(space, dict(zip(space.rows, frequency, strict=True)), "tiny")
        assert (found.value, found.n, found.dataset) == (pytest.approx(rho), 3, "tiny")


def test_verb_weights_lead_from_gupta_to_paperno_and_beyond(world):
    runs = buljan2018_figures.verb_weight_runs(world.trained, world.model, world.task)
    assert tuple(runs) == VERB_WEIGHTS
    np.testing.assert_allclose(runs[0.0].given, given(world.runs, "PLF (Gupta)", SPACE), rtol=1e-9)
    np.testing.assert_allclose(runs[1.0].given, given(world.runs, "PLF (Paperno)", SPACE), rtol=1e-9)
    assert runs[0.25].system == "PLF + 0.25 v" and runs[4.0].system == "PLF + 4 v"
    assert not np.allclose(runs[4.0].given, runs[1.0].given)


# --------------------------------------------------------------------------------------------------- overcounting


def test_both_parts_of_a_verbs_score_add_up_to_the_dot_product(world):
    over = buljan2018_figures.overcounting(world.trained, world.model, world.task)
    assert over.items.tolist() == [i for i, item in enumerate(world.task.items) if item.position == 2]
    whole = given(world.runs, "PLF (Paperno)", SPACE)[over.items]
    np.testing.assert_allclose(over.by_matrices + over.by_vector, whole, rtol=1e-9)
    i = over.items[1]
    table = buljan2018.variants(world.task)[i]
    phrase = world.model.compose(table[:1], "paperno", rows=world.trained.space)[0]
    expected = [phrase @ world.trained.space[verb] for verb in world.task.items[i].candidates]
    assert over.by_vector[1] == pytest.approx(expected, rel=1e-5)


def test_shares_and_leads_by_hand():
    """Row 1: variances 1 and 3; leads 2 / 1 and 0. Row 2: all equal by the matrices, which decide nothing."""
    vector = np.array([[3**0.5, -(3**0.5), 3**0.5, -(3**0.5)], [0.0, 0, 2, 2]])
    over = Overcount(np.array([4, 9]), np.array([[2.0, 2, 0, 0], [5, 5, 5, 5]]), vector)
    assert over.share_of_spread == pytest.approx([0.75, 1])
    assert over.lead == pytest.approx(np.array([[2, 0], [0, -2]]))
    task = Substitution("tiny", random_task(10).items)
    found = {r.metric: r for r in buljan2018_figures.overcount_results(over, task, SPACE)}
    assert {metric: r.value for metric, r in found.items()} == pytest.approx(
        {"share of v in the spread": 0.875, "lead by V_subject S + V_object O": 1, "lead by v": -1}
    )
    assert all(r.n == 2 and r.system == "PLF (Paperno)" and r.dataset == "tiny" for r in found.values())


# ---------------------------------------------------------------------------------------------------------- results

PATTERNS = {"1100": 1, "1010": 5 / 6, "1001": 3 / 4, "0110": 7 / 12, "0101": 1 / 2, "0011": 5 / 12, "----": 49 / 72}
"""Which places of a ranking are right, or all four tied, and the average precision."""


def task_of(*positions: int) -> Substitution:
    phrase = random_task(1).items[0].phrase
    words = tuple(f"w{i}|NOUN" for i in range(4))
    return Substitution(
        "tiny", tuple(Item(f"{i}", phrase, position, words[:2], words[2:]) for i, position in enumerate(positions))
    )


def run_of(task: Substitution, system: str, patterns) -> Run:
    """A run that ranks the candidates of every target as its position says."""
    rows = []
    for position in task.positions.tolist():
        pattern = patterns[position]
        places = [4.0 - i for right in "10" for i, here in enumerate(pattern) if here == right]
        rows.append(places or [np.nan] * 4)
    return Run(system, LISTED_IN if system in C2V else SPACE, task, np.array(rows))


def test_results_of_a_run_by_hand():
    task = task_of(0, 0, 2, 3, 4, 4)  # no subjects
    run = run_of(task, "Add", {0: "1100", 2: "0011", 3: "1001", 4: "0110"})
    found = {result.metric: result for result in buljan2018_figures.run_results(run)}
    assert {metric: (result.value, result.n) for metric, result in found.items()} == {
        "MAP": (pytest.approx((1 + 1 + 5 / 12 + 3 / 4 + 7 / 12 + 7 / 12) / 6), 6),
        "MAP: subject modifier": (1, 2),
        "MAP: verb": (pytest.approx(5 / 12), 1),
        "MAP: object modifier": (3 / 4, 1),
        "MAP: object": (pytest.approx(7 / 12), 2),
        "MAP: modifiers": (pytest.approx(11 / 12), 3),
        "MAP: nouns": (pytest.approx(7 / 12), 2),
    }
    assert all((r.system, r.space, r.dataset, r.split) == ("Add", SPACE, "tiny", "all") for r in found.values())
    assert all(r.low <= r.value <= r.high and r.published is None for r in found.values())
    assert (found["MAP"].tolerance, found["MAP: verb"].tolerance) == (0.01, 0.03)
    fewer = buljan2018_figures.run_results(run, parts=False)
    assert [result.metric for result in fewer] == ["MAP", "MAP: verb"]


def test_random_is_exact_and_the_papers_figure_stands_beside_anvan_ls():
    found = buljan2018_figures.random_result(replace(task_of(0), name="anvan_ls"))
    assert (found.value, found.published) == (pytest.approx(49 / 72), 0.68) and found.low is None
    assert buljan2018_figures.random_result(task_of(0)).published is None


@pytest.mark.parametrize(("name", "published"), [("anvan_ls", (165, 732)), ("tiny", (None, None))])
def test_every_step_of_the_construction(name, published):
    construction = construction_of(replace(task_of(0, 1, 2), name=name))
    found = buljan2018_figures.construction_results(construction)
    assert [(r.space, r.metric, r.value, r.published) for r in found] == [
        ("clauses with an ANVAN", "phrases", 70, None),
        ("clauses with an ANVAN", "targets", 90, None),
        ("each token once", "phrases", 1, published[0]),
        ("each token once", "targets", 3, published[1]),
        ("confounders", "provisional confounders", 4, None),
        ("confounders", "targets widened", 2, None),
    ]
    assert all(r.system == "construction" and r.dataset == name and r.tolerance == 0 for r in found)


def test_what_has_no_matrix_and_what_is_not_listed_is_counted(world):
    """The rare verb, the target of two phrases, has neither matrix; nothing else is lacking."""
    found = buljan2018_figures.coverage_results(world.runs, world.trained, world.model)
    assert {r.metric: r.value for r in found if r.system == "PLF"} == {
        "without a matrix: modifiers": 0, "without a matrix: verbs, subject": 1, "without a matrix: verbs, object": 1,
        "targets of phrases touched": 2,
    }  # fmt: skip
    assert {r.system: r.value for r in found if r.system != "PLF"} == {
        system: np.isnan(given(world.runs, system, LISTED_IN)).mean() for system in C2V
    }
    assert all(0 < r.value < 1 for r in found if r.system in C2V)


def test_pairs_of_systems_are_tested(world):
    found = buljan2018_figures.paired_tests(buljan2018_figures.as_published(world.runs), 3)
    by_name = {run.system: run for run in buljan2018_figures.as_published(world.runs)}
    assert len(found) == 20 and len({r.key for r in found}) == 20
    for r in found:
        a, b = r.system.split(" - ")
        if r.metric == "MAP difference":
            assert r.value == pytest.approx(by_name[a].ap.mean() - by_name[b].ap.mean())
            assert r.low <= r.value <= r.high
        else:
            assert r.metric == "p" and 0 < r.value <= 1
        assert r.n == 40


# ----------------------------------------------------------------------------------------------------------- claims

IDS = [
    "adjectives-easiest-verbs-hardest", "lemmasim-worst", "simple-below-random", "paperno-at-random",
    "paperno-good-on-adjectives-and-nouns", "paperno-worst-on-verbs", "gupta-repairs-verbs", "gupta-beats-simple",
    "gupta-on-par-with-context2vec", "sentence-helps-context2vec",
]  # fmt: skip


def claims_of(patterns: dict[str, tuple[str, str, str]]) -> dict[str, str]:
    """Verdicts in a world where each system ranks modifiers, nouns and verbs like this."""
    task = task_of(*[0, 1, 2, 3, 4] * 12)
    runs = [
        run_of(task, name, dict(zip(range(5), (m, n, v, m, n), strict=True))) for name, (m, n, v) in patterns.items()
    ]
    found = buljan2018_figures.claims(runs, 1)
    assert [claim.id for claim in found] == IDS
    assert all(claim.published and claim.text.endswith(".") and claim.evidence for claim in found)
    return {claim.id: claim.verdict for claim in found}


def test_a_world_in_which_the_paper_is_right():
    verdicts = claims_of({
        "LemmaSim": ("0011", "0011", "0101"),
        "Add": ("0110", "0110", "0101"),
        "Mult": ("1001", "0101", "0101"),
        "PLF (Paperno)": ("1001", "1001", "0011"),  # .683 overall
        "PLF (Gupta)": ("1010", "1001", "0110"),
        "context2vec (phrase)": ("1010", "1001", "0110"),
        "context2vec (sentence)": ("1100", "1010", "1001"),
    })  # fmt: skip
    assert verdicts == dict.fromkeys(IDS, "holds")


def test_a_world_in_which_the_paper_is_wrong():
    verdicts = claims_of({
        "LemmaSim": ("1100", "1100", "1100"),
        "Add": ("1010", "1100", "1100"),
        "Mult": ("1010", "1100", "1100"),
        "PLF (Paperno)": ("0011", "0011", "1100"),  # .533 overall
        "PLF (Gupta)": ("0011", "0101", "0101"),
        "context2vec (phrase)": ("1010", "1100", "1100"),
        "context2vec (sentence)": ("0110", "1001", "1001"),
    })  # fmt: skip
    assert verdicts == dict.fromkeys(IDS, "fails")


def test_a_world_in_which_all_systems_rank_at_random():
    verdicts = claims_of(dict.fromkeys((*CDSMS, *C2V), ("----", "----", "----")))
    equal = {"paperno-at-random", "gupta-on-par-with-context2vec"}
    assert verdicts == {claim: "holds" if claim in equal else "undecided" for claim in IDS}


def test_the_claims_know_which_systems_they_are_about():
    task = task_of(*[0, 1, 2, 3, 4] * 12)
    patterns = dict.fromkeys(range(5), "1100") | {2: "0011"}
    runs = [run_of(task, name, patterns) for name in (*CDSMS, *C2V)]
    found = {claim.id: str(claim.evidence) for claim in buljan2018_figures.claims(runs, 1)}
    assert "modifiers, mean of the models 1.000, nouns 1.000" in found["adjectives-easiest-verbs-hardest"]
    assert "nouns, mean of the models 1.000, verbs 0.417" in found["adjectives-easiest-verbs-hardest"]
    assert "Random 0.681, Add 0.883" in found["simple-below-random"]
    assert found["gupta-repairs-verbs"].startswith("PLF (Gupta), verbs 0.417, PLF (Paperno) 0.417")
    assert found["gupta-repairs-verbs"].endswith("12 items")
    assert found["paperno-worst-on-verbs"].count("PLF (Paperno)") == 6
    assert found["lemmasim-worst"].count("LemmaSim") == 6


# ---------------------------------------------------------------------------------------------------- all together


def check_complete(ledger: Ledger, name: str) -> None:
    """Every system in every way, all positions and parts of speech; construction, coverage, tests, claims."""
    spaces = {(system, space) for space in (SPACE, f"{SPACE}, cosine") for system in CDSMS}
    spaces |= {(system, space) for space in (LISTED_IN, ALL_SCORED) for system in C2V}
    spaces |= {(f"PLF + {weight:g} v", SPACE) for weight in VERB_WEIGHTS} | {("Frequency", "corpus counts")}
    spaces |= {(system, space) for system in ("Add", "Mult") for space in (FIRST, WITHOUT_FIRST)}
    spaces |= {("Rest", SPACE), ("Rest", UNIT), ("LemmaSim", UNIT), ("Add", UNIT)}
    for system, space in spaces:
        for metric in ("MAP", *(f"MAP: {part}" for part in PARTS)):
            result = ledger.one(system=system, space=space, metric=metric)
            assert result.low <= result.value <= result.high and result.n
    assert ledger.one(system="Random", metric="MAP").value == pytest.approx(49 / 72, abs=1e-4)
    last = ledger.find(system="construction", metric="targets")[-1]
    whole = ledger.one(system="Add", space=SPACE, metric="MAP")
    assert len(ledger.find(space="paired")) == 20
    assert len(ledger.find(system="PLF")) == 4 and len(ledger.find(system="first dimension")) == 1
    assert {r.system for r in ledger.find(metric="candidates not listed")} == set(C2V)
    assert len([r for r in ledger.results if r.metric.startswith("lead by")]) == 2
    assert [claim.id for claim in ledger.claims] == IDS
    assert {result.dataset for result in ledger.results} == {name}
    assert (ledger.chapter, ledger.paper) == ("lexical_substitution", "buljan2018")
    if name == "anvan_ls":
        assert last.value == whole.n


SWEPT = [f"{SPACE}, window 1", f"{SPACE}, 3 dimensions", f"{SPACE}, 5 dimensions"]


def test_the_sweep_varies_window_and_dimensions(world, in_place):
    found = buljan2018_figures.sweep_results(in_place, world.task)
    names = [name + similarity for name in SWEPT for similarity in ("", ", cosine")]
    assert {r.key for r in found} == {
        (system, name, "tiny", "all", metric) for name in names for system in CDSMS for metric in ("MAP", "MAP: verb")
    }
    narrow = LEXICAL | {"window": 1}
    words = buljan2018.gather_words(world.corpus, lexical_substitution.vocabulary(world.task), narrow)
    space = buljan2018.train_space(words, narrow, 3).space
    expected = lexical_substitution.score(buljan2018.rank("Add", world.task, space), world.task)
    by_key = {(r.system, r.space, r.metric): r.value for r in found}
    assert by_key["Add", SWEPT[0], "MAP"] == pytest.approx(expected.map)
    fewer = buljan2018.train_space(world.prepared.words, LEXICAL | {"dimensions": 3}, 3).space
    assert fewer.d == 3
    expected = lexical_substitution.score(buljan2018.rank("Mult", world.task, fewer), world.task)
    assert by_key["Mult", SWEPT[1], "MAP: verb"] == pytest.approx(expected.by_part_of_speech["verbs"])


def test_the_full_profile_gives_every_figure_and_the_sweep(world, in_place, tmp_path):
    ledger = figures(in_place)
    check_complete(ledger, "tiny")
    for name in SWEPT:
        assert len(ledger.find(space=name)) == 2 * len(CDSMS)
    assert ledger.profile == "full" and ledger.made_with["seed"] == 3
    assert ledger.made_with["datasets"] == datasets.used(["coinco", "wikipedia_parsed"])
    assert ledger.made_with["corpus"] == world.corpus.fingerprint
    ledger.write(tmp_path / "ledger.json")
    assert len(Ledger.read(tmp_path / "ledger.json").results) == len(ledger.results)
    assert len({run.system for run in world.runs}) == 7


def test_the_subset_is_all_but_the_sweep(in_place, monkeypatch):
    whole = figures(in_place)

    def refused(*_):
        raise AssertionError("the subset does not sweep")

    monkeypatch.setattr(buljan2018_figures, "sweep_results", refused)
    subset = figures(in_place, subset=True)
    assert {r.key for r in whole.results} - {r.key for r in subset.results} == {
        r.key for r in whole.results if any(r.space.startswith(name) for name in SWEPT)
    }
    check_complete(subset, "tiny")
    assert subset.claims == whole.claims
    assert compare(whole, subset, subset=True) == []


def test_another_profile_does_not_sweep_and_names_no_data_set(world, in_place, monkeypatch):
    monkeypatch.setattr(buljan2018_figures, "prepare", lambda profile: world.prepared)
    ledger = figures(PROFILE)
    check_complete(ledger, "tiny")
    assert ledger.profile == "tiny" and ledger.made_with["datasets"] == {}
    assert ledger.find(space=SWEPT[0]) == []


@pytest.mark.parametrize(("setting", "value"), [("dimensions", 3), ("window", 1)])
def test_another_space_leaves_the_data_set_as_it_is(world, in_place, monkeypatch, setting, value):
    asked = []
    from_coinco = buljan2018.from_coinco
    monkeypatch.setattr(buljan2018, "from_coinco", lambda c, s, seed: asked.append(s) or from_coinco(c, s, seed))
    changed = in_place.changed(other=(value, f"lexical_substitution.{setting}"))
    prepared = buljan2018_figures.prepare(changed, in_place)
    assert asked == [in_place["lexical_substitution"]] and prepared.task is world.task
    words = buljan2018.gather_words(
        world.corpus, lexical_substitution.vocabulary(world.task), LEXICAL | {setting: value}
    )
    expected = buljan2018.train_space(words, LEXICAL | {setting: value}, 3).space
    found = prepared.trained.space
    assert found.rows == expected.rows and np.allclose(found.vectors, expected.vectors)
    assert found.d != world.trained.space.d or not np.allclose(found.vectors, world.trained.space.vectors)


def test_a_smaller_corpus_leaves_the_data_set_as_it_is(world, in_place, monkeypatch):
    asked = []
    monkeypatch.setattr(buljan2018_figures, "wikipedia", lambda files=None: asked.append(files) or world.corpus)
    part = replace(in_place, settings={**in_place.settings, "corpus": {"files": 4}})
    assert buljan2018_figures.prepare(part, in_place).task is world.task
    assert asked == [None, 4]


def test_words_without_a_vector_are_an_error(in_place, monkeypatch):
    monkeypatch.setattr(buljan2018, "without_vector", lambda task, space: ["unicorn|NOUN", "yeti|NOUN"])
    with pytest.raises(datasets.DataError, match=r"words of tiny without a vector: unicorn\|NOUN, yeti\|NOUN"):
        buljan2018_figures.prepare(in_place)


# ------------------------------------------------------------------------------------------------ the embedded data


@pytest.fixture(scope="module")
def sample():
    """What the sample profile prepares from the committed counts, and all its figures."""
    needed = [datasets.data_root() / "distilled" / "anvan-bigrams.npz", context2vec.path()]
    if not all(path.is_file() for path in needed):
        pytest.skip("the distilled counts or the weights are not there; make them with make distil, make context2vec")
    profile = load_profile("sample")
    prepared = buljan2018_figures.prepare(profile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buljan2018_figures, "prepare", lambda _: prepared)
        return SimpleNamespace(prepared=prepared, ledger=figures(profile))


def test_the_sample_gives_every_figure(sample):
    check_complete(sample.ledger, "anvan_mini")
    assert sample.ledger.profile == "sample" and sample.ledger.made_with["datasets"] == {}
    assert not any(result.published for result in sample.ledger.results)


def test_the_teaching_set_can_be_built_from_its_sentences(sample):
    """The same phrases, targets and substitutes as the committed set; confounders are those of this run's space."""
    made, committed = sample.prepared.construction, lexical_substitution.load("anvan_mini")
    assert sample.prepared.task.items == committed.items
    assert made.task.name == "anvan_mini"

    def right(task):
        return {(item.id, item.phrase.words, item.position, item.substitutes) for item in task.items}

    assert right(made.task) == right(committed)
    assert (made.funnel[-1].phrases, made.funnel[-1].targets) == (len(committed.phrases), len(committed))
    annotated = anvan.teaching_text("anvan_mini").annotated
    for item in made.task.items:
        given = annotated[item.id].substitutes
        assert not {lexical_substitution.lemma_of(word) for word in item.confounders} & set(given)


@pytest.mark.parametrize("profile", ["sample", "full"])
def test_the_committed_ledger_has_every_figure(profile):
    """What `figures` gives today, the ledger has; otherwise: python -m cdsm_lib reproduce --write --profile ..."""
    place = verify.committed("lexical_substitution", profile)
    if not place.is_file():
        pytest.skip(f"{place.name} of the {profile} profile is not there yet")
    ledger, settings = Ledger.read(place), load_profile(profile)
    check_complete(ledger, settings["lexical_substitution.dataset"])
    assert ledger.profile == profile and ledger.made_with["seed"] == settings["seed"]
    if profile == "full":
        chosen = settings["lexical_substitution"]
        swept = [f"{SPACE}, window {n}" for n in chosen["sweep_windows"] if n != chosen["window"]]
        swept += [f"{SPACE}, {d} dimensions" for d in chosen["sweep_dimensions"]]
        for name in swept:
            assert len(ledger.find(space=name)) == 2 * len(CDSMS)


def test_the_committed_figures_are_those_of_a_fresh_run(sample):
    place = verify.committed("lexical_substitution", "sample")
    if not place.is_file():
        pytest.skip(f"{place.name} of the sample profile is not there yet")
    assert compare(Ledger.read(place), sample.ledger) == []
