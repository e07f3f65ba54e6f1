"""An attempt under way: everything that a fork has to restore.

A branch is the environment's session, the turns and words so far, and the plug-ins' states. Randomness needs no place
here: it is a hash of where it happens (see `cornerman.seeds`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cornerman.engine.context import Scope
from cornerman.environment import Step
from cornerman.errors import CriticError
from cornerman.records import Attempt, AttemptSpec, ContextItem, LogEntry, Record, Start, Turn
from cornerman.seeds import derive
from cornerman.workers.session import Session, observation_hash


class Shows(Record, frozen=True, kw_only=True):
    """Which parts of a recorded turn an information set includes."""

    admissible: bool
    score: bool
    logprobs: bool


def redact(turn: Turn, shows: Shows) -> Turn:
    """The turn without what the information set does not include."""
    changes: dict[str, Any] = {}
    if not shows.admissible and turn.admissible_actions is not None:
        changes |= {"admissible_actions": None, "admissible": None}
    if not shows.score:
        changes |= {"reward": None, "score": None}
    if not shows.logprobs and any(c.logprob is not None for c in turn.candidates):
        changes["candidates"] = tuple(msgspec.structs.replace(c, logprob=None, entropy=None) for c in turn.candidates)
    return msgspec.structs.replace(turn, **changes) if changes else turn


@dataclass
class Branch:
    """One attempt being played. `path` names it in seeds; `base` are the turns it did not play itself."""

    scope: Scope
    session: Session
    index: int
    path: str
    spec: AttemptSpec
    step: Step
    opening: Step
    opening_delivered: str | None = None
    turns: list[Turn] = field(default_factory=list)
    base: int = 0
    log: list[LogEntry] = field(default_factory=list)
    context: list[ContextItem] = field(default_factory=list)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    delivered: str = ""
    requests: int = 0
    calls_this_turn: list[int] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    ordinals: dict[str, int] = field(default_factory=dict)
    _saved: dict[str, bytes] = field(default_factory=dict)
    _redacted: dict[Shows, list[Turn]] = field(default_factory=dict)

    @property
    def turn(self) -> int:
        """Index of the decision at hand: the number of turns so far, replayed ones included."""
        return len(self.turns)

    def begin_turn(self) -> None:
        """Random ordinals and the calls of a turn start anew with every decision."""
        self.ordinals.clear()
        self.calls_this_turn = []

    def seed(self, label: str, *extra: str | int, group: bool = False) -> int:
        """The seed of the next draw of a plug-in instance at this place; `group` leaves the trial out."""
        ordinal = self.ordinals.get(label, 0)
        self.ordinals[label] = ordinal + 1
        scope, task = self.scope, self.scope.task
        where = (
            task.env,
            task.id,
            task.seed,
            None if group else scope.trial,
            self.path,
            len(self.turns),
            label,
            ordinal,
        )
        return derive(scope.bench.seed, *where, *extra)

    def rng(self, label: str, *, group: bool = False) -> random.Random:
        """A generator of the instance's own at this place."""
        return random.Random(self.seed(label, group=group))

    def state(self, label: str) -> dict[str, Any]:
        """The JSON state of a plug-in instance; asking for it marks it for saving."""
        self.touched.add(label)
        return self.states.setdefault(label, {})

    def changed_states(self) -> dict[str, Any]:
        """Copies of the states that changed since the last call. A state that is no JSON is the plug-in's error."""
        if not self.touched:
            return {}
        out: dict[str, Any] = {}
        for label in sorted(self.touched):
            try:
                data = msgspec.json.encode(self.states[label])
            except (TypeError, ValueError, OverflowError) as error:
                raise CriticError(f"view.state of '{label}' holds something that is no JSON: {error}") from error
            if data != self._saved.get(label, b"{}"):
                self._saved[label] = data
                out[label] = msgspec.json.decode(data)
        self.touched.clear()
        return out

    def restore_states(self, states: dict[str, Any]) -> None:
        """Set the states of a fork, as copies."""
        for label, value in states.items():
            data = msgspec.json.encode(value)
            self.states[label], self._saved[label] = msgspec.json.decode(data), data

    def history(self, shows: Shows) -> list[Turn]:
        """The turns so far as an information set shows them; redacted once each."""
        done = self._redacted.setdefault(shows, [])
        for turn in self.turns[len(done) :]:
            done.append(redact(turn, shows))
        return done

    def amend(self, **changes: Any) -> None:
        """Complete the newest turn with what came after its execution."""
        self.turns[-1] = msgspec.structs.replace(self.turns[-1], calls=tuple(self.calls_this_turn), **changes)
        for done in self._redacted.values():
            del done[len(self.turns) - 1 :]

    def log_step(self, action: str, step: Step) -> None:
        """Enter an executed action into the action log."""
        self.step = step
        self.log.append(LogEntry(action=action, hash=observation_hash(step.observation)))

    def active_context(self) -> list[ContextItem]:
        """The words that stand in the actor's context now."""
        return [item for item in self.context if item.until is None]

    def finish(self, **outcome: Any) -> Attempt:
        """The record of this attempt."""
        spec = self.spec
        return Attempt(
            index=self.index,
            path=self.path,
            start=spec.start if spec.start.kind != "reset" else Start(),
            parent=spec.parent,
            critique=spec.critique,
            groups=spec.groups,
            goal=self.opening.goal,
            opening=self.opening.observation,
            opening_delivered=self.opening_delivered,
            opening_hash=observation_hash(self.opening.observation),
            turns=tuple(self.turns[self.base :]),
            log=tuple(self.log),
            context=tuple(self.context),
            **outcome,
        )
