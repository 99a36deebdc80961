"""Bytes become the text their author wrote, whatever he saved them as."""

import importlib.util
import io
import random
import struct
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from explorer.corpus.document import Unreadable
from explorer.corpus.encoding import decode as encoding_decode
from explorer.corpus.encoding.decode import codec_of, decode, decode_blocks, looks_binary, tidy

_SPEC = importlib.util.spec_from_file_location(
    "encodings_benchmark", Path(__file__).parents[2] / "benchmarks" / "encodings.py"
)
benchmark = importlib.util.module_from_spec(_SPEC)
sys.modules["encodings_benchmark"] = benchmark  # its dataclass looks there for its annotations
_SPEC.loader.exec_module(benchmark)

KOREAN = [
    "오늘은 비가 와서 집에서 책을 읽었습니다.",
    "시장 골목에 새로 생긴 국밥집이 정말 맛있더라고요.",
    "다음 주 회의는 오후 세 시로 옮겨졌으니 착오 없으시기 바랍니다.",
    "서버를 다시 시작해도 같은 오류가 계속 나타납니다 (코드 503).",
    "똠방각하는 어디 갔습니까? 펲시콜라도 없고, 햏햏거릴 시간도 없습니다.",
]
JAPANESE = [
    "昨日は友達と一緒に映画を見に行きました。",
    "会議は来週の月曜日、午後三時から始まります。",
    "この料理は簡単で、とてもおいしいと評判です。",
    "システムを再起動しても同じエラーが表示されます。",
]
SIMPLIFIED = [
    "昨天下雨，所以我在家里看了一本书。",
    "下周一的会议改到下午三点开始，请大家准时参加。",
    "这家餐馆的菜很好吃，价格也不贵。",
    "重新启动服务器以后，问题还是没有解决。",
]
TRADITIONAL = [
    "昨天下雨，所以我在家裡看了一本書。",
    "下週一的會議改到下午三點開始，請大家準時參加。",
    "這家餐廳的菜很好吃，價格也不貴。",
    "重新啟動伺服器以後，問題還是沒有解決。",
]
RUSSIAN = [
    "Вчера шёл дождь, и я весь день читал книгу.",
    "Совещание перенесли на понедельник, на три часа дня.",
    "После перезапуска сервера ошибка всё равно остаётся.",
    "ПРАВИЛА ПОЛЬЗОВАНИЯ БИБЛИОТЕКОЙ",
]
GREEK = [
    "Χθες έβρεχε και διάβαζα όλη μέρα ένα βιβλίο.",
    "Η συνάντηση μεταφέρθηκε για τη Δευτέρα το απόγευμα.",
    "Μετά την επανεκκίνηση το σφάλμα παραμένει το ίδιο.",
]
TURKISH = [
    "Dün yağmur yağdı, ben de bütün gün kitap okudum.",
    "Toplantı pazartesi günü öğleden sonra üçe alındı.",
    "Sunucu yeniden başlatıldıktan sonra hata devam ediyor.",
]
POLISH = [
    "Wczoraj padał deszcz, więc cały dzień czytałem książkę.",
    "Spotkanie zostało przeniesione na poniedziałek o trzeciej.",
    "Po ponownym uruchomieniu serwera błąd się powtarza.",
]
FRENCH = [
    "Hier il a plu, alors j'ai lu un livre toute la journée.",
    "La réunion a été déplacée à lundi après-midi.",
    "Après le redémarrage du serveur, l'erreur persiste à chaque fois.",
]
GERMAN = [
    "Gestern hat es geregnet, und ich habe zu Hause ein schönes Buch gelesen.",
    "Die Sitzung wurde auf nächsten Montag verschoben, grüßt der Vorstand.",
    "Nach dem Neustart des Servers tritt der Fehler weiter für alle auf.",
]
HEBREW = ["אתמול ירד גשם ולכן קראתי ספר כל היום.", "הפגישה נדחתה ליום שני בשעה שלוש."]
ARABIC = ["أمس نزل المطر فقرأت كتابا طوال اليوم.", "تم تأجيل الاجتماع إلى يوم الاثنين القادم."]
LATVIAN = ["Vakar lija lietus, tāpēc visu dienu lasīju grāmatu.", "Sanāksme pārcelta uz pirmdienas pēcpusdienu."]

