"""Rows are files of others: whatever stands in them, verification ends in findings or one sentence."""

from __future__ import annotations

import asyncio
import json
import lzma
import os
import shutil
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cornerman.errors import UsageError
from cornerman.packed import packed_lines
from cornerman.plugins import Plugins, load
from cornerman.workers.pool import Pool
from cornerman_leaderboards.rows.boards import PUBLISHED
from cornerman_leaderboards.rows.submission import DIGESTS, FILES, digests
from cornerman_leaderboards.rows.verification import Report, verify

ROW = PUBLISHED / "frozenlake-smoke" / "sweep-smollm2"
PLAIN = [name for name in (*FILES, DIGESTS) if name.endswith((".json", ".toml"))]


@pytest.fixture(scope="module")
def plugins() -> Plugins:
    return load()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A row cut to its first three episodes, so that a check takes no time."""
    row = Path(shutil.copytree(ROW, tmp_path_factory.mktemp("small") / "row"))
    lines = lzma.decompress((row / "episodes.jsonl.xz").read_bytes()).splitlines(keepends=True)[:3]
    (row / "episodes.jsonl.xz").write_bytes(lzma.compress(b"".join(lines)))
    return row


@pytest.fixture
def row(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "row"))


def checked(plugins: Plugins, row: Path) -> Report | str:
    """The report, or the sentence in its place; any other exception fails the test."""

    async def check() -> Report:
        pool = Pool(plugins, 0)
        try:
            return await verify(plugins, row, pool, 1)
        finally:
            await pool.close()

    try:
        return asyncio.run(check())
    except UsageError as error:
        return str(error)


def test_links_are_not_followed(plugins: Plugins, row: Path, tmp_path: Path) -> None:
    for name in (*FILES, DIGESTS):
        (tmp_path / "elsewhere").write_bytes((row / name).read_bytes())
        (row / name).unlink()
        (row / name).symlink_to(tmp_path / "elsewhere")
        assert "is no plain file" in str(checked(plugins, row))
        (row / name).unlink()
        shutil.copyfile(tmp_path / "elsewhere", row / name)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(plugins: Plugins, row: Path) -> None:
    (row / "summary.json").unlink()
    os.mkfifo(row / "summary.json")
    assert "is no plain file" in str(checked(plugins, row))


def test_files_that_are_none_of_a_row_are_named(plugins: Plugins, row: Path) -> None:
    (row / "install.sh").touch()
    (row / "a\x1b[31m").touch()
    report = checked(plugins, row)
    assert isinstance(report, Report)
    assert {"install.sh", "a\\x1b[31m"} <= {f.where for f in report.differ}


def with_dictionary(size: int) -> bytes:
    """An xz file of a few bytes that asks for a dictionary of that size: 2 or 3 times a power of two (xz, 5.3.1)."""
    packed = bytearray(lzma.compress(b"x", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    start, length = 12, (packed[12] + 1) * 4  # the block's header follows that of the stream
    place = packed.index(b"\x21\x01", start) + 2
    packed[place] = (size.bit_length() - 12) * 2
    packed[start + length - 4 : start + length] = zlib.crc32(packed[start : start + length - 4]).to_bytes(4, "little")
    return bytes(packed)


@pytest.mark.parametrize("what", ["line", "lines", "dictionary"])
def test_what_unpacks_to_too_much_is_refused_in_little_memory(tmp_path: Path, what: str) -> None:
    path = tmp_path / "bomb.xz"
    if what == "dictionary":
        path.write_bytes(with_dictionary(1 << 30))
    else:
        packer = lzma.LZMACompressor(preset=0)
        unit = b" " * 999_999 + (b"\n" if what == "lines" else b" ")
        path.write_bytes(b"".join(packer.compress(unit) for _ in range(30)) + packer.flush())
    tracemalloc.start()
    with pytest.raises((OSError, lzma.LZMAError), match=r"unpacks to more than|Memory usage limit"):
        for _ in packed_lines(path, whole=20_000_000, longest=10_000_000):
            pass
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


def test_lines_are_whole_wherever_blocks_end(tmp_path: Path) -> None:
    path = tmp_path / "lines.xz"
    lines = [b"a" * length + b"\n" for length in (0, (1 << 20) - 2, 0, 3_000_000, 5, (1 << 20) - 1)]
    path.write_bytes(lzma.compress(b"".join(lines) + b"torn", preset=0))
    assert list(packed_lines(path)) == lines


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b"a = " + b"[" * 100_000, b"\xff\xfe", b"1e999", b"null", b'{"a": ' * 50_000]
)
def test_deep_and_broken_files_are_one_sentence(plugins: Plugins, row: Path, name: str, content: bytes) -> None:
    (row / name).write_bytes(content)
    assert checked(plugins, row)


def test_deep_episodes_are_one_sentence(plugins: Plugins, row: Path) -> None:
    [first, *_] = lzma.decompress((row / "episodes.jsonl.xz").read_bytes()).splitlines()
    deep = first.replace(b'"settings":{', b'"settings":{"x":' + b"[" * 100_000 + b"]" * 100_000 + b",", 1)
    assert deep != first
    (row / "episodes.jsonl.xz").write_bytes(lzma.compress(deep + b"\n"))
    assert "is no episode record" in str(checked(plugins, row))


ODD = st.sampled_from(
    [None, True, -1, 0, 2**63, 2**80, 1e308, -0.5, "", "../../etc/passwd", "\x00\x1b]0;x\x07", "\ud800", [], {}, [[]]]
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a JSON value with each of its keys."""
    keys: Any = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [p for key in keys for p in ((value, key), *places(value[key]))]


def altered(text: bytes, data: st.DataObject) -> bytes:
    """The same JSON with one value, somewhere, replaced or left out."""
    value = json.loads(text)
    container, key = data.draw(st.sampled_from(places(value)))
    if isinstance(container, dict) and data.draw(st.booleans()):
        del container[key]
    else:
        container[key] = data.draw(ODD)
    return json.dumps(value).encode("utf-8", "surrogatepass")


FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fuzzed(row: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Alter a file of a row and write new digests, as a forger does."""
    path = row / name
    if name.endswith(".xz"):
        first, *others = lzma.decompress(path.read_bytes()).splitlines()
        path.write_bytes(lzma.compress(b"\n".join([change(first), *others, b""])))
    else:
        path.write_bytes(change(path.read_bytes()))
    if name != DIGESTS:
        (row / DIGESTS).write_text(json.dumps(digests(row)), encoding="utf-8")


@FEW
@given(data=st.data())
def test_one_odd_value_anywhere_ends_in_findings_or_a_sentence(
    plugins: Plugins, small: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    row = Path(shutil.copytree(small, tmp_path_factory.mktemp("odd") / "row"))
    name = data.draw(
        st.sampled_from(["manifest.json", "summary.json", "declaration.json", DIGESTS, "episodes.jsonl.xz"])
    )
    fuzzed(row, name, lambda text: altered(text, data))
    assert checked(plugins, row)


@FEW
@given(data=st.data())
def test_flipped_bytes_end_in_findings_or_a_sentence(
    plugins: Plugins, small: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    row = Path(shutil.copytree(small, tmp_path_factory.mktemp("flipped") / "row"))
    path = row / data.draw(st.sampled_from([*FILES, DIGESTS]))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    assert checked(plugins, row)
