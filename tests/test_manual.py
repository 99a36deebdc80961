"""The manual tells of every command, option, setting and key, in both languages, and what it tells of is there."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from functools import cache

import pytest

from explorer import paths
from explorer.cli import main as cli_main
from explorer.cli.main import COMMANDS
from explorer.settings import Settings
from tests.conftest import PROJECT

HELP = PROJECT / "resources" / "help"
LANGUAGES = ("en", "ko")
PAGES = sorted(path.name for path in (HELP / "en").glob("*.md"))
_CALL = re.compile(r"(?:docexplorer|python -m explorer) ([a-z]+)\b([^`\n]*)")
_FILE = re.compile(r"python (?:-m )?((?:tests|resources)[./][\w./]+)([^`\n]*)")


def text(language: str, page: str) -> str:
    return (HELP / language / page).read_text("utf-8")


def sources() -> Iterator[tuple[str, str]]:
    yield "README.md", (PROJECT / "README.md").read_text("utf-8")
    for language in LANGUAGES:
        for page in PAGES:
            yield f"{language}/{page}", text(language, page)


@cache
def options() -> dict[str, frozenset[str]]:
    """The options of each command."""
    parser = cli_main.make_parser([], complete=True)
    (commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return {name: frozenset(one._option_string_actions) for name, one in commands.choices.items()}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_is_there_in_both_languages_with_the_same_parts(page: str) -> None:
    english, korean = (text(language, page) for language in LANGUAGES)

    for mark in (r"^#", r"^\|", r"^\d\.", r"^- ", r"^```"):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(re.findall(mark, korean, re.MULTILINE)), mark
    assert re.findall(r"`([^`\s]+)`", english) == re.findall(r"`([^`\s]+)`", korean) or page != "settings.md"
    assert re.search("[가-힣]", korean)
    assert not re.search("[가-힣]", english) or page == "searching.md"
    assert r"\|" not in english + korean  # Qt shows the backslash


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_pages(language: str, page: str) -> None:
    for name in re.findall(r"\]\(([^)]+)\)", text(language, page)):
        assert (HELP / language / name).is_file(), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_told(language: str) -> None:
    told = set(re.findall(r"^\| `([a-z]+)", text(language, "commands.md"), re.MULTILINE))
    assert told == set(COMMANDS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_setting_is_told(language: str) -> None:
    told = re.findall(r"^\| [^|]+ \| `(\w+)` \|", text(language, "settings.md"), re.MULTILINE)
    assert sorted(told) == sorted(field.name for field in fields(Settings))


def test_the_commands_of_the_readme_and_the_manual_would_run() -> None:
    seen = 0
    for where, page in sources():
        for name, rest in _CALL.findall(page):
            assert name in COMMANDS, (where, name)
            words = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(_words(rest)))
            assert set(words) <= options()[name], (where, name, words)
            seen += 1
    assert seen > 30


def test_the_options_of_the_list_of_commands_are_there() -> None:
    for language in LANGUAGES:
        for line in re.findall(r"^\| `([a-z]+)[^\n]*", text(language, "commands.md"), re.MULTILINE):
            row = next(one for one in text(language, "commands.md").splitlines() if one.startswith(f"| `{line}"))
            told = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", row))
            assert told <= options()[line], (language, line, told - options()[line])


def test_the_scripts_that_are_named_are_there_and_take_their_options() -> None:
    seen = 0
    for where, page in sources():
        for name, rest in _FILE.findall(page):
            path = PROJECT / (name if name.endswith(".py") else name.replace(".", "/") + ".py")
            assert path.is_file(), (where, name)
            said = path.read_text("utf-8")
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest):
                assert f'"{option}"' in said, (where, name, option)
                seen += 1
    assert seen > 5


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest.partition(">")[0])
    except ValueError:  # a quotation mark that belongs to the sentence
        return rest.split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_of_the_window_is_told(language: str, app_actions: dict[str, list[str]]) -> None:
    page = text(language, "shortcuts.md")
    told = {
        key
        for line in re.findall(r"^\| (.+?) \|", page, re.MULTILINE)
        for key in re.split(r", | or | 또는 | to |~", line)
    }
    told |= {f"Alt+{number}" for number in range(1, 10)} | set("012345")
    missing = {name: keys for name, keys in app_actions.items() if not set(keys) <= told}
    assert not missing


@pytest.fixture(scope="module")
def app_actions(qapp: object) -> dict[str, list[str]]:
    """The keys of each action in the window's menus."""
    from PySide6.QtGui import QKeySequence
    from shiboken6 import delete

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.runner import Runner
    from explorer.ui.state.session import Session
    from explorer.ui.window.main_window import MainWindow

    runner = Runner()
    actions = Controllers(Session(Settings(language="en")), runner)
    window = MainWindow(actions.session, actions)
    portable = QKeySequence.SequenceFormat.PortableText
    found = {
        one.text(): [key.toString(portable) for key in one.shortcuts()]
        for one in window.menus.actions()
        if one.shortcuts()
    }
    window.close()
    assert runner.close(20)
    actions.close_workspace()
    delete(window)  # what is left is restyled by every later change of theme
    return found


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_list_of_formats_is_that_of_the_readers(language: str) -> None:
    """Every ending that is read, or listed with what to do, is in the manual; source code is one entry there."""
    from explorer.corpus.readers import registry

    text = (paths.resources() / "help" / language / "files.md").read_text("utf-8")
    page = text[: text.index("\n## ")]
    named = set(re.findall(r"(?<![\w.])\.[a-z0-9]+\b", page))
    known = {suffix for suffix, family in registry.SUFFIXES.items() if family != "plain"}
    several = {
        ".markdown",
        ".mdown",
        ".mkd",
        ".mdx",
        ".qmd",
        ".rmd",
        ".rest",
        ".htm",
        ".xhtml",
        ".xht",
        ".ltx",
        ".latex",
    }
    assert known - several <= named
    assert named <= registry.SUFFIXES.keys() | registry.UNSUPPORTED.keys()
    sound = set(registry._SOUND_AND_FILM.split())
    assert registry.UNSUPPORTED.keys() - sound <= named
