"""context2vec trained on the parsed Wikipedia: the committed weights, their learning curve, and how to make them anew.

``make context2vec`` trains (PyTorch, an hour or so on two cores) and writes ``data/models/context2vec.npz``, float16.
Everything else reads these weights with NumPy.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import substitution_models as models
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.evaluation.results import Result, Results, Scores, Unavailable, made_with, sized
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import lexical_substitution
from cdsm_lib.tasks.lexical_substitution import Substitution
from cdsm_lib.text.corpus import Corpus

LIMIT = 15_000_000
"""Bytes that the committed weights may take."""

CHECKPOINTS = (1 / 48, 1 / 24, 1 / 12, 1 / 6, 1 / 3, 2 / 3, 1.0)
"""After which shares of the training the learning curve has a point."""


def path() -> Path:
    """``data/models/context2vec.npz``."""
    return datasets.data_root() / "models" / "context2vec.npz"


def load() -> Context2Vec:
    """The committed weights."""
    return Context2Vec.load(path())


def missing() -> str:
    """What is missing for a training, and the remedy; empty if nothing is."""
    if importlib.util.find_spec("torch") is None:
        return "training needs PyTorch, which is not installed: pip install torch==2.13.0"
    if own := datasets.own_profile():
        return f"what is committed is of our corpus, not of the profile {own['name']}: unset CDSM_PROFILE"
    return ""


def train(
    profile: Profile,
    corpus: Corpus | None = None,
    at_checkpoint: Callable[[Context2Vec, int], None] | None = None,
    **settings,
) -> Context2Vec:
    """Train with the profile's settings, on the whole corpus unless another is given; `settings` replace some.

    The model comes back as its file has it, with the precision of float16.
    """
    settings = profile["context2vec"] | settings | {"checkpoints": CHECKPOINTS, "at_checkpoint": at_checkpoint}
    return halved(context2vec.train(corpus or wikipedia(), **settings))


def halved(model: Context2Vec) -> Context2Vec:
    """The weights rounded to float16, as they are stored."""
    arrays = (getattr(model, name).astype(np.float16).astype(np.float32) for name in context2vec.WEIGHTS)
    return Context2Vec(model.words, *arrays, model.meta)


# ------------------------------------------------------------------------------------------------------ learning curve

SMALL = 1
"""Sixteenths of the corpus on which `make verify` trains, for one epoch."""

TOLERANCE = {"MAP": 0.03, "loss": 0.05}
"""How far a model trained anew may lie from the committed figures.

Updates follow one another by the ten thousand, and a processor that adds in another order drifts to other weights of
the same quality. Training in float32 instead of bfloat16 moved the loss of the smallest size by .040, its MAP by .001:
.05 for a loss, five per cent of the lowest; .03 for a MAP, some four standard errors, as for skip-gram elsewhere.
"""


def curve_rows(model: Context2Vec, task: Substitution, listed: int, series: str) -> list[Result]:
    """MAP of one model on the phrase and on the sentence, and its loss on the sentences held out."""
    tokens, loss = model.meta["history"][-1]
    size = sized(series, tokens)
    place = (size.pop("space"), task.name, "all")
    rows = [Scores("context2vec", *place, "loss", statistic=loss, tolerance=TOLERANCE["loss"], columns=size).row()]
    for system in models.C2V:
        ranking = models.substitutes(model, task, sentence=system == models.C2V[1], listed=listed)
        ap = lexical_substitution.score(ranking, task).ap
        rows.append(Scores(system, *place, "MAP", ap, tolerance=TOLERANCE["MAP"], columns=size).row())
    return rows


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """The learning curve, by training anew.

    Parameters
    ----------
    profile : Profile
    subset : bool
        One epoch on the first sixteenth of the corpus, a minute or two; otherwise also the whole training.

    Raises
    ------
    Unavailable
        Without PyTorch; for any profile but the full one.
    """
    reason = missing() if profile.name == "full" else f"only the full profile trains context2vec, not {profile.name}"
    if reason:
        raise Unavailable(reason)
    listed, corpus = profile["lexical_substitution.listed"], wikipedia()
    _, _, construction = models.from_coinco(corpus, profile["lexical_substitution"], profile["seed"])
    task = construction.task
    rows = curve_rows(train(profile, wikipedia(SMALL), epochs=1), task, listed, "one sixteenth")
    if not subset:

        def measure(model: Context2Vec, _: int) -> None:
            rows.extend(curve_rows(halved(model), task, listed, "whole corpus"))

        train(profile, corpus, at_checkpoint=measure)
    made = made_with(datasets.used(["coinco", "wikipedia_parsed"]), corpus.fingerprint, profile["context2vec.seed"])
    return Results("context2vec", "buljan2018", "full", made, tuple(rows))


# ------------------------------------------------------------------------------------------------------------- weights


def main() -> int:
    """Train on the whole corpus and write the weights; 1 if they outgrow their limit."""
    return written(missing(), train, path(), "context2vec")


def written(reason: str, train: Callable, place: Path, section: str) -> int:
    """Train a network with the full profile and put its weights into `place`, whole or not at all: an exit code.

    Parameters
    ----------
    reason : str
        Why it cannot be trained; empty if it can.
    train : function (profile) to a model
        With ``save``, and a ``history`` in its `meta`.
    place : Path
    section : str
        Of the profile, for what to do if the weights outgrow `LIMIT`.
    """
    if reason:
        print(reason)
        return 1
    trained = train(load_profile("full"))
    making = place.with_name(f".{place.name}.making")
    try:
        trained.save(making)
        size = making.stat().st_size
        if size > LIMIT:
            print(f"the weights would take {size / 1e6:.1f} MB of {LIMIT / 1e6:.0f}: raise full.{section}.min_count")
            return 1
        making.replace(place)
    finally:
        making.unlink(missing_ok=True)
    for tokens, loss in trained.meta["history"]:
        print(f"{tokens:>12,} tokens  loss {loss:.4f}")
    print(f"{size / 1e6:.1f} MB  {place.name}")
    return 0
