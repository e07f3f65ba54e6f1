"""The pool: one worker an episode, recycled, replaced, and gone when nobody needs it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cornerman.errors import EnvError
from cornerman.records import Task
from cornerman.workers.pool import Pool

MakePool = Callable[..., Pool]
MakeTask = Callable[..., Task]
PLUGIN = Path(__file__).with_name("countdown_plugin.py")


async def pids(pool: Pool, tasks: list[Task]) -> list[int]:
    """The processes in which episodes ran that were played one after another."""
    seen = []
    for task in tasks:
        session = await pool.open(task)
        await session.reset()
        seen.append(int((await session.facts())["pid"]))
        await session.close()
    return seen


def test_a_worker_serves_episode_after_episode(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool(2)
        assert len(set(await pids(pool, [task()] * 5))) == 1
        session = await pool.open(task())
        assert (await session.facts())["made"] == 6  # an instance of its own for each
        await pool.close()

    asyncio.run(run())


def test_a_worker_is_recycled_after_some_episodes(
    make_pool: MakePool, task: MakeTask, gone: Callable[[int], bool]
) -> None:
    async def run() -> None:
        pool = make_pool(recycle_episodes=2)
        first, second, third, fourth, fifth = await pids(pool, [task()] * 5)
        assert first == second != third == fourth != fifth
        await asyncio.gather(*pool._ending)
        assert gone(first)
        assert gone(third)
        await pool.close()

    asyncio.run(run())


def test_a_worker_that_grows_is_recycled(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool(recycle_growth=30 << 20)
        leaking = task(reset=f"leak {20 << 20}")
        # The first is the measure, the second adds 20 MB, the third 40 and is the last of that process.
        first, second, third, fourth = await pids(pool, [leaking] * 4)
        assert first == second == third != fourth
        await pool.close()
        steady = make_pool(recycle_growth=30 << 20)
        assert len(set(await pids(steady, [task()] * 6))) == 1
        await steady.close()

    asyncio.run(run())


def test_an_idle_worker_that_dies_is_replaced(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        [first] = await pids(pool, [task()])
        os.kill(first, signal.SIGKILL)
        while any(worker.usable for worker in pool._idle):
            await asyncio.sleep(0.01)
        [second] = await pids(pool, [task()])
        assert second != first
        await pool.close()

    asyncio.run(run())


def test_forks_never_wait_for_episodes(make_pool: MakePool, task: MakeTask) -> None:
    """Both workers are held by episodes; each opens a fork while it holds its own, and all come to an end."""

    async def run() -> int:
        pool = make_pool(2)
        both_hold = asyncio.Barrier(2)

        async def branching(name: str) -> bool:
            session = await pool.open(task(name))
            await session.reset()
            await both_hold.wait()
            fork = await pool.open(task(name), fork=True)
            await fork.reset()
            await fork.close()
            await session.close()
            return True

        done = await asyncio.gather(branching("a"), branching("b"))
        assert len(pool._living) == 3
        await pool.close()
        return sum(done)

    assert asyncio.run(run()) == 2


def test_a_fork_takes_a_free_worker_before_the_reserve(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool(2)
        sessions = [await pool.open(task()), await pool.open(task(), fork=True), await pool.open(task(), fork=True)]
        fourth = asyncio.create_task(pool.open(task()))
        await asyncio.sleep(0.05)
        assert not fourth.done()  # the reserve is not for episodes
        await sessions[1].close()
        await (await fourth).close()
        await pool.close()

    asyncio.run(run())


async def _cancelled(step: Callable[[], Any]) -> None:
    stepping = asyncio.ensure_future(step())
    await asyncio.sleep(0.1)
    stepping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stepping


def test_a_cancelled_step_leaves_the_pool_in_order(
    make_pool: MakePool, task: MakeTask, gone: Callable[[int], bool]
) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        pid = (await session.facts())["pid"]
        await _cancelled(lambda: session.step("hang"))
        assert gone(pid)
        with pytest.raises(EnvError, match="closed"):
            await session.step("down")
        await session.close()
        other = await pool.open(task())
        assert (await other.reset()).observation == "3 to go"
        assert (await other.step("down")).observation == "2 to go"
        await pool.close()

    asyncio.run(run())


def test_cancelling_who_only_waits_costs_nothing(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        await _cancelled(lambda: pool.open(task("second")))
        slow = asyncio.create_task(session.step("hang"))
        await _cancelled(session.gold)
        assert not slow.done()
        slow.cancel()
        await asyncio.wait([slow])
        # A start that is cancelled gives its place back too.
        starting = asyncio.create_task(pool.open(task()))
        await asyncio.sleep(0.01)
        starting.cancel()
        await asyncio.wait([starting])
        assert starting.cancelled()
        assert await pids(pool, [task()])
        await pool.close()

    asyncio.run(run())


def test_a_cancelled_close_gives_the_worker_up(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task(close="hang"))
        await session.reset()
        pid = (await session.facts())["pid"]
        await _cancelled(session.close)
        assert await pids(pool, [task()]) != [pid]
        await pool.close()

    asyncio.run(run())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts descriptors in /proc")
def test_nothing_is_left_after_close(make_pool: MakePool, task: MakeTask, children: Callable[[], set[str]]) -> None:
    async def run() -> None:
        descriptors, before = set(os.listdir("/proc/self/fd")), children()
        pool = make_pool(2, recycle_episodes=1, step_seconds=0.5)
        busy, idle = await pool.open(task()), await pool.open(task())
        for action in ["exit 3", "hang"]:
            fork = await pool.open(task(), fork=True)
            await fork.reset()
            with pytest.raises(EnvError if action == "exit 3" else Exception):
                await fork.step(action)
        await idle.close()
        stepping = asyncio.create_task(busy.step("hang"))
        await asyncio.sleep(0.05)
        await pool.close()
        await asyncio.wait([stepping])
        assert isinstance(stepping.exception(), EnvError)
        assert set(os.listdir("/proc/self/fd")) == descriptors
        assert children() == before
        with pytest.raises(EnvError, match="the pool of workers is closed"):
            await pool.open(task())
        await pool.close()

    asyncio.run(run())


def test_a_plugin_that_fails_in_the_worker_only(task: MakeTask, tmp_path: Path) -> None:
    from cornerman import plugins

    fragile = tmp_path / "fragile.py"
    fragile.write_text(PLUGIN.read_text())
    loaded = plugins.load([str(fragile)])
    fragile.write_text("import no_such_module\n")

    async def run() -> None:
        pool = Pool(loaded, 1)
        for _ in range(2):  # the place is given back
            with pytest.raises(EnvError, match=r"could not load the plug-ins: .*fragile.*no_such_module"):
                await pool.open(task())
        await pool.close()

    asyncio.run(run())


def test_a_worker_that_is_not_ready_in_time(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool(start_seconds=0.01)  # less than an interpreter takes
        for _ in range(2):
            with pytest.raises(EnvError, match="a worker process was not ready within"):
                await pool.open(task())
        await pool.close()

    asyncio.run(run())


def test_closing_twice_at_once_gives_one_worker_back(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        await asyncio.gather(session.close(), session.close(), session.close())
        await session.close()
        [worker] = pool._idle
        assert worker.usable
        assert worker.episodes == 1
        await pool.close()

    asyncio.run(run())


ENGINE = """
import asyncio, sys
from cornerman import plugins
from cornerman.records import Task
from cornerman.workers.pool import Pool

