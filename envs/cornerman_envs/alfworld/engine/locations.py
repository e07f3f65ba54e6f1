"""The commands of one location.

An operator is filed under one of its precondition facts and built only when that fact first holds while the agent
is here: of the thousands of operators of a game (put any object anywhere) a player meets few.
"""

from __future__ import annotations

from collections.abc import Callable

from cornerman_envs.alfworld.engine.grounding import Ground
from cornerman_envs.alfworld.engine.joins import Row
from cornerman_envs.alfworld.engine.operators import Operator, make_operator
from cornerman_envs.alfworld.engine.schemas import Action, GroundLiteral

CommandOf = Callable[[Action, Row], str]

_MEMO_LIMIT = 2000
"""Lists of commands kept for a location; a walk through more states than that starts the memo anew."""


class Location:
    """The operators that can run at one place.

    Args:
        ground: the game.
        place: object id of the location.
        command_of: gives the command of an operator.
    """

    def __init__(self, ground: Ground, place: str, command_of: CommandOf) -> None:
        self._ground = ground
        self._command_of = command_of
        self._here = ground.here(place)
        self._operators: dict[str, list[Operator]] = {}
        self._always: set[str] = set()
        self._waiting: dict[int, list[tuple[Action, Row]]] = {}
        self._conditional: dict[int, list[tuple[int, int, str]]] = {}
        self._unbuilt = 0
        self._watched = 0
        self._depends = 0
        self._memo: dict[int, list[str]] = {}
        self._unsorted: dict[str, list[tuple[Action, GroundLiteral, list[Row]]]] = {}
        for action, bindings in (*ground.operators.get(place, {}).items(), *ground.operators.get(None, {}).items()):
            if action.watch is None:
                self._waiting.setdefault(self._here, []).extend([(action, b) for b in bindings])
                self._unbuilt |= self._here
            else:
                self._unsorted.setdefault(action.watch.predicate, []).append((action, action.watch, bindings))
                self._unbuilt |= ground.predicate_bits[action.watch.predicate]

    def admissible(self, pos: int) -> list[str]:
        """Sorted commands that do something in the state `pos`, which must be at this location.

        The list is shared between calls.
        """
        if pos & self._unbuilt:
            self._build(pos & self._unbuilt)
        key = pos & self._depends
        commands = self._memo.get(key)
        if commands is None:
            found = set(self._always)
            active = pos & self._watched
            while active:
                bit = active & -active
                active ^= bit
                for pre, npre, command in self._conditional[bit]:
                    if pos & pre == pre and not pos & npre:
                        found.add(command)
            if len(self._memo) >= _MEMO_LIMIT:
                self._memo.clear()
            commands = self._memo[key] = sorted(found)
        return commands

    def operator(self, pos: int, command: str) -> Operator | None:
        """The operator that a command runs in the state `pos`; None: the command does nothing."""
        if pos & self._unbuilt:
            self._build(pos & self._unbuilt)
        for operator in self._operators.get(command, ()):
            if pos & operator.pre == operator.pre and not pos & operator.npre:
                return operator
        return None

    def _sort(self, predicate: str) -> None:
        """File the operators that watch a fact of this predicate under that fact."""
        self._unbuilt &= ~self._ground.predicate_bits[predicate]
        bits = self._ground.bits[predicate]
        for action, watch, bindings in self._unsorted.pop(predicate):
            for binding, args in zip(bindings, map(watch.args, bindings), strict=True):
                bit = bits[args]
                if bit in self._waiting:
                    self._waiting[bit].append((action, binding))
                else:
                    self._waiting[bit] = [(action, binding)]
                    self._unbuilt |= bit

    def _build(self, due: int) -> None:
        """Build the operators filed under these bits."""
        for predicate in [p for p in self._unsorted if due & self._ground.predicate_bits[p]]:
            self._sort(predicate)
        due &= self._unbuilt
        self._unbuilt &= ~due
        self._memo.clear()
        while due:
            bit = due & -due
            due ^= bit
            conditional: list[tuple[int, int, str]] = []
            for action, binding in self._waiting.pop(bit):
                operator = make_operator(self._ground, action, binding, self._command_of(action, binding))
                if operator is None:
                    continue
                self._operators.setdefault(operator.command, []).append(operator)
                pre = operator.pre & ~self._here
                if pre or operator.npre:
                    conditional.append((pre, operator.npre, operator.command))
                    self._depends |= pre | operator.npre
                else:
                    self._always.add(operator.command)
            if conditional:
                self._conditional[bit] = conditional
                self._watched |= bit
