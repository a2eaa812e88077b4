"""Renders the book: lays out its sources, has every writer add its pages, and lets Jupyter Book build them.

A writer is a module of this package with a function ``pages(root, profile, executed)``, which gives the contents of
files, text or bytes, by their place below ``book/``: tables, sheets, pictures, the playground's words. Nothing of it is
committed, so nothing of it can go stale.
"""

import gc
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import indent

import imagesize
import nbformat
import yaml
from nbconvert.filters import strip_ansi
from PIL import Image
from sphinx.application import Sphinx

from book._ext import execution, notebooks, quiz, reference
from book._ext.execution import Executed
from book._ext.notebooks import DEFAULT_PROFILE, ROOT, BuildError, shown
from cdsm_lib.datasets import own_profile
from cdsm_lib.storage import whole_folder

WRITERS = {
    "data_sheets": "data-sheets.md",
    "differences": "differences.md",
    "course": "course/index.md",
    "playground": "playground.md",
    "front": "intro.md",
    "reproducibility": "reproducing.md",
    "speed": "guides/beyond-one-machine.md",
    "reference": "api/index.md",
}
"""The writers, each with a page that it writes for: without the page it is not called."""


def book(root: Path = ROOT, profile: str = DEFAULT_PROFILE, *, jobs: int = 2, force: bool = False) -> Path:
    """Execute the notebooks where something changed, and render; the place of the first page."""
    executed = execution.execute(root, profile, jobs=jobs, force=force)
    profile = own_profile().get("name", profile)
    with execution.alone(root):
        return render(root, profile, stage(root, profile, executed), jobs)


def stage(root: Path, profile: str, executed: Sequence[Executed]) -> Path:
    """Lay out the sources of the site under ``_build/site-<profile>/source``; the folder.

    Prose and bibliography are copied, notebooks are joined with the outputs of this run, and the writers add the rest.
    """
    folder = root / "_build" / f"site-{profile}" / "source"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "notebooks").mkdir(parents=True)
    shutil.copyfile(root / "_toc.yml", folder / "_toc.yml")
    config = yaml.safe_load((root / "_config.yml").read_text("utf8"))
    if own_profile():
        config["execute"]["stderr_output"] = "show"  # a warning about one's own text is for the page
    (folder / "_config.yml").write_text(yaml.safe_dump(published(config, repository()), allow_unicode=True), "utf8")
    shutil.copytree(root / "book", folder / "book", ignore=shutil.ignore_patterns("__pycache__"))
    taught = root / "book" / "course" / "index.md"
    syllabus = taught.read_text("utf8") if taught.is_file() else ""
    for item in executed:
        merged = notebooks.captioned(notebooks.merge(notebooks.read(item.source), notebooks.read(item.path)))
        if not notebooks.with_solutions():
            notebooks.unsolved(merged)
        notebooks.in_course(merged, item.source.stem, syllabus)
        questions = root / "book" / "course" / "quiz" / f"{item.source.stem}.toml"
        if questions.is_file():
            quiz.place(merged, quiz.read(questions), item.source.stem)
        nbformat.write(merged, folder / "notebooks" / item.source.name)
    write(folder / "book", root, profile, executed)
    return folder


def write(folder: Path, root: Path, profile: str, executed: Sequence[Executed]) -> None:
    """Write what every writer makes into the staged ``book`` folder."""
    for name, page in WRITERS.items():
        if not (folder / page).is_file():
            continue
        for place, content in import_module(f"book._ext.{name}").pages(root, profile, executed).items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)


STAMP = ".fingerprint"


