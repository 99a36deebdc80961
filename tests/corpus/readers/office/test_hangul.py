"""Documents of Hangul 3 to 97: all that has text, whole and damaged."""

import random
import re
import struct
import time
import zlib
from contextlib import closing

import pytest

from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.readers.office import hangul
from explorer.corpus.readers.process.pool import ReaderPool, ReadRequest
from explorer.task import Task
from tests.corpus.readers.conftest import assert_told, check_document, damaged_copies
from tests.corpus.readers.office import hangul3_files as files
from tests.corpus.readers.office.hangul3_files import document, paragraph, paragraphs

SAMPLE = """첫째 문단

Second 漢字 ■ ① ひら

tabs\tafter hard fixed

noted and ended

각주의 글

미주의 글

[Comment: 숨은 설명]

name\t값
하나\t둘

표 1 제목

a box:

글상자의 글

second line

an equation E=mc^2 inline

a picture

그림의 설명

drawn

그린 글상자

네모 안의 글

see 12 end

dated 2001년 03월 5일 월요일 for «이름» 가A

마지막 문단

[Header: 머리말]

[Footer: 꼬리말]"""


@pytest.fixture
def luck():
    return random.Random(3)


@pytest.fixture
def text_of(read_bytes):
    """The text of a document of these paragraphs, which must be sound."""

    def text(*texts, **options) -> str:
        (read,) = read_bytes(registry, "옛글.hwp", document(*texts, **options))
        assert read.remarks == ()
        return read.text

    return text


@pytest.mark.parametrize("is_packed", [True, False])
def test_all_that_has_text_is_read(read_bytes, is_packed):
    (read,) = read_bytes(registry, "옛글.hwp", files.sample(is_packed=is_packed))
    assert read.text == SAMPLE
    assert read.title == "문서의 제목"
    assert read.metadata == {"author": "홍길동", "date": "2001-03-05"}
    assert read.remarks == ()


def test_a_document_is_known_by_its_content(read_bytes):
    (read,) = read_bytes(registry, "noname", document("글"))
    assert (read.text, read.title) == ("글", "글")


def test_the_blocks_before_the_body_are_skipped(text_of):
    assert text_of("body", blocks=struct.pack("<HH", 1, 38) + bytes(38)) == "body"


def test_a_date_that_is_not_one_is_kept_as_text(read_bytes):
    (read,) = read_bytes(registry, "a.hwp", document("body", written="last spring"))
    assert read.metadata == {"date_text": "last spring"}


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("", "2001년 3월 5일"),
        ("1. 02. 03.", "2001. 03. 05."),
        ("7 4:05", "오후 2:07"),
        ("$:5 &", "14:7 p.m."),
        ("* 3, 1", "2001-03-05"),
    ],
)
def test_dates_are_shown_in_their_form(text_of, form, shown):
    assert text_of(paragraph("on ", files.date(form))) == f"on {shown}"


def test_cells_are_in_the_order_of_their_places(text_of):
    cells = [(1, 1, "D"), (0, 0, "A"), (0, 1, "C"), (1, 0, "B")]
    assert text_of(paragraph(files.box(0, [(x, y, paragraphs(text)) for x, y, text in cells]))) == "A\tB\nC\tD"


def test_a_table_in_a_cell_and_notes_in_it_are_kept(text_of):
    inner = paragraph("in ", files.table(["x", "y"]), files.note("note"))
    assert text_of(paragraph(files.table(["left", inner]))) == "left\tin x y note"


def test_a_header_that_is_repeated_is_there_once(text_of):
    assert text_of(*[paragraph("a", files.header("same")) for _ in range(3)]) == "a\n\na\n\na\n\n[Header: same]"


def test_numbers_of_pages_and_notes_are_not_text(text_of):
    assert text_of(paragraph("page ", files.number(0, 7), files.number(1, 3), files.number(3, 2))) == "page 2"


def test_paragraphs_of_many_characters_and_shapes_are_read(text_of):
    assert text_of(paragraph("가나다 " * 5000, has_shapes=True, lines=200)) == ("가나다 " * 5000).strip()


def test_characters_that_are_not_known_are_counted(read_bytes):
    packed = document("a\u3000b", is_packed=False).replace(struct.pack("<H", 0x3401), struct.pack("<H", 0x5318))
    (read,) = read_bytes(registry, "a.hwp", packed)
    assert read.text == "a\ufffdb"
    assert read.remarks == ("1 unknown character was replaced by “�”.",)


def test_a_password_is_named(refusal):
    refused = refusal(registry, "잠긴글.hwp", document("secret", is_locked=True))
    assert refused.reason == "encrypted"
    assert "protected by a password" in str(refused)


def test_a_document_without_text_is_empty(refusal):
    assert refusal(registry, "빈글.hwp", document()).reason == "empty"
    assert refusal(registry, "빈글.hwp", document("", " ")).reason == "empty"


@pytest.mark.parametrize("version", [b"2.00", b"2.10"])
def test_versions_before_3_are_listed_with_what_to_do(refusal, version):
    refused = refusal(registry, "옛글.hwp", b"HWP Document File V" + version + b" \x1a\1\2\3\4\5" + bytes(2000))
    assert refused.reason == "binary"
    assert "save it as .hwpx" in str(refused)


