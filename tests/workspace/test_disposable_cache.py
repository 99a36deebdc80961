"""The cache can be deleted at any moment: everything the user said finds its document again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.analysis.clusters.edits import RenameCluster
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.overview import clusters
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage import database
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for name, text in (
        ("cat", "The cat sat on the mat."),
        ("dog", "The dog ran over the stone."),
        ("sea", "A hot sea."),
    ):
        (root / f"{name}.txt").write_text(text)
    (root / "lines.txt").write_text("The king plays.\nThe queen sings.\nThe child sleeps.")
    (root / "old.txt").write_bytes("Der K\u00f6nig spielt.".encode("latin-1"))
    (root / "table.csv").write_text(
        "text,year\nThe cold winter river froze,1\nThe loud music ended,2\nA ship came home,3\n"
    )
    return root


def forget(workspace: Workspace) -> None:
    """Delete everything but what the user said."""
    workspace.close()
    for path in workspace.folder.iterdir():
        if path.name.startswith("user.db") or path.suffix == ".lock":
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert not (workspace.folder / database.FILE).exists()


def text_id(workspace: Workspace, start: str) -> int:
    (document,) = (e.id for e in workspace.documents() if workspace.text(e.id).startswith(start))
    return document


def tagged(workspace: Workspace) -> dict[str, set[str]]:
    """The tags of each text."""
    return {workspace.text(document): set(tags) for document, tags in user_words.tags_of(workspace).items()}


def results(workspace: Workspace, encoder: BiEncoder) -> list[object]:
    """What can be seen of a workspace, without ids."""
    named = {entry.id: f"{entry.path} {entry.part}" for entry in workspace.documents()}
    found = Searcher(workspace, encoder).search("the cat plays")
    table = vector_table.load(workspace)
    judged = [
        (j.first, j.second, j.value, named.get(j.first_document or 0), named.get(j.second_document or 0))
        for j in user_words.judgements(workspace)
    ]
    edits = [
        (edit.name, [named[int(key)] for key in edit.cluster])
        for edit in clusters.edits(workspace)
        if isinstance(edit, RenameCluster)
    ]
    return [
        sorted((named[entry.id], workspace.text(entry.id), entry.encoding) for entry in workspace.documents()),
        sorted((hit.path, round(hit.score, 4)) for hit in found.hits),
        sorted((named[int(d)], int(length)) for d, length in zip(table.documents, table.lengths, strict=True)),
        tagged(workspace),
        judged,
        edits,
        [workspace.file_options(name) for name in ("lines.txt", "old.txt")],
    ]


def say_all(workspace: Workspace) -> None:
    cat, river = text_id(workspace, "The cat"), text_id(workspace, "The cold")
    user_words.add_tag(workspace, [cat, river], "kept")
    user_words.add_tag(workspace, [text_id(workspace, "The dog"), text_id(workspace, "A hot sea")], "seen")
    user_words.add_judgement(workspace, cat, text_id(workspace, "A ship"), 4, "grade")
    clusters.add_edit(workspace, RenameCluster((b"%d" % cat, b"%d" % text_id(workspace, "The queen")), "mine"))


def test_deleting_the_cache_and_indexing_again_gives_the_same(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.set_file_options("lines.txt", lines=True)
        workspace.set_file_options("old.txt", encoding="latin-1")
        workspace.update(encoder)
        say_all(workspace)
        before = results(workspace, encoder)
        forget(workspace)
    with open_workspace(texts) as workspace:
        assert workspace.counts()["documents"] == 0
        workspace.update(encoder)
        assert results(workspace, encoder) == before
        assert workspace.update(encoder).read == 0
        assert results(workspace, encoder) == before


def rename(root: Path) -> None:
    (root / "cat.txt").rename(root / "feline.txt")


def rename_with_options(root: Path) -> None:
    (root / "lines.txt").rename(root / "verses.txt")


def edit(root: Path) -> None:
    (root / "cat.txt").write_text("The cat sat on the mat, and the dog beside it.")


def insert_row(root: Path) -> None:
    rows = (root / "table.csv").read_text().replace("text,year\n", "text,year\nA new first row,0\n")
    (root / "table.csv").write_text(rows)


def swap(root: Path) -> None:
    (root / "sea.txt").rename(root / "x")
    (root / "dog.txt").rename(root / "sea.txt")
    (root / "x").rename(root / "dog.txt")


def remove_and_add(root: Path) -> None:
    (root / "sea.txt").unlink()
    (root / "new.txt").write_text("Nothing like it was there before.")


CHANGES: dict[str, Callable[[Path], None]] = {
    change.__name__: change for change in (rename, rename_with_options, edit, insert_row, swap, remove_and_add)
}


@pytest.fixture
def kept(texts: Path, tmp_path: Path, encoder: BiEncoder) -> Iterator[tuple[Workspace, Workspace]]:
    """Two workspaces of one folder, about which the same was said."""
    pair = []
    for name in ("forgetful", "steady"):
        workspace = Workspace(tmp_path / name, texts, writable=True)
        workspace.set_file_options("lines.txt", lines=True)
        workspace.update(encoder)
        say_all(workspace)
        pair.append(workspace)
    yield pair[0], pair[1]
    for workspace in pair:
        workspace.close()


@pytest.mark.parametrize("change", CHANGES)
def test_what_happened_while_there_was_no_cache_is_followed(
    kept: tuple[Workspace, Workspace], encoder: BiEncoder, change: str
) -> None:
    forgetful, steady = kept
    forget(forgetful)
    CHANGES[change](steady.root)
    steady.update(encoder)
    with Workspace(forgetful.folder, None, writable=True) as forgetful:
        forgetful.update(encoder)
        assert results(forgetful, encoder) == results(steady, encoder)


def test_a_story_with_the_cache_deleted_between_every_two_steps(
    kept: tuple[Workspace, Workspace], encoder: BiEncoder
) -> None:
    forgetful, steady = kept
    for number, change in enumerate(CHANGES.values()):
        forget(forgetful)
        forgetful = Workspace(forgetful.folder, None, writable=True)
        forgetful.update(encoder)
        for workspace in (forgetful, steady):
            user_words.add_tag(workspace, [text_id(workspace, "A ship")], f"step {number}")
        forget(forgetful)
        change(steady.root)
        steady.update(encoder)
        forgetful = Workspace(forgetful.folder, None, writable=True)
        forgetful.update(encoder)
        assert results(forgetful, encoder) == results(steady, encoder), change.__name__
    forgetful.close()
