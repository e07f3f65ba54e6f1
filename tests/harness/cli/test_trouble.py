"""What goes wrong in an episode is data: its class and sentence stand in the record, and the run goes on."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.support.command import CommandLine

from cornerman.errors import End
from cornerman.records import Episode
from cornerman.store import EPISODES, iterate, latest

SOUND = {"sound-1", "sound-2"}


def ends(folder: Path) -> dict[str, End]:
    """End of each task's episode."""
    return {task: e.end for (task, _, _), e in latest(folder).items()}


def record(folder: Path, task: str) -> Episode:
    """The record of a task that one method played once."""
    return next(e for (t, _, _), e in latest(folder).items() if t == task)


def play(command: CommandLine, suite: str, *more: object, actor: str = "gold") -> tuple[Path, list[str]]:
    """A run in which something goes wrong: exit status 1, no traceback, and what it said at its end."""
    done = command("run", "--suite", suite, "--actor", actor, "--name", "r", "--no-validate", *more)
    assert done.status == 1, done
    assert "Traceback" not in done.err + done.out
    return command.folder / "runs" / "r", [x for x in done.err.splitlines() if x.startswith("cornerman: ")]


@pytest.mark.parametrize("suite", ["count-raises", "count-raises-inline"])
def test_an_environment_that_raises(command: CommandLine, suite: str) -> None:
    folder, said = play(command, suite)
    assert ends(folder) == {
        "sound-1": End.SUCCESS,
        "reset:raise": End.ENV_ERROR,
        "step:raise": End.ENV_ERROR,
        "sound-2": End.SUCCESS,
    }
    assert "raised at reset: RuntimeError: the counter broke" in str(record(folder, "reset:raise").error)
    assert record(folder, "step:raise").tries == 2  # again at once, and no more
    assert said[0] == (
        "cornerman: 2 episodes ended in an error and count as failures; the same command plays them again"
    )
    assert "1 × env_error: " in said[1]


@pytest.mark.parametrize("suite", ["count-exits", "count-exits-inline"])
def test_an_environment_that_leaves_the_process(command: CommandLine, suite: str) -> None:
    folder, _ = play(command, suite)
    assert ends(folder) == {
        "sound-1": End.SUCCESS,
        "reset:exit": End.ENV_ERROR,
        "step:exit": End.ENV_ERROR,
        "sound-2": End.SUCCESS,
    }


def test_a_worker_that_dies(command: CommandLine) -> None:
    folder, _ = play(command, "count-dies")
    assert ends(folder) == {"sound-1": End.SUCCESS, "step:die": End.ENV_ERROR, "sound-2": End.SUCCESS}
    assert "died at 'down 2' of task step:die: exit status 3" in str(record(folder, "step:die").error)
    assert record(folder, "step:die").tries == 2


def test_a_worker_that_dies_once_costs_one_try(command: CommandLine) -> None:
    command.variables["ONCE"] = str(command.folder / "once")
    done = command("run", "--suite", "count-once", "--actor", "gold", "--name", "r", "--no-validate")
    assert done.status == 0, done.err
    folder = command.folder / "runs" / "r"
    assert ends(folder) == {"dies-once": End.SUCCESS, "sound-2": End.SUCCESS}
    assert record(folder, "dies-once").tries == 2
    assert record(folder, "sound-2").tries == 1


@pytest.mark.parametrize("moment", ["reset", "step"])
def test_an_environment_that_hangs(command: CommandLine, moment: str) -> None:
    text = f'suite = "count-hangs-at-{moment}"\n[limits]\n{moment}_seconds = 1\n[[method]]\nactor = "gold"\n'
    (command.folder / "e.toml").write_text(text)
    done = command("run", "e.toml", "--no-validate")
    assert done.status == 1
    folder = command.folder / "runs" / "e"
    assert ends(folder) == {"sound-1": End.SUCCESS, f"{moment}:hang": End.TIMEOUT, "sound-2": End.SUCCESS}
    error = str(record(folder, f"{moment}:hang").error)
    assert f"of task {moment}:hang within 1 s; its worker was killed" in error
    assert record(folder, f"{moment}:hang").tries == 1


