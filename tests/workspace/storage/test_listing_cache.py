"""The saved list of documents is that of the database, or it is not used."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from explorer.corpus.document import ReadOptions
from explorer.task import Task
from explorer.workspace.storage import array_cache, database, listing_cache
from explorer.workspace.storage.documents import STATE, list_documents
from explorer.workspace.storage.listing_cache import load_listing
from explorer.workspace.update.sync_files import FileSync
from explorer.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setattr(listing_cache, "LEAST", 1)
    texts = tmp_path / "texts"
    texts.mkdir()
    with (texts / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        rows = (
            (f"title {row}", f"Ein Text über Nummer {row}, 한국어", row, row / 2, "red" if row % 2 else "")
            for row in range(5000)
        )
        csv.writer(file).writerows([("title", "text", "number", "share", "colour"), *rows])
    (texts / "note.txt").write_text("a note", encoding="utf-8")
    with Workspace(tmp_path / "workspace", texts, writable=True) as opened:
        read(opened)
        yield opened


def read(workspace: Workspace) -> None:
    FileSync(workspace.connection, workspace.source, ReadOptions()).run(Task())


def rows_of(workspace: Workspace, load=list_documents) -> list[tuple[object, ...]]:
    listing = load(workspace)
    columns = (
        *(listing.ids.tolist(), listing.paths, listing.parts, listing.titles, listing.characters.tolist()),
        *(listing.languages, listing.encodings, listing.sure.tolist(), listing.openings),
    )
    return [tuple(listing.fields), *zip(*columns, *listing.fields.values(), strict=True)]


def test_the_saved_list_has_every_value(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rows_of(workspace)
    assert rows_of(workspace, load_listing) == expected
    monkeypatch.setattr(listing_cache, "list_documents", lambda _: pytest.fail("the documents were read again"))
    assert rows_of(workspace, load_listing) == expected


def test_the_list_of_an_earlier_versions_workspace_is_saved_when_it_is_listed_again(workspace: Workspace) -> None:
    with database.transaction(workspace.connection):
        database.delete_meta(workspace.connection, STATE)
    load_listing(workspace)
    assert not (workspace.folder / listing_cache.FILE).exists()
    load_listing(workspace)
    assert (workspace.folder / listing_cache.FILE).exists()


@pytest.mark.parametrize("change", ["added", "changed", "removed", "moved"])
def test_a_list_of_other_documents_is_not_used(workspace: Workspace, change: str) -> None:
    load_listing(workspace)
    note = workspace.root / "note.txt"
    if change == "added":
        (workspace.root / "more.txt").write_text("more")
    elif change == "changed":
        note.write_text("another note")
    elif change == "removed":
        note.unlink()
    else:
        note.rename(workspace.root / "moved.txt")
    read(workspace)
    assert rows_of(workspace, load_listing) == rows_of(workspace)


@pytest.mark.parametrize("damage", ["codes", "ends", "inside", "utf-8", "count", "numbers", "missing"])
def test_a_list_that_somebody_else_wrote_is_made_again(workspace: Workspace, damage: str) -> None:
    load_listing(workspace)
    path = workspace.folder / listing_cache.FILE
    arrays = array_cache.read_arrays(path, "documents 1")
    assert arrays is not None
    if damage == "codes":
        arrays["paths codes"][3] = 99
    elif damage == "ends":
        arrays["titles ends"][3] = 10**9
    elif damage == "inside":
        data = arrays["openings data"]
        within = int(np.flatnonzero(data & 0xC0 == 0x80)[0])
        arrays["openings ends"][0] = within
    elif damage == "utf-8":
        arrays["titles data"][:] = 0xFF
    elif damage == "count":
        arrays["ids"] = arrays["ids"][1:]
    elif damage == "numbers":
        arrays["paths values"] = np.frombuffer(b"[{}]" + b" " * 9, np.uint8)
    else:
        del arrays["openings data"]
    array_cache.write_arrays(path, "documents 1", arrays)
    assert rows_of(workspace, load_listing) == rows_of(workspace)
