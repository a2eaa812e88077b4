"""The leaderboard's picture for the landing page, from the committed figures of the full profile."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from book._ext.templates import fill
from cdsm_lib import plots
from cdsm_lib.chapters import leaderboard
from cdsm_lib.evaluation.results import committed

PICTURE, PHONE = "generated/leaderboard.png", "generated/leaderboard-phone.png"


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """The chart, in two widths, and ``generated/leaderboard.md``, to be included."""
    rows, panels, options = leaderboard.panels_of(committed("leaderboard"))
    figure, alt = plots.dot_chart(rows, panels, most=7, width=9.0, **options)
    narrow, _ = plots.dot_chart(rows, panels, most=2, width=3.55, **options)
    pictures = {PICTURE: plots.png(figure), PHONE: plots.png(narrow)}
    return {**pictures, "generated/leaderboard.md": snippet(rows, panels, alt)}


def snippet(systems: Sequence[str], panels: dict[str, dict], alt: str) -> str:
    """The pictures in MyST, with a caption whose numbers come from the ledger, and what the names mean."""
    shown = Counter(system for of in panels.values() for series in of.values() for system in series)
    everywhere = sum(n == len(panels) for n in shown.values())
    return fill(
        "leaderboard.md",
        picture=PICTURE,
        phone=PHONE,
        alt=" ".join(alt.split()),
        systems=len(systems),
        tasks=len(panels),
        everywhere=everywhere,
        winners=len({next(iter(of[leaderboard.SERIES["best"]])) for of in panels.values()}),
    )
