"""Where things lie: in one folder if told so, else where each system keeps them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from explorer import paths

VARIABLES = ("DOCEXPLORER_HOME", "LOCALAPPDATA", "APPDATA", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
APP = "DocumentSimilarityExplorer"


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home, with no variable set that says where things go."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "person")
    return tmp_path / "person"


def test_one_variable_puts_everything_into_one_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path / "all"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert paths.data() == tmp_path / "all" / "data"
    assert paths.config() == tmp_path / "all" / "config"
    assert paths.cache() == tmp_path / "all" / "cache"
    assert paths.models() == tmp_path / "all" / "data" / "models"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_variable_counts_on_every_system(platform, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path / "all"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert paths.data() == tmp_path / "all" / "data"


def test_an_empty_variable_counts_as_none(person, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("DOCEXPLORER_HOME", "")
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert paths.data() == person / ".local" / "share" / APP


def test_linux_without_variables(person, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert paths.data() == person / ".local" / "share" / APP
    assert paths.config() == person / ".config" / APP
    assert paths.cache() == person / ".cache" / APP


def test_linux_with_the_variables_of_the_standard(person, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    assert paths.data() == tmp_path / "DATA" / APP
    assert paths.config() == tmp_path / "CONFIG" / APP
    assert paths.cache() == tmp_path / "CACHE" / APP


def test_macos(person, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("XDG_DATA_HOME", "not used here")
    assert paths.data() == person / "Library" / "Application Support" / APP
    assert paths.config() == person / "Library" / "Preferences" / APP
    assert paths.cache() == person / "Library" / "Caches" / APP


def test_windows(person, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    assert paths.data() == tmp_path / "Local" / APP / "data"
    assert paths.cache() == tmp_path / "Local" / APP / "cache"
    assert paths.config() == tmp_path / "Roaming" / APP / "config"


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_no_two_kinds_share_a_folder(platform, person, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    assert len({paths.data(), paths.config(), paths.cache()}) == 3


def test_asking_creates_nothing(person, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for ask in (paths.data, paths.config, paths.cache, paths.models):
        ask()
    assert not person.exists()


def test_the_source_tree_has_its_resources():
    assert (paths.resources() / "sample").is_dir()
    assert paths.resources() == Path(paths.__file__).parents[1] / "resources"


def test_a_wheel_has_its_resources_inside_the_package(tmp_path, monkeypatch):
    (tmp_path / "explorer" / "resources").mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(tmp_path / "explorer" / "paths.py"))
    assert paths.resources() == tmp_path / "explorer" / "resources"


def test_a_frozen_app_has_its_resources_where_it_was_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "unpacked"), raising=False)
    assert paths.resources() == tmp_path / "unpacked" / "resources"