class TestDamage:
    @pytest.mark.parametrize("is_packed", [True, False])
    def test_what_comes_before_the_end_of_a_short_file_is_read(self, read_bytes, is_packed):
        whole = files.sample(is_packed=is_packed)
        words = set(re.findall(r"\w+", SAMPLE))
        cut = {word[:length] for word in words for length in range(len(word))}  # the last word may be part of one
        most = ""
        for length in range(0, len(whole), 50):
            try:
                (read,) = read_bytes(hangul, "옛글.hwp", whole[:length])
            except Unreadable as error:
                assert_told(error, "옛글.hwp")
                continue
            assert read.remarks or length >= len(whole) - 60  # nothing is lost without a word
            assert set(re.findall(r"\w+", read.text)) - cut <= words, read.text
            most = max(most, read.text, key=len)
        assert len(most) > len(SAMPLE) // 2

    def test_a_short_file_says_so(self, read_bytes):
        whole = document("first", "second" * 100, is_packed=False)
        (read,) = read_bytes(hangul, "a.hwp", whole[:-1000])
        assert read.text.startswith("first\n\nsecondsecond")
        assert read.remarks == ("The file is cut off; everything before that point was read.",)

    def test_a_broken_code_ends_the_reading(self, read_bytes):
        broken = paragraph("before", struct.pack("<HIH", 10, 0, 99), "after")
        (read,) = read_bytes(hangul, "a.hwp", document("first", broken, "last"))
        assert read.text == "first\n\nbefore"
        assert read.remarks == ("Part of the file is damaged and was left out.",)

    def test_a_broken_drawing_costs_itself_alone(self, read_bytes):
        drawing = files.drawing(files.drawn(6, 0, paragraphs("lost")))[:60]
        (read,) = read_bytes(hangul, "a.hwp", document(paragraph("a", files.picture(drawing=drawing)), "last"))
        assert read.text == "a\n\nlast"
        assert read.remarks == ("Part of the file is damaged and was left out.",)

    def test_a_broken_stream_keeps_what_was_before(self, read_bytes):
        body = "".join(chr(0xAC00 + 37 * number % 11172) for number in range(3000))
        whole = bytearray(document(*[body[start : start + 30] for start in range(0, 3000, 30)]))
        whole[len(whole) // 2 :] = b"\xff" * (len(whole) - len(whole) // 2)
        (read,) = read_bytes(hangul, "a.hwp", bytes(whole))
        assert len(read.text) > 500
        assert read.remarks

    def test_lists_within_lists_end_somewhere(self, read_bytes):
        inner = paragraph("deepest")
        for _ in range(200):
            inner = paragraph("x", files.note(inner))
        (read,) = read_bytes(hangul, "a.hwp", document(inner))
        assert "deepest" not in read.text
        assert read.remarks == ("Part of the file is damaged and was left out.",)

    def test_a_bomb_is_refused(self, refusal):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        bomb = (packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)) * 150
        whole = document("x")[: 30 + 128 + 1008] + bomb
        assert refusal(hangul, "a.hwp", whole).reason == "too large"
        assert refusal(hangul, "a.hwp", whole, max_unpacked=2**20).reason == "too large"

    def test_many_codes_take_no_longer_than_letters(self, text_of):
        start = time.process_time()
        assert text_of(*[paragraph(*[files.tab()] * 15_000, "end")] * 4) == "\n\n".join(["end"] * 4)
        assert time.process_time() - start < 10

    @pytest.mark.parametrize("is_packed", [True, False])
    def test_damage_never_escapes(self, read_bytes, luck, is_packed):
        whole = files.sample(is_packed=is_packed)
        read = 0
        for copy in damaged_copies(luck, whole, 300):
            try:
                read += len(read_bytes(hangul, "옛글.hwp", copy if copy.startswith(files.SIGNATURE) else whole))
            except Unreadable as error:
                assert_told(error, "옛글.hwp")
        assert read > 30

    def test_damage_in_the_body_never_escapes(self, read_bytes, luck):
        """Damage that a checksum or a packed stream would not show, right among the counts and lengths."""
        whole = files.sample(is_packed=False)
        for _ in range(300):
            copy = bytearray(whole)
            for _ in range(luck.choice((1, 3, 10))):
                struct.pack_into("<H", copy, luck.randrange(1800, len(copy) - 2), luck.choice((0, 1, 10, 0xFFFF)))
            try:
                read_bytes(hangul, "옛글.hwp", bytes(copy))
            except Unreadable as error:
                assert_told(error, "옛글.hwp")


def test_the_limited_process_reads_the_same(tmp_path):
    path = tmp_path / "옛글.hwp"
    path.write_bytes(files.sample())
    with closing(ReaderPool(workers=1)) as pool:
        (reading,) = pool.read_files([ReadRequest(path, path.stat().st_size, ReadOptions())])
        (read,) = reading.documents(Task())
    check_document(read)
    assert read.text == SAMPLE