async def main():
    pool = Pool(plugins.load([sys.argv[1]]), 1)
    session = await pool.open(Task(env="countdown", id="t"))
    await session.reset()
    spawned = (await session.step("spawn")).observation
    print((await session.facts())["pid"], spawned, flush=True)
    await session.step(sys.argv[2])

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "how",
    ["hang", pytest.param("compute", marks=pytest.mark.skipif(sys.platform != "linux", reason="takes Linux"))],
)
def test_workers_go_with_a_killed_engine(gone: Callable[[int], bool], how: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(PLUGIN), how], stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdout is not None
        worker, spawned = map(int, engine.stdout.readline().split())
        engine.kill()
    assert gone(worker)
    assert gone(spawned)


def test_workers_go_with_an_engine_that_forgets_them(gone: Callable[[int], bool]) -> None:
    engine = subprocess.run(
        [sys.executable, "-c", ENGINE, str(PLUGIN), "wait"], capture_output=True, text=True, check=True
    )
    worker, spawned = map(int, engine.stdout.split())
    assert gone(worker)
    assert gone(spawned)


def test_the_terminals_interrupt_reaches_no_worker(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        pid = (await session.facts())["pid"]
        assert os.getpgid(pid) == pid != os.getpgrp()
        assert os.getsid(pid) == pid
        await pool.close()

    asyncio.run(run())
