"""What all tests share: the mirror of real datasets, a seeded generator, and a closed network."""

import os
import platform
import socket
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".build" / "numba"))  # before anything imports numba
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("CDSM_PROCESSES", "1")
if platform.machine() == "x86_64":
    for line in (ROOT / ".ci" / "processor.env").read_text("utf8").split():
        os.environ.setdefault(*line.split("=", 1))

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

from cdsm_lib import datasets  # noqa: E402
from cdsm_lib.text.lexicon import WordNetLexicon  # noqa: E402
from tests import kernels, pictures, projects  # noqa: E402, F401

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items):
    """Mark as `mirror` every test that asks for the fixture of that name; have nbval compare pictures, too."""
    for item in items:
        if hasattr(item, "compare_outputs"):
            item.compare_outputs = partial(pictures.compare, item.compare_outputs, item)
        if "mirror" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.mirror)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="module")
def folder(request) -> Path:
    """The teaching set that the module's SET names."""
    return ROOT / "data" / "sample" / request.module.SET


@pytest.fixture(scope="module")
def sheet(folder) -> str:
    """Its datasheet."""
    return (folder / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real datasets; the test is skipped where there is none."""
    folder = os.environ.get("CDSM_DATA_MIRROR")
    if not folder:
        pytest.skip("needs the real datasets: CDSM_DATA_MIRROR is not set")
    if not Path(folder).is_dir():
        pytest.fail(f"CDSM_DATA_MIRROR names no folder: {folder}")
    return Path(folder)


@pytest.fixture(scope="session")
def databases(mirror):
    """WordNet and SCOWL, which the mirror need not have."""
    try:
        datasets.wordnet()
        datasets.fetch("scowl")
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet and SCOWL: {error}")
    return WordNetLexicon()


@pytest.fixture
def project(tmp_path, monkeypatch) -> projects.Project:
    """A tiny project in the place of ours."""
    return projects.Project(tmp_path, monkeypatch)


@pytest.fixture
def serve(monkeypatch):
    """serve(folder, manner) starts a server on this machine."""
    with projects.servers(monkeypatch) as start:
        yield start


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed."""
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def away_from_real_data(request, monkeypatch, tmp_path_factory):
    """Without the `mirror` fixture a test sees neither the mirror nor the user's cache, so that it passes anywhere."""
    if "mirror" not in request.fixturenames:
        monkeypatch.delenv("CDSM_DATA_MIRROR", raising=False)
        monkeypatch.delenv("CDSM_DATA_URL", raising=False)
        monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path_factory.getbasetemp() / "empty-cache"))


@pytest.fixture(autouse=True)
def closed_network(monkeypatch):
    """Refuse, inside the test's own process, every connection that would leave the machine."""
    connect = socket.socket.connect
    here = ("127.0.0.1", "::1", "localhost")

    def connect_here(self, address):
        stream = self.family in (socket.AF_INET, socket.AF_INET6) and self.type == socket.SOCK_STREAM
        if stream and address[0] not in here:
            raise OSError(f"a test tried to reach {address[0]}; tests stay on this machine")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
