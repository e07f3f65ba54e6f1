"""The commands of operators, from the grammar's templates."""

from __future__ import annotations

from collections.abc import Callable

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.joins import Row
from cornerman_envs.alfworld.engine.parts import Attribute, Part, Sum
from cornerman_envs.alfworld.engine.schemas import Action, key_of
from cornerman_envs.alfworld.engine.text import TextBuilder

CommandOf = Callable[[Row], str]


class CommandBuilder:
    """Commands of one game."""

    def __init__(self, texts: TextBuilder) -> None:
        self._texts = texts
        self._templates: dict[str, CommandOf] = {}

    def command(self, action: Action, binding: Row) -> str:
        """What a player types to run this action on the objects of `binding`."""
        template = self._templates.get(action.name)
        if template is None:
            template = self._templates[action.name] = self._compile(action)
        return template(binding)

    def _compile(self, action: Action) -> CommandOf:
        parts = self._texts.grammar.action(action.name).template
        places = {name[1:]: i for i, name in enumerate(action.parameters)}
        return self._plain(parts, places) or self._general(parts, places, action)

    def _plain(self, parts: tuple[Part, ...], places: dict[str, int]) -> CommandOf | None:
        """Templates of text and names of parameters only, such as `take {o} from {r}`."""
        pattern: list[str | int] = []
        for part in parts:
            match part:
                case str(text):
                    pattern.append(text)
                case Sum((Attribute(variable, "name"),)) if variable in places:
                    pattern.append(places[variable])
                case _:
                    return None
        names = self._texts.names
        return lambda b: "".join([x if isinstance(x, str) else names[b[x]] for x in pattern])

    def _general(self, parts: tuple[Part, ...], places: dict[str, int], action: Action) -> CommandOf:
        """Any other template; commands are kept by the objects that they depend on."""
        texts = self._texts
        variables, types = texts.grammar.reads_of(parts).relevant(places)
        used = {v: i for v, i in places.items() if v in variables or action.slot_types["?" + v] in types}
        values = key_of(tuple(used.values()))
        kept: dict[Row, str] = {}

        def command(binding: Row) -> str:
            row = values(binding)
            if row not in kept:
                text = texts.sequence(parts, dict(zip(used, row, strict=True)))
                if not isinstance(text, str):
                    raise GameError(f"the template of {action.name}, which changes with the state")
                kept[row] = text
            return kept[row]

        return command
