"""The encoder that was trained on the parsed Wikipedia (`make encoder`): its committed weights, and how its states are
pooled."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from cdsm_lib.composition.encoder import Encoder
from cdsm_lib.evaluation import ledger
from cdsm_lib.tasks.task import Text


@cache
def load() -> Encoder:
    """The committed weights."""
    return Encoder.load(ledger.path("encoder"))


def mean_of_content(rows: np.ndarray, text: Text) -> np.ndarray:
    """The mean of the rows [n, d] of a text's content words, of all if it has none: [d]."""
    return rows[[i for i, word in enumerate(text.words) if word is not None] or slice(None)].mean(axis=0)


def pooled(rows: np.ndarray, text: Text) -> np.ndarray:
    """The row of the word that the task is about, or without one `mean_of_content`: [d]."""
    return mean_of_content(rows, text) if text.target is None else rows[text.target]


def embed(rows: Callable[[Sequence[str]], np.ndarray], texts: Sequence[Text], pool=mean_of_content) -> np.ndarray:
    """The pooled rows of texts, whose words have the rows [n, d]: float64 [texts, d], rounded to what float32 bears."""
    return np.round([pool(rows(text.tokens), text) for text in texts], 5).astype(np.float64)
