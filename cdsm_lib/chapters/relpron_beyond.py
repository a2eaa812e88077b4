"""Beyond Rimell et al. 2016: how far does the best composer on the best space get on RELPRON?

Everything is tuned on the development split. Five steps, each added to the one before:

1. a second space, PPMI-SVD: cosines of both spaces are summed, which is the cosine of the concatenated unit vectors;
2. weights on head noun, verb and argument (Mitchell & Lapata's weighted addition);
3. the verb's matrix times the argument (VArg) as a fourth summand, as SPLF has it;
4. a correction for *hubs*, properties that are similar to whatever noun one asks for: from each similarity is taken a
   share of the property's mean similarity to its nearest nouns of the language at large (cross-domain similarity local
   scaling, Conneau et al. 2018). The nouns come from the space, not from the data set: a term is ranked without a
   look at the others;
5. summands of unit length, so that the weights alone say what counts how much.

And two questions that the paper leaves: whether its pronoun fails by the loss or by the start that ridge regression
gives it (`low_rank`), and what in our text makes up for its size (`quarters`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np

from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.relpron_models import TOLERANCE, Prepared, Rankings, frequent_nouns
from cdsm_lib.chapters.relpron_training import Trained, with_alike
from cdsm_lib.chapters.training_counts import TrainingCounts, skip_gram_vocabulary
from cdsm_lib.composition.elementwise import weighted_add
from cdsm_lib.composition.low_rank import LOSSES, learn_low_rank
from cdsm_lib.composition.relative_clause import RelativeClauseModel
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result, Scores
from cdsm_lib.evaluation.significance import paired_permutation_test
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.task import together
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.spelling import occurrences, spelt_alike
from cdsm_lib.vectors.embeddings import train_words
from cdsm_lib.vectors.similarity import unit_rows
from cdsm_lib.vectors.space import Space


@dataclass(frozen=True)
class Recipe:
    """What is tuned on the development split.

    Attributes
    ----------
    spaces : tuple of float
        Weight of each space's cosines.
    words : tuple of float
        Weights of head noun, verb, argument and VArg.
    hubs : float
        Share of the mean similarity to the nearest nouns that is taken away.
    unit : bool
        Whether the summands are brought to unit length.
    """

    spaces: tuple[float, ...]
    words: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.0)
    hubs: float = 0.0
    unit: bool = False

    def __str__(self) -> str:
        parts = [("spaces", self.spaces), ("head noun, verb, argument, VArg", self.words), ("hubs", [self.hubs])]
        said = "; ".join(f"{name} {', '.join(map('{:g}'.format, weights))}" for name, weights in parts)
        return said + "; unit length" * self.unit


def nearest_nouns(properties: np.ndarray, nouns: np.ndarray, k: int) -> np.ndarray:
    """Mean cosine of each property with its k nearest nouns, of those that have a vector: float64, (properties,).

    Examples
    --------
    >>> nearest_nouns(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), k=2)
    array([0.8])
    """
    return np.partition(relpron.cosines(properties, nouns[nouns.any(axis=1)]), -k, axis=1)[:, -k:].mean(axis=1)


@dataclass(frozen=True)
class Parts:
    """One split in one space: its terms, the four summands of each property, and the nouns of the language."""

    terms: np.ndarray
    summands: tuple[np.ndarray, ...]
    nouns: np.ndarray
    known: dict = field(default_factory=dict, repr=False)  # what was composed with some weights: a grid asks often

    def similarity(self, words: Sequence[float], hubs: float, k: int, unit: bool = False) -> np.ndarray:
        """Cosines of terms and properties, corrected for hubs."""
        if (words, k, unit) not in self.known:
            summands = [unit_rows(summand) for summand in self.summands] if unit else self.summands
            properties = weighted_add(summands, words)
            near = nearest_nouns(properties, self.nouns, k)
            self.known[words, k, unit] = relpron.cosines(self.terms, properties), near
        cosines, near = self.known[words, k, unit]
        return cosines - hubs * near if hubs else cosines


def parts_of(trained: Trained, split: str, rankings: Rankings, counts: TrainingCounts, n_nouns: int) -> Parts:
    """Look everything up once, so that recipes are quick to try; VArg is taken from its ranking in that space."""
    composed = rankings["VArg", trained.name, split]
    vectors = relpron.look_up(composed.task, trained.space)
    nouns = trained.space.take(frequent_nouns(trained.space, counts, n_nouns))
    return Parts(vectors.term, (vectors.head, vectors.verb, vectors.argument, composed.vectors), nouns)


def similarity(recipe: Recipe, parts: Sequence[Parts], k: int) -> np.ndarray:
    """What a recipe makes of one split."""
    how = recipe.words, recipe.hubs, k, recipe.unit
    return sum(w * part.similarity(*how) for w, part in zip(recipe.spaces, parts, strict=True) if w)


def steps(n_spaces: int, profile: Profile) -> dict[str, list[Recipe]]:
    """For each step of the module's list, the recipes among which the development split chooses."""
    grid = profile["beyond"]
    every = [Recipe((1.0, *rest)) for rest in product(grid["space_weights"], repeat=n_spaces - 1)]
    weighted = [replace(recipe, words=(h, v, 1.0, 0.0)) for recipe in every for h, v in product(grid["hn"], grid["v"])]
    with_matrix = [replace(recipe, words=(*recipe.words[:3], m)) for recipe in weighted for m in grid["varg"]]
    corrected = [replace(recipe, hubs=share) for recipe in with_matrix for share in grid["hubs"]]
    return {
        "Addition, two spaces": every,
        "Weighted addition, two spaces": weighted,
        "Weighted addition with VArg, two spaces": with_matrix,
        "Weighted addition with VArg, two spaces, hubs corrected": corrected,
        "Weighted addition with VArg, two spaces, hubs corrected, unit length": [
            replace(recipe, unit=unit) for recipe in corrected for unit in (False, True)
        ],
    }


