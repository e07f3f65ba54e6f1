"""Whether interventions hit what they aimed at: rules against a truth that was built in, and a judge beside them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted_model import ScriptedModel
from tests.support.scripts import actor, critic, says

from cornerman import Candidate, Critique, Verdict
from cornerman.errors import UsageError
from cornerman.model import Generation
from cornerman.records import Completion, Episode, Usage
from cornerman.store import latest
from cornerman.worth.hits import Hits, Split
from cornerman.worth.judging import CHOICES, JUDGED, read


def leads_on(number: int, action: str) -> bool:
    """Whether gold's way on the countdown is shorter after an action."""
    after = number - (int(action[-1]) if action.startswith("down") else 0)
    return after >= 0 and (after + 1) // 2 < (number + 1) // 2


def counter(view: Any) -> int:
    """What the counter shows."""
    texts = [view.opening, *(t.observation for t in view.history)]
    return next(int(t.rstrip(".").split()[-1]) for t in reversed(texts) if t.startswith("The counter"))


def spotter(right: float) -> type:
    """Names a weakness now and then, a real one with probability `right`.

    Each time a coin says which kind is next; it then waits for a choice of that kind and objects to it.
    """

    def review(view: Any, candidates: list[Candidate]) -> Critique:
        real = view.state.setdefault("real", view.rng().random() < right)
        number = counter(view)
        if leads_on(number, candidates[0].text) == real:
            return Critique(verdict=Verdict.PASS)
        del view.state["real"]
        best = "down 2" if number >= 2 else "down 1"
        other = best if real else "wait"
        return Critique(verdict=Verdict.REVISE, text=f"{'real' if real else 'made up'}: `{other}`", suggestion=other)

    return critic(review_action=review)


def interventions(folder: Path) -> list[Critique]:
    """Every critique of a run that sent something back."""
    episodes: list[Episode] = list(latest(folder).values())
    turns = itertools.chain.from_iterable(a.turns for e in episodes for a in e.attempts)
    return [c for t in turns for c in t.critiques if c.verdict is Verdict.REVISE]


def spotted(played: Any, right: float, limit: int = 20) -> Any:
    method = {"name": "m", "actor": {"use": "noisy-gold", "p": 0.5}, "critic": ["spotter"]}
    return played(method, plugins={"critic_spotter": spotter(right)}, limit=limit, trials=3)


@pytest.mark.parametrize("right", [0.5, 0.7, 0.9])
def test_weaknesses_are_measured_to_be_real_as_often_as_they_are(played: Any, right: float) -> None:
    folder = spotted(played, right)
    [found] = folder.report(moments=10_000, silent=0, k=1).hits["review_action"]
    said = interventions(folder.path)
    real = sum(c.text.startswith("real") for c in said)
    assert found.interventions == found.real.of == len(said)
    assert found.real.value == pytest.approx(real / len(said)), "one by one it is what the critic meant it to be"
    assert found.real_seen == found.real, "nothing is hidden on the countdown"
    assert found.real.ci is not None
    assert found.real.ci[0] <= right <= found.real.ci[1]
    assert found.followed.value == 1, "noisy-gold does what it is told"
    assert found.improved.value == found.hit.value == pytest.approx(found.real.value)


def test_who_listens_to_nobody_follows_nothing(played: Any) -> None:
    deaf = actor("wait", revise=lambda view, candidates, critiques: "wait")
    plugins = {"critic_spotter": spotter(1), "actor_deaf": deaf}
    folder = played({"name": "m", "actor": "deaf", "critic": ["spotter"]}, plugins=plugins, limit=4)
    [found] = folder.report(moments=10, silent=0).hits["review_action"]
    assert (found.real.value, found.followed.value, found.improved.value, found.hit.value) == (1, 0, 0, 0)


def test_words_that_name_no_action_are_in_no_share_of_what_was_followed(played: Any) -> None:
    plugins = {"critic_vague": critic(review_turn=says("Think again.")), "actor_waits": actor("wait")}
    folder = played({"name": "m", "actor": "waits", "critic": ["vague"]}, plugins=plugins, limit=4)
    [found] = folder.report(moments=10, silent=0).hits["review_turn"]
    assert (found.real.value, found.real.of) == (1, 10)
    assert found.followed.of == found.hit.of == 0
    assert found.followed.value is None


