"""PLF over dependency trees, worked by hand in two dimensions."""

import numpy as np
import pytest

from cdsm_lib.composition.linear import LexicalFunction
from cdsm_lib.composition.practical import PLFError, PracticalLexicalFunction
from cdsm_lib.composition.practical_tree import ADDED, MODIFIER, OBJECT, SUBJECT, PLFSentences, Tree, frames
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import read_conllu
from cdsm_lib.vectors.space import Space

WORDS = Space(
    ["dog|NOUN", "man|NOUN", "cat|NOUN", "park|NOUN", "big|ADJ", "small|ADJ", "odd|ADJ", "bite|VERB", "sleep|VERB",
     "loudly|ADV", "truly|ADV", "zero|NOUN", "the|DET"],
    np.array([[1, 2], [3, -1], [1, 1], [0, 4], [7, 5], [9, 8], [2, 2], [5, 7], [4, 6], [10, 0], [0, 1], [0, 0],
              [3, 3]]),
)  # fmt: skip
BIG, SMALL, CAT = [[0, 1], [1, 0]], [[2, 0], [0, 1]], [[1, 0], [0, -1]]
SUBJECTS, OBJECTS = [[1, 2], [0, 1]], [[0, 1], [1, 1]]


def learned(matrices: dict[str, list]) -> LexicalFunction:
    model = LexicalFunction()
    model.functors = Labels(matrices)
    model.matrices = np.array(list(matrices.values()), dtype=np.float32).reshape(-1, 2, 2)
    return model


def of(modifiers: dict, subjects: dict, objects: dict) -> PracticalLexicalFunction:
    model = PracticalLexicalFunction()
    model.modifiers, model.verb_subject, model.verb_object = map(learned, (modifiers, subjects, objects))
    return model


MODEL = of({"big|ADJ": BIG, "small|ADJ": SMALL, "cat|NOUN": CAT}, {"bite|VERB": SUBJECTS}, {"bite|VERB": OBJECTS})
NOTHING = of({}, {}, {})


def tree(text: str) -> Tree:
    """``lemma|UPOS/head/label`` for each word, heads from 1, 0 for a root."""
    rows = [item.rsplit("/", 2) for item in text.split()]
    return Tree([row[0] for row in rows], [int(row[1]) - 1 for row in rows], [row[2] for row in rows])


def composed(text: str, model=MODEL, **options):
    vectors, composition = PLFSentences(model, WORDS, **options).embed([tree(text)])
    return vectors[0], composition


def vector(text: str, model=MODEL, **options) -> list[float]:
    return composed(text, model, **options)[0].tolist()


def told(text: str, model=MODEL, **options) -> dict[str, int]:
    return {name: int(n.sum()) for name, n in composed(text, model, **options)[1]._asdict().items()}


