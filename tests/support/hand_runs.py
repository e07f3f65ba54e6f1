"""Runs made by hand for the site's tests: hostile ones, checkpoints against checkpoints, learning curves."""

from __future__ import annotations

import json
from pathlib import Path

from cornerman.engine.method import MethodSettings
from cornerman.engine.settings import PluginSettings
from cornerman.experiment import Experiment, to_toml
from cornerman.records import Critique
from cornerman.store import EXPERIMENT
from tests.support.payloads import ALL, LONG, PRINTABLE
from tests.support.recorded import episode, method, wins, write_run


def hostile(folder: Path) -> Path:
    """A run whose every name is a payload; its experiment file has those that such a file can hold."""
    methods = [method("alone", **_named(0))]
    methods += [method(text, critics=[text], privileged=i % 2 == 0, **_named(i)) for i, text in enumerate(ALL)]
    episodes = [
        episode(task, m["method"], success=(i + j) % 2 == 0, critiques=[Critique(text=task, delivered=True)])
        for i, m in enumerate(methods)
        for j, task in enumerate(ALL)
    ]
    write_run(folder, methods, episodes, tasks=ALL, suite=PRINTABLE[0] + LONG, experiment=PRINTABLE[1])
    settings = tuple(MethodSettings(name=text, actor=PluginSettings(use="random")) for text in ("alone", *PRINTABLE))
    experiment = Experiment(name="hostile", suite=PRINTABLE[0], method=settings, baseline="alone")
    (folder / EXPERIMENT).write_text(to_toml(experiment), encoding="utf-8")
    return folder


def _named(number: int) -> dict[str, object]:
    text = ALL[number]
    return {"models": {"actor": text}, "information": [text], "memory": text, "protocol": text}


def checkpoints(folder: Path) -> Path:
    """Two checkpoints of an actor, alone and with two of a critic; one meeting was not played."""
    played = {
        ("a1", None): "0100",
        ("a2", None): "0110",
        ("a1", "c1"): "1100",
        ("a1", "c2"): "1110",
        ("a2", "c2"): "1111",
    }
    methods, episodes = [], []
    for (actor, critic), pattern in played.items():
        name = f"{actor} with {critic}" if critic else f"{actor} alone"
        models = {"player": actor} | ({"coach": critic} if critic else {})
        facts = method(name, "player", critics=["coach"] if critic else [], models=models)
        methods.append(facts | {"actor_digest": actor})
        episodes += wins(name, pattern)
    return write_run(folder, methods, episodes)


def curves(folder: Path) -> Path:
    """Two arms with three seeds each, two metrics, eleven updates."""
    folder.mkdir(parents=True)
    lines = []
    for arm, slope in (("both", 0.08), ("actor alone", 0.04)):
        for seed in range(3):
            for update in range(11):
                point = {
                    "arm": arm,
                    "seed": seed,
                    "update": update,
                    "environment_steps": update * 640,
                    "tokens": update * 52_000 + seed,
                }
                for metric, value in (
                    ("eval/team/first_success", 0.1 + slope * update + 0.01 * seed),
                    ("loss/actor", 2.0 / (1 + update) - 0.3),
                ):
                    lines.append(json.dumps(point | {"metric": metric, "value": value}))
    (folder / "curves.jsonl").write_text("\n".join(lines) + '\n{"torn', encoding="utf-8")
    return folder
