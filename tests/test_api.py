"""The reference of the library: a page a module, every public object with a docstring, every example true."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import cdsm_lib
from book._ext import reference
from cdsm_lib import cache

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "cdsm_lib").rglob("*.py")
    if path.stem == "__init__" or not path.stem.startswith("_")
)[1:]
"""All public modules but ``cdsm_lib`` itself."""


def test_every_public_module_stands_on_exactly_one_page():
    written = reference.pages(ROOT, "sample", [])
    shown = {place: re.findall(r"(?:automodule::|{py:module}) (\S+)\n", text) for place, text in written.items()}
    assert sorted(sum(shown.values(), [])) == MODULES
    own = {place: names for place, names in shown.items() if place.startswith("api/")}
    for place, names in own.items():
        assert [f"# `{name.removeprefix('cdsm_lib.')}`" for name in names] == written[place].splitlines()[:1]
    linked = re.findall(r"<(\w+/\w+)>", written["generated/api/rooms.md"] + written["generated/api/behind.md"])
    assert sorted(f"api/{place}.md" for place in linked) == sorted(own) and len(own) > 50
    chapters = re.findall(r"(?m)^## `(\S+)`$", written["generated/api/chapters.md"])
    assert ["cdsm_lib.chapters", *(f"cdsm_lib.{name}" for name in chapters)] == shown["generated/api/chapters.md"]


def test_short_names_are_those_of_their_modules_and_the_import_is_light():
    assert 20 <= len(cdsm_lib.__all__) <= 30 and set(cdsm_lib.__all__) <= set(dir(cdsm_lib))
    for name in cdsm_lib.__all__:
        value = getattr(cdsm_lib, name)
        assert value.__module__.startswith("cdsm_lib.") and value.__name__ == name and value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'; its names are Corpus, "):
        cdsm_lib.nothing  # noqa: B018
    loads = "import sys, cdsm_lib; print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def source(module: str) -> Path:
    path = ROOT / Path(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def imports(module: str) -> set[str]:
    """The modules of the library that a module imports, inside its functions too."""
    text = source(module).read_bytes()
    assert not re.search(rb"(?m)^\s*from \.", text), f"{module}: a relative import"
    return set(cache._imported(text)) & set(MODULES) - {module}


def test_arrows_go_down_only():
    """Rooms of one height do not know each other, but for the two at the bottom, and for charts and results."""
    for module in MODULES:
        for name in imports(module):
            above, below = (reference.room(m.removeprefix("cdsm_lib.")) for m in (module, name))
            lower = reference.ROOMS.index(below) <= reference.ROOMS.index(above)
            assert lower or above in reference.ROOMS[:4], f"{module} imports {name}"


def test_the_library_imports_nothing_of_the_book():
    for path in (ROOT / "cdsm_lib").rglob("*.py"):
        assert not re.search(r"(?m)^\s*(from|import) book\b", path.read_text("utf8")), path


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: imports(module) for module in MODULES}
    assert list(TopologicalSorter(graph).static_order())


def test_what_modules_ask_of_each_other_is_there():
    """A name of a module went while one line still asked for it: hours into `make reproduce`."""
    for name in MODULES:
        module, every = importlib.import_module(name), list(ast.walk(ast.parse(source(name).read_text("utf8"))))
        local = {n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        local |= {n.arg for n in every if isinstance(n, ast.arg)}
        for node in (n for n in every if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)):
            of = None if node.value.id in local else getattr(module, node.value.id, None)
            if inspect.ismodule(of) and of.__name__.startswith("cdsm_lib"):
                assert hasattr(of, node.attr), f"{name}:{node.lineno}: {of.__name__} has no {node.attr}"


def test_our_own_errors_are_kinds_of_value_error():
    modules = [importlib.import_module(name) for name in MODULES]
    found = {kind for module in modules for kind in vars(module).values() if inspect.isclass(kind)}
    ours = [kind for kind in found if issubclass(kind, Exception) and kind.__module__.startswith("cdsm_lib")]
    errors = [kind for kind in ours if not issubclass(kind, Warning)]
    assert [kind.__name__ for kind in errors if not issubclass(kind, ValueError)] == []
    assert len(errors) > 5


def definitions(module: str) -> list[tuple[str, ast.AST]]:
    """Public functions, classes and methods of a module's source, by their dotted names; nothing is imported."""
    found = [(module, ast.parse(source(module).read_text("utf8")))]
    kinds = (ast.FunctionDef, ast.ClassDef)
    for name, node in found:
        if not isinstance(node, ast.FunctionDef):
            found += [(f"{name}.{n.name}", n) for n in node.body if isinstance(n, kinds) and not n.name.startswith("_")]
    return found


KEPT_AS_THEY_ARE = {"cdsm_lib.text.corpus", "cdsm_lib.chapters.sentence_models"}
"""Modules whose source names trained models in the cache: a docstring more would have them all trained again."""


@pytest.mark.parametrize("module", MODULES)
def test_every_public_object_has_a_docstring(module):
    bare = [name for name, node in definitions(module) if not ast.get_docstring(node)]
    assert bare == [] or module in KEPT_AS_THEY_ARE, bare


FORMULAS = ("vectors.weighting", "vectors.similarity", "composition.relative_clause", "evaluation.metrics",
            "evaluation.significance", "evaluation.verdicts")  # fmt: skip
CONSTRUCTION = [name.removeprefix("cdsm_lib.") for name in MODULES if name.startswith("cdsm_lib.construction.")]
NEED_DATA = {
    "births_and_deaths", "coinco", "documents", "from_banko", "from_genia", "genia", "locate", "published_semcor",
    "read_coinco", "read_hand_check", "read_published", "read_published_senses", "wordnet_examples",
}  # fmt: skip
"""Functions of the construction that take what does not come with the book: a dataset, files in its form, a parser."""


@pytest.mark.parametrize("module", [*FORMULAS, *CONSTRUCTION])
def test_every_function_of_a_room_of_formulas_or_of_the_construction_has_an_example(module):
    nodes = ast.parse(source(f"cdsm_lib.{module}").read_text("utf8")).body
    public = [node for node in nodes if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    without = {node.name for node in public if ">>>" not in ast.get_docstring(node)}
    assert without == (NEED_DATA & {node.name for node in public})


SCRIPTS = [f"scripts.{path.stem}" for path in sorted((ROOT / "scripts").glob("[a-z]*.py")) if path.stem != "networks"]
"""But for what imports PyTorch."""


@pytest.mark.parametrize("module", [*MODULES, *SCRIPTS])
def test_the_examples_in_docstrings_are_true(module):
    failures = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE).failed
    assert failures == 0
