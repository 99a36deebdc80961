"""Messages keep their template and values through everything that happens to them."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

from explorer import messages
from explorer.errors import DataError
from explorer.messages import UserMessage
from tests import translations


def test_a_message_is_its_english_sentence() -> None:
    message = UserMessage("{file} has {size:,.1f} MB.", file=Path("a.txt"), size=1234.5)
    assert message == "a.txt has 1,234.5 MB."
    assert (message.template, message.values) == ("{file} has {size:,.1f} MB.", {"file": "a.txt", "size": 1234.5})


def test_braces_of_a_text_without_values_do_no_harm() -> None:
    assert UserMessage("{} {0} {nothing") == "{} {0} {nothing"
    assert UserMessage("{text}", text="{braces}") == "{braces}"


def test_an_error_among_the_values_gives_its_message() -> None:
    inner = DataError("line {line} is empty", line=3)
    outer = DataError("{file}: {reason}.", file="a.csv", reason=inner)
    assert str(outer) == "a.csv: line 3 is empty."
    assert outer.message.values["reason"].template == "line {line} is empty"


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: messages.load(messages.dump(one))]
)
def test_a_message_survives_copies_processes_and_storage(again: object) -> None:
    message = UserMessage("{file}: {why}", file="x\udcff.txt", why=UserMessage("no room for {size:,} bytes", size=5000))
    made = again(message)  # type: ignore[operator]
    assert made == message == "x?.txt: no room for 5,000 bytes"
    assert (made.template, made.values["why"].values) == (message.template, {"size": 5000})


@pytest.mark.parametrize("text", ["", "plain", '{"template": ', '{"template": 1, "values": 2}', '{"template": "{a"}'])
def test_a_plain_text_is_stored_as_it_is(text: str) -> None:
    assert messages.load(messages.dump(text)) == text


def test_no_error_is_made_from_a_finished_sentence() -> None:
    # An f-string cannot be translated: nobody knows any more which part of it was the template.
    errors = translations.error_names()
    for path in sorted((translations.ROOT / "explorer").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"UserMessage", *errors}:
                made = [argument for argument in node.args if isinstance(argument, ast.JoinedStr | ast.BinOp)]
                texts = [one for one in made if not isinstance(one, ast.BinOp) or isinstance(one.op, ast.Mod)]
                assert not texts, f"{path}:{node.lineno}: give the template and its values"
