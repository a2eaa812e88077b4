"""The Practical Lexical Function model over a whole dependency tree.

Denis Paperno, Nghia The Pham and Marco Baroni, "A practical and linguistically-motivated approach to compositional
distributional semantics" (ACL 2014), section 3: a word is a vector and one matrix for each argument it takes, and a
sentence is composed from the leaves of its tree to the root. `cdsm_lib.composition.practical` does so for phrases of
five words and has the matrices; here the phrase is any tree.

The rule
--------
The vector of a word with all that depends on it, p, from the composed vectors of its dependents:

=================================  =====================================================================
verb v, subject S, object O        ``p = v + V_subject S + V_object O``
noun n, modifier A                 ``p = A n``; a noun modifies with its matrix as an adjective does
noun n, modifiers A1 A2 n          ``p = A1 (A2 n)``, the nearest first
every other dependent              its composed vector is added
several roots                      their vectors are added
=================================  =====================================================================

- S and O are composed before: *the dog of the king* is one vector that V_subject is multiplied by.
- A modifier is multiplied by the noun alone; what else depends on the noun is added outside. A word that serves as a
  matrix gives no vector, so its own dependents are added as they are (*truly* in *truly big dog*).
- Added are: prepositional phrases, adverbs, clauses, conjuncts (*dogs and cats bark*: V_subject (dogs + cats)),
  possessors, appositions, predicates after a copula. A conjoined verb does not take over the subject of the first, a
  relative pronoun stands for nothing.
- Where there is no matrix there is addition, as in `cdsm_lib.composition.practical`: ``a + n``, ``v + S``. A modifier
  is added too where its noun has no vector.
- Function words (all but content words, `cdsm_lib.text.counts.content_mask`) give no vector, even where the space has
  one, and are passed through: a preposition's vector is that of its noun. Their matrices are used (*has*, *other*).
- ``how="gupta"`` leaves out v of a verb to which one of its matrices was applied (Gupta et al. 2015: the matrices were
  learned from bigrams that contain the verb). Another verb keeps it: it would vanish.


Which dependents are subjects, objects and modifiers is what `cdsm_lib.text.extraction` says, with which the
bigrams for the matrices are counted: UD and Stanford/CLEAR labels, nouns as arguments, a passive's subject is its
object and its *by* phrase its subject. The trees given at once are read as one corpus, which matters for one thing:
in UD trees without any label for agents, an oblique with *by* under a passive verb is the agent.

For five content words this is `PracticalLexicalFunction.compose`, but for `gupta` where a verb has no matrix.

Nothing but nearness of modifiers depends on the order of words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from cdsm_lib.composition.practical import VARIANTS, PLFError, PracticalLexicalFunction
from cdsm_lib.text.corpus import LONGEST, Corpus, Sentence, Token, corpus_from_sentences
from cdsm_lib.text.counts import CONTENT_TAGS, content_mask
from cdsm_lib.text.extraction import adjective_noun, noun_noun, subject_verb, verb_object
from cdsm_lib.vectors.space import Space

ADDED, MODIFIER, SUBJECT, OBJECT = range(4)
"""Slots: what a dependent is to the word it depends on."""

_BLOCK = 4096  # trees that share their work: bounds memory


# ------------------------------------------------------------------------------------------------------------- trees


@dataclass(frozen=True)
class Tree:
    """A dependency tree.

    Parameters
    ----------
    words : sequence of str [n]
        ``lemma|UPOS``; the lemma is put into lower case.
    heads : sequence of int [n]
        Place of each word's head, from 0; -1 for a root.
    deprels : sequence of str [n]
        Dependency labels.

    Raises
    ------
    PLFError
        If the columns differ in length, a word has no tag, a head is outside the sentence, or there is a cycle.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]

    def __post_init__(self):
        columns = tuple(self.words), tuple(int(head) for head in self.heads), tuple(self.deprels)
        words, heads, deprels = columns
        shown = " ".join(words[:8]) + (" ..." if len(words) > 8 else "")
        n = len(words)
        if not n == len(heads) == len(deprels):
            raise PLFError(f"{n} words, {len(heads)} heads and {len(deprels)} labels in {shown!r}; give one for each")
        if n > LONGEST:
            raise PLFError(f"a sentence of {n} words, {shown!r}; split it (at most {LONGEST})")
        bare = next((word for word in words if not all(word.rpartition("|")[::2])), None)
        if bare is not None:
            raise PLFError(f"{bare!r} in {shown!r} is not lemma|UPOS; give each word its universal tag")
        outside = next((head for head in heads if not -1 <= head < n), None)
        if outside is not None:
            raise PLFError(f"head {outside} in {shown!r} of {n} words; count from 0, and give a root -1")
        for i in range(n):
            above, steps = heads[i], 0
            while above >= 0 and steps <= n:
                above, steps = heads[above], steps + 1
            if above >= 0:
                raise PLFError(f"word {i} of {shown!r} hangs in a cycle of heads; a tree needs a root (-1)")
        lower = tuple(f"{word.rpartition('|')[0].lower()}|{word.rpartition('|')[2]}" for word in words)
        for name, column in zip(("words", "heads", "deprels"), (lower, heads, deprels), strict=True):
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, sentence: Sentence) -> "Tree":
        """The tree of a sentence as `cdsm_lib.text.corpus.read_conllu` reads it."""
        tokens = sentence.tokens
        return cls(
            tuple(f"{token.lemma}|{token.upos}" for token in tokens),
            tuple(token.head - 1 for token in tokens),
            tuple(token.deprel for token in tokens),
        )


