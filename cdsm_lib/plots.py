"""Pictures of results and of small linear algebra, each with a text that says what it shows.

Every drawing function returns ``(figure, alt)``: a matplotlib figure and an alternative text built from the plotted
numbers. ``show(figure, alt)`` displays both in a notebook.

How a figure reaches the reader
-------------------------------
:func:`show` publishes a PNG with the alternative text twice: as the output's ``text/plain`` and as ``alt`` in the
image's metadata. PNG, because nbval leaves ``image/png`` out of its comparison (its bytes depend on the fonts and
libraries of a machine) whereas it compares SVG and HTML; and since nbval does compare ``text/plain``, the numbers that
a figure shows are checked like any printed number. In the rendered book :class:`AltText`, a MyST-NB plugin found
through the entry point ``myst_nb.mime_renderers``, sets the image's ``alt`` attribute from that metadata. JupyterLab
shows the image; whoever reads the notebook's file finds the text beside it.

Appearance: transparent background; mid-grey text and axes that have a contrast of more than 4:1 on white and on
#121212 alike; the palette of Okabe and Ito, whose colours are told apart with any colour vision, without its yellow
and black, which vanish on a light or a dark page; another marker for each series. Equal input gives equal bytes with
equal versions of matplotlib.
"""

import io
import textwrap
from collections.abc import Collection, Mapping, Sequence
from contextlib import contextmanager
from math import floor, log10

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path

GREY = "#7a7a7a"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "legend.labelcolor": GREY,
    "legend.frameon": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "svg.hashsalt": "cdsm",
    "svg.fonttype": "path",
}
DOTS_PER_INCH = 96  # one inch of the figure on screen
SHARPNESS = 2  # pixels stored for each on screen


@contextmanager
def _style():
    with rc_context(STYLE):
        yield


