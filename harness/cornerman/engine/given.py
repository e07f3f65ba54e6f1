"""What a fork takes from its record at its first decision, instead of asking for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cornerman.records import Candidate, Critique

if TYPE_CHECKING:
    from cornerman.engine.instance import Instance


@dataclass(frozen=True)
class Given:
    """The part of a fork that is not left to chance: it ends when its first decision has been reviewed.

    path: names the attempt in seeds until then, so that whatever is asked anew draws what it drew in the record.
    candidates: what the actor offers; it is asked all the same, since its state moves. critiques: by a critic's label,
    what it says in that review, whatever it answers. stand_ins: by a critic's label, the instance asked in its place.
    """

    path: str
    candidates: tuple[Candidate, ...] = ()
    critiques: Mapping[str, tuple[Critique, ...]] = field(default_factory=dict)
    stand_ins: Mapping[str, Instance] = field(default_factory=dict)
