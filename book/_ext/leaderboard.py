"""The leaderboard's picture for the landing page, from the committed figures of the full profile."""

from collections.abc import Sequence
from pathlib import Path

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
    best = {name: next(row for row, point in of.items() if point[3] == "best") for name, of in panels.items()}
    winners = len(set(best.values()))
    everywhere = sum(all(row in of for of in panels.values()) for row in systems)
    others = f" ({everywhere} of them on all)" if everywhere < len(systems) else ""
    return (
        f"```{{figure}} /book/{PICTURE}\n:alt: {' '.join(alt.split())}\n:class: dark-light\n:figclass: wide\n"
        ":width: 100%\n\n"
        f"{len(systems)} systems on {len(panels)} tasks{others}, all trained on one corpus, with 95% intervals; best "
        f"on average at the top. {winners} different systems have the highest figure on some task. The table: "
        "{doc}`/notebooks/90-leaderboard`.\n```\n"
    )
