"""What goes where: results on stdout, everything else on stderr; plain lines in a pipe, bars on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
import tomllib
from pathlib import Path

import pytest
from tests.support.command import PLUGIN, CommandLine

from cornerman.cli.progress import Progress
from cornerman.engine.method import build_method, method_settings
from cornerman.experiment import load_suite
from cornerman.plugins import load
from cornerman.rollout import plan

RUN = ("run", "--suite", "count-smoke", "--actor", "random", "--critic", "rules")


def on_terminal(command: CommandLine, *arguments: object) -> tuple[int, str]:
    """Run a command with stdout and stderr on a terminal; its status and all that it wrote."""
    ours, theirs = pty.openpty()
    command.variables |= {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    process = command.start(*arguments, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    written = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                data = os.read(ours, 65536)
            except OSError:  # how Linux says that the last writer is gone
                break
            if not data:
                break
            written += data
    os.close(ours)
    process.wait()
    return process.returncode, written.decode()


def plain(text: str) -> str:
    """Terminal output without its control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_json_stands_alone_on_stdout(command: CommandLine) -> None:
    done = command(*RUN, "--json")
    assert done.status == 0
    assert done.out.count("\n") == 1
    summary = done.json
    assert summary["requested"] == summary["recorded"] == 40
    assert [m["method"] for m in summary["methods"]] == ["random", "random+rules"]
    assert (command.folder / "runs" / summary["experiment"] / "summary.json").is_file()
    assert "40/40 episodes" in done.err
    assert not re.search(r"\x1b|\r|█|━", done.out + done.err)


def test_what_environments_print_does_not_reach_json(command: CommandLine) -> None:
    for suite in ("count-prints", "count-prints-inline"):
        done = command("run", "--suite", suite, "--actor", "gold", "--json", "--no-validate")
        assert done.status == 0, done.err
        assert done.json["recorded"] == 3
    assert "the counter says hello" in done.err


def test_plain_lines_where_there_is_no_terminal(command: CommandLine) -> None:
    done = command(*RUN)
    assert done.status == 0
    assert not re.search(r"\x1b|\r", done.out + done.err)
    lines = [line for line in done.err.splitlines() if "episodes" in line]
    assert len(lines) == 10  # one for each tenth
    assert re.fullmatch(r"4/40 episodes · \d+ solved · \d+ turns · about \d+ s left", lines[0])
    assert re.fullmatch(r"40/40 episodes · \d+ solved · \d+ turns · \d+ s", lines[-1])
    assert "random+rules" in done.out
    assert "runs/count-smoke-random-rules-" in done.out


