"""PDF files written by hand, byte by byte."""

import contextlib
import hashlib
import threading

import pypdfium2
import pytest

from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers import pdf, registry
from explorer.corpus.readers.pdf import PdfLine, join_hyphenated, join_lines
from explorer.task import Cancelled, Task

HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


def pdf_file(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF file of these objects, the first being its catalog."""
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
    return out + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (count, trailer, start)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), entries, data)


def shown(lines: list[tuple[str, int, int, int]]) -> bytes:
    """Page content: each (text, size, x, y)."""
    return b"".join(
        b"BT /F1 %d Tf %d %d Td (%s) Tj ET\n" % (size, x, y, text.encode("cp1252")) for text, size, x, y in lines
    )


def pages_file(contents: list[bytes], info: bytes = b"", font: bytes = HELVETICA) -> bytes:
    """A PDF with one page a content stream; objects: catalog, pages, font, info, then page and content."""
    kids = b" ".join(b"%d 0 R" % (5 + 2 * index) for index in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(contents)),
        font,
        b"<<%s>>" % info,
    ]
    for index, content in enumerate(contents):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            % (6 + 2 * index)
        )
        objects.append(stream(content))
    return pdf_file(objects, b"/Info 4 0 R")


TWO_PAGES = pages_file(
    [
        shown(
            [
                ("Of Birds", 18, 72, 760),
                ("The swallow is a small bird that flies very far in sum-", 11, 72, 730),
                ("mer and comes back to its nest every year, over the sea", 11, 72, 717),
                ("and the land.", 11, 72, 704),
                ("The next paragraph begins here with another thought in it", 11, 90, 691),
                ("and ends there.", 11, 72, 678),
            ]
        ),
        shown([("Second page.", 11, 72, 760)]),
    ],
    b"/Title(Birds)/Author(Kim)/CreationDate(D:20240131120000+09'00')",
)


def test_pages_become_running_text_with_headings_apart(read_bytes):
    (document,) = read_bytes(pdf, "birds.pdf", TWO_PAGES)
    assert document.text.split("\n\n") == [
        "Of Birds",
        "The swallow is a small bird that flies very far in summer and comes back to its nest every year, "
        "over the sea and the land.",
        "The next paragraph begins here with another thought in it and ends there.",
        "Second page.",
    ]
    assert document.title == "Birds"
    assert document.metadata == {"pages": 2, "author": "Kim", "date": "2024-01-31T12:00:00+09:00"}
    assert document.part == ""
    assert document.encoding == ""


def test_a_title_that_is_no_title_gives_way_to_the_first_line(read_bytes):
    data = pages_file([shown([("On Whales", 11, 72, 700)])], b"/Title(Microsoft Word - draft3.doc)")
    assert read_bytes(pdf, "w.pdf", data)[0].title == "On Whales"


def test_a_date_that_is_none_is_kept_as_text(read_bytes):
    data = pages_file([shown([("x y z", 11, 72, 700)])], b"/CreationDate(last spring)")
    assert read_bytes(pdf, "w.pdf", data)[0].metadata["date_text"] == "last spring"


def test_korean_by_its_unicode_map(read_bytes):
    text = "고래는 바다에 산다"
    codes = {letter: number for number, letter in enumerate(dict.fromkeys(text), start=1)}
    pairs = "".join(f"<{number:04X}> <{ord(letter):04X}>\n" for letter, number in codes.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}endbfchar endcmap end end"
    ).encode()
    shown_codes = "".join(f"{codes[letter]:04X}" for letter in text).encode()
    content = b"BT /F1 12 Tf 72 700 Td <%s> Tj ET" % shown_codes
    data = pdf_file(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(content),
            b"<</Type/Font/Subtype/Type0/BaseFont/Batang/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>",
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Batang/DW 1000/FontDescriptor 8 0 R"
            b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
            stream(cmap),
            b"<</Type/FontDescriptor/FontName/Batang/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800"
            b"/Descent -200/CapHeight 700/StemV 80>>",
        ]
    )
    (document,) = read_bytes(pdf, "고래.pdf", data)
    assert document.text == text


def encrypted_file() -> bytes:
    """A file under the user password "secret", by the standard handler's first revision (RC4, 40 bits)."""
    padding = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
    password = (b"secret" + padding)[:32]
    owner = rc4(hashlib.md5(password).digest()[:5], password)
    permissions = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(password + owner + permissions + b"0123456789abcdef").digest()[:5]
    user = rc4(key, padding)
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]
    objects.append(b"<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (owner.hex().encode(), user.hex().encode()))
    identity = b"0123456789abcdef".hex().encode()
    return pdf_file(objects, b"/Encrypt 3 0 R/ID[<%s><%s>]" % (identity, identity))


def rc4(key: bytes, data: bytes) -> bytes:
    box = list(range(256))
    j = 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def test_a_password_is_reported_as_such(refusal):
    error = refusal(pdf, "secret.pdf", encrypted_file())
    assert error.reason == "encrypted"
    assert "password" in str(error)


def test_a_scan_has_no_text_layer(refusal):
    drawing = b"q 100 0 0 100 72 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q"
    error = refusal(pdf, "scan.pdf", pages_file([drawing, drawing]))
    assert error.reason == "no text layer"
    assert "OCR" in str(error)


@pytest.mark.parametrize("data", [TWO_PAGES[:120], b"%PDF-1.7\n", b"no pdf at all", bytes(1000)])
def test_damaged_files_are_reported_as_such(refusal, data):
    assert refusal(pdf, "torn.pdf", data).reason == "damaged"


def test_an_empty_file_is_reported_as_such(refusal):
    assert refusal(pdf, "nothing.pdf", b"").reason == "empty"


def test_a_missing_file_has_vanished(tmp_path):
    with pytest.raises(Unreadable, match=r"gone\.pdf is no longer there") as caught:
        list(pdf.read(tmp_path / "gone.pdf", ReadOptions(), Task()))
    assert caught.value.reason == "vanished"


def test_limits_of_size_and_time(refusal):
    assert refusal(pdf, "large.pdf", TWO_PAGES, max_bytes=100).reason == "too large"
    assert refusal(registry, "slow.pdf", TWO_PAGES, seconds=-1.0).reason == "timeout"


def test_a_cancelled_task_stops_between_pages(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(TWO_PAGES)
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        list(pdf.read(path, ReadOptions(), task))
    path.unlink()  # on Windows this fails while somebody holds the file


def test_a_reader_closed_early_leaves_nothing_open(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(TWO_PAGES)
    documents = pdf.read(path, ReadOptions(), Task())
    next(documents)
    documents.close()
    path.unlink()
    assert not pdf._PDFIUM.locked()


@pytest.mark.parametrize("cancelled", [False, True])
def test_what_pdfium_holds_is_freed(tmp_path, monkeypatch, cancelled):
    path = tmp_path / "a.pdf"
    path.write_bytes(TWO_PAGES)
    closed = []
    for kind in (pypdfium2.PdfDocument, pypdfium2.PdfPage, pypdfium2.PdfTextPage):
        monkeypatch.setattr(kind, "close", lambda self, close=kind.close: (closed.append(type(self)), close(self)))
    task = Task()
    if cancelled:
        task.cancel()
    with contextlib.suppress(Cancelled):
        list(pdf.read(path, ReadOptions(), task))
    pages = [] if cancelled else [pypdfium2.PdfTextPage, pypdfium2.PdfPage] * 2
    assert closed == [*pages, pypdfium2.PdfDocument]


def test_threads_take_turns(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(TWO_PAGES)
    found = []

    def work():
        for _ in range(20):
            found.extend(document.text for document in pdf.read(path, ReadOptions(), Task()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert len(set(found)) == 1


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    survives(pdf, "fuzzed.pdf", TWO_PAGES)
    survives(pdf, "locked.pdf", encrypted_file(), rounds=50)


def line(text: str, baseline: float, right: float = 500, left: float = 72, size: float = 11) -> PdfLine:
    return PdfLine(text, left, right, baseline, size)


def test_ligatures_and_soft_hyphens_become_letters():
    assert join_lines([line("of\ufb01ce \ufb02ow co\xadoperate", 700)]) == "office flow cooperate"


def test_chinese_lines_join_without_a_space():
    assert join_lines([line("我们在一", 700), line("起工作", 687, right=300)]) == "我们在一起工作"


def test_korean_words_cut_by_a_line_end_are_whole_where_the_page_tells():
    told = [line("나는 오늘 학교에 갔다가 집으로 돌", 700), line("아와서 밥을 ", 687), line("먹었다", 674, right=300)]
    assert join_lines(told) == "나는 오늘 학교에 갔다가 집으로 돌아와서 밥을 먹었다"
    untold = [line("나는 오늘", 700), line("학교에 갔다", 687)]
    assert join_lines(untold) == "나는 오늘 학교에 갔다"


def test_items_of_a_list_stand_apart():
    lines = [line("The fruits are", 700), line("• an apple", 687, right=200), line("• a pear", 674, right=180)]
    assert join_lines(lines) == "The fruits are\n\n• an apple\n\n• a pear"


def test_a_sentence_goes_on_in_the_next_column():
    lines = [line("This goes", 100, right=280), line("on and on", 87, right=280), line("in a column.", 700, 520, 310)]
    assert join_lines(lines) == "This goes on and on in a column."


def test_hyphens_are_kept_where_the_document_or_the_word_keeps_them():
    texts = ["a well-known and a well\x02known thing, infor\x02mation, Anglo\x02Saxon, 20\x0230, pre\x02war prewar"]
    assert join_hyphenated(texts) == [
        "a well-known and a well-known thing, information, Anglo-Saxon, 20-30, prewar prewar"
    ]


def test_comments_and_form_fields_are_read_and_marked(read_bytes):
    from tests.security.hostile_files import pdf as whole
    from tests.security.hostile_files import stream

    page = (
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</A 5 0 R>>>>"
        b"/Annots[6 0 R 7 0 R]>>"
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        page,
        stream(b"BT /A 9 Tf 9 99 Td (Words of the page) Tj ET"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Really?)>>",
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/V(Ann Lee)/Rect[0 0 9 9]>>",
    ]
    (document,) = read_bytes(pdf, "form.pdf", whole(objects))
    assert document.text == "Words of the page\n\n[Comment: Really?]\n\n[Field Name: Ann Lee]"


def page_of(content: bytes, font: bytes = b"", resources: bytes = b"") -> list[bytes]:
    """The objects of a document of one page."""
    from tests.security.hostile_files import stream

    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</A 5 0 R>>"
        + resources
        + b">>/Annots[6 0 R]>>",
        stream(content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica" + font + b">>",
        b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(A comment of more than twenty letters)>>",
        stream(
            b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
            b"1 beginbfrange <41> <5a> <e041> endbfrange endcmap"
        ),
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
        b"stream\n\xff\nendstream",
    ]


def test_pages_that_only_recognition_can_read_are_counted(read_bytes):
    """A scan with a comment on it, a page whose letters are of no alphabet; not a blank or a short one."""
    from tests.security.hostile_files import pdf as whole

    scan = page_of(b"q 200 0 0 200 0 0 cm /I Do Q", resources=b"/XObject<</I 8 0 R>>")
    (document,) = read_bytes(pdf, "scan.pdf", whole(scan))
    assert document.metadata["pages_without_text"] == 1
    assert [str(remark) for remark in document.remarks] == ["1 of 1 pages are pictures, without text."]
    garbled = page_of(b"BT /A 9 Tf 9 99 Td (LETTERSOFNOALPHABETATALL) Tj ET", font=b"/ToUnicode 7 0 R")
    (document,) = read_bytes(pdf, "garbled.pdf", whole(garbled))
    assert document.metadata["pages_without_text"] == 1
    assert "is garbled" in str(document.remarks[0])
    for content in (b"", b"BT /A 9 Tf 9 99 Td (Part One) Tj ET 0 0 m 200 0 l S"):
        (document,) = read_bytes(pdf, "short.pdf", whole(page_of(content)))
        assert "pages_without_text" not in document.metadata
        assert document.remarks == ()
