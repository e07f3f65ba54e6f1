"""How a game is shown to a person: in colours on a terminal, in plain lines in a pipe, and never as markup."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.text import Text

from cornerman.environment import Step
from cornerman.visible import visible


class Screen:
    """Where a game is shown. Words of the environment are printed as they are: no markup, no emoji codes, no links."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty()
        self._tools: list[str] = []
        self._console = Console(
            highlight=False, markup=False, emoji=False, soft_wrap=not self.terminal, force_terminal=self.terminal
        )

    def say(self, text: str = "", style: str = "") -> None:
        """One paragraph."""
        self._console.print(Text(visible(text), style=style if self.terminal else ""))

    def opening(self, step: Step, title: str) -> None:
        """What stands before the first turn."""
        self.say(title, "bold")
        self.say(f"Goal: {step.goal}", "bold cyan")
        if step.policy:
            self.say(f"Rules: {step.policy}", "cyan")
        self.say()

    def moment(self, step: Step, turn: int, turns: int, show_admissible: bool) -> None:
        """The observation, what can be done, and how it stands; tools are shown when they are new or have changed."""
        self.say(step.observation)
        self.say()
        tools = [json.dumps(tool, ensure_ascii=False) for tool in step.tools or ()]
        if tools != self._tools:
            self._tools = tools
            for tool in tools:
                self.say(f"tool: {tool}", "magenta")
        if show_admissible and step.admissible is not None:
            for number, action in enumerate(step.admissible, 1):
                self._console.print(Text.assemble((f"{number:>3}  ", "dim" if self.terminal else ""), visible(action)))
        self.say(f"[turn {turn} of {turns}, score {step.score:.2f}]", "dim")
