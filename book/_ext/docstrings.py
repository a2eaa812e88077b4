"""Makes the reference of the library out of its docstrings: a small extension of Sphinx beside autodoc and napoleon.

The docstrings are written for people who read the source. Some things keep them so, and readable in the book as well:

- a word in single quotes of code is a link if it names an object that the module knows, and code if it does not
  (`link_names`);
- a type such as ``array [n, d]`` in a list of parameters is text, and no warning (`settle_names`, `unresolved`);
- a signature names types and defaults as the source does (`shorten`), and no constant is shown that is long
  (`hide_long_values`);
- headings inside a docstring, and lists of a name and what it is, become the book's (`rewrite`);
- below the first sentence of a function or class the rest folds away, so that a page is a list (`fold`);
- each object has a link to its lines in the repository (`source_link`).

A reference by role (``:func:`auc```) that leads nowhere is still a warning, and so an error of the build.
"""

import inspect
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from docutils import nodes
from docutils.parsers.rst import roles
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

from book._ext.site import ROOT, repository

DESCRIBED = ("obj", "class", "exc", "data")
"""The kinds of reference that types, annotations and words in single quotes make; they may name things not ours."""

OF_NAPOLEON = {
    "Attributes", "Examples", "Notes", "Other Parameters", "Parameters", "Raises", "References", "Returns", "See Also",
    "Warns", "Yields",
}  # fmt: skip


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.setup_extension("sphinx.ext.linkcode")
    for name in ("sphinx-mathjax-offline", "sphinx_multitoc_numbering"):  # which do not say so
        app.extensions[name].parallel_read_safe = True
    roles.register_local_role("named", link_names)
    app.connect("config-inited", lambda _, config: setattr(config, "linkcode_resolve", source_link))
    app.connect("autodoc-process-signature", _shortened)
    app.connect("autodoc-process-docstring", _rewritten, priority=400)  # napoleon's is 500
    app.connect("doctree-read", settle_names)
    app.connect("doctree-read", hide_long_values)
    app.connect("doctree-read", fold)
    app.connect("missing-reference", unresolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


# ---------------------------------------------------------------------------------------------------- names that link


def link_names(name, rawtext, text, lineno, inliner, options=None, content=()):
    """The role of text in single quotes of code: a reference to a Python object, if there is one of that name."""
    role = inliner.document.settings.env.get_domain("py").role("obj")
    return role("py:obj", rawtext, text, lineno, inliner, options or {}, content)


def settle_names(app: Sphinx, doctree: nodes.document) -> None:
    """Give each name in the page its full form, as the module that uses it understands it; and call attributes so.

    Sphinx itself would take any object with that last name, wherever it is: there is more than one ``Step``.
    """
    for node in doctree.findall(addnodes.pending_xref):
        if node.get("refdomain") == "py" and node.get("reftype") in DESCRIBED:
            node.attributes.pop("refspecific", None)
            full = full_name(node["reftarget"], node.get("py:module"), node.get("py:class"))
            if full:
                node["reftarget"] = full
    for name in doctree.findall(nodes.field_name):  # Sphinx's word for what a docstring calls its attributes
        if name.astext() == "Variables":
            name.children[:] = [nodes.Text("Attributes")]
    for name in doctree.findall(addnodes.literal_strong):  # several attributes of one type, see `rewrite`
        name.children[:] = [nodes.Text(name.astext().replace(",", ", "))]


def unresolved(app, env, node, contnode) -> nodes.Node | None:
    """The bare text of a type, an annotation or a word in quotes of code that is no documented object.

    A reference to a function, method or module, which only a role can make, is left to be warned of.
    """
    described = node.get("refdomain") == "py" and node.get("reftype") in DESCRIBED
    return contnode if described else None


def full_name(target: str, module: str | None, owner: str | None = None) -> str | None:
    """The dotted name of what `target` means inside a module, or inside a class of it; None if it is nothing of ours.

    >>> full_name("Space", "cdsm_lib.vectors.embeddings")
    'cdsm_lib.vectors.space.Space'
    >>> full_name("Space.neighbours", "cdsm_lib.vectors.embeddings")
    'cdsm_lib.vectors.space.Space.neighbours'
    >>> full_name("a glorp", "cdsm_lib.vectors.embeddings") is None
    True
    """
    first, *rest = re.sub(r"\(.*\)$", "", target).split(".")
    place = import_module(module) if module else None
    for start in filter(None, [getattr(place, owner, None) if owner else None, place]):
        named = getattr(start, first, None)
        for part in rest:
            named = getattr(named, part, None)
        if isinstance(named, ModuleType):
            return named.__name__
        if (getattr(named, "__module__", None) or "").startswith("cdsm_lib"):
            return f"{named.__module__}.{getattr(named, '__qualname__', target)}"
    return None


# ---------------------------------------------------------------------------------------------------------- signatures


def _shortened(app, what, name, obj, options, signature, returns) -> tuple[str | None, str | None]:
    """What Sphinx shows of a signature."""
    return tuple(text and shorten(text) for text in (signature, returns))


def shorten(signature: str) -> str:
    """A signature in the words of its source: ``ArrayLike`` for what NumPy makes of it, and defaults as code.

    >>> shorten("(values, statistic=<function mean>, dtype: type = <class 'numpy.float32'>, more: dict = <factory>)")
    '(values, statistic=mean, dtype: type = numpy.float32, more: dict = ...)'
    """
    text = signature.replace(stringify_annotation(ArrayLike, "smart"), "~numpy.typing.ArrayLike")
    return re.sub(r"<(?:class|function|built-in function) '?([\w.]+)'?>", r"\1", text).replace("<factory>", "...")


def hide_long_values(app: Sphinx, doctree: nodes.document) -> None:
    """Remove the value of each constant that is longer than `LONGEST`, or that Python has no literal for."""
    for value in list(doctree.findall(addnodes.desc_annotation)):
        text = value.astext()
        if text.lstrip().startswith("=") and (len(text) > LONGEST or re.search(r"<\w|\w\(", text)):
            value.parent.remove(value)


LONGEST = 200
"""Characters of a constant's value that a page shows."""


def fold(app: Sphinx, doctree: nodes.document) -> None:
    """Fold away what follows the first paragraph of each object of a module, its members too, under what it holds.

    A link to the object, or to one of its members, opens the fold (``book/assets/reference.js``).
    """
    for content in doctree.findall(addnodes.desc_content):
        if isinstance(content.parent.parent, addnodes.desc_content) or len(content) < 2:
            continue
        start = next((i for i, part in enumerate(content, 1) if isinstance(part, nodes.paragraph)), 0)
        if folded := content[start:]:
            title = nodes.raw("", f"<details class='described'><summary>{held(folded)}</summary>", format="html")
            content[start:] = [title, *folded, nodes.raw("", "</details>", format="html")]


def held(parts: Sequence[nodes.Node]) -> str:
    """What a description holds, such as ``Parameters, returns, examples, 2 members``."""
    names, members = [], sum(isinstance(part, addnodes.desc) for part in parts)
    for part in parts:
        if isinstance(part, nodes.field_list):
            names += [name.astext().lower() for name in part.findall(nodes.field_name)]
        elif isinstance(part, nodes.rubric):
            names.append(part.astext().lower())
        elif not names and not isinstance(part, addnodes.index | addnodes.desc):
            names.append("more")
    names += [f"{members} member{'s' * (members > 1)}"] if members else []
    text = ", ".join(dict.fromkeys(names))
    return text[:1].upper() + text[1:]


# -------------------------------------------------------------------------------------------- headings and lists inside


def _rewritten(app, what, name, obj, options, lines) -> None:
    """Rewrite the lines in place, as Sphinx wants it.

    Napoleon takes what stands before a colon in an attribute's first line for its type; here it is the sentence. An
    empty comment in its place leaves the sentence whole.
    """
    lines[:] = [*(["..", ""] if what in ("attribute", "data", "property") else []), *rewrite(lines)]


def rewrite(lines: list[str]) -> list[str]:
    """Headings that napoleon does not know as rubrics, and lists in two columns as lists of definitions.

    >>> print("\\n".join(rewrite(["Metrics", "-------", "auc      area under the curve", "roc_curve  the curve"])))
    .. rubric:: Metrics
    <BLANKLINE>
    `auc`
        area under the curve
    `roc_curve`
        the curve
    """
    rewritten, i, table, heading = [], 0, 0, ""
    while i < len(lines):
        line, below = lines[i], lines[i + 1].strip() if i + 1 < len(lines) else ""
        i += 1
        headed = re.fullmatch(r"-{3,}", below)
        heading = line.strip() if headed else heading
        if re.fullmatch(r" *=+( +=+)+", line):
            table = (table + 1) % 3  # three rules make a table
            rewritten.append(line.replace("=  =", "== ="))  # a cell may be one letter wider than its column
        elif table:
            rewritten.append(line)
        elif headed and heading and heading not in OF_NAPOLEON:
            rewritten += [f".. rubric:: {heading}", ""]
            i += 1
        elif re.match(r" *Alias for field number \d", line):  # Python's word for a field of a named tuple
            continue
        elif several := re.fullmatch(r"(\w+(?:, \w+)+) : (.*)", line) if heading == "Attributes" else None:
            rewritten.append(f"{several[1].replace(', ', ',')} : {several[2]}")  # or Sphinx takes the first for a type
        elif entry := TWO_COLUMNS.fullmatch(line):
            names, text = entry.groups()
            rewritten += [", ".join(f"`{name}`" for name in names.split(", ")), f"    {text}"]
            while i < len(lines) and re.match(r" {8,}\S", lines[i]):
                rewritten.append(f"    {lines[i].strip()}")
                i += 1
        else:
            rewritten.append(line)
    return rewritten


TWO_COLUMNS = re.compile(r"(\w+(?:\.\w+)*(?:, \w+(?:\.\w+)*)*) {2,}(\S.*)")
"""A line such as ``auc       area under the curve``."""


# --------------------------------------------------------------------------------------------------------- the source


def source_link(domain: str, info: dict[str, str]) -> str | None:
    """The address of an object's lines in the repository; None for what has none of its own, such as a constant."""
    if domain != "py" or not info["module"] or not repository():
        return None
    place = import_module(info["module"])
    for name in info["fullname"].split("."):
        place = inspect.getattr_static(place, name, None)
    place = getattr(place, "fget", None) or getattr(place, "func", None) or place
    try:
        path = Path(inspect.getsourcefile(inspect.unwrap(place))).relative_to(ROOT)
        lines, first = inspect.getsourcelines(place)  # decorators included
    except (TypeError, OSError, ValueError):
        return None
    return f"{repository()}/blob/main/{path.as_posix()}#L{first}-L{first + len(lines) - 1}"
