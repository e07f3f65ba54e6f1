"""Stateless randomness: every draw is a hash of where it happens.

A seed depends on the run's seed, task, trial, attempt path, turn, plug-in instance, call ordinal and sample, and never
on the method's name: two methods that do the same thing at the same place draw the same numbers, which is what makes
paired comparisons sharp. Nothing here, and nothing in Cornerman, touches a global generator.
"""

from __future__ import annotations

import hashlib
import random

Part = str | int | float | bool | None


def derive(*parts: Part) -> int:
    """A 63-bit seed from the parts; equal parts give equal seeds on every machine and Python version."""
    text = "\x1f".join(f"{type(p).__name__[0]}{p}" for p in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def generator(*parts: Part) -> random.Random:
    """A fresh generator of its own for the parts."""
    return random.Random(derive(*parts))
