"""Triggers: whether a critic speaks at this moment. Settings of the instance, never code of the critic."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman.engine.branch import Branch
from cornerman.engine.merging import heeded
from cornerman.engine.settings import LowScore, PluginSettings, TriggerSettings
from cornerman.records import Candidate, Moment, Turn

ALWAYS = TriggerSettings()
SEES: dict[str, str] = {"on": "score", "entropy": "logprobs"}
"""What a trigger's condition sees beyond what the actor sees; joins the method's information set."""


def trigger_for(settings: PluginSettings, moment: Moment) -> TriggerSettings:
    """The trigger that holds at a moment."""
    return settings.trigger.get(moment) or settings.trigger.get("all", ALWAYS)


def information(settings: PluginSettings) -> frozenset[str]:
    """The information set that the instance's triggers use."""
    return frozenset(
        seen
        for trigger in settings.trigger.values()
        for condition, seen in SEES.items()
        if getattr(trigger, condition) is not None
    )


def fires(
    branch: Branch, key: str, settings: PluginSettings, moment: Moment, candidates: Sequence[Candidate] = ()
) -> bool:
    """Whether the instance speaks now: conditions, then cooldown and budget. Counts what it lets through."""
    trigger = trigger_for(settings, moment)
    if trigger is not ALWAYS and not _holds(branch, key, trigger, moment, candidates):
        return False
    if settings.budget is None and not settings.cooldown:
        return True
    count, last = branch.states.get(f"{key}#fired", {}).get(moment, (0, None))
    if settings.budget is not None and count >= settings.budget:
        return False
    if last is not None and settings.cooldown and branch.turn - last <= settings.cooldown:
        return False
    branch.state(f"{key}#fired")[moment] = [count + 1, branch.turn]
    return True


def _holds(branch: Branch, key: str, trigger: TriggerSettings, moment: Moment, candidates: Sequence[Candidate]) -> bool:
    """Whether every condition that is given holds; chances are drawn last, and only if all others do."""
    if trigger.every is not None and not _every(branch, trigger.every, moment):
        return False
    if trigger.turns_left is not None and branch.scope.rules.max_turns - branch.turn > trigger.turns_left:
        return False
    if trigger.on is not None and not (_over(branch, moment) and branch.step.success == (trigger.on == "success")):
        return False
    if trigger.loop is not None and not _looping(branch, trigger.loop):
        return False
    if trigger.low_score is not None and not _low(branch, trigger.low_score, key):
        return False
    if trigger.entropy is not None and not _unsure(branch, key, trigger, _entropy(candidates, branch)):
        return False
    return trigger.random is None or branch.rng(f"{key}#trigger").random() < trigger.random


def _every(branch: Branch, k: int, moment: Moment) -> bool:
    if moment == "review_action":
        return branch.turn % k == 0
    if moment in ("review_turn", "transform_observation"):
        return branch.turn % k == 0 and branch.turn > 0
    return True


def _over(branch: Branch, moment: Moment) -> bool:
    return moment == "review_attempt" or (moment == "review_turn" and (branch.step.terminated or branch.step.truncated))


def _looping(branch: Branch, times: int) -> bool:
    acts = [t for t in branch.turns if t.executed is not None]
    if not acts:
        return False
    last = (acts[-1].executed, acts[-1].observation)
    return sum((t.executed, t.observation) == last for t in acts) >= times


def _low(branch: Branch, low: LowScore, key: str) -> bool:
    """The scores of a critic in shadow move no trigger but its own."""
    given = [c for t in branch.turns for c in t.critiques if c.moment == "review_turn" and c.error is None]
    scores = [c.score for c in given if c.score is not None and (heeded(c) or key == f"critic/{c.critic}")]
    return len(scores) >= low.last and all(s < low.below for s in scores[-low.last :])


def _unsure(branch: Branch, key: str, trigger: TriggerSettings, entropy: float | None) -> bool:
    """Whether an entropy is high enough, between two thresholds by a draw."""
    low, up = trigger.entropy, trigger.entropy_up
    if entropy is None or low is None or entropy < low:
        return False
    if up is None or entropy >= up:
        return True
    return branch.rng(f"{key}#entropy").random() < (entropy - low) / (up - low)


def _entropy(candidates: Sequence[Candidate], branch: Branch) -> float | None:
    """The entropy of the actor's choice: under review its first candidate, after execution the chosen one."""
    if candidates:
        return candidates[0].entropy
    last: Turn | None = branch.turns[-1] if branch.turns else None
    if last is None or not last.candidates:
        return None
    return last.candidates[last.chosen or 0].entropy
