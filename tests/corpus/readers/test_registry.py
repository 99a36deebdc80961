"""The right reader for every file, and a sentence for every file that gives no text."""

import io
import os
import random
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.readers.text import plain
from explorer.task import Cancelled, Task

POST = b"""Newsgroups: sci.space
Path: news!someone
From: ann@example.org (Ann)
Subject: Re: Orbit
Date: Tue, 6 Apr 1993 12:00:00 GMT
Message-ID: <1@example.org>

It is 5\xb0 off, na\xefve as that sounds.
"""


def read(path, **options):
    return list(registry.read(path, ReadOptions(**options), Task()))


def refused(path, **options):
    with pytest.raises(Unreadable) as caught:
        read(path, **options)
    error = caught.value
    assert error.reason in Unreadable.REASONS
    assert str(error).rstrip().endswith(".")
    str(error).encode("utf-8")
    return error


def archive(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


class TestChoosing:
    @pytest.mark.parametrize("family", sorted(set(registry.SUFFIXES.values())))
    def test_every_family_is_a_module_that_reads(self, family):
        assert callable(registry.reader_module(family).read)

    @pytest.mark.parametrize(
        ("name", "family"),
        [
            ("a.TXT", "plain"),
            ("b.Md", "markdown"),
            ("c.HTML", "html"),
            ("d.rst", "restructured"),
            ("e.tex", "latex"),
            ("f.ipynb", "notebook"),
            ("g.srt", "subtitles"),
            ("h.pdf", "pdf"),
            ("k.rtf", "rtf"),
            ("l.epub", "epub"),
            ("m.eml", "mail"),
            ("n.mbox", "mail"),
            ("o.jsonl", "tables"),
            ("p.parquet", "tables"),
            ("q.xml", "plain"),
        ],
    )
    def test_by_suffix_in_any_case(self, tmp_path, name, family):
        assert registry.family(tmp_path / name) == family

    @pytest.mark.parametrize(
        ("data", "family"),
        [
            (POST, "mail"),
            (b"From ann@example.org Tue Apr  6 12:00:00 1993\n" + POST, "mail"),
            (b"\n<!-- saved -->\n<!DOCTYPE HTML>\n<html><p>x", "html"),
            ("<html><body>가".encode("utf-16"), "html"),
            (b"{\\rtf1\\ansi text}", "rtf"),
            (b"%PDF-1.4\n", "pdf"),
            (b'{"text": "a"}\n{"text": "b"}\n', "tables"),
            (b"Just a few words.\n", "plain"),
            (b"Note: a thing\nand more of it\n", "plain"),
            ("국밥집 이야기입니다.".encode("cp949"), "plain"),
            ("국밥집 이야기입니다.".encode("utf-16-le"), "plain"),
            (archive(mimetype="application/epub+zip"), "epub"),
            (archive(mimetype="application/vnd.oasis.opendocument.text"), "office"),
            (archive(**{"[Content_Types].xml": "", "word__document.xml": ""}), "office"),
            (archive(**{"[Content_Types].xml": "", "ppt__presentation.xml": ""}), "slides"),
            (archive(**{"[Content_Types].xml": "", "xl__workbook.bin": ""}), "sheets"),
            (archive(mimetype="application/hwp+zip"), "hangul"),
            (archive(a="x"), "archives"),
            (b"PK\x03\x04 broken", "archives"),
            (b"HWP Document File V3.00 \x1a\1\2", "hangul"),
            (b"\x89PNG\r\n\x1a\n" + bytes(100), "pictures"),
        ],
    )
    @pytest.mark.parametrize("name", ["59848", "README.1st", "data.unknown"])
    def test_by_content_without_a_known_suffix(self, tmp_path, data, family, name):
        path = tmp_path / name
        path.write_bytes(data)
        assert registry.family(path) == family

    def test_binary_content_is_refused(self, tmp_path):
        path = tmp_path / "thing"
        path.write_bytes(random.Random(3).randbytes(5000))
        assert refused(path).reason == "binary"

    @pytest.mark.parametrize("name", ["mail.pst", "a.alz", "b.wps", "c.MP3", "d.mov", "e.rar"])
    def test_known_formats_that_are_not_read_say_what_to_do(self, tmp_path, name):
        path = tmp_path / name
        path.write_bytes(b"\xd0\xcf\x11\xe0 something")
        error = refused(path)
        assert error.reason == "binary"
        assert name in str(error)

    @pytest.mark.parametrize(
        ("data", "text"),
        [(b"<html><p>a page", "a page"), (b"{\\rtf1 rich}", "rich"), (b"only a few words", "only a few words")],
    )
    @pytest.mark.parametrize("name", ["letter.doc", "letter.docx", "sheet.xls", "talk.ppt", "note.msg", "server.key"])
    def test_a_file_under_the_name_of_another_format_is_read_for_what_it_is(self, tmp_path, name, data, text):
        (tmp_path / name).write_bytes(data)
        assert [document.text for document in read(tmp_path / name)] == [text]

    def test_a_reader_is_imported_only_when_its_files_are_read(self, tmp_path):
        code = (
            "import sys, explorer.corpus.readers.registry as r, pathlib\n"
            "list(r.read(pathlib.Path(sys.argv[1]), r.ReadOptions(), r.Task()))\n"
            "loaded = {n.rpartition('.')[2] for n in sys.modules if n.startswith('explorer.corpus.readers.')}\n"
            "assert 'markdown' in loaded, loaded\n"
            "assert not loaded & {'pdf', 'office', 'epub', 'mail', 'tables', 'html', 'latex'}, loaded\n"
            "assert not {'selectolax', 'pypdfium2', 'pyarrow', 'torch'} & sys.modules.keys()\n"
        )
        note = tmp_path / "note.md"
        note.write_bytes(b"# A note\n")
        root = str(Path(__file__).resolve().parents[3])
        subprocess.run([sys.executable, "-c", code, note], check=True, cwd=root, env={**os.environ, "PYTHONPATH": root})


class TestFiles:
    def test_empty(self, tmp_path):
        path = tmp_path / "a.txt"
        path.touch()
        assert refused(path).reason == "empty"

    def test_too_large(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"x" * 100)
        assert refused(path, max_bytes=99).reason == "too large"
        assert read(path, max_bytes=100)

    def test_vanished(self, tmp_path):
        assert refused(tmp_path / "gone.txt").reason == "vanished"

    def test_a_folder_or_pipe_is_no_file(self, tmp_path):
        assert refused(tmp_path).reason == "unreadable"
        if hasattr(os, "mkfifo"):
            os.mkfifo(tmp_path / "pipe.txt")
            assert refused(tmp_path / "pipe.txt").reason == "unreadable"

    def test_forbidden(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
        assert refused(path).reason == "unreadable"

    def test_forbidden_as_the_system_says_it(self, tmp_path, monkeypatch):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")

        def deny(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(plain, "read", deny)
        assert refused(path).reason == "unreadable"

    def test_a_file_that_grows_is_read_to_the_size_it_had(self, tmp_path):
        path = tmp_path / "a.log"
        path.write_bytes(b"line one\n" * 300_000)

        class Growing(Task):
            def check(self):
                with path.open("ab") as file:
                    file.write(b"line two\n" * 100)
                super().check()

        documents = list(registry.read(path, ReadOptions(part_characters=500_000), Growing()))
        assert sum(document.text.count("line one") for document in documents) == 300_000
        assert not any("line two" in document.text for document in documents)

    @pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are always Unicode here")
    @pytest.mark.parametrize("raw", [b"\xff\xfe.txt", "메모".encode("cp949") + b".md", b"\xc0\xaf", b"tab\there\n.txt"])
    def test_names_that_are_not_unicode(self, tmp_path, raw):
        path = tmp_path / os.fsdecode(raw)
        path.write_bytes(b"word " * 100)
        (found,) = read(path)
        found.title.encode("utf-8")
        assert found.title.strip()
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
        refused(path)

    def test_very_long_names(self, tmp_path):
        path = tmp_path / ("n" * 246 + ".txt")
        path.write_bytes(b"word " * 100)
        assert read(path)[0].title.startswith("nnn")
        path = tmp_path / ("가" * 80 + ".md")
        path.write_bytes(b"# T")
        assert read(path)[0].title == "T"


def faulty(error):
    def broken(path, options, task):
        yield Document("one", "one", part="1")
        raise error

    return broken


class TestFailures:
    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            (ValueError("bad \ud800 data"), "damaged"),
            (RecursionError("deep"), "damaged"),
            (KeyError("x"), "damaged"),
            (MemoryError(), "too large"),
            (ModuleNotFoundError("No module", name="pyarrow"), "unreadable"),
            (OSError(5, "Input/output error"), "unreadable"),
            (FileNotFoundError(2, "gone"), "vanished"),
            (Unreadable("encrypted", "It is locked."), "encrypted"),
        ],
    )
    def test_of_a_reader_become_sentences(self, tmp_path, monkeypatch, error, reason):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", faulty(error))
        found = refused(path)
        assert found.reason == reason
        assert "a.txt" in str(found)

    def test_documents_before_the_failure_are_given(self, tmp_path, monkeypatch):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", faulty(ValueError("x")))
        stream = registry.read(path, ReadOptions(), Task())
        assert next(stream).text == "one"
        with pytest.raises(Unreadable):
            next(stream)

    def test_cancelling_is_no_failure(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            list(registry.read(path, ReadOptions(), task))

    def test_a_title_is_never_empty(self, tmp_path, monkeypatch):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(
            plain, "read", lambda *_: iter([Document("text", "\ud800"), Document("text", " ", part="2")])
        )
        assert [document.title for document in read(path)] == ["?", "?"]


class TestTime:
    @pytest.fixture
    def clock(self, monkeypatch):
        now = [100.0]
        monkeypatch.setattr(registry.time, "monotonic", lambda: now[0])
        return now

    def slow(self, clock, each):
        def slowly(path, options, task):
            for number in range(5):
                clock[0] += each
                task.check()
                task.report(number, 5)
                yield Document("text", "title", part=str(number))

        return slowly

    def test_is_limited(self, tmp_path, monkeypatch, clock):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", self.slow(clock, 11.0))
        error = refused(path, seconds=10)
        assert error.reason == "timeout"
        assert "10 seconds" in str(error)

    def test_begins_anew_with_each_document(self, tmp_path, monkeypatch, clock):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", self.slow(clock, 9.0))
        assert len(list(registry.read(path, ReadOptions(seconds=10), Task()))) == 5

    def test_grows_with_the_size(self, tmp_path, monkeypatch, clock):
        path = tmp_path / "a.txt"
        with path.open("wb") as file:
            file.truncate(120 * 2**20)
        monkeypatch.setattr(plain, "read", self.slow(clock, 29.0))
        assert len(list(registry.read(path, ReadOptions(seconds=10), Task()))) == 5
        monkeypatch.setattr(plain, "read", self.slow(clock, 31.0))
        assert refused(path, seconds=10).reason == "timeout"

    def test_of_the_caller_does_not_count(self, tmp_path, monkeypatch, clock):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", self.slow(clock, 1.0))
        count = 0
        for _ in registry.read(path, ReadOptions(seconds=10), Task()):
            clock[0] += 100
            count += 1
        assert count == 5

    def test_progress_reaches_the_task(self, tmp_path, monkeypatch, clock):
        path = tmp_path / "a.txt"
        path.write_bytes(b"text")
        monkeypatch.setattr(plain, "read", self.slow(clock, 1.0))
        seen = []
        list(registry.read(path, ReadOptions(), Task(seen.append)))
        assert [progress.done for progress in seen] == [0, 1, 2, 3, 4]

    def test_zero_seconds_end_a_real_file(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(b"line\n" * 1_000_000)
        assert refused(path, seconds=0).reason == "timeout"


def check_read(path):
    documents, error = [], None
    try:
        documents.extend(registry.read(path, ReadOptions(seconds=20), Task()))
    except Unreadable as caught:
        error = caught
    assert documents or error
    assert error is None or (error.reason in Unreadable.REASONS and path.name in str(error))
    for document in documents:
        assert document.title.strip()
        assert "\r" not in document.text
        document.text.encode()


def test_any_bytes_under_any_name_give_documents_or_a_sentence(tmp_path):
    luck = random.Random(2024)
    seeds = [
        POST,
        "# 제목\n\n본문입니다.\n".encode("cp949"),
        b"<html><body><p>text</p></body></html>",
        b'{"cells": [{"cell_type": "markdown", "source": "# a"}]}',
        b"{\\rtf1 text}",
        b"a,b\n1,some text here\n",
        "본문".encode("utf-16"),
        archive(mimetype="application/epub+zip", a="b"),
        b"\\title{A}\\begin{document}x\\end{document}",
        b"1\n00:00:01,000 --> 00:00:02,000\nhi\n",
    ]
    suffixes = [*sorted(registry.SUFFIXES), "", ".what"]
    for number in range(250):
        data = bytearray(luck.choice(seeds) * luck.choice((1, 1, 3)))
        for _ in range(luck.randrange(8)):
            data[luck.randrange(len(data))] = luck.randrange(256)
        path = tmp_path / f"{number}{luck.choice(suffixes)}"
        path.write_bytes(data[: luck.randrange(1, len(data) + 1)])
        check_read(path)


@pytest.mark.data
def test_the_newsgroup_posts(data_folder):
    """Posts of 1993 without a suffix: ASCII and Latin-1, two already holding UTF-8, one a name in Big5."""
    folder = data_folder / "mini_newsgroups"
    if not folder.is_dir():
        pytest.skip("the newsgroup posts (../shared/data/mini_newsgroups) are not here")
    western = {"ascii", "latin-1", "cp1252"}
    posts = sorted(path for path in folder.rglob("*") if path.is_file() and path.name.isdigit())
    others = {}
    for path in posts:
        assert stat.S_ISREG(path.stat().st_mode)
        assert registry.family(path) == "mail"
        (found,) = read(path)
        assert found.text.strip()
        assert found.title.strip()
        if found.encoding not in western:
            others[path.name] = found.encoding
    assert len(posts) == 2000
    assert len(others) <= 5
    assert set(others.values()) <= {"utf-8", "cp950", "mac-roman", ""}  # bullets of a Mac
