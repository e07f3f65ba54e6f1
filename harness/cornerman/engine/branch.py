"""An attempt under way: everything that a fork has to restore.

A branch is the environment's session, the turns and words so far, and the plug-ins' states. Randomness needs no place
here: it is a hash of where it happens (see `cornerman.seeds`).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from cornerman.engine.answers import fault
from cornerman.engine.context import Scope
from cornerman.engine.given import Given
from cornerman.engine.redaction import Shows, redact
from cornerman.environment import Step
from cornerman.records import Attempt, AttemptSpec, ContextItem, LogEntry, Moment, Role, Start, Turn, UserReply
from cornerman.seeds import derive
from cornerman.workers.session import Session, observation_hash

Phase = Literal["decision", "outcome", "end"]
"""The parts of a turn in which a plug-in may draw: what is done next, what came of it, and the attempt's end."""


@dataclass
class Branch:
    """One attempt being played. `path` names it in seeds; `base` are the turns it did not play itself.

    `muted` are the critics that a fork does not ask again at its first decision; `given` is what is not left to chance
    there, until that decision has been reviewed.
    """

    scope: Scope
    session: Session
    index: int
    path: str
    spec: AttemptSpec
    step: Step
    opening: Step
    opening_hash: str = ""
    opening_delivered: str | None = None
    opening_user: tuple[UserReply, ...] = ()
    opening_state: dict[str, Any] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    base: int = 0
    log: list[LogEntry] = field(default_factory=list)
    context: list[ContextItem] = field(default_factory=list)
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    delivered: str = ""
    requests: int = 0
    muted: frozenset[tuple[str, Moment, int]] = frozenset()
    given: Given | None = None
    phase: Phase = "outcome"
    calls_this_turn: list[int] = field(default_factory=list)
    ordinals: dict[str, int] = field(default_factory=dict)
    touched: dict[str, Role] = field(default_factory=dict)
    _saved: dict[str, bytes] = field(default_factory=dict)
    _redacted: dict[Shows, list[Turn]] = field(default_factory=dict)

    @property
    def turn(self) -> int:
        """Index of the decision at hand: the number of turns so far, replayed ones included."""
        return len(self.turns)

    def open(self, opening: Step, step: Step) -> None:
        """Where the attempt opened and where it stands."""
        self.opening, self.step, self.delivered = opening, step, opening.observation
        self.opening_hash = observation_hash(opening.observation)

    def begin(self, phase: Phase) -> None:
        """Enter a phase of the turn: the ordinals of random draws start anew, so that a fork draws the same ones."""
        self.phase = phase
        self.ordinals.clear()
        if phase != "outcome":
            self.calls_this_turn = []

    def seed(self, key: str, *extra: str | int, group: bool = False) -> int:
        """The seed of the next draw of a plug-in instance at this place; `group` leaves the trial out."""
        ordinal = self.ordinals.get(key, 0)
        self.ordinals[key] = ordinal + 1
        scope, task = self.scope, self.scope.task
        path = self.path if self.given is None else self.given.path
        where = (task.env, task.id, task.seed, None if group else scope.trial, path, len(self.turns), self.phase)
        return derive(scope.bench.seed, *where, key, ordinal, *extra)

    def rng(self, key: str, *, group: bool = False) -> random.Random:
        """A generator of the instance's own at this place."""
        return random.Random(self.seed(key, group=group))

    # -- plug-in states

    def state(self, key: str, role: Role = "critic") -> dict[str, Any]:
        """The JSON state of a plug-in instance; asking for it marks it for saving."""
        self.touched[key] = role
        return self.states.setdefault(key, {})

    def changed_states(self) -> dict[str, Any]:
        """Copies of the states that changed since the last call.

        A state that JSON would not give back as it is, is the plug-in's error: a fork would go on with another one.
        """
        if not self.touched:
            return {}
        out: dict[str, Any] = {}
        touched, self.touched = self.touched, {}
        for key, role in sorted(touched.items()):
            state = self.states[key]
            try:
                data = msgspec.json.encode(state)
            except (TypeError, ValueError, OverflowError, RecursionError) as error:
                raise fault(role, f"view.state of '{key}' holds something that is no JSON: {error}") from error
            if data != self._saved.get(key, b"{}"):
                copy = msgspec.json.decode(data)
                if copy != state:
                    raise fault(role, f"view.state of '{key}' holds something that JSON does not give back: {UNLIKE}")
                self._saved[key], out[key] = data, copy
        return out

    def restore_states(self, states: dict[str, Any]) -> None:
        """Set the states that the branch starts with, as copies."""
        for key, value in states.items():
            data = msgspec.json.encode(value)
            self.states[key], self._saved[key] = msgspec.json.decode(data), data

    # -- what has been played

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
            opening_hash=self.opening_hash,
            opening_replies=tuple(r.text for r in self.opening_user),
            opening_user=self.opening_user,
            opening_state=self.opening_state,
            turns=tuple(self.turns[self.base :]),
            log=tuple(self.log),
            context=tuple(self.context),
            **outcome,
        )


UNLIKE = "keys are to be strings, and values lists, dicts, strings, finite numbers, true, false or None"
