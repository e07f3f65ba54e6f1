"""`cornerman list`: what every entry says of itself, what is missing for it, and the runs of a folder."""

from __future__ import annotations

import os

import pytest
from tests.support.command import CommandLine

from cornerman.errors import UsageError
from cornerman.registry import Entry, Registry
from cornerman.store import EPISODES

CRITIC = """
from typing import Literal
import cornerman

class Odd:
    '''Sees more when asked to.'''
    def __init__(self, k: int = 3, kind: Literal["a", "b"] = "a", gold: bool = True) -> None:
        self.sees = ("history", "gold") if gold else ("history",)
    @cornerman.hookimpl
    def review_turn(self, view): return None
    @cornerman.hookimpl
    def on_task_start(self, view): return None

class Strict(Odd):
    def __init__(self, file: str) -> None: ...

@cornerman.hookimpl
def register(registry):
    registry.add("critic", "odd", Odd, paper="arXiv 2303.11366", basis="rule", experiment="advice-study")
    registry.add("critic", "strict", Strict)
    registry.add("critic", "broken", "no_such_module:X")
    registry.add("suite", "mine", lambda: None, variables=("MY_GAMES",))
    registry.add("environment", "lab/Odd-v1", lambda: None, programs=("oddity",))
"""


@pytest.fixture
def listing(command: CommandLine) -> CommandLine:
    """A command line with a plug-in of its own."""
    (command.folder / "odd.py").write_text(CRITIC)
    command.plugin = command.folder / "odd.py"
    return command


def test_json_says_what_a_critic_s_class_declares(listing: CommandLine) -> None:
    rows = {row["name"]: row for row in listing("list", "critics", "--json").json}
    odd = rows["odd"]
    assert odd["options"] == [
        {"name": "k", "default": 3, "required": False, "type": "int"},
        {"name": "kind", "default": "a", "required": False, "type": "Literal['a', 'b']"},
        {"name": "gold", "default": True, "required": False, "type": "bool"},
    ]
    assert (odd["hooks"], odd["sees"], odd["privileged"]) == (
        ["on_task_start", "review_turn"],
        ["gold", "history"],
        True,
    )
    assert (odd["paper"], odd["basis"], odd["experiment"]) == ("arXiv 2303.11366", "rule", "advice-study")
    assert (odd["available"], odd["problem"]) == (True, None)
    assert rows["strict"]["options"] == [{"name": "file", "default": None, "required": True, "type": "str"}]
    assert "cannot be made without options" in rows["strict"]["problem"]
    assert "no_such_module" in rows["broken"]["problem"]
    rules = rows["rules"]
    assert {"name": "veto", "default": False, "required": False, "type": "bool"} in rules["options"]
    assert (rules["hooks"], rules["privileged"]) == (["review_action"], False)


def test_programs_that_the_machine_has_to_have(listing: CommandLine) -> None:
    listing.variables["ODDITY_HOME"] = str(listing.folder)
    assert "\tinstall oddity" in listing("list", "environments").out
    row = next(r for r in listing("list", "environments", "--json").json if r["name"] == "lab/Odd-v1")
    assert (row["available"], row["absent"]) == (False, ["oddity"])
    program = listing.folder / "bin" / "oddity"
    program.parent.mkdir()
    program.touch(mode=0o755)
    row = next(r for r in listing("list", "environments", "--json").json if r["name"] == "lab/Odd-v1")
    assert (row["available"], row["absent"]) == (True, [])


def test_data_that_a_variable_has_to_name(listing: CommandLine) -> None:
    listing.variables["MY_GAMES"] = ""
    assert "mine\t\t" in listing("list", "suites").out
    assert "\tset MY_GAMES to a folder" in listing("list", "suites").out
    row = next(r for r in listing("list", "suites", "--json").json if r["name"] == "mine")
    assert (row["available"], row["unset"]) == (False, ["MY_GAMES"])
    listing.variables["MY_GAMES"] = str(listing.folder / "gone")
    assert "set MY_GAMES" in listing("list", "suites").out
    listing.variables["MY_GAMES"] = str(listing.folder)
    assert "set MY_GAMES" not in listing("list", "suites").out


def test_official_suites_say_that_their_games_are_missing(command: CommandLine) -> None:
    command.variables["ALFWORLD_DATA"] = ""
    lines = [line for line in command("list", "suites").out.splitlines() if line.startswith("alfworld-valid-")]
    assert len(lines) == 3
    assert all("ALFWORLD_DATA" in line.rpartition("\t")[2] or "pip install" in line for line in lines)


def test_an_unknown_basis_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown basis; did you mean 'prompted'"):
        Registry().add("critic", "x", Entry, basis="prompt")  # type: ignore[arg-type]


def test_runs_are_listed_with_how_far_they_are(command: CommandLine) -> None:
    assert "no folder runs; name the folder of your run folders with --runs" in command.refused("list", "runs")
    options = ("--suite", "count-smoke", "--limit", 2, "--actor", "random", "--critic", "rules")
    for name in ("first", "second"):
        assert command("run", *options, "--name", name).status == 0
    episodes = command.folder / "runs" / "first" / EPISODES
    lines = episodes.read_bytes().splitlines(keepends=True)
    episodes.write_bytes(b"".join([*lines[:-1], lines[0], lines[-1][:20]]))  # played again, and torn
    (command.folder / "runs" / "third").mkdir()
    (command.folder / "runs" / "third" / "experiment.toml").write_text("")
    files = ("third/experiment.toml", "first/episodes.jsonl", "second/episodes.jsonl")
    for age, name in enumerate(files):
        os.utime(command.folder / "runs" / name, (1e9 - age, 1e9 - age))
    assert command("list", "runs").out.splitlines()[1:] == [
        "runs/third\t\t\t0\truns/third has no manifest.json yet: its run was stopped before the first episode",
        "runs/first\tcount-smoke[:2]\trandom, random+rules\t3/4\t",
        "runs/second\tcount-smoke[:2]\trandom, random+rules\t4/4\t",
    ]
    first = next(r for r in command("list", "runs", "--json").json if r["run"] == "runs/first")
    assert (first["recorded"], first["requested"], first["complete"], first["problem"]) == (3, 4, False, None)
