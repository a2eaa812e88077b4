"""The number of an exercise: one in the chapter, on its sheet and in every copy of the notebook."""

import re

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def number(name: str, place: int) -> tuple[str, ...]:
    """The parts of an exercise's number: its chapter's, by the name of the page, and its place in the chapter.

    >>> number("notebooks/30-relpron", 4), number("02-composition", 1), number("afterword", 2)
    (('30', '4'), ('2', '1'), ('2',))
    """
    chapter = re.match(r"\d+", name.rpartition("/")[2])
    return (str(int(chapter[0])), str(place)) if chapter else (str(place),)


def renumber(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Count the exercises of the site by chapter: sphinx-exercise counts them through the whole book.

    Sphinx calls this each time after it has counted; it is told of no further page to read again.
    """
    for page, kinds in env.toc_fignumbers.items():
        for place, exercise in enumerate(kinds.get("exercise", {}), 1):
            kinds["exercise"][exercise] = number(page, place)
    return []
