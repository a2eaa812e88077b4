"""What notebooks show besides charts."""

import re

from cdsm_lib.display import ABSENT, figure, over_seeds, side_by_side, table
from cdsm_lib.evaluation.results import Result, Results


def test_a_sortable_table_marks_its_intervals():
    rows = [("a [b]", "0.4 [0.3, 0.5] ★")]
    shown = table(("system", "MAP [0, 1]"), rows, "Figures [intervals]", sortable=True)._repr_html_()
    assert re.findall(r'<span class="interval">(.*?)</span>', shown) == ["[0.3, 0.5]"]
    assert "interval" not in table(("system", "MAP"), rows)._repr_html_()


def test_table_of_values_writes_numbers_alike():
    shown = table(("what", "value"), [("a", 0.12345), ("b", 1234), ("c", None), ("d", -0.0001)], "Caption")
    assert [row[1] for row in shown.rows] == ["0.123", "1,234", ABSENT, "0.000"]
    assert (shown.columns, shown.caption, shown.row_headers) == (("what", "value"), "Caption", 1)


def test_what_rounds_to_zero_has_no_minus():
    nothing = Result("Add", "Count", "toy", "all", "rho", -0.0004, low=-0.004, high=-0.0)
    assert figure(nothing) == "0.000 [-0.004, 0.000]" and figure(nothing, 2) == "0.00 [0.00, 0.00]"
    assert figure(Result("Add", "Count", "toy", "all", "rho", -0.0004)) == "0.000"


def test_a_figure_over_seeds():
    rows = [
        Result("Add", "Count", "toy", "all", f"MAP, {of} of seeds", value)
        for of, value in (("mean", 0.25), ("sd", 0.0126))
    ]
    found = Results("toy", "nobody", "full", {}, tuple(rows))
    assert over_seeds(found, "MAP", system="Add") == "0.250 ± 0.013"
    assert over_seeds(found, "MAP", 2, system="Mult") == over_seeds(None, "MAP") == ABSENT


def test_figures_of_two_runs_side_by_side():
    def results(*rows):
        rows = [Result(system, space, "toy", "all", metric, value) for system, space, metric, value in rows]
        return Results("toy", "nobody", "full", {}, tuple(rows))

    full = results(("Add", "Count", "MAP", 0.25), ("Add", "SVD", "MAP", 0.5), ("Add", "SVD", "loss", 9.0))
    this_run = results(("Mult", "SVD", "MAP", 0.125))
    rows = {"sum": {"system": "Add"}, "product": {"system": "Mult"}}
    by_space = {"counts": {"space": "Count"}, "reduced": {"space": "SVD"}}
    shown = side_by_side(full, this_run, rows, by_space, name="by", caption="Caption", metric="MAP")
    assert shown.columns == ("by", "full: counts", "full: reduced", "this run: counts", "this run: reduced")
    assert shown.rows == (("sum", "0.250", "0.500", ABSENT, ABSENT), ("product", ABSENT, ABSENT, ABSENT, "0.125"))
    assert shown.caption == "Caption"
    narrow = side_by_side(None, this_run, rows, space="SVD")
    assert narrow.columns == ("system", "full", "this run") and narrow.rows[1] == ("product", ABSENT, "0.125")
