"""Pictures of results and of small linear algebra, each with a text that says what it shows.

Every drawing function returns a :class:`Picture` ``(figure, alt)``: a matplotlib figure and an alternative text built
from the plotted numbers, which begins with the title. A notebook displays both. Where there is nothing to draw, the
function raises a `ValueError`, and so it does where input is not as its docstring says.

How a figure reaches the reader
-------------------------------
In the output of a notebook the alternative text stands twice: as ``alt`` in the metadata of a PNG, and in
``text/plain``, above all that is drawn, as :func:`plotted` reads it off the figure. PNG, because nbval leaves
``image/png`` out of its comparison (its bytes depend on the fonts and libraries of a machine); it does compare
``text/plain``, so a chart of other values fails. In the rendered book :class:`AltText`, a MyST-NB plugin found through
the entry point ``myst_nb.mime_renderers``, sets the image's ``alt`` attribute from that metadata. JupyterLab shows the
image; whoever reads the notebook's file finds the text beside it.

Appearance: transparent background; text and axes in a grey that has a contrast of more than 4.5:1 on white; series in
colours of 3:1 and more, another marker for each. Four of the colours are of the palette of Okabe and Ito; its orange
and sky blue, which white washes out, are replaced by a brown and an indigo that are told apart from them with any
colour vision. Numbers on a ground of their own are black on a light or white on a dark one. For its dark theme the book
turns light and dark around in every picture (the filter in ``book/assets/custom.css``), which keeps hues and these
ratios. No text is smaller than :data:`SMALLEST`. Equal input gives equal bytes with equal versions of matplotlib.
"""

import functools
import io
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import cycle, groupby, pairwise
from math import floor, log10

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedLocator

GREY = "#6e6e6e"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A4A00", "#332288")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), GREY),
    **dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), "none"),
    "legend.labelcolor": GREY,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "svg.hashsalt": "cdsm",
    "svg.fonttype": "path",
}
DOTS_PER_INCH = 96  # one inch of the figure on screen
SHARPNESS = 2  # pixels stored for each on screen
SMALLEST = 8.0
"""Points of the smallest type in any figure."""

Point = tuple[float, float | None, float | None]
"""A value with the ends of its interval, or None."""
Values = Mapping[str, Sequence[float]]
Series = Mapping[str, Mapping[str, Point]]
Lines = Mapping[str, Mapping[float | str, Point | float]]
"""Series, each with a value at some places: numbers or names."""
Version = tuple[str, int | None]
"""Kind of a sentence's version, and how many of its words are replaced: ("synonym", 2)."""
PARAPHRASE = ("paraphrase", None)
FORMS = ("passive", "nominal", "swapped", "unrelated")


def _styled(draw):
    """A drawing function that uses the book's style."""

    @functools.wraps(draw)
    def styled(*parts, **options):
        with rc_context(STYLE):
            figure, alt = draw(*parts, **options)
        return Picture(figure, " ".join(alt.split()))

    return styled


def _chart(draw):
    """A drawing function that uses the book's style, and refuses an empty part of what it is to draw."""

    @functools.wraps(draw)
    def checked(*parts, **options):
        if not all(map(_some, parts)):
            raise ValueError("nothing to draw: every series needs at least one value")
        return _styled(draw)(*parts, **options)

    return checked


def _some(part) -> bool:
    """Whether a part, and every value of a mapping, has something in it."""
    if isinstance(part, Mapping):
        return len(part) > 0 and all(map(_some, part.values()))
    return not isinstance(part, Sized) or len(part) > 0


# ---------------------------------------------------------------------------------------------------------------------
# What a figure draws, as text


def plotted(figure: Figure) -> str:
    """What a figure draws, as lines of text that a test can compare.

    For each pair of axes: title, labels, scales, limits and the names of ticks; then each series with its kind, its
    marker, its name and the places of its points; then texts with their places. Numbers are rounded in steps of about
    a hundredth of the largest of their column, so that the text is the same on machines whose results differ in their
    last digits. Of more than a dozen points each column is written for itself, as a step and how many of it.

    Parameters
    ----------
    figure : matplotlib Figure

    Returns
    -------
    str

    Examples
    --------
    >>> print(plotted(spectrum_chart([3.0, 2.0, 1.0]).figure))
    axes
    x: place, linear, 0.9 to 3.1
    y: singular value, linear, 0 to 3.1
    line .: (1, 3) (2, 2) (3, 1)
    """
    lines = [f"title: {text.get_text()}" for text in figure.texts if text.get_text()]
    for axes in figure.axes:
        if axes.get_visible():
            lines += _described(axes)
    legends = ([text.get_text() for text in legend.get_texts()] for legend in figure.legends)
    return "\n".join([*lines, *(f"legend: {' | '.join(names)}" for names in legends)])


def _described(axes) -> Iterator[str]:
    """The lines of :func:`plotted` for one pair of axes."""
    yield f"axes: {' '.join(axes.get_title().split())}".removesuffix(": ")
    for name, axis, ends in (("x", axes.xaxis, axes.get_xlim()), ("y", axes.yaxis, axes.get_ylim())):
        parts = axis.get_label_text(), axis.get_scale(), " to ".join(_rounded(np.array(ends)))
        named = axis.get_ticklabels() if isinstance(axis.get_major_locator(), FixedLocator) else []
        ticks = " | ".join(" ".join(text.get_text().split()) for text in named)
        yield f"{name}: {', '.join(filter(None, parts))}" + (f"; {ticks}" if ticks.strip(" |") else "")
    for name, parts in groupby(_series(axes), key=lambda part: part[0]):
        points = np.vstack([np.ma.filled(part[1], np.nan) for part in parts])
        if len(points) > 12:
            name, shown = f"{name} of {len(points)}", "; ".join(map(_in_steps, points.T))
        else:
            shown = " ".join(_places(points))
        yield f"{name}: {shown}"
    if axes.texts:
        places = _places(np.array([getattr(text, "xy", text.get_position()) for text in axes.texts], dtype=float))
        yield "texts: " + " ".join(f"{text.get_text()!r} {at}" for text, at in zip(axes.texts, places, strict=True))


def _series(axes) -> Iterator[tuple[str, np.ndarray]]:
    """What each thing on the axes, but for texts, is called, and its points as rows of numbers."""
    names = {part: group.get_label() for group in axes.containers for part in group.get_children()}

    def called(kind: str, part) -> str:
        label = names.get(part, part.get_label())
        return kind if label.startswith("_") else f"{kind} {label!r}"

    for line in axes.lines:
        if line.get_marker() not in ("|", "_"):  # the ends of intervals, which are among the collections
            yield called(f"line {line.get_marker()}".removesuffix(" None"), line), line.get_xydata()
    for patch in axes.patches:
        yield called("box", patch), patch.get_path().get_extents(patch.get_patch_transform()).extents[None]
    for many in axes.collections:
        corners = np.vstack([np.empty((0, 2)), *(path.vertices for path in many.get_paths())])
        yield called("shapes", many), many.get_offsets() if isinstance(many, PathCollection) else corners
    for image in axes.images:
        yield called("shades", image), image.get_array().reshape(-1, 1)


def _places(points: np.ndarray) -> list[str]:
    """Points, the rows, as text."""
    return [f"({', '.join(point)})" for point in zip(*map(_rounded, points.T), strict=True)]


def _in_steps(numbers: np.ndarray) -> str:
    """Numbers as a step and how many of it; a run of equal ones once: 0.01 x 3 4 5*12."""
    step, whole = _steps(numbers)
    runs = [(f"{number + 0.0:.0f}", len(list(same))) for number, same in groupby(whole)]
    return f"{step:g} x {' '.join(text if n == 1 else f'{text}*{n}' for text, n in runs)}"


def _rounded(numbers: np.ndarray) -> list[str]:
    """Numbers, rounded to :func:`_steps`."""
    step, whole = _steps(numbers)
    return [f"{number + 0.0:.6g}" for number in whole * step]


def _steps(numbers: np.ndarray) -> tuple[float, np.ndarray]:
    """A power of ten, of which 32 to 316 go up to the largest number, and how many of it each number is.

    All are moved by an odd part of a step, so that what computes to 0.125 or to 1 on one machine and to a bit less on
    another is written alike.
    """
    most = np.nanmax(np.abs(numbers), initial=0.0)
    step = 10.0 ** floor(log10(1.0123 * most) - 1.5) if most > 0 else 1.0
    return step, np.round(numbers / step + 0.0123)


