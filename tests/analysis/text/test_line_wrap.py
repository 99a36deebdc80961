"""Hard-wrapped lines become paragraphs again; what has lines of its own keeps them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from explorer.analysis.text.line_wrap import unwrap_lines

PARAGRAPH = (
    "The freedom derived configuration could achieve an international complete state with sixteen flights. Three more "
    "flights, to bring up the habitat module, a third array and two assured crew return vehicles would complete it, "
    "and nobody on the review board could say what the operations would cost in the years that follow the assembly."
)
POEM = "Rough winds do shake the darling buds of May,\nAnd summer's lease hath all too short a date;\n" * 8


@pytest.mark.parametrize("width", [60, 72, 80])
def test_wrapped_paragraphs_become_whole(width: int) -> None:
    wrapped = "\n\n".join(textwrap.fill(PARAGRAPH, width) for _ in range(3))
    assert unwrap_lines(wrapped) == "\n\n".join([PARAGRAPH] * 3)


def test_a_text_keeps_its_length_so_that_places_in_it_stay() -> None:
    text = (
        textwrap.fill(PARAGRAPH * 4, 70) + "\n\n> quoted line of some length that goes on to the right edge\n> and on\n"
    )
    assert len(unwrap_lines(text)) == len(text)
    assert "edge\n> and on" in unwrap_lines(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line",
        "short\nlines\nstay\n",
        POEM,
        "\n".join(f"{number:>4}   {'x' * 30}   {'y' * 24}" for number in range(20)),
        "\n".join(f"    for item in range({number}): print(item, {number} * item, sep=', ')" for number in range(9)),
        "\n".join(f"- item {number} is a line that runs to about the same width as all" for number in range(9)),
        "\n".join(
            f"2024-05-0{number} 12:00 INFO explorer.index: {number} of 9 files read again" for number in range(9)
        ),
        "\n".join(PARAGRAPH for _ in range(5)),
    ],
    ids=["empty", "one", "short", "poem", "table", "code", "list", "log", "paragraphs"],
)
def test_lines_of_their_own_stay(text: str) -> None:
    assert unwrap_lines(text) == text


@pytest.mark.data
def test_newsgroup_posts_read_as_paragraphs(data_folder: Path) -> None:
    file = next(path for path in sorted((data_folder / "mini_newsgroups" / "sci.space").iterdir()))
    text = file.read_text("latin-1")
    assert len(unwrap_lines(text)) == len(text)
