"""What the trainings of context2vec and the encoder share: vocabulary, batches of one length, a rate that falls."""

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from cdsm_lib import datasets
from cdsm_lib.composition.context2vec import TAGS
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus

CHECKPOINTS = (1 / 48, 1 / 24, 1 / 12, 1 / 6, 1 / 3, 2 / 3, 1.0)
"""After which shares of the training the loss on the sentences held out is noted."""

NAMES = ("PROPN", "NUM", "X", "SYM")
"""Parts of speech whose words are many and say little: they need more occurrences to have vectors of their own."""


def check() -> None:
    """A sentence, as a `DataError`, for what is missing for a training."""
    if importlib.util.find_spec("torch") is None:
        raise datasets.DataError("training needs PyTorch, which is not installed: pip install torch==2.13.0")
    if profile := datasets.own_profile():
        raise datasets.DataError(f"what is committed is not of the profile {profile['name']}: unset CDSM_PROFILE")


def vocabulary(
    corpus: Corpus, min_count: int, min_count_names: int, special: Sequence[str]
) -> tuple[Labels, np.ndarray, np.ndarray]:
    """The words that get vectors, most frequent first.

    Parameters
    ----------
    corpus : Corpus
    min_count : int
        Fewest occurrences of a word.
    min_count_names : int
        Fewest occurrences of a proper noun, a number, a foreign word or a symbol.
    special : sequence of str
        What it ends with: the unknown words ``<unk>|UPOS`` of all `TAGS`, and marks, which never occur.

    Returns
    -------
    words : Labels
    counts : int64 [len(words)]
        Occurrences in the corpus; an unknown word has those of all words that it stands for.
    row_of : int32 [len(corpus.words)]
        What each word of the corpus is read as.
    """
    named = np.isin(corpus.pos_of, NAMES)
    frequent = corpus.word_counts >= np.where(named, min_count_names, min_count)
    places = np.flatnonzero(frequent & (corpus.pos_of != "SPACE"))
    places = places[np.argsort(-corpus.word_counts[places], kind="stable")]
    words = Labels([*(corpus.words[i] for i in places.tolist()), *special])
    row_of = np.array([words.index(f"<unk>|{tag if tag in TAGS else 'X'}") for tag in corpus.pos_of], dtype=np.int32)
    row_of[places] = np.arange(len(places))
    counts = np.bincount(row_of, weights=corpus.word_counts, minlength=len(words)).astype(np.int64)
    return words, counts, row_of


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a corpus as rows of a vocabulary, some of them held out.

    Attributes
    ----------
    stream : int32 [tokens]
        The row of each token.
    offsets : int64 [sentences + 1]
    lengths : int64 [sentences]
        Tokens that are read of each.
    training, held_out : int64 arrays
        Numbers of sentences; of one token there are none in `training`.
    """

    stream: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    training: np.ndarray
    held_out: np.ndarray

    @classmethod
    def of(cls, corpus: Corpus, row_of: np.ndarray, *, longest: int, held_out: int) -> "Sentences":
        """All sentences, cut after `longest` tokens; `held_out` of them, spread over the corpus, are not trained on."""
        offsets = np.asarray(corpus.offsets)
        lengths = np.minimum(np.diff(offsets), longest)
        spread = np.linspace(0, len(lengths) - 1, held_out).astype(np.int64)
        training = np.setdiff1d(np.arange(len(lengths)), spread)
        return cls(row_of[corpus.word], offsets, lengths, training[lengths[training] > 1], spread)

    def batch(self, numbers: np.ndarray) -> np.ndarray:
        """Sentences of one length side by side: int64 [length, len(numbers)]."""
        return self.stream[self.offsets[numbers] + np.arange(self.lengths[numbers[0]])[:, None]].astype(np.int64)


def batches(lengths: np.ndarray, tokens: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Sentence numbers in batches of one length and about so many tokens, in random order: int64 arrays.

    >>> [len(batch) for batch in batches(np.array([3, 3, 3, 5]), 6, np.random.default_rng(0))]
    [1, 1, 2]
    """
    order = rng.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    in_batches = []
    for same in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        size = max(1, tokens // max(1, int(lengths[same[0]]))) if len(same) else 1
        in_batches += [same[i : i + size] for i in range(0, len(same), size)]
    yield from (in_batches[i] for i in rng.permutation(len(in_batches)))


def descend(
    loss_of: Callable, optimiser, sentences: Sentences, *, seed: int, batch: int, rate: float, epochs: int,
    rng: np.random.Generator, warm_up: float = 0.0, longest_step: float | None = None,
) -> dict:  # fmt: skip
    """Train a network: one step of the optimiser for each batch of sentences, at a rate that falls linearly to zero.

    Parameters
    ----------
    loss_of : callable
        From a batch (`Sentences.batch`) and a generator to a loss, PyTorch's scalar, or None where nothing is asked.
    optimiser : of torch.optim
    sentences : Sentences
    seed : int
        Of what is drawn for the loss on the sentences held out: the same at each checkpoint.
    batch : int
        Tokens.
    rate : float
        The highest, after the share `warm_up` of the training in which it rises from zero.
    epochs : int
    rng : numpy.random.Generator
    warm_up : float
    longest_step : float, optional
        Gradients that are longer are shortened to it.

    Returns
    -------
    dict
        ``tokens`` read, and ``history``: [tokens, loss on the sentences held out] after each of `CHECKPOINTS`.
    """
    import torch

    lengths = sentences.lengths[sentences.training]
    total, read, waiting, history = int(lengths.sum()) * epochs, 0, list(CHECKPOINTS), []
    parameters = [tensor for group in optimiser.param_groups for tensor in group["params"]]
    with tqdm(total=total, unit="token", unit_scale=True, disable=None) as bar:
        for _ in range(epochs):
            for numbers in batches(lengths, batch, rng):
                share = read / total
                for group in optimiser.param_groups:
                    group["lr"] = rate * (share / warm_up if share < warm_up else max(0.0, 1 - share))
                loss = loss_of(sentences.batch(sentences.training[numbers]), rng)
                if loss is not None:
                    optimiser.zero_grad(set_to_none=True)
                    loss.backward()
                    if longest_step is not None:
                        torch.nn.utils.clip_grad_norm_(parameters, longest_step)
                    optimiser.step()
                size = len(numbers) * int(lengths[numbers[0]])
                read += size
                bar.update(size)
                while waiting and read >= waiting[0] * total:
                    waiting.pop(0)
                    with torch.no_grad():
                        history.append([read, round(held_out_loss(loss_of, sentences, batch, seed), 4)])
                    print(f"{read:>12,} tokens  loss {history[-1][1]:.4f}")
    return {"tokens": read, "history": history}


def held_out_loss(loss_of: Callable, sentences: Sentences, batch: int, seed: int) -> float:
    """The mean loss on the sentences held out, each batch by its tokens; the same draws every time."""
    losses, fixed = [], np.random.default_rng(seed)
    for numbers in batches(sentences.lengths[sentences.held_out], batch, fixed):
        read = sentences.batch(sentences.held_out[numbers])
        losses.append((loss_of(read, fixed), read.size))
    values, sizes = zip(*((float(loss), size) for loss, size in losses if loss is not None), strict=True)
    return float(np.average(values, weights=sizes))
