"""Computations side by side: in processes of their own, or here when there is to be but one."""

import os
import time
from multiprocessing import get_context

import psutil
import pytest
from threadpoolctl import threadpool_info

from cdsm_lib import processes
from cdsm_lib.processes import side_by_side
from cdsm_lib.settings import ParameterError


def about(n: int) -> tuple[int, int, int, set[int]]:
    """What a computation finds around it."""
    if n < 0:
        raise ValueError("negative")
    threads = {pool["num_threads"] for pool in threadpool_info()}
    return n, os.getpid(), processes.processes(), threads


def test_each_computation_is_alone_in_its_process(monkeypatch):
    monkeypatch.setenv(processes.VARIABLE, "2")
    monkeypatch.setattr(processes, "cores", lambda: 2)
    with side_by_side() as start:
        later = [start(about, n) for n in (3, 1, 2)]
        numbers, pids, at_a_time, threads = zip(*(one.result() for one in later), strict=True)
    assert numbers == (3, 1, 2) and os.getpid() not in pids and set(at_a_time) == {1} and set.union(*threads) <= {1}
    assert processes.processes() == 2
    with pytest.raises(ValueError, match="negative"), side_by_side(here=True) as start:
        start(about, -1).result()


def test_a_single_process_computes_here_when_it_is_asked(monkeypatch):
    monkeypatch.setenv(processes.VARIABLE, "1")
    with side_by_side() as start:
        later = [start(about, n) for n in (1, -1, 2)]
        assert later[2].result()[:2] == (2, os.getpid())
        with pytest.raises(ValueError, match="negative"):
            later[1].result()


@pytest.mark.parametrize("value", ["0", "two", "-1", "1.5"])
def test_a_number_of_processes_that_is_none(monkeypatch, value):
    monkeypatch.setenv(processes.VARIABLE, value)
    with pytest.raises(ParameterError, match=f"CDSM_PROCESSES='{value}'.*whole number"):
        processes.processes()


def busy(told) -> None:
    """Say who computes, and never come to an end."""
    with told.open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(600)


def begin(told) -> None:
    with side_by_side() as start:
        start(busy, told)
        start(busy, told)


def begin_and_fail(told) -> None:
    with side_by_side() as start:
        start(busy, told)
        start(about, -1).result()


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_an_error_ends_what_has_begun_beside_it(monkeypatch, tmp_path):
    monkeypatch.setenv(processes.VARIABLE, "2")
    parent = get_context("spawn").Process(target=begin_and_fail, args=(tmp_path / "pids",))
    parent.start()
    parent.join(60)  # what is busy would go on for ten minutes
    assert parent.exitcode == 1


def test_a_process_that_is_killed_takes_along_what_it_started(monkeypatch, tmp_path):
    monkeypatch.setenv(processes.VARIABLE, "2")
    told = tmp_path / "pids"
    parent = get_context("spawn").Process(target=begin, args=(told,))
    parent.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (told.is_file() and told.read_text().count("\n") == 2):
        time.sleep(0.05)
    parent.kill()
    parent.join()
    pids = [int(line) for line in told.read_text().split()]
    while time.monotonic() < deadline and any(map(alive, pids)):
        time.sleep(0.05)
    assert len(pids) == 2 and not any(map(alive, pids))
