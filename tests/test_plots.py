"""Figures are tested by the data they plot and by what their alternative text says, not by pixels."""

from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import plots
from cdsm_lib.evaluation.results import Result, Results

SERIES = {
    "published": {"SPLF": (0.497, None, None), "Addition": (0.472, None, None)},
    "full": {"SPLF": (0.44, 0.38, 0.5), "Addition": (0.45, 0.39, 0.51)},
    "this run": {"SPLF": (0.7, 0.6, 0.8)},
}
CURVES = {"SPLF": [(10**6, 0.1, 0.05, 0.2), (10**7, 0.3, 0.2, 0.4)], "PLF": [(10**6, 0.05, 0.0, 0.1)]}


def texts(these):
    """What labels, ticks or names say."""
    return [text.get_text() for text in these]


def entries(figure):
    """The names in a figure's legend."""
    return texts(figure.legends[0].get_texts())


def of_line(line):
    return [tuple(point) for point in line.get_xydata().round(6).tolist()]


def whiskers(axes, along=1):
    """Ends of all intervals of the axes."""
    return [bar[:, along].round(6).tolist() for group in axes.collections for bar in group.get_segments()]


def drawn_points(axes):
    """Every point of every line of the axes."""
    return {(round(x, 6), round(y, 6)) for line in axes.lines for x, y in line.get_xydata()}


def test_systems_chart_plots_and_tells_its_numbers():
    figure, alt = plots.systems_chart(["SPLF", "Addition"], SERIES, title="Table 6")
    assert alt == ("Table 6, MAP. SPLF: published 0.50, full 0.44, this run 0.70; Addition: published 0.47, full 0.45.")
    axes = figure.axes[0]
    assert {x for x, _ in drawn_points(axes)} >= {0.497, 0.472, 0.44, 0.45, 0.7}
    assert texts(axes.get_yticklabels()) == ["SPLF", "Addition"]


def test_a_legend_fits_below_its_figure():
    row = {"noun": (0.5, 0.4, 0.6)}
    names = ["extended Lesk with vectors", "most frequent sense", "first sense of the dictionary", "random", "none"]
    figure, _ = plots.systems_chart(["noun"], {name: row for name in names}, measure="F1")
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
    figure, _ = plots.systems_chart(["noun"], {"a": row, "b": row, "c": row})
    figure.draw_without_rendering()
    assert len({round(text.get_window_extent().y0) for text in figure.legends[0].get_texts()}) == 1  # short: one row


def test_results_chart_takes_results():
    names = ("SPLF", "Skip-Gram", "relpron")
    rows = [Result(*names, split, "MAP", 0.44, 0.38, 0.5, published=0.497) for split in ("test", "dev")]
    rows.append(Result("SPLF", "Skip-Gram", "another set", "dev", "MAP", 0.1))
    full = Results("relpron", "rimell2016", "full", results=rows)
    _, alt = plots.results_chart(full, None, ["SPLF", "PLF"], split="dev")
    assert alt == "Systems compared, MAP. SPLF: published 0.50, full 0.44."


def test_learning_curves():
    figure, alt = plots.learning_curves(CURVES, reference={"SPLF": (1.7e9, 0.497)})
    assert figure.axes[0].get_xscale() == "log"
    assert {(1e6, 0.1), (1e7, 0.3), (1.7e9, 0.497)} <= drawn_points(figure.axes[0])
    assert "SPLF goes from 0.10 at 1.0 to 0.30 at 10.0 million tokens" in alt
    assert "published, SPLF: 0.50 at 1700 million" in alt


def test_heat_map_writes_every_number_and_leaves_gaps():
    figure, alt = plots.heat_map([[0.1, np.nan], [0.5, 0.9]], ["SPLF", "PLF"], ["device", "player"])
    assert sorted(texts(figure.axes[0].texts)) == ["0.10", "0.50", "0.90"]
    assert "SPLF: device 0.10; PLF: device 0.50, player 0.90" in alt


def test_board_chart_marks_the_best_and_those_behind():
    panels = {
        "RELPRON": {"SIF": (0.4, 0.3, 0.5, "best"), "PLF": (0.3, 0.2, 0.35, "behind")},
        "phrase similarity": {"SIF": (0.45, 0.4, 0.5, "level"), "PLF": (0.46, 0.4, 0.5, "best")},
    }
    options = {"chance": {"RELPRON": 0.02}, "measures": {"RELPRON": "MAP"}}
    figure, alt = plots.board_chart(["SIF", "PLF"], panels, title="Board", **options)
    left, right = figure.axes
    assert {(0.4, 0), (0.3, 1)} <= drawn_points(left) and {(0.45, 0), (0.46, 1)} <= drawn_points(right)
    assert left.get_xlabel() == "MAP" and left.lines[0].get_xdata()[0] == 0.02
    assert texts(left.get_yticklabels()) == ["SIF", "PLF"]
    marks = {(line.get_marker(), line.get_markerfacecolor()) for line in left.lines if line.get_marker() in "*o"}
    assert ("o", "none") in marks and any(shape == "*" and fill != "none" for shape, fill in marks)
    assert alt == (
        "Board. The highest figure on each. RELPRON: SIF 0.400; the figures run from 0.300 to 0.400, chance 0.020. "
        "phrase similarity: PLF 0.460, not significantly ahead of SIF; the figures run from 0.450 to 0.460."
    )


