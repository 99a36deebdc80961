"""What people see in a terminal: lines that fit, columns that meet, sizes and times as people write them."""

from __future__ import annotations

import io
import random
import unicodedata

import pytest
from rich.cells import cell_len as width

from explorer.cli import output
from explorer.cli.output import ProgressBar, bar_line, clipped, duration, size, table
from explorer.task import Progress


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0:00"), (0.4, "0:00"), (7, "0:07"), (59.6, "1:00"), (750, "12:30"), (3599.7, "1:00:00"),
     (3723, "1:02:03"), (90_000, "25:00:00")],
)  # fmt: skip
def test_durations(seconds, said):
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (91_000_000, "91 MB"), (999_999, "1 MB"),
     (999_999_999, "1.0 GB"), (1_340_000_000, "1.3 GB")],
)  # fmt: skip
def test_sizes(count, said):
    assert size(count) == said


def test_a_bar_says_what_how_far_and_how_long_still():
    line = bar_line(Progress(3, 4, "encoding", 65.0))
    assert line.startswith("encoding ")
    assert line.endswith(" 75%  1:05 left")
    assert (line.count("█"), line.count("░")) == (18, 6)


def test_a_bar_ends_with_what_changes_on_the_way():
    line = bar_line(Progress(5, 10, "training", 90.0, "loss 0.0312"))
    assert line.endswith("50%  1:30 left  loss 0.0312")


def test_a_bar_without_an_estimate_says_nothing_of_time():
    assert bar_line(Progress(0, 4, "encoding", None)) == f"encoding {'░' * 24}   0%"


def test_a_bar_is_never_longer_than_full():
    line = bar_line(Progress(9, 4, "encoding", 0.0))
    assert line.count("█") == 24
    assert "100%" in line


def test_a_bar_without_a_total_counts():
    assert bar_line(Progress(12_345, 0, "reading", None)) == "reading 12,345"


def test_korean_letters_take_two_columns_and_marks_none():
    assert width("abc") == 3
    assert width("한국어") == 6
    assert width("文a") == 3
    assert width("e\u0301") == 1
    assert width(unicodedata.normalize("NFD", "한국어")) == 6  # as macOS writes names


def test_columns_meet_whatever_the_letters():
    lines = table(("문서", "score"), [("plain.txt", 0.5), ("전세-특약.txt", 12.25), ("한", -1.0)]).splitlines()
    assert lines[1] == "─" * 14 + " " + "─" * 7
    assert [width(line) for line in lines] == [22, 22, 22, 22, 22]
    assert [line[-7:] for line in lines[2:]] == [" 0.5000", "12.2500", "-1.0000"]


def test_numbers_stand_right_and_texts_left():
    lines = table(("name", "count"), [("a", 5), ("bb", 1234)]).splitlines()
    assert lines == ["name  count", "───── ─────", "a         5", "bb     1234"]


def test_a_column_with_a_text_among_its_numbers_stands_left():
    assert table(("value",), [(5,), ("none",)]).splitlines()[2] == "5"


def test_a_table_without_rows_has_its_head():
    assert table(("a", "bb"), []).splitlines() == ["a  bb", "── ──"]


def test_a_cell_stays_on_its_line_and_commands_no_terminal():
    lines = table(("text", "n"), [("two\nlines\tand \x1b[31mred", 1)]).splitlines()
    assert len(lines) == 3
    assert "\x1b" not in lines[2]


def test_a_text_that_fits_is_not_clipped():
    assert clipped("한국어", 6) == "한국어"
    assert clipped("", 0) == ""


def test_a_clipped_text_says_so():
    assert clipped("a long sentence", 8) == "a long…"
    assert clipped("한국어", 5) == "한국…"
    assert clipped("한국어", 4) == "한…"


def test_a_clipped_text_never_exceeds_its_columns():
    draw = random.Random(0)
    letters = "ab 한국 é文e\u0301…"
    for _ in range(2000):
        text = "".join(draw.choice(letters) for _ in range(draw.randrange(30)))
        columns = draw.randrange(25)
        said = clipped(text, columns)
        assert width(said) <= columns, (text, columns, said)
        assert said == text or not columns or said.endswith("…")


def test_the_bar_draws_over_itself_and_wipes_itself_at_the_end(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    now = iter([100.0, 100.05, 101.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    with ProgressBar(stream, shown=True) as bar:
        bar.show(Progress(1, 4, "encoding", 3.0))
        bar.show(Progress(2, 4, "encoding", 2.0))  # a moment later: not drawn
        bar.show(Progress(3, 4, "encoding", 1.0))
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn[0] == drawn[-1] == ""
    assert [line.count("█") for line in drawn[1:-1]] == [6, 18]
    assert all(width(line) < 30 for line in drawn)


def test_a_bar_that_is_not_shown_writes_nothing():
    stream = io.StringIO()
    with ProgressBar(stream, shown=False) as bar:
        bar.show(Progress(1, 4, "encoding", 3.0))
    assert stream.getvalue() == ""
