"""The viewer's server: loopback only, one thread a request, nothing but the routes."""

from __future__ import annotations

import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cornerman.errors import UsageError
from cornerman_leaderboards.viewer.guard import HEADERS, refusal
from cornerman_leaderboards.viewer.query import BadRequest
from cornerman_leaderboards.viewer.routes import Answer, Routes

LOOPBACK = "127.0.0.1"
LARGEST = 64_000
"""Bytes of a form."""


class Server(ThreadingHTTPServer):
    """Serves on loopback. `port` 0 takes a free one; `address` is where the viewer then is."""

    daemon_threads = True

    def __init__(self, routes: Routes, port: int) -> None:
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise UsageError(f"port {port} cannot be used: {error.strerror}; choose another --port") from error
        self.routes = routes
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost"))

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error worth telling."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "cornerman", ""
    timeout = 30

    def do_GET(self) -> None:
        """A page."""
        self._answer("GET", b"")

    def do_HEAD(self) -> None:
        """A page without its body."""
        self._answer("GET", b"")

    def do_POST(self) -> None:
        """A form."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > len(str(LARGEST)) or int(length) > LARGEST:
            self.close_connection = True
            self._send(self.server.routes.sorry(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the form is too long"))
            return
        self._answer("POST", self.rfile.read(int(length)))

    def _answer(self, method: str, body: bytes) -> None:
        routes = self.server.routes
        why = refusal(method, self.headers, self.server.hosts)
        if why is not None:
            self._send(Answer(HTTPStatus.FORBIDDEN, f"{why}\n".encode(), "text/plain; charset=utf-8"))
            return
        try:
            answer = routes.answer(method, self.path, body)
        except BadRequest as error:
            answer = routes.sorry(HTTPStatus.BAD_REQUEST, str(error))
        except UsageError as error:
            answer = routes.sorry(HTTPStatus.CONFLICT, str(error))
        except Exception:
            traceback.print_exc()
            answer = routes.sorry(HTTPStatus.INTERNAL_SERVER_ERROR, "this page failed; the terminal says how")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if answer.location is not None:
            self.send_header("Location", answer.location)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are nobody's business on a terminal."""
