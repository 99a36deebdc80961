"""Recognise the text on pictures and scanned pages with Tesseract, the system's program, where it is installed."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Document, Unreadable, Value
from explorer.corpus.readers.files import damaged, file_title, open_file
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.corpus.document import ReadOptions


PICTURE_PAGES = "pages_without_text"  # the field of a document that says how many pages recognition may read
DOTS_PER_INCH = 300  # of a page that is drawn to be recognised
SECONDS_PER_PAGE = 3.0  # about, on one core; tests/benchmarks/recognition.py
_MOST_PIXELS = 40_000_000
_SMALLEST, _WANTED = 900, 1800  # pixels across: small pictures are enlarged, since letters under 20 pixels are misread
_TIME = 300.0  # seconds for one page, on a busy machine too
_DOUBTFUL = 0.3  # a page below is taken for a picture without text
_ROW = re.compile(r"(?:\d+\t){10}|level\tpage_num\t")  # of the table, not of the text
_MOST_FRAMES = 500  # of a TIFF, which may hold the pages of a fax


@dataclass(frozen=True)
class RecognisedPage:
    """The text of a page, and how sure it is, 0..1."""

    text: str
    confidence: float


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that can be recognised; none where Tesseract is not installed."""
    program = shutil.which("tesseract")
    if program is None:
        return ()
    try:
        ran = subprocess.run(  # noqa: S603 - the program that the user installed
            [program, "--list-langs"], capture_output=True, text=True, check=True, timeout=20, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(name for name in ran.stdout.split("\n")[1:] if name and name != "osd")


def default_languages() -> str:
    """Return the languages to recognise: Korean and English, as far as they are installed; empty for none."""
    there = languages()
    return "+".join(name for name in ("kor", "eng") if name in there) or "".join(there[:1])


def require() -> str:
    """Return the languages to recognise.

    Raises:
        DataError: Tesseract is not installed, or no language of it.
    """
    if chosen := default_languages():
        return chosen
    raise DataError(
        "Text recognition needs Tesseract, which is not installed. Install the packages tesseract-ocr and "
        "tesseract-ocr-kor, or on Windows the program from github.com/UB-Mannheim/tesseract."
    )


def recognise(path: Path, image: Any, language: str, task: Task) -> RecognisedPage:
    """Return the text on a picture of Pillow.

    Raises:
        Unreadable: Tesseract is not installed, or it fails.
    """
    task.check()
    program = shutil.which("tesseract")
    if program is None:
        raise Unreadable(
            "no text layer",
            "{file} needs text recognition, and Tesseract is not installed. Install the packages tesseract-ocr and "
            "tesseract-ocr-kor, or from github.com/UB-Mannheim/tesseract on Windows.",
            file=path.name,
        )
    nice = [tool, "-n", "15"] if (tool := shutil.which("nice")) else []  # whatever else runs comes first
    picture = io.BytesIO()
    _prepare(image).save(picture, "PPM")
    try:
        ran = subprocess.run(  # noqa: S603
            [*nice, program, "stdin", "stdout", "-l", language, "--dpi", str(DOTS_PER_INCH), "tsv", "txt"],
            input=picture.getvalue(),
            capture_output=True,
            check=True,
            timeout=_TIME,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unreadable(
            "unreadable",
            "{file}: text recognition failed ({reason}). Try `tesseract {file} -` in a terminal.",
            file=path.name,
            reason=type(error).__name__,
        ) from error
    return _page(ran.stdout.decode("utf-8", "replace"))


def _prepare(image: Any) -> Any:
    """Return the picture in grey, neither tiny nor huge."""
    width, height = image.size
    if width * height > _MOST_PIXELS:
        image.draft("L", (width // 2, height // 2))  # a JPEG can be opened smaller
        width, height = image.size
    scale = min(1.0, (_MOST_PIXELS / (width * height)) ** 0.5)
    if max(width, height) < _SMALLEST:
        scale = min(4.0, _WANTED / max(width, height))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        from PIL import Image

        image = image.convert("RGBA")  # letters on nothing would be letters on black
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    grey = image.convert("L")
    return grey if scale == 1.0 else grey.resize((max(1, round(width * scale)), max(1, round(height * scale))))


def _page(output: str) -> RecognisedPage:
    """Return the text that Tesseract read, with the mean confidence of its table of words, which comes first.

    The table alone would not do: it has most syllables of Korean words in rows of their own.
    """
    lines = output.replace("\f", "").split("\n")
    rows = [line.split("\t") for line in lines if _ROW.match(line) and line[0] != "l"]
    words = [(len(row[11]), float(row[10])) for row in rows if len(row) == 12 and row[11].strip()]
    letters = sum(length for length, _ in words)
    confidence = sum(length * sure for length, sure in words) / letters / 100 if letters else 0.0
    if confidence < _DOUBTFUL:
        return RecognisedPage("", 0.0)
    text = "\n".join(" ".join(line.split()) for line in lines if not _ROW.match(line))
    paragraphs = (" ".join(paragraph.split("\n")) for paragraph in re.split(r"\n{2,}", text.strip()))
    return RecognisedPage("\n\n".join(paragraphs), confidence)


def notes(pages: Sequence[RecognisedPage], count: int, numbers: Iterable[int] = ()) -> tuple[dict[str, Value], str]:
    """Return the metadata and the remark of a document of which pages were recognised."""
    read = [page for page in pages if page.text]
    confidence = sum(page.confidence for page in read) / max(1, len(read))
    metadata: dict[str, Value] = {"recognised": len(read), "recognition_confidence": round(confidence, 3)}
    if listed := ", ".join(map(str, numbers)):
        metadata["recognised_pages"] = listed
    remark = UserMessage(
        "Text recognised on {count} of {pages} pages, {confidence:.0%} sure; expect mistakes.",
        count=len(read),
        pages=count,
        confidence=confidence,
    )
    return metadata, remark


def nothing(path: Path) -> Unreadable:
    """Return the error for pictures without recognisable text."""
    return Unreadable("empty", "No text was recognised on {file}. Remove it or choose another file.", file=path.name)


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the text on a picture, all frames of a TIFF included, as one document.

    Raises:
        Unreadable: Recognition is not asked for, is not there, or finds no text.
    """
    if not options.recognise:
        raise Unreadable(
            "no text layer",
            "{file} is a picture. Index with text recognition (OCR) to read what is on it.",
            file=display_path(path.name),
        )
    from PIL import Image, ImageSequence

    pages = []
    with open_file(path, options) as file:
        try:
            with Image.open(file) as image:
                for number, frame in enumerate(ImageSequence.Iterator(image)):
                    task.check()
                    if number >= _MOST_FRAMES or (number and image.format == "GIF"):
                        break
                    pages.append(recognise(path, frame, options.recognise, task))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise damaged(path, UserMessage("it cannot be opened as a picture")) from error
    text = "\n\n".join(page.text for page in pages if page.text)
    if not text:
        raise nothing(path)
    metadata, remark = notes(pages, len(pages))
    yield Document(text=text, title=file_title(path), metadata=metadata, remarks=(remark,))
