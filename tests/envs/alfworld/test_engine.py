"""The engine's façade: play, fork, save, refuse."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from tests.envs.alfworld.small import DOMAIN, GRAMMAR, filling, tiny

from cornerman.errors import UsageError
from cornerman_envs.alfworld.engine import NOTHING_HAPPENS, Game, GameError, State
from cornerman_envs.alfworld.generate import GeneratedGame


def test_plays_a_tiny_game() -> None:
    game = Game.from_dict(tiny())
    state = game.reset()
    assert game.intro == "A room with desk 1, and shelf 1. Your task is to: tidy."
    assert game.admissible(state) == ["go to desk 1", "go to shelf 1"]
    assert game.step(state, "go to shelf 1") == "You are at the shelf 1. There is a mug 2, and a mug 1."
    assert game.admissible(state) == ["go to desk 1", "take mug 1 from shelf 1", "take mug 2 from shelf 1"]
    assert game.step(state, "  go to desk 1 ") == "You are at the desk 1. There is a pen 1."
    assert game.step(state, "take pen 1 from desk 1") == "You have the pen 1."
    assert game.step(state, "take pen 1 from desk 1") == NOTHING_HAPPENS
    assert not game.won(state)
    game.step(state, "go to shelf 1")
    told = game.step(state, "move pen 1 to shelf 1")
    assert told == "You put pen 1 down. There is a pen 1.", "the action binds o, also where another rule asks for it"
    assert game.won(state)
    assert state.moves == 5


def test_a_deleted_fact_is_remembered() -> None:
    """The `not_` facts tell what was deleted last, as the stock engine does; never what was never there."""
    game = Game.from_dict(tiny())
    state = game.reset()
    assert not [name for name, _ in game.facts(state) if name.startswith("not_")]
    for command in ("go to desk 1", "take pen 1 from desk 1"):
        game.step(state, command)
    gone = ("not_inreceptacle", ("pen 1", "desk 1"))
    assert gone in game.facts(state)
    game.step(state, "move pen 1 to desk 1")
    assert gone not in game.facts(state)
    assert ("not_holds", ("agent1 ", "pen 1")) in game.facts(state)


def test_forks_go_their_own_ways(kitchen: GeneratedGame) -> None:
    game = Game.from_dict(kitchen.data)
    state = game.reset()
    assert game.walkthrough
    for i, command in enumerate(game.walkthrough):
        twin = state.fork()
        before = game.facts(state)
        game.step(twin, command)
        assert game.facts(state) == before, f"command {i} reached the fork's origin"
        state = twin
    assert game.won(state)
    assert not game.won(game.reset())


def test_a_state_survives_json(kitchen: GeneratedGame) -> None:
    """In another copy of the game, too."""
    game, other = Game.from_dict(kitchen.data), Game.from_dict(kitchen.data)
    state = game.reset()
    assert game.walkthrough
    for command in game.walkthrough[:-1]:
        game.step(state, command)
    saved = State.from_json(json.loads(json.dumps(state.to_json())))
    assert saved == state
    assert other.admissible(saved) == game.admissible(state)
    assert other.step(saved, game.walkthrough[-1]) == game.step(state, game.walkthrough[-1])
    assert other.won(saved)


@pytest.mark.parametrize("data", [{}, {"pos": 3}, {"pos": "1", "neg": "zz", "location": "x", "moves": 0}])
def test_a_broken_state_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"pos|invalid literal"):
        State.from_json(data)


def test_answers_do_not_alias_the_tables(kitchen: GeneratedGame) -> None:
    game = Game.from_dict(kitchen.data)
    state = game.reset()
    expected_commands, expected_facts = game.admissible(state), game.facts(state)
    game.admissible(state).clear()
    game.facts(state).clear()
    assert game.admissible(state) == expected_commands
    assert game.facts(state) == expected_facts


def test_admissible_commands_are_those_that_do_something(kitchen: GeneratedGame) -> None:
    game = Game.from_dict(kitchen.data)
    state = game.reset()
    everything: set[str] = set()
    for command in game.walkthrough or []:
        everything |= set(game.admissible(state))
        game.step(state, command)
    now = set(game.admissible(state))
    for command in everything:
        assert (game.step(state.fork(), command) != NOTHING_HAPPENS) == (command in now), command


DERIVED = "(:derived (full ?o - thing) (holds agent1 ?o))"
FORALL = "(:action a :parameters () :precondition (forall (?o - thing) (full ?o)) :effect (full mug_bar_1))"
NO_MUG = "(not (exists (?r - receptacle) (inReceptacle mug_bar_1 ?r)))"
TELEPORT = "(:action a :parameters (?a - agent ?l - location) :precondition () :effect (atLocation ?a ?l))"
UNTYPED = "(:action a :parameters (o - thing) :precondition () :effect (full o))"
UNKNOWN_OBJECT = "(:action a :parameters () :precondition () :effect (full lamp_bar_1))"
FEEDBACK_LOOP = "(:action a :parameters (?o - thing) :precondition (full ?o) :effect (when (full ?o) (not (full ?o))))"


@pytest.mark.parametrize(
    ("data", "construct"),
    [
        (tiny(extra=DERIVED), "domain section :derived"),
        (tiny(extra=FORALL), "(forall (?o - thing) (full ?o))"),
        (tiny(goal=NO_MUG), "not (exists"),
        (tiny(goal="(>= (total-cost) 3)"), "(>= (total-cost) 3)"),
        (tiny(extra=TELEPORT), "action a: it leaves the agent in no place or in two"),
        (tiny(extra=FEEDBACK_LOOP), "a conditional effect that feeds a precondition: full"),
        (tiny(goal="(inReceptacle ?x shelf_bar_1)"), "a variable that nothing declares among ?x"),
        (tiny(domain=DOMAIN[:-3]), "not one list in matching parentheses"),
        (tiny(grammar=GRAMMAR.replace("{o.definite}", "{o.name.upper()}")), "{o.name.upper()}"),
        (tiny(grammar=GRAMMAR.replace("go to {r}", "go; to {r}")), "'go; to {r}', at character 3"),
        (tiny(grammar=GRAMMAR.replace("action PutObject", "# none")), "action putobject: the grammar has no template"),
        (tiny(grammar=GRAMMAR.replace("#inside#", "#outside#")), "#outside#, which has no rule"),
        (tiny(grammar=GRAMMAR.replace("go to {r}", "go to #inside#")), "the template of gotolocation, which changes"),
        (
            tiny(goal="(inReceptacle pen_bar_1)"),
            "the goal: (inreceptacle pen_bar_1), which no predicate declaration fits",
        ),
        (tiny(goal="(tidy pen_bar_1)"), "the goal: (tidy pen_bar_1), which no predicate declaration fits"),
        (tiny(extra=UNTYPED), "the parameter o without a question mark"),
        (tiny(extra=UNKNOWN_OBJECT), "the object lamp_bar_1, which the problem does not declare"),
        (tiny(grammar=GRAMMAR.replace('"rhs": "There is nothing."', '"lhs": 3')), "its rule {'lhs': 3}"),
        (tiny(mug="mug_bar_1 - cup"), "atom inreceptacle meets facts of several signatures"),
        ({"grammar": GRAMMAR}, "pddl_domain and pddl_problem"),
    ],
)
def test_what_it_does_not_play_it_names(data: dict[str, object], construct: str, tmp_path: Path) -> None:
    """On loading, or when the construct is first needed; never by playing it wrong."""
    path = tmp_path / "odd.tw-pddl"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(GameError) as caught:
        play(path)
    assert construct in str(caught.value)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, UsageError)


def play(path: Path) -> None:
    game = Game.load(path)
    state = game.reset()
    for command in ("go to desk 1", "take pen 1 from desk 1", "go to shelf 1", "move pen 1 to shelf 1"):
        game.admissible(state)
        assert game.step(state, command) != NOTHING_HAPPENS


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_damaged_games_are_played_or_refused(start: int) -> None:
    """A word lost, doubled or changed somewhere never ends in another error than `GameError`."""
    played = refused = 0
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        data = filling()
        key = rng.choice(list(data))
        words = re.findall(r"\s+|[\w?.-]+|.", str(data[key]), re.DOTALL)
        place = rng.randrange(len(words))
        words[place : place + rng.randint(0, 1)] = rng.choice([[], [rng.choice(words)]])
        data[key] = "".join(words)
        try:
            game = Game.from_dict(data)
            state = game.reset()
            while state.moves < 15 and (commands := game.admissible(state)):
                game.step(state, rng.choice(commands))
                game.facts(state)
            played += 1
        except GameError:
            refused += 1
    assert played > 10
    assert refused > 10


def test_a_file_that_is_no_game(tmp_path: Path) -> None:
    path = tmp_path / "game.tw-pddl"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(GameError, match=r"game\.tw-pddl: cannot read or play text that is not JSON"):
        Game.load(path)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(GameError, match="data that is not a JSON object"):
        Game.load(path)


def test_more_of_the_dialect() -> None:
    """Subtypes, disjunctions, existential and negated conditions, constants and inequality in goals."""
    game = Game.from_dict(filling())
    state = game.reset()
    game.step(state, "go to shelf 1")
    assert [c for c in game.admissible(state) if c.startswith("fill")] == ["fill mug 1", "fill mug 2"]
    assert game.step(state, "fill mug 1") == "The mug 1 is full."
    assert [c for c in game.admissible(state) if c.startswith("fill")] == ["fill mug 2"]
    game.step(state, "take mug 1 from shelf 1")
    assert "fill mug 1" in game.admissible(state), "the other disjunct asks only that it is held"
    assert "rinse mug 1" not in game.admissible(state), "a mug is a thing, not a cup"
    game.step(state, "fill mug 2")
    assert not game.won(state)
    game.step(state, "move mug 1 to shelf 1")
    assert game.won(state)
