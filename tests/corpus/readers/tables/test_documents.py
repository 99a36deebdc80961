"""Tables: dialects, headers, encodings, columns, JSON in its forms, Parquet."""

import datetime
import io
import json
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.corpus.dates import iso_date
from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.tables import documents as tables_documents
from explorer.corpus.readers.tables import records
from explorer.task import Cancelled, Task

CSV = b"id,title,body,score,day\n1,First,Some long text here,0.5,2024-01-02\n2,Second,Another text,1.5,2024/1/3\n"


def texts(documents):
    return [document.text for document in documents]


def test_a_row_is_a_document(read_bytes):
    first, second = read_bytes(tables_documents, "t.csv", CSV)
    assert (first.title, first.text, first.part) == ("First", "Some long text here", "row 1")
    assert first.metadata == {"id": 1, "score": 0.5, "day": "2024-01-02"}
    assert second.part == "row 2"
    assert second.metadata["day"] == "2024-01-03"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_delimiters_and_line_ends(read_bytes, delimiter, end, name):
    data = CSV.decode().replace(",", delimiter).replace("\n", end).encode()
    assert texts(read_bytes(tables_documents, name, data)) == ["Some long text here", "Another text"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_korean_tables_in_their_encodings(read_bytes, encoding):
    rows = "번호,제목,내용\n1,첫째 글,오늘은 날씨가 참 좋습니다\n2,둘째 글,내일은 비가 온다고 합니다\n"
    first, _ = read_bytes(tables_documents, "글.csv", rows.encode(encoding))
    assert (first.title, first.text) == ("첫째 글", "오늘은 날씨가 참 좋습니다")
    assert first.metadata == {"번호": 1}
    assert first.encoding == {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)


def test_quotes_hold_delimiters_and_line_ends(read_bytes):
    data = b'title,text\n"a, b","one\ntwo ""three"" four"\nc,"five; six"\n'
    first, second = read_bytes(tables_documents, "q.csv", data)
    assert (first.title, first.text) == ("a, b", 'one\ntwo "three" four')
    assert second.text == "five; six"


def test_quotes_that_are_none_stay(read_bytes):
    data = b'text\tlabel\n"Hello" he said\t1\nshe said "no\t2\n"\'tis" so "it" is\t3\n'
    assert texts(read_bytes(tables_documents, "q.tsv", data)) == [
        '"Hello" he said',
        'she said "no',
        '"\'tis" so "it" is',
    ]


def test_one_unclosed_quote_does_not_swallow_the_rest(read_bytes):
    good = [f'{n},"text number {n}, quoted"' for n in range(3_000)]
    good[2_500] = '2500,"never closed'
    data = ("id,text\n" + "\n".join(good)).encode()
    documents = read_bytes(tables_documents, "u.csv", data)
    assert len(documents) == 3_000
    assert documents[2_500].text == '"never closed'
    assert "quotes on line 2502" in documents[2_500].remarks[0]
    assert documents[-1].text == "text number 2999, quoted"


def test_without_a_header(read_bytes):
    data = b'"3","Wall St. Bears","Short-sellers are seeing green again on the market this week"\n'
    data += b'"1","Carlyle Looks","The private investment firm has placed bets on another industry"\n'
    first, second = read_bytes(tables_documents, "n.csv", data)
    assert first.part == "row 1"
    assert first.title == "Wall St. Bears"
    assert second.metadata == {"column 1": 1}


def test_a_header_of_unknown_names(read_bytes):
    data = b"frage,wert\nWarum ist der Himmel eigentlich blau und nicht rot?,3\n"
    (document,) = read_bytes(tables_documents, "h.csv", data)
    assert document.metadata == {"wert": 3}


def test_one_column_with_commas_inside(read_bytes):
    data = b"text\nhello there\nyes, I think so\nno\nperhaps, or not, or so\nwell then\n"
    assert texts(read_bytes(tables_documents, "o.csv", data))[1] == "yes, I think so"


def test_the_text_column_can_be_chosen(read_bytes):
    data = b"a,summary\nshort,a much longer text than that\n"
    assert texts(read_bytes(tables_documents, "c.csv", data, text_column="A")) == ["short"]
    (document,) = read_bytes(tables_documents, "c.csv", data, text_column="nonsense")
    assert document.text == "a much longer text than that"
    assert 'no column "nonsense"' in document.remarks[0]


def test_of_two_equal_columns_the_first_is_the_text(read_bytes):
    data = b"sentence1\tsentence2\tscore\nA man is dancing.\tA man is dancing now.\t4.0\n"
    (document,) = read_bytes(tables_documents, "s.tsv", data)
    assert document.text == "A man is dancing."


def test_ragged_rows_are_kept_with_a_remark(read_bytes):
    data = b"id,title,text\n1,a,first text\n2,b,second, unquoted\n3,c,third text,\n4,d\n5,e,fifth text\n"
    first, second, third, fifth = read_bytes(tables_documents, "r.csv", data)
    assert first.remarks == third.remarks == ()
    assert second.text == "second"
    assert second.metadata["column 4"] == " unquoted"
    assert second.remarks == ("Line 3 has 4 cells where 3 were expected.",)
    assert fifth.remarks == ("Skipped before this: row 4 has no text.",)


def test_values_by_their_column(read_bytes):
    data = b"text,zip,flag,n,when\nhello there,01234,true,1,2024-05-06T07:08:09Z\n"
    data += b"you there,98765,FALSE,-2.5e3,2024-05-07\n"
    first, second = read_bytes(tables_documents, "v.csv", data)
    assert first.metadata == {"zip": "01234", "flag": True, "n": 1, "when": "2024-05-06T07:08:09+00:00"}
    assert second.metadata == {"zip": "98765", "flag": False, "n": -2500.0, "when": "2024-05-07"}


def test_names_of_columns_are_unique_and_never_empty(read_bytes):
    (document,) = read_bytes(tables_documents, "n.csv", b"text,Tag,tag,\nhello there,a,b,c\n")
    assert document.metadata == {"tag": "a", "tag 2": "b", "column 4": "c"}


def test_a_cell_beyond_the_limit_of_the_csv_module(read_bytes):
    data = b'id,text\n1,"' + b"word " * 40_000 + b'"\n'
    assert len(read_bytes(tables_documents, "l.csv", data)[0].text) > 131_072


def test_a_table_longer_than_a_block_is_streamed(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(b"id,text\n" + b"".join(b"%d,text number %d of many\n" % (n, n) for n in range(45_000)))
    documents = tables_documents.read(path, ReadOptions(), Task())
    assert [next(documents).part for _ in range(3)] == ["row 1", "row 2", "row 3"]
    assert sum(1 for _ in documents) == 44_997


def test_korean_bytes_after_a_megabyte_of_ascii(read_bytes):
    data = (
        b"id,text\n"
        + b"1,plain and ordinary words only and many of them in a row\n" * 20_000
        + "2,늦게 나온 한국어 문장입니다\n".encode("cp949") * 50
    )
    documents = read_bytes(tables_documents, "late.csv", data)
    assert documents[-1].text == "늦게 나온 한국어 문장입니다"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\n\n  \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\xff\xfe", "empty"),
        (b"a,b\n1,2\n3,4\n", "empty"),
        (b"PK\x03\x04" + bytes(100), "binary"),
        (bytes(range(256)) * 8, "binary"),
    ],
)
def test_what_is_no_table_of_texts(refusal, data, reason):
    assert refusal(tables_documents, "n.csv", data).reason == reason


