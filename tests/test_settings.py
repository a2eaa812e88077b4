"""Profiles, and the parameters of a notebook."""

import pickle

import pytest

from book._ext.notebooks import parameters, read
from cdsm_lib import settings
from cdsm_lib.chapters import training_counts
from cdsm_lib.datasets import DataError, data_root, distilled_folder, own_profile, read_toml
from cdsm_lib.settings import ParameterError, expect_among, load_profile, load_settings, use_profile
from cdsm_lib.text.corpus import compile_corpus


def test_profiles_have_the_same_settings():
    def names(settings, above=""):
        for key, value in settings.items():
            yield from names(value, f"{above}{key}.") if isinstance(value, dict) else [above + key]

    sample, full = load_profile("sample"), load_profile("full")
    assert (sample.name, full.name) == ("sample", "full")
    assert set(names(sample["spaces"])) == set(names(full["spaces"]))


def test_full_profile_has_the_papers_settings_and_the_whole_corpus():
    assert load_profile("full")["corpus.files"] == 0 and load_profile("sample").get("corpus.files") is None
    spaces = load_profile("full")["spaces"]
    assert spaces["count"] == {"features": 2000, "window": 3}
    count_svd, skipgram = spaces["count_svd"], spaces["skipgram"]
    assert (count_svd["features"], count_svd["contexts"], count_svd["dimensions"]) == (10_000, 140, 300)
    assert (skipgram["dimensions"], skipgram["window"], skipgram["negatives"]) == (100, 10, 10)


@pytest.fixture
def profiles(tmp_path, monkeypatch):
    """Writes another file of profiles."""
    monkeypatch.setattr(settings, "data_root", lambda: tmp_path)
    return lambda text: (tmp_path / "profiles.toml").write_text(text)


def test_profile_is_read_by_dotted_path(profiles):
    profiles("[small]\nseeds = [1, 2]\n[small.spaces.count]\nfeatures = 3\n")
    profile = load_profile("small")
    assert profile["spaces.count.features"] == 3 and profile["spaces"]["count"]["features"] == 3
    assert profile["seeds"] == (1, 2) and profile.get("spaces.none", 7) == 7
    profile["spaces"]["count"]["features"] = 4
    assert profile["spaces.count.features"] == 3
    assert pickle.loads(pickle.dumps(profile)) == profile
    for path in ("spaces.cont", "seeds.x"):
        with pytest.raises(DataError, match=rf"unknown setting {path}: \[small\] of data/profiles.toml"):
            profile[path]


# ---------------------------------------------------------------------------------------------------- of one's own


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Writes a profile of one's own, over a corpus of one sentence; gives its file."""
    (tmp_path / "a.conllu").write_text("1\tSnails\tsnail\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    compile_corpus([tmp_path / "a.conllu"], tmp_path / "snails" / "compiled", threads=1)
    monkeypatch.setenv("CDSM_PROFILE", "")
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))

    def write(text: str) -> str:
        (tmp_path / "mine.toml").write_text(text)
        return str(tmp_path / "mine.toml")

    return write


OWN = 'extends = "sample"\ncorpus = "snails"\n'


def test_a_profile_of_ones_own_lies_over_another(mine, tmp_path):
    before, full, ours = load_profile("sample"), load_profile("full"), training_counts.corpus_size()
    file = mine(OWN + "words = 7\n[spaces.skipgram]\nepochs = 1\nrate = 1\n")
    assert use_profile(file) == "sample" and own_profile()["name"] == "mine"
    after = load_profile("sample")
    assert after == before.replace({"words": 7, "spaces.skipgram.epochs": 1, "spaces.skipgram.rate": 1})
    assert after != before and load_profile("full") == full
    assert training_counts.wikipedia().words[0] == "snail|NOUN"
    assert training_counts.corpus_size() == {"tokens": 1, "sentences": 1} != ours
    assert distilled_folder() == tmp_path / "cache" / "distilled" / "mine"
    assert use_profile("sample") == "sample" and load_profile("sample") == before and own_profile() == {}
    assert training_counts.corpus_size() == ours and distilled_folder() == data_root() / "distilled"


def test_one_that_extends_the_full_profile_counts_in_its_own_corpus(mine):
    assert use_profile(mine(OWN.replace("sample", "full") + "words = 9\n")) == "full"
    assert load_profile("full")["words"] == 9 and load_profile("sample")["words"] != 9
    assert training_counts.wikipedia(1).n_tokens == 1 and distilled_folder() == data_root() / "distilled"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('corpus = "snails"', "mine.toml, line 1: the file: 'extends' is a required property"),
        ('extends = "sampel"\ncorpus = "snails"', r"mine.toml, line 1: extends: 'sampel' is not one of .*full"),
        ('extends = "sample"\ncorpus = 3', "mine.toml, line 2: corpus: 3 is not of type 'string'"),
        ('extends = "sample"\ncorpus = "slugs"', "mine.toml: no corpus in .*slugs; make one: make corpus"),
        (OWN + "wrods = 3", "unknown setting 'mine.wrods'. Did you mean 'words'"),
        (OWN + "[spaces.skipgram]\nepoch = 3", "unknown setting 'mine.spaces.skipgram.epoch'. Did you mean 'epochs'"),
        (OWN + "seed = -3", "line 3: seed: -3 is less than the minimum of 0"),
        (OWN + "words = 2.5", "mine.words = 2.5: something like 4000 is needed"),
        (OWN + "[spaces.skipgram]\nrate = 'x'", "mine.spaces.skipgram.rate = 'x': something like 0.025"),
        ("[", "mine.toml is not TOML"),
    ],
)
def test_a_profile_that_cannot_be_used_is_refused_by_its_file_or_setting(mine, text, message):
    with pytest.raises(DataError, match=message):
        use_profile(mine(text))


