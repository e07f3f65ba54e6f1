"""The environment's specification and the tasks of its splits; no room with its start is in two splits."""

from __future__ import annotations

from cornerman_envs.light.listing import specification

from .env import SokobanEnv

ENV = "cornerman/Sokoban-v1"
KINDS = ((5, 1), (6, 1), (7, 1), (6, 2), (7, 2))
"""Sizes and numbers of boxes."""

FAMILIES = {f"{size}x{size}-{boxes}": {"size": size, "boxes": boxes, "part": "split"} for size, boxes in KINDS}

sokoban = specification(ENV, "sokoban", FAMILIES, SokobanEnv)