@dataclass(frozen=True)
class Frame:
    """A tree as PLF sees it: who fills which slot of whom.

    Attributes
    ----------
    words : list of str [n]
        As in the tree, but an auxiliary with an argument is a verb (*has walls*: ``have|VERB``).
    governor : list of int [n]
        The word that takes each word in, -1 for a root. The noun of a passive's *by* phrase is taken in by the verb.
    slot : list of int [n]
        `ADDED`, `MODIFIER`, `SUBJECT` or `OBJECT`.
    """

    words: list[str]
    governor: list[int]
    slot: list[int]

    @property
    def top_down(self) -> list[int]:
        """The words in an order in which each follows its governor."""
        below = [[] for _ in self.words]
        order = []
        for word, governor in enumerate(self.governor):
            (order if governor < 0 else below[governor]).append(word)
        for word in order:  # grows while it is read
            order += below[word]
        return order

    @property
    def predicates(self) -> set[str]:
        """The words that matrices are asked of: modifiers of nouns, and verbs with an argument."""
        return {self.words[i if slot == MODIFIER else self.governor[i]] for i, slot in enumerate(self.slot) if slot}


def frames(trees: Sequence[Tree]) -> list[Frame]:
    """Who fills which slot of whom, as `cdsm_lib.text.extraction` reads the trees.

    Raises
    ------
    ValueError
        If no word has a universal tag.
    """
    corpus = _corpus(trees)
    starts = corpus.offsets[:-1]
    start_of = np.repeat(starts, [len(tree) for tree in trees])
    heads = np.array([head for tree in trees for head in tree.heads], dtype=np.int64)
    governor = np.where(heads < 0, -1, heads + start_of)
    slot = np.full(len(heads), ADDED)
    verbs = np.zeros(len(heads), dtype=bool)
    for modifier, _ in (*adjective_noun(corpus, propagate=False), *noun_noun(corpus)):
        slot[modifier] = MODIFIER
    subjects = subject_verb(corpus, propagate=False, resolve_relative=False)
    objects = verb_object(corpus, propagate=False, resolve_relative=False)[:, ::-1]
    for which, pairs in ((SUBJECT, subjects), (OBJECT, objects)):
        argument, verb = pairs.T
        slot[argument], governor[argument], verbs[verb] = which, verb, True
    within = np.where(governor < 0, -1, governor - start_of).tolist()
    slot, verbs = slot.tolist(), verbs.tolist()
    read = []
    for tree, start in zip(trees, starts.tolist(), strict=True):
        here = slice(start, start + len(tree))
        words = [
            word.removesuffix("|AUX") + "|VERB" if verb and word.endswith("|AUX") else word
            for word, verb in zip(tree.words, verbs[here], strict=True)
        ]
        read.append(Frame(words, within[here], slot[here]))
    return read


