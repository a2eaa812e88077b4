"""Distilling: the folder is made whole or not at all, within its limit, and says where it comes from."""

import hashlib
import json
import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import distil, leaderboard_systems, training_counts
from cdsm_lib.chapters import localisation as white2015_figures
from cdsm_lib.chapters import sense_vectors as kober2017
from cdsm_lib.chapters import sentence_models as white2015
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters.leaderboard_tasks import tasks_of
from cdsm_lib.chapters.sense_vectors import DEP2VEC, SENSES, WORD2VEC, Lexicon
from cdsm_lib.chapters.substitution_models import KINDS, Bigrams, Words
from cdsm_lib.chapters.training_counts import Phrases
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import write_npz
from cdsm_lib.tasks import lexical_substitution, question_answering, relpron
from cdsm_lib.text import counts
from cdsm_lib.text.counts import Counts, count_windows
from cdsm_lib.vectors.disambiguation import SenseTagger
from cdsm_lib.vectors.senses import SenseVectors
from cdsm_lib.vectors.space import Space

CORPUS = SimpleNamespace(fingerprint="f" * 64, n_tokens=12, n_sentences=3)


ANVAN = ["anvan-bigrams.npz"]
CHEUNG = ["cheung-counts.npz", "cheung-genia.npz"]
KOBER = ["kober-vectors.npz", "kober-trees.npz"]
WHITE = [white2015.STORED_MODEL, white2015.STORED]
BOARD = [f"board-{what}.npz" for what in ("vectors", "windows", "triples")]


def small_files(*of: str):
    """A function that writes small files in the place of these."""

    def write(folder, *_) -> None:
        for name in of:
            write_npz(folder / name, "small", 1, {"numbers": np.arange(3)})

    return write


def kober_of(tiny) -> tuple[kober2017.Trained, Counts]:
    """Vectors of three words, one of them with two senses; pairs of two words."""
    words = Space(["bank|NOUN", "river|NOUN", "account|NOUN"], np.eye(3, dtype=np.float32))
    names, starts, counts = ["bank.n.01", "bank.n.02"], np.array([0, 2]), np.array([5, 3])
    senses = SenseVectors(Labels(["bank|NOUN"]), starts, tuple(names), counts, np.eye(3, dtype=np.float32)[1:])
    half = np.full(2, 0.5, dtype=np.float32)
    tagger = SenseTagger(Labels(["bank|NOUN"]), np.array([0, 2]), tuple(names), np.eye(3, dtype=np.float32)[1:], half)
    profile = load_profile("sample")
    trees = replace(words, meta=kober2017.trained_with(profile["vectors.dep2vec"], profile["seed"]))
    lexicons = [
        Lexicon(WORD2VEC, words), Lexicon(DEP2VEC, trees), Lexicon(SENSES, words, senses),
    ]  # fmt: skip
    frequency = {"bank|NOUN": 8, "be": 90}
    trained = kober2017.Trained("f" * 64, 12, frequency, {lexicon.name: lexicon for lexicon in lexicons}, tagger)
    return trained, tiny.counts_of([[9, 8, 0, 0, 7, 0, 0, 0], [0, 0, 9, 9, 0, 7, 0, 0]], ["bank|NOUN", "river|NOUN"])


def cheung_of(tiny, clauses) -> tuple[cheung2012.TrainingCounts, cheung2012.TrainingCounts]:
    """Counts of the core and of one more word, and those of a domain; the triples are of other words."""
    core = tiny.counts.counts["Count"]
    more = replace(tiny.counts_of([[0, 5, 0, 0, 1, 0, 0, 0]], ["borrow|VERB"]), columns=core.columns)
    general = cheung2012.TrainingCounts("f" * 64, cheung2012.stacked(core, more), clauses.general.triples)
    return general, cheung2012.TrainingCounts("9" * 64, more, clauses.in_domain.triples, True)


def anvan_of(tiny) -> tuple[Words, dict[str, Bigrams]]:
    """Counts of two more words, and of two bigrams of each kind."""
    core = tiny.counts.counts["Count"]
    more = replace(tiny.counts_of([[1, 0, 2, 0, 0, 0, 0, 3], [0] * 8], ["wise|ADJ", "old|ADJ"]), columns=core.columns)
    frequency = {word: 9 + i for i, word in enumerate([*core.rows, *more.rows])}
    words = Words("f" * 64, core, more, frequency, {"soup|NOUN": 3})
    found = {}
    for kind in KINDS:
        table = Phrases(words.labels, np.array([[0, 1], [0, 2]], dtype=np.int32), np.array([7, 300]))
        found[kind] = Bigrams(table, replace(tiny.counts_of([[0, 5] * 4, [1] * 8], table.labels), columns=core.columns))
    return words, found


