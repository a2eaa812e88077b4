"""``make distil``: what the sample profile needs of the whole corpus, as counts and vectors, without any text.

From the parsed Wikipedia, and for some words of a teaching set from GENIA's abstracts, to ``data/distilled``: nothing
else goes in, and the same corpora give the same files. They are made in a folder beside it and moved there when they
are whole; an interruption leaves the old ones in place.
"""

import hashlib
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.cache import code_of
from cdsm_lib.chapters import (
    contextual_models,
    leaderboard_systems,
    localisation,
    sense_vectors,
    substitution_models,
    training_counts,
)
from cdsm_lib.chapters.contextual_models import TrainingCounts
from cdsm_lib.construction.lexical_substitution import teaching_text
from cdsm_lib.evaluation.results import made_with
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import whole_folder
from cdsm_lib.tasks import lexical_substitution, relpron
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, content_words, count_windows
from cdsm_lib.vectors import disambiguation

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
) -> tuple[substitution_models.Words, dict[str, substitution_models.Bigrams]]:
    """What `anvan_mini` needs beyond the Count space: its other words, and the bigrams of its predicates."""
    task = lexical_substitution.load("anvan_mini")
    text = teaching_text("anvan_mini")
    needed = [*lexical_substitution.vocabulary(task), *substitution_models.text_vocabulary(text)]
    words = substitution_models.gather_words(corpus, needed, settings, core=core)
    return words, substitution_models.gather_bigrams(corpus, words, substitution_models.predicates_in(task), settings)


def cheung(
    corpus: Corpus, core: Counts, settings: dict, domain: Corpus | None = None
) -> tuple[TrainingCounts, TrainingCounts]:
    """What the teaching sets of Cheung & Penn's chapters need beyond the Count space, and the same of their domain.

    Their words get rows if they are among the corpus's ``known`` most frequent ones; the others of the question set
    come from GENIA (or another `domain`), with the general words that occur there: a rare word's nearest neighbours are
    sought among them.
    """
    sentences = contextual_models.teaching_sentences()
    known = contextual_models.Vocabulary(content_words(corpus, settings["known"]))
    seen = [contextual_models.parsed(sentence, known) for sentence in sentences]
    met = {word for s in seen for word in s.words if word is not None}
    extra = [word for word in known.words if word in met and word not in core.rows]  # most frequent first
    more = count_windows(corpus, extra, core.columns, window=settings["window"], content_only=settings["content_only"])
    general = contextual_models.gather(corpus, settings, windows=contextual_models.stacked(core, more))
    rare = {word for s in seen for word in s.unknown}
    domain = domain or contextual_models.genia()
    in_domain = contextual_models.gather_domain(domain, general, settings, among=[*rare, *general.words])
    return general, in_domain


def folder() -> Path:
    """``data/distilled``, or what takes its place in a profile of one's own."""
    return datasets.distilled_folder()


def ours() -> Path:
    """``data/distilled``: what is committed, of our corpus."""
    return datasets.data_root() / "distilled"


class TooLarge(ValueError):
    """What was distilled does not keep within the limit."""


def main() -> int:
    """Make ``data/distilled`` afresh; 1 if it outgrows its limit."""
    target, profile = folder(), load_profile("sample")
    try:
        with whole_folder(target) as making:
            _fill(making, training_counts.wikipedia(), profile)
            size = sum(path.stat().st_size for path in making.iterdir())
            if size > LIMIT:
                raise TooLarge(size)
    except TooLarge:
        print(f"data/distilled would take {size / 2**20:.1f} MiB of {LIMIT / 2**20:.0f}: lower sample.words, "
              "sample.spaces.*.features or raise sample.phrases.pair_count in data/profiles.toml")  # fmt: skip
        return 1
    for path in sorted(target.iterdir()):
        print(f"{path.stat().st_size / 2**20:8.2f} MiB  {path.name}")
    return 0


def own() -> Path:
    """What a profile of one's own that extends the sample has of its corpus, made unless it is there already.

    All is counted and trained as by `main`, but the corpus is its own domain, in GENIA's place, and the leaderboard has
    the vectors of this profile. Where SemCor or WordNet cannot be fetched, the vectors of chapters 40 and 41 stay ours,
    and a line says so. The chapter on White's task trains on gensim's articles in any case.
    """
    target, profile, corpus = folder(), load_profile("sample"), training_counts.wikipedia()
    key = hashlib.sha256(json.dumps([corpus.fingerprint, profile.settings, code_of(__name__)]).encode()).hexdigest()
    with suppress(OSError, ValueError, LookupError, TypeError):
        if json.loads((target / "provenance.json").read_text("utf8"))["key"] == key:
            return target
    print(f"counting and training on {corpus} (once; it is kept)", file=sys.stderr)
    with whole_folder(target) as making:
        try:
            _fill(making, corpus, profile, own=True)
        except ValueError as error:
            if type(error) is not ValueError:
                raise
            problem = f"{corpus} is too small for these settings ({error}); lower them, or take more text"
            raise datasets.DataError(f"{datasets.own_profile()['file']}: {problem}") from error
        files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(making.iterdir())}
        about = {"key": key, "settings": profile.settings, "files": files}
        (making / "provenance.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return target


def _fill(making: Path, corpus: Corpus, profile: Profile, own: bool = False) -> None:
    counts = training_counts.gather(corpus, vocabulary(), profile, terms=terms())
    training_counts.save(counts, making)
    core = counts.counts["Count"]
    substitution_models.save(*anvan_counts(corpus, core, profile["lexical_substitution"]), making)
    general, in_domain = cheung(corpus, core, profile["contextual"], corpus if own else None)
    contextual_models.save(general, making, core=core)
    contextual_models.save(in_domain, making, name=contextual_models.DOMAIN)
    try:
        if own:
            datasets.wordnet(), disambiguation.semcor()
        trained, pairs = sense_vectors.distilled(corpus, profile["vectors"], profile["seed"])
        sense_vectors.save(trained, making, dependencies=pairs)
    except datasets.DataError as error:
        if not own:
            raise
        print(f"the vectors of chapters 40 and 41 stay ours: {error}", file=sys.stderr)
        for path in ours().glob(f"{sense_vectors.PREFIX}*.npz"):
            shutil.copyfile(path, making / path.name)
        trained = sense_vectors.load(ours(), profile["vectors.dep2vec"], profile["seed"])
    if own:
        leaderboard_systems.distil(making, corpus, core, profile, trained)
        return
    localisation.distil(making)
    leaderboard_systems.distil(making, corpus, core, profile)
    _provenance(making, corpus, profile)


def _provenance(making: Path, corpus: Corpus, profile: Profile) -> None:
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(making.iterdir())}
    settings = {
        "lexical_substitution": substitution_models.COUNTED, "contextual": contextual_models.COUNTED,
        "vectors": sense_vectors.COUNTED, "leaderboard": leaderboard_systems.SETTINGS,
    }  # fmt: skip
    counted = {table: {name: profile[f"{table}.{name}"] for name in names} for table, names in settings.items()}
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
        "settings": {name: profile[name] for name in ("words", "phrases", "spaces", "localisation")} | counted,
        "files": files,
    }
    (making / "provenance.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
