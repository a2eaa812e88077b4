"""The leaderboard's picture for the landing page, from the committed figures of the full profile."""

from collections.abc import Sequence
from pathlib import Path

from book._ext.templates import fill
from cdsm_lib import plots
from cdsm_lib.chapters import leaderboard
from cdsm_lib.evaluation.results import Results

PICTURE, PHONE = "generated/leaderboard.png", "generated/leaderboard-phone.png"


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
    )
