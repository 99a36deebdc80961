"""Documents as attackers: whatever is in them, they are texts."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from pathlib import Path

import pytest

from tests.security.conftest import Watched

MARK = "pwned"
SCRIPT = f"import pathlib; pathlib.Path({MARK!r}).touch()"
HOSTILE = '<img src="file:///etc/hostname" onerror="alert(1)"><script src="http://127.0.0.1:9/x.js"></script>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of hostile files and two honest ones."""
    root = tmp_path / "texts"
    root.mkdir()
    files: dict[str, str | bytes] = {
        "honest.txt": "The river froze in the cold winter.",
        "honest2.txt": "A ship sails over the sea in summer.",
        "code.py": SCRIPT,
        "page.html": f"<html><body><p>green tea</p>{HOSTILE}</body></html>",
        "note.ipynb": '{"cells": [{"cell_type": "code", "source": ["' + SCRIPT.replace('"', "'") + '"]}]}',
        "table.csv": 'text\n=HYPERLINK("http://127.0.0.1:9/";"x")\n@SUM(1+1)*cmd|\' /C calc\'!A0\n',
        "macro.docx": archive({"word/document.xml": word("hot tea"), "word/vbaProject.bin": b"\0" * 50}),
        "outside.docx": archive({"word/document.xml": word("cold tea"), f"../../{MARK}": b"x", f"/{MARK}": b"x"}),
        "laughs.odt": archive({"content.xml": laughs()}),
        "bomb.docx": archive({"word/document.xml": b"<w:document>" + b" " * 400_000_000}),
        "deep.html": "<div>" * 200_000 + "deep",
    }
    for name, content in files.items():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if os.name == "posix":
        for name in ("=cmd|' C calc'!A0.txt", "-rf.txt", "line\nbreak.txt", "..txt", f"{HOSTILE[:4]}b>.txt"):
            (root / name).write_text("a king plays loud music")
    return root


def archive(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def word(text: str) -> bytes:
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>"
    return f'<w:document xmlns:w="{name}">{body}</w:document>'.encode()


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE x [<!ENTITY l0 "ha">{entities}]><x>&l11;</x>'.encode()


def test_nothing_of_a_document_runs_calls_out_or_is_written_elsewhere(
    folder: Path, tmp_path: Path, tiny: Path, watched: Watched
) -> None:
    model, out = ["--model", tiny], tmp_path / "record"
    told = watched(
        ["index", folder, *model],
        ["search", folder, "tea", *model, "--json"],
        ["duplicates", folder, *model],
        ["clusters", folder],
        ["keywords", folder, "honest.txt", *model],
        ["compare", folder, "honest.txt", "honest2.txt", *model],
        ["outliers", folder],
        ["map", folder, "--out", out / "map.html"],
        ["map", folder, "--out", out / "map.svg"],
        ["export", folder, "--out", out / "all.csv"],
        ["projector", folder, "--out", out / "projector"],
        ["problems", folder, "--json"],
        ["doctor", folder],
    )

    assert set(told["codes"]) == {0}, told["said"][-2000:]
    assert told["connections"] == told["programs"] == told["pickles"] == told["writes"] == []
    assert not list(tmp_path.rglob(MARK))
    assert not Path(MARK).exists()
    for name in ("bomb.docx", "laughs.odt"):
        assert f'"path": "{name}"' in told["said"]
    check_csv(out / "all.csv")
    for name in ("map.html", "map.svg"):
        made = (out / name).read_text("utf-8")
        assert "<img src" not in made
    assert "default-src 'none'" in (out / "map.html").read_text("utf-8")


def check_csv(file: Path) -> None:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@", "\t", "\r")]
    assert [cell for cell in cells if "HYPERLINK" in cell]
