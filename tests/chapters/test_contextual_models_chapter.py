"""From counts to similarities: gathering, senses that are kept, words of a domain, and every system's figures."""

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.cache import key_of
from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import MODELS, TrainingCounts
from cdsm_lib.composition.contextual import LatentSenses, Simple
from cdsm_lib.labels import Labels
from cdsm_lib.tasks import invariance, question_answering, relation_classification
from cdsm_lib.tasks.task import Text
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors.space import Space


def counts_of(matrix, rows, columns=None) -> Counts:
    matrix = np.asarray(matrix)
    columns = columns or [f"c{i}|NOUN" for i in range(matrix.shape[1])]
    return Counts(sparse.csr_array(matrix), Labels(rows), Labels(columns))


def dense(matrix) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


# ------------------------------------------------------------------------------------------------- saving and loading


def test_what_is_saved_is_loaded_and_rows_of_the_core_are_not_stored_twice(clauses, tmp_path):
    windows = clauses.general.windows
    core = Counts(windows.matrix[:5], windows.rows.take(range(5)), windows.columns)
    core.save(tmp_path / "count.npz")
    contextual_models.save(clauses.general, tmp_path, core=core)
    contextual_models.save(clauses.in_domain, tmp_path, name=contextual_models.DOMAIN)
    for name, saved in (("counts", clauses.general), (contextual_models.DOMAIN, clauses.in_domain)):
        assert key_of(contextual_models.load(tmp_path, name)) == key_of(saved)
    rest = Counts(windows.matrix[5:], windows.rows.take(range(5, len(windows.rows))), windows.columns)
    alone = contextual_models.storage.load(tmp_path / "cheung-counts.npz", TrainingCounts, kind=contextual_models.KIND)
    assert alone.windows.rows == rest.rows and (alone.windows.matrix != rest.matrix).nnz == 0


def test_the_teaching_sentences_are_those_of_three_sets():
    found = contextual_models.teaching_sentences()
    relations, questions = relation_classification.load("relations"), question_answering.load("questions")
    n = sum(map(len, relations)) + sum(map(len, questions.documents)) + len(questions)
    assert len(found) == n + 4 * len(invariance.load("invariance"))
    assert all(isinstance(sentence, Sentence) for sentence in found)
    ids = {sentence.comments["sent_id"] for sentence in found}
    assert {"acq1.01", "d01.s1", "q01", "q01.swapped"} <= ids and len(ids) == len(found)


# ---------------------------------------------------------------------------------------------------------- training


def test_association_by_hand():
    """Sums of rows 4 and 4, of columns 6 and 2, of all 8: P(c|t) / P(c) is f * 8 / (row * column)."""
    counts = counts_of([[4, 0], [2, 2]], ["a|NOUN", "b|NOUN"])
    ratio = contextual_models.association(counts, "ratio")
    np.testing.assert_allclose(dense(ratio.vectors), [[4 / 3, 0], [2 / 3, 2]], rtol=1e-6)
    ppmi = contextual_models.association(counts)
    np.testing.assert_allclose(dense(ppmi.vectors), [[np.log(4 / 3), 0], [0, np.log(2)]], rtol=1e-6)
    assert ppmi.rows == counts.rows and ppmi.dimensions == counts.columns and ppmi.is_sparse


def sparse_space(vectors, rows) -> Space:
    return Space(rows, sparse.csr_array(np.asarray(vectors, dtype=np.float32)))


def test_rows_for_is_zero_for_unknown_words():
    space = sparse_space([[1, 2], [3, 4]], ["a|NOUN", "b|NOUN"])
    found = contextual_models.rows_for(space, Labels(["x|NOUN", "b|NOUN", "a|NOUN", "y|NOUN"]))
    assert sparse.issparse(found) and found.toarray().tolist() == [[0, 0], [3, 4], [1, 2], [0, 0]]
    assert contextual_models.rows_for(space, Labels(["x|NOUN"])).toarray().tolist() == [[0, 0]]


# ---------------------------------------------------------------------------------------------------------- a domain


