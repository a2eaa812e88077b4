"""``make distil``: what the sample profile needs of the whole corpus, as counts and vectors, without any text.

From the parsed Wikipedia, and for some words of a teaching set from GENIA's abstracts, to ``data/distilled``: nothing
else goes in, and the same corpora give the same files. What an encoder of other text makes of the teaching sets' texts
stands beside them (`since_then.distil`); where the encoder is not installed, this file stays as it was, and a line says
so. All are made in a folder beside the old one, and moved there when they are whole; an interruption changes nothing.
"""

import json
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.cache import code_of
from cdsm_lib.chapters import (
    contextual_models,
    leaderboard_systems,
    localisation,
    sense_vectors,
    since_then,
    substitution_models,
    training_counts,
)
from cdsm_lib.chapters.contextual_models import Trained, TrainingCounts
from cdsm_lib.construction.lexical_substitution import teaching_text
from cdsm_lib.evaluation.results import made_with
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import lexical_substitution, relpron
from cdsm_lib.tasks.task import Text, Vocabulary
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, count_windows
from cdsm_lib.vectors import disambiguation
from scripts import run

SOURCES = ("genia", "semcor", "wikipedia_parsed")
"""The datasets that are counted. WordNet, of which a machine may have another edition or none, only names senses."""


def vocabulary() -> list[str]:
    """The words that the teaching sets need, however rare they are."""
    return relpron.vocabulary(*(relpron.load("relpron_mini", split) for split in ("dev", "test")))


def terms() -> list[str]:
    """The nouns whose triples the teaching set is chosen from: its candidate terms, kept or not."""
    lines = datasets.sample_path("relpron_mini").joinpath("hypernyms.tsv").read_text(encoding="utf-8").splitlines()
    column = lines[0].split("\t").index("term")
    return sorted({f"{line.split(chr(9))[column]}|NOUN" for line in lines[1:]})


def cheung(
    corpus: Corpus, core: Counts, settings: dict, domain: Corpus | None = None
) -> tuple[TrainingCounts, TrainingCounts]:
    """What the teaching sets of Cheung & Penn's chapters need beyond the Count space, and the same of their domain.

    Their words get rows if they are among the corpus's ``known`` most frequent ones; the others of the question set
    come from GENIA (or another `domain`), with the general words that occur there: a rare word's nearest neighbours are
    sought among them.
    """
    known = Vocabulary(content_words(corpus, settings["known"]))
    seen = [Text.of(sentence, known) for sentence in contextual_models.teaching_sentences()]
    met = {word for s in seen for word in s.words if word is not None}
    extra = [word for word in known.words if word in met and word not in core.rows]  # most frequent first
    more = count_windows(corpus, extra, core.columns, window=settings["window"], content_only=settings["content_only"])
    general = contextual_models.gather(corpus, settings, windows=contextual_models.stacked(core, more))
    rare = {word for s in seen for word in s.unknown}
    domain = domain or contextual_models.genia()
    return general, contextual_models.gather_domain(domain, general, settings, among=[*rare, *general.words])


def main() -> None:
    """Make ``data/distilled`` afresh."""
    profile, corpus = load_profile("sample"), training_counts.wikipedia()
    with storage.whole_folder(datasets.distilled_folder()) as making:
        fill(making, corpus, profile)
        localisation.distil(making)
        describe(making, provenance(corpus, profile))


def own() -> Path:
    """What a profile of one's own that extends the sample has of its corpus, made unless it is there already.

    All is counted and trained as by `main`, but the corpus is its own domain, in GENIA's place, and the leaderboard has
    the vectors of this profile. Where SemCor or WordNet cannot be fetched, the vectors of chapters 40 and 41 stay ours,
    and a line says so. The chapter on White's task trains on gensim's articles in any case.
    """
    target, profile, corpus = datasets.distilled_folder(), load_profile("sample"), training_counts.wikipedia()
    key = json.dumps([corpus.fingerprint, profile.settings, code_of("scripts.distil")])
    with suppress(OSError, ValueError, LookupError, TypeError):
        if json.loads((target / "provenance.json").read_text("utf8"))["key"] == key:
            return target
    print(f"counting and training on {corpus} (once; it is kept)", file=sys.stderr)
    with storage.whole_folder(target) as making:
        try:
            fill(making, corpus, profile, of_readers=True)
        except ValueError as error:
            if type(error) is not ValueError:
                raise
            problem = f"{corpus} is too small for these settings ({error}); lower them, or take more text"
            raise datasets.DataError(f"{datasets.own_profile()['file']}: {problem}") from error
        describe(making, {"key": key, "settings": profile.settings})
    return target


