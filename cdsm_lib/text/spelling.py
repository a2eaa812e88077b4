"""Spellings: a word that a space or a corpus lacks may be there as it is spelt elsewhere.

A data set's words need not be those of the vectors. British judges rated *labour*, while vectors of American news have
*labor* (`spelling_variants`); RELPRON has the noun *troops*, of which a lemmatiser made *troop* (`spelt_alike`). Words
are labels ``lemma|POS``, or words without a part of speech.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from cdsm_lib.text.corpus import Corpus

NOUNS = ("NOUN", "PROPN")
_AMERICAN = dict(
    pair.split("/")
    for pair in """
    analyse/analyze behaviour/behavior catalogue/catalog centre/center colour/color defence/defense
    emphasise/emphasize favour/favor fibre/fiber flavour/flavor grey/gray harbour/harbor honour/honor humour/humor
    jewellery/jewelry labour/labor licence/license litre/liter metre/meter neighbour/neighbor offence/offense
    organise/organize plough/plow programme/program realise/realize recognise/recognize rumour/rumor theatre/theater
    tyre/tire
    """.split()
)
_BRITISH = {american: british for british, american in _AMERICAN.items()}


def american(word: str) -> str:
    """The American spelling of a British one; any other word as it is.

    The phrases of Mitchell and Lapata (2010) come from the British National Corpus, while the subset of the Google News
    vectors has *labor* and not *labour*. The table is short: the British spellings of that set, and common ones
    besides. It changes spellings only, no words (*lift* stays) and no capitals.

    Parameters
    ----------
    word : str
        A lemma, or a label ``lemma|POS``.

    Examples
    --------
    >>> american("labour"), american("centre|NOUN"), american("lift")
    ('labor', 'center|NOUN', 'lift')
    """
    return _spelt(word, _AMERICAN)


def spelling_variants(word: str) -> tuple[str, ...]:
    """The word itself, and then its American or British spelling if it has one in the table of `american`.

    Parameters
    ----------
    word : str
        A lemma, or a label ``lemma|POS``.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> spelling_variants("labour"), spelling_variants("center|NOUN"), spelling_variants("lift")
    (('labour', 'labor'), ('center|NOUN', 'centre|NOUN'), ('lift',))

    The first one that a space knows::

        next((variant for variant in spelling_variants(word) if variant in space), None)
    """
    return tuple(dict.fromkeys((word, american(word), _spelt(word, _BRITISH))))


def _spelt(word: str, table: dict[str, str]) -> str:
    """The word with its lemma spelt as in a table, its part of speech as it is."""
    lemma, bar, tag = word.partition("|")
    return table.get(lemma, lemma) + bar + tag


def spelt_alike(corpus: Corpus, words: Sequence[str]) -> dict[str, str]:
    """For words that never occur as lemmas: the word that the corpus's lemmatiser makes of this spelling.

    A dataset's lemmas need not be ours: RELPRON's noun *troops* is our *troop*. Each word that the corpus lacks
    is looked up as a *form* of its part of speech (a noun may also be a proper noun: *muslim*), and takes the most
    frequent word of that form. Words that occur neither way are not in the result.

    Parameters
    ----------
    corpus : Corpus
    words : sequence of str
        Labels ``lemma|POS``.

    Returns
    -------
    dict from str to str

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> spelt_alike(corpus, ["dogs|NOUN", "dog|NOUN"])
    {'dogs|NOUN': 'dog|NOUN'}
    """
    alike, occurring = {}, occurrences(corpus, words)
    for word in words:
        if word in occurring:
            continue
        spelling, _, pos = word.rpartition("|")
        forms = corpus.forms.encode([spelling, spelling.capitalize()])
        here = np.bincount(corpus.word[np.isin(corpus.form, forms[forms >= 0])], minlength=len(corpus.words))
        here[~np.isin(corpus.pos_of, NOUNS if pos == "NOUN" else (pos,))] = 0
        if here.any():
            alike[word] = corpus.words[int(here.argmax())]
    return alike


def occurrences(corpus: Corpus, words: Iterable[str]) -> dict[str, int]:
    """Those of the words that the corpus has, with their counts; a part of a corpus knows words that it lacks.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> occurrences(corpus, ["dog|NOUN", "wolf|NOUN"])
    {'dog|NOUN': 1}
    """
    counts = {word: int(corpus.word_counts[corpus.words.index(word)]) for word in words if word in corpus.words}
    return {word: count for word, count in counts.items() if count}
