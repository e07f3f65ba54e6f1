"""A check of the talk with a user: whatever the user says is answered, and nobody speaks out of turn."""

from __future__ import annotations

from cornerman.conformance.hostile import ACTIONS, let_go
from cornerman.conformance.model import HashModel
from cornerman.conformance.report import Failed, require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import Walk, parted
from cornerman.engine.context import Bench
from cornerman.engine.method import build_user
from cornerman.engine.user import Accompany, accompanied
from cornerman.environment import EnvironmentSpec, Step
from cornerman.errors import EpisodeError
from cornerman.lookup import suites_of
from cornerman.registry import Registry
from cornerman.suites import Rules
from cornerman.talk import awaited
from cornerman.workers.session import Session, Sessions

TURNS = 5
"""Actions after which an environment that talks to a user must have asked it."""


def accompaniment(registry: Registry, spec: EnvironmentSpec, sessions: Sessions) -> Accompany:
    """Sets the user of the first suite that has one beside an environment, with a model of the kit's own."""
    named = (s.rules for s in suites_of(registry, spec.id) if s.rules.user) if spec.user else iter(())
    rules = next(named, Rules())
    model = HashModel()
    bench = Bench(sessions=sessions, model=lambda uri: model)
    return accompanied(bench, rules, build_user(registry, rules, {"user": "kit"}))


async def user(subject: Subject) -> str:
    """Hostile words of a user are answered, and whoever speaks out of turn changes nothing."""
    if not subject.spec.user:
        return "it talks to no user"
    broken: dict[str, str] = {}
    for name, words in ACTIONS.items():
        session = await subject.alone()
        try:
            await until_asked(session)
            await session.reply(words)
        except EpisodeError as error:
            broken[name] = str(error)
        finally:
            await let_go(session)
    if broken:
        name, how = next(iter(broken.items()))
        raise Failed(f"{len(broken)} of {len(ACTIONS)} hostile replies broke it ({', '.join(broken)}); {name}: {how}")
    await in_turn(subject)
    return f"{len(ACTIONS)} hostile replies were answered, and nobody was heard out of turn"


async def until_asked(session: Session) -> Step:
    """The first step that waits for the user."""
    walk, step = Walk(), await session.reset()
    for _ in range(TURNS):
        if awaited(step) is not None:
            return step
        step = await session.step(walk.action(step))
    raise Failed(f"its specification says that it talks to a user, and in {TURNS} actions it asked for none")


async def in_turn(subject: Subject) -> None:
    """A step at the user's turn and a reply at the agent's leave everything as it was, but for the observation."""
    session = await subject.alone()
    try:
        asked = await until_asked(session)
        unchanged(asked, await session.step("Hello?"), "a step at the user's turn")
        for _ in range(TURNS):
            step = await session.reply("Yes.")
            if awaited(step) is None:
                break
        if not (step.terminated or step.truncated):
            unchanged(step, await session.reply("Yes."), "a reply at the agent's turn")
    finally:
        await let_go(session)


def unchanged(before: Step, after: Step, what: str) -> None:
    """Fail where more than the observation and the reward differs."""
    for name in set(Step.__struct_fields__) - {"observation", "reward"}:
        was, now = getattr(before, name), getattr(after, name)
        require(was == now, f"{what} changed {name}: {' and then '.join(parted(was, now))}")
