"""Charts of results: dots, lines, bars, shades, points in a plane, histograms.

Where rows have a value in several series, or values an interval, a *point* is a number, a result, or ``(value, low,
high)``, of which low and high may be None.
"""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

import cdsm_lib.plots.figure as style
from cdsm_lib.plots.figure import Picture, alt_text, chart, colour, number

Point = float | Sequence[float | None]
Series = Mapping[str, Mapping[float | str, Point]]
"""Of each series its values: at rows, at numbers or at names."""


def _points(values: Iterable[Point]) -> np.ndarray:
    """Points as rows of three numbers, NaN for what is not there."""
    rows = [(value.value, value.low, value.high) if hasattr(value, "low") else value for value in values]
    return np.array([row if isinstance(row, Sequence) else (row, None, None) for row in rows], float).reshape(-1, 3)


def _first(point: Point) -> float:
    return point[0] if isinstance(point, Sequence) else getattr(point, "value", point)


def _pairs(values: Mapping[str, Point], decimals: int | None = 2) -> str:
    """Names, each with its value."""
    return ", ".join(f"{name} {number(_first(value), decimals)}" for name, value in values.items())


def _whiskers(points: np.ndarray) -> np.ndarray:
    """How far the intervals of points reach, as `errorbar` takes it; 0 where there is no end."""
    value, low, high = points.T
    return np.nan_to_num(np.maximum([value - low, high - value], 0))


def _panels(series: Mapping) -> tuple[bool, dict[str, Series]]:
    """Whether series are nested in panels, and the panels."""
    nested = isinstance(next(iter(next(iter(series.values())).values())), Mapping)
    return nested, dict(series) if nested else {"": series}


def _names(panels: Mapping[str, Series], order: Iterable[str] = ()) -> list[str]:
    """All series, each once; a dozen can be told apart."""
    return list(dict.fromkeys([*order, *(name for panel in panels.values() for name in panel)]))


def _crowd(rows: Sequence[str], panels: Mapping[str, Series]) -> int:
    """How many series a row has at most."""
    return max(len(_at(row, panel)) for panel in panels.values() for row in rows)


def _at(row: str, series: Series) -> dict:
    """A row's point in each series that has one."""
    return {name: points[row] for name, points in series.items() if row in points}


def _steps(n: int, reach: float) -> np.ndarray:
    """How far each of n series stands off, so that none hides another."""
    return np.linspace(-reach, reach, n) if n > 1 else np.zeros(n)


def _name_rows(axes, rows: Sequence[str]) -> None:
    """Rows from top to bottom."""
    axes.set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.5, -0.5))


