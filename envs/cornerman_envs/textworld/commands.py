"""What may reach the interpreter: one command of the game, in the letters that the game knows.

The interpreter below textworld is C code that crashes on a NUL byte, falls out of step at a line break, writes files on
`save` and `script`, and prints the hidden state on a command of its own. Brackets and angle brackets would be mistaken
for the marks by which textworld follows the game. None of that is part of any game, so none of it is passed on.
"""

from __future__ import annotations

import re

MAX_LENGTH = 190
"""Longest command in characters; the interpreter reads 198 bytes."""

_END = re.compile(r"[.,;:!?\"\r\n]|\bthen\b", re.IGNORECASE)
_FOREIGN = re.compile(r"[^A-Za-z0-9 '\-]")
_RESERVED = re.compile(
    r"tw-\S*|quit|q|restart|restore|save|undo|oops|o|again|g|script|transcrip\S*|verbose|long|brief|normal|superbrie\S*"
    r"|short|version|verify|notify|pronouns|nouns|restrict|enable|disable"
)
"""Words to the interpreter, or to textworld's own instruments. Only the first nine letters of a word count for it."""


def clean(action: str) -> str:
    """The first command of an action: white space folded, what no game word can contain turned into '?'.

    A command ends at a punctuation mark, a line break or the word "then", where Inform would begin a second command or
    a list. Commands that a TextWorld game lists as admissible are returned unchanged.
    """
    text = action[: 10 * MAX_LENGTH].lstrip(' \t\r\n.,;:!?"')
    text = _END.split(text, maxsplit=1)[0]
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _FOREIGN.sub("?", text)[:MAX_LENGTH].strip()


def reserved(command: str) -> str | None:
    """The first word of a cleaned command when it speaks to the interpreter instead of the game, else None."""
    word = command.partition(" ")[0].lower()
    return word if _RESERVED.fullmatch(word) else None
