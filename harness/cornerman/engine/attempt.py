"""One attempt: from its start to its end, turn by turn."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.critics import speak
from cornerman.engine.decision import Choice, take
from cornerman.engine.delivery import deliver, place
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.engine.observing import observe
from cornerman.engine.redaction import redact_attempt
from cornerman.engine.spending import stops
from cornerman.engine.user import advance
from cornerman.environment import Step
from cornerman.errors import POLICY, ContextOverflow, End, EpisodeError
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Request, Turn


def limited(seconds: float) -> AbstractAsyncContextManager[object]:
    """A time limit; none for 0."""
    return asyncio.timeout(seconds or None)


async def play(branch: Branch, method: Method, end: End | None = None) -> Attempt:
    """Play the branch to its end, let the critics diagnose it, and return its record."""
    started = time.perf_counter()
    error: str | None = None
    critiques: list[Critique] = []
    state: dict[str, object] = {}
    try:
        while end is None:
            try:
                async with limited(branch.scope.bench.limits.turn_seconds):
                    end = await turn(branch, method)
            except ContextOverflow as problem:
                if method.rules.on_overflow != "end":
                    raise
                end, error = End.SUCCESS if branch.step.success else End.TRUNCATED, str(problem)
            await asyncio.sleep(0)  # scripted plug-ins and inline environments never wait: others get their turn
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
    branch.begin("end")
    record = branch.finish(end=end, success=branch.step.success, score=branch.step.score)
    critiques = await speak(
        branch,
        method,
        "review_attempt",
        lambda critic: {"view": critic.view(branch), "attempt": redact_attempt(record, critic.shows)},
    )
    return deliver(branch, method, critiques)


async def turn(branch: Branch, method: Method) -> End | None:
    """One decision and its outcome; the end when it was the last."""
    if branch.turn >= branch.scope.rules.max_turns or stops(branch.scope):
        return End.SUCCESS if branch.step.success else End.TRUNCATED
    started = time.perf_counter()
    branch.begin("decision")
    choice = await take(branch, method)
    branch.given = None
    if choice.request is not None:
        choice.critiques += await answer(branch, method, choice.request)
    entry = decided(branch, choice)
    if choice.action is not None:
        return await execute(branch, method, choice.action, entry, started)
    record(branch, entry, started)
    return End.STOPPED if choice.stop else None


def decided(branch: Branch, choice: Choice) -> Turn:
    """The turn as its decision left it, before anything is executed."""
    return Turn(
        index=branch.turn,
        kind="request" if choice.request is not None else "think" if choice.thought else "act",
        admissible_actions=branch.step.admissible,
        candidates=choice.candidates,
        critiques=tuple(choice.critiques),
        revisions=tuple(choice.revisions),
        request=choice.request,
        chosen=choice.chosen,
        changed_by=choice.changed_by,
        score=branch.step.score,
        experience=tuple(e for c in branch.active_context() for e in c.experience),
    )


def record(branch: Branch, entry: Turn, started: float) -> None:
    """Add a turn, with the calls and states of its decision."""
    branch.turns.append(
        msgspec.structs.replace(
            entry,
            calls=tuple(branch.calls_this_turn),
            state=branch.changed_states(),
            seconds=time.perf_counter() - started,
        )
    )


async def execute(branch: Branch, method: Method, action: Candidate, entry: Turn, started: float) -> End | None:
    """Execute an action, show the actor what came of it, and let the critics speak on that."""
    listed = branch.step.admissible
    entry = msgspec.structs.replace(
        entry, parsed=action.parsed, admissible=None if listed is None else action.text in listed
    )
    if entry.admissible is False and branch.scope.rules.invalid_action == "end":
        record(branch, entry, started)
        return End.FAILURE
    branch.scope.steps += 1
    step, user = await advance(branch, method, action.text)
    entry = msgspec.structs.replace(
        entry,
        executed=action.text,
        user=user,
        observation=step.observation,
        reward=step.reward,
        score=step.score,
        terminated=step.terminated,
    )
    record(branch, entry, started)
    branch.begin("outcome")
    end = ended(step)
    branch.delivered = step.observation
    if end is None:
        shown = await observe(branch, method, step.observation)
        if shown is not None:
            branch.amend(delivered=shown)
    await review(branch, method)
    late = branch.changed_states()
    if late or len(branch.calls_this_turn) > len(branch.turns[-1].calls):
        branch.amend(state=branch.turns[-1].state | late, seconds=time.perf_counter() - started)
    return end


async def review(branch: Branch, method: Method, only: Instance | None = None) -> list[Critique]:
    """Critiques of the turn that was just played, by all critics or one."""
    critiques = await speak(
        branch,
        method,
        "review_turn",
        lambda critic: {"view": critic.view(branch), "turn": branch.history(critic.shows)[-1]},
        only=None if only is None else [only],
    )
    critiques = deliver(branch, method, critiques)
    if critiques:
        branch.amend(critiques=(*branch.turns[-1].critiques, *critiques))
    return critiques


def ended(step: Step) -> End | None:
    """How a step ends the attempt, if it does."""
    if step.terminated:
        return End.SUCCESS if step.success else End.FAILURE
    if step.truncated:
        return End.SUCCESS if step.success else End.TRUNCATED
    return None


async def answer(branch: Branch, method: Method, request: Request) -> list[Critique]:
    """Let a critic answer the actor's request, within the cap of the suite's rules; the actor is told if none does.

    Those in shadow answer beside it, each for the record alone.
    """
    able = [c for c in method.critics if c.has("answer_request") and request.target in (None, c.label)]
    asked = [c for c in able if not c.settings.shadow][:1] + [c for c in able if c.settings.shadow]
    branch.requests += 1
    capped = branch.requests > branch.scope.rules.requests
    critiques: list[Critique] = []
    if asked and not capped:
        critiques = await speak(
            branch,
            method,
            "answer_request",
            lambda critic: {"view": critic.view(branch), "request": request},
            only=asked,
        )
        critiques = deliver(branch, method, critiques)
    if not any(c.delivered for c in critiques):
        said = "No further questions are answered in this attempt." if capped else "No one can answer that."
        branch.context.append(ContextItem(text=said, source="engine", at=place(branch, "answer_request")))
    return critiques
