"""One episode: the agent's calls, the checks at the end of each of the user's turns, and the rest of the script."""

from __future__ import annotations

from typing import Any

from cornerman_envs.bfcl.calls import FORM, Call, MalformedCall, read_calls, write_calls
from cornerman_envs.bfcl.problem import Problem
from cornerman_envs.bfcl.wheel import wheel

DONE, UNABLE = "Done.", "I cannot do this with the tools and details that I have."
"""What the script says to the user at the end of a turn with calls, and of one in which something is missing."""
LAST = "That was the last request."
OVER = "The conversation is over."


class Episode:
    """The state of a conversation.

    `passed` counts the turns from the first on that passed their check; once one failed, no later one counts, as in the
    wheel, which stops there. The conversation goes on all the same: in BFCL the checks come when it is over.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._agent, self._gold = problem.backends(), problem.backends()
        self._results: list[str] = []
        self._by_script = True
        self.turn, self.steps, self.passed = 0, 0, 0
        self._made: list[Call] = []
        self.failure: str | None = None
        self.over = False

    @property
    def score(self) -> float:
        """Share of the user's turns that passed."""
        return self.passed / len(self._problem.messages)

    @property
    def success(self) -> bool:
        """Every turn passed."""
        return self.over and self.failure is None

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools on offer now."""
        return self._problem.tools[min(self.turn, len(self._problem.tools) - 1)]

    @property
    def message(self) -> str:
        """The user's words of this turn."""
        return self._problem.messages[self.turn]

    def act(self, action: str) -> str:
        """Carry out an action and answer it: results of calls, what is wrong with them, or the next request."""
        if self.over:
            return OVER
        try:
            calls = read_calls(action)
        except MalformedCall as error:
            return self._stepped(f"Error: no tool call: {error}. A call is {FORM}, a list makes several.")
        if not calls:
            return self._end_turn()
        results = [self._agent.execute(call) for call in calls]
        self._made += calls
        self._results += results
        if len(results) == 1:
            return self._stepped(results[0])
        return self._stepped("\n".join(f"{i}. {result}" for i, result in enumerate(results, 1)))

    def _stepped(self, observation: str) -> str:
        """Count a step; one more than the limit ends the conversation."""
        self.steps += 1
        if self.steps > wheel().step_limit:
            self.over = True
            self.failure = self.failure or "step_limit"
            return f"{observation}\nThat was more than {wheel().step_limit} steps for one request. {OVER}"
        return observation

    def _end_turn(self) -> str:
        problem = self._check()
        self._by_script = self._by_script and problem is None and tuple(self._made) == self._answer
        if self.failure is None:
            self.failure = problem
            self.passed += problem is None
        self.turn, self.steps, self._made = self.turn + 1, 0, []
        self.over = self.turn == len(self._problem.messages)
        return LAST if self.over else self.message

    def _check(self) -> str | None:
        """What the wheel's `multi_turn_checker` finds wrong at the end of a turn: its error type, None when nothing.

        The answer's calls are executed on backends of their own. A turn whose answer calls nothing passes, whatever was
        called in it. Else the agent has called something, all public state is the same, and every result of the
        answer's calls is among the results that the agent got so far, in any order, as often as there.
        """
        results = [self._gold.execute(call) for call in self._answer]
        if not self._answer:
            return None
        if not self._made:
            return "multi_turn:empty_turn_model_response"
        try:
            found = wheel().same_state(self._agent.instances, self._gold.instances)
        except RecursionError:  # a folder was copied into itself, which no answer does
            return "multi_turn:instance_state_mismatch"
        if found["valid"]:
            found = wheel().same_results(self._results, results, self.turn)
        return None if found["valid"] else str(found["error_type"])

    @property
    def _answer(self) -> tuple[Call, ...]:
        return self._problem.answers[self.turn]

    def gold(self) -> list[str] | None:
        """The rest of the script: the answer's calls, one an action where the step limit allows, then words."""
        if self.over:
            return [] if self.success else None
        made = tuple(self._made)
        if not self._by_script or made != self._answer[: len(made)]:
            return None
        script: list[str] = []
        for turn, answer in enumerate(self._problem.answers[self.turn :]):
            left = answer[len(made) :] if turn == 0 else answer
            room = wheel().step_limit - (self.steps if turn == 0 else 0)
            if left and room < 1:
                return None
            script += [write_calls([c]) for c in left] if len(left) <= room else [write_calls(left)]
            script.append(DONE if answer else UNABLE)
        return script

    def facts(self) -> dict[str, Any]:
        """Where the conversation stands, what is asked of the agent in this turn, and all public state."""
        return {
            "turn": self.turn,
            "turns": len(self._problem.messages),
            "passed": self.passed,
            "failure": self.failure,
            "answer": [] if self.over else [call._asdict() for call in self._answer],
            "state": self._agent.state(),
        }
