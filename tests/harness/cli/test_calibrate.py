"""`cornerman calibrate`: thresholds of entropy from a recorded run, and settings that an experiment takes."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from tests.support.command import CommandLine
from tests.support.recorded import episode, method, write_run

from cornerman import Candidate
from cornerman.calibration import Step, is_answer, named, steps, thresholds
from cornerman.engine.settings import plugin_settings
from cornerman.errors import End, UsageError
from cornerman.records import Episode, Turn

TASKS = tuple(f"t{i}" for i in range(40))


def played(task: str, name: str, success: bool, entropies: list[float], action: str = "look") -> Episode:
    """An episode whose decisions have these entropies; the last one is the action given."""
    import msgspec

    made = episode(task, name, success)
    texts = ["look"] * (len(entropies) - 1) + [action]
    turns = tuple(
        Turn(
            index=i,
            executed=t,
            candidates=(Candidate(text="other", entropy=9.0), Candidate(text=t, entropy=e)),
            chosen=1,
        )
        for i, (t, e) in enumerate(zip(texts, entropies, strict=True))
    )
    [attempt] = made.attempts
    return msgspec.structs.replace(made, attempts=(msgspec.structs.replace(attempt, turns=turns),))


def unsure(name: str, falls: bool = True, action: str = "look") -> list[Episode]:
    """Forty tasks: what succeeds has entropies about 1, what fails about 2."""
    rng = random.Random(0)
    won = {task: i % 4 == 0 for i, task in enumerate(TASKS)}
    return [
        played(t, name, w, [rng.gauss(1 if w == falls else 2, 0.5) for _ in range(6)], action) for t, w in won.items()
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two methods: one whose success falls with entropy, one whose rises."""
    return write_run(
        tmp_path / "run",
        [method("alone"), method("odd")],
        [*unsure("alone", action="finish[it]"), *unsure("odd", falls=False)],
        tasks=TASKS,
    )


def test_it_prints_a_line_that_an_experiment_takes(command: CommandLine, run: Path) -> None:
    done = command("calibrate", run)
    assert done.status == 0, done.err
    line = done.out.splitlines()[-1]
    [settings] = tomllib.loads(line)["critic"]
    trigger = plugin_settings(settings, "here").trigger["all"]
    assert trigger.entropy is not None
    assert trigger.entropy_up is not None
    assert 1.3 < trigger.entropy < trigger.entropy_up < 1.7  # halfway between the two kinds of attempts
    assert (settings["use"], settings["cooldown"]) == ("expseek", 1)
    assert done.out == command("calibrate", run).out


def test_answers_have_thresholds_of_their_own(command: CommandLine, run: Path) -> None:
    done = command("calibrate", run, "--answers", "finish|answer", "--critic", "advice", "--json")
    assert done.status == 0, done.err
    process, answer = done.json["thresholds"]
    assert (process["kind"], process["steps"], answer["kind"], answer["steps"]) == ("process", 200, "answer", 40)
    assert process["tasks"] == 40
    assert process["solved"] == 0.25
    assert process["low"] < process["threshold"] < process["up"]
    assert answer["up"] - answer["low"] > process["up"] - process["low"]
    assert 0 < process["fires"] < 1
    assert (done.json["method"], done.json["settings"]["use"]) == ("alone", "advice")
    assert set(plugin_settings(done.json["settings"], "here").trigger) == {"review_turn", "review_action"}


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--method", "odd"], "success does not fall with entropy in these 240 steps of 40 tasks"),
        (["--method", "alnoe"], "has no method 'alnoe'; did you mean 'alone'?"),
        (["--answers", "submit"], "no action of 'alone' is called submit"),
    ],
)
def test_what_gives_no_threshold_is_one_sentence(command: CommandLine, run: Path, flags: list[str], says: str) -> None:
    done = command("calibrate", run, *flags)
    assert done.status == 2
    assert says in done.complaint


def test_runs_without_entropies_or_without_both_outcomes_are_refused() -> None:
    with pytest.raises(UsageError, match="no step has a known entropy"):
        thresholds(steps([episode("t1", "m", True)]), "process")
    with pytest.raises(UsageError, match="all 2 are of failed attempts"):
        thresholds([Step("t1", "process", 1.0, False), Step("t2", "process", 2.0, False)], "process")


def test_attempts_that_ended_in_an_error_say_nothing() -> None:
    import msgspec

    made = played("t1", "m", False, [1.0, 2.0])
    assert [s.entropy for s in steps([made])] == [1.0, 2.0]  # of what was chosen
    [attempt] = made.attempts
    broken = msgspec.structs.replace(attempt, end=End.MODEL_ERROR)
    assert steps([msgspec.structs.replace(made, attempts=(broken,))]) == []


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ('{"name": "Answer", "arguments": {"text": "x"}}', "answer"),
        ('[{"name": "look"}, {"name": "answer"}]', "answer"),
        ("finish[42]", "finish"),
        ("Answer: it is so", "answer"),
        ("answer it", "answer"),
        ("42", "42"),
        ("[]", ""),
        ("", ""),
        ('{"name": 3}', '{"name"'),
    ],
)
def test_the_name_of_an_action(action: str, name: str) -> None:
    assert named(action) == name


def test_an_answer_is_told_by_its_name_alone() -> None:
    assert is_answer("finish[x]", ("answer", " Finish "))
    assert not is_answer("go to the finish", ("finish",))
    assert not is_answer("finish[x]", ())
