"""Names and texts that look like others: shown as what they are, and compared by what they mean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from explorer.cli import main as cli_main
from explorer.paths import display_path

RIGHT_TO_LEFT = "invoice\u202ecod.exe.txt"  # shown as "invoicetxt.exe.doc" by a viewer that obeys the mark
WIDE = "ｔｅａ"  # full-width letters


def test_a_name_with_tricks_is_only_a_name(tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / RIGHT_TO_LEFT).write_text("the cold winter river")
    (folder / "b.txt").write_text(f"hot {WIDE} in summer", "utf-8")
    assert cli_main.main(["index", str(folder), "--model", str(tiny)]) == 0
    capsys.readouterr()
    assert cli_main.main(["search", str(folder), "tea", "--mode", "keyword", "--model", str(tiny)]) == 0
    assert "b.txt" in capsys.readouterr().out  # the letters are compared as they are meant
    assert cli_main.main(["documents", str(folder)]) == 0
    assert "exe.txt" in capsys.readouterr().out  # the ending is what the program goes by
    assert display_path(RIGHT_TO_LEFT) == "invoice\ufffdcod.exe.txt"  # the mark shows, and turns nothing


def test_a_document_gives_the_terminal_no_orders(
    tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    orders = "&#27;]52;c;ZXZpbA==&#7; &#27;[2J &#x9b;31m &#x202e;txt.exe"  # to write the clipboard, to clear the screen
    page = f"<title>a cold {orders}</title><p>the winter river {orders} and the summer sea</p>"
    (folder / "a.html").write_text(page)
    (folder / "b.html").write_text(page.replace("winter river", "loud king and a quiet queen"))
    model = ["--model", str(tiny)]
    assert cli_main.main(["index", str(folder), *model]) == 0
    for command in (
        ["documents", str(folder)],
        ["search", str(folder), "river", *model],
        ["compare", str(folder), "a.html", "b.html", *model],
        ["compare", str(folder), "a.html", "b.html", "--json", *model],
        ["keywords", str(folder), "a.html", *model],
        ["duplicates", str(folder), *model],
        ["documents", str(tmp_path / "\x1b[2J")],  # a name that is complained of
    ):
        cli_main.main(command)
        said = capsys.readouterr()
        assert said.out + said.err
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said.out + said.err), command


UNSEEN = "200b 200c ad 2064 fe0f feff e0041 115f 3164 61c".split()
NEEDED = ("می\u200cخواهم.txt", "👨\u200d👩.txt", "❤\ufe0f.txt", "葛\U000e0100.txt", "1\ufe0f\u20e3.txt")


@pytest.mark.parametrize("code", UNSEEN)
def test_a_mark_that_nobody_sees_is_shown_in_a_name(code: str) -> None:
    assert display_path(f"invoice{chr(int(code, 16))}.txt") == "invoice\ufffd.txt"


@pytest.mark.parametrize("name", NEEDED)
def test_a_mark_that_a_letter_needs_stays_in_a_name(name: str) -> None:
    assert display_path(name) == name
