"""The tutorial as a reader follows it: files are saved, commands typed, and what is shown is what comes."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from tests.docs.pages import Block, blocks, coded, read, rows
from tests.support.command import CommandLine

PAGE = read("tutorial.md")
BLOCKS = list(blocks(PAGE))
NEEDS = {"installation", "smollm2"}


def typed(command: CommandLine, line: str) -> str:
    """Type a line as it stands; answers stdout."""
    program, *arguments = shlex.split(line)
    if program == "cornerman":
        done = command(*arguments)
        assert done.status == 0, f"{line}\n{done.err}"
        return done.out
    assert program == "python", line
    ran = subprocess.run(
        [command.python, *arguments],
        cwd=command.folder,
        env=command.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{line}\n{ran.stderr}"
    return ran.stdout


def save(command: CommandLine, block: Block) -> None:
    """Save a file of the page."""
    (command.folder / block.value).write_text(block.text, encoding="utf-8")


def table_after(mark: str) -> list[list[str]]:
    """The table behind a comment of the page."""
    [part] = re.findall(rf"<!-- {re.escape(mark)} -->\n\n((?:\|.*\n)+)", PAGE)
    return rows(part)


def test_every_step_without_a_model_works_and_shows_what_the_page_shows(alfworld: CommandLine) -> None:
    outputs: dict[str, str] = {}
    for block in BLOCKS:
        if block.mark == "file":
            save(alfworld, block)
        elif block.mark == "output":
            assert outputs[block.value] == block.text
        elif block.language == "bash" and block.mark != "needs":
            for line in block.text.splitlines():
                outputs[line] = typed(alfworld, line)
        else:
            assert block.value in NEEDS, block
    assert "tried\tpoints out repeated actions" in outputs["cornerman -p my_critic.py list critics"]
    for run in ("runs/first", "runs/tried", "runs/study"):
        head, *shown = table_after(f"result: {run}")
        found = rows(alfworld("compare", run, "--markdown").out)
        columns = [found[0].index(name) for name in dict.fromkeys(head)]
        interval = [i for i, name in enumerate(found[0]) if name == "95 % CI"][1]  # the first is that of the rate
        columns = [interval if found[0][i] == "95 % CI" else i for i in columns]
        assert shown == [[row[i] for i in columns] for row in found[1:]], run
    assert "noisy-gold+tried" in outputs["cornerman leaderboard show alfworldgen-smoke"]


def test_typing_a_command_again_plays_nothing(alfworld: CommandLine) -> None:
    line = next(line for b in BLOCKS for line in b.text.splitlines() if "--name first" in line)
    typed(alfworld, line)
    done = alfworld(*shlex.split(line)[1:])
    assert "nothing is to be played" in done.err


def test_commands_that_need_a_model_are_well_formed(alfworld: CommandLine) -> None:
    """Played with a small change: the embedded model has 93 MB and stays out; see tests/plugins/test_smollm2.py."""
    save(alfworld, next(b for b in BLOCKS if b.value == "my_critic.py"))
    lines = [line for b in BLOCKS if b.value == "smollm2" for line in b.text.splitlines()]
    assert len(lines) == 3
    for line in lines:
        assert "=smollm2" in line
        refused = alfworld(*shlex.split(line.replace("=smollm2", "=nomodel"))[1:])
        assert refused.status == 2
        assert "unknown model 'nomodel'" in refused.complaint


@pytest.mark.parametrize("name", ["review_turn", "sees", "register", "placebo", "shuffled"])
def test_what_is_explained_is_on_the_page(name: str) -> None:
    assert name in coded(PAGE)
    assert any(name in b.text for b in BLOCKS)