def test_labelled_points_names_each_point():
    points = {"small": (10.0, 1.0), "large": (1000.0, 3.0), "near": (1000.0, 3.01)}
    figure, alt = plots.labelled_points(points, x_label="parameters", y_label="rank", log_x=True, turned=True)
    axes = figure.axes[0]
    assert drawn_points(axes) == set(points.values())
    assert axes.get_xscale() == "log" and axes.yaxis_inverted()
    assert {text.get_text() for text in axes.texts} == set(points)
    beside = {text.get_text(): text.get_position() for text in axes.texts}
    assert beside["large"] != beside["near"]  # two names, two places
    assert alt == "Points, parameters and rank. small: 10, 1; large: 1e+03, 3; near: 1e+03, 3.01."


def test_profile_chart_draws_values_gaps_and_references():
    series = {"Add": [(0.6, 0.5, 0.7), None, (0.4, None, None)], "Mult": [(0.7, 0.6, 0.8), (0.5, 0.4, 0.6), None]}
    figure, alt = plots.profile_chart(["verb", "noun", "all"], series, reference={"Random": 0.68}, across="position")
    axes = figure.axes[0]
    heights = {y for _, y in drawn_points(axes)}
    assert heights >= {0.6, 0.4, 0.7, 0.5, 0.68} and axes.get_xlabel() == "position"
    assert texts(axes.get_xticklabels()) == ["verb", "noun", "all"]
    assert alt == "Profile, MAP. Add: verb 0.60, all 0.40; Mult: verb 0.70, noun 0.50; Random 0.680."


FLIPS = {"addition beats all": ["holds", "undecided", "holds"], "no sense in senses": ["fails", "holds", None]}


def test_flip_chart_draws_every_verdict_and_boxes_what_differs():
    figure, alt = plots.flip_chart(FLIPS, ["full", "1/16 of the corpus", "window 2"], title="Kober et al.")
    axes = figure.axes[0]
    drawn = {}
    for line in axes.lines:
        if line.get_marker() in {"o", "D", "X", "s"}:
            drawn.setdefault(line.get_marker(), set()).add(tuple(line.get_xydata()[0]))
    first, second = axes.get_yticks()
    assert drawn == {
        "o": {(0, first), (2, first), (1, second)}, "D": {(1, first)}, "X": {(0, second)},
        "s": {(1, first), (1, second)},
    }  # fmt: skip
    assert texts(axes.get_xticklabels()) == ["full", "1/16 of the corpus", "window 2"]
    assert alt == (
        "Kober et al. addition beats all: full holds; other with 1/16 of the corpus (undecided). "
        "no sense in senses: full fails; other with 1/16 of the corpus (holds)."
    )
    tall, _ = plots.flip_chart({"a " * 100: ["holds"], "b": ["holds"], "c": ["fails"]}, ["full"])
    places = tall.axes[0].get_yticks()
    assert places[1] - places[0] > 1.5 * (places[2] - places[1])  # a long name has a high row
    _, alt = plots.flip_chart({"it holds": ["holds", "holds"]}, ["full", "window 2"])
    assert alt == "Verdicts. it holds: holds everywhere."


def test_flip_chart_tells_verdicts_apart_without_colour():
    looks = plots.VERDICT_LOOKS.values()
    assert len({look["marker"] for look in looks}) == len({look["color"] for look in looks}) == len(looks) == 3


def test_counts_chart_draws_bars_and_published_counts():
    series = {"phrases": {"clauses": 255, "tags": 188}, "targets": {"tags": 745}}
    figure, alt = plots.counts_chart(
        ["clauses", "tags"], series, reference={"targets": 732}, x_label="n", y_label="step"
    )
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("n", "step")
    assert sorted(bar.get_width() for bar in axes.patches) == [188, 255, 745]
    (published,) = axes.collections
    assert {x for x, _ in np.concatenate(published.get_segments())} == {732}
    assert not any(low < bar.get_y() + bar.get_height() / 2 < high
                   for (_, low), (_, high) in published.get_segments() for bar in axes.patches)  # fmt: skip
    assert sorted(texts(axes.texts)) == ["188", "255", "745"]
    assert alt == "Counts. clauses: 255 phrases; tags: 188 phrases, 745 targets; published: 732 targets."


def test_funnel_chart_draws_the_finest_count():
    sizes = {"frequent": (20, 0, 0), "terms": (9, 40, 0), "kept": (8, 30, 2000), "none": (0, 0, 0)}
    names = ("head_nouns", "terms", "properties")
    steps = [SimpleNamespace(name=name, **dict(zip(names, of, strict=True))) for name, of in sizes.items()]
    figure, alt = plots.funnel_chart(steps)
    assert alt.endswith("frequent: 20 head nouns; terms: 40 terms; kept: 2000 properties; none: 0 head nouns.")
    assert [bar.get_width() for bar in figure.axes[0].patches] == [20, 40, 2000, 0.8]


