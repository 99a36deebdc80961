"""The grammar of the query box."""

from __future__ import annotations

import contextlib
import random
import time
import unicodedata

import pytest

from explorer.analysis.search.query import (
    Completion,
    Filter,
    Like,
    Query,
    QueryError,
    WeightedText,
    complete,
    parse,
    phrase_spans,
)
from explorer.errors import ExplorerError

FIELDS = ("tag", "cluster", "date", "size", "author", "Publication Year")
ALPHABET = ' \t\n""--++::..,<>=*0123456789aAé가漢“”「」😀\\/()' + "\x1c\u2028\u0130\u0661"
PIECES = (
    "tag:",
    "date:>=",
    "size:1..5",
    "like:",
    "-",
    "+2 ",
    "+1.5 ",
    '"',
    "가 나",
    "2023-01",
    "Publication_Year:",
    " ",
)


def meaning(text: str) -> list[tuple[str, float]]:
    return [(part.text, part.weight) for part in parse(text, FIELDS).meaning]


def filters(text: str) -> list[Filter]:
    return list(parse(text, FIELDS).filters)


def test_plain_words_are_one_meaning():
    assert meaning("  a good   knife ") == [("a good knife", 1.0)]


def test_plain_words_stay_together_around_other_items():
    assert meaning('good "steel" -cheap knife tag:x') == [("good knife", 1.0), ("cheap", -1.0)]


def test_an_empty_query_is_no_error():
    assert parse("") == parse(" \n ") == Query()


def test_a_weight_binds_to_the_next_item_only():
    assert meaning("+2 sharp knife +0.5 old") == [("sharp", 2.0), ("knife", 1.0), ("old", 0.5)]
    assert parse('+1.5 "two words"').required == (WeightedText("two words", 1.5),)
    assert meaning("+2 -cheap") == [("cheap", -2.0)]


def test_exact_words_are_required_or_excluded():
    query = parse('"New  York" -"San Francisco"')
    assert query.required == (WeightedText("New York"),)
    assert query.excluded == ("San Francisco",)
    assert query.semantic_parts == query.required


def test_a_doubled_quote_within_quotes_is_a_quote():
    assert parse('"say ""hi"" now"').required == (WeightedText('say "hi" now'),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:x", Filter("tag", ":", "x")),
        ("-tag:x", Filter("tag", ":", "x", negated=True)),
        ("TAG:x", Filter("tag", ":", "x")),
        ('tag:"two words"', Filter("tag", "=", "two words")),
        ('tag:"1..5"', Filter("tag", "=", "1..5")),
        ("date:2023", Filter("date", ":", "2023")),
        ("date:>=2023-01", Filter("date", ">=", "2023-01")),
        ("size:<10000", Filter("size", "<", "10000")),
        ('date:<="2023-01-31 10:30"', Filter("date", "<=", "2023-01-31 10:30")),
        ("size:1..5", Filter("size", "..", "1", "5")),
        ("size:..5", Filter("size", "..", "", "5")),
        ("date:2023-01..", Filter("date", "..", "2023-01", "")),
        ("tag:../notes", Filter("tag", ":", "../notes")),
        ("publication_year:2020", Filter("Publication Year", ":", "2020")),
    ],
)
def test_fields(text, expected):
    assert filters(text) == [expected]


def test_likes_make_a_group():
    query = parse('like:a/b.txt like:"name with spaces" -like:c +2 like:d')
    assert query.likes == (Like("a/b.txt"), Like("name with spaces"), Like("c", -1.0), Like("d", 2.0))


@pytest.mark.parametrize(
    "text",
    [
        "what is this? (really) & more; yes!",
        "https://example.com/a?b=c#d",
        "at 10:30 on 3:4",
        ":-) ;-) :( -_- ^^; T_T",
        "C++ and c++17, F#, x+y, a-b",
        "그는 “안녕” 이라고 「말」 했다",
        'the 5" disk is 5\'10"',
        "Deep Learning - A Review",
        "-5 degrees --verbose -- —",
        "foo:bar note: this",
        "+ + +x +2x",
        "* .. ... , .",
        "it's 'quoted'",
        "\\ / | ~ ` @ # $ %",
    ],
)
def test_ordinary_text_is_plain(text):
    assert meaning(text) == [(" ".join(text.split()), 1.0)]


