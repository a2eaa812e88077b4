"""The course kit: chapters read, sheets and notebooks made from them, quizzes in order, archives that run."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book._ext import course, notebooks, quiz, slides
from book._ext.notebooks import code_cells
from book._ext.quiz import QuizError
from cdsm_lib.chapters import leaderboard
from cdsm_lib.composition import elementwise
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.results import committed
from cdsm_lib.tasks import lexical_substitution
from tests import checkouts

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = sorted((ROOT / "book" / "course").glob("[0-9]*.md"))
QUIZZES = sorted((ROOT / "book" / "course" / "quiz").glob("*.toml"))
BIBLIOGRAPHY = (ROOT / "book" / "references.bib").read_text("utf8")
TITLES = {"01-word-spaces": "Word spaces", "02-composition": "Composition"}
WORKS = {"firth1957": "Firth, 1957", "cheung2012": "Cheung and Penn, 2012", "rimell2016": "Rimell et al., 2016"}


def stem(path: Path) -> str:
    return path.stem


@cache
def read(path: Path) -> course.Chapter:
    return course.divided(notebooks.read(path), path.stem)


# --------------------------------------------------------------------------------------------------- a chapter by hand

OPENED = (
    "```{exercise-start} Add\n:label: ex-add\n```\nWhat is $1 + 1$? See {doc}`02-composition`.\n```{exercise-end}\n```"
)
SOLUTION = "````{solution-start} ex-add\n:class: dropdown\n````"
CLOSED = "Two.\n````{solution-end}\n````"


def code(source: str, *tags: str, outputs=()):
    return new_code_cell(source, metadata={"tags": list(tags)}, outputs=list(outputs), execution_count=1)


def chapter(*cells, title="# Sums"):
    """A notebook; strings become cells of Markdown."""
    made = [new_markdown_cell(title), code('profile = "sample"', "parameters")]
    made += [new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return new_notebook(cells=made)


def sums(*after):
    """A chapter with one exercise, its solution, and what comes after them."""
    shown = new_output("execute_result", {"text/plain": "2"}, execution_count=1)
    return chapter(
        code("one = 1"),
        f"## Exercises\n\nEach has its solution below it, computed with this run's data.\n\n{OPENED}\n\n{SOLUTION}",
        code("two = one + 1\ntwo", "solution", outputs=[shown]),
        f"{CLOSED}\n\n## Take-away\n\n- Sums.",
        *after,
    )


def test_a_chapter_is_read():
    notebook = sums()
    before = nbformat.writes(notebook)
    sums_chapter = course.divided(notebook, "01-sums")
    assert nbformat.writes(notebook) == before
    assert sums_chapter.title == "Sums" and sums_chapter.titles == {"ex-add": "Add"}
    (text,), solution = sums_chapter.cells("exercise", "ex-add"), sums_chapter.cells("solution", "ex-add")
    assert text.source == "What is $1 + 1$? See {doc}`02-composition`."
    assert [cell.source for cell in solution] == ["two = one + 1\ntwo", "Two."]
    cells = sums_chapter.notebook.cells
    places = ["chapter"] * 4 + ["exercise", "solution", "solution", "chapter"]
    assert [cell.metadata.place for cell in cells] == places
    assert len({cell.id for cell in cells}) == len(places)  # also of a cell that was divided


def test_what_students_get():
    sums_chapter = course.divided(sums(code("one + 3")), "01-sums")
    written = course.for_class("students", sums_chapter, TITLES, WORKS, {"ex-add": "check(answer)"})
    text = "\n\n".join(cell.source for cell in written.cells)
    assert "### Exercise: Add\n\nWhat is $1 + 1$? See [Composition](02-composition.ipynb)." in text
    assert "two" not in text and "Two." not in text and "solution" not in text.replace("solutions are left out", "")
    assert [cell.source for cell in code_cells(written)][1:] == ["one = 1", "check(answer)", "one + 3"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code_cells(written))
    assert notebooks.parameters(written) == {"profile": "sample"}
    assert "Take-away" in text


def test_sheets():
    sums_chapter = course.divided(sums(), "01-sums")
    asked = course.sheet(sums_chapter, solutions=False, needed={})
    assert asked.startswith("### Add\n\nWhat is $1 + 1$? See {doc}`/notebooks/02-composition`.\n")
    assert "{ref}`To be solved in the chapter <ex-add>`" in asked and "two" not in asked and ":label:" not in asked
    solved = course.sheet(sums_chapter, solutions=True, needed={})
    assert solved == "**Add**\n\n```python\ntwo = one + 1\ntwo\n```\n\n```text\n2\n```\n\nTwo.\n\n"


def test_a_sheet_has_what_its_exercises_take_from_the_chapter():
    sums_chapter = course.divided(sums(), "01-sums")
    asked = course.sheet(sums_chapter, solutions=False, needed={"ex-add": {"text": "One is 1."}})
    assert "02-composition`.\n\n*From the chapter:* One is 1.\n\n{ref}`To be solved" in asked
    needed, here = course.needs(ROOT), {}
    for path in NOTEBOOKS:
        cells = read(path).cells("chapter", "")
        shown = [output["data"] for cell in cells for output in cell.get("outputs", []) if "data" in output]
        texts = [text for data in shown for text in data.values() if isinstance(text, str)]
        whole = "\n".join([*(cell.source for cell in cells), *texts])
        here |= dict.fromkeys(read(path).titles, whole)
    assert needed.keys() <= here.keys() and len(needed) >= 4
    lost = {label: [line for line in entry["stands"] if line not in here[label]] for label, entry in needed.items()}
    assert not any(lost.values()), lost
    for label in needed.keys() - {"anvan-by-hand"}:  # which gives what the chapter composes
        sought = numbers(" ".join(needed[label]["stands"]))
        assert all(number in sought for number in numbers(needed[label]["text"])), label


def numbers(text: str) -> Iterator[float]:
    """Those of a text, one after the other: what is asked for is sought behind what was found."""
    return (float(number) for number in re.findall(r"\d+(?:\.\d+)?", text))


# ------------------------------------------------------------------------------------------------ Markdown without MyST


@pytest.mark.parametrize(
    ("myst", "markdown"),
    [
        ("So {cite:t}`rimell2016` say.", "So Rimell et al. (2016) say."),
        ("So it is {cite}`firth1957, cheung2012`.", "So it is (Firth, 1957; Cheung and Penn, 2012)."),
        ("See {doc}`01-word-spaces`.", "See [Word spaces](01-word-spaces.ipynb)."),
        ("See {doc}`spaces <01-word-spaces>`.", "See [spaces](01-word-spaces.ipynb)."),
        ("See {doc}`the data <../book/data>`.", "See the data."),
        ("A {term}`hub` and {ref}`that table <tab>`.", "A hub and that table."),
        ("$x$ is {math}`x`, and `{cite}` is code.", "$x$ is $x$, and `{cite}` is code."),
        ("```{note}\nMind *this*.\n```", "> **Note**\n>\n> Mind *this*."),
        (
            "```{admonition} At a glance\n:class: tip\n\n| a | b |\n|---|---|\n| {cite:t}`firth1957` | 2 |\n```",
            "> **At a glance**\n>\n> | a | b |\n> |---|---|\n> | Firth (1957) | 2 |",
        ),
        ("````{tip} Out\n```{note} In\nx\n```\n````", "> **Out**\n>\n> > **In**\n> >\n> > x"),
        ("```{math}\nx = 1\n```", "$$\nx = 1\n$$"),
        ("{numref}`fig-a` is one (see {numref}`fig-b`).", "The figure is one (see the figure)."),
        ("So do we ({numref}`fig-a` and {numref}`fig-b`).", "So do we."),
        ("```python\nx = {'a': 1}\n```", "```python\nx = {'a': 1}\n```"),
    ],
)  # fmt: skip
def test_plain_markdown(myst, markdown):
    assert course.plain(myst, TITLES, WORKS) == markdown


def test_a_notebook_ends_with_the_works_that_it_cites():
    citing = course.divided(sums("So {cite:t}`rimell2016`; others {cite}`firth1957, rimell2016`."), "01-sums")
    heading, empty, *lines = course.references(citing, BIBLIOGRAPHY).splitlines()
    assert (heading, empty) == ("## References", "") and len(lines) == 2
    assert "Firth" in lines[0] and "1957" in lines[0] and "Laura Rimell, Jean Maillard" in lines[1]


# -------------------------------------------------------------------------------------------------- the book's chapters


@pytest.mark.parametrize("path", NOTEBOOKS, ids=stem)
def test_every_chapter_gives_notebooks_for_students_and_teachers(path):
    """Solutions are executed by nbval in `make test`: the teachers' code is the chapter's, cell by cell."""
    notebook, whole = notebooks.read(path), read(path)
    known, titles = course.works(BIBLIOGRAPHY), {p.stem: p.stem for p in NOTEBOOKS}
    prose = {}
    for kind in ("students", "teachers", "lab"):
        written = course.for_class(kind, whole, titles, known)
        solved = kind != "students"
        theirs = [cell.source for cell in code_cells(notebook) if solved or "solution" not in notebooks.tags(cell)]
        answers = [cell for cell in code_cells(written) if "answer" in notebooks.tags(cell)]
        assert [cell.source for cell in code_cells(written) if cell not in answers] == theirs
        assert len(answers) == (0 if solved else len(whole.titles))
        assert notebooks.parameters(written) == notebooks.parameters(notebook)
        markdown = [cell.source for cell in written.cells if cell.cell_type == "markdown"]
        prose[kind] = "\n".join(markdown)
        assert not re.search(r"\{[a-z]+(:\w+)?\}`|^[`:]{3,}\{", prose[kind], re.M)
        assert "**You will learn**" in prose[kind]
        headed = {f"**Solution: {title}**" for title in whole.titles.values()}
        assert headed & set(markdown) == (headed if solved else set())
    hidden = [cell.metadata.get("jupyter") for cell in code_cells(written) if "solution" in notebooks.tags(cell)]
    assert all(folded == {"source_hidden": True, "outputs_hidden": True} for folded in hidden)  # in the lab's copy
    assert "solution below" not in prose["students"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=stem)
def test_each_exercise_has_a_solution_and_no_other_cell_needs_its_names(path):
    """By what ruff finds: undefined names."""
    chapter = read(path)
    assert all(chapter.cells("solution", label) for label in chapter.titles)
    written = course.for_class("students", chapter, {}, course.works(BIBLIOGRAPHY))
    text = "\n".join(cell.source for cell in code_cells(written))
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "--config=builtins=['display']", "-"]
    done = subprocess.run(ruff, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_chapter_with_exercises_has_a_page_and_a_quiz():
    wanted = {path.stem for path in NOTEBOOKS if read(path).titles}
    assert wanted <= {path.stem for path in PAGES}
    assert {path.stem for path in PAGES} == {path.stem for path in QUIZZES}


def test_a_site_without_solutions_has_none(monkeypatch):
    """Whatever SOLUTIONS says but 1 or nothing; exercises stay, and the class's own archives."""
    for path in NOTEBOOKS:
        chapter, solved = notebooks.read(path), read(path)
        notebooks.unsolved(chapter)
        text = "\n".join(cell.source for cell in chapter.cells)
        assert "{solution-" not in text and "solution below" not in text
        assert course.divided(chapter, path.stem).titles == solved.titles
        whole = [cell.source for label in solved.titles for cell in solved.cells("solution", label)]
        assert not [source for source in whole if len(source) > 40 and source in text]
        others = [cell.source for cell in solved.notebook.cells if cell.metadata.place != "solution"]
        assert all(source in text for source in others if "solution below" not in source)
    with_them = course.pages(ROOT, "sample", [])
    monkeypatch.setenv("SOLUTIONS", "no")
    without = course.pages(ROOT, "sample", [])
    assert with_them.keys() - without.keys() == {"generated/course/teachers.zip"}
    for name, page in without.items():
        assert "teachers" not in name or page.startswith("This site was built without solutions and keys.")
        assert name.startswith("assets") or with_them[name] == page or "teachers" in name


