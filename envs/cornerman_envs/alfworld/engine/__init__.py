"""A fast engine for ALFWorld's `.tw-pddl` games; it plays exactly as the stock one."""

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.game import NOTHING_HAPPENS, Fact, Game
from cornerman_envs.alfworld.engine.grammar import grammar_generation
from cornerman_envs.alfworld.engine.state import State

__all__ = ["NOTHING_HAPPENS", "Fact", "Game", "GameError", "State", "grammar_generation"]
