"""The network of `context2vec` in PyTorch; imported only when something is trained."""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import logsigmoid


def knows_half(device: str) -> bool:
    """Whether PyTorch has an LSTM in bfloat16 there: on x86 processors it needs AVX-512."""
    try:
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
            nn.LSTM(1, 1).to(device)(torch.zeros(1, 1, 1, device=device))
    except RuntimeError:
        return False
    return True


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

    def arrays(self) -> list[np.ndarray]:
        """The weights, in the order of `cdsm_lib.composition.context2vec.WEIGHTS`."""
        sides = []
        for words, side in ((self.left_words, self.left), (self.right_words, self.right)):
            sides += [words.weight, side.weight_ih_l0, side.weight_hh_l0, side.bias_ih_l0 + side.bias_hh_l0]
        first, _, last = self.joint
        weights = [*sides, first.weight, first.bias, last.weight, last.bias, self.targets.weight]
        return [tensor.detach().float().cpu().numpy().copy() for tensor in weights]
