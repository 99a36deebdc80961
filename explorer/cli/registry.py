"""The list of commands. Each one's arguments and function live in a module that is imported only when it is needed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.cli.output import Answer
    from explorer.task import Task

AddArguments = Callable[[ArgumentParser], None]
Run = Callable[[Namespace, "Task"], "Answer"]


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
    "map": _command("Draw the map as png, svg, csv or html.", "map", "draw"),
    "keywords": _command("List the keywords of documents.", "documents", "keywords"),
    "classify": _command("Sort documents into your own categories.", "documents", "classify"),
    "outliers": _command("List documents unlike all others.", "documents", "outliers"),
    "projector": _command("Write the vectors for TensorBoard's projector.", "map", "projector"),
    "documents": _command("List the documents of an indexed folder.", "index", "documents"),
    "problems": _command("List the files that could not be read.", "index", "problems"),
    "export": _command("Write the documents to csv, jsonl or parquet.", "index", "export"),
    "report": _command("Write a report about some documents as a web page.", "report", "report"),
    "doctor": _command("Check a workspace, and repair it.", "maintenance", "doctor"),
    "vectors": _command("List the vectors of a workspace, or import your own.", "maintenance", "vectors"),
    "encode": _command("Turn the lines of a file into vectors.", "models", "encode"),
    "score": _command("Score pairs of texts with a cross-encoder.", "models", "score"),
    "evaluate": _command("Evaluate a model on your data.", "evaluate", "evaluate"),
    "train": _command("Fine-tune a model on your data or judgements.", "train", "train"),
    "models": _command("List the available models, or download one.", "models", "models"),
    "distil": _command("Create the instant draft encoder of a model.", "models", "distil"),
}
