"""How much the tests notice: break the library in hundreds of places, and see which tests fail at each.

All tests must pass on a copy of the tree; that run also says which of them reach which line. Then each mutant, a change
of one expression, is served to the tests that reach it: all of them run, and those that fail are its killers. The file
of mutants and killers is small; ``--against`` compares a later tree with it: what was killed then must be killed now.
``--sabotage`` makes the changes that ``power.toml`` lists (in ledgers, pages, settings, commands), each alone, and runs
the tests that must notice. The checkout itself is never touched.
"""

import argparse
import ast
import contextlib
import copy
import gzip
import importlib
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import coverage
import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf8"))
QUOTAS = {"science": 400, "chapters": 150, "doors": 80}  # of science, one in every public function at least
SCIENCE = ("text", "vectors", "composition", "tasks", "construction", "evaluation")
DOORS = ("storage", "cache", "datasets", "settings")
SEED, BUDGET, LONG, MEMORY = 36, 20.0, 20.0, 10 << 30  # seconds of a mutant's tests, of one test; bytes of a process
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
              ast.Pow: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}  # fmt: skip
COMPARISONS = {ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
               ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
               ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,)}  # fmt: skip
NORMALISERS = ("unit_rows", "normalise_rows", "normalise", "normalize", "unit", "_unit")
NORMS = ("norm", "keepdims")
NO_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.Set)
FORK = multiprocessing.get_context("fork")
CRASHES = {"ImportError", "NameError", "UnboundLocalError", "TypeError", "AttributeError", "AxisError", "TypingError"}


# --------------------------------------------------------------------------------------------------------- mutants


def changes(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """What can be done to one node: the kind of the change, and what stands there afterwards."""

    def with_(**parts):
        new = copy.copy(node)
        vars(new).update(parts)
        return new

    match node:
        case ast.BinOp(left=left, op=ast.Div(), right=right) if any(norm in ast.unparse(right) for norm in NORMS):
            return [("normalisation", left)]
        case ast.BinOp(left=a, right=b) | ast.AugAssign(target=a, value=b) if type(node.op) in ARITHMETIC:
            text = any(isinstance(n, NO_NUMBERS) or isinstance(getattr(n, "value", 0), str) for n in (a, b))
            return [] if text else [("arithmetic", with_(op=ARITHMETIC[type(node.op)]()))]
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand) if not isinstance(operand, ast.Constant):
            return [("sign" if isinstance(node.op, ast.USub) else "boolean", operand)]
        case ast.Compare(ops=[op, *rest]):
            return [("comparison", with_(ops=[new(), *rest])) for new in COMPARISONS[type(op)]]
        case ast.BoolOp(op=op):
            return [("boolean", with_(op=ast.Or() if isinstance(op, ast.And) else ast.And()))]
        case ast.keyword(arg="axis", value=ast.Constant(value=int(axis))):
            return [("axis", with_(value=ast.Constant(1 - axis)))]
        case ast.Constant(value=bool(value)):
            return [("boolean", with_(value=not value))]
        case ast.Constant(value=int(value) | float(value)):
            return [("constant", with_(value=value + 1)), ("constant", with_(value=value - 1))]
        case ast.Call(func=ast.Name(id="sorted"), args=[_]):
            return [("sort", with_(func=ast.Name("list", ast.Load()), keywords=[]))]
        case ast.Call(func=ast.Attribute(attr="sort", value=ast.Name(id="np")), args=[value, *_]):
            return [("sort", value)]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[value, *_]) if name in NORMALISERS:
            return [("normalisation", value)]
    return []


