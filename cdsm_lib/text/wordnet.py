"""WordNet 3.0, as far as word senses need it: the senses of a word, their glosses, their neighbours.

Words are labels `lemma|POS` with universal tags; a sense is a synset, named as NLTK names it (``bank.n.01``). The
database comes from the registry's dataset ``wordnet`` (`cdsm_lib.datasets.wordnet`) and is read by NLTK.

Fellbaum, editor (1998). WordNet: An Electronic Lexical Database. MIT Press.
"""

import re
from functools import cache

from cdsm_lib import datasets

POS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
"""WordNet's letter for each universal tag. It has no proper nouns of their own; satellite adjectives (s) are found
under a, too."""

TAG_OF_TYPE = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}
"""Universal tag for the number after the % of a sense key (senseidx(5WN))."""

_MARKER = re.compile(r"\((?:a|p|ip)\)")

RELATIONS = (
    "hypernyms", "instance_hypernyms", "hyponyms", "instance_hyponyms", "member_meronyms", "part_meronyms",
    "substance_meronyms", "member_holonyms", "part_holonyms", "substance_holonyms", "similar_tos", "also_sees",
    "attributes", "entailments", "causes", "verb_groups",
)  # fmt: skip
"""Relations between synsets along which a gloss is extended; antonymy, which relates words, is not among them."""


@cache
def reader():
    """NLTK's reader of WordNet 3.0.

    Raises `DataError` if there is no WordNet; the message says how to get it.
    """
    datasets.wordnet()
    from nltk.corpus import wordnet  # only what needs WordNet imports it

    return wordnet


def senses_of(label: str) -> tuple[str, ...]:
    """The synsets that list this very lemma, in WordNet's order, which is that of their frequency in SemCor.

    Parameters
    ----------
    label : str
        ``lemma|POS``; NOUN, PROPN, VERB, ADJ or ADV. The words of a longer lemma may be joined by ``_`` or blanks.
        No other form of the lemma is looked up: labels are lemmas already.

    Returns
    -------
    tuple of str
        Names of synsets; empty for a lemma that WordNet lacks, and for any other part of speech.

    Raises
    ------
    ValueError
        If it is no label.
    cdsm_lib.datasets.DataError
        If there is no WordNet; the message says how to get it.

    Examples
    --------
    ``senses_of("bank|NOUN")[:2]`` is ``('bank.n.01', 'depository_financial_institution.n.01')``.
    """
    lemma, bar, tag = label.rpartition("|")
    if not (lemma and bar and tag):
        raise ValueError(f"{label!r} is no word; write lemma|POS, such as bank|NOUN")
    senses = reader().lemmas(lemma.replace(" ", "_"), POS[tag]) if tag in POS else ()
    return tuple(dict.fromkeys(sense.synset().name() for sense in senses))


def synset_of_key(key: str) -> str:
    """The synset of a sense key: ``bank%1:17:01::`` belongs to ``bank.n.01``.

    A marker of position in the name of a satellite's head, as in ``single(a)``, may be there or not.

    Raises
    ------
    ValueError
        If it is no sense key, or not one of WordNet 3.0.
    cdsm_lib.datasets.DataError
        If there is no WordNet; the message says how to get it.
    """
    place = _places_of_keys().get(_without_marker(key.lower()))
    if place is None:
        problem = f"{key!r} is no sense key of WordNet 3.0; keys look like bank%1:17:01::"
        raise ValueError(f"{problem}. Keys of other versions must be mapped first")
    return reader().synset_from_pos_and_offset(*place).name()


@cache
def _places_of_keys() -> dict[str, tuple[str, int]]:
    """WordNet's letter and offset of each sense key. (NLTK searches the file anew for each key.)"""
    with reader().open("index.sense") as lines:
        fields = [line.split() for line in lines]
    return {_without_marker(key): ("nvars"[int(key.rpartition("%")[2][0]) - 1], int(at)) for key, at, *_ in fields}


def _without_marker(key: str) -> str:
    return _MARKER.sub("", key)


def gloss(name: str) -> str:
    """The words of a synset, in lower case and in its order, and its definition, without its examples."""
    synset = reader().synset(name)
    return " ".join([*map(str.lower, synset.lemma_names()), synset.definition()]).replace("_", " ")


@cache
def neighbours(name: str) -> tuple[str, ...]:
    """The synsets next to one along `RELATIONS`, in the order in which WordNet lists them."""
    synset = reader().synset(name)
    return tuple(dict.fromkeys(other.name() for relation in RELATIONS for other in getattr(synset, relation)()))
