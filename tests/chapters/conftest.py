"""Small worlds for the pipelines: phrases whose vectors are planted, and clauses of random words with their trees."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.training_counts import Phrases, TrainingCounts
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.text.corpus import Sentence, corpus_from_sentences, sentence
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors.space import Space

NOUNS = "animal food kitten puppy soup cake yarn ball milk water family cook".split()
VERBS = ("chase", "feed", "drink")
WORDS = Labels([f"{noun}|NOUN" for noun in NOUNS] + [f"{verb}|VERB" for verb in VERBS])
N, V, D = len(NOUNS), len(VERBS), 4

DEV = """
SBJ kitten_N: animal_N that chase_V yarn_N
OBJ kitten_N: animal_N that family_N feed_V
SBJ kitten_N: animal_N that drink_V milk_N
SBJ puppy_N: animal_N that chase_V ball_N
OBJ puppy_N: animal_N that cook_N feed_V
SBJ puppy_N: animal_N that drink_V water_N
OBJ soup_N: food_N that family_N drink_V
SBJ soup_N: food_N that feed_V family_N
OBJ soup_N: food_N that cook_N drink_V
OBJ cake_N: food_N that puppy_N chase_V
SBJ cake_N: food_N that feed_V cook_N
OBJ cake_N: food_N that kitten_N chase_V
"""
TEST = """
SBJ yarn_N: ball_N that chase_V kitten_N
OBJ yarn_N: ball_N that animal_N chase_V
SBJ cook_N: family_N that feed_V puppy_N
SBJ cook_N: family_N that drink_V soup_N
OBJ cook_N: family_N that kitten_N feed_V
SBJ milk_N: water_N that feed_V animal_N
OBJ milk_N: water_N that kitten_N drink_V
OBJ milk_N: water_N that puppy_N drink_V
SBJ milk_N: water_N that feed_V cake_N
SBJ yarn_N: ball_N that chase_V puppy_N
"""

SETTINGS = {
    "seed": 3,
    "phrases": {"transitive": False, "participles": True},
    "clauses": {"all_verbs": False, "names": False},
    "spaces": {
        "count_svd": {"contexts": 6, "dimensions": 5, "power": 0.5},
        "ppmi_svd": {"smoothing": 0.75, "dimensions": 5, "power": 0.5},
    },
    "relpron": {
        "dataset": "tiny", "verb_penalty": 1e-6, "fplf_penalty": 1e-3, "tensor_penalty": 0.1,
        "tensor_clauses": 20, "weighting": "text", "min_pairs": 2, "length": 3.0,
        "missing": "addition", "joint": True, "holistic": False,
        "add_to_clause_count": 1, "relational_noun_count": 10, "relational_pair_count": 2,
    },
    "beyond": {
        "nouns": 6, "nearest": 3, "space_weights": (0.5, 1.0, 2.0), "hn": (1.0, 1.5), "v": (0.5, 1.0),
        "varg": (0.0, 0.5, 1.0), "hubs": (0.0, 0.5),
    },
}  # fmt: skip


def task_of(text: str, split: str, name: str = "tiny") -> relpron.RelPron:
    return relpron.RelPron(tuple(relpron.parse_line(line) for line in text.strip().splitlines()), split, name)


def counts_of(matrix, rows) -> Counts:
    matrix = np.asarray(matrix)
    return Counts(sparse.csr_array(matrix), Labels(rows), Labels(f"context{i}|NOUN" for i in range(matrix.shape[1])))


def check_svd(counts: TrainingCounts, trained, weigh) -> None:
    """A space is the SVD of the weighed counts, U s^.5, its words 3 long on average; phrases are projected into it."""
    core = counts.counts["Count-SVD"].matrix.toarray().astype(float)
    _, s, Vt = np.linalg.svd(weigh(core))
    basis = Vt[:5].T / np.sqrt(s[:5])  # U s^.5 = A V s^-.5
    basis *= 3 / np.linalg.norm(weigh(core) @ basis, axis=1).mean()
    basis *= np.sign((trained.space.vectors * (weigh(core) @ basis)).sum(axis=0))
    np.testing.assert_allclose(trained.space.vectors, weigh(core) @ basis, atol=1e-5)
    assert list(trained.phrases) == ["subject", "object", "SBJ", "OBJ"]
    for kind, of_phrases in counts.phrase_counts["Count-SVD"].items():
        expected = weigh(of_phrases.matrix.toarray().astype(float)) @ basis
        np.testing.assert_allclose(trained.phrases[kind], expected, atol=1e-5)


def _make() -> SimpleNamespace:
    rng = np.random.default_rng(5)
    vectors = Space(WORDS, rng.normal(size=(len(WORDS), D)))
    x = vectors.vectors.astype(np.float64)
    planted = {kind: rng.normal(size=(V, D, D)) for kind in ("subject", "object")}
    pairs = np.array([(noun, verb) for verb in range(V) for noun in range(N)])
    drawn_clauses = {kind: rng.choice(N * V * N, size=24, replace=False) for kind in ("SBJ", "OBJ")}
    clauses = {kind: np.column_stack(np.unravel_index(c, (N, V, N))) + [0, N, 0] for kind, c in drawn_clauses.items()}
    pronoun = rng.normal(size=(2, D, D))

    def times(kind, verb, noun):
        return np.einsum("nij,nj->ni", planted[kind][verb], x[noun])

    ids = {"subject": pairs + [0, N], "object": (pairs + [0, N])[:, ::-1], **clauses}
    composed = {"subject": times("subject", pairs[:, 1], pairs[:, 0]), "object": times("object", *pairs.T[::-1])}
    for kind, role in (("SBJ", "object"), ("OBJ", "subject")):
        hn, verb, argument = ids[kind].T
        composed[kind] = x[hn] @ pronoun[0].T + times(role, verb - N, argument) @ pronoun[1].T
    phrases = {kind: Phrases(WORDS, i.astype(np.int32), rng.integers(2, 9, size=len(i))) for kind, i in ids.items()}
    svo = np.array([(0, N, 6), (1, N, 7), (2, N + 1, 3), (4, N + 2, 5), (0, N + 2, 9)], dtype=np.int32)
    svo = Phrases(WORDS, svo, np.array([5, 2, 3, 1, 4]))

    def drawn(rows, columns):
        return counts_of(rng.poisson(1.5, size=(len(rows), columns)), rows)

    counts = TrainingCounts(
        corpus="a corpus",
        alike={},
        frequency={word: 100 - i for i, word in enumerate(WORDS)},
        pattern={"animal": 3},
        svo=svo,
        triples=svo,
        phrases=phrases,
        counts={"Count": drawn(WORDS, 8), "Count-SVD": drawn(WORDS, 10)},
        phrase_counts={"Count-SVD": {kind: drawn(p.labels, 10) for kind, p in phrases.items()}},
        vectors=vectors,
        phrase_vectors={kind: v.astype(np.float32) for kind, v in composed.items()},
    )
    return SimpleNamespace(
        counts=counts, check_svd=partial(check_svd, counts), planted=planted, pronoun=pronoun,
        words=WORDS,
        profile=Profile("tiny", SETTINGS), tasks=(task_of(DEV, "dev"), task_of(TEST, "test")),
        task_of=task_of, counts_of=counts_of,
    )  # fmt: skip


@pytest.fixture(scope="session")
def tiny() -> SimpleNamespace:
    """Training counts, the matrices planted in them, a profile, and both splits of a task."""
    return _make()


# ------------------------------------------------------------------------------------------- clauses of random words

CONTEXTUAL = {
    "known": 40, "words": 14, "contexts": 10, "window": 2, "content_only": True, "weight": "ppmi", "triple_count": 1,
    "domain_triple_count": 2, "resolve_voice": False, "threshold": 2, "neighbours": "product", "min_count": 2,
    "min_pmi": 0.0, "seeds": 1, "senses": {"method": "gibbs", "dimensions": 3, "iterations": 4, "tokens": 20},
}  # fmt: skip


def active(subject: str, verb: str, object: str, adjective: str = "", **options) -> Sentence:
    """*the SUBJECT VERB the ADJECTIVE OBJECT*, with plain words as lemmas."""
    last = 6 if adjective else 5
    middle = f"{adjective}|ADJ/{last}/amod " if adjective else ""
    return sentence(
        f"the|DET/2/det {subject}|NOUN/3/nsubj {verb}s:{verb}|VERB/0/root the|DET/{last}/det {middle}"
        f"{object}|NOUN/3/obj",
        **options,
    )


def passive(subject: str, verb: str, object: str, **options) -> Sentence:
    """*the OBJECT is VERBed by the SUBJECT*."""
    return sentence(
        f"the|DET/2/det {object}|NOUN/4/nsubj:pass is:be|AUX/4/aux:pass {verb}ed:{verb}|VERB/0/root by|ADP/7/case "
        f"the|DET/7/det {subject}|NOUN/4/obl:agent",
        **options,
    )


def random_clauses(seed: int, n: int, nouns, verbs, adjectives) -> list[Sentence]:
    """Actives and, one in four, passives of words drawn at random."""
    rng, found = np.random.default_rng(seed), []
    for i in range(n):
        first, second = rng.choice(nouns, 2, replace=False).tolist()
        verb = str(rng.choice(verbs))
        of = passive(first, verb, second) if i % 4 == 3 else active(first, verb, second, str(rng.choice(adjectives)))
        found.append(of)
    return found


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    """The folder of kept senses, in a cache that is empty."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "cheung"


