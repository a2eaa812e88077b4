"""Tables that a cell folds away together stand in tabs: one is shown, the others are a click or an arrow key away.

A notebook displays them one after the other, and JupyterLab shows them so. The tabs are sphinx-design's, radio buttons
that work without a script.
"""

import html
import re
from collections.abc import Sequence
from itertools import groupby

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_design.shared import create_component

FOLDS = "all", "output", "input+output"
"""What MyST-NB calls the ways of a cell to hide its outputs."""


def caption(output: nodes.Node) -> str:
    """The caption of the table in an output; empty if there is no table, or none with a caption."""
    found = re.search(r"<caption>(.*?)</caption>", "".join(raw.astext() for raw in output.findall(nodes.raw)), re.S)
    return html.unescape(found[1]) if found else ""


def labels(captions: Sequence[str]) -> list[str]:
    """Short names of tables: what tells their captions apart, up to the first colon.

    >>> labels(["AN: rho, 95% interval", "NN: rho, 95% interval"])
    ['AN', 'NN']
    >>> labels(["Accuracy, window 1", "Accuracy, window 2"]), labels(["One, two", "Three"])
    (['Window 1', 'Window 2'], ['One, two', 'Three'])
    """
    parts = [re.split(r"(?<=[,:]) ", text) for text in captions]
    for end in (0, -1):
        while min(map(len, parts)) > 1 and len({of[end] for of in parts}) == 1:
            for of in parts:
                del of[end]
    short = (" ".join(of).partition(":")[0].rstrip(",") for of in parts)
    return [text[:1].upper() + text[1:] for text in short]


def place(app: Sphinx, doctree: nodes.document) -> None:
    """Put neighbouring tables in the outputs of a fold into a set of tabs, each under its label."""
    for cell in doctree.findall(lambda node: isinstance(node, nodes.container) and node.get("hide_mode") in FOLDS):
        for output in (part for part in cell.children if part.get("nb_element") == "cell_code_output"):
            pieces = []
            for are_tables, group in groupby(list(output.children), lambda shown: bool(caption(shown))):
                shown = list(group)
                pieces += [tab_set(shown)] if are_tables and len(shown) > 1 else shown
            output[:] = pieces


def tab_set(tables: Sequence[nodes.Node]) -> nodes.container:
    """The set of tabs as sphinx-design's directives make it."""
    items = []
    for label, table in zip(labels([*map(caption, tables)]), tables, strict=True):
        name = nodes.rubric("", label, classes=["sd-tab-label"])
        content = create_component("tab-content", ["sd-tab-content"], children=[table])
        items.append(create_component("tab-item", ["sd-tab-item"], children=[name, content], selected=False))
    return create_component("tab-set", ["sd-tab-set"], children=items)