def test_a_word_of_the_domain_is_added_to_every_model(clauses):
    """*d0* occurs in the domain alone, *n0* in both: it keeps what the general corpus says of it."""
    trained, adapted = clauses.trained, clauses.adapted
    general = clauses.general.words
    assert list(adapted.words)[: len(general)] == list(general)
    assert set(list(adapted.words)[len(general) :]) == {"d0|NOUN", "d1|NOUN", "dv|VERB"}
    own = contextual_models.association(clauses.in_domain.windows)
    before, after = trained.models["M&L"].space, adapted.models["M&L"].space
    np.testing.assert_array_equal(after["d0|NOUN"], own["d0|NOUN"])
    np.testing.assert_array_equal(after["n0|NOUN"], before["n0|NOUN"])
    assert after["d0|NOUN"].any() and (before["n0|NOUN"] != own["n0|NOUN"]).any()
    assert adapted.models["E&P"].space.rows == after.rows
    assert not trained.models["E&P"].preference("dv|VERB", "obj").any()
    assert adapted.models["E&P"].preference("dv|VERB", "obj").any()
    kept = [models.models["E&P"].preference("v0|VERB", "nsubjpass") for models in (trained, adapted)]
    assert kept[0].any() and adapted.models["E&P"].triples.origin.max() == 1
    np.testing.assert_array_equal(*kept)  # the domain's triples of general words alone are left out
    first = adapted.models["TFP"].first[[adapted.models["TFP"].words.index("d0|NOUN")]]
    assert first.nnz and "d0|NOUN" not in trained.models["TFP"].words
    senses, known = adapted.models["D&L"], trained.models["D&L"]
    assert senses.words == adapted.words and senses.window == known.window
    np.testing.assert_array_equal(senses.senses[: len(general)], known.senses)
    np.testing.assert_allclose(senses.senses[len(general) :].sum(axis=1), 1, rtol=1e-5)


def test_senses_of_a_new_word_are_those_of_its_nearest_by_hand(clauses):
    """*kinase* shares contexts with *dog* alone in the domain, whatever the general counts say of *cat*."""
    words, corpus, settings = ["dog|NOUN", "cat|NOUN", "x|NOUN"], clauses.corpus, clauses.settings
    general = contextual_models.gather(corpus, settings, windows=counts_of(np.eye(3, dtype=int) * 9, words))
    theta = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    latent = LatentSenses(words, theta, general.windows.columns, np.full((2, 3), 1 / 3))
    models = {"M&L": Simple(contextual_models.association(general.windows)), "D&L": latent}
    domain = counts_of([[4, 0, 1], [0, 6, 0], [8, 0, 0]], ["dog|NOUN", "cat|NOUN", "kinase|NOUN"])
    in_domain = contextual_models.gather(corpus, settings, windows=domain)
    trained = contextual_models.Trained(general.words, models)
    adapted = contextual_models.adapt(trained, general, in_domain, settings)
    assert list(adapted.words) == [*words, "kinase|NOUN"] and tuple(adapted.models) == MODELS
    assert adapted.models["D&L"].senses[3].tolist() == [0.75, 0.25]


def test_coverage_counts_content_tokens():
    """Of five content tokens *rex* has no row, and *zero* has one that is all zeros."""
    flat = Simple(sparse_space([[1, 0], [0, 1], [1, 1], [0, 0]], ["dog|NOUN", "bark|VERB", "cat|NOUN", "zero|NOUN"]))
    known = Text(("dog", "bark"), ("dog|NOUN", "bark|VERB"))
    other = Text(("cat", "zero", "rex"), ("cat|NOUN", "zero|NOUN", None), (), ("rex|PROPN",))
    trained = contextual_models.Trained(flat.space.rows, {"M&L": flat})
    rows = [*contextual_models.coverage(trained, [known, other], space="a space", dataset="a set")]
    assert [(r.system, r.metric, r.value) for r in rows] == [("M&L", "share without a vector", pytest.approx(2 / 5))]
    assert {(r.space, r.dataset, r.split) for r in rows} == {("a space", "a set", "all")} and rows[0].model == "M&L"
