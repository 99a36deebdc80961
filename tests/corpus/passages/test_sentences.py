"""Sentences end where readers of English, Korean, Chinese and Japanese say they do."""

import time
from itertools import pairwise

import pytest

from explorer.corpus.passages.boundaries import sentence_ends as ends


def sentences(text):
    cuts = [0, *ends(text, 0, len(text)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(cuts)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One sentence.", "Another one!", "A third?", "And no stop"],
        ["Dr. Smith met Mrs. J. K. Rowling on St. James St. yesterday.", "They talked."],
        ["It costs 3.14 dollars.", "Not 2.50."],
        ["See Fig. 3 and Eq. 12, pp. 10 and No. 5.", "Then stop."],
        ["He said no.", "I agreed."],
        ["Fruit, e.g. Apples, i.e. Malus, is good.", "Smith et al. Nature agree."],
        ["The U.S. Army left.", "He stayed."],
        ["We met at 5 p.m.", "He was late."],
        ["Wait... what?", "Nothing…", "Well."],
        ["“Stop!” he said.", "“I will.”", "(He did.)", "Good."],
        ['"Is it?"', '"It is."', "'Fine.'", "End."],
        ["So do I.", "He knows."],
        ["It was 1999.", "Everything was new."],
        ["Really?!", "Yes!!!", "OK."],
        ["visit example.com/a.html now.", "Thanks."],
        ["나는 학교에 갔다.", "집에 왔어요.", "밥을 먹었습니까?", "네!", "좋습니다."],
        ["회의는 2024. 3. 15. 금요일에 열렸다.", "모두 왔다."],
        ["띄어쓰기가 없다.", "그래도 나눈다."],
        ['그는 "집에 가자."라고 말했다.', "나는 웃었다."],
        ["“어디 가니?” 라고 물었다.", "“집에.”", "그가 답했다."],
        ["값은 3.5배다.", "크다."],
        ["今天天气很好。", "我们去公园吧！", "好吗？", "“好。”", "他说。"],
        ["彼は「行く。」と言った。", "私は待った。", "本当？", "はい。"],
    ],
)
def test_ends(expected):
    for gap in (" ", "\n"):
        assert sentences(gap.join(expected)) == expected


def test_no_space_needed():
    assert sentences("今天很好。我们去吧！好吗？") == ["今天很好。", "我们去吧！", "好吗？"]
    assert sentences("나는 갔다.그는 왔다.끝이에요.정말") == ["나는 갔다.", "그는 왔다.", "끝이에요.", "정말"]


def test_numbers_of_lines_are_no_sentences():
    assert sentences("1. First\n2. Second\na. Third\n가. 넷째") == ["1. First\n2. Second\na. Third\n가. 넷째"]


@pytest.mark.parametrize("text", ["", " ", ".", "...", "a", "。"])
def test_too_short_to_end_inside(text):
    assert list(ends(text, 0, len(text))) == []


@pytest.mark.parametrize("unit", [".", ". ", "a.", '."', "。", "다.", ".\n", "'", "!?", "A. ", "1. ", "a" * 50 + ". "])
def test_linear(unit):
    text = unit * (100_000 // len(unit)) + "a"
    start = time.process_time()
    for _ in ends(text, 0, len(text)):
        pass
    assert time.process_time() - start < 10
