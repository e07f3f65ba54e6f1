"""The one error of the engine."""

from __future__ import annotations

from cornerman.errors import UsageError


class GameError(UsageError):
    """A game uses something that the engine does not play, or its text is broken.

    The message names the file (where there is one) and the construct. The stock engine plays every `.tw-pddl` file
    that is not broken.
    """

    def __init__(self, construct: str, source: str = "") -> None:
        super().__init__(f"{source or 'ALFWorld game'}: cannot read or play {construct}")
        self.construct = construct
