"""Reversible RELPRON: of two properties of the same three words in the two roles, which one describes the term?

In the full profile the systems of the RELPRON chapter are trained anew, on the corpus without the sentences in which an
item's three words stand together (space `SKIP_GRAM`), and once with them (`READ`). The counts of the sample profile are
of all sentences, and the encoder and context2vec have read all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, encoder
from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.since_then import TEMPLATES
from cdsm_lib.chapters.training_counts import KINDS, TrainingCounts, gather, load, wikipedia
from cdsm_lib.composition import pretrained
from cdsm_lib.construction import reversible as construction
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Results, Scores
from cdsm_lib.settings import Profile
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import relpron, reversible
from cdsm_lib.tasks.system import by_cosine
from cdsm_lib.tasks.task import Task, Text

NAME = construction.NAME
SKIP_GRAM, READ, ONE_CORPUS, OTHER = "Skip-Gram", "Skip-Gram, items read", "running text", "other text"
SYSTEMS = ("Addition", "Mult", *models.LEARNED)
NAMES = {
    ONE_CORPUS: (
        "encoder", "encoder, masked in a relative clause", "context2vec, in a relative clause",
        "encoder, masked in a clause", "context2vec, in a clause",
    ),
    SKIP_GRAM: SYSTEMS, READ: SYSTEMS, OTHER: ("MiniLM, lemmas", "MiniLM, English"),
}  # fmt: skip
"""The systems of each space."""
FILES = {SKIP_GRAM: NAME, READ: f"{NAME}-read", OTHER: f"{NAME}-other"}
"""Where the margins of what is trained are stored."""
TOLERANCE = {"trained": 0.05, "committed": 0.01}
"""How far a recomputed accuracy may lie from the committed one: another skip-gram decides ten items of 244 otherwise,
.05; committed weights only a near tie, .01."""


def sets(profile: Profile) -> list[relpron.RelPron]:
    """Both splits; in the sample profile the items, balanced again, of which it has all words and the verb's pairs."""
    splits = [relpron.load(NAME, split) for split in ("dev", "test")]
    if profile.name != "sample":
        return splits
    counts, chosen = load(datasets.distilled_folder()), []
    verbs = (p.words.decode(p.ids[:, KINDS[kind]]) for kind, p in counts.phrases.items() if kind.islower())
    with_both = set.intersection(*map(set, verbs))
    for items in splits:
        labels, known = relpron.labels(items), []
        for verb, argument, item in zip(labels["verb"], labels["argument"], items.items, strict=True):
            if {argument, relpron.label(item.term, "NOUN")} <= counts.frequency.keys() and verb in with_both:
                known.append(item)
        chosen.append(replace(items, items=tuple(construction.balanced(known, len(known)))))
    return chosen


# ------------------------------------------------------------- by how much each system prefers the right property


def composed(counts: TrainingCounts, profile: Profile, splits: Sequence[relpron.RelPron]) -> np.ndarray:
    """Margins of `SYSTEMS`, trained on these counts: [systems, items of both]."""
    trained = models.trained_on(counts, profile, [reversible.with_exchanged(items) for items in splits], NAME)

    def of_split(items: relpron.RelPron) -> list[np.ndarray]:
        places = tuple(reversible.places(items).T)
        rankings = (trained.rankings[system, "Skip-Gram", items.split] for system in SYSTEMS)
        return [np.nan_to_num(margin(ranking.similarity[places])) for ranking in rankings]

    return np.concatenate(list(map(of_split, splits)), axis=1)


def margin(similarity: np.ndarray) -> np.ndarray:
    """By how much each right property is above the wrong one; the wrong ones follow the right ones."""
    right, wrong = np.split(similarity, 2)
    return right - wrong


def trained(profile: Profile, splits: Sequence[relpron.RelPron], read: bool, seed: int) -> np.ndarray:
    """`composed` of the corpus, with or without the items' own sentences."""
    corpus, profile = wikipedia(), profile.replace({"seed": seed})
    if construction.candidates(corpus) != [a.item for a in construction.read_annotations()]:
        raise TaskError(None, None, "this corpus has other candidates than those that were annotated")
    if not read:
        corpus = construction.held_out(corpus, [item for items in splits for item in items.items])
    return composed(gather(corpus, relpron.vocabulary(*splits), profile, spaces=("Skip-Gram",)), profile, splits)


def margins(compare: Callable, tasks: Sequence[Task]) -> np.ndarray:
    """Of what gives texts and pairs the similarities of its systems, by name: [systems, items of both]."""
    return np.concatenate([list(map(margin, compare(task.texts, task.pairs).values())) for task in tasks], axis=1)


