"""Pickers without a model: what choosing among candidates is worth without a critic's judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Candidate


class SelfConsistency:
    """The action that the actor's own samples name most often (Self-Consistency, Wang et al., arXiv 2203.11171).

    Also the control of best-of-N that reviewers asked of GAIA: a majority vote with as many samples and no critic.
    Samples agree when their text is the same; ties go to the action that was sampled first. The actor has to offer
    every sample, repeated ones too: `distinct = false`.
    """

    sees = ()

    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """The share of the samples that each candidate has."""
        count = Counter(c.text for c in candidates)
        return [Critique(score=count[c.text] / len(candidates)) for c in candidates]


class RandomPick:
    """A uniformly random candidate: the other control of best-of-N."""

    sees = ()

    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
        """A score of one for the candidate that was drawn, and of zero for the others."""
        drawn = view.rng().randrange(len(candidates))
        return [Critique(score=float(i == drawn)) for i in range(len(candidates))]