def test_the_syllabus_names_exercises_that_exist():
    text = (ROOT / "book" / "course" / "index.md").read_text("utf8")
    assert re.findall(r"(?m)^\(week-(\d+)\)=\n### Week \1: ", text) == [str(week) for week in range(1, 11)]
    plans = re.findall(r"(?ms)^```\{dropdown\} Plan in minutes$(.*?)^```$", text)
    minutes = [sum(map(int, re.findall(rf"\| {n} \| (\d+) \|", plan))) for plan in plans for n in (1, 2)]
    assert minutes == [90] * 20
    titles = {title for path in NOTEBOOKS for title in read(path).titles.values()}
    named = [title for homework in re.findall(r"(?ms)^Homework\n: (.*?)\n\n", text)
             for title in re.findall(r"\*([^*]+)\*", homework)]  # fmt: skip
    assert len(named) > 20
    assert [title for title in named if " ".join(title.split()) not in titles] == []


def test_a_chapter_says_in_which_weeks_it_is_taught():
    text, told = (ROOT / "book" / "course" / "index.md").read_text("utf8"), {}
    for path in NOTEBOOKS:
        chapter = notebooks.read(path)
        notebooks.in_course(chapter, path.stem, text)
        text_of_chapter = "\n".join(cell.source for cell in chapter.cells)
        if "\n## Exercises" in text_of_chapter:
            told[path.stem] = re.findall(r"`week (\d+) <week-\1>`", text_of_chapter)
    assert told["01-word-spaces"] == ["1", "2"] and told["30-relpron"] == ["6"] and all(told.values())


