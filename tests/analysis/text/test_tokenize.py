"""Text to index terms, and back to the words they came from."""

from __future__ import annotations

import math
import random
import re
import sqlite3
import sys
import time
import unicodedata
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from explorer.analysis.text import korean
from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS
from explorer.analysis.text.tokenize import STOP_TERMS, _pieces, analyse, analyse_all, highlight, stem, terms, version

TOKENIZER = "unicode61 remove_diacritics 2"
SAMPLES = (
    "Running dogs ran to the Café; GPT-4, C++, C# and 3.14 of COVID-19 in node.js v1.2.3.",
    "대학생들이 학교에서 GPT-4로 기계학습을 공부했다. 한국어 자연어처리는 아름다운 일이다!",
    "東京都は猫が好きです。コンピュータ 我喜欢机器学习",
    "Привет мир, Καλημέρα κόσμε, Straße naïve İstanbul",
    "बिल्ली आज सुबह से सो रही है। แมวกำลังนอนหลับ 2567",
)
# From the sample vocabulary at https://snowballstem.org/algorithms/english/stemmer.html
SNOWBALL = """
consign consign consigned consign consigning consign consignment consign consist consist consisted consist
consistency consist consistent consist consistently consist consisting consist consists consist consolation consol
consolations consol consolatory consolatori console consol consoled consol consoles consol consolidate consolid
consolidated consolid consolidating consolid consoling consol conspicuous conspicu conspicuously conspicu
conspiracy conspiraci conspirator conspir conspirators conspir conspire conspir conspired conspir conspiring conspir
knack knack knackeries knackeri knacks knack knag knag knave knave knaves knave knavish knavish kneaded knead
kneading knead knee knee kneel kneel kneeled kneel kneeling kneel kneels kneel knees knee knell knell knelt knelt
knew knew knick knick knife knife knight knight knightly knight knights knight knit knit knits knit knitted knit
knitting knit knives knive knob knob knobs knob knock knock knocked knock knocker knocker knockers knocker
knocking knock knocks knock knopp knopp knot knot knots knot
"""