def test_after_a_turn_to_speak_is_to_intervene(played: Any) -> None:
    """One that speaks of all even numbers, where the actor's step is wrong by design, and of no odd ones."""

    def advise(view: Any, turn: Any) -> Critique | None:
        return Critique(text="Go on.") if counter(view) % 2 == 0 else None

    def act(view: Any) -> str:
        return "down 1" if counter(view) % 2 else "wait" if view.turn % 3 else "down 1"

    plugins = {"critic_even": critic(review_turn=advise), "actor_steps": actor(act)}
    folder = played({"name": "m", "actor": "steps", "critic": ["even"]}, plugins=plugins, limit=8)
    report = folder.report(moments=1000, silent=1000, k=1)
    full = report.accuracy["review_turn"]
    assert full.judged
    assert full.over == 0, "down by one from an odd number leads on, and it was silent"
    assert report.consistent == report.accuracy
    assert report.full_only == []


class Told(ScriptedModel):
    """A judge that answers by the words that were said."""

    name = "told"

    async def generate(self, messages: Any, sampling: Any, *, seeds: Any, session: str | None = None) -> Generation:
        found = await super().generate(messages, sampling, seeds=seeds, session=session)
        return Generation(completions=(Completion(text=found.completions[0].text),), usage=Usage(prompt=9, output=4))


def answer(messages: Any) -> str:
    text = messages[-1].content
    if "`wait`\n" in text.partition("Now it got this advice")[2].partition("After it")[0]:
        return "Well, real=no followed=yes improved=no, I would say."
    return "Let me think.\nreal=yes followed=yes improved=yes" if "real: `down 2`" in text else "real=no"


def test_a_judge_is_asked_once_and_paid(played: Any) -> None:
    folder = spotted(played, 0.7, limit=6)
    made: list[Told] = []

    def factory(target: str = "") -> Told:
        made.append(Told(answer))
        return made[-1]

    folder.plugins.registry.add("model", "told", factory)
    report = folder.report(moments=30, silent=0, judge="told")
    gold, judge = report.hits["review_action"]
    assert (gold.by, judge.by) == ("gold", "judge")
    asked = len({a.last for a in made[0].asked})
    assert judge.interventions == gold.interventions == 30
    assert report.cost.usage["judge"].calls == len(made[0].asked) == asked > 20, "the same question is asked once"
    assert judge.real.of + judge.unparsed == 30
    assert judge.unparsed > 0
    assert judge.real.value == judge.hit.value == judge.agreement.value == 1, "it spoke of real ones alone"
    assert report.cost.usage["judge"].prompt == 9 * asked
    texts = [a.last for a in made[0].asked]
    assert all("Without it, the agent would have done" in t and "material" not in t for t in texts)
    assert all("gold" not in t for t in texts)
    again = folder.report(moments=30, silent=0, judge="told")
    assert again.hits == report.hits
    assert again.cost == report.cost
    assert not made[1].asked
    assert len((folder.path / JUDGED).read_bytes().splitlines()) == asked


def test_a_judge_that_can_not_write_is_refused(played: Any) -> None:
    folder = spotted(played, 1, limit=2)

    class Mute(ScriptedModel):
        capabilities = frozenset({"score"})

    folder.plugins.registry.add("model", "mute", lambda target="": Mute())
    with pytest.raises(UsageError, match="a judge needs texts"):
        folder.report(moments=2, silent=0, judge="mute")
    with pytest.raises(UsageError, match="did you mean 'mute'"):
        folder.report(moments=2, silent=0, judge="mut")


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("real=yes followed=no improved=no", (True, False, False)),
        ("Since it waited:\n\n  Real=Yes followed=yes improved=no. \n", (True, True, False)),
        ("real=yes followed=no", None),
        ("real=yes followed=no improved=maybe", None),
        ("I say real=yes followed=no improved=no", None),
        ("real=yes followed=no improved=no\nor not", None),
        ("", None),
    ],
)
def test_answers_are_read_to_the_letter(text: str, split: tuple[bool, ...] | None) -> None:
    assert read(text) == (None if split is None else Split(*split))


def test_every_choice_is_an_answer() -> None:
    assert len({read(text) for text in CHOICES} - {None}) == 8
    assert Hits.__struct_fields__[0] == "by"
