"""Parts keep their shares when the splitter changes its size, and leave them to others while they are hidden."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from explorer.ui.widgets.layouts import ShareSplitter


def test_shares_survive_sizes_hiding_and_damage(qapp: QApplication) -> None:
    splitter = ShareSplitter(Qt.Orientation.Horizontal, (1, 2, 5))
    parts = [QWidget() for _ in range(3)]
    for part in parts:
        splitter.addWidget(part)
    splitter.resize(802, 100)
    splitter.show()
    assert [round(size / 100) for size in splitter.sizes()] == [1, 2, 5]
    splitter.resize(1602, 100)
    assert [round(size / 200) for size in splitter.sizes()] == [1, 2, 5]
    parts[0].setMaximumWidth(44)  # folded
    splitter.apply()
    assert splitter.sizes()[0] == 44
    parts[0].setMaximumWidth(16_777_215)
    splitter.restore([2, 2, 4])
    assert [round(size / 200) for size in splitter.sizes()] == [2, 2, 4]
    parts[2].hide()
    assert splitter.sizes()[2] == 0
    assert abs(splitter.sizes()[0] - splitter.sizes()[1]) <= 2
    for damaged in (None, [1, 2], [1, 2, "x"], [1, 2, -3]):
        splitter.restore(damaged)
        assert splitter.shares == [1, 2, 5]
    splitter.close()
    splitter.deleteLater()