SAVED = [
    ("cp949", KOREAN),
    ("cp932", JAPANESE),
    ("euc_jp", JAPANESE),
    ("iso2022_jp", JAPANESE),
    ("gb18030", SIMPLIFIED),
    ("cp950", TRADITIONAL),
    ("cp1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("cp1253", GREEK),
    ("cp1254", TURKISH),
    ("cp1250", POLISH),
    ("cp1252", FRENCH),
    ("cp1252", GERMAN),
    ("cp1255", HEBREW),
    ("cp1256", ARABIC),
    ("cp1257", LATVIAN),
]
EVERYTHING = [text for _, texts in SAVED for text in texts]
SHORT = [(encoding, text) for encoding, texts in SAVED for text in texts]


@pytest.mark.parametrize(("encoding", "text"), SHORT)
def test_one_sentence_is_enough(encoding, text):
    found = decode(text.encode(encoding))
    assert found.text == text
    assert 0.5 <= found.confidence <= 1.0
    assert found.remarks == ()


@pytest.mark.parametrize(("encoding", "texts"), SAVED)
def test_long_texts_are_read_with_confidence(encoding, texts):
    text = "\n".join(texts * 40)
    found = decode(text.encode(encoding))
    assert found.text == text
    assert found.confidence >= 0.9


HISTORIC = [
    (case.encoding, case.text)
    for case in benchmark.cases()
    # One sentence and all of them, a different one in each encoding: the benchmark reads every one.
    if case.is_long or len(case.text) % 5 == len(case.encoding) % 5
]


def test_languages_in_their_historic_encodings():
    found = [(encoding, text, decode(text.encode(encoding))) for encoding, text in HISTORIC]
    wrong = [(encoding, read.encoding, read.confidence, text) for encoding, text, read in found if read.text != text]
    assert len(found) > 150
    assert len(wrong) <= 0.03 * len(found), wrong
    assert all(confidence <= 0.8 for _, _, confidence, _ in wrong), wrong


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("hp-roman8", "La réunion a été déplacée à lundi après-midi."),
        ("ptcp154", "Қазақстан Республикасының Конституциясы әр азаматтың құқығын қорғайды"),
        ("koi8-t", "Ҳамаи одамон озод ва аз лиҳози шарафу ҳуқуқ ба ҳам баробар ба дунё меоянд"),
    ],
)
def test_an_encoding_that_is_not_known_is_not_read_with_confidence(encoding, text):
    for data in (text.encode(encoding), (text * 20).encode(encoding)):
        found = decode(data)
        assert found.confidence <= 0.5
        assert any("please check" in remark for remark in found.remarks)


class TestSevenBits:
    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("utf-7", "한국어 문장입니다. + 더하기"),
            ("utf-7", "Grüße aus Köln"),
            ("hz", "人人生而自由，在尊严和权利上一律平等。"),
            ("iso2022_kr", "도서관은 월요일마다 문을 닫지만 이번 주에는 쉽니다.\n" * 20),
        ],
    )
    def test_are_read(self, encoding, text):
        found = decode(text.encode(encoding))
        assert (found.text, found.encoding) == (text, encoding)
        assert not looks_binary(text.encode(encoding))

    @pytest.mark.parametrize(
        "data",
        [
            b"a+b-c and 2+2=4, C++-code, +abcd- and +AGE-",
            b"foo+barbazqux+ more text",
            b"user+tag@example.com +82-10-1234-5678",
            b"base64: +ABCDEFGH/abcd+efgh",
            b"~{not hz~} and x = ~{ab~} + 1",
        ],
    )
    def test_formulas_and_codes_stay_ascii(self, data):
        assert decode(data).text == data.decode()


class TestMainframes:
    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("cp037", "The quick brown fox jumps over the lazy dog.\nAnd once again."),
            ("cp500", "La réunion a été déplacée à lundi après-midi."),
            ("cp273", "Die Sitzung wurde auf nächsten Montag verschoben, grüßt der Vorstand."),
        ],
    )
    def test_are_read(self, encoding, text):
        assert decode(text.encode(encoding)).text == text
        assert not looks_binary(text.encode(encoding))

    def test_line_ends(self):
        assert decode("One line of it.\x85Another line.".encode("cp037")).text == "One line of it.\nAnother line."


