"""Plain text, Markdown, reStructuredText, HTML, LaTeX, notebooks and subtitles as people would read them."""

import json
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest

from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers import html, registry
from explorer.corpus.readers.text import latex, markdown, notebook, plain, rst, subtitles
from explorer.task import Task

SAMPLE = Path(__file__).resolve().parents[4] / "resources" / "sample"


class TestPlain:
    def test_title_is_the_first_line(self, read_bytes):
        (found,) = read_bytes(plain, "note.txt", "\n\n  오늘의   메모 \n본문입니다.\n".encode("cp949"))
        assert found.title == "오늘의 메모"
        assert found.text == "  오늘의   메모 \n본문입니다."
        assert (found.part, found.encoding) == ("", "cp949")

    @pytest.mark.parametrize("data", [b"word " * 60, b"-----\n=====\n***\n", b"word " * 60 + b"\nshort line"])
    def test_title_falls_back_on_the_name(self, read_bytes, data):
        assert read_bytes(plain, "the name.txt", data)[0].title == "the name"

    def test_title_of_a_program_is_its_name(self, read_bytes):
        assert read_bytes(plain, "run.py", b"#!/usr/bin/env python\nprint(1)\n")[0].title == "run.py"

    @pytest.mark.parametrize(
        ("line", "date"),
        [
            ("Date: 2023-02-16", "2023-02-16"),
            ("date : 2023/2/6", "2023-02-06"),
            ("작성일: 2023. 2. 16.", "2023-02-16"),
            ("날짜: 2023년 2월 16일", "2023-02-16"),
            ("Date: 2023-02-16 / place: hall", "2023-02-16"),
            ("Date: 2023-02-31", ""),
            ("Date: tomorrow", ""),
            ("Update: 2023-02-16", ""),
        ],
    )
    def test_a_date_near_the_top(self, read_bytes, line, date):
        (found,) = read_bytes(plain, "a.txt", f"Title\n{line}\n\nText.".encode())
        assert found.metadata.get("date", "") == date

    def test_a_date_far_down_is_not_the_documents(self, read_bytes):
        assert read_bytes(plain, "a.txt", b"x\n" * 50 + b"Date: 2023-02-16\n")[0].metadata == {}

    def test_a_huge_file_is_cut_at_paragraphs(self, read_bytes):
        paragraphs = [f"Paragraph {number}. " + "word " * 20 for number in range(300)]
        found = read_bytes(plain, "big.txt", "\n\n".join(paragraphs).encode(), part_characters=5000)
        assert [document.part for document in found] == [f"part {n}" for n in range(1, len(found) + 1)]
        assert found[1].title == "big (part 2)" or found[1].title.endswith("(part 2)")
        assert all(len(document.text) <= 5000 for document in found)
        assert all(document.text.startswith("Paragraph") for document in found)
        joined = "\n\n".join(document.text for document in found)
        assert joined.split() == " ".join(paragraphs).split()

    def test_a_huge_line_is_cut_all_the_same(self, read_bytes):
        found = read_bytes(plain, "one.txt", b"x" * 25_000, part_characters=10_000)
        assert [len(document.text) for document in found] == [10_000, 10_000, 5_000]

    def test_200_megabytes_stay_in_bounded_memory(self, tmp_path):
        path = tmp_path / "huge.txt"
        unit = ("A line of an ordinary log file, nothing special in it.\n" * 20 + "\n").encode() * 200
        with path.open("wb") as file:
            for _ in range(200 * 2**20 // len(unit)):
                file.write(unit)
        tracemalloc.start()
        try:
            total = parts = 0
            for document in registry.read(path, ReadOptions(), Task()):
                total += len(document.text)
                parts += 1
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            path.unlink()
        assert total > 0.99 * (200 * 2**20 - len(unit)) - 4 * parts
        assert parts > 40
        assert peak < 60 * 2**20

    def test_binary_and_blank_files_are_refused(self, refusal):
        assert refusal(plain, "a.txt", b"\x89PNG\r\n\x1a\n" + bytes(99)).reason == "binary"
        assert refusal(plain, "a.txt", b" \n\t\n ").reason == "empty"

    def test_what_was_repaired_is_remarked(self, read_bytes):
        (found,) = read_bytes(plain, "a.txt", "L'Ã©tÃ© est lÃ \u00a0".rstrip().encode() + b"\nbell \x07\n")
        assert found.text.startswith("L'")
        assert any("control" in remark for remark in found.remarks)

    def test_xml_is_text_and_its_entities_are_not_expanded(self, read_bytes):
        bomb = b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'
        assert read_bytes(plain, "a.xml", bomb)[0].text == bomb.decode()

    def test_damage(self, survives):
        survives(plain, "a.txt", "오늘은 비가 와서 집에서 책을 읽었습니다.\n".encode("cp949") * 5)


MARKDOWN = """---
title: "Soup, again"
date: 2023-01-16
author: Elena Brandt
tags: [cooking, "soup, hot", quick]
---

# Red *lentil* soup

Some **bold** and _soft_ words, `code_with_marks*`, a [link](https://example.org/a_(b) "t"), ![a pot](pot.png).

* one
* two with snake_case_name and 2 * 3 * 4

| name | grams |
|------|------:|
| salt | 5     |

```python
x = a ** b  # kept *as is*
```

> quoted &amp; said\\*

Second heading
--------------

Ref [here][1] and <https://example.org>.<br>Next.

[1]: https://example.org "Example"
<!-- hidden
note -->
"""


class TestMarkdown:
    def test_reads_well(self, read_bytes):
        (found,) = read_bytes(markdown, "soup.md", MARKDOWN.encode())
        assert found.title == "Soup, again"
        assert found.metadata == {
            "title": "Soup, again",
            "date": "2023-01-16",
            "author": "Elena Brandt",
            "tags": "cooking, soup, hot, quick",
        }
        assert found.text == (
            "Red lentil soup\n\n"
            "Some bold and soft words, code_with_marks*, a link, a pot.\n\n"
            "- one\n- two with snake_case_name and 2 * 3 * 4\n\n"
            "name | grams\nsalt | 5\n\n"
            "x = a ** b  # kept *as is*\n\n"
            "quoted & said*\n\n"
            "Second heading\n\n"
            "Ref here and https://example.org.\nNext."
        )

    def test_title_without_front_matter(self, read_bytes):
        assert read_bytes(markdown, "a.md", b"text\n\n## A *heading*\n")[0].title == "A heading"
        assert read_bytes(markdown, "a.md", b"A heading\n=====\ntext\n")[0].title == "A heading"
        assert read_bytes(markdown, "a.md", b"just a line\nanother\n")[0].title == "just a line"
        assert read_bytes(markdown, "stem.md", b"word " * 100)[0].title == "stem"

    def test_korean_emphasis_without_spaces(self):
        assert markdown.to_text("이것은 **중요한**것입니다.")[0] == "이것은 중요한것입니다."

    def test_mdx_modules_go(self, read_bytes):
        source = b"import X from './x'\n\n# Title\n\nText <Chart kind={3} /> here.\n"
        assert read_bytes(markdown, "a.mdx", source)[0].text == "Title\n\nText  here."

    def test_a_rule_in_front_is_no_front_matter(self, read_bytes):
        (found,) = read_bytes(markdown, "a.md", b"---\n\nJust text.\n\n---\n\nMore.\n")
        assert "Just text." in found.text
        assert "More." in found.text

    @pytest.mark.parametrize("piece", ["[", "*a ", "_a ", "`", "![", "[a](", "<a", "**", "~~a", "|", "\\", "> "])
    def test_no_line_takes_long(self, piece):
        start = time.process_time()
        markdown.to_text("\n".join([f"a{piece * (19_000 // len(piece))}x"] * 2))
        markdown.to_text(piece * (19_000 // len(piece)))
        markdown.to_text(piece * 300_000)
        markdown.to_text("\n".join([piece * 50] * 500))
        assert time.process_time() - start < 4

    @pytest.mark.parametrize("line", ["# a{}x", "# a{} ", "#{}x", "{}x|", "|-|-{}x", "-{}|{}x", "a{}x", "|{}x|"])
    def test_no_run_of_blanks_takes_long(self, line):
        start = time.process_time()
        markdown.to_text(line.replace("{}", " \t" * 40_000))
        assert time.process_time() - start < 4

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("# a ##  ", "a"),
            ("## a\t# ", "a"),
            ("# a#", "a#"),
            ("# a # #", "a #"),
            ("# #", "#"),
            ("#", ""),
            ("# C# and F#", "C# and F#"),
        ],
    )
    def test_closing_marks_of_headings_go(self, line, said):
        assert markdown.to_text(line)[0] == said

    def test_an_unclosed_comment_takes_no_time(self):
        start = time.process_time()
        markdown.to_text("<!-- a\n" * 20_000)
        assert time.process_time() - start < 4

    def test_damage(self, survives):
        survives(markdown, "a.md", MARKDOWN.encode())


class TestFrontMatter:
    def test_lists_blocks_and_nesting(self):
        facts, rest = markdown.split_front_matter(
            "---\nTitle: 'It''s'\ntags:\n  - a\n  - b\nabout: >\n  two\n  lines\nmap:\n  inner: 1\n"
            "empty:\nnote: x # said\n---\nBody"
        )
        assert facts["title"] == "It's"
        assert facts["tags"] == "a, b"
        assert facts["about"] == "two lines"
        assert facts["note"] == "x"
        assert rest == "Body"

    def test_toml(self):
        facts, rest = markdown.split_front_matter('+++\ntitle = "A"\ndate = 2023-01-02\n+++\nBody')
        assert (facts["title"], facts["date"], rest) == ("A", "2023-01-02", "Body")

    def test_without_an_end_it_is_text(self):
        assert markdown.split_front_matter("---\ntitle: a\n")[0] == {}

    def test_nothing_is_executed(self):
        facts, _ = markdown.split_front_matter("---\na: !!python/object/apply:os.system [echo]\nb: &x [*x, *x]\n---\n")
        assert facts == {"a": "echo", "b": "&x [*x, *x]"}

    def test_what_is_not_valid_yaml_is_read_key_by_key(self):
        facts, rest = markdown.split_front_matter(
            "---\ntitle: Soup: a history\ntags: [a, 'b, c']\nby:\n\t- x\n---\nBody"
        )
        assert (facts["title"], facts["tags"], rest) == ("Soup: a history", "a, b, c", "Body")

    def test_values_stay_as_they_are_written(self):
        facts, _ = markdown.split_front_matter("---\ndate: 2023-01-16\nid: 007\ndraft: yes\nnothing: ~\n---\n")
        assert facts == {"date": "2023-01-16", "id": "007", "draft": "yes", "nothing": ""}

    @pytest.mark.parametrize(
        "block",
        [
            "a: " + "[" * 60_000,
            "a: " + "[" * 400,
            "a: &a [x, x]\n" + "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghi")),
            "\n".join(f"key{n}: {'x ' * 400}" for n in range(190)),
            "? [a, b]\n: c",
        ],
    )
    def test_no_front_matter_takes_long(self, block):
        start = time.process_time()
        markdown.split_front_matter(f"---\n{block}\n---\nBody")
        markdown.split_front_matter(f"+++\n{block}\n+++\nBody")
        assert time.process_time() - start < 5


