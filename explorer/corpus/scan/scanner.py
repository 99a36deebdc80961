"""Walk a folder: list its files in a fixed order, what each rule leaves out, and what cannot be read."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from explorer.corpus.scan import ignore
from explorer.errors import ExplorerError
from explorer.messages import UserMessage
from explorer.paths import display_path, long_path
from explorer.task import Task

EXAMPLES = 5  # ignored paths named per rule
_RULES = 2**20  # bytes of an ignore file
_LAST = 2**63 - 1  # nanoseconds: the year 2262; a clock that was wrong may have written a later one

_TEMPLATES = {
    "link outside": "{name} is a link to a place outside the folder; allow such links to read it.",
    "link to folder": "{name} is a link to a folder that is listed already.",
    "broken link": "{name} is a link that leads nowhere.",
    "not a file": "{name} is not a file with contents but a device, pipe or socket.",
    "unreadable": "{name} cannot be opened ({why}); check its permissions.",
    "rules too long": "{name} has more than a megabyte; its rules are not obeyed.",
    "path too long": "{name} has too long a path for this system; move it higher up.",
    "visited": "{name} is a folder that is listed under another name.",
    "vanished": "{name} was removed while the folder was read.",
}
REASONS = tuple(_TEMPLATES)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that was found.

    Attributes:
        root: The folder that was scanned.
        path: The path below it, with "/" between parts; bytes that are not UTF-8 as surrogates, as `os` has it.
        size: Bytes.
        mtime_ns: When it was last changed.
        identity: Device and inode; None where the system has no such thing.
    """

    root: Path
    path: str
    size: int
    mtime_ns: int
    identity: tuple[int, int] | None

    @property
    def location(self) -> Path:
        """Where to open it."""
        return Path(long_path(os.path.join(self.root, *self.path.split("/"))))  # noqa: PTH118 - surrogates

    @property
    def suffix(self) -> str:
        """The suffix in lower case, with its dot; empty where there is none."""
        return os.path.splitext(self.path)[1].lower()  # noqa: PTH122 - Path would drop nothing but cost more


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """Something that was found and cannot be read: its path, one of REASONS, and a sentence."""

    path: str
    reason: str
    sentence: str


@dataclass(frozen=True)
class IgnoredFile:
    """What one rule left out: how many files and folders, and the first few of them."""

    rule: ignore.Rule
    files: int
    folders: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Scan:
    """All that was found, each part in the order of its paths."""

    files: tuple[FileEntry, ...]
    skipped: tuple[SkippedFile, ...]
    ignored: tuple[IgnoredFile, ...]

    @property
    def unseen(self) -> tuple[str, ...]:
        """The paths of which it is not known what they hold; files below may still be there."""
        return tuple(entry.path for entry in self.skipped if entry.reason == "unreadable")


@dataclass(frozen=True)
class ScanOptions:
    """How a folder is walked.

    Attributes:
        hidden: Whether files that the system hides are listed too.
        outside: Whether links to places outside the folder are followed.
        ignore_case: Whether rules take "A" for "a".
        rules: Lines of further rules, for the whole folder; the folder's own ignore files overrule them.
    """

    hidden: bool = False
    outside: bool = False
    ignore_case: bool = sys.platform in ("win32", "darwin")
    rules: tuple[str, ...] = ()


DEFAULT = ScanOptions()


class Count(NamedTuple):
    """Files and their bytes."""

    files: int
    size: int


@dataclass(frozen=True)
class FolderPreview:
    """The files that indexing a folder would read, found without opening any.

    Attributes:
        suffixes: Files and bytes of each suffix, most files first; "" for files without one.
        ignored: What each rule leaves out.
        skipped: What cannot be read, and why.
    """

    suffixes: Mapping[str, Count]
    ignored: tuple[IgnoredFile, ...]
    skipped: tuple[SkippedFile, ...]

    @property
    def total(self) -> Count:
        """All files and their bytes."""
        return _sum(self.suffixes.values())

    def families(self, family_of: Mapping[str, str], other: str = "other") -> dict[str, Count]:
        """Count files and bytes of each family of formats, most files first, given the family of each suffix."""
        members = defaultdict(list)
        for suffix, count in self.suffixes.items():
            members[family_of.get(suffix, other)].append(count)
        return _order_counts({family: _sum(counts) for family, counts in members.items()})


