"""A second instance of a game, for those who ask for facts or plans.

Tracking them slows a game down by up to three times. The mirror pays that only when it is asked, and then only for the
commands sent since it was asked last.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import library


class Mirror:
    """Follows a game from its beginning; the game is deterministic, so that both are in the same state."""

    def __init__(self, game: Path) -> None:
        self._environment = library.start(game, facts=True, policy_commands=True)
        self.restart()

    def restart(self) -> None:
        """Back to the beginning of the game."""
        self._state = self._environment.reset()
        self._played = 0

    def _after(self, sent: Sequence[str]) -> Any:
        for command in sent[self._played :]:
            self._state, _, _ = self._environment.step(command)
        self._played = len(sent)
        return self._state

    def plan(self, sent: Sequence[str]) -> list[str]:
        """Commands that win after all that was sent since the beginning; empty when the planner knows none."""
        return list(self._after(sent).policy_commands)

    def facts(self, sent: Sequence[str]) -> list[str]:
        """What is then true of the world, as sorted propositions."""
        return sorted(map(str, self._after(sent).facts))

    def close(self) -> None:
        """End the interpreter."""
        self._environment.close()
