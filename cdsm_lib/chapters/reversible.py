"""Reversible RELPRON: of two properties of the same three words in the two roles, which one describes the term?

In the full profile the systems of the RELPRON chapter are trained anew, on the corpus without the sentences in which an
item's three words stand together (space `SKIP_GRAM`), and once with them (`READ`). The counts of the sample profile are
of all sentences, and the encoder and context2vec have read all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, encoder
from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.other_text import TEMPLATES
from cdsm_lib.chapters.training_counts import KINDS, TrainingCounts, gather, load, wikipedia
from cdsm_lib.composition import pretrained
from cdsm_lib.construction import reversible as construction
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Results, Scores
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron, reversible
from cdsm_lib.tasks.relpron import RelPron
from cdsm_lib.tasks.system import by_cosine
from cdsm_lib.tasks.task import Task, Text

NAME = "reversible"
SKIP_GRAM, READ, ONE_CORPUS, OTHER = "Skip-Gram", "Skip-Gram, items read", "running text", "other text"
SYSTEMS = ("Addition", "Mult", *models.LEARNED)
NAMES = {SKIP_GRAM: SYSTEMS, READ: SYSTEMS, OTHER: ("MiniLM, lemmas", "MiniLM, English")}
"""The systems of each space that is trained."""
FILES = {SKIP_GRAM: NAME, READ: f"{NAME}-read", OTHER: f"{NAME}-other"}
"""Where their margins are stored."""
TOLERANCE = {SKIP_GRAM: 0.05, READ: 0.05, ONE_CORPUS: 0.01, OTHER: 0.01}
"""How far a recomputed accuracy may lie from the committed one: another skip-gram decides ten items of 244 otherwise,
committed weights a near tie."""


def sets(profile: Profile) -> list[RelPron]:
    """Both splits; in the sample profile the items, balanced again, of which it has all words and the verb's pairs."""
    splits = [relpron.load(NAME, split) for split in ("dev", "test")]
    if profile.name != "sample":
        return splits
    counts, chosen = load(datasets.distilled_folder()), []
    pairs = [{p.words[i] for i in p.ids[:, KINDS[kind]]} for kind, p in counts.phrases.items() if kind.islower()]
    for items in splits:
        roles = zip(*(relpron.labels(items)[role] for role in ("verb", "argument")), items.items, strict=True)
        known = [
            item for verb, argument, item in roles
            if {argument, relpron.label(item.term, "NOUN")} <= counts.frequency.keys() and all(verb in p for p in pairs)
        ]  # fmt: skip
        chosen.append(replace(items, items=tuple(construction.balanced(known, len(known)))))
    return chosen


# ------------------------------------------------------------------------------------------------------------- systems


def margins(counts: TrainingCounts, profile: Profile, splits: Sequence[RelPron]) -> np.ndarray:
    """By how much each of `SYSTEMS`, trained on these counts, prefers the right property: [systems, items of both]."""
    trained = models.trained_on(counts, profile, [reversible.with_exchanged(items) for items in splits], NAME)

    def margin(system: str, items: RelPron) -> np.ndarray:
        similarity = trained.rankings[system, "Skip-Gram", items.split].similarity
        right, wrong = np.split(similarity[tuple(reversible.places(items).T)], 2)
        return np.nan_to_num(right - wrong)

    return np.array([np.concatenate([margin(system, items) for items in splits]) for system in SYSTEMS])


def trained(profile: Profile, splits: Sequence[RelPron], read: bool, seed: int) -> np.ndarray:
    """`margins` of the corpus, which must give the annotated candidates, with or without the items' own sentences."""
    corpus, profile = wikipedia(), profile.replace({"seed": seed})
    construction.check(construction.read_annotations(annotations()), corpus)
    if not read:
        corpus = construction.held_out(corpus, [item for items in splits for item in items.items])
    counts = gather(corpus, relpron.vocabulary(*splits), profile, spaces=("Skip-Gram",))
    return margins(counts, profile, splits)


def annotations():
    """The file of the annotated candidates."""
    return datasets.sample_path(NAME) / "annotations.tsv"


def one_place(text: Text, relative: bool) -> tuple[list[str], int]:
    """A property's words and the place of its head noun: as it stands, or as the clause that its relative clause holds.

    >>> from cdsm_lib.tasks.task import Text
    >>> one_place(Text((), (), tokens=("thing|NOUN", "that|PRON", "current|NOUN", "create|VERB")), relative=False)
    (['current|NOUN', 'create|VERB', 'thing|NOUN'], 2)
    """
    head, that, *rest = text.tokens
    words = [head, that, *rest] if relative else [head, *rest] if rest[0].endswith("VERB") else [*rest, head]
    return words, words.index(head)