def _figure(width: float, height: float) -> tuple[Figure, "object"]:
    """A figure that no window or notebook knows of, with one pair of axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def _panels(
    names: Sequence[str], most: int, height: float, x_label: str, y_label: str, own: str = ""
) -> tuple[Figure, list]:
    """A figure of named pairs of axes of a height, `most` or fewer side by side, with common labels and scales.

    Each panel has a scale of its own on the axis `own`, "x" or "y".
    """
    rows = -(-len(names) // most)
    columns = -(-len(names) // rows)
    figure = Figure(figsize=(7, 1.2 + height * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=own != "x", sharey=own != "y", squeeze=False).flatten()
    for i, (axes, name) in enumerate(zip(grid, names, strict=False)):
        axes.set_title(name, fontsize=STYLE["font.size"])
        if i % columns == 0:
            axes.set_ylabel(y_label)
        if i + columns >= len(names):  # the lowest of its column
            axes.set_xlabel(x_label)
            axes.tick_params(labelbottom=True)
    for axes in grid[len(names) :]:
        axes.set_visible(False)
    return figure, list(grid[: len(names)])


def colour(i: int) -> str:
    """Colour of series `i`; the palette repeats, the markers do so later."""
    return COLOURS[i % len(COLOURS)]


def marker(i: int) -> str:
    """Marker of series `i`."""
    return MARKERS[i % len(MARKERS)]


def _dashes(i: int) -> str:
    """Style of the line of series `i`: dashed where the palette repeats."""
    return "-" if i < len(COLOURS) else "--"


def png(figure: Figure) -> bytes:
    """The figure as PNG, without dates or names of programs."""
    buffer = io.BytesIO()
    with _style():
        figure.savefig(
            buffer, format="png", dpi=DOTS_PER_INCH * SHARPNESS, transparent=True, metadata={"Software": None}
        )
    return buffer.getvalue()


def svg(figure: Figure) -> str:
    """The figure as SVG with fixed identifiers and no date."""
    buffer = io.StringIO()
    with _style():
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


class Picture:
    """A figure with its alternative text, as a notebook displays it.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        Never empty.

    Raises
    ------
    ValueError
        If the alternative text is empty.
    """

    def __init__(self, figure: Figure, alt: str):
        if not alt.strip():
            raise ValueError("a figure needs an alternative text: say what it shows")
        self.figure, self.alt = figure, " ".join(alt.split())

    def _repr_mimebundle_(self, include=None, exclude=None):
        width = round(self.figure.get_figwidth() * DOTS_PER_INCH)
        data = {"image/png": png(self.figure), "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt, "width": width}}

    def __repr__(self) -> str:
        return self.alt


def show(figure: Figure, alt: str) -> Picture:
    """The figure for display as the last value of a cell, or with ``IPython.display.display``.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
        What the figure shows, in words and numbers.

    Returns
    -------
    Picture
    """
    return Picture(figure, alt)


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


def _number(value: float, decimals: int = 2) -> str:
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # no minus before a zero


def _checked_series(series: Mapping[str, Sequence]) -> None:
    if not series or not all(len(values) for values in series.values()):
        raise ValueError("nothing to draw: every series needs at least one value")


def _whiskers(values: Sequence[float], lows: Sequence[float | None], highs: Sequence[float | None]) -> np.ndarray:
    """How far each interval reaches below and above its value, as `errorbar` takes it; 0 where there is no end."""
    below = [value - (value if low is None else low) for value, low in zip(values, lows, strict=True)]
    above = [(value if high is None else high) - value for value, high in zip(values, highs, strict=True)]
    return np.maximum([below, above], 0)


def _checked_few(names: Collection[str], what: str, most: int = len(MARKERS)) -> None:
    if len(names) > most:
        raise ValueError(f"{len(names)} {what} in one picture: {most} can be told apart, draw two pictures")


def _legend(figure: Figure, handles: Sequence, names: Sequence[str], most: int = 4, title: str | None = None) -> None:
    """A legend below the axes, of as many columns as the figure's width and `most` allow."""
    column = max(_type_width(name, STYLE["font.size"]) for name in names) + 48  # its marker and what parts two columns
    room = int(72 * figure.get_figwidth() // column)
    figure.legend(handles, names, loc="outside lower center", ncols=max(1, min(room, most, len(names))), title=title)


def _draw_cases(axes, i: int, name: str, values: Sequence, offset: float, first: int = 0) -> None:
    """Line of series `i` over cases at `first`, `first` + 1, ..., moved by `offset`, with whiskers.

    Nothing where a value is None.
    """
    drawn = [(place + offset, *value) for place, value in enumerate(values, first) if value is not None]
    x, y, low, high = zip(*drawn, strict=True) if drawn else ((), (), (), ())
    axes.plot(x, y, color=colour(i), marker=marker(i), markersize=6, linestyle=_dashes(i), label=name)
    axes.errorbar(x, y, yerr=_whiskers(y, low, high), fmt="none", color=colour(i), capsize=2, alpha=0.5)


# ---------------------------------------------------------------------------------------------------------------------
# Results


def systems_chart(
    rows: Sequence[str],
    series: Mapping[str, Mapping[str, tuple[float, float | None, float | None]]],
    *,
    measure: str = "MAP",
    title: str = "",
    joined: bool = False,
) -> tuple[Figure, str]:
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
    joined : bool
        Whether the series stand at one height, joined by a grey line, rather than one above another: for a few series
        without intervals, whose distance counts.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    _checked_series({"rows": rows, **series})
    with _style():
        figure, axes = _figure(7, 1.2 + 0.2 * len(rows) * (1.25 if joined else max(len(series), 2)))
        offsets = np.linspace(-0.25, 0.25, len(series)) if len(series) > 1 and not joined else np.zeros(len(series))
        for place, row in enumerate(rows if joined else ()):
            found = [values[row][0] for values in series.values() if row in values]
            if found:
                axes.plot([min(found), max(found)], [place, place], color=GREY, linewidth=1, zorder=1)
        for i, (name, values) in enumerate(series.items()):
            drawn = [(place + offsets[i], *values[row]) for place, row in enumerate(rows) if row in values]
            y, x, low, high = zip(*drawn, strict=True) if drawn else ((), (), (), ())
            error = _whiskers(x, low, high)
            axes.errorbar(x, y, xerr=error, fmt=marker(i), color=colour(i), markersize=6, capsize=2, label=name)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(left=axes.get_xlim()[0] if axes.dataLim.x0 < 0 else 0)
        axes.grid(axis="x", color=GREY, alpha=0.25)
        axes.set_xlabel(measure)
        axes.set_title(title)
        _legend(figure, *axes.get_legend_handles_labels(), most=len(series))
    sentences = [
        f"{row}: " + ", ".join(f"{name} {_number(values[row][0])}" for name, values in series.items() if row in values)
        for row in rows
    ]
    return figure, f"{title or 'Systems compared'}, {measure}. " + "; ".join(sentences) + "."


def results_chart(published, full, this_run, rows: Sequence[str], **options) -> tuple[Figure, str]:
    """:func:`systems_chart` of results: published, full and this run.

    Parameters
    ----------
    published : mapping of system to float
    full, this_run : mapping of system to Result
    rows : sequence of str
    **options
        Of :func:`systems_chart`.

    Returns
    -------
    (Figure, str)
    """
    series = {
        "published": {name: (value, None, None) for name, value in published.items() if value is not None},
        "full": {name: (r.value, r.low, r.high) for name, r in full.items()},
        "this run": {name: (r.value, r.low, r.high) for name, r in this_run.items()},
    }
    return systems_chart(rows, {name: values for name, values in series.items() if values}, **options)


def learning_curves(
    curves: Mapping[str, Sequence[tuple[int, float, float, float]]],
    *,
    measure: str = "MAP",
    title: str = "",
    reference: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[Figure, str]:
    """A measure against the size of the corpus, on a logarithmic axis, with interval bands.

    Parameters
    ----------
    curves : mapping of system to sequence of (tokens, value, low, high)
        By growing size.
    measure, title : str
    reference : mapping of system to (tokens, value), optional
        Published points, drawn hollow in the system's colour.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    _checked_series(curves)
    with _style():
        figure, axes = _figure(7, 4.2)
        for i, (name, points) in enumerate(curves.items()):
            tokens, value, low, high = (np.array(column, dtype=float) for column in zip(*points, strict=True))
            axes.fill_between(tokens, low, high, color=colour(i), alpha=0.15, linewidth=0)
            axes.plot(tokens, value, color=colour(i), marker=marker(i), label=name)
            if reference and name in reference:
                axes.plot(*reference[name], color=colour(i), marker=marker(i), fillstyle="none", linestyle="none")
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel("tokens of the corpus" + (" (hollow: published)" if reference else ""))
        axes.set_ylabel(measure)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=min(len(curves), 5))
    sentences = [
        f"{name} goes from {_number(points[0][1])} at {points[0][0] / 1e6:.1f} to {_number(points[-1][1])} "
        f"at {points[-1][0] / 1e6:.1f} million tokens"
        for name, points in curves.items()
    ]
    sentences += [f"published, {n}: {_number(v)} at {t / 1e6:.0f} million" for n, (t, v) in (reference or {}).items()]
    return figure, f"{title or 'Learning curves'}, {measure} against corpus size. " + "; ".join(sentences) + "."


def loss_chart(
    curves: Mapping[str, Sequence[tuple[int, float, float | None]]], *, title: str = ""
) -> tuple[Figure, str]:
    """The loss of a model against the epochs of its training, on what it is trained on and on what it is not.

    Training: a solid line. Held-out: a dashed line with hollow markers, in the same colour. Held-out losses that rise
    again while those of training fall are a sign of overfitting.

    Parameters
    ----------
    curves : mapping of system to sequence of (epoch, training, held_out)
        By growing epoch; held_out may be None. Six systems at most.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or there are more than six systems.
    """
    _checked_series(curves)
    _checked_few(curves, "systems", len(COLOURS))
    sentences = []
    with _style():
        figure, axes = _figure(7, 3.8)
        for i, (name, points) in enumerate(curves.items()):
            parts = {
                "training": [(epoch, loss) for epoch, loss, _ in points],
                "held-out": [(epoch, loss) for epoch, _, loss in points if loss is not None],
            }
            told = []
            for part, drawn in parts.items():
                if drawn:
                    look = {"linestyle": "-"} if part == "training" else {"linestyle": "--", "fillstyle": "none"}
                    x, y = zip(*drawn, strict=True)
                    axes.plot(x, y, color=colour(i), marker=marker(i), label=f"{name}, {part}", **look)
                    told.append(f"{part} {_number(y[0], 3)} at epoch {x[0]}, {_number(y[-1], 3)} at {x[-1]}")
            if parts["held-out"]:
                epoch, least = min(parts["held-out"], key=lambda point: point[1])
                told.append(f"held-out lowest at epoch {epoch} ({_number(least, 3)})")
            sentences.append(f"{name}: " + "; ".join(told))
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel("epoch")
        axes.set_ylabel("loss")
        axes.set_title(title)
        _legend(figure, *axes.get_legend_handles_labels(), most=2)
    return figure, f"{title or 'Training'}, loss against epoch. " + ". ".join(sentences) + "."


def roc_chart(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float], float]], *, title: str = ""
) -> tuple[Figure, str]:
    """ROC curves of a few systems on square axes, with the diagonal of chance dashed.

    Parameters
    ----------
    curves : mapping of system to (false positive rates, true positive rates, AUC)
        Eight at most, each with rates that go from (0, 0) to (1, 1), as of
        :func:`cdsm_lib.evaluation.metrics.roc_curve`.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, there are more than eight systems, or a curve is none.
    """
    _checked_series({"curves": curves})
    _checked_few(curves, "curves")
    paths = {}
    for name, (false_rate, true_rate, _) in curves.items():
        x, y = np.asarray(false_rate, dtype=float), np.asarray(true_rate, dtype=float)
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise ValueError(f"{name!r}: a curve needs as many false as true positive rates, two or more; "
                             f"got shapes {x.shape} and {y.shape}")  # fmt: skip
        rising = (np.diff(x) >= 0).all() and (np.diff(y) >= 0).all()  # False for NaN too
        if not rising or (x[0], y[0], x[-1], y[-1]) != (0, 0, 1, 1):
            raise ValueError(f"{name!r}: the rates must rise from (0, 0) to (1, 1)")
        paths[name] = x, y
    with _style():
        figure, axes = _figure(7, 4.1)
        axes.plot([0, 1], [0, 1], color=GREY, linestyle=":", label="chance (0.500)")
        for i, (name, (x, y)) in enumerate(paths.items()):
            # Places in diagonals of the axes: evenly spaced along the curve, each curve from a start of its own.
            where = (0.12 + 0.02 * i, 0.17)
            label = f"{name} ({_number(curves[name][2], 3)})"
            axes.plot(x, y, color=colour(i), linestyle=_dashes(i), marker=marker(i), markevery=where, label=label)
        axes.set_aspect("equal")
        axes.set_xlim(-0.01, 1.01)
        axes.set_ylim(-0.01, 1.01)
        axes.set_xticks(np.linspace(0, 1, 6))
        axes.set_yticks(np.linspace(0, 1, 6))
        axes.grid(color=GREY, alpha=0.25)
        axes.set_xlabel("false positive rate")
        axes.set_ylabel("true positive rate")
        axes.set_title(title)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(
            handles[1:] + handles[:1], labels[1:] + labels[:1], loc="outside right center", title="system (AUC)"
        )
    areas = ", ".join(f"{name} {_number(area, 3)}" for name, (_, _, area) in curves.items())
    return figure, f"{title or 'ROC curves'}, true against false positive rate. AUC: {areas}; chance 0.500."


def sweep_chart(
    series: Mapping[str, Sequence[tuple[float, float, float | None, float | None]]],
    *,
    x_label: str,
    y_label: str,
    chance: float | None = None,
    log_x: bool = True,
    title: str = "",
) -> tuple[Figure, str]:
    """A measure against a setting that takes several values, such as a number of iterations: a line a series.

    Parameters
    ----------
    series : mapping of name to sequence of (x, value, low, high)
        By growing x; low and high may be None. Where there are intervals, the series stand a little side by side.
    x_label, y_label : str
        The setting and the measure.
    chance : float, optional
        The measure at chance, drawn as a dotted line.
    log_x : bool
        Whether the setting's axis is logarithmic.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or an x on a logarithmic axis is not positive.
    """
    _checked_series(series)
    places = sorted({x for points in series.values() for x, *_ in points})
    intervals = any(end is not None for points in series.values() for *_, low, high in points for end in (low, high))
    if log_x and places[0] <= 0:
        raise ValueError(f"{x_label} {places[0]:g} has no place on a logarithmic axis; pass log_x=False")
    along = np.log(places) if log_x else np.array(places, dtype=float)
    span = along[-1] - along[0]
    offsets = 0.01 * span * intervals * (np.arange(len(series)) - (len(series) - 1) / 2)
    with _style():
        figure, axes = _figure(7, 4.2)
        for i, (name, points) in enumerate(series.items()):
            x, y, low, high = zip(*points, strict=True)
            x = np.array(x) * np.exp(offsets[i]) if log_x else np.array(x) + offsets[i]
            axes.plot(x, y, color=colour(i), marker=marker(i), linestyle=_dashes(i), label=name)
            axes.errorbar(x, y, yerr=_whiskers(y, low, high), fmt="none", color=colour(i), capsize=2, alpha=0.5)
        if chance is not None:
            axes.axhline(chance, color=GREY, linestyle=":", label=f"chance ({_number(chance, 3)})")
        if log_x:
            axes.set_xscale("log")
        ticks = [0]
        for i in range(1, len(places)):
            if along[i] - along[ticks[-1]] >= 0.05 * span:  # room for a number
                ticks.append(i)
        axes.set_xticks([places[i] for i in ticks], [f"{places[i]:g}" for i in ticks])
        axes.minorticks_off()
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title)
        _legend(figure, *axes.get_legend_handles_labels())
    sentences = [
        f"{name}: " + ", ".join(f"{_number(value, 3)} at {x:g}" for x, value, _, _ in points)
        for name, points in series.items()
    ]
    sentences += [f"chance {_number(chance, 3)}"] if chance is not None else []
    return figure, f"{title or 'Sweep'}, {y_label} against {x_label}. " + "; ".join(sentences) + "."


def probe_chart(
    means: Mapping[str, Mapping[str, tuple[float, float | None, float | None]]],
    *,
    order: Sequence[str] = ("passive", "nominal", "swapped", "unrelated"),
    title: str = "",
) -> tuple[Figure, str]:
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

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or a system lacks one of the forms.
    """
    _checked_series({"order": order, "means": means})
    for system, forms in means.items():
        missing = [form for form in order if form not in forms]
        if missing:
            raise ValueError(f"{system!r} has no mean of {', '.join(missing)}; found {', '.join(forms) or 'nothing'}")
    offsets = np.linspace(-0.27, 0.27, len(order)) if len(order) > 1 else [0.0]
    with _style():
        figure, axes = _figure(7, 1.3 + 0.55 * len(means))
        for i, form in enumerate(order):
            y = np.arange(len(means)) + offsets[i]
            x, low, high = zip(*(forms[form] for forms in means.values()), strict=True)
            axes.errorbar(
                x, y, xerr=_whiskers(x, low, high), fmt=marker(i), color=colour(i), markersize=6, capsize=2, label=form
            )
            if form == "swapped":
                rows = np.arange(len(means))
                axes.vlines(x, rows - 0.4, rows + 0.4, color=colour(i), linestyle="--", linewidth=1, zorder=1)
        for between in range(1, len(means)):
            axes.axhline(between - 0.5, color=GREY, linewidth=0.6, alpha=0.5)
        axes.set_yticks(range(len(means)), list(means))
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(means) - 0.5, -0.5)
        left, right = min(axes.dataLim.x0, 0), max(axes.dataLim.x1, 1)
        axes.set_xlim(left - 0.02 * (right - left), right + 0.02 * (right - left))
        axes.grid(axis="x", color=GREY, alpha=0.25)
        axes.set_xlabel("similarity")
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=len(order))
    sentences = [
        f"{system}: " + ", ".join(f"{form} {_number(forms[form][0], 3)}" for form in order)
        for system, forms in means.items()
    ]
    return figure, f"{title or 'Similarity with altered sentences'}, means. " + "; ".join(sentences) + "."


