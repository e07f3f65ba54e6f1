"""The formats that can be imported, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from cornerman.importing import messages, mint, tau2
from cornerman.importing.traces import Trace

FORMATS: Mapping[str, Callable[[Path], Iterator[Trace]]] = {
    "messages": messages.read,
    "tau2": tau2.read,
    "mint": mint.read,
}