def fill(making: Path, corpus: Corpus, profile: Profile, of_readers: bool = False) -> None:
    """Write all that comes of the corpus into a folder; see `own`."""
    counts = training_counts.gather(corpus, vocabulary(), profile, terms=terms())
    training_counts.save(counts, making)
    core = counts.counts["Count"]
    task, settings = lexical_substitution.load("anvan_mini"), profile["lexical_substitution"]
    needed = [*lexical_substitution.vocabulary(task), *substitution_models.text_vocabulary(teaching_text("anvan_mini"))]
    words = substitution_models.gather_words(corpus, needed, settings, core=core)
    wanted = substitution_models.predicates_in(task)
    substitution_models.save(words, substitution_models.gather_bigrams(corpus, words, wanted, settings), making)
    general, in_domain = cheung(corpus, core, profile["contextual"], corpus if of_readers else None)
    contextual_models.save(general, making, core=core)
    contextual_models.save(in_domain, making, name=contextual_models.DOMAIN)
    try:
        if of_readers:
            datasets.wordnet(), disambiguation.semcor()
        trained, pairs = sense_vectors.distilled(corpus, profile["vectors"], profile["seed"])
        sense_vectors.save(trained, making, dependencies=pairs)
    except datasets.DataError as error:
        if not of_readers:
            raise
        print(f"the vectors of chapters 40 and 41 stay ours: {error}", file=sys.stderr)
        ours = datasets.data_root() / "distilled"
        for path in ours.glob(f"{sense_vectors.PREFIX}*.npz"):
            shutil.copyfile(path, making / path.name)
        trained = sense_vectors.load(ours, profile["vectors.dep2vec"], profile["seed"])
    board(making, profile, general, in_domain, words.labels, trained if of_readers else None)


def board(
    making: Path,
    profile: Profile,
    general: TrainingCounts,
    in_domain: TrainingCounts,
    substitutes: Labels,
    trained: sense_vectors.Trained | None = None,
) -> None:
    """Write the leaderboard's vectors of the words of all teaching sets, a byte a cell, and MiniLM's of their texts.

    Parameters
    ----------
    making : Path
    profile : Profile
        The sample's, of which the tasks are.
    general, in_domain : TrainingCounts
        Their words, and those of chapter 50's space, `substitutes`, are the words that the tasks' texts can have.
    trained : Trained, optional
        Vectors in the place of the full profile's.
    """
    full = load_profile("full")
    both = Labels([*general.words, *(word for word in in_domain.words if word not in general.words)])
    read, ask = Trained(general.words, {}).read, Trained(both, {}).read
    substitution = lexical_substitution.task(lexical_substitution.load("anvan_mini"), Vocabulary(substitutes))
    tasks = leaderboard_systems.tasks_of(profile, read, ask, lambda: substitution)
    wanted = {word for task in tasks.values() for text in task.texts for word in text.words}
    lexicons = leaderboard_systems.gathered(full, trained or sense_vectors.vectors(full))
    for name, lexicon in lexicons.items():
        rows = [word for word in lexicon.space.rows if word in wanted]
        lexicons[name] = replace(lexicon, space=lexicon.space.subset(rows))
        if lexicon.senses:  # the vectors of words are stored once
            senses = lexicon.senses.subset([word for word in rows if word in lexicon.senses])
            lexicons[name] = replace(lexicon, space=lexicons[sense_vectors.WORD2VEC].space, senses=senses)
    storage.save(lexicons, making / leaderboard_systems.FILE, kind=leaderboard_systems.KIND, small={"vectors": np.int8})
    try:
        since_then.distil(tasks.values(), making)
    except ModuleNotFoundError as error:
        print(f"{since_then.VECTORS} stays as it was: {error}", file=sys.stderr)
        shutil.copy(datasets.data_root() / "distilled" / since_then.VECTORS, making)


def provenance(corpus: Corpus, profile: Profile) -> dict:
    """What the files say of themselves."""
    settings = {
        "lexical_substitution": substitution_models.COUNTED, "contextual": contextual_models.COUNTED,
        "vectors": sense_vectors.COUNTED, "leaderboard": ("sentences", "weight"),
    }  # fmt: skip
    counted = {}
    for table, names in settings.items():
        counted[table] = {name: profile[f"{table}.{name}"] for name in names}
    return {
        "what": "counts and vectors of the parsed Wikipedia, and counts of some words (cheung-genia) of GENIA's "
        "abstracts; no text but our own (minilm-texts). book/data-sheets/distilled.md says what each file holds",
        "made by": "make distil",
        "licence": "CC BY-SA 3.0 (Wikipedia contributors); cheung-genia: see GENIA's licence; minilm-texts: CC BY 4.0",
        "corpus": {"tokens": corpus.n_tokens, "sentences": corpus.n_sentences, "fingerprint": corpus.fingerprint},
        "made with": made_with(datasets.used(SOURCES), corpus.fingerprint, profile["seed"]),
        "settings": {name: profile[name] for name in ("words", "phrases", "spaces", "localisation")} | counted,
    }


def describe(making: Path, about: dict) -> None:
    """Write ``provenance.json``, with the hashes of all files."""
    files = {path.name: datasets.sha256_of(path) for path in sorted(making.iterdir())}
    text = json.dumps({**about, "files": files}, indent=1) + "\n"
    (making / "provenance.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(main)
