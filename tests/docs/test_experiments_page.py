"""The page of experiments against the code: keys, defaults, rules, limits, exit statuses, and files that load."""

from __future__ import annotations

import re

import msgspec
import pytest

from cornerman.engine.context import Limits
from cornerman.engine.instance import PRIVILEGED
from cornerman.engine.method import MethodSettings, build_method, method_settings
from cornerman.engine.settings import Wrap
from cornerman.experiment import Experiment, from_options, parse, resolve
from cornerman.plugins import Plugins
from cornerman.suites import Rules
from tests.docs.pages import EXAMPLES, ROOT, blocks, coded, read, rows, section
from tests.support.command import CommandLine

PAGE = read("experiments.md")
TOML = [b.text for page in ("experiments.md", "tutorial.md") for b in blocks(read(page)) if b.language == "toml"]


def keys(heading: str, head: str) -> dict[str, list[str]]:
    """The rows of the table below a heading that starts with a head, by their first cells."""
    found = rows(section(PAGE, heading))
    first = next(i for i, row in enumerate(found) if row[0].startswith(head)) + 1
    width = len(found[first])
    taken = [r for r in found[first:] if len(r) == width and r[0].startswith("`")]
    return {name.strip("` "): row for row in taken for name in row[0].split(",")}


@pytest.mark.parametrize(
    ("heading", "head", "kind"),
    [
        ("A file", "key", Experiment),
        ("Methods", "key of", MethodSettings),
        ("limits", "key", Limits),
        ("Rules", "rule", Rules),
    ],
)
def test_every_key_has_a_row_and_every_row_is_a_key(heading: str, head: str, kind: type[msgspec.Struct]) -> None:
    fields = set(kind.__struct_fields__)
    named = set(keys(heading, head))
    assert fields <= named, fields - named
    nested = set(MethodSettings.__struct_fields__) | set(Limits.__struct_fields__)
    assert named <= fields | nested, named - fields


@pytest.mark.parametrize(("heading", "head", "made"), [("limits", "key", Limits()), ("Rules", "rule", Rules())])
def test_defaults_are_those_of_the_code(heading: str, head: str, made: msgspec.Struct) -> None:
    for key, row in keys(heading, head).items():
        value = getattr(made, key)
        shown = msgspec.json.encode(int(value) if isinstance(value, float) else value).decode()
        assert row[1] == ("none" if value is None else f"`{shown}`"), key


def test_exit_statuses_are_those_of_the_command_line() -> None:
    assert [row[0] for row in rows(section(PAGE, "Exit status"))] == ["status", "0", "1", "2"]


def test_the_methods_of_a_command_are_those_of_the_page() -> None:
    critics = ["rules:label=tried,wrap=placebo"]
    table = from_options("s", "noisy-gold", critics, memory="last-reflections", protocol="retry")
    alone, both = resolve(table, "x", "the page").method
    assert "`noisy-gold+tried[placebo]+retry`" in PAGE
    assert both.name == "noisy-gold+tried[placebo]+last-reflections+retry"
    assert not alone.critic
    assert alone.memory is None
    assert alone.protocol == both.protocol
    assert alone.protocol.use == "retry"


def test_a_run_folder_goes_on_by_its_own_file(command: CommandLine) -> None:
    environment = ("-p", EXAMPLES / "environment.py")
    first = command(*environment, "run", "--suite", "lockbox-smoke", "--actor", "gold", "--name", "NAME")
    assert first.status == 0, first.err
    [line] = [c for c in coded(section(PAGE, "Resuming")) if c.startswith("cornerman ")]
    again = command(*environment, *line.split()[1:])
    assert again.status == 0, again.err
    assert "nothing is to be played" in again.err
    assert [p.name for p in (command.folder / "runs").iterdir()] == ["NAME"]


def test_every_control_is_set_against_what_it_controls() -> None:
    part = " ".join(coded(section(PAGE, "What to compare with what")))
    for wrap in ("placebo", "generic", "shuffled", "delayed", "deceptive"):
        assert wrap in Wrap.__args__  # type: ignore[attr-defined]
        assert f'wrap = "{wrap}"' in part


@pytest.mark.parametrize("text", TOML)
def test_every_experiment_of_the_docs_loads(plugins: Plugins, text: str) -> None:
    if text.startswith("[[method]]"):
        text = f'suite = "alfworldgen-smoke"\n{text}'
    text = text.replace('"tried', '"rules').replace("last = 8", "window = 8").replace(":last=8", ":window=8")
    experiment = parse(text, "page", "the page")
    plugins.registry.get("suite", experiment.suite)
    for method in experiment.method:
        build_method(plugins.registry, method)


def test_the_readme_names_only_what_there_is(plugins: Plugins) -> None:
    for suite in re.findall(
        r"(?:validate|--suite|leaderboard show) ([\w-]+)", (ROOT / "README.md").read_text(encoding="utf-8")
    ):
        plugins.registry.get("suite", suite)


@pytest.mark.parametrize(
    ("table", "privileged"),
    [
        ({"protocol": "retry:until=success"}, True),
        ({"protocol": "retry:until=critic_pass"}, False),
        ({"protocol": "single:counted=best"}, True),
        ({"protocol": "single:counted=selected"}, False),
        ({"critic": "rules:trigger.on=failure"}, True),
        ({"critic": "rules:trigger.every=2"}, False),
        ({"critic": "rules:wrap=oracle"}, True),
        ({"critic": "rules:wrap=placebo"}, False),
        ({"critic": "reflect:score=true"}, True),
        ({"critic": "reflect"}, False),
    ],
)
def test_what_the_page_calls_privileged_is(plugins: Plugins, table: dict[str, str], privileged: bool) -> None:
    method = build_method(plugins.registry, method_settings({"actor": "random", **table}, "page"))
    assert method.privileged == privileged
    assert bool(set(method.information) & PRIVILEGED) == privileged
