"""The wheel's answer as the agent's actions, and how far an episode has come along it."""

from __future__ import annotations

from collections.abc import Callable

from cornerman_envs.bfcl.calls import Call, write_calls
from cornerman_envs.tau2.problem import Problem
from cornerman_envs.tau2.world import Requestor

FINISH = Call("done", {})
"""Ends the work of an agent without a user, as in the wheel."""


class Script:
    """Follows the calls of an episode along the answer.

    Calls that change nothing are free, and those of the answer may be left out unless they decide. Any other call off
    the answer's order loses the way for good. `reads` says of a tool's name whether it changes nothing.
    """

    def __init__(self, problem: Problem, reads: Callable[[str], bool]) -> None:
        self._problem = problem
        self._reads = reads
        self._next = 0
        self.lost = False

    def saw(self, requestor: Requestor, call: Call) -> None:
        """Note a call that was carried out."""
        for at in range(self._next, len(self._problem.answer)):
            due = self._problem.answer[at]
            if due == (requestor, call):
                self._next = at + 1
                return
            if "ACTION" in self._problem.basis or not self._reads(due[1].name):
                break
        self.lost = self.lost or not self._reads(call.name)

    def rest(self) -> list[str]:
        """The actions that are left, up to the end of the conversation."""
        left = self._problem.answer[self._next :]
        actions = [write_calls([call]) if who == "assistant" else asking(call) for who, call in left]
        return [*actions, write_calls([FINISH]) if self._problem.solo else closing(self._problem.told)]


def asking(call: Call) -> str:
    """The agent's words that ask the user to use a tool."""
    return f"Please use {call.name} now: {write_calls([call])}"


def closing(told: tuple[str, ...]) -> str:
    """The agent's last words, with all that it must tell."""
    facts = f" What you asked for: {'; '.join(told)}." if told else ""
    return f"Everything is done.{facts} Goodbye."
