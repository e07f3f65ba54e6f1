"""Delivery: how words enter the actor's context, or why they do not."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.instance import Instance
from cornerman.engine.merging import SHADOW, heeded
from cornerman.engine.method import Method
from cornerman.engine.settings import Deliver, PluginSettings
from cornerman.records import ContextItem, Critique, Moment, Placement, Verdict

PLACEMENT: dict[Deliver, Placement] = {
    "append": "message",
    "replace": "message",
    "decision": "message",
    "suffix": "suffix",
    "system": "system",
}


def delivery_for(settings: PluginSettings, moment: Moment) -> Deliver:
    """The delivery that holds at a moment; that of a critic in shadow is none."""
    if settings.shadow:
        return "suppress"
    return settings.deliver.get(moment) or settings.deliver.get("all", "append")


def silent(critique: Critique, how: Deliver, settled: int | None, revised: bool) -> str | None:
    """Why a critique's words are not delivered, or None when they are.

    `settled` is the candidate that a review settled on: words on another one would speak of what is not done. `revised`
    says that the actor decides again: words for the decision alone would be heard by nobody otherwise.
    """
    if not heeded(critique):
        return SHADOW
    if critique.error is not None:
        return "error"
    if critique.verdict is Verdict.UNPARSED:
        return "unparsed"
    if how == "suppress":
        return "suppress"
    if not critique.text.strip():
        return "empty"
    if critique.moment == "review_action" and critique.verdict is Verdict.PASS:
        return "pass"
    if settled is not None and critique.candidate not in (None, settled):
        return "other candidate"
    if how == "decision" and not revised:
        return "no revision"
    return None


def deliver(
    branch: Branch,
    method: Method,
    critiques: Sequence[Critique],
    settled: int | None = None,
    revised: bool = True,
) -> list[Critique]:
    """Put the critiques of one moment into the branch's context, each by its critic's delivery; returns them marked.

    Words at an attempt's end find no context any more: a protocol carries them into another attempt.
    """
    by_label = {c.label: c for c in method.critics}
    withdrawn: set[str] = set()
    out = []
    for critique in critiques:
        how = delivery_for(by_label[critique.critic].settings, critique.moment)
        reason = silent(critique, how, settled, revised)
        if reason is None and critique.moment != "review_attempt":
            if how == "replace" and critique.critic not in withdrawn:
                withdraw(branch, critique.critic, critique.id, place(branch, critique.moment))
                withdrawn.add(critique.critic)
            branch.context.append(
                ContextItem(
                    text=critique.text.strip(),
                    placement=PLACEMENT[how],
                    source=critique.critic,
                    critique=critique.id,
                    at=place(branch, critique.moment),
                )
            )
        out.append(msgspec.structs.replace(critique, delivered=reason is None, suppressed=reason))
    return out


def place(branch: Branch, moment: Moment) -> int:
    """The number of turns played when words come in; an answer comes after the question's own turn."""
    return branch.turn + (moment == "answer_request")


def enter(branch: Branch, plugin: Instance, items: Sequence[ContextItem], moment: Moment) -> None:
    """Put words that are no critique into the branch's context, by the plug-in's delivery for the moment."""
    how = delivery_for(plugin.settings, moment)
    if how == "replace" and items:
        withdraw(branch, plugin.label, None, branch.turn)
    branch.context += placed(plugin, items, how, branch.turn)


def placed(plugin: Instance, items: Sequence[ContextItem], how: Deliver, at: int) -> list[ContextItem]:
    """Words of a plug-in with their place filled in; none when they are suppressed."""
    changes = {"placement": PLACEMENT[how]} if how in ("suffix", "system") else {}
    return [
        msgspec.structs.replace(i, source=plugin.label, critique=None, at=at, until=None, replaced_by=None, **changes)
        for i in items
        if how != "suppress"
    ]


def forget(branch: Branch, method: Method, critiques: Sequence[Critique]) -> None:
    """Take the words that were for the decision alone out of the context, now that it is made."""
    by_label = {c.label: c.settings for c in method.critics}
    brief = {c.id for c in critiques if c.delivered and delivery_for(by_label[c.critic], c.moment) == "decision"}
    if brief:
        branch.context[:] = [
            msgspec.structs.replace(item, until=branch.turn + 1) if item.critique in brief else item
            for item in branch.context
        ]


def withdraw(branch: Branch, source: str, by: int | None, at: int) -> None:
    """Take a plug-in's standing words out of the context; the record keeps until when they stood.

    A critique takes the place of critiques, and words beside an observation that of other such words.
    """
    branch.context[:] = [
        msgspec.structs.replace(item, until=at, replaced_by=by)
        if item.source == source and (item.critique is None) == (by is None) and item.until is None
        else item
        for item in branch.context
    ]
