"""unhwp, which opens its library of Rust by its path; that of this system only."""

from __future__ import annotations

import sys
from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_SYSTEM = {"linux": "linux-", "darwin": "osx-", "win32": "win-"}[sys.platform]
_PACKAGE = Path(get_package_paths("unhwp")[1])
# Not collect_data_files: it leaves out whatever ends as an extension module of Python does, as .so on Linux.
binaries = [
    (str(file), str(Path("unhwp", file.parent.relative_to(_PACKAGE))))
    for file in sorted(_PACKAGE.glob(f"lib/{_SYSTEM}*/*"))
    if "musl" not in file.parent.name
]
