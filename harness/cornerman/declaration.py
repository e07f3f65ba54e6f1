"""What the makers of a row declare: what its method was trained and tuned on, and how often it was tried."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from cornerman.errors import UsageError
from cornerman.records import Task
from cornerman.suites import digest_of

DECLARATION = "declaration.json"
Mark = Literal["open", "seen", "imported"]
"""What a table marks a row by: other seeds than the suite's own, a panel that was seen before, played elsewhere."""


class Declaration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A declaration. `trained_on` and `tuned_on` are digests of tasks, see `task_digest`.

    looks: how many runs on this panel were looked at before this one was submitted, this one included; None where
    nobody counted. seen: ids of the panel's tasks that are among those trained or tuned on.
    """

    trained_on: tuple[str, ...] = ()
    tuned_on: tuple[str, ...] = ()
    looks: int | None = None
    contact: str = ""
    paper: str = ""
    seen: tuple[str, ...] = ()


def task_digest(task: Task) -> str:
    """The first 32 hexadecimal digits of the SHA-256 of what makes a task the problem that it is.

    Its family and split are names that others give it, and stay out.
    """
    return digest_of([task.env, task.id, task.seed, task.settings, task.data])[:32]


def seen(declaration: Declaration, tasks: Iterable[Task]) -> tuple[str, ...]:
    """Ids of the tasks that a declaration names as trained or tuned on."""
    known = {*declaration.trained_on, *declaration.tuned_on}
    return tuple(t.id for t in tasks if task_digest(t) in known) if known else ()


def read_declaration(folder: Path) -> Declaration | None:
    """The declaration of a row; None where a folder has none, as one of a run."""
    path = folder / DECLARATION
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Declaration)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no declaration: {error}") from error


def marks_of(declaration: Declaration | None, seed: int) -> list[Mark]:
    """The marks of a run's rows: its own seed is none of a suite, whose seed is 0."""
    out: list[Mark] = []
    if seed != 0:
        out.append("open")
    if declaration is not None and declaration.seen:
        out.append("seen")
    return out


def sentence(name: str, declaration: Declaration) -> str:
    """A declaration as a board tells it."""
    looks = "looks at the panel not counted"
    if declaration.looks is not None:
        looks = f"{declaration.looks} look{'s' * (declaration.looks != 1)} at the panel"
    parts = [f"{what} {counted(tasks)}" for what, tasks in fields(declaration)]
    by = f"; {declaration.paper}" if declaration.paper else ""
    return f"{name} declares: {', '.join(parts)}, {looks}{by}."


def fields(declaration: Declaration) -> Sequence[tuple[str, tuple[str, ...]]]:
    """What was trained and tuned on."""
    return ("trained on", declaration.trained_on), ("tuned on", declaration.tuned_on)


def counted(tasks: Sequence[str]) -> str:
    """How many tasks, in words."""
    return f"{len(tasks)} task{'s' * (len(tasks) != 1)}" if tasks else "no tasks"