def heat_map(
    values, rows: Sequence[str], columns: Sequence[str], *, measure: str = "MAP", title: str = "", decimals: int = 2
) -> tuple[Figure, str]:
    """A table of numbers as shades with the numbers written in: a breakdown by head noun, say.

    Parameters
    ----------
    values : float array [rows, columns]
        NaN where there is no figure.
    rows, columns : sequences of str
    measure, title : str
    decimals : int

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If the labels do not fit the values.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(rows), len(columns)) or not np.isfinite(values).any():
        raise ValueError(f"values {values.shape} must be [{len(rows)} rows, {len(columns)} columns], not all missing")
    low, high = np.nanmin(values), np.nanmax(values)
    with _style():
        title = textwrap.fill(title, max(20, int(8.5 * len(columns))))  # the title stands over the columns
        figure, axes = _figure(1.8 + 0.85 * len(columns), 1.3 + 0.4 * len(rows) + 0.2 * title.count("\n"))
        axes.imshow(values, cmap="cividis", vmin=low, vmax=high, aspect="auto")
        for (i, j), value in np.ndenumerate(values):
            if np.isfinite(value):
                dark = value < (low + high) / 2 or low == high
                axes.text(j, i, _number(value, decimals), ha="center", va="center", color="white" if dark else "black")
        axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axes.set_yticks(range(len(rows)), rows)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_title(title)
    sentences = [
        f"{row}: "
        + ", ".join(
            f"{column} {_number(value, decimals)}"
            for column, value in zip(columns, line, strict=True)
            if np.isfinite(value)
        )
        for row, line in zip(rows, values, strict=True)
    ]
    return figure, f"{' '.join(title.split()) or 'Table of shades'}, {measure}. " + "; ".join(sentences) + "."


BOARD_MARKS = {"best": ("*", 10), "level": ("o", 5), "behind": ("o", 5)}
"""Marker and size of a system on a task; one that is behind is hollow."""


def board_chart(
    rows: Sequence[str],
    panels: Mapping[str, Mapping[str, tuple[float, float, float, str]]],
    *,
    chance: Mapping[str, float] | None = None,
    measures: Mapping[str, str] | None = None,
    title: str = "",
    width: float = 9.0,
) -> tuple[Figure, str]:
    """Every system on every task: a leaderboard as a picture.

    Parameters
    ----------
    rows : sequence of str
        Systems, top to bottom.
    panels : mapping of task to mapping of system to (value, low, high, standing)
        A panel a task, side by side. The standing is "best" (the highest figure, a star), "level" (not significantly
        behind it, filled) or "behind" (hollow). Systems may be missing.
    chance : mapping of task to float, optional
        A dashed line.
    measures : mapping of task to str, optional
    title : str
    width : float
        Inches.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or a standing is unknown.
    """
    _checked_series({"rows": rows, **panels})
    unknown = {point[3] for of in panels.values() for point in of.values()} - set(BOARD_MARKS)
    if unknown:
        raise ValueError(f"standing {sorted(unknown)[0]!r}; there are {', '.join(BOARD_MARKS)}")
    with _style():
        figure = Figure(figsize=(width, 1.5 + 0.24 * len(rows)), layout="constrained")
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for i, (axes, (task, found)) in enumerate(zip(grid, panels.items(), strict=True)):
            if chance and task in chance:
                axes.axvline(chance[task], color=GREY, linestyle="--", linewidth=1)
            for place, row in enumerate(rows):
                if row not in found:
                    continue
                value, low, high, standing = found[row]
                shape, size = BOARD_MARKS[standing]
                shade = colour(1 if standing == "best" else 0)
                axes.errorbar(
                    [value], [place], xerr=_whiskers([value], [low], [high]), fmt=shape, color=shade, markersize=size,
                    markerfacecolor="none" if standing == "behind" else shade, linewidth=1,
                )  # fmt: skip
            axes.set_title(task.replace(" ", "\n", 1), fontsize=9)
            axes.set_xlabel((measures or {}).get(task, ""), fontsize=9)
            axes.tick_params(axis="x", labelsize=8)
            axes.locator_params(axis="x", nbins=3)
            axes.grid(axis="both", color=GREY, alpha=0.2)
            axes.set_axisbelow(True)
            if i == 0:
                axes.set_yticks(range(len(rows)), rows)
            axes.set_ylim(len(rows) - 0.5, -0.5)
        handles = [
            Line2D([], [], linestyle="", marker="*", markersize=10, color=colour(1)),
            Line2D([], [], linestyle="", marker="o", markersize=5, color=colour(0)),
            Line2D([], [], linestyle="", marker="o", markersize=5, color=colour(0), markerfacecolor="none"),
        ]
        names = ["highest figure", "not significantly behind it", "behind it"]
        if chance:
            handles.append(Line2D([], [], color=GREY, linestyle="--", linewidth=1))
            names.append("chance")
        _legend(figure, handles, names)
        if title:
            figure.suptitle(title, fontsize=STYLE["font.size"] + 1)
    sentences = []
    for task, found in panels.items():
        of = {kind: [name for name in rows if name in found and found[name][3] == kind] for kind in BOARD_MARKS}
        values = [point[0] for point in found.values()]
        text = f"{task}: {', '.join(f'{name} {_number(found[name][0], 3)}' for name in of['best'])}"
        if of["level"]:
            text += f", not significantly ahead of {', '.join(of['level'])}"
        text += f"; the figures run from {_number(min(values), 3)} to {_number(max(values), 3)}"
        if chance and task in chance:
            text += f", chance {_number(chance[task], 3)}"
        sentences.append(text)
    return figure, f"{title or 'Systems on tasks'}. The highest figure on each. " + ". ".join(sentences) + "."


def _beside(names: Sequence[str], place: np.ndarray, size: float = 8.0) -> list[tuple[float, float, str]]:
    """Where each name goes beside its point: (dx, dy, side), all in points of type; greedily, from left to right.

    Parameters
    ----------
    names : sequence of str
    place : float array [names, 2]
        Of the points.
    size : float
        Of the type.
    """
    dots = [(x - 4, x + 4, y - 4, y + 4) for x, y in place.tolist()]
    taken, found = [], {}
    for i in np.argsort(place[:, 0], kind="stable").tolist():
        x, y = place[i].tolist()
        width, best = _type_width(names[i], size), None
        for dy in (0.0, 7.0, -7.0, 12.0, -12.0, 18.0, -18.0):
            for side in ("left", "right"):
                start = x + 6 if side == "left" else x - 6 - width
                box = (start, start + width, y + dy - 4, y + dy + 4)
                met = sum(
                    box[0] < b[1] and b[0] < box[1] and box[2] < b[3] and b[2] < box[3] for b in (*taken, *dots)
                )  # fmt: skip
                if best is None or met < best[0]:
                    best = (met, box, (6.0 if side == "left" else -6.0, dy, side))
        taken.append(best[1])
        found[i] = best[2]
    return [found[i] for i in range(len(names))]


def labelled_points(
    points: Mapping[str, tuple[float, float]],
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    log_x: bool = False,
    turned: bool = False,
) -> tuple[Figure, str]:
    """Named points in a plane: systems by what they cost and how they do, or by two tasks.

    Parameters
    ----------
    points : mapping of str to (float, float)
        Each name is written beside its point, where no other point or name is, if there is such a place.
    x_label, y_label, title : str
    log_x : bool
        A logarithmic scale; all x must be positive.
    turned : bool
        Whether small y are above: for ranks.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        Without points, or for an x of 0 or less on a logarithmic scale.
    """
    _checked_series({"points": points})
    if log_x and min(x for x, _ in points.values()) <= 0:
        raise ValueError("a logarithmic scale needs positive numbers; leave out what costs nothing")
    with _style():
        figure, axes = _figure(7, 5)
        xs, ys = np.array(list(points.values()), dtype=float).T
        if log_x:
            axes.set_xscale("log")
        axes.plot(xs, ys, linestyle="", marker="o", markersize=5, color=colour(0))
        across = np.log(xs) if log_x else xs
        place = np.column_stack(
            [
                (across - across.min()) / (np.ptp(across) or 1) * 310,
                (ys - ys.min()) / (np.ptp(ys) or 1) * (-240 if turned else 240),
            ]
        )  # about where the points are, in the points that type is measured in
        for name, x, y, (dx, dy, side) in zip(points, xs, ys, _beside(list(points), place), strict=True):
            axes.annotate(
                name, (x, y), xytext=(dx, dy - 3), textcoords="offset points", fontsize=8, ha=side,
            )  # fmt: skip
        axes.margins(x=0.2, y=0.08)
        if turned:
            axes.invert_yaxis()
        axes.grid(color=GREY, alpha=0.25)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title)
    sentences = [f"{name}: {x:.3g}, {y:.3g}" for name, (x, y) in points.items()]
    return figure, f"{title or 'Points'}, {x_label} and {y_label}. " + "; ".join(sentences) + "."


def profile_chart(
    columns: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float | None, float | None] | None]],
    *,
    measure: str = "MAP",
    across: str = "",
    title: str = "",
    reference: Mapping[str, float] | None = None,
) -> tuple[Figure, str]:
    """A measure over a few ordered cases, such as the positions of a phrase: a line a series, with intervals.

    Parameters
    ----------
    columns : sequence of str
        The cases, left to right.
    series : mapping of name to sequence of (value, low, high) or None
        One entry a case; None leaves a gap; low and high may be None.
    measure, title : str
    across : str
        What the cases are, under the axis.
    reference : mapping of name to float, optional
        Values to compare all cases with, such as that of a random ranking: dashed lines.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or a series does not have one entry a case.
    """
    _checked_series({"columns": columns, **series})
    for name, values in series.items():
        if len(values) != len(columns):
            raise ValueError(f"{name!r} has {len(values)} values for {len(columns)} cases")
    offsets = np.linspace(-0.15, 0.15, len(series)) if len(series) > 1 else [0.0]
    with _style():
        figure, axes = _figure(7, 4.4)
        for i, (name, values) in enumerate(series.items()):
            _draw_cases(axes, i, name, values, offsets[i])
        for name, value in (reference or {}).items():
            axes.axhline(value, color=GREY, linestyle=":", label=f"{name} ({_number(value, 3)})")
        axes.set_xticks(range(len(columns)), columns)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel(across)
        axes.set_ylabel(measure)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=3)
    sentences = [
        f"{name}: " + ", ".join(f"{c} {_number(v[0])}" for c, v in zip(columns, values, strict=True) if v is not None)
        for name, values in series.items()
    ]
    sentences += [f"{name} {_number(value, 3)}" for name, value in (reference or {}).items()]
    return figure, f"{title or 'Profile'}, {measure}. " + "; ".join(sentences) + "."


def discrimination_chart(
    panels: Mapping[str, Mapping[str, Sequence[tuple[float, float | None, float | None] | None]]],
    senses: Sequence[int] = (2, 3, 4, 5),
    chance: Sequence[float] | None = None,
    *,
    measure: str = "accuracy",
    title: str = "",
    looks: Sequence[str] = (),
) -> tuple[Figure, str]:
    """Word sense discrimination: accuracy against the number of senses, a panel for each window (Kober et al., fig. 2).

    Parameters
    ----------
    panels : mapping of window to mapping of system to sequence of (value, low, high) or None
        A panel each, two side by side. One entry for each number of senses; None leaves it out; low and high may be
        None. Eight systems at most; a system looks alike in all panels and may be missing from some.
    senses : sequence of int
        Numbers of senses, which are the numbers of options.
    chance : sequence of float, optional
        The measure at chance for each number of senses, drawn as a grey dotted line; 1/n by default.
    measure, title : str
    looks : sequence of str, optional
        Systems in the order in which they get colours and markers, so that they look alike in several charts.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, there are more than eight systems, or a system or `chance` does not have one entry
        for each number of senses.
    """
    _checked_series({"senses": senses, "panels": panels, **panels})
    systems = list(dict.fromkeys([*looks, *(system for series in panels.values() for system in series)]))
    _checked_few(systems, "systems")
    chance = [1 / n for n in senses] if chance is None else list(chance)
    rows = [("chance", chance), *(row for series in panels.values() for row in series.items())]
    for name, values in rows:
        if len(values) != len(senses):
            raise ValueError(f"{name!r} has {len(values)} values for {len(senses)} numbers of senses")
    offsets = np.linspace(-0.2, 0.2, len(systems)) if len(systems) > 1 else [0.0]
    handles = {}
    with _style():
        figure, grid = _panels(list(panels), 2, 2.4, "number of senses", measure)
        for axes, series in zip(grid, panels.values(), strict=True):
            axes.plot(range(len(senses)), chance, color=GREY, linestyle=":", label="chance")
            for i, system in enumerate(systems):
                if system in series:
                    _draw_cases(axes, i, system, series[system], offsets[i])
            axes.set_xticks(range(len(senses)), senses)
            axes.set_xlim(-0.4, len(senses) - 0.6)
            axes.grid(axis="y", color=GREY, alpha=0.25)
            found, names = axes.get_legend_handles_labels()
            handles.update(zip(names, found, strict=True))
        figure.suptitle(title)
        order = [name for name in (*systems, "chance") if name in handles]
        _legend(figure, [handles[name] for name in order], order)
    sentences = [
        f"{panel}: "
        + "; ".join(
            f"{system} " + ", ".join("none" if value is None else _number(value[0]) for value in series[system])
            for system in systems
            if system in series
        )
        for panel, series in panels.items()
    ]
    sentences.append("Chance: " + ", ".join(_number(value) for value in chance))
    numbers = ", ".join(str(n) for n in senses)
    return figure, f"{title or 'Discrimination'}, {measure} with {numbers} senses. " + ". ".join(sentences) + "."


def rating_chart(
    panels: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    marked: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    x_label: str = "mean rating",
    y_label: str = "cosine",
    title: str = "",
) -> tuple[Figure, str]:
    """Similarity of a model against the mean rating of people, a panel for each strategy, with a line of least squares.

    A ring is a pair. The scales are common to all panels: where a strategy lifts the dissimilar pairs, its line begins
    higher and rises less.

    Parameters
    ----------
    panels : mapping of strategy to (ratings, similarities)
        A panel each, three side by side; at least two pairs with different ratings.
    marked : mapping of strategy to mapping of label to (rating, similarity), optional
        Pairs with a marker and a name of their own, which the legend gives; seven at most. A label looks alike in all
        panels. They are drawn beside the others and do not move the line.
    x_label, y_label, title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, ratings and similarities do not fit or are not finite, all ratings of a panel are
        equal, a marked strategy has no panel, or more than seven pairs are marked.
    """
    _checked_series({"panels": panels})
    marked = marked or {}
    if unknown := [name for name in marked if name not in panels]:
        raise ValueError(f"marked pairs of {', '.join(unknown)}, but the panels are {', '.join(panels)}")
    labels = list(dict.fromkeys(label for pairs in marked.values() for label in pairs))
    _checked_few(labels, "pairs are marked", len(MARKERS) - 1)
    points, ends = {}, {}
    for name, pair in panels.items():
        x, y = points[name] = tuple(np.asarray(values, dtype=float) for values in pair)
        if x.ndim != 1 or x.shape != y.shape or not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise ValueError(f"{name!r}: finite ratings and as many similarities are needed, "
                             f"got shapes {x.shape} and {y.shape}")  # fmt: skip
        if len(x) < 2 or x.min() == x.max():
            raise ValueError(f"{name!r}: a line needs at least two pairs with different ratings")
        slope, start = np.polyfit(x, y, 1)
        ends[name] = [(end, start + slope * end) for end in (x.min(), x.max())]
    handles = {}
    with _style():
        figure, grid = _panels(list(panels), 3, 2.5, x_label, y_label)
        for axes, (name, (x, y)) in zip(grid, points.items(), strict=True):
            axes.plot(x, y, "o", color=colour(0), fillstyle="none", markersize=4, label="pair")
            axes.plot(*zip(*ends[name], strict=True), color=colour(1), linewidth=2, label="least squares")
            for i, label in enumerate(labels, 1):
                if label in marked.get(name, {}):
                    look = {"color": colour(i + 1), "markeredgecolor": GREY, "markersize": 9, "linestyle": "none"}
                    axes.plot(*marked[name][label], marker=marker(i), label=label, **look)
            axes.grid(color=GREY, alpha=0.25)
            found, names = axes.get_legend_handles_labels()
            handles.update(zip(names, found, strict=True))
        figure.suptitle(title)
        order = ["pair", "least squares", *labels]
        _legend(figure, [handles[name] for name in order], order)
    sentences = []
    for name, ((low, first), (high, last)) in ends.items():
        told = f"{name}, {len(points[name][0])} pairs: the line goes from {_number(first)} at {_number(low)} "
        told += f"to {_number(last)} at {_number(high)}"
        for label, (x, y) in marked.get(name, {}).items():
            told += f", {label} {_number(y)} at {_number(x)}"
        sentences.append(told)
    return figure, f"{title or 'Ratings'}, {y_label} against {x_label}. " + "; ".join(sentences) + "."


def level_chart(
    series: Mapping[str, Mapping[int, tuple[float, float | None, float | None]]],
    *,
    levels: Sequence[int],
    y_label: str,
    published: Mapping[str, Mapping[int, float]] | None = None,
    x_label: str = "level (words replaced)",
    title: str = "",
) -> tuple[Figure, str]:
    """A share against the number of words replaced in a sentence: a line a system, beside what was published.

    One share a picture (White, 2015, section 5, has three): in panels the intervals would hide the lines.

    Parameters
    ----------
    series : mapping of system to mapping of level to (value, low, high)
        Shares from 0 to 1; low and high, of the 95% interval, may be None; levels may be missing. Eight systems
        at most.
    levels : sequence of int
        The levels to draw, each one above the one before.
    y_label : str
        The share.
    published : mapping of system to mapping of level to share, optional
        Larger, hollow markers on dotted lines in the system's colour.
    x_label, title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, the levels do not follow one another, a value is no share, there are more than
        eight systems, or a published system is not among them.
    """
    _checked_series({"levels": levels, "series": series, **series})
    _checked_few(series, "systems")
    published = published or {}
    if list(levels) != list(range(levels[0], levels[0] + len(levels))):
        raise ValueError(f"levels {list(levels)} must follow one another, such as 1, 2, 3")
    if unknown := [name for name in published if name not in series]:
        raise ValueError(f"published values of {', '.join(unknown)}, but the systems are {', '.join(series)}")
    found = [(name, {level: value[0] for level, value in values.items()}) for name, values in series.items()]
    for name, values in [*found, *published.items()]:
        if wrong := {level: value for level, value in values.items() if not 0 <= value <= 1}:
            raise ValueError(f"{name!r}: shares from 0 to 1 are needed, got {wrong} (by level)")
    offsets = np.linspace(-0.24, 0.24, len(series)) if len(series) > 1 else [0.0]
    with _style():
        figure, axes = _figure(7, 5)
        for i, (name, values) in enumerate(series.items()):
            _draw_cases(axes, i, name, [values.get(level) for level in levels], offsets[i], levels[0])
            given = [(level + offsets[i], published.get(name, {}).get(level)) for level in levels]
            given = [point for point in given if point[1] is not None]
            if given:
                look = {"marker": marker(i), "markersize": 9, "fillstyle": "none", "linestyle": ":"}
                axes.plot(*zip(*given, strict=True), color=colour(i), **look)
        axes.set_xticks(levels, levels)
        axes.set_xlim(levels[0] - 0.5, levels[-1] + 0.5)
        axes.set_ylim(-0.03, 1.03)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title)
        handles, names = axes.get_legend_handles_labels()
        if published:
            handles.append(Line2D([], [], color=GREY, marker="o", markersize=9, fillstyle="none", linestyle=":"))
            names.append("published")
        _legend(figure, handles, names, most=3)
    first = {name: values[levels[0]] for name, values in found if levels[0] in values}
    sentences = []
    if first:
        least, most = min(first, key=first.get), max(first, key=first.get)
        ends = f"{_number(first[least])} ({least}) to {_number(first[most])} ({most})"
        sentences.append(f"At level {levels[0]} from {ends}; each system at levels from {levels[0]}")
    for name, values in found:
        told = [f"{name}: " + _at_levels(levels, values)]
        if name in published:
            told.append("published " + _at_levels(levels, published[name]))
        sentences.append(", ".join(told))
    return figure, f"{title or 'Shares by level'}, {y_label}. " + ". ".join(sentences) + "."


def _at_levels(levels: Sequence[int], values: Mapping[int, float]) -> str:
    """The values one after the other, up to the last level that has one."""
    last = max((place for place, level in enumerate(levels, 1) if level in values), default=0)
    return " ".join(_number(values[k]) if k in values else "none" for k in levels[:last]) or "none"


PARAPHRASE = "paraphrase"


def _version(name: str) -> tuple[str, int | None]:
    """Kind and number of a version's name: "2 noun synonyms" and "noun synonym 2" are ("noun synonym", 2)."""
    words = name.split()
    numbers = [int(word) for word in words if word.isdigit()]
    return " ".join(word for word in words if not word.isdigit()).removesuffix("s"), numbers[0] if numbers else None


