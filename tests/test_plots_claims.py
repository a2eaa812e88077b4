"""The charts of the claims page, by the data they plot and by what their alternative text says."""

import pytest

from cdsm_lib import plots


def test_stacked_chart_draws_pieces_side_by_side_with_their_numbers():
    series = {"holds": {"A": 3, "B": 1}, "undecided": {"A": 2}, "fails": {"A": 1, "B": 0}}
    figure, alt = plots.stacked_chart(["A", "B"], series, x_label="claims", title="Verdicts")
    assert alt == "Verdicts. A: 3 holds, 2 undecided, 1 fails; B: 1 holds, 0 undecided, 0 fails."
    axes = figure.axes[0]
    pieces = {(bar.get_x(), bar.get_width(), round(bar.get_y() + bar.get_height() / 2)) for bar in axes.patches}
    assert pieces == {(0, 3, 0), (0, 1, 1), (3, 2, 0), (5, 1, 0)}
    assert sorted(text.get_text() for text in axes.texts) == ["1", "1", "2", "3"]
    with pytest.raises(ValueError, match="nothing to draw"):
        plots.stacked_chart([], series)
    with pytest.raises(ValueError, match="4 series"):
        plots.stacked_chart(["A"], {name: {"A": 1} for name in "abcd"})


def test_size_chart_draws_a_panel_a_task_and_a_system_alike_everywhere():
    points = [(2_000_000, 0.2, 0.1, 0.3), (40_000_000, 0.5, None, None)]
    panels = {"one (MAP)": {"Add": points, "Mult": points[:1]}, "two (AUC)": {"Mult": points}}
    figure, alt = plots.size_chart(panels, title="Size")
    assert alt == (
        "Size, by million tokens read. one (MAP): Add 0.20 at 2.0, 0.50 at 40.0, Mult 0.20 at 2.0, 0.20 at 2.0. "
        "two (AUC): Mult 0.20 at 2.0, 0.50 at 40.0."
    )
    first, second = figure.axes
    assert [axes.get_title() for axes in (first, second)] == list(panels)
    assert second.lines[0].get_xydata().tolist() == [[2.0, 0.2], [40.0, 0.5]]
    line = next(line for line in first.lines if len(line.get_xydata()) == 1 and line.get_marker() == "s")
    assert line.get_color() == second.lines[0].get_color() == plots.colour(1)
    assert [label.get_text() for label in second.get_xticklabels()] == ["2", "5", "10", "20"]
    with pytest.raises(ValueError, match="nothing to draw"):
        plots.size_chart({})
    with pytest.raises(ValueError, match="13 systems"):
        plots.size_chart({"x": {str(i): points for i in range(13)}})
