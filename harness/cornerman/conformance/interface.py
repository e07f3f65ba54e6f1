"""Checks of the interface: it opens, Gymnasium's own checker is content, and info is plain."""

from __future__ import annotations

import json
import math
import warnings

from gymnasium.utils.env_checker import check_env

from cornerman.conformance.report import Failed, require
from cornerman.conformance.subject import Subject
from cornerman.conformance.walk import Walk, walked
from cornerman.environment import Info, Step, TextEnv
from cornerman.errors import EnvError

TURNS = 7


async def opens(subject: Subject) -> str:
    """It can be made and played in a worker process, which survives that, and is what the catalogue says."""
    session = await subject.elsewhere()
    try:
        opening = await session.reset()
        try:
            await walked(session)
        except EnvError:  # for other checks to tell; but nothing is looked at in this process if it ends one
            await session.reset()
    finally:
        await session.close()
    require(bool(opening.observation), "the first observation is empty")
    require(bool(opening.goal), "info['goal'] is missing or empty at reset: it says in words what is asked for")
    env = subject.spec.make(subject.task)
    try:
        base = env.unwrapped
        if not isinstance(base, TextEnv):
            raise Failed(f"it makes a {type(base).__name__}, which is no cornerman.environment.TextEnv")
    finally:
        env.close()
    return "it opened in a worker process and was played there"


def gymnasium(subject: Subject) -> str:
    """`gymnasium.utils.env_checker.check_env` raises nothing and warns of nothing."""
    env = subject.make()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(env, skip_render_check=True, skip_close_check=True)
    except AssertionError as error:
        raise Failed(f"check_env: {error}") from error
    finally:
        env.close()
    said = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    require(not said, f"check_env warns: {'; '.join(said)}")
    return "check_env is content"


def plain_info(subject: Subject) -> str:
    """Everything in info is JSON, and what the harness reads has its type: another process must get the same."""
    env = subject.make()
    try:
        walk, turns = Walk(), 0
        _, info = env.reset(seed=subject.task.seed if subject.spec.seedable else None)
        look_at(info, "reset")
        over = False
        while turns < TURNS and not over:
            step = walk_step(info)
            _, reward, terminated, truncated, info = env.step(walk.action(step))
            turns, over = turns + 1, terminated or truncated
            look_at(info, f"step {turns}")
            require(isinstance(reward, (int, float)), f"the reward of step {turns} is a {type(reward).__name__}")
    finally:
        env.close()
    return f"info was plain JSON at reset and in {turns} steps"


def walk_step(info: Info) -> Step:
    """What a walker needs of a step."""
    admissible = info.get("admissible_actions")
    return Step("", admissible=None if admissible is None else tuple(admissible))


def look_at(info: Info, where: str) -> None:
    """Fail at what is no JSON or of a wrong type."""
    for key in ("goal", "success", "score"):
        require(key in info, f"info['{key}'] is missing at {where}")
    for key in ("goal", "policy"):
        value = info.get(key, "")
        require(isinstance(value, str), f"info['{key}'] at {where} is a {type(value).__name__}, no str")
    success, score = info["success"], info["score"]
    require(isinstance(success, bool), f"info['success'] at {where} is a {type(success).__name__}, no bool")
    number = isinstance(score, (int, float)) and not isinstance(score, bool) and math.isfinite(score)
    require(number and 0 <= score <= 1, f"info['score'] at {where} is {score!r}, no number in 0 to 1")
    actions = info.get("admissible_actions")
    listed = actions is None or (isinstance(actions, (list, tuple)) and all(isinstance(a, str) for a in actions))
    require(listed, f"info['admissible_actions'] at {where} is no list of str")
    for key, value in info.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise Failed(f"info[{key!r}] at {where} is no JSON: {error}") from error
