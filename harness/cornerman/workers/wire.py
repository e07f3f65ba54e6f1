"""What crosses the socket between the engine and a worker: length-prefixed MessagePack, nothing that runs code.

A frame is four bytes of length, big-endian, and a body. MessagePack knows no lone surrogate and no integer beyond 64
bits, yet hostile text has the one and the state of a random generator the other; both travel as extension types, so
that an environment in a worker answers exactly what it would have answered inline.
"""

from __future__ import annotations

import struct
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec.msgpack import Ext

HEADER = struct.Struct("!I")
MAX_FRAME = 1 << 28
"""Longest body in bytes; a longer one is an environment's mistake, or not a frame at all."""

_SURROGATES, _BIG_INTEGER, _MAPPING = 1, 2, 3
T = TypeVar("T")


class Operation(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is to do: "start", "open", "leave", or one of the methods of a session."""

    name: str
    value: Any = None


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """What came of it: a value, or the class and first line of what was raised; `memory` in resident bytes."""

    value: Any = None
    error: str | None = None
    memory: int = 0


def _plain(value: Any) -> Any:
    """Subclasses of str and NumPy scalars, which environments hand out as if they were plain values."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return "".join(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _extension(code: int, data: memoryview) -> Any:
    if code == _SURROGATES:
        return str(data, "utf-8", "surrogatepass")
    if code == _BIG_INTEGER:
        return int.from_bytes(data, "big", signed=True)
    if code == _MAPPING:
        return dict(_decoder.decode(data))
    raise ValueError(f"unknown extension {code} in a frame")


_encoder = msgspec.msgpack.Encoder(enc_hook=_plain)
_decoder = msgspec.msgpack.Decoder(ext_hook=_extension)


def _extend(value: Any) -> Any:
    """The same value, with extensions where MessagePack has no type."""
    if isinstance(value, str):
        return value if value.isascii() else _extend_text(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return Ext(_BIG_INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
    if isinstance(value, list | tuple):
        return [_extend(item) for item in value]
    if isinstance(value, dict):
        pairs = [(_extend(key), _extend(item)) for key, item in value.items()]
        if any(isinstance(key, Ext) for key, _ in pairs):  # an extension cannot be a key
            return Ext(_MAPPING, _encoder.encode(pairs))
        return dict(pairs)
    return value


def _extend_text(text: str) -> str | Ext:
    try:
        text.encode()
    except UnicodeEncodeError:
        return Ext(_SURROGATES, text.encode("utf-8", "surrogatepass"))
    return text


def encode(message: Operation | Reply) -> bytes:
    """One whole frame. Raises `TypeError` for what is no JSON value and `ValueError` for a body over the bound."""
    try:
        body = _encoder.encode(message)
    except (UnicodeEncodeError, OverflowError):
        body = _encoder.encode(_extend(msgspec.to_builtins(message, enc_hook=_plain)))
    if len(body) > MAX_FRAME:
        raise ValueError(f"{len(body)} bytes, over the bound of {MAX_FRAME}")
    return HEADER.pack(len(body)) + body


def decode(body: bytes | bytearray, kind: type[T]) -> T:
    """The message in a body. Raises `ValueError` when it is none."""
    try:
        return msgspec.convert(_decoder.decode(body), kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not a frame of this protocol: {error}") from error


def size(header: bytes | bytearray) -> int:
    """Length of the body that a header announces. Raises `ValueError` when that cannot be."""
    (length,) = HEADER.unpack_from(header)
    if length > MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes is announced, over the bound of {MAX_FRAME}")
    return int(length)
