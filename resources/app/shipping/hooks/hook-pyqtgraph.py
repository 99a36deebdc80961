"""pyqtgraph with its icons, and the modules of Qt that it imports by a composed name; no examples, no colour maps."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("pyqtgraph", includes=["icons/*.svg"])
hiddenimports = ["PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"]
