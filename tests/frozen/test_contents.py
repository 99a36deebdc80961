from __future__ import annotations

import ast
import configparser
import json
import os
import plistlib
import runpy
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from explorer import __version__, paths
from resources.app.shipping import contents, licences, report

ROOT = Path(__file__).resolve().parents[2]
SPEC, SHIPPING = ROOT / "build_app.spec", ROOT / "resources" / "app" / "shipping"


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so", "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so", "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt/plugins/imageformats/libqjpeg.so", "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/plugins/platforms/qwindows.dll", "torch/lib/libtorch_cpu.so", "torch/bin/torch_shm_manager",
        "torch/_inductor/config.py", "resources/sample/tests/one.c", "kiwipiepy_model/cong.mdl",
        "pyarrow/libarrow_substrait.so.2600",  # which all its modules are linked to
    ],
)  # fmt: skip
def test_what_the_program_needs_is_in(place: str) -> None:
    assert contents.is_wanted(place)


@pytest.mark.parametrize(
    "place",
    [
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so", "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/qml/QtQuick/one.qml", "torch/include/ATen/ATen.h", "torch/bin/test_api", "torch/lib/libc10.a",
        "sklearn/tests/test_base.py", "libcudart.so.13", "PySide6/Qt/lib/libQt6Network.so.6",
    ],
)  # fmt: skip
def test_what_it_does_not_need_is_out(place: str) -> None:
    assert not contents.is_wanted(place)


def test_the_library_that_reads_hangul_documents_is_in() -> None:
    binaries = runpy.run_path(str(SHIPPING / "hooks" / "hook-unhwp.py"))["binaries"]
    places = [Path(place, Path(source).name) for source, place in binaries]
    assert places, "nothing of unhwp would be in the program"
    assert all(find_spec("unhwp") and Path(source).is_file() for source, _ in binaries)
    assert all(place.parts[:2] == ("unhwp", "lib") and contents.is_wanted(place.as_posix()) for place in places)


@pytest.fixture(scope="module")
def out() -> set[str]:
    """What is left out."""
    return set(contents.excluded())


def test_no_package_that_the_program_imports_is_left_out(out: set[str]) -> None:
    imported = set()
    # Work on a cluster is an extra that the frozen program cannot have: it has no Ray.
    for file in set((ROOT / "explorer").rglob("*.py")) - set((ROOT / "explorer" / "cluster").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module)
    assert {"torch", "pyarrow.parquet"} <= imported
    assert not [one for one in imported if one in out or one.partition(".")[0] in out]


def test_what_is_built_and_tested_with_is_left_out(out: set[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    modules = {
        "import-linter": "importlinter",
        "pytest-qt": "pytestqt",
        "pytest-timeout": "pytest_timeout",
        "pytest-xdist": "xdist",
        "python-docx": "docx",
        "python-pptx": "pptx",
        "odfpy": "odf",
    }
    names = [one.partition(">")[0].strip().lower() for one in project["optional-dependencies"]["dev"]]
    lowered = {one.lower() for one in out}
    assert not [one for one in names if modules.get(one, one).replace("-", "_") not in lowered]


@pytest.mark.bundled
def test_the_weights_of_the_bundled_model_ship_and_none_of_its_code() -> None:
    shipped = contents.resources(ROOT / "resources")
    places = {(Path(place) / Path(source).name).as_posix() for source, place in shipped}
    assert f"resources/models/{contents.BUNDLED}/model.safetensors" in places
    assert f"resources/models/{contents.BUNDLED}/1_Pooling/config.json" in places
    assert "resources/app/icon.svg" in places
    assert any(one.startswith("resources/translations/") for one in places)
    assert not [one for one in places if one.endswith((".py", ".pyc", ".ts"))]


def test_common_encoders_of_transformers_are_in_and_others_are_not(out: set[str]) -> None:
    there = set(contents.transformers_modules())
    for name in ("bert", "roberta", "electra", "distilbert", "mpnet", "xlm_roberta", "modernbert"):
        assert f"transformers.models.{name}.modeling_{name}" in there
        assert f"transformers.models.{name}.modeling_{name}" not in out
    assert "transformers.models.whisper.modeling_whisper" in out
    assert "transformers.models.whisper" not in out  # looked into for tokenizers


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("frozen")
    words = report.linux_words(paths.APP, paths.IDENTIFIER, __version__)
    report.install_linux_files(ROOT / "resources" / "linux", ROOT / "resources" / "app", out, words)
    return out / "share"


def test_the_files_for_linux_desktops_agree(desktop: Path) -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(desktop / "applications" / f"{paths.IDENTIFIER}.desktop", encoding="utf-8")
    said = ET.parse(desktop / "metainfo" / f"{paths.IDENTIFIER}.metainfo.xml").getroot()
    assert entry["Desktop Entry"]["Icon"] == said.findtext("id") == paths.IDENTIFIER
    assert entry["Desktop Entry"]["Exec"].split() == [paths.APP, "%f"]
    assert entry["Desktop Entry"]["Name"] == said.findtext("name")
    assert said.findtext("launchable") == f"{paths.IDENTIFIER}.desktop"
    assert said.find("releases/release").get("version") == __version__  # type: ignore[union-attr]
    assert (desktop / "icons" / "hicolor" / "scalable" / "apps" / f"{paths.IDENTIFIER}.svg").is_file()


def test_the_identifier_stands_in_one_place() -> None:
    publisher = paths.IDENTIFIER.rpartition(".")[0]
    files = [*(ROOT / "resources" / "linux").iterdir(), *(ROOT / "resources" / "app").rglob("*.py"), SPEC]
    assert not [one.name for one in files if publisher in one.read_text("utf-8")]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("licences") / "LICENSES"
    names = ("PySide6.QtWidgets", "shiboken6", "torch", "numpy", "kiwipiepy", "pypdfium2", "tokenizers")
    found = [find_spec(name) for name in names]
    entries = [(name, str(spec.origin), "DATA") for name, spec in zip(names, found, strict=True) if spec]
    assert len(entries) == len(names)
    assert not licences.collect(entries, out, ROOT)  # none is without a text
    return out


def test_every_part_brings_its_licence(texts: Path) -> None:
    index = {
        line.partition(":")[0].split()[0]: line for line in texts.joinpath("INDEX.txt").read_text("utf-8").splitlines()
    }
    assert "LGPL-3.0.txt" in index["PySide6_Essentials"]
    assert "LGPL-3.0.txt" in index["shiboken6"]
    assert "Apache-2.0.txt" in index["tokenizers"]
    assert {"torch", "numpy", "kiwipiepy", "Python"} <= set(index)
    assert "scipy" not in index  # nothing of it was inside
    for name in ("torch", "numpy", "kiwipiepy"):
        assert [one for one in (texts / name).rglob("*") if one.is_file()]
    assert list((texts / "pypdfium2").rglob("freetype*"))  # which is inside its library


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("LGPL-3.0.txt", "GNU LESSER GENERAL PUBLIC LICENSE"),
        ("GPL-3.0.txt", "GNU GENERAL PUBLIC LICENSE"),
        ("Apache-2.0.txt", "Apache License"),
        ("Qt.txt", "LGPL-3.0.txt"),
    ],
)
def test_the_licences_of_qt_and_of_the_program_are_there(texts: Path, file: str, words: str) -> None:
    assert words in texts.joinpath(file).read_text("utf-8")


