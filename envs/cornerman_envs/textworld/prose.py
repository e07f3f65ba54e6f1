"""What the player reads: the game's own text, without the interpreter's decoration."""

from __future__ import annotations

import re

_TITLE = re.compile(r"\A(?:[ _|\\/$>]*\n)+")
"""The title that every game begins with: lines drawn with nothing but these characters."""

_QUESTION = "Would you like to RESTART, RESTORE a saved game, QUIT or UNDO the last command?"
"""What the interpreter asks after the end of a game, before a last prompt and status line."""

_STATUS = re.compile(r" {20,}-= .*? =-\s*-?\d+/\d+")
"""The status line, room and score and moves, that some questions of the interpreter bring with them."""

_BLANK = re.compile(r"\n{3,}")


def clean(feedback: str) -> str:
    """The feedback without the drawn title, the status line, the prompt and the question what to do after the end.

    At most one blank line is left in a row. Everything else, the announcement of points included, is the game's and
    stays.
    """
    text = _TITLE.sub("", feedback).partition(_QUESTION)[0]
    if " " * 20 in text:
        text = _STATUS.sub("", text)
    lines = (line.lstrip() if line.endswith("***") else line for line in map(str.rstrip, text.split("\n")))
    return _BLANK.sub("\n\n", "\n".join(lines)).rstrip("\n >").lstrip("\n")
