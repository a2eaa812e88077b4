"""Training counts from a hand-written corpus: what counts as what, what is kept, and the cache."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tagged_sentences import write_conllu

from cdsm_lib import datasets
from cdsm_lib.chapters import training_counts
from cdsm_lib.chapters.training_counts import Phrases, count_as_verbs
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.text import extraction as extract
from cdsm_lib.text.corpus import Corpus, compile_corpus, corpus_from_text, sentence

# form[:lemma]|TAG/head/deprel
DETECT = "the|DET/2/det telescopes:telescope|NOUN/3/nsubj detect|VERB/0/root planets:planet|NOUN/3/obj"
SEEN = (
    "planets:planet|NOUN/3/nsubj:pass are:be|AUX/3/aux:pass detected:detect|VERB/0/root by|ADP/5/case "
    "devices:device|NOUN/3/obl:agent"
)
HAS = "a|DET/2/det dog|NOUN/3/nsubj has:have|AUX/0/root bones:bone|NOUN/3/obj"
HAVE = "dogs:dog|NOUN/2/nsubj have|VERB/0/root bones:bone|NOUN/2/obj"
SUBJECT = "a|DET/2/det device|NOUN/0/root that|PRON/4/nsubj detects:detect|VERB/2/acl:relcl planets:planet|NOUN/4/obj"
OBJECT = (
    "a|DET/2/det planet|NOUN/0/root that|PRON/5/obj telescopes:telescope|NOUN/5/nsubj detect|VERB/2/acl:relcl "
    "today|ADV/5/advmod"
)
RARE = "Muslim:muslim|PROPN/2/nsubj troops:troop|NOUN/3/nsubj bark|VERB/0/root loudly|ADV/3/advmod"
TEXTS = [DETECT] * 3 + [SEEN] * 2 + [HAS] * 3 + [HAVE] + [SUBJECT] * 2 + [OBJECT] * 2 + [RARE]

NEEDED = ["device|NOUN", "planet|NOUN", "telescope|NOUN", "detect|VERB", "have|VERB", "troops|NOUN", "unicorn|NOUN"]
SETTINGS = {
    "seed": 7,
    "words": 5,
    "phrases": {"transitive": True, "participles": False, "pair_count": 2, "clause_count": 1, "clause_limit": 0},
    "spaces": {
        "count": {"features": 4, "window": 3},
        "count_svd": {"features": 6, "window": 0},
        "skipgram": {
            "dimensions": 6, "window": 3, "negatives": 3, "draws": 4, "min_count": 1, "subsample": 0, "epochs": 2,
            "rate": 0.05, "phrase_window": 3, "phrase_epochs": 2, "phrase_rate": 0.05,
        },
    },
}  # fmt: skip
PROFILE = Profile("tiny", SETTINGS)


@pytest.fixture(scope="module")
def corpus():
    return corpus_from_text(*TEXTS)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own; the folder of its training_counts."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "relpron"


def write(path: Path, *texts: str) -> Path:
    return write_conllu(path, [(str(i), sentence(text)) for i, text in enumerate(texts)])


def objects(corpus: Corpus, **options) -> Phrases:
    """Verb-object pairs of common nouns."""
    options = {"nouns": ("NOUN",), "min_count": 1} | options
    return count_as_verbs(corpus, extract.verb_object(corpus), 0, **options)


def counted(phrases: Phrases) -> dict[str, int]:
    return dict(zip(phrases.labels, phrases.counts.tolist(), strict=True))


# ------------------------------------------------------------------------------------------------- counting phrases


def test_auxiliary_have_with_an_object_counts_as_the_verb(corpus):
    """3 x has|AUX + 1 x have|VERB are one phrase, and each of its occurrences points to it.

    detect planet: 3 actives, 2 passives, 2 subject and 2 object relatives.
    """
    phrases = objects(corpus)
    assert counted(phrases) == {"detect|VERB planet|NOUN": 9, "have|VERB bone|NOUN": 4}
    assert phrases.phrase_of.shape == (13,) and np.bincount(phrases.phrase_of).tolist() == [9, 4]
    for place, phrase in zip(phrases.positions, phrases.phrase_of, strict=True):
        spoken = " ".join(corpus.lemma_of[corpus.word[place]])
        assert phrases.labels[phrase].replace("|VERB", "").replace("|NOUN", "") == spoken


def test_rare_phrases_are_dropped_with_their_occurrences(corpus):
    """have bone: 4 occurrences, of which 1 as a verb; the threshold looks at the sum."""
    assert counted(objects(corpus, min_count=4)) == {"detect|VERB planet|NOUN": 9, "have|VERB bone|NOUN": 4}
    phrases = objects(corpus, min_count=5)
    assert counted(phrases) == {"detect|VERB planet|NOUN": 9}
    assert np.bincount(phrases.phrase_of + 1).tolist() == [4, 9]
    none = objects(corpus, nouns=("ADJ",))
    assert len(none) == 0 and (none.phrase_of == -1).all() and none.ids.shape == (0, 2)


def test_an_auxiliary_without_a_verb_of_its_lemma_stays_itself():
    assert counted(objects(corpus_from_text(HAS))) == {"have|AUX bone|NOUN": 1}


def test_a_part_of_the_phrases_is_numbered_anew():
    ids = np.array([[0, 1], [2, 1], [3, 2]], dtype=np.int32)
    counts, positions, phrase_of = np.array([9, 5, 2]), np.arange(10).reshape(5, 2), np.array([0, 2, -1, 1, 2])
    phrases = Phrases(Labels(list("abcd")), ids, counts, positions, phrase_of)
    kept = phrases.only(np.array([True, False, True]))
    assert list(kept.labels) == ["a b", "d c"] and kept.counts.tolist() == [9, 2]
    assert kept.phrase_of.tolist() == [0, 1, -1, -1, 1] and kept.positions is phrases.positions
    assert len(phrases.only(np.zeros(3, dtype=bool))) == 0


def test_training_phrases_by_kind(corpus):
    nouns = ["telescope|NOUN", "planet|NOUN", "device|NOUN", "bone|NOUN", "dog|NOUN"]
    words, settings = Labels([*nouns, "detect|VERB", "have|VERB"]), SETTINGS["phrases"]
    of_kind = training_counts.training_phrases(corpus, ["detect|VERB", "have|VERB"], words, settings)
    assert {kind: counted(phrases) for kind, phrases in of_kind.items()} == {
        "subject": {"telescope|NOUN detect|VERB": 5, "device|NOUN detect|VERB": 4, "dog|NOUN have|VERB": 4},
        "object": {"detect|VERB planet|NOUN": 9, "have|VERB bone|NOUN": 4},
        "SBJ": {"device|NOUN detect|VERB planet|NOUN": 2},
        "OBJ": {"planet|NOUN detect|VERB telescope|NOUN": 2},
    }
    without_device = words.take([0, 1, 3, 4, 5, 6])
    for verbs, of, kind, more in (
        (["detect|VERB", "sing|VERB"], without_device, "SBJ", {}),
        (["detect|VERB"], words, "OBJ", {"pair_count": 5, "clause_count": 3}),
    ):
        fewer = training_counts.training_phrases(corpus, verbs, of, settings | more)
        assert counted(fewer["subject"]) == {"telescope|NOUN detect|VERB": 5} and len(fewer[kind]) == 0


def test_the_vocabulary_of_skip_gram(corpus):
    vocabulary = training_counts.skip_gram_vocabulary(corpus, 4, ["bark|VERB", "unicorn|NOUN"])
    assert "bark|VERB" in vocabulary and "loudly|ADV" not in vocabulary and "unicorn|NOUN" not in vocabulary


# --------------------------------------------------------------------------------------------------------- gathering


def test_only_the_spaces_that_are_wanted(corpus):
    counts = training_counts.gather(corpus, NEEDED, PROFILE, spaces=("Count",))
    assert list(counts.counts) == ["Count"] and counts.vectors is None and not counts.phrase_vectors


def test_needed_words_that_do_not_occur_in_a_part_of_the_corpus(tmp_path):
    """The labels of a part are those of the whole corpus: a word may be known and yet not occur."""
    for name, texts in (("a", TEXTS), ("b", ["cats:cat|NOUN/2/nsubj sleep|VERB/0/root"])):
        write(tmp_path / f"{name}.conllu", *texts)
    part = compile_corpus(sorted(tmp_path.glob("*.conllu")), tmp_path / "compiled", threads=1).part(1)
    assert "cat|NOUN" in part.words
    counts = training_counts.gather(part, [*NEEDED, "cat|NOUN", "cats|NOUN"], PROFILE)
    assert "cat|NOUN" not in counts.vectors and "cat|NOUN" not in counts.frequency and "cats|NOUN" not in counts.alike


# ---------------------------------------------------------------------------------------------- compiled at first use


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """A dataset of two parsed files in a registry of its own, as `dataset.files` by name; nothing is compiled yet."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    paths, files, asked = [tmp_path / "a.conllu", tmp_path / "b.conllu"], {}, []

    def rewrite(name, *texts):
        content = write(tmp_path / name, *texts).read_bytes()
        files[name] = SimpleNamespace(sha256=hashlib.sha256(content).hexdigest())

    rewrite("a.conllu", DETECT, SEEN)
    rewrite("b.conllu", HAS)
    monkeypatch.setattr(datasets, "fetch_matching", lambda *names: asked.append(names) or paths)
    monkeypatch.setattr(datasets, "dataset", lambda name: SimpleNamespace(files=files))
    return SimpleNamespace(write=rewrite, files=files, asked=asked, folder=tmp_path / "cache" / "compiled")


def test_a_dataset_is_compiled_once_and_anew_if_its_files_change_or_are_damaged(dataset):
    first = training_counts.compiled("a set", "*.conllu")
    assert dataset.asked == [("a set", "*.conllu")] and first.n_sentences == 3
    folder = dataset.folder / "a set"
    hashes = " ".join(file.sha256 for file in dataset.files.values()).encode()
    assert first.folder == folder and first.fingerprint == hashlib.sha256(hashes).hexdigest()
    written = (folder / "corpus.json").stat().st_mtime_ns
    second = training_counts.compiled("a set", "*.conllu")
    assert second.fingerprint == first.fingerprint and (second.word == first.word).all()
    assert (folder / "corpus.json").stat().st_mtime_ns == written
    dataset.write("b.conllu", HAVE, RARE)
    changed = training_counts.compiled("a set", "*.conllu")
    assert changed.n_sentences == 4 and "bark|VERB" in changed.words and changed.fingerprint != first.fingerprint
    words = changed.word.tolist()
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    mended = training_counts.compiled("a set", "*.conllu")
    assert mended.fingerprint == changed.fingerprint and mended.word.tolist() == words
