"""Chat messages to token ids by the model's own template, with contents that cannot speak the template's language.

The template is rendered with a placeholder for each message's content. Control tokens are looked for only in what the
template itself wrote; then the contents are put in, and everything between two control tokens is encoded as plain text.
For contents without control strings this gives the ids that the tokenizer gives for the whole rendered text.

A template sees placeholders, so whatever it would do to contents (trim them, cut thoughts out) is not done.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2.exceptions import TemplateError

from cornerman.errors import ModelError, UsageError
from cornerman.records import Message
from cornerman_plugins.models.hf.plain import Plain, PlainEncoder

_PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")  # private-use characters, which no template writes


class Chat:
    """A tokenizer with its chat template. `options` are arguments of the template, such as `enable_thinking`. `plain`
    encodes text as text, by default with the tokenizer. `end_id` is the token that ends the assistant's turn in the
    template, `end_ids` all tokens that end a generation.
    """

    def __init__(
        self,
        tokenizer: Any,
        options: Mapping[str, Any] | None = None,
        ends: Sequence[int] = (),
        plain: Plain | None = None,
    ) -> None:
        if not tokenizer.chat_template:
            raise UsageError(f"the model {tokenizer.name_or_path} has no chat template; use an instruction-tuned one.")
        self._tokenizer = tokenizer
        self._options = dict(options or {})
        self._plain = plain or PlainEncoder(tokenizer)
        names = sorted(self._plain.controls, key=len, reverse=True)
        self._control = re.compile("|".join(map(re.escape, names))) if names else re.compile("(?!)")
        self.end_id = self._find_end()
        self.end_ids = frozenset({self.end_id, *ends, *([] if (e := tokenizer.eos_token_id) is None else [e])})

    @property
    def digest(self) -> str:
        """SHA-256 of template and options, in hexadecimal."""
        return hashlib.sha256(
            json.dumps([self._tokenizer.chat_template, self._options], sort_keys=True).encode()
        ).hexdigest()

    def prompt(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Ids of the conversation up to where the assistant's answer begins. Raises ModelError if it cannot be told."""
        contents = [message.content for message in messages]
        return tuple(self._encode(self._render([m.role for m in messages], answer=True), contents))

    def answer(self, text: str) -> tuple[int, ...]:
        """Ids of a whole answer: the text, then the token that ends the turn.

        The end belongs to it, so that "take apple" and "take apple 1" compare as complete answers.
        """
        return (*self._plain.encode(text), self.end_id)

    def text(self, ids: Sequence[int]) -> str:
        """The text of generated ids, control tokens left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _render(self, roles: Sequence[str], *, answer: bool) -> str:
        conversation = [{"role": role, "content": f"\ue000{i}\ue001"} for i, role in enumerate(roles)]
        try:
            text = self._tokenizer.apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=answer, **self._options
            )
        except TemplateError as error:
            raise ModelError(
                f"the model's chat template refuses these messages ({', '.join(roles)}): {error}"
            ) from error
        found = {int(i) for i in _PLACEHOLDER.findall(text)}
        if lost := [i for i in range(len(roles)) if i not in found]:
            raise ModelError(f"the model's chat template leaves out message {lost[0]} (role '{roles[lost[0]]}').")
        return str(text)

    def _encode(self, rendered: str, contents: Sequence[str]) -> Iterator[int]:
        """Ids of a rendered template whose placeholders stand for the contents."""

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: contents[int(match[1])], text)

        start, strip_left = 0, False
        for match in self._control.finditer(rendered):
            token = self._plain.controls[match[0]]
            strip_right, strips_next = self._plain.strips[token]
            yield from self._span(fill(rendered[start : match.start()]), start == 0, strip_left, strip_right)
            yield token
            start, strip_left = match.end(), strips_next
        yield from self._span(fill(rendered[start:]), start == 0, strip_left, False)

    def _span(self, text: str, first: bool, strip_left: bool, strip_right: bool) -> tuple[int, ...]:
        """Plain text between two control tokens, some of which swallow the white space beside them."""
        text = text.lstrip() if strip_left else text
        text = text.rstrip() if strip_right else text
        return self._plain.encode(text, first=first) if text else ()

    def _find_end(self) -> int:
        tail = self._render(["user", "assistant"], answer=False).rpartition("\ue001")[2]
        match, eos = self._control.search(tail), self._tokenizer.eos_token_id
        if match is not None:
            return self._plain.controls[match[0]]
        if eos is None:
            raise UsageError(f"the model {self._tokenizer.name_or_path} has no token that ends an answer.")
        return int(eos)
