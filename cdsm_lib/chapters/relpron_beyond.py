"""Beyond Rimell et al. 2016: how far does the best composer on the best space get on RELPRON?

Everything is tuned on the development split. Five steps, each added to the one before:

1. a second space, PPMI-SVD: cosines of both spaces are summed, which is the cosine of the concatenated unit vectors;
2. weights on head noun, verb and argument (Mitchell & Lapata's weighted addition);
3. the verb's matrix times the argument (VArg) as a fourth summand, as SPLF has it;
4. a correction for *hubs*, properties that are similar to whatever noun one asks for: from each similarity is taken a
   share of the property's mean similarity to its nearest nouns of the language at large (cross-domain similarity local
   scaling, Conneau et al. 2018). The nouns come from the space, not from the data set: a term is ranked without a
   look at the others;
5. summands of unit length, so that the weights alone say what counts how much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np

from cdsm_lib.chapters.relpron_models import TOLERANCE, Rankings, Trained, frequent_nouns
from cdsm_lib.chapters.training_counts import TrainingCounts
from cdsm_lib.composition.elementwise import weighted_add
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.evaluation.significance import paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.vectors.similarity import unit_rows


@dataclass(frozen=True)
class Recipe:
    """What is tuned on the development split.

    Attributes
    ----------
    spaces : tuple of float
        Weight of each space's cosines.
    words : tuple of float
        Weights of head noun, verb, argument and VArg.
    hubs : float
        Share of the mean similarity to the nearest nouns that is taken away.
    unit : bool
        Whether the summands are brought to unit length.
    """

    spaces: tuple[float, ...]
    words: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.0)
    hubs: float = 0.0
    unit: bool = False

    def __str__(self) -> str:
        parts = [("spaces", self.spaces), ("head noun, verb, argument, VArg", self.words), ("hubs", [self.hubs])]
        said = "; ".join(f"{name} {', '.join(map('{:g}'.format, weights))}" for name, weights in parts)
        return said + "; unit length" * self.unit


def nearest_nouns(properties: np.ndarray, nouns: np.ndarray, k: int) -> np.ndarray:
    """Mean cosine of each property with its k nearest nouns, of those that have a vector: float64, (properties,).

    Examples
    --------
    >>> nearest_nouns(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), k=2)
    array([0.8])
    """
    cosines = relpron.cosines(properties, nouns[nouns.any(axis=1)])
    return np.partition(cosines, -k, axis=1)[:, -k:].mean(axis=1)


@dataclass(frozen=True)
class Parts:
    """One split in one space: its terms, the four summands of each property, and the nouns of the language."""

    terms: np.ndarray
    summands: tuple[np.ndarray, ...]
    nouns: np.ndarray
    known: dict = field(default_factory=dict, repr=False)  # what was composed with some weights: a grid asks often

    def similarity(self, words: Sequence[float], hubs: float, k: int, unit: bool = False) -> np.ndarray:
        """Cosines of terms and properties, corrected for hubs."""
        if (words, k, unit) not in self.known:
            summands = [unit_rows(summand) for summand in self.summands] if unit else self.summands
            properties = weighted_add(summands, words)
            near = nearest_nouns(properties, self.nouns, k)
            self.known[words, k, unit] = relpron.cosines(self.terms, properties), near
        cosines, near = self.known[words, k, unit]
        return cosines - hubs * near if hubs else cosines


def parts_of(trained: Trained, split: str, rankings: Rankings, counts: TrainingCounts, n_nouns: int) -> Parts:
    """Look everything up once, so that recipes are quick to try; VArg is taken from its ranking in that space."""
    composed = rankings["VArg", trained.name, split]
    vectors = relpron.look_up(composed.task, trained.space)
    nouns = trained.space.take(frequent_nouns(trained.space, counts, n_nouns))
    return Parts(vectors.term, (vectors.head, vectors.verb, vectors.argument, composed.vectors), nouns)


def similarity(recipe: Recipe, parts: Sequence[Parts], k: int) -> np.ndarray:
    """What a recipe makes of one split."""
    how = recipe.words, recipe.hubs, k, recipe.unit
    return sum(w * part.similarity(*how) for w, part in zip(recipe.spaces, parts, strict=True) if w)


def steps(n_spaces: int, profile: Profile) -> dict[str, list[Recipe]]:
    """For each step of the module's list, the recipes among which the development split chooses."""
    grid = profile["beyond"]
    every = [Recipe((1.0, *rest)) for rest in product(grid["space_weights"], repeat=n_spaces - 1)]
    weighted = [replace(recipe, words=(h, v, 1.0, 0.0)) for recipe in every for h, v in product(grid["hn"], grid["v"])]
    with_matrix = [replace(recipe, words=(*recipe.words[:3], m)) for recipe in weighted for m in grid["varg"]]
    corrected = [replace(recipe, hubs=share) for recipe in with_matrix for share in grid["hubs"]]
    return {
        "Addition, two spaces": every,
        "Weighted addition, two spaces": weighted,
        "Weighted addition with VArg, two spaces": with_matrix,
        "Weighted addition with VArg, two spaces, hubs corrected": corrected,
        "Weighted addition with VArg, two spaces, hubs corrected, unit length": [
            replace(recipe, unit=unit) for recipe in corrected for unit in (False, True)
        ],
    }


def tune(
    spaces: Mapping[str, Trained],
    rankings: Rankings,
    counts: TrainingCounts,
    profile: Profile,
    tasks: Sequence[relpron.RelPron],
) -> list[Scores]:
    """Tune every step on the first task, and score it on all of them, as a system on the space "Ensemble".

    `rankings` hold VArg in these spaces. Beside each score stand the recipe, and p against Addition on the first space
    by the paper's test, a permutation test over terms.
    """
    look_up = partial(parts_of, rankings=rankings, counts=counts, n_nouns=profile["beyond.nouns"])
    parts = {task.split: [look_up(space, split=task.split) for space in spaces.values()] for task in tasks}

    def score(recipe: Recipe, task: relpron.RelPron) -> Scores:
        cosines = similarity(recipe, parts[task.split], profile["beyond.nearest"])
        return relpron.score(cosines, task, missing_terms="omit")

    tuned = []
    for step, recipes in steps(len(spaces), profile).items():
        best = max(recipes, key=lambda recipe: round(score(recipe, tasks[0]).value, 6))
        for task in tasks:
            scores = score(best, task)
            pair = relpron.paired(scores, rankings["Addition", next(iter(spaces)), task.split].scores)
            p = paired_permutation_test(*pair, seed=profile["seed"], ties=False)
            named = {"system": step, "space": "Ensemble", "tolerance": TOLERANCE["Ensemble"]}
            tuned.append(replace(scores, columns={"recipe": str(best), "p": p}, **named))
    return tuned
