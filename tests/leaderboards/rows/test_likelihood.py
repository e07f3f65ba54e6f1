"""Sampled text is told from edited text: with the embedded model, on episodes of the published quickstart."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest

from cornerman.errors import UsageError
from cornerman.model import Sampling
from cornerman.models import Models
from cornerman.plugins import load
from cornerman.records import Call, Completion, Episode, Message
from cornerman.rerunning.answers import Asked
from cornerman.rerunning.playing import Rerun, rerun_episode
from cornerman.rerunning.staging import buildable, stage_of
from cornerman.store import latest, read_experiment
from cornerman.workers.pool import Pool
from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.rows.likelihood import Likelihood, Scorer, scorer

pytestmark = [
    pytest.mark.extra("hf"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra 'hf'"),
]
ROW = PUBLISHED / "quickstart" / "quickstart"
KEY = ("frozenlake-grid-3-dev-1", "reflect", 0)
"""An episode with every kind of call: choices, scored texts, and words of a critic sampled freely."""


@pytest.fixture(scope="module")
def recorded() -> Episode:
    return latest(ROW)[KEY]


@pytest.fixture(scope="module")
def rerun(recorded: Episode) -> Callable[[Episode], Rerun]:
    """Runs an episode of the row again."""
    plugins, experiment = load(), read_experiment(ROW)
    suite = experiment.tasks(plugins.registry)
    methods, _ = buildable(plugins, experiment, suite)

    def again(episode: Episode) -> Rerun:
        async def play() -> Rerun:
            pool = Pool(plugins, 0)
            try:
                stage, _ = stage_of(plugins, ROW, experiment, suite, methods, {KEY: recorded}, pool)
                return await rerun_episode(stage, episode)
            finally:
                await pool.close()

        return asyncio.run(play())

    return again


@pytest.fixture(scope="module")
def model() -> Iterator[Any]:
    """The embedded model in full precision, where batches change nothing."""
    models = Models(load().registry)
    yield models("smollm2,dtype=float32")
    asyncio.run(models.aclose())


def rescored(model: Any, run: Rerun) -> tuple[Likelihood, list[str]]:
    """What rescoring finds."""
    scoring: Scorer = scorer("smollm2", model)

    async def score() -> list[str]:
        return [f"{call.id} {problem}" async for call, problem in scoring.score(run)]

    return scoring.found, asyncio.run(score())


def with_completion(episode: Episode, number: int, change: Callable[[Completion], Completion]) -> Episode:
    """The episode with the first completion of one call changed."""

    def other(call: Call) -> Call:
        if call.id != number:
            return call
        return msgspec.structs.replace(call, completions=(change(call.completions[0]), *call.completions[1:]))

    return msgspec.structs.replace(episode, calls=tuple(map(other, episode.calls)))


def longest(episode: Episode) -> Call:
    """The call with the most sampled tokens: the critic's words."""
    return max((c for c in episode.calls if c.kind == "generate"), key=lambda c: len(c.completions[0].ids or ()))


def at(values: Sequence[Any], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def test_an_honest_episode_agrees(model: Any, rerun: Any, recorded: Episode) -> None:
    run = rerun(recorded)
    assert run.problems == []
    found, problems = rescored(model, run)
    assert problems == []
    assert (found.calls, found.aside) == (len(recorded.calls), 0)
    assert found.tokens == sum(len(c.ids or ()) for call in recorded.calls for c in call.completions)
    assert 0 < found.mean_gap < 0.1


def test_one_altered_token_is_named(model: Any, rerun: Any, recorded: Episode) -> None:
    """The id alone: its log-probability is that of another, and it is no longer what the text says."""
    call = longest(recorded)
    altered = with_completion(
        recorded, call.id, lambda c: msgspec.structs.replace(c, ids=at(c.ids or (), 5, (c.ids or ())[5] + 1))
    )
    _, problems = rescored(model, rerun(altered))
    assert any(p.startswith(f"{call.id} token 5 has log-probability ") for p in problems), problems
    assert any("its token ids say" in p for p in problems)


def test_an_editor_who_rewrites_everything_is_found_where_the_model_was_greedy(
    model: Any, rerun: Any, recorded: Episode
) -> None:
    """Another token with its text and the log-probabilities that the model itself gives to the whole."""
    call = longest(recorded)
    asked = next(a for a in rerun(recorded).asked if a.call.id == call.id)
    assert asked.sampling is not None
    assert asked.sampling.temperature == 0
    ids = at(call.completions[0].ids or (), 5, (call.completions[0].ids or ())[5] + 1)
    [now] = asyncio.run(model.rescore(asked.messages, [ids]))
    altered = with_completion(
        recorded, call.id, lambda c: msgspec.structs.replace(c, ids=ids, text=now.text, logprobs=now.logprobs)
    )
    _, problems = rescored(model, rerun(altered))
    assert any("was taken as the likeliest, another one is likelier by" in p for p in problems), problems
    assert not any("log-probability" in p for p in problems if p.startswith(f"{call.id} "))


def test_choices_are_rescored_among_those_that_were_offered(model: Any, recorded: Episode) -> None:
    messages = (Message(role="user", content="Which way?"),)
    sampling = Sampling(choices=("go left", "go right", "stay"))
    answer = asyncio.run(model.generate(messages, sampling, seeds=[1]))
    [free] = asyncio.run(model.score(messages, ["fly away"])).completions
    call = msgspec.structs.replace(
        recorded.calls[0],
        kind="generate",
        completions=answer.completions,
        usage=answer.usage,
        checkpoint=answer.checkpoint,
    )
    assert rescored(model, Rerun(recorded, [], [Asked(call, messages, sampling)]))[1] == []
    other = msgspec.structs.replace(call, completions=(msgspec.structs.replace(answer.completions[0], ids=free.ids),))
    _, problems = rescored(model, Rerun(recorded, [], [Asked(other, messages, sampling)]))
    assert any("none of the choices" in p for p in problems), problems


def test_calls_of_another_checkpoint_are_set_aside(model: Any, rerun: Any, recorded: Episode) -> None:
    other = msgspec.structs.replace(
        recorded, calls=tuple(msgspec.structs.replace(c, checkpoint="0" * 16) for c in recorded.calls)
    )
    found, problems = rescored(model, rerun(other))
    assert (found.calls, found.aside, problems) == (0, len(recorded.calls), [])


def test_a_model_that_cannot_rescore_is_refused() -> None:
    class Mute:
        pass

    with pytest.raises(UsageError, match="cannot rescore token ids"):
        scorer("vllm:x", Mute())  # type: ignore[arg-type]
