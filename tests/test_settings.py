"""Profiles, and the parameters of a notebook."""

import pickle

import pytest

from cdsm_lib.datasets import DataError
from cdsm_lib.settings import ParameterError, Profile, expect_one_of, load_profile


def test_profiles_have_the_same_settings():
    def names(settings, above=""):
        for key, value in settings.items():
            yield from names(value, f"{above}{key}.") if isinstance(value, dict) else [above + key]

    sample, full = load_profile("sample"), load_profile("full")
    assert (sample.name, full.name) == ("sample", "full")
    assert set(names(sample["spaces"])) == set(names(full["spaces"]))


def test_full_profile_has_the_papers_settings():
    spaces = load_profile("full")["spaces"]
    assert spaces["count"] == {"features": 2000, "window": 3}
    count_svd, skipgram = spaces["count_svd"], spaces["skipgram"]
    assert (count_svd["features"], count_svd["contexts"], count_svd["dimensions"]) == (10_000, 140, 300)
    assert (skipgram["dimensions"], skipgram["window"], skipgram["negatives"]) == (100, 10, 10)


def test_profile_is_read_by_dotted_path(tmp_path):
    path = tmp_path / "profiles.toml"
    path.write_text("[small]\nseeds = [1, 2]\n[small.spaces.count]\nfeatures = 3\n")
    profile = load_profile("small", path)
    assert profile["spaces.count.features"] == 3 and profile["spaces"]["count"]["features"] == 3
    assert profile["seeds"] == (1, 2)
    assert profile.get("spaces.none", 7) == 7 and "spaces.count" in profile and "nothing" not in profile
    profile["spaces"]["count"]["features"] = 4
    assert profile["spaces.count.features"] == 3
    assert pickle.loads(pickle.dumps(profile)) == profile
    with pytest.raises(DataError, match=r"unknown setting 'small.spaces.cont'.*'count'.*\[small.spaces\]"):
        profile["spaces.cont"]


def test_unknown_profile_names_the_nearest_and_all():
    with pytest.raises(DataError, match="unknown profile 'sampel'. Did you mean 'sample'.*sample, full"):
        load_profile("sampel")


def test_profiles_that_are_missing_or_no_toml_are_named(tmp_path):
    with pytest.raises(DataError, match="none.toml cannot be read"):
        load_profile("sample", tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[sample")
    with pytest.raises(DataError, match="bad.toml is not TOML"):
        load_profile("sample", tmp_path / "bad.toml")


# -------------------------------------------------------------------------------------------- parameters of a notebook

SMALL = Profile(
    "full",
    {
        "seed": 1,
        "corpus": {"files": 0},
        "space": {"window": 5, "rate": 0.5, "weight": "ppmi", "joint": True, "grid": (1, 2)},
        "tagger": {"prior": 0.3},
    },
)


def test_parameters_take_the_place_of_settings_and_none_leaves_them():
    changed = SMALL.changed(
        seed=(None, "seed"),
        window=(2, "space.window"),
        both=(3, "space.rate", "seed"),
        grid=([4, 5], "space.grid"),
        joint=(False, "space.joint"),
    )
    assert changed.settings["space"] == {"window": 2, "rate": 3, "weight": "ppmi", "joint": False, "grid": (4, 5)}
    assert changed["seed"] == 3 and changed.name == "full"
    assert SMALL["seed"] == 1 and SMALL["space.window"] == 5  # the profile itself stays


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"window": ("wide", "space.window")}, "window='wide': a whole number of 1 or more is needed"),
        ({"window": (2.5, "space.window")}, "window=2.5: a whole number of 1 or more is needed"),
        ({"window": (True, "space.window")}, "window=True: a whole number of 1 or more is needed"),
        ({"window": (0, "space.window")}, "window=0: a whole number of 1 or more is needed"),
        ({"rate": (-1, "space.rate")}, "rate=-1: a number of 0 or more is needed"),
        ({"prior": (1.5, "tagger.prior")}, "prior=1.5: a number from 0 to 1 is needed"),
        ({"corpus": (17, "corpus.files")}, "corpus=17: a whole number from 1 to 16 is needed"),
        ({"weight": (3, "space.weight")}, "weight=3: text is needed, such as 'ppmi'"),
        ({"joint": (1, "space.joint")}, "joint=1: choose one of True, False."),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused_by_name(given, said):
    with pytest.raises(ParameterError) as refused:
        SMALL.changed(**given)
    assert str(refused.value) == said


def test_what_was_counted_beforehand_cannot_be_changed_in_the_sample():
    sample = Profile("sample", {"space": {"window": 5}})
    assert sample.changed(("corpus",), corpus=(None, "corpus.files"), window=(2, "space.window"))["space.window"] == 2
    with pytest.raises(ParameterError, match=r"corpus=4: the sample profile has counts .*; leave corpus out"):
        sample.changed(("corpus",), corpus=(4, "corpus.files"))
    assert SMALL.changed(("corpus",), corpus=(4, "corpus.files"))["corpus.files"] == 4


def test_a_choice_is_refused_with_those_there_are_and_the_nearest():
    expect_one_of("space", "Count", ("Count", "Skip-Gram"))
    expect_one_of("space", None, (None, "Count"))
    with pytest.raises(ParameterError) as refused:
        expect_one_of("space", "Counts", ("Count", "Skip-Gram"))
    assert str(refused.value) == "space='Counts': choose one of 'Count', 'Skip-Gram'. Did you mean 'Count'?"
    with pytest.raises(ParameterError):
        expect_one_of("at_least", 1, (True, False))


def test_the_full_profile_reads_the_whole_corpus():
    assert load_profile("full")["corpus.files"] == 0 and "corpus.files" not in load_profile("sample")
