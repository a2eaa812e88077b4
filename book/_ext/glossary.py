"""Links each term of the glossary where a page first has it, with the first sentence of its definition as tooltip."""

import re
from functools import cache

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PAGE = "book/glossary"
READ = ("notebooks/", "book/guides/", "book/how-to-read", "book/reproducing")
"""The pages of prose, by how their names begin."""

EVERYDAY = frozenset(
    "accuracy argument claim component context domain margin profile property seed substitute target term tie triple "
    "voice".split()
)
"""Terms that a page also uses as any text does; the pages that need their other meaning explain it."""

_ELSEWHERE = nodes.title, nodes.reference, nodes.literal, nodes.math, nodes.caption, nodes.Admonition, nodes.thead


@cache
def entries(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """By the name of a term, in lower case unless it is an abbreviation: its place in the glossary and a sentence."""
    found = {}
    for item in env.get_doctree(PAGE).findall(nodes.definition_list_item):
        definition = next(item.findall(nodes.paragraph))
        parts = re.split(r"(?<=\.)\s|;\s", "".join(map(_spoken, definition.children)))
        whole = (re.sub(r"[,;:][^,;:]*\0.*", "", part) for part in parts)
        sentences = (re.sub(r"\s+(?=[ ,.;:]|$)", "", part).strip(" ,;:.") for part in whole if "\0" not in part)
        sentence = next((said for said in sentences if " " in said), "Explained in the glossary")
        names = [term.astext() for term in item.findall(nodes.term)]
        first = next(item.findall(nodes.term))["ids"][0]
        for name in names:
            if name not in EVERYDAY and (name == names[0] or " " in name or name.isupper()):
                found[name] = first, sentence[:1].upper() + sentence[1:] + "."
    return found


def _spoken(node: nodes.Node) -> str:
    """What a tooltip can show of a part of a definition: no work in brackets, no formula; \\0 for what a text needs."""
    if isinstance(node, pending_xref) and node["reftype"] in ("doc", "t"):
        return "\0"
    if isinstance(node, pending_xref) and node["refdomain"] == "cite":
        return ""
    text = node.astext().replace("\\mathbf", "")
    return "" if isinstance(node, nodes.math) and "\\" in text else re.sub("[{}]", "", text)


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link the terms of a page, each once, in its running text alone."""
    if not page.startswith(READ) or PAGE not in app.env.found_docs:
        return
    known, seen = entries(app.env), set()
    names = sorted(known, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?:s|es)?(?![\w-])", re.IGNORECASE)
    glossary = app.builder.get_relative_uri(page, PAGE)
    for paragraph in doctree.findall(nodes.paragraph):
        if _within(paragraph, _ELSEWHERE) or any(paragraph.findall(nodes.raw)):  # HTML may be a link itself
            continue
        for text in list(paragraph.findall(nodes.Text)):
            if _within(text, _ELSEWHERE):
                continue
            parts, at, plain = [], 0, text.astext()
            for match in pattern.finditer(plain):
                name = match[1] if match[1] in known else match[1].lower()
                if name not in known or known[name][0] in seen:
                    continue
                place, sentence = known[name]
                seen.add(place)
                term = nodes.reference("", match[0], internal=True, refuri=f"{glossary}#{place}", reftitle=sentence)
                parts += [nodes.Text(plain[at : match.start()]), term]
                term["classes"].append("glossary-term")
                at = match.end()
            if parts:
                text.parent.replace(text, [*parts, nodes.Text(plain[at:])])


def _within(node: nodes.Node, kinds: tuple) -> bool:
    while node := node.parent:
        if isinstance(node, kinds) or "cell_output" in getattr(node, "attributes", {}).get("classes", ()):
            return True
    return False
