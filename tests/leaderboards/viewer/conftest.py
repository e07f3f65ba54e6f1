"""A viewer that serves runs made by hand, and a way to ask it as any client could."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from cornerman_leaderboards.viewer.forking import Forking
from cornerman_leaderboards.viewer.routes import Routes
from cornerman_leaderboards.viewer.runs import Runs
from cornerman_leaderboards.viewer.server import Server


class Reply(NamedTuple):
    """What came back."""

    status: int
    text: str
    headers: dict[str, str]


@contextmanager
def serving(runs: Runs, forking: Forking | None = None) -> Iterator[Server]:
    """A viewer in a thread."""
    with Server(Routes(runs, forking), 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server: Server, target: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
    """One request; headers with underscores for hyphens."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    try:
        connection.request(method, target, body, {k.replace("_", "-"): v for k, v in headers.items()})
        got = connection.getresponse()
        return Reply(got.status, got.read().decode(), {k.lower(): v for k, v in got.getheaders()})
    finally:
        connection.close()


Asker = Callable[..., Reply]


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asker]:
    """Asks a viewer of the runs below the test's folder `runs`."""
    (tmp_path / "runs").mkdir(exist_ok=True)
    with serving(Runs(below=tmp_path / "runs")) as server:
        yield lambda target, *words, **options: ask(server, target, *words, **options)
