"""Figures are tested by the data they plot and by what their alternative text says, not by pixels.

What each chart draws stands in ``tests/data/charts.txt``, a section a case. After a change that is meant to alter it:
``python tests/test_plots.py``, and read the difference.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from browser.checks import FILTERS, GROUNDS, contrast, luminance
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator

from cdsm_lib import plots
from cdsm_lib.evaluation.results import Result, Results
from cdsm_lib.settings import CHECKOUT

CHARTS = Path(__file__).with_name("data") / "charts.txt"
SERIES = {
    "published": {"SPLF": (0.497, None, None), "Addition": (0.472, None, None)},
    "full": {"SPLF": (0.44, 0.38, 0.5), "Addition": (0.45, 0.39, 0.51)},
    "this run": {"SPLF": (0.7, 0.6, 0.8)},
}
CURVES = {"SPLF": {1: (0.1, 0.05, 0.2), 10: (0.3, 0.2, 0.4)}, "PLF": {1: (0.05, 0.0, 0.1)}}
FLIPS = {"addition beats all": ["holds", "undecided", "holds"], "no sense in senses": ["fails", "holds", None]}
ROC = {
    "M&L add": ([0, 0.25, 1], [0, 0.5, 1], 0.625),
    "Overlap": (np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), 0.5),
}
MEANS = {
    "TFP": dict(zip(plots.FORMS, [(0.8, 0.7, 0.85), (0.6, None, None), (0.5, 0.4, 0.6), (0.1, 0, 0.2)], strict=True)),
    "Overlap": dict(zip(plots.FORMS, [(0.9, 0.8, 1), (0.5, 0.4, 0.6), (1, 1, 1), (0, None, None)], strict=True)),
}
WINDOWS = {
    "window 1": {"word2vec": {2: (0.6, 0.5, 0.7), 3: 0.4}, "overlap": {2: (0.55, 0.5, 0.6)}},
    "window 2": {"dep2vec": {2: (0.7, 0.6, 0.8), 3: (0.5, 0.4, 0.6)}, "word2vec": {2: (0.65, 0.6, 0.75), 3: 0.45}},
    "dependency": {"dep2vec": {2: (0.8, 0.7, 0.9), 3: (0.6, 0.5, 0.7)}},
}
SAME, ONE, TWO, OTHER = ("paraphrase", None), ("synonym", 1), ("synonym", 2), ("antonym", 1)
QUANTILES = {
    "PV-DM": {SAME: (0.1, 0.2, 0.3, 0.4, 0.5), ONE: (0.0, 0.05, 0.1, 0.2, 0.3), TWO: (0.1, 0.2, 0.35, 0.5, 0.6)},
    "U-RAE": {SAME: (0.001, 0.002, 0.0045, 0.005, 0.006), OTHER: (0.0, 0.001, 0.0025, 0.003, 0.004)},
}
POINT, XY = (0.5, None, None), {"x_label": "x", "y_label": "y"}
BOARD = {
    "RELPRON": {"SIF": (0.4, 0.3, 0.5, "best"), "PLF": (0.3, 0.2, 0.35, "behind")},
    "phrase similarity": {"SIF": (0.45, 0.4, 0.5, "level"), "PLF": (0.46, 0.4, 0.5, "best")},
}
PLACES = {"small": (10.0, 1.0), "large": (1000.0, 3.0), "near": (1000.0, 3.01)}
PROFILE = {"Add": {"a": (0.6, 0.5, 0.7), "c": (0.4, None, None)}, "Mult": {"a": (0.7, 0.6, 0.8), "b": (0.5, 0.4, 0.6)}}
COUNTS = {"phrases": {"clauses": 255, "tags": 188}, "targets": {"tags": 745}}
SIZES = {"frequent": (20, 0, 0), "terms": (9, 40, 0), "kept": (8, 30, 2000), "none": (0, 0, 0)}
STEPS = [SimpleNamespace(name=name, head_nouns=h, terms=t, properties=p) for name, (h, t, p) in SIZES.items()]
CLOSE = {"A": {x: 0.5 for x in (1, 2, 99, 100, 200)}}  # no number is written over another
RATINGS = {"max": ([1, 2, 3], [0.5, 0.8, 0.8]), "min": ([1, 2, 3], [0.1, 0.1, 0.7])}  # slopes 0.15 and 0.3
DRAWS = {"paired": [0.05, 0.05, 0.15, 0.25], "unpaired": [0.15] * 4}
VERDICTS = {"holds": {"A": 3, "B": 1}, "undecided": {"A": 2}, "fails": {"A": 1, "B": 0}}
CASES = {
    "systems": ("systems_chart", (["SPLF", "Addition"], SERIES), {"title": "Table 6"}),
    "lines": ("line_chart", (CURVES,), XY | {"log_x": True, "hollow": {"SPLF": {1700: 0.497}}}),
    "named places": ("line_chart", (PROFILE,), XY | {"references": {"Random": 0.68, "best": 0.9}}),
    "close places": ("line_chart", (CLOSE,), XY),
    "panels": ("line_chart", (WINDOWS,), XY | {"title": "Senses", "references": {"chance": {2: 0.5, 3: 0.333}}}),
    "many places": ("line_chart", ({"loss": {epoch: 1 / (1 + epoch) for epoch in range(12)}},), XY),
    "heat map with a gap": ("heat_map", ([[0.1, np.nan], [0.5, 0.9]], ["SPLF", "PLF"], ["device", "player"]), {}),
    "board": ("board_chart", (["SIF", "PLF"], BOARD), {"chance": {"RELPRON": 0.02}, "measures": {"RELPRON": "MAP"}}),
    "board for a phone": ("board_chart", (["SIF", "PLF"], BOARD), {"chance": {}, "measures": {}, "narrow": True}),
    "names beside points": ("labelled_points", (PLACES,), XY),
    "flips": ("flip_chart", (FLIPS, ["full", "1/16 of the corpus", "window 2"]), {"title": "Kober et al."}),
    "flips under a long name": ("flip_chart", ({"a " * 100: ["holds"], "b": ["holds"], "c": ["fails"]}, ["full"]), {}),
    "no flips": ("flip_chart", ({"it holds": ["holds", "holds"]}, ["full", "window 2"]), {}),
    "counts": ("counts_chart", (["clauses", "tags"], COUNTS), XY | {"reference": {"targets": 732}}),
    "funnel": ("funnel_chart", (STEPS,), {}),
    "matrix": ("draw_matrix", ([[0, 1], [1, -2]], (["x", "y"], ["a", "b"])), {"title": "Vo"}),
    "vector": ("draw_matrix", ([0.5, 1],), {}),
    "arrows": ("draw_vectors", ([[1, 2], [3, -1]], ["hn", "arg"]), {"sums": [(0, 1)]}),
    "neighbours": ("neighbour_chart", ({"dog": [("cat", 0.8), ("wolf", 0.7)], "run": [("walk", 0.6)]},), {}),
    "spectrum": ("spectrum_chart", ([3.0, 2.0, 1.0],), {}),
    "ROC": ("roc_chart", (ROC,), {"title": "Cat/Dog"}),
    "probe": ("probe_chart", (MEANS,), {"title": "Probe"}),
    "probe of two forms": (
        "probe_chart", ({"A": {"passive": (3, 2, 4), "swapped": (-1, None, None)}},), {"order": ("passive", "swapped")},
    ),
    "ratings": ("rating_chart", (RATINGS,), {"title": "Strategies"}),
    "distances": ("distance_chart", (QUANTILES,), {"title": "Distances"}),
    "distances of nothing but zeros": ("distance_chart", ({"A": {SAME: (0, 0, 0, 0, 0)}},), {}),
    "tree": ("tree_chart", (["a", "b", "a"], [(1, "nsubj", 0), (1, "obj", 2)]), {"title": "A sentence"}),
    "tree of one word": ("tree_chart", (["dogs"], []), {}),
    "resamples": (
        "resample_chart", (DRAWS, {"paired": 0.3, "unpaired": -0.1}), {"bins": 4, "level": 0.5, "title": "Permuted"},
    ),
    "pieces": ("stacked_chart", (["A", "B"], VERDICTS), {"x_label": "claims", "title": "Verdicts"}),
}  # fmt: skip


def rows(points) -> str:
    """Rows of numbers as text, to three decimals or four digits."""
    rounded = [np.round(np.asarray(point, dtype=float), 3) + 0.0 for point in points]
    return ", ".join(" ".join(f"{value:.4g}" for value in point) for point in rounded)


def texts(these) -> str:
    """What labels, ticks or names say."""
    return " | ".join(text.get_text().replace("\n", " ") for text in these)


def called(part) -> str:
    """The name that a part has in the legend."""
    return "" if part.get_label().startswith("_") else f" {part.get_label()!r}"


def described(figure) -> Iterator[str]:
    """All that is drawn: the axes, the points of lines, the corners of other shapes, texts and how far off they are."""
    for axes in filter(lambda axes: axes.get_visible(), figure.axes):
        yield f"axes {axes.get_title()!r}, aspect {axes.get_aspect()}"
        for axis, ends, side in ((axes.xaxis, axes.get_xlim(), "bottom"), (axes.yaxis, axes.get_ylim(), "left")):
            named = axis.get_ticklabels() if isinstance(axis.get_major_locator(), FixedLocator) else []
            bare = "" if axis.get_tick_params()[f"label{side}"] else " (unlabelled)"
            yield f"  {axis.get_label_text()!r} {axis.get_scale()} {rows([ends])}{bare} {texts(named)}"
        for line in axes.lines:
            look = f"{to_hex(line.get_color())} {line.get_linestyle()} {line.get_marker()} {line.get_fillstyle()}"
            yield f"  line {look}{called(line)}: {rows(line.get_xydata())}"
        for box in axes.patches:
            corners = box.get_path().get_extents(box.get_transform() - axes.transData).extents.reshape(2, 2)
            yield f"  box {to_hex(box.get_facecolor())}{called(box)}: {rows(corners)}"
        for many in axes.collections:
            colours = " ".join(map(to_hex, [*many.get_edgecolor(), *many.get_facecolor()]))
            yield f"  shapes {colours}{called(many)}: {'; '.join(rows(path.vertices) for path in many.get_paths())}"
        yield from (f"  shades {rows(image.get_array())}" for image in axes.images)
        yield from (f"  group{called(group)}" for group in axes.containers if called(group))
        for text in axes.texts:
            places = [text.xy, text.xyann] if isinstance(text, Annotation) else [text.get_position()]
            yield f"  text {text.get_text()!r} {rows(places)}"
    yield from (f"legend {legend.get_title().get_text()!r} {texts(legend.get_texts())}" for legend in figure.legends)


def drawn(name: str) -> str:
    """A case's alternative text and what it draws."""
    chart, parts, options = CASES[name]
    figure, alt = getattr(plots, chart)(*parts, **options)
    return "\n".join([alt, *(line.rstrip() for line in described(figure))])


