"""Tables and sentences of the chapters' pages, each from a few figures whose answer one can work out by hand."""

from types import SimpleNamespace

import numpy as np

from cdsm_lib import display
from cdsm_lib.chapters import lexical_substitution as ls
from cdsm_lib.chapters import localisation as loc
from cdsm_lib.chapters import phrase_similarity as ps
from cdsm_lib.chapters import relpron
from cdsm_lib.chapters import sense_discrimination as sd
from cdsm_lib.evaluation.results import KEY, Claim, Result, Results
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.evaluation.verdicts import Test


def row(system, space, dataset, split, metric, value, about=None, **columns) -> Result:
    """A figure; `about` is how far its interval goes to either side."""
    ends = {} if about is None else {"low": value - about, "high": value + about}
    where = dict(zip(KEY, (system, space, dataset, split, metric), strict=True))
    return Result.of(**where, value=value, **ends, **columns)


def ledger(*rows: Result, profile="full", claims=()) -> Results:
    return Results("a chapter", "a paper", profile, results=rows, claims=claims)


def test_a_figure_with_its_sign_and_a_published_one():
    assert display.figure(Interval(-0.0001, -0.02, 0.03), signed=True) == "+0.000 [-0.020, +0.030]"
    assert display.figure(row("a", "b", "c", "d", "e", 0.25), 1, signed=True) == "+0.2"
    assert display.figure(None, signed=True) == display.printed(None) == display.ABSENT
    one = row("a", "b", "c", "d", "e", 0.25)
    assert display.printed(one) == display.ABSENT
    assert [display.printed(Result(*one.key, 0.25, published=0.375), n) for n in (2, 0)] == ["0.38", "0"]


# ------------------------------------------------------------------------------------------------- phrase similarity


def rho(system, value, dataset="ml2010", split="average", metric="rho", **columns) -> Result:
    return row(system, ps.ADDITION, dataset, split, metric, value, **columns)


def test_scores_of_phrases_published_full_with_seeds_and_here():
    full = ledger(
        rho("word2vec", 0.4567, about=0.1, published=0.461), rho("word2vec", 0.45, metric="rho, mean of seeds"),
        rho("word2vec", 0.01, metric="rho, sd of seeds"), rho("word2vec", 0.9, split="AN"),
    )  # fmt: skip
    here = ledger(rho("word2vec", 0.25, "phrase_pairs"), rho("dep2vec", 0.125, "phrase_pairs"), profile="sample")
    found = ps.scores_table(full, here, ["word2vec", "dep2vec"])
    assert found.columns[-1] == "this run: phrase_pairs" and found.caption.startswith("average: ")
    assert found.rows == (
        ("word2vec", "0.46", "0.457 [0.357, 0.557]", "0.450 ± 0.010", "0.250"),
        ("dep2vec", "–", "–", "–", "0.125"),
    )
    of_kind = ps.scores_table(full, here, ["word2vec"], "AN").rows
    assert of_kind == (("word2vec", "–", "0.900", "–", "–"),)
    assert ps.scores_table(None, here, ["word2vec"]).rows == (("word2vec", "–", "–", "–", "0.250"),)


def test_the_difference_of_two_rhos_on_the_same_draws():
    """Of 41 differences from -.1 to .3, a hundredth apart, the outer two at each end are cut but for a half."""
    drawn = {0.5: np.linspace(-0.1, 0.3, 41) + 0.25, 0.4: np.full(41, 0.25)}
    task = SimpleNamespace(value=lambda x: x, resampled=lambda x, n, seed: drawn[x])
    assert ps.lead(task, 0.5, 0.4, 1) == "+0.100 [-0.090, +0.290]"


# ---------------------------------------------------------------------------------------------- sense discrimination


def accuracy(system, value, space="window 2", dataset=sd.MAIN, metric="accuracy", **columns) -> Result:
    columns = {"part": "test", **columns}
    return row(system, space, dataset, str(columns), metric, value, **columns)


P = "p against word overlap"


def test_a_cell_of_table_5_marks_what_differs_from_overlap():
    cells = [("NOUN", 0.6, 0.55, 0.009), ("VERB", 0.5, None, 0.049), ("ADJ", 0.4, 0.3, 0.05)]
    full = ledger(
        *(accuracy("x", value, pos=pos, senses=2, published=printed) for pos, value, printed, _ in cells),
        *(accuracy("x", p, pos=pos, senses=2, metric=P) for pos, *_, p in cells),
        accuracy(sd.RANDOM, 0.25, "none", pos="NOUN", senses=2),
    )
    found = [sd.cell_text(full, "x", 2, pos, 2) for pos in ("NOUN", "VERB", "ADJ")]
    assert found == ["0.55 / 0.60‡", "– / 0.50†", "0.30 / 0.40"]
    assert sd.cell_text(full, sd.RANDOM, 2, "NOUN", 2) == "– / 0.25"
    assert sd.cell_text(full, "x", 4, "NOUN", 2) == sd.cell_text(None, "x", 2, "NOUN", 2) == "–"