# ---------------------------------------------------------------------------------------------------------------------
# A figure and its text


def png(figure: Figure) -> bytes:
    """The figure as PNG, without dates or names of programs."""
    buffer = io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(
            buffer, format="png", transparent=True, dpi=DOTS_PER_INCH * SHARPNESS, metadata={"Software": None}
        )
    return buffer.getvalue()


@dataclass(frozen=True)
class Picture:
    """A figure with its alternative text; a notebook displays both. It unpacks into the two.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        What the figure shows, in words and numbers.
    """

    figure: Figure
    alt: str

    def __iter__(self) -> Iterator:
        return iter((self.figure, self.alt))

    def _repr_mimebundle_(self, include=None, exclude=None):
        width = round(self.figure.get_figwidth() * DOTS_PER_INCH)
        data = {"image/png": png(self.figure), "text/plain": f"{self.alt}\n\n{plotted(self.figure)}"}
        return data, {"image/png": {"alt": self.alt, "width": width}}


class AltText:
    """MyST-NB plugin: images get the alternative text that stands in their output's metadata.

    Named in the entry points of the package, group ``myst_nb.mime_renderers``.
    """

    mime_priority_overrides = ()

    @staticmethod
    def handle_mime(renderer, data, inline: bool):
        """The image's node with its ``alt`` attribute; None for outputs that carry no such text."""
        alt = data.output_metadata.get(data.mime_type, {}).get("alt")
        if alt is None or not data.mime_type.startswith("image/"):
            return None
        nodes = renderer.render_image(data)
        for node in nodes:
            node["alt"] = alt
        return nodes


def _told(head: str, sentences: Iterable[str], between="; ") -> str:
    """What a picture is of, then what it shows."""
    return f"{head}. {between.join(sentences)}."


def _number(value: float, decimals=2) -> str:
    return f"{round(float(value), decimals) + 0.0:.{decimals}f}"  # no minus before a zero


def _first(point: Point | float) -> float:
    """A value, or the first of a point."""
    return point[0] if isinstance(point, Sequence) else point


def _pairs(values: Mapping[str, float | Point] | Iterable[tuple[str, float | Point]], decimals=2) -> str:
    """Names, each with its value."""
    pairs = values.items() if isinstance(values, Mapping) else values
    return ", ".join(f"{name} {_number(_first(value), decimals)}" for name, value in pairs)


def _called(version: Version) -> str:
    """A version's name: "synonym 2"."""
    return " ".join(str(part) for part in version if part is not None)


def _by_row(series: Mapping[str, Mapping], rows: Iterable[str], decimals=2) -> list[str]:
    """Of each row its value, or the first of several, in every series that has one."""
    return [f"{row}: {_pairs({name: of[row] for name, of in series.items() if row in of}, decimals)}" for row in rows]


# ---------------------------------------------------------------------------------------------------------------------
# What the charts share


def colour(i: int) -> str:
    """Colour of series `i`; the palette repeats, the markers do so later."""
    return COLOURS[i % len(COLOURS)]


def marker(i: int) -> str:
    """Marker of series `i`."""
    return MARKERS[i % len(MARKERS)]


def _look(i: int) -> dict:
    """Colour, marker and line of series `i`: dashed where the palette repeats."""
    return {"color": colour(i), "marker": marker(i), "linestyle": "-" if i < len(COLOURS) else "--"}


THEIRS = {"markersize": 9, "fillstyle": "none", "linestyle": ":"}


def _few(what: str, *names: Iterable[str], most=8) -> list[str]:
    """All names, each once; `ValueError` if there are more than can be told apart."""
    together = list(dict.fromkeys(name for some in names for name in some))
    if len(together) > most:
        raise ValueError(f"{len(together)} {what} in one picture: {most} can be told apart, draw two pictures")
    return together


def _expect_fitting(series: Mapping[str, Sequence], cases: Sequence, what: str) -> None:
    """Refuse a series that has not one value a case."""
    for name, values in series.items():
        if len(values) != len(cases):
            raise ValueError(f"{name!r} has {len(values)} values for {len(cases)} {what}")


