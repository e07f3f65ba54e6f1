"""A test of the critic in critic.py, on the environment in environment.py."""

import asyncio

from critic import Failed
from environment import lockbox, tasks

from cornerman.engine.context import Bench
from cornerman.engine.episode import run_episode
from cornerman.engine.method import build_method, method_settings
from cornerman.plugins import load
from cornerman.suites import Rules
from cornerman.workers.pool import Pool


def no_model(uri: str) -> None:
    raise AssertionError(f"no model was to be used, but {uri} was")


def test_it_objects_to_what_failed() -> None:
    plugins = load()
    plugins.registry.add("environment", lockbox.id, lockbox)
    plugins.registry.add("critic", "failed", Failed)
    method = build_method(plugins.registry, method_settings({"actor": "random", "critic": "failed"}, "test"))

    async def play():
        bench = Bench(sessions=Pool(plugins, workers=0), model=no_model, seed=1)
        return await run_episode(bench, tasks("test")[4], method, Rules(max_turns=20))

    attempt = asyncio.run(play()).attempts[0]
    failed: set[str] = set()
    for turn in attempt.turns:
        objected = any(critique.verdict == "revise" for critique in turn.critiques)
        assert objected == (turn.executed in failed)
        if "nothing happens" in turn.observation.lower():
            failed.add(turn.executed)
    assert failed
