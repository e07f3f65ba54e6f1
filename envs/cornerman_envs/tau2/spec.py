"""The environments' specifications and the tasks of their splits, which are the wheel's own: train and test."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass

from cornerman.environment import EnvironmentSpec
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Task
from cornerman_envs.tau2.data import ASSET, SPLITS, digest_of, ids, split_of
from cornerman_envs.tau2.env import Tau2Env


@dataclass(frozen=True)
class Setting:
    """A domain as it is played: with a user, or `solo`."""

    env: str
    name: str
    domain: str
    solo: bool = False

    def tasks(self, split: str | None = None) -> list[Task]:
        """All tasks of a split, or of both, in the wheel's order.

        They are numbered as they lie in the wheel's file, among those of both splits. The family is the kind of
        trouble in telecom, and the domain elsewhere.
        """
        if split is not None and split not in SPLITS:
            raise UsageError(f"{self.env} has no split '{split}'; {did_you_mean(split, SPLITS)}")
        every = [self._task(number, name) for number, name in enumerate(ids(self.domain))]
        return [task for task in every if split is None or task.split == split]

    def _task(self, number: int, name: str) -> Task:
        return Task(
            env=self.env,
            id=f"tau2-{self.name}-{number}",
            split=split_of(self.domain, name),
            family=name[1:].partition("]")[0] if name.startswith("[") else self.domain,
            settings={"task": name},
            data=digest_of(self.domain, name),
        )

    def spec(self) -> EnvironmentSpec:
        """The environment. Not light: the large databases take a quarter of a second to open."""
        return EnvironmentSpec(
            id=self.env,
            make=functools.partial(Tau2Env, domain=self.domain, solo=self.solo),
            seedable=False,
            gold="script",
            user=not self.solo,
            splits=SPLITS,
            tasks=self.tasks,
            assets=(ASSET,),
            versions=versions,
        )


def versions() -> Mapping[str, str]:
    """Databases and arguments are read and written by pydantic."""
    return {"pydantic": importlib.metadata.version("pydantic")}


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("cornerman/Tau2TelecomSolo-v1", "telecom-solo", "telecom", solo=True),
        Setting("cornerman/Tau2Telecom-v1", "telecom", "telecom"),
        Setting("cornerman/Tau2Retail-v1", "retail", "retail"),
        Setting("cornerman/Tau2Airline-v1", "airline", "airline"),
    )
}
telecom_solo, telecom, retail, airline = (setting.spec() for setting in SETTINGS.values())
