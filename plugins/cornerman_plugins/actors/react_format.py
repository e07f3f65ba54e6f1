"""The ReAct answer: a thought, then an action or a question, each under its label; read from whatever a model wrote.

Yao et al. 2023, "ReAct: Synergizing Reasoning and Acting in Language Models" (arXiv 2210.03629), section 2.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from typing import NamedTuple

LABEL = re.compile(
    r"(?:^[ \t>*_#`-]*|(?<=[.!?])[ \t]+\**)(thought|action|ask)[ \t*_`]*:[ \t*]*", re.IGNORECASE | re.MULTILINE
)
"""A label at the start of a line or of a sentence, emphasis around it allowed."""
FENCE = re.compile(r"\A\s*```(?:json)?[ \t]*\n")
DECODER = json.JSONDecoder(strict=False)
"""Line breaks within strings are let through: whether a call is valid is for the environment to say."""
QUOTES = "`\"'"
FALLBACK = 200
"""Longest action, in characters, that is made of an answer in which none could be read."""
CUTOFF = 0.6
"""Least similarity (difflib's ratio) at which an action is taken for the nearest admissible one."""


class Answer(NamedTuple):
    """What was read: at most one of action and question; neither where the model only thought or kept no format."""

    thought: str | None = None
    action: str | None = None
    question: str | None = None


def read(raw: str, *, questions: bool = False) -> Answer:
    """The first action (or question, where those are allowed) in an answer, and the thought before it.

    An action is one line, or a JSON object or list on as many as it takes; what a model dreams up after it
    (observations, further turns) is not looked at. An answer that is JSON from its first letter on needs no label.
    """
    if call := json_at_start(raw):
        return Answer(action=call)
    thought = None
    labels = [m for m in LABEL.finditer(raw) if questions or m[1].lower() != "ask"]
    for i, label in enumerate(labels):
        kind = label[1].lower()
        text = raw[label.end() : labels[i + 1].start() if i + 1 < len(labels) else len(raw)].strip()
        if not text:
            continue
        if kind == "action":
            # A label within a string of the call is none.
            return Answer(thought, action=json_at_start(raw[label.end() :]) or bare(first_line(text)))
        if kind == "ask":
            return Answer(thought, question=" ".join(text.split()))
        thought = thought or " ".join(text.split())
    return Answer(thought)


def json_at_start(text: str) -> str | None:
    """The JSON object or list that a text begins with, as it was written; a Markdown fence before it is left out."""
    text = FENCE.sub("", text).lstrip()
    if not text.startswith(("{", "[")):
        return None
    try:
        return text[: DECODER.raw_decode(text)[1]]
    except (ValueError, RecursionError):
        return None


def first_line(text: str) -> str:
    """The first line with anything on it, stripped; empty when there is none."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def bare(action: str) -> str:
    """An action without quotes or emphasis around it."""
    action = action.strip().removesuffix("**").strip()
    while len(action) > 1 and action[0] in QUOTES and action.count(action[0]) == 2 and action[-1] == action[0]:
        action = action[1:-1].strip()
    return action


def listed_as(action: str, admissible: Sequence[str] | None, *, nearest: bool = False) -> str | None:
    """The admissible action that is meant: equal up to case, spaces and a closing dot, or `nearest` in its letters."""
    known = {_folded(a): a for a in reversed(admissible or ())}
    wanted = _folded(action)
    for spelling in (wanted, wanted.rstrip(".! ")):
        if spelling in known:
            return known[spelling]
    close = difflib.get_close_matches(wanted, known, n=1, cutoff=CUTOFF) if nearest else []
    return known[close[0]] if close else None


def written(thought: str | None, action: str | None) -> str:
    """An answer in the format."""
    lines = [f"Thought: {thought}"] if thought else []
    return "\n".join([*lines, *([f"Action: {action}"] if action is not None else [])])


def _folded(action: str) -> str:
    return " ".join(action.casefold().split())