def test_draw_matrix():
    figure, alt = plots.draw_matrix([[0, 1], [1, -2]], (["x", "y"], ["a", "b"]), title="Vo")
    assert alt == "Vo, a 2 by 2 matrix; columns a, b. x: 0 1; y: 1 -2."
    assert texts(figure.axes[0].texts) == ["0", "1", "1", "-2"]
    assert plots.draw_matrix([0.5, 1]).alt == "A vector of 2 numbers. 0.50 1.00."


def test_draw_vectors():
    figure, alt = plots.draw_vectors([[1, 2], [3, -1]], ["hn", "arg"], sums=[(0, 1)])
    assert "hn (1.00, 2.00); arg (3.00, -1.00)" in alt
    assert (4.0, 1.0) in drawn_points(figure.axes[0])


def test_neighbours_and_spectrum():
    figure, alt = plots.neighbour_chart({"dog": [("cat", 0.8), ("wolf", 0.7)], "run": [("walk", 0.6)]})
    assert "dog: cat 0.80, wolf 0.70; run: walk 0.60" in alt
    assert {0.8, 0.7, 0.6} <= {x for x, _ in drawn_points(figure.axes[0])}
    _, alt = plots.spectrum_chart([3.0, 2.0, 1.0])
    assert "3 values of singular value, from 3.0 down to 1.0; the first tenth of them holds 64%" in alt


ROC = {
    "M&L add": ([0, 0.25, 1], [0, 0.5, 1], 0.625),
    "Overlap": (np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), 0.5),
}


def test_roc_chart_draws_curves_and_chance_and_tells_the_areas():
    figure, alt = plots.roc_chart(ROC, title="Cat/Dog")
    assert alt == "Cat/Dog, true against false positive rate. AUC: M&L add 0.625, Overlap 0.500; chance 0.500."
    axes = figure.axes[0]
    chance, first, second = axes.lines
    assert first.get_xydata().tolist() == [[0, 0], [0.25, 0.5], [1, 1]]
    assert chance.get_xydata().tolist() == [[0, 0], [1, 1]] and chance.get_linestyle() == ":"
    assert first.get_marker() != second.get_marker() and axes.get_aspect() == 1
    assert entries(figure) == ["M&L add (0.625)", "Overlap (0.500)", "chance (0.500)"]


def test_roc_chart_tells_eight_systems_apart_and_takes_no_more():
    figure, _ = plots.roc_chart({f"system {i}": ROC["Overlap"] for i in range(8)})
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in figure.axes[0].lines[1:]}
    assert len(looks) == 8 and len({(colour, line) for colour, line, _ in looks}) == 8


