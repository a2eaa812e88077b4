"""Scripts that make the files which the repository holds ready-made: ``python -m scripts.NAME``, from its root.

``distil`` makes ``data/distilled``; ``context2vec``, ``encoder``, ``tagger`` and ``playground`` make a file of
``data/models`` each; ``derive`` makes the registered parses again. `make` lists them. The book runs without them.
"""

import argparse
import sys
from collections.abc import Callable

from cdsm_lib.__main__ import carry_out


def run(task: Callable[..., int], *arguments) -> None:
    """Carry out a script's task, and leave with its exit code; what is missing is told in a sentence."""
    sys.exit(carry_out(argparse.Namespace(task=lambda _: task(*arguments))))
