"""How many things happen at once, and who is told of them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from tests.support.command import CommandLine

from cornerman.store import latest

MODELS = ("--model", "actor=scripted:actor,ms=5", "--model", "asking=scripted:critic,say=xx,ms=5")


def most(path: Path) -> dict[str, int]:
    """The most calls under way at once, by model."""
    rows = [line.split() for line in path.read_text().splitlines()]
    return {target: int(count) for target, count, _ in rows}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--episodes", 1), {"actor": 1, "critic": 1}),
        (("--episodes", 6), {"actor": 6, "critic": 6}),
        (("--episodes", 6, "--calls", "actor=2"), {"actor": 2, "critic": 6}),
        (("--episodes", 6, "--calls", "actor=6", "--calls", "critic=1"), {"actor": 6, "critic": 1}),
        ((), {"actor": 8, "critic": 8}),
    ],
)
def test_caps_of_episodes_and_calls(
    command: CommandLine, options: tuple[object, ...], expected: dict[str, int]
) -> None:
    counts = command.folder / "counts"
    command.variables["MODEL_COUNTS"] = str(counts)
    done = command("run", "--suite", "count-smoke", "--actor", "asker", "--critic", "asking", *MODELS, *options)
    assert done.status == 0, done.err
    found = most(counts)
    for role, cap in expected.items():
        assert found[role] <= cap
        # A cap that nothing ever reaches would not be one; critics speak less often than actors act.
        assert found[role] == cap or (role == "critic" and found[role] > 1)


def test_workers_are_no_more_than_asked_for(command: CommandLine) -> None:
    command.variables["MODEL_COUNTS"] = str(command.folder / "counts")
    model = ("--model", "actor=scripted:actor,ms=5,meet=2")  # else one worker may be done before the other has started
    arguments = ("run", "--suite", "count-workers", "--actor", "asker", "--episodes", 6, *model)
    done = command(*arguments, "--workers", 2, "--no-validate")
    assert done.status == 0, done.err
    assert most(command.folder / "counts") == {"actor": 2}  # an episode has a worker of its own


def test_by_default_no_episode_waits_for_a_worker(command: CommandLine) -> None:
    command.variables["MODEL_COUNTS"] = str(command.folder / "counts")
    wanted = min(8, os.cpu_count() or 1, 6)
    model = ("--model", f"actor=scripted:actor,ms=5,meet={wanted}")
    done = command("run", "--suite", "count-workers", "--actor", "asker", *model, "--no-validate")
    assert done.status == 0, done.err
    assert most(command.folder / "counts") == {"actor": wanted}


def notes(path: Path) -> list[tuple[str, str]]:
    """What a witness wrote."""
    return [tuple(line.split(" ", 1)) for line in path.read_text().splitlines()]  # type: ignore[misc]


def test_observers_are_told_of_everything_once(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--critic", "rules", "--limit", 5)
    done = command(
        *arguments, "--protocol", "retry:attempts=2", "--trials", 2, "--observer", "witness:file=w", "--json"
    )
    assert done.status == 0, done.err
    told = notes(command.folder / "w")
    assert told[0] == ("run_started", "")
    assert told[-1] == ("run_finished", "True")
    episodes = Counter(text for hook, text in told if hook == "episode_finished")
    recorded = latest(command.folder / "runs" / done.json["experiment"])
    assert episodes == {"/".join(map(str, key)): 1 for key in recorded}
    attempts = Counter(text for hook, text in told if hook == "attempt_finished")
    assert attempts == {"/".join(map(str, key)): len(e.attempts) for key, e in recorded.items()}
    assert max(attempts.values()) == 2


@pytest.mark.parametrize("hook", ["run_started", "attempt_finished", "episode_finished", "run_finished"])
def test_an_observer_that_raises_is_dropped_with_a_warning(command: CommandLine, hook: str) -> None:
    base = ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 3, "--json")
    sound = command(*base, "--name", "sound")
    done = command(
        *base, "--name", "r", "--observer", f"witness:file=bad,fail={hook}", "--observer", "witness:file=good"
    )
    assert done.status == 0, done.err
    warning = f"cornerman: observer 'Witness' raised in {hook} and is dropped: RuntimeError: the witness fell asleep"
    assert done.err.splitlines().count(warning) == 1
    assert [h for h, _ in notes(command.folder / "good")].count("episode_finished") == 3
    bad = command.folder / "bad"
    assert hook not in (bad.read_text() if bad.exists() else "")
    left_out = ("run", "successes_per")  # the latter holds successes an hour
    rows, right = (
        [{k: v for k, v in m.items() if k not in left_out} for m in run.json["methods"]] for run in (done, sound)
    )
    assert rows == right


OBSERVERS = {
    "no hook": ("class O: pass", "observer 'o' implements no hook"),
    "unknown hook": (
        "class O:\n  @cornerman.hookimpl\n  def episode_finishd(self, episode): pass",
        "'episode_finishd', which is no hook of",
    ),
    "unknown argument": ("class O:\n  @cornerman.hookimpl\n  def episode_finished(self, epsode): pass", "epsode"),
    "async": (
        "class O:\n  @cornerman.hookimpl\n  async def episode_finished(self, episode): pass",
        "episode_finished is async; the hooks of observers are plain functions",
    ),
    "cannot be made": ("class O:\n  def __init__(self): raise ValueError('not today')", "cannot be made: not today"),
}


@pytest.mark.parametrize("case", OBSERVERS)
def test_an_observer_that_cannot_work_is_refused(command: CommandLine, case: str) -> None:
    text, sentence = OBSERVERS[case]
    (command.folder / "o.py").write_text(
        f"import cornerman\n{text}\n@cornerman.hookimpl\ndef register(registry): registry.add('observer', 'o', O)\n"
    )
    plugin = ["-p", "o.py", "run", "--suite", "count-smoke", "--actor", "random", "--observer", "o"]
    assert sentence in command.refused(*plugin)
