"""compare as people and programs call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import main as cli_main
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.workspace import open_workspace
from tests.conftest import make_checkpoint

Ask = Callable[..., tuple[int, Any, str]]

SAID = "The quick brown fox jumps over the lazy dog under the bright moon."
TEXTS = {
    "fox.txt": f"{SAID} Cats sat on the mat. A king plays loud music.",
    "deep/moon.txt": f"They said: {SAID} A cold river.",
    "ship.txt": "\n\n".join(f"The ship {word} sails the sea. " * 12 for word in "tea king queen".split()),
    "one.md": "# Same\n\nThe cat.",
    "two.md": "# Same\n\nThe dog.",
    "한글.txt": "고양이가 달을 봅니다.",
}


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path) -> Ask:
    """Indexes a small folder, then compares in it: exit code, what was printed, and what went wrong."""
    root = tmp_path / "texts"
    for name, text in TEXTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with open_workspace(root) as workspace:
        workspace.update(BiEncoder.open(tiny, choose("cpu", precision="float32")))

    def ask(*arguments: object, json_too: bool = True) -> tuple[int, Any, str]:
        capsys.readouterr()
        words = ["compare", str(root), *map(str, arguments), "--model", str(tiny), "--device", "cpu"]
        code = cli_main.main([*words, "--json"] if json_too else words)
        out, err = capsys.readouterr()
        return code, json.loads(out) if json_too and code == 0 else out, err

    return ask


def test_the_json_says_all(ask: Ask) -> None:
    code, data, _ = ask("fox.txt", "deep/moon.txt")
    assert code == 0
    assert set(data) == {"cosine", "level", "first", "second", "pairs", "runs", "words", "remarks"}
    assert (data["first"]["document"], data["second"]["document"]) == ("fox.txt", "deep/moon.txt")
    (passage,) = data["first"]["passages"]
    assert set(passage) == {"start", "end", "text", "best", "score", "matched"}
    (pair,) = data["pairs"]
    assert (pair["first"], pair["second"], pair["mutual"]) == (0, 0, True)
    assert (pair["cross_score"], pair["disagree"]) == (None, None)
    for side, text in (("first", TEXTS["fox.txt"]), ("second", TEXTS["deep/moon.txt"])):
        words = pair["why"][side]["words"]
        assert pair["why"]["method"] == "exact"
        assert sum(word["value"] for word in words) + pair["why"][side]["rest"] == pytest.approx(pair["why"]["cosine"])
        assert all(text[word["start"] : word["end"]] == word["text"] for word in words)
        assert pair["why"][side]["read"] == len(text)
    assert [run["text"] for run in data["runs"]] == [SAID[:-1]]
    assert 0 < pair["sameness"] < 1
    assert {change["kind"] for change in pair["differences"]} <= {"same", "changed", "first", "second"}
    assert any("fox" in word for word in data["words"]["shared"])
    assert any("river" in word for word in data["words"]["second"])
    assert data["remarks"] == []


def test_people_see_pairs_words_and_quotations(ask: Ask) -> None:
    code, out, _ = ask("fox.txt", "deep/moon.txt", json_too=False)
    assert code == 0
    assert out.startswith("A  fox.txt  (1 passage, ")
    assert "B  deep/moon.txt  (1 passage, " in out
    assert "Why passages 1 and 1 are at" in out
    assert "Word for word in both (words):\n    13  The quick brown fox" in out
    assert "In both: " in out
    (only,) = [line for line in out.splitlines() if line.startswith("Only B: ")]
    assert "river" in only


def test_explain_says_how_many_pairs_are_explained(ask: Ask) -> None:
    code, data, _ = ask("ship.txt", "fox.txt", "--explain", 2)
    assert code == 0
    assert len(data["pairs"]) > 2
    assert [pair["why"] is None for pair in data["pairs"][:3]] == [False, False, True]
    code, out, _ = ask("ship.txt", "fox.txt", "--explain", 0, json_too=False)
    assert code == 0
    assert "Why passages" not in out


def test_a_cross_encoder_scores_the_pairs(ask: Ask, tmp_path: Path) -> None:
    cross = make_checkpoint(tmp_path / "cross", "bert", classes=1)
    code, data, _ = ask("ship.txt", "fox.txt", "--rerank", cross)
    assert code == 0
    assert all(0 <= pair["cross_score"] <= 1 and pair["disagree"] in {True, False} for pair in data["pairs"])
    code, out, _ = ask("ship.txt", "fox.txt", "--rerank", cross, json_too=False)
    assert code == 0
    assert " score   cross  A  B  match" in out


@pytest.mark.parametrize(
    ("first", "sentence"), [("nothing.txt", "no document is called that"), ("Same", "2 documents are called that")]
)
def test_a_name_of_none_or_several_is_a_sentence(ask: Ask, first: str, sentence: str) -> None:
    code, _, err = ask(first, "fox.txt")
    assert code == 1
    assert sentence in err


@pytest.mark.bundled
def test_a_language_the_model_does_not_read_is_remarked(
    capsys: pytest.CaptureFixture[str], bundled: BiEncoder, tmp_path: Path
) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    for name in ("fox.txt", "한글.txt"):
        (root / name).write_text(TEXTS.get(name, ""), encoding="utf-8")
    with open_workspace(root) as workspace:
        workspace.update(bundled)
    assert cli_main.main(["compare", str(root), "fox.txt", "한글.txt", "--device", "cpu"]) == 0
    out, _ = capsys.readouterr()
    assert "한글.txt: all-MiniLM-L6-v2 does not read the language of this document" in out
    assert "fox.txt: all-MiniLM-L6-v2" not in out
