"""What holds for every page: links lead somewhere, names are known, nothing is said that belongs to one machine."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from cornerman.plugins import Plugins
from cornerman.registry import KINDS
from tests.docs.pages import DOCS, ROOT, anchor, blocks, headings, links, pages, read, section

NAMES = [page.relative_to(ROOT).as_posix() for page in pages()]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_a_file_and_a_heading(name: str) -> None:
    page = ROOT / name
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"https?://", link):
            continue
        target, _, wanted = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{name} links to {link}, which does not exist"
        assert path.is_relative_to(ROOT), f"{name} links to {link}, outside of the repository"
        if wanted:
            known = {anchor(h) for h in headings(path.read_text(encoding="utf-8"))}
            assert wanted in known, f"{name} links to {link}, but {path.name} has no such heading"


@pytest.mark.parametrize("name", NAMES)
def test_headings_of_a_page_differ(name: str) -> None:
    found = [anchor(h) for h in headings((ROOT / name).read_text(encoding="utf-8"))]
    assert len(found) == len(set(found)), sorted(h for h in found if found.count(h) > 1)


def test_the_index_links_to_every_page() -> None:
    linked = set(links(read("index.md")))
    assert {p.name for p in DOCS.glob("*.md")} - {"index.md"} <= linked


@pytest.mark.parametrize("name", NAMES)
def test_no_page_names_a_place_of_one_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(work|root|home|Users|tmp|opt|mnt)/", text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_registered_name_stands_in_the_docs(plugins: Plugins, kind: str) -> None:
    everything = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    for entry in plugins.registry.entries(kind):  # type: ignore[arg-type]
        assert f"`{entry.name}`" in everything or f"cornerman {entry.name}" in everything, f"{kind} {entry.name}"


@pytest.mark.parametrize("name", NAMES)
def test_code_on_a_page_can_be_read(name: str) -> None:
    for block in blocks((ROOT / name).read_text(encoding="utf-8")):
        if block.language == "python":
            compile(block.text, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        elif block.language == "toml":
            tomllib.loads(block.text)
        else:
            assert block.language in ("bash", "text"), f"{name} has a block in {block.language or 'no language'}"


def test_the_readme_and_the_tutorial_show_the_same_critic() -> None:
    [tutorial] = [b.text for b in blocks(read("tutorial.md")) if b.value == "my_critic.py"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```python\n{tutorial}```" in readme


def test_the_version_has_an_entry_in_the_changelog() -> None:
    import cornerman

    assert cornerman.__version__ in headings((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_headings_and_links_are_found_outside_of_code() -> None:
    text = "# One\n\n[a](b.md#two) `x`\n\n```python\n# no heading [l](k.md)\n```\n"
    assert headings(text) == ["One"]
    assert links(text) == ["b.md#two"]
    assert section(text, "One").endswith("```\n")
    assert anchor("What to compare with what?") == "what-to-compare-with-what"
