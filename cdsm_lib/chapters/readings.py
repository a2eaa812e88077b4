"""Composition, or a map of single words? The same words read by a contextual system in five companies.

A contextual system gives a word another vector in every text, and that looks like composition. But it may as well have
a better vector for each word, whatever stands beside it. So the words of a task's texts are read as in `READINGS`, and
always pooled alike: a text's vector is the mean of its content words' states, or, where the task is about one word, the
state of that word. What *together* has and a reading lacks is the difference of the two figures, on the same items.

What each difference would mean was written before the figures were seen (but for RELPRON with two of the systems, where
*each word alone*, *order reversed* and *arguments exchanged* had been tried):

- *each word alone*: its state has met no other word. Together above it: what words take from each other helps on this
  task. An interval that holds 0: a map of single words does as well. Below: the company blurs what the task asks for.
- *wrong company*: each word is read among words of other items, in the places of a text of the same make. It is a
  control for the first, since a word by itself is an odd text. Together above both: its *own* company helps. Together
  above *alone* but not above *wrong company*: any company does, and nothing of this text is composed.
- *order reversed*: each text from its end. Together above it: the order is used. An interval that holds 0: the words
  may take from each other, but as from a bag.
- *arguments exchanged*: subject and object of each verb change places, where most texts have such a verb. Together
  above it: roles are used, at least the order of two nouns. An interval that holds 0, where *order reversed* costs:
  order counts as a habit of the text, not as who does what to whom.

A system at chance loses nothing by any reading, so no difference says anything there.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from cdsm_lib.chapters import context2vec, encoder
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.evaluation.results import Result, Scores
from cdsm_lib.tasks.system import Composer, by_cosine
from cdsm_lib.tasks.task import Measure, Task, Text
from cdsm_lib.vectors.weighting import normalise_rows

Sequences = list[list[tuple[int, int]]]
"""What is read, one after the other: words, by the number of their text and their place there."""


# ------------------------------------------------------------------------------------------------------------ readings


def together(texts: Sequence[Text]) -> Sequences:
    """Every text as it is."""
    return [[(t, i) for i in range(len(text.tokens))] for t, text in enumerate(texts)]


def arguments(text: Text) -> list[tuple[int, int]]:
    """The places of subject and object of each verb that has both."""
    ends = {(arc.governor, arc.relation): arc.dependent for arc in text.arcs}
    verbs = [verb for verb, relation in ends if relation == "nsubj" and (verb, "obj") in ends]
    return [(ends[verb, "nsubj"], ends[verb, "obj"]) for verb in verbs]


def arguments_exchanged(texts: Sequence[Text]) -> Sequences:
    """Every text with the object of each verb in the place of its subject, and the other way round."""
    sequences = together(texts)
    for sequence, text in zip(sequences, texts, strict=True):
        for subject, object_ in arguments(text):
            sequence[subject], sequence[object_] = sequence[object_], sequence[subject]
    return sequences


def wrong_company(texts: Sequence[Text]) -> Sequences:
    """Every word among words of other texts, all in places of their own.

    Texts are put in a row by their number of words and by their tags, equals at random. What is read is the first word
    of one text with the second of the next, the third of the next but one, and so on around the row.
    """
    order, mixed = np.random.default_rng(0).permutation(len(texts)).tolist(), defaultdict(list)
    order.sort(key=lambda t: (len(texts[t].tokens), [token.rpartition("|")[2] for token in texts[t].tokens]))
    for k, t in enumerate(order):
        for i in range(len(texts[t].tokens)):
            mixed[(k - i) % len(order)].append((i, t))
    return [[(t, i) for i, t in sorted(words)] for words in mixed.values()]


TOGETHER, EXCHANGED = "together", "arguments exchanged"
READINGS: dict[str, Callable[[Sequence[Text]], Sequences]] = {
    TOGETHER: together,
    "each word alone": lambda texts: [[word] for sequence in together(texts) for word in sequence],
    "wrong company": wrong_company,
    "order reversed": lambda texts: [sequence[::-1] for sequence in together(texts)],
    EXCHANGED: arguments_exchanged,
}


class Reader(NamedTuple):
    """A contextual system: whether it reads ``tokens`` or ``forms``, and the states [n, d] of the n words it reads."""

    reads: str
    states: Callable[[Sequence[str]], np.ndarray]


def in_place(model: Context2Vec, words: Sequence[str]) -> np.ndarray:
    """context2vec's vector of each word in its place: that of the word and that of its context, which lie in one space
    and have length one, added [n, d]; a word that it does not know has the second alone."""
    places = model.words.encode(words)
    targets = np.where(places[:, None] >= 0, model.targets[places], 0)
    return normalise_rows(targets) + normalise_rows(model.contexts(words))


def readers() -> dict[str, Reader]:
    """The two that were trained on our corpus."""
    reader = context2vec.load()
    ours = Reader("tokens", encoder.load().states)
    return {"encoder": ours, "context2vec": Reader("tokens", lambda words: in_place(reader, words))}


def embed(reader: Reader, texts: Sequence[Text], reading: str) -> np.ndarray:
    """Pooled states of texts: float64 [texts, d], rounded to what float32 bears."""
    states, known = [[None] * len(text.tokens) for text in texts], {}
    for sequence in READINGS[reading](texts):
        words = tuple(getattr(texts[t], reader.reads)[i] for t, i in sequence)
        if words not in known:
            known[words] = reader.states(words)
        for (t, i), state in zip(sequence, known[words], strict=True):
            states[t][i] = state
    pooled = [encoder.pooled(np.array(rows), text) for rows, text in zip(states, texts, strict=True)]
    return np.round(pooled, 5).astype(np.float64)


def fits(reading: str, task: Task) -> bool:
    """Whether a task's texts can be read so: most must have arguments to exchange."""
    return reading != EXCHANGED or 2 * sum(map(bool, map(arguments, task.texts))) > len(task.texts)


