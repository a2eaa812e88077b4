"""What plays on the leaderboard: the tasks of the chapters, and the systems that the chapters train.

A task is made as in its chapter, and its texts have the words that the chapter reads. A system is that of its chapter
wherever it plays: it takes of a text the words that it has vectors for, and compares by cosine. (Lemma overlap counts;
context2vec scores a substitute in its place; on lexical substitution PPMI-SVD has the dot product.) The full profile
takes all from the cache of the chapters; the sample profile reads what `make distil` made of the same for the words of
the teaching sets.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.chapters import (
    context2vec,
    encoder,
    lexical_substitution,
    question_answering,
    sense_vectors,
    sentence_models,
    substitution_models,
    training_counts,
)
from cdsm_lib.chapters import sense_discrimination as senses_chapter
from cdsm_lib.chapters.sense_vectors import WORD2VEC, Lexicon
from cdsm_lib.composition import autoencoder
from cdsm_lib.composition.context2vec import WEIGHTS as CONTEXT2VEC_WEIGHTS
from cdsm_lib.composition.contextual import Simple
from cdsm_lib.composition.encoder import WEIGHTS
from cdsm_lib.composition.senses import similarity, sums
from cdsm_lib.composition.sentence import SIF
from cdsm_lib.construction import question_answering as questions_construction
from cdsm_lib.construction import relation_classification as relations
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import localisation, phrase_similarity, relation_classification, relpron, sense_discrimination
from cdsm_lib.tasks import question_answering as questions_task
from cdsm_lib.tasks.system import ADD, Composer, by_cosine, by_dot, lemma_overlap, of_model, size
from cdsm_lib.tasks.task import Task, Text, Vocabulary
from cdsm_lib.text.counts import content_mask
from cdsm_lib.vectors.space import Space

FILE, KIND = "board-vectors.npz", "leaderboard-vectors"
"""Of the leaderboard in ``data/distilled``."""

QUESTIONS, PHRASES = "question answering", "phrase similarity"
SENSES, SUBSTITUTION = "sense discrimination", "lexical substitution"
METRICS = {
    "relation classification": "AUC", QUESTIONS: "norm. rank", "localisation": "share", "RELPRON": "MAP",
    PHRASES: "rho", SENSES: "accuracy", SUBSTITUTION: "MAP",
}  # fmt: skip
NAMES = tuple(METRICS)
"""The tasks, in the order of their chapters."""
ONE_WORD = (SENSES, SUBSTITUTION)
"""The tasks that are about one word of a text."""
TEXT, URAE = "running text", "URAE"
STORED = ("TFP add", "TFP mult", sentence_models.PV_DM, sentence_models.PV_DBOW, URAE)
"""Systems that take so long to train, or to compare, that the full profile stores what they give. Those of running text
play in that profile alone: they hold thousands of words that the teaching sets do not need."""


# --------------------------------------------------------------------------------------------------------------- tasks


def tasks_of(
    profile: Profile, read: Callable, ask: Callable, substitution: Callable[[], Task], names: Iterable[str] = NAMES
) -> dict[str, Task]:
    """The tasks of a profile, by name; all of them by default.

    Parameters
    ----------
    profile : Profile
    read, ask : callable
        A sentence to a text with the words of the models of chapter 10, and of those that know GENIA's words, too.
    substitution : callable
        Makes the task of chapter 50, which is constructed in the space that its systems take.
    names : iterable of str
        Those of `NAMES` that are wanted.
    """

    def phrases() -> Task:
        items = phrase_similarity.load(profile["phrase_similarity.dataset"])
        return phrase_similarity.task(items, Vocabulary(Labels(items.words)))

    makers = (
        lambda: relation_classification.task(relations.load(profile["relation_classification.dataset"]), read),
        lambda: questions_task.task(questions_construction.load(profile["question_answering.dataset"]), ask),
        lambda: localisation.task(sentence_models.task_of(profile), read),
        lambda: relpron.task(relpron.load(profile["relpron.dataset"], "test")),
        phrases,
        lambda: sense_discrimination.task(senses_chapter.main_items(profile)[1], sense_discrimination.read_usage),
        substitution,
    )
    return {name: make() for name, make in zip(NAMES, makers, strict=True) if name in names}


# ------------------------------------------------------------------------------------------------------------- systems


def gathered(profile: Profile, trained: sense_vectors.Trained) -> dict[str, Lexicon]:
    """word2vec, SIF, dep2vec and sense vectors, of chapter 40's or other vectors that were trained on the corpus.

    SIF is a space, too: a sum of words that weigh a / (a + p(word)), each without the common direction of sentences,
    which is that of the content words of so many of the corpus (Arora et al. 2017).
    """
    corpus, settings, space = training_counts.wikipedia(), profile["leaderboard"], trained.lexicons[WORD2VEC].space
    lower = Space(Labels(word.lower() for word in space.rows), space.vectors)  # as `SIF` looks words up
    frequency = dict(zip(lower.rows, corpus.word_counts[corpus.words.encode(space.rows)].tolist(), strict=True))
    n, content = min(settings["sentences"], corpus.n_sentences), content_mask(corpus.words)
    sentences = []
    for i in np.sort(np.random.default_rng(profile["seed"]).choice(corpus.n_sentences, n, replace=False)).tolist():
        words = np.asarray(corpus.word[corpus.offsets[i] : corpus.offsets[i + 1]])
        sentences.append([corpus.words[word] for word in words[content[words]].tolist()])
    model = SIF.fit(sentences, lower, frequency, settings["weight"])
    sif = Lexicon("SIF", Space(space.rows, model.embed([[word] for word in lower.rows])[0].astype(np.float32)))
    words, trees, senses = (trained.lexicons[name] for name in sense_vectors.SEEDED)
    return {lexicon.name: lexicon for lexicon in (words, sif, trees, senses)}


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is there before anything plays: tasks, and what chapters 10, 50 and 40 have trained, in how many minutes."""

    profile: Profile
    tasks: Mapping[str, Task]
    questions: question_answering.Prepared
    substitution: lexical_substitution.Prepared
    lexicons: Mapping[str, Lexicon]
    minutes: Mapping[str, float]


