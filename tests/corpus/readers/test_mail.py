"""Mail and newsgroup posts: headers, bodies, charsets, mailboxes."""

import base64
import email.policy
import io
import struct
import tracemalloc
from email.message import EmailMessage

import pytest

from explorer.corpus.document import ReadOptions
from explorer.corpus.readers import mail as mail_message
from explorer.corpus.readers import registry
from explorer.corpus.readers.mail import decode_words, mail_date
from explorer.corpus.readers.tnef import unpack
from explorer.task import Cancelled, Task

KOREAN = "안녕하세요. 회의는 내일 오후 세 시에 본관에서 열립니다. 모두 참석해 주시기 바랍니다."


def message(body: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join((b"From: kim@example.com", b"Date: Tue, 5 Mar 2024 10:11:12 +0900", *headers, b"", body))


PLAIN = message(
    b"Hello there,\r\nhow are you?\r\n", b"Subject: Re: greetings", b"To: lee@example.com", b"Message-ID: <1@x>"
)


def test_a_message_with_its_headers(read_bytes):
    (document,) = read_bytes(mail_message, "hello.eml", PLAIN)
    assert document.text == "Hello there,\nhow are you?"
    assert document.title == "Re: greetings"
    assert document.metadata == {
        "from": "kim@example.com",
        "to": "lee@example.com",
        "message_id": "<1@x>",
        "date": "2024-03-05T10:11:12+09:00",
        "thread": document.metadata["thread"],
    }
    assert document.metadata["thread"].startswith("greetings #")
    assert document.part == ""


@pytest.mark.parametrize("charset", ["euc-kr", "cp949", "iso-2022-kr", "utf-8"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "8bit"])
def test_korean_charsets(read_bytes, charset, encoding):
    data = KOREAN.encode(charset)
    if encoding == "base64":
        data = base64.encodebytes(data)
    elif encoding == "quoted-printable":
        data = b"=".join(b"%02X" % byte for byte in data)
        data = b"=\r\n".join(b"=" + data[start : start + 60].strip(b"=") for start in range(0, len(data), 60))
    header = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {encoding}".encode()
    (document,) = read_bytes(mail_message, "k.eml", message(data, header))
    assert document.text == KOREAN


@pytest.mark.parametrize("declared", ["ks_c_5601-1987", '"KS_C_5601-1987"', "us-ascii", "x-nonsense", "utf-8", ""])
def test_a_charset_declared_wrongly_or_not_at_all(read_bytes, declared):
    header = f"Content-Type: text/plain; charset={declared}" if declared else "X-None: 1"
    (document,) = read_bytes(mail_message, "k.eml", message(KOREAN.encode("cp949"), header.encode()))
    assert document.text == KOREAN
    assert document.encoding == "cp949"


@pytest.mark.parametrize(
    "raw",
    [
        b"=?ks_c_5601-1987?B?" + base64.b64encode("회의 안내".encode("cp949")) + b"?=",
        b"=?EUC-KR?Q?=C8=B8=C0=C7?= =?EUC-KR?Q?_=BE=C8=B3=BB?=",
        b"=?utf-8?B?"
        + base64.b64encode("회의 안내".encode()[:5])
        + b"?=\r\n =?utf-8?B?"
        + base64.b64encode("회의 안내".encode()[5:])
        + b"?=",
        "회의 안내".encode(),
    ],
)
def test_korean_subjects(read_bytes, raw):
    assert read_bytes(mail_message, "s.eml", message(b"body", b"Subject: " + raw))[0].title == "회의 안내"


def test_bytes_in_a_header_without_a_charset(read_bytes):
    raw = "내일 회의 안내 드립니다".encode("cp949")
    assert read_bytes(mail_message, "s.eml", message(b"body", b"Subject: " + raw))[0].title == "내일 회의 안내 드립니다"


@pytest.mark.parametrize("broken", ["=?utf-8?B?!!!?=", "=?nonsense?Q?a?=", "=?utf-8?B?QQ", "=?base64?Q?a?=", "=?=?="])
def test_broken_encoded_words_do_no_harm(broken):
    assert isinstance(decode_words(broken), str)


def parts(subtype: str = "mixed") -> EmailMessage:
    letter = EmailMessage(policy=email.policy.SMTP)
    letter["Subject"] = "with parts"
    letter["From"] = "kim@example.com"
    letter.set_content("the plain text")
    letter.add_alternative("<p>the <b>rich</b> text</p>", subtype="html")
    letter.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="보고서.pdf")
    letter.add_attachment("attached text", filename="notes.txt")
    return letter


