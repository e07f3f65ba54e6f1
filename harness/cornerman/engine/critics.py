"""Asking the critics of one moment: triggers, concurrency, wrappers, delivery, and what an error amounts to."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.delivery import deliver
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.engine.triggers import fires
from cornerman.engine.wrappers import rewrite
from cornerman.errors import CornermanError, CriticError, EpisodeError
from cornerman.records import Candidate, Critique, Moment


async def speak(
    branch: Branch,
    method: Method,
    moment: Moment,
    arguments: Callable[[Instance], dict[str, Any]],
    candidates: Sequence[Candidate] = (),
    only: Instance | None = None,
) -> list[Critique]:
    """The critiques of all critics that speak at a moment, in method order and delivered.

    They run concurrently and never see each other's critiques of the moment: delivery waits for the last of them.
    """
    asked: list[tuple[Instance, float, Any]] = []
    for critic in [only] if only else method.critics:
        if critic.has(moment) and fires(branch, critic.label, critic.settings, moment, candidates):
            started = time.perf_counter()
            try:
                answer = critic.call(moment, **arguments(critic))
            except CornermanError as error:
                answer = error
            asked.append((critic, started, answer))
    waiting = [i for i, (_, _, answer) in enumerate(asked) if inspect.isawaitable(answer)]
    if waiting:
        answers = await asyncio.gather(
            *(asked[i][0].settle(moment, asked[i][2]) for i in waiting), return_exceptions=True
        )
        for i, answer in zip(waiting, answers, strict=True):
            asked[i] = (asked[i][0], asked[i][1], answer)
    spoken: list[tuple[Instance, Critique]] = []
    for critic, started, answer in asked:
        seconds = time.perf_counter() - started
        try:
            critiques = read(critic, moment, answer, len(candidates))
        except EpisodeError as error:
            if method.rules.on_critic_error == "end":
                raise
            critiques = [Critique(error=f"{type(error).__name__}: {error}")]
        for critique in critiques:
            spoken.append((critic, await complete(branch, critic, moment, critique, seconds)))
    return [deliver(branch, critic.label, critic.settings, critique) for critic, critique in spoken]


def read(critic: Instance, moment: Moment, answer: Any, candidates: int) -> list[Critique]:
    """What a critic's hook answered, as critiques. Raises what it raised, and `CriticError` for what is no answer."""
    if answer is None:
        return []
    if isinstance(answer, BaseException):
        raise answer
    if isinstance(answer, Critique):
        return [answer]
    if not isinstance(answer, (list, tuple)) or not all(c is None or isinstance(c, Critique) for c in answer):
        raise CriticError(
            f"critic '{critic.label}' answered {type(answer).__name__} in {moment}; "
            "a hook answers a cornerman.Critique, a list of them, or None"
        )
    if moment != "review_action":
        return [c for c in answer if c is not None]
    if len(answer) != candidates:
        raise CriticError(f"critic '{critic.label}' answered {len(answer)} critiques for {candidates} candidates")
    return [msgspec.structs.replace(c, candidate=i) for i, c in enumerate(answer) if c is not None]


async def complete(branch: Branch, critic: Instance, moment: Moment, critique: Critique, seconds: float) -> Critique:
    """Fill in what the engine knows, and apply the instance's wrapper."""
    candidate = critique.candidate
    if moment == "review_action" and candidate is None:
        candidate = 0
    filled = msgspec.structs.replace(
        critique,
        id=next(branch.scope.critique_ids),
        critic=critic.label,
        moment=moment,
        candidate=candidate,
        sees=tuple(sorted(critic.sees)),
        seconds=seconds,
    )
    if critic.settings.wrap.use != "none":
        filled = await rewrite(branch, critic.label, filled, critic.settings.wrap, critic.shuffler)
    return filled
