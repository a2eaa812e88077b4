"""Gold tags for the chapter on White's task."""

from cdsm_lib import datasets
from cdsm_lib.text.corpus import read_conllu


def gold(split: str):
    """The sentences of the English Web Treebank (EWT), ``dev`` or ``test``, with their gold tags."""
    for sentence in read_conllu(datasets.fetch("ud_ewt", f"en_ewt-ud-{split}.conllu")):
        yield tuple(token.form for token in sentence), tuple(token.xpos for token in sentence)