def in_running_text(task: Task) -> Iterator[tuple[str, np.ndarray]]:
    """What models of running text make of the pairs: the encoder's states, and how probable it and context2vec find the
    term in the head noun's place."""
    model, slots = encoder.load(), context2vec.load()
    vectors = by_cosine(lambda texts: {"": encoder.embed(model.states, texts)})
    yield "encoder", vectors(task.texts, task.pairs)[""]
    for name, relative in (("relative clause", True), ("clause", False)):
        guessed, fits = [], []
        for term, place in task.pairs:
            word, (sentence, at) = task.texts[term].tokens[0], one_place(task.texts[place], relative)
            guessed.append(model.embeddings[model.encode([word])[0]] @ model.states(sentence, [at])[at])
            fits.append(slots.fit_of(slots.context(sentence, at), [word])[0])
        yield f"encoder, masked in a {name}", np.round(guessed, 4)
        yield f"context2vec, in a {name}", np.nan_to_num(np.round(fits, 6))


# ------------------------------------------------------------------------------------------------------- other text


def other_text(tasks: Sequence[Task]) -> np.ndarray:
    """Margins of MiniLM, reading lemmas and reading English: [2, items]."""
    model, rows = pretrained.load(), []
    for reading in (lambda text: text.forms, TEMPLATES["with articles, inflected"]):
        compare = by_cosine(lambda texts, reading=reading: {"": np.round(model.vectors(map(reading, texts)), 5)})
        parts = (np.split(compare(task.texts, task.pairs)[""], 2) for task in tasks)
        rows.append(np.concatenate([right - wrong for right, wrong in parts]))
    return np.array(rows)


# ------------------------------------------------------------------------------------------------------------- the run


def scores_of(space: str, rows: np.ndarray, tasks: Sequence[Task], **about) -> Iterator[Scores]:
    """Scores of both splits from margins [systems, items of both]."""
    ends = np.cumsum([task.items for task in tasks])[:-1]
    for name, row in zip(NAMES[space], rows, strict=True):
        for task, margin in zip(tasks, np.split(row, ends), strict=True):
            yield from scores(task, name, space, np.concatenate([margin, np.zeros_like(margin)]), **about)


def scores(task: Task, name: str, space: str, similarity: np.ndarray, **about) -> list[Scores]:
    """By both measures."""
    return [
        task.scores(name, space, similarity, metric, tolerance=TOLERANCE[space], **about) for metric in task.measures
    ]


def run(profile: Profile, *, quick: bool | None = None) -> Results:
    """Every figure of the chapter; what was trained on the corpus, and on other text, is stored."""
    splits = sets(profile)
    tasks, own, full = [reversible.task(items) for items in splits], profile["seed"], profile.name == "full"
    every = []
    for task in tasks:
        for name, similarity in in_running_text(task):
            every += scores(task, name, ONE_CORPUS, similarity)
    by_seed = {}
    if full:
        seeds, once = (ledger.seeds_of(profile, f"seeds.{name}") for name in (NAME, f"{NAME}_read"))
        seeds, keep = seeds[:1] if quick is None else seeds, partial(stored, profile, splits)
        held_out = keep(SKIP_GRAM, seeds, partial(trained, profile, splits, False), quick)
        read = keep(READ, once, partial(trained, profile, splits, True), quick)
        other = keep(OTHER, [own], lambda _: other_text(tasks), quick or not pretrained.installed())
        by_seed = {s: list(scores_of(SKIP_GRAM, rows, tasks, trained=True)) for s, rows in held_out.items()}
        every += by_seed.pop(own, [])
        for space, rows in ((READ, read), (OTHER, other)):
            every += [score for margin in rows.values() for score in scores_of(space, margin, tasks, trained=True)]
    else:
        counts = replace(load(datasets.distilled_folder()), counts={}, phrase_counts={})
        every += scores_of(READ, margins(counts, profile, splits), tasks)
    return ledger.run(
        NAME, profile, every, by_seed, claims=partial(evaluate, NAME, seed=own),
        corpus=wikipedia().fingerprint if full else None, used=["wikipedia_parsed"],
    )  # fmt: skip


def stored(profile: Profile, splits: Sequence[RelPron], space: str, seeds: Sequence[int], make: Callable, quick):
    """`ledger.trained` of a space's margins, which depend on the corpus, these settings, and the items."""
    if not seeds:
        return {}
    depends = {path: profile[path] for path in ("words", "phrases", "clauses", "spaces.skipgram", "relpron")}
    depends |= {"corpus": wikipedia().fingerprint, "systems": NAMES[space], "items": [len(items) for items in splits]}
    return ledger.trained(FILES[space], seeds, make, depends, bool(quick))
