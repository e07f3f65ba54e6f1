"""The façade: one game, played.

Plays ALFWorld's `.tw-pddl` games exactly as the stock engine does (textworld's `PddlEnv` under alfworld's
demangler): the same feedback, admissible commands, facts, end and score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import compress
from pathlib import Path

from cornerman_envs.alfworld.engine.commands import CommandBuilder
from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.grammar import TASK_LINE, load_grammar, split_task
from cornerman_envs.alfworld.engine.grounding import ground
from cornerman_envs.alfworld.engine.joins import Row
from cornerman_envs.alfworld.engine.locations import Location
from cornerman_envs.alfworld.engine.names import demangle
from cornerman_envs.alfworld.engine.operators import Operator
from cornerman_envs.alfworld.engine.parts import parse_parts
from cornerman_envs.alfworld.engine.pddl import read_problem
from cornerman_envs.alfworld.engine.queries import Env, FactTable
from cornerman_envs.alfworld.engine.schemas import load_domain
from cornerman_envs.alfworld.engine.selections import Text, render
from cornerman_envs.alfworld.engine.state import State
from cornerman_envs.alfworld.engine.text import TextBuilder

Fact = tuple[str, tuple[str, ...]]
"""Predicate and names of its arguments, as in `("inreceptacle", ("apple 1", "fridge 1"))`."""

NOTHING_HAPPENS = "Nothing happens."
"""The feedback of every command that is not admissible."""


class Game:
    """One loaded game. It is never changed by play; a `State` holds the moment.

    Attributes:
        walkthrough: commands that win, where the file has them.
        intro: the first observation, task included.
    """

    def __init__(self, data: Mapping[str, object], source: str = "") -> None:
        self._source = source
        texts = {key: data.get(key) for key in ("pddl_domain", "pddl_problem", "grammar")}
        if missing := [key for key, text in texts.items() if not isinstance(text, str)]:
            raise GameError(f"game data without the text {' and '.join(missing)}")
        walkthrough = data.get("walkthrough")
        self.walkthrough: list[str] | None = [str(x) for x in walkthrough] if isinstance(walkthrough, list) else None
        domain = load_domain(str(texts["pddl_domain"]))
        grammar, task = split_task(str(texts["grammar"]))
        problem = read_problem(str(texts["pddl_problem"]))
        self._grammar = load_grammar(grammar)
        self._ground = ground(domain, problem)
        self._names = demangle({x for _, args in problem.init for x in args})
        self._texts = TextBuilder(self._grammar, FactTable(self._ground), self._names)
        self._commands = CommandBuilder(self._texts)
        self._locations: dict[str, Location] = {}
        self._static_facts: list[Fact] | None = None
        self._fluent_facts: list[Fact] = self._ground.fluents.copy()
        self._named_bits = 0
        self._start = sum(self._ground.bits[predicate][row] for predicate, row in self._ground.start_facts)
        self.intro = self._intro(task)

    def _intro(self, task: str | None) -> str:
        """The first text; worked out for the start alone, as no other state ever asks for it."""
        texts = TextBuilder(self._grammar, FactTable(self._ground, start_only=True), self._names)
        if task is not None:
            texts.define(TASK_LINE, parse_parts(task))
        return render(texts.symbol("intro", {}), self._start, 0)

    @classmethod
    def load(cls, path: str | Path) -> Game:
        """Load a `.tw-pddl` file.

        Raises:
            GameError: the file is not such a game, or has something that this engine does not play.
            OSError: the file cannot be read.
        """
        content = Path(path).read_bytes()
        try:
            data = json.loads(content)
        except ValueError as error:
            raise GameError(f"text that is not JSON ({error})", str(path)) from None
        return cls.from_dict(data, source=str(path))

    @classmethod
    def from_dict(cls, data: Mapping[str, object], source: str = "game data") -> Game:
        """Load a game from the content of a `.tw-pddl` file; `source` names it in errors."""
        if not isinstance(data, Mapping):
            raise GameError("data that is not a JSON object", source)
        try:
            return cls(data, source)
        except GameError as error:
            raise GameError(error.construct, source) from None

    def reset(self) -> State:
        """The state at the start; its observation is `intro`."""
        return State(self._start, 0, self._ground.location, 0)

    def homes(self, thing: str) -> list[str]:
        """The receptacles that a thing can ever be in; both by players' names."""
        inside = self._ground.bits.get("inreceptacle", {})
        return [self._names[home] for item, home in inside if self._names[item] == thing]

    def relaid(self, homes: Mapping[str, str]) -> State:
        """The state at the start with some things in other receptacles, one of their `homes` each."""
        ids = {name: ident for ident, name in self._names.items()}
        inside, at = self._ground.bits["inreceptacle"], self._ground.bits["objectatlocation"]
        spots = {args[0]: args[1] for predicate, args in self._ground.static if predicate == "receptacleatlocation"}
        state = self.reset()
        for thing, home in homes.items():
            item = ids[thing]
            state.pos &= ~sum(bit for bits in (inside, at) for (one, _), bit in bits.items() if one == item)
            state.pos |= inside[item, ids[home]] | at[item, spots[ids[home]]]
        return state

    def step(self, state: State, command: str) -> str:
        """Run a command, changing `state` in place, and return the feedback.

        A command that is not admissible changes nothing and says so. Play goes on after the game is won.
        """
        try:
            operator = self._location(state.location).operator(state.pos, command.strip())
            if operator is None:
                return NOTHING_HAPPENS
            feedback = operator.feedback
            if feedback is None:
                feedback = operator.feedback = self._feedback(operator)
            pos = state.pos & ~operator.delete | operator.add
            neg = state.neg & ~operator.add | operator.delete
            told = feedback if isinstance(feedback, str) else feedback(pos, neg)
        except GameError as error:
            raise GameError(error.construct, self._source) from None
        state.pos, state.neg = pos, neg
        state.location = operator.destination or state.location
        state.moves += 1
        return told

    def admissible(self, state: State) -> list[str]:
        """The commands that do something now, sorted."""
        try:
            return self._location(state.location).admissible(state.pos).copy()
        except GameError as error:
            raise GameError(error.construct, self._source) from None

    def won(self, state: State) -> bool:
        """Whether the goal holds now."""
        pos = state.pos
        return any(pos & held == held and not pos & absent for held, absent in self._ground.goal)

    def facts(self, state: State) -> list[Fact]:
        """Everything that holds, in players' names: static facts, fluents, then `not_…` facts, each part sorted by id.

        A `not_…` fact says that the last change of a fluent was its deletion.
        """
        if self._static_facts is None:
            self._static_facts = [self._named(*atom) for atom in self._ground.static]
        facts = self._static_facts.copy()
        facts += self._selected(state.pos)
        facts += [("not_" + predicate, names) for predicate, names in self._selected(state.neg)]
        return facts

    def _feedback(self, operator: Operator) -> Text:
        action = operator.action
        env: Env = {name[1:]: x for name, x in zip(action.parameters, operator.binding, strict=False)}
        return self._texts.sequence(self._grammar.action(action.name).feedback, env)

    def _selected(self, bits: int) -> Iterator[Fact]:
        """The fluent facts of these bits; each gets its names when it is first asked for."""
        new = bits & ~self._named_bits
        self._named_bits |= new
        while new:
            lowest = new & -new
            new ^= lowest
            i = lowest.bit_length() - 1
            self._fluent_facts[i] = self._named(*self._ground.fluents[i])
        return compress(self._fluent_facts, _flags(bits))

    def _named(self, predicate: str, args: Row) -> Fact:
        return predicate, tuple([self._names[x] for x in args])

    def _location(self, place: str) -> Location:
        location = self._locations.get(place)
        if location is None:
            location = self._locations[place] = Location(self._ground, place, self._commands.command)
        return location


_ZERO_ONE = bytes.maketrans(b"01", b"\x00\x01")


def _flags(bits: int) -> bytes:
    """One byte for each bit, 0 or 1, lowest bit first."""
    return f"{bits:b}"[::-1].encode().translate(_ZERO_ONE)
