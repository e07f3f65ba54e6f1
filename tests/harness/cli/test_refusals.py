"""Wrong usage and input: exit status 2, one sentence on stderr that says what to do, no traceback, nothing left.

Most cases run the command line within this process, which takes a twentieth of the time; some of each kind are
processes of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w
from tests.support.command import PLUGIN, CommandLine, Done

from cornerman.cli.app import run

SOUND = """
suite = "count-smoke"
limit = 2
[[method]]
name = "alone"
actor = "random"
"""


def experiment(command: CommandLine, text: str, name: str = "e.toml") -> Path:
    """An experiment file."""
    path = command.folder / name
    path.write_text(text, encoding="utf-8")
    return path


FILES = {
    "no TOML": ("suite = ", "e.toml is not valid TOML: "),
    "empty": ("", "e.toml: an experiment needs a suite"),
    "unknown key": ('suit = "count-smoke"', "e.toml: unknown key 'suit'; did you mean 'suite'?"),
    "unknown method key": (SOUND + 'critics = ["rules"]', "unknown key 'critics'; did you mean 'critic'?"),
    "unknown limit": (SOUND + "[limits]\nstep_second = 3", "limits: unknown key 'step_second'; did you mean 'step_"),
    "negative limit": (SOUND + "[limits]\nstep_seconds = -3", "step_seconds counts seconds, or is 0 for no limit"),
    "limit that is no number": (SOUND + "[limits]\nstep_seconds = nan", "step_seconds counts seconds"),
    "unknown suite": (
        SOUND.replace("count-smoke", "count-smok"),
        "unknown suite 'count-smok'; did you mean 'count-smoke'",
    ),
    "unknown actor": (SOUND.replace('"random"', '"rando"'), "unknown actor 'rando'; did you mean 'random'?"),
    "unknown critic": (SOUND + 'critic = ["rule"]', "unknown critic 'rule'; did you mean 'rules'"),
    "unknown memory": (SOUND + 'memory = "diaries"', "unknown memory 'diaries'; did you mean 'diary'?"),
    "unknown protocol": (SOUND + 'protocol = "retries"', "unknown protocol 'retries'; did you mean 'retry'?"),
    "unknown option": (SOUND + 'critic = [{ use = "rules", windw = 3 }]', "'rules' has no option 'windw'"),
    "option of a wrong type": (
        SOUND + 'critic = [{ use = "rules", window = "x" }]',
        "option 'window' of 'rules': Expected",
    ),
    "trigger of a wrong type": (SOUND + 'critic = [{ use = "rules", trigger = 3 }]', "method 1.critic: trigger"),
    "unknown delivery": (
        SOUND + 'critic = [{ use = "rules", deliver = "apend" }]',
        "method 1.critic: deliver: unknown value 'apend'; did you mean 'append'?",
    ),
    "unknown delivery at a moment": (
        SOUND + 'critic = "rules:deliver.review_turn=sufix"',
        "method 1.critic: deliver: unknown value 'sufix'; did you mean 'suffix'?",
    ),
    "unknown control": (
        SOUND + 'critic = "rules:wrap=placbo"',
        "wrap: use: unknown value 'placbo'; did you mean 'placebo'?",
    ),
    "unknown end in a trigger": (
        SOUND + 'critic = "rules:trigger.on=failur"',
        "trigger: on: unknown value 'failur'; did you mean 'failure'?",
    ),
    "no method": ('suite = "count-smoke"', "needs at least one [[method]] with an actor"),
    "method that is no table": ('suite = "count-smoke"\nmethod = [3]', "every method is a table: [[method]]"),
    "no actor": ('suite = "count-smoke"\n[[method]]\nname = "a"', "a method needs an actor"),
    "same name twice": (SOUND + '[[method]]\nname = "alone"\nactor = "gold"', "two methods are called 'alone'"),
    "name that no table can show": (SOUND.replace('"alone"', '"a\\nb"'), "holds characters that no table can show"),
    "unknown baseline": ('baseline = "alon"' + SOUND, "baseline 'alon' is no method; did you mean 'alone'?"),
    "baseline of a wrong type": ("baseline = 3" + SOUND, "e.toml: baseline: Expected `str`, got `int`"),
    "no trials": ("trials = 0" + SOUND, "trials and limit are at least 1"),
    "trials of a wrong type": ('trials = "two"' + SOUND, "e.toml: trials: Expected `int`, got `str`"),
    "negative seed": ("seed = -1" + SOUND, "seed is a whole number from 0"),
    "seed beyond 63 bits": ("seed = 99999999999999999999" + SOUND, "seed"),
    "unknown currency": (
        SOUND + 'protocol = { use = "retry", spend = { tokns = 5 } }',
        "spend: unknown key 'tokns'; did you mean 'tokens'?",
    ),
    "unknown key of a price": ("prices = { m = { promt = 1 } }" + SOUND, "unknown key 'promt'; did you mean 'prompt'?"),
    "unknown family": ('family = "bonferroni"' + SOUND, "family: unknown value 'bonferroni'; known are: holm, max-t."),
    "name above the folder": ('name = "../up"' + SOUND, "the name '../up' cannot be a folder's"),
    "name of the folder itself": ('name = "."' + SOUND, "the name '.' cannot be a folder's"),
    "absolute name": ('name = "/tmp/x"' + SOUND, "the name '/tmp/x' cannot be a folder's"),
    "empty name": ('name = ""' + SOUND, "the name '' cannot be a folder's"),
    "long name": (f'name = "{"x" * 300}"' + SOUND, "cannot be a folder's"),
    "no run to shuffle": (SOUND + 'critic = [{ use = "rules", wrap = "shuffled" }]', "needs the run to draw from"),
    "shuffled from nowhere": (
        SOUND + 'critic = [{ use = "rules", wrap = { use = "shuffled", run = "gone" } }]',
        "gone is no run folder: it has no experiment.toml",
    ),
    "read-only memory of nothing": (SOUND + 'memory = { use = "diary", mode = "read-only" }', "source=PATH"),
    "memory from nowhere": (SOUND + 'memory = { use = "diary", source = "gone" }', "gone is no run folder"),
    "rounds of nothing": (
        SOUND + 'memory = "diary:mode=rounds,round=0"',
        "round: Expected `int` >= 1",
    ),
}


Inside = Callable[..., Done]


def refused(done: Done) -> str:
    """The one sentence with which a command was refused."""
    lines = [line for line in done.err.splitlines() if not line.startswith(("gold on", "cornerman: first use"))]
    assert done.status == 2, done
    assert done.out == ""
    assert len(lines) == 1, lines
    assert lines[0].startswith("cornerman: ")
    return lines[0].removeprefix("cornerman: ")


@pytest.mark.parametrize("case", FILES)
def test_a_bad_experiment_file(command: CommandLine, inside: Inside, case: str) -> None:
    text, sentence = FILES[case]
    assert sentence in refused(inside("run", experiment(command, text)))
    assert not list(command.folder.glob("runs/*"))


OPTIONS: dict[str, tuple[list[object], str]] = {
    "nothing": ([], "run takes an experiment's name or TOML file, or --suite and --actor in its place"),
    "no actor": (["--suite", "count-smoke"], "--suite and --actor in its place"),
    "no such file": (["gone.toml"], "there is no experiment file gone.toml"),
    "unknown experiment": (["gone"], "unknown experiment 'gone'"),
    "file and options": (["gone.toml", "--actor", "random"], "--actor changes what an experiment is"),
    "unknown flag": (["--actr", "random"], "No such option: --actr"),
    "trials below one": (["--trials", 0], "Invalid value for '--trials': "),
    "name above the folder": (["--name", "../up"], "the name '../up' cannot be a folder's"),
    "name with a slash": (["--name", "a/b"], "the name 'a/b' cannot be a folder's"),
    "no text": (["--name", os.fsdecode(b"\xff")], "cannot be a folder's"),
    "critic that is no text": (["--critic", os.fsdecode(b"rules:window=\xff")], "surrogates not allowed"),
    "role without a cap": (["--calls", "actor"], "--calls actor is not of the form ROLE=N"),
    "unknown role": (["--calls", "actr=2"], "unknown role 'actr'; did you mean 'actor'?"),
    "cap that is no number": (["--calls", "actor=two"], "the cap is a whole number"),
    "cap below one": (["--calls", "actor=0"], "the cap is a whole number"),
    "huge cap": (["--calls", "actor=" + "9" * 5000], "the cap is a whole number"),
    "model without a role": (["--model", "=x"], "--model =x is not of the form ROLE=URI"),
    "unknown scheme": (["--model", "actor=scripte:x"], "unknown model 'scripte'; did you mean 'scripted'?"),
    "unknown model option": (["--model", "actor=scripted:x,sayy=1"], "'scripted' has no option 'sayy'"),
    "model option of a wrong type": (["--model", "actor=scripted:x,ms=fast"], "option 'ms' of 'scripted'"),
    "model option without a value": (["--model", "actor=scripted:x,ms"], "'ms' is not of the form KEY=VALUE"),
    "option of a wrong type": (["--critic", "rules:window=x"], "option 'window' of 'rules': Expected `int`, got `str`"),
    "option without a value": (["--critic", "rules:window"], "'window' in 'rules:window' is not of the form KEY=VALUE"),
    "unknown observer": (["--observer", "witnes"], "unknown observer 'witnes'; did you mean 'witness'?"),
    "observer without its option": (["--observer", "witness"], "'witness' needs the option 'file'"),
    "suite without tasks": (["--suite", "count-empty"], "suite 'count-empty' has no tasks"),
    "suite with twins": (["--suite", "count-twins"], "two tasks with the id 'a'"),
    "suite that raises": (["--suite", "count-broken"], "suite 'count-broken' cannot be made: ZeroDivisionError"),
    "suite that is none": (["--suite", "count-none"], "is a NoneType, not a cornerman.suites.Suite"),
    "missing extra": (["--suite", "count-extra"], "needs the extra 'textworld': pip install 'cornerman[textworld]'"),
    "actor without its model": (["--actor", "asker"], "actor 'asker' needs a model: add --model actor=smollm2"),
    "critic whose model cannot score": (
        ["--actor", "random", "--critic", "weighing", "--model", "critic=scripted:m"],
        "'weighing' needs log-probabilities of given texts, which the model 'scripted:m' cannot give; use a model that",
    ),
    "actor whose model cannot score": (
        ["--actor", "llm-choose", "--model", "actor=scripted:m"],
        "'llm-choose' needs log-probabilities of given texts, which the model 'scripted:m' cannot give; use a model",
    ),
    "unsound suite": (["--suite", "count-unsound"], "gold lost 1 of 2 tasks, first gold:wrong: gold played 1"),
}
BARE = {"nothing", "no actor", "no such file", "unknown experiment", "file and options", "unknown flag"}


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options(command: CommandLine, inside: Inside, case: str) -> None:
    given, sentence = OPTIONS[case]
    sound = [] if case in BARE else ["--suite", "count-smoke", "--limit", 2, "--actor", "random"]
    assert sentence in refused(inside("run", *sound, *given))
    assert not list(command.folder.glob("runs/*"))


def test_processes_of_their_own_are_refused_alike(command: CommandLine) -> None:
    for case in ("no TOML", "unknown option", "memory from nowhere"):
        text, sentence = FILES[case]
        assert sentence in refused(command("run", experiment(command, text)))
    for case in ("unknown scheme", "no text", "unsound suite", "missing extra"):
        given, sentence = OPTIONS[case]
        assert sentence in refused(command("run", "--suite", "count-smoke", "--limit", 2, "--actor", "random", *given))
    assert not list(command.folder.glob("runs/*"))


PLUGINS = {
    "gone.py": (None, "plug-in file gone.py does not exist"),
    "no_such_module": (None, "plug-in no_such_module cannot be loaded: ModuleNotFoundError"),
    "syntax.py": ("def register(", "plug-in syntax.py cannot be loaded: SyntaxError"),
    "raises.py": ("raise RuntimeError('no')", "plug-in raises.py cannot be loaded: RuntimeError: no"),
    "exits.py": ("import sys; sys.exit(7)", "plug-in exits.py cannot be loaded: SystemExit: 7"),
    "empty.py": ("", "has no register(registry) marked with @cornerman.hookimpl"),
    "register.py": (
        "import cornerman\n@cornerman.hookimpl\ndef register(registry): registry.add('critik', 'x', 'y:z')",
        "registers an unknown kind 'critik'; did you mean 'critic'?",
    ),
    "taken.py": (
        "import cornerman\n@cornerman.hookimpl\ndef register(registry): registry.add('actor', 'random', 'y:z')",
        "registers actor 'random', which cornerman registered before; choose another name.",
    ),
    "hook.py": (
        "import cornerman\n@cornerman.hookimpl\ndef registr(registry): pass",
        "implements 'registr', which is no hook of a catalogue plug-in; did you mean 'register'?",
    ),
}


@pytest.mark.parametrize("name", PLUGINS)
def test_a_bad_plugin_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text, sentence = PLUGINS[name]
    if text is not None:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    status = run(["-p", name, "list", "actors"])
    assert sentence in refused(Done(status, *capsys.readouterr()))


def test_a_folder_that_cannot_be_written(command: CommandLine) -> None:
    said = command.refused("run", "--suite", "count-smoke", "--actor", "random", "--out", "/proc/runs")
    assert said.startswith("/proc/runs/count-smoke-random-")
    assert "cannot be a run folder: " in said
    assert said.endswith("; choose another --out")


def test_an_out_that_is_a_file(command: CommandLine) -> None:
    (command.folder / "taken").write_text("mine")
    said = command.refused("run", "--suite", "count-smoke", "--actor", "random", "--out", "taken")
    assert "cannot be a run folder" in said
    assert "choose another --out" in said
    assert (command.folder / "taken").read_text() == "mine"


def test_a_folder_of_another_experiment_is_refused_with_the_key(command: CommandLine) -> None:
    path = experiment(command, SOUND)
    assert command("run", path).status == 0
    before = {p: p.read_bytes() for p in (command.folder / "runs" / "e").iterdir()}
    for text, said in {
        "trials = 3" + SOUND: "(trials: unset there, 3 here)",
        SOUND.replace("limit = 2", "limit = 3"): "(limit: 2 there, 3 here)",
        SOUND + '[[method]]\nname = "b"\nactor = "gold"': "(method: 1 entries there, 2 here)",
        SOUND.replace('"random"', '"gold"'): "(method[0].actor.use: 'random' there, 'gold' here)",
        SOUND + 'critic = ["rules"]': "(method[0].critic: unset there, [{'use': 'rules'}] here)",
        SOUND + "[limits]\nstep_seconds = 3": "(limits: unset there, {'step_seconds': 3.0} here)",
    }.items():
        path.write_text(text)
        complaint = command.refused("run", path)
        assert complaint.startswith("runs/e was made by another experiment " + said)
        assert complaint.endswith("choose another --name, or delete the folder to start anew")
    assert {p: p.read_bytes() for p in (command.folder / "runs" / "e").iterdir()} == before
    path.write_text(SOUND)
    assert command("run", path).status == 0


def test_a_damaged_run_folder(command: CommandLine) -> None:
    arguments = ("run", experiment(command, SOUND))
    assert command(*arguments).status == 0
    folder = command.folder / "runs" / "e"
    toml = (folder / "experiment.toml").read_bytes()
    for bad in (b"name = ", b"\xff\xfe"):
        (folder / "experiment.toml").write_bytes(bad)
        assert "runs/e/experiment.toml is damaged" in command.refused(*arguments)
        assert "experiment.toml" in command.refused("replay", "runs/e")
    (folder / "experiment.toml").unlink()
    assert "holds episodes but no experiment.toml" in command.refused(*arguments)
    (folder / "experiment.toml").write_bytes(toml)
    manifest = (folder / "manifest.json").read_bytes()
    for bad in (b"{", b"[]", b'{"suite":{}}'):
        (folder / "manifest.json").write_bytes(bad)
        assert "runs/e" in command.refused(*arguments)
    (folder / "manifest.json").write_bytes(manifest.replace(b'"panel": "', b'"panel": "0'))
    assert "when suite 'count-smoke[:2]' had other tasks" in command.refused(*arguments)
    (folder / "manifest.json").unlink()  # killed before it was written: made again
    assert command(*arguments).status == 0


def test_names_that_look_like_markup_or_paths_do_no_harm(command: CommandLine) -> None:
    names = ["[red]x[/red]", "[/]", "a/b", "..", "{0}", "%s", "naïve 日本", "-", "'\""]
    table = {"suite": "count-smoke", "limit": 2, "method": [{"name": n, "actor": "random"} for n in names]}
    path = experiment(command, tomli_w.dumps(table))
    done = command("run", path)
    assert done.status == 0, done.err
    assert sorted(p.name for p in command.folder.iterdir()) == ["cache", "e.toml", "runs"]
    assert [p.name for p in (command.folder / "runs").iterdir()] == ["e"]
    rows = command("run", path, "--json").json["methods"]
    assert [row["method"] for row in rows] == names
    assert command("replay", "runs/e").status == 0


def test_a_plug_in_file_that_was_edited_since_does_not_go_on_with_the_old_one_s_episodes(command: CommandLine) -> None:
    """The main loop of an author: edit, run again. Old episodes are never shown as the new critic's."""
    run = ("run", "--suite", "count-smoke", "--limit", 2, "--actor", "random", "--name", "edited")
    command.plugin = command.folder / "mine.py"
    command.plugin.write_text(PLUGIN.read_text())
    assert command(*run).status == 0
    command.plugin.write_text(PLUGIN.read_text() + "\n# another word\n")
    said = command.refused(*run)
    assert "mine.py has changed since" in said
    assert "choose another --name" in said


def test_a_model_for_nobody_is_refused(command: CommandLine) -> None:
    said = command.refused("run", "--suite", "count-smoke", "--actor", "random", "--model", "actr=smollm2")
    assert "no method has a role or label 'actr'" in said
    assert "did you mean 'actor'?" in said


def test_a_suite_is_no_experiment(command: CommandLine) -> None:
    assert "--suite count-smoke" in command.refused("run", "count-smoke")


def test_a_misspelt_setting_is_known_for_one(command: CommandLine) -> None:
    said = command.refused("run", "--suite", "count-smoke", "--actor", "random", "--critic", "rules:triger.every=2")
    assert "did you mean 'trigger'?" in said
