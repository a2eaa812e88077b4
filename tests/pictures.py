"""Pictures and metadata of a notebook's outputs, which nbval leaves out, compared when it executes a cell."""

import base64
import io
from collections.abc import Callable, Sequence
from itertools import zip_longest

from nbformat import NotebookNode


def redrawn(before: str, now: str) -> bool:
    """Whether two PNG files in base64 are of one size and alike but for the smoothing of edges, in .1% of pixels."""
    from matplotlib.image import imread  # only where a picture's bytes differ, as on another machine

    one, other = (imread(io.BytesIO(base64.b64decode(picture))) for picture in (before, now))
    return one.shape == other.shape and (abs(one - other).max(axis=2) > 0.25).mean() < 0.001


def differing(stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]) -> list[str]:
    """Where the pictures of a cell, or what its outputs say about them, are not those that are stored."""
    lists = [[output for output in outputs if "data" in output] for outputs in (stored, fresh)]
    told = []
    for n, (before, now) in enumerate(zip_longest(*lists, fillvalue=NotebookNode(data={}, metadata={})), 1):
        pictures = [output.data.get("image/png", "").strip() for output in (before, now)]
        if before.metadata != now.metadata:
            told.append(f"output {n}: metadata {now.metadata}, stored as {before.metadata}")
        elif pictures[0] != pictures[1] and not redrawn(*pictures):
            told.append(f"output {n}: another picture than the stored one")
    return told


def compare(without_pictures: Callable, cell, fresh: list, stored: list) -> bool:
    """nbval's comparison of a cell's outputs, and that of its pictures."""
    alike = without_pictures(fresh, stored)
    cell.comparison_traceback += (told := differing(stored, fresh))
    return alike and not told
