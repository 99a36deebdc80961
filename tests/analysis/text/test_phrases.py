"""The words of texts as people write them, and the runs they stand in."""

from __future__ import annotations

import time
import unicodedata

import numpy as np
import pytest

from explorer.analysis.text import korean
from explorer.analysis.text.phrases import GLUE, DocumentTerms, find_words, key, read_words, shown
from explorer.task import Cancelled, Progress, Task

MAIL = """From: someone@example.org
Organization: Example Works
In article <1993Apr20.1@example.edu> other@host.example.edu (Other Person) writes:
> The telescope saw a comet.
The comet faded.

--
Some Signature
Quoting poets
"""


def runs(text: str) -> list[str]:
    """The words of a text, a slash where a run ends."""
    found: list[str] = []
    for word in find_words(text):
        if word.form or (found and found[-1] != "/"):
            found.append(word.form or "/")
    return found


def kept(text: str) -> list[str]:
    return [word.form.removeprefix(GLUE) for word in find_words(text) if word.form]


def test_stop_words_and_signs_part_what_is_not_side_by_side() -> None:
    found = runs("The space shuttle of NASA, lunar orbit")
    assert found == ["space", "shuttle", "/", "NASA", "/", "lunar", "orbit"]


def test_a_paragraph_ends_a_run_and_a_line_does_not() -> None:
    assert runs("space\nshuttle\n\norbit") == ["space", "shuttle", "/", "orbit"]


@pytest.mark.parametrize(
    "text",
    [
        "1993 3.14 2,000 10th 20MB",
        "a b c x 7",
        "me@example.org <1993Apr1.2@host.example> http://example.org/comet?a=b www.example.org/comet",
        "host.cs.example.edu rec.autos.misc readme.txt J.F.",
        "ㅋㅋㅋ ㅠㅠ",
        "don't don’t they're I'm the which",
        "m" * 50,
    ],
)
def test_what_names_nothing_is_left_out(text: str) -> None:
    assert kept(text) == []


def test_what_only_looks_like_rubbish_stays() -> None:
    assert kept("node.js C++ C# 3D U.S. X11 e-mails news TCP/IP") == [
        *("node.js", "C++", "C#", "3D", "U.S", "X11", "e-mails", "news", "TCP", "IP")
    ]


def test_what_mail_programs_add_is_left_out() -> None:
    assert kept(MAIL) == ["telescope", "comet", "comet", "faded"]
    assert kept("The article on contracts: she writes well.") == ["contracts"]
    assert kept("M" + "]X'-#" * 12 + "\ncomet") == ["comet"]


def test_marks_of_html_are_left_out_written_or_escaped() -> None:
    assert kept('The <b class="big">comet</b> faded<br/> over&nbsp;Saturn') == ["comet", "faded", "Saturn"]
    assert kept('&lt;A HREF="http://x.org/quickinfo"&gt;Comet&lt;/A&gt; quot;Saturn quot; #39;s rings') == [
        *("Comet", "Saturn", "rings")
    ]
    assert kept("comet < Saturn and rings > moons") == ["comet", "Saturn", "rings", "moons"]


def test_possessives_lose_their_ending() -> None:
    assert kept("Saturn's rings, Saturn’s moons") == ["Saturn", "rings", "Saturn", "moons"]


def test_forms_of_one_word_have_one_key() -> None:
    assert key("orbit") == key("Orbits") == key("ORBITING")
    assert key("e-mail") == key("Emails")
    assert key("왕복선") == key(GLUE + "왕복선")
    assert key("orbit") != key("order")


def test_korean_comes_as_nouns_without_particles() -> None:
    assert runs("우주 왕복선의 발사가 성공했다.") == ["우주", "왕복선", "/", "발사", "/", "성공", "/"]
    assert kept("NASA의 연구원들은 그리고 그것을") == ["NASA", "연구원"]
    assert kept("3월 15일에 8기") == []


def test_a_korean_compound_is_shown_as_written() -> None:
    together = [word.form for word in find_words("우주왕복선이")][:2]
    apart = [word.form for word in find_words("우주 왕복선이")][:2]
    assert shown(together) == "우주왕복선"
    assert shown(apart) == "우주 왕복선"
    assert [key(form) for form in together] == [key(form) for form in apart]


def test_chinese_and_japanese_come_in_words_of_some_length() -> None:
    assert kept("我喜欢机器学习") == ["喜欢", "机器", "学习"]
    assert shown([word.form for word in find_words("机器学习")]) == "机器学习"
    assert kept("コンピュータは東京都にある") == ["コンピュータ", "東京都"]


@pytest.mark.parametrize(
    "text",
    [
        "The café's ﬁrst orbit, ＮＡＳＡ and Zürich",
        "우주왕복선의 발사, NASA의 집에서",
        "コンピュータは東京都に 自然语言处理",
        MAIL,
    ],
)
def test_places_are_those_of_the_original_text(text: str) -> None:
    for written in (text, unicodedata.normalize("NFD", text)):
        found = [word for word in find_words(written) if word.form]
        assert found
        for word in found:
            original = unicodedata.normalize("NFKC", written[word.start : word.end])
            assert original == word.form.removeprefix(GLUE)


def test_reading_many_gives_what_reading_one_gives() -> None:
    texts = ["The space shuttle.", "", "우주왕복선의 발사", MAIL, "机器学习"]
    words = read_words(texts)
    assert len(words) == len(texts)
    starts = [0, *words.ends][: len(words)]
    for text, start, end in zip(texts, starts, words.ends, strict=True):
        tokens = words.tokens[start:end]
        assert [words.forms[token] for token in tokens if token >= 0] == [w.form for w in find_words(text) if w.form]
        assert tokens[-1] == -1


def spelled(words: DocumentTerms) -> list[list[str]]:
    starts = [0, *words.ends][: len(words)]
    return [
        [words.forms[token] if token >= 0 else "/" for token in words.tokens[start:end]]
        for start, end in zip(starts, words.ends, strict=True)
    ]


def test_words_can_be_joined_and_taken() -> None:
    first, second = ["space shuttle", "the comet"], ["", "comet orbit", "우주왕복선"]
    joined = read_words(first).concatenate(read_words(second))
    assert spelled(joined) == spelled(read_words(first + second))
    assert spelled(joined.subset([3, 0])) == spelled(read_words(["comet orbit", "space shuttle"]))
    assert spelled(joined.subset(np.array([], dtype=np.int64))) == []
    assert spelled(read_words([]).concatenate(read_words(second))) == spelled(read_words(second))


def test_progress_is_told_and_cancel_heard() -> None:
    told: list[Progress] = []
    read_words(["comet"] * 600, Task(told.append))
    assert [told[0].done, told[-1].done, told[-1].total] == [0, 600, 600]
    assert len(told) > 2
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        read_words(["comet"], task)


@pytest.mark.parametrize(
    "text",
    [
        "--\n" * 20_000 + "x",
        "\n" + " " * 200_000 + "x",
        "> " * 100_000,
        "a." * 100_000,
        "writes " * 30_000,
        "@" * 200_000,
        "가" * 20_000,
    ],
    ids=["signatures", "blanks", "quotes", "points", "writes", "signs", "hangul"],
)
def test_strange_texts_take_no_time(text: str) -> None:
    key(shown(["warm"]))
    korean.pieces(["가"])
    began = time.process_time()
    read_words([text])
    assert time.process_time() - began < 2
