"""One Java machine: a process that runs a simulator's jar and answers calls over a loopback socket, through py4j.

It never outlives this process: it reads its standard input, a pipe of which only we hold the other end, and exits when
that ends, however we ended (py4j's --die-on-broken-pipe). It also stays in our process group, which is killed whole
where we are a worker.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from cornerman.errors import EnvError, UsageError
from cornerman.programs import find_program

HEAP_VARIABLE = "CORNERMAN_JAVA_HEAP_MB"
HEAP_MB = 512
"""Default bound of a machine's heap."""
_LEAST_HEAP_MB = 64
_EXIT_SECONDS = 5.0

_OPTIONS = (
    # All objects hash alike, so that collections keyed by identity keep their order of insertion. By the default, a
    # random number for each object, ScienceWorld answers the same actions differently from one load to the next.
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
    # One small heap, no collector threads; out of memory the machine is lost in any case and had better end.
    "-XX:+UseSerialGC",
    # All of it from the start: what a run needs is known in its first second and does not grow.
    "-XX:+AlwaysPreTouch",
    "-XX:+ExitOnOutOfMemoryError",
    # Nothing in the temporary folder, even when it is killed.
    "-XX:-UsePerfData",
)


class Program(NamedTuple):
    """What a machine runs: a jar, the class whose instances are asked (by its full name), and a bound of the heap."""

    jar: Path
    simulator: str
    heap_mb: int


def java_command() -> str:
    """Path of the `java` to use: that of JAVA_HOME, else the one on PATH. Raises `UsageError` where there is none."""
    found = find_program("java")
    if found is None:
        home = os.environ.get("JAVA_HOME")
        where = f"JAVA_HOME={home} holds no bin/java" if home else "there is no java command"
        raise UsageError(
            f"{where}, and this environment runs on Java: install a Java runtime, version 11 or later (Debian: "
            "apt install default-jre-headless; macOS: brew install openjdk; conda: conda install openjdk)"
        )
    return found


def heap_mb(usual: int = HEAP_MB) -> int:
    """Size of the heap in megabytes: the environment variable's, or what a simulator usually has."""
    text = os.environ.get(HEAP_VARIABLE, str(usual))
    if not text.isdecimal() or int(text) < _LEAST_HEAP_MB:
        raise UsageError(f"{HEAP_VARIABLE} is {text!r}; it takes a number of megabytes, {_LEAST_HEAP_MB} or more")
    return int(text)


class Machine:
    """A running machine and one simulator object in it, which `call` asks.

    Simulators keep generators and counters in static fields: one machine is for one running environment only.
    """

    def __init__(self, program: Program) -> None:
        """Start it, within a second. Raises `EnvError` when it does not start, `UsageError` where there is no Java."""
        self.program = program
        gateway = importlib.import_module("py4j.java_gateway")
        java = java_command()
        try:
            port, token, self._process = gateway.launch_gateway(
                classpath=str(program.jar),
                cwd=str(program.jar.parent),
                javaopts=[f"-Xms{program.heap_mb}m", f"-Xmx{program.heap_mb}m", *_OPTIONS],
                java_path=java,
                die_on_exit=True,
                enable_auth=True,
                return_proc=True,
            )
        except (OSError, ValueError) as error:  # ValueError: it ended instead of telling its port
            raise EnvError(
                f"{java} could not be started with a heap of {program.heap_mb} MB ({HEAP_VARIABLE}); `java -version` "
                "must answer 11 or later"
            ) from error
        self._gateway = gateway.JavaGateway(gateway_parameters=gateway.GatewayParameters(port=port, auth_token=token))
        # The simulators print a lot, and each line would wake a thread of ours.
        java_io, system = self._gateway.jvm.java.io, self._gateway.jvm.java.lang.System
        system.setOut(java_io.PrintStream(java_io.OutputStream.nullOutputStream()))
        self._object: Any = None
        self.renew()

    @property
    def pid(self) -> int:
        """Process id."""
        return int(self._process.pid)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def renew(self) -> None:
        """Let the simulator object go and make a fresh one."""
        if self._object is not None:
            # By itself, py4j lets go of it only when Python's collector comes across our side of it.
            self._answer("detach", self._gateway.detach, self._object)
        self._object = self.make(self.program.simulator)

    def make(self, name: str, *arguments: Any) -> Any:
        """A new object of the class of that full name. Raises `EnvError` as `call` does."""
        made: Any = self._gateway.jvm
        for part in name.split("."):
            made = getattr(made, part)
        return self._answer(name, made, *arguments)

    def call(self, method: str, *arguments: Any, on: Any = None) -> Any:
        """What a method of the simulator object, or of another `on` this machine, answers: a plain value or an object.

        Raises `EnvError` when the method raises or the machine is gone.
        """
        return self._answer(method, getattr(self._object if on is None else on, method), *arguments)

    def _answer(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        protocol = importlib.import_module("py4j.protocol")
        try:
            return function(*arguments)
        except protocol.Py4JJavaError as error:
            raise EnvError(f"{what} raised {error.java_exception.toString()}") from error
        except (protocol.Py4JError, OSError) as error:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_EXIT_SECONDS)
            state = "runs on" if self.alive else f"ended with status {self._process.returncode}"
            raise EnvError(
                f"the Java machine gave no answer to {what} and {state}; if it was out of memory, {HEAP_VARIABLE} "
                f"(now {self.program.heap_mb}) bounds it"
            ) from error

    def end(self) -> None:
        """End the process and wait until it is gone. Idempotent."""
        with contextlib.suppress(Exception):
            self._gateway.shutdown()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