# --------------------------------------------------------------------------------------------------------------- rows

LESS, TOLERANCE = "{} less {}", 0.01


def composers(by_name: Mapping[str, Reader]) -> Iterator[Composer]:
    """Each system in each reading, which is its space."""
    for system, reader in by_name.items():
        for reading in READINGS:
            how = partial(embed, reader, reading=reading)
            compare = by_cosine(lambda texts, system=system, how=how: {system: how(texts)})
            yield Composer((system,), reading, compare)


def worth(task: Task, similarity: np.ndarray) -> np.ndarray:
    """What is stored of similarities: one value an item, or where it takes resamples, themselves; float32."""
    measure = task.measures[task.metric]
    return np.asarray(similarity if measure.resampled else measure.values(similarity), dtype=np.float32)


def on_stored(name: str, task: Task) -> Task:
    """The same task for what is stored, as the split of that name."""
    resampled = task.measures[task.metric].resampled
    return replace(task, split=name, measures=task.measures if resampled else {task.metric: Measure(np.asarray)})


def less(a: Scores, b: Scores) -> Scores:
    """a - b on the same items, or on the same resamples."""
    both = {name: (getattr(a, name), getattr(b, name)) for name in ("values", "statistic", "resamples")}
    gaps = {name: first - second for name, (first, second) in both.items() if first is not None}
    return replace(a, space=LESS.format(a.space, b.space), **gaps)


def rows(arrays: Mapping[str, np.ndarray], tasks: Mapping[str, Task], seed: int) -> Iterator[Result]:
    """Every figure of every reading, and what each lacks of *together*, with intervals over the task's units."""
    scores: dict[tuple, dict[str, Scores]] = defaultdict(dict)
    for key, values in arrays.items():
        name, system, reading = key.split("/")
        if reading in READINGS:
            task, values = on_stored(name, tasks[name]), values.astype(np.float64)
            scores[name, system][reading] = task.scores(system, reading, values, tolerance=TOLERANCE, trained=True)
    for read in scores.values():
        yield from (score.row(seed) for score in read.values())
        yield from (less(read[TOGETHER], score).row(seed) for name, score in read.items() if name != TOGETHER)
