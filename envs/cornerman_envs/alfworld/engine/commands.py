"""The commands of operators, from the grammar's templates."""

from __future__ import annotations

from collections.abc import Callable

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.joins import Row
from cornerman_envs.alfworld.engine.parts import Attribute, Part, Sum
from cornerman_envs.alfworld.engine.schemas import Action
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
        return self._plain(parts, places) or self._general(parts, places, action.name)

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

    def _general(self, parts: tuple[Part, ...], places: dict[str, int], action: str) -> CommandOf:
        """Any other template; commands are kept by the objects that they depend on."""
        texts = self._texts
        reads = texts.grammar.reads_of(parts)
        kept: dict[tuple[tuple[str, str], ...], str] = {}

        def command(binding: Row) -> str:
            env = reads.restrict({name: binding[i] for name, i in places.items()}, texts.object_types)
            key = tuple(env.items())
            if key not in kept:
                text = texts.sequence(parts, env)
                if not isinstance(text, str):
                    raise GameError(f"the template of {action}, which changes with the state")
                kept[key] = text
            return kept[key]

        return command
