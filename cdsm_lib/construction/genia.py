"""GENIA's treebank as documents: abstracts by their PubMed id, with universal tags.

Labels stay those of Universal Dependencies version 1, and Penn tags in XPOS.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.tables import TaskError, read_lines
from cdsm_lib.tasks.question_answering import Document
from cdsm_lib.text.corpus import Sentence, Token, read_conllu

PARTS = ("dev", "test", "future_use")
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}

UNIVERSAL_TAGS = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN",
    "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB", "MD": "AUX",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "ADV",
    "IN": "ADP", "TO": "ADP", "RP": "ADP", "DT": "DET", "PDT": "DET", "WDT": "DET", "CD": "NUM", "CC": "CCONJ",
    "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "EX": "PRON", "POS": "PART",
    "FW": "X", "LS": "X", "SYM": "SYM", "$": "SYM", "UH": "INTJ",
}  # fmt: skip
"""Universal tag of each Penn tag; any other is PUNCT."""


def genia() -> tuple[Document, ...]:
    """The abstracts of GENIA's treebank; the files come from the registry."""
    return documents(
        (datasets.fetch("genia", f"{part}.conllu"), datasets.fetch("genia", f"{part}_per_sentence.pmids"))
        for part in PARTS
    )


def to_universal(sentence: Sentence) -> Sentence:
    """A sentence of GENIA's treebank with universal tags in UPOS, where it has Penn tags; labels and lemmas stay.

    Forms of *be*, *have* and *do* are AUX where they are labelled as auxiliaries or copulas. Character references
    (``&lt;``) and the treebank's names of brackets (``-LSB-``) in form and lemma become characters.

    >>> from cdsm_lib.text.corpus import sentence
    >>> tree = sentence("is:be|VBZ|VBZ/2/auxpass bound:bind|VBN|VBN/0/root")
    >>> [token.upos for token in to_universal(tree)]
    ['AUX', 'VERB']
    """

    def tag(token: Token) -> str:
        if token.xpos.startswith("VB") and token.deprel in ("aux", "auxpass", "cop"):
            return "AUX"
        if token.xpos in ("IN", "TO") and token.deprel == "mark":
            return "SCONJ" if token.xpos == "IN" else "PART"
        return UNIVERSAL_TAGS.get(token.xpos, "PUNCT")

    def characters(word: str) -> str:
        return html.unescape(re.sub("-[LR][RS]B-", lambda name: BRACKETS[name[0].upper()], word, flags=re.IGNORECASE))

    tokens = (replace(t, form=characters(t.form), lemma=characters(t.lemma), upos=tag(t)) for t in sentence)
    return Sentence(tuple(tokens), dict(sentence.comments))


def documents(parts: Iterable[tuple[Path, Path]]) -> tuple[Document, ...]:
    """The abstracts of GENIA's treebank in their order, with universal tags and ``sent_id`` PMID.number.

    Each part is a CoNLL-U file, and the file with the PubMed id of each of its sentences, one a line. A `TaskError` if
    the two differ in length, or an abstract is interrupted by another.
    """
    abstracts: dict[str, list[Sentence]] = {}
    latest = None
    for trees, ids in parts:
        sentences, pmids = list(read_conllu(trees)), " ".join(read_lines(ids)).split()
        if len(sentences) != len(pmids):
            problem = f"{len(pmids)} ids for the {len(sentences)} sentences of {trees.name}; fetch both again"
            raise TaskError(ids.name, None, problem)
        for number, (pmid, sentence) in enumerate(zip(pmids, sentences, strict=True), 1):
            if pmid != latest and pmid in abstracts:
                raise TaskError(ids.name, number, f"abstract {pmid} begins a second time; fetch it again")
            latest, abstract = pmid, abstracts.setdefault(pmid, [])
            comments = {"doc_id": pmid, "sent_id": f"{pmid}.{len(abstract)}"}
            abstract.append(Sentence(to_universal(sentence).tokens, comments))
    return tuple(Document(pmid, tuple(sentences)) for pmid, sentences in abstracts.items())
