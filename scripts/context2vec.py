"""``make context2vec``: train context2vec on the parsed Wikipedia (PyTorch, an hour or so on two cores).

What is trained is described in `cdsm_lib.composition.context2vec`. The weights go to ``data/models/context2vec.npz``,
as float16. With ``--others`` it is trained with the other seeds of the profile (two hours), and what each is worth on
the targets of chapter 50 goes to ``data/models/lexical-substitution.npz``.

The same seed, processor and number of threads give the same model; across machines sums differ in their last digits,
and training amplifies that.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from cdsm_lib.chapters import lexical_substitution, substitution_models
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.context2vec import BEGIN, END, SPECIAL, WEIGHTS, Context2Vec
from cdsm_lib.evaluation import ledger
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks.lexical_substitution import score
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.vectors.embeddings import keep_probability
from scripts import run, training


def train(corpus: Corpus, *, seed: int, held_out: int = 2000, device: str | None = None, **settings) -> Context2Vec:
    """Train a model.

    Parameters
    ----------
    corpus : Corpus
    seed : int
    held_out : int
        So many sentences, spread over the corpus, are not trained on.
    device : str, optional
        PyTorch's; by default a GPU if there is one.
    **settings
        Of ``context2vec`` in ``data/profiles.toml``: ``words``, ``hidden``, ``joint``, ``dimensions`` (e, h, m, d),
        ``min_count`` and ``min_count_names`` (see `training.vocabulary`), ``negatives`` (k for each target), ``draws``
        (negatives that a batch shares; each weighs k / draws), ``alpha`` (smoothing of their distribution),
        ``subsample`` (frequency above which a word is not always a target), ``batch`` (tokens), ``rate`` (of Adam),
        ``epochs``, ``longest`` (sentences are cut there), ``half`` (matrix products in bfloat16, where the processor
        knows them).
    """
    import torch

    from scripts.networks import BothSides

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    settings = settings | {"half": settings["half"] and knows_half(device)}
    draws, weight = settings["draws"], settings["negatives"] / settings["draws"]
    words, counts, row_of = training.vocabulary(corpus, settings["min_count"], settings["min_count_names"], SPECIAL)
    sentences = training.Sentences.of(corpus, row_of, longest=settings["longest"], held_out=held_out)
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    sizes = (settings[name] for name in ("words", "hidden", "joint", "dimensions"))
    network = BothSides(len(words), *sizes).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings["rate"], fused=True)
    keep = keep_probability(counts, settings["subsample"]).astype(np.float32)
    distribution = np.cumsum(negative_distribution(counts, settings["alpha"]))
    marks = words.index(BEGIN), words.index(END)

    def loss_of(batch: np.ndarray, rng: np.random.Generator):
        flat = batch.ravel()
        places = np.flatnonzero(rng.random(len(flat), dtype=np.float32) < keep[flat])
        drawn = np.searchsorted(distribution, rng.random(draws), side="right").clip(max=len(words) - 1)
        if not len(places):
            return None
        tensors = [torch.from_numpy(part).to(device) for part in (batch, places, flat[places], drawn)]
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=settings["half"]):
            contexts = network(tensors[0], *marks, tensors[1])
            return network.loss(contexts, tensors[2], tensors[3], weight)

    how = {name: settings[name] for name in ("batch", "rate", "epochs")}
    seen = training.descend(loss_of, optimiser, sentences, seed=seed, rng=rng, **how)
    about = {"settings": settings, "seed": seed, "corpus": corpus.fingerprint}
    return Context2Vec(words, *network.arrays(), about | seen)


def knows_half(device: str) -> bool:
    """Whether PyTorch has an LSTM in bfloat16 there: on x86 processors it needs AVX-512."""
    import torch

    with suppress(RuntimeError), torch.autocast(torch.device(device).type, dtype=torch.bfloat16):
        torch.nn.LSTM(1, 1).to(device)(torch.zeros(1, 1, 1, device=device))
        return True
    return False


def negative_distribution(counts: np.ndarray, alpha: float) -> np.ndarray:
    """The negatives' probabilities, counts to the power alpha, normalised: float64 [n]; the marks are never drawn.

    >>> negative_distribution(np.array([16, 1, 0]), 0.75).round(3)
    array([0.889, 0.111, 0.   ])
    """
    weights = np.asarray(counts, dtype=np.float64) ** alpha
    return weights / weights.sum()


def store_other_seeds(profile: Profile, corpus: Corpus) -> None:
    """Train with the other seeds of a profile, and store what each is worth on the targets."""
    listed, arrays = profile["lexical_substitution.listed"], {}
    items = substitution_models.from_coinco(corpus, profile["lexical_substitution"], profile["seed"])[-1].task
    for seed in lexical_substitution.other_seeds(profile):
        model = train(corpus, **profile["context2vec"] | {"seed": seed})
        halved = {name: getattr(model, name).astype(np.float16).astype(np.float32) for name in WEIGHTS}
        rankings = lexical_substitution.by_context2vec(replace(model, **halved), items, listed)
        arrays[str(seed)] = np.array([score(ranking.reshape(-1, 4), items) for ranking in rankings.values()])
    about = lexical_substitution.stored_with(profile, items)
    ledger.write(lexical_substitution.STORED, arrays, about)
    ledger.commit(lexical_substitution.STORED)


def main(arguments: Sequence[str] = (), corpus: Corpus | None = None, place: Path | None = None, **settings) -> None:
    """Train on the whole corpus and write the weights, or on another with other settings."""
    training.check()
    profile, corpus = load_profile("full"), corpus or wikipedia()
    if "--others" in arguments:
        return store_other_seeds(profile, corpus)
    ledger.enter_digest(train(corpus, **profile["context2vec"] | settings).save(place or ledger.path("context2vec")))


if __name__ == "__main__":
    run(main, sys.argv[1:])