def tune(prepared: Prepared, profile: Profile) -> Iterator[Scores]:
    """Tune every step on the first task, and score it on all of them, as a system on the space "Ensemble".

    Beside each score stand the recipe, and p against Addition on the first space by the paper's test, a permutation
    test over terms.
    """
    spaces, tasks = [prepared.spaces[name] for name in ("Skip-Gram", "PPMI-SVD")], prepared.tasks
    look_up = partial(parts_of, rankings=prepared.rankings, counts=prepared.counts, n_nouns=profile["beyond.nouns"])
    parts = {task.split: list(map(partial(look_up, split=task.split), spaces)) for task in tasks}

    def score(recipe: Recipe, task: relpron.RelPron) -> Scores:
        cosines = similarity(recipe, parts[task.split], profile["beyond.nearest"])
        return relpron.score(cosines, task, missing_terms="omit")

    for step, recipes in steps(len(spaces), profile).items():
        best = max(recipes, key=lambda recipe: round(score(recipe, tasks[0]).value, 6))
        for task in tasks:
            scores = score(best, task)
            pair = relpron.paired(scores, prepared.rankings["Addition", "Skip-Gram", task.split].scores)
            p = paired_permutation_test(*pair, seed=profile["seed"], ties=False)
            named = {"system": step, "space": "Ensemble", "tolerance": TOLERANCE["Ensemble"]}
            yield replace(scores, columns={"recipe": str(best), "p": p}, **named)


def depends_on(prepared: Prepared, profile: Profile, *paths: str) -> dict:
    """What a stored training depends on: the corpus, and skip-gram's and these settings."""
    return {"corpus": prepared.counts.corpus} | {path: profile[path] for path in ("seed", "spaces.skipgram", *paths)}


def of_both(prepared: Prepared, values: np.ndarray, system: str, space: str = "Skip-Gram", **about) -> list[Scores]:
    """Scores of dev and of test, from one value of every term of both."""
    like = [prepared.rankings["Addition", "Skip-Gram", task.split].scores for task in prepared.tasks]
    about |= {"system": system, "space": space, "tolerance": TOLERANCE["Skip-Gram"], "trained": True}
    parts = np.split(values, [len(like[0].values)])
    return [replace(score, values=part, **about) for score, part in zip(like, parts, strict=True)]


