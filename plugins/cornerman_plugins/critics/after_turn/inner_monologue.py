"""Inner Monologue's feedback by rule: did the action succeed, and what is there to see."""

from __future__ import annotations

import re
from typing import Literal

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Turn
from cornerman_plugins.prompting.items import one_line

SIGNS = ("nothing happens", "you stay where", "cannot", "could not", "not understand", "not a verb", "error")
BETWEEN = re.compile(r"(?:^|\s+)(?:from|to|with|in/on|in|on|into|at|using|and)\s+")


class InnerMonologue:
    """Text feedback after each action (Inner Monologue, Huang et al. 2022, arXiv 2207.05608).

    The paper's: success detection and a description of the scene, put into the planner's prompt after every action; no
    learning. The third kind, a person's answers, is not this critic. Ours: both by rule instead of by perception. An
    action failed when it was not admissible, when the answer has one of the `signs` in it, or when it left observation
    and admissible actions as they were. The scene is what the actions that are possible now speak of.

    tells: success detection, the scene, or both. show: how many things of the scene are named. signs: by which an
    answer is known to report a failure, on a command line "nothing happens|cannot"; n't is read as not.
    """

    sees = ("history", "admissible")

    def __init__(
        self, tells: Literal["success", "scene", "both"] = "both", show: int = 12, signs: str | tuple[str, ...] = SIGNS
    ) -> None:
        if show < 1:
            raise ValueError(f"show counts things, at least 1, not {show}")
        self.tells, self.show = tells, show
        self.signs = tuple(s.casefold() for s in (signs.split("|") if isinstance(signs, str) else signs))

    @hookimpl
    def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """The feedback, unless the attempt is over; the score says whether the action succeeded."""
        if turn.executed is None or turn.terminated or view.turns_left <= 0:
            return None
        done = self._succeeded(view, turn)
        parts = []
        if self.tells != "scene":
            parts.append(f"`{one_line(turn.executed)}` {'was done' if done else 'failed'}.")
        if self.tells != "success" and (scene := things(view.admissible or [])):
            more = len(scene) - self.show
            parts.append(f"Scene: {', '.join(scene[: self.show])}{f' and {more} more' if more > 0 else ''}.")
        return Critique(text=" ".join(parts), score=float(done))

    def _succeeded(self, view: View, turn: Turn) -> bool:
        if turn.admissible is False:
            return False
        told = turn.observation.casefold().replace("can't", "cannot").replace("n't", " not")
        if any(sign in told for sign in self.signs):
            return False
        before = (
            view.history[-2].observation if len(view.history) > 1 else view.opening
        )  # which has the task in it, too
        now = None if view.admissible is None else tuple(view.admissible)
        return not before.strip().endswith(turn.observation.strip()) or now != turn.admissible_actions


def things(actions: list[str]) -> list[str]:
    """What actions speak of: their words after the verb, apart at prepositions; each thing once, in order."""
    found: dict[str, None] = {}
    for action in actions:
        _, _, rest = one_line(action).partition(" ")
        found.update(dict.fromkeys(part for part in BETWEEN.split(rest.strip()) if part))
    return list(found)
