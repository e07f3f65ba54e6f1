"""The tokenizer and chat template inside a GGUF file, as `hf.chat.Chat` asks for them, by llama.cpp's own tokenizer."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as native
from transformers.utils.chat_template_utils import render_jinja_template

from cornerman.errors import ModelError, UsageError

_CACHED_TEXTS = 4096


class Vocabulary:
    """Stands for both a tokenizer and its plain encoder: no text that it encodes becomes a control token.

    `controls` maps the string of each control token to its id; `strips` says which of them swallow white space beside
    them: none, as llama.cpp takes what the template writes as it is.
    """

    def __init__(self, model: Any, path: Path) -> None:
        self._native = native.llama_model_get_vocab(model)
        self.name_or_path = str(path)
        if native.llama_vocab_type(self._native) != native.LLAMA_VOCAB_TYPE_BPE:
            raise UsageError(
                f"{path} has no byte-level BPE tokenizer, and others write spaces that depend on what stands before; "
                "use the model's transformers folder instead: hf:FOLDER"
            )
        template = native.llama_model_chat_template(model, None)
        self.chat_template = template.decode("utf-8") if template else None
        self.size: int = native.llama_vocab_n_tokens(self._native)
        control = native.LLAMA_TOKEN_ATTR_CONTROL | native.LLAMA_TOKEN_ATTR_USER_DEFINED
        marked = [i for i in range(self.size) if native.llama_vocab_get_attr(self._native, i) & control]
        self.controls = {text: i for i in marked if (text := self._name(i)).strip()}
        self.strips = dict.fromkeys(self.controls.values(), (False, False))
        self.ends = [i for i in marked if native.llama_vocab_is_eog(self._native, i)]
        eos = native.llama_vocab_eos(self._native)
        self.eos_token_id: int | None = eos if eos >= 0 else None
        self._banned = frozenset(self.controls.values())
        self._cached = lru_cache(maxsize=_CACHED_TEXTS)(self._encode)

    def encode(self, text: str, *, first: bool = False) -> tuple[int, ...]:
        """Ids of the text, none of them a control token. `first` changes nothing with this kind of tokenizer."""
        return self._cached(text)

    def decode(self, ids: Sequence[int], **options: Any) -> str:
        """The text of ids, control tokens left out."""
        return b"".join(self._piece(i) for i in ids if i not in self._banned).decode("utf-8", "replace")

    def apply_chat_template(
        self, conversation: Sequence[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool, **options: Any
    ) -> str:
        """The template's text, rendered in the sandbox of transformers."""
        named = {"bos_token": native.llama_vocab_bos(self._native), "eos_token": self.eos_token_id}
        tokens = {name: self._name(i) for name, i in named.items() if i is not None and i >= 0}
        rendered: Any = render_jinja_template(
            conversations=[list(conversation)],
            chat_template=self.chat_template,
            add_generation_prompt=add_generation_prompt,
            **{**tokens, **options},
        )
        return str(rendered[0][0])

    def _name(self, token: int) -> str:
        return str(native.llama_vocab_get_text(self._native, token).decode("utf-8", "replace"))

    def _encode(self, text: str) -> tuple[int, ...]:
        data = text.encode("utf-8")
        room = len(data) + 8
        ids = (native.llama_token * room)()
        n = native.llama_tokenize(self._native, data, len(data), ids, room, False, False)
        if n < 0:
            raise ModelError(f"the tokenizer of {self.name_or_path} cannot encode a text of {len(data)} bytes.")
        found = tuple(ids[:n])
        return self._split(text, found) if self._banned.intersection(found) else found

    def _split(self, text: str, found: Sequence[int]) -> tuple[int, ...]:
        """Encode a text of which a piece became a control token in two parts, cut within that piece."""
        start = 0
        for i in found:
            piece = self._name(i) if i in self._banned else self._piece(i).decode("utf-8", "replace")
            if i in self._banned and len(piece) > 1:
                start = text.index(piece, start)
                return (*self._encode(text[: start + 1]), *self._encode(text[start + 1 :]))
        raise ModelError(f"a text holds a character that is a control token of {self.name_or_path}.")

    def _piece(self, token: int) -> bytes:
        room = 128
        while True:
            buffer = ctypes.create_string_buffer(room)
            n = native.llama_token_to_piece(self._native, token, buffer, room, 0, False)
            if n >= 0:
                return buffer.raw[:n]
            room = -n
