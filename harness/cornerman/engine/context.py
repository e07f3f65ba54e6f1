"""What all episodes of a run share, and what one episode carries along."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from cornerman.engine.settings import Spend
from cornerman.engine.tape import Tape
from cornerman.model import Model
from cornerman.prices import Prices
from cornerman.records import Attempt, Call, ContextItem, MemoryOp, Record, Role, Task
from cornerman.responses import Responses
from cornerman.suites import Rules
from cornerman.workers.session import Sessions

Phase = Literal["evaluation", "training"]
OnOverflow = Literal["error", "truncate", "end"]


class Limits(Record, frozen=True, kw_only=True):
    """Seconds after which a call, turn or episode is ended as `timeout`; 0 means no limit.

    Those of an environment in a worker process: `reset_seconds` for what may have to build or plan (making it, reset,
    a restore, gold actions), `step_seconds` for every other answer.
    """

    call_seconds: float = 300.0
    turn_seconds: float = 900.0
    episode_seconds: float = 7200.0
    reset_seconds: float = 300.0
    step_seconds: float = 60.0


@dataclass
class Bench:
    """What all episodes of a run share. `gates` cap the calls under way by role."""

    sessions: Sessions
    model: Callable[[str], Model]
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    phase: Phase = "evaluation"
    gates: dict[Role, asyncio.Semaphore] = field(default_factory=dict)
    prices: Prices = field(default_factory=dict)
    responses: Responses | None = None
    attempt_finished: Callable[[Task, str, int, Attempt], None] | None = None


class MemoryItem(msgspec.Struct, frozen=True):
    """One entry of a memory as a plug-in sees it."""

    id: str
    text: str
    family: str = ""
    uses: int = 0
    data: dict[str, object] = {}


@dataclass
class Scope:
    """One episode under way: its task, rules, seed and trial, and the calls made so far."""

    bench: Bench
    task: Task
    rules: Rules
    trial: int
    calls: list[Call] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    memory: tuple[MemoryItem, ...] = ()
    tape: Tape | None = None
    spend: Spend | None = None
    on_overflow: OnOverflow = "error"
    shadows: frozenset[str] = frozenset()
    """Labels of the critics in shadow, whose calls are on no budget."""
    out_of_budget: bool = False
    """Whether the budget ended the episode before its protocol or its turns did."""
    steps: int = 0
    """Actions that the environment executed for this episode; those of a replay are not counted."""
    memory_ops: list[MemoryOp] = field(default_factory=list)
    carried: list[ContextItem] = field(default_factory=list)
    """The words of `on_task_start`, for every attempt; a retry from a turn finds them where its parent had them."""
    states: dict[str, Any] = field(default_factory=dict)
    """Plug-in states as `on_task_start` left them; every attempt from reset begins with copies."""
    call_ids: Iterator[int] = field(default_factory=itertools.count)
    """Ids in the order in which calls start; a record is appended when its call ends."""
    serial: int = field(default_factory=itertools.count().__next__)
    """Tells the episodes of a process apart for the prefix caches of models; stands in no record."""
    critique_ids: Iterator[int] = field(default_factory=itertools.count)
