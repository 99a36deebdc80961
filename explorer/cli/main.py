"""The entry point of the command line: parse the arguments, run one command, and report how it ended.

Exit codes: 0 done, 1 failed (a sentence on stderr), 2 bad usage, 130 cancelled.
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import logging
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING

from explorer import __version__, disk, logs, paths, settings
from explorer.errors import ExplorerError
from explorer.task import Cancelled, Task
from explorer.workspace.storage.database import damaged, is_damage, is_full

if TYPE_CHECKING:
    from explorer.cli.output import Answer

_NO_MEMORY = "There is not enough memory for this. Close other programs, or choose a smaller folder."
_DEBUG_HELP = "log all details to standard error, with the traceback of an unexpected error"
_logger = logging.getLogger(__name__)
DONE, FAILED, BAD_USAGE, CANCELLED = 0, 1, 2, 130

AddArguments = Callable[[ArgumentParser], None]
Run = Callable[[Namespace, Task], "Answer"]


@dataclass(frozen=True)
class Command:
    """A command of the command line.

    Attributes:
        summary: What it does, in one line of `docexplorer --help`.
        load: Import the command; return the function that adds its arguments and the one that runs it.
    """

    summary: str
    load: Callable[[], tuple[AddArguments, Run]]


def _command(summary: str, module: str, function: str) -> Command:
    """Describe a command whose module has the functions `function` and `function_arguments`."""

    def load() -> tuple[AddArguments, Run]:
        # The modules import NumPy and the model room at their top: seconds on a cold disk, which --help must not cost.
        loaded = import_module(f"explorer.cli.{module}")
        return getattr(loaded, f"{function}_arguments"), getattr(loaded, function)

    return Command(summary, load)


COMMANDS: dict[str, Command] = {
    "demo": _command("Show what the program does, on the sample texts.", "demo", "demo"),
    "index": _command("Make a folder searchable, or bring it up to date.", "index", "index"),
    "search": _command("Search an indexed folder by meaning and by keyword.", "search", "search"),
    "neighbours": _command("List the documents most similar to others.", "search", "neighbours"),
    "duplicates": _command("List duplicate documents and passages.", "search", "duplicates"),
    "compare": _command("Show what two documents share, and why.", "compare", "compare"),
    "clusters": _command("Group the documents; name and edit the groups.", "clusters", "clusters"),
    "trends": _command("Show how clusters grow and shrink over time.", "clusters", "trends"),
    "map": _command("Draw the map as png, svg, csv or html.", "export", "draw"),
    "keywords": _command("List the keywords of documents.", "documents", "keywords"),
    "classify": _command("Sort documents into your own categories.", "documents", "classify"),
    "outliers": _command("List documents unlike all others.", "documents", "outliers"),
    "projector": _command("Write the vectors for TensorBoard's projector.", "export", "projector"),
    "tag": _command("Add tags to documents, or remove them.", "tags", "tag"),
    "tags": _command("List the tags.", "tags", "tags"),
    "searches": _command("List saved searches and what is new in them, or save one.", "tags", "searches"),
    "documents": _command("List the documents of an indexed folder.", "index", "documents"),
    "problems": _command("List the files that could not be read.", "index", "problems"),
    "export": _command("Write the documents to csv, jsonl or parquet.", "index", "export"),
    "report": _command("Write a report about some documents as a web page.", "export", "report"),
    "doctor": _command("Check a workspace, and repair it.", "maintenance", "doctor"),
    "restore": _command("Bring back your tags, ratings and names from a backup.", "maintenance", "restore"),
    "vectors": _command("List the vectors of a workspace, or import your own.", "maintenance", "vectors"),
    "encode": _command("Turn the lines of a file into vectors.", "models", "encode"),
    "score": _command("Score pairs of texts with a cross-encoder.", "models", "score"),
    "evaluate": _command("Evaluate a model on your data.", "train", "evaluate"),
    "train": _command("Fine-tune a model on your data or judgements.", "train", "train"),
    "models": _command("List the available models, or download one.", "models", "models"),
    "benchmark": _command("Measure how fast this machine encodes texts.", "models", "benchmark"),
    "distil": _command("Create the instant draft encoder of a model.", "models", "distil"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # don't crash on characters the terminal cannot encode
            stream.reconfigure(errors="replace")
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = make_parser(words)
    try:
        args = parser.parse_args(words)
    except SystemExit as end:  # argparse has said what there was to say
        return int(end.code or DONE)
    if args.run is None:
        parser.print_help()
        return BAD_USAGE
    paths.use_data(settings.load()[0].data_folder)
    disk.close_own_folders()
    logs.start(debug=args.debug)
    try:
        return _run_and_report(args)
    finally:
        logs.stop()


def _run_and_report(args: Namespace) -> int:
    """Run the command and turn whatever it raises into a sentence and an exit code."""
    began = time.monotonic()
    _logger.info("%s started, version %s", args.command, __version__)
    try:
        code = _run(args)
    except (Cancelled, KeyboardInterrupt):
        _logger.info("%s cancelled after %.1f s", args.command, time.monotonic() - began)
        print("Cancelled.", file=sys.stderr)
        return CANCELLED
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
        return FAILED
    except ExplorerError as error:
        _logger.exception("%s failed", args.command)
        _complain(str(error))
    except MemoryError:
        _logger.exception("%s failed", args.command)
        print(_NO_MEMORY, file=sys.stderr)
    except Exception as error:
        _logger.exception("%s failed unexpectedly", args.command)
        if args.debug:
            raise
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
            where = error.filename or "The output"
            print(f"{where} could not be written or read ({error.strerror}). Check the disk.", file=sys.stderr)
            sys.stdout = None  # what is left of the output would fail again at exit
            return FAILED
        if is_full(error):  # or it could not be read
            print(f"The workspace could not be read or written ({error}). Check the disk.", file=sys.stderr)
            return FAILED
        what = f"{type(error).__name__}: {error}".strip(": ")
        unexpected = (
            f"Something unexpected went wrong ({what}). Run it again with --debug and report it; "
            f"the log is {logs.log_file()}."
        )
        _complain(damaged(error) if is_damage(error) else unexpected)
    else:
        _logger.info("%s ended with %d after %.1f s", args.command, code, time.monotonic() - began)
        return code
    return FAILED


def _complain(sentence: str) -> None:
    from explorer.cli.output import harmless  # a sentence may quote a file that someone else wrote

    print(harmless(sentence), file=sys.stderr)


def _run(args: Namespace) -> int:
    from explorer.cli.output import ProgressBar, harmless  # rich is too heavy for --help

    bar = ProgressBar(sys.stderr, shown=not args.json and sys.stderr.isatty())
    task = Task(bar.show)
    with bar, _interruptible(task):
        answer: Answer = args.run(args, task)
    if args.json:
        escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
        print(harmless(json.dumps(answer.data, ensure_ascii=escaped, indent=2), escaped=True))
    elif answer.text:
        print(harmless(answer.text))
    sys.stdout.flush()
    if answer.cancelled:
        raise Cancelled
    return FAILED if answer.failed else DONE


@contextmanager
def _interruptible(task: Task) -> Iterator[None]:
    """Have the first Ctrl+C ask the work to stop and keep what it did; a second one stops at once."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if task.cancelled:
            raise KeyboardInterrupt
        task.cancel()

    try:
        before = signal.signal(signal.SIGINT, interrupt)
    except ValueError:  # not the main thread: nobody can press Ctrl+C here
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def make_parser(words: Sequence[str], *, complete: bool = False) -> ArgumentParser:
    """Return the parser with all commands, but the arguments of only the one in `words`.

    Args:
        words: The command line.
        complete: Whether to load every command, with all it imports.
    """
    parser = ArgumentParser(
        prog="docexplorer", description="See and search a folder of texts by meaning, on your own machine."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("--debug", action="store_true", help=_DEBUG_HELP)
    parser.set_defaults(run=None)
    shared = ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print the result as JSON, for other programs")
    # SUPPRESS: a default here would overwrite the --debug that was given before the command.
    shared.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=_DEBUG_HELP)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    named = next((word for word in words if not word.startswith("-")), None)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.summary, description=command.summary, parents=[shared])
        if complete or name == named:
            add_arguments, run = command.load()
            add_arguments(subparser)
            subparser.set_defaults(run=run, command=name)
    return parser