ROWS = [
    {"title": "One", "body": "the first text", "meta": {"lang": "ko", "n": 3}, "tags": ["a", "b"]},
    {"body": "second"},
]


@pytest.mark.parametrize("form", [ROWS, {"version": 1, "data": ROWS}, {"rows": ROWS, "empty": []}])
def test_json_lists_of_objects(read_bytes, form):
    first, second = read_bytes(tables_documents, "j.json", json.dumps(form).encode())
    assert (first.title, first.text, first.part) == ("One", "the first text", "row 1")
    assert first.metadata == {"meta.lang": "ko", "meta.n": 3, "tags": "a, b"}
    assert second.title == "second"


def test_json_in_its_other_forms(read_bytes):
    assert texts(read_bytes(tables_documents, "s.json", '{"제목": "글", "본문": "한 편의 글"}'.encode("cp949"))) == [
        "한 편의 글"
    ]
    assert texts(read_bytes(tables_documents, "l.json", b'["one", "two"]')) == ["one", "two"]
    assert texts(read_bytes(tables_documents, "n.json", b'{"a": {"text": "nested text"}, "b": "other"}')) == [
        "nested text"
    ]
    assert texts(read_bytes(tables_documents, "x.json", b'{"text": "one"}\n{"text": "two"}\n')) == ["one", "two"]
    paragraphs = ["a paragraph that is long enough to stand alone, as paragraphs do", "another"]
    assert texts(read_bytes(tables_documents, "p.json", json.dumps({"text": paragraphs}).encode())) == [
        "\n".join(paragraphs)
    ]