@chart
def dot_chart(
    rows: Sequence[str], series: Series | Mapping[str, Series], *, measure: str | Mapping[str, str] = "MAP", title="",
    decimals=2, reference: tuple[str, Mapping[str, float]] = ("", {}), most=3, width=7.0,
) -> Picture:
    """Systems down the page, and for each its figure in every series with its interval.

    The rows may be other things too: parts of speech, words, versions of a sentence. Nested series stand in panels,
    `most` side by side, each with a scale of its own and with its reference, as name and values, as a dashed line; with
    panels the measure may be a mapping too. A width of less than five inches is a phone's: the legend stands above.

    Examples
    --------
    >>> figure, alt = dot_chart(["SPLF"], {"published": {"SPLF": 0.497}, "full": {"SPLF": (0.44, 0.38, 0.5)}})
    >>> alt
    'Systems compared, MAP. SPLF: published 0.50, full 0.44.'
    """
    nested, panels = _panels(series)
    names, crowd, small = _names(panels), _crowd(rows, panels), width < 5
    label = measure if isinstance(measure, str) else ""
    if nested:
        height = 0.5 + (0.15 if len(rows) > 8 else 0.2) * len(rows)
        figure, grid = style.panels_of(panels, most, height, title, label, grid="both", free="x", width=width)
    else:
        row = (0.13 if len(rows) > 8 else 0.16 if small else 0.2) * max(crowd, 2)
        figure, *grid = style.axes_of(width, 1.2 + row * len(rows), title, label, grid="x")
    for axes, (panel, values) in zip(grid, panels.items(), strict=True):
        if panel in reference[1]:
            axes.axvline(reference[1][panel], color=style.GREY, linestyle="--", linewidth=1, label=reference[0])
        for i, offset in enumerate(_steps(len(names), 0.25 * (crowd > 1))):
            of_row = values.get(names[i], {})
            places = np.array([place for place, row in enumerate(rows) if row in of_row]) + offset
            points = _points(of_row[row] for row in rows if row in of_row)
            marks = {"fmt": style.MARKERS[i % len(style.MARKERS)], "color": colour(i), "capsize": 2, "label": names[i]}
            marks["markersize"] = 5 if nested or len(rows) > 8 else None
            axes.errorbar(points[:, 0], places, xerr=_whiskers(points), **marks)
        if nested:
            axes.locator_params(axis="x", nbins=3)
            axes.tick_params(labelsize=8.5)
        if not isinstance(measure, str):
            axes.set_xlabel(measure[panel], fontsize=9)
        if axes.dataLim.x0 >= 0 and not nested:
            axes.set_xlim(left=0)
    _name_rows(grid[0], rows)
    style.legend(figure, most=max(len(names), 3), size=8.5 if small else None, side="upper" if small else "lower")
    if not nested:
        values = [f"{row}: {_pairs(_at(row, series), decimals)}" for row in rows]
        return figure, alt_text(f"{title or 'Systems compared'}, {measure}", values)
    sentences = []
    for panel, values in panels.items():
        parts = [f"{name}: {_few(points)}" for name, points in values.items()]
        parts += [f"{reference[0]} {number(reference[1][panel], None)}"] if panel in reference[1] else []
        sentences.append(f"{panel}: {'; '.join(parts)}")
    return figure, alt_text(title or "Systems compared", sentences, ". ")


def _few(values: Mapping[str, Point]) -> str:
    """Names with their values; of more than eight how many they are, and the ends."""
    if len(values) <= 8:
        return _pairs(values, None)
    numbers = sorted(map(_first, values.values()))
    return f"{len(values)} from {number(numbers[0], None)} to {number(numbers[-1], None)}"


def results_chart(full, this_run, rows: Iterable[str], *, measure="MAP", title="", width=7.0, **where) -> Picture:
    """:func:`dot_chart` of results, published, full and this run, of all rows (systems) that have any.

    `full` and `this_run` are `Results` or None; `where` has the fields that choose the results, such as
    ``split="dev"``: of several for one system the first is drawn.
    """
    series: dict[str, dict] = {"published": {}, "full": {}, "this run": {}}
    for name, results in (("this run", this_run), ("full", full)):
        for row in results.find(**where)[::-1] if results else ():
            series[name][row.system] = (row.value, row.low, row.high)
            if row.published is not None:
                series["published"][row.system] = row.published
    series = {name: points for name, points in series.items() if points}
    rows = [row for row in rows if _at(row, series)]
    return dot_chart(rows, series, measure=measure, title=title, width=width)


