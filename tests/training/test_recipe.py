"""A recipe comes back as it was saved, and one that makes no sense is refused with a sentence."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import DataError
from explorer.training.recipe import DataSource, Guard, Recipe, inside, load, parse, save

FULL = Recipe(
    "classification",
    {"parts": ("u", "v", "difference", "product")},
    name="내 모델",
    base="all-MiniLM-L6-v2",
    data=(
        DataSource("file", "train.tsv", {"first": "premise"}, "labelled"),
        DataSource("judgements"),
        DataSource("file", "sts.csv", score_range=(0.0, 5.0)),
    ),
    batch=32,
    epochs=0.5,
    adapter_rank=8,
    guard=Guard(share=0.2, average=0.7),
)


def test_a_recipe_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    save(FULL, tmp_path / "recipe.json")
    back = load(tmp_path / "recipe.json")
    assert back.as_json() == FULL.as_json()
    assert back.data == FULL.data
    assert back.guard == FULL.guard
    assert json.loads(FULL.as_json())["version"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.json"]


def test_an_objective_is_enough() -> None:
    assert parse('{"objective": "ranking"}') == Recipe("ranking")
    assert Recipe("ranking").kind == "bi"
    assert Recipe("cross-regression").kind == "cross"


def test_a_recipe_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        FULL.batch = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"objective": "magic"}, "no objective"),
        ({"objective": 5}, "no objective"),
        ({"objective": ["regression"]}, "no objective"),
        ({"objective": "triplet", "options": {"margin": "wide"}}, "cannot be"),
        ({"options": 5}, "object"),
        ({"version": 2}, "Update the program"),
        ({"version": "1"}, "not a number"),
        ({"bacth": 16}, "no setting “bacth”"),
        ({"batch": 0}, "“batch” is a whole number from 1"),
        ({"batch": 16.5}, "whole number"),
        ({"batch": True}, "whole number"),
        ({"batch": "16"}, "whole number"),
        ({"batch": None}, "whole number"),
        ({"learning_rate": -1e-5}, "learning_rate"),
        ({"learning_rate": float("inf")}, "not a number"),
        ({"epochs": 0}, "epochs"),
        ({"warm_up": 1.5}, "warm_up"),
        ({"seed": -1}, "seed"),
        ({"precision": "int4"}, "precision"),
        ({"head": ["hub"]}, "head"),
        ({"schedule": "cosine"}, "schedule"),
        ({"name": "../escape"}, "name of a model"),
        ({"name": "a/b"}, "name of a model"),
        ({"name": ".."}, "name of a model"),
        ({"name": ""}, "name of a model"),
        ({"name": "tab\t"}, "name of a model"),
        ({"name": "x" * 200}, "name of a model"),
        ({"base": 3}, "“base” must be a text"),
        ({"dev_share": 0.5, "test_share": 0.5}, "too little"),
        ({"adapter_rank": 4, "freeze_layers": 2}, "Adapters"),
        ({"masked": {"rounds": -1}}, "rounds"),
        ({"masked": {"mask": 1}}, "no setting “mask”"),
        ({"data": [{"use": "play"}]}, "“use” is one of train, dev, test, guard"),
        ({"data": [{"low_is_same": 1}]}, "true or false"),
        ({"data": [{"labels": [1]}]}, "labels"),
        ({"data": [{"rename": {"a": 1}}]}, "rename"),
        ({"data": [{"negatives": 99}]}, "negatives"),
        ({"objective": "contrastive", "batch": 1}, "2 or more"),
        ({"guard": {"share": 1.0}}, "share"),
        ({"guard": {"strength": 1.0}}, "no setting “strength”"),
        ({"guard": [1]}, "object"),
        ({"data": {"path": "x"}}, "list of sources"),
        ({"data": ["x"]}, "object"),
        ({"data": [{"source": "web"}]}, "source"),
        ({"data": [{"path": 5}]}, "text"),
        ({"data": [{"columns": {"first": 1}}]}, "columns"),
        ({"data": [{"score_range": [5, 0]}]}, "score_range"),
        ({"data": [{"score_range": [0]}]}, "score_range"),
    ],
)
def test_what_makes_no_sense_is_told(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps({"objective": "regression"} | change), "utf-8")
    with pytest.raises(DataError, match=told) as caught:
        load(file)
    assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b"{", b'{"batch": 3}', b'{"objective": "regression", "epochs": NaN}', b"\xff\xfe\x00",
        b"[" * 100_000, b'{"objective": "regression", "epochs": 1e999}',
    ],
)  # fmt: skip
def test_what_is_no_recipe_is_told(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_bytes(content)
    with pytest.raises(DataError, match=r"Choose a recipe|“epochs” is a number"):
        load(tmp_path / "recipe.json")


def test_a_file_that_is_missing_or_huge_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "none.json")
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(2_000_000)
    with pytest.raises(DataError, match="too large"):
        load(tmp_path / "huge.json")


def test_impossible_values_are_refused_in_code_too() -> None:
    with pytest.raises(DataError, match="batch"):
        replace(FULL, batch=-1)


@pytest.mark.parametrize(
    "name",
    [
        "", "..", "../x", "a/../../x", "/etc/passwd", "\\\\server\\x", "C:\\x", "C:x", "a\\..\\..\\x", "x\0y",
        "link/secret",
    ],
)  # fmt: skip
def test_paths_stay_inside(name: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("x")
    try:
        (root / "link").symlink_to(tmp_path)
    except OSError:
        pytest.skip("links cannot be made here")
    with pytest.raises(DataError, match=r"folder"):
        inside(root, name)


def test_a_path_inside_is_found(tmp_path: Path) -> None:
    assert inside(tmp_path, "data/train.csv") == tmp_path / "data" / "train.csv"
    assert inside(tmp_path, "..data") == tmp_path / "..data"
