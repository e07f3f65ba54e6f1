"""The worked examples are loaded as a reader would load them, and do what the page says of them."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cornerman.plugins import Plugins, load
from cornerman.records import Episode, Verdict
from cornerman.registry import KINDS
from cornerman.store import latest
from tests.docs.pages import EXAMPLES, blocks, read, section
from tests.support.command import CommandLine
from tests.support.play import catalogue, play
from tests.support.scripted_model import ScriptedModel

FILES = sorted(p.name for p in EXAMPLES.glob("*.py") if not p.name.startswith("test_"))
PAGE = read("plugins.md")


def example(*names: str) -> Plugins:
    """The built-ins and some examples."""
    return load([str(EXAMPLES / name) for name in names])


def played(command: CommandLine, files: list[str], *arguments: object) -> dict[tuple[str, str, int], Episode]:
    """The episodes of a run with some examples, on their environment."""
    plugins = [part for name in ("environment.py", *files) for part in ("-p", str(EXAMPLES / name))]
    done = command(*plugins, "run", "--suite", "lockbox-smoke", *arguments, "--name", "x")
    assert done.status == 0, done.err
    return latest(command.folder / "runs" / "x")


@pytest.mark.parametrize("file", FILES)
def test_it_loads_and_enters_names_with_a_line_each(file: str) -> None:
    plugins = example(file)
    entries = [e for kind in KINDS for e in plugins.registry.entries(kind) if e.origin == str(EXAMPLES / file)]  # type: ignore[arg-type]
    assert entries
    assert all(e.doc for e in entries)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("environment.py", "Lockbox-v1"),
        ("critic.py", "critic:failed"),
        ("model_critic.py", "critic:doubt"),
        ("actor.py", "actor:curious:k=2"),
        ("memory.py", "memory:trails"),
        ("protocol.py", "protocol:fan"),
    ],
)
def test_it_passes_the_conformance_kit(command: CommandLine, file: str, name: str) -> None:
    done = command("-p", EXAMPLES / file, "check", name, "--json")
    assert done.status == 0, done.json
    assert done.json["passed"]


def test_the_environment_is_sound(command: CommandLine) -> None:
    done = command("-p", EXAMPLES / "environment.py", "validate", "lockbox-smoke", "--json")
    assert done.status == 0
    assert (done.json["tasks"], done.json["won"]) == (5, 5)


def test_the_environment_answers_anything() -> None:
    registry = example("environment.py").registry
    spec = registry.get("environment", "example/Lockbox-v1").load()
    [first, *_] = spec.tasks("test")
    env = spec.make(first)
    env.reset()
    for action in ("", "\x00", "turn", "read note\nturn left", "é" * 1000):
        text, reward, *_ = env.step(action)
        assert (text, reward) == ("Nothing happens.", 0.0)


def test_the_critic_objects_to_what_failed(command: CommandLine) -> None:
    episodes = played(command, ["critic.py"], "--actor", "random", "--critic", "failed")
    objections = 0
    for episode in episodes.values():
        if episode.method != "random+failed":
            continue
        failed: set[str] = set()
        for turn in episode.attempts[0].turns:
            [critique] = turn.critiques
            assert (critique.verdict is Verdict.REVISE) == (turn.executed in failed)
            objections += turn.executed in failed
            if "nothing happens" in turn.observation.lower():
                failed.add(str(turn.executed))
    assert objections


def test_the_actor_offers_and_the_critic_chooses(command: CommandLine) -> None:
    options = ("--actor", "curious:k=2", "--critic", "failed:block=true")
    episodes = played(command, ["actor.py", "critic.py"], *options)
    turns = [t for e in episodes.values() if e.method == "curious+failed" for t in e.attempts[0].turns]
    assert all(len(t.candidates) == 2 for t in turns)
    assert any(t.chosen == 1 and t.changed_by is not None for t in turns)


def test_the_actor_takes_a_suggestion() -> None:
    registry = catalogue(actor_curious=example("actor.py").registry.get("actor", "curious").load())
    episode = play(registry, actor="curious", critic={"use": "gold-advice", "moment": "action"})
    assert episode.success
    assert [t.executed for t in episode.attempts[0].turns] == ["down 2", "down 2", "down 1"]


def test_the_memory_tells_what_was_done(command: CommandLine) -> None:
    episodes = played(command, ["actor.py", "memory.py"], "--actor", "curious", "--memory", "trails")
    first, second = (episodes[f"lockbox-test-{i}", "curious+trails", 0].attempts[0] for i in range(2))
    done = ", ".join(t.executed or "" for t in first.turns)
    assert not first.context
    assert [c.text for c in second.context] == [f"In a task like this one you did: {done}"]


@pytest.mark.parametrize("solved", [False, True])
def test_the_memory_is_privileged_when_it_sees_success(command: CommandLine, solved: bool) -> None:
    played(command, ["memory.py"], "--actor", "random", "--memory", f"trails:solved={str(solved).lower()}")
    compared = command("compare", "runs/x", "--json").json
    assert [row["privileged"] for row in compared["methods"]] == [False, solved]


def test_the_protocol_forks_from_the_middle(command: CommandLine) -> None:
    episodes = played(command, ["protocol.py"], "--actor", "random", "--protocol", "fan:width=3")
    for episode in episodes.values():
        first, *others = episode.attempts
        middle = len(first.turns) // 2
        assert len(others) == 3
        assert episode.counted_rule == "selected"
        for attempt in others:
            assert (attempt.start.kind, attempt.start.turn, attempt.parent) == ("turn", middle, 0)
            assert attempt.log[:middle] == first.log[:middle]
    assert command("-p", EXAMPLES / "environment.py", "replay", "runs/x").status == 0


def test_the_critic_with_a_model_doubts_by_probability() -> None:
    registry = catalogue(critic_doubt=example("model_critic.py").registry.get("critic", "doubt").load())
    critic = {"use": "doubt", "model": "scripted", "threshold": 0.4}
    for yes, verdict in ((0.75, Verdict.PASS), (0.25, Verdict.REVISE)):
        model = ScriptedModel(scores={"yes": math.log(yes), "no": math.log(1 - yes)})
        episode = play(registry, actor="gold", critic=critic, model=lambda uri, model=model: model)
        [critique] = episode.attempts[0].turns[0].critiques
        assert critique.verdict is verdict
        assert critique.score == pytest.approx(yes)
        assert episode.calls[0].purpose == "doubt"
        assert critique.call == episode.calls[0].id


def test_the_observer_speaks_at_the_end(command: CommandLine) -> None:
    plugins = ("-p", EXAMPLES / "environment.py", "-p", EXAMPLES / "observer.py")
    done = command(*plugins, "run", "--suite", "lockbox-smoke", "--actor", "gold", "--observer", "longest")
    assert "longest episode: lockbox-test-4/gold/0 with 6 turns" in done.out


def test_the_test_of_the_page_passes(tmp_path: Path) -> None:
    for file in ("critic.py", "environment.py", "test_failed.py"):
        shutil.copy(EXAMPLES / file, tmp_path)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--rootdir={tmp_path}",
        "test_failed.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_a_package_made_as_the_page_says_is_found(command: CommandLine) -> None:
    """The package is laid out as an installer would leave it: the module, and its metadata beside it."""
    project, register = [b.text for b in blocks(section(PAGE, "Packaging"))]
    site = command.folder / "site"
    package, metadata = site / "my_critics", site / "my_critics-0.1.dist-info"
    package.mkdir(parents=True)
    metadata.mkdir()
    (package / "__init__.py").touch()
    (package / "register.py").write_text(register, encoding="utf-8")
    shutil.copy(EXAMPLES / "critic.py", package / "failed.py")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-critics\nVersion: 0.1\n", encoding="utf-8")
    points = project.partition("[project.entry-points.cornerman]\n")[2].replace('"', "")
    (metadata / "entry_points.txt").write_text(f"[cornerman]\n{points}", encoding="utf-8")
    command.variables = {"PYTHONPATH": f"{site}:{command.environment['PYTHONPATH']}", "CORNERMAN_PLUGINS": "my-critics"}
    assert any(line.startswith("my-critics\t") for line in command("list", "plugins").out.splitlines())
    assert "failed\tobjects to what did not work before\tmy-critics\tyes" in command("list", "critics").out
