"""The words of the composition playground: three spaces and their matrices, in a script that a page loads from disk.

The page ``book/playground.md`` has no server, and a page opened from disk may not fetch a file. So the vectors are
JavaScript: one object, its arrays rounded to 8 bits with a scale for each row and written in base 64. `decode` reads
the script back into the library's own `Space` and matrices, with which the tests compare what the page computes.

- *skip-gram*: the vectors of the chapters on composition and on relative clauses, and the verbs' matrices. The space
  is turned so that its first axes hold most of it, which changes no length and no cosine; matrices act on the first
  `SIZE` axes.
- *counted*: PPMI of the same words, of each its `CONTEXTS` strongest context words, which can be read.
- *reduced*: PPMI and SVD as in the chapter on lexical substitution, in `SIZE` dimensions, and the modifiers' matrices,
  which are learned from counted adjective-noun and noun-noun bigrams. There are no skip-gram vectors of such bigrams.
"""

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pooch
from scipy import sparse

from book._ext.templates import fill
from cdsm_lib.chapters import relpron_models as rimell2016
from cdsm_lib.chapters import substitution_models as buljan2018
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.composition.linear import LexicalFunction
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

PAGE = "book/playground.md"
SCRIPT = "assets/playground-data.js"
HEAD = "window.cdsmPlaygroundData = "

CONTEXTS = 50
"""Context words that a counted word keeps."""

SIZE = 50
"""Dimensions of the reduced space, and of the matrices in both dense spaces."""

VERB_PAIRS, VERBS = 10, 100
"""A verb needs so many phrases for each of its two matrices; and at most so many verbs, those with the most."""

MODIFIER_PAIRS, MODIFIERS = 10, 120
"""The same for adjectives and nouns that modify."""

MEGABYTES = 3
"""What the script may take."""

FILES = ("phrases.npz", "skip-gram.npz", "count.npz", "anvan-bigrams.npz")
"""The distilled files that are read."""


@dataclass(frozen=True)
class Playground:
    """What the page composes with.

    Attributes
    ----------
    spaces : dict of str to Space
        ``skip-gram`` and ``reduced`` (dense), ``counted`` (sparse, its dimensions named); the same rows in each.
    matrices : dict of str to dict of role to LexicalFunction
        By space: ``subject`` and ``object`` of verbs in ``skip-gram``, ``modifier`` in ``reduced``. Each matrix is
        float32 [d, d] in the dimensions of its space, zero beyond the first `SIZE`.
    """

    spaces: dict[str, Space]
    matrices: dict[str, dict[str, LexicalFunction]]

    @property
    def words(self) -> Labels:
        """The vocabulary."""
        return self.spaces["skip-gram"].rows


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``assets/playground-data.js`` and ``generated/playground.md``; nothing in a book without that page.

    The words come from the distilled files in every profile, since a page has to be small.

    Raises
    ------
    FileNotFoundError, StorageError
        If a distilled file is missing, or not one of those that were made together.
    ValueError
        If the script outgrows its limit.
    """
    if not (root / PAGE).is_file():
        return {}
    exact = gather(root / "data" / "distilled")
    script = encode(exact)
    if len(script) > MEGABYTES * 10**6:
        raise ValueError(
            f"book/{SCRIPT} would take {len(script) / 1e6:.1f} MB of {MEGABYTES}: lower CONTEXTS, VERBS or MODIFIERS "
            "in book/_ext/playground.py"
        )
    return {SCRIPT: script, "generated/playground.md": summary(exact, decode(script), len(script))}


# ------------------------------------------------------------------------------------------------------- the vectors


def gather(folder: Path) -> Playground:
    """The spaces and matrices, from a folder that ``make distil`` made.

    Raises
    ------
    FileNotFoundError, StorageError
        If a file is missing, or not one of those that were made together; see `check_made_together`.
    """
    check_made_together(folder)
    settings = load_profile("sample")
    words = materials.load(folder)
    spaces, matrices = {}, {}
    spaces["skip-gram"], matrices["skip-gram"] = skip_gram(words, settings["relpron"])
    spaces["counted"] = counted(words)
    spaces["reduced"], matrices["reduced"] = reduced(folder, words.vectors.rows, settings)
    return Playground(spaces, matrices)


def check_made_together(folder: Path) -> None:
    """Whether the files are those that ``provenance.json`` names; an older one beside newer ones would be of use to no
    one, its rows being those of other words.

    Raises
    ------
    FileNotFoundError
        If a file is not there.
    StorageError
        If a file has another checksum.
    """
    named = json.loads((folder / "provenance.json").read_text("utf8"))["files"]
    for path in (folder / name for name in FILES):
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file. {materials.REMEDY}")
        if pooch.file_hash(path) != named.get(path.name):
            problem = "it was not made together with the other files: its checksum is not that of provenance.json"
            raise StorageError(path, problem, materials.REMEDY)


def turned(vectors: np.ndarray) -> np.ndarray:
    """A rotation that brings vectors [n, d] to their principal axes, the longest first: float64 [d, d], ``V @ R``."""
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    axes = axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.sign(axes[largest, np.arange(len(axes))])


def skip_gram(words: materials.TrainingCounts, settings: Mapping) -> tuple[Space, dict[str, LexicalFunction]]:
    """Skip-gram vectors on their principal axes, and verb matrices learned as in the chapter on relative clauses.

    Parameters
    ----------
    words : TrainingCounts
    settings : mapping
        The profile's ``relpron``: penalty and weighting of the regressions.
    """
    rotation = turned(words.vectors.vectors)
    space = Space(words.vectors.rows, words.vectors.vectors @ rotation)
    phrases = {kind: vectors @ rotation[:, :SIZE] for kind, vectors in words.phrase_vectors.items()}
    first = rimell2016.Trained("Skip-Gram", Space(space.rows, space.vectors[:, :SIZE]), phrases)
    learned = rimell2016.verb_matrices(first, words, {**settings, "min_pairs": VERB_PAIRS})
    fewer = _pairs(words.phrases["subject"], 1) & _pairs(words.phrases["object"], 0)
    both = [verb for verb in learned.subject_verbs if verb in learned.object_verbs]
    verbs = sorted(sorted(both, key=lambda verb: (-fewer[verb], verb))[:VERBS])
    tables = {"subject": (learned.subject_verbs, learned.subject), "object": (learned.object_verbs, learned.object)}
    return space, {role: _matrices(verbs, *table, space.d) for role, table in tables.items()}


def _pairs(phrases: materials.Phrases, column: int) -> Counter[str]:
    """How many different phrases each functor has."""
    return Counter(phrases.words[place] for place in phrases.ids[:, column].tolist())


def _matrices(functors: Sequence[str], names: Labels, stack: np.ndarray, d: int) -> LexicalFunction:
    """The matrices of the chosen words, with zeros up to d dimensions."""
    function, size = LexicalFunction(), stack.shape[-1]
    function.functors = Labels(functors)
    function.matrices = np.zeros((len(functors), d, d), dtype=np.float32)
    function.matrices[:, :size, :size] = stack[names.encode(functors)]
    return function


def counted(words: materials.TrainingCounts) -> Space:
    """PPMI over the Count space's contexts, of each word the `CONTEXTS` strongest."""
    counts = words.counts["Count"]
    strongest = weighting.select_contexts(weighting.ppmi(counts.matrix), CONTEXTS)
    return Space(counts.rows, strongest, counts.columns)