def test_ukrainian_of_older_systems():
    text = "Вчора йшов дощ, і я цілий день читав книгу. Їжак її бачив, є ґанок."
    found = decode(text.encode("koi8-u"))
    assert (found.text, found.encoding) == (text, "koi8-u")


@pytest.mark.parametrize(("encoding", "texts"), SAVED)
def test_a_few_foreign_lines_in_a_program_are_read(encoding, texts):
    code = "int main(void) {\n    return compute(first, second);\n}\n"
    text = code + "".join(f"// {line}\n" for line in texts) + code * 3
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("text", [KOREAN[0], JAPANESE[0], RUSSIAN[1], FRENCH[1], "Plain words, nothing else.\n"])
def test_unicode_with_and_without_a_mark(encoding, text):
    found = decode(text.encode(encoding))
    assert found.text == text
    assert found.remarks == ()


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xfe\xff", "utf-16-be"), (b"\x00\x00\xfe\xff", "utf-32-be")])
def test_big_endian_marks(mark, encoding):
    assert decode(mark + KOREAN[0].encode(encoding)).text == KOREAN[0]


def test_what_the_encodings_are_called():
    assert decode(b"plain").encoding == "ascii"
    assert decode("é".encode()).encoding == "utf-8"
    assert decode(FRENCH[0].encode("latin-1")).encoding == "latin-1"
    assert decode("“Un café”, dit-elle.".encode("cp1252")).encoding == "cp1252"
    assert decode(KOREAN[0].encode("euc_kr")).encoding == "cp949"


@pytest.mark.parametrize(
    "text",
    ["That café charges £5 – “a bargain”.", "Temperature: 21 °C ± 2", "• First item\n• Second item\n", "naïve résumé"],
)
def test_english_with_a_few_signs_is_windows_1252(text):
    found = decode(text.encode("cp1252"))
    assert found.text == text


def test_damaged_utf8_stays_utf8_and_is_marked():
    data = bytearray("\n".join(KOREAN * 5).encode())
    data[100:101] = b"\xff"
    data[401:402] = b"\xfe"
    found = decode(bytes(data))
    assert found.encoding == "utf-8"
    assert found.text.count("회의") >= 4
    assert any("replaced" in remark for remark in found.remarks)
    assert found.confidence < 0.9


def test_replacement_characters_of_the_author_are_no_fault():
    found = decode("a \ufffd b, é".encode())
    assert found.text == "a \ufffd b, é"
    assert found.remarks == ()


def test_damaged_korean_is_replaced_and_counted():
    data = "\n".join(KOREAN[:4] * 5).encode("cp949").replace(b"\n", b"\xff\n", 1)
    found = decode(data)
    assert found.encoding == "cp949"
    assert "1 byte" in found.remarks[0]


class TestChosenEncoding:
    def test_is_used(self):
        assert decode("é".encode("cp437"), "cp437").text == "é"

    def test_that_fails_is_a_sentence(self):
        with pytest.raises(Unreadable, match="utf-8") as caught:
            decode(b"\xff\xfe\xfd", "utf-8")
        assert caught.value.reason == "unreadable"

    @pytest.mark.parametrize("name", ["klingon", "zlib", "rot13", "a\0b", "x" * 10_000])
    def test_that_does_not_exist_is_a_sentence(self, name):
        with pytest.raises(Unreadable, match="no encoding"):
            decode(b"text", name)

    def test_keeps_a_mark_out_of_the_text(self):
        assert decode("가".encode("utf-8-sig"), "utf-8").text == "가"
        assert decode("가".encode("utf-16"), "utf-16").text == "가"