def scan(root: Path, task: Task, options: ScanOptions = DEFAULT) -> Scan:
    """Return the files of a folder and of all folders in it, without opening one but the ignore files.

    The root may also be a single file, which is then all that is found; its own root is the folder it is in.

    Raises:
        ExplorerError: If there is no such folder or it cannot be opened.
        Cancelled: If the task was cancelled.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - Path.absolute keeps ".."
    if root.is_file():
        status = root.stat()
        identity = (status.st_dev, status.st_ino) if status.st_ino else None
        return Scan((FileEntry(root.parent, root.name, status.st_size, changed_ns(status), identity),), (), ())
    _require_folder(root)
    return _FolderWalk(root, task, options).run()


def preview(root: Path, task: Task, options: ScanOptions = DEFAULT) -> FolderPreview:
    """Return what `scan` finds, counted for the user to see before anything is read; raises as `scan` does."""
    return counted(scan(root, task, options))


def counted(listed: Scan) -> FolderPreview:
    """Count what a scan found."""
    sizes = defaultdict(list)
    for entry in listed.files:
        sizes[entry.suffix].append(Count(1, entry.size))
    counts = _order_counts({suffix: _sum(members) for suffix, members in sizes.items()})
    return FolderPreview(counts, listed.ignored, listed.skipped)


def _require_folder(root: Path) -> None:
    try:
        if not root.is_dir():
            state = UserMessage("is a file" if root.exists() else "does not exist")
            raise ExplorerError(
                "{file} {present}; choose a folder that holds texts.", file=display_path(str(root)), present=state
            )
        with os.scandir(long_path(str(root))):
            pass
    except OSError as error:
        raise ExplorerError(
            "{file} cannot be opened ({reason}); check its permissions or choose another folder.",
            file=display_path(str(root)),
            reason=error.strerror,
        ) from error


class _Folder(NamedTuple):
    """A folder still to be walked: its path below the root, its place on disk, and the rules in it."""

    path: str
    location: str
    rules: ignore.Rules


@dataclass
class _Tally:
    files: int = 0
    folders: int = 0
    examples: list[str] = field(default_factory=list)


class _FolderWalk:
    """One walk through a folder, with a stack of its own as trees may be deeper than Python recurses."""

    def __init__(self, root: Path, task: Task, options: ScanOptions) -> None:
        self._root, self._task, self._options = root, task, options
        self._real_root = os.path.realpath(root)
        self._files: list[FileEntry] = []
        self._skipped: list[SkippedFile] = []
        self._ignored: defaultdict[ignore.Rule, _Tally] = defaultdict(_Tally)
        self._visited: set[tuple[int, int]] = set()

    def run(self) -> Scan:
        rules = ignore.Rules.built_in(hidden=self._options.hidden)
        rules += ignore.Rules.parse(self._options.rules, source="settings", ignore_case=self._options.ignore_case)
        stack = [_Folder("", long_path(str(self._root)), rules)]
        while stack:
            self._task.report(len(self._files), 0, "Looking through the folder")
            # Reversed, so that folders are walked in the order of their names.
            stack += reversed(self._walk(stack.pop()))
        ignored = (
            IgnoredFile(rule, tally.files, tally.folders, tuple(tally.examples))
            for rule, tally in self._ignored.items()
        )
        return Scan(
            tuple(sorted(self._files, key=lambda entry: _order(entry.path))),
            tuple(sorted(self._skipped, key=lambda entry: _order(entry.path))),
            tuple(sorted(ignored, key=lambda entry: (entry.rule.source, entry.rule.line))),
        )

    def _walk(self, folder: _Folder) -> list[_Folder]:
        """Take in one folder's files; the folders in it."""
        try:
            status = os.stat(folder.location)  # noqa: PTH116 - a DirEntry knows no inode on Windows
            identity = (status.st_dev, status.st_ino)
            if identity in self._visited:
                self._skip(folder.path, "visited")
                return []
            if status.st_ino:
                self._visited.add(identity)
            with os.scandir(folder.location) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
            rules = folder.rules + self._rules_in(entries, folder.path)
        except OSError as error:
            self._fail(folder.path, error)
            return []
        folders = (self._add_entry(entry, folder.path, rules) for entry in entries)
        return [inner for inner in folders if inner is not None]

    def _rules_in(self, entries: Iterable[os.DirEntry[str]], path: str) -> ignore.Rules:
        for entry in entries:
            if entry.name == ignore.NAME and entry.is_file(follow_symlinks=False):
                source = _join(path, ignore.NAME)
                try:
                    with open(entry.path, "rb") as file:  # noqa: PTH123 - surrogates
                        rules = file.read(_RULES + 1)
                except OSError as error:
                    self._fail(source, error)
                    break
                if len(rules) > _RULES:
                    self._skip(source, "rules too long")
                    break
                lines = ignore.lines_of(rules)
                return ignore.Rules.parse(lines, path, source, ignore_case=self._options.ignore_case)
        return ignore.Rules()

    def _add_entry(self, entry: os.DirEntry[str], parent: str, rules: ignore.Rules) -> _Folder | None:
        """Take in one entry; the folder to walk, if it is one."""
        path = _join(parent, entry.name)
        try:
            status = entry.stat(follow_symlinks=False)
            is_link = stat.S_ISLNK(status.st_mode) or _is_junction(status)
            is_folder = stat.S_ISDIR(status.st_mode) and not is_link
            if self._is_ignored(path, is_folder, rules, status):
                return None
            if is_link:
                if reason := self._link_trouble(entry):
                    self._skip(path, reason)
                    return None
                status = os.stat(entry.path)  # noqa: PTH116
        except OSError as error:
            self._fail(path, error)
            return None
        if stat.S_ISDIR(status.st_mode):
            return _Folder(path, entry.path, rules)
        if stat.S_ISREG(status.st_mode):
            identity = (status.st_dev, status.st_ino) if status.st_ino else None
            self._files.append(FileEntry(self._root, path, status.st_size, changed_ns(status), identity))
        else:
            self._skip(path, "not a file")
        return None

    def _link_trouble(self, entry: os.DirEntry[str]) -> str:
        """Return the reason a link is not followed; empty if it is."""
        if not os.path.exists(entry.path):  # noqa: PTH110 - a chain of links to itself is "no" here
            return "broken link"
        inside = _is_below(os.path.realpath(entry.path), self._real_root)
        if not inside:
            return "" if self._options.outside else "link outside"
        return "link to folder" if os.path.isdir(entry.path) else ""  # noqa: PTH112

    def _is_ignored(self, path: str, is_folder: bool, rules: ignore.Rules, status: os.stat_result) -> bool:
        rule = rules.decide(path, is_folder)
        if rule is None and not self._options.hidden and _is_hidden(status):
            rule = _HIDDEN_BY_SYSTEM
        if rule is None or rule.negated:
            return False
        tally = self._ignored[rule]
        tally.folders += is_folder
        tally.files += not is_folder
        if len(tally.examples) < EXAMPLES:
            tally.examples.append(path)
        return True

    def _fail(self, path: str, error: OSError) -> None:
        reasons = {errno.ENOENT: "vanished", errno.ENOTDIR: "vanished", errno.ENAMETOOLONG: "path too long"}
        self._skip(path, reasons.get(error.errno or 0, "unreadable"), error.strerror or str(error))

    def _skip(self, path: str, reason: str, why: str = "") -> None:
        sentence = UserMessage(_TEMPLATES[reason], name=display_path(path) or UserMessage("The folder"), why=why)
        self._skipped.append(SkippedFile(path, reason, sentence))


def changed_ns(status: os.stat_result) -> int:
    """Return when a file was changed, as a number that a database can hold."""
    return min(max(status.st_mtime_ns, -_LAST), _LAST)


_HIDDEN_BY_SYSTEM = ignore.Rule("hidden", "the file system", 0, False, False, True, "", None)


def _is_hidden(status: os.stat_result) -> bool:
    return bool(getattr(status, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_HIDDEN)


def _is_junction(status: os.stat_result) -> bool:
    """Return whether a Windows folder is a junction, which is no symlink but leads elsewhere all the same."""
    return getattr(status, "st_reparse_tag", 0) == 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT


def _is_below(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath([path, folder]) == folder
    except ValueError:  # another drive
        return False


def _join(parent: str, name: str) -> str:
    return f"{parent}/{name}" if parent else name


def _order(path: str) -> list[str]:
    return path.split("/")


def _sum(counts: Iterable[Count]) -> Count:
    counts = list(counts)
    return Count(sum(count.files for count in counts), sum(count.size for count in counts))


def _order_counts(counts: Mapping[str, Count]) -> dict[str, Count]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1].files, item[0])))
