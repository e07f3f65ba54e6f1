"""The suites: the first seeds of each game in a fold."""

from __future__ import annotations

from cornerman.suites import Rules, Suite
from cornerman_envs.textworldexpress.env import GAMES
from cornerman_envs.textworldexpress.spec import task_of

RULES = Rules(max_turns=100)
"""The package's own limit."""


def _suite(kind: str, games: tuple[str, ...], fold: str, each: int) -> Suite:
    chosen = tuple(task_of(game, fold, number) for game in games for number in range(each))
    return Suite(
        name=f"twx-{kind}",
        tasks=chosen,
        rules=RULES,
        description=f"{len(chosen)} TextWorld-Express games of {len(games)} kinds, fold {fold}",
    )


def smoke() -> Suite:
    """Five kinds of games, one each."""
    return _suite("smoke", ("twc", "coin", "mapreader", "sorting", "simonsays"), "dev", 1)


def dev() -> Suite:
    """Six games of each kind."""
    return _suite("dev", GAMES, "dev", 6)


def test() -> Suite:
    """25 games of each kind."""
    return _suite("test", GAMES, "test", 25)
