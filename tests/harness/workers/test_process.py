"""Environments in worker processes: as inline when all is well, and an error of one episode when not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest

from cornerman.environment import MAX_TEXT
from cornerman.errors import EnvError, EpisodeTimeout, UsageError
from cornerman.records import Task
from cornerman.workers.inline import InlineSession
from cornerman.workers.pool import Pool
from cornerman.workers.process import ProcessSession
from cornerman.workers.session import Session

MakePool = Callable[..., Pool]
MakeTask = Callable[..., Task]


async def episode(session: Session) -> list[Any]:
    """Everything that a session answers, errors included."""
    heard: list[Any] = [await session.reset(), await session.gold()]
    for action in [
        "down",
        "say \ud83d\ude00 \udc80 naïve 日本",
        "say " + "x" * MAX_TEXT,
        "raise \ud800",
        "answer nothing",
    ]:
        try:
            heard.append(await session.step(action))
        except EnvError as error:
            heard.append(str(error))
    snapshot = await session.snapshot()
    heard += [snapshot, await session.step("down"), await session.gold(), await session.restore(snapshot)]
    heard += [await session.step("down"), await session.step("down")]
    await session.close()
    return heard


async def pid_of(session: Session) -> int:
    return int((await session.facts())["pid"])


def test_a_worker_answers_as_inline_does(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> tuple[list[Any], list[Any]]:
        pool = make_pool()
        in_worker = await pool.open(task())
        assert isinstance(in_worker, ProcessSession)
        assert await pid_of(in_worker) != os.getpid()
        inline = await make_pool(0).open(task())
        assert isinstance(inline, InlineSession)
        heard = await episode(in_worker), await episode(inline)
        await pool.close()
        return heard

    in_worker, inline = asyncio.run(run())
    assert in_worker == inline
    assert in_worker[-1].success
    assert in_worker[-1].terminated
    assert in_worker[4].observation == "x" * (MAX_TEXT - 4)


def test_light_environments_run_inline(make_pool: MakePool, task: MakeTask, children: Callable[[], set[str]]) -> None:
    async def run() -> None:
        before = children()
        pool = make_pool()
        session = await pool.open(task(env="countdown-light"))
        assert await pid_of(session) == os.getpid()
        assert children() == before
        await pool.close()

    asyncio.run(run())


def test_unknown_environment_is_the_users_mistake(make_pool: MakePool, task: MakeTask) -> None:
    with pytest.raises(UsageError, match="did you mean 'countdown'"):
        asyncio.run(make_pool().open(task(env="countdwn")))


@pytest.mark.parametrize(
    ("action", "words"),
    [("exit 7", "exit status 7"), ("kill", "killed by SIGKILL")],
)
def test_a_worker_that_dies_is_replaced(
    make_pool: MakePool, task: MakeTask, gone: Callable[[int], bool], action: str, words: str
) -> None:
    async def run() -> str:
        pool = make_pool()
        session = await pool.open(task("lost"))
        await session.reset()
        spawned = int((await session.step("spawn")).observation)
        await session.step("complain the roof is on fire")
        with pytest.raises(EnvError) as caught:
            await session.step(action)
        assert gone(spawned)
        with pytest.raises(EnvError, match="closed for task lost"):
            await session.step("down")
        await session.close()
        assert len(await episode(await pool.open(task()))) == len(await episode(await pool.open(task())))
        await pool.close()
        return str(caught.value)

    text = asyncio.run(run())
    first, *rest = text.splitlines()
    assert first == f"the worker of countdown died at '{action}' of task lost: {words}; it wrote last:"
    assert "the roof is on fire" in rest


def test_a_death_is_seen_though_a_forked_process_lives(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        await session.step("fork")
        with pytest.raises(EnvError, match="exit status 5"):
            await session.step("exit 5")
        await pool.close()

    asyncio.run(run())


def test_last_words_are_bounded_and_end_with_the_crash(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> str:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        await session.step("print-raw " + "a" * MAX_TEXT)
        await session.step("complain the end")
        with pytest.raises(EnvError) as caught:
            await session.step("exit 1")
        await pool.close()
        return str(caught.value)

    text = asyncio.run(run())
    assert text.endswith("aaathe end")
    assert 4000 < len(text) < 4400


def test_printing_does_not_corrupt_the_answers(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        for action in [
            "print hello \ud800",
            "print-raw \x00\x00\x00\x02hi",
            "print " + "y" * 90_000,
            "complain no",
        ] * 4:
            assert (await session.step(action)).observation == "3 to go"
        assert (await session.step("down")).observation == "2 to go"
        await pool.close()

    asyncio.run(run())


@pytest.mark.parametrize("garbage", ["\xff\xff\xff\xff", "\x00\x00\x00\x01\x07", "\x00\x00\x00\x01\xc1"])
def test_an_environment_that_writes_to_the_socket_ends_its_worker(
    make_pool: MakePool, task: MakeTask, garbage: str
) -> None:
    async def run() -> None:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        with pytest.raises(EnvError, match="an environment wrote to the worker's own socket"):
            await session.step(f"scribble {garbage}")
        assert (await (await pool.open(task())).reset()).observation == "3 to go"
        await pool.close()

    asyncio.run(run())


@pytest.mark.parametrize("how", ["hang", "compute"])
def test_a_hanging_step_is_ended_by_the_watchdog(
    make_pool: MakePool, task: MakeTask, gone: Callable[[int], bool], how: str
) -> None:
    async def run() -> None:
        pool = make_pool(step_seconds=0.5)
        session = await pool.open(task("slow"))
        await session.reset()
        pid = await pid_of(session)
        with pytest.raises(EpisodeTimeout, match=f"countdown gave no answer at '{how}' of task slow within 0.5 s"):
            await session.step(how)
        await session.close()
        assert gone(pid)
        assert (await (await pool.open(task())).reset()).observation == "3 to go"
        await pool.close()

    asyncio.run(run())


@pytest.mark.parametrize(("where", "words"), [("reset", "at reset"), ("make", "while it was made")])
def test_a_hanging_start_is_ended_by_the_watchdog(make_pool: MakePool, task: MakeTask, where: str, words: str) -> None:
    async def run() -> None:
        async def begin() -> None:
            session = await pool.open(task(**{where: "hang"}))
            await session.reset()

        pool = make_pool(reset_seconds=0.5)
        with pytest.raises(EpisodeTimeout, match=f"countdown gave no answer {words} of task t within 0.5 s"):
            await begin()
        await pool.close()

    asyncio.run(run())


def test_a_late_watchdog_takes_an_answer_that_has_come(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> None:
        import time

        pool = make_pool(step_seconds=0.3)
        session = await pool.open(task())
        await session.reset()
        stepping = asyncio.create_task(session.step("down"))
        await asyncio.sleep(0)  # sent
        time.sleep(0.6)  # the loop is held up, as by a model that computes in this thread
        assert (await stepping).observation == "2 to go"
        await pool.close()

    asyncio.run(run())


@pytest.mark.parametrize("settings", [{"make": "raise"}, {"reset": "raise"}, {"close": "raise"}, {"facts": "no JSON"}])
def test_an_exception_is_an_error_of_the_episode_only(
    make_pool: MakePool, task: MakeTask, settings: dict[str, str]
) -> None:
    async def misbehave(pool: Pool) -> None:
        session = await pool.open(task(**settings))
        try:
            await session.reset()
            await session.facts()
        finally:
            await session.close()

    async def run() -> int:
        pool = make_pool()
        with pytest.raises(EnvError, match=r"^countdown .*(RuntimeError|no JSON value)") as caught:
            await misbehave(pool)
        assert "\n" not in str(caught.value)
        alive = len(pool._idle)
        assert (await (await pool.open(task("next"))).reset()).observation == "3 to go"
        await pool.close()
        return alive

    # The worker lives on, but for the one in which an environment may have stayed half open.
    assert asyncio.run(run()) == (0 if "close" in settings else 1)


def test_questions_asked_at_once_are_answered_in_turn(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> list[Any]:
        pool = make_pool()
        session = await pool.open(task())
        await session.reset()
        answers = await asyncio.gather(session.gold(), session.step("down"), session.gold(), session.snapshot())
        await pool.close()
        return list(answers)

    first, step, second, snapshot = asyncio.run(run())
    assert (first, step.observation, second, snapshot["count"]) == (["down"] * 3, "2 to go", ["down"] * 2, 2)


def test_sets_have_one_order_in_every_worker(make_pool: MakePool, task: MakeTask) -> None:
    async def run() -> set[tuple[str, ...]]:
        pool = make_pool(recycle_episodes=1)
        orders = set()
        for _ in range(4):
            session = await pool.open(task())
            orders.add(tuple((await session.facts())["order"]))
            await session.close()
        await pool.close()
        return orders

    assert len(asyncio.run(run())) == 1
