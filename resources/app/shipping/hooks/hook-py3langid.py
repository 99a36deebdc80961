"""py3langid, whose model is a data file."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("py3langid")
