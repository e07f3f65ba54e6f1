"""The stock engine (textworld's `PddlEnv` under alfworld's demangler) behind the protocol of ours.

It is the reference: slow, but the definition of what a `.tw-pddl` game says and does. Needs the `alfworld` extra.
Output is untouched; `patch_stock` only removes repeated work (about twelve times) and mends what breaks elsewhere.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from cornerman.errors import MissingExtra
from cornerman_envs.alfworld.engine import Fact
from cornerman_envs.alfworld.engine.parts import parse_expression


@dataclass(slots=True, eq=False)
class StockState:
    """A moment of a stock game: the commands that led there."""

    commands: list[str] = field(default_factory=list)
    """Those that did something."""

    @property
    def moves(self) -> int:
        return len(self.commands)

    def fork(self) -> StockState:
        """An independent copy; going on from it replays its commands."""
        return StockState(self.commands.copy())

    def to_json(self) -> dict[str, object]:
        return {"commands": self.commands.copy()}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> StockState:
        """The state that `to_json` described."""
        match data:
            case {"commands": [*commands]} if all(isinstance(x, str) for x in commands):
                return cls([str(x) for x in commands])
        raise ValueError(f"a saved stock state needs commands; got {sorted(data)}")


class StockGame:
    """One game in the stock engine.

    The engine holds one moment at a time; a state other than the last one played is reached by replaying its
    commands.

    Args:
        path: a `.tw-pddl` file.
        patched: apply `patch_stock`, for the whole process, before loading.

    Raises:
        MissingExtra: the `alfworld` extra is not installed.
    """

    _live: ClassVar[StockState | None] = None
    """The state that Fast Downward is in; the games of a process share it (`_share_library`)."""

    def __init__(self, path: str | Path, patched: bool = True) -> None:
        stock = _import_stock()
        if patched:
            patch_stock()
        infos = stock.textworld.EnvInfos(won=True, admissible_commands=True, facts=True)
        with _argv_kept():
            engine = stock.pddl.PddlEnv(infos)
            self._env = stock.demangler.AlfredDemangler(engine)
            self._env.load(str(path))
        self.walkthrough: list[str] | None = engine.walkthrough
        self._raw: Any = None
        self.intro = str(self.observe(self.reset()).feedback)

    @classmethod
    def load(cls, path: str | Path) -> StockGame:
        """Load a `.tw-pddl` file with the patches applied."""
        return cls(path)

    def reset(self) -> StockState:
        return StockState()

    def step(self, state: StockState, command: str) -> str:
        self.observe(state)
        self._raw, _, _ = self._env.step(command)
        if self._raw["_last_action"] is not None:
            state.commands.append(command)
        return str(self._raw.feedback)

    def admissible(self, state: StockState) -> list[str]:
        return list(self.observe(state)["admissible_commands"])

    def won(self, state: StockState) -> bool:
        return bool(self.observe(state)["won"])

    def facts(self, state: StockState) -> list[Fact]:
        return [(fact.name, tuple(x.name for x in fact.arguments)) for fact in self.observe(state)["facts"]]

    def observe(self, state: StockState) -> Any:
        """textworld's own `GameState` of the moment: feedback, score, done and the rest."""
        if StockGame._live is not state:
            StockGame._live = state
            with _argv_kept():
                self._raw = self._env.reset()
            for command in state.commands:
                self._raw, _, _ = self._env.step(command)
        return self._raw


# ---------------------------------------------------------------- imports without traces


@dataclass(frozen=True)
class _Stock:
    textworld: Any
    pddl: Any
    demangler: Any
    fast_downward: Any


@cache
def _import_stock() -> _Stock:
    """Import the stock engine without what it does to its surroundings.

    On import, alfworld makes the folder that ALFWORLD_DATA names (or ~/.cache/alfworld) and sets the variable. It is
    shown a folder that is there, and the variable is put back. So is NumPy's global generator, from which textworld
    draws on import.
    """
    before, state = os.environ.get("ALFWORLD_DATA"), np.random.get_state()
    os.environ["ALFWORLD_DATA"] = tempfile.gettempdir()
    try:
        return _Stock(
            importlib.import_module("textworld"),
            importlib.import_module("textworld.envs.pddl.pddl"),
            importlib.import_module("alfworld.agents.environment.alfred_tw_env"),
            importlib.import_module("fast_downward"),
        )
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the stock ALFWorld engine (no module {error.name})", "alfworld") from None
    finally:
        np.random.set_state(state)
        if before is None:
            del os.environ["ALFWORLD_DATA"]
        else:
            os.environ["ALFWORLD_DATA"] = before


