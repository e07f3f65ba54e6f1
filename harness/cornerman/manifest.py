"""The manifest of a run: what it was made with, and all that a summary needs beside the episodes."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

import cornerman
from cornerman.assets import assets_status
from cornerman.engine.instance import Instance, check_options
from cornerman.engine.method import CANDIDATES, Method
from cornerman.environment import EnvironmentSpec
from cornerman.experiment import Experiment
from cornerman.plugins import Loaded, Plugins
from cornerman.registry import Registry
from cornerman.suites import Suite, digest_of

PACKAGES = (
    "gymnasium",
    "pluggy",
    "msgspec",
    "numpy",
    "scipy",
    "textworld",
    "alfworld",
    "torch",
    "transformers",
    "vllm",
)


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Versions of the installed ones among some packages."""
    found = {}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def git_state(folder: Path) -> dict[str, Any] | None:
    """Commit of the working folder and whether it has changes; None outside a repository."""

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    return None if commit is None else {"commit": commit, "dirty": bool(git("status", "--porcelain"))}


def actor_digest(registry: Registry, actor: Instance, user: Instance | None = None) -> str:
    """SHA-256 of who an actor is: its plug-in, its options with their defaults, its model and the model's sampling.

    Methods are compared in pairs only where this is the same. Its label is no part of it, nor is the number of
    candidates, without which a critic that chooses among them could not be compared with the actor alone. The model of
    the user that it serves is part of it; that user's plug-in and options are part of the suite's rules.
    """
    factory = registry.get("actor", actor.settings.use).load()
    parameters = inspect.signature(factory).parameters.values()
    options = {p.name: p.default for p in parameters if p.default is not p.empty}
    options |= check_options(actor.settings.use, factory, actor.settings.options)
    options.pop(CANDIDATES, None)
    identity: dict[str, Any] = {
        "use": actor.settings.use,
        "options": options,
        "model": actor.model,
        "sampling": actor.fixed,
    }
    if user is not None and user.model is not None:
        identity["user"] = [user.model, user.fixed]
    return digest_of(msgspec.to_builtins(identity, enc_hook=lambda value: type(value).__qualname__))


def describe_method(registry: Registry, method: Method) -> dict[str, Any]:
    """A method's row: who plays in it and what they see together."""
    return {
        "method": method.name,
        "actor": method.actor.label,
        "actor_digest": actor_digest(registry, method.actor, method.user),
        "critics": [c.label for c in method.critics],
        "memory": method.memory.label if method.memory else None,
        "protocol": method.protocol.label,
        "models": {i.label: i.model for i in method.instances if i.model},
        "digest": method.digest,
        "information": method.information,
        "privileged": method.privileged,
        "counted": method.rules.counted,
    }


def describe_plugin(plugin: Loaded) -> dict[str, str]:
    """Where a plug-in came from; of a single file also its SHA-256, since it has no version of its own."""
    about = {"name": plugin.name, "origin": plugin.origin, "version": plugin.version}
    path = Path(plugin.origin)
    return about | ({"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} if path.is_file() else {})


def environment_versions(plugins: Plugins, suite: Suite) -> dict[str, dict[str, str]]:
    """Versions that decide what each environment of a suite does."""
    out: dict[str, dict[str, str]] = {}
    for env in sorted({task.env for task in suite.tasks}):
        spec: EnvironmentSpec = plugins.registry.get("environment", env).load()
        out[env] = dict(spec.versions()) if spec.versions else {}
    return out


def manifest(
    plugins: Plugins,
    experiment: Experiment,
    suite: Suite,
    methods: Sequence[Method],
    models: Mapping[str, object],
) -> dict[str, Any]:
    """Everything about a run but its episodes. Holds no secret: neither the environment nor any key is read."""
    assets = {name for env in {t.env for t in suite.tasks} for name in plugins.registry.get("environment", env).assets}
    return {
        "cornerman": cornerman.__version__,
        "python": platform.python_version(),
        "packages": versions(),
        "plugins": [describe_plugin(p) for p in plugins.loaded if not p.problem],
        "experiment": experiment.name,
        "trials": experiment.trials,
        "baseline": experiment.baseline,
        "family": experiment.family,
        "tape": experiment.tape,
        "prices": experiment.prices,
        "seed": experiment.seed,
        "requested": len(suite.tasks) * len(methods) * experiment.trials,
        "suite": {
            "name": suite.name,
            "panel": suite.panel,
            "rules": suite.rules_digest,
            "rules_in_full": suite.rules,
            "tasks": [t.id for t in suite.tasks],
        },
        "environments": environment_versions(plugins, suite),
        "assets": {s.asset.name: s.asset.sha256 for s in assets_status() if s.asset.name in assets},
        "methods": [describe_method(plugins.registry, m) for m in methods],
        "models": models,
        "hardware": {"machine": platform.machine(), "system": platform.system(), "cores": os.cpu_count()},
        "executable": Path(sys.executable).name,
        "git": git_state(Path.cwd()),
    }