@pytest.fixture(scope="session")
def clauses() -> SimpleNamespace:
    """Two corpora of random clauses, general and of a domain, what is counted in them, and the four models."""
    nouns, verbs, adjectives = ([f"{kind}{i}" for i in range(n)] for kind, n in (("n", 7), ("v", 4), ("a", 3)))
    corpus = corpus_from_sentences(random_clauses(4, 240, nouns, verbs, adjectives))
    domain = corpus_from_sentences(random_clauses(6, 120, [*nouns[:4], "d0", "d1"], [*verbs[:3], "dv"], adjectives))
    general = contextual_models.gather(corpus, CONTEXTUAL)
    in_domain = contextual_models.gather_domain(domain, general, CONTEXTUAL)
    senses = contextual_models.fit_senses(general.windows, CONTEXTUAL["senses"], 3)
    latent = contextual_models.in_sentences(general.windows, CONTEXTUAL["window"], **senses)
    trained = contextual_models.train(general, CONTEXTUAL, latent)
    return SimpleNamespace(
        corpus=corpus, domain=domain, settings=CONTEXTUAL, general=general, in_domain=in_domain, trained=trained,
        adapted=contextual_models.adapt(trained, general, in_domain, CONTEXTUAL), nouns=nouns, verbs=verbs,
        adjectives=adjectives, sentence=sentence, active=active, passive=passive, random=random_clauses,
    )  # fmt: skip
