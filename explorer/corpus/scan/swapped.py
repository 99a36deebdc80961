"""Files that took each other's names since they were last looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from explorer.corpus.document import Unreadable
from explorer.corpus.scan.diff import FileState, FolderChanges, Moved, fingerprint
from explorer.task import Task


def exchanged(found: FolderChanges, before: Mapping[str, FileState], task: Task) -> FolderChanges:
    """The changes, with files that took each other's names as moved ones: a and b swapped, or a is b and b is c now.

    A file that is there under its name and changed is taken for moved only if what it held is elsewhere and what it
    holds is from elsewhere. A copy made before a file was edited is a new file.
    """
    held: defaultdict[str, list[str]] = defaultdict(list)
    for path in (*(entry.path for entry in found.changed), *found.removed):
        if before[path].size > 0:
            held[before[path].digest].append(path)
    sizes = {before[path].size for paths in held.values() for path in paths}
    digests, moved = dict(found.digests), {}
    for entry in (*found.changed, *found.added) if found.changed else ():
        if entry.size not in sizes:
            continue
        try:
            content = digests.get(entry.path) or fingerprint(entry.location, task)
        except Unreadable:  # told when it is read
            continue
        digests[entry.path] = content
        if held[content]:
            moved[entry.path] = Moved(held[content].pop(), entry)
    stayed = {entry.path for entry in found.changed}
    sources = {old for old, _ in moved.values()}
    while lone := {
        path
        for path, (old, _) in moved.items()
        if (path in stayed and path not in sources) or (old in stayed and old not in moved)
    }:
        moved = {path: move for path, move in moved.items() if path not in lone}
        sources = {old for old, _ in moved.values()}
    return replace(
        found,
        added=tuple(entry for entry in found.added if entry.path not in moved),
        changed=tuple(entry for entry in found.changed if entry.path not in moved),
        removed=tuple(path for path in found.removed if path not in sources),
        moved=(*found.moved, *moved.values()),
        digests=digests,
    )