def test_json_values_that_cannot_be_stored(read_bytes):
    odd = b'"big": 123456789012345678901234567890, "nan": NaN, "none": null, "yes": true'
    data = b'[{"text": "a \\ud800 b\\u0000", %s}]' % odd
    (document,) = read_bytes(tables_documents, "o.json", data)
    assert "\ufffd" in document.text
    assert document.metadata == {"big": "123456789012345678901234567890", "yes": True}


@pytest.mark.parametrize("data", [b"[{]", b"[" * 100_000, b'{"a":' * 100_000, b'[{"text": "cut', b"nonsense"])
def test_broken_json_is_damaged(refusal, data):
    assert refusal(tables_documents, "b.json", data).reason == "damaged"


@pytest.mark.parametrize("data", [b"[]", b"[1, 2]", b'{"a": 1}', b"{}"])
def test_json_without_text(refusal, data):
    assert refusal(tables_documents, "e.json", data).reason in ("empty", "damaged")


def test_a_bad_line_is_told_by_its_neighbour(read_bytes):
    data = b'{"text": "one"}\n\n{bad\n[1]\n{"text": "two"}\n{"text": ""}\n'
    first, second = read_bytes(tables_documents, "l.jsonl", data)
    assert first.remarks == ()
    assert second.part == "row 4"
    assert second.remarks == (
        "Skipped before this: 2 rows; the first, line 3 is not JSON.",
        "Skipped after this: row 5 has no text.",
    )


def test_bad_lines_alone_are_damage(refusal):
    error = refusal(tables_documents, "b.ndjson", b"{bad\nworse}\n")
    assert error.reason == "damaged"
    assert "line 1 is not JSON" in str(error)


def parquet(table: pa.Table, **options) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def parquet_table() -> pa.Table:
    return pa.table(
        {
            "제목": ["하나", "둘", None],
            "text": ["첫 번째 글입니다", None, "third text"],
            "day": [datetime.date(2024, 1, 2)] * 3,
            "raw": [b"bytes", b"\xff", b""],
            "info": [{"a": 1, "b": [1.5, 2.5]}] * 3,
        }
    )


def test_parquet_rows(read_bytes):
    first, third = read_bytes(tables_documents, "t.parquet", parquet(parquet_table(), row_group_size=1))
    assert (first.title, first.text, first.part) == ("하나", "첫 번째 글입니다", "row 1")
    assert first.metadata == {"day": "2024-01-02", "raw": "bytes", "info.a": 1, "info.b": "1.5, 2.5"}
    assert third.part == "row 3"
    assert third.remarks == ("Skipped before this: row 2 has no text.",)


@pytest.mark.parametrize("data", [b"PAR1", b"nothing", b"PAR1" + bytes(50) + b"PAR1"])
def test_broken_parquet_is_damaged(refusal, data):
    assert refusal(tables_documents, "b.parquet", data).reason == "damaged"


def test_it_stops_when_asked(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(CSV * 2_000)
    task = Task()
    documents = tables_documents.read(path, ReadOptions(), task)
    next(documents)
    task.cancel()
    with pytest.raises(Cancelled):
        list(documents)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-01-02", "2024-01-02"),
        ("2024. 1. 2.", "2024-01-02"),
        ("2024-05", "2024-05"),
        ("2024년 3월 5일 오전 12:07", "2024-03-05T00:07:00"),
        ("2024-01-02 03:04:05.678+09:00", "2024-01-02T03:04:05+09:00"),
        ("2024.5", ""),
        ("2024-13-01", ""),
        ("03/04/2020", ""),
        ("2024", ""),
        ("2024-01-02T25:00", ""),
    ],
)
def test_dates_are_read_where_clear(text, date):
    assert iso_date(text) == date


