"""What the chapters' figures with sliders should show: the same numbers, computed here from the library's functions."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import training_counts
from cdsm_lib.composition.elementwise import add, mult, weighted_add
from cdsm_lib.composition.linear import ridge
from cdsm_lib.tasks import relpron


class Moved(NamedTuple):
    """A figure of a chapter: where its sliders may stand, and its values there, by name."""

    chapter: str
    name: str
    places: tuple[np.ndarray, ...]
    values: Callable[..., dict[str, float]]
    decimals: int


def cosine(u, v) -> float:
    return float(u @ v / np.sqrt((u @ u) * (v @ v)))


def on_axes(degrees: float) -> dict[str, float]:
    """The words are seen on the turned axes, the phrases are composed there, and compared there."""
    angle = np.radians(degrees)
    Q = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    river, bank, canoe, loan = (Q @ vector for vector in ([3, 1], [2, 3], [6, 0], [0, 6]))
    phrases, words = {"sum": add(river, bank), "product": mult(river, bank)}, {"canoe": canoe, "loan": loan}
    return {f"cosine of {p} and {w}": cosine(phrases[p], words[w]) for p in phrases for w in words}


@cache
def learned() -> np.ndarray:
    """The matrix of the chapter's example, from its noisy phrases."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))
    return ridge(X, X @ np.array([[0.9, -0.5], [0.6, 0.8]]).T + 0.1 * rng.normal(size=X.shape), 0.5)


def part_way(percent: float) -> dict[str, float]:
    """A share of the way is left to the matrix's goals; to addition's too, but it misses that of *hair*."""
    car, hair = np.array([1.5, 0.2]), np.array([-0.3, 1.2])
    to_car, to_hair = (learned() @ noun - noun for noun in (car, hair))
    share = percent / 100
    left = {
        "matrix: car to red car": (1 - share) * to_car,
        "matrix: hair to red hair": (1 - share) * to_hair,
        "addition: car to red car": (1 - share) * to_car,
        "addition: hair to red hair": share * to_car - to_hair,
    }
    return {name: float(np.linalg.norm(way)) for name, way in left.items()}


@cache
def words() -> relpron.Vectors:
    return relpron.look_up(relpron.load("relpron_mini"), training_counts.load(datasets.distilled_folder()).vectors)


def weighed(head_noun: float, verb: float) -> dict[str, float]:
    """Average precision of *library*, and MAP, on the development set of the teaching set."""
    task, of = relpron.load("relpron_mini"), words()
    composed = weighted_add([of.head, of.verb, of.argument], [head_noun, verb, 1])
    scores = relpron.score(relpron.cosines(of.term, composed), task)
    library = scores.where(term="library").value
    return {"average precision of library": library, f"MAP over all {len(task.terms)} terms": scores.value}


WEIGHTS = np.linspace(0, 2, 9)
FIGURES = (
    Moved("01-word-spaces", "fig-01-space-bank-turned", (np.arange(0, 91, 5),), on_axes, 2),
    Moved("02-composition", "fig-02-adjective-as-matrix", (np.arange(0, 101, 5),), part_way, 2),
    Moved("30-relpron", "fig-30-words-weighed", (WEIGHTS, WEIGHTS), weighed, 3),
)
