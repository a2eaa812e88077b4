"""What skip-gram on the whole corpus made of RELPRON's properties: ``data/models/relpron.npz``, for ``make verify``.

Training takes ten minutes and more, reading this file none. It holds vectors in half precision, in which the chapter
ranks them anyway, and no word of the data set: their names are computed again from the data set and the counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.relpron_beyond import frequent_nouns
from cdsm_lib.chapters.relpron_models import Ranking, Trained
from cdsm_lib.chapters.training_counts import TrainingCounts
from cdsm_lib.composition.relative_clause import RelativeClauseModel
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks import relpron
from cdsm_lib.vectors.space import Space

NAME = "relpron"
SYSTEMS = [of for of in (*models.METHODS, *models.TEXT, *models.FURTHER) if of not in models.LEXICAL]
"""Those whose vectors of properties are kept."""


@dataclass(frozen=True)
class Kept:
    """The contents of the file.

    Attributes
    ----------
    trained : Trained
        Skip-Gram for the words of the data set and the most frequent nouns; no phrases.
    composed : dict of (system, split) to ndarray, shape (properties, d)
        What each system that learns made of the properties.
    """

    trained: Trained
    composed: dict[tuple[str, str], np.ndarray]

    def rankings(self, tasks: Sequence[relpron.RelPron]) -> dict[tuple[str, str, str], Ranking]:
        """Every system on Skip-Gram, by (system, space, split)."""
        of_words = models.rankings(
            {"Skip-Gram": self.trained}, {"Skip-Gram": RelativeClauseModel()}, tasks, models.LEXICAL
        )
        task_of = {task.split: task for task in tasks}
        return of_words | {
            (system, "Skip-Gram", split): models.ranking(self.trained, task_of[split], system, vectors)
            for (system, split), vectors in self.composed.items()
        }


def words_of(counts: TrainingCounts, profile: Profile, tasks: Sequence[relpron.RelPron]) -> Labels:
    """The words of the file, in its order; they are of the counts, whether these have vectors or not."""
    rows = counts.svo.words
    known = Labels([*rows, *(word for word, own in counts.alike.items() if own in rows and word not in rows)])
    frequent = frequent_nouns(known, counts, profile["beyond.nouns"])
    return Labels(sorted({*frequent, *(word for word in relpron.vocabulary(*tasks) if word in known)}))


def about(counts: TrainingCounts, profile: Profile) -> dict:
    """What the vectors depend on."""
    paths = ("seed", "words", "phrases", "clauses", "spaces.skipgram", "relpron", "beyond.nouns")
    return {"corpus": counts.corpus, "systems": SYSTEMS} | {path: profile[path] for path in paths}


def keep(
    rankings: Mapping, counts: TrainingCounts, profile: Profile, tasks: Sequence[relpron.RelPron], name: str = NAME
) -> None:
    """Write the file of `ledger.latest`."""
    vectors = models.with_alike(counts.vectors, counts.alike)
    arrays = {"words": vectors.take(words_of(counts, profile, tasks)).astype(np.float16)}
    for (system, space, split), ranking in rankings.items():
        if space == "Skip-Gram" and system not in models.LEXICAL:
            arrays[f"{system}/{split}"] = ranking.vectors.astype(np.float16)
    ledger.write(name, arrays, about(counts, profile))


def read(counts: TrainingCounts, profile: Profile, tasks: Sequence[relpron.RelPron], name: str = NAME) -> Kept:
    """Read the file; errors as of `ledger.read`."""
    arrays, _ = ledger.read(name, about(counts, profile), ["words"])
    words = words_of(counts, profile, tasks)
    of_words = arrays.pop("words").astype(np.float32)
    if len(of_words) != len(words):
        raise StorageError(ledger.path(name), f"it has {len(of_words)} words, not {len(words)}", ledger.REMEDY)
    composed = {tuple(of.split("/")): vectors.astype(np.float64) for of, vectors in arrays.items()}
    return Kept(Trained("Skip-Gram", Space(words, of_words), {}), composed)
