"""Figures are tested by what they draw and by what their alternative text says, not by pixels.

What each case draws stands in ``tests/data/charts.txt``, as nbval sees it. After a change that is meant to alter it:
``python tests/test_plots.py``, and read the difference.
"""

from pathlib import Path

import numpy as np
import pytest
from browser.checks import GROUNDS, contrast, luminance
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from cdsm_lib import plots
from cdsm_lib.evaluation.results import Result, Results
from cdsm_lib.plots.figure import SMALLEST

CHARTS = Path(__file__).with_name("data") / "charts.txt"
XY = {"x_label": "x", "y_label": "y"}
SERIES = {
    "published": {"SPLF": 0.497, "Addition": (0.472, None, None)},
    "full": {"SPLF": (0.44, 0.38, 0.5), "Addition": (-0.45, -0.5, 0.51)},
    "this run": {"SPLF": (0.7, 0.6, 0.8)},
}
BOARD = {
    "RELPRON": {"highest": {"SIF": (0.4, 0.3, 0.5)}, "behind": {"PLF": (0.3, 0.2, 0.35)}},
    "phrase similarity": {"highest": {"PLF": (0.46, 0.4, 0.5)}, "level": {"SIF": (0.45, 0.4, 0.5)}},
}
CURVES = {"SPLF": {1: (0.1, 0.05, 0.2), 10: (0.3, 0.2, 0.4)}, "PLF": {1: (0.05, 0.0, 0.1), 10: None}}
PROFILE = {"Add": {"a": (0.6, 0.5, 0.7), "c": (0.4, None, None)}, "Mult": {"a": (0.7, 0.6, 0.8), "b": (0.5, 0.4, 0.6)}}
WINDOWS = {
    "window 1": {"word2vec": {2: (0.6, 0.5, 0.7), 3: 0.4}, "overlap": {2: (0.55, 0.5, 0.6)}},
    "window 2": {"dep2vec": {2: (0.7, 0.6, 0.8), 3: (0.5, 0.4, 0.6)}, "word2vec": {2: (0.65, 0.6, 0.75), 3: 0.45}},
    "dependency": {"dep2vec": {2: (0.8, 0.7, 0.9), 3: (0.6, 0.5, 0.7)}},
}
ROC = {"M&L add": ([0, 0.25, 1], [0, 0.5, 1], 0.625), "Overlap": ([0.0, 0.5, 1.0], [0.0, 0.5, 1.0], 0.5)}
COUNTS = {"phrases": {"clauses": 255, "tags": 188}, "targets": {"tags": 745}}
VERDICTS = {"holds": {"A": 3, "B": 1}, "undecided": {"A": 2}, "fails": {"A": 1, "B": 0}}
LEFT = {"terms": {"terms": 40}, "properties": {"kept": 2000}}
CASES = {
    "systems": ("dot_chart", (["SPLF", "Addition"], SERIES), {"title": "Table 6"}),
    "board": ("dot_chart", (["SIF", "PLF"], BOARD), {"width": 9.0, "reference": ("chance", {"RELPRON": 0.02}),
                                                     "measure": {"RELPRON": "MAP", "phrase similarity": "rho"}}),
    "board for a phone": ("dot_chart", (["SIF", "PLF"], BOARD), {"most": 2, "width": 3.55}),
    "lines": ("line_chart", (CURVES,), XY | {"log_x": True, "hollow": {"SPLF": {1700: 0.497}}}),
    "named places": ("line_chart", (PROFILE,), XY | {"references": {"Random": 0.68, "best": 0.9}}),
    "close places": ("line_chart", ({"A": {x: 0.5 for x in (1, 2, 99, 100, 200)}},), XY),
    "panels": ("line_chart", (WINDOWS,), XY | {"title": "Senses", "references": {"chance": {2: 0.5, 3: 0.333}},
                                               "hollow": {"window 2": {"dep2vec": {2: 0.6}}}}),  # fmt: skip
    "ROC": ("roc_chart", (ROC,), {"title": "Cat/Dog"}),
    "counts": ("bar_chart", (["clauses", "tags"], COUNTS), XY | {"reference": {"targets": 732}}),
    "pieces": ("bar_chart", (["A", "B"], VERDICTS), {"stacked": True, "x_label": "claims", "title": "Verdicts"}),
    "funnel": ("bar_chart", (["terms", "kept"], LEFT), {"log_x": True}),
    "heat map with a gap": ("heat_map", ([[0.1, np.nan], [0.5, 0.9]], ["SPLF", "PLF"], ["device", "player"]), {}),
    "long row": ("heat_map", ([[1, 0]], ["a claim that is long. " * 3], ["full", "window 2"]), {}),
    "matrix": ("heat_map", ([[0, 1], [1, -2]], ["x", "y"], ["a", "a long name"]), {"title": "Vo", "measure": "weight"}),
    "vector": ("heat_map", ([0.5, 1],), {}),
    "names": ("scatter_chart", ({"small": (10, 1), "large": (999, 3), "near": (999, 3.01)},), XY),
    "resamples": ("histogram_chart", ({"paired": [0.05, 0.05, 0.15, 0.25], "unpaired": [0.15] * 4},
                                      {"paired": 0.3, "unpaired": -0.1}), {}),
    "boxes": ("box_diagram", ({"word": {"h": (0, 0), "a": (1, 0, "argument")}, "phrase": {"p": (0.5, 1)}},
                              [("h", "p"), ("a", "p", "V")]), {}),
    "arrows": ("draw_vectors", ([[1, 2], [3, -1]], ["hn", "arg"]), {"sums": [(0, 1)]}),
    "years": ("timeline_chart", ({"tasks": {"WiC": 2019, "PAWS": 2019}, "models": {"BERT": 2019}},), {}),
}  # fmt: skip


