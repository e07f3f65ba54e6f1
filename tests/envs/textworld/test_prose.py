"""The player reads the game's own text."""

from __future__ import annotations

import pytest

from cornerman_envs.textworld.prose import clean

TITLE = r"""


                    ________  ________  __    __  ________
                   |        \|        \|  \  |  \|        \
                    \$$$$$$$$| $$$$$$$$| $$  | $$ \$$$$$$$$
                      | $$   | $$__     \$$\/  $$   | $$
             | $$/  $\| $$| $$  | $$| $$__| $$| $$      | $$  | $$
              \$$      \$$  \$$$$$$  \$$   \$$ \$$$$$$$$ \$$$$$$$

"""


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        (TITLE + "You are hungry!\n\n-= Kitchen =-\nA stove.\n", "You are hungry!\n\n-= Kitchen =-\nA stove."),
        (
            "You take the key.\n\n\n\nYour score has just gone up by one point.\n",
            "You take the key.\n\nYour score has just gone up by one point.",
        ),
        ("That's not a verb I recognise.\n\n>", "That's not a verb I recognise."),
        ("Ingredients:\n  banana\n\nDirections:\n  dice it\n", "Ingredients:\n  banana\n\nDirections:\n  dice it"),
        (
            "You eat the meal.\n\n\n          *** The End ***\n\nYou scored 5 out of a possible 5, in 9 turns.\n\n\n"
            "Would you like to RESTART, RESTORE a saved game, QUIT or UNDO the last command?\n>"
            + " " * 90
            + "-= Kitchen =-4/9",
            "You eat the meal.\n\n*** The End ***\n\nYou scored 5 out of a possible 5, in 9 turns.",
        ),
        (
            "Which do you mean, the red key or the old one?" + " " * 80 + "-= Attic =-0/12",
            "Which do you mean, the red key or the old one?",
        ),
        ("A price tag says 5 $.\n", "A price tag says 5 $."),
    ],
)
def test_decoration_is_removed(feedback: str, text: str) -> None:
    assert clean(feedback) == text
