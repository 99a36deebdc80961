"""Read presentations: the slides of a .pptx in their order, with tables, charts, diagrams, notes and comments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import damaged
from explorer.corpus.readers.office import docx_odt, legacy
from explorer.corpus.readers.office.blocks import DrawingText
from explorer.corpus.readers.office.package import elements, open_archive, parse, relations
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.corpus.readers.office.package import Archive
    from explorer.task import Task

_MARKS = {"notesSlide": "Notes", "comments": "Comment", "chart": "Chart", "diagramData": "Diagram"}
_MOST_SLIDES = 20_000


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a presentation as one document, told apart by content: .pptx, .odp or the old binary .ppt.

    Raises:
        Unreadable: It is encrypted, damaged, empty, or unpacks to too much.
    """
    with path.open("rb") as file:
        head = file.read(8)
    if head == legacy.OLE:
        yield from legacy.read(path, options, task)
        return
    with open_archive(path, options) as archive:
        if "content.xml" in archive:
            yield docx_odt.open_document(archive, task)
        else:
            damaged_slides: list[int] = []
            text = "\n\n".join(_slides(archive, task, damaged_slides))
            document = docx_odt.make(archive, text, "docProps/core.xml")
            if damaged_slides:
                remark = UserMessage("Slides that are damaged and were left out: {count}.", count=len(damaged_slides))
                document = replace(document, remarks=(remark,))
            yield document


def _slides(archive: Archive, task: Task, damaged_slides: list[int]) -> Iterator[str]:
    """Yield the text of each slide: its title, its boxes, then what belongs to it. Note those that are damaged."""
    main = "ppt/presentation.xml"
    if main not in archive:
        raise damaged(archive.path, UserMessage("it holds no presentation"))
    targets = relations(archive, main)
    order = [element.attributes.get("id", "") for element in elements(archive.chunks(main), archive.path)]
    # `id` is the number of a slide as well as its relation: without namespaces only the relation is one of the targets.
    slides = [targets[key].part for key in order if key in targets and targets[key].kind == "slide"]
    slides = slides or [target.part for target in targets.values() if target.kind == "slide"]
    for number, part in enumerate(slides[:_MOST_SLIDES], start=1):
        task.check()
        slide = DrawingText(task)
        try:
            parse(archive.chunks(part), slide, archive.path)
        except Unreadable as error:
            if error.reason != "damaged" or len(slides) == 1:
                raise
            damaged_slides.append(number)
            continue
        mark = " (hidden)" if slide.is_hidden else ""
        pieces = [slide.text()] if slide.title else [f"Slide {number}{mark}", slide.text()]
        if slide.title and mark:
            pieces.insert(0, mark.strip())
        for target in relations(archive, part).values():
            if target.kind in _MARKS:
                side = DrawingText(task)
                parse(archive.chunks(target.part), side, archive.path)
                if text := side.text().strip():
                    pieces.append(f"[{_MARKS[target.kind]}: {text}]")
        if any(piece.strip() for piece in pieces[-1:]):
            yield "\n\n".join(piece for piece in pieces if piece.strip())
