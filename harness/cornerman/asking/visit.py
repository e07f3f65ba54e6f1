"""The way to a moment: rehearsed where the critic has to know what came before, and the question at its end."""

from __future__ import annotations

import dataclasses

import msgspec

from cornerman.asking.moments import Said, ask
from cornerman.asking.walk import Walk
from cornerman.engine.instance import Instance
from cornerman.engine.redaction import redact_attempt, redact_candidates
from cornerman.engine.restoring import states_at
from cornerman.errors import UsageError


def place(text: str, walk: Walk) -> int | None:
    """The index of a turn; None for the end."""
    count = len(walk.turns)
    if text == "end" or text == str(count):
        return None
    if not text.isdecimal() or int(text) > count:
        raise UsageError(f"the attempt has turns 0 to {count - 1}, and 'end'; there is no turn {text}")
    return int(text)


async def visit(
    walk: Walk, critic: Instance, turn: int | None, rehearse: bool | None, remarks: list[str]
) -> tuple[str, list[Said]]:
    """Walk to a turn, None for the end, and ask there.

    Answers whose state the critic had ("recorded", "rehearsed" or "empty") and what it said.
    """
    before = walk.turns if turn is None else walk.turns[:turn]
    branch = await walk.begin()
    state = "empty"
    recorded = states_at(walk.attempts, walk.attempt.index, before)
    if critic.key in recorded:
        state = "recorded"
        branch.restore_states({k: v for k, v in recorded.items() if k.partition("#")[0] == critic.key})
    elif rehearse is not False:
        state = await rehearsed(walk, critic if rehearse else dataclasses.replace(critic, model=None), len(before))
    if state != "rehearsed":
        for index in range(len(before)):
            await walk.outcome(index)
    if turn is None:
        said = await at_end(walk, critic)
    else:
        said = await at_turn(walk, critic, turn, always=True)
    if not said:
        hooks = ", ".join(h for h in critic.hooks if h != "on_task_start")
        when = "at the end" if turn is None else f"at turn {turn}"
        raise UsageError(
            f"critic '{critic.label}' has nothing to say {when}: it is asked in {hooks or 'on_task_start'}"
        )
    if state == "empty" and critic.key in walk.branch.touched:
        remarks.append("It looks into its view.state, which is empty here; --rehearse asks it at the moments before.")
    return state, said


async def rehearsed(walk: Walk, critic: Instance, count: int) -> str:
    """Ask at every moment of the first turns; without its model, one that wants it starts anew with an empty state."""
    try:
        await at_opening(walk, critic)
        for index in range(count):
            await at_turn(walk, critic, index, always=False)
    except UsageError:
        if critic.model is not None:
            raise
        await walk.begin()
        return "empty"
    return "rehearsed"


async def at_opening(walk: Walk, critic: Instance) -> None:
    """Ask before the first decision."""
    branch = walk.branch
    if critic.has("on_task_start"):
        await critic.ask("on_task_start", view=critic.view(branch))
    if critic.has("transform_observation"):
        arguments = {"view": critic.view(branch), "observation": branch.opening.observation}
        await ask(branch, critic, "transform_observation", arguments, always=False)


async def at_turn(walk: Walk, critic: Instance, index: int, *, always: bool) -> list[Said]:
    """Ask at every moment of a turn, in the engine's order: about the offer, then about what came of it."""
    played = walk.turns[index]
    found: list[Said | None] = []
    branch = walk.decision(index)
    if critic.has("review_action") and played.candidates and played.kind == "act":
        arguments = {
            "view": critic.view(branch),
            "candidates": redact_candidates(played.candidates, critic.shows),
        }
        found.append(await ask(branch, critic, "review_action", arguments, played.candidates, always=always))
    if critic.has("answer_request") and played.request is not None:
        arguments = {"view": critic.view(branch), "request": played.request}
        found.append(await ask(branch, critic, "answer_request", arguments, always=always))
    branch = await walk.outcome(index)
    if played.executed is None:
        return [s for s in found if s is not None]
    last = index + 1 == len(walk.turns)
    if critic.has("transform_observation") and not last:
        arguments = {"view": critic.view(branch), "observation": played.observation}
        found.append(await ask(branch, critic, "transform_observation", arguments, always=always))
    if critic.has("review_turn"):
        arguments = {"view": critic.view(branch), "turn": branch.history(critic.shows)[-1]}
        found.append(await ask(branch, critic, "review_turn", arguments, always=always))
    return [s for s in found if s is not None]


async def at_end(walk: Walk, critic: Instance) -> list[Said]:
    """Ask about the whole attempt."""
    if not critic.has("review_attempt"):
        return []
    branch = walk.end()
    record = msgspec.structs.replace(walk.attempt, critiques=(), state={})
    arguments = {"view": critic.view(branch), "attempt": redact_attempt(record, critic.shows)}
    said = await ask(branch, critic, "review_attempt", arguments, always=True)
    return [] if said is None else [said]
