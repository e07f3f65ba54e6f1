"""One critic at one moment: asked as the engine asks, with what its answer would have come to."""

from __future__ import annotations

import inspect
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.critics import complete, read
from cornerman.engine.delivery import delivery_for, silent
from cornerman.engine.instance import Instance
from cornerman.engine.merging import decide
from cornerman.engine.triggers import fires
from cornerman.errors import CornermanError, UsageError
from cornerman.records import Call, Candidate, ContextItem, Critique, Moment, Verdict


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a critic said at a moment.

    fires: whether its trigger, budget and cooldown would have let it speak; it was asked all the same. `delivered` and
    `suppressed` of the critiques say whether the actor would have been told. verdict: what a review of these candidates
    alone by this critic comes to, and `action` what would be executed if the actor kept to it. observation, words: what
    a transform answered.
    """

    moment: Moment
    fires: bool
    candidates: list[str] = []
    critiques: list[Critique] = []
    verdict: Verdict | None = None
    action: str | None = None
    observation: str | None = None
    words: list[ContextItem] = []
    error: str | None = None
    calls: list[Call] = []
    seconds: float = 0.0


async def ask(
    branch: Branch,
    critic: Instance,
    moment: Moment,
    arguments: dict[str, Any],
    candidates: Sequence[Candidate] = (),
    *,
    always: bool,
) -> Said | None:
    """Ask a critic at a moment; without `always` only where its trigger lets it speak, as in a run."""
    fired = fires(branch, critic.key, critic.settings, moment, candidates)
    if not fired and not always:
        return None
    before, started = len(branch.scope.calls), time.perf_counter()
    said: dict[str, Any] = {}
    try:
        answer = critic.call(moment, **arguments)
        if inspect.isawaitable(answer):
            answer = await critic.settle(moment, answer)
        seconds = time.perf_counter() - started
        if moment == "transform_observation":
            said = transformed(critic, answer)
        else:
            given = read(critic, moment, answer, len(candidates))
            said = reviewed(
                critic, moment, [await complete(branch, critic, moment, c, seconds) for c in given], candidates
            )
    except UsageError:
        raise
    except CornermanError as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    return Said(
        moment=moment,
        fires=fired,
        candidates=[c.text for c in candidates],
        calls=sorted(branch.scope.calls[before:], key=lambda c: c.id),
        seconds=time.perf_counter() - started,
        **said,
    )


def transformed(critic: Instance, answer: Any) -> dict[str, Any]:
    """What a transform answered: a text, words beside it, or nothing."""
    if isinstance(answer, str):
        return {"observation": answer}
    return {"words": critic.several(answer, ContextItem, "transform_observation")}


def reviewed(
    critic: Instance, moment: Moment, critiques: list[Critique], candidates: Sequence[Candidate]
) -> dict[str, Any]:
    """Critiques marked by whether the actor would be told, and what they decide of the candidates."""
    settled, found = None, {}
    if candidates:
        decision = decide(critiques, len(candidates))
        settled = decision.choice
        offered = candidates[settled].text
        action = decision.replacement.suggestion if decision.replacement is not None else offered
        stays = decision.verdict not in (Verdict.BLOCK, Verdict.STOP)
        found = {"verdict": decision.verdict, "action": action if stays else None}
    how = delivery_for(critic.settings, moment)
    reasons = [silent(c, how, settled, True) for c in critiques]
    told = [
        msgspec.structs.replace(c, delivered=reason is None, suppressed=reason)
        for c, reason in zip(critiques, reasons, strict=True)
    ]
    return {"critiques": told, **found}
