r"""Relation classification: do sentences that express the same relation come out as similar?

Task 1 of Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant Inference"
(EACL 2012), sections 3.1 and 4.3. For a relation, such as *X acquires Y*, and one *entity pair*, such as
*Google/YouTube*, there are sentences that name both entities. Some of them express the relation, others do not. A
system gives every two sentences a similarity. Two that both express the relation should come out as more similar than
two of which only one does.

Conventions
-----------
A *pair* is an entity pair throughout, unless sentence pairs are named. ``relation`` is one of ``RELATIONS``. A
similarity is a symmetric float64 array [sentences, sentences] in the order of ``EntityPair.sentences``; higher is more
similar; its diagonal is not looked at. NaN is refused: a system decides for itself what a sentence without a vector
gets, and says so. The tokens of both entities carry ``Entity=1`` or ``Entity=2`` in MISC (:func:`entity_tokens`), so
that a system can leave out what all sentences of a pair share.

Items
-----
load                  a set from its files; `cdsm_lib.construction.relation_classification` makes the paper's kind
high_and_low          sentence pairs that should score high, and low: with :math:`E` the sentences that express the
                      relation and :math:`NE` the others, :math:`H = E \times E \setminus \{(e, e)\}` and
                      :math:`L = E \times NE`

Metrics
-------
score, score_all      AUC of H against L for each pair, and its average over pairs (Table 1)
resample_weights      bootstrap over *sentences*: sentence pairs share sentences and are not independent
bootstrap_auc         AUC of each resample
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks.task import Measure, Task, Text, expect_same
from cdsm_lib.text.corpus import Sentence, Token, read_trees

RELATIONS = ("acquires", "was born in")
COLUMNS = ("id", "relation", "pair", "expresses", "variation")
_SYMMETRIC = 1e-9  # how far a similarity may differ from its transpose
_BATCH = 1_000_000  # weights of sentence pairs that are held at a time, 8 bytes each, in some five arrays


@dataclass(frozen=True, eq=False)
class EntityPair:
    """The sentences of one relation and entity pair, with their ids; the name is such as "Google/YouTube".

    ``expresses``, bool [sentences], says of each whether it expresses the relation of these entities; ``variation`` how
    it puts it, in the teaching set, else it is empty.
    """

    relation: str
    name: str
    sentences: tuple[Sentence, ...]
    ids: tuple[str, ...]
    expresses: np.ndarray
    variation: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)


def _lacks(expresses: np.ndarray, fewest: int = 1) -> str:
    """Why H or L is empty, or rests on too few sentences; the empty string if neither is so."""
    positive, negative = int(expresses.sum()), int((~expresses).sum())
    if positive < max(2, fewest):
        return f"{positive} sentences that express the relation, {max(2, fewest)} needed"
    return f"{negative} sentences that do not, {fewest} needed" if negative < fewest else ""


@dataclass(frozen=True, eq=False)
class Relations:
    """A set of entity pairs with different names; `TaskError` if one occurs twice.

    A pair needs ``fewest`` sentences of each class to be scored. AUC is defined from two that express the relation and
    one that does not, but then it hangs on that one sentence.
    """

    name: str
    pairs: tuple[EntityPair, ...]
    fewest: int = 1

    def __post_init__(self):
        for name, n in Counter(pair.name for pair in self.pairs).items():
            if n > 1:
                raise TaskError(None, None, f"{self.name}: the pair {name} occurs twice; a pair has one relation")

    def __iter__(self) -> Iterator[EntityPair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def usable(self) -> tuple[EntityPair, ...]:
        """The pairs of entities with enough sentences of both classes to be scored."""
        return tuple(pair for pair in self.pairs if not _lacks(pair.expresses, self.fewest))


# ---------------------------------------------------------------------------------------------------------------------
# Entities


def _entity_of(token: Token) -> int:
    """1 or 2 for a token of that entity, 0 for any other."""
    mark = re.search(r"(?:^|\|)Entity=([^|]*)", token.misc)
    if mark and mark[1] not in ("1", "2"):
        raise TaskError(None, None, f"Entity={mark[1]} on {token.form!r}: the entities are numbered 1 and 2")
    return int(mark[1]) if mark else 0


def entity_tokens(sentence: Sentence, which: Container[int] = (1, 2)) -> np.ndarray:
    """Which tokens belong to one of these entities, by ``Entity=1`` or ``Entity=2`` in MISC: bool [tokens].

    Raises `TaskError` for another number of an entity.
    """
    return np.array([_entity_of(token) in which for token in sentence], dtype=bool)


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def read_marked(path) -> dict[str, Sentence]:
    """Sentences of a CoNLL-U file by their ``sent_id``; `TaskError` unless both entities of each are marked."""
    sentences = read_trees(path)
    for id, sentence in sentences.items():
        if missing := {1, 2} - set(map(_entity_of, sentence)):
            missing = " and ".join(f"Entity={i}" for i in sorted(missing))
            problem = f"sentence {id}: no token has {missing} in MISC; mark both entities"
            raise TaskError(Path(path).name, None, problem)
    return sentences


def grouped(name: str, sentences: Mapping[str, Sentence], rows: Iterable[Sequence], fewest: int = 1) -> Relations:
    """A set from sentences by id and rows of id, relation, pair, whether it is expressed, and perhaps the variation.

    Pairs, and the sentences of each, come in the order of the rows.
    """
    groups: dict[tuple[str, str], list[tuple]] = {}
    for id, relation, pair, *labels in rows:
        groups.setdefault((relation, pair), []).append((id, *labels))
    pairs = []
    for names, group in groups.items():
        ids, expresses, *variation = zip(*group, strict=True)
        pairs.append(EntityPair(*names, tuple(map(sentences.get, ids)), ids, np.array(expresses), *variation))
    return Relations(name, tuple(pairs), fewest)


def load(name="relations") -> Relations:
    """The teaching set "relations", or a folder of its format, in file order and named after the folder.

    ``sentences.tsv`` is tab-separated with the header ``id relation pair expresses variation``; ``relations.conllu``
    has a sentence for each of its rows, ``# sent_id =`` its id. Raises a `TaskError` (a table that is not so, a pair
    with two relations, ids that differ between the files, an unmarked entity), a
    `cdsm_lib.text.corpus.ConlluError`, or a `cdsm_lib.datasets.DataError` if there is no such set.

    >>> task = load()
    >>> len(task.pairs), task.pairs[0].relation
    (4, 'acquires')
    """
    folder = datasets.sample_path(name)
    table, parses = folder / "sentences.tsv", folder / "relations.conllu"
    sentences = read_marked(parses)
    rows = read_table(table, COLUMNS, {"relation": RELATIONS, "expresses": YES_NO}, key="id")
    expect_same(parses, sentences, table, {row["id"]: line for line, row in rows})
    return grouped(folder.name, sentences, (row.values() for _, row in rows))


# ---------------------------------------------------------------------------------------------------------------------
# Evaluation


def high_and_low(expresses) -> tuple[np.ndarray, np.ndarray]:
    """The sentence pairs that should score high and those that should score low (eq. 6 and 7).

    H is all *unordered* pairs of two different sentences that express the relation. The paper writes ordered ones: a
    similarity is symmetric, so that this counts all of H twice, and AUC is the same. L is every sentence that
    expresses the relation with every one that does not. Gives places of sentences, int64 [m, 2] and [k, 2], in H the
    smaller first, in L the one that expresses it; `TaskError` if one would be empty.

    >>> high, low = high_and_low([True, False, True, True])
    >>> high.tolist(), low.tolist()
    ([[0, 2], [0, 3], [2, 3]], [[0, 1], [2, 1], [3, 1]])
    """
    expresses = np.asarray(expresses, dtype=bool)
    if problem := _lacks(expresses):
        raise TaskError(None, None, f"AUC is undefined: {problem}")
    yes, no = np.flatnonzero(expresses), np.flatnonzero(~expresses)
    i, j = np.triu_indices(len(yes), 1)
    low = np.stack(np.meshgrid(yes, no, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.stack([yes[i], yes[j]], axis=1), low


def _similarity(similarity, pair: EntityPair) -> np.ndarray:
    """The similarity as float64, checked, and made exactly symmetric where rounding left a difference."""
    similarity, n, problem = np.asarray(similarity, dtype=np.float64), len(pair), None
    if similarity.shape != (n, n):
        problem = f"similarity of shape {similarity.shape}, [{n}, {n}] expected"
    elif not np.isfinite(similarity).all():
        spoilt = f"{(~np.isfinite(similarity)).sum()} similarities are NaN or infinite"
        problem = f"{spoilt}; decide what a sentence without a vector gets, such as 0, and say so"
    elif (apart := np.abs(similarity - similarity.T).max(initial=0)) > _SYMMETRIC:
        problem = f"the similarity is not symmetric, it differs by {apart:.3g}"
    if problem:
        raise TaskError(None, None, f"{pair.name}: {problem}")
    return (similarity + similarity.T) / 2


@dataclass(frozen=True, eq=False)
class PairScore:
    """How well a system parts H from L for one entity pair: AUC, in which a tie counts one half, and the ROC curve.

    ``high`` and ``low`` are the numbers of sentence pairs in H and in L, ``tied`` the share of all comparisons of one
    of H with one of L that are ties. The wrong AUC, ties broken by order, is ``auc`` plus half of ``tied`` when H is
    stored first, and ``auc`` minus as much when L is.
    """

    name: str
    auc: float
    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    high: int
    low: int
    tied: float


def score(similarity, pair: EntityPair) -> PairScore:
    """AUC of a similarity: the chance that two sentences of H are more similar than two of L (section 3.1).

    The similarity is a float array [sentences, sentences], of which the diagonal is not looked at. Raises `TaskError`
    if the pair is not usable, the shape is wrong, a similarity is not finite, or it is asymmetric by more than 1e-9.

    >>> pair = EntityPair("buys", "Google/YouTube", ((),) * 3, tuple("abc"), np.array([True, True, False]))
    >>> pair_score = score([[1, 0.5, 0.2], [0.5, 1, 0.5], [0.2, 0.5, 1]], pair)  # .5 against .2 and .5
    >>> pair_score.auc, pair_score.high, pair_score.low
    (0.75, 1, 2)
    """
    similarity = _similarity(similarity, pair)
    high, low = high_and_low(pair.expresses)
    scores = np.concatenate([similarity[*high.T], similarity[*low.T]])
    positive = np.arange(len(scores)) < len(high)
    false_rate, true_rate = metrics.roc_curve(scores, positive)
    area, tied = metrics.auc(scores, positive), float(np.diff(false_rate) @ np.diff(true_rate))
    return PairScore(pair.name, area, false_rate, true_rate, len(high), len(low), tied)


@dataclass(frozen=True, eq=False)
class Scores:
    """A system on a relation set: its usable pairs, and the mean of their AUC (the last column of Table 1)."""

    per_pair: dict[str, PairScore]
    average: float


def score_all(similarities: Mapping[str, np.ndarray], relations: Relations) -> Scores:
    """AUC for each usable pair by its name, and their average; similarities of other pairs are not looked at.

    Raises `TaskError` if a usable pair has no similarity, no pair is usable, and as in :func:`score`.

    >>> pair = EntityPair("buys", "Google/YouTube", ((),) * 3, tuple("abc"), np.array([True, True, False]))
    >>> score_all({pair.name: [[1, 0.5, 0.2], [0.5, 1, 0.5], [0.2, 0.5, 1]]}, Relations("mine", (pair,))).average
    0.75
    """
    missing = [pair.name for pair in relations.usable if pair.name not in similarities]
    if missing or not relations.usable:
        problem = f"no similarity of {', '.join(missing)}" if missing else "no pair is usable"
        raise TaskError(None, None, f"{relations.name}: {problem}")
    per_pair = {pair.name: score(similarities[pair.name], pair) for pair in relations.usable}
    return Scores(per_pair, float(np.mean([pair.auc for pair in per_pair.values()])))


# ---------------------------------------------------------------------------------------------------------------------
# Bootstrap over sentences


def resample_weights(pair: EntityPair, n: int = 1000, seed: int = 0) -> np.ndarray:
    """How often each sentence of a usable pair is drawn in each of n bootstrap resamples, int64 [n, sentences].

    Sentences that express the relation and those that do not are resampled separately, as many as there are, with
    replacement. A resample with fewer than two different expressing sentences has no H and is drawn again. The draws
    depend on the seed and the pair's name, so that the pairs of a set are resampled independently of each other while
    two systems get the same resamples.

    >>> pair = EntityPair("buys", "Google/YouTube", ((),) * 4, tuple("abcd"), np.array([True, True, True, False]))
    >>> resample_weights(pair, n=2)  # three that express it, and one
    array([[2, 0, 1, 1],
           [2, 0, 1, 1]])
    """
    rng = np.random.default_rng([seed, zlib.crc32(pair.name.encode())])

    def draw(size: int, rows: int) -> np.ndarray:
        return rng.multinomial(size, np.full(size, 1 / size), rows)

    weights, n_positive = np.empty((n, len(pair)), dtype=np.int64), int(pair.expresses.sum())
    yes = draw(n_positive, n)
    while len(again := np.flatnonzero((yes > 0).sum(axis=1) < 2)):
        yes[again] = draw(n_positive, len(again))
    weights[:, pair.expresses] = yes
    weights[:, ~pair.expresses] = draw(len(pair) - n_positive, n)
    return weights


def bootstrap_auc(similarity, pair: EntityPair, weights: np.ndarray) -> np.ndarray:
    r"""AUC of each resample: a sentence pair counts as often as both its sentences together were drawn.

    With :math:`w_i` the times that sentence :math:`i` was drawn, the sentence pair :math:`(i, j)` has the weight
    :math:`w_i w_j`, and

    .. math:: AUC = \frac{\sum_{(i,j) \in H} \sum_{(k,l) \in L} w_i w_j w_k w_l\, [M_{ij} > M_{kl}]}
                         {\sum_H w_i w_j\, \sum_L w_k w_l}

    a tie counting one half. Two copies of one sentence are never paired with each other. Weights are those of
    :func:`resample_weights`, the result is float64 [n]; errors as of :func:`score`.

    >>> pair = EntityPair("buys", "Google/YouTube", ((),) * 3, tuple("abc"), np.array([True, True, False]))
    >>> similarity = [[1, 0.5, 0.2], [0.5, 1, 0.5], [0.2, 0.5, 1]]
    >>> bootstrap_auc(similarity, pair, np.array([[1, 1, 1], [3, 1, 1]]))  # .2 counts three times as often
    array([0.75 , 0.875])
    """
    similarity = _similarity(similarity, pair)
    high, low = high_and_low(pair.expresses)
    low_scores = similarity[*low.T]
    order = np.argsort(low_scores, kind="stable")
    low, low_scores = low[order], low_scores[order]
    high_scores = similarity[*high.T]
    below = np.searchsorted(low_scores, high_scores, side="left")  # of L, in rising order: so many lose,
    up_to = np.searchsorted(low_scores, high_scores, side="right")  # so many lose or tie
    rows = max(1, _BATCH // (len(high) + len(low)))
    result = np.empty(len(weights))
    for start in range(0, len(weights), rows):
        w = weights[start : start + rows].astype(np.float64)  # whole numbers: the sums are exact
        of_high, of_sorted = (w[:, part[:, 0]] * w[:, part[:, 1]] for part in (high, low))
        of_low = np.zeros((len(w), len(low) + 1))
        np.cumsum(of_sorted, axis=1, out=of_low[:, 1:])
        comparisons = of_high.sum(axis=1) * of_low[:, -1]
        wins = np.einsum("ij,ij->i", of_high, of_low[:, below]) + np.einsum("ij,ij->i", of_high, of_low[:, up_to])
        result[start : start + rows] = wins / (2 * comparisons)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# As a task


def task(relations: Relations, read: Callable[[Sentence], Text]) -> Task:
    """Every two sentences of an entity pair that are in H or L; AUC, one value an entity pair.

    Resampled are the sentences of each entity pair. `read` makes of a sentence the text that systems see.
    """
    texts, pairs = [], []
    for pair in relations.usable:
        pairs += [places + len(texts) for places in high_and_low(pair.expresses)]
        texts += map(read, pair.sentences)
    by_pair = partial(matrices, relations)

    def areas(similarity: np.ndarray) -> np.ndarray:
        return np.array([pair.auc for pair in score_all(by_pair(similarity), relations).per_pair.values()])

    def resampled(similarity: np.ndarray, n: int, seed: int) -> np.ndarray:
        similarities, usable = by_pair(similarity), relations.usable
        return np.array([bootstrap_auc(similarities[p.name], p, resample_weights(p, n, seed)) for p in usable])

    names = np.array([pair.name for pair in relations.usable])
    return Task(
        "relation classification", relations.name, "average", tuple(texts), np.concatenate(pairs),
        {"AUC": Measure(areas, resampled)}, len(names), labels={"pair": names}, sizes=[*map(len, relations.usable)],
        chance=0.5,
    )  # fmt: skip


def matrices(relations: Relations, similarity: np.ndarray) -> dict[str, np.ndarray]:
    """Similarities of the pairs of `task` as a symmetric matrix for each usable pair; 0 where none was asked for."""
    by_pair, start = {}, 0
    for pair in relations.usable:
        i, j = np.concatenate(high_and_low(pair.expresses)).T
        matrix = np.zeros((len(pair), len(pair)))
        matrix[i, j] = matrix[j, i] = similarity[start : start + len(i)]
        by_pair[pair.name], start = matrix, start + len(i)
    return by_pair