@pytest.mark.parametrize(
    ("text", "start", "end", "word"),
    [
        ('a "b c', 2, 6, "closed"),
        ('-"b', 0, 3, "closed"),
        ('tag:"b', 0, 6, "closed"),
        ('a ""', 2, 4, "nothing between"),
        ('a -""', 2, 5, "nothing between"),
        ("a tag:", 2, 6, "no value"),
        ("tag: b", 0, 4, "no value"),
        ("like:", 0, 5, "no value"),
        ("size:>", 0, 6, "no value"),
        ('tag:" "', 0, 7, "no value"),
        ("a -", 2, 3, "nothing after"),
        ("+2 - b", 3, 4, "nothing after"),
        ("+1.2.3 b", 0, 6, "not a weight"),
        ("+0 b", 0, 2, "not a weight"),
        ("+82 10-1234", 0, 3, "not a weight"),
        ("b +2", 2, 4, "no word after"),
        ("+2 +3 b", 0, 2, "no word after"),
        ("+2 tag:x", 0, 2, "no effect"),
        ('+2 -"x"', 0, 2, "no effect"),
        ("size:<big", 0, 9, "cannot be compared"),
        ("date:>2023-13", 0, 13, "cannot be compared"),
        ("size:1..big", 0, 11, "cannot end a range"),
        ("size:5..1", 0, 9, "ends before"),
    ],
)
def test_malformed_queries_say_where_and_what(text, start, end, word):
    with pytest.raises(QueryError, match=word) as caught:
        parse(text, FIELDS)
    assert (caught.value.start, caught.value.end) == (start, end)
    assert isinstance(caught.value, ExplorerError)
    assert str(caught.value).startswith(f"At character {start + 1} of the query, ")
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        'good +1.2 durable -cheap "exact words" +3 "more" -"none" tag:x -tag:"y z" date:>=2023-01 size:..5',
        'like:"a b" -like:c +2 like:d',
        "b +2 a - c",
        "+2 a - tag:x",
        '"""" x "a""b"',
        '-foo:bar tag:a"b',
        "+10 x +0.01 y",
    ],
)
def test_round_trip(text):
    query = parse(text, FIELDS)
    assert parse(query.text(), FIELDS) == query


def test_any_text_is_a_query_or_a_query_error():
    chance = random.Random(20240601)
    understood, places = 0, []
    for _ in range(6000):
        text = "".join(
            chance.choice(PIECES) if chance.random() < 0.3 else chance.choice(ALPHABET)
            for _ in range(chance.randrange(25))
        )
        try:
            query = parse(text, FIELDS)
        except QueryError as error:
            places.append((error.start, error.end, len(text)))
            continue
        understood += 1
        assert parse(query.text(), FIELDS) == query, text
        for found in complete(text, chance.randrange(30), {"tag": ["가", "a b"]}):
            assert 0 <= found.start <= found.end <= len(text)
    assert understood > 1000
    assert all(0 <= start < end <= length for start, end, length in places)


@pytest.mark.parametrize(
    "unit", ["a", '"', '""', "- ", "-", "a:", '" "', "+", "+1", "+1 ", ".", "tag:", "1..", "가 ", "\t", '-"a" ']
)
def test_time_is_linear(unit):
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    with contextlib.suppress(QueryError):
        parse(text, FIELDS).text()
    complete(text, len(text), {"tag": ["x"]})
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize(
    ("condition", "value", "kept"),
    [
        ("date:2023", "2023-05-01", True),
        ("date:2023", "2024-05-01", False),
        ("date:<=2023", "2023-12-31T10:00:00", True),
        ("date:>2023", "2023-12-31", False),
        ("date:>=2023-05", "2023-05-01", True),
        ("date:2023-01..2023-03", "2023-03-31", True),
        ("size:<10000", 9999, True),
        ("size:<10000", 10000, False),
        ("size:9..10", 9.5, True),
        ("size:5", 5, True),
        ("size:5", 5.0, True),
        ("tag:Red", "red", True),
        ("tag:red", "redder", False),
        ("tag:red*", "redder", True),
        ("tag:*d*r", "redder", True),
        ('tag:"re*"', "red", False),
        ("tag:x", None, False),
        ("-tag:x", None, True),
        ("-tag:x", "x", False),
        ("size:>3", "many", False),
        ("size:>3", "20", True),
        ("date:<2023", "yesterday", False),
        ("tag:true", True, True),
        ("author:snow", "Let it snow again", True),
        ('author:"it snow"', "Let it snow again", False),  # in quotes it is the value as it stands
        ("author:now", "Let it snow again", False),
        ("author:snow", "snowing", False),
        ("author:눈", "눈이 온다", True),
        ("author:kim", "Kim@example.org (Minji)", True),
        ("author:minji*", "Kim@example.org (Minji)", False),
    ],
)
def test_a_filter_accepts(condition, value, kept):
    [condition] = filters(condition)
    assert condition.accepts(value) is kept


VALUES = {"tag": ["red", "blue", "dark red"], "date": [], "like": ["notes/a.txt"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ta", [Completion(0, 2, "tag:", "tag:")]),
        ("x -ta", [Completion(3, 5, "tag:", "tag:")]),
        ("li", [Completion(0, 2, "like:", "like:")]),
        ("tag:r", [Completion(4, 5, "red", "red"), Completion(4, 5, '"dark red"', "dark red")]),
        ('-tag:"dark r', [Completion(5, 12, '"dark red"', "dark red")]),
        ("like:", [Completion(5, 5, "notes/a.txt", "notes/a.txt")]),
        ("ta ", []),
        ('"ta', []),
        ("", []),
        ('tag:"red"', []),
        ("zzz", []),
    ],
)
def test_completion(text, expected):
    assert complete(text, len(text), VALUES) == expected


def test_completion_looks_only_at_what_is_before_the_cursor():
    assert complete("tag:b and more", 5, VALUES) == [Completion(4, 5, "blue", "blue")]


def test_exact_words_are_found_in_any_case_and_spacing():
    text = "In New\n  York and new york."
    assert [text[a:b] for a, b in phrase_spans(text, "new york")] == ["New\n  York", "new york"]
    apart = unicodedata.normalize("NFD", "서울의 학교")
    assert [unicodedata.normalize("NFC", apart[a:b]) for a, b in phrase_spans(apart, "학교")] == ["학교"]
    assert phrase_spans(text, "Newark") == phrase_spans(text, " ") == []
