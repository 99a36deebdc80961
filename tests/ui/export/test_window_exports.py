"""A report tells what will be in it, and what will not, before it is written."""

from __future__ import annotations

from typing import Any

from explorer.ui.export.window_exports import USUAL, ReportDialog, ReportRequest


def request(count: int) -> ReportRequest:
    listing: Any = None
    documents = tuple(range(count))
    return ReportRequest("folder", "Marked documents", documents, listing, {}, {}, {}, "", None, "today", "en")


def test_all_documents_or_how_many_are_left_out(qapp: object) -> None:
    few = ReportDialog(request(12))
    assert few.about.text() == "12 documents · Marked documents"
    assert few.left_out.text() == "All of them are included."
    many, agreed = ReportDialog(request(USUAL + 700)), []
    assert "700 documents" in many.left_out.text()
    many.agreed.connect(agreed.append)
    many.most.setValue(USUAL + 700)
    assert many.left_out.text() == "All of them are included."
    many.most.setValue(3)
    many.save.click()
    assert agreed == [3]