@pytest.fixture(scope="module")
def charts() -> dict[str, str]:
    sections = CHARTS.read_text(encoding="utf-8").split("\n== ")[1:]
    return dict(section.rstrip("\n").split("\n", 1) for section in sections)


def test_every_case_is_kept(charts):
    assert list(charts) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_chart_draws_what_it_is_given(charts, name):
    assert drawn(name) == charts[name]


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


def test_flip_chart_tells_verdicts_apart_without_colour():
    looks = plots.VERDICT_LOOKS.values()
    assert len({look["marker"] for look in looks}) == len({look["color"] for look in looks}) == len(looks) == 3


def test_roc_chart_tells_eight_systems_apart_and_takes_no_more():
    figure, _ = plots.roc_chart({f"system {i}": ROC["Overlap"] for i in range(8)})
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in figure.axes[0].lines[1:]}
    assert len(looks) == 8 and len({(colour, line) for colour, line, _ in looks}) == 8


TREE = (
    ["the", "old", "dog", "was", "seen", "by", "the", "cat", "that", "it", "had", "chased", "away", "a", "$", "$$"],
    [(2, "det", 0), (2, "amod", 1), (4, "nsubjpass", 2), (4, "auxpass", 3), (4, "agent", 7), (7, "det", 6),
     (11, "obj", 8), (11, "nsubj", 9), (11, "aux", 10), (7, "relcl", 11), (11, "advmod", 12), (2, "npadvmod", 10),
     (11, "a very long name", 12)],
)  # fmt: skip


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


