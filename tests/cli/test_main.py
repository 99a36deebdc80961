"""The commands as people and programs use them: answers, exit codes, and a sentence where something is wrong."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from explorer import __version__, paths
from explorer.cli import main as cli_main
from explorer.cli.main import COMMANDS, Command
from explorer.cli.output import Answer
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog
from explorer.models.runtime.device import choose
from explorer.models.static_encoder import StaticEncoder, distil
from explorer.task import Cancelled
from explorer.workspace.storage.location import workspace_of
from tests.conftest import make_checkpoint

PROJECT = Path(__file__).resolve().parents[2]
LINES = ["the cat sat on the mat", "", "한국 어 문 장 입니다", "queen plays loud music"]


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    """The program in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT), **options.pop("env", {})}
    command = [sys.executable, "-m", "explorer", *map(str, arguments)]
    return subprocess.Popen(
        command, env=environment, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    )


def run(*arguments: object, **options: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the program in a process of its own."""
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=300)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def ask(capsys):
    """Runs a command in this process; gives exit code, stdout and stderr."""

    def ask(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()  # what was said before
        code = cli_main.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return ask


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def add_command(monkeypatch: pytest.MonkeyPatch, name: str, command) -> None:
    monkeypatch.setitem(COMMANDS, name, Command("A command of the tests.", lambda: (lambda _parser: None, command)))


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith("\n") and "Traceback" not in text and len(text) > 20


class TestUsage:
    def test_help_lists_every_command(self, ask):
        code, out, err = ask("--help")
        assert (code, err) == (0, "")
        for name, command in COMMANDS.items():
            assert re.search(rf"^\s+{name}\s+{re.escape(command.summary)}$", out, re.MULTILINE), name

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_speaks_json_and_can_be_debugged(self, ask, name):
        code, out, _ = ask(name, "--help")
        assert code == 0
        assert "--json" in out
        assert "--debug" in out

    def test_no_command_is_answered_with_the_help(self, ask):
        code, out, _ = ask()
        assert code == 2
        assert out == ask("--help")[1]

    @pytest.mark.parametrize(
        "arguments",
        [
            ["no-such-command"],
            ["encode"],
            ["encode", "texts.txt"],
            ["encode", "texts.txt", "--out", "x.npy", "--role", "judge"],
            ["encode", "texts.txt", "--out", "x.npy", "--threads", "many"],
            ["score", "pairs.csv"],
            ["score", "pairs.csv", "--model", "x", "--columns", "first"],
            ["evaluate", "data.csv", "--score-range", "1"],
            ["models", "--no-such-option"],
        ],
        ids=" ".join,
    )
    def test_bad_usage_is_told_and_ends_with_2(self, ask, arguments):
        code, out, err = ask(*arguments)
        assert (code, out) == (2, "")
        assert "usage: docexplorer" in err
        assert "error:" in err

    def test_the_version_is_told(self, ask):
        assert ask("--version") == (0, f"docexplorer {__version__}\n", "")

    def test_the_exit_codes_reach_the_shell(self, tmp_path):
        assert run("--version")[0] == 0
        assert run()[0] == 2
        assert run("no-such-command")[0] == 2
        code, out, err = run("encode", tmp_path / "no-such.txt", "--out", tmp_path / "x.npy")
        assert (code, out) == (1, "")
        assert is_one_sentence(err)
        assert str(tmp_path / "no-such.txt") in err


class TestErrors:
    @pytest.mark.parametrize(
        "arguments",
        [["encode", "no-such", "--out", "x.npy"], ["score", "no-such", "--model", "x"], ["evaluate", "no-such"]],
        ids=" ".join,
    )
    def test_a_file_that_is_not_there_is_told_in_one_sentence(self, ask, arguments):
        code, out, err = ask(*arguments)
        assert (code, out) == (1, "")
        assert is_one_sentence(err)
        assert "no-such" in err

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--model", "no-such"], "no model and no folder has this name"),
            (["--device", "abacus"], "“abacus” is not a device"),
            (["--threads", "0"], "0 threads"),
        ],
    )
    def test_a_wish_that_cannot_be_met_is_told_in_one_sentence(self, ask, texts, tmp_path, options, said):
        code, out, err = ask("encode", texts, "--out", tmp_path / "x.npy", *options)
        assert (code, out) == (1, "")
        assert is_one_sentence(err)
        assert said in err

    def test_an_unexpected_error_shows_no_traceback(self, ask, monkeypatch):
        def explode(*_: object) -> Answer:
            raise ZeroDivisionError("a secret of the inside")

        add_command(monkeypatch, "explode", explode)
        code, out, err = ask("explode")
        assert (code, out) == (1, "")
        assert is_one_sentence(err)
        assert "ZeroDivisionError: a secret of the inside" in err
        assert "--debug" in err

    def test_an_error_of_the_disk_under_the_database_is_told_as_such(self, ask, monkeypatch):
        def fail(*_: object) -> Answer:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
            raise error

        add_command(monkeypatch, "fail", fail)
        code, out, err = ask("fail")
        assert (code, out) == (1, "")
        assert err == "The workspace could not be read or written (disk I/O error). Check the disk.\n"

    def test_debug_shows_the_traceback_of_an_unexpected_error(self):
        code = """
import sys
from explorer.cli.main import main
from explorer.cli.main import COMMANDS, Command
def explode(chosen, task):
    raise ZeroDivisionError("a secret of the inside")
COMMANDS["explode"] = Command("Explodes.", lambda: (lambda parser: None, explode))
sys.exit(main(["explode", "--debug"]))
"""
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert ended.returncode == 1
        assert "Traceback" in ended.stderr
        assert "in explode" in ended.stderr

    def test_a_cancelled_command_ends_with_130(self, ask, monkeypatch):
        def stop(*_: object) -> Answer:
            raise Cancelled

        add_command(monkeypatch, "stop", stop)
        assert ask("stop") == (130, "", "Cancelled.\n")

    def test_what_was_done_before_a_cancel_is_told(self, ask, monkeypatch):
        add_command(monkeypatch, "half", lambda *_: Answer([1], "one of two", cancelled=True))
        assert ask("half") == (130, "one of two\n", "Cancelled.\n")
        assert ask("half", "--json") == (130, "[\n  1\n]\n", "Cancelled.\n")

    def test_the_first_interrupt_asks_and_the_second_stops(self, ask, monkeypatch):
        reached = []

        def work(_chosen: object, task) -> Answer:
            signal.raise_signal(signal.SIGINT)
            reached.append(task.cancelled)
            signal.raise_signal(signal.SIGINT)
            reached.append("never")
            return Answer(None, "")

        before = signal.getsignal(signal.SIGINT)
        add_command(monkeypatch, "work", work)
        assert ask("work") == (130, "", "Cancelled.\n")
        assert reached == [True]
        assert signal.getsignal(signal.SIGINT) is before

    def test_a_command_runs_in_any_thread(self, monkeypatch, capsys):
        add_command(monkeypatch, "hello", lambda *_: Answer(None, "hello"))
        codes: list[int] = []
        thread = threading.Thread(target=lambda: codes.append(cli_main.main(["hello"])))
        thread.start()
        thread.join(60)
        assert codes == [0]
        assert capsys.readouterr().out == "hello\n"


class TestOutput:
    @pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
    def test_a_reader_that_goes_away_is_no_error_to_see(self, options):
        process = start("models", *options)
        process.stdout.close()
        _, err = process.communicate(timeout=300)
        assert err == b""
        assert process.returncode == 1

    @pytest.mark.parametrize(
        "env",
        [
            {"LC_ALL": "C"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"PYTHONIOENCODING": "ascii"},
        ],
        ids=["C", "old C", "ascii"],
    )
    def test_a_terminal_that_lacks_a_letter_gets_another(self, env):
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONIOENCODING", "PYTHONUTF8"}}
        paths.models().joinpath("한국어").mkdir(parents=True)
        (paths.models() / "한국어" / "config.json").write_text("{}")
        command = [sys.executable, "-m", "explorer", "models"]
        for options in ([], ["--json"]):
            ended = subprocess.run(
                [*command, *options], env=kept | {"PYTHONPATH": str(PROJECT)} | env, capture_output=True
            )
            assert (ended.returncode, ended.stderr) == (0, b"")
            assert b"all-MiniLM-L6-v2" in ended.stdout
            if options:
                names = [entry["name"] for entry in json.loads(ended.stdout)]
                assert "한국어".encode() in [name.encode("utf-8", "surrogateescape") for name in names]

    def test_a_name_that_is_no_unicode_can_be_told(self, ask, monkeypatch):
        add_command(monkeypatch, "name", lambda *_: Answer(["\udcff"], "\udcff"))
        assert ask("name") == (0, "?\n", "")


class TestModels:
    def test_json_has_every_field(self, ask, tiny, tmp_path):
        shutil.copytree(tiny, tmp_path / "more" / "acme--tiny")
        (tmp_path / "more" / "broken").mkdir()
        (tmp_path / "more" / "broken" / "config.json").write_text("{}")
        code, out, _ = ask("models", tmp_path / "more", "--json")
        found = {entry["name"]: entry for entry in json.loads(out)}
        assert code == 0
        assert found["acme/tiny"] == {
            "name": "acme/tiny",
            "kind": "bi",
            "source": "folder",
            "path": str(tmp_path / "more" / "acme--tiny"),
            "bytes": sum(file.stat().st_size for file in tiny.iterdir()),
            "dimension": 32,
            "max_tokens": 64,
            "languages": [],
            "licence": "",
            "on_disk": True,
            "problem": "",
            "measures": {},
        }
        assert (found["broken"]["kind"], bool(found["broken"]["problem"])) == ("", True)
        assert any(entry["path"] is None and not entry["on_disk"] for entry in found.values())

    def test_people_see_a_table_and_what_is_wrong(self, ask, tmp_path):
        (tmp_path / "more" / "broken").mkdir(parents=True)
        (tmp_path / "more" / "broken" / "config.json").write_text("{}")
        _, out, _ = ask("models", tmp_path / "more")
        assert re.search(r"^all-MiniLM-L6-v2 +bi +shipped +\d+ MB +384 +en +apache-2.0 +yes$", out, re.MULTILINE)
        assert re.search(r"^broken +unusable", out, re.MULTILINE)
        assert f"{tmp_path / 'more' / 'broken' / 'config.json'}: the model's type" in out

    def test_a_name_that_is_no_models_is_not_downloaded(self, ask):
        code, _, err = ask("models", "--download", "../../etc/passwd")
        assert code == 1
        assert is_one_sentence(err)


class TestEncode:
    def test_the_vectors_are_those_of_the_model(self, ask, texts, tiny, tmp_path):
        out = tmp_path / "vectors.npy"
        code, said, err = ask("encode", texts, "--out", out, "--model", tiny, "--json")
        model = BiEncoder.open(tiny, choose("cpu", precision="float32"))
        assert (code, err) == (0, "")
        assert json.loads(said) == {
            "out": str(out),
            "texts": 4,
            "encoded": 4,
            "dimension": 32,
            "model": model.fingerprint,
        }
        np.testing.assert_allclose(np.load(out), model.encode(LINES).whole(), atol=1e-6)

    def test_people_are_told_where_they_are(self, ask, texts, tiny, tmp_path):
        assert ask("encode", texts, "--out", tmp_path / "v.npy", "--model", tiny) == (
            0,
            f"4 of 4 texts encoded, 32 dimensions each, in {tmp_path / 'v.npy'}.\n",
            "",
        )

    def test_a_draft_can_be_used(self, ask, texts, tiny, tmp_path):
        assert ask("encode", texts, "--out", tmp_path / "v.npy", "--model", tiny, "--draft")[0] == 0
        made = distil(BiEncoder.open(tiny, choose("cpu", precision="float32")))
        np.testing.assert_allclose(np.load(tmp_path / "v.npy"), made.encode(LINES).whole(), atol=0.02)

    def test_a_text_is_a_line_and_nothing_else(self, ask, tiny, tmp_path):
        path = tmp_path / "texts.txt"
        path.write_bytes("\ufeffcat\r\ndog\u2028house\x0c\x85moon\n\nking".encode())
        assert ask("encode", path, "--out", tmp_path / "v.npy", "--model", tiny)[0] == 0
        expected = BiEncoder.open(tiny, choose("cpu", precision="float32")).encode(
            ["cat", "dog\u2028house\x0c\x85moon", "", "king"]
        )
        np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected.whole(), atol=1e-6)

    def test_texts_can_come_from_standard_input(self, ask, tiny, tmp_path, monkeypatch):
        given = io.TextIOWrapper(io.BytesIO("고양 이\ncat\n".encode()), encoding="ascii")
        monkeypatch.setattr(sys, "stdin", given)
        assert ask("encode", "-", "--out", tmp_path / "v.npy", "--model", tiny)[0] == 0
        expected = BiEncoder.open(tiny, choose("cpu", precision="float32")).encode(["고양 이", "cat"])
        np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected.whole(), atol=1e-6)

    def test_an_empty_file_gives_no_vectors(self, ask, tiny, tmp_path):
        (tmp_path / "empty.txt").write_text("")
        assert ask("encode", tmp_path / "empty.txt", "--out", tmp_path / "v.npy", "--model", tiny)[0] == 0
        assert np.load(tmp_path / "v.npy").shape == (0, 32)

    def test_the_ending_is_added_and_nothing_taken_away(self, ask, texts, tiny, tmp_path):
        _, said, _ = ask("encode", texts, "--out", tmp_path / "v1.5", "--model", tiny, "--json")
        assert json.loads(said)["out"] == str(tmp_path / "v1.5.npy")
        assert np.load(tmp_path / "v1.5.npy").shape == (4, 32)

    def test_a_place_that_is_not_there_is_told_before_the_work(self, ask, texts, tmp_path):
        code, _, err = ask("encode", texts, "--out", tmp_path / "no-such" / "v.npy", "--model", "never looked for")
        assert code == 1
        assert is_one_sentence(err)
        assert f"{tmp_path / 'no-such'}: no such folder" in err

    def test_a_file_that_cannot_be_written_is_told(self, ask, texts, tiny, tmp_path):
        (tmp_path / "v.npy").mkdir()
        code, _, err = ask("encode", texts, "--out", tmp_path / "v.npy", "--model", tiny)
        assert code == 1
        assert is_one_sentence(err)
        assert "cannot be written" in err

    def test_a_file_that_is_no_text_is_told(self, ask, tmp_path):
        (tmp_path / "x.txt").write_bytes(b"\xff\xfe\x00\xd8")
        code, _, err = ask("encode", tmp_path / "x.txt", "--out", tmp_path / "v.npy")
        assert code == 1
        assert is_one_sentence(err)
        assert "not UTF-8" in err

    def test_a_cross_encoder_is_refused(self, ask, texts, tmp_path):
        model = make_checkpoint(tmp_path / "cross", "bert", classes=1)
        code, _, err = ask("encode", texts, "--out", tmp_path / "v.npy", "--model", model)
        assert code == 1
        assert is_one_sentence(err)
        assert "Choose a bi-encoder" in err

    @pytest.mark.bundled
    @pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
    def test_an_interrupt_keeps_what_was_done(self, tmp_path):
        count = 6_000
        texts, out = tmp_path / "texts.txt", tmp_path / "v.npy"
        texts.write_text("".join(f"Line {row} of a long report on the weather.\n" for row in range(count)))
        ours, theirs = os.openpty()
        process = start("encode", texts, "--out", out, stderr=theirs, env={"COLUMNS": "100"})
        os.close(theirs)
        try:
            seen = _read_until(ours, rb"encoding \S+ +[1-9]\d*%", 300)
            assert not out.exists()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=300)[0].decode()
            seen += _read_until(ours, rb"Cancelled\.", 60)
        finally:
            process.kill()
            os.close(ours)

        assert process.returncode == 130
        assert b"Traceback" not in seen
        assert seen.endswith(b"\x1b[KCancelled.\r\n")  # the bar is wiped before
        vectors = np.load(out)
        done = vectors.any(axis=1)
        assert vectors.shape == (count, 384)
        assert 0 < done.sum() < count
        np.testing.assert_allclose(np.linalg.norm(vectors[done], axis=1), 1, atol=1e-5)
        assert said.startswith(f"{done.sum():,} of 6,000 texts")
        assert "Rows of the other texts are zeros." in said


def _read_until(terminal: int, pattern: bytes, seconds: float) -> bytes:
    """What the program writes to its terminal up to the pattern and what came with it."""
    seen, end = b"", time.monotonic() + seconds
    while not re.search(pattern, seen):
        assert time.monotonic() < end, seen
        try:
            seen += os.read(terminal, 65_536)
        except OSError as closed:  # Linux's way to say that the other side is gone
            raise AssertionError(seen) from closed
    return seen


class TestScore:
    @pytest.fixture
    def pairs(self, tmp_path: Path) -> Path:
        path = tmp_path / "pairs.csv"
        path.write_text('q,a,note\nthe cat,"a dog\nran",x\nking,queen,y\n', encoding="utf-8")
        return path

    PAIRS = (("the cat", "a dog\nran"), ("king", "queen"))

    def test_one_output_is_a_score(self, ask, pairs, tmp_path):
        model = make_checkpoint(tmp_path / "cross", "bert", classes=1)
        code, out, err = ask("score", pairs, "--model", model, "--json")
        expected = CrossEncoder.open(model, choose("cpu", precision="float32")).score(self.PAIRS).relevance()
        answer = json.loads(out)
        assert (code, err) == (0, "")
        assert [(pair["first"], pair["second"]) for pair in answer] == list(self.PAIRS)
        assert [pair["labels"] for pair in answer] == [None, None]
        np.testing.assert_allclose([pair["score"] for pair in answer], expected, atol=2e-6)

    def test_several_outputs_are_labels(self, ask, pairs, tmp_path):
        model = make_checkpoint(tmp_path / "cross", "bert", classes=3)
        config = json.loads((model / "config.json").read_text())
        config["id2label"] = {"0": "contradiction", "1": "entailment", "2": "neutral"}
        (model / "config.json").write_text(json.dumps(config))
        _, out, _ = ask("score", pairs, "--model", model, "--json")
        expected = CrossEncoder.open(model, choose("cpu", precision="float32")).score(self.PAIRS).probabilities()
        answer = json.loads(out)
        assert [list(pair["labels"]) for pair in answer] == [["contradiction", "entailment", "neutral"]] * 2
        np.testing.assert_allclose([list(pair["labels"].values()) for pair in answer], expected, atol=2e-6)
        assert [pair["score"] for pair in answer] == pytest.approx(
            [pair["labels"]["entailment"] for pair in answer], abs=1e-6
        )

    def test_people_see_a_line_a_pair(self, ask, pairs, tmp_path):
        model = make_checkpoint(tmp_path / "cross", "bert", classes=1)
        lines = ask("score", pairs, "--model", model)[1].splitlines()
        assert len(lines) == 4
        assert lines[0].split() == ["score", "first", "second"]
        assert lines[2].endswith("the cat  a dog ran")

    def test_columns_can_be_named(self, ask, tmp_path):
        path = tmp_path / "pairs.csv"
        path.write_text("id,left,right\n1,cat,dog\n", encoding="utf-8")
        model = make_checkpoint(tmp_path / "cross", "bert", classes=1)
        code, out, _ = ask("score", path, "--model", model, "--columns", "first=right", "second=left", "--json")
        assert code == 0
        assert (json.loads(out)[0]["first"], json.loads(out)[0]["second"]) == ("dog", "cat")

    def test_a_bi_encoder_is_refused(self, ask, pairs, tiny):
        code, _, err = ask("score", pairs, "--model", tiny)
        assert code == 1
        assert is_one_sentence(err)
        assert "Choose a cross-encoder" in err


class TestEvaluate:
    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        path = tmp_path / "data.csv"
        rows = ["the cat,the cat,5", "the cat,a dog,3.5", "king,cold tea,0", "ship,sails,2", "moon,river,none"]
        path.write_text("sentence1,sentence2,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
        return path

    def test_json_has_the_measures_and_the_rows_left_out(self, ask, data, tiny):
        code, out, err = ask("evaluate", data, "--model", tiny, "--json")
        answer = json.loads(out)
        assert (code, err) == (0, "")
        assert set(answer) == {"data", "model", "data_kind", "model_kind", "count", "measures", "problems"}
        assert (answer["data"], answer["model"]) == (str(data), str(tiny))
        assert (answer["data_kind"], answer["model_kind"], answer["count"]) == ("scored", "bi", 4)
        assert set(answer["measures"]) == {"spearman", "pearson", "spearman_euclidean"}
        assert all(-1 <= value <= 1 for value in answer["measures"].values())
        assert [problem["line"] for problem in answer["problems"]] == [6]

    def test_people_see_them_too(self, ask, data, tiny):
        _, out, _ = ask("evaluate", data, "--model", tiny)
        assert f"{data}: 4 scored, bi-encoder {tiny}" in out
        assert re.search(r"^spearman +-?\d\.\d{4}$", out, re.MULTILINE)
        assert "1 rows were skipped:\n  line 6 has a" in out

    def test_a_draft_and_a_cross_encoder_can_be_measured(self, ask, data, tiny, tmp_path):
        drafted = json.loads(ask("evaluate", data, "--model", tiny, "--draft", "--json")[1])
        whole = json.loads(ask("evaluate", data, "--model", tiny, "--json")[1])
        assert drafted["measures"] != whole["measures"]
        model = make_checkpoint(tmp_path / "cross", "bert", classes=1)
        crossed = json.loads(ask("evaluate", data, "--model", model, "--kind", "cross", "--json")[1])
        assert (crossed["model_kind"], set(crossed["measures"])) == ("cross", {"spearman", "pearson"})

    def test_a_model_of_another_kind_is_told(self, ask, data, tiny):
        code, _, err = ask("evaluate", data, "--model", tiny, "--kind", "cross")
        assert code == 1
        assert is_one_sentence(err)
        assert "this is a bi-encoder, not a cross-encoder" in err

    @pytest.mark.bundled
    def test_the_default_model_is_measured_without_another(self, ask, tmp_path):
        path = tmp_path / "data.tsv"
        rows = [
            "a cat sleeps\ta kitten naps\t1",
            "a cat sleeps\tshares fell today\t0",
            "hello\thi there\t0.8",
            "bake the bread\tthe loaf goes into the oven\t0.7",
        ]
        path.write_text("\n".join(["text1\ttext2\tscore", *rows]), encoding="utf-8")
        answer = json.loads(ask("evaluate", path, "--json")[1])
        assert answer["model"] == catalog.DEFAULT
        assert answer["measures"]["pearson"] > 0.7


class TestDistil:
    def test_it_writes_the_models_draft(self, ask, tiny, tmp_path):
        code, out, _ = ask("distil", "--model", tiny, "--out", tmp_path / "draft", "--json")
        opened = StaticEncoder.open(tmp_path / "draft")
        assert code == 0
        assert json.loads(out) == {"out": str(tmp_path / "draft"), "dimension": 32, "fingerprint": opened.fingerprint}

    def test_it_takes_nothing_of_the_users_away(self, ask, tiny, tmp_path):
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "thesis.txt").write_text("years of work")
        code, _, err = ask("distil", "--model", tiny, "--out", mine)
        assert code == 1
        assert is_one_sentence(err)
        assert (mine / "thesis.txt").read_text() == "years of work"


@pytest.mark.bundled
class TestDemo:
    def test_it_finds_both_tickets_and_the_copies(self, ask, demo):
        """On a sample that was indexed before; test_readme.py runs it on one that was not."""
        (database,) = demo.rglob("workspace.db")
        shutil.copytree(database.parent, workspace_of(paths.resources() / "sample"))
        code, out, err = ask("demo", "--json")
        answer = json.loads(out)
        assert (code, err) == (0, "")
        assert set(answer) == {"documents", "model", "device", "seconds", "query", "hits", "similar_pairs"}
        assert answer["documents"] >= 120
        scores = [hit["score"] for hit in answer["hits"]]
        assert scores == sorted(scores, reverse=True)
        found = " ".join(hit["document"] for hit in answer["hits"])
        assert "ticket-4127" in found
        assert "ticket-4133" in found
        alike = [{pair["first"], pair["second"]} for pair in answer["similar_pairs"]]
        assert {"health/heat-illness-first-aid.txt", "travel/summer-walking-advice.txt"} in alike[:2]
        assert {"law/전세-특약.txt", "finance/전세-특약-사본.txt"} in alike[:2]
        assert answer["seconds"]["encode"] == 0  # all was there
        assert all(not hit["text"].startswith("-") and len(hit["text"]) <= 70 for hit in answer["hits"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_under_the_output_is_told_as_that() -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "explorer", "models"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=PROJECT
        )
    assert ran.returncode == 1
    assert "The output could not be written" in ran.stderr
    assert "unexpected" not in ran.stderr
