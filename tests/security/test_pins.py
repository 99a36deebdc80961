"""One version of every package is tested and shipped, and it is the one that the list names."""

from __future__ import annotations

import re

from packaging.requirements import Requirement

from resources.app.shipping import pins
from tests.conftest import PROJECT


def test_what_is_installed_is_what_is_pinned() -> None:
    pinned = pins.pinned()
    other = {
        name: (version, pinned.get(name))
        for name, version in pins.installed(pins.needed(development=True)).items()
        if pinned.get(name) != version
    }
    assert other == {}, "install with -c resources/app/shipping/pins.txt, or write that file anew"


def test_what_is_pinned_is_what_the_project_allows() -> None:
    pinned = pins.pinned()
    for one in map(Requirement, pins.needed(development=True)):
        assert one.specifier.contains(pinned[pins.canonical(one.name)]), one


def test_the_commands_of_the_readme_install_it() -> None:
    commands = re.findall(
        r"^.*pip install .*-e .*$", (PROJECT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(commands) >= 2
    assert all("-c resources/app/shipping/pins.txt" in one for one in commands), commands
