"""The ground: what pyproject.toml, the lock, conda's file, Binder's, the Makefile and the README say must agree."""

import importlib.metadata as metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from threadpoolctl import threadpool_info

import cdsm_lib

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
LOCKED_EXTRAS = ("book", "test", "scale")
SETUP = {canonicalize_name(r.name): r.specifier for r in map(Requirement, PYPROJECT["build-system"]["requires"])}


def declared() -> dict[str, SpecifierSet]:
    """Names and version bounds of the library and of the extras that the lock holds."""
    lines = PROJECT["dependencies"] + [r for extra in LOCKED_EXTRAS for r in PROJECT["optional-dependencies"][extra]]
    return {canonicalize_name(r.name): r.specifier for r in map(Requirement, lines)}


def locked() -> dict[str, str]:
    """Names and versions of requirements.lock for this Python; every pin is exact and has its digests."""
    lines = (ROOT / "requirements.lock").read_text().replace(" \\\n", "").splitlines()
    pins = [line.split("    --hash=sha256:") for line in lines if not line.startswith("#")]
    odd = [pin for pin, *files in pins if not files or not all(re.fullmatch("[0-9a-f]{64}", file) for file in files)]
    assert not odd, f"without digests: {odd}"
    here = [pin for pin in map(Requirement, (pin for pin, *_ in pins)) if not pin.marker or pin.marker.evaluate()]
    return {canonicalize_name(pin.name): re.fullmatch("==([A-Za-z0-9.]+)", str(pin.specifier))[1] for pin in here}


def needed(names) -> set[str]:
    """These installed distributions and, transitively, all that they require."""
    waiting, seen = [(canonicalize_name(name), frozenset()) for name in names], set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        for requirement in map(Requirement, metadata.requires(name) or ()):
            wanted = [{"extra": extra} for extra in extras or {""}]
            if requirement.marker is None or any(requirement.marker.evaluate(extra) for extra in wanted):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return {name for name, _ in seen}


def test_lock_satisfies_every_bound():
    pins = locked()
    bounds = declared() | SETUP
    missing = sorted(set(bounds) - set(pins))
    assert not missing
    broken = [f"{name}=={pins[name]} is not {bound}" for name, bound in bounds.items() if pins[name] not in bound]
    assert not broken


def test_lock_holds_what_is_needed_and_nothing_else():
    pins = locked()
    installed = {canonicalize_name(d.metadata["Name"]): d.version for d in metadata.distributions()}
    if sys.version_info[:2] != (3, 11) or sys.platform != "linux":
        pytest.skip("what is needed depends on Python and system; the lock was made for Python 3.11 on Linux")
    if any(installed.get(name) != version for name, version in pins.items()):
        pytest.skip("this environment was not made from requirements.lock")
    closure = needed(declared()) | set(SETUP)
    assert sorted(set(pins) - closure) == [], "locked, but nothing needs it"
    assert sorted(closure - set(pins)) == [], "needed, but not locked"


def test_conda_environment_says_what_pyproject_says():
    lines = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    plain = [line for line in lines if isinstance(line, str)]
    (through_pip,) = [line["pip"] for line in lines if isinstance(line, dict)]
    named = {canonicalize_name(r.name): r.specifier for r in map(Requirement, plain + through_pip)}
    assert named.pop("python") == SpecifierSet(PROJECT["requires-python"])
    assert named.pop("pip") == SpecifierSet()
    assert named == declared()