def match_any(wanted: Iterable[str]) -> str:
    """The FTS5 expression for any of the terms; empty for none."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in wanted)


def split(text: str) -> list[str]:
    return analyse(text).split()


def table(texts: list[str], tokenizer: str = TOKENIZER) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"create virtual table texts using fts5(body, tokenize='{tokenizer}')")
    connection.executemany("insert into texts(rowid, body) values (?, ?)", enumerate(texts))
    return connection


def found(connection: sqlite3.Connection, expression: str) -> list[int]:
    sql = "select rowid from texts where texts match ? order by bm25(texts), rowid limit 10"
    return [row for (row,) in connection.execute(sql, (expression,))] if expression else []


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in highlight(text, terms(query))]


def test_the_stemmer_on_the_published_examples():
    pairs = SNOWBALL.split()
    assert [stem(word) for word in pairs[::2]] == pairs[1::2]


def test_short_words_and_other_letters_are_not_stemmed():
    for word in ("is", "a", "naïves", "gpt4s", ""):
        assert stem(word) == word


def test_threads_stem_as_one_does():
    words = SNOWBALL.split()[::2] * 20
    stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(stem.__wrapped__, words))
    assert parallel == list(map(stem, words))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running DOGS, ran!", "run dog ran"),
        ("GPT-4", "gpt4 gpt 4"),
        ("COVID-19 covid19", "covid19 covid 19 covid19"),
        ("C++ c++17 C# F#", "cplusplus cplusplus 17 csharp fsharp"),
        ("3.14 1,000,000 v1.2.3", "3ꓸ14 1000000 v1ꓸ2ꓸ3"),
        ("one,two 1,2", "one two 1 2"),
        ("U.S.A. node.js end.Begin", "usa node js end begin"),
        ("dog's don't I'll can't l’homme", "dog do i can l homm"),
        ("e-mail snake_case", "email e mail snakecas snake case"),
        ("2023-01-15 10:30", "20230115 2023 01 15 10 30"),
        ("Café NAÏVE ﬁle ｗｉｄｅ", "cafe naiv file wide"),
        ("Привет ΚΌΣΜΕ", "привет κόσμε"),
        ("機械学習 猫", "機械 械学 学習 機 械 学 習 猫"),
        ("コーヒー を", "コー ーヒ ヒー を"),
        ("आज सो", "आज स\ue04b"),  # its signs are letters to FTS5
        ("ภาษาไทย 25", "25 ภา าษ ษา าไ ไท ทย"),  # as no spaces part its words
        ("ก", "ก"),
        ("-_- ★ ++ # ' . ,", ""),
        ("", ""),
    ],
)
def test_terms_of_a_text(text, expected):
    assert analyse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("학교에서 공부했다", {"학교", "공부"}),
        ("대학생들이", {"대학", "대학생"}),
        ("기계학습을", {"기계", "학습", "기계학습"}),
        ("아름다운 꽃을 보았다", {"아름답다", "꽃", "보다"}),
        ("GPT-4를 썼다", {"gpt4", "gpt", "4", "쓰다"}),
        ("#여행", {"여행"}),
        ("여행\ud800", {"여행"}),
    ],
)
def test_korean_comes_as_morphemes(text, expected):
    assert set(split(text)) == expected


def test_korean_written_apart_is_the_same_as_composed():
    assert analyse(unicodedata.normalize("NFD", SAMPLES[1])) == analyse(SAMPLES[1])


def test_a_batch_gives_what_each_text_gives_alone():
    texts = list(SAMPLES) * 80
    assert list(analyse_all(texts)) == [analyse(text) for text in SAMPLES] * 80
    assert list(analyse_all([])) == []


def test_threads_may_analyse_at_once():
    expected = [analyse(text) for text in SAMPLES]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(analyse, list(SAMPLES) * 10)) == expected * 10


def test_the_terms_are_final_for_the_tokenizer():
    connection = table([analyse(text) for text in SAMPLES])
    connection.execute("create virtual table seen using fts5vocab(texts, 'row')")
    theirs = {term for (term,) in connection.execute("select term from seen")}
    assert theirs == {term for text in SAMPLES for term in split(text)}


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("बिल्ली आज खिड़की के पास सो रही है।", "खिड़की", "खिड़की"),
        ("แมวกำลังนอนหลับอยู่ข้างหน้าต่าง", "หน้าต่าง", "หน้าต่าง"),
        ("ມື້ນີ້ແມວນອນຢູ່ປ່ອງຢ້ຽມ", "ປ່ອງຢ້ຽມ", "ປ່ອງຢ້ຽມ"),
        ("বিড়ালটি জানালার পাশে ঘুমাচ্ছে", "জানালার", "জানালার"),
        ("ఈ రోజు పిల్లి కిటికీ దగ్గర నిద్రపోతోంది", "కిటికీ", "కిటికీ"),
    ],
)
def test_words_with_signs_are_found_and_marked(text, query, marked):
    connection = table([analyse("something else"), analyse(text)])
    wanted = terms(query)
    expression = " OR ".join(f'"{term}"' for term in wanted)
    found = connection.execute("select rowid from texts where texts match ?", (expression,)).fetchall()
    assert found == [(1,)]
    connection.execute("create virtual table seen using fts5vocab(texts, 'row')")
    assert set(wanted) <= {term for (term,) in connection.execute("select term from seen")}
    assert marked in [text[start:end] for start, end in highlight(text, wanted)]


def test_query_terms_are_distinct_and_without_stop_words():
    assert terms("the running of the runs and cats") == ["run", "cat"]
    assert terms("to be or not to be") == ["to", "be", "or", "not"]
    assert terms("機械学習が猫") == ["機械", "械学", "学習", "猫"]
    assert terms("?") == []


def test_an_expression_finds_any_of_the_terms():
    texts = ["cats sit", "dogs run", "학교에서 공부했다", "猫が好き", "a 3.14 b", "3 and 14"]
    connection = table(list(analyse_all(texts)))
    for query, rows in {
        "cat": [0],
        "running dog": [1],
        "학교": [2],
        "猫": [3],
        "3.14": [4],
        "zebra": [],
        "": [],
    }.items():
        assert found(connection, match_any(terms(query))) == rows


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("He runs; running is fun.", "run", ["runs", "running"]),
        ("학교에서 공부했다", "학교", ["학교"]),
        ("집에서 먹었다", "먹는다", ["먹"]),
        ("기계학습을 배운다", "기계 학습", ["기계", "학습"]),
        ("GPT-4 and GPT", "gpt", ["GPT", "GPT"]),
        ("GPT-4 and GPT", "GPT4", ["GPT-4"]),
        ("ｒｕｎｎｉｎｇ ﬁles", "run file", ["ｒｕｎｎｉｎｇ", "ﬁles"]),
        ("東京都の猫", "東京", ["東京"]),
        ("東京都の猫", "猫", ["猫"]),
        ("😀 Cafe\u0301 😀", "café", ["Cafe\u0301"]),
        ("to be", "the", []),
        ("nothing", "", []),
    ],
)
def test_highlight_marks_the_words_of_the_original(text, query, expected):
    assert marked(text, query) == expected


def test_highlight_in_decomposed_hangul():
    apart = unicodedata.normalize("NFD", "그 학교에서 공부했다")
    assert [unicodedata.normalize("NFC", word) for word in marked(apart, "학교")] == ["학교"]


def test_spans_are_in_order_and_apart():
    text = " ".join(SAMPLES)
    spans = highlight(text, set(split(text)))
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(0 <= start < end <= len(text) for start, end in spans)


def test_any_text_has_terms_and_spans_within_it():
    chance = random.Random(11)
    alphabet = "aB1é'’-_.,+#C 가힣학교에서ㅋ漢字ひカー\u0301\u1161\uff9eﬁ㈜½İßक्षि😀\n\0"
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(chance.randrange(40)))
        spans = highlight(text, set(split(text)))
        assert all(0 <= start < end <= len(text) for start, end in spans), text
        assert set(terms(text)) <= set(split(text)), text


@pytest.mark.parametrize("unit", ["a", "a-", "1.", "1,000,", "'", "C++", "가", "가 ", "漢", "é", "\u0301", "a'"])
def test_time_is_linear(unit):
    text = unit * (15_000 // len(unit))
    start = time.process_time()  # of this process: others may be busy
    highlight(text, {"x"})
    assert time.process_time() - start < 20.0


def test_long_chains_give_their_words_and_blobs_nothing():
    assert split("one-two_" * 30)[:4] == ["one", "two", "one", "two"]
    assert split("x" * 5000 + " end") == ["end"]


def test_stop_words():
    assert {"the", "don't", "because"} <= ENGLISH_STOP_WORDS
    assert {"것", "하다", "그리고"} <= KOREAN_STOP_WORDS
    assert stem("because") in STOP_TERMS


@pytest.fixture
def without_kiwi(monkeypatch):
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    korean._analyser.cache_clear()
    yield
    korean._analyser.cache_clear()


def test_without_kiwi_korean_comes_as_pairs_of_syllables(without_kiwi, caplog):
    assert split("학교에서 책 GPT-4") == ["gpt4", "gpt", "4", "학교", "교에", "에서", "책"]
    assert marked("학교에서", "학교") == ["학교"]
    assert version() == "words 3, pairs"
    assert "pairs of syllables" in caplog.text


def test_another_way_of_analysing_has_another_version():
    assert "kiwi" in version()


@pytest.mark.data
def test_morphemes_find_korean_questions_better_than_plain_words(data_folder):
    path = data_folder / "ko_question_pair" / "validation.txt"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    pairs = [(first.strip(), second.strip()) for first, second, label in rows if label.strip() == "0"]
    questions = list(dict.fromkeys(row[1].strip() for row in rows))
    rephrased = [(first, questions.index(second)) for first, second in pairs if first != second]
    plain = table(questions)
    morphemes = table(list(analyse_all(questions)))
    assert len(rephrased) > 300
    by_word = _ndcg([(found(plain, match_any(re.findall(r"\w+", query))), row) for query, row in rephrased])
    by_morpheme = _ndcg([(found(morphemes, match_any(terms(query))), row) for query, row in rephrased])
    assert by_morpheme > 0.81  # 0.84 when written
    assert by_morpheme > by_word + 0.15  # 0.62


def _ndcg(results: list[tuple[list[int], int]]) -> float:
    gains = [1 / math.log2(rows.index(row) + 2) if row in rows else 0.0 for rows, row in results]
    return sum(gains) / len(gains)


def test_ascii_without_positions_gives_the_terms_that_positions_give() -> None:
    texts = [SAMPLES[0].replace("é", "e"), "U.S.A. can't o'clock 1,000,000.5 a-b-c-d-e x_y " + "w" * 120, "", "+-. ..."]
    texts += ["https://a.example/" + "-".join(["word"] * 40), " ".join(SNOWBALL.split()[:60])]
    assert [analyse(text) for text in texts] == [
        " ".join(piece.term for piece in pieces) for pieces in _pieces(texts, singles=True)
    ]
