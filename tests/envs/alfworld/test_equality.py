"""Our engine says exactly what the stock engine says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.envs.alfworld.compare import Mismatch, Walk, compare, everything_once, script, wander
from tests.envs.alfworld.small import filling, tiny

from cornerman_envs.alfworld.engine import Game, grammar_generation
from cornerman_envs.alfworld.generate import GeneratedGame
from cornerman_envs.alfworld.official import official_games
from cornerman_envs.alfworld.stock import StockGame

pytestmark = pytest.mark.usefixtures("stock_engine")


def save(folder: Path, data: dict[str, object]) -> Path:
    path = folder / "game.tw-pddl"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("walk", [wander(seed=1, steps=80), everything_once(limit=60)], ids=["wander", "everything"])
def test_generated_kitchen(kitchen: GeneratedGame, tmp_path: Path, walk: Walk) -> None:
    path = save(tmp_path, kitchen.data)
    assert compare(Game.load(path), StockGame(path), walk) > 50


def test_generated_bedroom_walkthrough_and_beyond(bedroom: GeneratedGame, tmp_path: Path) -> None:
    """Play goes on, and stays equal, after the game is won."""
    path = save(tmp_path, bedroom.data)
    game = Game.load(path)
    assert game.walkthrough
    after = ["look", "inventory", "help", *game.walkthrough, "use desklamp 1", "use desklamp 1", "examine desklamp 1"]
    compare(game, StockGame(path), script([*game.walkthrough, *after]))


def test_treatments_in_every_order(kitchen: GeneratedGame, tmp_path: Path) -> None:
    """Hot, cool, clean and sliced show in what `examine` says; heating and cooling undo each other."""
    path = save(tmp_path, kitchen.data)
    game = Game.load(path)
    assert game.walkthrough
    commands = [*game.walkthrough[:-1]]
    thing = next(c for c in commands if c.startswith("take ")).split(" from ")[0].removeprefix("take ")
    microwave, fridge, basin = "microwave 1", "fridge 1", "sinkbasin 1"
    for verb, place in (("heat", microwave), ("cool", fridge), ("clean", basin), ("heat", microwave), ("cool", fridge)):
        commands += [f"go to {place}", f"open {place}", f"{verb} {thing} with {place}", f"examine {thing}", "inventory"]
    compare(game, StockGame(path), script(commands))


@pytest.mark.parametrize("place", [3, 47, 88, 111])
def test_official_games(official_data: Path, place: int) -> None:
    path = official_games(official_data, "valid_seen")[place].path
    ours, stock = Game.load(path), StockGame(path)
    assert ours.walkthrough
    compare(ours, stock, script(ours.walkthrough))
    compare(ours, stock, wander(seed=place, steps=50))


def as_of_2020(data: dict[str, object]) -> dict[str, object]:
    """The game as its 2020 edition has it: the reverse of alfworld's patch from 2.1.1 to 2.1.2."""
    grammar = str(data["grammar"])
    for new, old in (
        ("You arrive at {r.name}.", "You arrive at {lend.name}."),
        ("move {o} to {r}", "put {o} in/on {r}"),
        ("You move the {o.name} to the {r.name}.", "You put the {o.name} in/on the {r.name}."),
    ):
        assert new in grammar
        grammar = grammar.replace(new, old)
    grammar = grammar[: grammar.index("action help")]
    domain = re.sub(r"\(:action help.*?\n\)\n", "", str(data["pddl_domain"]), flags=re.DOTALL)
    return {**data, "grammar": grammar, "pddl_domain": domain}


def test_the_generation_of_2020(kitchen: GeneratedGame, tmp_path: Path) -> None:
    data = as_of_2020(kitchen.data)
    assert grammar_generation(str(kitchen.data["grammar"])) == "2.1.2"
    assert grammar_generation(str(data["grammar"])) == "2020"
    path = save(tmp_path, data)
    game = Game.load(path)
    assert game.walkthrough
    old = [re.sub(r"^move (.*) to (.*)$", r"put \1 in/on \2", command) for command in game.walkthrough]
    compare(game, StockGame(path), script(["help", *old]))
    compare(game, StockGame(path), wander(seed=5, steps=40))
    state = game.reset()
    assert game.step(state, "go to fridge 1").startswith("You arrive at loc ")
    for command in old:
        game.step(state, command)
    assert game.won(state)


@pytest.mark.parametrize("data", [tiny(), filling()], ids=["tiny", "filling"])
def test_another_domain_of_the_dialect(data: dict[str, object], tmp_path: Path) -> None:
    path = save(tmp_path, data)
    game, stock = Game.load(path), StockGame(path)
    for walk in (everything_once(limit=60), wander(seed=2, steps=60)):
        compare(game, stock, walk)


def test_the_comparison_sees_a_difference(bedroom: GeneratedGame, tmp_path: Path) -> None:
    """Guards the other tests: one changed word in one feedback is found."""
    path = save(tmp_path, bedroom.data)
    grammar = str(bedroom.data["grammar"]).replace("You open the", "You pull open the")
    changed = Game.from_dict({**bedroom.data, "grammar": grammar})
    stock = StockGame(path)
    drawer = next(c for c in changed.admissible(changed.reset()) if c.startswith("go to drawer"))
    with pytest.raises(Mismatch, match="pull open"):
        compare(changed, stock, script([drawer, drawer.replace("go to", "open")]))
