"""One run of a chapter: scores of several seeds to rows and claims; and what training gave, stored and read again."""

import numpy as np
import pytest

from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.settings import Profile
from cdsm_lib.storage import StorageError

PROFILE = Profile("sample", {"seed": 7, "seeds": 2})


def scores(*values: float, system: str = "A") -> Scores:
    return Scores(system, "s", "relpron", "dev", "MAP", np.array(values), trained=system == "A")


def test_rows_of_the_first_seed_with_the_spread_of_all_and_claims_that_all_seeds_give():
    """Of A the means are .6 and .4: on average .5, with a deviation of .2 / root 2. Each is claimed of beside B."""
    seen = []
    by_seed = {8: [scores(0.3, 0.5)]}
    both = [scores(0.5, 0.7), scores(0.1, 0.3, system="B")]
    run = ledger.run("relpron", PROFILE, both, by_seed, corpus="c", split="dev, of seeds",
                     claims=lambda scores: seen.append([(s.system, s.value) for s in scores]) or [])  # fmt: skip
    assert seen == [[("A", 0.6), ("B", 0.2)], [("A", 0.4), ("B", 0.2)]]
    told = [(row.system, row.split, row.metric, round(row.value, 4), row.n, row.trained) for row in run.results]
    assert told == [
        ("A", "dev", "MAP", 0.6, 2, True), ("B", "dev", "MAP", 0.2, 2, None),
        ("A", "dev, of seeds", "MAP, mean of seeds", 0.5, 2, True),
        ("A", "dev, of seeds", "MAP, sd of seeds", 0.1414, 2, True),
    ]  # fmt: skip
    assert (run.chapter, run.paper, run.profile, run.claims) == ("relpron", "rimell2016", "sample", ())
    assert run.made_with["seed"] == 7 and run.made_with["corpus"] == "c" and run.made_with["datasets"] == {}
    assert [*ledger.seeds_of(PROFILE, "seeds")] == [7, 8] and [*ledger.seeds_of(PROFILE, "none")] == [7]


def test_what_training_gave_is_stored_with_what_it_depends_on(monkeypatch):
    monkeypatch.setattr(ledger, "path", ledger.latest)
    made = ledger.trained("toy", [1, 2], lambda seed: [seed, 0.5], {"size": (3, 4)}, quick=False)
    read = ledger.trained("toy", [2], None, {"size": [3, 4]}, quick=True)
    assert list(made) == [1, 2] and read[2].dtype == np.float32 and read[2].tolist() == made[2].tolist() == [2, 0.5]
    with pytest.raises(StorageError, match=r"made with other settings, or of another corpus \(size\)"):
        ledger.trained("toy", [2], None, {"size": 5}, quick=True)
    with pytest.raises(StorageError, match="lacks 3"):
        ledger.trained("toy", [3], None, {"size": [3, 4]}, quick=True)
    ledger.WRITTEN.discard("toy")
