"""The environment's specification and the tasks of its splits: goals of depth 1 to 4, none of them in two splits."""

from __future__ import annotations

from cornerman_envs.light.listing import specification

from .env import DEEPEST, TextCraftEnv

ENV = "cornerman/TextCraft-v1"
FAMILIES = {f"depth-{depth}": {"depth": depth, "part": "split"} for depth in range(1, DEEPEST + 1)}

textcraft = specification(ENV, "textcraft", FAMILIES, TextCraftEnv)
