"""Small recipes for tests: a game of three places, and a model of two layers."""

from __future__ import annotations

from typing import Any

FORMS = ["look in the {fridge|drawer|cabinet}"]
ACTOR = {"use": "llm-choose", "constrained": True, "temperature": 1.0}
CASCADE = {"use": "cascade", "placement": "message"}
BASE = {"model": "tiny", "tiny": {"layers": 2, "width": 64}}


def cascade(n: int) -> dict[str, Any]:
    """One attempt, n critiques of it, and a retry for each."""
    return {"name": "critic", "actor": ACTOR, "critic": {"use": "echo", "n": n, "forms": FORMS}, "protocol": CASCADE}


def demonstrations(updates: int, tasks: int = 10) -> dict[str, Any]:
    """Actor and critic imitate demonstrations."""
    teacher = {"use": "demonstrate-action", "model": "scribe:actor", "slip": 0.15}
    tutor = {"use": "demonstrate-advice", "model": "scribe:critic", "n": 4, "right": 0.34, "forms": FORMS}
    how = {"loss": "sft", "rate": 6e-3, "warmup": 5}
    stage = {
        "method": {"actor": teacher, "critic": tutor, "protocol": CASCADE},
        "tasks": tasks,
        "trials": 1,
        "learn": {"actor": how, "critic": how},
    }
    return {
        "name": "demonstrations",
        "suite": "hidden-easy-train",
        "base": BASE,
        "weights": {"hold": "full"},
        "schedule": {"use": "synchronous", "updates": updates, "stage": "show"},
        "stage": {"show": stage},
        "save": 1000,
    }


def echo(updates: int, start: str = "", *, tasks: int = 8, n: int = 6, every: int = 0, save: int = 1000) -> Any:
    """ECHO from the weights of another run."""
    how = {"advantage": "group-zscore", "loss": "grpo"}
    actor = {**how, "rate": 1e-3, "samples": "retries"}
    critic = {**how, "reward": "log-gain", "rate": 2e-3}
    stage = {"method": cascade(n), "tasks": tasks, "trials": 1, "learn": {"actor": actor, "critic": critic}}
    return {
        "name": "echo",
        "suite": "hidden-easy-train",
        "base": {**BASE, "start": start},
        "weights": {"hold": "full"},
        "schedule": {"use": "synchronous", "updates": updates},
        "stage": {"joint": stage},
        "save": save,
        "evaluate": {"suite": "hidden-easy-dev", "every": every, "method": [cascade(1)]},
    }