def test_dialects():
    assert records.detect_dialect('a;b\n"1;2";3\n') == records.Dialect(";", "strict")
    assert records.detect_dialect("a,b\n1,2\n").delimiter == ","
    assert records.detect_dialect("words only\nand more\n").delimiter == ","


@pytest.mark.parametrize("where", [0, 150, 299])
def test_an_unclosed_quote_costs_its_row(read_bytes, where):
    rows = [f'{n},"Title, {n}","A text of some length, number {n}, with ""quotes"" in it"' for n in range(300)]
    rows[where] = f'{where},"Title, {where}","A text that never ends'
    documents = read_bytes(tables_documents, "t.csv", "\n".join(["id,title,body", *rows]).encode())
    assert len(documents) == 300
    right = [document for document in documents if document.text.endswith('with "quotes" in it')]
    assert len(right) == 299
    assert any("quotes on line" in remark for document in documents for remark in document.remarks)


def test_many_unclosed_quotes_take_linear_time():
    lines = ['1,"never closed, ""really""\n' if n % 3 == 0 else '2,"",""\n' for n in range(40_000)]
    start = time.process_time()
    rows = list(records.split_rows(lines, records.Dialect(",", "strict")))
    assert time.process_time() - start < 10
    assert sum(len(row.cells) for row in rows) > 40_000


@pytest.mark.parametrize(("first", "delimiter"), [("sep=;", ";"), ("SEP=|", "|"), ('"sep=;"', ";")])
def test_a_stated_delimiter(read_bytes, first, delimiter):
    rows = [first, delimiter.join(("id", "body")), *(f"{n}{delimiter}One, two, three, {n}" for n in range(5))]
    documents = read_bytes(tables_documents, "t.csv", "\r\n".join(rows).encode())
    assert texts(documents)[0] == "One, two, three, 0"
    assert documents[4].metadata == {"id": 4}


def test_numbers_of_a_hundred_thousand_digits(read_bytes):
    digits = "9" * 100_000
    for name, data in (
        ("t.csv", f"id,body,big\n1,Some text here,{digits}\n2,More text here,{digits}\n"),
        ("t.json", f'[{{"body": "Some text here", "big": {digits}}}]'),
        ("t.jsonl", f'{{"body": "Some text here", "big": {digits}}}\n{{"body": "More text", "big": 2}}\n'),
    ):
        assert read_bytes(tables_documents, name, data.encode())[0].text == "Some text here"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("ag_news/test.csv", 7_600),
        ("ko_chatbot/ChatbotData.csv", 11_823),
        ("korsts/sts-dev.tsv", 1_500),
        ("msrp/msr-para-val.tsv", 500),
        ("kornli_xnli/xnli.dev.ko.tsv", 2_490),
        ("msmarco_mini/corpus.jsonl", 5_000),
    ],
)
def test_no_row_of_real_tables_is_lost(data_folder, name, rows):
    documents = list(tables_documents.read(data_folder / name, ReadOptions(), Task()))
    assert len(documents) == rows
    assert all(document.text and document.title for document in documents)


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives):
    korean = '번호,제목,내용\n1,"첫째, 글","오늘은\n날씨가 좋다"\n2,둘째,"비가 ""온다"""\n'
    survives(tables_documents, "fuzzed.csv", CSV + b'3,"a","b ""c"" d",1,x\n', rounds=120)
    survives(tables_documents, "korean.csv", korean.encode("cp949"), rounds=80)
    survives(tables_documents, "fuzzed.tsv", CSV.replace(b",", b"\t"), rounds=60)
    survives(tables_documents, "fuzzed.json", json.dumps(ROWS).encode(), rounds=120)
    survives(tables_documents, "fuzzed.jsonl", b"\n".join(json.dumps(row).encode() for row in ROWS * 3), rounds=120)


@pytest.mark.timeout(120)
def test_damage_to_parquet_never_escapes(survives):
    survives(tables_documents, "fuzzed.parquet", parquet(parquet_table()), rounds=300)
    survives(
        tables_documents,
        "plain.parquet",
        parquet(parquet_table(), compression="none", use_dictionary=False),
        rounds=300,
    )
