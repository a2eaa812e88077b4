"""The Practical Lexical Function model for sentences such as *calm sea warms small town*.

Denis Paperno, Nghia The Pham and Marco Baroni, "A practical and linguistically-motivated approach to compositional
distributional semantics" (ACL 2014); Abhijeet Gupta, Jason Utt and Sebastian Padó, "Dissecting the Practical Lexical
Function model for compositional distributional semantics" (StarSEM 2015); both as Maja Buljan, Sebastian Padó and Jan
Šnajder use them, "Lexical substitution for evaluating compositional distributional models" (NAACL 2018, section 3).

A phrase is five words, modifier noun verb modifier noun (ANVAN): A1 N1 V A2 N2. In the plain lexical function model
(Baroni and Zamparelli 2010) a transitive verb is a tensor, which no corpus is large enough to fill. PLF makes it
*practical*: a predicate has a vector, as every word, and one matrix for each argument it takes.

============================ ==============================================================================
noun phrases                 ``S = A1 n1``, ``O = A2 n2``: matrix times vector; A may be a noun's matrix too
PLF (Paperno et al. 2014)    ``p = V_subject S + V_object O + v``
PLF (Gupta et al. 2015)      ``p = V_subject S + V_object O``
============================ ==============================================================================

V_subject is learned so that ``V_subject n`` is near the observed vector of the bigram *n v*. That bigram already
contains the verb, and so does the one that V_object is learned from: adding v at the end counts the verb a third time
(Gupta et al.: training and use disagree). `Summands.contributions` shows how much each summand decides.

Matrices come from ridge regression with generalised cross-validation and without intercept, from unigram to bigram
vectors, both brought to unit length (`PracticalLexicalFunction.fit`).

**Falling back to addition.** A predicate with too few bigrams has no matrix. Everything is chosen so that PLF
(Paperno) without any matrix is Add, ``a1 + n1 + v + a2 + n2``, and the two variants always differ by v:

- a modifier without a matrix: ``A n`` becomes ``a + n``, since a occurs nowhere else in the formula;
- a verb without a subject matrix: ``V_subject S`` becomes ``S`` (and likewise O), since v is a summand of its own.
  ``v + S`` would add v twice over. The price: of a verb with neither matrix, nothing is left in PLF (Gupta), so that
  its substitutes tie there if they lack theirs; `Fallbacks.predicates` names such verbs.

Conventions: a word is a label such as ``large|ADJ``; vectors are rows, [n, d]; results are float64. Matrices are
learned from unit rows, but composition takes word vectors as they are: in a space of raw lengths, a candidate with a
long vector gains by the raw dot product that Buljan et al. rank by.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress

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
    """PLF without the verb's vector, V_subject S + V_object O (Gupta et al. 2015).

    Parameters
    ----------
    subject, object : array [n, d]
        The arguments, S and O: nouns, or noun phrases composed before.
    V_subject, V_object : array [d, d] or [n, d, d], or RowMatrices
        The verbs' subject and object matrices.

    Returns
    -------
    array [n, d], float64

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> plf_gupta([[1, 2]], [[3, -1]], np.array([[1, 2], [0, 1]]), np.array([[0, 1], [1, 1]]))
    array([[4., 4.]])
    """
    no_object_clause = np.zeros(len(subject), dtype=bool)  # a sentence: as in a subject relative clause, S is first
    return plf(subject, object, V_subject, V_object, no_object_clause)


def plf_paperno(
    subject: ArrayLike, verb: ArrayLike, object: ArrayLike, V_subject: Matrices, V_object: Matrices
) -> np.ndarray:
    """PLF, V_subject S + V_object O + v (Paperno et al. 2014): `plf_gupta` plus v.

    Parameters
    ----------
    subject, verb, object : array [n, d]
        S, v, O.
    V_subject, V_object
        As in `plf_gupta`.

    Returns
    -------
    array [n, d], float64

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> plf_paperno([[1, 2]], [[5, 7]], [[3, -1]], np.array([[1, 2], [0, 1]]), np.array([[0, 1], [1, 1]]))
    array([[ 9., 11.]])
    """
    return add(plf_gupta(subject, object, V_subject, V_object), verb)


# ------------------------------------------------------------------------------------------------------ what is told


@dataclass(frozen=True)
class Fallbacks:
    """Where addition stood in for a matrix.

    Parameters
    ----------
    phrases : int
        All phrases asked about.
    touched : int
        Those in which some predicate lacked its matrix.
    predicates : dict
        {(kind, word): number of phrases}; kind is "modifier", "subject_verb" or "verb_object".
    """

    phrases: int
    touched: int
    predicates: dict[tuple[str, str], int]


@dataclass(frozen=True)
class Summands:
    """The three parts of PLF, apart.

    Parameters
    ----------
    subject, object, verb : array [n, d], float64
        V_subject S, V_object O, and v.
    """

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

    Parameters
    ----------
    penalties : sequence of float, or float
        Of which each predicate takes its own by generalised cross-validation, see
        `cdsm_lib.composition.linear.gcv_ridge`; or one for all.
    min_pairs : int
        A predicate with fewer usable bigrams has no matrix. Cross-validation has nothing to say about one bigram and
        little about a few.
    dtype : float32 or float64
        In which the matrices are kept (d * d numbers each). The arithmetic is float64.

    Attributes
    ----------
    modifiers, verb_subject, verb_object : LexicalFunction
        The matrices, with names (`functors`), penalties and numbers of bigrams; without any, the stack is empty.
        `left_out` names the predicates with too few usable bigrams.

    Examples
    --------
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
        """Learn the matrices from unigram and bigram vectors, each brought to unit length.

        Adjectives and noun modifiers share one table: a noun's matrix comes from the noun-noun bigrams that it is the
        first word of. A verb's subject matrix comes from "subject_verb", its object matrix from "verb_object". Each
        bigram counts once.

        Parameters
        ----------
        words : Space
            Unigram vectors, those of the arguments among them.
        bigrams : dict of kind to (functors [n], arguments [n], vectors [n, d])
            Kinds are `KINDS`; one left out has no bigrams. Functors and arguments are labels.

        Returns
        -------
        PracticalLexicalFunction
            Itself. Bigrams of which the argument has no vector, or that are zero, are skipped.

        Raises
        ------
        PLFError
            If a kind is unknown, its columns do not fit, a vector is not finite, or no bigram at all can be used.
        ValueError
            If a penalty is not above 0.

        Warns
        -----
        EdgePenaltyWarning
            See `cdsm_lib.composition.linear.gcv_ridge`.
        """
        strange = sorted(set(bigrams) - set(KINDS))
        if strange:
            raise PLFError(f"unknown kinds of bigrams: {', '.join(strange)}; the kinds are {', '.join(KINDS)}")
        usable = {kind: _usable(kind, of_kind, words) for kind, of_kind in bigrams.items()}
        if not any(functors for functors, *_ in usable.values()):
            unknown = list(count_missing(chain.from_iterable(of_kind[1] for of_kind in bigrams.values()), words.rows))
            raise PLFError(
                f"no bigram can be learned from, {len(unknown)} arguments have no vector ({_some(unknown)}); give "
                "bigrams whose arguments are rows of the space"
            )
        modifying, subjects, objects = KINDS[:2], KINDS[2:3], KINDS[3:]
        self.modifiers, self.verb_subject, self.verb_object = (
            self._learn(words, [usable[kind] for kind in kinds if kind in usable])
            for kinds in (modifying, subjects, objects)
        )
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
            model.matrices, model.left_out = np.empty((0, words.d, words.d), self.dtype), names.names
            return model
        pairs = PairGroups(
            names,
            functor_of,
            arguments=normalise_rows(words.take(nouns), return_zero=True)[0],
            argument_of=nouns.encode(arguments),
            phrases=tables[0] if len(tables) == 1 else np.concatenate(tables),
            phrase_of=np.arange(len(functors)),
            counts=np.ones(len(functors), dtype=np.int64),
        )
        return model.fit(pairs)

    def compose(self, phrases: Iterable[Sequence[str]], how: str = "paperno", *, rows: Space) -> np.ndarray:
        """Vectors of ANVAN phrases; `fallbacks` tells where addition stood in for a matrix.

        Phrases composed in one call share their work: each noun phrase, and each verb with its argument, is multiplied
        out once. So phrases that differ in one word cost little, and equal ones get equal vectors to the last bit.

        Parameters
        ----------
        phrases : sequence of 5 labels each, or array [n, 5] of labels
            A1 N1 V A2 N2: subject modifier, subject, verb, object modifier, object.
        how : {"paperno", "gupta"}
            With the verb's vector as a third summand, or without.
        rows : Space
            Word vectors, in the dimensions that the matrices were learned in.

        Returns
        -------
        array [n, d], float64

        Raises
        ------
        PLFError
            If a phrase is not five labels, a word has no vector, the dimensions differ, `how` is none of the choices,
            or nothing was learned yet.
        """
        if how not in VARIANTS:
            raise PLFError(f"unknown variant {how!r}; choose one of {', '.join(VARIANTS)}")
        return getattr(self.parts(phrases, rows=rows), how)

    def parts(self, phrases: Iterable[Sequence[str]], *, rows: Space) -> Summands:
        """The three summands V_subject S, V_object O and v, apart.

        Parameters and errors as in `compose`; both variants are properties of what is returned.
        """
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
        """Predicates of these phrases that have no matrix, and how many phrases that touches.

        Parameters
        ----------
        phrases
            As in `compose`.

        Returns
        -------
        Fallbacks

        Raises
        ------
        PLFError
            If a phrase is not five labels, or nothing was learned yet.
        """
        self._check_learned()
        touched, predicates, phrases = 0, Counter(), _five_labels(phrases)
        for A1, _, V, A2, _ in phrases:
            needed = (
                ("modifier", A1, self.modifiers),
                ("modifier", A2, self.modifiers),
                ("subject_verb", V, self.verb_subject),
                ("verb_object", V, self.verb_object),
            )
            lacking = dict.fromkeys((kind, word) for kind, word, model in needed if word not in model.functors)
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
    if len(bigrams) != 3:
        raise PLFError(f"{kind}: give (functors, arguments, vectors), not {len(bigrams)} things")
    functors, arguments, vectors = list(map(str, bigrams[0])), list(map(str, bigrams[1])), np.asarray(bigrams[2])
    if len(arguments) != len(functors) or vectors.shape != (len(functors), words.d):
        raise PLFError(
            f"{kind}: {len(functors)} functors and {len(arguments)} arguments with vectors of shape {vectors.shape}; "
            f"give one of each for every bigram, in the {words.d} dimensions of the words"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        first = int(np.argmin(finite))
        raise PLFError(
            f"{kind}: {int((~finite).sum())} vectors are NaN or infinite, first that of {functors[first]!r} with "
            f"{arguments[first]!r} (row {first}); leave such bigrams out"
        )
    vectors, zero = normalise_rows(vectors, return_zero=True)
    places = words.rows.encode(arguments)
    usable = (places >= 0) & (words.norms[places] > 0)
    usable[zero] = False
    if not usable.all():
        vectors = vectors[usable]
    return [*compress(functors, usable)], [*compress(arguments, usable)], vectors


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
