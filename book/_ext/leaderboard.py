"""The leaderboard's picture for the landing page, from the committed figures of the full profile."""

from collections.abc import Sequence
from pathlib import Path

from book._ext.templates import fill
from cdsm_lib import plots
from cdsm_lib.chapters import leaderboard
from cdsm_lib.evaluation.results import Results

PICTURE, PHONE = "generated/leaderboard.png", "generated/leaderboard-phone.png"

SPACES, COMPOSITION, RELATIONS, LOCALISATION, PHRASES, SUBSTITUTION, SINCE = (
    f"{{doc}}`/notebooks/{name}`"
    for name in (
        "01-word-spaces",
        "02-composition",
        "10-relation-classification",
        "20-sentence-localisation",
        "40-phrase-similarity",
        "50-lexical-substitution",
        "92-since-then",
    )
)
NAMES = {
    "add": f"The vectors of the words are added ({COMPOSITION}).",
    "mult": f"The vectors of the words are multiplied, number by number ({COMPOSITION}).",
    "PPMI": f"Counted contexts, weighed by positive pointwise mutual information ({SPACES}).",
    "SVD": f"The vectors of PPMI, reduced by singular value decomposition ({SPACES}).",
    "word2vec": f"Vectors that were trained to predict the words around ({SPACES}).",
    "dep2vec": f"Vectors that were trained to predict the neighbours in the dependency tree ({PHRASES}).",
    "sense vectors": f"A vector for each sense of a word; the other words of the text choose the sense ({PHRASES}).",
    "SIF": "Smooth inverse frequency: word2vec vectors are added, frequent words weigh less, and what all sentences "
    f"share is taken away ({LOCALISATION}).",
    "E&P": "Erk and Padó: a word's vector, changed by what its neighbours in the dependency tree prefer "
    f"({RELATIONS}).",
    "TFP": f"Thater, Fürstenau and Pinkal: vectors two steps away in the graph of dependencies ({RELATIONS}).",
    "D&L": f"Dinu and Lapata: a word is a distribution over latent senses, which its context shifts ({RELATIONS}).",
    "PV-DM, PV-DBOW": "Paragraph vectors: a vector is inferred for each text, from which its words can be predicted, "
    f"with the help of the words around (DM) or without (DBOW) ({LOCALISATION}).",
    "URAE": f"Unfolding recursive autoencoder: a network joins two vectors at a time, up the tree ({LOCALISATION}).",
    "encoder": "A transformer of our own, which learned from the same text to guess masked words: the mean of its "
    f"states, or of its word vectors alone (words), or the state of the word in question (target) ({SINCE}).",
    "context2vec": f"Two recurrent networks read what stands around one word and model its place ({SUBSTITUTION}).",
    "lemma overlap": f"No vectors: the number of lemmas that two texts share ({RELATIONS}).",
}
"""What the names of the systems, or their parts, mean."""


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """The chart, in two widths, and ``generated/leaderboard.md``, to be included; nothing without the figures."""
    path = root / "data" / "results" / "full" / "leaderboard.json"
    if not path.is_file():
        return {}
    ledger = Results.read(path)
    rows, panels, options = leaderboard.panels_of(ledger)
    figure, alt = plots.board_chart(rows, panels, **options)
    narrow, _ = plots.board_chart(rows, panels, narrow=True, **options)
    pictures = {PICTURE: plots.png(figure), PHONE: plots.png(narrow)}
    return {**pictures, "generated/leaderboard.md": snippet(rows, panels, alt)}


def snippet(systems: Sequence[str], panels: dict[str, dict], alt: str) -> str:
    """The pictures in MyST, with a caption whose numbers come from the ledger, and what the names mean."""
    return fill(
        "leaderboard.md",
        picture=PICTURE,
        phone=PHONE,
        alt=" ".join(alt.split()),
        systems=len(systems),
        tasks=len(panels),
        everywhere=sum(all(row in of for of in panels.values()) for row in systems),
        winners=len({next(row for row, point in of.items() if point[3] == "best") for of in panels.values()}),
        names=NAMES,
    )
