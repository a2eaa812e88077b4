"""The part-of-speech tagger: what it is trained on, how well it does, and how its committed weights are made.

``make tagger`` trains (a quarter of an hour) and writes ``data/models/pos-tagger.npz``.

The parsed Wikipedia has universal tags only, while SemCor and CoInCo come with the parser's Penn tags. So a first
tagger learns from these two. It then tags part of the Wikipedia, choosing for each token among the Penn tags that its
universal tag allows. The second tagger, which is kept, learns from all three.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from cdsm_lib import datasets
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.corpus import Sentence, Token, read_conllu
from cdsm_lib.text.tagger import Accuracy, PosTagger, Tagged

LIMIT = 2_500_000
"""Bytes that the committed weights may take."""

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

NOT_PENN = {'"', "-"}
"""Tokens that Penn tokenisation does not have or does not split off: straight quotation marks, hyphens in words."""


def _tagged(sentences: Iterable[Sentence]) -> Iterator[Tagged]:
    """Tokens and Penn tags; a straight quotation mark is written as its tag, which is what Penn tokenisation does."""
    for sentence in sentences:
        yield tuple(map(_penn_form, sentence)), tuple(token.xpos for token in sentence)


def _penn_form(token: Token) -> str:
    return token.xpos if token.form == '"' and token.xpos in ("``", "''") else token.form


def parser_tagged() -> tuple[list[Tagged], list[Tagged]]:
    """The sentences of SemCor and CoInCo with the parser's tags: those to train on, and SemCor's held out."""
    semcor = list(_tagged(read_conllu(datasets.fetch("semcor", "semcor.conllu.xz"))))
    coinco = list(_tagged(read_conllu(datasets.fetch("coinco", "coinco.conllu.xz"))))
    return [s for i, s in enumerate(semcor) if i % HELD_OUT] + coinco, semcor[::HELD_OUT]


def wikipedia_tagged(first: PosTagger, files: int = FILES, per_file: int = PER_FILE) -> Iterator[Tagged]:
    """Sentences of the parsed Wikipedia, from the start of each of `files` files, tagged by `first` within the parse.

    Left out are sentences whose tokens show that they are not Penn tokens (`NOT_PENN`).
    """
    for path in datasets.fetch_matching("wikipedia_parsed", "*.conllu.xz")[:files]:
        suited = (s for s in read_conllu(path) if not any(token.form in NOT_PENN for token in s))
        for sentence in islice(suited, per_file):
            tokens = tuple(token.form for token in sentence)
            yield tokens, first.tag_within(tokens, [PENN.get(token.upos, set(first.tags)) for token in sentence])


def gold(split: str) -> Iterator[Tagged]:
    """The sentences of the English Web Treebank (EWT), ``dev`` or ``test``, with their gold tags."""
    return _tagged(read_conllu(datasets.fetch("ud_ewt", f"en_ewt-ud-{split}.conllu")))


def paraphrases() -> Iterator[Tagged]:
    """The sentences of the Microsoft Research Paraphrase Corpus with the parser's tags."""
    return _tagged(read_conllu(datasets.fetch("msrpc", "msrpc.conllu.xz")))


def train(*, files: int = FILES, per_file: int = PER_FILE, iterations: int = 5, seed: int = SEED) -> PosTagger:
    """The two trainings of this module; the settings are kept in the tagger's ``meta``."""
    sentences, _ = parser_tagged()
    first = pos.train(sentences, iterations=iterations, seed=seed)
    sentences += wikipedia_tagged(first, files, per_file)
    meta = {"datasets": datasets.used(SOURCES), "wikipedia": {"files": files, "per_file": per_file}}
    return pos.train(sentences, iterations=iterations, seed=seed, meta=meta)


def figures(tagger: PosTagger) -> dict[str, Accuracy]:
    """Accuracy against gold tags (EWT), and agreement with the parser's (SemCor held out, MSRPC)."""
    return {
        "EWT dev (gold)": pos.accuracy(tagger, gold("dev")),
        "EWT test (gold)": pos.accuracy(tagger, gold("test")),
        "SemCor held out (parser)": pos.accuracy(tagger, parser_tagged()[1]),
        "MSRPC (parser)": pos.accuracy(tagger, paraphrases()),
    }


def main() -> int:
    """Train and write the weights; 1 if they outgrow their limit."""
    path, trained = pos.weights_path(), train()
    with TemporaryDirectory(dir=path.parent) as folder:
        weights = trained.save(Path(folder) / path.name)
        size = weights.stat().st_size
        if size > LIMIT:
            print(f"the weights would take {size / 1e6:.1f} MB of {LIMIT / 1e6:.1f}: lower PER_FILE")
            return 1
        weights.replace(path)
    for name, accuracy in figures(pos.load()).items():
        print(f"{name}: {accuracy.right:.4f} of {accuracy.tokens:,}; precision and recall of common nouns "
              f"{accuracy.noun_precision:.3f} {accuracy.noun_recall:.3f}, verbs {accuracy.verb_precision:.3f} "
              f"{accuracy.verb_recall:.3f}")  # fmt: skip
    print(f"{size / 1e6:.1f} MB  {path.name}")
    return 0