def render(root: Path, profile: str, folder: Path, jobs: int = 2) -> Path:
    """Have Jupyter Book render a staged folder, from scratch, every warning an error; the finished ``index.html``.

    The pages move to ``_build/html`` only when all of them are there; nothing is rendered if the staged sources, the
    library with its docstrings and the installed versions are those of the pages that already stand there.

    Raises
    ------
    BuildError
        With Jupyter Book's warnings, if it has any.
    """
    pages_at = root / "_build" / "html"
    wanted = execution.hash_files(root, ["cdsm_lib"]) + execution.hash_files(folder, ["."]) + profile
    wanted += execution.versions()
    stamp = pages_at / STAMP
    if stamp.is_file() and stamp.read_text() == wanted:
        return pages_at / "index.html"
    built = folder.parent / "output" / "_build" / "html"
    shutil.rmtree(folder.parent / "output", ignore_errors=True)
    path = filter(None, [str(root), str(ROOT), os.environ.get("PYTHONPATH")])
    done = subprocess.run(
        [sys.executable, "-c", f"from book._ext.site import sphinx; sphinx({str(folder)!r}, {str(built)!r}, {jobs})"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
    )  # fmt: skip
    log = strip_ansi(done.stdout)
    (folder.parent / "render.log").write_text(log, "utf8")
    if done.returncode or not (built / "index.html").is_file():
        telling = [line for line in log.splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL):|Error: ", line)]
        raise BuildError(
            "Jupyter Book could not render the book without warnings:\n"
            + indent("\n".join(dict.fromkeys(telling)) or log[-3000:], execution.PAD)
            + f"\nThe whole log: {shown(folder.parent / 'render.log', root)}"
        )
    prune(built)
    (built / stamp.name).write_text(wanted)
    with whole_folder(pages_at) as fresh:
        for page in built.iterdir():
            page.rename(fresh / page.name)
    return pages_at / "index.html"


def sphinx(folder: str, html: str, jobs: int) -> None:
    """As ``jupyter-book build -W -n --keep-going``, which has no option for several processes; ends this one."""
    import pybtex.plugin
    from jupyter_book.sphinx import build_sphinx

    pybtex.plugin._load_entry_point = cache(pybtex.plugin._load_entry_point)  # else sought anew at every citation
    gc.disable()  # a page is a tree of many nodes, which the collector would visit again and again
    settings = {"external_toc_path": f"{folder}/_toc.yml", "latex_individualpages": False, "nitpicky": True}
    failed = build_sphinx(
        Path(folder), html, noconfig=True, path_config=f"{folder}/_config.yml", confoverrides=settings,
        warningiserror=True, keep_going=True, jobs=4 * jobs,  # Sphinx deals the pages out in as many parts
    )  # fmt: skip
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(failed != 0)  # at once: to take all those nodes apart takes seconds


def setup(app: Sphinx) -> dict[str, bool]:
    """As an extension of Sphinx: a plain ``jupyter-book build .`` renders the committed notebooks, with every page."""
    if Path(app.srcdir) == ROOT:
        committed = [Executed(path, path, ran=False, seconds=0, fingerprint={}) for path in notebooks.notebooks(ROOT)]
        with execution.alone(ROOT):
            (ROOT / "_build" / "html" / STAMP).unlink(missing_ok=True)  # its pages are `make book`'s no longer
            app.srcdir = type(app.srcdir)(stage(ROOT, DEFAULT_PROFILE, committed))
    for name in ("sphinx-mathjax-offline", "sphinx_multitoc_numbering"):  # which do not say so
        app.extensions[name].parallel_read_safe = True
    app.connect("config-inited", lambda _, config: setattr(config, "linkcode_resolve", source_link))
    app.connect("html-page-context", size_pictures)
    app.connect("env-get-updated", number_figures, priority=900)  # behind Sphinx, which numbers them through the book
    app.connect("autodoc-process-docstring", reference.rewrite, priority=400)  # napoleon's is 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def size_pictures(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Write into each picture of a page its size, so that nothing moves when a reader comes near and it loads."""
    sources = {name: place for place, name in app.builder.images.items()}

    def sized(tag: re.Match) -> str:
        width, height = imagesize.get(Path(app.srcdir, sources[tag[1]]))
        return f'<img loading="lazy" width="{width}" height="{height}"'

    context["body"] = re.sub(r'<img(?=[^>]* src="[^"]*_images/([^"]+)")', sized, context.get("body", ""))


def number_figures(app: Sphinx, environment) -> list[str]:
    """A chapter's figures have its number before their own: Fig. 30.4."""
    for page, kinds in environment.toc_fignumbers.items():
        if chapter := re.match(r"notebooks/(\d+)-", page):
            for numbers in kinds.values():
                for place, name in enumerate(sorted(numbers, key=numbers.get), 1):
                    numbers[name] = (int(chapter[1]), place)
    return []


def source_link(domain: str, info: dict[str, str]) -> str | None:
    """The address of the file in which an object of the library stands; None without a repository."""
    return repository() and f"{repository()}/blob/main/{info['module'].replace('.', '/')}.py"


UNUSED = (
    "**/*.map",  # of the minified scripts and styles, for their developers' tools
    "_static/scripts/fontawesome*",  # icons as pictures: those of the theme's font are loaded
    "_static/locales",  # what the theme says in other languages
    "_static/mathjax/[!t]*.js",  # MathJax in other combinations than tex-chtml.js, which holds all that it needs
    "_static/mathjax/tex-[!c]*.js",
    "_static/mathjax/tex-*-*.js",
    "_static/mathjax/output/chtml.js",
)
"""What Sphinx and its extensions copy into the site and no page can load; as patterns."""


def prune(html: Path) -> None:
    """Remove from a rendered site what no page can load (`UNUSED`), and store its pictures in 256 colours each.

    What MathJax loads when a reader asks for it in the menu of a formula stays: pictures in place of text, the
    explorer with its speech, and the extensions of TeX.
    """
    for pattern in UNUSED:
        for path in list(html.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in html.glob("_images/*.png"):
        Image.open(path).quantize().save(path)


@cache
def repository() -> str | None:
    """Where the project is published: ``CDSM_REPOSITORY``, or the remote *origin* of git; None without an address."""
    if given := os.environ.get("CDSM_REPOSITORY"):
        if address := web_address(given):
            return address
        raise BuildError(f"CDSM_REPOSITORY={given}: no repository's address on {', '.join(HOSTS)}; mend or unset it")
    asked = ["git", "-C", str(ROOT), "config", "--get", "remote.origin.url"]
    return web_address(subprocess.run(asked, capture_output=True, text=True).stdout)


HOSTS = "github.com", "gitlab.com", "bitbucket.org"
"""Those whose pages the theme's buttons know."""


def web_address(remote: str) -> str | None:
    """The page of a repository that git knows by its address; None for a folder, another host, or nothing.

    >>> web_address("git@gitlab.com:group/name.git"), web_address("https://me:secret@github.com/group/name/")
    ('https://gitlab.com/group/name', 'https://github.com/group/name')
    >>> [web_address(remote) for remote in ("", "/home/me/name", "https://host.org/group/name")]
    [None, None, None]
    """
    scheme = r"(?:https?://(?:[^@/]*@)?|(?:ssh://)?git@)"
    place = re.fullmatch(rf"{scheme}([\w.-]+)[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?", remote.strip())
    return f"https://{place[1]}/{place[2]}/{place[3]}" if place and place[1] in HOSTS else None


def published(config: dict, address: str | None) -> dict:
    """Jupyter Book's configuration with buttons that lead to the repository, and to Binder if it is on GitHub."""
    if address is None:
        return config
    html = config["html"] | {"use_repository_button": True, "use_issues_button": True}
    config = config | {"html": html, "repository": {"url": address, "branch": "main"}}
    if address.startswith("https://github.com/"):
        config["launch_buttons"] = {"notebook_interface": "jupyterlab", "binderhub_url": "https://mybinder.org"}
    return config


def locked(root: Path) -> dict[str, str]:
    """Packages and versions of ``requirements.lock``."""
    return dict(re.findall(r"(?m)^([\w.-]+)==([\w.]+)", (root / "requirements.lock").read_text("utf8")))


def dependencies(root: Path) -> list[str]:
    """The packages that the library needs, as ``pyproject.toml`` names them."""
    declared = tomllib.loads((root / "pyproject.toml").read_text("utf8"))["project"]["dependencies"]
    return [re.match(r"[\w.-]+", line)[0] for line in declared]
