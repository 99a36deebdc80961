"""Qt's plugins that our window uses, chosen before the libraries that the others want are looked for."""

from __future__ import annotations

from pathlib import Path

from PyInstaller.utils.hooks.qt import add_qt6_dependencies

from resources.app.shipping import contents

hiddenimports, binaries, datas = add_qt6_dependencies(__file__)
_places = {one: f"{one[1]}/{Path(one[0]).name}" for one in binaries}
binaries = [one for one, place in _places.items() if contents.is_wanted(Path(place).as_posix())]