def test_a_runs_own_figure_is_on_its_own_set():
    full = ledger(accuracy("x", 0.5), accuracy("x", 0.75, dataset=sd.PUBLISHED_SET))
    sample = ledger(accuracy("x", 0.25, dataset="senses", part="all"), profile="sample")
    values = [sd.result_at(of, "x", 2).value for of in (full, sample)]
    assert [*values, sd.result_at(full, "x", 2, dataset=sd.PUBLISHED_SET).value] == [0.5, 0.25, 0.75]
    assert sd.result_at(None, "x", 2) is None


def scored(*items: tuple[str, str, float]) -> tuple[list, SimpleNamespace]:
    """Items by the levels of target and right option, each of another lexeme, and the credit of each."""
    usage = {
        level: SimpleNamespace(sentence=SimpleNamespace(comments={"level": level})) for level in sd.construction.LEVELS
    }
    made = [SimpleNamespace(target=usage[a], options=[None, usage[b]], answer=1) for a, b, _ in items]
    credit = np.array([credit for *_, credit in items])
    return made, SimpleNamespace(values=credit, groups=np.arange(len(items)))


ITEMS, LEVELLED = scored(
    ("clear", "clear", 1.0), ("clear", "clear", 1.0), ("clear", "medium", 1.0), ("medium", "medium", 1.0),
    ("medium", "hard", 1.0), ("clear", "hard", 1.0), ("hard", "clear", 0.0), ("hard", "clear", 0.0),
    ("hard", "medium", 0.0), ("hard", "medium", 0.0),
)  # fmt: skip


def test_accuracy_by_the_levels_of_option_and_target():
    rows = sd.levels_table(LEVELLED, ITEMS, "shown").rows
    assert [(part, level, n, text.split()[0]) for part, level, n, text in rows] == [
        ("right option", "clear", "4", "0.500"), ("right option", "medium", "4", "0.500"),
        ("right option", "hard", "2", "1.000"), ("target", "clear", "4", "1.000"),
        ("target", "medium", "2", "1.000"), ("target", "hard", "4", "0.000"),
    ]  # fmt: skip
    assert rows[-1][-1] == "0.000 [0.000, 0.000]"


def test_the_lead_of_one_accuracy_over_another():
    """Two lexemes with leads of 0 and .5, four items each: a resample has one of them twice, or both."""
    lexemes = np.repeat([0, 1], 4)
    ahead, behind = (
        SimpleNamespace(groups=lexemes, values=np.array(credit)) for credit in ([0.5] * 4 + [1.0] * 4, [0.5] * 8)
    )
    assert sd.lead(ahead, behind) == "+0.250 [+0.000, +0.500]"


def test_items_by_part_of_speech_and_number_of_senses():
    about = {"published": 1000.0, "pos": "NOUN", "senses": 2}
    full = ledger(row("data", "items", sd.MAIN, "test, NOUN, 2 senses", "items", 20, **about))
    task = SimpleNamespace(dataset="senses", of=lambda pos, n: range(n if pos == "NOUN" else 0))
    found = sd.items_table(full, task)
    assert found.columns == ("", "", "2 senses", "3 senses", "4 senses", "5 senses")
    nouns = [line for line in found.rows if line[0] == "nouns"]
    assert nouns == [
        ("nouns", "published", "1000", "–", "–", "–"), ("nouns", "full", "20", "–", "–", "–"),
        ("nouns", "this run", "2", "3", "4", "5"),
    ]  # fmt: skip
    assert {line[2:] for line in sd.items_table(None, task).rows if line[1] != "this run"} == {("–",) * 4}


def test_bands_of_frequency_published_and_ours():
    full = ledger(*(
        accuracy("x", value, about=0.1, pos="NOUN", senses=2, band=band, published=printed)
        for band, value, printed in zip(sd.BANDS, (0.5, 0.6, 0.7), (0.61, None, 0.8), strict=True)
    ))  # fmt: skip
    cells = ("0.61 / 0.500 [0.400, 0.600]", "– / 0.600 [0.500, 0.700]", "0.80 / 0.700 [0.600, 0.800]")
    assert sd.bands_table(full, ["x"]).rows == (("x", *cells),)
    assert sd.bands_table(None, ["x"]).rows == ()