@pytest.mark.parametrize("inline", ["", "-inline"])
def test_numbers_and_texts_that_no_record_can_hold(command: CommandLine, inline: str) -> None:
    folder, _ = play(command, f"count-numbers{inline}")
    assert {t: e for t, e in ends(folder).items() if t not in SOUND} == {
        "step:reward nan": End.ENV_ERROR,
        "step:score inf": End.ENV_ERROR,
        "step:score 2": End.ENV_ERROR,
    }
    assert "the environment's reward is nan, no finite number" in str(record(folder, "step:reward nan").error)
    assert "the environment's score is inf, no finite number" in str(record(folder, "step:score inf").error)
    assert "the environment's score is 2, outside of 0 to 1" in str(record(folder, "step:score 2").error)


@pytest.mark.parametrize("inline", ["", "-inline"])
def test_a_goal_that_is_no_text(command: CommandLine, inline: str) -> None:
    folder, _ = play(command, f"count-no-goal{inline}")
    assert "the environment's goal is NoneType, where text was due" in str(record(folder, "reset:no goal").error)


@pytest.mark.parametrize("inline", ["", "-inline"])
def test_halves_of_characters_are_joined_or_replaced(command: CommandLine, inline: str) -> None:
    done = command("run", "--suite", f"count-surrogates{inline}", "--actor", "gold", "--name", "r", "--no-validate")
    assert done.status == 0, done.err
    turns = record(command.folder / "runs" / "r", "step:surrogate").attempts[0].turns
    assert turns[0].observation.endswith("😀 \ufffd")
    assert command("replay", "runs/r").status == 0


def test_an_endpoint_that_is_down(command: CommandLine) -> None:
    with socket.socket() as closed:  # bound and never listening: nothing else can be there
        closed.bind(("127.0.0.1", 0))
        uri = f"openai:http://127.0.0.1:{closed.getsockname()[1]}/v1#m,retries=0"
        text = f"""
            suite = "count-smoke"
            limit = 3
            [[method]]
            name = "random"
            actor = "random"
            [[method]]
            name = "asker"
            actor = {{ use = "asker", model = "{uri}" }}
        """
        (command.folder / "e.toml").write_text(text)
        done = command("run", "e.toml")
    assert done.status == 1
    assert "Traceback" not in done.err
    by_method: dict[str, list[Episode]] = {}
    for (_, method, _), episode in latest(command.folder / "runs" / "e").items():
        by_method.setdefault(method, []).append(episode)
    assert all(e.end is not End.MODEL_ERROR for e in by_method["random"])
    assert [e.end for e in by_method["asker"]] == [End.MODEL_ERROR] * 3
    assert all("http://127.0.0.1" in str(e.error) for e in by_method["asker"])
    assert "3 × model_error: " in done.err


def asker(*options: str) -> list[str]:
    """The actor that does what its model says."""
    return ["--model", "actor=scripted:m," + ",".join(options)]


def test_a_model_that_answers_garbage_wastes_turns_and_nothing_else(command: CommandLine) -> None:
    done = command(
        "run", "--suite", "count-smoke", "--limit", 2, "--actor", "asker", *asker("say=\x07 <|im_end|> [/]"), "--json"
    )
    assert done.status == 0, done.err
    row = done.json["methods"][0]
    assert (row["successes"], row["turns_per_episode"]) == (0, 40)


def test_a_model_that_fails(command: CommandLine) -> None:
    folder, said = play(command, "count-smoke", "--limit", 2, *asker("fail=true"), actor="asker")
    assert set(ends(folder).values()) == {End.MODEL_ERROR}
    assert said[1] == "cornerman:   2 × model_error: the model scripted:m is out of order"


