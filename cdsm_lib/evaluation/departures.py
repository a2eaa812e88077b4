"""Where a chapter departs from its paper: one list, from which the chapter's table and the book's page are made.

The list is ``data/published/differences.toml``, rows of what, theirs, ours and why. Text in braces is filled in by the
notebook's last section, which passes its settings and what only its run knows, with a format of Python where needed::

    from cdsm_lib.evaluation import departures

    departures.table("phrase_similarity", settings, tokens=43.5, word2vec=100, dep2vec=100)

``{settings[contextual.window]}`` is a setting by its path; a name that stands among the chapter's ``cases`` is filled
in by words for a setting's value. The table's rows go along with the output as data (metadata has them under `KEY`),
where the page of differences finds what this run used. A further table that belongs there is
``Departures(columns, rows, caption)``.
"""

import html
import tomllib
from collections.abc import Mapping

from cdsm_lib import datasets
from cdsm_lib.display import Table

KEY = "departures"
"""Under this name the metadata of an output has the columns and rows of its table."""

COLUMNS = ("what", "theirs", "ours", "why")
OPEN = 6
FILE = "published/differences.toml"
PART = {"part": {"setting": "corpus.files", "none": "", "0": "", "other": ", {}/16 of it"}}
"""What stands behind the size of the corpus in every chapter, if it is not all that is read."""


class DifferencesError(ValueError):
    """An entry of ``data/published/differences.toml`` that fits nothing, or a value too few; says which."""


class Departures(Table):
    """A table whose output carries its rows as data, for the page of differences.

    Without a caption it is shown as a list, of which `OPEN` are in sight.
    """

    def _repr_html_(self) -> str:
        if self.caption:
            return super()._repr_html_()
        rows = [map(html.escape, row) for row in self.rows]
        items = [f"<li><b>{what}</b>: {theirs} → {ours} ({why})</li>" for what, theirs, ours, why in rows]
        shown = f"<ul>{''.join(items[:OPEN])}</ul>"
        if rest := items[OPEN:]:
            shown += f"<details><summary>{len(rest)} more</summary><ul>{''.join(rest)}</ul></details>"
        return f"<p>What: {self.columns[1]} → {self.columns[2]} (why).</p>{shown}"

    def _repr_mimebundle_(self, include=None, exclude=None) -> tuple[dict, dict]:
        return {}, {KEY: {"columns": list(self.columns), "rows": list(map(list, self.rows))}}


def read() -> dict[str, dict]:
    """The list, by chapter."""
    return tomllib.loads((datasets.data_root() / FILE).read_text("utf8"))


def table(chapter: str, settings: Mapping, **values) -> Departures:
    """The departures of a chapter, as in `cdsm_lib.evaluation.claims.NOTEBOOKS`, as a table.

    `settings` are those of this run, a `Profile`; `values` are what else stands in braces in its rows: numbers, text,
    or mappings; `DifferencesError` if one is missing.
    """
    entry = read()[chapter]
    worded = {name: in_words(case, settings) for name, case in (entry.get("cases", {}) | PART).items()}
    values |= {"settings": settings} | worded

    def cells(row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(filled(row[name], values, chapter) for name in COLUMNS)

    return Departures(tuple(entry.get("columns", COLUMNS)), tuple(map(cells, entry["rows"])))


def in_words(case: Mapping[str, str], settings: Mapping) -> str:
    """What a setting's value is called: the text under the value, else the one under ``other``, with the value in it.

    Examples
    --------
    >>> case = {"setting": "window", "0": "the sentence", "other": "{} words"}
    >>> in_words(case, {"window": 0}), in_words(case, {"window": 5})
    ('the sentence', '5 words')
    """
    value = settings.get(case["setting"])
    return case.get(str(value).lower(), case.get("other", "")).format(value)


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
