"""What trainings of networks on running text share: sentences held out, batches of one length, a rate that falls.

PyTorch is not imported here; networks and optimisers are given.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from cdsm_lib.text.corpus import Corpus


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
        """All sentences, cut after `longest` tokens; `held_out` of them, spread over the corpus, are not trained on.

        Parameters
        ----------
        corpus : Corpus
        row_of : int32 [len(corpus.words)]
            What each word of the corpus is read as.
        longest, held_out : int

        Raises
        ------
        ValueError
            If the corpus is too small for the sentences held out.
        """
        offsets = np.asarray(corpus.offsets)
        lengths = np.minimum(np.diff(offsets), longest)
        if held_out < 1 or held_out * 2 > len(lengths):
            raise ValueError(f"{held_out} of {len(lengths)} sentences to be held out: at least 1, at most half of them")
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
    for i in rng.permutation(len(in_batches)):
        yield in_batches[i]


def descend(
    loss_of: Callable,
    optimiser,
    sentences: Sentences,
    *,
    seed: int,
    batch: int,
    rate: float,
    epochs: int,
    rng: np.random.Generator,
    warm_up: float = 0.0,
    longest_step: float | None = None,
    checkpoints: Sequence[float] = (),
    at_checkpoint: Callable[[int, float], None] | None = None,
    name: str = "training",
) -> int:
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
    checkpoints : sequence of float
        After which shares of the training (0 to 1) to look at the loss on the sentences held out.
    at_checkpoint : function (tokens read, loss), optional
    name : str
        For the progress bar.

    Returns
    -------
    int
        Tokens read.
    """
    import torch

    lengths = sentences.lengths[sentences.training]
    total, read, waiting = int(lengths.sum()) * epochs, 0, sorted(checkpoints)
    parameters = [tensor for group in optimiser.param_groups for tensor in group["params"]]
    with tqdm(total=total, unit="token", unit_scale=True, disable=None, desc=name) as bar:
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
                        held_out = held_out_loss(loss_of, sentences, batch, seed)
                    if at_checkpoint is not None:
                        at_checkpoint(read, held_out)
    return read


def recorder(
    model_of: Callable[[dict], Any], about: Mapping, at_checkpoint: Callable[[Any, int], None] | None
) -> tuple[Callable[[int], Any], Callable[[int, float], None]]:
    """The model as it is after so many tokens, and what `descend` is to do at a checkpoint.

    Parameters
    ----------
    model_of : function (meta) to a model
    about : mapping
        Of its `meta`; the ``tokens`` and the ``history``, [tokens, loss] of each checkpoint, are added.
    at_checkpoint : function (model, tokens), optional
        Called there as well.
    """
    history: list[list] = []

    def so_far(tokens: int) -> Any:
        return model_of({**about, "tokens": tokens, "history": history})

    def look(tokens: int, loss: float) -> None:
        history.append([tokens, round(loss, 4)])
        if at_checkpoint is not None:
            at_checkpoint(so_far(tokens), tokens)

    return so_far, look


def held_out_loss(loss_of: Callable, sentences: Sentences, batch: int, seed: int) -> float:
    """The mean loss on the sentences held out, each batch by its tokens; the same draws every time."""
    losses, sizes, fixed = [], [], np.random.default_rng(seed)
    for numbers in batches(sentences.lengths[sentences.held_out], batch, fixed):
        read = sentences.batch(sentences.held_out[numbers])
        loss = loss_of(read, fixed)
        if loss is not None:
            losses.append(float(loss))
            sizes.append(read.size)
    return float(np.average(losses, weights=sizes))