def reduced(folder: Path, rows: Labels, settings: Profile) -> tuple[Space, dict[str, LexicalFunction]]:
    """PPMI-SVD and the matrices of modifiers, as in the chapter on lexical substitution but in `SIZE` dimensions."""
    chapter = settings["lexical_substitution"] | {"dimensions": SIZE, "min_pairs": MODIFIER_PAIRS}
    words, bigrams = buljan2018.load(folder)
    modifying = {kind: bigrams[kind] for kind in ("adjective_noun", "noun_noun")}
    trained = buljan2018.train_space(words, chapter, settings["seed"])
    model = buljan2018.practical(trained, modifying, chapter).modifiers
    pairs = sum((_pairs(of_kind.phrases, 0) for of_kind in modifying.values()), Counter())
    usable = [word for word in model.functors if word in rows]
    modifiers = sorted(sorted(usable, key=lambda word: (-pairs[word], -words.frequency[word], word))[:MODIFIERS])
    space = Space(rows, trained.space.take(list(rows)))
    return space, {"modifier": _matrices(modifiers, model.functors, model.matrices, space.d)}


# -------------------------------------------------------------------------------------------------------- the script


def rounded(values: np.ndarray, dtype: type = np.int8) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as small integers and a scale for each row (of the last axis).

    Parameters
    ----------
    values : array [..., d]
    dtype : int8 or uint8
        Unsigned for values that are never negative.

    Returns
    -------
    (array [..., d] of dtype, array [...] of float32)
        Integers times scale is within half a scale of the value; a scale is the row's largest absolute value divided
        by 127 (or 255). A row of zeros has the scale 0.

    Raises
    ------
    ValueError
        If an unsigned type is asked for and a value is negative.
    """
    values, limits = np.asarray(values, dtype=np.float64), np.iinfo(dtype)
    if not limits.min and values.min(initial=0) < 0:
        raise ValueError("a negative value cannot be rounded to an unsigned type; take int8")
    scale = (np.abs(values).max(axis=-1, initial=0) / limits.max).astype(np.float32)
    steps = scale[..., None].astype(np.float64)
    whole = np.rint(np.divide(values, steps, out=np.zeros_like(values), where=steps > 0))
    return np.clip(whole, max(limits.min, -limits.max), limits.max).astype(dtype), scale


def restored(whole: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Integers times the scale of their row, float32: what `rounded` leaves of the values."""
    return whole.astype(np.float32) * scale[..., None]


