"""A row's declaration as the command line gives it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cornerman.declaration import Declaration, task_digest
from cornerman.errors import UsageError
from cornerman.experiment import load_suite, read_text
from cornerman.registry import Registry

NOTHING, UNCOUNTED = "nothing", "uncounted"
DIGEST = 32
"""Hexadecimal digits of a task's digest."""


def declare(
    registry: Registry, trained: Sequence[str], tuned: Sequence[str], looks: str | None, contact: str, paper: str
) -> Declaration:
    """The declaration that the options of `leaderboard submit` give. Raises `UsageError` where they say too little."""
    if not trained or not tuned or looks is None:
        raise UsageError(
            "a row declares what its method was trained and tuned on, and how many runs on the panel were looked at: "
            f"add --trained-on {NOTHING} --tuned-on {NOTHING} --looks 1, or in their place the names of suites, files "
            f"with the digest of a task on every line, and --looks {UNCOUNTED}"
        )
    if looks != UNCOUNTED and not (looks.isdecimal() and 1 <= len(looks) <= 6 and int(looks)):
        raise UsageError(f"--looks is a number of runs, this one included, or {UNCOUNTED}; not {looks!r}")
    return Declaration(
        trained_on=digests(registry, trained, "--trained-on"),
        tuned_on=digests(registry, tuned, "--tuned-on"),
        looks=None if looks == UNCOUNTED else int(looks),
        contact=contact,
        paper=paper,
    )


def digests(registry: Registry, sources: Sequence[str], flag: str) -> tuple[str, ...]:
    """Digests of tasks from the names of suites and from files."""
    out: set[str] = set()
    for source in sources:
        if source == NOTHING:
            if len(sources) > 1:
                raise UsageError(f"{flag} {NOTHING} stands alone")
        elif Path(source).is_file():
            out |= listed(Path(source))
        else:
            out |= {task_digest(task) for task in load_suite(registry, source).tasks}
    return tuple(sorted(out))


def listed(path: Path) -> set[str]:
    """The digests in a file, one on every line."""
    lines = [line.strip() for line in read_text(path).splitlines()]
    wrong = next((i for i, x in enumerate(lines, 1) if x and (len(x) != DIGEST or set(x) - set("0123456789abcdef"))), 0)
    if wrong:
        raise UsageError(f"{path} line {wrong} is no digest of a task ({DIGEST} hexadecimal digits)")
    return {line for line in lines if line}