def test_sweep_chart_draws_its_points_on_a_logarithmic_axis():
    series = {"5 senses": [(1, 0.6, None, None), (10, 0.7, None, None)], "20 senses": [(1, 0.5, None, None)]}
    options = {"x_label": "iterations", "y_label": "average AUC"}
    figure, alt = plots.sweep_chart(series, chance=0.5, title="Senses", **options)
    assert alt == (
        "Senses, average AUC against iterations. 5 senses: 0.600 at 1, 0.700 at 10; 20 senses: 0.500 at 1; "
        "chance 0.500."
    )
    axes = figure.axes[0]
    assert {(1, 0.6), (10, 0.7), (1, 0.5), (0, 0.5)} <= drawn_points(axes)  # the last: where the line of chance begins
    assert axes.get_xscale() == "log" and texts(axes.get_xticklabels()) == ["1", "10"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iterations", "average AUC")
    figure, alt = plots.sweep_chart({"A": [(0, 0.5, None, None), (1, 0.6, None, None)]}, log_x=False, **options)
    assert figure.axes[0].get_xscale() == "linear" and "chance" not in alt and len(figure.legends[0].get_texts()) == 1


@pytest.mark.parametrize("log_x", [True, False])
def test_sweep_chart_draws_intervals_side_by_side(log_x):
    series = {"A": [(1, 0.6, 0.5, 0.65), (10, 0.7, None, None)], "B": [(1, 0.6, 0.55, 0.7), (10, 0.6, 0.5, 0.7)]}
    figure, _ = plots.sweep_chart(series, x_label="x", y_label="y", log_x=log_x)
    assert whiskers(figure.axes[0]) == [[0.5, 0.65], [0.7, 0.7], [0.55, 0.7], [0.5, 0.7]]
    first, _, second, _ = (x for x, _ in whiskers(figure.axes[0], 0))
    assert 0.95 < first < 1 < second < 1.05


def test_sweep_chart_writes_no_number_over_another():
    points = [(x, 0.5, None, None) for x in (1, 2, 99, 100, 200)]
    figure, _ = plots.sweep_chart({"A": points}, x_label="x", y_label="y", log_x=False)
    assert texts(figure.axes[0].get_xticklabels()) == ["1", "99", "200"]


MEANS = {
    "TFP": dict(zip(plots.FORMS, [(0.8, 0.7, 0.85), (0.6, None, None), (0.5, 0.4, 0.6), (0.1, 0, 0.2)], strict=True)),
    "Overlap": dict(zip(plots.FORMS, [(0.9, 0.8, 1), (0.5, 0.4, 0.6), (1, 1, 1), (0, None, None)], strict=True)),
}


def test_probe_chart_draws_four_points_a_system():
    figure, alt = plots.probe_chart(MEANS, title="Probe")
    assert alt == (
        "Probe, means. TFP: passive 0.800, nominal 0.600, swapped 0.500, unrelated 0.100; "
        "Overlap: passive 0.900, nominal 0.500, swapped 1.000, unrelated 0.000."
    )
    axes = figure.axes[0]
    series = axes.containers
    assert [group.get_label() for group in series] == ["passive", "nominal", "swapped", "unrelated"]
    assert [group.lines[0].get_xdata().tolist() for group in series] == [[0.8, 0.9], [0.6, 0.5], [0.5, 1.0], [0.1, 0.0]]
    assert [np.round(group.lines[0].get_ydata().astype(float)).tolist() for group in series] == [[0, 1]] * 4
    assert len({group.lines[0].get_marker() for group in series}) == 4
    guides, passive = whiskers(axes, 0)[:2], whiskers(axes, 0)[2:4]
    assert guides == [[0.5, 0.5], [1, 1]]  # upright lines through the means of `swapped`
    assert passive == [[0.7, 0.85], [0.8, 1.0]]
    assert texts(axes.get_yticklabels()) == ["TFP", "Overlap"] and axes.yaxis_inverted()
    assert -0.05 < axes.get_xlim()[0] < 0 and 1 < axes.get_xlim()[1] < 1.05


def test_probe_chart_takes_other_forms_and_scales_and_misses_nothing():
    order = ("passive", "swapped")
    figure, alt = plots.probe_chart({"A": {"passive": (3, 2, 4), "swapped": (-1, None, None)}}, order=order)
    assert figure.axes[0].get_xlim()[0] < -1 and figure.axes[0].get_xlim()[1] > 4
    assert alt == "Similarity with altered sentences, means. A: passive 3.000, swapped -1.000."


WINDOWS = {
    "window 1": {"word2vec": [(0.6, 0.5, 0.7), (0.4, None, None)], "overlap": [(0.55, 0.5, 0.6), None]},
    "window 2": {"dep2vec": [(0.7, 0.6, 0.8), (0.5, 0.4, 0.6)], "word2vec": [(0.65, 0.6, 0.75), (0.45, 0.4, 0.5)]},
    "dependency": {"dep2vec": [(0.8, 0.7, 0.9), (0.6, 0.5, 0.7)]},
}


def test_discrimination_chart_draws_a_panel_for_each_window():
    figure, alt = plots.discrimination_chart(WINDOWS, (2, 3), title="Senses")
    assert alt == (
        "Senses, accuracy with 2, 3 senses. window 1: word2vec 0.60, 0.40; overlap 0.55, none. "
        "window 2: word2vec 0.65, 0.45; dep2vec 0.70, 0.50. dependency: dep2vec 0.80, 0.60. Chance: 0.50, 0.33."
    )
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in panels] == list(WINDOWS)
    heights = [{round(y, 6) for _, y in drawn_points(axes)} for axes in panels]
    assert heights[0] >= {0.6, 0.4, 0.55, 0.5, 0.333333} and heights[1] >= {0.65, 0.45, 0.7, 0.5}
    assert whiskers(panels[1]) == [[0.6, 0.75], [0.4, 0.5], [0.6, 0.8], [0.4, 0.6]]
    chance = panels[0].lines[0]
    assert np.allclose(chance.get_xydata(), [[0, 1 / 2], [1, 1 / 3]]) and chance.get_color() == plots.GREY
    assert texts(panels[2].get_xticklabels()) == ["2", "3"]


def test_discrimination_chart_labels_the_outer_axes_and_keeps_a_systems_look():
    figure, _ = plots.discrimination_chart(WINDOWS, (2, 3))
    one, two, three = (axes for axes in figure.axes if axes.get_visible())
    assert [axes.get_xlabel() for axes in (one, two, three)] == ["", "number of senses", "number of senses"]
    assert [axes.get_ylabel() for axes in (one, two, three)] == ["accuracy", "", "accuracy"]
    assert one.get_ylim() == two.get_ylim() == three.get_ylim()
    looks = [
        {(line.get_color(), line.get_marker()) for line in axes.lines if line.get_label() == "dep2vec"}
        for axes in (one, two, three)
    ]
    assert looks[0] == set() and looks[1] == looks[2] and len(looks[1]) == 1
    assert entries(figure) == ["word2vec", "overlap", "dep2vec", "chance"]


