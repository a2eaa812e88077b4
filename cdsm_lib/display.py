"""What a notebook shows besides charts: sentences, tables, figures with their intervals, claims.

Everything here is text in the end, the same on every machine, so that nbval can compare it.

say                   a sentence whose numbers were just computed
table                 a table of values
figure, printed       a value with its interval, and the published one; a dash where there is none
count                 a value that counts something
p_value, plain        a p value as papers write it; labels without their parts of speech
result_of             one row of a chapter's results, or None
pivot                 the tables of every results section: rows, columns, and published, full, this run
grid                  results by row and column, for a chart
"""

import html
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, product

import numpy as np

ABSENT = "–"


@dataclass(frozen=True)
class Table:
    """A table of text that a notebook shows; the same on every machine.

    Parameters
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
    caption : str
    row_headers : int
        How many first columns name the row.
    sortable : bool
        Whether the reader may sort its rows in the book (``book/assets/sortable.js``), where an interval shows when its
        cell is pointed at.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    row_headers: int = 1
    sortable: bool = False

    def _repr_markdown_(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        body = "\n".join(map(line, [self.columns, ["---"] * len(self.columns), *self.rows]))
        return (f"**{self.caption}**\n\n" if self.caption else "") + body

    def _repr_html_(self) -> str:
        def cell(tag: str, text: str, scope: str = "") -> str:
            escaped = html.escape(text)
            if self.sortable and tag == "td":
                escaped = re.sub(r"\[[^\]]*\]", r'<span class="interval">\g<0></span>', escaped)
            return f"<{tag}{scope}>{escaped}</{tag}>"

        def line(texts: Sequence[str]) -> str:
            heads = [cell("th", text, ' scope="row"') for text in texts[: self.row_headers]]
            return "".join(["<tr>", *heads, *(cell("td", text) for text in texts[self.row_headers :]), "</tr>"])

        head = "".join(cell("th", name, ' scope="col"') for name in self.columns)
        body = "\n".join(map(line, self.rows))
        caption = cell("caption", self.caption) if self.caption else ""
        kind = "table sortable" if self.sortable else "table"
        return f'<table class="{kind}">{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'

    def __str__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        form = "  ".join(f"{{:<{width}}}" for width in widths)
        return "\n".join(form.format(*line).rstrip() for line in lines)

    __repr__ = __str__


def table(
    columns: Sequence[str], rows: Sequence[Sequence], caption: str = "", row_headers: int = 1, sortable: bool = False
) -> Table:
    """A table of values: numbers with three decimals, whole numbers with thousands marked, a dash for None.

    Examples
    --------
    >>> print(table(("system", "MAP", "items"), [("SPLF", 0.49721, 1080), ("Random", None, 9)]))
    system  MAP    items
    SPLF    0.497  1,080
    Random  –      9
    """

    def cell(value) -> str:
        if value is None:
            return ABSENT
        if isinstance(value, float | np.floating):
            return f"{value:z.3f}"
        return f"{value:,}" if isinstance(value, int | np.integer) else str(value)

    return Table(tuple(columns), tuple(tuple(map(cell, row)) for row in rows), caption, row_headers, sortable)


def say(text: str) -> None:
    """Show a sentence, in Markdown, whose numbers were just computed."""
    from IPython.display import Markdown, display  # the library does without it elsewhere

    display(Markdown(text))


def plain(labels: Iterable[str] | str, between: str = " ") -> str:
    """Labels without their parts of speech.

    Examples
    --------
    >>> plain(["dry|ADJ", "plant|NOUN"]), plain(["star|NOUN", "lens|NOUN"], ", "), plain("plant|NOUN")
    ('dry plant', 'star, lens', 'plant')
    """
    return between.join(label.rpartition("|")[0] for label in ([labels] if isinstance(labels, str) else labels))


def p_value(p: float) -> str:
    """A p value as papers write it.

    Examples
    --------
    >>> p_value(0.0123), p_value(0.0001)
    ('p = 0.012', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def result_of(results, **names):
    """The first of the results with these names, such as ``system="SPLF"``; None if there is none, or no results."""
    return next(iter(results.find(**names)), None) if results else None


def figure(result, decimals: int = 3, *, signed: bool = False) -> str:
    """A value with its interval, such as ``0.447 [0.381, 0.512]``; a dash where there is none.

    Parameters
    ----------
    result : Result, Interval or None
    decimals : int
    signed : bool
        With a plus before what is not below zero, as differences have it.

    Examples
    --------
    >>> from cdsm_lib.evaluation.significance import Interval
    >>> figure(Interval(-0.001, -0.014, 0.011), 2)  # no minus before a zero
    '0.00 [-0.01, 0.01]'
    >>> figure(Interval(0.032, -0.014, 0.081), signed=True)
    '+0.032 [-0.014, +0.081]'
    """
    if result is None:
        return ABSENT
    numbers, look = (result.value, result.low, result.high), f"{'+' * signed}z.{decimals}f"
    value, *ends = (number if number is None else f"{number:{look}}" for number in numbers)
    return value if None in ends else f"{value} [{', '.join(ends)}]"


def count(result) -> str:
    """A value that is a count, with thousands marked."""
    return f"{result.value:,.0f}"


def printed(result) -> str:
    """The published value of a row of results, as papers write it; a dash where there is none, or no row."""
    if result is None or result.published is None:
        return ABSENT
    value = result.published
    if isinstance(value, int) or value > 1 and value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{2 if round(value, 2) == value else 3}f}"


