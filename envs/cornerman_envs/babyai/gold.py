"""Gold: minigrid's bot carries out what remains, and its moves are gathered into commands.

The bot explores with the agent's own eyes and knows nothing hidden. It is no search: where it finds no way, there may
still be one.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from . import actions
from .view import HERE, View
from .world import Move, State, World, pending

LIMIT = 1000
"""Most moves that a plan may take."""

SEARCHES = 200
"""Most searches for a path between two moves; a bot that needs more is going round in circles."""

COMMANDS: dict[Move, str] = {"left": "turn left", "right": "turn right", "forward": "move forward", "drop": "drop"}


def plan(world: World, state: State) -> list[tuple[State, str]] | None:
    """Commands that win from a state that has not ended, each with the state in which it is given; None without a way.

    Whoever carries something is tried first with it in hand, then with dropping it before anything else.
    """
    for drop_first in (False, True):
        world.load(state)
        if drop_first and world.level.carrying is None:
            break
        if (played := _play(world, drop_first)) is not None:
            return _gather(world, *played)
    return None


def run(world: World, course: actions.Course) -> None:
    """Do the moves of a command, until they end the episode or something out of view is in the way."""
    for number, move in enumerate(course.moves):
        before = world.level.agent_pos
        ended = world.do(move)
        blocked = move == "forward" and tuple(world.level.agent_pos) == tuple(before)
        if ended or (blocked and number >= len(course.moves) - course.blind):
            break


def _play(world: World, drop_first: bool) -> tuple[list[State], list[Move]] | None:
    """The states and moves of the bot from the loaded state to success; None if it does not get there."""
    states, moves = [world.save()], list[Move]()
    try:
        bot = _bot(world, drop_first)
        taken = None
        while len(moves) < LIMIT:
            bot.searches = 0
            taken = bot.replan(taken)
            if taken == world.level.actions.done:
                return None
            moves.append(taken.name)
            world.do(taken.name)
            states.append(world.save())
            if world.end:
                return (states, moves) if world.end == "won" else None
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError, _minigrid().DisappearedBoxError):
        # A bot that is somewhere it does not expect to be, as after a needed thing is gone, says so in all these ways.
        return None
    return None


def _bot(world: World, drop_first: bool) -> Any:
    """A bot whose plan is what remains of the instruction."""
    bot = _bounded()(world.level)
    bot.stack = []
    remaining = pending(world.level.instrs)
    for one in reversed(remaining):
        bot._process_instr(one)
    held, first = world.level.carrying, remaining[0]
    if held is not None and not drop_first and any(held is thing for thing in _to_move(first)):
        del bot.stack[-2:]  # it has been fetched already: what is left of "put next" is to go there and to drop it
    if drop_first:
        bot._process_obs()
        place = bot._find_drop_pos()
        bot.stack += [_minigrid().DropSubgoal(bot), _minigrid().GoNextToSubgoal(bot, place)]
    return bot


def _to_move(one: Any) -> list[Any]:
    return list(one.desc_move.obj_set) if hasattr(one, "desc_move") else []


def _minigrid() -> Any:
    """The module of the bot; imported late, since the extra may be missing."""
    return importlib.import_module("minigrid.utils.baby_ai_bot")


@functools.cache
def _bounded() -> type[Any]:
    """The bot, with a bound on its searches."""

    class Bot(_minigrid().BabyAIBot):  # type: ignore[misc]
        """Minigrid's bot, which gives up where it would search for ever."""

        searches = 0

        def _breadth_first_search(self, *arguments: Any, **named: Any) -> Any:
            self.searches += 1
            if self.searches > SEARCHES:
                raise ValueError("going round in circles")
            return super()._breadth_first_search(*arguments, **named)

    return Bot


def _gather(world: World, states: list[State], moves: list[Move]) -> list[tuple[State, str]]:
    """The fewest commands, taken greedily, that lead from the first state to the last through states of the bot's.

    A command may go another way than the bot, as long as it comes to a later state of its, or wins.
    """
    last = {state: number for number, state in enumerate(states)}
    told: list[tuple[State, str]] = []
    here = 0
    while here < len(moves):
        world.load(states[here])
        view = View(world)
        after, command = here + 1, _single(view, moves[here])
        for longer in actions.admissible(view):
            world.load(states[here])
            if course := actions.course(view, longer):
                run(world, course)
            reached = world.save()
            there = len(moves) if reached.end == "won" else last.get(reached, -1)
            if there > after:
                after, command = there, longer
        told.append((states[here], command))
        here = after
    return told


def _single(view: View, move: Move) -> str:
    """The command for one move."""
    front = view.at(HERE.front)
    if move == "pickup" and front is not None:
        return f"pick up {front}"
    return COMMANDS.get(move, move)