def test_plain_text_is_preferred_and_attachments_are_named(read_bytes):
    document, attached = read_bytes(mail_message, "p.eml", parts().as_bytes())
    assert document.text == "the plain text"
    assert (attached.part, attached.text) == ("notes.txt", "attached text")
    assert document.metadata["attachments"] == "보고서.pdf, notes.txt"


def test_html_alone_becomes_text(read_bytes):
    data = message(b"<html><body><p>Hello <b>you</b></p><script>x()</script></body></html>", b"Content-Type: text/html")
    (document,) = read_bytes(mail_message, "h.eml", data)
    assert " ".join(document.text.split()) == "Hello you"


def test_html_counts_where_the_plain_form_is_blank(read_bytes):
    letter = EmailMessage(policy=email.policy.SMTP)
    letter["Subject"] = "blank"
    letter.set_content(" \n")
    letter.add_alternative("<p>rich</p>", subtype="html")
    assert read_bytes(mail_message, "b.eml", letter.as_bytes())[0].text.strip() == "rich"


def test_of_several_rich_forms_the_last_is_read(read_bytes):
    letter = EmailMessage(policy=email.policy.SMTP)
    letter["Subject"] = "rich"
    letter.set_content("<p>simple</p>", subtype="html")
    letter.add_alternative("<p>richest</p>", subtype="html")
    assert read_bytes(mail_message, "b.eml", letter.as_bytes())[0].text.strip() == "richest"


def test_flowed_lines_are_joined(read_bytes):
    data = message(b"one \r\ntwo\r\nthree\r\n> q \r\n> r\r\n-- \r\nname", b"Content-Type: text/plain; format=flowed")
    assert read_bytes(mail_message, "f.eml", data)[0].text == "one two\nthree\n> q \n> r\n-- \nname"


def test_a_message_without_text_is_its_subject(read_bytes):
    (document,) = read_bytes(mail_message, "e.eml", message(b"", b"Subject: call me"))
    assert document.text == "call me"
    assert document.remarks


def test_encrypted_messages_are_reported_as_such(refusal):
    data = message(b"AAAA", b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data")
    assert refusal(mail_message, "x.eml", data).reason == "encrypted"


def test_a_file_without_headers_is_all_text(read_bytes):
    (document,) = read_bytes(mail_message, "t.eml", b"just some words\nand more")
    assert document.title == "just some words"
    assert "no mail header" in document.remarks[0]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Mon, 05 Apr 93 18:01:16 GMT", "1993-04-05T18:01:16+00:00"),
        ("6 Apr 1993 12:00 EST", "1993-04-06T12:00:00-05:00"),
        ("2004-05-06 07:08:09", "2004-05-06T07:08:09"),
        ("2004년 5월 6일 오후 3:04", "2004-05-06T15:04:00"),
        ("Thursday, 22-Apr-93 about noon", "1993-04-22"),
        ("April 22, 1993", "1993-04-22"),
        ("Tue Apr 20 10:11:12 PDT 1993", "1993-04-20T10:11:12-07:00"),
        ("31 Feb 2020 10:00:00", ""),
        ("long ago", ""),
        ("", ""),
    ],
)
def test_dates_in_odd_forms(text, date):
    assert mail_date(text)[: len(date)] == date
    assert bool(mail_date(text)) == bool(date)


def test_a_date_not_understood_is_kept_as_text(read_bytes):
    found = read_bytes(mail_message, "d.eml", b"From: a@b\nDate: yesterday\n\nbody")[0].metadata
    assert found["date_text"] == "yesterday"
    assert "date" not in found


