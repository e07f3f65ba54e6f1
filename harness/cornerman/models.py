"""Model URIs, and the backends behind them: one of each a process, shared by every plug-in that names it.

smollm2                                       a registered name
hf:PATH,dtype=float32                         scheme, target and options
vllm:http://localhost:8000/v1#NAME            a server and the model's name on it
"""

from __future__ import annotations

import contextlib

from cornerman.engine.instance import check_options
from cornerman.engine.settings import scalar
from cornerman.errors import UsageError
from cornerman.model import Model
from cornerman.registry import Registry


def split_uri(uri: str) -> tuple[str, str, dict[str, object]]:
    """Scheme, target and options of a model URI."""
    head, *parts = uri.split(",")
    scheme, _, target = head.partition(":")
    options: dict[str, object] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"model '{uri}': '{part}' is not of the form KEY=VALUE")
        if key in options or key == "target":
            raise UsageError(f"model '{uri}': '{key}' is given twice")
        options[key] = scalar(value)
    return scheme, target, options


class Models:
    """Opens backends on first use and closes them together."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._open: dict[str, Model] = {}

    def __call__(self, uri: str) -> Model:
        """The backend of a URI (without sampling options)."""
        model = self._open.get(uri)
        if model is None:
            model = self._open[uri] = self._make(uri)
        return model

    def _make(self, uri: str) -> Model:
        scheme, target, options = split_uri(uri)
        factory = self._registry.get("model", scheme).load()
        checked = check_options(scheme, factory, {"target": target, **options})
        try:
            model: Model = factory(**checked)
        except (TypeError, ValueError, OSError) as error:
            raise UsageError(f"model '{uri}' cannot be opened: {error}") from error
        return model

    def describe(self) -> dict[str, object]:
        """What each open backend says of itself, for the manifest."""
        return {
            uri: {"capabilities": sorted(model.capabilities), **model.describe()} for uri, model in self._open.items()
        }

    async def aclose(self) -> None:
        """Close every backend; one that fails to close keeps none of the others open."""
        for model in self._open.values():
            with contextlib.suppress(Exception):
                await model.aclose()
        self._open.clear()
