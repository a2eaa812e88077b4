"""The seven tasks in one shape: texts, pairs of texts, and a measure over the similarities of these pairs.

Two sentences on an entity pair, a question and a sentence of its document, a sentence and its altered version, a term
and a property, two phrases, two usages of a word, a phrase and the same with a substitute: every task of the book asks
how similar two texts are. So one table of tasks and one of systems (`cdsm_lib.chapters.leaderboard_systems`) make the
leaderboard; neither knows of the other.

The modules of `cdsm_lib.tasks` make them of their items. Of some sets the board takes fewer items than the chapters,
and of usages the whole sentence where the chapter compares windows.
"""

from dataclasses import replace

import numpy as np

from cdsm_lib.chapters import sense_discrimination as senses_chapter
from cdsm_lib.chapters import sense_vectors, sentence_models, substitution_models
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.construction import question_answering as questions_construction
from cdsm_lib.construction import relation_classification as relations_construction
from cdsm_lib.construction import sense_discrimination as senses_construction
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import (
    lexical_substitution,
    localisation,
    phrase_similarity,
    question_answering,
    relation_classification,
    relpron,
    sense_discrimination,
)
from cdsm_lib.tasks.task import Task, Text, Vocabulary

RELATIONS, QUESTIONS, LOCALISATION = "relation classification", "question answering", "localisation"
RELPRON, PHRASES = "RELPRON", "phrase similarity"
SENSES, SUBSTITUTION = "sense discrimination", "lexical substitution"
NAMES = (RELATIONS, QUESTIONS, LOCALISATION, RELPRON, PHRASES, SENSES, SUBSTITUTION)
"""The tasks, in the order of their chapters."""

METRICS = {
    RELATIONS: "AUC", QUESTIONS: "norm. rank", LOCALISATION: "share", RELPRON: "MAP", PHRASES: "rho",
    SENSES: "accuracy", SUBSTITUTION: "MAP",
}  # fmt: skip


def drawn(n: int, most: int, seed: int) -> list[int]:
    """So many of n numbers, in order; all of them for 0."""
    if not most or most >= n:
        return list(range(n))
    return sorted(np.random.default_rng(seed).choice(n, most, replace=False).tolist())


def tasks_of(profile: Profile, vocabulary: Vocabulary) -> dict[str, Task]:
    """The tasks of a profile, by name.

    Parameters
    ----------
    profile : Profile
    vocabulary : Vocabulary
        The common words of all systems.
    """
    settings, seed = profile["leaderboard"], profile["seed"]
    full, read = profile.name == "full", lambda sentence: Text.of(sentence, vocabulary)

    def usages():
        if full:
            items = senses_chapter.sampled(sense_vectors.semcor_and_wordnet(), seed, split=True)
        else:
            items = senses_chapter.sampled(senses_construction.load_inventory(), seed, split=False, at_least=True)
        some = tuple(items.items[i] for i in drawn(len(items), settings["items"], seed))
        return sense_discrimination.task(
            replace(items, split="all", items=some),
            lambda _, usage: Text.of(usage.sentence, vocabulary, usage.position),
        )

    makers = {
        RELATIONS: lambda: relation_classification.task(
            relations_construction.load(profile["relation_classification.dataset"]), read
        ),
        QUESTIONS: lambda: question_answering.task(
            questions_construction.load("genia" if full else profile["question_answering.dataset"]), read
        ),
        LOCALISATION: lambda: localisation.task(
            sentence_models.task_of(profile), read, lambda n: drawn(n, settings["cases"], seed)
        ),
        RELPRON: lambda: relpron.task(relpron.load(profile["relpron.dataset"], "test"), vocabulary),
        PHRASES: lambda: phrase_similarity.task(
            phrase_similarity.load(profile["phrase_similarity.dataset"]), vocabulary
        ),
        SENSES: usages,
        SUBSTITUTION: lambda: replace(lexical_substitution.task(substitution(profile), vocabulary), units=None),
    }
    return {name: makers[name]() for name in NAMES}  # targets of lexical substitution are drawn one by one


def substitution(profile: Profile) -> lexical_substitution.Substitution:
    """ANVAN-LS, constructed as in its chapter; or the teaching set."""
    if profile.name != "full":
        return lexical_substitution.load(profile["lexical_substitution.dataset"])
    return substitution_models.from_coinco(wikipedia(), profile["lexical_substitution"], profile["seed"])[2].task
