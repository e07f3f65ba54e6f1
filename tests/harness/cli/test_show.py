"""`cornerman show`: the episodes of a run by number, and one of them as a conversation."""

from __future__ import annotations

import re

import pytest
from tests.support.command import CommandLine

from cornerman.cli.conversation import conversation
from cornerman.errors import End
from cornerman.records import Attempt, Candidate, ContextItem, Critique, Episode, Start, Task, Turn, Verdict
from cornerman.store import latest

RUN = ("run", "--suite", "count-smoke", "--limit", 3, "--actor", "noisy-gold:p=0.9", "--critic", "rules", "--name", "r")


@pytest.fixture
def run(command: CommandLine) -> CommandLine:
    """A folder in which the run `r` was played."""
    assert command(*RUN).status == 0
    return command


def test_episodes_are_listed_by_numbers_that_filters_keep(run: CommandLine) -> None:
    rows = run("show", "runs/r", "--json").json
    episodes = list(latest(run.folder / "runs" / "r").values())
    assert [(r["number"], r["task"], r["method"]) for r in rows] == [
        (i, e.task.id, e.method) for i, e in enumerate(episodes, 1)
    ]
    assert [r["turns"] for r in rows] == [len(e.attempts[0].turns) for e in episodes]
    alone = run("show", "runs/r", "--method", "noisy-gold", "--json").json
    assert [r["number"] for r in alone] == [r["number"] for r in rows if r["method"] == "noisy-gold"]
    lost = run("show", "runs/r", "--failed", "--json").json
    assert [r["number"] for r in lost] == [r["number"] for r in rows if not r["success"]]
    of_task = run("show", "runs/r", "from-4", "--json").json
    assert of_task == run("show", "runs/r", "--task", "from-4", "--json").json
    assert len(of_task) == 2
    lines = run("show", "runs/r").out.splitlines()
    assert lines[0].split("\t")[:4] == ["#", "task", "method", "trial"]
    assert len(lines) == 7


def test_an_episode_is_found_by_number_and_by_name(run: CommandLine) -> None:
    rows = run("show", "runs/r", "--json").json
    wanted = next(r for r in rows if r["method"] == "noisy-gold+rules")
    by_number = run("show", "runs/r", wanted["number"])
    assert by_number.status == 0
    assert run("show", "runs/r", f"{wanted['task']}/noisy-gold+rules").out == by_number.out
    record = run("show", "runs/r", wanted["number"], "--json").json
    assert (record["task"]["id"], record["method"]) == (wanted["task"], "noisy-gold+rules")
    executed = [t["executed"] for t in record["attempts"][0]["turns"]]
    assert re.findall(r"^> (down 1|down 2|wait)", by_number.out, re.M) == executed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("runs/gone",), "runs/gone is no run folder"),
        (("runs/r", "7"), "runs/r has 6 episodes to choose from, none of the number 7"),
        (("runs/r", "from-33"), "runs/r has no episode 'from-33'; did you mean 'from-3'"),
        (("runs/r", "--method", "noisy"), "the run has no method 'noisy'; did you mean 'noisy-gold'"),
    ],
)
def test_wrong_names_are_answered_with_near_ones(run: CommandLine, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in run.refused("show", *arguments)


def test_the_conversation_says_who_said_what_when_and_what_came_of_it() -> None:
    turns = (
        Turn(
            index=0,
            candidates=(Candidate(text="left", thought="hm"), Candidate(text="right", logprob=-1.25)),
            critiques=(
                Critique(id=1, critic="gate", moment="review_action", candidate=0, verdict=Verdict.REVISE, score=0.25,
                         text="A wall.", delivered=True),
                Critique(id=2, critic="gate", moment="review_action", candidate=2, verdict=Verdict.PASS,
                         suppressed="pass"),
                Critique(id=3, critic="sage", moment="review_turn", text="Go on.", suppressed="suppress"),
            ),
            revisions=(Candidate(text="up"),),
            executed="up",
            changed_by=1,
            observation="A \x1b[2J hall.",
            reward=0.5,
            score=0.5,
        ),
        Turn(index=1, candidates=(Candidate(text="out"),), executed="out", admissible=False, observation="Free."),
    )  # fmt: skip
    attempt = Attempt(
        index=0,
        path="0.0",
        goal="Leave.",
        opening="A cell.",
        turns=turns,
        context=(
            ContextItem(text="Last time you fell.", source="diary", at=0),
            ContextItem(text="A wall.", source="gate", critique=1, at=0),
        ),
        critiques=(Critique(id=4, critic="coach", moment="review_attempt", pivot=1, text="Good.", delivered=True),),
        end=End.SUCCESS,
        success=True,
        score=1.0,
    )
    again = Attempt(index=1, path="1.0", start=Start(kind="turn", attempt=0, turn=1), goal="Leave.")
    episode = Episode(task=Task(env="e", id="t"), method="m", trial=0, seed=0, attempts=(attempt, again), counted=0)
    text = "\n".join(part.text for part in conversation(episode, 5))
    order = [
        "episode 5: t/m/0",
        "attempt 0 counts (last)",
        "Goal: Leave.",
        "A cell.",
        "diary tells the actor (message): Last time you fell.",
        "[turn 0]",
        "actor, candidate 0 thinks: hm",
        "actor, candidate 0: left",
        "actor, candidate 1: right (log-probability -1.25)",
        "gate in review_action, candidate 0; revise; score 0.25; delivered: A wall.",
        "actor revises: up",
        "gate in review_action, candidate 2; pass; not delivered (pass)",
        "> up (changed by gate)",
        "hall.",
        "[reward +0.50, score 0.50]",
        "sage in review_turn; not delivered (suppress): Go on.",
        "> out (not admissible)",
        "coach in review_attempt; pivot 1; delivered: Good.",
        "the attempt ended: solved, score 1.00",
        "attempt 1, from turn 1 of attempt 0",
    ]
    places = [text.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    assert text.count("A wall.") == 1  # the words are told by the critique alone


def test_what_an_environment_says_is_shown_and_never_obeyed(run: CommandLine) -> None:
    done = run("run", "--suite", "count-smoke", "--limit", 1, "--actor", "random", "--name", "odd")
    path = run.folder / "runs" / "odd" / "episodes.jsonl"
    path.write_bytes(path.read_bytes().replace(b"The counter shows", rb"The \u001b[2J counter shows"))
    assert done.status == 0
    shown = run("show", "runs/odd", "1").out
    assert "\x1b" not in shown
    assert r"The \x1b[2J counter shows" in shown
