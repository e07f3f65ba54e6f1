"""Who is answered: the viewer's own pages on loopback, and nobody else's.

A page of a stranger that is open in the same browser can send requests to loopback, and a name of its own can be made
to point there (DNS rebinding). So the request has to name the viewer as its host, must not come from another origin,
and may come from another site only as a link that a person follows.
"""

from __future__ import annotations

from email.message import Message

CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'"
)
"""What a page may load: the viewer's own style and script."""
HEADERS = {
    "Content-Security-Policy": f"{CONTENT}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), clipboard-read=()",
    "Cache-Control": "no-store",
}
"""What every answer carries; nobody frames it, embeds it or hears of it."""


def refusal(method: str, headers: Message[str, str], hosts: frozenset[str]) -> str | None:
    """Why a request is refused; None where it may be answered. `hosts` are the viewer's own names with its port."""
    host = headers.get("Host", "")
    if host not in hosts:
        return "this address answers to its own name only"
    origin = headers.get("Origin")
    if origin is not None and origin != f"http://{host}":
        return "another site asks"
    site, purpose = headers.get("Sec-Fetch-Site", "none"), headers.get("Sec-Fetch-Dest", "document")
    if site in ("cross-site", "same-site") and (method != "GET" or purpose != "document"):
        return "another site asks"
    if method == "POST" and origin is None:
        return "a form has to say where it comes from"
    return None