def _figure(width: float, height: float, title="", x_label="", y_label="", grid=None) -> tuple[Figure, "object"]:
    """A figure that no window or notebook knows of, with one pair of axes, and grey lines along the axis `grid`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    if grid:
        axes.grid(axis=grid, color=GREY, alpha=0.25)
    return figure, axes


def _panels(names: Collection[str], most: int, height: float, title="", x_label="", y_label="", grid="y", own=""):
    """A figure of named pairs of axes of a height, `most` or fewer side by side, with common labels and scales.

    Each panel has a scale of its own on the axis `own`, "x" or "y".
    """
    names = list(names)
    rows = -(-len(names) // most)
    columns = -(-len(names) // rows)
    figure = Figure(figsize=(7, 1.2 + height * rows), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(rows, columns, sharex=own != "x", sharey=own != "y", squeeze=False).flatten()
    for i, (axes, name) in enumerate(zip(panels, names, strict=False)):
        axes.set_title(name, fontsize=STYLE["font.size"])
        if grid:
            axes.grid(axis=grid, color=GREY, alpha=0.25)
        if i % columns == 0:
            axes.set_ylabel(y_label)
        if i + columns >= len(names):  # the lowest of its column
            axes.set_xlabel(x_label)
            axes.tick_params(labelbottom=True)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    return figure, list(panels[: len(names)])


def _legend(figure: Figure, order: Iterable[str] = (), most=4, title=None, more=(), size=None, side="lower") -> None:
    """A legend below the axes, or above, of as many columns as the figure's width and `most` allow.

    Of all that has a label, in the order given or found; `more` are further (handle, name) at the end.
    """
    size = size or STYLE["font.size"]
    of = {name: handle for axes in figure.axes for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    handles = {name: of[name] for name in order or of} | {name: handle for handle, name in more}
    column = max(_type_width(name, size) for name in handles) + 4.8 * size  # its marker and a gap
    room = int(72 * figure.get_figwidth() // column)
    columns = max(1, min(room, most, len(handles)))
    figure.legend(handles.values(), handles, loc=f"outside {side} center", ncols=columns, title=title, fontsize=size)


def _type_width(text: str, size: float) -> float:
    """Width in points of a text as it is drawn."""
    font = FontProperties(family=STYLE["font.family"], size=size)
    return text_to_path.get_text_width_height_descent(text, font, False)[0]


def _name_rows(axes, rows: Sequence[str]) -> None:
    """Rows from top to bottom."""
    axes.set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5))


def _beside(n: int, reach: float) -> np.ndarray:
    """How far each of n series stands off, so that none hides another."""
    return np.linspace(-reach, reach, n) if n > 1 else np.zeros(n)


def _aside(n: int) -> np.ndarray:
    """Steps to the side for each of n series, in all around 0."""
    return np.arange(n) - (n - 1) / 2


def _rows(points: Iterable[Sequence[float | None]], columns=4) -> np.ndarray:
    """Points as the rows of an array, with NaN for None."""
    return np.array(list(points), dtype=float).reshape(-1, columns)


def _references(axes, values: Mapping[str, float]) -> list[str]:
    """Lines across, the first dotted, the others in other dashes; and what they are."""
    for (name, value), dashes in zip(values.items(), cycle((":", "-.", (0, (6, 2)))), strict=False):
        axes.axhline(value, color=GREY, linestyle=dashes, label=f"{name} ({_number(value, 3)})")
    return [f"{name} {_number(value, 3)}" for name, value in values.items()]


def _whiskers(points: np.ndarray) -> np.ndarray:
    """How far the intervals of points (value, low, high) reach, as `errorbar` takes it; 0 where there is no end."""
    value, low, high = points.T
    return np.nan_to_num(np.maximum([value - low, high - value], 0))


def _line(axes, i: int, name: str, x: Iterable[float], points: Iterable, faint=0.5, **look) -> None:
    """Line of series `i` through points (value, low, high), with whiskers; a point may be None and is left out."""
    drawn = _rows((place, *point) for place, point in zip(x, points, strict=True) if point is not None)
    axes.plot(*drawn[:, :2].T, label=name, **_look(i), **look)
    whiskers = _whiskers(drawn[:, 1:])
    axes.errorbar(*drawn[:, :2].T, yerr=whiskers, fmt="none", color=colour(i), capsize=2, alpha=faint)


def _marks(axes, rows: Sequence[str], series: Series, reach: float) -> None:
    """Rows of points (value, low, high), a marker for each series, with whiskers."""
    for i, (offset, (name, of)) in enumerate(zip(_beside(len(series), reach), series.items(), strict=True)):
        drawn = _rows((place + offset, *of[row]) for place, row in enumerate(rows) if row in of)
        look = {"fmt": marker(i), "color": colour(i), "capsize": 2, "label": name}
        axes.errorbar(drawn[:, 1], drawn[:, 0], xerr=_whiskers(drawn[:, 1:]), **look)
    _name_rows(axes, rows)


def _write(axes, text: str, at: tuple, off: tuple = (4, 0), **look) -> None:
    """A text beside a point, off by so many points of type."""
    axes.annotate(text, at, off, textcoords="offset points", **{"va": "center", **look})


# ---------------------------------------------------------------------------------------------------------------------
# Results


@_chart
def systems_chart(rows: Sequence[str], series: Series, *, measure="MAP", title="") -> Picture:
    """Systems down the page, and for each its figure in every series with its interval.

    The rows may be other things too: parts of speech, with a series for each tagger; or words, with a series for each
    of two phrases and the cosine as the measure.

    Parameters
    ----------
    rows : sequence of str
        Systems, top to bottom.
    series : mapping of name to mapping of system to (value, low, high)
        Such as "published", "full" and "this run"; low and high may be None; systems may be missing.
    measure, title : str
    """
    figure, axes = _figure(7, 1.2 + 0.2 * len(rows) * max(len(series), 2), title, measure, grid="x")
    _marks(axes, rows, series, 0.25)
    axes.set_xlim(left=axes.get_xlim()[0] if axes.dataLim.x0 < 0 else 0)
    _legend(figure, most=len(series))
    return figure, _told(f"{title or 'Systems compared'}, {measure}", _by_row(series, rows))


def results_chart(full, this_run, rows: Iterable[str], *, measure="MAP", title="", **where) -> Picture:
    """:func:`systems_chart` of results: published, full and this run.

    Parameters
    ----------
    full, this_run : Results or None
    rows : iterable of str
        Systems, top to bottom; those without any figure are left out.
    measure, title : str
    **where
        The fields that choose the results, such as ``split="dev"``; of several for one system the first is drawn.
    """
    series = {"published": {}, "full": {}, "this run": {}}
    for run, results in (("full", full), ("this run", this_run)):
        for result in results.find(**where) if results else ():
            series[run].setdefault(result.system, (result.value, result.low, result.high))
            if result.published is not None:
                series["published"].setdefault(result.system, (result.published, None, None))
    rows = [row for row in rows if any(row in of for of in series.values())]
    series = {name: {row: of[row] for row in rows if row in of} for name, of in series.items()}
    return systems_chart(rows, {name: of for name, of in series.items() if of}, measure=measure, title=title)


@_chart
def probe_chart(means: Series, *, order: Sequence[str] = FORMS, title="") -> Picture:
    """Mean similarity of a sentence with its altered forms: a row of marked points for each system.

    A system sees through a change of syntax if *passive* and *nominal* lie to the right of *swapped*, through whose
    mean each row has a dashed line.

    Parameters
    ----------
    means : mapping of system to mapping of form to (mean, low, high)
        Systems from top to bottom; low and high may be None. The axis goes from 0 to 1, further if a value lies beyond.
    order : sequence of str
        The forms, as the legend and each row, from top to bottom, have them.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, or a system lacks one of the forms.
    """
    for system, forms in means.items():
        if missing := [form for form in order if form not in forms]:
            raise ValueError(f"{system!r} has no mean of {', '.join(missing)}; found {', '.join(forms)}")
    figure, axes = _figure(7, 1.3 + 0.55 * len(means), title, "similarity", grid="x")
    places = np.arange(len(means))
    series = {form: {name: of[form] for name, of in means.items()} for form in order}
    if "swapped" in series:
        swapped = [mean for mean, *_ in series["swapped"].values()]
        look = {"color": colour(list(order).index("swapped")), "linestyle": "--", "linewidth": 1}
        axes.vlines(swapped, places - 0.4, places + 0.4, zorder=1, **look)
    _marks(axes, list(means), series, 0.27)
    for between in places[1:]:
        axes.axhline(between - 0.5, color=GREY, linewidth=0.6, alpha=0.5)
    axes.tick_params(axis="y", length=0)
    left, right = min(axes.dataLim.x0, 0), max(axes.dataLim.x1, 1)
    axes.set_xlim(left - 0.02 * (right - left), right + 0.02 * (right - left))
    _legend(figure, most=len(order))
    return figure, _told(f"{title or 'Similarity with altered sentences'}, means", _by_row(series, means, 3))


@_chart
def roc_chart(curves: Mapping[str, tuple[Sequence[float], Sequence[float], float]], *, title="") -> Picture:
    """ROC curves of a few systems on square axes, with the diagonal of chance dashed.

    Parameters
    ----------
    curves : mapping of system to (false positive rates, true positive rates, AUC)
        Eight at most, each with rates that go from (0, 0) to (1, 1), as of
        :func:`cdsm_lib.evaluation.metrics.roc_curve`.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, there are more than eight systems, or a curve is none.
    """
    _few("curves", curves)
    figure, axes = _figure(7, 4.1, title, "false positive rate", "true positive rate", grid="both")
    axes.plot([0, 1], [0, 1], color=GREY, linestyle=":", label="chance (0.500)")
    for i, (name, (false_rate, true_rate, area)) in enumerate(curves.items()):
        rates = np.column_stack([false_rate, true_rate])
        if not (np.diff(rates, axis=0) >= 0).all() or (*rates[0], *rates[-1]) != (0, 0, 1, 1):  # NaN too
            raise ValueError(f"{name!r}: the rates must rise from (0, 0) to (1, 1)")
        # Places in diagonals of the axes: evenly spaced along the curve, each curve from a start of its own.
        axes.plot(*rates.T, **_look(i), markevery=(0.12 + 0.02 * i, 0.17), label=f"{name} ({_number(area, 3)})")
    ticks = np.linspace(0, 1, 6)
    axes.set(aspect="equal", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xticks=ticks, yticks=ticks)
    chance, *lines = axes.lines
    figure.legend(handles=[*lines, chance], loc="outside right center", title="system (AUC)")
    areas = _pairs({name: area for name, (_, _, area) in curves.items()}, 3)
    return figure, _told(
        f"{title or 'ROC curves'}, true against false positive rate", [f"AUC: {areas}", "chance 0.500"]
    )


@_chart
def line_chart(
    series: Lines | Mapping[str, Lines], *, x_label: str, y_label: str, title="", log_x=False, references=None,
    hollow=None, called="published", order: Sequence[str] = (),
) -> Picture:
    """A measure against numbers or named cases, a line a series with intervals; in panels, if they are nested.

    Learning curves, sweeps of a setting, losses, profiles over the positions of a phrase. Where there are intervals,
    the series stand a little side by side.

    Parameters
    ----------
    series : mapping of name to mapping of place to value, or to (value, low, high); or a mapping of panels to such
        Places are numbers, drawn on an axis, or names, one after the other as they first come; a series may lack some,
        or have None there. low and high may be None.
    x_label, y_label, title : str
        What the places are, and the measure.
    log_x : bool
        A logarithmic axis of places, all positive.
    references : mapping of name to a value, or to a mapping of place to value
        To compare with, such as chance: grey lines across.
    hollow : mapping of name to mapping of place to value
        What belongs to a series without panels, in its colour on a dotted line: published, or held-out values.
    called : str
        What these are.
    order : sequence of str
        Series in the order in which they get colours and markers, so that they look alike in several charts.

    Raises
    ------
    ValueError
        If there is nothing to draw, there are more than twelve series, or a logarithmic axis has a place of 0 or less.

    Examples
    --------
    >>> figure, alt = line_chart({"SPLF": {1: 0.25, 10: (0.5, 0.4, 0.6)}}, x_label="sentences", y_label="MAP")
    >>> alt
    'Lines, MAP by sentences. SPLF: 0.250 at 1, 0.500 at 10.'
    """
    nested = isinstance(next(iter(next(iter(series.values())).values())), Mapping)
    panels = {name: _there(panel) for name, panel in (series if nested else {"": series}).items()}
    hollow, references = hollow or {}, references or {}
    names = _few("series", order, *panels.values(), most=2 * len(COLOURS))
    lines = [line for panel in [*panels.values(), hollow] for line in panel.values()]
    places = list(dict.fromkeys(place for line in lines for place in line))
    named = isinstance(places[0], str)
    if not named:
        places.sort()
    if log_x and places[0] <= 0:
        raise ValueError(f"{x_label} {places[0]:g} has no place on a logarithmic axis; pass log_x=False")
    along = np.arange(len(places)) if named else np.log(places) if log_x else np.array(places, dtype=float)
    intervals = any(low is not None for line in lines for _, low, _ in map(_point, line.values()))
    offsets = _beside(len(names), 0.15) if named else 0.01 * np.ptp(along) * intervals * _aside(len(names))
    at = dict(zip(places, along, strict=True))

    def across(line: Iterable, offset=0.0) -> np.ndarray:
        """Where a line's places are on the axis."""
        moved = np.array([at[place] for place in line]) + offset
        return np.exp(moved) if log_x else moved

    if nested:
        figure, grid = _panels(panels, 2, 2.4, title, x_label, y_label)
    else:
        figure, axes = _figure(7, 4.4, title, x_label, y_label, grid="y")
        grid = [axes]
    told = []
    for axes, (panel, drawn) in zip(grid, panels.items(), strict=True):
        for i, (name, offset) in enumerate(zip(names, offsets, strict=True)):
            if name in drawn:
                _line(axes, i, name, across(drawn[name], offset), map(_point, drawn[name].values()))
                told.append(f"{panel + ', ' if nested else ''}{name}: {_along(drawn[name])}")
            if name in hollow:
                look = {"color": colour(i), "marker": marker(i), **THEIRS}
                axes.plot(across(hollow[name], offset), list(hollow[name].values()), **look)
                told.append(f"{name}, {called}: {_along(hollow[name])}")
        curves = {name: curve for name, curve in references.items() if isinstance(curve, Mapping)}
        for name, curve in curves.items():
            axes.plot(across(curve), list(curve.values()), color=GREY, linestyle=":", label=name)
        levels = _references(axes, {name: level for name, level in references.items() if name not in curves})
        if log_x:
            axes.set_xscale("log")
        ticks = places if named else _with_room(places, along)
        axes.set_xticks(across(ticks), list(map(_place, ticks)))
        axes.minorticks_off()
        if named:
            axes.set_xlim(-0.5, len(places) - 0.5)
    told += [*(f"{name}: {_along(curve)}" for name, curve in curves.items()), *levels]
    theirs = Line2D([], [], color=GREY, marker="o", **THEIRS)
    _legend(figure, most=3, more=[(theirs, called)] if hollow else ())
    return figure, _told(f"{title or 'Lines'}, {y_label} by {x_label}", told, ". ")


