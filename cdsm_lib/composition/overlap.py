r"""Lemma overlap: how many words two sentences share, the baseline without any vectors.

Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant Inference", eq. 15
and 16. With :math:`\#In(x, x')` the number of tokens of :math:`x` whose lemma occurs in :math:`x'`,

.. math:: M(x, x') = \#In(x, x') + \#In(x', x)

Function words are left out first. Every token counts, so that *a a b* against *a c* is 2 + 1 = 3. The overlap is a
whole number and not normalised by length: ties are frequent.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.counts import is_function_word


def is_content(token: Token) -> bool:
    """Whether a token counts: with its tag neither lemma nor form is a function word, and its lemma is no punctuation.

    See `cdsm_lib.text.counts.is_function_word`; the form is taken in lower case.

    >>> from cdsm_lib.text.corpus import sentence
    >>> [is_content(token) for token in sentence("is:be|VERB barks:bark|VERB .|PUNCT")]
    [False, True, False]
    """
    function = any(is_function_word(word, token.upos) for word in (token.lemma, token.form.lower()))
    return not function and any(map(str.isalnum, token.lemma))


def content_lemmas(sentence: Sentence) -> list[str]:
    """Lemmas of the tokens for which `is_content` holds, in the order of the sentence, repetitions kept.

    >>> from cdsm_lib.text.corpus import sentence
    >>> content_lemmas(sentence("The|DET dogs:dog bark|VERB .|PUNCT"))
    ['dog', 'bark']
    """
    return [token.lemma for token in sentence if is_content(token)]


def overlap(lemmas_a: Sequence[str], lemmas_b: Sequence[str]) -> int:
    """Tokens of either list of lemmas whose lemma occurs in the other (eq. 15 and 16).

    >>> overlap(["a", "a", "b"], ["a", "c"])  # both a of the first, the a of the second
    3
    """
    if isinstance(lemmas_a, str) or isinstance(lemmas_b, str):
        raise TypeError("overlap takes lists of lemmas, not a string: use content_lemmas")
    in_a, in_b = set(lemmas_a), set(lemmas_b)
    return sum(lemma in in_b for lemma in lemmas_a) + sum(lemma in in_a for lemma in lemmas_b)


def overlap_matrix(sentences: Sequence[Sequence[str]]) -> np.ndarray:
    """Overlap of every two sentences, on the diagonal a sentence with itself (twice its tokens): int64 [n, n].

    A string in place of a list of lemmas is a `TypeError`.

    >>> overlap_matrix([["a", "a", "b"], ["a", "c"]])
    array([[6, 3],
           [3, 4]])
    """
    table = np.zeros((len(sentences), len(sentences)), dtype=np.int64)
    for i, j in combinations_with_replacement(range(len(sentences)), 2):
        table[i, j] = table[j, i] = overlap(sentences[i], sentences[j])
    return table
