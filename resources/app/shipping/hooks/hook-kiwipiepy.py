"""The analyser of Korean with its dictionaries."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_data_files, copy_metadata

hiddenimports = ["_kiwipiepy", "kiwipiepy_model"]
datas = collect_data_files("kiwipiepy") + collect_data_files("kiwipiepy_model") + copy_metadata("kiwipiepy")