@contextmanager
def _argv_kept() -> Iterator[None]:
    """`fast_downward.pddl2sas` sets `sys.argv` for its option parser and leaves it so."""
    argv = sys.argv
    try:
        yield
    finally:
        sys.argv = argv


# ---------------------------------------------------------------- patches


@cache
def patch_stock() -> None:
    """Make the stock engine faster without changing what it says, and mend it for Python 3.13. Once a process."""
    stock = _import_stock()
    textgen = importlib.import_module("textworld.envs.pddl.textgen")
    _cache_parsing(textgen)
    _copy_less(textgen)
    _evaluate_without_locals(textgen)
    _cache_translation(stock.fast_downward)
    _share_library(stock.fast_downward)


def _cache_parsing(textgen: Any) -> None:
    """The same few grammar texts and queries are parsed again for each command of each step."""
    parse = textgen._parse_and_convert
    parse_query = textgen.Rule.parse_conjunctive_query

    @lru_cache(maxsize=4096)
    def parsed(text: str, rule_name: str) -> tuple[Any, ...]:
        return tuple(parse(text, rule_name=rule_name))

    class CachedRule:
        """All that textgen asks of `Rule`."""

        parse_conjunctive_query = staticmethod(lru_cache(maxsize=4096)(parse_query))

    def parse_and_convert(text: str, rule_name: str = "symbols", **_: Any) -> list[Any]:
        return [_fresh(symbol, textgen.Symbol) for symbol in parsed(text, rule_name)]

    textgen._parse_and_convert = parse_and_convert
    textgen.Rule = CachedRule


def _copy_less(textgen: Any) -> None:
    """Deep copies run through the whole game state, while only symbols are changed (they get a context)."""

    def copied(value: Any) -> Any:
        if isinstance(value, list):
            return [copied(x) for x in value]
        if isinstance(value, textgen.Symbol):
            return _fresh(value, textgen.Symbol)
        return dict(value)

    textgen.deepcopy = copied


def _fresh(symbol: Any, symbol_class: type[Any]) -> Any:
    """A copy of a symbol and of the symbols inside it, sharing everything else."""
    twin = object.__new__(type(symbol))
    for name, value in vars(symbol).items():
        inside = isinstance(value, symbol_class)
        setattr(twin, name, _fresh(value, symbol_class) if inside else value)
    return twin


def _evaluate_without_locals(textgen: Any) -> None:
    """`EvalSymbol.derive` writes into `locals()`, which has had no effect since Python 3.13 (PEP 667).

    The grammars only use sums of attributes and quoted text; those are read, not evaluated as Python.
    """
    terms_of = lru_cache(maxsize=4096)(lambda text: parse_expression(text).terms)

    def derive(self: Any, context: Any = None) -> list[Any]:
        variables = (context or self.context)["variables"]
        texts = [
            x if isinstance(x, str) else getattr(variables[x.variable], x.attribute) for x in terms_of(self.expression)
        ]
        return [textgen.TerminalSymbol("".join(texts))]

    textgen.EvalSymbol.derive = derive


def _cache_translation(fast_downward: Any) -> None:
    """Every reset translates the game twice, for one to four seconds, and each time to the same result."""
    translate: Callable[..., tuple[Any, str]] = fast_downward.pddl2sas

    @lru_cache(maxsize=8)
    def translated(domain: str, problem: str, optimize: bool) -> tuple[Any, str]:
        with _argv_kept():
            return translate(domain, problem, optimize=optimize)

    def pddl2sas(domain: str, problem: str, verbose: bool = False, optimize: bool = False) -> tuple[Any, str]:
        return translated(domain, problem, optimize)

    fast_downward.pddl2sas = pddl2sas


def _share_library(fast_downward: Any) -> None:
    """Every game copies libdownward.so to a temporary folder and maps the copy for good; unloading it crashes.

    One copy serves, as a state that it is not in is reached by replay.
    """
    fast_downward.load_lib = cache(fast_downward.load_lib)
