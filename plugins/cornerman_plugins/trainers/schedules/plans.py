"""The order in which roles learn."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cornerman.errors import UsageError
from cornerman_plugins.trainers.schedules.phase import Phase


def synchronous(*, updates: int, roles: tuple[str, ...] = ("actor", "critic"), stage: str = "joint") -> Iterator[Phase]:
    """One phase in which the roles learn together from the same episodes, as ECHO's do (arXiv 2601.06794)."""
    yield Phase(stage=stage, learn=roles, play=roles, updates=updates)


def alternating(*, phases: tuple[Phase, ...], rounds: int) -> Iterator[Phase]:
    """The phases in turn, `rounds` times; `iteration` counts the rounds.

    CAFE (arXiv 2608.24794): 100 online updates of the agent, then one preference phase of the critic, 5 rounds.
    TAIScore (arXiv 2608.30397): critic by GRPO, then actor by DPO against the actor before the round, 3 rounds.
    """
    _needs(phases, "alternating")
    for iteration in range(rounds):
        yield from (msgspec.structs.replace(phase, iteration=iteration) for phase in phases)


def staged(*, phases: tuple[Phase, ...]) -> Iterator[Phase]:
    """The phases once, in order; after the first, each has what came before it as its reference.

    Critique-RL (arXiv 2510.24320): stage I teaches verdicts, stage II helpful words, with the KL to stage I.
    """
    _needs(phases, "staged")
    yield phases[0]
    yield from (msgspec.structs.replace(phase, reference="refresh") for phase in phases[1:])


def offline(
    *,
    iterations: int,
    learn: tuple[str, ...] = ("actor",),
    stage: str = "imitate",
    epochs: int = 1,
    restart: bool = True,
) -> Iterator[Phase]:
    """Play with the newest weights, then learn from what was played, `iterations` times.

    CGI (arXiv 2503.16024): 3 iterations, each starting anew from the base model (`restart`). Agent-R (arXiv 2501.11425)
    also has 3.
    """
    for iteration in range(iterations):
        yield Phase(
            stage=stage,
            learn=learn,
            epochs=epochs,
            collect="once",
            weights="base" if restart else "continue",
            iteration=iteration,
        )


def _needs(phases: tuple[Phase, ...], name: str) -> None:
    if not phases:
        raise UsageError(f"the schedule '{name}' needs phases, each with a stage and who learns")