def test_a_resumed_run_plays_errors_again_and_nothing_else(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-once", "--actor", "gold", "--name", "r", "--no-validate")
    marker = command.folder / "no" / "such" / "folder"  # cannot be made: the task fails at every try
    command.variables["ONCE"] = str(marker)
    folder = command.folder / "runs" / "r"
    for tries in (2, 4):
        assert command(*arguments).status == 1
        assert ends(folder) == {"dies-once": End.ENV_ERROR, "sound-2": End.SUCCESS}
        assert record(folder, "dies-once").tries == tries
    marker.parent.mkdir(parents=True)
    marker.touch()
    assert command(*arguments).status == 0
    assert ends(folder) == {"dies-once": End.SUCCESS, "sound-2": End.SUCCESS}
    assert record(folder, "dies-once").tries == 5
    played = [e.task.id for e in iterate(folder)]
    assert (played.count("sound-2"), played.count("dies-once")) == (1, 3)


def test_what_failed_tries_cost_is_counted(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-dies", "--actor", "asker", "--name", "r", "--no-validate", "--json")
    model = ("--model", "actor=scripted:m,say=down 2")
    for times in (1, 2):
        done = command(*arguments, *model)
        assert done.status == 1
        episode = record(command.folder / "runs" / "r", "step:die")
        assert episode.tries == 2 * times
        assert episode.usage["actor"].calls == len(episode.calls) == 2 * times
        assert len({c.id for c in episode.calls}) == len(episode.calls)
        assert done.json["methods"][0]["calls"]["actor"] == 4 + 2 * times


def test_a_complete_run_opens_neither_models_nor_workers(command: CommandLine) -> None:
    command.variables["MODELS_MADE"] = str(command.folder / "made")
    arguments = ("run", "--suite", "count-workers", "--actor", "asker", "--name", "r", "--json", *asker("say=down 1"))
    first = command(*arguments)
    assert first.status == 0, first.err
    assert (command.folder / "made").read_text() == "scripted:m\n"
    episodes = (command.folder / "runs" / "r" / EPISODES).read_bytes()
    manifest = (command.folder / "runs" / "r" / "manifest.json").read_bytes()
    spy = command.folder / "spy"
    spy.mkdir()
    # Whatever starts a process says so: a worker would, and so would git.
    (spy / "sitecustomize.py").write_text(
        "import subprocess, sys\n"
        "class Spy(subprocess.Popen):\n"
        "    def __init__(self, *a, **k):\n"
        "        print('STARTED', a, file=sys.stderr)\n"
        "        super().__init__(*a, **k)\n"
        "subprocess.Popen = Spy\n"
    )
    command.variables["PYTHONPATH"] = f"{spy}:{command.environment['PYTHONPATH']}"
    again = command(*arguments)
    assert again.status == 0
    assert again.json == first.json
    assert "STARTED" not in again.err
    assert "all 6 episodes are recorded; nothing is to be played" in again.err
    assert (command.folder / "made").read_text() == "scripted:m\n"
    assert (command.folder / "runs" / "r" / EPISODES).read_bytes() == episodes
    assert (command.folder / "runs" / "r" / "manifest.json").read_bytes() == manifest
    fresh = command(*arguments[:-2], *asker("say=down 1"), "--name", "other")
    assert "STARTED" in fresh.err  # the spy sees what a run starts


def test_a_summary_that_cannot_be_written_keeps_the_episodes(command: CommandLine) -> None:
    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--name", "r")
    blocked = command.folder / "runs" / "r" / "summary.json"
    blocked.mkdir(parents=True)
    done = command(*arguments)
    assert done.status == 1
    assert "Traceback" not in done.err
    assert "the episodes are recorded in runs/r, but what is computed from them cannot be written" in done.err
    assert len(latest(command.folder / "runs" / "r")) == 20
    blocked.rmdir()
    again = command(*arguments)
    assert again.status == 0
    assert "nothing is to be played" in again.err


def test_an_error_of_one_method_counts_as_a_failure_of_that_method(command: CommandLine) -> None:
    folder, _ = play(command, "count-raises-inline", "--json")
    done = command("run", "--suite", "count-raises-inline", "--actor", "gold", "--name", "r", "--no-validate", "--json")
    (row,) = done.json["methods"]
    assert (row["n"], row["successes"], row["errors"]) == (4, 2, {"env_error": 2})
    assert row["score"] == 0.5
    assert all(not e.success and e.score == 0 for e in latest(folder).values() if e.end is End.ENV_ERROR)
