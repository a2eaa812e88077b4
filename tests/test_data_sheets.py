"""Data sheets and the page on reproducing: complete, true to registry and READMEs, and clear when something lacks."""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from book._ext import data_sheets
from book._ext.templates import fill
from cdsm_lib import datasets

ROOT = Path(__file__).resolve().parents[1]
HEADINGS = ["Motivation", "Composition", "Making", "Licence", "Uses and limits", "Maintenance"]
OWN = data_sheets.own_sets(ROOT)


def test_every_set_of_our_own_has_a_sheet_and_a_page():
    folders = {path.name for path in (ROOT / "data/sample").iterdir() if path.is_dir()} | {"annotations", "models"}
    assert set(OWN) == folders
    toc = (ROOT / "_toc.yml").read_text()
    for name in folders:
        page = ROOT / "book" / "data-sheets" / f"{name}.md"
        assert page.read_text().split()[:2] == [f"(sheet-{name})=", "#"]
        assert page.read_text().endswith(f"```{{include}} ../generated/sheets/{name}.md\n```\n")
        assert f"- file: book/data-sheets/{name}\n" in toc


@pytest.mark.parametrize("name", OWN)
def test_a_sheet_has_the_common_headings_and_all_that_its_readme_says(name):
    sheet, readme = data_sheets.own_sheet(ROOT, OWN[name]), OWN[name].read_text("utf8")
    assert set(HEADINGS) <= set(re.findall(r"(?m)^##+ (.*)$", sheet))
    if "\n## What for\n" in readme:
        assert set(re.findall(r"(?m)^## (.*)$", sheet)) == set(HEADINGS)
    for line in readme.splitlines():
        if line and not line.startswith(("#", "**")) and "](" not in line:
            assert line in sheet


def test_the_page_on_distilled_files_has_the_headings_and_the_hashes():
    page = (ROOT / "book/data-sheets/distilled.md").read_text("utf8")
    assert re.findall(r"(?m)^## (.*)$", page) == HEADINGS
    stated = json.loads((ROOT / "data/distilled/provenance.json").read_text())["files"]
    shown = data_sheets.distilled_files(ROOT)
    here = {path.name: path for path in (ROOT / "data/distilled").iterdir() if path.name != "provenance.json"}
    assert set(stated) == set(here)
    for name, path in here.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest == stated[name] and f"`{name}`" in shown and f"`{digest}`" in shown


def test_distilled_files_are_of_these_settings():
    def disagree(stated: dict, declared: dict) -> list[str]:
        inner = {name: disagree(value, declared.get(name, {})) for name, value in stated.items() if type(value) is dict}
        return [name for name in stated if inner.get(name, stated[name] != declared.get(name))]

    stated = json.loads((ROOT / "data/distilled/provenance.json").read_text())["settings"]
    assert disagree(stated, tomllib.loads((ROOT / "data/profiles.toml").read_text())["sample"]) == []


@pytest.mark.parametrize("entry", datasets.load_registry().values(), ids=lambda entry: entry.name)
def test_every_registered_set_has_a_complete_sheet(entry):
    sheet = fill("registered-sheet.md", entry=entry)
    assert [line for line in sheet.splitlines() if line in HEADINGS] == HEADINGS
    assert all(file.sha256 in sheet for file in entry.files.values())
    assert all(len(getattr(entry, field).split()) >= 8 for field in ("motivation", "composition", "making", "limits"))
    assert entry.bib in sheet and all(page in sheet for page in entry.pages)


def test_the_index_lists_all_sets_with_a_target_that_exists():
    made = data_sheets.pages(ROOT, "sample", [])
    index = made["generated/sheets/index.md"]
    targets = {target for text in made.values() for target in re.findall(r"(?m)^\((sheet-\w+)\)=$", text)}
    targets |= {f"sheet-{name}" for name in OWN}  # in the pages, as tested above
    assert set(re.findall(r"<(sheet-\w+)>", index)) == targets
    assert set(re.findall(r"<(sheet-\w+)>", data_sheets.dataset_table(datasets.load_registry()))) <= targets
    assert len(targets) == len(OWN) + len(datasets.load_registry())