# ------------------------------------------------------------------------------------------------------ appearance

TURN = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])
"""What ``hue-rotate(180deg)`` makes of red, green and blue (Filter Effects Module Level 1)."""


def shown(colour, theme: str) -> np.ndarray:
    """A figure's colour as the book shows it, 0 to 1."""
    return np.array(to_rgb(colour)) if theme == "light" else np.clip(TURN @ (1 - np.array(to_rgb(colour))), 0, 1)


def ratio(one: np.ndarray, other: np.ndarray) -> float:
    return float(contrast(luminance(255 * one), luminance(255 * other)))


def test_the_filter_of_the_dark_theme_is_the_one_that_is_tested():
    css = (CHECKOUT / "book" / "assets" / "custom.css").read_text("utf8")
    rules = re.findall(r"@media screen {\s*html\[data-theme=.dark.\] \.bd-content [^{]*img[^{]*{\s*filter: (.*);", css)
    assert rules == [FILTERS["dark"] + " !important"] == ["invert(1) hue-rotate(180deg) !important"]


@pytest.mark.parametrize("theme", GROUNDS)
def test_text_and_series_are_legible_on_every_ground(theme):
    for ground in map(to_rgb, GROUNDS[theme]):
        assert ratio(shown(plots.GREY, theme), np.array(ground)) >= 4.5
        for colour in plots.COLOURS:
            assert ratio(shown(colour, theme), np.array(ground)) >= 3


