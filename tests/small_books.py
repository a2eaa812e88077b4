"""A project of one notebook, with a library of one function and data of one file: what tests of the build build."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CODE = "from cdsm_lib.answer import answer\n\nprint(profile, answer(size))"
LIBRARY = "def answer(n):\n    return 14 * n\n"


def notebook(*cells: str, parameters: str = 'profile = "sample"\nsize = 3'):
    """A notebook that was never executed: a title, its parameters, and these cells."""
    title = "# A title\n\n| parameter | meaning |\n|---|---|\n| `profile`, `size` | what they say |"
    head = [new_markdown_cell(title), new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    made = new_notebook(cells=head + [new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def add(root: Path, name: str, made) -> Path:
    """Write a notebook into a project and list it in its table of contents."""
    path = root / "notebooks" / f"{name}.ipynb"
    nbformat.write(made, path)
    listed = sorted(found.stem for found in path.parent.glob("*.ipynb"))
    chapters = "".join(f"  - file: notebooks/{stem}\n" for stem in listed)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: book/intro\nchapters:\n{chapters}", "utf8")
    return path


def small_book(root: Path) -> Path:
    """The project, in a folder that is there."""
    for folder in ("notebooks", "cdsm_lib", "data/published", "data/results/full"):
        (root / folder).mkdir(parents=True)
    (root / "cdsm_lib" / "__init__.py").write_text("")
    (root / "cdsm_lib" / "answer.py").write_text(LIBRARY)
    (root / "data" / "published" / "table.json").write_text("[1]")
    add(root, "one", notebook(CODE))
    return root
