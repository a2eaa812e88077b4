"""``make distil``: what the sample profile needs of the whole corpus, as counts and vectors, without any text.

From the parsed Wikipedia, and for some words of a teaching set from GENIA's abstracts, to ``data/distilled``: nothing
else goes in, and the same corpora give the same files. They are made in a folder beside it and moved there when they
are whole; an interruption leaves the old ones in place.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import leaderboard_systems
from cdsm_lib.chapters import localisation as white2015_figures
from cdsm_lib.chapters import sense_vectors as kober2017
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.evaluation.results import made_with
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks import lexical_substitution, relpron
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, count_windows

SOURCES = ("genia", "semcor", "wikipedia_parsed")
"""The datasets that are counted. WordNet, of which a machine may have another edition or none, only names senses."""

LIMIT = 32 * 2**20
"""Bytes that all of ``data/distilled`` may take."""


def vocabulary() -> list[str]:
    """The words that the teaching sets need, however rare they are."""
    return relpron.vocabulary(*(relpron.load("relpron_mini", split) for split in ("dev", "test")))


def terms() -> list[str]:
    """The nouns whose triples the teaching set is chosen from: its candidate terms, kept or not."""
    lines = datasets.sample_path("relpron_mini").joinpath("hypernyms.tsv").read_text(encoding="utf-8").splitlines()
    column = lines[0].split("\t").index("term")
    return sorted({f"{line.split(chr(9))[column]}|NOUN" for line in lines[1:]})


def anvan_counts(
    corpus: Corpus, core: Counts, settings: dict
) -> tuple[buljan2018.Words, dict[str, buljan2018.Bigrams]]:
    """What `anvan_mini` needs beyond the Count space: its other words, and the bigrams of its predicates."""
    task = lexical_substitution.load("anvan_mini")
    text = anvan.teaching_text("anvan_mini")
    needed = [*lexical_substitution.vocabulary(task), *buljan2018.text_vocabulary(text)]
    words = buljan2018.gather_words(corpus, needed, settings, core=core)
    return words, buljan2018.gather_bigrams(corpus, words, buljan2018.predicates_in(task), settings)


def cheung(corpus: Corpus, core: Counts, settings: dict) -> tuple[cheung2012.TrainingCounts, cheung2012.TrainingCounts]:
    """What the teaching sets of Cheung & Penn's chapters need beyond the Count space, and the same of their domain.

    Their words get rows if they are among the corpus's ``known`` most frequent ones; the others of the question set
    come from GENIA, with the general words that occur there (a rare word's nearest neighbours are sought among them).
    """
    sentences = cheung2012.teaching_sentences()
    known = cheung2012.Vocabulary(content_words(corpus, settings["known"]))
    seen = [cheung2012.parsed(sentence, known) for sentence in sentences]
    met = {word for s in seen for word in s.words if word is not None}
    extra = [word for word in known.words if word in met and word not in core.rows]  # most frequent first
    more = count_windows(corpus, extra, core.columns, window=settings["window"], content_only=settings["content_only"])
    general = cheung2012.gather(corpus, settings, windows=cheung2012.stacked(core, more))
    genia = cheung2012.genia()
    rare = {word for s in seen for word in s.unknown}
    in_domain = cheung2012.gather_domain(genia, general, settings, among=[*rare, *general.words])
    return general, in_domain


def folder() -> Path:
    """``data/distilled``."""
    return datasets.distilled_folder()


def main() -> int:
    """Make ``data/distilled`` afresh; 1 if it outgrows its limit."""
    target = folder()
    making, old = target.with_name(f".{target.name}.making"), target.with_name(f".{target.name}.old")
    if old.exists() and not target.exists():  # killed between two moves
        os.replace(old, target)
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    try:
        profile = load_profile("sample")
        corpus = materials.wikipedia()
        gathered = materials.gather(corpus, vocabulary(), profile, terms=terms())
        materials.save(gathered, making)
        buljan2018.save(*anvan_counts(corpus, gathered.counts["Count"], profile["lexical_substitution"]), making)
        general, in_domain = cheung(corpus, gathered.counts["Count"], profile["contextual"])
        cheung2012.save(general, making, core=gathered.counts["Count"])
        cheung2012.save(in_domain, making, name=cheung2012.DOMAIN)
        trained, pairs = kober2017.distilled(corpus, profile["vectors"], profile["seed"])
        kober2017.save(trained, making, dependencies=pairs)
        white2015_figures.distil(making)
        leaderboard_systems.distil(making, corpus, gathered.counts["Count"], profile)
        _provenance(making, corpus, profile)
        size = sum(path.stat().st_size for path in making.iterdir())
        if size > LIMIT:
            print(f"data/distilled would take {size / 2**20:.1f} MiB of {LIMIT / 2**20:.0f}: lower sample.words, "
                  "sample.spaces.*.features or raise sample.phrases.pair_count in data/profiles.toml")  # fmt: skip
            return 1
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            os.replace(target, old)
        os.replace(making, target)
    finally:
        if old.exists() and not target.exists():
            os.replace(old, target)
        for leftover in (making, old):
            shutil.rmtree(leftover, ignore_errors=True)
    for path in sorted(target.iterdir()):
        print(f"{path.stat().st_size / 2**20:8.2f} MiB  {path.name}")
    return 0


def _provenance(making: Path, corpus, profile) -> None:
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(making.iterdir())}
    about = {
        "what": "Counts and vectors that the project's own pipeline took from the parsed Wikipedia, and counts of "
        "some words (cheung-genia) from GENIA's raw abstracts; no text. The senses in kober-vectors "
        "are named by WordNet 3.0's synsets; the tagger's vectors are sums over the words of its glosses. white-* come "
        "of models trained on the Wikipedia articles that gensim ships. board-* are the full profile's vectors of the "
        "teaching sets' words, a byte a number, and counts of these words.",
        "made by": "make distil",
        "licence": "CC BY-SA 3.0, as the corpus (Wikipedia contributors); cheung-genia: counts of words in PubMed "
        "abstracts, see GENIA's licence",
        "corpus": {"tokens": corpus.n_tokens, "sentences": corpus.n_sentences, "fingerprint": corpus.fingerprint},
        "made with": made_with(datasets.used(SOURCES), corpus.fingerprint, profile["seed"]),
        "settings": {name: profile[name] for name in ("words", "phrases", "spaces")}
        | {"lexical_substitution": {name: profile["lexical_substitution"][name] for name in buljan2018.COUNTED}}
        | {"contextual": {name: profile["contextual"][name] for name in cheung2012.COUNTED}}
        | {"vectors": {name: profile[f"vectors.{name}"] for name in kober2017.COUNTED}}
        | {"localisation": profile["localisation"]}
        | {"leaderboard": {name: profile["leaderboard"][name] for name in leaderboard_systems.SETTINGS}},
        "files": files,
    }
    (making / "provenance.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
