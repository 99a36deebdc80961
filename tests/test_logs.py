"""The log file: rotated, private, in the data folder, and without a word of any document."""

from __future__ import annotations

import logging
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer import logs, paths
from explorer.cli import main as cli_main
from explorer.errors import DataError
from tests.conftest import make_checkpoint

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the log file at the end, and restore the hooks."""
    hooks = sys.excepthook, threading.excepthook
    yield
    logs.stop()
    sys.excepthook, threading.excepthook = hooks


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    def ask(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli_main.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return ask


def written() -> str:
    return logs.log_file().read_text("utf-8")


def test_it_is_in_the_data_folder() -> None:
    assert logs.log_file() == paths.data() / "logs" / "docexplorer.log"


def test_nothing_is_written_before_it_is_started() -> None:
    logging.getLogger("explorer.somewhere").error("too early")
    assert not logs.log_file().exists()


def test_it_is_rotated_and_three_files_are_kept() -> None:
    logs.start()
    for number in range(450):
        logging.getLogger("explorer.somewhere").info("%d %s", number, "x" * 10_000)

    files = sorted(logs.log_file().parent.iterdir())

    assert [file.name for file in files] == ["docexplorer.log", "docexplorer.log.1", "docexplorer.log.2"]
    assert all(file.stat().st_size <= logs.MAX_BYTES for file in files)


@pytest.mark.skipif(sys.platform == "win32", reason="a user's folder is private there by its place")
def test_only_the_user_can_read_it() -> None:
    logs.start()
    for _ in range(150):
        logging.getLogger("explorer.somewhere").info("x" * 10_000)

    folder = logs.log_file().parent

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_information_is_logged_and_details_only_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("explorer.somewhere")
    for debug in (False, True):
        logs.start(debug=debug)
        logger.info("information %s", debug)
        logger.debug("details %s", debug)

    assert "information False" in written()
    assert "details False" not in written()
    assert "details True" in written()
    assert "details True" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_costs_only_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    paths.data().parent.mkdir(parents=True)
    paths.data().write_text("a file where the folder should be")
    logs.start()

    logging.getLogger("explorer.somewhere").error("lost")

    assert capsys.readouterr().err == ""


def test_a_traceback_names_the_error_but_does_not_quote_it() -> None:
    logs.start()
    try:
        try:
            int("words of a document")
        except ValueError as error:
            raise DataError("“words of a document” is not a number.") from error
    except DataError:
        logging.getLogger("explorer.somewhere").exception("reading failed")

    assert "reading failed" in written()
    assert "explorer.errors.DataError" in written()
    assert "ValueError" in written()
    assert "in test_a_traceback_names_the_error" in written()
    assert "caused by:" in written()


def test_what_the_system_says_is_quoted(tmp_path: Path) -> None:
    logs.start()
    try:
        (tmp_path / "missing").read_text()
    except OSError:
        logging.getLogger("explorer.somewhere").exception("reading failed")

    assert "No such file or directory" in written()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_exception_that_nobody_catches_is_logged_in_any_thread(capsys: pytest.CaptureFixture[str]) -> None:
    def explode() -> None:
        raise ZeroDivisionError

    sys.excepthook, threading.excepthook = sys.__excepthook__, threading.__excepthook__
    logs.start()
    logs.log_uncaught()
    thread = threading.Thread(target=explode)
    thread.start()
    thread.join()
    try:
        explode()
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)

    assert written().count("in explode") == 2
    assert capsys.readouterr().err.count("in explode") == 2  # reported as without a log


def test_a_command_logs_its_start_and_its_end_without_what_was_asked(ask: Ask, tmp_path: Path) -> None:
    assert ask("search", tmp_path / "no-such-folder", "a secret question")[0] == 1

    assert "search started" in written()
    assert "search failed" in written()
    assert "Traceback" in written()
    assert "secret" not in written()


def test_debug_before_or_after_the_command_logs_to_the_terminal_as_well(ask: Ask) -> None:
    for words in (("--debug", "models", "--json"), ("models", "--json", "--debug")):
        code, out, err = ask(*words)
        assert code == 0
        assert out.startswith("[")
        assert "INFO" in err
        assert "models started" in err
    assert ask("models", "--json")[2] == ""


def test_no_word_of_a_document_is_logged(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    for name in ("cooking", "law"):
        shutil.copytree(paths.resources() / "sample" / name, folder / name)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 words of a broken document\n")
    model = make_checkpoint(tmp_path / "tiny", "bert")
    lines = {
        line.strip()
        for file in folder.rglob("*")
        if file.suffix in (".md", ".txt")
        for line in file.read_text("utf-8").splitlines()
        if len(line.strip()) >= 12
    }
    assert len(lines) > 50

    code, _, err = ask("--debug", "index", folder, "--model", model, "--threads", 1)

    assert code == 0
    assert "index ended with 0" in written()
    for line in lines:
        assert line not in written() + err
        assert " ".join(line.split()[:4]) not in written() or len(line.split()) < 4
    assert "words of a broken document" not in written() + err
