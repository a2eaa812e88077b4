"""Sentences by hand: with Penn tags, or as trees."""

from pathlib import Path

from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.lexicon import Excerpt, Sense


def tagged(text: str, **comments: str) -> Sentence:
    """ "form/tag" or "form/tag/lemma" for each token, which hangs from the one before."""
    parts = (word.split("/") for word in text.split())
    tokens = (
        Token(i, form, (lemma or [form.lower()])[0], "X", tag, "_", i - 1, "dep", "_", "_")
        for i, (form, tag, *lemma) in enumerate(parts, 1)
    )
    return Sentence(tuple(tokens), comments)


def parsed(text: str, misc: dict[int, str] | None = None, **comments: str) -> Sentence:
    """A tree from ``form[:lemma]|TAG/head/deprel`` for each token; `misc` by token id."""
    tokens = []
    for i, item in enumerate(text.split(), 1):
        word, head, deprel = item.rsplit("/", 2)
        form, tag = word.split("|")
        form, _, lemma = form.partition(":")
        own = (misc or {}).get(i, "_")
        tokens.append(Token(i, form, (lemma or form).lower(), tag, "_", "_", int(head), deprel, "_", own))
    return Sentence(tuple(tokens), comments)


def write_conllu(path: Path, sentences: list[tuple[str, Sentence]]) -> Path:
    """A file with these sentences under their ids."""
    blocks = []
    for id, sentence in sentences:
        lines = ["\t".join(map(str, vars(token).values())) for token in sentence]
        blocks.append("\n".join([f"# sent_id = {id}", *lines]) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


def lexicon_of(lemmas: dict, senses: dict, phrases: str = "", valid: str = "") -> Excerpt:
    """A lexicon of a few words.

    Lemmas by kind with their forms; senses by "lemma|kind", each (name, count, words, "word>antonym ...", total), of
    which the last two may be left out; phrases and valid forms.
    """

    def sense(name: str, count: int, words: str, pairs: str = "", total: int = 0) -> Sense:
        return Sense(name, count, tuple(words.split()), tuple(tuple(pair.split(">")) for pair in pairs.split()), total)

    return Excerpt(
        {f"{form}|{kind}": lemma for kind, of in lemmas.items() for lemma in of for form in of[lemma].split()},
        {key: tuple(sense(*one) for one in of) for key, of in senses.items()},
        frozenset(phrases.split()),
        frozenset(valid.split()),
    )
