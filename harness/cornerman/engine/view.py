"""What a plug-in sees: its declared information set and nothing more.

A view never holds a task id, a seed or a path, and reaching for a field that the plug-in did not declare in `sees`
raises. In process this prevents accidents, not cheating: Python code that wants to cheat can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.context import MemoryItem
from cornerman.engine.overflow import shown
from cornerman.engine.redaction import redact_attempt
from cornerman.engine.spending import left
from cornerman.engine.window import Window
from cornerman.errors import BarrierError
from cornerman.records import Attempt, ContextItem, Critique, Turn
from cornerman.suites import Rules

if TYPE_CHECKING:
    from cornerman.engine.instance import Instance


class View(Window):
    """One plug-in instance's window on one attempt. Cheap to make; every property is read at the moment of asking."""

    __slots__ = ("_without",)

    def __init__(self, branch: Branch, instance: Instance, without: frozenset[int] = frozenset()) -> None:
        super().__init__(branch, instance)
        self._without = without

    def _need(self, field: str) -> None:
        if field not in self._instance.sees:
            raise BarrierError(
                f"{self._instance.role} '{self._instance.label}' reached for view.{field} without declaring it; "
                f'add "{field}" to its `sees`'
            )

    # -- always there

    @property
    def goal(self) -> str:
        """What the task asks for, in words."""
        return self._branch.opening.goal

    @property
    def opening(self) -> str:
        """The first observation of the attempt, as the actor saw it."""
        branch = self._branch
        return branch.opening.observation if branch.opening_delivered is None else branch.opening_delivered

    @property
    def observation(self) -> str:
        """The newest observation, as the actor sees it."""
        return self._branch.delivered

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """JSON schemas of the tools that can be called now; None where actions are no tool calls."""
        tools = self._branch.step.tools
        return None if tools is None else list(tools)

    @property
    def turn(self) -> int:
        """Index of the decision at hand; after execution, the number of turns played."""
        return self._branch.turn

    @property
    def turns_left(self) -> int:
        """Decisions left in this attempt by the suite's rules."""
        return self._branch.scope.rules.max_turns - self._branch.turn

    @property
    def spend_left(self) -> dict[str, float] | None:
        """What the episode may still spend, by currency; None where the method's protocol sets no budget."""
        return left(self._branch.scope)

    @property
    def attempt(self) -> int:
        """Index of this attempt within the episode."""
        return self._branch.index

    @property
    def rules(self) -> Rules:
        """The suite's rules."""
        return self._branch.scope.rules

    @property
    def family(self) -> str:
        """The kind of task, such as an ALFWorld task type; never its id."""
        return self._branch.scope.task.family

    @property
    def context(self) -> list[ContextItem]:
        """The words that stand in the actor's context now, less those that this view leaves out."""
        return [c for c in self._branch.active_context() if c.critique is None or c.critique not in self._without]

    @property
    def memory(self) -> tuple[MemoryItem, ...]:
        """The entries of this method's memory, as they stood when the episode began."""
        return self._branch.scope.memory

    def without(self, critiques: Sequence[Critique]) -> View:
        """The same moment as it would look had these critiques not been delivered."""
        return View(self._branch, self._instance, self._without | {c.id for c in critiques})

    # -- by declaration

    @property
    def history(self) -> list[Turn]:
        """The turns so far. Needs `history`; what each turn shows follows from the other declared fields."""
        self._need("history")
        turns = self._branch.history(self._instance.shows)
        if self._without:
            turns = [_less(t, self._without) for t in turns]
        window = self.rules.history_window
        if self._instance.role != "actor":
            window = None
        fitting = shown(self._branch, self._instance.key)
        most = min(len(turns) if w is None else w for w in (window, fitting))
        return turns[max(0, len(turns) - most) :]

    @property
    def admissible(self) -> list[str] | None:
        """Actions that the environment lists as possible now. Needs `admissible`; None where it lists none.

        An actor gets them only when the suite's rules show them.
        """
        self._need("admissible")
        branch = self._branch
        if self._instance.role == "actor" and not branch.scope.rules.show_admissible:
            return None
        return None if branch.step.admissible is None else list(branch.step.admissible)

    @property
    def score(self) -> float:
        """The cumulative score in [0,1]. Needs `score`, which makes a method privileged."""
        self._need("score")
        return self._branch.step.score

    @property
    def success(self) -> bool:
        """Whether the task is solved. Needs `score`."""
        self._need("score")
        return self._branch.step.success

    @property
    def policy(self) -> str:
        """The domain's rules. Needs `policy`."""
        self._need("policy")
        return self._branch.step.policy or self._branch.opening.policy

    @property
    def attempts(self) -> list[Attempt]:
        """The finished attempts of this episode. Needs `attempts`; outcomes are left out without `score`."""
        self._need("attempts")
        return [redact_attempt(a, self._instance.shows) for a in self._branch.scope.attempts]

    async def gold(self) -> list[str] | None:
        """Actions that win from here. Needs `gold`, which makes a method privileged."""
        self._need("gold")
        return await self._branch.session.gold()

    async def facts(self) -> Any:
        """The environment's hidden state. Needs `hidden`, which makes a method privileged."""
        self._need("hidden")
        return await self._branch.session.facts()


class UserView(Window):
    """The window of a user, which sees its message and nothing else of the episode."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if hasattr(View, name):
            raise BarrierError(
                f"user '{self._instance.label}' reached for view.{name}; a user sees nothing but its message"
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _less(turn: Turn, without: frozenset[int]) -> Turn:
    """The turn less some critiques."""
    return msgspec.structs.replace(turn, critiques=tuple(c for c in turn.critiques if c.id not in without))
