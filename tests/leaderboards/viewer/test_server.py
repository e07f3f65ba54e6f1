"""The viewer over HTTP: what it answers, what it refuses, and that no address opens a file of its own choosing."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest
from tests.leaderboards.viewer.conftest import Asker, ask, serving
from tests.support.recorded import call, episode, method, wins, write_run

from cornerman.records import Completion, Usage
from cornerman_leaderboards.viewer.runs import Runs
from cornerman_leaderboards.viewer.source import open_lines

LONG = "so it went on " * 400


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a long text and a model call."""
    used = call("actor", Usage(calls=1, prompt=7, output=2))
    answered = {"completions": (Completion(text="look", ids=(11, 2), logprobs=(-0.25, -4.0)),)}
    asked = type(used)(**{f: getattr(used, f) for f in used.__struct_fields__} | answered)
    first = episode("t1", "alone", True, calls=[asked], actions=("look", LONG))
    return write_run(tmp_path / "runs" / "a run", [method("alone"), method("b")], [first, *wins("b", "0101")])


def test_pages_of_a_run(run: Path, asking: Asker) -> None:
    assert 'href="/runs/a%20run"' in asking("/").text
    listed = asking("/runs/a%20run?method=b&outcome=solved").text
    assert "2 episodes" in listed
    shown = asking("/runs/a%20run/1")
    assert shown.status == 200
    assert f"{len(LONG) - 4000:,} more characters" not in asking("/runs/a%20run/2").text
    assert 'href="/runs/a%20run/1/texts/' in shown.text
    beside = asking("/runs/a%20run/compare?left=1&right=2").text
    assert "first difference" in beside
    assert "-4.00" in asking("/runs/a%20run/1/calls/0").text


def test_a_long_text_is_cut_and_can_be_read_whole(run: Path, asking: Asker) -> None:
    shown = asking("/runs/a%20run/1").text
    address = shown.partition('<a href="/runs/a%20run/1/texts/')[2].partition('"')[0]
    assert LONG not in shown
    assert LONG in asking(f"/runs/a%20run/1/texts/{address}").text


def test_a_single_run_is_where_the_viewer_begins(run: Path) -> None:
    with serving(Runs({"one": run})) as server:
        home = ask(server, "/")
        assert (home.status, home.headers["location"]) == (303, "/runs/one")
        assert ask(server, "/runs/one").status == 200
        assert ask(server, "/runs/a%20run").status == 404


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/nothing", 404),
        ("/runs/..", 404),
        ("/runs/..%2F..%2Fetc", 404),
        ("/runs/%2Fetc%2Fpasswd", 404),
        ("/../style.css", 404),
        ("/viewer.js/..", 404),
        ("/runs/a%20run/episodes.jsonl", 404),
        ("/runs/a%20run/99", 404),
        ("/runs/a%20run/0", 404),
        ("/runs/a%20run/1/texts/9999", 404),
        ("/runs/a%20run/1/calls/9", 404),
        ("/runs/a%20run?page=-1", 400),
        ("/runs/a%20run?page=1e9", 400),
        ("/runs/a%20run?outcome=won", 400),
        ("/runs/a%20run?method=a&method=b", 400),
        ("/runs/a%20run?file=/etc/passwd", 400),
        ("/runs/a%20run?task=" + "x" * 600, 400),
        ("/runs/a%20run?task=%ff", 400),
        ("/runs/a%20run/compare?left=1", 404),
        ("/runs/a%20run/compare?left=1&right=3", 400),
    ],
)
def test_every_other_address_is_refused(run: Path, asking: Asker, target: str, status: int) -> None:
    assert asking(target).status == status


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "script"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "empty"},
    ],
)
def test_no_other_site_is_answered(run: Path, asking: Asker, headers: dict[str, str]) -> None:
    refused = asking("/runs/a%20run/1", **headers)
    assert refused.status == 403
    assert "t1" not in refused.text


def test_a_link_that_a_person_follows_from_elsewhere_is_answered(run: Path, asking: Asker) -> None:
    assert asking("/runs/a%20run/1", Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="document").status == 200


def test_nothing_can_be_written(run: Path, asking: Asker) -> None:
    before = {p: p.read_bytes() for p in run.iterdir()}
    own = asking("/").headers
    assert asking("/runs/a%20run/1", "POST", b"x=1").status == 403
    for verb in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert asking("/runs/a%20run/1", verb).status == 501
    assert {p: p.read_bytes() for p in run.iterdir()} == before
    assert own["content-security-policy"].startswith("default-src 'none'")


def test_every_answer_says_what_may_load_and_who_may_frame(run: Path, asking: Asker) -> None:
    for target in ("/", "/style.css", "/runs/a%20run/1", "/nothing"):
        headers = asking(target).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"


def test_a_damaged_run_is_one_sentence_and_the_others_are_shown(run: Path, asking: Asker) -> None:
    write_run(run.parent / "bad", [method("a")], [])
    (run.parent / "bad" / "episodes.jsonl").write_bytes(b"{}\n")
    assert "is no episode record" in asking("/runs/bad").text
    assert asking("/runs/a%20run").status == 200


def test_a_trial_beyond_any_run_is_one_sentence(run: Path, asking: Asker) -> None:
    line = (run / "episodes.jsonl").read_bytes().partition(b"\n")[0]
    assert b'"trial":0' in line
    with (run / "episodes.jsonl").open("ab") as file:
        file.write(line.replace(b'"trial":0', b'"trial":%d' % 2**63) + b"\n")
    for _ in range(2):  # the second page finds the index as the first one left it
        reply = asking("/runs/a%20run")
        assert (reply.status, "is no episode record" in reply.text) == (409, True)


def test_a_run_that_was_deleted_is_one_sentence(run: Path) -> None:
    with serving(Runs({"one": run})) as server:
        assert ask(server, "/runs/one/1").status == 200
        shutil.rmtree(run)
        reply = ask(server, "/runs/one/1")
        assert (reply.status, "holds no episode" in reply.text) == (409, True)


def test_a_folder_of_runs_that_was_moved_is_one_sentence(run: Path, asking: Asker) -> None:
    run.parent.rename(run.parent.with_name("elsewhere"))
    for target in ("/", "/runs/a%20run"):
        reply = asking(target)
        assert (reply.status, "cannot be read" in reply.text) == (409, True)


def test_while_a_run_is_unpacked_others_are_shown(run: Path, asking: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = write_run(run.parent / "slow", [method("a")], wins("a", "1000"))
    unpacking, go_on = threading.Event(), threading.Event()

    def held_up(path: Path) -> IO[bytes]:
        if path.parent == slow:
            unpacking.set()
            go_on.wait(20)
        return open_lines(path)

    monkeypatch.setattr("cornerman_leaderboards.viewer.index.open_lines", held_up)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(asking, "/runs/slow")
        try:
            assert unpacking.wait(20)
            assert asking("/runs/a%20run").status == 200
            assert not waiting.done()
        finally:
            go_on.set()
        assert waiting.result().status == 200


def test_a_form_whose_length_has_thousands_of_digits_is_refused(run: Path, asking: Asker) -> None:
    assert asking("/", "POST", b"", Content_Length="9" * 6000).status == 413


def test_the_files_of_a_run_are_opened_to_read(run: Path) -> None:
    with open_lines(run / "episodes.jsonl") as file:
        assert not file.writable()
