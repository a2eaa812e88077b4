"""The networks of context2vec and the encoder in PyTorch; imported only when something is trained."""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, logsigmoid, scaled_dot_product_attention


class BothSides(nn.Module):
    """context2vec: the two LSTMs, the perceptron, and the targets' vectors (Melamud et al. 2016, section 2.2).

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


class Layer(nn.Module):
    """Attention and a perceptron, each after a normalisation and added to what went in."""

    def __init__(self, d: int, heads: int, m: int):
        super().__init__()
        self.heads, self.before, self.after = heads, nn.LayerNorm(d), nn.LayerNorm(d)
        self.mixing = nn.ModuleList(nn.Linear(d, d) for _ in range(4))
        self.perceptron = nn.Sequential(nn.Linear(d, m), nn.ReLU(), nn.Linear(m, d))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """From [sentences, length, d] to the same shape."""
        normal = self.before(rows)
        parts = [linear(normal).unflatten(-1, (self.heads, -1)).transpose(1, 2) for linear in self.mixing[:3]]
        rows = rows + self.mixing[3](scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2))
        return rows + self.perceptron(self.after(rows))


class Transformer(nn.Module):
    """The encoder.

    Parameters
    ----------
    n, layers, heads, m : int
        Sizes: of the vocabulary, the encoder, its perceptrons.
    places : float32 [longest, d]
        `cdsm_lib.composition.encoder.positions` of the longest sentence.
    """

    def __init__(self, n: int, places: np.ndarray, layers: int, heads: int, m: int):
        super().__init__()
        d = places.shape[1]
        if d % heads:
            raise ValueError(f"{heads} heads do not share {d} dimensions evenly")
        self.words, self.bias, self.last = nn.Embedding(n, d), nn.Parameter(torch.zeros(n)), nn.LayerNorm(d)
        self.layers = nn.ModuleList(Layer(d, heads, m) for _ in range(layers))
        self.register_buffer("places", torch.from_numpy(places))
        nn.init.normal_(self.words.weight, std=d**-0.5)

    def forward(self, sentences: torch.Tensor, places: "torch.Tensor | None" = None) -> torch.Tensor:
        """States [places, d] of sentences of one length, int64 [sentences, length]; only these `places`, if given.

        Places count through the flattened sentences.
        """
        d = self.words.embedding_dim
        rows = d**0.5 * self.words(sentences) + self.places[: sentences.shape[1]]
        for layer in self.layers:
            rows = layer(rows)
        rows = rows.flatten(0, 1)
        return self.last(rows if places is None else rows[places])

    def loss(self, states: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """Mean of -log p(word | state)."""
        return cross_entropy((states @ self.words.weight.T + self.bias).float(), words)

    def arrays(self) -> list[np.ndarray]:
        """The weights, in the order of `cdsm_lib.composition.encoder.WEIGHTS`."""
        norms = [norm for layer in self.layers for norm in (layer.before, layer.after)] + [self.last]
        mixing = [linear for layer in self.layers for linear in layer.mixing]
        inner, outer = ([layer.perceptron[i] for layer in self.layers] for i in (0, 2))
        weights = [self.words.weight, self.bias]
        for parts in (norms, mixing, inner, outer):
            weights += [torch.stack([getattr(part, name) for part in parts]) for name in ("weight", "bias")]
        weights[4:6] = (stack.unflatten(0, (len(self.layers), -1)) for stack in weights[4:6])  # mixing, by layer
        return [tensor.detach().float().cpu().numpy().copy() for tensor in weights]
