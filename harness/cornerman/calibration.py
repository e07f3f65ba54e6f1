"""Thresholds of entropy for a trigger, from a recorded run: where is the actor too unsure to succeed?

After ExpSeek (arXiv 2601.08605): logistic regression of success on a step's entropy, thresholds of their own for steps
of the process and for answers, 1000 bootstraps. Ours, where what could be read of the paper is silent: the threshold is
the entropy at which success and failure are as likely, both weighing the same; its 95 % interval over bootstraps of
whole tasks is [low, up]; both stay within the entropies that were seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from cornerman.errors import POLICY, UsageError
from cornerman.records import Episode, Turn
from cornerman.stats.logistic import boundary

Kind = Literal["process", "answer"]


class Step(msgspec.Struct, frozen=True):
    """One decision of a recorded run: its task, its entropy in nats, and whether its attempt succeeded."""

    task: str
    kind: Kind
    entropy: float
    success: bool


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says of one kind of steps.

    `threshold` is the regression's, [`low`, `up`] its interval, all in nats; `slope` the change of the log-odds of
    success for each nat; `share` of the bootstraps have a threshold; `fires` is the share of the recorded steps at
    which the trigger would hold, before cooldown.
    """

    kind: Kind
    steps: int
    tasks: int
    solved: float
    slope: float
    threshold: float
    low: float
    up: float
    share: float
    fires: float


def named(action: str) -> str:
    """The name of a tool call in JSON, of the last of several; else the first word, as in `finish[…]` or `answer …`."""
    try:
        call = json.loads(action)
    except (ValueError, RecursionError):
        call = None
    if isinstance(call, list) and call:
        call = call[-1]
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        return str(call["name"]).casefold()
    word = action.strip().casefold()
    for mark in "[(: \t\n":
        word = word.partition(mark)[0]
    return word


def is_answer(action: str, answers: Sequence[str]) -> bool:
    """Whether an action gives an answer, by the names of actions that do."""
    return bool(answers) and named(action) in {a.strip().casefold() for a in answers}


def steps(episodes: Iterable[Episode], answers: Sequence[str] = ()) -> list[Step]:
    """The decisions whose entropy is known, of attempts that ended in no error."""
    return [
        Step(
            task=episode.task.id,
            kind="answer" if is_answer(turn.executed or "", answers) else "process",
            entropy=entropy,
            success=bool(attempt.success),
        )
        for episode in episodes
        for attempt in episode.attempts
        if attempt.end is not None and not POLICY[attempt.end].error
        for turn in attempt.turns
        if (entropy := entropy_of(turn)) is not None
    ]


def entropy_of(turn: Turn) -> float | None:
    """The entropy of the actor's choice, as the trigger reads it."""
    return turn.candidates[turn.chosen or 0].entropy if turn.candidates else None


def thresholds(found: Sequence[Step], kind: Kind, *, resamples: int = 1000, seed: int = 0) -> Thresholds:
    """The thresholds of a kind of steps. Raises UsageError with what is missing where the steps give none."""
    mine = [s for s in found if s.kind == kind]
    won = sum(s.success for s in mine)
    if not won or won == len(mine):
        what = "no step has a known entropy" if not mine else f"all {len(mine)} are of {'solved' if won else 'failed'}"
        raise UsageError(
            f"{kind} steps: {what}{' attempts' if mine else ''}; thresholds need entropies, from an actor whose model "
            "gives log-probabilities, and attempts that succeeded beside some that failed"
        )
    tasks = {task: i for i, task in enumerate(dict.fromkeys(s.task for s in mine))}
    entropies = np.array([s.entropy for s in mine])
    fit = boundary(entropies, [s.success for s in mine], [tasks[s.task] for s in mine], resamples=resamples, seed=seed)
    if fit is None or fit.share < 0.5:
        raise UsageError(
            f"{kind} steps: success does not fall with entropy in these {len(mine)} steps of {len(tasks)} tasks "
            f"({won} of them in solved attempts), so no entropy is a threshold; play more tasks, or trigger by "
            "something else"
        )
    low, up = (float(v) for v in np.clip([fit.low, fit.up], entropies.min(), entropies.max()))
    if not low < up:
        raise UsageError(
            f"{kind} steps: the threshold {fit.value:.3f} lies beyond all entropies of the run "
            f"({entropies.min():.3f} to {entropies.max():.3f}); play more tasks"
        )
    return Thresholds(
        kind=kind,
        steps=len(mine),
        tasks=len(tasks),
        solved=won / len(mine),
        slope=fit.slope,
        threshold=fit.value,
        low=low,
        up=up,
        share=fit.share,
        fires=float(np.clip((entropies - low) / (up - low), 0, 1).mean()),
    )


MOMENT: dict[Kind, str] = {"process": "review_turn", "answer": "review_action"}


def settings(critic: str, found: Sequence[Thresholds]) -> dict[str, Any]:
    """The critic's settings: one trigger, or one for each moment where answers have thresholds of their own."""
    pairs = {t.kind: {"entropy": round(t.low, 4), "entropy_up": round(t.up, 4)} for t in found}
    trigger = {MOMENT[k]: v for k, v in pairs.items()} if len(pairs) > 1 else next(iter(pairs.values()))
    return {"use": critic, "trigger": trigger, "cooldown": 1}
