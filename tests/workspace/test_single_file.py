"""A single file, such as a table, is opened as if it were a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.corpus.scan.scanner import preview, scan
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.services.folder_preview import delete_workspace, workspace_contents
from explorer.task import Task
from explorer.workspace.storage.location import workspace_of
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import open_workspace

ROWS = "title,text\nsoup,Boil the lentils.\ncake,Bake the cake for an hour.\n"


def test_a_scan_of_a_file_finds_it_alone(tmp_path: Path) -> None:
    table = tmp_path / "표 [1].csv"
    table.write_text(ROWS, "utf-8")
    (tmp_path / "other.txt").write_text("other", "utf-8")
    (entry,) = scan(table, Task()).files
    assert (entry.path, entry.location) == (table.name, table)
    assert preview(table, Task()).total == (1, table.stat().st_size)


def test_only_the_file_is_read_and_it_stays_so(tiny: Path, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text(ROWS, "utf-8")
    (tmp_path / "other.txt").write_text("other", "utf-8")
    encoder = BiEncoder.open(tiny, choose("cpu", precision="float32"))
    with open_workspace(table) as workspace:
        assert (workspace.root, workspace.source) == (tmp_path, table)
        workspace.update(encoder)
        assert [entry.title for entry in workspace.documents()] == ["soup", "cake"]
        with workspace.another() as twin:
            assert twin.source == table
    assert workspace_of(table) != workspace_of(tmp_path)  # the folder itself is another workspace
    with open_workspace(workspace_of(table)) as again:  # by the workspace's own path
        assert again.source == table
        table.write_text(ROWS + "race,The runner won.\n", "utf-8")
        again.update(encoder)
        soup, *others = again.documents()
        assert len(others) == 2
        user_words.add_tag(again, [soup.id], "food")

    contents = workspace_contents(table)
    assert (contents.documents, contents.tags, contents.judgements) == (3, 1, 0)
    assert contents.size > 1000
    with open_workspace(table), pytest.raises(WorkspaceError, match="open in another window"):
        delete_workspace(table)
    assert delete_workspace(table) == contents.location
    assert not contents.location.exists()
    assert table.exists()
    with pytest.raises(WorkspaceError, match="no workspace"):
        delete_workspace(table)
