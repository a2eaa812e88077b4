"""The encoder that was trained on the parsed Wikipedia (`make encoder`): its committed weights."""

from cdsm_lib.composition.encoder import Encoder
from cdsm_lib.evaluation import ledger


def load() -> Encoder:
    """The committed weights."""
    return Encoder.load(ledger.path("encoder"))
