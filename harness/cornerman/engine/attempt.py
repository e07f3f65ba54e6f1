"""One attempt: from its start to its end, turn by turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import msgspec

from cornerman.engine.branch import Branch, redact
from cornerman.engine.critics import speak
from cornerman.engine.decision import Choice, take
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.environment import Step
from cornerman.errors import POLICY, CriticError, End, EpisodeError
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Turn


def limited(seconds: float) -> AbstractAsyncContextManager[object]:
    """A time limit; none for 0."""
    return asyncio.timeout(seconds or None)


async def observe(branch: Branch, method: Method, observation: str) -> str | None:
    """Chain the transforms over an observation; None when it stays as given. Words beside it join the context."""
    text = observation
    branch.delivered = text
    for plugin in method.transformers:
        answer = await plugin.ask("transform_observation", view=plugin.view(branch), observation=text)
        if isinstance(answer, str):
            text = answer
        elif answer is not None:
            branch.context += placed(answer, plugin, branch.turn)
        branch.delivered = text
    return None if text == observation else text


def placed(items: Sequence[ContextItem], plugin: Instance, at: int) -> list[ContextItem]:
    """Context items with their source and place filled in; anything else is the plug-in's error."""
    if isinstance(items, ContextItem):
        items = [items]
    if not isinstance(items, (list, tuple)) or not all(isinstance(i, ContextItem) for i in items):
        raise CriticError(f"'{plugin.label}' answered {type(items).__name__} where ContextItems were due")
    return [msgspec.structs.replace(i, source=i.source or plugin.label, at=at) for i in items]


async def play(branch: Branch, method: Method, end: End | None = None) -> Attempt:
    """Play the branch to its end, let the critics diagnose it, and return its record."""
    started = time.perf_counter()
    error: str | None = None
    critiques: list[Critique] = []
    state: dict[str, object] = {}
    try:
        while end is None:
            async with limited(branch.scope.bench.limits.turn_seconds):
                end = await turn(branch, method)
        critiques = await diagnose(branch, method, end)
        state = branch.changed_states()
    except TimeoutError:
        end, error = End.TIMEOUT, f"turn {branch.turn} took over {branch.scope.bench.limits.turn_seconds:g} s"
    except EpisodeError as problem:
        end, error = problem.end, str(problem)
    failed = POLICY[end].error
    return branch.finish(
        end=end,
        error=error,
        success=branch.step.success and not failed,
        score=0.0 if failed else branch.step.score,
        critiques=tuple(critiques),
        state=state,
        seconds=time.perf_counter() - started,
    )


async def diagnose(branch: Branch, method: Method, end: End) -> list[Critique]:
    """The critics' words at the attempt's end; a protocol may carry them into another attempt."""
    if not any(c.has("review_attempt") for c in method.critics):
        return []
    branch.begin_turn()
    record = branch.finish(end=end, success=branch.step.success, score=branch.step.score)

    def arguments(critic: Instance) -> dict[str, object]:
        view = critic.view(branch)
        return {"view": view, "attempt": view.filtered(record)}

    return await speak(branch, method, "review_attempt", arguments)


async def turn(branch: Branch, method: Method) -> End | None:
    """One decision and its outcome; the end when it was the last."""
    if branch.turn >= branch.scope.rules.max_turns:
        return End.TRUNCATED
    started = time.perf_counter()
    branch.begin_turn()
    choice = await take(branch, method)
    if choice.request is not None:
        await answer(branch, method, choice)
        record(branch, choice, Turn(index=branch.turn, kind="request", request=choice.request), started)
        return None
    if choice.action is None:
        thought = bool(choice.candidates) and not choice.candidates[0].text
        record(branch, choice, Turn(index=branch.turn, kind="think" if thought else "act"), started)
        return End.STOPPED if choice.stop else None
    return await execute(branch, method, choice, choice.action, started)


async def execute(branch: Branch, method: Method, choice: Choice, action: Candidate, started: float) -> End | None:
    """Execute an action and let the critics speak on what came of it."""
    before = branch.step
    admissible = None if before.admissible is None else action.text in before.admissible
    if admissible is False and branch.scope.rules.invalid_action == "end":
        record(branch, choice, Turn(index=branch.turn, executed=action.text, admissible=False), started)
        return End.FAILURE
    step = await branch.session.step(action.text)
    branch.log_step(action.text, step)
    entry = Turn(
        index=branch.turn,
        admissible_actions=before.admissible,
        executed=action.text,
        parsed=action.parsed,
        admissible=admissible,
        observation=step.observation,
        reward=step.reward,
        score=step.score,
        terminated=step.terminated,
        experience=tuple(e for c in branch.active_context() for e in c.experience) if branch.context else (),
    )
    end = ended(step)
    record(branch, choice, entry, started)
    if end is None:
        delivered = await observe(branch, method, step.observation)
        if delivered is not None:
            branch.amend(delivered=delivered)
    else:
        branch.delivered = step.observation
    if any(c.has("review_turn") for c in method.critics):
        await review(branch, method)
    return end


async def review(branch: Branch, method: Method) -> None:
    """Critiques of the turn that was just played."""
    played = branch.turns[-1]
    critiques = await speak(
        branch,
        method,
        "review_turn",
        lambda critic: {"view": critic.view(branch), "turn": redact(played, critic.shows)},
    )
    if critiques:
        branch.amend(critiques=(*played.critiques, *critiques))
    if branch.touched:
        branch.amend(state=played.state | branch.changed_states())


def ended(step: Step) -> End | None:
    """How a step ends the attempt, if it does."""
    if step.terminated:
        return End.SUCCESS if step.success else End.FAILURE
    if step.truncated:
        return End.SUCCESS if step.success else End.TRUNCATED
    return None


def record(branch: Branch, choice: Choice, entry: Turn, started: float) -> None:
    """Add a turn, with what its decision was made of."""
    branch.turns.append(
        msgspec.structs.replace(
            entry,
            candidates=choice.candidates,
            critiques=tuple(choice.critiques),
            revisions=tuple(choice.revisions),
            chosen=choice.chosen,
            changed_by=choice.changed_by,
            calls=tuple(branch.calls_this_turn),
            state=branch.changed_states(),
            seconds=time.perf_counter() - started,
        )
    )


async def answer(branch: Branch, method: Method, choice: Choice) -> None:
    """Let a critic answer the actor's request, within the cap of the suite's rules."""
    request = choice.request
    assert request is not None
    able = [c for c in method.critics if c.has("answer_request") and request.target in (None, c.label)]
    branch.requests += 1
    if not able or branch.requests > branch.scope.rules.requests:
        said = "No one can answer that." if not able else "No further questions are answered in this attempt."
        branch.context.append(ContextItem(text=said, source="engine", at=branch.turn + 1))
        return
    critiques = await speak(
        branch,
        method,
        "answer_request",
        lambda critic: {"view": critic.view(branch), "request": request},
        only=able[0],
    )
    choice.critiques += critiques
