"""The plug-in author's page against the code: hooks, view, settings, kinds, examples."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import typing

import pytest

from cornerman import hookspecs
from cornerman.engine import settings, triggers
from cornerman.engine.calls import BoundModel, Reply
from cornerman.engine.context import MemoryItem
from cornerman.engine.instance import ASKED, DEFAULT_SEES, FIELDS, PRIVILEGED
from cornerman.engine.merging import Merge
from cornerman.engine.method import ProtocolSettings
from cornerman.engine.view import View
from cornerman.errors import POLICY, End
from cornerman.model import Capability, Sampling
from cornerman.records import AttemptSpec, MemoryOp, Moment, Verdict
from cornerman.registry import KINDS, Registry
from tests.docs.pages import EXAMPLES, blocks, coded, headings, read, rows, section, with_examples

PAGE = read("plugins.md")
PROTOCOL = typing.get_type_hints(ProtocolSettings)
SPECS = {
    name: f
    for spec in (hookspecs.Catalogue, hookspecs.Trajectory, hookspecs.Observation)
    for name, f in vars(spec).items()
    if not name.startswith("_")
}


def signature(source: str) -> str:
    """A function's signature in one spelling."""
    [function] = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    return f"{function.name}({ast.unparse(function.args)}) -> {ast.unparse(function.returns or ast.Constant(None))}"


@pytest.mark.parametrize("hook", SPECS)
def test_every_hook_stands_there_with_its_signature(hook: str) -> None:
    part = section(PAGE, "The catalogue") if hook == "register" else section(PAGE, hook)
    code = next(b.text for b in blocks(part) if f"def {hook}(" in b.text)
    assert signature(code) == signature(textwrap.dedent(inspect.getsource(SPECS[hook])))


def test_no_heading_names_a_hook_that_does_not_exist() -> None:
    named = [h for h in headings(section(PAGE, "The hooks")) if re.fullmatch(r"[a-z]+(_[a-z]+)+|act|revise", h)]
    assert set(named) == set(SPECS) - {"register"}


def test_the_table_of_hooks_names_all_that_belong_to_an_episode() -> None:
    head = next(i for i, row in enumerate(rows(PAGE)) if row[:2] == ["hook", "asked of"])
    listed = [row[0].strip("`") for row in rows(PAGE)[head + 1 :][: len(hookspecs.TRAJECTORY_HOOKS)]]
    assert set(listed) == set(hookspecs.TRAJECTORY_HOOKS)


def test_the_table_of_hooks_says_who_is_asked() -> None:
    asked = {row[0].strip("`"): row[1] for row in rows(section(PAGE, "The hooks"))}
    for role, hooks in ASKED.items():
        for hook in hookspecs.TRAJECTORY_HOOKS:
            assert (role in asked[hook]) == (hook in hooks), (role, hook)


def test_the_version_of_the_hooks_is_that_of_the_page() -> None:
    assert f"`cornerman.hookspecs.VERSION` is {hookspecs.VERSION}." in PAGE


def members(kind: type) -> list[str]:
    """Public methods and properties of a class."""
    return [n for n in dir(kind) if not n.startswith("_")]


@pytest.mark.parametrize("member", members(View))
def test_every_member_of_a_view_stands_in_the_row_of_its_field(member: str) -> None:
    needed = re.search(r"Needs `(\w+)`", inspect.getdoc(getattr(View, member)) or "")
    field = f"`{needed[1]}`" if needed else "(always)"
    mark = " †" if needed and needed[1] in PRIVILEGED else ""
    row = next(r for r in rows(section(PAGE, "What a plug-in sees")) if re.match(rf"`view\.{member}\b", r[1]))
    assert row[0] == field + mark


def test_every_field_of_the_information_set_has_a_row() -> None:
    named = {r[0].split("`")[1] for r in rows(section(PAGE, "What a plug-in sees")) if "`" in r[0]}
    assert named == set(FIELDS)


def test_what_is_seen_without_a_declaration() -> None:
    text = " ".join(section(PAGE, "What a plug-in sees").split())
    for role, fields in DEFAULT_SEES.items():
        sentence = re.search(rf"an? {role} ([^,.;]*(?:, `\w+`)*(?: and `\w+`)?)", text)
        assert sentence is not None, role
        assert set(re.findall(r"`(\w+)`", sentence[1])) >= set(fields), role


