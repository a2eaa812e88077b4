"""A model of your own on the seven tasks: a function, texts in, vectors out."""

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from cdsm_lib.chapters import leaderboard_systems as systems
from cdsm_lib.chapters import substitution_models, training_counts
from cdsm_lib.datasets import unknown
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.system import Composer, by_cosine
from cdsm_lib.tasks.task import Task, Text, Vocabulary

NO_ROWS = Vocabulary(Labels([]))


@cache
def load_task(name: str, profile: str = "sample") -> Task:
    """One of the seven tasks, ``"RELPRON"`` for instance, with the teaching set, or with the data of ``"full"``.

    Raises `ValueError`, naming the tasks, for another one; `DataError` for another profile, or if a set is not there.
    """
    if name not in systems.NAMES:
        raise ValueError(unknown("task", name, systems.NAMES, "the leaderboard"))
    settings, read = load_profile(profile), partial(Text.of, vocabulary=NO_ROWS)
    return systems.tasks_of(settings, read, read, partial(_substitution, settings), [name])[name]


def _substitution(profile: Profile) -> Task:
    """Lexical substitution: ANVAN-LS is constructed in the space of its chapter."""
    settings = profile["lexical_substitution"]
    if settings["dataset"] == "anvan_ls":
        items = substitution_models.from_coinco(training_counts.wikipedia(), settings, profile["seed"])[-1].task
    else:
        items = lexical_substitution.load(settings["dataset"])
    return lexical_substitution.task(items, NO_ROWS)


def score_model(
    name: str, embed: Callable[[Sequence[Text]], np.ndarray], profile: str = "sample", *, model: str = "mine"
) -> Scores:
    """What a model comes to on a task, by the cosines of its vectors.

    Parameters
    ----------
    name, profile : str
        Of a task, as for `load_task`.
    embed : callable
        Takes texts [n] and gives their vectors, numbers [n, d]. It gets a part of the task's texts at a time.
    model : str
        What the scores are to call it.

    Returns
    -------
    Scores
        Its `value` is the figure, its `interval()` the 95% interval.

    Raises
    ------
    ValueError
        For another number of vectors than of texts, or a vector with NaN or infinity; and as `load_task`.
    """
    task = load_task(name, profile)

    def vectors(texts: Sequence[Text]) -> dict[str, np.ndarray]:
        rows = np.asarray(embed(texts), dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError(f"{model}: an array of shape {rows.shape} for {len(texts)} texts; a row a text is needed")
        return {model: rows}

    return task.scores(model, model, Composer((model,), model, by_cosine(vectors)).similarities(task)[model])