def _distances(values: Sequence[float]) -> list[str]:
    """Distances as text: three decimals, more where all are small, as those of an autoencoder are."""
    most = max(values)
    decimals = max(3, 1 - floor(log10(most))) if most > 0 else 3
    return [_number(value, decimals) for value in values]


def _kinds(versions: Collection[str]) -> list[str]:
    """The kinds among names of versions, without the paraphrase, in the order in which they first come."""
    return list(dict.fromkeys(kind for kind, _ in map(_version, versions) if kind != PARAPHRASE))


def _checked_paraphrase(systems: Mapping[str, Collection[str]]) -> None:
    for name, versions in systems.items():
        if PARAPHRASE not in versions:
            raise ValueError(f"{name!r} has no {PARAPHRASE!r} to compare with; found {', '.join(versions)}")


def distance_chart(
    panels: Mapping[str, Mapping[str, tuple[float, float, float, float, float]]], *, title: str = ""
) -> tuple[Figure, str]:
    """How far versions of a sentence are from it: the distribution of cosine distances, a panel for each system.

    A dot at the median, a box from the first to the third quartile, and a line from 5% to 95%; kinds of version with
    more and more words replaced are alike in colour. Each panel has a scale of its own, from 0, for what counts is on
    which side of the paraphrase's median, a dashed line, a kind lies: distances of two systems are not comparable.

    Parameters
    ----------
    panels : mapping of system to mapping of kind to (5%, 25%, 50%, 75%, 95%)
        Quantiles of distances. Kinds such as "paraphrase", which every system must have, "1 noun synonym" and
        "2 noun synonyms"; rows from top to bottom as they first come; others may be missing from some systems.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, a system has no paraphrase, or quantiles do not rise.
    """
    _checked_series({"panels": panels, **panels})
    _checked_paraphrase(panels)
    for name, rows in panels.items():
        for kind, values in rows.items():
            if len(values) != 5 or not (np.diff(values) >= 0).all():  # False for NaN too
                raise ValueError(f"{name!r}, {kind!r}: five rising quantiles are needed, got {tuple(values)}")
    kinds = list(dict.fromkeys(kind for rows in panels.values() for kind in rows))
    looks = {PARAPHRASE: (GREY, "o")} | {kind: (colour(i), marker(i)) for i, kind in enumerate(_kinds(kinds))}
    sentences = []
    with _style():
        figure, grid = _panels(list(panels), 3, 0.45 + 0.2 * len(kinds), "cosine distance", "", own="x")
        for axes, (name, rows) in zip(grid, panels.items(), strict=True):
            middle = rows[PARAPHRASE][2]
            axes.axvline(middle, color=GREY, linestyle="--", linewidth=1, alpha=0.7, zorder=0.5)
            for place, kind in enumerate(kinds):
                if kind in rows:
                    shade, sign = looks[_version(kind)[0]]
                    low, first, median, third, high = rows[kind]
                    axes.plot([low, high], [place, place], color=shade, linewidth=1.2)
                    axes.barh(place, third - first, left=first, height=0.56, color=shade, alpha=0.4)
                    axes.plot(median, place, sign, color=shade, markersize=5)
            axes.set_xlim(0, 1.05 * max(values[-1] for values in rows.values()) or 1)
            axes.xaxis.get_major_locator().set_params(nbins=4)
            axes.grid(axis="x", color=GREY, alpha=0.25)
            beyond = [kind for kind in rows if rows[kind][2] > middle]
            medians = _distances([values[2] for values in rows.values()])
            told = ", ".join(f"{kind} {median}" for kind, median in zip(rows, medians, strict=True))
            sentences.append(f"{name}: {told}; beyond the paraphrase: {', '.join(beyond) or 'none'}")
        grid[0].set_yticks(range(len(kinds)), kinds)
        grid[0].set_ylim(len(kinds) - 0.4, -0.6)
        for axes in grid:
            axes.tick_params(axis="y", length=0)
        figure.suptitle(title)
    return figure, f"{title or 'Distances from the sentence'}, medians. " + ". ".join(sentences) + "."


