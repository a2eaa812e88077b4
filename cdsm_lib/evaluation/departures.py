"""Where a chapter departs from its paper: one list, from which the chapter's table and the book's page are made.

The list is ``data/published/differences.toml``, rows of what, theirs, ours and why. Text in braces is filled in by the
notebook's last section, which passes what only its run knows, with a format of Python where one is needed::

    from cdsm_lib.evaluation import departures

    departures.table("phrase_similarity", tokens=43.5, part="", clusters=3, word2vec=100, dep2vec=100)

A value may be a mapping: ``{senses[dimensions]:,}`` takes ``senses=settings["senses"]``. The table's rows go along with
the output as data (its metadata has them under `KEY`), where the page of differences finds what this run used. A
further table that belongs there is ``Departures(columns, rows, caption)``.
"""

import tomllib
from collections.abc import Mapping

from cdsm_lib import datasets
from cdsm_lib.display import Table

KEY = "departures"
"""Under this name the metadata of an output has the columns and rows of its table."""

COLUMNS = ("what", "theirs", "ours", "why")
FILE = "published/differences.toml"


class DifferencesError(ValueError):
    """An entry of ``data/published/differences.toml`` that fits nothing, or a value too few; says which."""


class Departures(Table):
    """A table whose output carries its rows as data, for the page of differences."""

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        return {}, {KEY: {"columns": list(self.columns), "rows": list(map(list, self.rows))}}


def read() -> dict[str, dict]:
    """The list, by chapter."""
    return tomllib.loads((datasets.data_root() / FILE).read_text("utf8"))


def table(chapter: str, **values) -> Departures:
    """The departures of a chapter, as in `cdsm_lib.evaluation.claims.NOTEBOOKS`, as a table.

    `values` are what stands in braces in its rows: numbers, text, or mappings; `DifferencesError` if one is missing.
    """
    entry = read()[chapter]
    rows = [tuple(filled(row[name], values, chapter) for name in COLUMNS) for row in entry["rows"]]
    return Departures(tuple(entry.get("columns", COLUMNS)), tuple(rows))


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