RST = """:author: Jo Kim
:date: 2024-05-06

==========
The Title
==========

Some *words*, **strong**, ``literal``, `a link <https://e.org>`_ and :ref:`there <x>`.

.. note:: Mind the gap.

.. image:: a.png
   :alt: none

.. a comment
   over two lines

Section
-------

.. code-block:: python

   x = 1
"""


class TestRestructured:
    def test_reads_well(self, read_bytes):
        (found,) = read_bytes(rst, "a.rst", RST.encode())
        assert found.title == "The Title"
        assert found.metadata == {"author": "Jo Kim", "date": "2024-05-06"}
        assert "Some words, strong, literal, a link and there." in found.text
        assert "Mind the gap." in found.text
        assert "x = 1" in found.text
        assert not any(mark in found.text for mark in ("====", "comment", "a.png", "::", "`"))

    def test_damage(self, survives):
        survives(rst, "a.rst", RST.encode())


PAGE = """<!DOCTYPE html><html><head><meta charset="{charset}"><title>새 소식 &amp; 공지</title>
<meta name="author" content="김서연"><meta property="article:published_time" content="2024-03-05T10:00:00+09:00">
<meta name="description" content="짧은 글"><style>p {{ color: red }}</style><script>alert("no")</script></head>
<body><nav><a href="/">홈</a></nav><h1>제목</h1><p>첫 <b>번째</b>
문단.<br>다음 줄</p><div>상자 하나</div><div>상자 둘</div><ul><li>하나</li><li>둘</li></ul>
<table><tr><td>가</td><td>나</td></tr><tr><td>다</td><td>라</td></tr></table><pre>줄  1
  줄 2</pre><p hidden>숨김</p><img src="http://nowhere.invalid/x.png" alt="그림"><footer>바닥</footer></body></html>"""