def ladder_chart(steps: Mapping[str, Sequence[tuple[str, float]]], *, title: str = "") -> tuple[Figure, str]:
    """Distances of one sentence from its versions with 1, 2, 3 ... words replaced (White, 2015, section 4).

    A panel for each system: a line for each kind of version, and a dashed line at the distance of the paraphrase.
    Synonyms should lie on it or below, antonyms above. Each panel has a scale of its own, from 0.

    Parameters
    ----------
    steps : mapping of system to sequence of (version, distance)
        Versions such as "paraphrase", which every system must have, "1 synonym", "2 synonyms" and "antonym 1".
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, a system has no paraphrase, a version has no number, or a distance is not finite.
    """
    _checked_series({"steps": steps, **steps})
    _checked_paraphrase({name: [version for version, _ in rungs] for name, rungs in steps.items()})
    for name, rungs in steps.items():
        for version, distance in rungs:
            if version != PARAPHRASE and _version(version)[1] is None:
                raise ValueError(f"{name!r}: {version!r} must say how many words it replaces, as '1 synonym' does")
            if not np.isfinite(distance):
                raise ValueError(f"{name!r}: the distance of {version!r} is {distance}; a finite one is needed")
    kinds = _kinds([version for rungs in steps.values() for version, _ in rungs])
    _checked_few(kinds, "kinds of version")
    offsets = np.linspace(-0.08, 0.08, len(kinds)) if len(kinds) > 1 else np.zeros(len(kinds))
    numbers = sorted({_version(version)[1] for rungs in steps.values() for version, _ in rungs} - {None})
    handles, sentences = {}, []
    with _style():
        figure, grid = _panels(list(steps), 3, 1.75, "words replaced", "cosine distance", own="y")
        for axes, (system, rungs) in zip(grid, steps.items(), strict=True):
            line = dict(rungs)[PARAPHRASE]
            reference = axes.axhline(line, color=GREY, linestyle="--", linewidth=1.2)
            text = dict(zip(dict(rungs), _distances(list(dict(rungs).values())), strict=True))
            told = [f"{system}: paraphrase {text[PARAPHRASE]}"]
            for i, kind in enumerate(kinds):
                drawn = sorted(
                    (_version(name)[1], value, text[name]) for name, value in rungs if _version(name)[0] == kind
                )
                if drawn:
                    x, y, values = zip(*drawn, strict=True)
                    look = {"color": colour(i), "marker": marker(i), "linestyle": _dashes(i)}
                    handles[kind] = axes.plot(np.array(x) + offsets[i], y, **look)[0]
                    told.append(f"{kind} {' '.join(values)} ({sum(value > line for value in y)} of {len(y)} above)")
            sentences.append(", ".join(told))
            axes.set_ylim(0, 1.12 * max(value for _, value in rungs) or 1)
            axes.grid(axis="y", color=GREY, alpha=0.25)
        if numbers:
            grid[0].set_xticks(numbers, numbers)
            grid[0].set_xlim(numbers[0] - 0.4, numbers[-1] + 0.4)
        figure.suptitle(title)
        figure.align_ylabels(grid)
        aim = "synonyms should lie below the paraphrase, antonyms above"
        order = [*kinds, PARAPHRASE]
        handles[PARAPHRASE] = reference
        _legend(figure, [handles[kind] for kind in order], order, title=aim)
    return figure, f"{title or 'One sentence and its versions'}, cosine distances; {aim}. " + ". ".join(sentences) + "."


