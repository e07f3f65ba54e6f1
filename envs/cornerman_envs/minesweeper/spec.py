"""The environment's specification and the tasks of its splits; no board is in two splits."""

from __future__ import annotations

from cornerman_envs.light.listing import specification

from .env import MinesweeperEnv

ENV = "cornerman/Minesweeper-v1"
KINDS = ((5, 4), (6, 5), (7, 8), (8, 10))
"""Sizes and numbers of mines."""

FAMILIES = {f"{size}x{size}": {"size": size, "mines": mines, "part": "split"} for size, mines in KINDS}

minesweeper = specification(ENV, "minesweeper", FAMILIES, MinesweeperEnv)
