"""Sentences, usages, items and vectors of senses for the tests of sense discrimination, written in a few letters."""

import numpy as np

from cdsm_lib.labels import Labels
from cdsm_lib.tasks.sense_discrimination import Item, Usage
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.vectors.senses import SenseVectors

TAG = {"N": "NOUN", "V": "VERB", "A": "ADJ", "R": "ADV", "P": "PROPN", "I": "ADP", "D": "DET", "U": "PUNCT", "X": "AUX"}
TAG |= {"O": "PRON", "M": "NUM"}


def sentence(text: str, **comments: str) -> Sentence:
    """ "form/lemma/tag/head/label", head and label optional, and a last field "Sense=..." if it is one."""
    tokens = []
    for i, word in enumerate(text.split(), 1):
        form, lemma, tag, *rest = word.split("/")
        misc = rest.pop() if rest and "=" in rest[-1] else "_"
        head, label = rest or ("0", "_")
        tokens.append(Token(i, form, lemma or form.lower(), TAG[tag], "_", "_", int(head), label, "_", misc))
    return Sentence(tuple(tokens), comments)


def senses_of(words, starts, names, vectors) -> SenseVectors:
    counts = np.ones(len(names), dtype=int)
    return SenseVectors(Labels(words), np.array(starts), tuple(names), counts, np.array(vectors, dtype=np.float32))


def usage(text: str, position: int, sense: str = "s1") -> Usage:
    return Usage(sentence(text), position, sense, "mine")


def plain_usage(sense: str, number: int, lemma: str = "bank", tag: str = "N") -> Usage:
    return usage(f"{lemma}//{tag} {sense}//N word{number}//N", 0, sense)


def item_of(n: int = 2, answer: int = 0, label: str = "bank|NOUN") -> Item:
    options = tuple(plain_usage("s0" if i == answer else f"t{i}", i) for i in range(n))
    return Item(label, n, plain_usage("s0", 99), options, answer)