@pytest.fixture
def target(tiny, clauses, tmp_path, monkeypatch):
    """An older ``data/distilled`` elsewhere, and a corpus that gives the tiny counts at once."""
    target = tmp_path / "distilled"
    target.mkdir()
    (target / "old.txt").write_text("old\n")
    monkeypatch.setattr(distil, "folder", lambda: target)
    monkeypatch.setattr(training_counts, "wikipedia", lambda: CORPUS)
    monkeypatch.setattr(training_counts, "gather", lambda *_, **__: tiny.counts)
    monkeypatch.setattr(distil, "anvan_counts", lambda *_: anvan_of(tiny))
    monkeypatch.setattr(distil, "cheung", lambda *_: cheung_of(tiny, clauses))
    monkeypatch.setattr(kober2017, "distilled", lambda *_: kober_of(tiny))
    monkeypatch.setattr(white2015_figures, "distil", small_files(*WHITE))
    monkeypatch.setattr(leaderboard_systems, "distil", small_files(*BOARD))
    return target


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def untouched(target) -> bool:
    return names(target.parent) == ["distilled"] and names(target) == ["old.txt"]


def test_the_old_folder_gives_way_to_the_new(tiny, clauses, target, capsys):
    assert distil.main() == 0
    assert names(target.parent) == ["distilled"]
    of_relpron = ["phrases.npz", "count.npz", "count-svd.npz", "skip-gram.npz"]
    assert {*of_relpron, "provenance.json", *ANVAN, *CHEUNG, *KOBER, *WHITE, *BOARD} < set(names(target))
    assert "old.txt" not in names(target)
    assert capsys.readouterr().out.count("MiB") == len(names(target))
    found = training_counts.load(target)
    np.testing.assert_allclose(found.vectors.vectors, tiny.counts.vectors.vectors, rtol=2**-10)
    assert (found.counts["Count"].matrix != tiny.counts.counts["Count"].matrix).nnz == 0
    words, bigrams = buljan2018.load(target)
    expected, by_kind = anvan_of(tiny)
    assert words.frequency == expected.frequency and words.modifies == expected.modifies
    assert (words.more.matrix != expected.more.matrix).nnz == 0
    assert bigrams["verb_object"].phrases.counts.tolist() == by_kind["verb_object"].phrases.counts.tolist()
    assert list(cheung2012.load(target).windows.rows) == ["borrow|VERB"]  # the core is there already
    for domain, expected in zip((False, True), cheung_of(tiny, clauses), strict=True):
        found = cheung2012.load_distilled(target, domain=domain)
        assert found.words == expected.words and found.windows.columns == expected.windows.columns
        assert (found.windows.matrix != expected.windows.matrix).nnz == 0
        assert (found.corpus, found.resolve_voice) == (expected.corpus, expected.resolve_voice)
        assert found.triples.count.tolist() == expected.triples.count.tolist()
    found = kober2017.load(target, load_profile("sample")["vectors.dep2vec"], 1)
    expected, _ = kober_of(tiny)
    assert (
        found.frequency == expected.frequency and found.tokens == 12 and found.tagger.senses == expected.tagger.senses
    )
    assert found.lexicons[SENSES].of("bank|NOUN").tolist() == expected.lexicons[SENSES].of("bank|NOUN").tolist()


@pytest.mark.parametrize("semcor", [True, False])
def test_for_a_corpus_of_ones_own_it_is_made_once(tiny, clauses, target, monkeypatch, capsys, semcor):
    given = {}

    def of_senses():
        if not semcor:
            raise datasets.DataError("semcor: not here")

    monkeypatch.setattr(datasets, "wordnet", of_senses)
    monkeypatch.setattr(distil.disambiguation, "semcor", of_senses)
    monkeypatch.setattr(distil, "cheung", lambda *args: given.update(domain=args[3]) or cheung_of(tiny, clauses))
    monkeypatch.setattr(leaderboard_systems, "distil", lambda *args: given.update(trained=args[4]))
    assert distil.own() == target and given["domain"] is CORPUS
    assert {"count.npz", "provenance.json", *ANVAN, *CHEUNG, *KOBER} <= set(names(target))
    ours = (target / "kober-vectors.npz").read_bytes() == (distil.ours() / "kober-vectors.npz").read_bytes()
    assert ours is not semcor and ("stay ours: semcor: not here" in capsys.readouterr().err) is not semcor
    assert (given["trained"].tokens == 12) is semcor
    given.clear()
    assert distil.own() == target and not given  # it is there
    (target / "provenance.json").write_text('{"key": "of other settings"}')
    assert distil.own() == target and given


