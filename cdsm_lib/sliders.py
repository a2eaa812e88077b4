"""Figures under the reader's hand: sliders, and what the figure shows at each of their places.

moving_figure   calls a chapter's function for every place of its sliders
Frame, Plane    what the function gives: numbers, and arrows in planes or a ranking

What comes back is a :class:`MovingFigure`. It is a still picture of a few frames side by side, and it holds the numbers
of all frames as text, under a MIME type of its own (:data:`MIME`), a frame a line. nbval compares this text.
JupyterLab shows the picture. The build of the book puts the text into the page (``book/_ext/notebooks.py``), where
``book/assets/figures.js`` draws the sliders in the picture's place. The script computes nothing: each number that it
shows is one of these.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cdsm_lib.plots.figure import COLOURS, GREY, SMALLEST, STYLE, Picture, colour, number, write

MIME = "text/vnd.cdsm.sliders"


class Slider(NamedTuple):
    """A slider: its name, the places where it may stand, and the unit written behind them."""

    name: str
    places: Sequence[float]
    unit: str = ""


@dataclass(frozen=True)
class Plane:
    """A plane with arrows from the origin, and a grid.

    Parameters
    ----------
    arrows : mapping of name to (x, y)
    matrix : array [2, 2]
        What the grid of straight lines has gone through: each of its points x lies at ``matrix @ x + shift``.
    shift : (x, y)
    circles : sequence of (x, y)
        Where the arrows should end; the first in the colour of the first arrow, and so on.
    """

    arrows: Mapping[str, Sequence[float]]
    matrix: np.ndarray = field(default_factory=lambda: np.eye(2))
    shift: Sequence[float] = (0.0, 0.0)
    circles: Sequence[Sequence[float]] = ()


@dataclass(frozen=True)
class Frame:
    """What a figure shows at one place of its sliders.

    Parameters
    ----------
    values : mapping of name to float
        Numbers that stand below the picture.
    planes : mapping of title to Plane
    ranking : sequence of (text, bool)
        The best first; true where the text is a right one.
    """

    values: Mapping[str, float]
    planes: Mapping[str, Plane] = field(default_factory=dict)
    ranking: Sequence[tuple[str, bool]] = ()


@dataclass(frozen=True)
class MovingFigure(Picture):
    """A still picture with the numbers of all frames.

    Parameters
    ----------
    figure : matplotlib Figure
    alt : str
    frames : str
        JSON: what all frames share, then a line for each, in the order of ``itertools.product`` of the sliders' places.
    """

    frames: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = super()._repr_mimebundle_(include, exclude)
        return data | {"text/plain": self.alt, MIME: self.frames}, metadata


def moving_figure(
    sliders: Sequence[Slider],
    frame: Callable[..., Frame],
    shown: Sequence[tuple[float, ...]],
    *,
    title: str,
    axes: tuple[str, str] = ("", ""),
    decimals: int = 2,
) -> MovingFigure:
    """A figure with sliders; where there is no script, a few of its frames side by side.

    Parameters
    ----------
    sliders : sequence of Slider
    frame : callable
        Takes a place of each slider, and gives a `Frame`, with the same names at all places.
    shown : sequence of tuple
        The places of the sliders in the still picture. At the first of them the sliders stand in the beginning.
    title : str
    axes : (str, str)
        What the plane's first and second dimension are.
    decimals : int
        Of the values.

    Examples
    --------
    >>> def doubled(times):
    ...     return Frame({"length": 5 * times}, {"plane": Plane({"u": (3 * times, 4 * times)})})
    >>> drawn = moving_figure([Slider("Times", [1, 2])], doubled, [(1,), (2,)], title="A vector stretched")
    >>> drawn.alt
    'A vector stretched. Times 1: length 5.00; plane: u (3.00, 4.00). Times 2: length 10.00; plane: u (6.00, 8.00).'
    >>> print(*drawn.frames.splitlines()[1:-1], sep="\\n")
    {"values": ["5.00"], "planes": [{"grid": [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "arrows": [[3.0, 4.0]], "circles": []}]},
    {"values": ["10.00"], "planes": [{"grid": [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], "arrows": [[6.0, 8.0]], "circles": []}]}
    """
    places_of = [slider.places for slider in sliders]
    frames = {places: frame(*places) for places in product(*places_of)}
    first = frames[shown[0]]
    still = {", ".join(map(_at, sliders, places)): frames[places] for places in shown}
    room = _room(frames.values())
    with rc_context(STYLE):
        figure = _still(still, room, title, axes, decimals)
    in_words = " ".join(f"{at}: {_in_words(frame, decimals)}." for at, frame in still.items())
    head = {
        "title": title,
        "sliders": list(map(_labelled, sliders, shown[0])),
        "values": list(first.values),
        "planes": [{"title": title, "arrows": list(plane.arrows)} for title, plane in first.planes.items()],
        **room,
        "axes": axes,
        "colours": COLOURS,
        "grey": GREY,
    }
    items = list(dict.fromkeys(item for frame in frames.values() for item in frame.ranking))
    head = json.dumps(head | {"items": items}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(_numbers(frame, items, decimals)) for frame in frames.values())
    return MovingFigure(figure, f"{title}. {in_words}", f'{head[:-1]}, "frames": [\n{lines}\n]}}')


def _labelled(slider: Slider, start: float) -> dict:
    """A slider as the page's script takes it, and where it stands in the beginning."""
    places = [f"{place:g}{slider.unit}" for place in slider.places]
    return {"name": slider.name, "places": places, "at": list(slider.places).index(start)}


def _at(slider: Slider, place: float) -> str:
    return f"{slider.name} {place:g}{slider.unit}"


def _rounded(numbers: Sequence[float], decimals=3) -> list[float]:
    return [round(float(number), decimals) + 0.0 for number in numbers]  # no minus before a zero


def _in_words(frame: Frame, decimals: int) -> str:
    """A frame in words."""
    parts = [", ".join(f"{name} {number(value, decimals)}" for name, value in frame.values.items())]
    for title, plane in frame.planes.items():
        arrows = (f"{name} ({x:z.2f}, {y:z.2f})" for name, (x, y) in plane.arrows.items())
        parts.append(f"{title}: {', '.join(arrows)}")
    if frame.ranking:
        parts.append("in order: " + ", ".join(text + " (right)" * right for text, right in frame.ranking))
    return "; ".join(parts)


def _numbers(frame: Frame, items: list, decimals: int) -> dict:
    """A frame as the page's script takes it."""
    numbers = {"values": [number(value, decimals) for value in frame.values.values()]}
    if frame.planes:
        numbers["planes"] = [
            {
                "grid": _rounded([*np.ravel(plane.matrix), *plane.shift]),
                "arrows": list(map(_rounded, plane.arrows.values())),
                "circles": list(map(_rounded, plane.circles)),
            }
            for plane in frame.planes.values()
        ]
    if frame.ranking:
        numbers["ranking"] = [items.index(item) for item in frame.ranking]
    return numbers


def _room(frames: Sequence[Frame]) -> dict:
    """The box (west, south, east, north) that holds all arrows and their names, and how far grid lines are apart."""
    planes = [plane for frame in frames for plane in frame.planes.values()]
    if not planes:
        return {}
    ends = [(0, 0), *(end for plane in planes for end in (*plane.arrows.values(), *plane.circles))]
    ends = np.array(ends, dtype=float)
    low, high = ends.min(axis=0), ends.max(axis=0)
    span = (high - low).max()
    margin = np.array([0.27, 0.12]) * span  # names stand beside the arrows
    return {"box": _rounded([*(low - margin), *(high + margin)]), "step": 2.0 ** round(log2(span / 8))}


def _grid(plane: Plane, box: Sequence[float], step: float) -> Iterator[tuple[float, np.ndarray]]:
    """Lines of the grid as (width, [2 ends, 2])."""
    n = ceil(2 * max(map(abs, box)) / step)
    for k in range(-n, n + 1):
        for line in ([(k, -n), (k, n)], [(-n, k), (n, k)]):
            yield 0.4 if k else 1.4, np.array(line) * step @ np.asarray(plane.matrix).T + plane.shift


def _still(still: Mapping[str, Frame], room: dict, title: str, names: tuple[str, str], decimals: int) -> Figure:
    """Frames side by side: the planes of each below one another, or its ranking, and its numbers under them."""
    first = next(iter(still.values()))
    rows, columns = max(1, len(first.planes)), len(still)
    west, south, east, north = room.get("box", (0, 0, 7 / columns, 0.2 * len(first.ranking)))
    tall = 0.95 * 7 / columns * (north - south) / (east - west)
    figure = Figure(figsize=(7, 0.6 + rows * (tall + 0.04) + 0.14 * len(first.values)), layout="constrained")
    figure.suptitle(title)
    panels = figure.subplots(rows, columns, squeeze=False)
    for i, (at, frame) in enumerate(still.items()):
        for axes, (heading, plane) in zip(panels[:, i], frame.planes.items(), strict=False):
            _draw_plane(axes, plane, room, names)
            axes.set_ylabel("" if i or rows == 1 else heading)
        if frame.ranking:
            _draw_ranking(panels[0, i], frame.ranking)
        panels[0, i].set_title(at.replace(", ", "\n"), fontsize=9)
        numbers = [f"{name} {number(value, decimals)}" for name, value in frame.values.items()]
        panels[-1, i].set_xlabel("\n".join(numbers), fontsize=SMALLEST, loc="left")
    for axes in panels.flat:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
    return figure


def _draw_plane(axes, plane: Plane, room: dict, names: tuple[str, str]) -> None:
    west, south, east, north = room["box"]
    widths, lines = zip(*_grid(plane, **room), strict=True)
    axes.add_collection(LineCollection(lines, linewidths=widths, colors=GREY, alpha=0.6))
    for i, (name, (x, y)) in enumerate(plane.arrows.items()):
        look = {"arrowstyle": "-|>", "color": colour(i), "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (x, y), (0, 0), arrowprops=look)
        side = {"ha": "left" if x >= 0 else "right", "va": "bottom" if y >= 0 else "top", "fontsize": SMALLEST}
        write(axes, name, (x, y), (3 if x >= 0 else -3, 1 if y >= 0 else -1), in_layout=False, **side)
    for i, (x, y) in enumerate(plane.circles):
        axes.plot(x, y, "o", color=colour(i), markersize=9, fillstyle="none")
    axes.text(east, 0, names[0], fontsize=SMALLEST, ha="right", va="top")
    axes.text(0, north, names[1], fontsize=SMALLEST, ha="right", va="top")
    axes.set(xlim=(west, east), ylim=(south, north), aspect="equal")


def _draw_ranking(axes, ranking: Sequence[tuple[str, bool]]) -> None:
    for i, (text, right) in enumerate(ranking):
        look = {"color": colour(0), "fontweight": "bold"} if right else {}
        axes.text(0, i, f"{i + 1}. {text}" + " ✓" * right, fontsize=SMALLEST, va="center", **look)
    axes.set(xlim=(0, 1), ylim=(len(ranking) - 0.5, -0.5))