def sites(function: ast.AST, door: bool) -> dict[tuple[str, str, int], tuple[ast.AST, ast.AST, ast.stmt]]:
    """Changes of a function by (kind, text, number among equals): the node, the new one, the statement it stands in.

    What an error says is left out, and its guard too, but at a door.
    """
    places, numbers = {}, Counter()

    def visit(node: ast.AST, statement: ast.AST) -> None:
        guard = isinstance(node, ast.If) and any(isinstance(part, ast.Raise) for part in node.body)
        quiet = getattr(node, "arg", "") in ("strict", "flush", "compress")  # nothing is seen of these
        if quiet or isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.arguments) or (guard and not door):
            return
        for kind, new in changes(node):
            text = f"{ast.unparse(node)} -> {ast.unparse(new)}"
            places[kind, text, numbers[kind, text]] = (node, new, statement)
            numbers[kind, text] += 1
        done = {"annotation", "returns", "decorator_list", "value" if getattr(node, "arg", "") == "axis" else ""}
        for name, value in ast.iter_fields(node):
            for part in (value if isinstance(value, list) else [value]) if name not in done else ():
                if isinstance(part, ast.AST):
                    visit(part, part if isinstance(part, ast.stmt) else statement)

    for part in function.body:
        visit(part, part)
    return places


def room(module: str) -> str:
    """The room of a module: its folder, ``doors`` for where files and settings come in, else ``root``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 2 else "doors" if parts[-1] in DOORS else "root"


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Functions and methods of a module by their names; what a function defines inside belongs to it.

    Kernels are left out: compiled, they cannot be exchanged in a process, and say nothing of their lines.
    """
    kinds = [("", tree), *((f"{node.name}.", node) for node in tree.body if isinstance(node, ast.ClassDef))]
    named = {name + n.name: n for name, kind in kinds for n in kind.body if isinstance(n, ast.FunctionDef)}
    decorators = {name: " ".join(map(ast.unparse, node.decorator_list)) for name, node in named.items()}
    return {
        n: node for n, node in named.items() if "_repr" not in n and "__str" not in n and "njit" not in decorators[n]
    }


class Library:
    """The modules of a tree, as syntax; those that need PyTorch, which CI may lack, are left out."""

    def __init__(self, tree: Path):
        files = {".".join(p.relative_to(tree).with_suffix("").parts): p for p in (tree / "cdsm_lib").rglob("*.py")}
        self.modules = {name: ast.parse(files[name].read_bytes()) for name in sorted(files) if "torch" not in name}

    def place(self, mutant: dict):
        """Where a mutant stands (node, new node, statement), or None where it is no more."""
        function = functions(self.modules.get(mutant["module"], ast.Module([]))).get(mutant["function"])
        places = sites(function, room(mutant["module"]) == "doors") if function else {}
        return places.get((mutant["kind"], mutant["change"], mutant["number"]))

    def chosen(self) -> list[dict]:
        """Mutants by room, in turn one of each function, its kinds evenly, the public ones first; in a mixed order."""
        pools = defaultdict(list)
        for module, tree in self.modules.items():
            for name, function in functions(tree).items():
                rng = random.Random(zlib.crc32(f"{SEED} {module} {name}".encode()))
                kinds = defaultdict(list)
                for key in sites(function, room(module) == "doors"):
                    kinds[key[0]].append(key)
                shuffled = rng.sample([rng.sample(keys, len(keys)) for keys in kinds.values()], len(kinds))
                turns = (key for turn in itertools.zip_longest(*shuffled) for key in turn if key)
                for turn, (kind, change, number) in enumerate(turns):
                    mutant = dict(module=module, function=name, kind=kind, change=change, number=number)
                    rank = (turn, any(part.startswith("_") for part in name.split(".")), rng.random())
                    pools["science" if room(module) in SCIENCE else room(module)].append((rank, mutant))
        picked = []
        for place, quota in QUOTAS.items():
            ranked = sorted(pools[place], key=lambda pair: pair[0])
            every = sum(rank[:2] == (0, False) for rank, _ in ranked) if place == "science" else 0
            picked += [mutant for _, mutant in ranked[: max(quota, every)]]
        return random.Random(SEED).sample(picked, len(picked))

    def broken(self, mutant: dict) -> CodeType:
        """The code of the mutant's function: its module is compiled with one node replaced."""
        old, new, _ = self.place(mutant)

        class Swap(ast.NodeTransformer):
            def visit(self, node):
                return ast.copy_location(new, node) if node is old else self.generic_visit(node)

        tree = Swap().visit(copy.deepcopy(self.modules[mutant["module"]], {id(old): old}))
        codes = [compile(ast.fix_missing_locations(tree), mutant["module"], "exec", dont_inherit=True)]
        for code in codes:
            codes += [part for part in code.co_consts if isinstance(part, CodeType)]
        return [code for code in codes if code.co_qualname == mutant["function"]][-1]

    def serve(self, mutant: dict) -> None:
        """Put the broken code into the function that this process has."""
        value = importlib.import_module(mutant["module"])
        for part in mutant["function"].split("."):
            value = vars(value)[part]
        shells = ("__wrapped__", "__func__", "fget", "func")
        while inner := [getattr(value, name) for name in shells if hasattr(value, name)]:
            value = inner[0]
        value.__code__ = self.broken(mutant)

    def covering(self, mutant: dict, lines: dict) -> set[int]:
        """Tests that reach the mutant's lines, else its statement's."""
        reached, (old, _, statement) = lines.get(mutant["module"], {}), self.place(mutant)
        spans = (range(node.lineno, node.end_lineno + 1) for node in (old, statement))
        sets = [{test for line in span for test in reached.get(str(line), ())} for span in spans]
        return sets[0] or sets[1]


