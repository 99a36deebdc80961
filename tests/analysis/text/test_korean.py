"""The analyser of Korean in a process of its own: the same answers, and this process goes on meanwhile."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from explorer.analysis.text import korean
from explorer.analysis.text.korean import MAX_FAILURES, KoreanProcess

LINES = ["한국은행이 기준금리를 올렸다.", "비 오는 날에는 국물이 좋다", "GPT-4와 GPU"]


@pytest.fixture
def apart():
    made = KoreanProcess(korean.load)
    yield made
    made.stop()


def without_dictionary() -> korean.Analyser:
    raise ImportError("no analyser here")


def test_it_answers_as_the_one_in_this_process(apart):
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)


def load_when_allowed() -> korean.Analyser:
    """Say which process loads, and load when another has answered."""
    place = Path(os.environ["EXPLORER_TEST_PLACE"])
    (place / "half").write_text(str(os.getpid()))
    (place / "half").rename(place / "loading")
    while not (place / "go on").exists():
        time.sleep(0.01)
    return korean.load()


def test_this_process_goes_on_while_it_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_TEST_PLACE", str(tmp_path))
    made, found = KoreanProcess(load_when_allowed), []
    asking = threading.Thread(target=lambda: found.extend(made.tokenize(LINES)))
    asking.start()
    try:
        while not (tmp_path / "loading").exists():  # another thread waits for the answer meanwhile
            time.sleep(0.01)
        assert asking.is_alive()
        assert int((tmp_path / "loading").read_text()) != os.getpid()
    finally:
        (tmp_path / "go on").touch()
        asking.join()
        made.stop()
    assert found == korean.load().tokenize(LINES)


def test_a_process_that_is_killed_is_begun_anew(apart):
    apart.tokenize(LINES[:1])
    first = apart._process
    first.kill()
    first.join(30)
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)
    assert apart._process.pid != first.pid


def test_after_the_last_try_this_process_does_the_work(apart):
    apart._failures = MAX_FAILURES
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)
    assert apart._process is None


def test_where_the_analyser_is_missing_it_says_so():
    missing = KoreanProcess(without_dictionary)
    with pytest.raises(ImportError, match="no analyser here"):
        missing.tokenize(LINES)
    missing.stop()


def test_the_process_ends_when_nobody_can_ask_it_any_more(apart):
    apart.tokenize(LINES[:1])
    process = apart._process
    apart.stop()
    process.join(30)
    assert process.exitcode == 0


def test_a_window_uses_it(monkeypatch):
    monkeypatch.setattr(korean, "_separate", False)
    korean._analyser.cache_clear()
    korean.use_process()
    try:
        assert [piece.term for piece in korean.pieces(["학교에서"])[0]] == ["학교"]
        used = korean._analyser()
        assert isinstance(used, KoreanProcess)
        assert korean.uses_process()
        used.stop()
        assert not korean.uses_process()
    finally:
        korean._analyser.cache_clear()


def test_long_texts_are_read_in_portions(monkeypatch):
    monkeypatch.setattr(korean, "_AT_ONCE", 10)
    lines = ["가나다", "학교에서 책을 읽었다는 이야기", "", "비", "눈", "a" * 30]
    portions = []
    asked = korean.load().tokenize

    class Noting:
        def tokenize(self, some):
            portions.append(list(some))
            return asked(some)

    monkeypatch.setattr(korean, "_analyser", Noting)
    assert korean.morphemes(lines) == asked(lines)
    assert [line for portion in portions for line in portion] == lines
    assert len(portions) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="a matter of POSIX processes")
def test_no_socket_is_made_for_it(apart, monkeypatch):
    import socket

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket")

    monkeypatch.setattr(socket, "socketpair", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert apart.tokenize(LINES[:1])
