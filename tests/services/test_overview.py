"""Documents are sorted into the user's categories, and the result is there for queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.services.open_workspace import OpenWorkspace
from explorer.settings import Settings
from explorer.task import Task
from explorer.workspace.storage.user import lists as user_lists
from explorer.workspace.storage.user.lists import UserCategory
from explorer.workspace.workspace import open_workspace

TEXTS = {
    "soup": "Boil the lentils with onions and garlic, then season the soup.",
    "cake": "Mix flour, butter and sugar, and bake the cake for an hour.",
    "match": "The striker scored twice and the team won the cup final.",
    "race": "The runner finished the marathon in a record time.",
    "tax": "The ministry raised the income tax for companies.",
}


@pytest.mark.bundled
def test_documents_are_sorted_by_name_and_example(tmp_path: Path, bundled: Any) -> None:
    root = tmp_path / "texts"
    root.mkdir()
    for name, text in TEXTS.items():
        (root / f"{name}.txt").write_text(text, encoding="utf-8")
    with open_workspace(root) as workspace:
        workspace.update(bundled)
    opened = OpenWorkspace.open(root, Settings())
    try:
        ids = {entry.path.removesuffix(".txt"): entry.id for entry in opened.main.documents()}
        assert opened.categories.saved() is None
        assert opened.categories.classify(Task()).by_document() == {}
        user_lists.set_category(opened.saving, UserCategory("cooking", "recipes and food"))
        user_lists.set_category(opened.saving, UserCategory("sport"))
        found = opened.categories.classify(Task(), threshold=0).by_document()
        assert {found[ids["soup"]], found[ids["cake"]]} == {"cooking"}
        assert {found[ids["match"]], found[ids["race"]]} == {"sport"}
        user_lists.set_examples(opened.saving, [ids["cake"]], "sport")
        labels = opened.categories.classify(Task(), threshold=0)
        assert labels.by_document()[ids["cake"]] == "sport"  # the user's word counts
        saved = opened.categories.saved()
        assert saved is not None
        assert saved.by_document() == labels.by_document()
        assert saved.confidence.tolist() == labels.confidence.tolist()
    finally:
        opened.close()
