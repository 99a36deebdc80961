"""Text recognition on pages made from text: python tests/benchmarks/recognition.py

Pages in several fonts, straight and clean, skewed, and noisy, in English and Korean, as a scanner would give them.
Prints the share of characters and of words that come out right, and the seconds a page takes.
"""

from __future__ import annotations

import random
import re
import subprocess
import time
from difflib import SequenceMatcher
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from explorer import paths
from explorer.corpus.readers.recognition import recognise
from explorer.task import Task

WIDTH, HEIGHT, MARGIN = 2480, 3508, 220  # A4 at 300 dots per inch
SIZE = 46  # pixels: 11 points
SAMPLE = paths.resources() / "sample"


def texts() -> dict[str, str]:
    """About 1,500 letters of each language, from the sample."""
    found = {"eng": "", "kor": ""}
    for file in sorted(SAMPLE.rglob("*.txt")):
        text = " ".join(file.read_text("utf-8", errors="ignore").split())
        language = "kor" if re.search("[가-힣]", text) else "eng"
        if len(found[language]) < 1500:
            found[language] += text[:400] + " "
    return found


def fonts(language: str) -> list[Path]:
    wanted = {
        "eng": ("DejaVuSans.ttf", "DejaVuSerif.ttf", "LiberationSerif-Regular.ttf", "NotoSerifCJK-Regular.ttc"),
        "kor": ("NotoSansCJK-Regular.ttc", "NotoSerifCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
    }[language]
    listed = subprocess.run(["fc-list", ":", "file"], capture_output=True, text=True).stdout
    files = {Path(line.strip(": \n")).name: Path(line.strip(": \n")) for line in listed.splitlines()}
    return [files[name] for name in wanted if name in files]


def page(text: str, font: Path) -> Image.Image:
    image = Image.new("L", (WIDTH, HEIGHT), 255)
    face, draw = ImageFont.truetype(str(font), SIZE), ImageDraw.Draw(image)
    line, top = "", MARGIN
    for word in [*text.split(), ""]:
        if not word or draw.textlength(f"{line} {word}", font=face) > WIDTH - 2 * MARGIN:
            draw.text((MARGIN, top), line, font=face, fill=20)
            line, top = word, top + 70
        else:
            line = f"{line} {word}".strip()
    return image


def skewed(image: Image.Image) -> Image.Image:
    return image.rotate(1.5, fillcolor=255, resample=Image.Resampling.BICUBIC)


def noisy(image: Image.Image) -> Image.Image:
    soft = image.rotate(0.7, fillcolor=255, resample=Image.Resampling.BICUBIC).filter(ImageFilter.GaussianBlur(1.2))
    noise = Image.effect_noise(image.size, 30)
    return ImageChops.add(soft, noise, scale=1.0, offset=-128)


def letters(a: str, b: str) -> float:
    """The share of the letters of a that are found in b, in order."""
    a, b = "".join(a.split()), "".join(b.split())
    matched = sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    return matched / max(1, len(a))


def main() -> None:
    random.seed(1)
    print("| language | font | page | letters right | words right | sure | seconds |\n|---|---|---|---|---|---|---|")
    for language, text in texts().items():
        for font in fonts(language):
            for name, change in (("clean", lambda image: image), ("skewed", skewed), ("noisy", noisy)):
                image = change(page(text, font))
                since = time.monotonic()
                found = recognise(Path("page.png"), image, "kor+eng", Task())
                took = time.monotonic() - since
                words, known = text.split(), set(found.text.split())
                right = sum(word in known for word in words) / len(words)
                print(
                    f"| {language} | {font.stem} | {name} | {letters(text, found.text):.1%} | {right:.1%} "
                    f"| {found.confidence:.0%} | {took:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