def _point(value: Point | float) -> Point:
    """A value with its ends, if it has any."""
    return tuple(value) if isinstance(value, Sequence) else (value, None, None)


def _there(lines: Lines) -> Lines:
    """The lines without the places that have no value, and without those that have none at all."""
    given = {name: {place: value for place, value in line.items() if value is not None} for name, line in lines.items()}
    return {name: line for name, line in given.items() if line}


def _place(place: float | str) -> str:
    """A place's name, or its number with three digits."""
    return place if isinstance(place, str) else f"{place:,.0f}" if place >= 100 else f"{place:.3g}"


def _along(line: Mapping) -> str:
    """A line's values as text; of more than eight the ends."""
    told = [f"{_number(_first(value), 3)} at {_place(place)}" for place, value in line.items()]
    return ", ".join(told) if len(told) <= 8 else f"from {told[0]} to {told[-1]}"


def _with_room(places: Sequence[float], along: np.ndarray) -> list[float]:
    """The places whose numbers do not stand over one another."""
    ticks = [0]
    for i in range(1, len(places)):
        if along[i] - along[ticks[-1]] >= 0.05 * (along[-1] - along[0]):
            ticks.append(i)
    return [places[i] for i in ticks]


@_chart
def rating_chart(panels: Mapping[str, tuple[Sequence[float], Sequence[float]]], *, x_label="mean rating", title=""):
    """Similarity of a model against the mean rating of people, a panel for each strategy, with a line of least squares.

    A ring is a pair. The scales are common to all panels: where a strategy lifts the dissimilar pairs, its line begins
    higher and rises less.

    Parameters
    ----------
    panels : mapping of strategy to (ratings, similarities)
        A panel each, three side by side; at least two pairs with different ratings.
    x_label, y_label, title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, ratings and similarities do not fit, or all ratings of a panel are equal.
    """
    figure, grid = _panels(panels, 3, 2.5, title, x_label, "cosine", grid="both")
    sentences = []
    for axes, (name, (ratings, cosines)) in zip(grid, panels.items(), strict=True):
        if len(ratings) != len(cosines) or len(set(ratings)) < 2:
            raise ValueError(f"{name!r}: a line needs at least two pairs with different ratings, each with a cosine")
        slope, start = np.polyfit(ratings, cosines, 1)
        ends = np.array([min(ratings), max(ratings)])
        axes.plot(ratings, cosines, "o", color=colour(0), fillstyle="none", markersize=4, label="pair")
        axes.plot(ends, start + slope * ends, color=colour(1), linewidth=2, label="least squares")
        first, last = (f"{_number(start + slope * end)} at {_number(end)}" for end in ends)
        sentences.append(f"{name}, {len(ratings)} pairs: the line goes from {first} to {last}")
    _legend(figure)
    return figure, _told(f"{title or 'Ratings'}, cosine against {x_label}", sentences)


# ---------------------------------------------------------------------------------------------------------------------
# Versions of a sentence


def _distances(values: Sequence[float]) -> list[str]:
    """Distances as text: three decimals, more where all are small, as those of an autoencoder are."""
    most = max(values)
    decimals = max(3, 1 - floor(log10(most))) if most > 0 else 3
    return [_number(value, decimals) for value in values]


def _kinds(systems: Mapping[str, Iterable[Version]]) -> list[str]:
    """The kinds of the versions, without the paraphrase, which each system must have, as they first come."""
    for name, versions in systems.items():
        if PARAPHRASE not in versions:
            raise ValueError(f"{name!r} has no paraphrase to compare with; found {', '.join(map(_called, versions))}")
    kinds = dict.fromkeys(kind for versions in systems.values() for kind, _ in versions)
    return [kind for kind in kinds if kind != PARAPHRASE[0]]