# --------------------------------------------------------------------------------------------- the pronoun of low rank

PENALTIES, EPOCHS, SEEDS = (0.01, 0.03, 0.1, 0.3, 1.0), 5, 3
COMPARED = ("Addition", "SPLF")
"""What the pronoun of low rank is held against; it begins as the first of them."""


def low_rank(prepared: Prepared, profile: Profile, seed: int) -> np.ndarray:
    """Average precision of every term of both splits, with each of `LOSSES`: float [2, terms].

    Penalty and epoch are those that are best on the first split, with this seed.
    """
    trained, clauses = prepared.spaces["Skip-Gram"], []
    for kind in relpron.FUNCTIONS:
        holistic = trained.phrases[kind]
        rows = np.flatnonzero(holistic.any(axis=1))
        hn, verb, argument = (trained.space.vectors[ids] for ids in prepared.counts.phrases[kind].ids[rows].T)
        clauses.append([table.astype(np.float32) for table in (hn, verb + argument, holistic[rows])])

    def precisions(tensors, task: relpron.RelPron) -> np.ndarray:
        head = relpron.look_up(task, trained.space).head
        clause = prepared.rankings["v+arg", trained.name, task.split].vectors
        subject, object_ = (tensor.compose(head, clause) for tensor in tensors)
        vectors = np.where((task.functions == "OBJ")[:, None], object_, subject)
        return models.ranking(trained, task, "", vectors).scores.values

    chosen = []
    for loss in LOSSES:
        tried = []
        for penalty in PENALTIES:
            learn = partial(learn_low_rank, loss=loss, penalty=penalty, epochs=EPOCHS, seed=seed)
            for tensors in zip(*(learn(*clause) for clause in clauses), strict=True):
                tried.append([precisions(tensors, task) for task in prepared.tasks])
        chosen.append(np.concatenate(max(tried, key=lambda values: round(values[0].mean(), 6))))
    return np.array(chosen)


def low_rank_rows(prepared: Prepared, profile: Profile, quick: bool) -> Iterator[Result]:
    """MAP with each of `LOSSES`, mean over seeds; of the best on the first split what it is on the other above
    `COMPARED`, with intervals over terms and over head nouns.
    """
    seeds = range(profile["seed"], profile["seed"] + SEEDS)
    depends = depends_on(prepared, profile, "phrases", "clauses") | {"tried": [list(LOSSES), PENALTIES, EPOCHS]}
    by_seed = ledger.trained("relpron-low-rank", seeds, partial(low_rank, prepared, profile), depends, quick)
    yield from ledger.seed_rows({seed: list(by_loss(prepared, table)) for seed, table in by_seed.items()})
    scores = list(by_loss(prepared, np.mean(list(by_seed.values()), axis=0)))
    yield from (score.row() for score in scores)
    best = max(scores[::2], key=lambda score: score.value).system
    score = next(score for score in scores[1::2] if score.system == best)
    heads = {item.term: item.head for item in prepared.tasks[1].items}
    head = together(heads[term] for term in score.labels["term"])
    for other in COMPARED:
        values = score.values - prepared.rankings[other, "Skip-Gram", score.split].scores.values
        for unit, groups in (("terms", None), ("head nouns", head)):
            metric = f"MAP less that of {other}, over {unit}"
            yield replace(score, values=values, groups=groups, metric=metric).row()


def by_loss(prepared: Prepared, table: np.ndarray) -> Iterator[Scores]:
    """Scores of dev and of test in turn, from rows of `low_rank`."""
    for loss, values in zip(LOSSES, table, strict=True):
        yield from of_both(prepared, values, system=f"Addition and a tensor of low rank, {loss}")


# ------------------------------------------------------------------------------------------------- quarters of the text

FACTORS = {"articles": ("any", "oldest"), "tags": ("on", "off"), "rare words": ("dropped", "kept")}
BLOCK = 200
"""Neighbouring sentences of Wikipedia that went to the files of our corpus in turn."""


