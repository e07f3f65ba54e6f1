"""The catalogue: every name that an experiment, a command or a recipe can use, and where its code is.

Entries are lazy `module:attr` references, so that listing hundreds of plug-ins imports none of them. A plug-in fills
the catalogue in its `register(registry)` hook; built-ins do it through the same entry-point group as strangers do.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from cornerman.errors import MissingExtra, UsageError, did_you_mean
from cornerman.programs import find_program

Kind = Literal[
    "environment",
    "suite",
    "experiment",
    "recipe",
    "actor",
    "critic",
    "memory",
    "user",
    "protocol",
    "model",
    "metric",
    "reward",
    "advantage",
    "loss",
    "schedule",
    "observer",
    "command",
]
KINDS: tuple[str, ...] = get_args(Kind)
Basis = Literal["rule", "prompted", "trained", "person"]
BASES: tuple[str, ...] = get_args(Basis)
RESERVED = ":=,"
"""Characters that part a name from its label and options on a command line."""


@dataclass(frozen=True)
class Entry:
    """One name of the catalogue.

    `target` is `module:attr`, or the object itself for a plug-in loaded from a file. `needs` lists the top-level
    modules without which it cannot work and `extra` the extra that brings them. `assets` names data that is fetched on
    first use, `variables` the environment variables that name data which is not, `programs` the commands that the
    machine has to have. `origin` says which plug-in registered it. `paper` is where the method comes from, `basis`
    what makes its words or choices (a rule, a prompt, training), `experiment` the name of a shipped experiment that
    shows it.
    """

    kind: Kind
    name: str
    target: str | Callable[..., Any]
    doc: str = ""
    extra: str | None = None
    needs: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    paper: str = ""
    basis: Basis | None = None
    experiment: str = ""
    origin: str = "cornerman"
    meta: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def missing(self) -> tuple[str, ...]:
        """The needed modules that are not installed."""
        return tuple(m for m in self.needs if importlib.util.find_spec(m) is None)

    @property
    def unset(self) -> tuple[str, ...]:
        """The environment variables that have to name its data and are not set, or to nothing that is there."""
        return tuple(v for v in self.variables if not os.path.exists(os.environ.get(v, "")))

    @property
    def absent(self) -> tuple[str, ...]:
        """The programs it starts that this machine has not."""
        return tuple(p for p in self.programs if find_program(p) is None)

    def load(self) -> Any:
        """Import the target. A missing extra or a broken module becomes one sentence."""
        if self.missing:
            if self.extra:
                raise MissingExtra(f"{self.kind} '{self.name}'", self.extra)
            raise UsageError(f"{self.kind} '{self.name}' needs the package {', '.join(self.missing)}, not installed.")
        if not isinstance(self.target, str):
            return self.target
        module, _, attr = self.target.partition(":")
        try:
            return getattr(importlib.import_module(module), attr)
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            what = "" if isinstance(error, (ImportError, AttributeError)) else f"{type(error).__name__}: "
            raise UsageError(
                f"{self.kind} '{self.name}' of {self.origin} cannot be loaded from {self.target}: {what}{error}"
            ) from error


class Registry:
    """All entries by kind and name. A name can be taken once; the error says by whom."""

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, Entry]] = {kind: {} for kind in KINDS}
        self.origin = "cornerman"

    def add(
        self,
        kind: Kind,
        name: str,
        target: str | Callable[..., Any],
        *,
        doc: str = "",
        extra: str | None = None,
        needs: tuple[str, ...] = (),
        assets: tuple[str, ...] = (),
        variables: tuple[str, ...] = (),
        programs: tuple[str, ...] = (),
        paper: str = "",
        basis: Basis | None = None,
        experiment: str = "",
        **meta: Any,
    ) -> None:
        """Enter one name. `doc` is the line that `cornerman list` shows; the other fields are those of `Entry`."""
        if kind not in self._entries:
            raise UsageError(f"{self.origin} registers an unknown kind '{kind}'; {did_you_mean(kind, KINDS)}")
        if not name or any(c in RESERVED or c.isspace() for c in name):
            raise UsageError(f"{self.origin} registers {kind} '{name}'; a name has no spaces and none of {RESERVED}")
        if isinstance(target, str) and not all(target.partition(":")):
            raise UsageError(
                f"{self.origin} registers {kind} '{name}' as '{target}', which is not of the form MODULE:ATTR"
            )
        if basis is not None and basis not in BASES:
            raise UsageError(
                f"{self.origin} registers {kind} '{name}' with an unknown basis; {did_you_mean(str(basis), BASES)}"
            )
        taken = self._entries[kind].get(name)
        if taken is not None:
            raise UsageError(
                f"{self.origin} registers {kind} '{name}', which {taken.origin} registered before; choose another name."
            )
        self._entries[kind][name] = Entry(
            kind=kind,
            name=name,
            target=target,
            doc=doc,
            extra=extra,
            needs=needs,
            assets=assets,
            variables=variables,
            programs=programs,
            paper=paper,
            basis=basis,
            experiment=experiment,
            origin=self.origin,
            meta=meta,
        )

    def get(self, kind: Kind, name: str) -> Entry:
        """The entry of that name; an unknown one is answered with the nearest known names."""
        try:
            return self._entries[kind][name]
        except KeyError:
            raise UsageError(f"unknown {kind} '{name}'; {did_you_mean(name, self._entries[kind])}") from None

    def entries(self, kind: Kind) -> Iterator[Entry]:
        """All entries of a kind, by name."""
        return iter(sorted(self._entries[kind].values(), key=lambda e: e.name))

    def snapshot(self) -> dict[str, dict[str, Entry]]:
        """The entries as they stand."""
        return {kind: dict(table) for kind, table in self._entries.items()}

    def restore(self, entries: dict[str, dict[str, Entry]]) -> None:
        """Go back to a snapshot: take back what a plug-in entered before its registration failed."""
        self._entries = entries
