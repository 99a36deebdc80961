"""The versions that are tested together and shipped, in pins.txt: python -m resources.app.shipping.pins writes it anew.

`pyproject.toml` says what the program can work with; `pip install -c resources/app/shipping/pins.txt` takes just these.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

FILE = Path(__file__).with_name("pins.txt")
PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_HEAD = """\
# The versions that are tested together and shipped, with all that they bring: pip install -c this-file ...
# Written by `python -m resources.app.shipping.pins` from the environment that it runs in.
"""


def needed(*, development: bool = False) -> list[str]:
    """What `pyproject.toml` asks for."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    return [*project["dependencies"], *(project["optional-dependencies"]["dev"] if development else ())]


def installed(requirements: Iterable[str]) -> dict[str, str]:
    """All that requirements bring with them, with the versions that are installed."""
    found: dict[str, str] = {}
    waiting = [match[0] for one in requirements if (match := _NAME.match(one))]
    while waiting:
        try:
            distribution = metadata.distribution(waiting.pop())
        except metadata.PackageNotFoundError:  # for another system, or an extra
            continue
        key = canonical(distribution.metadata["Name"])
        if key in found:
            continue
        found[key] = distribution.version.partition("+")[0]  # 2.13.0+cpu is the 2.13.0 of a machine without a GPU
        needs = [need for need in distribution.requires or () if "extra ==" not in need]
        waiting += [match[0] for need in needs if (match := _NAME.match(need))]
    return dict(sorted(found.items()))


def canonical(name: str) -> str:
    """A package's name as all its spellings have it in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    """The version of each package in the file."""
    lines = (line.strip() for line in FILE.read_text("utf-8").splitlines())
    return dict(line.split("==", 1) for line in lines if line and not line.startswith("#"))  # type: ignore[misc]


def main() -> None:
    """Write the file."""
    parts = installed(needed(development=True))
    FILE.write_text(_HEAD + "".join(f"{name}=={version}\n" for name, version in parts.items()), "utf-8")


if __name__ == "__main__":
    main()
