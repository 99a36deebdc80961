"""The threat model of the manual: every line of it has tests, and every test it relies on is there."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from xml.etree import ElementTree

from tests.conftest import PROJECT

DOCUMENTS = "tests/security/test_documents.py::"
MODELS = "tests/security/test_models_and_recipes.py::"
UNTRUSTED = "tests/models/files/test_untrusted.py::"
FOREIGN = "tests/security/test_foreign_workspaces.py::"
HOSTILE = DOCUMENTS + "test_nothing_of_a_document_runs_calls_out_or_is_written_elsewhere"
# Who attacks and a word of the danger, as the English page has them, in its order.
PROOFS: dict[tuple[str, str], tuple[str, ...]] = {
    ("documents", "program code"): (HOSTILE,),
    ("documents", "links, pictures"): (
        "tests/ui/window/test_hostile_texts.py::test_titles_and_texts_are_never_taken_for_markup",
        HOSTILE,
    ),
    ("documents", "bombs"): (HOSTILE, "tests/faults/test_mutated_files.py::test_damaged_files_are_read_or_listed"),
    ("documents", "formulas"): (HOSTILE,),
    ("documents", "exported HTML"): (
        "tests/workspace/export/test_map.py::test_the_page_may_load_and_run_nothing_else",
        "tests/workspace/export/test_map.py::test_hostile_texts_stay_texts",
        "tests/workspace/export/test_report.py::test_a_browser_shows_it_and_asks_for_nothing",
        "tests/workspace/export/test_report.py::test_hostile_texts_are_escaped_everywhere",
    ),
    ("documents", "parsers written in C"): (
        "tests/faults/test_mutated_files.py::test_damaged_files_are_read_or_listed",
    ),
    ("documents", "look alike"): (
        "tests/security/test_look_alikes.py::test_a_name_with_tricks_is_only_a_name",
        "tests/security/test_look_alikes.py::test_a_mark_that_nobody_sees_is_shown_in_a_name",
    ),
    ("documents", "terminal"): ("tests/security/test_look_alikes.py::test_a_document_gives_the_terminal_no_orders",),
    ("documents", "files of terabytes"): (
        "tests/corpus/scan/test_diff.py::test_a_file_of_terabytes_is_known_by_size_and_time",
        "tests/corpus/scan/test_scanner.py::test_an_ignore_file_of_terabytes_is_not_read",
    ),
    ("file names", "paths that lead elsewhere"): (HOSTILE,),
    ("models", "pickled weights"): (
        MODELS + "test_pickled_weights_are_refused_unopened",
        "tests/models/files/test_model_folder.py::test_pickles_beside_safetensors_are_not_touched",
        "tests/models/files/test_hub.py::test_pickled_weights_alone_are_refused",
        "tests/workspace/storage/test_array_cache.py::test_objects_are_never_unpickled",
    ),
    ("models", "auto_map"): (MODELS + "test_code_of_a_model_is_refused_unread",),
    ("models", "changed weights"): ("tests/models/files/test_catalog.py::test_one_changed_byte_is_refused",),
    ("models", "a million layers"): (
        UNTRUSTED + "test_a_configuration_that_its_weights_do_not_bear_out",
        UNTRUSTED + "test_a_tokenizer_that_never_ends",
        UNTRUSTED + "test_weights_that_are_not_numbers_are_refused",
        UNTRUSTED + "test_a_panic_of_the_tokenizer_is_a_sentence",
    ),
    ("models", "poisoned"): (),  # no test can: the page says so
    ("workspaces", "a database"): (
        FOREIGN + "test_what_is_not_ours_is_refused",
        FOREIGN + "test_nothing_of_another_version_acts_either",
        FOREIGN + "test_nothing_among_the_users_words_acts_either",
        FOREIGN + "test_sqlite_itself_refuses_what_acts_where_nobody_compares_the_schema",
        MODELS + "test_a_workspace_from_elsewhere_runs_nothing_and_writes_nowhere",
    ),
    ("workspaces", "absurd numbers"): (
        FOREIGN + "test_absurd_numbers_are_a_sentence_and_take_no_memory",
        FOREIGN + "test_an_array_that_is_larger_than_its_file_is_not_made",
        FOREIGN + "test_an_array_that_unpacks_to_gigabytes_is_not_read",
        FOREIGN + "test_checksums_of_rows_that_are_not_there_are_passed_over",
        FOREIGN + "test_json_nested_twenty_thousand_times_is_a_sentence_or_nothing",
    ),
    ("workspaces", "links, pipes and devices"): (
        FOREIGN + "test_a_link_in_a_workspace_leads_nowhere",
        FOREIGN + "test_a_folder_of_a_workspace_that_lies_elsewhere_is_left_alone",
        FOREIGN + "test_a_workspace_that_is_a_link_is_not_followed",
        FOREIGN + "test_a_pipe_in_a_workspace_holds_nobody_up",
        FOREIGN + "test_terabytes_of_nothing_in_a_workspace_are_not_read",
    ),
    ("the disk", "bits that change"): (
        "tests/workspace/test_doctor.py::test_damage_is_found_repaired_and_healed_by_the_next_update",
        "tests/workspace/storage/vectors/test_checksums.py::test_only_the_block_with_the_damage_is_named",
        "tests/workspace/storage/test_database_checksums.py::test_a_turned_bit_is_refused_until_it_is_repaired",
        "tests/faults/test_two_faults.py::test_an_error_of_the_disk_under_sqlite_is_a_sentence_and_harms_nothing",
        "tests/faults/test_two_faults.py::test_a_repair_that_is_killed_at_any_moment_is_done_by_the_next",
        "tests/faults/test_two_faults.py::test_a_disk_that_runs_full_during_a_migration",
        "tests/faults/test_torn_writes.py::test_what_was_promised_survives_a_power_failure_at_any_moment",
        "tests/faults/test_corrupted.py::test_what_is_spoilt_is_told_and_repaired",
    ),
    ("the disk", "lost"): (
        "tests/workspace/storage/user/test_backups.py::test_a_deleted_workspace_gets_its_words_back",
    ),
    ("the system's language", "LANG=C"): (
        "tests/workspace/storage/test_location.py::test_a_folder_is_found_again_under_another_locale",
    ),
    ("other users", "read your texts"): (
        "tests/security/test_privacy.py::test_nothing_is_open_to_others_but_what_was_exported",
    ),
    ("the current folder", "safetensors.py"): (
        "tests/security/test_current_folder.py::test_no_entry_point_imports_what_lies_in_the_current_folder",
        "tests/security/test_current_folder.py::test_the_window_does_not_either",
    ),
    ("recipes", "paths that lead out"): (
        MODELS + "test_a_recipe_stays_in_its_folder",
        "tests/training/data/test_bad_inputs.py::test_refused_with_a_sentence",
    ),
    ("translations and help", "script or links"): (
        "tests/security/test_threat_model.py::test_a_translation_brings_no_markup_of_its_own",
        "tests/ui/help/test_controller.py::test_a_page_loads_nothing_from_elsewhere",
    ),
    ("archives", "paths that lead out"): (
        HOSTILE,
        "tests/models/files/test_hub.py::test_a_hostile_file_name_stops_everything",
    ),
    ("the network", "calls out"): (
        HOSTILE,
        "tests/end_to_end/test_stories.py::test_a_day_with_the_window_and_the_next",
        "tests/models/files/test_hub.py::test_importing_connects_to_nothing_and_loads_nothing_heavy",
    ),
}
_MARKUP = re.compile(r"<\s*/?\s*\w+[^>]*>|\b\w+://[^\s\"<>]*[^\s\"<>.,]|\bdata:|\bjavascript:", re.IGNORECASE)


def lines(language: str) -> list[list[str]]:
    """The cells of each line of the threat model."""
    page = (PROJECT / "resources" / "help" / language / "privacy.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]
    return rows[2:]  # without the heads and the rule below them


@cache
def names_in(file: str) -> set[str]:
    """The names of the tests of a file, also of those in classes."""
    tree = ast.parse((PROJECT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"}


def test_every_line_has_its_tests_and_every_test_its_line() -> None:
    found = lines("en")
    assert [line[0] for line in found] == [who for who, _ in PROOFS]
    for (who, danger, stop), (_, word) in zip(found, PROOFS, strict=True):
        assert word in danger, f"{who}: {danger}"
        assert stop
    proofs = {proof for some in PROOFS.values() for proof in some}
    missing = [one for one in proofs if one.partition("::")[2] not in names_in(one.partition("::")[0])]
    assert missing == []


def test_the_korean_page_has_the_same_lines() -> None:
    english, korean = lines("en"), lines("ko")
    assert len(english) == len(korean)
    groups = [{line[0]: None for line in page} for page in (english, korean)]
    names = dict(zip(*groups, strict=True))  # each attacker has one name
    assert [names[line[0]] for line in english] == [line[0] for line in korean]
    codes = [
        [re.findall(r"`[^`]+`|SHA-256|safetensors", " ".join(line)) for line in page] for page in (english, korean)
    ]
    assert codes[0] == codes[1]


def test_a_translation_brings_no_markup_of_its_own() -> None:
    folder = PROJECT / "resources" / "translations"
    pairs = [pair for file in folder.glob("sentences_*.json") for pair in json.loads(file.read_text("utf-8")).items()]
    for file in folder.glob("*.ts"):
        for message in ElementTree.parse(file).getroot().iter("message"):
            said = ["".join(one.itertext()) for one in message.iter("translation")]
            pairs += [(message.findtext("source") or "", one) for one in said]
    assert len(pairs) > 1000
    foreign = [(text, own) for text, own in pairs if set(_MARKUP.findall(own)) - set(_MARKUP.findall(text))]
    assert foreign == []