@chart
def line_chart(
    series: Series | Mapping[str, Series], *, x_label: str, y_label: str, title="", log_x=False, references=None,
    hollow=None, order: Sequence[str] = (),
) -> Picture:
    """A measure against numbers or named cases, a line a series with intervals; in panels, if they are nested.

    Learning curves, sweeps of a setting, losses, profiles over the positions of a phrase. Where there are intervals,
    the series stand a little side by side.

    Parameters
    ----------
    series : mapping of name to mapping of place to point; or a mapping of panels to such
        Places are numbers, drawn on an axis (`log_x`: a logarithmic one), or names, one after the other as they first
        come; a series may lack some, or have None there.
    references : mapping of name to a value, or to a mapping of place to value
        To compare with, such as chance: grey lines across.
    hollow : mapping of name to mapping of place to value
        What is published of each series, in its colour on a dotted line; by panel, if the series stand in panels.
    order : sequence of str
        Series in the order in which they get colours and markers, so that they look alike in several charts.

    Examples
    --------
    >>> figure, alt = line_chart({"SPLF": {1: 0.25, 10: (0.5, 0.4, 0.6)}}, x_label="sentences", y_label="MAP")
    >>> alt
    'Lines, MAP by sentences. SPLF: 0.250 at 1, 0.500 at 10.'
    """
    nested, panels = _panels(series)
    panels = {name: _there(panel) for name, panel in panels.items()}
    hollow, references = hollow or {}, references or {}
    rings = {name: _there(hollow.get(name, {}) if nested else hollow) for name in panels}
    names = _names(panels, order)
    lines = [line for panel in [*panels.values(), *rings.values()] for line in panel.values()]
    places = list(dict.fromkeys(place for line in lines for place in line))
    named = isinstance(places[0], str)
    if not named:
        places.sort()
    along = np.arange(len(places)) if named else np.log(places) if log_x else np.array(places, dtype=float)
    intervals = any(np.isfinite(_points(line.values())[:, 1]).any() for line in lines)
    aside = 0.01 * np.ptp(along) * intervals * (len(names) - 1) / 2
    offsets = _steps(len(names), 0.15 if named else aside)
    at = dict(zip(places, along, strict=True))

    def across(line: Iterable, offset=0.0) -> np.ndarray:
        """Where a line's places are on the axis."""
        moved = np.array([at[place] for place in line]) + offset
        return np.exp(moved) if log_x else moved

    if nested:
        figure, grid = style.panels_of(panels, 2, 2.4, title, x_label, y_label)
    else:
        figure, *grid = style.axes_of(7, 3.6, title, x_label, y_label, grid="y")
    curves = {name: curve for name, curve in references.items() if isinstance(curve, Mapping)}
    levels = {name: level for name, level in references.items() if name not in curves}
    theirs, sentences = {"markersize": 9, "fillstyle": "none", "linestyle": ":"}, []
    for axes, (panel, drawn), ring in zip(grid, panels.items(), rings.values(), strict=True):
        for i, (name, offset) in enumerate(zip(names, offsets, strict=True)):
            if name in drawn:
                x, points = across(drawn[name], offset), _points(drawn[name].values())
                axes.plot(x, points[:, 0], label=name, **style.look(i))
                bars = {"fmt": "none", "color": colour(i), "capsize": 2, "alpha": 0.5}
                axes.errorbar(x, points[:, 0], yerr=_whiskers(points), **bars)
                sentences.append(f"{panel + ', ' if nested else ''}{name}: {_along(drawn[name])}")
            if name in ring:
                axes.plot(across(ring[name], offset), list(ring[name].values()), **{**style.look(i), **theirs})
                sentences.append(f"{panel + ', ' if nested else ''}{name}, published: {_along(ring[name])}")
        for name, curve in curves.items():
            axes.plot(across(curve), list(curve.values()), color=style.GREY, linestyle=":", label=name)
        for (name, value), dashes in zip(levels.items(), cycle((":", "-.", (0, (6, 2)))), strict=False):
            axes.axhline(value, color=style.GREY, linestyle=dashes, label=f"{name} ({number(value, 3)})")
        if log_x:
            axes.set_xscale("log")
        ticks = places if named else _with_room(places, along)
        axes.set_xticks(across(ticks), list(map(_place, ticks)))
        axes.minorticks_off()
        if named:
            axes.set_xlim(-0.5, len(places) - 0.5)
    sentences += [f"{name}: {_along(curve)}" for name, curve in curves.items()]
    sentences += [f"{name} {number(value, 3)}" for name, value in levels.items()]
    mark = Line2D([], [], color=style.GREY, marker="o", **theirs)
    style.legend(figure, most=3, more=[(mark, "published")] if any(rings.values()) else ())
    return figure, alt_text(f"{title or 'Lines'}, {y_label} by {x_label}", sentences, ". ")


def _there(lines: Series) -> Series:
    """The lines without the places that have no value, and without those that have none at all."""
    there = {}
    for name, line in lines.items():
        if points := {place: at for place, at in line.items() if at is not None}:
            there[name] = points
    return there


def _place(place: float | str) -> str:
    """A place's name, or its number with three digits."""
    return place if isinstance(place, str) else f"{place:,.0f}" if place >= 100 else f"{place:.3g}"


def _along(line: Mapping) -> str:
    """A line's values as text; of more than eight the ends."""
    values = [f"{number(_first(value), 3)} at {_place(place)}" for place, value in line.items()]
    return ", ".join(values) if len(values) <= 8 else f"from {values[0]} to {values[-1]}"


