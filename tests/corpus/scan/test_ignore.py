"""The ignore rules give the verdicts of git itself, and stay quick on patterns made to be slow."""

import os
import random
import shutil
import subprocess
import time
import unicodedata

import pytest

from explorer.corpus.scan.ignore import Rules, lines_of

needs_git = pytest.mark.skipif(
    shutil.which("git") is None or os.name == "nt", reason="needs git, and names that Windows forbids"
)

NAMES = [
    "a",
    "b",
    "ab",
    "abc",
    "foo",
    "bar",
    "a.txt",
    "b.txt",
    "foo.txt",
    "x-y",
    "a b",
    "a ",
    "#a",
    "!a",
    "[a]",
    "a\\b",
    "7",
]
FOLDERS = ["a", "b", "foo", "foo/bar", "a/b", "a/b/foo", "bar/a/b", "x y", "deep/er/still/down", "foo/bar/foo/bar"]

BRACKETS = [
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-f]",
    "[[:digit:]]",
    "[[:alpha:]]",
    "[]a]",
    "[!]]",
    "[a-]",
    "[z-a]",
    "[",
    "[a",
    "[[:nope:]]",
    "[\\]]",
    "[a\\-z]",
    "[[:alpha:][:digit:]]",
    "[[a]",
    "[--a]",
    "[[:punct:]]",
    "[[:a]",
    "[a-c-f]",
]
ODD = [
    *(
        [
            "\ufeffa",
            "/",
            "//",
            "!",
            "!!a",
            "#a",
            "\\#a",
            "\\!a",
            "a\\",
            "//a",
            "a//b",
            "**",
            "**/",
            "/**",
            "**a",
            "a**",
            "**/**/b",
            "*/**/b",
            "[/]a",
            "a[/]b",
        ]
    ),
    *(["foo[!x]bar", "a\\/b", "foo/**\\/bar", "[a-", "[]", "[!]"]),
    *("", " ", "a\\ ", "a\\  ", "a\t"),
]
JUNK = [
    ".git/config",
    "a/.hidden",
    "a/__pycache__/b.pyc",
    "node_modules/x/readme.md",
    "Thumbs.db",
    "DESKTOP.INI",
    "a/~$report.docx",
    ".~lock.a.odt#",
    "notes.txt~",
    ".DS_Store",
    ".explorerignore",
]


class Repository:
    """A git repository that holds some files, and says what it would ignore."""

    def __init__(self, root):
        self.root = root
        self._git("init", "-q")
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)
        for folder in ["", *FOLDERS]:
            for name in NAMES:
                if not (root / folder / name).exists():
                    (root / folder / name).write_text("")
        found = [path for path in root.rglob("*") if ".git" not in path.parts]
        self.paths = {path.relative_to(root).as_posix(): path.is_dir() for path in found}

    def _git(self, *arguments, text=""):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-c", "core.ignorecase=false", *arguments]
        return subprocess.run(
            command, cwd=self.root, input=text.encode(), capture_output=True, env=environment, check=False
        ).stdout.decode()

    def ignored(self, files):
        """The paths git ignores, given the lines of each ignore file by its folder."""
        for folder, lines in files.items():
            (self.root / folder / ".gitignore").write_bytes("\n".join(lines).encode())
        out = self._git("check-ignore", "-z", "--no-index", "--stdin", text="\0".join(self.paths) + "\0")
        for folder in files:
            (self.root / folder / ".gitignore").unlink()
        return set(out.split("\0")) - {""}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return Repository(tmp_path_factory.mktemp("repository"))


def ignored(files, paths):
    """The paths we ignore, given the same."""
    rules = Rules()
    for folder in sorted(files, key=len):
        rules += Rules.parse(files[folder], folder)
    return {path for path, is_folder in paths.items() if rules.ignores(path, is_folder)}


def piece(chance):
    """A random part of a pattern; never `x**/`, which git took for `x*` and `**/` until 2.50."""
    kind = chance.random()
    if kind < 0.45:
        return chance.choice(["a", "b", "foo", "bar", ".txt", "x", "-", " ", "ab", "7"])
    if kind < 0.65:
        return chance.choice(["*", "?", "*"])
    if kind < 0.85:
        return chance.choice(BRACKETS)
    return chance.choice(["\\a", "\\*", "\\#", "\\!", "\\ ", "\\\\", "\\[", "\\", "\\?"])


