"""Gold actions: the package's own agents, their detours cut out."""

from __future__ import annotations

from cornerman_envs.textworldexpress.simulator import Answer, Simulator

_WINS = 8
"""How many walks that win are compared; the shortest plan counts."""
_WALKS = 100
"""How many are tried at most: an agent that walks at random may give up on a game that can be won."""


def solution(simulator: Simulator, seed: int, fold: str) -> list[str] | None:
    """Listed actions that win the game of that seed, the fewest found, or None. The game at hand is gone by this."""
    plans: list[list[str]] = []
    for walk in range(_WALKS):
        simulator.start(seed, fold)
        plan = simulator.solve(walk)
        played = None if plan is None else _play(simulator, seed, fold, plan)
        if played is not None:
            shorter = _play(simulator, seed, fold, _without_detours(*played)) or played
            plans.append(shorter[0])
            if len(plans) == _WINS:
                break
    return min(plans, key=len, default=None)


def _play(simulator: Simulator, seed: int, fold: str, plan: list[str]) -> tuple[list[str], list[Answer]] | None:
    """The listed actions of a plan up to the win, and what was answered, the opening first; None if they do not win.

    Agents also say what the game does not know, such as opening what is open; that changes nothing.
    """
    actions, answers = [], [simulator.start(seed, fold)]
    for action in plan:
        if action in answers[-1].commands:
            actions.append(action)
            answers.append(simulator.step(action))
            if answers[-1].success:
                return actions, answers
            if answers[-1].failure:
                return None
    return None


def _without_detours(actions: list[str], answers: list[Answer]) -> list[str]:
    """The actions without those after which everything shown is as it was before, whatever came between.

    Not all of a state is shown, so that the result has to be tried.
    """
    shown = [answer._replace(observation="") for answer in answers]
    last = {state: position for position, state in enumerate(shown)}
    kept, position = [], last[shown[0]]
    while position < len(actions):
        kept.append(actions[position])
        position = last[shown[position + 1]]
    return kept
