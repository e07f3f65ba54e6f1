"""What a critic was worth on the countdown, where one wrong step too far loses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.scripts import actor, critic, says

from cornerman import Critique, Request
from cornerman.errors import UsageError
from cornerman.worth.forks import FORKS, read_forks
from cornerman.worth.report import Part, Report, Worth

NOISY = {"use": "noisy-gold", "p": 0.5}


def gold(**settings: Any) -> dict[str, Any]:
    """A method of the noisy actor with advice."""
    return {"name": "gold", "actor": NOISY, "critic": [{"use": "gold-advice", "label": "advice", **settings}]}


def found(part: Part, estimand: str, what: str) -> Worth:
    [worth] = [w for w in part.worth if (w.estimand, w.what) == (estimand, what)]
    return worth


def part(report: Report, moment: str, spoke: bool = True) -> Part:
    [one] = [p for p in report.parts if (p.moment, p.spoke) == (moment, spoke)]
    return one


def test_right_words_are_worth_something_and_as_many_others_nothing(played: Any) -> None:
    folder = played(gold(trigger={"random": 0.5}), limit=12)
    report = folder.report(moments=40, silent=20)
    spoke, silent = part(report, "review_turn"), part(report, "review_turn", spoke=False)
    assert found(spoke, "on", "words").found.ci[0] > 0
    for one in report.parts:
        for worth in one.worth:
            if worth.what == "pause":
                assert abs(worth.found.difference) <= 0.05
    assert report.check.forks == report.check.repeat == sum(p.moments for p in report.parts)
    assert spoke.rates["words"] > spoke.rates["silence-on"]
    assert spoke.followed == spoke.changed > 0.3
    assert spoke.placebo_changed == 0
    assert silent.had_words == silent.moments
    assert report.cost.errors == 0


def test_where_it_stayed_silent_it_is_made_to_speak(played: Any) -> None:
    """By twos one comes to zero from an even number; told to go down by one for once, from an odd one too."""

    def advise(view: Any, turn: Any) -> Critique | None:
        left = int(view.observation.rstrip(".").split()[-1])
        return Critique(text="go down by one", suggestion="down 1") if left % 2 else None

    def act(view: Any) -> str:
        return "down 1" if any(i.at == view.turn and "one" in i.text for i in view.context) else "down 2"

    folder = played(
        {"name": "m", "actor": "twos", "critic": [{"use": "odd", "trigger": {"every": 100}}]},
        plugins={"actor_twos": actor(act), "critic_odd": critic(review_turn=advise)},
        limit=8,
    )
    report = folder.report(silent=1000)
    [silent] = report.parts
    odd = silent.had_words / silent.moments
    assert 0.3 < odd < 0.7
    assert silent.rates == pytest.approx({"words": 1, "placebo": 1 - odd, "silence": 1 - odd})
    assert found(silent, "once", "words").found.helped == pytest.approx(odd)
    assert found(silent, "once", "pause").found.difference == 0
    assert {g.name: g.words for g in silent.groups if g.by == "uptake"} == {"followed": 1, "same": 0}


def test_malicious_words_cost(played: Any) -> None:
    report = played(gold(wrap="deceptive"), limit=12).report(moments=40, silent=0, moment="review_turn")
    [spoke] = report.parts
    assert found(spoke, "on", "words").found.ci[1] < 0
    assert found(spoke, "once", "both").found.difference < 0


@pytest.mark.parametrize("right", [0.5, 0.7, 0.9])
def test_a_critic_is_measured_to_be_right_as_often_as_it_is(played: Any, right: float) -> None:
    accuracy = played(gold(right=right), limit=20).report(moments=80, silent=0, k=1).accuracy["review_turn"]
    assert accuracy.gold_ci is not None
    assert accuracy.named == 80
    assert accuracy.gold_ci[0] <= right <= accuracy.gold_ci[1]
    assert accuracy.suggestions is not None
    assert accuracy.gold is not None
    assert accuracy.suggestions >= accuracy.gold, "down by one may lead on where gold goes down by two"


def test_before_an_action_silence_executes_the_first_choice(played: Any) -> None:
    folder = played(gold(moment="action"))
    report = folder.report(moments=20, silent=10, moment="review_action")
    spoke, silent = report.parts
    assert spoke.changed == spoke.followed == 1
    assert silent.had_words == silent.changed == 0, "it passed, and passes again"
    assert {g.name for g in silent.groups if g.by == "how"} == {"passed"}
    assert report.check.repeat == report.check.forks
    accuracy = report.accuracy["review_action"]
    assert accuracy.suggestions == 1
    assert accuracy.over is not None
    assert accuracy.over > 0, "down by one leads on as well, and is sent back where gold goes down by two"


def test_what_is_played_is_not_played_again(played: Any) -> None:
    folder = played(gold())
    before = folder.report(moments=6, silent=3)
    assert folder.played == before.cost.forks
    assert folder.report(moments=6, silent=3) == before
    assert folder.played == 0
    more = folder.report(moments=9, silent=3)
    assert folder.played == more.cost.forks - before.cost.forks
    assert folder.report(moments=9, silent=3, seed=1) != more


def test_a_torn_line_is_cut_and_its_fork_played_again(played: Any) -> None:
    folder = played(gold())
    before = folder.report(moments=4, silent=0)
    path: Path = folder.path / FORKS
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    after = folder.report(moments=4, silent=0)
    assert folder.played == 1
    assert (after.parts, after.check, after.cost.turns) == (before.parts, before.check, before.cost.turns)
    assert path.read_bytes().count(b"\n") == whole.count(b"\n") == len(list(read_forks(folder.path)))


def test_forks_of_an_error_count_as_failures_and_are_played_again(played: Any) -> None:
    def revise(view: Any, candidates: Any, critiques: Any) -> str:
        if critiques[-1].text != "now":
            raise ValueError("what is that?")
        return "wait"

    speaks = critic(review_action=says("now", verdict="revise"))
    revises = actor("down 1", revise=revise)
    folder = played(
        {"name": "m", "actor": "touchy", "critic": ["speaks"]},
        plugins={"actor_touchy": revises, "critic_speaks": speaks},
        limit=3,
    )
    report = folder.report(moments=3, silent=0, k=1)
    [spoke] = report.parts
    assert report.cost.errors == 6  # the placebo says something else, once and to the end
    assert spoke.rates["placebo"] == spoke.rates["placebo-on"] == 0
    folder.report(moments=3, silent=0, k=1)
    assert folder.played == 6


def test_where_nothing_is_random_one_fork_an_arm_is_all(played: Any) -> None:
    speaks = critic(review_turn=says("Go on."))
    folder = played({"name": "m", "actor": "gold", "critic": ["speaks"]}, plugins={"critic_speaks": speaks}, limit=20)
    report = folder.report(moments=30, silent=0, k=4)
    [spoke] = report.parts
    assert report.repeats
    assert spoke.samples == 1
    assert found(spoke, "once", "both").found.noise == 0
    assert report.cost.forks == folder.played == 30 * 5 + 5 * 5  # five moments were forked twice to see it
    assert any("nothing here is random" in text for text in folder.said)


def test_an_answer_can_be_silenced(played: Any) -> None:
    def act(view: Any) -> Any:
        if not view.context:
            return Request(question="How?")
        return "down 1" if any("by one" in i.text for i in view.context) else "down 2"

    answers = critic(answer_request=says("go down by one", suggestion="down 1"))
    folder = played(
        {"name": "m", "actor": "asks", "critic": ["answers"]},
        plugins={"actor_asks": actor(act), "critic_answers": answers},
        limit=8,
    )
    report = folder.report(moments=8, silent=8)
    [spoke] = report.parts  # it can not be asked where the actor did not
    assert (spoke.moment, spoke.population) == ("answer_request", 8)
    assert spoke.rates == {"words": 1, "placebo": 0.5, "silence": 0.5, "placebo-on": 0.5, "silence-on": 0.5}
    assert spoke.followed == 1
    assert report.check.repeat == 8


def test_the_words_of_a_retry_can_be_silenced(played: Any) -> None:
    def act(view: Any) -> str:
        return "down 1" if any("by one" in i.text for i in view.context) else "down 2"

    ends = critic(review_attempt=says("go down by one"), review_turn=lambda view, turn: None)
    folder = played(
        {
            "name": "m",
            "actor": "fast",
            "critic": ["ends"],
            "protocol": {"use": "retry", "attempts": 2, "until": "n"},
        },
        plugins={"actor_fast": actor(act), "critic_ends": ends},
        limit=8,
    )
    report = folder.report(moments=8, silent=0, moment="review_attempt")
    [spoke] = report.parts
    assert spoke.population == 8
    assert spoke.rates["words"] == 1
    assert spoke.rates["placebo"] == spoke.rates["silence"] == spoke.rates["silence-on"] == 0.5
    assert report.check.repeat == 8


def test_a_memory_is_there_as_it_was(played: Any) -> None:
    """Forks of a task see what the tasks before it had left."""
    folder = played({**gold(trigger={"random": 0.5}), "memory": "diary"})
    report = folder.report(moments=10, silent=5)
    assert report.check.repeat == report.check.forks


def test_a_moment_that_an_option_leaves_out_is_none_of_silence(played: Any) -> None:
    folder = played(gold(moment="action"))
    assert {k.population[0].moment for k in folder.study().kinds} == {"review_action"}
    with pytest.raises(UsageError, match="it speaks in review_action"):
        folder.study(moment="review_turn")


def test_a_budget_is_kept(played: Any) -> None:
    folder = played(gold(trigger={"random": 0.5}))
    report = folder.report(budget=120)
    assert 60 < report.cost.forks <= 120
    with pytest.raises(UsageError, match="not enough for one moment"):
        folder.study(budget=5)


def test_what_can_not_be_measured_is_one_sentence(played: Any) -> None:
    shouts = critic(on_task_start=lambda view: None, review_turn=says("Go!", verdict=None))
    starts = critic(on_task_start=lambda view: None)
    methods = [
        {"name": "alone", "actor": "gold"},
        {"name": "two", "actor": "gold", "critic": ["shouts", "starts"]},
        {"name": "one", "actor": "gold", "critic": ["shouts"]},
    ]
    folder = played(*methods, plugins={"critic_shouts": shouts, "critic_starts": starts})
    for wanted, sentence in (
        ({}, "choose with --method two or one"),
        ({"method": "alone"}, "no critic whose words"),
        ({"method": "tow"}, "did you mean 'two'"),
        ({"method": "two"}, "choose with --critic shouts or starts"),
        ({"method": "two", "critic": "starts"}, "at no moment that can be forked"),
        ({"method": "one", "moment": "review_action"}, "it speaks in review_turn"),
        ({"method": "one", "critic": "shout"}, "did you mean 'shouts'"),
    ):
        with pytest.raises(UsageError, match=sentence):
            folder.study(**wanted)


def test_critics_that_stay_hear_of_nothing_else(played: Any) -> None:
    """Beside the critic that is measured another one goes on, and says at the moment what it said."""
    counts = critic(
        review_action=lambda view, candidates: Critique(
            verdict="revise", text=f"other {view.turn}", score=view.rng().random()
        )
    )
    method = gold(moment="action")
    method["critic"].append({"use": "counts"})
    folder = played(method, plugins={"critic_counts": counts})
    report = folder.report(critic="advice", moments=20, silent=10)
    assert report.check.repeat == report.check.forks
