"""The sample texts: enough of them, of many subjects, in two languages, and alike where they should be."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from explorer import paths
from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.registry import read
from explorer.task import Task
from explorer.workspace.search.search import Searcher
from explorer.workspace.workspace import Workspace

SAMPLE = paths.resources() / "sample"
COPIES = {
    frozenset({"health/heat-illness-first-aid.txt", "travel/summer-walking-advice.txt"}),
    frozenset({"law/전세-특약.txt", "finance/전세-특약-사본.txt"}),
}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The text of each plain document by its name."""
    files = sorted(path for path in SAMPLE.rglob("*") if path.suffix in {".txt", ".md"})
    return {path.relative_to(SAMPLE).as_posix(): path.read_bytes().decode("utf-8") for path in files}


def is_korean(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return sum("가" <= letter <= "힣" for letter in letters) > 0.5 * len(letters)


def test_there_are_enough_of_both_kinds(texts):
    assert len(texts) >= 120
    endings = [Path(name).suffix for name in texts]
    assert min(endings.count(".txt"), endings.count(".md")) >= 40


def test_the_other_formats_are_there_and_read_well():
    others = [path for path in SAMPLE.rglob("*") if path.is_file() and path.suffix not in {".txt", ".md"}]
    formats = {
        ".html",
        ".pdf",
        ".docx",
        ".odt",
        ".rtf",
        ".epub",
        ".eml",
        ".csv",
        ".jsonl",
        ".ipynb",
        ".srt",
        ".tex",
        ".rst",
    }
    assert {path.suffix for path in others} == formats
    for path in others:
        for document in read(path, ReadOptions(), Task()):
            assert len(document.text) > 60, path
            assert document.title, path
            assert document.remarks == (), path


def test_there_are_many_subjects_with_several_texts_each(texts):
    subjects = [name.split("/")[0] for name in texts]
    assert all(name.count("/") == 1 for name in texts)
    assert len(set(subjects)) >= 8
    assert min(map(subjects.count, subjects)) >= 5


def test_both_languages_are_there_in_contents_and_in_names(texts):
    korean = [name for name, text in texts.items() if is_korean(text)]
    assert len(korean) >= 30
    assert len(texts) - len(korean) >= 80
    assert all(not name.isascii() for name in korean)


def test_every_text_is_clean(texts):
    for name, text in texts.items():
        assert text.endswith("\n"), name
        assert not text.endswith("\n\n"), name
        assert "\r" not in text, name
        assert "\ufeff" not in text, name
        assert "\ufffd" not in text, name
        assert len(text.split()) >= 10, name


def test_only_the_intended_pairs_are_copies(texts):
    same = defaultdict(set)
    for name, text in texts.items():
        same[text].add(name)
    assert {frozenset(names) for names in same.values() if len(names) > 1} == COPIES


@pytest.mark.bundled
def test_most_english_texts_lie_nearest_to_one_of_their_subject(texts, bundled, indexed_sample):
    english = {name for name, text in texts.items() if not is_korean(text)}
    with Workspace(indexed_sample, None, writable=False) as workspace:
        numbers, vectors = Searcher(workspace, bundled).matrix().document_vectors()
        names = [workspace.document(int(number)).path for number in numbers]
    rows = [row for row, name in enumerate(names) if name in english]
    assert len(rows) == len(english)
    cosines = vectors[rows] @ vectors[rows].T
    np.fill_diagonal(cosines, -1)
    subjects = np.array([names[row].split("/")[0] for row in rows])
    right = subjects[cosines.argmax(axis=1)] == subjects
    assert right.mean() >= 0.65  # 0.70 when written; by chance 0.08
