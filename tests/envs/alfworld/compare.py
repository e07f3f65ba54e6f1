"""Playing one game in both engines and comparing everything that they say."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from cornerman_envs.alfworld.engine import NOTHING_HAPPENS, Game, State
from cornerman_envs.alfworld.stock import StockGame, StockState

Walk = Callable[[Game, State], Iterator[str]]
"""Commands to play; the state is our engine's, as it goes on."""


class Mismatch(AssertionError):
    """The engines differ; the message says where."""


def compare(ours: Game, stock: StockGame, walk: Walk) -> int:
    """Play the commands of a walk in both engines from the start; the number of commands.

    Raises:
        Mismatch: a feedback, the admissible commands or their order, a fact, the end, the score or the count of moves
            differs.
    """
    state, reference = ours.reset(), stock.reset()
    if ours.intro != stock.intro:
        raise Mismatch(f"intro: {ours.intro!r} is not {stock.intro!r}")
    _compare_moment("the start", ours, state, stock, reference)
    steps = 0
    for command in walk(ours, state):
        where = f"step {steps + 1}, {command!r}"
        feedback, expected = ours.step(state, command), stock.step(reference, command)
        if feedback != expected:
            raise Mismatch(f"{where}: feedback {feedback!r} is not {expected!r}")
        raw, won = stock.observe(reference), ours.won(state)
        if (raw["score"], bool(raw["done"])) != (int(won), won):
            raise Mismatch(f"{where}: score and done of {won} are not {raw['score']} and {raw['done']}")
        _compare_moment(where, ours, state, stock, reference)
        steps += 1
    return steps


def _compare_moment(where: str, ours: Game, state: State, stock: StockGame, reference: StockState) -> None:
    commands, expected = ours.admissible(state), stock.admissible(reference)
    if commands != expected:
        raise Mismatch(f"{where}: commands differ in {sorted(set(commands) ^ set(expected)) or 'order'}")
    facts, expected_facts = sorted(ours.facts(state)), sorted(stock.facts(reference))
    if facts != expected_facts:
        raise Mismatch(f"{where}: facts differ in {sorted(set(facts) ^ set(expected_facts))}")
    if (ours.won(state), state.moves) != (stock.won(reference), reference.moves):
        raise Mismatch(f"{where}: won or moves differ")


def script(commands: Iterable[str]) -> Walk:
    """These commands."""
    return lambda game, state: iter(commands)


def wander(seed: int, steps: int) -> Walk:
    """A random walk that favours what changes the room over walking about, with some nonsense between."""

    def walk(game: Game, state: State) -> Iterator[str]:
        rng = random.Random(seed)
        for _ in range(steps):
            commands = game.admissible(state)
            at_once = [
                c for c in commands if c.startswith(("clean", "heat", "cool", "slice", "use", "open", "move", "put"))
            ]
            take = [c for c in commands if c.startswith("take")]
            useful = [c for c in commands if c.startswith("go to") and any(word in c for word in _PLACES)]
            match rng.randrange(20):
                case 0:
                    yield rng.choice(["dance", "take apple 1 from fridge 1", "  look ", "go to", "examine", ""])
                case 1 | 2 | 3 | 4 | 5:
                    yield rng.choice(at_once or take or commands)
                case 6 | 7 | 8:
                    yield rng.choice(take or useful or commands)
                case 9 | 10 | 11:
                    yield rng.choice(useful or commands)
                case _:
                    yield rng.choice(commands)

    return walk


_PLACES = ("fridge", "microwave", "sinkbasin", "countertop", "table", "desk")


def everything_once(limit: int) -> Walk:
    """Go where commands wait that were never given, and give them; so as to meet every kind of operator."""

    def walk(game: Game, state: State) -> Iterator[str]:
        given: dict[str, int] = {}
        for _ in range(limit):
            commands = game.admissible(state)
            command = min(commands, key=lambda c: (given.get(c, 0), c.startswith("go to"), c))
            given[command] = given.get(command, 0) + 1
            yield command

    return walk


__all__ = ["NOTHING_HAPPENS", "Mismatch", "Walk", "compare", "everything_once", "script", "wander"]
