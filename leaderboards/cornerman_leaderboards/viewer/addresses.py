"""The addresses of the viewer's pages. Names of strangers stand in them quoted whole."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class Addresses:
    """The addresses of one run's pages."""

    name: str

    @property
    def run(self) -> str:
        """Its episodes."""
        return f"/runs/{quote(self.name, safe='', errors='surrogateescape')}"

    def list(self, **fields: object) -> str:
        """Its episodes, filtered; empty fields are left out."""
        kept = {k: str(v) for k, v in fields.items() if v}
        return f"{self.run}?{urlencode(kept)}" if kept else self.run

    def episode(self, number: int) -> str:
        """One episode."""
        return f"{self.run}/{number}"

    def text(self, number: int, text: int) -> str:
        """A text of it as a whole."""
        return f"{self.run}/{number}/texts/{text}"

    def call(self, number: int, call: int) -> str:
        """A model call of it."""
        return f"{self.run}/{number}/calls/{call}"

    def other(self, number: int, critique: int) -> str:
        """Where other words than a critique's can be tried."""
        return f"{self.run}/{number}/words/{critique}"

    def compare(self, left: int, right: int) -> str:
        """Two episodes side by side."""
        return f"{self.run}/compare?left={left}&right={right}"
