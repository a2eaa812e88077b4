"""The leaderboard's picture for the landing page, from the committed figures of the full profile."""

from collections.abc import Sequence
from pathlib import Path

from book._ext.templates import fill
from cdsm_lib import plots
from cdsm_lib.chapters import leaderboard
from cdsm_lib.evaluation.results import Results

PICTURE = "generated/leaderboard.png"


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """``generated/leaderboard.png`` and ``generated/leaderboard.md``, to be included; nothing without the figures."""
    path = root / "data" / "results" / "full" / "leaderboard.json"
    if not path.is_file():
        return {}
    ledger = Results.read(path)
    rows, panels, options = leaderboard.panels_of(ledger)
    figure, alt = plots.board_chart(rows, panels, **options)
    return {PICTURE: plots.png(figure), "generated/leaderboard.md": snippet(rows, panels, alt)}


def snippet(systems: Sequence[str], panels: dict[str, dict], alt: str) -> str:
    """The picture as a figure of MyST, with a caption whose numbers come from the ledger."""
    return fill(
        "leaderboard.md",
        picture=PICTURE,
        alt=" ".join(alt.split()),
        systems=len(systems),
        tasks=len(panels),
        everywhere=sum(all(row in of for of in panels.values()) for row in systems),
        winners=len({next(row for row, point in of.items() if point[3] == "best") for of in panels.values()}),
    )
