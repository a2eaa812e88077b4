"""Texts with places to fill in: pages of the site, and the README of what a class gets."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import jinja2

_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    undefined=jinja2.StrictUndefined,
    trim_blocks=False,
    keep_trailing_newline=True,
)


def megabytes(size: int) -> str:
    """A size in bytes for a reader, in MB or kB, with a space at which no line breaks.

    >>> megabytes(16_436_356), megabytes(1_658)
    ('16.4\\xa0MB', '1.7\\xa0kB')
    """
    return f"{size / 1e6:,.1f}\xa0MB" if size >= 1e6 else f"{size / 1e3:,.1f}\xa0kB"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """A table in Markdown; the last so many columns hold numbers, which stand at the right."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * (len(head) - numbers) + "--:|" * numbers]
    return "\n".join(lines + ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows])


_templates.globals |= {"megabytes": megabytes, "table": table}


def fill(template: str, /, **values) -> str:
    """A template with its values; an error for one that is missing."""
    return _templates.get_template(f"{template}.jinja").render(values)