def test_one_python_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert (ROOT / "binder/runtime.txt").read_text().strip() == f"python-{oldest}"
    assert f'python-version: "{oldest}"' in (ROOT / ".github/workflows/publish.yml").read_text()
    assert f"container: python:{oldest}-" in (ROOT / ".github/workflows/test.yml").read_text()
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    tried = [line.split(" :: ")[-1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tried[0] == oldest
    assert f"({', '.join(tried[:-1])} and {tried[-1]} were tried)" in (ROOT / "README.md").read_text()


def makefile_targets() -> dict[str, str]:
    lines = (ROOT / "Makefile").read_text().splitlines()
    return dict(m.groups() for m in (re.match(r"([a-z0-9-]+):[^#]*## (.*)", line) for line in lines) if m)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the file names instructions of x86 processors")
def test_sums_are_rounded_alike_on_every_processor():
    """Every task and CI have the file, and NumPy, OpenBLAS and Numba heed it."""
    lines = (ROOT / ".ci" / "processor.env").read_text("utf8").splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    others = {name: value for name, value in os.environ.items() if name not in settings}
    made = subprocess.run(["make", "-s", "--eval=show: ; @env", "show"], cwd=ROOT, env=others, capture_output=True,
                          text=True, check=True).stdout.splitlines()  # fmt: skip
    assert set(lines) <= set(made) and ". .ci/processor.env" in (ROOT / ".ci" / "run").read_text("utf8")
    kernels = {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}
    assert kernels == {settings["OPENBLAS_CORETYPE"]}  # of NumPy and of SciPy
    target = numba.core.config
    assert (target.CPU_NAME, target.CPU_FEATURES) == (settings["NUMBA_CPU_NAME"], settings["NUMBA_CPU_FEATURES"])
    extensions = np.show_config("dicts")["SIMD Extensions"]["found"]
    assert "X86_V3" in extensions and not set(settings["NPY_DISABLE_CPU_FEATURES"].split(",")) & set(extensions)


def test_make_help_or_make_alone_lists_every_task():
    shown, asked = (subprocess.run(["make", *goal], cwd=ROOT, capture_output=True, text=True, check=True).stdout
                    for goal in ([], ["help"]))  # fmt: skip
    assert shown == asked
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.M).group(1).split()
    assert set(phony) == set(makefile_targets())
    for target, purpose in makefile_targets().items():
        assert re.search(rf"^  {target} +{re.escape(purpose)}$", shown, re.M), target


def test_readme_and_landing_page_name_only_tasks_that_exist():
    text = (ROOT / "README.md").read_text() + (ROOT / "book/intro.md").read_text()
    named = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.M))
    assert {"book", "test"} <= named <= set(makefile_targets())


def test_links_of_the_readme_lead_to_files():
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)\)", (ROOT / "README.md").read_text())
    assert len(links) > 10 and [link for link in links if not (ROOT / link).exists()] == []


def test_a_table_has_the_licences_of_our_own_data_and_each_set_its_data_sheet():
    assert "](book/data-sheets.md)" in (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| `data/([\w/]+)` \| .+ \| (CC BY\b.+) \|$", (ROOT / "book/data-sheets.md").read_text(), re.M)
    listed = {name for name, _ in rows}
    sets = {f"sample/{path.name}" for path in (ROOT / "data/sample").iterdir() if path.is_dir()}
    assert listed == sets | {"annotations", "distilled", "models", "results"}
    for name in sets | {"annotations", "models"}:
        sheet = (ROOT / "data" / name / "README.md").read_text("utf8")
        assert "Licence" in sheet
        unnamed = [path.name for path in (ROOT / "data" / name).iterdir() if path.name not in sheet + "README.md"]
        assert unnamed == [], name


def test_citation_has_this_version_and_the_five_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == cdsm_lib.__version__
    first_authors = [(r["authors"][0]["family-names"], r["year"]) for r in citation["references"]]
    assert first_authors == [("Cheung", 2012), ("White", 2015), ("Rimell", 2016), ("Kober", 2017), ("Buljan", 2018)]


def test_make_clean_keeps_what_a_reader_wrote(tmp_path):
    (tmp_path / ".ci").mkdir()
    for name in ("Makefile", ".ci/processor.env"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    for name in ("_build/html/index.html", "_build/lab/mine.ipynb", ".build/numba/kernel"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for _ in range(2):  # the second finds nothing left to do
        subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
        left = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
        assert sorted(left) == [".ci/processor.env", "Makefile", "_build/lab/mine.ipynb"]
    shutil.rmtree(tmp_path / "_build")
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)


def test_the_renderer_executes_no_notebook():
    assert yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["execute_notebooks"] == "off"