def test_rating_chart_draws_pairs_and_their_line():
    panels = {"max": ([1, 2, 3], [0.5, 0.8, 0.8]), "min": ([1, 2, 3], [0.1, 0.1, 0.7])}  # slopes 0.15 and 0.3
    figure, alt = plots.rating_chart(panels, title="Strategies")
    assert alt == (
        "Strategies, cosine against mean rating. max, 3 pairs: the line goes from 0.55 at 1.00 to 0.85 at 3.00; "
        "min, 3 pairs: the line goes from 0.00 at 1.00 to 0.60 at 3.00."
    )
    first, second = figure.axes
    assert [line.get_xydata().tolist() for line in first.lines][0] == [[1, 0.5], [2, 0.8], [3, 0.8]]
    assert np.allclose(first.lines[1].get_xydata(), [[1, 0.55], [3, 0.85]])
    assert np.allclose(second.lines[1].get_xydata(), [[1, 0], [3, 0.6]])
    assert first.get_ylim() == second.get_ylim() and (first.get_ylabel(), second.get_ylabel()) == ("cosine", "")
    assert [axes.get_xlabel() for axes in figure.axes] == ["mean rating"] * 2
    assert entries(figure) == ["pair", "least squares"]


LEVELS = {
    "U-RAE": {1: (0.9, 0.85, 0.95), 2: (0.8, None, None), 4: (0.5, 0.3, 0.7)},
    "BOW": {1: (1.0, 1.0, 1.0), 2: (0.99, 0.9, 1.0)},
}


