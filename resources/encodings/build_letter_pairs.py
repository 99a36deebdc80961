"""Build letter_pairs.txt from the letter statistics of lingua (https://github.com/pemistahl/lingua-py, Apache-2.0).

Run it with the folder `lingua/language-models` of the pure Python wheel (lingua-language-detector 1.4), unpacked:
    python resources/encodings/build_letter_pairs.py lingua/language-models > resources/encodings/letter_pairs.txt
It needs `brotli`. Lingua counted words of news and web pages of the Leipzig Corpora Collection.
"""

from __future__ import annotations

import json
import math
import string
import sys
from pathlib import Path

# The letters of each language beyond a to z. Others in the statistics are names, or texts in a wrong encoding.
LATIN = {
    "en": "é", "fr": "éèàêçâîôûùëïœ", "de": "äöüß", "es": "óíáéñúü", "pt": "ãçéêáíóõâúàôü", "it": "àèùòìé",
    "ca": "àéèóíòçúïü", "nl": "ëéïèöüó", "sv": "äöåé", "fi": "äöå", "da": "åøæéö", "nb": "åøæéòôó",
    "is": "ðáíþöóúæéý", "ga": "áéíóú", "eu": "ñ", "sq": "ëç", "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž",
    "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű", "ro": "ăâîşţșț", "hr": "čćđšž", "sl": "čšž", "tr": "ıüşçğöâîû",
    "lt": "ėšųžąįūčę", "lv": "āīēšņļūžčķģ", "et": "õäöüšž",
    "vi": "àáảãạăằắẳẵặâầấẩẫậđèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵ",
}  # fmt: skip
OTHER = {
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
    "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
    "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
    "el": "αοτιενσρκπημυςλίόάέδγωήχθύφώβξζψϊϋΐΰ",
    "he": "יוהלרתבמאשנעםדחכקפסגצןטזךףץ",
    "ar": "اليمونرتبعةدفسهقكحأجشصطىخإضذزثئغءظؤآ",
    "fa": "اردنهومیتبيسلشزکفگعخقجحآكپصطچضظذىغئثژأءؤة",
}
STEP = 0.12  # natural logarithms; one printable character holds 94 steps, down to 1.4e-5


def main() -> None:
    """Write the table to standard output."""
    import brotli

    lines = [
        "# Letter statistics of lingua 1.4 (Apache-2.0), cut and rounded by build_letter_pairs.py beside this file.",
        "# Language, letters, the share of each, and that of each pair among those with the same first letter:",
        f"# one character for -ln(share) / {STEP}, counted from '!'; '~' is never.",
    ]
    for language, extra in {**LATIN, **OTHER}.items():
        letters = string.ascii_lowercase + extra if language in LATIN else extra
        counts = []
        for name in ("unigrams", "bigrams"):
            source = Path(sys.argv[1], language, f"{name}.json.br").read_bytes()
            shares = json.loads(brotli.decompress(source))["ngrams"]
            counts.append({item: _divide(share) for share, items in shares.items() for item in items.split()})
        single, pairs = counts
        rows = [[single.get(letter, 0.0) for letter in letters]]
        rows += [[pairs.get(first + second, 0.0) for second in letters] for first in letters]
        lines.append(" ".join([language, letters, *("".join(map(_code, row)) for row in rows)]))
    sys.stdout.write("\n".join(lines) + "\n")


def _divide(share: str) -> float:
    part, whole = share.split("/")
    return int(part) / int(whole)


def _code(share: float) -> str:
    return chr(33 + min(93, round(-math.log(share) / STEP))) if share else "~"


if __name__ == "__main__":
    main()
