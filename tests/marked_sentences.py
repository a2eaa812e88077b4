"""Sentences by hand, for the tests of relation classification: "form", or "form/1", "form/2" for an entity's token."""

import numpy as np

from cdsm_lib.tasks.relation_classification import EntityPair
from cdsm_lib.text.corpus import Sentence, Token


def sentence(text: str) -> Sentence:
    tokens = []
    for i, word in enumerate(text.split(), 1):
        form, _, entity = word.partition("/")
        misc = f"Entity={entity}" if entity else "_"
        tokens.append(Token(i, form, form.lower(), "X", "_", "_", min(i - 1, 1), "dep", "_", misc))
    return Sentence(tuple(tokens))


def conllu(sentences: dict[str, str]) -> str:
    blocks = []
    for sent_id, text in sentences.items():
        rows = [
            "\t".join((str(t.id), t.form, t.lemma, "X", "_", "_", str(t.head), "dep", "_", t.misc))
            for t in sentence(text)
        ]
        blocks.append("\n".join([f"# sent_id = {sent_id}", *rows]))
    return "\n\n".join(blocks) + "\n\n"


def pair_of(expresses, name="Acorn/Walnut", relation="acquires") -> EntityPair:
    n = len(expresses)
    return EntityPair(
        relation, name, (sentence("Acorn/1 buys Walnut/2"),) * n, tuple(f"s{i}" for i in range(n)), np.array(expresses)
    )


def written(path, *rows: str):
    """The path of a file with these rows."""
    path.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return path