def test_level_chart_draws_shares_beside_the_published_ones():
    options = {"y_label": "share", "title": "Synonyms", "levels": [1, 2, 3, 4]}
    figure, alt = plots.level_chart(LEVELS, published={"U-RAE": {1: 0.95, 2: 0.91, 5: 0.79}}, **options)
    assert alt == (
        "Synonyms, share. At level 1 from 0.90 (U-RAE) to 1.00 (BOW); each system at levels from 1. "
        "U-RAE: 0.90 0.80 none 0.50, published 0.95 0.91. BOW: 1.00 0.99."
    )
    axes = figure.axes[0]
    mine, given, bags = (line for line in axes.lines if line.get_linestyle() != "None")
    assert of_line(mine) == [(0.76, 0.9), (1.76, 0.8), (3.76, 0.5)]  # two systems stand 0.24 beside their level
    assert of_line(given) == [(0.76, 0.95), (1.76, 0.91)] and of_line(bags) == [(1.24, 1.0), (2.24, 0.99)]
    assert (given.get_linestyle(), given.get_fillstyle(), given.get_color()) == (":", "none", mine.get_color())
    assert mine.get_linestyle() == "-" and mine.get_marker() == given.get_marker() != bags.get_marker()
    assert whiskers(axes) == [[0.85, 0.95], [0.8, 0.8], [0.3, 0.7], [1, 1], [0.9, 1]]
    assert texts(axes.get_xticklabels()) == ["1", "2", "3", "4"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("level (words replaced)", "share")
    assert axes.get_ylim()[0] < 0 and axes.get_ylim()[1] > 1
    assert entries(figure) == ["U-RAE", "BOW", "published"]


def test_level_chart_takes_later_levels_and_nothing_published():
    figure, alt = plots.level_chart({"A": {2: (0.5, None, None)}}, levels=range(2, 4), y_label="share")
    assert drawn_points(figure.axes[0]) == {(2, 0.5)} and len(figure.legends[0].get_texts()) == 1
    assert alt.endswith("share. At level 2 from 0.50 (A) to 0.50 (A); each system at levels from 2. A: 0.50.")
    _, alt = plots.level_chart({"A": {2: (0.5, None, None)}}, levels=[3], y_label="share", title="T")
    assert alt == "T, share. A: none."


SAME, ONE, TWO, OTHER = ("paraphrase", None), ("synonym", 1), ("synonym", 2), ("antonym", 1)
QUANTILES = {
    "PV-DM": {SAME: (0.1, 0.2, 0.3, 0.4, 0.5), ONE: (0.0, 0.05, 0.1, 0.2, 0.3), TWO: (0.1, 0.2, 0.35, 0.5, 0.6)},
    "U-RAE": {SAME: (0.001, 0.002, 0.0045, 0.005, 0.006), OTHER: (0.0, 0.001, 0.0025, 0.003, 0.004)},
}


def test_distance_chart_draws_quantiles_around_the_paraphrase():
    figure, alt = plots.distance_chart(QUANTILES, title="Distances")
    assert alt == (
        "Distances, medians. "
        "PV-DM: paraphrase 0.300, synonym 1 0.100, synonym 2 0.350; beyond the paraphrase: synonym 2. "
        "U-RAE: paraphrase 0.0045, antonym 1 0.0025; beyond the paraphrase: none."
    )
    first, second = figure.axes
    assert [axes.get_title() for axes in figure.axes] == ["PV-DM", "U-RAE"]
    reference, *lines = first.lines
    assert reference.get_xdata() == [0.3, 0.3] and reference.get_linestyle() == "--"
    assert [of_line(line) for line in lines[0::2]] == [[(0.1, 0), (0.5, 0)], [(0, 1), (0.3, 1)], [(0.1, 2), (0.6, 2)]]
    assert [of_line(line) for line in lines[1::2]] == [[(0.3, 0)], [(0.1, 1)], [(0.35, 2)]]
    boxes = [(bar.get_x(), round(bar.get_x() + bar.get_width(), 6)) for bar in first.patches]
    assert boxes == [(0.2, 0.4), (0.05, 0.2), (0.2, 0.5)]
    assert {y for _, y in drawn_points(second)} == {0, 1, 3}  # the reference from 0 to 1, then rows 0 and 3 alone
    assert first.get_xlim() == (0, pytest.approx(0.63)) and second.get_xlim() == (0, pytest.approx(0.0063))


def test_distance_chart_shares_its_rows_and_colours_kinds_alike():
    figure, _ = plots.distance_chart(QUANTILES)
    first, second = figure.axes
    rows = ["paraphrase", "synonym 1", "synonym 2", "antonym 1"]
    assert texts(first.get_yticklabels()) == rows and first.yaxis_inverted()
    assert first.get_ylim() == second.get_ylim() and not second.yaxis.get_tick_params()["labelleft"]
    one, two, antonym = first.lines[4], first.lines[6], second.lines[4]
    assert one.get_color() == two.get_color() != antonym.get_color()
    assert one.get_marker() == two.get_marker() != antonym.get_marker()
    assert [axes.get_xlabel() for axes in figure.axes] == ["cosine distance"] * 2


def test_distance_chart_of_nothing_but_zeros():
    figure, alt = plots.distance_chart({"A": {SAME: (0, 0, 0, 0, 0)}})
    assert figure.axes[0].get_xlim() == (0, 1) and "A: paraphrase 0.000; beyond the paraphrase: none." in alt


LADDER = {
    "PV-DM": {SAME: 0.35, ONE: 0.27, TWO: 0.43, OTHER: 0.36, ("antonym", 2): 0.35},
    "U-RAE": {SAME: 0.05, ONE: 0.01, OTHER: 0.02, ("antonym", 3): 0.06},
}


def test_ladder_chart_draws_versions_against_the_paraphrase():
    figure, alt = plots.ladder_chart(LADDER, title="Ladder")
    assert alt == (
        "Ladder, cosine distances; synonyms should lie below the paraphrase, antonyms above. "
        "PV-DM: paraphrase 0.350, synonym 0.270 0.430 (1 of 2 above), antonym 0.360 0.350 (1 of 2 above). "
        "U-RAE: paraphrase 0.050, synonym 0.010 (0 of 1 above), antonym 0.020 0.060 (1 of 2 above)."
    )
    first, second = figure.axes
    reference, synonyms, antonyms = first.lines
    assert reference.get_ydata() == [0.35, 0.35] and reference.get_linestyle() == "--"
    assert of_line(synonyms) == [(0.92, 0.27), (1.92, 0.43)] and of_line(antonyms) == [(1.08, 0.36), (2.08, 0.35)]
    assert of_line(second.lines[2]) == [(1.08, 0.02), (3.08, 0.06)]
    assert synonyms.get_color() == second.lines[1].get_color() != antonyms.get_color()
    assert first.get_ylim() == (0, pytest.approx(1.12 * 0.43)) and second.get_ylim() == (0, pytest.approx(1.12 * 0.06))
    assert texts(first.get_xticklabels()) == ["1", "2", "3"]
    assert entries(figure) == ["synonym", "antonym", "paraphrase"]
    assert figure.legends[0].get_title().get_text() == "synonyms should lie below the paraphrase, antonyms above"


def test_loss_chart_draws_training_and_held_out():
    curves = {"parsed": [(1, 0.5, 0.6), (2, 0.3, 0.4), (3, 0.2, 0.45)], "greedy": [(1, 0.7, None)]}
    figure, alt = plots.loss_chart(curves, title="Training")
    assert alt == (
        "Training, loss against epoch. parsed: training 0.500 at epoch 1, 0.200 at 3; "
        "held-out 0.600 at epoch 1, 0.450 at 3; held-out lowest at epoch 2 (0.400). "
        "greedy: training 0.700 at epoch 1, 0.700 at 1."
    )
    axes = figure.axes[0]
    training, held_out, other = axes.lines
    assert of_line(training) == [(1, 0.5), (2, 0.3), (3, 0.2)] and of_line(held_out) == [(1, 0.6), (2, 0.4), (3, 0.45)]
    assert of_line(other) == [(1, 0.7)] and other.get_color() != training.get_color() == held_out.get_color()
    assert (training.get_linestyle(), held_out.get_linestyle(), held_out.get_fillstyle()) == ("-", "--", "none")
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("epoch", "loss")
    assert entries(figure) == ["parsed, training", "parsed, held-out", "greedy, training"]


TREE = (
    ["the", "old", "dog", "was", "seen", "by", "the", "cat", "that", "it", "had", "chased", "away", "a", "$", "$$"],
    [(2, "det", 0), (2, "amod", 1), (4, "nsubjpass", 2), (4, "auxpass", 3), (4, "agent", 7), (7, "det", 6),
     (11, "obj", 8), (11, "nsubj", 9), (11, "aux", 10), (7, "relcl", 11), (11, "advmod", 12), (2, "npadvmod", 10),
     (11, "a very long name", 12)],
)  # fmt: skip


def test_tree_chart_tells_its_arcs():
    figure, alt = plots.tree_chart(["dogs", "chase", "dogs"], [(1, "nsubj", 0), (1, "obj", 2)], title="A sentence")
    assert alt == "A sentence: dogs chase dogs. dogs (word 1) is nsubj of chase; dogs (word 3) is obj of chase."
    axes = figure.axes[0]
    assert texts(axes.texts) == ["dogs", "chase", "dogs", "nsubj", "obj"]
    heads = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "v"]
    dogs, _, others = (text.get_position()[0] for text in axes.texts[:3])
    assert heads == [dogs, others]
    assert plots.tree_chart(["dogs"], []).alt == "Dependencies: dogs. No arcs."


