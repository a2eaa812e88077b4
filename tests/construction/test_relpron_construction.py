"""The paper's construction on a corpus of eleven triples, every step of it by hand."""

import numpy as np
import pytest

from cdsm_lib.construction import relpron as construct
from cdsm_lib.construction.relpron import Annotation, Thresholds
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks.relpron import Property

WORDS = [
    "kitten|NOUN", "parrot|NOUN", "ladder|NOUN", "bat|NOUN",  # terms; bat is an animal and a tool
    "chase|VERB", "mimic|VERB", "climb|VERB", "be|AUX",
    "yarn|NOUN", "speech|NOUN", "painter|NOUN", "she|PRON", "Ada|PROPN", "kitten|VERB",
]  # fmt: skip
TRIPLES = [
    ("kitten|NOUN", "chase|VERB", "yarn|NOUN", 4),
    ("kitten|NOUN", "chase|VERB", "she|PRON", 1),
    ("kitten|NOUN", "chase|VERB", "Ada|PROPN", 1),
    ("kitten|NOUN", "mimic|VERB", "speech|NOUN", 1),  # verb too rare with this term
    ("painter|NOUN", "chase|VERB", "kitten|NOUN", 3),
    ("parrot|NOUN", "mimic|VERB", "speech|NOUN", 5),
    ("parrot|NOUN", "mimic|VERB", "kitten|NOUN", 3),  # both are terms: two candidates
    ("painter|NOUN", "climb|VERB", "ladder|NOUN", 6),
    ("bat|NOUN", "chase|VERB", "yarn|NOUN", 9),  # ambiguous term
    ("kitten|NOUN", "be|AUX", "speech|NOUN", 9),  # no verb
    ("kitten|VERB", "chase|VERB", "yarn|NOUN", 9),  # no noun
]
SVO = np.array([[WORDS.index(word) for word in triple[:3]] for triple in TRIPLES])
COUNTS = np.array([triple[3] for triple in TRIPLES])
PATTERN = {"animal": 50, "tool": 40, "thing": 5, "cloud": 45}
HYPONYMS = {"animal": ["kitten", "parrot", "bat", "axolotl"], "tool": ["ladder", "bat"], "thing": ["yarn"]}
FREQUENCY = {"kitten": 90, "parrot": 80, "bat": 70, "ladder": 60, "axolotl": 2, "yarn": 99}
SMALL = Thresholds(head_nouns=3, hyponyms=2, term_count=10, verb_count=3, properties=1, terms=1)

YARN = Property("kitten", "animal", "SBJ", "chase", "yarn")
SPEECH = Property("parrot", "animal", "SBJ", "mimic", "speech")
LADDER = Property("ladder", "tool", "OBJ", "climb", "painter")
MIMICKED = Property("kitten", "animal", "OBJ", "mimic", "parrot")
ANNOTATIONS = [
    Annotation(YARN, 4, True, "canonical"),
    Annotation(MIMICKED, 3, False, "an event, not generic"),
    Annotation(SPEECH, 5, True, "canonical"),
    Annotation(LADDER, 6, True, "canonical"),
]


def run(annotations):
    made_of = PATTERN, HYPONYMS, FREQUENCY, WORDS, SVO, COUNTS
    return construct.build(*made_of, annotations=annotations, thresholds=SMALL)


def test_every_step_of_the_funnel():
    built = run(ANNOTATIONS)
    assert [(s.head_nouns, s.terms, s.properties) for s in built.funnel[:4]] == [
        (3, 0, 0),  # animal, cloud, tool: the most frequent
        (2, 6, 0),  # cloud has no hyponyms
        (2, 5, 0),  # axolotl is rare
        (2, 3, 0),  # bat is ambiguous
    ]
    assert [(s.head_nouns, s.terms) for s in built.funnel[4:]] == [(2, 3)] * 6
    assert [s.properties for s in built.funnel[4:]] == [9, 8, 6, 4, 3, 3]
    assert built.terms == {"animal": ["kitten", "parrot"], "tool": ["ladder"]}
    assert [str(t.item) for t in built.candidates] == [
        "kitten: animal that chase yarn",
        "kitten: animal that painter chase",
        "kitten: animal that parrot mimic",
        "parrot: animal that mimic speech",
        "parrot: animal that mimic kitten",
        "ladder: tool that painter climb",
    ]
    assert built.items == (YARN, SPEECH, LADDER)


def test_terms_and_head_nouns_need_enough():
    assert construct.select_terms([YARN, MIMICKED, SPEECH, LADDER], 2, 1) == [YARN, MIMICKED]
    assert construct.select_terms([YARN, MIMICKED, SPEECH, LADDER], 1, 2) == [YARN, MIMICKED, SPEECH]


def test_annotations_of_something_else_are_refused():
    stranger = Annotation(Property("kitten", "animal", "SBJ", "drink", "milk"), 5, True, "canonical")
    with pytest.raises(TaskError, match="kitten: animal that drink milk"):
        run([*ANNOTATIONS, stranger])