@_chart
def distance_chart(panels: Mapping[str, Mapping[Version, Sequence[float]]], *, title="") -> Picture:
    """How far versions of a sentence are from it: the distribution of cosine distances, a panel for each system.

    A dot at the median, a box from the first to the third quartile, and a line from 5% to 95%; kinds of version with
    more and more words replaced are alike in colour. Each panel has a scale of its own, from 0, for what counts is on
    which side of the paraphrase's median, a dashed line, a kind lies: distances of two systems are not comparable.

    Parameters
    ----------
    panels : mapping of system to mapping of version to (5%, 25%, 50%, 75%, 95%)
        Quantiles of distances. Versions are kinds with how many words are replaced: ("paraphrase", None), which every
        system must have, ("synonym", 1), ("synonym", 2); rows from top to bottom as they first come; others may be
        missing from some systems.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, or a system has no paraphrase.
    """
    looks = {PARAPHRASE[0]: (GREY, "o")} | {kind: (colour(i), marker(i)) for i, kind in enumerate(_kinds(panels))}
    versions = list(dict.fromkeys(version for rows in panels.values() for version in rows))
    figure, grid = _panels(panels, 3, 0.45 + 0.2 * len(versions), title, "cosine distance", grid="x", own="x")
    sentences = []
    for axes, (name, rows) in zip(grid, panels.items(), strict=True):
        middle = rows[PARAPHRASE][2]
        axes.axvline(middle, color=GREY, linestyle="--", linewidth=1, alpha=0.7, zorder=0.5)
        for version, (low, first, median, third, high) in rows.items():
            place, (shade, sign) = versions.index(version), looks[version[0]]
            axes.plot([low, high], [place, place], color=shade, linewidth=1.2)
            axes.barh(place, third - first, left=first, height=0.56, color=shade, alpha=0.4)
            axes.plot(median, place, sign, color=shade, markersize=5)
        axes.set_xlim(0, 1.05 * max(values[-1] for values in rows.values()) or 1)
        axes.xaxis.get_major_locator().set_params(nbins=4)
        axes.tick_params(axis="y", length=0)
        medians = zip(rows, _distances([values[2] for values in rows.values()]), strict=True)
        beyond = ", ".join(_called(version) for version in rows if rows[version][2] > middle) or "none"
        told = ", ".join(f"{_called(version)} {median}" for version, median in medians)
        sentences.append(f"{name}: {told}; beyond the paraphrase: {beyond}")
    names = [_called(version) for version in versions]
    grid[0].set(yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.4, -0.6))
    return figure, _told(f"{title or 'Distances from the sentence'}, medians", sentences, ". ")


# ---------------------------------------------------------------------------------------------------------------------
# Leaderboard and verdicts

Board = Mapping[str, Mapping[str, tuple[float, float, float, str]]]
STANDINGS = {
    "best": {"label": "highest figure", "color": COLOURS[1], "marker": "*", "markersize": 10},
    "level": {"label": "not significantly behind it", "color": COLOURS[0], "marker": "o", "markersize": 5},
    "behind": {"label": "behind it", "color": COLOURS[0], "marker": "o", "markersize": 5, "markerfacecolor": "none"},
}
"""How a system's standing on a task is drawn: one that is behind is hollow."""