class TestHtml:
    @pytest.mark.parametrize(("charset", "codec"), [("euc-kr", "cp949"), ("utf-8", "utf-8"), ("utf-8", "cp949")])
    def test_reads_what_the_page_shows(self, read_bytes, charset, codec):
        (found,) = read_bytes(html, "a.html", PAGE.format(charset=charset).encode(codec))
        assert found.title == "새 소식 & 공지"
        assert found.metadata == {"author": "김서연", "date": "2024-03-05T10:00:00+09:00", "description": "짧은 글"}
        assert found.text == (
            "제목\n\n첫 번째 문단.\n다음 줄\n\n상자 하나\n상자 둘\n\n- 하나\n- 둘\n\n"
            "가\t나\n다\t라\n\n줄  1\n  줄 2\n\n그림"
        )

    def test_a_page_of_menus_only_keeps_them(self, read_bytes):
        assert read_bytes(html, "a.htm", b"<nav><a>Home</a> <a>About</a></nav>")[0].text == "Home About"

    def test_footnotes_are_read_though_asides_are_not(self, read_bytes):
        page = b"<p>Text</p><aside role='doc-endnotes'><p>The note</p></aside><aside>Most read</aside>"
        assert read_bytes(html, "a.html", page)[0].text == "Text\n\nThe note"

    def test_utf16_pages(self, read_bytes):
        assert read_bytes(html, "a.html", "<p>안녕하세요 여러분</p>".encode("utf-16"))[0].text == "안녕하세요 여러분"

    @pytest.mark.parametrize(
        "page",
        [
            "<div>" * 100_000 + "deep" + "</div>" * 100_000,
            "<div>" * 100_000 + "deep",
            "<b>" * 100_000 + "deep",
            "".join(f"<p><b id={number}>" for number in range(50_000)) + "deep",
            "<table>" * 50_000 + "deep",
            "<script>" * 50_000 + "</script>deep",
            "<!--" * 100_000 + "--> deep",
            "<a href='" * 50_000 + "'> deep",
            "<" * 500_000 + " deep",
            "<ul><li>" * 50_000 + "deep",
            "<span><i></span>" * 50_000 + "deep",
            "<pre>a" + " \t" * 60_000 + "deep</pre>",
        ],
    )
    def test_monstrous_pages_end_soon(self, page):
        start = time.process_time()
        text = html.to_text(page)
        assert time.process_time() - start < 6
        assert text == "" or "deep" in text

    def test_deep_text_is_kept(self):
        assert html.to_text("<div>a" * 5000).replace("\n", "").replace(" ", "") == "a" * 5000

    def test_old_pages_with_unclosed_tags(self):
        page = "".join(f"<p>Paragraph {number}<br>line" for number in range(3000))
        assert html.to_text(page).count("Paragraph") == 3000

    def test_a_page_without_text_is_empty(self, refusal):
        assert refusal(html, "a.html", b"<html><script>x</script></html>").reason == "empty"

    def test_damage(self, survives):
        survives(html, "a.html", PAGE.format(charset="euc-kr").encode("cp949"))


