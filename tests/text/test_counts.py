"""Counting: sentences counted by hand, a slow reference in pure Python, and the same counts however they are made."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.text import counts as counting
from cdsm_lib.text import dependencies
from cdsm_lib.text.corpus import corpus_from_text, sentence
from cdsm_lib.text.counts import (
    CONTENT_READINGS,
    CONTENT_TAGS,
    STOP_WORDS,
    content_mask,
    content_words,
    count_phrases,
    count_windows,
)
from cdsm_lib.text.dependencies import Triples, arcs, backed_off, count_dependencies, count_triples


def as_dict(counts):
    table = counts.matrix.tocoo()
    return {(counts.rows[r], counts.columns[c]): int(v) for r, c, v in zip(*table.coords, table.data, strict=True)}


CHASE = "the|DET dog|NOUN chase|VERB the|DET small|ADJ black|ADJ cat|NOUN .|PUNCT"
SLEEP = "a|DET cat|NOUN sleep|VERB and|CCONJ the|DET cat|NOUN dream|VERB"
WORDS = ["dog|NOUN", "chase|VERB", "small|ADJ", "black|ADJ", "cat|NOUN", "sleep|VERB", "dream|VERB"]


def test_stop_words():
    assert 150 <= len(STOP_WORDS) <= 350 and {"the", "of", "be", "have", "not", "which"} <= STOP_WORDS
    assert all(word == word.lower() for word in STOP_WORDS)
    words = Labels(["dog|NOUN", "the|DET", "be|VERB", "-|ADJ", "1990s|NOUN", "3|NOUN", "|NOUN", "paris|PROPN"])
    assert content_mask(words).tolist() == [True, False, False, False, True, False, False, True]
    assert all(readings < STOP_WORDS and tag in CONTENT_TAGS for tag, readings in CONTENT_READINGS.items())
    words = Labels("need|NOUN need|AUX own|VERB own|ADJ round|ADJ round|ADP may|PROPN may|VERB up|NOUN".split())
    assert content_mask(words).tolist() == [True, False, True, False, True, False, True, False, False]


def test_content_words_by_frequency_then_alphabet():
    corpus = corpus_from_text(CHASE, SLEEP)
    assert list(content_words(corpus, 3)) == ["cat|NOUN", "black|ADJ", "chase|VERB"]
    assert list(content_words(corpus)) == ["cat|NOUN", *sorted(set(WORDS) - {"cat|NOUN"})]
    assert len(content_words(corpus, 0)) == 0


def test_sums_of_rows_and_columns_by_hand():
    """dog chase [the] small black cat | cat sleep [and the] cat dream: neighbours once function words are out."""
    counts = count_windows(corpus_from_text(CHASE, SLEEP), WORDS, WORDS, window=1)
    assert counts.row_sums.tolist() == counts.column_sums.tolist() == [1, 2, 2, 2, 4, 2, 1] and counts.total == 14
    assert counts.matrix.dtype == np.int32
    some = count_windows(corpus_from_text(CHASE, SLEEP), WORDS, ["dog|NOUN", "sleep|VERB"], window=1)
    assert some.row_sums.sum() == 3 and some.column_sums.tolist() == [1, 2] and len(some.row_sums) == len(WORDS)


BY_HAND = [  # a sentence, rows, columns, options, and what meets how often
    (SLEEP, "cat|NOUN dream|VERB", "cat|NOUN sleep|VERB", {"window": None},
     {"cat|NOUN cat|NOUN": 2, "cat|NOUN sleep|VERB": 2, "dream|VERB cat|NOUN": 2, "dream|VERB sleep|VERB": 1}),
    (CHASE, "dog|NOUN", "cat|NOUN small|ADJ", {"window": 2}, {"dog|NOUN small|ADJ": 1}),  # *chase* takes its place
    (CHASE, "cat|NOUN", "black|ADJ .|PUNCT", {"window": 1, "content_only": False},
     {"cat|NOUN black|ADJ": 1, "cat|NOUN .|PUNCT": 1}),
    ("dog|NOUN have|VERB a|DET big|ADJ bone|NOUN", "have|VERB dog|NOUN cow|NOUN", "dog|NOUN big|ADJ bone|NOUN",
     {"window": 1}, {"have|VERB dog|NOUN": 1, "have|VERB big|ADJ": 1, "dog|NOUN big|ADJ": 1}),  # *have* takes none
]  # fmt: skip


@pytest.mark.parametrize(("text", "rows", "columns", "options", "expected"), BY_HAND)
def test_windows_by_hand(text, rows, columns, options, expected):
    counts = count_windows(corpus_from_text(text), rows.split(), columns.split(), **options)
    assert as_dict(counts) == {tuple(pair.split()): n for pair, n in expected.items()}


def test_bad_requests_are_refused():
    for rows, columns, window, problem in [
        (WORDS, ["the|DET", "dog|NOUN", "be|VERB"], 2, r"2 columns are no content words \(the\|DET, be\|VERB\)"),
        (WORDS, WORDS, 0, "window=0"), (WORDS, WORDS, 1.5, "window=1.5: it must be a whole"),
        ("dog|N", WORDS, 1, "'dog|N': labels are strings, several in a list"),
        ([3], WORDS, 1, "labels are strings"),
        ([], WORDS, 1, "nothing to count"),
        (["a|NOUN", "a|NOUN"], WORDS, 1, "twice"),
    ]:
        with pytest.raises(ValueError, match=problem):
            count_windows(corpus_from_text(CHASE), rows, columns, window=window)


# ----------------------------------------------------------------------------------------- against a slow reference


def slow_windows(sentences, rows, columns, window, content_only):
    """The definition, word by word."""
    counts = Counter()
    for tokens in sentences:
        for i, word in enumerate(tokens):
            if word not in rows:
                continue
            left = [w for w in tokens[:i] if not content_only or content_mask(Labels([w]))[0]]
            right = [w for w in tokens[i + 1 :] if not content_only or content_mask(Labels([w]))[0]]
            if window is not None:
                left, right = left[-window:], right[:window]
            counts.update((word, context) for context in left + right if context in columns)
    return dict(counts)


VOCABULARY = [f"{letter}|{tag}" for letter in "abcdef" for tag in ("NOUN", "X")] + ["be|VERB", "-|ADJ"]
TEXTS = st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), min_size=1, max_size=8)
CONTENT = [word for word in VOCABULARY if content_mask(Labels([word]))[0]]


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.sampled_from([1, 2, 5, None]), st.booleans(), st.integers(0, 2**20), st.sampled_from([3, 1000]))
def test_windows_equal_the_slow_reference(texts, window, content_only, choice, part_tokens):
    corpus = corpus_from_text(*(" ".join(text) for text in texts))
    rng = np.random.default_rng(choice)
    rows = [word for word in VOCABULARY if rng.random() < 0.7] or VOCABULARY
    columns = [word for word in (CONTENT if content_only else VOCABULARY) if rng.random() < 0.7] or CONTENT
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PART", part_tokens)
        patch.setattr(counting, "SCRATCH", 10 * part_tokens)
        counts = count_windows(corpus, rows, columns, window=window, content_only=content_only, threads=2)
    assert as_dict(counts) == slow_windows(texts, set(rows), set(columns), window, content_only)
    assert counts.matrix.has_sorted_indices


# ---------------------------------------------------------------------------------------- the same, however counted


def same(left, right):
    return left.rows == right.rows and left.columns == right.columns and (left.matrix != right.matrix).nnz == 0


def test_a_sum_that_outgrows_int32_is_kept():
    part = sparse.csr_array(np.array([[2**30]], dtype=np.int32))
    assert counting.summed([part] * 3, (1, 1)).toarray().tolist() == [[3 * 2**30]]


# ------------------------------------------------------------------------------------------------------- phrases


def test_phrases_by_hand():
    """the dog (chase) the small black (cat) today: chase cat with a window of 1 meets dog, small, black and today."""
    corpus = corpus_from_text(
        "old|ADJ dog|NOUN chase|VERB the|DET small|ADJ black|ADJ cat|NOUN today|NOUN again|ADV",
        "cat|NOUN chase|VERB cat|NOUN",
    )
    positions = np.array([[2, 6], [10, 11], [10, 9], [1, 2]])
    columns = ["old|ADJ", "dog|NOUN", "small|ADJ", "black|ADJ", "today|NOUN", "cat|NOUN"]
    labels = ["chase cat", "dog chase"]
    counts = count_phrases(corpus, positions, [0, 0, 0, -1], labels, columns, window=1)
    once = ("dog|NOUN", "small|ADJ", "black|ADJ", "today|NOUN")
    assert as_dict(counts) == {("chase cat", word): 1 for word in once} | {("chase cat", "cat|NOUN"): 2}


# -------------------------------------------------------------------------------------------------- dependencies

CLEAR = (
    "scientist|NOUN/2/nsubj discover|VERB/0/root big|ADJ/4/amod star|NOUN/2/dobj with|ADP/2/prep "
    "telescope|NOUN/5/pobj .|PUNCT/2/punct"
)
UD = (
    "scientist|NOUN/2/nsubj discover|VERB/0/root big|ADJ/4/amod star|NOUN/2/obj with|ADP/6/case "
    "telescope|NOUN/2/obl .|PUNCT/2/punct"
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.sampled_from([1, 2, None]), st.booleans(), st.integers(0, 2**20), st.sampled_from([4, 1000]))
def test_phrases_equal_the_slow_reference(texts, window, content_only, choice, part_tokens):
    corpus = corpus_from_text(*(" ".join(text) for text in texts))
    rng = np.random.default_rng(choice)
    flat = [word for text in texts for word in text]
    columns = CONTENT if content_only else VOCABULARY
    occurrences, phrase_of, expected = [], [], Counter()
    for s in rng.integers(0, len(texts), size=10):
        start, stop = corpus.offsets[s], corpus.offsets[s + 1]
        own = rng.integers(start, stop, size=3)
        occurrences.append(own)
        phrase_of.append(int(rng.integers(0, 4)))
        places = [t for t in range(start, stop) if not content_only or flat[t] in CONTENT]
        left = [t for t in places if t < own.min()]
        right = [t for t in places if t > own.max()]
        if window is not None:
            left, right = left[-window:], right[:window]
        inside = [t for t in places if own.min() <= t <= own.max() and t not in own]
        expected.update((f"p{phrase_of[-1]}", flat[t]) for t in left + inside + right if flat[t] in columns)
    phrases = (np.array(occurrences), phrase_of, [f"p{i}" for i in range(4)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PART", part_tokens)
        counts = count_phrases(corpus, *phrases, columns, window=window, content_only=content_only, threads=2)
    assert as_dict(counts) == expected


@pytest.mark.parametrize(("text", "object_label"), [(CLEAR, "dobj"), (UD, "obj")])
def test_levy_and_goldberg_figure_1(text, object_label):
    """Their example: with collapsed prepositions both schemes give discover the context prep_with:telescope."""
    rows = ["discover|VERB", "star|NOUN", "telescope|NOUN", "with|ADP"]
    counts = count_dependencies(corpus_from_text(text), rows)
    assert as_dict(counts) == {
        ("discover|VERB", "nsubj:scientist|NOUN"): 1,
        ("discover|VERB", f"{object_label}:star|NOUN"): 1,
        ("discover|VERB", "prep_with:telescope|NOUN"): 1,
        ("star|NOUN", f"{object_label}-1:discover|VERB"): 1,
        ("star|NOUN", "amod:big|ADJ"): 1,
        ("telescope|NOUN", "prep_with-1:discover|VERB"): 1,
    }


COLLAPSED = [  # a tree, a word, and its contexts
    ("star|NOUN/3/nsubjpass be|AUX/3/auxpass see|VERB/0/root by|ADP/3/agent boy|NOUN/4/pobj", "see|VERB",
     "agent:boy|NOUN auxpass:be|AUX nsubjpass:star|NOUN"),
    ("star|NOUN/3/nsubj:pass be|AUX/3/aux:pass see|VERB/0/root by|ADP/5/case boy|NOUN/3/obl:agent", "see|VERB",
     "agent:boy|NOUN aux:pass:be|AUX nsubj:pass:star|NOUN"),
    ("see|VERB/0/root by|ADP/1/agent boy|NOUN/2/pobj", "boy|NOUN", "agent-1:see|VERB"),
    ("go|VERB/0/root out|ADP/1/prep of|ADP/2/prep house|NOUN/3/pobj", "go|VERB", "prep:out|ADP prep_of:house|NOUN"),
    ("win|VERB/0/root by|ADP/1/prep cheat|VERB/2/pcomp", "win|VERB", "prepc_by:cheat|VERB"),
    ("go|VERB/0/root in|ADP/1/prep", "go|VERB", "prep:in|ADP"),
    ("dog|NOUN/3/nmod:poss 's|PART/1/case tail|NOUN/0/root", "tail|NOUN", "nmod:poss:dog|NOUN"),
    ("late|ADJ/0/root because|ADP/4/case of|ADP/4/case rain|NOUN/1/obl", "late|ADJ", "prep_because:rain|NOUN"),
    ("sit|VERB/0/root as|ADP/1/prep judge|NOUN/2/pobj rise|VERB/1/conj as|SCONJ/4/prep judge|NOUN/5/pobj",
     "judge|NOUN", "prep_as-1:rise|VERB prep_as-1:sit|VERB"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "word", "columns"), COLLAPSED)
def test_agents_prepositions_on_prepositions_clauses_and_possessives(text, word, columns):
    assert list(count_dependencies(corpus_from_text(text), [word]).columns) == columns.split()


def test_dependency_columns_and_thresholds(monkeypatch):
    corpus = corpus_from_text(CLEAR, CLEAR, "scientist|NOUN/2/nsubj sleep|VERB/0/root")
    counts = count_dependencies(corpus, ["scientist|NOUN", "discover|VERB"], min_count=2)
    assert list(counts.columns) == [
        "dobj:star|NOUN", "nsubj-1:discover|VERB", "nsubj:scientist|NOUN", "prep_with:telescope|NOUN",
    ]  # fmt: skip
    monkeypatch.setattr(dependencies, "PART", 3)
    assert same(counts, count_dependencies(corpus, counts.rows, min_count=2))


# ------------------------------------------------------------------------------------------------------- triples


def triples_as_dict(triples):
    """How often each stands there, as *see|VERB nsubj boy|NOUN*."""
    governors, dependents = map(triples.words.decode, (triples.governor, triples.dependent))
    names = zip(governors, triples.relations.decode(triples.relation), dependents, strict=True)
    return dict(zip(map(" ".join, names), triples.count.tolist(), strict=True))


def weights(triples):
    return dict(zip(triples_as_dict(triples), triples.pmi(), strict=True))


SCHEMES = {
    "CLEAR": (
        "boy|NOUN/2/nsubj see|VERB/0/root star|NOUN/2/dobj with|ADP/2/prep telescope|NOUN/4/pobj",
        "star|NOUN/3/nsubjpass be|AUX/3/auxpass see|VERB/0/root by|ADP/3/agent boy|NOUN/4/pobj",
        "boy|NOUN/3/poss dog|NOUN/3/compound house|NOUN/0/root that|PRON/5/nsubj burn|VERB/3/relcl",
    ),
    "UD 1": (
        "boy|NOUN/2/nsubj see|VERB/0/root star|NOUN/2/dobj with|ADP/5/case telescope|NOUN/2/nmod",
        "star|NOUN/3/nsubjpass be|AUX/3/auxpass see|VERB/0/root by|ADP/5/case boy|NOUN/3/nmod",
        "boy|NOUN/3/nmod:poss dog|NOUN/3/nn house|NOUN/0/root that|PRON/5/nsubj burn|VERB/3/acl:relcl",
    ),
    "UD 2": (
        "boy|NOUN/2/nsubj see|VERB/0/root star|NOUN/2/obj with|ADP/5/case telescope|NOUN/2/obl",
        "star|NOUN/3/nsubj:pass be|AUX/3/aux:pass see|VERB/0/root by|ADP/5/case boy|NOUN/3/obl:agent",
        "boy|NOUN/3/nmod:poss dog|NOUN/3/compound house|NOUN/0/root that|PRON/5/nsubj burn|VERB/3/acl:relcl",
    ),
}
SEEN = ["see|VERB", "boy|NOUN", "star|NOUN", "telescope|NOUN", "house|NOUN", "dog|NOUN", "burn|VERB"]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_triples_have_one_name_in_every_scheme(scheme):
    corpus = corpus_from_text(*SCHEMES[scheme])
    seen = "nsubj boy, obj star, prep_with telescope, nsubjpass star, agent boy".split(", ")
    expected = {f"see|VERB {arc}|NOUN" for arc in seen}
    expected |= {f"house|NOUN {arc}" for arc in ("poss boy|NOUN", "compound dog|NOUN", "relcl burn|VERB")}
    assert triples_as_dict(count_triples(corpus, SEEN)) == dict.fromkeys(expected, 1)
    active = triples_as_dict(count_triples(corpus, SEEN, resolve_voice=True))
    passive = {"see|VERB nsubjpass star|NOUN", "see|VERB agent boy|NOUN"}
    assert active["see|VERB obj star|NOUN"] == active["see|VERB nsubj boy|NOUN"] == 2
    assert {*active} == expected - passive


def test_an_agent_without_a_label_needs_a_passive_verb():
    boy = "by|ADP/{0}/case boy|NOUN/{1}/nmod"
    reduced = "star|NOUN/0/root see|VERB/1/acl " + boy.format(4, 2)
    active = "star|NOUN/2/nsubj see|VERB/0/root " + boy.format(4, 2)
    found = triples_as_dict(count_triples(corpus_from_text(reduced), SEEN))
    assert found == {"see|VERB agent boy|NOUN": 1, "star|NOUN acl see|VERB": 1}
    assert "see|VERB prep_by boy|NOUN" in triples_as_dict(count_triples(corpus_from_text(active), SEEN))
    assert "prep_by:boy|NOUN" in count_dependencies(corpus_from_text(reduced), ["see|VERB"]).columns  # as it always was


def test_sums_and_pmi_by_hand_and_pruning(monkeypatch):
    """Ten arcs: obj 8 times, eat governs 6 of them, apple hangs from 5; f(eat, obj, apple) = 4."""
    obj = "{}|VERB/0/root {}|NOUN/1/dobj"
    texts = [("eat", "apple")] * 4 + [("eat", "cake")] * 2 + [("bake", "apple"), ("bake", "cake")]
    corpus = corpus_from_text(*(obj.format(*pair) for pair in texts), *["apple|NOUN/2/nsubj bake|VERB/0/root"] * 2)
    words = ["eat|VERB", "bake|VERB", "apple|NOUN", "cake|NOUN", "plum|NOUN"]
    triples = count_triples(corpus, words)
    assert list(triples.relations) == ["obj", "nsubj"] and triples.relation_sums.tolist() == [8, 2]
    assert triples.governor_sums.toarray().tolist() == [[6, 2, 0, 0, 0], [0, 2, 0, 0, 0]]
    assert triples.dependent_sums.toarray().tolist() == [[0, 0, 5, 3, 0], [0, 0, 2, 0, 0]]
    baked = {"bake|VERB obj apple|NOUN": 1, "bake|VERB obj cake|NOUN": 1, "bake|VERB nsubj apple|NOUN": 2}
    assert triples_as_dict(triples) == {"eat|VERB obj apple|NOUN": 4, "eat|VERB obj cake|NOUN": 2, **baked}
    pmi = np.log([4 * 8 / (6 * 5), 2 * 8 / (6 * 3), 1 * 8 / (2 * 5), 1 * 8 / (2 * 3), 2 * 2 / (2 * 2)])
    np.testing.assert_allclose(triples.pmi(), pmi, atol=1e-12)
    frequent = triples.pruned(2)
    assert list(triples_as_dict(frequent).values()) == [4, 2, 2]
    np.testing.assert_allclose(frequent.pmi(), pmi[[0, 1, 4]], atol=1e-12)
    monkeypatch.setattr(dependencies, "PART", 3)
    counted = count_triples(corpus, words, min_count=2)
    assert triples_as_dict(counted) == triples_as_dict(frequent)
    assert (counted.governor_sums != triples.governor_sums).nnz == 0
    assert (counted.dependent_sums != triples.dependent_sums).nnz == 0
    assert len(count_triples(corpus, ["plum|NOUN"])) == len(count_triples(corpus, ["plum|NOUN"]).pmi()) == 0


WORD = st.sampled_from(["boy|NOUN", "see|VERB", "by|ADP", "with|ADP", "big|ADJ"])
LABEL = st.sampled_from(["dobj", "nsubj", "prep", "pobj", "nmod", "case", "agent", "auxpass", "acl", "pcomp"])
TREE = st.lists(st.tuples(WORD, st.integers(0, 5), LABEL), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(TREE, min_size=1, max_size=6), st.booleans())
def test_the_corpus_is_the_sum_of_its_sentences(trees, resolve_voice):
    """Each head stands to the left, so that every tree is sound; the first token is the root."""
    texts = [
        " ".join(f"{word}/{min(i, head + 1) if i else 0}/{label if i else 'root'}" for i, (word, head, label)
                 in enumerate(tree))
        for tree in trees
    ]  # fmt: skip
    words = ["boy|NOUN", "see|VERB", "big|ADJ", "with|ADP"]
    expected = Counter()
    for text in texts:
        one = sentence(text)
        labels = [f"{token.lemma}|{token.upos}" for token in one]
        for arc in arcs(one, resolve_voice=resolve_voice):
            if {labels[arc.governor], labels[arc.dependent]} <= set(words):
                expected[f"{labels[arc.governor]} {arc.relation} {labels[arc.dependent]}"] += 1
    triples = count_triples(corpus_from_text(*texts), words, resolve_voice=resolve_voice)
    assert triples_as_dict(triples) == expected


def test_backing_off_to_a_special_corpus():
    general = count_triples(corpus_from_text(*SCHEMES["CLEAR"]), SEEN)
    texts = ["gene|NOUN/2/nsubj see|VERB/0/root star|NOUN/2/dobj"] * 3 + ["bind|VERB/0/root gene|NOUN/1/dobj"]
    special = count_triples(corpus_from_text(*texts), ["gene|NOUN", "see|VERB", "star|NOUN", "bind|VERB"])
    both = backed_off(general, special)
    assert list(both.words) == [*SEEN, "gene|NOUN", "bind|VERB"]
    found = triples_as_dict(both)
    assert found == triples_as_dict(general) | {"see|VERB nsubj gene|NOUN": 3, "bind|VERB obj gene|NOUN": 1}
    assert found["see|VERB obj star|NOUN"] == 1  # seen three times in the special corpus
    alone, expected = weights(special), weights(general)
    expected |= {key: alone[key] for key in found if key not in expected}
    assert weights(both) == pytest.approx(expected)


def test_a_triple_that_is_given_twice_is_added_and_all_are_put_in_order():
    sums = sparse.csr_array(np.array([[1, 1]]))
    twice = Triples(["a", "b"], ["r"], [1, 0, 1], [0] * 3, [0, 1, 0], [1, 2, 3], sums, sums)
    assert triples_as_dict(twice) == {"a r b": 2, "b r a": 4}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_resolving_the_voice_of_triples_is_counting_them_resolved(scheme):
    corpus = corpus_from_text(*SCHEMES[scheme])
    afterwards, at_once = count_triples(corpus, SEEN).voice_resolved(), count_triples(corpus, SEEN, resolve_voice=True)
    assert triples_as_dict(afterwards) == triples_as_dict(at_once)
    assert weights(afterwards) == pytest.approx(weights(at_once), rel=1e-9)
