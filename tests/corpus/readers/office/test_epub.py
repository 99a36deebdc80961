"""EPUB books written by hand."""

import io
import zipfile

import pytest

from explorer.corpus.readers import registry
from explorer.corpus.readers.office import epub, package

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
OPF = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>동물 이야기</dc:title><dc:creator>Kim</dc:creator><dc:creator>Lee</dc:creator>
<dc:date>{date}</dc:date><dc:language>ko</dc:language></metadata>
<manifest>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="two" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="evil" href="../../../../etc/passwd" media-type="application/xhtml+xml"/>
<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="cover" href="cover.png" media-type="image/png"/>
</manifest>
<spine>{spine}</spine></package>"""


def page(body: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{body}</body></html>'


def book(
    spine: tuple[str, ...] = ("cover", "two", "one"), date: str = "2020-02-03", method: int = 8, **extra: str
) -> bytes:
    references = "".join(f'<itemref idref="{name}"/>' for name in spine)
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": OPF.format(date=date, spine=references),
        "OEBPS/text/one.xhtml": page("<h1>Whales</h1><p>They swim.</p>"),
        "OEBPS/text/two b.xhtml": page("<h1>고양이</h1><p>고양이는 잔다.</p><script>alert(1)</script>"),
        "etc/passwd": page("<p>secret</p>"),
        **{name.replace("__", "/").replace("_xml", ".xml"): content for name, content in extra.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def test_chapters_in_the_order_of_the_spine(read_bytes):
    (document,) = read_bytes(epub, "책.epub", book())
    text = document.text
    assert text.index("고양이는 잔다.") < text.index("Whales") < text.index("They swim.")
    assert "alert" not in text
    assert document.title == "동물 이야기"
    assert document.metadata == {"author": "Kim, Lee", "date": "2020-02-03", "language": "ko"}


def test_footnotes_and_boxes_of_a_chapter_are_read(read_bytes):
    chapter = page(
        '<p>Whales<sup>1</sup></p><aside epub:type="footnote" hidden="">1 In the sea.</aside><aside>A box.</aside>'
        "<footer>By Kim</footer><nav>Home</nav>"
    )
    (document,) = read_bytes(epub, "n.epub", book(spine=("one",), **{"OEBPS__text__one.xhtml": chapter}))
    for text in ("1 In the sea.", "A box.", "By Kim"):
        assert text in document.text
    assert "Home" not in document.text


def test_a_date_that_is_a_year_or_nothing_clear(read_bytes):
    assert read_bytes(epub, "a.epub", book(date="1871"))[0].metadata["date"] == "1871"
    assert read_bytes(epub, "a.epub", book(date="spring"))[0].metadata["date_text"] == "spring"


def test_references_out_of_the_archive_are_not_followed(read_bytes):
    (document,) = read_bytes(epub, "a.epub", book(("evil", "one")))
    assert "secret" not in document.text


@pytest.mark.parametrize(
    ("folder", "reference", "member"),
    [
        ("OEBPS", "text/a.html", "OEBPS/text/a.html"),
        ("OEBPS", "../a.html", "a.html"),
        ("OEBPS", "..\\..\\a.html", ""),
        ("OEBPS", "../../a.html", ""),
        ("", "/etc/passwd", ""),
        ("", "", ""),
    ],
)
def test_paths_stay_inside_the_archive(folder, reference, member):
    assert package.inside(folder, reference) == member


def test_missing_chapters_are_remarked_on(read_bytes):
    (document,) = read_bytes(epub, "a.epub", book(("gone", "one")))
    assert "They swim." in document.text
    assert document.remarks == ("Chapters left out because they are missing or damaged: 1.",)


def encryption(algorithm: str) -> str:
    return f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/></EncryptedData></encryption>'


def test_drm_is_reported_as_such(refusal):
    data = book(**{"META-INF__encryption_xml": encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")})
    error = refusal(epub, "locked.epub", data)
    assert error.reason == "encrypted"
    assert "DRM" in str(error)


def test_scrambled_fonts_are_no_drm(read_bytes):
    data = book(**{"META-INF__encryption_xml": encryption("http://www.idpf.org/2008/embedding")})
    assert read_bytes(epub, "fonts.epub", data)


def test_without_a_container_the_package_is_searched(read_bytes):
    data = book(**{"META-INF__container_xml": "<container/>"})
    assert "They swim." in read_bytes(epub, "a.epub", data)[0].text


@pytest.mark.parametrize("data", [b"PK", b"nothing", book()[:400]])
def test_what_is_no_book_is_damaged(refusal, data):
    assert refusal(epub, "d.epub", data).reason == "damaged"


def test_limits(refusal):
    assert refusal(epub, "big.epub", book(), max_unpacked=600).reason == "too large"
    assert refusal(registry, "slow.epub", book(), seconds=-1.0).reason == "timeout"


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    survives(epub, "fuzzed.epub", book())
    survives(epub, "stored.epub", book(method=0))


def test_chapters_that_are_enciphered_are_never_read_as_text(refusal):
    import random

    noise = random.Random(1).randbytes(4000)
    data = book(("one",), **{"OEBPS/text/one.xhtml": noise})
    assert refusal(epub, "locked.epub", data).reason == "encrypted"
