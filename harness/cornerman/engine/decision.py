"""One decision: what the actor offers, what the critics say of it, and what is executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.critics import speak
from cornerman.engine.delivery import delivery_for
from cornerman.engine.instance import Instance
from cornerman.engine.merging import Decision, decide
from cornerman.engine.method import Method
from cornerman.errors import ActorError
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
    stop: bool = False


def candidates_of(answer: Any, actor: Instance) -> tuple[Candidate, ...]:
    """What an actor answered, as candidates; anything else is the actor's error."""
    if isinstance(answer, (str, Candidate)):
        answer = [answer]
    if isinstance(answer, (list, tuple)) and answer and all(isinstance(a, (str, Candidate)) for a in answer):
        return tuple(Candidate(text=a) if isinstance(a, str) else a for a in answer)
    shown = "nothing" if answer is None or answer in ((), []) else type(answer).__name__
    raise ActorError(
        f"actor '{actor.label}' answered {shown} where an action was due: "
        "a string, a cornerman.Candidate, several of them, or a cornerman.Request"
    )


def seen_by(critic: Instance, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Candidates without log-probabilities for critics that do not declare to see them."""
    if "logprobs" in critic.sees or all(c.logprob is None and c.entropy is None for c in candidates):
        return candidates
    return [msgspec.structs.replace(c, logprob=None, entropy=None) for c in candidates]


async def take(branch: Branch, method: Method) -> Choice:
    """Ask the actor, have it reviewed, and settle on what to execute."""
    actor = method.actor
    answer = await actor.ask("act", view=actor.view(branch))
    if isinstance(answer, Request):
        return Choice(request=answer)
    own = candidates_of(answer, actor)
    choice = Choice(candidates=own)
    if not own[0].text and own[0].thought is not None:
        return choice
    offered, decision = own, Decision(Verdict.PASS)
    for _ in range(method.rules.review_rounds):
        critiques = await review(branch, method, offered)
        choice.critiques += critiques
        decision = heard(decide(critiques, len(offered), method.rules.merge), method)
        if decision.verdict not in (Verdict.REVISE, Verdict.BLOCK):
            break
        revised = await revise(branch, actor, offered, decision)
        if revised is None or (decision.verdict is Verdict.BLOCK and revised.text == offered[decision.choice].text):
            break
        choice.revisions.append(revised)
        offered, decision = (revised,), Decision(Verdict.PASS, words=decision.words)
    return settle(choice, own, offered, decision, method)


async def review(branch: Branch, method: Method, offered: tuple[Candidate, ...]) -> list[Critique]:
    """The critics' words on some candidates."""
    return await speak(
        branch,
        method,
        "review_action",
        lambda critic: {"view": critic.view(branch), "candidates": seen_by(critic, offered)},
        offered,
    )


def heard(decision: Decision, method: Method) -> Decision:
    """The decision with only those words that are not suppressed; a revision without words is none."""
    quiet = {c.label for c in method.critics if delivery_for(c.settings, "review_action") == "suppress"}
    words = tuple(c for c in decision.words if c.critic not in quiet)
    if decision.verdict is Verdict.REVISE and not words:
        return Decision(Verdict.PASS, decision.choice)
    return Decision(decision.verdict, decision.choice, decision.replacement, words)


async def revise(
    branch: Branch, actor: Instance, offered: tuple[Candidate, ...], decision: Decision
) -> Candidate | None:
    """The actor's revision, or None where it has none."""
    if not actor.has("revise"):
        return None
    answer = await actor.ask("revise", view=actor.view(branch), candidates=offered, critiques=decision.words)
    return None if answer is None else candidates_of(answer, actor)[0]


def settle(
    choice: Choice, own: tuple[Candidate, ...], offered: tuple[Candidate, ...], decision: Decision, method: Method
) -> Choice:
    """What the last decision of a review executes."""
    verdict = decision.verdict
    cause = decision.words[0].id if decision.words else scored_by(choice.critiques)
    if verdict is Verdict.STOP:
        choice.stop = True
        choice.changed_by = next((c.id for c in choice.critiques if c.verdict is Verdict.STOP), None)
        return choice
    if verdict is Verdict.BLOCK and method.rules.on_block != "execute":
        choice.stop = method.rules.on_block == "end"
        choice.changed_by = next((c.id for c in choice.critiques if c.verdict is Verdict.BLOCK), None)
        return choice
    if verdict is Verdict.REPLACE and decision.replacement is not None:
        choice.action = Candidate(text=decision.replacement.suggestion or "", call=decision.replacement.call)
        cause = decision.replacement.id
    else:
        choice.action = offered[decision.choice]
        choice.chosen = decision.choice if offered is own else None
    if choice.action.text != own[0].text:
        choice.changed_by = cause
    return choice


def scored_by(critiques: Sequence[Critique]) -> int | None:
    """The first critique that gave a score: what moved the choice among candidates when nobody said a word."""
    return next((c.id for c in critiques if c.score is not None or c.verdict is not None), None)
