"""Ctrl-C, SIGTERM and SIGHUP stop a run in order; a second one leaves at once. Workers never stay behind."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import CommandLine

from cornerman.store import EPISODES, latest

SLOW = ("run", "--suite", "count-smoke", "--actor", "slow:ms=20", "--name", "slow", "--episodes", 2, "--json")


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Look a bounded number of times until something is so; a process that ended can not make it so any more."""
    for _ in range(6000):
        if what():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    raise AssertionError(process.communicate())


def recorded(folder: Path) -> int:
    """Whole records of a run."""
    path = folder / EPISODES
    return path.read_bytes().count(b"\n") if path.exists() else 0


def workers_of(pid: int) -> list[int]:
    """Worker processes of an engine."""
    rows = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    fields = [row.split(None, 2) for row in rows.splitlines()]
    return [int(f[0]) for f in fields if int(f[1]) == pid and "cornerman.workers.main" in f[2]]


def gone(pid: int) -> bool:
    """Whether a process disappears within a bounded number of looks."""
    for _ in range(200):
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
        if not state.strip() or state.strip().startswith("Z"):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_stops_in_order_and_the_same_command_goes_on(command: CommandLine, number: int) -> None:
    folder = command.folder / "runs" / "slow"
    process = command.start(*SLOW)
    wait_for(lambda: recorded(folder) >= 3, process)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Traceback" not in err
    kept = recorded(folder)
    assert err.splitlines()[-1] == (
        f"cornerman: stopped with {20 - kept} of 20 episodes to play; the same command goes on"
    )
    assert 3 <= kept < 20
    assert f'"requested":20,"recorded":{kept},' in out  # a summary of what is there
    assert all(e.end in ("success", "failure", "truncated") for e in latest(folder).values())  # nothing half played
    again = command(*SLOW)
    assert again.status == 0
    assert f"{kept} of 20 episodes are recorded; going on" in again.err
    assert recorded(folder) == 20


def test_a_run_stopped_before_its_first_episode_is_over_says_so_and_leaves_nothing(command: CommandLine) -> None:
    process = command.start("run", "--suite", "count-smoke", "--actor", "slow:ms=3000", "--name", "early")
    wait_for(lambda: (command.folder / "runs" / "early" / "manifest.json").exists(), process)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert out == "", "no table of nothing"
    assert err.splitlines()[-1] == "cornerman: stopped before any episode was over; the same command begins anew"
    assert not (command.folder / "runs" / "early").exists()


def test_workers_are_gone_after_an_interrupt(command: CommandLine) -> None:
    process = command.start(
        "run", "--suite", "count-hangs-at-step", "--actor", "random", "--workers", 2, "--no-validate"
    )
    wait_for(lambda: len(workers_of(process.pid)) == 2, process)
    workers = workers_of(process.pid)
    time.sleep(0.5)  # one of them is in a step that takes a thousand seconds
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "the same command" in err  # goes on, or begins anew where no episode was over yet
    assert all(gone(pid) for pid in workers)


def test_a_second_signal_leaves_at_once_even_while_an_environment_hangs_inline(command: CommandLine) -> None:
    process = command.start(
        "run",
        "--suite",
        "count-hangs-at-step-inline",
        "--actor",
        "gold",
        "--no-validate",
        "--name",
        "hung",
        "--episodes",
        1,
    )
    folder = command.folder / "runs" / "hung"
    wait_for(lambda: recorded(folder) >= 1, process)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None  # the event loop is held up by the environment
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.splitlines()[-1] == "cornerman: left at once; what was recorded is kept"
    assert recorded(folder) >= 1


def test_two_sigterms_at_once_are_one_request(command: CommandLine) -> None:
    folder = command.folder / "runs" / "slow"
    process = command.start(*SLOW)
    wait_for(lambda: recorded(folder) >= 3, process)
    os.kill(process.pid, signal.SIGTERM)  # as `timeout` does: to its child, and to the group
    os.killpg(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "the same command goes on" in err.splitlines()[-1]
    assert '"requested":20' in out


def test_a_second_signal_leaves_no_worker_behind(command: CommandLine) -> None:
    process = command.start(
        "run", "--suite", "count-hangs-at-reset", "--actor", "gold", "--no-validate", "--workers", 1
    )
    wait_for(lambda: len(workers_of(process.pid)) == 1, process)
    workers = workers_of(process.pid)
    os.kill(process.pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 1
    assert all(gone(pid) for pid in workers)


def test_a_killed_engine_leaves_no_worker_behind(command: CommandLine) -> None:
    process = command.start(
        "run", "--suite", "count-hangs-at-step", "--actor", "random", "--workers", 2, "--no-validate"
    )
    wait_for(lambda: len(workers_of(process.pid)) == 2, process)
    workers = workers_of(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    assert all(gone(pid) for pid in workers)


def test_an_interrupt_before_the_first_episode_leaves_nothing_behind(command: CommandLine) -> None:
    process = command.start("run", "--suite", "count-hangs-at-reset", "--actor", "gold", "--name", "early")
    wait_for(lambda: len(workers_of(process.pid)) >= 1, process)  # gold is being checked
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err.splitlines()[-1] == ("cornerman: interrupted before any episode was played; the same command goes on")
    assert not (command.folder / "runs" / "early").exists()


@pytest.mark.parametrize("arguments", [("validate", "count-hangs-at-reset"), ("replay", "runs/r")])
def test_other_commands_say_that_they_were_interrupted(command: CommandLine, arguments: tuple[str, ...]) -> None:
    if "replay" in arguments:
        text = 'suite = "count-hangs-at-step"\n[limits]\nstep_seconds = 1\n[[method]]\nactor = "gold"\nname = "r"\n'
        (command.folder / "r.toml").write_text(text)
        assert command("run", "r.toml", "--no-validate").status == 1
        path = command.folder / "runs" / "r" / EPISODES
        path.write_text(path.read_text().replace('"trouble":""', '"trouble":"reset:hang"'))
    process = command.start(*arguments)
    wait_for(lambda: len(workers_of(process.pid)) >= 1, process)
    workers = workers_of(process.pid)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "cornerman: interrupted"
    assert all(gone(pid) for pid in workers)


def test_an_ignored_signal_stays_ignored(command: CommandLine) -> None:
    nohup = ["bash", "-c", 'trap "" HUP; exec "$@"', "bash", *command.arguments(*SLOW)]
    process = command.spawn(nohup)
    wait_for(lambda: recorded(command.folder / "runs" / "slow") >= 2, process)
    os.kill(process.pid, signal.SIGHUP)
    process.communicate(timeout=120)
    assert process.returncode == 0


def test_two_processes_cannot_write_to_one_folder(command: CommandLine) -> None:
    very_slow = ("run", "--suite", "count-smoke", "--actor", "slow:ms=500", "--name", "slow", "--episodes", 1)
    process = command.start(*very_slow)
    wait_for((command.folder / "runs" / "slow" / EPISODES).exists, process)
    for _ in range(2):
        said = command.refused(*very_slow)
        assert said == "another process is writing to runs/slow; wait for it or choose another --name"
    assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    kept = recorded(command.folder / "runs" / "slow")
    again = command.start(*very_slow)  # the lock of a killed process is gone
    wait_for(lambda: recorded(command.folder / "runs" / "slow") > kept, again)
    os.kill(again.pid, signal.SIGINT)
    again.communicate(timeout=120)
    assert again.returncode == 1
