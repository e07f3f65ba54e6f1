"""What every imported format is read into: a task's conversation, turn by turn, and how it ended."""

from __future__ import annotations

import msgspec

from cornerman.records import Critique


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent did and what answered it. thought: text beside a tool call; critiques: words with the answer."""

    action: str
    thought: str | None = None
    observation: str = ""
    critiques: tuple[Critique, ...] = ()


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded conversation. `score` in [0,1] is None where the file does not say how it ended."""

    task: str
    trial: int | None = None
    family: str = ""
    goal: str = ""
    opening: str = ""
    exchanges: tuple[Exchange, ...]
    score: float | None = None
    success: bool | None = None
