"""Reading PDDL, grammars, names and constants."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.envs.alfworld.small import GRAMMAR, PROBLEM

from cornerman_envs.alfworld.engine import GameError, grammar_generation
from cornerman_envs.alfworld.engine.grammar import Grammar, split_task
from cornerman_envs.alfworld.engine.names import demangle
from cornerman_envs.alfworld.engine.parts import Attribute, Call, Each, Sum, parse_expression, parse_parts
from cornerman_envs.alfworld.engine.pddl import read, read_problem, typed_list
from cornerman_envs.alfworld.engine.queries import parse_query
from cornerman_envs.alfworld.generate import GeneratedGame
from cornerman_envs.alfworld.literals import read_literals


def test_pddl_lists_comments_and_case() -> None:
    assert read("; a comment\n(AND (p ?X) ; more\n ())") == ["and", ["p", "?x"], []]
    for broken in ("(a", "a)", "(a) (b)", "a", ""):
        with pytest.raises(GameError, match="parenthes"):
            read(broken)


def test_typed_lists() -> None:
    assert typed_list(["?a", "?b", "-", "location", "?c"]) == [
        ("?a", "location"),
        ("?b", "location"),
        ("?c", "object"),
    ]
    assert typed_list(["?l", "-", "location,", "?r", "-", "r"])[0] == ("?l", "location,"), "as the stock reader has it"
    with pytest.raises(GameError, match="type"):
        typed_list(["?a", "-", ["either", "b", "c"]])


def test_problem_facts() -> None:
    problem = read_problem(PROBLEM.replace("GOAL", "()").replace("MUG", "mug_bar_1").replace("(= (total-cost) 0)", ""))
    assert problem.init[0] == ("atlocation", ("agent1", "loc_bar_0"))
    for odd in ("(not (holdsAny agent1))", "(= (weight pen_bar_1) 2.5)", "(atLocation agent1 (of pen_bar_1))"):
        with pytest.raises(GameError, match="the initial fact"):
            read_problem(PROBLEM.replace("GOAL", "()").replace("(= (total-cost) 0)", odd))


def test_right_hand_sides() -> None:
    asked = "inreceptacle(o:object, r:receptacle)"
    query = parse_query(asked)
    named = Sum((Attribute("o", "indefinite"), " ", Attribute("o", "name")))
    assert parse_parts(
        "  On the {r.name}: [{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]."
    ) == (
        "On the ",
        Sum((Attribute("r", "name"),)),
        ": ",
        Each(named, query, as_list=True),
        ".",
    )
    assert parse_parts("#look.feedback# {r.name or r.id}") == (
        Call("look.feedback"),
        " ",
        Sum((Attribute("r", "name"),)),
    )
    assert parse_parts("{#overview(o)# | holds(a:agent, o:object)}") == (
        Each(Call("overview(o)"), parse_query("holds(a:agent, o:object)"), as_list=False),
    )
    assert parse_parts("two\\nlines") == ("two\nlines",)
    assert parse_parts("") == ()


@pytest.mark.parametrize("text", ["a } b", "[{o.name}]", "a | b", '"quoted"', "// aside", "{o.name | }", "{ | p(a:b)}"])
def test_odd_right_hand_sides_are_refused(text: str) -> None:
    with pytest.raises(GameError, match="the grammar"):
        parse_parts(text)


@pytest.mark.parametrize(
    "text",
    ["__import__('os').getcwd()", "o.name.upper()", "o.__class__", "o.name * 2", "[o]", "o.name +", "3"],
)
def test_expressions_are_read_not_run(text: str) -> None:
    with pytest.raises(GameError, match="the grammar expression"):
        parse_expression(text)


@pytest.mark.parametrize("text", ["p(x)", "p(x:a) | q(y:b)", "p(x:a) & q(x:b)", "not p(x:a)", ""])
def test_odd_queries_are_refused(text: str) -> None:
    with pytest.raises(GameError, match="the grammar query"):
        parse_query(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('grammar :: """{""";', "not JSON"),
        ('grammar :: """[]""";', "not a JSON object"),
        ("rules {}", "'rules' in the grammar document where grammar or action must stand"),
        ("action a { template :: b; }", "not quoted"),
        ("action a {", "ends in the middle"),
        ("\n\naction $", r"line 3: '\$'"),
    ],
)
def test_broken_grammar_documents(text: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        Grammar(text)


def test_the_task_is_set_apart(kitchen: GeneratedGame, bedroom: GeneratedGame) -> None:
    """So that all games of a data set share one parsed grammar."""
    (left, task), (right, other) = (split_task(str(game.data["grammar"])) for game in (kitchen, bedroom))
    assert left == right
    assert task != other
    assert str(task).startswith("Your task is to: ")


def test_generations_are_told_apart() -> None:
    assert grammar_generation(GRAMMAR) == "2.1.2"
    assert grammar_generation(GRAMMAR.replace("move {o} to {r}", "put {o} in/on {r}")) == "2020"
    with pytest.raises(GameError, match=r"'drop \{o\}'"):
        grammar_generation(GRAMMAR.replace("move {o} to {r}", "drop {o}"))


def test_names() -> None:
    """Numbers run down in the order of the ids; the word basin anywhere in an id adds to its class."""
    ids = [
        "sink_bar__minus_01_dot_00_bar_sinkbasin",
        "apple_bar__plus_00_dot_10",
        "apple_bar__plus_00_dot_20",
        "agent1",
        "appletype",
    ]
    assert demangle(ids) == {
        "agent1": "agent1 ",
        "appletype": "appletype ",
        "apple_bar__plus_00_dot_10": "apple 2",
        "apple_bar__plus_00_dot_20": "apple 1",
        "sink_bar__minus_01_dot_00_bar_sinkbasin": "sinkbasin 1",
    }


def test_literals_are_read_not_run(tmp_path: Path) -> None:
    source = tmp_path / "constants.py"
    source.write_text(
        "import nothing_like_this\n"
        "raise SystemExit\n"
        "A = {'x': {1, 2}, 'y': 3}\n"
        "A['z'] = A['x']\n"
        "del A['x']\n"
        "A['w'] = [4]\n"
        "B = len(A)\n",
        encoding="utf-8",
    )
    assert read_literals(source, ["A"]) == {"A": {"y": 3, "z": {1, 2}, "w": [4]}}
    with pytest.raises(ValueError, match="line 7: not a plain literal"):
        read_literals(source, ["B"])
    with pytest.raises(ValueError, match="no C"):
        read_literals(source, ["A", "C"])