def test_a_notice_of_the_system_brings_what_it_points_to(tmp_path: Path) -> None:
    common = Path("/usr/share/common-licenses/LGPL-2.1")
    if not common.is_file():
        pytest.skip("this system keeps its licences elsewhere")
    licences._copy_common("See /usr/share/common-licenses/LGPL-2.1.", tmp_path)
    assert (tmp_path / "LGPL-2.1").read_bytes() == common.read_bytes()


def test_the_window_has_no_console_and_the_command_line_has_one() -> None:
    calls = [one for one in ast.walk(ast.parse(SPEC.read_text("utf-8"))) if isinstance(one, ast.Call)]
    made = [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == "executable"]
    said = {ast.unparse(one.args[0]): one.keywords[0].value for one in made}
    assert {name: ast.unparse(value) for name, value in said.items()} == {"NAME": "False", "'docexplorer'": "True"}


def test_the_manifest_of_windows_asks_for_sharp_letters_and_long_paths() -> None:
    said = ET.parse(SHIPPING / "windows.manifest").getroot()
    settings = {one.tag.rpartition("}")[2]: one.text for one in said.iter() if "WindowsSettings" in one.tag}
    assert settings == {"dpiAwareness": "PerMonitorV2", "longPathAware": "true", "activeCodePage": "UTF-8"}


def test_the_entitlements_of_macos_are_a_property_list() -> None:
    said = plistlib.loads((SHIPPING / "entitlements.plist").read_bytes())
    assert said["com.apple.security.cs.allow-unsigned-executable-memory"] is True


def test_a_program_without_a_console_may_still_write() -> None:
    first = (SHIPPING / "environment.py").read_text("utf-8")
    script = f"import sys\nsys.stdout = sys.stderr = None\n{first}\nsys.stdout.write('one')\nsys.stderr.flush()"
    assert subprocess.run([sys.executable, "-c", script], timeout=300, check=False).returncode == 0


def test_the_program_tries_itself_and_says_what_happened(tmp_path: Path) -> None:
    picture = tmp_path / "start.png"
    known = {**os.environ, "QT_QPA_PLATFORM": "offscreen", paths.HOME_VARIABLE: str(tmp_path / "home")}
    command = [sys.executable, "-m", "explorer", "--smoke", str(picture)]
    assert subprocess.run(command, env=known, cwd=ROOT, timeout=300, check=False).returncode == 0
    told = json.loads(picture.with_suffix(".json").read_text("utf-8"))
    assert told["done"]
    assert told["painted"]
    assert picture.stat().st_size > 1000
