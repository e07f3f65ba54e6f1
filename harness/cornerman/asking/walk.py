"""A recorded attempt walked turn by turn, with the environment beside it where there is one at hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.context import Scope
from cornerman.engine.restoring import check, critique_ids, lineage, root, words_at
from cornerman.engine.starts import make
from cornerman.environment import Step
from cornerman.errors import EnvError
from cornerman.records import Attempt, AttemptSpec, Turn
from cornerman.talk import retell
from cornerman.workers.session import Session


class NoEnvironment:
    """Stands where the environment is not at hand: what only it knows is an error with a sentence."""

    async def gold(self) -> list[str] | None:
        """Not known."""
        raise EnvError("gold actions are not recorded, and the environment is not played here")

    async def facts(self) -> Any:
        """Not known."""
        raise EnvError("hidden state is not recorded, and the environment is not played here")


class Walk:
    """The moments of one attempt in order. `session` None stays with the record.

    A branch made here is what the engine had at that moment: turns, words and observation. The plug-in states are those
    of the walk, and go on from moment to moment.
    """

    def __init__(self, scope: Scope, attempts: Sequence[Attempt], index: int, session: Session | None) -> None:
        self.attempts, self.attempt = attempts, attempts[index]
        self.turns = lineage(attempts, index)
        self._session = session
        self._root = root(attempts, index)
        first = self.turns[0].admissible_actions if self.turns else None
        opening = self._opening = Step(self._root.opening, goal=self.attempt.goal, admissible=first)
        beside = cast("Session", NoEnvironment()) if session is None else session
        self.branch = make(scope, beside, AttemptSpec(), index, self.attempt.path, opening, opening)
        self.branch.opening_delivered = self._root.opening_delivered
        self._log = iter(self.attempt.log)

    async def begin(self) -> Branch:
        """The branch at the opening, before anybody decides; without plug-in states, however far the walk had come."""
        opening, self._log = self._opening, iter(self.attempt.log)
        if self._session is not None:
            opening = await retell(self._session, await self._session.reset(), self.attempt.opening_replies, "at reset")
            check(opening, self.attempt.opening_hash, "at reset")
        self.branch = dataclasses.replace(
            self.branch, opening=opening, step=opening, states={}, touched={}, _saved={}, phase="outcome"
        )
        self.branch = self._at(0, frozenset())
        return self.branch

    def decision(self, turn: int) -> Branch:
        """The branch before decision `turn`."""
        self.branch = self._at(turn, frozenset())
        self.branch.begin("decision")
        return self.branch

    async def outcome(self, turn: int) -> Branch:
        """The branch after turn `turn` was executed and before anybody reviewed it."""
        played = self.turns[turn]
        if played.executed is not None:
            self.branch = dataclasses.replace(self.branch, step=await self._step(turn, played))
        late = frozenset(c.id for c in played.critiques if c.moment == "review_turn")
        self.branch = self._at(turn + 1, late)
        self.branch.begin("outcome")
        return self.branch

    def end(self) -> Branch:
        """The branch at the attempt's end."""
        self.branch = self._at(len(self.turns), frozenset())
        self.branch.begin("end")
        return self.branch

    def _at(self, count: int, late: frozenset[int]) -> Branch:
        """The branch when `count` turns were played, as if the critiques `late` had not been given yet."""
        turns = self.turns[:count]
        if late:
            last = turns[-1]
            kept = tuple(c for c in last.critiques if c.id not in late)
            turns = [*turns[:-1], msgspec.structs.replace(last, critiques=kept)]
        last_shown = next((t.shown for t in reversed(turns) if t.executed is not None), None)
        opening = self._root.opening if self._root.opening_delivered is None else self._root.opening_delivered
        return dataclasses.replace(
            self.branch,
            turns=turns,
            context=words_at(self.attempts, self.attempt.index, count, late),
            delivered=opening if last_shown is None else last_shown,
            requests=sum(t.kind == "request" for t in turns),
            ordinals={},
            calls_this_turn=[],
            _redacted={},
        )

    async def _step(self, number: int, turn: Turn) -> Step:
        """What the environment answered to a turn: played again, and checked, or as recorded."""
        if self._session is not None:
            entry = next(self._log)
            where = f"after turn {number} ({entry.action[:60]!r})"
            step = await retell(self._session, await self._session.step(entry.action), entry.replies, where)
            check(step, entry.hash, where)
            return step
        last = number + 1 == len(self.turns)
        return Step(
            observation=turn.observation,
            reward=turn.reward or 0.0,
            score=turn.score or 0.0,
            success=bool(self.attempt.success) if last else False,
            terminated=turn.terminated,
            admissible=None if last else self.turns[number + 1].admissible_actions,
            goal=self.attempt.goal,
        )


def critiques_of(attempts: Sequence[Attempt]) -> set[int]:
    """Ids of all critiques of an episode."""
    return {i for a in attempts for i in critique_ids(a.turns) | {c.id for c in a.critiques}}
