"""What a run folder says of how it was made, and what it never says."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.command import PLUGIN, CommandLine

import cornerman

SECRET = "sk-test-0123456789abcdef"


def everything(folder: Path) -> bytes:
    """The content and the names of all files below a folder."""
    return b"\n".join(str(p).encode() + p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file())


class Indiscreet(BaseHTTPRequestHandler):
    """Answers every chat with what it was told in the headers: as an action, or as an error."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = self.headers.get("Authorization", "nothing")
        status = 400 if body["model"] == "angry" else 200
        answer = {"error": {"message": f"I do not like {told}"}}
        if status == 200:
            message = {"role": "assistant", "content": f"{len(told)} down 1"}
            answer = {"choices": [{"message": message, "index": 0, "finish_reason": "stop"}], "model": body["model"]}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """URL of a server that repeats what it is told."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Indiscreet)
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def test_no_secret_reaches_a_file_or_the_screen(command: CommandLine, server: str) -> None:
    command.variables |= {"OPENAI_API_KEY": SECRET, "MY_KEY": SECRET + "-mine"}
    (command.folder / "e.toml").write_text(f"""
        suite = "count-smoke"
        limit = 2
        [[method]]
        name = "meek"
        actor = {{ use = "asker", model = "openai:{server}#meek,retries=0" }}
        [[method]]
        name = "angry"
        actor = {{ use = "asker", model = "openai:{server}#angry,retries=0,key=MY_KEY" }}
    """)
    done = command("run", "e.toml")
    assert done.status == 1  # the angry one
    folder = command.folder / "runs" / "e"
    written = everything(folder)
    assert f"{len('Bearer ' + SECRET)} down 1".encode() in written  # the key was really sent
    assert b"MY_KEY" in written  # the name of a variable is no secret
    assert b"I do not like" in written
    for text in (written.decode("latin-1"), done.out, done.err):
        assert "sk-test" not in text
        assert "0123456789abcdef" not in text


@pytest.mark.parametrize(
    "model", [f"openai:http://127.0.0.1:9/v1#m,key={SECRET}", f"openai:http://me:{SECRET}@127.0.0.1:9/v1#m"]
)
def test_a_secret_in_the_wrong_place_is_refused_and_not_repeated(command: CommandLine, model: str) -> None:
    said = command.refused("run", "--suite", "count-smoke", "--actor", "asker", "--model", f"actor={model}")
    assert SECRET not in said
    assert SECRET.encode() not in everything(command.folder)


def test_what_a_manifest_holds(command: CommandLine) -> None:
    done = command("run", "--suite", "count-smoke", "--actor", "asker", "--critic", "gold=gold-advice", "--name", "r",
                   "--model", "actor=scripted:m,temperature=0.5", "--limit", 3, "--trials", 2, "--seed", 7)  # fmt: skip
    assert done.status == 0, done.err
    about = json.loads((command.folder / "runs" / "r" / "manifest.json").read_text())
    assert about["cornerman"] == cornerman.__version__
    assert (about["experiment"], about["trials"], about["seed"], about["requested"]) == ("r", 2, 7, 12)
    assert (about["baseline"], about["family"]) == ("asker", "holm")
    assert about["suite"]["tasks"] == ["from-3", "from-4", "from-5"]
    assert about["suite"]["rules_in_full"]["max_turns"] == 40
    assert len(about["suite"]["panel"]) == len(about["suite"]["rules"]) == 64
    plugin = next(p for p in about["plugins"] if p["origin"] == str(PLUGIN))
    assert plugin["version"] == "local"
    assert plugin["sha256"] == hashlib.sha256(PLUGIN.read_bytes()).hexdigest()
    alone, advised = about["methods"]
    assert (alone["method"], alone["critics"], alone["privileged"]) == ("asker", [], False)
    assert (advised["method"], advised["critics"], advised["privileged"]) == ("asker+gold", ["gold"], True)
    assert "gold" in advised["information"]
    assert alone["models"] == {"asker": "scripted:m"}
    assert len({alone["digest"], advised["digest"]}) == 2
    assert about["models"] == {"scripted:m": {"backend": "scripted", "target": "m", "capabilities": ["generate"]}}
    assert set(about["packages"]) >= {"gymnasium", "pluggy", "msgspec", "numpy"}
    assert about["hardware"]["cores"] >= 1
    assert about["environments"] == {"test/Countdown-v1": {}}


def test_the_commit_of_the_working_folder(command: CommandLine) -> None:
    def git(*words: str) -> str:
        process = command.spawn(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words])
        return process.communicate(timeout=60)[0].strip()

    arguments = ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 1)
    git("init", "-q")
    git("remote", "add", "origin", f"https://me:{SECRET}@example.org/x.git")
    (command.folder / ".gitignore").write_text("cache\nruns\n")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    for name, dirty in (("clean", False), ("dirty", True)):
        assert command(*arguments, "--name", name).status == 0
        about = json.loads((command.folder / "runs" / name / "manifest.json").read_text())
        assert about["git"] == {"commit": git("rev-parse", "HEAD"), "dirty": dirty}
        assert SECRET.encode() not in everything(command.folder / "runs" / name)
        (command.folder / "new").write_text("x")
