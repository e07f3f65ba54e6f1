"""A real HTTP server on the loopback that speaks OpenAI's protocol, and misbehaves when the test tells it to."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from cornerman_plugins.models.openai import dialect
from cornerman_plugins.models.openai.backend import OpenAIModel
from cornerman_plugins.models.openai.dialect import Options, Scheme
from cornerman_plugins.models.openai.target import parse_target
from cornerman_plugins.models.openai.transport import Patience

END, ROLES = 2, {"system": 10, "user": 11, "assistant": 12}
Step = Callable[["Handler"], None]


@dataclass
class Seen:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Stub:
    """The server's side of a test: what it was asked, and the steps that it takes before it behaves."""

    script: list[Step] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    active: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    honours: bool = True
    url: str = ""

    def chats(self) -> list[Any]:
        """Bodies of the chat completions asked for."""
        return [seen.body for seen in self.seen if seen.path == "/v1/chat/completions"]


class Handler(BaseHTTPRequestHandler):
    """Takes the next step of the script, else answers as a good server would."""

    protocol_version = "HTTP/1.1"
    stub: Stub

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _serve(self, body: Any) -> None:
        self.body = body
        with self.stub.lock:
            self.stub.active += 1
            self.stub.seen.append(Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            step = self.stub.script.pop(0) if self.stub.script and body is not None else behave
        try:
            step(self)
        except OSError:
            self.close_connection = True  # the client went away, as tests of timeouts want it to
        finally:
            with self.stub.lock:
                self.stub.active -= 1

    def reply(self, status: int, content: bytes | Any, headers: dict[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def behave(handler: Handler) -> None:
    """What a good server answers."""
    routes: dict[str, Callable[[Handler], Any]] = {
        "/v1/models": lambda h: {"data": [{"id": "tiny"}, {"id": "tiny-instruct"}]},
        "/version": lambda h: {"version": "0.32.0"},
        "/v1/chat/completions": chat,
        "/v1/completions": prompt_logprobs,
        "/tokenize": lambda h: {"tokens": tokenize(h.body), "count": 0},
    }
    route = routes.get(handler.path)
    handler.reply(200, route(handler)) if route else handler.reply(404, {"detail": "Not Found"})


def chat(handler: Handler) -> Any:
    """A chat completion that honours what it was asked for, changed by `stub.answer`."""
    body, stub = handler.body, handler.stub
    text = constrained(body) if stub.honours else "Hello there"
    tokens = re.findall(r"\s*\S+", text)
    choices = []
    for index in range(body.get("n", 1)):
        choice: dict[str, Any] = {"index": index, "message": {"role": "assistant", "content": text}}
        choice["finish_reason"] = "stop"
        if body.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": t, "logprob": -0.5 - i} for i, t in enumerate(tokens)]}
        if body.get("return_token_ids"):
            choice["token_ids"] = [len(t) for t in tokens]
        choices.append(choice)
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    reply: dict[str, Any] = {"choices": choices, "model": "tiny-2026", "system_fingerprint": "fp1", "usage": usage}
    if body.get("return_token_ids"):
        reply["prompt_token_ids"] = tokenize({"messages": body["messages"], "add_generation_prompt": True})
    return {key: value for key, value in {**reply, **stub.answer}.items() if value is not None}


def constrained(body: Any) -> str:
    """The last of the given texts, as each spelling names them; three digits for a regular expression."""
    if choice := body.get("structured_outputs", {}).get("choice") or body.get("guided_choice"):
        return str(choice[-1])
    if "regex" in body.get("structured_outputs", {}) or "guided_regex" in body:
        return "123"
    if "grammar" in body:
        return str(re.findall(r'"([^"]*)"', body["grammar"])[-1])
    if "response_format" in body:
        return json.dumps(
            {"choice": body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"][-1]}
        )
    return "Hello there"


def tokenize(body: Any) -> list[int]:
    """A token for each character; a chat is role, content, END for each message."""
    if "prompt" in body:
        return [ord(c) for c in body["prompt"]]
    ids: list[int] = []
    for message in body["messages"]:
        ids += [ROLES[message["role"]], *map(ord, message["content"]), END]
    if body.get("continue_final_message"):
        ids.pop()
    return [*ids, ROLES["assistant"]] if body["add_generation_prompt"] else ids


def prompt_logprobs(handler: Handler) -> Any:
    """As vLLM: nothing for the first position, then each token of the prompt; here -id/100 nats."""
    prompt = handler.body["prompt"]
    listed = [None, *({str(i): {"logprob": -i / 100, "rank": 1, "decoded_token": "?"}} for i in prompt[1:])]
    usage = {"prompt_tokens": len(prompt), "completion_tokens": 1}
    return {"choices": [{"text": "?", "prompt_logprobs": listed}], "model": "tiny-2026", "usage": usage}


class Misbehaviour:
    """Steps for a script."""

    @staticmethod
    def status(code: int, body: Any = "sorry", **headers: str) -> Step:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return lambda handler: handler.reply(code, body, named)

    @staticmethod
    def reset(handler: Handler) -> None:
        """Half a body, then RST."""
        half(handler)
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True

    @staticmethod
    def half_closed(handler: Handler) -> None:
        """Half a body, then FIN, with the other direction left open."""
        half(handler)
        handler.connection.shutdown(socket.SHUT_WR)
        handler.close_connection = True

    @staticmethod
    def hang_up(handler: Handler) -> None:
        """No answer at all."""
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    @staticmethod
    def broken_chunk(handler: Handler) -> None:
        """A chunked body that ends within a chunk."""
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b'40\r\n{"choices": [')
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_WR)
        handler.close_connection = True

    @staticmethod
    def stall(handler: Handler) -> None:
        """Half a body, then nothing until the test is over."""
        half(handler)
        handler.stub.release.wait()
        handler.close_connection = True


def half(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()


@dataclass
class Clock:
    """Time that passes only when somebody sleeps."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def __call__(self) -> float:
        return self.now


class Server(ThreadingHTTPServer):
    """Quiet about clients that break off, as tests of timeouts want them to."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: the client's side of the test says what happened."""


@pytest.fixture
def stub() -> Iterator[Stub]:
    state = Stub()
    server = Server(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"stub": state}))
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield state
    state.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def bad() -> type[Misbehaviour]:
    return Misbehaviour


@pytest.fixture
def clock() -> Clock:
    return Clock()


SPELLING: dict[Scheme, dialect.Spelling] = {
    "openai": "json_schema",
    "vllm": "structured_outputs",
    "llamacpp-server": "grammar",
}
Make = Callable[..., OpenAIModel]


@pytest.fixture
def make(stub: Stub, clock: Clock) -> Make:
    """A model at the stub (or at `url`) that waits by the fake clock."""

    def model(
        scheme: Scheme = "openai",
        *,
        url: str = "",
        name: str = "tiny",
        key_variable: str = "CORNERMAN_TEST_KEY",
        timeout: float = 60.0,
        retries: int = 5,
        rpm: float | None = None,
        tpm: float | None = None,
        connections: int = 8,
        **options: Any,
    ) -> OpenAIModel:
        endpoint = parse_target(scheme, f"{url or stub.url}#{name}", key_variable, key_required=False)
        patience = Patience(timeout=timeout, retries=retries, rpm=rpm, tpm=tpm, sleep=clock.sleep, clock=clock)
        wanted = Options(**{"choices": SPELLING[scheme], **options})
        return OpenAIModel(scheme, endpoint, wanted, patience=patience, connections=connections)

    return model


Using = Callable[[OpenAIModel, Callable[[OpenAIModel], Awaitable[Any]]], Any]


@pytest.fixture
def using() -> Using:
    """Run a coroutine function on a model in a loop of its own, and close the model."""

    def run(model: OpenAIModel, work: Callable[[OpenAIModel], Awaitable[Any]]) -> Any:
        async def both() -> Any:
            try:
                return await work(model)
            finally:
                await model.aclose()

        return asyncio.run(both())

    return run