TEX = r"""
\documentclass[12pt]{article}
\usepackage{amsmath} % a comment
\title{On \emph{Soup}\thanks{nobody}}
\author{Jos\'e Garc\'{\i}a \and Ann}
\date{2024-05-06}
\newcommand{\foo}[1]{never shown #1}
\begin{document}
\maketitle
\section{Intro\label{s}}
Soup is 100\% good~\cite{a,b}; ``quoted'' text --- see $E = mc^2$ and
\begin{equation}
  a_b = \frac{1}{2}
\end{equation}
\begin{itemize}
  \item First
  \item Second \textbf{bold \textit{nested}} part
\end{itemize}
\begin{verbatim}
raw \cmd % kept
\end{verbatim}
\href{https://e.org}{a link}, na\"ive, stra\ss e, \c{c}a.
\begin{comment} hidden \end{comment}
\end{document}
after
"""


class TestLatex:
    def test_reads_well(self, read_bytes):
        (found,) = read_bytes(latex, "a.tex", TEX.encode())
        assert found.title.startswith("On Soup")
        assert found.metadata["author"] == "José García , Ann"
        assert found.metadata["date"] == "2024-05-06"
        for piece in (
            "Intro",
            "Soup is 100% good ; “quoted” text — see $E = mc^2$ and",
            r"a_b = \frac{1}{2}",
            "- First",
            "- Second bold nested part",
            r"raw \cmd",
            "a link, naïve, straße, ça.",
        ):
            assert piece in found.text
        for piece in ("never shown", "hidden", "after", "usepackage", "comment", "https"):
            assert piece not in found.text

    @pytest.mark.parametrize(
        "piece", ["{", "\\a{", "$", "\\begin{equation}", "\\section{", "\\[", "[", "\\verb|", "%", "~", " ", "\\,"]
    )
    def test_no_source_takes_long(self, piece):
        start = time.process_time()
        latex.to_text(f"a{piece * 60_000}x")
        assert time.process_time() - start < 6

    def test_damage(self, survives):
        survives(latex, "a.tex", TEX.encode())