class TestHints:
    def test_is_taken_when_the_bytes_agree(self):
        assert decode("ăîâ".encode("iso8859_2"), hint="ISO-8859-2").text == "ăîâ"

    def test_is_widened_as_writers_used_it(self):
        assert decode("똠방각하".encode("cp949"), hint="euc-kr").text == "똠방각하"
        assert codec_of("KS_C_5601-1987") == "cp949"
        assert codec_of("Shift_JIS") == "cp932"
        assert codec_of("iso-8859-1") == "cp1252"
        assert codec_of("no-such") == ""

    @pytest.mark.parametrize("name", ["punycode", "idna", "unicode_escape", "raw-unicode-escape", "rot13"])
    def test_codecs_that_no_file_is_written_in(self, name):
        assert codec_of(name) == ""
        start = time.process_time()
        assert decode(b"a-" + b"z" * 300_000, hint=name).encoding == "ascii"
        assert time.process_time() - start < 5
        with pytest.raises(Unreadable, match="no encoding named"):
            decode(b"abc", name)

    @pytest.mark.parametrize("name", ["unicode", "utf-16", "utf-16le", "utf-32-be"])
    def test_ascii_that_calls_itself_wide(self, name):
        found = decode(b"<p>Plain words.</p>\n", hint=name)
        assert (found.text, found.encoding) == ("<p>Plain words.</p>\n", "ascii")
        assert decode("한국어 문장".encode("utf-16-le"), hint="utf-16-le").text == "한국어 문장"

    def test_gives_way_to_sound_utf8_and_to_failure(self):
        assert decode("한국어".encode(), hint="euc-kr").text == "한국어"
        assert decode(KOREAN[0].encode("cp949"), hint="utf-8").text == KOREAN[0]
        assert decode(KOREAN[0].encode("cp949"), hint="bogus").text == KOREAN[0]


def doubled(text, wrong="cp1252"):
    """The text encoded twice, as browsers do: open places of Windows-1252 are control characters."""
    letters = []
    for byte in text.encode():
        try:
            letters.append(bytes([byte]).decode(wrong))
        except UnicodeDecodeError:
            letters.append(chr(byte))
    return "".join(letters)


class TestDoubleEncoding:
    @pytest.mark.parametrize("wrong", ["cp1252", "latin-1"])
    @pytest.mark.parametrize("text", [*KOREAN[:4], *FRENCH, *GERMAN, RUSSIAN[0], JAPANESE[0], "It’s “so”."])
    def test_is_repaired(self, text, wrong):
        found = decode(doubled(text, wrong).encode())
        assert found.text == text
        assert found.remarks == ("1 line had been encoded twice and was repaired.",)

    def test_is_left_alone_if_asked(self):
        text = doubled(FRENCH[1])
        assert decode(text.encode(), repair=False).text == text

    @pytest.mark.parametrize("times", [2, 3])
    def test_more_than_once_is_repaired(self, times):
        text = "\n".join(KOREAN[:4])
        twice = text
        for _ in range(times):
            twice = doubled(twice)
        assert decode(twice.encode()).text == text

    def test_lost_bytes_are_marked_and_the_rest_is_readable(self):
        """Bytes that Windows-1252 leaves open were dropped, as some programs do: one syllable in seven is gone."""
        note = (
            "안녕하세요, 김 선생님.\n지난주에 말씀드린 계약서를 첨부하여 보내 드립니다.\n"
            "세 번째 쪽의 금액을 꼭 확인해 주시기 바랍니다.\n감사합니다. 박지영 드림"
        )
        found = decode(doubled(note).translate(dict.fromkeys((0x81, 0x8D, 0x8F, 0x90, 0x9D))).encode())
        kept = [mine for mine, theirs in zip(found.text, note, strict=True) if mine == theirs]
        assert len(kept) > 0.85 * len(note)
        assert all(word in found.text for word in ("안녕하세요", "계약서를", "보내 드립니다", "주시기"))
        lost = found.text.count("�")
        assert lost == len(note) - len(kept)
        assert found.remarks[1] == f"{lost} characters of them were lost and are marked by “�”."

    @pytest.mark.parametrize(
        ("right", "wrong", "texts"),
        [
            ("cp949", "latin-1", KOREAN[:4]),
            ("cp1251", "latin-1", RUSSIAN),
            ("utf-8", "cp1251", ["Привет, как дела?", "Увидимся в понедельник."]),
            ("utf-8", "mac-roman", FRENCH),
        ],
    )
    def test_of_other_encodings_is_repaired(self, right, wrong, texts):
        text = "\n".join(texts)
        found = decode(text.encode(right).decode(wrong).encode())
        assert found.text == text
        assert "encoded twice" in found.remarks[0]

    def test_of_single_lines_and_runs_is_repaired(self):
        lines = ["정상적인 줄입니다.", doubled("깨진 줄이 하나 있습니다."), f"제목: {doubled('회의 자료')} (fwd)"]
        found = decode("\n".join(lines).encode())
        assert found.text == "정상적인 줄입니다.\n깨진 줄이 하나 있습니다.\n제목: 회의 자료 (fwd)"
        assert found.flaws.repaired == 2

    def test_a_broken_end_does_not_spoil_its_line(self):
        found = decode("\n".join([*map(doubled, FRENCH * 3), doubled(KOREAN[1])[:-1] + "Ã"]).encode())
        assert found.text.startswith("\n".join([*FRENCH * 3, KOREAN[1][:-1]]))

    @pytest.mark.parametrize(
        "text",
        [
            'If you see "Ã©" where an accent should be, the file was decoded wrongly.',
            "The sequence `â€™` is a sign of a wrong encoding; so is (Ã¼).",
            "Umlauts become “Ã¤”, “Ã¶” and “Ã¼”; the file itself says ä, ö, ü.",
            "엑셀에서 열면 'í•œêµ­ì–´'처럼 깨져 보입니다.",
            "SÃO PAULO, NÃO, AÇÃO",
            "Â as a letter, Ã as another, â€ quoted",
            "Prix : 5 € – déjà vu à Noël",
            "naïve café",
            "« Le café»… dit-il",
            "«СССР» и Сёстры «ЗИС»",
            "Größe: 5 × 3 °C ± 1 µm – „Übung“",
        ],
    )
    def test_quoted_or_innocent_letters_are_not_harmed(self, text):
        assert decode(text.encode()).text == text


