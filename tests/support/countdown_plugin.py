"""A plug-in file for runs through the command line: countdown environments that behave and misbehave, and what plays.

    cornerman -p tests/support/countdown_plugin.py run --suite count-smoke --actor random

The folder that holds `tests` must be on the import path.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import cornerman
from cornerman.engine.view import View
from cornerman.environment import EnvironmentSpec, Info
from cornerman.errors import ModelError
from cornerman.model import Capability, Generation, Sampling
from cornerman.records import Completion, Episode, MemoryOp, Message, Task, Usage
from cornerman.registry import Registry
from cornerman.suites import Rules, Suite
from tests.support import countdown


class Unruly(countdown.Countdown):
    """Does what its task says: `trouble` names it, `once` is a file that is made when it is done and prevents more."""

    def __init__(self, start: int = 5, trouble: str = "", once: str = "") -> None:
        super().__init__(start)
        self.trouble, self.once = trouble, once

    def _trouble(self, when: str) -> str:
        """What goes wrong at this moment, if anything."""
        moment, _, what = self.trouble.partition(":")
        if moment != when or (self.once and os.path.exists(self.once)):
            return ""
        if self.once:
            with open(self.once, "w"):
                pass
        match what:
            case "hang":
                time.sleep(1000)
            case "die":
                os._exit(3)
            case "raise":
                raise RuntimeError("the counter broke")
            case "exit":
                raise SystemExit("the counter left")
            case "print":
                print("the counter says hello")
        return what

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, Info]:
        self._trouble("reset")
        observation, info = super().reset(seed=seed)
        return observation, info | ({"goal": None} if self.trouble == "reset:no goal" else {})

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        what = self._trouble("step")
        observation, reward, terminated, truncated, info = super().step(action)
        if what == "reward nan":
            reward = float("nan")
        if what == "score inf":
            info["score"] = float("inf")
        if what == "score 2":
            info["score"] = 2.0
        if what == "surrogate":
            observation += " \ud83d\ude00 \udc80"
        return observation, reward, terminated, truncated, info

    def gold(self) -> list[str] | None:
        return ["wait"] if self.trouble == "gold:wrong" else super().gold()


UNRULY = EnvironmentSpec(
    id="test/Unruly-v1", make=lambda task: Unruly(**task.settings), light=False, seedable=False, gold="policy"
)
UNRULY_LIGHT = EnvironmentSpec(
    id="test/UnrulyLight-v1", make=lambda task: Unruly(**task.settings), light=True, seedable=False, gold="policy"
)


SILENT = EnvironmentSpec(
    id="test/Silent-v1", make=lambda task: Unruly(**task.settings), light=True, seedable=False, gold="none"
)


def unruly(name: str, start: int = 4, *, light: bool = False, **settings: str) -> Task:
    """A task of the unruly countdown."""
    spec = UNRULY_LIGHT if light else UNRULY
    return Task(env=spec.id, id=name, settings={"start": start, **settings})


def count_smoke() -> Suite:
    """Twenty countdowns, inline."""
    return Suite(name="count-smoke", tasks=tuple(countdown.task(n) for n in range(3, 23)), rules=Rules(max_turns=40))


def count_workers() -> Suite:
    """Six countdowns in worker processes."""
    return Suite(
        name="count-workers", tasks=tuple(unruly(f"from-{n}", n) for n in range(3, 9)), rules=Rules(max_turns=20)
    )


def troubled(*troubles: str, light: bool = False) -> Suite:
    """A sound task before and after one task for each trouble."""
    names = ["sound-1", *troubles, "sound-2"]
    tasks = [unruly(n, light=light, trouble="" if n.startswith("sound") else n) for n in names]
    return Suite(name="count-trouble", tasks=tuple(tasks), rules=Rules(max_turns=12))


def silent(all_of_it: bool) -> Suite:
    """Tasks of which all, or half, know no gold actions."""
    quiet = Task(env=SILENT.id, id="quiet", settings={"start": 4})
    return Suite(name="count-silent", tasks=(quiet,) if all_of_it else (quiet, unruly("sound-1", light=True)))


def count_once() -> Suite:
    """A task whose worker dies the first time, with a sound one behind it; the marker file is named by ONCE."""
    dies = unruly("dies-once", trouble="step:die", once=os.environ["ONCE"])
    return Suite(name="count-once", tasks=(dies, unruly("sound-2")), rules=Rules(max_turns=12))


class Slow:
    """Random play that takes a while: some milliseconds a turn."""

    sees = ("admissible",)

    def __init__(self, ms: float = 2.0) -> None:
        self.ms = ms

    @cornerman.hookimpl
    async def act(self, view: View) -> str:
        """Draw an action after a pause."""
        await asyncio.sleep(self.ms / 1000)
        return view.rng().choice(view.admissible or ["wait"])


class Asker:
    """Asks its model for each action; what the model says is the action."""

    @cornerman.hookimpl
    async def act(self, view: View) -> cornerman.Candidate:
        """Ask."""
        reply = await view.model.generate([Message(role="user", content=view.observation)])
        known = reply.text in (view.admissible or [])
        return cornerman.Candidate(text=reply.text if known else "wait", raw=reply.text, parsed=known, call=reply.call)


class AskingCritic:
    """Asks its model after each turn, and says nothing."""

    @cornerman.hookimpl
    async def review_turn(self, view: View) -> cornerman.Critique:
        """Ask."""
        reply = await view.model.generate([Message(role="user", content=view.observation)])
        return cornerman.Critique(text="", score=float(len(reply.text)), call=reply.call)


class Weighing(AskingCritic):
    """Cannot do without a model that scores."""

    requires = ("score",)


class SummingUp:
    """Says at an attempt's end where it began."""

    @cornerman.hookimpl
    def review_attempt(self, view: View) -> cornerman.Critique:
        """One sentence."""
        return cornerman.Critique(text=f"The counter began at {view.opening.split()[-1]}")


