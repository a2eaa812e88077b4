"""A thin library for an executable compendium on compositional distributional semantics.

What most people need has a short name: ``from cdsm_lib import Space, read_vectors, add, spearman, interval``. A name is
looked up in its module when it is first used, so that the import takes no time.
"""

import os
import tempfile
from importlib import import_module
from pathlib import Path

__version__ = "1.0.0"

_HOMES = {
    "text.corpus": ("Corpus", "compile_corpus", "corpus_from_tokens", "open_corpus"),
    "text.counts": ("content_words", "count_windows"),
    "text.spelling": ("spelling_variants",),
    "vectors.space": ("Space",),
    "vectors.files": ("read_vectors",),
    "vectors.weighting": ("ppmi",),
    "vectors.reduction": ("SVD",),
    "vectors.embeddings": ("skip_gram", "train_words", "window_groups"),
    "composition.elementwise": ("add", "mult", "weighted_add"),
    "composition.linear": ("LexicalFunction",),
    "composition.practical": ("PracticalLexicalFunction",),
    "evaluation.metrics": ("auc", "mean_average_precision", "spearman"),
    "evaluation.significance": ("interval", "paired_bootstrap_difference", "paired_permutation_test"),
    "tasks.rated_pairs": ("read_pairs", "score_pairs"),
    "chapters.own_model": ("load_task", "score_model"),
    "chapters.sense_vectors": ("sample_space",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


_cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
_cache = next(place for place in (_cache, *_cache.parents) if place.exists())
if "NUMBA_CACHE_DIR" not in os.environ and not any(os.access(p, os.W_OK) for p in (_cache, Path(__file__).parent)):
    _kernels = tempfile.TemporaryDirectory(prefix="cdsm-kernels-")  # where numba could keep none; it goes at the end
    os.environ["NUMBA_CACHE_DIR"] = _kernels.name


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; its names are {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