@_chart
def board_chart(
    rows: Sequence[str],
    panels: Board,
    *,
    chance: Mapping[str, float],
    measures: Mapping[str, str],
    narrow=False,
    title="",
) -> Picture:
    """Every system on every task: a leaderboard as a picture.

    Parameters
    ----------
    rows : sequence of str
        Systems, top to bottom.
    panels : mapping of task to mapping of system to (value, low, high, standing)
        A panel a task, side by side. The standing is "best" (the highest figure, a star), "level" (not significantly
        behind it, filled) or "behind" (hollow). Systems may be missing.
    chance : mapping of task to float
        A dashed line.
    measures : mapping of task to str
    narrow : bool
        Two panels side by side on a figure as wide as a phone, below the legend.
    title : str
    """
    columns, small, large = (2, 8.5, 8.5) if narrow else (len(panels), SMALLEST, STYLE["font.size"])
    lines = -(-len(panels) // columns)
    size = (3.55, 0.7 + lines * (0.6 + 0.15 * len(rows))) if narrow else (9, 1.5 + 0.24 * len(rows))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(lines, columns, sharey=True, squeeze=False).flatten()
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    grid, sentences = grid[: len(panels)], []
    for axes, (task, scores) in zip(grid, panels.items(), strict=True):
        if task in chance:
            axes.axvline(chance[task], color=GREY, linestyle="--", linewidth=1)
        of = {standing: [] for standing in STANDINGS}
        for place, row in enumerate(rows):
            if row in scores:
                *point, standing = scores[row]
                look = {key: value for key, value in STANDINGS[standing].items() if key != "label"}
                axes.errorbar(point[:1], [place], xerr=_whiskers(_rows([point], 3)), linewidth=1, linestyle="", **look)
                of[standing].append(row)
        axes.set_title(task.replace(" ", "\n", 1), fontsize=9)
        axes.set_xlabel(measures.get(task, ""), fontsize=9)
        axes.tick_params(axis="x", labelsize=small)
        axes.tick_params(axis="y", labelsize=large)
        axes.locator_params(axis="x", nbins=3)
        axes.grid(axis="both", color=GREY, alpha=0.2)
        axes.set_axisbelow(True)
        told = f"{task}: {_pairs({name: scores[name] for name in of['best']}, 3)}"
        told += f", not significantly ahead of {', '.join(of['level'])}" if of["level"] else ""
        least, *_, most = sorted([value for value, *_ in scores.values()] * 2)
        told += f"; the figures run from {_number(least, 3)} to {_number(most, 3)}"
        sentences.append(told + (f", chance {_number(chance[task], 3)}" if task in chance else ""))
    _name_rows(grid[0], rows)
    more = [Line2D([], [], linestyle="", **look) for look in STANDINGS.values()]
    more.append(Line2D([], [], color=GREY, linestyle="--", linewidth=1, label="chance"))
    named = [(line, line.get_label()) for line in more]
    _legend(figure, more=named, size=large, side="upper" if narrow else "lower")
    figure.suptitle(title, fontsize=STYLE["font.size"] + 1)
    return figure, _told(f"{title or 'Systems on tasks'}. The highest figure on each", sentences, ". ")


def _places_of_names(names: Sequence[str], place: np.ndarray, size=SMALLEST) -> list[tuple[float, float, str]]:
    """Where each name goes beside its point: (dx, dy, side), all in points of type; greedily, from left to right.

    Parameters
    ----------
    names : sequence of str
    place : float array [names, 2]
        Of the points.
    size : float
        Of the type.
    """
    taken = [(x - 4, x + 4, y - 4, y + 4) for x, y in place.tolist()]
    beside = {}
    for i in np.argsort(place[:, 0], kind="stable").tolist():
        (x, y), width, options = place[i].tolist(), _type_width(names[i], size), []
        for dy in (0.0, 7.0, -7.0, 12.0, -12.0, 18.0, -18.0):
            for side, dx, start in (("left", 6.0, x + 6), ("right", -6.0, x - 6 - width)):
                left, right, low, high = box = (start, start + width, y + dy - 4, y + dy + 4)
                met = sum(left < b[1] and b[0] < right and low < b[3] and b[2] < high for b in taken)
                options.append((met, box, (dx, dy, side)))
        _, box, beside[i] = min(options, key=lambda option: option[0])
        taken.append(box)
    return [beside[i] for i in range(len(names))]


@_chart
def labelled_points(
    points: Mapping[str, tuple[float, float]], *, x_label: str, y_label: str, title=""
) -> Picture:
    """Named points in a plane, such as systems by two tasks.

    Parameters
    ----------
    points : mapping of str to (float, float)
        Each name is written beside its point, where no other point or name is, if there is such a place.
    x_label, y_label, title : str
    """
    places = np.array(list(points.values()), dtype=float)
    figure, axes = _figure(7, 5, title, x_label, y_label, grid="both")
    axes.plot(*places.T, linestyle="", marker="o", markersize=5, color=colour(0))
    places -= places.min(axis=0)
    places /= np.maximum(places.max(axis=0), 1e-300)
    places *= [310, 240]  # about where the points are, in the points that type is measured in
    for (name, at), (dx, dy, side) in zip(points.items(), _places_of_names(list(points), places), strict=True):
        _write(axes, name, at, (dx, dy - 3), fontsize=SMALLEST, ha=side, va="baseline")
    axes.margins(x=0.2, y=0.08)
    told = [f"{name}: {x:.3g}, {y:.3g}" for name, (x, y) in points.items()]
    return figure, _told(f"{title or 'Points'}, {x_label} and {y_label}", told)


VERDICT_LOOKS = {
    "holds": {"marker": "o", "color": COLOURS[0]},
    "undecided": {"marker": "D", "color": GREY, "fillstyle": "none"},
    "fails": {"marker": "X", "color": COLOURS[1]},
}
"""How a verdict is drawn: told apart by shape and by filling as well as by colour."""


@_chart
def flip_chart(verdicts: Mapping[str, Sequence[str | None]], settings: Sequence[str], *, title="Verdicts") -> Picture:
    """Verdicts on claims, a row a claim and a column a setting; what differs from the first column stands in a box.

    Parameters
    ----------
    verdicts : mapping of claim to sequence of str
        For each setting ``"holds"``, ``"undecided"`` or ``"fails"``, None where the claim was not tested.
    settings : sequence of str
        Names of the columns; the first is the one with which the others are compared.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, a row has not as many verdicts as there are settings, or an unknown one, or the
        first setting has no verdict.

    Examples
    --------
    >>> figure, alt = flip_chart({"A beats B": ["holds", "undecided"], "C fails": ["fails", "fails"]}, ["full", "1/4"])
    >>> alt
    'Verdicts. A beats B: full holds; other with 1/4 (undecided). C fails: fails everywhere.'
    """
    _expect_fitting(verdicts, settings, "settings")
    for claim, row in verdicts.items():
        if row[0] not in VERDICT_LOOKS or not set(row) <= {None, *VERDICT_LOOKS}:
            there = ", ".join(map(str, row))
            raise ValueError(f"{claim!r}: a verdict is one of {', '.join(VERDICT_LOOKS)}, found {there}")
    labels = [textwrap.fill(claim, 44) for claim in verdicts]
    lines = np.array([label.count("\n") + 2 for label in labels])  # one more than it has, to part it from the next
    places = np.cumsum(lines) - lines / 2
    height = 0.16 * lines.sum() + 0.075 * max(map(len, settings)) + 1.1
    figure, axes = _figure(3.9 + max(2.5, 0.42 * len(settings)), height, title, grid="y")
    box = {"linestyle": "none", "marker": "s", "color": GREY, "fillstyle": "none"}
    sentences = []
    for y, (claim, row) in zip(places, verdicts.items(), strict=True):
        for x, verdict in enumerate(row):
            if verdict is not None:
                axes.plot(x, y, linestyle="none", markersize=9, **VERDICT_LOOKS[verdict])
            if verdict not in (None, row[0]):
                axes.plot(x, y, markersize=17, **box)
        others = [f"{name} ({v})" for name, v in zip(settings, row, strict=True) if v not in (None, row[0])]
        told = f"{settings[0]} {row[0]}; other with {', '.join(others)}" if others else f"{row[0]} everywhere"
        sentences.append(f"{claim.rstrip('.')}: {told}")
    axes.axvline(0.5, color=GREY, linewidth=0.8)
    axes.set_xticks(range(len(settings)), settings, rotation=50, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set(yticks=places, yticklabels=labels, xlim=(-0.6, len(settings) - 0.4), ylim=(lines.sum(), 0))
    axes.spines[:].set_visible(False)
    more = [(Line2D([], [], linestyle="none", markersize=9, **look), name) for name, look in VERDICT_LOOKS.items()]
    _legend(figure, more=[*more, (Line2D([], [], markersize=14, **box), f"not as with {settings[0]}")])
    return figure, _told(title.rstrip("."), sentences, ". ")


# ---------------------------------------------------------------------------------------------------------------------
# Counts and distributions


@_chart
def counts_chart(
    rows: Sequence[str], series: Mapping[str, Mapping[str, int]], *, reference=None, x_label="", y_label="", title=""
) -> Picture:
    """Several counts for each row as bars, with the numbers written beside them: what steps leave of two things.

    A histogram in groups, too: bands of frequency as rows, parts of speech as series.

    Parameters
    ----------
    rows : sequence of str
        Top to bottom.
    series : mapping of name to mapping of row to count
        Such as phrases and targets; rows may be missing.
    reference : mapping of name to count, optional
        A published count of a series, drawn as a dashed line in its colour.
    x_label, y_label : str
        What is counted, and what the rows are.
    title : str
    """
    reference = reference or {}
    height = 0.8 / len(series)
    figure, axes = _figure(7.5, 1.2 + 0.3 * len(rows) * len(series) ** 0.5, title, x_label, y_label, grid="x")
    for i, (offset, (name, counts)) in enumerate(zip(_aside(len(series)) * height, series.items(), strict=True)):
        drawn = {place + offset: counts[row] for place, row in enumerate(rows) if row in counts}
        axes.barh(list(drawn), list(drawn.values()), height=0.9 * height, color=colour(i), label=name)
        for place, n in drawn.items():
            _write(axes, f"{n:,}", (n, place), fontsize=SMALLEST)
        if name in reference:
            gaps = np.arange(len(rows) + 1) - 0.5  # between the rows, where no number stands
            label = f"{name}, published ({reference[name]:,})"
            axes.vlines([reference[name]] * len(gaps), gaps - 0.12, gaps + 0.12, color=colour(i), label=label)
    _name_rows(axes, rows)
    axes.set_xlim(0, 1.12 * max([*reference.values(), *(n for counts in series.values() for n in counts.values())]))
    _legend(figure, most=2 if reference else 4)
    told = [f"{row}: " + ", ".join(f"{of[row]} {name}" for name, of in series.items() if row in of) for row in rows]
    told += [f"published: {n} {name}" for name, n in reference.items()]
    return figure, _told(title or "Counts", told)


@_chart
def stacked_chart(rows: Sequence[str], series: Mapping[str, Mapping[str, int]], *, x_label="", title="") -> Picture:
    """Counts that add up, as one bar a row with a piece for each series and its number in it: verdicts of a paper.

    Parameters
    ----------
    rows : sequence of str
        Top to bottom.
    series : mapping of name to mapping of row to count
        Such as "holds", "undecided" and "fails", at most three; rows may be missing. A piece of 0 is not drawn.
    x_label : str
        What is counted.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, or there are more than three series.
    """
    looks = (("#0072B2", ""), ("#8F6100", "///"), ("#BD5100", ""))  # white numbers are legible on them
    _few("series", series, most=len(looks))
    figure, axes = _figure(7, 1.3 + 0.4 * len(rows), title, x_label)
    starts = np.zeros(len(rows), dtype=int)
    for (name, counts), (face, hatch) in zip(series.items(), looks, strict=False):
        sizes = np.array([counts.get(row, 0) for row in rows])
        at = np.flatnonzero(sizes)
        look = {"color": face, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5, "label": name}
        axes.barh(at, sizes[at], left=starts[at], height=0.7, **look)
        for place in at:
            ground = {"facecolor": face, "edgecolor": "none", "pad": 1.5}
            middle = starts[place] + sizes[place] / 2
            axes.text(middle, place, f"{sizes[place]}", ha="center", va="center", color="white", bbox=ground)
        starts += sizes
    _name_rows(axes, rows)
    axes.xaxis.get_major_locator().set_params(integer=True)
    _legend(figure)
    told = [f"{row}: " + ", ".join(f"{counts.get(row, 0)} {name}" for name, counts in series.items()) for row in rows]
    return figure, _told(title or "Counts", told)


@_chart
def funnel_chart(steps: Sequence, *, title="") -> Picture:
    """What each step of a construction left, as bars on a logarithmic axis.

    Parameters
    ----------
    steps : sequence of Step
        With `name`, `head_nouns`, `terms` and `properties`; the finest that is not zero is drawn.
    """
    figure, axes = _figure(7, 1 + 0.4 * len(steps), title)
    told, most = [], 0
    for place, step in enumerate(steps):
        sizes = {"head nouns": step.head_nouns, "terms": step.terms, "properties": step.properties}
        finest = max((i for i, size in enumerate(sizes.values()) if size), default=0)
        kind, n = list(sizes.items())[finest]
        axes.barh(place, max(n, 0.8), color=colour(finest), height=0.6)
        _write(axes, f"{n:,} {kind}", (max(n, 0.8), place))
        told.append(f"{step.name}: {n} {kind}")
        most = max(n, most)
    _name_rows(axes, [step.name for step in steps])
    axes.set(xscale="log", xlim=(0.5, 0.5 * (2 * most + 2) ** 1.5), xticks=[])  # a third for the labels
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(which="both", length=0)
    axes.minorticks_off()
    return figure, _told(title or "What each step left", told)


@_chart
def resample_chart(
    series: Values, marks: Mapping[str, float], *, measure="difference", level=0.95, bins=40, title=""
) -> Picture:
    """How a figure is spread over its resamples: permutations or bootstrap samples, one histogram above another.

    The middle of each histogram, which holds `level` of the resamples, has the series' colour; what lies outside is
    grey. A dashed line stands at the observed value.

    Parameters
    ----------
    series : mapping of name to sequence of float
        Such as the differences of permuted data; at least one value each, all finite.
    marks : mapping of name to float
        One value a series: the observed difference.
    measure : str
        What the values are, under the axis.
    level : float
        Between 0 and 1.
    bins : int
        Bars over the whole axis, the same in each histogram.
    title : str

    Raises
    ------
    ValueError
        If there is nothing to draw, or a value is not finite.
    """
    everything = np.concatenate([*series.values(), [marks[name] for name in series]])
    if not np.isfinite(everything).all():
        raise ValueError("resamples and marks must be finite; leave out what could not be computed")
    edges = np.histogram_bin_edges(everything, bins)
    centres = (edges[1:] + edges[:-1]) / 2
    figure, panels = _panels(series, 1, 1.5, title, measure, "share", grid=None)
    told = []
    for i, (axes, (name, drawn)) in enumerate(zip(panels, series.items(), strict=True)):
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        shades = [colour(i) if low <= centre <= high else GREY for centre in centres]
        axes.bar(centres, np.histogram(drawn, edges)[0] / len(drawn), width=np.diff(edges), color=shades, alpha=0.75)
        axes.axvline(marks[name], color=GREY, linestyle="--", linewidth=1.5)
        _write(axes, "observed", (marks[name], 0.95), xycoords=("data", "axes fraction"), va="top", fontsize=9)
        middle = f"{level:.0%} of {len(drawn):,} between {_number(low, 3)} and {_number(high, 3)}"
        told.append(f"{name}: {middle}, observed {_number(marks[name], 3)}")
    return figure, _told(f"{title or 'Resamples'}, {measure}", told)


def _shade(colour: str, share: float) -> np.ndarray:
    """A colour from white, for a share of 0, to so light that black numbers are legible on it, for one of 1."""
    return 1 - 0.6 * share * (1 - np.array(to_rgb(colour)))


@_styled
def heat_map(values, rows: Sequence[str], columns: Sequence[str], *, measure="MAP", title="", decimals=2) -> Picture:
    """A table of numbers as shades of blue with the numbers written in: a breakdown by head noun, say.

    Parameters
    ----------
    values : float array [rows, columns]
        NaN where there is no figure.
    rows, columns : sequences of str
    measure, title : str
    decimals : int

    Raises
    ------
    ValueError
        If the labels do not fit the values.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(rows), len(columns)) or not np.isfinite(values).any():
        raise ValueError(f"values {values.shape} must be [{len(rows)} rows, {len(columns)} columns], not all missing")
    low, high, figures = np.nanmin(values), np.nanmax(values), np.round(values, decimals)
    over = textwrap.fill(title, max(20, int(8.5 * len(columns))))  # the title stands over the columns
    figure, axes = _figure(1.8 + 0.85 * len(columns), 1.3 + 0.4 * len(rows) + 0.2 * over.count("\n"), over)
    shades = LinearSegmentedColormap.from_list("shades", [_shade(COLOURS[0], share) for share in (0.1, 1.0)])
    axes.imshow(values, cmap=shades, vmin=low, vmax=high, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            axes.text(j, i, _number(figures[i, j], decimals), ha="center", va="center", color="black")
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    named = [(row, zip(columns, line, strict=True)) for row, line in zip(rows, figures, strict=True)]
    told = [f"{row}: {_pairs([cell for cell in line if np.isfinite(cell[1])], decimals)}" for row, line in named]
    return figure, _told(f"{' '.join(over.split()) or 'Table of shades'}, {measure}", told)


# ---------------------------------------------------------------------------------------------------------------------
# Small pictures of linear algebra


@_styled
def draw_matrix(
    array, labels: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None), *, title="", decimals=None
) -> Picture:
    """A small vector or matrix as a grid of shaded numbers: orange below zero, blue above; a zero is left open.

    Parameters
    ----------
    array : array [n] or [n, m]
        A vector is drawn as one row.
    labels : (row labels or None, column labels or None)
    title : str
    decimals : int, optional
        By default none for whole numbers, else two.

    Raises
    ------
    ValueError
        If the labels do not fit, the array has more than two dimensions, or it is not finite.
    """
    array = np.asarray(array, dtype=float)
    if array.ndim not in (1, 2) or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"a finite vector or matrix is needed, got shape {array.shape}")
    grid = np.atleast_2d(array)
    (n, m), (rows, columns) = grid.shape, labels
    for names, size, what in ((rows, n, "row"), (columns, m, "column")):
        if names is not None and len(names) != size:
            raise ValueError(f"{len(names)} {what} labels for {size} {what}s")
    if decimals is None:
        decimals = 0 if np.array_equal(grid, np.round(grid)) else 2
    most = np.abs(grid).max() or 1.0
    figure, axes = _figure(0.75 * m + (0.4 if rows is None else 1.6), 0.45 * n + 0.9, title)
    for (i, j), value in np.ndenumerate(grid):
        shade = _shade(COLOURS[0] if value > 0 else COLOURS[1], abs(value) / most)
        axes.fill_between([j, j + 1], i, i + 1, facecolor=shade if value else "none", edgecolor="none")
        colour = "black" if value else GREY
        axes.text(j + 0.5, i + 0.5, _number(value, decimals), ha="center", va="center", color=colour)
    for k in range(n + 1):
        axes.plot([0, m], [k, k], color=GREY, linewidth=0.6)
    for k in range(m + 1):
        axes.plot([k, k], [0, n], color=GREY, linewidth=0.6)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(m) + 0.5, columns or [""] * m)
    axes.set_yticks(np.arange(n) + 0.5, rows or [""] * n)
    axes.set(xlim=(-0.05, m + 0.05), ylim=(n + 0.05, -0.05))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    kind = f"vector of {m} numbers" if array.ndim == 1 else f"{n} by {m} matrix"
    head = f"{title + ', a ' if title else 'A '}{kind}" + (f"; columns {', '.join(columns)}" if columns else "")
    lines = [" ".join(_number(value, decimals) for value in line) for line in grid]
    return figure, _told(head, [f"{rows[i]}: {line}" if rows else line for i, line in enumerate(lines)])


@_styled
def draw_vectors(vectors, labels: Sequence[str], *, title="", sums: Sequence[tuple[int, int]] = ()) -> Picture:
    """Vectors of two dimensions as arrows from the origin.

    Parameters
    ----------
    vectors : array [n, 2]
    labels : sequence of str
    title : str
    sums : sequence of (i, j)
        Pairs whose parallelogram is drawn with dotted lines, to show their sum.

    Raises
    ------
    ValueError
        If the vectors are not two-dimensional or the labels do not fit.
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.shape != (len(labels), 2) or not np.isfinite(vectors).all():
        raise ValueError(f"{len(labels)} labels need finite vectors of shape [{len(labels)}, 2], got {vectors.shape}")
    figure, axes = _figure(4.2, 4.2, title)
    for i, ((x, y), name) in enumerate(zip(vectors, labels, strict=True)):
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour(i), "linewidth": 2})
        right, up = x >= 0, y >= 0
        side = {"ha": "left" if right else "right", "va": "bottom" if up else "top", "color": GREY}
        _write(axes, name, (x, y), (8 if right else -8, 8 if up else -8), **side)
    corners = [vectors[i] + vectors[j] for i, j in sums]
    for pair, corner in zip(sums, corners, strict=True):
        for start in vectors[list(pair)]:
            axes.plot(*zip(start, corner, strict=True), color=GREY, linestyle=":", linewidth=1)
    ends = np.vstack([vectors, [[0, 0]], *corners])
    margin = 0.18 * max(np.ptp(ends, axis=0).max(), 1e-9)
    left = 2 if (vectors[:, 0] < 0).any() else 1  # names stand at the outer sides of the arrows
    (west, south), (east, north) = ends.min(axis=0) - [left * margin, margin], ends.max(axis=0) + [2 * margin, margin]
    axes.set(xlim=(west, east), ylim=(south, north), aspect="equal")
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.axvline(0, color=GREY, linewidth=0.6)
    arrows = [f"{name} ({_number(x)}, {_number(y)})" for (x, y), name in zip(vectors, labels, strict=True)]
    return figure, f"{title or 'Vectors'}, arrows from the origin: " + "; ".join(arrows) + "."