class Diary:
    """A memory that notes of each episode how many notes there were before it, and in what order they came."""

    sees = ("score",)

    @cornerman.hookimpl
    def on_task_start(self, view: View) -> list[cornerman.ContextItem]:
        """All notes."""
        return [cornerman.ContextItem(text=i.text, role="experience", experience=(i.id,)) for i in view.memory]

    @cornerman.hookimpl
    def on_task_end(self, view: View, episode: Episode) -> list[MemoryOp]:
        """One note more, and one use of the newest."""
        told = ",".join(i.id for i in view.memory)
        last = [MemoryOp(op="use", id=i.id) for i in view.memory[-1:]]
        opening = episode.attempts[0].opening if episode.attempts else "nothing"
        return [*last, MemoryOp(op="add", id=f"n{len(view.memory)}", text=f"{opening} after [{told}]")]


PATIENCE = 3000
"""Hundredths of a second that a call waits for others."""


class Scripted:
    """A model that answers `say`, after a pause; counts the calls under way by what asked, into a file at the end.

    `meet`: its first calls wait for each other until so many are under way, or for long enough to say that none comes.
    """

    capabilities: frozenset[Capability] = frozenset({"generate"})

    def __init__(
        self, target: str = "", say: str = "down 1", ms: float = 0.0, fail: bool = False, meet: int = 0
    ) -> None:
        self.name = f"scripted:{target}"
        self.target, self.say, self.ms, self.fail = target, say, ms, fail
        self.meet = meet
        self.now = self.most = self.asked = 0
        made = os.environ.get("MODELS_MADE")
        if made:
            with open(made, "a") as file:
                file.write(f"{self.name}\n")

    async def generate(
        self, messages: Sequence[Message], sampling: Sampling, *, seeds: Sequence[int], session: str | None = None
    ) -> Generation:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self.ms / 1000)
            for _ in range(PATIENCE):
                if self.most >= self.meet:
                    break
                await asyncio.sleep(0.01)
        finally:
            self.now -= 1
        if self.fail:
            raise ModelError(f"the model {self.name} is out of order")
        return Generation(
            completions=tuple(Completion(text=self.say) for _ in seeds), usage=Usage(prompt=3, output=2 * len(seeds))
        )

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, session: str | None = None
    ) -> Generation:
        raise ModelError("scripted models do not score")

    async def aclose(self) -> None:
        counts = os.environ.get("MODEL_COUNTS")
        if counts:
            with open(counts, "a") as file:
                file.write(f"{self.target} {self.most} {self.asked}\n")

    def describe(self) -> dict[str, Any]:
        return {"backend": "scripted", "target": self.target}


