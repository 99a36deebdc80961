"""Archives as folders: inner paths, limits, nothing written, nothing lost in silence."""

from __future__ import annotations

import base64
import gzip
import io
import random
import struct
import tarfile
import zipfile
import zlib

import pytest

from explorer.corpus.readers import archives, registry
from tests.corpus.readers import foreign_files
from tests.security import hostile_files


def zipped(**members: str | bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_files_by_their_paths_inside(read_bytes):
    data = zipped(
        **{
            "a/one.txt": "first",
            "한글/둘.csv": "title,text\nA,a longer text of a row\nB,another text of one",
            "__MACOSX/._one.txt": "junk",
            ".hidden/x.txt": "junk",
        }
    )
    documents = read_bytes(registry, "all.zip", data)
    assert [one.part for one in documents] == ["a/one.txt", "한글/둘.csv › row 1", "한글/둘.csv › row 2"]


def test_paths_that_lead_out_stay_names(read_bytes, tmp_path):
    (document,) = read_bytes(registry, "slip.zip", zipped(**{"../../../evil.txt": "words"}))
    assert document.part == "evil.txt"
    assert not list(tmp_path.parent.glob("evil.txt"))


def test_korean_names_of_old_programs(read_bytes):
    data = bytearray(zipped(**{"xxxx.txt": "words"}))
    name = "보고".encode("cp949") + b".txt"
    data = bytes(data).replace(b"xxxx.txt", name)
    assert read_bytes(registry, "old.zip", data)[0].part == "보고.txt"
    western = bytes(zipped(**{"rxsumx.txt": "words"})).replace(b"rxsumx.txt", "résumé.txt".encode("cp437"))
    assert read_bytes(registry, "western.zip", western)[0].part == "résumé.txt"


def test_what_could_not_be_read_is_told(read_bytes):
    (document,) = read_bytes(
        registry, "some.zip", zipped(**{"a.txt": "words", "b.rar": b"Rar!\x1a", "c.png": b"\x89PNG\r\n"})
    )
    (remark,) = document.remarks
    assert "not read: 2" in remark
    assert "b.rar" in remark
    assert document.metadata["pages_without_text"] == 1  # so that recognition reads the picture, when it is asked for


@pytest.mark.parametrize(
    ("name", "mode"), [("a.tar", "w"), ("a.tgz", "w:gz"), ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz")]
)
def test_tar_in_all_its_wrappings(read_bytes, name, mode):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:
        info = tarfile.TarInfo("deep/글.txt")
        info.size = len("본문".encode())
        archive.addfile(info, io.BytesIO("본문".encode()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert [(one.part, one.text) for one in read_bytes(registry, name, made.getvalue())] == [("deep/글.txt", "본문")]


def test_one_packed_file(read_bytes):
    (document,) = read_bytes(registry, "notes.md.gz", gzip.compress(b"# Heading\n\nwords"))
    assert (document.part, document.title) == ("notes.md", "Heading")


def test_archives_in_archives_end(refusal, read_bytes):
    assert read_bytes(registry, "three.zip", hostile_files.zip_of_zips(levels=3, copies=2))
    assert refusal(registry, "six.zip", hostile_files.zip_of_zips(levels=6, copies=3)).reason == "too large"


def test_a_bomb_is_refused_and_all_parts_count_together(refusal):
    assert refusal(registry, "bomb.zip", zipped(**{"a.txt": b" " * 2**26})).reason == "too large"
    many = zipped(**{f"{number}.txt": bytes(range(32, 127)) * 10 for number in range(50)})
    assert refusal(registry, "many.zip", many, max_unpacked=20_000).reason == "too large"


def test_archives_may_be_left_alone(refusal):
    assert "allow" in str(refusal(registry, "a.zip", zipped(a="x"), archives=False))


def test_a_password_is_reported_as_such(refusal):
    data = bytearray(zipped(**{"a.txt": "x"}))
    for offset in (6, data.index(b"PK\x01\x02") + 8):
        data[offset] |= 1
    assert refusal(archives, "p.zip", bytes(data)).reason == "encrypted"


def test_a_damaged_or_locked_file_does_not_cost_the_others(read_bytes):
    data = bytearray(zipped(**{"a.txt": "first words", "b.txt": "second words", "c.txt": "third words"}))
    data[data.index(b"b.txt") + len("b.txt") + 3] ^= 0xFF
    documents = read_bytes(registry, "damaged.zip", bytes(data))
    assert [one.part for one in documents] == ["a.txt", "c.txt"]
    assert "b.txt is damaged" in documents[-1].remarks[0]
    data = bytearray(zipped(**{"a.txt": "first words", "b.txt": "second words"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (document,) = read_bytes(registry, "locked.zip", bytes(data))
    assert document.part == "b.txt"
    assert "a.txt is protected" in document.remarks[0]


class TestSevenZip:
    WHOLE = foreign_files.seven_zipped()[0]
    # One text, by 7-Zip 26: -m0=ppmd; -p -mhe=on. And two by py7zr 1.1: LZMA2 behind the filter for programs.
    PPMD = base64.b64decode(
        "N3q8ryccAAT6EILRFQAAAAAAAABCAAAAAAAAANzPkXQARiU4RBW5+d2Ay7I7Fei07LsNqAABBAYAAQkVAAcLAQABIwMEAQUGAAABAAwQAAgK"
        "AYLT7cgAAAUBGQYAAAAAAAAREQBvAG4AZQAuAHQAeAB0AAAAAAA="
    )
    LOCKED = base64.b64decode(
        "N3q8ryccAAQ9PPwNgAAAAAAAAAAuAAAAAAAAACbLkv32qfMeNsgC/qSOfg23Szhsre4kK0Xm3BAUVWtyH9/Z012k/Y2VP1YfrwNA59z6BQEP"
        "i7S3GklLA1tfX3pvoTrf+OsfyCKSOAuMM6t4bsmUPlf80F8QBjNbbGSGaXmYewBR/cjDYr36XAbSRwigAbU8a1Tur5lO8Hs9gs6dGQJE5xcG"
        "IAEJYAAHCwEAASQG8QcBElMPSpnFZRloCP3OQ8eneG0TDwxSCgELnFUlAAA="
    )
    FILTERED = base64.b64decode(
        "N3q8ryccAARsT8IopAAAAAAAAAAUAAAAAAAAAKlP2csBACNGaXJzdHdvcmQg7LKr6riAIyBTZWNvbmR3b3JkCgrrkZjsp7gA4AB8AHRdAACB"
        "MweuD9CHwjyfORCcbOpWGo7hzkIb99wHwiIbZ+Nvfw2QYTpAnCVYT55jIlZBm5azzC1Q2AmkGLJpgsgG78xKCWTAkQFQU/Sjc4PNSmCBaSb2"
        "txSEdvtwTuuVfOpYUKsxZDgBRH8/YyFPn+cuH5nJAAAAABcGKAEJfAAHCwEAASEhARgMfQAA"
    )

    def test_files_by_their_paths_inside(self, read_bytes):
        documents = read_bytes(registry, "all.7z", self.WHOLE)
        assert [(one.part, one.text) for one in documents] == [
            ("one.txt", "Firstword 첫글"),
            ("한글/둘.md", "Secondword\n\n둘째"),
        ]
        assert [one.part for one in read_bytes(registry, "no ending", self.WHOLE)] == ["one.txt", "한글/둘.md"]
        assert [one.part for one in read_bytes(registry, "b.7z", self.FILTERED)] == ["a/one.txt", "한글/둘.md"]

    def test_what_is_not_read_is_told(self, refusal):
        assert refusal(registry, "a.7z", self.LOCKED).reason == "encrypted"
        assert "Unpack it" in str(refusal(registry, "a.7z", self.PPMD))
        assert refusal(registry, "a.7z", self.WHOLE[:100]).reason == "damaged"
        changed = bytearray(self.WHOLE)
        changed[40] ^= 1  # a letter of the first text: its checksum tells
        assert refusal(registry, "a.7z", bytes(changed)).reason == "damaged"

    def test_all_parts_count_together(self, refusal):
        assert refusal(registry, "a.7z", self.WHOLE, max_unpacked=20).reason == "too large"

    @pytest.mark.timeout(120)
    def test_damage_never_escapes(self, survives):
        survives(archives, "f.7z", self.WHOLE, rounds=100)
        survives(archives, "f.7z", self.FILTERED, rounds=100)

    def test_a_header_that_lies_costs_no_memory(self, refusal):
        """The checksums of the headers are right, so that the parser is reached."""
        luck = random.Random(3)
        for _ in range(300):
            header = bytearray(base64.b64decode("AQQGAAEJFQAHCwEAASMDAQEFXQAQAAABAAwQAAgKAYLT7cgAAAUBEREAbwBuAGUA"))
            for _ in range(luck.choice((1, 3, 9))):
                header[luck.randrange(len(header))] = luck.choice((0, 1, 0xFF, luck.randrange(256)))
            place = struct.pack("<QQI", 21, len(header), zlib.crc32(header))
            data = b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(place)) + place + bytes(21) + header
            assert refusal(archives, "a.7z", data).reason in ("damaged", "empty", "binary", "encrypted")


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    survives(archives, "f.zip", zipped(**{"a.txt": "words " * 50, "b/c.md": "# more"}), rounds=60)
    survives(archives, "f.tgz", gzip.compress(b"words"), rounds=30)
