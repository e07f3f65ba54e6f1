"""Texts that a record can hold: JSON has no lone surrogates, which a model's server or a plug-in may answer."""

from __future__ import annotations


def mended(text: str) -> str:
    """The text with the halves of surrogate pairs joined and a half alone replaced, as those of environments are."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
