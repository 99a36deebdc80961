"""doctor, vectors, and what index tells beforehand and does afterwards."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from explorer import paths
from explorer.cli import main as cli_main
from explorer.corpus.scan import ignore
from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.workspace.storage.location import workspace_of
from explorer.workspace.workspace import Workspace
from tests.conftest import PROJECT

KOREAN = "한국 어 문 장 입니다. 고양이가 밤에 조용히 지붕 위를 걸어 다닙니다. "


@pytest.fixture
def ask(capsys, tiny: Path):
    """Runs a command in this process; gives exit code, stdout and stderr."""

    def ask(command: str, *arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        model = ["--model", str(tiny)] if command == "index" else []
        code = cli_main.main([command, *map(str, arguments), *model])
        return code, *capsys.readouterr()

    return ask


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    (root / "a.txt").write_text("The cat sat on the mat.")
    (root / "b.md").write_text("The dog ran under the moon.")
    (root / "k.txt").write_bytes((KOREAN * 20).encode("cp949"))
    (root / ".hidden").write_text("not for anybody")
    (root / "drop.log").write_text("noise")
    (root / ignore.NAME).write_text("*.log\n")
    (root / "link.txt").symlink_to(root / "nowhere")
    return root


def test_the_texts_are_there_before_the_model_is_open(ask, texts: Path, monkeypatch: pytest.MonkeyPatch):
    found: list[str] = []

    def refuse(*_: object) -> None:
        with Workspace(workspace_of(texts), None, writable=False) as workspace:
            found.extend(entry.path for entry in workspace.documents())
        raise ModelError("too large")

    with monkeypatch.context() as patch:
        patch.setattr(BiEncoder, "open", refuse)
        assert ask("index", texts)[0] == 1
    assert found == ["a.txt", "b.md", "k.txt"]
    code, out, _ = ask("index", texts, "--json")
    told = json.loads(out)
    assert (code, told["documents"], told["update"]["same"]) == (0, 3, 3)


class TestPreview:
    def test_it_tells_what_would_be_read_and_makes_nothing(self, ask, texts: Path):
        code, out, err = ask("index", texts, "--preview", "--json")
        assert (code, err) == (0, "")
        told = json.loads(out)
        assert told["files"] == 3
        assert told["pictures"] == 0
        assert {row["suffix"]: row["files"] for row in told["suffixes"]} == {".txt": 2, ".md": 1}
        assert told["bytes"] == sum((texts / name).stat().st_size for name in ("a.txt", "b.md", "k.txt"))
        rules = {row["rule"]: row for row in told["ignored"]}
        assert rules["*.log"]["examples"] == ["drop.log"]
        assert rules["*.log"]["source"] == ignore.NAME
        assert [(row["path"], row["reason"]) for row in told["skipped"]] == [("link.txt", "broken link")]
        assert not (paths.data() / "workspaces").exists()

    def test_people_read_it_as_a_table(self, ask, texts: Path):
        code, out, _ = ask("index", texts, "--preview")
        assert code == 0
        assert "3 files" in out
        assert "ignored by “*.log”" in out
        assert "skipped [broken link]" in out

    def test_a_folder_that_is_not_there_is_a_sentence(self, ask, tmp_path: Path):
        code, _, err = ask("index", tmp_path / "nowhere", "--preview")
        assert code == 1
        assert "does not exist" in err


class TestEncoding:
    def test_the_encoding_of_a_file_is_chosen(self, ask, texts: Path):
        assert ask("index", texts, "--encoding", "k.txt=latin-1")[0] == 0
        rows = json.loads(ask("documents", texts, "--json")[1])
        (row,) = (row for row in rows if row["document"] == "k.txt")
        assert "8859" in row["encoding"] or "latin" in row["encoding"]
        assert ask("index", texts, "--encoding", "k.txt=cp949", "--encoding", "a.txt=utf-8")[0] == 0
        rows = json.loads(ask("documents", texts, "--json")[1])
        (row,) = (row for row in rows if row["document"] == "k.txt")
        assert row["encoding"] == "cp949"

    def test_bad_choices_are_told(self, ask, texts: Path):
        assert ask("index", texts, "--encoding", "k.txt")[0] == 2
        code, _, err = ask("index", texts, "--encoding", "k.txt=klingon")
        assert code == 1
        assert "klingon" in err


class TestLanguages:
    @pytest.fixture
    def run(self, capsys):
        def run(*arguments: object) -> tuple[int, str, str]:
            capsys.readouterr()
            return cli_main.main([str(argument) for argument in arguments]), *capsys.readouterr()

        return run

    @pytest.fixture
    def mixed(self, tmp_path: Path) -> Path:
        """Two French texts, a Japanese one and an English one."""
        root = tmp_path / "mixed"
        root.mkdir()
        (root / "chat.txt").write_text("Un chat dort près de la fenêtre depuis ce matin.", "utf-8")
        (root / "bourse.txt").write_text("La bourse a fortement chuté hier et les marchés sont inquiets.", "utf-8")
        (root / "法廷.txt").write_text("裁判所は被告人に無罪を言い渡した。", "utf-8")
        (root / "sea.txt").write_text("We went to the sea for our summer holiday.", "utf-8")
        return root

    def test_a_model_that_cannot_read_them_is_told_before_it_is_opened(self, run, mixed: Path, monkeypatch):
        def opened(*_: object) -> None:
            raise ModelError("{name} was opened", name="it")

        monkeypatch.setattr("explorer.cli.index.BiEncoder.open", opened)
        code, _, err = run("index", mixed, "--model", catalog.BUNDLED)
        told, opening = err.splitlines()
        assert (code, opening) == (1, "it was opened")
        assert "75% of these documents are in French and Japanese, which the model all-MiniLM-L6-v2 cannot" in told
        assert f"The model {catalog.MULTILINGUAL} reads them, but the other documents less well." in told
        assert f"docexplorer index {mixed} --model {catalog.MULTILINGUAL}" in told

    def test_the_offered_model_finds_them_by_a_question_in_another_language(self, run, mixed: Path):
        code, out, err = run("index", mixed, "--model", catalog.MULTILINGUAL)
        assert (code, err) == (0, "")
        assert "cannot read" not in out
        for question, document in (("고양이가 자고 있다", "chat.txt"), ("The accused was acquitted", "法廷.txt")):
            first, *_ = json.loads(run("search", mixed, question, "--mode", "semantic", "--json")[1])["hits"]
            assert first["document"] == document

    def test_nobody_reads_hindi(self, run, tmp_path: Path):
        root = tmp_path / "हिन्दी"
        root.mkdir()
        (root / "बिल्ली.txt").write_text("बिल्ली आज सुबह से खिड़की के पास सो रही है।", "utf-8")
        code, out, err = run("index", root, "--model", catalog.BUNDLED)
        assert code == 0
        for told in (out, err):
            assert "No model on this machine reads Hindi: search these documents by word." in told
        (found,) = json.loads(run("search", root, "खिड़की", "--mode", "keyword", "--json")[1])["hits"]
        assert found["document"] == "बिल्ली.txt"


class TestDoctor:
    def test_it_finds_repairs_and_says_so(self, ask, texts: Path):
        folder = Path(json.loads(ask("index", texts, "--json")[1])["workspace"])
        assert "No problems found" in ask("doctor", texts)[1]
        db = sqlite3.connect(folder / "workspace.db")
        db.execute("DELETE FROM words WHERE rowid = 1")
        db.commit()
        db.close()
        code, out, _ = ask("doctor", texts, "--json")
        assert code == 1
        found = json.loads(out)
        assert {row["check"] for row in found if row["state"] == "problem"} == {"cache"}
        assert set(found[0]) == {"check", "state", "message"}
        assert "1 problem left" in ask("doctor", texts)[1]
        code, out, _ = ask("doctor", folder, "--repair")
        assert code == 0
        assert "repaired" in out
        assert "No problems found" in ask("doctor", texts)[1]

    def test_a_folder_without_a_workspace_is_a_sentence(self, ask, texts: Path):
        code, _, err = ask("doctor", texts)
        assert code == 1
        assert "no workspace here" in err


class TestVectors:
    def test_own_vectors_are_taken_in_and_listed(self, ask, texts: Path, tmp_path: Path):
        ask("index", texts)
        np.save(tmp_path / "mine.npy", np.eye(3, 5, dtype=np.float32))
        (tmp_path / "ids.txt").write_text("a.txt\nb.md\nnowhere.txt\n")
        call = ("vectors", texts, "--import", tmp_path / "mine.npy", "--ids", tmp_path / "ids.txt")
        code, out, _ = ask(*call, "--json")
        assert code == 0
        told = json.loads(out)
        assert (told["documents"], told["without"], told["unknown"]) == (2, 1, ["nowhere.txt"])
        assert "2 documents now have a vector of 5 dimensions" in ask(*call, "--name", "other")[1]
        listed = json.loads(ask("vectors", texts, "--json")[1])
        assert {row["name"] for row in listed if row["kind"] == "own"} == {"mine", "other"}
        assert "own-other-" in ask("vectors", texts)[1]

    def test_what_cannot_be_used_is_a_sentence(self, ask, texts: Path, tmp_path: Path):
        ask("index", texts)
        (tmp_path / "bad.npy").write_bytes(b"no array")
        code, _, err = ask("vectors", texts, "--import", tmp_path / "bad.npy", "--ids", tmp_path / "x")
        assert code == 1
        assert "not a sound .npy file" in err


def test_a_column_of_a_table_takes_no_place_of_the_documents_own(ask, texts: Path, tmp_path: Path) -> None:
    rows = "".join(f"x{n},The king plays loud music {n} today,{n},kept {n}\n" for n in range(3))
    (texts / "t.csv").write_text(f"id,words,part,language\n{rows}")
    ask("index", texts, "--text-column", "words")
    out = tmp_path / "all.jsonl"
    assert ask("export", texts, "--out", out)[0] == 0
    found = [row for row in map(json.loads, out.read_text().splitlines()) if row["document"] == "t.csv"]
    assert len(found) == 3
    assert [type(row["id"]) for row in found] == [int] * 3
    assert [row["metadata_id"] for row in found] == ["x0", "x1", "x2"]
    assert [row["metadata_language"] for row in found] == ["kept 0", "kept 1", "kept 2"]
    assert found[0]["text"].startswith("The king")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("more", [(), ("--inside",)])
def test_a_folder_whose_name_is_no_unicode(ask, texts: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    root = texts.rename(tmp_path / os.fsdecode("문서".encode("cp949")))
    code, out, err = ask("index", root, "--json", *more)
    assert (code, err) == (0, "")
    assert json.loads(out)["documents"] == 3
    folder = workspace_of(root)
    with Workspace(folder, None, writable=False) as workspace:
        assert workspace.root == root
    code, out, err = ask("doctor", folder)
    assert (code, "belongs to" in out, "문서" in out) == (0, True, True)
    file = folder / "workspace.db"
    with sqlite3.connect(folder / "user.db") as db:
        db.execute("DELETE FROM settings WHERE key = 'root'")
    assert ask("doctor", root, "--repair")[0] == 0
    file.write_bytes(file.read_bytes()[:40_000])
    ask("doctor", root, "--repair")
    with Workspace(folder, None, writable=False) as workspace:
        assert workspace.root == root


def wait_for(what, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C cannot be sent to one process there")
def test_watching_follows_the_folder_and_ends_well(texts: Path, tiny: Path) -> None:
    """In a process of its own: what Ctrl+C ends is the program."""
    command = [sys.executable, "-m", "explorer", "index", texts, "--watch", "--json", "--inside", "--model", tiny]
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    process = subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def titles() -> set[str]:
        try:
            db = sqlite3.connect(f"{(texts / '.docexplorer/workspace.db').as_uri()}?mode=ro", uri=True)
        except sqlite3.OperationalError:
            return set()
        try:
            return {row[0] for row in db.execute("SELECT f.name FROM documents d JOIN files f ON f.id = d.file")}
        except sqlite3.OperationalError:
            return set()
        finally:
            db.close()

    try:
        wait_for(lambda: {"a.txt", "b.md", "k.txt"} <= titles())
        (texts / "new.txt").write_text("The king plays loud music.")
        wait_for(lambda: "new.txt" in titles())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, b"")
    told = json.loads(out)
    assert told["documents"] == 4
    assert len(told["updates"]) <= 1
