"""RTF as Word, WordPad, Hangul and TextEdit write it."""

import pytest

from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.office import rtf
from explorer.task import Cancelled, Task


def hexed(text: str, encoding: str) -> bytes:
    return b"".join(b"\\'%02x" % byte for byte in text.encode(encoding))


WORD = (
    rb"{\rtf1\ansi\ansicpg949\deff0{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset129 \'b9\'d9\'c5\'c1;}}"
    rb"{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}}"
    rb"{\info{\title "
    + hexed("한국어 제목", "cp949")
    + rb"}{\author Kim}{\creatim\yr2024\mo3\dy5\hr10}{\operator Lee}}"
    rb"{\header page header}\pard\f1 "
    + hexed("안녕하세요", "cp949")
    + rb"\par "
    + rb"{\pict\pngblip 89504e470d0a}"
    + rb"{\*\generator Msftedit;}Second line\tab with \'93quotes\'94 and \u8364?.\par}"
)


def text_of(read_bytes, source: bytes) -> str:
    return read_bytes(rtf, "t.rtf", b"{\\rtf1\\ansi " + source + b"}")[0].text


def test_a_korean_document_with_its_properties(read_bytes):
    (document,) = read_bytes(
        rtf, "편지.rtf", WORD.replace(rb"\'93", rb"\ldblquote ").replace(rb"\'94", rb"\rdblquote ")
    )
    assert document.text == "안녕하세요\nSecond line\twith “quotes” and €.\n\n[Header: page header]"
    assert document.title == "한국어 제목"
    assert document.metadata == {"author": "Kim", "date": "2024-03-05"}


@pytest.mark.parametrize(
    ("page", "text"),
    [(949, "가나다 똠방각하"), (932, "日本語ソース"), (936, "简体中文"), (1251, "Привет"), (1252, "déjà")],
)
def test_code_pages_of_the_document(read_bytes, page, text):
    source = b"{\\rtf1\\ansi\\ansicpg%d " % page + hexed(text, f"cp{page}") + b"\\par}"
    assert read_bytes(rtf, "t.rtf", source)[0].text == text


@pytest.mark.parametrize(
    ("charset", "text", "codec"), [(129, "한글", "cp949"), (128, "かな", "cp932"), (204, "мир", "cp1251")]
)
def test_character_sets_of_fonts(read_bytes, charset, text, codec):
    source = b"{\\fonttbl{\\f0\\fcharset0 A;}{\\f7\\fcharset%d B;}}\\f0 a {\\f7 %s} b" % (charset, hexed(text, codec))
    assert text_of(read_bytes, source) == f"a {text} b"


def test_a_second_byte_may_be_a_plain_letter(read_bytes):
    assert "똠".encode("cp949")[1:] == b"c"  # written as a letter, not as a hex number
    assert read_bytes(rtf, "t.rtf", rb"{\rtf1\ansicpg949 \'8cc x}")[0].text == "똠 x"


def test_raw_bytes_are_in_the_code_page_too(read_bytes):
    source = b"{\\rtf1\\ansicpg949 " + "한글 문서".encode("cp949") + b"}"
    assert read_bytes(rtf, "t.rtf", source)[0].text == "한글 문서"


def test_unicode_with_its_fallbacks(read_bytes):
    assert text_of(read_bytes, rb"\u44032?\uc2\u45208\'b3\'aa\uc0\u45796 {\uc1\u54620?}!") == "가나다한!"
    assert text_of(read_bytes, rb"\u-10179?\u-8704?") == "😀"  # two halves of one character
    assert text_of(read_bytes, rb"\uc1\u8364\'80 x\u-10179? y") == "€ x\ufffd y"


def test_paragraphs_rows_and_signs(read_bytes):
    source = rb"a\line b\par\par\par\par c\cell d\cell\row e\~f\_g\-h \{\}\\ \emdash\bullet"
    assert text_of(read_bytes, source) == "a\nb\n\nc\td\ne f-gh {}\\ —•"


def test_fields_show_their_result_and_notes_are_read(read_bytes):
    field = rb'{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt link}}'
    source = field + rb" t{\footnote  note}{\*\bkmkstart b} {\*\unknown z}end"
    assert text_of(read_bytes, source) == "link t note end"


def test_binary_pictures_are_jumped_over(read_bytes):
    assert text_of(read_bytes, b"a{\\pict\\bin6 }}{{\\\\ }b\\bin-5 c") == "abc"


def test_a_file_cut_short_gives_what_there_is(read_bytes):
    (document,) = read_bytes(rtf, "cut.rtf", rb"{\rtf1 Hello {\b bold")
    assert document.text == "Hello bold"
    assert "is cut off" in document.remarks[0]


def test_what_follows_the_last_brace_is_ignored(read_bytes):
    assert read_bytes(rtf, "t.rtf", b"{\\rtf1 text}\0\0rest")[0].text == "text"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"plain text", "damaged"), (b"{\\rtf1 }", "empty"), (b"", "empty"), (b"{\\rtf1 " + b"{" * 100_000, "damaged")],
)
def test_what_gives_no_text(refusal, data, reason):
    assert refusal(rtf, "n.rtf", data).reason == reason


def test_it_stops_when_asked(tmp_path):
    path = tmp_path / "a.rtf"
    path.write_bytes(WORD)
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        list(rtf.read(path, ReadOptions(), task))


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    survives(rtf, "fuzzed.rtf", WORD, rounds=500)


def test_comments_headers_and_footers_are_marked(read_bytes):
    comment = rb"{\*\atnid K.}{\*\atnauthor Kim}\chatn{\*\annotation {\*\atnref 1}\pard\plain Is this so?}"
    margins = rb"{\headerf first page}{\header\pard\plain On every page\par}{\footer \chpgn  at the foot}"
    data = rb"{\rtf1\ansi" + margins + rb"Body text" + comment + rb" goes on.\sect" + margins + rb"More.}"
    (document,) = read_bytes(rtf, "c.rtf", data)
    assert document.text == (
        "Body text goes on.\n\nMore.\n\n[Comment: Is this so?]\n\n[Header: first page]\n\n"
        "[Header: On every page]\n\n[Footer: at the foot]"
    )


def test_text_boxes_of_word_95_and_later(read_bytes):
    old = rb"{\*\do\dobxpage\dptxbx{\dptxbxtext In an old box\par}}"
    new = rb"{\shp{\*\shpinst\shpleft0{\shptxt In a new box\par}}}"
    (document,) = read_bytes(rtf, "b.rtf", rb"{\rtf1\ansi Before" + old + new + rb" after}")
    assert "In an old box" in document.text
    assert "In a new box" in document.text
