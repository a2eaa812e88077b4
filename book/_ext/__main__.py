"""The book's tasks: ``python -m book._ext TASK``. Each imports what it needs, when it runs."""

import argparse
import ast
import sys
from collections.abc import Sequence
from pathlib import Path

from cdsm_lib.__main__ import DONE, add_task, carry_out
from cdsm_lib.tables import positive


def book(options: argparse.Namespace) -> int:
    """execute the notebooks where something changed, and render the book"""
    from book._ext import site

    first = site.book(profile=options.profile, jobs=options.jobs, force=options.force)
    print(f"The book: {first}")
    if options.pdf:
        from book._ext import pdf

        print(f"As one PDF: {pdf.pdf(first.parent)}")
    return DONE


def refresh(options: argparse.Namespace) -> int:
    """execute the sample profile and write its outputs back into notebooks/"""
    from book._ext import execution

    changed = execution.refresh(only=options.notebooks, jobs=options.jobs)
    print("\n".join(f"{path.stem}: outputs written" for path in changed) or "the committed notebooks are up to date")
    return DONE


def run(options: argparse.Namespace) -> int:
    """execute one notebook with parameters of your own"""
    from book._ext import execution, notebooks

    parameters = {} if options.profile is None else {"profile": options.profile}
    parameters |= dict(options.assignments)
    executed = execution.run(notebooks.find(options.notebook), parameters, options.to)
    shown = executed.relative_to(Path.cwd()) if executed.is_relative_to(Path.cwd()) else executed
    print(f"Executed: {shown}\nLook at it: make lab OPEN={shown} (or any other Jupyter)")
    if parameters.get("keep"):
        print(f"Figures and verdicts: {parameters['keep']}")
    return DONE


def course(options: argparse.Namespace) -> int:
    """write the notebooks and the slides for a class, with library and data, as zip files into _build/course"""
    from book._ext import course as kit
    from book._ext import notebooks
    from cdsm_lib.storage import whole_file

    for name, archive in kit.archives(notebooks.ROOT).items():
        path = notebooks.ROOT / "_build" / "course" / name
        with whole_file(path, "wb") as file:
            file.write(archive)
        print(f"{path}: {len(archive) / 1e6:.1f} MB")
    return DONE


def lab(options: argparse.Namespace) -> int:
    """write the chapters as notebooks of your own into _build/lab, in Markdown that JupyterLab shows by itself"""
    from book._ext import course, notebooks

    folder, kept = course.lab(notebooks.ROOT)
    print(f"Your copies: {folder}" + (f" (left as you changed them: {', '.join(kept)})" if kept else ""))
    return DONE


def _assignment(text: str) -> tuple[str, object]:
    """``name=value`` as a parameter: a Python literal if it is one, else the text itself.

    >>> _assignment("window=5"), _assignment("profile=full"), _assignment("words=['dog', 'cat']")
    (('window', 5), ('profile', 'full'), ('words', ['dog', 'cat']))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    try:
        literal = ast.literal_eval(value)
        repr(literal)  # refused where Python would not print it: a number of thousands of digits
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name, value
    return name, literal


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m book._ext", description="The tasks of the book.")
    tasks = top.add_subparsers(title="tasks", metavar="TASK", required=True)
    subs = {task: add_task(tasks, task) for task in (book, refresh, run, course, lab)}
    subs[book].add_argument("--profile", default="sample", help="size of the data: sample (default) or full")
    subs[book].add_argument("--force", action="store_true", help="execute the notebooks, changed or not")
    subs[book].add_argument("--pdf", action="store_true", help="print it into one PDF, too; needs Chromium")
    names = "names such as 30-relpron; none means all"
    subs[refresh].add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help=names)
    for task in (book, refresh):
        subs[task].add_argument("--jobs", type=positive, default=2, metavar="N", help="notebooks side by side (2)")
    subs[run].add_argument("notebook", metavar="NOTEBOOK", help="its name, such as 30-relpron, or its file")
    subs[run].add_argument("assignments", nargs="*", type=_assignment, metavar="NAME=VALUE", help="a parameter")
    subs[run].add_argument("--profile", help="short for profile=...")
    subs[run].add_argument("--to", type=Path, metavar="FILE", help="where the executed notebook goes (_build/run)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one task; its exit code: 0 done, 1 failed with a message, 2 wrongly called, 130 interrupted."""
    options, extra = parser().parse_known_args(arguments)
    try:
        if options.task is run:  # parameters may also follow options
            options.assignments += map(_assignment, extra)
        elif extra:
            raise argparse.ArgumentTypeError(f"unknown arguments: {' '.join(extra)}")
    except argparse.ArgumentTypeError as error:
        parser().error(str(error))
    return carry_out(options)


if __name__ == "__main__":
    sys.exit(main())
