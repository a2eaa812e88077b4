"""How much the tests notice: break one place of each formula and see whether a test fails.

Each function named below (composition models, metrics, weightings, steps of construction) gets one deterministic
change: a sign, an operation, a comparison or an index. Then the test files that name its module run, until one fails.
Run ``python benchmarks/mutation.py [--only NAME] [--jobs 2] [--list]``; it works on a copy and changes nothing here.
"""

import argparse
import ast
import copy
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMULAS = {
    "metrics": "average_precision mean_average_precision average_precision_from_scores random_average_precision "
    "ranks mean_rank reciprocal_rank share_in_top spearman roc_curve normalised_rank tie_credit "
    "cohen_kappa",
    "significance": "paired_permutation_test bootstrap_interval grouped_interval permutation_test bootstrap_difference",
    "space": "Space._nearest",
    "weighting": "ratio ttest normalise_rows _inverse _smoothed _heaviest",
    "elementwise": "weighted_add dilation",
    "linear": "log_count_weights weighted_rows LexicalFunction.compose FullAdditive.fit FullAdditive.compose",
    "relative_clause": "plf splf fplf contract _kronecker_rows _tensor_primal frobenius frobenius_from_pairs lexical "
    "learn_fplf learn_rptensor RelativeClauseModel.compose",
    "overlap": "overlap overlap_between",
    "similarity": "cosines paired_cosines unit_rows",
    "contextual": "compose ErkPado.in_context ErkPado._sum Thater.in_context LatentSenses.in_context "
    "LatentSenses._shifted Simple.in_context",
    "practical": "Summands.gupta Summands.paperno PracticalLexicalFunction.fit PracticalLexicalFunction.parts",
    "practical_tree": "frames _Composer.sentence",
    "senses": "SenseVectors.mean inverse_document_frequency prototypes _sum_around sense_occurrences",
    "disambiguation": "readings gloss_weights Score.f1 Score.precision Score.recall _most_frequent evaluate "
    "SenseTagger.with_prior Gold.frequencies",
    "sentence": "cosine_distances SIF.fit SIF.embed ParagraphVectors.infer",
    "autoencoder": "right_branching UnfoldingAutoencoder.encode UnfoldingAutoencoder.decode "
    "UnfoldingAutoencoder.loss UnfoldingAutoencoder.loss_and_gradient Adam.steps greedy_tree scaled",
    "context2vec": "sigmoid lstm Context2Vec.contexts Context2Vec.fit_of negative_distribution batches",
    "specialisation": "Objective.cost Objective.active distance split_pairs",
    "reduction": "SVD.fit SVD.transform LDA.fit subsample",
    "relpron": "candidate_head_nouns frequent_terms unambiguous_terms term_triples frequent_verbs "
    "common_noun_arguments select_terms split_by_head_noun confounders by_head_noun property_queries score "
    "plausible_positives",
    "lexical_substitution": "score confounders targets one_reading most_given candidate_pool robust_modifiers "
    "random_map",
    "localisation": "share distances by_pair blocked senses_taken substitutes fitted article_before replace "
    "alterations",
    "phrase_similarity": "human_ceiling mean_ratings_normalised resampled_rho",
    "sense_discrimination": "context words_in_common chance scores divide polysemous usable_senses draw_item shuffled",
    "relation_classification": "high_and_low score bootstrap_auc resample_weights",
    "question_answering": "score ties_by_order generate _objections noun_phrase _arguments precision",
}
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Functions and methods of a module by their names."""
    named = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        named |= {f"{kind.name}.{node.name}": node for node in kind.body if isinstance(node, ast.FunctionDef)}
    return named


def places(function: ast.FunctionDef) -> list[tuple[int, ast.AST]]:
    """What can be broken: arithmetic first, then signs and indices, then comparisons; no guard of an error."""
    ranked = []

    def visit(node: ast.AST):
        if isinstance(node, ast.Raise | ast.Assert) or (
            isinstance(node, ast.If) and any(isinstance(part, ast.Raise) for part in node.body)
        ):
            return
        if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not isinstance(node.left, ast.JoinedStr):
            ranked.append((0, node))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            ranked.append((1, node))
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
            ranked.append((1, node))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            ranked.append((2, node))
        elif isinstance(node, ast.BoolOp):
            ranked.append((3, node))
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child)

    for statement in function.body:
        visit(statement)
    return sorted(ranked, key=lambda pair: pair[0])


def broken(source: str, name: str, which: int) -> tuple[str, str] | None:
    """The source with one place of the function changed, and what was done; None where nothing can be changed."""
    tree = ast.parse(source)
    function = functions(tree)[name]
    ranked = places(function)
    best = [node for rank, node in ranked if rank == ranked[0][0]] if ranked else []
    if not best:
        return None
    node = best[(zlib.crc32(name.encode()) + which) % len(best)]
    before, line = ast.unparse(node), node.lineno
    if isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
    else:
        node.slice = ast.Constant(node.slice.value + 1 if node.slice.value <= 0 else node.slice.value - 1)
    return ast.unparse(tree), f"line {line}: {before}  ->  {ast.unparse(node)}"


def mutations(root: Path) -> list[tuple[Path, str]]:
    """(file, function) for each named function, wherever in the library it stands."""
    chosen, seen = [], set()
    for path in sorted((root / "cdsm_lib").rglob("*.py")):
        if path.stem in FORMULAS and path.parent.name not in ("chapters", "text"):
            named = functions(ast.parse(path.read_text("utf8")))
            for name in FORMULAS[path.stem].split():
                if name in named and places(named[name]):
                    chosen.append((path.relative_to(root), name))
                    seen.add((path.stem, name))
    absent = [
        f"{stem}.{name}" for stem, names in FORMULAS.items() for name in names.split() if (stem, name) not in seen
    ]
    print(
        f"{len(chosen)} functions to break; not in the library, or with nothing to break: {', '.join(absent) or 'none'}"
    )
    return chosen


def tests_of(root: Path, path: Path) -> list[str]:
    """Test files that name the module; those that mirror its room first, chapters last."""
    word = re.compile(rf"\b{path.stem}\b")
    files = [
        f for f in (root / "tests").rglob("test_*.py") if "browser" not in f.parts and word.search(f.read_text("utf8"))
    ]
    room = path.parent.name
    order = {room: 0, "tasks": 1, "construction": 1, "composition": 1, "chapters": 3}
    return [str(f.relative_to(root)) for f in sorted(files, key=lambda f: (order.get(f.parent.name, 2), f.name))]


def copied(place: Path) -> Path:
    """A copy of what git tracks and the tests read."""
    for name in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    ):
        if name and not name.startswith("notebooks/") and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place / name)
    return place


def caught(root: Path, path: Path, name: str, which: int) -> tuple[str, bool]:
    """Break one place, run the tests, mend it."""
    file = root / path
    source = file.read_text("utf8")
    text, what = broken(source, name, which)
    failed = False
    try:
        file.write_text(text, "utf8")
        for test in tests_of(root, path):
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:nbval", test]
            try:
                done = subprocess.run(command, cwd=root, capture_output=True, timeout=300, env=environment(root))
            except subprocess.TimeoutExpired:
                failed = True
            else:
                failed = done.returncode == 1
            if failed:
                break
    finally:
        file.write_text(source, "utf8")
    return what, failed


def environment(root: Path) -> dict:
    """One thread, the copy's library, no data."""
    import os

    env = {name: value for name, value in os.environ.items() if name != "CDSM_DATA_MIRROR"}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return env | threads | {"PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(root / ".build" / "numba")}


def main() -> int:
    """Break them all, one after the other in each copy; exit code 0 (this is a measure, no test)."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", help="functions whose name contains this")
    parser.add_argument("--which", type=int, default=0, help="another place of each function")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="say what would be broken")
    options = parser.parse_args()
    chosen = [pair for pair in mutations(ROOT) if not options.only or options.only in f"{pair[0]}:{pair[1]}"]
    if options.list:
        for path, name in chosen:
            print(f"{path}:{name}  {broken((ROOT / path).read_text('utf8'), name, options.which)[1]}")
        return 0
    survived = []
    with tempfile.TemporaryDirectory() as folder:
        roots = [copied(Path(folder) / str(i)) for i in range(options.jobs)]
        shares = [chosen[i :: options.jobs] for i in range(options.jobs)]

        def work(i: int) -> None:
            for path, name in copy.copy(shares[i]):
                what, failed = caught(roots[i], path, name, options.which)
                print(f"{'caught  ' if failed else 'SURVIVED'} {path}:{name}  {what}", flush=True)
                if not failed:
                    survived.append((path, name))

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(work, range(options.jobs)))
    print(f"{len(chosen) - len(survived)} of {len(chosen)} mutations caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
