"""Machines on their own, with a class of Java's as the simulator."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cornerman.errors import EnvError, UsageError
from cornerman_envs.java.lending import end_idle, give_back, lend
from cornerman_envs.java.machine import HEAP_VARIABLE, Machine, Program, heap_mb, java_command


@pytest.fixture
def program() -> Program:
    """A builder of strings."""
    from py4j.java_gateway import find_jar_path

    return Program(Path(find_jar_path()).resolve(), "java.lang.StringBuilder", 64)


def gone(pid: int) -> bool:
    """Whether a process has ended; waits for it a while."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_consecutive_environments_share_a_machine_and_no_state(program: Program) -> None:
    first = lend(program)
    first.call("append", "left behind")
    assert first.call("toString") == "left behind"
    give_back(first)
    second = lend(program)
    assert second.pid == first.pid
    assert second.call("toString") == ""
    give_back(second)


def test_environments_open_at_once_have_one_each_and_one_is_kept(program: Program) -> None:
    first, second = lend(program), lend(program)
    assert first.pid != second.pid
    give_back(first)
    give_back(second)
    assert first.alive
    assert not second.alive
    end_idle()
    assert not first.alive


def test_a_machine_that_died_is_replaced_and_said_to_be_dead(program: Program) -> None:
    machine = lend(program)
    os.kill(machine.pid, signal.SIGKILL)
    with pytest.raises(EnvError, match=r"ended with status -9.*CORNERMAN_JAVA_HEAP_MB"):
        machine.call("toString")
    give_back(machine)
    other = lend(program)
    assert other.pid != machine.pid
    give_back(other)


def test_what_the_simulator_raises_is_an_error_of_the_environment(program: Program) -> None:
    machine = lend(program)
    with pytest.raises(EnvError, match=r"charAt raised .*IndexOutOfBounds"):
        machine.call("charAt", 5)
    assert machine.call("toString") == ""
    give_back(machine)


def test_the_heap_is_bounded(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(program._replace(simulator="java.util.ArrayList"))
    try:
        assert machine._gateway.jvm.java.lang.Runtime.getRuntime().maxMemory() <= 64 << 20
        with pytest.raises(EnvError, match="ended with status"):
            machine.call("ensureCapacity", 1 << 28)  # room for as many references
    finally:
        machine.end()
    assert not machine.alive
    monkeypatch.setenv(HEAP_VARIABLE, "300")
    assert heap_mb() == 300
    monkeypatch.setenv(HEAP_VARIABLE, "much")
    with pytest.raises(UsageError, match="a number of megabytes, 64 or more"):
        heap_mb()


def test_what_an_environment_held_is_free_for_the_next(program: Program) -> None:
    machine = Machine(program)
    gc.disable()
    try:
        for _ in range(20):  # 80 MB of letters in a heap of 64
            machine.call("append", "x" * 4_000_000)
            machine.renew()
        assert machine.call("length") == 0
    finally:
        gc.enable()
        machine.end()


def test_a_machine_ends_when_its_owner_is_killed(program: Program) -> None:
    code = (
        "import sys, time; from pathlib import Path; from cornerman_envs.java.machine import Machine, Program\n"
        "print(Machine(Program(Path(sys.argv[1]), sys.argv[2], 64)).pid, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", code, str(program.jar), program.simulator],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert owner.stdout is not None
    with owner.stdout:
        pid = int(owner.stdout.readline())
        owner.kill()
        owner.wait()
    assert gone(pid)


def test_without_java_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"there is no java command.*install a Java runtime"):
        java_command()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="holds no bin/java"):
        java_command()


def test_a_java_that_does_not_start_is_an_error_of_the_environment(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    false = tmp_path / "bin" / "java"
    false.parent.mkdir()
    false.write_text("#!/bin/sh\nexit 1\n")
    false.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvError, match="could not be started"):
        Machine(program)
