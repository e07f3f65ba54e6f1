"""What the environments folder enters into the catalogue. Light: imports no environment."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter every environment and suite."""