def test_what_a_memory_and_a_protocol_fill_is_there() -> None:
    [row] = [r for r in rows(PAGE) if r[1:2] == ["`view.memory`"]]
    assert set(MemoryItem.__struct_fields__) <= coded(row[2])
    operations = typing.get_args(typing.get_type_hints(MemoryOp)["op"])
    part = section(PAGE, "on_task_end")
    assert [op for op in operations if f"`{op}`" not in part] == []
    assert set(AttemptSpec.__struct_fields__) <= coded(section(PAGE, "plan_attempts"))


@pytest.mark.parametrize("member", members(BoundModel))
def test_every_member_of_a_model_is_there(member: str) -> None:
    assert f"`view.model.{member}`" in PAGE


def test_sampling_options_capabilities_and_replies_are_there() -> None:
    part = coded(section(PAGE, "Model calls"))
    wanted = {*Sampling.__struct_fields__, *typing.get_args(Capability)}
    assert wanted <= part, wanted - part
    assert {f"reply.{name}" for name in (*Reply.__struct_fields__, "text")} <= part


@pytest.mark.parametrize(
    ("kind", "heading"),
    [
        (settings.PluginSettings, "Settings of an instance"),
        (settings.TriggerSettings, "trigger"),
        (ProtocolSettings, "Settings of a protocol"),
    ],
)
def test_every_setting_has_a_row_of_its_own(kind: type, heading: str) -> None:
    part = section(PAGE, heading).partition("\n### ")[0]
    named = [name for row in rows(part) for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(named) == sorted(kind.__struct_fields__)  # type: ignore[attr-defined]


def test_the_parts_of_settings_are_explained() -> None:
    [low] = [row for row in rows(section(PAGE, "trigger")) if row[0] == "`low_score`"]
    for field in settings.LowScore.__struct_fields__:
        assert f"{field} = " in low[1]
    for field in settings.WrapSettings.__struct_fields__:
        assert f"`{field}`" in section(PAGE, "wrap")


@pytest.mark.parametrize(
    ("values", "heading"),
    [
        (settings.Deliver, "deliver"),
        (settings.Wrap, "wrap"),
        (settings.MemoryMode, "Settings of a memory"),
        (Merge, "Settings of a protocol"),
        (PROTOCOL["on_block"], "Settings of a protocol"),
        (PROTOCOL["counted"], "Settings of a protocol"),
        (PROTOCOL["on_critic_error"], "Settings of a protocol"),
        (Moment, "Settings of an instance"),
    ],
)
def test_every_value_of_a_setting_is_documented(values: object, heading: str) -> None:
    named = {text.strip('"') for text in coded(section(PAGE, heading))}
    assert set(typing.get_args(values)) <= named, set(typing.get_args(values)) - named


def test_defaults_of_settings_are_those_of_the_code() -> None:
    for heading, made in (
        ("Settings of a protocol", ProtocolSettings()),
        ("Settings of a memory", settings.PluginSettings(use="x")),
    ):
        for row in rows(section(PAGE, heading)):
            key = row[0].strip("`")
            if key in type(made).__struct_fields__:
                value = getattr(made, key)
                shown = {None: "none", str: f'`"{value}"`'}.get(value if value is None else type(value), f"`{value}`")
                assert row[1] == shown, key


def test_what_a_trigger_sees_is_said() -> None:
    part = rows(section(PAGE, "trigger"))
    for condition, field in triggers.SEES.items():
        [row] = [r for r in part if r[0] == f"`{condition}`"]
        assert f"Sees `{field}`" in row[1]
        assert ("privileged" in row[1]) == (field in PRIVILEGED)


def test_every_verdict_and_kind_is_there() -> None:
    assert {f"Verdict.{v.name}" for v in Verdict} <= coded(PAGE)
    assert set(KINDS) <= coded(section(PAGE, "The catalogue"))


def test_the_arguments_of_add_are_those_of_the_registry() -> None:
    wanted = [p for p in inspect.signature(Registry.add).parameters if p not in ("self", "meta")]
    assert set(wanted) <= coded(section(PAGE, "The catalogue"))


def test_errors_of_the_table_are_ends() -> None:
    named = {row[1].strip("`") for row in rows(section(PAGE, "Errors"))} - {"the episode ends as"}
    assert named == {str(end) for end in End if POLICY[end].error and end is not End.CANCELLED}


def test_the_page_holds_its_examples_verbatim() -> None:
    assert with_examples(PAGE) == PAGE


def test_every_example_is_on_the_page() -> None:
    shown = {b.value for b in blocks(PAGE) if b.mark == "example"}
    assert shown == {path.name for path in EXAMPLES.glob("*.py")}
