"""Other words, from the page's form to the counts: on a real run, and by nobody but the viewer's own page."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.leaderboards.viewer.conftest import Asker, ask, serving
from tests.support.command import PLUGIN

from cornerman import experiment as experiments
from cornerman.plugins import Plugins, load
from cornerman.runner import Options, Run
from cornerman_leaderboards.viewer.forking import Forking
from cornerman_leaderboards.viewer.runs import Runs

METHOD = {
    "name": "advised",
    "actor": {"use": "noisy-gold", "p": 0.5},
    "critic": [{"use": "gold-advice", "label": "advice"}],
}


@pytest.fixture(scope="module")
def plugins() -> Plugins:
    """The catalogue with the countdown."""
    return load([str(PLUGIN)])


@pytest.fixture(scope="module")
def folder(plugins: Plugins, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the countdown with advice."""
    table = {"suite": "count-smoke", "limit": 4, "method": [METHOD]}
    wanted = experiments.resolve(table, "counted", "the test")
    options = Options(out=tmp_path_factory.mktemp("runs"), workers=0, validate=False)
    return asyncio.run(Run(plugins, wanted, options).play()).folder


@pytest.fixture
def asking(plugins: Plugins, folder: Path) -> Iterator[Asker]:
    """Asks a viewer that may play."""
    with serving(Runs({"counted": folder}), Forking(plugins, workers=0)) as server:
        own = f"http://127.0.0.1:{server.server_port}"
        yield lambda target, *words, **options: ask(server, target, *words, **({"Origin": own} | options))


def form_of(asking: Asker) -> tuple[str, str]:
    """The address of the first form that an episode leads to, and its token."""
    for number in range(1, 5):
        found = re.search(r'href="(/runs/counted/\d+/words/\d+)"', asking(f"/runs/counted/{number}").text)
        if found:
            token = re.search(r'name="token" value="([^"]+)"', asking(found[1]).text)
            assert token is not None
            return found[1], token[1]
    raise AssertionError("no critique of the run made a difference")


def body(**fields: object) -> bytes:
    return urlencode(fields).encode()


def test_play_shows_your_words_its_words_and_silence(asking: Asker, folder: Path) -> None:
    before = {p: p.read_bytes() for p in folder.iterdir()}
    address, token = form_of(asking)
    sent = asking(address, "POST", body(token=token, text="<b>wait</b>", suggestion="wait", forks=2))
    assert (sent.status, sent.headers["location"]) == (303, address)
    for _ in range(600):
        shown = asking(address).text
        if 'http-equiv="refresh"' not in shown:
            break
        time.sleep(0.05)
    assert shown.count(" of 2</td>") == 3
    assert "&lt;b&gt;wait&lt;/b&gt;" in shown
    assert '<code><bdi class="said">wait</bdi></code>' in shown
    assert {p: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"token": "guessed", "text": "x"}, 403),
        ({"text": "x"}, 403),
        ({"token": "", "text": " "}, 400),
        ({"token": "", "text": "x", "forks": 1000}, 400),
        ({"token": "", "text": "x", "command": "rm"}, 400),
        ({"token": "", "text": "x" * 9000}, 400),
    ],
)
def test_a_form_that_is_not_the_page_s_own_is_refused(asking: Asker, fields: dict[str, object], status: int) -> None:
    address, token = form_of(asking)
    made = {k: token if (k, v) == ("token", "") else v for k, v in fields.items()}
    assert asking(address, "POST", body(**made)).status == status


def test_other_origins_and_giants_are_refused(asking: Asker) -> None:
    address, token = form_of(asking)
    assert asking(address, "POST", body(token=token, text="x"), Origin="http://evil.example").status == 403
    assert asking(address, "POST", b"x" * 100_000).status == 413
    assert asking("/runs/counted", "POST", body(token=token, text="x")).status == 405


def test_without_leave_there_is_no_form(folder: Path) -> None:
    with serving(Runs({"counted": folder})) as server:
        assert "/words/" not in ask(server, "/runs/counted/1").text
        assert ask(server, "/runs/counted/1/words/0").status == 404
