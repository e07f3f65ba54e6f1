"""The user of an episode: asked by the engine, and put on record, whenever the environment waits for it."""

from __future__ import annotations

from collections.abc import Callable

from cornerman.dialogue import UserMessage
from cornerman.engine.branch import Branch
from cornerman.engine.context import Bench, Scope
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.engine.text import mended
from cornerman.environment import Step
from cornerman.errors import UserError
from cornerman.records import AttemptSpec, LogEntry, Task, UserReply
from cornerman.suites import Rules
from cornerman.talk import WithUser, settle
from cornerman.workers.session import Session, observation_hash

NOBODY = 'the environment talks to a user, and the rules of its suite name none, as in user="scripted-user"'


async def say(branch: Branch, user: Instance | None, message: UserMessage) -> UserReply:
    """What the user plug-in answers to one message."""
    if user is None:
        raise UserError(NOBODY)
    before = len(branch.calls_this_turn)
    answer = await user.ask("reply_as_user", view=user.view(branch), message=message)
    if not isinstance(answer, str):
        raise user.fault(f"answered {type(answer).__name__} in reply_as_user, where text was due")
    return UserReply(message=message.message, text=mended(answer), calls=tuple(branch.calls_this_turn[before:]))


async def settled(branch: Branch, method: Method, step: Step) -> tuple[Step, tuple[UserReply, ...]]:
    """The step that the agent answers next, and what the user said before it."""
    said: list[UserReply] = []

    async def ask(message: UserMessage) -> str:
        said.append(await say(branch, method.user, message))
        return said[-1].text

    return await settle(branch.session, step, ask), tuple(said)


async def advance(branch: Branch, method: Method, action: str) -> tuple[Step, tuple[UserReply, ...]]:
    """Execute an action, let the user answer, and enter both into the action log."""
    step, said = await settled(branch, method, await branch.session.step(action))
    replies = tuple(r.text for r in said)
    branch.log.append(LogEntry(action=action, replies=replies, hash=observation_hash(step.observation)))
    branch.step = step
    return step, said


Accompany = Callable[[Task, Session], Session]
"""Sets a user beside an open environment."""


def accompanied(bench: Bench, rules: Rules, user: Instance | None) -> Accompany:
    """Sets the user of a suite's rules beside an environment where nothing is recorded: to validate it, or to play."""

    def accompany(task: Task, session: Session) -> Session:
        scope = Scope(bench=bench, task=task, rules=rules, trial=0)
        step = Step("")
        branch = Branch(
            scope=scope, session=session, index=0, path="aside", spec=AttemptSpec(), step=step, opening=step
        )

        async def ask(message: UserMessage) -> str:
            return (await say(branch, user, message)).text

        return WithUser(session, ask)

    return accompany