def notebook_bytes(cells, **more):
    return json.dumps({"nbformat": 4, "cells": cells, "metadata": {}, **more}).encode()


class TestNotebook:
    CELLS = (
        {"cell_type": "markdown", "source": ["# The *study*\n", "Some **words**."]},
        {"cell_type": "code", "source": "x = 1 ** 2\nprint(x)", "outputs": [{"text": ["SECRET"]}]},
        {"cell_type": "raw", "source": "raw"},
    )

    def test_format_4(self, read_bytes):
        data = notebook_bytes(self.CELLS, metadata={"language_info": {"name": "python"}})
        (found,) = read_bytes(notebook, "a.ipynb", data)
        assert found.title == "The study"
        assert found.text == "The study\nSome words.\n\nx = 1 ** 2\nprint(x)\n\nraw"
        assert found.metadata == {"language": "python"}

    def test_format_3(self, read_bytes):
        cells = [{"cell_type": "heading", "source": "Old"}, {"cell_type": "code", "input": ["a = 1\n", "b"]}]
        (found,) = read_bytes(notebook, "a.ipynb", json.dumps({"worksheets": [{"cells": cells}]}).encode())
        assert (found.title, found.text) == ("Old", "Old\n\na = 1\nb")

    @pytest.mark.parametrize(
        "data", [b"{}", b"[1]", b"not json", b"[" * 200_000, b'{"cells": 3}', b'{"cells": [1, null]}']
    )
    def test_what_is_no_notebook_is_refused(self, refusal, data):
        assert refusal(notebook, "a.ipynb", data).reason in ("damaged", "empty")

    def test_lone_surrogates(self, read_bytes):
        data = b'{"cells": [{"cell_type": "markdown", "source": "# a\\ud800 b"}]}'
        assert "\ufffd" in read_bytes(notebook, "a.ipynb", data)[0].text

    def test_damage(self, survives):
        survives(notebook, "a.ipynb", notebook_bytes(self.CELLS))