@_chart
def neighbour_chart(neighbours: Mapping[str, Sequence[tuple[str, float]]], *, title="") -> Picture:
    """Nearest neighbours of a few words, each a row of dots with its name at its cosine.

    Parameters
    ----------
    neighbours : mapping of word to sequence of (neighbour, cosine)
    title : str
    """
    longest = max(map(len, neighbours.values()))
    figure, axes = _figure(7, 0.9 + len(neighbours) * (0.25 + 0.2 * longest), title, "cosine")
    middles, place = [], 0.0
    for i, near in enumerate(neighbours.values()):
        middles.append(place + (len(near) - 1) / 2)
        for name, cosine in near:
            axes.plot([0, cosine], [place, place], color=colour(i), linewidth=1, alpha=0.6)
            axes.plot(cosine, place, marker(i), color=colour(i), markersize=5)
            _write(axes, name, (cosine, place), (7, 0), fontsize=9)
            place += 1
        place += 1
    axes.set(yticks=middles, yticklabels=neighbours, ylim=(place - 1.2, -0.8))
    axes.margins(x=0.2)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]) if axes.dataLim.x0 < 0 else 0.0)
    axes.tick_params(axis="y", length=0)
    told = [f"{word}: {_pairs(near)}" for word, near in neighbours.items()]
    return figure, _told(f"{title or 'Nearest neighbours'}, cosine", told)


