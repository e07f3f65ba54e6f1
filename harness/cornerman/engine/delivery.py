"""Delivery: how a critique's words enter the actor's context, or why they do not."""

from __future__ import annotations

import msgspec

from cornerman.engine.branch import Branch
from cornerman.engine.settings import Deliver, PluginSettings
from cornerman.records import ContextItem, Critique, Moment, Placement, Verdict

PLACEMENT: dict[str, Placement] = {"append": "message", "replace": "message", "suffix": "suffix", "system": "system"}


def delivery_for(settings: PluginSettings, moment: Moment) -> Deliver:
    """The delivery that holds at a moment."""
    return settings.deliver.get(moment) or settings.deliver.get("all", "append")


def words(critique: Critique) -> str:
    """The text of a critique as the actor reads it."""
    return critique.text.strip()


def silent(critique: Critique, deliver: Deliver) -> str | None:
    """Why a critique's words are not delivered, or None when they are."""
    if critique.error is not None:
        return "error"
    if critique.verdict is Verdict.UNPARSED:
        return "unparsed"
    if deliver == "suppress":
        return "suppress"
    if not words(critique):
        return "empty"
    if critique.moment == "review_action" and critique.verdict is Verdict.PASS:
        return "pass"
    return None


def deliver(branch: Branch, label: str, settings: PluginSettings, critique: Critique) -> Critique:
    """Put the words into the branch's context by the instance's delivery; returns the critique, marked."""
    how = delivery_for(settings, critique.moment)
    reason = silent(critique, how)
    if reason is not None:
        return msgspec.structs.replace(critique, delivered=False, suppressed=reason)
    if critique.moment == "review_attempt":  # the attempt is over: a protocol carries the words into the next one
        return msgspec.structs.replace(critique, delivered=True)
    if how == "replace":
        withdraw(branch, label)
    place = branch.turn + (critique.moment == "answer_request")  # an answer comes after the question's own turn
    branch.context.append(
        ContextItem(text=words(critique), placement=PLACEMENT[how], source=label, critique=critique.id, at=place)
    )
    return msgspec.structs.replace(critique, delivered=True)


def withdraw(branch: Branch, label: str) -> None:
    """Take this critic's standing messages out of the context; the record keeps until when they stood."""
    branch.context[:] = [
        msgspec.structs.replace(item, until=branch.turn) if item.source == label and item.until is None else item
        for item in branch.context
    ]