# ------------------------------------------------------------------------------------------------ copies for JupyterLab


@pytest.fixture
def checkout(tmp_path):
    """What `course.lab` reads, and nothing else."""
    for name in ("_toc.yml", "notebooks", "book/references.bib"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile)(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.slow
def test_a_changed_copy_is_left_alone_and_another_follows_its_chapter(checkout):
    folder, _ = course.lab(checkout)
    mine, chapter = folder / "01-word-spaces.ipynb", checkout / "notebooks" / "02-composition.ipynb"
    mine.write_text(mine.read_text("utf8").replace("telescope", "periscope"), "utf8")
    chapter.write_text(chapter.read_text("utf8").replace("Every sentence", "Each sentence"), "utf8")
    assert course.lab(checkout) == (folder, ["01-word-spaces.ipynb"])
    assert "periscope" in mine.read_text("utf8")
    assert "Each sentence" in (folder / chapter.name).read_text("utf8")
    unknown = folder / "03-evaluation.ipynb"
    (folder / ".written.json").unlink()
    before = unknown.read_bytes()
    assert unknown.name in course.lab(checkout)[1] and unknown.read_bytes() == before


# ------------------------------------------------------------------------------------------------------------- quizzes


def figure(chapter: str, **of: str) -> float:
    """A committed figure of the full profile."""
    return committed(chapter).one(**of).value


def winners() -> set[str]:
    """The systems that have the highest figure on some task."""
    _, panels, _ = leaderboard.panels_of(committed("leaderboard"))
    return {name for of in panels.values() for name in of[leaderboard.SERIES["best"]]}


CHECKED_WITH = {
    "figure": figure,
    "winners": winners,
    "np": np,
    "Fraction": Fraction,
    "metrics": metrics,
    "elementwise": elementwise,
    "lexical_substitution": lexical_substitution,
}


@pytest.mark.parametrize("path", QUIZZES, ids=stem)
class TestQuiz:
    def test_no_result_is_typed_in(self, path):
        """Decimal fractions are figures of some run; a number by hand is a fraction, and computed by ``check``."""
        text = path.read_text("utf8")
        assert not re.search(r"(?<![\w.])\d*\.\d", text)
        assert set(re.findall(r"(\d+)\s?%", text)) <= {"95"}  # the level of an interval
        assert "$" not in text and "<" not in text.replace("< ", "")

    def test_what_can_be_computed_is_right(self, path):
        for question in quiz.read(path):
            right = [option["text"] for option in question["option"] if option.get("correct")]
            assert "check" in question or not re.search(r"\b\d+/\d+\b", question["text"] + "".join(right))
            if "check" in question:
                assert bool(eval(question["check"], dict(CHECKED_WITH))) is True, question["check"]


QUESTION = """[[question]]
after = "Sums"
text = "One and one?"
option = [
{text = "One", because = "That is one of them."},
{text = "Two", because = "The sum of the two.", correct = true},
{text = "Three", because = "One too many."},
]"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (", correct = true", "", "01-sums.toml, question 1: 0 right options, and several = false"),
        ('"One too many."', '"No.", correct = true', "question 1: 2 right options, and several = false"),
        ('"One and one?"', '"One and one?"\nseveral = true', "question 1: 1 right options, and several = true"),
        ('"That is one of them."', '" "', "01-sums.toml, line 4: question.0.option.0.because: ' ' does not match"),
        ('text = "Three"', 'text = "Two"', "question 1: two options say the same"),
    ],
)  # fmt: skip
def test_a_quiz_that_is_not_in_order_is_refused(tmp_path, old, new, complaint):
    assert QUESTION.count(old) == 1
    path = tmp_path / "01-sums.toml"
    path.write_text(QUESTION.replace(old, new), "utf8")
    with pytest.raises(QuizError, match=re.escape(complaint)):
        quiz.read(path)


def chapter_of(*sources: str) -> nbformat.NotebookNode:
    return new_notebook(cells=[new_markdown_cell(source) for source in sources])


def asked(where: str, title: str) -> dict:
    options = [{"text": str(i), "because": "so", "correct": not i} for i in range(3)]
    return {where: title, "text": f"{where} {title}", "option": options}


def test_questions_stand_where_they_say():
    """At the end of a section with its subsections, in the middle of a cell too, or before a heading."""
    chapter = chapter_of("# C\n\n## A\n\na\n\n### B\n\nb\n\n## D\n\nd", "## E", "e")
    places = ("after", "A"), ("before", "E"), ("after", "E"), ("after", "A")
    quiz.place(chapter, [asked(*place) for place in places], "c")
    text = "\n\n".join(cell.source for cell in chapter.cells)
    boxes = re.findall(r"(?s)```\{raw\} html.*?```", text)
    told = re.sub(r"(?s)```\{raw\} html.*?```", "quiz", text)
    assert told == "# C\n\n## A\n\na\n\n### B\n\nb\n\nquiz\n\n## D\n\nd\n\nquiz\n\n## E\n\ne\n\nquiz"
    assert [box.count("<fieldset") for box in boxes] == [2, 1, 1]
    assert ["Guess before you look" in box for box in boxes] == [False, True, False]
    assert len(set(re.findall(r'id="([^"]+)"', "".join(boxes)))) == len(re.findall(r'id="', "".join(boxes)))


def test_a_question_without_its_section_is_refused():
    with pytest.raises(QuizError, match=r"c.toml: the chapter has 0 headings 'X', and is to have one"):
        quiz.place(chapter_of("## A"), [asked("after", "X")], "c")
    with pytest.raises(QuizError, match="the chapter has 2 headings 'A'"):
        quiz.place(chapter_of("## A", "## A"), [asked("after", "A")], "c")


# ------------------------------------------------------------------------------------------------ slides, exam, answers


def test_every_week_has_slides_whose_figures_are_the_chapters():
    """`slides.decks` refuses a picture, a table or a sentence that its chapter lacks."""
    assert slides.decks(ROOT).keys() == {"mathjax.js", *(f"week-{week:02}.html" for week in range(1, 11))}
    for path in (ROOT / "book" / "course" / "slides").glob("*.markdown"):
        text = path.read_text("utf8")
        assert 12 <= len(re.findall(r"(?m)^##? ", text)) <= 20 and not re.search(r"\d\.\d", text)
    with pytest.raises(notebooks.BuildError, match="'Sums' has no output with '2'"):  # but in a solution
        slides.output(sums(), "2")


def test_every_number_in_an_exams_key_is_computed():
    asked = tomllib.loads((ROOT / "book/course/exam.toml").read_text("utf8"))["question"]
    assert Counter(question["week"] for question in asked) == dict.fromkeys(range(1, 11), 3)
    for question in asked:
        key = re.sub(r"(?<=\d),(?=\d{3})", "", " ".join(part["text"] for part in question["key"]))
        values = eval(question.get("check", "[]"), dict(CHECKED_WITH))
        for number in re.findall(r"-?\d+(?:\.\d+)?", key):
            written = [f"{value:.{len(number.partition('.')[2])}f}" for value in values]
            assert number in written, question["text"]
    assert [page.count(b"| points |") for page in course.exam(ROOT).values()] == [0, 30]


def test_what_is_asked_by_a_check_stands_in_the_solution():
    entries = tomllib.loads((ROOT / "book/course/checks.toml").read_text("utf8"))
    chapters = {str(int(path.stem[:2])): read(path) for path in NOTEBOOKS}
    for name, entry in entries.items():
        number, place = name.split(".")
        assert list(chapters[number].titles)[int(place) - 1] == entry["exercise"]
        cells = chapters[number].cells("solution", entry["exercise"])
        shown = [output.data.get("text/markdown") for cell in cells for output in cell.get("outputs", [])]
        solution = str([[cell.source for cell in cells], shown]).replace(",", "")
        for value in np.atleast_1d(eval(entry["answer"], {"np": np})):
            written = {f"{value:.{digits}f}".rstrip("0").rstrip(".") for digits in range(4)}
            assert any(re.search(rf"(?<![\d.]){re.escape(text)}0*(?!\d)", solution) for text in written), name


def test_an_answer_is_right_or_nearly_or_wrong(tmp_path, capsys):
    shutil.copy(ROOT / "book" / "course" / "checks.py", tmp_path)
    (tmp_path / "checks.json").write_text(json.dumps(course.checks(ROOT)), "utf8")
    check = runpy.run_path(str(tmp_path / "checks.py"))["check"]
    for answer in (..., np.array([0.70711, 0.96476]), [0.71, 0.96], (0.96476, 0.70711), 0.7):
        check("30.1", answer)
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["30.1:", "Right.", "Nearly:", "Nearly:", "Wrong."]


# --------------------------------------------------------------------------------------------------------- the archive


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> dict[str, Path]:
    """The archives that the command of the README writes, each in a folder of its own."""
    place = checkouts.copy(tmp_path_factory.mktemp("course") / "checkout")
    (task,) = set(re.findall("`make (course[^`]*)`", (ROOT / "README.md").read_text("utf8")))
    checkouts.make(place, *task.split())
    packed, folders = sorted((place / "_build" / "course").iterdir()), {}
    for path in packed:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None and path.stat().st_size < 60e6
            assert archive.namelist() == sorted(archive.namelist())
            assert {entry.date_time for entry in archive.infolist()} == {course.WRITTEN_AT}
            archive.extractall(place.parent / path.stem)
        folders[path.stem] = place.parent / path.stem / course.FOLDER
    return folders


def within(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_archives_are_in_order(unpacked):
    assert {*unpacked} == {"materials", "slides", "students", "teachers"}
    assert within(unpacked["slides"]) == {f"slides/{name}" for name in slides.decks(ROOT)}
    files = within(unpacked["materials"])
    assert not [name for name in files if "__pycache__" in name or "/." in name or name.startswith("tests/")]
    assert files >= {
        "requirements.txt", "constraints.txt", "LICENSE", "cdsm_lib/__init__.py", "data/registry.toml",
        "data/profiles.toml", "data/distilled/provenance.json",
    }  # fmt: skip
    models = {Path(name).name for name in files if name.startswith("data/models/")}
    assert models == {"README.md", "context2vec.npz", "encoder.npz", "pos-tagger.npz"}
    chapters = [path.stem for path in notebooks.notebooks(ROOT)]
    for kind, more in {"students": {"checks.py", "checks.json"}, "teachers": {"exam.md", "exam-keys.md"}}.items():
        files = [*(f"{name}.ipynb" for name in chapters), *(f"quiz/{path.stem}.html" for path in QUIZZES)]
        assert within(unpacked[kind]) == {"README.md", *more, *files}
        readme = (unpacked[kind] / "README.md").read_text("utf8")
        assert re.findall(r"^\| `(.*)\.ipynb`", readme, re.M) == chapters
        assert "`materials.zip`" in readme and "requirements.txt" in readme and "jupyter lab" in readme
        for name in chapters:
            cells = json.loads((unpacked[kind] / f"{name}.ipynb").read_text("utf8"))["cells"]
            assert "".join(cells[-1]["source"]).startswith("## References")
            solved = [cell for cell in cells if "solution" in cell["metadata"].get("tags", [])]
            asks = any("## Exercises" in "".join(cell["source"]) for cell in cells)
            assert bool(solved) == (asks and kind == "teachers")
            assert any(cell.get("outputs") for cell in cells) == (kind == "teachers")


def test_a_class_installs_what_the_lock_says():
    lines = [line for line in course.requirements(ROOT).splitlines() if "==" in line]
    lock = (ROOT / "requirements.lock").read_text()
    assert all(f"\n{line} " in lock for line in lines) and "numpy==" in str(course.materials(ROOT)["constraints.txt"])
    names = {line.partition("==")[0] for line in lines}
    assert {"numpy", "numba", "gensim", "jupyterlab", "ipykernel"} <= names
    assert not names & {"jupyter-book", "pytest", "playwright", "torch"}


FIRST_CELLS = 15


@pytest.mark.notebook
@pytest.mark.slow
def test_a_students_notebook_runs_from_its_unpacked_folder(unpacked, tmp_path):
    """Nothing of the checkout helps: no PYTHONPATH, another folder, no data but the archives'.

    The first code cells import the library and read its data; nbval executes all of them, once.
    """
    folder = tmp_path / course.FOLDER
    for name in ("students", "materials"):
        shutil.copytree(unpacked[name], folder, dirs_exist_ok=True)
    name = "02-composition.ipynb"  # the one that takes the least
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "NUMBA_CACHE_DIR") if key in os.environ}
    probe = "import cdsm_lib; print(cdsm_lib.__file__)"
    where = subprocess.run([sys.executable, "-c", probe], cwd=folder, env=kept, capture_output=True, text=True).stdout
    assert Path(where.strip()).is_relative_to(folder)
    start = notebooks.read(folder / name)
    last = start.cells.index(code_cells(start)[FIRST_CELLS - 1])
    start.cells = start.cells[: last + 1]
    nbformat.write(start, folder / name)
    done = subprocess.run(
        [sys.executable, "-m", "papermill", name, "done.ipynb", "--kernel", "python3", "--no-progress-bar"],
        cwd=folder, env=kept | {"JUPYTER_PREFER_ENV_PATH": "1", "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
