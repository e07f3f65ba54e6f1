"""What every plug-in has at hand, whatever it may see: its state, its model, its random numbers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from cornerman.engine.branch import Branch
from cornerman.engine.calls import BoundModel
from cornerman.engine.context import Phase

if TYPE_CHECKING:
    from cornerman.engine.instance import Instance

T = TypeVar("T")


class Window:
    """One plug-in instance at one place of one attempt."""

    __slots__ = ("_branch", "_instance")

    def __init__(self, branch: Branch, instance: Instance) -> None:
        self._branch, self._instance = branch, instance

    @property
    def phase(self) -> Phase:
        """`evaluation` or `training`."""
        return self._branch.scope.bench.phase

    @property
    def state(self) -> dict[str, Any]:
        """This instance's own JSON state for the episode; forks get a copy."""
        return self._branch.state(self._instance.key, self._instance.role)

    @property
    def model(self) -> BoundModel:
        """The model bound to this instance; every call is recorded under its role."""
        return self._instance.bind(self._branch)

    def rng(self, *, group: bool = False) -> random.Random:
        """A generator of this instance's own at this place; `group` draws the same in every trial of the task."""
        return self._branch.rng(self._instance.key, group=group)

    async def run_blocking(self, fn: Callable[[], T]) -> T:
        """Run blocking work in a thread, so that other episodes go on meanwhile."""
        return await asyncio.to_thread(fn)