def prepare(profile: Profile, *, quick: bool = False) -> Prepared:
    """Train or read all but what learns from running text; latent senses are the stored ones if quick."""
    questions = question_answering.prepare(profile, quick=quick)
    substitution = lexical_substitution.prepare(profile)
    tasks = tasks_of(profile, questions.trained.read, questions.adapted.read, lambda: substitution.task)
    if profile.name != "full":
        place, about = datasets.distilled_folder() / FILE, {"kind": KIND, "remedy": training_counts.REMEDY}
        return Prepared(profile, tasks, questions, substitution, storage.load(place, dict[str, Lexicon], **about), {})
    trained = sense_vectors.vectors(profile)
    minutes = {cost.system: cost.minutes for cost in trained.costs}
    return Prepared(profile, tasks, questions, substitution, gathered(profile, trained), minutes)


def composers(prepared: Prepared, *, quick: bool = False) -> Iterator[Composer]:
    """One after the other, for some are large; if quick, those of `STORED` are read."""
    full, minutes = prepared.profile.name == "full", prepared.minutes
    yield lemma_overlap("lemma overlap")
    yield from in_context(prepared.questions, [name for name in MODELS if not full or name != "TFP"])
    for name, lexicon in prepared.lexicons.items():
        model = of_model(Simple(lexicon.space), name, name, size(lexicon.space.vectors), minutes.get(name), (ADD,))
        yield of_senses(lexicon, minutes.get(name)) if lexicon.senses else model
    yield from reduced(prepared.substitution.trained.space)
    yield from stored(prepared, quick) if full else ()
    yield from of_places()
    yield from encoded()


MODELS = {
    "M&L": ("window counts", lambda model: size(model.space.vectors)),
    "E&P": ("window counts, triples", lambda model: size(model.space.vectors) + 4 * len(model.triples)),
    "TFP": ("triples", lambda model: size(model.first)),
    "D&L": ("latent senses", lambda model: size(model.senses, model.phi)),
}
"""Of the models of chapter 10: what they are made of, and how many numbers they hold."""


def but(task: str) -> tuple[str, ...]:
    """The other tasks."""
    return tuple(name for name in NAMES if name != task)


def in_context(questions: question_answering.Prepared, names: Iterable[str]) -> Iterator[Composer]:
    """Models of chapter 10; on questions those that know the words of the domain."""
    for name in names:
        for models, tasks in ((questions.trained.models, but(QUESTIONS)), (questions.adapted.models, (QUESTIONS,))):
            space, parameters = MODELS[name]
            yield replace(of_model(models[name], name, space, parameters(models[name])), tasks=tasks)


def of_senses(lexicon: Lexicon, minutes: float | None) -> Composer:
    """Sums of sense vectors as in chapters 40 and 41: the senses of all words compete, in a sentence those of the word
    in question; the closest decide."""

    def combined(text: Text) -> np.ndarray:
        words = [(i, word) for i, word in enumerate(text.words) if word is not None]
        return sums([lexicon.of(word) if text.target in (i, None) else lexicon.one(word)[None] for i, word in words])

    def compare(texts, pairs):
        rows = list(map(combined, texts))
        return {"senses add": np.round([similarity(rows[i], rows[j]) for i, j in pairs], 9)}

    parameters = size(lexicon.space.vectors, lexicon.senses.vectors)
    return Composer(("senses add",), lexicon.name, compare, parameters, minutes, (PHRASES, *ONE_WORD))


def reduced(space: Space) -> Iterator[Composer]:
    """PPMI-SVD by addition; on lexical substitution, as in its chapter, by dot product."""
    about = {"space": substitution_models.SPACE, "parameters": size(space.vectors), "operations": (ADD,)}
    for by, tasks in ((by_cosine, but(SUBSTITUTION)), (by_dot, (SUBSTITUTION,))):
        yield replace(of_model(Simple(space), "SVD", by=by, **about), tasks=tasks)


