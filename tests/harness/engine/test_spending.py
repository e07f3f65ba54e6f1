"""Budgets: what an episode may spend in tokens, calls, steps and dollars, over all its attempts."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.play import catalogue, method, play
from tests.support.scripted_model import ScriptedModel

import cornerman
from cornerman import Critique
from cornerman.errors import End, UsageError
from cornerman.experiment import parse
from cornerman.prices import Price, dollars
from cornerman.records import Call, Episode, Message, Usage
from cornerman.runner import check_models
from cornerman.suites import Rules

PROMPT = [Message(role="user", content="What now?")]


class Asks:
    """One call a turn, of one prompt and two output tokens; notes what it has left."""

    left: list[Any] = []

    @cornerman.hookimpl
    async def act(self, view: Any) -> str:
        Asks.left.append(view.spend_left)
        await view.model.generate(PROMPT)
        return "wait"


class Talks:
    """A critic that calls its model after every turn."""

    @cornerman.hookimpl
    async def review_turn(self, view: Any) -> Critique:
        reply = await view.model.generate(PROMPT)
        return Critique(text=reply.text)


def spend(turns: int = 10, critics: int = 0, attempts: int = 1, **most: Any) -> Episode:
    """An episode with a budget."""
    Asks.left = []
    registry = catalogue(actor_asks=Asks, critic_talks=Talks)
    protocol = {"use": "retry", "attempts": attempts, "spend": most}
    table: dict[str, Any] = {"actor": {"use": "asks", "model": "m"}, "protocol": protocol}
    table["critic"] = [{"use": "talks", "model": "m"}] * critics
    model = ScriptedModel(lambda messages: "hm")
    return play(registry, rules=Rules(max_turns=turns), model=lambda uri: model, **table)


@pytest.mark.parametrize(
    ("most", "turns"),
    [({"steps": 4}, 4), ({"calls": 3}, 3), ({"tokens": 7}, 3), ({"tokens": 6}, 2), ({"calls": 9, "steps": 2}, 2)],
)
def test_the_decision_that_exhausts_it_is_the_last(most: dict[str, int], turns: int) -> None:
    episode = spend(**most)
    assert episode.out_of_budget
    assert [len(a.turns) for a in episode.attempts] == [turns]
    assert episode.end is End.TRUNCATED


def test_every_role_pays_from_it() -> None:
    assert len(spend(critics=1, calls=4).attempts[0].turns) == 2


def test_it_holds_over_attempts_and_plans_no_more() -> None:
    episode = spend(turns=3, attempts=5, steps=7)
    assert [len(a.turns) for a in episode.attempts] == [3, 3, 1]
    assert [len(a.turns) for a in spend(turns=3, attempts=5, steps=6).attempts] == [3, 3]


def test_plugins_see_what_is_left() -> None:
    spend(turns=2, attempts=2, steps=4, tokens=100)
    assert Asks.left == [{"tokens": 100.0 - 3 * i, "steps": 4.0 - i} for i in range(4)]
    spend(turns=1)
    assert Asks.left == [{}]


def test_no_budget_shows_none() -> None:
    Asks.left = []
    registry = catalogue(actor_asks=Asks)
    model = ScriptedModel(lambda messages: "hm")
    play(registry, rules=Rules(max_turns=1), model=lambda uri: model, actor={"use": "asks", "model": "m"})
    assert Asks.left == [None]


def test_dollars_by_price() -> None:
    calls = [
        Call(id=0, role="actor", plugin="a", purpose="act", kind="generate", model=name, usage=usage)
        for name, usage in [
            ("dear", Usage(prompt=1000, cached=500, output=100)),
            ("cheap", Usage(prompt=1000, cached=1000)),
            ("free", Usage(prompt=10**9)),
        ]
    ]
    prices = {"dear": Price(prompt=3.0, cached=0.3, output=15.0), "cheap": Price(prompt=1.0)}
    assert dollars(calls, prices) == pytest.approx((3000 + 150 + 1500 + 2000) / 1e6)


def test_a_budget_in_dollars_needs_prices() -> None:
    registry = catalogue(actor_asks=Asks)
    made = method(
        registry,
        name="frugal",
        actor={"use": "asks", "model": "m"},
        protocol={"use": "single", "spend": {"dollars": 0.01}},
    )
    models: Any = lambda uri: ScriptedModel()  # noqa: E731
    with pytest.raises(UsageError, match=r"'frugal' has a budget in dollars.*no price for its model 'scripted'"):
        check_models([made], models)
    check_models([made], models, {"scripted": Price(prompt=1.0)})


@pytest.mark.parametrize(
    "most",
    [{"tokens": 0}, {"steps": -1}, {"euros": 3}, {"dollars": 0}, {"dollars": float("inf")}, {"dollars": float("nan")}],
)
def test_what_is_no_budget_is_refused(most: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="single"):
        method(catalogue(), actor="random", protocol={"use": "single", "spend": most})


@pytest.mark.parametrize("price", ["nan", "inf", "-1.0"])
def test_what_is_no_price_is_refused(price: str) -> None:
    text = f'suite = "s"\nprices = {{ "m" = {{ prompt = {price} }} }}\n[[method]]\nactor = "gold"'
    with pytest.raises(UsageError, match="prices"):
        parse(text, "n", "here")


def test_an_episode_that_its_turns_ended_is_not_out_of_budget() -> None:
    assert not spend(turns=3, steps=4).out_of_budget
    assert not spend(turns=3, steps=3).out_of_budget, "the turns were over as well"
    assert spend(turns=3, steps=4, attempts=2).out_of_budget
    assert not spend(turns=2, steps=4, attempts=2).out_of_budget