def _with_room(places: Sequence[float], along: np.ndarray) -> list[float]:
    """The places whose numbers do not stand over one another."""
    ticks = [0]
    for i in range(1, len(places)):
        if along[i] - along[ticks[-1]] >= 0.05 * (along[-1] - along[0]):
            ticks.append(i)
    return [places[i] for i in ticks]


@chart
def roc_chart(curves: Mapping[str, tuple[Sequence[float], Sequence[float], float]], *, title="") -> Picture:
    """ROC curves of up to a dozen systems on square axes, with the diagonal of chance dotted.

    Each curve is (false positive rates, true positive rates, AUC), as of
    :func:`cdsm_lib.evaluation.metrics.roc_curve`.
    """
    figure, axes = style.axes_of(7, 4.1, title, "false positive rate", "true positive rate", grid="both")
    axes.plot([0, 1], [0, 1], color=style.GREY, linestyle=":", label="chance (0.500)")
    for i, (name, (false_rate, true_rate, area)) in enumerate(curves.items()):
        every = 0.12 + 0.02 * i, 0.17  # in diagonals of the axes, along the curve
        axes.plot(false_rate, true_rate, **style.look(i), markevery=every, label=f"{name} ({number(area, 3)})")
    ticks = np.linspace(0, 1, 6)
    axes.set(aspect="equal", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xticks=ticks, yticks=ticks)
    chance, *lines = axes.lines
    figure.legend(handles=[*lines, chance], loc="outside right center", title="system (AUC)")
    areas = "AUC: " + _pairs({name: area for name, (_, _, area) in curves.items()}, 3)
    return figure, alt_text(f"{title or 'ROC curves'}, true against false positive rate", [areas, "chance 0.500"])


@chart
def bar_chart(
    rows: Sequence[str], series: Mapping[str, Mapping[str, int]], *, x_label="", y_label="", title="", reference=None,
    stacked=False, log_x=False, width=7.5,
) -> Picture:
    """Counts for each row as bars with the numbers written beside them: what steps leave, histograms in groups.

    Rows may be missing from a series. `reference` has published counts of series, drawn as marks in their colour;
    stacked counts add up in one bar a row, with the numbers on its pieces.

    Examples
    --------
    >>> figure, alt = bar_chart(["White 2015"], {"holds": {"White 2015": 4}, "fails": {"White 2015": 1}}, stacked=True)
    >>> alt
    'Counts. White 2015: 4 holds, 1 fails.'
    """
    reference, crowd = reference or {}, 1 if stacked else _crowd(rows, {"": series})
    height = 0.8 / crowd
    grid = None if stacked or log_x else "x"
    figure, axes = style.axes_of(width, 1.2 + 0.35 * len(rows) * crowd**0.5, title, x_label, y_label, grid)
    starts = np.zeros(len(rows), dtype=int)
    offsets = _steps(len(series), 0.4 - height / 2) * (crowd > 1)
    for i, (offset, (name, counts)) in enumerate(zip(offsets, series.items(), strict=True)):
        at = np.array([place for place, row in enumerate(rows) if counts.get(row, 0 if stacked else None)], dtype=int)
        sizes = np.array([counts[rows[place]] for place in at])
        shades = {"color": style.shade(colour(i), 1.0) if stacked else colour(i), "edgecolor": "white", "label": name}
        bars = axes.barh(at + offset, sizes, left=starts[at], height=0.9 * height, linewidth=stacked, **shades)
        words = {"label_type": "center", "color": "black"} if stacked else {"padding": 4, "fontsize": style.SMALLEST}
        axes.bar_label(bars, [f"{size:,}" for size in sizes], **words)
        starts[at] += sizes * stacked
        if name in reference:
            gaps = np.arange(len(rows) + 1) - 0.5  # between the rows, where no number stands
            label = f"{name}, published ({reference[name]:,})"
            axes.vlines([reference[name]] * len(gaps), gaps - 0.12, gaps + 0.12, color=colour(i), label=label)
    _name_rows(axes, rows)
    if log_x:
        axes.set_xscale("log")
        axes.set_xlim(left=0.5)
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.margins(x=0.12)
    style.legend(figure, most=2 if reference else 4)
    values = []
    for row in rows:
        values.append(f"{row}: " + ", ".join(f"{n} {name}" for name, n in _at(row, series).items()))
    values += [f"published: {n} {name}" for name, n in reference.items()]
    return figure, alt_text(title or "Counts", values)


