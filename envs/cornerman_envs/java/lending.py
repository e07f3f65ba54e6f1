"""Lends machines: consecutive environments of a process get the same one, environments open at once one each."""

from __future__ import annotations

import atexit
import threading

from cornerman_envs.java.machine import Machine, Program

_lock = threading.Lock()
_idle: Machine | None = None


def lend(program: Program) -> Machine:
    """A machine that runs the program, with a fresh simulator object: the idle one where it fits, else a new one."""
    global _idle
    with _lock:
        machine, _idle = _idle, None
    if machine is not None:
        if machine.alive and machine.program == program:
            machine.renew()
            return machine
        machine.end()
    return Machine(program)


def give_back(machine: Machine) -> None:
    """Keep a machine for the next environment, unless one is kept already."""
    global _idle
    with _lock:
        if _idle is None and machine.alive:
            _idle = machine
            return
    machine.end()


def end_idle() -> None:
    """End the machine that waits for the next environment."""
    global _idle
    with _lock:
        machine, _idle = _idle, None
    if machine is not None:
        machine.end()


atexit.register(end_idle)