def counts_chart(
    rows: Sequence[str],
    series: Mapping[str, Mapping[str, int]],
    *,
    reference: Mapping[str, int] | None = None,
    x_label: str = "",
    y_label: str = "",
    title: str = "",
) -> tuple[Figure, str]:
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

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    _checked_series({"rows": rows, **series})
    reference = reference or {}
    height = 0.8 / len(series)
    with _style():
        figure, axes = _figure(7.5, 1.2 + 0.3 * len(rows) * len(series) ** 0.5)
        for i, (name, counts) in enumerate(series.items()):
            shift = (i - (len(series) - 1) / 2) * height
            drawn = [(place + shift, counts[row]) for place, row in enumerate(rows) if row in counts]
            axes.barh([y for y, _ in drawn], [n for _, n in drawn], height=0.9 * height, color=colour(i), label=name)
            for y, n in drawn:
                axes.annotate(f"{n:,}", (n, y), (4, 0), textcoords="offset points", va="center", fontsize=8)
            if name in reference:
                label = f"{name}, published ({reference[name]:,})"
                gaps = np.arange(len(rows) + 1) - 0.5  # between the rows, where no number stands
                axes.vlines([reference[name]] * len(gaps), gaps - 0.12, gaps + 0.12, color=colour(i), label=label)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, 1.12 * max([*reference.values(), *(n for counts in series.values() for n in counts.values())]))
        axes.grid(axis="x", color=GREY, alpha=0.25)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.set_title(title)
        _legend(figure, *axes.get_legend_handles_labels(), most=2 if reference else 4)
    sentences = [
        f"{row}: " + ", ".join(f"{counts[row]} {name}" for name, counts in series.items() if row in counts)
        for row in rows
    ]
    sentences += [f"published: {n} {name}" for name, n in reference.items()]
    return figure, f"{title or 'Counts'}. " + "; ".join(sentences) + "."


def resample_chart(
    series: Mapping[str, Sequence[float]],
    marks: Mapping[str, float],
    *,
    measure: str = "difference",
    mark: str = "observed",
    level: float = 0.95,
    bins: int = 40,
    title: str = "",
) -> tuple[Figure, str]:
    """How a figure is spread over its resamples: permutations or bootstrap samples, one histogram above another.

    The middle of each histogram, which holds `level` of the resamples, has the series' colour; what lies outside is
    grey. A dashed line stands at the mark.

    Parameters
    ----------
    series : mapping of name to sequence of float
        Such as the differences of permuted data; at least one value each, all finite.
    marks : mapping of name to float
        One value a series, such as the observed difference.
    measure : str
        What the values are, under the axis.
    mark : str
        What the marked value is called.
    level : float
        Between 0 and 1.
    bins : int
        Bars over the whole axis, the same in each histogram.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, a series has no mark, a value is not finite, or the level is not in (0, 1).
    """
    _checked_series(series)
    values = {name: np.asarray(drawn, dtype=float) for name, drawn in series.items()}
    lacking = [name for name in values if name not in marks]
    if lacking or not 0 < level < 1:
        raise ValueError(f"series without a mark: {lacking}; level {level} must lie between 0 and 1")
    everything = np.concatenate([*values.values(), [marks[name] for name in values]])
    if not np.isfinite(everything).all():
        raise ValueError("resamples and marks must be finite; leave out what could not be computed")
    edges = np.histogram_bin_edges(everything, bins)
    middle = {name: np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]) for name, drawn in values.items()}
    with _style():
        figure, panels = _panels(list(values), 1, 1.5, measure, "share")
        for i, (axes, (name, drawn)) in enumerate(zip(panels, values.items(), strict=True)):
            share = np.histogram(drawn, edges)[0] / len(drawn)
            centres = (edges[1:] + edges[:-1]) / 2
            inside = (centres >= middle[name][0]) & (centres <= middle[name][1])
            shades = [colour(i) if within else GREY for within in inside]
            axes.bar(centres, share, width=np.diff(edges), color=shades, alpha=0.75)
            axes.axvline(marks[name], color=GREY, linestyle="--", linewidth=1.5)
            axes.annotate(mark, (marks[name], 0.95), (4, 0), xycoords=("data", "axes fraction"),
                          textcoords="offset points", va="top", fontsize=9)  # fmt: skip
        figure.suptitle(title)
    sentences = [
        f"{name}: {level:.0%} of {len(values[name]):,} between {_number(low, 3)} and {_number(high, 3)}, "
        f"{mark} {_number(marks[name], 3)}"
        for name, (low, high) in middle.items()
    ]
    return figure, f"{title or 'Resamples'}, {measure}. " + "; ".join(sentences) + "."


