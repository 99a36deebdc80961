"""Export what a panel shows: as a table, a picture, a page, or to the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QMimeData, QObject, QPoint, QRect, QSize, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QFileDialog, QWidget

from explorer.errors import DataError

if TYPE_CHECKING:
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.panels.panel import Panel

TABLES, PICTURES, PAGE = ("csv", "jsonl", "parquet"), ("png", "svg"), "html"
COPIED = 100_000  # rows that a clipboard takes; more are for a file
FINER = 2.0  # times as many pixels as the screen has


@dataclass(frozen=True, eq=False)
class ExportTable:
    """The table of a panel.

    Attributes:
        header: What the columns are called.
        rows: Makes the rows; called behind the window, so it holds frozen values only.
    """

    header: tuple[str, ...]
    rows: Callable[[], Iterable[Sequence[object]]]

    def records(self) -> Iterator[dict[str, object]]:
        """Return the rows by column name; a repeated name gets a number."""
        names: list[str] = []
        for name in self.header:
            same = sum(other == name or other.startswith(f"{name} (") for other in names)
            names.append(f"{name} ({same + 1})" if same else name)
        return (dict(zip(names, row, strict=True)) for row in self.rows())


@dataclass(frozen=True, eq=False)
class ExportSource:
    """What a panel can export.

    Attributes:
        widget: The panel.
        table: What it lists now; None where there is nothing.
        image: What it looks like, in the UI thread.
        drawing: The same as the text of an SVG file, in the UI thread.
        page: Takes what it needs in the UI thread and returns what writes it as an HTML page behind the window.
    """

    widget: QWidget
    table: Callable[[], ExportTable | None] = lambda: None
    image: Callable[[], QImage] | None = None
    drawing: Callable[[], str] | None = None
    page: Callable[[], Callable[[Task], str] | None] = lambda: None

    def formats(self) -> tuple[str, ...]:
        """Return the file extensions that are possible now."""
        tables = TABLES if self.table() is not None else ()
        pictures = (*PICTURES, *((PAGE,) if self.page() is not None else ()))
        return (*pictures, *tables) if self.drawing is not None else (*tables, *pictures)


def source_of(panel: Panel) -> ExportSource:
    """Return what a panel can export: its table and its picture."""
    return ExportSource(panel, panel.export_table)


class Exporter(QObject):
    """Exports panels, in a worker where possible."""

    def __init__(self, actions: Controllers, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions, self._window = actions, parent
        self._folder = Path.home()

    def ask(self, source: ExportSource, name: str) -> None:
        """Ask for a file and write it; its extension decides the format."""
        words = {
            "csv": self.tr("CSV table (*.csv)"),
            "jsonl": self.tr("JSON Lines (*.jsonl)"),
            "parquet": self.tr("Parquet table (*.parquet)"),
            "png": self.tr("PNG image (*.png)"),
            "svg": self.tr("SVG image (*.svg)"),
            "html": self.tr("Web page (*.html)"),
        }
        kinds = source.formats()
        chosen, kind = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Export"),
            str(self._folder / f"{name}.{kinds[0]}"),
            ";;".join(words[form] for form in kinds),
        )
        if chosen:
            ending = next((form for form in kinds if words[form] == kind), kinds[0])
            path = Path(chosen)
            self._folder = path.parent
            self.write(source, path if path.suffix else path.with_suffix(f".{ending}"))

    def write(self, source: ExportSource, path: Path) -> None:
        """Write a file in the format of its extension, and notify the user."""
        try:
            work = self._work(source, path)
        except DataError as error:
            self._actions.notify(str(error))
            return
        self._actions.runner.start(
            f"export {path}",
            work,
            lambda _: self.announce(path),
            worker="aside",
            must_run=True,
            title=self.tr("Writing {file}").format(file=path.name),
        )

    def announce(self, path: Path) -> None:
        """Tell the user that a file was written, and offer to open it or to show its folder."""
        file, folder = (QUrl.fromLocalFile(str(target)) for target in (path, path.parent))
        self._actions.notify(
            self.tr("Saved {file}.").format(file=path),
            (self.tr("Open"), lambda: QDesktopServices.openUrl(file)),
            (self.tr("Show in folder"), lambda: QDesktopServices.openUrl(folder)),
        )

    def _work(self, source: ExportSource, path: Path) -> Callable[[Task], object]:
        """Return a function that writes the file in a worker; do what needs the UI thread now."""
        kind = path.suffix.lower().lstrip(".")
        table, page = source.table(), source.page() if kind == PAGE else None
        if kind in TABLES and table is not None:
            return lambda _: _write_table(table, path)
        if kind == "png":
            image = source.image() if source.image else image_of(source.widget)
            return lambda _: _write(png(image), path)
        if kind == "svg":
            text = source.drawing() if source.drawing else drawing_of(source.widget)
            return lambda _: _write(text.encode("utf-8", "replace"), path)
        if page is not None:
            return lambda task: _write(page(task).encode("utf-8", "replace"), path)
        endings = ", ".join(f".{ending}" for ending in source.formats())
        raise DataError(
            self.tr("{file}: unsupported file type. Use one of these extensions: {endings}.").format(
                file=path, endings=endings
            )
        )

    def copy(self, source: ExportSource) -> None:
        """Copy a panel's table to the clipboard, as text and as HTML."""
        table = source.table()
        if table is None:
            self._actions.notify(self.tr("There is no table to copy here."))
            return

        def done(made: tuple[str, str, int]) -> None:
            data = QMimeData()
            data.setText(made[0])
            data.setHtml(made[1])
            QGuiApplication.clipboard().setMimeData(data)
            message = self.tr("%Ln row(s) copied to the clipboard.", "", made[2])
            self._actions.notify(message)

        self._actions.runner.start("copy", lambda _: for_clipboard(table), done, worker="aside", quiet=True)


def for_clipboard(table: ExportTable) -> tuple[str, str, int]:
    """Return a table as tab-separated text and as HTML, and its number of rows; no cell is read as a formula."""
    from itertools import islice

    lines, cells = ["\t".join(_cell(name) for name in table.header)], []
    for row in islice(table.rows(), COPIED):
        texts = [_cell(value) for value in row]
        lines.append("\t".join(texts))
        cells.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in texts) + "</tr>")
    head = "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in table.header) + "</tr>"
    return "\n".join(lines), f"<table>{head}{''.join(cells)}</table>", len(cells)


def _cell(value: object) -> str:
    from explorer.workspace.export.tables import harmless

    return " ".join(str(harmless("" if value is None else value)).split())


def image_of(widget: QWidget) -> QImage:
    """Return a picture of a widget at twice the screen's resolution."""
    image = QImage(widget.size() * FINER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(FINER)
    image.fill(widget.palette().window().color())
    painter = QPainter(image)
    widget.render(painter, QPoint(0, 0))
    painter.end()
    return image


def drawing_of(widget: QWidget) -> str:
    """Return a widget as SVG."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
    generator.setTitle(widget.accessibleName())
    painter = QPainter(generator)
    painter.fillRect(widget.rect(), widget.palette().window())
    widget.render(painter, QPoint(0, 0))
    painter.end()
    return bytes(buffer.data().data()).decode("utf-8", "replace")


def png(image: QImage) -> bytes:
    """Return a picture as PNG bytes."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _write_table(table: ExportTable, path: Path) -> int:
    from explorer.workspace.export.tables import write_rows

    return write_rows(table.records(), path)


def _write(content: bytes, path: Path) -> None:
    from explorer.workspace.export.tables import write_whole

    write_whole(path, lambda partial: partial.write_bytes(content))
