"""Drawings: arrows in a plane, and the dependencies of a sentence."""

from collections.abc import Sequence

import numpy as np

from cdsm_lib.plots.figure import GREY, Picture, axes_of, chart, colour, number, type_width, write


@chart
def draw_vectors(vectors, labels: Sequence[str], *, title="", sums: Sequence[tuple[int, int]] = ()) -> Picture:
    """Vectors of two dimensions, array [n, 2], as arrows from the origin.

    Of the pairs (i, j) of `sums` the parallelogram is drawn with dotted lines, to show their sum.

    Raises `ValueError` if the vectors are not finite and two-dimensional, or the labels do not fit.
    """
    vectors = np.asarray(vectors, dtype=float)
    if vectors.shape != (len(labels), 2) or not np.isfinite(vectors).all():
        raise ValueError(f"{len(labels)} labels need finite vectors of shape [{len(labels)}, 2], got {vectors.shape}")
    figure, axes = axes_of(4.2, 4.2, title)
    for i, ((x, y), name) in enumerate(zip(vectors, labels, strict=True)):
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour(i), "linewidth": 2})
        right, up = x >= 0, y >= 0
        side = {"ha": "left" if right else "right", "va": "bottom" if up else "top", "color": GREY}
        write(axes, name, (x, y), (8 if right else -8, 8 if up else -8), **side)
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
    arrows = [f"{name} ({number(x)}, {number(y)})" for (x, y), name in zip(vectors, labels, strict=True)]
    return figure, f"{title or 'Vectors'}, arrows from the origin: " + "; ".join(arrows) + "."


WORD, RELATION = 11.0, 8.5  # sizes of type in points
LEVEL = 21.0  # points between an arc and the next higher one


@chart
def tree_chart(tokens: Sequence[str], arcs: Sequence[tuple[int, str, int]], *, title="") -> Picture:
    """The dependencies of one sentence as arcs above its words, with the arrow's head at the dependent.

    Legible on a page for up to 16 words. Arcs may cross, and a word may have several governors or none.

    Raises `ValueError` if there are no words, or an arc does not join two of them.

    Parameters
    ----------
    tokens : sequence of str
    arcs : sequence of (governor, relation, dependent)
        Words counted from 0, as of :func:`cdsm_lib.text.dependencies.arcs`.
    title : str
    """
    for governor, relation, dependent in arcs:
        if governor == dependent or not all(0 <= end < len(tokens) for end in (governor, dependent)):
            raise ValueError(f"arc ({governor}, {relation!r}, {dependent}) must join two different words, "
                             f"counted from 0 to {len(tokens) - 1}")  # fmt: skip
    ends = [(min(governor, dependent), max(governor, dependent)) for governor, _, dependent in arcs]
    level = _levels(ends)
    room = np.array([type_width(word, WORD) for word in tokens])
    gaps = (room[:-1] + room[1:]) / 2 + 9
    for (left, right), (_, relation, _) in zip(ends, arcs, strict=True):  # room for the relation's name
        lacking = type_width(relation, RELATION) + 22 - gaps[left:right].sum()
        gaps[left:right] += max(0.0, lacking) / (right - left)
    middle = np.concatenate([[0.0], np.cumsum(gaps)])
    west, east, height = -room[0] / 2 - 4, middle[-1] + room[-1] / 2 + 4, LEVEL * max(level, default=0) + 12
    figure, axes = axes_of((east - west) / 72 + 0.1, (height + 20) / 72 + (0.4 if title else 0.1), title)
    for word, x in zip(tokens, middle, strict=True):
        axes.text(x, -5, word, ha="center", va="top", fontsize=WORD, parse_math=False)
    port, by_level = {}, sorted(range(len(arcs)), key=level.__getitem__)
    for word, x in enumerate(middle):  # of arcs that end at one word the longer goes around the shorter
        here = [k for k in by_level if ends[k][1] == word] + [k for k in by_level[::-1] if ends[k][0] == word]
        port |= {(k, word): x + 7 * (place - (len(here) - 1) / 2) for place, k in enumerate(here)}
    for k, (governor, relation, dependent) in enumerate(arcs):
        start, stop = sorted((port[k, governor], port[k, dependent]))
        top, bend = LEVEL * level[k] - 6, min(9.0, (stop - start) / 2)
        angle = np.linspace(0, np.pi / 2, 9)
        x = [start, *(start + bend * (1 - np.cos(angle))), *(stop - bend * (1 - np.sin(angle))), stop]
        y = [0.0, *(top - bend * (1 - np.sin(angle))), *(top - bend * (1 - np.cos(angle))), 0.0]
        axes.plot(x, y, color=colour(0), linewidth=1.2, solid_capstyle="butt")
        axes.plot(start if dependent < governor else stop, 2.5, "v", color=colour(0), markersize=5)
        axes.text((start + stop) / 2, top + 2, relation, ha="center", va="bottom", fontsize=RELATION, parse_math=False)
    axes.set(xlim=(west, east), ylim=(-20, height))
    axes.set_axis_off()
    names = [f"{word} (word {i})" if list(tokens).count(word) > 1 else word for i, word in enumerate(tokens, 1)]
    sentences = [f"{names[dependent]} is {relation} of {names[governor]}" for governor, relation, dependent in arcs]
    return figure, f"{title or 'Dependencies'}: {' '.join(tokens)}. " + ("; ".join(sentences) or "No arcs") + "."


def _levels(arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Height of each arc (left, right), from 1: above every shorter arc with which it shares a part of the sentence."""
    level = [0] * len(arcs)
    by_length = sorted(range(len(arcs)), key=lambda k: (arcs[k][1] - arcs[k][0], arcs[k]))
    for place, k in enumerate(by_length):
        left, right = arcs[k]
        below = [level[j] for j in by_length[:place] if arcs[j][0] < right and left < arcs[j][1]]
        level[k] = 1 + max(below, default=0)
    return level