def test_it_is_made_where_there_was_none(target):
    (target / "old.txt").unlink()
    target.rmdir()
    assert distil.main() == 0
    assert names(target.parent) == ["distilled"]


def test_the_same_corpus_gives_the_same_bytes(target):
    def digests():
        assert distil.main() == 0
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in target.iterdir()}

    assert digests() == digests()


def test_provenance_names_every_file_with_its_hash(target):
    distil.main()
    about = json.loads((target / "provenance.json").read_text(encoding="utf-8"))
    hashes = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in target.iterdir() if p.suffix == ".npz"}
    assert about["files"] == hashes and list(hashes)
    assert about["corpus"] == {"tokens": 12, "sentences": 3, "fingerprint": "f" * 64}
    assert about["made with"]["datasets"] == datasets.used(distil.SOURCES)
    profile = load_profile("sample")
    assert about["made with"]["seed"] == profile["seed"]
    assert {*ANVAN, *CHEUNG, *KOBER, *WHITE} < set(about["files"])
    counted = {name: profile["lexical_substitution"][name] for name in ("window", "bigram_count", "bigram_limit")}
    names = ("words", "known", "window", "content_only", "triple_count", "domain_triple_count", "resolve_voice")
    contextual = {name: profile["contextual"][name] for name in names}
    expected = {n: profile[n] for n in ("words", "phrases", "spaces")}
    vectors = {name: profile[f"vectors.{name}"] for name in kober2017.COUNTED}
    expected |= {"lexical_substitution": counted, "contextual": contextual, "vectors": vectors}
    expected["localisation"] = profile["localisation"]
    expected["leaderboard"] = {name: profile["leaderboard"][name] for name in leaderboard_systems.SETTINGS}
    assert about["settings"] == json.loads(json.dumps(expected))


def test_it_gathers_what_the_teaching_sets_need(target, monkeypatch, tiny):
    def gather(corpus, needed, profile, *, terms):
        assert corpus is CORPUS and profile.name == "sample"
        assert needed == relpron.vocabulary(*(relpron.load("relpron_mini", split) for split in ("dev", "test")))
        assert terms == sorted(set(terms)) and all(term.endswith("|NOUN") for term in terms)
        assert {f"{t}|NOUN" for t in relpron.load("relpron_mini", "dev").terms} <= set(terms)
        return tiny.counts

    monkeypatch.setattr(training_counts, "gather", gather)
    assert distil.main() == 0


def test_it_counts_what_the_substitutions_need(monkeypatch, tiny):
    """Words of the finished set and of its sentences, beside the core; bigrams of the set's predicates."""
    words, bigrams = anvan_of(tiny)
    core, settings = tiny.counts.counts["Count"], {"window": 3}
    task = lexical_substitution.load("anvan_mini")
    asked = {}
    monkeypatch.setattr(buljan2018, "gather_words", lambda *given, core: asked.update(words=given, core=core) or words)
    monkeypatch.setattr(buljan2018, "gather_bigrams", lambda *given: asked.update(bigrams=given) or bigrams)
    assert distil.anvan_counts(CORPUS, core, settings) == (words, bigrams)
    corpus, needed, given = asked["words"]
    assert corpus is CORPUS and given is settings and asked["core"] is core
    text = anvan.teaching_text("anvan_mini")
    assert set(needed) == {*lexical_substitution.vocabulary(task), *buljan2018.text_vocabulary(text)}
    assert asked["bigrams"] == (CORPUS, words, buljan2018.predicates_in(task), settings)


@pytest.fixture
def few_words(clauses, monkeypatch):
    """What is counted for four sentences, beside a core of three rows, by number of the corpus's words that are known.

    The domain lacks *n5*, and the corpus *d0*, *dv* and *zebra*.
    """
    texts = [clauses.active("n0", "v1", "n2"), clauses.passive("n5", "v3", "n0"),
             clauses.active("d0", "dv", "zebra", "a0"), clauses.active("n0", "n1", "v0")]  # fmt: skip
    monkeypatch.setattr(cheung2012, "teaching_sentences", lambda: texts)
    monkeypatch.setattr(cheung2012, "genia", lambda: clauses.domain)
    columns = [f"{word}|NOUN" for word in clauses.nouns]
    core = count_windows(clauses.corpus, ["n6|NOUN", "n0|NOUN", "v0|VERB"], columns, window=2)

    def counted(known: int):
        return distil.cheung(clauses.corpus, core, clauses.settings | {"known": known})

    return SimpleNamespace(core=core, counted=counted, columns=columns)


