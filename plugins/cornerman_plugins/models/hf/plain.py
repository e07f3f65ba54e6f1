"""Text to token ids such that no text becomes a control token.

Tokenizers look for the strings of their added tokens (`<|im_start|>`, `</s>`, `<think>`, …) in any text they are given,
and `split_special_tokens` stops that only for those flagged as special. Here a copy of the tokenizer is used that knows
no added tokens at all, and what it answers is checked once more.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Protocol

from tokenizers import Encoding, Tokenizer

from cornerman.errors import ModelError, UsageError

_CACHED_TEXTS = 4096


class Plain(Protocol):
    """Encodes text as text.

    `controls` maps the string of each control token to its id; `strips` says which of them swallow the white space
    before and after them.
    """

    controls: dict[str, int]
    strips: dict[int, tuple[bool, bool]]

    def encode(self, text: str, *, first: bool = False) -> tuple[int, ...]:
        """Ids of the text, none of them a control token; `first` where the text begins the whole prompt."""
        ...


class PlainEncoder:
    """Encodes text as text. `controls` maps the string of each control token to its id."""

    def __init__(self, tokenizer: Any) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise UsageError(
                f"the tokenizer {type(tokenizer).__name__} has no fast version, which is needed to keep text from "
                "becoming control tokens; use a model with a tokenizer.json."
            )
        added = tokenizer.added_tokens_decoder
        self.controls: dict[str, int] = {token.content: i for i, token in added.items() if not _is_space(token)}
        self.strips = {i: (token.lstrip, token.rstrip) for i, token in added.items()}
        ends = {tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id}
        # An unknown word is no control token, unless the same id ends or begins something.
        self.banned = frozenset(self.controls.values()) - ({tokenizer.unk_token_id} - ends)
        state = json.loads(tokenizer.backend_tokenizer.to_str())
        kept = [token for token in state["added_tokens"] if token["content"] not in self.controls]
        state |= {"added_tokens": kept, "post_processor": None, "truncation": None, "padding": None}
        self._first = Tokenizer.from_str(json.dumps(state))
        self._later = Tokenizer.from_str(json.dumps(_without_first_space(state)))
        self._cached = lru_cache(maxsize=_CACHED_TEXTS)(self._encode)

    def encode(self, text: str, *, first: bool = False) -> tuple[int, ...]:
        """Ids of the text, none of them a control token; `first` where the text begins the whole prompt."""
        return self._cached(text, first)

    def _encode(self, text: str, first: bool) -> tuple[int, ...]:
        encoding: Encoding = (self._first if first else self._later).encode(text, add_special_tokens=False)
        for i, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if i in self.banned:
                return self._split(text, start, end, first)
        return tuple(encoding.ids)

    def _split(self, text: str, start: int, end: int, first: bool) -> tuple[int, ...]:
        """Encode a text whose piece [start, end) would be a control token in two parts, cut within that piece."""
        if end - start < 2:
            raise ModelError(f"the character {text[start:end]!r} is a control token of this model and cannot be sent.")
        return (*self._encode(text[: start + 1], first), *self._encode(text[start + 1 :], False))


def _is_space(token: Any) -> bool:
    """Runs of spaces or newlines that some tokenizers add as tokens are text, not control."""
    return not token.special and not token.content.strip()


def _without_first_space(state: dict[str, Any]) -> dict[str, Any]:
    """The same tokenizer for text that does not begin the prompt: `prepend_scheme = first` adds no space there."""

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if isinstance(node, dict):
            new = {key: walk(value) for key, value in node.items()}
            if new.get("type") == "Metaspace" and new.get("prepend_scheme") == "first":
                new["prepend_scheme"] = "never"
            return new
        return node

    return {**state, "pre_tokenizer": walk(state["pre_tokenizer"])}
