"""How the panels were chosen. `python -m tests.envs.babyai.freeze` prints `panels.json` anew."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cornerman_envs.babyai.env import BabyAIEnv
from cornerman_envs.babyai.levels import LEVELS
from cornerman_envs.babyai.spec import babyai

SMOKE = ("GoToObjDoor", "OpenTwoDoors", "PickupDist", "PutNextLocal", "UnlockPickup")
DEV = tuple(LEVELS[number * len(LEVELS) // 50] for number in range(50))
SUITES = {"babyai-smoke": ("dev", SMOKE, 1), "babyai-dev": ("dev", DEV, 1), "babyai-full": ("test", LEVELS, 3)}
"""Split, levels, and how many worlds of each."""

Row = tuple[str, int, str]


def rows(split: str, levels: tuple[str, ...], each: int) -> Iterator[Row]:
    """The first worlds of each level in a split that differ from one another and that gold can win."""
    assert babyai.tasks is not None
    listed: dict[str, list[tuple[int, BabyAIEnv]]] = {}
    for task in babyai.tasks(split):
        level, number = task.settings["level"], int(task.id.rsplit("-", 1)[1])
        found = listed.setdefault(level, [])
        if level not in levels or len(found) == each:
            continue
        env = BabyAIEnv(task)
        env.reset()
        if env.data not in {other.data for _, other in found} and env.gold() is not None:
            found.append((number, env))
    for level in levels:
        yield from ((level, number, env.data) for number, env in listed[level])


if __name__ == "__main__":
    encode = msgspec.json.Encoder().encode
    panels = {name: ",\n".join(encode(row).decode() for row in rows(*which)) for name, which in SUITES.items()}
    print("{" + ",\n".join(f'"{name}": [\n{listed}]' for name, listed in panels.items()) + "}")