def one_place(text: Text, relative: bool) -> tuple[list[str], int]:
    """A property's words and the place of its head noun: as it stands, or as the clause that its relative clause holds.

    >>> from cdsm_lib.tasks.task import Text
    >>> one_place(Text((), (), tokens=("thing|NOUN", "that|PRON", "current|NOUN", "create|VERB")), relative=False)
    (['current|NOUN', 'create|VERB', 'thing|NOUN'], 2)
    """
    head, that, *rest = text.tokens
    words = [head, that, *rest] if relative else [head, *rest] if rest[0].endswith("VERB") else [*rest, head]
    return words, words.index(head)


def in_running_text(texts: Sequence[Text], pairs: np.ndarray) -> dict[str, np.ndarray]:
    """By the encoder's states, and by how probable it and context2vec find the term in the head noun's place."""
    model, slots = encoder.load(), context2vec.load()
    states, guessed, masked = NAMES[ONE_CORPUS][0], {}, NAMES[ONE_CORPUS][1:]
    for names, relative in ((masked[:2], True), (masked[2:], False)):
        fits = []
        for term, place in pairs:
            word, (sentence, at) = texts[term].tokens[0], one_place(texts[place], relative)
            by_encoder = model.embeddings[model.encode([word])[0]] @ model.states(sentence, [at])[at]
            fits.append((np.round(by_encoder, 4), np.round(slots.fit_of(slots.context(sentence, at), [word])[0], 6)))
        guessed |= dict(zip(names, np.nan_to_num(fits).T, strict=True))
    return by_cosine(lambda texts: {states: encoder.embed(model.states, texts)})(texts, pairs) | guessed


def by_minilm() -> Callable:
    """MiniLM's cosines, reading lemmas and reading English."""
    model = pretrained.load()
    ways = dict(zip(NAMES[OTHER], (lambda text: text.forms, TEMPLATES["with articles, inflected"]), strict=True))
    return by_cosine(lambda t: {name: np.round(model.vectors(map(way, t)), 5) for name, way in ways.items()})


# ------------------------------------------------------------------------------------------------------------- the run


def scores(space: str, rows: np.ndarray, tasks: Sequence[Task], **about) -> Iterator[Scores]:
    """Scores of both splits by both measures from margins [systems, items of both]."""
    ends = np.cumsum([task.items for task in tasks])[:-1]
    tolerance = TOLERANCE["trained" if space in (SKIP_GRAM, READ) else "committed"]
    for name, row in zip(NAMES[space], rows, strict=True):
        for task, margin in zip(tasks, np.split(row, ends), strict=True):
            similarity = np.concatenate([margin, np.zeros_like(margin)])
            for metric in task.measures:
                yield task.scores(name, space, similarity, metric, tolerance=tolerance, **about)


def run(profile: Profile, *, quick: bool | None = None) -> Results:
    """Every figure of the chapter; what was trained on the corpus, and on other text, is stored."""
    splits, seed, full = sets(profile), profile["seed"], profile.name == "full"
    tasks = [reversible.task(items) for items in splits]
    every = {ONE_CORPUS: {seed: margins(in_running_text, tasks)}}
    if full:
        depends = {path: profile[path] for path in ("words", "phrases", "clauses", "spaces.skipgram", "relpron")}
        depends |= {"corpus": wikipedia().fingerprint, "items": [task.digest for task in tasks]}
        seeds = {space: ledger.seeds_of(profile, f"seeds.{name}") for space, name in FILES.items()}
        make = {space: partial(trained, profile, splits, space == READ) for space in (SKIP_GRAM, READ)}
        make[OTHER] = lambda _: margins(by_minilm(), tasks)
        for space, file in FILES.items():
            stored = quick or space == OTHER and not pretrained.installed()
            some = seeds[space][:1] if quick is None else seeds[space]
            every[space] = ledger.trained(file, some, make[space], depends | {"systems": NAMES[space]}, bool(stored))
    else:
        counts = replace(load(datasets.distilled_folder()), counts={}, phrase_counts={})
        every[READ] = {seed: composed(counts, profile, splits)}
    first = [
        score for space, by_seed in every.items()
        for score in scores(space, by_seed[seed], tasks, trained=full and space != ONE_CORPUS)
    ]  # fmt: skip
    again = {}
    for other in sorted({*every.get(SKIP_GRAM, ())} - {seed}):
        trained_anew = (scores(space, every[space][other], tasks, trained=True) for space in (SKIP_GRAM, READ))
        again[other] = [*chain(*trained_anew)]
    return ledger.run(
        NAME, profile, first, again, claims=partial(evaluate, NAME, seed=seed),
        corpus=wikipedia().fingerprint if full else None, used=["wikipedia_parsed"],
        noisy=lambda score: score.space == SKIP_GRAM,
    )  # fmt: skip
