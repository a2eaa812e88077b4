"""The seven tasks in one shape: texts, pairs of texts, and a measure over the similarities of these pairs.

Two sentences on an entity pair, a question and a sentence of its document, a sentence and its altered version, a term
and a property, two phrases, two usages of a word, a phrase and the same with a substitute: every task of the book asks
how similar two texts are. So one table of tasks and one of systems (`cdsm_lib.chapters.leaderboard_systems`) make the
leaderboard; neither knows of the other.

The chapters' own modules load the items and score them. What differs from the chapters is said at each function.
"""

from dataclasses import replace

import numpy as np

from cdsm_lib.chapters import sense_discrimination as senses_chapter
from cdsm_lib.chapters import sense_vectors, sentence_models, substitution_models
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.construction import question_answering as questions_construction
from cdsm_lib.construction import relation_classification as relations_construction
from cdsm_lib.construction import sense_discrimination as senses_construction
from cdsm_lib.evaluation import metrics
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
from cdsm_lib.tasks.task import Measure, Task, Text, Texts, Vocabulary, phrase, together

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


# ---------------------------------------------------------------------------------------------------- the seven tasks


_SHAPES = {"AN": ([1, -1], ["amod", "root"]), "NN": ([1, -1], ["compound", "root"]), "VO": ([-1, 0], ["root", "obj"])}


def phrases(found: phrase_similarity.PhraseSimilarity, vocabulary: Vocabulary) -> Task:
    """Two phrases of two words; Spearman's rho with all single ratings, averaged over the three kinds.

    A system to which all pairs of a kind are equally similar orders nothing: its rho is set to 0.
    """
    seen, pairs = Texts(), []
    for pair in found:
        tree = *_SHAPES[pair.kind], vocabulary
        pairs.append([seen.place((pair.kind, words), phrase, words, *tree) for words in (pair.first, pair.second)])
    kinds = {kind: np.array([pair.kind == kind for pair in found]) for kind in phrase_similarity.KINDS}

    def rho(similarity: np.ndarray) -> np.ndarray:
        parts = {kind: similarity[here] for kind, here in kinds.items()}
        return np.array([
            phrase_similarity.rho_individual(part, found.of(kind)) if (part != part[0]).any() else 0.0
            for kind, part in parts.items()
        ])  # fmt: skip

    def resampled(similarity: np.ndarray, n: int, seed: int) -> np.ndarray:
        parts = {kind: similarity[here] for kind, here in kinds.items()}
        return np.array([
            phrase_similarity.resampled_rho(part, found.of(kind), "individual", seed + place, n, constant=0.0)
            if (part != part[0]).any() else np.zeros(n)
            for place, (kind, part) in enumerate(parts.items(), 1)
        ])  # fmt: skip

    measures = {METRICS[PHRASES]: Measure(rho, resampled)}
    return Task(PHRASES, found.dataset, "average", seen.in_order(), np.array(pairs), measures, len(found))


def usages(found: sense_discrimination.SenseDiscrimination, vocabulary: Vocabulary, seed: int, items: int = 0) -> Task:
    """The target sentence with each option; the most similar one should use the word in the same sense.

    The text is the whole sentence, where the chapter compares windows as well. Items of one lexeme are drawn together.

    Parameters
    ----------
    items : int
        Only so many items, drawn by `seed`; 0 for all.
    """
    asked = [found.items[i] for i in drawn(len(found.items), items, seed)]
    seen, pairs, ends = Texts(), [], []
    for item in asked:
        target, *options = (
            seen.place((id(usage.sentence), usage.position), Text.of, usage.sentence, vocabulary, usage.position)
            for usage in (item.target, *item.options)
        )
        pairs += [[target, option] for option in options]
        ends.append(len(pairs))

    def credit(similarity: np.ndarray) -> np.ndarray:
        parts = np.split(similarity, ends[:-1])
        return np.array([metrics.tie_credit(p, item.answer) for p, item in zip(parts, asked, strict=True)])

    measures, units = {METRICS[SENSES]: Measure(credit)}, together(item.lexeme for item in asked)
    chance = sense_discrimination.chance(asked)
    texts = seen.in_order()
    return Task(SENSES, found.dataset, "all", texts, np.array(pairs), measures, len(asked), units, chance=chance)


# ---------------------------------------------------------------------------------------------------------- all seven


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

    def of_usages():
        if not full:
            return senses_chapter.sampled(senses_construction.load_inventory(), seed, split=False, at_least=True)
        return senses_chapter.sampled(sense_vectors.semcor_and_wordnet(), seed, split=True)

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
        PHRASES: lambda: phrases(phrase_similarity.load(profile["phrase_similarity.dataset"]), vocabulary),
        SENSES: lambda: usages(of_usages(), vocabulary, seed, settings["items"]),
        SUBSTITUTION: lambda: replace(lexical_substitution.task(substitution(profile), vocabulary), units=None),
    }
    return {name: makers[name]() for name in NAMES}  # targets of lexical substitution are drawn one by one


def substitution(profile: Profile) -> lexical_substitution.Substitution:
    """ANVAN-LS, constructed as in its chapter; or the teaching set."""
    if profile.name != "full":
        return lexical_substitution.load(profile["lexical_substitution.dataset"])
    return substitution_models.from_coinco(wikipedia(), profile["lexical_substitution"], profile["seed"])[2].task
