"""Memory between tasks: applied in suite order whatever ends first, apart by method and trial, and after a restart."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import msgspec
from tests.support.command import CommandLine

from cornerman.memory import memory_of
from cornerman.records import Episode
from cornerman.store import EPISODES, latest

TASKS = [f"from-{n}" for n in range(3, 15)]


def write(command: CommandLine, *memories: str, trials: int = 1) -> None:
    """An experiment of one slow method for each memory."""
    methods = "".join(
        f'[[method]]\nname = "m{i}"\nactor = {{ use = "slow", ms = 1 }}\nmemory = {memory}\n'
        for i, memory in enumerate(memories)
    )
    (command.folder / "e.toml").write_text(f'suite = "count-smoke"\nlimit = {len(TASKS)}\ntrials = {trials}\n{methods}')


def told(episodes: dict[tuple[str, str, int], Episode], method: str = "m0", trial: int = 0) -> list[int]:
    """How many notes were told before each task, in suite order; each time the first ones, in order."""
    counts = []
    for task in TASKS:
        items = episodes[task, method, trial].attempts[0].context
        notes = [i.experience[0] for i in items if i.role == "experience"]
        assert notes == [f"n{i}" for i in range(len(notes))]
        counts.append(len(notes))
    return counts


def played(command: CommandLine, *more: object, name: str = "e") -> dict[tuple[str, str, int], Episode]:
    """Run the experiment; its records."""
    done = command("run", "e.toml", "--name", name, *more)
    assert done.status == 0, done.err
    return latest(command.folder / "runs" / name)


def memories(episodes: dict[tuple[str, str, int], Episode]) -> Any:
    """What each episode was told and wrote."""
    return {
        k: ([i.text for a in e.attempts for i in a.context], msgspec.to_builtins(e.memory)) for k, e in episodes.items()
    }


def test_modes(command: CommandLine) -> None:
    write(
        command,
        '{ use = "diary", mode = "off" }',
        '{ use = "diary", mode = "sequential" }',
        '{ use = "diary", mode = "rounds", round = 5 }',
    )
    episodes = played(command, "--episodes", 8)
    assert told(episodes, "m0") == [0] * 12
    assert told(episodes, "m1") == list(range(12))
    # In rounds of five, all notes of a round have the same number, of which the memory keeps the last.
    assert told(episodes, "m2") == [0] * 5 + [1] * 5 + [2] * 2
    assert episodes["from-8", "m2", 0].attempts[0].context[0].text == "The counter shows 7. after []"


def test_the_order_is_the_suite_s_whatever_ends_first(command: CommandLine) -> None:
    write(command, '"diary"', '{ use = "diary", mode = "rounds", round = 4 }', trials=2)
    alone = memories(played(command, "--episodes", 1, name="alone"))
    assert memories(played(command, "--episodes", 16, name="together")) == alone
    finished = [json.loads(x) for x in (command.folder / "runs" / "together" / EPISODES).read_text().splitlines()]
    order = [e["task"]["id"] for e in finished if e["method"] == "m1" and e["trial"] == 0]
    assert order != TASKS  # they did not end in order


def test_methods_and_trials_are_apart(command: CommandLine) -> None:
    write(command, '"diary"', '"diary"', trials=2)
    episodes = played(command, "--episodes", 8)
    for method in ("m0", "m1"):
        for trial in (0, 1):
            assert told(episodes, method, trial) == list(range(12))


def test_it_is_rebuilt_after_a_kill(command: CommandLine) -> None:
    write(command, '"diary"', '{ use = "diary", mode = "rounds", round = 5 }')
    whole = memories(played(command, name="whole"))
    path = command.folder / "runs" / "killed" / EPISODES
    process = command.start("run", "e.toml", "--name", "killed")
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") > 8):
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert 8 < path.read_bytes().count(b"\n") < 24
    assert memories(played(command, name="killed")) == whole


def test_a_recorded_run_is_a_source(command: CommandLine) -> None:
    write(command, '"diary"')
    played(command, name="filled")
    filled = memory_of(command.folder / "runs" / "filled", "diary")
    assert [item.id for item in filled] == [f"n{i}" for i in range(12)]
    assert [item.uses for item in filled] == [1] * 11 + [0]
    write(
        command,
        '{ use = "diary", mode = "read-only", source = "runs/filled" }',
        '{ use = "diary", source = "runs/filled" }',
    )
    done = command("run", "e.toml", "--name", "read")
    assert done.status == 0
    assert (
        "the memory 'diary' of method 'm0' comes from runs/filled, which played 12 of these 12 tasks: "
        "what it learned there may be their answers"
    ) in done.err
    episodes = latest(command.folder / "runs" / "read")
    assert told(episodes, "m0") == [12] * 12
    assert all(not episodes[task, "m0", 0].memory for task in TASKS)
    assert told(episodes, "m1") == list(range(12, 24))
    # The source is read as it was recorded, in suite order, whatever the order of its lines.
    path = command.folder / "runs" / "filled" / EPISODES
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert memory_of(command.folder / "runs" / "filled", "diary") == filled


def test_a_source_with_two_such_memories_is_refused(command: CommandLine) -> None:
    write(command, '"diary"', '"diary"')
    played(command, name="two")
    write(command, '{ use = "diary", source = "runs/two" }')
    assert "2 of its methods have a memory 'diary', one is needed" in command.refused("run", "e.toml")
    write(command, '{ use = "diary", label = "other", source = "runs/two" }')
    assert "0 of its methods have a memory 'other', one is needed" in command.refused("run", "e.toml")


def test_reflections_reach_later_tasks(command: CommandLine) -> None:
    (command.folder / "e.toml").write_text(
        'suite = "count-smoke"\nlimit = 6\n[[method]]\nname = "m0"\nactor = "random"\n'
        'critic = ["summing-up"]\nmemory = { use = "last-reflections", k = 2 }\n'
    )
    episodes = played(command, "--episodes", 4)
    words = [[i.text for i in episodes[t, "m0", 0].attempts[0].context if i.role == "experience"] for t in TASKS[:6]]
    assert [len(w) for w in words] == [0, 1, 2, 2, 2, 2]
    assert words[3] == ["The counter began at 4.", "The counter began at 5."]


def test_a_manifest_that_lists_no_tasks(command: CommandLine, tmp_path: Path) -> None:
    write(command, '"diary"')
    played(command, name="bad")
    (command.folder / "runs" / "bad" / "manifest.json").write_text("{}")
    write(command, '{ use = "diary", source = "runs/bad" }')
    assert "runs/bad/manifest.json lists no tasks of a suite" in command.refused("run", "e.toml")