def over_seeds(results, metric: str, **wanted) -> str:
    """Mean and standard deviation of a figure over the seeds of a training, ``0.461 ± 0.003``; a dash without them."""
    mean, sd = (result_of(results, metric=f"{metric}, {name} of seeds", **wanted) for name in ("mean", "sd"))
    return f"{mean.value:z.3f} ± {sd.value:.3f}" if mean and sd else ABSENT


def seeds_remark(results, *metrics: str, **wanted) -> str:
    """How far a seed of training moves figures, and how wide their intervals are, as sentences."""
    spread = [row for metric in metrics for row in results.find(metric=f"{metric}, sd of seeds", **wanted)]
    most = max(spread, key=lambda row: row.value)
    figures = [results.by_key[(*row.key[:4], row.metric.rpartition(", ")[0])] for row in spread]
    widths = [row.high - row.low for row in figures]
    return (
        f"The largest standard deviation over seeds is {most.value:.3f} ({most.system}); the intervals of these "
        f"figures are {min(widths):.3f} to {max(widths):.3f} wide. Claims are tested with every seed; "
        f"if the seeds disagree, the claim is undecided."
    )


Axis = Mapping[str, Iterable | Mapping]
"""Rows or columns of a table, by header: values of that column of the results; or labels, each with such a value or
with a mapping of all that it asks for. Of several headers every combination is a place."""


def _places(axis: Axis) -> Iterator[tuple[tuple, dict]]:
    """Every place on an axis: its labels, and what it asks the results for."""
    parts = []
    for name, values in axis.items():
        labels = values if isinstance(values, Mapping) else dict(zip(values, values, strict=True))
        parts.append([(label, asks if isinstance(asks, Mapping) else {name: asks}) for label, asks in labels.items()])
    for place in product(*parts):
        yield tuple(label for label, _ in place), dict(ChainMap(*(asks for _, asks in place)))


def grid(results, rows: Axis, columns: Axis, form: Callable = lambda row: row, **where) -> dict[object, dict]:
    """Results by the label of the row and then of the column, None where there is none, as charts take them.

    Rows and columns as of `pivot`, both of one header; `form` makes something else of each result.
    """

    def cell(wanted: Mapping):
        row = result_of(results, **wanted)
        return row and form(row)

    def line(asks: Mapping):
        return {column: cell({**where, **asks, **more}) for (column,), more in _places(columns)}

    return {row: line(asks) for (row,), asks in _places(rows)}


def pivot(
    full, this_run, rows: Axis, columns: Axis | None = None, *, show: Sequence[str] = ("published", "full", "this run"),
    form: Callable = figure, caption: str = "", **where,
) -> Table:  # fmt: skip
    """Figures of a chapter in rows and columns of one's choice: published, of the full profile, of this run.

    Rows and columns without a figure are left out; a dash stands where single ones are missing.

    Parameters
    ----------
    full, this_run : Results or None
    rows, columns : Axis
        Such as ``{"system": ["SPLF", "Addition"]}``, ``{"split": {"development": "dev"}}`` or
        ``{"ranked by": {"length": {"system": "Add", "space": "unit"}}}``. Without columns there is one for each of
        `show`, else as many for each.
    show : sequence of str
        Of "published", "full", "seeds" (mean and deviation in the full profile) and "this run".
    form : callable
        How a result is written.
    caption : str
    **where
        What all figures have in common, such as ``metric="MAP"``; of several that fit the first is taken.
    """
    columns = list(_places(columns or {}))

    def cells(**wanted) -> list[str | None]:
        """What is shown of one figure."""
        runs = {"full": result_of(full, **wanted), "this run": result_of(this_run, **wanted)}
        shown = {name: row and form(row) for name, row in runs.items()}
        theirs = [printed(row) for row in runs.values() if row and row.published is not None]
        shown["published"] = theirs[0] if theirs else None
        if "seeds" in show and (seeds := over_seeds(full, **wanted)) != ABSENT:
            shown["seeds"] = seeds
        return [shown.get(what) for what in show]

    lines, there = [], np.zeros(len(columns) * len(show), dtype=bool)
    for labels, asks in _places(rows):
        line = [cell for _, more in columns for cell in cells(**{**where, **asks, **more})]
        filled = [cell is not None for cell in line]
        there |= filled
        if any(filled):
            lines.append((labels, line))
    named = [(labels, (what,) if len(show) > 1 or not labels else ()) for labels, _ in columns for what in show]
    heads = [": ".join(map(str, (*what, *labels))) for labels, what in named]
    body = [(*map(str, labels), *compress(line, there)) for labels, line in lines]
    return table((*rows, *compress(heads, there)), body, caption, len(rows))
