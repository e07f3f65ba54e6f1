"""Pickers of attempts without a judgement: what playing several times is worth when nobody can tell which was good."""

from __future__ import annotations

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Attempt


class MajorityAttempt:
    """Scores an attempt by how many before it ended in the same last action.

    With protocol `retry` and `counted = "selected"` the latest attempt of the largest group is taken: a majority vote
    over answers, for tasks that end in one (Self-Consistency, Wang et al., arXiv 2203.11171). Of groups of one size the
    one that grew last wins.
    """

    sees = ("attempts", "history")

    @hookimpl
    def review_attempt(self, view: View, attempt: Attempt) -> Critique:
        """The size of the group so far, less this attempt."""
        mine = last_action(attempt)
        return Critique(score=float(sum(last_action(a) == mine for a in view.attempts)))


class RandomAttempt:
    """Scores an attempt at random: with `counted = "selected"`, an attempt taken by lot."""

    sees = ()

    @hookimpl
    def review_attempt(self, view: View) -> Critique:
        """A uniform score."""
        return Critique(score=view.rng().random())


def last_action(attempt: Attempt) -> str | None:
    """The last action that an attempt executed."""
    return attempt.log[-1].action if attempt.log else None