BOX = (
    b"From kim@example.com Tue Mar  5 10:11:12 2024\n" + PLAIN.replace(b"\r\n", b"\n") + b"\n"
    b"and then\nFrom room 3\nNote: no header of mine\n"
    b">From the beginning it was so\n\nFrom here on: a sentence\nnot a header\n\n"
    b"From - Wed Mar  6 10:11:12 2024\nFrom: lee@example.com\nSubject: second\n\nsecond body\n\n"
    b"From lee\nSubject: third\n\nthird body\n"
)


def test_a_mailbox_gives_a_document_a_message(read_bytes):
    for name in ("box.mbox", "Inbox"):
        first, second, third = read_bytes(mail_message, name, BOX)
        assert first.title == "Re: greetings"
        assert first.text.endswith("\nFrom the beginning it was so\n\nFrom here on: a sentence\nnot a header")
        assert (second.title, second.text, second.part) == ("second", "second body", "message 2")
        assert (third.title, third.text, third.part) == ("third", "third body", "message 3")


def test_a_message_that_gives_nothing_is_told_by_its_neighbour(read_bytes):
    bad = b"From x Tue Mar  5 10:11:12 2024\nFrom: a@b\n\n\n"
    first, second = read_bytes(mail_message, "b.mbox", bad + BOX[: BOX.index(b"From lee")] + bad)
    assert first.remarks == ("Message 1 was skipped (empty).",)
    assert second.remarks == ("Message 4 was skipped (empty).",)


class Endless(io.RawIOBase):
    """A mailbox of many messages that is nowhere in memory."""

    def __init__(self, count: int) -> None:
        self._pieces = iter([b"From a@b Tue Mar  5 10:11:12 2024\nFrom: a@b\n\n" + b"words \n" * 2_000 + b"\n"] * count)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        piece = next(self._pieces, b"")
        buffer[: len(piece)] = piece
        return len(piece)


