"""Sentences by hand, for the tests of relation classification: "form", or "form/1", "form/2" for an entity's token."""

import numpy as np

from cdsm_lib.tasks.relation_classification import EntityPair
from cdsm_lib.text import corpus
from cdsm_lib.text.corpus import Sentence


def sentence(text: str) -> Sentence:
    words = (word.partition("/") for word in text.split())
    return corpus.sentence(" ".join(f"{form}|X" + (f"/Entity={entity}" if entity else "") for form, _, entity in words))


def conllu(sentences: dict[str, str]) -> str:
    return "".join(f"# sent_id = {sent_id}\n{sentence(text).conllu()}" for sent_id, text in sentences.items())


def pair_of(expresses, name="Acorn/Walnut", relation="acquires") -> EntityPair:
    ids = tuple(f"s{i}" for i in range(len(expresses)))
    return EntityPair(relation, name, (sentence("Acorn/1 buys Walnut/2"),) * len(ids), ids, np.array(expresses, bool))


def written(path, *rows: str):
    """The path of a file with these rows."""
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return path
