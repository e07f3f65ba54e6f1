"""Triggers: whether a critic speaks at this moment. Settings of the instance, never code of the critic."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.engine.branch import Branch
from cornerman.engine.settings import PluginSettings, TriggerSettings
from cornerman.records import Candidate, Moment

PRIVILEGED: dict[str, str] = {"on": "score"}
"""What a trigger's condition sees beyond what the actor sees; joins the method's information set."""


def trigger_for(settings: PluginSettings, moment: Moment) -> TriggerSettings:
    """The trigger that holds at a moment."""
    return settings.trigger.get(moment) or settings.trigger.get("all", ALWAYS)


def information(settings: PluginSettings) -> set[str]:
    """The information set that the instance's triggers use."""
    seen = set()
    for trigger in settings.trigger.values():
        seen |= {field for condition, field in PRIVILEGED.items() if getattr(trigger, condition) is not None}
        if trigger.entropy is not None:
            seen.add("logprobs")
    return seen


def _looping(branch: Branch, times: int) -> bool:
    acts = [t for t in branch.turns if t.kind == "act"]
    if not acts:
        return False
    last = (acts[-1].executed, acts[-1].observation)
    return sum((t.executed, t.observation) == last for t in acts) >= times


def _low(branch: Branch, below: float, last: int) -> bool:
    scores = [c.score for t in branch.turns for c in t.critiques if c.moment == "review_turn" and c.score is not None]
    return len(scores) >= last and all(s < below for s in scores[-last:])


def _entropy(candidates: Sequence[Candidate], branch: Branch) -> float | None:
    pool = candidates or (branch.turns[-1].candidates if branch.turns else ())
    known = [c.entropy for c in pool if c.entropy is not None]
    return known[0] if known else None


def fires(
    branch: Branch, label: str, settings: PluginSettings, moment: Moment, candidates: Sequence[Candidate] = ()
) -> bool:
    """Whether the instance speaks now: conditions, then cooldown and budget. Counts what it lets through."""
    trigger = trigger_for(settings, moment)
    if trigger is ALWAYS and settings.budget is None and not settings.cooldown:
        return True
    turn = branch.turn
    if trigger.every is not None and (turn % trigger.every or (turn == 0 and moment == "review_turn")):
        return False
    if trigger.turns_left is not None and branch.scope.rules.max_turns - turn > trigger.turns_left:
        return False
    if trigger.on is not None and branch.step.success != (trigger.on == "success"):
        return False
    if trigger.loop is not None and not _looping(branch, trigger.loop):
        return False
    if trigger.low_score is not None and not _low(branch, trigger.low_score.below, trigger.low_score.last):
        return False
    if trigger.entropy is not None:
        entropy = _entropy(candidates, branch)
        if entropy is None or entropy < trigger.entropy:
            return False
    if trigger.random is not None and branch.rng(f"{label}#trigger").random() >= trigger.random:
        return False
    if settings.budget is None and not settings.cooldown:
        return True
    fired = branch.state(f"{label}#fired").setdefault(moment, [])
    if settings.budget is not None and len(fired) >= settings.budget:
        return False
    if fired and turn - fired[-1] <= settings.cooldown:
        return False
    fired.append(turn)
    return True


ALWAYS = TriggerSettings()
