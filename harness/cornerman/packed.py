"""Lines of a compressed file that others made: bounded in memory and size, whatever it holds."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

MEMORY = 128_000_000
"""Bytes that unpacking may take: the dictionary is as large as a file says, up to some gigabytes."""
WHOLE = 64_000_000_000
"""Bytes that a file may unpack to in all."""
LONGEST = 256_000_000
"""Bytes of the longest line that is read."""
_BLOCK = 1 << 20


class TooLarge(OSError):
    """A file unpacks to more than is read of any."""


def packed_lines(path: Path, whole: int = WHOLE, longest: int = LONGEST) -> Iterator[bytes]:
    """The whole lines of an xz file, newline included; what follows the last newline is left out.

    Raises `OSError`, `EOFError` and `lzma.LZMAError` for a file that cannot be read, is torn, or is no xz file.
    """
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MEMORY)
    parts: list[bytes] = []  # of a line that has not ended; joined once, as a long one comes in many
    held = read = 0
    with path.open("rb") as file:
        while not unpacker.eof:
            block = file.read(_BLOCK) if unpacker.needs_input else b""
            if unpacker.needs_input and not block:
                raise EOFError("the compressed file ends before its end")
            part = unpacker.decompress(block, max_length=_BLOCK)
            read += len(part)
            end, *rest = part.split(b"\n")
            parts.append(end)
            held += len(end)
            if held > longest or read > whole:
                raise TooLarge(f"it unpacks to more than {longest if held > longest else whole} bytes")
            if rest:
                yield b"".join(parts) + b"\n"
                yield from (line + b"\n" for line in rest[:-1])
                parts, held = [rest[-1]], len(rest[-1])