def stacked_chart(
    rows: Sequence[str], series: Mapping[str, Mapping[str, int]], *, x_label: str = "", title: str = ""
) -> tuple[Figure, str]:
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

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or there are more than three series.
    """
    _checked_series({"rows": rows, **series})
    looks = (("#0072B2", "white", ""), ("#E69F00", "black", "///"), ("#D55E00", "black", ""))  # legible on the piece
    _checked_few(series, "series", len(looks))
    with _style():
        figure, axes = _figure(7, 1.3 + 0.4 * len(rows))
        starts = dict.fromkeys(rows, 0)
        for (name, counts), (face, ink, hatch) in zip(series.items(), looks, strict=False):
            drawn = [(place, row, counts[row]) for place, row in enumerate(rows) if counts.get(row)]
            lefts = [starts[row] for _, row, _ in drawn]
            look = {"color": face, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5, "label": name}
            axes.barh([place for place, _, _ in drawn], [n for *_, n in drawn], left=lefts, height=0.7, **look)
            for (place, row, n), left in zip(drawn, lefts, strict=True):
                ground = {"facecolor": face, "edgecolor": "none", "pad": 1.5}
                axes.text(left + n / 2, place, f"{n}", ha="center", va="center", color=ink, bbox=ground)
                starts[row] += n
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel(x_label)
        axes.set_title(title)
        _legend(figure, *axes.get_legend_handles_labels())
    sentences = [
        f"{row}: " + ", ".join(f"{counts.get(row, 0)} {name}" for name, counts in series.items()) for row in rows
    ]
    return figure, f"{title or 'Counts'}. " + "; ".join(sentences) + "."


def size_chart(
    panels: Mapping[str, Mapping[str, Sequence[tuple[int, float, float | None, float | None]]]],
    *,
    x_label: str = "million tokens read",
    y_label: str = "",
    title: str = "",
) -> tuple[Figure, str]:
    """Learning curves of several tasks, a panel each with a scale of its own, on a logarithmic axis of tokens.

    The systems of a panel stand a little side by side, so that their intervals can be told apart.

    Parameters
    ----------
    panels : mapping of title to mapping of system to sequence of (tokens, value, low, high)
        By growing size; low and high may be None. A system looks the same in all panels.
    x_label, y_label, title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw, or there are more systems than can be told apart.
    """
    _checked_series({name: series for panel in panels.values() for name, series in panel.items()})
    systems = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    sizes = [x / 1e6 for panel in panels.values() for points in panel.values() for x, *_ in points]
    ticks = [t * 10**e for e in range(-3, 6) for t in (1, 2, 5) if min(sizes) <= t * 10**e <= max(sizes)]
    if len(systems) > 2 * len(COLOURS):
        raise ValueError(f"{len(systems)} systems in one picture: {2 * len(COLOURS)} can be told apart")
    handles, sentences = {}, []
    with _style():
        figure, grid = _panels(list(panels), 2, 2.4, x_label, y_label, own="y")
        for axes, (name, panel) in zip(grid, panels.items(), strict=True):
            told = []
            for place, (system, points) in enumerate(panel.items()):
                i, shift = systems.index(system), 1.02 ** (place - (len(panel) - 1) / 2)
                tokens, y, low, high = zip(*points, strict=True)
                x = np.array(tokens) / 1e6 * shift
                look = {"color": colour(i), "marker": marker(i), "linestyle": _dashes(i), "markersize": 5}
                handles[system] = axes.plot(x, y, **look)[0]
                axes.errorbar(x, y, yerr=_whiskers(y, low, high), fmt="none", color=colour(i), capsize=2, alpha=0.4)
                told.append(
                    f"{system} {_number(y[0])} at {tokens[0] / 1e6:.1f}, {_number(y[-1])} at {tokens[-1] / 1e6:.1f}"
                )
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
            axes.grid(axis="y", color=GREY, alpha=0.25)
            sentences.append(f"{name}: " + ", ".join(told))
        figure.suptitle(title)
        _legend(figure, list(handles.values()), list(handles))
    return figure, f"{title or 'Learning curves'}, by {x_label}. " + ". ".join(sentences) + "."


def funnel_chart(steps: Sequence, *, title: str = "") -> tuple[Figure, str]:
    """What each step of a construction left, as bars on a logarithmic axis.

    Parameters
    ----------
    steps : sequence of Step
        With `name`, `head_nouns`, `terms` and `properties`; the finest that is not zero is drawn.

    Returns
    -------
    (Figure, str)
    """
    _checked_series({"steps": steps})
    kinds = ("head nouns", "terms", "properties")

    def finest(step) -> tuple[int, int]:
        sizes = (step.head_nouns, step.terms, step.properties)
        kind = max((i for i, size in enumerate(sizes) if size), default=0)
        return kind, sizes[kind]

    with _style():
        figure, axes = _figure(7, 1 + 0.4 * len(steps))
        for place, step in enumerate(steps):
            kind, size = finest(step)
            axes.barh(place, max(size, 0.8), color=colour(kind), height=0.6)
            axes.annotate(
                f"{size:,} {kinds[kind]}", (max(size, 0.8), place), (4, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(steps)), [step.name for step in steps])
        axes.set_ylim(len(steps) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.set_xlim(0.5, 0.5 * (2 * max(finest(step)[1] for step in steps) + 2) ** 1.5)  # a third for the labels
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.tick_params(which="both", length=0)
        axes.minorticks_off()
        axes.set_title(title)
    sentences = [f"{step.name}: {finest(step)[1]} {kinds[finest(step)[0]]}" for step in steps]
    return figure, f"{title or 'What each step left'}. " + "; ".join(sentences) + "."


# ---------------------------------------------------------------------------------------------------------------------
# Small pictures of linear algebra


VERDICT_LOOKS = {
    "holds": {"marker": "o", "color": COLOURS[0]},
    "undecided": {"marker": "D", "color": GREY, "fillstyle": "none"},
    "fails": {"marker": "X", "color": COLOURS[1]},
}
"""How a verdict is drawn: told apart by shape and by filling as well as by colour."""


def flip_chart(
    verdicts: Mapping[str, Sequence[str | None]], settings: Sequence[str], *, title: str = "Verdicts"
) -> tuple[Figure, str]:
    """Verdicts on claims, a row a claim and a column a setting; what differs from the first column stands in a box.

    Parameters
    ----------
    verdicts : mapping of claim to sequence of str
        For each setting ``"holds"``, ``"undecided"`` or ``"fails"``, None where the claim was not tested.
    settings : sequence of str
        Names of the columns; the first is the one with which the others are compared.
    title : str

    Returns
    -------
    (Figure, str)

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
    _checked_series({"settings": settings, "claims": verdicts, **verdicts})
    for claim, row in verdicts.items():
        if len(row) != len(settings):
            raise ValueError(f"{claim!r} has {len(row)} verdicts for {len(settings)} settings")
        if row[0] is None or (wrong := [v for v in row if v is not None and v not in VERDICT_LOOKS]):
            found = "none" if row[0] is None else repr(wrong[0])
            raise ValueError(f"{claim!r}: a verdict is one of {', '.join(VERDICT_LOOKS)}, found {found}")
    with _style():
        labels = [textwrap.fill(claim, 44) for claim in verdicts]
        sizes = np.array(
            [label.count("\n") + 2 for label in labels]
        )  # a line more than it has, to part it from the next
        places = np.cumsum(sizes) - sizes / 2
        height = 0.16 * sizes.sum() + 0.075 * max(map(len, settings)) + 1.1
        figure, axes = _figure(3.9 + max(2.5, 0.42 * len(settings)), height)
        for y, row in zip(places, verdicts.values(), strict=True):
            for x, verdict in enumerate(row):
                if verdict is not None:
                    axes.plot(x, y, linestyle="none", markersize=9, **VERDICT_LOOKS[verdict])
                    if verdict != row[0]:
                        axes.plot(x, y, linestyle="none", marker="s", markersize=17, color=GREY, fillstyle="none")
        axes.axvline(0.5, color=GREY, linewidth=0.8)
        axes.set_xticks(range(len(settings)), settings, rotation=50, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_yticks(places, labels)
        axes.set_xlim(-0.6, len(settings) - 0.4)
        axes.set_ylim(sizes.sum(), 0)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.set_title(title)
        handles = [Line2D([], [], linestyle="none", markersize=9, **look) for look in VERDICT_LOOKS.values()]
        handles.append(Line2D([], [], linestyle="none", marker="s", markersize=14, color=GREY, fillstyle="none"))
        _legend(figure, handles, [*VERDICT_LOOKS, f"not as with {settings[0]}"])
    sentences = []
    for claim, row in verdicts.items():
        others = [f"{name} ({v})" for name, v in zip(settings, row, strict=True) if v not in (None, row[0])]
        told = f"{settings[0]} {row[0]}; other with {', '.join(others)}" if others else f"{row[0]} everywhere"
        sentences.append(f"{claim.rstrip('.')}: {told}.")
    return figure, f"{title.rstrip('.')}. {' '.join(sentences)}"


def draw_matrix(
    array,
    labels: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
    *,
    title: str = "",
    decimals: int | None = None,
) -> tuple[Figure, str]:
    """A small vector or matrix as a grid of shaded numbers: orange below zero, blue above.

    Parameters
    ----------
    array : array [n] or [n, m]
        A vector is drawn as one row.
    labels : (row labels or None, column labels or None)
    title : str
    decimals : int, optional
        By default none for whole numbers, else two.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If the labels do not fit, the array has more than two dimensions, or it is not finite.
    """
    array = np.asarray(array, dtype=float)
    if array.ndim not in (1, 2) or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"a finite vector or matrix is needed, got shape {array.shape}")
    grid = np.atleast_2d(array)
    for names, size, what in zip(labels, grid.shape, ("row", "column"), strict=True):
        if names is not None and len(names) != size:
            raise ValueError(f"{len(names)} {what} labels for {size} {what}s")
    decimals = decimals if decimals is not None else (0 if np.array_equal(grid, np.round(grid)) else 2)
    n, m = grid.shape
    most = np.abs(grid).max() or 1.0
    with _style():
        figure, axes = _figure(0.75 * m + (1.6 if labels[0] is not None else 0.4), 0.45 * n + 0.9)
        for (i, j), value in np.ndenumerate(grid):
            full = np.array(to_rgb(COLOURS[0] if value > 0 else COLOURS[1]))
            shade = 1 - 0.6 * abs(value) / most * (1 - full)  # white at zero: black numbers stay legible on any page
            axes.fill_between([j, j + 1], i, i + 1, facecolor=shade, edgecolor="none")
            axes.text(j + 0.5, i + 0.5, _number(value, decimals), ha="center", va="center", color="black")
        for k in range(n + 1):
            axes.plot([0, m], [k, k], color=GREY, linewidth=0.6)
        for k in range(m + 1):
            axes.plot([k, k], [0, n], color=GREY, linewidth=0.6)
        axes.set_xlim(-0.05, m + 0.05)
        axes.set_ylim(n + 0.05, -0.05)
        axes.xaxis.tick_top()
        axes.set_xticks(np.arange(m) + 0.5, labels[1] or [""] * m)
        axes.set_yticks(np.arange(n) + 0.5, labels[0] or [""] * n)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(title)
    kind = f"vector of {m} numbers" if array.ndim == 1 else f"{n} by {m} matrix"
    rows = [
        (f"{labels[0][i]}: " if labels[0] is not None else "") + " ".join(_number(value, decimals) for value in line)
        for i, line in enumerate(grid)
    ]
    columns = f"; columns {', '.join(labels[1])}" if labels[1] is not None else ""
    return figure, f"{title + ', a ' if title else 'A '}{kind}{columns}. " + "; ".join(rows) + "."


