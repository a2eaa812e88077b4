"""The landing page's picture: three words add up to a phrase, and nouns stand where their cosine with it puts them.

And the map of the book in *How to read this book*.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from book._ext.templates import fill
from cdsm_lib.chapters import playground
from cdsm_lib.plots import box_diagram
from cdsm_lib.plots import figure as style
from cdsm_lib.vectors.space import Space

PICTURE = "generated/idea.png"
WORDS = "substance|NOUN", "plant|NOUN", "absorb|VERB"
PHRASE = "substance that\nplants absorb"
NOUNS = "nitrogen", "nutrient", "leaf", "factory", "telescope", "hotel"

MAP = {
    "foundations": {"Word spaces": (0.5, 0), "Composition": (1.5, 0), "Evaluation": (2.5, 0)},
    "tasks of the papers": {
        "Relations": (0, 1), "Questions": (0, 2), "Sentences": (1, 1), "Relative clauses": (2, 1),
        "Substitution": (2, 2), "Phrases": (3, 1), "Word senses": (3, 2),
    },
    "across the papers": {"Leaderboard": (0, 3), "Claims": (1, 3), "Since then": (2, 3), "Who does what": (3, 3)},
}  # fmt: skip
"""Chapters, with their places on the map."""
BUILT_ON = [
    ("Word spaces", "Composition"),
    *(("Composition", task) for task in ("Relations", "Sentences", "Relative clauses", "Phrases")),
    ("Relations", "Questions"), ("Relative clauses", "Substitution"), ("Phrases", "Word senses"),
    ("Word senses", "Since then"), ("Since then", "Who does what"),
]  # fmt: skip
"""A chapter, and one that builds on it."""


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """The pictures, the first from the playground's reduced space, and a page to be included for each."""
    files = {}
    idea = drawn(*in_plane(playground.unpack(*playground.stored()).spaces["reduced"]))
    for place, (figure, alt) in {PICTURE: idea, "generated/map.png": box_diagram(MAP, BUILT_ON)}.items():
        kind = Path(place).stem
        files |= {place: style.png(figure), f"generated/{kind}.md": fill("idea.md", picture=place, alt=alt, kind=kind)}
    return files


def in_plane(space: Space) -> tuple[np.ndarray, np.ndarray]:
    """`WORDS` [3, 2] and `NOUNS` [6, 2] in a plane whose first axis is the phrase, the words' sum, at length one.

    A noun's first coordinate is its cosine with the phrase; the second is what it shares with the second word besides.
    """
    vectors = space.take([*WORDS, *(f"{noun}|NOUN" for noun in NOUNS)])
    words, nouns = np.split(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), [len(WORDS)])
    length = np.linalg.norm(words.sum(axis=0))
    phrase = words.sum(axis=0) / length
    beside = words[1] - words[1] @ phrase * phrase
    plane = np.column_stack([phrase, beside / np.linalg.norm(beside)])
    return words @ plane / length, nouns @ plane


@style.chart
def drawn(words: np.ndarray, nouns: np.ndarray) -> style.Picture:
    """The words as arrows, each from where the last one ends, and the nouns as points."""
    figure, axes = style.axes_of(4.5, 2.5, x_label="cosine with the phrase")
    ends = np.vstack([[0, 0], np.cumsum(words, axis=0)])
    for i, (start, end) in enumerate(pairwise(ends)):
        line = {"arrowstyle": "-|>", "color": style.colour(i), "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", end, start, arrowprops=line)
        side = {"off": (0, -15 if i < 2 else 15), "ha": "center", "color": style.colour(i)}
        style.write(axes, WORDS[i].partition("|")[0], (start + end) / 2, **side)
    axes.annotate("", ends[-1], ends[0], arrowprops={"arrowstyle": "-", "linestyle": ":", "color": style.GREY})
    axes.plot(*nouns.T, "o", color=style.GREY, markersize=5)
    for label, place in zip([PHRASE, *NOUNS], [ends[-1], *nouns], strict=True):
        style.write(axes, label, place, (7, 0))
    axes.set(xlim=(-0.02, 1.42), xticks=np.arange(6) / 5, yticks=[])
    axes.spines["left"].set_visible(False)
    cosines = [f"{noun} {style.number(x)}" for noun, x in zip(NOUNS, nouns[:, 0], strict=True)]
    return figure, f"Three arrows, end to end, make the phrase. Its cosines with nouns: {', '.join(cosines)}."