class TestTidying:
    def test_line_ends(self):
        assert decode(b"a\r\nb\rc\nd\x0ce").text == "a\nb\nc\nd\ne"

    def test_control_characters_become_spaces_with_a_remark(self):
        found = decode(b"a\x00b\x07c\td")
        assert found.text == "a b c\td"
        assert found.remarks == ("2 control characters were replaced by spaces.",)

    def test_colours_of_a_terminal_go(self):
        assert decode(b"\x1b[31mred\x1b[0m").text == "red"

    def test_text_is_not_normalised(self):
        decomposed = "한"
        assert decode(decomposed.encode()).text == decomposed

    def test_lone_surrogates_cannot_pass(self):
        assert tidy("a\ud800b")[0] == "a\ufffdb"


class TestBlocks:
    @pytest.mark.parametrize(
        ("encoding", "text"),
        [
            ("utf-8", "\n".join(KOREAN * 60)),
            ("cp949", "\n".join(KOREAN * 60)),
            ("utf-16-le", "\n".join(KOREAN[:4] * 60)),
            ("utf-16", "\n".join(KOREAN[:4] * 60)),
            ("cp932", "\n".join(JAPANESE * 60)),
            ("iso2022_jp", "\n".join(JAPANESE * 60)),
            ("cp1251", "\r\n".join(RUSSIAN * 60)),
            ("utf-8", "".join(KOREAN * 60)),
        ],
    )
    @pytest.mark.parametrize("block", [997, 4096])
    def test_give_the_same_text_as_the_whole(self, encoding, text, block):
        data = text.encode(encoding)
        pieces = list(decode_blocks(io.BytesIO(data), len(data), block=block))
        assert len(pieces) > 1 or len(text.split("\n")) == 1
        assert "".join(piece.text for piece in pieces) == text.replace("\r\n", "\n")

    def test_find_the_encoding_where_ascii_ends(self):
        data = b"only ascii here\n" * 4000 + "\n".join(KOREAN * 3).encode("cp949") + b"\nascii again\n" * 4000
        pieces = list(decode_blocks(io.BytesIO(data), len(data), block=4096))
        assert pieces[0].encoding in ("ascii", "cp949")
        assert KOREAN[2] in "".join(piece.text for piece in pieces)

    def test_stop_at_the_size_given(self):
        data = b"line\n" * 1000
        pieces = decode_blocks(io.BytesIO(data), 2500, block=1000)
        assert "".join(piece.text for piece in pieces) == "line\n" * 500

    def test_repair_double_encoding(self):
        text = "\n".join(FRENCH * 100)
        data = doubled(text).encode()
        pieces = list(decode_blocks(io.BytesIO(data), len(data), block=2000))
        assert "".join(piece.text for piece in pieces) == text
        assert sum(piece.flaws.repaired for piece in pieces) == 300

    def test_of_a_chosen_encoding_that_fails(self):
        data = b"abc\n" * 1000 + b"\xff\n"
        with pytest.raises(Unreadable, match="utf-8"):
            list(decode_blocks(io.BytesIO(data), len(data), "utf-8", block=1000))

    def test_stay_in_bounded_memory(self, tmp_path):
        path = tmp_path / "long.txt"
        path.write_bytes(("\n".join(KOREAN) + "\n").encode("cp949") * 40_000)
        tracemalloc.start()
        with path.open("rb") as file:
            total = sum(len(piece.text) for piece in decode_blocks(file, path.stat().st_size))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total == 40_000 * (sum(map(len, KOREAN)) + len(KOREAN))
        assert peak < 30 * 2**20


