"""The results as they were before rows had further columns and evidence was data: every old field is still there."""

import hashlib
import json
from pathlib import Path

import pytest

from cdsm_lib.evaluation.results import COLUMNS, Results

RESULTS = Path(__file__).parents[2] / "data" / "results"
BEFORE = json.loads(Path(__file__).with_name("before_columns.json").read_text("utf8"))
"""For each file the SHA-256 of its rows, in order, and of each claim with its evidence as text, as of November 2026.

What changes for a reason goes out of ``before_columns.json``: in November 2026 the claim overlap-competitive, the
chapters with latent senses, which another sampler draws, RELPRON and sentence localisation, which train otherwise, and
claims of two systems that are level, which a difference too small to count decides; sense discrimination, whose
bands of frequency have as many lexemes each; phrase similarity, which has rows of several seeds, and where a claim
on dissimilar pairs has a least difference now; question answering, whose questions are others; lexical substitution,
where the targets of a phrase are drawn together; context2vec's learning curve, which is on the set with proper names;
two texts of the sweep in which a difference of zero had a minus; phrase similarity in the sample, whose tolerance for
senses is wider.
"""


def digest(records) -> str:
    return hashlib.sha256(json.dumps(records, ensure_ascii=False).encode()).hexdigest()


@pytest.mark.parametrize("name", BEFORE)
def test_every_old_row_and_claim_is_still_there(name):
    results = Results.read(RESULTS / name)
    old_rows = [{k: v for k, v in row.record().items() if k not in COLUMNS} for row in results.results]
    assert digest(old_rows) == BEFORE[name]["rows"]
    for id, expected in BEFORE[name]["claims"].items():
        claim = results.claim(id)
        assert digest({**claim.record(), "evidence": str(claim.evidence)}).startswith(expected), id
