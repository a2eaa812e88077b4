"""The command line: ``python -m cdsm_lib TASK``. Each task imports what it needs, when it runs.

The tasks of the book, which executes notebooks and renders pages, are those of ``python -m book._ext``; what makes the
files that the repository holds ready-made are the scripts, ``python -m scripts.NAME``.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from cdsm_lib.tables import path_of, positive

DONE, FAILED, INTERRUPTED = 0, 1, 130


def data(options: argparse.Namespace) -> int:
    """fetch and check the registered datasets, and show which are present"""
    from cdsm_lib import datasets, deposit

    failed = datasets.update(options.names, check=options.check)
    return failed or int(not (options.names or options.check) and deposit.take() > 0)


def deposit(options: argparse.Namespace) -> int:
    """put what may be passed on into a folder, ready for a research archive: data, models, licences, checksums"""
    from cdsm_lib import deposit
    from cdsm_lib.settings import place_for

    place = place_for("--to", options.to)
    for left_out in deposit.make(place, partial=options.partial):
        print(f"left out, for it is not here: {left_out}")
    print(f"The deposit: {place}")
    return DONE


def corpus(options: argparse.Namespace) -> int:
    """make a corpus of your own from plain text, a MediaWiki dump or CoNLL-U: clean, parse, filter, deal, compile"""
    from cdsm_lib import datasets
    from cdsm_lib.settings import place_for
    from cdsm_lib.text import own_corpus

    text, paths = path_of(options.text), own_corpus.sources(options.text)
    kept = datasets.cache_folder() / "corpora" / text.resolve().name.partition(".")[0]
    place = place_for("TO", kept if options.to is None else options.to)
    of_text = any(".conllu" not in path.suffixes for path in paths)
    parser, parse = own_corpus.spacy_parser(options.model, options.processes) if of_text else ("", None)
    try:
        compiled = own_corpus.build(text, place, parse, parser=parser)
    except KeyboardInterrupt:
        print("\ninterrupted; the same command goes on where this one stopped", file=sys.stderr)
        return INTERRUPTED
    print(f"The corpus: {compiled.n_sentences:,} sentences, {compiled.n_tokens:,} tokens in {place}")
    return DONE


def verify(options: argparse.Namespace) -> int:
    """recompute the full figures but for long trainings, and compare them with the committed ones"""
    from cdsm_lib.chapters import reproduce

    return reproduce.main(subset=True, chapters=options.chapters, retrain=options.retrain, exact=options.exact)


def reproduce(options: argparse.Namespace) -> int:
    """recompute all full figures and compare them with the committed ones"""
    from cdsm_lib.chapters import reproduce

    return reproduce.main(write=options.write, profile=options.profile, chapters=options.chapters)


def multiverse(options: argparse.Namespace) -> int:
    """test the claims in every universe of data/multiverse.toml, and keep the effects"""
    from cdsm_lib.chapters import multiverse

    return multiverse.main(options.chapters)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m cdsm_lib", description="The tasks of the library.")
    tasks = top.add_subparsers(title="tasks", metavar="TASK", required=True)
    sub = add_task(tasks, data)
    sub.add_argument("names", nargs="*", metavar="NAME", help="datasets (all)")
    sub.add_argument("--check", action="store_true", help="only check what is there; fetch and change nothing")
    sub = add_task(tasks, deposit)
    sub.add_argument("--to", metavar="FOLDER", default="_build/deposit", help="where (_build/deposit)")
    sub.add_argument("--partial", action="store_true", help="leave out what is not on this machine")
    sub = add_task(tasks, corpus)
    sub.add_argument("text", metavar="TEXT", help="a file or a folder: .txt, .xml (MediaWiki), .conllu")
    sub.add_argument("--to", metavar="FOLDER", help="where the corpus goes (the cache)")
    sub.add_argument("--model", default="en_core_web_sm", help="spaCy's model, or its folder (en_core_web_sm)")
    sub.add_argument("--processes", type=positive, default=1, metavar="N", help="how many parse side by side (1)")
    chapters = {"nargs": "*", "metavar": "CHAPTER", "help": "such as relpron (all)"}
    sub = add_task(tasks, verify)
    sub.add_argument("chapters", **chapters)
    sub.add_argument("--retrain", metavar="CHAPTER", default="", help="repeat its trainings too; auto: one by the day")
    sub.add_argument("--exact", action="store_true", help="tolerate nothing: with our versions, on an x86 processor")
    sub = add_task(tasks, reproduce)
    sub.add_argument("chapters", **chapters)
    sub.add_argument("--profile", default="full", help="size of the data: full (default) or sample")
    sub.add_argument("--write", action="store_true", help="write the figures in the place of the committed ones")
    add_task(tasks, multiverse).add_argument("chapters", **chapters)
    return top


def add_task(tasks, function: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    """A task's own parser: its name is the function's, its help the function's docstring."""
    sub = tasks.add_parser(function.__name__, help=function.__doc__, description=function.__doc__)
    sub.set_defaults(task=function)
    return sub


def carry_out(options: argparse.Namespace) -> int:
    """Run the task of these options; its exit code: 0 done, 1 failed with a message, 130 interrupted."""
    try:
        return options.task(options)
    except KeyboardInterrupt:
        print("\ninterrupted; nothing half-done is left behind", file=sys.stderr)
        return INTERRUPTED
    except ValueError as error:
        if type(error).__module__.startswith(("cdsm_lib", "book.")):
            print(f"error: {error}", file=sys.stderr)
            return FAILED
        raise
    except OSError as error:
        print(f"error: {error.filename or 'the system'}: {error.strerror or error}", file=sys.stderr)
        return FAILED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one task; its exit code as `carry_out` has it, and 2 if it was wrongly called."""
    return carry_out(parser().parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
