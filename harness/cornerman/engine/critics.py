"""Asking the critics of one moment: triggers, concurrency, wrappers, and what an error amounts to."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.instance import Instance
from cornerman.engine.merging import SHADOW, heeded
from cornerman.engine.method import Method
from cornerman.engine.triggers import fires
from cornerman.engine.wrappers import rewrite
from cornerman.errors import CornermanError, EpisodeError
from cornerman.records import Candidate, Critique, Moment


async def speak(
    branch: Branch,
    method: Method,
    moment: Moment,
    arguments: Callable[[Instance], dict[str, Any]],
    candidates: Sequence[Candidate] = (),
    only: Sequence[Instance] | None = None,
) -> list[Critique]:
    """The critiques of all critics that speak at a moment, in method order; none of them is delivered yet.

    They run concurrently and never see each other's critiques of the moment: delivery comes after the last of them.
    """
    given = branch.given if moment == "review_action" else None
    here = method.critics if only is None else only
    if given is not None:
        here = [given.stand_ins.get(c.label, c) for c in here]
    able = [c for c in here if c.has(moment) and not muted(branch, c, moment)]
    asked = [c for c in able if fires(branch, c.key, c.settings, moment, candidates)]
    answers = [_start(critic, moment, arguments(critic)) for critic in asked]
    waiting = [i for i, (answer, _) in enumerate(answers) if inspect.isawaitable(answer)]
    settled = await asyncio.gather(*(asked[i].timed(moment, *answers[i]) for i in waiting)) if waiting else []
    for i, done in zip(waiting, settled, strict=True):
        answers[i] = done
    found = {critic.label: answer for critic, answer in zip(asked, answers, strict=True)}
    critiques = []
    for critic in able:
        if given is not None and critic.label in given.critiques:
            critiques += [again(branch, c) for c in given.critiques[critic.label]]
            continue
        if critic.label not in found:
            continue
        answer, seconds = found[critic.label]
        try:
            said = read(critic, moment, answer, len(candidates))
        except EpisodeError as error:
            if method.rules.on_critic_error == "end" and not critic.settings.shadow:
                raise
            said = [Critique(error=f"{type(error).__name__}: {error}")]
        critiques += [await complete(branch, critic, moment, c, seconds) for c in said]
    return critiques


def _start(critic: Instance, moment: Moment, arguments: dict[str, Any]) -> tuple[Any, float]:
    """A critic's answer or error with the seconds it took; an awaitable with the time at which it was asked."""
    started = time.perf_counter()
    try:
        answer = critic.call(moment, **arguments)
    except CornermanError as error:
        answer = error
    return answer, started if inspect.isawaitable(answer) else time.perf_counter() - started


def again(branch: Branch, critique: Critique) -> Critique:
    """A recorded critique as one of this attempt's own, not delivered yet."""
    why = None if heeded(critique) else SHADOW
    return msgspec.structs.replace(critique, id=next(branch.scope.critique_ids), delivered=False, suppressed=why)


def muted(branch: Branch, critic: Instance, moment: Moment) -> bool:
    """Whether a fork leaves this critic out here."""
    return (critic.label, moment, branch.turn) in branch.muted


def read(critic: Instance, moment: Moment, answer: Any, candidates: int) -> list[Critique]:
    """What a critic's hook answered, as critiques. Raises what it raised, and `CriticError` for what is no answer."""
    if isinstance(answer, BaseException):
        raise answer
    if moment != "review_action":
        listed = answer if isinstance(answer, (list, tuple)) else [answer]
        return critic.several([c for c in listed if c is not None], Critique, moment)
    if not isinstance(answer, (list, tuple)):
        critiques = critic.several(answer, Critique, moment)
        if candidates == 1:
            critiques = [msgspec.structs.replace(c, candidate=c.candidate or 0) for c in critiques]
    elif len(answer) != candidates:
        raise critic.fault(f"answered {len(answer)} critiques in {moment} for {candidates} candidates")
    else:
        critiques = [
            msgspec.structs.replace(critic.checked(c, Critique, moment), candidate=i)
            for i, c in enumerate(answer)
            if c is not None
        ]
    for critique in critiques:
        if critique.candidate is not None and not 0 <= critique.candidate < candidates:
            raise critic.fault(f"answered a critique of candidate {critique.candidate} of {candidates} in {moment}")
    return critiques


async def complete(branch: Branch, critic: Instance, moment: Moment, critique: Critique, seconds: float) -> Critique:
    """Fill in what the engine knows, and apply the instance's wrapper."""
    filled = msgspec.structs.replace(
        critique,
        id=next(branch.scope.critique_ids),
        critic=critic.label,
        moment=moment,
        candidate=critique.candidate if moment == "review_action" else None,
        sees=tuple(sorted(critic.sees | critic.uses)),
        delivered=False,
        suppressed=SHADOW if critic.settings.shadow else None,
        wrapped=None,
        original=None,
        seconds=seconds,
    )
    if critic.settings.wrap.use != "none":
        filled = await rewrite(branch, critic.key, filled, critic.settings.wrap, critic.shuffler)
    return filled