class Witness:
    """An observer that writes what it is told into a file, a line each; `fail` names a hook at which it raises."""

    def __init__(self, file: str, fail: str = "") -> None:
        self.file, self.fail = file, fail

    def _note(self, hook: str, text: str) -> None:
        if self.fail == hook:
            raise RuntimeError("the witness fell asleep")
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(f"{hook} {text}\n")

    @cornerman.hookimpl
    def run_started(self) -> None:
        self._note("run_started", "")

    @cornerman.hookimpl
    def attempt_finished(self, task: Task, method: str, trial: int) -> None:
        self._note("attempt_finished", f"{task.id}/{method}/{trial}")

    @cornerman.hookimpl
    def episode_finished(self, episode: Episode) -> None:
        self._note("episode_finished", "/".join(map(str, episode.key)))

    @cornerman.hookimpl
    def run_finished(self, complete: bool) -> None:
        self._note("run_finished", str(complete))


HERE = "tests.support.countdown_plugin"

TROUBLES = {
    "count-raises": ("reset:raise", "step:raise"),
    "count-exits": ("reset:exit", "step:exit"),
    "count-dies": ("step:die",),
    "count-hangs-at-reset": ("reset:hang",),
    "count-hangs-at-step": ("step:hang",),
    "count-numbers": ("step:reward nan", "step:score inf", "step:score 2"),
    "count-no-goal": ("reset:no goal",),
    "count-surrogates": ("step:surrogate",),
    "count-prints": ("step:print",),
    "count-unsound": ("gold:wrong",),
}
"""Suites of sound tasks among which one or more are not, by what their environments do."""


@cornerman.hookimpl
def register(registry: Registry) -> None:
    """Enter everything."""
    registry.add("environment", countdown.SPEC.id, "tests.support.countdown:SPEC")
    registry.add("environment", UNRULY.id, f"{HERE}:UNRULY")
    registry.add("environment", UNRULY_LIGHT.id, f"{HERE}:UNRULY_LIGHT")
    registry.add("environment", SILENT.id, f"{HERE}:SILENT")
    registry.add("suite", "count-smoke", count_smoke)
    registry.add("suite", "count-silent", partial(silent, True))
    registry.add("suite", "count-half-silent", partial(silent, False))
    registry.add("suite", "count-workers", count_workers)
    registry.add("suite", "count-once", count_once)
    for name, troubles in TROUBLES.items():
        registry.add("suite", name, partial(troubled, *troubles))
        registry.add("suite", f"{name}-inline", partial(troubled, *troubles, light=True))
    registry.add("suite", "count-empty", lambda: Suite(name="count-empty", tasks=()))
    registry.add("suite", "count-twins", lambda: Suite(name="twins", tasks=(unruly("a"), unruly("a"))))
    registry.add("suite", "count-broken", lambda: 1 / 0)
    registry.add("suite", "count-none", lambda: None)
    registry.add("suite", "count-extra", f"{HERE}:count_smoke", extra="textworld", needs=("no_such_module",))
    registry.add("actor", "slow", Slow)
    registry.add("actor", "asker", Asker)
    registry.add("critic", "asking", AskingCritic)
    registry.add("critic", "weighing", Weighing)
    registry.add("critic", "summing-up", SummingUp)
    registry.add("memory", "diary", Diary)
    registry.add("model", "scripted", Scripted)
    registry.add("observer", "witness", Witness)