BITES = "big|ADJ/2/amod dog|NOUN/3/nsubj bite|VERB/0/root small|ADJ/5/amod man|NOUN/3/{}"
PASSIVES = [
    "man|NOUN/3/nsubj:pass be|AUX/3/aux:pass bite|VERB/0/root by|ADP/5/case dog|NOUN/3/obl:agent",
    "man|NOUN/3/nsubjpass be|AUX/3/auxpass bite|VERB/0/root by|ADP/3/agent dog|NOUN/4/pobj",
    "man|NOUN/3/nsubj:pass be|AUX/3/aux:pass bite|VERB/0/root by|ADP/5/case dog|NOUN/3/obl",
]
SEVERAL = "{}|ADJ/4/amod odd|ADJ/4/amod {}|ADJ/4/amod dog|NOUN/0/root"
SENTENCES = [  # text, its vector, dependents composed by a matrix, those added, unknown words
    # BIG dog = (2 1); V_subject of it = (2 + 2, 1) = (4 1). SMALL man = (6 -1); V_object of it = (-1, 6 - 1) = (-1 5).
    # With bite, (5 7): (8 13)
    *((BITES.format(label), [8, 13], 4, 0, 0) for label in ("obj", "dobj")),
    # V_subject dog = (1 + 4, 2) = (5 2). V_object man = (-1, 3 - 1) = (-1 2). With (5 7): (9 11). In a passive the
    # subject is the object and the by phrase the subject; a short one has no subject
    ("dog|NOUN/2/nsubj bite|VERB/0/root man|NOUN/2/obj", [9, 11], 2, 0, 0),
    *((passive, [9, 11], 2, None, 0) for passive in PASSIVES),
    ("man|NOUN/3/nsubjpass be|AUX/3/auxpass bite|VERB/0/root", [-1 + 5, 2 + 7], 1, None, 0),
    ("dog|NOUN/0/root", [1, 2], 0, 0, 0),
    # several roots, in lower case
    ("Dog|NOUN/0/root MAN|NOUN/0/root", [4, 1], 0, 0, 0),
    # the unicorn bit the zero: both nouns without vectors, zero's being zero; function words are not unknown
    ("the|DET/2/det unicorn|NOUN/3/nsubj bite|VERB/0/root he|PRON/3/obj zero|NOUN/3/obl .|PUNCT/3/punct", [5, 7],
     0, 0, 2),
    # function words are skipped even with vectors
    ("the|DET/2/det dog|NOUN/0/root", [1, 2], 0, 0, 0),
    # a modifier of an unknown noun is added, a matrix would have nothing to work on: (7 5) + (4 6)
    ("big|ADJ/2/amod unicorn|NOUN/3/nsubj sleep|VERB/0/root", [11, 11], 0, 2, 1),
    # the dog in the park slept loudly: (1 2) + (0 4) + (4 6) + (10 0), by either scheme; in Stanford's the preposition
    # brings park's vector
    ("dog|NOUN/4/nsubj in|ADP/1/prep park|NOUN/2/pobj sleep|VERB/0/root loudly|ADV/4/advmod", [15, 12], 0, 4, 0),
    ("dog|NOUN/4/nsubj in|ADP/3/case park|NOUN/1/nmod sleep|VERB/0/root loudly|ADV/4/advmod", [15, 12], 0, 3, 0),
    # an argument is composed first, the dog in the park bites: V_subject ((1 2) + (0 4)) = (1 + 12, 6)
    ("dog|NOUN/4/nsubj in|ADP/3/case park|NOUN/1/nmod bite|VERB/0/root", [13 + 5, 6 + 7], 1, 1, 0),
    # dogs and cats bite: V_subject ((1 2) + (1 1)) = (2 + 6, 3); they bite and sleep: v + v'
    ("dog|NOUN/4/nsubj and|CCONJ/3/cc cat|NOUN/1/conj bite|VERB/0/root", [8 + 5, 3 + 7], 1, 1, 0),
    ("dog|NOUN/2/nsubj bite|VERB/0/root sleep|VERB/2/conj", [5 + 5 + 4, 2 + 7 + 6], 1, 1, 0),
    # a modifier takes the noun alone, its own dependents are added. Truly big dog in the park: BIG dog = (2 1),
    # + truly (0 1) + park (0 4)
    ("truly|ADV/2/advmod big|ADJ/3/amod dog|NOUN/0/root in|ADP/5/case park|NOUN/3/nmod", [2, 6], 1, 2, 0),
    # a modifier of a modifier is added: a dog of big cats, CAT dog = (1 -2), + big (7 5)
    ("big|ADJ/2/amod cat|NOUN/3/compound dog|NOUN/0/root", [8, 3], 1, 1, 0),
    # big small dog: BIG (SMALL dog) = BIG (2 2) = (2 2); small big dog: SMALL (2 1) = (4 1). With odd, + (2 2)
    (SEVERAL.format("big", "small"), [4, 4], 2, 1, 0),
    (SEVERAL.format("small", "big"), [6, 3], 2, 1, 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "by_matrix", "added", "unknown"), SENTENCES)
def test_sentences_by_hand(text, expected, by_matrix, added, unknown):
    assert vector(text) == expected
    counts = told(text)
    added = counts["added"] if added is None else added
    assert counts == {"by_matrix": by_matrix, "added": added, "unknown": unknown, "left_out": 0}


