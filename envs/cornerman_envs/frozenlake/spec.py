"""The environment's specification and the tasks of its splits; no map is in two splits."""

from __future__ import annotations

from typing import Any

from cornerman_envs.light.listing import specification

from .env import FrozenLakeEnv

ENV = "cornerman/FrozenLake-v1"
SIZES = (3, 4, 5, 6)
KINDS: dict[str, dict[str, Any]] = {
    "grid": {},
    "symbols": {"observation": "symbols"},
    "slippery": {"slippery": True},
}
FAMILIES = {f"{kind}-{size}": {"size": size, **KINDS[kind], "part": "split"} for kind in KINDS for size in SIZES}

frozenlake = specification(ENV, "frozenlake", FAMILIES, FrozenLakeEnv)