def drawn(chart: str, *parts, **options) -> str:
    """What nbval compares of a chart."""
    return getattr(plots, chart)(*parts, **options)._repr_mimebundle_()[0]["text/plain"]


@pytest.fixture(scope="module")
def charts() -> dict[str, str]:
    sections = CHARTS.read_text(encoding="utf-8").split("\n== ")[1:]
    return dict(section.rstrip("\n").split("\n", 1) for section in sections)


def test_every_chart_has_a_case_and_every_case_is_kept(charts):
    assert list(charts) == list(CASES)
    assert {chart for chart, *_ in CASES.values()} == set(plots.__all__) - {
        "AltText", "Picture", "plotted", "png", "results_chart",
    }  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_chart_draws_what_it_is_given_in_type_that_can_be_read(charts, name):
    chart, parts, options = CASES[name]
    assert drawn(chart, *parts, **options) == charts[name]
    figure, _ = getattr(plots, chart)(*parts, **options)
    figure.draw_without_rendering()
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= SMALLEST


def test_what_a_chart_draws_is_written_alike_on_machines_that_differ_in_the_last_digits():
    values = np.array([1.0, 0.125, 0.5, 0.3333, 0.255])
    texts = {drawn("line_chart", {"a": dict(enumerate(values * (1 + error)))}, **XY) for error in (0, 1e-6, -1e-6)}
    assert len(texts) == 1 and "(1, 0.13) (2, 0.5)" in texts.pop()


def test_results_chart_takes_results():
    names = ("SPLF", "Skip-Gram", "relpron")
    rows = [Result(*names, split, "MAP", 0.44, 0.38, 0.5, published=0.497) for split in ("test", "dev")]
    rows.append(Result("SPLF", "Skip-Gram", "another set", "dev", "MAP", 0.1))
    full = Results("relpron", "rimell2016", "full", results=rows)
    _, alt = plots.results_chart(full, None, ["SPLF", "PLF"], split="dev")
    assert alt == "Systems compared, MAP. SPLF: published 0.50, full 0.44."


def test_pictures_are_repeatable_and_carry_their_text_and_leave_nothing_in_pyplot():
    from matplotlib import pyplot

    picture, again = (plots.dot_chart(["SPLF", "Addition"], SERIES) for _ in range(2))
    data, metadata = picture._repr_mimebundle_()
    assert data["image/png"] == plots.png(again.figure) and data["image/png"].startswith(b"\x89PNG")
    assert data["text/plain"] == f"{picture.alt}\n\n{plots.plotted(picture.figure)}"
    assert metadata["image/png"] == {"alt": picture.alt, "width": 672} and b"Software" not in data["image/png"]
    assert pyplot.get_fignums() == []


# ------------------------------------------------------------------------------------------------------ appearance


TURN = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])
"""What ``hue-rotate(180deg)`` makes of red, green and blue (Filter Effects Module Level 1)."""


def shown(colour, theme: str) -> np.ndarray:
    """A figure's colour as the book shows it, 0 to 1."""
    return np.array(to_rgb(colour)) if theme == "light" else np.clip(TURN @ (1 - np.array(to_rgb(colour))), 0, 1)


def ratio(one: np.ndarray, other: np.ndarray) -> float:
    return float(contrast(luminance(255 * one), luminance(255 * other)))


@pytest.mark.parametrize("theme", GROUNDS)
def test_numbers_are_legible_on_what_they_are_written_on(theme):
    grounds = []
    for squares in ([[0.0, 0.25, 0.5, 0.75, 1.0]], [[-4, -2, 0, 3, 4]]):
        image = plots.heat_map(squares).figure.axes[0].images[0]
        grounds += [colour[:3] for colour in image.to_rgba(image.get_array())[0]]
    bars = plots.bar_chart(["A", "B"], VERDICTS, stacked=True).figure.axes[0].patches
    for ground in [*grounds, *(bar.get_facecolor()[:3] for bar in bars)]:
        assert ratio(shown(ground, theme), shown("black", theme)) >= 4.5, ground


if __name__ == "__main__":
    texts = {name: drawn(chart, *parts, **options) for name, (chart, parts, options) in CASES.items()}
    sections = "".join(f"\n== {name}\n{text}\n" for name, text in texts.items())
    CHARTS.write_text(f"What each case of tests/test_plots.py draws.\n{sections}", encoding="utf-8")