def test_without_the_verbs_vector():
    assert vector(BITES.format("obj"), how="gupta") == [3, 6]
    assert vector("bite|VERB/0/root", how="gupta") == [5, 7]  # no matrix was applied: v stays


@pytest.mark.parametrize("how", ["paperno", "gupta"])
def test_five_words_as_the_practical_lexical_function_composes_them(how):
    phrases = [
        ["big|ADJ", "dog|NOUN", "bite|VERB", "small|ADJ", "man|NOUN"],
        ["odd|ADJ", "dog|NOUN", "bite|VERB", "cat|NOUN", "man|NOUN"],
    ]
    labels = ["amod", "amod"], ["amod", "compound"]
    trees = [
        Tree(phrase, [1, 2, -1, 4, 2], [A1, "nsubj", "root", A2, "obj"])
        for phrase, (A1, A2) in zip(phrases, labels, strict=True)
    ]
    expected = MODEL.compose(phrases, how, rows=WORDS)
    np.testing.assert_array_equal(PLFSentences(MODEL, WORDS, how).embed(trees)[0], expected)


def test_without_matrices_it_is_addition():
    """(7 5) + (1 2) + (5 7) + (9 8) + (3 -1)"""
    text = BITES.format("obj")
    assert vector(text, NOTHING) == vector(text, NOTHING, how="gupta") == [25, 21]
    assert told(text, NOTHING) == {"by_matrix": 0, "added": 4, "unknown": 0, "left_out": 0}


def test_no_words_and_no_sentences():
    vectors, counts = PLFSentences(MODEL, WORDS).embed([Tree([], [], []), tree("dog|NOUN/0/root")])
    assert vectors.tolist() == [[0, 0], [1, 2]]
    assert [n.tolist() for n in counts] == [[0, 0]] * 4
    vectors, counts = PLFSentences(MODEL, WORDS).embed([])
    assert vectors.shape == (0, 2) and [n.tolist() for n in counts] == [[]] * 4


def test_a_function_word_has_no_vector_but_its_matrix():
    text, other = "other|ADJ/2/amod dog|NOUN/0/root", of({"other|ADJ": BIG}, {}, {})
    assert vector(text, other) == [2, 1]
    assert told(text) == {"by_matrix": 0, "added": 0, "unknown": 0, "left_out": 1}


def test_function_words_go_by_their_part_of_speech():
    """Need as a noun: V_object need = (2, 9 + 2), and bite (5 7). As an auxiliary it gives nothing, nor does *can*."""
    space = Space(["bite|VERB", "need|NOUN", "need|AUX", "can|VERB"], [[5, 7], [9, 2], [1, 1], [1, 1]])
    texts = "bite|VERB/0/root need|NOUN/1/obj", "need|AUX/2/aux bite|VERB/0/root", "can|VERB/2/aux bite|VERB/0/root"
    vectors, told = PLFSentences(MODEL, space).embed(map(tree, texts))
    assert vectors.tolist() == [[7, 18], [5, 7], [5, 7]]
    assert told.unknown.tolist() == [0, 0, 0] and told.left_out.tolist() == [0, 0, 1]


def test_order_of_dependents_does_not_matter():
    first = "big|ADJ/2/amod dog|NOUN/3/nsubj bite|VERB/0/root man|NOUN/3/obj loudly|ADV/3/advmod"
    second = "loudly|ADV/3/advmod man|NOUN/3/obj bite|VERB/0/root dog|NOUN/3/nsubj big|ADJ/4/amod"
    for how in ("paperno", "gupta"):
        vectors, _ = PLFSentences(MODEL, WORDS, how).embed([tree(first), tree(second)])
        assert vectors[0].tolist() == vectors[1].tolist()  # (4 1) + (-1 2) + (10 0), and (5 7)
        assert vectors[0].tolist() == ([18, 10] if how == "paperno" else [13, 3])