def test_it_counts_what_the_sentences_in_context_need(few_words, clauses):
    general, domain = few_words.counted(14)  # all of them
    core = few_words.core
    assert list(general.words)[:3] == list(core.rows)
    assert sorted(list(general.words)[3:]) == ["a0|ADJ", "n1|NOUN", "n2|NOUN", "n5|NOUN", "v1|VERB", "v3|VERB"]
    assert list(general.windows.columns) == few_words.columns
    assert (general.windows.matrix[:3] != core.matrix).nnz == 0
    expected = count_windows(clauses.corpus, list(general.words), few_words.columns, window=2)
    assert (general.windows.matrix != expected.matrix).nnz == 0
    assert general.triples.words == general.words and len(general.triples) > 10
    assert (general.corpus, domain.corpus) == (clauses.corpus.fingerprint, clauses.domain.fingerprint)
    # of the domain the words that the corpus lacks, and the general ones among which their nearest are sought
    there = {"n0|NOUN", "n1|NOUN", "n2|NOUN", "v0|VERB", "v1|VERB", "a0|ADJ"}
    assert set(domain.words) == {"d0|NOUN", "dv|VERB"} | there
    assert domain.windows.columns == general.windows.columns and domain.triples.count.min() == 2


def test_words_that_are_too_rare_come_from_the_domain(few_words, clauses):
    """Of the corpus's words the nine most frequent are known here; others of the sentences get no row, if not core."""
    known = set(counts.content_words(clauses.corpus, 9))
    general, domain = few_words.counted(9)
    needed = {"n0|NOUN", "v1|VERB", "n2|NOUN", "n5|NOUN", "v3|VERB", "a0|ADJ", "n1|NOUN", "v0|VERB"}
    assert set(general.words) == (needed & known) | set(few_words.core.rows)
    rare = needed - known - set(few_words.core.rows)
    assert rare and rare & set(domain.words) == rare - {"n5|NOUN", "v3|VERB"}


def test_one_window_for_what_shares_one_matrix():
    """The core of the others are the rows of the Count space: all are counted in the same window."""
    profile = load_profile("sample")
    assert profile["lexical_substitution.window"] == profile["spaces.count.window"]
    assert profile["contextual.window"] == profile["spaces.count.window"] and profile["contextual.content_only"]


def test_what_would_be_too_large_is_refused(target, monkeypatch, capsys):
    monkeypatch.setattr(distil, "LIMIT", 1000)
    assert distil.main() == 1
    assert untouched(target)
    assert "lower sample.words" in capsys.readouterr().out


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize(
    "place",
    [(training_counts, "gather"), (training_counts, "save"), (white2015_figures, "distil"), (distil, "_provenance")],
)
def test_an_interruption_leaves_the_old_folder(target, monkeypatch, place, error):
    def interrupted(*_, **__):
        raise error

    monkeypatch.setattr(*place, interrupted)
    with pytest.raises(type(error)):
        distil.main()
    assert untouched(target)


def test_an_interruption_between_the_two_moves_puts_the_old_folder_back(target, monkeypatch):
    replace = os.replace

    def interrupted(source, destination):
        if destination == target and source.parent.name.endswith(".making") and source.name != "old":
            raise KeyboardInterrupt
        replace(source, destination)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        distil.main()
    assert untouched(target)


def test_what_a_killed_process_left_is_put_in_order(target, monkeypatch):
    """Killed between the two moves: the old folder goes back to its place, the half-made one goes."""
    scratch = target.with_name(f".distilled.{'0' * 32}.making")
    (scratch / "new").mkdir(parents=True)
    os.replace(target, scratch / "old")
    monkeypatch.setattr(training_counts, "wikipedia", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        distil.main()
    assert untouched(target)


# ---------------------------------------------------------------------------------------------- what is committed


@pytest.fixture(scope="module")
def committed():
    folder = datasets.data_root() / "distilled"
    if not (folder / "provenance.json").is_file():
        pytest.skip("data/distilled is not there; make it with make distil")
    return folder


def test_the_committed_files_are_those_of_the_provenance(committed):
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in committed.iterdir()}
    found.pop("provenance.json")
    assert found == about["files"]
    assert {*ANVAN, *CHEUNG, *KOBER, *WHITE, *BOARD} < set(found)
    assert about["made with"]["datasets"] == datasets.used(distil.SOURCES)
    profile = load_profile("sample")
    counted = [f"spaces.{space}.{name}" for space in ("count", "count_svd") for name in ("features", "window")]
    counted += [f"lexical_substitution.{name}" for name in buljan2018.COUNTED]
    counted += [f"contextual.{name}" for name in cheung2012.COUNTED]
    assert about["settings"]["vectors"] == {name: profile[f"vectors.{name}"] for name in kober2017.COUNTED}
    for path in ("words", "phrases", "spaces.skipgram", *counted):  # what is counted and trained by then
        settings = json.loads(json.dumps(profile[path]))
        assert Profile("distilled", about["settings"])[path] == settings, f"{path} changed: run make distil"


