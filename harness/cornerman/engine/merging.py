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
CLOSED = (Verdict.BLOCK, Verdict.STOP)
"""Verdicts that keep a candidate from being chosen."""


@dataclass(frozen=True)
class Decision:
    """The outcome of one review.

    `choice` is the candidate meant, `replacement` the critique whose suggestion takes its place. `cause` is the
    critique that the verdict comes from, `chosen_by` the one that moved the choice away from the first candidate.
    """

    verdict: Verdict
    choice: int = 0
    replacement: Critique | None = None
    cause: int | None = None
    chosen_by: int | None = None


SHADOW = "shadow"
"""Why the critiques of a critic in shadow are not delivered."""


def heeded(critique: Critique) -> bool:
    """Whether a critique may have any effect: those of a critic in shadow have none."""
    return critique.suppressed != SHADOW


def votes(critiques: Sequence[Critique]) -> list[Critique]:
    """Critiques that vote: no error, a parsed verdict. Advice without a verdict has none."""
    unread = (None, Verdict.UNPARSED)
    return [c for c in critiques if c.error is None and c.verdict not in unread and heeded(c)]


def verdict_on(critiques: Sequence[Critique], merge: Merge) -> Verdict:
    """The merged verdict on one candidate; `pass` where nobody voted, a majority's tie to the severest."""
    cast = [c.verdict for c in votes(critiques) if c.verdict is not None]
    if not cast:
        return Verdict.PASS
    if merge == "first":
        return cast[0]
    if merge == "majority":
        count = Counter(cast)
        return max(count, key=lambda v: (count[v], SEVERITY[v]))
    return max(cast, key=SEVERITY.__getitem__)


def mean_score(critiques: Sequence[Critique]) -> float | None:
    """Mean of the scores given to one candidate; None where nobody scored it."""
    scores = [c.score for c in critiques if c.error is None and c.score is not None and heeded(c)]
    return sum(scores) / len(scores) if scores else None


def decide(critiques: Sequence[Critique], candidates: int, merge: Merge = "severity") -> Decision:
    """Merge the critiques of one review of `candidates` candidates; a critique of no candidate is of all of them.

    Per candidate the severest verdict holds (or the majority's, or the first critic's). The choice is the candidate
    with the highest mean score among those that nobody blocked or stopped; unscored ones come after all scored ones,
    ties go to the lowest index. Where none is left, the attempt stops if one drew a stop, else it is a block, of the
    first candidate. A replacement is the first suggestion in method order; where none was made it is a revision.
    """
    by_candidate = [[c for c in critiques if c.candidate in (None, i)] for i in range(candidates)]
    verdicts = [verdict_on(group, merge) for group in by_candidate]
    open_ = [i for i, v in enumerate(verdicts) if v not in CLOSED]
    if not open_:
        verdict = Verdict.STOP if Verdict.STOP in verdicts else Verdict.BLOCK
        return Decision(verdict, cause=_first(votes(by_candidate[verdicts.index(verdict)]), verdict))
    scores = {i: mean_score(by_candidate[i]) for i in open_}
    choice = max(open_, key=lambda i: (float("-inf") if scores[i] is None else scores[i], -i))
    group, verdict, chosen_by = votes(by_candidate[choice]), verdicts[choice], None
    if choice and 0 in open_:
        scored = (c.id for c in by_candidate[choice] if c.error is None and c.score is not None and heeded(c))
        chosen_by = next(scored, None)
    elif choice:
        chosen_by = _first(votes(by_candidate[0]), verdicts[0])
    cause = _first(group, verdict)
    if verdict is Verdict.REPLACE:
        offers = [c for c in (group[:1] if merge == "first" else group) if c.verdict is verdict and c.suggestion]
        if offers:
            return Decision(verdict, choice, offers[0], offers[0].id, chosen_by)
        verdict = Verdict.REVISE
    return Decision(verdict, choice, None, cause, chosen_by)


def _first(critiques: Sequence[Critique], verdict: Verdict) -> int | None:
    return next((c.id for c in critiques if c.verdict is verdict), None)
