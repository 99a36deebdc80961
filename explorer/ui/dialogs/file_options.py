"""The read options of a file: encoding, text column, lines as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.ui.jobs.messages import describe_error
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.update.read_options import FileReadOptions

WIDTH = 460
LOOKING = "how a file is read"  # the job
ENCODINGS = (
    ("utf-8", "UTF-8"), ("cp949", "CP949, EUC-KR"), ("utf-16", "UTF-16"), ("cp932", "Shift-JIS"),
    ("gb18030", "GB18030"), ("big5", "Big5"), ("cp1252", "Windows 1252"), ("cp1250", "Windows 1250"),
    ("cp1251", "Windows 1251"), ("koi8-r", "KOI8-R"), ("cp866", "CP866"), ("cp1253", "Windows 1253"),
    ("cp1254", "Windows 1254"), ("cp1255", "Windows 1255"), ("cp1256", "Windows 1256"), ("cp1257", "Windows 1257"),
    ("cp1258", "Windows 1258"), ("cp874", "Windows 874"), ("iso8859-2", "ISO 8859-2"), ("iso8859-5", "ISO 8859-5"),
    ("iso8859-15", "ISO 8859-15"), ("mac-roman", "Mac Roman"), ("mac-cyrillic", "Mac Cyrillic"), ("cp850", "CP850"),
    ("cp437", "CP437"), ("euc_jp", "EUC-JP"), ("johab", "Johab"), ("cp037", "EBCDIC 037"),
)  # fmt: skip


class FileOptionsDialog(Themed, Popup):
    """Shows how a file is read, and reads it again with other options."""

    def __init__(self, path: str, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._actions, self._path = actions, path
        self.message = plain_label(wrap=True)
        self.message.setProperty("kind", "faint")
        self._name = ElidedLabel()
        self._name.set_text(path, path)
        self.encoding, self.column, self.lines, self.repair = QComboBox(), QComboBox(), QCheckBox(), QCheckBox()
        self.again, self._leave = QPushButton(), QPushButton()
        self.again.setProperty("kind", "main")
        self._form = QFormLayout()
        self._form.setSpacing(8)
        self._names = {field: plain_label() for field in (self.encoding, self.column)}
        for field, name in self._names.items():
            name.setBuddy(field)
            self._form.addRow(name, field)
        self._form.addRow("", self.lines)
        self._form.addRow("", self.repair)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._leave)
        buttons.addWidget(self.again)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(12)
        column.addWidget(self._name)
        column.addLayout(self._form)
        column.addWidget(self.message)
        column.addLayout(buttons)
        self.again.clicked.connect(self._on_again)
        self._leave.clicked.connect(self.reject)
        self.finished.connect(lambda _: actions.runner.cancel(LOOKING, notify=False))  # there is nobody to notify
        self._show(None)
        actions.with_workspace(
            LOOKING,
            lambda workspace, task: workspace.documents.how_read(path, task),
            self._show,
            worker="aside",
            failed=self._on_failed,
        )

    def _show(self, options: FileReadOptions | None) -> None:
        self._options: FileReadOptions | None = options
        self._set_texts()
        shown = {
            self.encoding: options is not None and options.has_encoding,
            self.column: options is not None and bool(options.columns),
            self.lines: options is not None and options.has_lines,
            self.repair: options is not None and options.has_encoding,
        }
        for field, is_shown in shown.items():
            self._form.setRowVisible(field, is_shown)
        folder = self._actions.session.folder
        self.again.setEnabled(any(shown.values()) and folder is not None and folder.writable)
        if options is not None:
            current = options.chosen
            if current.encoding and self.encoding.findData(current.encoding) < 0:
                self.encoding.addItem(current.encoding, current.encoding)
            self.encoding.setCurrentIndex(self.encoding.findData(current.encoding))
            self.column.setCurrentIndex(max(0, self.column.findData(current.text_column)))
            self.lines.setChecked(current.lines)
            self.repair.setChecked(current.repair)
        self.fit()

    def _on_failed(self, error: BaseException) -> None:
        self.message.setText(describe_error(error).sentence)
        self.fit()

    def _on_again(self) -> None:
        self._actions.files.read_otherwise(
            self._path,
            encoding=str(self.encoding.currentData() or ""),
            text_column=str(self.column.currentData() or ""),
            lines=self.lines.isChecked(),
            repair=self.repair.isChecked(),
        )
        self.accept()

    def _fill(self) -> None:
        options = self._options
        self.encoding.clear()
        self.encoding.addItem(self.tr("Automatic"), "")
        for key, name in ENCODINGS:
            self.encoding.addItem(name, key)
        self.column.clear()
        guessed = options.text_column if options is not None else ""
        self.column.addItem(self.tr("Automatic ({name})").format(name=guessed), "")
        for name in options.columns if options is not None else ():
            self.column.addItem(name, name)

    def retranslate(self) -> None:
        self._show(self._options)

    def _set_texts(self) -> None:
        self.setWindowTitle(self.tr("Read options"))
        self._names[self.encoding].setText(self.tr("Encoding"))
        self._names[self.column].setText(self.tr("Text column"))
        self.lines.setText(self.tr("Each line is a document"))
        self.repair.setText(self.tr("Repair text that was encoded twice"))
        self.again.setText(self.tr("Read again"))
        self._leave.setText(self.tr("Cancel"))
        for field, name in self._names.items():
            field.setAccessibleName(name.text())
        options = self._options
        if options is None:
            text = self.tr("Inspecting the file…")
        elif options.has_encoding or options.columns:
            text = self.tr("Only this file is read again. The options are remembered for it.")
        else:
            text = self.tr("There are no options for this type of file.")
        self.message.setText(text)
        self._fill()
