"""A new user's first stories, counted in keys: in English and in Korean, light and dark, on small and large screens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.end_to_end.new_user import WANTED_KEYS
from tests.ui.support.xvfb import MISSING, XVFB

pytestmark = [pytest.mark.bundled, pytest.mark.skipif(XVFB is None, reason=MISSING)]
HANGUL = re.compile("[가-힣]")
MODEL = {"en": "", "ko": "explorer-minilm-ko-en"}
LOOK = {
    "en": ("--theme", "light", "--size", "3840x2160", "--scale", "2"),
    "ko": ("--theme", "dark", "--size", "1024x700"),
}
ASK = {
    "en": ("--question", "heavy rain and floods", "--many", "path:notes", "--categories", "weather,cooking,sport"),
    "ko": ("--question", "독감 예방 주사", "--many", "path:notes", "--categories", "건강,날씨,시장"),
}


@pytest.mark.parametrize(("language", "documents"), [("en", 520), ("ko", 100)])
def test_what_a_new_user_does_first_takes_few_keys(tmp_path: Path, language: str, documents: int) -> None:
    folder, work = tmp_path / "texts", tmp_path / "work"
    _write_notes(folder, language, documents)
    _index(folder, MODEL[language])
    command = [sys.executable, str(PROJECT / "tests/end_to_end/new_user.py"), str(folder), str(work)]
    ran = subprocess.run(
        [*command, "--language", language, *LOOK[language], *ASK[language]],
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    faults = work / "new_user.faults"
    assert (work / "new_user.json").exists(), f"{faults.read_text() if faults.exists() else ''}{ran.stderr}"
    assert faults.read_text() == ""
    stories = {one["story"]: one for one in json.loads((work / "new_user.json").read_text())}
    keys = {story: stories[story]["keys"] for story in WANTED_KEYS}
    assert all(keys[story] <= most for story, most in WANTED_KEYS.items()), keys
    assert stories["tag what was found and find it by its tag"]["documents"] == documents
    assert stories["sort into three categories"]["documents"] == documents


def _write_notes(folder: Path, language: str, count: int) -> None:
    """Write sentences of the sample in a language, a file each."""
    texts = [path.read_text("utf-8") for path in sorted((PROJECT / "resources/sample").rglob("*")) if _is_text(path)]
    sentences = [" ".join(one.split()) for text in texts for one in re.split(r"(?<=[.?!])\s+|\n\n", text)]
    wanted = [
        one for one in dict.fromkeys(sentences) if len(one) > 25 and bool(HANGUL.search(one)) == (language == "ko")
    ]
    assert len(wanted) >= count, len(wanted)
    (folder / "notes").mkdir(parents=True)
    step = len(wanted) / count
    for number in range(count):
        (folder / "notes" / f"{number:03}.txt").write_text(wanted[int(number * step)], "utf-8")


def _is_text(path: Path) -> bool:
    return path.suffix in (".txt", ".md") and b"\xff" not in path.read_bytes() and _is_utf8(path)


def _is_utf8(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _index(folder: Path, model: str) -> None:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.services.open_workspace import NAME
    from explorer.workspace.workspace import open_workspace

    with open_workspace(folder) as workspace:
        if model:
            workspace.set_setting(NAME, model)  # as the command does: the model belongs to the workspace
        workspace.update(BiEncoder.open(catalog.find(model) if model else catalog.bundled()))
