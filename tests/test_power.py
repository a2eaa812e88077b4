"""The measure of power: its sabotages are of lines that are still there."""

from pathlib import Path

from benchmarks import power

ROOT = Path(__file__).resolve().parents[1]


def test_sixty_sabotages_find_their_places():
    there = [(row, (ROOT / row["file"])) for row in power.LISTS["sabotage"]]
    there = [(row, path.read_bytes()) for row, path in there if path.exists()]
    assert sum(power.sabotaged(content, row) != content for row, content in there) >= 60
