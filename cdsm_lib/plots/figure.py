"""A figure and its text: how every picture of the book looks, and what of it is compared.

Appearance: transparent background; text and axes in a grey that has a contrast of more than 4.5:1 on white; series in
colours of 3:1 and more, another marker for each. Four of the colours are of the palette of Okabe and Ito; its orange
and sky blue, which white washes out, are replaced by a brown and an indigo that are told apart from them with any
colour vision. Numbers on a ground of their own are black on a light one. For its dark theme the book turns light and
dark around in every picture (the filter in ``book/assets/custom.css``), which keeps hues and these ratios.
"""

import functools
import io
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import floor, log10

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
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
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "font.family": "DejaVu Sans",
    "font.size": 10,
}
DOTS_PER_INCH = 96  # one inch of the figure on screen
SHARPNESS = 2  # pixels stored for each on screen
SMALLEST = 8.0
"""Points of the smallest type in any figure."""


@dataclass(frozen=True)
class Picture:
    """A figure with its alternative text, what it shows in words and numbers; it unpacks into the two."""

    figure: Figure
    alt: str

    def __iter__(self) -> Iterator:
        return iter((self.figure, self.alt))

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"image/png": png(self.figure), "text/plain": f"{self.alt}\n\n{plotted(self.figure)}"}
        return data, {"image/png": {"alt": self.alt, "width": round(self.figure.get_figwidth() * DOTS_PER_INCH)}}


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


def png(figure: Figure) -> bytes:
    """The figure as PNG, without dates or names of programs."""
    buffer, sharpness = io.BytesIO(), DOTS_PER_INCH * SHARPNESS
    with rc_context(STYLE):
        figure.savefig(buffer, format="png", transparent=True, dpi=sharpness, metadata={"Software": None})
    return buffer.getvalue()


def chart(draw):
    """A function that draws in the book's style and gives a `Picture`."""

    @functools.wraps(draw)
    def styled(*parts, **options):
        with rc_context(STYLE):
            figure, alt = draw(*parts, **options)
        return Picture(figure, " ".join(alt.split()))

    return styled


# ---------------------------------------------------------------------------------------------------------------------
# What a figure draws, as text


def plotted(figure: Figure) -> str:
    """What a figure draws, as lines of text that a test can compare.

    For each pair of axes: title, labels, scales, limits and the names of ticks; then each series with its kind, its
    marker, its name and the places of its points; then texts with their places. Numbers are rounded in steps of about
    a hundredth of the largest of their column, so that the text is the same on machines whose results differ in their
    last digits. Of more than a dozen points each column is written for itself, as a step and how many of it.

    Examples
    --------
    >>> figure, axes = axes_of(6, 3, x_label="place", y_label="singular value")
    >>> _ = axes.plot([1, 2, 3], [3.0, 2.0, 1.0], marker="o", label="SVD")
    >>> print(plotted(figure))
    axes
    x: place, linear, 0.9 to 3.1
    y: singular value, linear, 0.9 to 3.1
    line o 'SVD': (1, 3) (2, 2) (3, 1)
    """
    lines = [f"title: {text.get_text()}" for text in figure.texts if text.get_text()]
    for axes in figure.axes:
        if axes.get_visible():
            lines += _described(axes)
    for legend in figure.legends:
        lines.append("legend: " + " | ".join(text.get_text() for text in legend.get_texts()))
    return "\n".join(lines)


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
# What the charts share


def colour(i: int) -> str:
    """Colour of series `i`; the palette repeats, the markers do so later."""
    return COLOURS[i % len(COLOURS)]


def look(i: int) -> dict:
    """Colour, marker and line of series `i`: dashed where the palette repeats."""
    return {"color": colour(i), "marker": MARKERS[i % len(MARKERS)], "linestyle": "-" if i < len(COLOURS) else "--"}


def shade(name: str, share: float) -> np.ndarray:
    """A colour from white, for a share of 0, to so light that black numbers are legible on it, for one of 1."""
    return 1 - 0.6 * share * (1 - np.array(to_rgb(name)))


def number(value: float, decimals: int | None = 2) -> str:
    """A number as text, with three digits if no decimals are named, thousands whole; no minus before a zero."""
    decimals = 0 if decimals is None and abs(value) >= 1000 else decimals
    return f"{value:.3g}" if decimals is None else f"{value:z,.{decimals}f}"


def alt_text(head: str, sentences: Iterable[str], between="; ") -> str:
    """What a picture is of, then what it shows."""
    return f"{head}. {between.join(sentences)}."


def axes_of(width: float, height: float, title="", x_label="", y_label="", grid=None) -> tuple[Figure, "object"]:
    """A figure that no window or notebook knows of, with one pair of axes, and grey lines along the axis `grid`."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set(title=title, xlabel=x_label, ylabel=y_label)
    if grid:
        axes.grid(axis=grid)
    return figure, axes


def panels_of(
    names: Collection[str], most: int, height: float, title="", x_label="", y_label="", *, grid="y", free="", width=7.0
) -> tuple[Figure, list]:
    """A figure of named pairs of axes of a height, `most` or fewer side by side, with common labels and scales.

    Each panel has a scale of its own on the axis `free`, "x" or "y".
    """
    names = list(names)
    rows = -(-len(names) // most)
    columns = -(-len(names) // rows)
    figure = Figure(figsize=(width, 1.2 + height * rows), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(rows, columns, sharex=free != "x", sharey=free != "y", squeeze=False).flatten()
    for i, (axes, name) in enumerate(zip(panels, names, strict=False)):
        axes.set_title(textwrap.fill(name, int(9 * width / columns), break_long_words=False), fontsize=10)
        axes.grid(visible=bool(grid), axis=grid or "both")
        if i % columns == 0:
            axes.set_ylabel(y_label)
        if i + columns >= len(names):  # the lowest of its column
            axes.set_xlabel(x_label)
            axes.tick_params(labelbottom=True)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    return figure, list(panels[: len(names)])


def legend(figure: Figure, most=4, more=(), size=None, side="lower") -> None:
    """A legend below the axes, or above, of all that has a label, in as many columns as the width and `most` allow.

    `more` are further (handle, name) at the end.
    """
    size = size or STYLE["font.size"]
    pairs = [pair for axes in figure.axes for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    handles = {name: handle for handle, name in [*pairs, *more]}
    column = max(type_width(name, size) for name in handles) + 4.8 * size  # its marker and a gap
    columns = max(1, min(int(72 * figure.get_figwidth() // column), most, len(handles)))
    figure.legend(handles.values(), handles, loc=f"outside {side} center", ncols=columns, fontsize=size)


def type_width(text: str, size: float) -> float:
    """Width in points of a text as it is drawn."""
    font = FontProperties(family=STYLE["font.family"], size=size)
    return text_to_path.get_text_width_height_descent(text, font, False)[0]


def write(axes, text: str, at: Sequence, off: tuple = (4, 0), **look) -> None:
    """A text beside a point, off by so many points of type."""
    axes.annotate(text, at, off, textcoords="offset points", **{"va": "center", **look})
