"""Plug-ins: entry points that load or are reported, files that load or are refused, hooks that fit or are named."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.play import catalogue
from tests.support.scripts import actor

from cornerman import hookimpl
from cornerman.engine.method import build_method, method_settings
from cornerman.errors import UsageError
from cornerman.hookcheck import implementations
from cornerman.hookspecs import Catalogue, Trajectory
from cornerman.plugins import Plugins, load


def refused(call: Any, *given: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*given)
    said = str(caught.value)
    assert "\n" not in said
    return said


def names(plugins: Plugins, kind: Any = "critic") -> set[str]:
    return {e.name for e in plugins.registry.entries(kind)}


REGISTERS = """
import cornerman

class Critic:
    @cornerman.hookimpl
    def review_turn(self, view, turn):
        return cornerman.Critique(text="hm")

@cornerman.hookimpl
def register(registry):
    registry.add("critic", "{name}", Critic, doc="says hm")
"""

# -- entry points


class Installed:
    """Fake distributions on the import path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, distribution: str, points: dict[str, str], **modules: str) -> None:
        info = self.folder / f"{distribution.replace('-', '_')}-1.5.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.5\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[cornerman]", *lines, ""]))
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("CORNERMAN_PLUGINS", raising=False)
    yield Installed(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("fake_"):
            del sys.modules[name]


def test_an_installed_plug_in_loads_and_says_where_it_is_from(installed: Installed) -> None:
    installed.add("cornerman-fake", {"fake": "fake_good"}, fake_good=REGISTERS.replace("{name}", "hm"))
    plugins = load()
    assert plugins.problems == []
    assert "hm" in names(plugins)
    assert plugins.registry.get("critic", "hm").origin == "cornerman-fake"
    [loaded] = [p for p in plugins.loaded if p.name == "fake"]
    assert (loaded.origin, loaded.version) == ("cornerman-fake (fake_good)", "1.5")


BROKEN = {
    "raises": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "leaves": ("raise SystemExit(3)", "SystemExit: 3"),
    "imports": ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
    "syntax": ("def broken(:", "SyntaxError: "),
    "no_register": ("x = 1", "it has no register(registry) marked with @cornerman.hookimpl"),
    "unmarked": ("def register(registry): ...", "register has the name of a hook and would never be called"),
    "argument": (
        "import cornerman\n@cornerman.hookimpl\ndef register(catalogue): ...",
        "register takes 'catalogue', which it is not given; the hook is register(registry)",
    ),
    "misspelt": (
        "import cornerman\n@cornerman.hookimpl\ndef regster(registry): ...",
        "implements 'regster', which is no hook of a catalogue plug-in; did you mean 'register'?",
    ),
    "taken": (REGISTERS.replace("{name}", "rules"), "which cornerman registered before; choose another name."),
    "later": (
        REGISTERS.replace("{name}", "left-over") + "    raise KeyError('oh')\n",
        "KeyError: 'oh'",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_plug_in_is_reported_and_leaves_nothing_behind(installed: Installed, what: str) -> None:
    text, words = BROKEN[what]
    installed.add("cornerman-fake", {"plugins": f"fake_{what}"}, **{f"fake_{what}": text})  # as the built-ins' own
    plain = load()
    [problem] = plain.problems
    assert (problem.name, problem.origin, problem.version) == ("plugins", f"cornerman-fake (fake_{what})", "1.5")
    assert words in (problem.problem or "")
    assert "left-over" not in names(plain)
    assert {"rules", "gold-advice"} <= names(plain)


def test_one_broken_plug_in_does_not_keep_others_from_loading(installed: Installed) -> None:
    installed.add("cornerman-bad", {"bad": "fake_bad"}, fake_bad="raise RuntimeError('no luck')")
    installed.add("cornerman-good", {"good": "fake_good"}, fake_good=REGISTERS.replace("{name}", "hm"))
    plugins = load()
    assert [p.name for p in plugins.problems] == ["bad"]
    assert "hm" in names(plugins)


def test_the_variable_names_which_entry_points_load(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in ("one", "two"):
        installed.add(f"cornerman-{n}", {n: f"fake_{n}"}, **{f"fake_{n}": REGISTERS.replace("{name}", n)})

    def found(value: str) -> set[str]:
        monkeypatch.setenv("CORNERMAN_PLUGINS", value)
        plugins = load()
        assert "rules" in names(plugins)  # built-ins always load
        return names(plugins) & {"one", "two"}

    assert found("") == set()
    assert found("one") == {"one"}
    assert found(" one , two ,") == {"one", "two"}
    monkeypatch.setenv("CORNERMAN_PLUGINS", "tow")
    [problem] = load().problems
    assert (problem.name, problem.origin) == ("tow", "CORNERMAN_PLUGINS")
    assert problem.problem == "no installed plug-in has this name; did you mean 'two'?"


# -- files


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_file_loads_and_is_named_as_the_origin(tmp_path: Path) -> None:
    file = write(tmp_path, REGISTERS.replace("{name}", "hm"))
    plugins = load([file])
    assert (plugins.registry.get("critic", "hm").origin, plugins.files) == (file, [file])


def test_a_file_named_twice_is_loaded_once(tmp_path: Path) -> None:
    file = write(tmp_path, REGISTERS.replace("{name}", "hm"))
    assert load([file, file]).files == [file]


def test_two_files_of_one_name_do_not_meet(tmp_path: Path) -> None:
    text = (
        "from dataclasses import dataclass\n"
        + REGISTERS
        + "\n@dataclass\nclass Own:\n    x: 'Mine' = 1\nMine = '{name}'\n"
    )
    files = [write(tmp_path, text.replace("{name}", n), f"{n}/mine.py") for n in ("a", "b")]
    plugins = load(files)
    assert {"a", "b"} <= names(plugins)
    classes = [plugins.registry.get("critic", n).load() for n in ("a", "b")]
    assert [sys.modules[c.__module__].Mine for c in classes] == ["a", "b"]


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path: Path, what: str) -> None:
    text, words = BROKEN[what]
    file = write(tmp_path, text)
    before = set(sys.modules)
    said = refused(load, [file])
    assert said.startswith(f"plug-in {file} cannot be ")
    assert words in said
    if what in ("raises", "leaves", "imports", "syntax"):
        assert not {m for m in set(sys.modules) - before if m.startswith("cornerman_file")}


def test_a_missing_file_is_answered_with_the_nearest(tmp_path: Path) -> None:
    file = write(tmp_path, REGISTERS)
    wrong = str(tmp_path / "mien.py")
    assert refused(load, [wrong]) == f"plug-in file {wrong} does not exist; did you mean '{file}'?"
    alone = str(tmp_path / "nowhere" / "mine.py")
    assert refused(load, [alone]) == f"plug-in file {alone} does not exist; no Python file lies there."


def test_a_folder_is_no_plug_in(tmp_path: Path) -> None:
    assert "is a folder; name a file in it" in refused(load, [str(tmp_path)])


def test_a_module_is_found_on_the_import_path(installed: Installed) -> None:
    write(installed.folder, REGISTERS.replace("{name}", "hm"), "fake_module.py")
    plugins = load(["fake_module"])
    assert plugins.registry.get("critic", "hm").origin == "fake_module"
    assert "No module named 'fake_modul'" in refused(load, ["fake_modul"])


# -- hooks


def hooks(plugin: Any, specs: type = Trajectory) -> Any:
    return implementations(plugin, specs, "it")


def test_hooks_and_the_arguments_that_they_take() -> None:
    class Critic:
        @hookimpl
        def review_turn(self, turn: Any, view: Any) -> None: ...

        @hookimpl
        async def review_action(self, candidates: Any) -> None: ...

        @hookimpl(specname="review_attempt")
        def look_back(self, *, _mark: int = 0) -> None: ...

        def helper(self) -> None: ...

    critic = Critic()
    found = hooks(critic)
    assert {name: taken for name, (_, taken) in found.items()} == {
        "review_turn": ("turn", "view"),
        "review_action": ("candidates",),
        "review_attempt": (),
    }
    assert found["review_attempt"][0] == critic.look_back


def test_a_decorated_hook_is_seen_through() -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*given: Any, **more: Any) -> Any:
            return function(*given, **more)

        return inner

    class Critic:
        @hookimpl
        @logged
        def review_turn(self, turn: Any) -> Any:
            return turn

    function, taken = hooks(Critic())["review_turn"]
    assert (taken, function("a turn")) == (("turn",), "a turn")


def test_a_property_is_not_asked_for() -> None:
    class Critic:
        @property
        def weights(self) -> Any:
            raise AssertionError("this would load a model")

        @functools.cached_property
        def more(self) -> Any:
            raise AssertionError("this would load a model")

        @hookimpl
        def review_turn(self, view: Any) -> None: ...

    assert list(hooks(Critic())) == ["review_turn"]


def one_hook(name: str, function: Any, **marks: Any) -> Any:
    return type("Critic", (), {name: hookimpl(**marks)(function)})()


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        (
            one_hook("reviev_turn", lambda self, view: None),
            "plug-in 'it' implements 'reviev_turn', which is no hook of a trajectory plug-in; did you mean ",
        ),
        (
            one_hook("review_turn", lambda self, view, trun: None),
            "plug-in 'it': review_turn takes 'trun', which it is not given; the hook is review_turn(view, turn)",
        ),
        (
            one_hook("review_turn", lambda self, view, turn=None: None),
            "review_turn takes 'turn', with a default or as a keyword, and would not be given it; "
            "the hook is review_turn(view, turn)",
        ),
        (
            one_hook("act", lambda self, *, view: None),
            "act takes 'view', with a default or as a keyword, and would not be given it; the hook is act(view)",
        ),
        (one_hook("act", lambda self, view: (yield), wrapper=True), "act is a hook wrapper"),
        (one_hook("speak", lambda self, view: None, specname="review_trun"), "implements 'review_trun'"),
        (
            type("Critic", (), {"review_turn": lambda self, view, turn: None})(),
            "review_turn has the name of a hook and would never be called; mark it with @cornerman.hookimpl",
        ),
    ],
    ids=["name", "argument", "default", "keyword", "wrapper", "specname", "unmarked"],
)
def test_what_would_never_be_called_is_refused_with_the_signature(plugin: Any, words: str) -> None:
    assert words in refused(hooks, plugin)