def test_the_committed_files_keep_within_the_limit(committed):
    assert distil.LIMIT == 32 * 2**20
    assert sum(path.stat().st_size for path in committed.iterdir()) <= distil.LIMIT


def test_the_committed_files_hold_every_word_of_the_teaching_set(committed):
    found = training_counts.load(committed)
    known = {*found.vectors.rows, *found.alike}
    assert [word for word in distil.vocabulary() if word not in known] == []
    for of_space in found.counts.values():
        assert set(distil.vocabulary()) <= {*of_space.rows, *found.alike}
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    assert found.corpus == about["corpus"]["fingerprint"]


def test_the_committed_files_hold_the_words_of_the_leaderboard(committed):
    """Words that the corpus has often enough; all seven tasks together, so that nothing is made for one of them."""
    found = leaderboard_systems.load(committed)
    everything = leaderboard_systems.with_all_items(load_profile("sample"))
    made = tasks_of(everything, found.vocabulary)
    words = leaderboard_systems.teaching_vocabulary(made)
    assert words == sorted(found.vocabulary.words) and len(words) > 2000
    for name in (WORD2VEC, DEP2VEC):
        space = found.lexicons[name].space
        assert np.isin(words, list(space.rows)).mean() > 0.98 and np.isfinite(space.vectors).all()
    assert found.directions.shape == (1, found.lexicons[WORD2VEC].space.d)


def test_the_committed_files_hold_every_word_of_the_substitutions(committed):
    """A row with contexts and a frequency for each word of anvan_mini, and bigrams for almost every predicate."""
    words, bigrams = buljan2018.load(committed)
    task = lexical_substitution.load("anvan_mini")
    needed = lexical_substitution.vocabulary(task)
    assert [word for word in needed if not words.frequency.get(word)] == []
    tables = (words.core, words.more)
    empty = {word for table in tables for word in table.rows.take(np.flatnonzero(table.row_sums == 0))}
    assert [word for word in needed if word in empty] == []
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    assert words.corpus == about["corpus"]["fingerprint"]
    settings = load_profile("sample")["lexical_substitution"]
    predicates = buljan2018.predicates_in(task)
    seen = set()
    for kind, of_kind in bigrams.items():
        found = of_kind.phrases.ids[:, KINDS[kind]]
        assert of_kind.phrases.counts.min() >= settings["bigram_count"]
        assert np.bincount(found).max() <= settings["bigram_limit"]
        seen |= {of_kind.phrases.words[i] for i in np.unique(found)}
    assert seen <= set(predicates)
    assert len(seen) >= 0.9 * len(predicates)


def test_the_committed_files_hold_the_words_of_the_sentences_in_context(committed):
    """Of the content tokens of relations, questions and the probe almost all have a row, with GENIA nearly all."""
    general, domain = (cheung2012.load_distilled(committed, domain=d) for d in (False, True))
    about = json.loads((committed / "provenance.json").read_text(encoding="utf-8"))
    assert general.corpus == about["corpus"]["fingerprint"] != domain.corpus
    settings = load_profile("sample")["contextual"]
    assert general.triples.words == general.words and general.triples.count.min() >= settings["triple_count"]
    assert domain.triples.count.min() >= settings["domain_triple_count"]
    assert (general.resolve_voice, domain.resolve_voice) == (settings["resolve_voice"],) * 2

    def share(words, texts) -> float:
        seen = cheung2012.Trained(words, {}).parsed(texts)
        return 1 - sum(len(s.unknown) for s in seen) / sum(len(s.lemmas) for s in seen)

    assert share(general.words, cheung2012.teaching_sentences()) >= 0.85
    task = question_answering.load("questions")
    texts = [s for d in task.documents for s in d.sentences] + [q.sentence for q in task.questions]
    both = [*general.words, *(word for word in domain.words if word not in general.words)]
    assert share(both, texts) >= 0.97
    empty = {*general.windows.rows.take(np.flatnonzero(general.windows.row_sums == 0))}
    text = {word for s in texts for word in cheung2012.parsed(s, cheung2012.Vocabulary(general.words)).words}
    assert not text & empty
