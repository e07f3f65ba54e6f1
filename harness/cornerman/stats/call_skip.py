"""The call–skip effect: how much better those episodes fare in which the agent asked for feedback.

CAFE (Coupled Agent–Feedback Evolution, arXiv 2608.24794) gives each prompt x, played n times with rewards r_i and
C_i = 1 where feedback was called for, the effect

    û(x) = mean{r_i : C_i = 1} − mean{r_i : C_i = 0}    where both sets have members,
           the same difference over the whole batch     where only the batch has both,
           0                                            where the batch lacks one of them.

It is a contrast within what an agent chose, no experiment: an agent that asks where it is lost has a low effect however
good the feedback. Whether feedback helps is what a paired comparison with a control says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Play(NamedTuple):
    """One episode: its reward in [0,1], and whether feedback was called for and given."""

    reward: float
    called: bool


class CallSkip(NamedTuple):
    """What a batch of episodes shows. Differences are in units of the reward; None where one side is missing.

    called, skipped: episodes with and without feedback, and their mean rewards. pooled: the difference of these means.
    tasks: how many tasks have episodes of both kinds. within: the mean of û(x) over them, in which tasks that are hard
    and asked about do not count against asking.
    """

    called: int
    skipped: int
    reward_called: float | None
    reward_skipped: float | None
    pooled: float | None
    tasks: int
    within: float | None


def mean(values: Iterable[float]) -> float | None:
    """The mean, or None of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def difference(plays: Sequence[Play]) -> float | None:
    """Mean reward of the called less that of the skipped; None where one side is missing."""
    called = mean(p.reward for p in plays if p.called)
    skipped = mean(p.reward for p in plays if not p.called)
    return None if called is None or skipped is None else called - skipped


def call_skip_effects(tasks: Mapping[str, Sequence[Play]]) -> dict[str, float]:
    """û(x) of every task of a batch."""
    pooled = difference([p for plays in tasks.values() for p in plays]) or 0.0
    own = {task: difference(plays) for task, plays in tasks.items()}
    return {task: pooled if effect is None else effect for task, effect in own.items()}


def call_skip(tasks: Mapping[str, Sequence[Play]]) -> CallSkip:
    """The statistics of a batch of episodes by task."""
    plays = [p for task in tasks.values() for p in task]
    called, skipped = [p.reward for p in plays if p.called], [p.reward for p in plays if not p.called]
    own = [e for e in map(difference, tasks.values()) if e is not None]
    return CallSkip(
        called=len(called),
        skipped=len(skipped),
        reward_called=mean(called),
        reward_skipped=mean(skipped),
        pooled=difference(plays),
        tasks=len(own),
        within=mean(own),
    )
