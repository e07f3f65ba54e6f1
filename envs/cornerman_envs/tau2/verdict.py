"""What decides a finished conversation, as the wheel's evaluator decides it.

The reward is the product of the checks in the task's reward basis, each 0 or 1 (`evaluate_simulation` in the wheel):

    DB             the databases are as the answer's calls leave them, made on a fresh copy
    ENV_ASSERTION  every assertion on the domain and on the user's device holds
    ACTION         every call of the answer was made, by whomever, with the arguments that count
    COMMUNICATE    every piece of information stands in some message of the agent, commas and case aside

Assertions in natural language, which most airline tasks carry, need a judge and are in no task's basis; as by the
wheel's default they are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from cornerman_envs.bfcl.calls import Call
from cornerman_envs.tau2.problem import Problem, expected_hashes
from cornerman_envs.tau2.wheel import wheel
from cornerman_envs.tau2.world import Requestor, World

Said = tuple[Requestor, str | tuple[Call, ...]]
"""Words or calls, and whose they are."""


def checks(problem: Problem, world: World, record: Sequence[Said]) -> dict[str, bool]:
    """The checks of the task's basis by name, for the world as the conversation left it and all that was said in it."""
    calls = [call for _, said in record if not isinstance(said, str) for call in said]
    words = [said for who, said in record if who == "assistant" and isinstance(said, str)]
    criteria = problem.model.evaluation_criteria
    decided: dict[str, bool] = {}
    for part in problem.basis:
        if part == "DB":
            decided[part] = _same_databases(problem, world)
        elif part == "ENV_ASSERTION":
            decided[part] = all(world.holds(assertion) for assertion in criteria.env_assertions or [])
        elif part == "ACTION":
            made = [wheel().call(name=call.name, arguments=call.arguments) for call in calls]
            decided[part] = all(any(a.compare_with_tool_call(c) for c in made) for a in criteria.actions or [])
        else:
            decided[part] = all(any(_tells(info, message) for message in words) for info in problem.told)
    return decided


def _tells(info: str, message: str) -> bool:
    """Whether a message holds a piece of information; commas in the message, as in 1,286, do not count."""
    return info.lower() in message.lower().replace(",", "")


def _same_databases(problem: Problem, world: World) -> bool:
    criteria = problem.model.evaluation_criteria
    if criteria.actions is None and criteria.env_assertions is None:
        return True
    try:
        return world.hashes() == expected_hashes(problem.domain, problem.name)
    except Exception:  # arguments of a wrong kind stand in the database, which no answer leaves there
        return False