@pytest.mark.parametrize("theme", GROUNDS)
def test_numbers_are_legible_on_what_they_are_written_on(theme):
    squares = [[0.0, 0.25, 0.5, 0.75, 1.0]]
    figure, _ = plots.heat_map(squares, ["a"], list("bcdef"))
    image = figure.axes[0].images[0]
    grounds = [(colour[:3], "black") for colour in image.to_rgba(image.get_array())[0]]
    figure, _ = plots.draw_matrix([[-4, -2, 1, 3, 4]])
    grounds += [(box.get_facecolor()[0][:3], "black") for box in figure.axes[0].collections]
    figure, _ = plots.stacked_chart(["A", "B"], VERDICTS)
    grounds += [(box.get_facecolor()[:3], "white") for box in figure.axes[0].patches]
    for ground, ink in grounds:
        assert ratio(shown(ground, theme), shown(ink, theme)) >= 4.5, ground


VISION = {  # Machado, Oliveira and Fernandes (2009), full severity, on linear light
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
    "all cones": np.eye(3),
}


def lab(linear: np.ndarray) -> np.ndarray:
    """Colours of linear light in CIELAB."""
    xyz = linear @ [[0.4339, 0.2127, 0.0177], [0.3762, 0.7152, 0.1095], [0.1899, 0.0722, 0.8728]]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@pytest.mark.parametrize("theme", GROUNDS)
@pytest.mark.parametrize("vision", VISION)
def test_colours_are_told_apart(theme, vision):
    """By a distance of 10 in CIELAB; a just noticeable one is about 2."""
    share = np.array([shown(colour, theme) for colour in plots.COLOURS])
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = lab(np.clip(linear @ np.array(VISION[vision]).T, 0, 1))
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 10


@pytest.mark.parametrize("name", CASES)
def test_no_type_is_smaller_than_the_smallest(name):
    chart, parts, options = CASES[name]
    figure, _ = getattr(plots, chart)(*parts, **options)
    figure.draw_without_rendering()
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text()]
    assert min(sizes, default=99) >= plots.SMALLEST


def test_the_board_for_a_phone_fits_and_has_type_of_eleven_pixels():
    figure, _ = plots.board_chart(["SIF", "PLF"], BOARD, chance={}, measures={}, narrow=True)
    figure.draw_without_rendering()
    room = 390 - 48  # between the margins of the page
    width = figure.get_figwidth() * plots.DOTS_PER_INCH
    smallest = min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())
    assert width <= room and smallest / 72 * plots.DOTS_PER_INCH >= 11


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


# -------------------------------------------------------------------------------------------------------- refusals

NINE = [f"system {i}" for i in range(9)]


@pytest.mark.parametrize(
    "chart, parts, options, message",
    [
        ("systems_chart", ([], SERIES), {}, "nothing to draw"),
        ("line_chart", ({"a": {}},), XY, "nothing to draw"),
        ("line_chart", ({"all": {"A": {}}},), XY, "nothing to draw"),
        ("line_chart", ({"A": {0: 0.5}},), XY | {"log_x": True}, "x 0 has no place .* pass log_x=False"),
        ("line_chart", (dict.fromkeys(map(str, range(13)), {1: 0.5}),), XY, "13 series in one picture"),
        ("spectrum_chart", (np.array([]),), {}, "nothing to draw"),
        ("tree_chart", ([], []), {}, "nothing to draw"),
        ("heat_map", ([[0.1]], ["SPLF"], ["device", "player"]), {}, "2 columns"),
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
        ("probe_chart", ({"A": {"passive": POINT, "swapped": POINT}},), {}, "no mean of nominal, unrelated; found pas"),
        ("rating_chart", ({"A": ([1, 2, 3], [0.5, 0.6])},), {}, "'A': a line needs at least two pairs"),
        ("rating_chart", ({"A": ([2, 2], [0.5, 0.6])},), {}, "with different ratings, each with a cosine"),
        ("distance_chart", ({"A": {ONE: (0, 0, 0, 0, 0)}},), {}, "no paraphrase to compare with; found synonym 1"),
        ("tree_chart", (["a", "b"], [(0, "nsubj", 0)]), {}, "two different words, counted from 0 to 1"),
        ("tree_chart", (["a", "b"], [(0, "nsubj", 2)]), {}, "must join two different words"),
        ("tree_chart", (["a", "b"], [(-1, "nsubj", 0)]), {}, "must join two different words"),
        ("resample_chart", ({"a": [np.nan]}, {"a": 0}), {}, "finite"),
        ("stacked_chart", (["A"], {name: {"A": 1} for name in "abcd"}), {}, "4 series"),
    ],
)
def test_what_cannot_be_drawn_is_refused(chart, parts, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(plots, chart)(*parts, **options)


if __name__ == "__main__":
    sections = "".join(f"\n== {name}\n{drawn(name)}\n" for name in CASES)
    CHARTS.write_text(f"What each case of tests/test_plots.py draws.\n{sections}", encoding="utf-8")
