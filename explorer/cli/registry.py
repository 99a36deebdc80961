"""The commands, one module a subject: each a thin face on the rooms below, imported only when it runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from importlib import import_module
from typing import cast

from explorer.cli import arguments, report_arguments, train_arguments
from explorer.cli.output import Answer
from explorer.task import Task

Command = Callable[[Namespace, Task], Answer]


def _later(module: str, function: str) -> Command:
    """A command whose module is imported when it is called: help must not wait for torch."""

    def run(chosen: Namespace, task: Task) -> Answer:
        command = cast(Command, getattr(import_module(f"explorer.cli.{module}"), function))
        return command(chosen, task)

    return run


COMMANDS: dict[str, tuple[str, Callable[[ArgumentParser], None], Command]] = {
    "demo": ("Show what the program does, on the sample texts.", arguments.demo, _later("demo", "demo")),
    "index": (
        "Make a folder searchable, or bring it up to date.",
        arguments.index,
        _later("index", "index"),
    ),
    "search": (
        "Search an indexed folder by meaning and by word.",
        arguments.search,
        _later("search", "search"),
    ),
    "neighbours": (
        "List the documents like some others.",
        arguments.neighbours,
        _later("search", "neighbours"),
    ),
    "duplicates": ("List what stands there twice.", arguments.duplicates, _later("search", "duplicates")),
    "compare": ("Show what two documents share, and why.", arguments.compare, _later("compare", "compare")),
    "clusters": (
        "Group the documents, name the groups, change them.",
        arguments.clusters,
        _later("clusters", "clusters"),
    ),
    "trends": (
        "Show how clusters grow and shrink over time.",
        arguments.trends,
        _later("clusters", "trends"),
    ),
    "map": ("Draw the map: png, svg, csv or html.", arguments.draw, _later("map", "draw")),
    "keywords": ("Name the key words of documents.", arguments.keywords, _later("documents", "keywords")),
    "classify": (
        "Sort documents into categories of yours.",
        arguments.classify,
        _later("documents", "classify"),
    ),
    "outliers": ("List documents unlike all others.", arguments.outliers, _later("documents", "outliers")),
    "projector": (
        "Write the vectors for TensorBoard's projector.",
        arguments.projector,
        _later("map", "projector"),
    ),
    "documents": (
        "List the documents of an indexed folder.",
        arguments.folder,
        _later("index", "documents"),
    ),
    "problems": ("List the files that could not be read.", arguments.folder, _later("index", "problems")),
    "export": (
        "Write the documents as csv, jsonl or parquet.",
        arguments.export,
        _later("index", "export"),
    ),
    "report": (
        "Write a page about some documents.",
        report_arguments.report,
        _later("report", "report"),
    ),
    "doctor": ("Check a workspace, and repair it.", arguments.doctor, _later("maintenance", "doctor")),
    "vectors": (
        "List the vectors of a workspace, or bring your own.",
        arguments.vectors,
        _later("maintenance", "vectors"),
    ),
    "encode": ("Turn the lines of a file into vectors.", arguments.encode, _later("models", "encode")),
    "score": ("Score pairs of texts with a cross-encoder.", arguments.score, _later("models", "score")),
    "evaluate": ("Measure a model on your data.", arguments.evaluate, _later("evaluate", "evaluate")),
    "train": (
        "Make a model better with your data or judgements.",
        train_arguments.train,
        _later("train", "train"),
    ),
    "models": ("List the models there are, or download one.", arguments.models, _later("models", "models")),
    "distil": ("Make the instant draft encoder of a model.", arguments.distil, _later("models", "distil")),
}
