"""`cornerman ask`: a critic at a recorded moment says what it said, or would have said, in the run."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.command import CommandLine

from cornerman.records import Episode
from cornerman.store import latest

PLUGIN = """
import cornerman
from cornerman.records import Message
from tests.support.countdown_plugin import Scripted, Slow
from cornerman.suites import Rules, Suite
from tests.support import countdown

class Counts:
    '''Speaks of what it has seen so far, draws a number, and keeps both.'''
    sees = ("history", "admissible", "score")
    @cornerman.hookimpl
    def on_task_start(self, view): view.state["seen"] = ["start"]
    @cornerman.hookimpl
    def review_action(self, view, candidates):
        view.state["seen"].append(view.observation)
        return [cornerman.Critique(text=f"{view.turn} {view.state['seen']} {view.rng().random()} {view.admissible} "
                f"{[t.executed for t in view.history]} {[c.text for c in view.context]} {view.score} {c.text}",
                verdict=cornerman.Verdict.REVISE) for c in candidates]
    @cornerman.hookimpl
    def review_turn(self, view, turn):
        view.state["seen"].append(turn.executed)
        return cornerman.Critique(text=f"{view.turn} {turn.executed} {turn.observation} {view.rng().random()} "
                f"{view.admissible if not view.success else None} {view.success} {view.state['seen'][-4:]}", score=0.5)
    @cornerman.hookimpl
    def review_attempt(self, view, attempt):
        return cornerman.Critique(text=f"{[t.executed for t in attempt.turns]} {attempt.success} {view.state['seen']}")

class Asks:
    '''Sends what it sees to its model.'''
    @cornerman.hookimpl
    async def review_turn(self, view, turn):
        said = [Message(role="user", content=f"{view.goal} {view.observation} {[t.executed for t in view.history]}")]
        reply = await view.model.generate(said, purpose="look", temperature=0.5)
        return cornerman.Critique(text=reply.text, call=reply.call)

class Fails:
    @cornerman.hookimpl
    def review_turn(self, view): raise ValueError("boom")

class Golden:
    sees = ("gold",)
    @cornerman.hookimpl
    async def review_action(self, view, candidates): return cornerman.Critique(text=str(await view.gold()))

class Capitals:
    @cornerman.hookimpl
    def transform_observation(self, view, observation): return observation.upper()

@cornerman.hookimpl
def register(registry):
    registry.add("environment", countdown.SPEC.id, "tests.support.countdown:SPEC")
    tasks, rules = tuple(countdown.task(n) for n in (4, 5)), Rules(max_turns=9)
    registry.add("suite", "count", lambda: Suite(name="count", tasks=tasks, rules=rules))
    critics = {"counts": Counts, "asks": Asks, "fails": Fails, "capitals": Capitals, "golden": Golden}
    for name, kind in critics.items():
        registry.add("critic", name, kind)
    registry.add("model", "scripted", Scripted)
