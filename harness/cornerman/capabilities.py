"""What a model can do against what a method needs of it, found out before the first episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from cornerman.engine.calls import unable
from cornerman.engine.instance import Instance
from cornerman.engine.method import Method
from cornerman.errors import UsageError, did_you_mean
from cornerman.model import Capability
from cornerman.models import Models

KNOWN: tuple[str, ...] = get_args(Capability)


def required(instance: Instance) -> tuple[str, ...]:
    """The capabilities that a plug-in declares to need of its model, in `requires`."""
    needs = getattr(instance.plugin, "requires", ())
    for need in (needs,) if isinstance(needs, str) else needs:
        if need not in KNOWN:
            raise UsageError(
                f"{instance.role} '{instance.label}' requires '{need}' of its model, as in requires = (\"score\",); "
                + did_you_mean(str(need), KNOWN)
            )
    return tuple(needs)


def check_capabilities(methods: Sequence[Method], models: Models) -> None:
    """Raise `UsageError` when a plug-in is given a model that cannot do what it requires."""
    for instance in (i for method in methods for i in method.instances):
        check_instance(instance, models)


def check_instance(instance: Instance, models: Models) -> None:
    """Raise `UsageError` when a plug-in is given a model that cannot do what it requires."""
    needs = required(instance)
    if instance.model is None:
        return
    model = models(instance.model)
    for need in needs:
        if need not in model.capabilities:
            raise UsageError(unable(instance.label, model.name, need))