# -------------------------------------------------------------------------------------------- parameters of a notebook

SETTINGS = """
[full]
seed = 1
corpus.files = 0
space = { window = 5, rate = 0.5, weight = "ppmi", joint = true, grid = [1, 2] }
tagger.prior = 0.3

[sample]
space.window = 5

[parameters.counted]
window = { replaces = "space.window" }
corpus = { replaces = "corpus.files", sample = false }

[parameters.chapter]
window = { replaces = "space.window", least = 1 }
both = { replaces = ["space.rate", "seed"] }
prior = { replaces = "tagger.prior", most = 1 }
corpus = { replaces = "corpus.files", least = 1, most = 16 }
weight = { replaces = "space.weight" }
joint = { replaces = "space.joint" }
missing = { replaces = "space.weight", choices = ["ppmi", "ratio"] }
space = { choices = ["Count", "Skip-Gram"] }
paper = { choices = ["one"], optional = true }
share = { kind = "number", least = 0.05, most = 0.9 }
draws = { kind = "whole", least = 2 }
penalties = { kind = "numbers" }
"""
NONE = dict.fromkeys(("window", "both", "prior", "corpus", "weight", "joint", "missing", "paper"))
FIT = {**NONE, "space": "Count", "share": 0.5, "draws": 2, "penalties": [1, 0.5]}


@pytest.fixture
def load(profiles):
    profiles(SETTINGS)
    return lambda notebook="chapter", profile="full", **values: load_settings(notebook, profile, **values)


def test_parameters_take_the_place_of_settings_and_none_leaves_them(load):
    settings = load(**FIT | {"window": 2, "both": 3, "joint": False, "missing": "ratio", "prior": 1, "paper": "one"})
    assert settings["space"] == {"window": 2, "rate": 3, "weight": "ratio", "joint": False, "grid": (1, 2)}
    assert settings["seed"] == 3 and settings["tagger.prior"] == 1 and settings.name == "full"
    assert load(**FIT)["space.window"] == 5 and load(**FIT)["corpus.files"] == 0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("window", True, "a whole number of 1 or more is needed"),
        ("window", 0, "a whole number of 1 or more is needed"),
        ("both", -1, "a number of 0 or more is needed"),
        ("prior", 1.5, "a number from 0 to 1 is needed"),
        ("corpus", 17, "a whole number from 1 to 16 is needed"),
        ("weight", 3, "text is needed, such as 'ppmi'"),
        ("joint", 1, "choose one of True, False."),
        ("missing", "rato", "choose one of 'ppmi', 'ratio'. Did you mean 'ratio'?"),
        ("space", "Counts", "choose one of 'Count', 'Skip-Gram'. Did you mean 'Count'?"),
        ("share", None, "a number from 0.05 to 0.9 is needed"),
        ("draws", 1, "a whole number of 2 or more is needed"),
        ("penalties", 1, "a list of numbers is needed, such as [0.1,1,10]"),
        ("penalties", [], "a list of numbers is needed, such as [0.1,1,10]"),
        ("penalties", [1, -1], "a number of 0 or more is needed"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused_by_name(load, name, value, said):
    with pytest.raises(ParameterError) as refused:
        load(**FIT | {name: value})
    assert str(refused.value) == f"{name}={-1 if value == [1, -1] else value!r}: {said}"


def test_what_was_counted_beforehand_cannot_be_changed_in_the_sample(load):
    assert load("counted", "sample", window=2, corpus=None)["space.window"] == 2
    with pytest.raises(ParameterError, match=r"corpus=4: the sample profile has counts .*; leave corpus out"):
        load("counted", "sample", window=2, corpus=4)
    assert load("counted", "full", window=None, corpus=4)["corpus.files"] == 4


def test_a_parameter_forgotten_or_unknown_is_named(load):
    for given in ({"window": 2}, {"window": 2, "corpus": 4, "colour": "red"}):
        with pytest.raises(TypeError, match=r"\[parameters.counted\] of .* has window, corpus; given are window"):
            load("counted", **given)


def test_what_is_none_of_many_is_refused_with_some_near_it():
    expect_among("word", "star", ("star", "sky"), "no word here")
    with pytest.raises(ParameterError) as refused:
        expect_among("word", "stare", ("star", "sky", "start"), "no word here")
    assert str(refused.value) == "word='stare': no word here. Did you mean 'star' or 'start'?"
    with pytest.raises(ParameterError, match="no word here.$"):
        expect_among("word", 7, ("star", "sky"), "no word here")


RULES = read_toml(data_root() / "profiles.toml")["parameters"]


@pytest.mark.parametrize("notebook", RULES)
def test_what_a_parameter_replaces_is_in_the_profiles(notebook):
    """And of one kind, if it replaces several settings."""
    declared = parameters(read(data_root().parent / "notebooks" / f"{notebook}.ipynb"))
    assert set(RULES[notebook]) <= set(declared)
    for rule in RULES[notebook].values():
        paths = [rule["replaces"]] if isinstance(rule.get("replaces"), str) else rule.get("replaces", ())
        for name in ("sample", "full") if rule.get("sample", True) else ("full",):
            values = [load_profile(name)[path] for path in paths]
            assert len({type(value) for value in values}) <= 1
            assert not values or values[0] in rule.get("choices", values)
