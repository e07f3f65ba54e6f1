"""Merging: what several critics' verdicts on several candidates amount to.

Pure functions on critiques in method order; `docs/design.md` gives the reasons for the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cornerman.records import Critique, Verdict

Merge = Literal["severity", "majority", "first"]
SEVERITY = {Verdict.PASS: 0, Verdict.REVISE: 1, Verdict.REPLACE: 2, Verdict.BLOCK: 3, Verdict.STOP: 4}


@dataclass(frozen=True)
class Decision:
    """The outcome of one review. `choice` is the candidate meant; `replacement` the action that takes its place.

    `words` are the critiques that the actor is to be told for a revision, in method order.
    """

    verdict: Verdict
    choice: int = 0
    replacement: Critique | None = None
    words: tuple[Critique, ...] = ()


def votes(critiques: Sequence[Critique]) -> list[Critique]:
    """Critiques that vote: no error, a parsed verdict. Advice without a verdict has none."""
    return [c for c in critiques if c.error is None and c.verdict is not None and c.verdict is not Verdict.UNPARSED]


def verdict_on(critiques: Sequence[Critique], merge: Merge) -> Verdict:
    """The merged verdict on one candidate; `pass` where nobody voted."""
    voting = votes(critiques)
    if not voting:
        return Verdict.PASS
    cast = [c.verdict for c in voting if c.verdict is not None]
    if merge == "first":
        return cast[0]
    if merge == "majority":
        count = Counter(cast)
        return max(count, key=lambda v: (count[v], SEVERITY[v]))
    return max(cast, key=SEVERITY.__getitem__)


def mean_score(critiques: Sequence[Critique]) -> float | None:
    """Mean of the scores given to one candidate; None where nobody scored it."""
    scores = [c.score for c in critiques if c.error is None and c.score is not None]
    return sum(scores) / len(scores) if scores else None


def decide(critiques: Sequence[Critique], candidates: int, merge: Merge = "severity") -> Decision:
    """Merge the critiques of one review of `candidates` candidates.

    Per candidate the severest verdict holds (or the majority's, or the first critic's); the choice is the unblocked
    candidate with the highest mean score, ties and unscored ones to the lowest index. With every candidate blocked,
    the first candidate's verdict stands: stop if any critic said stop of it, else block.
    """
    by_candidate = [[c for c in critiques if (c.candidate or 0) == i] for i in range(candidates)]
    verdicts = [verdict_on(group, merge) for group in by_candidate]
    open_ = [i for i, v in enumerate(verdicts) if v not in (Verdict.BLOCK, Verdict.STOP)]
    if not open_:
        verdict = Verdict.STOP if Verdict.STOP in verdicts else Verdict.BLOCK
        return Decision(verdict, 0, words=told(by_candidate[0]))
    scores = {i: mean_score(by_candidate[i]) for i in open_}
    choice = max(open_, key=lambda i: (float("-inf") if scores[i] is None else scores[i], -i))
    group, verdict = by_candidate[choice], verdicts[choice]
    if verdict is Verdict.REPLACE:
        offers = [c for c in votes(group) if c.verdict is Verdict.REPLACE and c.suggestion]
        if offers:
            return Decision(verdict, choice, offers[0], told(group))
        verdict = Verdict.REVISE
    return Decision(verdict, choice, words=told(group))


def told(critiques: Sequence[Critique]) -> tuple[Critique, ...]:
    """The critiques with words for the actor, in method order."""
    return tuple(c for c in critiques if c.error is None and c.verdict is not Verdict.UNPARSED and c.text.strip())
