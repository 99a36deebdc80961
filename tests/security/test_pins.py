"""One version of every package is tested and shipped, and it is the one that the list names."""

from __future__ import annotations

import re
import sys

from packaging.requirements import Requirement

from resources.app.shipping import pins
from tests.conftest import PROJECT

FOR_GPU = ("nvidia-", "cuda-", "triton")  # torch itself says which, where there is a build with them


def test_what_is_installed_is_what_is_pinned() -> None:
    pinned, installed = pins.pinned(), pins.installed(pins.needed(development=True))
    other = {
        name: (version, pinned[name])
        for name, version in installed.items()
        if name in pinned and pinned[name] != version
    }
    assert other == {}, "install with -c resources/app/shipping/pins.txt, or write that file anew"
    if sys.platform == "linux":  # where it is written
        assert [name for name in installed if name not in pinned and not name.startswith(FOR_GPU)] == []


def test_what_is_pinned_is_what_the_project_allows() -> None:
    pinned = pins.pinned()
    for one in map(Requirement, pins.needed(development=True)):
        assert one.specifier.contains(pinned[pins.canonical(one.name)]), one


def test_the_commands_of_the_readme_install_it() -> None:
    commands = re.findall(r"^.*pip install .*-e .*$", (PROJECT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(commands) >= 2
    assert all("-c resources/app/shipping/pins.txt" in one for one in commands), commands
