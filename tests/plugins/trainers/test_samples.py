"""What is found in recorded episodes, and the columns that pieces read."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("peft", reason="training needs the extra 'train'")

from tests.plugins.trainers.recipes import demonstrations

from cornerman.engine.method import build_method, method_settings
from cornerman.experiment import load_suite
from cornerman.plugins import load
from cornerman.records import Episode
from cornerman.workers.pool import Pool
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.trainers.policy.tiny import trained_tokenizer
from cornerman_plugins.trainers.rollouts.columns import columns
from cornerman_plugins.trainers.rollouts.play import play
from cornerman_plugins.trainers.rollouts.samples import Reader
from cornerman_plugins.trainers.sampling.journal import Journal, Journalled
from cornerman_plugins.trainers.sampling.scribe import Scribe

PLUGINS = load()
CHAT = Chat(trained_tokenizer(["look in the fridge", "take the apple"], 400))


@pytest.fixture(scope="module")
def played() -> tuple[list[Episode], Reader]:
    """Demonstrations of six tasks: an attempt and four retries of each."""
    journal = Journal()
    suite = load_suite(PLUGINS.registry, "hidden-easy-train")
    method = build_method(PLUGINS.registry, method_settings(demonstrations(1)["stage"]["show"]["method"], "test"))
    model = Journalled(Scribe(CHAT), journal)

    async def run() -> list[Episode]:
        sessions = Pool(PLUGINS, 0)
        return await play(
            sessions, lambda uri: model, method, suite.rules, suite.tasks[:6], trials=1, seed=1, phase="training"
        )

    return asyncio.run(run()), Reader(journal, {"actor": CHAT, "critic": CHAT})


def test_every_turn_is_found_with_what_was_allowed(played: tuple[list[Episode], Reader]) -> None:
    episodes, reader = played
    samples = reader.samples(episodes, "actor")
    assert len(samples) == 6 * 5
    for sample in samples:
        assert [g.turn for g in sample.generations] == [t.index for t in sample.attempt.turns]
        for generation, turn in zip(sample.generations, sample.attempt.turns, strict=True):
            tokens = generation.tokens
            assert CHAT.text(tokens.ids[tokens.start : -1]).strip() == turn.executed
            assert all(
                a is not None and i in a for a, i in zip(tokens.allowed, tokens.ids[tokens.start :], strict=True)
            )
            choices = len(turn.admissible_actions or ())
            assert len(tokens.decisions) >= (1 if choices > 1 else 0)


def test_critiques_are_judged_by_the_retry_that_carries_them(played: tuple[list[Episode], Reader]) -> None:
    episodes, reader = played
    samples = reader.samples(episodes, "critic")
    assert len(samples) == 6 * 4
    for sample in samples:
        assert sample.critique is not None
        assert sample.attempt.critique == sample.critique.id
        assert sample.about is sample.episode.attempts[0]
        assert sample.critique.text in [item.text for item in sample.attempt.context]


def test_columns(played: tuple[list[Episode], Reader]) -> None:
    episodes, reader = played
    samples = reader.samples(episodes, "actor")
    batch = columns(samples)
    first = batch["order"] == 0
    assert np.isnan(batch["before"][first]).all()
    assert (batch["before"][~first] == batch["score"][batch["base"][~first]]).all()
    assert len(np.unique(batch["group"])) == 6 * 2  # first attempts, and the retries of each
    for number in np.unique(batch["group"][~first]):
        assert np.count_nonzero(batch["group"] == number) == 4
    ends = [s.attempt.turns[-1].score for s in samples]
    assert batch["score"] == pytest.approx(np.array(ends))
    totals = np.bincount(batch["sample"], weights=batch["turn_reward"])
    assert totals == pytest.approx(batch["score"])
    critics = columns(reader.samples(episodes, "critic"))
    assert len(np.unique(critics["group"])) == 6
    assert set(critics["truth"]) <= {1.0, -1.0}
    again = batch["state"][batch["turn"] == 0].reshape(6, 5)
    assert (again == again[:, :1]).all()  # attempts at one task begin in the same state
