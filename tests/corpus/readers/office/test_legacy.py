"""Old office files: Word, PowerPoint, Outlook and Hangul."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from explorer.corpus.readers import registry
from explorer.corpus.readers.office import legacy
from tests.corpus.readers.office import ole_files

BODY = '첫 문단입니다.\rA link: \x13 HYPERLINK "http://x" \x14shown\x15 here\x02\rleft\x07right\x07\x07\r'


def test_every_part_of_a_word_file(read_bytes):
    data = ole_files.doc(BODY, "\x02 A footnote\r", "Page head\r", "\x05Really?\r", "In a box\r")
    (document,) = read_bytes(registry, "옛글.doc", data)
    assert "첫 문단입니다.\n\nA link: shown here\n\nleft\tright" in document.text
    assert "HYPERLINK" not in document.text
    for text in ("A footnote", "[Header or footer: Page head]", "[Comment: Really?]", "In a box"):
        assert text in document.text


def test_a_presentation_without_the_prompts_of_its_master(read_bytes):
    (document,) = read_bytes(registry, "talk.ppt", ole_files.ppt("Title\rFirst 첫째", "Second", notes="Say hello"))
    assert document.text == "Title\nFirst 첫째\n\nSecond\n\n[Notes: Say hello]"


def test_a_message_and_its_attachments(read_bytes):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/deep.txt", "deep inside")
    attachments = {
        "note.txt": "붙임 글".encode(),
        "two.zip": packed.getvalue(),
        "photo.png": b"\x89PNG\r\n\x1a\n" + bytes(90),
    }
    documents = read_bytes(registry, "mail.msg", ole_files.msg("회의 안내", "Come at noon.", attachments))
    assert [(one.part, one.text) for one in documents] == [
        ("", "Come at noon."),
        ("note.txt", "붙임 글"),
        ("two.zip › in/deep.txt", "deep inside"),
    ]
    assert documents[0].title == "회의 안내"
    assert documents[0].metadata == {
        "from": "A. Sender <a@example.org>",
        "to": "B. Receiver",
        "date": "2021-04-06T12:00:00+00:00",
        "thread": "회의 안내",
        "attachments": "note.txt, two.zip, photo.png",
    }


def test_attachments_that_are_not_read_are_told(read_bytes):
    damaged = {"broken.docx": b"PK\x03\x04" + bytes(50)}
    (document,) = read_bytes(registry, "mail.msg", ole_files.msg("S", "Body", damaged))
    assert [str(one) for one in document.remarks] == ["The attachment broken.docx was not read (damaged)."]
    many = {f"{number}.txt": b"words" for number in range(53)}
    message, *attached = read_bytes(registry, "mail.msg", ole_files.msg("S", "Body", many))
    assert len(attached) == 50
    assert "3 more attachments" in str(message.remarks[0])


def packed_rtf(text: bytes) -> bytes:
    """As Outlook stores it, uncompressed."""
    return struct.pack("<II4sI", len(text) + 12, len(text), b"MELA", 0) + text


def test_a_message_attached_to_a_message(read_bytes):
    """Its text is RTF alone, its date a property, and it has an attachment itself."""
    sent = struct.pack("<IIQ", 0x00390040, 0, 132_622_272_000_000_000)
    inner = ole_files.message_streams("안쪽 메일", "", {}, bytes(24) + sent)
    inner["__substg1.0_10090102"] = packed_rtf(rb"{\rtf1\ansi The inner text\par}")
    inner["__attach_version1.0_#00000000/__substg1.0_3707001F"] = "deep.txt".encode("utf-16-le")
    inner["__attach_version1.0_#00000000/__substg1.0_37010102"] = b"deeper still"
    documents = read_bytes(registry, "mail.msg", ole_files.msg("Outer", "Body", {"a.txt": b"first"}, inner))
    assert [(one.part, one.text) for one in documents] == [
        ("", "Body"),
        ("a.txt", "first"),
        ("Forwarded", "The inner text"),
        ("Forwarded › deep.txt", "deeper still"),
    ]
    assert documents[2].title == "안쪽 메일"
    assert documents[2].metadata["date"].startswith("2021-04-")
    assert documents[0].metadata["attachments"] == "a.txt, Forwarded"


def test_messages_that_hold_each_other_end(read_bytes):
    streams = ole_files.message_streams("The innermost", "unseen", {})
    for level in range(9):
        inside = {f"__attach_version1.0_#00000000/__substg1.0_3701000D/{name}": data for name, data in streams.items()}
        streams = ole_files.message_streams(f"Level {level}", "text", {}) | inside
    documents = read_bytes(registry, "deep.msg", ole_files.container(streams))
    assert len(documents) == 4
    assert "was not read (too large)" in str(documents[-1].remarks[0])


def test_a_scan_that_is_attached_waits_for_recognition(read_bytes):
    picture = b"\x89PNG\r\n\x1a\n" + bytes(30_000)
    (message,) = read_bytes(registry, "scan.msg", ole_files.msg("S", "Body", {"scan.png": picture}))
    assert message.metadata["pages_without_text"] == 1
    assert "scan.png" in str(message.remarks[0])
    (message,) = read_bytes(registry, "logo.msg", ole_files.msg("S", "Body", {"logo.png": picture[:500]}))
    assert "pages_without_text" not in message.metadata


def test_a_hangul_document(read_bytes):
    (document,) = read_bytes(registry, "공문.hwp", ole_files.hwp("제목입니다", "첫째 문단의 내용", "English words too"))
    for text in ("제목입니다", "첫째 문단의 내용", "English words too"):
        assert text in document.text


def test_an_unknown_ole_file_says_what_to_do(refusal):
    error = refusal(legacy, "old.wps", ole_files.container({"MatOST": b"x" * 100}))
    assert error.reason == "binary"
    assert "Works" in str(error)


def test_an_encrypted_package_is_reported_as_such(refusal):
    assert refusal(legacy, "s.docx", ole_files.container({"EncryptedPackage": bytes(99)})).reason == "encrypted"


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("f.doc", ole_files.doc(BODY, "note")),
        ("f.ppt", ole_files.ppt("one", "two", notes="three")),
        ("f.msg", ole_files.msg("a", "b", {"c.txt": b"text"})),
    ],
)
def test_damage_never_escapes(survives, name, data):
    survives(legacy, name, data, rounds=60)