"""
RUN = """
suite = "count"
models = { critic = "scripted:m" }
[[method]]
name = "alone"
actor = "noisy-gold:p=0.7"
[[method]]
name = "cornered"
actor = "noisy-gold:p=0.7,follow=false"
critic = ["counts:trigger.review_turn.every=2", { use = "asks" }]
[[method]]
name = "watched"
actor = "noisy-gold:p=0.7"
critic = ["counts:shadow=true", "asks:shadow=true"]
"""


@pytest.fixture
def asked(command: CommandLine) -> CommandLine:
    """A folder with the run `r`."""
    (command.folder / "c.py").write_text(PLUGIN)
    (command.folder / "r.toml").write_text(RUN)
    command.plugin = command.folder / "c.py"
    done = command("run", "r.toml", "--workers", 0)
    assert done.status == 0, done.err
    return command


def episode(command: CommandLine, method: str, task: str = "from-5") -> Episode:
    return latest(command.folder / "runs" / "r")[task, method, 0]


def texts(said: Any) -> list[str]:
    """The words of every critique of an answer, in order."""
    return [c["text"] for moment in said["said"] for c in moment["critiques"]]


@pytest.mark.parametrize("replay", ["--replay", "--no-replay"])
def test_a_critic_of_the_run_says_what_it_said(asked: CommandLine, inside: Any, replay: str) -> None:
    record = episode(asked, "cornered").attempts[0]
    for turn in record.turns:
        said = inside("ask", "counts", "runs/r", "from-5/cornered", turn.index, replay, "--json").json
        assert (said["source"], said["state"]) == ("replay" if replay == "--replay" else "record", "recorded")
        own = [c for c in turn.critiques if c.critic == "counts"]
        assert {m["moment"] for m in said["said"] if m["fires"]} == {c.moment for c in own}
        assert texts(said | {"said": [m for m in said["said"] if m["fires"]]}) == [c.text for c in own]
    end = inside("ask", "counts", "runs/r", "from-5/cornered", "end", replay, "--json").json
    assert texts(end) == [c.text for c in record.critiques if c.critic == "counts"]


def test_another_critic_says_what_it_would_have_said(asked: CommandLine, inside: Any) -> None:
    """In shadow it changes nothing, so that the run without it is the run with it."""
    watched, alone = episode(asked, "watched").attempts[0], episode(asked, "alone").attempts[0]
    assert [t.executed for t in watched.turns] == [t.executed for t in alone.turns]
    for turn in watched.turns:
        said = inside("ask", "counts", "runs/r", "from-5/alone", turn.index, "--json").json
        assert said["state"] == "rehearsed"
        assert texts(said) == [c.text for c in turn.critiques if c.critic == "counts"]


def test_the_prompt_and_what_it_costs(asked: CommandLine, inside: Any) -> None:
    record = episode(asked, "watched")
    turn = record.attempts[0].turns[1]
    said = inside("ask", "asks", "runs/r", "from-5/alone", 1, "--json").json
    [moment] = said["said"]
    [call] = moment["calls"]
    recorded = next(c for c in record.calls if c.id == next(c for c in turn.critiques if c.critic == "asks").call)
    assert call["messages"] == [{"role": m.role, "content": m.content} for m in recorded.messages]
    assert (call["seed"], call["usage"]["prompt"], call["role"]) == (recorded.seed, recorded.usage.prompt, "critic")
    shown = inside("ask", "asks", "runs/r", "from-5/alone", 1, "--model", "asks=scripted:x,say=no").out
    assert f"[user] {recorded.messages[0].content}" in shown
    assert "asks in review_turn; delivered: no" in shown
    assert "1 calls, 3 fresh, 0 cached and 2 output tokens" in shown


def test_triggers_are_passed_over_and_told(asked: CommandLine, inside: Any) -> None:
    shown = inside("ask", "fails:trigger.every=3", "runs/r", "from-5/alone", 0)
    assert shown.status == 1
    assert "── review_turn: its trigger would not have fired ──" in shown.out
    assert "boom" in shown.out
    shown = inside("ask", "rules:veto=true", "runs/r", "from-5/alone", 0)
    assert "its trigger would have fired" in shown.out
    assert "alone it comes to: pass" in shown.out
    said = inside("ask", "capitals", "runs/r", "from-5/alone", 0, "--json").json
    assert said["said"][0]["observation"] == episode(asked, "alone").attempts[0].turns[0].observation.upper()


def test_without_the_environment_all_comes_from_the_record(asked: CommandLine, inside: Any) -> None:
    gone = PLUGIN.replace('    registry.add("environment"', '    (lambda *given: None)("environment"')
    asked.plugin = asked.folder / "other.py"
    asked.plugin.write_text(gone)
    said = inside("ask", "counts", "runs/r", "from-5/cornered", 1, "--json").json
    assert said["source"] == "record"
    assert "From the record, since test/Countdown-v1 cannot be played here" in said["remarks"][0]
    refused = inside("ask", "gold-advice", "runs/r", "from-5/alone", 1)
    assert refused.status == 2
    assert "critic 'gold-advice' sees gold, which only the environment test/Countdown-v1 knows" in refused.err


def test_gold_is_asked_of_the_environment_at_the_moment(asked: CommandLine, inside: Any) -> None:
    left = 5
    for turn in episode(asked, "alone").attempts[0].turns:
        said = inside("ask", "golden", "runs/r", "from-5/alone", turn.index, "--json").json
        assert texts(said) == [str(["down 2"] * (left // 2) + ["down 1"] * (left % 2))]
        left -= int(turn.executed[-1]) if turn.executed in ("down 1", "down 2") else 0


def test_a_record_that_does_not_replay_is_said(asked: CommandLine, inside: Any) -> None:
    path = asked.folder / "runs" / "r" / "episodes.jsonl"
    record = episode(asked, "alone").attempts[0]
    path.write_bytes(path.read_bytes().replace(record.log[0].hash.encode(), b"0" * 16))
    refused = inside("ask", "counts", "runs/r", "from-5/alone", 1)
    assert refused.status == 2
    assert "is not the recorded one" in refused.err
    assert "--no-replay asks from the record alone" in refused.err
    assert inside("ask", "counts", "runs/r", "from-5/alone", 1, "--no-replay").status == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("counts", "runs/gone", "1", "0"), "runs/gone is no run folder"),
        (("counts", "runs/r", "from-5", "0"), "'from-5' names 3 episodes of runs/r; choose one by its number: "),
        (("counts", "runs/r", "1", "99"), "there is no turn 99"),
        (("counts", "runs/r", "1", "-x"), "No such option"),
        (("counts", "runs/r", "1", "last"), "and 'end'; there is no turn last"),
        (("count", "runs/r", "1", "0"), "unknown critic 'count'; did you mean 'counts'"),
        (("asks:k=1", "runs/r", "1", "0"), "'asks' has no option 'k'"),
        (("fails", "runs/r", "1", "end"), "critic 'fails' has nothing to say at the end: it is asked in review_turn"),
        (("counts", "runs/r", "1", "0", "--attempt", "3"), "has 1 attempts, counted from 0; there is no 3"),
    ],
)
def test_wrong_questions_are_one_sentence(
    asked: CommandLine, inside: Any, arguments: tuple[str, ...], sentence: str
) -> None:
    done = inside("ask", *arguments)
    assert done.status == 2
    assert sentence in done.err
    assert "Traceback" not in done.err
