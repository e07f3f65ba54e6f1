"""The same everything gives the same episode; what draws depend on, and what not."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.harness.engine.test_fork import ring as full_ring
from tests.support import countdown
from tests.support.scripts import Ring, actor, critic, executed, only, says

from cornerman.records import Episode
from cornerman.suites import Rules


def timeless(episode: Episode) -> Any:
    """An episode as JSON without seconds."""

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            return {k: strip(v) for k, v in node.items() if k not in ("seconds", "queue_seconds")}
        return [strip(v) for v in node] if isinstance(node, (list, tuple)) else node

    return strip(msgspec.to_builtins(episode))


def full_episode() -> Episode:
    """An episode with everything in it that draws."""
    ring = full_ring()
    return ring.play(countdown.task(7), bench=ring.bench(seed=11), review_rounds=2)


def test_the_same_everything_gives_the_same_episode() -> None:
    assert timeless(full_episode()) == timeless(full_episode())


def test_another_process_with_other_hashes_plays_the_same_episode() -> None:
    code = (
        "import json; from tests.harness.engine.test_determinism import full_episode, timeless; "
        "print(json.dumps(timeless(full_episode())))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert msgspec.json.decode(found[0]) == msgspec.json.decode(msgspec.json.encode(timeless(full_episode())))


def draws(group: bool = False) -> Callable[[Any], str]:
    return lambda view: view.rng(group=group).choice(["wait", "down 1"])


LONG = Rules(max_turns=12)


def actions(ring: Ring, seed: int = 0, trial: int = 0, start: int = 50, **more: Any) -> list[str | None]:
    return executed(only(ring.play(countdown.task(start, "t"), bench=ring.bench(seed=seed), trial=trial, **more)))


def test_run_seed_task_and_trial_change_the_draws() -> None:
    ring = Ring(actor(draws()), rules=LONG)
    base = actions(ring)
    assert actions(ring) == base
    assert actions(ring, seed=1) != base
    assert actions(ring, trial=1) != base
    other = executed(only(ring.play(countdown.task(50, "another"))))
    assert other != base


def test_group_consistent_draws_leave_the_trial_out() -> None:
    ring = Ring(actor(draws(group=True)), rules=LONG)
    assert actions(ring, trial=0) == actions(ring, trial=1)
    assert actions(ring, seed=1) != actions(ring)


def test_names_of_methods_and_labels_of_actors_have_no_influence() -> None:
    ring = Ring(actor(draws()), rules=LONG)
    base = ring.play(countdown.task(50))
    ring.table |= {"name": "another name", "actor": {"use": "scripted", "label": "another-label"}}
    renamed = ring.play(countdown.task(50))
    assert (base.method, renamed.method) == ("scripted", "another name")
    assert timeless(msgspec.structs.replace(renamed, method=base.method)) == timeless(base)


def test_a_critic_beside_it_does_not_change_what_an_actor_draws() -> None:
    """That is what makes paired comparisons sharp."""
    alone = Ring(actor(draws()), rules=LONG)

    def look(view: Any, turn: Any) -> None:
        view.rng().random()

    watched = Ring(
        actor(draws()),
        rules=LONG,
        it=critic(review_turn=look),
        says=(critic(review_turn=says("hm")), {"trigger": {"random": 0.5}}),
    )
    assert actions(alone) == actions(watched)


def test_every_place_draws_for_itself() -> None:
    """Decision and outcome, every turn, every instance, every draw."""
    drawn: list[float] = []

    def draw(view: Any, *subject: Any) -> Any:
        drawn.extend((view.rng().random(), view.rng().random()))
        return "wait" if not subject else None

    moments = ("transform_observation", "review_action", "review_turn", "review_attempt")
    hooks = dict.fromkeys(moments, draw)
    ring = Ring(
        actor(draw, on_task_start=lambda view: draw(view, None), transform_observation=draw),
        rules=LONG,
        one=critic(**hooks),
        two=critic(**hooks),
    )
    only(ring.play())
    assert len(drawn) == 2 * (1 + 3 + 12 * (1 + 3 + 2 * 2) + 2)
    assert len(set(drawn)) == len(drawn)


def test_an_actor_and_a_critic_of_one_name_do_not_share_draws_or_state() -> None:
    drawn: dict[str, float] = {}

    def keep(role: str) -> Any:
        def hook(view: Any, *subject: Any) -> Any:
            assert view.state.get("role", role) == role
            view.state["role"] = role
            drawn.setdefault(role, view.rng().random())
            return "wait" if role == "actor" else None

        return hook

    ring = Ring(actor(keep("actor")), rules=Rules(max_turns=2), scripted=critic(review_action=keep("critic")))
    ring.table["critic"][0]["label"] = "actor"
    turn = only(ring.play()).turns[0]
    assert turn.state == {"actor": {"role": "actor"}, "critic/actor": {"role": "critic"}}
    assert drawn["actor"] != drawn["critic"]


def test_no_global_generator_is_touched() -> None:
    before, numpy_before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    full_episode()
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == numpy_before  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", [1, 2])
def test_global_generators_have_no_influence(seed: int) -> None:
    ring = Ring(actor(draws()), rules=LONG)
    base = actions(ring)
    state = random.getstate()
    try:
        random.seed(seed)
        assert actions(ring) == base
    finally:
        random.setstate(state)
