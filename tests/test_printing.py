"""What prints as words: sizes, not numbers."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.composition.contextual import Simple, Thater
from cdsm_lib.composition.linear import FullAdditive, LexicalFunction, RowMatrices
from cdsm_lib.composition.relative_clause import RelativeClauseModel, VerbMatrices
from cdsm_lib.labels import Labels
from cdsm_lib.printing import in_words, sized
from cdsm_lib.text.corpus import Sentence, Token, corpus_from_sentences
from cdsm_lib.text.counts import Counts
from cdsm_lib.text.extraction import Tuples
from cdsm_lib.text.lexicon import Excerpt, Recorder
from cdsm_lib.text.tagger import PosTagger
from cdsm_lib.vectors.embeddings import SkipGram
from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.space import Space

SPACE = Space(["dog", "cat"], np.eye(2), meta={"made_by": "skip-gram"})
VERBS = VerbMatrices(Labels(["eat"]), np.zeros((1, 2, 2)), Labels(["eat", "see"]), np.zeros((2, 2, 2), np.float32))
BARK = Sentence((Token(1, "Bark", "bark", "VERB", "_", "_", 0, "root", "_", "_"),))
TRAINED = SkipGram(Labels("ab"), Labels("xy"), np.ones((2, 3)), np.ones((2, 3)), np.array([4, 5]), np.array([6, 7]))
EXCERPT = Excerpt({"dogs|n": "dog"}, {}, frozenset(["hot dog"]), frozenset())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (SPACE, "Space: 2 words x 2 dimensions, skip-gram"),
        (Simple(SPACE), r"Simple\(space: Space: 2 words x 2 dimensions, skip-gram\)"),
        (SVD(3), r"SVD\(dimensions: 3, power: 1.0, seed: 0, tolerance: 0.0005\)"),
        (SVD(1).fit(np.eye(2)), r"SVD\(.*, singular_values: 1 float64, components: 1 x 2 float64\)"),
        (VERBS, r"VerbMatrices\(subject_verbs: 1 labels, .*, object: 2 x 2 x 2 float32\)"),
        (RelativeClauseModel(VERBS), r"RelativeClauseModel\(verbs: VerbMatrices\(.*\), missing: 'addition'\)"),
        (RowMatrices(np.zeros((1, 2, 2)), np.zeros(3, np.int64)), r".*\(stack: 1 x 2 x 2 float64, places: 3 int64\)"),
        (LexicalFunction(5.0), r"LexicalFunction\(penalty: 5.0, .*, dtype: float32, functors: 0 labels, .*"),
        (FullAdditive(), r"FullAdditive\(penalty: 11 entries, weighting: 'none', .*"),
        (Counts(sparse.csr_array([[1, 0]]), ["a"], ["x", "y"]), r"Counts\(matrix: 1 x 2 sparse int32, .*2 labels\)"),
        (corpus_from_sentences([BARK, BARK]), "Corpus: 2 sentences, 2 tokens"),
        (TRAINED, r"SkipGram\(targets: 2 labels, .*, target_vectors: 2 x 3 float64, .*, pairs: 2 int64\)"),
        (Tuples(*np.ones((3, 2), np.int64)), r"Tuples\(ids: 2 int64, counts: 2 int64, occurrence: 2 int64\)"),
        (PosTagger({"a": {"b": 1}}, {}, ("NOUN",)), r"PosTagger\(weights: 1 entries, .*, meta: {}\)"),
        (EXCERPT, r"Excerpt\(lemmas: 1 entries, .*, phrases: 1 entries, forms: frozenset\(\), unknown: {}\)"),
        (Recorder(EXCERPT), r"Recorder\(Excerpt\(.*\): 0 answers\)"),
        (Thater("ab", "r", [0], [0], [1], [1.0]), r"Thater\(words: 2 labels, relations: 2 labels, first: 2 x .*\)"),
    ],
)
def test_values_print_as_words(value, words):
    assert re.fullmatch(words, repr(value)) and len(repr(value)) < 250, repr(value)


def test_what_is_short_is_printed_whole():
    values = [(1.5, 2), [1] * 5, {"a": 1}, {}, "dog"]
    assert list(map(sized, values)) == ["(1.5, 2)", "5 entries", "1 entries", "{}", "'dog'"]


def test_a_subclass_prints_under_its_own_name():
    @in_words
    @dataclass
    class Base:
        size: int

    class Below(Base):
        pass

    assert repr(Below(3)) == "Below(size: 3)"