def pattern(chance):
    parts = []
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3, 4])):
        deep = chance.random() < 0.2
        parts.append("**" if deep else "".join(piece(chance) for _ in range(chance.choice([1, 1, 2, 3]))))
    start = chance.choice(["", "", "", "/", "!", "!/", "#", "\\!"])
    return start + "/".join(parts) + chance.choice(["", "", "", "/", " ", "\\ ", "  ", "\r", "/*", "/**"])


@needs_git
class TestAgainstGit:
    @pytest.mark.parametrize("seed", range(40))
    def test_generated(self, repository, seed):
        chance = random.Random(seed)
        for _ in range(6):
            lines = [pattern(chance) for _ in range(chance.choice([1, 1, 2, 5]))]
            files = {"": lines}
            if chance.random() < 0.4:
                files[chance.choice(FOLDERS)] = [pattern(chance) for _ in range(3)]
            assert ignored(files, repository.paths) == repository.ignored(files), files

    @pytest.mark.parametrize("name", ["a", "foo", "a b", "a/b", "foo/bar", "deep/er/still/down"])
    def test_every_form_of_a_name(self, repository, name):
        forms = [
            "{}",
            "/{}",
            "{}/",
            "/{}/",
            "**/{}",
            "{}/**",
            "{}/*",
            "*/{}",
            "a/**/{}",
            "**/{}/**",
            "***/{}",
            "{}/**/a",
        ]
        for form in forms:
            for after in ([], ["!" + form.format(name)], ["!b"], ["!/foo/bar/"], ["*", "!*/", "!*.txt"]):
                files = {"": [form.format(name), *after]}
                assert ignored(files, repository.paths) == repository.ignored(files), files

    @pytest.mark.parametrize("line", ODD)
    def test_odd_lines(self, repository, line):
        files = {"": [line]}
        assert ignored(files, repository.paths) == repository.ignored(files)

    def test_deeper_files_overrule(self, repository):
        files = {"": ["*.txt", "foo/bar/*"], "foo": ["!a.txt", "/b*.txt"], "foo/bar": ["!foo/", "!b.txt"]}
        found = ignored(files, repository.paths)
        assert found == repository.ignored(files)
        assert "foo/b.txt" in found
        assert "foo/a.txt" not in found
        assert "foo/bar/b.txt" not in found


class TestRules:
    def test_says_which_line(self):
        rules = Rules.parse(["# drafts", "", "draft*", "!draft-final"], "notes", "notes/.explorerignore")
        rule = rules.ignores("notes/draft1.txt")
        assert (rule.text, rule.line, rule.source) == ("draft*", 3, "notes/.explorerignore")
        assert rules.ignores("notes/draft-final") is None
        assert rules.ignores("draft1.txt") is None

    @pytest.mark.parametrize("path", JUNK)
    def test_built_in(self, path):
        assert Rules.built_in().ignores(path)

    def test_hidden_files_can_be_let_in(self):
        assert Rules.built_in(hidden=True).ignores(".notes.txt") is None
        assert Rules.built_in(hidden=True).ignores(".git/config")
        assert (Rules.built_in() + Rules.parse(["!.notes.txt"])).ignores(".notes.txt") is None

    def test_korean_names_in_either_form(self):
        rules = Rules.parse(["초안*.txt", "보고서?.md"])
        for form in ("NFC", "NFD"):
            assert rules.ignores(unicodedata.normalize(form, "글/초안 하나.txt"))
            assert rules.ignores(unicodedata.normalize(form, "보고서가.md"))
            assert not rules.ignores(unicodedata.normalize(form, "글/완성.txt"))

    def test_case(self):
        assert not Rules.parse(["*.LOG"]).ignores("a.log")
        assert Rules.parse(["*.LOG"], ignore_case=True).ignores("a.log")

    def test_names_that_are_not_text(self):
        assert Rules.parse(lines_of(b"caf\xe9*")).ignores(os.fsdecode(b"caf\xe9.txt"))

    def test_files_from_notepad(self):
        assert lines_of("가*\r\nb".encode("utf-16")) == ["가*\r", "b"]
        assert Rules.parse(lines_of("\ufeff가*\r\nb".encode())).ignores("가나")

    @pytest.mark.parametrize("glob", ["*a" * 60 + "b", "**/a/" * 40 + "b", "*?" * 40 + "b", "**/*a*/" * 30 + "b"])
    def test_no_pattern_is_slow(self, glob):
        rules = Rules.parse([glob])
        start = time.process_time()
        assert not rules.decide("a" * 2000, False)
        assert not rules.decide("a/" * 500 + "a", False)
        assert time.process_time() - start < 2