@chart
def heat_map(
    values, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None, *, measure="", title="",
    decimals: int | None = None,
) -> Picture:
    """A vector or a table of numbers as shades of blue with the numbers written in, of orange below zero.

    Parameters
    ----------
    values : float array [n] or [rows, columns]
        NaN where there is no figure.
    rows, columns : sequences of str, optional
    measure, title : str
    decimals : int
        By default none for whole numbers, else two.

    Examples
    --------
    >>> figure, alt = heat_map([[0, 1], [1, -2]], ["x", "y"], ["a", "b"], title="Weights")
    >>> alt
    'Weights. x: a 0, b 1; y: a 1, b -2.'
    """
    values = np.atleast_2d(np.asarray(values, dtype=float))
    rows = [""] * len(values) if rows is None else list(rows)
    columns = [""] * values.shape[1] if columns is None else list(columns)
    there = values[np.isfinite(values)]
    if decimals is None:
        decimals = 0 if np.array_equal(there, there.round()) else 2
    most, below = np.abs(there).max() or 1.0, there.min() < 0
    over = textwrap.fill(title, max(20, int(8.5 * len(columns))))  # the title stands over the columns
    names = [textwrap.fill(row, 44) for row in rows]
    aside = max(style.type_width(line, style.STYLE["font.size"]) for name in names for line in name.split("\n")) / 72
    lines, upright = max(name.count("\n") for name in names), max(map(len, columns)) <= 9
    height = 0.7 + 0.5 * (not upright) + (0.4 + 0.15 * lines) * len(rows) + 0.2 * over.count("\n")
    figure, axes = style.axes_of(aside + max(2.5, 0.4 + 0.8 * len(columns)), height, over)
    colours = [style.shade(style.COLOURS[1], 1.0), (1, 1, 1)] if below else [style.shade(style.COLOURS[0], 0.1)]
    shades = LinearSegmentedColormap.from_list("shades", [*colours, style.shade(style.COLOURS[0], 1.0)])
    axes.imshow(values, cmap=shades, vmin=-most if below else there.min(), vmax=most, aspect="auto")
    sentences = []
    for i, row in enumerate(rows):
        cells = [(j, number(value, decimals)) for j, value in enumerate(values[i]) if np.isfinite(value)]
        for j, text in cells:
            axes.text(j, i, text, ha="center", va="center", color="black")
        shown = ", ".join(f"{columns[j]} {text}".strip() for j, text in cells)
        sentences.append(f"{row.rstrip('.')}: {shown}" if row else shown)
    axes.set_xticks(range(len(columns)), columns, rotation=0 if upright else 30, ha="center" if upright else "right")
    axes.set_yticks(range(len(rows)), names)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    head = " ".join(over.split()) or "Table of shades"
    return figure, alt_text(head + (measure and f", {measure}"), sentences)


@chart
def scatter_chart(points: Mapping[str, tuple[float, float]], *, x_label: str, y_label: str, title="") -> Picture:
    """Points (x, y) in a plane, each with its name beside it where no other point or name is, if there is such a place.
    """
    x, y = zip(*points.values(), strict=True)
    figure, (axes,) = style.panels_of([""], 1, 3.8, title, x_label, y_label, grid="both")
    axes.plot(x, y, "o", color=colour(0), markersize=4)
    for (name, at), (off, side) in zip(points.items(), _beside(list(points), x, y), strict=True):
        style.write(axes, name, at, off, fontsize=style.SMALLEST, ha=side, va="baseline")
    axes.margins(x=0.2, y=0.08)
    sentences = [f"{name}: {x:.3g}, {y:.3g}" for name, (x, y) in points.items()]
    return figure, alt_text(f"{title or 'Points'}, {y_label} against {x_label}", sentences)


