"""Texts alone give pairs worth learning from, grouped by their document."""

import pytest

from explorer.errors import DataError
from explorer.training.data.from_corpus import LONGEST_BODY, dropout_pairs, neighbour_pairs, says_something, title_pairs

BODY = "A text of some length that goes on for more than a line, number"


def passage(name):
    return f"{name}: a passage of some length that says something of its own."


@pytest.mark.parametrize(
    ("title", "telling"),
    [
        ("Stock markets fall", True), ("한국은행 금리 인상", True), ("기준금리인상", True),
        ("금리", False), ("report.pdf", False),
        ("2024-05-01", False), ("Untitled", False), ("", False), ("scan_0012.txt", False), ("My old report.txt", True),
    ],
)  # fmt: skip
def test_titles_that_say_something(title, telling):
    assert says_something(title) is telling


def test_titles_go_with_their_bodies():
    titles = ["Stock markets fall", "notes.txt", "Monthly report", "Monthly  Report", "Rain in Seoul"]
    bodies = [f"Stock markets fall\n\n{BODY} 0", f"{BODY} 1", f"{BODY} 2", f"{BODY} 3", "short"]
    found = title_pairs(titles, bodies)
    assert found.columns == (("Stock markets fall",), (f"{BODY} 0",))
    assert found.remarks[0].count == 4
    assert "4 of 5" in found.remarks[0].sentence


def test_long_bodies_are_cut_between_words():
    found = title_pairs(["A telling title", "Another telling title"], ["word " * 1000, "가" * 5000])
    assert len(found.columns[1][0]) <= LONGEST_BODY
    assert found.columns[1][0].endswith("word")
    assert len(found.columns[1][1]) == LONGEST_BODY


def test_no_title_at_all():
    with pytest.raises(DataError, match="no informative title"):
        title_pairs(["a.txt"], [BODY])


def test_neighbours_are_of_one_document_and_one_group():
    documents = [[passage(f"{d} {n}") for n in range(3)] for d in range(4)]
    found = neighbour_pairs(documents)
    assert len(found) == 8
    assert found.example(0) == (documents[0][0], documents[0][1])
    assert found.groups == (0, 0, 1, 1, 2, 2, 3, 3)


def test_footers_and_scraps_are_no_passages():
    footer = passage("the same footer")
    documents = [[passage("one"), passage("two"), "p. 3", footer], [passage("three"), footer]]
    found = neighbour_pairs(documents)
    assert found.columns == ((passage("one"),), (passage("two"),))
    assert found.remarks[0].count == 1
    with pytest.raises(DataError, match="neighbouring passages"):
        neighbour_pairs([[passage("alone")]])


def test_a_long_document_does_not_drown_the_others():
    documents = [[passage(str(n)) for n in range(100)], [passage("x"), passage("y")]]
    found = neighbour_pairs(documents, per_document=5, seed=1)
    assert len(found) == 6
    assert found.groups == (0, 0, 0, 0, 0, 1)  # though most of the pairs share no passage
    assert found == neighbour_pairs(documents, per_document=5, seed=1)
    assert found != neighbour_pairs(documents, per_document=5, seed=2)


def test_each_text_with_itself():
    found = dropout_pairs(["one", "two", "One ", "...", ""])
    assert len(found) == 2
    assert found.columns[0] == found.columns[1]
    assert len(set(found.groups)) == 2
    assert len(dropout_pairs([f"text {n}" for n in range(100)], most=10)) == 10
    with pytest.raises(DataError, match="two different texts"):
        dropout_pairs(["same", "Same", "123"])