class TestBinary:
    @pytest.mark.parametrize(
        "data",
        [
            b"\x89PNG\r\n\x1a\n" + bytes(50),
            b"\xff\xd8\xff\xe0\x00\x10JFIF",
            b"GIF89a\x01\x00",
            b"PK\x03\x04" + bytes(30),
            b"\x1f\x8b\x08\x00abc",
            b"\x7fELF\x02\x01",
            b"MZ\x90\x00\x03",
            b"SQLite format 3\x00",
            b"\x80\x04\x95\x10\x00",
            b"%PDF-1.7\n",
            b"\x00\x01\x00\x00\x00\x0f",
            b"\x00\x00\x00\x18ftypmp42",
            b"OggS\x00\x02",
            b"ID3\x03\x00",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            b"BM" + struct.pack("<IHHII", 1000, 0, 0, 54, 40) + b"\xff" * 900,
            b"P6\n20 20\n255\n" + b"\xaa" * 1200,
            struct.pack("<200d", *(index * 1.1 for index in range(200))),
            random.Random(1).randbytes(3000),
        ],
    )
    def test_is_recognised(self, data):
        assert looks_binary(data)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    @pytest.mark.parametrize("text", [KOREAN[3], FRENCH[2], "plain\r\n\ttext\n"])
    def test_text_is_not(self, text, encoding):
        assert not looks_binary(text.encode(encoding))

    @pytest.mark.parametrize(("encoding", "text"), SHORT)
    def test_old_encodings_are_not(self, encoding, text):
        assert not looks_binary(text.encode(encoding))

    def test_an_empty_file_is_not(self):
        assert not looks_binary(b"")


def test_any_bytes_give_text():
    luck = random.Random(42)
    texts = [text.encode(encoding) for encoding, text in SHORT]
    for _ in range(250):
        data = bytearray(luck.choice(texts) if luck.random() < 0.7 else luck.randbytes(luck.randrange(300)))
        for _ in range(luck.randrange(6)):
            if data:
                data[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        found = decode(bytes(data))
        found.text.encode()
        assert 0.0 <= found.confidence <= 1.0
        assert not {"\r", "\0"} & set(found.text)
        looks_binary(bytes(data))


@pytest.mark.parametrize(
    "data",
    [
        b"a" * 3_000_000 + b"\xe9",
        b"\xe9" * 500_000,
        b"\x1b$B" * 300_000,
        b"\xc3" * 400_000,
        '"Ã©'.encode() * 30_000,
        "Ã".encode() * 200_000,
    ],
)
def test_no_bytes_take_long(data):
    start = time.process_time()
    decode(data)
    assert time.process_time() - start < 5


def test_every_candidate_is_named_for_the_codec_that_reads_it():
    for text in EVERYTHING:
        found = decode(text.encode())
        assert codec_of(found.encoding)
    assert encoding_decode.BLOCK > 0


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Gr+APwA3w- und mehr Text mit Umlauten +AOQA9gD8- hier", "Grüß und mehr Text mit Umlauten äöü hier"),
        (b"x = a+bcd-e and y = f+AAAA-g", "x = a+bcd-e and y = f+AAAA-g"),
        (b"git log a+AOQ-b", "git log a+AOQ-b"),  # one alone is no evidence
    ],
)
def test_utf7_of_latin_letters(data: bytes, text: str) -> None:
    assert decode(data).text == text
