"""What a notebook shows besides charts: sentences, tables, figures with their intervals, claims.

Everything here is text in the end, the same on every machine, so that nbval can compare it.

say                   a sentence whose numbers were just computed
table                 a table of values
figure, printed       a value with its interval, and the published one; a dash where there is none
p_value, plain        a p value as papers write it; labels without their parts of speech
result_of             one row of a chapter's results, or None
beside                rows of a table that sets figures beside each other
estimate              a value and both ends of its interval, for a chart
three_column_table    published, full, this run
side_by_side          figures of the full profile beside those of this run, in rows and columns of one's choice
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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

    def to_markdown(self) -> str:
        """As a Markdown table."""
        lines = [self.columns, tuple("---" for _ in self.columns), *self.rows]
        escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
        return "\n".join("| " + " | ".join(line) + " |" for line in escaped)

    def _repr_markdown_(self) -> str:
        return (f"**{self.caption}**\n\n" if self.caption else "") + self.to_markdown()

    def _repr_html_(self) -> str:
        def cell(tag: str, text: str, scope: str = "") -> str:
            escaped = html.escape(text)
            if self.sortable and tag == "td":
                escaped = re.sub(r"\[[^\]]*\]", r'<span class="interval">\g<0></span>', escaped)
            return f"<{tag}{scope}>{escaped}</{tag}>"

        head = "".join(cell("th", name, ' scope="col"') for name in self.columns)
        body = "\n".join(
            "<tr>"
            + "".join(
                cell("th", text, ' scope="row"') if i < self.row_headers else cell("td", text)
                for i, text in enumerate(row)
            )
            + "</tr>"
            for row in self.rows
        )
        caption = cell("caption", self.caption) if self.caption else ""
        kind = "table sortable" if self.sortable else "table"
        return f'<table class="{kind}">{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'

    def __str__(self) -> str:
        widths = [max(len(line[i]) for line in (self.columns, *self.rows)) for i in range(len(self.columns))]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in (self.columns, *self.rows)
        ]
        return "\n".join(lines)

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
    value, *ends = (
        of if of is None else f"{of:{'+' * signed}z.{decimals}f}" for of in (result.value, result.low, result.high)
    )
    return value if None in ends else f"{value} [{', '.join(ends)}]"


def printed(result, decimals: int = 2) -> str:
    """The published value of a row of results; a dash where there is none, or no row."""
    return ABSENT if result is None or result.published is None else f"{result.published:.{decimals}f}"


def over_seeds(results, metric: str, decimals: int = 3, **wanted) -> str:
    """Mean and standard deviation of a figure over the seeds of a training, ``0.461 ± 0.003``; a dash without them."""
    mean, sd = (result_of(results, metric=f"{metric}, {name} of seeds", **wanted) for name in ("mean", "sd"))
    return f"{mean.value:z.{decimals}f} ± {sd.value:.{decimals}f}" if mean and sd else ABSENT


def seeds_remark(results, *metrics: str, **wanted) -> str:
    """How far a seed of training moves figures, and how wide their intervals are, as sentences."""
    spread = [row for metric in metrics for row in results.find(metric=f"{metric}, sd of seeds", **wanted)]
    most, widths = max(spread, key=lambda row: row.value), []
    for row in spread:
        names = {"system": row.system, "space": row.space, "dataset": row.dataset, "split": row.split}
        own = results.one(metric=row.metric.rpartition(", ")[0], **names)
        widths.append(own.high - own.low)
    return (
        f"The largest standard deviation over seeds is {most.value:.3f} ({most.system}); the intervals of these "
        f"figures are {min(widths):.3f} to {max(widths):.3f} wide. Claims are tested with every seed, and what only "
        f"some of them give is undecided."
    )


def beside(names, *columns, as_figure: bool = False) -> list[tuple]:
    """Rows of a table that sets figures beside each other.

    Parameters
    ----------
    names : iterable of str
        Of the rows, such as systems.
    *columns : (results or None, mapping of a field to what it must be)
        Where a column's figures come from; in texts of the mapping ``{}`` stands for the row's name.
    as_figure : bool
        With their intervals, as text.

    Returns
    -------
    list of tuple
        The name, and for each column the value, or None where there is none.
    """

    def cell(name: str, results, wanted: Mapping):
        row = result_of(results, **{k: v.format(name) if isinstance(v, str) else v for k, v in wanted.items()})
        return figure(row) if as_figure else row and row.value

    return [(name, *(cell(name, *column) for column in columns)) for name in names]


def estimate(result) -> tuple[float, float | None, float | None] | None:
    """A value and both ends of its interval, as charts take them; None if there is no result."""
    return None if result is None else (result.value, result.low, result.high)


def side_by_side(
    full,
    this_run,
    rows: Mapping[str, Mapping],
    columns: Mapping[str, Mapping] | None = None,
    *,
    name: str = "system",
    caption: str = "",
    **names,
) -> Table:
    """Figures of the full profile beside those of this run.

    Parameters
    ----------
    full, this_run : Results or None
    rows, columns : mapping of label to mapping
        What each row and each column asks the results for, such as ``{"of verbs": {"metric": "MAP: verb"}}``. Without
        columns there is one for each of the two.
    name : str
        Of the column of labels.
    caption : str
    **names
        What all figures have in common, such as ``metric="MAP"``.

    Returns
    -------
    Table
        A dash where there is no figure.
    """
    columns, both = columns or {"": {}}, {"full": full, "this run": this_run}
    heads = (f"{what}: {column}" if column else what for what in both for column in columns)
    lines = []
    for label, row in rows.items():
        wanted = [{**names, **row, **column} for column in columns.values()]
        lines.append((label, *(figure(result_of(of, **these)) for of in both.values() for these in wanted)))
    return table((name, *heads), lines, caption)


def three_column_table(
    published: Mapping[tuple[str, str, str], float] | None,
    full,
    this_run,
    *,
    metric: str = "MAP",
    splits: Iterable[str] | None = None,
    spaces: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    caption: str = "",
    decimals: int = 3,
) -> Table:
    """Published figures, the full profile's and this run's, side by side.

    Raises `ValueError` if a ledger has two results for one row, on two datasets.

    Parameters
    ----------
    published : mapping of (system, space, split) to float, or None
        By default the `published` fields of the two ledgers' results.
    full, this_run : Results or None
        In the sample profile `this_run` is on the teaching set: the same system, space and split, another dataset.
    metric : str
    splits, spaces, systems : iterables of str, optional
        Which rows, and in which order; by default all, in the ledgers' order (without learning curves).
    caption : str
    decimals : int

    Returns
    -------
    Table
        Rows (system, space, split); a dash where a column has no figure. A space or a split that all rows share stands
        in the caption instead, and no column is for published figures where there is none.
    """
    by_row: list[dict] = []
    for results in (full, this_run):
        rows = {}
        for result in results.find(metric=metric, tokens=None) if results else []:  # no point of a learning curve
            key = (result.system, result.space, result.split)
            if key in rows:
                raise ValueError(f"{key} has {metric} on two datasets; choose one before making the table")
            rows[key] = result
        by_row.append(rows)
    wanted = [None if names is None else list(names) for names in (systems, splits, spaces)]

    def places(key) -> list[int] | None:
        system, space, split = key
        pairs = list(zip((system, split, space), wanted, strict=True))
        fits = all(names is None or name in names for name, names in pairs)
        return [0 if names is None else names.index(name) for name, names in pairs] if fits else None

    keys = [key for key in dict.fromkeys([*by_row[0], *by_row[1], *(published or {})]) if places(key)]
    keys.sort(key=places)

    def paper(key) -> str:
        values = [published.get(key)] if published is not None else [r[key].published for r in by_row if key in r]
        value = next((v for v in values if v is not None), None)
        return ABSENT if value is None else f"{value:z.{decimals}f}"

    rows = tuple((*key, paper(key), *(figure(rows.get(key), decimals) for rows in by_row)) for key in keys)
    columns = list(zip(("system", "space", "split", "published", "full", "this run"), *rows, strict=True))
    shared = [column for column in columns[1:4] if len(rows) > 1 and len(set(column[1:])) == 1]
    said = [column[1] for column in shared if column[1] != ABSENT and column[1] not in caption]
    head, *rows = zip(*(column for column in columns if column not in shared), strict=True)
    headers = sum(name in ("system", "space", "split") for name in head)
    return Table(head, tuple(rows), ", ".join(filter(None, [caption, *said])), headers)
