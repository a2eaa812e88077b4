"""The encoder that was trained on the parsed Wikipedia (`make encoder`): its committed weights, and what it makes of a
text that is read in other ways than from left to right.

What its states owe to composition, and what to a better vector for each word, shows the comparison of `READINGS`: a
word that is read alone has met no other.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from cdsm_lib.composition.encoder import Encoder
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result, Scores
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.system import by_cosine
from cdsm_lib.tasks.task import Task, Text, together

Reading = Callable[[Encoder, Text], np.ndarray]
"""A text to a vector for each of its tokens, float32 [n, d]."""

TOGETHER, ALONE, REVERSED, WORDS = "together", "each word alone", "order reversed", "word vectors"
READINGS: dict[str, Reading] = {
    TOGETHER: lambda model, text: model.states(text.tokens),
    ALONE: lambda model, text: np.vstack([model.states([token]) for token in text.tokens]),
    REVERSED: lambda model, text: model.states(text.tokens[::-1])[::-1],
    WORDS: lambda model, text: model.embeddings[model.encode(text.tokens)],
}
"""States of the whole text, of each word by itself, and of the text from its end; and what the layers begin with."""

LESS, OVER_HEADS = "{} less {}", "MAP, head nouns drawn"
TOLERANCE = {"encoder": 0.005}
"""The weights are committed; .005 is what a few near ties among cosines may move."""


def load() -> Encoder:
    """The committed weights."""
    return Encoder.load(ledger.path("encoder"))


def mean_of_content(rows: np.ndarray, text: Text) -> np.ndarray:
    """The mean of the rows [n, d] of a text's content words, of all if it has none: [d]."""
    return rows[[i for i, word in enumerate(text.words) if word is not None] or slice(None)].mean(axis=0)


def embed(model: Encoder, texts: Sequence[Text], reading: str) -> np.ndarray:
    """The mean of a text's content words as a reading has them: float64 [texts, d], rounded to what float32 bears."""
    return np.round([mean_of_content(READINGS[reading](model, text), text) for text in texts], 5).astype(np.float64)


def read_as(model: Encoder, task: Task) -> dict[str, Scores]:
    """The main measure of a task under each reading."""
    scores = {}
    for name in READINGS:
        compare = by_cosine(lambda texts, name=name: {"": embed(model, texts, name)})
        similarity = compare(task.texts, task.pairs)[""]
        scores[name] = task.scores("encoder", name, similarity, tolerance=TOLERANCE["encoder"])
    return scores


def rows(profile: Profile) -> Iterator[Result]:
    """MAP on both splits of RELPRON under each reading; and together less each other one, paired by terms, with the
    interval over terms and, as `OVER_HEADS`, the one over head nouns, whose terms are drawn together."""
    model, seed = load(), profile["seed"]
    for split in relpron.PAPER_COUNTS:
        task = relpron.task(relpron.load(profile["relpron.dataset"], split))
        scores = read_as(model, task)
        for name, score in scores.items():
            yield score.row(seed)
            if name != TOGETHER:
                gap = scores[TOGETHER].values - score.values
                less = replace(score, space=LESS.format(TOGETHER, name), values=gap)
                yield less.row(seed)
                yield replace(less, groups=together(score.labels["head"]), metric=OVER_HEADS).row(seed)