# ----------------------------------------------------------------------------------------------------- running tests


class Over(BaseException):
    """A test took too long."""


class Watch:
    """Plugin of pytest: it collects all tests, hands them to ``work``, and tells what becomes of those that run."""

    def __init__(self, work):
        self.work, self.switch, self.failed, self.limits = work, lambda context: None, False, {}

    def pytest_sessionstart(self):
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # a failure is enough, be it large
        hypothesis.settings.register_profile("power", hypothesis.settings(), phases=phases)
        hypothesis.settings.load_profile("power")
        signal.signal(signal.SIGPROF, self.stop)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        assert not session.testsfailed, "some tests cannot be collected"
        self.items = {item.nodeid: item for item in session.items}
        self.work(self)
        return True

    def run(self, names: list[str], place: Path, budget: float = float("inf"), once: bool = False) -> None:
        """Run these tests in this order, as long as the budget lasts, or until one fails; the file tells of them."""
        items, start = [self.items[name] for name in names if name in self.items], time.process_time()
        items[0].config._tmp_path_factory._given_basetemp = place.with_suffix("")
        with place.open("w") as self.told:
            for item, following in zip(items, [*items[1:], None], strict=True):
                if time.process_time() - start < budget and not (once and self.failed):
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def tell(self, *told) -> None:
        print(json.dumps(told), file=self.told, flush=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        start = time.process_time()
        self.tell("start", item.nodeid, None)
        self.switch(item.nodeid.partition("::")[0])  # what a set-up reaches counts for all tests of the file
        signal.setitimer(signal.ITIMER_PROF, self.limits.get(item.nodeid, 600))
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.switch("")
            self.tell("end", item.nodeid, round(time.process_time() - start, 4))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        self.switch(item.nodeid)
        try:
            return (yield)
        finally:
            self.switch(item.nodeid.partition("::")[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.failed:
            self.failed = True
            self.tell("failed", item.nodeid, call.excinfo.type.__name__ if call.excinfo else "failed")
        return report

    def stop(self, *_):
        raise Over


def collected(tree: Path, watch: Watch, *files: str) -> None:
    """Collect tests of a tree in this process, which has not imported its library yet, and do the work."""
    quiet = "-q --tb=line --disable-warnings --no-summary --capture=sys -p no:cacheprovider -p no:xdist -p no:nbval"
    left_out = ["--ignore=tests/browser", "-m", "not browser and not slow and not mirror"]
    os.chdir(tree)
    pytest.main([*quiet.split(), *left_out, *files], plugins=[watch])


def forked(work, limit: float) -> None:
    """Do the work in a process of its own, which ends when its time is over, and all that it started."""

    def child() -> None:
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            work()
        finally:
            os._exit(0)

    (process := FORK.Process(target=child)).start()
    process.join(limit)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()


def in_parallel(work, jobs: int) -> None:
    """``work(0)``, ``work(1)``, ... each in a process of its own, without threads."""
    processes = [FORK.Process(target=work, args=(number,)) for number in range(jobs)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def lines_reached(tree: Path, out: Path, jobs: int) -> dict:
    """Tests that pass, with their seconds, those that fail, and which tests reach which line of the library."""
    place = out / "baseline.json.gz"
    if place.exists():
        return json.loads(gzip.decompress(place.read_bytes()))
    files = sorted((tree / "tests").rglob("test_*.py"), key=lambda path: -path.stat().st_size)
    files = [str(path.relative_to(tree)) for path in files if "browser" not in path.parts]

    def part(number: int) -> None:
        cover = coverage.Coverage(data_file=None, config_file=False, source=[str(tree / "cdsm_lib")])
        cover.start()
        watch = Watch(lambda watch: watch.run([*watch.items], out / f"baseline-{number}.jsonl"))
        watch.switch = cover.switch_context
        collected(tree, watch, *files[number::jobs])
        cover.stop()
        with (out / f"baseline-{number}.jsonl").open("a") as watch.told:
            for name in cover.get_data().measured_files():
                watch.tell("lines", name, cover.get_data().contexts_by_lineno(name))

    in_parallel(part, jobs)
    told, users, lines = defaultdict(dict), defaultdict(list), defaultdict(lambda: defaultdict(set))
    reports = [json.loads(line) for number in range(jobs) for line in (out / f"baseline-{number}.jsonl").open()]
    for what, name, value in reports:
        told[what][name] = value
    numbers = {test: i for i, test in enumerate(sorted(set(told["end"]) - set(told["failed"])))}
    for test in numbers:
        users[test.partition("::")[0]].append(test)
    for _, file, by_line in (report for report in reports if report[0] == "lines"):
        module = ".".join(Path(file).relative_to(tree).with_suffix("").parts)
        for line, contexts in by_line.items():
            tests = {test for context in contexts for test in users.get(context, [context])}
            lines[module][line] |= {numbers[test] for test in tests & numbers.keys()}
    lines = {module: {line: sorted(tests) for line, tests in by_line.items()} for module, by_line in lines.items()}
    seconds = [told["end"][test] for test in numbers]
    known = {"tests": list(numbers), "seconds": seconds, "failed": told["failed"], "lines": lines}
    place.write_bytes(gzip.compress(json.dumps(known).encode()))
    return known


@dataclass
class Attempts:
    """Mutants of a library, tried with the tests that reach them."""

    tree: Path
    library: Library
    known: dict
    jobs: int

    def one(self, watch: Watch, mutant: dict, first: list[str] | None, place: Path) -> dict:
        """Run the tests that reach a mutant, cheap files before others; with ``first``, these before all, to a kill."""
        tests, seconds = self.known["tests"], dict(zip(self.known["tests"], self.known["seconds"], strict=True))
        reach = [tests[test] for test in self.library.covering(mutant, self.known["lines"])]
        file_of = {name: name.partition("::")[0] for name in seconds}
        files, longest = Counter(), defaultdict(float)  # of its file any test may be the first, and set up for all
        for name, spent in seconds.items():
            files[file_of[name]] += spent * (name in reach)
            longest[file_of[name]] = max(spent, longest[file_of[name]])
        names = [name for name in reach if seconds[name] < LONG]
        names.sort(key=lambda name: (files[file_of[name]], file_of[name], seconds[name]))
        names = list(dict.fromkeys([name for name in first or () if name in seconds] + names))
        watch.limits = {name: 2 + 4 * longest[file_of[name]] for name in names}

        def work():
            self.library.serve(mutant)
            watch.run(names, place, budget=BUDGET, once=first is not None)

        place.write_text("")
        if names:
            forked(work, 60 + 10 * BUDGET)
        told = [json.loads(line) for line in place.open() if line.endswith("\n")]
        shutil.rmtree(place.with_suffix(""), ignore_errors=True)
        began, ended = ({name for what, name, _ in told if what == kind} for kind in ("start", "end"))
        causes = dict.fromkeys(began - ended, "Over") | {name: cause for what, name, cause in told if what == "failed"}
        status = "killed" if causes else "survived" if began else "unserved" if names else "unreached"
        if causes and set(causes) == began and set(causes.values()) <= CRASHES:
            status = "crash"
        return mutant | {"status": status, "killers": sorted(causes), "ran": len(began), "left": len({*reach} - began)}

    def all(self, file: Path, wanted: list[dict], first: dict) -> list[dict]:
        """Try mutants, each once though the run be broken off: a line a mutant in the file; all lines are returned."""
        done = {identity(json.loads(line)) for line in file.open()} if file.exists() else set()
        todo = [mutant for mutant in wanted if identity(mutant) not in done]

        def share(watch: Watch, number: int) -> None:
            for i, mutant in enumerate(todo[number :: self.jobs]):
                row = self.one(watch, mutant, first.get(identity(mutant)), file.parent / f"told-{number}.jsonl")
                with file.open("a") as lines:
                    lines.write(json.dumps(row) + "\n")
                place = f"{len(done) + i * self.jobs + number + 1}/{len(wanted)}"
                print(place, row["status"], len(row["killers"]), row["ran"], *identity(row), file=sys.__stderr__)

        if todo:
            watch = Watch(lambda watch: in_parallel(lambda number: share(watch, number), self.jobs))
            collected(self.tree, watch, "tests")
        return [json.loads(line) for line in file.open()]

    def against(self, file: Path, earlier: list[dict]) -> int:
        """Try the mutants of an earlier tree again; how many of those that were killed then survive now."""
        killed = {identity(row): row for row in earlier if row["status"] == "killed"}
        there = {key: row for key, row in killed.items() if self.library.place(row)}
        rows = self.all(file, [*there.values()], {key: row["killers"] for key, row in there.items()})
        lost = [identity(row) for row in rows if row["status"] in ("survived", "unserved", "unreached")]
        for fate, keys in (("is no more", killed.keys() - there.keys()), ("was killed, survives", lost)):
            print(*(f"{fate}: {' '.join(map(str, key))}" for key in sorted(keys)), f"{fate}: {len(keys)}", sep="\n")
        return len(lost)


def identity(mutant: dict) -> tuple:
    """What a mutant is known by in another tree: its place by names, and the texts, not by its line."""
    return tuple(mutant[name] for name in ("module", "function", "kind", "change", "number"))


# ---------------------------------------------------------------------------------------------------------- reports


def summary(rows: list[dict]) -> str:
    """Mutants by room and fate, and what survived."""
    equivalent, fates, lines = {tuple(row["mutant"]) for row in LISTS["equivalent"]}, defaultdict(Counter), []
    for row in rows:
        status = row["status"]
        if status == "survived" and (row["module"], row["function"], row["change"]) in equivalent:
            status = "equivalent"
        elif status == "survived":
            lines.append(f"survived: {' '.join(map(str, identity(row)))}")
        for place in (room(row["module"]), "in all"):
            fates[place][status] += 1
    lines += [f"{place}: " + ", ".join(f"{n} {fate}" for fate, n in sorted(c.items())) for place, c in fates.items()]
    return "\n".join(lines)


# -------------------------------------------------------------------------------------------------------- sabotages


def sabotaged(content: bytes, row: dict) -> bytes:
    """A file's content with the row's text changed, or one bit in its middle."""
    if "old" in row:
        return re.sub(row["old"], row["new"], content.decode(), count=1, flags=re.M | re.S).encode()
    changed = bytearray(content)
    changed[len(content) // 2] ^= 1
    return bytes(changed)


def sabotage(tree: Path, log: Path) -> int:
    """Make each change of the list, run what must notice, mend it; how many were not noticed."""

    def fails(tests: str) -> bool:
        notebooks = "--nbval --nbval-current-env --nbval-sanitize-with tests/nbval.cfg" if ".ipynb" in tests else ""
        command = [sys.executable, "-m", *f"pytest -q -x -p no:cacheprovider {notebooks} {tests}".split()]
        with log.open("a") as file:
            code = subprocess.run(command, cwd=tree, stdout=file, stderr=file).returncode
        return code not in (0, 5)  # 5: no test is called so

    fates = {}
    for row in LISTS["sabotage"]:
        path = tree / row["file"]
        tests = " ".join(word for word in row["tests"].split() if "/" not in word or (tree / word).exists())
        content = path.read_bytes() if path.exists() and "/" in tests else b""
        changed, fate = sabotaged(content, row), "gone"
        if changed != content:
            path.write_bytes(changed)
            fate = "noticed" if fails(tests) else "MISSED"
            path.write_bytes(content)
        fates[row["name"]] = (fate, tests)
        print(f"{fate:8} {row['name']}: {tests}", flush=True)
    anyhow = {tests for tests in {tests for fate, tests in fates.values() if fate == "noticed"} if fails(tests)}
    print(*(f"fails anyhow: {tests}" for tests in sorted(anyhow)), sep="\n")
    return sum(fate == "MISSED" or tests in anyhow for fate, tests in fates.values())


def copied(place: Path) -> Path:
    """A worktree of the last commit, with the checkout's environment."""
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", place], cwd=ROOT, check=True)
    (place / ".venv").symlink_to((ROOT / ".venv").resolve())
    for name in ("requirements.lock", "pyproject.toml"):  # older than the environment: make leaves it alone
        os.utime(place / name, (0, 0))
    return place


def measured(tree: Path, options: argparse.Namespace) -> int:
    """What the command line asks for, on this copy."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree, capture_output=True, text=True).stdout.strip()
    out = options.out.resolve() / commit[:9]
    out.mkdir(parents=True, exist_ok=True)
    # a mutant may write anywhere: caches of its own
    places = {"NUMBA_CACHE_DIR": str(out / "numba"), "CDSM_DATA_CACHE": str(out / "cache")}
    os.environ |= {"PYTHONPATH": str(tree), **places}
    sys.path[:] = [str(tree), *(p for p in sys.path if Path(p or ".").resolve() not in (ROOT, ROOT / "benchmarks"))]
    if options.sabotage:
        return sabotage(tree, out / "sabotage.log")
    known = lines_reached(tree, out, options.jobs)
    print(f"{len(known['tests'])} tests pass in {sum(known['seconds']):.0f} s; fail: {known['failed'] or 'none'}")
    attempts = Attempts(tree, Library(tree), known, options.jobs)
    if options.against:
        with gzip.open(options.against, "rt") as lines:
            return attempts.against(out / "against.jsonl", [json.loads(line) for line in lines])
    rows = attempts.all(out / "mutants.jsonl", attempts.library.chosen(), {})
    print(summary(rows))
    if options.record:
        text = "".join(json.dumps(row) + "\n" for row in sorted(rows, key=identity))
        options.record.write_bytes(gzip.compress(text.encode(), mtime=0))
    return 0


def main() -> int:
    """Measure, compare or sabotage; exit code 1 where a mutant lost its killers or a sabotage was missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tree", type=Path, help="a copy to work on (default: a worktree of the last commit)")
    parser.add_argument("--out", type=Path, default=ROOT / ".build/power", help="working files; a run goes on there")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--against", type=Path, help="the kill matrix of an earlier tree")
    parser.add_argument("--record", type=Path, help="write the kill matrix to this file")
    parser.add_argument("--sabotage", action="store_true", help="the list of sabotages instead of mutants")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            return int(measured((options.tree or copied(Path(folder) / "tree")).resolve(), options) > 0)
        finally:
            shutil.rmtree(folder)
            subprocess.run(["git", "worktree", "prune"], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
