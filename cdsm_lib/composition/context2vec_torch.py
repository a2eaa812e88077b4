"""The training of `context2vec` in PyTorch; imported only when something is trained."""

import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn.functional import logsigmoid
from tqdm import tqdm

from cdsm_lib.composition.context2vec import (
    BEGIN,
    END,
    Context2Vec,
    batches,
    negative_distribution,
    vocabulary,
)
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.vectors.embeddings import keep_probability


class Network(nn.Module):
    """The two LSTMs, the perceptron, and the targets' vectors (Melamud et al. 2016, section 2.2).

    Parameters
    ----------
    n, e, h, m, d : int
        Sizes: of the vocabulary, a word as it is read, an LSTM's state, the inner layer, contexts and targets.
    """

    def __init__(self, n: int, e: int, h: int, m: int, d: int):
        super().__init__()
        self.left_words, self.right_words, self.targets = nn.Embedding(n, e), nn.Embedding(n, e), nn.Embedding(n, d)
        self.left, self.right = nn.LSTM(e, h), nn.LSTM(e, h)
        self.joint = nn.Sequential(nn.Linear(2 * h, m), nn.ReLU(), nn.Linear(m, d))
        for embedding in (self.left_words, self.right_words, self.targets):
            nn.init.normal_(embedding.weight, std=embedding.embedding_dim**-0.5)

    def forward(self, sentences: torch.Tensor, begin: int, end: int, places: "torch.Tensor | None" = None):
        """Contexts [places, d] of sentences of one length, int64 [length, batch]; only these `places`, if given.

        Places count through the flattened [length * batch]; `begin` and `end` are the marks.
        """
        mark = torch.full_like(sentences[:1], begin)
        left, _ = self.left(self.left_words(torch.cat([mark, sentences[:-1]])))
        right, _ = self.right(self.right_words(torch.cat([torch.full_like(mark, end), sentences.flip(0)[:-1]])))
        both = torch.cat([left, right.flip(0)], dim=-1).flatten(0, 1)
        return self.joint(both if places is None else both[places])

    def loss(self, contexts: torch.Tensor, targets: torch.Tensor, negatives: torch.Tensor, weight: float):
        """Mean over the targets of -(log s(t.c) + weight * sum over the shared negatives of log s(-n.c))."""
        right = (contexts * self.targets(targets)).sum(-1)
        wrong = contexts @ self.targets(negatives).T
        return -(logsigmoid(right.float()) + weight * logsigmoid(-wrong.float()).sum(-1)).mean()

    def export(self, words, meta: Mapping) -> Context2Vec:
        """The model as NumPy arrays."""

        def array(tensor):
            return tensor.detach().float().cpu().numpy().copy()

        sides = []
        for words_, side in ((self.left_words, self.left), (self.right_words, self.right)):
            bias = side.bias_ih_l0 + side.bias_hh_l0
            sides += [array(part) for part in (words_.weight, side.weight_ih_l0, side.weight_hh_l0, bias)]
        first, _, last = self.joint
        joint = [array(part) for part in (first.weight, first.bias, last.weight, last.bias)]
        return Context2Vec(words, *sides, *joint, array(self.targets.weight), dict(meta))


def train(
    corpus: Corpus,
    settings: Mapping,
    seed: int,
    *,
    held_out: int,
    checkpoints: Sequence[float],
    at_checkpoint: Callable[[Context2Vec, int], None] | None,
    device: str | None,
    progress: bool | None,
) -> Context2Vec:
    """See `context2vec.train`."""
    words, counts, row_of = vocabulary(corpus, settings["min_count"], settings["min_count_names"])
    stream, offsets = row_of[corpus.word], np.asarray(corpus.offsets)
    lengths = np.minimum(np.diff(offsets), settings["longest"])
    if held_out < 1 or held_out * 2 > len(lengths):
        raise ValueError(f"{held_out} of {len(lengths)} sentences to be held out: at least 1, at most half of them")
    rng = np.random.default_rng(seed)
    spread = np.linspace(0, len(lengths) - 1, held_out).astype(np.int64)
    training = np.setdiff1d(np.arange(len(lengths)), spread)
    training = training[lengths[training] > 1]

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(seed)
    sizes = [settings[name] for name in ("words", "hidden", "joint", "dimensions")]
    network = Network(len(words), *sizes).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings["rate"], fused=True)
    keep = keep_probability(counts, settings["subsample"]).astype(np.float32)
    negatives = np.cumsum(negative_distribution(counts, settings["alpha"]))
    marks = words.index(BEGIN), words.index(END)

    def sentences(chosen: np.ndarray) -> np.ndarray:
        return stream[offsets[chosen][None, :] + np.arange(lengths[chosen[0]])[:, None]].astype(np.int64)

    def batch_loss(chosen: np.ndarray, rng: np.random.Generator) -> "torch.Tensor | None":
        batch = sentences(chosen)
        flat = batch.ravel()
        places = np.flatnonzero(rng.random(len(flat), dtype=np.float32) < keep[flat])
        drawn = np.searchsorted(negatives, rng.random(settings["draws"]), side="right").clip(max=len(words) - 1)
        if not len(places):
            return None
        given = [torch.from_numpy(part).to(device) for part in (batch, places, flat[places], drawn)]
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=settings["half"]):
            contexts = network(given[0], *marks, given[1])
            return network.loss(contexts, given[2], given[3], settings["negatives"] / settings["draws"])

    def held_out_loss() -> float:
        losses, sizes = [], []
        with torch.no_grad():
            fixed = np.random.default_rng(seed)
            for chosen in batches(lengths[spread], settings["batch"], fixed):
                loss = batch_loss(spread[chosen], fixed)
                if loss is not None:
                    losses.append(float(loss))
                    sizes.append(len(chosen) * lengths[spread[chosen[0]]])
        return float(np.average(losses, weights=sizes))

    total = int(lengths[training].sum()) * settings["epochs"]
    history, read, waiting = [], 0, sorted(checkpoints)

    def meta() -> dict:
        about = {"settings": dict(settings), "seed": seed, "corpus": corpus.fingerprint}
        return about | {"tokens": read, "history": history}

    show = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=total, unit="token", unit_scale=True, disable=not show, desc="context2vec") as bar:
        for _ in range(settings["epochs"]):
            for chosen in batches(lengths[training], settings["batch"], rng):
                for group in optimiser.param_groups:
                    group["lr"] = settings["rate"] * max(0.0, 1 - read / total)
                loss = batch_loss(training[chosen], rng)
                if loss is not None:
                    optimiser.zero_grad(set_to_none=True)
                    loss.backward()
                    optimiser.step()
                size = len(chosen) * int(lengths[training[chosen[0]]])
                read += size
                bar.update(size)
                while waiting and read >= waiting[0] * total:
                    waiting.pop(0)
                    history.append([read, round(held_out_loss(), 4)])
                    if at_checkpoint is not None:
                        at_checkpoint(network.export(words, meta()), read)
    return network.export(words, meta())
