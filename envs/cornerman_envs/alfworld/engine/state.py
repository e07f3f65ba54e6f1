"""A moment of a game: two bit sets, the agent's place, a count of moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(slots=True)
class State:
    """A moment of a game. Cheap to fork: the bit sets are immutable integers.

    `pos` has the bits of the fluent facts that hold. `neg` has the bits of those whose last change was a deletion;
    the stock engine keeps them as facts called `not_…`, and grammar queries ask for them.
    """

    pos: int
    neg: int
    location: str
    """Object id of the agent's location."""
    moves: int
    """Commands that did something, since the start."""

    def fork(self) -> State:
        """An independent copy."""
        return State(self.pos, self.neg, self.location, self.moves)

    def to_json(self) -> dict[str, object]:
        """A JSON object, with the bit sets as hexadecimal text (most JSON readers round large numbers)."""
        return {"pos": f"{self.pos:x}", "neg": f"{self.neg:x}", "location": self.location, "moves": self.moves}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> State:
        """The state that `to_json` described; it fits only the game that it came from.

        Raises:
            ValueError: the object has not the form that `to_json` gives.
        """
        match data:
            case {"pos": str(pos), "neg": str(neg), "location": str(location), "moves": int(moves)}:
                return cls(int(pos, 16), int(neg, 16), location, moves)
        raise ValueError(f"a saved state needs pos, neg, location and moves; got {sorted(data)}")