def _corpus(trees: Iterable[Tree]) -> Corpus:
    """The trees as a corpus in memory, with lemmas for word forms."""

    def token(i: int, word: str, head: int, deprel: str) -> Token:
        lemma, _, tag = word.rpartition("|")
        return Token(i + 1, lemma, lemma, tag, "_", "_", head + 1, deprel, "_", "_")

    return corpus_from_sentences(
        Sentence(tuple(map(token, range(len(tree)), tree.words, tree.heads, tree.deprels))) for tree in trees
    )


# ------------------------------------------------------------------------------------------------------ what is told


class Composition(NamedTuple):
    """How sentences were composed, and what was missing.

    Attributes
    ----------
    by_matrix : int array [n]
        Dependents of each sentence that a matrix composed: arguments of verbs, and modifiers.
    added : int array [n]
        Dependents that were added: those whose predicate lacks the matrix, and all in no slot. A dependent that brings
        no vector (punctuation, an article) is neither; a preposition brings its noun's.
    unknown : int array [n]
        Content words (`cdsm_lib.text.counts.content_mask`) of each sentence without a vector; a zero vector is none.
    left_out : int array [n]
        Words that have the tag of a content word and are function words: *other*, or *can* as a verb.
    """

    by_matrix: np.ndarray
    added: np.ndarray
    unknown: np.ndarray
    left_out: np.ndarray


# --------------------------------------------------------------------------------------------------------- the model


@dataclass(frozen=True)
class PLFSentences:
    """Sentences composed by PLF.

    Parameters
    ----------
    model : PracticalLexicalFunction
        With its matrices.
    rows : Space
        Word vectors, in the dimensions that the matrices were learned in; labels ``lemma|UPOS``.
    how : {"paperno", "gupta"}
        With or without the vector of a verb to which a matrix was applied.

    Raises
    ------
    PLFError
        If the variant is unknown, nothing was learned yet, or the dimensions differ.
    """

    model: PracticalLexicalFunction
    rows: Space
    how: str = "paperno"

    def __post_init__(self):
        if self.how not in VARIANTS:
            raise PLFError(f"unknown variant {self.how!r}; choose one of {', '.join(VARIANTS)}")
        self.model._word_vectors([], self.rows)

    def embed(self, trees: Iterable[Tree]) -> tuple[np.ndarray, Composition]:
        """Compose sentences, bottom up. Equal subtrees, and equal products, are made once in 4,096 sentences.

        Parameters
        ----------
        trees : iterable of Tree
            Of n sentences.

        Returns
        -------
        (array [n, d] of float64, Composition)

        Raises
        ------
        ValueError
            If no word of some sentences has a universal tag.
        """
        trees = iter(trees)
        vectors, tallies = [np.empty((0, self.rows.d))], []
        for block in iter(lambda: list(islice(trees, _BLOCK)), []):
            composer = _Composer(self, frames(block))
            vectors.append(composer.sentences())
            tallies += composer.tallies
        return np.concatenate(vectors), Composition(*np.array(tallies, dtype=np.int64).reshape(-1, 4).T)


EMPTY = -1


