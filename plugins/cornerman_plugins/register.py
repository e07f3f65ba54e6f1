"""What the plug-ins folder enters into the catalogue. Light: imports no plug-in."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter every actor, critic, memory, protocol, model and experiment."""
