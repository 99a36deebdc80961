"""The vectors of an open workspace, as each of its connections sees them now."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.workspace.storage.vector_table import VectorTable
    from explorer.workspace.workspace import Workspace


class VectorCache:
    """The vectors by connection; every worker asks for those of its own."""

    def __init__(self) -> None:
        self._loaded: dict[int, tuple[object, VectorTable]] = {}  # of each connection, with what it had seen

    def of(self, workspace: Workspace) -> VectorTable:
        """The vectors that a connection sees, loaded anew only when the workspace has changed.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        from explorer.workspace.storage import vector_table

        seen, known = workspace.changes_seen(), self._loaded.get(id(workspace))
        if known is None or known[0] != seen:
            known = self._loaded[id(workspace)] = (seen, vector_table.load(workspace))
        return known[1]