@dataclass(frozen=True, eq=False)
class Stored(Composer):
    """A system that gives the pairs of a task what it was found to give them."""

    values: Mapping[str, np.ndarray] = field(default_factory=dict)

    def similarities(self, task: Task) -> dict[str, np.ndarray]:
        """Of the pairs of a task, float64 [pairs], by the system's name."""
        return {self.names[0]: self.values[f"{task.name}/{self.names[0]}"].astype(np.float64)}


def stored(prepared: Prepared, quick: bool) -> Iterator[Stored]:
    """The systems of `STORED`, float32: from the committed file if quick, else anew, and left to be stored.

    Errors as of `cdsm_lib.evaluation.ledger.read`.
    """
    tasks, profile = prepared.tasks, prepared.profile
    depends = {"tasks": {name: task.digest for name, task in tasks.items()}}
    depends |= {name: profile[name] for name in ("seed", "localisation", "contextual")}
    if quick:
        arrays, meta = ledger.read("leaderboard", depends)
    else:
        arrays, meta = {}, {"systems": {}}
        for composer in chain(in_context(prepared.questions, ["TFP"]), of_running_text(profile)):
            for name in filter(lambda name: composer.fits(tasks[name]), tasks):
                for system, values in composer.similarities(tasks[name]).items():
                    arrays[f"{name}/{system}"] = values.astype(np.float32)
                    meta["systems"][system] = [composer.space, composer.parameters, composer.minutes]
        ledger.write("leaderboard", arrays, depends, **meta)
    for system, (space, parameters, minutes) in meta["systems"].items():
        where = tuple(name for name in tasks if f"{name}/{system}" in arrays)
        yield Stored((system,), space, None, parameters, minutes, where, values=arrays)


def of_running_text(profile: Profile) -> Iterator[Composer]:
    """Of chapter 20: paragraph vectors, the mean of several inferences, a text without a known token has none; and the
    autoencoder over the parser's trees. Not on usages: the sentences of 9,000 are long, and no window is a text."""
    training, settings = sentence_models.training_of(profile), profile["localisation.paragraph_vectors"]
    how = {"draws": settings["draws"], "epochs": settings["passes"], "rate": settings["rate"], "seed": profile["seed"]}
    for name in (sentence_models.PV_DM, sentence_models.PV_DBOW):
        model = training.paragraph_vectors(name)

        def infer(texts, name=name, model=model):
            vectors, forms = np.zeros((len(texts), model.d)), [text.forms for text in texts]
            known = np.flatnonzero(np.array([*map(len, forms)]) > model.unknown(forms))
            vectors[known] = model.embed([forms[i] for i in known], **how, workers=2)
            return {name: vectors}

        yield Composer((name,), TEXT, by_cosine(infer), model.n_parameters, training.seconds[name] / 60, but(SENSES))
        del model, infer
    model, leaves = training.autoencoder("parsed"), training.leaves

    def encode(texts):
        rows = sentence_models.numbered([text.forms for text in texts], leaves)
        return {URAE: model.embed(rows, [autoencoder.binarise(text.heads) for text in texts], leaves.vectors)}

    minutes = (training.seconds["urae-parsed"] + training.seconds["words"]) / 60
    yield Composer((URAE,), TEXT, by_cosine(encode), model.n_parameters + size(leaves.vectors), minutes, but(SENSES))


def of_places() -> Iterator[Composer]:
    """context2vec, which models the place of one word: usages by their contexts, substitutes by their fit."""
    model = context2vec.load()
    parameters = size(*(getattr(model, name) for name in CONTEXT2VEC_WEIGHTS))

    def contexts(texts):
        return {"context2vec": np.round([model.context(text.tokens, text.target) for text in texts], 6)}

    def fits(texts, pairs):
        places = sorted({i for i, _ in pairs})
        rows = dict(zip(places, contexts([texts[i] for i in places])["context2vec"], strict=True))
        fit = [model.fit_of(rows[i], [texts[j].tokens[texts[j].target]])[0] for i, j in pairs]
        return {"context2vec": np.nan_to_num(np.round(fit, 6), nan=-1)}  # a word that it does not know comes last

    for compare, task in ((by_cosine(contexts), SENSES), (fits, SUBSTITUTION)):
        yield Composer(("context2vec",), TEXT, compare, parameters, tasks=(task,))


def encoded() -> Iterator[Composer]:
    """The encoder: the mean of its states over the content words, and of its word vectors, which no context has
    touched; and where the task is about one word, the state of that word."""
    model, mean = encoder.load(), encoder.mean_of_content
    words, all_weights = model.embeddings, size(*(getattr(model, name) for name in WEIGHTS))
    for name, rows, pool, parameters, tasks in (
        ("encoder", model.states, mean, all_weights, None),
        ("encoder (words)", lambda tokens: words[model.encode(tokens)], mean, size(words), None),
        ("encoder (target)", model.states, encoder.pooled, all_weights, ONE_WORD),
    ):
        compare = by_cosine(lambda texts, name=name, rows=rows, pool=pool: {name: encoder.embed(rows, texts, pool)})
        yield Composer((name,), TEXT, compare, parameters, model.meta["minutes"], tasks)