@_chart
def spectrum_chart(values, *, title="", label="singular value") -> Picture:
    """Falling values against their place, both axes linear: a spectrum of singular values.

    Parameters
    ----------
    values : float array [n]
    title, label : str
    """
    values = np.asarray(values, dtype=float)
    figure, axes = _figure(6, 3.4, title, "place", label, grid="y")
    axes.plot(np.arange(1, len(values) + 1), values, color=colour(0), marker="." if len(values) < 60 else None)
    axes.set_ylim(bottom=0)
    share = (values[: max(1, len(values) // 10)] ** 2).sum() / (values**2).sum()
    return figure, (
        f"{title or 'Spectrum'}: {len(values)} values of {label}, from {_number(values[0], 1)} down to "
        f"{_number(values[-1], 1)}; the first tenth of them holds {share:.0%} of the sum of squares."
    )


# ---------------------------------------------------------------------------------------------------------------------
# Sentences

_WORD, _RELATION = 11.0, 8.5  # sizes of type in points
_PORT = 7.0  # points between two arcs' ends at one word
_LEVEL = 21.0  # points between an arc and the next higher one


def _levels(arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Height of each arc (left, right), from 1: above every shorter arc with which it shares a part of the sentence."""
    level = [0] * len(arcs)
    by_length = sorted(range(len(arcs)), key=lambda k: (arcs[k][1] - arcs[k][0], arcs[k]))
    for place, k in enumerate(by_length):
        left, right = arcs[k]
        below = [level[j] for j in by_length[:place] if arcs[j][0] < right and left < arcs[j][1]]
        level[k] = 1 + max(below, default=0)
    return level


def _ports(arcs: Sequence[tuple[int, int]], level: Sequence[int], size: int) -> list[list[tuple[int, bool]]]:
    """For each word its arcs from left to right, as (arc, whether the word is the arc's right end), none crossing."""
    ports: list[list[tuple[int, bool]]] = [[] for _ in range(size)]
    for k in sorted(range(len(arcs)), key=lambda k: level[k]):
        ports[arcs[k][1]].append((k, True))  # arcs to the left, the lowest outermost
    for k in sorted(range(len(arcs)), key=lambda k: -level[k]):
        ports[arcs[k][0]].append((k, False))
    return ports


def _bracket(start: float, stop: float, top: float, bend: float) -> tuple[np.ndarray, np.ndarray]:
    """Outline of an arc: up, over and down, with corners rounded to the radius `bend`."""
    angle = np.linspace(0, np.pi / 2, 9)
    x = np.concatenate(([start], start + bend * (1 - np.cos(angle)), stop - bend * (1 - np.sin(angle)), [stop]))
    y = np.concatenate(([0.0], top - bend * (1 - np.sin(angle)), top - bend * (1 - np.cos(angle)), [0.0]))
    return x, y


@_styled
def tree_chart(tokens: Sequence[str], arcs: Sequence[tuple[int, str, int]], *, title="") -> Picture:
    """The dependencies of one sentence as arcs above its words, with the arrow's head at the dependent.

    Legible on a page for up to 16 words. Arcs may cross, and a word may have several governors or none.

    Parameters
    ----------
    tokens : sequence of str
        The words.
    arcs : sequence of (governor, relation, dependent)
        Words counted from 0, as of :func:`cdsm_lib.text.dependencies.arcs`.
    title : str

    Raises
    ------
    ValueError
        If there are no words, or an arc does not join two of them.
    """
    if not tokens:
        raise ValueError("nothing to draw: a sentence needs at least one word")
    for governor, relation, dependent in arcs:
        if governor == dependent or not all(0 <= end < len(tokens) for end in (governor, dependent)):
            raise ValueError(f"arc ({governor}, {relation!r}, {dependent}) must join two different words, "
                             f"counted from 0 to {len(tokens) - 1}")  # fmt: skip
    ends = [(min(governor, dependent), max(governor, dependent)) for governor, _, dependent in arcs]
    level = _levels(ends)
    ports = _ports(ends, level, len(tokens))
    room = [max(_type_width(word, _WORD), _PORT * len(at)) for word, at in zip(tokens, ports, strict=True)]
    middle = np.cumsum(room) - np.array(room) / 2 + 9 * np.arange(len(room))  # 9 points between two words

    def port(k: int, right: bool) -> float:
        """Where an end of arc `k` is."""
        at = ports[ends[k][right]]
        return middle[ends[k][right]] + _PORT * (at.index((k, right)) - (len(at) - 1) / 2)

    def free(k: int) -> tuple[float, float, int, int]:
        """The widest part of arc `k` that no higher arc's end cuts, and the words that bound it."""
        higher = [k, *(j for j in range(len(arcs)) if level[j] > level[k])]
        cuts = sorted((port(j, right), ends[j][right]) for j in higher for right in (False, True))
        cuts = [cut for cut in cuts if port(k, False) <= cut[0] <= port(k, True)]
        parts = [(a, b, i, j) for (a, i), (b, j) in pairwise(cuts) if j > i]
        return max(parts, key=lambda part: part[1] - part[0])

    for k in sorted(range(len(arcs)), key=lambda k: level[k]):  # widen the sentence where a relation's name needs it
        needed = _type_width(arcs[k][1], _RELATION) + 8
        left, right, first, last = free(k)
        lacking = max(0.0, needed - (right - left))
        middle = middle + lacking * np.clip((np.arange(len(tokens)) - first) / (last - first), 0, 1)

    height = _LEVEL * max(level, default=0) + 12
    left, right = middle[0] - room[0] / 2 - 4, middle[-1] + room[-1] / 2 + 4
    figure, axes = _figure((right - left) / 72 + 0.1, (height + 20) / 72 + (0.4 if title else 0.1), title)
    for word, x in zip(tokens, middle, strict=True):
        axes.text(x, -5, word, ha="center", va="top", fontsize=_WORD, parse_math=False)
    for k, (governor, relation, dependent) in enumerate(arcs):
        start, stop = port(k, False), port(k, True)
        top = _LEVEL * level[k] - 6
        bend = min(9.0, (stop - start) / 2)
        axes.plot(*_bracket(start, stop, top, bend), color=colour(0), linewidth=1.2, solid_capstyle="butt")
        axes.plot(start if dependent < governor else stop, 2.5, "v", color=colour(0), markersize=5)
        a, b, _, _ = free(k)
        axes.text((a + b) / 2, top + 2, relation, ha="center", va="bottom", fontsize=_RELATION, parse_math=False)
    axes.set(xlim=(left, right), ylim=(-20, height))
    axes.set_axis_off()
    repeated = {word for word in tokens if list(tokens).count(word) > 1}
    names = [f"{word} (word {i})" if word in repeated else word for i, word in enumerate(tokens, 1)]
    sentences = [f"{names[dependent]} is {relation} of {names[governor]}" for governor, relation, dependent in arcs]
    return figure, f"{title or 'Dependencies'}: {' '.join(tokens)}. " + ("; ".join(sentences) or "No arcs") + "."