# ---------------------------------------------------------------------------------------------- lexical substitution


def substituted(system, value, space=ls.SPACE, metric="MAP", **columns) -> Result:
    return row(system, space, "anvan_ls", "all", metric, value, **columns)


def test_the_mean_and_the_best_of_the_models_on_each_part():
    """Without the baseline; context2vec counts as in the paper, with its own lists."""
    baseline, *models = ls.CDSMS
    own = [
        substituted(name, value, metric="MAP: verb", position="verb")
        for name, value in ((baseline, 0.9), (models[0], 0.2), (models[1], 0.4))
    ]
    listed = substituted(ls.C2V[0], 0.6, ls.LISTED_IN, "MAP: verb", position="verb")
    rows = ls.parts_table(ledger(*own, listed), ledger(*own)).rows
    assert rows[2] == ("verbs", "0.400", f"{ls.C2V[0]} (0.600)", "0.300", f"{models[1]} (0.400)")
    assert rows[:2] == (("modifiers", *"––––"), ("nouns", *"––––"))
    assert ls.parts_table(None, ledger(*own)).rows[2][1:3] == ("–", "–")


def test_differences_of_pairs_with_their_p():
    def pair(value, p):
        return [substituted("A - B", value, "paired", "MAP difference", about=0.02),
                substituted("A - B", p, "paired", "p")]  # fmt: skip

    rows = ls.pairs_table(ledger(*pair(0.1, 0.0004)), ledger(*pair(-0.05, 0.25))).rows
    assert rows == (("A - B", "+0.100 [+0.080, +0.120]", "<\u00a0.001", "-0.050 [-0.070, -0.030]", "0.250"),)
    assert ls.pairs_table(None, ledger(*pair(-0.05, 0.25))).rows[0][1:3] == ("–", "–")


# ------------------------------------------------------------------------------------------------------ localisation


def share(system, metric, value, *, dataset="msrpc", space=None, split="level 1", **columns) -> Result:
    return row(system, space or loc.MAIN[system], dataset, split, metric, value, **columns)


def test_what_a_seed_changes():
    rows = []
    for name, spread, width in ((loc.PV_DM, (0.01, 0.03, 0.02), 0.05), (loc.PARSED, (0.0, 0.04, 0.0), 0.1)):
        rows += [share(name, metric, 0.5, about=width) for metric in loc.SHARES]
        rows += [share(name, f"{metric}, sd of seeds", sd) for metric, sd in zip(loc.SHARES, spread, strict=True)]
    told = display.seeds_remark(ledger(*rows), *loc.SHARES)
    assert f"over seeds is 0.040 ({loc.PARSED})" in told and "are 0.100 to 0.200 wide." in told


# ----------------------------------------------------------------------------------------------------------- RELPRON


def ap(system, value, space="Skip-Gram", split="dev", **more) -> Result:
    return row(system, space, "relpron", split, more.pop("metric", "MAP"), value, **more)


def test_published_figures_outside_our_intervals():
    rows = [
        ap("Addition", 0.5, about=0.1, published=0.55), ap("Frobenius", 0.1, "Count", about=0.02, published=0.2),
        ap("FPLF", 0.4, about=0.05, published=0.5), ap("FPLF (text)", 0.45, about=0.06, published=0.5), ap("Mult", 0.2),
    ]  # fmt: skip
    assert relpron.outside(ledger(*rows))[1] == [
        ("Frobenius", "Count", "dev", 0.2, "0.100 [0.080, 0.120]"),
        ("FPLF", "Skip-Gram", "dev", 0.5, "0.400 [0.350, 0.450]"),
    ]
    assert relpron.outside(None)[1] == []


def test_which_differences_the_tests_resolve():
    def test(value, verdict, bounds=(0,)):
        ends = {"value": value, "low": value - 1, "high": value + 1}
        return Test("greater", verdict, ("a", "b"), (0.0, 0.0), **ends, bounds=bounds, n=(12, 20))

    clear = [test(0.1, "holds"), test(0.05, "holds"), test(0.01, "holds", (0.02,))]
    unclear = [test(-0.03, "undecided"), test(0.02, "undecided")]
    claims = [Claim("one", "It is so.", None, "holds", clear), Claim("two", "And so.", None, "undecided", unclear)]
    told = relpron.resolution_remark(ledger(claims=claims))
    assert "up to 20 terms, those of both splits." in told
    assert told.endswith("tell from chance is 0.050, the largest that they do not 0.030.")
    assert relpron.resolution_remark(ledger(claims=claims[:1])).endswith("tell from chance is 0.050.")
