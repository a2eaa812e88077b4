"""Where a chapter departs from its paper: one list, from which the chapter's table and the book's page are made.

The list is ``data/published/differences.toml``, rows of what, theirs, ours and why. Text in braces is filled in by the
notebook's last section, which passes what only its run knows, with a format of Python where one is needed::

    from cdsm_lib.evaluation import departures

    departures.table("phrase_similarity", tokens=43.5, part="", clusters=3, word2vec=100, dep2vec=100)

A value may be a mapping: ``{senses[dimensions]:,}`` takes ``senses=settings["senses"]``. The table's rows go along with
the output as data (its metadata has them under `KEY`), where the page of differences finds what this run used. A
further table that belongs there is ``Departures.of(columns, rows, caption)``.
"""

import tomllib
from collections.abc import Mapping, Sequence
from string import Formatter

from cdsm_lib import datasets
from cdsm_lib.display import Table

KEY = "departures"
"""Under this name the metadata of an output has the columns and rows of its table."""

COLUMNS = ("what", "theirs", "ours", "why")
FILE = "published/differences.toml"


class DifferencesError(ValueError):
    """An entry of ``data/published/differences.toml`` that fits nothing, or a value too few or too many; says which."""


class Departures(Table):
    """A table whose output carries its rows as data, for the page of differences."""

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> "Departures":
        """A table of these columns and rows."""
        return cls(tuple(columns), tuple(map(tuple, rows)), caption)

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        return {}, {KEY: {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}}


def read() -> dict[str, dict]:
    """The list, by chapter."""
    return tomllib.loads((datasets.data_root() / FILE).read_text("utf8"))


def table(chapter: str, **values) -> Departures:
    """The chapter's departures as a table.

    Raises `DifferencesError` if the list has no such chapter, if a value is missing, or if no row has a place for one.

    Parameters
    ----------
    chapter : str
        As in `cdsm_lib.evaluation.claims.NOTEBOOKS`.
    **values
        What stands in braces in the chapter's rows: numbers, text, or mappings.
    """
    chapters = read()
    if chapter not in chapters:
        raise DifferencesError(f"data/{FILE} has no chapter {chapter!r}; it has {', '.join(chapters)}")
    entry = chapters[chapter]
    rows = [[filled(row[name], values, chapter) for name in COLUMNS] for row in entry["rows"]]
    asked = {name for row in entry["rows"] for text in row.values() for name in placeholders(text)}
    if idle := sorted(set(values) - asked):
        raise DifferencesError(f"data/{FILE}: no row of [{chapter}] has a place for {', '.join(idle)}")
    return Departures.of(entry.get("columns", COLUMNS), rows)


def placeholders(text: str) -> list[str]:
    """The names in braces.

    >>> placeholders("{tokens:.1f} million tokens, {senses[dimensions]:,} dimensions")
    ['tokens', 'senses']
    """
    return [name.partition("[")[0] for _, name, _, _ in Formatter().parse(text) if name]


def filled(text: str, values: Mapping, chapter: str) -> str:
    """A text with its placeholders filled.

    Raises `DifferencesError` naming the placeholder without a value.

    Examples
    --------
    >>> filled("windows of {window} words", {"window": 3}, "relpron")
    'windows of 3 words'
    """
    try:
        return text.format_map(values)
    except KeyError as error:
        raise DifferencesError(f"data/{FILE}: [{chapter}] asks for {{{error.args[0]}}} in {text!r}") from None
