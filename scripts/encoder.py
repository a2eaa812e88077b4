"""``make encoder``: train the encoder on the parsed Wikipedia (PyTorch, an hour and a quarter on two cores).

What is trained is described in `cdsm_lib.composition.encoder`. The weights go to ``data/models/encoder.npz``, as
float16. With ``--others`` it is trained with the other seeds of the profile, and what each gives in the readings of
chapter 92 goes to ``data/models/readings-again.npz``; their weights stay in the cache. The same seed and kind of
processor give the same model; across machines sums differ in their last digits, and training amplifies that.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cdsm_lib.chapters import leaderboard, since_then
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.encoder import MASK, SPECIAL, Encoder, positions
from cdsm_lib.evaluation import ledger
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.vectors.embeddings import keep_probability
from scripts import run, training


def train(corpus: Corpus, *, seed: int, held_out: int = 2000, device: str | None = None, **settings) -> Encoder:
    """Train an encoder.

    An occurrence is to be guessed with probability ``share``, times word2vec's probability of keeping such a frequent
    word. Of those, 8 in 10 are masked, 1 in 10 is replaced by any word, 1 in 10 is left (Devlin et al., section 3.1);
    the loss is the mean of -log p over all. BERT draws 15 in 100 whatever their frequency; here half of them would be
    articles, prepositions and commas.

    Parameters
    ----------
    corpus, seed, held_out, device
        As in `scripts.context2vec.train`.
    **settings
        Of ``encoder`` in ``data/profiles.toml``: ``dimensions``, ``layers``, ``heads``, ``inner`` (d, L, H, m);
        ``min_count``, ``min_count_names``, ``subsample``, ``batch``, ``epochs``, ``longest``, ``half`` as there;
        ``share``; ``rate`` (of AdamW), which rises from zero over the first ``warm_up`` of the training; ``decay`` (of
        all weights); ``threads``, however many cores there are, for sums come out otherwise with another number.
    """
    import torch

    from scripts.networks import Transformer

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    words, counts, row_of = training.vocabulary(corpus, settings["min_count"], settings["min_count_names"], SPECIAL)
    sentences = training.Sentences.of(corpus, row_of, longest=settings["longest"], held_out=held_out)
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(seed)
    places, heads = positions(settings["longest"], settings["dimensions"]), settings["heads"]
    network = Transformer(len(words), places, settings["layers"], heads, settings["inner"]).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings["rate"], weight_decay=settings["decay"], fused=True)
    keep = (settings["share"] * keep_probability(counts, settings["subsample"])).astype(np.float32)

    def loss_of(batch: np.ndarray, rng: np.random.Generator):
        read, places = hidden(batch.T, keep, words.index(MASK), rng)
        if not len(places):
            return None
        tensors = [torch.from_numpy(part).to(device) for part in (read, places, batch.T.ravel()[places])]
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=settings["half"]):
            return network.loss(network(*tensors[:2]), tensors[2])

    how = {name: settings[name] for name in ("batch", "rate", "epochs", "warm_up")}
    how |= {"seed": seed, "rng": np.random.default_rng(seed), "longest_step": 1.0}
    seen = training.descend(loss_of, optimiser, sentences, **how)
    about = {"settings": settings, "seed": seed, "corpus": corpus.fingerprint}
    embeddings, bias, *layers = network.arrays()
    return Encoder(*layers, words, embeddings, bias, heads, about | seen)


def hidden(
    sentences: np.ndarray, probability: np.ndarray, mask: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Words as they are read in training, some of them hidden, and the places of those that are to be guessed.

    Parameters
    ----------
    sentences : int64 [sentences, length]
        Rows of the vocabulary.
    probability : array [n]
        With which each word of the vocabulary is to be guessed.
    mask : int
        Row of the mask.

    Returns
    -------
    (int64 [sentences, length], int64 [places])
        Places count through the flattened sentences.

    Examples
    --------
    >>> read, places = hidden(np.arange(8).reshape(2, 4), np.array([0, 1] * 4), 99, np.random.default_rng(3))
    >>> read.tolist(), places.tolist()
    ([[0, 99, 2, 99], [4, 99, 6, 99]], [1, 3, 5, 7])
    """
    read = sentences.ravel().copy()
    places = np.flatnonzero(rng.random(len(read), dtype=np.float32) < probability[read])
    fate, others = rng.random(len(places)), rng.integers(len(probability), size=len(places))
    read[places] = np.where(fate < 0.8, mask, np.where(fate < 0.9, others, read[places]))
    return read.reshape(sentences.shape), places


def store_other_seeds(profile: Profile, corpus: Corpus) -> None:
    """Train with the other seeds of a profile, and store what each gives every task in each reading."""
    tasks, depends = since_then.with_dev(profile, leaderboard.prepare(profile, quick=True).tasks)
    arrays = {}
    for seed in since_then.other_seeds(profile):
        trained = train(corpus, **profile["encoder"] | {"seed": seed})
        encoder = Encoder.load(trained.save(ledger.latest(f"encoder-{seed}")))
        readings = since_then.read_in_five_ways(since_then.NAME.format(seed), encoder.states, "tokens")
        arrays |= since_then.computed(tasks, readings)[0]
    ledger.write(since_then.AGAIN, arrays, depends | {"encoder": profile["encoder"]})
    ledger.commit(since_then.AGAIN)


def main(arguments: Sequence[str] = (), corpus: Corpus | None = None, place: Path | None = None, **settings) -> None:
    """Train on the whole corpus and write the weights, or on another with other settings."""
    training.check()
    if "--others" in arguments:
        return store_other_seeds(load_profile("full"), corpus or wikipedia())
    start = time.monotonic()
    trained = train(corpus or wikipedia(), **load_profile("full")["encoder"] | settings)
    meta = trained.meta | {"minutes": round((time.monotonic() - start) / 60, 1)}
    ledger.enter_digest(replace(trained, meta=meta).save(place or ledger.path("encoder")))


if __name__ == "__main__":
    run(main, sys.argv[1:])