def test_have_with_an_object_is_a_verb():
    """Dogs have parks: OBJECTS park = (4 4), + dog."""
    model = of({}, {}, {"have|VERB": OBJECTS})
    text = "dog|NOUN/2/nsubj have|AUX/0/root park|NOUN/2/obj"
    assert vector(text, model) == [5, 6]
    assert frames([tree(text)])[0].words[1] == "have|VERB"


def test_frames():
    bites, passive = frames([tree(BITES.format("obj")), tree(PASSIVES[1])])
    assert bites.slot == [MODIFIER, SUBJECT, ADDED, MODIFIER, OBJECT]
    assert bites.governor == [1, 2, -1, 4, 2]
    assert bites.predicates == {"big|ADJ", "small|ADJ", "bite|VERB"}
    assert passive.slot == [OBJECT, ADDED, ADDED, ADDED, SUBJECT]
    assert passive.governor == [2, 2, -1, 2, 2]  # dog leaves by for bite
    assert sorted(bites.top_down) == list(range(5)) and bites.top_down[0] == 2


def test_many_sentences_as_one_by_one(monkeypatch):
    monkeypatch.setattr("cdsm_lib.composition.practical_tree._BLOCK", 2)
    rng = np.random.default_rng(1)
    rows = Space(WORDS.rows, rng.normal(size=(len(WORDS), 6)))
    model = of({}, {}, {})
    for kind, source in (("modifiers", MODEL.modifiers), ("verb_subject", MODEL.verb_subject)):
        found = getattr(model, kind)
        found.functors, found.matrices = source.functors, rng.normal(size=(len(source.functors), 6, 6))
    model.verb_object.matrices = np.empty((0, 6, 6))
    texts = [BITES.format("obj"), *PASSIVES[:2], "unicorn|NOUN/0/root", BITES.format("dobj").replace("dog", "cat")]
    trees = [tree(text) for text in texts]
    plf = PLFSentences(model, rows)
    vectors, counts = plf.embed(iter(trees))
    assert vectors.dtype == np.float64
    for i, one in enumerate(trees):
        alone, of_one = plf.embed([one])
        np.testing.assert_allclose(vectors[i], alone[0], rtol=1e-13)
        assert [n[i] for n in counts] == [n[0] for n in of_one]


def test_tree_of_a_conllu_sentence(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(
        "1\tDogs\tDog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\t_\n\n", encoding="utf-8"
    )
    assert [Tree.of(sentence) for sentence in read_conllu(path)] == [tree("dog|NOUN/2/nsubj sleep|VERB/0/root")]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["a|NOUN"], [-1, 0], ["root"]), "1 words, 2 heads and 1 labels"),
        ((["a|NOUN", "b|NOUN"], [-1, 2], ["root", "obj"]), "head 2 in .* count from 0"),
        ((["a|NOUN"], [-2], ["root"]), "head -2"),
        ((["a|NOUN", "b|NOUN"], [1, 0], ["obj", "obj"]), "word 0 of .* cycle"),
        ((["a|NOUN", "b|NOUN"], [-1, 1], ["root", "obj"]), "word 1 of .* cycle"),
        ((["dog", "b|NOUN"], [-1, 0], ["root", "obj"]), "'dog' in .* is not lemma.UPOS"),
        ((["dog|"], [-1], ["root"]), "is not lemma.UPOS"),
    ],
)
def test_trees_refused(columns, message):
    with pytest.raises(PLFError, match=message):
        Tree(*columns)


def test_other_tags_refused():
    with pytest.raises(ValueError, match="needs universal tags"):
        vector("dog|NN/0/root")


@pytest.mark.parametrize(
    ("model", "rows", "options", "message"),
    [
        (MODEL, WORDS, {"how": "socher"}, "unknown variant 'socher'"),
        (PracticalLexicalFunction(), WORDS, {}, "call fit first"),
        (MODEL, Space(["a|NOUN"], np.ones((1, 3))), {}, "2 dimensions, but the space has 3"),
    ],
)
def test_models_refused(model, rows, options, message):
    with pytest.raises(PLFError, match=message):
        PLFSentences(model, rows, **options)
