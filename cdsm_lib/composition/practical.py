"""The Practical Lexical Function model for sentences such as *calm sea warms small town*.

Denis Paperno, Nghia The Pham and Marco Baroni (ACL 2014); Abhijeet Gupta, Jason Utt and Sebastian Padó, "Dissecting the
Practical Lexical Function model for compositional distributional semantics" (StarSEM 2015); both as Buljan, Padó and
Šnajder (NAACL 2018, section 3) use them. A phrase is five words, modifier noun verb modifier noun: A1 N1 V A2 N2. A
transitive verb would be a tensor, which no corpus is large enough to fill; PLF gives it a vector and two matrices.

============================ ==============================================================================
noun phrases                 ``S = A1 n1``, ``O = A2 n2``: matrix times vector; A may be a noun's matrix too
PLF (Paperno et al. 2014)    ``p = V_subject S + V_object O + v``
PLF (Gupta et al. 2015)      ``p = V_subject S + V_object O``
============================ ==============================================================================

**Falling back to addition.** A predicate with too few bigrams has no matrix. A modifier's ``A n`` becomes ``a + n``; a
verb's ``V_subject S`` becomes ``S`` (and likewise O), since v is a summand of its own. So PLF (Paperno) without any
matrix is Add, ``a1 + n1 + v + a2 + n2``, and the two variants always differ by v. The price: of a verb with neither
matrix nothing is left in PLF (Gupta), so that its substitutes tie there; `Fallbacks.predicates` names such verbs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from cdsm_lib.composition.elementwise import add
from cdsm_lib.composition.linear import PENALTIES, LexicalFunction, PairGroups, count_missing
from cdsm_lib.composition.relative_clause import Matrices, plf
from cdsm_lib.labels import Labels
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows

KINDS = ("adjective_noun", "noun_noun", "subject_verb", "verb_object")
"""Kinds of bigrams to learn from. The functor is the adjective, the first noun, the verb, the verb."""

VARIANTS = ("paperno", "gupta")

Bigrams = tuple[Sequence[str], Sequence[str], ArrayLike]
"""Functors [n], arguments [n], holistic vectors [n, d]."""


class PLFError(ValueError):
    """Bigrams, phrases or words that the model cannot use; the message names them and the remedy."""


# ------------------------------------------------------------------------------------------------------ the formulas


def plf_gupta(subject: ArrayLike, object: ArrayLike, V_subject: Matrices, V_object: Matrices) -> np.ndarray:
    """PLF without the verb's vector, V_subject S + V_object O (Gupta et al. 2015): float64 [n, d].

    >>> plf_gupta([[1, 2]], [[3, -1]], np.array([[1, 2], [0, 1]]), np.array([[0, 1], [1, 1]]))
    array([[4., 4.]])
    """
    no_object_clause = np.zeros(len(subject), dtype=bool)  # a sentence: as in a subject relative clause, S is first
    return plf(subject, object, V_subject, V_object, no_object_clause)


def plf_paperno(
    subject: ArrayLike, verb: ArrayLike, object: ArrayLike, V_subject: Matrices, V_object: Matrices
) -> np.ndarray:
    """PLF, V_subject S + V_object O + v (Paperno et al. 2014): `plf_gupta` plus v, which both bigrams hold already.

    >>> plf_paperno([[1, 2]], [[5, 7]], [[3, -1]], np.array([[1, 2], [0, 1]]), np.array([[0, 1], [1, 1]]))
    array([[ 9., 11.]])
    """
    return add(plf_gupta(subject, object, V_subject, V_object), verb)


# ------------------------------------------------------------------------------------------------------ what is told


@dataclass(frozen=True)
class Fallbacks:
    """Where addition stood in for a matrix: in how many of all phrases, and how many phrases each predicate touches.

    ``predicates`` is {(kind, word): number of phrases}; kind is "modifier", "subject_verb" or "verb_object".
    """

    phrases: int
    touched: int
    predicates: dict[tuple[str, str], int]


@dataclass(frozen=True)
class Summands:
    """The three parts of PLF apart, each float64 [n, d]: V_subject S, V_object O, and v."""

    subject: np.ndarray
    object: np.ndarray
    verb: np.ndarray

    @property
    def gupta(self) -> np.ndarray:
        """V_subject S + V_object O, array [n, d]."""
        return self.subject + self.object

    @property
    def paperno(self) -> np.ndarray:
        """V_subject S + V_object O + v, array [n, d]."""
        return self.gupta + self.verb


# --------------------------------------------------------------------------------------------------------- the model


@dataclass
class PracticalLexicalFunction:
    """PLF for ANVAN phrases: a matrix for each modifier, two for each verb (Buljan et al. 2018, section 3).

    Matrices come from ridge regression without intercept, from unigram to bigram vectors, both brought to unit length;
    of several penalties each predicate takes its own (`cdsm_lib.composition.linear.gcv_ridge`). A predicate with fewer
    than `min_pairs` usable bigrams has none: cross-validation has little to say about a few. They are kept as `dtype`.

    Composition takes word vectors as they are: in a space of raw lengths, a candidate with a long vector gains by the
    raw dot product that Buljan et al. rank by.

    >>> words = Space(["sun|NOUN", "sea|NOUN", "calm|ADJ", "warm|VERB"], np.array([[1, 0], [0, 1], [1, 1], [2, 0]]))
    >>> calm = ["calm|ADJ"] * 2, ["sun|NOUN", "sea|NOUN"], np.array([[0, 1], [1, 0]])        # calm swaps them
    >>> model = PracticalLexicalFunction(penalties=1e-9, min_pairs=2).fit(words, {"adjective_noun": calm})
    >>> phrase = ["calm|ADJ", "sun|NOUN", "warm|VERB", "calm|ADJ", "sea|NOUN"]               # (0 1) + (1 0) + (2 0)
    >>> model.compose([phrase], "paperno", rows=words).round(6)
    array([[3., 1.]])
    >>> model.fallbacks([phrase]).predicates                                                 # S and O stand as they are
    {('subject_verb', 'warm|VERB'): 1, ('verb_object', 'warm|VERB'): 1}
    """

    penalties: float | Sequence[float] = PENALTIES
    min_pairs: int = 10
    dtype: type = np.float32
    modifiers: LexicalFunction = field(init=False, default=None)
    verb_subject: LexicalFunction = field(init=False, default=None)
    verb_object: LexicalFunction = field(init=False, default=None)

    def fit(self, words: Space, bigrams: Mapping[str, Bigrams]) -> "PracticalLexicalFunction":
        """Learn the matrices from unigram vectors `words` and, for each of `KINDS`, its bigrams; returns itself.

        Bigrams are (functors [n], arguments [n], vectors [n, d]), functors and arguments by their labels. Adjectives
        and noun modifiers share one table: a noun's matrix comes from the noun-noun bigrams that it is the first word
        of. Each bigram counts once; those of which the argument has no vector, or that are zero, are skipped.

        A `PLFError` if a kind is unknown, its columns do not fit, a vector is not finite, or no bigram at all can be
        used; an `EdgePenaltyWarning` as of `cdsm_lib.composition.linear.gcv_ridge`.
        """
        strange = sorted(set(bigrams) - set(KINDS))
        if strange:
            raise PLFError(f"unknown kinds of bigrams: {', '.join(strange)}; the kinds are {', '.join(KINDS)}")
        usable = {kind: _usable(kind, of_kind, words) for kind, of_kind in bigrams.items()}
        if not any(functors for functors, *_ in usable.values()):
            unknown = list(count_missing(chain.from_iterable(of_kind[1] for of_kind in bigrams.values()), words.rows))
            problem = f"no bigram can be learned from, {len(unknown)} arguments have no vector ({_some(unknown)})"
            raise PLFError(f"{problem}; give bigrams whose arguments are rows of the space")

        def learned(*kinds: str) -> LexicalFunction:
            return self._learn(words, [usable[kind] for kind in kinds if kind in usable])

        self.modifiers, self.verb_subject, self.verb_object = learned(*KINDS[:2]), learned(KINDS[2]), learned(KINDS[3])
        return self

    def _learn(self, words: Space, parts: Sequence[Bigrams]) -> LexicalFunction:
        """Matrices from the bigrams of one kind, or of several together."""
        functors = [functor for part in parts for functor in part[0]]
        arguments = [argument for part in parts for argument in part[1]]
        tables = [part[2] for part in parts if len(part[2])]
        names, nouns = Labels(sorted(set(functors))), Labels(sorted(set(arguments)))
        functor_of = names.encode(functors)
        model = LexicalFunction(self.penalties, "none", self.min_pairs, self.dtype)
        if np.bincount(functor_of, minlength=1).max() < max(1, self.min_pairs):
            model.matrices = np.empty((0, words.d, words.d), self.dtype)
            return model
        pairs = PairGroups(
            names,
            functor_of,
            arguments=normalise_rows(words.take(nouns)),
            argument_of=nouns.encode(arguments),
            phrases=tables[0] if len(tables) == 1 else np.concatenate(tables),
            phrase_of=np.arange(len(functors)),
            counts=np.ones(len(functors), dtype=np.int64),
        )
        return model.fit(pairs)

    def compose(self, phrases: Iterable[Sequence[str]], how: str = "paperno", *, rows: Space) -> np.ndarray:
        """Vectors of phrases, five labels each, by "paperno" (with v) or "gupta" (without): float64 [n, d].

        Phrases composed in one call share their work: each noun phrase, and each verb with its argument, is multiplied
        out once. So phrases that differ in one word cost little, and equal ones get equal vectors to the last bit.
        `rows` are word vectors in the dimensions that the matrices were learned in.

        A `PLFError` if a phrase is not five labels, a word has no vector, the dimensions differ, the variant is
        unknown, or nothing was learned yet.
        """
        if how not in VARIANTS:
            raise PLFError(f"unknown variant {how!r}; choose one of {', '.join(VARIANTS)}")
        return getattr(self.parts(phrases, rows=rows), how)

    def parts(self, phrases: Iterable[Sequence[str]], *, rows: Space) -> Summands:
        """The three summands V_subject S, V_object O and v, apart; asked like `compose`."""
        phrases = _five_labels(phrases)
        vocabulary, vectors = self._word_vectors(chain.from_iterable(phrases), rows)
        words = vocabulary.encode(chain.from_iterable(phrases)).reshape(-1, 5)
        noun_phrases, which = _distinct(np.concatenate([words[:, :2], words[:, 3:]]))
        modifier, noun = noun_phrases.T
        A = self.modifiers.rows([vocabulary[i] for i in modifier], lambda n, without: vectors[modifier[without]] + n)
        composed, (subject_of, object_of), verbs = A @ vectors[noun], np.split(which, 2), words[:, 2]
        return Summands(
            _verb_times(self.verb_subject, vocabulary, verbs, composed, subject_of),
            _verb_times(self.verb_object, vocabulary, verbs, composed, object_of),
            vectors[verbs],
        )

    def fallbacks(self, phrases: Iterable[Sequence[str]]) -> Fallbacks:
        """Predicates of these phrases that have no matrix, and how many phrases that touches."""
        self._check_learned()
        touched, predicates, phrases = 0, Counter(), _five_labels(phrases)
        models = {"modifier": self.modifiers, "subject_verb": self.verb_subject, "verb_object": self.verb_object}
        for A1, _, V, A2, _ in phrases:
            needed = (("modifier", A1), ("modifier", A2), ("subject_verb", V), ("verb_object", V))
            lacking = dict.fromkeys((kind, word) for kind, word in needed if word not in models[kind].functors)
            predicates.update(lacking.keys())
            touched += bool(lacking)
        return Fallbacks(len(phrases), touched, dict(predicates))

    def _word_vectors(self, words: Iterable[str], rows: Space) -> tuple[Labels, np.ndarray]:
        """The distinct words, and the vector of each, float64."""
        self._check_learned()
        d = self.modifiers.matrices.shape[1]
        if rows.d != d:
            raise PLFError(f"the matrices are for {d} dimensions, but the space has {rows.d}; give the same space")
        vocabulary = Labels(dict.fromkeys(words))
        if missing := rows.coverage(vocabulary):
            raise PLFError(f"{len(missing)} words have no vector ({_some(missing)}); leave their phrases out")
        return vocabulary, rows.take(vocabulary).astype(np.float64)

    def _check_learned(self) -> None:
        if self.modifiers is None:
            raise PLFError("there are no matrices yet; call fit first")


def _verb_times(
    verb_matrices: LexicalFunction, vocabulary: Labels, verb: np.ndarray, arguments: np.ndarray, argument_of: np.ndarray
) -> np.ndarray:
    """V x of each (verb, argument), each product made once; x itself for a verb without a matrix."""
    pairs, which = _distinct(np.stack([verb, argument_of], axis=1))
    V = verb_matrices.rows([vocabulary[i] for i in pairs[:, 0]], lambda x, _: x)
    return (V @ arguments[pairs[:, 1]])[which]


# ---------------------------------------------------------------------------------------------- reading what is given


def _usable(kind: str, bigrams: Bigrams, words: Space) -> Bigrams:
    """The bigrams of one kind, of unit length, without those whose argument is unknown, and those that are zero."""
    (functors, arguments), vectors = (np.array(labels, dtype=str) for labels in bigrams[:2]), np.asarray(bigrams[2])
    if arguments.shape != functors.shape or vectors.shape != (len(functors), words.d):
        problem = f"{len(functors)} functors and {len(arguments)} arguments with vectors of shape {vectors.shape}"
        remedy = f"give one of each for every bigram, in the {words.d} dimensions of the words"
        raise PLFError(f"{kind}: {problem}; {remedy}")
    infinite = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(infinite):
        pair = f"{functors[infinite[0]]} with {arguments[infinite[0]]} (row {infinite[0]})"
        raise PLFError(f"{kind}: {len(infinite)} vectors are NaN or infinite, first that of {pair}; leave them out")
    vectors, places = normalise_rows(vectors), words.rows.encode(arguments)
    usable = (places >= 0) & (words.norms[places] > 0) & vectors.any(axis=1)
    return functors[usable].tolist(), arguments[usable].tolist(), vectors if usable.all() else vectors[usable]


def _five_labels(phrases: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The phrases as tuples of five labels."""
    read = []
    for i, phrase in enumerate(phrases):
        if isinstance(phrase, str) or len(phrase) != 5:
            raise PLFError(f"a phrase is five labels, A1 N1 V A2 N2, but phrase {i} is {phrase!r}")
        read.append(tuple(map(str, phrase)))
    return read


def _distinct(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of pairs [n, 2], and for each row which of them it is."""
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    return distinct, which.reshape(-1)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
