"""``make tagger``: train the part-of-speech tagger (a quarter of an hour), ``data/models/pos-tagger.npz``.

The parsed Wikipedia has universal tags only, while SemCor and CoInCo come with the parser's Penn tags. So a first
tagger learns from these two. It then tags part of the Wikipedia, choosing for each token among the Penn tags that its
universal tag allows. The second tagger, which is kept, learns from all three.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter

from nltk.tag.perceptron import PerceptronTagger

from cdsm_lib import datasets, storage
from cdsm_lib.evaluation.results import enter_digest
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import Sentence, read_conllu
from cdsm_lib.text.tagger import PosTagger, penn
from scripts import run

Tagged = tuple[Sequence[str], Sequence[str]]
"""A sentence: its tokens, and a tag for each."""

SEED = 2015
FILES, PER_FILE = 8, 5000
"""How many files of the parsed Wikipedia are read, and how many sentences of each are taken."""

HELD_OUT = 50
"""One sentence in so many of SemCor is held out."""

SOURCES = ("semcor", "coinco", "wikipedia_parsed")

VERB = {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"}
PENN = {
    "ADJ": {"JJ", "JJR", "JJS", "AFX"},
    "ADP": {"IN", "RP"},
    "ADV": {"RB", "RBR", "RBS", "WRB"},
    "AUX": VERB,
    "CCONJ": {"CC"},
    "DET": {"DT", "PDT", "PRP$", "WDT", "WP$"},
    "INTJ": {"UH"},
    "NOUN": {"NN", "NNS"},
    "NUM": {"CD"},
    "PART": {"POS", "RB", "TO"},
    "PRON": {"EX", "NN", "PRP", "WP"},
    "PROPN": {"NNP", "NNPS"},
    "PUNCT": {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"},
    "SCONJ": {"IN"},
    "SYM": {"$", "SYM"},
    "VERB": VERB | {"MD"},
    "X": {"ADD", "FW", "LS", "XX"},
}
"""The Penn tags behind each universal tag, as the mirror's parser (spaCy, en_core_web_sm 2.2.5) maps them."""

FORM, NOT_PENN = attrgetter("form"), {'"', "-"}
"""Tokens that Penn tokenisation does not have or does not split off: straight quotation marks, hyphens in words."""


def _tagged(sentences: Iterable[Sentence]) -> Iterator[Tagged]:
    """Tokens and Penn tags; a straight quotation mark is written as its tag, which is what Penn tokenisation does."""
    for sentence in sentences:
        forms = (t.xpos if t.form == '"' and t.xpos in ("``", "''") else t.form for t in sentence)
        yield tuple(forms), tuple(token.xpos for token in sentence)


def parser_tagged() -> list[Tagged]:
    """The sentences of SemCor, but those held out, and of CoInCo with the parser's tags."""
    semcor, coinco = (_tagged(read_conllu(datasets.fetch(name, f"{name}.conllu.xz"))) for name in SOURCES[:2])
    return [*(sentence for i, sentence in enumerate(semcor) if i % HELD_OUT), *coinco]


def wikipedia_tagged(first: PosTagger, files: int = FILES, per_file: int = PER_FILE) -> Iterator[Tagged]:
    """Sentences of the parsed Wikipedia, from the start of each of `files` files, tagged by `first` within the parse.

    Left out are sentences whose tokens show that they are not Penn tokens (`NOT_PENN`).
    """
    for path in datasets.fetch_matching("wikipedia_parsed", "*.conllu.xz")[:files]:
        suited = (sentence for sentence in read_conllu(path) if NOT_PENN.isdisjoint(map(FORM, sentence)))
        for sentence in islice(suited, per_file):
            tokens = tuple(map(FORM, sentence))
            yield tokens, first.tag_within(tokens, [PENN.get(token.upos, set(first.tags)) for token in sentence])


def perceptron(
    sentences: Iterable[Tagged], *, iterations: int = 5, seed: int, smallest: float = 0.1, meta: Mapping | None = None
) -> PosTagger:
    """Train an averaged perceptron.

    Parameters
    ----------
    sentences : iterable of (tokens, tags)
    iterations : int
        How often the sentences are read. They are shuffled before each reading.
    seed : int
        Decides the order.
    smallest : float
        Averaged weights are rounded to multiples of this; those that come to 0 are dropped. It must be large enough
        for the largest weight to be less than 32,768 multiples.
    meta : mapping, optional
        To be kept with the weights, beside these settings.

    Examples
    --------
    >>> model = perceptron([(["the", "dog", "barks"], ["DT", "NN", "VBZ"])] * 3, seed=1)
    >>> model.tag(["the", "dog", "barks"])
    ('DT', 'NN', 'VBZ')
    """
    pairs = [list(zip(penn(tokens), tags, strict=True)) for tokens, tags in sentences]
    nltk = PerceptronTagger(load=False)
    random.seed(seed)  # NLTK shuffles with this module
    random.shuffle(pairs)
    nltk.train(pairs, nr_iter=iterations)
    settings = {"iterations": iterations, "seed": seed, "smallest": smallest}
    about = {"sentences": len(pairs), "tokens": sum(map(len, pairs))} | settings | dict(meta or {})
    weights = _rounded(nltk.model.weights, smallest)
    return PosTagger(weights, nltk.tagdict, tuple(sorted(nltk.classes)), about)


def _rounded(weights: Mapping[str, Mapping[str, float]], step: float) -> dict[str, dict[str, int]]:
    """Weights as whole multiples of `step`, without those that come to 0."""
    steps = {}
    for name, of_tags in weights.items():
        numbers = {tag: n for tag, weight in of_tags.items() if (n := round(weight / step))}
        if numbers:
            steps[name] = numbers
    return steps


def main(files: int = FILES, per_file: int = PER_FILE, seed: int = SEED) -> None:
    """Train twice, and write the weights; the settings are kept in the tagger's ``meta``."""
    sentences = parser_tagged()
    sentences += wikipedia_tagged(perceptron(sentences, seed=seed), files, per_file)
    meta = {"datasets": datasets.used(SOURCES), "wikipedia": {"files": files, "per_file": per_file}}
    enter_digest(storage.save(perceptron(sentences, seed=seed, meta=meta), pos.weights_path(), kind="pos-tagger"))


if __name__ == "__main__":
    run(main)
