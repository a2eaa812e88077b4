"""Tables and sentences of the chapters' pages, each from a few figures whose answer one can work out by hand."""



from cdsm_lib.chapters import lexical_substitution as ls
from cdsm_lib.evaluation.results import KEY, Result, Results


def row(system, space, dataset, split, metric, value, about=None, **columns) -> Result:
    """A figure; `about` is how far its interval goes to either side."""
    ends = {} if about is None else {"low": value - about, "high": value + about}
    where = dict(zip(KEY, (system, space, dataset, split, metric), strict=True))
    return Result.of(**where, value=value, **ends, **columns)


def ledger(*rows: Result, profile="full", claims=()) -> Results:
    return Results("a chapter", "a paper", profile, results=rows, claims=claims)


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
