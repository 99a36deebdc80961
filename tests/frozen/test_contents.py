from __future__ import annotations

import ast
import configparser
import json
import os
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from explorer import __version__, paths
from resources.app.shipping import contents

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "resources" / "linux"


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so", "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so", "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt/plugins/imageformats/libqjpeg.so", "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/plugins/platforms/qwindows.dll", "torch/lib/libtorch_cpu.so", "torch/bin/torch_shm_manager",
        "torch/_inductor/config.py", "resources/sample/tests/one.c", "kiwipiepy_model/cong.mdl",
    ],
)  # fmt: skip
def test_what_the_program_needs_is_in(place: str) -> None:
    assert contents.is_wanted(place)


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so", "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/qml/QtQuick/one.qml", "torch/include/ATen/ATen.h", "torch/bin/test_api", "torch/lib/libc10.a",
        "sklearn/tests/test_base.py", "libcudart.so.13",
    ],
)  # fmt: skip
def test_what_it_does_not_need_is_out(place: str) -> None:
    assert not contents.is_wanted(place)


def test_no_package_that_the_program_imports_is_left_out() -> None:
    imported = set()
    for file in (ROOT / "explorer").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module)
    out = set(contents.excluded())
    assert {"torch", "pyarrow.parquet"} <= imported
    assert not [one for one in imported if one in out or one.partition(".")[0] in out]


def test_what_is_built_and_tested_with_is_left_out() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    modules = {
        "import-linter": "importlinter",
        "pytest-timeout": "pytest_timeout",
        "pytest-xdist": "xdist",
        "python-docx": "docx",
    }
    names = [one.partition(">")[0].strip().lower() for one in project["optional-dependencies"]["dev"]]
    out = {one.lower() for one in contents.excluded()}
    assert not [one for one in names if modules.get(one, one).replace("-", "_") not in out]


@pytest.mark.bundled
def test_the_weights_of_the_bundled_model_ship_and_none_of_its_code() -> None:
    shipped = contents.resources(ROOT / "resources")
    places = {(Path(place) / Path(source).name).as_posix() for source, place in shipped}
    assert f"resources/models/{contents.BUNDLED}/model.safetensors" in places
    assert f"resources/models/{contents.BUNDLED}/1_Pooling/config.json" in places
    assert "resources/app/icon.svg" in places
    assert any(one.startswith("resources/translations/") for one in places)
    assert not [one for one in places if one.endswith((".py", ".pyc", ".ts"))]


def test_common_encoders_of_transformers_are_in_and_others_are_not() -> None:
    out = set(contents.excluded())
    for name in ("bert", "roberta", "electra", "distilbert", "mpnet", "xlm_roberta", "modernbert"):
        assert f"transformers.models.{name}.modeling_{name}" in contents.transformers_modules()
        assert f"transformers.models.{name}.modeling_{name}" not in out
    assert "transformers.models.whisper.modeling_whisper" in out
    assert "transformers.models.whisper" not in out  # looked into for tokenizers


def test_the_files_for_linux_desktops_agree() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(LINUX / f"{paths.IDENTIFIER}.desktop", encoding="utf-8")
    said = ET.parse(LINUX / f"{paths.IDENTIFIER}.metainfo.xml").getroot()
    assert entry["Desktop Entry"]["Icon"] == said.findtext("id") == paths.IDENTIFIER
    assert entry["Desktop Entry"]["Exec"].split() == [paths.APP, "%f"]
    assert entry["Desktop Entry"]["Name"] == said.findtext("name")
    assert said.findtext("launchable") == f"{paths.IDENTIFIER}.desktop"
    assert said.find("releases/release").get("version") == __version__  # type: ignore[union-attr]


def test_the_program_tries_itself_and_says_what_happened(tmp_path: Path) -> None:
    picture = tmp_path / "start.png"
    known = {**os.environ, "QT_QPA_PLATFORM": "offscreen", paths.HOME_VARIABLE: str(tmp_path / "home")}
    command = [sys.executable, "-m", "explorer", "--smoke", str(picture)]
    assert subprocess.run(command, env=known, cwd=ROOT, timeout=120, check=False).returncode == 0
    told = json.loads(picture.with_suffix(".json").read_text("utf-8"))
    assert told["done"]
    assert told["painted"]
    assert picture.stat().st_size > 1000
