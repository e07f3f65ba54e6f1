"""`cornerman check`: names that it understands, what it prints, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support import countdown, zoo
from tests.support.command import CommandLine

from cornerman.conformance.environment import CHECKS
from cornerman.conformance.plugin import CHECKS as PLUGIN_CHECKS


@pytest.fixture
def zookeeper(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, plugin=Path(zoo.__file__))


def test_a_sound_environment(command: CommandLine) -> None:
    done = command("check", "Countdown-v1", "--task", "from-7")
    assert done.status == 0, done.err
    first, head, *lines, last = done.out.splitlines()
    assert first == f"environment {countdown.SPEC.id}, task from-7"
    assert head == "check\tresult\twhat was seen"
    assert [line.split("\t")[:2] for line in lines] == [[name, "passed"] for name in ("opens", *CHECKS)]
    assert last == f"{len(CHECKS) + 1} passed, 0 failed, 0 skipped"


def test_a_broken_environment_as_json(zookeeper: CommandLine) -> None:
    done = zookeeper("check", "Zoo-nul-v1", "--json")
    assert done.status == 1
    assert (done.json["kind"], done.json["name"], done.json["passed"]) == ("environment", "test/Zoo-nul-v1", False)
    [failed] = [c for c in done.json["checks"] if c["result"] == "failed"]
    assert failed["name"] == "hostile"
    assert "embedded null byte" in failed["text"]


def test_what_an_environment_prints_stays_out_of_the_report(zookeeper: CommandLine) -> None:
    done = zookeeper("check", "Zoo-talks-v1", "--json")
    assert done.json["passed"]
    assert "the counter says hello" in done.err


def test_a_plugin_by_name_and_by_role_and_name(zookeeper: CommandLine) -> None:
    for name in ("rules", "critic:rules", "critic:rules:window=2", "rules:veto=true"):
        done = zookeeper("check", name)
        assert done.status == 0, done.err
        assert done.out.splitlines()[0] == "critic rules"


def test_a_broken_plugin(zookeeper: CommandLine) -> None:
    done = zookeeper("check", "zoo-counts")
    assert done.status == 1
    results = [line.split("\t") for line in done.out.splitlines()[2:-1]]
    assert [r[0] for r in results] == list(PLUGIN_CHECKS)
    [[name, _, text]] = [r for r in results if r[1] == "failed"]
    assert name == "instance-state"
    assert "episodes changed seen of the instance" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rulse"], "no environment and no plug-in is named 'rulse'; did you mean 'rules'?"),
        (["critic:rulse"], "unknown critic 'rulse'; did you mean 'rules'"),
        (["environment:Cuontdown-v1"], "unknown environment 'Cuontdown-v1'; did you mean 'Countdown-v1'"),
        (["rules", "--task", "x"], "--task names a task of an environment"),
        (["Countdown-v1", "--task", "from-70"], "has no task 'from-70'; did you mean 'from-7'"),
    ],
)
def test_wrong_names(command: CommandLine, arguments: list[str], sentence: str) -> None:
    assert sentence in command.refused("check", *arguments)


def test_a_name_that_means_two_things(zookeeper: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "twice.py"
    file.write_text(
        "import cornerman\n\n\n@cornerman.hookimpl\ndef register(registry):\n"
        "    registry.add('actor', 'zoo-sound', 'tests.support.zoo:Critic')\n"
        "    registry.add('critic', 'zoo-sound', 'tests.support.zoo:Critic')\n"
    )
    zookeeper.plugin = file
    complaint = zookeeper.refused("check", "zoo-sound")
    assert complaint == "'zoo-sound' may be actor:zoo-sound or critic:zoo-sound; say which"
