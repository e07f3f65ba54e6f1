"""One decision: what the actor offers, what the critics say of it, and what is executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.critics import speak
from cornerman.engine.delivery import deliver, forget
from cornerman.engine.instance import Instance
from cornerman.engine.merging import Decision, decide
from cornerman.engine.method import Method
from cornerman.engine.redaction import redact_candidates
from cornerman.records import Candidate, Critique, Request, Verdict


@dataclass
class Choice:
    """What came of a decision. `action` None executes nothing; `stop` ends the attempt.

    `changed_by` is the critique that made the executed action another than the actor's own first choice.
    """

    candidates: tuple[Candidate, ...] = ()
    critiques: list[Critique] = field(default_factory=list)
    revisions: list[Candidate] = field(default_factory=list)
    request: Request | None = None
    action: Candidate | None = None
    chosen: int | None = None
    changed_by: int | None = None
    thought: bool = False
    stop: bool = False


def candidates_of(answer: Any, actor: Instance, hook: str) -> tuple[Candidate, ...]:
    """What an actor answered, as candidates; anything else is the actor's error."""
    listed = answer if isinstance(answer, (list, tuple)) else [answer]
    made = [Candidate(text=a) if isinstance(a, str) else a for a in listed]
    if made and all(isinstance(a, Candidate) for a in made):
        return tuple(actor.checked(a, Candidate, hook) for a in made)
    shown = "nothing" if answer is None or not listed else type(answer).__name__
    raise actor.fault(
        f"answered {shown} in {hook}, where an action was due: a string, a cornerman.Candidate or several of them"
        + (", or a cornerman.Request" if hook == "act" else "")
    )


def is_thought(candidate: Candidate) -> bool:
    """A candidate without an action, but with a thought, is a turn of thinking."""
    return not candidate.text and candidate.thought is not None


async def take(branch: Branch, method: Method) -> Choice:
    """Ask the actor, have it reviewed, and settle on what to execute.

    Each review may send the action back once; after the last one a revision is executed unseen. A block stays when the
    actor has no other action to offer than those that were blocked.
    """
    actor = method.actor
    answer = await actor.ask("act", view=actor.view(branch))
    if branch.given is not None and branch.given.candidates:
        own = branch.given.candidates
    elif isinstance(answer, Request):
        return Choice(request=actor.checked(answer, Request, "act"))
    else:
        own = candidates_of(answer, actor, "act")
    choice = Choice(candidates=own)
    if is_thought(own[0]):
        choice.thought = True
        return choice
    offered, decision, cause = own, Decision(Verdict.PASS), None
    blocked: set[str] = set()
    for _ in range(method.rules.review_rounds):
        decision, words = await review(branch, method, offered, choice)
        branch.given = None
        if decision.verdict is Verdict.BLOCK:
            blocked |= {c.text for c in offered}
        elif decision.verdict is not Verdict.REVISE or not words:
            break
        revised = await revise(branch, actor, offered, words)
        if revised is None or (decision.verdict is Verdict.BLOCK and revised.text in blocked):
            break
        choice.revisions.append(revised)
        offered, decision, cause = (revised,), Decision(Verdict.PASS), decision.cause
    forget(branch, method, choice.critiques)
    return settle(choice, offered, decision, cause, method)


async def review(
    branch: Branch, method: Method, offered: tuple[Candidate, ...], choice: Choice
) -> tuple[Decision, tuple[Critique, ...]]:
    """The decision of the critics on some candidates, and the words that the actor is told about it."""
    critiques = await speak(
        branch,
        method,
        "review_action",
        lambda critic: {"view": critic.view(branch), "candidates": redact_candidates(offered, critic.shows)},
        offered,
    )
    decision = decide(critiques, len(offered), method.rules.merge)
    again = decision.verdict in (Verdict.REVISE, Verdict.BLOCK) and method.actor.has("revise")
    settled = None if again and method.rules.revise_on == "all" else decision.choice
    critiques = deliver(branch, method, critiques, settled, again)
    words = tuple(
        c if c.candidate is not None else msgspec.structs.replace(c, candidate=decision.choice)
        for c in critiques
        if c.delivered
    )
    if choice.revisions:  # in the record, revisions are counted on after the candidates
        place = len(choice.candidates) + len(choice.revisions) - 1
        critiques = [msgspec.structs.replace(c, candidate=place) for c in critiques]
    choice.critiques += critiques
    return decision, words


async def revise(
    branch: Branch, actor: Instance, offered: tuple[Candidate, ...], words: Sequence[Critique]
) -> Candidate | None:
    """The actor's revision, or None where it has none."""
    if not actor.has("revise"):
        return None
    told = tuple(msgspec.structs.replace(c, wrapped=None, original=None) for c in words)
    answer = await actor.ask("revise", view=actor.view(branch), candidates=offered, critiques=told)
    return None if answer is None else candidates_of(answer, actor, "revise")[0]


def settle(
    choice: Choice, offered: tuple[Candidate, ...], decision: Decision, cause: int | None, method: Method
) -> Choice:
    """What the last decision of a review executes. `cause` led from the actor's own candidates to a revision."""
    own = not choice.revisions
    if decision.verdict is Verdict.STOP or (decision.verdict is Verdict.BLOCK and method.rules.on_block != "execute"):
        choice.stop = decision.verdict is Verdict.STOP or method.rules.on_block == "end"
        choice.changed_by = decision.cause
        return choice
    action, changed_by = offered[decision.choice], decision.chosen_by if own else cause
    if decision.replacement is not None:
        action = Candidate(text=decision.replacement.suggestion or "")
        changed_by = decision.replacement.id
    elif own:
        choice.chosen = decision.choice
    if action.text != choice.candidates[0].text:
        choice.changed_by = changed_by
    if is_thought(action):
        choice.thought = True
    else:
        choice.action = action
    return choice