def _packed(array: np.ndarray) -> dict:
    data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    return {"type": array.dtype.name, "shape": list(array.shape), "data": base64.b64encode(data).decode("ascii")}


def _unpacked(packed: Mapping) -> np.ndarray:
    data = np.frombuffer(base64.b64decode(packed["data"]), dtype=np.dtype(packed["type"]).newbyteorder("<"))
    return data.astype(packed["type"]).reshape(packed["shape"])


def _rounded_parts(values: np.ndarray, dtype: type = np.int8) -> dict:
    return dict(zip(("values", "scale"), map(_packed, rounded(values, dtype)), strict=True))


def _restored_parts(parts: Mapping) -> np.ndarray:
    return restored(_unpacked(parts["values"]), _unpacked(parts["scale"]))


def encode(exact: Playground) -> str:
    """The script: one object with the vocabulary, the contexts' names, and for each space its vectors and matrices.

    Vectors of a dense space are ``values`` [n, d] and ``scale`` [n]; of the counted one ``columns``, ``values``
    [n, k] and ``scale`` [n], where a weight of 0 fills the row of a word with fewer contexts. Matrices are ``values``
    [m, size, size] and ``scale`` [m, size]; see `rounded`.
    """
    spaces = {}
    for name, space in exact.spaces.items():
        spaces[name] = {"d": space.d}
        if space.is_sparse:
            columns, weights = _by_row(space.vectors)
            spaces[name] |= {"columns": _packed(columns), **_rounded_parts(weights, np.uint8)}
        else:
            spaces[name] |= _rounded_parts(space.vectors)
        spaces[name]["matrices"] = {
            role: {"words": " ".join(of.functors), **_rounded_parts(of.matrices[:, :SIZE, :SIZE])}
            for role, of in exact.matrices.get(name, {}).items()
        }
    contexts = " ".join(exact.spaces["counted"].dimensions)
    whole = {"words": " ".join(exact.words), "contexts": contexts, "spaces": spaces}
    return f"{HEAD}{json.dumps(whole, separators=(',', ':'), ensure_ascii=True)};\n"


def _by_row(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """A sparse matrix as columns (uint16) and weights [n, k], k being the longest row; 0 fills the others."""
    lengths = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(matrix.data)) - matrix.indptr[row]
    columns = np.zeros((len(lengths), lengths.max()), dtype=np.uint16)
    weights = np.zeros(columns.shape)
    columns[row, place], weights[row, place] = matrix.indices, matrix.data
    return columns, weights


def decode(script: str) -> Playground:
    """What the page reads from the script, as the library's spaces and matrices.

    Raises
    ------
    ValueError
        If it is not such a script.
    """
    if not script.startswith(HEAD):
        raise ValueError(f"not the playground's script: it does not begin with {HEAD!r}; build the book again")
    whole = json.loads(script[len(HEAD) :].rstrip().removesuffix(";"))
    words, contexts = Labels(whole["words"].split(" ")), Labels(whole["contexts"].split(" "))
    spaces, matrices = {}, {}
    for name, parts in whole["spaces"].items():
        vectors = _restored_parts(parts)
        if "columns" in parts:
            columns = _unpacked(parts["columns"]).ravel()
            rows = np.repeat(np.arange(len(words)), vectors.shape[1])
            vectors = sparse.csr_array((vectors.ravel(), (rows, columns)), shape=(len(words), parts["d"]))
            vectors.eliminate_zeros()
        spaces[name] = Space(words, vectors, contexts if "columns" in parts else None)
        matrices[name] = {}
        for role, stack in parts["matrices"].items():
            names = Labels(stack["words"].split(" "))
            matrices[name][role] = _matrices(names.names, names, _restored_parts(stack), parts["d"])
    return Playground(spaces, matrices)


# ------------------------------------------------------------------------------------------------------ what to say


def summary(exact: Playground, read: Playground, size: int) -> str:
    """The numbers of the page as Markdown: its vocabulary, spaces and matrices, and what rounding did to them.

    Parameters
    ----------
    exact, read : Playground
        Before and after rounding.
    size : int
        Of the script, in bytes.
    """
    tags = {"NOUN": "nouns", "VERB": "verbs", "ADJ": "adjectives", "PROPN": "names", "ADV": "adverbs"}
    by_tag = Counter(label.rpartition("|")[2] for label in read.words)
    return fill(
        "playground.md",
        vocabulary=len(read.words),
        kinds=[f"{by_tag[tag]:,} {name}" for tag, name in tags.items() if tag in by_tag],
        least={
            name: paired_cosines(exact.spaces[name].vectors, space.vectors, undefined=1).min()
            for name, space in read.spaces.items()
        },
        read=read,
        size=size,
    )