def oldest(corpus: Corpus, block: int = BLOCK) -> Corpus:
    """The quarter of the corpus whose articles have the lowest page ids: the first blocks of every file."""
    first = np.array([start for _, start in corpus.files])
    rounds = -(-np.diff(first, append=corpus.n_sentences).max() // block)
    starts = (first + block * np.arange(rounds)[:, None]).ravel()[: -(-corpus.n_sentences // block) // 4]
    sentences = (starts[:, None] + np.arange(block)).ravel()
    taken = np.concatenate([np.arange(*corpus.offsets[[at, at + block]]) for at in starts])
    columns = {name: getattr(corpus, name)[taken] for name in ("form", "word")}
    offsets = np.concatenate(([0], np.cumsum(np.diff(corpus.offsets)[sentences])))
    return replace(corpus, **columns, offsets=offsets, files=(("oldest", 0),))


def untagged(corpus: Corpus) -> Corpus:
    """The corpus with one word a lemma, ``lemma|X``; punctuation and symbols stay what they are."""
    left_out = np.isin(corpus.pos_of, ("PUNCT", "SPACE", "SYM"))
    names = np.where(left_out, list(corpus.words), [f"{lemma}|X" for lemma in corpus.lemma_of])
    words = Labels(dict.fromkeys(names.tolist()))
    return replace(corpus, word=words.encode(names)[corpus.word].astype(np.int32), tables={"words": words})


def quarters(prepared: Prepared, profile: Profile, seed: int) -> np.ndarray:
    """Average precision under Addition of every term of both splits, for all of `FACTORS`: float [8, terms]."""
    settings, corpus = profile["spaces.skipgram"], models.wikipedia()
    options = {n: settings[n] for n in ("subsample", "negatives", "draws", "window", "dimensions", "epochs", "rate")}
    texts, tables = {"any": corpus.part(4), "oldest": oldest(corpus)}, []
    for articles, tags, rare in product(*FACTORS.values()):
        text, needed = texts[articles], relpron.vocabulary(*prepared.tasks)
        alike = spelt_alike(text, needed)
        rows = Labels(dict.fromkeys([*occurrences(text, needed), *alike.values()]))
        names = list(rows)
        if tags == "off":
            text, names = untagged(text), [f"{row.rpartition('|')[0]}|X" for row in rows]
        vocabulary = skip_gram_vocabulary(text, 1 if rare == "kept" else settings["min_count"], names)
        vectors = train_words(text, vocabulary, **options, seed=seed).space().take(names)
        trained = Trained("Skip-Gram", with_alike(Space(rows, vectors), alike), {})
        ranked = (models.rank(trained, RelativeClauseModel(), task, "Addition") for task in prepared.tasks)
        tables.append(np.concatenate([ranking.scores.values for ranking in ranked]))
    return np.array(tables)


def quarter_rows(prepared: Prepared, profile: Profile, quick: bool) -> Iterator[Result]:
    """MAP of Addition for all of `FACTORS`, and what the second value of each adds to the first, on average."""
    depends, seed = depends_on(prepared, profile) | {"factors": FACTORS}, profile["seed"]
    table = ledger.trained("relpron-quarters", [seed], partial(quarters, prepared, profile), depends, quick)[seed]
    cells, scores, place = list(product(*FACTORS.values())), [], "Skip-Gram @ a quarter"
    for cell, values in zip(cells, table, strict=True):
        said = ", ".join(f"{factor} {level}" for factor, level in zip(FACTORS, cell, strict=True))
        scores.append(of_both(prepared, values, "Addition", f"{place}: {said}"))
    for i, (factor, (first, second)) in enumerate(FACTORS.items()):
        sign, metric = [1 if cell[i] == second else -1 for cell in cells], f"MAP, {factor} {second} less {first}"
        scores.append(of_both(prepared, sign @ table / (len(cells) / 2), "Addition", place, metric=metric))
    yield from (score.row() for of_split in zip(*scores, strict=True) for score in of_split)