def _beside(names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> list[tuple[tuple[float, float], str]]:
    """Where each name goes beside its point: (dx, dy) in points of type, and the side; greedily, from left to right."""
    place = np.column_stack([x, y]).astype(float)
    place = (place - place.min(axis=0)) / np.maximum(np.ptp(place, axis=0), 1e-300) * [310, 240]  # as they are drawn
    taken, beside = [(x - 4, x + 4, y - 4, y + 4) for x, y in place.tolist()], {}
    for i in np.argsort(place[:, 0], kind="stable").tolist():
        (x, y), width, options = place[i].tolist(), style.type_width(names[i], style.SMALLEST), []
        for dy in (0.0, 7.0, -7.0, 12.0, -12.0, 18.0, -18.0):
            for side, dx, start in (("left", 6.0, x + 6), ("right", -6.0, x - 6 - width)):
                left, right, low, high = box = (start, start + width, y + dy - 4, y + dy + 4)
                met = sum(left < b[1] and b[0] < right and low < b[3] and b[2] < high for b in taken)
                options.append((met, box, ((dx, dy - 3), side)))
        _, box, beside[i] = min(options, key=lambda option: option[0])
        taken.append(box)
    return [beside[i] for i in range(len(names))]


@chart
def histogram_chart(series: Mapping[str, Sequence[float]], marks: Mapping[str, float], *, title="") -> Picture:
    """How a figure is spread over its resamples, permutations or bootstrap samples: one histogram above another.

    The middle of each, which holds 95% of the values, has the series' colour; what lies outside is grey. A dashed line
    stands at the mark, the observed value. All must be finite.
    """
    edges = np.histogram_bin_edges(np.concatenate([*series.values(), [marks[name] for name in series]]), 40)
    centres = (edges[1:] + edges[:-1]) / 2
    figure, panels = style.panels_of(series, 1, 1.5, title, "difference", "share", grid=None)
    sentences = []
    for i, (axes, (name, drawn)) in enumerate(zip(panels, series.items(), strict=True)):
        low, high = np.quantile(drawn, [0.025, 0.975])
        shades = [colour(i) if low <= centre <= high else style.GREY for centre in centres]
        axes.bar(centres, np.histogram(drawn, edges)[0] / len(drawn), width=np.diff(edges), color=shades, alpha=0.75)
        axes.axvline(marks[name], color=style.GREY, linestyle="--", linewidth=1.5)
        style.write(axes, "observed", (marks[name], 0.95), xycoords=("data", "axes fraction"), va="top", fontsize=9)
        middle = f"95% of {len(drawn):,} between {number(low, 3)} and {number(high, 3)}"
        sentences.append(f"{name}: {middle}, observed {number(marks[name], 3)}")
    return figure, alt_text(f"{title or 'Resamples'}, difference", sentences)


@chart
def draw_vectors(vectors, labels: Sequence[str], *, title="", sums: Sequence[tuple[int, int]] = ()) -> Picture:
    """Vectors of two dimensions, array [n, 2], as arrows from the origin.

    Of the pairs (i, j) of `sums` the parallelogram is drawn with dotted lines, to show their sum.
    """
    vectors = np.asarray(vectors, dtype=float)
    figure, axes = style.axes_of(3.5, 3.5, title)
    for i, ((x, y), name) in enumerate(zip(vectors, labels, strict=True)):
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour(i), "linewidth": 2})
        right, up = x >= 0, y >= 0
        side = {"ha": "left" if right else "right", "va": "bottom" if up else "top", "color": style.GREY}
        style.write(axes, name, (x, y), (8 if right else -8, 8 if up else -8), **side)
    corners = [vectors[i] + vectors[j] for i, j in sums]
    for pair, corner in zip(sums, corners, strict=True):
        for start in vectors[list(pair)]:
            axes.plot(*zip(start, corner, strict=True), color=style.GREY, linestyle=":", linewidth=1)
    ends = np.vstack([vectors, [[0, 0]], *corners])
    margin = 0.18 * max(np.ptp(ends, axis=0).max(), 1e-9)
    left = 2 if (vectors[:, 0] < 0).any() else 1  # names stand at the outer sides of the arrows
    (west, south), (east, north) = ends.min(axis=0) - [left * margin, margin], ends.max(axis=0) + [2 * margin, margin]
    axes.set(xlim=(west, east), ylim=(south, north), aspect="equal")
    axes.axhline(0, color=style.GREY, linewidth=0.6)
    axes.axvline(0, color=style.GREY, linewidth=0.6)
    arrows = [f"{name} ({number(x)}, {number(y)})" for (x, y), name in zip(vectors, labels, strict=True)]
    return figure, f"{title or 'Vectors'}, arrows from the origin: " + "; ".join(arrows) + "."


