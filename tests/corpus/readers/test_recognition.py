"""Pictures and scans, where Tesseract is installed."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw, ImageFont

from explorer.corpus.readers import recognition, registry

WORDS = "The quick brown fox jumps over the lazy dog"


def picture(form: str = "PNG") -> bytes:
    image = Image.new("L", (1400, 300), 255)
    ImageDraw.Draw(image).text((60, 100), WORDS, font=ImageFont.load_default(48), fill=0)
    made = io.BytesIO()
    image.save(made, form, resolution=150.0)
    return made.getvalue()


def test_pictures_are_never_read_as_text_unless_asked(refusal):
    for form in ("PNG", "BMP", "GIF", "TIFF", "JPEG"):
        for name in (f"a.{form.lower()}", "picture"):
            assert refusal(registry, name, picture(form)).reason in ("no text layer", "binary")


needs_tesseract = pytest.mark.skipif("eng" not in recognition.languages(), reason="Tesseract is not installed")


@needs_tesseract
def test_the_text_of_a_picture_with_how_sure_it_is(read_bytes):
    (document,) = read_bytes(registry, "scan.png", picture(), recognise="eng")
    assert document.text == WORDS
    assert document.metadata["recognised"] == 1
    assert document.metadata["recognition_confidence"] > 0.8
    assert "expect mistakes" in document.remarks[0]


@needs_tesseract
def test_a_scanned_pdf(read_bytes, refusal):
    scan = picture("PDF")
    assert refusal(registry, "scan.pdf", scan).reason == "no text layer"
    (document,) = read_bytes(registry, "scan.pdf", scan, recognise="eng")
    assert document.text == WORDS
    assert document.metadata["recognised_pages"] == "1"


@needs_tesseract
def test_a_blank_page_is_told(refusal):
    made = io.BytesIO()
    Image.new("L", (300, 300), 255).save(made, "PNG")
    assert refusal(registry, "blank.png", made.getvalue(), recognise="eng").reason == "empty"
