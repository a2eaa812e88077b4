"""Sentences and their trees written in one line, for tests of whatever reads text."""

from cdsm_lib.text.corpus import Corpus, Sentence, Token, corpus_from_sentences


def sentence(text: str) -> Sentence:
    """A sentence from ``[form=]lemma[|TAG][/head/deprel]`` items.

    Where nothing else is written, the form is the lemma, the tag is NOUN, and everything hangs from the first token.
    """
    tokens = []
    for i, item in enumerate(text.split(), 1):
        item, _, tree = item.partition("/")
        form, _, word = item.rpartition("=")
        lemma, _, tag = word.partition("|")
        head, deprel = tree.split("/") if tree else (0 if i == 1 else 1, "root" if i == 1 else "dep")
        tokens.append(Token(i, form or lemma, lemma, tag or "NOUN", "_", "_", int(head), deprel, "_", "_"))
    return Sentence(tuple(tokens))


def corpus_of(*texts: str) -> Corpus:
    """A corpus in memory of these sentences."""
    return corpus_from_sentences(map(sentence, texts))