def test_tree_chart_writes_nothing_over_anything():
    figure, _ = plots.tree_chart(*TREE)
    figure.draw_without_rendering()
    axes = figure.axes[0]
    boxes = [text.get_window_extent() for text in axes.texts]
    inside = figure.bbox
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 and box.y1 <= inside.y1 for box in boxes)
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i]), axes.texts[i].get_text()
        for line in axes.lines:
            path = line.get_transform().transform_path(line.get_path())
            assert not path.intersects_bbox(box, filled=False), axes.texts[i].get_text()


def test_pictures_are_repeatable_and_carry_their_text_twice():
    figure, alt = plots.systems_chart(["SPLF", "Addition"], SERIES)
    again, _ = plots.systems_chart(["SPLF", "Addition"], SERIES)
    assert plots.png(figure) == plots.png(again)
    data, metadata = plots.Picture(figure, alt)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and data["text/plain"] == f"{alt}\n\n{plots.plotted(figure)}"
    assert metadata["image/png"]["alt"] == alt and metadata["image/png"]["width"] == 672
    assert b"Software" not in data["image/png"]


def test_nothing_is_left_in_pyplot():
    from matplotlib import pyplot

    plots.draw_matrix([1, 2])
    assert pyplot.get_fignums() == []


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_text_is_legible_on_light_and_dark_pages():
    assert contrast(plots.GREY, "#ffffff") > 4 and contrast(plots.GREY, "#121212") > 4
    for colour in plots.COLOURS:
        assert contrast(colour, "#ffffff") > 2 and contrast(colour, "#121212") > 3


def test_alt_text_reaches_the_page():
    class Renderer:
        def render_image(self, data):
            return [{"uri": data.content}]

    data = SimpleNamespace(
        mime_type="image/png", content="x.png", output_metadata={"image/png": {"alt": "a figure", "width": 672}}
    )
    assert plots.AltText.handle_mime(Renderer(), data, False) == [{"uri": "x.png", "alt": "a figure"}]
    data.output_metadata = {}
    assert plots.AltText.handle_mime(Renderer(), data, False) is None
    data.mime_type, data.output_metadata = "text/plain", {"text/plain": {"alt": "no image"}}
    assert plots.AltText.handle_mime(Renderer(), data, False) is None


# ----------------------------------------------------------------------------------------------------------- resamples


def test_resample_chart_draws_shares_and_marks_the_observed_value():
    figure, alt = plots.resample_chart(
        {"paired": [0.05, 0.05, 0.15, 0.25], "unpaired": [0.15] * 4}, {"paired": 0.3, "unpaired": -0.1},
        bins=4, level=0.5, title="Permuted",
    )  # fmt: skip
    assert alt == (
        "Permuted, difference. paired: 50% of 4 between 0.050 and 0.175, observed 0.300; "
        "unpaired: 50% of 4 between 0.150 and 0.150, observed -0.100."
    )
    paired, unpaired = figure.axes
    # four bars of width 0.1 from -0.1 to 0.3
    assert [round(bar.get_height(), 6) for bar in paired.patches] == [0, 0.5, 0.25, 0.25]
    assert [round(bar.get_height(), 6) for bar in unpaired.patches] == [0, 0, 1, 0]
    assert [line.get_xdata()[0] for line in (*paired.lines, *unpaired.lines)] == [0.3, -0.1]
    inside = [bar.get_facecolor()[:3] != plots.to_rgb(plots.GREY) for bar in paired.patches]
    assert inside == [False, True, True, False]  # centres of the bars: -.05, .05, .15, .25


# ------------------------------------------------------------------------------------------------- the claims page


def test_stacked_chart_draws_pieces_side_by_side_with_their_numbers():
    series = {"holds": {"A": 3, "B": 1}, "undecided": {"A": 2}, "fails": {"A": 1, "B": 0}}
    figure, alt = plots.stacked_chart(["A", "B"], series, x_label="claims", title="Verdicts")
    assert alt == "Verdicts. A: 3 holds, 2 undecided, 1 fails; B: 1 holds, 0 undecided, 0 fails."
    axes = figure.axes[0]
    pieces = {(bar.get_x(), bar.get_width(), round(bar.get_y() + bar.get_height() / 2)) for bar in axes.patches}
    assert pieces == {(0, 3, 0), (0, 1, 1), (3, 2, 0), (5, 1, 0)}
    assert sorted(texts(axes.texts)) == ["1", "1", "2", "3"]


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
    assert texts(second.get_xticklabels()) == ["2", "5", "10", "20"]


