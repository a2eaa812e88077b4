"""Sentences by hand, with Penn tags; and settings with which sentence models are trained on a few of them."""

from dataclasses import replace
from pathlib import Path

from cdsm_lib.text.corpus import Sentence, sentence
from cdsm_lib.text.lexicon import Excerpt, Sense

SENTENCE_MODELS = {
    "words": {"dimensions": 4, "window": 2, "negatives": 2, "min_count": 2, "subsample": 0.0, "epochs": 2,
              "rate": 0.025},
    "sif": {"a": 1e-3, "components": 1, "sentences": 40},
    "paragraph_vectors": {"sentences": 30, "dimensions": 3, "window": 2, "min_count": 2, "hs": True, "negatives": 2,
                          "sample": 0.0, "epochs": 1, "rate": 0.025, "draws": 2, "passes": 2},
    "autoencoder": {"trees": ["greedy"], "sentences": 20, "held_out": 5, "longest": 6, "epochs": 2, "batch": 5,
                    "rate": 0.003, "penalty": 1e-4},
}  # fmt: skip


def tagged(text: str, **comments: str) -> Sentence:
    """ "form/tag" or "form/tag/lemma" for each token."""
    parts = [word.split("/") for word in text.split()]
    forms = (f"{form}:{lemma[0]}" if lemma else form for form, _, *lemma in parts)
    tokens = zip(sentence(" ".join(forms), **comments), parts, strict=True)
    return Sentence(tuple(replace(token, upos="X", xpos=part[1]) for token, part in tokens), comments)


def write_conllu(path: Path, sentences: list[tuple[str, Sentence]]) -> Path:
    """A file with these sentences under their ids."""
    trees = (replace(tree, comments={"sent_id": id}).conllu() for id, tree in sentences)
    path.write_text("".join(trees), encoding="utf-8")
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
