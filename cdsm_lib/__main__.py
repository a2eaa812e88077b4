"""The command line: ``python -m cdsm_lib TASK``. Each task imports what it needs, when it runs."""

import argparse
import ast
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

DONE, FAILED, INTERRUPTED = 0, 1, 130


def book(options: argparse.Namespace) -> int:
    """execute the notebooks where something changed, and render the book"""
    from cdsm_lib import build

    index, departures = build.book(profile=options.profile, jobs=options.jobs, force=options.force)
    if departures:
        _report("the committed notebook differs: run `make refresh`, and look at what changed", departures)
    print(f"The book: {index}")
    return FAILED if departures and options.strict else DONE


def execute(options: argparse.Namespace) -> int:
    """execute the notebooks where something changed"""
    from cdsm_lib import build

    for item in build.execute(profile=options.profile, only=options.notebooks, jobs=options.jobs, force=options.force):
        print(f"{item.source.stem}: {'executed' if item.ran else 'nothing changed'}")
    return DONE


def refresh(options: argparse.Namespace) -> int:
    """execute the sample profile and write its outputs back into notebooks/"""
    from cdsm_lib import build

    changed = build.refresh(only=options.notebooks, jobs=options.jobs)
    print("\n".join(f"{path.stem}: outputs written" for path in changed) or "the committed notebooks are up to date")
    return DONE


def check(options: argparse.Namespace) -> int:
    """say what is wrong with the committed notebooks, and where a fresh run differs from them"""
    from cdsm_lib import build

    wrong = [f"{path.stem}: {line}" for path in build.notebooks() for line in build.problems(build.read(path))]
    if not options.static:
        wrong += build.compare(build.ROOT, build.execute(jobs=options.jobs))
    if wrong:
        _report("the committed notebooks are not in order:", wrong)
        return FAILED
    print("the committed notebooks are in order")
    return DONE


def run(options: argparse.Namespace) -> int:
    """execute one notebook with parameters of your own"""
    from cdsm_lib import build

    try:
        given = dict(_assignment(text) for text in [*options.parameters, *options.assignments])
    except argparse.ArgumentTypeError as error:
        parser().error(str(error))
    if options.profile:
        given.setdefault("profile", options.profile)
    executed = build.run(build.find(options.notebook), given, options.to)
    shown = executed.relative_to(Path.cwd()) if executed.is_relative_to(Path.cwd()) else executed
    print(f"Executed: {shown}\nLook at it: make lab OPEN={shown} (or any other Jupyter)")
    if given.get("keep"):
        print(f"Figures and verdicts: {given['keep']}")
    return DONE


def course(options: argparse.Namespace) -> int:
    """write the students' notebooks, with library and data, as one zip file into _build/course"""
    from cdsm_lib import build
    from cdsm_lib import course as kit

    for kind in ("students", "teachers") if options.teachers else ("students",):
        files = kit.contents(build.ROOT, kind, build.notebooks(), build.INPUTS)
        path = kit.write_archive(build.ROOT / "_build" / "course" / f"{kind}.zip", files)
        print(f"{path}: {len(files)} files, {path.stat().st_size / 1e6:.1f} MB")
    return DONE


def data(options: argparse.Namespace) -> int:
    """fetch and check the registered datasets, and show which are present"""
    return import_module("cdsm_lib.datasets").main(options.rest)


def compile_(options: argparse.Namespace) -> int:
    """compile CoNLL-U files (none named: the parsed corpus of the registry) into a folder that opens at once"""
    from cdsm_lib import datasets
    from cdsm_lib.text import corpus

    paths = options.paths or datasets.fetch_matching("wikipedia_parsed", "*.conllu.xz")
    folder = options.to or datasets.cache_folder() / "compiled" / "wikipedia_parsed"
    compiled = corpus.compile_corpus(paths, folder, processes=options.processes)
    print(f"Compiled: {compiled.n_sentences:,} sentences, {compiled.n_tokens:,} tokens in {folder}")
    return DONE


def distil(options: argparse.Namespace) -> int:
    """make data/distilled afresh from the whole corpus"""
    return _delegate("distil")


def context2vec(options: argparse.Namespace) -> int:
    """train context2vec on the whole corpus and write data/models/context2vec.npz (PyTorch; an hour)"""
    return _delegate("context2vec")


def tagger(options: argparse.Namespace) -> int:
    """train the part-of-speech tagger and write data/models/pos-tagger.npz (a quarter of an hour)"""
    return _delegate("tagger")


def verify(options: argparse.Namespace) -> int:
    """recompute a stated subset of the full figures and compare it with the committed ones"""
    return _delegate("reproduce", subset=True)


def reproduce(options: argparse.Namespace) -> int:
    """recompute all full figures and compare them with the committed ones"""
    return _delegate("reproduce", subset=False, write=options.write, profile=options.profile)