def test_a_subclass_that_forgets_the_mark_is_told_so() -> None:
    class Base:
        @hookimpl
        def review_turn(self, view: Any, turn: Any) -> None: ...

    class Derived(Base):
        def review_turn(self, view: Any, turn: Any) -> None: ...

    assert list(hooks(Base())) == ["review_turn"]
    assert "in a subclass too" in refused(hooks, Derived())


def test_an_unmarked_name_of_another_kind_of_hook_is_nobodys_business() -> None:
    class Critic:
        register = 5

        @hookimpl
        def review_turn(self, view: Any) -> None: ...

        def run_started(self, run: Any) -> None: ...

    assert list(hooks(Critic())) == ["review_turn"]
    assert "which is no hook of a catalogue plug-in" in refused(hooks, Critic(), Catalogue)


@pytest.mark.parametrize(
    ("role", "hook", "words"),
    [
        ("actor", "review_turn", "actor 'odd' does not implement act(view)"),
        ("protocol", "act", "protocol 'odd' does not implement plan_attempts(view)"),
        (
            "critic",
            "act",
            "critic 'odd' implements no hook that a critic is asked: on_task_start,",
        ),
        ("memory", "review_turn", "memory 'odd' implements no hook that a memory is asked: on_task_start,"),
    ],
)
def test_a_role_needs_a_hook_that_it_is_asked(role: str, hook: str, words: str) -> None:
    registry = catalogue(
        **{f"{role}_odd": lambda: one_hook(hook, lambda self, view: None), "actor_waits": actor("wait")}
    )
    table = {"actor": "waits"} | {role: "odd"}
    with pytest.raises(UsageError) as caught:
        build_method(registry, method_settings(table, "m"))
    assert words in str(caught.value)


def test_one_class_may_serve_as_several_roles() -> None:
    class Both:
        sees = ()

        @hookimpl
        def act(self, view: Any) -> str:
            return "wait"

        @hookimpl
        def review_turn(self, view: Any) -> None: ...

    registry = catalogue(actor_both=Both, critic_both=Both)
    method = build_method(registry, method_settings({"actor": "both", "critic": ["both"]}, "m"))
    assert (list(method.actor.hooks), list(method.critics[0].hooks)) == (["act"], ["review_turn"])