def test_lines_come_while_no_episode_ends(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    registry = load([str(PLUGIN)]).registry
    method = build_method(registry, method_settings({"actor": "slow", "name": "slow"}, "here"))
    progress = Progress(seconds=0.01)
    progress.run_started(plan("r", tmp_path, load_suite(registry, "count-smoke"), [method], 1))
    written = ""
    for _ in range(1000):
        written += capsys.readouterr().err
        if written.count("\n") >= 2:
            break
        time.sleep(0.01)
    progress.close()
    assert re.match(r"(0/20 episodes · 0 solved · 0 turns · \d+ s\n){2,}", written)


def test_bars_on_a_terminal(command: CommandLine) -> None:
    status, written = on_terminal(
        command, "run", "--suite", "count-smoke", "--actor", "slow:ms=2", "--critic", "rules", "--name", "[bold]x[-]"
    )
    text = plain(written)
    assert status == 0, text
    assert "Traceback" not in text
    assert re.search(r"slow\+rules\s+━+\s+20/20 \d+ solved", text)
    assert "40/40 episodes" in text
    assert written.count("\x1b[?25l") == written.count("\x1b[?25h") > 0  # the cursor is given back


def test_markup_in_names_is_shown_as_it_stands(command: CommandLine) -> None:
    (command.folder / "e.toml").write_text('suite = "count-smoke"\n[[method]]\nname = "[/] [red]x"\nactor = "slow"\n')
    status, written = on_terminal(command, "run", "e.toml")
    assert status == 0, plain(written)
    assert re.search(r"\[/\] \[red\]x\s+━+\s+20/20", plain(written))


def test_the_cursor_comes_back_when_a_run_fails(command: CommandLine) -> None:
    status, written = on_terminal(command, "run", "--suite", "count-workers", "--actor", "gold", "--no-validate")
    assert status == 0
    status, written = on_terminal(command, "run", "--suite", "count-smoke", "--actor", "asker")
    assert status == 2
    assert written.count("\x1b[?25l") == written.count("\x1b[?25h")
    assert "needs a model" in plain(written)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_that_know_few_characters(command: CommandLine, encoding: str) -> None:
    command.variables |= {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    (command.folder / "e.toml").write_text(
        'suite = "count-smoke"\nlimit = 2\n[[method]]\nname = "日本"\nactor = "random"\n', encoding="utf-8"
    )
    for arguments in (("run", "e.toml"), ("replay", "runs/e"), ("validate", "count-smoke"), ("run", "--help")):
        done = command(*arguments)
        assert done.status == 0, done.err
    words = command.spawn(command.arguments("run", "e.toml", "--json"), text=False)
    out, _ = words.communicate(timeout=120)
    assert json.loads(out.decode("utf-8"))["methods"][0]["method"] == "日本"


def test_control_sequences_of_environments_do_not_reach_the_terminal(command: CommandLine) -> None:
    (command.folder / "bad.py").write_text(
        "import cornerman\n"
        "class Bad:\n"
        "    @cornerman.hookimpl\n"
        "    def act(self, view): raise RuntimeError('\\x1b[2J\\x07 gone\\nsecond line')\n"
        "@cornerman.hookimpl\n"
        "def register(registry): registry.add('actor', 'bad\\x1b[31m', Bad, doc='\\x1b[31m red'); "
        "registry.add('actor', 'bad', Bad)\n"
    )
    bad = ("-p", "bad.py")
    for more in (("run", "--suite", "count-smoke", "--limit", 1, "--actor", "bad"), ("list", "actors")):
        done = command(*bad, *more)
        assert "\x1b" not in done.out + done.err
        assert "\x07" not in done.out + done.err
        _, written = on_terminal(command, *bad, *more)
        assert "\x1b[2J" not in written
        assert "\x1b[31m red" not in written


def test_a_run_folder_is_no_experiment_but_has_one(command: CommandLine) -> None:
    command(*RUN, "--name", "one", "--limit", 1)
    said = command.refused("run", "runs/one")
    assert said == "runs/one is a run folder; it goes on with: cornerman run runs/one/experiment.toml --out runs"
    again = command(*said.partition("with: cornerman ")[2].split())
    assert "nothing is to be played" in again.err


def test_a_reader_that_leaves_early_is_no_error(command: CommandLine) -> None:
    words = command.arguments("list", "critics")
    piped = command.spawn(["bash", "-c", 'set -o pipefail; "$@" | true', "bash", *words])
    _, err = piped.communicate(timeout=120)
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_each_set_of_options_has_a_folder_of_its_own_and_is_resumed_there(command: CommandLine) -> None:
    base = ("run", "--suite", "count-smoke", "--actor", "random", "--limit", 2, "--json")
    names = {
        command(*base, *more).json["experiment"]
        for more in ((), ("--seed", 1), ("--trials", 2), ("--protocol", "retry", "--critic", "rules"))
    }
    assert len(names) == 4
    assert {p.name for p in (command.folder / "runs").iterdir()} == names
    assert all(re.fullmatch(r"count-smoke-random(-rules)?-[0-9a-f]{6}", n) for n in names)
    again = command(*base)
    assert again.json["experiment"] in names
    assert "nothing is to be played" in again.err


def test_options_that_change_a_file_s_experiment_name_its_folder(command: CommandLine) -> None:
    (command.folder / "my exp.toml").write_text('suite = "count-smoke"\nlimit = 2\n[[method]]\nactor = "random"\n')
    for more, name in {
        (): "my_exp",
        ("--limit", 3, "--seed", 4): "my_exp-limit3-seed4",
        ("--trials", 1): "my_exp",
        ("--name", "mine", "--seed", 4): "mine",
    }.items():
        assert command("run", "my exp.toml", *more, "--json").json["experiment"] == name
    assert {p.name for p in (command.folder / "runs").iterdir()} == {"my_exp", "my_exp-limit3-seed4", "mine"}


def test_the_resolved_experiment_can_be_run_itself(command: CommandLine) -> None:
    first = command(*RUN, "--name", "one", "--limit", 3, "--seed", 9, "--json")
    recorded = command.folder / "runs" / "one" / "experiment.toml"
    assert tomllib.loads(recorded.read_text())["seed"] == 9
    again = command("run", recorded, "--json")
    assert again.json == first.json
    assert "nothing is to be played" in again.err


def test_help_of_every_command(command: CommandLine) -> None:
    for name in ("run", "list", "validate", "replay", "data", "doctor"):
        done = command(name, "--help")
        assert done.status == 0
        assert f"cornerman {name}" in done.out
    assert Path(command.folder).exists()
    done = command("runn")
    assert done.status == 2
    assert "unknown command 'runn'; did you mean 'run'" in done.err


def test_a_plugin_s_odd_description_does_not_break_the_help(command: CommandLine) -> None:
    (command.folder / "odd.py").write_text(
        "import cornerman\n@cornerman.hookimpl\ndef register(registry):\n"
        "    registry.add('command', 'odd', 'json:dumps', doc='[/] [red]what')\n"
    )
    done = subprocess.run(
        [*command.arguments()[:3], "-p", "odd.py", "--help"],
        cwd=command.folder,
        env=command.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "[/] [red]what" in done.stdout