@chart
def timeline_chart(lanes: Mapping[str, Mapping[str, float]], *, title="") -> Picture:
    """Works by their years, a lane for each kind; in a lane the names stand above and below their points in turn."""
    figure, axes = style.axes_of(7.5, 0.8 + 0.75 * len(lanes), title, "year", grid="x")
    sentences = []
    for i, (lane, works) in enumerate(lanes.items()):
        sentences.append(f"{lane}: " + ", ".join(f"{name} {year:g}" for name, year in works.items()))
        axes.plot(list(works.values()), [-i] * len(works), "o", color=colour(i))
        for k, (name, year) in enumerate(sorted(works.items(), key=lambda work: work[1])):
            style.write(axes, name, (year, -i), (0, (9, -9, 19, -19)[k % 4]), ha="center", fontsize=style.SMALLEST)
    axes.set_yticks(range(0, -len(lanes), -1), lanes)
    axes.margins(x=0.08)
    axes.locator_params(axis="x", integer=True)
    axes.set_ylim(0.5 - len(lanes), 0.5)
    return figure, alt_text(title or "Works by year", sentences)


@chart
def box_diagram(series: Mapping[str, Mapping[str, tuple]], arrows: Iterable[tuple], *, title="", width=7.0) -> Picture:
    """Boxes in columns and rows, and arrows from one to another: how a model reads, what becomes of a text.

    Parameters
    ----------
    series : mapping of name to mapping of box to place
        A colour each, which the legend names. A place is ``(column, row)``, rows from the top, or ``(column, row,
        text)`` if the text of the box is not its name.
    arrows : iterable of (box, box) or (box, box, text)
    width : float
        In inches; a row has 0.7.

    Examples
    --------
    >>> figure, alt = box_diagram({"word": {"h": (0, 0)}, "phrase": {"p": (0, 1)}}, [("h", "p", "R")], title="A map")
    >>> alt
    'A map. word: h; phrase: p. Arrows: h to p (R).'
    """
    boxes = {name: (i, *place) for i, part in enumerate(series.values()) for name, place in part.items()}
    columns, rows = np.array([place[1:3] for place in boxes.values()], float).T
    inch = (np.ptp(columns) + 1) / width  # in columns
    figure, axes = style.axes_of(width, 0.7 * (np.ptp(rows) + 1) + 0.35 * (len(series) > 1) + 0.3 * bool(title), title)
    axes.set(xlim=(columns.min() - 0.5, columns.max() + 0.5), ylim=(rows.max() + 0.5, rows.min() - 0.5))
    axes.set_axis_off()
    texts, patches = {}, {}
    for name, (i, x, y, *text) in boxes.items():
        texts[name] = text[0] if text else name
        lines = texts[name].split("\n")
        wide, high = inch * (max(style.type_width(line, 10) for line in lines) / 72 + 0.2), 0.22 * len(lines) + 0.15
        look = {"facecolor": style.shade(colour(i), 0.3), "edgecolor": colour(i), "label": list(series)[i]}
        patches[name] = axes.add_patch(Rectangle((x - wide / 2, y - high / 2), wide, high, **look))
        axes.text(x, y, texts[name], ha="center", va="center", color="black")
    for start, end, *text in arrows:
        (x, y), (to_x, to_y) = boxes[start][1:3], boxes[end][1:3]
        line = {"arrowstyle": "-|>", "color": style.GREY, "patchA": patches[start], "patchB": patches[end]}
        axes.annotate("", (to_x, to_y), (x, y), arrowprops=line | {"shrinkA": 0, "shrinkB": 2})
        for word in text:
            style.write(axes, word, ((x + to_x) / 2, (y + to_y) / 2), color=style.GREY)
    if len(series) > 1:
        style.legend(figure)
    in_line = {box: " ".join(text.split()) for box, text in texts.items()}
    named = [f"{name}: {', '.join(map(in_line.get, part))}" for name, part in series.items()]
    joined = [" ".join([f"{texts[a]} to {texts[b]}", *map("({})".format, text)]) for a, b, *text in arrows]
    return figure, alt_text(title or "Boxes and arrows", ["; ".join(named), f"Arrows: {', '.join(joined)}"], ". ")
