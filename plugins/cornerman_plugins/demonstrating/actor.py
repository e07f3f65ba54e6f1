"""An actor to imitate: gold with slips, that follows the advice in its context."""

from __future__ import annotations

from cornerman import Candidate, hookimpl
from cornerman.engine.view import View
from cornerman.errors import ActorError
from cornerman_plugins.actors.llm_choose import LLMChoose


class DemonstrateAction:
    """Shows `llm-choose` what to do, in its own prompts. Privileged; needs a model that takes the first choice.

    Advice comes first: the first command in its words that is admissible and was not done yet, right or wrong. Else it
    is the next gold action. slip: probability of any other admissible command, whatever was advised. follow:
    probability that an attempt heeds advice at all. list_commands: as in `llm-choose`.
    """

    sees = ("history", "admissible", "policy", "gold")

    def __init__(self, slip: float = 0.3, follow: float = 1.0, list_commands: bool = False) -> None:
        for option, value in (("slip", slip), ("follow", follow)):
            if not 0 <= value <= 1:
                raise ValueError(f"{option} is a probability, not {value}")
        self.slip, self.follow = slip, follow
        self._student = LLMChoose(list_commands=list_commands)

    @hookimpl
    async def act(self, view: View) -> Candidate:
        """The command to imitate, written down with what else was admissible."""
        commands = view.admissible
        if not commands:
            raise ActorError("demonstrate-action chooses among admissible commands and was shown none here")
        rng = view.rng()
        heeds = view.state.setdefault("heeds", rng.random() < self.follow)
        gold = await view.gold()
        wanted = (self._advised(view, commands) if heeds else None) or (gold[0] if gold else None)
        others = [c for c in commands if c != wanted]
        if wanted is None or (others and rng.random() < self.slip):
            wanted = rng.choice(others)
        choices = (wanted, *(c for c in commands if c != wanted))
        reply = await view.model.generate(self._student.render(view), purpose="act", choices=choices)
        return Candidate(text=wanted, call=reply.call)

    @staticmethod
    def _advised(view: View, commands: list[str]) -> str | None:
        done = {turn.executed for turn in view.history}
        words = " ".join(item.text.lower() for item in view.context if item.role == "guidance")
        found = {command: words.find(command.lower()) for command in commands if command not in done}
        named = [command for command, place in found.items() if place >= 0]
        return min(named, key=lambda command: found[command], default=None)