SRT = """1
00:00:01,000 --> 00:00:02,500
<i>안녕하세요.</i>

2
00:00:02,500 --> 00:00:04,000
안녕하세요.
반갑습니다 &amp; 환영합니다.

3
00:00:20,000 --> 00:00:22,000
{\\an8}다음 장면입니다.
"""
VTT = """WEBVTT - talk

NOTE a remark --> not a cue

intro
00:01.000 --> 00:02.000 align:start
<v Ann>Hello <c.loud>there</c>

00:02.000 --> 00:03.000
Hello there
General.
"""


class TestSubtitles:
    def test_srt(self, read_bytes):
        (found,) = read_bytes(subtitles, "film.srt", SRT.replace("\n", "\r\n").encode("cp949"))
        assert found.text == "안녕하세요. 반갑습니다 & 환영합니다.\n\n다음 장면입니다."
        assert found.title == "film"

    def test_vtt(self, read_bytes):
        assert read_bytes(subtitles, "talk.vtt", VTT.encode())[0].text == "Hello there General."

    def test_what_has_no_times_is_refused(self, refusal):
        assert refusal(subtitles, "a.srt", b"just text").reason == "damaged"

    def test_blanks_take_no_time(self, refusal):
        start = time.process_time()
        assert refusal(subtitles, "a.srt", b"a" + b" " * 60_000 + b"x").reason == "damaged"
        assert time.process_time() - start < 5

    def test_damage(self, survives):
        survives(subtitles, "a.srt", SRT.encode())


def sample_files():
    return sorted(path for path in SAMPLE.rglob("*") if path.suffix in (".md", ".txt"))


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="the sample corpus (resources/sample) is not here")
def test_the_sample_corpus_reads_with_titles_and_dates():
    files = sample_files()
    assert len(files) >= 165
    dated = 0
    for path in files:
        (found,) = registry.read(path, ReadOptions(), Task())
        assert 3 <= len(found.title) <= 120
        assert not found.title.startswith(("#", "-", "title:"))
        assert found.encoding in ("utf-8", "ascii")
        # One text of the sample quotes broken letters, which are left as they are.
        assert all("left unchanged" in remark for remark in found.remarks)
        source = path.read_text(encoding="utf-8")
        if source.startswith("---\n") and "\ndate: " in source[:300]:
            assert found.metadata["date"] == source.partition("\ndate: ")[2][:10]
            assert found.metadata["author"]
            assert "---" not in found.text[:10]
            dated += 1
    assert dated > 50


def test_the_sample_that_quotes_broken_letters_is_not_repaired():
    path = SAMPLE / "support" / "ticket-csv-umlauts.md"
    if not path.exists():
        pytest.skip("the sample corpus (resources/sample) is not here")
    (found,) = registry.read(path, ReadOptions(), Task())
    assert '"MÃ¼ller"' in found.text


def test_a_chosen_encoding_that_fails_names_the_file(tmp_path):
    path = tmp_path / "메모.md"
    path.write_bytes("가나다".encode("cp949"))
    with pytest.raises(Unreadable, match=r"메모\.md.*utf-8"):
        list(registry.read(path, ReadOptions(encoding="utf-8"), Task()))


def test_footnotes_and_citations_of_rst_are_kept(read_bytes):
    source = (
        b"Title\n=====\n\nWords [1]_ and [CIT2002]_.\n\n.. [1] A note *here*\n   that goes on.\n"
        b".. [CIT2002] A cited book.\n.. [#] Unnumbered.\n.. a comment\n"
    )
    (document,) = read_bytes(rst, "notes.rst", source)
    assert "[1] A note here" in document.text
    assert "that goes on." in document.text
    assert "[CIT2002] A cited book." in document.text
    assert "[#] Unnumbered." in document.text
    assert "a comment" not in document.text


def test_a_footnote_that_begins_on_the_next_line_is_kept(read_bytes):
    """As pandoc writes them."""
    (document,) = read_bytes(rst, "a.rst", b"A note [1]_.\n\n..\n\n   A quote\n\n.. [1]\n   Far below\n")
    assert "Far below" in document.text
    assert "A quote" in document.text