# -------------------------------------------------------------------------------------------------------- refusals

POINT, XY = (0.5, None, None), {"x_label": "x", "y_label": "y"}
ONE_LEVEL = {"levels": [1], "y_label": "y"}
NINE = [f"system {i}" for i in range(9)]
DRAWN = [(2_000_000, 0.2, 0.1, 0.3)]


@pytest.mark.parametrize(
    "chart, parts, options, message",
    [
        ("systems_chart", ([], SERIES), {}, "nothing to draw"),
        ("learning_curves", ({"a": []},), {}, "nothing to draw"),
        ("level_chart", ({"A": {}},), ONE_LEVEL, "nothing to draw"),
        ("discrimination_chart", ({"window 1": {}},), {}, "nothing to draw"),
        ("spectrum_chart", (np.array([]),), {}, "nothing to draw"),
        ("tree_chart", ([], []), {}, "nothing to draw"),
        ("heat_map", ([[0.1]], ["SPLF"], ["device", "player"]), {}, "2 columns"),
        ("labelled_points", ({"free": (0.0, 1.0)},), XY | {"log_x": True}, "positive"),
        ("profile_chart", (["verb", "noun"], {"Add": [POINT]}), {}, "'Add' has 1 values for 2 cases"),
        ("flip_chart", ({"a": ["holds"]}, ["full", "1/4"]), {}, "'a' has 1 values for 2 settings"),
        ("flip_chart", ({"a": ["holds", "maybe"]}, ["full", "1/4"]), {}, "fails, found holds, m"),
        ("flip_chart", ({"a": [None, "holds"]}, ["full", "1/4"]), {}, "found None, holds"),
        ("draw_matrix", ([[0, 1]], (None, ["a", "b", "c"])), {}, "3 column labels for 2 columns"),
        ("draw_matrix", ([np.nan],), {}, "finite"),
        ("draw_vectors", ([[1, 2, 3]], ["a", "b"]), {}, r"\[2, 2\]"),
        ("roc_chart", (dict.fromkeys(NINE, ROC["Overlap"]),), {}, "9 curves in one picture: 8 can be"),
        ("roc_chart", ({"A": ([0, 0.5, 0.4, 1], [0, 0.5, 0.6, 1], 0.5)},), {}, "'A': the rates must rise"),
        ("roc_chart", ({"A": ([0, np.nan, 1], [0, 0.5, 1], 0.5)},), {}, "'A': the rates must rise"),
        ("roc_chart", ({"A": ([0.1, 1], [0, 1], 0.5)},), {}, r"must rise from \(0, 0\) to \(1, 1\)"),
        ("sweep_chart", ({"A": [(0, *POINT)]},), XY, "x 0 has no place .* pass log_x=False"),
        ("probe_chart", ({"A": {"passive": POINT, "swapped": POINT}},), {}, "no mean of nominal, unrelated; found pas"),
        ("discrimination_chart", ({"all": {"A": [POINT]}}, (2, 3)), {}, "1 values for 2 numbers of senses"),
        ("discrimination_chart", ({"all": dict.fromkeys(NINE, [POINT])}, [2]), {}, "9 systems in one pict"),
        ("rating_chart", ({"A": ([1, 2, 3], [0.5, 0.6])},), {}, "'A': a line needs at least two pairs"),
        ("rating_chart", ({"A": ([2, 2], [0.5, 0.6])},), {}, "with different ratings, each with a cosine"),
        ("level_chart", ({"A": {1: (np.nan, None, None)}},), ONE_LEVEL, r"'A': shares .* \{1: nan\}"),
        ("level_chart", (LEVELS,), ONE_LEVEL | {"published": {"B": {1: 95}}}, r"'B': shares .*1: 95"),
        ("level_chart", (dict.fromkeys(NINE, LEVELS["BOW"]),), ONE_LEVEL, "9 systems"),
        ("distance_chart", ({"A": {ONE: (0, 0, 0, 0, 0)}},), {}, "no paraphrase to compare with; found synonym 1"),
        ("ladder_chart", ({"A": {ONE: 0.1}},), {}, "no paraphrase to compare with; found synonym 1"),
        ("loss_chart", (dict.fromkeys(NINE, [(1, 0.5, None)]),), {}, "9 systems in one picture: 6 can"),
        ("tree_chart", (["a", "b"], [(0, "nsubj", 0)]), {}, "two different words, counted from 0 to 1"),
        ("tree_chart", (["a", "b"], [(0, "nsubj", 2)]), {}, "must join two different words"),
        ("tree_chart", (["a", "b"], [(-1, "nsubj", 0)]), {}, "must join two different words"),
        ("resample_chart", ({"a": [np.nan]}, {"a": 0}), {}, "finite"),
        ("stacked_chart", (["A"], {name: {"A": 1} for name in "abcd"}), {}, "4 series"),
        ("size_chart", ({"x": dict.fromkeys(map(str, range(13)), DRAWN)},), {}, "13 systems"),
    ],
)
def test_what_cannot_be_drawn_is_refused(chart, parts, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(plots, chart)(*parts, **options)
