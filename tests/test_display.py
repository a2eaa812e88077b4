"""What notebooks show besides charts."""

from cdsm_lib.display import ABSENT, grid, pivot
from cdsm_lib.evaluation.results import Result, Results


def test_a_pivot_of_published_full_with_seeds_and_this_run():
    """Rows and columns without any figure are left out; published figures are written as papers do."""

    def results(*rows):
        made = [Result(*place.split(), "toy", "all", metric, value, **more) for place, metric, value, more in rows]
        return Results("toy", "nobody", "full", {}, tuple(made))

    ends = {"low": 0.25, "high": 0.75}
    full = results(
        ("Add SVD", "MAP", 0.5, {"published": 0.6, **ends}), ("Add Count", "MAP", 0.25, {"published": 0.472}),
        ("Add SVD", "MAP, mean of seeds", 0.5, {}), ("Add SVD", "MAP, sd of seeds", 0.125, {}),
        ("Add SVD", "items", 1080, {"published": 1081.0}),
    )  # fmt: skip
    this_run = results(("Mult SVD", "MAP", 0.125, {}))
    by_space = {"space": {"counts": "Count", "reduced": "SVD"}}
    shown = pivot(full, this_run, {"system": ["Mult", "Add", "none"]}, by_space, caption="Caption", metric="MAP")
    assert (shown.columns, shown.rows, shown.caption, shown.row_headers) == (
        ("system", "published: counts", "full: counts", "published: reduced", "full: reduced", "this run: reduced"),
        (("Mult", ABSENT, ABSENT, ABSENT, ABSENT, "0.125"),
         ("Add", "0.472", "0.250", "0.60", "0.500 [0.250, 0.750]", ABSENT)), "Caption", 1,
    )  # fmt: skip
    two = {"metric": ["MAP", "items"], "by": {"sum": {"system": "Add", "space": "SVD"}}}
    shown = pivot(full, None, two, show=("published", "full", "seeds"), form=lambda row: f"{row.value:g}")
    assert shown.columns == ("metric", "by", "published", "full", "seeds") and shown.row_headers == 2
    assert shown.rows == (("MAP", "sum", "0.60", "0.5", "0.500 ± 0.125"), ("items", "sum", "1,081", "1080", ABSENT))
    assert pivot(full, None, {"system": ["Add"]}, by_space, show=["full"], metric="MAP").columns == (
        "system", "counts", "reduced"
    )  # fmt: skip
    drawn = grid(full, {"system": ["Add", "Mult"]}, {"space": {2: "Count"}}, metric="MAP")
    assert drawn == {"Add": {2: full.results[1]}, "Mult": {2: None}}
