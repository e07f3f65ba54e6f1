"""One episode: who speaks, what the tools answer, and when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from cornerman_envs.bfcl.calls import FORM, Call, MalformedCall, read_calls
from cornerman_envs.tau2.problem import Problem
from cornerman_envs.tau2.script import FINISH, Script
from cornerman_envs.tau2.verdict import Said, checks
from cornerman_envs.tau2.wheel import wheel
from cornerman_envs.tau2.world import Requestor, tools_of

End = Literal["agent_stop", "user_stop", "max_steps", "too_many_errors"]
"""Why a conversation is over, in the wheel's words. The last two fail whatever was reached."""

GREETING = "Hi! How can I help you today?"
"""What the wheel lets the agent say first."""
STOPS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
"""Tokens of the wheel by which the user ends the conversation."""
OVER = "The conversation is over."
UNANSWERED = "The user has not answered yet."
UNASKED = "The user is not asked anything now."


class Episode:
    """The state of a conversation.

    `record` holds what the agent and the user said and called, `dialogue` what the user saw of it.

    Steps are counted as in the wheel: each message of the agent or the user is one, and so is each answer of tools.
    Where there is a user, it has the word at the beginning and after each message of the agent; `waiting` says so.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.world = problem.world()
        self._script = Script(problem, self.world.reads)
        self.record: list[Said] = []
        self.dialogue: list[dict[str, str]] = []
        self.steps, self.errors = (-1, 0) if problem.solo else (0, 0)
        self.waiting = False
        self.end: End | None = None
        self.checks: dict[str, bool] = {}
        if not problem.solo:
            self._tell(GREETING)

    @property
    def success(self) -> bool:
        """The conversation ended by itself, and every check passed."""
        return self.end in ("agent_stop", "user_stop") and all(self.checks.values())

    @property
    def opening(self) -> bool:
        """The user is about to say its first words."""
        return self.waiting and all(who == "assistant" for who, _ in self.record)

    @property
    def message(self) -> str:
        """The newest line of what the user has seen."""
        return self.dialogue[-1]["content"]

    def act(self, action: str) -> str:
        """Carry out the agent's action; answers with results, with what is wrong, or nothing while the user has it."""
        if self.end:
            return OVER
        if self.waiting:
            return UNANSWERED
        self.steps += 1
        try:
            calls = read_calls(action)
        except MalformedCall as error:
            return self._refused(f"no tool call: {error}. A call is {FORM}, a list makes several.")
        if self.problem.solo and any(call.name == FINISH.name for call in calls):
            return self._over("agent_stop")
        if calls:
            return self._answered(self._carry_out(calls, "assistant"))
        if self.problem.solo:
            return self._refused(f"there is no user to talk to. Call tools, {FORM}, and {FINISH.name} in the end.")
        if not action.strip():
            return self._refused("an empty message. Call a tool, or write to the user.")
        self._tell(action)
        return self._limits("")

    def reply(self, text: str) -> str:
        """Carry out the user's answer: what the agent is told, nothing while the user has the word."""
        if self.end or not self.waiting:
            return OVER if self.end else UNASKED
        self.steps += 1
        self.dialogue.append({"role": "user", "content": text})
        try:
            # A bracket may open a remark, as in "[sighs]"; a brace is never meant as words.
            calls = read_calls(text) if self.user_tools and text.lstrip().startswith(("{", "```")) else []
        except MalformedCall as error:
            self.errors += 1
            return self._told_user(f"Error: no tool call: {error}. A call is {FORM}.")
        if calls:
            return self._told_user(self._carry_out(calls, "user"))
        self.record.append(("user", text))
        self.waiting = False
        if any(stop in text for stop in STOPS):
            return self._over("user_stop", text)
        return self._limits(text)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The agent's tools."""
        own = tools_of(self.problem.domain, "assistant") or []
        if not self.problem.solo:
            return own
        finish = {"name": FINISH.name, "description": "Call this when the ticket is solved.", "parameters": NOTHING}
        return [*own, *(tools_of(self.problem.domain, "user") or []), finish]

    @property
    def user_tools(self) -> list[dict[str, Any]] | None:
        """The user's tools, None where it has none."""
        return None if self.problem.solo else tools_of(self.problem.domain, "user")

    def _tell(self, words: str) -> None:
        """Give the user the agent's words."""
        self.record.append(("assistant", words))
        self.dialogue.append({"role": "agent", "content": words})
        self.waiting = True

    def _told_user(self, result: str) -> str:
        """Give the user the result of its own calls."""
        self.steps += 1
        self.dialogue.append({"role": "tool", "content": result})
        return self._limits("")

    def _carry_out(self, calls: Sequence[Call], requestor: Requestor) -> str:
        self.record.append((requestor, tuple(calls)))
        results = []
        for call in calls:
            result, failed = self.world.call(call, requestor)
            self.errors += failed
            self._script.saw(requestor, call)
            results.append(result)
        return results[0] if len(results) == 1 else "\n".join(f"{i}. {r}" for i, r in enumerate(results, 1))

    def _refused(self, problem: str) -> str:
        self.errors += 1
        return self._answered(f"Error: {problem}")

    def _answered(self, result: str) -> str:
        self.steps += 1
        return self._limits(result)

    def _limits(self, answer: str) -> str:
        """The answer, and the end where the wheel's limits are reached; they go before every other end."""
        if self.errors >= wheel().max_errors:
            return self._stopped("too_many_errors", f"{answer}\n{self.errors} errors are too many. {OVER}")
        if self.steps >= wheel().max_steps:
            return self._stopped("max_steps", f"{answer}\n{self.steps} steps are too many. {OVER}")
        return answer

    def _stopped(self, end: End, answer: str) -> str:
        self.end, self.waiting = end, False
        return answer.strip()

    def _over(self, end: End, answer: str = "") -> str:
        answer = self._limits(answer)
        if self.end is None:
            self._stopped(end, "")
            self.checks = checks(self.problem, self.world, self.record)
            answer = f"{answer}\n{OVER}".strip()
        return answer

    def gold(self) -> list[str] | None:
        """The rest of the answer, as long as nothing else was done; None too where the wheel's limits are near."""
        if self.end:
            return [] if self.success else None
        if self._script.lost:
            return None
        rest = self._script.rest()
        return rest if self.steps + STEPS_OF_AN_ACTION * len(rest) < wheel().max_steps else None

    def facts(self) -> dict[str, Any]:
        """Where the conversation stands, what would decide it now, what is left of the answer, and digests of data."""
        decided = self.checks or checks(self.problem, self.world, self.record)
        return {
            "task": self.problem.name,
            "steps": self.steps,
            "errors": self.errors,
            "end": self.end,
            "checks": decided,
            "answer": [{"by": who, **call._asdict()} for who, call in self.problem.answer],
            "must_tell": list(self.problem.told),
            "dialogue": [dict(line) for line in self.dialogue],
            "user_state": self.world.user_state(),
            "state": list(self.world.hashes()),
        }


NOTHING = {"type": "object", "properties": {}}
STEPS_OF_AN_ACTION = 4
"""Most steps of one action of the script: words, the user's call, its result, and the user's words."""