def sweep(options: argparse.Namespace) -> int:
    """run the chapters with other corpora, dimensions and windows, and keep their verdicts (data/sweep.toml)"""
    from cdsm_lib import build

    def run_one(notebook: str, given: dict, name: str) -> Path:
        return build.run(build.find(notebook), given, build.ROOT / "_build" / "sweep" / f"{name}.ipynb")

    return import_module("cdsm_lib.chapters.sweep").main(run_one, force=options.force, only=options.chapters)


def _delegate(name: str, **options) -> int:
    """Call ``main`` of a pipeline; its exit code, where None means that all went well."""
    return import_module(f"cdsm_lib.chapters.{name}").main(**options) or DONE


def _assignment(text: str) -> tuple[str, object]:
    """``name=value`` as a parameter: a Python literal if it is one, else the text itself.

    >>> _assignment("window=5"), _assignment("profile=full"), _assignment("words=['dog', 'cat']")
    (('window', 5), ('profile', 'full'), ('words', ['dog', 'cat']))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form name=value")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _assigned(text: str) -> str:
    """The text, if it is an assignment."""
    _assignment(text)
    return text


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m cdsm_lib", description="The tasks of the compendium.")
    tasks = top.add_subparsers(title="tasks", metavar="TASK", required=True)

    def task(function: Callable[[argparse.Namespace], int], *, profile=False, jobs=False, add_help=True):
        name = function.__name__.rstrip("_")
        sub = tasks.add_parser(name, help=function.__doc__, description=function.__doc__, add_help=add_help)
        sub.set_defaults(task=function)
        if profile:
            sub.add_argument("--profile", default="sample", help="size of the data: sample (default) or full")
        if jobs:
            sub.add_argument("--jobs", type=_positive, default=2, metavar="N", help="notebooks side by side (2)")
        return sub

    sub = task(book, profile=True, jobs=True)
    sub.add_argument("--force", action="store_true", help="execute everything, changed or not")
    sub.add_argument("--strict", action="store_true", help="fail if the committed notebooks differ from this run")
    sub = task(execute, profile=True, jobs=True)
    sub.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="names such as 30-relpron; none means all")
    sub.add_argument("--force", action="store_true", help="execute them, changed or not")
    sub = task(refresh, jobs=True)
    sub.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="names such as 30-relpron; none means all")
    sub = task(check, jobs=True)
    sub.add_argument("--static", action="store_true", help="do not execute anything")
    sub = task(run)
    sub.add_argument("notebook", metavar="NOTEBOOK", help="its name, such as 30-relpron, or its file")
    sub.add_argument("assignments", nargs="*", type=_assigned, metavar="NAME=VALUE", help="a parameter")
    sub.add_argument("-p", "--parameter", dest="parameters", action="append", default=[], type=_assigned,
                     metavar="NAME=VALUE", help="the same")  # fmt: skip
    sub.add_argument("--profile", help="short for profile=...")
    sub.add_argument("--to", type=Path, metavar="FILE", help="where the executed notebook goes (_build/run)")
    sub = task(course)
    sub.add_argument("--teachers", action="store_true", help="also the notebooks with solutions and outputs")
    sub = task(data, add_help=False)
    sub.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="see python -m cdsm_lib data --help")
    sub = task(compile_)
    sub.add_argument("paths", nargs="*", type=Path, metavar="FILE", help="CoNLL-U files (.conllu, .gz, .xz)")
    sub.add_argument("--to", type=Path, metavar="FOLDER", help="where the compiled corpus goes (the cache)")
    sub.add_argument("--processes", type=_positive, metavar="N", help="how many files are read at once (all cores)")
    task(distil)
    task(context2vec)
    task(tagger)
    task(verify)
    sub = task(reproduce)
    sub.add_argument("--profile", default="full", help="size of the data: full (default) or sample")
    sub.add_argument("--write", action="store_true", help="write the figures in the place of the committed ones")
    sub = task(sweep)
    sub.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as relpron or 30-relpron; none means all")
    sub.add_argument("--force", action="store_true", help="run settings whose figures are there, too")
    return top


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


def _report(heading: str, lines: Sequence[str]) -> None:
    print(heading, *[f"  {line}" for line in lines], sep="\n", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one task; its exit code: 0 done, 1 failed with a message, 2 wrongly called, 130 interrupted."""
    options, extra = parser().parse_known_args(arguments)
    if extra and options.task is data:  # its options are its own
        options.rest, extra = [*extra, *options.rest], []
    if options.task is run:  # parameters may also follow options
        options.assignments += [text for text in extra if not text.startswith("-")]
        extra = [text for text in extra if text.startswith("-")]
    if extra:
        parser().error(f"unknown arguments: {' '.join(extra)}")
    try:
        return options.task(options)
    except KeyboardInterrupt:
        print("\ninterrupted; nothing half-done is left behind", file=sys.stderr)
        return INTERRUPTED
    except ValueError as error:
        if type(error).__module__.startswith("cdsm_lib"):
            print(f"error: {error}", file=sys.stderr)
            return FAILED
        raise


if __name__ == "__main__":
    sys.exit(main())
