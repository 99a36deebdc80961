"""The analyser of Korean in a process of its own: the same answers, and this process goes on meanwhile."""

from __future__ import annotations

import sys
import threading
import time
from itertools import pairwise

import pytest

from explorer.analysis.text import korean
from explorer.analysis.text.korean_process import TRIES, KoreanProcess

LINES = ["한국은행이 기준금리를 올렸다.", "비 오는 날에는 국물이 좋다", "GPT-4와 GPU"]


@pytest.fixture
def apart():
    made = KoreanProcess(korean.load)
    yield made
    made.end()


def without_dictionary() -> korean.Analyser:
    raise ImportError("no analyser here")


def test_it_answers_as_the_one_in_this_process(apart):
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)


def test_this_process_goes_on_while_it_loads(apart):
    beats: list[float] = []
    over = threading.Event()

    def beat() -> None:
        while not over.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.005)

    heart = threading.Thread(target=beat)
    heart.start()
    begun = time.perf_counter()
    apart.tokenize(LINES)
    taken = time.perf_counter() - begun
    over.set()
    heart.join()
    longest = max(later - earlier for earlier, later in pairwise(beats))
    assert longest < taken / 3  # in this process the loading alone stops everything for most of the time


def test_a_process_that_is_killed_is_begun_anew(apart):
    apart.tokenize(LINES[:1])
    first = apart._process
    first.kill()
    first.join(30)
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)
    assert apart._process.pid != first.pid


def test_after_the_last_try_this_process_does_the_work(apart):
    apart._ended = TRIES
    assert apart.tokenize(LINES) == korean.load().tokenize(LINES)
    assert apart._process is None


def test_where_the_analyser_is_missing_it_says_so():
    missing = KoreanProcess(without_dictionary)
    with pytest.raises(ImportError, match="no analyser here"):
        missing.tokenize(LINES)
    missing.end()


def test_the_process_ends_when_nobody_can_ask_it_any_more(apart):
    apart.tokenize(LINES[:1])
    process = apart._process
    apart.end()
    process.join(30)
    assert process.exitcode == 0


def test_a_window_uses_it(monkeypatch):
    monkeypatch.setattr(korean, "_aside", False)
    korean._analyser.cache_clear()
    korean.work_apart()
    try:
        assert [piece.term for piece in korean.pieces(["학교에서"])[0]] == ["학교"]
        used = korean._analyser()
        assert isinstance(used, KoreanProcess)
        assert korean.works_apart()
        used.end()
        assert not korean.works_apart()
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
