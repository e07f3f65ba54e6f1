"""A check of closing: no child process and no temporary file of an episode outlives it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cornerman.conformance.interface import walk_step
from cornerman.conformance.report import require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import Walk


def closes(subject: Subject) -> str:
    """After close no child process and no temporary file of the episode is left, and closing again is harmless."""
    with own_temporary_folder() as folder:
        before = descendants()
        env = subject.make()
        walk = Walk()
        _, info = env.reset(seed=subject.task.seed if subject.spec.seedable else None)
        for _ in range(3):
            _, _, terminated, truncated, info = env.step(walk.action(walk_step(info)))
            if terminated or truncated:
                break
        env.close()
        env.close()
        processes = descendants() - before
        left = sorted(p.name for p in folder.iterdir())
    require(not processes, f"{len(processes)} child processes are left after close")
    require(not left, f"{len(left)} temporary files or folders are left after close: {', '.join(left[:3])}")
    return "no child process and no temporary file is left after close"


@contextmanager
def own_temporary_folder() -> Iterator[Path]:
    """A folder in which everything lands, meanwhile, that asks for a temporary place."""
    kept, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="cornerman-check-", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = kept
            if variable is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = variable


def descendants() -> set[int]:
    """Processes below this one, zombies left out."""
    parents = dict(table_of_processes())
    found: set[int] = set()
    new = {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def table_of_processes() -> Iterator[tuple[int, int]]:
    """Process and parent, of all that run."""
    proc = Path("/proc")
    if (proc / "self" / "stat").exists():
        for entry in proc.iterdir():
            if entry.name.isdecimal():
                try:
                    state, parent = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
                except OSError:  # it has ended meanwhile
                    continue
                if state != "Z":
                    yield int(entry.name), int(parent)
        return
    asker = subprocess.Popen(["ps", "-axo", "pid=,ppid=,stat="], stdout=subprocess.PIPE, text=True)
    for line in asker.communicate()[0].splitlines():
        pid, parent, state = line.split()[:3]
        if not state.startswith("Z") and int(pid) != asker.pid:
            yield int(pid), int(parent)
