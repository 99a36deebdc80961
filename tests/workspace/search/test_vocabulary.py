"""What the index of words knows of its terms."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from explorer.analysis.text import korean
from explorer.workspace.search.vocabulary import Vocabulary
from explorer.workspace.storage import database


@pytest.mark.parametrize(
    ("terms", "expected"), [("cat 猫 かな zebra", False), ("cat 힣 zebra", True), ("가", True), ("", False)]
)
def test_korean_is_told_from_other_scripts(tmp_path: Path, terms: str, expected: bool) -> None:
    with closing(database.connect(tmp_path, writable=True)) as db:
        db.execute("INSERT INTO words (rowid, terms) VALUES (1, ?)", (terms,))
        assert Vocabulary(db).has_korean() is expected


def test_warming_up_twice_loads_once_and_changes_nothing() -> None:
    before = korean.pieces(["학교에서 공부를 했다"])
    korean.warm_up()
    korean.warm_up()
    assert korean.pieces(["학교에서 공부를 했다"]) == before
    assert any(piece.term == "학교" for piece in before[0])
