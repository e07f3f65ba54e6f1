"""The supervisor's form: twelve failures, a status and a guidance; how it is asked for and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cornerman_plugins.prompting.fields import labelled, one_of
from cornerman_plugins.prompting.items import one_line

FAMILIES: dict[str, dict[str, str]] = {
    "specification": {
        "task-spec violation": "it breaks a requirement of the task",
        "role violation": "it does what is not its part to do",
        "step repetition": "it repeats steps that are done",
        "unaware of termination": "it goes on although the task is complete, or would stop too early",
    },
    "reasoning": {
        "problem misidentification": "it works on another problem than the task's",
        "wrong tool": "it uses an action or tool that cannot do what is needed",
        "hallucination": "it relies on what was never observed",
        "information processing": "it misreads or overlooks what was observed",
    },
    "course": {
        "derailment": "it has left a course that was working",
        "goal deviation": "it pursues another goal than the task's",
        "context handling": "it has lost what it knew from earlier turns",
        "verification failure": "it does not check what it has to check",
    },
}
"""The paper's twelve names, four by four. It counts four families; where it parts the third was not found, and these
three names, as the wording, are ours."""
CATEGORIES: dict[str, str] = {name: what for family in FAMILIES.values() for name, what in family.items()}
STATUSES = ("on track", "needs correction", "critical intervention")
"""From the mildest to the severest."""


class Detection(NamedTuple):
    """One category that was found: what shows it, and what to do."""

    category: str
    evidence: str = ""
    recovery: str = ""


class Feedback(NamedTuple):
    """What a supervisor wrote."""

    detected: tuple[Detection, ...]
    status: str
    guidance: str

    def words(self, full: bool = True) -> str:
        """As the actor is told it; the guidance alone unless `full`."""
        if not full:
            return self.guidance
        lines = [f"Supervisor: {self.status}."]
        for category, evidence, recovery in self.detected:
            said = [part for part in (one_line(evidence) if evidence else "", recovery and one_line(recovery)) if part]
            lines.append(f"{category.capitalize()}: {' '.join(said)}" if said else f"{category.capitalize()}.")
        return "\n".join([*lines, *([self.guidance] if self.guidance else [])])


def form() -> str:
    """The form as a prompt asks for it."""
    names = "\n".join(f"- {name}: {what}" for name, what in CATEGORIES.items())
    return (
        f"Look for these failures:\n{names}\n\n"
        "For each of them, in this order, write\n"
        "CATEGORY: its name\nDETECTED: yes or no\n"
        "and where you detected it\nEVIDENCE: the turns that show it\nRECOVERY_ACTION: what the agent has to do\n\n"
        f"Then write\nTASK_STATUS: {', '.join(STATUSES[:-1])} or {STATUSES[-1]}\n"
        "OVERALL_GUIDANCE: one or two sentences to the agent"
    )


def read(text: str) -> Feedback | None:
    """A written form. None unless every category, the status and the guidance stand there once, in their own words."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if labelled(line, ["CATEGORY"]) or labelled(line, ["TASK_STATUS"]):
            blocks.append([])
        blocks[-1].append(line)
    *categories, last = ("\n".join(block) for block in blocks[1:]) if len(blocks) > 1 else ("",)
    end = labelled(last, ["TASK_STATUS", "OVERALL_GUIDANCE"])
    status = one_of(end["TASK_STATUS"], STATUSES) if end else None
    found = [judged(block) for block in categories]
    named = [name for name, _ in (f for f in found if f)]
    if end is None or status is None or None in found or sorted(named) != sorted(CATEGORIES):
        return None
    detected = tuple(detection for _, detection in (f for f in found if f) if detection)
    return Feedback(detected, status, one_line(end["OVERALL_GUIDANCE"]) if end["OVERALL_GUIDANCE"] else "")


def judged(block: str) -> tuple[str, Detection | None] | None:
    """The category of a block, and what was found of it. None where the block cannot be read."""
    parts = labelled(block, ["CATEGORY", "DETECTED", "EVIDENCE", "RECOVERY_ACTION"])
    short = parts or labelled(block, ["CATEGORY", "DETECTED"])
    if short is None:
        return None
    name, answer = one_of(short["CATEGORY"], tuple(CATEGORIES)), one_of(short["DETECTED"], ("yes", "no"))
    if name is None or answer is None or (answer == "yes" and parts is None):
        return None
    if answer == "no" or parts is None:
        return name, None
    return name, Detection(name, parts["EVIDENCE"], parts["RECOVERY_ACTION"])


def shortest(feedbacks: Sequence[Feedback | None], full: bool) -> int | None:
    """Which of several that could be read has the fewest letters, ties to the first; None where none could be."""
    lengths: Mapping[int, int] = {i: len(f.words(full)) for i, f in enumerate(feedbacks) if f is not None}
    return min(lengths, key=lengths.__getitem__) if lengths else None