def draw_vectors(
    vectors, labels: Sequence[str], *, title: str = "", sums: Sequence[tuple[int, int]] = ()
) -> tuple[Figure, str]:
    """Vectors of two dimensions as arrows from the origin.

    Parameters
    ----------
    vectors : array [n, 2]
    labels : sequence of str
    title : str
    sums : sequence of (i, j)
        Pairs whose parallelogram is drawn with dotted lines, to show their sum.

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If the vectors are not two-dimensional or the labels do not fit.
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim != 2 or vectors.shape != (len(labels), 2) or not np.isfinite(vectors).all():
        raise ValueError(f"{len(labels)} labels need finite vectors of shape [{len(labels)}, 2], got {vectors.shape}")
    with _style():
        figure, axes = _figure(4.2, 4.2)
        for i, ((x, y), name) in enumerate(zip(vectors, labels, strict=True)):
            axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour(i), "linewidth": 2})
            away = (8 if x >= 0 else -8, 8 if y >= 0 else -8)
            axes.annotate(
                name,
                (x, y),
                away,
                textcoords="offset points",
                ha="left" if x >= 0 else "right",
                va="bottom" if y >= 0 else "top",
                color=GREY,
            )
        for i, j in sums:
            corner = vectors[i] + vectors[j]
            for start in (vectors[i], vectors[j]):
                axes.plot(*zip(start, corner, strict=True), color=GREY, linestyle=":", linewidth=1)
        ends = np.vstack([vectors, [[0, 0]], *[vectors[[i]] + vectors[[j]] for i, j in sums]])
        margin = 0.18 * max(np.ptp(ends, axis=0).max(), 1e-9)
        left = 2 if (vectors[:, 0] < 0).any() else 1  # names stand at the outer sides of the arrows
        axes.set_xlim(ends[:, 0].min() - left * margin, ends[:, 0].max() + 2 * margin)
        axes.set_ylim(ends[:, 1].min() - margin, ends[:, 1].max() + margin)
        axes.set_aspect("equal")
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.axvline(0, color=GREY, linewidth=0.6)
        axes.set_title(title)
    arrows = [f"{name} ({_number(x)}, {_number(y)})" for (x, y), name in zip(vectors, labels, strict=True)]
    return figure, f"{title or 'Vectors'}, arrows from the origin: " + "; ".join(arrows) + "."


def neighbour_chart(
    neighbours: Mapping[str, Sequence[tuple[str, float]]], *, title: str = "", measure: str = "cosine"
) -> tuple[Figure, str]:
    """Nearest neighbours of a few words, each a row of dots with its name at its cosine.

    Parameters
    ----------
    neighbours : mapping of word to sequence of (neighbour, cosine)
    title, measure : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    _checked_series(neighbours)
    with _style():
        longest = max(len(near) for near in neighbours.values())
        figure, axes = _figure(7, 0.9 + len(neighbours) * (0.25 + 0.2 * longest))
        ticks, names, place = [], [], 0.0
        for i, (word, near) in enumerate(neighbours.items()):
            ticks.append(place + (len(near) - 1) / 2)
            names.append(word)
            for name, cosine in near:
                axes.plot([0, cosine], [place, place], color=colour(i), linewidth=1, alpha=0.6)
                axes.plot(cosine, place, marker(i), color=colour(i), markersize=5)
                axes.annotate(name, (cosine, place), (7, 0), textcoords="offset points", va="center", fontsize=9)
                place += 1
            place += 1
        axes.set_yticks(ticks, names)
        axes.set_ylim(place - 1.2, -0.8)
        axes.margins(x=0.2)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]) if axes.dataLim.x0 < 0 else 0.0)
        axes.set_xlabel(measure)
        axes.tick_params(axis="y", length=0)
        axes.set_title(title)
    sentences = [
        f"{word}: " + ", ".join(f"{name} {_number(cosine)}" for name, cosine in near)
        for word, near in neighbours.items()
    ]
    return figure, f"{title or 'Nearest neighbours'}, {measure}. " + "; ".join(sentences) + "."


def spectrum_chart(values, *, title: str = "", label: str = "singular value") -> tuple[Figure, str]:
    """Falling values against their place, both axes linear: a spectrum of singular values.

    Parameters
    ----------
    values : float array [n]
    title, label : str

    Returns
    -------
    (Figure, str)
    """
    values = np.asarray(values, dtype=float)
    _checked_series({"values": values})
    with _style():
        figure, axes = _figure(6, 3.4)
        axes.plot(np.arange(1, len(values) + 1), values, color=colour(0), marker="." if len(values) < 60 else None)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.set_xlabel("place")
        axes.set_ylabel(label)
        axes.set_title(title)
    share = float((values[: max(1, len(values) // 10)] ** 2).sum() / (values**2).sum())
    return figure, (
        f"{title or 'Spectrum'}: {len(values)} values of {label}, from {_number(values[0], 1)} down to "
        f"{_number(values[-1], 1)}; the first tenth of them holds {share:.0%} of the sum of squares."
    )


# ---------------------------------------------------------------------------------------------------------------------
# Sentences

_WORD, _RELATION = 11.0, 8.5  # sizes of type in points
_PORT = 7.0  # points between two arcs' ends at one word
_LEVEL = 21.0  # points between an arc and the next higher one


def _type_width(text: str, size: float) -> float:
    """Width in points of a text as it is drawn."""
    font = FontProperties(family=STYLE["font.family"], size=size)
    return text_to_path.get_text_width_height_descent(text, font, False)[0]


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


def tree_chart(tokens: Sequence[str], arcs: Sequence[tuple[int, str, int]], *, title: str = "") -> tuple[Figure, str]:
    """The dependencies of one sentence as arcs above its words, with the arrow's head at the dependent.

    Legible on a page for up to 16 words. Arcs may cross, and a word may have several governors or none.

    Parameters
    ----------
    tokens : sequence of str
        The words.
    arcs : sequence of (governor, relation, dependent)
        Words counted from 0, as of :func:`cdsm_lib.text.counts.arcs`.
    title : str

    Returns
    -------
    (Figure, str)

    Raises
    ------
    ValueError
        If there are no words, or an arc does not join two of them.
    """
    _checked_series({"tokens": tokens})
    for governor, relation, dependent in arcs:
        if governor == dependent or not all(0 <= end < len(tokens) for end in (governor, dependent)):
            raise ValueError(f"arc ({governor}, {relation!r}, {dependent}) must join two different words, "
                             f"counted from 0 to {len(tokens) - 1}")  # fmt: skip
    ends = [(min(governor, dependent), max(governor, dependent)) for governor, _, dependent in arcs]
    level = _levels(ends)
    ports = _ports(ends, level, len(tokens))
    room = [max(_type_width(word, _WORD), _PORT * len(at)) for word, at in zip(tokens, ports, strict=True)]
    middle = np.cumsum(room) - np.array(room) / 2 + 9 * np.arange(len(room))  # 9 points between two words

    def port(word: int, end: tuple[int, bool]) -> float:
        at = ports[word]
        return middle[word] + _PORT * (at.index(end) - (len(at) - 1) / 2)

    def free(k: int) -> tuple[float, float, int, int]:
        """The widest part of arc `k` that no higher arc's end cuts, and the words that bound it."""
        cuts = [(port(ends[k][0], (k, False)), ends[k][0]), (port(ends[k][1], (k, True)), ends[k][1])]
        for j, (left, right) in enumerate(ends):
            if level[j] > level[k]:
                cuts += [(port(left, (j, False)), left), (port(right, (j, True)), right)]
        first, last = cuts[0][0], cuts[1][0]
        cuts = sorted(cut for cut in cuts if first <= cut[0] <= last)
        return max(
            ((a, b, i, j) for (a, i), (b, j) in zip(cuts, cuts[1:], strict=False) if j > i),
            key=lambda part: part[1] - part[0],
        )

    for k in sorted(range(len(arcs)), key=lambda k: level[k]):  # widen the sentence where a relation's name needs it
        needed = _type_width(arcs[k][1], _RELATION) + 8
        left, right, first, last = free(k)
        lacking = max(0.0, needed - (right - left))
        middle = middle + lacking * np.clip((np.arange(len(tokens)) - first) / (last - first), 0, 1)

    height = _LEVEL * max(level, default=0) + 12
    with _style():
        left, right = middle[0] - room[0] / 2 - 4, middle[-1] + room[-1] / 2 + 4
        figure, axes = _figure((right - left) / 72 + 0.1, (height + 20) / 72 + (0.4 if title else 0.1))
        for word, x in zip(tokens, middle, strict=True):
            axes.text(x, -5, word, ha="center", va="top", fontsize=_WORD, parse_math=False)
        for k, (governor, relation, dependent) in enumerate(arcs):
            start, stop = port(ends[k][0], (k, False)), port(ends[k][1], (k, True))
            top = _LEVEL * level[k] - 6
            bend = min(9.0, (stop - start) / 2)
            axes.plot(*_bracket(start, stop, top, bend), color=colour(0), linewidth=1.2, solid_capstyle="butt")
            axes.plot(start if dependent < governor else stop, 2.5, "v", color=colour(0), markersize=5)
            a, b, _, _ = free(k)
            axes.text((a + b) / 2, top + 2, relation, ha="center", va="bottom", fontsize=_RELATION, parse_math=False)
        axes.set_xlim(left, right)
        axes.set_ylim(-20, height)
        axes.set_axis_off()
        axes.set_title(title)
    repeated = {word for word in tokens if list(tokens).count(word) > 1}
    names = [f"{word} (word {i})" if word in repeated else word for i, word in enumerate(tokens, 1)]
    sentences = [f"{names[dependent]} is {relation} of {names[governor]}" for governor, relation, dependent in arcs]
    return figure, f"{title or 'Dependencies'}: {' '.join(tokens)}. " + ("; ".join(sentences) or "No arcs") + "."
