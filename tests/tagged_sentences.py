"""Sentences with Penn tags by hand, for the tests of sentence localisation."""

from pathlib import Path

from cdsm_lib.text.corpus import Sentence, Token


def tagged(text: str, **comments: str) -> Sentence:
    """ "form/tag" or "form/tag/lemma" for each token, which hangs from the one before."""
    parts = (word.split("/") for word in text.split())
    tokens = (
        Token(i, form, (lemma or [form.lower()])[0], "X", tag, "_", i - 1, "dep", "_", "_")
        for i, (form, tag, *lemma) in enumerate(parts, 1)
    )
    return Sentence(tuple(tokens), comments)


def write_conllu(path: Path, sentences: list[tuple[str, Sentence]]) -> Path:
    """A file with these sentences under their ids."""
    blocks = []
    for id, sentence in sentences:
        lines = ["\t".join(map(str, vars(token).values())) for token in sentence]
        blocks.append("\n".join([f"# sent_id = {id}", *lines]) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path
