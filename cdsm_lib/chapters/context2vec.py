"""context2vec that was trained on the parsed Wikipedia (`make context2vec`): its committed weights."""

from functools import cache

from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.evaluation import ledger


@cache
def load() -> Context2Vec:
    """The committed weights."""
    return Context2Vec.load(ledger.path("context2vec"))
