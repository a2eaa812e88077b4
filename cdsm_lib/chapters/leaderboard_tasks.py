"""The seven tasks in one shape: texts, pairs of texts, and a measure over the similarities of these pairs.

Two sentences on an entity pair, a question and a sentence of its document, a sentence and its altered version, a term
and a property, two phrases, two usages of a word, a phrase and the same with a substitute: every task of the book asks
how similar two texts are. So one table of tasks and one of systems (`cdsm_lib.chapters.leaderboard_systems`) make the
leaderboard; neither knows of the other.

The chapters' own modules load the items and score them. What differs from the chapters is said at each function.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cdsm_lib.chapters import contextual_models, sense_vectors, sentence_models, substitution_models
from cdsm_lib.chapters import sense_discrimination as senses_chapter
from cdsm_lib.chapters.contextual_models import Vocabulary
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
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.dependencies import Arc

RELATIONS, QUESTIONS, LOCALISATION = "relation classification", "question answering", "localisation"
RELPRON, PHRASES = "RELPRON", "phrase similarity"
SENSES, SUBSTITUTION = "sense discrimination", "lexical substitution"
NAMES = (RELATIONS, QUESTIONS, LOCALISATION, RELPRON, PHRASES, SENSES, SUBSTITUTION)
"""The tasks, in the order of their chapters."""

METRICS = {
    RELATIONS: "AUC", QUESTIONS: "norm. rank", LOCALISATION: "share", RELPRON: "MAP", PHRASES: "rho",
    SENSES: "accuracy", SUBSTITUTION: "MAP",
}  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- texts


@dataclass(frozen=True, eq=False)
class Text:
    """A text as all systems see it: each takes what it can use.

    Attributes
    ----------
    lemmas : tuple of str
        Of the content tokens.
    words : tuple of str or None [tokens]
        The row of each content token in the common vocabulary, ``lemma|UPOS``; None for other tokens and unknown ones.
    arcs : tuple of Arc
        Dependencies, named as in counted triples.
    forms : tuple of str [tokens]
        As they are written, in lower case.
    tokens : tuple of str
        All tokens as ``lemma|UPOS``.
    heads : tuple of int [tokens]
        Place of each token's head, -1 for a root.
    target : int, optional
        Place of the word that the task is about.
    """

    lemmas: tuple[str, ...]
    words: tuple[str | None, ...]
    arcs: tuple[Arc, ...]
    forms: tuple[str, ...]
    tokens: tuple[str, ...]
    heads: tuple[int, ...]
    target: int | None = None

    @classmethod
    def of(cls, sentence: Sentence, vocabulary: Vocabulary, target: int | None = None) -> "Text":
        """A parsed sentence; its content tokens are what is left without stop words and punctuation."""
        seen = contextual_models.parsed(sentence, vocabulary)
        forms = tuple(token.form.lower() for token in sentence)
        tokens = tuple(f"{token.lemma.lower()}|{token.upos}" for token in sentence)
        heads = tuple(token.head - 1 for token in sentence)
        return cls(seen.lemmas, seen.words, seen.arcs, forms, tokens, heads, target)


def phrase(
    words: Sequence[str], heads: Sequence[int], deprels: Sequence[str], vocabulary: Vocabulary, target=None
) -> Text:
    """A phrase as a small tree: words as ``lemma|UPOS``, heads from 0 and -1 for the root, UD labels.

    All its words count, stop words too (*other* in *other part*); but a pronoun, such as the *that* of a relative
    clause, stands there for the models that read running text.
    """
    parts = [word.rpartition("|")[::2] for word in words]
    tokens = [
        Token(i, lemma, lemma, tag, "_", "_", head + 1, deprel, "_", "_")
        for i, ((lemma, tag), head, deprel) in enumerate(zip(parts, heads, deprels, strict=True), 1)
    ]
    text = Text.of(Sentence(tuple(tokens)), vocabulary, target)
    content = [(i, lemma, tag) for i, (lemma, tag) in enumerate(parts) if tag != "PRON"]
    rows = {i: vocabulary.find(lemma, tag) for i, lemma, tag in content}
    lemmas = tuple(lemma for _, lemma, _ in content)
    return replace(text, lemmas=lemmas, words=tuple(rows.get(i) for i in range(len(words))))


# -------------------------------------------------------------------------------------------------------------- tasks


@dataclass(frozen=True, eq=False)
class Task:
    """Texts, pairs of texts, and what a system's similarities are worth.

    Attributes
    ----------
    name, dataset : str
    texts : tuple of Text
    pairs : int64 array [m, 2]
        Places of texts. A pair may come twice; the two places may hold the same text.
    items : int
        How many items the measure is over: questions, terms, rated pairs; of relations the entity pairs.
    chance : float
        What similarities at random come to, exactly.
    measure : callable
        Similarities [m] to the task's figure; larger is better in every task.
    resample : callable
        Similarities [m] and a number n to float64 [n]: the figure on resampled items, the same draws for every system.
    """

    name: str
    dataset: str
    texts: tuple[Text, ...]
    pairs: np.ndarray
    items: int
    chance: float
    measure: Callable[[np.ndarray], float]
    resample: Callable[[np.ndarray, int], np.ndarray]

    @property
    def metric(self) -> str:
        """Name of the measure."""
        return METRICS.get(self.name, "mean")

def of_items(
    values: Callable[[np.ndarray], np.ndarray], seed: int, groups: Sequence | None = None
) -> tuple[Callable, Callable]:
    """Measure and resampling of a task whose figure is a mean over items: items are drawn with replacement.

    Parameters
    ----------
    values : callable
        Similarities [m] to one value an item.
    seed : int
    groups : sequence [items], optional
        Items of the same group are drawn together.
    """
    which = None if groups is None else np.unique(groups, return_inverse=True)[1]

    def measure(similarity: np.ndarray) -> float:
        return float(values(similarity).mean())

    def resample(similarity: np.ndarray, n: int) -> np.ndarray:
        of = values(similarity)
        places = np.arange(len(of)) if which is None else which
        sums, sizes = np.bincount(places, weights=of), np.bincount(places)
        drawn = np.random.default_rng(seed).integers(0, len(sums), (n, len(sums)))
        return sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)

    return measure, resample


class _Texts(dict):
    """Texts by their keys, each made once."""

    def place(self, key, make: Callable[..., Text], *arguments) -> int:
        """The place of the text with this key."""
        if key not in self:
            self[key] = len(self), make(*arguments)
        return self[key][0]

    @property
    def texts(self) -> tuple[Text, ...]:
        """In the order of their places."""
        return tuple(text for _, text in self.values())


def drawn(n: int, most: int, seed: int) -> list[int]:
    """So many of n numbers, in order; all of them for 0."""
    if not most or most >= n:
        return list(range(n))
    return sorted(np.random.default_rng(seed).choice(n, most, replace=False).tolist())


# ---------------------------------------------------------------------------------------------------- the seven tasks


def relations(found: relation_classification.Relations, vocabulary: Vocabulary, seed: int) -> Task:
    """Every two sentences of an entity pair of which at least one expresses the relation; AUC, averaged over pairs.

    Resampled are the sentences of each entity pair, as in the chapter.
    """
    texts, pairs, parts = [], [], []
    for pair in found.usable:
        high, low = relation_classification.high_and_low(pair.expresses)
        parts.append((pair, np.concatenate([high, low]), slice(len(pairs), len(pairs) + len(high) + len(low))))
        pairs += (parts[-1][1] + len(texts)).tolist()
        texts += [Text.of(sentence, vocabulary) for sentence in pair.sentences]
    weights: dict[int, list[np.ndarray]] = {}

    def matrices(similarity: np.ndarray):
        for pair, places, here in parts:
            matrix = np.zeros((len(pair), len(pair)))
            matrix[*places.T] = similarity[here]
            matrix[*places.T[::-1]] = similarity[here]
            yield pair, matrix

    def measure(similarity: np.ndarray) -> float:
        return float(np.mean([relation_classification.score(m, pair).auc for pair, m in matrices(similarity)]))

    def resample(similarity: np.ndarray, n: int) -> np.ndarray:
        if n not in weights:
            weights[n] = [relation_classification.resample_weights(pair, n, seed) for pair, _, _ in parts]
        drawn = [
            relation_classification.bootstrap_auc(matrix, pair, of)
            for (pair, matrix), of in zip(matrices(similarity), weights[n], strict=True)
        ]
        return np.mean(drawn, axis=0)

    return Task(RELATIONS, found.name, tuple(texts), np.array(pairs), len(parts), 0.5, measure, resample)


def questions(found: question_answering.QuestionSet, vocabulary: Vocabulary, seed: int) -> Task:
    """A question with each sentence of its document; the normalised rank of the answer. No domain adaptation.

    Questions about one document are drawn together.
    """
    seen, pairs, ends = _Texts(), [], []
    asked = [question for question in found.questions if len(found.document(question)) > 1]
    for question in asked:
        own = seen.place(("question", question.id), Text.of, question.sentence, vocabulary)
        for i, sentence in enumerate(found.document(question).sentences):
            pairs.append((own, seen.place((question.document, i), Text.of, sentence, vocabulary)))
        ends.append(len(pairs))

    def ranks(similarity: np.ndarray) -> np.ndarray:
        parts = np.split(similarity, ends[:-1])
        return np.array([metrics.normalised_rank(p, q.answer) for p, q in zip(parts, asked, strict=True)])

    measure, resample = of_items(ranks, seed, [question.document for question in asked])
    return Task(QUESTIONS, found.name, seen.texts, np.array(pairs), len(asked), 0.5, measure, resample)


def locate(found: localisation.Localisation, vocabulary: Vocabulary, seed: int, cases: int = 0) -> Task:
    """A sentence with its version of one synonym and of one antonym: the antonym should be the less similar.

    Unlike the chapter's share, which counts a tie as a miss, a tie counts one half: chance is then one half whatever a
    system ties. Cases that share a sentence are drawn together, as there.

    Parameters
    ----------
    cases : int
        Only so many cases, drawn by `seed`; 0 for all that have both versions.
    """
    every = localisation.texts(found)
    wanted = [(localisation.SYNONYM, 1), (localisation.ANTONYM, 1)]
    usable = [i for i, case in enumerate(found.cases) if all((case.base, *kind) in every.at for kind in wanted)]
    chosen = [usable[i] for i in drawn(len(usable), cases, seed)]
    cases_ = [found.cases[i] for i in chosen]
    pairs = [(case.base, every.at[case.base, *kind]) for case in cases_ for kind in wanted]
    needed = {place: i for i, place in enumerate(dict.fromkeys(place for pair in pairs for place in pair))}
    sentences = {i: one for i, one in enumerate(sentence_models.altered(found, every)) if i in needed}
    texts = tuple(Text.of(sentences[place], vocabulary) for place in needed)
    places = np.array([[needed[a], needed[b]] for a, b in pairs])

    def credit(similarity: np.ndarray) -> np.ndarray:
        synonym, antonym = similarity[0::2], similarity[1::2]
        return (synonym > antonym) + 0.5 * (synonym == antonym)

    measure, resample = of_items(credit, seed, found.families[chosen])
    return Task(LOCALISATION, found.dataset, texts, places, len(cases_), 0.5, measure, resample)


def properties(found: relpron.RelPron, vocabulary: Vocabulary, seed: int) -> Task:
    """Every term with every property; MAP over terms.

    A property is the clause that its relative clause holds, in the order of the words: *device that watches stars*
    is a tree over device, that, watch, star with the verb as its root and *device* as the subject.
    """
    names = relpron.labels(found)
    texts = [phrase([term], [-1], ["root"], vocabulary) for term in names["term"]]
    rows = zip(names["head"], names["verb"], names["argument"], (found.functions == "SBJ").tolist(), strict=True)
    for head, verb, argument, subject in rows:
        if subject:
            tree = [head, "that|PRON", verb, argument], [2, 2, -1, 2], ["nsubj", "mark", "root", "obj"]
        else:
            tree = [head, "that|PRON", argument, verb], [3, 3, 3, -1], ["obj", "mark", "nsubj", "root"]
        texts.append(phrase(*tree, vocabulary))
    n, m = len(names["term"]), len(found)
    pairs = np.stack(np.meshgrid(np.arange(n), n + np.arange(m), indexing="ij"), axis=-1).reshape(-1, 2)

    def precision(similarity: np.ndarray) -> np.ndarray:
        return metrics.mean_average_precision(similarity.reshape(n, m), found.relevant)[1]

    measure, resample = of_items(precision, seed)
    return Task(RELPRON, found.name, tuple(texts), pairs, n, relpron.random_map(found), measure, resample)


_SHAPES = {"AN": ([1, -1], ["amod", "root"]), "NN": ([1, -1], ["compound", "root"]), "VO": ([-1, 0], ["root", "obj"])}


def phrases(found: phrase_similarity.PhraseSimilarity, vocabulary: Vocabulary, seed: int) -> Task:
    """Two phrases of two words; Spearman's rho with all single ratings, averaged over the three kinds.

    A system to which all pairs of a kind are equally similar orders nothing: its rho is set to 0.
    """
    seen, pairs = _Texts(), []
    for pair in found:
        tree = *_SHAPES[pair.kind], vocabulary
        pairs.append([seen.place((pair.kind, words), phrase, words, *tree) for words in (pair.first, pair.second)])
    kinds = [np.array([pair.kind == kind for pair in found]) for kind in phrase_similarity.KINDS]

    def over_kinds(similarity: np.ndarray, rho: Callable) -> np.ndarray:
        values = []
        for place, (kind, here) in enumerate(zip(phrase_similarity.KINDS, kinds, strict=True), 1):
            own = similarity[here]
            values.append(rho(own, found.of(kind), place) if (own != own[0]).any() else 0.0)
        return sum(values[1:], values[0]) / len(values)

    def measure(similarity: np.ndarray) -> float:
        return float(over_kinds(similarity, lambda own, of, _: phrase_similarity.rho_individual(own, of)))

    def resample(similarity: np.ndarray, n: int) -> np.ndarray:
        def drawn(own, of, place):
            return phrase_similarity.resampled_rho(own, of, "individual", seed + place, n, constant=0.0)

        return np.zeros(n) + over_kinds(similarity, drawn)

    return Task(PHRASES, found.dataset, seen.texts, np.array(pairs), len(found), 0.0, measure, resample)


def usages(found: sense_discrimination.SenseDiscrimination, vocabulary: Vocabulary, seed: int, items: int = 0) -> Task:
    """The target sentence with each option; the most similar one should use the word in the same sense.

    The text is the whole sentence, where the chapter compares windows as well. Items of one lexeme are drawn together.

    Parameters
    ----------
    items : int
        Only so many items, drawn by `seed`; 0 for all.
    """
    asked = [found.items[i] for i in drawn(len(found.items), items, seed)]
    seen, pairs, ends = _Texts(), [], []
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

    measure, resample = of_items(credit, seed, [item.lexeme for item in asked])
    chance = sense_discrimination.chance(asked)
    return Task(SENSES, found.dataset, seen.texts, np.array(pairs), len(asked), chance, measure, resample)


def substitutes(found: lexical_substitution.Substitution, vocabulary: Vocabulary, seed: int) -> Task:
    """A phrase of five words with the same after each candidate has replaced the target; MAP of the right ones.

    The chapter's systems compare by the dot product; here it is the cosine, as everywhere.
    """
    seen, pairs = _Texts(), []

    def place(words: tuple[str, ...], target: int) -> int:
        first, second = ("compound" if words[i].endswith(("|NOUN", "|PROPN")) else "amod" for i in (0, 3))
        tree = [1, 2, -1, 4, 2], [first, "nsubj", "root", second, "obj"]
        return seen.place((words, target), phrase, words, *tree, vocabulary, target)

    for item in found.items:
        own, i = tuple(item.phrase.words), item.position
        others = [(*own[:i], candidate, *own[i + 1 :]) for candidate in item.candidates]
        pairs += [[place(own, i), place(other, i)] for other in others]

    def precision(similarity: np.ndarray) -> np.ndarray:
        return metrics.mean_average_precision(similarity.reshape(len(found), 4), found.relevant)[1]

    measure, resample = of_items(precision, seed)
    chance = lexical_substitution.random_map()
    return Task(SUBSTITUTION, found.name, seen.texts, np.array(pairs), len(found), chance, measure, resample)


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
    full = profile.name == "full"

    def of_usages():
        if not full:
            return senses_chapter.sampled(senses_construction.load_inventory(), seed, split=False, at_least=True)
        return senses_chapter.sampled(sense_vectors.semcor_and_wordnet(), seed, split=True)

    makers = {
        RELATIONS: lambda: relations(
            relations_construction.load(profile["relation_classification.dataset"]), vocabulary, seed
        ),
        QUESTIONS: lambda: questions(
            questions_construction.load("genia" if full else profile["question_answering.dataset"]), vocabulary, seed
        ),
        LOCALISATION: lambda: locate(sentence_models.task_of(profile), vocabulary, seed, settings["cases"]),
        RELPRON: lambda: properties(relpron.load(profile["relpron.dataset"], "test"), vocabulary, seed),
        PHRASES: lambda: phrases(phrase_similarity.load(profile["phrase_similarity.dataset"]), vocabulary, seed),
        SENSES: lambda: usages(of_usages(), vocabulary, seed, settings["items"]),
        SUBSTITUTION: lambda: substitutes(substitution(profile), vocabulary, seed),
    }
    return {name: makers[name]() for name in NAMES}


def substitution(profile: Profile) -> lexical_substitution.Substitution:
    """ANVAN-LS, constructed as in its chapter; or the teaching set."""
    if profile.name != "full":
        return lexical_substitution.load(profile["lexical_substitution.dataset"])
    return substitution_models.from_coinco(wikipedia(), profile["lexical_substitution"], profile["seed"])[2].task