class _Composer:
    """Composes sentences that share their work.

    A *node* is a composed subtree: a number, its vector in `vectors`. Two subtrees with the same words in the same
    slots are one node, so that versions of a sentence that differ in one word have few nodes of their own.
    """

    def __init__(self, plf: PLFSentences, frames: Sequence[Frame]):
        self.plf, self.frames = plf, frames
        words = (word for frame in frames for word in frame.words)
        self.words, self.lexical = plf.model._word_vectors(words, plf.rows, may_lack=True)
        is_content = content_mask(self.words)
        self.known = (is_content & self.lexical.any(axis=1)).tolist()
        self.is_content = is_content.tolist()
        tags = np.array([word.rpartition("|")[2] for word in self.words])
        self.is_left_out = (np.isin(tags, [*CONTENT_TAGS]) & ~is_content).tolist()
        self.functions = (None, plf.model.modifiers, plf.model.verb_subject, plf.model.verb_object)
        self.place = [None, *(of.functors.encode(self.words).tolist() for of in self.functions[1:])]
        self.vectors: list[np.ndarray] = []
        self.nodes: dict[tuple, int] = {}
        self.products: dict[tuple, np.ndarray] = {}
        self.tallies: list[tuple[int, ...]] = []  # as in `Composition`

    def sentences(self) -> np.ndarray:
        """The vectors of all, array [n, d]; fills the tallies."""
        out = np.zeros((len(self.frames), self.plf.rows.d))
        for i, frame in enumerate(self.frames):
            for root in sorted(self.sentence(frame)):
                out[i] += self.vectors[root]
        return out

    def sentence(self, frame: Frame) -> list[int]:
        """Nodes of the roots."""
        order, word = frame.top_down, self.words.encode(frame.words).tolist()
        functor, silent = self._functors(frame, order, word)
        modifiers = [[] for _ in word]  # of each word, (distance, place, matrix)
        parts = [[] for _ in word]  # of each word, (slot, matrix, node)
        roots, by_matrix, added = [], 0, 0
        for i in reversed(order):
            lexical = word[i] if self.known[word[i]] and not silent[i] else EMPTY
            nearest_first = tuple(matrix for *_, matrix in sorted(modifiers[i]))
            node = self._node(lexical, nearest_first, tuple(sorted(parts[i])))
            governor, slot = frame.governor[i], frame.slot[i]
            if governor < 0:
                roots += [node] if node != EMPTY else []
                continue
            if silent[i]:
                modifiers[governor].append((abs(governor - i), i, functor[i]))
                by_matrix += 1
            if node == EMPTY:
                continue
            if silent[i] or functor[i] == EMPTY:
                parts[governor].append((ADDED, EMPTY, node))
                added += not silent[i]
            else:
                parts[governor].append((slot, functor[i], node))
                by_matrix += 1
        unknown = sum(self.is_content[w] and not self.known[w] for w in word)
        self.tallies.append((by_matrix, added, unknown, sum(self.is_left_out[w] for w in word)))
        return roots

    def _functors(self, frame: Frame, order: Sequence[int], word: Sequence[int]) -> tuple[list[int], list[bool]]:
        """The matrix that composes each dependent, or EMPTY; and which words are matrices, so that their vector is not
        heard: modifiers of a noun whose own vector is."""
        functor, silent = [EMPTY] * len(word), [False] * len(word)
        for i in order:
            governor, slot = frame.governor[i], frame.slot[i]
            if slot == MODIFIER:
                if self.known[word[governor]] and not silent[governor]:
                    functor[i] = self.place[slot][word[i]]
                    silent[i] = functor[i] != EMPTY
            elif slot != ADDED:
                functor[i] = self.place[slot][word[governor]]
        return functor, silent

    def _node(self, lexical: int, modifiers: tuple[int, ...], parts: tuple[tuple[int, int, int], ...]) -> int:
        """The number of a composed word: its own vector with its modifiers' matrices, and its parts."""
        if lexical == EMPTY and not parts:
            return EMPTY
        key = lexical, modifiers, parts
        if key not in self.nodes:
            self.nodes[key] = len(self.vectors)
            self.vectors.append(self._composed(*key))
        return self.nodes[key]

    def _composed(self, lexical: int, modifiers: tuple[int, ...], parts: tuple[tuple[int, int, int], ...]):
        p = np.zeros(self.plf.rows.d)
        overcounted = self.plf.how == "gupta" and any(matrix != EMPTY for _, matrix, _ in parts)
        if lexical != EMPTY and not overcounted:
            noun = self.lexical[lexical]
            for A in modifiers:  # ... A2 (A1 n), the nearest first
                noun = self._times(MODIFIER, A, noun)
            p += noun
        for slot, matrix, node in parts:
            p += self.vectors[node] if matrix == EMPTY else self._product(slot, matrix, node)
        return p

    def _product(self, slot: int, matrix: int, node: int) -> np.ndarray:
        """V x of a verb and its argument."""
        key = slot, matrix, node
        if key not in self.products:
            self.products[key] = self._times(slot, matrix, self.vectors[node])
        return self.products[key]

    def _times(self, slot: int, matrix: int, x: np.ndarray) -> np.ndarray:
        return self.functions[slot].matrices[matrix].astype(np.float64) @ x