def test_a_large_mailbox_takes_little_memory():
    tracemalloc.start()
    count = sum(1 for _ in mail_message.split_mailbox(io.BufferedReader(Endless(50), 20_000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 50
    assert peak < 2 * 2**20


def test_a_very_large_message_is_cut(monkeypatch, read_bytes):
    monkeypatch.setattr(mail_message, "MAX_MESSAGE_BYTES", 1_000)
    data = b"From a@b Tue Mar  5 10:11:12 2024\nSubject: s\n\n" + b"words\n" * 1_000
    (document,) = read_bytes(mail_message, "l.mbox", data)
    assert len(document.text) < 1_000
    assert "very large" in document.remarks[0]


def test_it_stops_when_asked(tmp_path):
    path = tmp_path / "a.mbox"
    path.write_bytes(BOX)
    task = Task()
    documents = mail_message.read(path, ReadOptions(), task)
    next(documents)
    task.cancel()
    with pytest.raises(Cancelled):
        list(documents)


@pytest.mark.parametrize(
    ("head", "is_mail"),
    [
        (PLAIN, True),
        (BOX, True),
        (b"Path: x!y\nNewsgroups: a.b\nArticle-I.D.: 7\n\nbody", True),
        (b"Note: this is a text\nwith lines\n\nand more", False),
        (b"Subject: only one\n\nheader", False),
        (b"", False),
        (b"just words", False),
    ],
)
def test_mail_is_known_by_its_beginning(head, is_mail):
    assert mail_message.looks_like_mail(head) == is_mail


@pytest.mark.data
def test_every_newsgroup_post_is_read(data_folder):
    paths = sorted(path for path in (data_folder / "mini_newsgroups").glob("*/*") if path.is_file())
    assert len(paths) == 2_000
    for path in paths[::5]:
        content = path.read_bytes()
        assert mail_message.looks_like_mail(content[:65_536])
        (document,) = mail_message.read(path, ReadOptions(), Task())
        assert {"from", "date", "newsgroups", "message_id"} <= set(document.metadata)
        assert document.title
        assert document.text.strip()
        body = content.partition(b"\n\n")[2].decode("ascii", "ignore").split()
        kept = set(document.text.split())
        missing = [word for word in body if word not in kept and word.isprintable()]
        assert len(missing) <= 0.02 * len(body) + 1, path


def test_deep_nesting_is_survived(read_bytes, refusal):
    data = b"From: a@b\nSubject: deep\n"
    for depth in range(1_500):
        data += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth)
    assert refusal(mail_message, "deep.eml", data + b"\nend").reason == "damaged"


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    survives(mail_message, "fuzzed.eml", parts().as_bytes(), rounds=120)
    survives(mail_message, "fuzzed.mbox", BOX, rounds=120)
    korean = b"Content-Type: text/plain; charset=iso-2022-kr\r\nSubject: =?euc-kr?B?yLjAxyC+yLO7?="
    survives(mail_message, "korean.eml", message(KOREAN.encode("iso-2022-kr"), korean), rounds=60)


def test_attachments_are_documents_beside_their_message(read_bytes):
    letter = EmailMessage()
    letter["From"], letter["Subject"], letter["Message-ID"] = "kim@example.com", "Papers", "<7@x>"
    letter.set_content("See the papers.")
    letter.add_attachment("Attached text in a file.", filename="notes.txt")
    letter.add_attachment("Another of the same name.", filename="notes.txt")
    letter.add_attachment(
        b"id,body\n1,First row of words\n2,Second row\n", maintype="text", subtype="csv", filename="t.csv"
    )
    letter.add_attachment(b"\x89PNG\r\n\x1a\n" + bytes(90), maintype="image", subtype="png", filename="logo.png")
    forwarded = EmailMessage()
    forwarded["From"], forwarded["Subject"] = "lee@example.com", "Forwarded"
    forwarded.set_content("The forwarded words.")
    letter.add_attachment(forwarded, filename="old.eml", disposition="attachment")
    documents = read_bytes(mail_message, "m.eml", letter.as_bytes())
    texts = {document.part: document.text for document in documents}
    assert texts[""] == "See the papers."
    assert texts["notes.txt"] == "Attached text in a file."
    assert "Another of the same name." in texts.values()
    assert texts["t.csv › row 1"] == "First row of words"
    assert texts["old.eml"] == "The forwarded words."
    assert len({document.part for document in documents}) == len(documents)
    assert {document.metadata["thread"] for document in documents} == {documents[0].metadata["thread"]}
    assert "logo.png" in documents[0].metadata["attachments"]


def test_a_thread_is_one_field(read_bytes):
    threads = []
    for subject, *headers in (
        (b"Budget 2024", b"Message-ID: <1@x>"),
        (b"Re: Budget 2024", b"Message-ID: <2@x>", b"References: <1@x>"),
        (b"RE: Fwd: Budget 2024", b"Message-ID: <3@x>", b"References: <1@x> <2@x>", b"In-Reply-To: <2@x>"),
        (b"Budget 2024", b"Message-ID: <9@y>"),
    ):
        (document,) = read_bytes(mail_message, "t.eml", message(b"Words.", b"Subject: " + subject, *headers))
        threads.append(document.metadata["thread"])
    assert threads[0] == threads[1] == threads[2]
    assert threads[3] != threads[0]


def tnef(*attributes):
    """A winmail.dat of pairs of attribute and value."""
    parts = [struct.pack("<IH", 0x223E9F78, 1)]
    for attribute, value in attributes:
        parts += [struct.pack("<BII", 2, attribute, len(value)), value, struct.pack("<H", sum(value) & 0xFFFF)]
    return b"".join(parts)


def test_winmail_is_unpacked(read_bytes):
    long_name = "회의 기록.txt".encode("utf-16-le") + b"\0\0"
    name = struct.pack("<IHHII", 1, 0x1F, 0x3707, 1, len(long_name)) + long_name + bytes(-len(long_name) % 4)
    text = "회의에서 정한 내용입니다."
    packed = tnef(
        (0x69002, bytes(14)),
        (0x18010, b"NOTES~1.TXT\0"),
        (0x6800F, text.encode()),
        (0x69005, name),
        (0x69002, bytes(14)),
        (0x18010, b"plan.txt\0"),
        (0x6800F, b"The plan for the year."),
    )
    letter = EmailMessage()
    letter["From"], letter["Subject"] = "kim@example.com", "Outlook"
    letter.set_content("See the attachment.")
    letter.add_attachment(packed, maintype="application", subtype="ms-tnef", filename="winmail.dat")
    documents = read_bytes(mail_message, "m.eml", letter.as_bytes())
    assert {document.part: document.text for document in documents} == {
        "": "See the attachment.",
        "회의 기록.txt": text,
        "plan.txt": "The plan for the year.",
    }
    for end in range(0, len(packed), 7):  # cut anywhere, it is read as far as it goes
        unpack(packed[:end])


def properties(*values: tuple[int, int, bytes]) -> bytes:
    """MAPI properties of kind, number and value."""
    made = [struct.pack("<I", len(values))]
    for kind, number, value in values:
        made.append(struct.pack("<HHII", kind, number, 1, len(value)) + value + bytes(-len(value) % 4))
    return b"".join(made)


# "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}", the example of [MS-OXRTFCP] 4.1.
HELLO = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)


def test_a_winmail_saved_by_itself_with_only_rich_text_and_a_message_inside(read_bytes):
    inner = tnef((0x18004, b"Inner\0"), (0x2800C, b"The message inside.\0"))
    attached = properties((0x1F, 0x3001, "Forwarded".encode("utf-16-le")), (0x0D, 0x3701, bytes(16) + inner))
    packed = tnef(
        (0x18004, b"Greetings\0"),
        (0x69003, properties((0x102, 0x1009, HELLO))),
        (0x69002, bytes(14)),
        (0x69005, attached),
    )
    documents = read_bytes(registry, "winmail.dat", packed)
    assert [(one.part, one.title, one.text) for one in documents] == [
        ("", "Greetings", "hello world"),
        ("Forwarded", "Inner", "The message inside."),
    ]
    for end in range(0, len(packed), 3):
        unpack(packed[:end])


def test_a_scan_that_is_attached_waits_for_recognition(read_bytes):
    letter = EmailMessage()
    letter["Subject"] = "Scan"
    letter.set_content("Body")
    for name, size in (("scan.png", 30_000), ("logo.png", 500)):
        picture = b"\x89PNG\r\n\x1a\n" + bytes(size)
        letter.add_attachment(picture, maintype="image", subtype="png", filename=name)
    (document,) = read_bytes(mail_message, "scan.eml", letter.as_bytes())
    assert document.metadata["pages_without_text"] == 1
    assert "scan.png. Index with" in str(document.remarks[0])


@pytest.mark.parametrize("broken", [b"no header at all", b"From kim@example.com", b"\xff\xfe: x"])
def test_messages_with_a_broken_first_header_are_kept(read_bytes, broken):
    envelope = b"From kim@example.com Tue Mar  5 10:11:12 2024\n"
    good = b"From: a@b.c\nSubject: Good\nDate: Tue, 5 Mar 2024 10:11:12 +0900\n\nGood words.\n\n"
    bad = broken + b"\n" + good.replace(b"Good", b"Bad")
    documents = read_bytes(mail_message, "box.mbox", envelope + good + envelope + bad + envelope + good)
    assert [document.part for document in documents] == ["message 1", "message 2", "message 3"]
    assert "Bad words." in documents[1].text
    assert "Bad" not in documents[0].text


def test_messages_without_any_header_are_kept(read_bytes):
    envelope = b"From kim@example.com Tue Mar  5 10:11:12 2024\n"
    good = b"From: a@b.c\nSubject: Good\n\nGood words.\n\n"
    documents = read_bytes(
        mail_message, "box.mbox", envelope + good + envelope + b"Only words here.\n\n" + envelope + good
    )
    assert [document.text for document in documents] == ["Good words.", "Only words here.", "Good words."]


def test_attachments_beyond_those_that_are_read_are_told(read_bytes):
    letter = EmailMessage()
    letter["Subject"] = "Many"
    letter.set_content("Body")
    for number in range(53):
        letter.add_attachment("words", filename=f"{number}.txt")
    message, *attached = read_bytes(mail_message, "many.eml", letter.as_bytes())
    assert len(attached) == 50
    assert "3 more attachments" in str(message.remarks[0])
